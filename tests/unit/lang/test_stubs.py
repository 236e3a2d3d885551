"""The typed view of the instructions is what the rows say, and it fits the kernels."""

from __future__ import annotations

import ast
import keyword
import re
from functools import cache
from pathlib import Path

import pytest

from ptxlab.isa.form import BY_ROOT, FORMS
from ptxlab.isa.match import attribute_of, part_of
from ptxlab.isa.sregs import SREGS
from ptxlab.lang.builder import CONSTRUCTS, Builder
from ptxlab.lang.kernel import KernelFunction
from tools import instruction_stub as stubs


def test_up_to_date() -> None:
    found = stubs.PATH.read_text(encoding="utf-8") if stubs.PATH.exists() else ""
    assert found == stubs.text(), "run python -m tools.instruction_stub: it writes what editors and pyright read"


def test_it_is_python() -> None:
    ast.parse(stubs.text())


def test_parts_and_attributes() -> None:
    parts = {v for row in FORMS.values() for slot in row.slots for v in slot.values}
    assert parts >= {"2d", "shared::cta", "async", "global", "L2::128B", "ca"}
    for part in parts:
        name = attribute_of(part)
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert part_of(name) == part


def test_no_instruction_hides_behind_a_declaration() -> None:
    taken = {n for n in dir(Builder) if not n.startswith("_")}
    words = {attribute_of(w) for w in BY_ROOT} | {n[1:].split(".")[0] for n in SREGS}
    assert not taken & words


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("cp.async.commit_group", "def __call__(self, *, pred: _Guard = ...) -> None:"),
        (
            "elect.sync",
            "def __call__(self, membermask: _Value, *, d: _Result = ..., p: _Result = ..., pred: _Guard = ...)",
        ),
        ("mbarrier.init.b64", "def __call__(self, mbar: _Place, count: _Value, *, pred: _Guard = ...) -> None:"),
    ],
)
def test_signatures(opcode: str, expected: str) -> None:
    name = "_call_" + opcode.replace(".", "_")
    body = stubs.text().partition(f"class {name}:")[2].partition("\nclass ")[0]
    assert expected in body


@cache
def _classes() -> dict[str, dict[str, str]]:
    """What the stub's classes have, by their names, and of which class it is."""
    out: dict[str, dict[str, str]] = {}
    for node in ast.parse(stubs.text()).body:
        if isinstance(node, ast.ClassDef):
            has = out[node.name] = {}
            for n in node.body:
                if isinstance(n, ast.AnnAssign):
                    has[ast.unparse(n.target)] = ast.unparse(n.annotation)
                elif isinstance(n, ast.FunctionDef):
                    has[n.name] = ""
    return out


def _builder() -> Builder:
    return Builder(KernelFunction(lambda k: None, threads=32).options)


def test_completion_shows_what_users_call() -> None:
    """Instructions and special registers as the stub has them, constructs; each exists, and nothing internal is among them."""
    k, typed = _builder(), set(_classes()["Instructions"]) - {"emit", "constructs"}
    constructs = set(CONSTRUCTS) - typed
    assert set(dir(k)) == typed | constructs
    for name in constructs:
        assert getattr(Builder, name).__doc__, name
    assert not {n for n in dir(k) if n.startswith("_") or n in ("emit", "items", "special", "close", "finish", "here")}


def test_completion_of_opcodes() -> None:
    k, classes = _builder(), _classes()
    for path in (
        "ld",
        "ld.global_",
        "ld.shared.v4",
        "cp.async_",
        "wgmma.mma_async.sync.aligned",
        "mbarrier",
        "elect",
        "mma.sync",
    ):
        opcode, shown = k, "Instructions"
        for name in path.split("."):
            assert name in dir(opcode)
            opcode, shown = getattr(opcode, name), classes[shown][name]
        assert set(dir(opcode)) == {n for n in classes[shown] if not n.startswith("__")}
    assert [n for n in dir(k) if re.fullmatch(r"(envreg|pm)(\d|_|$)\w*", n)] == ["envreg", "pm", "pm_64"]
    assert (len(k.envreg), len(k.pm), len(k.pm_64)) == (32, 8, 8)
    assert dir(k.tid) == ["x", "y", "z"]
    assert {"b32", "f32"} <= set(dir(k.ld.shared.v4))


def test_completion_has_what_documents_and_kernels_use() -> None:
    """Whatever the documents, examples and shipped kernels call on `k` is shown."""
    root = Path(__file__).parents[3]
    texts = [
        *root.glob("docs/**/*.md"),
        *root.glob("examples/*.py"),
        *root.glob("src/ptxlab/kernels/**/*.py"),
        root / "README.md",
    ]
    shown = set(dir(_builder()))
    # written out in full, a module's `k` is another builder
    full = {"reg", "declare", "label", "loc", "block", "begin", "end", "instruction"}
    used = {
        (name, path.name) for path in texts for name in re.findall(r"(?<![\w.])k\.([a-z]\w*)", path.read_text("utf-8"))
    }
    assert {u for u in used if u[0] not in shown | full} == set()
