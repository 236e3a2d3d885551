"""A kernel of the zoo on a GPU: `python -m sanitizer.on_gpu FAMILY/KERNEL [MUTANT]` in the folder tests, for other tools to watch.

A faulty kernel may hang or fail: give each a process and a time limit.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.cuda.array import GpuArray
from ptxlab.layout.tensormap import TensorMap

from . import zoo

MAP_BYTES = 128


class Moved:
    """The arrays of a launch on the GPU, and maps of them, in parameters and in memory."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = {a.ctypes.data: (a, GpuArray(a)) for a in arrays}
        for host, gpu in self.arrays.values():
            if host.dtype == np.uint8 and host.size in (MAP_BYTES, 2 * MAP_BYTES):
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


def results(kernel: zoo.Right, mutant: zoo.Mutant | None = None) -> list[tuple[np.ndarray, Any]]:
    """Launch it; what arrays hold then, and what they should."""
    entry = px.parse(str(kernel.text(mutant)), kernel.path.name)["k"]
    launch, expected = kernel.launch()
    arrays = {a.ctypes.data: a for a in (*launch["args"], *launch["buffers"]) if isinstance(a, np.ndarray)}
    described = (a.array for a in launch["args"] if hasattr(a, "array"))
    arrays |= {v.address: v.owner for v in described if v.address not in arrays}
    moved = Moved(list(arrays.values()))
    args = [moved(a) for a in launch["args"]]
    entry.launch(**{**launch, "args": args, "buffers": []}, lints=False, device="gpu")
    return [(moved(host).numpy(), value) for host, value in expected]


def main(place: str, mutation: str = "") -> int:
    family, _, name = place.partition("/")
    (kernel,) = (k for k in zoo.kernels() if (k.family, k.name) == (family, name))
    mutant = next((m for m in kernel.mutants if m.name == mutation), None)
    if mutation and mutant is None:
        print(f"{place} has no mutation {mutation!r}: {', '.join(m.name for m in kernel.mutants)}", file=sys.stderr)
        return 2
    right = all(np.array_equal(got, expected) for got, expected in results(kernel, mutant))
    print("right" if right else "wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
