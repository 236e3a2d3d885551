"""Kernels in Triton and Gluon, as their users write them, and what each is compiled for. Import it only where triton is."""

# pyright: reportMissingImports=false

from dataclasses import dataclass, field
from typing import Any

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper


@dataclass(frozen=True)
class Case:
    """A kernel and one choice of types and constants. `expected`: parts of opcodes that its PTX must have."""

    kernel: Any
    signature: dict[str, str]
    constants: dict[str, Any] = field(default_factory=dict)
    expected: tuple[str, ...] = ()
    warps: int = 4
    stages: int = 3


CASES: dict[str, Case] = {}


def case(
    name: str, kernel: Any, types: str, expected: str = "", *, warps: int = 4, stages: int = 3, **constants: Any
) -> None:
    """Enter a kernel; `types` are those of its leading parameters, divided by semicolons."""
    names = [p for p in kernel.arg_names if p not in constants]
    signature = dict(zip(names, types.split("; "), strict=True)) | dict.fromkeys(constants, "constexpr")
    CASES[name] = Case(kernel, signature, constants, tuple(expected.split()), warps, stages)


# --- elementwise, reductions, scans, atomics


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


case("add", add, "*fp32; *fp32; *fp32; i32", "ld.global", BLOCK=1024)
case("add_bf16", add, "*bf16; *bf16; *bf16; i32", "bf16", BLOCK=1024)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n).to(tl.float32)
    tl.store(out + i, (0.5 * v * (1 + tl.erf(v * 0.70710678))).to(out.dtype.element_ty), i < n)


case("gelu", gelu, "*fp16; *fp16; i64", "cvt.rn.f16", BLOCK=512)


@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + i, e / tl.sum(e, axis=0), i < n)


case("softmax", softmax, "*fp32; *fp32; i32; i32", "shfl.sync ex2.approx", BLOCK=2048, warps=8)


@triton.jit
def layer_norm(x, w, b, out, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, i < n, other=0.0).to(tl.float32)
    centred = tl.where(i < n, v - tl.sum(v, axis=0) / n, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / n + eps)
    tl.store(out + row * n + i, centred * scale * tl.load(w + i, i < n) + tl.load(b + i, i < n), i < n)


case("layer_norm", layer_norm, "*bf16; *fp32; *fp32; *bf16; i32; fp32", "rsqrt.approx", BLOCK=1024)


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i, i < n, other=0.0), axis=0))


case("total", total, "*fp32; *fp32; i32", "atom", BLOCK=4096, warps=8)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(tl.load(x + i, i < n, other=0), BINS))


case("histogram", histogram, "*i32; *i32; i32", "atom", BLOCK=1024, BINS=256)


@triton.jit
def atomics(x, out, locks, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(locks, 0, 1, sem="acquire", scope="gpu") == 1:
        pass
    tl.atomic_max(out + i, tl.load(x + i), sem="relaxed", scope="cta")
    tl.atomic_xchg(locks, 0, sem="release")


case("atomics", atomics, "*i32; *i32; *i32", "atom.global.acquire.gpu.cas atom.global.gpu.release.exch", BLOCK=256)


@triton.jit
def prefix_sum(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))


case("prefix_sum", prefix_sum, "*fp32; *fp32", "shfl.sync", BLOCK=512)


