"""Public bugs of kernels on several devices, rebuilt in small on two. Each names its thread."""

from __future__ import annotations

from typing import Any

import numpy as np

import ptxlab as px

from . import STREAMS, Checks, Fault, program

COUNT = 64


@px.kernel(threads=COUNT)
def fill(k: px.Builder, x: px.Ptr[px.u32], value: px.u32) -> None:
    k.st.global_.u32(x[k.tid.x], value)  #: fills


@px.kernel(threads=COUNT)
def fill_again(k: px.Builder, x: px.Ptr[px.u32], value: px.u32) -> None:
    k.st.global_.u32(x[k.tid.x], value)  #: fills again


def signal(k: px.Builder, flag: Any, number: Any, how: str) -> None:
    """One thread tells the other device that this one has come."""
    if how == "volatile":
        k.st.volatile.global_.u32(flag, number)
    elif how == "relaxed":
        k.st.relaxed.sys.global_.u32(flag, number)
    else:
        k.st.release.sys.global_.u32(flag, number)


def poll(k: px.Builder, flag: Any, number: Any, how: str) -> None:
    """One thread waits until the other device has come."""

    def load() -> Any:
        if how == "volatile":
            return k.ld.volatile.global_.u32(flag)
        if how == "relaxed":
            return k.ld.relaxed.sys.global_.u32(flag)
        if how == "its own device":
            return k.ld.acquire.gpu.global_.u32(flag)
        return k.ld.acquire.sys.global_.u32(flag)

    with k.while_(lambda: load() < number):
        pass


def meet(k: px.Builder, theirs: Any, mine: Any, number: Any, *, signals: str = "", polls: str = "") -> None:
    """A barrier of two devices: all threads of a CTA on each."""
    k.bar.sync(0)
    with k.if_(k.tid.x == 0):
        signal(k, theirs, number, signals)
        poll(k, mine, number, polls)
    k.bar.sync(0)


class Two:
    """Two devices with a stream each, and arrays on both."""

    def __init__(self) -> None:
        self.devices = px.devices(2)
        self.streams = [px.Stream(device) for device in self.devices]

    def zeros(self, count: int = COUNT) -> list[Any]:
        """An array on each."""
        return [device.zeros(count, np.uint32) for device in self.devices]

    def each(self, kernel: px.Kernel, *args: list[Any]) -> None:
        """Launch a kernel on both, each with its own arguments."""
        for rank, stream in enumerate(self.streams):
            kernel[1](*(x[rank] for x in args), stream=stream)


def swapped(x: list[Any]) -> list[Any]:
    """Those of the other device."""
    return x[::-1]


@program(
    Fault("volatile flags", STREAMS, ("pulls", "fills"), "an access that is volatile orders nothing"),
    bug="vllm#8404",
)
def pulls_behind_volatile_flags(fault: str) -> Checks:
    """A sum in one shot: each device waits for the other one, and pulls its input."""
    return _one_shot("volatile" if fault else "", "volatile" if fault else "")


@program(
    Fault("relaxed on both sides", STREAMS, ("pulls", "fills"), "the input may still be under way"),
    Fault("relaxed loads", STREAMS, ("pulls", "fills"), "nothing is acquired"),
    bug="vllm#57059",
)
def relaxed_start_barrier(fault: str) -> Checks:
    """The barrier in front of the sum was relaxed altogether."""
    signals = "relaxed" if fault == "relaxed on both sides" else ""
    return _one_shot(signals, "relaxed" if fault in ("relaxed on both sides", "relaxed loads") else "")


@program(
    Fault("flags are loaded for the device", STREAMS, ("pulls", "fills"), "the scope does not reach the other device"),
    bug="aiter#4786",
)
def scope_of_the_loads(fault: str) -> Checks:
    """Flags were stored for the system, and loaded for the device."""
    return _one_shot("", "its own device" if fault else "")


def _adding(signals: str = "", polls: str = "", *, end: tuple[str, str] | None = None) -> px.Kernel:
    """Adds the other device's numbers to those of its own. end: both meet again behind that, and how they signal and poll there."""

    @px.kernel(threads=COUNT)
    def add(
        k: px.Builder,
        number: px.u32,
        mine: px.Ptr[px.u32],
        theirs: px.Ptr[px.u32],
        my_flags: px.Ptr[px.u32],
        their_flags: px.Ptr[px.u32],
        out: px.Ptr[px.u32],
    ) -> None:
        meet(k, their_flags[0], my_flags[0], number, signals=signals, polls=polls)
        other = k.ld.global_.u32(theirs[k.tid.x])  #: pulls
        k.st.global_.u32(out[k.tid.x], k.ld.global_.u32(mine[k.tid.x]) + other)
        if end is not None:
            meet(k, their_flags[1], my_flags[1], number, signals=end[0], polls=end[1])

    return add


