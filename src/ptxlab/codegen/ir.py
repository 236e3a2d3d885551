"""A small language over LLVM assembly: Python expressions on vectors of 32 lanes become LLVM instructions.

`Fn` is one LLVM function under construction; a `Val` is a typed SSA value of it. Operators follow the value's kind: `/`,
`>>`, `<` and the like are signed on "s", unsigned on "u", IEEE on "f". A scalar joined with a vector is splat first.
Text, not llvmlite's builder objects: five times faster to make, and it can say musttail and constrained intrinsics.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

LANES = 32


@dataclass(frozen=True, slots=True)
class T:
    """A type: kind u, s (integers), f (IEEE floats), p (booleans) or ptr; bits of an element; lanes, 0 for a scalar."""

    kind: str
    bits: int
    lanes: int = LANES

    @property
    def element(self) -> str:
        """The LLVM type of an element."""
        if self.kind == "ptr":
            return "ptr"
        if self.kind == "f":
            return {16: "half", 32: "float", 64: "double"}[self.bits]
        return f"i{self.bits}"

    def __str__(self) -> str:
        return f"<{self.lanes} x {self.element}>" if self.lanes else self.element

    @property
    def suffix(self) -> str:
        """How intrinsics spell it."""
        e = {"half": "f16", "float": "f32", "double": "f64", "ptr": "p0"}.get(self.element, self.element)
        return f"v{self.lanes}{e}" if self.lanes else e

    @property
    def scalar(self) -> T:
        """The type of one element."""
        return replace(self, lanes=0)

    def unsigned_type(self) -> T:
        """Unsigned integers of this width."""
        return replace(self, kind="u")

    def wide(self, lanes: int = LANES) -> T:
        """The vector of this element."""
        return replace(self, lanes=lanes)


PTR = T("ptr", 64, 0)
I32 = T("u", 32, 0)
I64 = T("u", 64, 0)
PRED = T("p", 1)


_AS_BITS = {"bf16": 16, "tf32": 32, "f32x2": 64, "e4m3x2": 16, "e5m2x2": 16} | {
    f"{t}x2": 32 for t in ("f16", "bf16", "u16", "s16")
}


def ty(name: str, lanes: int = LANES) -> T:
    """`u32`, `s64`, `f16`, `b8`, `pred` as a type; untyped bits count as unsigned; bf16 and packed types as bits."""
    if name == "pred":
        return T("p", 1, lanes)
    if name in _AS_BITS:
        return T("u", _AS_BITS[name], lanes)
    kind = "u" if name[0] == "b" else name[0]
    return T(kind, int(name[1:]), lanes)


_ROUNDING = {"rz": 0, "rn": 1, "rp": 2, "rm": 3}
_ARITH = {"+": ("add", "fadd"), "-": ("sub", "fsub"), "*": ("mul", "fmul")}
_COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


class Val:
    """A value in a function under construction. `text` is how LLVM names it."""

    __hash__ = object.__hash__

    def __init__(self, fn: Fn, text: str, t: T) -> None:
        self.fn, self.text, self.t = fn, text, t

    def __repr__(self) -> str:
        return f"Val({self.t} {self.text})"

    # -- operators
    def _with(self, other: Any) -> tuple[Val, Val]:
        return self.fn.unify(self, other)

    def _arith(self, op: str, other: Any) -> Val:
        a, b = self._with(other)
        return self.fn.op(_ARITH[op][a.t.kind == "f"], a.t, a, b)

    def __add__(self, o: Any) -> Val:
        return self._arith("+", o)

    def __sub__(self, o: Any) -> Val:
        return self._arith("-", o)

    def __mul__(self, o: Any) -> Val:
        return self._arith("*", o)

    def __rsub__(self, o: Any) -> Val:
        return self.fn.const(o, self.t) - self

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, o: Any) -> Val:
        a, b = self._with(o)
        return self.fn.op({"f": "fdiv", "s": "sdiv", "u": "udiv"}[a.t.kind], a.t, a, b)

    def __mod__(self, o: Any) -> Val:
        a, b = self._with(o)
        return self.fn.op({"s": "srem", "u": "urem"}[a.t.kind], a.t, a, b)

    def __and__(self, o: Any) -> Val:
        a, b = self._with(o)
        return self.fn.op("and", a.t, a, b)

    def __or__(self, o: Any) -> Val:
        a, b = self._with(o)
        return self.fn.op("or", a.t, a, b)

    def __xor__(self, o: Any) -> Val:
        a, b = self._with(o)
        return self.fn.op("xor", a.t, a, b)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, o: Any) -> Val:
        """The amount must be less than the width."""
        a, b = self._with(o)
        return self.fn.op("shl", a.t, a, b)

    def __rshift__(self, o: Any) -> Val:
        """The amount must be less than the width; arithmetic on signed values."""
        a, b = self._with(o)
        return self.fn.op("ashr" if a.t.kind == "s" else "lshr", a.t, a, b)

    def __invert__(self) -> Val:
        return self ^ self.fn.const(-1, self.t)

    def __neg__(self) -> Val:
        if self.t.kind == "f":
            return self.fn.line(f"fneg {self.t} {self.text}", self.t)
        return self.fn.const(0, self.t) - self

    def compare(self, op: str, o: Any, *, unordered: bool = False) -> Val:
        """A comparison by LLVM's word (eq, ne, lt, …); on floats true for NaN where `unordered`."""
        a, b = self._with(o)
        if a.t.kind == "f":
            word = f"fcmp {'u' if unordered else 'o'}{op}"
        elif op in ("eq", "ne"):
            word = f"icmp {op}"
        else:
            word = f"icmp {'s' if a.t.kind == 's' else 'u'}{op}"
        return self.fn.line(f"{word} {a.t} {a.text}, {b.text}", T("p", 1, a.t.lanes))

    def __eq__(self, o: object) -> Val:  # type: ignore[override]
        return self.compare("eq", o)

    def __ne__(self, o: object) -> Val:  # type: ignore[override]
        return self.compare("ne", o, unordered=True)

    def __lt__(self, o: Any) -> Val:
        return self.compare("lt", o)

    def __le__(self, o: Any) -> Val:
        return self.compare("le", o)

    def __gt__(self, o: Any) -> Val:
        return self.compare("gt", o)

    def __ge__(self, o: Any) -> Val:
        return self.compare("ge", o)

    def __bool__(self) -> bool:
        raise TypeError("a Val has no truth while the function is built; use select or if_")

    # -- types
    def as_(self, to: T | str) -> Val:
        """The same bits as another type of the same width (lane by lane)."""
        to = ty(to, self.t.lanes) if isinstance(to, str) else to
        if to == self.t:
            return self
        if (to.element, to.lanes) == (self.t.element, self.t.lanes):
            return Val(self.fn, self.text, to)
        return self.fn.line(f"bitcast {self.t} {self.text} to {to}", to)

    def to(self, to: T | str) -> Val:
        """Converted in value: extended by its own sign, truncated, or between integer and float (nearest even).

        Float to integer truncates and is undefined out of range: clamp first. Booleans become 0 and 1.
        """
        to = ty(to, self.t.lanes) if isinstance(to, str) else to.wide(self.t.lanes)
        return self.fn.convert(self, to)

    @property
    def signed(self) -> Val:
        """The bits as a signed integer."""
        return self.as_(T("s", self.t.bits, self.t.lanes))

    @property
    def unsigned(self) -> Val:
        """The bits as an unsigned integer."""
        return self.as_(T("u", self.t.bits, self.t.lanes))

    @property
    def floating(self) -> Val:
        """The bits as a float."""
        return self.as_(T("f", self.t.bits, self.t.lanes))


