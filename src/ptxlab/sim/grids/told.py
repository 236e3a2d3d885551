"""Accesses of two launches that nothing orders, in words."""

from __future__ import annotations

from typing import Final

from ptxlab.abi.copying import HostCopy
from ptxlab.diag import Access, Diagnostic, Memory, Span
from ptxlab.isa import effects
from ptxlab.isa.action import is_strong
from ptxlab.ptx.grids import LAUNCH_DEPENDENTS, of_grids
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.decoded.sources import sources
from ptxlab.sim.grids.judge import Clash, Side
from ptxlab.sim.grids.judged import Judged
from ptxlab.sim.order.findings.elements import memory_at, named

BEFORE, BESIDE, STREAMS, CHAIN = "PTX9260", "PTX9261", "PTX9262", "PTX9263"
_UNPUBLISHED: Final = (
    "griddepcontrol.launch_dependents publishes nothing: what a grid has stored is there for sure when it is over"
)


def told(clash: Clash, earlier: Judged, later: Judged, *, chain: Judged | None = None) -> Diagnostic:
    """A finding of the later one. chain: the grid that never waits, where the manual does not promise that the two are in order."""
    code = CHAIN if chain is not None else _code(clash, later)
    mine, its = _Party(later, clash.second), _Party(earlier, clash.first)
    memory, where = _bytes(clash.place, later, earlier)
    does = "writes" if clash.second.writes else "reads"
    did = "writes" if clash.first.writes else "reads"
    why = _why(code, chain)
    message = f"{mine.what} {does} {where}, which {its.what} {did}, {why}"
    notes = [f"{party.who}: `{party.text}`" for party in (mine, its) if party.text]
    if code in (BEFORE, BESIDE) and _triggers(earlier):
        notes.append(_UNPUBLISHED)
    accesses = [party.access(word) for party, word in ((mine, does), (its, did))]
    found = Diagnostic(
        code,
        message,
        span=mine.span,
        origin=mine.origin,
        other=its.span,
        other_origin=its.origin,
        notes=notes,
        help=_of_weak_flag(code, mine, its) or _help(code, clash, earlier, later),
        memory=memory,
        accesses=[one for one in accesses if one is not None],
    )
    found.why = why.removeprefix("and ")
    return found


def _code(clash: Clash, later: Judged) -> str:
    if clash.waited is None:
        return STREAMS
    _, thread = later.core.threads.thread(clash.second.agent)
    return BESIDE if clash.waited and thread not in clash.waited else BEFORE


def _why(code: str, chain: Judged | None) -> str:
    if chain is not None:
        return f"and `{_name(chain)}` between the two never waits: by the manual griddepcontrol.wait is for that grid alone"
    return {
        BEFORE: "and no griddepcontrol.wait comes before that",
        BESIDE: "and nothing orders that behind the griddepcontrol.wait of another thread",
        STREAMS: "and no event orders the two",
    }[code]


def _help(code: str, clash: Clash, earlier: Judged, later: Judged) -> str | None:
    if code == BEFORE and not clash.waited:
        return f"execute griddepcontrol.wait in `{_name(later)}` before that, or launch it with programmatic=False"
    if code == BEFORE:
        return (
            "move griddepcontrol.wait before it" if clash.second.writes else "move griddepcontrol.wait before this load"
        )
    if code == STREAMS and earlier.is_far(later) and _has_narrow_flag(earlier, later):
        return (
            "give the flag between the two the scope .sys, in its store, its load and the fences beside them: the scope .gpu does "
            "not reach another device"
        )
    if code == STREAMS and _has_relaxed_flag(earlier, later):
        return (
            "if a flag is to order the two, store it with .release, behind a barrier where other threads' accesses are meant, and "
            "load it with .acquire, or put fences there: a relaxed store tells of what was over when its launch began"
        )
    if code == STREAMS:
        return f"record an event behind {earlier.node.label}, and let the other stream wait for it: {_waiting(later)}"
    return None


