"""`gemm`: the matrix product C = A · B on Hopper's tensor cores, for all shapes and types that wgmma multiplies, with epilogues.

The kernel is a family. A `Tiling` says how a product is cut, and `choice.choose` takes the one that should be fastest. All have
the same structure:

- The kernel is persistent: each CTA computes one tile of C after the other. Tiles are numbered in groups of 16 rows of tiles, so
  that those computed at the same time share rows of A and columns of B in the L2 cache.
- It is warp-specialized: one thread of warpgroup 0 loads stages of 64 steps along K by TMA into a ring, and does not stop at the
  end of a tile. The other warpgroups multiply, and get the registers that warpgroup 0 does not need.
- Two wgmma groups are in flight: a stage is released after the wgmma of the next stage has been issued.
- Results go through shared memory to C by TMA while the next tile is multiplied (`blocks.store`). Where rows of C are no multiple
  of 16 bytes, threads store the elements themselves.

Where M is small, the kernel computes Cᵀ = Bᵀ · Aᵀ (`Tiling.swapped`): M becomes the N of wgmma, which may be as small as 8. Where
there are fewer tiles than SMs, the CTAs of a cluster split the sum along K and add their parts in a fixed order
(`blocks.exchange`). Where rows begin at odd multiples of 16 bytes, two CTAs of a cluster share their loads, since such rows cost
the L2 cache four times the requests (`Tiling.cluster`).

docs/reference/bench-kernels.md says what each of these choices is worth, and what else was tried.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import Diagnostic, Launch
from ptxlab.kernels.blocks import tuned
from ptxlab.kernels.blocks.choice import choose, explained, time_of
from ptxlab.kernels.blocks.epilogue import Epilogue, Function, epilogue_of
from ptxlab.kernels.blocks.finish import Finish, Planned
from ptxlab.kernels.blocks.mainloop import Operand, Operands
from ptxlab.kernels.blocks.product import Product, multiply
from ptxlab.kernels.blocks.promotion import Scales
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.blocks.store import DirectStore, TmaStore
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm_call import L2_PROMOTION, TYPES, BLayout, Problem, operand_box, problem
from ptxlab.kernels.gemm_degenerate import EmptyProduct, zero_depth
from ptxlab.kernels.gemm_inputs import GemmInputs, inputs_of
from ptxlab.kernels.gemm_repack import CTAS_PER_SM, LaunchSequence, readable, repacking

BRIEF = 12.0
"""Microseconds below which the CTAs of the next kernel may come before this one has ended."""


@cache
def kernels(consumers: int, ctas: int, extras: tuple[Extra, ...] = ()) -> tuple[px.Kernel, px.Kernel]:
    """The kernels for so many consumers and CTAs of a cluster: one that stores by TMA, one that stores single elements.

    Args:
        extras: further parameters, for what epilogues and scales read.
    """
    threads, cluster = Tiling(consumers=consumers).threads, None if ctas == 1 else (ctas, 1, 1)

    def by_tma(
        k: px.Builder,
        left: px.TensorMap,
        right: px.TensorMap,
        c: px.TensorMap,
        rows: px.u32,
        columns: px.u32,
        depth: px.u32,
        *more: Any,
        tiling: Tiling,
        majors: tuple[str, str],
        types: tuple[type[px.Register], type[px.Register]] = (px.bf16, px.bf16),
        out: type[px.Register] = px.bf16,
        epilogue: tuple[Planned, ...] = (),
        scales: Scales | None = None,
        launches_dependents: bool = False,
    ) -> None:
        given = (Operand(left, majors[0], types[0]), Operand(right, majors[1], types[1]))
        made = _product(k, tiling, given, sizes=(rows, columns, depth), scales=scales, more=more)
        made = replace(made, launches_dependents=launches_dependents)
        rest = more[len(made.arguments) :]
        finish = Finish(k, tiling, epilogue, arguments=rest, extents=(rows, columns), out=out)
        multiply(made, TmaStore(k, c, out, tiling, finish))

    def direct(
        k: px.Builder,
        left: px.TensorMap,
        right: px.TensorMap,
        c: px.Ptr[px.b8],
        rows: px.u32,
        columns: px.u32,
        depth: px.u32,
        pitch: px.u64,
        *more: Any,
        tiling: Tiling,
        majors: tuple[str, str],
        types: tuple[type[px.Register], type[px.Register]] = (px.bf16, px.bf16),
        out: type[px.Register] = px.bf16,
        epilogue: tuple[Planned, ...] = (),
        scales: Scales | None = None,
        launches_dependents: bool = False,
    ) -> None:
        given = (Operand(left, majors[0], types[0]), Operand(right, majors[1], types[1]))
        made = _product(k, tiling, given, sizes=(rows, columns, depth), scales=scales, more=more)
        made = replace(made, launches_dependents=launches_dependents)
        rest = more[len(made.arguments) :]
        finish = Finish(k, tiling, epilogue, arguments=rest, extents=(rows, columns), out=out)
        multiply(made, DirectStore(k, c, pitch, out, tiling, finish))

    strided = [extra.name for extra in extras if extra.strided]
    options: dict[str, Any] = {"target": "sm_90a", "threads": threads, "cluster": cluster}
    return (
        px.kernel(**options, strided=strided, name="gemm_tma")(extended(by_tma, extras)),
        px.kernel(**options, strided=["c", *strided], name="gemm_direct")(extended(direct, extras)),
    )


def _product(
    k: px.Builder,
    tiling: Tiling,
    given: tuple[Operand, Operand],
    *,
    sizes: tuple[Any, Any, Any],
    scales: Scales | None,
    more: Sequence[Any],
) -> Product:
    """What the kernel's parameters mean; `more` are those for scales and for an epilogue."""
    rows, columns, depth = sizes
    gap = (rows if tiling.swapped else columns) if tiling.gated else None
    count = scales.arguments if scales else 0
    return Product(Operands(k, tiling, *given, gap), rows, columns, depth, scales, more[:count])


