"""The arguments of a launch as JSON, and its arrays as JSON again."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Discriminator, Field, Tag

from ptxlab.diag import Diagnostic
from ptxlab.mcp.models import NUMBERS, Model, Number

if TYPE_CHECKING:
    import numpy as np

DTYPE: Final = "u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32, f64, e4m3, e5m2, or a name of NumPy"


class Scalar(Model):
    """A number that is not passed as it stands in JSON: `{"scalar": "f32", "value": 1.5}`."""

    scalar: str = Field(description="the type: u8 to u64, s8 to s64, f16, f32, f64", max_length=32)
    value: Number


class Random(Model):
    """Random numbers. The same seed gives the same numbers."""

    seed: int = Field(ge=0, lt=1 << 63)
    low: float | None = Field(default=None, description="default: -1 for floating-point numbers, 0 for integers")
    high: float | None = Field(
        default=None,
        description="numbers lie below it; default: 1 for floating-point numbers, else 128 or the type's end",
    )


class Array(Model):
    """An array; one of `values`, `fill`, `random` and `base64` says what it holds, else it holds zeros."""

    array: str = Field(description=f"the type of its elements: {DTYPE}", max_length=32)
    shape: list[Annotated[int, Field(ge=0, lt=1 << 40)]] = Field(max_length=8)
    values: list[Any] | None = Field(default=None, description="nested as `shape`, or all in one list")
    fill: Number | None = Field(default=None, description="each element; with `step`, the first one")
    step: Number | None = Field(default=None, description="from each element to the next: fill 0 and step 1 count")
    random: Random | None = None
    base64: str | None = Field(default=None, description="the bytes, in the order of the elements, little-endian")


class Same(Model):
    """The array of another argument: `{"same": "x"}`."""

    same: str = Field(max_length=256)


class Map(Model):
    """A tensor map of an array, as `px.tensor_map` makes it."""

    tensormap: Array | Same
    box: list[int] = Field(max_length=5, description="extents of a copy, in the order of the array's axes")
    swizzle: Literal["none", "32B", "64B", "128B"] = "none"
    interleave: Literal["none", "16B", "32B"] = "none"
    l2_promotion: Literal["none", "64B", "128B", "256B"] = "none"
    oob_fill: Literal["zero", "nan"] = "zero"
    element_strides: list[int] | None = None
    dtype: str | None = None


_KINDS: Final = {"scalar": Scalar, "array": Array, "same": Same, "tensormap": Map}


def _kind(given: Any) -> str:
    """Which of the kinds an argument is meant to be: by the field that names it, so that one kind alone is complained of."""
    if isinstance(given, dict):
        return f"<{next((name for name in _KINDS if name in given), 'array')}>"
    return next((f"<{name}>" for name, kind in _KINDS.items() if isinstance(given, kind)), "<number>")


def _how(given: Any) -> str:
    return "<dict>" if isinstance(given, dict) else "<list>"


Argument = Annotated[
    Annotated[Scalar, Tag("<scalar>")]
    | Annotated[Array, Tag("<array>")]
    | Annotated[Same, Tag("<same>")]
    | Annotated[Map, Tag("<tensormap>")]
    | Annotated[Number, Tag("<number>")],
    Discriminator(_kind),
]
Arguments = Annotated[
    Annotated[list[Argument], Tag("<list>")] | Annotated[dict[str, Argument], Tag("<dict>")], Discriminator(_how)
]


class Output(Model):
    """An array after the launch."""

    name: str
    dtype: str
    shape: list[int]
    changed: bool = Field(description="whether any byte differs from what it was before")
    digest: str = Field(description="SHA-256 of its bytes")
    minimum: Number | None
    maximum: Number | None
    mean: Number | None
    nonzero: int
    nan: int
    first: list[Number] = Field(description="the first elements")
    base64: str | None = Field(default=None, description="all of its bytes, where they are asked for")


def wrong(message: str, help: str | None = None) -> Diagnostic:
    """An argument that cannot be."""
    return Diagnostic("PTX2601", message, help=help)


class Bound:
    """The arguments of a launch, in order, and the arrays among them by the name of their parameter.

    Raises: Diagnostic PTX2601 for arguments that cannot be, PTX2307, PTX2323 and those of tensor maps.
    """

    def __init__(self, names: Sequence[str], given: Arguments) -> None:
        ordered = _ordered(names, given)
        self.arrays: dict[str, np.ndarray] = {}
        self.args: list[Any] = [None] * len(ordered)
        later = [i for i, (_, one) in enumerate(ordered) if _refers(one)]
        for i in [*(i for i in range(len(ordered)) if i not in later), *later]:
            name, one = ordered[i]
            try:
                self.args[i] = self._made(name, one)
            except Diagnostic as d:
                d.message = f"args.{name}: {d.message}"
                raise
        self.before = {name: digest(array) for name, array in self.arrays.items()}

    def _made(self, name: str, given: Any) -> Any:
        import ptxlab as px

        match given:
            case Scalar():
                return scalar(given)
            case Array() | Same():
                self.arrays[name] = self._array(given)
                return self.arrays[name]
            case Map():
                self.arrays[name] = self._array(given.tensormap)
                options = given.model_dump(exclude={"tensormap", "box"})
                return px.tensor_map(self.arrays[name], given.box, **options)
            case _:
                return number(given)

    def _array(self, given: Array | Same) -> np.ndarray:
        if isinstance(given, Array):
            return array(given)
        if given.same not in self.arrays:
            raise wrong(f"No argument {given.same!r} is an array.", f"arrays: {', '.join(self.arrays) or 'none'}")
        return self.arrays[given.same]

    def outputs(self, first: int, form: Literal["summary", "base64"]) -> list[dict[str, Any]]:
        """The arrays as they are now, each once."""
        once = {id(array): name for name, array in reversed(self.arrays.items())}
        return [
            shown(name, self.arrays[name], self.before[name], first, form)
            for name in self.arrays
            if name in once.values()
        ]


def _ordered(names: Sequence[str], given: Arguments) -> list[tuple[str, Any]]:
    if isinstance(given, list):
        return [(names[i] if i < len(names) else str(i), one) for i, one in enumerate(given)]
    unknown = [name for name in given if name not in names]
    missing = [name for name in names if name not in given]
    listed = ", ".join(names) or "none"
    if unknown:
        raise wrong(f"args: the kernel has no parameter {unknown[0]!r}.", f"its parameters: {listed}")
    if missing:
        raise wrong(f"args: parameters without a value: {', '.join(missing)}.", f"its parameters: {listed}")
    return [(name, given[name]) for name in names]


def _refers(given: Any) -> bool:
    return isinstance(given, Same) or (isinstance(given, Map) and isinstance(given.tensormap, Same))


def number(given: Number) -> Any:
    """A number of JSON as one of Python's."""
    return NUMBERS[given] if isinstance(given, str) else given