def _one_shot(signals: str, polls: str) -> Checks:
    two = Two()
    x, flags, out = two.zeros(), two.zeros(2), two.zeros()
    two.each(fill, x, [5, 7])
    two.each(_adding(signals, polls), [1, 1], x, swapped(x), flags, swapped(flags), out)
    return [(one, np.full(COUNT, 12, np.uint32)) for one in out]


@program(
    Fault(
        "it is relaxed on both sides",
        STREAMS,
        ("fills again", "pulls"),
        "that the other device has read it is not released",
    ),
)
def launches_are_fences(fault: str) -> Checks:
    """As PyTorch's symmetric memory does: a store may be relaxed where launches before it have filled the input, and a load where
    launches behind it fill it again."""
    two = Two()
    x, flags, out = two.zeros(), two.zeros(2), two.zeros()
    kernel = _adding("relaxed", end=("relaxed" if fault else "", "relaxed"))
    two.each(fill, x, [5, 7])
    two.each(kernel, [1, 1], x, swapped(x), flags, swapped(flags), out)
    two.each(fill_again, x, [1, 2])
    return [(one, np.full(COUNT, 12, np.uint32)) for one in out]


@program(
    Fault("no barrier at the end", STREAMS, ("fills again", "pulls"), "the other device may still read"),
    bug="aiter#3514",
)
def barrier_at_the_end(fault: str) -> Checks:
    """The next launch overwrites the input, which the other device must have read by then."""
    two = Two()
    x, flags, out = two.zeros(), two.zeros(2), two.zeros()
    two.each(fill, x, [5, 7])
    two.each(_adding(end=None if fault else ("", "")), [1, 1], x, swapped(x), flags, swapped(flags), out)
    two.each(fill_again, x, [1, 2])
    return [(one, np.full(COUNT, 12, np.uint32)) for one in out]


