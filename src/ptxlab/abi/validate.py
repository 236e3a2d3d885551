"""What a launch may look like: extents, clusters and shared memory against the kernel's directives and the machine."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.abi import limits
from ptxlab.abi.record import Dim3
from ptxlab.diag import Diagnostic
from ptxlab.isa.targets import Target

if TYPE_CHECKING:
    from ptxlab.ptx.program import Directives, Program

Extents = int | Sequence[int]
_CLUSTERS_FROM = 90  # sm number
_ISA_CLUSTER = "Cluster-Dimension-Directives"
_ISA_TUNING = "Performance-Tuning-Directives"


def extents(name: str, given: Any) -> Dim3:
    """`given` as three positive extents; missing ones are 1.

    Raises: Diagnostic PTX2001.
    """
    try:
        values = tuple(operator.index(v) for v in ((given,) if _is_index(given) else given))
    except TypeError:
        values = ()
    if not 1 <= len(values) <= 3 or min(values) < 1:
        raise Diagnostic("PTX2001", f"{name}={given!r} are no extents of a launch.")
    return (*values, 1, 1)[:3]  # type: ignore[return-value]


def _is_index(value: Any) -> bool:
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def geometry(program: Program, grid: Dim3, block: Dim3, cluster: Dim3 | None, shared: int) -> Iterator[Diagnostic]:
    """All that is wrong with the extents of a launch. `cluster` is None where the call names none."""
    yield from _grid(grid)
    yield from _block(block, program.directives)
    yield from _cluster(grid, cluster, program)
    yield from _shared(shared, program)
    yield from _param_bytes(program)


def _grid(grid: Dim3) -> Iterator[Diagnostic]:
    for axis, extent, most in zip("xyz", grid, limits.MAX_GRID, strict=True):
        if extent > most:
            yield Diagnostic(
                "PTX2005",
                f"The grid has {extent} CTAs along {axis}; {most} is the limit.",
                help="put the longest dimension in x",
            )


def _block(block: Dim3, directives: Directives) -> Iterator[Diagnostic]:
    threads = math.prod(block)
    required, most = directives.reqntid, directives.maxntid
    if threads > limits.MAX_THREADS or any(b > m for b, m in zip(block, limits.MAX_BLOCK, strict=True)):
        yield Diagnostic(
            "PTX2002",
            f"A block of {_times(block)} has {threads} threads.",
            help=f"at most {limits.MAX_THREADS} threads, and {_times(limits.MAX_BLOCK)} along x, y, z",
        )
    if required is not None and block != required:
        yield Diagnostic(
            "PTX2003",
            f"The block is {_times(block)}; the kernel's .reqntid says {_times(required)}.",
            help=f"launch with block={required}",
            isa=_ISA_TUNING,
        )
    if most is not None and threads > math.prod(most):
        yield Diagnostic(
            "PTX2004",
            f"The block has {threads} threads; the kernel's .maxntid allows {math.prod(most)}.",
            help="launch with fewer threads, or raise .maxntid",
            isa=_ISA_TUNING,
        )


def cluster_of(program: Program, cluster: Dim3 | None) -> Dim3:
    """The cluster that a launch runs with: the one it names, else the kernel's own, else single CTAs."""
    return cluster or program.directives.reqnctapercluster or (1, 1, 1)


def _cluster(grid: Dim3, cluster: Dim3 | None, program: Program) -> Iterator[Diagnostic]:
    directives = program.directives
    required, most = directives.reqnctapercluster, directives.maxclusterrank
    if cluster is None and required is None:
        if directives.explicitcluster:
            yield Diagnostic(
                "PTX2009",
                "The kernel is .explicitcluster; the launch must name a cluster.",
                help="add cluster=(…)",
                isa=_ISA_CLUSTER,
            )
        return
    used = cluster_of(program, cluster)
    size = math.prod(used)
    if required is not None and used != required:
        yield Diagnostic(
            "PTX2008",
            f"The cluster is {_times(used)}; the kernel's .reqnctapercluster says {_times(required)}.",
            help=f"launch with cluster={required}, or without one",
            isa=_ISA_CLUSTER,
        )
    if most is not None and size > most:
        yield Diagnostic(
            "PTX2007",
            f"A cluster of {_times(used)} has {size} CTAs; the kernel's .maxclusterrank is {most}.",
            help=f"use at most {most} CTAs",
            isa=_ISA_CLUSTER,
        )
    if size > limits.MAX_CLUSTER_NON_PORTABLE:
        yield Diagnostic(
            "PTX2007",
            f"A cluster of {_times(used)} has {size} CTAs.",
            help=f"{limits.MAX_CLUSTER} run everywhere, {limits.MAX_CLUSTER_NON_PORTABLE} at most on an H100",
            isa=_ISA_CLUSTER,
        )
    yield from _divides(grid, used)
    yield from _cluster_target(program, size)


def _divides(grid: Dim3, cluster: Dim3) -> Iterator[Diagnostic]:
    if any(g % c for g, c in zip(grid, cluster, strict=True)):
        rounded = tuple(-(-g // c) * c for g, c in zip(grid, cluster, strict=True))
        yield Diagnostic(
            "PTX2006",
            f"A grid of {_times(grid)} CTAs cannot be cut into clusters of {_times(cluster)}.",
            help=f"the grid counts CTAs, not clusters: round it up, here to {rounded}",
            isa=_ISA_CLUSTER,
        )


def _cluster_target(program: Program, size: int) -> Iterator[Diagnostic]:
    target = program.module.target
    try:
        old = target is not None and Target.parse(target).number < _CLUSTERS_FROM
    except ValueError:
        return  # the parser's business
    if old and size > 1:
        yield Diagnostic(
            "PTX2011",
            f"Code for {target} cannot run in clusters.",
            help="write .target sm_90 or sm_90a",
            isa=_ISA_CLUSTER,
        )


def _shared(shared: int, program: Program) -> Iterator[Diagnostic]:
    if shared < 0:
        yield Diagnostic(
            "PTX2010", f"shared={shared} is no size.", help="give bytes of dynamic shared memory, 0 for none"
        )
        return
    static = program.shared_static
    total = static + shared
    if total > limits.SHARED_PER_CTA:
        parts = f"{static} bytes static and {shared} dynamic" if static and shared else f"{total} bytes"
        yield Diagnostic(
            "PTX2010",
            f"The CTA asks for {parts}{f', together {total}' if static and shared else ''}; "
            f"{limits.SHARED_PER_CTA} (227 KB) is the limit.",
            help=f"use {total - limits.SHARED_PER_CTA} bytes less: smaller tiles or fewer stages",
        )


def _param_bytes(program: Program) -> Iterator[Diagnostic]:
    version = program.module.version
    large = version is not None and version >= (8, 1)
    most = limits.PARAM_BYTES_LARGE if large else limits.PARAM_BYTES
    if program.param_bytes > most:
        yield Diagnostic(
            "PTX2313",
            f"The parameters take {program.param_bytes} bytes; {most} is the limit.",
            help="put the data into an array and pass that"
            if large
            else "write .version 8.1 or newer, or pass an array",
        )


def _times(values: Dim3) -> str:
    return "×".join(map(str, values))
