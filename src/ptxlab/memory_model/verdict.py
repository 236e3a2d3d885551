"""A verdict: what the model says of a litmus test, and how that reads as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ptxlab.memory_model.condition import Name, shown
from ptxlab.memory_model.events import INIT, Execution
from ptxlab.memory_model.explain import SECTIONS, Arrow, communications, cycle, described, label, missing
from ptxlab.memory_model.hang import Hang
from ptxlab.memory_model.model import Violation
from ptxlab.memory_model.program import Program, Value
from ptxlab.memory_model.race import Race, Racing

_MOST_OUTCOMES: Final = 40


@dataclass(frozen=True, slots=True)
class Outcome:
    """An end that an execution may have: registers and locations, in the order of `Verdict.names`."""

    values: tuple[Value, ...]
    asked: bool
    """Whether the condition holds of it."""


@dataclass(slots=True, repr=False)
class Verdict:
    r"""The model's answer to a test.

    Attributes:
        program: the test. names: the registers and locations that its question is about.
        outcomes: all ends, as values for the names, each with an allowed execution.
        holds: whether the question is answered with yes; None where there is none, or where nobody knows (`unknown`).
        witness: an execution that decides it: one in which the condition holds (or, for forall, does not).
        forbidden: where there is none, the candidate that came closest, and why it is forbidden.
        race: None: no execution has a data race. hang: None: every thread ends.
        racing: where all races were asked for: which ones the executions of each outcome have.
        bounds: what was cut short, in a sentence each. cut: whether a loop was. candidates: how many ways through the threads were
            looked at.

    Example:
        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        verdict = px.litmus(text, all_races=True)
        print(verdict.reachable, verdict.settled, len(verdict.races), verdict.unknown)  # True True 1 ()
        print(verdict.states[0])  # {'P1:r0': 0, 'P1:r1': 0}
    """

    program: Program
    names: tuple[Name, ...]
    outcomes: dict[Outcome, Execution] = field(default_factory=dict[Outcome, Execution])
    holds: bool | None = None
    witness: Execution | None = None
    forbidden: tuple[Execution, Violation] | None = None
    race: Race | None = None
    racing: dict[tuple[Value, ...], Racing] = field(default_factory=dict[tuple[Value, ...], Racing])
    hang: Hang | None = None
    bounds: tuple[str, ...] = ()
    cut: bool = False
    candidates: int = 0

    @property
    def reachable(self) -> bool | None:
        """Whether the condition holds of some outcome; None: of none that was found, and a loop was cut short."""
        return any(o.asked for o in self.outcomes) or (None if self.cut else False)

    @property
    def unknown(self) -> tuple[str, ...]:
        """What has not been found, and may be there beyond a bound: "answer", "race", "hang"."""
        asked = self.program.quantifier is not None and self.holds is None
        found = (
            ("answer", asked),
            ("race", self.cut and self.race is None),
            ("hang", self.bounds and self.hang is None),
        )
        return tuple(name for name, there in found if there)

    @property
    def states(self) -> list[dict[str, Value]]:
        """The outcomes, each as a value for each name."""
        return [dict(zip(map(shown, self.names), o.values, strict=True)) for o in self.outcomes]

    @property
    def races(self) -> list[Race]:
        """One race for each pair of instructions that race with each other: all pairs where all races were asked for, otherwise
        the first that was found."""
        found = {key: r for of in self.racing.values() for key, r in of.some.items()}
        if not self.racing and self.race is not None:
            found = {self.race.key: self.race}
        return [found[key] for key in sorted(found)]

    @property
    def settled(self) -> bool | None:
        """Whether all executions agree, so that each of them has a data race or none has; None: not all races were asked for, or a
        loop was cut short.

        Where they do not agree, a detector that sees one execution has to be compared with `racing`, by the outcome that it saw.
        """
        if not self.racing or self.cut:
            return None
        return not any(r.some for r in self.racing.values()) or not any(r.clean for r in self.racing.values())

    def __str__(self) -> str:
        return report(self)

    def __repr__(self) -> str:
        race = "a data race" if self.race is not None else "no data race" + " found" * self.cut
        return f"<Verdict {' '.join(headline(self).split())}; {race}>"

    def _repr_html_(self) -> str:
        from ptxlab.diag.html import folded, heading, preformatted, table

        heads = ["asked for", *map(shown, self.names)] if self.names else []
        rows = [("yes" if o.asked else "", *o.values) for o in list(self.outcomes)[:_MOST_OUTCOMES]]
        outcomes = table(heads, rows, f"{len(self.outcomes)} outcomes") if heads else ""
        return heading(repr(self)[1:-1]) + outcomes + folded("why", preformatted(report(self)))


def as_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict for machines; null is what nobody knows, or what was not asked."""
    program = verdict.program
    return {
        "name": program.name,
        "quantifier": program.quantifier,
        "condition": None if program.condition is None else str(program.condition),
        "holds": verdict.holds,
        "reachable": verdict.reachable,
        "outcomes": verdict.states,
        "races": [[str(access) for access in race.accesses] for race in verdict.races],
        "hangs": [] if verdict.hang is None else [list(thread) for thread in verdict.hang.threads],
        "unknown": list(verdict.unknown),
        "bounds": list(verdict.bounds),
    }


