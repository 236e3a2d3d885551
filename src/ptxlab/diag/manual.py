"""The pages of the documentation that show a code: a faulty kernel, what is found in it, and its repair.

In a checkout they are in docs/findings, in an installed package beside its modules.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE / "findings", _PACKAGE.parents[1] / "docs" / "findings")


@cache
def page(code: str) -> Path | None:
    """The page of a code, where there is one."""
    return next((file for folder in _FOLDERS if (file := folder / f"{code}.md").is_file()), None)
