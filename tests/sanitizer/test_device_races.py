"""Launches on several devices, compared with each other: what orders them are flags of the scope .sys."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptxlab as px
from ptxlab.kernels.collectives import Group

SCHEDULES = ("eager", "late", "random")
HEAD = """.version 8.8
.target sm_90a
.address_size 64
"""
PUT = """.visible .entry put(.param .u64 p, .param .u64 f) .reqntid 32 {{
.reg .b64 %a, %f; .reg .b32 %r<4>; .reg .pred %q;
ld.param.u64 %a, [p]; ld.param.u64 %f, [f]; mov.u32 %r1, %tid.x; mad.wide.u32 %a, %r1, 4, %a; setp.eq.u32 %q, %r1, 0;
st.global.u32 [%a], 7;
bar.sync 0;
{give}
ret;
}}
"""
GET = """.visible .entry get(.param .u64 p, .param .u64 f) .reqntid 32 {{
.reg .b64 %a, %f; .reg .b32 %r<4>; .reg .pred %q;
ld.param.u64 %a, [p]; ld.param.u64 %f, [f]; mov.u32 %r1, %tid.x; mad.wide.u32 %a, %r1, 4, %a;
{take}
ld.global.u32 %r3, [%a];
ret;
}}
"""
GIVES = {
    "release": "@%q st.release.{scope}.global.u32 [%f], 1;",
    "fence": "@%q fence.acq_rel.{fence}; @%q st.relaxed.{scope}.global.u32 [%f], 1;",
    "atomic": "@%q atom.release.{scope}.global.add.u32 %r2, [%f], 1;",
}
TAKES = {
    "release": "L: ld.acquire.{scope}.global.u32 %r2, [%f]; setp.eq.u32 %q, %r2, 0; @%q bra L;",
    "fence": "L: ld.relaxed.{scope}.global.u32 %r2, [%f]; setp.eq.u32 %q, %r2, 0; @%q bra L; fence.acq_rel.{fence};",
    "atomic": "L: ld.acquire.{scope}.global.u32 %r2, [%f]; setp.eq.u32 %q, %r2, 0; @%q bra L;",
}


def found(give: str, take: str, schedule: str, *, devices: int = 2) -> list[px.Diagnostic]:
    """What is found where one device stores, and another one loads."""
    module = px.parse(HEAD + PUT.format(give=give) + GET.format(take=take), "flags.ptx")
    all_of_them = px.devices(2)[:devices]
    data, flag = (all_of_them[-1].zeros(32, np.uint32) for _ in range(2))
    module["put"][1](data, flag, stream=px.Stream(all_of_them[0]))
    module["get"][1](data, flag, stream=px.Stream(all_of_them[-1]))
    try:
        px.synchronize(schedule=schedule, sanitize=True)
    except px.Diagnostic as wrong:
        return [wrong, *wrong.also]
    return []


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kind", GIVES)
def test_flags_of_the_system_order_two_devices(kind: str, schedule: str) -> None:
    words = {"scope": "sys", "fence": "sys"}
    assert found(GIVES[kind].format(**words), TAKES[kind].format(**words), schedule) == []


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("kind", "given", "taken"),
    [
        ("release", ("gpu", "gpu"), ("gpu", "gpu")),
        ("release", ("gpu", "gpu"), ("sys", "sys")),
        ("release", ("sys", "sys"), ("gpu", "gpu")),
        ("fence", ("sys", "gpu"), ("sys", "sys")),
        ("fence", ("sys", "sys"), ("sys", "gpu")),
        ("atomic", ("gpu", "gpu"), ("sys", "sys")),
    ],
)
def test_those_of_one_device_do_not(kind: str, given: tuple[str, str], taken: tuple[str, str], schedule: str) -> None:
    give, take = ({"scope": scope, "fence": fence} for scope, fence in (given, taken))
    wrong = found(GIVES[kind].format(**give), TAKES[kind].format(**take), schedule)
    assert {one.code for one in wrong} == {"PTX9262"}
    helps = [one.help or "" for one in wrong if "flags.ptx" in str(one)]
    assert any("the scope .gpu does not reach another device" in one for one in helps)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_on_one_device_they_do(schedule: str) -> None:
    words = {"scope": "gpu", "fence": "gpu"}
    for kind in GIVES:
        assert found(GIVES[kind].format(**words), TAKES[kind].format(**words), schedule, devices=1) == []


def test_without_a_flag_an_event_is_what_lacks() -> None:
    wrong = found("", "", "eager")[0]
    assert wrong.code == "PTX9262"
    assert re.search(r"record an event behind launch 1", wrong.help or "")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("way", ["one-shot", "two-shot"])
def test_collective_operations_are_silent(way: str, schedule: str) -> None:
    devices = px.devices(3)
    group = Group(devices)
    arrays = [d.copy(np.full(300, i + 1, np.float32)) for i, d in enumerate(devices)]
    outputs = [d.zeros(300, np.float32) for d in devices]
    group.all_reduce(arrays, outputs, way=way)
    px.synchronize(schedule=schedule, sanitize=True)
    assert all((one == 6).all() for one in outputs)


@px.kernel(target="sm_90", threads=64)
def fill(k: px.Builder, x: px.Ptr[px.f32], value: px.f32) -> None:
    k.st.global_.f32(x[k.ctaid.x * 64 + k.tid.x], value)


@px.kernel(target="sm_90", threads=64)
def take(k: px.Builder, x: px.Ptr[px.f32], out: px.Ptr[px.f32]) -> None:
    i = k.ctaid.x * 64 + k.tid.x
    k.st.global_.f32(out[i], k.ld.global_.f32(x[i]))


def steps(schedule: str, *, streams_of_the_group: bool) -> list[px.Diagnostic]:
    """Three steps of two devices: each fills its input, all add up, each takes its sum."""
    devices = px.devices(2)
    streams = [px.Stream(device) for device in devices]
    group = Group(devices, None if streams_of_the_group else streams)
    inputs, sums, out = ([device.zeros(128, np.float32) for device in devices] for _ in range(3))
    for step in range(3):
        for i, stream in enumerate(streams):
            fill[2](inputs[i], float(step + i + 1), stream=stream)
        group.all_reduce(inputs, sums)
        for i, stream in enumerate(streams):
            take[2](sums[i], out[i], stream=stream)
    try:
        px.synchronize(schedule=schedule, sanitize=True)
    except px.Diagnostic as wrong:
        return [wrong, *wrong.also]
    assert all((one == 7).all() for one in out)
    return []


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_flags_tell_holds_for_launches_in_front_and_behind(schedule: str) -> None:
    """`fill` and `take` know nothing of the other device: the launches that talk stand between them in their streams."""
    assert steps(schedule, streams_of_the_group=False) == []


def test_other_streams_are_not_in_front() -> None:
    assert {one.code for one in steps("eager", streams_of_the_group=True)} == {"PTX9262"}
