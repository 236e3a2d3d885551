"""Questions of Python about a number's value, which a register cannot answer while a kernel is traced.

Only what Python calls by itself stands here, so a type checker still sees that a register is no number.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from types import CodeType
from typing import Any, ClassVar, NoReturn

import numpy as np

from ptxlab.diag import Diagnostic, frame_at, user_span
from ptxlab.isa.operands import Reg
from ptxlab.isa.types import ScalarType

FUNCTIONS: dict[str, str] = {
    "sqrt": "k.sqrt.rn.f32(x), or the faster k.sqrt.approx.f32(x)",
    "exp": "k.ex2.approx.f32(x * 1.4426950408889634)",
    "exp2": "k.ex2.approx.f32(x)",
    "log": "k.lg2.approx.f32(x) * 0.6931471805599453",
    "log2": "k.lg2.approx.f32(x)",
    "log10": "k.lg2.approx.f32(x) * 0.3010299956639812",
    "sin": "k.sin.approx.f32(x)",
    "cos": "k.cos.approx.f32(x)",
    "tanh": "k.tanh.approx.f32(x)",
    "pow": "x * x for a square, k.ex2.approx.f32(k.lg2.approx.f32(x) * y) for what is positive",
    "abs": "k.abs.{signed}(x)",
    "min": "k.min.{type}(x, y)",
    "max": "k.max.{type}(x, y)",
    "floor": "k.cvt.rmi.f32.f32(x), or k.cvt.rmi.s32.f32(x) for an integer",
    "ceil": "k.cvt.rpi.f32.f32(x), or k.cvt.rpi.s32.f32(x) for an integer",
    "round": "k.cvt.rni.f32.f32(x), or k.cvt.rni.s32.f32(x) for an integer",
    "trunc": "k.cvt.rzi.f32.f32(x), or k.cvt.rzi.s32.f32(x) for an integer",
    "reciprocal": "k.rcp.rn.f32(x)",
    "copysign": "k.copysign.f32(sign, x)",
    "isnan": "k.testp.notanumber.f32(x)",
    "isinf": "k.testp.infinite.f32(x)",
    "isfinite": "k.testp.finite.f32(x)",
    "where": "k.selp.{bits}(x, y, condition)",
    "clip": "k.min.{type}(k.max.{type}(x, low), high)",
    "divmod": "x // y and x % y for integers",
    "dot": "a loop of k.fma.rn.f32(x, y, sum)",
    "fma": "k.fma.rn.f32(x, y, z)",
    "logical_and": "p & q",
    "logical_or": "p | q",
    "logical_not": "~p",
}
"""Functions of math and NumPy, and what does the same on the device."""
_SAME = {
    "maximum": "max", "fmax": "max", "amax": "max", "minimum": "min", "fmin": "min", "amin": "min", "absolute": "abs",
    "fabs": "abs", "power": "pow", "float_power": "pow", "rint": "round", "around": "round", "fix": "trunc", "matmul": "dot",
    "select": "where",
}  # fmt: skip
_CALLED = re.compile(r"\b(?:math|cmath|np|numpy)\.(\w+)\s*\(")
_PERCENT = re.compile(r"[\"']\s*%\s*\(?\w")
_BRANCH = (
    "branch on the device with `with k.if_(condition):` or `with k.while_(lambda: condition):`, "
    "guard one instruction with pred=condition, or choose with k.selp"
)
_DECIDED = (
    (re.compile(r"\b(?:any|all)\s*\("), "combine predicates with | and &"),
    (re.compile(r"\bassert\b"), "k.trap(pred=~condition) stops a kernel; ~p negates a predicate"),
    (re.compile(r"\band\b|\bor\b"), "combine predicates with & and |, in parentheses: (x > 1) & (x < 5)"),
    (re.compile(r"[<>]=?[^<>=:,]+[<>]=?"), "write a chain of comparisons as (0 < x) & (x < 5)"),
    (re.compile(r"(?<!\w)in\b"), "compare with one after the other: (x == 1) | (x == 2)"),
    (re.compile(r"\bnot\b"), "~p negates a predicate"),
    (re.compile(r"\b(?:sorted|sort)\s*\("), "exchange by k.min and k.max"),
)
"""Ways to let Python decide, as they look in the source, and what to write instead."""


def on_device(function: str, scalar: ScalarType) -> str | None:
    """What does on the device what a function of Python, math or NumPy does; None where no instruction is known."""
    found = FUNCTIONS.get(_SAME.get(function, function))
    if found is None:
        return None
    bits = scalar.bits if scalar.kind != "p" else 32  # a predicate says nothing of what was compared
    name = scalar.name if scalar.kind not in "bp" else f"u{bits}"
    signed = f"s{bits}" if name[0] == "u" else name
    return found.format(type=name, signed=signed, bits=f"b{max(16, bits)}")


def _source_line() -> str:
    place = user_span()
    return linecache.getline(place.file, place.line).partition("#")[0]


class Valueless:
    """A register as Python sees it: every question for its value is a diagnostic at the user's line."""

    __slots__ = ()
    reg: Reg
    scalar: ClassVar[ScalarType]

    def __bool__(self) -> NoReturn:
        raise self._unknown("branch on it", self._decided())

    def __index__(self) -> NoReturn:
        _indexed[:] = [_caller()]
        raise self._unknown(
            "count or index with it",
            "use a Python int, loop on the device with `with k.loop(n) as i:`, or index memory: tile.at(i * 4), pointer[i]",
        )

    def __iter__(self) -> NoReturn:
        raise Diagnostic(
            "PTX2201",
            f"`{self.reg}` is one register and cannot be unpacked",
            help="vector forms (.v2, .v4) and matrix loads return several registers",
            origin=user_span(),
        )

    def _unknown(self, what: str, help: str) -> Diagnostic:
        return Diagnostic(
            "PTX2201",
            f"`{self.reg}` has no value while the kernel is traced, so Python cannot {what}",
            help=help,
            origin=user_span(),
        )

    def _decided(self) -> str:
        """What to write where Python would decide by this register."""
        line = _source_line()
        for function in ("min", "max"):
            if re.search(rf"\b{function}(?:imum)?\s*\(", line):
                if self.scalar.kind == "p":  # of a comparison, which does not tell what it compared
                    return f"choose on the device, by the type of what is compared: k.{function}.f32(x, y), k.{function}.u32(x, y)"
                return f"choose on the device: {on_device(function, self.scalar)}"
        for look, advice in _DECIDED:
            if look.search(line):
                return advice
        return _BRANCH if self.scalar.kind == "p" else f"compare it, e.g. x != 0; then {_BRANCH}"

    def _called(self) -> str | None:
        """What to write for the function of math or NumPy on the user's line."""
        found = _CALLED.search(_source_line())
        return None if found is None else on_device(found[1], self.scalar)

    def _operator(self, symbol: str, help: str) -> Diagnostic:
        return Diagnostic(
            "PTX2205",
            f"`{symbol}` is not defined for `{self.reg}` of type .{self.scalar}",
            help=help,
            origin=user_span(),
        )


