"""What observers are told of asynchronous operations and of what orders them: the same under every schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.engine.compiled.address import is_shared, offset_of
from ptxlab.sim.engine.machine.observer import Observer

from ..conftest import entry
from .recording import Recorder, observed
from .tensormap import test_tensormap

Run = Callable[..., Any]
SCHEDULES = ("eager", "late", "random")
ALL = 0xFFFF_FFFF
PARAMS = ".param .u64 src, .param .u64 dst"
PRELUDE = """
    .reg .pred %p<6>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
    .shared .align 128 .b8 buf[4096]; .shared .align 8 .b64 bar; .shared .align 8 .b64 other;
    ld.param.u64 %rd1, [src]; ld.param.u64 %rd2, [dst];
    mov.u32 %r1, %tid.x; mov.u32 %r2, buf; mov.u32 %r3, bar; mad.lo.u32 %r4, %r1, 16, %r2;
    mul.wide.u32 %rd3, %r1, 16; add.u64 %rd4, %rd1, %rd3;
    setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 8;
"""
BAR = 4096
"""Where `bar` lies."""


def recorded(run: Run, body: str, schedule: str, params: str = PARAMS, **more: Any) -> Recorder:
    """A kernel on 4 KiB, and what a recorder was told."""
    src, dst = px.empty(4096, np.uint8), px.empty(4096, np.uint8)
    src[:] = 7
    found = Recorder()
    with observed(found):
        run(entry(params, PRELUDE + body + "ret;"), src, dst, schedule=schedule, **more)
    return found


CP_ASYNC = """
    cp.async.ca.shared.global [%r4], [%rd4], 16;
    cp.async.commit_group;
    @%p2 cp.async.ca.shared.global [%r4+1024], [%rd4], 8;
    @%p2 cp.async.commit_group;
    cp.async.ca.shared.global [%r4+2048], [%rd4], 16;
    cp.async.wait_group 1;
    cp.async.commit_group;
    cp.async.wait_group 1;
    cp.async.wait_group 1;
    cp.async.wait_all;
    cp.async.wait_all;
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_cp_async_groups(run: Run, schedule: str) -> None:
    found = recorded(run, CP_ASYNC, schedule)
    w, some = (0, 0), 0xFF
    assert found.of("issued", "committed", "waited") == [
        ("issued", 1, w, ALL, "cp.async"),
        ("committed", w, ALL, "cp.async-group"),
        ("issued", 2, w, some, "cp.async"),
        ("committed", w, some, "cp.async-group"),
        ("issued", 3, w, ALL, "cp.async"),
        ("waited", w, 1, some, "COMPLETE"),
        ("committed", w, ALL, "cp.async-group"),
        ("waited", w, 1, ALL & ~some, "COMPLETE"),
        ("waited", w, 2, some, "COMPLETE"),
        ("waited", w, 3, ALL, "COMPLETE"),
    ]


