"""Tensor maps that a kernel changes: tensormap.replace and cp_fenceproxy on the real bytes, and what each SM sees of them.

An SM caches the bytes of a map that it has used until one of its threads acquires the map through the tensormap proxy, whatever
happens in memory. An operation through stale bytes uses them, with a finding; whatever else leaves the order of a change and a use
open is a finding, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.limits import TENSOR_MAP_ALIGN
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access
from ptxlab.layout.tensormap_fields import NBYTES
from ptxlab.layout.tensormap_replace import replaced
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32, SHARED_WINDOW, is_local, is_shared
from ptxlab.sim.engine.machine.faults import name_of
from ptxlab.sim.engine.machine.naming import cta_name, lanes_of
from ptxlab.sim.engine.machine.trap import DONE, Outcome, Unit, trap, unit
from ptxlab.sim.engine.units.events import located
from ptxlab.sim.engine.units.operands import addresses, agree, immediate, integers
from ptxlab.sim.engine.units.place import check_converged, check_shared, place

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta
    from ptxlab.sim.engine.machine.trap import TrapContext

SCOPES = ("cta", "cluster", "gpu", "sys")
_FIELDS = (
    *("global_address", "rank", "box_dim", "global_dim", "element_stride", "global_stride", "elemtype"),
    *("interleave_layout", "swizzle_mode", "swizzle_mode.96B", "swizzle_atomicity", "fill_mode"),
)
_WAIT = "wait for that operation first: for the phase of its mbarrier, or with cp.async.bulk.wait_group.read 0"
_PUBLISH = (
    "after the change: fence.proxy.tensormap::generic.release, a barrier or flag, then "
    "fence.proxy.tensormap::generic.acquire [map], 128 by the thread that uses it"
)


@dataclass(slots=True)
class Change:
    """The latest change of a map by a CTA.

    Attributes:
        when: counts changes and acquisitions of the launch.
        cta, cluster, name: who changed it: indices in the grid, and the CTA in words. op: by which instruction.
        released: scope of the release since then; None before one.
    """

    when: int
    cta: int
    cluster: int
    op: Op
    name: str
    released: str | None = None

    def needs(self, cta: Cta) -> str:
        """The narrowest scope that reaches from the change to a CTA."""
        if cta.index == self.cta:
            return "cta"
        return "cluster" if cta.cluster.index == self.cluster else "gpu"


@dataclass(slots=True)
class Use:
    """An operation through a map that the program has not waited for, as long as `pending` says so."""

    op: Op
    cluster: Cluster
    pending: Callable[[], bool]


@unit
class TensorMaps(Unit):
    """What every SM has of the maps in writable memory, and who changed them.

    Attributes:
        cached: bytes by SM and address of the map.
        acquired: (when, scope) of the latest acquisition, by SM and address.
        changes: the latest change of a map by each CTA that changed it.
        uses: operations under way, by address.
    """

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.cached: dict[tuple[int, int], bytes] = {}
        self.acquired: dict[tuple[int, int], tuple[int, str]] = {}
        self.changes: dict[int, dict[int, Change]] = {}
        self.uses: dict[int, list[Use]] = {}
        self._unreleased: dict[int, list[Change]] = {}
        self._writable: dict[int, bool] = {}
        self._found: set[tuple[str, int]] = set()
        self._clock = 0

    def can_change(self, address: int) -> bool:
        """Whether the map lies in memory that the kernel may write; parameters and constants stay as they are."""
        if address not in self._writable:
            rows = self.machine.buffers.tolist()
            self._writable[address] = any(b <= address < e and w & F.BUFFER_WRITABLE for b, e, w, _ in rows)
        return self._writable[address]

    # -- what an SM sees
    def look(self, ctx: TrapContext, address: int) -> bytes:
        """The map's bytes as an operation of the executing CTA gets them."""
        memory = ctx.global_view(address, NBYTES).tobytes()
        if not self.can_change(address):
            return memory
        held = self.cached.setdefault(self._key(ctx.cta, address), memory)
        ordered = all(self._in_order(ctx, address, change) for change in self.changes.get(address, {}).values())
        if held != memory and ordered:
            map_ = name_of(self.machine, address)
            words = f"`{ctx.op.inst.opcode}` reads the tensor map {map_} as it was before an ordinary store changed it"
            self._report("PTX9163", ctx.op, words, f"{_PUBLISH}; or let tensormap.replace change it")
        return held

    def prefetch(self, ctx: TrapContext, address: int) -> None:
        """The SM takes the map's bytes into its cache, if they are not there."""
        if self.can_change(address):
            self.cached.setdefault(self._key(ctx.cta, address), ctx.global_view(address, NBYTES).tobytes())

    def _in_order(self, ctx: TrapContext, address: int, change: Change) -> bool:
        """Whether a change of a map is ordered before the executing operation. Reports what is missing."""
        need = change.needs(ctx.cta)
        when, scope = self.acquired.get(self._key(ctx.cta, address), (-1, ""))
        what = f"`{ctx.op.inst.opcode}` uses the tensor map {name_of(self.machine, address)}"
        notes = (f"changed by `{change.op.inst.opcode}` of CTA {change.name}",)
        if change.released is None:
            words = f"{what}, whose change has not been released to the tensormap proxy"
            return self._report("PTX9162", ctx.op, words, _PUBLISH, notes)
        if SCOPES.index(change.released) < SCOPES.index(need):
            return self._narrow(ctx.op, f"{what}, whose change was released", change.released, need, notes)
        if when < change.when:
            return self._report("PTX9160", ctx.op, f"{what} without having acquired its latest change", _PUBLISH, notes)
        if SCOPES.index(scope) < SCOPES.index(need):
            return self._narrow(ctx.op, f"{what}, whose change was acquired", scope, need, notes)
        return True

    def _narrow(self, op: Op, what: str, scope: str, need: str, notes: tuple[str, ...]) -> bool:
        where = {"cluster": "another CTA of the cluster", "gpu": "a CTA outside the cluster"}[need]
        help_ = f"write .{need} in the place of .{scope}: {where} made the change"
        return self._report("PTX9161", op, f"{what} at scope .{scope} only", help_, notes)

    # -- changes and fences
    def check_unused(self, address: int, op: Op) -> None:
        """Report a change of a map that operations still use."""
        what = f"`{op.inst.opcode}` changes the tensor map {name_of(self.machine, address)}"
        for use in self._pending(address):
            self._report("PTX9164", op, f"{what} while `{use.op.inst.opcode}` may still use it", _WAIT)

    def changed(self, ctx: TrapContext, address: int, release: str | None = None) -> None:
        """A tracked change of a map in global memory, released at once where a scope is given."""
        self._clock += 1
        change = Change(self._clock, ctx.cta.index, ctx.cluster.index, ctx.op, str(ctx.cta.coordinates), release)
        self.changes.setdefault(address, {})[ctx.cta.index] = change
        if release is None:
            self._unreleased.setdefault(ctx.cta.index, []).append(change)

    def release(self, cta: Cta, scope: str) -> None:
        """A thread of the CTA publishes what the CTA has changed."""
        for change in self._unreleased.pop(cta.index, []):
            change.released = scope
        self._clock += 1

    def acquire(self, ctx: TrapContext, address: int, scope: str) -> None:
        """The SM takes the map anew, if the scope reaches to all who changed it."""
        self._clock += 1
        key = self._key(ctx.cta, address)
        self.acquired[key] = (self._clock, scope)
        needed = (c.needs(ctx.cta) for c in self.changes.get(address, {}).values())
        if all(SCOPES.index(scope) >= SCOPES.index(n) for n in needed):
            self.cached.pop(key, None)

    # -- operations under way
    def used(self, ctx: TrapContext, address: int, pending: Callable[[], bool]) -> None:
        """An operation through a map starts."""
        if self.can_change(address):
            self.uses[address] = [*self._pending(address), Use(ctx.op, ctx.cluster, pending)]

    def snapshot(self, address: int) -> tuple[int, bytes]:
        """When it is, and what the map's bytes are in memory."""
        return self._clock, self.machine.global_view(address, NBYTES).tobytes()

    def check_unchanged(self, address: int, before: tuple[int, bytes], op: Op) -> None:
        """Report bytes that are no longer those of a snapshot, unless a tracked change explains it, which has been reported."""
        tracked = any(change.when > before[0] for change in self.changes.get(address, {}).values())
        if not tracked and self.snapshot(address)[1] != before[1]:
            what = f"an ordinary store changes the tensor map {name_of(self.machine, address)}"
            self._report("PTX9164", op, f"{what} while `{op.inst.opcode}` may still use it", _WAIT)

    def _pending(self, address: int) -> list[Use]:
        return [use for use in self.uses.get(address, []) if use.pending()]

    def cluster_finished(self, cluster: Cluster) -> None:
        for address, uses in list(self.uses.items()):
            self.uses[address] = [u for u in uses if u.cluster is not cluster]

    # -- words
    def _key(self, cta: Cta, address: int) -> tuple[int, int]:
        return cta.index % self.machine.constants["%nsmid"], address

    def _report(self, code: str, op: Op, message: str, help_: str, notes: tuple[str, ...] = ()) -> bool:
        """Note a finding, once for an instruction. Always False."""
        if (code, id(op)) not in self._found:
            self._found.add((code, id(op)))
            found = Diagnostic(code, message, help=help_, isa=op.inst.form.isa, notes=notes)
            self.machine.report.findings.append(located(found, op))
        return False


