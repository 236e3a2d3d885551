"""mbarriers of shared memory by the names that a kernel declares them with."""

from __future__ import annotations

from ptxlab.abi.record import LaunchRecord
from ptxlab.layout.shared_tile import MBARRIER_BYTES, SharedMbarriers
from ptxlab.sim.engine.machine.declared import Declared, names_shared


def declared_at(record: LaunchRecord, offset: int) -> tuple[SharedMbarriers, int] | None:
    """What a kernel written in Python declares as mbarriers at an offset into its shared memory, and how far behind their start
    that is; None where it declares none there, and for kernels given as PTX."""
    for found in record.mbarriers:
        begin = found.offset
        if begin is None:
            var = record.program.variable(found.name)
            begin = var.offset if var is not None else offset + 1
        if begin <= offset < begin + found.nbytes:
            return found, offset - begin
    return None


@names_shared
def _named(record: LaunchRecord, offset: int) -> Declared | None:
    found = declared_at(record, offset)
    return None if found is None else Declared(found[0].name, found[1], alone=found[0].n == 1)


def counting_at(record: LaunchRecord, offset: int, count: int) -> SharedMbarriers | None:
    """The declaration of an mbarrier that counts so many arrivals; None where an instruction in the kernel initialises it."""
    found = declared_at(record, offset)
    return found[0] if found is not None and found[0].count == count else None


def count_help(known: SharedMbarriers | None, threads: int) -> str:
    """What helps where an mbarrier counts fewer arrivals than threads arrive. known: its declaration, if any."""
    way = f"count {threads} in mbarrier.init" if known is None else f"`{known.counting(threads)}` ({known.place.shown})"
    return f"let the phase wait for all threads that arrive: {way}"


def mbarrier_at(record: LaunchRecord, offset: int) -> tuple[str, int] | None:
    """The array in which an mbarrier lies and which of its elements it is; None where no variable lies there."""
    found = declared_at(record, offset)
    if found is not None:
        return found[0].name, found[1] // MBARRIER_BYTES
    for var in record.program.variables:
        if var.space.startswith("shared") and var.offset <= offset < var.offset + var.size:
            return var.name, (offset - var.offset) // MBARRIER_BYTES
    return None
