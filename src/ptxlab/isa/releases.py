"""Releases of ptxas: the newest PTX that each reads. What one takes and another does not stands in the rows (`Need.releases`)."""

from __future__ import annotations

import re
from typing import Final

from ptxlab.isa.targets import Release, Version

READS: Final[dict[Release, Version]] = {
    (13, 1): (9, 1),
    (13, 2): (9, 2),
    (13, 3): (9, 3),
    (13, 4): (9, 4),
    (13, 5): (9, 5),
}
"""The releases that the rows are compared with."""
NEWEST: Final = max(READS)
_MINORS: Final = {1: 5, 2: 3, 3: 2, 4: 3, 5: 1, 6: 5, 7: 8, 8: 8, 9: max(minor for _, minor in READS.values())}
"""The last minor number of each major version of PTX."""


def exists(version: Version) -> bool:
    """Whether some ptxas reads this version of PTX: 8.8 was followed by 9.0."""
    return version[1] <= _MINORS.get(version[0], -1)


def parse(text: str) -> Release:
    """`13.1` or `13.1.80` as a release. Raises: ValueError for one that the rows are not compared with."""
    found = re.fullmatch(r"V?(\d+)\.(\d+)(?:\.\d+)?", text)
    release = (int(found[1]), int(found[2])) if found else None
    if release not in READS:
        raise ValueError(f"{text!r} is none of ptxas {', '.join(map(name, READS))}")
    return release


def name(release: Release) -> str:
    """E.g. "13.1"."""
    return f"{release[0]}.{release[1]}"


def readers(version: Version) -> str:
    """Which releases read a PTX version, in words; empty where all do."""
    first = min((r for r, newest in READS.items() if newest >= version), default=None)
    if first is None or first == min(READS):
        return ""
    return f"ptxas {name(first)}" + (" and newer" if first != NEWEST else "")
