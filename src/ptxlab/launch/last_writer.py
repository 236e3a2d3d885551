"""Who has written an element that is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.memory import address_of
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Access


@dataclass(frozen=True, slots=True)
class Written:
    """Who has written the first of some elements last; None: nobody, as far as is known. notes: in words, with the others."""

    writer: Access | None
    notes: list[str]


def written(record: LaunchRecord, options: SimOptions, array: NDArray[Any], where: NDArray[np.int64]) -> Written:
    """Run a launch again, whose memory is as before it. where: indices of elements of an array."""
    from ptxlab.sim.diagnose.observe.launch import last_writer

    addresses = address_of(array) + where @ np.array(array.strides, np.int64)
    writer, unwritten = last_writer(record, options, addresses)
    others = unwritten - (writer is None)
    notes = ["nobody writes this element"]
    if writer is not None:
        kind = "an operation of thread" if writer.asynchronous else "thread"
        notes = [f"written last by {kind} {writer.thread} of CTA {writer.cta}: `{writer.instruction}`"]
    if others:
        notes.append(f"nobody writes {others} of the other wrong elements")
    return Written(writer, notes)


__all__ = ["Written", "written"]
