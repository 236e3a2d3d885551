"""Products of a warpgroup that are carried out without Python: the function that does, and the table of those that it knows.

What a product needs, the functions that decode and multiply and where their operands lie, is entered by its instruction,
descriptors and scale-d when Python has carried it out for the first time.
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, Fn, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block
from ptxlab.sim.numerics import native

_FACTORS = 0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9
_SHIFT = 64 - 10
assert 1 << 64 - _SHIFT == F.READY_PLACES
_WORD = 0xFFFF_FFFF_FFFF_FFFF
Key = tuple[int, int, int, int]
"""Program counter, descriptors of A and B, and whether it accumulates."""


def function() -> int:
    """The address of `ptxlab_product`: (warpgroup, frame of the last warp, environment), 0 where the product that all warps have
    agreed on is carried out, else 1: Python has to see to it."""
    return native.address_of("ptxlab_product", _product)


def places(key: Key) -> list[int]:
    """Where a product may stand in the table."""
    pc, a, b, accumulate = key
    hashed = ((pc << 1 | accumulate) * _FACTORS[0] + a * _FACTORS[1] + b * _FACTORS[2]) & _WORD
    return [(hashed >> _SHIFT) + i & F.READY_PLACES - 1 for i in range(F.READY_TRIES)]


def matches(entry: Block, key: Key) -> bool:
    """Whether a place of the table holds this product."""
    pc, a, b, accumulate = key
    held = entry.get(F.Y_PC), entry.get64(F.Y_A), entry.get64(F.Y_B), entry.get(F.Y_ACCUMULATE)
    return held == (pc + 1, a, b, accumulate)


def _product() -> Fn:
    fn = Fn("ptxlab_product", "i32", (PTR, PTR, PTR))
    group, frame, env = fn.args
    number = fn.load(group, I32, F.P_AGREED, 4) - 1
    with fn.if_((fn.load(group, I32, F.P_HELD, 4) != 0) | (fn.load(group, I32, F.P_DONE, 4) != number)):
        fn.ret(1)
    place = _place(fn, group, env, number)
    entry = fn.at(fn.load(env, PTR, F.E_READY, 8), place.to(I64) * F.READY_BYTES)
    with fn.if_(fn.load(group, I32, F.P_BOXES, 4) != 0):
        known = fn.load(fn.at(group, (place / 32 * 4).to(I64)), I32, F.P_KNOWN, 4)
        with fn.if_(((known >> (place & 31)) & 1) == 0):
            fn.ret(1)
    _judge(fn, entry, frame, env, number)
    frames = _frames(fn, frame)
    _decode(fn, entry, frames, frame)
    with fn.if_(_multiply(fn, entry, frames) != 0):
        fn.store(place + 1, group, F.P_FLAGGED, 4)
        fn.ret(1)
    fn.store(number + 1, group, F.P_DONE, 4)
    _rouse(fn, group, frame)
    fn.ret(0)
    return fn


def _place(fn: Fn, group: Val, env: Val, number: Val) -> Val:
    """The place of the product in the table; returns 1 where it has none."""
    ring = fn.at(group, ((number & (F.P_WINDOW - 1)) * F.P_BYTES + F.P_RING).to(I64))
    pc, accumulate = (fn.load(ring, I32, at, 4) for at in (F.P_PC, F.P_ACCUMULATE))
    a, b = (fn.load(ring, I64, at, 8) for at in (F.P_A, F.P_B))
    hashed = (pc.to(I64) << 1 | accumulate.to(I64)) * _FACTORS[0] + a * _FACTORS[1] + b * _FACTORS[2]
    place, tries = fn.variable((hashed >> _SHIFT).to(I32)), fn.variable(fn.const(F.READY_TRIES, I32))
    table = fn.load(env, PTR, F.E_READY, 8)
    with fn.while_() as after:
        entry = fn.at(table, place.get().to(I64) * F.READY_BYTES)
        same = (fn.load(entry, I32, F.Y_PC, 4) == pc + 1) & (fn.load(entry, I32, F.Y_ACCUMULATE, 4) == accumulate)
        same = same & (fn.load(entry, I64, F.Y_A, 8) == a) & (fn.load(entry, I64, F.Y_B, 8) == b)
        fn.break_if(same, after)
        tries.set(tries.get() - 1)
        with fn.if_((fn.load(entry, I32, F.Y_PC, 4) == 0) | (tries.get() == 0)):
            fn.ret(1)
        place.set((place.get() + 1) & (F.READY_PLACES - 1))
    return place.get()


def _judge(fn: Fn, entry: Val, frame: Val, env: Val, number: Val) -> None:
    """Ask whether what the product reads is in order, where somebody judges that; returns 1 where Python has to."""
    judge = fn.load(env, I64, F.E_JUDGE_PRODUCT, 8)
    with fn.if_(judge != 0):
        cta = fn.load(frame, PTR, F.F_CTA, 8)
        arena, slot = fn.load(cta, PTR, F.C_ARENA, 8), fn.load(cta, I32, F.C_SLOT, 4)
        first = fn.load(frame, I32, F.SREG_OFFSET["%warpid"], 4) & ~(F.P_WARPS - 1)
        runs: list[Val] = []
        for count, starts, sizes in ((F.Y_RUNS_A, F.Y_STARTS_A, F.Y_SIZES_A), (F.Y_RUNS_B, F.Y_STARTS_B, F.Y_SIZES_B)):
            runs += fn.load(entry, I64, count, 8).to(I32), _pointer(fn, entry, starts), _pointer(fn, entry, sizes)
        pc = fn.load(entry, I32, F.Y_PC, 4) - 1
        with fn.if_(fn.invoke(judge.to(PTR), I32, arena, slot, first, pc, number, *runs) != 0):
            fn.ret(1)


def _frames(fn: Fn, frame: Val) -> Val:
    """A table of the frames of the warpgroup's warps."""
    cta = fn.load(frame, PTR, F.F_CTA, 8)
    first = fn.load(frame, I32, F.SREG_OFFSET["%warpid"], 4) & ~(F.P_WARPS - 1)
    stride, frames = fn.load(cta, I32, F.C_FRAME_BYTES, 4), fn.load(cta, PTR, F.C_FRAMES, 8)
    table = fn.alloca(I64, F.P_WARPS)
    for member in range(F.P_WARPS):
        fn.store(fn.at(frames, (first + member).to(I64) * stride.to(I64)).to(I64), table, 8 * member, 8)
    return table


