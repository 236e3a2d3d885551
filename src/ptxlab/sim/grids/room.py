"""Launches that hang beside others: which of these hold room on the SMs, and whose CTAs find none."""

from __future__ import annotations

from collections.abc import Sequence

from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.ptx.grids import LAUNCH_DEPENDENTS, of_grids
from ptxlab.sim.diagnose.hangs.before import HANGS
from ptxlab.sim.grids.member import Member


def explained(stop: Diagnostic, place: int, members: Sequence[Member]) -> None:
    """Add to the hang of a launch who keeps whom from the SMs."""
    if stop.code not in HANGS:
        return
    running = [one for one in members if one.begun and not one.over]
    holding = [one for one in running if one.place != place and one.machine.resident]
    lacking = [one for one in running if one not in holding and one.machine.starts.left]
    if not lacking or not holding:
        return
    stop.notes = (
        *stop.notes,
        *(
            f"{_name(one)} holds room on the SMs: {_resident(one)} of its {_record(one).ctas} CTAs are there"
            for one in holding
        ),
        *(f"CTAs of {_name(one)} cannot begin, as no SM has room for them" for one in lacking),
    )
    early = next((one for one in holding if one.node.early is not None), None)
    primary = next((one for one in members if early is not None and one.place == early.node.early), None)
    if early is None or primary is None or primary.over or not _triggers(primary):
        return
    stop.help = (
        f"let {_name(primary)} execute griddepcontrol.launch_dependents later, behind all that needs other launches: "
        f"CTAs of {_name(early)} stay on the SMs until it is over"
    )


def _resident(one: Member) -> int:
    return sum(len(cluster.ctas) for cluster in one.machine.resident)


def _record(one: Member) -> LaunchRecord:
    record = one.node.work
    assert isinstance(record, LaunchRecord)
    return record


def _name(one: Member) -> str:
    return f"`{_record(one).program.name}` ({one.node.label})"


def _triggers(one: Member) -> bool:
    return any(of_grids(op) == LAUNCH_DEPENDENTS for op in one.machine.image.ops)
