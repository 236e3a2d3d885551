"""Asynchronous copies and tensor maps beside the grids in front."""

from __future__ import annotations

from typing import Any

import numpy as np

import ptxlab as px

from . import BEFORE, STREAMS, Checks, Fault, numbers, program, zeros


@px.kernel(threads=64)
def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.griddepcontrol.launch_dependents()
    k.st.global_.u32(x[k.tid.x], k.tid.x)  #: store


def launched(dependent: Any, threads: int = 64) -> Checks:
    """A dependent that copies 64 words."""
    x, y, stream = zeros(), zeros(), px.Stream()
    primary[1](x, stream=stream)
    dependent[1](x, y, stream=stream)
    return [(y, numbers() - 1)]


@program(
    Fault("issued before the wait", BEFORE, ("cp.async", "store"), "it may read before the primary has stored"),
    Fault("waited for before the wait", BEFORE, ("cp.async", "store"), "it has read before the primary has ended"),
)
def by_lanes(fault: str) -> Checks:
    @px.kernel(threads=16)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        tile = k.smem(px.u32, 64, align=16)
        at = k.tid.x * 16
        if not fault:
            k.griddepcontrol.wait()
        k.cp.async_.cg.shared.global_(tile.at(at), x.at(at), 16)  #: cp.async
        k.cp.async_.commit_group()
        if fault == "issued before the wait":
            k.griddepcontrol.wait()
        k.cp.async_.wait_group(0)
        if fault == "waited for before the wait":
            k.griddepcontrol.wait()
        k.st.global_.v4.u32(y.at(at), k.ld.shared.v4.u32(tile.at(at)))

    return launched(dependent)


@program(
    Fault("issued before the wait", BEFORE, ("bulk load", "store"), "it may read before the primary has stored"),
    Fault("the wait behind the phase", BEFORE, ("bulk load", "store"), "it has read before the primary has ended"),
)
def bulk_load(fault: str) -> Checks:
    @px.kernel(target="sm_90a", threads=64)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        tile, full = k.smem(px.u32, 64, align=16), k.mbarrier(1)
        k.init_barriers()
        load = k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes
        with k.if_(k.tid.x == 0):
            full.arrive_expect_tx(tile.nbytes)
            if not fault:
                k.griddepcontrol.wait()
            load(tile, x, tile.nbytes, full)  #: bulk load
            if fault == "issued before the wait":
                k.griddepcontrol.wait()
        full.wait(0)
        if fault == "the wait behind the phase":
            k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(tile.at(k.tid.x * 4)))

    return launched(dependent)


