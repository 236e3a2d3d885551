"""Every row against ptxas: what the rows take ptxas takes, and what they reject it rejects.

A sample by default; `PTXLAB_ORACLE=full` tries all that is enumerated, and `PTXLAB_ORACLE_RECORD=FILE` keeps what was tried.
"""

from __future__ import annotations

import os
import random
from functools import cache

import oracle
import pytest
from compare import knows, unexplained

import ptxlab.isa  # noqa: F401  (enters the rows)
from ptxlab.isa.enumerate import Candidate, candidates
from ptxlab.isa.form import FORMS, Form
from ptxlab.isa.targets import Target, Version, since

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
_HEADS = 64 if FULL else 12
_PER_ROW = 1_000_000 if FULL else 16
_OTHERS = 8_000

# All that is enumerated for the newest version; a sample for the targets of the newest architectures, the largest for sm_90a.
OPERANDS = (
    ["sm_90a", "sm_80", "sm_90", "sm_100a", "sm_107a", "sm_120a"]
    if FULL
    else ["sm_90a", "sm_100a", "sm_107a", "sm_120a"]
)
RELEASES: list[Version] = [
    *((6, n) for n in range(6)),
    *((7, n) for n in range(9)),
    *((8, n) for n in range(9)),
    *((9, n) for n in range(6)),
]


def _pairs() -> list[tuple[str, Version]]:
    """The forms alone: in full with every release that knows the target, so on either side of each version term."""
    few: list[tuple[str, Version]] = [
        ("sm_75", (6, 3)),
        ("sm_80", (7, 0)),
        ("sm_80", (7, 8)),
        ("sm_89", (8, 1)),
        ("sm_90", (7, 8)),
        ("sm_90a", (8, 0)),
        ("sm_90a", (8, 3)),
        ("sm_90a", (8, 6)),
        ("sm_100a", (8, 8)),
        ("sm_120a", (9, 1)),
        ("sm_90a", (9, 3)),
        ("sm_100a", (9, 4)),
        ("sm_107a", (9, 5)),
    ]
    if not FULL:
        return few
    targets = ("sm_70", "sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_107a", "sm_120a")
    first = {t: since(Target.parse(t)) for t in targets}
    return [(t, v) for t, begin in first.items() for v in RELEASES if begin is not None and v >= begin]


@cache
def _candidates(form: Form) -> tuple[Candidate, ...]:
    return tuple(candidates(form, limit=_HEADS))


@cache
def _by_version() -> list[Candidate]:
    """All forms with plain operands; in full also some of the others, whose operands may have come later than the form."""
    every = [c for form in FORMS.values() for c in _candidates(form)]
    others = [c for c in every if c.why != "plain"]
    return [c for c in every if c.why == "plain"] + (random.Random(0).sample(others, _OTHERS) if FULL else [])


def _sampled(target: str) -> list[Candidate]:
    out: list[Candidate] = []
    count = _PER_ROW if FULL or target == "sm_90a" else _PER_ROW // 4
    for form in FORMS.values():
        found = list(_candidates(form))
        dice = random.Random(form.key if target == "sm_90a" else f"{form.key}:{target}")
        out += dice.sample(found, count) if len(found) > count else found
    return out


def _check(tried: list[Candidate], target: str, version: Version) -> None:
    if not knows(target, version):
        return  # nothing to ask of this release
    found, _ = unexplained(tried, target, version)
    oracle.record("rows", target, version, len(tried), found)
    assert not found, f"{len(found)} of {len(tried)} differ:\n   " + "\n   ".join(found[:20])


def test_every_row_can_be_enumerated() -> None:
    assert [key for key, form in FORMS.items() if not any(c.why == "plain" for c in _candidates(form))] == []


@pytest.mark.parametrize("target", OPERANDS)
def test_operands_and_opcodes(target: str) -> None:
    tried = _sampled(target)
    assert len(tried) > (20_000 if FULL else 2000)
    _check(tried, target, oracle.newest())


@pytest.mark.parametrize(("target", "version"), _pairs())
def test_targets_and_versions(target: str, version: Version) -> None:
    _check(_by_version(), target, version)


def test_the_oracle_sees_errors() -> None:
    """Verdicts are read from the right line, behind syntax errors and crashes too."""
    bodies = [
        "add.s32 %r1, %r2, 3;",
        "add.s32 %r1, %r2, _;",
        "add.s32 %f1, %r2, 3;",
        "cvt.rn.tf32.f32 _, %f2;",
        "ret;",
    ]
    found = oracle.judge(bodies)
    assert [f is None for f in found] == [True, False, False, False, True]
    assert "syntax" in (found[1] or "")
    assert "mismatch" in (found[2] or "")
    assert found[3] == oracle.UNPLACED
