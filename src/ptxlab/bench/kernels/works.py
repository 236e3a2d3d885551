"""What is measured: matrix products of every kind, and what lies between them, with what each has to reach."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ptxlab.diag import Diagnostic

Product = Literal["gemm", "fp8", "fp8-rows", "fp8-blocks", "fused"]
Many = Literal["grouped", "grouped-fp8", "grouped-rows", "grouped-masked", "grouped-depth", "grouped-blocks"]
Decode = Literal["decode", "decode-fp8"]
Other = Literal["attention", "attention-backward", Decode, "decode-mla", "rows", "block"]
Kind = Literal[Product, Many, Other]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
OTHERS: Final[tuple[Other, ...]] = get_args(Other)
"""Kinds of lines that are no single products."""
LIMITS: Final = ("launch", "simulator")
"""Kinds of lines that are no products: what a launch costs, and how long the simulator takes (`limits`)."""
Shape = tuple[int, int, int]
"""M, N, K."""

SQUARES: Final = (512, 1024, 2048, 3072, 4096, 8192, 16384)
ROWS: Final = (1, 16, 64, 128, 256, 512, 4096, 8192)
WEIGHTS: Final = ((4096, 4096), (8192, 8192), (28672, 8192), (4096, 14336))
"""N and K that models have."""
RAGGED: Final[tuple[Shape, ...]] = (
    (4097, 4088, 4104),
    (4096, 4096, 512),
    (1000, 1000, 1000),
    (777, 4104, 8192),
    (5000, 1544, 3592),
    (130, 7168, 2048),
)
QUICK: Final[tuple[Shape, ...]] = (
    (1024, 1024, 1024),
    (3072, 3072, 3072),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (1, 4096, 4096),
    (16, 8192, 8192),
    (64, 4096, 4096),
    (128, 8192, 8192),
    (256, 8192, 8192),
    (512, 4096, 14336),
    (4097, 4088, 4104),
)
FEW_ROWS: Final = 16
"""M up to which a product is bound by reading B."""
EXPERTS: Final = tuple((64 + 8 * (i * 37 % 61), 2048, 7168) for i in range(64))
UNEVEN: Final = tuple((m, 4096, 4096) for m in (3072, 1536, 2560, 768, 4096, 1224, 1896, 1232))
FEW: Final = tuple((8 + 8 * (i * 37 % 16), 4096, 7168) for i in range(64))
"""Few rows for each of many experts, as models have that answer one word at a time."""
EPILOGUES: Final = ("bias + GELU", "SwiGLU", "residual")


@dataclass(frozen=True, slots=True)
class Reach:
    """What a line has to reach.

    Attributes:
        ratio: of our speed to that of `beside`.
        beside: "best peer", or the name of a contender of the line. share: of the bandwidth of a copy; None: not asked for.
        second: another contender, and our ratio to it.
    """

    ratio: float
    beside: str = "best peer"
    share: float | None = None
    second: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """A line of the table.

    Attributes:
        kind: of `KINDS`. name: in the table. shapes: M, N, K of each product; one, but for grouped ones.
        size: bytes of an element of A and B. reach: what it has to reach. epilogue: of `EPILOGUES`, for fused ones.
        dtype: of A and B, as torch names it, of products in 16 bits. layout: of B; none: ours and peers take the better of the two.
        what: of other work than products, which it is: a name of `attention.HEADS` or `rows.ROWS`; shapes are its own.
        counted, moved: operations and bytes of such work.
    """

    kind: Kind
    name: str
    shapes: tuple[Shape, ...]
    reach: Reach
    size: int = 2
    epilogue: str = ""
    dtype: str = "bfloat16"
    layout: Literal["", "kn", "nk"] = ""
    what: str = ""
    counted: float = 0.0
    moved: float = 0.0

    @property
    def operations(self) -> float:
        """Of all products; padding and epilogues are not counted. 0 where bytes are what counts."""
        return self.counted if self.what else sum(2.0 * m * n * k for m, n, k in self.shapes)

    @property
    def amount(self) -> float:
        """What speed is of: operations, or bytes."""
        return self.operations or self.bytes

    @property
    def bytes(self) -> float:
        """That have to be moved at least: A and B read, C written in 16 bits."""
        return self.moved or sum(self.size * (m * k + n * k) + 2.0 * m * n for m, n, k in self.shapes)


TENSOR: Final = "ptxlab, fp8 a tensor"
PRODUCT: Final = "ptxlab, one product of equal work"
PLAIN: Final = "ptxlab, plain product"


def products(shapes: Sequence[Shape] = (), *, quick: bool = False) -> list[Work]:
    """The lines of products; for gemm these shapes in place of its own."""
    plain = [gemm(s) for s in shapes or (QUICK if quick else all_shapes())]
    return [*plain, *_fp8(quick), *_grouped(quick), *_fused(quick)]


def all_shapes() -> list[Shape]:
    """Squares, few to many rows times the weights of models, and extents that fill no tile; each once."""
    squares = [(n, n, n) for n in SQUARES]
    models = [(m, n, k) for n, k in WEIGHTS for m in ROWS]
    return list(dict.fromkeys([*squares, *models, *RAGGED]))


def gemm(shape: Shape) -> Work:
    """A product in bf16."""
    few = shape[0] <= FEW_ROWS
    return Work("gemm", named(shape), (shape,), Reach(0.97, share=0.9 if few else None))


def named(shape: Shape) -> str:
    """M × N × K, or the cube."""
    m, n, k = shape
    return f"{n}³" if m == n == k else f"{m} × {n} × {k}"


def _fp8(quick: bool) -> list[Work]:
    squares: list[Shape] = [(n, n, n) for n in ((4096,) if quick else (4096, 8192))]
    tensor = [Work("fp8", f"{named(s)}, a scale a tensor", (s,), Reach(1.03), size=1) for s in squares]
    rows = [Work("fp8-rows", f"{named(s)}, a scale a row and a column", (s,), Reach(1.03), size=1) for s in squares]
    reach = Reach(1.25, second=(TENSOR, 0.93))
    blocks = [Work("fp8-blocks", f"{named(s)}, a scale a block", (s,), reach, size=1) for s in squares]
    return [*tensor, *rows, *blocks]


def _grouped(quick: bool) -> list[Work]:
    reach = Reach(0.95, PRODUCT)
    return [
        Work("grouped", "64 products, 64 to 544 × 2048 × 7168", EXPERTS, reach),
        *([] if quick else [Work("grouped", "8 products, 768 to 4096 × 4096 × 4096", UNEVEN, reach)]),
        Work("grouped-fp8", "8 products of 1024 × 4096 × 7168", ((1024, 4096, 7168),) * 8, reach, size=1),
        *_packed(reach),
    ]


def _packed(reach: Reach) -> list[Work]:
    """Groups in one matrix, whose rows are counted on the device."""
    depth = tuple((n, k, m) for m, n, k in UNEVEN)
    blocks = ((1024, 4096, 7168),) * 8
    return [
        Work("grouped-rows", "8 groups of rows, 768 to 4096 × 4096 × 4096", UNEVEN, reach),
        Work("grouped-masked", "8 rooms of 4096, 768 to 4096 × 4096 × 4096", UNEVEN, reach),
        Work("grouped-masked", "64 rooms of 128, 8 to 128 × 4096 × 7168", FEW, Reach(0.3, PRODUCT, share=0.9)),
        Work("grouped-depth", "8 parts of K, 4096 × 4096 × 768 to 4096", depth, reach),
        Work("grouped-blocks", "8 groups of 1024 × 4096 × 7168, a scale a block", blocks, reach, size=1),
    ]


def _fused(quick: bool) -> list[Work]:
    shapes: list[Shape] = [(4096, 4096, 4096)] if quick else [(4096, 4096, 4096), (512, 4096, 14336)]
    return [
        Work("fused", f"{named(s)}, {epilogue}", (s,), Reach(0.97, PLAIN), epilogue=epilogue)
        for s in shapes
        for epilogue in EPILOGUES
    ]


_SHAPE: Final = re.compile(r"(\d+)(?:\s*[x×]\s*(\d+)\s*[x×]\s*(\d+))?")
_MOST: Final = 65536


def shapes_of(words: str) -> list[Shape]:
    """Shapes as the command line has them: "4096,64x4096x8192" is 4096³ and M 64, N 4096, K 8192.

    Raises: Diagnostic PTX2501 for what is none.
    """
    out: list[Shape] = []
    for word in filter(None, (w.strip() for w in words.split(","))):
        found = _SHAPE.fullmatch(word)
        m, n, k = (int(x) for x in (found.groups(found[1]) if found else (0, 0, 0)))
        if not all(1 <= x <= _MOST for x in (m, n, k)):
            raise Diagnostic(
                "PTX2501",
                f"--shapes {word} is no shape of a product.",
                help=f"write n or MxNxK, e.g. 4096,64x4096x8192, extents from 1 to {_MOST}",
            )
        out.append((m, n, k))
    return out
