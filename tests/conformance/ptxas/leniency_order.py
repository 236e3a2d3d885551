"""What ptxas takes at another place than the rows, or from another instruction: part of `leniency`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from changing import Change

from ptxlab.isa.enumerate import Candidate


def _another_fence(one: Candidate) -> Iterator[Candidate]:
    """Words of tcgen05's fence in wgmma's."""
    yield replace(one, opcode=re.sub(r"^wgmma\.fence::(before|after)_thread_sync\b", "wgmma.fence", one.opcode))


def _places_exchanged(one: Candidate) -> Iterator[Candidate]:
    """A reduction of a tensor with another address, in the order of a load: shared memory, the map, and the address in brackets."""
    if (
        re.match(r"cp\.reduce\.async\.bulk\.tensor\..*\.override::global_address", one.opcode)
        and len(one.operands) == 3
    ):
        shared, tensor, _ = one.operands
        yield replace(one, opcode=one.opcode.replace(".override::global_address", ""), operands=(tensor, shared))


ORDER: tuple[Change, ...] = (_another_fence, _places_exchanged)

__all__ = ["ORDER"]
