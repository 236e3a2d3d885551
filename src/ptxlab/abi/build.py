"""From a call's arguments to a launch record, or to the diagnostics that say why not."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ptxlab.abi.arrays import CPU, ArrayView, is_array, view
from ptxlab.abi.multicast import multicasts, replicas_of
from ptxlab.abi.params import buffers, pack
from ptxlab.abi.places import Place, no_peer
from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.abi.rules import ArrayRule, Rule
from ptxlab.abi.validate import Extents, cluster_of, extents, geometry
from ptxlab.diag import Diagnostic, Span, raise_all
from ptxlab.layout.shared_tile import SharedMbarriers, SharedTile

if TYPE_CHECKING:
    from ptxlab.ptx.program import Param, Program

Variables = Callable[[int], tuple[Mapping[str, int], Sequence[Buffer]]]
DEVICES = ("auto", "sim", "gpu")
WORKSPACE_BYTES = 64


@dataclass(frozen=True, slots=True)
class Call:
    """A launch as the user wrote it. `cluster` is None where none is named; `shared` counts dynamic bytes.

    `names` are what reports call parameters, where that is not their own name. `registers` asks the assembler what a thread takes.
    `place`: the device of its stream, where that has one. `tiles` and `mbarriers` are those of shared memory.
    """

    grid: Extents
    block: Extents
    cluster: Extents | None = None
    shared: int = 0
    args: Sequence[Any] = ()
    buffers: Sequence[Any] = ()
    device: str = "auto"
    place: Place | None = None
    cooperative: bool = False
    programmatic: bool | None = None
    rules: Mapping[str, Rule] = field(default_factory=dict[str, Rule])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    registers: Callable[[], int | None] | None = None
    tiles: Mapping[str, SharedTile] = field(default_factory=dict[str, SharedTile])
    mbarriers: tuple[SharedMbarriers, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """A checked launch, and which GPU, or simulated device, runs it."""

    record: LaunchRecord
    ordinal: int


def build(program: Program, call: Call, origin: Span | None, variables: Variables) -> Built:
    """Check a call and pack it.

    Args:
        program: the entry.
        call: what the user wrote.
        origin: the user's line; every diagnostic points there.
        variables: gives addresses and buffers of the module's variables on a simulated device; called for simulated launches only.

    Raises: Diagnostic PTX20xx, PTX21xx, PTX23xx; the first of all that is wrong, the others in its `also`.
    """
    try:
        return _build(program, call, variables)
    except Diagnostic as d:
        for one in (d, *d.also):
            one.origin = one.origin or origin
        raise


def _build(program: Program, call: Call, variables: Variables) -> Built:
    grid, block = extents("grid", call.grid), extents("block", call.block)
    cluster = None if call.cluster is None else extents("cluster", call.cluster)
    shared = _size(call.shared)
    found = list(geometry(program, grid, block, cluster, shared))
    rules: dict[str, Rule] = {**pointer_rules(program), **call.rules}
    packed = pack(program.params, program.param_bytes, _listed("args", call.args, "PTX2301"), rules, found)
    extra = [(f"buffers[{i}]", _buffer(i, b)) for i, b in enumerate(_listed("buffers", call.buffers, "PTX2306"))]
    views = [*((call.names.get(name, name), a) for name, a in packed.views), *extra]
    device, ordinal = _device(call.device, call.place, replicas_of(views), found)
    raise_all(found)
    addresses: Mapping[str, int] = {}
    own: Sequence[Buffer] = ()
    if device == CPU:
        addresses, own = variables(ordinal)
    together = _workspace() if call.cooperative and device == CPU else ()
    record = LaunchRecord(
        program,
        grid=grid,
        block=block,
        cluster=cluster_of(program, cluster),
        shared=shared,
        params=packed.data,
        buffers=(*buffers(replicas_of(views)), *own, *together),
        variables=addresses,
        multicasts=multicasts(views),
        device=device,
        ordinal=ordinal,
        cooperative=call.cooperative,
        programmatic=call.programmatic,
        workspace=sum(b.address for b in together),
        cluster_named=cluster is not None,
        registers=call.registers,
        tiles=call.tiles,
        mbarriers=call.mbarriers,
    )
    return Built(record, ordinal)


def _workspace() -> tuple[Buffer]:
    """Memory in which a cooperative grid counts those that have come to its barrier, as compiled CUDA C++ expects it."""
    memory = np.zeros(2 * WORKSPACE_BYTES, np.uint8)
    memory = memory[-memory.ctypes.data % WORKSPACE_BYTES :][:WORKSPACE_BYTES]
    return (Buffer("the grid's barrier", memory.ctypes.data, memory.nbytes, True, memory),)


def _listed(name: str, given: Any, code: str) -> Sequence[Any]:
    """What a call gives as a list. Raises Diagnostic with this code for what is none."""
    if is_array(given) or isinstance(given, str | bytes) or not isinstance(given, Iterable):
        what = view(given) if is_array(given) else _one(type(given).__name__)
        raise Diagnostic(code, f"{name}= wants a list, not {what}.", help=f"write {name}=[…]")
    return tuple(cast("Iterable[Any]", given))


def _one(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _buffer(number: int, array: Any) -> ArrayView:
    if is_array(array):
        return view(array)
    raise Diagnostic(
        "PTX2306", f"buffers[{number}] is no array, but {array!r}.", help="give the arrays that the pointers are of"
    )


def _size(shared: Any) -> int:
    try:
        return operator.index(shared)
    except TypeError:
        raise Diagnostic("PTX2010", f"shared={shared!r} is no number of bytes.", help="give an integer") from None


def pointer_rules(program: Program) -> dict[str, ArrayRule]:
    """What the entry itself says of its pointers: `.param .u64 .ptr .global .align 16 name`."""
    declared = program.function.params or ()
    return {
        p.name: ArrayRule(align=int(p.ptr_align.value))
        for p in declared
        if p.ptr_align is not None and p.ptr_align.value
    }


def _device(
    wanted: str, chosen: Place | None, views: Sequence[tuple[str, ArrayView]], found: list[Diagnostic]
) -> tuple[str, int]:
    """Where the launch runs: "cpu" or "cuda", and which device. chosen: the one of its stream; without one, a launch that is to be
    simulated by itself runs on the device of its first array."""
    if wanted not in DEVICES:
        found.append(Diagnostic("PTX2311", f"{wanted!r} is no device."))
        return CPU, 0
    places: dict[Place, str] = {}
    for name, a in views:
        places.setdefault(Place(a.device, a.ordinal), name)
    kinds = {place.kind for place in places}
    if chosen is not None and kinds <= {chosen.kind}:
        found += [no_peer(chosen, n, p) for p, n in places.items() if p.number != chosen.number and not chosen.peers]
        return chosen.kind, chosen.number
    if len(places) > 1 and not (wanted == "sim" and kinds == {CPU}):
        said = " and ".join(f"`{name}` on {_name(place, kinds)}" for place, name in places.items())
        help = "move all arrays of a launch to one device"
        if len(kinds) == 1:
            help = "say which device runs it, by a stream of that device: stream=px.Stream(device)"
        found.append(Diagnostic("PTX2303", f"The launch has {said}.", help=help))
        return CPU, 0
    first = next(iter(places), Place(CPU if wanted != "gpu" else "cuda"))
    if (wanted == "gpu" and first.kind == CPU) or (wanted == "sim" and first.kind != CPU):
        found.append(_elsewhere(wanted, next(iter(places.values())), first.kind))
    return first.kind, first.number


def _name(place: Place, kinds: Iterable[str]) -> str:
    return "the CPU" if place.kind == CPU and len(set(kinds)) > 1 else str(place)


def _elsewhere(wanted: str, name: str, device: str) -> Diagnostic:
    if wanted == "gpu":
        help = "move the arrays to the GPU, e.g. torch.from_numpy(a).cuda(), or leave device= out to simulate"
    else:
        help = "give NumPy arrays (e.g. a.cpu().numpy()), or leave device= out to run on the GPU"
    where = "the GPU" if device != CPU else "the CPU"
    return Diagnostic("PTX2303", f'`{name}` lies on {where}, and the launch says device="{wanted}".', help=help)


def param_by_name(program: Program, name: str) -> Param:
    """The parameter that `name` (or an index in digits) means.

    Raises: Diagnostic PTX2301.
    """
    params = program.params
    for i, p in enumerate(params):
        if name in (p.name, str(i)):
            return p
    listed = ", ".join(f"{i} {p.name}" for i, p in enumerate(params)) or "none"
    raise Diagnostic("PTX2301", f"The kernel has no parameter {name!r}.", help=f"its parameters: {listed}")
