"""Matrix products and attention with something left out, turned, or rounded too much."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import math
from collections.abc import Callable
from typing import Any

import ptxlab as px
from unit.verification.corpus.entry import WRONG, Entry
from unit.verification.corpus.honest_matrices import (
    MAPPED,
    TILES,
    eights,
    elements,
    mma_tf32,
    naive,
    product,
    times,
    times_turned,
    whole,
)
from unit.verification.corpus.honest_reductions import ALL, across
from unit.verification.corpus.honest_rows import attended, exp_of, heads

ENTRIES: list[Entry] = []
LONG = {"m": range(1, 20), "n": range(1, 20), "d": range(1, 300)}


def bad(name: str, kernel: Any, reference: Any = times, spec: px.Spec | None = None, runs: int = 8) -> None:
    ENTRIES.append(Entry(name, kernel, reference, spec or product(elements, sizes=LONG), WRONG, runs))


def multiplied(
    name: str,
    last: Callable[..., Any] | None = None,
    term: Callable[..., Any] | None = None,
    keep: Callable[..., Any] | None = None,
    at: Callable[..., Any] | None = None,
    **given: Any,
) -> None:
    """Three loops: where the sum ends, what is added, what is kept of the sum, and where the result goes."""

    @px.kernel(threads=128, name=name)
    def kernel(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
        i = k.ctaid.x * 128 + k.tid.x
        with k.if_(i < m * n):
            row, column, sum_ = i // n, i % n, k.mov.f32(0.0)
            with k.loop(d if last is None else last(k, d)) as j:
                one, other = k.ld.global_.f32(a[row * d + j]), k.ld.global_.f32(b[j * n + column])
                new = k.fma.rn.f32(one, other, sum_) if term is None else k.add.rn.f32(sum_, term(k, one, other))
                k.mov.f32(new if keep is None else keep(k, new), d=sum_)
            k.st.global_.f32(c[i if at is None else at(row, column, m, n)], sum_)

    bad(name, kernel, **given)


def to_f16(k: Any, v: Any) -> Any:
    return k.cvt.f32.f16(k.cvt.rn.f16.f32(v))


def to_bf16(k: Any, v: Any) -> Any:
    return k.cvt.f32.bf16(k.cvt.rn.bf16.f32(v))


def to_tf32(k: Any, v: Any) -> Any:
    return k.mov.b32(k.cvt.rna.tf32.f32(v))


def to_e4m3(k: Any, v: Any) -> Any:
    pair = k.cvt.rn.satfinite.e4m3x2.f32(v, v)
    low, _ = k.unpack(k.cvt.rn.f16x2.e4m3x2(pair), px.b16)
    return k.cvt.f32.f16(low)


multiplied("last_step_out", last=lambda k, d: d - 1)
multiplied("last_tile_out", last=lambda k, d: k.and_.b32(d, 0xFFFFFFF0))
multiplied("first_256_steps", last=lambda k, d: k.min.u32(d, 256))
multiplied("sum_kept_as_f16", keep=to_f16)
multiplied("sum_kept_as_bf16", keep=to_bf16)
multiplied("products_as_f16", term=lambda k, a, b: to_f16(k, a * b))
multiplied("factors_as_f16", term=lambda k, a, b: to_f16(k, a) * to_f16(k, b))
multiplied("factors_as_bf16", term=lambda k, a, b: to_bf16(k, a) * to_bf16(k, b))
multiplied("factors_as_tf32", term=lambda k, a, b: k.mul.rn.f32(to_tf32(k, a), to_tf32(k, b)))
multiplied("factor_as_e4m3", term=lambda k, a, b: to_e4m3(k, a) * b)
multiplied("result_turned", at=lambda row, column, m, n: column * m + row)
multiplied("absolute_factors", term=lambda k, a, b: k.abs.f32(a * b))
multiplied("negative_out", term=lambda k, a, b: k.max.f32(a * b, 0.0))
multiplied("scaled_wrongly", term=lambda k, a, b: a * b * 1.001)
bad("factors_exchanged", naive, lambda a, b, *_: b @ a, product(elements, sizes={"m": [8], "n": [8], "d": [8]}))
bad("factor_turned", naive, lambda a, b, *_: a.T @ b, product(elements, sizes={"m": [8], "n": [8], "d": [8]}))
bad("tf32_unasked", mma_tf32, times_turned, product(eights, steps=(16, 8, 8), sizes=TILES, turned=True, nan=False), 16)


@px.kernel(threads=128)
def bytes_saturated(k, a: px.Ptr[px.s8], b: px.Ptr[px.s8], c: px.Ptr[px.s32], m: px.u32, n: px.u32, d: px.u32):
    """A sum of 16 bits."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < m * n):
        row, column, sum_ = i // n, i % n, k.mov.s32(0)
        with k.loop(d, step=4) as j:
            one, other = k.ld.global_.b32(a[row * d + j]), k.ld.global_.b32(b[column * d + j])
            k.dp4a.s32.s32(one, other, sum_, d=sum_)
            k.max.s32(k.min.s32(sum_, 32767), -32768, d=sum_)
        k.st.global_.s32(c[i], sum_)


