"""The likely causes of a hang, the likeliest first: rules over each wait and what could end it."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.naming import place_of, verb, waiting, who
from ptxlab.sim.diagnose.hangs.waits import Cause, Question, Supplier, Wait, kinds


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
    for rank, rule in enumerate(kinds().rules):
        yield rank, rule(graph, wait)


def exited(graph: Graph, wait: Wait) -> Cause | None:
    """Those who ended it before have exited."""
    gone = [s for s in wait.suppliers if s.state == "exited"]
    if not gone or any(_waits(s, wait) for s in wait.suppliers):
        return None
    s = gone[0]
    have = verb(s.members, "has", "have")
    words = (
        f"{who(s.members)} ended earlier phases of {wait.thing(graph)}{place_of(s.op)}, and {have} exited; "
        f"{waiting(wait)} once more"
    )
    return Cause("exited", words, "let both sides go round equally often, or let the last wait be left out", wait)


def cycle(graph: Graph, wait: Wait) -> Cause | None:
    """Each waits for the next."""
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
            f"{begin} {verb(w.members, 'waits', 'wait')} for {w.target(graph)}{place_of(w.op)}, which needs {whom}"
        )
    return f"each waits for the next in a circle: {'; '.join(steps)}"


def blocked(graph: Graph, wait: Wait) -> Cause | None:
    """Whoever could end it waits for something else."""
    s = next((s for s in wait.suppliers if s.wait is not None and s.wait is not wait), None)
    if s is None or s.wait is None:
        return None
    words = (
        f"{waiting(wait)} for {wait.target(graph)}, which needs {who(s.members)}; "
        f"{verb(s.members, 'that one waits', 'these wait')} for {s.wait.target(graph)}{place_of(s.wait.op)}"
    )
    return Cause("blocked", words, "look at the last wait first: the others follow from it", wait)


def flag(graph: Graph, wait: Wait) -> Cause | None:
    """A question whose answer nobody changes."""
    if not isinstance(wait, Question) or not wait.words:
        return None
    others = [w for w in graph.waits if w is not wait]
    words = f"{who(wait.members)} {verb(wait.members, 'polls', 'poll')} {wait.words},{place_of(wait.op)}; "
    words += "all others wait as well" if others else "no other thread is left that could change it"
    return Cause("flag", words, "look who is to write there, and whether it writes that word and that value", wait)


def _waits(s: Supplier, wait: Wait) -> bool:
    return s.wait is not None and s.wait is not wait
