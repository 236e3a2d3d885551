"""C = A · B on Hopper's tensor cores: bf16 in, f32 accumulation, bf16 or f32 out.

From the outside in:

- **A grid that stays.** One CTA an SM, two a cluster. A cluster computes two tiles of C of 128 × 256, one above the other, then
  goes on to another pair. Pairs are numbered in groups of 8 rows of pairs and column by column within a group, so that those in
  work at one time share rows of A and columns of B, which stay in the L2 cache.
- **Shared loads.** The two tiles of a cluster multiply the same columns of B. Each CTA loads half of them and multicasts it to
  both: 32 KB a stage from L2 instead of 48 KB.
- **A ring of four stages** of 64 steps along K, 48 KB each. One thread fills it by TMA and never stops at the end of a tile: while
  results are written, the next tile's first stages arrive. It loads into a stage once the consumers of *both* CTAs gave it back.
- **Three warpgroups.** Warpgroup 0 loads, for which 40 registers a thread are plenty. Warpgroups 1 and 2 multiply 64 rows each:
  64 × 256 results are 128 registers a thread, out of 232.
- **Two wgmma groups in flight.** A stage is given back after the wgmma of the *next* one are under way, so that the tensor cores
  have work while the warps wait for barriers.
- **Stores beside the next tile.** Results go to shared memory by stmatrix, in the order that the 128B swizzle wants, and from there
  by TMA (`gemm_store`). TMA moves whole 16 bytes: where a row of C is no multiple of that, threads store single elements instead.

What looks small and is not, measured at 4096³ and 8192³:

- The arrival that gives a stage back to the peer publishes nothing: the stage was only read, by wgmma that are complete. With
  `.release.cluster` each stage pays for a fence of the entire GPU: 27 to 30 % slower.
- The barriers of the cluster at start and end arrive `.relaxed` for the same reason: 0.7 %, and 5 % at 2048³.
- The warp's number is read by `shfl` from lane 0. So ptxas knows that it is the same in all lanes, and keeps ring positions and
  matrix descriptors in uniform registers.
- One wgmma group in flight instead of two: 1 % slower. Three stages: 0.4 %.
- No difference: groups of 4 to 16, one arrival a warp, an own warp for B, other shares of registers, an epilogue warp by warp.
  No cluster at all is even 0.6 to 1 % faster: the two CTAs wait for each other a little longer than sharing B saves.

What limits it is power. On an H100 80GB HBM3 (700 W, driver 580, CUDA 13.0) this design ran 4096³ at 718 and 8192³ at 703 TFLOP/s
in bf16, 1.01 and 1.03 of cuBLAS in the same run. The board then draws 698 W and its clock falls from 1980 to about 1400 MHz, at
which the tensor cores are 95 % busy; 97 % is what the number of tiles allows on 132 SMs. Next: split the last wave of tiles along
K, and smaller tiles for products with fewer tiles than SMs. `ptxlab bench gemm` measures it on the GPU at hand.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.gemm_call import L2_PROMOTION, BLayout, Problem, box_of_b, problem
from ptxlab.kernels.gemm_store import ROWS, DirectStore, Store, TmaStore, box_columns
from ptxlab.kernels.pipeline import (
    CONSUMER_REGISTERS,
    CONSUMERS,
    PRODUCER_REGISTERS,
    THREADS,
    TILE_K,
    TILE_M,
    TILE_N,
    Operands,
    consume,
    corner,
    load_b,
    parts,
    share_of_b,
)
from ptxlab.launch.prepare import Launch

CLUSTER = 2
GROUP = 8
"""Rows of pairs of tiles that are finished before the next ones begin."""


@dataclass(frozen=True, slots=True)
class _Product:
    """The product while its kernel is traced. `b_major`: "K" where B lies as N × K, "MN" for K × N."""

    k: px.Builder
    a: Any
    b: Any
    m: Any
    n: Any
    depth: Any
    b_major: str

    @property
    def operands(self) -> Operands:
        """B's halves go to both CTAs of a cluster."""
        return Operands(self.k, self.b_major, CLUSTER)

    @contextmanager
    def tiles(self) -> Generator[_Tile, None, None]:
        """Loop over this CTA's tiles of C."""
        k = self.k
        rows, columns = parts(self.m, TILE_M * CLUSTER), parts(self.n, TILE_N)
        with k.loop(rows * columns, start=k.clusterid.x, step=k.nclusterid.x) as pair:
            yield _Tile(k, pair, rows, columns)


@dataclass(frozen=True, slots=True)
class _Tile:
    """This CTA's tile of a pair, of `rows` × `columns` pairs. All are registers."""

    k: px.Builder
    pair: Any
    rows: Any
    columns: Any

    def corner(self) -> tuple[Any, Any]:
        """Its first row and its first column in C."""
        k = self.k
        row, column = corner(k, self.pair, self.rows, self.columns, GROUP)
        return (row * CLUSTER + k.cluster_ctarank) * TILE_M, column * TILE_N


