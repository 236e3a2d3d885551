"""Calls: records that the decoder makes of a call, of the begin of a function and of its return.

A function's registers have rows of their own in the frame, so that lanes of a warp may be in different functions. Where a
function may call itself, its rows are saved in the thread's local memory while an inner call has them. A frame in local
memory begins with the block of what is passed: the caller writes it behind its own frame.
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.isa.types import TYPES
from ptxlab.ptx.functions import FUNCTION_UNIT
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.memory import spill
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import fault

ROW = T("u", 32)
WIDE = T("u", 64)
SAVED_WIDTHS = (16, 8, 4, 2)
"""Bytes of the registers that are saved, in the order of their rows; predicates follow."""


def _row(e: Emitter, name: str) -> Val:
    return e.load(e.frame, ROW, e.field(name), 64)


def _set_row(e: Emitter, name: str, value: Val) -> None:
    where = e.at(e.frame, e.field(name))
    e.store(e.select(e.exec_lanes, e.splat(value), e.load(where, ROW, align=64)), where, align=64)


def _host(e: Emitter, base: Val, offset: Val, size: Val) -> Val:
    """Host pointers (u64 vector) to bytes of each lane's local memory. Lanes whose memory is used up stop the launch."""
    fn = e.fn
    stride = fn.load(e.frame, I64, F.F_LOCAL_BYTES, 8)
    at = base.to(WIDE) + offset
    full = fn.mask((at + size) > stride) & e.exec
    with fn.if_(full != 0):
        fault(e, F.FAULT_STACK, fn.intrinsic("cttz", full, extra=", i1 true"))
    return at + fn.load(e.frame, I64, F.F_LOCAL, 8) + fn.iota(WIDE) * stride


@meaning("$pass")
def pass_block(e: Emitter, *_: Val) -> None:
    """Copy bytes of local memory from one frame to another."""
    fn, size = e.fn, e.field("bytes")
    to = spill(e, _host(e, _row(e, "to_base"), e.field("to"), size))
    source = spill(e, _host(e, _row(e, "source_base"), e.field("source"), size))
    fn.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    with fn.each_bit(e.exec) as lane:
        a, b = fn.load(to, PTR, lane * 8, 8), fn.load(source, PTR, lane * 8, 8)
        fn.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {a.text}, ptr {b.text}, i64 {size.text}, i1 false)")


def _element(e: Emitter) -> T:
    return T("u", max(8, TYPES[e.mods["type"]].bits))


