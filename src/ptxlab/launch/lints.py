"""Lints at launches: what looks wrong across a kernel's instructions is said once, when it is first launched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ptxlab.diag import CODES, Diagnostic, user_span


@dataclass(frozen=True, slots=True)
class Lints:
    """Which lints the launches of a kernel show.

    Attributes:
        shown: whether they show any.
        ignore: codes that are left out, or how they begin, e.g. "PTX5002" or "PTX501".
    """

    shown: bool = True
    ignore: tuple[str, ...] = ()

    @classmethod
    def of(cls, lints: bool, ignore: str | Sequence[str]) -> Lints:
        """What `lints=` and `ignore=` of a kernel or a launch mean. Raises: Diagnostic PTX2501 for a code that does not exist."""
        codes = (ignore,) if isinstance(ignore, str) else tuple(ignore)
        for code in codes:
            if not code or not any(known.startswith(code) for known in CODES):
                raise Diagnostic(
                    "PTX2501",
                    f"ignore={code!r}: there is no such code.",
                    help='write e.g. ignore=("PTX5002",)',
                    origin=user_span(),
                )
        return cls(bool(lints), codes)

    def chosen(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Those of the lints that are shown."""
        return [d for d in found if self.shown and not d.code.startswith(self.ignore or ("-",))]

    def __and__(self, other: Lints) -> Lints:
        """What both of them show."""
        return Lints(self.shown and other.shown, self.ignore + other.ignore)


ALL: Final = Lints()