BULK = """
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 128;
    @%p1 cp.async.bulk.commit_group;
    @%p1 cp.async.bulk.wait_group.read 0;
    @%p2 cp.async.bulk.global.shared::cta.bulk_group [%rd2+128], [%r2], 64;
    @%p2 cp.async.bulk.commit_group;
    @%p2 cp.async.bulk.wait_group 1;
    @%p2 cp.async.bulk.wait_group.read 0;
    @%p2 cp.async.bulk.wait_group 0;
    @%p2 cp.async.bulk.wait_group 0;
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_bulk_groups(run: Run, schedule: str) -> None:
    """Each lane has operations and groups of its own; a wait for reads is no wait for the end."""
    found = recorded(run, BULK, schedule)
    w, key = (0, 0), "cp.async.bulk.cta2g"
    assert found.of("issued", "committed", "waited") == [
        ("issued", 1, w, 1, key),
        ("committed", w, 1, "bulk-group"),
        ("waited", w, 1, 1, "READ"),
        *(("issued", 2 + lane, w, 1 << lane, key) for lane in range(8)),
        ("committed", w, 0xFF, "bulk-group"),
        ("waited", w, 1, 1, "COMPLETE"),
        *(("waited", w, 2 + lane, 1 << lane, "READ") for lane in range(8)),
        *(("waited", w, 2 + lane, 1 << lane, "COMPLETE") for lane in range(8)),
    ]


WGMMA = """
    .reg .b64 %da; .reg .f32 %f<4>; mov.b64 %da, 0x1000080040;
    mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %da, %da, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %da, %da, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 1;
    wgmma.wait_group.sync.aligned 1;
    wgmma.wait_group.sync.aligned 0;
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_wgmma_groups(run: Run, schedule: str) -> None:
    """A product is issued once, by four warps, and each of them waits for it."""
    found = recorded(run, WGMMA, schedule, block=128)
    assert [o.number for o in found.operations] == [1, 2]
    assert all([w.index for w in o.warps] == [0, 1, 2, 3] for o in found.operations)
    for warp in range(4):
        w = (0, warp)
        assert [e for e in found.of("committed", "waited") if e[1] == w] == [
            ("committed", w, ALL, "wgmma-group"),
            ("committed", w, ALL, "wgmma-group"),
            ("waited", w, 1, ALL, "COMPLETE"),
            ("waited", w, 2, ALL, "COMPLETE"),
        ]


MBARRIER = """
    @%p1 mbarrier.init.shared.b64 [bar], 33; bar.warp.sync -1;
    @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 128, [%r3];
    mbarrier.arrive.shared.b64 %rd5, [bar];
    W: mbarrier.try_wait.shared.b64 %p3, [bar], %rd5; @!%p3 bra W;
    @%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 16;
    @%p1 mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 16;
    mbarrier.arrive_drop.shared.b64 _, [bar];
    cp.async.ca.shared.global [%r4+1024], [%rd4], 16;
    @%p1 cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
    V: mbarrier.test_wait.parity.shared.b64 %p3, [bar], 1; @!%p3 bra V;
    @%p1 mbarrier.inval.shared.b64 [bar];
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_mbarriers(run: Run, schedule: str) -> None:
    found = recorded(run, MBARRIER, schedule)
    w, bar = (0, 0), (0, BAR)
    assert [e for e in found.events if e[0] not in ("completed", "issued")] == [
        ("initialised", w, 0, bar),
        ("expected", w, 0, bar, 0, 128),
        ("arrived", w, 1, bar, 0),
        ("arrived", w, ALL, bar, 0),
        ("passed", w, ALL, bar, 0),
        ("expected", w, 0, bar, 1, 16),
        ("expected", w, 0, bar, 1, -16),
        ("arrived", w, ALL, bar, 1),
        ("passed", w, ALL, bar, 1),
        ("invalidated", w, 0, bar),
    ]
    assert found.of("completed") == [("completed", 1, bar, 0), ("completed", 3, bar, 1)]
    assert [o.op.inst.form.key for o in found.operations][2] == "cp.async.mbarrier.arrive"
    order = [e[:1] + e[-1:] for e in found.of("completed", "passed")]
    assert order == [("completed", 0), ("passed", 0), ("completed", 1), ("passed", 1)]


def test_arrivals_that_end_phases_are_told_phase_by_phase(run: Run) -> None:
    """One instruction of 32 lanes completes eight phases of one barrier and leaves another one under way."""
    body = """@%p1 mbarrier.init.shared.b64 [bar], 3; @%p1 mbarrier.init.shared.b64 [other], 9; bar.warp.sync -1;
        mov.u32 %r5, other; setp.lt.u32 %p3, %r1, 24; selp.u32 %r6, %r3, %r5, %p3; mbarrier.arrive.shared.b64 _, [%r6];"""
    found = recorded(run, body, "eager").of("arrived")
    bar, other = (0, BAR), (0, BAR + 8)
    assert found == [
        *(("arrived", (0, 0), 7 << 3 * k, bar, k) for k in range(8)),
        ("arrived", (0, 0), 0xFF00_0000, other, 0),
    ]


CLUSTER = """
    mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1; mapa.shared::cluster.u32 %r7, %r3, %r6;
    @%p1 mbarrier.init.shared.b64 [bar], 8; fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive; barrier.cluster.wait;
    @%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];
    W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0; @!%p3 bra W;
    barrier.cluster.arrive.relaxed; barrier.cluster.wait;
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_clusters_and_remote_arrivals(run: Run, schedule: str) -> None:
    found = recorded(run, CLUSTER, schedule, grid=2, cluster=2)
    for cta in range(2):
        w = (cta, 0)
        assert [e for e in found.events if e[1] == w] == [
            ("initialised", w, 0, (cta, BAR)),
            ("cluster arrived", w, ALL),
            ("cluster passed", w, ALL),
            ("arrived", w, 0xFF, (1 - cta, BAR), 0),
            ("passed", w, ALL, (cta, BAR), 0),
            ("cluster arrived", w, ALL),
            ("cluster passed", w, ALL),
        ]
    names = [e[0] for e in found.of("cluster arrived", "cluster passed")]
    assert names == ["cluster arrived"] * 2 + ["cluster passed"] * 2 + ["cluster arrived"] * 2 + ["cluster passed"] * 2


