"""`src/ptxlab/__init__.pyi`: the public names as type checkers and editors see them, from the table in `ptxlab/__init__.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import ptxlab

PATH: Final = Path(ptxlab.__file__).with_suffix(".pyi")


def text() -> str:
    """The whole stub."""
    homes = ptxlab._HOMES  # type: ignore[attr-defined]
    lines = [
        "# Made from the table in __init__.py by `python -m tools.generate`; do not edit.",
        "# ruff: noqa",
        "from typing import Any",
        "",
        *(f"from {home} import {n} as {n}" for home, names in homes.items() for n in sorted(names.split())),
        "",
        "__version__: str",
        "__all__ = [",
        *(f'    "{name}",' for name in ptxlab.__all__),
        "]",
        "",
        "def load_ipython_extension(shell: Any) -> None: ...",
        "",
    ]
    return "\n".join(lines)
