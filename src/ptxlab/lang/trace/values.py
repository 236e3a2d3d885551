"""What a kernel handles while it is traced: registers, vectors of them, negated predicates, addresses.

Operators on registers are sugar for one instruction each, named in `OPERATORS`; augmented assignment (`i += 1`) writes the
register in place. Python decides nothing by a register: it has no value while the kernel is traced.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, Self, SupportsIndex, TypeAlias, overload

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa import operands as isa
from ptxlab.isa.types import SPACES, TYPES, ScalarType
from ptxlab.lang.trace.unread import Unread, access
from ptxlab.lang.trace.valueless import Valueless

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
    "+": {**_integers("add.{t}"), **_floats("add.rn.{t}")},
    "-": {**_integers("sub.{t}"), **_floats("sub.rn.{t}")},
    "*": {**_integers("mul.lo.{t}"), **_floats("mul.rn.{t}")},
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

_OTHERWISE = "call the instruction by its name, or convert with k.cvt"
_INSTEAD = {
    ("/", "u"): "`//` divides integers; convert for a fraction: k.cvt.rn.f32.u32(x) / 2.0",
    ("/", "s"): "`//` divides integers; convert for a fraction: k.cvt.rn.f32.s32(x) / 2.0",
    ("//", "f"): "`/` divides; for the whole part k.cvt.rmi.f32.f32(x / y)",
    ("%", "f"): "for the remainder x - y * k.cvt.rmi.f32.f32(x / y)",
    ("neg", "u"): "0 - x, or make a signed register: k.mov.s32(x)",
    ("neg", "b"): "0 - x, or make a signed register: k.mov.s32(x)",
    ("~", "f"): "-x negates; bits are changed in a register of untyped ones: k.mov.b32(x)",
    ("+", "p"): "combine predicates with &, | and ^",
    ("*", "p"): "combine predicates with &, | and ^",
    ("-", "p"): "combine predicates with &, | and ^",
}
"""By operator and kind of type: what to write where there is no instruction."""


def whole(value: Any) -> int:
    """A number of bytes, elements or threads that is known while tracing. Raises: Diagnostic PTX0109 for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        help = "pass an int or a register"
        if isinstance(value, slice):
            help = "take one element; vector forms access its neighbours too: k.ld.global_.v4.f32(pointer[i])"
        elif isinstance(value, tuple):
            help = "give one index: pointer[row * columns + column], tile[stage][row], tile.locate(row, column)"
        raise Diagnostic("PTX0109", f"{value!r} is no whole number", help=help, origin=user_span()) from None


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


class _NoAttribute(Diagnostic, AttributeError):
    """What a user reads, and what `hasattr` understands."""


_WRITES = "to write a register that is there, name it as the destination: k.mov.u32(value, d=x); `x += 1` writes x, too"
_CONVERTS = "convert by an instruction: k.cvt.rn.f32.u32(x); bits are taken over by k.mov.b32(x)"
_MEANT = {
    **dict.fromkeys(("set", "assign", "store", "copy", "update", "value"), _WRITES),
    **dict.fromkeys(("to", "astype", "cast", "view", "bitcast", "float", "int"), _CONVERTS),
}
"""By names that other languages have: what does that here."""
_PROBED = ("as_operand", "operand", "shape", "dtype", "ctypes", "address", "strides", "nbytes")
"""Names by which libraries, and this one, ask what kind of thing they have."""


