"""A launch that comes again with other addresses, and is the same in all else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ptxlab.cuda.launch import Block, Prepared


class Patch(NamedTuple):
    """An address in a parameter block.

    Attributes:
        offset: bytes from where the block begins. slot: whose address. delta: what is added to it.
    """

    offset: int
    slot: int
    delta: int


class Again:
    """A launch that has run, for other addresses. It holds none of the arrays.

    It may be called from several threads: each call takes a parameter block for itself.

    Args:
        launch: what has run. patches: where addresses stand.
    """

    __slots__ = ("_blocks", "_patches", "_record", "_target")

    def __init__(self, launch: Prepared, patches: Sequence[Patch]) -> None:
        self._target, self._record = launch.target_alone, launch.record_alone
        self._patches = tuple((p.offset >> 3, p.slot, p.delta) for p in patches)
        self._blocks: list[tuple[Block, memoryview[int]]] = []

    def __call__(self, addresses: Sequence[int], handle: int) -> None:
        """Launch on a stream. Raises: Diagnostic as a prepared launch."""
        try:
            taken = self._blocks.pop()
        except IndexError:
            block = Block(self._record)
            words = memoryview(block.memory)[block.start : block.start + len(self._record.params) // 8 * 8].cast("Q")
            taken = block, words
        block, words = taken
        for index, slot, delta in self._patches:
            words[index] = addresses[slot] + delta
        target = self._target
        config = target.config(handle)
        (error,) = target.launch(config, target.function, block.address, 0)
        if error is not target.ok:
            target.recover(error, config, block.address)
        self._blocks.append(taken)
