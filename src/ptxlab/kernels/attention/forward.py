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
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, Launch, device_of, user_span
from ptxlab.kernels.attention.arrays import Kind, arguments, kinds_of, received
from ptxlab.kernels.attention.call import FP8, TYPES, Options, Problem, mapped, problem
from ptxlab.kernels.attention.consumer import Consumer
from ptxlab.kernels.attention.program import Program, Rooms, produce
from ptxlab.kernels.attention.scores import Band, Bounds, Score
from ptxlab.kernels.attention.sequences import CheckedLaunch, Offsets
from ptxlab.kernels.attention.tiling import REGISTERS, ROWS, Tiling, choose, span
from ptxlab.kernels.attention.transposed import room_of, transposing
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.gemm_repack import LaunchSequence

DESCALE = Kind("f32", 2)
"""Scales of Q, K or V, of each batch and head."""
SINKS: dict[str, type[px.Register]] = {**TYPES, "float32": px.f32}
L2_BYTES = 32 << 20
"""Of keys and values that heads which run at one time may have together."""


@cache
def kernel(
    consumers: int,
    *,
    logarithms: bool,
    sinks: type[px.Register] | None = None,
    packed: bool = False,
    descales: bool = False,
    arrays: tuple[Kind, ...] = (),
) -> px.Kernel:
    """The kernel for so many consumers.

    Args:
        logarithms: whether it has a parameter for those of sums of exponentials. sinks: of which type there are some.
        packed: whether it has parameters for offsets of sequences. descales: whether it has some for scales of Q, K and V.
        arrays: that a function of scores reads.
    """
    kinds = (*([DESCALE] * 3 if descales else []), *arrays)
    extras = [
        *([Extra("lse", px.Ptr[px.f32])] if logarithms else []),
        *([Extra("sinks", px.Ptr[sinks])] if sinks else []),
        *([Extra("q_offsets", px.Ptr[px.s32]), Extra("k_offsets", px.Ptr[px.s32])] if packed else []),
        *(x for i, kind in enumerate(kinds) for x in kind.parameters(i)),
    ]
    names = [x.name for x in extras]

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
        held: px.u32,
        left: px.s32,
        right: px.s32,
        scale: px.f32,
        *more: Any,
        tiling: Tiling,
        depth: int,
        value_depth: int | None = None,
        dtype: type[px.Register] = px.bf16,
        made: type[px.Register] | None = None,
        bounds: Bounds = Bounds(),
        score: Score | None = None,
        scales_first: bool = False,
    ) -> None:
        given = dict(zip(names, more, strict=True))
        band = Band(k, bounds, length, length - rows, left, right)
        offsets = (Offsets(k, given["q_offsets"], rows), Offsets(k, given["k_offsets"], length)) if packed else None
        read = received(k, kinds, [given[x.name] for i, kind in enumerate(kinds) for x in kind.parameters(i)])
        program = Program(
            k,
            tiling,
            depth,
            value_depth or depth,
            dtype,
            made or dtype,
            queries=q,
            keys=keys,
            values=values,
            results=o,
            rows=rows,
            lines=lines,
            heads=heads,
            group=group,
            held=held,
            band=band,
            scale=scale,
            scales_first=scales_first,
            score=score,
            logarithms=given.get("lse"),
            sinks=given.get("sinks"),
            arrays=read[3 if descales else 0 :],
            descales=read[: 3 if descales else 0],
            offsets=offsets,
        )
        rooms = Rooms(program)
        k.init_barriers()
        loads, computes = REGISTERS[tiling.consumers]
        with k.roles():
            with k.role(warpgroup=0, registers=loads), k.if_(k.warp == 0), k.elect():
                produce(program, rooms)
            with k.role(warpgroup=range(1, 1 + tiling.consumers), registers=computes):
                Consumer(program, rooms).run()

    threads, strided = Tiling(consumers=consumers).threads, [x.name for x in extras if x.strided]
    return px.kernel(target="sm_90a", threads=threads, strided=strided, name="attention")(extended(attend, extras))


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
    q_scale: Any = None,
    k_scale: Any = None,
    v_scale: Any = None,
    sinks: Any = None,
    q_offsets: Any = None,
    k_offsets: Any = None,
    score: Score | None = None,
    score_args: Sequence[Any] = (),
    layout: Literal["bhsd", "bshd"] = "bhsd",
    config: Tiling | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """O = softmax(Q · Kᵀ · scale) · V for each head: in the simulator on NumPy arrays, on the GPU on CUDA arrays.

    The last query stands at the last key: query i at key i + (keys - queries). A query that sees no key gets zeros, and
    -inf as lse. Keys that a mask hides may be anything; values may not be infinite or no numbers there.

    Args:
        q: bf16, f16 or fp8 (e4m3), batches × heads × rows × depth. The depth is a multiple of 8 up to 256. Elements of a head
            are neighbours, other strides are multiples of 16 bytes.
        k: of q's type, with the same batches and depth. The heads of q are a multiple of theirs: neighbours share keys.
        v: of k's shape but for the depth, which is any multiple of 8 up to 256.
        o: of q's shape but for the depth, which is that of v; it is overwritten. Of q's type; bf16 or f16 for fp8.
        lse: float32, batches × heads × rows, contiguous: gets the natural logarithm of each row's sum of exponentials.
        q_scale, k_scale, v_scale: of fp8: what numbers are multiplied by, float32, a positive one for all, for each head, or
            for each batch and head; left out: 1.
        sinks: a logit for each head of q, float32 or of o's type, which takes part in the softmax as a key without a value would.
            It is not scaled, and lse includes it. A query that sees no key then has it as lse.
        q_offsets, k_offsets: int32, where packed sequences begin, and where the last one ends: q, k, v and o are then rows ×
            heads × depth, and lse is heads × rows. Sequences may be empty; rows that belong to none are not written. All masks
            count from the ends of a sequence. NumPy's are checked at each launch; a GPU cuts them to the rows that there are.
        causal: a query sees no keys behind its own; as window=(…, 0).
        window: how many keys a query sees to the left and to the right of its own; None: all.
        scale: of scores; default: 1 / √depth.
        score: a function of the builder, a scaled score (px.f32) and its `ScorePlace` that gives the new score, in the language;
            `softcap` is one. It is called for each score of the lane while the kernel is traced.
        score_args: arrays that it reads, each as one more argument, a `ScoreArray`: float32, bf16, f16 or int32, any strides.
        layout: "bhsd", or "bshd" where all have the axes batches × rows × heads × depth.
        config: how the work is cut; default: `choose`.
        device, stream: as in `Kernel.launch`.

    Raises: Diagnostic PTX2308 where shapes do not belong together and for another depth, PTX2307 for other dtypes, PTX2309 for
        elements that are not neighbours, PTX2112 for another layout or window and a `config` that cannot be, PTX2305 for a scale
        that is no number, PTX2324 for offsets that descend or exceed the rows, PTX2104 for empty arrays, PTX2101 and PTX2102 for
        arrays that TMA cannot address, and what `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.attention import attention

        def alibi(k, x, at, slopes):
            \"\"\"The farther a key, the less it counts; each head has a slope of its own.\"\"\"
            return k.fma.rn.f32(k.cvt.rn.f32.s32(at.key - at.query), slopes[at.head], x)

        q, o = px.empty((1, 4, 40, 64), "bf16"), px.empty((1, 4, 40, 64), "bf16")
        k, v = px.empty((1, 2, 40, 64), "bf16"), px.empty((1, 2, 40, 64), "bf16")
        q[...], k[...], v[...] = 1, 1, np.arange(40)[:, None]

        attention(q, k, v, o, causal=True)
        print(o[0, 0, :3, 0])  # [0 0.5 1]
        attention(q, k, v, o, causal=True, score=alibi, score_args=(np.full(4, 0.5, np.float32),))
        print(float(o[0, 0, 1, 0]))  # 0.62109375

        packed = [x[0].transpose(1, 0, 2) for x in (q, k, v, o)]  # rows × heads × depth
        ends = np.array([0, 30, 30, 40], np.int32)  # 30 rows, none, and 10
        attention(*packed, q_offsets=ends, k_offsets=ends, causal=True)
        print(o[0, 0, 30:33, 0])  # [30 30.5 31]
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
        q_scale=q_scale,
        k_scale=k_scale,
        v_scale=v_scale,
        sinks=sinks,
        q_offsets=q_offsets,
        k_offsets=k_offsets,
        score=score,
        score_args=score_args,
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
    q_scale: Any = None,
    k_scale: Any = None,
    v_scale: Any = None,
    sinks: Any = None,
    q_offsets: Any = None,
    k_offsets: Any = None,
    score: Score | None = None,
    score_args: Sequence[Any] = (),
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
    more: dict[str, Any] = {"sinks": sinks, "offsets": (q_offsets, k_offsets), "arrays": score_args}
    more["descales"] = (q_scale, k_scale, v_scale)
    options = Options(layout, causal, window, scale, **more)
    p = problem((q, k, v, o), lse, options)
    if p.arrays and score is None:
        help = "give score= a function that reads them"
        raise Diagnostic("PTX2112", "There are score_args, but no score.", help=help, origin=user_span())
    item = p.q.itemsize
    t = config or choose(p.depth, value_depth=p.value_depth, bounded=p.bounds != Bounds(), item=item)
    t.check(p.depth, p.value_depth, item)
    first = score is not None or p.scale <= 0  # a maximum before a scale below 0 would be a minimum behind it
    logits = None if p.sinks is None else SINKS[p.sinks.dtype]
    chosen = kernel(
        t.consumers,
        logarithms=p.lse is not None,
        sinks=logits,
        packed=p.packed is not None,
        descales=bool(p.descales),
        arrays=kinds_of(p.arrays),
    ).specialize(
        tiling=t,
        depth=p.depth,
        value_depth=p.value_depth,
        dtype=px.e4m3 if p.q.dtype == FP8 else TYPES[p.q.dtype],
        made=TYPES[p.o.dtype],
        bounds=p.bounds,
        score=score,
        scales_first=first,
    )
    turned = room_of(p.v) if p.q.dtype == FP8 else None
    values = p.map("V", t.keys) if turned is None else _map_of_turned(turned, t.keys)
    maps = [p.map("Q", ROWS), p.map("K", t.keys), values, p.map("O", ROWS)]
    offsets = [p.packed.queries, p.packed.keys] if p.packed else []
    scales = [a for x, *strides in p.descales for a in (x, p.q.shape[0], p.q.shape[1], *strides)]
    arrays = [a for x in p.arrays for a in arguments(x)]
    extra = [*(x for x in (p.lse, p.sinks) if x is not None), *offsets, *scales, *arrays]
    args = [*maps, *_numbers(p), p.scale * (1 if first else math.log2(math.e)), *extra]
    grid = (min(p.tiles(t.rows), device_of(p.o).sm_count), 1, 1)
    buffers = (p.q, p.k, p.v if turned is None else turned, p.o)
    launch = chosen.prepare(grid=grid, args=args, buffers=buffers, device=device, stream=stream)
    if turned is not None:
        return LaunchSequence([transposing(p.v, turned, device=device, stream=stream), launch])
    return CheckedLaunch(launch, p.packed) if p.packed else launch


def _map_of_turned(v: ArrayView, keys: int) -> px.BoundMap:
    """The map by which blocks of V transposed are loaded."""
    return mapped("V", v, v.shape[2], span(keys, v.itemsize))


def _numbers(p: Problem) -> list[int]:
    """What the kernel takes between the maps and the scale."""
    heads, rows, length = p.q.shape[1], p.q.shape[2], p.k.shape[2]
    held = L2_BYTES // ((p.depth + p.value_depth) * p.k.itemsize)
    return [rows, length, p.lines, heads, p.group, held, p.left or 0, p.right or 0]
