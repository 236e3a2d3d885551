"""Which registers each instruction reads and writes, found in one pass over a program."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cache

from ptxlab.isa.form import Form
from ptxlab.isa.operands import Addr, Imm, Minus, Not, Operand, Params, Part, Reg, Vec
from ptxlab.ptx.flow import Graph
from ptxlab.ptx.program import Op, Program

Roles = dict[str, str]


@cache
def roles(form: Form) -> Roles:
    """What a row does with each of its operands: "r", "w" or "rw"."""
    return {name: spec.role for name, spec in form.operands.items()}


def names_in(operand: Operand) -> Iterator[str]:
    """The registers of an operand, an address' base and coordinates among them."""
    if isinstance(operand, Reg):
        yield operand.name
    elif isinstance(operand, Vec | Params):
        for item in operand.items:
            yield from names_in(item)
    elif isinstance(operand, Addr):
        yield from names_in(operand.base)
        if operand.coords is not None:
            yield from names_in(operand.coords)
        for more in operand.between:
            yield from names_in(more)
    elif isinstance(operand, Not | Part | Minus):
        yield operand.reg.name


def touched(op: Op) -> tuple[list[str], list[str]]:
    """The registers that an instruction surely reads, and those that it may write.

    What a row reads and writes ("rw") may go unread, as the accumulator of a product that starts from zero does.
    """
    reads: list[str] = []
    writes: list[str] = []
    if op.guard is not None:
        reads.append(op.guard.name)
    role = roles(op.inst.form)
    for name, operand in op.inst.operands.items():
        kind = type(operand)
        if kind is Reg:
            (reads if role[name] == "r" else writes).append(operand.name)  # type: ignore[union-attr]
        elif kind is Addr:
            reads += names_in(operand)
        elif kind is Params:  # of a call: a row has no role for lists, which mostly hold .param variables
            (writes if name == "ret" else reads).extend(names_in(operand))
        elif kind in (Vec, Not, Part, Minus):
            (reads if role[name] == "r" else writes).extend(names_in(operand))
    return reads, writes


def read_in(ops: Iterable[Op]) -> frozenset[str]:
    """The registers that anybody reads."""
    return frozenset(name for op in ops for name in touched(op)[0])


def is_unread(op: Op, read: Container[str]) -> bool:
    """Whether nobody reads what an instruction writes to registers. read: see `read_in`."""
    return not any(name in read for name in touched(op)[1])


def accumulates(op: Op) -> bool:
    """Whether a wgmma may add to its accumulator; a literal false starts it anew."""
    return not (isinstance(op.inst.operands.get("scale_d"), Imm) and op.inst.operand_value("scale_d") == 0)


def readers(graph: Graph, writer: int, name: str) -> set[int]:
    """Who may read what an instruction has written to a register."""
    found: set[int] = set()
    seen: set[int] = set()
    block = graph.block_of(writer)
    ways = [(block, range(writer + 1, graph.start[block + 1]))]
    while ways:
        block, span = ways.pop()
        for i in span:
            op = graph.ops[i]
            reads, writes = touched(op)
            if name in reads:
                found.add(i)
            if name in writes and op.guard is None:
                break
        else:
            following = [b for b in graph.successors[block] if b not in seen]
            seen.update(following)
            ways += [(b, graph.span(b)) for b in following]
    return found


class Uses:
    """Reads and writes of a program.

    writers: register → the blocks that write it, in the order of the text.
    only: register → the one op that writes it, or -1 where several do.
    exposed: (register, block, op) of reads that nothing in the same block writes first.
    """

    def __init__(self, graph: Graph) -> None:
        self.writers: dict[str, list[int]] = {}
        self.only: dict[str, int] = {}
        self.exposed: list[tuple[str, int, int]] = []
        for b in range(len(graph)):
            self._block(graph, b)

    def _block(self, graph: Graph, b: int) -> None:
        written: set[str] = set()
        exposed: set[str] = set()
        writers, only, ops = self.writers, self.only, graph.ops
        for i in graph.span(b):
            reads, writes = touched(ops[i])
            for name in reads:
                if name not in written and name not in exposed:
                    exposed.add(name)
                    self.exposed.append((name, b, i))
            for name in writes:
                only[name] = -1 if name in only else i
                if name not in written:
                    written.add(name)
                    writers.setdefault(name, []).append(b)


def parameters(program: Program) -> set[str]:
    """Registers that have a value at entry: those that a function takes."""
    signature = program.signature
    params = signature.params if signature is not None else ()
    return {part.name for p in params if p.space == "reg" for part in p.parts}
