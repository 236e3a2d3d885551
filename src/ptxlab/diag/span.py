"""Places: in PTX, in the source behind it, and the line of Python that the user wrote."""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType, FrameType, TracebackType

PACKAGE_ROOT = Path(__file__).resolve().parent.parent
# Kernels shipped with the package are written as a user writes them, so their lines count as user lines.
USER_PARTS = ("kernels",)
TRACER = ("lang", "kernel.py")
BOUNDARY = ("diag", "boundary.py")  # what has cut a traceback before
frame_at: Callable[[int], FrameType] = sys._getframe  # pyright: ignore[reportPrivateUsage]
"""`frame_at(n)`: the frame of the function that calls it, or for n > 0 of the n-th caller of that one."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a file. `line`, `column` and `end_column` (behind the last character) count from 1; column 0: the entire line.

    Attributes:
        file: its name. line, column, end_column: the place in it.
        text: the source line where the caller has it. Otherwise it is looked for where that is allowed: see `diag.excerpt`.
        skipped: how many columns of the line are left out in front of `text`.
        ptx: what the PTX is called that names this place in a .loc: its word alone is no reason to open a file.
        within: of a line of an inlined function, the line of the call.

    Example:
        place = px.Span("kernel.py", 12, within=px.Span("main.py", 3))
        print(place, place.shown, place.calls[0].line)  # kernel.py:12 kernel.py:12 3
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    text: str | None = None
    skipped: int = field(default=0, compare=False)
    ptx: str | None = field(default=None, compare=False)
    within: Span | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")

    @property
    def calls(self) -> list[Span]:
        """The lines of the calls that led to the place, innermost first, where functions were inlined."""
        out: list[Span] = []
        span = self.within
        while span is not None:
            out.append(span)
            span = span.within
        return out

    @property
    def shown(self) -> str:
        """The place, its path as short as a reader in the working directory would write it."""
        try:
            here = os.path.join(os.getcwd(), "")
        except OSError:
            return str(self)
        # Not by pathlib: in Python 3.12 its `relative_to` takes a square of the parts, and a hostile path has a million.
        inside = self.file.removeprefix(here).lstrip(os.sep) if self.file.startswith(here) else ""
        return str(replace(self, file=inside)) if inside else str(self)


def _owner(name: str) -> str:
    """Whose file it is: "user", "own", or "kernel" and "tracer" for the two that take turns while a shipped kernel is traced."""
    path = Path(name)
    if not path.is_relative_to(PACKAGE_ROOT):
        between = "contextlib" in path.name or "numpy" in path.parts  # they call a kernel's code and values back
        return "own" if between or name.startswith("<frozen") else "user"
    parts = path.relative_to(PACKAGE_ROOT).parts
    if parts[0] in USER_PARTS:
        return "kernel"
    return "tracer" if parts == TRACER else "own"


_owners: dict[str, str] = {}


def _owner_of(name: str) -> str:
    owner = _owners.get(name)
    if owner is None:
        owner = _owners[name] = _owner(name)
    return owner


_NEAR = 4096  # bytes of code in front of an instruction, up to which Python finds its line soon enough
_MOST_TABLES = 8
_Table = tuple[CodeType, list[int], list[int | None]]
_tables: dict[int, _Table] = {}  # by the identity of code, which each of them keeps alive


def line_of(frame: FrameType) -> int:
    """The line that a frame executes.

    Python goes through the table of lines from its beginning whenever `f_lineno` is asked for, so that a long program of
    one function, with a place for every call, would take time by the square of its length.
    """
    if frame.f_lasti < _NEAR:
        return frame.f_lineno
    code = frame.f_code
    known = _tables.get(id(code))
    if known is None:
        known = _table(code)
        if len(_tables) >= _MOST_TABLES:
            _tables.clear()
        _tables[id(code)] = known
    _, starts, lines = known
    return lines[bisect_right(starts, frame.f_lasti) - 1] or frame.f_lineno


def _table(code: CodeType) -> _Table:
    """Where in the code each stretch of one line begins, and which line it is."""
    starts: list[int] = []
    lines: list[int | None] = []
    latest: int | None = -1
    for start, _, line in code.co_lines():
        if line != latest:  # a call has a dozen stretches, one for each place within its line
            starts.append(start)
            lines.append(line)
            latest = line
    return code, starts, lines


def user_span(frame: FrameType | None = None) -> Span:
    """The innermost line on the stack that is not ptxlab's own: the `origin` of a diagnostic about arguments of a call.

    A kernel that comes with ptxlab counts as the user's file while it is traced, and as ptxlab's own while its host code prepares
    a launch.

    Args:
        frame: where to begin; the caller by default.

    Example:
        def check_width(n):
            if n % 8:
                raise px.Diagnostic("PTX2308", f"The width is {n}.", help="give a multiple of 8", origin=px.user_span())

        try:
            check_width(12)
        except px.Diagnostic as found:
            print(found.code, found.message)  # PTX2308 The width is 12.
    """
    frame = frame or frame_at(1)
    last, kernel = frame, None
    while frame is not None:
        name = frame.f_code.co_filename
        owner = _owners.get(name) or _owner_of(name)
        if owner == "user":
            return Span(name, line_of(frame))
        if owner == "kernel":
            kernel = kernel or Span(name, line_of(frame))
        elif owner == "tracer" and kernel is not None:
            return kernel
        last, frame = frame, frame.f_back
    return kernel or Span(last.f_code.co_filename, line_of(last))


def span_of(code: CodeType) -> Span:
    """Where a function of the user's begins."""
    _owner_of(code.co_filename)
    return Span(code.co_filename, code.co_firstlineno)


def ran_here(file: str) -> bool:
    """Whether it is a file of the user's whose Python runs in this process."""
    return _owners.get(file) in ("user", "kernel")


def behind_tracer(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that begins with the function of the kernel that was traced; None where none was."""
    while trace is not None and trace.tb_next is not None:
        inner = trace.tb_next
        entered = Path(trace.tb_frame.f_code.co_filename).parts[-2:] in (TRACER, BOUNDARY)
        if entered and _owner_of(inner.tb_frame.f_code.co_filename) in ("user", "kernel"):
            return inner
        trace = inner
    return None
