"""What one instruction does to memory and order, in plain values: a row's effect evaluated on an instance.

`Instance.effect` asks what can be known of the text. A simulator that wants the rest (sizes in registers) calls `action`
with facts of its own, whose `operand_value` gives the register's value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ptxlab.isa.effects import (
    COMPLETIONS,
    Access,
    AsyncCopy,
    AsyncMma,
    Barrier,
    Completion,
    Effect,
    Fence,
    GridDependency,
    Group,
    Join,
    Mbarrier,
    Word,
)
from ptxlab.isa.extents import Extent, Known, Run, known
from ptxlab.isa.terms import Facts, Term

if TYPE_CHECKING:
    from ptxlab.isa.form import Form
    from ptxlab.isa.specs import Spec


@dataclass(frozen=True, slots=True)
class Touch:
    """An access of one instruction to memory.

    Attributes:
        operand: the operand whose memory it is. reads, writes: both for an atomic.
        agent: "thread" (done when the thread goes on) or "operation" (an asynchronous one, done with its completion).
        space: where the address lies. proxy, order, scope: in the words of `ptxlab.isa.effects`.
        update: what an atomic does to memory, "mbarrier" for operations on one; None where it just reads or writes.
        extent: how the bytes lie.
        mask: the operand that says which bytes of every 16 are written. unless: the predicate operand which, where true,
            leaves the access out. multicast: the operand that names the CTAs in which it happens.
    """

    operand: str
    reads: bool
    writes: bool
    agent: str
    space: str
    proxy: str
    order: str
    scope: str | None
    update: str | None
    extent: Extent[Known]
    mask: str | None = None
    unless: str | None = None
    multicast: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What an instruction does to memory and order.

    Attributes:
        effect: the row's, whose class says what kind of thing it is.
        order, scope: how it orders memory among threads; None where it does not.
        joins: proxies that it joins, from → to. space, only, over: what a fence is restricted to.
        touches: its accesses to memory.
        completion: how an asynchronous operation ends, or what a group's wait waits for.
        reads_only: a wait is for reads of the sources alone: nothing that was written is visible.
    """

    effect: Effect
    order: str | None = None
    scope: str | None = None
    joins: tuple[Join, ...] = ()
    space: str | None = None
    only: str | None = None
    over: str | None = None
    touches: tuple[Touch, ...] = ()
    completion: Completion | None = None
    reads_only: bool = False


def is_strong(row: Form, facts: Facts, kind: str = "load") -> bool:
    """Whether it is a load, or another `kind` of access, among those of other threads: anything but a weak one."""
    effect = row.effect
    return isinstance(effect, Access) and effect.kind == kind and word(effect.order, facts) != "weak"


def word(value: Word | None, facts: Facts) -> str | None:
    """A word of an effect on an instance; None where there is none."""
    found = value.eval(facts) if isinstance(value, Term) else value
    return found if isinstance(found, str) else None


def action(row: Form, facts: Facts) -> Action:
    """What an instance of a row does.

    Args:
        facts: the modifiers and operands; what they do not know becomes None.
    """
    effect = row.effect
    match effect:
        case Access() | AsyncCopy() | AsyncMma() | Mbarrier():
            made = Action(effect, touches=tuple(_touches(row, facts)))
            if isinstance(effect, AsyncMma):
                return replace(made, completion=COMPLETIONS[effect.completion])
            made = replace(made, order=word(effect.order, facts), scope=word(effect.scope, facts))
            if isinstance(effect, AsyncCopy):
                return replace(made, completion=COMPLETIONS[effect.completion])
            return replace(made, joins=effect.joins) if isinstance(effect, Access) else made
        case Group(kind="wait"):
            end = COMPLETIONS[effect.group]
            early = effect.reads_only is not None and effect.reads_only.eval(facts) is True
            order = "weak" if early else "acquire"
            return Action(effect, order, end.scope, completion=end, reads_only=early)
        case Fence():
            order, scope, space = (word(v, facts) for v in (effect.order, effect.scope, effect.space))
            return Action(effect, order, scope, joins=effect.joins, space=space, only=effect.only, over=effect.over)
        case Barrier():
            return Action(effect, word(effect.order, facts), effect.scope)
        case GridDependency():
            return Action(effect, word(effect.order, facts), word(effect.scope, facts))
        case _:
            return Action(effect)


def _touches(row: Form, facts: Facts) -> Iterator[Touch]:
    for name, spec in row.operands.items():
        if not set(spec.access) & {"r", "w"} or not facts.present(name):
            continue
        yield _touch(row.effect, name, spec, facts)


def _touch(effect: Effect, name: str, spec: Spec, facts: Facts) -> Touch:
    space = word(spec.space, facts) or "generic"
    extent: Extent[Known] = known(spec.extent, facts) if spec.extent is not None else Run(_bytes(spec, facts))
    reads, writes = "r" in spec.access, "w" in spec.access
    mask, unless = (n if n is not None and facts.present(n) else None for n in (spec.mask, spec.unless))
    made = Touch(
        name,
        reads,
        writes,
        agent="thread",
        space=space,
        proxy="generic",
        order="weak",
        scope=None,
        update=None,
        extent=extent,
        mask=mask,
        unless=unless,
    )
    if isinstance(effect, Mbarrier):
        agent = "operation" if effect.after is not None else "thread"
        order, scope = word(effect.order, facts) or "weak", word(effect.scope, facts)
        return replace(made, agent=agent, order=order, scope=scope, update="mbarrier")
    if isinstance(effect, AsyncMma):
        return replace(made, agent="operation", proxy=effect.proxy)
    assert isinstance(effect, (Access, AsyncCopy))
    proxy = spec.proxy or word(effect.proxy, facts) or "generic"
    if isinstance(effect, AsyncCopy):
        made = replace(made, agent="operation")
        end = COMPLETIONS[effect.completion]
        if writes and effect.multicast is not None and facts.present(effect.multicast):
            made = replace(made, multicast=effect.multicast)
        if name == end.mbarrier:
            return replace(made, proxy=proxy, order=end.order, scope=end.scope, update="mbarrier")
    if not writes and not (isinstance(effect, Access) and effect.kind == "load"):
        return replace(made, proxy=proxy)  # the source of what is written elsewhere
    order, scope = word(effect.order, facts) or "weak", word(effect.scope, facts)
    return replace(made, proxy=proxy, order=order, scope=scope, update=word(effect.update, facts))


def _bytes(spec: Spec, facts: Facts) -> Known:
    found = None if spec.bytes is None else spec.bytes.eval(facts)
    return found if isinstance(found, int) else None