def _caller() -> tuple[CodeType, int]:
    frame = frame_at(2)
    return frame.f_code, frame.f_lasti


_indexed: list[tuple[CodeType, int]] = []
"""Where Python has asked last for an index. NumPy forgets the answer, and asks the same register for an array next."""


def _as_number(self: Valueless) -> NoReturn:
    call = self._called()  # pyright: ignore[reportPrivateUsage]
    help = "convert on the device: k.cvt.rn.f32.s32(n), k.cvt.rzi.s32.f32(x)" if call is None else f"write {call}"
    if _PERCENT.search(_source_line()):
        help = 'print it on the device: k.print("%d\\n", x)'
    raise self._unknown("make a number of it", help)  # pyright: ignore[reportPrivateUsage]


def _as_array(self: Valueless, dtype: Any = None, copy: bool | None = None) -> Any:
    """An array of one object: NumPy's arrays of objects may hold registers."""
    if dtype is not None and np.dtype(dtype) != object:
        raise self._unknown("make a number of NumPy of it", "keep registers in lists, or in arrays of dtype=object")  # pyright: ignore[reportPrivateUsage]
    if _indexed and _indexed.pop() == _caller():
        raise self._unknown(  # pyright: ignore[reportPrivateUsage]
            "index an array with it", "pass the array to the kernel, and load its element: k.ld.global_.f32(array[i])"
        )
    made = np.empty((), object)
    made[()] = self
    return made


