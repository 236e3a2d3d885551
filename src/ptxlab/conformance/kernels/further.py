"""Cases of the matrix product's types, scales and epilogues: on integers NumPy's bits, on other numbers an H200's.

Numbers are random, or made to break careless arithmetic (`adversarial`). Digests of both are recorded on a chip, and outputs lie
within a bound of the exact result in float64 (`bounds`). Each case names its tiling, as bits depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels import adversarial, bounds, inputs
from ptxlab.conformance.kernels.bounds import Sums
from ptxlab.conformance.kernels.cases import OUTPUT, Arrays, Case, aligned

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.launch.prepare import Launch

RECORD: Final = Path(__file__).with_name("digests_h200.json")
"""What an H200 wrote in those cases that the demonstration shows."""
SIZES: Final = (72, 144, 272)
"""M, N, K."""
TILING: Final = "128x128-2c"
SPLIT: Final = "64x64-1c-split2"
SWAPPED: Final = "128x16-2c-swapped"
SWAPPED_GATE: Final = "128x16-1c-swapped"
ALL: Final = ("integers", "random", "adversarial")
INEXACT: Final = ("random", "adversarial")
BLOCK: Final = 128
"""Steps along K, and lines of B, that share a scale."""
E4M3, E5M2, BF16, F16, F32 = "float8_e4m3fn", "float8_e5m2", "bfloat16", "float16", "float32"
Options = Callable[[Mapping[str, Any]], dict[str, Any]]
"""What `gemm` is given beside the matrices."""
Meaning = Callable[[Arrays], Sums]
"""The result in float64, with its bound."""


def plain(a: Arrays) -> Sums:
    """The product alone."""
    return bounds.sums(a["a"], a["b"])


@dataclass(frozen=True, slots=True)
class Product:
    """One way to call `gemm`.

    Attributes:
        what: in words. types: of A, B and C.
        options, meaning: what is given beside the matrices, and what should come out.
        beside: names and shapes of further arrays; M, N and K stand for sizes, C for the columns of C. read: their type.
        layout: of B. turned: whether A is a transposed view. config: the tiling.
        kinds: of inputs. per_result: sums that make a result. amax: whether one more number behind C is written.
        onto: whether C has numbers before, which an epilogue reads.
    """

    what: str
    types: tuple[str, str, str]
    options: Options = lambda a: {}
    meaning: Meaning = plain
    beside: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict[str, "tuple[int | str, ...]"])
    kinds: tuple[str, ...] = ALL
    sizes: tuple[int, int, int] = SIZES
    layout: str = "nk"
    config: str = TILING
    per_result: int = 1
    amax: bool = False
    turned: bool = False
    onto: bool = False
    read: str = F32

    @property
    def key(self) -> str:
        """The name in the record."""
        size = "x".join(map(str, self.sizes))
        return f"gemm/{self.what}/{'-'.join(self.types)}/{self.layout}/{self.config}/{size}"

    @property
    def out_shape(self) -> tuple[int, int]:
        m, n, _ = self.sizes
        return m, n // self.per_result

    def arrays(self, kind: str) -> Arrays:
        """Fresh inputs of a kind."""
        import numpy as np

        from ptxlab.launch.arrays import dtype_of

        m, n, k = self.sizes
        made = {"random": inputs.uniform, "adversarial": adversarial.rows, "integers": _small}[kind]
        a_type, b_type, c_type = map(dtype_of, self.types)
        found = {"a": made((m, k), a_type, seed=3), "b": made((n, k), b_type, seed=4)}
        for i, (name, shape) in enumerate(self.beside.items()):
            extents = tuple({"M": m, "N": n, "K": k, "C": n // self.per_result}.get(str(x), x) for x in shape)
            make = _powers if kind == "integers" and name.startswith("scale") else made
            found[name] = make(extents, dtype_of(self.read), seed=5 + i)  # type: ignore[arg-type]
        if self.layout == "kn":
            found["b"] = found["b"].T
        if self.turned:
            found["a"] = found["a"].T
        shape = (m * n // self.per_result + 4,) if self.amax else self.out_shape
        c = made(shape, c_type, seed=9) if self.onto else np.zeros(shape, c_type)
        return {**{x: aligned(y) for x, y in found.items()}, OUTPUT: aligned(c)}

    def prepare(self, a: Mapping[str, Any]) -> Launch:
        """The launch on such arrays."""
        from ptxlab.kernels.gemm import prepare
        from ptxlab.launch.arrays import view

        c, left = a[OUTPUT], view(a["a"])
        if self.turned:
            left = replace(left, shape=left.shape[::-1], strides=left.strides[::-1])
        if self.amax:
            whole, (rows, columns) = view(c), self.out_shape
            c = replace(whole, shape=(rows, columns), strides=(4 * columns, 4))
            last = replace(whole, address=whole.address + 4 * rows * columns, shape=(1,), strides=(4,))
            a = {**a, "amax": last}
        return prepare(left, a["b"], c, b_layout=self.layout, config=self.config, **self.options(a))  # type: ignore[arg-type]

    def sums(self, a: Arrays) -> Sums:
        """What C should hold, in float64."""
        lying = {"a": a["a"].T if self.turned else a["a"], "b": a["b"].T if self.layout == "kn" else a["b"]}
        return self.meaning({**a, **lying})

    def expected(self, a: Arrays) -> np.ndarray:
        """The output for integers."""
        import numpy as np

        exact, out = self.sums(a).exact, np.zeros_like(a[OUTPUT])
        result = bounds.as_type(exact, out.dtype).astype(out.dtype)
        out.reshape(-1)[: result.size] = result.reshape(-1)
        if self.amax:
            out[result.size] = np.abs(exact).max()
        return out

    def outside(self, a: Arrays, got: np.ndarray) -> str:
        """Empty where an output lies within the bound."""
        wanted = self.sums(a)
        if not self.amax:
            return bounds.outside(got, wanted)
        count = wanted.exact.size
        return bounds.outside(got[:count].reshape(wanted.exact.shape), wanted) or _largest(got[count], wanted)

    @property
    def case(self) -> Case:
        """As the conformance run has it."""
        size = " × ".join(map(str, self.sizes))
        return Case(
            self.key,
            f"gemm {self.what}",
            size,
            self.arrays,
            self.prepare,
            expected=self.expected,
            kinds=self.kinds,
            outside=self.outside,
        )


def _small(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    """Integers whose products any type of sums holds exactly; from 0 on where there is no sign."""
    import numpy as np

    found = inputs.integers(shape, np.float32, seed)
    return (np.abs(found) if np.dtype(dtype).kind == "u" else found).astype(dtype)


def _powers(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    """Powers of two, with which integers stay exact."""
    import numpy as np

    return np.exp2(inputs.integers(shape, np.float32, seed, 2)).astype(dtype)


def _largest(got: Any, wanted: Sums) -> str:
    import numpy as np

    if np.isnan(wanted.exact).any():
        return "" if np.isnan(got) else f"the largest magnitude is {got}, not NaN"
    with np.errstate(all="ignore"):
        low, high = ((np.abs(wanted.exact) + s * wanted.slack).max() for s in (-1, 1))
    return (
        ""
        if low <= got <= high or np.isinf(wanted.slack).any()
        else f"the largest magnitude is {got}, not {low} to {high}"
    )


# --- types ---------------------------------------------------------------------------------------------------------------
TYPES: Final = (
    *((BF16, BF16, c) for c in (BF16, F32, F16, E4M3, E5M2)),
    *((F16, F16, c) for c in (F16, F32, BF16, E4M3)),
    *((F32, F32, c) for c in (F32, BF16, F16)),
    *(("int8", "int8", c) for c in ("int32", F32, BF16)),
    *(("uint8", "int8", "int32"), ("int8", "uint8", F16), ("uint8", "uint8", "int32")),
    *((E4M3, E4M3, c) for c in (BF16, F32, F16, E4M3, E5M2)),
    *((E4M3, E5M2, BF16), (E4M3, E5M2, E5M2), (E5M2, E4M3, F16), (E5M2, E5M2, F32)),
)
"""A, B and C."""


def _types() -> list[Product]:
    """Every type, and of each pair of A and B other ways to cut the product, rows that TMA does not store, and a long K."""
    firsts = {(a, b): (a, b, c) for a, b, c in reversed(TYPES)}.values()
    others: list[Product] = []
    for t in firsts:
        others += [Product("of types", t, config=SPLIT), Product("of types", t, config=SWAPPED)]
        others.append(Product("odd rows", t, sizes=(40, 131, 144)))
        others.append(Product("long K", t, sizes=(16, 24, 8192), config="64x64-1c"))
    split = ((BF16, BF16, BF16), (E4M3, E4M3, E4M3))
    others += [Product("long K", t, sizes=(16, 24, 8192), config="64x64-1c-split4") for t in split]
    # what TMA or wgmma cannot read is copied first; A and B of 16 bits are read either way
    others += [Product("A by columns", t, turned=True) for t in firsts if t[0] != "uint8"]
    others += [Product("B by columns", t, layout="kn") for t in firsts if t[0] != "uint8"]
    others += [Product("rows at odd places", t, sizes=(40, 72, 133)) for t in ((BF16, BF16, BF16), (E4M3, E4M3, F32))]
    others.append(Product("sums that wrap", ("uint8", "uint8", "int32"), sizes=(16, 24, 66048), config="64x64-1c"))
    # rows of uniform numbers are among the adversarial ones
    return [*(Product("of types", t) for t in TYPES), *(replace(p, kinds=("adversarial",)) for p in others)]


# --- scales --------------------------------------------------------------------------------------------------------------
def _scales(a: Mapping[str, Any]) -> dict[str, Any]:
    return {"scale_a": a["scale_a"], "scale_b": a["scale_b"]}


def _by_lines(a: Arrays) -> Sums:
    return bounds.scaled(bounds.scaled(plain(a), _double(a["scale_a"])[:, None]), _double(a["scale_b"])[None])


def _by_numbers(a: Arrays) -> Sums:
    return bounds.scaled(bounds.scaled(plain(a), float(a["scale_a"][0])), float(a["scale_b"][0]))


def in_blocks(a: Arrays) -> Sums:
    """The product with scales for each 128 steps along K, of each row of A, and of each line or 128 lines of B."""
    import numpy as np

    (m, k), n = a["a"].shape, len(a["b"])
    factors = [np.repeat(a[x], -(-lines // len(a[x])), 0) for x, lines in (("scale_a", m), ("scale_b", n))]
    if len(a["scale_b"]) < n:
        factors[1] = np.repeat(a["scale_b"], BLOCK, 0)[:n]
    parts: list[Sums] = []
    for i in range(-(-k // BLOCK)):
        at = slice(BLOCK * i, BLOCK * (i + 1))
        with np.errstate(all="ignore"):
            factor = _double(factors[0][:, i])[:, None] * _double(factors[1][:, i])[None]
        parts.append(bounds.scaled(bounds.sums(a["a"][:, at], a["b"][:, at]), factor))
    return bounds.added(parts)


_ROWS: Final[Mapping[str, tuple[int | str, ...]]] = {"scale_a": ("M", 3), "scale_b": (2, 3)}
_EACH: Final[Mapping[str, tuple[int | str, ...]]] = {"scale_a": ("M", 3), "scale_b": ("N", 3)}


def _scaled() -> list[Product]:
    found: list[Product] = []
    for config in (TILING, SWAPPED, SPLIT, "256x128-2c", "192x128-3c"):
        found.append(Product("scales in blocks", (E4M3, E4M3, F32), _scales, in_blocks, _ROWS, config=config))
    blocks = Product("scales in blocks", (E4M3, E5M2, BF16), _scales, in_blocks, _ROWS)
    each = Product("scales for each line and block", (E4M3, E4M3, BF16), _scales, in_blocks, _EACH)
    lines = Product(
        "scales for each line", (E4M3, E4M3, BF16), _scales, _by_lines, {"scale_a": ("M",), "scale_b": ("N",)}
    )
    numbers = Product(
        "scales for all", (E5M2, E4M3, E4M3), _scales, _by_numbers, {"scale_a": (1,), "scale_b": (1,)}, INEXACT
    )
    long = {"scale_a": ("M", 32), "scale_b": (1, 32)}
    return [
        *found,
        *(blocks, each, replace(each, config=SWAPPED), lines, replace(lines, config=SWAPPED)),
        *(replace(lines, types=(BF16, BF16, F32)), numbers),
        replace(blocks, beside=long, sizes=(16, 24, 4096), config="64x64-1c"),
    ]


# --- epilogues -----------------------------------------------------------------------------------------------------------
def _tanh_gelu(x: Any) -> Any:
    import numpy as np

    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def _silu(x: Any) -> Any:
    import numpy as np

    return x / (1 + np.exp(-x))


def _relu(x: Any) -> Any:
    import numpy as np

    return np.fmax(x, 0)


def _steps(*names: str) -> Options:
    """An epilogue of the steps of these names, with the arrays of these names."""

    def options(a: Mapping[str, Any]) -> dict[str, Any]:
        from ptxlab.kernels.blocks import epilogue as e

        made: dict[str, Callable[[], Any]] = {
            "bias": lambda: e.bias(a["bias"]),
            "residual": lambda: e.residual(a["matrix"]),
            "linear": lambda: e.linear(0.75, -1.5, a["matrix"]),
            "onto C": lambda: e.linear(1.0, 0.5, a[OUTPUT]),
            "scaled": lambda: e.scaled(0.125),
            "per row": lambda: e.scaled_by(e.per_row(a["rows"])),
            "one": lambda: e.scaled_by(e.per_scalar(a["one"])),
            "amax": lambda: e.amax(a["amax"]),
            "less": lambda: e.gated(_less),
        }
        steps = [made[n]() if n in made else getattr(e, n) for n in names]
        found = steps[0]
        for step in steps[1:]:
            found = found | step
        return {"epilogue": found}

    return options


def _less(k: Any, gate: Any, x: Any) -> Any:
    return k.sub.rn.f32(gate, x)


def _plus(x: Any, y: Any) -> Any:
    return x + y


def _linear(x: Any, y: Any) -> Any:
    return 0.75 * x - 1.5 * y


def _onto(x: Any, y: Any) -> Any:
    return x + 0.5 * y


def _difference(gate: Any, x: Any) -> Any:
    return gate - x


def _swiglu(gate: Any, x: Any) -> Any:
    return _silu(gate) * x


def _geglu(gate: Any, x: Any) -> Any:
    return _tanh_gelu(gate) * x


FINE: Final = 2.0**-21
ROUGH: Final = 2.0**-9
"""What functions may be off by, of what goes in: exact ones, and approximate ones."""
_OF_ONE: Final[Mapping[str, tuple[Callable[..., Any], str, float]]] = {
    "bias": (_plus, "bias", FINE),
    "residual": (_plus, "matrix", FINE),
    "linear": (_linear, "matrix", FINE),
    "onto C": (_onto, OUTPUT, FINE),
    "relu": (_relu, "", FINE),
    "gelu": (_tanh_gelu, "", ROUGH),
    "silu": (_silu, "", ROUGH),
}
"""Of steps: what they compute in float64, what they read, and how far they may be off."""
_GATES: Final[Mapping[str, tuple[Callable[..., Any], float]]] = {
    "less": (_difference, FINE),
    "swiglu": (_swiglu, ROUGH),
    "geglu": (_geglu, ROUGH),
}


def _meant(*names: str, before: Meaning = plain) -> Meaning:
    """The same in float64."""

    def meaning(a: Arrays) -> Sums:
        found = before(a)
        for name in names:
            found = _step(name, found, a)
        return found

    return meaning


def _step(name: str, found: Sums, a: Arrays) -> Sums:
    """What a step makes of results."""
    import numpy as np

    if name in _OF_ONE:
        function, array, rough = _OF_ONE[name]
        beside = [np.broadcast_to(_double(a[array]), found.exact.shape)] if array else []
        return bounds.through([found], function, *beside, rough=rough)
    if name in _GATES:
        function, rough = _GATES[name]
        halves = zip(np.split(found.exact, 2, 1), np.split(found.slack, 2, 1), strict=True)
        return bounds.through([Sums(*half) for half in halves], function, rough=rough)
    if name == "amax":
        return found
    factor = {
        "per row": lambda: _double(a["rows"])[:, None],
        "one": lambda: _double(a["one"])[0],
        "scaled": lambda: 0.125,
    }
    return bounds.scaled(found, factor[name]())


def _double(x: np.ndarray) -> np.ndarray:
    """In float64; a NaN may be a signalling one."""
    import numpy as np

    with np.errstate(all="ignore"):
        return x.astype(np.float64)


_SHAPES: Final[Mapping[str, tuple[str, tuple[int | str, ...]]]] = {
    "bias": ("bias", ("N",)),
    "residual": ("matrix", ("M", "C")),
    "linear": ("matrix", ("M", "N")),
    "per row": ("rows", ("M",)),
    "one": ("one", (1,)),
}
_EXACT: Final = ("bias", "relu", "residual", "linear", "scaled", "less", "amax")


def _ending(types: tuple[str, str, str], *names: str, config: str = TILING, what: str = "") -> Product:
    """A product with an epilogue of these steps."""
    made = Product(
        what or ", ".join(names),
        types,
        _steps(*names),
        _meant(*names),
        dict(_SHAPES[n] for n in names if n in _SHAPES),
        ALL if set(names) <= set(_EXACT) else INEXACT,
        config=config,
        per_result=2 if set(names) & _GATES.keys() else 1,
        amax="amax" in names,
    )
    # the amax of the record lies behind a C of four bytes an element
    assert not made.amax or types[2] == F32
    return made


def _epilogues() -> list[Product]:
    bf16, f32 = (BF16, BF16, BF16), (BF16, BF16, F32)
    found = [
        _ending(f32, "bias", "relu", "residual"),
        *(_ending(bf16, x) for x in ("gelu", "silu", "swiglu", "geglu", "linear")),
        _ending(f32, "less", what="a gate"),
        _ending(f32, "bias", "swiglu", "amax"),
        _ending((E4M3, E4M3, F32), "scaled", "gelu", "amax"),
        _ending((E4M3, E4M3, E4M3), "per row", "one", "silu"),
        _ending(("int8", "int8", BF16), "per row", "bias", "gelu"),
        _ending((F32, F32, F32), "bias", "silu", "residual"),
        _ending((F16, F16, F16), "residual", "gelu"),
    ]
    read = (
        replace(_ending(bf16, "bias", "gelu", "residual"), read=BF16),
        replace(
            _ending((F16, F16, F16), "per row", "bias", "relu", "residual", config=SWAPPED), read=F16, kinds=INEXACT
        ),
        *(replace(_ending(bf16, "onto C", config=c), onto=True, kinds=INEXACT) for c in (TILING, SWAPPED)),
        replace(_ending(f32, "onto C"), onto=True, kinds=INEXACT, sizes=(40, 131, 144)),
    )
    gated = Product(
        "scales for each line and block, swiglu",
        (E4M3, E4M3, BF16),
        lambda a: {**_scales(a), **_steps("swiglu")(a)},
        _meant("swiglu", before=in_blocks),
        _EACH,
        INEXACT,
        per_result=2,
    )
    swapped = [replace(p, config=SWAPPED if p.per_result == 1 else SWAPPED_GATE) for p in found if p.what in _BOTH_WAYS]
    return [*found, *swapped, replace(found[0], config=SPLIT), replace(found[3], config=SPLIT), *read, gated]


_BOTH_WAYS: Final = ("bias, relu, residual", "swiglu", "bias, swiglu, amax", "scaled, gelu, amax", "linear")


# --- all of them ---------------------------------------------------------------------------------------------------------
def further() -> list[Case]:
    """Those that the demonstration shows: one of each, types, scales in blocks, epilogues with arrays, a gate."""
    shown = (
        Product("of types", (F16, F16, F16)),
        Product("of types", (F32, F32, F32)),
        Product("of types", ("int8", "int8", "int32")),
        Product("of types", (E4M3, E5M2, BF16)),
        _scaled()[0],
        _epilogues()[0],
        _ending((BF16, BF16, F32), "less", what="a gate"),
    )
    names = (
        "f16",
        "tf32",
        "int8 → s32",
        "e4m3 · e5m2 → bf16",
        "fp8, scales in blocks",
        "bias, ReLU, residual",
        "a gate",
    )
    return [
        replace(p.case, kernel=f"gemm {name}", kinds=("integers", "random"))
        for p, name in zip(shown, names, strict=True)
    ]


def products() -> list[Case]:
    """Every type, scale and epilogue. They are recorded and tested."""
    return [p.case for p in (*_types(), *_scaled(), *_epilogues())]


def others() -> list[Case]:
    """Kernels that have digests of random numbers elsewhere, on numbers that break careless arithmetic."""
    from ptxlab.conformance.kernels.tensors import convolutions, grouped, reductions

    real: Sequence[Case] = [c for c in reductions() if "float" in c.key and "/list" not in c.key]
    return [replace(c, kinds=("adversarial",)) for c in (*grouped()[::3], *convolutions()[-2:], *real)]


__all__ = ["RECORD", "Product", "further", "in_blocks", "others", "products"]
