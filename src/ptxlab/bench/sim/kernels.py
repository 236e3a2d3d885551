"""The kernels that `ptxlab bench sim` runs, in the language; results are integers, so that NumPy's must be equal."""

from __future__ import annotations

import ptxlab as px

THREADS = 256
EACH = 4  # elements of the reduction that a thread adds up by itself
TILE = 16
SINGLE = 128
BINS = 1024  # of the histogram
PEERS = 4  # CTAs of the cluster that counts in it
PRODUCT_M, PRODUCT_N, PRODUCT_K = 64, 256, 64
WARP_M, WARP_N, WARP_K = 16, 8, 16


@px.kernel(target="sm_90a", threads=THREADS)
def vector_add(k: px.Builder, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], n: px.u32) -> None:
    """One thread an element: c = a + b."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    with k.if_(i < n):
        k.st.global_.f32(c[i], k.add.f32(k.ld.global_.f32(a[i]), k.ld.global_.f32(b[i])))


@px.kernel(target="sm_90a", threads=THREADS)
def reduction(k: px.Builder, a: px.Ptr[px.f32], out: px.Ptr[px.f32]) -> None:
    """out[0] += the sum of EACH · THREADS elements of each CTA: in registers, by shuffles, in shared memory, by one atomic."""
    parts = k.smem(px.f32, THREADS // 32)
    first = k.mad.lo.u32(k.ctaid.x, THREADS * EACH, k.tid.x)
    total = k.ld.global_.f32(a[first])
    for i in range(1, EACH):
        total = k.add.f32(total, k.ld.global_.f32(a[first + THREADS * i]))
    total = _warp_sum(k, total)
    with k.if_(k.laneid == 0):
        k.st.shared.f32(parts.at(k.warp * 4), total)
    k.bar.sync(0)
    with k.if_(k.tid.x < THREADS // 32):
        part = k.ld.shared.f32(parts.at(k.tid.x * 4))
        part = _warp_sum(k, part, THREADS // 32)
        with k.if_(k.tid.x == 0):
            k.red.global_.add.f32(out[0], part)


@px.kernel(target="sm_90a", threads=THREADS)
def counters(k: px.Builder, out: px.Ptr[px.u32], *, atomic: bool) -> None:
    """Each thread counts in one of 64 words; without `atomic` by a load, an addition and a store, which race."""
    place = out[k.and_.b32(k.tid.x, 63)]
    if atomic:
        k.red.global_.add.u32(place, 1)
    else:
        k.st.global_.u32(place, k.add.u32(k.ld.global_.u32(place), 1))


@px.kernel(target="sm_90a", threads=THREADS)
def exchange(k: px.Builder, out: px.Ptr[px.u32], *, barrier: bool) -> None:
    """Each thread gets the number of a thread of the next warp, through shared memory; without `barrier` they race."""
    row = k.smem(px.u32, THREADS)
    k.st.shared.u32(row[k.tid.x], k.tid.x)
    if barrier:
        k.bar.sync(0)
    other = k.ld.shared.u32(row[k.xor.b32(k.tid.x, 32)])
    k.st.global_.u32(out[k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)], other)


@px.kernel(target="sm_90a", threads=THREADS, cluster=PEERS)
def cluster_histogram(k: px.Builder, values: px.Ptr[px.u32], out: px.Ptr[px.u32], n: px.u32) -> None:
    """out[v] += how often v < BINS occurs among n values. The CTAs of a cluster have a part of the bins each, in shared memory,
    and count there by atomics on each other's parts."""
    part = k.smem(px.u32, BINS // PEERS)
    k.st.shared.u32(part[k.tid.x], 0)
    k.barrier.cluster.arrive.aligned()
    k.barrier.cluster.wait.aligned()
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    with k.while_(lambda: i < n):
        value = k.ld.global_.u32(values[i])
        mine = part[k.and_.b32(value, BINS // PEERS - 1)]
        there = k.mapa.shared__cluster.u32(mine, k.div.u32(value, BINS // PEERS))
        k.red.relaxed.cluster.shared__cluster.add.u32(there, 1)
        i += k.mul.lo.u32(k.nctaid.x, THREADS)
    k.barrier.cluster.arrive.aligned()
    k.barrier.cluster.wait.aligned()
    first = k.mul.lo.u32(k.cluster_ctarank, BINS // PEERS)
    k.red.relaxed.gpu.global_.add.u32(out[k.add.u32(first, k.tid.x)], k.ld.shared.u32(part[k.tid.x]))


def _warp_sum(k: px.Builder, value: px.Register, lanes: int = 32) -> px.Register:
    """The sum over the first `lanes` lanes, in lane 0."""
    step = lanes // 2
    while step:
        moved = k.shfl.sync.down.b32(value, step, 31, (1 << lanes) - 1)
        value = k.add.f32(value, moved)
        step //= 2
    return value


@px.kernel(target="sm_90a", threads=TILE * TILE)
def naive_matmul(k: px.Builder, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], n: px.u32) -> None:
    """One thread an element of C = A · B, n × n in rows, straight from global memory."""
    row, column = _element(k)
    total = k.mov.f32(0.0)
    left, right = k.mul.lo.u32(row, n), k.mov.u32(column)
    with k.loop(n):
        k.fma.rn.f32(k.ld.global_.f32(a[left]), k.ld.global_.f32(b[right]), total, d=total)
        left += 1
        right += n
    k.st.global_.f32(c[k.mad.lo.u32(row, n, column)], total)


@px.kernel(target="sm_90a", threads=TILE * TILE)
def tiled_matmul(k: px.Builder, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], n: px.u32) -> None:
    """The same through tiles of TILE × TILE in shared memory; n is a multiple of TILE."""
    a_tile, b_tile = (k.smem(px.f32, TILE * TILE, name=f"{x}_tile") for x in "ab")
    row, column = _element(k)
    x, y = k.tid.x % TILE, k.tid.x // TILE
    total = k.mov.f32(0.0)
    left, right = k.mad.lo.u32(row, n, x), k.mad.lo.u32(y, n, column)
    own = k.tid.x * 4
    down = n * TILE
    a_row, b_column = y * (4 * TILE), x * 4
    with k.loop(n, step=TILE):
        k.st.shared.f32(a_tile.at(own), k.ld.global_.f32(a[left]))
        k.st.shared.f32(b_tile.at(own), k.ld.global_.f32(b[right]))
        k.bar.sync(0)
        for i in range(TILE):
            mine, theirs = (
                k.ld.shared.f32(a_tile.at(a_row + 4 * i)),
                k.ld.shared.f32(b_tile.at(b_column + 4 * TILE * i)),
            )
            k.fma.rn.f32(mine, theirs, total, d=total)
        k.bar.sync(0)
        left += TILE
        right += down
    k.st.global_.f32(c[k.mad.lo.u32(row, n, column)], total)


def _element(k: px.Builder) -> tuple[px.Register, px.Register]:
    """Row and column of this thread's element of C."""
    return (
        k.mad.lo.u32(k.ctaid.y, TILE, k.tid.x // TILE),
        k.mad.lo.u32(k.ctaid.x, TILE, k.tid.x % TILE),
    )


@px.kernel(target="sm_90a", threads=THREADS)
def divergent(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    """Steps of the Collatz sequence from each thread's number plus one: both branches and the turns differ in every warp."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    x, steps = k.add.u32(i, 1), k.mov.u32(0)
    with k.while_(lambda: x != 1):
        odd = (x & 1) == 1
        with k.if_(odd):
            k.mad.lo.u32(x, 3, 1, d=x)
        with k.else_():
            k.shr.u32(x, 1, d=x)
        steps += 1
    k.st.global_.u32(out[i], steps)


@px.kernel(target="sm_90a", threads=SINGLE)
def single_cta(k: px.Builder, out: px.Ptr[px.u32], turns: px.u32) -> None:
    """A xorshift generator in each of 128 threads, `turns` numbers; the last ones are stored."""
    x = k.add.u32(k.tid.x, 1)
    with k.loop(turns):
        for left, shift in ((True, 13), (False, 17), (True, 5)):
            moved = k.shl.b32(x, shift) if left else k.shr.u32(x, shift)
            k.xor.b32(x, moved, d=x)
    k.st.global_.u32(out[k.tid.x], x)


@px.kernel(target="sm_90a", threads=128)
def products(k: px.Builder, a: px.TensorMap, b: px.TensorMap, c: px.Ptr[px.f32], turns: px.u32) -> None:
    """C += A · Bᵀ, `turns` times, by one warpgroup: 64 × 256 × 64, bf16 into f32. C lies as the fragments do, row by thread."""
    a_tile = k.smem(px.bf16, (PRODUCT_M, PRODUCT_K), swizzle="128B", name="a_tile")
    b_tile = k.smem(px.bf16, (PRODUCT_N, PRODUCT_K), swizzle="128B", name="b_tile")
    full = k.mbarrier(1)
    k.init_barriers()
    acc = k.accumulator(PRODUCT_M, PRODUCT_N)
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(a_tile.nbytes + b_tile.nbytes)
        k.tma_load(a_tile, a, (0, 0), full)
        k.tma_load(b_tile, b, (0, 0), full)
    full.wait(0)
    a_part, b_part = a_tile.descriptor(), b_tile.descriptor()
    for register in acc:
        k.mov.f32(0.0, d=register)
    with k.loop(turns):
        k.wgmma.fence.sync.aligned()
        for i in range(a_part.steps):
            k.wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16(acc, a_part[i], b_part[i], True, 1, 1, 0, 0)
        k.wgmma.commit_group.sync.aligned()
        k.wgmma.wait_group.sync.aligned(0)
    row, column = k.warp * 16 + k.laneid // 4, k.laneid % 4 * 2
    for i in range(PRODUCT_N // 8):
        for half in range(2):
            k.st.global_.v2.f32(
                c[(row + 8 * half) * PRODUCT_N + column + 8 * i], acc[4 * i + 2 * half : 4 * i + 2 * half + 2]
            )


@px.kernel(target="sm_90a", threads=32)
def warp_products(k: px.Builder, a: px.Ptr[px.b32], b: px.Ptr[px.b32], c: px.Ptr[px.f32], turns: px.u32) -> None:
    """C += A · B, `turns` times, by one warp: 16 × 8 × 16, f16 into f32. All lie as the fragments do, register by register."""
    left = [k.ld.global_.b32(a[k.laneid + 32 * i]) for i in range(4)]
    right = [k.ld.global_.b32(b[k.laneid + 32 * i]) for i in range(2)]
    acc = [k.mov.f32(0.0) for _ in range(4)]
    with k.loop(turns):
        k.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(left, right, acc, d=acc)
    for i, register in enumerate(acc):
        k.st.global_.f32(c[k.laneid + 32 * i], register)