@px.kernel(threads=128)
def bytes_unsigned(k, a: px.Ptr[px.s8], b: px.Ptr[px.s8], c: px.Ptr[px.s32], m: px.u32, n: px.u32, d: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < m * n):
        row, column, sum_ = i // n, i % n, k.mov.s32(0)
        with k.loop(d, step=4) as j:
            one, other = k.ld.global_.b32(a[row * d + j]), k.ld.global_.b32(b[column * d + j])
            k.dp4a.u32.s32(one, other, sum_, d=sum_)
        k.st.global_.s32(c[i], sum_)


for _kernel in (bytes_saturated, bytes_unsigned):
    bad(_kernel.name, _kernel, whole, product(elements, "s8", "s32", steps=(1, 1, 4), turned=True))


@px.kernel(threads=128)
def one_stage(k, a: px.TensorMap, b: px.TensorMap, c: px.Ptr[px.f32], n: px.u32, d: px.u32):
    """The next tiles are loaded while wgmma still reads these; and its results are stored without a wait."""
    left, right = (k.smem(px.bf16, (64, 64), swizzle="128B") for _ in range(2))
    full = k.mbarrier(1)
    k.init_barriers()
    acc, phase = k.accumulator(64, 64), k.mov.u32(0)
    for register in acc:
        k.mov.f32(0.0, d=register)
    with k.loop(d, step=64) as at:
        with k.if_(k.tid.x == 0):
            full.arrive_expect_tx(left.nbytes + right.nbytes)
            k.tma_load(left, a, (at, k.ctaid.y * 64), full)
            k.tma_load(right, b, (at, k.ctaid.x * 64), full)
        full.wait(phase)
        phase ^= 1
        one, other = left.descriptor(), right.descriptor()
        with k.wgmma_group(wait=1):
            for i in range(one.steps):
                k.wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16(acc, one[i], other[i], 1, 1, 1, 0, 0)
    acc.store(c, n, row=k.ctaid.y * 64, column=k.ctaid.x * 64)


ENTRIES.append(Entry("one_stage", one_stage, times_turned, MAPPED, frozenset({"races", "wrong", "hangs"}), 3))


def attending(name: str, scale: float = 1 / math.sqrt(32), shrink: bool = True, less: int = 0) -> None:
    """Keys one by one, with something wrong."""

    @px.kernel(threads=32, name=name)
    def kernel(k, q: px.Ptr[px.f32], keys: px.Ptr[px.f32], v: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32, *, d):
        row = k.ctaid.x
        mine = k.ld.global_.f32(q[row * d + k.laneid])
        top, sum_, out = k.mov.f32(-1e30), k.mov.f32(0.0), k.mov.f32(0.0)
        with k.loop(n - less if less else n) as j:
            s = across(k, k.mul.rn.f32(mine, k.ld.global_.f32(keys[j * d + k.laneid])), k.add.rn.f32)
            s = k.mul.rn.f32(s, scale)
            new = k.max.f32(top, s)
            shrunk, e = exp_of(k, k.sub.rn.f32(top, new)), exp_of(k, k.sub.rn.f32(s, new))
            k.fma.rn.f32(sum_, shrunk, e, d=sum_)
            k.fma.rn.f32(out, shrunk if shrink else 1.0, k.mul.rn.f32(e, k.ld.global_.f32(v[j * d + k.laneid])), d=out)
            k.mov.f32(new, d=top)
        k.st.global_.f32(y[row * d + k.laneid], k.div.rn.f32(out, sum_))

    spec = px.Spec(heads, {"m": range(1, 6), "n": range(2, 70)}, nan=False)
    bad(name, kernel, attended, spec)


attending("attention_unscaled", scale=1.0)
attending("attention_scaled_by_d", scale=1 / 32)
attending("attention_without_shrinking", shrink=False)
attending("attention_without_last_key", less=1)
__all__ = ["ALL", "ENTRIES"]
