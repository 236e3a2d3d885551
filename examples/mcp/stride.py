"""A tile of wgmma, whose matrix descriptor is put together by hand: its stride is that of a group of 8 rows of 32 bytes."""

import numpy as np

import ptxlab as px


@px.kernel(target="sm_90a", threads=128)
def product(k, a: px.TensorMap, b: px.TensorMap, c: px.Ptr[px.f32]):
    a_tile, b_tile = k.smem(px.bf16, (64, 16), swizzle="32B"), k.smem(px.bf16, (8, 16), swizzle="32B")
    full = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(a_tile.nbytes + b_tile.nbytes)
        k.tma_load(a_tile, a, (0, 0), full)
        k.tma_load(b_tile, b, (0, 0), full)
    full.wait(0)
    stride = 128
    left = (a_tile.descriptor()[0] & ~(0x3FFF << 32)) | stride >> 4 << 32
    acc = k.accumulator(64, 8)
    k.wgmma.fence.sync.aligned()
    k.wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16(acc, left, b_tile.descriptor()[0], False, 1, 1, 0, 0)
    k.wgmma.commit_group.sync.aligned()
    k.wgmma.wait_group.sync.aligned(0)
    row, column = k.warpid * 16 + k.laneid // 4, k.laneid % 4 * 2
    k.st.global_.v2.f32(c.at((row * 8 + column) * 4), acc[0:2])
    k.st.global_.v2.f32(c.at(((row + 8) * 8 + column) * 4), acc[2:4])


def reference(a, b, c):
    c[:] = a.astype(np.float32) @ b.astype(np.float32).T
