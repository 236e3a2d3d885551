"""Addresses in a cluster: the CTA's rank stands in them."""

from __future__ import annotations

from ptxlab.codegen.ir import T, Val
from ptxlab.sim.engine.compiled.address import ADDRESS32, OFFSET_MASK, RANK_SHIFT
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning

_RANKS = ADDRESS32 >> RANK_SHIFT


@meaning("mapa")
def mapa(e: Emitter, a: Val, rank: Val) -> Val:
    """The same address with another rank: byte 3 of it is replaced, generic or not, and the rest stays."""
    rest = (1 << a.t.bits) - 1 & ~(ADDRESS32 & ~OFFSET_MASK)
    return (a & rest) | ((rank.to(T("u", a.t.bits)) & _RANKS) << RANK_SHIFT)


@meaning("getctarank")
def getctarank(e: Emitter, a: Val) -> Val:
    """The rank in an address, generic or not."""
    return (a & ADDRESS32).to(T("u", 32)) >> RANK_SHIFT
