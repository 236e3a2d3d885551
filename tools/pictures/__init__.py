"""`python -m tools.pictures`: draw the SVG pictures of the documents anew, into docs/images.

One module per subject, which is found by itself. PICTURES of a module: a file's name, and the function without arguments that draws
it. A picture is made from what the code says, never from figures typed in by hand; `tests/docs/test_pictures.py` fails where
a committed one is not what the code draws. PAGES of a module are pages of the documents that are made with the pictures, by their
path below docs/, and held by the same test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

DOCS = Path(__file__).resolve().parents[2] / "docs"
IMAGES = DOCS / "images"


def _all(name: str) -> Iterator[tuple[str, Callable[[], str]]]:
    for module in sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_")):
        yield from getattr(import_module(f"{__name__}.{module}"), name, {}).items()


PICTURES = dict(_all("PICTURES"))
PAGES = dict(_all("PAGES"))
