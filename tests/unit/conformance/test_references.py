"""Rows against their meanings in plain Python: a wrong meaning is found without a GPU and without a record."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ptxlab.conformance.rows import run as rows
from ptxlab.conformance.rows.emit import LANES, loaded, operands
from ptxlab.conformance.rows.probes import PER_ROW, VERSION, Probe, of_row, probed
from ptxlab.conformance.rows.values import decode
from ptxlab.isa.effects import Carry
from ptxlab.isa.form import FORMS
from tools import coverage
from tools.row_references import differences, expected, referenced, referenced_probes, rounded

EACH = 8
"""Probes of a row, at most: those of the record are more, and the same machine code."""
SEED = 3
_WITH = [f for f in FORMS.values() if f.reference is not None and f.needs.version <= VERSION and probed(f)]
CHOSEN = [p for f in _WITH for p in referenced_probes(of_row(f, PER_ROW, 0))[:EACH]]
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_rows_mean_what_their_references_say(part: int) -> None:
    chosen = CHOSEN[part::PARTS]
    ran = rows.run(rows.simulator, chosen, [], SEED)
    found = list(differences(chosen, ran, SEED))
    assert not found, "\n".join(map(str, found))


def test_every_reference_is_asked() -> None:
    assert {p.form.key for p in CHOSEN} == {f.key for f in _WITH}
    assert len(_WITH) > 90


def test_integer_rows_have_references() -> None:
    """All that compute integers of integers, bar what walks over bits."""
    without = {"fns", "mbarrier.pending_count"}
    for form in FORMS.values():
        if isinstance(form.effect, Carry) or (form.family == "logic" and not form.unsimulated):
            said = f"{form.key}: {coverage.WHAT_TO_DO}; a row of logic.py has a reference in any case"
            assert (form.reference is None) == (form.key in without), said


def test_references_want_what_there_is() -> None:
    known = {"bits", "low", "high", "carry"}
    for form in FORMS.values():
        if form.reference is not None:
            slots = {s.name for s in form.slots} | form.flags | {"NaN", "sat", "shiftamt", "rnd", "bool"}
            assert set(form.reference.wants) <= known | slots | form.operands.keys(), form.key


def test_expectations_are_plain_numbers() -> None:
    """Of one row, by hand: not by way of the functions that rows share."""
    probe = Probe.of_key("mad.wide mad.wide.s16")
    a, b, c = (v[0].astype(np.uint64) for v in operands(probe, SEED))
    (column,) = expected(probe, SEED)
    wanted = (a.astype(np.int16).astype(np.int64) * b.astype(np.int16) + c.astype(np.int64)) & 0xFFFF_FFFF
    assert column == wanted.tolist()


@pytest.mark.parametrize(("name", "kind"), [("f16", np.float16), ("f32", np.float32)])
def test_fractions_are_rounded_as_numpy_rounds(name: str, kind: type) -> None:
    bits = np.random.default_rng(7).integers(0, 1 << 63, 3000, np.uint64)
    numbers = decode("f64", (bits >> np.uint64(4)) % np.uint64(600 << 52) + np.uint64(700 << 52))
    for number in numbers[np.isfinite(numbers)].tolist():
        with np.errstate(over="ignore"):
            wanted = int(np.array(number, kind).view(f"u{np.dtype(kind).itemsize}"))
        assert rounded(number, name, "rn") == wanted, number


def test_a_result_that_is_not_the_references_is_shown() -> None:
    probe = Probe.of_key("sad sad.u32")
    ran = rows.run(rows.simulator, [probe], [], SEED)
    assert list(differences([probe], ran, SEED)) == []
    wrong = ran.results[probe.key].copy()
    wrong[4] ^= 1
    ran.results[probe.key] = wrong
    (found,) = differences([probe], ran, SEED)
    assert (found.key, found.count) == (probe.key, 1)
    assert "the reference says" in str(found)


_MUTANTS = """
from ptxlab.conformance.rows import run as rows
from ptxlab.conformance.rows.probes import Probe
from tools.row_references import differences
from ptxlab.sim.engine.compiled.registry import MEANINGS
import ptxlab.sim.families.meanings
one = {"mad": "mad.lo.u32", "sad": "sad.s32", "setp": "setp.lt.s32", "bfe": "bfe.s32", "popc": "popc.b64"}
was = dict(MEANINGS)
MEANINGS["mad"] = lambda e, a, b, c: a * b - c
MEANINGS["sad"] = lambda e, a, b, c: was["sad"](e, a, b, c) + 1
MEANINGS["setp"] = lambda e, *args: was["setp"](e, args[1], args[0])
MEANINGS["bfe"] = lambda e, a, b, c: was["bfe"](e, a, c, b)
MEANINGS["popc"] = lambda e, a: was["popc"](e, ~a)
probes = [Probe.of_key(f"{row} {opcode}") for row, opcode in one.items()]
ran = rows.run(rows.simulator, probes, [], 3)
print(*(d.key.split()[0] for d in differences(probes, ran, 3)))
"""


def test_wrong_meanings_are_caught(tmp_path: Path) -> None:
    """In a process of its own, with a cache of its own."""
    env = {**os.environ, "PTXLAB_CACHE_DIR": str(tmp_path)}
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", _MUTANTS], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["mad", "sad", "setp", "bfe", "popc"]


def test_a_new_row_needs_a_reference_or_a_record() -> None:
    assert coverage.unproven((), ["add", "add.cc", "shfl.sync"]) == ["shfl.sync"]
    assert coverage.unproven({"shfl.sync"}, ["add", "shfl.sync"]) == []
    assert coverage.unproven((), ["add.f32"]) == ["add.f32"]  # its reference is not for .ftz
    assert "reference=" in coverage.WHAT_TO_DO


def test_lanes_and_outputs_fit() -> None:
    probe = Probe.of_key("setp setp.lt.and.s32 pair not")
    assert referenced(probe)
    p, q = expected(probe, SEED)
    assert len(p) == len(q) == LANES
    ran = rows.run(rows.simulator, [probe], [], SEED)
    assert loaded(probe.outputs, ran.results[probe.key]) == [p, q]
