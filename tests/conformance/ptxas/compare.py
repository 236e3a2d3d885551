"""Candidates before the rows and before ptxas: the verdicts that differ, and that nothing explains."""

from __future__ import annotations

from collections.abc import Sequence

import oracle
from explained import explain
from leniency import lenient

from ptxlab.isa.enumerate import Candidate, verdict
from ptxlab.isa.targets import Target, Version, since


def knows(target: str, version: Version) -> bool:
    """Whether this release of ptxas reads the PTX version, and the version has the target."""
    first = since(Target.parse(target))
    return version <= oracle.newest() and first is not None and first <= version


def unexplained(tried: Sequence[Candidate], name: str, version: Version) -> tuple[list[str], int]:
    """A line for each verdict that differs, and how many ptxas takes. What is legal without what ptxas overlooks does not
    count."""
    target, release = Target.parse(name), oracle.release()
    ours = [verdict(c, target, version, release) for c in tried]
    theirs = oracle.judge([c.text for c in tried], target=name, ptx=version, likely=[o is None for o in ours])
    out: list[str] = []
    for one, mine, said in zip(tried, ours, theirs, strict=True):
        if (mine is None) == (said is None):
            continue
        rejected_by = "rows" if mine is not None else "crash" if said == oracle.UNPLACED else "ptxas"
        if explain(one, rejected_by, version, release) is not None:
            continue
        if mine is not None and lenient(one, target, version, release):
            continue
        why = f"{mine.code} {mine.message}" if mine is not None else said
        out.append(f"{rejected_by} reject ({one.why}) {one.text[:240]}\n      {why}")
    return out, sum(said is None for said in theirs)
