"""What a command is: its options, declared once as the fields of a frozen object, and its runner, which receives that object.

To add an option: a field of the command's options, annotated `Annotated[type, typer.Option(…, help=…)]`, and the line of the
runner that reads it. To add a command: a module of this package with a `COMMAND`, and its line in `ptxlab.cli`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from inspect import Parameter, Signature
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar, get_type_hints

import typer

from ptxlab.commands.shell import status_of
from ptxlab.diag import CODES, Diagnostic
from ptxlab.diag.terminal import NARROW, colourless

On = Annotated[str, typer.Option("--on", metavar="sim|gpu", help="simulate, or run on the GPU")]
Record = Annotated[Path | None, typer.Option("--record", metavar="FILE", help="append the numbers as a JSON line")]
AsJson = Annotated[bool, typer.Option("--json", help="for machines")]
NoLints = Annotated[bool, typer.Option("--no-lints", help="do not look across instructions")]
Ignore = Annotated[
    list[str] | None, typer.Option(metavar="CODES", help="leave these out: PTX5002, or PTX50 for all such")
]
SourceRoots = Annotated[
    list[Path] | None,
    typer.Option(
        "--source-root",
        metavar="FOLDER",
        help="show source lines that .loc names from here, too; may be repeated. Those in the file's own folder are shown anyway",
    ),
]


def codes(option: str, words: Sequence[str] | None) -> tuple[str, ...]:
    """Codes or beginnings of codes, which may be joined by commas. Raises: Diagnostic PTX2501 for one that does not exist."""
    out = tuple(w.strip().upper() for word in words or () for w in word.split(",") if w.strip())
    for word in out:
        if not any(code.startswith(word) for code in CODES):
            raise Diagnostic("PTX2501", f"{option} {word}: there is no such code.", help="write e.g. PTX0212 or PTX50")
    return out


class AnyOptions(Protocol):
    """A frozen dataclass whose fields are annotated for typer."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


O = TypeVar("O", bound=AnyOptions)  # noqa: E741 the one letter that says it


@dataclass(frozen=True, slots=True)
class Command(Generic[O]):
    """A command.

    Attributes:
        options: its options and arguments. run: takes them, and returns the exit status.
        help: what `--help` says; for a command of `ptxlab` itself, what follows upon its line in `ptxlab.cli`.
        settings: of the parser of its words.
    """

    options: type[O]
    run: Callable[[O], int]
    help: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def function(self) -> Callable[..., None]:
        """The command as typer takes it: a function whose parameters are the options."""
        hints = get_type_hints(self.options, include_extras=True)

        def call(**given: Any) -> None:
            raise typer.Exit(status_of(lambda: self.run(self.options(**given))))

        parameters = [
            Parameter(
                f.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if f.default is MISSING else f.default,
                annotation=hints[f.name],
            )
            for f in fields(self.options)
        ]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        setattr(call, "__signature__", Signature(parameters))  # noqa: B010 functions have no such attribute for type checkers
        return call


def new_app(**more: Any) -> typer.Typer:
    """A group of commands as all of ours are. Its help is plain text where NO_COLOR is set, and on narrow terminals."""
    context: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
    settings: dict[str, Any] = {
        "add_completion": False,
        "no_args_is_help": True,
        "pretty_exceptions_enable": False,
        "context_settings": context,
    }
    columns = get_terminal_size().columns
    if colourless() or columns < NARROW:
        settings["rich_markup_mode"] = None
    if columns < NARROW:
        context["terminal_width"] = columns - 1  # it would not write fewer than 50
    return typer.Typer(**settings | more)


def add(app: typer.Typer, name: str, command: Command[Any], summary: str = "") -> None:
    """Make a command one of a group. Its help is `summary` and what the command says itself."""
    text = "\n\n".join(filter(None, (summary, command.help)))
    app.command(name, help=text, context_settings=dict(command.settings))(command.function)
