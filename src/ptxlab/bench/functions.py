"""`ptxlab bench functions`: how fast the simulator computes approximate functions, beside what it promises."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.diag import Diagnostic, terminal
from ptxlab.sim.engine.decoded.arrays import evaluate

PROMISED: Final = 2e8
"""Results a second and core."""
OPCODES: Final = {
    **{f"{n}.approx{ftz}.f32": (32, 1) for n in ("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos") for ftz in ("", ".ftz")},
    "tanh.approx.f32": (32, 1),
    **{f"div.{rnd}{ftz}.f32": (32, 2) for rnd in ("approx", "full") for ftz in ("", ".ftz")},
    **dict.fromkeys(("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64"), (64, 1)),
    **{f"{head}{pair}": (32 if pair else 16, 1) for head in (
        "tanh.approx.f16", "tanh.approx.bf16", "ex2.approx.f16", "ex2.approx.ftz.bf16"
    ) for pair in ("", "x2")},
}  # fmt: skip
"""Approximate instructions: bits of their registers, and how many they read."""
_COUNT: Final = 1 << 18
_BATCH: Final = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction.

    Attributes:
        rate: results a second of processor time, in one thread. Pairs of 16 bits count as two.
        promised: what it should at least be.
    """

    opcode: str
    rate: float
    promised: float = PROMISED


def measure(opcode: str, rounds: int = 5) -> Row:
    """The fastest of `rounds` runs on normal numbers of either sign: what else the machine does only slows."""
    bits, count = OPCODES[opcode]
    rng = np.random.default_rng(1)
    numbers = [rng.standard_normal(_COUNT).astype("f8" if bits == 64 else "f4") for _ in range(count)]
    operands = [n.view(f"u{bits // 8}") for n in numbers]
    evaluate(opcode, *operands)
    taken: list[float] = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(_BATCH):
            evaluate(opcode, *operands)
        taken.append(time.process_time() - begin)
    halves = 2 if opcode.endswith("x2") else 1
    return Row(opcode, operands[0].size * _BATCH * halves / min(taken))


def main(rounds: int = 5, record: Path | None = None, console: Console | None = None) -> int:
    """Print a table, and append it to `record`.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2501 where nothing could be measured, PTX2500 where the record cannot be written.
    """
    console = console or terminal.console()
    if rounds < 1:
        raise Diagnostic("PTX2501", f"--rounds {rounds}: nothing would be measured.", help="give 1 or more")
    rows = [measure(opcode, rounds) for opcode in OPCODES]
    table = Table()
    for head in ("instruction", "results a second", "promised"):
        table.add_column(head)
    for r in rows:
        table.add_row(r.opcode, f"{r.rate:.2e}", f"{r.promised:.0e}")
    console.print(table)
    if record is not None:
        line = {"bench": "functions", "date": machine.today(), **machine.cpu(), "rounds": rounds}
        records.append(record, line | {"rows": list(map(asdict, rows))})
    return 0
