"""Where the global memory of a launch lies in this process."""

from __future__ import annotations

from ptxlab.sim.engine.compiled.native import Block, Bytes, allocate
from ptxlab.sim.engine.machine.heap import existing


class Memory:
    """Buffers lie at the addresses that the kernel sees. A subclass may have them elsewhere."""

    def parameters(self, nbytes: int) -> Bytes:
        """Room for the parameter block."""
        return allocate(nbytes, 64)

    def apart(self, where: int) -> int:
        """What to add to an address in a buffer for its place in this process, modulo 2^64."""
        return 0

    def attach(self, env: Block) -> None:
        """Tell the native environment."""
        known = existing()
        if known is not None:
            known.attach(env)
