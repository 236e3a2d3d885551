"""The cases: a kernel, its inputs, and what NumPy says that it must write.

Each case runs on two kinds of input, some on a third. Integers are exact in f32 whatever the order of the sums, so the output must
equal NumPy's bit for bit. Random numbers are not: there the output must have the digest that a chip's had. So must it on numbers
that break careless arithmetic (`adversarial`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels import inputs

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.launch.prepare import Launch

KINDS: Final = ("integers", "random")
OUTPUT: Final = "out"
LINEAR_SIZE: Final = 100_003
"""Elements of the linear copies: the last CTA is not full, and the last 16 bytes are not either."""
TMA_SIZE: Final = 100_004
TMA_SHAPE: Final = (500, 1004)
TILE_ROWS: Final = 16
GEMM: Final = (512, 512, 512)
TILING: Final = "128x256-2c"
"""How those products are cut: the digests depend on it, and what is chosen may change."""
TAILS: Final = ((1, 8, 8), (129, 264, 72), (300, 520, 200), (257, 2056, 136))
"""M, N, K that fill no tile of 128 × 256 × 64; rows are multiples of 16 bytes in both layouts of B."""
ODD: Final = ((77, 1, 8), (200, 521, 80))
"""M, N, K whose rows of C, odd numbers of elements, are stored without TMA; B must be N × K."""

Arrays = dict[str, "np.ndarray"]


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel at one size.

    Attributes:
        key: its name in the record of digests; it changes with the inputs, and with nothing else.
        kernel: what reports call it.
        size: its extents, as reports print them.
        arrays: fresh NumPy arrays of a kind of `KINDS`, by name; `OUTPUT` is the one to be written.
        prepare: a launch on such arrays, or on GPU arrays of the same shapes and dtypes.
        expected: the output for integer inputs, computed with NumPy.
        kinds: of `KINDS`, or "adversarial" (see `adversarial`): those that are run.
        outside: of inputs and an output, how many results lie outside of what float64 allows, in words; "" for none.
    """

    key: str
    kernel: str
    size: str
    arrays: Callable[[str], Arrays]
    prepare: Callable[[Mapping[str, Any]], Launch]
    expected: Callable[[Arrays], np.ndarray]
    kinds: tuple[str, ...] = KINDS
    outside: Callable[[Arrays, np.ndarray], str] | None = None

    def recorded(self, kind: str) -> str:
        """The key of the digest for a kind of inputs."""
        return self.key if kind == "random" else f"{self.key}/{kind}"


def cases() -> list[Case]:
    """The cases of the demonstration, in the order in which they are shown."""
    return [*copies(), *swizzled(), *gemms()]


def tails() -> list[Case]:
    """Further sizes of the matrix product, which fill no tile. They are recorded and tested, but not shown."""
    return [_gemm(b, out, sizes) for sizes in TAILS for b in ("kn", "nk") for out in _RESULTS] + [
        _gemm("nk", out, sizes) for sizes in ODD for out in _RESULTS
    ]


def copies() -> list[Case]:
    """Every copy kernel once: what is read must be written, whatever the bits."""
    from ptxlab.kernels import copies as kernels

    def linear(kernel: Any) -> Callable[[Mapping[str, Any]], Launch]:
        return lambda a: kernels.prepare_linear(kernel, a["src"], a[OUTPUT])

    def tma(a: Mapping[str, Any]) -> Launch:
        return kernels.prepare_tma(a["src"], a[OUTPUT])

    made = [_copy(kernel.name, name, (LINEAR_SIZE,), linear(kernel)) for name, kernel in kernels.LINEAR.items()]
    return [*made, _copy("tma_1d", "TMA 1-D", (TMA_SIZE,), tma), _copy("tma_2d", "TMA 2-D", TMA_SHAPE, tma)]


def _copy(key: str, name: str, shape: tuple[int, ...], prepare: Callable[[Mapping[str, Any]], Launch]) -> Case:
    def arrays(kind: str) -> Arrays:
        import numpy as np

        made = inputs.bits if kind == "random" else inputs.integers
        return {"src": aligned(made(shape, np.float32, seed=1)), OUTPUT: aligned(np.zeros(shape, np.float32))}

    return Case(f"{key}/{_slug(shape)}", name, f"{_extents(shape)} f32", arrays, prepare, lambda a: a["src"])


