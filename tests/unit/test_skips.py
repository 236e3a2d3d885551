"""Which skipped tests CI takes: those of a GPU, those that an extra is lacking for where it is said, and no others."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import skips

TESTS = Path(skips.__file__).parent
EXTRA = "there is no nvcc: install the extra `corpus`"


def judged(reason: str, **given: str | None) -> SimpleNamespace:
    """What becomes of the report of a skipped test."""
    option = SimpleNamespace(**{"lacking": None, "lacked": None, **given})
    report: Any = SimpleNamespace(outcome="skipped", longrepr=("f.py", 1, f"Skipped: {reason}"), nodeid="f.py::test[1]")
    skips.judge(SimpleNamespace(option=option), report)  # type: ignore[arg-type]
    return report


def test_users_may_skip_anything() -> None:
    assert judged("it rains").outcome == judged(EXTRA).outcome == "skipped"


@pytest.mark.parametrize("reason", ["it rains", "there is no ptxas: install the extra `ptxas`", "ptxas is 99.1.2"])
def test_what_is_known_to_nobody_fails(reason: str, tmp_path: Path) -> None:
    for option in ("lacking", "lacked"):
        report = judged(reason, **{option: str(tmp_path / "noted")})
        assert report.outcome == "failed"
        assert reason in report.longrepr
    assert not (tmp_path / "noted").exists()


@pytest.mark.parametrize(
    "reason", [EXTRA, "pip install --no-deps nvidia-cutlass", "got empty parameter set for (name)"]
)
def test_what_an_extra_is_lacking_for_is_noted_once_and_fails_later(reason: str, tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    assert judged(reason, lacking=str(noted)).outcome == "skipped"
    assert noted.read_text() == "f.py::test\n"
    assert judged(reason, lacked=str(noted)).outcome == "failed"


def test_files_that_are_not_lacked_and_ask_no_ptxas_are_not_read(tmp_path: Path) -> None:
    lacked = tmp_path / "lacked"
    lacked.write_text("tests/unit/test_dev.py::test_one\n")
    asks = TESTS / "conformance" / "ptxas" / "test_ptxas_rows.py"
    read = [
        path
        for path in (TESTS / "unit" / "test_dev.py", asks, TESTS / "docs" / "test_site.py")
        if not skips.is_left_out(path, lacked)
    ]
    assert read == [TESTS / "unit" / "test_dev.py", asks]


def test_what_no_environment_brings_is_skipped_everywhere() -> None:
    assert judged("the processor has no AVX-512", lacked="noted").outcome == "skipped"


def test_every_reason_that_is_allowed_is_given_by_a_test() -> None:
    texts = "\n".join(p.read_text(encoding="utf-8") for p in (TESTS / "unit").rglob("test_*.py") if p != Path(__file__))
    assert [reason for reason in skips.ALLOWED.pattern.split("|") if reason not in texts] == []
