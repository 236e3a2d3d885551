"""The tests of examples/litmus: their verdicts are stated in `tools.corpus`, and the model has to give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.memory_model import parse
from ptxlab.memory_model.decision import decide
from tools.corpus import FOLDER, corpus, index, written

TESTS = list(corpus())


@pytest.mark.parametrize("folder", sorted({t.folder for t in TESTS}))
def test_the_model_gives_the_stated_verdicts(folder: str) -> None:
    for test in (t for t in TESTS if t.folder == folder):
        verdict = decide(parse(written(test), test.name))
        assert verdict.holds == test.allowed, f"stated {test.allowed}: {test.why}\n{verdict}"


def test_the_files_are_what_the_tool_writes() -> None:
    wanted = {FOLDER / t.folder / f"{t.name}.litmus": written(t) for t in TESTS}
    found = {p: p.read_text(encoding="utf-8") for p in Path(FOLDER).rglob("*.litmus")}
    assert found == wanted, (
        "run python -m tools.corpus --write; pairs of rules and async are listed in their sections.toml"
    )
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == index()
    assert len(TESTS) >= 250