def _of_weak_flag(code: str, mine: _Party, its: _Party) -> str | None:
    """What helps where one side stores a flag weakly that the other one asks for."""
    asks, stores = (mine, its) if _is_weak_store(its.op) else (its, mine)
    if code != STREAMS or asks.op is None or not _is_weak_store(stores.op):
        return None
    if not any(is_strong(asks.op.inst.form, asks.op.inst, kind) for kind in ("load", "atomic")):
        return None
    return (
        "if this is a flag, store it with st.release, or with st.relaxed behind the fence: a weak store hands on nothing, whatever "
        "fence comes before it; .sys reaches another device"
    )


def _is_weak_store(op: Op | None) -> bool:
    if op is None or not isinstance(op.inst.form.effect, effects.Access) or op.inst.form.effect.kind != "store":
        return False
    return not is_strong(op.inst.form, op.inst, "store")


def _has_narrow_flag(earlier: Judged, later: Judged) -> bool:
    """Whether either hands on a flag to the other that would do on one device."""
    return any(a.talk is not None and b.talk in a.talk.missed for a, b in ((earlier, later), (later, earlier)))


def _has_relaxed_flag(earlier: Judged, later: Judged) -> bool:
    """Whether either has found a relaxed write of the other one."""
    return any(a.talk is not None and b.talk in a.talk.begun for a, b in ((earlier, later), (later, earlier)))


def _waiting(later: Judged) -> str:
    return f"stream.wait(event) before {later.node.label}"


def _name(judged: Judged) -> str:
    work = judged.node.work
    return "px.copy" if isinstance(work, HostCopy) else work.program.name


def _triggers(judged: Judged) -> bool:
    if isinstance(judged.node.work, HostCopy):
        return False
    return any(of_grids(op) == LAUNCH_DEPENDENTS for op in judged.core.machine.image.ops)


class _Party:
    """One side of a finding.

    Attributes:
        what: who accesses, as the subject of a sentence. who: the thread, in words. text: the instruction.
        span, origin: its place.
    """

    def __init__(self, judged: Judged, side: Side) -> None:
        self._judged, self._side = judged, side
        name, label = _name(judged), judged.node.label
        self.op: Op | None = None
        work = judged.node.work
        if isinstance(work, HostCopy):
            self.what, self.who, self.text = f"{name} ({label})", "", ""
            self.span: Span | None = None
            self.origin: Span | None = work.origin
            return
        self.op = op = judged.core.machine.image.ops[side.kind.site]
        self.what = f"`{op.inst.opcode}` of `{name}` ({label})"
        who = judged.core.findings.who(side.agent)
        self.who = f"{'an operation of ' if side.asynchronous and not who.startswith('an ') else ''}{who} of `{name}`"
        self.text = op.text
        self.span, self.origin = op.span, op.origin or _source(judged, op)

    def access(self, does: str) -> Access | None:
        """It as data; None for the host."""
        if self.op is None:
            return None
        thread, cta = self._judged.core.findings.coordinates(self._side.agent)
        return Access(
            thread, cta, self.text, does, asynchronous=self._side.asynchronous, span=self.span, origin=self.origin
        )


def _source(judged: Judged, op: Op) -> Span | None:
    """The source line behind an instruction, where .loc says so."""
    assert judged.machine is not None
    ops, record = judged.machine.image.ops, judged.machine.record
    return next((s.origin for one, s in zip(ops, sources(record.program.module, ops), strict=True) if one is op), None)


def _bytes(place: int, *judged: Judged) -> tuple[Memory | None, str]:
    """The bytes, as data and in words, as the first of two calls them that is a launch."""
    for one in judged:
        for region in one.core.regions.buffers if one.machine is not None else ():
            if region.base <= place < region.base + region.nbytes:
                offset = place - region.base
                memory = memory_at(one.core.machine, region, offset)
                return memory, named(memory, region.name(offset))
    for one in judged:
        work = one.node.work
        for view, name in (
            ((work.to, "the destination"), (work.source, "the source")) if isinstance(work, HostCopy) else ()
        ):
            begin, end = view.extent
            if begin <= place < end:
                return None, f"byte {place - begin} of {name}"
    return None, f"address {place:#x}"
