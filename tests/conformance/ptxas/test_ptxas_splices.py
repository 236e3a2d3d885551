"""Instructions with parts of other rows spliced in: what the rows lack, and what they let pass, against ptxas.

A sample by default; `PTXLAB_ORACLE=full` draws many.
"""

from __future__ import annotations

import os

import oracle
import pytest
from explained import explain
from leniency import lenient

import ptxlab.isa  # noqa: F401  (enters the rows)
from ptxlab.isa.enumerate import verdict
from ptxlab.isa.splice import Splicer
from ptxlab.isa.targets import Target

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
_COUNT = 50_000 if FULL else 800


@pytest.mark.parametrize("name", ["sm_90a", "sm_80", "sm_100a", "sm_120a"] if FULL else ["sm_90a"])
def test_splices(name: str) -> None:
    target, version, release = Target.parse(name), oracle.newest(), oracle.release()
    tried = list(Splicer(target, version, seed=int(os.environ.get("PTXLAB_ORACLE_SEED", "0"))).draw(_COUNT))
    assert len(tried) == _COUNT
    theirs = oracle.judge([c.text for c in tried], target=name, ptx=version)
    assert 0.02 < sum(said is None for said in theirs) / _COUNT < 0.5  # both verdicts come up
    found: list[str] = []
    for one, said in zip(tried, theirs, strict=True):
        mine = verdict(one, target, version, release)
        if (mine is None) == (said is None):
            continue
        rejected_by = "rows" if mine is not None else "crash" if said == oracle.UNPLACED else "ptxas"
        if explain(one, rejected_by, version, release) or (mine and lenient(one, target, version, release)):
            continue
        found.append(f"{rejected_by} reject ({one.why}) {one.text[:160]}\n      {said if mine is None else mine}")
    oracle.record("splices", name, version, len(tried), len(found))
    assert not found, f"{len(found)} of {len(tried)} differ:\n   " + "\n   ".join(found[:20])
