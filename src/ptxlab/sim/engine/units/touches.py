"""Footprints of asynchronous operations, made only where an observer asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.effects import AsyncCopy, AsyncMma
from ptxlab.sim.engine.machine.operation import Footprint, Footprints, Place

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta

Runs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Where runs of bytes begin, and the bytes of each."""


def proxy_of(op: Op) -> str:
    """The proxy in which an asynchronous instruction reads and writes memory."""
    effect = op.inst.form.effect
    assert isinstance(effect, (AsyncCopy, AsyncMma))
    return effect.proxy


def joined(starts: NDArray[np.integer], nbytes: int) -> Runs:
    """The runs that pieces of the same size make up; pieces that lie side by side are one run, and each byte counts once."""
    found = np.unique(starts.reshape(-1).astype(np.int64))
    if not found.size:
        return found, found
    first = np.flatnonzero(np.diff(found, prepend=found[0] - nbytes - 1) > nbytes)
    last = np.append(first[1:], found.size) - 1
    return found[first], found[last] - found[first] + nbytes


def in_shared(cta: Cta, runs: Runs, proxy: str) -> Footprints:
    """Runs of a CTA's shared memory; no footprint where there are none."""
    return (Footprint("shared", cta, *runs, proxy),) if runs[0].size else ()


def in_global(runs: Runs, proxy: str) -> Footprints:
    """Runs of global memory; no footprint where there are none."""
    return (Footprint("global", None, *runs, proxy),) if runs[0].size else ()


def one(start: int, nbytes: int) -> Runs:
    """A single run; none of 0 bytes."""
    count = int(nbytes > 0)
    return np.full(count, start, np.int64), np.full(count, nbytes, np.int64)


def by_lanes(
    cta: Cta | None, lanes: NDArray[np.integer], starts: NDArray[np.integer], nbytes: NDArray[np.integer], proxy: str
) -> Footprints:
    """What each lane touches by itself, in one run; lanes that touch 0 bytes are left out."""
    some = np.flatnonzero(nbytes)
    if not some.size:
        return ()
    runs = starts[some].astype(np.int64), nbytes[some].astype(np.int64)
    space = "global" if cta is None else "shared"
    return (Footprint(space, cta, *runs, proxy, lanes[some].astype(np.int8)),)


def in_ctas(targets: Sequence[Place], nbytes: int, proxy: str) -> Footprints:
    """The same bytes of several CTAs."""
    return tuple(part for place in targets for part in in_shared(place.cta, one(place.offset, nbytes), proxy))
