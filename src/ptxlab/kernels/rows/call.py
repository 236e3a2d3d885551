"""The arguments of kernels on rows, checked, and their launches prepared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from ptxlab import ArrayView, Diagnostic, Launch, array_view, device_of, user_span
from ptxlab.kernels.gemm_call import LARGEST, check_matrix, check_rows, pitch_of, times
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.rows.layout import (
    COMFORTABLE,
    ONE_ROW,
    REGISTERS_FEW,
    REGISTERS_LEAST,
    STAGED_BYTES,
    VECTOR,
    Layout,
    Room,
    choose,
    staged,
    widest,
)
from ptxlab.kernels.rows.skeleton import Body, Operand, row_kernel

FLOATS = ("bfloat16", "float16", "float32")
KINDS = {
    "bfloat16": "bf16",
    "float16": "f16",
    "float32": "f32",
    "float8_e4m3fn": "e4m3",
    "int32": "s32",
    "int64": "s64",
}
LINES = ("weight", "bias")
STAGED = ("x", "residual", "dy", "dkept")
NUMBERS = ("targets", "loss", "lse", "dloss", "scales", "scale", "largest")


def matrix(
    name: str,
    x: Any,
    like: ArrayView | None = None,
    *,
    wanted: Sequence[str] = FLOATS,
    shape: tuple[int, ...] | None = None,
) -> ArrayView:
    """A matrix of neighbouring elements in a row, of the shape of `like`, or of this `shape`.

    Raises: Diagnostic PTX2307 for another dtype, PTX2308 for another shape, PTX2309 for rows that are not contiguous.
    """
    found, shape = array_view(x), like.shape if like is not None else shape
    check_matrix(name, found, wanted)
    if shape is not None and found.shape != shape:
        raise _shape(name, found, times(shape))
    check_rows(name, found)
    return found


def vector(name: str, x: Any, length: int, wanted: Sequence[str] = FLOATS) -> ArrayView:
    """`length` neighbouring elements. Raises: Diagnostic PTX2307, PTX2308, PTX2309."""
    found = array_view(x)
    if found.shape != (length,):
        raise _shape(name, found, f"{length} element{'s' * (length != 1)}, in one dimension")
    if found.dtype not in wanted:
        raise Diagnostic(
            "PTX2307", f"{name} is {found}.", help=f"convert it to {' or '.join(wanted)}", origin=user_span()
        )
    if length > 1 and found.strides[0] != found.itemsize:
        raise Diagnostic(
            "PTX2309",
            f"{name} has a stride of {found.strides[0]} bytes.",
            help="its elements are neighbours: give a contiguous copy",
            origin=user_span(),
        )
    return found


def flat(name: str, x: Any, shape: tuple[int, ...]) -> ArrayView:
    """Numbers of float32 without gaps, of one dimension or more. Raises: Diagnostic PTX2307, PTX2308, PTX2309."""
    found = array_view(x)
    if found.shape != shape:
        raise _shape(name, found, f"{times(shape)}{' numbers' * (len(shape) == 1)}")
    if len(shape) == 2:
        check_matrix(name, found, ("float32",))
        check_rows(name, found)
        if shape[0] > 1 and shape[1] and found.strides[0] != shape[1] * found.itemsize:
            raise Diagnostic("PTX2309", f"{name} has padded rows.", help="give a contiguous array", origin=user_span())
        return found
    return vector(name, found, shape[0], ("float32",))


def _shape(name: str, x: ArrayView, wanted: str) -> Diagnostic:
    shape = times(x.shape) or "a single number"
    return Diagnostic("PTX2308", f"{name} is {shape}.", help=f"it has to be {wanted}", origin=user_span())


def prepared(
    body: Body,
    arrays: Mapping[str, ArrayView],
    numbers: Mapping[str, float] = {},
    *,
    layout: Layout | None = None,
    **options: Any,
) -> Launch:
    """The launch of `body` over the rows of these matrices, the first of which says how many rows and columns there are.

    Args:
        arrays: by names, see `along`. numbers: what else the body is given, s64 for an int.
        layout: how rows are dealt; left out, `layout_of` these.

    Without rows, or without columns where no operand has an element for each row, the launch does nothing.

    Raises: Diagnostic PTX2308 for too many rows or columns, and what `Kernel.prepare` raises.
    """
    lead = next(iter(arrays.values()))
    rows, columns = lead.shape
    if not rows or not (columns or any(along(name) == "each" for name in arrays)):
        return EmptyProduct(lead)
    layout = layout or layout_of(arrays)
    operands = tuple(Operand(name, KINDS[x.dtype], along(name)) for name, x in arrays.items())
    kinds = tuple((name, "s64" if isinstance(x, int) else "f32") for name, x in numbers.items())
    kernel = row_kernel(body, operands, kinds, layout)
    args: list[Any] = [rows, columns, *numbers.values()]
    for operand in operands:
        x = arrays[operand.name]
        args += [x, pitch(x)] if operand.along == "rows" else [x]
    grid = layout.clusters(layout.pieces(columns) * rows, device_of(lead).sm_count) * layout.ctas
    return kernel.prepare(grid=(grid, 1, 1), args=args, **options)


def along(name: str) -> Literal["rows", "line", "each"]:
    """What an array has an element for: `weight` and `bias` for each column, those of NUMBERS for each row, others for both."""
    return "line" if name in LINES else "each" if name in NUMBERS else "rows"


def layout_of(
    arrays: Mapping[str, ArrayView],
    room: Room = ONE_ROW,
    *,
    most: int = 32,
    by_columns: bool = False,
    piece: int = 0,
    step: int = 0,
) -> Layout:
    """How the rows of these arrays are dealt: by vectors where all rows allow it, or where all are shifted alike.

    Args:
        room: what threads take of a row.
        most: elements of a row that a thread has registers for.
        by_columns: a thread's columns are the same in all rows, and no other thread's of its warp.
        piece: columns after which rows are cut; 0: they are not. step: columns that are looked at in one step; 0: all.

    Raises: Diagnostic PTX2308 for too many rows or columns.
    """
    matrices = [x for name, x in arrays.items() if along(name) == "rows"]
    lines = [x for name, x in arrays.items() if along(name) == "line"]
    rows, columns = matrices[0].shape
    if columns > widest(most) or rows > LARGEST:
        raise Diagnostic(
            "PTX2308",
            f"There are {rows} rows of {columns} columns.",
            help=f"at most {LARGEST} rows of {widest(most)} columns",
            origin=user_span(),
        )
    full = VECTOR // max(x.itemsize for x in matrices)
    elements = full
    while elements > 1 and not all(_fits(x, elements) for x in (*matrices, *lines)):
        elements //= 2
    starts = {(x.address % VECTOR, pitch(x) % VECTOR, x.itemsize) for x in matrices}
    shifted = elements < full and len(starts) == 1 and not (by_columns or piece) and 1 < columns <= widest(most) - full
    elements, width = full if shifted else elements, max(1, min(columns, piece or step or columns))
    kept = [x for name, x in arrays.items() if name in STAGED]
    if by_columns or step or width <= room.narrow or len(kept) != 1:
        found = choose(width, elements, room, shifted=shifted, resident=by_columns)
        return replace(found, piece=piece, staged=by_columns)
    found = choose(width, elements, staged(kept[0].itemsize), shifted=shifted)
    few = found.threads <= COMFORTABLE and found.elements * found.vectors * kept[0].itemsize <= STAGED_BYTES // 2
    return replace(found, staged=True, registers=REGISTERS_LEAST if few else REGISTERS_FEW)


def _fits(x: ArrayView, elements: int) -> bool:
    """Whether all vectors of so many elements lie at multiples of their size, and no row ends within one."""
    nbytes = min(VECTOR, elements * x.itemsize)
    return not (x.address % nbytes or pitch(x) % nbytes or x.shape[-1] % elements)


def pitch(x: ArrayView) -> int:
    """Bytes from row to row; 0 where there is one."""
    return pitch_of(x) if len(x.shape) == 2 else 0
