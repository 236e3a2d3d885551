"""`python -m tools.judged`: px.verify on kernels that are right, and on candidates that cheat or err."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(words: Sequence[str] | None = None) -> int:
    """Exit status 1 where an honest kernel is not accepted, or a cheat is."""
    parser = argparse.ArgumentParser(prog="python -m tools.judged", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="how often each candidate is judged")
    parser.add_argument("--seed", type=int, help="the first seed; left out, a new one")
    parser.add_argument("--only", default="", help="candidates whose names contain this")
    parser.add_argument("--half", choices=["honest", "cheats"], help="one half of them")
    parser.add_argument("--times", action="store_true", help="list the slowest")
    given = parser.parse_args(words)
    sys.path.insert(0, str(ROOT / "tests"))
    from unit.verification.corpus.every import CHEATS, HONEST  # pyright: ignore[reportMissingImports]

    first = secrets.randbits(31) if given.seed is None else given.seed
    bad = 0
    times: dict[str, float] = defaultdict(float)
    for title, entries in (("honest", HONEST), ("cheats", CHEATS)):
        chosen = [e for e in entries if given.only in e.name and given.half in (None, title)]
        right = accepted = 0
        for entry in chosen:
            for seed in range(first, first + given.seeds):
                began = time.monotonic()
                found = entry.judged(seed)
                times[entry.name] += time.monotonic() - began
                right += found.verdict in entry.verdicts
                wrongly = (title == "cheats") == (found.verdict == "equal")
                accepted += found.verdict == "equal"
                bad += wrongly
                if found.verdict not in entry.verdicts:
                    said = "ACCEPTED" if wrongly and title == "cheats" else f"not in {sorted(entry.verdicts)}"
                    print(f"{entry.name}: {found.verdict}, {said} (seed={seed})")
                    if found.cause is not None:
                        print("   ", str(found.cause).replace("\n", "\n    "))
        judged = len(chosen) * given.seeds
        print(
            f"{title}: {len(chosen)} × {given.seeds} seeds from {first}: {accepted} of {judged} equal, {right} as expected"
        )
    if given.times:
        print(
            *(f"{seconds:7.2f} s  {name}" for name, seconds in sorted(times.items(), key=lambda one: -one[1])[:20]),
            sep="\n",
        )
    print(f"{sum(times.values()):.0f} s; {bad if bad else 'nothing'} against px.verify")
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
