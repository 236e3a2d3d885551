"""What an instruction does to the machine besides writing its destination registers.

The simulator's units, the checks and whoever follows what happens before what dispatch on these, never on opcode names. A
row's effect holds terms over the modifiers; `Instance.effect` (`ptxlab.isa.action`) gives the same in plain values for one
instruction, and adds which bytes it touches.

The vocabulary:

order: weak (no order with other threads), relaxed, acquire, release, acq_rel, sc; volatile (as relaxed, at the scope sys, and
    never merged or left out) and mmio (relaxed at sys, exactly once, for memory-mapped input and output).
scope: thread, warp, cta, cluster, gpu or sys: the threads among whom the order holds. `thread` is not PTX's: it stands for
    the executing thread alone, as with waits for groups; `warp` for the lanes that take part. None where there is no order.
proxy: the way by which memory is accessed. generic (ordinary accesses, and cp.async); async (bulk copies, TMA, wgmma, st.async,
    red.async); tensormap (the reads of a tensor map by copies through it); constant (ld.const); texture (what may come from a cache
    that does not follow stores: tex, ld.global.nc, ldu); surface (suld, sust, sured); alias (another virtual address of the same
    memory); fabric (memory of other devices, through fabric operations). A fence joins proxies
    in pairs from → to: accesses before it in the first are ordered before accesses after it in the second.
completion: how a thread learns that an asynchronous operation is done; see `COMPLETIONS`.
footprint: which operand's memory, read or written, in which space, and how much: a row says that in its operands (`Spec.space`,
    `access`, `bytes`, and `extent` where it is more than one run of bytes a thread).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from ptxlab.isa.terms import Term

Word: TypeAlias = Term | str
"""A word of the vocabulary, or the term over the modifiers that gives it."""
Join: TypeAlias = tuple[str, str]
"""Two proxies, from → to."""

ORDERS: Final = ("weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio")
SCOPES: Final = ("thread", "warp", "cta", "cluster", "gpu", "sys")
PROXIES: Final = ("generic", "async", "tensormap", "constant", "texture", "surface", "alias", "fabric")


def both(first: str, second: str) -> tuple[Join, Join]:
    """Two proxies joined in both directions."""
    return (first, second), (second, first)


@dataclass(frozen=True, slots=True)
class Completion:
    """What the end of an asynchronous operation does for those who see it.

    mechanism: a key of `COMPLETIONS`. order, scope: the operation releases what it wrote to the threads of this scope that see
    the completion; "thread" is the one that waits. fence: the proxies that the end joins by itself, None where none are.
    mbarrier: the operand that names the mbarrier which counts the bytes.
    """

    mechanism: str
    order: str
    scope: str
    fence: Join | None = None
    mbarrier: str | None = None


COMPLETIONS: Final[Mapping[str, Completion]] = {
    found.mechanism: found
    for found in (
        # cp.async.wait_group shows what was copied to the thread that waits, and to no other.
        Completion("cp.async-group", "release", "thread"),
        Completion("bulk-group", "release", "thread", ("async", "generic")),
        # The operation's complete_tx on the mbarrier is a release at cluster scope.
        Completion("mbarrier", "release", "cluster", ("async", "generic"), "mbar"),
        Completion("wgmma-group", "release", "thread", ("async", "generic")),
        # fabric.wait tells that shared memory has been read, and shows nothing.
        Completion("fabric", "weak", "thread"),
        # Nobody is told: what comes later in the same thread is ordered by its own release.
        Completion("none", "weak", "thread"),
    )
}


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """Base: computes registers from registers, nothing else."""


@dataclass(frozen=True, slots=True, eq=False)
class Compute(Effect):
    """Registers from registers.

    Attributes:
        each: what every lane gets, for those who follow integers and addresses: add, sub, mul, and, or, xor, not, shl, shr (of the
            operand's type), copy, compare (by the modifier cmp), or mapa (the same place in the CTA of that rank); None where
            nobody follows them.
        of: the operands that it is computed of. to: the operand that gets it. when: where this holds; None: always.
        flips: bits of an operand may turn those of another, as xor does.
    """

    each: str | None = None
    of: tuple[str, ...] = ("a", "b")
    to: str = "d"
    when: Term | None = None
    flips: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Carry(Effect):
    """Computes registers from registers and the thread's carry, which it reads or leaves for the next instruction."""

    reads: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Access(Effect):
    """An access to memory that is done when the thread goes on.

    Attributes:
        kind: load, store, atomic, or discard (what was there is lost).
        order, scope: how it is ordered with other threads' accesses to the same place.
        proxy: by which way.
        update: what an atomic does to memory: add, and, or, xor, inc, dec, min, max, exch, cas (exchanges if equal).
        tensormap: what is done to a tensor map there: replace the field `field`, or publish it (written as a whole, then released).
        joins: the proxies that it joins like a fence, behind the access.
    """

    kind: str
    order: Word = "weak"
    scope: Word | None = None
    proxy: Word = "generic"
    update: Word | None = None
    tensormap: str | None = None
    field: str | None = None
    joins: tuple[Join, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class AsyncCopy(Effect):
    """Copies in the background: an agent of its own, which reads, writes and completes.

    Attributes:
        proxy: in which it reads and writes memory; a tensor map it reads in the tensormap proxy.
        completion: cp.async-group, bulk-group, mbarrier or none; see `COMPLETIONS`.
        tensor: through a tensor map, in the load mode `mode`: tile, im2col, im2col::w …
        order, scope: of each of its writes. update: what it does to memory where it does not just write, as with an Access.
        multicast: the operand that names the CTAs of the cluster which get what is written, and a report to their mbarriers.
        replicas: whether it writes through a multicast address, to every array behind it.
    """

    proxy: str
    completion: str
    tensor: bool = False
    mode: Word = "tile"
    order: Word = "weak"
    scope: Word | None = None
    update: Word | None = None
    multicast: str | None = None
    replicas: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class AsyncMma(Effect):
    """A warpgroup matrix multiply in the background, completed by wgmma groups; reads shared memory in the async proxy.

    Until then its registers belong to it: those of the accumulator, and of A where that lies in registers.
    """

    proxy: str = "async"
    completion: str = "wgmma-group"


@dataclass(frozen=True, slots=True, eq=False)
class Group(Effect):
    """`commit` of or `wait` for a group of asynchronous operations; `reads_only` waits for source reads alone.

    `fence` (of wgmma) orders accesses to registers before the operations that follow, and no memory.
    A wait's count has `bits` bits, the rest is dropped, and more than `most` is taken as `most`: so does ptxas.
    """

    kind: str
    group: str
    reads_only: Term | None = None
    bits: int = 64
    most: int = 0

    def pending(self, count: int) -> int:
        """How many groups may still be pending after a wait for `count`."""
        return min(count % (1 << self.bits), self.most)


@dataclass(frozen=True, slots=True, eq=False)
class Mbarrier(Effect):
    """An operation on an mbarrier: init, inval, arrive, expect_tx, complete_tx, test_wait, try_wait.

    `after`: the operations of this thread that have to be done before it happens: then it is asynchronous.
    """

    kind: str
    order: Word = "weak"
    scope: Word | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Barrier(Effect):
    """An execution barrier. `scope`: cta, warp or cluster; `kind`: sync, arrive or wait; `order` among those that take part."""

    scope: str
    kind: str
    order: Word = "acq_rel"


@dataclass(frozen=True, slots=True, eq=False)
class Fence(Effect):
    """Orders memory accesses.

    Attributes:
        order, scope: among which threads; a fence that only joins proxies does it for the executing thread.
        joins: the proxies between which it orders, each from → to; empty for a fence of the generic proxy.
        space: the only state space whose accesses it orders; None: all.
        only: the only operations that it orders: mbarrier.init. over: the operand that names the only memory that it is about.
    """

    order: Word
    scope: Word
    joins: tuple[Join, ...] = ()
    space: Word | None = None
    only: str | None = None
    over: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GridDependency(Effect):
    """`launch_dependents` lets dependent grids start; `wait` waits for the grids before this one and sees what they wrote."""

    kind: Word
    order: Word
    scope: Word


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Effect):
    """Changes the flow of control: branch, call, return, exit, trap. `to`: the operand that is the only place it can go to."""

    kind: str
    to: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Stack(Effect):
    """Moves the end of the thread's stack, or gives it: take, save, restore."""

    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Hint(Effect):
    """No effect on values: cache policies, prefetches, scheduling hints."""


@dataclass(frozen=True, slots=True, eq=False)
class RegisterFile(Effect):
    """Moves registers between a warpgroup and the CTA's pool."""


@dataclass(frozen=True, slots=True, eq=False)
class WarpWide(Effect):
    """Exchanges data or elects among the threads of a warp; orders no memory.

    `elects`: the operand that is true in one lane alone. `reads`: the operand that is read in a lane which the instruction names.
    `varies`: what it gives depends on which lanes happen to run together.
    """

    elects: str | None = None
    reads: str | None = None
    varies: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Effect):
    """Anything: what it does lies outside of what is modelled, in tensor memory, textures or surfaces.

    Attributes:
        kind: load, store or atomic, where it is an access through `proxy` to the texture or the surface that the operand `a` names;
            the memory behind that is not known. update: what an atomic one does there.
    """

    kind: str | None = None
    proxy: str | None = None
    update: Word | None = None
