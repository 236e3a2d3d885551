"""One thread, warp or CTA waits for the grids in front, and others rest on it."""

from __future__ import annotations

from typing import Any

import ptxlab as px

from . import ALONE, BEFORE, Checks, Fault, numbers, program, zeros


@px.kernel(threads=128)
def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.griddepcontrol.launch_dependents()
    k.st.global_.u32(x[k.tid.x], k.tid.x)  #: store


def launched(dependent: Any) -> Checks:
    """A dependent that copies 128 words."""
    x, y, stream = zeros(128), zeros(128), px.Stream()
    primary[1](x, stream=stream)
    dependent[1](x, y, stream=stream)
    return [(y, numbers(128) - 1)]


@program(
    Fault("no barrier", ALONE, ("load", "store"), "the other warps have not waited"),
    Fault("barrier before the wait", ALONE, ("load", "store"), "it hands on nothing of the wait"),
    Fault("barrier of the warp", ALONE, ("load", "store"), "it is for that warp alone"),
)
def by_thread(fault: str) -> Checks:
    @px.kernel(threads=128)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        if fault == "barrier before the wait":
            k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            k.griddepcontrol.wait()
        if fault == "barrier of the warp":
            k.bar.warp.sync(0xFFFFFFFF)
        if not fault:
            k.bar.sync(0)
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))  #: load

    return launched(dependent)


@program(
    Fault("lanes that have not waited", ALONE, ("lane load", "store"), "a wait is for the thread that executes it"),
)
def by_lane(fault: str) -> Checks:
    """A barrier of the warp behind one lane's wait."""

    @px.kernel(threads=32)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        with k.if_(k.laneid == 0):
            k.griddepcontrol.wait()
        if not fault:
            k.bar.warp.sync(0xFFFFFFFF)
        k.st.global_.v4.u32(y[k.tid.x * 4], k.ld.global_.v4.u32(x[k.tid.x * 4]))  #: lane load

    return launched(dependent)


@program(
    Fault("another barrier", ALONE, ("named load", "store"), "the warps of the other barrier know nothing of the wait"),
    Fault("too few warps", ALONE, ("rest", "store"), "the last two warps do not come to the barrier"),
)
def by_named_barrier(fault: str) -> Checks:
    @px.kernel(threads=128)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        with k.if_(k.warp == 0):
            k.griddepcontrol.wait()
        if fault == "too few warps":
            with k.if_(k.warp < 2):
                k.bar.sync(1, 64)
        elif fault == "another barrier":
            with k.if_(k.warp < 2):
                k.bar.sync(1, 64)
            with k.if_(k.warp >= 2):
                k.bar.sync(2, 64)
        else:
            k.bar.sync(1, 128)
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))  #: named load, rest

    return launched(dependent)


@program(
    Fault("arrival before the wait", ALONE, ("behind the phase", "store"), "the phase does not come behind the wait"),
    Fault("nobody waits for the phase", ALONE, ("behind the phase", "store"), "the consumers do not wait"),
)
def by_mbarrier(fault: str) -> Checks:
    @px.kernel(target="sm_90a", threads=160)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        ready = k.mbarrier(1)
        k.init_barriers()
        with k.if_(k.warp == 4), k.if_(k.laneid == 0):
            if fault == "arrival before the wait":
                ready.arrive()
            k.griddepcontrol.wait()
            if fault != "arrival before the wait":
                ready.arrive()
        with k.if_(k.warp < 4):
            if fault != "nobody waits for the phase":
                ready.wait(0)
            k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))  #: behind the phase

    return launched(dependent)


@program(
    Fault("relaxed flag", ALONE, ("behind the flag", "store"), "a relaxed load acquires nothing"),
    Fault("relaxed store of the flag", ALONE, ("behind the flag", "store"), "a relaxed store releases nothing"),
)
def by_flag(fault: str) -> Checks:
    @px.kernel(threads=64)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        flag = k.smem(px.u32, 4)
        k.st.shared.u32(flag.at(0), 0, pred=k.tid.x == 0)
        k.bar.sync(0)
        with k.if_(k.warp == 0):
            k.griddepcontrol.wait()
            with k.if_(k.laneid == 0):
                if fault == "relaxed store of the flag":
                    k.st.relaxed.cta.shared.u32(flag.at(0), 1)
                else:
                    k.st.release.cta.shared.u32(flag.at(0), 1)
        with k.if_(k.warp == 1):
            if fault == "relaxed flag":
                with k.while_(lambda: k.ld.relaxed.cta.shared.u32(flag.at(0)) == 0):
                    pass
            else:
                with k.while_(lambda: k.ld.acquire.cta.shared.u32(flag.at(0)) == 0):
                    pass
            with k.loop(4) as i:
                at = i * 32 + k.laneid
                k.st.global_.u32(y[at], k.ld.global_.u32(x[at]))  #: behind the flag

    return launched(dependent)


@program(
    Fault("no barrier of the cluster", BEFORE, ("peer", "store"), "the other CTA has not waited"),
    Fault("barrier of the CTA", BEFORE, ("peer", "store"), "the other CTA has not waited"),
)
def by_cluster(fault: str) -> Checks:
    """One CTA of a cluster waits for both."""

    @px.kernel(target="sm_90a", threads=64, cluster=2)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        with k.if_(k.cluster_ctarank == 0):
            k.griddepcontrol.wait()
        if fault == "barrier of the CTA":
            k.bar.sync(0)
        if not fault:
            k.cluster_sync()
        at = k.ctaid.x * 64 + k.tid.x
        k.st.global_.u32(y[at], k.ld.global_.u32(x[at]))  #: peer

    x, y, stream = zeros(128), zeros(128), px.Stream()
    primary[1](x, stream=stream)
    dependent[2](x, y, stream=stream)
    return [(y, numbers(128) - 1)]


@program(
    Fault("flag of the CTA", BEFORE, ("other CTA", "store"), "its scope does not reach the other CTA"),
    Fault("no flag", BEFORE, ("other CTA", "store"), "the other CTA has not waited"),
)
def by_grid(fault: str) -> Checks:
    """One CTA waits for all, and tells them by a flag in global memory."""

    @px.kernel(threads=32)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
        with k.if_(k.ctaid.x == 0):
            k.griddepcontrol.wait()
            with k.if_(k.tid.x == 0):
                if fault == "flag of the CTA":
                    k.st.release.cta.global_.u32(flag[0], 1)
                else:
                    k.st.release.gpu.global_.u32(flag[0], 1)
        if fault != "no flag":
            with k.while_(lambda: k.ld.acquire.gpu.global_.u32(flag[0]) == 0):
                pass
        at = k.ctaid.x * 32 + k.tid.x
        k.st.global_.u32(y[at], k.ld.global_.u32(x[at]))  #: other CTA

    x, y, flag, stream = zeros(128), zeros(128), zeros(1), px.Stream()
    primary[1](x, stream=stream)
    dependent[4](x, y, flag, stream=stream)
    return [(y, numbers(128) - 1)]
