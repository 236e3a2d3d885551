"""Launches and copies of several streams, and the events that order them."""

from __future__ import annotations

import ptxlab as px

from . import STREAMS, Checks, Fault, numbers, program, zeros


@px.kernel(threads=64)
def fill(k: px.Builder, x: px.Ptr[px.u32], n: px.u32) -> None:
    k.st.global_.u32(x[k.tid.x], n)  #: fill


@px.kernel(threads=64)
def add(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
    a = k.ld.global_.u32(x[k.tid.x])  #: add reads
    k.red.global_.add.u32(y[k.tid.x], a)  #: add writes


@program(
    Fault("no event", STREAMS, ("add reads", "fill"), "the launches may run in any order"),
    Fault("event recorded too early", STREAMS, ("add reads", "fill"), "it stands in front of the launch"),
    Fault("waited for too late", STREAMS, ("add reads", "fill"), "what is queued already does not wait"),
    Fault("event of the wrong stream", STREAMS, ("add reads", "fill"), "it says nothing of the launch"),
)
def two_streams(fault: str) -> Checks:
    x, y, one, other = zeros(), zeros(), px.Stream(), px.Stream()
    if fault == "event recorded too early":
        other.wait(one.record())
    fill[1](x, 5, stream=one)
    if fault == "event of the wrong stream":
        other.wait(other.record())
    if not fault:
        other.wait(one.record())
    add[1](x, y, stream=other)
    if fault == "waited for too late":
        other.wait(one.record())
    return [(y, zeros() + 5)]


@program(
    Fault("both write", STREAMS, ("fill", "fill"), "nothing says which value stays"),
)
def two_writers(fault: str) -> Checks:
    x, y, one, other = zeros(), zeros(), px.Stream(), px.Stream()
    fill[1](x, 5, stream=one)
    fill[1](x if fault else y, 6, stream=other)
    return [(x, zeros() + 5), (y, zeros() + 6)]


@program(
    Fault("it overwrites what is read", STREAMS, ("fill", "add reads"), "the other stream may read the new values"),
)
def read_then_write(fault: str) -> Checks:
    x, y, one, other = numbers(), zeros(), px.Stream(), px.Stream()
    add[1](x, y, stream=one)
    if not fault:
        other.wait(one.record())
    fill[1](x, 7, stream=other)
    return [(y, numbers()), (x, zeros() + 7)]


@program()
def readers(fault: str) -> Checks:
    """Streams that read the same array."""
    x, outs, streams = numbers(), [zeros() for _ in range(3)], [px.Stream() for _ in range(3)]
    for y, stream in zip(outs, streams, strict=True):
        add[1](x, y, stream=stream)
    return [(y, numbers()) for y in outs]


@program(
    Fault("the join lacks one side", STREAMS, ("add reads", "fill"), "the second branch may still run"),
    Fault("the fork lacks one side", STREAMS, ("fill", "fill"), "the branch does not come behind the first launch"),
)
def diamond(fault: str) -> Checks:
    """One stream forks into two, which join again."""
    a, b, out = zeros(), zeros(), zeros()
    one, other = px.Stream(), px.Stream()
    fill[1](a, 1, stream=one)
    fill[1](b, 1, stream=one)
    if fault != "the fork lacks one side":
        other.wait(one.record())
    fill[1](a, 2, stream=one)
    fill[1](b, 3, stream=other)
    if fault != "the join lacks one side":
        one.wait(other.record())
    if fault != "the fork lacks one side":
        add[1](a, out, stream=one)
        add[1](b, out, stream=one)
    return [(out, zeros() + 5)]


@program(
    Fault("copied out too early", STREAMS, ("copies out", "fill"), "the launch may not have begun"),
)
def copy_out(fault: str) -> Checks:
    x, y, one, other = zeros(), zeros(), px.Stream(), px.Stream()
    fill[1](x, 4, stream=one)
    if not fault:
        other.wait(one.record())
    px.copy(y, x, stream=other)  #: copies out
    return [(y, zeros() + 4)]


@program(
    Fault("copied in while it is read", STREAMS, ("copies in", "add reads"), "the launch may read some of it"),
    Fault("used while it is copied in", STREAMS, ("add reads", "first batch"), "the copy may not be over"),
)
def copy_in(fault: str) -> Checks:
    """Batches come in by one stream, and are used in another one."""
    x, y, stage, work, moves = zeros(), zeros(), numbers(), px.Stream(), px.Stream()
    px.copy(x, stage, stream=moves)  #: first batch
    if fault != "used while it is copied in":
        work.wait(moves.record())
    add[1](x, y, stream=work)
    if fault != "copied in while it is read":
        moves.wait(work.record())
    if fault != "used while it is copied in":
        px.copy(x, stage, stream=moves)  #: copies in
    return [(y, numbers())]


@program(
    Fault("one buffer", STREAMS, ("copies on", "add reads"), "the second batch comes into the buffer that is in use"),
)
def two_buffers(fault: str) -> Checks:
    """While one buffer is used, the other one is filled."""
    buffers, y, stage, work, moves = [zeros(), zeros()], zeros(), numbers(), px.Stream(), px.Stream()
    px.copy(buffers[0], stage, stream=moves)
    work.wait(moves.record())
    add[1](buffers[0], y, stream=work)
    px.copy(buffers[0 if fault else 1], stage, stream=moves)  #: copies on
    work.wait(moves.record())
    add[1](buffers[0 if fault else 1], y, stream=work)
    return [(y, numbers() * 2)]


@program(
    Fault("copies into one array", STREAMS, ("copy two", "copy one"), "nothing says which comes last"),
)
def two_copies(fault: str) -> Checks:
    x, y, a, one, other = zeros(), zeros(), numbers(), px.Stream(), px.Stream()
    fill[1](y, 1, stream=one)
    px.copy(x, a, stream=one)  #: copy one
    if not fault:
        other.wait(one.record())
    px.copy(x, a + 1, stream=other)  #: copy two
    return [(x, numbers() + 1)]


@program(
    Fault("one row too many", STREAMS, ("copies rows", "fill"), "the row belongs to the other stream"),
)
def rows(fault: str) -> Checks:
    """Streams that work on different rows of an array, through slices."""
    x, one, other = zeros(256).reshape(4, 64), px.Stream(), px.Stream()
    fill[1](x[0], 1, stream=one)
    fill[1](x[1], 2, stream=one)
    first = 1 if fault else 2
    px.copy(x[first:4], zeros((4 - first) * 64).reshape(-1, 64) + 3, stream=other)  #: copies rows
    return [(x[0], zeros() + 1), (x[1], zeros() + 2), (x[2], zeros() + 3)]


@program(
    Fault("columns that meet", STREAMS, ("copies columns", "fills columns"), "the column belongs to the other stream"),
)
def columns(fault: str) -> Checks:
    """The same of columns: the arrays overlap in memory, and share no element."""

    @px.kernel(threads=32)
    def fills(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(x[k.tid.x * 8], 1)  #: fills columns

    x, one, other = zeros(256).reshape(32, 8), px.Stream(), px.Stream()
    fills[1](x, stream=one)
    begin = 0 if fault else 1
    px.copy(x[:, begin:3], zeros(32 * (3 - begin)).reshape(32, -1) + 9, stream=other)  #: copies columns
    return [(x[:, 0], zeros(32) + 1), (x[:, 1], zeros(32) + 9)]


@program(
    Fault("release for the CTA", STREAMS, ("takes", "gives"), "its scope does not reach the other grid"),
    Fault("relaxed flag", STREAMS, ("takes", "gives"), "it hands on nothing"),
    Fault("no flag", STREAMS, ("takes", "gives"), "nothing orders the two"),
)
def flags(fault: str) -> Checks:
    """Two grids that run side by side, and talk by a flag."""

    @px.kernel(threads=32)
    def gives(k: px.Builder, x: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(x[k.tid.x], 8)  #: gives
        k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            if fault == "release for the CTA":
                k.st.release.cta.global_.u32(flag[0], 1)
            elif fault == "relaxed flag":
                k.st.relaxed.gpu.global_.u32(flag[0], 1)
            else:
                k.st.release.gpu.global_.u32(flag[0], 1)

    @px.kernel(threads=32)
    def takes(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
        if fault == "relaxed flag":
            with k.while_(lambda: k.ld.relaxed.gpu.global_.u32(flag[0]) == 0):
                pass
        elif fault != "no flag":
            with k.while_(lambda: k.ld.acquire.gpu.global_.u32(flag[0]) == 0):
                pass
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))  #: takes

    x, y, flag, one, other = zeros(32), zeros(32), zeros(1), px.Stream(), px.Stream()
    gives[1](x, flag, stream=one)
    takes[1](x, y, flag, stream=other)
    return [(y, zeros(32) + 8)]


@program()
def flags_with_fences(fault: str) -> Checks:
    """The same by relaxed accesses and fences, for the whole system."""

    @px.kernel(threads=32)
    def gives(k: px.Builder, x: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(x[k.tid.x], 8)
        k.fence.acq_rel.sys()
        k.red.relaxed.sys.global_.add.u32(flag[0], 1)

    @px.kernel(threads=32)
    def takes(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], flag: px.Ptr[px.u32]) -> None:
        with k.while_(lambda: k.ld.relaxed.sys.global_.u32(flag[0]) < 32):
            pass
        k.fence.acq_rel.sys()
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))

    x, y, flag, one, other = zeros(32), zeros(32), zeros(1), px.Stream(), px.Stream()
    gives[1](x, flag, stream=one)
    takes[1](x, y, flag, stream=other)
    return [(y, zeros(32) + 8)]


@program()
def work_counter(fault: str) -> Checks:
    """Grids of two streams share a counter of work, and each item is done by one of them."""

    @px.kernel(threads=32)
    def works(k: px.Builder, counter: px.Ptr[px.u32], x: px.Ptr[px.u32]) -> None:
        taken = k.atom.relaxed.gpu.global_.add.u32(counter[0], 1)
        k.st.global_.u32(x[taken], 1)

    counter, x, one, other = zeros(1), zeros(), px.Stream(), px.Stream()
    works[1](counter, x, stream=one)
    works[1](counter, x, stream=other)
    return [(counter, zeros(1) + 64), (x, zeros() + 1)]
