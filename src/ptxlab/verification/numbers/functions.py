"""NumPy's functions on numbers with error bounds.

Each entry of the tables says what a function does with values and with errors. To add one: an entry here, and a case in
tests/unit/verification/test_numbers.py, which compares bounds with arithmetic in single precision.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ptxlab.verification.numbers.bounded import (
    FUNCTIONS,
    UFUNCS,
    Arithmetic,
    Bounded,
    Undecided,
    bounded,
    flushed,
    places,
    rounded,
    settled,
    sure,
)
from ptxlab.verification.numbers.followed import ALIKE, JOINING, MOVING, PRODUCTS, Function, Unfollowed, keepers
from ptxlab.verification.numbers.formats import Floats

_ufunc, _function = keepers(UFUNCS, FUNCTIONS)


def _operands(within: Arithmetic, *given: Any) -> list[Bounded]:
    """Operands of a function on elements, which it counts."""
    out = [flushed(bounded(one, within)) for one in given]
    within.operations += max(math.prod(np.broadcast_shapes(*(one.shape for one in out))), 1)
    return out


# --- arithmetic on elements -------------------------------------------------------------------------------------------
@_ufunc("add")
def _add(a: Any, b: Any, *, within: Arithmetic) -> Bounded:
    a, b = _operands(within, a, b)
    return rounded(a.value + b.value, a.error + b.error, within)


@_ufunc("subtract")
def _subtract(a: Any, b: Any, *, within: Arithmetic) -> Bounded:
    a, b = _operands(within, a, b)
    with np.errstate(invalid="ignore"):
        return rounded(a.value - b.value, a.error + b.error, within)


@_ufunc("multiply")
def _multiply(a: Any, b: Any, *, within: Arithmetic) -> Bounded:
    a, b = _operands(within, a, b)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(a.value) * b.error + np.abs(b.value) * a.error + a.error * b.error
        return rounded(a.value * b.value, error, within)


@_ufunc("square")
def _square(a: Any, *, within: Arithmetic) -> Bounded:
    return _multiply(a, a, within=within)


@_ufunc("divide", "true_divide")
def _divide(a: Any, b: Any, *, within: Arithmetic) -> Bounded:
    a, b = _operands(within, a, b)
    with np.errstate(all="ignore"):
        value = a.value / b.value
        left = np.abs(b.value) - b.error
        error = np.where(left > 0, (a.error + np.abs(value) * b.error) / left, np.inf)
        error = np.where((b.value == 0) & (b.error == 0), 0, error)
        plain = np.isin(np.abs(np.frexp(b.value)[0]), (0.0, 0.5)) | ~np.isfinite(b.value) | (a.value == 0)
    # by a power of two every division is exact; else .approx, and a product with the reciprocal, are off by two units
    exact = rounded(value, error, within)
    return Bounded(value, np.where(plain & (exact.error == 0), 0, rounded(value, error, within, 2).error), within)


@_ufunc("reciprocal")
def _reciprocal(a: Any, *, within: Arithmetic) -> Bounded:
    return _divide(1.0, a, within=within)


@_ufunc("power", "float_power")
def _power(a: Any, b: Any, *, within: Arithmetic) -> Bounded:
    a, b = _operands(within, a, b)
    with np.errstate(all="ignore"):
        value = a.value**b.value
        log = np.where(a.value > 0, np.abs(np.log(np.abs(a.value))), 0)
        slope = np.abs(b.value) * np.maximum(np.abs(a.value) + a.error, 0) ** (b.value - 1)
        error = slope * a.error + np.abs(value) * log * b.error
        whole = b.value == np.rint(b.value)
        steps = np.where(whole, np.abs(b.value) + 2, 4 + np.abs(b.value) * log)
    return rounded(value, settled(value, error), within, np.where(whole & (np.abs(b.value) <= 1), 1, steps))


@_ufunc("negative")
def _negative(a: Any, *, within: Arithmetic) -> Bounded:
    (a,) = _operands(within, a)
    return Bounded(-a.value, a.error, within)


@_ufunc("positive")
def _positive(a: Any, *, within: Arithmetic) -> Bounded:
    return bounded(a, within)


@_ufunc("absolute", "fabs")
def _absolute(a: Any, *, within: Arithmetic) -> Bounded:
    (a,) = _operands(within, a)
    return Bounded(np.abs(a.value), a.error, within)


def _choosing(function: Any) -> Function:
    def chosen(a: Any, b: Any, *, within: Arithmetic) -> Bounded:
        a, b = _operands(within, a, b)
        value = function(a.value, b.value)
        return Bounded(value, settled(value, np.maximum(a.error, b.error)), within)

    return chosen


for _name in ("maximum", "minimum", "fmax", "fmin"):
    _ufunc(_name)(_choosing(getattr(np, _name)))


@_ufunc("rint")
def _rint(a: Any, *, within: Arithmetic) -> Bounded:
    (a,) = _operands(within, a)
    return a._integral(np.rint(a.value), jumps_at=0.5)


def _stepped(function: Any) -> Function:
    def stepped(a: Any, *, within: Arithmetic) -> Bounded:
        (a,) = _operands(within, a)
        return a._integral(function(a.value), jumps_at=0.0)

    return stepped


for _name in ("floor", "ceil", "trunc"):
    _ufunc(_name)(_stepped(getattr(np, _name)))


@_ufunc("sign")
def _sign(a: Any, *, within: Arithmetic) -> Bounded:
    (a,) = _operands(within, a)
    return Bounded(np.sign(sure(a, bounded(0.0, within))), 0, within)


def _compared(name: str) -> Function:
    function = getattr(np, name)

    def compared(a: Any, b: Any, *, within: Arithmetic) -> Any:
        a, b = _operands(within, a, b)
        sure(a, b)
        return function(a.value, b.value)

    return compared


for _name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
    _ufunc(_name)(_compared(_name))
for _name in ("isnan", "isinf", "isfinite", "signbit"):
    _ufunc(_name)(lambda a, *, within, _f=getattr(np, _name): _f(bounded(a, within).value))


# --- smooth functions ---------------------------------------------------------------------------------------------------
def _smooth(name: str, slope: Callable[[Floats, Floats], Any], lost: Callable[[Floats, Floats], Any]) -> None:
    """A function of one argument.

    slope: the largest derivative within the error of the argument. lost: units that an implementation may be off, those of hardware
    that approximates it included.
    """

    def computed(a: Any, *, within: Arithmetic) -> Bounded:
        (a,) = _operands(within, a)
        with np.errstate(all="ignore"):
            value = _implemented(name)(a.value)
            error = np.where(a.error > 0, slope(a.value, a.error) * a.error, 0) + within.format.unit * lost(
                a.value, value
            )
            known = (a.error == 0) & _whole(name, a.value)
            error = np.where(known, 0, error)
            error = np.where(np.abs(value) + error > within.format.most, np.inf, error)
            error = error + np.where((np.abs(value) < within.format.least) & ~known, within.format.step, 0)
        return Bounded(value, settled(value, error), within)

    _ufunc(name)(computed)


def _whole(name: str, x: Floats) -> Any:
    """Arguments for which every implementation is exact."""
    return (x == 0) & (name in ("sin", "tanh", "erf", "sqrt", "expm1", "log1p", "arctan"))


def _implemented(name: str) -> Any:
    if hasattr(np, name):
        return getattr(np, name)
    return np.vectorize(getattr(math, name), otypes=[np.float64])


def _positive_part(x: Floats, e: Floats) -> Any:
    return np.where(x > e, x - e, 0.0)


# exp by way of exp2: log2(e) is rounded, and the product with it
_smooth("exp", lambda x, e: np.exp(x + e), lambda x, y: (4 + 2 * np.abs(x)) * y)
_smooth("exp2", lambda x, e: math.log(2) * np.exp2(x + e), lambda x, y: (4 + np.abs(x)) * y)
_smooth("expm1", lambda x, e: np.exp(x + e), lambda x, y: (4 + 2 * np.abs(x)) * (np.abs(y) + 2))
_smooth("log", lambda x, e: 1 / _positive_part(x, e), lambda x, y: 4 * (np.abs(y) + 1))
_smooth("log2", lambda x, e: 1.5 / _positive_part(x, e), lambda x, y: 4 * (np.abs(y) + 1))
_smooth("log10", lambda x, e: 0.5 / _positive_part(x, e), lambda x, y: 4 * (np.abs(y) + 1))
_smooth("log1p", lambda x, e: 1 / _positive_part(1 + x, e), lambda x, y: 4 * (np.abs(y) + 1))
_smooth("sqrt", lambda x, e: 1 / np.sqrt(np.maximum(x, e)), lambda x, y: 4 * y)
_smooth("cbrt", lambda x, e: 1 / np.cbrt(np.maximum(np.abs(x), e)) ** 2, lambda x, y: 8 * np.abs(y))
_smooth("sin", lambda x, e: 1.0, lambda x, y: 8 + np.abs(x))
_smooth("cos", lambda x, e: 1.0, lambda x, y: 8 + np.abs(x))
_smooth("tanh", lambda x, e: 1.0, lambda x, y: 8.0)
_smooth("arctan", lambda x, e: 1.0, lambda x, y: 8.0)
_smooth("erf", lambda x, e: 1.2, lambda x, y: 8.0)


# --- sums and products ----------------------------------------------------------------------------------------------------
def multilinear(function: Callable[..., Any], operands: Sequence[Any], within: Arithmetic) -> Bounded:
    """Sums of products, one factor of each operand, in any order.

    Of n terms each passes at most n − 1 additions and the multiplications; terms of zero change nothing. Sums of numbers on one
    grid that never leave the format are exact.
    """
    given = [flushed(bounded(one, within)) for one in operands]
    values = [one.value for one in given]
    with np.errstate(invalid="ignore", over="ignore"):
        sizes = [np.abs(v) for v in values]
        value, size = np.asarray(function(*values)), np.asarray(function(*sizes))
        terms = np.asarray(function(*((v != 0).astype(np.float64) for v in values)))
        error = np.zeros(value.shape)
        for i, one in enumerate(given):
            coarse = within.products if len(given) > 1 else None
            lost = one.error
            if coarse is not None:  # operands may be truncated
                lost = lost + np.where(coarse.holds(one.value), 0, 2 * coarse.unit * sizes[i])
            if lost.any():
                others = [s + o.error for s, o in zip(sizes, given, strict=True)]
                error = error + function(*others[:i], lost, *others[i + 1 :])
    count = int(np.nansum(terms))
    if len(given) > 1:
        within.multiply_adds += count
    else:
        within.operations += count
    if not error.any() and _on_a_grid(values, size, within):
        return Bounded(value, 0, within)
    roundings = np.maximum(terms - 1, 0) + (len(given) - 1)
    return rounded(value, error, within, roundings, size)


def _on_a_grid(values: Sequence[Floats], size: Floats, within: Arithmetic) -> bool:
    finest = [places(v) for v in values]
    if any(n is None for n in finest) or not np.isfinite(size).all():
        return False
    return bool(size.max(initial=0) * 2.0 ** sum(n or 0 for n in finest) <= 2.0**within.format.bits)


@_ufunc("matmul")
def _matmul(a: Any, b: Any, *, within: Arithmetic) -> Bounded:
    return multilinear(np.matmul, (a, b), within)


for _name in PRODUCTS:

    def _product(
        a: Any, b: Any, *more: Any, within: Arithmetic, _f: Any = getattr(np, _name), **options: Any
    ) -> Bounded:
        return multilinear(lambda x, y: _f(x, y, *more, **options), (a, b), within)

    _function(_name)(_product)


@_function("einsum")
def _einsum(subscripts: str, *operands: Any, within: Arithmetic, **options: Any) -> Bounded:
    options.setdefault("optimize", len(operands) > 2)
    return multilinear(lambda *arrays: np.einsum(subscripts, *arrays, **options), operands, within)


def _summing(name: str) -> Function:
    def summed(a: Any, *args: Any, within: Arithmetic, **options: Any) -> Bounded:
        options = {k: v for k, v in options.items() if v is not None or k == "axis"}
        return multilinear(lambda x: getattr(np, name)(x, *args, **options), (a,), within)

    return summed


for _name in ("sum", "cumsum", "trace", "nansum"):
    _function(_name)(_summing(_name))


@_ufunc("add", method="reduce")
def _add_reduce(a: Any, axis: Any = 0, *, within: Arithmetic, **options: Any) -> Bounded:
    return multilinear(lambda x: np.sum(x, axis=axis, **_kept(options)), (a,), within)


@_ufunc("add", method="accumulate")
def _add_accumulate(a: Any, axis: Any = 0, *, within: Arithmetic, **_: Any) -> Bounded:
    return multilinear(lambda x: np.cumsum(x, axis=axis), (a,), within)


def _kept(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("keepdims",) if options.get(name)}


@_function("mean")
def _mean(a: Any, axis: Any = None, *, within: Arithmetic, **options: Any) -> Bounded:
    total = multilinear(lambda x: np.sum(x, axis=axis, **_kept(options)), (a,), within)
    return _divide(total, bounded(a, within).size / max(total.size, 1), within=within)


@_function("var")
def _var(a: Any, axis: Any = None, *, within: Arithmetic, ddof: int = 0, **options: Any) -> Bounded:
    one = bounded(a, within)
    centred = one - _mean(one, axis, within=within, keepdims=True)
    total = multilinear(lambda x: np.sum(x, axis=axis, **_kept(options)), (centred * centred,), within)
    return _divide(total, one.size / max(total.size, 1) - ddof, within=within)


@_function("std")
def _std(a: Any, axis: Any = None, *, within: Arithmetic, **options: Any) -> Bounded:
    return np.sqrt(_var(a, axis, within=within, **options))


@_function("norm")
def _norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, *, within: Arithmetic) -> Bounded:
    if ord not in (None, 2) or (ord == 2 and axis is None and bounded(a, within).ndim > 1):
        raise Unfollowed(f"numpy.linalg.norm(ord={ord!r})")
    return np.sqrt(np.sum(np.square(a), axis=axis, keepdims=keepdims))


@_function("prod")
def _prod(a: Any, axis: Any = None, *, within: Arithmetic, **options: Any) -> Bounded:
    one = bounded(a, within)
    with np.errstate(all="ignore"):
        value = np.prod(one.value, axis=axis, **_kept(options))
        count = one.size // max(np.size(value), 1)
        relative = np.sum(np.where(one.error > 0, one.error / np.abs(one.value), 0), axis=axis, **_kept(options))
    return rounded(value, settled(value, np.abs(value) * relative), within, max(count - 1, 0))


# --- the largest and the order --------------------------------------------------------------------------------------------
def _extreme(name: str) -> Function:
    function = getattr(np, name)

    def extreme(a: Any, axis: Any = None, *, within: Arithmetic, **options: Any) -> Bounded:
        (one,) = _operands(within, a)
        value = function(one.value, axis=axis, **_kept(options))
        return Bounded(value, settled(value, np.asarray(np.max(one.error, axis=axis, **_kept(options)))), within)

    return extreme


for _name in ("max", "min", "amax", "amin", "nanmax", "nanmin"):
    _function(_name)(_extreme(_name))
for _name, _of in (("maximum", "max"), ("minimum", "min")):
    _ufunc(_name, method="reduce")(
        lambda a, axis=0, *, within, _f=_extreme(_of), **options: _f(a, axis, within=within, **options)
    )


def _position(name: str) -> Function:
    function = getattr(np, name)

    def position(a: Any, axis: Any = None, *, within: Arithmetic, **options: Any) -> Any:
        one = bounded(a, within)
        found = function(one.value, axis=axis, **options)
        if one.error.any():
            index = np.expand_dims(found, axis) if axis is not None else found
            best = np.take_along_axis(one.value, index, axis) if axis is not None else one.value.reshape(-1)[found]
            reach = 2 * one.error.max()
            near = np.sum(np.abs(one.value - best) <= reach, axis=axis)
            if bool(np.any(near > 1)):
                raise Undecided
        return found

    return position


for _name in ("argmax", "argmin"):
    _function(_name)(_position(_name))


@_function("sort")
def _sort(a: Any, axis: int = -1, *, within: Arithmetic, **_: Any) -> Bounded:
    one = bounded(a, within)
    return Bounded(np.sort(one.value, axis), np.max(one.error, axis=axis, keepdims=True), within)


@_function("argsort")
def _argsort(a: Any, axis: int = -1, *, within: Arithmetic, **options: Any) -> Any:
    one = bounded(a, within)
    ordered = np.sort(one.value, axis)
    if one.error.any() and bool(np.any(np.diff(ordered, axis=axis) <= 2 * one.error.max())):
        raise Undecided
    return np.argsort(one.value, axis, **options)


@_function("clip")
def _clip(a: Any, low: Any = None, high: Any = None, *, within: Arithmetic, **options: Any) -> Any:
    low, high = options.get("a_min", options.get("min", low)), options.get("a_max", options.get("max", high))
    one = bounded(a, within)
    if low is not None:
        one = np.maximum(one, low)
    return np.minimum(one, high) if high is not None else one


@_function("where")
def _where(condition: Any, a: Any, b: Any, *, within: Arithmetic) -> Bounded:
    a, b = _operands(within, a, b)
    if isinstance(condition, Bounded):
        condition = condition != 0
    return Bounded(np.where(condition, a.value, b.value), np.where(condition, a.error, b.error), within)


# --- moving -----------------------------------------------------------------------------------------------------------------
def _moving(name: str) -> Function:
    function = getattr(np, name)

    def moved(a: Any, *args: Any, within: Arithmetic, **options: Any) -> Any:
        one = bounded(a, within)
        value, error = (function(part, *args, **options) for part in (one.value, one.error))
        if isinstance(value, list | tuple):
            return [Bounded(v, e, within) for v, e in zip(value, error, strict=True)]
        return Bounded(value, error, within)

    return moved


for _name in MOVING:
    _function(_name)(_moving(_name))


def _joining(name: str) -> Function:
    function = getattr(np, name)

    def joined(arrays: Sequence[Any], *args: Any, within: Arithmetic, **options: Any) -> Bounded:
        given = [bounded(one, within) for one in arrays]
        value, error = (
            function([getattr(one, part) for one in given], *args, **options) for part in ("value", "error")
        )
        return Bounded(value, error, within)

    return joined


for _name in JOINING:
    _function(_name)(_joining(_name))


def _alike(name: str) -> Function:
    function = getattr(np, name)

    def made(a: Any, *args: Any, within: Arithmetic, **_: Any) -> Bounded:
        return bounded(function(bounded(a, within).value, *args), within)

    return made


for _name in ALIKE:
    _function(_name)(_alike(_name))


_function("shape")(lambda a, *, within: bounded(a, within).shape)
_function("ndim")(lambda a, *, within: bounded(a, within).ndim)
_function("size")(lambda a, axis=None, *, within: np.size(bounded(a, within).value, axis))
_function("nan_to_num")(
    lambda a, *args, within, **options: Bounded(
        np.nan_to_num(bounded(a, within).value, *args, **options), bounded(a, within).error, within
    )
)


__all__ = ["multilinear"]
