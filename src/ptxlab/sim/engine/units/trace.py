"""A timeline on a logical clock.

A warp's clock counts its instructions and jumps forward when it waits for something that ends later; an asynchronous
operation begins when it is issued or when its unit is free, and lasts as long as its size suggests. Its bytes are visible some
time after that. So the timeline shows what can overlap, not what a chip measures. docs/explanation/simulator.md says it all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.decoded.decode import NOTE
from ptxlab.sim.engine.decoded.sources import sources
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import runs_text
from ptxlab.sim.engine.machine.trap import DONE, Outcome, TrapContext, Unit, trap, unit
from ptxlab.sim.report.report import TraceEvent
from ptxlab.sim.report.trace import NOTED, VISIBLE

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.observer import Observer
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.engine.units.place import Place

Facts: TypeAlias = Mapping[str, "int | str"]

MAX_EVENTS = 200_000
"""Events kept; what comes later is dropped, so that a long launch cannot fill the memory."""
COPY_LATENCY = 64
COPY_BYTES = 64
"""A copy keeps its unit busy for 1 + bytes / COPY_BYTES units of time; its bytes are visible COPY_LATENCY later."""
MMA_PRODUCTS = 2048
"""A wgmma takes (M · N · K) / MMA_PRODUCTS units of time."""


TIMES: list[Callable[[], Observer]] = []
"""Make observers of launches with a timeline, for waits that no unit sees."""


@unit
class Timeline(Unit):
    """Clocks and events. Without a trace every method returns at once."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.events = machine.report.trace
        self.on = self.events is not None
        self._ahead: dict[Warp, int] = {}
        self._busy: dict[tuple[Cta, str], int] = {}
        self._known: dict[int, dict[str, int | str]] = {}
        if self.on:
            self._known = _facts(machine)

    def now(self, warp: Warp) -> int:
        """The warp's clock; 0 without a trace."""
        return warp.instructions + self._ahead.get(warp, 0) if self.on else 0

    def wait(
        self, warp: Warp, until: int, name: str, op: Op, barriers: Mapping[Place, int] | None = None, **more: int
    ) -> None:
        """The warp waited until that time; an event when this is later than its own.

        `barriers`: the mbarriers that it waited for, and the phase of each. `more`: what else the event says.
        """
        if not self.on:
            return
        begin = self.now(warp)
        if until > begin:
            self._ahead[warp] = self._ahead.get(warp, 0) + until - begin
            self.add(warp_track(warp), name, "wait", begin, until, {**self.facts(op, barriers), **more})

    def occupy(
        self, cta: Cta, unit_name: str, name: str, kind: str, begin: int, length: int, args: Facts | None = None
    ) -> int:
        """A unit of the CTA's SM works for `length` from `begin` on, or from when it is free. Returns the end."""
        if not self.on:
            return 0
        key = (cta, unit_name)
        begin = max(begin, self._busy.get(key, 0))
        self._busy[key] = begin + length
        self.add(f"cta {cta.index} {unit_name}", name, kind, begin, begin + length, args)
        return begin + length

    def copy(
        self,
        cta: Cta,
        op: Op,
        begin: int,
        nbytes: int,
        kind: str = "copy",
        barriers: Mapping[Place, int] | None = None,
    ) -> int:
        """A bulk or TMA copy of so many bytes; `kind` is "store" for one out of shared memory. Returns when its bytes are
        visible: they keep the engine busy, the latency behind them does not."""
        self.machine.moved(op, nbytes)
        return self._copied(cta, "TMA", op, begin, nbytes, kind=kind, barriers=barriers)

    def small_copies(self, warp: Warp, op: Op, nbytes: int) -> int:
        """A cp.async of a warp: so many bytes of all its lanes. Returns when they are visible."""
        return self._copied(warp.cta, "cp.async", op, self.now(warp), nbytes)

    def _copied(
        self,
        cta: Cta,
        unit_name: str,
        op: Op,
        begin: int,
        nbytes: int,
        *,
        kind: str = "copy",
        barriers: Mapping[Place, int] | None = None,
    ) -> int:
        if not self.on:
            return 0
        length = 1 + nbytes // COPY_BYTES
        visible = max(begin, self._busy.get((cta, unit_name), 0)) + length + COPY_LATENCY
        args = {**self.facts(op, barriers), "bytes": nbytes, VISIBLE: visible}
        self.occupy(cta, unit_name, op.inst.form.name, kind, begin=begin, length=length, args=args)
        return visible

    def facts(self, op: Op, barriers: Mapping[Place, int] | None = None) -> dict[str, int | str]:
        """What an event says of its instruction and its mbarriers; nothing without a trace."""
        if not self.on:
            return {}
        out = dict(self._known.get(id(op), {}))
        if barriers:
            out["mbarrier"] = ", ".join(shared_name(self.machine, where.offset) for where in barriers)
            out["phase"] = next(iter(barriers.values()))
        return out

    def add(self, track: str, name: str, kind: str, begin: int, end: int, args: Facts | None = None) -> None:
        """Keep an event."""
        if self.events is None:
            return
        if len(self.events) < MAX_EVENTS:
            self.events.append(TraceEvent(track, name, kind, begin, end, args or {}))
        else:
            self.events.dropped += 1

    def note(self, ctx: TrapContext, text: str, args: Facts) -> None:
        """Lanes have come to a `k.note`."""
        now = self.now(ctx.warp)
        self.add(warp_track(ctx.warp), text, NOTED, now, now, args)

    def cluster_finished(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            for warp in cta.warps:
                if self.on:
                    self.add(warp_track(warp), "run", "warp", 0, self.now(warp))
                self._ahead.pop(warp, None)


@trap(NOTE)
def note(ctx: TrapContext, op: Op) -> Outcome:
    """A mark of the executing lanes on the timeline; it takes no time."""
    at = ctx.machine.image.notes[ctx.warp.frame.get(F.F_TRAP_PC)][0]
    first = ctx.warp.index * 32
    threads = [first + int(lane) for lane in ctx.lanes]
    args: dict[str, int | str] = {"threads": runs_text(threads)}
    if at.origin is not None:
        args["source"] = f"{at.origin.file}:{at.origin.line}"
    ctx.machine.unit(Timeline).note(ctx, at.text, args)
    return DONE


def _facts(machine: MachineLike) -> dict[int, dict[str, int | str]]:
    """Text and lines of every instruction, by the id of its Op."""
    ops = machine.image.ops
    out: dict[int, dict[str, int | str]] = {}
    for op, source in zip(ops, sources(machine.record.program.module, ops), strict=True):
        out[id(op)] = {"instruction": op.text, "line": source.line}
        if source.origin is not None:
            out[id(op)]["source"] = f"{source.origin.file}:{source.origin.line}"
    return out


def warp_track(warp: Warp) -> str:
    """The timeline's row of a warp."""
    return f"cta {warp.cta.index} warp {warp.index}"
