"""Candidates that touch what is not theirs, race, hang, or depend on what nobody has written or ordered."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

from collections.abc import Callable
from typing import Any

import ptxlab as px
from unit.verification.corpus.cheats_values import twice
from unit.verification.corpus.entry import WRONG, Entry, flat, rows
from unit.verification.corpus.honest_copies import blocks
from unit.verification.corpus.honest_moves import TEXT, axpy
from unit.verification.corpus.honest_reductions import ALL, across, reduced, sum_of

ENTRIES: list[Entry] = []
OUTSIDE = {"out-of-bounds"}
RACES = {"races"}
HANGS = {"hangs"}
UNSURE = {"wrong", "nondeterministic", "faulty"}


def bad(
    name: str,
    body: Callable[..., Any],
    verdicts: Any,
    reference: Any = twice,
    spec: px.Spec | None = None,
    types: tuple[str, str] = ("f32", "f32"),
    threads: int = 128,
    runs: int = 5,
    cluster: int | None = None,
    most: int | None = None,
) -> None:
    """Add a kernel of x, y and n, all of whose body is given."""
    given, result = (getattr(px, t) for t in types)

    placed: dict[str, Any] = {} if cluster is None else {"cluster": cluster}

    @px.kernel(threads=threads, name=name, **placed)
    def kernel(k, x: px.Ptr[given], y: px.Ptr[result], n: px.u32):
        body(k, x, y, n)

    spec = spec or flat(types[0], types[1])
    options = {} if most is None else {"max_instructions": most}
    ENTRIES.append(Entry(name, kernel, reference, spec, frozenset(verdicts), runs, options))


def element(emit: Callable[..., Any], guard: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """`emit` is called where i < n, or where `guard` holds."""

    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        i = k.ctaid.x * 128 + k.tid.x
        with k.if_(i < n if guard is None else guard(k, i, n)):
            emit(k, x, y, n, i)

    return body


def plainly(k: Any, x: Any, y: Any, n: Any, i: Any) -> None:
    k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)


def then(more: Callable[..., Any]) -> Callable[..., Any]:
    """The right result, and something else."""

    def emit(k: Any, x: Any, y: Any, n: Any, i: Any) -> None:
        plainly(k, x, y, n, i)
        more(k, x, y, n, i)

    return element(emit)


# --- outside of arrays ----------------------------------------------------------------------------------------------------
bad("write_one_beyond", element(plainly, lambda k, i, n: i <= n), OUTSIDE)
bad("write_unmasked", element(plainly, lambda k, i, n: k.setp.eq.u32(0, 0)), OUTSIDE)
bad("write_before", then(lambda k, x, y, n, i: k.st.global_.f32(y.at(-4), 0.0)), OUTSIDE)
bad("write_padding", then(lambda k, x, y, n, i: k.st.global_.f32(y[n + (i & 7)], 0.0)), OUTSIDE)
bad("write_far", then(lambda k, x, y, n, i: k.st.global_.f32(y[n + 4096], 0.0)), OUTSIDE)
bad("write_input", then(lambda k, x, y, n, i: k.st.global_.f32(x[i], 0.0)), OUTSIDE | {"cheats"})
bad(
    "write_input_back", then(lambda k, x, y, n, i: k.st.global_.f32(x[i], k.ld.global_.f32(x[i]))), OUTSIDE | {"cheats"}
)
bad("read_one_beyond", element(lambda k, x, y, n, i: k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) + k.mul.rn.f32(
    k.ld.global_.f32(x[i + 1]), 0.0))), OUTSIDE)  # fmt: skip
bad("read_before", element(lambda k, x, y, n, i: (plainly(k, x, y, n, i), k.ld.global_.f32(x.at(-4)))), OUTSIDE)
bad("read_vectors", lambda k, x, y, n: vectors(k, x, y, n), OUTSIDE | {"faulty"})
bad("null", then(lambda k, x, y, n, i: k.st.global_.u32(px.Address.of(k.mov.u64(0), 0, "global"), 1)), OUTSIDE)
bad(
    "shared_beyond",
    then(lambda k, x, y, n, i: k.st.shared.f32(k.smem(px.f32, 4).at(4096 + 16), 0.0)),
    OUTSIDE | {"unsupported"},
)
bad("misaligned", then(lambda k, x, y, n, i: k.ld.global_.b32(x.at(2))), {"faulty"})
bad("trap", then(lambda k, x, y, n, i: k.trap(pred=i == 3)), {"faulty"})
bad("trap_for_large", then(lambda k, x, y, n, i: k.trap(pred=n > 380)), {"faulty"})


def vectors(k: Any, x: Any, y: Any, n: Any) -> None:
    """Four at once, though the last ones are fewer."""
    i = (k.ctaid.x * 128 + k.tid.x) * 4
    with k.if_(i < n):
        k.st.global_.v4.f32(y[i], [v * 2.0 for v in k.ld.global_.v4.f32(x[i])])


# --- what nobody has written ------------------------------------------------------------------------------------------------
def summed(k: Any, x: Any, y: Any, n: Any, i: Any) -> None:
    k.st.global_.f32(y[i], k.add.rn.f32(k.ld.global_.f32(y[i]), k.ld.global_.f32(x[i]) * 2.0))


def unset(k: Any, x: Any, y: Any, n: Any, i: Any) -> None:
    k.st.global_.f32(
        y[i],
        k.add.rn.f32(k.ld.global_.f32(x[i]) * 2.0, k.mul.rn.f32(k.ld.shared.f32(k.smem(px.f32, 128)[k.tid.x]), 1e-30)),
    )


bad("accumulates", element(summed), WRONG | {"faulty"})
bad(
    "atomic_onto_nothing",
    element(lambda k, x, y, n, i: k.red.global_.add.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)),
    WRONG,
)
bad("largest_onto_nothing", element(lambda k, x, y, n, i: k.red.global_.max.u32(y[0], k.ld.global_.u32(x[i]))), WRONG,
    lambda x, n: x.max().reshape(1), reduced("u32", grid=rows), ("u32", "u32"))  # fmt: skip
bad("unset_shared", element(unset), {"faulty"} | UNSURE)
bad("zeros_unwritten", element(lambda k, x, y, n, i: plainly(k, x, y, n, i), lambda k, i, n: (i < n) & (i != 0)), WRONG)
bad("kept_if_zero", element(lambda k, x, y, n, i: k.st.global_.f32(
    y[i], k.ld.global_.f32(x[i]) * 2.0, pred=k.setp.neu.f32(k.ld.global_.f32(x[i]), 0.0))), WRONG, runs=16)  # fmt: skip


@px.kernel(threads=128)
def unset_register(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    v = k.mov.f32(0.0)
    with k.if_(i < n):
        k.ld.global_.f32(x[i], d=v, pred=i != 7)
        k.st.global_.f32(y[i], v * 2.0)


ENTRIES.append(Entry("register_left", unset_register, twice, flat("f32"), WRONG))
UNSET = TEXT.replace("ld.param.f32 %f0, [a];", "")
ENTRIES.append(Entry("unset_register", px.parse(UNSET)["saxpy"], lambda x, y, a, n: a * x + y,
                     px.Spec(axpy, {"n": range(1, 300)}), frozenset({"faulty"} | UNSURE)))  # fmt: skip


# --- what changes from run to run -------------------------------------------------------------------------------------------
def spiced(read: Callable[..., Any]) -> Callable[..., Any]:
    """The result plus a bit of something."""

    def emit(k: Any, x: Any, y: Any, n: Any, i: Any) -> None:
        extra = k.and_.b32(read(k, x, y), 1)
        k.st.global_.f32(y[i], k.add.rn.f32(k.ld.global_.f32(x[i]) * 2.0, k.cvt.rn.f32.u32(extra)))

    return element(emit)


MOVES = {"wrong", "nondeterministic", "unsupported"}
bad("clock", spiced(lambda k, x, y: k.shr.u32(k.clock, 3)), MOVES)
bad("globaltimer", spiced(lambda k, x, y: k.cvt.u32.u64(k.shr.u64(k.globaltimer, 5))), MOVES)
bad("address", spiced(lambda k, x, y: k.cvt.u32.u64(k.shr.u64(k.mov.u64(x.address().register()), 8))), MOVES, runs=8)
bad("smid", spiced(lambda k, x, y: k.smid), MOVES, runs=8)
bad("float_atomics", lambda k, x, y, n: atomics(k, x, y, n), {"nondeterministic"}, lambda x, y, n: y + x.sum(),
    px.Spec(lambda n: px.case([px.Input("f32", n), px.Input("f32", 1, updated=True), n], grid=rows(n)),
            {"n": range(200, 2000)}))  # fmt: skip
bad("warp_atomics", lambda k, x, y, n: by_warps(k, x, y, n), {"nondeterministic", "wrong"}, lambda x, n: x.sum().reshape(1),
    reduced(sizes=range(130, 800)))  # fmt: skip


def atomics(k: Any, x: Any, y: Any, n: Any) -> None:
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.red.global_.add.f32(y[0], k.ld.global_.f32(x[i]))


def by_warps(k: Any, x: Any, y: Any, n: Any) -> None:
    """In shared memory, whose sum begins with zero; the order of the warps decides."""
    sum_ = k.smem(px.f32, 1)
    k.st.shared.f32(sum_[0], 0.0, pred=k.tid.x == 0)
    k.bar.sync(0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.red.shared.add.f32(sum_[0], k.ld.global_.f32(x[i]))
    k.bar.sync(0)
    k.st.global_.f32(y[0], k.ld.shared.f32(sum_[0]), pred=k.tid.x == 0)


# --- races -----------------------------------------------------------------------------------------------------------------------
def exchange(*, stored: bool = True, read: bool = True) -> Callable[..., Any]:
    """Neighbours exchange elements by way of shared memory; with or without the barriers."""

    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        room = k.smem(px.f32, 128)
        for turn in range(2):
            at = k.ctaid.x * 256 + turn * 128 + k.tid.x
            k.st.shared.f32(room[k.tid.x], k.ld.global_.f32(x[at]))
            if stored:
                k.bar.sync(0)
            k.st.global_.f32(y[at], k.ld.shared.f32(room[127 - k.tid.x]))
            if read:
                k.bar.sync(0)

    return body


def swapped(x: Any, n: int) -> Any:
    return x.reshape(-1, 128)[:, ::-1].reshape(-1)


bad("no_barrier", exchange(stored=False), RACES, swapped, blocks(size=256))
bad("no_barrier_behind", exchange(read=False), RACES, swapped, blocks(size=256))
bad("no_barrier_in_warp", lambda k, x, y, n: in_warp(k, x, y), RACES, lambda x, n: x.reshape(-1, 32)[:, ::-1].reshape(-1),
    blocks(size=32), threads=32)  # fmt: skip
bad("histogram_not_atomic", lambda k, x, y, n: counted(k, x, y, n), RACES, lambda x, n: count(x), reduced("u8", "u32", count=16,
    high=16), ("u8", "u32"))  # fmt: skip
bad("tree_without_barrier", lambda k, x, y, n: tree(k, x, y, n), RACES, sum_of, reduced(sizes=range(1, 129)))
bad("all_write_one", element(lambda k, x, y, n, i: k.st.global_.f32(y[0], k.ld.global_.f32(x[i]))), RACES,
    lambda x, n: x[-1:], reduced(grid=rows))  # fmt: skip
bad("read_and_add", element(lambda k, x, y, n, i: k.st.global_.u32(y[0], k.ld.global_.u32(x[i]) + k.ld.global_.u32(y[0]))),
    RACES | WRONG, lambda x, n: x.sum(dtype="uint32").reshape(1), reduced("u32", grid=rows), ("u32", "u32"))  # fmt: skip
bad("neighbours_result", lambda k, x, y, n: neighbours(k, x, y, n), RACES, lambda x, n: 2 * x, blocks())


def in_warp(k: Any, x: Any, y: Any) -> None:
    room = k.smem(px.f32, 32)
    k.st.shared.f32(room[k.laneid], k.ld.global_.f32(x[k.ctaid.x * 32 + k.laneid]))
    k.st.global_.f32(y[k.ctaid.x * 32 + k.laneid], k.ld.shared.f32(room[31 - k.laneid]))


def count(x: Any) -> Any:
    import numpy as np

    return np.bincount(x, minlength=16).astype(np.uint32)


def counted(k: Any, x: Any, y: Any, n: Any) -> None:
    bins = k.smem(px.u32, 16)
    k.st.shared.u32(bins[k.tid.x & 15], 0, pred=k.tid.x < 16)
    k.bar.sync(0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        at = k.ld.global_.u8(x[i])
        k.st.shared.u32(bins[at], k.ld.shared.u32(bins[at]) + 1)
    k.bar.sync(0)
    k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(bins[k.tid.x & 15]), pred=k.tid.x < 16)


def tree(k: Any, x: Any, y: Any, n: Any) -> None:
    room, t = k.smem(px.f32, 128), k.tid.x
    v = k.mov.f32(0.0)
    k.ld.global_.f32(x[t], d=v, pred=t < n)
    k.st.shared.f32(room[t], v)
    k.bar.sync(0)
    for half in (64, 32, 16, 8, 4, 2, 1):
        with k.if_(t < half):
            k.st.shared.f32(room[t], k.ld.shared.f32(room[t]) + k.ld.shared.f32(room[t + half]))
    k.st.global_.f32(y[0], k.ld.shared.f32(room[0]), pred=t == 0)


def neighbours(k: Any, x: Any, y: Any, n: Any) -> None:
    """A thread passes on what its neighbour has written to memory, which under one schedule is there."""
    i = k.ctaid.x * 128 + k.tid.x
    k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)
    v = k.ld.global_.f32(y[k.ctaid.x * 128 + ((k.tid.x + 1) & 127)])
    with k.if_(k.setp.eq.f32(v, 1.5)):
        k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)


def bulk(
    *, fence: bool = True, barrier: bool = True, commit: bool = True, wait: bool = True, early: bool = False
) -> Any:
    """Doubled in shared memory, and stored by the copy engine, with something left out."""

    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        room = k.smem(px.f32, 128, align=128)
        k.st.shared.f32(room[k.tid.x], k.ld.global_.f32(x[k.ctaid.x * 128 + k.tid.x]) * 2.0)
        if fence:
            k.fence.proxy.async_.shared__cta()
        if barrier:
            k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            k.cp.async_.bulk.global_.shared__cta.bulk_group(y[k.ctaid.x * 128], room, 512)
            if commit:
                k.cp.async_.bulk.commit_group()
            if wait:
                k.cp.async_.bulk.wait_group(0)
        if early:
            k.st.shared.f32(room[k.tid.x], 0.0)

    return body


LOST = {"races", "faulty", "wrong", "hangs"}
bad("no_proxy_fence", bulk(fence=False), LOST, twice, blocks())
bad("no_barrier_before_bulk", bulk(barrier=False), LOST, twice, blocks())
bad("no_commit", bulk(commit=False), LOST, twice, blocks())
bad("exit_before_bulk", bulk(wait=False), LOST, twice, blocks())
bad("exit_without_commit", bulk(commit=False, wait=False), LOST, twice, blocks())
bad("overwritten_under_bulk", bulk(wait=False, early=True), LOST, twice, blocks())


def async_copy(*, wait: bool = True, barrier: bool = True) -> Any:
    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        room, t = k.smem(px.f32, 128, align=16), k.tid.x
        k.cp.async_.ca.shared.global_(room.at(t * 4), x[k.ctaid.x * 128 + t], 4)
        k.cp.async_.commit_group()
        if wait:
            k.cp.async_.wait_group(0)
        if barrier:
            k.bar.sync(0)
        k.st.global_.f32(y[k.ctaid.x * 128 + t], k.ld.shared.f32(room[t ^ 1]) * 2.0)

    return body


def neighbour(x: Any, n: int) -> Any:
    return 2 * x.reshape(-1, 2)[:, ::-1].reshape(-1)


bad("no_wait_group", async_copy(wait=False), LOST, neighbour, blocks())
bad("no_barrier_after_cp_async", async_copy(barrier=False), LOST, neighbour, blocks())


def loaded(*, wait: bool = True, nbytes: int = 512, count: int = 1, parity: int = 0) -> Any:
    """By a bulk copy, whose barrier is not used as it should be."""

    def body(k: Any, x: Any, y: Any, n: Any) -> None:
        room, full = k.smem(px.f32, 128, align=128), k.mbarrier(count)
        k.init_barriers()
        with k.if_(k.tid.x == 0):
            full.arrive_expect_tx(k.mov.u32(nbytes))
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(room, x[k.ctaid.x * 128], 512, full)
        if wait:
            full.wait(parity)
        k.st.global_.f32(y[k.ctaid.x * 128 + k.tid.x], k.ld.shared.f32(room[k.tid.x]) * 2.0)

    return body


ENDS = LOST | {"out-of-bounds"}
bad("bulk_not_waited_for", loaded(wait=False), ENDS, twice, blocks())
bad("bulk_too_many_bytes", loaded(nbytes=1024), HANGS, twice, blocks())
bad("bulk_too_few_bytes", loaded(nbytes=256), ENDS, twice, blocks())
bad("mbarrier_count_2", loaded(count=2), HANGS, twice, blocks())
bad("mbarrier_parity_1", loaded(parity=1), ENDS, twice, blocks())


@px.kernel(threads=160)
def ring_overrun(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Two stages, which the producer fills without asking whether they are empty."""
    stages, full = k.smem(px.f32, (2, 128), align=16), k.mbarrier(1, 2)
    k.init_barriers()
    with k.if_(k.thread == 128), k.loop(n, step=128) as at:
        stage = (at >> 7) & 1
        to = px.Address.of(stages.addr + stage * 512, 0, "shared")
        bar = px.Address.of(full.addr + stage * 8, 0, "shared")
        k.mbarrier.arrive.expect_tx.shared.b64(bar, 512, state="_")
        k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(to, x[at], 512, bar)
    with k.if_(k.thread < 128):
        sum_ = k.mov.f32(0.0)
        with k.loop(n, step=128) as at:
            stage = (at >> 7) & 1
            full[stage].wait((at >> 8) & 1)
            sum_ += k.ld.shared.f32(stages.at(stage * 512 + k.tid.x * 4))
        k.st.global_.f32(y[k.tid.x], sum_)


