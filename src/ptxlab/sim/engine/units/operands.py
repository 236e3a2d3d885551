"""Operands of trapped instructions as plain integers: the short way for what runs often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.isa.effects import Group
from ptxlab.isa.operands import Addr, Imm, Not, Operand, Reg, Vec
from ptxlab.sim.engine.compiled.address import ADDRESS32
from ptxlab.sim.engine.decoded.immediates import literal_bits

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.trap import TrapContext

ALL_LANES = 0xFFFF_FFFF
_ADDRESS64 = 0xFFFF_FFFF_FFFF_FFFF


def integers(ctx: TrapContext, name: str) -> list[int]:
    """The value of an integer operand in all 32 lanes, unsigned for registers."""
    found = ctx.op.inst.operands[name]
    if isinstance(found, Imm):
        return [int(found.value)] * 32
    if isinstance(found, Reg):
        return lanes_of_register(ctx, found)
    return ctx.read(name).tolist()


def shared_by_lanes(ctx: TrapContext, name: str) -> int | None:
    """The value of an integer operand, unsigned for registers, where all 32 lanes have the same; None where they differ."""
    found = ctx.op.inst.operands[name]
    if isinstance(found, Reg) and found.type.bits in (32, 64):
        size = found.type.bits // 8
        at = ctx.machine.image.rows[found.name]
        row = ctx.warp.frame.bytes[at : at + 32 * size].tobytes()
        return int.from_bytes(row[:size], "little") if row == row[:size] * 32 else None
    values = integers(ctx, name)
    return values[0] if agree(values, ALL_LANES) else None


def immediate(ctx: TrapContext, name: str) -> int:
    """The value of an operand that is always an immediate."""
    found = ctx.op.inst.operands[name]
    assert isinstance(found, Imm)
    return int(found.value)


def pending(ctx: TrapContext) -> int:
    """How many groups a wait leaves pending."""
    effect = ctx.op.inst.form.effect
    assert isinstance(effect, Group)
    return effect.pending(immediate(ctx, "n"))


def signed_vector(ctx: TrapContext, name: str, lane: int) -> list[int]:
    """The elements of a vector of s32 in one lane."""
    vector = ctx.op.inst.operands[name]
    assert isinstance(vector, Vec)
    return [_signed(ctx, item, lane) for item in vector.items]


def _signed(ctx: TrapContext, item: Operand, lane: int) -> int:
    if isinstance(item, Imm):
        value = literal_bits(item, None, cut=True) & ADDRESS32 if item.is_float else int(item.value)
    elif isinstance(item, Reg) and item.type.bits == 32:
        value = ctx.warp.frame.get(ctx.machine.image.rows[item.name] + 4 * lane)
    else:
        value = int(ctx.read(item)[lane]) & ADDRESS32
    return value - ((value & 1 << 31) << 1) if value >= 0 else value


def predicate(ctx: TrapContext, name: str, lane: int) -> bool:
    """A predicate operand (immediate, register or negated register) in one lane."""
    found = ctx.op.inst.operands[name]
    if isinstance(found, Imm):
        return bool(found.value)
    register = found.reg if isinstance(found, Not) else found
    assert isinstance(register, Reg)
    held = bool(ctx.warp.frame.get(ctx.machine.image.rows[register.name]) >> lane & 1)
    return held != isinstance(found, Not)


def lanes_of_register(ctx: TrapContext, register: Reg) -> list[int]:
    """A register of 32 or 64 bits in all lanes, unsigned; others as TrapContext.read gives them."""
    bits = register.type.bits
    if bits not in (32, 64):
        return ctx.warp.read_row(register).tolist()
    at = ctx.machine.image.rows[register.name]
    frame = ctx.warp.frame
    return (frame.u64[at >> 3 : (at >> 3) + 32] if bits == 64 else frame.u32[at >> 2 : (at >> 2) + 32]).tolist()


def addresses(ctx: TrapContext, name: str) -> list[int]:
    """The effective address in all 32 lanes."""
    found = ctx.op.inst.operands[name]
    assert isinstance(found, Addr)
    base = found.base
    if not isinstance(base, Reg):
        first = int(base.value) if isinstance(base, Imm) else ctx.machine.symbol_address(base, ctx.cta)
        return [(first + found.offset) & _ADDRESS64] * 32
    values = lanes_of_register(ctx, base)
    if not found.offset:
        return values
    mask = ADDRESS32 if base.type.bits == 32 else _ADDRESS64
    if values.count(values[0]) == 32:
        return [(values[0] + found.offset) & mask] * 32
    return [(v + found.offset) & mask for v in values]


def agree(values: list[int], mask: int) -> bool:
    """Whether all lanes of a mask have the same value."""
    if mask == ALL_LANES:
        return values.count(values[0]) == 32
    if mask & (mask - 1) == 0:
        return True
    return len({v for lane, v in enumerate(values) if mask >> lane & 1}) == 1


def write_predicate(ctx: TrapContext, name: str, lanes: int) -> None:
    """Write a predicate in the executing lanes: true in those of `lanes`."""
    found = ctx.op.inst.operands[name]
    if isinstance(found, Reg):
        at, frame = ctx.machine.image.rows[found.name], ctx.warp.frame
        frame.set(at, (frame.get(at) & ~ctx.mask) | (lanes & ctx.mask))
