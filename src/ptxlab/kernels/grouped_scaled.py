"""A list of fp8 products with scales in blocks, in one launch: what `grouped_gemm` makes of groups of five arrays.

Tiles, table and binder are those of packed groups (`grouped_packed`); the host knows all sizes, and writes the table itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, Launch, array_view, device_of, is_array, user_span
from ptxlab.kernels.blocks.promotion import BLOCK, Scales
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm_call import FP8, TYPES, Problem, times
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.grouped_call import AT, Groups, arrays_of, groups, of_product, table
from ptxlab.kernels.grouped_packed import kernels, templates
from ptxlab.kernels.grouped_packed_call import PITCHES
from ptxlab.kernels.grouped_scheduler import MAPS, SETS

TILING = "128x128-2c"


@dataclass(frozen=True, slots=True)
class _Scaled:
    """The scales of a product, each with lines that share one: as rows they are lines of the operand."""

    a: ArrayView
    b: ArrayView
    lines: tuple[int, int]


def prepare_scaled(problems: Sequence[Any], b_layout: str, device: str, stream: Any) -> Launch:
    """The launch of products (a, b, c, scale_a, scale_b). Raises: Diagnostic, see `grouped_gemm`."""
    for number, x in enumerate(problems):
        if len(arrays_of(x)) == 3:
            raise _bad(
                "PTX2318", f"Product {number} has no scales, and others have.", "launch those without by themselves"
            )
    found = groups([x[:3] if len(arrays_of(x)) == 5 else x for x in problems], b_layout)
    if found.types[0] not in FP8:
        raise _bad("PTX2307", f"Product 0 has scales in blocks, but A is {found.types[0]}.", "such scales are for fp8")
    if not found.problems:
        return EmptyProduct(found.anchor)
    scales = _scales(problems, found, b_layout)
    of_a, of_b = scales[0].lines
    t = replace(Tiling.named(TILING), size=1, promoted=True, spread=of_b == 1).fitted(found.anchor.itemsize)
    made = table(found, t.rows, t.columns, 0)
    for i, x in enumerate(scales):
        for side, at, pitch in zip((x.a, x.b), ("a_pad", "b_pad"), PITCHES, strict=True):
            made.entries[i, AT[at] : AT[at] + 8] = _bytes(side.address, 8)
            made.entries[i, pitch : pitch + 4] = _bytes(side.strides[0] if side.shape[0] > 1 else 0, 4)
    ctas = min(made.tiles, device_of(found.anchor).sm_count)
    maps, ends, entries = (
        device_of(found.anchor).copy(x) for x in (made.room(ctas * SETS * MAPS), made.ends, made.entries)
    )
    by_tma, direct = kernels(t.consumers)
    chosen = (by_tma if found.tma_can_store else direct).specialize(
        tiling=t,
        majors=("K", "K"),
        types=(TYPES[found.types[0]], TYPES[found.types[1]]),
        out=TYPES[found.dtype],
        scales=Scales(of_a, of_b),
    )
    patterns = templates(t, (found.types[0], "K"), (found.types[1], "K"), found.dtype)
    if not found.tma_can_store:
        patterns.pop()
    return chosen.prepare(
        grid=(ctas, 1, 1),
        args=[*patterns, maps, ends, entries, len(scales), px.f32.scalar.bytes, px.f32.scalar.bytes],
        buffers=[*found.arrays, *(side for x in scales for side in (x.a, x.b))],
        device=device,
        stream=stream,
    )


def _bytes(number: int, size: int) -> Any:
    import numpy as np

    return np.frombuffer(int(number).to_bytes(size, "little"), np.uint8)


def _scales(problems: Sequence[Any], found: Groups, b_layout: str) -> list[_Scaled]:
    """Those of the products that have a tile, in the order of the table. Raises: Diagnostic PTX2307, PTX2308, PTX2309, PTX2318."""
    made: list[_Scaled] = []
    for number, p in zip(found.numbers, found.problems, strict=True):
        with of_product(number):
            sides = [
                _side(name, x, lines, p, turned=name == "scale_b" and b_layout == "kn")
                for name, x, lines in zip(("scale_a", "scale_b"), problems[number][3:], (p.m, p.n), strict=True)
            ]
        made.append(_Scaled(sides[0][0], sides[1][0], (sides[0][1], sides[1][1])))
    kinds = dict.fromkeys(x.lines for x in made)
    if len(kinds) > 1:
        said = " and ".join(f"{a} of A and {b} of B" for a, b in kinds)
        raise _bad("PTX2318", f"Scales of the products belong to {said} lines.", "launch each kind by itself")
    return made


def _side(name: str, given: Any, lines: int, p: Problem, *, turned: bool) -> tuple[ArrayView, int]:
    """Scales of an operand, and how many lines share one."""
    if not is_array(given):
        raise _bad("PTX2112", f"{name} is {given!r}.", "give an array of float32")
    x = array_view(given)
    if x.dtype != "float32":
        raise _bad("PTX2307", f"{name} is {x}.", "convert it to float32")
    if (x.device, x.ordinal) != (p.c.device, p.c.ordinal):
        raise _bad("PTX2303", f"{name} is not on the device of C.", "move all arrays to one device")
    along = -(-p.depth // BLOCK)
    shapes: dict[tuple[int, ...], int] = {(-(-lines // each), along): each for each in (BLOCK, 1)}
    flat = replace(x, shape=x.shape[::-1], strides=x.strides[::-1]) if turned else x
    if flat.shape not in shapes:
        wanted = " or ".join(times(s[::-1] if turned else s) for s in reversed(shapes))
        raise _bad("PTX2308", f"{name} is {x}.", f"give {wanted}: one for each 128 steps along K")
    if not p.depth:  # sums of nothing: any scale does
        import numpy as np

        return array_view(device_of(p.c).copy(np.ones((1, 1), np.float32))), shapes[flat.shape]
    if (along > 1 and flat.strides[1] != flat.itemsize) or not 0 <= flat.strides[0] < 2**32:
        raise _bad(
            "PTX2309", f"{name} has strides of {x.strides} bytes.", "neighbours lie along K: give a contiguous copy"
        )
    return flat, shapes[flat.shape]


def _bad(code: str, what: str, help: str) -> Diagnostic:
    return Diagnostic(code, what, help=help, origin=user_span())
