"""Writes `tests/slow.txt`: what `./dev fast` leaves out, by the durations of a run.

    PTXLAB_CACHE_DIR=$(mktemp -d) python -m pytest tests/unit tests/md --durations=0 > durations.txt
    python -m tools.slow_tests durations.txt

Tests that take the least stay, as many as fit into BUDGET seconds of processor time. The cache is empty, as in a new clone: most of
what a test takes then is compiling, for itself and for those that follow. So do the same with `-m fast` until nothing changes: a
name of the list that the log does not have stays on it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

BUDGET = 55.0
"""Seconds of all fast tests together: two cores share them, and need some ten seconds more to collect and import."""

ROOT = Path(__file__).parents[1]
SLOW = ROOT / "tests" / "slow.txt"
_LINE = re.compile(r"\s*([0-9.]+)s (?:call|setup|teardown) +(tests/(?:unit|md)/[^\s:]+::[^\s\[]+)")


def durations(log: str) -> Counter[str]:
    """Seconds of each test function, over all its parameters, from what `pytest --durations=0` printed."""
    found: Counter[str] = Counter()
    for line in log.splitlines():
        if match := _LINE.match(line):
            found[match[2]] += float(match[1])  # type: ignore[assignment]
    return found


def slow(seconds: Counter[str], budget: float = BUDGET) -> list[str]:
    """The functions that do not fit into the budget: those that take longest."""
    used, left_out = 0.0, list[str]()
    for name, duration in sorted(seconds.items(), key=lambda item: item[1]):
        used += duration
        if used > budget:
            left_out.append(name)
    return sorted(left_out)


def main() -> None:
    """Read the log that is named, and write the list."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m tools.slow_tests FILE: what `pytest --durations=0` printed")
    seconds = durations(Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace"))
    if not seconds:
        raise SystemExit(f"{sys.argv[1]} has no durations of tests/unit or tests/md: run pytest with --durations=0")
    listed = SLOW.read_text(encoding="utf-8").splitlines()[1:]
    names = sorted({*slow(seconds), *(n for n in listed if n not in seconds)})
    longest = max((d for n, d in seconds.items() if n not in set(names)), default=0.0)
    head = (
        "# What `-m fast` leaves out of tests/unit and tests/md, written by tools.slow_tests: a function takes at most"
    )
    SLOW.write_text("\n".join([f"{head} {longest:.2f} s.", *names, ""]), encoding="utf-8")
    print(f"{len(seconds) - len(names)} of {len(seconds)} functions that take a measurable time are fast")


if __name__ == "__main__":
    main()
