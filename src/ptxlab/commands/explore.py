"""`ptxlab run --explore N`: the launch under many schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.commands.specs import bad

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from ptxlab.launch.explored import Exploration
    from ptxlab.launch.kernel import Kernel


def check_explored(given: Iterable[str]) -> None:
    """Refuse options that say how a single run goes: there are many. Raises: Diagnostic PTX2501."""
    listed = ", ".join(f"--{name.replace('_', '-')}" for name in given)
    if listed:
        raise bad(
            f"--explore does not go together with {listed}.",
            "it runs every schedule, each in this process: leave it out",
        )


def explore(
    kernel: Kernel, launched: LaunchOptions, options: SimOptions, schedules: int, terminal: Console
) -> Exploration:
    """Run, and show the table of the runs."""
    from ptxlab.launch.explore import explored

    found = explored(kernel, launched, options, schedules)
    terminal.print(found.table())
    return found


def summary(found: Exploration) -> str:
    """What the last line says of it."""
    return f"{len(found.runs)} runs with the same results, "


__all__ = ["check_explored", "explore", "summary"]