def test_changes_and_fences_of_tensor_maps(run: Run) -> None:
    maps, tensors, out = test_tensormap.world()
    found = Recorder()
    body = f"""{test_tensormap.REBIND}
        fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"""
    with observed(found):
        run(
            entry(test_tensormap.PARAMS, test_tensormap.PRELUDE + body + "ret;"),
            maps,
            tensors[1],
            out,
            block=1,
            buffers=tensors,
        )
    w, at = (0, 0), maps.ctypes.data
    assert found.of("mapped") == [
        ("mapped", w, 1, "replace", (at,)),
        ("mapped", w, 1, "release", ()),
        ("mapped", w, 1, "acquire", (at,)),
    ]


@pytest.mark.parametrize("body", [CP_ASYNC, BULK, MBARRIER, WGMMA])
def test_schedules_tell_the_same(run: Run, body: str) -> None:
    """But for the order of what different operations do."""
    told = [recorded(run, body, s, block=128 if body is WGMMA else 32) for s in (*SCHEDULES, "random")]
    events = [sorted(map(repr, found.events)) for found in told]
    assert events.count(events[0]) == len(events)


class _Idle(Observer):
    """Listens to nothing of this."""


def test_nothing_traps_more_where_nobody_listens(run: Run) -> None:
    src, dst = px.empty(4096, np.uint8), px.empty(4096, np.uint8)
    text = entry(PARAMS, PRELUDE + CP_ASYNC + "ret;")
    alone = run(text, src, dst).stats.traps
    with observed(_Idle()):
        assert run(text, src, dst).stats.traps == alone
    with observed(Recorder()):
        assert sum(run(text, src, dst).stats.traps.values()) >= sum(alone.values()) + 10


@pytest.mark.parametrize("space", ["shared::cta", "generic shared"])
def test_maps_in_shared_memory_have_generic_addresses(run: Run, space: str) -> None:
    found = Recorder()
    with observed(found):
        test_tensormap.test_fields_change_the_bytes_where_the_map_lies(run, space)
    told = found.of("mapped")
    assert len(told) == 10
    assert {(e[2], e[3]) for e in told} == {(1, "replace")}
    ((place,),) = {e[4] for e in told}
    assert is_shared(place)
    assert offset_of(place) % 128 == 0


def test_a_map_that_is_published(run: Run) -> None:
    """The warp copies it as a whole; one lane changes it before, and takes it anew afterwards."""
    found = Recorder()
    with observed(found):
        test_tensormap.test_cp_fenceproxy_publishes_a_map_made_in_shared_memory(run, "gpu")
    kinds = [(e[2], e[3], len(e[4])) for e in found.of("mapped")]
    assert kinds == [(1, "replace", 1), (ALL, "copy", 2), (1, "acquire", 1)]
    (_, _, _, _, (source,)), (*_, (target, copied)), (*_, (taken,)) = found.of("mapped")
    assert source == copied
    assert target == taken
    assert is_shared(source)
    assert not is_shared(target)
