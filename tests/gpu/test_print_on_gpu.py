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
