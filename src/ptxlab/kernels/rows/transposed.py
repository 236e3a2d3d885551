"""Transposition of a matrix: elements of 16 bits in tiles that TMA brings and stores; others in squares, which are turned in
registers; where rows begin anywhere, in tiles that threads copy through shared memory."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Launch
from ptxlab.kernels.gemm_call import TYPES
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.rows.call import matrix, pitch
from ptxlab.kernels.rows.layout import VECTOR

THREADS = 256
SQUARES, ACROSS = 128, 8
"""Squares that a CTA turns, one a thread, and how many of them lie side by side."""
EACH = {1: 8, 2: 8, 4: 4}
"""Rows and columns of a square, by the bytes of an element."""
TILE = 64
"""Rows and columns of a tile."""
SIDE, WARPS = 128, 8
"""Rows and columns of a tile that TMA brings, and the warps that turn it."""
BOX = 64
"""Elements of 16 bits in a row of a box: a swizzle span of 128 bytes."""
GAP = 4
"""Bytes behind a row of the tile in shared memory, by which the elements of a column lie in different banks."""


def transpose(x: Any, y: Any, *, device: str = "auto", stream: Any = None) -> None:
    """y = xᵀ.

    Args:
        x: rows × columns of bf16, f16, f32, fp8 (e4m3, e5m2), int8, uint8 or int32.
        y: columns × rows of the same type, a result that shares no memory with x.
        device, stream: as in `Kernel.launch`.

    Rows have neighbouring elements and may be padded. Where rows of both begin at multiples of 16 bytes and have whole vectors of
    16 bytes, these are what moves, by TMA where elements have 16 bits; otherwise elements. Without elements, nothing is done.

    Raises: Diagnostic PTX2307 for other dtypes, PTX2308 for shapes that do not belong together, PTX2309 for elements that are not
        neighbours, and what `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.rows import transpose

        x, y = px.empty((3, 200), "bf16"), px.empty((200, 3), "bf16")
        x[...] = np.arange(600).reshape(3, 200) % 256
        transpose(x, y)
        print((y == x.T).all())  # True
    """
    prepare_transpose(x, y, device=device, stream=stream)()


def prepare_transpose(x: Any, y: Any, *, device: str = "auto", stream: Any = None) -> Launch:
    """`transpose`, checked, packed and loaded once. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_transpose

        x, y = px.empty((3, 200), "s32"), px.empty((200, 3), "s32")
        x[...] = np.arange(600).reshape(3, 200)
        launch = prepare_transpose(x, y)
        launch()
        print((y == x.T).all())  # True
    """
    source = matrix("x", x, wanted=tuple(TYPES))
    rows, columns = source.shape
    made = matrix("y", y, shape=(columns, rows), wanted=(source.dtype,))
    if 0 in source.shape:
        return EmptyProduct(source)
    whole = not any(at % VECTOR for a in (source, made) for at in (a.address, pitch(a), a.shape[1] * a.itemsize))
    if whole and source.itemsize == 2:
        return _by_tma(source, made, device=device, stream=stream)
    args = [source, made, rows, columns, pitch(source), pitch(made)]
    if whole:
        each = EACH[source.itemsize]
        across = -(-columns // (each * ACROSS))
        down = -(-rows // (each * (SQUARES // ACROSS)))
        kernel = _squares(source.itemsize, SQUARES, ACROSS)
        return kernel.prepare(grid=(across * down, 1, 1), args=args, device=device, stream=stream)
    kernel = _kernel(source.itemsize, 1)
    tiles = -(-rows // TILE) * -(-columns // TILE)
    return kernel.prepare(grid=(tiles, 1, 1), args=args, device=device, stream=stream)


def _by_tma(x: ArrayView, y: ArrayView, *, device: str, stream: Any) -> Launch:
    """Elements of 16 bits, in rows of whole vectors."""
    maps = [px.tensor_map(one, box=(SIDE, BOX), swizzle="128B", l2_promotion="256B") for one in (x, y)]
    down, across = (-(-extent // SIDE) for extent in x.shape)
    grid = (down * across, 1, 1)
    return _tiles.prepare(grid=grid, args=[*maps, down], buffers=[x, y], device=device, stream=stream)


@px.kernel(target="sm_90a", threads=32 * WARPS, name="transpose")
def _tiles(k: px.Builder, x: px.TensorMap, y: px.TensorMap, down: px.u32) -> None:
    """A tile each. CTAs that run at one time have tiles one above the other, so that they write whole rows of y."""
    panels = SIDE // BOX
    sources = [k.smem(px.b16, (SIDE, BOX), swizzle="128B", name=f"source{i}") for i in range(panels)]
    turned = [k.smem(px.b16, (SIDE, BOX), swizzle="128B", name=f"turned{i}") for i in range(panels)]
    full = k.mbarrier(1)
    k.init_barriers()
    k.griddepcontrol.wait()
    k.griddepcontrol.launch_dependents()
    left = k.ctaid.x // down
    row, column = (k.ctaid.x - left * down) * SIDE, left * SIDE
    leads = k.thread == 0
    with k.if_(leads):
        full.arrive_expect_tx(sum(source.nbytes for source in sources))
        for i, source in enumerate(sources):
            k.tma_load(source, x, (column + BOX * i, row), full)
    full.wait(0)
    lane, first = k.laneid, k.warp * 8  # a warp turns 8 columns of each panel, 32 rows at a time
    for source, number in itertools.product(range(panels), range(SIDE // 32)):
        above = 32 * number
        four = k.ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16(sources[source].locate(above + lane, first))
        line, across = first + BOX * source + (lane & 7), above % BOX + (lane >> 3) * 8
        k.stmatrix.sync.aligned.m8n8.x4.shared.b16(turned[above // BOX].locate(line, across), list(four))
    k.fence.proxy.async_.shared__cta()
    k.bar.sync(0)
    with k.if_(leads):
        for i, one in enumerate(turned):
            k.tma_store(y, (row + BOX * i, column), one)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group.read(0)


@cache
def _squares(size: int, threads: int, across: int) -> px.Kernel:
    """Elements of so many bytes, in rows of whole vectors; the other arguments are SQUARES and ACROSS."""
    each = EACH[size]

    @px.kernel(target="sm_90a", threads=threads, strided=("x", "y"), name="transpose")
    def transposition(
        k: px.Builder,
        x: px.Ptr[px.b8],
        y: px.Ptr[px.b8],
        rows: px.u32,
        columns: px.u32,
        x_pitch: px.u64,
        y_pitch: px.u64,
    ) -> None:
        """Each thread turns a square of elements in registers."""
        k.griddepcontrol.wait()
        k.griddepcontrol.launch_dependents()
        tiles = (columns + (each * across - 1)) // (each * across)
        down = k.ctaid.x // tiles
        row = (down * (threads // across) + k.tid.x // across) * each
        column = ((k.ctaid.x - down * tiles) * across + k.tid.x % across) * each
        inside = (row < rows) & (column < columns)
        lines: list[list[Any]] = []
        start = k.mad.lo.u64(k.cvt.u64.u32(row), x_pitch, x)
        for _ in range(each):
            words = [k.mov.b32(0) for _ in range(each * size // 4)]
            at = px.Address.of(k.mad.wide.u32(column, size, start), space="global")
            getattr(k.ld.global_, f"v{len(words)}").b32(at, d=words, pred=inside)
            lines.append(words)
            start = start + x_pitch
        start = k.mad.lo.u64(k.cvt.u64.u32(column), y_pitch, y)
        for words in _turned(k, lines, size):
            at = px.Address.of(k.mad.wide.u32(row, size, start), space="global")
            getattr(k.st.global_, f"v{len(words)}").b32(at, words, pred=inside)
            start = start + y_pitch

    return transposition


def _turned(k: px.Builder, lines: list[list[Any]], size: int) -> list[list[Any]]:
    """The columns of a square of elements, from its lines."""
    per_word = 4 // size
    columns: list[list[Any]] = [[] for _ in lines]
    for i in range(0, len(lines), per_word):
        for w in range(len(lines[0])):
            some = [line[w] for line in lines[i : i + per_word]]
            for e, word in enumerate(_turned_words(k, some)):
                columns[w * per_word + e].append(word)
    return columns


def _turned_words(k: px.Builder, words: list[Any]) -> list[Any]:
    """Words of as many elements as there are words, turned."""
    if len(words) == 1:
        return words
    if len(words) == 2:
        one, other = words
        return [k.prmt.b32(one, other, pick) for pick in (0x5410, 0x7632)]
    left, right = ([k.prmt.b32(a, b, pick) for pick in (0x5140, 0x7362)] for a, b in (words[:2], words[2:]))
    return [k.prmt.b32(a, b, pick) for a, b in zip(left, right, strict=True) for pick in (0x5410, 0x7632)]


@cache
def _kernel(size: int, elements: int) -> px.Kernel:
    """Elements of so many bytes; so many of them are moved at a time."""

    @px.kernel(target="sm_90a", threads=THREADS, strided=("x", "y"), name="transpose")
    def transposition(
        k: px.Builder,
        x: px.Ptr[px.b8],
        y: px.Ptr[px.b8],
        rows: px.u32,
        columns: px.u32,
        x_pitch: px.u64,
        y_pitch: px.u64,
    ) -> None:
        """A tile: rows of x into shared memory, columns from there."""
        k.griddepcontrol.wait()
        k.griddepcontrol.launch_dependents()
        line = TILE * size + GAP
        tile = k.smem(px.b8, TILE * line, align=VECTOR)
        across = (columns + (TILE - 1)) // TILE
        down = k.ctaid.x // across
        first_row, first_column = down * TILE, (k.ctaid.x - down * across) * TILE
        for outer, inner in _places(k, elements):
            row, column = first_row + outer, first_column + inner
            at = _global(k, x, x_pitch, (row, column), size)
            words = _load(k, at, size * elements, (row < rows) & (column < columns))
            to = tile.at(k.mad.lo.u32(outer, line, inner * size))
            for i, word in enumerate(words):
                getattr(k.st.shared, f"b{_bits(size * elements)}")(to + 4 * i, word)
        k.bar.sync(0)
        for outer, inner in _places(k, elements):
            row, column = first_row + inner, first_column + outer
            start = tile.at(k.mad.lo.u32(inner, line, outer * size))
            words = _gathered(k, [start + e * line for e in range(elements)], size)
            at = _global(k, y, y_pitch, (column, row), size)
            _store(k, at, words, size * elements, (row < rows) & (column < columns))

    return transposition


def _places(k: px.Builder, elements: int) -> list[tuple[Any, Any]]:
    """Line and first element of each vector that the thread moves of a tile."""
    each = TILE // elements
    numbers = [k.tid.x + i * THREADS for i in range(TILE * each // THREADS)]
    return [(n // each, (n % each) * elements) for n in numbers]


def _global(k: px.Builder, start: Any, pitch: Any, place: tuple[Any, Any], size: int) -> px.Address:
    line = k.mad.lo.u64(k.cvt.u64.u32(place[0]), pitch, start)
    return px.Address.of(k.mad.wide.u32(place[1], size, line), space="global")


def _bits(nbytes: int) -> int:
    return min(32, 8 * nbytes)


def _load(k: px.Builder, at: px.Address, nbytes: int, there: Any) -> list[Any]:
    """The words of a vector; 0 where there is none."""
    bits = _bits(nbytes)
    words = [k.mov.b32(0) if bits == 32 else k.mov.b16(0) for _ in range(max(1, nbytes // 4))]
    if len(words) == 4:
        k.ld.global_.v4.b32(at, d=words, pred=there)
    else:
        getattr(k.ld.global_, f"b{bits}")(at, d=words[0], pred=there)
    return words


def _gathered(k: px.Builder, places: list[Any], size: int) -> list[Any]:
    """The elements at these places, side by side in words."""
    if size == 4 or len(places) == 1:
        return [getattr(k.ld.shared, f"b{8 * size}")(at) for at in places]
    if size == 2:
        parts = [k.ld.shared.b16(at) for at in places]
        return [k.mov.b32(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    words: list[Any] = []
    for i in range(0, len(places), 4):
        parts = [k.reg(px.u32) for _ in range(4)]
        for at, part in zip(places[i : i + 4], parts, strict=True):
            k.ld.shared.u8(at, d=part)
        low, high = (k.prmt.b32(parts[j], parts[j + 1], 0x0040) for j in (0, 2))
        words.append(k.prmt.b32(low, high, 0x5410))
    return words


def _store(k: px.Builder, at: px.Address, words: list[Any], nbytes: int, there: Any) -> None:
    if len(words) == 4:
        k.st.global_.v4.b32(at, words, pred=there)
    else:
        getattr(k.st.global_, f"b{_bits(nbytes)}")(at, words[0], pred=there)
