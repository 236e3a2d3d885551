"""The .global and .const variables of a module, in this process's memory for the simulator."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.abi.loaded import Loaded
from ptxlab.abi.record import Buffer
from ptxlab.diag import Diagnostic
from ptxlab.launch.arrays import empty
from ptxlab.ptx.functions import numbered

if TYPE_CHECKING:
    import numpy.typing as npt

    from ptxlab.ptx.program import Program, Var

_STORED = ("global", "const")
_LEAST_ALIGN = 256  # as the GPU's loader places them, near enough
_providing = threading.Lock()


def _memory(v: Var) -> npt.NDArray[Any]:
    try:
        return empty(v.size, "uint8", align=max(v.align, _LEAST_ALIGN))
    except Diagnostic as short:
        short.message = f"The .{v.space} variable `{v.name}`: {short.message}"
        raise


class Storage:
    """Memory of variables; made when a kernel that can reach them is first simulated, and kept from launch to launch.

    Args:
        module: what reports call the module.
    """

    def __init__(self, module: str) -> None:
        self._bytes: dict[str, npt.NDArray[Any]] = {}
        self._loaded = Loaded(module)

    def provide(self, variables: Iterable[Var], functions: Mapping[str, int]) -> None:
        """Make the variables that are not there yet, with their initial values; `functions`: the address of each function."""
        stored = [v for v in variables if v.space in _STORED and v.size]
        with _providing:  # launches of two threads find the same variables
            self._make([v for v in stored if v.name not in self._bytes], functions)

    def _make(self, fresh: Sequence[Var], functions: Mapping[str, int]) -> None:
        for v in fresh:
            memory = _memory(v)
            memory[:] = 0
            if v.init is not None:
                memory[: len(v.init)] = bytearray(v.init)
            self._bytes[v.name] = memory
            self._loaded.add(Buffer(v.name, self.address(v.name), len(memory), v.space != "const", memory))
        for v in fresh:
            self._relocate(v, functions)

    def _relocate(self, v: Var, functions: Mapping[str, int]) -> None:
        for r in v.references:
            start = self.address(r.symbol) if r.symbol in self._bytes else functions.get(r.symbol)
            if start is not None:
                raw = ((start + r.addend) & ((1 << 8 * r.size) - 1)).to_bytes(r.size, "little")
                self._bytes[v.name][r.offset : r.offset + r.size] = bytearray(raw)

    @property
    def names(self) -> Iterable[str]:
        """The variables that have memory."""
        return self._bytes.keys()

    def address(self, name: str) -> int:
        """Where the variable lies."""
        return int(self._bytes[name].__array_interface__["data"][0])

    def bytes_of(self, name: str) -> npt.NDArray[Any]:
        """The variable's bytes, to read and to write."""
        return self._bytes[name]

    def for_launch(self, program: Program) -> tuple[dict[str, int], list[Buffer]]:
        """Addresses and buffers of what the entry can reach."""
        self.provide(program.variables, numbered(program.module))
        names = [v.name for v in program.variables if v.name in self._bytes]
        return {n: self.address(n) for n in names}, [self._loaded.buffers[n] for n in names]
