"""From a launch that has ended in a hang to its diagnostic with the wait graph: the launch is run again, and listened to."""

from __future__ import annotations

import ctypes
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import CODES, Diagnostic
from ptxlab.sim.diagnose.hangs.before import HANGS, Before
from ptxlab.sim.diagnose.hangs.causes import causes, cycle_words
from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.naming import supplier, threads, who
from ptxlab.sim.diagnose.hangs.waits import Cause, Listener, Members, Supplier, TooLong, Wait, kinds
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.engine.compiled.native import Bytes, address, allocate
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.memory import Memory

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

LEAST_SECONDS, TIMES, MOST_SECONDS = 5.0, 4, 30.0
"""How long the second run may take: so many seconds, or so many times as long as the first one, but not longer than the last."""
MOST_BYTES = 1 << 31
"""Of arrays that are copied for it."""
NOTES = 3
"""Waits of which a report tells who could end them, and barriers of which it tells what has happened."""
MOST_THREADS = 64
"""CTAs of which the threads are listed."""


class _Copies(Memory):
    """The arrays of a launch, as they were before it as far as that is known, in memory of their own."""

    def __init__(self, record: LaunchRecord, before: Before) -> None:
        self._apart: list[tuple[int, int, int]] = []
        self._memory: list[Bytes] = []
        for begin, end in _stretches(record):
            there = allocate(end - begin, 256)
            ctypes.memmove(address(there), begin, end - begin)
            self._apart.append((begin, end, address(there) - begin))
            self._memory.append(there)
        for where, held in before.kept.items():
            ctypes.memmove(where + self.apart(where), held, len(held))

    def apart(self, where: int) -> int:
        return next((far for begin, end, far in self._apart if begin <= where < end), 0)


def _stretches(record: LaunchRecord) -> list[tuple[int, int]]:
    """Memory that the kernel may write, arrays that overlap together."""
    out: list[tuple[int, int, bool]] = []
    for b in sorted((b for b in record.buffers if b.nbytes), key=lambda b: b.address):
        if out and b.address < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], b.end), out[-1][2] or b.writable)
        else:
            out.append((b.address, b.end, b.writable))
    return [(begin, end) for begin, end, writable in out if writable]


def explained(stop: Diagnostic, machine: Machine, before: Before) -> Diagnostic:
    """The same diagnostic with its wait graph: in `wait_graph`, in its notes, and with the likely cause."""
    graph, listened = Graph(machine, None), _run_again(machine, before)
    if listened is not None:
        again, recorder, hang = listened
        second = Graph(again, recorder)
        if not _same(graph, second):  # it hangs in another place, being listened to: tell of that
            hang.also = stop.also
            stop = hang
        graph = second
    found = causes(graph)
    known = _known(stop, graph)
    if known is not None:
        found = [known, *(c for c in found if c.rule != "flag")]
    stop.wait_graph = as_data(graph, found)
    stop.notes = (*stop.notes, *_notes(graph, found))
    if found:
        stop.notes = (*stop.notes, *([f"likely cause: {found[0].words}"] if known is None else []))
        stop.help = found[0].help
    return stop


def _known(stop: Diagnostic, graph: Graph) -> Cause | None:
    """The cause that the diagnostic has found itself: CTAs that do not fit, and polls that never see what others have changed."""
    if not graph.waits or stop.help is None or stop.help == CODES[stop.code].help:
        return None
    rule = "grid-too-large" if "fit" in stop.message else "stale-poll"
    return Cause(rule, stop.message, stop.help, graph.waits[0])


def _run_again(machine: Machine, before: Before) -> tuple[Machine, Listener, Diagnostic] | None:
    """The launch once more, with everything that happens at mbarriers told. None where it does not end in a hang."""
    record, first = machine.record, machine.report.stats.seconds
    if not machine.units or sum(end - begin for begin, end in _stretches(record)) > MOST_BYTES:
        return None
    recorder = kinds().listener(min(max(LEAST_SECONDS, TIMES * first), MOST_SECONDS))
    quiet = replace(machine.options, sanitize=False, stats=False, trace=False, progress=None, workers=None, client=None)
    try:
        again = machine_of(record, quiet, recorder, memory=_Copies(record, before), parts=machine.parts)
    except MemoryError:
        return None
    try:
        again.run()
    except Diagnostic as stop:
        return (again, recorder, stop) if stop.code in HANGS else None
    except (TooLong, MemoryError):
        pass
    return None