@program(
    Fault("relaxed between the stages", STREAMS, ("gathers", "adds"), "the sums may not have come"),
    Fault("a fence of the device", STREAMS, ("gathers", "adds"), "it does not reach the other device"),
    bug="vllm#2760",
)
def two_stages(fault: str) -> Checks:
    """A sum in two shots: each device adds up its half, and both gather the halves behind a second barrier."""
    half = COUNT // 2

    @px.kernel(threads=COUNT)
    def add(
        k: px.Builder,
        rank: px.u32,
        mine: px.Ptr[px.u32],
        theirs: px.Ptr[px.u32],
        my_sums: px.Ptr[px.u32],
        their_sums: px.Ptr[px.u32],
        my_flag: px.Ptr[px.u32],
        their_flag: px.Ptr[px.u32],
        out: px.Ptr[px.u32],
    ) -> None:
        i = k.tid.x
        meet(k, their_flag[0], my_flag[0], 1)
        with k.if_(i // half == rank):
            total = k.ld.global_.u32(mine[i]) + k.ld.global_.u32(theirs[i])
            k.st.global_.u32(my_sums[i], total)  #: adds
        if fault == "a fence of the device":
            k.fence.acq_rel.gpu()
        how = "relaxed" if fault else ""
        meet(k, their_flag[1], my_flag[1], 1, signals=how, polls=how)
        with k.if_(i // half == rank):
            k.st.global_.u32(out[i], k.ld.global_.u32(my_sums[i]))
        with k.if_(i // half != rank):
            k.st.global_.u32(out[i], k.ld.global_.u32(their_sums[i]))  #: gathers

    two = Two()
    x, sums, flags, out = two.zeros(), two.zeros(), two.zeros(2), two.zeros()
    two.each(fill, x, [5, 7])
    two.each(add, [0, 1], x, swapped(x), sums, swapped(sums), flags, swapped(flags), out)
    return [(one, np.full(COUNT, 12, np.uint32)) for one in out]


@program(
    Fault("flags are stored weakly", STREAMS, ("tells", "asks"), "a weak store behind a fence is no release"),
    Fault(
        "each CTA counts its launches",
        STREAMS,
        ("publishes", "pulls from its half"),
        "a CTA that a smaller grid has left out lags behind, and takes the half that is still being read",
    ),
    bug="vllm#50941",
)
def halves_of_a_buffer(fault: str) -> Checks:
    """Inputs go out in the halves of a buffer by turns, chunk by chunk, with a flag for each; grids have one or two CTAs."""

    @px.kernel(threads=COUNT // 2)
    def add(
        k: px.Builder,
        count: px.u32,
        launch: px.u32,
        x: px.Ptr[px.u32],
        mine: px.Ptr[px.u32],
        theirs: px.Ptr[px.u32],
        my_flags: px.Ptr[px.u32],
        their_flags: px.Ptr[px.u32],
        counts: px.Ptr[px.u32],
        out: px.Ptr[px.u32],
    ) -> None:
        cta, chunk = k.ctaid.x, count // k.nctaid.x
        number = launch
        if fault == "each CTA counts its launches":
            number = k.ld.global_.u32(counts[cta]) + 1
            k.bar.sync(0)
            with k.if_(k.tid.x == 0):
                k.st.global_.u32(counts[cta], number)
        half = number % 2 * COUNT
        begin = cta * chunk
        with k.loop(begin + chunk, start=begin + k.tid.x, step=COUNT // 2) as i:
            k.st.global_.u32(mine[half + i], k.ld.global_.u32(x[i]))  #: publishes
        k.bar.sync(0)
        k.fence.acq_rel.sys()
        with k.if_(k.tid.x == 0):
            if fault == "flags are stored weakly":
                k.st.global_.u32(their_flags[cta], number)  #: tells
            else:
                k.st.relaxed.sys.global_.u32(their_flags[cta], number)
            with k.while_(lambda: k.ld.acquire.sys.global_.u32(my_flags[cta]) < number):  #: asks
                pass
        k.bar.sync(0)
        with k.loop(begin + chunk, start=begin + k.tid.x, step=COUNT // 2) as i:
            other = k.ld.global_.u32(theirs[half + i])  #: pulls from its half
            k.st.global_.u32(out[i], k.ld.global_.u32(x[i]) + other)

    two = Two()
    x, halves, flags, counts = two.zeros(), two.zeros(2 * COUNT), two.zeros(2), two.zeros(2)
    two.each(fill, x, [5, 7])
    checks: list[tuple[Any, Any]] = []
    for launch, (ctas, count) in enumerate(((2, COUNT), (1, COUNT // 2), (2, COUNT // 2)), 1):
        out = two.zeros(count)
        for rank, stream in enumerate(two.streams):
            others = (x, halves, swapped(halves), flags, swapped(flags), counts, out)
            add[ctas](count, launch, *(one[rank] for one in others), stream=stream)
        checks += [(one, np.full(count, 12, np.uint32)) for one in out]
    return checks


@program(
    Fault("the same number each time", STREAMS, ("pulls", "fills"), "the flag still stands from the round before"),
    bug="vllm#46913",
)
def numbers_of_rounds(fault: str) -> Checks:
    """A graph repeated a launch with the number of its flags in it, so that a wait found the flag of the round before."""
    two = Two()
    x, flags, out = two.zeros(), two.zeros(2), two.zeros()
    for number in (1, 2):
        two.each(fill, x, [5 * number, 7 * number])
        two.each(_adding(end=("", "")), [1 if fault else number] * 2, x, swapped(x), flags, swapped(flags), out)
    return [(one, np.full(COUNT, 24, np.uint32)) for one in out]


@program(
    Fault("it waits for the read alone", STREAMS, ("takes a tile", "stores a tile"), "the tile may still be under way"),
    Fault("no wait", STREAMS, ("takes a tile", "stores a tile"), "the tile may still be under way"),
    bug="ThunderKittens#194",
)
def tiles_that_are_stored(fault: str) -> Checks:
    """A bulk store of a tile, and a signal to the other device, which reads the tile."""
    two = Two()

    @px.kernel(target="sm_90a", threads=COUNT)
    def give(k: px.Builder, tile: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
        staged = k.smem(px.u32, COUNT, align=128)
        k.st.shared.u32(staged[k.tid.x], k.tid.x + 1)
        k.fence.proxy.async_.shared__cta()
        k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            k.cp.async_.bulk.global_.shared__cta.bulk_group(tile, staged, staged.nbytes)  #: stores a tile
            k.cp.async_.bulk.commit_group()
            if fault == "it waits for the read alone":
                k.cp.async_.bulk.wait_group.read(0)
            elif not fault:
                k.cp.async_.bulk.wait_group(0)
            k.red.release.sys.global_.add.u32(flag[0], 1)

    @px.kernel(threads=COUNT)
    def take(k: px.Builder, tile: px.Ptr[px.u32], flag: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
        with k.if_(k.tid.x == 0):
            poll(k, flag[0], 1, "")
        k.bar.sync(0)
        k.st.global_.u32(out[k.tid.x], k.ld.global_.u32(tile[k.tid.x]))  #: takes a tile

    tile, flag, out = two.devices[0].zeros(COUNT, np.uint32), *(two.devices[1].zeros(n, np.uint32) for n in (1, COUNT))
    give[1](tile, flag, stream=two.streams[0])
    take[1](tile, flag, out, stream=two.streams[1])
    return [(out, np.arange(1, COUNT + 1, dtype=np.uint32))]
