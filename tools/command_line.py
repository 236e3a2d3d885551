"""The commands and their options on the page of the command line: `python -m tools.generate` writes them from the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ptxlab import cli
from tools import markdown

PATH: Final = Path("docs/reference/command-line.md")
README: Final = Path("README.md")


def commands() -> dict[str, Any]:
    """All commands by what is typed behind `ptxlab`, such as `bench sim`."""
    found: dict[str, Any] = {}
    for name in cli.COMMANDS:
        command = cli.loaded(name)
        within = getattr(command, "commands", None)
        found |= {name: command} if within is None else {f"{name} {word}": one for word, one in within.items()}
    return found


def options(command: Any) -> set[str]:
    """All that a command takes that begins with a dash."""
    return {word for p in command.params for word in (*p.opts, *p.secondary_opts) if word.startswith("-")} | {"--help", "-h"}


def text(page: str) -> str:
    """The page with its commands as they should be."""
    made = "\n\n".join(_section(name, command) for name, command in commands().items())
    return markdown.filled(page, "commands", lambda _: made)


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if not _dashed(p)]
    usage = " ".join(("ptxlab", name, *(_shown(p) if p.required else f"[{_shown(p)}]" for p in arguments)))
    parts = [f"### `{usage}`", (command.help or "").strip()]
    if command.params:
        parts.append("\n".join(markdown.table(("", "", "default"), _rows(command))))
    return "\n\n".join(parts)


def _rows(command: Any) -> Iterator[tuple[str, str, str]]:
    for p in command.params:
        names = ", ".join(p.opts) if _dashed(p) else _shown(p)
        value = f" {p.metavar}" if _dashed(p) and p.metavar and not p.is_flag else ""
        other = "".join(f", {word}" for word in p.secondary_opts)
        yield f"`{markdown.cell(names + value + other)}`", markdown.cell(p.help or ""), _default(p)


def _default(p: Any) -> str:
    if p.default is None or p.default == "" or isinstance(p.default, bool) or (not p.is_flag and not _dashed(p)):
        return ""
    return f"`{markdown.cell(str(getattr(p.default, 'value', p.default)))}`"


def _shown(argument: Any) -> str:
    """What stands for an argument: its metavar, or its name until it has one, which tests/docs/test_command_line.py asks for."""
    return argument.metavar or argument.name.upper()


def _dashed(p: Any) -> bool:
    return p.opts[0].startswith("-")