ENTRIES.append(Entry("ring_overrun", ring_overrun, lambda x, n: x.reshape(-1, 128).sum(axis=0),
                     blocks(lambda b: 1, out=lambda b: 128), frozenset(ENDS)))  # fmt: skip


def cluster_read(k: Any, x: Any, y: Any, n: Any, *, sync: bool, stay: bool) -> None:
    """From the other CTA's shared memory."""
    room, rank = k.smem(px.f32, 32), k.cluster_ctarank
    k.st.shared.f32(room[k.tid.x], k.ld.global_.f32(x[k.ctaid.x * 32 + k.tid.x]) * 2.0)
    if sync:
        k.cluster_sync()
    v = k.ld.shared__cluster.f32(room.remote(rank ^ 1) + k.tid.x * 4)
    k.st.global_.f32(y[k.ctaid.x * 32 + k.tid.x], v)
    if stay:
        k.cluster_sync()


def other_half(x: Any, n: int) -> Any:
    return 2 * x.reshape(-1, 2, 32)[:, ::-1].reshape(-1)


PAIRS = blocks(lambda b: 2 * b, size=64)
bad("cluster_not_synced", lambda k, x, y, n: cluster_read(k, x, y, n, sync=False, stay=True), ENDS, other_half, PAIRS, threads=32,
    cluster=2)  # fmt: skip
