"""The asynchronous units of the machine: importing this package registers them and the meanings of their instructions."""

from ptxlab.sim.units import (
    bulk,
    cluster,
    cp_async,
    events,
    fence,
    layouts,
    mbarrier,
    mma,
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
    "fence",
    "layouts",
    "mbarrier",
    "mma",
    "reductions",
    "regfile",
    "remote",
    "tensormap",
    "tma",
    "trace",
    "wgmma",
    "wmma",
]
