"""Several simulated devices: where arrays lie, what runs where, and what is refused."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.places import device_at
from ptxlab.diag import Diagnostic

SCHEDULES = ("eager", "late", "random")
VARIABLE = """
.version 8.0
.target sm_90
.address_size 64
.visible .global .u32 count = 5;
.visible .entry next(.param .u64 out) {
    .reg .u32 %r<2>;
    .reg .u64 %rd<1>;
    ld.param.u64 %rd0, [out];
    ld.global.u32 %r0, [count];
    add.u32 %r1, %r0, 1;
    st.global.u32 [count], %r1;
    st.global.u32 [%rd0], %r1;
    ret;
}
"""


pytestmark = pytest.mark.usefixtures("nothing_is_left")


@px.kernel(threads=32)
def put(k: px.Builder, there: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
    k.st.global_.u32(there[k.tid.x], 7)
    k.bar.warp.sync(0xFFFFFFFF)
    with k.if_(k.tid.x == 0):
        k.st.release.sys.global_.u32(flag[0], 1)


@px.kernel(threads=32)
def get(k: px.Builder, here: px.Ptr[px.u32], flag: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
    with k.while_(lambda: k.ld.acquire.sys.global_.u32(flag[0]) == 0):
        pass
    k.st.global_.u32(out[k.tid.x], k.ld.global_.u32(here[k.tid.x]))


@px.kernel(threads=32)
def add_one(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.red.sys.global_.add.u32(x[0], 1)


@px.kernel(threads=128)
def fill_sm(k: px.Builder, flag: px.Ptr[px.u32], n: px.u32) -> None:
    """Each CTA takes an SM, and none ends before all of both devices have begun."""
    k.smem(px.u32, 50_000)
    with k.if_(k.tid.x == 0):
        k.red.sys.global_.add.u32(flag[0], 1)
    with k.while_(lambda: k.ld.acquire.sys.global_.u32(flag[0]) < n):
        pass


@px.kernel(threads=32)
def through_shared(k: px.Builder, source: px.Ptr[px.u32], to: px.Ptr[px.u32], *, update: bool) -> None:
    """A bulk copy from one device's memory to another one's, by way of shared memory."""
    buffer, mbar = k.smem(px.u32, 32, align=16), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        mbar.arrive_expect_tx(128)
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(buffer, source[0], 128, mbar)
        mbar.wait(0)
        if update:
            k.cp.reduce.async_.bulk.global_.shared__cta.bulk_group.add.u32(to[0], buffer, 128)
        else:
            k.cp.async_.bulk.global_.shared__cta.bulk_group(to[0], buffer, 128)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


def code_of(call: Any) -> str:
    with pytest.raises(Diagnostic) as raised:
        call()
    return raised.value.code


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("first_gets", [False, True])
def test_a_flag_hands_data_from_device_to_device(schedule: str, first_gets: bool) -> None:
    first, second = px.devices(2)
    data, flag, out = (second.zeros(32, np.uint32) for _ in range(3))
    if first_gets:
        get[1](data, flag, out, stream=px.Stream(second))
    put[1](data, flag, stream=px.Stream(first))
    if not first_gets:
        get[1](data, flag, out, stream=px.Stream(second))
    reports = px.synchronize(schedule=schedule, sanitize=True)
    assert (out == 7).all()
    assert not [d for report in reports for d in report.findings]


def test_arrays_know_their_device() -> None:
    devices = px.devices(3)
    arrays = [device.copy(np.arange(8, dtype=np.float32)) for device in devices]
    assert [px.device_of(x).number for x in arrays] == [0, 1, 2]
    assert px.device_of(arrays[2][3:5]) == devices[2]
    assert px.device_of(arrays[1].reshape(2, 4).T).number == 1
    assert px.device_of(np.zeros(3)) == devices[0]
    assert arrays[1].tolist() == list(range(8))
    assert devices[1].zeros((2, 3), "bfloat16").dtype.name == "bfloat16"


def test_memory_that_is_freed_belongs_to_nobody() -> None:
    x = px.devices(2)[1].zeros(1 << 20, np.uint8)
    address = x.ctypes.data
    assert (device_at(address), device_at(address + (1 << 20) - 1)) == (1, 1)
    del x
    gc.collect()
    assert device_at(address) == 0


def test_an_array_stays_while_a_launch_may_use_it() -> None:
    first, second = px.devices(2)
    data, flag, out = second.zeros(32, np.uint32), second.zeros(32, np.uint32), second.zeros(32, np.uint32)
    put[1](data, flag, stream=px.Stream(first))
    get[1](data, flag, out, stream=px.Stream(second))
    del data, flag
    gc.collect()
    px.synchronize()
    assert (out == 7).all()


def test_an_array_that_is_resized_while_it_is_queued_is_refused() -> None:
    (device,) = px.devices(1)
    x = np.zeros(32, np.uint32)
    add_one[1](x, stream=px.Stream(device))
    x.resize(1 << 20, refcheck=False)
    assert code_of(px.synchronize) == "PTX2321"


def test_each_device_has_sms_of_its_own() -> None:
    sms = px.device_of(np.zeros(1)).sm_count
    first, second = px.devices(2)
    flag = first.zeros(1, np.uint32)
    for device in (first, second):
        fill_sm[sms](flag, 2 * sms, stream=px.Stream(device))
    px.synchronize(sanitize=False)
    assert flag[0] == 2 * sms
    flag[:] = 0
    for _ in range(2):
        fill_sm[sms](flag, 2 * sms, stream=px.Stream(first))
    assert code_of(lambda: px.synchronize(sanitize=False)) == "PTX9101"


def test_each_device_has_variables_of_its_own() -> None:
    devices, module = px.devices(2), px.parse(VARIABLE)
    module.symbol("count")[...] = 10
    outs = [device.zeros(1, np.uint32) for device in devices]
    streams = [px.Stream(device) for device in devices]
    for times in (1, 2, 1):
        for stream, out in zip(streams[:times], outs, strict=False):
            module["next"].launch(grid=1, block=1, args=[out], stream=stream)
    px.synchronize()
    assert [int(out[0]) for out in outs] == [13, 11]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_atomics_of_all_devices_meet(schedule: str) -> None:
    devices = px.devices(8)
    x = devices[5].zeros(1, np.uint32)
    for device in devices:
        add_one[2](x, stream=px.Stream(device))
    px.synchronize(schedule=schedule, sanitize=True)
    assert x[0] == 8 * 2 * 32


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("update", [False, True])
def test_bulk_copies_and_reductions_reach_peers(schedule: str, update: bool) -> None:
    devices = px.devices(3)
    source = devices[0].copy(np.arange(32, dtype=np.uint32))
    to = devices[2].copy(np.full(32, 100, np.uint32))
    through_shared[1](source, to, update=update, stream=px.Stream(devices[1]))
    px.synchronize(schedule=schedule, sanitize=True)
    assert (to == source + (100 if update else 0)).all()


def test_events_order_devices() -> None:
    devices = px.devices(2)
    x = devices[1].zeros(32, np.uint32)
    streams = [px.Stream(device) for device in devices]
    put[1](x, devices[0].zeros(1, np.uint32), stream=streams[0])
    streams[1].wait(streams[0].record())
    y = devices[1].zeros(32, np.uint32)
    px.copy(y, x, stream=streams[1])
    px.synchronize()
    assert (y == 7).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_hang_names_devices_launches_and_lines(schedule: str) -> None:
    first, second = px.devices(2)
    data = second.zeros(32, np.uint32)
    flags = first.zeros(1, np.uint32), second.zeros(1, np.uint32)
    stream = px.Stream(second)
    get[1](data, flags[1], data, stream=px.Stream(first))
    get[1](data, flags[0], data, stream=stream)
    put[1](data, flags[1], stream=stream)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(schedule=schedule, sanitize=True)
    assert raised.value.code == "PTX9101"
    notes = "\n".join(raised.value.notes)
    assert "`get`, entry 1 of the queue, on device 0: CTA (0, 0, 0) warp 0 loops in" in notes
    assert "reads `flag + 0x0` of device 1, where 0x0 stands" in notes
    assert "`get`, entry 2 of the queue, on device 1: CTA (0, 0, 0) warp 0 loops in" in notes
    assert "`put`, entry 3 of the queue, on device 1: it has not begun" in notes


def test_what_cannot_be_is_refused() -> None:
    first, second = px.devices(2)
    here, there = first.zeros(32, np.uint32), second.zeros(32, np.uint32)
    assert code_of(lambda: put[1](here, there)) == "PTX2303"
    prepared = put.prepare(grid=1, args=[there, there])
    assert code_of(lambda: prepared(stream=px.Stream(first))) == "PTX2329"
    assert code_of(lambda: put[1](there, there, stream=px.Stream())) == "PTX2329"
    apart = px.devices(2, peers=False)
    assert code_of(lambda: put[1](here, there, stream=px.Stream(apart[0]))) == "PTX2343"
    assert code_of(lambda: px.devices(9)) == "PTX2328"
    assert code_of(lambda: px.devices(0)) == "PTX2328"
    assert code_of(lambda: px.devices(2, "cloud")) == "PTX2311"
    assert code_of(lambda: px.Stream(1)) == "PTX2311"  # type: ignore[arg-type]
    assert code_of(lambda: px.Stream(second).handle) == "PTX2314"


def test_devices_without_peers_use_their_own_memory() -> None:
    first, second = px.devices(2, peers=False)
    x = second.zeros(1, np.uint32)
    add_one[1](x, stream=px.Stream(second))
    px.synchronize()
    assert x[0] == 32
    assert not first.peers


def test_one_launch_by_itself_runs_where_its_first_array_is() -> None:
    first, second = px.devices(2)
    here, flag = second.zeros(32, np.uint32), first.zeros(32, np.uint32)
    px.simulate(put, grid=1, args=[here, flag])
    assert (here == 7).all()
    assert flag[0] == 1
    assert px.certify(put, grid=1, args=[here, flag]).proved


@px.kernel(threads=64)
def wait_for(k: px.Builder, flag: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
    with k.if_(k.tid.x == 0), k.while_(lambda: k.ld.acquire.sys.global_.u32(flag[0]) == 0):
        pass
    k.bar.sync(0)
    k.st.global_.u32(out[k.ctaid.x], 1, pred=k.tid.x == 0)


@px.kernel(target="sm_90a", threads=32)
def load_often(k: px.Builder, a: px.TensorMap, flag: px.Ptr[px.u32], *, times: int) -> None:
    """Load a box by TMA so many times, and say that it is done."""
    tile, full = k.smem(px.f32, (8, 32), align=128), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        phase = k.reg(px.u32)
        k.mov.u32(0, d=phase)
        with k.loop(times):
            full.arrive_expect_tx(tile.nbytes)
            k.tma_load(tile, a, (0, 0), full)
            full.wait(phase)
            k.xor.b32(phase, 1, d=phase)
        k.st.release.sys.global_.u32(flag[0], 1)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("waits_first", [False, True])
def test_who_waits_long_for_another_device_does_not_hang(schedule: str, waits_first: bool) -> None:
    """Its threads ask over and over, and the other device is waiting for a copy, or in the middle of much work."""
    first, second = px.devices(2)
    flag, out = first.zeros(1, np.uint32), first.zeros(40, np.uint32)
    box = px.tensor_map(second.zeros((8, 32), np.float32), box=(8, 32))
    waits = wait_for.prepare(grid=40, args=[flag, out], stream=px.Stream(first))
    loads = load_often.specialize(times=1500).prepare(grid=1, args=[box, flag], stream=px.Stream(second))
    for launch in (waits, loads) if waits_first else (loads, waits):
        launch()
    px.synchronize(schedule=schedule, seed=1, sanitize=False)
    assert out.sum() == 40


def test_two_devices_whose_launches_wait_for_each_other_in_vain_hang_under_every_schedule() -> None:
    for schedule in ("eager", "late", "random"):
        first, second = px.devices(2)
        flags = [device.zeros(1, np.uint32) for device in (first, second)]
        outs = [device.zeros(4, np.uint32) for device in (first, second)]
        for device, flag, out in zip((first, second), flags, outs, strict=True):
            wait_for[4](flag, out, stream=px.Stream(device))
        with pytest.raises(px.Diagnostic) as raised:
            px.synchronize(schedule=schedule, seed=2, sanitize=False)
        assert raised.value.code == "PTX9101"


@px.kernel(target="sm_90a", threads=128)
def asks_for_registers(k: px.Builder, out: px.Ptr[px.u32], *, times: int) -> None:
    with k.loop(times):
        k.bar.sync(0)
    k.setmaxnreg.dec.sync.aligned.u32(40)
    k.st.global_.u32(out[k.ctaid.x * 128 + k.tid.x], 1)


def test_a_warpgroup_is_not_judged_in_the_middle_of_its_launch() -> None:
    """Where another device has its turn, some of the warps may have executed setmaxnreg, and others not yet."""
    for seed in range(3):
        for device, times in zip(px.devices(2), (2, 40), strict=True):
            out = device.zeros(128 * 8, np.uint32)
            asks_for_registers.specialize(times=times)[8](out, stream=px.Stream(device))
        reports = px.synchronize(schedule="random", seed=seed, sanitize=True)
        assert not [d for report in reports for d in report.findings]
