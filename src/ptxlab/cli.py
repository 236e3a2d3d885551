"""The command line: assembles the commands, each imported when it is called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from ptxlab import __version__
from ptxlab.commands.command import add, new_app
from ptxlab.commands.shell import prepare_streams, status_of

COMMANDS: Final = {
    "demo": "Run real Hopper kernels, compare their results, and draw what happened.",
    "check": "Parse and validate .ptx files: every finding with its line, the rule and the way out.",
    "fmt": "Print PTX in its canonical form, with its comments.",
    "explain": "Explain a code, an opcode or an instruction: syntax, operands, rules, needs, effect, an example.",
    "run": "Run a kernel of a .ptx file on .npy files. Inputs are never overwritten.",
    "profile": "Predict how long a kernel of a .ptx file takes on a chip, and what it waits for, without one.",
    "verify": "Judge whether a kernel computes what a reference in NumPy computes, on inputs that are drawn anew.",
    "to-python": "Print a .ptx file as a program in the language that writes it again, token for token.",
    "tensormap": "Read, compare, make and draw the 128 bytes of a tensor map.",
    "litmus": "Say what the memory model allows in small programs: outcomes, data races, hangs, and why.",
    "bench": "Measure: gemm and launch on a GPU, sim, check and tensormap anywhere.",
    "tune": "Measure which tiling of a matrix product is fastest on this GPU, for gemm to choose.",
    "mcp": "Serve agents by the Model Context Protocol: check, explain, simulate, certify, verify, compare and litmus.",
    "conformance": "Hold the simulator to a record of an H100, or to the GPU of this machine.",
    "doctor": "Say what this machine can do, and what to install for the rest.",
}
"""What there is, in a line each; `ptxlab.commands` has a module for each name. It holds COMMAND, or COMMANDS by name."""


class _Later(TyperCommand):
    """A command by its name and its line of help; the module behind it is imported when it is parsed."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return loaded(self.name or "").make_context(info_name, args, parent, **extra)


def loaded(name: str) -> Any:
    """The command itself, or the group of commands."""
    module = import_module(f"ptxlab.commands.{name.replace('-', '_')}")
    if hasattr(module, "COMMANDS"):
        group = new_app(name=name, help=COMMANDS[name])
        for word, command in module.COMMANDS.items():
            add(group, word, command)
        return typer.main.get_group(group)
    alone = new_app(name=name, no_args_is_help=False)
    add(alone, name, module.COMMAND, COMMANDS[name])
    return typer.main.get_command(alone)


class _Commands(TyperGroup):
    """The commands, not one of them imported."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, summary in COMMANDS.items():
            self.add_command(_Later(name, help=summary, rich_markup_mode=self.rich_markup_mode), name)


app = new_app(
    name="ptxlab",
    cls=_Commands,
    add_completion=True,
    help="Write, check, simulate and run GPU kernels at the PTX level.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ptxlab {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="say which ptxlab this is")
    ] = False,
) -> None:
    """Options of `ptxlab` itself."""


def _call() -> int:
    try:
        app()
    except SystemExit as e:
        return e.code if isinstance(e.code, int) else int(e.code is not None)
    return 0


def main() -> None:
    """Entry point of `ptxlab`."""
    prepare_streams()
    sys.exit(status_of(_call))


if __name__ == "__main__":
    main()
