"""Polls that the first-level cache answers: what another SM writes never shows there.

An SM keeps the sectors that weak loads and those of CTA scope have read. It learns of its own threads' writes, and of no others,
until something makes it forget: a fence, an acquiring access or a wait of a wider scope makes it forget everything, an access
that goes past the cache the line that it names. So an H200 answers, and a loop that ends when such a load finds another value
never ends where another SM writes it. Only such loads are looked at: they run in Python.
"""

from __future__ import annotations

from typing import Final

from ptxlab.isa.action import word
from ptxlab.isa.effects import Access, Branch, Fence, Mbarrier
from ptxlab.isa.order import ACQUIRING, OF_CLUSTERS
from ptxlab.ptx.program import Op, Program
from ptxlab.sim.engine.decoded.polls import Step, harmless, short_loops

"""Scopes beyond the SM."""
_PAST: Final = ("cg", "lu", "cv")
"""Cache operators of loads that the cache does not answer."""


def cached_polls(program: Program) -> frozenset[int]:
    """Loads of a kernel or function, by index, whose answer ends a loop, and which no pass of it makes the cache forget."""
    out: set[int] = set()
    for begin, back in short_loops(program):
        out.update(begin + at for at in _answers(program.ops[begin : back + 1]))
    return frozenset(out)


def is_cached(op: Op) -> bool:
    """Whether an instruction loads global memory, or may do so, through the SM's cache."""
    inst = op.inst
    effect = inst.form.effect
    if not _global(op) or not isinstance(effect, Access) or effect.kind != "load":
        return False
    if inst.mods.get("cop") in _PAST or inst.mods.get("l1") == "L1::no_allocate":
        return False
    return word(effect.order, inst) == "weak" or word(effect.scope, inst) == "cta"


def forgets_all(op: Op) -> bool:
    """Whether an instruction makes the SM's cache forget all that it holds."""
    inst = op.inst
    effect = inst.form.effect
    if isinstance(effect, Fence) and any("alias" in join for join in effect.joins):
        return True
    if not isinstance(effect, Fence | Access | Mbarrier) or (isinstance(effect, Fence) and effect.space is not None):
        return False
    return word(effect.order, inst) in ACQUIRING and word(effect.scope, inst) in OF_CLUSTERS


def forgets_line(op: Op) -> bool:
    """Whether an instruction makes the SM's cache forget the line that it names: it reads global memory past the cache."""
    effect = op.inst.form.effect
    if not isinstance(effect, Access) or effect.kind not in ("load", "atomic") or not _global(op):
        return False
    return op.inst.mods.get("cop") != "lu" and not is_cached(op)


def _global(op: Op) -> bool:
    inst = op.inst
    effect = inst.form.effect
    return (
        isinstance(effect, Access)
        and effect.tensormap is None
        and "a" in inst.operands
        and inst.mods.get("space", "generic") in ("global", "generic")
    )


def _answers(body: list[Op]) -> list[int]:
    """Places in a loop of the loads that the SM's cache answers on every pass, and on which it depends whether the loop ends."""
    if (
        not any(map(is_cached, body))
        or any(forgets_all(op) or forgets_line(op) for op in body)
        or not all(map(harmless, body))
    ):
        return []
    steps = [Step(op) for op in body]
    wanted = {op.guard.name for op in body if isinstance(op.inst.form.effect, Branch) and op.guard is not None}
    for _ in steps:
        more = set[str]().union(*(s.reads for s in steps if not wanted.isdisjoint(s.writes)))
        if more <= wanted:
            break
        wanted |= more
    written = set[str]().union(*(s.writes for s in steps))
    return [
        at
        for at, step in enumerate(steps)
        if is_cached(step.op) and not step.writes.isdisjoint(wanted) and step.reads.isdisjoint(written)
    ]
