"""Rows of matrices: softmax, norms, losses, attention of small extents."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import math
from typing import Any

import numpy as np

import ptxlab as px
from unit.verification.corpus.entry import Entry
from unit.verification.corpus.honest_reductions import ALL, across, total

ENTRIES: list[Entry] = []
LOG2E = math.log2(math.e)
SIZES = {"m": range(1, 12), "n": range(1, 150)}


def by_row(
    *more: Any, dtype: str = "f32", out: str | None = None, sizes: Any = None, nan: bool = False, **given: Any
) -> px.Spec:
    """m rows of n, a CTA for each; `more`: further inputs of n elements. The results have the rows' shape."""
    low, high = given.pop("low", -6), given.pop("high", 6)

    def case(m: int, n: int) -> px.Case:
        extra = [px.Input(dtype, n, low=-2, high=2) for _ in more]
        array = px.Input(dtype, (m, n), low=low, high=high)
        return px.case([array, *extra, px.Output(out or dtype, (m, n)), n], grid=m)

    return px.Spec(case, sizes or SIZES, nan=nan, **given)


def exp_of(k: Any, v: Any) -> Any:
    return k.ex2.approx.ftz.f32(k.mul.rn.f32(v, LOG2E))


def softmax_of(x: Any, *_: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def largest(k: Any, value: Any, room: Any) -> Any:
    value = across(k, value, k.max.f32)
    k.st.shared.f32(room[k.warp], value, pred=k.laneid == 0)
    k.bar.sync(0)
    return across(k, k.ld.shared.f32(room[k.laneid & 3]), k.max.f32, 4)


# --- softmax ------------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def softmax_cta(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    tops, sums, row = k.smem(px.f32, 4), k.smem(px.f32, 4), k.ctaid.x * n
    top = k.mov.f32(-math.inf)
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.max.f32(top, k.ld.global_.f32(x[row + i]), d=top)
    top = largest(k, top, tops)
    part = k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        part += exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), top))
    share = k.rcp.rn.f32(total(k, part, sums))
    with k.loop(n, start=k.tid.x, step=128) as i:
        e = exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), top))
        k.st.global_.f32(y[row + i], k.mul.rn.f32(e, share))


@px.kernel(threads=32)
def softmax_warp(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    row = k.ctaid.x * n
    top = k.mov.f32(-math.inf)
    with k.loop(n, start=k.laneid, step=32) as i:
        k.max.f32(top, k.ld.global_.f32(x[row + i]), d=top)
    top = across(k, top, k.max.f32)
    part = k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        part += exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), top))
    part = across(k, part, k.add.rn.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        e = exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), top))
        k.st.global_.f32(y[row + i], k.div.rn.f32(e, part))


