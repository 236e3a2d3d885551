"""Exchange within a warp."""

from __future__ import annotations

from ptxlab.codegen.ir import I32, T, Val
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.memory import spill
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import fault

U32 = T("u", 32)
S32 = T("s", 32)


def gather_lanes(e: Emitter, mask: Val) -> Val:
    """Wait until all living lanes of the member mask are here; returns the lanes that take part.

    Lanes that come early are set aside (F_SYNC) with this record as their place. When those of a mask are complete they are let
    go, and the dispatcher runs them together, and no others: the lanes of another mask may be at the same instruction.
    """
    fn = e.fn
    with fn.if_(e.exec == 0):
        e.goto_next()
    alive = e.frame_word(F.F_ALIVE)
    wanted, members = _wanted(e, mask, e.exec, alive)
    alone = _of_mask(e, mask, wanted, e.exec) == e.exec
    need = members & alive
    here, wait = fn.fresh("here"), fn.fresh("wait")
    fn.branch(((need & ~e.exec) == 0) & alone, here, wait)
    fn.block(wait)
    pc = e.pc
    e.save_pcs(e.active & ~e.exec, e.next_pc)
    e.save_pcs(e.exec, pc)
    sync = e.frame_word(F.F_SYNC)
    there = _set_aside(e, sync, pc) | e.exec
    complete = _complete(e, mask, there, alive)
    # of no complete mask: the number of the lane does not matter, as none is let go
    one = fn.extract(mask, fn.intrinsic("cttz", complete | e.exec, extra=", i1 true"))
    e.set_frame_word(F.F_SYNC, (sync | there) & ~_of_mask(e, mask, one, complete))
    e.leave(F.REGROUP)
    fn.block(here)
    aside = e.frame_word(F.F_SYNC)
    with fn.if_(aside != 0):  # lanes of another mask may be complete, and have their turn behind this one
        rest = _set_aside(e, aside, e.pc)
        e.set_frame_word(F.F_SYNC, aside & ~_complete(e, mask, rest, alive))
    return e.exec & need


def _wanted(e: Emitter, mask: Val, lanes: Val, alive: Val) -> tuple[Val, Val]:
    """The member mask of the first of these lanes, and the lanes that count as its members.

    Where it lacks one of them, an H200 stops, unless the warp is together and has one mask: then it looks at no mask.
    """
    fn = e.fn
    wanted = fn.extract(mask, fn.intrinsic("cttz", lanes, extra=", i1 true"))
    each = fn.vector([1 << lane for lane in range(F.LANES)], U32)
    lacking = lanes & fn.mask((mask & each) == 0)
    with fn.if_(lacking != 0), fn.if_((lanes != alive) | (_of_mask(e, mask, wanted, lanes) != lanes)):
        fault(e, F.FAULT_MASK, fn.intrinsic("cttz", lacking, extra=", i1 true"))
    return wanted, fn.select(lacking != 0, lanes, wanted)


def _of_mask(e: Emitter, mask: Val, wanted: Val, lanes: Val) -> Val:
    """Those lanes that name this member mask."""
    shape = e.shape("mask") or e.shape("membermask")
    if isinstance(shape, str) and shape[0] in "i=":
        return lanes
    return lanes & e.fn.mask(mask == e.fn.splat(wanted))


def _set_aside(e: Emitter, sync: Val, pc: Val) -> Val:
    """Lanes that wait at this record."""
    pcs = e.fn.load(e.frame, U32, F.F_PCS, 64)
    return sync & e.fn.mask(pcs == e.fn.splat(pc))


def _complete(e: Emitter, mask: Val, there: Val, alive: Val) -> Val:
    """Lanes all of whose mask that live are there."""
    fn = e.fn
    return there & fn.mask((mask & fn.splat(alive & ~there)) == 0)


@meaning("bar.warp.sync")
def bar_warp_sync(e: Emitter, mask: Val) -> None:
    """Wait until all living lanes of the member mask wait, each at a bar.warp.sync of its own.

    Those that are let go (F_RELEASED) run the record once more, and pass.
    """
    fn = e.fn
    with fn.if_(e.exec == 0):
        e.goto_next()
    alive, before = e.frame_word(F.F_ALIVE), e.frame_word(F.F_RELEASED)
    passing = e.exec & before
    staying = e.exec & ~before
    wanted, members = _wanted(e, mask, fn.select(staying == 0, e.exec, staying), alive)
    group = _of_mask(e, mask, wanted, staying)
    missing = members & alive & ~group
    here, wait = fn.fresh("here"), fn.fresh("wait")
    fn.branch((staying == 0) | ((passing == 0) & (group == e.exec) & (missing == 0)), here, wait)
    fn.block(wait)
    e.save_pcs(e.active & ~staying, e.next_pc)
    e.save_pcs(staying, e.pc)
    sync = e.frame_word(F.F_SYNC)
    waiting = sync & missing
    complete = waiting == missing
    e.set_frame_word(F.F_SYNC, fn.select(complete, sync & ~waiting, sync | group))
    released = fn.select(complete, waiting | group, fn.const(0, I32))
    e.set_frame_word(F.F_RELEASED, (before & ~passing) | released)
    e.leave(F.REGROUP)
    fn.block(here)
    e.set_frame_word(F.F_RELEASED, before & ~passing)


