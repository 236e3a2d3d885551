"""Decides a litmus test: all of its outcomes, the answer to its question, data races, and whether it can hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from math import prod
from typing import Final, Protocol

from ptxlab.diag import Diagnostic
from ptxlab.memory_model import brute, search
from ptxlab.memory_model.candidates import Candidate, Candidates, sources
from ptxlab.memory_model.condition import Name
from ptxlab.memory_model.events import INIT, Execution, Graph, Meetings
from ptxlab.memory_model.hang import hangs
from ptxlab.memory_model.meetings import meetings
from ptxlab.memory_model.model import AXIOMS, Violation, unsynchronized
from ptxlab.memory_model.program import MbarrierStep, Pointer, Program, Transfer, Value
from ptxlab.memory_model.race import Racing, races_of
from ptxlab.memory_model.relation import Relation
from ptxlab.memory_model.search import Budget, Ends, Found, Over, assigned
from ptxlab.memory_model.symmetry import Swap, swaps
from ptxlab.memory_model.trace import Trace
from ptxlab.memory_model.traces import traces
from ptxlab.memory_model.verdict import Outcome, Verdict

MOST_CHOICES: Final[dict[str, int]] = {"fast": 3_000_000, "brute": 300_000_000}
"""How much is tried before a test is refused: some seconds for the fast decider."""
MOST_EXPLAINED: Final = 400
"""Candidates that are looked at to say why none is allowed."""
MOST_ASSIGNED: Final = 2_000
"""Choices of what its reads read from that are looked at for one of them."""
MOST_PINNED: Final = 2_000
"""Ways of all reads up to which candidates are made with every value, whether it has a reason or not."""


class Decider(Protocol):
    """Finds the allowed executions of a candidate."""

    def __call__(
        self,
        candidate: Candidate,
        met: Meetings,
        observed: Sequence[str],
        budget: Budget,
        over: Over | None = None,
        same: Sequence[Swap] = (),
    ) -> Iterator[Found]: ...


DECIDERS: Final[Mapping[str, Decider]] = {"fast": search.allowed, "brute": brute.allowed}


def decide(
    program: Program, *, decider: str = "fast", race: bool = True, all_races: bool = False, hang: bool = True
) -> Verdict:
    r"""What the model says of a program.

    Args:
        decider: "fast", or "brute" for the one that tries everything.
        race: look for data races. all_races: look for all of them, outcome by outcome, and not for the first one alone.
        hang: look for executions that do not end.

    Raises: Diagnostic PTX0602 for what the model does not follow, PTX0603 for a test that is too large.

    Example:
        from ptxlab import memory_model

        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        verdict = memory_model.decide(memory_model.parse(text), decider="brute")
        print(verdict.holds)  # True
    """
    _check_mbarriers(program)
    verdict = Verdict(program, _names(program))
    ways = traces(program, hanging=hang, pinned=decider == "brute")
    ended = [[t for t in w if t.end == "done"] for w in ways]
    candidates = Candidates(program, ended)
    budget = Budget(MOST_CHOICES[decider], _size(program, ended))
    tried = partial(DECIDERS[decider], budget=budget)
    outcomes = _every_outcome if all_races else partial(_outcomes, race=race)
    for candidate in candidates:
        budget.spend(candidate.graph.size)
        outcomes(verdict, candidate, tried)
    cut: dict[tuple[str, int], int] = {}
    for thread, way in zip(program.threads, ways, strict=True):
        for trace in (t for t in way if t.end == "cut"):
            key = thread.name, trace.loop
            cut[key] = max(cut.get(key, 0), trace.turned)
    verdict.cut = bool(cut)
    verdict.bounds = tuple(
        f"{name}: a loop that writes was turned at most {cut[name, at]} times" for name, at in sorted(cut)
    )
    if hang:
        verdict.hang, unknown = hangs(program, ways, budget)
        if unknown:
            verdict.bounds += (unknown,)
        waiting = [[t for t in w if t.end in ("done", "waits")] for w in ways]
        if any(t.end == "waits" for w in waiting for t in w):
            for candidate in Candidates(program, waiting):
                if any(t.end == "waits" for t in candidate.traces):
                    outcomes(verdict, candidate, tried)
    _answer(verdict)
    if verdict.witness is None:
        verdict.forbidden = _closest(verdict, candidates)
    return verdict


def _size(program: Program, ways: Sequence[Sequence[Trace]]) -> str:
    """How large a test is, in words."""
    reads = [max((sum(e.kind == "read" for e in t.events) for t in w), default=0) for w in ways]
    counts = (f"{t.name} {len(w):,} with {n} reads" for t, w, n in zip(program.threads, ways, reads, strict=True))
    return f"ways through the threads: {', '.join(counts)}"


def _check_mbarriers(program: Program) -> None:
    """Refuse operations on an mbarrier that nothing initialises."""
    steps = [s for t in program.threads for s in t.steps]
    begun = {s.address for s in steps if isinstance(s, MbarrierStep) and s.kind == "init"}
    for step in steps:
        used = step.address if isinstance(step, MbarrierStep) else step.mbarrier if isinstance(step, Transfer) else None
        if not isinstance(used, Pointer) or used in begun or used.name not in program.variables:
            continue
        if program.variables[used.name].count is None:
            raise Diagnostic(
                "PTX0602",
                f"`{step.text}` uses the mbarrier {used}, which nothing initialises.",
                help=f"write .mbarrier {used} = 1 at the start, or mbarrier.init in a thread",
                span=step.span,
            )


def _names(program: Program) -> tuple[Name, ...]:
    found: dict[Name, None] = {}
    for condition in (program.condition, program.filter):
        if condition is not None:
            found |= dict.fromkeys(condition.names())
    found |= dict.fromkeys(program.shown)
    return tuple(found)


def _outcomes(verdict: Verdict, candidate: Candidate, decider: Callable[..., Iterator[Found]], *, race: bool) -> None:
    """Add a candidate's outcomes, and the first race."""
    if not _all_known(verdict, candidate):
        return
    race = race and verdict.race is None and bool(unsynchronized(candidate.graph))

    def over(known: Mapping[int, Value], ends: Ends, fresh: bool) -> bool:
        return not (race and fresh and verdict.race is None) and _nothing_new(verdict, candidate, known, ends)

    for met in meetings(verdict.program, candidate.graph, candidate.met):
        verdict.candidates += 1
        same = swaps(verdict.program, candidate, met, frozenset(owner for owner, _ in verdict.names))
        for found in decider(candidate, met, _observed(verdict), over=over, same=same):
            outcome = _outcome(verdict, _registers(verdict, candidate, found), found.memory)
            if outcome is not None:
                verdict.outcomes.setdefault(outcome, found.execution)
            if race and verdict.race is None:
                verdict.race = next(races_of(found.execution), None)