@meaning("$give")
def give(e: Emitter, *operands: Val) -> None:
    """Store a value into a frame in local memory."""
    fn, t = e.fn, _element(e)
    value = operands[0]
    value = fn.select(value, fn.const(1, t), fn.const(0, t)) if value.t.bits == 1 else value.unsigned.to(t)
    row = spill(e, fn.splat(value))
    pointers = spill(e, _host(e, _row(e, "base"), e.field("to"), fn.const(t.bits // 8, I64)))
    with fn.each_bit(e.exec) as lane:
        fn.store(fn.load(row, t.scalar, lane * (t.bits // 8), 1), fn.load(pointers, PTR, lane * 8, 8), align=1)


@meaning("$take")
def take(e: Emitter, *_: Val) -> Val:
    """Load a value from a frame in local memory."""
    fn, t = e.fn, _element(e)
    pointers = spill(e, _host(e, _row(e, "base"), e.field("source"), fn.const(t.bits // 8, I64)))
    row = fn.alloca(t)
    with fn.each_bit(e.exec) as lane:
        fn.store(fn.load(fn.load(pointers, PTR, lane * 8, 8), t.scalar, align=1), row, lane * (t.bits // 8), 1)
    value = fn.load(row, t, align=64)
    return value != 0 if e.mods["type"] == "pred" else value


def _link(e: Emitter) -> None:
    """Note where the function returns to and where its frame begins."""
    _set_row(e, "link", e.next_pc)
    _set_row(e, "link_base", _row(e, "base") + e.field("bytes").to(I32))


@meaning("$call")
def call(e: Emitter, *_: Val) -> None:
    """Go to a function; it returns to the next record."""
    with e.if_(e.exec == 0):
        e.goto_next()
    _link(e)
    target, rest = e.field("target"), e.active & ~e.exec
    with e.if_(rest == 0):
        e.goto(e.at(e.load(e.env, PTR, F.E_RECORDS, 8), target), e.active)
    e.save_pcs(e.exec, target.to(I32))
    e.save_pcs(rest, e.next_pc)
    e.leave(F.REGROUP)


@meaning("$call.indirect")
def call_indirect(e: Emitter, *_: Val) -> None:
    """Each lane goes to the function whose address its register holds."""
    fn = e.fn
    with fn.if_(e.exec == 0):
        e.goto_next()
    _link(e)
    e.save_pcs(e.active & ~e.exec, e.next_pc)
    row = spill(e, e.source("callee").to(WIDE))
    table, count = fn.load(e.env, PTR, F.E_FUNCTIONS, 8), fn.load(e.env, I64, F.E_FUNCTION_COUNT, 8)
    base = fn.load(e.env, I64, F.E_FUNCTION_BASE, 8)
    with fn.each_bit(e.exec) as lane:
        address = fn.load(row, I64, lane * 8, 8)
        fn.store(address, e.frame, F.F_FAULT_ADDRESS, 8)
        index = (address - base) / FUNCTION_UNIT  # an address below the base wraps around, beyond all of them
        with fn.if_((index >= count) | ((address & (FUNCTION_UNIT - 1)) != 0)):
            fault(e, F.FAULT_FUNCTION, lane)
        entry = fn.at(table, index * 8)
        pc = fn.load(entry, I32, 0, 4)
        with fn.if_(pc == F.FULL):
            fault(e, F.FAULT_FUNCTION, lane)
        with fn.if_(fn.load(entry, I32, 4, 4) != e.field("signature").to(I32)):
            fault(e, F.FAULT_PROTOTYPE, lane)
        fn.store(pc, e.frame, lane * 4 + F.F_PCS, 4)
    e.leave(F.REGROUP)


def _move_rows(e: Emitter, pointers: Val, *, save: bool) -> None:
    """Copy the executing lanes of a function's rows to local memory, or back."""
    fn = e.fn
    row = fn.variable(e.field("rows"))
    at = fn.variable(fn.const(0, I64))
    for width in SAVED_WIDTHS:
        t = T("u", 8 * width, 0)
        with fn.count(e.field(f"n{width}").to(I32)):
            with fn.each_bit(e.exec) as lane:
                here = fn.at(fn.at(e.frame, row.get()), (lane * width).to(I64))
                there = fn.at(fn.load(pointers, PTR, lane * 8, 8), at.get())
                source, to = (here, there) if save else (there, here)
                fn.store(fn.load(source, t, align=1), to, align=1)
            row.set(row.get() + F.LANES * width)
            at.set(at.get() + width)
    byte = T("u", 8, 0)
    with fn.count(e.field("n1").to(I32)):
        word = fn.at(e.frame, row.get())
        with fn.each_bit(e.exec) as lane:
            there = fn.at(fn.load(pointers, PTR, lane * 8, 8), at.get())
            bits = fn.load(word, I32, align=4)
            if save:
                fn.store(((bits >> lane) & 1).to(byte), there, align=1)
            else:
                fn.store(
                    (bits & ~(fn.const(1, I32) << lane)) | (fn.load(there, byte, align=1).to(I32) << lane), word, 0, 4
                )
        row.set(row.get() + 4)
        at.set(at.get() + 1)


def _saved(e: Emitter, base: Val) -> Val:
    size = e.field("bytes") - e.field("area")
    return spill(e, _host(e, base, e.field("area"), size))


@meaning("$enter")
def enter(e: Emitter, *_: Val) -> None:
    """The begin of a function: note where it returns to and where its frame lies; save what an outer call still needs."""
    fn = e.fn
    base = _row(e, "link_base")
    stride = fn.load(e.frame, I64, F.F_LOCAL_BYTES, 8)
    full = fn.mask((base.to(WIDE) + e.field("bytes")) > stride) & e.exec
    with fn.if_(full != 0):
        lane = fn.intrinsic("cttz", full, extra=", i1 true")
        fault(e, F.FAULT_STACK, lane, fn.extract(_row(e, "link"), lane) - 1)  # the call is what to show
    if e.has("saved"):
        _move_rows(e, _saved(e, base), save=True)
    _set_row(e, "back", _row(e, "link"))
    _set_row(e, "base", base)


@meaning("$return")
def leave_function(e: Emitter, *_: Val) -> None:
    """Each lane goes back to where it was called from."""
    fn = e.fn
    with fn.if_(e.exec == 0):
        e.goto_next()
    back = _row(e, "back")
    if e.has("saved"):
        _move_rows(e, _saved(e, _row(e, "base")), save=False)
    rest = e.active & ~e.exec
    first = fn.extract(back, fn.intrinsic("cttz", e.exec, extra=", i1 true"))
    apart = fn.mask(back != first) & e.exec
    with fn.if_((rest | apart) == 0):
        e.goto(e.at(e.load(e.env, PTR, F.E_RECORDS, 8), first.to(I64)), e.active)
    e.save_pcs(rest, e.next_pc)
    old = fn.load(e.frame, ROW, F.F_PCS, 64)
    fn.store(fn.select(e.exec_lanes, back, old), e.frame, F.F_PCS, 64)
    e.leave(F.REGROUP)


# --- memory from the stack


@meaning("$top")
def top(e: Emitter, *_: Val) -> None:
    """Where a frame ends that grows while its function runs."""
    _set_row(e, "top", _row(e, "base") + e.field("bytes").to(I32))


@meaning("alloca")
def alloca(e: Emitter, size: Val, *_: Val) -> Val:
    """The address in local memory of so many bytes behind the frame, which then ends behind them."""
    fn = e.fn
    step = e.constant("align") if e.shape("align") is not None else 8
    start = (_row(e, "top") + (step - 1)) & -step
    wide = start.to(WIDE) + fn.splat(size).unsigned.to(WIDE)
    full = fn.mask(wide > fn.load(e.frame, I64, F.F_LOCAL_BYTES, 8)) & e.exec
    with fn.if_(full != 0):
        fault(e, F.FAULT_STACK, fn.intrinsic("cttz", full, extra=", i1 true"))
    _set_row(e, "top", wide.to(ROW))
    return start.to(e.type("d").unsigned_type())


@meaning("stacksave")
def stacksave(e: Emitter, *_: Val) -> Val:
    """Where the frame ends."""
    return _row(e, "top").to(e.type("d").unsigned_type())


@meaning("stackrestore")
def stackrestore(e: Emitter, a: Val, *_: Val) -> None:
    """End the frame there again."""
    _set_row(e, "top", e.fn.splat(a).unsigned.to(ROW))
