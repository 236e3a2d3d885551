"""Every public name has a place in the reference of the language, is described, and has an example that runs.

A new public name fails here until it is documented; `CONTRIBUTING.md` says how ("Adding a word to the language").
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ptxlab as px
import ptxlab.kernels
from ptxlab.isa.sregs import SREGS, word_of
from ptxlab.kernels.blocks.epilogue import Epilogue
from ptxlab.lang.builder import CONSTRUCTS
from ptxlab.reference.language.example import complete
from ptxlab.reference.language.glossary import GLOSSARY
from ptxlab.reference.language.names import Name, attribute_docs, fields, names
from ptxlab.reference.language.places import OF_KERNELS, PAGES, SERVING, SERVING_KERNELS
from tools.reference import language as pages
from tools.reference.glance import GLANCE

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "language"
RUN = {page.slug for page in PAGES}
ALL = names()


def _run(program: str, shown: str, folder: Path) -> tuple[list[str], dict[str, object]]:
    """What a program prints, a line an entry, and its names. It lies in a file, so that kernels have source lines."""
    file = folder / f"{re.sub(r'[^A-Za-z0-9]', '_', shown)}.py"
    file.write_text(program, encoding="utf-8")
    if "def test_" in program:
        return [], {}  # `_tested` runs them together
    space: dict[str, object] = {"__name__": "__example__"}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, str(file), "exec"), space)
    return out.getvalue().splitlines(), space


def _tested(files: list[Path]) -> str:
    """What pytest says of files with tests, where they fail."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "ptxlab.testing.plugin",
        *map(str, files),
    ]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    return done.stdout.decode() if done.returncode else ""


def _lacks(name: Name) -> str:
    """What a name lacks for a newcomer; "" for nothing."""
    if not name.doc.text:
        return "has no docstring"
    if not name.example:
        where = f" and that of {name.owner.shown} does not use it" if name.owner is not None else ""
        return f"has no `Example:` in its docstring{where}"
    undescribed = (
        set(fields(name.value)) - {n for n, _ in name.doc.named()} if inspect.isclass(name.value) else set[str]()
    )
    return f"does not describe {', '.join(sorted(undescribed))} under `Attributes:`" if undescribed else ""


def test_public_names_of_the_kernels_have_a_place() -> None:
    listed = {id(name.value) for name in ALL}
    found: list[str] = []
    for module in pkgutil.walk_packages(ptxlab.kernels.__path__, "ptxlab.kernels."):
        if module.name in OF_KERNELS:
            continue
        space = vars(importlib.import_module(module.name))
        own = {w for w, v in space.items() if not w.startswith("_") and getattr(v, "__module__", "") == module.name}
        own |= {w for w in attribute_docs(module.name) if isinstance(space[w], Epilogue)}
        where = module.name.removeprefix("ptxlab.kernels.")
        shown = {f"{where}.{w}" for w in own if callable(space[w]) and id(space[w]) not in listed}
        found += sorted(shown - SERVING_KERNELS)
    assert found == []