def _nothing_new(verdict: Verdict, candidate: Candidate, known: Mapping[int, Value], ends: Ends) -> bool:
    """Whether all ends to which a choice can come are among the outcomes: the registers and locations that are asked for have
    values that some outcome has."""
    registers = candidate.registers(verdict.program, known)
    if any(registers.get(name, 0) is None for name in verdict.names if name[0]):
        return False
    places = _observed(verdict)
    options = [ends(place) for place in places]
    if any(o is None for o in options):
        return False
    found = {name: value for name, value in registers.items() if value is not None}
    memories = (dict(zip(places, choice, strict=True)) for choice in product(*(o for o in options if o is not None)))
    ended = (_outcome(verdict, found, memory) for memory in memories)
    return all(outcome is None or outcome in verdict.outcomes for outcome in ended)


def _every_outcome(verdict: Verdict, candidate: Candidate, decider: Callable[..., Iterator[Found]]) -> None:
    """Add a candidate's outcomes, and all races of all of its executions."""
    if not _all_known(verdict, candidate):
        return
    for met in meetings(verdict.program, candidate.graph, candidate.met):
        verdict.candidates += 1
        for found in decider(candidate, met, _observed(verdict)):
            outcome = _outcome(verdict, _registers(verdict, candidate, found), found.memory)
            if outcome is None:
                continue
            verdict.outcomes.setdefault(outcome, found.execution)
            here = list(races_of(found.execution))
            verdict.racing.setdefault(outcome.values, Racing()).add(here)
            verdict.race = verdict.race or next(iter(here), None)


def _all_known(verdict: Verdict, candidate: Candidate) -> bool:
    """Whether all registers that are asked for are known at the end.

    A thread that waits for ever ends nowhere: of its registers count those that it has written."""
    ends = {t.name: x for t, x in zip(verdict.program.threads, candidate.traces, strict=True)}
    waiting = {name for name, x in ends.items() if x.end != "done"}
    return not any(owner in waiting and name not in ends[owner].registers for owner, name in verdict.names)


def _registers(verdict: Verdict, candidate: Candidate, found: Found) -> dict[Name, Value]:
    """What registers hold at the end."""
    events = found.execution.graph.events
    known = {i: e.value for i, e in enumerate(events) if e.value is not None}
    return {name: v for name, v in candidate.registers(verdict.program, known).items() if v is not None}