@triton.jit
def sort(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


case("sort", sort, "*i32; *i32", "selp", BLOCK=64, warps=1)


@triton.jit
def dropout(x, out, n, seed, p, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(kept, tl.load(x + i, i < n) / (1 - p), 0.0), i < n)


case("dropout", dropout, "*fp32; *fp32; i32; i64; fp32", "mul.hi.u32", BLOCK=512)


@triton.jit
def transpose(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    tile = tl.load(x + i[:, None] * n + j[None, :], (i[:, None] < m) & (j[None, :] < n))
    tl.store(out + j[:, None] * m + i[None, :], tile.T, (j[:, None] < n) & (i[None, :] < m))


case("transpose", transpose, "*fp16; *fp16; i32; i32", "st.shared bar.sync", M=64, N=64)


@triton.jit
def quantise(x, out, scales, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n, other=0.0)
    scale = tl.max(tl.abs(v), axis=0) / 448.0
    tl.store(scales + tl.program_id(0), scale)
    tl.store(out + i, (v / scale).to(out.dtype.element_ty), i < n)


case("quantise_e4m3", quantise, "*fp32; *fp8e4nv; *fp32; i32", "cvt.rn.satfinite.e4m3x2", BLOCK=1024)
case("quantise_e5m2", quantise, "*fp32; *fp8e5; *fp32; i32", "e5m2", BLOCK=1024)


# --- tensor cores


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, r = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N), tl.arange(0, K)
    pa, pb = a + i[:, None] * k + r[None, :], b + r[:, None] * n + j[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for step in range(0, k, K):
        acc = tl.dot(tl.load(pa, r[None, :] < k - step, 0.0), tl.load(pb, r[:, None] < k - step, 0.0), acc)
        pa += K
        pb += K * n
    tl.store(c + i[:, None] * n + j[None, :], acc.to(c.dtype.element_ty), (i[:, None] < m) & (j[None, :] < n))


_TILES = {"M": 64, "N": 64, "K": 32}
case("matmul_f16", matmul, "*fp16; *fp16; *fp16; i32; i32; i32", "wgmma.mma_async cp.async", **_TILES)
case("matmul_tf32", matmul, "*fp32; *fp32; *fp32; i32; i32; i32", "tf32", **_TILES)
case("matmul_fp8", matmul, "*fp8e4nv; *fp8e5; *bf16; i32; i32; i32", "wgmma.mma_async", M=64, N=64, K=64)
case("matmul_mma_sync", matmul, "*bf16; *bf16; *bf16; i32; i32; i32", "mma.sync ldmatrix", M=16, N=32, K=32, warps=2)


@triton.jit
def matmul_int8(a, b, c, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, r = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.int32)
    for step in range(0, k, K):
        left = tl.load(a + i[:, None] * k + r[None, :] + step)
        acc = tl.dot(left, tl.load(b + j[None, :] * k + r[:, None] + step), acc)
    tl.store(c + i[:, None] * N + j[None, :], acc)


case("matmul_int8", matmul_int8, "*i8; *i8; *i32; i32", "s8", M=64, N=32, K=64)


# --- tensor maps


@triton.jit
def matmul_tma(a, b, c, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    acc = tl.zeros((M, N), tl.float32)
    for step in range(0, k, K):
        acc = tl.dot(a.load([i, step]), b.load([j, step]).T, acc)
    c.store([i, j], acc.to(tl.float16))


_MAPS = "tensordesc<fp16[128,64]>; tensordesc<fp16[128,64]>; tensordesc<fp16[128,128]>; i32"
_BULK = "cp.async.bulk.tensor wgmma.mma_async mbarrier"
case("matmul_tma_host", matmul_tma, _MAPS, _BULK, warps=4, M=128, N=128, K=64)


@triton.jit
def copy_tma_device(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    read = tl.make_tensor_descriptor(x, [m, n], [n, 1], [M, N])
    write = tl.make_tensor_descriptor(out, [m, n], [n, 1], [M, N])
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    write.store([i, j], read.load([i, j]) * 2)


case("copy_tma_device", copy_tma_device, "*fp16; *fp16; i32; i32", "tensormap.replace cp.async.bulk.tensor", M=64, N=64)


@triton.jit
def reduce_tma(x, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M
    out.atomic_add([i, 0], x.load([i, 0]))


case(
    "reduce_tma",
    reduce_tma,
    "tensordesc<fp32[64,32]>; tensordesc<fp32[64,32]>",
    "cp.reduce.async.bulk.tensor",
    M=64,
    N=32,
)


# --- attention


@triton.jit
def attention(q, k, v, out, n, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    i, d, j = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D), tl.arange(0, N)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    top = tl.full((M,), -float("inf"), tl.float32)
    below = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for start in range(0, n, N):
        keys = tl.load(k + (start + j)[None, :] * D + d[:, None])
        s = tl.dot(queries, keys) * scale
        s = tl.where(i[:, None] >= (start + j)[None, :], s, -float("inf"))
        high = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - high[:, None])
        shrink = tl.exp2(top - high)
        below, top = below * shrink + tl.sum(p, 1), high
        values = tl.load(v + (start + j)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(values.dtype), values, acc * shrink[:, None])
    tl.store(out + i[:, None] * D + d[None, :], (acc / below[:, None]).to(out.dtype.element_ty))


case("attention", attention, "*fp16; *fp16; *fp16; *fp16; i32; fp32", "wgmma.mma_async ex2.approx", M=64, N=64, D=64)


# --- Gluon


_ROW = gl.BlockedLayout([4], [32], [4], [0])


@gluon.jit
def gluon_copy(x, out, n, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=LAYOUT)
    gl.store(out + i, gl.load(x + i, mask=i < n), mask=i < n)


case("gluon_copy", gluon_copy, "*fp32; *fp32; i32", "ld.global st.global", BLOCK=512, LAYOUT=_ROW)

_SWIZZLED = "NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)"
_MAP = f"tensordesc<fp16[64,64],{_SWIZZLED}>"


@gluon.jit
def gluon_tma(x, out):
    tile = gl.allocate_shared_memory(x.dtype, x.block_type.shape, x.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], hopper.mbarrier.MBarrierLayout())
    hopper.mbarrier.init(bar, count=1)
    hopper.mbarrier.expect(bar, x.block_type.nbytes)
    hopper.tma.async_load(x, [0, 0], bar, tile)
    hopper.mbarrier.wait(bar, phase=0)
    hopper.mbarrier.invalidate(bar)
    hopper.fence_async_shared()
    hopper.tma.async_store(out, [0, 64], tile)
    hopper.tma.store_wait(pendings=0)


case("gluon_tma", gluon_tma, f"{_MAP}; {_MAP}", "cp.async.bulk.tensor mbarrier.init fence.proxy.async")


@gluon.jit
def gluon_wgmma(a, b, out, k, LAYOUT: gl.constexpr):
    left = gl.allocate_shared_memory(a.dtype, a.block_type.shape, a.layout)
    right = gl.allocate_shared_memory(b.dtype, b.block_type.shape, b.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], hopper.mbarrier.MBarrierLayout())
    hopper.mbarrier.init(bar, count=1)
    acc = gl.zeros((64, 64), gl.float32, LAYOUT)
    phase = 0
    for step in range(0, k, 64):
        hopper.mbarrier.expect(bar, a.block_type.nbytes + b.block_type.nbytes)
        hopper.tma.async_load(a, [0, step], bar, left)
        hopper.tma.async_load(b, [step, 0], bar, right)
        hopper.mbarrier.wait(bar, phase)
        phase ^= 1
        acc = hopper.warpgroup_mma(left, right, acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
    hopper.mbarrier.invalidate(bar)
    i = gl.arange(0, 64, layout=gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, LAYOUT))
    gl.store(out + i[:, None] * 64 + j[None, :], acc)


case(
    "gluon_wgmma",
    gluon_wgmma,
    f"{_MAP}; {_MAP}; *fp32; i32",
    _BULK,
    LAYOUT=gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, 64, 16]),
)


