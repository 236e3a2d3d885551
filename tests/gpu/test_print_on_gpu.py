"""`k.print` writes the same lines on a GPU as in the simulator; their order is the device's own."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda.array import GpuArray

pytestmark = pytest.mark.gpu


@px.kernel(threads=64)
def talking(k, src: px.Ptr[px.f32], n: px.s64):
    tile = k.smem(px.bf16, 16)
    v = k.ld.global_.f32(src.at(k.tid.x * 4))
    h, b = k.cvt.rn.f16.f32(v), k.cvt.rn.bf16.f32(v)
    odd = k.and_.b32(k.tid.x, 1) == 1
    k.print("%u %5.2f|%g|%g %e %a\n", k.tid.x, v, h, b, v, v)
    k.print("%u %ld %lx %s %x %c 100%% %d %*d %p\n", k.tid.x, n, n, "text", 255, 65, odd, 5, -3, tile, pred=odd)
    with k.if_(k.tid.x < 3), k.loop(k.tid.x, dtype=px.u32) as i:
        k.print("%u of %u\n", i, k.tid.x)


def test_lines_are_those_of_the_simulator(capfd: pytest.CaptureFixture[str]) -> None:
    a = np.random.default_rng(5).standard_normal(64).astype(np.float32)
    talking[2](a, -7)
    simulated = capfd.readouterr().out.splitlines()
    talking[2](GpuArray(a), -7)
    px.synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 2 * (64 + 32 + 3)
    assert sorted(lines) == sorted(simulated)


@pytest.mark.parametrize(
    ("name", "matrix", "dtype", "conversion"),
    [
        ("mma.m16n8k16", "d", "f32", "%7.3f"),
        ("mma.m16n8k16", "a", "bf16", "%g"),
        ("mma.m16n8k8", "a", "tf32", "%e"),
        ("mma.m8n8k4", "d", "f64", "%g"),
        ("mma.m16n8k32", "a", "s8", "%4d"),
        ("mma.m16n8k32", "b", "e5m2", "%g"),
        ("wgmma.m64n24k16", "d", "f16", "%g"),
        ("wgmma.m64n8k32", "d", "f32", "%a"),
    ],
)
def test_lines_of_fragments(
    name: str, matrix: str, dtype: str, conversion: str, capfd: pytest.CaptureFixture[str]
) -> None:
    held = px.fragment(name, matrix, dtype)
    each = held.registers * (2 if held.bits == 64 else 1)
    words = np.random.default_rng(7).integers(0, 2**32, (2, held.threads, each), np.uint32)
    if held.bits >= 32:  # numbers of a size that is read: random bits are huge, or tiny
        words = np.random.default_rng(7).standard_normal(2 * held.threads * held.registers)
        words = words.astype(f"f{held.bits // 8}").view(np.uint32).reshape(2, held.threads, each)

    @px.kernel(threads=held.threads)
    def show(k, x: px.Ptr[px.b32]):
        first = k.mad.lo.u32(k.ctaid.x, held.threads, k.tid.x) * each
        registers = [k.ld.global_.b32(x[first + i]) for i in range(each)]
        if held.bits == 64:
            registers = [k.mov.b64(registers[i : i + 2]) for i in range(0, each, 2)]
        k.print(f"CTA %u {conversion}\n", k.ctaid.x, k.fragment(name, matrix, dtype, registers))

    both(show, words, capfd, held.shape[0])


def test_lines_of_accumulators_and_tiles(capfd: pytest.CaptureFixture[str]) -> None:
    @px.kernel(threads=128)
    def show(k, x: px.Ptr[px.b32]):
        acc, tile = k.accumulator(128, 40), k.smem(px.f16, (16, 64), swizzle="128B")
        with k.loop(4) as i:
            k.st.shared.b32(tile.at((i * 128 + k.tid.x) * 4), k.ld.global_.b32(x[i * 128 + k.tid.x]))
        k.bar.sync(0)
        for row, column, register in acc.elements():
            k.cvt.rn.f32.u32(row * 40 + column, d=register)
        k.print("CTA %u %g\n", k.ctaid.x, acc)
        with k.if_(k.tid.x == 0):
            k.print("CTA %u %g\n", k.ctaid.x, tile)

    values = np.random.default_rng(9).standard_normal((16, 64)).astype(np.float16)
    both(show, values.view(np.uint32), capfd, 128 + 16)


def both(kernel: px.Kernel, words: np.ndarray, capfd: pytest.CaptureFixture[str], rows: int) -> None:
    """Two CTAs print the same lines in the simulator and on the GPU."""
    kernel[2](words)
    simulated = capfd.readouterr().out.splitlines()
    kernel[2](GpuArray(words))
    px.synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) >= 2 * rows
    assert sorted(lines) == sorted(simulated)
