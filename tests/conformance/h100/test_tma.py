"""The simulator makes of tensor maps, copies and reductions what an H100 made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ptxlab.conformance.record import golden
from ptxlab.conformance.tma import run as tma
from ptxlab.conformance.tma.devices import Simulator
from ptxlab.conformance.tma.maps import replacements
from tools.record.tma import strangers

RECORD = golden.read(Path(__file__).with_name("tma.npz"))


def test_the_record_is_of_an_h100_and_of_these_cases() -> None:
    assert "H100" in RECORD.gpu
    assert all((RECORD.driver, RECORD.cuda, RECORD.ptxas, RECORD.date))
    assert {r.key for r in replacements()} <= set(RECORD.results)


def test_layout_knows_what_every_replacement_does_to_the_bytes() -> None:
    wrong = [r.key for r in replacements() if not np.array_equal(RECORD.results[r.key], r.expected(RECORD.seed))]
    assert wrong == []


def test_maps_made_on_the_chip_load_what_the_hosts_load() -> None:
    assert strangers(RECORD.results) == []


@pytest.mark.parametrize("part", tma.PARTS)
def test_the_simulator_gives_what_the_chip_gave(part: str) -> None:
    assert tma.differences(RECORD, tma.run(Simulator(), RECORD.seed, [part])) == []


@pytest.mark.parametrize("part", ["rebound", "bulk"])
def test_schedules_do_not_change_it(part: str) -> None:
    assert tma.differences(RECORD, tma.run(Simulator("late"), RECORD.seed, [part])) == []
