"""A stop among launches that run side by side: on which device that is, and of a hang, what each of them waits for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.sim.diagnose.hangs.before import HANGS
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine import deadlock
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.resident import Warp
from ptxlab.sim.grids.member import Member

MOST = 8
"""Launches that a report names."""


def explained(wrong: Diagnostic, here: Member, members: Sequence[Member]) -> Diagnostic:
    """The same diagnostic. Where a launch hangs beside others, its notes say what those do; where it stops otherwise and there are
    several devices, on which one that is."""
    devices = len({m.node.work.ordinal for m in members if isinstance(m.node.work, LaunchRecord)}) > 1
    running = [m for m in members if not m.over and isinstance(m.node.work, LaunchRecord)]
    if wrong.code not in HANGS:
        wrong.notes = (*wrong.notes, f"in {_name(here, devices=True)}") if devices else wrong.notes
    elif len(running) > 1:
        notes = [f"{_name(here, devices=devices)}: {words}" for words in wrong.notes]
        for other in [m for m in running if m is not here][:MOST]:
            notes += [f"{_name(other, devices=devices)}: {words}" for words in _doing(other)]
        wrong.notes = tuple(notes)
    return wrong


def _name(member: Member, *, devices: bool) -> str:
    record = member.node.work
    assert isinstance(record, LaunchRecord)
    where = f", on device {record.ordinal}" if devices else ""
    return f"`{record.program.name}`, entry {member.place + 1} of the queue{where}"


def _doing(member: Member) -> Iterator[str]:
    """What a launch that is not over does."""
    if not member.begun:
        yield "it has not begun"
        return
    yield from deadlock.hang(member.machine, _running(member.machine), waiting=False).notes or ["it runs"]


def _running(machine: Machine) -> list[Warp]:
    ctas = [cta for cluster in machine.resident for cta in cluster.ctas]
    return [warp for cta in ctas for warp in cta.warps if cta.block.get(F.C_RUNNABLE) >> warp.index & 1]
