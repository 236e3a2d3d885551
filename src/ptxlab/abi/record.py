"""The launch record: one launch, checked and packed, as the simulator and the GPU side both take it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxlab.abi.multicast import Multicast
    from ptxlab.layout.shared_tile import SharedMbarriers, SharedTile
    from ptxlab.ptx.program import Program

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Buffer:
    """A piece of memory that a kernel may reach.

    Attributes:
        name: what reports call it: the parameter's or the variable's name, or `buffers[i]`.
        address: of its first byte. On the CPU it is a real address of this process.
        nbytes: bytes from the first to behind the last byte of the array, gaps between rows included.
        writable: False for read-only arrays and for .const variables.
        array: the object that owns the memory; it is kept alive by this reference.
    """

    name: str
    address: int
    nbytes: int
    writable: bool
    array: Any = field(repr=False, compare=False)

    @property
    def end(self) -> int:
        """The address behind its last byte."""
        return self.address + self.nbytes


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """One launch.

    Attributes:
        program: the lowered entry.
        grid, block, cluster: extents x, y, z; a launch without clusters has cluster (1, 1, 1). `grid` counts CTAs.
        cluster_named: whether the call itself names a cluster, be it one of a single CTA.
        shared: bytes of dynamic shared memory.
        params: the parameter block, laid out by `program.params`.
        buffers: all memory that the kernel may reach: array arguments, arrays behind tensor maps, extra buffers,
            and the module's variables (see `variables`). Nothing outside is legal to touch.
        variables: address of each .global and .const variable of the module, by its name in `program.variables`.
        multicasts: addresses that multimem instructions take; the arrays behind them are among `buffers`.
        elsewhere: addresses of those in `buffers` that are variables of other modules: a pointer in memory may lead to one.
        device: "cpu" or "cuda"; where the addresses are. ordinal: which GPU, or which simulated device, runs it.
        programmatic: whether the grid may begin before the one in front of it has ended; None: where its kernel waits for it.
        cooperative: whether all CTAs must be resident at once. workspace: where the barrier of such a grid lies, 0 for none.
        registers: asks the assembler what a thread takes; None, or an answer of None, where nobody knows.
        tiles, mbarriers: of shared memory, where the kernel was written with them; tiles by name.
    """

    program: Program = field(repr=False)
    grid: Dim3
    block: Dim3
    cluster: Dim3
    shared: int
    params: bytes
    buffers: tuple[Buffer, ...] = ()
    variables: Mapping[str, int] = field(default_factory=dict[str, int])
    elsewhere: frozenset[int] = frozenset()
    multicasts: tuple[Multicast, ...] = ()
    device: str = "cpu"
    ordinal: int = 0
    programmatic: bool | None = None
    cooperative: bool = False
    workspace: int = 0
    cluster_named: bool = False
    registers: Callable[[], int | None] | None = field(default=None, repr=False, compare=False)
    tiles: Mapping[str, SharedTile] = field(default_factory=dict[str, "SharedTile"], repr=False, compare=False)
    mbarriers: tuple[SharedMbarriers, ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        grid, block, cluster = (" × ".join(map(str, extents)) for extents in (self.grid, self.block, self.cluster))
        clusters = f", in clusters of {cluster}" if self.ctas_per_cluster > 1 else ""
        return f"{self.program.name}: {grid} CTAs of {block} threads{clusters}"

    @property
    def explicit_cluster(self) -> bool:
        """Whether the launch is one in clusters, by its call or by the kernel's .reqnctapercluster."""
        named = self.cluster_named or self.program.directives.reqnctapercluster is not None
        return named or self.ctas_per_cluster > 1

    @property
    def threads(self) -> int:
        """Threads of one CTA."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def ctas(self) -> int:
        """CTAs of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def ctas_per_cluster(self) -> int:
        """CTAs of one cluster."""
        return self.cluster[0] * self.cluster[1] * self.cluster[2]
