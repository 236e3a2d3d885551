"""Matrix products, from three loops to wgmma."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.kernels.blocks import epilogue
from ptxlab.kernels.conv import conv2d
from ptxlab.kernels.gemm import gemm
from ptxlab.kernels.grouped_gemm import grouped_gemm
from unit.verification.corpus.entry import Entry, rows
from unit.verification.corpus.honest_reductions import ALL, across

ENTRIES: list[Entry] = []
SMALL = {"m": range(1, 40), "n": range(1, 40), "d": range(1, 70)}


def entry(name: str, kernel: Any, reference: Any, spec: px.Spec, **options: Any) -> None:
    ENTRIES.append(Entry(name, kernel, reference, spec, **options))


def product(
    grid: Any, dtype: str = "f32", out: str = "f32", steps: Any = None, turned: bool = False, **options: Any
) -> px.Spec:
    """C = A · B, where sizes are multiplied by `steps`; turned: B is given as its transpose."""
    sizes, given = options.pop("sizes", SMALL), options.pop("given", {})
    numbers = options.pop("numbers", True)

    def case(m: int, n: int, d: int) -> px.Case:
        u, v, w = steps or (1, 1, 1)
        m, n, d = m * u, n * v, d * w
        a, b = px.Input(dtype, (m, d), **given), px.Input(dtype, (n, d) if turned else (d, n), **given)
        return px.case([a, b, px.Output(out, (m, n)), *([m, n, d] if numbers else [])], grid=grid(m, n))

    return px.Spec(case, sizes, **options)


def times(a: Any, b: Any, *_: Any) -> Any:
    return a @ b


def times_turned(a: Any, b: Any, *_: Any) -> Any:
    return a @ b.T


def whole(a: Any, b: Any, *_: Any) -> Any:
    return a.astype(np.int32) @ b.astype(np.int32).T


# --- in f32 ---------------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def naive(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < m * n):
        row, column, sum_ = i // n, i % n, k.mov.f32(0.0)
        with k.loop(d) as j:
            k.fma.rn.f32(k.ld.global_.f32(a[row * d + j]), k.ld.global_.f32(b[j * n + column]), sum_, d=sum_)
        k.st.global_.f32(c[i], sum_)


@px.kernel(threads=128)
def naive_apart(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    """Products and sums rounded one by one, from the last term on."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < m * n):
        row, column, sum_ = i // n, i % n, k.mov.f32(0.0)
        with k.loop(d) as t:
            j = d - 1 - t
            term = k.mul.rn.f32(k.ld.global_.f32(a[row * d + j]), k.ld.global_.f32(b[j * n + column]))
            k.add.rn.f32(sum_, term, d=sum_)
        k.st.global_.f32(c[i], sum_)


