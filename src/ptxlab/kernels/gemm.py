"""C = A · B on Hopper's tensor cores: bf16 in, f32 accumulation, bf16 or f32 out.

Clusters of two CTAs walk over pairs of 128 × 256 tiles of C, one above the other. In each CTA one thread of warpgroup 0 keeps
a ring of four stages full by TMA; each half of a tile of B is loaded once and multicast to both CTAs. Warpgroups 1 and 2
multiply 64 rows each, 64 × 256 results in 128 registers a thread. Tiles are taken in groups of rows, so that what the SMs read
at one time stays in the L2 cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import ptxlab as px
from ptxlab.diag import Diagnostic, user_span
from ptxlab.launch.arrays import ArrayView, multiprocessors, view
from ptxlab.launch.prepare import Launch

TILE_M, TILE_N, TILE_K = 128, 256, 64
STAGES = 4
CLUSTER = 2
GROUP = 8
"""Rows of clusters (16 tiles of C) that are finished before the next ones begin."""
WARPGROUP = 128
CONSUMERS = 2
ROWS = TILE_M // CONSUMERS
"""Rows of a tile that one warpgroup multiplies."""
BOX_BYTES = 128
"""Width of what an epilogue step stages: one span of the 128B swizzle."""


@dataclass(frozen=True, slots=True)
class _Product:
    """One kernel while it is traced. `b_major`: "K" for B as N × K, "MN" for K × N."""

    k: px.Builder
    a: Any
    b: Any
    m: Any
    n: Any
    steps: Any  # along K, in tiles
    b_major: str

    @contextmanager
    def tiles(self) -> Iterator[tuple[Any, Any]]:
        """Loop over this CTA's tiles of C: yields the first row and the first column of each."""
        k = self.k
        rows = (self.m + (TILE_M * CLUSTER - 1)) // (TILE_M * CLUSTER)
        columns = (self.n + (TILE_N - 1)) // TILE_N
        with k.loop(rows * columns, start=k.clusterid.x, step=k.nclusterid.x) as tile:
            group = tile // (columns * GROUP)
            rest = tile - group * (columns * GROUP)
            first = group * GROUP
            height = k.min.u32(rows - first, GROUP)
            column = rest // height
            row = first + rest - column * height
            yield (row * CLUSTER + k.cluster_ctarank) * TILE_M, column * TILE_N


Epilogue = Callable[[px.Registers, Any, Any], None]
"""Writes a warpgroup's results: (accumulators, first row, first column of its 64 × 256 part)."""


def _multiply(p: _Product, make_epilogue: Callable[[Any], Epilogue], drain: Callable[[], None]) -> None:
    k = p.k
    a_tiles = k.smem(px.bf16, (STAGES, TILE_M, TILE_K), swizzle="128B", name="a_tiles")
    b_shape = (TILE_N, TILE_K) if p.b_major == "K" else (TILE_K, TILE_N)
    b_tiles = k.smem(px.bf16, (STAGES, *b_shape), swizzle="128B", name="b_tiles")
    ring = k.ring(STAGES, a_tiles, b_tiles, consumers=CONSUMERS * CLUSTER)
    with k.if_(k.thread == 0):
        for tensor in (p.a, p.b):
            k.prefetch.tensormap(tensor)
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0, registers=40), k.if_(k.warp == 0), k.elect():
            _produce(p, ring)
        with k.role(warpgroup=range(1, 1 + CONSUMERS), registers=232):
            member = k.warpgroup - 1
            _consume(p, ring, member, make_epilogue(member))
            drain()
    # nobody leaves while a peer may still write to its shared memory or arrive on its barriers
    k.cluster_sync(publish=False, aligned=False)