def _from_lanes(e: Emitter, v: Val, lane: Val) -> Val:
    """Each lane's value taken from the lane that it names (0 to 31)."""
    fn = e.fn
    if "permute" in e.features and v.t.bits == 32:
        return fn.permute(v, lane)
    row, lanes, out = spill(e, v), spill(e, lane), fn.alloca(v.t)
    with fn.count(32) as i:
        chosen = fn.load(lanes, I32, i * 4, 4)
        fn.store(fn.load(row, v.t.scalar, chosen * (v.t.bits // 8), 4), out, i * (v.t.bits // 8), 4)
    return fn.load(out, v.t, align=64)


@meaning("shfl.sync")
def shfl(e: Emitter, a: Val, b: Val, c: Val, mask: Val) -> None:
    members = gather_lanes(e, mask)
    lane = e.iota(S32)
    distance = (b & 0x1F).signed
    segment = ((c >> 8) & 0x1F).signed
    clamp = (c & 0x1F).signed
    first = lane & segment
    last = first | (clamp & ~segment)
    mode = e.mod("mode")
    if mode == "up":
        source = lane - distance
        inside = source >= last
    elif mode == "down":
        source = lane + distance
        inside = source <= last
    else:
        source = lane ^ distance if mode == "bfly" else first | (distance & ~segment)
        inside = source <= last
    source = e.select(inside, source, lane).unsigned
    e.write("d", _left_open(e, _from_lanes(e, a, source), source, members))
    if e.shape("p") is not None:
        e.write("p", inside)


def _left_open(e: Emitter, value: Val, source: Val, members: Val) -> Val:
    """The values of a shuffle. What comes from lanes that take no part is noted, and other bits where a run asks for that: the
    ISA leaves open what it is. On an H200 it is what stands in their registers."""
    fn, out = e.fn, e.fn.variable(value)
    outside = e.exec & fn.mask(((fn.splat(members) >> source) & 1) == 0)
    with fn.if_(outside != 0):
        begin, end, noted = (e.load(e.env, I32, at, 4) for at in (F.E_OTHER, F.E_OTHER + 4, F.E_OUTSIDE))
        asked = (e.pc >= begin) & (e.pc < end)
        lane = fn.intrinsic("cttz", outside, extra=", i1 true")
        with fn.if_(asked | (noted == 0)):
            for at, word in enumerate((fn.extract(source, lane) + 1, lane, members)):
                fn.store(word, e.env, F.E_OUTSIDE + 4 * at, 4)
        with fn.if_(asked):
            out.set(fn.select(fn.lanes(outside), ~value, value))
    return out.get()


@meaning("vote.sync")
def vote(e: Emitter, a: Val, mask: Val) -> Val:
    members = gather_lanes(e, mask)
    held = e.fn.mask(a) & members
    mode = e.mod("mode")
    if mode == "any":
        return e.splat(held != 0)
    every = held == members
    return e.splat(every if mode == "all" else every | (held == 0))


@meaning("vote.sync.ballot")
def ballot(e: Emitter, a: Val, mask: Val) -> Val:
    return e.splat(gather_lanes(e, mask) & e.fn.mask(a))


@meaning("match.any.sync")
def match_any(e: Emitter, a: Val, mask: Val) -> Val:
    members = gather_lanes(e, mask)
    row, out = spill(e, a), e.alloca(U32)
    with e.each_bit(members) as lane:
        mine = e.load(row, a.t.scalar, lane * (a.t.bits // 8), 4)
        e.store(e.fn.mask(a == mine) & members, out, lane * 4, 4)
    return e.load(out, U32, align=64)


@meaning("match.all.sync")
def match_all(e: Emitter, a: Val, mask: Val) -> None:
    members = gather_lanes(e, mask)
    first = e.extract(a, e.intrinsic("cttz", members, extra=", i1 true"))
    same = (e.fn.mask(a == first) & members) == members
    e.write("d", e.splat(e.select(same, members, e.const(0, I32))))
    if e.shape("p") is not None:
        e.write("p", e.splat(same))


@meaning("activemask")
def activemask(e: Emitter) -> Val:
    return e.splat(e.exec)


_NEUTRAL = {"add": 0, "or": 0, "xor": 0, "and": -1}


@meaning("redux.sync", "redux.sync.bits")
def redux(e: Emitter, a: Val, mask: Val) -> Val:
    members = gather_lanes(e, mask)
    op = e.mod("op") or ""
    if op in ("min", "max"):
        word = ("s" if a.t.kind == "s" else "u") + op
        low, high = (-(1 << 31), (1 << 31) - 1) if a.t.kind == "s" else (0, F.FULL)
        neutral = high if op == "min" else low
    else:
        word, neutral = op, _NEUTRAL[op]
    return e.splat(e.fn.reduce(word, e.select(e.fn.lanes(members), a, e.const(neutral, a.t))))


@meaning("redux.sync.f32")
def redux_f32(e: Emitter, a: Val, mask: Val) -> Val:
    """Lane by lane: min and max of floats depend on no order but on NaN."""
    members = gather_lanes(e, mask)
    a = fp.magnitude(a).as_(a.t) if e.has("abs") else a
    row = spill(e, a)
    total = e.variable(e.extract(a, e.intrinsic("cttz", members, extra=", i1 true")))
    with e.each_bit(members) as lane:
        one = e.load(row, a.t.scalar, lane * 4, 4)
        total.set(fp.minimum(e.fn, total.get(), one, nan=e.has("NaN"), largest=e.mod("op") == "max"))
    return e.splat(fp.canonical(e.fn, total.get()))


@meaning("elect.sync")
def elect(e: Emitter, mask: Val) -> None:
    """The lowest lane of the member mask is elected."""
    members = gather_lanes(e, mask)
    leader = e.intrinsic("cttz", members, extra=", i1 true")
    for name, slot in ((s.name, s) for s in e.handler.slots if s.role == "w"):
        if slot.shape != "_":
            e.write(name, e.splat(leader) if slot.type != "pred" else e.iota(U32) == leader)
