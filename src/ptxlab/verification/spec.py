"""What a kernel is to be judged on: its arguments, the extents that it is launched with, and the arithmetic that it may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.options import LaunchOptions
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.arrays import dtype_of
from ptxlab.verification.numbers.bounded import Arithmetic
from ptxlab.verification.numbers.formats import FORMATS

Sizes = Mapping[str, int]
LAUNCHED: Final = ("grid", "block", "cluster", "shared", "cooperative")


class _Described:
    """An array without what it holds."""

    __slots__ = ()
    dtype: Any
    shape: Sequence[int] | int

    def __post_init__(self) -> None:
        if any(n < 0 for n in self.extents):
            message = f"{self.shape!r} is no shape of an array."
            raise Diagnostic("PTX2305", message, help="give extents from 0 on", origin=user_span())
        dtype_of(self.dtype)

    @property
    def elements(self) -> np.dtype[Any]:
        """Their dtype, as NumPy's."""
        return dtype_of(self.dtype)

    @property
    def extents(self) -> tuple[int, ...]:
        """The shape as a tuple."""
        return tuple(map(int, self.shape)) if isinstance(self.shape, Sequence) else (int(self.shape),)

    def map(self, box: Sequence[int], **options: Any) -> Mapped:
        """This array behind a tensor map: an argument for a parameter of `px.TensorMap`.

        Args:
            box, options: as in `px.tensor_map`.

        Example:
            x = px.Input("bf16", (64, 64))
            print(x.map(box=(64, 32), swizzle="64B").box)  # (64, 32)
        """
        return Mapped(self, tuple(box), options)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True, eq=False)
