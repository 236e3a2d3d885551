"""The command: measure all lines, show and keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ptxlab.bench import contest, machine, records
from ptxlab.bench.kernels import drawn, limits, lines, measure, peers, picture, table, works
from ptxlab.diag import terminal

ROUNDS: Final = 40
Timed = Callable[[], Iterable[tuple[str, float | None, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is measured, as the command line has it.

    Attributes:
        only: kinds of lines; none: all. shapes: of gemm, in place of its own. quick: fewer lines and rounds.
        random: so many products drawn from `seed`, in place of all lines.
        peers: names; none: all, or with `quick` those that need no tuning. rounds: how often each contender is timed.
        record: file of JSON lines. picture: file for the roofline.
    """

    only: Sequence[str] = ()
    shapes: str = ""
    peers: Sequence[str] = ()
    quick: bool = False
    random: int | None = None
    seed: int = 0
    rounds: int | None = None
    record: Path | None = None
    picture: Path | None = None


def main(chosen: Chosen, console: Console | None = None, timed: Timed = tuple) -> int:
    """Measure, print tables, append one JSON line for each of their lines and one for what they come to.

    Args:
        chosen: what is measured. console: where to print; default the terminal.
        timed: runs a small case of each kernel in the simulator, for `limits.simulated`.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2501 for bad options, PTX2304 and PTX2422 without a GPU, PTX2510 without torch, PTX2420 where a result is
        wrong: a wrong kernel is not timed. PTX2500 where a file cannot be written.
    """
    console = console or terminal.console()
    if chosen.random is None:
        wanted = lines.works(chosen.only, works.shapes_of(chosen.shapes), quick=chosen.quick)
    else:
        wanted = drawn.works(chosen.random, chosen.seed, chosen.only)
    names = peers.chosen(chosen.peers, quick=chosen.quick)
    rounds = chosen.rounds or (contest.LEAST_ROUNDS if chosen.quick else ROUNDS)
    contest.check_rounds(rounds)
    if chosen.picture is not None:
        picture.need()
    torch = contest.torch_with_gpu()
    roof: measure.Roofs | None = None
    found: list[dict[str, Any]] = []
    for number, work in enumerate(wanted, 1):
        console.print(f"{number}/{len(wanted)} {work.kind}: {work.name}", style="dim", highlight=False)
        roof = roof or measure.roofs(torch)
        made = measure.measured(torch, work, roof, rounds, names)
        torch.cuda.empty_cache()
        found.append(made)
        keep(chosen, made)
    for kind, others in (("launch", limits.launches), ("simulator", lambda: limits.simulated(timed()))):
        if chosen.random is None and (not chosen.only or kind in chosen.only):
            console.print(kind, style="dim")
            found += (more := others())
            keep(chosen, *more)
    if chosen.random is None:
        total = table.summary(found)
        show(found, console, table.words(total))
    else:
        total = drawn.summary(found, chosen.random, chosen.seed)
        show(sorted(found, key=lambda line: line["kind"]), console, drawn.words(total), drawn.causes(total))
    if chosen.record is not None:
        facts = {"bench": "kernels", "kind": "summary", "date": machine.today(), **total}
        records.append(chosen.record, facts | {"gpu": machine.gpu(), "rounds": rounds, "peers": list(names)})
    if chosen.picture is not None:
        picture.draw(found, chosen.picture)
    return 0


def keep(chosen: Chosen, *lines: dict[str, Any]) -> None:
    """Append lines to the record, as soon as they are there."""
    for line in lines:
        if chosen.record is not None:
            records.append(chosen.record, line)


def show(found: Sequence[dict[str, Any]], console: Console, total: str, more: Iterable[Table] = ()) -> None:
    """Print what was measured, further tables, and what it comes to."""
    console.print(table.head(found), style="bold", highlight=False)
    for one in (*table.tables(found), *more):
        console.print(one)
        console.print()
    for words in table.missing(found):
        console.print(escape(words), style="yellow", highlight=False)
    console.print(escape(total), highlight=False)
