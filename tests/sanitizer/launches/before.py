"""A grid that begins early, and what it does in front of griddepcontrol.wait."""

from __future__ import annotations

import ptxlab as px

from . import BEFORE, Checks, Fault, numbers, program, zeros


@program(
    Fault("load before the wait", BEFORE, ("early load", "produce"), "the load may find what was there before"),
    Fault("no wait", BEFORE, ("late load", "produce"), "nothing waits for the primary"),
    Fault("launch_dependents behind the store", BEFORE, ("early load", "produce"), "it publishes nothing"),
)
def reads(fault: str) -> Checks:
    @px.kernel(threads=64)
    def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        if fault != "launch_dependents behind the store":
            k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], k.tid.x)  #: produce
        if fault == "launch_dependents behind the store":
            k.griddepcontrol.launch_dependents()

    @px.kernel(threads=64)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        early, v = fault in ("load before the wait", "launch_dependents behind the store"), None
        if early:
            v = k.ld.global_.u32(x[k.tid.x])  #: early load
        if fault != "no wait":
            k.griddepcontrol.wait()
        if v is None:
            v = k.ld.global_.u32(x[k.tid.x])  #: late load
        k.st.global_.u32(y[k.tid.x], v)

    x, y, stream = zeros(), zeros(), px.Stream()
    primary[1](x, stream=stream)
    dependent[1](x, y, stream=stream, programmatic=True)
    return [(y, numbers() - 1)]


