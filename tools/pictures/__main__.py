"""Write every picture; with names, only those (`python -m tools.pictures mbarrier-ring.svg`)."""

from __future__ import annotations

import sys

from tools.pictures import IMAGES, PICTURES

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        (IMAGES / name).write_text(PICTURES[name](), encoding="utf-8")
