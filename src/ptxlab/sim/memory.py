"""Accesses to memory inside a handler: how lanes' addresses become host addresses, and what is loaded and stored there.

Every access is checked: bounds against the buffers of the launch (the buffer hit last is remembered in the record),
against the CTA's shared or the thread's local memory; alignment against the size of the access. What the checks in the
handler do not cover goes through the environment's `resolve` function, which knows all windows and names the fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ptxlab.sim import frame as F
from ptxlab.sim.emit import Address, Emitter
from ptxlab.sim.ir import I32, I64, PTR, T, Val

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


def pack_access(size: int, space: str, write: bool) -> int:
    """The third argument of `resolve`: bytes, space and direction in one word."""
    return size | F.SPACES.index(space) << 8 | write << 16


def load(e: Emitter, a: Address, t: T, count: int = 1) -> list[Val]:
    """Load `count` adjacent elements in every executing lane; other lanes get anything."""
    if a.param:
        return _load_uniform(e, a.value.to(PTR), t, count)
    if SPACE_OF[a.space] == "param":
        a = replace(a, value=a.value.to(replace(WIDE, lanes=a.value.t.lanes)) + e.param_origin, space="global")
    size = t.bits // 8 * count
    space = SPACE_OF[a.space]
    if space == "local" or e.slow:
        return _gather(e, host_pointers(e, a, size, write=False), t, count)
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
        _scatter(e, host_pointers(e, a, size, write=True), values)
        return
    if a.uniform:
        e.to_slow()
        return
    where = _contiguous(e, a, size, space)
    _mark(e, space, where, size * F.LANES, write=True)
    e.fn.store(_interleave(e, values), where, align=1)


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


def _mark(e: Emitter, space: str, where: Val, nbytes: int, *, write: bool) -> None:
    """In a logged launch, note an access to bytes of a buffer, side by side from a host address on."""
    if e.handler.logged and space not in SHARED:
        shift = e.fn.load(e.env, I64, F.E_WRITES if write else F.E_READS, 8)
        e.fn.store(e.fn.const(1, T("u", 8, nbytes)), e.fn.at(where, shift))


def mark_lanes(e: Emitter, a: Address, where: Val, lanes: Val, size: int, *, write: bool) -> None:
    """In a logged launch, note the accesses of lanes (a mask) to `size` bytes at host addresses (u64 vector), those outside
    its buffers left out."""
    fn = e.fn
    if not e.handler.logged or SPACE_OF[a.space] in (*SHARED, "local"):
        return
    inside = (where - fn.load(e.env, I64, F.E_ARENA, 8)) < fn.load(e.env, I64, F.E_ARENA_BYTES, 8)
    marks = spill(e, where + fn.load(e.env, I64, F.E_WRITES if write else F.E_READS, 8))
    with fn.each_bit(fn.mask(inside) & lanes) as lane:
        fn.store(fn.const(1, T("u", 8, size)), fn.load(marks, PTR, lane * 8, 8))


def _aligned(first: Val, size: int) -> Val:
    return (first & (size - 1)) == 0


def _uniform_pointer(e: Emitter, a: Address, size: int, space: str) -> Val:
    """Host pointer for an access that all lanes share, a read; leaves for the slow function otherwise."""
    value = a.value.to(I32) if space in SHARED else a.value
    legal, where = _in_range(e, a, value, size, space)
    _or_slow(e, legal & _aligned(value, size))
    _mark(e, space, where, size, write=False)
    return where


def _or_slow(e: Emitter, good: Val) -> None:
    go, help_ = e.fn.fresh("go"), e.fn.fresh("help")
    e.fn.branch(good, go, help_)
    e.fn.block(help_)
    e.to_slow()
    e.fn.block(go)


def _contiguous(e: Emitter, a: Address, size: int, space: str) -> Val:
    """Host pointer for 32 adjacent accesses by all lanes; leaves for the slow function otherwise."""
    fn = e.fn
    value = a.value.to(T("u", 32)) if space in SHARED else a.value
    first = fn.extract(value, 0)
    adjacent = fn.all((value - first) == fn.iota(value.t, size))
    legal, where = _in_range(e, a, first, size * F.LANES, space)
    _or_slow(e, adjacent & (e.exec == -1) & legal & _aligned(first, size))
    return where


def _load_vector(e: Emitter, a: Address, t: T, count: int, space: str) -> list[Val]:
    """All lanes adjacent, or all lanes equal; else the slow function."""
    fn = e.fn
    size = t.bits // 8 * count
    value = a.value.to(T("u", 32)) if space in SHARED else a.value
    first = fn.extract(value, 0)
    apart = value - first
    adjacent = fn.all(apart == fn.iota(value.t, size))
    legal, where = _in_range(e, a, first, size * F.LANES, space)
    results = [fn.variable(fn.undef(t)) for _ in range(count)]
    block, other, join = fn.fresh("adjacent"), fn.fresh("other"), fn.fresh("loaded")
    fn.branch(adjacent & (e.exec == -1) & legal & _aligned(first, size), block, other)
    fn.block(block)
    _mark(e, space, where, size * F.LANES, write=False)
    whole = fn.load(where, t.wide(F.LANES * count), 0, 1)
    for k, result in enumerate(results):
        result.set(whole if count == 1 else fn.shuffle(whole, None, range(k, F.LANES * count, count)))
    fn.jump(join)
    fn.block(other)
    legal, where = _in_range(e, a, first, size, space)
    _or_slow(e, fn.all(apart == 0) & legal & _aligned(first, size))
    _mark(e, space, where, size, write=False)
    for result, v in zip(results, _load_uniform(e, where, t, count), strict=True):
        result.set(v)
    fn.block(join)
    return [r.get() for r in results]


def _interleave(e: Emitter, values: Sequence[Val]) -> Val:
    fn = e.fn
    n = F.LANES
    if len(values) == 1:
        return values[0]
    whole = [fn.shuffle(values[i], values[i + 1], range(2 * n)) for i in range(0, len(values), 2)]
    if len(whole) == 1:
        return fn.shuffle(whole[0], None, [lane + n * k for lane in range(n) for k in range(2)])
    while len(whole) > 2:
        whole = [fn.shuffle(whole[i], whole[i + 1], range(2 * whole[i].t.lanes)) for i in range(0, len(whole), 2)]
    return fn.shuffle(whole[0], whole[1], [lane + n * k for lane in range(n) for k in range(len(values))])


# --- any case ---------------------------------------------------------------------------------------------------------
def host_pointers(e: Emitter, a: Address, size: int, *, write: bool, align: int | None = None) -> Val:
    """Host addresses (u64 vector) of the executing lanes, checked; a fault leaves the handler."""
    fn = e.fn
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
        word = pack_access(size, space, write) | (align or size) << 20
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
    mark_lanes(e, a, where, e.exec, size, write=write)
    return where


def _gather(e: Emitter, where: Val, t: T, count: int) -> list[Val]:
    fn = e.fn
    width = t.bits // 8
    if t.bits >= 32 and "gather" in e.features:
        lanes = e.exec_lanes
        return [fn.gather(where + k * width, lanes, t) for k in range(count)]
    pointers = spill(e, where)
    rows = [fn.alloca(t) for _ in range(count)]
    with fn.each_bit(e.exec) as lane:
        source = fn.load(pointers, PTR, lane * 8, 8)
        for k, row in enumerate(rows):
            fn.store(fn.load(source, t.scalar, k * width, 1), row, lane * width, 1)
    return [fn.load(row, t, align=64) for row in rows]


def _scatter(e: Emitter, where: Val, values: Sequence[Val]) -> None:
    fn = e.fn
    pointers = spill(e, where)
    width = values[0].t.bits // 8
    rows = [spill(e, v) for v in values]
    with fn.each_bit(e.exec) as lane:
        target = fn.load(pointers, PTR, lane * 8, 8)
        for k, row in enumerate(rows):
            fn.store(fn.load(row, values[0].t.scalar, lane * width, 1), target, k * width, 1)


def spill(e: Emitter, v: Val) -> Val:
    """The lanes of a value in memory of the handler."""
    row = e.fn.alloca(v.t)
    e.fn.store(v, row, align=64)
    return row
