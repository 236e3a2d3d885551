"""`attention`: softmax(Q · Kᵀ · scale) · V on Hopper's tensor cores, without the scores ever being in memory.

- The kernel is persistent: a CTA computes a tile of queries after the other. Heads that run at one time are neighbours, which share
  keys and values in the L2 cache, and each CTA gets its share of the tiles to which a mask leaves many keys (`Tiles`).
- It is warp-specialized: one thread loads queries, and blocks of K and V into rings, by TMA. One to three consumer warpgroups have
  64 queries each.
- Exponentials overlap with products twice: within a warpgroup and between warpgroups (`consumer`, `Tiling`).
- Only blocks of keys of which some are invisible are masked; those of which all are, are not loaded.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal

import ptxlab as px
from ptxlab import Launch, device_of
from ptxlab.kernels.attention.call import TYPES, Options, Problem, problem
from ptxlab.kernels.attention.consumer import Consumer
from ptxlab.kernels.attention.program import Program, Rooms, Tiles, produce
from ptxlab.kernels.attention.scores import Band, Bounds, Score
from ptxlab.kernels.attention.tiling import REGISTERS, ROWS, Tiling, choose
from ptxlab.kernels.blocks.signature import Extra, extended

L2_BYTES = 32 << 20
"""Of keys and values that heads which run at one time may have together."""


@cache
def kernel(consumers: int, *, logarithms: bool) -> px.Kernel:
    """The kernel for so many consumers; `logarithms`: whether it has a parameter for those of sums of exponentials."""

    def attend(
        k: px.Builder,
        q: px.TensorMap,
        keys: px.TensorMap,
        values: px.TensorMap,
        o: px.TensorMap,
        rows: px.s32,
        length: px.s32,
        lines: px.u32,
        heads: px.u32,
        group: px.u32,
        section: px.u32,
        left: px.s32,
        right: px.s32,
        scale: px.f32,
        *more: Any,
        tiling: Tiling,
        depth: int,
        dtype: type[px.Register] = px.bf16,
        bounds: Bounds = Bounds(),
        score: Score | None = None,
        scales_first: bool = False,
    ) -> None:
        band = Band(k, bounds, length, length - rows, left, right)
        program = Program(
            k,
            tiling,
            depth,
            dtype,
            queries=q,
            keys=keys,
            values=values,
            results=o,
            tiles=Tiles(k, tiling.rows, rows, lines, heads, section),
            group=group,
            band=band,
            scale=scale,
            scales_first=scales_first,
            score=score,
            logarithms=more[0] if more else None,
        )
        rooms = Rooms(program)
        k.init_barriers()
        loads, computes = REGISTERS[tiling.consumers]
        with k.roles():
            with k.role(warpgroup=0, registers=loads), k.if_(k.warp == 0), k.elect():
                produce(program, rooms)
            with k.role(warpgroup=range(1, 1 + tiling.consumers), registers=computes):
                Consumer(program, rooms).run()

    extras = (Extra("lse", px.Ptr[px.f32]),) if logarithms else ()
    threads = Tiling(consumers=consumers).threads
    return px.kernel(target="sm_90a", threads=threads, name="attention")(extended(attend, extras))


def attention(
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    *,
    lse: Any = None,
    causal: bool = False,
    window: tuple[int | None, int | None] = (None, None),
    scale: float | None = None,
    score: Score | None = None,
    layout: Literal["bhsd", "bshd"] = "bhsd",
    config: Tiling | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """O = softmax(Q · Kᵀ · scale) · V for each head: in the simulator on NumPy arrays, on the GPU on CUDA arrays.

    The last query stands at the last key: query i at key i + (keys - queries). A query that sees no key gets zeros, and
    -inf as lse. Keys that a mask hides may be anything; values may not be infinite or no numbers there.

    Args:
        q: bf16 or f16, batches × heads × rows × depth. The depth is a multiple of 8 up to 256. Elements of a head are neighbours,
            other strides are multiples of 16 bytes.
        k, v: of q's type, with the same batches and depth. The heads of q are a multiple of theirs: neighbours share keys.
        o: of q's type and shape; it is overwritten.
        lse: float32, batches × heads × rows, contiguous: gets the natural logarithm of each row's sum of exponentials.
        causal: a query sees no keys behind its own; as window=(…, 0).
        window: how many keys a query sees to the left and to the right of its own; None: all.
        scale: of scores; default: 1 / √depth.
        score: a function of the builder, a scaled score (px.f32) and its `ScorePlace` that gives the new score, in the language;
            `softcap` is one. It is called for each score of the lane while the kernel is traced.
        layout: "bhsd", or "bshd" where all have the axes batches × rows × heads × depth.
        config: how the work is cut; default: `choose`.
        device, stream: as in `Kernel.launch`.

    Raises: Diagnostic PTX2308 where shapes do not belong together and for another depth, PTX2307 for other dtypes, PTX2309 for
        elements that are not neighbours, PTX2112 for another layout or window and a `config` that cannot be, PTX2305 for a scale
        that is no number, PTX2104 for empty arrays, PTX2101 and PTX2102 for arrays that TMA cannot address, and what
        `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.attention import attention

        def alibi(k, x, at):
            \"\"\"The farther a key, the less it counts.\"\"\"
            return k.fma.rn.f32(k.cvt.rn.f32.s32(at.key - at.query), 0.5, x)

        q, o = px.empty((1, 4, 40, 64), "bf16"), px.empty((1, 4, 40, 64), "bf16")
        k, v = px.empty((1, 2, 40, 64), "bf16"), px.empty((1, 2, 40, 64), "bf16")
        q[...], k[...], v[...] = 1, 1, np.arange(40)[:, None]

        attention(q, k, v, o, causal=True)
        print(o[0, 0, :3, 0])  # [0 0.5 1]
        attention(q, k, v, o, causal=True, score=alibi)
        print(float(o[0, 0, 1, 0]))  # 0.62109375
    """
    prepare(
        q,
        k,
        v,
        o,
        lse=lse,
        causal=causal,
        window=window,
        scale=scale,
        score=score,
        layout=layout,
        config=config,
        device=device,
        stream=stream,
    )()


def prepare(
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    *,
    lse: Any = None,
    causal: bool = False,
    window: tuple[int | None, int | None] = (None, None),
    scale: float | None = None,
    score: Score | None = None,
    layout: Literal["bhsd", "bshd"] = "bhsd",
    config: Tiling | None = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`attention`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.attention import prepare

        q, k, v, o = (px.empty((1, 1, 16, 64), "bf16") for _ in range(4))
        for x in (q, k, v):
            x[...] = 1
        attend = prepare(q, k, v, o)
        attend()
        print((o == 1).all())  # True
    """
    p = problem((q, k, v, o), lse, Options(layout, causal, window, scale))
    t = config or choose(p.depth, bounded=p.bounds != Bounds())
    t.check(p.depth)
    first = score is not None or p.scale <= 0  # a maximum before a scale below 0 would be a minimum behind it
    chosen = kernel(t.consumers, logarithms=p.lse is not None).specialize(
        tiling=t, depth=p.depth, dtype=TYPES[p.q.dtype], bounds=p.bounds, score=score, scales_first=first
    )
    maps = [p.map("Q", ROWS), p.map("K", t.keys), p.map("V", t.keys), p.map("O", ROWS)]
    args = [*maps, *_numbers(p), p.scale * (1 if first else math.log2(math.e)), *([] if p.lse is None else [p.lse])]
    tiles = p.lines * -(-p.q.shape[2] // t.rows)
    grid = (min(tiles, device_of(p.o).sm_count), 1, 1)
    return chosen.prepare(grid=grid, args=args, buffers=(p.q, p.k, p.v, p.o), device=device, stream=stream)


def _numbers(p: Problem) -> list[int]:
    """What the kernel takes between the maps and the scale."""
    (_, heads, rows, depth), length = p.q.shape, p.k.shape[2]
    together = max(1, L2_BYTES // (2 * length * depth * p.q.itemsize)) * p.group
    return [rows, length, p.lines, heads, p.group, min(together, p.lines), p.left or 0, p.right or 0]