def headline(verdict: Verdict) -> str:
    """The answer in a line."""
    name, condition = verdict.program.name, verdict.program.condition
    if verdict.program.quantifier is not None and verdict.holds is None:
        return f"{name}: unknown: {verdict.program.quantifier} {condition}"
    if verdict.holds is None:
        count = len(verdict.outcomes)
        return f"{name}: {count} outcome{'' if count == 1 else 's'}"
    said = {
        ("exists", True): "allowed",
        ("exists", False): "forbidden",
        ("~exists", True): "forbidden, as the test says",
        ("~exists", False): "allowed, though the test says it never happens",
        ("forall", True): "always",
        ("forall", False): "not always",
    }[verdict.program.quantifier or "exists", verdict.holds]
    return f"{name}: {said}: {verdict.program.quantifier} {condition}"


def report(verdict: Verdict) -> str:
    """The whole verdict."""
    return "\n".join(_lines(verdict))


def _lines(verdict: Verdict) -> Iterator[str]:
    yield headline(verdict)
    yield from _outcomes(verdict)
    yield from _race(verdict)
    yield from _hang(verdict)
    yield from (f"bounded: {b}" for b in verdict.bounds)
    if verdict.witness is not None:
        yield ""
        yield "an execution that shows it:" if verdict.holds is not None else "one of its executions:"
        yield from graph(verdict.witness, communications(verdict.witness))
        found = list(dict.fromkeys(missing(verdict.witness)))
        if found:
            yield "why it is allowed:"
            yield from (f"  {line}" for line in found)
    elif verdict.forbidden is not None:
        x, why = verdict.forbidden
        yield ""
        yield "the closest candidate:"
        yield from graph(x, [Arrow("reads-from", a, b) for a, b in x.reads_from])
        yield f"forbidden by the axiom {why.axiom} ({SECTIONS[why.axiom]}):"
        yield from (f"  {line}" for line in arrows(x, cycle(x, why)))


def _outcomes(verdict: Verdict) -> Iterator[str]:
    if not verdict.names:
        return
    yield f"outcomes ({len(verdict.outcomes)}):"
    names = [shown(n) for n in verdict.names]
    for outcome in list(verdict.outcomes)[:_MOST_OUTCOMES]:
        values = "  ".join(f"{n} = {v}" for n, v in zip(names, outcome.values, strict=True))
        yield f"  {'*' if outcome.asked else ' '} {values}"
    if len(verdict.outcomes) > _MOST_OUTCOMES:
        yield f"    and {len(verdict.outcomes) - _MOST_OUTCOMES} more"


def _race(verdict: Verdict) -> Iterator[str]:
    if verdict.race is None:
        yield "data race: none found" if verdict.cut else "data race: none"
        return
    found = verdict.races
    for race in found:
        yield f"data race: {'  and  '.join(str(a) for a in race.accesses)}"
        yield f"    {race.why}"


def _hang(verdict: Verdict) -> Iterator[str]:
    if verdict.hang is None:
        yield "hangs: unknown" if verdict.bounds else "hangs: never"
        return
    said = {
        "waits": "waits for ever at",
        "spins": "spins for ever on",
        "turns": "never ends: threads take turns for ever",
    }
    yield "hangs: " + "; ".join(f"{n} {said[how]} {text}".rstrip() for n, how, text in verdict.hang.threads)


def graph(x: Execution, found: list[Arrow]) -> Iterator[str]:
    """An execution: the events of each agent under its name, then the arrows between them."""
    for agent, name in enumerate(x.graph.agents):
        events = [i for i, e in enumerate(x.graph.events) if e.agent == agent]
        if not events:
            continue
        place = x.graph.events[events[0]].place
        where = f"cta {place.cta}, gpu {place.gpu}" + ("" if place.cluster is None else f", cluster {place.cluster}")
        issued = f": {x.graph.events[events[0]].text}" if "." in name else ""
        yield f"  {name} ({where}){issued}"
        yield from (f"    {label(x, i)}: {described(x, i)}" for i in events)
    yield from (f"  {line}" for line in arrows(x, found))


def arrows(x: Execution, found: list[Arrow]) -> Iterator[str]:
    """Arrows as lines, those from the first writes left out where a read simply finds nothing else."""
    for a in found:
        if a.relation == "reads-from" and x.graph.events[a.source].agent == INIT:
            yield f"{label(x, a.target)} reads what was there at the start"
            continue
        yield f"{label(x, a.source)} --{a.relation}--> {label(x, a.target)}"
