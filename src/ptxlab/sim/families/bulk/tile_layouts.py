"""PTX9166: tiles that a tensor copy swizzles otherwise than threads read and write them.

A swizzle permutes addresses. At a tile that does not begin where the pattern does it loses nothing, but puts the chunks elsewhere:
a mistake where threads count rows from the tile's first one. A kernel that swizzles by hand uses an xor: of the offset into the
tile, which is right where the tile begins with a pattern, or of the whole address, which is right everywhere. A kernel that only
passes the tile from one copy to another need not know the layout.

And tiles that threads alone fill row by row, as if there were no swizzle, for a copy or wgmma that reads them with one. Rows that
are the same under the swizzle, as zeros are, say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access, AsyncCopy
from ptxlab.isa.operands import Addr, Symbol
from ptxlab.layout.swizzles import CHUNK, Swizzle, swizzle_atom, swizzle_mode
from ptxlab.layout.swizzles import swizzle as swizzled
from ptxlab.ptx.derived import Derived, Origin
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.trap import Unit, unit
from ptxlab.sim.engine.units.events import located

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.operation import Place
    from ptxlab.sim.engine.machine.protocol import MachineLike


@dataclass(frozen=True, slots=True)
class _Tile:
    """What a kernel declares: bytes [begin, end) of shared memory. swizzle: as declared; None of what has no rows.

    linear: whether a kernel in Python has never asked where an element lies.
    """

    begin: int
    end: int
    swizzle: Swizzle | None
    linear: bool = False


@dataclass(frozen=True, slots=True)
class _Access:
    """How threads reach a tile. steps: whether by more than a constant. mixed: by an xor. whole: by one of the whole address.

    stores: whether that is all that they do there.
    """

    steps: bool
    mixed: bool
    whole: bool
    stores: bool


@unit
class TileLayouts(Unit):
    """Compares the swizzle of tensor copies with the tiles that they move."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self._seen: set[tuple[int, int, str]] = set()
        self._reported: set[int] = set()
        self._loaded: set[int] = set()

    def record(self, op: Op, where: Place, swizzle: str, *, loads: bool) -> None:
        """A copy through a map of this swizzle reads or writes a box here."""
        if not loads:
            self.read(op, where, swizzle)
        elif self.watched and where.offset not in self._loaded:
            self._loaded.add(where.offset)
            self.watched.discard(self._tile(where.offset))
        key = (id(op), where.offset, swizzle)
        if key in self._seen:
            return
        self._seen.add(key)
        tile = self._tile(where.offset)
        if tile is not None and tile.swizzle != swizzle and id(op) not in self._reported:
            self._compare(op, tile, swizzle_mode(swizzle))

    def read(self, op: Op, where: Place, swizzle: str) -> None:
        """A copy or a wgmma reads from here on with this swizzle."""
        tile = self._tile(where.offset) if self.watched else None
        if tile is None or tile not in self.watched or tile.swizzle != swizzle or id(op) in self._reported:
            return
        if self._filled_by_threads(tile) and _permuted(where.cta.shared[tile.begin : tile.end], swizzle_mode(swizzle)):
            self._reported.add(id(op))
            name = shared_name(self.machine, tile.begin)
            words = (
                f"`{op.inst.opcode}` reads {name} with swizzle {swizzle}, but threads have stored its rows without one"
            )
            help_ = "store to `tile.locate(row, column)`; `tile.at(offset)` counts bytes as they lie"
            found = Diagnostic("PTX9166", words, help=help_, isa="Swizzling Modes")
            self.machine.report.findings.append(located(found, op))

    def _compare(self, op: Op, tile: _Tile, swizzle: Swizzle) -> None:
        atom = swizzle_atom(swizzle)
        if tile.swizzle not in (None, "none"):
            self._report(op, tile, swizzle, f"the tile is declared with swizzle {tile.swizzle}")
        elif swizzle != "none" and tile.begin % atom:
            accesses = self._accesses(tile)
            if accesses and not any(a.whole for a in accesses):
                what = f"the tile does not begin at a multiple of {atom} bytes, as the pattern does"
                self._report(op, tile, swizzle, f"{what}: rows are permuted by their addresses, not by their numbers")
        elif swizzle != "none" and tile.swizzle is not None:
            accesses = self._accesses(tile)
            if any(a.steps for a in accesses) and not any(a.mixed for a in accesses):
                self._report(op, tile, swizzle, "the tile is declared without a swizzle, and threads access it so")

    def _report(self, op: Op, tile: _Tile, swizzle: Swizzle, but: str) -> None:
        self._reported.add(id(op))
        name = shared_name(self.machine, tile.begin)
        help_ = f"declare it with an alignment of {swizzle_atom(swizzle)}, or xor the whole address"
        if tile.swizzle:
            help_ = f'declare the tile with swizzle="{swizzle}", or make the map with swizzle="{tile.swizzle}"'
        words = f"`{op.inst.opcode}` moves a box at {name} with swizzle {swizzle}, as its tensor map says, but {but}"
        found = Diagnostic("PTX9166", words, help=help_, isa="Swizzling Modes")
        self.machine.report.findings.append(located(found, op))

    # -- what is declared
    @cached_property
    def _tiles(self) -> list[_Tile]:
        """The tiles that a kernel in Python declares with rows."""
        program, out = self.machine.record.program, list[_Tile]()
        for tile in self.machine.record.tiles.values():
            var = program.variable(tile.name)
            begin = tile.offset if tile.offset is not None else var.offset if var is not None else None
            if begin is not None and len(tile.shape) > 1:
                out.append(_Tile(begin, begin + int(tile.offsets().max()) + tile.bits // 8, tile.swizzle, tile.linear))
        return out

    @cached_property
    def watched(self) -> set[_Tile | None]:
        """The tiles with a swizzle that a kernel in Python may fill without it, as far as no copy has filled them."""
        return {tile for tile in self._tiles if tile.linear and tile.swizzle not in (None, "none")}

    def _tile(self, offset: int) -> _Tile | None:
        """The tile at an offset; of variables that have no rows, only one that begins there."""
        for tile in self._tiles:
            if tile.begin <= offset < tile.end:
                return tile
        for var in self.machine.record.program.variables:
            if var.space.startswith("shared") and var.offset == offset:
                return _Tile(offset, offset + var.size, None)
        return None

    # -- how threads access it
    @cached_property
    def _begins(self) -> list[int]:
        """Where shared memory is named by an instruction, in order of appearance."""
        return []

    def _bit(self, named: Symbol) -> int | None:
        var = self.machine.record.program.variable(named.name)
        if var is None or not var.space.startswith("shared"):
            return None
        begin = var.offset + named.offset
        if begin not in self._begins:
            self._begins.append(begin)
        return self._begins.index(begin)

    @cached_property
    def _derived(self) -> Derived:
        """Where addresses come from."""
        return Derived(self.machine.image.ops, self._bit)

    @cached_property
    def _by_threads(self) -> list[tuple[Origin, bool]]:
        """Of each access by threads, where its address comes from, and whether it only stores."""
        found = [(op, _first_address(op)) for op in self.machine.image.ops if _by_thread(op)]
        return [(self._derived.of(address), not _loads(op)) for op, address in found if address is not None]

    @cached_property
    def _in_bulk(self) -> list[Origin]:
        """Where the destinations of copies without a tensor map come from."""
        effects = [(op, op.inst.form.effect) for op in self.machine.image.ops if not _by_thread(op)]
        found = [_first_address(op) for op, effect in effects if isinstance(effect, AsyncCopy) and not effect.tensor]
        return [self._derived.of(address) for address in found if address is not None]

    def _mine(self, tile: _Tile) -> int:
        return sum(1 << i for i, begin in enumerate(self._begins) if tile.begin <= begin < tile.end)

    def _accesses(self, tile: _Tile) -> list[_Access]:
        """How threads reach a tile."""
        accesses = self._by_threads
        mine = self._mine(tile)
        return [_Access(o.steps, o.mixed, bool(o.whole & mine), stores) for o, stores in accesses if o.bases & mine]

    def _filled_by_threads(self, tile: _Tile) -> bool:
        """Whether threads alone fill a tile, somewhere by more than a constant, and never by an xor."""
        accesses = self._accesses(tile)
        if any(o.bases & self._mine(tile) for o in self._in_bulk):
            return False
        return any(a.steps for a in accesses) and all(a.stores and not a.mixed for a in accesses)


def _first_address(op: Op) -> Addr | None:
    return next((o for o in op.inst.operands.values() if isinstance(o, Addr)), None)


def _by_thread(op: Op) -> bool:
    """Whether a thread says where each of its elements lies, also of those that cp.async brings."""
    effect = op.inst.form.effect
    return isinstance(effect, Access) or (isinstance(effect, AsyncCopy) and effect.completion == "cp.async-group")


def _loads(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Access) and effect.kind != "store"


def _permuted(data: NDArray[np.uint8], mode: Swizzle) -> bool:
    """Whether a swizzle changes what lies in a tile."""
    chunks = data[: len(data) // CHUNK * CHUNK].reshape(-1, CHUNK)
    places = swizzled(np.arange(len(chunks)) * CHUNK, mode) // CHUNK
    inside = places < len(chunks)
    return not np.array_equal(chunks[inside], chunks[places[inside]])
