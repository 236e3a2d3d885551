"""Tensor maps that a kernel changes itself: where they lie, and the legal sequence that gives them other contents.

A working map lies in global memory, where copies read it. It is made in shared memory (or in place), one field by one
tensormap.replace, and published: tensormap.cp_fenceproxy copies and releases it, or a fence releases it where it is; whoever
copies through it acquires it first, since a copy reads it in another proxy, through the SM's cache of maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, cast

from ptxlab.diag import Diagnostic, Span, user_span
from ptxlab.isa.types import TYPES
from ptxlab.lang.flow.control import ALL_LANES, Control
from ptxlab.lang.maps import changes
from ptxlab.lang.maps.changes import Change, impossible
from ptxlab.lang.maps.parameter import MAP_BYTES, MapParameter
from ptxlab.lang.maps.use import MapUse
from ptxlab.lang.smem.memory import SharedMemory
from ptxlab.lang.smem.tile import Geometry, Tile
from ptxlab.lang.smem.variable import Location
from ptxlab.lang.trace.types import Ptr
from ptxlab.lang.trace.values import Address
from ptxlab.layout import TensorMap
from ptxlab.layout import tensormap_fields as fields
from ptxlab.layout.swizzles import swizzle_mode

SCOPES = ("cta", "cluster", "gpu", "sys")
_WORD = 4  # bytes that a lane copies of a map: 32 lanes copy all of it


@dataclass(slots=True, eq=False)
class MapSlot:
    """A tensor map in global memory that the kernel can change. Copies and prefetches take it in the place of a map parameter.

    Attributes:
        name: of it in messages and of its copy in shared memory. where: the place in global memory.
        template: what a seed starts from; None: what lies there already. staged: whether it is made in shared memory.
        shared: its copy there, declared when it is first needed. place: where it was declared.
        use: what copies through it want. changed: fields that the kernel sets, with what is known of their values.
        rank: its dimensions, as far as the kernel says. rebound: whether the kernel changes anything.

    Example: see MapSlot.rebind
    """

    _k: Rebinding
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
                slot.rebind(dims=(32, 4))
                k.prefetch.tensormap(slot.address())

            a, maps = px.empty((8, 32), np.float32), px.empty((1, 128), np.uint8)
            fetch[1](px.tensor_map(a, box=(1, 32)), maps)
        """
        return self.where

    def __repr__(self) -> str:
        return f"<tensor map {self.name}>"

    def seed(self) -> None:
        """Copy the template's 128 bytes to where the map is made, before its fields are replaced. One whole warp executes it.

        Example:
            @px.kernel(threads=32)
            def shrink(k, tm: px.TensorMap, maps: px.Ptr[px.TensorMap]):
                slot = k.tensormap(maps[0], like=tm)
                slot.seed()  # all fields of tm; rebind(…) does it by itself unless seed=False
                slot.rebind(dims=(32, 4), seed=False)

            a, maps = px.empty((8, 32), np.float32), px.empty((1, 128), np.uint8)
            shrink[1](px.tensor_map(a, box=(1, 32)), maps)
            print(px.TensorMap.decode(maps.tobytes()).dims)  # (32, 4)
        """
        self._whole_warp("seed")
        source = self.where if self.template is None else self.template.address()
        to = self._made_at()
        if to is self.where and self.template is None:
            return  # it is changed where it lies, and nothing else is wanted there
        lane = self._k.special("%laneid")
        word = self._k.emit("ld.b32", (source.at(lane, _WORD),))
        self._k.emit("st.shared.b32" if to.space == "shared" else "st.b32", (to.at(lane, _WORD), word))
        self._k.emit("bar.warp.sync", (ALL_LANES,))

    def rebind(
        self,
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
        """Change fields of the map, publish it, and acquire it for this warp's copies. One whole warp executes it.

        Every copy through the map must be complete: loads by their mbarrier, stores by cp.async.bulk.wait_group. The sequence:
        `seed`; one elected lane replaces the fields; the warp meets; tensormap.cp_fenceproxy copies and releases the
        map (or, not staged, the lane's fence releases it); fence.proxy.tensormap acquires it.

        Lists are innermost first, as everywhere in PTX. A field that is not given stays as it is, and so does each dimension
        that is None in a list.

        Args:
            address: where the tensor starts: a pointer, an address or 64 bits; a multiple of 16 bytes.
            dims: extents in elements, ints or 32-bit registers.
            strides: bytes between neighbours of dimension 1, 2 …: ints or 64-bit registers, multiples of 16.
            box: extents of the box, 1 to 256. element_strides: 1 to 8. rank: the number of dimensions, 1 to 5.
            dtype, interleave, swizzle, oob_fill: in the words of px.TensorMap.tiled. A map of tf32 goes on rounding to it.
            seed: start from the template again. False: from what the last `rebind` or `seed` of this warp left.
            scope: of release and acquire. "gpu" serves whoever copies; "cta" copies of this CTA alone.
            acquire: False where another warp copies: that one executes `slot.acquire()` after it has synchronized with this one.

        Raises: Diagnostic PTX2214 for what no instruction can change, and for values that a field cannot hold.

        PTX: tensormap.replace, tensormap.cp_fenceproxy, fence.proxy.tensormap

        Example:
            @px.kernel(threads=32)
            def last_row(k, tm: px.TensorMap, maps: px.Ptr[px.TensorMap], a: px.Ptr[px.f32], y: px.Ptr[px.f32]):
                tile = k.smem(px.f32, (1, 32), align=128)
                bar = k.mbarrier(1)
                k.init_barriers()
                slot = k.tensormap(maps[0], like=tm)
                slot.rebind(address=a.at(7 * 128), dims=(32, 1))  # the map now begins at row 7
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
        self._whole_warp("rebind")
        _check_scope(scope)
        changes.check_lists(dims=dims, strides=strides, box=box, element_strides=element_strides)
        made = [
            *changes.named_fields(self._k.target, dtype, interleave, swizzle, oob_fill, rank),
            *changes.places(address, dims, strides, rank, 32 if interleave == "32B" else 16),
            *changes.boxes(box, element_strides),
        ]
        changes.refuse(others)
        if not made:
            raise impossible(f"nothing of {self!r} is changed", "give address=, dims=, strides= …")
        self.rank, self.rebound = rank or (len(dims) if dims is not None else self.rank), True
        self._change(rank=rank, box=box, dtype=dtype, swizzle=swizzle)
        if seed:
            self.seed()
        self._replace(made, scope)
        if self.staged:
            assert self.shared is not None
            release = f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned"
            self._k.emit(release, (self.where, self.shared, MAP_BYTES))
        if acquire:
            self.acquire(scope=scope)

    def acquire(self, *, scope: str = "gpu") -> None:
        """Acquire the map as it was last published (one instruction). Threads that copy through it execute this first, after
        they have synchronized with the warp that changed the map.

        Args:
            scope: "cta", "cluster", "gpu" or "sys": it must include the warp that changed the map.

        PTX: fence.proxy.tensormap

        Example:
            @px.kernel(threads=64)
            def apart(k, tm: px.TensorMap, maps: px.Ptr[px.TensorMap]):
                slot = k.tensormap(maps[0], like=tm)
                with k.if_(k.warp == 0):  # one warp changes the map
                    slot.rebind(dims=(32, 4), acquire=False)
                k.bar.sync(0)
                with k.if_(k.warp == 1):  # another one copies through it
                    slot.acquire()
                    k.prefetch.tensormap(slot)

            a, maps = px.empty((8, 32), np.float32), px.empty((1, 128), np.uint8)
            apart[1](px.tensor_map(a, box=(1, 32)), maps)
        """
        _check_scope(scope)
        self._k.emit(f"fence.proxy.tensormap::generic.acquire.{scope}", (self.where, MAP_BYTES))

    # --- what copies want --------------------------------------------------------------------------------------------
    def note_use(self, use: MapUse) -> None:
        """Note what a copy expects of the map. Raises: Diagnostic PTX2211 where another copy expects something else, or the
        kernel sets something else."""
        known = self.use or use
        if known.differs(use):
            raise _unlike(f"`{self.name}` moves {known} at {known.place}, but {use} here")
        self.use = known.both(use)
        self._agree()

    def _change(self, **given: Any) -> None:
        """Note which fields the kernel sets; None as a value stands for registers."""
        for name, value in given.items():
            if value is None:
                continue
            made = tuple(value) if name == "box" else swizzle_mode(value) if name == "swizzle" else value
            known = not isinstance(made, tuple) or all(isinstance(v, int) for v in cast("tuple[Any, ...]", made))
            self.changed[name] = made if known else None
        self._agree()

    def _agree(self) -> None:
        if self.use is None:
            return
        if self.use.im2col and self.rebound:
            raise impossible(
                f"`{self.name}` is copied through as an im2col map at {self.use.place}, and no instruction changes one",
                "pass one im2col map a tensor, made on the host",
            )
        for name, made in (("rank", self.rank), *self.changed.items()):
            wanted = getattr(self.use, name)
            if made is None or wanted is None or made == wanted:
                continue
            if name != "dtype" or not fields.element_fits(str(made), wanted):
                raise _unlike(
                    f"`{self.name}` gets {name} {made!r} by its rebind, but copies at {self.use.place} want {wanted!r}"
                )

    # --- the sequence ------------------------------------------------------------------------------------------------
    def _made_at(self) -> Address:
        """Where fields are replaced."""
        if not self.staged:
            return self.where
        if self.shared is None:
            self.shared = self._k.map_storage(self.name)
        return self.shared.address()

    def _replace(self, made: Sequence[Change], scope: str) -> None:
        """One lane replaces the fields, and where they are replaced in place, publishes them; then the warp meets."""
        where = self._made_at()
        space = "shared::cta" if self.staged else "global"
        with self._k.one_lane():
            for path, bits, operands in made:
                self._k.emit(f"tensormap.replace.tile.{path}.{space}.b1024.b{bits}", (where, *operands))
            if not self.staged:
                self._k.emit(f"fence.proxy.tensormap::generic.release.{scope}")
        self._k.emit("bar.warp.sync", (ALL_LANES,))

    def _whole_warp(self, word: str) -> None:
        if self._k.in_one_lane:
            raise impossible(
                f"{word} of {self!r} stands in a block of one lane, but a whole warp executes it",
                "move it in front of `with k.elect():`; it elects a lane itself",
            )


def _check_scope(scope: str) -> None:
    if scope not in SCOPES:
        raise impossible(f"{scope!r} is no scope", f"use {', '.join(SCOPES)}")


def _unlike(what: str, place: Span | None = None) -> Diagnostic:
    help = "use a second k.tensormap, or tiles of one shape"
    return Diagnostic("PTX2211", what, help=help, origin=place or user_span())


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

        Example: see MapSlot.rebind
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
        slot = MapSlot(self, name, where, like, staged, place)
        self._slots.append(slot)
        return slot

    def _no_slot(self, what: str, help: str) -> NoReturn:
        raise Diagnostic("PTX2215", what, help=help, origin=self.here(), isa="Tensor-map")

    def expect_of_templates(self) -> None:
        """What copies expect of fields that the kernel does not set, they expect of the template."""
        for slot in self._slots:
            use = slot.use
            if use is None or slot.template is None:
                continue
            room = None if {"box", "dtype"} & slot.changed.keys() else use.room
            want = replace(use, **dict.fromkeys(slot.changed), room=room)
            known = self.maps.get(slot.template.name, want)
            if known.differs(want):
                raise _unlike(
                    f"`{slot.template.name}` moves {known} at {known.place}, but {want} as the template of `{slot.name}`",
                    use.place,
                )
            self.maps[slot.template.name] = known.both(want)

    def map_storage(self, name: str) -> Tile:
        """Shared memory in which a map is made."""
        variable = self._declare(name, MAP_BYTES, MAP_BYTES, self.here())
        where = Address(self, variable.base.reg, 0, "shared", TYPES["b8"])
        return Tile(self, Location(variable, where), Geometry(TYPES["b8"], (MAP_BYTES,), "none", (), (1, MAP_BYTES)))
