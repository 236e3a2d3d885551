"""How a command meets the shell: its exit status, its streams, and errors as one rendered diagnostic.

The status is 0 where all is well, 1 where something was found or failed, 2 for what an option cannot be, 130 after Ctrl-C and
141 where nobody reads the output on.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final, TextIO

from ptxlab.diag import Diagnostic, show
from ptxlab.diag.boundary import without_command

BAD_OPTION: Final = "PTX2501"
_ASCII: Final = str.maketrans({
    "×": "x", "·": ".", "–": "-", "—": "-", "−": "-", "→": "->", "…": "...", "«": '"', "»": '"', "“": '"', "”": '"',
    "³": "^3", "²": "^2", "µ": "u", "█": "#", "━": "-", "╸": "-", "╺": "-", "│": "|", "─": "-",
})  # fmt: skip
"""How our own words are written where the terminal has no such characters."""


def status_of(run: Callable[[], int]) -> int:
    """Run a command. A Diagnostic is shown; whatever goes wrong with the streams is one line, and never a traceback.

    Returns: the exit status.
    """
    warnings.showwarning = _show_warning
    try:
        status = run()
        sys.stdout.flush()  # a full disk is found out here
    except Diagnostic as d:
        _report(d.told())
        return 2 if d.code == BAD_OPTION else 1
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except BrokenPipeError:  # `ptxlab … | head`: nobody reads on
        _abandon(sys.stdout)
        return 141
    except MemoryError as e:
        _report([Diagnostic("PTX2323", f"ptxlab ran out of memory: {e}" if str(e) else "ptxlab ran out of memory.")])
        return 1
    except OSError as e:
        _report([_unusable(e)])
        return 1
    return status


def _unusable(e: OSError) -> Diagnostic:
    """What an operating system refuses, where no command has better words for it."""
    reason = e.strerror or str(e)
    if e.filename is not None:
        return Diagnostic("PTX2500", f"{os.fsdecode(e.filename)}: {reason}.", help="check the path and its permissions")
    _abandon(sys.stdout)
    return Diagnostic("PTX2500", f"Standard output cannot be written: {reason}.", help="write to another place")


def prepare_streams() -> None:
    """Make all three streams usable: closed ones fail when they are used, and no character is one too many.

    A file that is opened while descriptor 1 is closed would become standard output, and be written over.
    """
    for number, name, mode in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            _occupy(number, mode)
            made = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 lives as long as we
            setattr(sys, name, made)
    codecs.register_error("ptxlab", _spelled)
    out: Any = sys.stdout
    if hasattr(out, "reconfigure"):
        out.reconfigure(errors="ptxlab")
    wrong: Any = sys.stderr
    if hasattr(wrong, "detach"):
        encoding = wrong.encoding
        sys.stderr = _Errors(wrong.detach(), encoding, "ptxlab", line_buffering=True, write_through=True)


class _Errors(io.TextIOWrapper):
    """Standard error. Where it cannot be written, nobody can be told: the exit status says the rest."""

    def write(self, s: str, /) -> int:
        try:
            return super().write(s)
        except OSError:
            _abandon(self)
            return len(s)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _abandon(self)


def _occupy(number: int, mode: int) -> None:
    """Put the null device in the place of a closed descriptor, in a mode in which it cannot be used as that stream."""
    with contextlib.suppress(OSError):
        handle = os.open(os.devnull, mode)
        if handle != number:
            os.dup2(handle, number)
            os.close(handle)


def _spelled(e: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: what the encoding lacks in ASCII."""
    if not isinstance(e, UnicodeEncodeError):
        raise e
    text = e.object[e.start : e.end].translate(_ASCII)
    return text.encode("ascii", "backslashreplace").decode("ascii"), e.end


def write(text: str) -> None:
    """Write a document (PTX, Python, JSON) to standard output as it is: in UTF-8, whatever the terminal's encoding."""
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    left = memoryview(text.encode("utf-8", "backslashreplace"))
    while left:  # python -u has no buffer, and writes what a pipe takes
        left = left[raw.write(left) :]


def _abandon(stream: TextIO) -> None:
    """Nothing more can be written to a stream: what it still holds must not fail again when the process ends."""
    with contextlib.suppress(OSError, ValueError):
        handle = os.open(os.devnull, os.O_WRONLY)
        os.dup2(handle, stream.fileno())
        os.close(handle)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _report(found: Iterable[Diagnostic]) -> None:
    show(without_command(d) for d in found)


def _show_warning(message: Warning | str, *place: Any) -> None:
    """What a launch warns of is shown as any diagnostic is."""
    found = getattr(message, "diagnostic", None)
    if found is not None:
        _report([found])
    else:
        _say(f"warning: {message}")
