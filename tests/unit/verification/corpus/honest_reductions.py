"""Sums, maxima, scans, histograms, positions and sorting."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import math
from typing import Any

import numpy as np

import ptxlab as px
from unit.verification.corpus.entry import Entry, rows

ENTRIES: list[Entry] = []
ALL = 0xFFFFFFFF
N = range(1, 700)


def across(k: Any, value: Any, combine: Any, lanes: int = 32) -> Any:
    """Over each `lanes` neighbours."""
    while lanes > 1:
        lanes //= 2
        value = combine(value, k.shfl.sync.bfly.b32(value, lanes, 31, ALL))
    return value


def total(k: Any, value: Any, room: Any, warps: int = 4) -> Any:
    """The sum over a CTA, in each thread."""
    value = across(k, value, k.add.rn.f32)
    k.st.shared.f32(room[k.warp], value, pred=k.laneid == 0)
    k.bar.sync(0)
    return across(k, k.ld.shared.f32(room[k.laneid & (warps - 1)]), k.add.rn.f32, warps)


def reduced(
    dtype: str = "f32", out: Any = None, count: Any = 1, grid: Any = 1, sizes: Any = N, **given: Any
) -> px.Spec:
    """n elements to `count`."""
    accuracy = given.pop("accuracy", "f32")

    def case(n: int) -> px.Case:
        many = count(n) if callable(count) else count
        ctas = grid(n) if callable(grid) else grid
        return px.case([px.Input(dtype, n, **given), px.Output(out or dtype, many), n], grid=ctas)

    return px.Spec(case, {"n": sizes}, accuracy=accuracy)


def entry(name: str, kernel: Any, reference: Any, spec: px.Spec, **options: Any) -> None:
    ENTRIES.append(Entry(name, kernel, reference, spec, **options))


# --- sums ---------------------------------------------------------------------------------------------------------------
@px.kernel(threads=32)
def sum_warp(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    part = k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=32) as i:
        part += k.ld.global_.f32(x[i])
    part = across(k, part, k.add.rn.f32)
    k.st.global_.f32(y[0], part, pred=k.tid.x == 0)


@px.kernel(threads=128)
def sum_cta(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    room = k.smem(px.f32, 4)
    part = k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        part += k.ld.global_.f32(x[i])
    part = total(k, part, room)
    k.st.global_.f32(y[0], part, pred=k.tid.x == 0)


@px.kernel(threads=128)
def sum_tree(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """A tree in shared memory, a sum for each CTA."""
    room = k.smem(px.f32, 128)
    i = k.ctaid.x * 128 + k.tid.x
    v = k.mov.f32(0.0)
    k.ld.global_.f32(x[i], d=v, pred=i < n)
    k.st.shared.f32(room[k.tid.x], v)
    k.bar.sync(0)
    for half in (64, 32, 16, 8, 4, 2, 1):
        with k.if_(k.tid.x < half):
            k.st.shared.f32(room[k.tid.x], k.ld.shared.f32(room[k.tid.x]) + k.ld.shared.f32(room[k.tid.x + half]))
        k.bar.sync(0)
    k.st.global_.f32(y[k.ctaid.x], k.ld.shared.f32(room[0]), pred=k.tid.x == 0)


def sum_blocks(x: Any, n: int) -> Any:
    padded = np.pad(x, (0, -n % 128))
    return padded.reshape(-1, 128).sum(axis=1)


@px.kernel(threads=128)
def sum_atomic(k, x: px.Ptr[px.s32], y: px.Ptr[px.s32], n: px.u32):
    """Whole numbers, whose order does not matter, onto what there is."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.red.global_.add.s32(y[0], k.ld.global_.s32(x[i]))


def added(n: int) -> px.Case:
    return px.case([px.Input("s32", n), px.Input("s32", 1, updated=True), n], grid=rows(n))


