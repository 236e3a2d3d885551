"""Patterns of several instructions: tiles through TMA, whose box, swizzle and coordinates are held against the tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.lang.barriers import Mbarrier
from ptxlab.lang.memory import Tile
from ptxlab.lang.options import MapUse
from ptxlab.lang.params import MapParameter
from ptxlab.lang.rebind import MapSlot, Rebinding
from ptxlab.layout import TensorMap

MAX_BOX = 256


class Patterns(Rebinding):
    """Loads and stores of tiles by TMA."""

    def tma_load(
        self,
        tile: Tile,
        map: MapParameter | MapSlot | TensorMap,
        coords: Sequence[Any],
        mbar: Mbarrier,
        *,
        multicast: Any = None,
        policy: Any = None,
    ) -> None:
        """Load a tile from a tensor: one cp.async.bulk.tensor for each swizzle span of its width. One thread executes it.

        Args:
            tile: where to; its extents are the box, its swizzle the map's.
            map: a px.TensorMap parameter, or a map that the kernel changes (`k.tensormap`).
            coords: where the box starts, innermost dimension first: ints or registers.
            mbar: counts the tile's bytes.
            multicast: 16-bit mask of the CTAs of the cluster that get a copy. policy: an L2 cache policy.

        Raises: Diagnostic PTX2211 where tile, map and coordinates cannot belong together.
        """
        opcode = f"cp.async.bulk.tensor.{len(coords)}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        opcode += ".multicast::cluster" * (multicast is not None) + ".L2::cache_hint" * (policy is not None)
        more = {n: v for n, v in (("mask", multicast), ("policy", policy)) if v is not None}
        for where, at in self._boxes(tile, map, coords):
            self.emit(opcode, (where, map, at, mbar), more)

    def tma_store(
        self, map: MapParameter | MapSlot | TensorMap, coords: Sequence[Any], tile: Tile, *, policy: Any = None
    ) -> None:
        """Store a tile into a tensor, as `tma_load` the other way round; bulk groups complete it. One thread executes it.

        What other threads wrote to the tile must have been fenced (`k.fence.proxy.async_.shared__cta()`) and synchronised.
        """
        opcode = f"cp.async.bulk.tensor.{len(coords)}d.global.shared::cta.tile.bulk_group" + ".L2::cache_hint" * (
            policy is not None
        )
        more = {} if policy is None else {"policy": policy}
        for where, at in self._boxes(tile, map, coords):
            self.emit(opcode, (map, at, where), more)

    def _boxes(
        self, tile: Tile, map: MapParameter | MapSlot | TensorMap, coords: Sequence[Any]
    ) -> list[tuple[Any, tuple[Any, ...]]]:
        """(address, coordinates) of every box that makes the tile."""
        if len(coords) != len(tile.shape):
            raise self._disagree(
                f"{len(coords)} coordinates for {tile!r} of {len(tile.shape)} dimensions",
                "give one coordinate a dimension, innermost first",
            )
        columns, width = tile.shape[-1], min(tile.shape[-1], tile.panel_columns)
        self._expect(map, tile, (width, *reversed(tile.shape[:-1])))
        if columns % width or not _dense(tile):
            raise self._disagree(
                f"{tile!r} is no sequence of whole boxes of {width} columns",
                "load whole swizzle spans, and rows or stages that follow each other",
            )
        out: list[tuple[Any, tuple[Any, ...]]] = []
        for panel in range(columns // width):
            first = coords[0] if not panel else coords[0] + panel * width
            out.append((tile.at(panel * tile.panel_bytes), (first, *coords[1:])))
        return out

    def _expect(self, map: MapParameter | MapSlot | TensorMap, tile: Tile, box: tuple[int, ...]) -> None:
        """Note what the launch must pass for `map`; every use of it must want the same."""
        if max(box) > MAX_BOX or (box[0] * tile.dtype.bits // 8) % 16:
            raise self._disagree(
                f"{tile!r} makes a box of {' × '.join(str(b) for b in box)} elements, innermost first",
                f"an extent is at most {MAX_BOX}, the innermost a multiple of 16 bytes: take parts of the tile",
            )
        if not isinstance(map, MapParameter | MapSlot):
            raise Diagnostic(
                "PTX0109",
                "a tensor map of the host is no value in a kernel",
                help="give the kernel a parameter of type px.TensorMap and pass the map when launching",
                origin=self.here(),
            )
        use = MapUse(len(box), box, tile.dtype.name, tile.swizzle, self.here())
        if isinstance(map, MapSlot):
            self.use_slot(map, use)
            return
        known = self.maps.setdefault(map.name, use)
        if known.differs(use):
            raise self._disagree(
                f"`{map.name}` moves {known} at {known.place}, but {use} here",
                "pass a second map, or tiles of one shape",
            )
        self.maps[map.name] = known.both(use)

    def _disagree(self, what: str, help: str) -> Diagnostic:
        return Diagnostic("PTX2211", what, help=help, origin=self.here())


def _dense(tile: Tile) -> bool:
    """Whether outer dimensions follow each other without gaps, as those of a box do."""
    return all(
        outer == inner * extent
        for outer, inner, extent in zip(tile.strides, tile.strides[1:], tile.shape[1:-1], strict=False)
    )
