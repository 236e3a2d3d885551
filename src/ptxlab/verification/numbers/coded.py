"""Arrays of residues, which NumPy's functions take: a reference is computed with them as a kernel is.

See ptxlab/sim/numerics/residues.py for what a code is, and docs/explanation/algebra.md for what their equality means.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.numerics import coded as c
from ptxlab.sim.numerics import residues as r
from ptxlab.sim.numerics.residues import ARRAYS
from ptxlab.verification.numbers.degrees import CONSTANT, INPUT, Degree, negative_axes
from ptxlab.verification.numbers.followed import (
    ALIKE,
    JOINING,
    MOVING,
    PRODUCTS,
    Followed,
    Function,
    Unfollowed,
    keepers,
)

Codes = NDArray[np.uint32]
UFUNCS: Final[dict[tuple[str, str], Function]] = {}
FUNCTIONS: Final[dict[str, Function]] = {}
LOG2E: Final = np.uint32(c.LOG2E)
LN2: Final = r.inverse(ARRAYS, LOG2E)


@dataclass(slots=True)
class Field:
    """What has happened to a reference.

    Attributes:
        unsure: whether it has compared equal numbers, or such that a residue of them is not defined: a kernel may choose otherwise.
    """

    unsure: bool = False


class Coded(Followed):
    """An array of codes, and a bound of the degree of its elements."""

    ufuncs, functions = UFUNCS, FUNCTIONS

    def __init__(self, codes: Any, within: Field, degree: Degree = CONSTANT) -> None:
        self.codes: Codes = np.asarray(codes, np.uint32)
        self.within, self.degree = within, degree

    @property
    def _numbers(self) -> Codes:
        return self.codes

    def _take(self, found: Any) -> None:
        self.codes, self.degree = found.codes, found.degree

    def _moved(self, function: Callable[[Any], Any]) -> Coded:
        return Coded(function(self.codes), self.within, self.degree.moved())

    def __setitem__(self, index: Any, given: Any) -> None:
        one = coded(given, self.within)
        self.codes = self.codes.copy()
        self.codes[index] = one.codes
        self.degree = self.degree + one.degree

    def astype(self, dtype: Any, **_: Any) -> Coded:
        """No number is rounded."""
        from ptxlab.launch.arrays import dtype_of

        if dtype_of(dtype).kind in "iub":
            raise Unfollowed(f"astype({dtype_of(dtype)})")
        return self


def coded(given: Any, within: Field) -> Coded:
    """Numbers of a reference as codes."""
    if isinstance(given, Coded):
        return given
    value = np.asarray(given)
    if value.dtype.kind in "Oc":
        raise Unfollowed("an array of objects" if value.dtype.kind == "O" else "complex numbers")
    return Coded(c.whole(value) if value.dtype.kind in "iub" else c.constants(value), within)


_ufunc, _function = keepers(UFUNCS, FUNCTIONS)


def _known(one: Coded) -> Coded:
    """An operand of what is no polynomial: what it is depends on all of its residues."""
    one.within.unsure |= bool(r.partial(ARRAYS, one.codes).any())
    return one


# --- polynomials and quotients ------------------------------------------------------------------------------------------
@_ufunc("add")
def _add(a: Any, b: Any, *, within: Field) -> Coded:
    a, b = coded(a, within), coded(b, within)
    return Coded(r.add(ARRAYS, a.codes, b.codes), within, a.degree + b.degree)


@_ufunc("subtract")
def _subtract(a: Any, b: Any, *, within: Field) -> Coded:
    a, b = coded(a, within), coded(b, within)
    return Coded(r.sub(ARRAYS, a.codes, b.codes), within, a.degree + b.degree)


@_ufunc("multiply")
def _multiply(a: Any, b: Any, *, within: Field) -> Coded:
    a, b = coded(a, within), coded(b, within)
    return Coded(r.mul(ARRAYS, a.codes, b.codes), within, a.degree * b.degree)


@_ufunc("divide", "true_divide")
def _divide(a: Any, b: Any, *, within: Field) -> Coded:
    a, b = coded(a, within), coded(b, within)
    codes = r.div(ARRAYS, a.codes, b.codes)
    degree = a.degree if b.degree == CONSTANT else a.degree.over(b.degree, b.shape, codes.shape)
    return Coded(codes, within, degree)


@_ufunc("negative")
def _negative(a: Any, *, within: Field) -> Coded:
    one = coded(a, within)
    return Coded(r.neg(ARRAYS, one.codes), within, one.degree)


_ufunc("positive")(lambda a, *, within: coded(a, within))
_ufunc("square")(lambda a, *, within: _multiply(a, a, within=within))
_ufunc("reciprocal")(lambda a, *, within: _divide(1.0, a, within=within))


@_ufunc("power", "float_power")
def _power(a: Any, b: Any, *, within: Field) -> Coded:
    exponent = np.asarray(b) if not isinstance(b, Coded) else None
    if exponent is not None and exponent.ndim == 0 and float(exponent) * 2 == int(float(exponent) * 2):
        return _power_of(coded(a, within), float(exponent), within)
    return _exp2(_multiply(b, _log2(a, within=within), within=within), within=within)


def _power_of(one: Coded, exponent: float, within: Field) -> Coded:
    """A power of a multiple of one half."""
    if exponent != int(exponent):
        one, exponent = coded(np.sqrt(one), within), 2 * exponent
    out = coded(1.0, within)
    for _ in range(abs(int(exponent))):
        out = _multiply(out, one, within=within)
    return _divide(1.0, out, within=within) if exponent < 0 else out


# --- functions ------------------------------------------------------------------------------------------------------------
def _own(one: Coded) -> Degree:
    """Of a function's result: that of an input."""
    return CONSTANT if one.degree == CONSTANT else INPUT


