"""Rows and micro-kernels that came after the record of the H100: the simulator gives what an H200 gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.conformance.record import golden
from ptxlab.conformance.runner.conform import waiting
from ptxlab.conformance.runner.suites import SUITES

HERE = Path(__file__).parent
PART = 12
"""One unit in so many is run here; `ptxlab conformance --full` runs all."""
_CARRIES = (
    *("addc.s16", "addc.u16", "subc.s16", "subc.u16", "addc.sat.s32", "subc.sat.s32"),
    *("madc.lo.s16", "madc.lo.u16", "madc.hi.s16", "madc.hi.u16", "madc.hi.sat.s32"),
)


def test_every_generator_has_a_record() -> None:
    assert waiting(HERE.parent / "h100") == {}, "python -m tools.record suites tests/conformance/h200 --beside …/h100"


@pytest.mark.parametrize("name", ["rows", "micro"])
def test_a_part_gives_what_the_chip_gave(name: str) -> None:
    suite, record = SUITES[name], golden.read(HERE / f"{name}.npz")
    assert "H200" in record.gpu
    assert set(record.keys) <= {unit.name for unit in suite.units()}
    keys = sorted(record.keys)[::PART]
    found = suite.check(keys, record.part(keys))
    assert sum(tally.cases for tally in found.tallies.values()) > 0
    assert found.differences == []


def test_carries_of_half_words_and_of_saturation_give_what_the_chip_gave() -> None:
    suite, record = SUITES["rows"], golden.read(HERE / "rows.npz")
    wanted = [opcode + more for opcode in _CARRIES for more in ("", " crossed")]
    keys = [key for key in record.keys if key.partition(" ")[2] in wanted]
    assert len(keys) == len(wanted)
    found = suite.check(keys, record.part(keys))
    assert sum(tally.cases for tally in found.tallies.values()) == 512 * len(keys)
    assert found.differences == []
