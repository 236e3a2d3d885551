"""One type for everything that ptxlab has to say about a program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import FrameType

from ptxlab.diag.codes import CODES

PACKAGE_ROOT = Path(__file__).resolve().parent.parent
# Kernels shipped with the package are written as a user writes them, so their lines count as user lines.
USER_PARTS = ("kernels",)
TRACER = ("lang", "kernel.py")
frame_at: Callable[[int], FrameType] = sys._getframe  # pyright: ignore[reportPrivateUsage]
"""`frame_at(n)`: the frame of the function that calls it, or for n > 0 of the n-th caller of that one."""


class Severity(StrEnum):
    """How bad it is: `error` (ptxas or the machine rejects it), `warning` (accepted, yet wrong or ignored),
    `lint` (a pattern that rarely means what it says), `note` (additional information)."""

    ERROR = "error"
    WARNING = "warning"
    LINT = "lint"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a file. `line` and `column` count from 1; column 0 means the entire line.

    `text` is the source line where the caller has it; the renderer reads the file otherwise.
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")

    @property
    def shown(self) -> str:
        """The place, its path as short as a reader in the working directory would write it."""
        try:
            inside = Path(self.file).relative_to(Path.cwd())
        except (ValueError, OSError):
            return str(self)
        return str(replace(self, file=str(inside)))


class Diagnostic(Exception):
    """A finding with a stable code, a place and the way out. It can be raised, listed, compared and printed.

    Attributes:
        code: e.g. "PTX0212"; `ptxlab.diag.CODES` holds slug, title and explanation of each.
        message: one sentence that names what is wrong, with the values at hand.
        help: one line that names the way out.
        span: the place in the PTX text, if any.
        origin: the Python line that emitted it, if any.
        isa: section of the PTX ISA manual, if any.
        severity: defaults to the code's own.
        also: further diagnostics found in the same run, when this one is raised for all of them.
        notes: further lines, e.g. who waits on which barrier.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        help: str | None = None,  # the word that the renderer prints
        span: Span | None = None,
        origin: Span | None = None,
        isa: str | None = None,
        severity: Severity | None = None,
        notes: Sequence[str] = (),
        also: Sequence[Diagnostic] = (),
    ) -> None:
        super().__init__(message)
        info = CODES[code]
        self.code = code
        self.slug = info.slug
        self.message = message
        self.help = help if help is not None else info.help
        self.span = span
        self.origin = origin
        self.isa = isa
        self.severity = severity or Severity(info.severity)
        self.notes = tuple(notes)
        self.also = tuple(also)

    def _key(self) -> tuple[object, ...]:
        return (self.code, self.message, self.help, self.span, self.origin, self.severity, self.notes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diagnostic) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Diagnostic({self.code!r}, {self.message!r})"

    def __str__(self) -> str:
        from ptxlab.diag.render import plain  # the renderer needs this type

        return "\n".join(plain(d) for d in (self, *self.also))

    def at(self, span: Span | None = None, origin: Span | None = None) -> Diagnostic:
        """The same diagnostic with places filled in where it has none."""
        self.span = self.span or span
        self.origin = self.origin or origin
        return self


def raise_all(found: Sequence[Diagnostic]) -> None:
    """Raise the first error of `found`, carrying the other errors in `also`; return when there is no error."""
    errors = [d for d in found if d.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        first.also = (*first.also, *errors[1:])
        raise first


def one_of_each(found: Iterable[Diagnostic], codes: Container[str] | None = None) -> list[Diagnostic]:
    """The first of those that say the same of other places, with a note of how many there are; all that have other codes."""
    alike: dict[object, list[Diagnostic]] = {}
    for d in found:
        key = (d.code, d.message) if codes is None or d.code in codes else id(d)
        alike.setdefault(key, []).append(d)
    for first, *rest in alike.values():
        if rest:
            first.notes = (*first.notes, f"and at {len(rest)} more place{'s' if len(rest) > 1 else ''}")
    return [first for first, *_ in alike.values()]


def _owner(name: str) -> str:
    """Whose file it is: "user", "own", or "kernel" and "tracer" for the two that take turns while a shipped kernel is traced."""
    path = Path(name)
    if not path.is_relative_to(PACKAGE_ROOT):
        return "own" if name.startswith("<frozen") or "contextlib" in path.name else "user"
    parts = path.relative_to(PACKAGE_ROOT).parts
    if parts[0] in USER_PARTS:
        return "kernel"
    return "tracer" if parts == TRACER else "own"


_owners: dict[str, str] = {}


def user_span(frame: FrameType | None = None) -> Span:
    """The innermost line on the stack that is not ptxlab's own: where the user made the call.

    A shipped kernel is a user's file while it is traced, and ptxlab's own while its host code prepares a launch.
    """
    frame = frame or frame_at(1)
    last, kernel = frame, None
    while frame is not None:
        name = frame.f_code.co_filename
        owner = _owners.get(name)
        if owner is None:
            owner = _owners[name] = _owner(name)
        if owner == "user":
            return Span(name, frame.f_lineno)
        if owner == "kernel":
            kernel = kernel or Span(name, frame.f_lineno)
        elif owner == "tracer" and kernel is not None:
            return kernel
        last, frame = frame, frame.f_back
    return kernel or Span(last.f_code.co_filename, last.f_lineno)
