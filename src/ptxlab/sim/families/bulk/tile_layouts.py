"""PTX9166: tiles that a tensor copy swizzles otherwise than threads read and write them.

A swizzle permutes addresses. At a tile that does not begin where the pattern does it loses nothing, but puts the chunks elsewhere:
a mistake where threads count rows from the tile's first one. A kernel that swizzles by hand uses an xor: of the offset into the
tile, which is right where the tile begins with a pattern, or of the whole address, which is right everywhere. A kernel that only
passes the tile from one copy to another need not know the layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access
from ptxlab.isa.operands import Addr, Symbol
from ptxlab.layout.swizzles import Swizzle, swizzle_atom, swizzle_mode
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
    """What a kernel declares: bytes [begin, end) of shared memory. swizzle: as declared; None of what has no rows."""

    begin: int
    end: int
    swizzle: Swizzle | None


@dataclass(frozen=True, slots=True)
class _Access:
    """How threads reach a tile. steps: whether by more than a constant. mixed: by an xor. whole: by one of the whole address."""

    steps: bool
    mixed: bool
    whole: bool


@unit
class TileLayouts(Unit):
    """Compares the swizzle of tensor copies with the tiles that they move."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self._seen: set[tuple[int, int, str]] = set()
        self._reported: set[int] = set()

    def record(self, op: Op, where: Place, swizzle: str) -> None:
        """A copy through a map of this swizzle reads or writes a box here."""
        key = (id(op), where.offset, swizzle)
        if key in self._seen:
            return
        self._seen.add(key)
        tile = self._tile(where.offset)
        if tile is not None and tile.swizzle != swizzle and id(op) not in self._reported:
            self._compare(op, tile, swizzle_mode(swizzle))

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
                out.append(_Tile(begin, begin + int(tile.offsets().max()) + tile.bits // 8, tile.swizzle))
        return out

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
    def _by_threads(self) -> list[Origin]:
        """Of each access by threads, where its address comes from."""
        ops = self.machine.image.ops
        derived = Derived(ops, self._bit)
        accesses = [op for op in ops if isinstance(op.inst.form.effect, Access)]
        addresses = [next((o for o in op.inst.operands.values() if isinstance(o, Addr)), None) for op in accesses]
        return [derived.of(address) for address in addresses if address is not None]

    def _accesses(self, tile: _Tile) -> list[_Access]:
        """How threads reach a tile."""
        accesses = self._by_threads
        mine = sum(1 << i for i, begin in enumerate(self._begins) if tile.begin <= begin < tile.end)
        return [_Access(o.steps, o.mixed, bool(o.whole & mine)) for o in accesses if o.bases & mine]
