"""Whether a run speaks for every schedule: what has to hold, and what the run has shown of it.

The page docs/explanation/certificates.md has the theorem. In short: where a run has no race, where no two strong accesses come in
any order, and where no value that a schedule can change decides anything, all schedules execute the same instructions with the
same values, in the same happens-before order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access, AsyncCopy, Opaque, WarpWide
from ptxlab.ptx.program import Op
from ptxlab.ptx.uses import is_unread, read_in
from ptxlab.sim.certify.dependence import Dependence
from ptxlab.sim.certify.history import History, Word
from ptxlab.sim.certify.kept import of_text
from ptxlab.sim.engine.machine.deadlock import where
from ptxlab.sim.report.certificate import Certificate

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.observer import Observed

_COUNTS = "mbarrier"
"""What an asynchronous operation does to the mbarrier that tells of its end."""
_COMMUTES = ("add", "and", "or", "xor", "min", "max")
_KINDNESSES = (
    "what common kernels leave to the hardware holds: five places, in the documentation of the sanitizer. "
    'sanitize="strict" proves it without'
)
_ELECTED = "elect.sync elects the same lane of a mask each time"
_UNSEEN = "nobody writes the memory that textures and surfaces are read from"
_UNWRITTEN = (
    "what registers or local memory hold that nobody has written makes no difference: other bits have been tried once"
)
MOST_PLACES = 1 << 12
"""Places of a pair that are remembered."""


@dataclass(slots=True)
class Free:
    """Two strong accesses that come in any order: the instructions, by their numbers, a thread of each, in words, and where.

    places: None: somewhere that is not known, or in too many places.
    """

    before: int
    now: int
    who: tuple[str, str]
    places: set[Word] | None


class FreeOrder:
    """Collects the strong accesses of a launch that come in any order, and matter.

    Args:
        ops: the instructions by number. who: a thread or an operation in words. polled: loads of loops that only wait for what
            others store, by their number. history: of the words that these load.

    Attributes:
        steered: the instructions, by number, whose order somebody chooses: they come in that order alone.
        others: more reasons why the launch is not proved.
    """

    def __init__(self, ops: Sequence[Op], who: Callable[[int], str], polled: frozenset[int], history: History) -> None:
        self._ops, self._who, self._polled, self._history = ops, who, polled, history
        self._summed: set[Word] = set()
        self._sums = cache(partial(sum_at, ops, read_in(ops)))
        self.steered: frozenset[int] = frozenset()
        self.pairs: dict[tuple[int, int], Free] = {}
        self.others: list[Diagnostic] = []

    def op(self, number: int) -> Op:
        """An instruction."""
        return self._ops[number]

    def __call__(self, before: int, now: int, culprit: int, agent: int, place: Word | None) -> None:
        """Two accesses: by which instructions, by their numbers, by whom, and where, if that is known."""
        key = before, now
        if self.steered.issuperset(key):
            return
        sums = {self._sums(site) for site in key}
        if len(sums) == 1 and None not in sums:
            if place is not None:
                self._summed.add(place)
            return
        pair = self.pairs.get(key)
        if pair is None:
            pair = self.pairs[key] = Free(*key, (self._who(culprit), self._who(agent)), set())
        if pair.places is not None:
            if place is None or len(pair.places) >= MOST_PLACES:
                pair.places = None
            else:
                pair.places.add(place)

    def matter(self) -> list[Free]:
        """Those that decide anything: not a wait for what is stored, whoever looks when."""
        stored = self._stored()
        return [pair for pair in self.pairs.values() if not self._is_wait(pair, stored)]

    def _is_wait(self, pair: Free, stored: set[Word]) -> bool:
        loads = [site for site in (pair.before, pair.now) if site in self._polled]
        if len(loads) != 1 or pair.places is None or pair.places & stored:
            return False
        return all(self._history.settles(*word, loads[0], in_order=word not in self._summed) for word in pair.places)

    def _stored(self) -> set[Word]:
        """Where stores come in any order, other than sums."""
        both = (p for p in self.pairs.values() if not self._polled & {p.before, p.now})
        return set[Word]().union(*(p.places or () for p in both))

    @property
    def waits(self) -> bool:
        """Whether threads wait for what others store."""
        return any(self._polled & {pair.before, pair.now} for pair in self.pairs.values())


def sum_at(ops: Sequence[Op], read: frozenset[str], site: int) -> tuple[str, str] | None:
    """The same of an instruction by its number: see `_sum_of`."""
    return _sum_of(ops[site], read)


def _sum_of(op: Op, read: frozenset[str]) -> tuple[str, str] | None:
    """What an instruction adds up in memory, as operation and type, where the order of such instructions changes nothing: they are
    of integers, and nobody sees what one of them has found. read: the registers that anybody reads."""
    touches = [t for t in op.inst.effect.touches if t.writes and t.update != _COUNTS]
    kind = op.inst.mod("type") or ""
    if len(touches) != 1 or touches[0].update not in _COMMUTES or kind[:1] not in "usb" or not kind[1:].isdigit():
        return None
    if not is_unread(op, read):
        return None
    signed = touches[0].update in ("min", "max")
    return str(touches[0].update), kind if signed else kind[1:]


def only_one_sum(ops: Sequence[Op]) -> bool:
    """Whether all atomic operations of a program are of one kind that may come in any order."""
    read = read_in(ops)
    kinds = {_sum_of(op, read) for op in ops if _updates(op)}
    return len(kinds) <= 1 and None not in kinds


def _updates(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, (Access, AsyncCopy)) and any(t.update is not None for t in op.inst.effect.touches)


dependence_of = of_text(Dependence)


def judged(machine: Observed, free: FreeOrder, unwatched: object, *, strict: bool) -> Certificate:
    """The certificate of a run, as far as its findings do not matter: see `not_proved`."""
    program = machine.record.program
    found = dependence_of(program)
    reasons = [*free.others, *(_free(free, pair) for pair in free.matter())]
    if free.waits and machine.residency.count < machine.residency.total:
        message = (
            "threads wait for other CTAs, and not all CTAs of the grid run at once: which of them start first is open"
        )
        reasons.append(Diagnostic("PTX9303", message))
    reasons += [
        _reason(
            "PTX9302",
            f"`{one.op.inst.opcode}`: {one.what} depends on the schedule",
            one.op,
            [f"it comes from `{one.cause.op.text}`: {one.cause.why}"],
            one.cause.op,
        )
        for one in found.decisions
    ]
    if unwatched:
        reasons.append(Diagnostic("PTX9303", f"the sanitizer had no room to follow everything: {unwatched}"))
    every = [op for one in (program, *program.functions) for op in one.ops]
    reasons += [
        _reason("PTX9303", f"`{op.inst.opcode}` changes memory that is not followed", op)
        for op in every
        if isinstance(op.inst.form.effect, Opaque) and op.inst.form.effect.kind != "load"
    ]
    image = machine.image
    unwritten = bool(image.exposed or image.unwritten_local)
    if unwritten and strict:
        reasons.append(Diagnostic("PTX9303", "registers or local memory may be read that nobody has written"))
    control = [f"`{op.text}`{_place(op)}" for op in found.loads]
    assumed = [*_assumptions(every, strict=strict), *[_UNWRITTEN] * unwritten]
    return Certificate(program.name, str(machine.record), reasons, control, assumed)


def _assumptions(ops: Sequence[Op], *, strict: bool) -> Iterable[str]:
    if not strict:
        yield _KINDNESSES
    effects = [op.inst.form.effect for op in ops]
    if any(isinstance(e, WarpWide) and e.elects for e in effects):
        yield _ELECTED
    if any(isinstance(e, Opaque) and e.kind == "load" for e in effects):
        yield _UNSEEN


def _free(free: FreeOrder, pair: Free) -> Diagnostic:
    before, now = free.op(pair.before), free.op(pair.now)
    message = f"`{now.inst.opcode}` and `{before.inst.opcode}` access the same place in any order, and it matters which comes first"
    notes = [f"{pair.who[1]}: `{now.text}`", f"{pair.who[0]}: `{before.text}`"]
    return _reason("PTX9301", message, now, notes, before)


def _reason(code: str, message: str, op: Op, notes: Sequence[str] = (), other: Op | None = None) -> Diagnostic:
    return Diagnostic(
        code,
        message,
        span=op.span,
        origin=op.origin,
        notes=notes,
        other=None if other is None else other.span,
        other_origin=None if other is None else other.origin,
    )


def _place(op: Op) -> str:
    found = where(op)
    return f" in {found}" if found else ""
