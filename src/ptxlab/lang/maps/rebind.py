"""Tensor maps that a kernel changes itself: where they lie, and the legal sequence that gives them other contents.

A working map lies in global memory, where copies read it. It is made in shared memory (or in place), one field by one
tensormap.replace, and published: tensormap.cp_fenceproxy copies and releases it, or a fence releases it where it is; whoever
copies through it acquires it first, since a copy reads it in another proxy, through the SM's cache of maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypeAlias, cast

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.types import TYPES
from ptxlab.lang.flow.control import ALL_LANES, Control
from ptxlab.lang.maps.parameter import MAP_BYTES, MapParameter
from ptxlab.lang.maps.use import MapUse
from ptxlab.lang.smem.memory import SharedMemory
from ptxlab.lang.smem.tile import Geometry, Tile
from ptxlab.lang.smem.variable import Location
from ptxlab.lang.trace.types import Ptr
from ptxlab.lang.trace.values import Address, Register
from ptxlab.layout import TensorMap
from ptxlab.layout import tensormap_fields as fields
from ptxlab.layout.swizzles import SWIZZLES, swizzle_mode

SCOPES = ("cta", "cluster", "gpu", "sys")
_WORD = 4  # bytes that a lane copies of a map: 32 lanes copy all of it
_Change: TypeAlias = tuple[str, int, tuple[Any, ...]]  # the field, its width, its operands behind the map


@dataclass(slots=True, eq=False)
class MapSlot:
    """A tensor map in global memory that the kernel can change. Copies and prefetches take it where they take a map.

    Attributes:
        name: of it in messages and of its copy in shared memory. where: the place in global memory.
        template: what a seed starts from; None: what lies there already. staged: whether it is made in shared memory.
        shared: its copy there, declared when it is first needed. place: where it was declared.
        use: what copies through it want. changed: fields that the kernel sets, with what is known of their values.
        rank: its dimensions, as far as the kernel says. rebound: whether the kernel changes anything.

    Example: see k.rebind
    """

    name: str
    where: Address
    template: MapParameter | None
    staged: bool
    place: Span
    shared: Tile | None = None
    use: MapUse | None = None
    changed: dict[str, Any] = field(default_factory=dict[str, Any])
    rank: int | None = None
    rebound: bool = False

    def address(self) -> Address:
        """Where copies read it.

        Example:
            @px.kernel(threads=32)
            def fetch(k, tm: px.TensorMap, maps: px.Ptr[px.TensorMap]):
                slot = k.tensormap(maps[0], like=tm)
                k.rebind(slot, dims=(32, 4))
                k.prefetch.tensormap(slot.address())

            a, maps = px.empty((8, 32), np.float32), px.empty((1, 128), np.uint8)
            fetch[1](px.tensor_map(a, box=(1, 32)), maps)
        """
        return self.where

    def __repr__(self) -> str:
        return f"<tensor map {self.name}>"


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What a field of a map takes: width in bits, least and greatest value, and what all must be a multiple of."""

    bits: int
    least: int
    most: int
    unit: int = 1


_ADDRESS = _Numbers(64, 0, (1 << 64) - 1, 16)
_DIM = _Numbers(32, 1, (1 << 32) - 1)
_STRIDE = _Numbers(64, 16, fields.MAX_STRIDE - 16, 16)
_BOX = _Numbers(32, 1, fields.MAX_BOX)
_STEP = _Numbers(32, 1, fields.MAX_ELEMENT_STRIDE)


