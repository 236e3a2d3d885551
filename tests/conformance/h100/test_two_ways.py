"""Some instructions have two implementations: compiled, for the common case, and in Python, for every other one.

The record of an H100 is compared with the compiled ones elsewhere. Here the compiled ones are taken away, so that the same kernels
run through the Python ones, which must give the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.conformance.runner.conform import Options, compare
from ptxlab.isa.form import FORMS
from ptxlab.sim.engine.compiled.registry import HALFWAY, MEANINGS, TRAPS, load_units
from ptxlab.sim.engine.machine.machine import Cluster, Machine
from ptxlab.sim.families.mma.unit import apart

FOLDER = Path(__file__).parent
load_units()
ONE_WAY = {"wgmma.commit_group"} | {key for key in HALFWAY if TRAPS[key] is apart}
"""Compiled code does all that a whole warp can ask for. Python only says what is wrong with any other warp."""
BOTH = frozenset(key for key in HALFWAY - ONE_WAY if key in FORMS)
"""Keys of the rows that have both; records that the simulator puts between instructions are no rows."""
FAMILIES = sorted({FORMS[key].family for key in BOTH})


@pytest.fixture
def trapped(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The keys of the instructions that have run in Python. No instruction with two implementations runs compiled meanwhile."""
    for key in BOTH:
        monkeypatch.delitem(MEANINGS, key)
    seen: set[str] = set()
    retire = Machine.retire

    def noting(machine: Machine, cluster: Cluster) -> None:
        seen.update(machine.report.stats.traps)
        retire(machine, cluster)

    monkeypatch.setattr(Machine, "retire", noting)
    return seen


def test_rows_with_two_implementations_are_known() -> None:
    assert {"mbarrier.arrive", "cp.async", "wgmma.wait_group", "mma.half", "wmma.mma.f16"} <= BOTH
    assert set(TRAPS) >= BOTH | ONE_WAY, "a compiled meaning that may turn to Python has nowhere to turn to"


@pytest.mark.parametrize("family", FAMILIES)
def test_python_gives_what_the_chip_gave(family: str, trapped: set[str]) -> None:
    found = compare(Options(families=(family,), seed=0, folder=FOLDER, workers=1))
    assert found.cases > 0
    assert found.checked.differences == []
    assert trapped & BOTH, "nothing ran in Python"
