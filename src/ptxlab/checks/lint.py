"""Lints: patterns across the instructions of a kernel or function that rarely mean what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ptxlab.checks.analysis import Analysis
from ptxlab.checks.asynchronous import check_groups
from ptxlab.checks.convergence import check_convergence
from ptxlab.checks.grids import check_grid_waits
from ptxlab.checks.mbarriers import check_mbarriers
from ptxlab.checks.parameters import check_parameters
from ptxlab.checks.rebinding import check_rebinding
from ptxlab.checks.registers import check_reached, check_registers
from ptxlab.checks.tensormaps import check_tensormaps
from ptxlab.checks.transactions import check_transactions
from ptxlab.checks.wgmma import check_wgmma
from ptxlab.diag import Diagnostic

_IN_ALL: tuple[Callable[[Analysis], Iterator[Diagnostic]], ...] = (
    check_reached,
    check_registers,
    check_convergence,
    check_parameters,
    check_wgmma,
    check_rebinding,
)
# What a function leaves open its caller may close, so that these speak of kernels alone.
_IN_KERNELS: tuple[Callable[[Analysis], Iterator[Diagnostic]], ...] = (
    check_groups,
    check_mbarriers,
    check_transactions,
    check_tensormaps,
    check_grid_waits,
)


def check_lints(analysis: Analysis) -> list[Diagnostic]:
    """All lints of one kernel or function, in the order of the text."""
    if not analysis.program.ops:
        return []
    passes = _IN_ALL + (_IN_KERNELS if analysis.program.function.kind == "entry" else ())
    found = [d for one in passes for d in one(analysis)]
    return sorted(found, key=lambda d: (d.span.line, d.span.column) if d.span is not None else (0, 0))