@px.kernel(threads=32)
def softmax_online(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Maximum and sum in one pass; a lane that has seen nothing has a sum of 0."""
    row = k.ctaid.x * n
    top, part = k.mov.f32(-1e30), k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        v = k.ld.global_.f32(x[row + i])
        new = k.max.f32(top, v)
        grown = exp_of(k, k.sub.rn.f32(top, new))
        k.fma.rn.f32(part, grown, exp_of(k, k.sub.rn.f32(v, new)), d=part)
        k.mov.f32(new, d=top)
    all_ = across(k, top, k.max.f32)
    part = across(k, k.mul.rn.f32(part, exp_of(k, k.sub.rn.f32(top, all_))), k.add.rn.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        e = exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), all_))
        k.st.global_.f32(y[row + i], k.div.rn.f32(e, part))


@px.kernel(threads=32)
def softmax_f16(k, x: px.Ptr[px.f16], y: px.Ptr[px.f16], n: px.u32):
    """Halves in memory, f32 in registers."""
    row = k.ctaid.x * n

    def at(i: Any) -> Any:
        return k.cvt.f32.f16(k.ld.global_.b16(x[row + i]))

    top, part = k.mov.f32(-math.inf), k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        k.max.f32(top, at(i), d=top)
    top = across(k, top, k.max.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        part += exp_of(k, k.sub.rn.f32(at(i), top))
    part = across(k, part, k.add.rn.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        e = k.div.rn.f32(exp_of(k, k.sub.rn.f32(at(i), top)), part)
        k.st.global_.b16(y[row + i], k.cvt.rn.f16.f32(e))


def softmax_two(x: Any, y: Any, n: int) -> None:
    """Exponentials with their sums, then the quotients."""
    m = x.shape[0]
    sums = px.empty(m, np.float32)
    powers[m](x, y, sums, n)
    quotients[m](y, sums, n)


@px.kernel(threads=128)
def powers(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], s: px.Ptr[px.f32], n: px.u32):
    tops, sums, row = k.smem(px.f32, 4), k.smem(px.f32, 4), k.ctaid.x * n
    top, part = k.mov.f32(-math.inf), k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.max.f32(top, k.ld.global_.f32(x[row + i]), d=top)
    top = largest(k, top, tops)
    with k.loop(n, start=k.tid.x, step=128) as i:
        e = exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), top))
        part += e
        k.st.global_.f32(y[row + i], e)
    part = total(k, part, sums)
    k.st.global_.f32(s[k.ctaid.x], part, pred=k.tid.x == 0)


@px.kernel(threads=128)
def quotients(k, y: px.Ptr[px.f32], s: px.Ptr[px.f32], n: px.u32):
    share = k.rcp.approx.f32(k.ld.global_.f32(s[k.ctaid.x]))
    with k.loop(n, start=k.tid.x, step=128) as i:
        k.st.global_.f32(y[k.ctaid.x * n + i], k.ld.global_.f32(y[k.ctaid.x * n + i]) * share)


for _kernel in (softmax_cta, softmax_warp, softmax_online, softmax_two):
    ENTRIES.append(Entry(getattr(_kernel, "name", "softmax_two"), _kernel, softmax_of, by_row()))
ENTRIES.append(Entry("softmax_f16", softmax_f16, softmax_of, by_row(dtype="f16")))
ENTRIES.append(Entry("softmax_wide", softmax_warp, softmax_of, by_row(low=-1000, high=1000)))


# --- norms --------------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def rms_norm(k, x: px.Ptr[px.f32], w: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    room, row = k.smem(px.f32, 4), k.ctaid.x * n
    part = k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        v = k.ld.global_.f32(x[row + i])
        k.fma.rn.f32(v, v, part, d=part)
    mean = k.div.rn.f32(total(k, part, room), k.cvt.rn.f32.u32(n))
    scale = k.rsqrt.approx.f32(k.add.rn.f32(mean, 1e-5))
    with k.loop(n, start=k.tid.x, step=128) as i:
        v = k.mul.rn.f32(k.ld.global_.f32(x[row + i]), scale)
        k.st.global_.f32(y[row + i], k.mul.rn.f32(v, k.ld.global_.f32(w[i])))


@px.kernel(threads=128)
def layer_norm(k, x: px.Ptr[px.f32], w: px.Ptr[px.f32], b: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Mean first, then the squares of what is off it."""
    room, other, row = k.smem(px.f32, 4), k.smem(px.f32, 4), k.ctaid.x * n
    count, part, squares = k.cvt.rn.f32.u32(n), k.mov.f32(0.0), k.mov.f32(0.0)
    with k.loop(n, start=k.tid.x, step=128) as i:
        part += k.ld.global_.f32(x[row + i])
    mean = k.div.rn.f32(total(k, part, room), count)
    with k.loop(n, start=k.tid.x, step=128) as i:
        v = k.sub.rn.f32(k.ld.global_.f32(x[row + i]), mean)
        k.fma.rn.f32(v, v, squares, d=squares)
    scale = k.rsqrt.approx.f32(k.add.rn.f32(k.div.rn.f32(total(k, squares, other), count), 1e-5))
    with k.loop(n, start=k.tid.x, step=128) as i:
        v = k.mul.rn.f32(k.sub.rn.f32(k.ld.global_.f32(x[row + i]), mean), scale)
        k.st.global_.f32(y[row + i], k.fma.rn.f32(v, k.ld.global_.f32(w[i]), k.ld.global_.f32(b[i])))


@px.kernel(threads=32)
def unit_rows(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    row, part = k.ctaid.x * n, k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        v = k.ld.global_.f32(x[row + i])
        k.fma.rn.f32(v, v, part, d=part)
    length = k.sqrt.rn.f32(across(k, part, k.add.rn.f32))
    with k.loop(n, start=k.laneid, step=32) as i:
        k.st.global_.f32(y[row + i], k.div.rn.f32(k.ld.global_.f32(x[row + i]), length))


def normed(x: Any, w: Any, n: int) -> Any:
    return x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-5) * w


def layered(x: Any, w: Any, b: Any, n: int) -> Any:
    mean = x.mean(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * w + b


ENTRIES += [
    Entry("rms_norm", rms_norm, normed, by_row("w")),
    Entry("layer_norm", layer_norm, layered, by_row("w", "b", sizes={"m": range(1, 8), "n": range(4, 150)})),
    Entry("unit_rows", unit_rows, lambda x, n: x / np.linalg.norm(x, axis=1, keepdims=True), by_row(low=0.5, high=9)),
]


# --- one number a row -----------------------------------------------------------------------------------------------------
@px.kernel(threads=32)
def log_sum_exp(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    row = k.ctaid.x * n
    top, part = k.mov.f32(-math.inf), k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        k.max.f32(top, k.ld.global_.f32(x[row + i]), d=top)
    top = across(k, top, k.max.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        part += exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), top))
    log = k.mul.rn.f32(k.lg2.approx.f32(across(k, part, k.add.rn.f32)), math.log(2))
    k.st.global_.f32(y[k.ctaid.x], k.add.rn.f32(top, log), pred=k.laneid == 0)


@px.kernel(threads=32)
def cross_entropy(k, x: px.Ptr[px.f32], label: px.Ptr[px.s32], y: px.Ptr[px.f32], n: px.u32):
    row = k.ctaid.x * n
    top, part = k.mov.f32(-math.inf), k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as i:
        k.max.f32(top, k.ld.global_.f32(x[row + i]), d=top)
    top = across(k, top, k.max.f32)
    with k.loop(n, start=k.laneid, step=32) as i:
        part += exp_of(k, k.sub.rn.f32(k.ld.global_.f32(x[row + i]), top))
    log = k.mul.rn.f32(k.lg2.approx.f32(across(k, part, k.add.rn.f32)), math.log(2))
    at = k.cvt.u32.s32(k.ld.global_.s32(label[k.ctaid.x]))
    mine = k.sub.rn.f32(k.ld.global_.f32(x[row + at]), top)
    k.st.global_.f32(y[k.ctaid.x], k.sub.rn.f32(log, mine), pred=k.laneid == 0)


def entropy(x: Any, label: Any, n: int) -> Any:
    z = x - x.max(axis=1, keepdims=True)
    return np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(label)), label]


