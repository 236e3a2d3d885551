"""Registers of a thread at entry, as ptxas gives them to a kernel with setmaxnreg.

Found with ptxas 13.1 and 13.5 over directives, counts and sizes of kernels. Where directives cap the registers, the kernel starts
with the cap, or with the largest count that setmaxnreg.inc takes where that is less. Where only the number of threads is known,
ptxas caps them for one CTA of an SM if two would not fit anyway, and ignores setmaxnreg (C7508) in kernels that need less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Final

from ptxlab.isa.effects import AsyncMma, RegisterFile
from ptxlab.isa.limits import MAX_REGISTERS, REGISTERS_PER_SM, WARP_SIZE, WARP_UNIT
from ptxlab.isa.operands import Imm
from ptxlab.ptx.flights import product_registers
from ptxlab.ptx.program import Directives, Op, Program

GRANULE: Final = 8
"""Registers of a thread are a multiple of this."""
_BESIDE: Final = 26  # registers that ptxas takes beside those of products in the smallest of kernels


def most_registers(threads: int, ctas: int) -> int:
    """The most registers of a thread with which so many CTAs fit on an SM."""
    warps = -(-threads // WARP_SIZE) * ctas
    together = max(1, -(-warps // WARP_UNIT)) * WARP_UNIT  # no CTA, or no thread, is reported elsewhere
    return min(REGISTERS_PER_SM // (together * WARP_SIZE), MAX_REGISTERS + 1) // GRANULE * GRANULE


def registers_by_directives(directives: Directives) -> int | None:
    """Registers of a thread as .maxnreg caps them, or .minnctapersm with .reqntid or .maxntid; None where nothing does."""
    caps: list[int] = []
    if directives.maxnreg is not None:
        caps.append(-(-directives.maxnreg // GRANULE) * GRANULE)  # the hardware hands out whole granules
    block = directives.reqntid or directives.maxntid
    if block is not None and directives.minnctapersm is not None:
        caps.append(most_registers(prod(block), directives.minnctapersm))
    return min(caps, default=None)


def moving(program: Program) -> list[Op]:
    """The instructions that move registers between a warpgroup and the CTA's pool, in functions too."""
    parts = (program, *program.functions)
    return [op for part in parts for op in part.ops if isinstance(op.inst.form.effect, RegisterFile)]


def needed(program: Program) -> int:
    """Registers that a kernel needs at least, as far as its products tell."""
    written: set[str] = set()
    read = 0
    for part in (program, *program.functions):
        for op in part.ops:
            if isinstance(op.inst.form.effect, AsyncMma):
                accumulators, fragments = product_registers(op)
                written.update(accumulators)
                read = max(read, len(fragments))
    return len(written) + read + _BESIDE


@dataclass(frozen=True, slots=True)
class AtEntry:
    """What a kernel with setmaxnreg starts with.

    Attributes:
        registers: of a thread; None where setmaxnreg is ignored.
        source: who says so: "directives", "ptxas", or "model" where ptxas was not there to be asked.
        from_need: where nothing caps the registers, but the number of threads is known: setmaxnreg counts in a kernel that needs
            more registers than this; None elsewhere.
    """

    registers: int | None
    source: str
    from_need: int | None = None


def at_entry(program: Program, ask: Callable[[], int | None] | None = None) -> AtEntry:
    """What a kernel with setmaxnreg starts with. `ask`: gives the count of ptxas, or None where there is none."""
    directives = program.directives
    cap = registers_by_directives(directives)
    if cap is not None:
        return AtEntry(_wanted(program, cap), "directives")
    block = directives.reqntid or directives.maxntid
    if block is None:
        return AtEntry(None, "directives")
    registers, least = _wanted(program, most_registers(prod(block), 1)), most_registers(prod(block), 2)
    used = ask() if ask is not None else None
    if used is None:
        return AtEntry(registers if needed(program) > least else None, "model", least)
    taken = used > least and used == min(registers, MAX_REGISTERS)
    return AtEntry(registers if taken else None, "ptxas", least)


def _wanted(program: Program, cap: int) -> int:
    """The cap, or the largest count that setmaxnreg.inc takes where that is less."""
    counts = [
        int(count.value)
        for op in moving(program)
        if op.inst.mod("action") == "inc" and isinstance(count := op.inst.operands["count"], Imm)
    ]
    return min(cap, max(counts, default=cap))


__all__ = ["AtEntry", "at_entry", "most_registers", "moving", "needed", "registers_by_directives"]