def _function_of(name: str, function: Callable[..., Any], *, mixes: bool = False) -> None:
    """mixes: the result depends on both residues at once."""

    def computed(a: Any, *, within: Field) -> Coded:
        one = coded(a, within)
        return Coded(function(ARRAYS, (_known(one) if mixes else one).codes), within, _own(one))

    _ufunc(name)(computed)


_function_of("exp2", r.ex2)
_function_of("log2", r.lg2)
_function_of("sqrt", r.sqrt)
_function_of("tanh", c.tanh)
for _name in ("sin", "cos", "erf", "arctan", "cbrt"):
    _function_of(_name, partial(r.unknown, name=_name), mixes=True)
for _name, _word in (("rint", "rni"), ("trunc", "rzi"), ("floor", "rmi"), ("ceil", "rpi")):
    _function_of(_name, partial(r.unknown, name=_word), mixes=True)
_exp2, _log2 = UFUNCS["exp2", "__call__"], UFUNCS["log2", "__call__"]


def _scaled(a: Any, by: Any, within: Field) -> Coded:
    one = coded(a, within)
    return Coded(r.mul(ARRAYS, one.codes, by), within, one.degree)


@_ufunc("exp")
def _exp(a: Any, *, within: Field) -> Coded:
    return _exp2(_scaled(a, LOG2E, within), within=within)


@_ufunc("log")
def _log(a: Any, *, within: Field) -> Coded:
    return _scaled(_log2(a, within=within), LN2, within)


_ufunc("expm1")(lambda a, *, within: _exp(a, within=within) - 1)
_ufunc("log1p")(lambda a, *, within: _log(coded(a, within) + 1, within=within))
_ufunc("sinh")(lambda a, *, within: (_exp(a, within=within) - _exp(-coded(a, within), within=within)) / 2)
_ufunc("cosh")(lambda a, *, within: (_exp(a, within=within) + _exp(-coded(a, within), within=within)) / 2)
_ufunc("expit")(lambda a, *, within: 1 / (1 + _exp(-coded(a, within), within=within)))


# --- order ----------------------------------------------------------------------------------------------------------------
def _joint(*given: Coded) -> Degree:
    return CONSTANT if all(one.degree == CONSTANT for one in given) else INPUT


def _choosing(function: Callable[..., Any]) -> Function:
    def chosen(a: Any, b: Any, *, within: Field) -> Coded:
        a, b = _known(coded(a, within)), _known(coded(b, within))
        return Coded(function(ARRAYS, a.codes, b.codes), within, _joint(a, b))

    return chosen


