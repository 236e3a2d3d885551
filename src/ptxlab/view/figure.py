"""What all pictures share: a figure without global state, colours, and a file that is written whole or not at all."""

# matplotlib leaves the types of its **kwargs unsaid
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic, Span, user_span

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Eight hues that stay apart for colour-blind eyes, light enough for dark text.
CHUNK_COLOURS = ("#8dbdf0", "#f7b36b", "#8fd3a5", "#e89ab5", "#c5b3ea", "#e9dc79", "#8fdbe0", "#c9b59b")
INK = "#1d2733"
FAINT = "#6b7785"
RULE = "#d5dbe1"
FORMATS = (".png", ".svg", ".pdf")


def need_matplotlib(path: str | os.PathLike[str]) -> None:
    """Raises: Diagnostic PTX2510 where a picture of this name needs Matplotlib, and it is not installed."""
    ending = Path(path).suffix.lower()
    if ending in FORMATS and ending != ".svg":
        what, way_out = f"{Path(path).name}: a {ending} picture needs", "name a .svg file, which needs nothing"
        check_matplotlib(what, way_out, origin=user_span())


def check_matplotlib(what: str, way_out: str, *, origin: Span | None = None) -> None:
    """Raises: Diagnostic PTX2510 where Matplotlib is not installed. `what` ends in front of its name."""
    if find_spec("matplotlib") is None:
        raise Diagnostic(
            "PTX2510",
            f"{what} Matplotlib, which is not installed.",
            help=f"{way_out}, or install the extra `plot`: pip install matplotlib",
            origin=origin,
        )


def new_figure(width: float, height: float) -> Figure:
    """An empty white figure of so many inches, outside pyplot's global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), facecolor="white")


def save(figure: Figure, path: str | os.PathLike[str], dpi: int = 150) -> Path:
    """Write the figure to `path`, as `write` does."""
    return write(path, lambda part: figure.savefig(part, dpi=dpi))


def write(path: str | os.PathLike[str], fill: Callable[[Path], object]) -> Path:
    """Have a file (.png, .svg or .pdf) filled, whole or not at all; directories are made.

    Raises: Diagnostic PTX2501 where the name has another ending, PTX2500 where the place cannot be written.
    """
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise Diagnostic(
            "PTX2501",
            f"{target.name} does not end like a picture.",
            help=f"use one of {', '.join(FORMATS)}",
            origin=user_span(),
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=target.suffix, prefix=f".{target.stem}-", dir=target.parent)
    except OSError as e:
        raise _unwritable(target, e) from None
    os.close(handle)
    part = Path(name)
    try:
        fill(part)
        part.chmod(0o644)
        part.replace(target)
    except OSError as e:
        raise _unwritable(target, e) from None
    finally:
        part.unlink(missing_ok=True)
    return target


def write_svg(path: str | os.PathLike[str], drawn: str) -> Path:
    """Write an SVG picture, as `write` does."""
    return write(path, lambda part: part.write_text(drawn, encoding="utf-8"))


def _unwritable(target: Path, error: OSError) -> Diagnostic:
    return Diagnostic(
        "PTX2500", f"{target} cannot be written: {error.strerror}.", help="choose another place", origin=user_span()
    )
