"""`ptxlab explain`: what stands behind a code, an opcode or an instruction."""

from __future__ import annotations

from ptxlab.reference import explain


def main(what: str) -> int:
    """Print the explanation.

    Returns: 0.

    Raises: Diagnostic PTX2501, PTX0001, PTX0100 to PTX0102 for what is neither code, opcode nor instruction.
    """
    print(explain(what))
    return 0
