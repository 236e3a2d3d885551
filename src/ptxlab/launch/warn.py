"""Diagnostics that do not stop a program, as Python warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from ptxlab.diag import Diagnostic, html, user_span
from ptxlab.diag.text import placeless


class PtxWarning(UserWarning):
    """A diagnostic that stops nothing: a lint that the first launch of a kernel shows, or e.g. that ptxas serialises wgmma.

    `diagnostic` holds it, with its code. `warnings.simplefilter("error", ptxlab.PtxWarning)` makes an exception of it.

    Attributes:
        diagnostic: the diagnostic itself.

    Example:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("error", px.PtxWarning)  # a lint now stops the program
    """

    def __init__(self, diagnostic: Diagnostic, *, placed: bool = False) -> None:
        """`placed`: who shows it shows its line, too."""
        super().__init__("\n" + (placeless(diagnostic) if placed else str(diagnostic)))
        self.diagnostic = diagnostic

    def __repr__(self) -> str:
        return f"PtxWarning({self.diagnostic.code!r}, {self.diagnostic.message!r})"

    def _repr_html_(self) -> str:
        return html.of(self.diagnostic)


# Python's own memory of what was shown: a launch in a loop warns once.
_said: dict[str | tuple[str, type[Warning], int], int] = {}


def warn(found: Iterable[Diagnostic], *, in_kernel: bool = False) -> None:
    """Issue each as a PtxWarning, once for every line: the user's that launches, or `in_kernel` the Python line of the kernel.

    Lines of PTX stand in the text alone: Python reads the file that a warning is placed in, whatever kind of file that is. It
    shows that line itself, so the text leaves it out; as an exception, of which Python shows no line, the warning has it.
    """
    for d in found:
        place = (in_kernel and d.origin) or user_span()
        placed = d.origin is not None and (place.file, place.line) == (d.origin.file, d.origin.line)
        try:
            warnings.warn_explicit(PtxWarning(d, placed=placed), None, place.file, place.line, registry=_said)
        except PtxWarning:
            raise PtxWarning(d) from None
