"""Grids that overlap, in the simulator and as an H200 has answered.

Under "late" grids begin as early as they may, as on the chip, and the answers are the same. Under other schedules a grid may
begin when the one in front of it is over: then it sees less of it, and what stands behind a wait is as on the chip.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxlab.conformance.grids.experiments import EXPERIMENTS, Experiment
from ptxlab.conformance.grids.run import Answers, simulated

RECORD = json.loads((Path(__file__).parent / "grids.json").read_text())


def test_the_record_says_where_it_comes_from() -> None:
    assert {"gpu", "driver", "cuda", "date"} <= set(RECORD)
    assert set(RECORD["answers"]) == set(RECORD["captured"]) == set(EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_late_is_as_on_the_chip(name: str) -> None:
    experiment, chip = EXPERIMENTS[name], RECORD["answers"][name]
    found = simulated(experiment, "late")
    assert _steady(experiment, found) in [_steady(experiment, one) for one in chip]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_graph_is_as_a_captured_one_on_the_chip(name: str) -> None:
    experiment, chip = EXPERIMENTS[name], RECORD["captured"][name]
    found = simulated(experiment, "late", captured=True)
    if experiment.differs_captured:
        assert found in chip
        assert found not in RECORD["answers"][name]
    assert _steady(experiment, found) in [_steady(experiment, one) for one in chip]


@pytest.mark.parametrize("schedule", ["eager", "random"])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_other_schedules_show_no_more(name: str, schedule: str) -> None:
    experiment, (chip, *_) = EXPERIMENTS[name], RECORD["answers"][name]
    for seed in range(1 if schedule == "eager" else 4):
        found = simulated(experiment, schedule, seed, patience=30_000)
        for place, grid in enumerate(experiment.grids):
            waited = set[int]()
            for step in grid.steps:
                if step.kind == "wait":
                    waited.add(step.thread)
                if step.kind not in ("until", "load") or (place, step.answer) in experiment.unsteady:
                    continue
                here = [cta[step.answer] for cta in found[place]]
                there = [cta[step.answer] for cta in chip[place]]
                if step.kind == "load" and step.thread in waited:
                    assert here == there, (place, step)
                elif step.kind == "until" and grid.ctas == 1:  # of several, one may give up before the others, and end
                    assert here <= there, (place, step)


def _steady(experiment: Experiment, answers: Answers) -> Answers:
    """Answers without those that a chip may give one way or the other."""
    out = [[list(cta) for cta in grid] for grid in answers]
    for grid, answer in experiment.unsteady:
        for cta in out[grid]:
            cta[answer] = -1
    return out
