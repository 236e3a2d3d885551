"""Arithmetic on codes of residues, in machine code: what a rewritten program does in the place of floating-point arithmetic.

A number of 16 bits is a code, one of 32 or 64 bits has it in its upper 16 bits and zeros below: conversions that cut off or shift,
copies and shuffles treat codes as they treat numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ptxlab.codegen.ir import Fn, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import fault
from ptxlab.sim.families.atomics.meaning import updating, updating_vector
from ptxlab.sim.families.plain.compare import combined
from ptxlab.sim.numerics import coded
from ptxlab.sim.numerics import degrees as d
from ptxlab.sim.numerics import residues as r
from ptxlab.sim.numerics.reductions import of_codes

PREFIX: Final = "algebra."
"""In front of a row's key stands this where a program is rewritten."""
DEGREES: Final = "degrees."
"""The same where it computes with degrees."""
U16, U32 = T("u", 16), T("u", 32)


class Lanes:
    """Codes in the lanes of a function."""

    def __init__(self, fn: Fn) -> None:
        self._fn = fn

    def select(self, p: Any, x: Any, y: Any) -> Any:
        return self._fn.select(p, x, y)

    def div(self, x: Any, n: int) -> Any:
        return x / n

    def look(self, table: str, index: Any) -> Any:
        numbers = self._fn.constants(f"ptxlab.residues.{table}", r.TABLES[table], U32.scalar)
        return self._fn.gather(numbers, index, index.t)


def codes_of(value: Val, kind: str) -> tuple[list[Val], Val]:
    """The codes of an operand, as u32: one, or those of both halves; and where bits are no code."""
    bits = value.unsigned
    word = T("u", 32, bits.t.lanes)
    if kind == "f64":
        found, rest = [(bits >> 48).to(word)], bits & ((1 << 48) - 1)
    elif kind in ("f32", "tf32"):
        found, rest = [bits >> 16], bits & 0xFFFF
    elif kind == "f32x2":
        low, high = bits.to(word), (bits >> 32).to(word)
        found, rest = [low >> 16, high >> 16], (low | high) & 0xFFFF
    elif kind.endswith("x2"):
        found, rest = [bits.to(word) & 0xFFFF, bits.to(word) >> 16], bits & 0
    else:
        found, rest = [bits.to(word) & 0xFFFF], bits & 0
    wrong = rest != 0
    for code in found:
        wrong = wrong | r.foreign(code)
    return found, wrong


def stop_at_foreign(e: Emitter, wrong: Val) -> None:
    """A fault where bits are no code: what has made them was no arithmetic."""
    lanes = e.exec & e.fn.mask(wrong)
    with e.if_(lanes != 0):
        fault(e, F.FAULT_FOREIGN, e.intrinsic("cttz", lanes, extra=", i1 true"))


def _of(e: Emitter, value: Val, kind: str) -> list[Val]:
    """The codes of an operand. Atomics update lane by lane: there foreign bits become other ones."""
    found, wrong = codes_of(value, kind)
    if wrong.t.lanes:
        stop_at_foreign(e, wrong)
    return found


def as_bits(codes: list[Val], kind: str) -> Val:
    """A result with these codes."""
    lanes = codes[0].t.lanes
    if kind == "f64":
        return codes[0].to(T("u", 64, lanes)) << 48
    if kind in ("f32", "tf32"):
        return codes[0] << 16
    if kind == "f32x2":
        return ((codes[1] << 16).to(T("u", 64, lanes)) << 32) | (codes[0] << 16).to(T("u", 64, lanes))
    if kind.endswith("x2"):
        return codes[0] | (codes[1] << 16)
    return codes[0].to(T("u", 16, lanes))


def _bounded(e: Emitter, o: Lanes, x: Val, *, degrees: bool = False) -> Val:
    """.sat and .relu of an instruction."""
    if degrees:
        bound = e.has("sat") or e.has("relu") or e.mod("bound") in ("sat", "relu")
        return d.own(o, x) if bound else x
    if e.has("sat") or e.mod("bound") == "sat":
        return r.minimum(o, r.maximum(o, x, x * 0), x * 0 + r.ONE)
    if e.has("relu") or e.mod("bound") == "relu":
        return r.maximum(o, x, x * 0)
    return x


