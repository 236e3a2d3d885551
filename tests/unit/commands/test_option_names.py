"""Names of options, in whatever version of typer."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest
import typer
from typer.models import OptionInfo

import ptxlab.commands
from ptxlab.commands.command import Command, add, new_app

MODULES = sorted(p.stem for p in Path(ptxlab.commands.__file__).parent.glob("[a-z]*.py"))


def commands() -> dict[str, Command]:
    """All commands, by their words."""
    found: dict[str, Command] = {}
    for name in MODULES:
        module = import_module(f"ptxlab.commands.{name}")
        several = getattr(module, "COMMANDS", {})
        found |= {f"{name} {word}": one for word, one in several.items()}
        if hasattr(module, "COMMAND"):
            found[name] = module.COMMAND
    return found


@pytest.mark.parametrize("name", commands())
def test_options_have_the_names_of_their_fields(name: str) -> None:
    command, app = commands()[name], new_app(name="x")
    add(app, "x", command)
    parsed = {p.name: p.opts for p in typer.main.get_command(app).params}
    for field, hint in get_type_hints(command.options, include_extras=True).items():
        for info in getattr(hint, "__metadata__", ()):
            if isinstance(info, OptionInfo):
                word = field.rstrip("_").replace("_", "-")
                declared = isinstance(info.default, str) and info.default.startswith("--")
                assert declared or parsed[field][0] == f"--{word}"
                assert declared or info.metavar != word.upper(), f"typer 0.27 calls --{word} by its metavar: declare it"
