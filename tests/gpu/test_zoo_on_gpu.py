"""The right kernels of the bug zoo on a GPU: they end, and give what NumPy gives, time and again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda.array import GpuArray
from ptxlab.layout.tensormap import TensorMap
from sanitizer import zoo

pytestmark = pytest.mark.gpu
MAP_BYTES = 128


class Moved:
    """The arrays of a launch on the GPU, and maps of them, in parameters and in memory."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = {a.ctypes.data: (a, GpuArray(a)) for a in arrays}
        for host, gpu in self.arrays.values():
            if host.dtype == np.uint8 and host.size % MAP_BYTES == 0 and host.size <= 2 * MAP_BYTES:
                gpu.assign(self._maps(host))

    def __call__(self, argument: Any) -> Any:
        if isinstance(argument, np.ndarray):
            return self.arrays[argument.ctypes.data][1]
        bound = getattr(argument, "map", None)
        return argument if bound is None else self._map(bound)

    def _map(self, host: TensorMap) -> TensorMap:
        return replace(host, address=self.arrays[host.address][1].address)

    def _maps(self, host: np.ndarray) -> np.ndarray:
        """Bytes in which the addresses of maps are the GPU's. An address stands in the first eight bytes of a map."""
        out = host.copy()
        words = out.reshape(-1).view(np.uint64)
        for i in range(0, len(words), MAP_BYTES // 8):
            if int(words[i]) in self.arrays:
                words[i] = self.arrays[int(words[i])][1].address
        return out


@pytest.mark.parametrize("kernel", [pytest.param(k, id=f"{k.family}/{k.name}") for k in zoo.kernels()])
def test_right_kernels_give_the_same_on_a_gpu(kernel: zoo.Right) -> None:
    entry = px.parse(str(kernel.text()), kernel.path.name)["k"]
    for _ in range(20):
        launch, results = kernel.launch()
        arrays = {a.ctypes.data: a for a in (*launch["args"], *launch["buffers"]) if isinstance(a, np.ndarray)}
        described = (a.array for a in launch["args"] if hasattr(a, "array"))
        arrays |= {v.address: v.owner for v in described if v.address not in arrays}
        moved = Moved(list(arrays.values()))
        entry.launch(**{**launch, "args": [moved(a) for a in launch["args"]], "buffers": []}, lints=False, device="gpu")
        for host, expected in results:
            np.testing.assert_array_equal(moved(host).numpy(), expected)
