"""Access of GPUs to each other's memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from ptxlab.abi.arrays import CUDA
from ptxlab.abi.places import Place, no_peer
from ptxlab.cuda.driver import Device, bindings, check, failure

_mapped: set[tuple[int, int]] = set()


def map_peers(gpus: Sequence[Device]) -> None:
    """Let each of these GPUs reach the memory of all others. Raises: Diagnostic PTX2343 where one cannot."""
    for here, there in permutations(gpus, 2):
        _map(here, there)


def check_reach(here: Device, there: Device) -> None:
    """Raise PTX2343 where a GPU cannot reach the memory of another one."""
    if not check(bindings().cuDeviceCanAccessPeer(here.handle, there.handle), "cuDeviceCanAccessPeer"):
        why = "the machine joins them by neither NVLink nor a common PCIe switch"
        raise no_peer(Place(CUDA, here.ordinal), "memory", Place(CUDA, there.ordinal), why)


def _map(here: Device, there: Device) -> None:
    pair = here.ordinal, there.ordinal
    if pair in _mapped:
        return
    check_reach(here, there)
    api = bindings()
    with here.current():
        (error,) = api.cuCtxEnablePeerAccess(there.context, 0)
    if int(error) and error != api.CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:
        raise failure(error, "cuCtxEnablePeerAccess")
    _mapped.add(pair)
