"""Bytes that mbarriers expect, held against the bytes that copies bring.

Each expectation opens an account of its barrier, which the copies behind it in the same stretch of straight code fill. What
cannot be known (registers, multicasts, barriers of other CTAs, copies that stand elsewhere) leaves the whole barrier alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ptxlab.diag import Diagnostic, Span


@dataclass(frozen=True, slots=True)
class Entry:
    """An expectation, or a copy.

    Attributes:
        barrier: which one, as the instruction names it. declared: the declaration that it belongs to.
        nbytes: None where the number is known on the device alone. guard: the predicate under which it is executed.
        stretch: number of the stretch of straight code that it stands in. place: the line.
    """

    barrier: str
    declared: str
    nbytes: int | None
    guard: str
    stretch: int
    place: Span


@dataclass(slots=True)
class _Account:
    first: Entry
    expected: int = 0
    brought: int = 0
    copies: list[Entry] = field(default_factory=list[Entry])

    @property
    def stretch(self) -> int:
        return self.first.stretch


class Ledger:
    """The accounts of a kernel."""

    def __init__(self) -> None:
        self._open: dict[str, _Account] = {}
        self._all: list[_Account] = []
        self._vague: set[str] = set()
        self._lost = False

    def expect(self, entry: Entry) -> None:
        """Bytes are expected."""
        account = self._account(entry)
        if account is None:
            account = self._open[entry.barrier] = _Account(entry)
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

    def _account(self, entry: Entry) -> _Account | None:
        found = self._open.get(entry.barrier)
        return found if found is not None and found.stretch == entry.stretch else None

    def _known(self, entry: Entry, account: _Account) -> int:
        if entry.nbytes is None or entry.guard != account.first.guard:
            self._vague.add(entry.declared)
        return entry.nbytes or 0

    def wrong(self) -> Iterator[Diagnostic]:
        """Accounts that do not balance."""
        if self._lost:
            return
        vague = self._vague | {a.first.declared for a in self._all if not a.copies}
        for a in self._all:
            if a.expected == a.brought or a.first.declared in vague:
                continue
            lines = ", ".join(dict.fromkeys(str(c.place) for c in a.copies))
            after = (
                "the wait would never end"
                if a.expected > a.brought
                else "the phase would end before all of them are there"
            )
            yield Diagnostic(
                "PTX2217",
                f"`{a.first.declared}` expects {a.expected} bytes, but the copies at {lines} bring {a.brought}: {after}",
                help=f"expect {a.brought} bytes, e.g. the sum of the tiles' nbytes",
                origin=a.first.place,
                isa="mbarrier.expect_tx",
            )
