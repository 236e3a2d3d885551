"""The asynchronous units of the machine: importing this package registers them and the meanings of their instructions."""

from ptxlab.sim.units import (
    bulk,
    cluster,
    cp_async,
    events,
    layouts,
    mbarrier,
    mma,
    mma_sparse,
    reductions,
    regfile,
    remote,
    tensormap,
    tma,
    trace,
    wgmma,
    wmma,
)

__all__ = [
    "bulk",
    "cluster",
    "cp_async",
    "events",
    "layouts",
    "mbarrier",
    "mma",
    "mma_sparse",
    "reductions",
    "regfile",
    "remote",
    "tensormap",
    "tma",
    "trace",
    "wgmma",
    "wmma",
]
