"""Why the phase of an mbarrier does not end: rules about what has arrived there and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxlab.isa.effects import AsyncCopy, Mbarrier
from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.naming import is_one, name, place_of, verb, waiting, who
from ptxlab.sim.diagnose.hangs.waits import Cause, Members, Rule, Supplier, Wait
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.families.mbarrier.hang_history import History, Recorder, Row
from ptxlab.sim.families.mbarrier.hang_rings import leaves_out, left_out, stages
from ptxlab.sim.families.mbarrier.hang_wait import (
    DOES,
    MbarrierWait,
    counted,
    counting,
    declared,
    may_take_part,
    recorder_of,
    wrong_bytes,
    wrong_count,
)
from ptxlab.sim.families.mbarrier.unit import Mbarriers

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.families.mbarrier.unit import Barrier

LANES = 32


@dataclass(frozen=True, slots=True)
class Phase:
    """A wait at an mbarrier with a known past: what the phase under way has got.

    Attributes:
        arrivals, expects, brings: who has arrived, expected and brought bytes, by which instruction.
        arrived, expected, brought: how many arrivals and bytes that is.
    """

    graph: Graph
    wait: MbarrierWait
    b: Barrier
    past: History
    recorder: Recorder
    arrivals: list[Row]
    expects: list[Row]
    brings: list[Row]

    @property
    def arrived(self) -> int:
        return self.b.count - self.b.pending

    @property
    def expected(self) -> int:
        return sum(r.amount for r in self.expects)

    @property
    def brought(self) -> int:
        return sum(r.amount for r in self.brings)

    @property
    def name(self) -> str:
        """The mbarrier in words."""
        return name(self.graph, self.b.place, of=self.wait.cta)

    @property
    def counts(self) -> str:
        """How many arrivals it counts, and where that stands: "full counts 2 arrivals a phase (pipe.py:16)"."""
        return f"{self.name} counts {self.b.count} arrival{_s(self.b.count)} a phase{counted(self.graph, self.wait)}"

    def cause(self, rule: str, words: str, help_: str) -> Cause:
        """A cause of this wait."""
        return Cause(rule, words, help_, self.wait)


def phase_of(graph: Graph, wait: Wait) -> Phase | None:
    """What the phase that is waited for has got; None where nobody knows."""
    recorder = recorder_of(graph)
    if not isinstance(wait, MbarrierWait) or wait.past is None or recorder is None:
        return None
    b, past = wait.barrier, wait.past
    return Phase(graph, wait, b, past, recorder, *(past.of(kind, b.phase) for kind in ("arrive", "expect", "bring")))


def _s(number: int) -> str:
    """The ending of a plural."""
    return "s" if number > 1 else ""


# -- bytes ----------------------------------------------------------------------------------------------------
def _no_expect(p: Phase) -> Cause | None:
    if p.b.tx >= 0 or any(r.kind == "expect" for r in p.past.rows.values()):
        return None
    words = f"{-p.b.tx} bytes came to {p.name}{_by(p.brings)}, and nobody has told it to expect them"
    arriving = next((r for r in p.past.of("arrive")), None)
    if arriving is not None:
        words += f": `{arriving.op.inst.opcode}`{place_of(arriving.op)} arrives without expect_tx"
    help_ = f"arrive with mbarrier.arrive.expect_tx and {-p.b.tx} bytes before the copy starts"
    return p.cause("no-expect", words, help_)


def _expected_by_many(p: Phase) -> Cause | None:
    for row in p.expects:
        times = row.times
        if p.b.tx > 0 and times > 1 and p.brought * times == p.expected:
            each = row.amount // times
            words = (
                f"{times} threads{place_of(row.op)} each tell {p.name} to expect {each} bytes, {row.amount} in all; "
                f"{p.brought} come"
            )
            return p.cause("expect-by-many", words, "let one thread expect the bytes: elect.sync, or a predicate")
    return None


def _other_bytes(p: Phase) -> Cause | None:
    """Bytes that this phase lacks have arrived at another mbarrier."""
    if p.b.tx <= 0 or p.brought:
        return None
    for place, past in p.recorder.of.items():
        barrier = _live(p.graph, place)
        if barrier is None or place == p.b.place or place.cta.cluster is not p.b.place.cta.cluster or barrier.tx >= 0:
            continue
        row = next(iter(past.of("bring")), None)
        if row is not None and not (_multicast(row) and place.offset == p.b.place.offset):
            there = name(p.graph, place, of=p.wait.cta)
            words = f"{p.name} lacks {p.b.tx} bytes, and {-barrier.tx} came to {there}{_by([row])}, which expects none"
            return p.cause("other-barrier", words, "name the same mbarrier in expect_tx, in the copy and in the wait")
    return None


def _multicast_mask(p: Phase) -> Cause | None:
    if p.b.tx <= 0 or p.brought:
        return None
    here = p.b.place
    for cta in here.cta.cluster.ctas:
        past = p.recorder.of.get(here.at(cta))
        for row in past.of("bring") if past is not None and cta is not here.cta else ():
            if _multicast(row):
                words = (
                    f"{p.name} of {cta_name(here.cta)} expects {p.expected} bytes, and the multicast{place_of(row.op)} brings "
                    f"none there: its mask has {cta_name(cta)}, and lacks rank {here.cta.rank}"
                )
                help_ = f"set bit {here.cta.rank} of the mask, or let that CTA expect nothing"
                return p.cause("multicast-mask", words, help_)
    return None


def _excess(p: Phase) -> Cause | None:
    """Each iteration copies more than a phase expects: the surplus counts in later phases, until no phase adds up."""
    if p.b.tx >= 0 and not p.past.excess:
        return None
    expects, brings = p.past.of("expect"), p.past.of("bring")
    phases = {r.phase for r in expects}
    expected = max((sum(r.amount for r in expects if r.phase == phase) for phase in phases), default=0)
    of: dict[object, int] = {}  # what one execution brings, by place: a loop that is unrolled has one for all its turns
    for r in brings:
        place = place_of(r.op) or id(r.op)
        of[place] = max(of.get(place, 0), *r.each, 0)
    turn = sum(of.values())
    if not expected or turn <= expected:
        return None
    many = len(of) > 1
    words = (
        f"{f'{len(of)} copies' if many else 'each copy'}{_in(brings)} {'bring' if many else 'brings'} {turn} bytes"
        f"{' a phase' if many else ''} to {p.name}, and {expected} are expected{_in(expects)}: "
        "the phase may end before all data is there, and the rest counts in the next one"
    )
    return wrong_bytes(words, p.wait)


def _early_copy(p: Phase) -> Cause | None:
    times = sum(r.times for r in p.brings)
    if p.b.tx >= 0 or times < 2 or p.brought != times * p.expected:
        return None
    words = (
        f"{times} copies of {p.expected} bytes came in phase {p.b.phase} of {p.name}{_in(p.brings)}, which expects one: "
        "a copy for a later phase was started before this one had ended"
    )
    help_ = "let the one who copies wait until all have passed the phase before: count all of them where they give the buffer back"
    return p.cause("copy-too-early", words, help_)


def _bytes(p: Phase) -> Cause | None:
    if not p.b.tx or (p.b.tx > 0 and not p.brought) or (p.b.tx < 0 and not p.past.of("expect")):
        return None
    expects, brings = p.expects or p.past.of("expect"), p.brings or p.past.of("bring")
    if p.b.pending and p.b.tx < 0 and not p.brought and not p.past.of("bring"):
        return None
    if p.brought and p.expected:
        ratio = p.expected / p.brought
        whole = ratio > 1 and ratio == int(ratio)
        times = sum(r.times for r in p.brings)
        come = f"and {times} copies bring {p.brought}" if times > 1 else f"and {p.brought} come"
        come = f"{int(ratio)} times the {p.brought} that come" if whole else come
        words = f"phase {p.b.phase} of {p.name} expects {p.expected} bytes{_in(expects)}, {come}{_in(brings)}"
    elif p.b.tx < 0:
        words = (
            f"{p.name} has got {-p.b.tx} bytes more than it expects{_in(brings)}: "
            f"{_each(expects)} expected by each instruction{_in(expects)}"
        )
    else:
        return None
    return wrong_bytes(words, p.wait)


def _no_copy(p: Phase) -> Cause | None:
    if p.b.pending or p.b.tx <= 0 or p.brought:
        return None
    if any(s.wait is not None for s in p.wait.suppliers):
        return None
    words = f"phase {p.b.phase} of {p.name} expects {p.expected} bytes{_in(p.expects)}, and no copy brings any"
    if not any(DOES["bring"](op) for op in p.graph.machine.image.ops):
        return p.cause("no-copy", f"{words}: the kernel has none", "start the copy, or expect no bytes")
    help_ = "start the copy that the bytes are expected of, with this mbarrier, before the wait"
    return p.cause("no-copy", words, help_)


# -- arrivals -----------------------------------------------------------------------------------------------
def _many_phases(p: Phase) -> Cause | None:
    row = p.past.split
    if row is None:
        return None
    words = (
        f"{p.counts}, and each execution of "
        f"`{row.op.inst.opcode}`{place_of(row.op)} arrives more often: it ends several phases at once"
    )
    found = declared(p.graph, p.wait)
    there = "mbarrier.init" if found is None else f"`{found.call.partition('(')[0]}` ({found.place.shown})"
    help_ = f"count every thread that arrives in {there}, or let one thread arrive"
    return p.cause("count-too-small", words, help_)


def _more_arrive(p: Phase) -> Cause | None:
    """More threads arrive than are counted: phases end before all have arrived, and get ahead of those who wait."""
    lanes: Members = {}
    for row in p.past.of("arrive"):
        lanes[row.warp] = lanes.get(row.warp, 0) | row.lanes
    threads = sum(mask.bit_count() for mask in lanes.values())
    if threads <= p.b.count or not p.b.pending or _behind(p)[1] < 2:
        return None
    words = (
        f"{p.counts}, and {threads} threads arrive there{_in(p.past.of('arrive'))}: its phases end before all have arrived, "
        f"and {who(p.wait.members)} {verb(p.wait.members, 'waits', 'wait')} for phase {p.b.phase}"
    )
    return p.cause("count-too-small", words, f"{counting(p.graph, p.wait, threads)}, or let fewer threads arrive")


def _one_lane(p: Phase) -> Cause | None:
    if not p.arrived or not p.b.pending or p.b.count % LANES:
        return None
    lanes = [r.lanes.bit_count() for r in p.arrivals]
    if not lanes or max(lanes) > 1 or p.arrived * LANES > p.b.count:
        return None
    op = p.arrivals[0].op
    words = f"{p.counts}, and one lane of each warp arrives{place_of(op)}: {p.arrived} arrival{_s(p.arrived)}"
    return p.cause("one-lane", words, f"let all lanes arrive, or {counting(p.graph, p.wait, p.arrived)}")


def _left_out(p: Phase) -> Cause | None:
    """Threads arrive at other stages of the ring and not at this one; or at this one instead of others."""
    found = stages(p.graph, p.wait.place, p.wait.op)
    left = left_out(found)
    if not left or not p.b.pending or p.arrived:
        return None
    own = next((s for s in left if s.place == p.b.place), None)
    if own is None and _behind(p)[1] < 2:
        return None
    one = own or left[0]
    if not any(s.begun > one.begun and s.arrivals for s in found):
        return None
    help_ = (
        "arrive at the mbarrier of every stage, each in its turn: look at the index of the arrival, at its predicate, and at "
        "branches around it"
    )
    return p.cause("left-out", leaves_out(p.graph, p.wait.cta, one, found), help_)


def _own_cta(p: Phase) -> Cause | None:
    """Arrivals of all CTAs of the cluster are counted, and each CTA arrives only at its own mbarrier."""
    place, ctas = p.b.place, p.b.place.cta.cluster.ctas
    if len(ctas) < 2 or not p.arrived or not p.b.pending or p.arrived * len(ctas) != p.b.count:
        return None
    rows = {cta: past.of("arrive") for cta in ctas if (past := p.recorder.of.get(place.at(cta))) is not None}
    if len(rows) < len(ctas) or any(r.warp.cta is not cta for cta, found in rows.items() for r in found):
        return None
    words = (
        f"{p.counts}, and {p.arrived} come{'s' if p.arrived == 1 else ''}{_in(p.arrivals)}: those of its own CTA; "
        f"the other CTAs of the cluster arrive at their own alone"
    )
    help_ = "`bar.remote(rank).arrive(…)`, or mapa and mbarrier.arrive.shared::cluster"
    return p.cause("own-cta", words, f"arrive at the mbarrier of every CTA: {help_}")


def _no_increment(p: Phase) -> Cause | None:
    row = next((r for r in p.arrivals if r.op.inst.form.key == "cp.async.mbarrier.arrive"), None)
    if row is None or not p.b.pending or row.op.inst.mod("noinc") is not None:
        return None
    words = (
        f"`{row.op.inst.opcode}`{place_of(row.op)} adds an arrival to those that the phase awaits before it makes one: "
        f"{p.name} lacks as many as before, {p.b.pending} of {p.b.count}"
    )
    return p.cause("noinc", words, "write .noinc where the count of the mbarrier includes these arrivals")


def _without_arrival(p: Phase) -> Cause | None:
    if p.arrived or not p.expected or not p.b.pending:
        return None
    if any(s.wait is not None and s.wait is not p.wait for s in p.wait.suppliers):
        return None
    row = p.expects[0]
    if "arrive" in row.op.inst.opcode:
        return None
    op = row.op
    words = f"phase {p.b.phase} of {p.name} got an expect_tx{place_of(op)} and no arrival: `{op.inst.opcode}` does not arrive"
    return p.cause("no-arrival", words, "use mbarrier.arrive.expect_tx, or arrive as well")


def _behind(p: Phase) -> tuple[int, int]:
    """The first phase that those who wait have not seen the end of, and how many phases ago that was."""
    next_ = 1 + max((p.past.seen(warp, lanes) for warp, lanes in p.wait.members.items()), default=-1)
    return next_, p.b.phase - next_


def _parity(p: Phase) -> Cause | None:
    """The waiting threads have missed phases that are over."""
    if not p.b.phase:
        return None
    next_, behind = _behind(p)
    if behind <= 0 or not p.b.pending or (p.arrived and behind == 1):
        return None
    one = is_one(p.wait.members)
    waits = f"{who(p.wait.members)} {'has' if one else 'have'} not seen the end of phase {next_} of {p.name}"
    if behind == 1:
        words = f"{waits}, which is over: {'it waits' if one else 'they wait'} with parity {p.b.phase & 1} for phase {p.b.phase}"
        return p.cause("parity", words, f"wait with parity {next_ & 1} for phase {next_}: the phase's number modulo 2")
    words = f"{waits}: it is over, and so are those up to phase {p.b.phase - 1}"
    help_ = "let nobody arrive for a phase before all have waited for the one before it: count them, or wait on a second mbarrier"
    return p.cause("overrun", f"{words}: the mbarrier has overtaken those who wait", help_)


def _twice(p: Phase) -> Cause | None:
    found = [twice[1] for w, lanes in p.wait.members.items() if (twice := p.past.twice.get(w)) and twice[0] & lanes]
    if not found:
        return None
    words = f"{who(p.wait.members)} waited for phase {found[0]} of {p.name} twice: the parity did not change between the waits"
    return p.cause("parity-twice", words, "turn the parity by one each time that the mbarrier has been waited for")


def _first_parity(p: Phase) -> Cause | None:
    """A producer waits for a buffer that nobody has used yet."""
    if p.b.phase or p.arrived or not p.b.pending or p.brought or p.expected or p.past.of("arrive") or p.past.passed:
        return None
    graph, wait = p.graph, p.wait
    blocked = [s.wait for s in wait.suppliers if s.wait is not None and s.wait is not wait]
    if not any(any(s.wait is wait for s in other.suppliers) for other in blocked):
        return None
    if not any(_fills(graph, wait, other) for other in blocked) or any(_fills(graph, o, wait) for o in blocked):
        return None
    words = (
        f"{waiting(wait)} with parity 0 for the end of the first phase of {p.name}, "
        f"before anything has been filled that could be given back"
    )
    return p.cause("first-parity", words, "begin with parity 1 here: the phase before the first counts as over")


def _fills(graph: Graph, wait: Wait, other: Wait) -> bool:
    """Whether who waits would next fill what others wait for: by copies that complete on their mbarrier, or bytes expected there.

    Copies out of shared memory complete in groups: they fill nothing.
    """
    here = next((at for _, _, w, at in graph.standing if w is wait), None)
    if here is None or not isinstance(other, MbarrierWait):
        return False
    ops = enumerate(graph.machine.image.ops)
    return any(_is_filling(op) and may_take_part(graph, op, other) and graph.reaches(here, i) for i, op in ops)


def _is_filling(op: Op) -> bool:
    effect = op.inst.form.effect
    follows_copies = isinstance(effect, Mbarrier) and effect.after is not None
    return follows_copies or DOES["bring"](op) or DOES["expect"](op)


def _other_arrivals(p: Phase) -> Cause | None:
    """Nobody arrives here, and threads arrive at another mbarrier that nobody waits for."""
    if p.arrived or not p.b.pending or p.past.of("arrive") or p.wait.suppliers:
        return None
    awaited = {w.place for w in p.graph.waits if isinstance(w, MbarrierWait)}
    for place, past in p.recorder.of.items():
        rows = past.of("arrive")
        if rows and place not in awaited and not past.passed and place.cta.cluster is p.b.place.cta.cluster:
            op, there = rows[0].op, name(p.graph, place)
            if place.cta is not p.b.place.cta:
                there = f"{name(p.graph, place, of=place.cta)} of {cta_name(place.cta)}"
            words = (
                f"nobody arrives at {name(p.graph, p.b.place)}; `{op.inst.opcode}`{place_of(op)} arrives at {there}, "
                "and nobody has waited there"
            )
            return p.cause("other-barrier", words, "name the same mbarrier where threads arrive and where they wait")
    return None


def _nobody_arrives(p: Phase) -> Cause | None:
    if p.arrived or not p.b.pending or p.past.of("arrive") or p.wait.suppliers:
        return None
    if p.brought and not p.expected:
        words = f"{p.brought} bytes came to {p.name}{_by(p.brings)}, and nobody arrives there to expect them"
        return p.cause("no-expect", words, "let a thread of that CTA execute mbarrier.arrive.expect_tx for what comes")
    words = f"nobody has ever arrived at {p.name}, which counts {p.b.count} arrival{_s(p.b.count)}{counted(p.graph, p.wait)}"
    return p.cause("nobody-arrives", words, "let those arrive there that are done with what it protects")


def _missed(p: Phase) -> Cause | None:
    """Threads that have arrived for earlier phases wait for this one without having arrived for it."""
    if not p.arrived or not p.b.pending:
        return None
    s = next((s for s in p.wait.suppliers if s.before and s.wait is p.wait), None)
    if s is None:
        return None
    words = (
        f"{who(s.members)} arrived for earlier phases of {p.name}{place_of(s.op)}, and "
        f"{verb(s.members, 'waits', 'wait')} for phase {p.b.phase} without having arrived for it"
    )
    return p.cause("missed-arrival", words, "let every thread that is counted arrive in each turn before it waits")


def _count(p: Phase) -> Cause | None:
    arrived = {r.warp: r.lanes for r in p.arrivals}
    others = [s for s in p.wait.suppliers if not _have_come(s, arrived)]
    hindered = any(s.before or (s.wait is not None and s.wait is not p.wait) for s in others)
    if not p.arrived or not p.b.pending or hindered:
        return None
    by = f": {who(arrived)} {verb(arrived, 'arrives', 'arrive')}" if arrived else ""
    return wrong_count(p.graph, p.wait, p.counts, p.arrived, f"{_in(p.arrivals)}{by}")


def _have_come(supplier: Supplier, arrived: Members) -> bool:
    """Whether each of their warps has arrived in this phase by other lanes, which have gone on with them: they were not to."""
    if supplier.before or supplier.wait is None:
        return False
    waiting = supplier.wait.members
    return all(
        arrived.get(w, 0) & waiting.get(w, 0) and not arrived.get(w, 0) & lanes for w, lanes in supplier.members.items()
    )


def _by(rows: Iterable[Row]) -> str:
    row = next(iter(rows), None)
    return f" by `{row.op.inst.opcode}`{place_of(row.op)}" if row is not None else ""


def _in(rows: Iterable[Row]) -> str:
    places = list(dict.fromkeys(place_of(r.op).removeprefix(" in ") for r in rows if place_of(r.op)))
    return f" ({', '.join(places[:3])})" if places else ""


def _each(rows: Iterable[Row]) -> str:
    amounts = list(dict.fromkeys(r.amount // max(1, r.times) for r in rows))
    return " or ".join(map(str, amounts[:3]))


def _multicast(row: Row) -> bool:
    effect = row.op.inst.form.effect
    return isinstance(effect, AsyncCopy) and effect.multicast is not None and effect.multicast in row.op.inst.operands


def _live(graph: Graph, place: Place) -> Barrier | None:
    return graph.machine.unit(Mbarriers).live.get(place.cta, {}).get(place.offset)


def _of_phase(rule: Callable[[Phase], Cause | None]) -> Rule:
    """A rule about phases as one about waits."""

    def tried(graph: Graph, wait: Wait) -> Cause | None:
        phase = phase_of(graph, wait)
        return rule(phase) if phase is not None else None

    return tried


_BYTES = (_no_expect, _expected_by_many, _multicast_mask, _other_bytes, _excess, _early_copy, _bytes, _no_copy)
_ARRIVALS = (_left_out, _own_cta, _one_lane, _first_parity, _more_arrive, _parity, _missed, _count)
_NOBODY = (_other_arrivals, _nobody_arrives)
_RULES = (_many_phases, _twice, _no_increment, *_BYTES, _without_arrival, *_ARRIVALS, *_NOBODY)
PHASES: tuple[Rule, ...] = tuple(map(_of_phase, _RULES))
"""Rules for an mbarrier whose past is known, the most telling first."""