def _multiply(p: _Product, store: Store) -> None:
    """The kernel: `store` writes what the consumers computed."""
    k = p.k
    ring = p.operands.ring()
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0, registers=PRODUCER_REGISTERS), k.if_(k.warp == 0), k.elect():
            _produce(p, ring)
        with k.role(warpgroup=range(1, 1 + CONSUMERS), registers=CONSUMER_REGISTERS):
            consume(p.operands, ring, store, p.tiles, lambda: parts(p.depth, TILE_K))
    # nobody leaves while its peer may still write to its shared memory or arrive on its barriers
    k.cluster_sync(publish=False, aligned=False)


def _produce(p: _Product, ring: px.Ring) -> None:
    """One thread keeps the ring full: this CTA's rows of A, and its half of B for both CTAs."""
    k, operands = p.k, p.operands
    for map in (p.a, p.b):
        k.prefetch.tensormap(map)
    with p.tiles() as tile:
        row, column = tile.corner()
        share = share_of_b(operands, column)
        with k.loop(p.depth, step=TILE_K) as at, ring.produce() as slot:
            k.tma_load(slot[0], p.a, (at, row), slot.full)
            load_b(operands, slot[1], p.b, at, share, slot.full)


@px.kernel(target="sm_90a", threads=THREADS, cluster=CLUSTER)
def gemm_tma(
    k: px.Builder,
    a: px.TensorMap,
    b: px.TensorMap,
    c: px.TensorMap,
    m: px.u32,
    n: px.u32,
    depth: px.u32,
    *,
    b_major: str = "MN",
    out: type[px.Register] = px.bf16,
) -> None:
    """C is written by TMA: its rows are multiples of 16 bytes."""
    _multiply(_Product(k, a=a, b=b, m=m, n=n, depth=depth, b_major=b_major), TmaStore(k, c, out, CONSUMERS))


@px.kernel(target="sm_90a", threads=THREADS, cluster=CLUSTER, strided=("c",))
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
    b_major: str = "MN",
    out: type[px.Register] = px.bf16,
) -> None:
    """C is written by ordinary stores. `pitch`: bytes from one row of C to the next."""
    _multiply(_Product(k, a=a, b=b, m=m, n=n, depth=depth, b_major=b_major), DirectStore(k, c, pitch, m, n, out))


def gemm(a: Any, b: Any, c: Any, *, b_layout: BLayout = "kn", device: str = "auto", stream: Any = None) -> None:
    """C = A · B: in the simulator on NumPy arrays, on the GPU on CUDA arrays (torch, CuPy, JAX …).

    Args:
        a: bf16, M × K.
        b: bf16, K × N; with b_layout="nk" N × K, and C = A · Bᵀ. Either may be a transposed view: `gemm(a, w.T, c)` and
            `gemm(a, w, c, b_layout="nk")` are the same.
        c: bf16 or f32, M × N; it is overwritten.
        device, stream: as in `Kernel.launch`.

    Rows of A, B (columns, where it is a transposed view) and C have neighbouring elements and may be padded. Those of A and B
    start at multiples of 16 bytes, as TMA demands; those of C may start anywhere, and bytes between rows are not written.

    Raises: Diagnostic PTX2308 where ranks or shapes do not belong together, PTX2307 for other dtypes, PTX2309 for elements that
        are not neighbours, PTX2101 and PTX2102 for rows that TMA cannot address, PTX2104 for empty matrices, PTX2112 for another
        word as `b_layout`, and what `Kernel.launch` raises.
    """
    prepare(a, b, c, b_layout=b_layout, device=device, stream=stream)()


def prepare(a: Any, b: Any, c: Any, *, b_layout: BLayout = "kn", device: str = "auto", stream: Any = None) -> Launch:
    """`gemm`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same."""
    p = problem(a, b, c, b_layout)
    out = {"bfloat16": px.bf16, "float32": px.f32}[p.c.dtype]
    maps = [
        p.map("A", p.a, (TILE_M, TILE_K), l2_promotion=L2_PROMOTION),
        p.map("B", p.b, box_of_b(p.b_major, TILE_N // CLUSTER, TILE_K), l2_promotion=L2_PROMOTION),
    ]
    sizes = (p.m, p.n, p.depth)
    if p.tma_can_store:
        kernel, args = gemm_tma, [*maps, p.map("C", p.c, (ROWS, box_columns(out))), *sizes]
    else:
        kernel, args = gemm_direct, [*maps, p.c, *sizes, p.pitch]
    chosen = kernel.specialise(b_major=p.b_major, out=out)
    return chosen.prepare(grid=_grid(p), args=args, device=device, stream=stream)


def _grid(p: Problem) -> tuple[int, int, int]:
    """A CTA for each SM, or fewer where there are fewer tiles."""
    pairs = -(-p.m // (TILE_M * CLUSTER)) * -(-p.n // TILE_N)
    return CLUSTER * min(pairs, p.multiprocessors // CLUSTER), 1, 1
