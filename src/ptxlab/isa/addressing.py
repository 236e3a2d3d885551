"""An address against what a row wants of it: where it lies, in what it is held."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.isa.instance import Instance
from ptxlab.isa.mismatch import kind_error
from ptxlab.isa.operands import OPAQUE, Addr, Imm, Operand, Reg, Symbol
from ptxlab.isa.specs import Spec

_EXPANDED = re.compile(
    r"st\.async|red\.async|st\.bulk|tensormap\.(replace|query\.alloc_class_large)|wmma\.(load|store)|prefetch\.tensormap"
    r"|multimem(\.(red|red\.async|st\.async))?|createpolicy\.range|fabric\.try_.*|tcgen05\.(alloc|commit)"
)
"""Instructions that ptxas expands by macros, which move the address as one of 32 or 64 bits; of multimem.red as one of 64."""
_MATRICES = ("ldmatrix", "stmatrix")
_SHARED = ("shared", "shared::cta", "shared::cluster")
_WHERE = {False: ("global",), True: ("param", "param::entry")}
"""Where a texture lies for cvta, by whether it is a parameter."""


def check_address(inst: Instance, name: str, spec: Spec, operand: Addr) -> None:
    """An address. Raises: Diagnostic, without a place."""
    base = operand.base
    space = None if spec.space is None else spec.space.eval(inst)
    if isinstance(base, Imm) and space != "local":
        raise Diagnostic(
            "PTX0108",
            f"the address `{operand}` of `{inst.opcode}` is a number, and local memory alone has such addresses",
            help="move the number into a register, or name a variable",
            isa=inst.form.isa,
        )
    if isinstance(base, Reg) and not _holds_address(inst, name, base):
        raise Diagnostic(
            "PTX0105",
            f"the address `{operand}` of `{inst.opcode}` lies in `{base}` of type .{base.type}",
            help="an address is a register of 64 or 32 bits, untyped or integer",
            isa=inst.form.isa,
        )
    if operand.coords is not None and (operand.offset or operand.written):
        raise Diagnostic(
            "PTX0108",
            f"the address `{operand}` of `{inst.opcode}` has an offset and coordinates",
            help="add the offset to the register first: a tensor is named by the address of its map alone",
            isa=inst.form.isa,
        )
    if isinstance(base, Reg) and inst.mods.get("space") == "param::func":
        raise Diagnostic(
            "PTX0108",
            f"`{inst.opcode}` reaches a call's parameter through `{base}`",
            help="write the parameter's name as the address",
            isa=inst.form.isa,
        )
    if spec.space is not None and spec.space.eval(inst) == "tmem":
        _check_tensor_memory(inst, name, spec, base)
    if isinstance(base, Symbol):
        check_space(inst, spec, _as_memory(spec, base))
        if inst.form.name == "st.bulk" and inst.names_shared:  # ptxas adds to it, as to a register
            raise kind_error(inst.form, name, operand, "a register in brackets where the opcode names the space")
    if operand.between or spec.opaque:
        _check_handle(inst, name, spec, operand)
    if operand.unified:
        _check_unified(inst, spec, operand)


def _as_memory(spec: Spec, base: Symbol) -> Symbol:
    """An array of textures, samplers or surfaces is memory like any other where none of them is wanted."""
    is_array = base.space in OPAQUE and base.element and not spec.opaque
    return replace(base, space="global") if is_array else base


def _holds_address(inst: Instance, name: str, base: Reg) -> bool:
    """Whether a register may hold the address: an integer of at most 64 bits."""
    narrow = base.type.bits < (64 if inst.form.name == "multimem.red" else 32)
    return base.type.kind in "bus" and base.type.bits <= 64 and not (narrow and _wants_width(inst, name))


def _wants_width(inst: Instance, name: str) -> bool:
    """Whether an address has 32 or 64 bits; elsewhere ptxas takes 8 and 16, and warns."""
    row = inst.form.name
    if name == "mbar":
        return row == "cp.async.bulk"
    return bool(_EXPANDED.fullmatch(row)) or (row in _MATRICES and not inst.names_shared)


def _check_handle(inst: Instance, name: str, spec: Spec, operand: Addr) -> None:
    """A texture or surface, and a sampler: variables of these types, or registers of 64 bits with their handles."""
    fits = spec.opaque and not operand.offset and not operand.written and not isinstance(operand.base, Imm)
    for one in (operand.base, *operand.between):
        fits = fits and not (isinstance(one, Reg) and one.type.bits != 64)
        fits = fits and not (isinstance(one, Symbol) and one.element)  # an array of them
    if operand.between:
        fits = fits and str(spec.space) == "texref" and len(operand.between) == 1 and _is_sampler(operand.between[0])
    if not fits:
        raise kind_error(inst.form, name, operand, "variables of .texref, .samplerref, .surfref, or u64 handles")


def _is_sampler(operand: Operand) -> bool:
    return isinstance(operand, Reg) or (isinstance(operand, Symbol) and operand.space == "samplerref")


def _check_tensor_memory(inst: Instance, name: str, spec: Spec, base: Reg | Symbol | Imm) -> None:
    fits = isinstance(base, Reg) and base.type.bits == 32 and (not spec.untyped or base.type.kind == "b")
    if not fits:
        wants = "a register of type .b32" if spec.untyped else "a register of 32 bits"
        raise kind_error(inst.form, name, Addr(base), f"{wants} in brackets: an address of tensor memory")


def _check_unified(inst: Instance, spec: Spec, operand: Addr) -> None:
    space = None if spec.space is None else spec.space.eval(inst)
    if not spec.unified or space not in ("generic", "global") or not isinstance(operand.base, Reg):
        raise Diagnostic(
            "PTX0108",
            f"the address `{operand}` of `{inst.opcode}` cannot be unified",
            help="only loads have it, with a register that holds a generic or global address",
            isa=inst.form.isa,
        )


def check_space(inst: Instance, spec: Spec, base: Symbol) -> None:
    """A symbol lies in the space that the row asks for. Raises: Diagnostic, without a place."""
    space = spec.symbols or (None if spec.space is None else spec.space.eval(inst))
    if base.space in OPAQUE and inst.form.name == "cvta" and space in _WHERE[base.given]:
        return  # textures, samplers and surfaces are variables in global memory, or parameters of kernels
    spaces = _listed(space)
    if spaces and not any(_space_fits(base.space, one) for one in spaces):
        wanted = " or ".join(f".{one}" for one in spaces)
        raise Diagnostic(
            "PTX0108",
            f"`{base.name}` lies in .{base.space}, but `{inst.opcode}` accesses {wanted}",
            help=f"use a symbol of {wanted}, or the form for .{base.space}",
            isa=inst.form.isa,
        )


def _listed(space: Any) -> list[str]:
    """The spaces that a row takes, of which it may name several; empty where it is not known yet."""
    return [space] if isinstance(space, str) else list(map(str, space)) if isinstance(space, tuple) else []  # pyright: ignore[reportUnknownArgumentType]


def _space_fits(declared: str, wanted: str) -> bool:
    if wanted in _SHARED:
        return declared in _SHARED
    if wanted == "generic":
        return declared in ("global", "local", *_SHARED)
    if wanted == "param::entry":
        return declared in ("param", "param::func")  # a function reads its own parameters so, too
    return declared == wanted or (wanted == "param" and declared == "param::func")
