"""Programmatic dependent launch: which grids may begin before those in front of them in the stream have ended."""

from __future__ import annotations

from ptxlab.abi.record import LaunchRecord
from ptxlab.ptx.grids import waits_for_grids


def may_begin_early(record: LaunchRecord) -> bool:
    """Whether a grid may begin while the one before it runs: the launch says so, or its kernel waits for that grid itself."""
    if record.programmatic is not None:
        return record.programmatic
    return not record.cooperative and waits_for_grids(record.program)
