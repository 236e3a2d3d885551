"""Write every picture and page; with names, only those pictures (`python -m tools.pictures mbarrier-ring.svg`)."""

from __future__ import annotations

import sys

from tools.pictures import DOCS, IMAGES, PAGES, PICTURES

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        (IMAGES / name).write_text(PICTURES[name](), encoding="utf-8")
    for name, made in PAGES.items() if not sys.argv[1:] else ():
        (DOCS / name).write_text(made(), encoding="utf-8")