@program(
    Fault("activations, too", BEFORE, ("fetch", "activate"), "they are what the primary writes"),
    Fault("weights that the primary writes", BEFORE, ("weights", "adapt"), "they are no constants then"),
)
def weights_ahead(fault: str) -> Checks:
    @px.kernel(threads=64)
    def primary(k: px.Builder, w: px.Ptr[px.u32], x: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], k.tid.x)  #: activate
        if fault == "weights that the primary writes":
            k.st.global_.u32(w[k.tid.x], 2)  #: adapt

    @px.kernel(threads=64)
    def dependent(k: px.Builder, w: px.Ptr[px.u32], x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        weight, v = k.ld.global_.u32(w[k.tid.x]), None  #: weights
        if fault == "activations, too":
            v = k.ld.global_.u32(x[k.tid.x])  #: fetch
        k.griddepcontrol.wait()
        if v is None:
            v = k.ld.global_.u32(x[k.tid.x])
        k.st.global_.u32(y[k.tid.x], v * weight)

    w, x, y, stream = zeros() + 3, zeros(), zeros(), px.Stream()
    primary[1](w, x, stream=stream)
    dependent[1](w, x, y, stream=stream)
    return [(y, (numbers() - 1) * 3)]


@program(
    Fault(
        "workspace before the wait", BEFORE, ("reuse early", "use"), "the primary may still read what is overwritten"
    ),
    Fault("workspace cleared before the wait", BEFORE, ("clear", "use"), "the primary may still read it"),
)
def workspace(fault: str) -> Checks:
    @px.kernel(threads=64)
    def primary(k: px.Builder, scratch: px.Ptr[px.u32], x: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(scratch[k.tid.x]) + 1)  #: use

    @px.kernel(threads=64)
    def dependent(k: px.Builder, scratch: px.Ptr[px.u32], x: px.Ptr[px.u32]) -> None:
        if fault == "workspace before the wait":
            k.st.global_.u32(scratch[k.tid.x], 5)  #: reuse early
        if fault == "workspace cleared before the wait":
            with k.if_(k.tid.x < 16):
                k.st.global_.v4.u32(scratch[k.tid.x * 4], [0, 0, 0, 0])  #: clear
        k.griddepcontrol.wait()
        if not fault:
            k.st.global_.u32(scratch[k.tid.x], 5)
        k.red.global_.add.u32(x[k.tid.x], 1)

    scratch, x, stream = numbers(), zeros(), px.Stream()
    primary[1](scratch, x, stream=stream)
    dependent[1](scratch, x, stream=stream)
    return [(x, numbers() + 2), (scratch, zeros() + 5)]


@program(
    Fault("epilogue before the wait", BEFORE, ("epilogue", "output"), "the primary may store over it"),
    Fault("by programmatic=True without a wait", BEFORE, ("late epilogue", "output"), "the primary may store over it"),
)
def outputs(fault: str) -> Checks:
    @px.kernel(threads=64)
    def primary(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(y[k.tid.x], 1)  #: output

    @px.kernel(threads=64)
    def dependent(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        if fault == "epilogue before the wait":
            k.st.global_.u32(y[k.tid.x], 2)  #: epilogue
        if fault != "by programmatic=True without a wait":
            k.griddepcontrol.wait()
        if fault != "epilogue before the wait":
            k.st.global_.u32(y[k.tid.x], 2)  #: late epilogue

    y, stream = zeros(), px.Stream()
    primary[1](y, stream=stream)
    dependent[1](y, stream=stream, programmatic=True)
    return [(y, zeros() + 2)]


@program(
    Fault("reset before the wait", BEFORE, ("reset", "count"), "CTAs of the primary may still count"),
    Fault(
        "reset by an exchange of narrow scope", BEFORE, ("exchange", "count"), "the scope does not reach the other grid"
    ),
)
def counters(fault: str) -> Checks:
    @px.kernel(threads=32)
    def primary(k: px.Builder, counter: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        with k.if_(k.tid.x == 0):
            before = k.atom.relaxed.gpu.global_.add.u32(counter[0], 1)  #: count
            k.st.global_.u32(out[k.ctaid.x], before * 0 + 1)

    @px.kernel(threads=32)
    def dependent(k: px.Builder, counter: px.Ptr[px.u32]) -> None:
        if fault == "reset before the wait":
            k.st.global_.u32(counter[0], 0, pred=k.tid.x == 0)  #: reset
        if fault == "reset by an exchange of narrow scope":
            with k.if_(k.tid.x == 0):
                k.atom.relaxed.cta.global_.exch.b32(counter[0], 0)  #: exchange
        k.griddepcontrol.wait()
        if not fault:
            k.st.global_.u32(counter[0], 0, pred=k.tid.x == 0)

    counter, out, stream = zeros(1), zeros(4), px.Stream()
    primary[4](counter, out, stream=stream)
    dependent[1](counter, stream=stream)
    return [(counter, zeros(1)), (out, zeros(4) + 1)]


@program()
def counting_together(fault: str) -> Checks:
    """Atomic operations for the whole device may come in any order."""

    @px.kernel(threads=32)
    def count(k: px.Builder, counter: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.red.relaxed.gpu.global_.add.u32(counter[0], 1)
        k.griddepcontrol.wait()

    counter, stream = zeros(1), px.Stream()
    for _ in range(3):
        count[2](counter, stream=stream)
    return [(counter, zeros(1) + 192)]


@program(
    Fault("plain addition", BEFORE, ("add early", "clean"), "the primary may set it back afterwards"),
    Fault("load and store", BEFORE, ("take", "clean"), "the primary may set it back afterwards"),
)
def sums(fault: str) -> Checks:
    @px.kernel(threads=64)
    def primary(k: px.Builder, total: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(total[k.tid.x], 0)  #: clean

    @px.kernel(threads=64)
    def dependent(k: px.Builder, total: px.Ptr[px.u32]) -> None:
        if fault == "plain addition":
            k.red.global_.add.u32(total[k.tid.x], 4)  #: add early
        if fault == "load and store":
            k.st.global_.u32(total[k.tid.x], k.ld.global_.u32(total[k.tid.x]) + 4)  #: take
        k.griddepcontrol.wait()
        if not fault:
            k.red.global_.add.u32(total[k.tid.x], 4)

    total, stream = numbers(), px.Stream()
    primary[1](total, stream=stream)
    dependent[1](total, stream=stream)
    return [(total, zeros() + 4)]


@program(
    Fault("one word too many", BEFORE, ("second half", "first half"), "it belongs to the primary"),
)
def halves(fault: str) -> Checks:
    """In front of its wait a grid may use the part of an array that the grid in front of it does not."""

    @px.kernel(threads=32)
    def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], 1)  #: first half

    @px.kernel(threads=32)
    def dependent(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(x[k.tid.x + (31 if fault else 32)], 2)  #: second half
        k.griddepcontrol.wait()

    x, stream = zeros(), px.Stream()
    primary[1](x, stream=stream)
    dependent[1](x, stream=stream)
    return [(x[:32], zeros(32) + 1), (x[32:], zeros(32) + 2)]


@program(
    Fault(
        "nc before the wait",
        BEFORE,
        ("read only", "not constant"),
        "it may be written meanwhile, and the cache keeps it",
    ),
    Fault("vectors before the wait", BEFORE, ("vector", "not constant"), "the load may find what was there before"),
    Fault("bytes before the wait", BEFORE, ("bytes", "not constant"), "the load may find what was there before"),
)
def widths(fault: str) -> Checks:
    @px.kernel(threads=64)
    def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], k.tid.x)  #: not constant

    @px.kernel(threads=16)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        v = k.mov.u32(0)
        if fault == "nc before the wait":
            v = k.ld.global_.nc.u32(x[k.tid.x])  #: read only
        if fault == "vectors before the wait":
            v = k.ld.global_.v4.u32(x[k.tid.x * 4])[0]  #: vector
        if fault == "bytes before the wait":
            v = k.ld.global_.u8(x.at(k.tid.x * 4))  #: bytes
        k.griddepcontrol.wait()
        if not fault:
            v = k.ld.global_.v4.u32(x[k.tid.x * 4])[1]
        k.st.global_.u32(y[k.tid.x], v)

    x, y, stream = zeros(), zeros(16), px.Stream()
    primary[1](x, stream=stream)
    dependent[1](x, y, stream=stream)
    return [(y, numbers(16) * 4 - 3)]


@program()
def in_order(fault: str) -> Checks:
    """Launched in the ordinary way, a grid begins when those in front of it are over, wherever its wait stands."""

    @px.kernel(threads=64)
    def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(x[k.tid.x], k.tid.x)

    @px.kernel(threads=64)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        v = k.ld.global_.u32(x[k.tid.x])
        k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], v)

    x, y, stream = zeros(), zeros(), px.Stream()
    primary[1](x, stream=stream)
    dependent[1](x, y, stream=stream, programmatic=False)
    return [(y, numbers() - 1)]


@program(
    Fault("wait in the first turn, behind the load", BEFORE, ("turn", "rows"), "the first turn comes before it"),
)
def wait_in_a_loop(fault: str) -> Checks:
    """A wait that stands in the first turn of a loop comes before all turns."""

    @px.kernel(threads=32)
    def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        with k.loop(4) as i:
            k.st.global_.u32(x[i * 32 + k.tid.x], i)  #: rows

    @px.kernel(threads=32)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        total = k.mov.u32(0)
        with k.loop(4) as i:
            if not fault:
                with k.if_(i == 0):
                    k.griddepcontrol.wait()
            total += k.ld.global_.u32(x[i * 32 + k.tid.x])  #: turn
            if fault:
                with k.if_(i == 0):
                    k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], total)

    x, y, stream = zeros(128), zeros(32), px.Stream()
    primary[1](x, stream=stream)
    dependent[1](x, y, stream=stream)
    return [(y, zeros(32) + 6)]
