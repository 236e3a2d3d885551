"""Checks that instructions fit their arguments: copies their tiles and maps, barriers the bytes that arrive, products and matrix
loads the layout of the tiles that they read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ptxlab.checks.transactions import Entry, Ledger
from ptxlab.diag import Diagnostic
from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import AsyncCopy, AsyncMma, WarpWide
from ptxlab.isa.effects import Mbarrier as MbarrierEffect
from ptxlab.isa.extents import Rows
from ptxlab.isa.operands import Imm, Reg
from ptxlab.lang.maps.parameter import MapParameter
from ptxlab.lang.maps.products import Misread, misread_registers, misread_tile, misread_transposed
from ptxlab.lang.maps.rebind import MapSlot, Rebinding
from ptxlab.lang.maps.use import MapUse
from ptxlab.lang.smem.barriers import Mbarrier
from ptxlab.lang.smem.tile import Tile
from ptxlab.lang.trace.values import Address


class Consistency(Rebinding):
    """Checks each instruction that copies, waits or multiplies."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ledger = Ledger()
        self._box_bytes: int | None = None  # of the copy that a pattern is emitting

    def noted(self, inst: Instance, args: Sequence[Any], named: Mapping[str, Any], guard: str) -> None:
        """Check an instruction against its arguments."""
        effect = inst.form.effect
        if isinstance(effect, AsyncCopy):
            if effect.tensor and self._box_bytes is None:
                self._plain_copy(effect, inst, [*args, *named.values()])
            if effect.completion == "mbarrier":
                self._bytes(inst, args, named, guard)
        elif isinstance(effect, MbarrierEffect):
            self._bytes(inst, args, named, guard, effect.kind)
        elif isinstance(effect, AsyncMma):
            self._product(inst, [*args, *named.values()])
        elif isinstance(effect, WarpWide):
            self._refuse_misread(inst, misread_registers(inst, [*args, *named.values()]))
        else:
            self._rows(inst, args, named)

    # --- bytes -------------------------------------------------------------------------------------------------------
    def _bytes(
        self, inst: Instance, args: Sequence[Any], named: Mapping[str, Any], guard: str, kind: str = "copy"
    ) -> None:
        expects = kind.endswith("expect_tx")
        if not expects and kind not in ("copy", "complete_tx"):
            return
        given: list[Any] = [*args, *named.values()]
        barrier = next((a for a in given if isinstance(a, Mbarrier)), None)
        if barrier is None or kind == "complete_tx" or inst.chosen("multicast::cluster"):
            self._ledger.give_up(None if barrier is None else barrier.declared)
            return
        nbytes = self._box_bytes
        counted = inst.operands.get("tx_count" if expects else "size")
        if isinstance(counted, Imm):
            nbytes = int(counted.value)
        which = str(barrier.address().operand)
        entry = Entry(which, barrier.declared, barrier.name, nbytes, guard, self.stretch, place=self.here())
        (self._ledger.expect if expects else self._ledger.bring)(entry)

    def check_transactions(self) -> None:
        """Barriers expect as many bytes as copies bring. Raises: Diagnostic PTX2217."""
        for account in self._ledger.wrong():
            raise Diagnostic(
                "PTX2217",
                account.what,
                help=f"expect {account.brought} bytes, e.g. the sum of the tiles' nbytes",
                origin=account.first.place,
                isa="mbarrier.expect_tx",
            )

    # --- copies ------------------------------------------------------------------------------------------------------
    def _plain_copy(self, effect: AsyncCopy, inst: Instance, given: Sequence[Any]) -> None:
        """A tensor copy written as an instruction: its box is only known at the launch."""
        tile = next((a for a in given if isinstance(a, Tile)), None)
        if tile is not None:
            self.see_aligned(tile)
        swizzled = tile if tile is not None and tile.swizzle != "none" else None
        map = next((a for a in given if isinstance(a, MapParameter | MapSlot)), None)
        if map is not None:
            dtype, swizzle = (None, None) if swizzled is None else (swizzled.dtype.name, swizzled.swizzle)
            rank = int((inst.mod("dim") or "0")[0]) or None
            walk = inst.mod("mode") or str(effect.mode)
            im2col, room = walk.startswith("im2col"), tile.footprint if tile is not None else None
            self.use_map(map, MapUse(rank, None, dtype, swizzle, self.here(), im2col=im2col, room=room))

    def see_aligned(self, tile: Tile) -> None:
        """The tile's start is aligned as the copy and its swizzle need. Raises: Diagnostic PTX2211."""
        if tile.starts_at % tile.wanted_alignment:
            moved = bool(tile.offset or tile.location.steps)
            raise Diagnostic(
                "PTX2211",
                f"{tile!r} starts at a multiple of {tile.starts_at} bytes, but a tensor copy with swizzle {tile.swizzle} wants one "
                f"of {tile.wanted_alignment}",
                help="take parts of whole swizzle patterns: stages, or multiples of 8 rows"
                if moved and tile.variable.align % tile.wanted_alignment == 0
                else f"declare it with align={tile.wanted_alignment}",
                origin=self.here(),
                isa="cp.async.bulk.tensor",
            )

    def use_map(self, map: MapParameter | MapSlot, use: MapUse) -> None:
        """Note what a copy expects of a map; every use of it must expect the same. Raises: Diagnostic PTX2211."""
        if isinstance(map, MapSlot):
            map.note_use(use)
            return
        known = self.maps.setdefault(map.name, use)
        if known.differs(use):
            raise Diagnostic(
                "PTX2211",
                f"`{map.name}` moves {known} at {known.place.shown}, but {use} here",
                help="pass a second map, or tiles of one shape",
                origin=self.here(),
            )
        self.maps[map.name] = known.both(use)

    # --- consumers ---------------------------------------------------------------------------------------------------
    def _product(self, inst: Instance, given: Sequence[Any]) -> None:
        """A product, the tiles behind its descriptors, and its fragments."""
        for operand in ("a", "b"):
            reg = inst.operands.get(operand)
            described = self.described.get(reg.name) if isinstance(reg, Reg) else None
            if described is not None:
                self._refuse_misread(inst, misread_tile(inst, operand, described))
        self._refuse_misread(inst, misread_registers(inst, given))

    def _refuse_misread(self, inst: Instance, found: Iterator[Misread]) -> None:
        for what, help in found:
            raise Diagnostic("PTX2216", what, help=help, origin=self.here(), isa=inst.form.isa)

    def _rows(self, inst: Instance, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Refuse matrix loads and stores that address rows of a swizzled tile as if it were not swizzled."""
        if not any(isinstance(spec.extent, Rows) for spec in inst.form.operands.values()):
            return
        place = next((a for a in (*args, *named.values()) if isinstance(a, Tile | Address)), None)
        tile = place if isinstance(place, Tile) else None
        elements = place.element if isinstance(place, Address) else None if tile is None else tile.dtype
        self._refuse_misread(inst, misread_transposed(inst, elements))
        if tile is not None and tile.swizzle != "none" and len(tile.shape) == 1:
            raise Diagnostic(
                "PTX2216",
                f"`{inst.opcode}` takes a row of {tile!r} from its first byte on, where its swizzle puts another part of the row",
                help="take the address of an element: tile.locate(row, column)",
                origin=self.here(),
                isa=inst.form.isa,
            )
