"""What a kernel handles while it is traced: registers, vectors of them, negated predicates, addresses.

Operators on registers are sugar for one instruction each, named in `OPERATORS`; augmented assignment (`i += 1`) writes the
register in place. Python decides nothing by a register: it has no value while the kernel is traced.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn, Protocol, Self, SupportsIndex, TypeAlias, overload

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa import operands as isa
from ptxlab.isa.types import TYPES, ScalarType

Number: TypeAlias = "int | float"
Index: TypeAlias = "Register | int"

_INT = ("b32", "u32", "s32", "b64", "u64", "s64", "b16", "u16", "s16")
_FLOAT = ("f16", "bf16", "f16x2", "bf16x2", "f32", "f64")
_UNSIGNED = {"b16": "u16", "b32": "u32", "b64": "u64"}


def _integers(pattern: str, names: tuple[str, ...] = _INT) -> dict[str, str]:
    """pattern with {t} the type, untyped ones counting as unsigned, and {bits} its width."""
    return {n: pattern.format(t=_UNSIGNED.get(n, n), bits=TYPES[n].bits) for n in names}


def _floats(pattern: str, names: tuple[str, ...] = _FLOAT) -> dict[str, str]:
    return {n: pattern.format(t=n) for n in names}


_COMPARE = {op: {**_integers(f"setp.{op}.{{t}}"), **_floats(f"setp.{op}.{{t}}", ("f16", "bf16", "f32", "f64"))}
            for op in ("eq", "ne", "lt", "le", "gt", "ge")}  # fmt: skip

OPERATORS: dict[str, dict[str, str]] = {
    "+": {**_integers("add.{t}"), **_floats("add.{t}")},
    "-": {**_integers("sub.{t}"), **_floats("sub.{t}")},
    "*": {**_integers("mul.lo.{t}"), **_floats("mul.{t}")},
    "//": _integers("div.{t}"),
    "/": _floats("div.rn.{t}", ("f32", "f64")),
    "%": _integers("rem.{t}"),
    "<<": _integers("shl.b{bits}"),
    ">>": _integers("shr.{t}"),
    "&": {**_integers("and.b{bits}"), "pred": "and.pred"},
    "|": {**_integers("or.b{bits}"), "pred": "or.pred"},
    "^": {**_integers("xor.b{bits}"), "pred": "xor.pred"},
    "neg": {**_integers("neg.{t}", ("s16", "s32", "s64")), **_floats("neg.{t}")},
    "~": _integers("not.b{bits}"),
    "==": _COMPARE["eq"],
    "!=": _COMPARE["ne"],
    "<": _COMPARE["lt"],
    "<=": _COMPARE["le"],
    ">": _COMPARE["gt"],
    ">=": _COMPARE["ge"],
}
"""Operator → type of the left register → the instruction it stands for."""


def whole(value: Any) -> int:
    """A number of bytes, elements or threads that is known while tracing. Raises: Diagnostic PTX0109 for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise Diagnostic(
            "PTX0109", f"{value!r} is no whole number", help="pass an int or a register", origin=user_span()
        ) from None


class Emitter(Protocol):
    """What registers and addresses need of the kernel that is being traced."""

    def emit(self, opcode: str, args: Sequence[Any] = (), named: Mapping[str, Any] = {}, pred: Any = None) -> Any:
        """Emit one instruction; returns the results that were allocated."""
        ...

    def offset_address(self, base: isa.Reg, index: Register, scale: int) -> isa.Reg:
        """A register with base + index * scale."""
        ...

    def address_register(self, address: Address) -> Any:
        """The address as a register."""
        ...


