"""Targets and PTX versions, and what a form needs of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

Version = tuple[int, int]
Release = tuple[int, int]
"""Of ptxas, e.g. (13, 1)."""


@dataclass(frozen=True, slots=True)
class Target:
    """sm_90, sm_90a, sm_100f, …: a number and the suffix that opens architecture- or family-specific features."""

    number: int
    suffix: str = ""

    @classmethod
    def parse(cls, text: str) -> Target:
        """`sm_90a` as a target. Raises ValueError for anything else."""
        found = re.fullmatch(r"(?:sm_|compute_)(\d+)([af]?)", text)
        if not found:
            raise ValueError(f"{text!r} is no target; write e.g. sm_90a")
        return cls(int(found.group(1)), found.group(2))

    def __str__(self) -> str:
        return f"sm_{self.number}{self.suffix}"


@dataclass(frozen=True, slots=True)
class Need:
    """What a form, a modifier or a combination needs: a PTX version, a least target, or one of a list of exact targets.

    `below` is the first target that lacks it again, where there is one. `exact` holds alternatives such as "90a" or "100f" (a
    family target also serves later members of the family).
    `releases`: the first and the last release of ptxas that take it, where not all do which read the version.
    `other` holds what will do as well, as `a | b` makes it: e.g. a newer PTX version where the target is an older one.
    """

    version: Version = (1, 0)
    least: int = 0
    exact: tuple[str, ...] = ()
    below: int = 0
    releases: tuple[Release, Release] | None = None
    other: tuple[Need, ...] = ()

    def __and__(self, also: Need) -> Need:
        if not self.other and not also.other:
            return self._plain_and(also)
        both = [a._plain_and(b) for a in self.alternatives for b in also.alternatives]
        return replace(both[0], other=tuple(both[1:]))

    def _plain_and(self, also: Need) -> Need:
        below = min((n for n in (self.below, also.below) if n), default=0)
        return Need(
            max(self.version, also.version),
            max(self.least, also.least),
            _both(self.exact, also.exact),
            below,
            _both_releases(self.releases, also.releases),
        )

    def __or__(self, other: Need) -> Need:
        return replace(self, other=(*self.other, *other.alternatives))

    @property
    def alternatives(self) -> tuple[Need, ...]:
        """The needs of which one must be met; itself alone where there is no choice."""
        return (replace(self, other=()), *self.other) if self.other else (self,)

    def on(self, target: Target | None) -> Need:
        """What is needed on a target: of the alternatives that it meets the one with the oldest version, else the first."""
        if not self.other:
            return self
        met = [n for n in self.alternatives if target is None or n.target_ok(target)]
        return min(met, key=lambda n: n.version, default=self.alternatives[0])

    def target_ok(self, target: Target) -> bool:
        """Whether the target has it."""
        if any(n.target_ok(target) for n in self.other):
            return True
        if target.number < self.least or (self.below and target.number >= self.below):
            return False
        return not self.exact or any(self._serves(e, target) for e in self.exact)

    @staticmethod
    def _serves(exact: str, target: Target) -> bool:
        number, suffix = int(exact[:-1]), exact[-1]
        if suffix == "a":
            return target.suffix == "a" and target.number == number
        same_family = target.number // 10 == number // 10 and target.number >= number
        return bool(target.suffix) and same_family

    @property
    def targets(self) -> str:
        """The targets that have it, in words; empty where all do."""
        words = [_in_words(n) for n in self.alternatives if n.exact or n.least]
        return " or ".join(words) if len(words) == len(self.alternatives) else ""

    def __str__(self) -> str:
        if self.other:
            return "; or ".join(map(str, self.alternatives))
        parts = [f"PTX {self.version[0]}.{self.version[1]}"]
        if self.exact:
            parts.append("target " + " or ".join(f"sm_{e}" for e in self.exact))
        elif self.least:
            parts.append(f"target sm_{self.least} or newer" + f", before sm_{self.below}" * bool(self.below))
        return ", ".join(parts)


def _in_words(need: Need) -> str:
    """The targets of one alternative."""
    if need.exact:
        return " or ".join(f"sm_{e}" for e in need.exact)
    return f"sm_{need.least}" + f" before sm_{need.below}" * bool(need.below)


def _both(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    """What two lists of exact targets have in common: of 100f and 103a the narrower, 103a."""
    if not a or not b:
        return a or b
    found = [x for x in a if any(_within(x, y) for y in b)]
    found += [y for y in b if any(_within(y, x) for x in a)]
    return tuple(dict.fromkeys(found)) or _NONE


def _both_releases(
    a: tuple[Release, Release] | None, b: tuple[Release, Release] | None
) -> tuple[Release, Release] | None:
    """What two spans of releases have in common."""
    return (max(a[0], b[0]), min(a[1], b[1])) if a and b else a or b


ANY = Need()
"""What every PTX version and every target has."""

_NONE = ("0a",)
"""No target at all."""


def _within(one: str, other: str) -> bool:
    """Whether a target, or a family, lies within another."""
    if other[-1] == "a":
        return one == other
    return Need._serves(other, Target.parse(f"sm_{one}"))  # pyright: ignore[reportPrivateUsage]


def ptx(major: int, minor: int) -> Need:
    """PTX ISA version `major.minor` or newer."""
    return Need(version=(major, minor))


def sm(number: int) -> Need:
    """Target sm_<number> or newer."""
    return Need(least=number)


def before(number: int) -> Need:
    """A target older than sm_<number>."""
    return Need(below=number)


def released(first: Release, last: Release) -> Need:
    """A release of ptxas from `first` to `last`."""
    return Need(releases=(first, last))


def only(*targets: str) -> Need:
    """One of these architecture-specific targets, e.g. `only("90a")`."""
    return Need(exact=targets)


# The .version from which on a target can be named, without and with its suffix.
_SINCE: dict[str, Version] = {
    **dict.fromkeys(("10", "11"), (1, 0)),  # ptxas makes no code of it for these up to 37, but knows them
    **dict.fromkeys(("12", "13"), (1, 2)),
    **dict.fromkeys(("20", "21"), (2, 0)),
    "30": (3, 0),
    "32": (4, 0),
    "35": (3, 1),
    "37": (4, 1),
    "50": (4, 0),
    "52": (4, 1),
    "53": (4, 2),
    "60": (5, 0),
    "61": (5, 0),
    "62": (5, 0),
    "70": (6, 0),
    "72": (6, 1),
    "75": (6, 3),
    "80": (7, 0),
    "86": (7, 1),
    "87": (7, 4),
    "88": (9, 0),
    "89": (7, 8),
    "90": (7, 8),
    "90a": (8, 0),
    "100": (8, 6),
    "100a": (8, 6),
    "100f": (8, 8),
    "101": (8, 6),
    "101a": (8, 6),
    "101f": (8, 8),
    "103": (8, 8),
    "103a": (8, 8),
    "103f": (8, 8),
    "107": (9, 4),
    "107a": (9, 4),
    "107f": (9, 4),
    "110": (9, 0),
    "110a": (9, 0),
    "110f": (9, 0),
    "120": (8, 7),
    "120a": (8, 7),
    "120f": (8, 8),
    "121": (8, 8),
    "121a": (8, 8),
    "121f": (8, 8),
}


def since(target: Target) -> Version | None:
    """The PTX version that brought the target; None for targets that ptxlab does not know."""
    return _SINCE.get(f"{target.number}{target.suffix}")