def scalar(given: Scalar) -> Any:
    """A number of the type that is named. Raises: Diagnostic PTX2601, PTX2307."""
    from ptxlab.launch.arrays import dtype_of

    item = dtype_of(given.scalar)
    try:
        return item.type(number(given.value))
    except (OverflowError, TypeError, ValueError):
        raise wrong(f"{given.value!r} is no {given.scalar}.") from None


def array(given: Array) -> np.ndarray:
    """An array as kernels want it, at a multiple of 256 bytes. Raises: Diagnostic PTX2601, PTX2307, PTX2323."""
    import ptxlab as px

    ways: Mapping[str, Callable[[np.ndarray, Array], object]] = {
        "values": _listed,
        "random": _drawn,
        "base64": _decoded,
        "fill": _filled,
        "step": _filled,
    }
    said = [name for name in ways if getattr(given, name) is not None]
    if len(said) > 1 and said != ["fill", "step"]:
        raise wrong(f"The array has {' and '.join(said)}.", "say once what it holds")
    made = px.empty(given.shape, given.array)
    try:
        made[...] = 0
        if said:
            ways[said[0]](made, given)
    except Diagnostic:
        raise
    except (OverflowError, TypeError, ValueError) as e:
        what = str(e).partition("\n")[0]
        raise wrong(f"`{said[0]}` is nothing for {given.array} {given.shape}: {what}.") from None
    return made


