"""From the events of a launch and a finding to the graph of the finding: its two accesses, and all between them that matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from ptxlab.diag import CODES, Access, Diagnostic, HappensBefore, OrderColumn, OrderEdge, OrderEvent, Span
from ptxlab.diag.excerpt import source_line
from ptxlab.sim.diagnose.graphs.events import Agent, Event, Link, Node, Record
from ptxlab.sim.engine.machine.naming import lanes_of

Kind = Literal["program order", "issue", "barrier", "phase", "wait", "value"]
KINDS: Final[dict[str, Kind]] = {
    "issue": "issue",
    "done": "wait",
    "read": "wait",
    "warp": "barrier",
    "barrier": "barrier",
    "cluster": "barrier",
    "phase": "phase",
    "value": "value",
}
SHOWN: Final = 12
"""Events of a thread that are shown: the last ones, and those that lead to others."""
Column = tuple[Agent, int]
"""A thread: its warp and lane. Or an operation."""
RACED: Final = (
    "PTX9200",
    "PTX9201",
    "PTX9202",
    "PTX9203",
    "PTX9204",
    "PTX9210",
    "PTX9211",
    "PTX9215",
    "PTX9234",
    "PTX9235",
)
"""Codes of findings that say that nothing orders the two."""
FLAGS: Final = ("PTX9201", "PTX9202")
"""Codes of findings where a value was read that does not order the two."""


def graph_of_finding(record: Record, finding: Diagnostic, stamp: int) -> HappensBefore | None:
    """The graph of a finding that was made when there were `stamp` events; None where it is not about two of them."""
    second = _second(record, finding, stamp)
    first = _first(record, finding, stamp, second) if second is not None else None
    if first is None or second is None or first == second:
        return None
    words = _words(finding)
    if record.events[first[0]].kind == "exit":  # whoever uses its memory has to do so before
        first, second, words = second, first, (words[1], words[0])
    reads = words[0].startswith("reads")
    graph = _Graph(record, first, second, reads=reads, raced=finding.code in RACED)
    made = graph.made(finding.code, finding.help or "", words)
    return replace(made, missing=finding.why or CODES[finding.code].title.rstrip("."))


def same(record: Record, graph: HappensBefore) -> HappensBefore | None:
    """The two accesses of a graph in another launch, say of the kernel as it is repaired; None where they are not there."""
    first, second = (_alike(record, graph, n) for n in (graph.first, graph.second))
    if first is None or second is None:
        return None
    there = [graph.events[n] for n in (graph.first, graph.second)]
    here = [_line(record.events[node[0]]) for node in (first, second)]
    words = [event.does if event.line == line else "" for event, line in zip(there, here, strict=True)]
    reads = [event.does.startswith("reads") for event in there]
    made = _Graph(record, first, second, reads=reads[0])
    if not made.ordered:  # what races happens in any order; here it may be the other one
        turned = _Graph(record, second, first, reads=reads[1])
        if turned.ordered:
            made, words = turned, words[::-1]
    return made.made(graph.code, "", (words[0], words[1]), found=False)


def _words(finding: Diagnostic) -> tuple[str, str]:
    """What the first and the second access do, in words; "" where the finding does not say."""
    if len(finding.accesses) != 2:
        return "", ""
    memory = finding.memory
    where = ""
    if memory is not None:
        element = "" if memory.element is None else f"[{', '.join(map(str, memory.element))}]"
        where = f" {memory.array}{element}" if memory.array else f" {memory.space} + {memory.offset:#x}"
    later, earlier = finding.accesses
    return earlier.does + where, later.does + where


# -- the two accesses
def _second(record: Record, finding: Diagnostic, stamp: int) -> Node | None:
    """What the finding is about, at the time when it was made."""
    wanted = finding.accesses[0] if len(finding.accesses) == 2 else None
    found = _at(record, (finding.span, finding.origin), wanted, record.events[:stamp][::-1])
    later = sorted(record.events[stamp:], key=lambda e: (e.agent[1], _warp(e)))
    return found or _at(record, (finding.span, finding.origin), wanted, later)


def _first(record: Record, finding: Diagnostic, stamp: int, second: Node) -> Node | None:
    """What came before it."""
    wanted = finding.accesses[1] if len(finding.accesses) == 2 else None
    place = (finding.other, finding.other_origin)
    if wanted is None and place == (None, None):
        return None
    if wanted is not None:
        place = (wanted.span, wanted.origin)
        if wanted.does == "exits":
            found = [e for e in record.events[stamp:] if e.kind == "exit" and e.cta == wanted.cta]
            return _node(record, found[0], wanted) if found else None
    if wanted is not None and finding.code == "PTX9204":  # two lanes of one instruction
        return _node(record, record.events[second[0]], wanted)
    earlier = record.events[: second[0]][::-1]
    if wanted is None:
        mine = record.events[second[0]]
        earlier.sort(key=lambda e: (e.agent[1] != mine.agent[1], _warp(e) != _warp(mine)))
    return _at(record, place, wanted, earlier)


def _warp(event: Event) -> int:
    return event.warp if event.by_operation else event.agent[2]


def _at(
    record: Record, place: tuple[Span | None, Span | None], wanted: Access | None, among: Sequence[Event]
) -> Node | None:
    """The first event of an instruction among these; by an operation rather than by who issued it."""
    for event in among:
        if event.op is None or (event.op.span, event.op.origin) != place or event.kind == "issue":
            continue
        if event.by_operation and event.kind == "operation" and event.does.startswith("completes"):
            continue
        if wanted is None:
            return event.number, lanes_of(event.lanes)[0]
        if event.cta == wanted.cta and event.by_operation == wanted.asynchronous:
            found = _node(record, event, wanted)
            if found is not None:
                return found
    return None


def _node(record: Record, event: Event, wanted: Access) -> Node | None:
    """The lane of an event that is the thread of an access."""
    x, y, _ = record.block
    tx, ty, tz = wanted.thread
    warp, lane = divmod(tx + x * (ty + y * tz), 32)
    return (event.number, lane) if _warp(event) == warp and event.lanes >> lane & 1 else None


def _alike(record: Record, graph: HappensBefore, number: int) -> Node | None:
    """The same event in another launch: the last of the same line by the same thread, or of an instruction of the same name."""
    event = graph.events[number]
    column = graph.columns[event.column]
    name = event.opcode.partition(".")[0]
    those = [e for e in reversed(record.events) if e.kind != "issue" and not e.does.startswith("completes")]
    same_line = (e for e in those if _line(e) == event.line)
    same_name = (e for e in those if _opcode(e).partition(".")[0] == name)
    for among in (same_line, same_name):
        for found in among:
            for lane in lanes_of(found.lanes):
                if _column(record, (found.number, lane)) == column:
                    return found.number, lane
    return None


# -- the graph
class _Graph:
    """Chooses what is shown of a launch, and puts it into columns."""

    def __init__(self, record: Record, first: Node, second: Node, *, reads: bool, raced: bool = False) -> None:
        """reads: whether the first only reads. raced: the sanitizer says that nothing orders the two."""
        self.record, self.first, self.second = record, first, second
        mine = record.events[first[0]].agent == record.events[second[0]].agent and first[1] == second[1]
        self.ordered = not raced and (mine or record.ordered(first, second, reads=reads))
        self.way: list[Link] | None = None
        if self.ordered:
            self.way = record.path(first, second) or record.path(first, second, flags=True)
        self._flags = False

    def made(self, code: str, help: str, words: tuple[str, str], *, found: bool = True) -> HappensBefore:
        self._flags = code in FLAGS
        columns = self._columns()
        nodes = self._nodes(columns)
        merged = list(_merged(self.record, nodes, {self.first, self.second, *self._ends()}))
        number = {node: i for i, (those, _) in enumerate(merged) for node in those}
        marked = {self.first: words[0], self.second: words[1]}
        events = [self._event(columns, those[-1], times, marked) for those, times in merged]
        edges = tuple(dict.fromkeys(self._edges(number)))
        return HappensBefore(
            code,
            tuple(_column(self.record, (self._some(c), c[1])) for c in columns),
            tuple(events),
            tuple(edges),
            number[self.first],
            number[self.second],
            missing="",
            help=help,
            found=found,
            ordered=self.ordered,
        )

    def _some(self, column: Column) -> int:
        """An event of a column."""
        return next(e.number for e in self.record.of(column[0]) if e.lanes >> column[1] & 1)

    def _of(self, node: Node) -> Column:
        return self.record.events[node[0]].agent, node[1]

    def _ends(self) -> set[Node]:
        """Nodes of the way that links between columns lead to and from."""
        return {n for link in self.way or () if link.token is not None for n in (link.first, link.second)}

    def _columns(self) -> list[Column]:
        """Who takes part: the accesses' own, those who issued operations, and those on the way between the two."""
        nodes = [self.first, *(link.second for link in self.way or ()), self.second]
        out: dict[Column, None] = {}
        for node in nodes:
            event = self.record.events[node[0]]
            if event.by_operation:
                out[("warp", event.agent[1], event.warp), node[1]] = None
            out[self._of(node)] = None
        return sorted(out, key=self._place)

    def _place(self, column: Column) -> tuple[int, ...]:
        """Where a column goes: threads by number, operations behind those who issued them."""
        (what, cta, number), lane = column
        if what == "warp":
            return cta, number, lane, 0
        return cta, self.record.events[self._some(column)].warp, lane, number

    def _window(self) -> tuple[int, int]:
        numbers = [self.first[0], self.second[0], *(n[0] for n in self._ends())]
        return min(self.record.begin(n) for n in numbers), max(numbers)

    def _nodes(self, columns: Sequence[Column]) -> list[Node]:
        """What is shown: what orders anything, the issues of the operations that are shown, and the two accesses."""
        low, high = self._window()
        shown = {a[2] for a, _ in columns if a[0] == "operation"}
        kept = {self.first, self.second, *self._ends()}
        out: set[Node] = set()
        for agent, lane in columns:
            mine: list[Node] = []
            for event in self.record.of(agent):
                node = event.number, lane
                if not event.lanes >> lane & 1 or not (low <= event.number <= high or node in kept):
                    continue
                if node in kept or self._matters(event, shown) or self._hands_on(node, columns):
                    mine.append(node)
            out |= {*mine[-SHOWN:], *(n for n in mine if n in kept)}
        return sorted(out, key=lambda n: (n[0], n[1]))

    def _matters(self, event: Event, shown: set[int]) -> bool:
        if event.kind == "issue":
            return any(token.of[0] in shown for token in event.gives)
        return event.kind not in ("access", "register", "exit")

    def _hands_on(self, node: Node, columns: Sequence[Column]) -> bool:
        """Whether an access hands on a value from one thread that is shown to another, and that matters."""
        event = self.record.events[node[0]]
        if event.kind != "access" or not self._flags:
            return False
        others = {t.of[0] for t in event.takes if t.kind == "value"} | {
            link.second[0] for link in self.record.links(node) if link.token is not None
        }
        agents = {agent for agent, _ in columns if agent != event.agent}
        return any(self.record.events[n].agent in agents for n in others)

    def _event(self, columns: Sequence[Column], node: Node, times: int, marked: dict[Node, str]) -> OrderEvent:
        event = self.record.events[node[0]]
        column = columns.index(self._of(node))
        does = event.does if event.kind == "mbarrier" else marked.get(node) or event.does
        return OrderEvent(column, _line(event), does, _opcode(event), times, accused=node in marked)

    def _edges(self, number: dict[Node, int]) -> Iterator[OrderEdge]:
        """Program order between what is shown, and all links between columns."""
        way = {(link.first, link.second) for link in self.way or ()}
        on_way = self._program_order_on_way()
        latest: dict[Column, Node] = {}
        for node in sorted(number):
            before = latest.get(self._of(node))
            if before is not None and number[before] != number[node]:
                yield OrderEdge(number[before], number[node], "program order", on_way=(before, node) in on_way)
            latest[self._of(node)] = node
        for node in sorted(number):
            for link in self.record.links(node):
                if link.token is None or link.second not in number or not self._worth_telling(link):
                    continue
                edge = (link.first, link.second)
                yield OrderEdge(
                    number[link.first],
                    number[link.second],
                    KINDS[link.token.kind],
                    counts=link.sure or edge in way,
                    on_way=edge in way,
                )

    def _worth_telling(self, link: Link) -> bool:
        """Not twice: who waits for a phase waits for the ones before, too."""
        token = link.token
        if {link.first, link.second} == {self.first, self.second}:
            return link.sure
        if token is None or token.kind != "phase":
            on_way = any((way.first, way.second) == (link.first, link.second) for way in self.way or ())
            return token is None or token.kind != "value" or link.sure or self._flags or on_way
        later = self.record.events[link.second[0]]
        newest = max(t.of[-1] for t in later.takes if t.kind == "phase")
        return token.of[-1] == newest or (link.first, link.second) in {
            (way.first, way.second) for way in self.way or ()
        }

    def _program_order_on_way(self) -> _Spans:
        return _Spans(self.way or ())