def _elementwise(function: Callable[..., Any], kind: str, e: Emitter, *operands: Val, degrees: bool = False) -> Val:
    kind = kind or e.mods["type"]
    o = Lanes(e.fn)
    given = [_of(e, x, kind) for x in operands]
    return as_bits([_bounded(e, o, function(o, *codes), degrees=degrees) for codes in zip(*given, strict=True)], kind)


def _row(*keys: str, prefix: str = PREFIX) -> Callable[[Any], Any]:
    return meaning(*(prefix + key for key in keys))


def _both(*keys: str) -> Callable[[Any], Any]:
    """Meanings that take whether they compute with degrees."""

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        for prefix in (PREFIX, DEGREES):
            _row(*keys, prefix=prefix)(partial(function, degrees=prefix == DEGREES))
        return function

    return kept


KINDS: Final = ("f32", "f32x2", "f64", "f16", "bf16")
_ARITHMETIC: Final[dict[str, tuple[Callable[..., Any], tuple[str, ...]]]] = {
    "add": (r.add, KINDS),
    "sub": (r.sub, KINDS),
    "mul": (r.mul, KINDS),
    "fma": (r.fma, KINDS),
    "mad": (r.fma, ("f32", "f64")),
    "div": (r.div, ("f32", "f64")),
    "abs": (r.absolute, ("f32", "f64", "f16", "bf16")),
    "neg": (r.neg, ("f32", "f64", "f16", "bf16")),
    "min": (r.minimum, ("f32", "f64", "f16", "bf16")),
    "max": (r.maximum, ("f32", "f64", "f16", "bf16")),
    "copysign": (r.copysign, ("f32", "f64")),
    "rcp": (r.inverse, ("f32", "f64")),
    "rcp.approx": (r.inverse, ("f64",)),
    "sqrt": (r.sqrt, ("f32", "f64")),
    "rsqrt": (r.rsqrt, ("f32",)),
    "rsqrt.approx": (r.rsqrt, ("f64",)),
    "sin": (partial(r.unknown, name="sin"), ("f32",)),
    "cos": (partial(r.unknown, name="cos"), ("f32",)),
    "lg2": (r.lg2, ("f32",)),
    "ex2": (r.ex2, ("f32", "f16", "bf16")),
    "tanh": (coded.tanh, ("f32", "f16", "bf16")),
}


def _extreme3(function: Callable[..., Any], o: Lanes, x: Any, y: Any, z: Any) -> Any:
    return function(o, function(o, x, y), z)


def _arithmetic() -> None:
    rows = [(f"{name}.{kind}", of, kind) for name, (of, kinds) in _ARITHMETIC.items() for kind in kinds]
    rows.append(("rsqrt.approx.f64.full", r.rsqrt, "f64"))
    rows += [(f"{name}.f32.3", partial(_extreme3, of), "f32") for name, of in (("min", r.minimum), ("max", r.maximum))]
    for key, function, kind in rows:
        given = kind if kind[:3] in ("f32", "f64") else ""
        degree = d.FUNCTIONS.get(key.rpartition(".")[0], d.own)
        _row(key)(partial(_elementwise, function, given))
        _row(key, prefix=DEGREES)(partial(_elementwise, degree, given, degrees=True))


_arithmetic()


# --- comparisons --------------------------------------------------------------------------------------------------------
def _compared(e: Emitter, x: Val, y: Val) -> Val:
    cmp, o = e.mod("cmp") or "", Lanes(e.fn)
    nan = (x == r.NAN) | (y == r.NAN)
    if cmp in ("num", "nan"):
        return nan if cmp == "nan" else ~nan
    found = {
        "eq": lambda: x == y,
        "ne": lambda: x != y,
        "lt": lambda: r.less(o, x, y),
        "le": lambda: ~r.less(o, y, x),
        "gt": lambda: r.less(o, y, x),
        "ge": lambda: ~r.less(o, x, y),
    }[cmp.removesuffix("u")]()
    return found | nan if cmp.endswith("u") else found & ~nan


def _setp(kind: str, e: Emitter, a: Val, b: Val, c: Val | None = None) -> None:
    x, y = _of(e, a, kind), _of(e, b, kind)
    found = [_compared(e, *pair) for pair in zip(x, y, strict=True)]
    p, q = found if len(found) > 1 else (found[0], ~found[0])
    e.write("p", combined(e, p, c))
    if e.shape("q") is not None:
        e.write("q", combined(e, q, c))