def gemm(
    a: Any,
    b: Any,
    c: Any,
    *,
    b_layout: BLayout = "kn",
    config: Tiling | str | None = None,
    epilogue: Epilogue | Function | None = None,
    scale_a: Any = None,
    scale_b: Any = None,
    explain: bool = False,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """C = A · B: in the simulator on NumPy arrays, on the GPU on CUDA arrays (torch, CuPy, JAX …).

    Args:
        a: M × K, of bf16, f16, f32 (multiplied as tf32), int8, uint8 or fp8 (e4m3, e5m2).
        b: K × N; with b_layout="nk" N × K, and C = A · Bᵀ. Of the same type, or of the other one of int8 and uint8, or of fp8.
            Either matrix may be a transposed view: `gemm(a, w.T, c)` and `gemm(a, w, c, b_layout="nk")` are the same.
        c: M × N, of bf16, f16, f32 or fp8, or int32 for integers; it is overwritten. Numbers too large for fp8 become the largest.
        config: how the product is cut, e.g. "128x256-2c" or a `Tiling`; default what `ptxlab tune` found to be fastest on this
            GPU, or else what should be for these sizes.
        epilogue: what becomes of each sum before it is stored: `blocks.epilogue` has some, and says how to write one.
        scale_a, scale_b: what A and B are multiplied by: a number, or an array of float32 of one element, of M (for A) or N (for
            B), or for fp8 of blocks: one element for each 128 steps along K, and for each line or each 128 lines across it. Those
            of each line are read fastest where neighbours lie across K: `scale.t().contiguous().t()` in torch.
        explain: print what was chosen, and what else there is.
        device, stream: as in `Kernel.launch`.

    Rows of A, B (columns, where it is a transposed view) and C have neighbouring elements and may be padded. Those of C may start
    anywhere, and bytes between rows are not written. A or B is copied before each product where TMA cannot read it, as its rows do
    not start at multiples of 16 bytes, or wgmma, as neighbouring elements of 8 or 32 bits lie across K; `explain=` says so.

    C without elements is left alone; with K = 0 the sums are zeros.

    Raises: Diagnostic PTX2308 where ranks or shapes do not belong together, PTX2307 for other dtypes, PTX2309 for elements that
        are not neighbours, PTX2112 for another word as `b_layout` and for a
        `config` or an `epilogue` that cannot be, and what `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.gemm import gemm, prepare

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        gemm(a, b, c)
        print((c == 256).all())  # True
    """
    prepare(
        a,
        b,
        c,
        b_layout=b_layout,
        config=config,
        epilogue=epilogue,
        scale_a=scale_a,
        scale_b=scale_b,
        explain=explain,
        device=device,
        stream=stream,
    )()


def prepare(
    a: Any,
    b: Any,
    c: Any,
    *,
    b_layout: BLayout = "kn",
    config: Tiling | str | None = None,
    epilogue: Epilogue | Function | None = None,
    scale_a: Any = None,
    scale_b: Any = None,
    explain: bool = False,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`gemm`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.gemm import gemm, prepare

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        product = prepare(a, b, c, config="64x64-1c")
        product()
        print((c == 256).all())  # True
    """
    wanted = epilogue_of(epilogue)
    p = problem(a, b, c, b_layout, gated=any(step.kind == "gate" for step in wanted.steps))
    inputs = inputs_of(p, wanted, (scale_a, scale_b), b_layout)
    if 0 in p.c.shape:
        return EmptyProduct(p.c)
    p, copies = readable(zero_depth(p) if p.depth == 0 else p)
    t = with_staging(p, fitting(p, config, promoted=inputs.promoted, per_line=inputs.per_line), inputs)
    if explain:
        copied = [f"  {name.upper()} is copied first, to rows that TMA and wgmma can read" for name, *_ in copies]
        shape = p.shape(promoted=inputs.promoted, per_line=inputs.per_line)
        kept = ["  ptxlab tune has measured it"] if config is None and tuned.chosen(p.c, shape) else []
        print("\n".join([explained(shape, t), *kept, *copied]), file=sys.stderr)
    kernel, args = specialized(p, t, inputs)
    product = kernel.prepare(grid=(_ctas(p, t), 1, 1), args=args, buffers=p.arrays, device=device, stream=stream)
    if not copies:
        return product
    ctas = p.multiprocessors * CTAS_PER_SM
    return LaunchSequence(
        [*(repacking(x, room, turned, ctas, device=device, stream=stream) for _, x, room, turned in copies), product]
    )


def fitting(p: Problem, config: Tiling | str | None, *, promoted: bool, per_line: str = "") -> Tiling:
    """The tiling that is asked for, or the one that was measured to be fastest on this GPU, or that should be."""
    shape = p.shape(promoted=promoted, per_line=per_line)
    if config is None:
        return (tuned.chosen(p.c, shape) or choose(shape)).fitted(p.c.itemsize, p.depth, p.b_major, p.a_major)
    named = Tiling.named(config) if isinstance(config, str) else config
    return shape.cut(named).fitted(p.c.itemsize, p.depth, p.b_major, p.a_major)


def with_staging(p: Problem, t: Tiling, inputs: GemmInputs) -> Tiling:
    """The tiling with room for all boxes of a tile, where what lies under them can come there; else as it is."""
    if inputs.staged(t, wanted=True) is None:
        return t
    try:
        wide = replace(t, together=t.boxes(p.c.itemsize), stages=0)
        return wide.fitted(p.c.itemsize, p.depth, p.b_major, p.a_major)
    except Diagnostic:
        return t


def specialized(p: Problem, t: Tiling, inputs: GemmInputs) -> tuple[px.Kernel, list[Any]]:
    """The kernel and its arguments."""
    sides = [("A", p.a, p.a_major, p.m), ("B", p.b, p.b_major, p.n)]
    left, right = reversed(sides) if t.swapped else sides
    gates = (1, 2) if t.gated and not t.swapped else (2 * t.consumers, 1) if t.gated else t.cluster[::-1]
    maps = [
        p.map(name, array, operand_box(major, lines // pieces, t.step), l2_promotion=L2_PROMOTION)
        for (name, array, major, _), lines, pieces in ((left, t.rows, gates[0]), (right, t.columns, gates[1]))
    ]
    sizes = (left[3], right[3], p.depth)
    made = inputs.for_tiling(t)
    by_tma, direct = kernels(t.consumers, t.ctas, made.extras)
    if p.tma_can_store:
        kernel, args = by_tma, [*maps, p.map("C", p.c, t.box(p.c.itemsize)), *sizes, *made.arguments]
    else:
        kernel, args = direct, [*maps, p.c, *sizes, p.pitch, *made.arguments]
    types = (TYPES[left[1].dtype], TYPES[right[1].dtype])
    chosen = kernel.specialize(
        tiling=t,
        majors=(left[2], right[2]),
        types=types,
        out=TYPES[p.c.dtype],
        epilogue=made.plan,
        scales=made.scales,
        launches_dependents=time_of(p.shape(promoted=t.promoted), t) < BRIEF,
    )
    return chosen, args


def _ctas(p: Problem, t: Tiling) -> int:
    """One for each SM, or fewer where there are fewer tiles; where clusters share tiles, as many as they need."""
    tiles = t.tiles(p.m, p.n * p.per_result)
    most = max(p.multiprocessors - p.multiprocessors % t.ctas, t.ctas)
    return tiles * t.splits if t.splits > 1 else min(tiles, most)
