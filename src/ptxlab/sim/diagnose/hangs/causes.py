"""The likely causes of a hang, the likeliest first: rules over each wait and what could end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ptxlab.isa.operands import Imm
from ptxlab.sim.diagnose.hangs.cause import Cause, wrong_bytes, wrong_count
from ptxlab.sim.diagnose.hangs.graph import Graph, Supplier, Wait, barrier_number
from ptxlab.sim.diagnose.hangs.words import counted, is_one, missing, name, place_of, target, verb, waiting, who
from ptxlab.sim.families.mbarrier.hang import LANES, PHASES, phase_of

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op


def causes(graph: Graph) -> list[Cause]:
    """What explains the waits, the likeliest first: one cause for each wait that a rule fits."""
    ranked: list[tuple[int, Cause]] = []
    for wait in graph.waits:
        found = next(((rank, cause) for rank, cause in _tried(graph, wait) if cause is not None), None)
        if found is not None:
            ranked.append(found)
    ranked.sort(key=lambda r: r[0])
    out: dict[tuple[str, str], Cause] = {}
    for _, cause in ranked:
        out.setdefault((cause.rule, cause.words), cause)
    return list(out.values())


def _tried(graph: Graph, wait: Wait) -> Iterator[tuple[int, Cause | None]]:
    """What each rule says of a wait, with its rank."""
    if wait.kind == "mbarrier":
        phase = phase_of(graph, wait)
        if phase is not None:
            for rank, rule in enumerate(PHASES):
                yield rank, rule(phase)
    for rank, rule in enumerate(WAITS):
        yield len(PHASES) + rank, rule(graph, wait)


def _exited(graph: Graph, wait: Wait) -> Cause | None:
    gone = [s for s in wait.suppliers if s.state == "exited"]
    if not gone or any(_waits(s, wait) for s in wait.suppliers):
        return None
    s = gone[0]
    have = verb(s.members, "has", "have")
    words = (
        f"{who(s.members)} ended earlier phases of {_what(graph, wait)}{place_of(s.op)}, and {have} exited; "
        f"{waiting(wait)} once more"
    )
    return Cause("exited", words, "let both sides go round equally often, or let the last wait be left out", wait)


def _self(graph: Graph, wait: Wait) -> Cause | None:
    if wait.kind != "mbarrier" or not wait.suppliers or any(s.wait is not wait for s in wait.suppliers):
        return None
    s = wait.suppliers[0]
    one = is_one(wait.members)
    words = (
        f"{who(wait.members)} {'waits' if one else 'wait'} for {target(graph, wait)}, and only {'it' if one else 'they'} could "
        f"end it, by `{s.op.inst.opcode}`{place_of(s.op)} behind the wait"
    )
    return Cause("waits-first", words, "let it happen before the wait, or in other threads", wait)


def _ids(graph: Graph, wait: Wait) -> Cause | None:
    if wait.kind != "barrier" or wait.suppliers:
        return None
    numbers = [(op, barrier_number(op)) for op in graph.machine.image.ops]
    others = [op for op, number in numbers if number is not None and number not in (wait.number, -1, 0)]
    if not others or any(op is not wait.op for op in graph.of_barrier(wait.number)):
        return None
    words = (
        f"{waiting(wait)} at barrier {wait.number}{place_of(wait.op)}, which no other "
        f"instruction names; `{others[0].text}`{place_of(others[0])} names another one"
    )
    return Cause("barrier-ids", words, "give the same number to all that are to meet", wait)


def _barrier_count(graph: Graph, wait: Wait) -> Cause | None:
    if wait.kind != "barrier" or not wait.wanted:
        return None
    help_ = "give the number of threads that meet there, those of bar.arrive included, in each of the instructions"
    numbers = {barrier_number(op) for op in graph.machine.image.ops} - {None, -1, wait.number}
    for number in [wait.number, *sorted(n for n in numbers if n is not None)]:
        counts = _counts(graph, number)
        if len(counts) > 1:
            listed = " and ".join(f"{count} threads{place_of(op)}" for count, op in list(counts.items())[:3])
            return Cause("barrier-count", f"barrier {number} is given {listed}", help_, wait)
    if wait.wanted <= graph.machine.record.threads:
        return None
    words = f"barrier {wait.number}{place_of(wait.op)} wants {wait.wanted} threads, and the CTA has {graph.machine.record.threads}"
    return Cause("barrier-count", words, help_, wait)


def _counts(graph: Graph, number: int) -> dict[int, Op]:
    """The counts that instructions give for a barrier of the CTA, where they are immediates."""
    out: dict[int, Op] = {}
    for op in graph.of_barrier(number):
        given = op.inst.operands.get("threads")
        if isinstance(given, Imm):
            out.setdefault(int(given.value), op)
    return out


def _too_few(graph: Graph, wait: Wait) -> Cause | None:
    """Those that a barrier of the CTA still wants cannot come any more."""
    if wait.kind != "barrier" or not wait.wanted:
        return None
    may = wait.come + sum(LANES for s in wait.suppliers for _ in s.members)
    if may >= wait.wanted:
        return None
    others = [w for w in graph.waits if w.cta is wait.cta and w is not wait]
    words = f"barrier {wait.number}{place_of(wait.op)} wants {wait.wanted} threads, and {wait.come} have come"
    if not others:
        return Cause(
            "exited",
            f"{words}; all others have exited",
            "let those that exit arrive before, or do not count them",
            wait,
        )
    other = others[0]
    words += (
        f"; {who(other.members)} {verb(other.members, 'waits', 'wait')} for {target(graph, other)}{place_of(other.op)}, "
        "and no way leads from there to an instruction that names this barrier"
    )
    return _not_all(words, wait)


def _resources(graph: Graph, wait: Wait) -> Cause | None:
    if wait.kind != "other":
        return None
    if wait.op.inst.opcode.startswith("setmaxnreg"):
        help_ = "let the other warpgroups give as many registers by setmaxnreg.dec, all four warps of each, before"
        return Cause("registers", wait.words, help_, wait)
    if wait.op.inst.opcode.startswith("wgmma"):
        return Cause("warpgroup", wait.words, "let all four warps of the warpgroup execute it", wait)
    return None


def _cycle(graph: Graph, wait: Wait) -> Cause | None:
    if wait not in graph.cycle:
        return None
    return Cause(
        "cycle",
        cycle_words(graph),
        "let one of them go on: look which wait comes too early, or for a phase too many",
        wait,
    )


def cycle_words(graph: Graph) -> str:
    """The cycle of waits as a sentence."""
    waits = graph.cycle
    steps: list[str] = []
    for i, w in enumerate(waits):
        whom = who(waits[(i + 1) % len(waits)].members)
        begin = who(w.members) if i == 0 else verb(w.members, "that one", "these")
        steps.append(
            f"{begin} {verb(w.members, 'waits', 'wait')} for {target(graph, w)}{place_of(w.op)}, which needs {whom}"
        )
    return f"each waits for the next in a circle: {'; '.join(steps)}"


def _unrecorded(graph: Graph, wait: Wait) -> Cause | None:
    """What an mbarrier lacks says by itself, where its past is not known."""
    b = wait.barrier
    if b is None or wait.past is not None or wait.place is None:
        return None
    there, come = name(graph, wait.place, of=wait.cta), b.count - b.pending
    if not b.pending and b.tx > 0:
        words = f"all have arrived at {there}, and {b.tx} bytes that phase {wait.phase} expects never come"
        return wrong_bytes(words, wait)
    if b.tx < 0:
        words = f"{-b.tx} bytes came to {there} that phase {wait.phase} does not expect"
        return wrong_bytes(words, wait)
    if come:
        return wrong_count(graph, wait, f"{there} counts {b.count} arrivals a phase{counted(graph, wait)}", come, "")
    return None


def _blocked(graph: Graph, wait: Wait) -> Cause | None:
    s = next((s for s in wait.suppliers if s.wait is not None and s.wait is not wait), None)
    if s is None or s.wait is None:
        return None
    words = (
        f"{waiting(wait)} for {target(graph, wait)}, which needs {who(s.members)}; "
        f"{verb(s.members, 'that one waits', 'these wait')} for {target(graph, s.wait)}{place_of(s.wait.op)}"
    )
    return Cause("blocked", words, "look at the last wait first: the others follow from it", wait)


def _flag(graph: Graph, wait: Wait) -> Cause | None:
    if wait.kind != "memory" or not wait.words:
        return None
    others = [w for w in graph.waits if w is not wait]
    words = f"{who(wait.members)} {verb(wait.members, 'polls', 'poll')} {wait.words},{place_of(wait.op)}; "
    words += "all others wait as well" if others else "no other thread is left that could change it"
    return Cause("flag", words, "look who is to write there, and whether it writes that word and that value", wait)


def _lacking(graph: Graph, wait: Wait) -> Cause | None:
    lacks = missing(graph, wait)
    if wait.kind not in ("barrier", "cluster") or not lacks:
        return None
    waits = f"{waiting(wait)} at {target(graph, wait)}{place_of(wait.op)}"
    words = f"{waits}, and {lacks} never come"
    return _not_all(words, wait)


def _not_all(words: str, wait: Wait) -> Cause:
    help_ = "let every thread that is counted come there: no branch around it, no early exit"
    return Cause("not-all-come", words, help_, wait)


def _waits(s: Supplier, wait: Wait) -> bool:
    return s.wait is not None and s.wait is not wait


def _what(graph: Graph, wait: Wait) -> str:
    return name(graph, wait.place, of=wait.cta) if wait.place is not None else target(graph, wait)


WAITS: tuple[Callable[[Graph, Wait], Cause | None], ...] = (
    _unrecorded,
    _resources,
    _ids,
    _barrier_count,
    _too_few,
    _exited,
    _self,
    _flag,
    _cycle,
    _blocked,
    _lacking,
)
"""Rules for any wait."""

__all__ = ["causes", "cycle_words"]