for _names, _of in ((("maximum", "fmax"), r.maximum), (("minimum", "fmin"), r.minimum)):
    _ufunc(*_names)(_choosing(_of))


@_ufunc("absolute", "fabs")
def _absolute(a: Any, *, within: Field) -> Coded:
    one = _known(coded(a, within))
    return Coded(r.absolute(ARRAYS, one.codes), within, _own(one))


@_ufunc("sign")
def _sign(a: Any, *, within: Field) -> Coded:
    one = _known(coded(a, within))
    below, above = r.less(ARRAYS, one.codes, np.uint32(0)), r.less(ARRAYS, np.uint32(0), one.codes)
    return Coded(np.where(above, r.ONE, np.where(below, r.MINUS_ONE, 0)), within, _own(one))


_COMPARED: Final[dict[str, Callable[[Codes, Codes], Any]]] = {
    "less": lambda a, b: r.less(ARRAYS, a, b),
    "greater": lambda a, b: r.less(ARRAYS, b, a),
    "less_equal": lambda a, b: ~r.less(ARRAYS, b, a) & (a != r.NAN) & (b != r.NAN),
    "greater_equal": lambda a, b: ~r.less(ARRAYS, a, b) & (a != r.NAN) & (b != r.NAN),
    "equal": lambda a, b: (a == b) & (a != r.NAN),
    "not_equal": lambda a, b: (a != b) | (a == r.NAN),
}


def _comparing(name: str) -> Function:
    def compared(a: Any, b: Any, *, within: Field) -> Any:
        return _COMPARED[name](_known(coded(a, within)).codes, _known(coded(b, within)).codes)

    return compared


for _name in _COMPARED:
    _ufunc(_name)(_comparing(_name))
_ufunc("isnan")(lambda a, *, within: coded(a, within).codes == r.NAN)
_ufunc("isinf")(lambda a, *, within: (coded(a, within).codes == r.PLUS) | (coded(a, within).codes == r.MINUS))
_ufunc("isfinite")(lambda a, *, within: coded(a, within).codes < r.SPECIAL)
_ufunc("signbit")(lambda a, *, within: _comparing("less")(a, 0.0, within=within))


def _extreme(function: Callable[..., Any]) -> Function:
    def extreme(a: Any, axis: Any = None, *, within: Field, keepdims: bool = False, **_: Any) -> Coded:
        one = _known(coded(a, within))
        axes = sorted(negative_axes(axis, one.ndim))
        rest = [i - one.ndim for i in range(one.ndim) if i - one.ndim not in axes]
        shape = [one.shape[i] for i in rest]
        lined = np.transpose(one.codes, [*rest, *axes]).reshape([*shape, -1])
        out = lined[..., 0]
        for i in range(1, lined.shape[-1]):
            out = function(ARRAYS, out, lined[..., i])
        if keepdims:
            out = np.expand_dims(out, tuple(axes))
        return Coded(out, within, _own(one))

    return extreme


for _names, _of in ((("max", "amax"), r.maximum), (("min", "amin"), r.minimum)):
    _function(*_names)(_extreme(_of))
for _name, _of in (("maximum", r.maximum), ("minimum", r.minimum)):
    _ufunc(_name, method="reduce")(
        lambda a, axis=0, *, within, _f=_extreme(_of), **options: _f(a, axis, within=within, **options)
    )


def _position(largest: bool) -> Function:
    """Of equal ones the first, as NumPy; a kernel may take another."""

    def position(a: Any, axis: Any = None, *, within: Field, **options: Any) -> Any:
        one = _known(coded(a, within))
        keys = r.key(ARRAYS, one.codes).astype(np.int64) * (1 if largest else -1)
        best = keys.max(axis=axis, keepdims=True)
        within.unsure |= bool(((keys == best).sum(axis=axis) > 1).any())
        return np.argmax(keys, axis=axis, **options)

    return position


_function("argmax")(_position(True))
_function("argmin")(_position(False))