@gluon.jit
def _load_rows(x, tile, ready, done, rows):
    phase = 1
    for i in range(rows):
        hopper.mbarrier.wait(done, phase)
        hopper.mbarrier.expect(ready, x.block_type.nbytes)
        hopper.tma.async_load(x, [i * 64, 0], ready, tile)
        phase ^= 1


@gluon.jit
def _add_rows(out, tile, ready, done, rows, LAYOUT: gl.constexpr):
    acc = gl.zeros((64, 64), gl.float32, LAYOUT)
    phase = 0
    for _ in range(rows):
        hopper.mbarrier.wait(ready, phase)
        acc += tile.load(LAYOUT).to(gl.float32)
        hopper.mbarrier.arrive(done, count=1)
        phase ^= 1
    i = gl.arange(0, 64, layout=gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, LAYOUT))
    gl.store(out + i[:, None] * 64 + j[None, :], acc)


@gluon.jit
def gluon_specialised(x, out, rows, LAYOUT: gl.constexpr):
    tile = gl.allocate_shared_memory(x.dtype, x.block_type.shape, x.layout)
    ready = gl.allocate_shared_memory(gl.int64, [1], hopper.mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], hopper.mbarrier.MBarrierLayout())
    hopper.mbarrier.init(ready, count=1)
    hopper.mbarrier.init(done, count=1)
    gl.warp_specialize(
        [(_add_rows, (out, tile, ready, done, rows, LAYOUT)), (_load_rows, (x, tile, ready, done, rows))], [1], [24]
    )


