"""Where two machines part: a program that notes, behind each statement, what is in the registers that it names.

The lanes of one warp write words behind the output, as many as there is room for: the number of a statement, then a word
for each register (two for 64 bits). Statements of functions note nothing; their calls do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.micro.kernel import THREADS, Bytes, Micro
from ptxlab.conformance.programs import run as programs
from ptxlab.conformance.programs.tree import Line, Nest, Node, Program

LANES: Final = 32
WORDS: Final = 4096
"""Words of a lane."""
NBYTES: Final = 4 * LANES * WORDS
_NAMED: Final = re.compile(r"%(?:[bhrxp]\d+|sum|wide)\b")
Words: TypeAlias = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Note:
    """What a lane noted behind a statement.

    Attributes:
        statement: its number.
        values: of registers, by name.
    """

    statement: int
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Traced:
    """A program that notes what it does.

    Attributes:
        program: it.
        statements: texts by number.
    """

    program: Program
    statements: tuple[str, ...]

    def notes(self, log: Words) -> Iterator[Note]:
        """What a lane noted."""
        words: Iterator[int] = iter(log.tolist())
        for number in words:
            if number == 0 or number > len(self.statements):
                return
            values: list[tuple[str, int]] = []
            text: str = self.statements[number - 1]
            for name in _registers(text):
                try:
                    value = next(words) | (next(words) << 32 if _wide(name) else 0)
                except StopIteration:
                    return
                values.append((name, value))
            yield Note(number - 1, tuple(values))


def traced(program: Program, warp: int = 0) -> Traced:
    """The same program, with notes of a warp of the grid."""
    statements: list[str] = []
    body = _noting(program.body, statements)
    start = (
        ".reg .b64 %lg, %le; .reg .pred %lq; .reg .b16 %l8; .reg .b32 %lw, %lv;"
        f"add.u64 %le, %target, {program.micro.write_bytes}; mad.wide.u32 %lg, %lane, {4 * WORDS}, %le; "
        f"add.u64 %le, %lg, {4 * (WORDS - 40)}; shr.u32 %lw, %g, 5; setp.ne.u32 %lq, %lw, {warp}; @%lq mov.u64 %lg, %le;"
    )
    return Traced(replace(program, body=(Line(start), *body)), tuple(statements))


def _noting(nodes: Sequence[Node], statements: list[str]) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in nodes:
        if isinstance(node, Line):
            out += [node, Line(_note(node.text, statements))]
            continue
        parts: list[tuple[Node, ...]] = []
        for i, part in enumerate(node.parts):
            parts.append((Line(_note(node.frame[i], statements)), *_noting(part, statements)))
        out += [Nest(node.frame, tuple(parts)), Line(_note(node.frame[-1], statements))]
    return tuple(out)


def _registers(text: str) -> list[str]:
    return list(dict.fromkeys(_NAMED.findall(text)))


def _wide(name: str) -> bool:
    return name == "%wide" or name[1] == "x"


def _note(text: str, statements: list[str]) -> str:
    statements.append(text)
    out = [f"setp.lt.u64 %lq, %lg, %le; mov.u32 %lw, {len(statements)}; @%lq st.global.b32 [%lg], %lw;"]
    at = 4
    for name in _registers(text):
        if _wide(name):
            out.append(f"mov.b64 {{%lw, %lv}}, {name}; @%lq st.global.b32 [%lg+{at}], %lw;")
            out.append(f"@%lq st.global.b32 [%lg+{at + 4}], %lv;")
            at += 8
            continue
        kinds = {"b": f"cvt.u32.u8 %lw, {name};", "h": f"cvt.u32.u16 %lw, {name};", "p": f"selp.u32 %lw, 1, 0, {name};"}
        out.append(kinds.get(name[1], f"mov.b32 %lw, {name};") + f" @%lq st.global.b32 [%lg+{at}], %lw;")
        at += 4
    return " ".join([*out, f"@%lq add.u64 %lg, %lg, {at};"])


def split(micro: Micro, raw: Bytes) -> tuple[Bytes, Words]:
    """Columns of a program's output, and the words of each lane."""
    log = np.ascontiguousarray(raw[micro.write_bytes :]).view(np.uint32).reshape(LANES, WORDS)
    return micro.results(raw[: micro.write_bytes]), log


def firsts(made: Traced, chip: Words, ours: Words) -> list[tuple[int, Note | None, Note | None, Note | None]]:
    """Lanes that part, those that do so at the first statements of the text in front.

    Each with the last note that was equal and the first ones that are not, of the chip and of the simulator.
    """
    out: list[tuple[int, tuple[int, Note | None, Note | None, Note | None]]] = []
    for lane in range(LANES):
        if np.array_equal(chip[lane], ours[lane]):
            continue
        theirs, mine = made.notes(chip[lane]), made.notes(ours[lane])
        before: Note | None = None
        while True:
            a, b = next(theirs, None), next(mine, None)
            if a != b:
                out.append((min(n.statement for n in (a, b) if n is not None), (lane, before, a, b)))
                break
            if a is None:
                break
            before = a
    return [found for _, found in sorted(out, key=lambda one: one[0])]


def simulated_output(text: str, micro: Micro, seed: int, more: int = 0) -> Bytes:
    """All that a program writes in the simulator, and so many bytes behind it."""
    import ptxlab as px

    memory, out = programs.arrays(micro, seed, more)
    px.simulate(px.parse(text)["k0"], grid=micro.lanes // THREADS, block=THREADS, args=[memory, out], lints=False)
    return out
