"""mbarriers and rings, and tiles through TMA."""

from __future__ import annotations

import numpy as np
import pytest
from tracing import instructions

import ptxlab as px
from ptxlab.lang.kernel import KernelFunction


def test_initialisation() -> None:
    def kernel(k):
        k.mbarrier(3, 2, name="many")
        k.mbarrier(1, name="one")
        k.init_barriers()

    assert instructions(kernel) == [
        "mov.u32 %tid_x, %tid.x",
        "setp.eq.u32 %p0, %tid_x, 0",
        "@!%p0 bra $else_1",
        "mbarrier.init.shared::cta.b64 [%many], 3",
        "mbarrier.init.shared::cta.b64 [%many+8], 3",
        "mbarrier.init.shared::cta.b64 [%one], 1",
        "fence.mbarrier_init.release.cluster",
        "fence.proxy.async.shared::cta",
        "$else_1:",
        "bar.sync 0",
    ]


def test_a_cluster_meets_behind_the_initialisation() -> None:
    def kernel(k):
        k.mbarrier(1)
        k.init_barriers()
        k.cluster_sync()

    text = KernelFunction(kernel, threads=128, cluster=2).trace().text()
    assert "barrier.cluster.arrive.relaxed.aligned;\n    barrier.cluster.wait.acquire.aligned;" in text
    assert "barrier.cluster.arrive.release.aligned;" in text


def test_use() -> None:
    def kernel(k, parity: px.u32, rank: px.u32):
        bar = k.mbarrier(1, 4, name="bar")
        with k.if_(parity == 0):  # no init: only the text matters here
            k.init_barriers()
        bar[2].wait(parity)
        bar[rank].arrive_expect_tx(1024, pred=parity == 1)
        bar.expect_tx(16)
        bar.arrive()
        bar.remote(rank)[1].arrive()
        bar.remote(rank)[rank].arrive(publish=False)
        state = k.mbarrier.arrive.shared__cta.b64(bar)
        k.mbarrier.test_wait.shared__cta.b64(bar, state)

    found = instructions(kernel)
    assert found[found.index("bar.sync 0") + 2 :] == [
        "$wait_3:",
        "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar+16], %parity",
        "@!%p2 bra $wait_3",
        "mad.lo.u32 %u0, %rank, 8, %bar",
        "setp.eq.u32 %p3, %parity, 1",
        "@%p3 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%u0], 1024",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 16",
        "mbarrier.arrive.shared::cta.b64 _, [%bar]",
        "mapa.shared::cluster.u32 %u1, %bar, %rank",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%u1+8]",
        "mapa.shared::cluster.u32 %u2, %bar, %rank",
        "mad.lo.u32 %u3, %rank, 8, %u2",
        "mbarrier.arrive.shared::cluster.b64 _, [%u3]",
        "mbarrier.arrive.shared::cta.b64 %ud0, [%bar]",
        "mbarrier.test_wait.shared::cta.b64 %p4, [%bar], %ud0",
    ]


def ring(k, a: px.TensorMap, n: px.u32):
    tile = k.smem(px.bf16, (3, 128, 64), swizzle="128B", name="tile")
    stages = k.ring(3, tile, consumers=2)
    k.init_barriers()
    with k.if_(k.tid.x == 0), k.loop(n) as i, stages.produce() as slot:
        k.tma_load(slot[0], a, (i * 64, 0), slot.full)
    with k.loop(n), stages.consume(release=k.laneid == 0) as slot:
        k.ld.shared.b32(slot[0])


def test_a_ring() -> None:
    found = instructions(ring)
    entry = found[: found.index("setp.eq.u32 %p0, %tid_x, 0")]
    assert {i for i in entry if "producer" in i} == {"mov.u32 %producer_stage, 0", "mov.u32 %producer_parity, 1"}
    assert {i for i in entry if "consumer" in i} == {"mov.u32 %consumer_stage, 0", "mov.u32 %consumer_parity, 0"}
    produced = found[found.index("mad.lo.u32 %u2, %producer_stage, 8, %empty") :]
    assert produced[:11] == [
        "mad.lo.u32 %u2, %producer_stage, 8, %empty",
        "$wait_6:",
        "mbarrier.try_wait.parity.shared::cta.b64 %p3, [%u2], %producer_parity",
        "@!%p3 bra $wait_6",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%u1], 16384",
        "mad.lo.u32 %u3, %producer_stage, 16384, %tile",
        "mul.lo.u32 %u4, %u0, 64",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%u3], [%a, {%u4, 0}], [%u1]",
        "add.u32 %producer_stage, %producer_stage, 1",
        "setp.eq.u32 %p4, %producer_stage, 3",
        "selp.u32 %producer_stage, 0, %producer_stage, %p4",
    ]
    assert next(i for i in found if "arrive.shared" in i).startswith("@%p")