class Register(Valueless):
    """A register of the kernel being traced. Its class (px.u32, px.f32 …) is its type.

    An operator makes a new register (`v + i`); augmented assignment (`v += i`) writes the one that is there. A name of Python is
    no register of its own: after `u = v`, `u += 1` changes `v`, too, and `u = k.mov.u32(v)` makes a copy.

    Attributes:
        reg: the register as instructions hold it.
        fixed: it is set once, at the kernel's entry, and must not be written.

    Raises: Diagnostic PTX2201 where Python asks for its value (`if r`, `int(r)`), PTX2205 for an operator that its
        type does not have, and for attributes.

    Example:
        i = k.thread
        v = (i << 1) ^ 1  # two instructions
        v += i  # writes v: one instruction
        k.st.global_.u32(out[i], v, pred=(i >= 2) & (v != 0))
        # out[:5]: [ 0  0  7 10 13]
    """

    __slots__ = ("_k", "fixed", "reg")
    scalar: ClassVar[ScalarType]

    def __init__(self, k: Emitter, reg: isa.Reg, fixed: bool = False) -> None:
        self._k, self.reg, self.fixed = k, reg, fixed

    def __repr__(self) -> str:
        return f"<{self.reg} .{self.scalar}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name in _PROBED:
                raise AttributeError(name)
            raise _NoAttribute(
                "PTX2205",
                f"a register of type {self.scalar} has no `.{name}`",
                help=_MEANT.get(name, "it has operators; instructions are words of k, as k.mov.b32(x)"),
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

    def __rfloordiv__(self, other: Number) -> Self:
        return self._k.emit(self._opcode("//"), (other, self))

    def __truediv__(self, other: Register | Number) -> Self:
        return self._binary("/", other)

    def __rtruediv__(self, other: Number) -> Self:
        return self._k.emit(self._opcode("/"), (other, self))

    def __mod__(self, other: Register | Number) -> Self:
        return self._binary("%", other)

    def __rmod__(self, other: Number) -> Self:
        return self._k.emit(self._opcode("%"), (other, self))

    def __lshift__(self, other: Register | int) -> Self:
        return self._binary("<<", other)

    def __rlshift__(self, other: int) -> Self:
        return self._k.emit(self._opcode("<<"), (other, self))

    def __rshift__(self, other: Register | int) -> Self:
        return self._binary(">>", other)

    def __rrshift__(self, other: int) -> Self:
        return self._k.emit(self._opcode(">>"), (other, self))

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

    def __ifloordiv__(self, other: Register | Number) -> Self:
        return self._in_place("//", other)

    def __itruediv__(self, other: Register | Number) -> Self:
        return self._in_place("/", other)

    def __imod__(self, other: Register | Number) -> Self:
        return self._in_place("%", other)

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
            symbol, name = "-" if operator == "neg" else operator, self.scalar.name
            if name in ("u8", "s8"):
                wide = f"{name[0]}32"
                raise self._operator(
                    symbol, f"there is no arithmetic of 8 bits; widen it first: k.cvt.{wide}.{name}(x)"
                )
            raise self._operator(symbol, _INSTEAD.get((operator, self.scalar.kind), _OTHERWISE))
        return found

    def _binary(self, operator: str, other: object) -> Any:
        if other is None and operator in ("==", "!="):
            raise self._unknown("compare it with None", "`x is None` asks Python; a register is never None")
        if type(other) is Negated:
            other.alone()
        return self._k.emit(self._opcode(operator), (self, other))

    def _in_place(self, operator: str, other: Register | Number) -> Any:
        self._k.emit(self._opcode(operator), (self, other), {"d": self})
        return self


setattr(Register, "__hash__", Valueless.__hash__)  # noqa: B010 (a class with __eq__ has none)


class pred(Register):
    """A predicate: a guard (`pred=p`, `pred=~p`) or a condition of `k.if_` and `k.while_`.

    Example:
        p = (k.thread < 8) & (k.thread % 2 == 0)
        k.st.global_.u32(out[k.thread], 1, pred=p)
        k.st.global_.u32(out[k.thread], 2, pred=~p)
        # out[:10]: [1 2 1 2 1 2 1 2 2 2]
    """

    scalar: ClassVar[ScalarType] = TYPES["pred"]


class Negated:
    """A predicate read with its value inverted: `~p`.

    Raises: Diagnostic PTX2205 where an operator is given one; `k.not_.pred(p)` makes a register of it.

    Example:
        p = k.thread < 2
        with k.if_(~p):  # no instruction for ~
            k.st.global_.u32(out[k.thread], 1)
        # out[:4]: [0 0 1 1]
    """

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

    def alone(self, *_: object) -> NoReturn:
        """It stands where operators take a register. Raises: Diagnostic PTX2205."""
        raise Diagnostic(
            "PTX2205",
            f"{self!r} is a guard or a condition as it stands, and no register that operators take",
            help="make one: k.not_.pred(p)",
            origin=user_span(),
        )


for _name in ("and", "rand", "or", "ror", "xor", "rxor", "eq", "ne"):
    setattr(Negated, f"__{_name}__", Negated.alone)


_item: Any = tuple.__getitem__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


SHOWN = 8
"""Registers of several that are shown by name."""


class Registers(tuple[Any, ...]):
    """Several registers: a vector, a fragment or an accumulator. Slices are Registers too.

    `registers[i] += value` and its like write one of them, in one instruction.

    Raises: Diagnostic PTX2205 for arithmetic with all of them at once, and for `registers[i] = value`; PTX0109 for an index
        that is no number, PTX2210 for one beyond the last.

    Example:
        four = k.ld.global_.v4.f32(x[4 * k.thread])
        twice = [r + r for r in four]
        k.st.global_.v2.f32(y[2 * k.thread], twice[:2])
        # y[:4]: [ 0.  2.  8. 10.]
    """

    __slots__ = ()
    _one: ClassVar[str] = "registers are counted: registers[i]"

    def __repr__(self) -> str:
        shown = ", ".join(f"{r!r}" for r in self[:SHOWN])
        return f"({shown}{',' if len(self) == 1 else ''}{f', … {len(self)} registers' if len(self) > SHOWN else ''})"

    @property
    def operand(self) -> isa.Vec:
        """The registers in braces."""
        return isa.Vec(tuple(r.reg for r in self))

    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> Registers: ...
    def __getitem__(self, key: SupportsIndex | slice, /) -> Any:
        if isinstance(key, slice):
            return Registers(_item(self, key))
        if not hasattr(key, "__index__"):
            raise Diagnostic("PTX0109", f"{key!r} is no whole number", help=self._one, origin=user_span())
        try:
            return _item(self, key)
        except IndexError:
            what = f"there is no register {key} among {len(self)}"
            raise Diagnostic("PTX2210", what, help=f"use 0 to {len(self) - 1}", origin=user_span()) from None

    def __setitem__(self, key: SupportsIndex | slice, value: Any, /) -> None:
        """What `registers[i] += x` ends with: the register itself has been written, and stays where it is."""
        if isinstance(key, slice) or value is not self[key]:
            raise Diagnostic(
                "PTX2205",
                "a register of several cannot be exchanged for another",
                help="write it: k.mov.f32(value, d=registers[i]), with the register's type; `registers[i] += value` works too",
                origin=user_span(),
            )

    def __add__(self, other: Iterable[Any]) -> Registers:  # type: ignore[override]
        if isinstance(other, Register | int | float) or not isinstance(other, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            self._one_by_one("+")
        return Registers((*self, *other))

    def __radd__(self, other: object) -> Registers:
        return Registers((*other, *self)) if isinstance(other, tuple) else self._one_by_one("+")  # pyright: ignore[reportUnknownArgumentType]

    def __delitem__(self, key: SupportsIndex | slice, /) -> NoReturn:
        help = "take the others: [*registers[:i], *registers[i + 1:]]"
        raise Diagnostic("PTX2205", "a register of several cannot be taken out", help=help, origin=user_span())

    def _one_by_one(self, symbol: str) -> NoReturn:
        raise Diagnostic(
            "PTX2205",
            f"`{symbol}` does not compute with {len(self)} registers at once",
            help=f"compute with each: [r {symbol} 2.0 for r in registers]" if symbol in "+-*/" else "compute with each",
            origin=user_span(),
        )


def _several(symbol: str) -> Any:
    def refuse(self: Registers, *_: Any) -> NoReturn:
        self._one_by_one(symbol)  # pyright: ignore[reportPrivateUsage]

    return refuse


_SEVERAL = {
    **{f"{side}{name}": symbol for side in ("", "r") for name, symbol in {
        "mul": "*", "sub": "-", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and": "&", "or": "|",
        "xor": "^", "lshift": "<<", "rshift": ">>"}.items()},
    "imul": "*", "neg": "-", "invert": "~", "abs": "abs", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "array_ufunc": "NumPy",
}  # fmt: skip
for _name, _symbol in _SEVERAL.items():
    setattr(Registers, f"__{_name}__", _several(_symbol))


class Address(Unread):
    """A place in memory: a base register, a constant offset in bytes, a state space and the type of what lies there.

    Attributes:
        space: its state space, e.g. "global". element: type of what lies there, or None. offset: constant bytes behind the base.

    Example:
        first = x.address()
        place = first.at(k.thread, 4).at(4)  # 4 bytes for each thread, and 4 more
        again = px.Address.of(place.register(), 0, "global")
        k.st.global_.f32(y[k.thread], k.ld.global_.f32(again))
        # y[:3]: [1. 2. 3.]
    """

    __slots__ = ("_k", "base", "element", "offset", "space")

    def __init__(self, k: Emitter, base: isa.Reg, offset: int, space: str, element: ScalarType | None = None) -> None:
        self._k, self.base, self.offset, self.space, self.element = k, base, offset, space, element

    @classmethod
    def of(cls, base: Register, offset: int = 0, space: str = "generic") -> Address:
        """The address `offset` bytes behind what a register holds (no instruction).

        Args:
            base: a register of 64 bits (32 for shared memory). offset: bytes.
            space: "generic", "global", "shared", "shared::cluster" …

        Raises: Diagnostic PTX0108 for a name that is no state space, PTX0109 for a base that is no register.
        """
        if space not in SPACES or space == "reg":
            known = ", ".join(f'"{s}"' for s in sorted(SPACES - {"reg"}))
            raise Diagnostic(
                "PTX0108", f"{space!r} is no state space", help=f"write one of {known}", origin=user_span()
            )
        if not isinstance(base, Register):  # pyright: ignore[reportUnnecessaryIsInstance]
            help = "give the register that holds the address; a place is moved by .at(bytes), and is an address already"
            raise Diagnostic("PTX0109", f"{base!r} is no register", help=help, origin=user_span())
        return cls(base._k, base.reg, offset, space)  # pyright: ignore[reportPrivateUsage]

    @property
    def operand(self) -> isa.Addr:
        """The address in brackets."""
        return isa.Addr(self.base, self.offset)

    def at(self, index: Index, scale: int = 1) -> Address:
        """The address `index * scale` bytes on: no instruction for an int, one for a register.

        Args:
            index: an int or a register. scale: bytes that one index stands for.
        """
        if isinstance(index, Register):
            base = self._k.offset_address(self.base, index, scale)
            return Address(self._k, base, self.offset, self.space, self.element)
        return Address(self._k, self.base, self.offset + whole(index) * scale, self.space, self.element)

    def __add__(self, offset: Index) -> Address:
        if isinstance(offset, float) or (isinstance(offset, Register) and offset.scalar.kind in "fp"):
            raise self.unread("`+` moves it by whole bytes alone")
        return self.at(offset)

    def loaded_by(self) -> str:
        """The call that loads what lies here."""
        return f"{access('ld', self.space, self.element)}(address)"

    def stored_by(self) -> str:
        """The call that stores here."""
        return f"{access('st', self.space, self.element)}(address, value)"

    def register(self) -> Register:
        """The address in a register; one instruction unless the offset is zero."""
        return self._k.address_register(self)

    def __repr__(self) -> str:
        return f"<{self.space} {self.operand}>"
