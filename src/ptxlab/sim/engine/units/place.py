"""Places in shared memory: which CTA's, and where, behind an address that an instruction names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import AsyncCopy
from ptxlab.isa.form import Form
from ptxlab.isa.operands import Addr, Symbol
from ptxlab.sim.engine.compiled.address import is_shared, offset_of, rank_of
from ptxlab.sim.engine.machine.faults import (
    EXITED_HELP,
    SHARED_HELP,
    alone,
    counted,
    name_of,
    outside_cta,
    outside_shared,
    shared_name,
)
from ptxlab.sim.engine.machine.naming import cta_name, lanes_of
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.engine.units.operands import ALL_LANES, addresses, agree

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cluster, Cta
    from ptxlab.sim.engine.machine.trap import TrapContext


@lru_cache(maxsize=1024)
def _optional_spaces(form: Form) -> tuple[str, ...]:
    """The optional modifiers of a row that name a state space."""
    named = ("shared", "space", "shared::cluster")
    return tuple(s.name for s in form.slots if s.optional and s.name is not None and s.name in named)


def is_generic(inst: Instance, name: str) -> bool:
    """Whether the address operand is a generic address: its row has an optional space that was left out."""
    operand = inst.operands[name]
    if isinstance(operand, Addr) and isinstance(operand.base, Symbol):
        return False
    optional = _optional_spaces(inst.form)
    return bool(optional) and not any(n in inst.mods for n in optional)


def stays_here(inst: Instance, name: str) -> bool:
    """Whether the address operand has to lie in the executing CTA: shared::cta, which is what .shared means.

    An H100 faults elsewhere in mbarrier.arrive and cp.async; the same of bulk and tensor copies is not verified on hardware.
    What completes on an mbarrier takes generic addresses of any CTA.
    """
    term = inst.form.operands[name].space
    space = inst.mods.get("space") or (term.eval(inst) if term is not None else None)
    effect = inst.form.effect
    if space == "generic" and isinstance(effect, AsyncCopy) and effect.completion == "mbarrier":
        return False
    return space != "shared::cluster"


def place(ctx: TrapContext, address: int, *, generic: bool = False, here: bool = False) -> Place:
    """The place behind an address of shared memory; `here`: it has to be in the executing CTA.

    Raises: Diagnostic PTX9014 for one that is not, PTX9024 for a CTA that has exited, PTX9115 for a generic address outside
        shared memory, PTX9116 for a CTA that the cluster lacks.
    """
    if generic and not is_shared(address):
        raise Diagnostic(
            "PTX9115",
            f"`{ctx.op.inst.opcode}` wants an address in shared memory, but {name_of(ctx.machine, address)} "
            "lies outside it",
            help="make the generic address with cvta.shared, or name the state space in the instruction",
        )
    rank = rank_of(address)
    if here:
        if rank != ctx.cta.rank:
            words, help_ = outside_cta(ctx.machine, ctx.cta, address)
            raise Diagnostic("PTX9014", f"`{ctx.op.inst.opcode}` {words}", help=help_)
        return Place(ctx.cta, offset_of(address))
    ctas = ctx.cluster.ctas
    if rank >= len(ctas):
        raise Diagnostic(
            "PTX9116",
            f"`{ctx.op.inst.opcode}` addresses the CTA of rank {rank} in a cluster of {len(ctas)}",
            help="take the rank from %cluster_ctarank and stay below %cluster_nctarank",
        )
    check_alive(ctas[rank], ctx.op)
    return Place(ctas[rank], offset_of(address))


def check_alive(cta: Cta, op: Op) -> None:
    """Raise PTX9024 for a CTA that has exited: an H100 then ends the launch."""
    if cta.ended:
        raise Diagnostic(
            "PTX9024",
            f"`{op.inst.opcode}` reaches into shared memory of {cta_name(cta)}, all of whose threads have exited",
            help=EXITED_HELP,
            isa=op.inst.form.isa,
        )


def place_groups(ctx: TrapContext, name: str) -> list[tuple[int, Place]]:
    """(lanes, place): the executing lanes as masks by the place that they name, in the order of their first lanes.

    Raises as `place` does.
    """
    generic, here = is_generic(ctx.op.inst, name), stays_here(ctx.op.inst, name)
    values = addresses(ctx, name)
    if agree(values, ctx.mask):
        return [(ctx.mask, place(ctx, values[ctx.first_lane], generic=generic, here=here))]
    groups: dict[int, int] = {}
    for lane in lanes_of(ctx.mask):
        groups[values[lane]] = groups.get(values[lane], 0) | 1 << lane
    out: list[tuple[int, Place]] = []
    for address, lanes in groups.items():
        ctx.lane = lanes_of(lanes)[0]
        out.append((lanes, place(ctx, address, generic=generic, here=here)))
    ctx.lane = None
    return out


def lane_places(ctx: TrapContext, name: str) -> Iterator[tuple[int, Place]]:
    """(lane, place) of every executing lane, ascending; all places are looked up before the first one is handed out.

    While a lane is at hand, it is blamed for faults. Raises as `place` does.
    """
    generic, here = is_generic(ctx.op.inst, name), stays_here(ctx.op.inst, name)
    values = addresses(ctx, name)
    known: dict[int, Place] = {}
    out: list[tuple[int, Place]] = []
    for lane in lanes_of(ctx.mask):
        where = known.get(values[lane])
        if where is None:
            ctx.lane = lane
            where = known[values[lane]] = place(ctx, values[lane], generic=generic, here=here)
        out.append((lane, where))
    for lane, where in out:
        ctx.lane = lane
        yield lane, where
    ctx.lane = None


def check_converged(ctx: TrapContext, op: Op) -> None:
    """Raise PTX9130 where lanes of the warp are missing."""
    if ctx.mask != ALL_LANES:
        raise Diagnostic(
            "PTX9130",
            alone(op, ctx.warp, ctx.mask),
            help="let the whole warp reach it: no divergent branch and no guard that differs between its threads",
            isa=op.inst.form.isa,
        )


def check_shared(where: Place, nbytes: int, align: int, what: str, op: Op) -> None:
    """Raise PTX9121 where the place is not aligned, PTX9122 where the bytes do not lie within the kernel's shared memory."""
    offset, name = where.offset, shared_name(where.cta.machine, where.offset)
    if len(where.cta.cluster.ctas) > 1:
        name = f"{name} of {cta_name(where.cta)}"
    if offset % align:
        low = offset // align * align
        raise Diagnostic(
            "PTX9121",
            f"the {what} of `{op.inst.opcode}` at {name} is not aligned to {align} bytes",
            help=f"declare the variable with .align {align} (k.smem(…, align={align})); "
            f"the nearest aligned offsets are {low:#x} and {low + align:#x}",
            isa=op.inst.form.isa,
        )
    if offset < 0 or offset + nbytes > len(where.cta.shared):
        raise Diagnostic(
            "PTX9122",
            f"the {what} of `{op.inst.opcode}`: {counted(nbytes)} at {name} "
            + outside_shared(where.cta, offset, nbytes),
            help=SHARED_HELP
            if offset < 0
            else "launch with more dynamic shared memory, mend the address, or copy less",
            isa=op.inst.form.isa,
        )


def in_cluster(cluster: Cluster, mask: int, op: Op) -> list[Cta]:
    """The CTAs of a multicast mask.

    Raises: Diagnostic PTX9116 for a bit that stands for no CTA of the cluster, or for no bit at all; PTX9024 for a CTA that has
        exited.
    """
    if mask == 0 or mask >> len(cluster.ctas):
        raise Diagnostic(
            "PTX9116",
            f"the CTA mask {mask:#06x} of `{op.inst.opcode}` does not fit a cluster of {len(cluster.ctas)}",
            help=f"set bits 0 to {len(cluster.ctas) - 1}, one for each CTA that gets a copy",
            isa=op.inst.form.isa,
        )
    found = [cta for rank, cta in enumerate(cluster.ctas) if mask >> rank & 1]
    for cta in found:
        check_alive(cta, op)
    return found
