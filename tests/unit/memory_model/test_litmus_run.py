"""Litmus tests as kernels: what the simulator does of them, and what is no kernel."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.commands.litmus_run import run, verdict_lines
from ptxlab.diag import Diagnostic
from ptxlab.memory_model import parse
from ptxlab.memory_model.decision import decide
from ptxlab.memory_model.emit import emitted
from ptxlab.memory_model.examples import EXAMPLES, RULES
from tools.corpus import corpus, written

RUN = {
    "MP": EXAMPLES["causality"].forbidden,
    "barriers": EXAMPLES["barriers"].forbidden,
    "cluster barriers": EXAMPLES["cluster barriers"].forbidden,
    "atomicity": EXAMPLES["atomicity"].forbidden,
    "TMA load": RULES["TMA load"].forbidden,
    "TMA store": RULES["TMA store after st.shared"].forbidden,
    "cp.async": RULES["cp.async for others"].forbidden,
}


@pytest.mark.parametrize("name", RUN)
def test_the_simulator_never_does_what_the_model_forbids(name: str) -> None:
    verdict = decide(parse(RUN[name]))
    counts = run(verdict.program, verdict, "sim", 40)
    lines, wrong = verdict_lines(verdict, counts, "sim")
    assert not wrong, "\n".join(lines)
    assert sum(counts.seen.values()) == counts.times == 40
    assert lines[0].endswith("40 times on the simulator")


def test_a_forbidden_outcome_would_be_shown() -> None:
    verdict = decide(parse(RUN["MP"]))
    counts = run(verdict.program, verdict, "sim", 20)
    counts.seen[7, 7] = 1
    lines, wrong = verdict_lines(verdict, counts, "sim")
    assert wrong
    assert any(line.startswith("  !") and line.endswith("forbidden by the model") for line in lines)


def test_the_corpus_becomes_kernels_that_pass_the_checker() -> None:
    refused: list[str] = []
    for test in corpus():
        try:
            text = emitted(parse(written(test), test.name)).text
        except Diagnostic as d:
            refused.append(d.code)
            continue
        found = [d for d in px.check(text, lints=False) if d.severity.value == "error"]
        assert found == [], f"{test.name}: {found[0]}\n{text}"
    assert set(refused) == {"PTX0604"}
    assert len(refused) < 12
