"""`attention_backward`: the gradients of attention, deterministic, without scores ever being in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import ptxlab as px
from ptxlab import ArrayView, Launch, device_of
from ptxlab.kernels.attention.backward.call import Gradients, gradients
from ptxlab.kernels.attention.backward.consumer import Consumer
from ptxlab.kernels.attention.backward.finish import finishing
from ptxlab.kernels.attention.backward.fused import FusedConsumer, FusedRooms, Sheet, assist
from ptxlab.kernels.attention.backward.memory import Memory
from ptxlab.kernels.attention.backward.program import Program, Rooms, Sums, produce
from ptxlab.kernels.attention.backward.scores import ScoreGradient, Scoring, gradient_of
from ptxlab.kernels.attention.backward.statistics import preparing
from ptxlab.kernels.attention.backward.tiling import Cut, Tiling, check, choose, registers
from ptxlab.kernels.attention.backward.walk import Walk
from ptxlab.kernels.attention.call import TYPES, Options
from ptxlab.kernels.attention.forward import L2_BYTES
from ptxlab.kernels.attention.program import Tiles
from ptxlab.kernels.attention.scores import Band, Bounds, Score
from ptxlab.kernels.attention.tiling import ROWS
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.gemm_call import zeroed
from ptxlab.kernels.gemm_repack import LaunchSequence


@cache
def kernel(consumers: int, sums: Sums) -> px.Kernel:
    """The kernel for so many consumers that computes these sums."""

    def differentiate(
        k: px.Builder,
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
        cut: Cut,
        depth: int,
        dtype: type[px.Register] = px.bf16,
        bounds: Bounds = Bounds(),
        score: Score | None = None,
        gradient: ScoreGradient | None = None,
        paired: bool = False,
    ) -> None:
        given = dict(zip(names, more, strict=True))
        band = Band(k, bounds, length, length - rows, left, right)
        if sums.moves:
            tiles = Walk(k, cut, length, lines, heads, band.mirrored(), paired=paired)
        else:
            down = length if sums.of_keys else rows
            tiles = Tiles(k, cut.rows, down, lines, heads, section, last_is_longest=not sums.of_keys)
        program = Program(
            k,
            sums,
            cut,
            depth,
            dtype,
            held=[given[x] for x in names if x.startswith("held")],
            streamed=[given["first"], given["second"]],
            results=[given[x] for x in names if x.endswith("_sums")],
            statistics=given["statistics"],
            pitch=given.get("pitch"),
            tiles=tiles,
            group=group,
            band=band.mirrored() if sums.of_keys else band,
            scoring=Scoring(k, scale, score, gradient),
        )
        rooms = FusedRooms(program, Sheet(k, given["counters"], given["sums"])) if sums.moves else Rooms(program)
        k.init_barriers()
        loads, computes = registers(cut.consumers, both=sums.slopes and sums.weights)
        with k.roles():
            with k.role(warpgroup=0, registers=loads):
                with k.if_(k.warp == 0), k.elect():
                    produce(program, rooms)
                if isinstance(rooms, FusedRooms):
                    with k.else_():
                        assist(program, rooms, rows)
            with k.role(warpgroup=range(1, 1 + cut.consumers), registers=computes):
                if isinstance(rooms, FusedRooms):
                    FusedConsumer(program, rooms, given["factor"]).run()
                else:
                    Consumer(program, rooms, given.get("factor")).run()

    extras = _extras(sums)
    names = [x.name for x in extras]
    threads, strided = Cut(consumers=consumers).threads, [x.name for x in extras if x.strided]
    return px.kernel(target="sm_90a", threads=threads, strided=strided, name=_name(sums))(
        extended(differentiate, extras)
    )


def _extras(sums: Sums) -> list[Extra]:
    """The parameters that depend on what is added up."""
    maps = ["held_first", *(["held_second"] if sums.slopes else []), "first", "second"]
    maps += [name for name, there in (("slope_sums", sums.slopes), ("weight_sums", sums.weights)) if there]
    factor = [Extra("factor", px.f32)] if sums.slopes else []
    if sums.of_keys:
        moved = [Extra("counters", px.Ptr[px.u32]), Extra("sums", px.Ptr[px.f32])] * sums.moves
        return [*factor, *(Extra(name, px.TensorMap) for name in (*maps, "statistics")), *moved]
    pointer = [Extra("pitch", px.u32), Extra("statistics", px.Ptr[px.f32], strided=True)]
    return [*factor, *(Extra(name, px.TensorMap) for name in maps), *pointer]


def _name(sums: Sums) -> str:
    if not sums.of_keys:
        return "attention_dq"
    return "attention_" + "_".join(["dq"] * sums.moves + ["dk"] * sums.slopes + ["dv"] * sums.weights)


def attention_backward(
    do: Any,
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lse: Any,
    *,
    dq: Any = None,
    dk: Any = None,
    dv: Any = None,
    dlse: Any = None,
    causal: bool = False,
    window: tuple[int | None, int | None] = (None, None),
    scale: float | None = None,
    score: Score | None = None,
    score_gradient: ScoreGradient | None = None,
    layout: Literal["bhsd", "bshd"] = "bhsd",
    config: Tiling | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """Gradients of `attention`: of Q, K and V. Every run gives the same bits.

    P and the gradients of scores are computed again, from Q, K, V, dO and lse, block by block. Heads of up to 128 elements have one
    kernel for all three gradients, of five products: it adds up dK and dV of a tile of keys in registers, past which all queries
    stream, and adds the tile's part of dQ to f32 sums in memory, 4 bytes for each element of Q. For the same bits in each run tiles
    add in a fixed order, which depends on the number of SMs; it is the one in which they come by anyway, so that they hardly wait.
    Wider heads, and calls that leave a gradient out, have a kernel with tiles of keys for dK and dV and one with tiles of queries
    for dQ, of seven products in all: their bits are the same on any number of SMs. A small kernel computes Σ dO · O of each query
    first.

    Args:
        do: the gradient of o, of q's type and shape.
        q, k, v, o, lse: what `attention` has taken and written.
        dq, dk, dv: gradients, results, of the shapes of q, k and v and their type. What is left out is not computed. Heads that
            share keys add to the same rows of dk and dv.
        dlse: the gradient of lse, where it has one: float32, as lse.
        causal, window, scale, score, layout: as `attention` was told.
        score_gradient: the derivative of `score`, where that has no method `gradient`, as `softcap` has: a function of the builder,
            a scaled score, the new score and its `ScorePlace`, which gives px.f32 or a number. It is finite; 1.0 where `score` adds
            something, or hides keys.
        config: how the work is cut; default: `choose` of `ptxlab.kernels.attention.backward`.
        device, stream: as in `Kernel.launch`.

    Queries that see no key get zeros as dq, and so do keys that no query sees. Where gradients of results, or values, are infinite
    or no numbers, what a mask hides beside them may become NaN.

    Raises: Diagnostic PTX2112 where no gradient is wanted and for a score without a derivative, and else as `attention`.

    Example:
        from ptxlab.kernels.attention import attention, attention_backward, softcap

        q, k, v, o, do, dv = (px.empty((1, 1, 16, 64), "bf16") for _ in range(6))
        for x in (q, k, v, do):
            x[...] = 1
        lse, dq = np.empty((1, 1, 16), np.float32), px.empty(q.shape, "bf16")
        attention(q, k, v, o, lse=lse, causal=True, score=softcap(30.0))
        attention_backward(do, q, k, v, o, lse, dq=dq, dv=dv, causal=True, score=softcap(30.0))
        print(dq.any(), float(dv[0, 0, 15, 0]))  # False 0.0625
    """
    prepare_backward(
        do,
        q,
        k,
        v,
        o,
        lse,
        dq=dq,
        dk=dk,
        dv=dv,
        dlse=dlse,
        causal=causal,
        window=window,
        scale=scale,
        score=score,
        score_gradient=score_gradient,
        layout=layout,
        config=config,
        device=device,
        stream=stream,
    )()


def prepare_backward(
    do: Any,
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lse: Any,
    *,
    dq: Any = None,
    dk: Any = None,
    dv: Any = None,
    dlse: Any = None,
    causal: bool = False,
    window: tuple[int | None, int | None] = (None, None),
    scale: float | None = None,
    score: Score | None = None,
    score_gradient: ScoreGradient | None = None,
    layout: Literal["bhsd", "bshd"] = "bhsd",
    config: Tiling | None = None,
    device: str = "auto",
    stream: Any = None,
) -> LaunchSequence:
    """`attention_backward`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are
    the same.

    Example:
        from ptxlab.kernels.attention import attention, prepare_backward

        q, k, v, o, do, dk = (px.empty((1, 1, 16, 64), "bf16") for _ in range(6))
        for x in (q, k, v, do):
            x[...] = 1
        lse = np.empty((1, 1, 16), np.float32)
        attention(q, k, v, o, lse=lse)
        backward = prepare_backward(do, q, k, v, o, lse, dk=dk)
        backward()
        print(dk.any())  # False
    """
    g = gradients((do, q, k, v, o), lse, dlse, (dq, dk, dv), Options(layout, causal, window, scale))
    functions = {"score": score, "gradient": gradient_of(score, score_gradient)}
    t = config or choose(g.forward.depth, scored=score is not None)
    room = zeroed(g.forward.q, (1, Memory.of(g.forward.q.shape, t).numbers), "float32")
    return prepared(g, t, functions, room, device=device, stream=stream)


def prepared(g: Gradients, t: Tiling, functions: dict[str, Any], room: ArrayView, **where: Any) -> LaunchSequence:
    """The launches of the backward pass. Raises: Diagnostic as `attention_backward`.

    Args:
        functions: `score` and its `gradient`, each may be None. room: as many f32 as `Memory` counts. where: device and stream.
    """
    p = g.forward
    check(t, p.depth)
    memory = Memory.of(p.q.shape, t)
    wanted = _wanted(g, t)
    moves = any(sums.moves for sums, _ in wanted)
    counters = memory.counters(room) if moves else None
    for name in ("O", "dO", *(["dQ"] if moves else [])):
        g.map(name, ROWS)  # what TMA can address, vectors of 16 bytes can
    statistics = memory.statistics(room)
    launches = [preparing((p.o, g.d_o, g.lse, g.d_lse), statistics, counters, memory.block, **where)]
    launches += [_launch(g, cut, sums, memory, room, functions=functions, where=where) for sums, cut in wanted]
    if moves and t.fused and counters and g.d_q:
        launches.append(finishing(memory.sums(room), counters, g.d_q, t.fused, p.scale, **where))
    return LaunchSequence(launches)


def _wanted(g: Gradients, t: Tiling) -> list[tuple[Sums, Cut]]:
    """The kernels that are launched, and how each is cut."""
    keys, values = g.d_k is not None, g.d_v is not None
    if keys and values and g.d_q is not None and t.fused:
        return [(Sums(of_keys=True, slopes=True, weights=True, moves=True), t.fused)]
    found = list[tuple[Sums, Cut]]()
    if keys and values and t.values is None:
        found.append((Sums(of_keys=True, slopes=True, weights=True), t.keys))
    else:
        found += [(Sums(of_keys=True, slopes=True, weights=False), t.keys)] * keys
        found += [(Sums(of_keys=True, slopes=False, weights=True), t.values or t.keys)] * values
    if g.d_q is not None:
        found.append((Sums(of_keys=False, slopes=True, weights=False), t.queries))
    return found


def _launch(
    g: Gradients,
    cut: Cut,
    sums: Sums,
    memory: Memory,
    room: ArrayView,
    *,
    functions: dict[str, Any],
    where: dict[str, Any],
) -> Launch:
    """The launch of one kernel."""
    p, statistics = g.forward, memory.statistics(room)
    (batches, heads, rows, depth), length = p.q.shape, p.k.shape[2]
    held, streamed = ("KV", ("Q", "dO")) if sums.of_keys else (("Q", "dO"), "KV")
    results = ["dK"] * sums.slopes + ["dV"] * sums.weights if sums.of_keys else ["dQ"]
    maps = [g.map(x, ROWS) for x in held[: sums.held]] + [g.map(x, cut.block) for x in streamed]
    maps += [g.map(x, ROWS) for x in results]
    tile_rows, tile_heads, passing = (
        (length, heads // p.group, rows * p.group) if sums.of_keys else (rows, heads, length)
    )
    together = max(1, L2_BYTES // (2 * passing * depth * p.q.itemsize)) * (1 if sums.of_keys else p.group)
    lines = batches * tile_heads
    scored = functions["score"] is not None
    args = [rows, length, lines, tile_heads, p.group, min(together, lines), p.left or 0, p.right or 0]
    args += [p.scale * (1 if scored else math.log2(math.e)), *([p.scale] if sums.slopes else []), *maps]
    if sums.of_keys:
        args.append(px.tensor_map(statistics, box=(1, 2, cut.block)))
        args += [memory.counters(room), memory.sums(room)] * sums.moves
    else:
        args += [statistics.strides[1] // statistics.itemsize, statistics]
    tiles, ctas = lines * -(-tile_rows // cut.rows), device_of(p.o).sm_count
    if sums.moves and p.bounds.left != p.bounds.right and tiles > ctas:
        functions, tiles = {**functions, "paired": True}, lines * -(-tile_rows // (2 * cut.rows))
    chosen = kernel(cut.consumers, sums).specialize(
        cut=cut, depth=depth, dtype=TYPES[p.q.dtype], bounds=p.bounds, **functions
    )
    grid = (min(tiles, ctas), 1, 1)
    return chosen.prepare(grid=grid, args=args, buffers=_arrays(g), cooperative=sums.moves, **where)


def _arrays(g: Gradients) -> Sequence[Any]:
    p = g.forward
    return tuple(x for x in (p.q, p.k, p.v, p.o, g.d_o, g.d_q, g.d_k, g.d_v) if x is not None)
