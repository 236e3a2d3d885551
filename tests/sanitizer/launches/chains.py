"""Three launches and more: who has waited for whom."""

from __future__ import annotations

import ptxlab as px

from . import BEFORE, CHAIN, Checks, Fault, numbers, program, zeros


@px.kernel(threads=64)
def first(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.griddepcontrol.launch_dependents()
    k.st.global_.u32(x[k.tid.x], k.tid.x)  #: first


@program(
    Fault(
        "the second one lets it begin too early", BEFORE, ("third reads", "first"), "the first grid may still run then"
    ),
    Fault(
        "the second one lets it begin without a wait",
        BEFORE,
        ("third reads", "first"),
        "the first grid may still run then",
    ),
)
def grandparent(fault: str) -> Checks:
    """In front of its wait a grid may use what the last but one has stored, if the one between waits before launch_dependents."""

    @px.kernel(threads=64)
    def second(k: px.Builder, z: px.Ptr[px.u32]) -> None:
        if fault == "the second one lets it begin too early":
            k.griddepcontrol.launch_dependents()
        if fault != "the second one lets it begin without a wait":
            k.griddepcontrol.wait()
        if fault != "the second one lets it begin too early":
            k.griddepcontrol.launch_dependents()
        k.st.global_.u32(z[k.tid.x], 1)

    @px.kernel(threads=64)
    def third(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], z: px.Ptr[px.u32]) -> None:
        v = k.ld.global_.u32(x[k.tid.x])  #: third reads
        k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], v + k.ld.global_.u32(z[k.tid.x]))

    x, y, z, stream = zeros(), zeros(), zeros(), px.Stream()
    first[1](x, stream=stream)
    second[1](z, stream=stream, programmatic=True)
    third[1](x, y, z, stream=stream)
    return [(y, numbers())]


@program()
def grandparent_by_one_warp(fault: str) -> Checks:
    """The one between waits in one warp, and another one executes launch_dependents behind a barrier."""

    @px.kernel(threads=64)
    def second(k: px.Builder, z: px.Ptr[px.u32]) -> None:
        with k.if_(k.warp == 0):
            k.griddepcontrol.wait()
        k.bar.sync(0)
        with k.if_(k.warp == 1):
            k.griddepcontrol.launch_dependents()
        k.st.global_.u32(z[k.tid.x], 1)

    @px.kernel(threads=64)
    def third(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], z: px.Ptr[px.u32]) -> None:
        v = k.ld.global_.u32(x[k.tid.x])
        k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], v + k.ld.global_.u32(z[k.tid.x]))

    x, y, z, stream = zeros(), zeros(), zeros(), px.Stream()
    first[1](x, stream=stream)
    second[1](z, stream=stream)
    third[1](x, y, z, stream=stream)
    return [(y, numbers())]


@program(
    Fault(
        "the second one never waits",
        CHAIN,
        ("late read", "first"),
        "the manual promises the end of the second one alone",
    ),
)
def unbroken(fault: str) -> Checks:
    @px.kernel(threads=64)
    def second(k: px.Builder, z: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(z[k.tid.x], 1)
        if not fault:
            k.griddepcontrol.wait()

    @px.kernel(threads=64)
    def third(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))  #: late read

    x, y, z, stream = zeros(), zeros(), zeros(), px.Stream()
    first[1](x, stream=stream)
    second[1](z, stream=stream, programmatic=True)
    third[1](x, y, stream=stream)
    return [(y, numbers() - 1)]


@program(
    Fault("the next block ahead of the wait", BEFORE, ("ahead", "step"), "it is the one that the grid in front writes"),
    Fault("stored ahead of the wait", BEFORE, ("stored ahead", "gets"), "the grid in front may still read it"),
)
def ping_pong(fault: str) -> Checks:
    """Each launch reads what the one before it has stored, and stores where that one has read."""

    @px.kernel(threads=64)
    def step(k: px.Builder, here: px.Ptr[px.u32], there: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        if fault == "the next block ahead of the wait":
            v = k.ld.global_.u32(here[k.tid.x])  #: ahead
            k.griddepcontrol.wait()
        elif fault == "stored ahead of the wait":
            k.st.global_.u32(there[k.tid.x], 0)  #: stored ahead
            k.griddepcontrol.wait()
            v = k.ld.global_.u32(here[k.tid.x])  #: gets
        else:
            k.griddepcontrol.wait()
            v = k.ld.global_.u32(here[k.tid.x])
        k.st.global_.u32(there[k.tid.x], v + 1)  #: step, gets

    here, there, stream = zeros(), zeros(), px.Stream()
    for i in range(6):
        step[1](*((here, there) if i % 2 == 0 else (there, here)), stream=stream)
    return [(here, zeros() + 6), (there, zeros() + 5)]


@program()
def ordinary_behind_a_chain(fault: str) -> Checks:
    """An ordinary launch and a copy wait for all in front of them, also for grids in front of one that never waits."""

    @px.kernel(threads=64)
    def second(k: px.Builder, z: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(z[k.tid.x], 1)

    @px.kernel(threads=64)
    def third(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))

    x, y, z, out, stream = zeros(), zeros(), zeros(), zeros(), px.Stream()
    first[1](x, stream=stream)
    second[1](z, stream=stream, programmatic=True)
    px.copy(out, x, stream=stream)
    first[1](x, stream=stream)
    second[1](z, stream=stream, programmatic=True)
    third[1](x, y, stream=stream)
    return [(y, numbers() - 1), (out, numbers() - 1)]


@program(
    Fault("scale read ahead", BEFORE, ("scale", "reduce"), "the reduction in front of it writes it"),
)
def norm_and_product(fault: str) -> Checks:
    """A reduction, and a grid of several CTAs that uses its result."""

    @px.kernel(threads=32)
    def reduces(k: px.Builder, x: px.Ptr[px.u32], total: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.wait()
        k.griddepcontrol.launch_dependents()
        k.red.relaxed.gpu.global_.add.u32(total[0], k.ld.global_.u32(x[k.ctaid.x * 32 + k.tid.x]))  #: reduce

    @px.kernel(threads=32)
    def scales(k: px.Builder, x: px.Ptr[px.u32], total: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        at, scale = k.ctaid.x * 32 + k.tid.x, None
        if fault:
            scale = k.ld.global_.u32(total[0])  #: scale
        k.griddepcontrol.wait()
        if scale is None:
            scale = k.ld.global_.u32(total[0])
        k.st.global_.u32(y[at], k.ld.global_.u32(x[at]) * scale)

    x, total, y, stream = zeros(), zeros(1), zeros(), px.Stream()
    first[1](x, stream=stream)
    reduces[2](x, total, stream=stream)
    scales[2](x, total, y, stream=stream)
    return [(y, (numbers() - 1) * 2016)]
