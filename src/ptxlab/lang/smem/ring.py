"""Rings: full and empty barriers around the stages of a pipeline."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.types import TYPES
from ptxlab.lang.smem.barriers import Barriers, Mbarrier
from ptxlab.lang.smem.tile import Tile
from ptxlab.lang.trace.block import Block, block
from ptxlab.lang.trace.values import Register, whole


class Slot:
    """The stage that a `produce` or `consume` block works on. `slot[i]` is its part of the ring's tile `i` (one instruction).

    Attributes:
        stage: its number, a register. full: its barrier that counts what arrives.

    Example: see px.Ring
    """

    __slots__ = ("_ring", "full", "stage")

    def __init__(self, ring: Ring, stage: Register) -> None:
        self._ring, self.stage = ring, stage
        self.full = ring.full[stage]

    def __repr__(self) -> str:
        return f"<Slot of {self._ring!r}, stage {self.stage!r}>"

    @property
    def empty(self) -> Mbarrier:
        """Its empty barrier, at which consumers arrive when they have read it (one instruction).

        Example: see px.Ring
        """
        return self._ring.empty[self.stage]

    def __getitem__(self, index: int) -> Tile:
        tiles = self._ring.tiles
        if not -len(tiles) <= whole(index) < len(tiles):
            raise Diagnostic(
                "PTX2210",
                f"a stage of this ring holds {len(tiles)} tile{'s' * (len(tiles) != 1)}, and none is number {index}",
                help="declare the ring with it: k.ring(stages, a, b, …)",
                origin=user_span(),
            )
        return tiles[index][self.stage]

    def __len__(self) -> int:
        """How many tiles a stage holds."""
        return len(self._ring.tiles)

    def __iter__(self) -> Iterator[Tile]:
        """The stage's part of each tile."""
        return (self[i] for i in range(len(self)))


class _Position:
    """The position of one side of a ring: its stage and the parity of the phase, both in registers."""

    def __init__(self, ring: Ring, k: Barriers, side: str, parity: int) -> None:
        self.ring, self.k = ring, k
        with k.at_entry(ring.place):
            self.stage = k.named_register(f"{side}_stage", TYPES["u32"])
            self.parity = k.named_register(f"{side}_parity", TYPES["u32"])
            k.emit("mov.u32", (0,), {"d": self.stage})
            k.emit("mov.u32", (parity,), {"d": self.parity})

    def advance(self) -> None:
        """To the next stage; the parity flips after the last one."""
        k = self.k
        k.emit("add.u32", (self.stage, 1), {"d": self.stage})
        # selp rather than guarded instructions: ptxas then needs no copies
        wrapped = k.emit("setp.eq.u32", (self.stage, self.ring.stages))
        k.emit("selp.u32", (0, self.stage, wrapped), {"d": self.stage})
        flip = k.emit("selp.u32", (1, 0, wrapped))
        k.emit("xor.b32", (self.parity, flip), {"d": self.parity})