class Register:
    """A register of the kernel being traced. Its class (px.u32, px.f32 …) is its type.

    Attributes:
        reg: the register as instructions hold it.
        fixed: it is set once, at the kernel's entry, and must not be written.
    """

    __slots__ = ("_k", "fixed", "reg")
    scalar: ClassVar[ScalarType]
    __hash__ = object.__hash__

    def __init__(self, k: Emitter, reg: isa.Reg, fixed: bool = False) -> None:
        self._k, self.reg, self.fixed = k, reg, fixed

    def __repr__(self) -> str:
        return f"<{self.reg} .{self.scalar}>"

    def __bool__(self) -> NoReturn:
        raise Diagnostic(
            "PTX2201",
            f"`{self.reg}` has no value while the kernel is traced, so Python cannot branch on it",
            help="branch on the device with `with k.if_(condition):` or `with k.while_(lambda: condition):`, "
            "guard one instruction with pred=condition, or choose with k.selp",
            origin=user_span(),
        )

    def __index__(self) -> NoReturn:
        raise Diagnostic(
            "PTX2201",
            f"`{self.reg}` has no value while the kernel is traced, so Python cannot count or index with it",
            help="use a Python int, or loop on the device with `with k.loop(n) as i:`",
            origin=user_span(),
        )

    def __iter__(self) -> NoReturn:
        raise Diagnostic(
            "PTX2201",
            f"`{self.reg}` is one register and cannot be unpacked",
            help="vector forms (.v2, .v4) and matrix loads return several registers",
            origin=user_span(),
        )

    # Arithmetic: the types are those of the left operand; a plain number takes the register's type.
    def __add__(self, other: Register | Number) -> Self:
        return self._binary("+", other)

    def __radd__(self, other: Number) -> Self:
        return self._binary("+", other)

    def __sub__(self, other: Register | Number) -> Self:
        return self._binary("-", other)

    def __rsub__(self, other: Number) -> Self:
        return self._k.emit(self._opcode("-"), (other, self))

    def __mul__(self, other: Register | Number) -> Self:
        return self._binary("*", other)

    def __rmul__(self, other: Number) -> Self:
        return self._binary("*", other)

    def __floordiv__(self, other: Register | Number) -> Self:
        return self._binary("//", other)

    def __truediv__(self, other: Register | Number) -> Self:
        return self._binary("/", other)

    def __mod__(self, other: Register | Number) -> Self:
        return self._binary("%", other)

    def __lshift__(self, other: Register | int) -> Self:
        return self._binary("<<", other)

    def __rshift__(self, other: Register | int) -> Self:
        return self._binary(">>", other)

    def __and__(self, other: Register | int) -> Self:
        return self._binary("&", other)

    def __rand__(self, other: int) -> Self:
        return self._binary("&", other)

    def __or__(self, other: Register | int) -> Self:
        return self._binary("|", other)

    def __ror__(self, other: int) -> Self:
        return self._binary("|", other)

    def __xor__(self, other: Register | int) -> Self:
        return self._binary("^", other)

    def __rxor__(self, other: int) -> Self:
        return self._binary("^", other)

    def __neg__(self) -> Self:
        return self._k.emit(self._opcode("neg"), (self,))

    def __invert__(self) -> Any:
        """Of a predicate: its negation, for `pred=~p` and conditions, without an instruction. Else one `not`."""
        if self.scalar.kind == "p":
            return Negated(self)
        return self._k.emit(self._opcode("~"), (self,))

    def __iadd__(self, other: Register | Number) -> Self:
        return self._in_place("+", other)

    def __isub__(self, other: Register | Number) -> Self:
        return self._in_place("-", other)

    def __imul__(self, other: Register | Number) -> Self:
        return self._in_place("*", other)

    def __ilshift__(self, other: Register | int) -> Self:
        return self._in_place("<<", other)

    def __irshift__(self, other: Register | int) -> Self:
        return self._in_place(">>", other)

    def __iand__(self, other: Register | int) -> Self:
        return self._in_place("&", other)

    def __ior__(self, other: Register | int) -> Self:
        return self._in_place("|", other)

    def __ixor__(self, other: Register | int) -> Self:
        return self._in_place("^", other)

    # Comparisons: one setp each.
    def __eq__(self, other: object) -> pred:  # type: ignore[override]
        return self._binary("==", other)

    def __ne__(self, other: object) -> pred:  # type: ignore[override]
        return self._binary("!=", other)

    def __lt__(self, other: Register | Number) -> pred:
        return self._binary("<", other)

    def __le__(self, other: Register | Number) -> pred:
        return self._binary("<=", other)

    def __gt__(self, other: Register | Number) -> pred:
        return self._binary(">", other)

    def __ge__(self, other: Register | Number) -> pred:
        return self._binary(">=", other)

    def _opcode(self, operator: str) -> str:
        found = OPERATORS[operator].get(self.scalar.name)
        if found is None:
            raise Diagnostic(
                "PTX2205",
                f"`{operator}` is not defined for `{self.reg}` of type .{self.scalar}",
                help="call the instruction by its name, or convert with k.cvt",
                origin=user_span(),
            )
        return found

    def _binary(self, operator: str, other: object) -> Any:
        return self._k.emit(self._opcode(operator), (self, other))

    def _in_place(self, operator: str, other: Register | Number) -> Any:
        self._k.emit(self._opcode(operator), (self, other), {"d": self})
        return self


