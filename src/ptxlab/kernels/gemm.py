"""C = A · B on Hopper's tensor cores: bf16 or f16 in, f32 accumulation, the same type or f32 out.

From the outside in:

- **A choice.** Products differ in what limits them, so the kernel is a family: a `Tiling` says how large tiles are, who computes
  them, and how many CTAs share the sum along K. `choice.choose` takes the one that should be fastest; `config=` names another.
- **A grid that stays.** One CTA an SM, which computes a tile of C, then goes on to another one. Tiles are numbered in groups of 16
  rows and column by column within a group, so that those in work at one time share rows of A and columns of B, which stay in the
  L2 cache.
- **A ring of stages** of 64 steps along K, as many as shared memory holds. One thread fills it by TMA and never stops at the end of
  a tile: while results are written, the next tile's first stages arrive.
- **Two to four warpgroups.** Warpgroup 0 loads, for which few registers are plenty; the others multiply and take its registers.
- **Two wgmma groups in flight.** A stage is given back after the wgmma of the *next* one are under way, so that the tensor cores
  have work while the warps wait for barriers.
- **Stores beside the next tile.** Results go to shared memory by stmatrix, in the order that the 128B swizzle wants, and from there
  by TMA (`blocks.store`). TMA moves whole 16 bytes: where a row of C is no multiple of that, threads store single elements instead.

Two things make small products fast. Where M is small, Cᵀ = Bᵀ · Aᵀ is computed (`swapped`): M becomes the columns of wgmma, of
which 8 are enough, instead of its 64 rows. And where there are fewer tiles than SMs, the CTAs of a cluster share a tile's sum along
K and add up through each other's shared memory, in the order of their ranks: the same bytes run after run (`blocks.exchange`).

What looks small and is not, measured with tiles of 128 × 256 at 4096³ and 8192³:

- The warp's number is read by `shfl` from lane 0. So ptxas knows that it is the same in all lanes, and keeps ring positions and
  matrix descriptors in uniform registers.
- One wgmma group in flight instead of two: 1 % slower. Three stages: 0.4 %.
- No difference: groups of 4 to 16, one arrival a warp, an own warp for B, other shares of registers, an epilogue warp by warp.

No cluster shares loads. Two CTAs that share columns of B and multicast halves of them to each other fetch 32 KB a stage from L2
instead of 48 KB; on an H200 that was no faster (0.988 to 1.004 of this kernel on ten shapes). And it was wrong by the memory model:
a stage may be overwritten by the peer's copy only behind a release of the scope .cluster (PTX ISA 8.7 and 8.8), which is a fence of
the entire GPU. With it the same design was 16 to 33 % slower, and 10 to 36 % where a warp of its own passed the stages on.

What limits large products is power. On an H100 80GB HBM3 (700 W, driver 580, CUDA 13.0) tiles of 128 × 256 ran 4096³ at 718 and
8192³ at 703 TFLOP/s in bf16, 1.01 and 1.03 of cuBLAS in the same run. The board then draws 698 W and its clock falls from 1980 to
about 1400 MHz, at which the tensor cores are 95 % busy; 97 % is what the number of tiles allows on 132 SMs. `ptxlab bench gemm`
measures it on the GPU at hand.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab.diag import Diagnostic, user_span
from ptxlab.kernels.blocks.choice import choose, explained
from ptxlab.kernels.blocks.epilogue import Epilogue
from ptxlab.kernels.blocks.exchange import Exchange
from ptxlab.kernels.blocks.mainloop import Mainloop, Operand, Operands
from ptxlab.kernels.blocks.store import DirectStore, Store, TmaStore
from ptxlab.kernels.blocks.tiling import REGISTERS, ROWS, TILE_K, Tiling, parts
from ptxlab.kernels.gemm_call import L2_PROMOTION, BLayout, Problem, problem
from ptxlab.kernels.pipeline import corner
from ptxlab.launch.prepare import Launch

TYPES = {"bfloat16": px.bf16, "float16": px.f16, "float32": px.f32}


@dataclass(frozen=True, slots=True)
class _Product:
    """The product while its kernel is traced: `rows`, `columns` and `depth` as wgmma has them."""

    operands: Operands
    rows: Any
    columns: Any
    depth: Any

    @property
    def k(self) -> px.Builder:
        return self.operands.k

    @property
    def tiling(self) -> Tiling:
        return self.operands.tiling

    @property
    def rank(self) -> Any:
        """Number of the CTA in its cluster."""
        return self.k.ctaid.x & (self.tiling.splits - 1)

    @contextmanager
    def tiles(self) -> Generator[_Tile, None, None]:
        """Loop over this CTA's tiles: all that are left where it works alone, one where a cluster shares it."""
        k, t = self.k, self.tiling
        rows, columns = parts(self.rows, t.rows), parts(self.columns, t.columns)
        if t.splits > 1:
            yield _Tile(k, t, k.ctaid.x // t.splits, rows, columns)
            return
        with k.loop(rows * columns, start=k.ctaid.x, step=k.nctaid.x) as index:
            yield _Tile(k, t, index, rows, columns)

    def share(self) -> tuple[Any, Any]:
        """The CTA's steps along K: the first and the end."""
        k, t = self.k, self.tiling
        if t.splits == 1:
            return 0, self.depth
        stages = parts(self.depth, TILE_K)
        start = stages * self.rank // t.splits * TILE_K
        return start, k.min.u32((stages * self.rank + stages) // t.splits * TILE_K, self.depth)


@dataclass(frozen=True, slots=True)
class _Tile:
    """Tile `index` of `rows` × `columns` tiles. All are registers."""

    k: px.Builder
    tiling: Tiling
    index: Any
    rows: Any
    columns: Any

    def corner(self) -> tuple[Any, Any]:
        """Its first row and its first column."""
        row, column = corner(self.k, self.index, self.rows, self.columns, self.tiling.group)
        return row * self.tiling.rows, column * self.tiling.columns


def _multiply(p: _Product, store: Store) -> None:
    """The kernel: `store` writes what the consumers computed."""
    k, t = p.k, p.tiling
    ring = p.operands.ring()
    loads, multiplies = REGISTERS[t.consumers]
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0, registers=loads):
            with k.if_(k.warp == 0), k.elect():
                _produce(p, ring)
            if t.splits > 1:
                Exchange.others(k)
        with k.role(warpgroup=range(1, 1 + t.consumers), registers=multiplies):
            _consume(p, ring, store)


def _produce(p: _Product, ring: px.Ring) -> None:
    """One thread keeps the ring full."""
    p.operands.prefetch()
    start, stop = p.share()
    with p.tiles() as tile:
        p.operands.fill(ring, *tile.corner(), start, stop)


def _consume(p: _Product, ring: px.Ring, store: Store) -> None:
    """A warpgroup multiplies its share of the rows of each tile, and stores it."""
    k, t = p.k, p.tiling
    member = k.warpgroup - 1
    main = Mainloop(p.operands, ring, member)
    store.begin(member)
    start, stop = p.share()
    steps = parts(stop - start, TILE_K)
    with p.tiles() as tile:
        main.first()
        row, column = tile.corner()  # its divisions hide behind the tensor cores here
        main.rest(steps)
        first = k.mad.lo.u32(member, ROWS * t.blocks, row)
        if t.splits == 1:
            _store(store, main.results, first, column)
        else:
            rank = p.rank
            sums = Exchange(k, t, ring, rank).add(main.results)
            with k.if_(rank < t.slices):
                _store(store, sums, first, k.mad.lo.u32(rank, t.stored_columns, column))
    store.end()


def _store(store: Store, blocks: Any, row: Any, column: Any) -> None:
    for i, block in enumerate(blocks):
        store.write(block, row + ROWS * i if i else row, column)


@cache
def kernels(consumers: int, splits: int) -> tuple[px.Kernel, px.Kernel]:
    """The kernels for so many consumers and CTAs of a cluster: one that stores by TMA, one that stores single elements."""
    threads, cluster = Tiling(consumers=consumers).threads, None if splits == 1 else (splits, 1, 1)

    @px.kernel(target="sm_90a", threads=threads, cluster=cluster, name="gemm_tma")
    def by_tma(
        k: px.Builder,
        left: px.TensorMap,
        right: px.TensorMap,
        c: px.TensorMap,
        rows: px.u32,
        columns: px.u32,
        depth: px.u32,
        *,
        tiling: Tiling,
        majors: tuple[str, str],
        dtype: type[px.Register] = px.bf16,
        out: type[px.Register] = px.bf16,
        epilogue: Epilogue | None = None,
    ) -> None:
        operands = Operands(k, tiling, dtype, Operand(left, majors[0]), Operand(right, majors[1]))
        _multiply(_Product(operands, rows, columns, depth), TmaStore(k, c, out, tiling, epilogue))

    @px.kernel(target="sm_90a", threads=threads, cluster=cluster, strided=("c",), name="gemm_direct")
    def direct(
        k: px.Builder,
        left: px.TensorMap,
        right: px.TensorMap,
        c: px.Ptr[px.b8],
        rows: px.u32,
        columns: px.u32,
        depth: px.u32,
        pitch: px.u64,
        *,
        tiling: Tiling,
        majors: tuple[str, str],
        dtype: type[px.Register] = px.bf16,
        out: type[px.Register] = px.bf16,
        epilogue: Epilogue | None = None,
    ) -> None:
        operands = Operands(k, tiling, dtype, Operand(left, majors[0]), Operand(right, majors[1]))
        extents = (columns, rows) if tiling.swapped else (rows, columns)
        store = DirectStore(k, c, pitch, extents, out, tiling=tiling, epilogue=epilogue)
        _multiply(_Product(operands, rows, columns, depth), store)

    return by_tma, direct


def gemm(
    a: Any,
    b: Any,
    c: Any,
    *,
    b_layout: BLayout = "kn",
    config: Tiling | str | None = None,
    activation: Epilogue | None = None,
    explain: bool = False,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """C = A · B: in the simulator on NumPy arrays, on the GPU on CUDA arrays (torch, CuPy, JAX …).

    Args:
        a: bf16 or f16, M × K.
        b: of the same type, K × N; with b_layout="nk" N × K, and C = A · Bᵀ. Either may be a transposed view: `gemm(a, w.T, c)` and
            `gemm(a, w, c, b_layout="nk")` are the same.
        c: of the same type or f32, M × N; it is overwritten.
        config: how the product is cut, e.g. "128x256-2c" or a `Tiling`; default what should be fastest for these sizes.
        activation: what becomes of each sum before it is stored, e.g. `blocks.epilogue.relu` or a function like it.
        explain: print what was chosen, and what else there is.
        device, stream: as in `Kernel.launch`.

    Rows of A, B (columns, where it is a transposed view) and C have neighbouring elements and may be padded. Those of A and B
    start at multiples of 16 bytes, as TMA demands; those of C may start anywhere, and bytes between rows are not written.

    Raises: Diagnostic PTX2308 where ranks or shapes do not belong together, PTX2307 for other dtypes, PTX2309 for elements that
        are not neighbours, PTX2101 and PTX2102 for rows that TMA cannot address, PTX2104 for empty matrices, PTX2112 for another
        word as `b_layout` and for a `config` or an `activation` that cannot be, and what `Kernel.launch` raises.
    """
    prepare(
        a, b, c, b_layout=b_layout, config=config, activation=activation, explain=explain, device=device, stream=stream
    )()


def prepare(
    a: Any,
    b: Any,
    c: Any,
    *,
    b_layout: BLayout = "kn",
    config: Tiling | str | None = None,
    activation: Epilogue | None = None,
    explain: bool = False,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`gemm`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same."""
    p = problem(a, b, c, b_layout, dtypes=("bfloat16", "float16"))
    t = _tiling(p, config)
    if activation is not None and not callable(activation):
        raise Diagnostic(
            "PTX2112",
            f"{activation!r} is no activation.",
            help="give a function of the builder and a register, e.g. ptxlab.kernels.blocks.epilogue.relu",
            origin=user_span(),
        )
    if explain:
        print(explained(p.shape, t), file=sys.stderr)
    kernel, args = _kernel(p, t, activation)
    return kernel.prepare(grid=(_ctas(p, t), 1, 1), args=args, device=device, stream=stream)


def _tiling(p: Problem, config: Tiling | str | None) -> Tiling:
    """The tiling that is asked for, or the one that should be fastest."""
    found = choose(p.shape) if config is None else Tiling.named(config) if isinstance(config, str) else config
    return found.fitted(p.c.itemsize, p.depth, p.b_major)


def _kernel(p: Problem, t: Tiling, activation: Epilogue | None) -> tuple[px.Kernel, list[Any]]:
    """The kernel and its arguments."""
    sides = [("A", p.a, "K", p.m), ("B", p.b, p.b_major, p.n)]
    left, right = reversed(sides) if t.swapped else sides
    maps = [
        p.map(name, array, _box(major, lines), l2_promotion=L2_PROMOTION)
        for (name, array, major, _), lines in ((left, t.rows), (right, t.columns))
    ]
    sizes = (left[3], right[3], p.depth)
    by_tma, direct = kernels(t.consumers, t.splits)
    if p.tma_can_store:
        kernel, args = by_tma, [*maps, p.map("C", p.c, t.box(p.c.itemsize)), *sizes]
    else:
        kernel, args = direct, [*maps, p.c, *sizes, p.pitch]
    majors = (left[2], right[2])
    types = {"dtype": TYPES[p.a.dtype], "out": TYPES[p.c.dtype]}
    return kernel.specialise(tiling=t, majors=majors, epilogue=activation, **types), args


def _box(major: str, lines: int) -> tuple[int, int]:
    """The box by which an operand is loaded, in the order of its rows and columns."""
    return (lines, TILE_K) if major == "K" else (TILE_K, min(lines, TILE_K))


def _ctas(p: Problem, t: Tiling) -> int:
    """One for each SM, or fewer where there are fewer tiles; where clusters share tiles, as many as they need."""
    tiles = t.tiles(p.m, p.n)
    return tiles * t.splits if t.splits > 1 else min(tiles, p.multiprocessors)
