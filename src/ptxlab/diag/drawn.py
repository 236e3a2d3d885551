"""What can be shown as a picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol


class Drawn(Protocol):
    """A picture of a finding: `ptxlab.diag.order.HappensBefore` is one."""

    @property
    def missing(self) -> str:
        """Why nothing orders the two accesses."""
        ...

    def _repr_svg_(self) -> str: ...

    def save(self, path: str | os.PathLike[str], repaired: Any = None) -> Path:
        """Write the picture."""
        ...


__all__ = ["Drawn"]
