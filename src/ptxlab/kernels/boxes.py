"""Boxes of tensors of 1 to 5 dimensions, moved by TMA alone: copied, or combined with what is there.

A CTA has two warps of which one thread each works: one loads boxes into a ring of stages, the other stores them, or lets TMA
combine each element with the destination's atomically. No register ever sees the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, Launch, Slot, array_view, device_of, user_span

THREADS = 64
STAGES = 2
STAGE_BYTES = 16384
"""What a stage may hold; six CTAs then share an SM."""
MOST_BOX = 256
"""Elements of a box along a dimension."""
MOST_RANK = 5
TMA_BYTES = 16
ALIGNMENT = 128
"""Of boxes in shared memory, in bytes."""
CTAS = 6
"""CTAs for each SM."""

_WORDS = {1: px.b8, 2: px.b16, 4: px.b32, 8: px.b64}
_INTEGERS = {"uint32": "u32", "int32": "s32", "uint64": "u64", "int64": "s64"}
_SMALL = {"float16": "f16", "bfloat16": "bf16"}
_BITS = {"uint32": "u32", "int32": "s32", "uint64": "u64"}
_ADDED = {name: word for name, word in _INTEGERS.items() if name != "int64"}

REDUCTIONS: dict[str, dict[str, str]] = {
    "add": {**_ADDED, **_SMALL, "float32": "f32", "float64": "f64"},
    "min": {**_INTEGERS, **_SMALL},
    "max": {**_INTEGERS, **_SMALL},
    "inc": {"uint32": "u32"},
    "dec": {"uint32": "u32"},
    "and": _BITS,
    "or": _BITS,
    "xor": _BITS,
}
"""What TMA combines: operation → dtype → element type of the map."""


@px.kernel(target="sm_90a", threads=THREADS)
def move_boxes(
    k: px.Builder,
    src: px.TensorMap,
    dst: px.TensorMap,
    boxes: px.u32,
    n0: px.u32,
    n1: px.u32,
    n2: px.u32,
    n3: px.u32,
    n4: px.u32,
    at0: px.s32,
    at1: px.s32,
    at2: px.s32,
    at3: px.s32,
    at4: px.s32,
    *,
    box: tuple[int, ...],
    element: type[px.Register],
    op: str | None = None,
    folded: bool = False,
) -> None:
    """n: boxes along each dimension of the source. at: where the destination's element 0 lies in it. All innermost first.

    `op` None copies. `folded`: the source's outermost dimension numbers tensors, each of which is combined with the destination.
    """
    depth = len(box)
    counts, start = (n0, n1, n2, n3, n4)[:depth], (at0, at1, at2, at3, at4)[:depth]
    # boxes lie at multiples of 128 bytes; where their size is none, there is one stage, and other CTAs fill the pauses
    stages = STAGES if math.prod(box) * element.scalar.bytes % ALIGNMENT == 0 else 1
    tile = k.smem(element, (stages, *box[::-1]), align=ALIGNMENT, name="box")
    ring = k.ring(stages, tile)
    k.init_barriers()

    def held(slot: Slot) -> px.Tile:
        return slot[0] if stages > 1 else tile[0]

    def corner(number: Any) -> list[Any]:
        """First element of a box in the source, relative to `start`."""
        out: list[Any] = []
        for count, extent in zip(counts[:-1], box, strict=False):
            rest = number // count
            out.append(k.cvt.s32.u32((number - rest * count) * extent))
            number = rest
        return [*out, k.cvt.s32.u32(number * box[-1])]

    with k.roles():
        with k.role(warp=0), k.elect(), k.loop(boxes, start=k.ctaid.x, step=k.nctaid.x) as number:
            at = [a + b for a, b in zip(corner(number), start, strict=True)]
            with ring.produce() as slot:
                k.tma_load(held(slot), src, at, slot.full)
        with k.role(warp=1), k.elect():
            with k.loop(boxes, start=k.ctaid.x, step=k.nctaid.x) as number:
                at = corner(number)
                # what is loaded and what is stored belong to the same proxy: the barrier alone orders them
                with ring.consume() as slot:
                    _store(k, op, dst, at[:-1] if folded else at, held(slot)[0] if folded else held(slot))
                    k.cp.async_.bulk.commit_group()
                    k.cp.async_.bulk.wait_group.read(0)
            k.cp.async_.bulk.wait_group(0)


def _store(k: px.Builder, op: str | None, dst: Any, at: list[Any], tile: px.Tile) -> None:
    if op is None:
        k.tma_store(dst, at, tile)
    else:
        k.tma_reduce(op, dst, at, tile)


def copy_boxes(
    src: Any, dst: Any, *, at: Sequence[int] | None = None, box: Sequence[int] | None = None, **options: Any
) -> None:
    """dst[i, j, …] = src[i + at[0], j + at[1], …], and zero where that lies outside `src`.

    Args:
        src, dst: arrays of 1 to 5 dimensions of one dtype of 1, 2, 4 or 8 bytes (NumPy, or CUDA arrays of one GPU). Elements of
            the last axis are neighbours; other axes may have any strides that are multiples of 16 bytes. Rows of `dst` are
            multiples of 16 bytes long.
        at: where `dst` begins in `src`, in the order of the axes; may be negative. The last one is a multiple of 16 bytes. Default:
            its start.
        box: what one copy moves, in the order of the axes; default: as much as 16 KB hold.
        options: device=, stream=, as in `Kernel.launch`.

    Raises: Diagnostic PTX2308 for ranks that differ or are not 1 to 5, or an offset of another rank, PTX2307 for dtypes that
        differ or of another size, PTX2119 for rows of `dst` that are no multiple of 16 bytes, PTX2117 for an
            offset along them that is none, PTX2101 to PTX2108 for what no
        tensor map describes.

    Example:
        from ptxlab.kernels.boxes import copy_boxes

        a, b = px.empty((64, 64), np.float32), px.empty((64, 64), np.float32)
        a[:], b[:] = 3, 4

        copy_boxes(a, b, at=(60, 0))  # from row 60 on; below the last row there are zeros
        print(b[3, 0], b[4, 0])  # 3.0 0.0
    """
    prepare_copy(src, dst, at=at, box=box, **options)()


def prepare_copy(
    src: Any, dst: Any, *, at: Sequence[int] | None = None, box: Sequence[int] | None = None, **options: Any
) -> Launch:
    """As `copy_boxes`, but only prepared: the launch is what it returns.

    Example:
        from ptxlab.kernels.boxes import prepare_copy

        a, b = px.empty((64, 64), np.float32), px.empty((64, 64), np.float32)
        a[:], b[:] = 3, 4

        launch = prepare_copy(a, b)
        launch()
        print((a == b).all())  # True
    """
    a, b = array_view(src), array_view(dst)
    if len(a.shape) != len(b.shape):
        raise _unlike(f"src has {len(a.shape)} dimensions, dst {len(b.shape)}.", "give arrays of one rank")
    start = tuple(at) if at is not None else (0,) * len(a.shape)
    if len(start) != len(a.shape):
        raise _unlike(f"`at` has {len(start)} values for {len(a.shape)} dimensions.", "give one for each axis")
    _check(a, b)
    if start[-1] * b.itemsize % TMA_BYTES:
        raise Diagnostic(
            "PTX2117",
            f"dst begins {start[-1]} elements into a row of src, no multiple of 16 bytes.",
            help=f"the last value of `at` is a multiple of {TMA_BYTES // b.itemsize}",
            origin=user_span(),
        )
    return _prepare(a, b, _Move(b.shape, start, box), options)


def reduce_boxes(src: Any, dst: Any, op: str = "add", *, box: Sequence[int] | None = None, **options: Any) -> None:
    """Combine each element of `dst` with that of `src`: dst = dst op src, by the copy engine, element by element atomically.

    Args:
        src: of `dst`'s shape and dtype, or with one axis more in front: then all its parts are combined with `dst`, in no order.
        dst: as in `copy_boxes`.
        op: "add" (32-bit integers, uint64, float16, bfloat16, float32, float64), "min" and "max" (32- and 64-bit integers, float16,
            bfloat16), "and", "or", "xor" (32-bit integers, uint64), "inc" and "dec" (uint32: dst ≥ src ? 0 : dst + 1, and
            dst = 0 or dst > src ? src : dst − 1).
        box, options: as in `copy_boxes`.

    Raises: Diagnostic PTX2320 for an operation that TMA does not do on this dtype, PTX2308 for shapes that do not belong together,
        and what `copy_boxes` raises.

    Example:
        from ptxlab.kernels.boxes import reduce_boxes

        a, b = px.empty((64, 64), np.float32), px.empty((64, 64), np.float32)
        a[:], b[:] = 3, 4

        reduce_boxes(a, b, "add")
        print(b[0, 0])  # 7.0
    """
    prepare_reduce(src, dst, op, box=box, **options)()


def prepare_reduce(src: Any, dst: Any, op: str = "add", *, box: Sequence[int] | None = None, **options: Any) -> Launch:
    """As `reduce_boxes`, but only prepared: the launch is what it returns.

    Example:
        from ptxlab.kernels.boxes import prepare_reduce

        a, b = px.empty((64, 64), np.float32), px.empty((64, 64), np.float32)
        a[:], b[:] = 3, 4

        launch = prepare_reduce(a, b)
        launch()
        launch()
        print(b[0, 0])  # 10.0
    """
    a, b = array_view(src), array_view(dst)
    folded = len(a.shape) == len(b.shape) + 1
    if (a.shape[1:] if folded else a.shape) != b.shape:
        raise _unlike(f"src is {a}, dst {b}.", "give one shape, or src an axis more in front")
    word = REDUCTIONS.get(op, {}).get(b.dtype)
    if word is None:
        known = [name for name, types in REDUCTIONS.items() if b.dtype in types]
        raise Diagnostic(
            "PTX2320",
            f"TMA has no {op!r} of {b.dtype}.",
            help=f"of {b.dtype} it has {', '.join(known)}" if known else "convert the arrays, e.g. to float32",
            origin=user_span(),
        )
    _check(a, b)
    inner = tuple(box) if box is not None else None
    whole = (1, *inner) if folded and inner is not None else inner
    move = _Move(a.shape, (0,) * len(a.shape), whole, word, op, folded)
    return _prepare(a, b, move, options)


def _unlike(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2308", what, help=help, origin=user_span())


def _check(src: ArrayView, dst: ArrayView) -> None:
    for name, x in (("src", src), ("dst", dst)):
        if not 1 <= len(x.shape) <= MOST_RANK:
            raise _unlike(f"{name} has {len(x.shape)} dimensions.", f"a tensor map has 1 to {MOST_RANK}: reshape it")
    if src.dtype != dst.dtype or dst.itemsize not in _WORDS:
        raise Diagnostic(
            "PTX2307",
            f"src is {src}, dst {dst}.",
            help="give one dtype of 1, 2, 4 or 8 bytes",
            origin=user_span(),
        )
    if dst.shape[-1] * dst.itemsize % TMA_BYTES:
        raise Diagnostic(
            "PTX2119",
            f"rows of dst of {dst.shape[-1]} {dst.dtype} are not a multiple of 16 bytes, the least that a TMA store writes",
            help=f"use a multiple of {TMA_BYTES // dst.itemsize} columns",
            origin=user_span(),
        )


@dataclass(frozen=True, slots=True)
class _Move:
    """Which part of the source is moved, and how.

    Attributes:
        extents: of the part, in the order of the axes. at: where it begins.
        box: what one copy moves; None: `box_of` the extents.
        word: element type of the maps, where it is not the arrays'. op: of a reduction. folded: see `reduce_boxes`.
    """

    extents: tuple[int, ...]
    at: Sequence[int]
    box: Sequence[int] | None
    word: str | None = None
    op: str | None = None
    folded: bool = False


def _prepare(src: ArrayView, dst: ArrayView, move: _Move, options: dict[str, Any]) -> Launch:
    """Launch over boxes that cover what is moved."""
    folded = move.folded
    chosen = tuple(move.box) if move.box is not None else box_of(move.extents, dst.itemsize, folded=folded)
    maps = [px.tensor_map(src, box=chosen, dtype=move.word), px.tensor_map(dst, box=chosen[folded:], dtype=move.word)]
    counts = [-(-n // extent) for n, extent in zip(move.extents, chosen, strict=True)]
    boxes = math.prod(counts)
    kernel = move_boxes.specialize(box=chosen[::-1], element=_WORDS[dst.itemsize], op=move.op, folded=folded)
    return kernel.prepare(
        grid=(max(1, min(boxes, CTAS * device_of(dst).sm_count)), 1, 1),
        args=[*maps, boxes, *_padded(counts, 1), *_padded(move.at, 0)],
        **options,
    )


def box_of(shape: Sequence[int], itemsize: int, *, folded: bool = False) -> tuple[int, ...]:
    """A box for arrays of a shape, in the order of the axes: whole 16 bytes wide, and as much as a stage holds, innermost first.

    `folded`: it takes one of the outermost dimension.

    Args:
        shape: of the array, in the order of its axes. itemsize: bytes of an element.

    Returns: the box, in the order of the axes.

    Example:
        from ptxlab.kernels.boxes import box_of

        print(box_of((64, 100), itemsize=4))  # (40, 100)
    """
    unit = TMA_BYTES // itemsize
    out = [min(MOST_BOX, -(-shape[-1] // unit) * unit)]
    for extent in reversed(shape[:-1]):
        out.append(max(1, min(MOST_BOX, extent, STAGE_BYTES // (math.prod(out) * itemsize))))
    if folded:
        out[-1] = 1
    return tuple(out[::-1])


def _padded(values: Sequence[int], filler: int) -> list[int]:
    """Five values, innermost first."""
    return [*values[::-1], *[filler] * (MOST_RANK - len(values))]
