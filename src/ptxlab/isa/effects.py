"""What an instruction does to the machine besides writing its destination registers.

The simulator's units and the sanitizer dispatch on these, never on opcode names.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ptxlab.isa.terms import Term


@dataclass(frozen=True, slots=True)
class Effect:
    """Base: computes registers from registers, nothing else."""


@dataclass(frozen=True, slots=True)
class Compute(Effect):
    """Registers from registers.

    Attributes:
        each: what every lane gets, for those who follow integers and addresses: add, sub, mul, and, or, xor, not, shl, shr (of the
            operand's type), copy, or compare (by the modifier cmp); None where nobody follows them.
        of: the operands that it is computed of. to: the operand that gets it. when: where this holds; None: always.
    """

    each: str | None = None
    of: tuple[str, ...] = ("a", "b")
    to: str = "d"
    when: Term | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Carry(Effect):
    """Computes registers from registers and the thread's carry, which it reads or leaves for the next instruction."""

    reads: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Access(Effect):
    """A synchronous access to memory.

    `kind`: load, store, atomic, prefetch; `proxy` as the memory model names it. `tensormap`: what is done to a tensor map there:
    replace a field, or publish it (written as a whole and released to the tensormap proxy).
    """

    kind: str
    proxy: str = "generic"
    tensormap: str | None = None


@dataclass(frozen=True, slots=True)
class AsyncCopy(Effect):
    """Copies in the background. `completion`: cp.async-group, bulk-group or mbarrier; `tensor`: through a tensor map, in the
    load mode `mode`: tile, im2col, im2col::w …"""

    proxy: str
    completion: str
    tensor: bool = False
    mode: str = "tile"


@dataclass(frozen=True, slots=True)
class AsyncMma(Effect):
    """A warpgroup matrix multiply in the background, completed by wgmma groups; reads shared memory in the async proxy."""

    proxy: str = "async"
    completion: str = "wgmma-group"


@dataclass(frozen=True, slots=True)
class Group(Effect):
    """`commit` of or `wait` for a group of asynchronous operations; `reads_only` waits for source reads alone.

    A wait's count has `bits` bits, the rest is dropped, and more than `most` is taken as `most`: so does ptxas.
    """

    kind: str
    group: str
    reads_only: bool = False
    bits: int = 64
    most: int = 0

    def pending(self, count: int) -> int:
        """How many groups may still be pending after a wait for `count`."""
        return min(count % (1 << self.bits), self.most)


@dataclass(frozen=True, slots=True)
class Mbarrier(Effect):
    """An operation on an mbarrier: init, inval, arrive, expect_tx, complete_tx, test_wait, try_wait."""

    kind: str


@dataclass(frozen=True, slots=True)
class Barrier(Effect):
    """An execution barrier. `scope`: cta, warp or cluster; `kind`: sync, arrive or wait."""

    scope: str
    kind: str


@dataclass(frozen=True, slots=True)
class Fence(Effect):
    """Orders memory accesses. `proxies`: the two proxies that it joins, empty for a plain fence."""

    proxies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch(Effect):
    """Changes the flow of control: branch, call, return, exit, trap."""

    kind: str


@dataclass(frozen=True, slots=True)
class Hint(Effect):
    """No effect on values: cache policies, prefetches, scheduling hints."""


@dataclass(frozen=True, slots=True)
class RegisterFile(Effect):
    """Moves registers between a warpgroup and the CTA's pool."""


@dataclass(frozen=True, slots=True)
class WarpWide(Effect):
    """Exchanges data or elects among the threads of a warp. `elects`: the operand that is true in one lane alone."""

    elects: str | None = None


@dataclass(frozen=True, slots=True)
class Opaque(Effect):
    """Anything: an instruction whose forms ptxlab does not know."""