@px.kernel(threads=128)
def sum_redux(k, x: px.Ptr[px.u32], y: px.Ptr[px.u32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    v = k.mov.u32(0)
    k.ld.global_.u32(x[i], d=v, pred=i < n)
    v = k.redux.sync.add.u32(v, ALL)
    k.st.global_.u32(y[k.ctaid.x * 4 + k.warp], v, pred=k.laneid == 0)


@px.kernel(threads=128)
def max_redux(k, x: px.Ptr[px.s32], y: px.Ptr[px.s32], n: px.u32):
    room = k.smem(px.s32, 4)
    best = k.mov.s32(-(1 << 31))
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.max.s32(best, k.ld.global_.s32(x[i]), d=best)
    k.st.shared.s32(room[k.warp], k.redux.sync.max.s32(best, ALL), pred=k.laneid == 0)
    k.bar.sync(0)
    with k.if_(k.tid.x == 0):
        for warp in range(4):
            k.max.s32(best, k.ld.shared.s32(room[warp]), d=best)
        k.st.global_.s32(y[0], best)


@px.kernel(threads=128)
def max_floats(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    room = k.smem(px.f32, 4)
    best = k.mov.f32(-math.inf)
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.max.NaN.f32(best, k.ld.global_.f32(x[i]), d=best)
    best = across(k, best, k.max.NaN.f32)
    k.st.shared.f32(room[k.warp], best, pred=k.laneid == 0)
    k.bar.sync(0)
    best = across(k, k.ld.shared.f32(room[k.laneid & 3]), k.max.NaN.f32, 4)
    k.st.global_.f32(y[0], best, pred=k.tid.x == 0)


@px.kernel(threads=128)
def dot(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    room = k.smem(px.f32, 4)
    part = k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.fma.rn.f32(k.ld.global_.f32(a[i]), k.ld.global_.f32(b[i]), part, d=part)
    part = total(k, part, room)
    k.st.global_.f32(y[0], part, pred=k.tid.x == 0)


def two(n: int) -> px.Case:
    return px.case([px.Input("f32", n), px.Input("f32", n), px.Output("f32", 1), n], grid=1)


@px.kernel(threads=32)
def dot_f16(k, a: px.Ptr[px.f16], b: px.Ptr[px.f16], y: px.Ptr[px.f32], n: px.u32):
    """Factors of f16, a sum of f32."""
    part = k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=32) as i:
        one, other = (k.cvt.f32.f16(k.ld.global_.b16(p[i])) for p in (a, b))
        k.fma.rn.f32(one, other, part, d=part)
    part = across(k, part, k.add.rn.f32)
    k.st.global_.f32(y[0], part, pred=k.tid.x == 0)


def two_f16(n: int) -> px.Case:
    return px.case([px.Input("f16", n), px.Input("f16", n), px.Output("f32", 1), n], grid=1)


def two_stages(x: Any, y: Any, n: int) -> None:
    """A sum for each CTA into memory of its own, then the sum of these."""
    parts = px.empty(rows(n), np.float32)
    sum_tree[rows(n)](x, parts, n)
    sum_cta[1](parts, y, rows(n))


def repeated(x: Any, y: Any, n: int) -> None:
    """Stages until one number is left, in turn in two arrays."""
    while n > 1:
        out = px.empty(rows(n), np.float32) if n > 128 else y
        sum_tree[rows(n)](x, out, n)
        x, n = out, rows(n)


@px.kernel(threads=128)
def sum_f64(k, x: px.Ptr[px.f64], y: px.Ptr[px.f64], n: px.u32):
    room = k.smem(px.f64, 128)
    part = k.mov.f64(0.0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        part += k.ld.global_.f64(x[i])
    k.st.shared.f64(room[k.tid.x], part)
    k.bar.sync(0)
    with k.if_(k.tid.x == 0):
        sum_ = k.mov.f64(0.0)
        with k.loop(128) as i:
            sum_ += k.ld.shared.f64(room[i])
        k.st.global_.f64(y[0], sum_)


@px.kernel(threads=128)
def ticketed(k, x: px.Ptr[px.f32], parts: px.Ptr[px.f32], ticket: px.Ptr[px.u32], y: px.Ptr[px.f32], n: px.u32):
    """The CTA that comes last adds the sums of all, in their order."""
    room, last = k.smem(px.f32, 4), k.smem(px.u32, 1)
    i = k.ctaid.x * 128 + k.tid.x
    v = k.mov.f32(0.0)
    k.ld.global_.f32(x[i], d=v, pred=i < n)
    v = total(k, v, room)
    with k.if_(k.tid.x == 0):
        k.st.global_.f32(parts[k.ctaid.x], v)
        k.st.shared.u32(last[0], k.atom.acq_rel.gpu.global_.inc.u32(ticket[0], k.nctaid.x - 1))
    k.bar.sync(0)
    with k.if_((k.ld.shared.u32(last[0]) == k.nctaid.x - 1) & (k.tid.x == 0)):
        sum_ = k.mov.f32(0.0)
        with k.loop(k.nctaid.x) as j:
            sum_ += k.ld.global_.f32(parts[j])
        k.st.global_.f32(y[0], sum_)


def by_ticket(x: Any, y: Any, n: int) -> None:
    ticketed[rows(n)](x, px.empty(rows(n), np.float32), np.zeros(1, np.uint32), y, n)


def sum_of(x: Any, n: int) -> Any:
    return x.sum().reshape(1)


entry("sum_warp", sum_warp, sum_of, reduced())
entry("sum_cta", sum_cta, sum_of, reduced())
entry("sum_tree", sum_tree, sum_blocks, reduced(count=rows, grid=rows))
entry("sum_atomic", sum_atomic, lambda x, y, n: y + x.sum(dtype=np.int32), px.Spec(added, {"n": N}))
entry("sum_redux", sum_redux, lambda x, n: np.pad(x, (0, -n % 128)).reshape(-1, 32).sum(axis=1, dtype=np.uint32),
      reduced("u32", count=lambda n: 4 * rows(n), grid=rows))  # fmt: skip
entry("max_redux", max_redux, lambda x, n: x.max().reshape(1), reduced("s32"))
entry("max_floats", max_floats, lambda x, n: x.max().reshape(1), reduced())
entry("dot", dot, lambda a, b, n: np.dot(a, b).reshape(1), px.Spec(two, {"n": N}))
entry("dot_f16", dot_f16, lambda a, b, n: np.sum(a * b).reshape(1), px.Spec(two_f16, {"n": N}))
entry("two_stages", two_stages, sum_of, reduced())
entry("repeated", repeated, sum_of, reduced(sizes=range(2, 700)))
entry("by_ticket", by_ticket, sum_of, reduced())
entry("sum_f64", sum_f64, sum_of, reduced("f64", accuracy="f64"))


# --- counting, positions --------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def count_ballot(k, x: px.Ptr[px.f32], y: px.Ptr[px.u32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    v = k.mov.f32(-1.0)
    k.ld.global_.f32(x[i], d=v, pred=i < n)
    votes = k.vote.sync.ballot.b32(k.setp.gt.f32(v, 0.0), ALL)
    k.st.global_.u32(y[k.ctaid.x * 4 + k.warp], k.popc.b32(votes), pred=k.laneid == 0)


@px.kernel(threads=64)
def argmax_rows(k, x: px.Ptr[px.f32], y: px.Ptr[px.u32], m: px.u32, n: px.u32):
    """A thread for each row; the first of equals."""
    row = k.ctaid.x * 64 + k.tid.x
    with k.if_(row < m):
        best, at = k.mov.f32(-math.inf), k.mov.u32(0)
        with k.loop(n) as j:
            v = k.ld.global_.f32(x[row * n + j])
            better = v > best
            k.mov.f32(v, d=best, pred=better)
            k.mov.u32(j, d=at, pred=better)
        k.st.global_.u32(y[row], at)


@px.kernel(threads=32)
def argmax_warp(k, x: px.Ptr[px.f32], y: px.Ptr[px.u32], best_of: px.Ptr[px.f32], n: px.u32):
    """A warp for each row; value and place, two results."""
    best, at = k.mov.f32(-math.inf), k.mov.u32(ALL)
    with k.loop(n, start=k.laneid, step=32) as j:
        v = k.ld.global_.f32(x[k.ctaid.x * n + j])
        better = v > best
        k.mov.f32(v, d=best, pred=better)
        k.mov.u32(j, d=at, pred=better)
    for step in (16, 8, 4, 2, 1):
        v, j = k.shfl.sync.bfly.b32(best, step, 31, ALL), k.shfl.sync.bfly.b32(at, step, 31, ALL)
        better = k.setp.gt.f32(v, best) | (k.setp.eq.f32(v, best) & k.setp.lt.u32(j, at))
        k.mov.f32(v, d=best, pred=better)
        k.mov.u32(j, d=at, pred=better)
    k.st.global_.u32(y[k.ctaid.x], at, pred=k.laneid == 0)
    k.st.global_.f32(best_of[k.ctaid.x], best, pred=k.laneid == 0)


@px.kernel(threads=128)
def histogram(k, x: px.Ptr[px.u8], y: px.Ptr[px.u32], n: px.u32):
    """Counts of 64 values in shared memory, one CTA."""
    bins = k.smem(px.u32, 64)
    with k.if_(k.tid.x < 64):
        k.st.shared.u32(bins[k.tid.x], 0)
    k.bar.sync(0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.red.shared.add.u32(bins[k.ld.global_.u8(x[i])], 1)
    k.bar.sync(0)
    with k.if_(k.tid.x < 64):
        k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(bins[k.tid.x]))


@px.kernel(threads=128)
def histogram_global(k, x: px.Ptr[px.u8], y: px.Ptr[px.u32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.red.global_.add.u32(y[k.ld.global_.u8(x[i])], 1)


def zeroed_first(x: Any, y: Any, n: int) -> None:
    """Counts from zero on, which a launch writes."""
    zeros[1](y, 64)
    histogram_global[rows(n)](x, y, n)


def zeroed_by_host(x: Any, y: Any, n: int) -> None:
    """The same; the host clears, as cudaMemset does."""
    y[...] = 0
    histogram_global[rows(n)](x, y, n)


@px.kernel(threads=64)
def zeros(k, y: px.Ptr[px.u32], n: px.u32):
    k.st.global_.u32(y[k.tid.x], 0, pred=k.tid.x < n)


def counted(x: Any, n: int) -> Any:
    return np.bincount(x, minlength=64).astype(np.uint32)


def rowwise(out: str, more: bool = False, dtype: str = "f32", per: int = 1, **given: Any) -> px.Spec:
    """m rows of n elements, one result a row."""

    def case(m: int, n: int) -> px.Case:
        outs = [px.Output(out, m), *([px.Output(dtype, m)] if more else [])]
        sizes = [m, n] if not more else [n]
        return px.case([px.Input(dtype, (m, n), **given), *outs, *sizes], grid=rows(m, per))

    return px.Spec(case, {"m": range(1, 20), "n": range(1, 90)}, nan=False)


entry("count_ballot", count_ballot,
      lambda x, n: np.pad(x > 0, (0, -n % 128)).reshape(-1, 32).sum(axis=1).astype(np.uint32),
      reduced(out="u32", count=lambda n: 4 * rows(n), grid=rows))  # fmt: skip
entry("argmax_rows", argmax_rows, lambda x, m, n: np.argmax(x, axis=1).astype(np.uint32), rowwise("u32", per=64))
entry(
    "argmax_warp",
    argmax_warp,
    lambda x, n: (np.argmax(x, axis=1).astype(np.uint32), x.max(axis=1)),
    rowwise("u32", True),
)
entry("histogram", histogram, counted, reduced("u8", "u32", count=64, high=64))
entry("zeroed_first", zeroed_first, counted, reduced("u8", "u32", count=64, high=64))
entry("zeroed_by_host", zeroed_by_host, counted, reduced("u8", "u32", count=64, high=64))


# --- scans and sorting ------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def scan_shared(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Hillis and Steele's, of 128 elements a CTA."""
    room = k.smem(px.f32, (2, 128))
    i, t = k.ctaid.x * 128 + k.tid.x, k.tid.x
    v = k.mov.f32(0.0)
    k.ld.global_.f32(x[i], d=v, pred=i < n)
    for turn, step in enumerate((1, 2, 4, 8, 16, 32, 64)):
        side = turn % 2 * 512
        k.st.shared.f32(room.at(t * 4 + side), v)
        k.bar.sync(0)
        with k.if_(t >= step):
            v += k.ld.shared.f32(room.at((t - step) * 4 + side))
    k.st.global_.f32(y[i], v, pred=i < n)


@px.kernel(threads=32)
def scan_warp(k, x: px.Ptr[px.u32], y: px.Ptr[px.u32], n: px.u32):
    """Exclusive, of any length, 32 at a time."""
    before = k.mov.u32(0)
    with k.loop(n, step=32) as base:
        i = base + k.laneid
        v = k.mov.u32(0)
        k.ld.global_.u32(x[i], d=v, pred=i < n)
        mine = k.mov.u32(v)
        for step in (1, 2, 4, 8, 16):
            up = k.shfl.sync.up.b32(v, step, 0, ALL)
            k.add.u32(v, up, d=v, pred=k.laneid >= step)
        k.st.global_.u32(y[i], before + v - mine, pred=i < n)
        before += k.shfl.sync.idx.b32(v, 31, 31, ALL)


@px.kernel(threads=128)
def add_before(k, y: px.Ptr[px.f32], sums: px.Ptr[px.f32], n: px.u32):
    """Each CTA adds the sums of those before it."""
    i = k.ctaid.x * 128 + k.tid.x
    before = k.mov.f32(0.0)
    with k.if_(k.ctaid.x > 0), k.loop(k.ctaid.x) as j:
        before += k.ld.global_.f32(sums[j])
    with k.if_(i < n):
        k.st.global_.f32(y[i], k.ld.global_.f32(y[i]) + before)


def scan_three(x: Any, y: Any, n: int) -> None:
    """A scan in each CTA, the sums of all, and both together."""
    sums = px.empty(rows(n), np.float32)
    scan_shared[rows(n)](x, y, n)
    sum_tree[rows(n)](x, sums, n)
    add_before[rows(n)](y, sums, n)


@px.kernel(threads=64)
def bitonic(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
    """64 numbers in shared memory."""
    room = k.smem(px.f32, 64)
    t = k.tid.x
    k.st.shared.f32(room[t], k.ld.global_.f32(x[k.ctaid.x * 64 + t]))
    k.bar.sync(0)
    size = 2
    while size <= 64:
        step = size // 2
        while step:
            mine, other = k.ld.shared.f32(room[t]), k.ld.shared.f32(room[t ^ step])
            k.bar.sync(0)
            up = ((t & size) == 0) if size < 64 else k.setp.eq.u32(0, 0)
            lower = (t & step) == 0
            least = k.xor.pred(up, lower)
            k.st.shared.f32(room[t], k.selp.f32(k.max.f32(mine, other), k.min.f32(mine, other), least))
            k.bar.sync(0)
            step //= 2
        size *= 2
    k.st.global_.f32(y[k.ctaid.x * 64 + t], k.ld.shared.f32(room[t]))


@px.kernel(threads=32)
def odd_even(k, x: px.Ptr[px.s32], y: px.Ptr[px.s32]):
    """32 numbers in a warp's registers, by neighbours."""
    v = k.ld.global_.s32(x[k.ctaid.x * 32 + k.laneid])
    for turn in range(32):
        to = (k.laneid ^ 1) if turn % 2 == 0 else ((k.laneid + 1) ^ 1) - 1
        inside = to < 32
        to = k.selp.u32(to, k.laneid, inside)
        w = k.shfl.sync.idx.b32(v, to, 31, ALL)
        w = k.mov.b32(w)
        v = k.selp.s32(k.min.s32(v, w), k.max.s32(v, w), k.laneid <= to)
    k.st.global_.s32(y[k.ctaid.x * 32 + k.laneid], v)


def sorted_rows(dtype: str, width: int) -> px.Spec:
    def case(m: int) -> px.Case:
        return px.case([px.Input(dtype, (m, width)), px.Output(dtype, (m, width))], grid=m)

    return px.Spec(case, {"m": range(1, 6)}, nan=False)


def scanned(x: Any, n: int) -> Any:
    return np.cumsum(np.pad(x, (0, -n % 128)).reshape(-1, 128), axis=1).reshape(-1)[:n]


entry("scan_shared", scan_shared, scanned, reduced(count=lambda n: n, grid=rows))
entry("scan_warp", scan_warp, lambda x, n: np.cumsum(x, dtype=np.uint32) - x, reduced("u32", count=lambda n: n))
entry("scan_three", scan_three, lambda x, n: np.cumsum(x), reduced(count=lambda n: n))
entry("bitonic", bitonic, lambda x: np.sort(x, axis=1), sorted_rows("f32", 64))
entry("odd_even", odd_even, lambda x: np.sort(x, axis=1), sorted_rows("s32", 32))