def map_bytes(ctx: TrapContext, address: int, *, write: bool = False, generic: bool = True) -> NDArray[np.uint8]:
    """The 128 bytes of a map in global or shared memory.

    Raises: Diagnostic PTX9124 for a place that no map can be changed in, PTX9121 where it is not aligned to 128 bytes, and what
    accesses to such memory raise.
    """
    op = ctx.op
    if is_local(address):
        words = f"the tensor map of `{op.inst.opcode}` lies in local memory"
        raise Diagnostic("PTX9124", words, help="keep it in shared or global memory")
    if is_shared(address) or not generic:
        where = place(ctx, address, here=not generic)
        check_shared(where, NBYTES, NBYTES, "tensor map", op)
        return where.view(NBYTES)
    if address % NBYTES:
        words = f"the tensor map of `{op.inst.opcode}` is not aligned to {NBYTES} bytes"
        raise Diagnostic("PTX9121", words, help="keep maps at multiples of 128 bytes", isa=op.inst.form.isa)
    return ctx.global_view(address, NBYTES, write=write)


def _notify(ctx: TrapContext, kind: str, where: Sequence[int], keys: Sequence[object] = (), key: object = None) -> None:
    """Notify observers of what is done to tensor maps: by all executing lanes, or by those whose key is this one."""
    for hook in ctx.machine.hooks.mapped:
        lanes = sum(1 << lane for lane in lanes_of(ctx.mask) if keys[lane] == key) if keys else ctx.mask
        hook(ctx.warp, lanes, ctx.op, kind, where)


