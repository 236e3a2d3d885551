"""What is kept of a launch in case it hangs. All launches pass here, so it imports nothing heavy."""

from __future__ import annotations

import ctypes

from ptxlab.abi.record import LaunchRecord
from ptxlab.isa.effects import Access
from ptxlab.sim.engine.decoded.decode import image_of

HANGS = ("PTX9100", "PTX9101")
REMEMBERED = 1 << 16
"""Bytes of small arrays whose contents are kept from before the launch, where the kernel may ask what stands in them."""


class Before:
    """What small arrays hold before the launch, such as flags and counters, where the kernel may ask for them."""

    def __init__(self, record: LaunchRecord) -> None:
        self.kept: dict[int, bytes] = {}
        if _asks(record):
            for b in record.buffers:
                if b.writable and 0 < b.nbytes <= REMEMBERED:
                    self.kept[b.address] = ctypes.string_at(b.address, b.nbytes)


def _asks(record: LaunchRecord) -> bool:
    """Whether the kernel has atomics in global memory, or strong loads of it: known once for an image."""
    image = image_of(record.program)
    found = image.asks
    if found is None:
        found = image.asks = any(
            isinstance(e := op.inst.form.effect, Access)
            and (e.kind == "atomic" or any(t.order != "weak" and t.reads for t in op.inst.effect.touches))
            for op in image.ops
        )
    return found
