"""Operands as the parser reads them and the language makes them: one tree for both."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Union

from ptxlab.isa.types import ScalarType

OPAQUE = ("texref", "samplerref", "surfref")
"""Types of variables that are handles alone, by which symbols of them name their space."""


@dataclass(frozen=True, slots=True)
class Reg:
    """A register. `type` is its declared type; `name` is as it is printed, percent sign included.

    `written` is its name in the text where that is another: `v.r` for `v.x`.
    """

    name: str
    type: ScalarType
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.written or self.name


@dataclass(frozen=True, slots=True)
class Sreg:
    """A special register such as %tid.x or %clock64. `written` is its name in the text where that is another: %tid.r."""

    name: str
    type: ScalarType
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.written or self.name


@dataclass(frozen=True, slots=True)
class Imm:
    """An immediate. `value` is an int, or a float for decimal floating literals; `bits` is set for 0f… and 0d… literals.

    `text` is how it was or will be written.
    """

    value: int | float
    text: str
    float_bits: int = 0  # 32 for 0fXXXXXXXX, 64 for 0dX…; `value` is then the bit pattern as an int

    @property
    def is_float(self) -> bool:
        """Whether it is written as a floating-point number: 1.5, 0f… or 0d…."""
        return bool(self.float_bits) or isinstance(self.value, float)

    @property
    def number(self) -> int | float:
        """The value as a number, that of a 0f… or 0d… literal too."""
        if self.float_bits:
            packed = int(self.value).to_bytes(self.float_bits // 8, "little")
            return struct.unpack("<f" if self.float_bits == 32 else "<d", packed)[0]
        return self.value

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable, parameter or function. `space` is where it is declared: "param" for a kernel's
    parameters, "param::func" for those of functions and calls, "func" for functions themselves.

    `written` is the offset as the text has it where that is not the usual spelling.
    `element`: bytes of an element of an array; 0 for anything else. `indexed`: an element is named: `array[4]`.
    `given`: it is a texture, sampler or surface that a kernel gets as a parameter.
    """

    name: str
    space: str
    offset: int = 0
    align: int = 1
    size: int = 0  # bytes; 0 when unknown (an extern array)
    written: str = field(default="", compare=False)
    element: int = field(default=0, compare=False)
    indexed: bool = False
    given: bool = False

    def __str__(self) -> str:
        return self.name + (self.written or (f"+{self.offset}" if self.offset else ""))


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array that a register names: `array[%r1+4]`. The register and the offset count elements.

    `written` is the offset as the text has it, sign included, where that is not the usual spelling.
    """

    base: Symbol
    index: Reg
    offset: int = 0
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        offset = self.written or (f"+{self.offset}" if self.offset else "")
        return f"{self.base.name}[{self.index}{offset}]"


@dataclass(frozen=True, slots=True)
class Sum:
    """A register and a number: `%r1+4`, which ptxas adds before the instruction. `written` as in Element."""

    reg: Reg
    offset: int
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.reg}{self.written or f'+{self.offset}'}"


@dataclass(frozen=True, slots=True)
class Label:
    """A branch target."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Not:
    """A negated predicate source: !p."""

    reg: Reg

    def __str__(self) -> str:
        return f"!{self.reg}"


@dataclass(frozen=True, slots=True)
class Sink:
    """The bit bucket `_`."""

    def __str__(self) -> str:
        return "_"


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes or halves of a register, as video instructions take them: %r1.b0, %r1.h10."""

    reg: Reg
    which: str

    def __str__(self) -> str:
        return f"{self.reg}.{self.which}"


@dataclass(frozen=True, slots=True)
class Minus:
    """A register or a part of one, negated: -%r1."""

    of: Reg | Part

    @property
    def reg(self) -> Reg:
        """The register."""
        return self.of.reg if isinstance(self.of, Part) else self.of

    def __str__(self) -> str:
        return f"-{self.of}"


@dataclass(frozen=True, slots=True)
class Vec:
    """A brace-enclosed list of operands. `bare`: a single coordinate, written without braces.

    `written` is the name of a vector that has one: `%tid`, or `v` after `.reg .v2 .f32 v`.
    """

    items: tuple[Operand, ...]
    bare: bool = field(default=False, compare=False)
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        if self.written:
            return self.written
        if self.bare:
            return str(self.items[0])
        return "{" + ", ".join(map(str, self.items)) + "}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two destinations written d|p."""

    first: Operand
    second: Operand

    def __str__(self) -> str:
        return f"{self.first}|{self.second}"


@dataclass(frozen=True, slots=True)
class Addr:
    """A bracketed address: [base+offset], or [base, {coords}] of a tensor (then `coords` is set).

    A list of values in brackets is one, too: [endpoint, offset] has its last value as a single coordinate.

    `written` is the offset as the text has it, sign included, where that is not the usual spelling (`+4`, `+-4`): `+0x10`, `+0`.
    `between`: what stands in front of the coordinates: a texture's sampler, where the module keeps the two apart, or what a
    copy takes in place of its tensor map's fields.
    `unified`: it is marked `.unified`, as one that means the same to the host and to all devices.
    """

    base: Reg | Symbol | Imm
    offset: int = 0
    coords: Vec | None = None
    written: str = field(default="", compare=False)
    unified: bool = False
    between: tuple[Operand, ...] = ()

    def __str__(self) -> str:
        inner = str(self.base) + (self.written or (f"+{self.offset}" if self.offset else ""))
        for more in self.between:
            inner = f"{inner}, {more}"
        place = f"[{inner}, {self.coords}]" if self.coords is not None else f"[{inner}]"
        return place + ".unified" if self.unified else place


@dataclass(frozen=True, slots=True)
class Params:
    """A parenthesised list of a call: its arguments or return values."""

    items: tuple[Operand, ...]

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.items)) + ")"


@dataclass(frozen=True, slots=True)
class Raw:
    """Text that no other class describes. It prints, and fits no row.

    `registers`: those that it names.
    """

    text: str
    registers: tuple[Reg, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return self.text


Operand = Union[Reg, Sreg, Imm, Symbol, Label, Not, Sink, Part, Minus, Vec, Pair, Addr, Params, Raw, Element, Sum]  # noqa: UP007  (forward references above)
