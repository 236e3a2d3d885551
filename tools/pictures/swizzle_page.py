"""The page of swizzles, operand tiles and boxes: docs/reference/swizzles.md."""

from __future__ import annotations

from ptxlab.layout import SWIZZLES, swizzle_atom, swizzle_mask, swizzle_span
from tools.markdown import table
from tools.pictures.swizzles import SIZES, tile

_INTRO = """# Swizzles, tiles and boxes

Made from the code by `python -m tools.pictures`: where the bytes of a tile lie in shared memory, as TMA writes them and the
descriptors of `wgmma` read them, and which bytes a copy through a tensor map moves. The simulator uses the same maps.

## Swizzles

A swizzle exchanges chunks of 16 bytes: address bits 4 to 6 are XORed with bits 7 to 9, so far as the mask reaches. It is its
own inverse, and depends on the address alone: a tile begins at a multiple of the length of the pattern. In Python:
`ptxlab.layout.swizzle(address, "128B")`, and [`Tile.locate`](language/shared-memory.md#tilelocate) in a kernel;
`ptxlab tensormap picture` draws a map of your own.
"""
_TILES = """## Tiles that wgmma reads

These tiles are 128 bytes along the contiguous dimension: 64 rows of M or N, 128 bytes of K; or, MN-major, 64 elements of M or N and
64 steps of k. A swizzled tile is cut into panels as wide as the swizzle, which is also the widest box that TMA copies with it;
without a swizzle, a panel is one chunk wide. K-major tiles exist for elements of 8, 16 and 32 bits, MN-major ones for 16 bits.
[`Tile.descriptor`](language/shared-memory.md#tiledescriptor) makes the descriptor.

| | LBO, the leading byte offset | SBO, the stride byte offset |
| --- | --- | --- |
| K-major, no swizzle | to the next chunk along K | to the next 8 rows |
| K-major, swizzled | not used | to the next 8 rows |
| MN-major, no swizzle | to the next 8 steps of k | to the next chunk along M or N |
| MN-major, swizzled | to the next panel along M or N | to the next 8 steps of k |
"""
_BOXES = """## Boxes

A tiled copy moves a box. Rows of the box lie one after the other in shared memory, each as long as the swizzle where that is
longer. What lies out of bounds is filled with zeros, or NaN where the map says so, and the barrier counts it too.
[TMA](../explanation/tma.md) explains it, with boxes that have element strides; [copies through tensor maps](tma.md) says what else
they do.

![A box of 32 by 4 elements within a matrix, and its chunks in shared memory](../images/box-inside.svg)

![A box that reaches out of the matrix at a corner: three quarters of it are zero](../images/box-edge.svg)

`.tile::gather4` takes four rows that need not be neighbours; it needs sm_100.

![Four rows of a matrix, gathered into shared memory](../images/box-gather4.svg)

## Windows of im2col

A copy in im2col mode takes pixels, all channels of each. It walks over the bounding box, which lies between the corners of the map:
along W, then H, then N. The offsets of the load shift every pixel, so that one window with nine offsets is a filter of 3 × 3.

![Pixels of two copies, with offsets (0, 0) and (2, 1), of an image of 8 by 6 pixels](../images/tma-im2col.svg)
"""


def page() -> str:
    parts = [_INTRO, *_modes(), ""]
    for mode in SWIZZLES:
        name = "No swizzle" if mode == "none" else f"Swizzle {mode}"
        alt = f"{name}: chunks of rows in eight lines of 128 bytes of shared memory"
        parts += [f"### {name}", "", f"![{alt}](../images/swizzle-{mode}.svg)", ""]
    parts += [_TILES, *_descriptors(), ""]
    for major in ("K", "MN"):
        for mode in SWIZZLES:
            name = f"{major}-major, {'no swizzle' if mode == 'none' else f'swizzle {mode}'}"
            alt = f"{name}: offset of each chunk of the tile"
            parts += [f"### {name}", "", f"![{alt}](../images/tile-{major.lower()}-{mode}.svg)", ""]
    return "\n".join([*parts, _BOXES])


def _modes() -> list[str]:
    head = (
        "swizzle",
        "width",
        *(f"elements of {bits} bits" for bits in SIZES),
        "pattern repeats after",
        "address bits that change",
    )
    rows = [
        (
            f"`{mode}`", f"{swizzle_span(mode)} bytes", *(str(swizzle_span(mode) * 8 // bits) for bits in SIZES),
            f"{swizzle_atom(mode)} bytes", f"`{swizzle_mask(mode):#x}`" if swizzle_mask(mode) else "none",
        )
        for mode in SWIZZLES
    ]  # fmt: skip
    return table(head, rows)


def _descriptors() -> list[str]:
    head = ("tile", "swizzle", "LBO", "SBO", "to the next wgmma along K", "alignment")
    rows: dict[tuple[str, ...], None] = {}
    for major, sizes in (("K", SIZES), ("MN", (16,))):
        for mode in SWIZZLES:
            for held in (tile(mode, major, bits) for bits in sizes):  # elements of other sizes make no difference
                made = held.descriptor()
                leading = "not used" if major == "K" and mode != "none" else str(made.leading)
                rows[
                    f"{major}-major", f"`{mode}`", leading, str(made.stride), f"+ {held.k_step(1)}", str(held.alignment)
                ] = None
    return table(head, rows)


PAGES = {"reference/swizzles.md": page}
