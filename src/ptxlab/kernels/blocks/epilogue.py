"""What becomes of each sum before it is stored: functions of the builder and a register of f32, in the language itself.

`gemm(a, b, c, epilogue=relu)` takes one, or several in a row: `bias(v) | gelu | residual(r)`. A function is called while the kernel
is traced, once for each result of a thread. One of your own is applied as it is, or with what it needs beside the sum:

    def leaky(k, x, slope):
        return k.max.f32(x, k.mul.rn.f32(x, slope))

    gemm(a, b, c, epilogue=apply(leaky, per_column(slopes)) | scaled(0.5))

What is read has a place in C: `per_row`, `per_column` and `per_element` say which; `per_scalar` is a single number in memory. Each
arrives as f32, whatever its type in memory. `amax` passes sums on and keeps the largest magnitude; `gated` makes one result of two.

Write `mul.rn` and `add.rn`, as the functions here do. Where they have no rounding, ptxas may join a product and a sum into one
`fma`, and the GPU's last bit is not the simulator's.

A kernel is traced anew for each function, so give the same one for the same thing: define functions once, not in a loop.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import ptxlab as px
from ptxlab import Diagnostic, is_array, user_span

Function: TypeAlias = Callable[..., Any]
Along: TypeAlias = Literal["row", "column", "element", "scalar"]

LOG2_E = 1.4426950408889634


@dataclass(frozen=True, slots=True, repr=False)
class Given:
    """An array that an epilogue reads, and how it lies over C.

    Attributes:
        along: "row", "column", "element" or "scalar". array: the array.

    Example: see per_row
    """

    along: Along
    array: Any

    def __repr__(self) -> str:
        shape = getattr(self.array, "shape", None)
        what = type(self.array).__name__ if shape is None else f"{tuple(shape)} array of {self.array.dtype}"
        return f"<Given along {self.along}: {what}>"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an epilogue.

    Attributes:
        kind: "each" computes one result from one sum, "gate" one from two, "amax" keeps the largest magnitude.
        function: of the builder, the sum (for a gate: both), and a register for each array. given: these arrays.
    """

    kind: Literal["each", "gate", "amax"]
    function: Function | None
    given: tuple[Given, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Epilogue:
    """Steps, one after the other. `|` puts epilogues and functions in a row.

    Attributes:
        steps: in their order.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        gemm(a, b, c, epilogue=epilogue.scaled(-1.0) | epilogue.relu)
        print(c[0, 0])  # 0.0
    """

    steps: tuple[Step, ...] = ()

    def __repr__(self) -> str:
        named = (f"{step.kind} {getattr(step.function, '__name__', '')}".strip() for step in self.steps)
        return f"<Epilogue: {', then '.join(named) or 'nothing'}>"

    def __or__(self, other: Any) -> Epilogue:
        return Epilogue(self.steps + epilogue_of(other).steps)

    def __ror__(self, other: Any) -> Epilogue:
        return epilogue_of(other) | self

    def __call__(self, k: px.Builder, *values: Any) -> Any:
        """Its result for one sum, within a function of your own. Only for one that reads nothing."""
        for step in self.steps:
            if step.given or step.function is None:
                raise _bad(f"{self!r} reads arrays, or writes one", "put it in a row with yours: yours | this")
            values = (step.function(k, *values),)
        return values[0]


def __getattr__(name: str) -> Any:
    instead = "; it is per_scalar" if name == "one" else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead}")


def epilogue_of(given: Any) -> Epilogue:
    """The epilogue that is meant. Raises: Diagnostic PTX2112 for what is none."""
    if given is None or isinstance(given, Epilogue):
        return given or Epilogue()
    if callable(given):
        return apply(given)
    raise _bad(
        f"{given!r} is no epilogue",
        "give a function of the builder and a register, or one of ptxlab.kernels.blocks.epilogue, e.g. relu",
    )


