"""Tensor maps that a kernel changes: published before they are used, and acquired by who uses them.

Only what is wrong on every way through the kernel is reported, and nothing of kernels that call functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.checks.asynchronous import not_followed
from ptxlab.checks.values import Place
from ptxlab.diag import Diagnostic
from ptxlab.isa.action import word
from ptxlab.isa.effects import Access, AsyncCopy, Compute, Fence
from ptxlab.isa.operands import Addr, Imm, Reg
from ptxlab.ptx.flow import Reach, branch_kind
from ptxlab.ptx.program import Op

_JOIN = ("generic", "tensormap")
_NARROW = ("cta", "cluster")
_MOST_COPIES = 32  # of a register, one of the other


@dataclass(slots=True)
class _Acts:
    """Indices of the ops that do something with maps."""

    replaces: list[int] = field(default_factory=list[int])
    publishes: list[int] = field(default_factory=list[int])
    releases: list[int] = field(default_factory=list[int])
    acquires: list[int] = field(default_factory=list[int])
    copies: list[int] = field(default_factory=list[int])


def check_tensormaps(analysis: Analysis) -> Iterator[Diagnostic]:
    """Changes that are never published, copies through maps that were never acquired, and maps where no copy can read them."""
    acts = _acts(analysis)
    if any(branch_kind(op) == "call" for op in analysis.program.ops):
        return
    yield from _in_shared(analysis, acts)
    yield from _unpublished(analysis, acts)
    yield from _unacquired(analysis, acts)
    yield from _too_narrow(analysis, acts)


def _acts(analysis: Analysis) -> _Acts:
    acts = _Acts()
    for i, op in enumerate(analysis.program.ops):
        match op.inst.form.effect:
            case Access(tensormap="replace"):
                acts.replaces.append(i)
            case Access(tensormap="publish"):
                acts.publishes.append(i)
            case Fence(order=order, joins=joins) if _JOIN in joins:
                (acts.releases if word(order, op.inst) == "release" else acts.acquires).append(i)
            case AsyncCopy(tensor=True):
                acts.copies.append(i)
            case _:
                pass
    return acts


def _unpublished(analysis: Analysis, acts: _Acts) -> Iterator[Diagnostic]:
    left = not_followed(analysis.graph, acts.replaces, [*acts.publishes, *acts.releases])
    if left:
        op = analysis.program.ops[left[0]]
        yield at_op(
            op,
            "PTX5040",
            f"nothing publishes what `{op.inst.opcode}` changes, so that copies may go on with the old map",
            "of a map in shared memory: tensormap.cp_fenceproxy to where copies read it; in global memory: "
            "fence.proxy.tensormap::generic.release.gpu",
        )


def _unacquired(analysis: Analysis, acts: _Acts) -> Iterator[Diagnostic]:
    """Copies through an address at which the same thread has changed the map before."""
    changed: dict[tuple[str, int], list[int]] = {}
    for i in [*acts.replaces, *acts.publishes]:
        op = analysis.program.ops[i]
        where = _where(analysis, op, "map" if i in acts.replaces else "dst")
        if where is not None:
            changed.setdefault(where, []).append(i)
    search = Reach(analysis.graph)
    for i in acts.copies:
        op = analysis.program.ops[i]
        before = changed.get(_where(analysis, op, "map") or ("", 0), [])
        if before and search.before(before, i) and not search.before(acts.acquires, i):
            yield at_op(
                op,
                "PTX5041",
                f"`{op.inst.opcode}` uses a tensor map that the kernel has changed, and nothing acquires the change",
                "put in front of it, behind the synchronisation with who changed it: "
                "fence.proxy.tensormap::generic.acquire.gpu [map], 128",
                isa="membar, fence",
            )
            return


def _too_narrow(analysis: Analysis, acts: _Acts) -> Iterator[Diagnostic]:
    """Acquires that cannot see another kernel's or the host's changes, in a kernel that makes none."""
    if acts.replaces or acts.publishes or acts.releases:
        return
    for i in acts.acquires:
        op = analysis.program.ops[i]
        scope = op.inst.mod("scope")
        if scope in _NARROW:
            yield at_op(
                op,
                "PTX5042",
                f"`{op.inst.opcode}` sees changes of this {scope} alone, but the kernel changes no tensor map",
                "take .gpu for what another kernel has changed, .sys for what the host has",
            )
            return


def _in_shared(analysis: Analysis, acts: _Acts) -> Iterator[Diagnostic]:
    shared = {v.name for v in analysis.program.variables if v.space == "shared"}
    for i in acts.copies:
        op = analysis.program.ops[i]
        address = op.inst.operands.get("map")
        place = analysis.constants.operand(address.base) if isinstance(address, Addr) else None
        if isinstance(place, Place) and place.symbol in shared:
            yield at_op(
                op,
                "PTX5043",
                f"`{op.inst.opcode}` takes its tensor map from `{place.symbol}` in shared memory, where no copy can read one",
                "copy it to global memory first: tensormap.cp_fenceproxy",
            )


def _where(analysis: Analysis, op: Op, name: str) -> tuple[str, int] | None:
    """The address of an operand: a register that is written once, or a variable, and an offset."""
    address = op.inst.operands.get(name)
    if not isinstance(address, Addr):
        return None
    place = analysis.constants.operand(address.base)
    if isinstance(place, Place):
        return place.symbol, place.offset + address.offset
    return _root(analysis, address.base.name, address.offset) if isinstance(address.base, Reg) else None


def _root(analysis: Analysis, register: str, offset: int) -> tuple[str, int] | None:
    """Where a register comes from, through copies and sums with constants."""
    ops, only = analysis.program.ops, analysis.uses.only
    for _ in range(_MOST_COPIES):
        at = only.get(register, -1)
        if at < 0:
            return None
        op = ops[at]
        effect = op.inst.form.effect
        operands = [op.inst.operands.get(n) for n in effect.of] if isinstance(effect, Compute) else []
        match operands:
            case [Reg() as source] if isinstance(effect, Compute) and effect.each == "copy" and op.guard is None:
                register = source.name
            case [Reg() as source, Imm() as by] if (
                isinstance(effect, Compute) and effect.each == "add" and op.guard is None
            ):
                register, offset = source.name, offset + int(by.value)
            case _:
                return register, offset
    return None
