"""`ptxlab litmus`: one test and several, pictures, runs, and what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ptxlab.cli import app
from ptxlab.memory_model.examples import EXAMPLES, RULES

PAIR = EXAMPLES["causality"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.litmus").write_text(PAIR.allowed)
    (tmp_path / "b.litmus").write_text(PAIR.forbidden)
    return tmp_path


def _call(*words: object, input: str | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["litmus", *map(str, words)], input=input)
    return done.exit_code, done.output


def test_one_test_is_told_whole_and_several_in_a_line_each(folder: Path) -> None:
    status, text = _call(folder / "b.litmus")
    assert status == 0
    assert "forbidden by the axiom causality" in text
    status, text = _call(folder)
    assert status == 0
    assert [line.split(":")[2].strip() for line in text.splitlines()] == ["allowed", "forbidden"]
    assert [line.split(":")[0] for line in text.splitlines()] == [str(folder / "a.litmus"), str(folder / "b.litmus")]
    assert all(line.endswith("data race") for line in text.splitlines())
    assert _call("--full", folder)[1].count("hangs: never") == 2


def test_standard_input() -> None:
    assert "forbidden" in _call("-", input=PAIR.forbidden)[1]


def test_a_picture(folder: Path) -> None:
    status, _ = _call(folder / "b.litmus", "--svg", folder / "b.svg")
    assert status == 0
    assert (folder / "b.svg").read_text().startswith("<svg")
    assert _call(folder, "--svg", folder / "c.svg")[0] == 2


def test_a_run_counts_outcomes(folder: Path) -> None:
    status, text = _call(folder / "b.litmus", "--run", "sim", "--times", 30)
    assert status == 0
    assert "30 times on the simulator" in text
    assert _call(folder / "b.litmus", "--run", "moon")[0] == 2


def test_what_cannot_run_is_said_and_is_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "grids.litmus"
    file.write_text(RULES["griddepcontrol"].forbidden)
    status, text = _call(file, "--run", "sim", "--times", 4)
    assert status == 0
    assert "it has several grids" in text


def test_all_races(tmp_path: Path) -> None:
    file = tmp_path / "two.litmus"
    file.write_text(
        "PTX two\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
        " st.weak x, 1 | ld.weak r0, x ;\n st.weak y, 1 | ld.weak r1, y ;\n"
    )
    assert _call(file)[1].count("data race:") == 1
    assert _call(file, "--all-races")[1].count("data race:") == 2


def test_a_wrong_test_does_not_stop_the_others(folder: Path) -> None:
    (folder / "a.litmus").write_text("PTX wrong\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n frob x ;\n")
    status, text = _call(folder)
    assert status == 1
    assert "forbidden" in text
    empty = folder / "empty"
    empty.mkdir()
    assert _call(empty)[0] == 1


def test_json(folder: Path) -> None:
    status, text = _call("--format", "json", folder)
    assert status == 0
    allowed, forbidden = map(json.loads, text.splitlines())
    assert allowed["file"] == str(folder / "a.litmus")
    assert (allowed["holds"], allowed["reachable"], forbidden["holds"], forbidden["reachable"]) == (
        True,
        True,
        False,
        False,
    )
    assert (allowed["quantifier"], allowed["unknown"], allowed["hangs"]) == ("exists", [], [])
    assert allowed["races"]
    assert allowed["condition"]
    assert len(allowed["outcomes"]) > len(forbidden["outcomes"])
    assert _call("--format", "json", "--run", "sim", folder)[0] == 2
    assert _call("--format", "xml", folder)[0] == 2


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    status, text = _call(tmp_path / "no.litmus")
    assert status == 1
    assert "no.litmus cannot be read" in text
    assert "-->" not in text
