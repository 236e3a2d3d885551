"""Machine code and PTX side by side: which instructions of one stand for which of the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ptxlab.isa.effects import Access, AsyncCopy, AsyncMma, Barrier, Branch, Effect, Group, Mbarrier
from ptxlab.isa.operands import Label
from ptxlab.ptx.program import Op, Program
from ptxlab.timing.machine_code import MachineInstruction

_CARRIERS: Final[dict[type[Effect], tuple[str, ...]]] = {
    Access: (
        "LDG",
        "STG",
        "LD",
        "ST",
        "LDS",
        "STS",
        "LDSM",
        "STSM",
        "ATOM",
        "ATOMG",
        "ATOMS",
        "RED",
        "REDG",
        "LDL",
        "STL",
        "STAS",
    ),
    AsyncCopy: ("LDGSTS", "UBLKCP", "UTMALDG", "UTMASTG", "UTMAREDG", "UBLKRED", "UBLKPF", "UTMAPF", "STAS", "REDAS"),
    AsyncMma: ("HGMMA", "IGMMA", "QGMMA", "BGMMA"),
    Barrier: ("BAR", "UCGABAR_ARV", "UCGABAR_WAIT", "WARPSYNC"),
    Group: ("WARPGROUP", "DEPBAR", "LDGDEPBAR", "UTMACMDFLUSH", "WARPGROUPSET"),
    Mbarrier: ("SYNCS", "ARRIVES"),
}
"""What an instruction with an effect becomes, beside what computes its addresses."""
_AWRY: Final = 3
"""Instructions of PTX behind the one of a line that the table may mean instead."""
PRODUCTS: Final = ("HMMA", "IMMA", "DMMA", "QMMA", "BMMA")


@dataclass(frozen=True, slots=True)
class Merged:
    """A kernel's machine code beside its PTX.

    Attributes:
        code: the machine code. ops: for each place the instruction of PTX that it was made of, -1 where none is known.
        carriers: whether the place does what the functional run has recorded of that instruction. marks: see `path`.
    """

    code: Sequence[MachineInstruction]
    ops: list[int]
    carriers: list[bool]
    marks: list[int]


def merged(
    code: Sequence[MachineInstruction], ops: Sequence[Op], lines: Sequence[int], kept: Sequence[int], program: Program
) -> Merged:
    """Bring the two together by the lines of the PTX text.

    Args:
        lines: of the text, of each instruction of PTX. kept: the lines of it that ptxas was given, in order.
    """
    given = {line: i for i, line in enumerate(kept, 1)}
    by_line: dict[int, int] = {}
    for i, line in enumerate(lines):
        by_line.setdefault(given.get(line, 0), i)
    by_line.pop(0, None)
    of = _meant(code, [by_line.get(one.line, -1) for one in code], ops)
    carriers = [op >= 0 and one.name in carrying(ops[op]) for one, op in zip(code, of, strict=True)]
    return Merged(code, of, carriers, _marks(code, ops, of, program))


def _meant(code: Sequence[MachineInstruction], of: list[int], ops: Sequence[Op]) -> list[int]:
    """The instructions of PTX that machine instructions stand for: the line table gives some the line of a neighbour.

    One with an effect that the instruction of its line has not is taken for one that stands just behind. Products are taken in
    order,
    where there are as many of them in both.
    """
    holders: dict[str, list[int]] = {}
    for i, op in enumerate(ops):
        for name in carrying(op):
            holders.setdefault(name, []).append(i)
    out: list[int] = []
    for one, op in zip(code, of, strict=True):
        missed = op >= 0 and one.name in holders and one.name not in carrying(ops[op])
        behind = [i for i in holders[one.name] if op < i <= op + _AWRY] if missed else []
        out.append(behind[0] if behind else op)
    for name in _CARRIERS[AsyncMma]:
        places = [i for i, one in enumerate(code) if one.name == name]
        if places and len(places) == len(holders.get(name, ())):
            for place, op in zip(places, holders[name], strict=True):
                out[place] = op
    return out


def carrying(op: Op) -> tuple[str, ...]:
    """The machine instructions of which one does what the instruction does beside computing."""
    return _CARRIERS.get(type(op.inst.form.effect), ())


def _marks(code: Sequence[MachineInstruction], ops: Sequence[Op], of: Sequence[int], program: Program) -> list[int]:
    """For each place the instruction of PTX that it marks, or -1: one instruction for each basic block of PTX.

    It is one that becomes the same machine instruction each time; those under a predicate are marks, too, as the compiler may
    branch
    around them. Blocks without have one only where they are loops by themselves: of
    what else the compiler makes of arithmetic there may be more or less on each way.
    """
    counts: dict[int, Counter[str]] = {}
    for one, op in zip(code, of, strict=True):
        if op >= 0:
            counts.setdefault(op, Counter())[one.name] += 1
    names: dict[int, str] = {}
    for block in _blocks(ops, program):
        sure: list[tuple[bool, int, int, str]] = []
        rest: list[tuple[int, int, str]] = []
        for i in block:
            if i not in counts or isinstance(ops[i].inst.form.effect, Branch):
                continue
            known = [(n, name) for name, n in counts[i].items() if name in carrying(ops[i]) or name in PRODUCTS]
            if known:
                n, name = min(known)
                sure.append((ops[i].guard is not None, n, i, name))
            elif ops[i].guard is None:
                n, name = max((n, name) for name, n in counts[i].items())
                rest.append((n, i, name))
        if sure:
            *_, i, name = min(sure)
            names |= {i: name, **{j: other for guarded, _, j, other in sure if guarded}}
        elif rest and _loops(block, ops, program):
            common = Counter(n for n, _, _ in rest)
            often = max(common, key=lambda n: (common[n], n))  # how often the compiler has written the loop's body
            i, name = next((i, name) for n, i, name in rest if n == often)
            names[i] = name
    return [op if names.get(op) == one.name else -1 for one, op in zip(code, of, strict=True)]


def _blocks(ops: Sequence[Op], program: Program) -> list[range]:
    """Basic blocks of PTX: cut at labels that something leads to, and behind branches. The kernel's own instructions stand last."""
    first = len(ops) - len(program.ops)
    reached = {name for op in program.ops for name in _leads(op)} | {
        n for names in program.targets.values() for n in names
    }
    cuts = {0, first, len(ops), *(first + at for name, at in program.labels.items() if name in reached)}
    cuts |= {i + 1 for i, op in enumerate(ops) if isinstance(op.inst.form.effect, Branch)}
    order = sorted(cut for cut in cuts if cut <= len(ops))
    return [range(a, b) for a, b in pairwise(order)]


def _leads(op: Op) -> list[str]:
    """The labels that a branch names."""
    return [operand.name for operand in op.inst.operands.values() if isinstance(operand, Label)]


def _loops(block: range, ops: Sequence[Op], program: Program) -> bool:
    """Whether a block is a loop by itself."""
    first = len(ops) - len(program.ops)
    return any(program.labels.get(name, -1) + first == block.start for name in _leads(ops[block.stop - 1]))
