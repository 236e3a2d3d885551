"""The table of a grouped product, made on the device, where the number of rows of each group is known.

One CTA runs before the products. The host has written what it knows into `facts`, an entry for each group as `grouped_call` lays
it out, for a group that begins at the first row. A thread moves the addresses to where its group begins, and enters the rows or
steps that it has and the numbers of its tiles. Numbers beyond the matrices are cut to what there is, so nothing outside of them is
touched.

Groups of different depth come in the order of their sums, longest first: then all CTAs get about the same work.
"""

from __future__ import annotations

from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.tiling import parts
from ptxlab.kernels.grouped_call import AT, BEYOND, ENTRY, TMA_BYTES

THREADS = 256
WARPS = THREADS // 32
SORTED = 512
"""Groups up to which they are put in order: each thread compares its own with all others."""
ALL = 0xFFFFFFFF


def _listing(
    k: px.Builder,
    numbers: px.Ptr[px.b8],
    facts: px.Ptr[px.b8],
    entries: px.Ptr[px.b8],
    ends: px.Ptr[px.u32],
    groups: px.u32,
    limit: px.u32,
    tiles: px.u32,
    shift_a: px.u64,
    shift_b: px.u64,
    shift_c: px.u64,
    shift_scales: px.u64,
    *,
    given: str,
    size: int,
    tile: int,
    counted: str = "rows",
    ordered: bool = False,
    summed: bool = True,
) -> None:
    """Write `entries` and `ends`.

    Args:
        numbers: `given` as "offsets", one more than groups, as "ends" or as "counts", of `size` bytes.
        limit: rows, or steps along K, that there are. shift_…: bytes from row to row.
        tile: rows of a group that a tile has, and `tiles` are beside each other; 0 where groups are parts of K, of so many tiles.
        counted: what those rows are to wgmma, "rows" or "columns". ordered: groups of parts of K are put in order.
        summed: K is not 0, where it is the same for all.
    """
    k.griddepcontrol.launch_dependents()  # the products make their barriers meanwhile
    by_depth = tile == 0
    sums = None if by_depth else k.smem(px.u32, WARPS, name="sums")
    before = k.reg(px.u32)
    k.mov.u32(0, d=before)

    def number(index: Any) -> Any:
        at = px.Address.of(k.mad.wide.u32(index, size, numbers), space="global")
        wide = k.ld.global_.s64(at) if size == 8 else k.cvt.s64.s32(k.ld.global_.s32(at))
        return k.cvt.u32.u64(k.min.s64(k.max.s64(wide, 0), k.cvt.u64.u32(limit)))

    def extent(group: Any) -> tuple[Any, Any]:
        """The first row of a group, and how many there are."""
        if given == "counts":
            return k.mov.u32(0), number(group)
        if given == "offsets":
            first, end = number(group), number(group + 1)
        else:
            first, end = k.selp.u32(0, number(k.selp.u32(0, group - 1, group == 0)), group == 0), number(group)
        return first, k.max.u32(end, first) - first

    with k.loop(groups, step=THREADS) as chunk:  # all threads alike: they add up together
        group = chunk + k.tid.x
        exists = group < groups
        first, count = k.reg(px.u32), k.reg(px.u32)
        k.mov.u32(0, d=first)
        k.mov.u32(0, d=count)
        with k.if_(exists):
            found = extent(group)
            k.mov.u32(found[0], d=first)
            k.mov.u32(found[1], d=count)
        place, start = k.reg(px.u32), k.reg(px.u32)
        if sums is None:
            k.mov.u32(group, d=place)
            if ordered:
                k.mov.u32(0, d=place)
                with k.loop(groups) as other:
                    theirs = extent(other)[1]
                    k.add.u32(place, 1, d=place, pred=theirs > count)
                    tie = k.selp.u32(k.selp.u32(1, 0, other < group), 0, theirs == count)
                    k.add.u32(place, tie, d=place)
            own, rows = tiles, None
            k.mul.lo.u32(place, tiles, d=start)
        else:
            rows = parts(count, tile)
            own = rows * tiles
            k.mov.u32(group, d=place)
            k.mov.u32(_before(k, own, sums, before), d=start)
        with k.if_(exists):
            source = px.Address.of(k.mad.wide.u32(group, ENTRY, facts), space="global")
            target = px.Address.of(k.mad.wide.u32(place, ENTRY, entries), space="global")
            for i in range(0, ENTRY, 16):
                k.st.global_.v4.b32(target + i, k.ld.global_.v4.b32(source + i))
            down = k.cvt.u64.u32(first)
            shifts = {"a": shift_a, "c": shift_c, "a_pad": shift_scales} | ({"b": shift_b} if by_depth else {})
            for name, shift in shifts.items():
                at = source + AT[name]
                k.st.global_.u64(target + AT[name], k.mad.lo.u64(down, shift, k.ld.global_.u64(at)))
            for name in (*(("a_outer",) if summed or by_depth else ()), "b_outer" if by_depth else "c_outer"):
                k.st.global_.u32(target + AT[name], count)
            words = {"first": start, "end": start + own} | ({"stop": count} if rows is None else {counted: rows})
            for name, value in words.items():
                k.st.global_.u32(target + AT[name], value)
            if by_depth:
                with k.if_(count == 0):
                    _nothing(k, target)
            k.st.global_.u32(ends[place], start + own)


def _before(k: px.Builder, own: Any, sums: Any, before: Any) -> Any:
    """The tiles of all groups before a thread's own one, which has `own`; those of this chunk are added to `before`."""
    lane, warp = k.tid.x & 31, k.tid.x >> 5
    total = k.reg(px.u32)
    k.mov.u32(own, d=total)
    for distance in (1, 2, 4, 8, 16):
        left = k.shfl.sync.up.b32(total, distance, 0, ALL)
        k.add.u32(total, left, d=total, pred=lane >= distance)
    k.st.shared.u32(sums[warp], total, pred=lane == 31)
    k.bar.sync(0)
    start = total - own + before
    for i in range(WARPS):
        x = k.ld.shared.u32(sums[i])
        start = start + k.selp.u32(x, 0, warp > i)
        k.add.u32(before, x, d=before)
    k.bar.sync(0)
    return start


def _nothing(k: px.Builder, target: px.Address) -> None:
    """A group without steps: a tile loads zeros from behind matrices of one element, and C becomes zeros. They lie where C does:
    TMA looks an address up before it finds that nothing is wanted of it."""
    somewhere = k.and_.b64(k.ld.global_.u64(target + AT["c"]), -TMA_BYTES)
    for name in "ab":
        k.st.global_.u64(target + AT[name], somewhere)
        k.st.global_.u64(target + AT[f"{name}_pitch"], TMA_BYTES)
        for way in ("inner", "outer"):
            k.st.global_.u32(target + AT[f"{name}_{way}"], 1)
    k.st.global_.u32(target + AT["start"], BEYOND)
    k.st.global_.u32(target + AT["stop"], BEYOND + 1)


listing = px.kernel(target="sm_90a", threads=THREADS, name="grouped_listing")(_listing)
