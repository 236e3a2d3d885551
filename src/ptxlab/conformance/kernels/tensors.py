"""Cases of the kernels that use tensor maps: grouped products, convolutions, boxes and reductions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels import adversarial, inputs
from ptxlab.conformance.kernels.cases import OUTPUT, Arrays, Case, aligned

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.abi.record import LaunchRecord
    from ptxlab.launch.prepare import Launch
    from ptxlab.sim.report.report import Report

GROUPS: Final = (
    (130, 264, 72),
    (1, 8, 8),
    (0, 64, 64),
    (257, 40, 136),
    (64, 520, 0),
    (300, 256, 200),
    (128, 256, 64),
    (40, 72, 328),
)
"""M, N, K of the products of one launch."""
GAP: Final = 16
"""Elements between the C of two products, which nobody may write."""
CONVOLUTIONS: Final = (
    ("3x3", (4, 14, 15, 72), 40, (3, 3), 1, 1, 1),
    ("3x3 stride 2", (4, 14, 15, 72), 40, (3, 3), 2, 1, 1),
    ("3x3 dilation 2", (4, 14, 15, 72), 40, (3, 3), 1, 2, 2),
    ("1x1", (2, 9, 13, 64), 264, (1, 1), 1, 0, 1),
    ("5x3 mixed", (1, 20, 17, 8), 9, (5, 3), (2, 3), (1, 2), (2, 1)),
)
"""Name, shape of the images, filters, taps, stride, padding, dilation."""
BOXES: Final = {1: (4096,), 2: (70, 96), 3: (5, 33, 48), 4: (3, 4, 5, 32), 5: (2, 3, 4, 5, 16)}
WORDS: Final = ("uint8", "uint16", "float32", "uint64")
REDUCED: Final = (5, 7, 48)
LIST: Final = 3
"""Tensors that are combined with one."""

MADE: Final = {"random": inputs.uniform, "integers": inputs.integers, "adversarial": adversarial.rows}
"""What makes matrices and images of a kind of inputs."""


def tensors() -> list[Case]:
    """All of them. They are recorded and tested, but not shown."""
    return [*grouped(), *convolutions(), *boxes(), *reductions()]


# --- grouped products ----------------------------------------------------------------------------------------------------
def grouped() -> list[Case]:
    """Eight products of ragged sizes, two of them without elements."""
    return [grouped_case(layout, out) for layout in ("kn", "nk") for out in ("bfloat16", "float32")]


def grouped_case(layout: str, out: str, config: str = "128x256-2c") -> Case:
    """The same products, cut as `config` says. How they are cut is no part of the key, for it changes no byte."""
    places, total = _places()

    def arrays(kind: str) -> Arrays:
        import ml_dtypes
        import numpy as np

        bf16 = np.dtype(ml_dtypes.bfloat16)
        made = MADE[kind]
        found: Arrays = {OUTPUT: aligned(np.zeros(total, bf16 if out == "bfloat16" else np.float32))}
        for i, (m, n, k) in enumerate(GROUPS):
            found[f"a{i}"] = aligned(made((m, k), bf16, seed=10 + i))
            found[f"b{i}"] = aligned(made((k, n) if layout == "kn" else (n, k), bf16, seed=30 + i))
        return found

    def prepare(a: Mapping[str, Any]) -> Launch:
        from ptxlab.kernels.grouped_gemm import prepare
        from ptxlab.launch.arrays import view

        whole = view(a[OUTPUT])
        size = whole.itemsize
        problems = [
            (
                a[f"a{i}"],
                a[f"b{i}"],
                replace(whole, address=whole.address + size * at, shape=(m, n), strides=(size * n, size)),
            )
            for i, ((m, n, _), at) in enumerate(zip(GROUPS, places, strict=True))
        ]
        return prepare(problems, b_layout=layout, config=config)  # type: ignore[arg-type]

    def expected(a: Arrays) -> np.ndarray:
        import numpy as np

        result = np.zeros_like(a[OUTPUT])
        for i, ((m, n, _), at) in enumerate(zip(GROUPS, places, strict=True)):
            b = a[f"b{i}"].astype(np.float32)
            product = a[f"a{i}"].astype(np.float32) @ (b if layout == "kn" else b.T)
            result[at : at + m * n] = product.astype(result.dtype).reshape(-1)
        return result

    key = f"grouped/{layout}/{out}/{len(GROUPS)}"
    return Case(key, "grouped gemm", f"{len(GROUPS)} products", arrays, prepare, expected)


def _places() -> tuple[list[int], int]:
    """Where each C begins in the one output, and its length: C of neighbours lie GAP elements apart."""
    places: list[int] = []
    end = GAP
    for m, n, _ in GROUPS:
        places.append(end)
        end += m * n + GAP
    return places, end


# --- convolutions --------------------------------------------------------------------------------------------------------
def convolutions() -> list[Case]:
    """Images through im2col maps."""
    return [_convolution(*c, out) for c in CONVOLUTIONS for out in ("bfloat16", "float32")]


def _convolution(
    name: str,
    shape: tuple[int, int, int, int],
    filters: int,
    taps: tuple[int, int],
    stride: Any,
    padding: Any,
    dilation: Any,
    out: str,
) -> Case:
    ways = [(n, n) if isinstance(n, int) else n for n in (stride, padding, dilation)]
    images, *extents, channels = shape
    sizes = [
        (n + 2 * p - d * (t - 1) - 1) // s + 1
        for n, t, s, p, d in zip(extents, taps, ways[0], ways[1], ways[2], strict=True)
    ]

    def arrays(kind: str) -> Arrays:
        import ml_dtypes
        import numpy as np

        bf16 = np.dtype(ml_dtypes.bfloat16)
        made = MADE[kind]
        y = np.zeros((images, *sizes, filters), bf16 if out == "bfloat16" else np.float32)
        w = made((filters, *taps, channels), bf16, seed=51)
        return {"x": aligned(made(shape, bf16, seed=50)), "w": aligned(w), OUTPUT: aligned(y)}

    def prepare(a: Mapping[str, Any]) -> Launch:
        from ptxlab.kernels.conv import prepare

        return prepare(a["x"], a["w"], a[OUTPUT], stride=stride, padding=padding, dilation=dilation)

    def expected(a: Arrays) -> np.ndarray:
        return convolved(a["x"], a["w"], *ways).astype(a[OUTPUT].dtype)

    key = f"conv/{name.replace(' ', '-')}/{out}"
    return Case(key, f"convolution {name}", "×".join(map(str, shape)), arrays, prepare, expected)


def convolved(
    x: np.ndarray, w: np.ndarray, stride: tuple[int, int], padding: tuple[int, int], dilation: tuple[int, int]
) -> np.ndarray:
    """The convolution in f32: NHWC images, filters × height × width × channels; pairs are vertical, horizontal."""
    import numpy as np

    (rows, columns), (down, across) = x.shape[1:3], w.shape[1:3]
    padded = np.pad(x.astype(np.float32), ((0, 0), *((p, p) for p in padding), (0, 0)))
    height = (rows + 2 * padding[0] - dilation[0] * (down - 1) - 1) // stride[0] + 1
    width = (columns + 2 * padding[1] - dilation[1] * (across - 1) - 1) // stride[1] + 1
    out = np.zeros((x.shape[0], height, width, w.shape[0]), np.float32)
    for r in range(down):
        for s in range(across):
            first, left = r * dilation[0], s * dilation[1]
            seen = padded[:, first:, left:][:, : height * stride[0] : stride[0], : width * stride[1] : stride[1]]
            out += seen[:, :height, :width] @ w[:, r, s].astype(np.float32).T
    return out


# --- boxes ---------------------------------------------------------------------------------------------------------------
def boxes() -> list[Case]:
    """Copies of every rank and size of element, from an offset that lies outside at one end."""
    return [_copy(shape, word) for shape in BOXES.values() for word in WORDS]


def _copy(shape: tuple[int, ...], word: str) -> Case:
    import numpy as np

    dtype = np.dtype(word)
    at = (*((-1) ** i * (i + 1) for i in range(len(shape) - 1)), 16 // dtype.itemsize)

    def arrays(kind: str) -> Arrays:
        made = inputs.bits if kind == "random" else _whole
        return {"src": aligned(made(shape, dtype, seed=60)), OUTPUT: aligned(np.zeros(shape, dtype))}

    def prepare(a: Mapping[str, Any]) -> Launch:
        from ptxlab.kernels.boxes import prepare_copy

        return prepare_copy(a["src"], a[OUTPUT], at=at)

    return Case(
        f"boxes/{len(shape)}d/{word}", f"boxes, {len(shape)}-D", word, arrays, prepare, lambda a: shifted(a["src"], at)
    )


def shifted(source: np.ndarray, at: tuple[int, ...]) -> np.ndarray:
    """out[i] = source[i + at], zero where that lies outside."""
    import numpy as np

    out = np.zeros_like(source)
    to = tuple(slice(max(0, -a), max(0, min(n, n - a))) for n, a in zip(source.shape, at, strict=True))
    since = tuple(slice(s.start + a, s.stop + a) for s, a in zip(to, at, strict=True))
    out[to] = source[since]
    return out


def _whole(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    """Integers that any dtype holds: 0 to 15."""
    import numpy as np

    return (inputs.integers(shape, np.float32, seed) + np.float32(8)).astype(dtype)


# --- reductions ----------------------------------------------------------------------------------------------------------
def reductions() -> list[Case]:
    """Every operation on every type that has it, and lists of tensors where their order does not matter."""
    from ptxlab.kernels.boxes import REDUCTIONS

    return [
        _reduction(op, dtype, listed)
        for op, types in REDUCTIONS.items()
        for dtype in types
        for listed in (False, True)
        if not listed or (op not in ("inc", "dec") and not (op == "add" and "float" in dtype))
    ]


def _reduction(op: str, dtype: str, listed: bool) -> Case:
    shape = (LIST, *REDUCED) if listed else REDUCED

    def arrays(kind: str) -> Arrays:
        import ml_dtypes
        import numpy as np

        type_ = np.dtype(getattr(ml_dtypes, dtype, dtype))
        made: Callable[..., np.ndarray] = _whole
        if kind == "adversarial":
            made = adversarial.rows
        elif kind == "random":
            made = inputs.uniform if "float" in dtype else inputs.bits
        return {
            "src": aligned(made(shape, type_, seed=70)),
            "start": aligned(made(REDUCED, type_, seed=71)),
            OUTPUT: aligned(np.zeros(REDUCED, type_)),
        }

    def prepare(a: Mapping[str, Any]) -> Launch:
        from ptxlab.kernels.boxes import prepare_copy, prepare_reduce

        second = prepare_reduce(a["src"], a[OUTPUT], op)
        return Both(prepare_copy(a["start"], a[OUTPUT]), second, second.record)

    def expected(a: Arrays) -> np.ndarray:
        out = a["start"]
        for source in a["src"].reshape(-1, *REDUCED):
            out = combined(op, out, source)
        return out

    name = f"reduce/{op}/{dtype}{'/list' if listed else ''}"
    return Case(name, f"TMA {op}", f"{math.prod(shape)} {dtype}", arrays, prepare, expected)


def combined(op: str, old: np.ndarray, source: np.ndarray) -> np.ndarray:
    """What a reduction makes of two arrays, of small numbers at least."""
    import numpy as np

    if op == "inc":
        return np.where(old >= source, 0, old + 1).astype(old.dtype)
    if op == "dec":
        return np.where((old == 0) | (old > source), source, old - 1).astype(old.dtype)
    names = {"min": "minimum", "max": "maximum", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
    return getattr(np, names.get(op, op))(old, source).astype(old.dtype)


@dataclass(slots=True)
class Both:
    """Two launches, one after the other, as one. `record` is the second's."""

    first: Launch
    second: Launch
    record: LaunchRecord

    def __call__(self, stream: Any = None, **options: Any) -> Report | None:
        """Run both; the report is the second's."""
        self.first(stream)
        return self.second(stream, **options)
