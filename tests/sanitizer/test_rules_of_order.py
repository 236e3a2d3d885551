"""The memory model, the sanitizer's judge and its native filter, held to the rules of order.

`order_programs` makes programs of the rows of `ptxlab.isa.order`. The model, the sanitizer to the letter, the sanitizer as users
have it, and the same without its native filter each have to find a race of the two accesses exactly where no rows order them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path

import pytest

import ptxlab as px
import ptxlab.isa.rows
from ptxlab.diag import Diagnostic
from ptxlab.diag.causes import with_alike
from ptxlab.isa.form import FORMS
from ptxlab.isa.order import CARRIERS, GIVES, NO_ORDER, PROXY_FENCES, TAKES, signature
from ptxlab.memory_model import kernel
from ptxlab.memory_model.emit import Emitted
from ptxlab.sim.engine.machine import schedule
from ptxlab.sim.order.shadow import Region
from ptxlab.sim.order.sites import NO_COPIES
from tools.agreement import RACES, SCHEDULES, Pair, pair_of, to_the_letter

from .order_programs import (
    BETWEEN_THREADS,
    OF_THREADS,
    Case,
    between_proxies,
    between_threads,
    from_operations,
    initializations,
)

ROOT = Path(__file__).parents[2]
CASES = [*between_threads(), *from_operations(), *between_proxies(), *initializations()]
PARTS = 16
ROWS = (*GIVES, *TAKES, *PROXY_FENCES)
HANGS = ("PTX9100", "PTX9101")
"""A poll with the scope of the CTA may never see what another SM writes: then the run says nothing of order."""
ELSEWHERE = {"warp", "fence.sc", "wgmma-group", "program", "launch"}
"""Carriers of which no programs are made here: tests that their rows name show them."""


@contextmanager
def without_native_filter() -> Iterator[None]:
    """Python judges every access."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ptxlab.sim.order.sites._kept", OrderedDict())
        patched.setattr("ptxlab.sim.order.sites._Maker._alone", lambda self, op: None)
        patched.setattr("ptxlab.sim.order.sites.has_plain_phases", lambda ops: False)
        patched.setattr("ptxlab.sim.order.sites.copies_of", lambda ops, handlers, **more: NO_COPIES)
        patched.setattr(Region, "tile", lambda self, starts, nbytes: None)
        yield


WAYS = {"to the letter": to_the_letter, "as users have it": nullcontext, "without native code": without_native_filter}


def races(made: Emitted, pair: Pair, order: str) -> bool | None:
    """Whether a run finds a race of two instructions; None where it hangs."""
    module = px.parse(made.text, "k.ptx")
    try:
        found = px.simulate(
            module["litmus"], **made.shape, args=[], lints=False, schedule=order, seed=1, sanitize=True
        ).findings
    except Diagnostic as stop:
        if stop.code not in HANGS:
            raise
        return None
    places = ((d.span, d.other) for d in with_alike(found) if d.code in RACES)
    return any(
        {made.steps.get(a.line), made.steps.get(b.line)} == pair for a, b in places if a is not None and b is not None
    )


def differs(case: Case, number: int) -> Iterator[str]:
    """Who says otherwise than the rows. Each way takes another schedule."""
    verdict = px.litmus(case.text, all_races=True, hang=False)
    steps = (
        (f"P{n}", [s.text for s in verdict.program.threads[n].steps].index(text))
        for n, text in (case.first, case.second)
    )
    pair = frozenset(steps)
    if case.ordered == any(pair_of(key) == pair for r in verdict.racing.values() for key in r.some):
        yield "the model"
    made = kernel(verdict.program)
    for i, (way, context) in enumerate(WAYS.items()):
        order = SCHEDULES[(number + i) % len(SCHEDULES)]
        ordered = case.ordered or (case.kinder and way != "to the letter")
        with context():
            if races(made, pair, order) == ordered:
                yield f"the sanitizer, {way}, {order}"


@pytest.mark.parametrize("part", range(PARTS))
def test_the_model_and_the_sanitizer_say_what_the_rows_say(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "FIRST_LOOK", 1000)  # programs of ten instructions: one that polls longer hangs
    wrong: list[str] = []
    for number, case in enumerate(CASES):
        if number % PARTS == part:
            said = "ordered" if case.ordered else "not ordered"
            wrong += [f"{case.name}: {said}; otherwise: {who}\n{case.text}" for who in differs(case, number)]
    assert wrong == [], "\n".join(wrong)


def test_programs_are_ordered_and_are_not() -> None:
    """Each giver and taker that hands on something does so in one program at least, and fails to in another."""
    for row in (*GIVES, *TAKES):
        if row.by in BETWEEN_THREADS and row.lines and getattr(row, "hands", getattr(row, "gets", "")) == "all":
            mine = [c.ordered for c in CASES if row.name in c.rows]
            assert True in mine, row.name
            assert False in mine or row.by in ("barrier", "cluster"), row.name


def test_every_carrier_has_programs_or_tests() -> None:
    assert {*BETWEEN_THREADS, *OF_THREADS, *ELSEWHERE} == set(CARRIERS), (
        "make programs of a new carrier in tests/sanitizer/order_programs.py, or name it in ELSEWHERE"
    )
    for carrier in ELSEWHERE:
        assert any(row.shown for row in (*GIVES, *TAKES) if row.by == carrier), f"{carrier}: name a test in `shown`"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_shows_a_row_is_there(row: object) -> None:
    for name in getattr(row, "shown", ()):
        litmus = ROOT / "examples" / "litmus" / f"{name}+allowed.litmus"
        assert litmus.exists() or (ROOT / name).exists(), name


def test_every_instruction_that_orders_has_a_row() -> None:
    named = {*chain.from_iterable(row.effects for row in ROWS), *NO_ORDER}
    there: set[str] = set()
    for form in FORMS.values():
        if form.unsimulated is None:
            mine = signature(form.effect)
            there |= mine
            assert mine <= named, f"{form.key}: say in src/ptxlab/isa/order.py what {', '.join(mine - named)} hands on"
    assert {name for name in named if not name.startswith("Access ")} <= there
