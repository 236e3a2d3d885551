"""Patterns of several instructions: tiles through TMA, with box, swizzle and coordinates checked against the tile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, TypeAlias

from ptxlab.diag import Diagnostic
from ptxlab.lang.maps.consistency import Consistency
from ptxlab.lang.maps.parameter import MapParameter
from ptxlab.lang.maps.rebind import MapSlot
from ptxlab.lang.maps.use import MapUse
from ptxlab.lang.smem.barriers import Mbarrier
from ptxlab.lang.smem.tile import Tile, pitch_of
from ptxlab.layout import TensorMap
from ptxlab.layout.tensormap_fields import MAX_BOX, MAX_PIXELS

Map: TypeAlias = MapParameter | MapSlot | TensorMap
"""What a copy takes for a map. A TensorMap is what the annotation of a parameter says; a map of the host is none."""
_Place: TypeAlias = tuple[Any, tuple[Any, ...]]


class Patterns(Consistency):
    """Loads, stores and reductions of tiles by TMA."""

    def tma_load(
        self,
        tile: Tile,
        map: Map,
        coords: Sequence[Any],
        mbar: Mbarrier,
        *,
        multicast: Any = None,
        policy: Any = None,
    ) -> None:
        """Load a tile of a tensor by TMA: one cp.async.bulk.tensor for each swizzle span of its width. One thread executes it.

        Where a tile of three and more dimensions has several spans, each index of the outer dimensions is a box of its own, as its
        spans lie between: heads × rows × 128 columns of bf16 are 2 · heads boxes of 1 × rows × 64.

        Args:
            tile: where to; its extents are the box, at most one span wide, and its swizzle the map's.
            map: a px.TensorMap parameter, or a map that the kernel changes (`k.tensormap`).
            coords: where the box starts, innermost dimension first, the other way round than NumPy's indices: of a matrix (column,
                row). Ints or registers.
            mbar: counts the tile's bytes.
            multicast: 16-bit mask of the CTAs of the cluster that get a copy. policy: an L2 cache policy.

        Raises: Diagnostic PTX2211 where tile, map and coordinates cannot belong together.

        PTX: cp.async.bulk.tensor

        Example:
            tile = k.smem(px.f16, (64, 64), swizzle="128B")
            bar = k.mbarrier(1)
            k.init_barriers()
            with k.if_(k.thread == 0):
                bar.arrive_expect_tx(tile.nbytes)
                k.tma_load(tile, tm, (0, 0), bar)  # column 0, row 0
            bar.wait(0)
            k.st.global_.f32(y[k.thread], k.cvt.f32.f16(k.ld.shared.b16(tile.at(k.thread * 2))))
            # y[:2]: [1. 1.]
        """
        self._see(tile, coords)
        opcode = f"cp.async.bulk.tensor.{len(coords)}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        opcode, more = _with(opcode, multicast, policy)
        for where, at in self._boxes(tile, map, coords):
            self._copy(opcode, (where, map, at, mbar), more, tile)

    def tma_load_im2col(
        self,
        tile: Tile,
        map: Map,
        coords: Sequence[Any],
        offsets: Sequence[Any],
        mbar: Mbarrier,
        *,
        multicast: Any = None,
        policy: Any = None,
    ) -> None:
        """Load pixels of an image through an im2col map, as `tma_load`: one copy for each swizzle span of channels.

        Args:
            tile: where to, pixels × channels; these are the map's pixels and channels of one copy, its swizzle is the map's.
            map: a px.TensorMap parameter, which px.TensorMap.im2col makes.
            coords: channel, then the first pixel's W, (H, (D,)) relative to the image, and N: 3 to 5 ints or registers.
            offsets: of the filter's tap, W first, one less two than coordinates: ints or 16-bit registers.
            mbar, multicast, policy: as `tma_load`.

        Raises: Diagnostic PTX2211 where tile, map, coordinates and offsets cannot belong together.

        Example:
            @px.kernel(threads=32)
            def patch(k, tm: px.TensorMap, y: px.Ptr[px.f32]):
                tile = k.smem(px.f16, (16, 32), swizzle="64B")  # 16 pixels of 32 channels
                bar = k.mbarrier(1)
                k.init_barriers()
                with k.elect():
                    bar.arrive_expect_tx(tile.nbytes)
                    k.tma_load_im2col(tile, tm, (0, 0, 0, 0), (1, 1), bar)  # C, W, H, N; the tap at W 1, H 1
                bar.wait(0)
                k.st.global_.f32(y[k.thread], k.cvt.f32.f16(k.ld.shared.b16(tile.locate(0, k.thread))))

            image = px.empty((1, 8, 8, 32), np.float16)  # N, H, W, C
            image[:] = np.arange(32)
            tm = px.TensorMap.im2col(
                dtype="f16", address=image, dims=(32, 8, 8, 1), strides=(64, 512, 4096), lower=(0, 0), upper=(-2, -2),
                channels=32, pixels=16, swizzle="64B",
            )
            y = np.zeros(32, np.float32)
            px.simulate(patch, grid=1, args=[tm, y], buffers=[image])
            print(y[:3])  # [0. 1. 2.]
        """
        self._see(tile, coords, offsets)
        rank = len(coords)
        if rank not in (3, 4, 5) or len(offsets) != rank - 2:
            raise self._disagree(
                f"{rank} coordinates and {len(offsets)} offsets do not walk an image",
                "give 3 to 5 coordinates, channel first and image last, and an offset for each but these two",
            )
        opcode = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
        opcode, more = _with(opcode, multicast, policy)
        for where, at in self._windows(tile, map, coords):
            self._copy(opcode, (where, map, at, mbar, tuple(offsets)), more, tile)

    def tma_store(self, map: Map, coords: Sequence[Any], tile: Tile, *, policy: Any = None) -> None:
        """Store a tile into a tensor, as `tma_load` the other way round; bulk groups complete it. One thread executes it.

        What other threads wrote to the tile must have been fenced (`k.fence.proxy.async_.shared__cta()`) and synchronized.

        Args:
            map, tile, policy: as in `tma_load`.
            coords: where the box starts, innermost dimension first: of a matrix (column, row).

        Raises: Diagnostic PTX2211 where tile, map and coordinates cannot belong together.

        PTX: cp.async.bulk.tensor

        Example:
            @px.kernel(threads=128)
            def fill(k, to: px.TensorMap):
                tile = k.smem(px.f32, (32, 32), align=128)
                for i in range(8):
                    k.st.shared.f32(tile.at((k.thread + 128 * i) * 4), 5.0)
                k.fence.proxy.async_.shared__cta()
                k.bar.sync(0)
                with k.if_(k.thread == 0):
                    k.tma_store(to, (64, 32), tile)  # column 64, row 32
                    k.cp.async_.bulk.commit_group()
                    k.cp.async_.bulk.wait_group(0)

            c = px.empty((64, 96), np.float32)
            fill[1](px.tensor_map(c, box=(32, 32)))
            print((c[32:, 64:] == 5).all())  # True
        """
        self._see(tile, coords)
        opcode, more = _with(f"cp.async.bulk.tensor.{len(coords)}d.global.shared::cta.tile.bulk_group", None, policy)
        for where, at in self._boxes(tile, map, coords):
            self._copy(opcode, (map, at, where), more, tile)

    def tma_reduce(self, op: str, map: Map, coords: Sequence[Any], tile: Tile, *, policy: Any = None) -> None:
        """Combine a tile with a tensor, each element atomically, else as `tma_store`: by "add", "min", "max", "inc", "dec", "and",
        "or" or "xor", as far as the map's element type has it.

        Args:
            op: what each element is combined by. map, coords, tile, policy: as in `tma_store`.

        Raises: Diagnostic PTX2211 where tile, map and coordinates cannot belong together.

        PTX: cp.reduce.async.bulk.tensor

        Example:
            @px.kernel(threads=128)
            def add_one(k, to: px.TensorMap):
                tile = k.smem(px.f32, (32, 32), align=128)
                for i in range(8):
                    k.st.shared.f32(tile.at((k.thread + 128 * i) * 4), 1.0)
                k.fence.proxy.async_.shared__cta()
                k.bar.sync(0)
                with k.if_(k.thread == 0):
                    k.tma_reduce("add", to, (0, 0), tile)
                    k.cp.async_.bulk.commit_group()
                    k.cp.async_.bulk.wait_group(0)

            c = px.empty((32, 32), np.float32)
            c[:] = 2
            add_one[4](px.tensor_map(c, box=(32, 32)))  # four CTAs add to the same tile
            print((c == 6).all())  # True
        """
        self._see(tile, coords)
        opcode = f"cp.reduce.async.bulk.tensor.{len(coords)}d.global.shared::cta.{op}.tile.bulk_group"
        opcode, more = _with(opcode, None, policy)
        for where, at in self._boxes(tile, map, coords):
            self._copy(opcode, (map, at, where), more, tile)

    def _copy(self, opcode: str, args: tuple[Any, ...], more: dict[str, Any], tile: Tile) -> None:
        """One of the copies that move the tile."""
        self._box_bytes = math.prod(self._box(tile)) * tile.dtype.bits // 8
        try:
            self.emit(opcode, args, more)
        finally:
            self._box_bytes = None

    def _width(self, tile: Tile) -> int:
        """Columns that one copy moves."""
        return min(tile.shape[-1], tile.panel_columns)

    def _box(self, tile: Tile) -> tuple[int, ...]:
        """Extents that one copy moves, innermost first: 1 from where indices of the tile no longer follow each other."""
        box, follows = [self._width(tile)], True
        step = pitch_of(box[0], tile.dtype, tile.swizzle)
        for extent, stride in zip(reversed(tile.shape[:-1]), reversed(tile.strides), strict=True):
            follows = follows and (stride == step or extent == 1)
            box.append(extent if follows else 1)
            step *= extent
        return tuple(box)

    def _see(self, tile: Tile, *lists: Sequence[Any]) -> None:
        """What no annotation keeps out."""
        if not isinstance(tile, Tile):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise self._disagree(f"{tile!r} is no tile", "declare one: k.smem(px.bf16, (rows, columns), swizzle=…)")
        for given in lists:
            if isinstance(given, str) or not isinstance(given, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise self._disagree(f"{given!r} is no list of coordinates", "give a tuple, innermost dimension first")

    def _boxes(self, tile: Tile, map: Map, coords: Sequence[Any]) -> list[_Place]:
        """(address, coordinates) of every box that makes the tile."""
        if len(coords) != len(tile.shape):
            raise self._disagree(
                f"{len(coords)} coordinates for {tile!r} of {len(tile.shape)} dimensions",
                "give one coordinate a dimension, innermost first",
            )
        box = self._box(tile)
        if max(box) > MAX_BOX or (box[0] * tile.dtype.bits // 8) % 16:
            raise self._disagree(
                f"{tile!r} makes a box of {' × '.join(str(b) for b in box)} elements, innermost first",
                f"an extent is at most {MAX_BOX}, the innermost a multiple of 16 bytes: take parts of the tile",
            )
        self._expect(map, MapUse(len(box), box, tile.dtype.name, tile.swizzle, self.here()))
        return self._panels(tile, coords)

    def _windows(self, tile: Tile, map: Map, coords: Sequence[Any]) -> list[_Place]:
        """(address, coordinates) of every copy of pixels that makes the tile."""
        channels, pixels = self._width(tile), tile.shape[0]
        if len(tile.shape) != 2 or channels > MAX_BOX or pixels > MAX_PIXELS or channels * tile.dtype.bits // 8 % 16:
            raise self._disagree(
                f"{tile!r} is not what an im2col copy brings: up to {MAX_PIXELS} pixels × up to {MAX_BOX} channels, a multiple of "
                "16 bytes of them",
                "declare it with the shape (pixels, channels)",
            )
        use = MapUse(
            len(coords), None, tile.dtype.name, tile.swizzle, self.here(), im2col=True, window=(channels, pixels)
        )
        self._expect(map, use)
        return self._panels(tile, coords)

    def _panels(self, tile: Tile, coords: Sequence[Any]) -> list[_Place]:
        """(address, coordinates) of every copy; the last coordinates count rows and what lies outside of them."""
        columns, box = tile.shape[-1], self._box(tile)
        if columns % box[0]:
            spans = f"{columns} columns, and a swizzle span has {box[0]}"
            raise self._disagree(f"{tile!r} is no sequence of whole boxes: it has {spans}", "load whole swizzle spans")
        if len(tile.shape) > 1 and box[1] < tile.shape[-2]:
            apart = f"its rows lie {tile.strides[-1]} bytes apart, those of a box of {box[0]} columns"
            raise self._disagree(
                f"{tile!r} is no sequence of whole boxes: {apart} {pitch_of(box[0], tile.dtype, tile.swizzle)}",
                "load all columns, or declare tiles of fewer columns",
            )
        self.see_aligned(tile)
        counts = [extent // each for extent, each in zip(tile.shape, reversed(box), strict=True)]
        out: list[_Place] = []
        for index in product(*map(range, counts)):
            behind = sum(i * step for i, step in zip(index, (*tile.strides, tile.panel_bytes), strict=True))
            moved = zip(coords, reversed(index), (box[0], *[1] * len(coords)), strict=False)
            out.append((tile.at(behind), (*(c + i * step if i else c for c, i, step in moved), *coords[len(index) :])))
        return out

    def _expect(self, map: Map, use: MapUse) -> None:
        """Note what the launch must pass for `map`."""
        if not isinstance(map, MapParameter | MapSlot):
            raise Diagnostic(
                "PTX0109",
                "a tensor map of the host is no value in a kernel",
                help="give the kernel a parameter of type px.TensorMap and pass the map when launching",
                origin=self.here(),
            )
        self.use_map(map, use)

    def _disagree(self, what: str, help: str) -> Diagnostic:
        return Diagnostic("PTX2211", what, help=help, origin=self.here())


def _with(opcode: str, multicast: Any, policy: Any) -> tuple[str, dict[str, Any]]:
    """The opcode with the modifiers of what is given, and these operands."""
    opcode += ".multicast::cluster" * (multicast is not None) + ".L2::cache_hint" * (policy is not None)
    return opcode, {n: v for n, v in (("mask", multicast), ("policy", policy)) if v is not None}
