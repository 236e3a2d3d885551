"""Whether two kernels compute the same expressions, whatever floating-point arithmetic does: then they leave the same bits.

Each instruction that computes with floating-point numbers becomes a function of its opcode and of the bits of its operands: a hash,
of which nothing else is known than that sums, products, minima and maxima are commutative. All else stays as it is. Inputs are
random bits. If results of two kernels are equal then, they are the same expressions of the same inputs, or hashes have collided.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.launch.kernel import Kernel
from ptxlab.verification.spec import LAUNCHED

_LINE = re.compile(r"^\s*(?P<guard>@!?%\w+ )?(?P<opcode>[a-z][\w.:]*) (?P<operands>[^;]*);")
_FLOATS = ("f16", "bf16", "f16x2", "bf16x2", "f32", "tf32")
_MOVE = ("mov", "ld", "st", "selp")
_COMMUTE = ("add", "mul", "min", "max", "fma")
_COMPUTE = (*_COMMUTE, "sub", "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "tanh", "sin", "cos", "neg", "abs", "cvt")
_INTO_INTEGERS = re.compile(r"cvt(\.\w+)*\.[su]\d+\.\w+$")
_MIX, _STIR, _PAIR = (
    0x9E3779B1,
    0x85EBCA77,
    "mad.lo.u32 {0}, {0}, {2}, {1};\nshr.u32 t, {0}, 15;\nxor.b32 {0}, {0}, t;\n",
)
SURE = 2.0**-40
MOST = 64
"""Runs, at most."""


class Unsaid(Exception):
    """An instruction that is no function of numbers into numbers, or is not known here."""


@dataclass(slots=True)
class _Writer:
    """Writes integer instructions for one of arithmetic. widths: of registers, in bits."""

    widths: dict[str, int]
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def bits(self, operand: str) -> str:
        """A register that holds the bits of an operand."""
        name = f"a{self.count}"
        self.count += 1
        if operand.startswith(("0f", "0F")):
            self.lines.append(f"mov.b32 {name}, 0x{operand[2:]};")
        elif not operand.startswith("%"):
            self.lines.append(f"mov.b32 {name}, {operand};")
        elif self.widths[operand] == 16:
            self.lines.append(f"mov.b16 h, {operand};\ncvt.u32.u16 {name}, h;")
        elif self.widths[operand] == 32:
            self.lines.append(f"mov.b32 {name}, {operand};")
        else:
            raise Unsaid(f"{operand} of {self.widths[operand]} bits")
        return name

    def mixed(self, into: str, value: str) -> None:
        """Another value goes into a hash."""
        for factor in (_MIX, _STIR):
            self.lines.append(_PAIR.format(into, value, factor))

    def result(self, guard: str, into: str, value: str) -> None:
        """A register gets a hash."""
        if self.widths[into] == 16:
            self.lines.append(f"cvt.u16.u32 h, {value};\n{guard}mov.b16 {into}, h;")
        elif self.widths[into] == 32:
            self.lines.append(f"{guard}mov.b32 {into}, {value};")
        else:
            raise Unsaid(f"{into} of {self.widths[into]} bits")

    def text(self) -> str:
        return f"{{\n.reg .b32 t, hash, every, a<{self.count + 1}>;\n.reg .b16 h;\n" + "\n".join(self.lines) + "\n}"


def _split(operands: str) -> list[str]:
    return [one.strip() for one in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s{][^,]*", operands)]


def _items(vector: str) -> list[str]:
    return [one.strip() for one in vector.strip("{}").split(",")]


def _hashed(found: re.Match[str], widths: dict[str, int]) -> str:
    """One instruction as a hash."""
    opcode, guard, given = found["opcode"], found["guard"] or "", _split(found["operands"])
    write, name = _Writer(widths), opcode.partition(".")[0]
    write.lines.append(f"mov.b32 hash, 0x{zlib.crc32(opcode.encode()):08x};")
    if name == "mma":
        return _product(write, given)
    values = [write.bits(one) for one in given[1:]]
    if name in _COMMUTE:
        one, two, *rest = values
        write.lines.append(f"min.u32 t, {one}, {two};\nmax.u32 {two}, {one}, {two};\nmov.b32 {one}, t;")
        values = [one, two, *rest]
    for value in values:
        write.mixed("hash", value)
    write.result(guard, given[0], "hash")
    return write.text()


def _product(write: _Writer, given: list[str]) -> str:
    """A warp's product: each element of D a function of all of A and B, of its place and of its element of C."""
    lane = f"a{write.count}"
    write.count += 1
    write.lines.append(f"mov.u32 {lane}, %laneid;")
    write.mixed("hash", lane)
    for register in (*_items(given[1]), *_items(given[2])):
        write.mixed("hash", write.bits(register))
    write.lines.append("redux.sync.add.u32 every, hash, 0xffffffff;")
    sums = [write.bits(one) for one in _items(given[3])]
    for number, (into, addend) in enumerate(zip(_items(given[0]), sums, strict=True)):
        write.lines.append(f"add.u32 hash, every, {number};")
        write.mixed("hash", lane)
        write.mixed("hash", addend)
        write.result("", into, "hash")
    return write.text()