def _generic(address: int, *, in_shared: bool) -> int:
    """A generic address of what a generic address, or one of shared memory, names."""
    return SHARED_WINDOW + (address & ADDRESS32) if in_shared else address


@trap(*(f"tensormap.replace.{field}" for field in _FIELDS))
def replace(ctx: TrapContext, op: Op) -> Outcome:
    effect = op.inst.form.effect
    assert isinstance(effect, Access)
    assert effect.field is not None
    maps = ctx.machine.unit(TensorMaps)
    ordinal = immediate(ctx, "ordinal") if ctx.present("ordinal") else 0
    where, values = addresses(ctx, "map"), integers(ctx, "value")
    in_shared = op.inst.mod("space") == "shared::cta"
    pairs = list(zip(where, values, strict=True))
    for address, value in dict.fromkeys(pairs[lane] for lane in lanes_of(ctx.mask)):
        data = map_bytes(ctx, address, write=True, generic=not in_shared)
        tracked = not (in_shared or is_shared(address))
        if tracked:
            maps.check_unused(address, op)
        data[:] = np.frombuffer(replaced(data.tobytes(), effect.field, value, ordinal), np.uint8)
        if tracked:
            maps.changed(ctx, address)
        _notify(ctx, "replace", [_generic(address, in_shared=in_shared)], pairs, (address, value))
    return DONE


@trap("tensormap.cp_fenceproxy")
def cp_fenceproxy(ctx: TrapContext, op: Op) -> Outcome:
    targets, sources = addresses(ctx, "dst"), addresses(ctx, "src")
    check_converged(ctx, op)
    if not (agree(targets, ctx.mask) and agree(sources, ctx.mask)):
        words = f"the lanes of `{op.inst.opcode}` name different tensor maps"
        help_ = "give the same two addresses in all 32 lanes: the warp copies one map"
        raise Diagnostic("PTX9132", words, help=help_, isa=op.inst.form.isa)
    maps = ctx.machine.unit(TensorMaps)
    data = map_bytes(ctx, sources[0], generic=False).copy()
    target = map_bytes(ctx, targets[0], write=True)
    maps.check_unused(targets[0], op)
    target[:] = data
    maps.changed(ctx, targets[0], op.inst.mod("scope"))
    _notify(ctx, "copy", [targets[0], _generic(sources[0], in_shared=True)])
    return DONE


@trap("fence.proxy.tensormap.release")
def release(ctx: TrapContext, op: Op) -> Outcome:
    ctx.machine.unit(TensorMaps).release(ctx.cta, op.inst.mod("scope") or "")
    _notify(ctx, "release", [])
    return DONE


@trap("fence.proxy.tensormap.acquire")
def acquire(ctx: TrapContext, op: Op) -> Outcome:
    where = addresses(ctx, "map")
    for address in dict.fromkeys(where[lane] for lane in lanes_of(ctx.mask)):
        if is_shared(address):
            words = f"`{op.inst.text()}` acquires a tensor map in shared memory of {cta_name(ctx.cta)}"
            help_ = "copies read maps from global, constant or parameter memory: name that address"
            raise Diagnostic("PTX9124", words, help=help_, isa=op.inst.form.isa)
        if address % TENSOR_MAP_ALIGN:
            words = f"`{op.inst.text()}` acquires at {address:#x}, which is no multiple of {TENSOR_MAP_ALIGN} bytes"
            raise Diagnostic("PTX9121", words, help="keep maps at multiples of 128 bytes", isa=op.inst.form.isa)
        # No map need lie there: CUTLASS acquires the map of an absent operand through a null pointer.
        ctx.machine.unit(TensorMaps).acquire(ctx, address, op.inst.mod("scope") or "")
        _notify(ctx, "acquire", [address], where, address)
    return DONE


@trap("prefetch.tensormap")
def prefetch(ctx: TrapContext, op: Op) -> Outcome:
    """It changes nothing, but the map is in the SM's cache from then on."""
    if op.inst.mod("space") is None:
        where = addresses(ctx, "map")
        for address in dict.fromkeys(where[lane] for lane in lanes_of(ctx.mask)):
            if not (is_shared(address) or is_local(address)):
                ctx.machine.unit(TensorMaps).prefetch(ctx, address)
    return DONE
