"""Several GPUs of one host: memory of peers, flags between them, and collective operations with the bits of the simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import driver
from ptxlab.diag import Diagnostic
from ptxlab.kernels.collectives import Group
from tools.blocks import blocks, changed

pytestmark = pytest.mark.gpu
TYPES = [np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)]


def gpus() -> int:
    return len(driver.devices())


def several() -> int:
    """How many GPUs a test takes; it is skipped where there is but one."""
    count = min(8, gpus())
    if count < 2:
        pytest.skip("one GPU")
    return count


@px.kernel(threads=32)
def put(k: px.Builder, there: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
    k.st.global_.u32(there[k.tid.x], k.tid.x + 7)
    k.bar.warp.sync(0xFFFFFFFF)
    with k.if_(k.tid.x == 0):
        k.st.release.sys.global_.u32(flag[0], 1)


@px.kernel(threads=32)
def get(k: px.Builder, here: px.Ptr[px.u32], flag: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
    with k.while_(lambda: k.ld.acquire.sys.global_.u32(flag[0]) == 0):
        pass
    k.st.global_.u32(out[k.tid.x], k.ld.global_.u32(here[k.tid.x]))


def test_a_stream_of_a_device() -> None:
    (device,) = px.devices(1, "gpu")
    data, flag, out = (device.zeros(32, np.uint32) for _ in range(3))
    stream = px.Stream(device)
    for _ in range(2):
        put[1](data, flag, stream=stream)
        get[1](data, flag, out, stream=stream)
    stream.record().synchronize()
    assert out.numpy().tolist() == list(range(7, 39))


def test_more_gpus_than_there_are() -> None:
    with pytest.raises(Diagnostic) as raised:
        px.devices(gpus() + 1, "gpu")
    assert raised.value.code == "PTX2304"


def test_a_simulated_device_is_none_of_the_gpus() -> None:
    (device,) = px.devices(1, "gpu")
    data = device.zeros(32, np.uint32)
    with pytest.raises(Diagnostic) as raised:
        put[1](data, data, stream=px.Stream(px.devices(1)[0]))
    assert raised.value.code == "PTX2314"


def test_a_flag_between_gpus() -> None:
    several()
    first, second = px.devices(2, "gpu")
    data, flag, out = (second.zeros(32, np.uint32) for _ in range(3))
    waits = get.prepare(grid=1, args=[data, flag, out], stream=px.Stream(second))
    puts = put.prepare(grid=1, args=[data, flag], stream=px.Stream(first))
    waits()
    puts()
    px.synchronize()
    assert out.numpy().tolist() == list(range(7, 39))


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.name)
@pytest.mark.parametrize("way", ["one-shot", "two-shot"])
def test_sums_have_the_bits_of_the_simulator(way: str, dtype: Any) -> None:
    count, numbers, found = several(), np.random.default_rng(1), list[list[bytes]]()
    given = [numbers.normal(0, 100, 5000).astype(dtype) for _ in range(count)]
    for on in ("sim", "gpu"):
        devices = px.devices(count, on)
        inputs = [device.copy(x) for device, x in zip(devices, given, strict=True)]
        outputs = [device.zeros(5000, dtype) for device in devices]
        reduce = Group(devices).prepare_all_reduce(inputs, outputs, way=way)
        for _ in range(3):
            reduce()
        px.synchronize(sanitize=False)
        found.append([(x.numpy() if on == "gpu" else x).tobytes() for x in outputs])
    assert found[0] == found[1]


def end_of_the_tutorial(on: str) -> list[Any]:
    """What the all-reduce that tutorial 9 ends with sums up, run once."""
    page = blocks((Path(__file__).parents[2] / "docs/tutorials/9-all-reduce.md").read_text())
    text = next(block.text for block in page if block.info == ("python", "sums.py"))
    for block in page:
        if block.info == ("diff", "sums.py"):
            text = changed(text, block.text)
    names: dict[str, Any] = {}
    exec(text.partition("\nfor seed in ")[0].replace("px.devices(2)", f"px.devices(2, {on!r})"), names)
    names["steps"]()
    px.synchronize(sanitize=False)
    return [x.numpy() if on == "gpu" else x for x in names["out"]]


def test_the_end_of_the_tutorial() -> None:
    several()
    here, there = (end_of_the_tutorial(on) for on in ("sim", "gpu"))
    assert here[0][511] == 4 * (2 * 511 + 10) + 4 * 5
    assert [x.tobytes() for x in there] == [x.tobytes() for x in here]