@program(
    Fault("stored before the wait", BEFORE, ("bulk store", "output"), "the primary may still store there"),
)
def bulk_store(fault: str) -> Checks:
    @px.kernel(threads=64)
    def outputs(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(y[k.tid.x], 1)  #: output

    @px.kernel(target="sm_90a", threads=64)
    def dependent(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        tile = k.smem(px.u32, 64, align=16)
        k.st.shared.u32(tile.at(k.tid.x * 4), k.tid.x)
        k.fence.proxy.async_.shared__cta()
        k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            if not fault:
                k.griddepcontrol.wait()
            k.cp.async_.bulk.global_.shared__cta.bulk_group(y, tile, tile.nbytes)  #: bulk store
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group(0)
            if fault:
                k.griddepcontrol.wait()

    y, stream = zeros(), px.Stream()
    outputs[1](y, stream=stream)
    dependent[1](y, stream=stream)
    return [(y, numbers() - 1)]


@program(
    Fault("added before the wait", BEFORE, ("bulk sum", "clean"), "the primary may clear it afterwards"),
)
def bulk_sum(fault: str) -> Checks:
    @px.kernel(threads=64)
    def cleans(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(y[k.tid.x], 0)  #: clean

    @px.kernel(target="sm_90a", threads=64)
    def dependent(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        tile = k.smem(px.u32, 64, align=16)
        k.st.shared.u32(tile.at(k.tid.x * 4), k.tid.x)
        k.fence.proxy.async_.shared__cta()
        k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            if not fault:
                k.griddepcontrol.wait()
            k.cp.reduce.async_.bulk.global_.shared__cta.bulk_group.add.u32(y, tile, tile.nbytes)  #: bulk sum
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group(0)
            if fault:
                k.griddepcontrol.wait()

    y, stream = numbers(), px.Stream()
    cleans[1](y, stream=stream)
    dependent[1](y, stream=stream)
    return [(y, numbers() - 1)]


@program(
    Fault("issued before the wait", BEFORE, ("tma load", "store rows"), "it may read before the primary has stored"),
    Fault(
        "weights and activations",
        BEFORE,
        ("tma load", "store rows"),
        "the first load is of weights, the second one is not",
    ),
)
def tma(fault: str) -> Checks:
    """A producer warp loads weights ahead of its wait, and activations behind it; the consumers store what the primary has read."""

    @px.kernel(threads=64)
    def stores(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], k.tid.x)  #: store rows
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(y[k.tid.x]) * 0)

    @px.kernel(target="sm_90a", threads=96)
    def dependent(k: px.Builder, w: px.TensorMap, x: px.TensorMap, y: px.Ptr[px.u32]) -> None:
        ours, theirs = k.smem(px.u32, (8, 8), align=128), k.smem(px.u32, (8, 8), align=128)
        full, more = k.mbarrier(1), k.mbarrier(1)
        k.init_barriers()
        with k.if_(k.warp == 2), k.elect():
            full.arrive_expect_tx(ours.nbytes)
            k.tma_load(ours, w, (0, 0), full)
            if not fault:
                k.griddepcontrol.wait()
            more.arrive_expect_tx(theirs.nbytes)
            k.tma_load(theirs, x, (0, 0), more)  #: tma load
            if fault:
                k.griddepcontrol.wait()
        with k.if_(k.warp < 2):
            full.wait(0)
            more.wait(0)
            if fault == "weights and activations":
                k.griddepcontrol.wait()
            total = k.ld.shared.u32(ours.at(k.tid.x * 4)) * k.ld.shared.u32(theirs.at(k.tid.x * 4))
            if fault == "issued before the wait":
                k.griddepcontrol.wait()
            k.st.global_.u32(y[k.tid.x], total)

    w, x, y = (px.empty((8, 8), np.uint32) for _ in range(3))
    w[:], x[:], y[:] = 3, 0, 0
    stream = px.Stream()
    stores[1](x, y, stream=stream)
    maps = [px.tensor_map(one, box=(8, 8)) for one in (w, x)]
    dependent.launch(grid=1, args=[*maps, y], buffers=[w, x], stream=stream)
    return [(y.reshape(-1), (numbers() - 1) * 3)]


@program(
    Fault(
        "copied before the wait", BEFORE, ("load by the map", "change"), "the primary may not have changed the map yet"
    ),
    Fault("in another stream", STREAMS, ("load by the map", "change"), "the launches may run in any order"),
)
def map_changed(fault: str) -> Checks:
    """A launch writes a tensor map, and the next one copies through it."""

    @px.kernel(target="sm_90a", threads=128)
    def changes(k: px.Builder, here: px.Ptr[px.u8], there: px.Ptr[px.u8]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u8(there[k.tid.x], k.ld.global_.u8(here[k.tid.x]))  #: change
        k.fence.proxy.tensormap__generic.release.gpu()

    @px.kernel(target="sm_90a", threads=32)
    def dependent(k: px.Builder, map: px.Ptr[px.TensorMap], y: px.Ptr[px.u32]) -> None:
        tile, full = k.smem(px.u32, (4, 16), align=128), k.mbarrier(1)
        k.init_barriers()
        if not fault:
            k.griddepcontrol.wait()
        k.fence.proxy.tensormap__generic.acquire.gpu(map[0], 128)
        with k.elect():
            full.arrive_expect_tx(tile.nbytes)
            k.tma_load(tile, k.tensormap(map[0]), (0, 0), full)  #: load by the map
        full.wait(0)
        if fault == "copied before the wait":
            k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(tile.at(k.tid.x * 4)))

    one, two = px.empty((16, 16), np.uint32), px.empty((16, 16), np.uint32)
    one[:], two[:] = 1, 2
    maps = [px.empty(128, np.uint8, align=128) for _ in range(2)]
    for there, matrix in zip(maps, (two, one), strict=True):
        there[:] = np.frombuffer(px.tensor_map(matrix, box=(4, 16)).encode(), np.uint8)
    y, stream, other = zeros(32), px.Stream(), px.Stream()
    changes[1](maps[0], maps[1], stream=stream)
    behind = other if fault == "in another stream" else stream
    dependent.launch(grid=1, args=[maps[1], y], buffers=[one, two], stream=behind)
    return [(y, zeros(32) + 2)]
