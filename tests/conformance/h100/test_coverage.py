"""Every row and every value of its modifiers has a case in the record of a Hopper, or stands in one list with its reason."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from ptxlab.conformance.runner.suites import KERNELS
from tools import coverage
from tools.coverage import LACKING, LEAST, UNCONFIRMED, WAITING, Seen

FOLDERS = (Path(__file__).parent, Path(__file__).parents[1] / "h200")


@pytest.fixture(scope="module")
def recorded() -> Seen:
    return coverage.recorded(*FOLDERS)


@pytest.fixture(scope="module")
def left() -> list[str]:
    """What no generator has."""
    return coverage.lacking(coverage.generated())


def test_what_no_kernel_tries_has_its_reason(left: list[str]) -> None:
    assert [what for what in left if coverage.reason(what) is None] == []


def test_every_reason_is_needed(left: list[str]) -> None:
    assert [p for p in LACKING if not any(fnmatchcase(what, p) for what in left)] == []


def test_what_no_record_holds_waits_for_the_next_one(recorded: Seen, left: list[str]) -> None:
    """A row that is recorded by now leaves the list."""
    rows = {what.partition(" ")[0] for what in set(coverage.lacking(recorded)) - set(left)}
    assert coverage.unproven((), rows) == sorted(WAITING), coverage.WHAT_TO_DO


def test_what_the_record_has_is_still_generated(recorded: Seen) -> None:
    generated = coverage.generated()
    assert set(recorded) <= set(generated)
    assert all(found <= generated[row] for row, found in recorded.items())


def test_every_file_has_enough_cases() -> None:
    counted = coverage.recorded_cases(*FOLDERS)
    assert {f: n for f, n in counted.items() if n < LEAST and f != KERNELS and f not in UNCONFIRMED} == {}