class pred(Register):
    """A predicate: a guard (`pred=p`, `pred=~p`) or a condition of `k.if_` and `k.while_`."""

    scalar: ClassVar[ScalarType] = TYPES["pred"]


class Negated:
    """A predicate read with its value inverted: `~p`."""

    __slots__ = ("inner",)

    def __init__(self, inner: Register) -> None:
        self.inner = inner

    def __invert__(self) -> Register:
        return self.inner

    def __bool__(self) -> NoReturn:
        bool(self.inner)
        raise AssertionError("a register has no truth value")

    def __repr__(self) -> str:
        return f"<!{self.inner.reg}>"


_item: Any = tuple.__getitem__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class Registers(tuple[Any, ...]):
    """Several registers: a vector, a fragment or an accumulator. Slices are Registers too."""

    __slots__ = ()

    @property
    def operand(self) -> isa.Vec:
        """The registers in braces."""
        return isa.Vec(tuple(r.reg for r in self))

    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> Registers: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> Any:
        found = _item(self, key)
        return Registers(found) if isinstance(key, slice) else found

    def __add__(self, other: Iterable[Any]) -> Registers:  # type: ignore[override]
        return Registers((*self, *other))


class Address:
    """A place in memory: a base register, a constant offset in bytes, a state space and the type of what lies there."""

    __slots__ = ("_k", "base", "element", "offset", "space")

    def __init__(self, k: Emitter, base: isa.Reg, offset: int, space: str, element: ScalarType | None = None) -> None:
        self._k, self.base, self.offset, self.space, self.element = k, base, offset, space, element

    @classmethod
    def of(cls, base: Register, offset: int = 0, space: str = "generic") -> Address:
        """The address `offset` bytes behind what a register holds (no instruction)."""
        return cls(base._k, base.reg, offset, space)  # pyright: ignore[reportPrivateUsage]

    @property
    def operand(self) -> isa.Addr:
        """The address in brackets."""
        return isa.Addr(self.base, self.offset)

    def at(self, index: Index, scale: int = 1) -> Address:
        """The address `index * scale` bytes on: no instruction for an int, one for a register."""
        if isinstance(index, Register):
            base = self._k.offset_address(self.base, index, scale)
            return Address(self._k, base, self.offset, self.space, self.element)
        return Address(self._k, self.base, self.offset + whole(index) * scale, self.space, self.element)

    def __add__(self, offset: Index) -> Address:
        return self.at(offset)

    def register(self) -> Register:
        """The address in a register; one instruction unless the offset is zero."""
        return self._k.address_register(self)

    def __repr__(self) -> str:
        return f"<{self.space} {self.operand}>"
