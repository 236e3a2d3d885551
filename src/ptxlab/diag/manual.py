"""The pages of the documentation that show a code: a faulty kernel, what is found in it, and its repair.

In a checkout they are in docs/findings, in an installed package beside its modules.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE / "findings", _PACKAGE.parents[1] / "docs" / "findings")


_HANGS = ("PTX9100", "PTX9101")
_SECTION = re.compile(r"^## ([a-z-]+)$", re.MULTILINE)


@cache
def page(code: str) -> Path | None:
    """The page of a code, where there is one."""
    return next((file for folder in _FOLDERS if (file := folder / f"{code}.md").is_file()), None)


@cache
def sections(code: str) -> dict[str, str]:
    """The examples of a code's page that has several: by the name of the cause that each is for, its heading included.

    {} for a page with one example, and where there is none.
    """
    file = page(code)
    if file is None:
        return {}
    text = file.read_text(encoding="utf-8")
    found = list(_SECTION.finditer(text))
    if not found:
        return {}
    ends = [*(match.start() for match in found[1:]), max(text.rfind("\nSee ["), 0) or len(text)]
    return {match[1]: text[match.start() : end].rstrip() for match, end in zip(found, ends, strict=True)}


def example(code: str, rule: str | None = None) -> str | None:
    """What `ptxlab explain` is given to show an example: a code, or of a hang the code and the likely cause. None for none."""
    for one in (code, *_HANGS) if rule is not None and code in _HANGS else ():
        if rule in sections(one):
            return f"{one} {rule}"
    return code if page(code) is not None else None


def of_rule(rule: str) -> str | None:
    """The code whose page has an example of a likely cause of hangs."""
    return next((code for code in _HANGS if rule in sections(code)), None)
