"""wgmma where products are carried out at issue: warps join a product, the last one carries it out, and they wait for it.

All this is machine code for products that have been carried out before (numerics/ready.py). Python handles new ones, every other
schedule and what is wrong: see families/wgmma/unit.py.
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.isa.effects import AsyncMma, Group
from ptxlab.isa.form import FORMS
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import nothing, trap_if
from ptxlab.sim.engine.handlers.notify import here, take_note
from ptxlab.sim.families.mma.meaning import unless_together

PRODUCTS = tuple(key for key, row in FORMS.items() if isinstance(row.effect, AsyncMma))
"""The rows of wgmma.mma_async; a key ends in where A is: .ss for shared memory, .rs for registers."""


def _group(e: Emitter, only: int | None = None) -> tuple[Val, Val]:
    """Pointer to the state of the warpgroup, and the warp's place in it.

    Traps where the warpgroup is not whole, and where the word `only` of the environment is 0.
    """
    fn = e.fn
    unless_together(e)
    if only is not None:
        trap_if(e, fn.load(e.env, I64, only, 8) == 0)
    cta = fn.load(e.frame, PTR, F.F_CTA, 8)
    trap_if(e, (e.frame_word(F.SREG_OFFSET["%warpid"]) | (F.P_WARPS - 1)) >= fn.load(cta, I32, F.C_WARPS, 4))
    return warpgroup(e)


def warpgroup(e: Emitter) -> tuple[Val, Val]:
    """Pointer to the state of the warpgroup, and the warp's place in it."""
    fn = e.fn
    warp = e.frame_word(F.SREG_OFFSET["%warpid"])
    cta = fn.load(e.frame, PTR, F.F_CTA, 8)
    group = fn.at(fn.load(cta, PTR, F.C_PRODUCTS, 8), (warp / F.P_WARPS * F.GROUP_BYTES).to(I64))
    return group, (warp & (F.P_WARPS - 1)).to(I64)


def _shared(e: Emitter, value: Val) -> Val:
    """What all lanes have; traps where they differ."""
    fn = e.fn
    value = fn.splat(value).unsigned
    first = fn.extract(value, 0)
    trap_if(e, fn.mask(value != first) != 0)
    return first