def _listed(made: np.ndarray, given: Array) -> None:
    import numpy as np

    values = np.array([NUMBERS.get(v, v) if isinstance(v, str) else v for v in given.values or ()])
    if values.size != made.size or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{values.size} numbers are wanted as {made.size}" if values.size != made.size else "no numbers"
        )
    if made.dtype.kind in "iu":
        _fits(made, values.min() if values.size else 0, values.max() if values.size else 0)
    made[...] = values.reshape(made.shape)


def _fits(made: np.ndarray, low: Any, high: Any) -> None:
    import numpy as np

    ends = np.iinfo(made.dtype)
    if not (ends.min <= low and high <= ends.max):
        raise ValueError(f"they go from {ends.min} to {ends.max}")


def _filled(made: np.ndarray, given: Array) -> None:
    import numpy as np

    begin, step = number(given.fill or 0), number(given.step or 0)
    if made.dtype.kind in "iu" and made.size and begin == begin:
        _fits(made, *sorted((begin, begin + step * (made.size - 1))))
    if step:
        made.reshape(-1)[...] = np.arange(made.size) * step + begin
    else:
        made[...] = begin


def _drawn(made: np.ndarray, given: Array) -> None:
    import numpy as np

    assert given.random is not None
    draw = np.random.default_rng(given.random.seed)
    low, high = given.random.low, given.random.high
    if made.dtype.kind in "iu":
        ends = np.iinfo(made.dtype)
        begin, end = int(low or 0), int(high if high is not None else min(128, int(ends.max) + 1))
        made[...] = draw.integers(begin, end, made.shape, dtype=made.dtype)
    else:
        made[...] = draw.uniform(-1 if low is None else low, 1 if high is None else high, made.shape)


def _decoded(made: np.ndarray, given: Array) -> None:
    import numpy as np

    try:
        raw = base64.b64decode(given.base64 or "", validate=True)
    except binascii.Error as e:
        raise ValueError(f"it is not base64: {e}") from None
    if len(raw) != made.nbytes:
        raise ValueError(f"{len(raw)} bytes, and {made.nbytes} are wanted")
    made[...] = np.frombuffer(raw, made.dtype).reshape(made.shape)


def digest(array: np.ndarray) -> str:
    """What `Output.digest` is."""
    return hashlib.sha256(array.tobytes()).hexdigest()


def shown(name: str, array: np.ndarray, before: str, first: int, form: str) -> dict[str, Any]:
    """The data of an `Output`."""
    import numpy as np

    wide = array.astype(np.float64) if array.dtype.kind not in "biu" else array
    finite = wide[~np.isnan(wide)] if wide.dtype.kind == "f" else wide
    there, now = finite.size > 0, digest(array)
    return {
        "name": name,
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "changed": now != before,
        "digest": now,
        "minimum": plain(finite.min()) if there else None,
        "maximum": plain(finite.max()) if there else None,
        "mean": plain(finite.mean(dtype=np.float64)) if there else None,
        "nonzero": int(np.count_nonzero(wide)),
        "nan": int(array.size - finite.size),
        "first": [plain(v) for v in wide.reshape(-1)[:first]],
        "base64": base64.b64encode(array.tobytes()).decode() if form == "base64" else None,
    }


def plain(value: Any) -> Number:
    """A number of NumPy as JSON has it."""
    found = value.item()
    if isinstance(found, float) and not math.isfinite(found):
        return "nan" if math.isnan(found) else "inf" if found > 0 else "-inf"
    return found