class Ring:
    """A ring of stages in shared memory: producers fill them and consumers read them, with a full and an empty barrier for each.

    Attributes:
        stages: how many. tiles: what a stage holds, one more dimension in front. nbytes: bytes that fill a stage.
        full, empty: the barriers.

    Example:
        stages = k.smem(px.f16, (2, 64, 64), swizzle="128B")
        ring = k.ring(2, stages, consumers=32)
        k.init_barriers()
        with k.roles():
            with k.role(warp=0), k.elect(), k.loop(4):
                with ring.produce() as slot:
                    k.tma_load(slot[0], tm, (0, 0), slot.full)
            with k.role(warp=1):
                total = k.mov.f32(0.0)
                with k.loop(4):
                    with ring.consume(release=None) as slot:
                        total += k.cvt.f32.f16(k.ld.shared.b16(slot[0].at(k.laneid * 2)))
                        slot.empty.arrive()
                k.st.global_.f32(y[k.laneid], total)
        # y[:2]: [4. 4.]
    """

    def __init__(
        self,
        k: Barriers,
        stages: int,
        tiles: Sequence[Tile],
        producers: int,
        consumers: int,
        *,
        cluster: bool = False,
        name: str | None = None,
    ) -> None:
        self._cluster, self._prefix = cluster, "" if name is None else f"{name}_"
        self._k, self.stages, self.tiles, self.place = k, whole(stages), tuple(tiles), k.here()
        for tile in self.tiles:
            if not isinstance(tile, Tile):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise Diagnostic(
                    "PTX2210",
                    f"{tile!r} is no tile that stages of a ring can hold",
                    help=f"declare it: k.smem(px.bf16, ({stages}, rows, columns), …)",
                    origin=self.place,
                )
            if tile.shape[0] != stages:
                raise Diagnostic(
                    "PTX2210",
                    f"{tile!r} has {tile.shape[0]} stages, but the ring has {stages}",
                    help=f"declare it with the shape ({stages}, …)",
                    origin=self.place,
                )
        if self.stages < 1:
            raise Diagnostic(
                "PTX2210", f"a ring cannot have {stages} stages", help="two to four are usual", origin=self.place
            )
        self.nbytes = sum(t.nbytes for t in self.tiles) // stages
        self.full = k.declare_counting(producers, stages, name=f"{self._prefix}full", call="k.ring(…, producers={})")
        self.empty = k.declare_counting(consumers, stages, name=f"{self._prefix}empty", call="k.ring(…, consumers={})")
        self.blocks: list[Block[Any]] = k.blocks
        self._producer: _Position | None = None
        self._consumer: _Position | None = None

    def __repr__(self) -> str:
        tiles = ", ".join(tile.variable.name for tile in self.tiles) or "no tiles"
        return (
            f"<Ring {self._prefix.rstrip('_')}".rstrip()
            + f" of {self.stages} stages of {self.nbytes:,} bytes: {tiles}>"
        )

    @block("ring.produce()")
    def produce(self, *, nbytes: int | None = None, expect: bool = True) -> Generator[Slot, None, None]:
        """Wait for an empty stage and expect its bytes on `slot.full`; the block fills it. Then advance to the next stage.

        One thread executes it. `nbytes`: what will arrive; default the size of the stage's tiles. With `expect=False` no bytes are
        expected, and each thread that executes it arrives on `slot.full` in the block: those that fill a part of the stage by
        ordinary stores or `cp.async`, beside the thread that copies the tiles. `producers` of the ring counts them too.

        PTX: mbarrier.try_wait, mbarrier.arrive.expect_tx
        """
        if self._producer is None:
            # the first pass finds every stage empty: waiting for the phase before the first returns at once
            self._producer = _Position(self, self._k, f"{self._prefix}producer", 1)
        at = self._producer
        slot = Slot(self, at.stage)
        self._wait(slot.empty, at.parity)
        if expect:
            slot.full.arrive_expect_tx(self.nbytes if nbytes is None else nbytes)
        yield slot
        at.advance()

    @block("ring.consume()")
    def consume(self, *, release: Any = True) -> Generator[Slot, None, None]:
        """Wait until a stage is full; the block reads it. Then release it and advance to the next stage.

        `release`: the predicate of the threads that arrive on `slot.empty`; True: every thread; None: the block itself does.

        PTX: mbarrier.try_wait, mbarrier.arrive
        """
        if self._consumer is None:
            self._consumer = _Position(self, self._k, f"{self._prefix}consumer", 0)
        at = self._consumer
        slot = Slot(self, at.stage)
        self._wait(slot.full, at.parity)
        yield slot
        if release is not None:
            slot.empty.arrive(pred=None if release is True else release)
        at.advance()

    def _wait(self, barrier: Mbarrier, parity: Register) -> None:
        if self._cluster:
            barrier.wait_cluster(parity, only_shared=True)
        else:
            barrier.wait(parity)


class Rings(Barriers):
    """Declarations of rings."""

    def ring(
        self,
        stages: int,
        *tiles: Tile,
        producers: int = 1,
        consumers: int = 1,
        cluster: bool = False,
        name: str | None = None,
    ) -> Ring:
        """Declare a ring: full and empty mbarriers for `stages` stages of the tiles.

        Args:
            stages: how many. tiles: what a stage holds; each has the shape (stages, …).
            producers: arrivals that, with the bytes, make a stage full. consumers: arrivals that make it empty.
            cluster: whether CTAs of the cluster share the ring: they copy into each other's stages, or arrive on each other's
                barriers. `produce` and `consume` then wait at cluster scope, which orders accesses to shared memory alone.
            name: the barriers are called `<name>_full` and `<name>_empty` in the PTX and in reports; default `full` and `empty`.

        Raises: Diagnostic PTX2210 for a tile with another number of stages.

        Example: see px.Ring
        """
        return Ring(self, stages, tiles, producers, consumers, cluster=cluster, name=name)
