"""cp.async where copies happen at issue: done here, without Python. Every other schedule, and what is wrong, traps."""

from __future__ import annotations

from typing import Any

from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.address import ADDRESS32
from ptxlab.sim.compiled.emit import Address, Emitter
from ptxlab.sim.compiled.ir import I32, I64, PTR, T, Val
from ptxlab.sim.compiled.memory import WIDE, Reach, host_of, pack_access, remembered, report, spill
from ptxlab.sim.compiled.registry import meaning
from ptxlab.sim.semantics.control import to_trap


def _unless_eager(e: Emitter) -> None:
    """Leave for Python where copies take their time."""
    with e.if_(e.exec == 0):
        e.goto_next()
    with e.if_(e.load(e.env, I64, F.E_EAGER_COPIES, 8) == 0):
        to_trap(e)


def _shared(e: Emitter, a: Address, size: int) -> Val:
    """Host addresses (u64 vector) of the destinations; traps where one is misaligned or not the CTA's own."""
    fn = e.fn
    value = fn.splat(a.value).to(T("u", 32))
    offset = (value - fn.load(e.frame, I32, F.F_SHARED_FIRST, 4)).to(WIDE)
    good = ((offset + size) <= fn.load(e.frame, I64, F.F_SHARED_BYTES, 8)) & ((value & (size - 1)) == 0)
    with fn.if_((~fn.mask(good) & e.exec) != 0):
        to_trap(e)
    return offset + fn.load(e.frame, I64, F.F_SHARED, 8)


def _global(e: Emitter, a: Address, size: int, lanes: Val) -> Val:
    """Host addresses (u64 vector) of the sources of these lanes, all legal; traps otherwise."""
    fn = e.fn
    value = fn.splat(a.value).to(WIDE)
    low, high = remembered(e, a)
    near = (value >= low) & (value <= high - size)
    with fn.if_((fn.mask((value & (size - 1)) != 0) & e.exec) != 0):
        to_trap(e)  # Python looks at the alignment of sources that are not read, too
    out = fn.variable(host_of(e, a, value))
    with fn.if_((~fn.mask(near) & lanes) != 0):
        fn.store(value, e.env, F.E_SCRATCH, 64)
        resolve = fn.load(e.env, PTR, F.E_RESOLVE, 8)
        word = pack_access(size, "global", write=False, read=True) | size << 20
        status = fn.line(
            f"call i32 {resolve.text}(ptr {e.frame.text}, ptr {fn.at(e.rec, a.cache).text}, ptr {e.env.text}, "
            f"i32 {lanes.text}, i32 {word}, ptr {e.rec.text})",
            I32,
        )
        with fn.if_(status != 0):
            to_trap(e)
        out.set(fn.load(e.env, WIDE, F.E_SCRATCH, 64))
    where = out.get()
    report(e, Reach(a, where, lanes, size, "load"))
    return where


def _copy(e: Emitter, dst: Address, src: Address, size: int, lanes: Val) -> None:
    """Copy in these lanes; zeros in the others that execute."""
    fn = e.fn
    if dst.uniform:
        to_trap(e)
        return
    where = _shared(e, dst, size)
    to = spill(e, where)
    source = spill(e, _global(e, src, size, lanes))
    report(e, Reach(dst, where, e.exec, size, "store"))
    t = T("u", 8 * size, 0)
    with fn.each_bit(lanes) as lane:
        value = fn.load(fn.load(source, PTR, lane * 8, 8), t, align=size)
        fn.store(value, fn.load(to, PTR, lane * 8, 8), align=4)
    with fn.each_bit(e.exec & ~lanes) as lane:
        fn.store(fn.const(0, t), fn.load(to, PTR, lane * 8, 8), align=4)


@meaning("cp.async", halfway=True)
def cp_async(e: Emitter, dst: Address, src: Address, size: Any, src_size: Val | None = None) -> None:
    """Whole copies and copies of nothing; the few between the two go to Python."""
    _unless_eager(e)
    bytes_ = e.constant("size")
    lanes = e.exec
    if src_size is not None:
        taken = e.fn.splat(src_size).to(T("u", 32)) & ADDRESS32
        whole, none = e.mask(taken == bytes_), e.mask(taken == 0)
        with e.if_((e.exec & ~(whole | none)) != 0):
            to_trap(e)
        lanes = e.exec & whole
    _copy(e, dst, src, bytes_, lanes)


@meaning("cp.async.ignore_src", halfway=True)
def cp_async_ignore(e: Emitter, dst: Address, src: Address, size: Any, ignore_src: Val) -> None:
    """A copy, or zeros where the predicate holds."""
    _unless_eager(e)
    _copy(e, dst, src, e.constant("size"), e.exec & ~e.mask(e.fn.splat(ignore_src)))


@meaning("cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all", halfway=True)
def nothing_under_way(e: Emitter, *_: Any) -> None:
    """Copies that happened at issue leave nothing to group or to wait for."""
    _unless_eager(e)
