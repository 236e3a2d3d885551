"""Multicast addresses for multimem instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ptxlab.abi.arrays import CPU, ArrayView, view
from ptxlab.abi.memory import address_of
from ptxlab.abi.multicast import Replicas
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.arrays import empty


@public
def multicast(arrays: Sequence[Any]) -> ArrayView:
    """One address for arrays of several devices, which multimem instructions take: loads combine them, stores go to each.

    Only multimem instructions reach it. Sums of floats run from the first array to the last; which order NVLink's switch takes is
    not documented, and no chip was asked.

    Args:
        arrays: of one shape and dtype, contiguous, each on a simulated device of its own (`px.devices`).

    Returns: a view for launches, of the arrays' shape and dtype.

    Raises: Diagnostic PTX2344 for arrays that do not fit together, and for those on GPUs.

    Example:
        @px.kernel(target="sm_90", threads=32)
        def total(k, x: px.Ptr[px.u32], out: px.Ptr[px.u32]):
            at = k.tid.x
            k.st.global_.u32(out[at], k.multimem.ld_reduce.relaxed.sys.global_.add.u32(x[at]))

        devices = px.devices(4)
        x = px.multicast([device.copy(np.arange(32, dtype=np.uint32)) for device in devices])
        out = devices[0].zeros(32, np.uint32)
        total[1](x, out, stream=px.Stream(devices[0]))
        px.synchronize()
        print(out[3])  # 12
    """
    views = [view(a) for a in arrays]
    wrong = _wrong(views)
    if wrong is not None:
        raise Diagnostic("PTX2344", wrong[0], help=wrong[1], origin=user_span())
    first = views[0]
    low, high = first.extent
    reserved = empty(high - low, "uint8")  # addresses that are nobody else's; nothing is read or written there
    return ArrayView(
        Replicas(tuple(views)),
        address=address_of(reserved),
        shape=first.shape,
        strides=first.strides,
        dtype=first.dtype,
        itemsize=first.itemsize,
        device=CPU,
        ordinal=first.ordinal,
        keep=reserved,
    )


def _wrong(views: Sequence[ArrayView]) -> tuple[str, str] | None:
    """What is wrong with arrays for a multicast address, and the way out."""
    if not views:
        return "There are no arrays.", "give one for each device"
    if any(v.device != CPU for v in views):
        return "Multicast addresses are simulated only.", "give arrays of px.devices(…)"
    if len({(v.shape, v.dtype) for v in views}) > 1:
        return f"There are {' and '.join(dict.fromkeys(map(str, views)))}.", "give arrays of one shape and dtype"
    if len({v.ordinal for v in views}) < len(views):
        return "Two of the arrays lie on one device.", "give one for each device: device.copy(…), device.zeros(…)"
    if not all(v.contiguous and v.writable for v in views):
        return "An array is read-only, or its elements do not lie side by side.", "give whole arrays"
    return None
