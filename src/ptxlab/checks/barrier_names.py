"""What an mbarrier is called: by its place in the array that it belongs to, where the kernel has one."""

from __future__ import annotations

from ptxlab.checks.analysis import Analysis
from ptxlab.checks.values import Place, Values
from ptxlab.isa.effects import Mbarrier
from ptxlab.isa.operands import Addr
from ptxlab.layout.shared_tile import MBARRIER_BYTES, element
from ptxlab.ptx.program import Op


def barrier_operand(op: Op) -> Addr | None:
    """The operand by which an instruction names an mbarrier."""
    addresses = [o for o in op.inst.operands.values() if isinstance(o, Addr)]
    barrier = addresses[0] if len(addresses) == 1 else op.inst.operands.get("mbar")
    return barrier if isinstance(barrier, Addr) else None


def barrier_place(op: Op, values: Values) -> tuple[str, int] | None:
    """The variable in which that lies and how far behind its start; None where it is known on the device alone."""
    barrier = barrier_operand(op)
    place = None if barrier is None else values.operand(barrier.base)
    if barrier is None or not isinstance(place, Place):
        return None
    return place.symbol, place.offset + barrier.offset


def barrier_name(analysis: Analysis, symbol: str, offset: int) -> str | None:
    """ "`full[1]`", or "`full`" where there is but one; None in a variable that is no array of mbarriers.

    One is where its elements have 8 bytes, and where the kernel initialises an mbarrier in each 8 of its bytes.
    """
    var = next((v for v in analysis.program.variables if v.name == symbol and v.space == "shared"), None)
    if var is None or not 0 <= offset < var.size:
        return None
    if var.type.bytes != MBARRIER_BYTES and _initialised(analysis, symbol) != set(range(0, var.size, MBARRIER_BYTES)):
        return None
    return element(symbol, offset, alone=var.size == MBARRIER_BYTES)


def _initialised(analysis: Analysis, symbol: str) -> set[int]:
    """Where in a variable the kernel initialises mbarriers."""
    inits = (
        barrier_place(op, analysis.constants)
        for op in analysis.program.ops
        if type(op.inst.form.effect) is Mbarrier and op.inst.form.effect.kind == "init"
    )
    return {place[1] for place in inits if place is not None and place[0] == symbol}