class _Spans:
    """Stretches of program order on the way from one access to the other."""

    def __init__(self, way: Sequence[Link]) -> None:
        self._steps = {(link.first[0], link.second[0], link.first[1]) for link in way if link.token is None}

    def __contains__(self, pair: tuple[Node, Node]) -> bool:
        before, after = pair
        return any(a <= after[0] and b > before[0] and lane == before[1] for a, b, lane in self._steps) and any(
            a <= before[0] < b or before[0] <= a < after[0] for a, b, lane in self._steps if lane == before[1]
        )


def _merged(record: Record, nodes: Sequence[Node], apart: set[Node]) -> Iterator[tuple[list[Node], int]]:
    """Nodes in order; those of one line that follow each other in their thread are one, but for some."""
    out: list[tuple[list[Node], int]] = []
    last: dict[Column, int] = {}
    for node in nodes:
        event = record.events[node[0]]
        column = event.agent, node[1]
        i = last.get(column)
        if i is not None and node not in apart:
            before = out[i][0][-1]
            mine = record.events[before[0]]
            if before not in apart and (mine.op, mine.does) == (event.op, event.does):
                out[i][0].append(node)
                out[i] = (out[i][0], out[i][1] + 1)
                continue
        last[column] = len(out)
        out.append(([node], 1))
    yield from out


def _line(event: Event) -> str:
    """The source line of an event, without its comment, or its instruction."""
    op = event.op
    if op is None:
        return "exit"
    text = source_line(op.origin) if op.origin is not None and not event.by_operation else None
    return op.text if text is None else text.partition("  #")[0].strip()


def _opcode(event: Event) -> str:
    return event.op.inst.opcode if event.op is not None else "exit"


def _column(record: Record, node: Node) -> OrderColumn:
    event = record.events[node[0]]
    thread, cta = f"thread {record.thread(node)}", f"CTA {event.cta}"
    if event.by_operation:
        return OrderColumn("asynchronous operation", f"of {thread}, {cta}", asynchronous=True)
    return OrderColumn(thread, cta)
