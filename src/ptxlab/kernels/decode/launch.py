"""`decode`: attention of a few new queries of each sequence over a cache of keys and values, in one launch.

Memory is the limit: each key is read once, and multiplied with the queries of all heads that share it. So the kernel is built to
have memory busy all the time:

- One warp loads, a copy by TMA for each page or block, into a ring of stages; all stages but the one at hand are in flight.
- All blocks of all sequences are dealt to the CTAs in equal pieces (`schedule`), one CTA an SM, whatever the lengths are.
- Heads that share keys, and new queries of a sequence, are rows of one product (`queries`, `consumer`).
- Latent attention has so many queries to a key that the tensor cores count: it has a kernel of its own (`latent`).
- Where a head is cut, CTAs hand over what they have in memory, and the last one brings it together in the same launch (`combine`):
  a second kernel would wait for all CTAs, and take its time to start.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, Launch, device_of, user_span
from ptxlab.kernels.attention.call import TYPES
from ptxlab.kernels.attention.scores import Score
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.decode import latent
from ptxlab.kernels.decode.call import CACHES, MOST_BLOCKS, Options, Problem, problem
from ptxlab.kernels.decode.consumer import Consumer
from ptxlab.kernels.decode.loads import Loader
from ptxlab.kernels.decode.program import Form, Program, Rooms, Rows
from ptxlab.kernels.decode.tiling import LATENT_SLICES, Tiling, choose
from ptxlab.kernels.gemm_call import zeroed

FURTHER = {
    "table": (Extra("table", px.Ptr[px.s32], strided=True), Extra("line", px.u32)),
    "lse": (Extra("lse", px.Ptr[px.f32]),),
    "k_scale": (Extra("k_factors", px.Ptr[px.f32]),),
    "v_scale": (Extra("v_factors", px.Ptr[px.f32]),),
}
"""Parameters that a kernel has where such an array is given."""


@cache
def kernel(threads: int, given: tuple[str, ...]) -> px.Kernel:
    """The kernel for so many threads, and for these arrays of FURTHER, in its order."""
    extras = [extra for name in given for extra in FURTHER[name]]

    def attend(
        k: px.Builder,
        keys: px.TensorMap,
        values: px.TensorMap,
        q: px.Ptr[px.b8],
        q_batch: px.u64,
        q_row: px.u64,
        q_head: px.u64,
        o: px.Ptr[px.b8],
        o_batch: px.u64,
        o_row: px.u64,
        o_head: px.u64,
        lengths: px.Ptr[px.s32],
        batches: px.s32,
        rows: px.s32,
        heads: px.s32,
        group: px.s32,
        capacity: px.s32,
        pages: px.s32,
        left: px.s32,
        right: px.s32,
        scale: px.f32,
        v_factor: px.f32,
        partials: px.Ptr[px.f32],
        counters: px.Ptr[px.u32],
        *more: Any,
        tiling: Tiling,
        form: Form,
    ) -> None:
        found = dict(zip([extra.name for extra in extras], more, strict=True))
        program = Program(
            k,
            tiling,
            form,
            keys=keys,
            values=values,
            queries=Rows(q, (q_batch, q_row, q_head)),
            results=Rows(o, (o_batch, o_row, o_head)),
            lengths=lengths,
            table=found.get("table"),
            line=found.get("line"),
            logarithms=found.get("lse"),
            batches=batches,
            rows=rows,
            heads=heads,
            group=group,
            capacity=capacity,
            pages=pages,
            left=left,
            right=right,
            scale=scale,
            factors=(found.get("k_factors"), found.get("v_factors", v_factor)),
            partials=partials,
            counters=counters,
        )
        if form.latent:
            latent.attend(program)
            return
        rooms = Rooms(program)
        k.init_barriers()
        with k.roles():
            with k.role(warp=0):
                Loader(program, rooms).run()
            with k.role(warp=range(1, 1 + tiling.parts * tiling.warps)):
                Consumer(program, rooms).run()

    strided = ["q", "o", *(extra.name for extra in extras if extra.strided)]
    return px.kernel(target="sm_90a", threads=threads, strided=strided, name="decode")(extended(attend, extras))


def decode(
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lengths: Any,
    *,
    table: Any = None,
    lse: Any = None,
    causal: bool = True,
    window: tuple[int | None, int | None] = (None, None),
    scale: float | None = None,
    score: Score | None = None,
    k_scale: Any = 1.0,
    v_scale: Any = 1.0,
    config: Tiling | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """Attention of the newest queries of each sequence over its cache of keys and values: in the simulator on NumPy arrays, on the
    GPU on CUDA arrays. Every run with the same input and tiling on as many SMs gives the same bits, with pages and without.

    The last query of a sequence stands at its last key, query i at key i + (length - rows). A query that sees no key, as all of an
    empty sequence, gets zeros, and -inf as lse. What lies behind a sequence's last key, or on pages without a visible key, may be
    anything.

    Lengths and pages are read by the kernel, on the GPU, and what does not fit there is never followed: a length below 0 counts as
    0, one beyond the room as all of it, and keys on a page that is not in the pool are invisible.

    Args:
        q: bf16 or f16, batches × rows × heads × depth: one to a few new rows of each sequence. The depth is a multiple of 16 up to
            256, or 576 for latent attention. Elements of a head are neighbours, heads begin at multiples of 16 bytes.
        k, v: the cache, of q's type or e4m3: batches × rows × heads × depth, with the keys of the new rows already in it. With a
            table pages × rows × heads × depth, each page with a multiple of 16 rows. The heads of q are a multiple of theirs:
            neighbours share keys. Any strides that TMA takes will do, such as those of a cache with heads in front of rows.
            Heads of 576 elements, of q's type, have their values in their first 512 elements: v is None, or k[..., :512].
        o: of q's type and shape, with as many elements of a head as v has; it is overwritten.
        lengths: int32, one for each sequence: its keys, those of the new rows among them.
        table: int32, batches × pages of a sequence: which page of the pool has its keys 0 to rows - 1, which one the next ones,
            and so on.
        lse: float32, batches × heads × rows, contiguous: gets the natural logarithm of each row's sum of exponentials.
        causal: a query sees no keys behind its own; as window=(…, 0).
        window: how many keys a query sees to the left and to the right of its own; None: all.
        scale: of scores; default: 1 / √depth. Models with latent attention have another one, such as 1 / √192.
        score: a function of scores in the language, as for `attention`: `softcap(30.0)` is one.
        k_scale, v_scale: what keys and values in e4m3 are multiplied by: a positive number, or float32 for each of their heads.
        config: how the work is cut; default: `choose`.
        device, stream: as in `Kernel.launch`.

    Raises: Diagnostic PTX2308 where shapes do not belong together, for another depth and pages of other sizes, PTX2307 for other
        dtypes, PTX2309 for elements that are not neighbours, PTX2112 for another window and a `config` that cannot be, PTX2305 for
        scales that are no numbers, or given without e4m3, PTX2104 for empty arrays, PTX2101 and PTX2102 for arrays that TMA cannot
        address, and what `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.decode import decode

        q, o = px.empty((2, 1, 8, 64), "bf16"), px.empty((2, 1, 8, 64), "bf16")
        k, v = px.empty((4, 16, 2, 64), "bf16"), px.empty((4, 16, 2, 64), "bf16")  # a pool of 4 pages of 16 rows
        q[...], k[...], v[...] = 1, 1, np.arange(4)[:, None, None, None]

        table = np.array([[3, 0], [2, -1]], np.int32)
        decode(q, k, v, o, np.array([24, 7], np.int32), table=table)
        print(o[:, 0, 0, 0])  # [2 2]

        latent = px.empty((4, 16, 1, 576), "bf16")  # 512 elements that are values, too, and 64 with positions
        q, o = px.empty((2, 1, 16, 576), "bf16"), px.empty((2, 1, 16, 512), "bf16")
        q[...], latent[...] = 0, np.arange(4)[:, None, None, None]
        decode(q, latent, None, o, np.array([32, 7], np.int32), table=np.array([[3, 1], [2, -1]], np.int32), scale=192**-0.5)
        print(o[:, 0, 0, 0])  # [2 2]
    """
    prepare(
        q,
        k,
        v,
        o,
        lengths,
        table=table,
        lse=lse,
        causal=causal,
        window=window,
        scale=scale,
        score=score,
        k_scale=k_scale,
        v_scale=v_scale,
        config=config,
        device=device,
        stream=stream,
    )()


def prepare(
    q: Any,
    k: Any,
    v: Any,
    o: Any,
    lengths: Any,
    *,
    table: Any = None,
    lse: Any = None,
    causal: bool = True,
    window: tuple[int | None, int | None] = (None, None),
    scale: float | None = None,
    score: Score | None = None,
    k_scale: Any = 1.0,
    v_scale: Any = 1.0,
    config: Tiling | None = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`decode`, checked, packed and loaded once: call what it returns for every new word. Lengths, table and cache are read anew
    each time. Arguments and errors are the same. It has memory of its own for what CTAs hand to each other, so two calls of one
    launch must not run at the same time.

    Example:
        from ptxlab.kernels.decode import prepare

        q, o = px.empty((1, 1, 4, 64), "bf16"), px.empty((1, 1, 4, 64), "bf16")
        k, v, lengths = px.empty((1, 32, 1, 64), "bf16"), px.empty((1, 32, 1, 64), "bf16"), np.array([1], np.int32)
        q[...], k[...], v[...] = 1, 1, np.arange(32)[:, None, None]
        attend = prepare(q, k, v, o, lengths)
        for word in range(3):
            lengths[0] = word + 1
            attend()
        print(o[0, 0, 0, 0])  # 1
    """
    p = problem((q, k, v, o), lengths, table, lse, Options(causal, window, scale, k_scale, v_scale))
    t = config or choose(p.depth, p.rows, p.k.itemsize)
    t.check(p.depth, p.k.itemsize)
    of_keys, of_values = p.factors
    number = p.scale * (of_keys if isinstance(of_keys, float) else 1.0)
    first = score is not None or number <= 0  # a maximum before a scale below 0 would be a minimum behind it
    form = Form(
        p.depth, TYPES[p.q.dtype], CACHES[p.k.dtype], page=p.page, bounds=p.bounds, score=score, scales_first=first
    )
    further: dict[str, list[Any]] = {
        "table": [] if p.table is None else [p.table, p.table.strides[0]],
        "lse": [] if p.lse is None else [p.lse],
        "k_scale": [of_keys] if isinstance(of_keys, ArrayView) else [],
        "v_scale": [of_values] if isinstance(of_values, ArrayView) else [],
    }
    ctas = _ctas(p, t)
    slices = LATENT_SLICES if form.latent else 1
    units, numbers = slices * t.parts, t.state(p.value_depth // slices)
    args = [
        *(p.map(name, form.box(t)) for name in "KV"),
        *_placed(p.q),
        *_placed(p.o),
        p.lengths,
        *_numbers(p),
        number * (1 if first else math.log2(math.e)),
        of_values if isinstance(of_values, float) else 1.0,
        zeroed(p.o, (2 * ctas * units, numbers), "float32"),
        zeroed(p.o, (2 * ctas, units), "uint32"),
        *(x for some in further.values() for x in some),
    ]
    threads = latent.THREADS if form.latent else t.threads
    chosen = kernel(threads, tuple(name for name, some in further.items() if some)).specialize(tiling=t, form=form)
    return chosen.prepare(grid=(ctas, 1, 1), args=args, buffers=(p.k, p.v), device=device, stream=stream)


def _placed(x: ArrayView) -> list[Any]:
    """Queries or results, and bytes from one sequence, row and head to the next."""
    return [x, x.strides[0], x.strides[2], x.strides[1]]


def _numbers(p: Problem) -> list[int]:
    """What the kernel takes between the lengths and the scale."""
    batches, _, rows, _ = p.q.shape
    return [batches, rows, p.heads, p.group, p.capacity, p.k.shape[0], p.left or 0, p.right or 0]


def _ctas(p: Problem, t: Tiling) -> int:
    """As many as there are at a time, or fewer where there can be no more blocks for them."""
    blocks = p.q.shape[0] * p.heads * -(-p.rows // t.rows) * -(-p.capacity // t.keys)
    if blocks > MOST_BLOCKS:
        raise Diagnostic(
            "PTX2308",
            f"There is room for {blocks} blocks of {t.keys} keys.",
            help=f"at most {MOST_BLOCKS}: take fewer sequences a launch",
            origin=user_span(),
        )
    return max(1, min(device_of(p.o).sm_count * t.ctas, blocks // t.least))