def one_a_row(*, labels: bool = False) -> px.Spec:
    def case(m: int, n: int) -> px.Case:
        label = px.Input("s32", m, low=0, high=n)
        x = px.Input("f32", (m, n), low=-6, high=6)
        return px.case([x, *([label] if labels else []), px.Output("f32", m), n], grid=m)

    return px.Spec(case, SIZES, nan=False)


ENTRIES += [
    Entry("log_sum_exp", log_sum_exp, lambda x, n: x.max(axis=1) + np.log(np.exp(x - x.max(axis=1)[:, None]).sum(axis=1)),
          one_a_row()),
    Entry("cross_entropy", cross_entropy, entropy, one_a_row(labels=True)),
]  # fmt: skip


# --- attention ------------------------------------------------------------------------------------------------------------
@px.kernel(threads=32)
def attention(k, q: px.Ptr[px.f32], keys: px.Ptr[px.f32], v: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32, *, d):
    """A warp for each query; scores in shared memory; d is 32: a column of the result for each lane."""
    scores, row = k.smem(px.f32, 256), k.ctaid.x
    top, sum_ = k.mov.f32(-math.inf), k.mov.f32(0.0)
    with k.loop(n, start=k.laneid, step=32) as j:
        s = k.mov.f32(0.0)
        with k.loop(d) as c:
            k.fma.rn.f32(k.ld.global_.f32(q[row * d + c]), k.ld.global_.f32(keys[j * d + c]), s, d=s)
        s = k.mul.rn.f32(s, 1 / math.sqrt(d))
        k.st.shared.f32(scores[j], s)
        k.max.f32(top, s, d=top)
    top = across(k, top, k.max.f32)
    with k.loop(n, start=k.laneid, step=32) as j:
        e = exp_of(k, k.sub.rn.f32(k.ld.shared.f32(scores[j]), top))
        k.st.shared.f32(scores[j], e)
        sum_ += e
    sum_ = across(k, sum_, k.add.rn.f32)
    k.bar.warp.sync(ALL)
    out = k.mov.f32(0.0)
    with k.loop(n) as j:
        k.fma.rn.f32(k.ld.shared.f32(scores[j]), k.ld.global_.f32(v[j * d + k.laneid]), out, d=out)
    k.st.global_.f32(y[row * d + k.laneid], k.div.rn.f32(out, sum_))


@px.kernel(threads=32)
def attention_online(k, q: px.Ptr[px.f32], keys: px.Ptr[px.f32], v: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32, *, d):
    """Keys one by one: what is summed shrinks when the maximum grows."""
    row = k.ctaid.x
    mine = k.ld.global_.f32(q[row * d + k.laneid])
    top, sum_, out = k.mov.f32(-1e30), k.mov.f32(0.0), k.mov.f32(0.0)
    with k.loop(n) as j:
        s = across(k, k.mul.rn.f32(mine, k.ld.global_.f32(keys[j * d + k.laneid])), k.add.rn.f32)
        s = k.mul.rn.f32(s, 1 / math.sqrt(d))
        new = k.max.f32(top, s)
        shrunk, e = exp_of(k, k.sub.rn.f32(top, new)), exp_of(k, k.sub.rn.f32(s, new))
        k.fma.rn.f32(sum_, shrunk, e, d=sum_)
        k.fma.rn.f32(out, shrunk, k.mul.rn.f32(e, k.ld.global_.f32(v[j * d + k.laneid])), d=out)
        k.mov.f32(new, d=top)
    k.st.global_.f32(y[row * d + k.laneid], k.div.rn.f32(out, sum_))


def attended(q: Any, keys: Any, v: Any, n: int) -> Any:
    return softmax_of(q @ keys.T / math.sqrt(32)) @ v


def heads(m: int, n: int) -> px.Case:
    q, keys, v = px.Input("f32", (m, 32), low=-2, high=2), *(px.Input("f32", (n, 32), low=-2, high=2) for _ in range(2))
    return px.case([q, keys, v, px.Output("f32", (m, 32)), n], grid=m, d=32)


for _kernel in (attention, attention_online):
    ENTRIES.append(
        Entry(_kernel.name, _kernel, attended, px.Spec(heads, {"m": range(1, 6), "n": range(1, 70)}, nan=False))
    )
