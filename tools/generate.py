"""Files made from the rows and from docstrings: the typed stubs, and the pages of instructions, codes, rules of order and language.

`python -m tools.generate` writes them all anew; a test fails where one of them is stale.
"""

from __future__ import annotations

from pathlib import Path

from ptxlab.lang import stubs
from ptxlab.reference import diagnostics, order, pages
from ptxlab.reference.language import pages as language
from tools import command_line, public_stub


def main() -> int:
    """Write what is made from the rows and from docstrings."""
    for stub in (stubs, public_stub):
        stub.PATH.write_text(stub.text(), encoding="utf-8")
        print(f"the stub {stub.PATH}")
    for path, text in diagnostics.made(Path()).items():
        path.write_text(text, encoding="utf-8")
        print(f"the codes {path}")
    order.PATH.write_text(order.text(), encoding="utf-8")
    print(f"the rules of order {order.PATH}")
    page = command_line.PATH
    page.write_text(command_line.text(page.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"the commands {page}")
    language.write()
    return pages.main()


if __name__ == "__main__":
    raise SystemExit(main())
