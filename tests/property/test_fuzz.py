"""Mutations of real text do no harm; `python -m tools.fuzz` tries as many as one likes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from test_ptx_roundtrip import BODIES, HEAD, kernel

from ptxlab.kernels import copies
from tools import fuzz

RECORD = Path(__file__).resolve().parents[2] / "benchmarks" / "records" / "fuzz.jsonl"
SOURCES = [
    *(k.ptx for k in (copies.tma_1d, copies.tma_2d, *copies.LINEAR.values())),
    kernel("\n".join(b for name, b in BODIES.items() if name not in ("calls", "labels", "branch targets"))),
]


@pytest.mark.parametrize("seed", range(4))
def test_mutations_do_no_harm(seed: int) -> None:
    found = fuzz.run(SOURCES, 150, seed)
    assert found.harm == []
    assert found.tried == 150
    assert 0 < found.clean < 150
    assert len(found.codes) > 5


def test_mutations_are_the_same_for_the_same_seed() -> None:
    made = [
        [fuzz.mutated(SOURCES[0], SOURCES, dice) for _ in range(50)] for dice in (random.Random(1), random.Random(1))
    ]
    assert made[0] == made[1]
    assert len(set(made[0])) > 40


def test_harm_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What must not be is reported: an exception, another text, another tree."""
    for name, broken in (
        ("check", lambda module: 1 / 0),
        ("text", lambda module: "other"),
        ("formatted", lambda module: HEAD),
        ("to_python", lambda module: "m = ''"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(fuzz, name, broken)
            found = fuzz.Outcome(clean=3)
            fuzz.judge(SOURCES[0], found)
            assert len(found.harm) == 1, name


def test_the_recorded_run() -> None:
    last = json.loads(RECORD.read_text().splitlines()[-1])
    assert last["mutations"] >= 100_000
    assert last["harmful"] == 0


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, record = tmp_path / "k.ptx", tmp_path / "fuzz.jsonl"
    file.write_text(SOURCES[0])
    assert fuzz.main([str(file), "--count", "20", "--record", str(record)]) == 0
    assert capsys.readouterr().out.startswith("20 mutations, 0 do harm, ")
    assert json.loads(record.read_text())["mutations"] == 20