def _bad(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2112", f"{what}.", help=help, origin=user_span())


_TAKES: dict[Along, tuple[str, str]] = {
    "row": ("per_row", "an array of M elements, one for each row of C"),
    "column": ("per_column", "an array of N elements, one for each column of C"),
    "element": ("per_element", "an M × N array"),
    "scalar": ("per_scalar", "an array of one element, which may change from call to call"),
}


def _given(along: Along, array: Any) -> Given:
    """Raises: Diagnostic PTX2306 for what is no array."""
    if not is_array(array):
        name, takes = _TAKES[along]
        shown = reprlib.repr(array)
        number = isinstance(array, int | float) or hasattr(array, "dtype")
        fixed = "; a number that stays the same stands in the function itself (x * 0.5), or in scaled(0.5)"
        made = f"np.array([{array}], np.float32)" if number and along == "scalar" else "np.array(…, np.float32)"
        raise Diagnostic(
            "PTX2306",
            f"{name} is given {shown}, which is no array that a kernel could read.",
            help=f"{name} takes {takes}: {name}({made}){fixed if number else ''}",
            origin=user_span(),
        )
    return Given(along, array)


def per_row(array: Any) -> Given:
    """A number for each row of C: an array of M elements.

    Args:
        array: of f32, f16 or bf16, where C is.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        v = np.full(64, 2, np.float32)
        gemm(a, b, c, epilogue=epilogue.scaled_by(epilogue.per_row(v)))
        print(c[0, 0])  # 512.0
    """
    return _given("row", array)


def per_column(array: Any) -> Given:
    """A number for each column of C: an array of N elements.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        v = np.full(64, 2, np.float32)
        gemm(a, b, c, epilogue=epilogue.scaled_by(epilogue.per_column(v)))
        print(c[0, 0])  # 512.0
    """
    return _given("column", array)


def per_element(array: Any) -> Given:
    """A number for each element of C: an M × N array, whose rows may be padded.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        m = np.full((64, 64), 2, np.float32)
        def times(k, x, y):
            return k.mul.rn.f32(x, y)

        gemm(a, b, c, epilogue=epilogue.apply(times, epilogue.per_element(m)))
        print(c[0, 0])  # 512.0
    """
    return _given("element", array)


def per_scalar(array: Any) -> Given:
    """A single number in memory, an array of one element: the kernel reads it, so that it may change from call to call.

    A number that stays the same is part of the function: `x * 0.5`, or `scaled(0.5)`. Raises: Diagnostic PTX2306 for a number.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        s = np.full(1, 2, np.float32)
        gemm(a, b, c, epilogue=epilogue.scaled_by(epilogue.per_scalar(s)))
        print(c[0, 0])  # 512.0
    """
    return _given("scalar", array)


def apply(function: Function, *given: Given) -> Epilogue:
    """Each sum becomes `function(k, x, …)`, with a register of f32 for each of `given`. Raises: Diagnostic PTX2112.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        v = np.full(64, 2, np.float32)
        def times(k, x, y):
            return k.mul.rn.f32(x, y)

        gemm(a, b, c, epilogue=epilogue.apply(times, epilogue.per_column(v)))
        print(c[0, 0])  # 512.0
    """
    for x in given:
        if not isinstance(x, Given):  # pyright: ignore[reportUnnecessaryIsInstance]
            shape = getattr(x, "shape", None)
            shown = reprlib.repr(x) if shape is None else f"an array of shape {tuple(shape)}"
            raise _bad(
                f"{shown} does not say how it lies over C",
                "wrap the array: per_row, per_column, per_element or per_scalar",
            )
    _checked(function, ("k", "x"), len(given))
    return Epilogue((Step("each", function, given),))


def _checked(function: Function, first: tuple[str, ...], more: int) -> None:
    """Raises: Diagnostic PTX2112 for a function that cannot be called with the builder, its sums and as many registers more."""
    if not callable(function):
        raise _bad(f"{function!r} is no function", "give one of the builder, a register, and one more for each array")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # of something built in: what is wrong with it shows when it is called
    try:
        signature.bind(*first, *range(more))
    except TypeError as wrong:
        name = getattr(function, "__name__", repr(function))
        called = f"{name}({', '.join((*first, *(['…'] if more else [])))})"
        raise _bad(
            f"`{name}{signature}` cannot be called as {called} with {more} number{'s' * (more != 1)} of arrays: {wrong}",
            f"each parameter behind the first {len(first)} reads an array: "
            f"apply({name}, per_column(v)), or per_row, per_element, per_scalar",
        ) from None


def gated(function: Function) -> Epilogue:
    """`function(k, gate, x)` makes one result of two: of column j of A · B and of column j + N/2, so C has N/2 columns.

    B has the columns of the gate first and then those that it lets through. Steps before it apply to both, and what they read per
    column or per element has N columns; steps behind it see C.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        def gate(k, g, x):
            return k.mul.rn.f32(k.mul.rn.f32(g, 0.5), x)

        half = px.empty((64, 32), "f32")
        gemm(a, b, half, epilogue=epilogue.gated(gate))
        print(half[0, 0])  # 32768.0
    """
    _checked(function, ("k", "gate", "x"), 0)
    return Epilogue((Step("gate", function),))


# --- functions of a sum --------------------------------------------------------------------------------------------------
def _relu(k: px.Builder, x: Any) -> Any:
    return k.max.f32(x, 0.0)


def _gelu(k: px.Builder, x: Any) -> Any:
    inner = k.mul.rn.f32(x, k.fma.rn.f32(k.mul.rn.f32(x, x), 0.044715 * 0.7978845608028654, 0.7978845608028654))
    half = k.mul.rn.f32(x, 0.5)
    return k.fma.rn.f32(half, k.tanh.approx.f32(inner), half)


def _silu(k: px.Builder, x: Any) -> Any:
    power = k.ex2.approx.ftz.f32(k.mul.rn.f32(x, -LOG2_E))
    return k.mul.rn.f32(x, k.rcp.approx.ftz.f32(k.add.rn.f32(power, 1.0)))


def _swiglu(k: px.Builder, gate: Any, x: Any) -> Any:
    return k.mul.rn.f32(_silu(k, gate), x)


def _geglu(k: px.Builder, gate: Any, x: Any) -> Any:
    return k.mul.rn.f32(_gelu(k, gate), x)


relu = epilogue_of(_relu)
"""max(x, 0); a NaN becomes 0.

Example: see Epilogue
"""
gelu = epilogue_of(_gelu)
"""GELU by its tanh, as `torch.nn.functional.gelu(x, approximate="tanh")`.

Example:
    from ptxlab.kernels.blocks import epilogue
    from ptxlab.kernels.gemm import gemm

    a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
    a[...], b[...] = 1, 2
    seen = []
    for step in (epilogue.gelu, epilogue.silu):
        gemm(a, b, c, epilogue=epilogue.scaled(1 / 256) | step)  # of 1.0
        seen.append(round(float(c[0, 0]), 2))
    print(seen)  # [0.84, 0.73]
"""
silu = epilogue_of(_silu)
"""x / (1 + e⁻ˣ).

Example: see gelu
"""
swiglu = gated(_swiglu)
"""silu(gate) · x, of two results: see `gated`.

Example:
    from ptxlab.kernels.blocks import epilogue
    from ptxlab.kernels.gemm import gemm

    a, b, half = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 32), "f32")
    a[...], b[...] = 1, 2
    seen = []
    for step in (epilogue.swiglu, epilogue.geglu):
        gemm(a, b, half, epilogue=epilogue.scaled(1 / 256) | step)  # a gate of 1.0 before 1.0
        seen.append(round(float(half[0, 0]), 2))
    print(seen)  # [0.73, 0.84]
"""
geglu = gated(_geglu)
"""gelu(gate) · x, of two results: see `gated`.

Example: see swiglu
"""


# --- functions with numbers or arrays ------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Times:
    """A factor known when the kernel is traced. Equal ones share a kernel."""

    factor: float

    def __call__(self, k: px.Builder, x: Any) -> Any:
        return k.mul.rn.f32(x, self.factor)


@dataclass(frozen=True, slots=True)
class _Linear:
    """alpha · x + beta · y, with factors known when the kernel is traced."""

    alpha: float
    beta: float

    def __call__(self, k: px.Builder, x: Any, y: Any) -> Any:
        product = x if self.alpha == 1 else k.mul.rn.f32(x, self.alpha)
        return k.add.rn.f32(y, product) if self.beta == 1 else k.fma.rn.f32(y, self.beta, product)


def _times(k: px.Builder, x: Any, factor: Any) -> Any:
    return k.mul.rn.f32(x, factor)


def _plus(k: px.Builder, x: Any, y: Any) -> Any:
    return k.add.rn.f32(x, y)


def scaled(factor: float) -> Epilogue:
    """Each sum times a number that is part of the kernel.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        gemm(a, b, c, epilogue=epilogue.scaled(0.25))
        print(c[0, 0])  # 64.0
    """
    return epilogue_of(_Times(float(factor)))


def scaled_by(given: Given) -> Epilogue:
    """Each sum times what lies over it: `scaled_by(per_row(v))`, `scaled_by(per_scalar(s))` …

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        v = np.full(64, 2, np.float32)
        gemm(a, b, c, epilogue=epilogue.scaled_by(epilogue.per_row(v)))
        print(c[0, 0])  # 512.0
    """
    return apply(_times, given)


def bias(array: Any) -> Epilogue:
    """A number for each column is added.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        v = np.full(64, 2, np.float32)
        gemm(a, b, c, epilogue=epilogue.bias(v))
        print(c[0, 0])  # 258.0
    """
    return apply(_plus, per_column(array))


def residual(array: Any) -> Epilogue:
    """A matrix is added. It may be C itself, as it was before.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        m = np.full((64, 64), 2, np.float32)
        gemm(a, b, c, epilogue=epilogue.residual(m))
        print(c[0, 0])  # 258.0
    """
    return apply(_plus, per_element(array))


def linear(alpha: float, beta: float, array: Any) -> Epilogue:
    """alpha · A · B + beta · `array`, which may be C itself, as it was before. Both factors are part of the kernel.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        m = np.full((64, 64), 2, np.float32)
        gemm(a, b, c, epilogue=epilogue.linear(0.5, 3.0, m))
        print(c[0, 0])  # 134.0
    """
    return apply(_Linear(float(alpha), float(beta)), per_element(array))


def amax(array: Any) -> Epilogue:
    """Sums pass on, and the largest magnitude is combined with what is in `array`, one element of f32: zero it before.

    A NaN counts as larger than all numbers. What it sees is f32, before the conversion to the type of C.

    Example:
        from ptxlab.kernels.blocks import epilogue
        from ptxlab.kernels.gemm import gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        largest = np.zeros(1, np.float32)
        gemm(a, b, c, epilogue=epilogue.amax(largest))
        print(largest)  # [256.]
    """
    return Epilogue((Step("amax", None, (per_scalar(array),)),))