def test_a_launch_is_told_what_the_maps_must_be() -> None:
    use = KernelFunction(ring, threads=128).trace().maps["a"]
    assert (use.rank, use.box, use.dtype, use.swizzle) == (2, (64, 128), "bf16", "128B")
    assert use.place.file == __file__


def test_tiles_wider_than_the_swizzle_take_several_boxes() -> None:
    def kernel(k, b: px.TensorMap, x: px.s32, policy: px.b64):
        tile = k.smem(px.bf16, (64, 128), swizzle="128B", name="tile")
        bar = k.mbarrier(1, name="bar")
        k.init_barriers()
        k.tma_load(tile, b, (x, 8), bar, multicast=3, policy=policy)
        k.tma_store(b, (0, x), tile)

    found = instructions(kernel)
    load = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
    store = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
    assert found[found.index("bar.sync 0") + 1 :] == [
        "add.s32 %s0, %x, 64",
        f"{load} [%tile], [%b, {{%x, 8}}], [%bar], 3, %policy",
        f"{load} [%tile+8192], [%b, {{%s0, 8}}], [%bar], 3, %policy",
        f"{store} [%b, {{0, %x}}], [%tile]",
        f"{store} [%b, {{64, %x}}], [%tile+8192]",
    ]


def test_a_ring_has_a_name() -> None:
    def kernel(k, x: px.TensorMap):
        a, b = k.smem(px.f32, (2, 64), align=128), k.smem(px.f32, (2, 64), align=128)
        k.ring(2, a, name="keys")
        keyed = k.ring(2, b, name="values")
        k.init_barriers()
        assert repr(keyed).startswith("<Ring values of 2 stages")
        with keyed.consume():
            pass

    traced = KernelFunction(kernel, threads=32).trace()
    assert [b.name for b in traced.mbarriers] == ["keys_full", "keys_empty", "values_full", "values_empty"]
    assert "%values_consumer_stage" in traced.text()


def test_barriers_may_be_initialised_by_the_kernels_own_instructions() -> None:
    @px.kernel(threads=32)
    def by_hand(k, y: px.Ptr[px.u32], *, address: bool):
        bar = k.mbarrier(32, 2)
        with k.if_(k.thread == 0):
            for one in bar:
                k.mbarrier.init.shared__cta.b64(one.addr if address else one, 32)
        k.barrier.sync(0)
        bar[0].arrive()
        bar[0].wait(0)
        k.st.global_.u32(y[k.thread], 1)

    for address in (False, True):
        y = np.zeros(32, np.uint32)
        by_hand[1](y, address=address)
        assert y.all()


def test_what_is_initialised_by_hand_is_left_out_of_the_rest() -> None:
    def kernel(k):
        bar = k.mbarrier(3, 2)
        with k.if_(k.thread == 0):
            k.mbarrier.init.shared.b64(bar[0], 3)
        k.init_barriers()

    assert [i for i in instructions(kernel) if "init" in i and "fence" not in i] == [
        "mbarrier.init.shared.b64 [%mbar], 3",
        "mbarrier.init.shared::cta.b64 [%mbar+8], 3",
    ]


def test_a_barrier_that_is_left_out_is_named() -> None:
    def kernel(k):
        bar, other = k.mbarrier(3, 2), k.smem(px.b64, 1)
        k.mbarrier.init.shared.b64(bar[0], 3)
        k.mbarrier.init.shared.b64(other.at(0), 3)

    with pytest.raises(px.Diagnostic, match=r"`mbar\[1\]` is declared but never initialised") as caught:
        instructions(kernel)
    assert caught.value.code == "PTX2212"
