"""A bar that shows how far a long simulation is."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ptxlab.diag import console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

ProgressCallback = Callable[[int, int], object]
DELAY = 1.0
"""Seconds before which nobody wants to see a bar."""


class Bar:
    """Called with (CTAs finished, CTAs of the grid) it draws on standard error, from a second after its begin on.

    Leaving its `with` block takes the bar away.
    """

    def __init__(self, name: str, out: Console | None = None) -> None:
        self._name, self._console = name, out
        self._begin = time.monotonic()
        self._progress: Progress | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._progress is None:
            if time.monotonic() - self._begin < DELAY:
                return
            self._progress = self._made()
            self._progress.add_task(self._name)
            self._progress.start()
        self._progress.update(self._progress.task_ids[0], completed=done, total=total)

    def _made(self) -> Progress:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns: list[Any] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("CTAs")]
        columns += [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        return Progress(*columns, console=self._console or console(stderr=True), transient=True)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


class _Given:
    """The caller's own callback, or none."""

    def __init__(self, callback: ProgressCallback | None) -> None:
        self._callback = callback

    def __enter__(self) -> ProgressCallback | None:
        return self._callback

    def __exit__(self, *_: object) -> None:
        pass


def shown(progress: ProgressCallback | bool | None, name: str) -> Bar | _Given:
    """What `progress=` means, as a context: True a bar for the kernel of this name, a function itself, nothing nothing."""
    if progress is True:
        return Bar(name)
    return _Given(progress or None)