bad("cluster_left_early", lambda k, x, y, n: cluster_read(k, x, y, n, sync=True, stay=False), ENDS, other_half, PAIRS, threads=32,
    cluster=2)  # fmt: skip


# --- suppressed --------------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def suppressed(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    room = k.smem(px.f32, 128)
    at = k.ctaid.x * 128 + k.tid.x
    k.st.shared.f32(room[k.tid.x], k.ld.global_.f32(x[at]))  # ptxlab: ignore[PTX9200]: trust me
    # ptxlab: ignore[PTX9200]: it is right under this schedule
    k.st.global_.f32(y[at], k.ld.shared.f32(room[127 - k.tid.x]))


ENTRIES.append(Entry("suppressed", suppressed, swapped, blocks(), frozenset(RACES)))


# --- without an end ------------------------------------------------------------------------------------------------------------
def turning(k: Any, inside: Callable[[], Any]) -> None:
    again = k.label("again")
    k.place(again)
    inside()
    k.bra(again)


LONG = 200_000
bad("endless", then(lambda k, x, y, n, i: turning(k, lambda: k.add.u32(i, 1))), HANGS, most=LONG)
bad(
    "endless_for_large",
    then(lambda k, x, y, n, i: k.bra(k.place(k.label("l")) or _self(k), pred=n > 390)),
    HANGS,
    most=LONG,
)
bad("spin_on_flag", then(lambda k, x, y, n, i: spin(k, y)), HANGS, most=LONG)
bad("divergent_barrier", then(lambda k, x, y, n, i: half_barrier(k)), HANGS | {"faulty", "races"})
bad("instructions_used_up", then(lambda k, x, y, n, i: long_loop(k)), HANGS, most=LONG)
bad("mbarrier_nobody_arrives", then(lambda k, x, y, n, i: nobody(k)), HANGS)


def _self(k: Any) -> Any:
    """A label right here."""
    again = k.label("here")
    k.place(again)
    return again


def spin(k: Any, y: Any) -> None:
    seen = k.mov.u32(1)
    with k.while_(lambda: seen != 0x12345678):
        k.ld.relaxed.gpu.global_.u32(y[0], d=seen)


def half_barrier(k: Any) -> None:
    with k.if_(k.tid.x < 64):
        k.bar.sync(1, 128)


def long_loop(k: Any) -> None:
    count = k.mov.u32(0)
    with k.loop(1 << 24) as i:
        count += i


def nobody(k: Any) -> None:
    bar = k.mbarrier(2)
    k.mbarrier.init.shared.b64(bar, 2, pred=k.tid.x == 0)
    k.bar.warp.sync(ALL)
    bar.wait(0)


__all__ = ["ALL", "ENTRIES", "across"]