def _product(e: Emitter, a: Val | None, b: Val, scale_d: Val) -> None:
    fn = e.fn
    group, member = _group(e, F.E_JOINS)
    own = fn.at(group, member * 4 + F.P_ISSUED)
    number = fn.load(own, I32, 0, 4)
    trap_if(e, (number - fn.load(group, I32, F.P_DONE, 4)) >= F.P_WINDOW)
    entry = fn.at(group, ((number & (F.P_WINDOW - 1)) * F.P_BYTES + F.P_RING).to(I64))
    words = {
        F.P_NUMBER: number + 1,
        F.P_PC: e.pc,
        F.P_ACCUMULATE: fn.mask(fn.splat(scale_d)) & 1,
        F.P_A: fn.const(0, I64) if a is None else _shared(e, a),
        F.P_B: _shared(e, b),
    }
    issued = fn.load(group, T("u", 32, F.P_WARPS), F.P_ISSUED, 4)
    ahead = fn.mask(issued > fn.splat(number, F.P_WARPS)).to(I32)
    with fn.if_(ahead == 0):
        for at, word in words.items():
            fn.store(word, entry, at, word.t.bits // 8)
    with fn.if_(ahead != 0):
        for at, word in words.items():
            trap_if(e, fn.load(entry, word.t, at, word.t.bits // 8) != word)
        with fn.if_(fn.intrinsic("ctpop", ahead) == F.P_WARPS - 1):
            fn.store(number + 1, group, F.P_AGREED, 4)
            carry_out = fn.load(e.env, PTR, F.E_PRODUCT, 8)
            status = fn.invoke(carry_out, I32, group, e.frame, e.env)
            trap_if(e, status != 0)
    fn.store(number + 1, own, 0, 4)


@meaning(*(key for key in PRODUCTS if key.endswith(".ss")), halfway=True, asks=("a", "b", "scale_d"))
def from_shared(e: Emitter, a: Val, b: Val, scale_d: Val) -> None:
    """Join a product, A in shared memory."""
    _product(e, a, b, scale_d)


@meaning(*(key for key in PRODUCTS if key.endswith(".rs")), halfway=True, asks=("b", "scale_d"))
def from_registers(e: Emitter, b: Val, scale_d: Val) -> None:
    """Join a product, A in registers."""
    _product(e, None, b, scale_d)


@meaning("wgmma.commit_group", halfway=True)
def commit(e: Emitter) -> None:
    """Note how many products the warp has executed."""
    fn = e.fn
    group, member = _group(e, F.E_COMMITS)
    issued = fn.load(fn.at(group, member * 4), I32, F.P_ISSUED, 4)
    count = fn.at(group, member * 4 + F.P_COMMITTED)
    commits = fn.load(count, I32, 0, 4)
    fn.store(issued, fn.at(group, commit_place(member, commits)), 0, 4)
    fn.store(commits + 1, count, 0, 4)


def commit_place(member: Val, number: Val) -> Val:
    """Where a commit of a warp is noted."""
    return (member * F.P_WINDOW + (number & (F.P_WINDOW - 1)).to(I64)) * 4 + F.P_COMMITS


@meaning("wgmma.wait_group", halfway=True)
def wait(e: Emitter, n: Val) -> None:
    """Go on where all but so many groups are carried out. A window of commits is enough: no more may be left than it holds."""
    effect, fn = FORMS[e.handler.key].effect, e.fn
    assert isinstance(effect, Group)
    assert effect.most < F.P_WINDOW
    left = effect.pending(e.constant("n"))
    group, member = _group(e, F.E_WAITS)
    waits_for = fn.variable(fn.const(0, I32))
    commits = fn.load(fn.at(group, member * 4), I32, F.P_COMMITTED, 4)
    with fn.if_(commits > left):
        target = fn.load(fn.at(group, commit_place(member, commits - (left + 1))), I32, 0, 4)
        with fn.if_(target > fn.load(group, I32, F.P_DONE, 4)):
            trap_if(e, fn.load(e.env, I64, F.E_SLEEPS, 8) == 0)
            _sleep(e, group, member)
        waited = fn.at(group, member * 4 + F.P_WAITED)
        fn.store(fn.max(fn.load(waited, I32, 0, 4), target), waited, 0, 4)
        waits_for.set(target)
    with fn.if_(fn.load(e.env, I64, F.E_PRODUCTS, 8) == 0):  # observers have to be notified
        take_note(e, F.NOTE_PRODUCTS, waits_for.get(), fn.const(0, I32))


def _sleep(e: Emitter, group: Val, member: Val) -> None:
    """The warp tries again when a product of its warpgroup has been carried out."""
    fn = e.fn
    mask = fn.const(1, I32) << member.to(I32)
    fn.store(fn.load(group, I32, F.P_SLEEPING, 4) | mask, group, F.P_SLEEPING, 4)
    e.save_pcs(e.exec, e.pc)
    e.set_frame_word(F.F_WAITING, e.frame_word(F.F_WAITING) | e.exec)
    e.leave(F.REGROUP)


@meaning("$flight", halfway=True)
def flight(e: Emitter) -> None:
    """Go on where the warp has waited for all its products: the next instruction uses registers of some."""
    fn = e.fn
    state, member = warpgroup(e)
    own = fn.at(state, member * 4)
    trap_if(e, fn.load(own, I32, F.P_ISSUED, 4) > fn.load(own, I32, F.P_WAITED, 4))


@meaning("$notify.products")
def notify_products(e: Emitter) -> None:
    """Note that a warp waits for products, where those are carried out: else it runs this again. Modifier: `left`, groups."""
    pc, fn, left = e.pc, e.fn, int(e.mods["left"])
    group, member = warpgroup(e)
    commits = fn.load(fn.at(group, member * 4), I32, F.P_COMMITTED, 4)
    target = fn.variable(fn.const(0, I32))
    with e.if_(commits > left):
        target.set(fn.load(fn.at(group, commit_place(member, commits - (left + 1))), I32, 0, 4))
    with e.if_((e.exec != 0) & (target.get() <= fn.load(group, I32, F.P_DONE, 4))):
        arena, slot, warp = here(e)
        e.fn.run(e.load(e.env, PTR, F.E_PRODUCT_WAIT, 8), arena, slot, warp, target.get(), pc)
    go_on(e, Layer.SANITIZE, pc)


meaning("wgmma.fence")(nothing)  # a product reads registers when it is carried out
