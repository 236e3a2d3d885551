"""README and the page of the command line have every command and every option, and no document names one that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.command_line import PATH, README, commands, options, text

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = commands()
PAGES = [ROOT / README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_CALL = re.compile(r"(?:^|[`$(|]\s*|&& )ptxlab ((?:[^`\n\\]|\\\n)+)", re.MULTILINE)
"""A call: at the beginning of a line or of code, up to its end; lines may be joined by backslashes."""


def test_the_page_is_fresh() -> None:
    page = (ROOT / PATH).read_text(encoding="utf-8")
    assert page == text(page), "run python -m tools.generate"


def test_the_page_has_every_command() -> None:
    page = (ROOT / PATH).read_text(encoding="utf-8")
    assert re.findall(r"(?m)^### `ptxlab ((?:[a-z-]+ ?)+)", page) != []
    lacking = [name for name in COMMANDS if not re.search(rf"(?m)^### `ptxlab {name}[ `]", page)]
    assert not lacking, f"run python -m tools.generate: {PATH} lacks {lacking}"


def test_the_readme_lists_every_command() -> None:
    rows = re.findall(r"(?m)^\| (`ptxlab .*?) \|", (ROOT / README).read_text(encoding="utf-8"))
    listed: list[str] = []
    for row in rows:
        first, *others = re.findall(r"`([^`]+)`", row)
        words = re.match(r"ptxlab ((?:[a-z-]+ ?)+)", first)
        assert words is not None, row
        name = words[1].strip()
        listed += [name, *(f"{name.split()[0]} {other}" for other in others)]
    lacking, unknown = sorted(set(COMMANDS) - set(listed)), sorted(set(listed) - set(COMMANDS))
    assert not lacking, f"enter {lacking} in the table «Commands» of README.md"
    assert not unknown, f"the table «Commands» of README.md names {unknown}, which there are not"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_takes(name: str) -> None:
    for p in COMMANDS[name].params:
        assert p.help, f"give {p.opts[0]} of `ptxlab {name}` a help="
        assert p.metavar or getattr(p, "is_flag", False), f"give {p.opts[0]} of `ptxlab {name}` a metavar=, such as FILE or N"


def test_an_argument_without_a_metavar_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    command = COMMANDS["fmt"]
    monkeypatch.setattr(command.params[0], "metavar", None)
    monkeypatch.setattr("tools.command_line.commands", lambda: {"fmt": command})
    assert "### `ptxlab fmt FILES`" in text((ROOT / PATH).read_text(encoding="utf-8"))


def called(page: str) -> Iterator[tuple[str, set[str]]]:
    """(command, options) of each call of a page."""
    for found in _CALL.finditer(page):
        words = re.split(r"\s*(?:\||&&|#|;)\s", found[1].replace("\\\n", " ") + "\n")[0].split() or [""]
        name = next((n for n in (" ".join(words[:2]), words[0]) if n in COMMANDS), words[0])
        yield name, {word.split("=")[0].rstrip(".,:)") for word in words if re.match(r"--?[a-z]", word)}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_documents_name_options_that_there_are(page: Path) -> None:
    wrong = [
        f"ptxlab {name} {option}"
        for name, taken in called(page.read_text(encoding="utf-8"))
        if name in COMMANDS
        for option in sorted(taken - options(COMMANDS[name]))
    ]
    assert wrong == [], "no such options"


def test_calls_are_seen() -> None:
    page = "`ptxlab run k.ptx --grid 4` and\n\nptxlab bench sim --full | tee x --no\nnvcc -o - a.cu | ptxlab check - --nope\n"
    assert list(called(page)) == [("run", {"--grid"}), ("bench sim", {"--full"}), ("check", {"--nope"})]