@_function("argsort")
def _argsort(a: Any, axis: int = -1, *, within: Field, **_: Any) -> Any:
    keys = r.key(ARRAYS, _known(coded(a, within)).codes)
    order = np.argsort(keys, axis=axis, kind="stable")
    within.unsure |= bool((np.diff(np.take_along_axis(keys, order, axis).astype(np.int64), axis=axis) == 0).any())
    return order


@_function("sort")
def _sort(a: Any, axis: int = -1, *, within: Field, **_: Any) -> Coded:
    one = _known(coded(a, within))
    order = np.argsort(r.key(ARRAYS, one.codes), axis=axis, kind="stable")
    return Coded(np.take_along_axis(one.codes, order, axis), within, _own(one))


@_ufunc("copysign")
def _copysign(a: Any, b: Any, *, within: Field) -> Coded:
    a, b = _known(coded(a, within)), _known(coded(b, within))
    return Coded(r.copysign(ARRAYS, b.codes, a.codes), within, _joint(a, b))


@_function("clip")
def _clip(a: Any, low: Any = None, high: Any = None, *, within: Field, **options: Any) -> Any:
    low, high = options.get("a_min", options.get("min", low)), options.get("a_max", options.get("max", high))
    one = coded(a, within)
    if low is not None:
        one = np.maximum(one, low)
    return np.minimum(one, high) if high is not None else one


@_function("where")
def _where(condition: Any, a: Any, b: Any, *, within: Field) -> Coded:
    a, b = coded(a, within), coded(b, within)
    if isinstance(condition, Coded):
        condition = condition != 0
    return Coded(np.where(condition, a.codes, b.codes), within, a.degree + b.degree)


# --- sums and products ------------------------------------------------------------------------------------------------------
def _multilinear(
    function: Callable[..., Any], operands: Sequence[Any], within: Field, axes: Sequence[int] = ()
) -> Coded:
    """Sums of products, one factor of each of one or two operands. axes: of each operand, along which it is added."""
    given = [coded(one, within) for one in operands]
    degree = CONSTANT
    for one, axis in zip(given, axes or [None] * len(given), strict=True):
        along = negative_axes(axis, one.ndim)
        degree = degree * one.degree.summed(along, {a: one.shape[a] for a in along if -one.ndim <= a})
    left = given[0].codes
    right = given[1].codes if len(given) > 1 else None
    codes = r.dot(left, right, function) if right is not None else function(left)
    return Coded(codes, within, degree)


@_ufunc("matmul")
def _matmul(a: Any, b: Any, *, within: Field) -> Coded:
    one, other = coded(a, within), coded(b, within)
    return _multilinear(np.matmul, (one, other), within, (-1, -2 if other.ndim > 1 else -1))


for _name in PRODUCTS:

    def _product(a: Any, b: Any, *more: Any, within: Field, _f: Any = getattr(np, _name), **options: Any) -> Coded:
        return _multilinear(lambda x, y: _f(x, y, *more, **options), (a, b), within)

    _function(_name)(_product)


@_function("einsum")
def _einsum(subscripts: str, *operands: Any, within: Field, **options: Any) -> Coded:
    if len(operands) > 2:
        raise Unfollowed("numpy.einsum of more than two arrays")
    if len(operands) == 1:
        operands = (*operands, np.float64(1))
        inputs, arrow, output = subscripts.partition("->")
        subscripts = f"{inputs},{arrow}{output}"
    return _multilinear(lambda x, y: np.einsum(subscripts, x, y, **options), operands, within)


@_function("sum", "nansum")
def _sum(a: Any, axis: Any = None, *, within: Field, keepdims: bool = False, **_: Any) -> Coded:
    one = coded(a, within)
    axes = negative_axes(axis, one.ndim)
    degree = one.degree.summed(axes, {i: one.shape[i] for i in axes})
    found = r.total(one.codes, tuple(axes), keepdims=bool(keepdims))
    return Coded(found, within, degree if keepdims else degree.moved())


_ufunc("add", method="reduce")(lambda a, axis=0, *, within, **options: _sum(a, axis, within=within, **_kept(options)))


def _kept(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("keepdims",) if options.get(name)}