def test_pages_are_up_to_date() -> None:
    made = pages.pages()
    stale = [
        n for n, text in made.items() if not (FOLDER / n).exists() or (FOLDER / n).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run python -m tools.generate"
    assert {p.name for p in FOLDER.glob("*.md")} == made.keys()


def test_every_public_name_has_a_place() -> None:
    registers = set(map(word_of, SREGS))
    wanted = {f"px.{word}" for word in px.__all__} | {f"k.{word}" for word in CONSTRUCTS if word not in registers}
    missing = sorted(wanted - {name.shown for name in ALL})
    assert missing == [], "enter them in src/ptxlab/reference/language/places.py"
    assert len({name.shown for name in ALL}) == len(ALL)


def test_every_public_name_is_described_and_has_an_example() -> None:
    lacking = [f"{name.shown} {why}" for name in ALL if (why := _lacks(name))]
    assert lacking == []


def test_what_is_left_out_exists() -> None:
    """Members that serve ptxlab itself are members of something."""
    classes = {base for name in ALL if inspect.isclass(name.value) for base in name.value.__mro__}
    found = {f"{c.__name__}.{word}" for c in classes for word in (*vars(c), *getattr(c, "__annotations__", ()))}
    assert sorted(SERVING - found) == []


@pytest.mark.parametrize("slug", sorted(RUN))
def test_examples_print_what_they_say(slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    wrong: list[str] = []
    for name in ALL:
        if name.page.slug != slug or not name.doc.example:
            continue
        example = complete(name.doc.example)
        if any(f"import {x}" in example.program and importlib.util.find_spec(x) is None for x in ("triton", "torch")):
            continue  # CI has it
        try:
            printed, space = _run(example.program, name.shown, tmp_path)
        except Exception as failure:
            wrong.append(f"{name.shown}: {type(failure).__name__}: {failure}")
            continue
        if printed != list(example.printed) and example.printed:
            wrong.append(f"{name.shown}: says {list(example.printed)}, prints {printed}")
        kernel = space.get("example")
        text = kernel.ptx if isinstance(kernel, px.Kernel) else ""
        wrong += [f"{name.shown}: writes no {op}" for op in name.doc.opcodes if text and not _writes(text, op)]
    tests = [file for file in tmp_path.glob("*.py") if "def test_" in file.read_text(encoding="utf-8")]
    if tests and (said := _tested(tests)):
        wrong.append(said)
    assert wrong == []


def _writes(text: str, opcode: str) -> bool:
    """Whether PTX has an instruction; between the words of its name may stand modifiers."""
    return re.search(r"\.(?:\S+\.)?".join(map(re.escape, opcode.split("."))), text) is not None


def test_lines_of_the_table_run(tmp_path: Path) -> None:
    wrong: list[str] = []
    for number, entry in enumerate(GLANCE):
        for word in entry.words.split():
            if pages.linked_word(word).startswith("`"):
                wrong.append(f"{entry.what}: {word} leads nowhere")
        if "…" in "".join(entry.shown) or not re.search(r"\bk\.|v |tile|bar", entry.body.split("\n", 2)[2]):
            continue
        try:
            _run(complete(entry.body).program, f"line_{number}", tmp_path)
        except Exception as failure:
            wrong.append(f"{entry.what}: {failure}")
    assert wrong == []


def test_a_name_without_an_example_is_told() -> None:
    class Wanting:
        """A class that says nothing of its attribute."""

        __slots__ = ("other",)

        def word(self) -> None:
            """Described, without an example."""

    page = PAGES[0]
    from ptxlab.reference.language.docstring import parse

    owner = Name("Wanting", Wanting, page, doc=parse(Wanting))
    assert _lacks(owner).startswith("has no `Example:`")
    assert "that of Wanting does not use it" in _lacks(
        Name("Wanting.word", Wanting.word, page, owner, parse(Wanting.word))
    )
    assert _lacks(Name("nothing", print, page)) == "has no docstring"
    text = inspect.cleandoc(Wanting.__doc__ or "") + "\n\nExample:\n    1\n"
    Wanting.__doc__ = text
    Wanting.__module__ = "ptxlab.there"
    assert _lacks(Name("Wanting", Wanting, page, doc=parse(Wanting))) == "does not describe other under `Attributes:`"


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("else_", "k.else_"),
        ("k.if_", "with k.if_("),
        ("Ring", "Ring.produce"),
        ("Tile.remote", "mapa"),
        ("remote", "Tile.remote"),
        ("threads=", "px.kernel"),
        ("pred=", "Opcode"),
        ("simulate", "sanitize"),
        ("poll", GLOSSARY["poll"][:40]),
        ("mbarrier", "k.mbarrier(count"),
    ],
)
def test_explain_knows_the_words(what: str, said: str) -> None:
    assert said in px.explain(what)


@pytest.mark.parametrize(
    ("what", "meant"), [("els_", "else_"), ("Rng", "Ring"), ("simulat", "simulate"), ("k.whil", "while_")]
)
def test_explain_says_what_was_meant(what: str, meant: str) -> None:
    with pytest.raises(px.Diagnostic) as wrong:
        px.explain(what)
    assert meant in (wrong.value.help or "")


def test_every_name_can_be_explained() -> None:
    for name in ALL:
        assert name.doc.summary[:40] in " ".join(px.explain(name.shown).split())
