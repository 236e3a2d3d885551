"""The part of the conformance run that a seed draws: the simulator gives what an H100 gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.conformance.micro.run import micros
from ptxlab.conformance.record import golden
from ptxlab.conformance.runner.conform import Options, compare

FOLDER = Path(__file__).parent
RECORD = golden.read(FOLDER / "micro.npz")
FAMILIES = (
    "async_copy",
    "bulk",
    "cluster",
    "control",
    "fence",
    "matrix",
    "mbarrier",
    "memory",
    "move",
    "remote",
    "stack",
    "warp",
    "wgmma",
)


def test_the_record_is_of_an_h100_and_of_these_kernels() -> None:
    assert "H100" in RECORD.gpu
    assert all((RECORD.driver, RECORD.cuda, RECORD.ptxas, RECORD.date))
    assert set(RECORD.results) <= set(micros())
    assert sorted({micros()[k].family for k in RECORD.results}) == list(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_micro_kernels_of_a_part_give_what_the_chip_gave(family: str) -> None:
    found = compare(Options(families=(family,), seed=0, folder=FOLDER, workers=1))
    assert found.cases > 0
    assert found.checked.differences == []