for _kind in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
    _row(f"setp.{_kind}")(partial(_setp, _kind))


@_row("slct.f32")
def slct(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    """a where c is not negative."""
    (x,) = _of(e, c, "f32")
    return e.select(~r.less(Lanes(e.fn), x, x * 0), a, b)


def _testp(kind: str, e: Emitter, a: Val) -> Val:
    """A number counts as a normal one."""
    (x,) = _of(e, a, kind)
    infinite = (x == r.PLUS) | (x == r.MINUS)
    return {
        "finite": lambda: r.finite(x),
        "infinite": lambda: infinite,
        "number": lambda: x != r.NAN,
        "notanumber": lambda: x == r.NAN,
        "normal": lambda: r.finite(x),
        "subnormal": lambda: x != x,
    }[e.mod("op") or ""]()


for _kind in ("f32", "f64"):
    _row(f"testp.{_kind}")(partial(_testp, _kind))


# --- conversions --------------------------------------------------------------------------------------------------------
@_both("cvt.float")
def cvt_float(e: Emitter, a: Val, *, degrees: bool) -> Val:
    """No number is rounded."""
    (x,) = _of(e, a, e.mod("type") or "")
    return as_bits([_bounded(e, Lanes(e.fn), x, degrees=degrees)], e.mod("dtype") or "")


@_both("cvt.integral")
def cvt_integral(e: Emitter, a: Val, *, degrees: bool) -> Val:
    """To whole numbers: a function that agrees with itself."""
    (x,) = _of(e, a, e.mod("type") or "")
    o = Lanes(e.fn)
    found = d.own(o, x) if degrees else r.unknown(o, x, e.mod("rnd") or "")
    return as_bits([_bounded(e, o, found, degrees=degrees)], e.mod("dtype") or "")


@_both("cvt.narrow")
def cvt_narrow(e: Emitter, a: Val, *, degrees: bool) -> Val:
    (x,) = _of(e, a, "f32")
    return as_bits([_bounded(e, Lanes(e.fn), x, degrees=degrees)], e.mod("dtype") or "")


@_both("cvt.tf32", "cvt.tf32.rna")
def cvt_tf32(e: Emitter, a: Val, *, degrees: bool) -> Val:
    (x,) = _of(e, a, "f32")
    return as_bits([_bounded(e, Lanes(e.fn), x, degrees=degrees)], "f32")


@_both("cvt.pair")
def cvt_pair(e: Emitter, a: Val, b: Val, *, degrees: bool) -> Val:
    """`a` becomes the upper half."""
    halves = [_bounded(e, Lanes(e.fn), _of(e, x, "f32")[0], degrees=degrees) for x in (b, a)]
    return as_bits(halves, e.mod("dtype") or "")


@_both("cvt.from_int")
def cvt_from_int(e: Emitter, a: Val, *, degrees: bool) -> Val:
    """The residues of an integer."""
    if degrees:
        return as_bits([a.unsigned.to(U32) * 0], e.mod("dtype") or "")
    wide = a.to(T(a.t.kind, 64))
    residues: list[Val] = []
    for prime in (r.P, r.Q):
        rest = wide % prime
        if a.t.kind == "s":
            rest = e.select(rest < 0, rest + prime, rest)
        residues.append(rest.unsigned.to(U32))
    return as_bits([r.joined(*residues)], e.mod("dtype") or "")


# --- atomics ------------------------------------------------------------------------------------------------------------
def _update(e: Emitter, old: Val, b: list[Val], *, degrees: bool) -> Val:
    kind = e.mod("type") or "f32"
    function = of_codes(e.mod("op") or "add", degree=degrees)
    pairs = zip(_of(e, old, kind), _of(e, b[0], kind), strict=True)
    return as_bits([function(Lanes(e.fn), x, y) for x, y in pairs], kind).as_(old.t)


for _name in ("atom", "red"):
    for _prefix in (PREFIX, DEGREES):
        _updated = partial(_update, degrees=_prefix == DEGREES)
        _row(f"{_name}.add.float", f"{_name}.add.half", prefix=_prefix)(updating(_updated))
        _vectors = (f"{_name}.vector.{kind}" for kind in ("f32", "half", "pair"))
        _row(*_vectors, prefix=_prefix)(updating_vector(_updated))