@px.kernel(threads=(16, 16))
def tiled(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    """16 × 16 tiles in shared memory; what lies outside counts as zeros."""
    left, right = k.smem(px.f32, (16, 16)), k.smem(px.f32, (16, 16))
    x, y = k.tid.x, k.tid.y
    row, column, sum_ = k.ctaid.y * 16 + y, k.ctaid.x * 16 + x, k.mov.f32(0.0)
    with k.loop(d, step=16) as at:
        for tile, array, r, c_, height, width in (
            (left, a, row, at + x, m, d),
            (right, b, at + y, column, d, n),
        ):
            v = k.mov.f32(0.0)
            k.ld.global_.f32(array[r * width + c_], d=v, pred=(r < height) & (c_ < width))
            k.st.shared.f32(tile.at((y * 16 + x) * 4), v)
        k.bar.sync(0)
        for j in range(16):
            one, other = k.ld.shared.f32(left.at((y * 16 + j) * 4)), k.ld.shared.f32(right.at((x + 16 * j) * 4))
            k.fma.rn.f32(one, other, sum_, d=sum_)
        k.bar.sync(0)
    k.st.global_.f32(c[row * n + column], sum_, pred=(row < m) & (column < n))


@px.kernel(threads=(16, 16))
def copied_ahead(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    """The next tiles come by cp.async while these are multiplied; extents are multiples of 16."""
    tiles = k.smem(px.f32, (2, 2, 256), align=16)
    x, y = k.tid.x, k.tid.y
    row, column, sum_ = k.ctaid.y * 16 + y, k.ctaid.x * 16 + x, k.mov.f32(0.0)

    def start(at: Any, stage: Any) -> None:
        mine = stage * 2048 + (y * 16 + x) * 4
        k.cp.async_.ca.shared.global_(tiles.at(mine), a[row * d + at + x], 4)
        k.cp.async_.ca.shared.global_(tiles.at(mine + 1024), b[(at + y) * n + column], 4)

    start(k.mov.u32(0), k.mov.u32(0))
    k.cp.async_.commit_group()
    with k.loop(d, step=16) as at:
        stage = (at >> 4) & 1
        with k.if_(at + 16 < d):
            start(at + 16, stage ^ 1)
        k.cp.async_.commit_group()
        k.cp.async_.wait_group(1)
        k.bar.sync(0)
        for j in range(16):
            one = k.ld.shared.f32(tiles.at(stage * 2048 + (y * 16 + j) * 4))
            k.fma.rn.f32(one, k.ld.shared.f32(tiles.at(stage * 2048 + (x + 16 * j) * 4 + 1024)), sum_, d=sum_)
        k.bar.sync(0)
    k.st.global_.f32(c[row * n + column], sum_)


@px.kernel(threads=32)
def gemv(k, a: px.Ptr[px.f32], x: px.Ptr[px.f32], y: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    """A warp for each row of each matrix of a batch, n of them."""
    row, sum_ = k.ctaid.y * m + k.ctaid.x, k.mov.f32(0.0)
    with k.loop(d, start=k.laneid, step=32) as j:
        k.fma.rn.f32(k.ld.global_.f32(a[row * d + j]), k.ld.global_.f32(x[k.ctaid.y * d + j]), sum_, d=sum_)
    sum_ = across(k, sum_, k.add.rn.f32)
    k.st.global_.f32(y[row], sum_, pred=k.laneid == 0)


def batch(m: int, n: int, d: int) -> px.Case:
    return px.case(
        [px.Input("f32", (n, m, d)), px.Input("f32", (n, d)), px.Output("f32", (n, m)), m, n, d], grid=(m, n)
    )


@px.kernel(threads=128)
def split(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], parts: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    """The CTAs along y have parts of the sum each."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < m * n):
        row, column, sum_ = i // n, i % n, k.mov.f32(0.0)
        with k.loop(d, start=k.ctaid.y, step=4) as j:
            k.fma.rn.f32(k.ld.global_.f32(a[row * d + j]), k.ld.global_.f32(b[j * n + column]), sum_, d=sum_)
        k.st.global_.f32(parts[k.ctaid.y * m * n + i], sum_)


@px.kernel(threads=128)
def joined(k, parts: px.Ptr[px.f32], c: px.Ptr[px.f32], count: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < count):
        sum_ = k.ld.global_.f32(parts[i])
        for part in range(1, 4):
            sum_ += k.ld.global_.f32(parts[i + count * part])
        k.st.global_.f32(c[i], sum_)


def split_along_d(a: Any, b: Any, c: Any, m: int, n: int, d: int) -> None:
    parts = px.empty((4, m, n), np.float32)
    split[rows(m * n), 4](a, b, parts, m, n, d)
    joined[rows(m * n)](parts, c, m * n)


def elements(m: int, n: int) -> int:
    return rows(m * n)


def sixteenths(m: int, n: int) -> tuple[int, int]:
    return rows(n, 16), rows(m, 16)


TILES = {"m": range(1, 3), "n": range(1, 3), "d": range(1, 5)}
entry("naive", naive, times, product(elements))
entry("naive_apart", naive_apart, times, product(elements))
entry("tiled", tiled, times, product(sixteenths))
entry("copied_ahead", copied_ahead, times, product(sixteenths, steps=(16, 16, 16), sizes=TILES), runs=3)
entry("gemv", gemv, lambda a, x, *_: np.einsum("bij,bj->bi", a, x), px.Spec(batch, {"m": range(1, 20), "n": range(1, 4),
      "d": range(1, 100)}))  # fmt: skip
entry("split_along_d", split_along_d, times, product(elements))


# --- integers ---------------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def dp4a(k, a: px.Ptr[px.s8], b: px.Ptr[px.s8], c: px.Ptr[px.s32], m: px.u32, n: px.u32, d: px.u32):
    """Four bytes at once; the rows of A and of Bᵀ are multiples of 4."""
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < m * n):
        row, column, sum_ = i // n, i % n, k.mov.s32(0)
        with k.loop(d, step=4) as j:
            one, other = k.ld.global_.b32(a[row * d + j]), k.ld.global_.b32(b[column * d + j])
            k.dp4a.s32.s32(one, other, sum_, d=sum_)
        k.st.global_.s32(c[i], sum_)


entry("dp4a", dp4a, whole, product(elements, "s8", "s32", steps=(1, 1, 4), turned=True))


# --- mma --------------------------------------------------------------------------------------------------------------------
def by_mma(name: str, shape: str, types: str, kind: Any, words: Any, depth: int) -> px.Kernel:
    """A warp for each 16 × 8: fragments straight from memory, B as its transpose. depth: steps along K of an instruction."""
    result = px.s32 if types.startswith("s32") else px.f32

    @px.kernel(threads=32, name=name)
    def mma(k, a: px.Ptr[kind], b: px.Ptr[kind], c: px.Ptr[result], m: px.u32, n: px.u32, d: px.u32):
        g, t = k.laneid >> 2, k.laneid & 3
        row, column = k.ctaid.y * 16 + g, k.ctaid.x * 8 + g
        opcode = k.mma.sync.aligned
        for word in [shape, "row", "col", *types.split(".")]:
            opcode = getattr(opcode, word)
        acc = [getattr(k.mov, types.split(".")[0])(0 if result is px.s32 else 0.0) for _ in range(4)]
        with k.loop(d, step=depth) as at:
            near, far = at + t * words, at + t * words + depth // 2
            left = [k.ld.global_.b32(a[(row + r) * d + s]) for s in (near, far) for r in (0, 8)]
            right = [k.ld.global_.b32(b[column * d + s]) for s in (near, far)]
            opcode(left, right, acc, d=acc)
        k.fragment(f"mma.{shape}", "d", result, acc).store(c, n, row=k.ctaid.y * 16, column=k.ctaid.x * 8)

    return mma


def eights(m: int, n: int) -> tuple[int, int]:
    return n // 8, m // 16


for _name, _shape, _types, _kind, _words, _depth in (
    ("mma_f16", "m16n8k16", "f32.f16.f16.f32", "f16", 2, 16),
    ("mma_bf16", "m16n8k16", "f32.bf16.bf16.f32", "bf16", 2, 16),
    ("mma_s8", "m16n8k32", "s32.s8.s8.s32", "s8", 4, 32),
    ("mma_e4m3", "m16n8k32", "f32.e4m3.e4m3.f32", "e4m3", 4, 32),
):
    _spec = product(eights, _kind, "s32" if _kind == "s8" else "f32", steps=(16, 8, _depth), sizes=TILES, turned=True)
    entry(_name, by_mma(_name, _shape, _types, getattr(px, _kind), _words, _depth),
          whole if _kind == "s8" else times_turned, _spec)  # fmt: skip


@px.kernel(threads=32)
def mma_tf32(k, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    """Factors rounded to tf32."""
    g, t = k.laneid >> 2, k.laneid & 3
    row, column = k.ctaid.y * 16 + g, k.ctaid.x * 8 + g
    acc = [k.mov.f32(0.0) for _ in range(4)]

    def narrowed(v: Any) -> Any:
        return k.cvt.rna.tf32.f32(v)

    with k.loop(d, step=8) as at:
        left = [narrowed(k.ld.global_.f32(a[(row + r) * d + at + t + s])) for s in (0, 4) for r in (0, 8)]
        right = [narrowed(k.ld.global_.f32(b[column * d + at + t + s])) for s in (0, 4)]
        k.mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32(left, right, acc, d=acc)
    k.fragment("mma.m16n8k8", "d", px.f32, acc).store(c, n, row=k.ctaid.y * 16, column=k.ctaid.x * 8)


@px.kernel(threads=32)
def mma_f64(k, a: px.Ptr[px.f64], b: px.Ptr[px.f64], c: px.Ptr[px.f64], m: px.u32, n: px.u32, d: px.u32):
    g, t = k.laneid >> 2, k.laneid & 3
    row, column = k.ctaid.y * 8, k.ctaid.x * 8
    acc = [k.mov.f64(0.0) for _ in range(2)]
    with k.loop(d, step=4) as at:
        one, other = k.ld.global_.f64(a[(row + g) * d + at + t]), k.ld.global_.f64(b[(column + g) * d + at + t])
        k.mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64([one], [other], acc, d=acc)
    k.st.global_.f64(c[(row + g) * n + column + 2 * t], acc[0])
    k.st.global_.f64(c[(row + g) * n + column + 2 * t + 1], acc[1])


@px.kernel(threads=32)
def by_ldmatrix(k, a: px.Ptr[px.f16], b: px.Ptr[px.f16], c: px.Ptr[px.f32], m: px.u32, n: px.u32, d: px.u32):
    """16 × 8 of C a warp; A and B by way of shared memory, B transposed by ldmatrix."""
    left, right = k.smem(px.f16, (16, 16), align=16), k.smem(px.f16, (16, 8), align=16)
    row, column, lane = k.ctaid.y * 16, k.ctaid.x * 8, k.laneid
    acc = [k.mov.f32(0.0) for _ in range(4)]
    r, half = lane >> 1, lane & 1
    with k.loop(d, step=16) as at:
        four = k.ld.global_.v4.b32(a[(row + r) * d + at + half * 8])
        k.st.shared.v4.b32(left.at((r * 16 + half * 8) * 2), four)
        two = k.ld.global_.v2.b32(b[(at + r) * n + column + half * 4])
        k.st.shared.v2.b32(right.at((r * 8 + half * 4) * 2), two)
        k.bar.warp.sync(ALL)
        a_ = k.ldmatrix.sync.aligned.m8n8.x4.shared.b16(left.at(((lane & 15) * 16 + (lane >> 4) * 8) * 2))
        b_ = k.ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16(right.at((lane & 15) * 16))
        k.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(a_, b_, acc, d=acc)
        k.bar.warp.sync(ALL)
    k.fragment("mma.m16n8k16", "d", px.f32, acc).store(c, n, row=row, column=column)


entry("mma_tf32", mma_tf32, times_turned,
      product(eights, steps=(16, 8, 8), sizes=TILES, turned=True, products="tf32", nan=False))  # fmt: skip
entry("mma_f64", mma_f64, times_turned, product(lambda m, n: (n // 8, m // 8), "f64", "f64", steps=(8, 8, 4), sizes=TILES,
      turned=True, accuracy="f64"))  # fmt: skip
entry("by_ldmatrix", by_ldmatrix, times, product(eights, "f16", steps=(16, 8, 16), sizes=TILES))


# --- wgmma and TMA ------------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def by_wgmma(k, a: px.TensorMap, b: px.TensorMap, c: px.Ptr[px.f32], n: px.u32, d: px.u32):
    """64 × 64 of C a CTA; B is given as its transpose."""
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
        with k.wgmma_group():
            for i in range(one.steps):
                k.wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16(acc, one[i], other[i], 1, 1, 1, 0, 0)
        k.bar.sync(0)
    acc.store(c, n, row=k.ctaid.y * 64, column=k.ctaid.x * 64)


@px.kernel(threads=256)
def by_roles(k, a: px.TensorMap, b: px.TensorMap, c: px.Ptr[px.f32], n: px.u32, d: px.u32):
    """A warp loads into a ring of two stages, a warpgroup multiplies."""
    left, right = (k.smem(px.bf16, (2, 64, 64), swizzle="128B") for _ in range(2))
    ring = k.ring(2, left, right, consumers=4)
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0), k.if_(k.warp == 0), k.elect(), k.loop(d, step=64) as at, ring.produce() as slot:
            k.tma_load(slot[0], a, (at, k.ctaid.y * 64), slot.full)
            k.tma_load(slot[1], b, (at, k.ctaid.x * 64), slot.full)
        with k.role(warpgroup=1):
            acc = k.accumulator(64, 64)
            for register in acc:
                k.mov.f32(0.0, d=register)
            with k.loop(d, step=64), ring.consume(release=k.laneid == 0) as slot:
                one, other = slot[0].descriptor(), slot[1].descriptor()
                with k.wgmma_group():
                    for i in range(one.steps):
                        k.wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16(acc, one[i], other[i], 1, 1, 1, 0, 0)
                k.bar.warp.sync(ALL)
            acc.store(c, n, row=k.ctaid.y * 64, column=k.ctaid.x * 64)


def mapped(m: int, n: int, d: int) -> px.Case:
    m, n, d = 64 * m, 64 * n, 64 * d
    a, b = px.Input("bf16", (m, d)), px.Input("bf16", (n, d))
    maps = [one.map(box=(64, 64), swizzle="128B") for one in (a, b)]
    return px.case([*maps, px.Output("f32", (m, n)), n, d], grid=(n // 64, m // 64))


MAPPED = px.Spec(mapped, {"m": range(1, 3), "n": range(1, 3), "d": range(1, 4)})
entry("by_wgmma", by_wgmma, times_turned, MAPPED, runs=3)
entry("by_roles", by_roles, times_turned, MAPPED, runs=3)


def library(dtype: str, out: str, **options: Any) -> px.Spec:
    return product(lambda m, n: 1, dtype, out, steps=(16, 16, 16), numbers=False,
                   sizes={"m": range(1, 6), "n": range(1, 6), "d": range(1, 9)}, **options)  # fmt: skip


def relu_times(a: Any, b: Any, c: Any) -> None:
    gemm(a, b, c, epilogue=epilogue.relu)


def grouped(a: Any, b: Any, c: Any) -> None:
    grouped_gemm([(a, b, c)])


def images(n: int, h: int) -> px.Case:
    x, w = px.Input("bf16", (n, h, h, 16)), px.Input("bf16", (16, 3, 3, 16))
    return px.case([x, w, px.Output("f32", (n, h - 2, h - 2, 16))])


def convolved(x: Any, w: Any) -> Any:
    h = x.shape[1] - 2
    parts = (np.einsum("nhwc,kc->nhwk", x[:, i : i + h, j : j + h], w[:, i, j]) for i in range(3) for j in range(3))
    return sum(parts)


def conv(x: Any, w: Any, y: Any) -> None:
    conv2d(x, w, y)


for _dtype, _out, _accuracy in (("bf16", "f32", "f32"), ("f16", "f16", "f32"), ("e4m3", "bf16", "tf32")):
    # sums of fp8 on tensor cores keep about 13 bits
    entry(f"gemm_{_dtype}", lambda a, b, c: gemm(a, b, c), times, library(_dtype, _out, accuracy=_accuracy), runs=3)
entry("gemm_relu", relu_times, lambda a, b: np.maximum(a @ b, 0), library("bf16", "bf16", nan=False), runs=3)
entry("grouped", grouped, times, library("bf16", "f32"), runs=2)
entry("conv", conv, convolved, px.Spec(images, {"n": range(1, 3), "h": range(3, 7)}), runs=2)