def _lines(text: str, widths: dict[str, int]) -> Iterator[str]:
    for line in text.splitlines():
        found = _LINE.match(line)
        words = set(re.findall(r"(?<=\.)(?:b?f16x?2?|t?f32|f64)\b", line))
        name = found["opcode"].partition(".")[0] if found is not None else ""
        if not words or name in _MOVE or line.lstrip().startswith((".reg", ".param", ".shared")):
            yield line
        elif found is None or line.count(";") > 1 or not words <= set(_FLOATS):
            raise Unsaid(line.strip())
        elif name == "mma" or (name in _COMPUTE and not _INTO_INTEGERS.match(found["opcode"])):
            yield _hashed(found, widths)
        else:
            raise Unsaid(line.strip())


def as_terms(text: str) -> str:
    """A module whose arithmetic is hashes. Raises: Unsaid where a number decides something, or is treated as bits."""
    (program,) = (px.parse(text)[name].program for name in re.findall(r"\.entry (\w+)", text))
    widths = {name: type_.bits for name, type_ in program.registers.items()}
    return "\n".join(_lines(text, widths))


@dataclass(frozen=True, slots=True)
class Same:
    """Whether all results were equal in all runs, and by chance with this probability at most."""

    equal: bool
    runs: int
    chance: float


def same_expressions(texts: tuple[str, str], name: str, case: px.Case, seed: int) -> Same:
    """Run two modules' kernels on hashes until that is sure enough.

    Two values that differ are made equal with a probability of 2⁻ʷ, for w bits of the narrowest number, at each of as many
    instructions as a result is made by, which are at most all that warps execute.
    """
    rng = np.random.default_rng(seed)
    kernels = [px.parse(as_terms(text))[name] for text in texts]
    halves = re.search(r"cvt(\.\w+)*\.b?f16(x2)?\.|\.b?f16(x2)? ", texts[0] + texts[1])
    arrays = [arg for arg in case.args if isinstance(arg, px.Input | px.Output) and arg.elements.kind not in "iub"]
    narrow = min(16 if halves else 32, *(8 * one.elements.itemsize for one in arrays))
    chance = 1.0
    for run in range(1, MOST + 1):
        contents = [_content(arg, rng) for arg in case.args]
        (first, steps), (second, more) = (_left(kernel, contents, case) for kernel in kernels)
        if first != second:
            return Same(False, run, 1.0)
        chance *= min(1.0, max(steps, more) * 2.0**-narrow)
        if chance <= SURE:
            return Same(True, run, chance)
    raise Unsaid(f"{MOST} runs are too few")


def _content(arg: Any, rng: np.random.Generator) -> Any:
    if not isinstance(arg, px.Input | px.Output):
        return arg
    if isinstance(arg, px.Input) and arg.elements.kind in "iub":
        return np.zeros(arg.extents, arg.elements)
    nbytes = arg.elements.itemsize * int(np.prod(arg.extents))
    return rng.integers(0, 256, nbytes, dtype=np.uint8).view(arg.elements).reshape(arg.extents)


def _left(kernel: Kernel, contents: list[Any], case: px.Case) -> tuple[list[bytes], int]:
    """What it leaves, and how many instructions its warps execute."""
    args = [one.copy() if isinstance(one, np.ndarray) else one for one in contents]
    launch = {key: value for key, value in case.launch.items() if key in LAUNCHED}
    report = px.simulate(kernel, args=args, lints=False, seed=0, **launch)
    results = [a.tobytes() for a, arg in zip(args, case.args, strict=True) if isinstance(arg, px.Output)]
    return results, report.stats.instructions // 32


__all__ = ["Same", "Unsaid", "as_terms", "same_expressions"]
