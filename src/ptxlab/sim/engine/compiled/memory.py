"""Accesses to memory inside a handler: how lanes' addresses become host addresses, and what is loaded and stored there.

Every access is checked: bounds against the buffers of the launch (the buffer hit last is remembered in the record),
against the CTA's shared or the thread's local memory; alignment against the size of the access. What the checks in the
handler do not cover goes through the environment's `resolve` function, which knows all windows and names the fault.

Every access that has passed its checks goes by `report` before memory is touched: the one seam for whoever wants to know what
is reached. Handlers that do not ask (`Handler.logged`) have the same machine code as if it were not there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Address, Emitter

SPACE_OF = {
    "": "generic",
    "generic": "generic",
    "global": "global",
    "const": "const",
    "param": "param",
    "param::entry": "param",
    "param::func": "param",
    "shared": "shared",
    "shared::cta": "shared",
    "shared::cluster": "shared::cluster",
    "local": "local",
}
SHARED = ("shared", "shared::cluster")
WIDE = T("u", 64)
GROUP_BYTES = 128
"""Of elements wider than 4 bytes, what lanes load together that are looked at as a group; of others 16 lanes."""


def pack_access(size: int, space: str, *, write: bool, read: bool) -> int:
    """The third argument of `resolve`: bytes, space and directions in one word."""
    return size | F.SPACES.index(space) << 8 | write << 16 | read << 17


def load(e: Emitter, a: Address, t: T, count: int = 1) -> list[Val]:
    """Load `count` adjacent elements in every executing lane; other lanes get anything."""
    if a.param:
        return _load_uniform(e, a.value.to(PTR), t, count)
    if SPACE_OF[a.space] == "param":
        a = replace(a, value=a.value.to(replace(WIDE, lanes=a.value.t.lanes)) + e.param_origin, space="global")
    size = t.bits // 8 * count
    space = SPACE_OF[a.space]
    if space == "local" or e.slow:
        _unless_idle(e)
        return _gather(e, host_pointers(e, a, size, "load"), t, count)
    if a.uniform:
        where = _uniform_pointer(e, a, size, space)
        return _load_uniform(e, where, t, count)
    return _load_vector(e, a, t, count, space)


def store(e: Emitter, a: Address, values: Sequence[Val]) -> None:
    """Store adjacent elements in every executing lane. Where lanes collide, the highest wins."""
    t = values[0].t
    size = t.bits // 8 * len(values)
    space = SPACE_OF[a.space]
    values = [e.fn.splat(v) for v in values]
    if space == "local" or e.slow:
        _unless_idle(e)
        _scatter(e, host_pointers(e, a, size, "store"), values)
        return
    if a.uniform:
        e.to_slow()
        return
    _store_vector(e, a, _interleave(e, values), size, space)


def store_some(e: Emitter, a: Address, values: Sequence[Val | None]) -> None:
    """Store adjacent elements except those that are None, in every executing lane."""
    kept = [(k, e.fn.splat(v)) for k, v in enumerate(values) if v is not None]
    if not e.slow:
        e.to_slow()
        return
    width = kept[0][1].t.bits // 8
    _unless_idle(e)
    where = host_pointers(e, a, width * len(values), "store", hook=False)
    for k, value in kept:
        element = where + k * width
        report(e, Reach(a, element, e.exec, width, "store"))
        _scatter(e, element, [value])


# --- the common cases -------------------------------------------------------------------------------------------------
def _load_uniform(e: Emitter, where: Val, t: T, count: int) -> list[Val]:
    width = t.bits // 8
    return [e.fn.splat(e.fn.load(where, t.scalar, k * width, 1)) for k in range(count)]


def _in_range(e: Emitter, a: Address, first: Val, size: int, space: str) -> tuple[Val, Val]:
    """(whether [first, first + size) is legal and aligned for one lane's share, its host address)."""
    fn = e.fn
    if space in SHARED:
        offset = (first - fn.load(e.frame, I32, F.F_SHARED_FIRST, 4)).to(I64)
        legal = offset + size <= fn.load(e.frame, I64, F.F_SHARED_BYTES, 8)
        return legal, fn.at(fn.load(e.frame, PTR, F.F_SHARED, 8), offset)
    low, high = remembered(e, a)
    first = first.to(I64)
    return (first >= low) & (first <= high - size), host_of(e, a, first).to(PTR)


def remembered(e: Emitter, a: Address) -> tuple[Val, Val]:
    """Begin and end of the buffer that the access hit last."""
    return e.fn.load(e.rec, I64, a.cache, 8), e.fn.load(e.rec, I64, a.cache + F.FIELD, 8)


def host_of(e: Emitter, a: Address, value: Val) -> Val:
    """Where bytes of the remembered buffer lie in this process: at their addresses, unless the launch is logged."""
    if not e.handler.logged:
        return value
    return value + e.fn.load(e.rec, I64, a.cache + 2 * F.FIELD, 8)


# --- the seam ---------------------------------------------------------------------------------------------------------
Kind = Literal["load", "store", "atomic"]


@dataclass(frozen=True, slots=True)
class Reach:
    """An access of some lanes, checked and about to happen. The emitter knows the rest: warp (`e.frame`), `e.pc`, `e.handler`.

    Attributes:
        address: the operand, with its state space and the lanes' addresses as the program has them.
        where: host addresses: u64 of each lane, or one pointer where lanes go together.
        lanes: mask of the lanes. size: bytes of each.
        span: where lanes go together, the bytes that they reach from `where` on; 0 where each goes by itself.
    """

    address: Address
    where: Val
    lanes: Val
    size: int
    kind: Kind
    span: int = 0


def report(e: Emitter, reach: Reach) -> None:
    """Code for whoever wants to know of an access. An instruction comes here once for each group of lanes that goes together."""
    if e.handler.logged:
        _log(e, reach)


def _log(e: Emitter, reach: Reach) -> None:
    """In a logged launch, mark the bytes of buffers that are read or written; an atomic's are written."""
    fn, space = e.fn, SPACE_OF[reach.address.space]
    shift = F.E_READS if reach.kind == "load" else F.E_WRITES
    if space in (*SHARED, "local"):
        return
    if reach.span:  # in a buffer: the fast ways go nowhere else
        marks = fn.at(reach.where, fn.load(e.env, I64, shift, 8))
        fn.store(fn.const(1, T("u", 8, reach.span)), marks)
        return
    inside = (reach.where - fn.load(e.env, I64, F.E_ARENA, 8)) < fn.load(e.env, I64, F.E_ARENA_BYTES, 8)
    marks = spill(e, reach.where + fn.load(e.env, I64, shift, 8))
    with fn.each_bit(fn.mask(inside) & reach.lanes) as lane:
        fn.store(fn.const(1, T("u", 8, reach.size)), fn.load(marks, PTR, lane * 8, 8))


def _aligned(first: Val, size: int) -> Val:
    return (first & (size - 1)) == 0


def _uniform_pointer(e: Emitter, a: Address, size: int, space: str) -> Val:
    """Host pointer for an access that all lanes share, a read; leaves for the slow function otherwise."""
    value = a.value.to(I32) if space in SHARED else a.value
    legal, where = _in_range(e, a, value, size, space)
    _or_slow(e, legal & _aligned(value, size))
    report(e, Reach(a, where, e.exec, size, "load", span=size))
    return where


def _or_slow(e: Emitter, good: Val) -> None:
    go, help_ = e.fn.fresh("go"), e.fn.fresh("help")
    e.fn.branch(good, go, help_)
    e.fn.block(help_)
    e.to_slow()
    e.fn.block(go)


@dataclass(frozen=True, slots=True)
class _Groups:
    """A warp's access in groups of lanes side by side: rows of a tile are.

    lanes: of a group. adjacent, equal: of each lane, whether it lies where it would if its group's accesses lay side by side,
    or at one place. firsts: the address of the first lane of each group.
    """

    lanes: int
    adjacent: Val
    equal: Val
    firsts: list[Val]

    def mask(self, group: int) -> int:
        """The lanes of a group."""
        return ((1 << self.lanes) - 1) << (group * self.lanes)

    def all(self, mask: Val, group: int) -> Val:
        """Whether a mask has all lanes of a group."""
        lanes = self.mask(group)
        return (mask & lanes) == lanes

    def joined(self, span: int) -> Val:
        """Whether each group begins `span` bytes behind the one before it."""
        first, *others = self.firsts
        out = others[0] - first == span
        for i, other in enumerate(others[1:], 2):
            out = out & (other - first == i * span)
        return out


def _groups(e: Emitter, value: Val, size: int) -> _Groups:
    fn = e.fn
    lanes = GROUP_BYTES // size if size > 4 else 16
    starts = range(0, F.LANES, lanes)
    apart = value - fn.shuffle(value, None, [lane // lanes * lanes for lane in range(F.LANES)])
    places = fn.vector([lane % lanes * size for lane in range(F.LANES)], value.t)
    return _Groups(lanes, fn.mask(apart == places), fn.mask(apart == 0), [fn.extract(value, i) for i in starts])


def _store_vector(e: Emitter, a: Address, whole: Val, size: int, space: str) -> None:
    """All lanes adjacent, or those of each group; else the slow function."""
    fn = e.fn
    _or_slow(e, e.exec == -1)
    value = a.value.to(T("u", 32)) if space in SHARED else a.value
    groups = _groups(e, value, size)
    _or_slow(e, groups.adjacent == -1)
    apart, after = fn.fresh("apart"), fn.fresh("stored")
    span = groups.lanes * size
    legal, where = _in_range(e, a, groups.firsts[0], size * F.LANES, space)
    with fn.if_(groups.joined(span) & legal & _aligned(groups.firsts[0], size)):
        report(e, Reach(a, where, e.exec, size, "store", span=size * F.LANES))
        fn.store(whole, where, align=1)
        fn.jump(after)
    fn.block(apart)
    places: list[Val] = []
    for first in groups.firsts:
        legal, where = _in_range(e, a, first, span, space)
        _or_slow(e, legal & _aligned(first, size))
        places.append(where)
    n = whole.t.lanes // len(places)
    for i, where in enumerate(places):
        report(e, Reach(a, where, fn.const(groups.mask(i), I32), size, "store", span=span))
        fn.store(fn.shuffle(whole, None, range(i * n, (i + 1) * n)), where, align=1)
    fn.block(after)


def _load_vector(e: Emitter, a: Address, t: T, count: int, space: str) -> list[Val]:
    """All lanes adjacent; or of each group all adjacent or all equal; or those that execute all equal; else the slow function."""
    fn = e.fn
    value = a.value.to(T("u", 32)) if space in SHARED else a.value
    result = fn.variable(fn.undef(t.wide(F.LANES * count)))
    every, some, after = fn.fresh("every"), fn.fresh("some"), fn.fresh("after")
    fn.branch(e.exec == -1, every, some)
    fn.block(every)
    result.set(_load_groups(e, a, _groups(e, value, t.bits // 8 * count), t, count, space))
    fn.jump(after)
    fn.block(some)
    _unless_idle(e)
    first = fn.extract(value, fn.intrinsic("cttz", e.exec, extra=", i1 true"))
    equal = fn.mask(value == first) | ~e.exec
    result.set(_load_equal(e, a, _Shared(first, e.exec, equal == -1), result.t, count, space))
    fn.block(after)
    return _deinterleave(e, result.get(), count)


def _load_groups(e: Emitter, a: Address, groups: _Groups, t: T, count: int, space: str) -> Val:
    """What all lanes load, side by side."""
    fn = e.fn
    size = t.bits // 8 * count
    result = fn.variable(fn.undef(t.wide(F.LANES * count)))
    block, other, join = fn.fresh("adjacent"), fn.fresh("other"), fn.fresh("loaded")
    legal, where = _in_range(e, a, groups.firsts[0], size * F.LANES, space)
    joined = groups.joined(groups.lanes * size) & (groups.adjacent == -1)
    fn.branch(joined & legal & _aligned(groups.firsts[0], size), block, other)
    fn.block(block)
    report(e, Reach(a, where, e.exec, size, "load", span=size * F.LANES))
    result.set(fn.load(where, result.t, 0, 1))
    fn.jump(join)
    fn.block(other)
    part = t.wide(groups.lanes * count)
    result.set(
        _joined(e, [_load_group(e, a, groups, i, t=part, count=count, space=space) for i in range(len(groups.firsts))])
    )
    fn.block(join)
    return result.get()


@dataclass(frozen=True, slots=True)
class _Shared:
    """An address that lanes (a mask) share; `really`: whether they do."""

    first: Val
    lanes: Val
    really: Val


def _load_equal(e: Emitter, a: Address, shared: _Shared, t: T, count: int, space: str) -> Val:
    """`t`: what lies at one address, as often as it has room for it; the slow function where lanes do not share it."""
    size = t.bits // 8 * count
    legal, where = _in_range(e, a, shared.first, size, space)
    _or_slow(e, shared.really & legal & _aligned(shared.first, size))
    report(e, Reach(a, where, shared.lanes, size, "load", span=size))
    one = e.fn.load(where, t.wide(count), 0, 1)
    return e.fn.shuffle(one, None, [i % count for i in range(t.lanes)])


def _load_group(e: Emitter, a: Address, groups: _Groups, group: int, *, t: T, count: int, space: str) -> Val:
    """What a group of lanes loads: `t`, its elements side by side; else the slow function."""
    fn = e.fn
    first, lanes = groups.firsts[group], fn.const(groups.mask(group), I32)
    size = t.bits // 8 * count
    result = fn.variable(fn.undef(t))
    block, other, join = fn.fresh("adjacent"), fn.fresh("other"), fn.fresh("loaded")
    legal, where = _in_range(e, a, first, groups.lanes * size, space)
    fn.branch(groups.all(groups.adjacent, group) & legal & _aligned(first, size), block, other)
    fn.block(block)
    report(e, Reach(a, where, lanes, size, "load", span=groups.lanes * size))
    result.set(fn.load(where, t, 0, 1))
    fn.jump(join)
    fn.block(other)
    result.set(_load_equal(e, a, _Shared(first, lanes, groups.all(groups.equal, group)), t, count, space))
    fn.block(join)
    return result.get()


def _joined(e: Emitter, parts: Sequence[Val]) -> Val:
    """Vectors of one length as one; their number is a power of two."""
    while len(parts) > 1:
        n = 2 * parts[0].t.lanes
        parts = [e.fn.shuffle(parts[i], parts[i + 1], range(n)) for i in range(0, len(parts), 2)]
    return parts[0]


def _deinterleave(e: Emitter, whole: Val, count: int) -> list[Val]:
    """The elements of lanes that lie side by side, first ones first."""
    if count == 1:
        return [whole]
    return [e.fn.shuffle(whole, None, range(k, F.LANES * count, count)) for k in range(count)]


def _interleave(e: Emitter, values: Sequence[Val]) -> Val:
    fn = e.fn
    n = F.LANES
    if len(values) == 1:
        return values[0]
    whole = _joined(e, values)
    return fn.shuffle(whole, None, [lane + n * k for lane in range(n) for k in range(len(values))])


# --- any case ---------------------------------------------------------------------------------------------------------
def host_pointers(
    e: Emitter, a: Address, size: int, kind: Kind | None, align: int | None = None, *, hook: bool = True
) -> Val:
    """Host addresses (u64 vector) of the executing lanes, checked; a fault leaves the handler.

    `kind`: of the access; None for a look at memory that the program does not read. `hook`: whether it is reported; else the
    caller reports what it reaches.
    """
    fn = e.fn
    write, read = kind in ("store", "atomic"), kind != "store"
    space = SPACE_OF[a.space]
    value = fn.splat(a.value)
    if space in (*SHARED, "local"):
        value = value.to(T("u", 32))
    wide = value.to(WIDE)
    if space in SHARED:
        offset = (value - fn.load(e.frame, I32, F.F_SHARED_FIRST, 4)).to(WIDE)
        legal = (offset + size) <= fn.load(e.frame, I64, F.F_SHARED_BYTES, 8)
        direct = offset + fn.load(e.frame, I64, F.F_SHARED, 8)
    elif space == "local":
        stride = fn.load(e.frame, I64, F.F_LOCAL_BYTES, 8)
        legal = (wide + size) <= stride
        direct = wide + fn.load(e.frame, I64, F.F_LOCAL, 8) + fn.iota(WIDE) * stride
    else:
        low, high = remembered(e, a)
        legal = (wide >= low) & (wide <= high - size)
        direct = host_of(e, a, wide)
    legal = legal & ((wide & ((align or size) - 1)) == 0)
    out = fn.variable(direct)
    bad = ~fn.mask(legal) & e.exec
    with fn.if_(bad != 0):
        fn.store(wide, e.env, F.E_SCRATCH, 64)
        resolve = fn.load(e.env, PTR, F.E_RESOLVE, 8)
        word = pack_access(size, space, write=write, read=read) | (align or size) << 20
        cache = fn.at(e.rec, a.cache)
        status = fn.line(
            f"call i32 {resolve.text}(ptr {e.frame.text}, ptr {cache.text}, ptr {e.env.text}, i32 {e.exec.text}, "
            f"i32 {word}, ptr {e.rec.text})",
            I32,
        )
        fault, go = fn.fresh("fault"), fn.fresh("go")
        fn.branch(status != 0, fault, go)
        fn.block(fault)
        fn.ret(status)
        fn.block(go)
        out.set(fn.load(e.env, WIDE, F.E_SCRATCH, 64))
    where = out.get()
    if kind is not None and hook:
        report(e, Reach(a, where, e.exec, size, kind))
    return where


def _unless_idle(e: Emitter) -> None:
    """Go on where no lane executes."""
    with e.fn.if_(e.exec == 0):
        e.goto_next()


def _gather(e: Emitter, where: Val, t: T, count: int) -> list[Val]:
    """Load elements of each lane: by copying what the lanes want side by side."""
    fn = e.fn
    size = t.bits // 8 * count
    pointers = spill(e, where)
    rows = fn.alloca(t.wide(F.LANES * count))
    item = T("u", 8 * size, 0)

    def copy(lane: Val | int) -> None:
        source = fn.load(pointers, PTR, lane * 8, 8)
        fn.store(fn.load(source, item, 0, 1), rows, lane * size, 1)

    def together(base: Val, lanes: Val) -> None:
        fn.store(fn.masked_load(base, lanes, t.wide(F.LANES * count)), rows, align=64)

    _each_lane(e, where, size, count, copy, together)
    return _deinterleave(e, fn.load(rows, t.wide(F.LANES * count), 0, 64), count)


def _scatter(e: Emitter, where: Val, values: Sequence[Val]) -> None:
    """Store elements of each lane, the lowest lane first."""
    fn = e.fn
    size = values[0].t.bits // 8 * len(values)
    whole = _interleave(e, values)
    pointers, rows = spill(e, where), spill(e, whole)
    item = T("u", 8 * size, 0)

    def copy(lane: Val | int) -> None:
        target = fn.load(pointers, PTR, lane * 8, 8)
        fn.store(fn.load(rows, item, lane * size, 1), target, 0, 1)

    def together(base: Val, lanes: Val) -> None:
        fn.masked_store(whole, base, lanes)

    _each_lane(e, where, size, len(values), copy, together)


def _each_lane(
    e: Emitter,
    where: Val,
    size: int,
    count: int,
    copy: Callable[[Val | int], None],
    together: Callable[[Val, Val], None],
) -> None:
    """An access by every executing lane, lowest first: `copy`, without a loop where all execute, or at once where those that
    execute lie side by side: `together`, given where lane 0 would be and the elements that there are."""
    fn = e.fn
    every, some, beside, apart, after = (fn.fresh(w) for w in ("every", "some", "beside", "apart", "done"))
    fn.branch(e.exec == -1, every, some)
    fn.block(every)
    for lane in range(F.LANES):
        copy(lane)
    fn.jump(after)
    fn.block(some)
    first = fn.intrinsic("cttz", e.exec, extra=", i1 true")
    base = fn.extract(where, first) - (first * size).to(I64)
    there = fn.mask((where - base) == fn.iota(where.t, size)) | ~e.exec
    fn.branch(there == -1, beside, apart)
    fn.block(beside)
    lanes = e.exec_lanes
    together(
        base.to(PTR), fn.shuffle(lanes, None, [i // count for i in range(F.LANES * count)]) if count > 1 else lanes
    )
    fn.jump(after)
    fn.block(apart)
    with fn.each_bit(e.exec) as lane:
        copy(lane)
    fn.block(after)


def spill(e: Emitter, v: Val) -> Val:
    """The lanes of a value in memory of the handler."""
    row = e.fn.alloca(v.t)
    e.fn.store(v, row, align=64)
    return row