class Rebinding(Control, SharedMemory):
    """Working maps."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.maps: dict[str, MapUse] = {}
        self._slots: list[MapSlot] = []

    def working_map(
        self,
        at: Any,
        *,
        like: MapParameter | TensorMap | None = None,
        staged: bool = True,
        name: str = "tensormap",
    ) -> MapSlot:
        """Declare a tensor map that the kernel changes. No instruction.

        Args:
            at: 128 bytes of global memory at a multiple of 128, which no other CTA changes: an element of a
                px.Ptr[px.TensorMap] parameter, e.g. maps[k.ctaid.x].
            like: the px.TensorMap parameter that a seed starts from; default: what lies at `at`.
            staged: fields are replaced in a copy in shared memory (128 bytes of it); False: where the map lies.
            name: of the copy in the PTX.

        Raises: Diagnostic PTX2215 for a place where no copy can read a map, or that the kernel cannot write.

        Example: see k.rebind
        """
        place = self.here()
        where = at.address() if isinstance(at, Ptr | Tile) else at
        if isinstance(at, MapParameter):
            self._no_slot(f"`{at.name}` is a parameter, which a kernel cannot change", "pass it as like=")
        if not isinstance(where, Address) or where.space not in ("global", "generic"):
            self._no_slot(
                f"{at!r} is no place in global memory, where copies read maps",
                "give the kernel a parameter of type px.Ptr[px.TensorMap] and take an element: maps[k.ctaid.x]",
            )
        if where.offset % MAP_BYTES:
            self._no_slot(
                f"the tensor map at {where!r} is not aligned to {MAP_BYTES} bytes",
                "take an element of a px.Ptr[px.TensorMap]: each has 128 bytes",
            )
        if like is not None and not isinstance(like, MapParameter):
            self._no_slot(f"like={like!r} is no tensor map parameter", "annotate a parameter with px.TensorMap")
        slot = MapSlot(name, where, like, staged, place)
        self._slots.append(slot)
        return slot

    def _no_slot(self, what: str, help: str) -> NoReturn:
        raise Diagnostic("PTX2215", what, help=help, origin=self.here(), isa="Tensor-map")

    def seed(self, map: MapSlot) -> None:
        """Copy the template's 128 bytes to where the map is made, before its fields are replaced. One whole warp executes it.

        Args:
            map: from `k.tensormap(…)`.

        Example:
            @px.kernel(threads=32)
            def shrink(k, tm: px.TensorMap, maps: px.Ptr[px.TensorMap]):
                slot = k.tensormap(maps[0], like=tm)
                k.seed(slot)  # all fields of tm; rebind(…) does it by itself unless seed=False
                k.rebind(slot, dims=(32, 4), seed=False)

            a, maps = px.empty((8, 32), np.float32), px.empty((1, 128), np.uint8)
            shrink[1](px.tensor_map(a, box=(1, 32)), maps)
            print(px.TensorMap.decode(maps.tobytes()).dims)  # (32, 4)
        """
        self._whole_warp("seed", map)
        source = map.where if map.template is None else map.template.address()
        to = self._made_at(map)
        if to is map.where and map.template is None:
            return  # it is changed where it lies, and nothing else is wanted there
        lane = self.special("%laneid")
        word = self.emit("ld.b32", (source.at(lane, _WORD),))
        self.emit("st.shared.b32" if to.space == "shared" else "st.b32", (to.at(lane, _WORD), word))
        self.emit("bar.warp.sync", (ALL_LANES,))

    def rebind(
        self,
        map: MapSlot,
        *,
        address: Any = None,
        dims: Sequence[Any] | None = None,
        strides: Sequence[Any] | None = None,
        box: Sequence[Any] | None = None,
        element_strides: Sequence[Any] | None = None,
        rank: int | None = None,
        dtype: str | None = None,
        interleave: str | None = None,
        swizzle: Any = None,
        oob_fill: str | None = None,
        seed: bool = True,
        scope: str = "gpu",
        acquire: bool = True,
        **others: Any,
    ) -> None:
        """Give a working map other contents, publish it, and acquire it for this warp's copies. One whole warp executes it.

        Every copy through the map must be complete: loads by their mbarrier, stores by cp.async.bulk.wait_group. The sequence:
        seed (`k.seed`); one elected lane replaces the fields; the warp meets; tensormap.cp_fenceproxy copies and releases the
        map (or, not staged, the lane's fence releases it); fence.proxy.tensormap acquires it.

        Args:
            map: from `k.tensormap(…)`. Tensor dimensions are innermost first, as everywhere in PTX; None leaves a field.
            address: where the tensor starts: a pointer, an address or 64 bits; a multiple of 16 bytes.
            dims: extents in elements, ints or 32-bit registers; of each, None leaves it as it is.
            strides: bytes between neighbours of dimension 1, 2 …: ints or 64-bit registers, multiples of 16.
            box: extents of the box, 1 to 256. element_strides: 1 to 8. rank: the number of dimensions, 1 to 5.
            dtype, interleave, swizzle, oob_fill: in the words of px.TensorMap.tiled. A map of tf32 goes on rounding to it.
            seed: start from the template again. False: from what the last `rebind` or `seed` of this warp left.
            scope: of release and acquire. "gpu" serves whoever copies; "cta" copies of this CTA alone.
            acquire: False where another warp copies: that one executes `k.acquire(map)` after it has synchronised with this one.

        Raises: Diagnostic PTX2214 for what no instruction can change, and for values that a field cannot hold.

        PTX: tensormap.replace, tensormap.cp_fenceproxy, fence.proxy.tensormap

        Example:
            @px.kernel(threads=32)
            def last_row(k, tm: px.TensorMap, maps: px.Ptr[px.TensorMap], a: px.Ptr[px.f32], y: px.Ptr[px.f32]):
                tile = k.smem(px.f32, (1, 32), align=128)
                bar = k.mbarrier(1)
                k.init_barriers()
                slot = k.tensormap(maps[0], like=tm)
                k.rebind(slot, address=a.at(7 * 128), dims=(32, 1))  # the map now begins at row 7
                with k.elect():
                    bar.arrive_expect_tx(tile.nbytes)
                    k.tma_load(tile, slot, (0, 0), bar)
                bar.wait(0)
                k.st.global_.f32(y[k.thread], k.ld.shared.f32(tile.at(k.thread * 4)))

            a = px.empty((8, 32), np.float32)
            a[:] = np.arange(8)[:, None]
            maps, y = px.empty((1, 128), np.uint8), np.zeros(32, np.float32)
            last_row[1](px.tensor_map(a, box=(1, 32)), maps, a, y)
            print(y[:2])  # [7. 7.]
        """
        self._whole_warp("rebind", map)
        self._scope(scope)
        self._lists(dims=dims, strides=strides, box=box, element_strides=element_strides)
        changes = [
            *self._words(dtype, interleave, swizzle, oob_fill, rank),
            *self._places(address, dims, strides, rank, 32 if interleave == "32B" else 16),
            *self._listed("box", "box_dim", box, _BOX),
            *self._listed("element_strides", "element_stride", element_strides, _STEP),
        ]
        self._refuse(others)
        if not changes:
            raise self._impossible(f"nothing of {map!r} is changed", "give address=, dims=, strides= …")
        map.rank, map.rebound = rank or (len(dims) if dims is not None else map.rank), True
        self._change(map, rank=rank, box=box, dtype=dtype, swizzle=swizzle)
        if seed:
            self.seed(map)
        self._replace(map, changes, scope)
        if map.staged:
            assert map.shared is not None
            release = f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned"
            self.emit(release, (map.where, map.shared, MAP_BYTES))
        if acquire:
            self.acquire(map, scope=scope)

    def acquire(self, map: MapSlot, *, scope: str = "gpu") -> None:
        """See a working map as it was published, before copying through it (one instruction). The threads that copy execute it,
        after they have synchronised with the warp that changed the map.

        Args:
            map: from `k.tensormap(…)`. scope: "cta", "cluster", "gpu" or "sys": as wide as whoever published the map is far.

        PTX: fence.proxy.tensormap

        Example:
            @px.kernel(threads=64)
            def apart(k, tm: px.TensorMap, maps: px.Ptr[px.TensorMap]):
                slot = k.tensormap(maps[0], like=tm)
                with k.if_(k.warp == 0):  # one warp changes the map
                    k.rebind(slot, dims=(32, 4), acquire=False)
                k.bar.sync(0)
                with k.if_(k.warp == 1):  # another one copies through it
                    k.acquire(slot)
                    k.prefetch.tensormap(slot)

            a, maps = px.empty((8, 32), np.float32), px.empty((1, 128), np.uint8)
            apart[1](px.tensor_map(a, box=(1, 32)), maps)
        """
        self._slot("acquire", map)
        self._scope(scope)
        self.emit(f"fence.proxy.tensormap::generic.acquire.{scope}", (map.where, MAP_BYTES))

    # --- what copies want --------------------------------------------------------------------------------------------
    def use_slot(self, map: MapSlot, use: MapUse) -> None:
        """Note what a copy wants of the map. Raises: Diagnostic PTX2211 where another copy wants something else, or the
        kernel makes it something else."""
        known = map.use or use
        if known.differs(use):
            raise self._unlike(f"`{map.name}` moves {known} at {known.place}, but {use} here")
        map.use = known.both(use)
        self._agree(map)

    def _change(self, map: MapSlot, **given: Any) -> None:
        """Note which fields the kernel sets; None as a value stands for registers."""
        for name, value in given.items():
            if value is None:
                continue
            made = tuple(value) if name == "box" else swizzle_mode(value) if name == "swizzle" else value
            known = not isinstance(made, tuple) or all(isinstance(v, int) for v in cast("tuple[Any, ...]", made))
            map.changed[name] = made if known else None
        self._agree(map)

    def _agree(self, map: MapSlot) -> None:
        if map.use is None:
            return
        if map.use.im2col and map.rebound:
            raise self._impossible(
                f"`{map.name}` is copied through as an im2col map at {map.use.place}, and no instruction changes one",
                "pass one im2col map a tensor, made on the host",
            )
        for name, made in (("rank", map.rank), *map.changed.items()):
            wanted = getattr(map.use, name)
            if made is None or wanted is None or made == wanted:
                continue
            if name != "dtype" or not fields.element_fits(str(made), wanted):
                raise self._unlike(
                    f"`{map.name}` gets {name} {made!r} by k.rebind, but copies at {map.use.place} want {wanted!r}"
                )

    def expect_of_templates(self) -> None:
        """A seed takes from its template what the kernel does not set, so copies want it of the template."""
        for slot in self._slots:
            use = slot.use
            if use is None or slot.template is None:
                continue
            room = None if {"box", "dtype"} & slot.changed.keys() else use.room
            want = replace(use, **dict.fromkeys(slot.changed), room=room)
            known = self.maps.get(slot.template.name, want)
            if known.differs(want):
                raise self._unlike(
                    f"`{slot.template.name}` moves {known} at {known.place}, but {want} as the template of `{slot.name}`",
                    use.place,
                )
            self.maps[slot.template.name] = known.both(want)

    def _unlike(self, what: str, place: Span | None = None) -> Diagnostic:
        help = "use a second k.tensormap, or tiles of one shape"
        return Diagnostic("PTX2211", what, help=help, origin=place or self.here())

    # --- the sequence ------------------------------------------------------------------------------------------------
    def _made_at(self, map: MapSlot) -> Address:
        """Where fields are replaced."""
        if not map.staged:
            return map.where
        if map.shared is None:
            map.shared = self._storage(map.name)
        return map.shared.address()

    def _storage(self, name: str) -> Tile:
        variable = self._declare(name, MAP_BYTES, MAP_BYTES, self.here())
        where = Address(self, variable.base.reg, 0, "shared", TYPES["b8"])
        return Tile(self, Location(variable, where), Geometry(TYPES["b8"], (MAP_BYTES,), "none", (), (1, MAP_BYTES)))

    def _replace(self, map: MapSlot, changes: Sequence[_Change], scope: str) -> None:
        """One lane replaces the fields, and where they are replaced in place, publishes them; then the warp meets."""
        where = self._made_at(map)
        space = "shared::cta" if map.staged else "global"
        with self.one_lane():
            for path, bits, operands in changes:
                self.emit(f"tensormap.replace.tile.{path}.{space}.b1024.b{bits}", (where, *operands))
            if not map.staged:
                self.emit(f"fence.proxy.tensormap::generic.release.{scope}")
        self.emit("bar.warp.sync", (ALL_LANES,))

    def _slot(self, word: str, map: MapSlot) -> None:
        if not isinstance(map, MapSlot):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise self._impossible(
                f"{map!r} is no tensor map that a kernel can change",
                f"declare one: slot = k.tensormap(maps[k.ctaid.x], like=a), then k.{word}(slot, …)",
            )

    def _whole_warp(self, word: str, map: MapSlot) -> None:
        self._slot(word, map)
        if self.in_one_lane:
            raise self._impossible(
                f"k.{word} stands in a block of one lane, but a whole warp executes it",
                "move it in front of `with k.elect():`; it elects a lane itself",
            )

    def _scope(self, scope: str) -> None:
        if scope not in SCOPES:
            raise self._impossible(f"{scope!r} is no scope", f"use {', '.join(SCOPES)}")

    # --- fields ------------------------------------------------------------------------------------------------------
    def _words(
        self, dtype: str | None, interleave: str | None, swizzle: Any, oob_fill: str | None, rank: int | None
    ) -> Iterator[_Change]:
        """Fields whose values are words."""
        for name, path, value, words in (
            ("dtype", "elemtype", dtype, fields.REPLACE_TYPES),
            ("interleave", "interleave_layout", interleave, fields.INTERLEAVES),
            ("swizzle", "swizzle_mode", None if swizzle is None else swizzle_mode(swizzle), SWIZZLES),
            ("oob_fill", "fill_mode", oob_fill, fields.OOB_FILLS),
            ("rank", "rank", rank, tuple(range(1, fields.MAX_RANK + 1))),
        ):
            if value is None:
                continue
            if value not in words:
                raise self._impossible(
                    f"{name}={value!r} is nothing that a tensor map can hold on {self.target}",
                    f"use {', '.join(map(repr, words))}",
                )
            yield path, 32, (words.index(value),)

    def _lists(self, **given: Any) -> None:
        for name, values in given.items():
            if values is not None and (isinstance(values, str) or not isinstance(values, Sequence)):
                raise self._impossible(
                    f"`{name}` is {values!r}, no list of one value a dimension", "give a tuple, innermost first"
                )

    def _places(
        self, address: Any, dims: Sequence[Any] | None, strides: Sequence[Any] | None, rank: int | None, unit: int
    ) -> Iterator[_Change]:
        """Where the tensor lies, and its geometry: address, extents, strides. `unit`: what places are multiples of, in bytes."""
        known = rank if rank is not None else None if dims is None else len(dims)
        for name, values, wanted in (("dims", dims, known), ("strides", strides, known and known - 1)):
            if values is not None and wanted is not None and len(values) != wanted:
                raise self._impossible(
                    f"`{name}` has {len(values)} values for {known} dimensions",
                    f"give {wanted}, innermost first; None leaves one as it is"
                    + ("; dimension 0 has no stride: its elements follow each other" if name == "strides" else ""),
                )
        if address is not None:
            yield "global_address", 64, (self._field_value("address", address, replace(_ADDRESS, unit=unit)),)
        yield from self._listed("dims", "global_dim", dims, _DIM)
        yield from self._listed("strides", "global_stride", strides, replace(_STRIDE, unit=unit))

    def _listed(self, name: str, path: str, values: Sequence[Any] | None, takes: _Numbers) -> Iterator[_Change]:
        most = fields.MAX_RANK - (name == "strides")
        if values is not None and len(values) > most:
            raise self._impossible(f"`{name}` has {len(values)} values", f"a tensor map has at most {most}")
        for i, value in enumerate(values or ()):
            if value is not None:
                yield path, takes.bits, (i, self._field_value(f"{name}[{i}]", value, takes))

    def _field_value(self, name: str, value: Any, takes: _Numbers) -> Any:
        """The operand for a field. Raises: Diagnostic PTX2214 for what does not fit it."""
        if isinstance(value, Address) and name == "address" and value.space in ("global", "generic"):
            value = value.register()
        if isinstance(value, Register):
            if value.reg.type.bits != takes.bits or value.scalar.kind not in "bus":
                raise self._impossible(
                    f"`{name}` is {value!r}, but the field takes {takes.bits} bits",
                    f"convert it: k.cvt.u{takes.bits}.{value.scalar}(…)",
                )
            return value
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._impossible(
                f"`{name}` is {value!r}, which a kernel cannot write into a tensor map",
                f"give an int or a register of {takes.bits} bits",
            )
        if not takes.least <= value <= takes.most or value % takes.unit:
            unit = f", a multiple of {takes.unit}" * (takes.unit > 1)
            raise self._impossible(f"`{name}` is {value}", f"it takes {takes.least} to {takes.most}{unit}")
        return value

    def _refuse(self, others: dict[str, Any]) -> None:
        """What is fixed when a map is made on the host."""
        for name in others:
            if name in _HOST_ONLY:
                raise self._impossible(
                    f"no instruction changes {_HOST_ONLY[name]}",
                    "pass a second map that the host has made, and use it as like=",
                )
            raise self._impossible(f"a tensor map has no field `{name}`", f"its fields are {', '.join(_FIELDS)}")

    def _impossible(self, what: str, help: str) -> Diagnostic:
        return Diagnostic("PTX2214", what, help=help, origin=self.here(), isa="tensormap.replace")


_FIELDS = (
    "address", "dims", "strides", "box", "element_strides", "rank", "dtype", "interleave", "swizzle", "oob_fill",
)  # fmt: skip
_HOST_ONLY = {
    "l2_promotion": "the L2 promotion of a tensor map",
    "lower": "the bounding box of an im2col map",
    "upper": "the bounding box of an im2col map",
    "channels": "the channels of an im2col map",
    "pixels": "the pixels of an im2col map",
}
