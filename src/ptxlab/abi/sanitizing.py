"""Whether simulated launches are sanitized where a call does not say so, and who else wants to hear what they find.

What decides, first to last: the call (`sanitize=True`, `--no-sanitize`), whoever watches (the pytest plugin), the environment
variable PTXLAB_SANITIZE, and `DEFAULT`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

Sanitize: TypeAlias = bool | Literal["strict"]
"""Whether a launch is sanitized; "strict": by the memory model to the letter."""
DEFAULT: bool = True
"""For launches that nothing else decides about."""
VARIABLE: Final = "PTXLAB_SANITIZE"
_WORDS: Final[dict[str, Sanitize]] = {
    "1": True,
    "true": True,
    "on": True,
    "yes": True,
    "0": False,
    "false": False,
    "off": False,
    "no": False,
    "strict": "strict",
}


@dataclass(frozen=True, slots=True)
class Watcher:
    """A listener to the launches of this process.

    Attributes:
        sanitize: whether launches are sanitized where their calls do not say so; None: others decide.
        on_report: called with the report of each launch that has come to its end, whose findings are not raised.
        on_launch: called with the record of each launch, before it begins. on_stop: called with what a launch raises.
        quiet: whether nobody who began to watch before hears of reports.
        max_instructions: of each launch, whatever its call says.
    """

    sanitize: Sanitize | None
    on_report: Callable[[Any], object]
    on_launch: Callable[[Any], object] | None = None
    on_stop: Callable[[Any], object] | None = None
    quiet: bool = False
    max_instructions: int | None = None


_watchers: list[Watcher] = []


@contextmanager
def watching(watcher: Watcher) -> Generator[None]:
    """Let somebody watch; the innermost one decides."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


@contextmanager
def when_asked() -> Generator[None]:
    """For what measures or compares: launches go without the sanitizer, here and in processes started from here, unless the
    environment variable says otherwise.
    """
    known = os.environ.get(VARIABLE)
    os.environ.setdefault(VARIABLE, "0")
    try:
        yield
    finally:
        if known is None:
            os.environ.pop(VARIABLE, None)


def notify(report: object) -> None:
    """Pass the report of a launch to all who watch, the innermost one first."""
    for watcher in reversed(tuple(_watchers)):
        watcher.on_report(report)
        if watcher.quiet:
            return


def notify_launch(record: object) -> None:
    """Tell all who watch that a launch begins."""
    for watcher in tuple(_watchers):
        if watcher.on_launch is not None:
            watcher.on_launch(record)


def notify_stop(stop: object) -> None:
    """Tell all who watch what a launch raises."""
    for watcher in tuple(_watchers):
        if watcher.on_stop is not None:
            watcher.on_stop(stop)


def most_instructions(given: int | None) -> int | None:
    """How many instructions a launch may execute; `given` is what its call says, None for no end."""
    limits = [w.max_instructions for w in _watchers if w.max_instructions is not None]
    return min([*limits, given] if type(given) is int else limits, default=given)


def wanted(given: object = None) -> Sanitize:
    """Whether a launch is sanitized, and how; `given` is what its call says, None for nothing.

    Raises: Diagnostic PTX2501 for a value that is neither yes, no nor "strict", of the call or of the environment variable.
    """
    said = _said(given)
    return DEFAULT if said is None else said


def by_default(given: object = None) -> bool:
    """Whether a launch is sanitized although nobody has asked for it. Raises: Diagnostic as `wanted`."""
    return DEFAULT and _said(given) is None


def _said(given: object) -> Sanitize | None:
    """What the first one who decides says; None where nobody does."""
    if given is not None:
        if type(given).__name__ in ("bool", "bool_"):  # Python's or NumPy's
            return bool(given)
        if isinstance(given, str) and given == "strict":
            return "strict"
        raise _unclear(f"sanitize={given!r}", 'use True, False or "strict", or leave it out')
    for watcher in reversed(_watchers):
        if watcher.sanitize is not None:
            return watcher.sanitize
    word = os.environ.get(VARIABLE, "").strip()
    if not word:
        return None
    if word.lower() not in _WORDS:
        raise _unclear(f"{VARIABLE}={word}", "set it to 1, 0 or strict")
    return _WORDS[word.lower()]


def _unclear(what: str, help_: str) -> Exception:
    from ptxlab.diag import Diagnostic, user_span  # not needed where pytest starts

    return Diagnostic("PTX2501", f'{what} is neither yes nor no, nor "strict".', help=help_, origin=user_span())


__all__ = [
    "DEFAULT",
    "VARIABLE",
    "Sanitize",
    "Watcher",
    "by_default",
    "most_instructions",
    "notify",
    "notify_launch",
    "notify_stop",
    "wanted",
    "watching",
    "when_asked",
]
