"""C = A · B on Hopper's tensor cores: bf16 in, f32 accumulation, bf16 or f32 out.

From the outside in:

- **A grid that stays.** One CTA an SM, which computes a tile of C of 128 × 256, then goes on to another one. Tiles are numbered in
  groups of 16 rows and column by column within a group, so that those in work at one time share rows of A and columns of B, which
  stay in the L2 cache.
- **A ring of four stages** of 64 steps along K, 48 KB each. One thread fills it by TMA and never stops at the end of a tile: while
  results are written, the next tile's first stages arrive.
- **Three warpgroups.** Warpgroup 0 loads, for which 40 registers a thread are plenty. Warpgroups 1 and 2 multiply 64 rows each:
  64 × 256 results are 128 registers a thread, out of 232.
- **Two wgmma groups in flight.** A stage is given back after the wgmma of the *next* one are under way, so that the tensor cores
  have work while the warps wait for barriers.
- **Stores beside the next tile.** Results go to shared memory by stmatrix, in the order that the 128B swizzle wants, and from there
  by TMA (`gemm_store`). TMA moves whole 16 bytes: where a row of C is no multiple of that, threads store single elements instead.

What looks small and is not, measured at 4096³ and 8192³:

- The warp's number is read by `shfl` from lane 0. So ptxas knows that it is the same in all lanes, and keeps ring positions and
  matrix descriptors in uniform registers.
- One wgmma group in flight instead of two: 1 % slower. Three stages: 0.4 %.
- No difference: groups of 4 to 16, one arrival a warp, an own warp for B, other shares of registers, an epilogue warp by warp.

There is no cluster. Two CTAs that share columns of B and multicast halves of them to each other fetch 32 KB a stage from L2 instead
of 48 KB; on an H200 that was no faster (0.988 to 1.004 of this kernel on ten shapes). And it was wrong by the memory model: a stage
may be overwritten by the peer's copy only behind a release of the scope .cluster (PTX ISA 8.7 and 8.8), which is a fence of the
entire GPU. With it the same design was 16 to 33 % slower, and 10 to 36 % where a warp of its own passed the stages on.

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
)
from ptxlab.launch.prepare import Launch

GROUP = 16
"""Rows of tiles that are finished before the next ones begin."""


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
        """What the kernel's parts have in common."""
        return Operands(self.k, self.b_major)

    @contextmanager
    def tiles(self) -> Generator[_Tile, None, None]:
        """Loop over this CTA's tiles of C."""
        k = self.k
        rows, columns = parts(self.m, TILE_M), parts(self.n, TILE_N)
        with k.loop(rows * columns, start=k.ctaid.x, step=k.nctaid.x) as index:
            yield _Tile(k, index, rows, columns)


@dataclass(frozen=True, slots=True)
class _Tile:
    """Tile `index` of `rows` × `columns` tiles. All are registers."""

    k: px.Builder
    index: Any
    rows: Any
    columns: Any

    def corner(self) -> tuple[Any, Any]:
        """Its first row and its first column in C."""
        row, column = corner(self.k, self.index, self.rows, self.columns, GROUP)
        return row * TILE_M, column * TILE_N


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


def _produce(p: _Product, ring: px.Ring) -> None:
    """One thread keeps the ring full."""
    k, operands = p.k, p.operands
    for map in (p.a, p.b):
        k.prefetch.tensormap(map)
    with p.tiles() as tile:
        row, column = tile.corner()
        with k.loop(p.depth, step=TILE_K) as at, ring.produce() as slot:
            k.tma_load(slot[0], p.a, (at, row), slot.full)
            load_b(operands, slot[1], p.b, at, column, slot.full)


@px.kernel(target="sm_90a", threads=THREADS)
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


@px.kernel(target="sm_90a", threads=THREADS, strided=("c",))
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
        p.map("B", p.b, box_of_b(p.b_major, TILE_N, TILE_K), l2_promotion=L2_PROMOTION),
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
    tiles = -(-p.m // TILE_M) * -(-p.n // TILE_N)
    return min(tiles, p.multiprocessors), 1, 1
