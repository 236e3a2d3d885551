"""How commands write findings: for people, or as a document for machines on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ptxlab import __version__
from ptxlab.checks.formats import as_github, as_json, as_sarif
from ptxlab.commands.shell import write
from ptxlab.diag import Diagnostic, Suppressed

if TYPE_CHECKING:
    from ptxlab.sim.report.certificate import Certificate


class Format(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


FormatOption = Annotated[
    Format,
    typer.Option("--format", metavar="|".join(Format), help="for people, or for machines: then on standard output"),
]


def write_document(
    form: Format,
    found: Sequence[Diagnostic],
    suppressed: Sequence[Suppressed] = (),
    certificate: Certificate | None = None,
) -> None:
    """Write findings for machines, with the reasons why nothing is proved; nothing for `TEXT`, which commands show as they go."""
    if certificate is not None and form is not Format.JSON:
        found = [*found, *(d for d in certificate.reasons if d not in found)]
    match form:
        case Format.JSON:
            more = {} if certificate is None else {"certificate": certificate.data}
            write(as_json(found, suppressed, more) + "\n")
        case Format.SARIF:
            write(as_sarif(found, __version__, suppressed) + "\n")
        case Format.GITHUB:
            write("".join(line + "\n" for line in as_github(found).splitlines()))
        case Format.TEXT:
            pass


__all__ = ["Format", "FormatOption", "write_document"]