class Fn:
    """One LLVM function under construction; `args` are its parameters as values."""

    def __init__(self, name: str, result: str, params: Sequence[T], *, linkage: str = "", attributes: str = "") -> None:
        self.name = name
        self._count = 0
        self._lines: list[str] = []
        self._allocas: list[str] = []
        self.declared: set[str] = set()
        self.label = "entry"
        self.closed = False
        self._mode = ""  # the rounding that is set
        self.args = [Val(self, f"%a{i}", t) for i, t in enumerate(params)]
        shown = ", ".join(f"{t} %a{i}" for i, t in enumerate(params))
        self._head = f"define {linkage} {result} @{name}({shown})"
        self.attributes = f"nounwind {attributes}"

    def text(self) -> str:
        """The function as LLVM assembly."""
        return "\n".join([f"{self._head} {self.attributes} {{", "entry:", *self._allocas, *self._lines, "}"])

    # -- lines
    def fresh(self, stem: str = "v") -> str:
        """A name not used yet."""
        self._count += 1
        return f"{stem}{self._count}"

    def line(self, text: str, t: T) -> Val:
        """An instruction with a result."""
        name = "%" + self.fresh()
        self._lines.append(f"  {name} = {text}")
        return Val(self, name, t)

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self._lines.append("  " + text)

    def op(self, word: str, t: T, *args: Val) -> Val:
        """`word T a, b`, the result of the same type."""
        return self.line(f"{word} {t} {', '.join(a.text for a in args)}", t)

    def call(self, name: str, t: T, *args: Val, extra: str = "") -> Val:
        """A call of an intrinsic by its full name; `extra` is appended to the arguments, e.g. `, i1 false`."""
        types = ", ".join(str(a.t) for a in args)
        tail = "".join(", " + part.split()[0] for part in extra.split(", ") if part)
        self.declared.add(f"declare {t} @{name}({types}{tail})")
        shown = ", ".join(f"{a.t} {a.text}" for a in args)
        return self.line(f"call {t} @{name}({shown}{extra})", t)

    def invoke(self, function: Val, t: T, *args: Val) -> Val:
        """A call of a function by its address."""
        shown = ", ".join(f"{a.t} {a.text}" for a in args)
        return self.line(f"call {t} {function.text}({shown})", t)

    def run(self, function: Val, *args: Val) -> None:
        """A call of a function that returns nothing, by its address."""
        shown = ", ".join(f"{a.t} {a.text}" for a in args)
        self.do(f"call void {function.text}({shown})")

    def rounded(self, name: str, mode: str, result: T, *args: Val) -> Val:
        """A constrained intrinsic (fadd, fma, sitofp, …) under a rounding mode: rn, rz, rm or rp."""
        if "strictfp" not in self.attributes:
            self.attributes += " strictfp"
        types = "".join(f".{t.suffix}" for t in ((result,) if result == args[0].t else (result, args[0].t)))
        full = f"llvm.experimental.constrained.{name}{types}"
        shown = ", ".join(f"{a.t} {a.text}" for a in args)
        self.declared.add(f"declare {result} @{full}({', '.join(str(a.t) for a in args)}, metadata, metadata)")
        assert self._mode in ("", mode), f"{mode} within {self._mode}"
        if not self._mode:
            self._set_rounding(mode)
        meta = 'metadata !"round.dynamic", metadata !"fpexcept.ignore"'
        out = self.line(f"call {result} @{full}({shown}, {meta}) strictfp", result)
        if not self._mode:
            self._set_rounding("rn")
        return out

    @contextmanager
    def rounding(self, mode: str) -> Generator[None, None, None]:
        """`rounded` in the body is under this mode, which is set once. What is not `rounded` must not be rounded."""
        self._mode = mode if mode != "rn" else ""
        self._set_rounding(self._mode)
        yield
        if self._mode:
            self._mode = ""
            self._set_rounding("rn")

    def _set_rounding(self, mode: str) -> None:
        if mode:
            self.declared.add("declare void @llvm.set.rounding(i32)")
            self.do(f"call void @llvm.set.rounding(i32 {_ROUNDING[mode]}) strictfp")

    def intrinsic(self, name: str, *args: Val, extra: str = "") -> Val:
        """`llvm.<name>.<type>` on values of one type."""
        return self.call(f"llvm.{name}.{args[0].t.suffix}", args[0].t, *args, extra=extra)

    # -- constants
    def const(self, value: int | float | Val, t: T) -> Val:
        """A constant of a type, splat over its lanes; values pass through."""
        if isinstance(value, Val):
            return value
        if t.kind == "f":
            bits = struct.unpack("<Q", struct.pack("<d", float(value)))[0]
            text = f"0x{bits:016X}" if t.bits > 16 else f"0xH{_half_bits(float(value)):04X}"
        elif t.kind == "p":
            text = "true" if value else "false"
        else:
            v = int(value) & ((1 << t.bits) - 1)
            text = str(v - (1 << t.bits) if v >> (t.bits - 1) else v)
        return Val(self, f"splat ({t.element} {text})" if t.lanes else text, t)

    def vector(self, values: Sequence[int], t: T) -> Val:
        """A constant vector of integers."""
        return Val(self, "<" + ", ".join(f"{t.element} {v}" for v in values) + ">", replace(t, lanes=len(values)))

    def iota(self, t: T, step: int = 1) -> Val:
        """0, step, 2 step, … over the lanes."""
        return self.vector([i * step for i in range(t.lanes)], t)

    def null(self, t: T) -> Val:
        """Zero bits of any type."""
        return Val(self, "null" if t == PTR else "zeroinitializer" if t.lanes else self.const(0, t).text, t)

    def undef(self, t: T) -> Val:
        """Any value."""
        return Val(self, "poison", t)

    # -- types
    def unify(self, a: Val, b: Any) -> tuple[Val, Val]:
        """Two operands brought to one number of lanes; Python numbers take the type of the other."""
        if not isinstance(b, Val):
            return a, self.const(b, a.t)
        if a.t.lanes != b.t.lanes:
            if a.t.lanes == 0:
                a = self.splat(a, b.t.lanes)
            else:
                b = self.splat(b, a.t.lanes)
        assert a.t.element == b.t.element, f"{a.t} against {b.t} in {self.name}"
        return a, b

    def splat(self, v: Val, lanes: int = LANES) -> Val:
        """A scalar in every lane."""
        if v.t.lanes:
            return v
        t = v.t.wide(lanes)
        if not v.text.startswith("%"):
            return Val(self, f"splat ({v.t} {v.text})", t)
        one = self.line(f"insertelement {t} poison, {v.t} {v.text}, i32 0", t)
        return self.line(f"shufflevector {t} {one.text}, {t} poison, <{lanes} x i32> zeroinitializer", t)

    def convert(self, v: Val, to: T) -> Val:
        """See Val.to."""
        a, b = v.t, to
        if a.kind == "f" and b.kind == "f":
            word = "fpext" if b.bits > a.bits else "fptrunc"
        elif a.kind == "f":
            word = "fptosi" if b.kind == "s" else "fptoui"
        elif b.kind == "f":
            word = "sitofp" if a.kind == "s" else "uitofp"
        elif b.kind == "ptr":
            word = "inttoptr"
        elif a.kind == "ptr":
            word = "ptrtoint"
        elif b.bits < a.bits:
            word = "trunc"
        else:
            word = "sext" if a.kind == "s" else "zext"
        if a.bits == b.bits and a.kind != "ptr" and b.kind != "ptr" and "f" not in (a.kind, b.kind):
            return v.as_(b)
        if a.bits == b.bits and a.kind == b.kind:
            return v.as_(b)
        return self.line(f"{word} {a} {v.text} to {b}", b)

    def wide128(self, low: Val, high: Val) -> Val:
        """128 bits from two halves."""
        t = T("u", 128, low.t.lanes)
        return low.unsigned.to(t) | (high.unsigned.to(t) << 64)

    def halves128(self, v: Val) -> tuple[Val, Val]:
        """The two halves of 128 bits, the lower first."""
        t = T("u", 64, v.t.lanes)
        return v.to(t), (v >> 64).to(t)

    def regroup(self, v: Val, element: T) -> Val:
        """The same bits as a vector of wider or narrower elements, e.g. 32 × u32 as 64 × f16."""
        t = element.wide(v.t.lanes * v.t.bits // element.bits)
        return self.line(f"bitcast {v.t} {v.text} to {t}", t) if str(t) != str(v.t) else v.as_(t)

    # -- choice
    def select(self, p: Val, a: Any, b: Any) -> Val:
        """a where p holds, else b."""
        if not isinstance(a, Val):
            a = self.const(a, b.t)
        a, b = self.unify(a, b)
        if p.t.lanes and not a.t.lanes:
            a, b = self.splat(a), self.splat(b)
        return self.line(f"select {p.t} {p.text}, {a.t} {a.text}, {b.t} {b.text}", a.t)

    def min(self, a: Val, b: Any) -> Val:
        """The lesser of two integers."""
        a, b = self.unify(a, b)
        return self.intrinsic("smin" if a.t.kind == "s" else "umin", a, b)

    def max(self, a: Val, b: Any) -> Val:
        """The greater of two integers."""
        a, b = self.unify(a, b)
        return self.intrinsic("smax" if a.t.kind == "s" else "umax", a, b)

    def all(self, p: Val) -> Val:
        """Whether a boolean vector holds in all lanes."""
        return self.mask(p) == -1

    def mask(self, p: Val) -> Val:
        """A boolean vector as bits, lane 0 lowest."""
        to = T("u", p.t.lanes, 0)
        return self.line(f"bitcast {p.t} {p.text} to {to}", to)

    def lanes(self, bits: Val) -> Val:
        """Bits as a boolean vector."""
        to = T("p", 1, bits.t.bits)
        return self.line(f"bitcast {bits.t} {bits.text} to {to}", to)

    def reduce(self, word: str, v: Val) -> Val:
        """`llvm.vector.reduce.<word>`: umin, or, add, …"""
        return self.call(f"llvm.vector.reduce.{word}.{v.t.suffix}", v.t.scalar, v)

    def extract(self, v: Val, index: Val | int) -> Val:
        """One lane."""
        at = f"i32 {index}" if isinstance(index, int) else f"{index.t} {index.text}"
        return self.line(f"extractelement {v.t} {v.text}, {at}", v.t.scalar)

    def insert(self, v: Val, value: Val, index: Val | int) -> Val:
        """The vector with one lane replaced."""
        at = f"i32 {index}" if isinstance(index, int) else f"{index.t} {index.text}"
        return self.line(f"insertelement {v.t} {v.text}, {value.t} {value.text}, {at}", v.t)

    def shuffle(self, a: Val, b: Val | None, picks: Sequence[int]) -> Val:
        """Elements of a, then of b, by number."""
        t = replace(a.t, lanes=len(picks))
        other = b.text if b is not None else "poison"
        mask = ", ".join(f"i32 {i}" for i in picks)
        return self.line(f"shufflevector {a.t} {a.text}, {a.t} {other}, <{len(picks)} x i32> <{mask}>", t)

    def permute(self, v: Val, picks: Val) -> Val:
        """The elements of 32 × 32 bits that the elements of `picks` name (modulo 32), on a processor with AVX-512."""
        low, high = (self.shuffle(v.unsigned, None, range(i, i + 16)) for i in (0, 16))
        parts = [self.shuffle(picks.unsigned, None, range(i, i + 16)) for i in (0, 16)]
        a, b = (self.call("llvm.x86.avx512.vpermi2var.d.512", low.t, low, part, high) for part in parts)
        return self.shuffle(a, b, range(LANES)).as_(v.t)

    # -- memory of the host
    def at(self, pointer: Val, offset: Val | int) -> Val:
        """The pointer `offset` bytes further."""
        shown = f"i64 {offset}" if isinstance(offset, int) else f"{offset.t} {offset.text}"
        return self.line(f"getelementptr i8, ptr {pointer.text}, {shown}", PTR)

    def load(self, pointer: Val, t: T, offset: Val | int = 0, align: int = 1) -> Val:
        """What lies `offset` bytes behind the pointer."""
        p = pointer if isinstance(offset, int) and offset == 0 else self.at(pointer, offset)
        return self.line(f"load {t}, ptr {p.text}, align {align}", t)

    def store(self, v: Val, pointer: Val, offset: Val | int = 0, align: int = 1) -> None:
        """Put a value `offset` bytes behind the pointer."""
        p = pointer if isinstance(offset, int) and offset == 0 else self.at(pointer, offset)
        self.do(f"store {v.t} {v.text}, ptr {p.text}, align {align}")

    def masked_load(self, where: Val, lanes: Val, t: T) -> Val:
        """Elements side by side from a pointer on, those that a boolean vector names; zero elsewhere, and not touched."""
        name = f"llvm.masked.load.{t.suffix}.p0"
        self.declared.add(f"declare {t} @{name}(ptr, i32, {lanes.t}, {t})")
        return self.line(f"call {t} @{name}(ptr {where.text}, i32 1, {lanes.t} {lanes.text}, {t} zeroinitializer)", t)

    def masked_store(self, v: Val, where: Val, lanes: Val) -> None:
        """Put the elements that a boolean vector names side by side; the places between stay untouched."""
        name = f"llvm.masked.store.{v.t.suffix}.p0"
        self.declared.add(f"declare void @{name}({v.t}, ptr, i32, {lanes.t})")
        self.do(f"call void @{name}({v.t} {v.text}, ptr {where.text}, i32 1, {lanes.t} {lanes.text})")

    def constants(self, name: str, values: Sequence[int], t: T) -> Val:
        """A table of integers that is part of the code, by its address. One name stands for the same numbers everywhere."""
        shown = ", ".join(f"{t.element} {v}" for v in values)
        self.declared.add(
            f'@"{name}" = private unnamed_addr constant [{len(values)} x {t.element}] [{shown}], align 64'
        )
        return Val(self, f'@"{name}"', PTR)

    def gather(self, table: Val, index: Val, t: T) -> Val:
        """The elements of a table that the lanes of `index` name."""
        where = T("ptr", 64, index.t.lanes)
        places = self.line(f"getelementptr {t.element}, ptr {table.text}, {index.t} {index.text}", where)
        if not index.t.lanes:
            return self.load(places, t, align=t.bits // 8)
        lanes = T("p", 1, t.lanes)
        name = f"llvm.masked.gather.{t.suffix}.{where.suffix}"
        self.declared.add(f"declare {t} @{name}({where}, i32, {lanes}, {t})")
        every = self.const(1, lanes)
        return self.line(
            f"call {t} @{name}({where} {places.text}, i32 {t.bits // 8}, {lanes} {every.text}, {t} poison)", t
        )

    def alloca(self, t: T, count: int = 1, align: int = 64) -> Val:
        """Memory of this call."""
        name = "%" + self.fresh("m")
        self._allocas.append(f"  {name} = alloca {t}, i32 {count}, align {align}")
        return Val(self, name, PTR)

    def variable(self, first: Val) -> Variable:
        """Something that changes its value, for loops."""
        return Variable(self, first)

    # -- control
    def block(self, label: str) -> None:
        """Start a basic block."""
        if not self.closed:
            self.do(f"br label %{label}")
        self._lines.append(f"{label}:")
        self.label, self.closed = label, False

    def branch(self, p: Val, yes: str, no: str, weights: str = "") -> None:
        """Go to one of two blocks."""
        self.do(f"br i1 {p.text}, label %{yes}, label %{no}")
        self.closed = True

    def jump(self, label: str) -> None:
        """Go to a block."""
        self.do(f"br label %{label}")
        self.closed = True

    def ret(self, v: Val | int) -> None:
        """Return a value; an int is a status."""
        self.do(f"ret {v.t} {v.text}" if isinstance(v, Val) else f"ret i32 {v}")
        self.closed = True

    def ret_void(self) -> None:
        """Return nothing."""
        self.do("ret void")
        self.closed = True

    @contextmanager
    def if_(self, p: Val) -> Generator[None, None, None]:
        """The body runs where the scalar boolean holds."""
        yes, after = self.fresh("then"), self.fresh("endif")
        self.branch(p, yes, after)
        self.block(yes)
        yield
        self.block(after)

    @contextmanager
    def while_(self) -> Generator[str, None, None]:
        """An endless loop; gives the label behind it: leave with `branch` or `break_if`."""
        head, after = self.fresh("loop"), self.fresh("done")
        self.block(head)
        yield after
        if not self.closed:
            self.jump(head)
        self.block(after)

    def break_if(self, p: Val, after: str) -> None:
        """Leave a loop where the scalar boolean holds."""
        go = self.fresh("go")
        self.branch(p, after, go)
        self.block(go)

    @contextmanager
    def each_bit(self, mask: Val) -> Generator[Val, None, None]:
        """The body runs for every bit set in a 32-bit mask, lowest first; gives its number."""
        left = self.variable(mask)
        with self.while_() as after:
            bits = left.get()
            self.break_if(bits == 0, after)
            index = self.intrinsic("cttz", bits, extra=", i1 true")
            left.set(bits & (bits - 1))
            yield index

    @contextmanager
    def count(self, stop: Val | int) -> Generator[Val, None, None]:
        """The body runs with 0, 1, … stop − 1 as an i32."""
        n = self.variable(self.const(0, I32))
        with self.while_() as after:
            i = n.get()
            self.break_if(i >= stop, after)
            yield i
            n.set(i + 1)


class Variable:
    """A mutable value; LLVM turns it into SSA form."""

    def __init__(self, fn: Fn, first: Val) -> None:
        self.fn, self.t = fn, first.t
        self.where = fn.alloca(first.t)
        self.set(first)

    def get(self) -> Val:
        """The value now."""
        return self.fn.load(self.where, self.t, align=64)

    def set(self, v: Val) -> None:
        """Give it another value."""
        self.fn.store(v, self.where, align=64)


def _half_bits(value: float) -> int:
    return struct.unpack("<H", struct.pack("<e", value))[0]