@_function("cumsum")
def _cumsum(a: Any, axis: Any = None, *, within: Field, **_: Any) -> Coded:
    one = coded(a, within) if axis is not None else coded(a, within).reshape(-1)
    axis = axis or 0
    lined = np.moveaxis(one.codes, axis, 0).copy()
    for i in range(1, len(lined)):
        lined[i] = r.add(ARRAYS, lined[i - 1], lined[i])
    axes = negative_axes(axis, one.ndim)
    degree = one.degree.summed(axes, {i: one.shape[i] for i in axes}).moved()
    return Coded(np.moveaxis(lined, 0, axis), within, degree)


_ufunc("add", method="accumulate")(lambda a, axis=0, *, within, **_: _cumsum(a, axis, within=within))


@_function("prod")
def _prod(a: Any, axis: Any = None, *, within: Field, keepdims: bool = False, **_: Any) -> Coded:
    one = coded(a, within)
    axes = negative_axes(axis, one.ndim)
    lined = np.moveaxis(one.codes, axes, range(len(axes)))
    lined = lined.reshape(-1, *lined.shape[len(axes) :])
    out, degree = lined[0], one.degree
    for row in lined[1:]:
        out, degree = r.mul(ARRAYS, out, row), degree * one.degree
    return Coded(np.expand_dims(out, tuple(axes)) if keepdims else out, within, degree.moved())


@_function("mean", "nanmean")
def _mean(a: Any, axis: Any = None, *, within: Field, **options: Any) -> Coded:
    one = coded(a, within)
    found = _sum(one, axis, within=within, **_kept(options))
    return _divide(found, one.size // max(found.size, 1), within=within)


@_function("var")
def _var(a: Any, axis: Any = None, *, within: Field, ddof: int = 0, **options: Any) -> Coded:
    one = coded(a, within)
    centred = one - _mean(one, axis, within=within, keepdims=True)
    found = _sum(centred * centred, axis, within=within, **_kept(options))
    return _divide(found, one.size // max(found.size, 1) - ddof, within=within)


@_function("std")
def _std(a: Any, axis: Any = None, *, within: Field, **options: Any) -> Coded:
    return np.sqrt(_var(a, axis, within=within, **options))


@_function("norm")
def _norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, *, within: Field) -> Coded:
    if ord not in (None, 2) or (ord == 2 and axis is None and coded(a, within).ndim > 1):
        raise Unfollowed(f"numpy.linalg.norm(ord={ord!r})")
    return np.sqrt(np.sum(np.square(a), axis=axis, keepdims=keepdims))


# --- moving -----------------------------------------------------------------------------------------------------------------
def _moving(name: str) -> Function:
    function = getattr(np, name)

    def moved(a: Any, *args: Any, within: Field, **options: Any) -> Any:
        one = coded(a, within)
        if "constant_values" in options:
            options["constant_values"] = c.constants(options["constant_values"])
        found = function(one.codes, *args, **options)
        if isinstance(found, list | tuple):
            return [Coded(part, within, one.degree.moved()) for part in found]
        return Coded(found, within, one.degree.moved())

    return moved


for _name in MOVING:
    _function(_name)(_moving(_name))


def _joining(name: str) -> Function:
    def joined(arrays: Sequence[Any], *args: Any, within: Field, **options: Any) -> Coded:
        given = [coded(one, within) for one in arrays]
        degree = CONSTANT
        for one in given:
            degree = degree + one.degree.moved()
        return Coded(getattr(np, name)([one.codes for one in given], *args, **options), within, degree)

    return joined


for _name in JOINING:
    _function(_name)(_joining(_name))


def _alike(name: str) -> Function:
    def made(a: Any, *args: Any, within: Field, **_: Any) -> Coded:
        return coded(getattr(np, name)(np.zeros(coded(a, within).shape), *args), within)

    return made


for _name in ALIKE:
    _function(_name)(_alike(_name))

_function("shape")(lambda a, *, within: coded(a, within).shape)
_function("ndim")(lambda a, *, within: coded(a, within).ndim)
_function("size")(lambda a, axis=None, *, within: np.size(coded(a, within).codes, axis))


__all__ = ["Coded", "Field", "coded"]
