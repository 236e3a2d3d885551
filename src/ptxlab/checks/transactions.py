"""Bytes that mbarriers expect, held against the bytes that copies bring.

Each expectation opens an account of its barrier, which the copies behind it in the same stretch of straight code fill. What
cannot be known (registers, multicasts, barriers of other CTAs, copies that stand elsewhere) leaves the whole barrier alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from ptxlab.checks.analysis import Analysis
from ptxlab.checks.barrier_names import barrier_name, barrier_place
from ptxlab.checks.values import constant
from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.effects import AsyncCopy, Mbarrier
from ptxlab.isa.operands import Imm, Reg
from ptxlab.ptx.flow import branch_kind
from ptxlab.ptx.program import Op


@dataclass(frozen=True, slots=True)
class Entry:
    """An expectation, or a copy.

    Attributes:
        barrier: which one, as the instruction names it. declared: the declaration that it belongs to. name: in messages.
        nbytes: None where the number is known on the device alone. guard: the predicate under which it is executed.
        stretch: number of the stretch of straight code that it stands in. place: the line.
        source: the line behind it, where the PTX was made from another language: then it may have no line of its own.
    """

    barrier: Hashable
    declared: str
    name: str
    nbytes: int | None
    guard: str
    stretch: int
    place: Span | None
    source: Span | None = None


@dataclass(slots=True)
class Account:
    """An expectation and the copies that follow it. `expected`, `brought`: bytes."""

    first: Entry
    expected: int = 0
    brought: int = 0
    copies: list[Entry] = field(default_factory=list[Entry])

    @property
    def what(self) -> str:
        """What is wrong with it."""
        lines = ", ".join(
            dict.fromkeys(_line(c.place or c.source, self.first.place or self.first.source) for c in self.copies)
        )
        short = self.expected > self.brought
        after = "the wait would never end" if short else "the phase would end before all of them are there"
        return (
            f"{self.first.name} expects {self.expected} bytes, but the copies in {lines} bring {self.brought}: {after}"
        )


def _line(place: Span | None, other: Span | None) -> str:
    if place is None or other is None:
        return "unknown lines"
    return f"line {place.line}" if place.file == other.file else str(place)


class Ledger:
    """The accounts of a kernel."""

    def __init__(self) -> None:
        self._open: dict[Hashable, Account] = {}
        self._all: list[Account] = []
        self._vague: set[str] = set()
        self._lost = False

    def expect(self, entry: Entry) -> None:
        """Bytes are expected."""
        account = self._account(entry)
        if account is None:
            account = self._open[entry.barrier] = Account(entry)
            self._all.append(account)
        account.expected += self._known(entry, account)

    def bring(self, entry: Entry) -> None:
        """A copy brings bytes."""
        account = self._account(entry)
        if account is None:
            self._vague.add(entry.declared)
            return
        account.brought += self._known(entry, account)
        account.copies.append(entry)

    def give_up(self, declared: str | None) -> None:
        """Bytes come or go in a way that cannot be followed: for all barriers of a declaration, or (None) for any."""
        self._lost |= declared is None
        if declared is not None:
            self._vague.add(declared)

    def _account(self, entry: Entry) -> Account | None:
        found = self._open.get(entry.barrier)
        return found if found is not None and found.first.stretch == entry.stretch else None

    def _known(self, entry: Entry, account: Account) -> int:
        if entry.nbytes is None or entry.guard != account.first.guard:
            self._vague.add(entry.declared)
        return entry.nbytes or 0

    def wrong(self) -> Iterator[Account]:
        """Accounts that do not balance."""
        if self._lost:
            return
        vague = self._vague | {a.first.declared for a in self._all if not a.copies}
        yield from (a for a in self._all if a.expected != a.brought and a.first.declared not in vague)


# --- the accounts of PTX from anywhere


def check_transactions(analysis: Analysis) -> Iterator[Diagnostic]:
    """Expectations of a kernel that its bulk copies do not meet. What a tensor copy brings its map says: unknown here."""
    ops = analysis.program.ops
    if any(branch_kind(op) == "call" for op in ops):
        return
    ledger = Ledger()
    for i, op in enumerate(ops):
        effect = op.inst.form.effect
        if type(effect) is Mbarrier and effect.kind.endswith("expect_tx"):
            _enter(analysis, ledger, i, "tx_count", expects=True)
        elif type(effect) is Mbarrier and effect.kind == "complete_tx":
            ledger.give_up(None)
        elif type(effect) is AsyncCopy and effect.completion == "mbarrier":
            _enter(analysis, ledger, i, "size", expects=False)
    for account in ledger.wrong():
        yield Diagnostic(
            "PTX5032",
            account.what,
            help=f"expect {account.brought} bytes",
            span=account.first.place,
            origin=account.first.source,
            isa="mbarrier.expect_tx",
        )


def _enter(analysis: Analysis, ledger: Ledger, i: int, counted: str, *, expects: bool) -> None:
    op = analysis.program.ops[i]
    barrier = barrier_place(op, analysis.constants)
    if barrier is None or op.inst.chosen("multicast::cluster"):
        ledger.give_up(None)
        return
    symbol, offset = barrier
    operand = op.inst.operands.get(counted)
    value = constant(analysis.constants.operand(operand)) if isinstance(operand, Imm | Reg) else None
    stretch = analysis.graph.block_of(i)
    name = barrier_name(analysis, symbol, offset) or f"`{symbol}`{f' + {offset:#x}' if offset else ''}"
    declared = f"{symbol}+{offset}"
    entry = Entry(barrier, declared, name, value, _guard(analysis, op), stretch, place=op.span, source=op.origin)
    (ledger.expect if expects else ledger.bring)(entry)


def _guard(analysis: Analysis, op: Op) -> str:
    """The guard, as far as it is the same wherever it is written the same."""
    if op.guard is None:
        return ""
    once = analysis.uses.only.get(op.guard.name, -1) >= 0
    return str(op.guard) if once else f"{op.guard} of {op.span}"
