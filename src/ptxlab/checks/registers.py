"""Code that is never reached, and registers that are read before anything has written them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Addr, Symbol
from ptxlab.ptx.flow import Graph, branch_kind
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import parameters

_SHOWN = 3  # registers beside the first that are named
_STEPS_PER_BLOCK = 64  # what the search for writers may cost, so that it stays linear


def check_reached(analysis: Analysis) -> Iterator[Diagnostic]:
    """The first instruction of each stretch of code that no way leads to."""
    graph = analysis.graph
    before = True  # whether the block in front was reached, or has been reported
    for b in range(len(graph)):
        if graph.reached[b]:
            before = True
        elif before and (op := _working(graph, b)) is not None:
            before = False
            yield at_op(
                op,
                "PTX5001",
                f"`{op.inst.opcode}` is never executed: nothing branches here, and what stands in front leaves",
                "remove it, or branch to a label in front of it",
            )


def _working(graph: Graph, b: int) -> Op | None:
    """The first instruction of a block that does more than leave: compilers end functions with branches that nothing takes."""
    return next((graph.ops[i] for i in graph.span(b) if branch_kind(graph.ops[i]) in (None, "call")), None)


def check_registers(analysis: Analysis) -> Iterator[Diagnostic]:
    """Registers whose reads no write can come before, each once; those that one opcode reads for one cause together."""
    graph, uses = analysis.graph, analysis.uses
    search = _Search(graph)
    given = parameters(analysis.program)
    meant: set[str] | None = None
    said: set[str] = set()
    causes: dict[tuple[str, bool], list[tuple[str, Op]]] = {}
    for name, b, i in uses.exposed:
        writers = uses.writers.get(name, ())
        if name in said or name in given or not graph.reached[b] or search.reaches(writers, b):
            continue
        if meant is None:
            meant = _left_open(analysis.program)
        said.add(name)
        if name.partition("#")[0] in meant:
            continue
        op = graph.ops[i]
        if not writers and (_passes(op) or _is_made(op, name)):
            continue
        causes.setdefault((op.inst.opcode, bool(writers)), []).append((name, op))
    for (_, later), reads in causes.items():
        yield _unwritten(reads, later)


def _unwritten(reads: list[tuple[str, Op]], later: bool) -> Diagnostic:
    """What is said of the registers that one opcode reads too early; `later`: they are written after that."""
    name, op = reads[0]
    rest = len(reads) - 1
    more = f"; nor {rest} more of the registers that it reads" if rest else ""
    shown = [(other, at.span or at.origin) for other, at in reads[1 : _SHOWN + 1]]
    places = [f"`{other}` in line {place.line}" for other, place in shown if place is not None]
    return at_op(
        op,
        "PTX5002",
        f"`{op.inst.opcode}` reads `{name}`, which nothing has written{more}",
        f"write `{name}` first" + (": all that does so comes later" if later else ", or read another register"),
        notes=[f"so too {', '.join(places)}" + (" …" if rest > len(places) else "")] if places else (),
    )


def _passes(op: Op) -> bool:
    """Whether it stores an argument of a call: compilers pass what they never wrote where a class is empty."""
    address = op.inst.operands.get("a")
    return isinstance(address, Addr) and isinstance(address.base, Symbol) and address.base.space == "param::func"


def _is_made(op: Op, name: str) -> bool:
    """Whether the register is none of the text, but holds the upper bits of a sum: of those PTX0122 says enough."""
    guards = op.guard is not None and op.guard.name == name
    return op.node is not None and not guards and name.partition("#")[0] not in op.text


class _Search:
    """Whether a write may come before a block. Answers yes where the search would cost too much."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tree = graph.dominators()
        self.left = _STEPS_PER_BLOCK * len(graph) + 1000
        self.known: dict[tuple[int, ...], bytearray] = {}

    def reaches(self, writers: list[int] | tuple[int, ...], block: int) -> bool:
        """Whether some way leads from one of the blocks to this one, in one step or more."""
        if not writers:
            return False
        dominates = self.tree.dominates
        if any(w != block and dominates(w, block) for w in writers[:4]):
            return True
        key = tuple(writers)
        if key not in self.known:
            if self.left < 0:
                return True
            self.left -= len(self.graph)
            self.known[key] = self.graph.reachable(w for w in writers if self.graph.reached[w])
        return bool(self.known[key][block])


_OPEN = re.compile(r"//\s*implicit-def:\s*([%$\w]+)")


def _left_open(program: Program) -> set[str]:
    """Registers that a compiler left without a value on purpose, and says so in a comment."""
    node, last = program.function, program.ops[-1].node
    if node.source is None or last is None:
        return set()
    return set(_OPEN.findall(node.source.text, node.start, last.end))