class Input(_Described):
    """An array that a kernel reads. The judge draws what it holds.

    Attributes:
        dtype: of its elements: NumPy's, ml_dtypes', or PTX's name. shape: its extents.
        low, high: bounds of the elements, `high` excluded for integers. Left out, floating-point numbers are drawn from all that
            the type has, NaN and infinities now and then included, and integers from all values of the type.
        values: draws the elements instead: a function of a NumPy generator and the shape. For indices, offsets, and whatever else
            has to have a structure.
        updated: whether the kernel also writes it; the reference then returns what it is to hold.

    Example:
        x = px.Input("f32", (64, 64), low=-1, high=1)
        print(x.elements, x.extents)  # float32 (64, 64)
    """

    dtype: Any
    shape: Sequence[int] | int
    low: float | None = None
    high: float | None = None
    values: Callable[[np.random.Generator, tuple[int, ...]], Any] | None = None
    updated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Output(_Described):
    """An array that a kernel writes, each element of it. Before the launch it holds what the judge draws.

    Attributes:
        dtype: of its elements. shape: its extents.

    Example:
        y = px.Output("bf16", 128)
        print(y.elements, y.extents, y.map(box=[64]).box)  # bfloat16 (128,) (64,)
    """

    dtype: Any
    shape: Sequence[int] | int


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """An array behind a tensor map: `px.Input(…).map(…)` makes it.

    Attributes:
        array: of the case. box, options: as in `px.tensor_map`.

    Example:
        y = px.Output("f32", (16, 16)).map(box=(16, 16))
        print(y.box, y.array.extents)  # (16, 16) (16, 16)
    """

    array: Input | Output
    box: tuple[int, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A launch: its arguments in the order of the kernel's parameters, and its extents.

    Attributes:
        args: `Input`, `Output`, their `.map(…)`, and numbers. The same object twice is the same array twice.
        launch: of a kernel: grid, block, cluster, shared, cooperative, and the kernel's constants, by name.

    Example:
        made = px.case([px.Input("f32", 8), px.Output("f32", 8)], grid=1)
        print(len(made.arrays), [one.extents for one in made.written])  # 2 [(8,)]
    """

    args: Sequence[Any]
    launch: Mapping[str, Any]

    @property
    def arrays(self) -> list[Input | Output]:
        """The arrays, each once, in their order."""
        found = (one.array if isinstance(one, Mapped) else one for one in self.args)
        return list({id(one): one for one in found if isinstance(one, Input | Output)}.values())

    @property
    def written(self) -> list[Input | Output]:
        """Those that the kernel writes, in the order in which a reference returns them."""
        return [one for one in self.arrays if isinstance(one, Output) or one.updated]


@dataclass(frozen=True, slots=True, repr=False)
class Spec:
    """What `px.verify` draws, and what it allows.

    Attributes:
        case: a function of the sizes by name, which returns `px.case(…)`, or None for sizes that do not go together.
        sizes: the values of each size, as a range or a list. The judge draws from them: the smallest, the largest, primes, those
            beside multiples of 32.
        accuracy: the type that intermediate results may be rounded to: "f32", "f64", "tf32", "bf16", "f16". A result may be off by
            what such arithmetic loses at most, in whatever order it adds; sums of small integers lose nothing.
        products: the type of the factors of matrix products, where that is coarser: "tf32".
        rtol, atol: allowed in place of such a bound: |value − wanted| ≤ atol + rtol · |wanted|.
        nan: whether inputs may have NaN and infinities; where the reference has them the result is to have them.
        deterministic: whether the same input has to give the same bits under every schedule.
        algebraic: whether the kernel has to compute the same expressions as the reference, too: both are computed modulo primes,
            without rounding and without tolerance. "only": nothing else is judged, in a few small launches.

    Example:
        def case(n):
            return px.case([px.Input("f32", n), px.Output("f32", n), n], grid=-(-n // 128))

        spec = px.Spec(case, {"n": range(1, 1000)})
        print(spec.accuracy)  # f32
    """

    case: Callable[..., Case | None]
    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    accuracy: str = "f32"
    products: str | None = None
    rtol: float | None = None
    atol: float | None = None
    nan: bool = True
    deterministic: bool = True
    algebraic: bool | Literal["only"] = False

    def __repr__(self) -> str:
        return f"<Spec of {getattr(self.case, '__name__', 'a case')}, sizes {', '.join(self.sizes) or 'none'}, {self.accuracy}>"

    def __post_init__(self) -> None:
        for name, values in self.sizes.items():
            if not len(values):
                raise _wrong(f"sizes: {name!r} has no values.", "give a range or a list, e.g. {name!r}: range(1, 100)")
        if self.algebraic not in (True, False, "only"):
            raise _wrong(f"algebraic={self.algebraic!r}.", 'use True, False or "only"')
        for word in filter(None, (self.accuracy, self.products)):
            if word not in FORMATS:
                raise _wrong(f"{word!r} is no floating-point type.", f"use one of {', '.join(FORMATS)}")


@public
def case(args: Sequence[Any], **launch: Any) -> Case:
    """A launch that `px.verify` is to judge.

    Args:
        args: one for each parameter of the kernel: `px.Input`, `px.Output`, their `.map(…)`, and numbers. The same object
            twice is the same array twice.
        launch: grid, block, cluster, shared, cooperative, and the kernel's constants, as in `px.simulate`. A function that is
            judged chooses its launches itself.

    Raises: Diagnostic PTX2501 for an argument that is none of these.

    Example:
        made = px.case([px.Input("f32", (4, 8)), px.Output("f32", 4), 8], grid=4)
        print(len(made.arrays), made.launch)  # 2 {'grid': 4}
    """
    for one in args:
        if type(one).__name__ in ("ndarray", "list", "Tensor"):
            raise _wrong(
                f"An argument is {type(one).__name__}.",
                "give px.Input(dtype, shape) or px.Output(dtype, shape): the judge draws data",
            )
    return Case(tuple(args), launch)


def launched(case: Case, args: Sequence[Any]) -> tuple[LaunchOptions, dict[str, Any]]:
    """How a kernel is launched with these arguments, and its constants."""
    given = dict(case.launch)
    chosen = {name: given.pop(name) for name in LAUNCHED if name in given}
    return LaunchOptions(args=args, device="sim", lints=False, **chosen), given


def arithmetic(spec: Spec) -> Arithmetic:
    """Fresh arithmetic for a reference."""
    return Arithmetic(FORMATS[spec.accuracy], FORMATS[spec.products] if spec.products else None)


def tolerance(spec: Spec) -> tuple[float, float] | None:
    """rtol and atol, where one of them is given."""
    if spec.rtol is None and spec.atol is None:
        return None
    return spec.rtol or 0.0, spec.atol or 0.0


def made(spec: Spec, sizes: Sizes) -> Case | None:
    """The case of these sizes. Raises: Diagnostic PTX2501 where the function returns something else."""
    found = spec.case(**sizes)
    if found is not None and not isinstance(found, Case):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _wrong(f"The spec's case returns {type(found).__name__}.", "return px.case([…], grid=…), or None")
    return found


def _wrong(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2501", message, help=help, origin=user_span())


def drawn_sizes(
    spec: Spec, rng: np.random.Generator, turn: int, fixed: Sizes = MappingProxyType({})
) -> tuple[dict[str, int], Case]:
    """Sizes, and their case: first ordinary ones, then the smallest and the largest, then all kinds. fixed: sizes that are given.

    Raises: Diagnostic PTX2501 where the spec has no case for any sizes that are tried.
    """
    for attempt in range(200):
        kind = turn if attempt == 0 else 3
        sizes = {name: _size(values, rng, kind) for name, values in spec.sizes.items()}
        if kind > 2:  # the larger of two: in few elements little shows
            sizes = {name: max(size, _size(spec.sizes[name], rng, kind)) for name, size in sizes.items()}
        sizes |= fixed if attempt < 100 else {}
        found = made(spec, sizes)
        if found is not None:
            return sizes, found
    raise _wrong("The spec's case returns None for 200 draws of sizes.", "give ranges in which most sizes go together")


def named_sizes(spec: Spec, numbers: Sequence[int | float]) -> list[dict[str, int]]:
    """Each size that is one of some numbers, in their order, and then those beside them."""
    whole = [int(n) for n in numbers if abs(n) < 1 << 40 and int(n) == n]
    beside = dict.fromkeys(n + d for d in (0, 1, -1) for n in whole)
    return [{name: n} for n in beside for name, values in spec.sizes.items() if n in values]


def _size(values: Sequence[int], rng: np.random.Generator, turn: int) -> int:
    count = len(values)
    if turn == 1:
        return int(values[0])
    if turn == 2:
        return int(values[-1])
    low, high = int(values[0]), int(values[-1])
    how = 0 if turn == 0 else int(rng.integers(6))
    if how == 0 or low < 1 or high <= low:
        return int(values[int(rng.integers(count))])
    wanted = math.exp(float(rng.uniform(math.log(low), math.log(high + 1))))
    if how == 1:
        wanted = _prime(int(wanted))
    elif how in (2, 3):
        step = 32 << int(rng.integers(3))
        wanted = max(1, round(wanted / step)) * step + int(rng.integers(-1, 2))
    elif how == 4:
        wanted = low if rng.random() < 0.5 else high
    at = (
        int(np.searchsorted(np.asarray(values), wanted))
        if isinstance(values, range) and values.step > 0
        else int(rng.integers(count))
    )
    return int(values[min(at, count - 1)])


def _prime(n: int) -> int:
    """The next prime from n on."""
    n = max(n, 2)
    while any(n % d == 0 for d in range(2, math.isqrt(n) + 1)):
        n += 1
    return n


Array = NDArray[Any]

__all__ = [
    "Array",
    "Case",
    "Input",
    "Mapped",
    "Output",
    "Spec",
    "arithmetic",
    "case",
    "drawn_sizes",
    "launched",
    "made",
    "named_sizes",
    "tolerance",
]