def _same(one: Graph, other: Graph) -> bool:
    """Whether two machines hang in the same waits."""
    return _key(one) == _key(other)


def _key(graph: Graph) -> set[tuple[object, ...]]:
    return {(w.kind, w.op.text, w.cta.coordinates, w.phase_number(), *w.state()) for w in graph.waits}


def _notes(graph: Graph, found: list[Cause]) -> list[str]:
    """Who could end the waits, the cycle where no cause tells it or goes deeper, and what has happened at the mbarriers."""
    circle = not found or found[0].rule not in ("cycle", "left-out")
    left_out = [cause.wait for cause in found if cause.rule == "left-out"]  # who leaves a stage out has been there
    out: list[str] = []
    waits = list({(w.op.text, w.kind, *w.state()): w for w in reversed(graph.waits)}.values())
    waits.reverse()
    for wait in [w for w in waits[:NOTES] if w not in left_out]:
        for s in [s for s in wait.suppliers if s.before][:2] or [s for s in wait.suppliers if s.wait is not wait][:1]:
            out.append(f"{_needs(graph, wait)}: {supplier(graph, wait, s)}")
    if circle and len(graph.cycle) > 1:
        out.append(cycle_words(graph))
    hook: dict[Hashable, str] = {}
    for wait in waits:
        happened = wait.happened(graph)
        if happened is not None and len(hook) < NOTES:
            hook.setdefault(*happened)
    out += filter(None, hook.values())
    for wait in left_out[:1]:
        out += wait.around(graph)
    return list(dict.fromkeys(out))


def _needs(graph: Graph, wait: Wait) -> str:
    return f"to {wait.end} {wait.target(graph)}"


# --- the graph for machines: dicts, lists, strings and numbers, as JSON has them ---------------------------------------------
def as_data(graph: Graph, found: Sequence[Cause]) -> dict[str, Any]:
    """The graph: `waits`, `cycle` (numbers of waits), `causes` (the likeliest first), `recorded` (whether pasts are known)."""
    number = {id(w): i for i, w in enumerate(graph.waits)}
    return {
        "waits": [_wait(graph, w, number) for w in graph.waits],
        "cycle": [number[id(w)] for w in graph.cycle],
        "causes": [{"rule": c.rule, "words": c.words, "help": c.help, "wait": number[id(c.wait)]} for c in found],
        "recorded": graph.recorder is not None,
    }


def _wait(graph: Graph, wait: Wait, number: dict[int, int]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "kind": wait.kind,
        "who": who(wait.members),
        "threads": _threads(wait.members),
        "for": wait.target(graph),
        "lacks": wait.lacks(),
        **_where(wait.op),
        "suppliers": [_supplier(s, number) for s in wait.suppliers],
    }
    barrier = wait.data(graph)
    if barrier is not None:
        out["barrier"] = barrier
    return out


def _supplier(s: Supplier, number: dict[int, int]) -> dict[str, Any]:
    return {
        "who": who(s.members),
        "threads": _threads(s.members),
        "state": s.state,
        "waits": number.get(id(s.wait)) if s.wait is not None else None,
        "before": s.before,
        **_where(s.op),
    }


def _threads(members: Members) -> list[dict[str, Any]]:
    found = list(threads(members).items())[:MOST_THREADS]
    return [{"cta": list(cta.coordinates), "threads": [list(r) for r in ranges]} for cta, ranges in found]


def _where(op: Op) -> dict[str, Any]:
    return {
        "instruction": op.text,
        "line": op.span.line if op.span is not None else None,
        "source": op.origin.shown if op.origin is not None else None,
    }
