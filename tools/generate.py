"""Files that are made from the rows: the language's typed stub, the pages of instructions and that of codes.

`python -m tools.generate` writes them all anew; a test fails where one of them is stale.
"""

from __future__ import annotations

from ptxlab.lang import stubs
from ptxlab.reference import diagnostics, pages


def main() -> int:
    """Write what is made from the rows."""
    stubs.PATH.write_text(stubs.text(), encoding="utf-8")
    print(f"the stub {stubs.PATH}")
    diagnostics.PATH.write_text(diagnostics.text(), encoding="utf-8")
    print(f"the codes {diagnostics.PATH}")
    return pages.main()


if __name__ == "__main__":
    raise SystemExit(main())
