"""`python -m tools.pictures`: draw the SVG pictures of the documents anew, into docs/images.

One module per subject. Each has its PICTURES: a file's name, and the function without arguments that draws it. A picture is made
from what the code says, never from figures typed in by hand; `tests/docs/test_pictures.py` fails where a committed one is not what
the code draws. PAGES are pages of the documents that are made with the pictures, and held by the same test.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tools.pictures import descriptors, fragment_page, fragments, mbarriers, products, proxies, tma

DOCS = Path(__file__).resolve().parents[2] / "docs"
IMAGES = DOCS / "images"

SUBJECTS = (
    descriptors,
    fragments,
    mbarriers,
    products,
    proxies,
    tma,
)
PICTURES: dict[str, Callable[[], str]] = {name: draw for subject in SUBJECTS for name, draw in subject.PICTURES.items()}
PAGES: dict[str, Callable[[], str]] = {**fragment_page.PAGES}
