"""Instructions with parts of other rows spliced in: what the rows lack, and what they let pass, against ptxas.

A sample by default; `PTXLAB_ORACLE=full` draws many, and others with `PTXLAB_ORACLE_SEED=<number>`.
"""

from __future__ import annotations

import os

import oracle
import pytest
from compare import knows, unexplained
from splice import Splicer

import ptxlab.isa  # noqa: F401  (enters the rows)
from ptxlab.isa.targets import Target, Version

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
_SEED = int(os.environ.get("PTXLAB_ORACLE_SEED", "0"))


def _drawn() -> list[tuple[str, Version, int, int]]:
    """Targets, PTX versions, seeds, and how many are drawn."""
    newest = oracle.newest() if _REASON is None else (9, 1)
    if not FULL:
        return [("sm_90a", newest, _SEED, 800), *((t, newest, _SEED, 400) for t in ("sm_100a", "sm_107a", "sm_120a"))]
    parts = {("sm_90a", newest): 6, ("sm_80", newest): 2, ("sm_100a", newest): 4, ("sm_120a", newest): 2}
    parts |= {("sm_107a", newest): 4, ("sm_90a", (8, 0)): 1, ("sm_80", (7, 0)): 1, ("sm_100a", (8, 6)): 1}
    return [(*what, 100 * _SEED + part, 10_000) for what, count in parts.items() for part in range(count)]


@pytest.mark.parametrize(("name", "version", "seed", "count"), _drawn())
def test_splices(name: str, version: Version, seed: int, count: int) -> None:
    if not knows(name, version):
        return  # nothing to ask of this release
    tried = list(Splicer(Target.parse(name), version, seed).draw(count))
    assert len(tried) == count
    found, taken = unexplained(tried, name, version)
    assert 0.02 < taken / count < 0.5  # both verdicts come up
    oracle.record("splices", name, version, len(tried), found, seed)
    assert not found, f"{len(found)} of {len(tried)} differ:\n   " + "\n   ".join(found[:20])