def _produce(p: _Product, ring: px.Ring) -> None:
    """Keep the ring full: this CTA's rows of A, and its half of B for both CTAs."""
    k, rank = p.k, p.k.cluster_ctarank
    both = (1 << CLUSTER) - 1
    with p.tiles() as (row, column), k.loop(p.steps) as step:
        at_k = step * TILE_K
        at_n = k.mad.lo.u32(rank, TILE_N // CLUSTER, column)
        with ring.produce() as slot:
            k.tma_load(slot[0], p.a, (at_k, row), slot.full)
            if p.b_major == "K":
                k.tma_load(slot[1].part(rank, CLUSTER), p.b, (at_k, at_n), slot.full, multicast=both)
            else:
                k.tma_load(slot[1].part(rank, CLUSTER, axis=1), p.b, (at_n, at_k), slot.full, multicast=both)


def _consume(p: _Product, ring: px.Ring, member: Any, epilogue: Epilogue) -> None:
    """Multiply stage by stage; a stage is given back when the wgmma behind it has been issued and it is read."""
    k = p.k
    mine, theirs = ring.tiles[0].part(member, CONSUMERS, axis=1).descriptor(), ring.tiles[1].descriptor(p.b_major)
    # threads 0 and 1 of each warpgroup tell one CTA each that a stage is free
    thread = k.tid.x & (WARPGROUP - 1)
    empty = ring.empty.remote(thread & (CLUSTER - 1))
    tells = thread < CLUSTER
    acc = k.accumulator(ROWS, TILE_N)
    previous = k.reg(px.u32)

    def multiply(first: bool) -> None:
        with ring.consume(release=None) as slot:
            a, b = mine.stage(slot.stage), theirs.stage(slot.stage)
            k.wgmma.fence.sync.aligned()
            for i in range(a.steps):
                k.wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16(
                    acc, a[i], b[i], not (first and i == 0), 1, 1, 0, int(p.b_major == "MN")
                )
            k.wgmma.commit_group.sync.aligned()
            if not first:
                k.wgmma.wait_group.sync.aligned(1)
                empty[previous].arrive(publish=False, pred=tells)
            k.mov.u32(slot.stage, d=previous)

    with p.tiles() as (row, column):
        multiply(first=True)
        with k.loop(p.steps, start=1):
            multiply(first=False)
        k.wgmma.wait_group.sync.aligned(0)
        empty[previous].arrive(publish=False, pred=tells)
        epilogue(acc, k.mad.lo.u32(member, ROWS, row), column)


def _steps(k: px.Builder, depth: Any) -> Any:
    return (depth + (TILE_K - 1)) >> 6


@px.kernel(target="sm_90a", threads=(1 + CONSUMERS) * WARPGROUP, cluster=CLUSTER)
def gemm_tma(
    k: px.Builder,
    a: px.TensorMap,
    b: px.TensorMap,
    c: px.TensorMap,
    m: px.u32,
    n: px.u32,
    depth: px.u32,
    *,
    b_major: str = "K",
    out: type[px.Register] = px.bf16,
) -> None:
    """C by TMA stores: through two staging buffers a warpgroup, 64 rows by 128 bytes each."""
    columns = BOX_BYTES * 8 // out.scalar.bits
    staging = k.smem(out, (CONSUMERS, 2, ROWS, columns), swizzle="128B", name="staging")

    def make_epilogue(member: Any) -> Epilogue:
        buffers = staging[member]
        lane, warp = k.laneid, k.warp & 3
        stores = k.tid.x & (WARPGROUP - 1)
        leader = stores == 0
        places = _bf16_places(k, buffers[0], warp, lane) if out is px.bf16 else _f32_places(k, buffers[0], warp, lane)
        other = buffers.strides[0]

        def epilogue(acc: px.Registers, row: Any, column: Any) -> None:
            for box in range(TILE_N // columns):
                k.cp.async_.bulk.wait_group.read(1, pred=leader)  # the store from this buffer before has read it
                k.bar.sync(member + 1, WARPGROUP)
                values = acc[box * columns // 2 : (box + 1) * columns // 2]
                for j, place in enumerate(places):
                    _stage(k, place + other * (box & 1), values[j * len(values) // len(places) :], out)
                k.fence.proxy.async_.shared__cta()
                k.bar.sync(member + 1, WARPGROUP)
                with k.if_(leader):
                    k.tma_store(c, (column + box * columns, row), buffers[box & 1])
                    k.cp.async_.bulk.commit_group()

        return epilogue

    def drain() -> None:
        k.cp.async_.bulk.wait_group.read(0)

    _multiply(_Product(k, a, b, m, n, _steps(k, depth), b_major), make_epilogue, drain)


def _bf16_places(k: px.Builder, buffer: px.Tile, warp: Any, lane: Any) -> list[px.Address]:
    """Where this lane's row of the four 8 × 8 matrices of each stmatrix goes: 16 rows, then the next 8 columns."""
    row = k.mad.lo.u32(warp, 16, lane & 15)
    right = (lane >> 4) * 8
    return [buffer.locate(row, right + 16 * j) for j in range(4)]


def _f32_places(k: px.Builder, buffer: px.Tile, warp: Any, lane: Any) -> list[px.Address]:
    """Where this lane's pair of columns of each 8 goes, in the upper of its two rows."""
    row = k.mad.lo.u32(warp, 16, lane >> 2)
    pair = (lane & 3) * 2
    return [buffer.locate(row, pair + 8 * j) for j in range(4)]


def _stage(k: px.Builder, place: px.Address, values: px.Registers, out: type[px.Register]) -> None:
    """A lane's share of 16 columns (bf16) or 8 (f32) into the staging buffer."""
    if out is px.bf16:
        packed = [k.cvt.rn.bf16x2.f32(values[2 * i + 1], values[2 * i]) for i in range(4)]
        k.stmatrix.sync.aligned.m8n8.x4.shared.b16(place, packed)
    else:
        k.st.shared.v2.f32(place, values[0:2])
        k.st.shared.v2.f32(place + 8 * BOX_BYTES, values[2:4])  # eight rows below: the swizzle is the same


@px.kernel(target="sm_90a", threads=(1 + CONSUMERS) * WARPGROUP, cluster=CLUSTER, strided=("c",))
def gemm_direct(
    k: px.Builder,
    a: px.TensorMap,
    b: px.TensorMap,
    c: px.Ptr[px.b8],
    m: px.u32,
    n: px.u32,
    depth: px.u32,
    pitch: px.u64,
    *,
    b_major: str = "K",
    out: type[px.Register] = px.bf16,
) -> None:
    """C by ordinary stores, for rows that TMA cannot write without touching what lies behind them. `pitch`: bytes a row."""
    size = out.scalar.bytes

    def make_epilogue(member: Any) -> Epilogue:
        lane, warp = k.laneid, k.warp & 3
        own_row = k.mad.lo.u32(warp, 16, lane >> 2)
        own_column = (lane & 3) * 2

        def epilogue(acc: px.Registers, row: Any, column: Any) -> None:
            at = column + own_column
            for half in range(2):
                line = row + own_row + 8 * half
                left = k.selp.s32(n - at, 0, line < m)  # columns of C from `at` on; none below its last row
                where = k.mad.lo.u64(k.cvt.u64.u32(line), pitch, c)
                to = k.mad.wide.u32(at, size, where)
                for j in range(TILE_N // 8):
                    pair = acc[4 * j + 2 * half : 4 * j + 2 * half + 2]
                    _store_pair(k, to, 8 * j, pair, left, out)

        return epilogue

    _multiply(_Product(k, a, b, m, n, _steps(k, depth), b_major), make_epilogue, lambda: None)


def _store_pair(k: px.Builder, to: Any, column: int, pair: px.Registers, left: Any, out: type[px.Register]) -> None:
    """Two results at `column` and the next, each where it lies inside C."""
    if out is px.bf16:
        values, store = k.unpack(k.cvt.rn.bf16x2.f32(pair[1], pair[0]), px.b16), k.st.global_.b16
    else:
        values, store = pair, k.st.global_.f32
    size = out.scalar.bytes
    for i in range(2):
        store(px.Address.of(to, (column + i) * size), values[i], pred=left > column + i)


def gemm(a: Any, b: Any, c: Any, *, b_layout: Literal["kn", "nk"] = "kn", **options: Any) -> None:
    """C = A · B.

    Args:
        a: bf16, M × K. b: bf16, K × N, or N × K with b_layout="nk" (then C = A · Bᵀ). c: bf16 or f32, M × N; it is overwritten.
            NumPy arrays (with ml_dtypes), or CUDA arrays of one GPU. The elements of a row are neighbours; rows may be
            padded. A and B start at multiples of 16 bytes, and so do their rows.
        options: passed to `prepare` of the kernel, e.g. device=, stream=.

    Raises: Diagnostic PTX2308 where the shapes do not belong together, PTX2307 for other dtypes, PTX2101 and PTX2102 for
        alignments that TMA cannot read, PTX2104 for empty matrices.
    """
    prepare(a, b, c, b_layout=b_layout, **options)()


def prepare(a: Any, b: Any, c: Any, *, b_layout: Literal["kn", "nk"] = "kn", **options: Any) -> Launch:
    """As `gemm`, but only prepared: the launch is what it returns."""
    b_major = {"kn": "MN", "nk": "K"}.get(b_layout)
    if b_major is None:
        raise Diagnostic("PTX2112", f"{b_layout!r} is no layout of B", help='use "kn" or "nk"', origin=user_span())
    m, n, depth, result = _sizes(view(a), view(b), view(c), b_layout)
    out = _OUTPUTS.get(result.dtype)
    if out is None:
        raise Diagnostic(
            "PTX2307", f"C holds {result.dtype}", help="give C in bfloat16 or float32", origin=user_span()
        )
    b_box = (TILE_N // CLUSTER, TILE_K) if b_major == "K" else (TILE_K, BOX_BYTES // 2)
    maps = [
        px.tensor_map(x, box=box, swizzle="128B", l2_promotion="256B")
        for x, box in ((a, (TILE_M, TILE_K)), (b, b_box))
    ]
    sizes = [np.uint32(s) for s in (m, n, depth)]
    pairs = -(-m // (TILE_M * CLUSTER)) * -(-n // TILE_N)
    grid = (CLUSTER * min(pairs, multiprocessors(result) // CLUSTER), 1, 1)
    pitch, size = result.strides[0], result.itemsize
    if any(x % 16 for x in (result.address, pitch, n * size)):
        chosen = gemm_direct.specialise(b_major=b_major, out=out)
        return chosen.prepare(grid=grid, args=[*maps, c, *sizes, np.uint64(pitch)], **options)
    staged = px.tensor_map(c, box=(ROWS, BOX_BYTES // size), swizzle="128B")
    return gemm_tma.specialise(b_major=b_major, out=out).prepare(grid=grid, args=[*maps, staged, *sizes], **options)


_OUTPUTS: dict[str, type[px.Register]] = {"bfloat16": px.bf16, "float32": px.f32}


def _sizes(a: ArrayView, b: ArrayView, c: ArrayView, b_layout: str) -> tuple[int, int, int, ArrayView]:
    """M, N, K and C's view, once the shapes agree."""
    for name, x in (("A", a), ("B", b), ("C", c)):
        if len(x.shape) != 2:
            raise Diagnostic(
                "PTX2308", f"{name} has {len(x.shape)} dimensions", help="give matrices", origin=user_span()
            )
    (m, depth), (rows, columns) = a.shape, c.shape
    inner, n = b.shape if b_layout == "kn" else b.shape[::-1]
    if (inner, m, n) != (depth, rows, columns):
        raise Diagnostic(
            "PTX2308",
            f"A is {m} × {depth}, B {b.shape[0]} × {b.shape[1]} ({b_layout}) and C {rows} × {columns}",
            help="A is M × K, B K × N (b_layout=\"kn\") or N × K (\"nk\"), C M × N",
            origin=user_span(),
        )
    return m, n, depth, c
