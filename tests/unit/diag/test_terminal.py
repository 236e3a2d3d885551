"""Tables where no terminal says how many columns there are."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from ptxlab.bench import maps
from ptxlab.diag import console
from ptxlab.diag.tables import Table

CELLS = [f"cp.async.bulk.tensor.{n}d.shared::cluster.global.tile" for n in range(4)]


def table() -> Table:
    made = Table(*("instruction" for _ in CELLS), title="Wide")
    made.add_row(*CELLS)
    return made


def piped(monkeypatch: pytest.MonkeyPatch, columns: str | None) -> str:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    with redirect_stdout(io.StringIO()) as out:
        console().print(table())
    return out.getvalue()


def test_a_table_in_a_pipe_is_as_wide_as_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(all(cell in line for cell in CELLS) for line in piped(monkeypatch, None).splitlines())


def test_columns_that_the_user_names_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = piped(monkeypatch, "100").splitlines()
    assert max(map(len, lines)) <= 100 < sum(map(len, CELLS))


def test_a_table_that_is_printed_is_as_wide_as_it_needs() -> None:
    assert any(all(cell in line for cell in CELLS) for line in str(table()).splitlines())


def test_benchmarks_print_to_such_a_console(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(maps, "table", lambda _rows: table())
    monkeypatch.setattr(maps, "measure", lambda _batches: [])
    with redirect_stdout(io.StringIO()) as out:
        maps.main(1, tmp_path / "record.jsonl")
    assert all(cell in out.getvalue() for cell in CELLS)