case(
    "gluon_specialised",
    gluon_specialised,
    f"{_MAP}; *fp32; i32",
    "setmaxnreg cp.async.bulk.tensor barrier.sync",
    LAYOUT=gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]),
)


# Three partitions around a ring of barriers, reached by an index in a register.
@gluon.jit
def _load_ring(x, tiles, ready, done, steps, DEPTH: gl.constexpr):
    for i in range(steps):
        at = i % DEPTH
        hopper.mbarrier.wait(done.index(at), ((i // DEPTH) & 1) ^ 1)
        hopper.mbarrier.expect(ready.index(at), x.block_type.nbytes)
        hopper.tma.async_load(x, [i * 64, 0], ready.index(at), tiles.index(at))


@gluon.jit
def _multiply_ring(tiles, sums, ready, done, full, steps, DEPTH: gl.constexpr, LAYOUT: gl.constexpr):
    acc = gl.zeros((64, 64), gl.float32, LAYOUT)
    for i in range(steps):
        at = i % DEPTH
        hopper.mbarrier.wait(ready.index(at), (i // DEPTH) & 1)
        acc = hopper.warpgroup_mma(tiles.index(at), tiles.index(at), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(num_outstanding=0, deps=(acc,))
        hopper.mbarrier.arrive(done.index(at), count=1)
    sums.store(acc.to(gl.float16))
    hopper.fence_async_shared()
    hopper.mbarrier.arrive(full, count=1)


@gluon.jit
def _store_ring(out, sums, full):
    hopper.mbarrier.wait(full, 0)
    hopper.tma.async_store(out, [0, 0], sums)
    hopper.tma.store_wait(0)


@gluon.jit
def gluon_ring(x, out, steps, DEPTH: gl.constexpr, LAYOUT: gl.constexpr):
    tiles = gl.allocate_shared_memory(x.dtype, [DEPTH, 64, 64], x.layout)
    sums = gl.allocate_shared_memory(out.dtype, out.block_type.shape, out.layout)
    ready = gl.allocate_shared_memory(gl.int64, [DEPTH, 1], hopper.mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [DEPTH, 1], hopper.mbarrier.MBarrierLayout())
    full = gl.allocate_shared_memory(gl.int64, [1], hopper.mbarrier.MBarrierLayout())
    for i in gl.static_range(DEPTH):
        hopper.mbarrier.init(ready.index(i), count=1)
        hopper.mbarrier.init(done.index(i), count=1)
    hopper.mbarrier.init(full, count=1)
    gl.warp_specialize(
        [
            (_multiply_ring, (tiles, sums, ready, done, full, steps, DEPTH, LAYOUT)),
            (_load_ring, (x, tiles, ready, done, steps, DEPTH)),
            (_store_ring, (out, sums, full)),
        ],
        [1, 1],
        [24, 24],
    )


case(
    "gluon_ring",
    gluon_ring,
    f"{_MAP}; {_MAP}; i32",
    "setmaxnreg cp.async.bulk.tensor wgmma.mma_async mbarrier.init",
    DEPTH=3,
    LAYOUT=gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, 64, 16]),
)


@gluon.jit
def gluon_cp_async(x, out, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=LAYOUT)
    tile = gl.allocate_shared_memory(gl.float32, [BLOCK], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    hopper.async_copy.async_load(tile, x + i)
    hopper.async_copy.commit_group()
    hopper.async_copy.wait_group(0)
    gl.store(out + i, tile.load(LAYOUT) * 2)


case("gluon_cp_async", gluon_cp_async, "*fp32; *fp32", "cp.async", BLOCK=512, LAYOUT=_ROW)
