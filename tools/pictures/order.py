"""Happens-before graphs of findings, as the runs of their pages' kernels have it: the faulty kernel, and below it its repair."""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import Any, Final

from ptxlab.diag import HappensBefore
from tools.blocks import blocks, changed

PAGES_OF: Final = Path(__file__).resolve().parents[2] / "docs" / "findings"
CODES: Final = (
    "PTX9133",
    "PTX9200",
    "PTX9201",
    "PTX9202",
    "PTX9203",
    "PTX9210",
    "PTX9211",
    "PTX9213",
    "PTX9214",
    "PTX9215",
    "PTX9221",
    "PTX9234",
    "PTX9250",
)
"""Findings whose pages show a graph."""


def runs(code: str) -> tuple[Any, Any]:
    """The reports of a page's kernel, as it is and repaired."""
    found = blocks((PAGES_OF / f"{code}.md").read_text(encoding="utf-8"))
    faulty = next(b for b in found if b.kind == "python")
    repair = next(b for b in found if b.kind == "diff" and b.name == faulty.name)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            return _run(faulty.name, faulty.text), _run(f"repaired_{faulty.name}", changed(faulty.text, repair.text))
        finally:
            os.chdir(before)


def _run(name: str, text: str) -> Any:
    text = text.replace("sanitize=True", "graphs=True")
    Path(name).write_text(text, encoding="utf-8")
    linecache.checkcache()
    names: dict[str, Any] = {"__name__": "__page__"}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, name, "exec"), names)
    return names["report"]


def graphs(code: str) -> tuple[HappensBefore, HappensBefore]:
    """The graph of a page's finding, and that of the same two accesses in the repaired kernel."""
    faulty, repaired = runs(code)
    graph = next(f for f in faulty.findings if f.code == code).graph()
    same = repaired.order.same(graph)
    assert same is not None, f"{code}: the repaired kernel does not have the two accesses"
    return graph, same


def picture(code: str) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        graph, repaired = graphs(code)
        return graph.save(Path(scratch) / "graph.svg", repaired).read_text(encoding="utf-8")


PICTURES = {f"order-{code}.svg": partial(picture, code) for code in CODES}
