"""Rows that go to other devices and come back, in numbers that the devices themselves know: tokens to experts."""

from __future__ import annotations

import ptxlab as px
from ptxlab.kernels.collectives.call import THREADS, VECTOR
from ptxlab.kernels.collectives.meeting import RANKS, Meeting


@px.kernel(target="sm_90", threads=THREADS)
def move_rows(
    k: px.Builder,
    here: px.Ptr[px.u32],
    there0: px.Ptr[px.u32],
    there1: px.Ptr[px.u32],
    there2: px.Ptr[px.u32],
    there3: px.Ptr[px.u32],
    there4: px.Ptr[px.u32],
    there5: px.Ptr[px.u32],
    there6: px.Ptr[px.u32],
    there7: px.Ptr[px.u32],
    counts0: px.Ptr[px.s32],
    counts1: px.Ptr[px.s32],
    counts2: px.Ptr[px.s32],
    counts3: px.Ptr[px.s32],
    counts4: px.Ptr[px.s32],
    counts5: px.Ptr[px.s32],
    counts6: px.Ptr[px.s32],
    counts7: px.Ptr[px.s32],
    flags0: px.Ptr[px.u32],
    flags1: px.Ptr[px.u32],
    flags2: px.Ptr[px.u32],
    flags3: px.Ptr[px.u32],
    flags4: px.Ptr[px.u32],
    flags5: px.Ptr[px.u32],
    flags6: px.Ptr[px.u32],
    flags7: px.Ptr[px.u32],
    counts: px.Ptr[px.s32],
    mine: px.Ptr[px.u32],
    meetings: px.Ptr[px.u32],
    rank: px.u32,
    vectors: px.u32,
    rows_here: px.u32,
    rows_there: px.u32,
    *,
    ranks: int,
    back: bool,
) -> None:
    """Send the rows of `here`, sorted by device, to all devices, behind those of the devices before this one; or get them back.

    counts: how many of this device's rows belong to each device. vectors: of 16 bytes in a row. rows_here, rows_there: what arrays
    hold; the kernel traps where counts pass that.
    """
    there = [there0, there1, there2, there3, there4, there5, there6, there7][:ranks]
    every = [counts0, counts1, counts2, counts3, counts4, counts5, counts6, counts7][:ranks]
    flags = [flags0, flags1, flags2, flags3, flags4, flags5, flags6, flags7][:ranks]
    begins = k.smem(px.u32, RANKS)
    meeting = Meeting(k, flags, rank, mine, meetings[k.ctaid.x])
    before = meeting.begins()
    with k.if_(k.tid.x < ranks):  # thread t: where this device's rows begin on device t
        total = k.reg(px.u32)
        k.mov.u32(0, d=total)
        for device, others in enumerate(every):
            with k.if_(rank > device):
                k.add.u32(total, k.ld.global_.u32(others[k.tid.x]), d=total)
        k.st.shared.u32(begins[k.tid.x], total)
    k.bar.sync(0)
    start = k.reg(px.u32)
    k.mov.u32(0, d=start)
    for device, other in enumerate(there):
        count, begin = k.ld.global_.u32(counts[device]), k.ld.shared.u32(begins[device])
        passes = k.or_.pred(begin > rows_there, count > rows_there - begin)
        with k.if_(k.or_.pred(passes, count > rows_here - start)):  # a negative count is a large one
            k.trap()
        with k.loop(count * vectors, start=k.ctaid.x * THREADS + k.tid.x, step=k.nctaid.x * THREADS) as i:
            home, away = here.at((start * vectors + i) * VECTOR), other.at((begin * vectors + i) * VECTOR)
            to, source = (home, away) if back else (away, home)
            k.st.global_.v4.b32(to, k.ld.global_.v4.b32(source))
        k.add.u32(start, count, d=start)
    meeting.ends(before)
