"""Exchange within a warp: shuffles, votes, matches, reductions."""

from __future__ import annotations

from ptxlab.isa.effects import WarpWide
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import dst, pred_dst, pred_src, src
from ptxlab.isa.targets import only, ptx, sm
from ptxlab.isa.terms import chosen, mod

_MASK = src("u32").about("the lanes that take part")
_TYPE = mod("type")
_SYNC = ptx(6, 0) & sm(30)
_APART = (chosen("no_membermask_overlap"), ptx(8, 4))
"""A promise that lanes which execute this apart do so under masks without a lane in common; it changes no result."""

form(
    "shfl.sync",
    syntax="shfl.sync<.mode>{.no_membermask_overlap}.b32 d{|p}, a, b, c, mask;",
    mods={"mode": oneof("up", "down", "bfly", "idx")},
    operands={
        "d": dst("b32"),
        "p": pred_dst().about("whether the source lane is in range"),
        "a": src("b32"),
        "b": src("b32").about("lane or distance"),
        "c": src("b32").about("clamp, and the segments' mask at bit 8"),
        "mask": _MASK,
    },
    needs=_SYNC,
    needs_when=[_APART],
    isa="shfl.sync",
    effect=WarpWide(reads="a"),
    doc="Read a register of another lane.",
)
form(
    "vote.sync",
    syntax="vote.sync<.mode>{.no_membermask_overlap}.pred d, a, mask;",
    mods={"mode": oneof("all", "any", "uni")},
    operands={"d": pred_dst(sink=False), "a": pred_src(imm=True), "mask": _MASK},
    needs=_SYNC,
    needs_when=[_APART],
    isa="vote.sync",
    effect=WarpWide(),
    doc="Whether a predicate holds in all, in any, or equally in all lanes.",
)
form(
    "vote.sync.ballot",
    syntax="vote.sync.ballot{.no_membermask_overlap}.b32 d, a, mask;",
    operands={"d": dst("b32"), "a": pred_src(imm=True), "mask": _MASK},
    needs=_SYNC,
    needs_when=[_APART],
    isa="vote.sync",
    effect=WarpWide(),
    doc="The mask of lanes in which a predicate holds.",
)
form(
    "match.any.sync",
    syntax="match.any.sync{.no_membermask_overlap}<.type> d, a, mask;",
    mods={"type": oneof("b32", "b64")},
    operands={"d": dst("u32"), "a": src(_TYPE), "mask": _MASK},
    needs=ptx(6, 0) & sm(70),
    needs_when=[_APART],
    isa="match.sync",
    effect=WarpWide(),
    doc="The mask of lanes that hold the same value.",
)
form(
    "match.all.sync",
    syntax="match.all.sync{.no_membermask_overlap}<.type> d{|p}, a, mask;",
    mods={"type": oneof("b32", "b64")},
    operands={"d": dst("u32", sink=True), "p": pred_dst(), "a": src(_TYPE), "mask": _MASK},
    needs=ptx(6, 0) & sm(70),
    needs_when=[_APART],
    isa="match.sync",
    effect=WarpWide(),
    doc="The mask if all lanes hold the same value, else zero.",
)
form(
    "activemask",
    syntax="activemask.b32 d;",
    operands={"d": dst("b32")},
    needs=ptx(6, 2) & sm(30),
    isa="activemask",
    effect=WarpWide(varies=True),
    doc="The mask of lanes that execute this instruction together.",
)
form(
    "redux.sync",
    syntax="redux.sync<.op>{.no_membermask_overlap}<.type> d, a, mask;",
    mods={"op": oneof("add", "min", "max"), "type": oneof("u32", "s32")},
    operands={"d": dst(_TYPE).without_pairs(), "a": src(_TYPE).without_pairs(), "mask": _MASK},
    needs=ptx(7, 0) & sm(80),
    needs_when=[_APART],
    isa="redux.sync",
    effect=WarpWide(),
    doc="Combine an integer over lanes.",
)
form(
    "redux.sync",
    key="redux.sync.bits",
    syntax="redux.sync<.op>{.no_membermask_overlap}.b32 d, a, mask;",
    mods={"op": oneof("and", "or", "xor")},
    operands={"d": dst("u32"), "a": src("u32"), "mask": _MASK},
    needs=ptx(7, 0) & sm(80),
    needs_when=[_APART],
    isa="redux.sync",
    effect=WarpWide(),
    doc="Combine bits over lanes.",
)
form(
    "redux.sync",
    key="redux.sync.f32",
    syntax="redux.sync<.op>{.abs}{.NaN}{.no_membermask_overlap}.f32 d, a, mask;",
    mods={"op": oneof("min", "max")},
    operands={"d": dst("f32"), "a": src("f32"), "mask": _MASK},
    needs=ptx(8, 6) & only("100f"),
    needs_when=[_APART],
    isa="redux.sync",
    effect=WarpWide(),
    doc="The least or greatest floating-point number over lanes.",
)
