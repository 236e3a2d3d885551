"""What registers, shared and local memory hold before anybody writes them.

A GPU leaves there what an earlier CTA or kernel left. Zeros would hide a kernel that depends on it, so every CTA begins with a
pattern drawn from the launch's seed: what depends on it changes with the seed, and comes again with the same one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block, Bytes, address, allocate
from ptxlab.sim.engine.decoded.decode import Image
from ptxlab.sim.engine.machine.draws import draw

_UNWRITTEN = 0x706F_6973_6F6E  # the key of these draws

_CODES = 0x7FFF_0000
"""The bits of a word that are a code of residues, of a program that computes with these."""


class Unwritten:
    """The first contents of a CTA: images of the registers of a warp, of shared memory, and of a thread's local memory.

    The native start of a CTA copies them. Of the registers it copies those that a thread may read before it writes them: the
    rest are as the CTA before left them, and at first as in the image.
    """

    def __init__(self, image: Image, shared_bytes: int, seed: int, *, poison: bool) -> None:
        """`poison`: a pattern that the seed draws; else zeros."""
        self.registers, self.exposed = image.registers, image.exposed
        sizes = (len(image.registers), shared_bytes, image.unwritten_local)
        self.rows, self.shared, self.local = (
            _pattern(n, seed, i, poison, image.program.coded) for i, n in enumerate(sizes)
        )

    def attach(self, env: Block) -> None:
        """Tell the native start of CTAs where the images are."""
        env.set64(F.E_UNWRITTEN_ROWS, address(self.rows) + self.exposed.start - self.registers.start)
        env.set64(F.E_UNWRITTEN_ROWS_AT, self.exposed.start)
        env.set64(F.E_UNWRITTEN_ROWS_BYTES, len(self.exposed))
        env.set64(F.E_UNWRITTEN_SHARED, address(self.shared))
        env.set64(F.E_UNWRITTEN_LOCAL, address(self.local))
        env.set64(F.E_UNWRITTEN_LOCAL_BYTES, len(self.local))

    def fill(self, frame: Bytes) -> None:
        """All registers of a new frame."""
        frame[self.registers.start : self.registers.stop] = self.rows


@lru_cache(maxsize=16)
def _pattern(nbytes: int, seed: int, part: int, poison: bool, coded: str) -> Bytes:
    """An image, shared by the launches that begin with it: it is only read. coded: of codes, for numbers of 16 and of 32 bits."""
    out = allocate(nbytes)
    if poison and nbytes:
        generator = np.random.Generator(np.random.PCG64(draw(seed, _UNWRITTEN, part)))
        out[:] = np.frombuffer(generator.bytes(nbytes), np.uint8)
        if coded:
            words = out[: nbytes // 4 * 4].view(np.uint32)
            words &= np.uint32(_CODES)
    out.flags.writeable = False
    return out