def _observed(verdict: Verdict) -> tuple[str, ...]:
    """The locations that are asked for."""
    variables = verdict.program.variables
    return tuple(sorted({variables[n].location for owner, n in verdict.names if not owner}))


def _outcome(verdict: Verdict, registers: Mapping[Name, Value], memory: Mapping[str, Value]) -> Outcome | None:
    """The end that these registers and locations are; None where the filter leaves it out."""
    program = verdict.program
    state: dict[Name, Value] = {}
    for owner, name in verdict.names:
        state[owner, name] = registers.get((owner, name), 0) if owner else memory[program.variables[name].location]
    if program.filter is not None and not program.filter.holds(state):
        return None
    return Outcome(tuple(state.values()), program.condition is not None and program.condition.holds(state))


def _answer(verdict: Verdict) -> None:
    quantifier = verdict.program.quantifier
    if verdict.program.condition is None or quantifier is None:
        verdict.witness = next(iter(verdict.outcomes.values()), None)
        return
    wanted = quantifier != "forall"
    verdict.witness = next((x for o, x in verdict.outcomes.items() if o.asked == wanted), None)
    if verdict.witness is not None or not verdict.cut:
        verdict.holds = (verdict.witness is not None) == (quantifier == "exists")


def _closest(verdict: Verdict, candidates: Candidates) -> tuple[Execution, Violation] | None:
    """A candidate that would have decided the question, if an axiom did not forbid it: the one that breaks the fewest."""
    program = verdict.program
    if program.condition is None:
        return None
    if _small(candidates):
        candidates = Candidates(program, [[t for t in w if t.end == "done"] for w in traces(program, pinned=True)])
    best: tuple[tuple[int, int], Execution, Violation] | None = None
    for x in islice(_asked(verdict, candidates), MOST_EXPLAINED):
        broken = [v for axiom in AXIOMS.values() if (v := axiom(x)) is not None]
        if not broken:
            continue
        rank = (len(broken), len(broken[0].steps))
        if best is None or rank < best[0]:
            best = (rank, x, broken[0])
    return None if best is None else best[1:]


def _small(candidates: Candidates) -> bool:
    """Whether the threads can be run with every value that they may read."""
    ways = 0
    for candidate in candidates:
        ways += prod(max(1, len(found)) for found in sources(candidate.graph, candidate.terms).values())
        if ways > MOST_PINNED:
            return False
    return True


def _asked(verdict: Verdict, candidates: Candidates) -> Iterator[Execution]:
    """Executions, allowed or not, in which the condition holds (for forall: does not), with total coherence orders."""
    program = verdict.program
    assert program.condition is not None
    for candidate in candidates:
        for met in meetings(program, candidate.graph, candidate.met):
            for g, reads_from in assigned(candidate, MOST_ASSIGNED):
                known = {i: e.value for i, e in enumerate(g.events) if e.value is not None}
                registers = candidate.registers(program, known)
                for coherence, memory in _totals(g):
                    state = {
                        (o, n): registers.get((o, n), 0) if o else memory[program.variables[n].location]
                        for o, n in verdict.names
                    }
                    ended = {name: value for name, value in state.items() if value is not None}
                    if program.condition.holds(ended) == (program.quantifier != "forall"):
                        yield from _with_fences(Execution(g, reads_from, coherence, Relation.empty(g.size), met))


def _with_fences(x: Execution) -> Iterator[Execution]:
    for fences in brute.fence_orders(x.graph):
        yield Execution(x.graph, x.reads_from, x.coherence, fences, x.met)


def _totals(g: Graph) -> Iterator[tuple[Relation, dict[str, Value]]]:
    """Every location's writes in the order of their numbers, and with each of them last."""
    places = sorted({e.location for e in g.events if e.kind == "write" and e.location is not None})
    of_each: list[list[list[int]]] = []
    for place in places:
        first, *later = sorted(
            (i for i, e in enumerate(g.events) if e.kind == "write" and e.location == place),
            key=lambda i: (g.events[i].agent != INIT, i),
        )
        of_each.append([[first, *(w for w in later if w != last), last] for last in reversed(later)] or [[first]])
    for orders in product(*of_each):
        pairs = [(a, b) for order in orders for i, a in enumerate(order) for b in order[i + 1 :]]
        memory = {p: g.events[o[-1]].value for p, o in zip(places, orders, strict=True)}
        yield Relation.of(g.size, pairs), {p: v for p, v in memory.items() if v is not None}