def _ufunc(self: Valueless, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
    """NumPy's operators are Python's; its functions are none of the device's."""
    if _SAME.get(ufunc.__name__, ufunc.__name__) not in FUNCTIONS:
        try:
            return getattr(ufunc, method)(*(_as_array(i) if isinstance(i, Valueless) else i for i in inputs), **named)
        except TypeError:
            pass  # arrays of objects look for a method of this name
    help = on_device(ufunc.__name__, self.scalar)
    raise self._unknown(  # pyright: ignore[reportPrivateUsage]
        f"compute numpy.{ufunc.__name__} of it",
        f"write {help}" if help else "compute it with instructions: k.add, k.fma, k.ex2 …",
    )


def _array_function(self: Valueless, function: Any, types: Any, args: Any, named: Any) -> Any:
    """NumPy's functions of arrays: those that compute are none of the device's."""
    name = function.__name__
    help = on_device(name, self.scalar)
    if help is not None:
        raise self._unknown(f"compute numpy.{name} of it", f"write {help}")  # pyright: ignore[reportPrivateUsage]
    return function(*_boxed(args), **{n: _boxed(v) for n, v in named.items()})


def _boxed(value: Any) -> Any:
    if isinstance(value, Valueless):
        return _as_array(value)
    return type(value)(map(_boxed, value)) if type(value) in (tuple, list) else value


def _formatted(self: Valueless, spec: str) -> str:
    if not spec:
        return repr(self)
    letter = {"f": "f", "s": "d"}.get(self.scalar.kind, "u")
    raise self._unknown(f"format it as {spec!r}", f'k.print("%{letter}\\n", x) prints values on the device')  # pyright: ignore[reportPrivateUsage]


def _asks(what: str, help: str) -> Callable[..., NoReturn]:
    def refuse(self: Valueless, *_: Any) -> NoReturn:
        raise self._unknown(what, help)  # pyright: ignore[reportPrivateUsage]

    return refuse


def _computes(symbol: str, function: str) -> Callable[..., NoReturn]:
    def refuse(self: Valueless, *_: Any) -> NoReturn:
        help = on_device(function, self.scalar) or function
        raise self._operator(symbol, f"write {help}")  # pyright: ignore[reportPrivateUsage]

    return refuse


_ONE = "a register holds one value; the elements of memory are loaded: k.ld.global_.f32(pointer[i])"
_ANSWERS: dict[str, Callable[..., Any]] = {
    "__int__": _as_number,
    "__float__": _as_number,
    "__complex__": _as_number,
    "__array__": _as_array,
    "__array_ufunc__": _ufunc,
    "__array_function__": _array_function,
    "__format__": _formatted,
    "__len__": _asks("count its elements", _ONE),
    "__getitem__": _asks("take a part of it", _ONE + "; parts of a register by k.unpack(x, px.b16)"),
    "__setitem__": _asks("set a part of it", "k.mov makes a register of parts: k.mov.b32((low, high))"),
    "__delitem__": _asks("remove a part of it", _ONE),
    "__contains__": _asks("look into it", "compare: x == 3"),
    "__hash__": _asks("look it up", "key by its name, str(x.reg), or by id(x)"),
    "__enter__": _asks("enter it", "write `with k.if_(condition):`"),
    "__exit__": _asks("leave it", "write `with k.if_(condition):`"),
    "__pow__": _computes("**", "pow"),
    "__rpow__": _computes("**", "pow"),
    "__divmod__": _computes("divmod", "divmod"),
    "__rdivmod__": _computes("divmod", "divmod"),
    "__matmul__": _computes("@", "k.fma for a product of numbers, k.mma and k.wgmma for matrices"),
    "__rmatmul__": _computes("@", "k.fma for a product of numbers, k.mma and k.wgmma for matrices"),
    "__abs__": _computes("abs", "abs"),
    "__round__": _computes("round", "round"),
    "__trunc__": _computes("trunc", "trunc"),
    "__floor__": _computes("floor", "floor"),
    "__ceil__": _computes("ceil", "ceil"),
    "__pos__": _computes("+", "x alone, or k.mov for a copy"),
}
for _name, _answer in _ANSWERS.items():
    setattr(Valueless, _name, _answer)
