"""Atomic operations and reductions: lane by lane, the lowest first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ptxlab.codegen.ir import PTR, T, Val
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.address import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_SHIFT
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import fault
from ptxlab.sim.families.memory.meaning import element

Update = Callable[[Emitter, Val, "list[Val]"], Val]


def _atomic(e: Emitter, a: Address, sources: list[list[Val]], t: T, update: Update) -> None:
    """Read, update and write each executing lane's elements; `d`, where there is one, gets what was there.

    `sources`: for every source operand its elements. Elements of a vector are updated one after the other.
    """
    fn = e.fn
    count, width = len(sources[0]), t.bits // 8
    where = memory.host_pointers(e, a, count * width, "atomic")
    pointers = memory.spill(e, where)
    rows = [[memory.spill(e, v) for v in one] for one in sources]
    olds = [fn.alloca(t) for _ in range(count)]
    with fn.each_bit(e.exec) as lane:
        target = fn.load(pointers, PTR, lane * 8, 8)
        for k in range(count):
            old = fn.load(target, t.scalar, k * width, 1)
            fn.store(old, olds[k], lane * width, 1)
            mine = [fn.load(row[k], t.scalar, lane * width, 1) for row in rows]
            fn.store(update(e, old, mine), target, k * width, 1)
    if e.shape("d") is not None:
        values = [fn.load(row, t, align=64) for row in olds]
        if e.type_name("d") == "b128":
            e.write("d", fn.wide128(*values))
        else:
            e.write("d", values if isinstance(e.shape("d"), tuple) else values[0])


def updating(update: Update) -> Callable[..., None]:
    def run(e: Emitter, a: Address, b: Any, *policy: Any) -> None:
        values = cast("list[Val]", b) if isinstance(b, list) else [b]
        _atomic(e, a, [values], values[0].t, update)

    return run


def _bits(e: Emitter, old: Val, b: list[Val]) -> Val:
    op = e.mod("op")
    if op == "and":
        return old & b[0]
    return old | b[0] if op == "or" else old ^ b[0]


def _add(e: Emitter, old: Val, b: list[Val]) -> Val:
    return old + b[0]


def _wrap(e: Emitter, old: Val, b: list[Val]) -> Val:
    """inc counts up to `b` and starts again at 0; dec counts down from `b`."""
    if e.mod("op") == "inc":
        return e.select(old >= b[0], e.const(0, old.t), old + 1)
    return e.select((old == 0) | (old > b[0]), b[0], old - 1)


def _extreme(e: Emitter, old: Val, b: list[Val]) -> Val:
    return e.min(old, b[0]) if e.mod("op") == "min" else e.max(old, b[0])


def updating_vector(update: Update) -> Callable[..., None]:
    """Vectors reach global memory alone: an H200 drops the update of a generic address in shared or local memory."""
    simple = updating(update)

    def run(e: Emitter, a: Address, b: Any, *policy: Any) -> None:
        if a.space == "generic":
            window = e.fn.splat(a.value.unsigned) >> WINDOW_SHIFT
            apart = e.exec & e.fn.mask(
                (window == SHARED_WINDOW >> WINDOW_SHIFT) | (window == LOCAL_WINDOW >> WINDOW_SHIFT)
            )
            with e.if_(apart != 0):
                lane = e.intrinsic("cttz", apart, extra=", i1 true")
                fault(e, F.FAULT_VECTOR, lane)
        simple(e, a, b, *policy)

    return run


def _add_float(e: Emitter, old: Val, b: list[Val]) -> Val:
    """In global memory f32 flushes subnormal numbers and f64 keeps a NaN, first of `b`, as it is; shared memory does neither."""
    fn = e.fn
    shared = (e.mod("space") or "global").startswith("shared")
    if old.t.bits == 64:
        if shared:
            return fp.canonical64(fn, old + b[0], old, b[0])
        kept = fn.select(fp.is_nan(old), old, fp.canonical64(fn, old + b[0]))
        return fn.select(fp.is_nan(b[0]), b[0], kept)
    if shared:
        return fp.canonical(fn, old + b[0])
    return fp.canonical(fn, fp.flush(fn, fp.flush(fn, old) + fp.flush(fn, b[0])))


def _combine_half(e: Emitter, old: Val, b: list[Val]) -> Val:
    kind = (e.mod("type") or "").removesuffix("x2")
    op = e.mod("op") or "add"

    def one(x: Val, y: Val) -> Val:
        wide = fp.widen(x, kind), fp.widen(y, kind)
        if op == "add":
            return fp.narrow(e.fn, wide[0] + wide[1], kind)
        return fp.narrow(e.fn, fp.minimum(e.fn, *wide, largest=op == "max"), kind)

    x, y = old.unsigned, b[0].unsigned
    if x.t.bits == 16:
        return one(x, y).as_(old.t)
    u16, u32 = T("u", 16, 0), T("u", 32, 0)
    low, high = (one((x >> up).to(u16), (y >> up).to(u16)).to(u32) for up in (0, 16))
    return low | (high << 16)


for _name in ("atom", "red"):
    meaning(f"{_name}.bits")(updating(_bits))
    meaning(f"{_name}.add")(updating(_add))
    meaning(f"{_name}.wrap")(updating(_wrap))
    meaning(f"{_name}.extreme")(updating(_extreme))
    meaning(f"{_name}.add.float")(updating(_add_float))
    meaning(f"{_name}.add.half")(updating(_combine_half))
    meaning(f"{_name}.vector.f32")(updating_vector(_add_float))
    meaning(f"{_name}.vector.half", f"{_name}.vector.pair")(updating_vector(_combine_half))


def _split(e: Emitter, v: Val) -> list[Val]:
    return list(e.fn.halves128(v)) if v.t.bits == 128 else [v]


@meaning("atom.exch")
def exchange(e: Emitter, a: Address, b: Val, *policy: Any) -> None:
    t, _ = element(e.type_name("b"))
    _atomic(e, a, [_split(e, b)], t, lambda e, old, mine: mine[0])


@meaning("atom.cas")
def compare_and_swap(e: Emitter, a: Address, b: Val, c: Val, *policy: Any) -> None:
    t, parts = element(e.type_name("b"))
    if parts == 2:
        _compare_and_swap_128(e, a, b, c)
        return
    _atomic(e, a, [[b], [c]], t, lambda e, old, mine: e.select(old == mine[0], mine[1], old))


def _compare_and_swap_128(e: Emitter, a: Address, b: Val, c: Val) -> None:
    """Both halves must agree before either changes."""
    fn = e.fn
    t = T("u", 64)
    pointers = memory.spill(e, memory.host_pointers(e, a, 16, "atomic"))
    wanted, new = ([memory.spill(e, half) for half in fn.halves128(v)] for v in (b, c))
    olds = [fn.alloca(t), fn.alloca(t)]
    with fn.each_bit(e.exec) as lane:
        target = fn.load(pointers, PTR, lane * 8, 8)
        old = [fn.load(target, t.scalar, 8 * k, 1) for k in range(2)]
        want, put = ([fn.load(row, t.scalar, lane * 8, 8) for row in rows] for rows in (wanted, new))
        same = (old[0] == want[0]) & (old[1] == want[1])
        for k in range(2):
            fn.store(old[k], olds[k], lane * 8, 8)
            fn.store(fn.select(same, put[k], old[k]), target, 8 * k, 1)
    e.write("d", fn.wide128(*(fn.load(row, t, align=64) for row in olds)))