def _pointer(fn: Fn, entry: Val, at: int) -> Val:
    return fn.load(entry, PTR, at, 8)


def _decode(fn: Fn, entry: Val, frames: Val, frame: Val) -> None:
    """Both operands; A from shared memory, or from the registers of each warp."""
    shared = fn.load(frame, PTR, F.F_SHARED, 8)
    values, exponents = (_pointer(fn, entry, at) for at in (F.Y_VALUES_A, F.Y_EXPONENTS_A))
    decode, index = (_pointer(fn, entry, at) for at in (F.Y_DECODE_A, F.Y_INDEX_A))
    count, flip = fn.load(entry, I64, F.Y_COUNT_A, 8), fn.load(entry, I32, F.Y_FLIP_A, 4)
    registers = fn.load(entry, I32, F.Y_REGISTERS, 4) != 0
    with fn.if_(~registers):
        fn.run(decode, shared, index, count, flip, values, exponents)
    with fn.if_(registers), fn.count(F.P_WARPS) as member:
        own, skip = fn.load(frames, PTR, member.to(I64) * 8, 8), member.to(I64) * count * 4
        fn.run(decode, own, fn.at(index, skip), count, flip, fn.at(values, skip), fn.at(exponents, skip))
    decode, index = (_pointer(fn, entry, at) for at in (F.Y_DECODE_B, F.Y_INDEX_B))
    count, flip = fn.load(entry, I64, F.Y_COUNT_B, 8), fn.load(entry, I32, F.Y_FLIP_B, 4)
    to = (_pointer(fn, entry, at) for at in (F.Y_VALUES_B, F.Y_EXPONENTS_B))
    fn.run(decode, shared, index, count, flip, *to)
    choose = fn.load(entry, I64, F.Y_CHOOSE, 8)
    with fn.if_(choose != 0):
        places = (_pointer(fn, entry, at) for at in (F.Y_LANES, F.Y_SHIFTS))
        metadata, groups = (fn.load(entry, I64, at, 8) for at in (F.Y_METADATA, F.Y_GROUPS))
        wrong = fn.invoke(choose.to(PTR), I32, frames, metadata, *places, groups, _pointer(fn, entry, F.Y_CHOSEN))
        with fn.if_(wrong != 0):
            fn.ret(1)


def _multiply(fn: Fn, entry: Val, frames: Val) -> Val:
    """How many results Python has to work out."""
    factors = (_pointer(fn, entry, at) for at in (F.Y_VALUES_A, F.Y_EXPONENTS_A, F.Y_VALUES_B, F.Y_EXPONENTS_B))
    starts, flags, chosen = (_pointer(fn, entry, at) for at in (F.Y_STARTS, F.Y_FLAGS, F.Y_CHOSEN))
    n, depth = (fn.load(entry, I64, at, 8) for at in (F.Y_N, F.Y_DEPTH))
    options = fn.load(entry, I32, F.Y_OPTIONS, 4)
    multiply = _pointer(fn, entry, F.Y_MULTIPLY)
    return fn.invoke(multiply, I32, *factors, frames, starts, n, options, flags, chosen, depth)


def _rouse(fn: Fn, group: Val, frame: Val) -> None:
    """Warps that wait for products look again."""
    sleeping = fn.load(group, I32, F.P_SLEEPING, 4)
    with fn.if_(sleeping != 0):
        fn.store(fn.const(0, I32), group, F.P_SLEEPING, 4)
        cta = fn.load(frame, PTR, F.F_CTA, 8)
        first = fn.load(frame, I32, F.SREG_OFFSET["%warpid"], 4) & ~(F.P_WARPS - 1)
        runnable = fn.load(cta, I32, F.C_RUNNABLE, 4)
        fn.store(runnable | (sleeping << first), cta, F.C_RUNNABLE, 4)
        stride, frames = fn.load(cta, I32, F.C_FRAME_BYTES, 4), fn.load(cta, PTR, F.C_FRAMES, 8)
        with fn.each_bit(sleeping) as member:
            own = fn.at(frames, (first + member).to(I64) * stride.to(I64))
            fn.store(fn.const(0, I32), own, F.F_WAITING, 4)