def swizzled() -> list[Case]:
    """A tile under each swizzle: the output is shared memory as it lies, rows as long as the swizzle's span."""
    return [_swizzled(mode, columns) for mode, columns in (("none", 32), ("32B", 8), ("64B", 16), ("128B", 32))]


def _swizzled(mode: str, columns: int) -> Case:
    from ptxlab.kernels import copies as kernels

    shape = (TILE_ROWS, columns)

    def arrays(kind: str) -> Arrays:
        import numpy as np

        if kind == "random":
            source = inputs.bits(shape, np.float32, seed=2)
        else:
            source = np.broadcast_to(np.arange(columns, dtype=np.float32), shape)
        return {"src": aligned(source), OUTPUT: aligned(np.zeros(kernels.dump_shape(*shape, mode), np.float32))}

    def prepare(a: Mapping[str, Any]) -> Launch:
        return kernels.prepare_swizzled(a["src"], a[OUTPUT], rows=TILE_ROWS, columns=columns, swizzle=mode)

    def expected(a: Arrays) -> np.ndarray:
        return a["src"] if mode == "none" else swizzled_rows(a["src"])

    name = f"tile, {mode.replace('none', 'no')} swizzle"
    return Case(f"swizzled_tile/{mode}/{_slug(shape)}", name, f"{_extents(shape)} f32", arrays, prepare, expected)


def swizzled_rows(tile: np.ndarray) -> np.ndarray:
    """A tile of f32 whose rows are as long as the swizzle's span (32, 64 or 128 bytes), as the swizzle lays it out.

    The pattern counts 128-byte lines of shared memory: the 16-byte chunk c of a row in line n goes to place c xor n.
    """
    import numpy as np

    rows, columns = map(int, tile.shape)
    chunks = columns // 4
    line = np.arange(rows) * columns * 4 // 128
    place = np.arange(chunks) ^ (line % chunks)[:, None]
    # xor with one number undoes itself: what goes from c to place[c] is found at place[c] again
    return np.take_along_axis(tile.reshape(rows, chunks, 4), place[:, :, None], axis=1).reshape(rows, columns)


def gemms() -> list[Case]:
    """The matrix product, in both layouts of B and both types of C."""
    return [_gemm(layout, out, GEMM) for layout in ("kn", "nk") for out in _RESULTS]


_RESULTS: Final = {"bfloat16": "bf16", "float32": "f32"}


def _gemm(layout: str, out: str, sizes: tuple[int, int, int]) -> Case:
    m, n, k = sizes

    def arrays(kind: str) -> Arrays:
        import ml_dtypes
        import numpy as np

        bf16 = np.dtype(ml_dtypes.bfloat16)
        made = inputs.uniform if kind == "random" else inputs.integers
        b_shape = (k, n) if layout == "kn" else (n, k)
        c = np.zeros((m, n), bf16 if out == "bfloat16" else np.float32)
        return {"a": aligned(made((m, k), bf16, seed=3)), "b": aligned(made(b_shape, bf16, seed=4)), OUTPUT: aligned(c)}

    def prepare(a: Mapping[str, Any]) -> Launch:
        from ptxlab.kernels.gemm import prepare

        return prepare(a["a"], a["b"], a[OUTPUT], b_layout=layout, config=TILING)  # type: ignore[arg-type]

    def expected(a: Arrays) -> np.ndarray:
        import numpy as np

        b = a["b"].astype(np.float32)
        # |a · b| ≤ 64 K < 2^24: integers are exact in f32, so the order of the sums does not matter
        product = a["a"].astype(np.float32) @ (b if layout == "kn" else b.T)
        return product.astype(a[OUTPUT].dtype)

    shown, result = {"kn": "K×N", "nk": "N×K"}[layout], _RESULTS[out]
    key = f"gemm/{layout}/{result}/{_slug(sizes)}"
    return Case(key, f"gemm B {shown} → {result}", _extents(sizes), arrays, prepare, expected)


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy at a multiple of 128 bytes: tensor maps and wide accesses want more than NumPy's own 16."""
    import ptxlab as px

    out = px.empty(array.shape, array.dtype, align=128)
    out[...] = array
    return out


def _extents(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


def _slug(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
