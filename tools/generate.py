"""Files made from rows, docstrings and the bug zoo: the typed stubs, and pages of the reference.

`python -m tools.generate` writes them all anew; a test fails where one of them is stale.
"""

from __future__ import annotations

from pathlib import Path

from tools import command_line, instruction_stub, public_stub
from tools.reference import diagnostics, instructions, language, mcp, order
from tools.zoo import page as zoo


def main() -> int:
    """Write what is made from the rows, from docstrings and from the bug zoo."""
    for made in (instruction_stub, public_stub, order):
        made.PATH.write_text(made.text(), encoding="utf-8")
        print(made.PATH)
    for path, text in diagnostics.made(Path()).items():
        path.write_text(text, encoding="utf-8")
        print(path)
    for path, text in ((mcp.PATH, mcp.text()), (mcp.SCHEMAS, mcp.schemas())):
        path.write_text(text, encoding="utf-8")
        print(path)
    page = command_line.PATH
    page.write_text(command_line.text(page.read_text(encoding="utf-8")), encoding="utf-8")
    print(page)
    language.write()
    instructions.write()
    zoo.write()
    print(zoo.PAGE)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
