"""The instructions of a kernel against the rules of their rows, the target and the version."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.overlooked import is_taken, warned
from ptxlab.checks.target import ModuleTarget
from ptxlab.diag import Diagnostic, Severity, one_of_each
from ptxlab.isa import releases
from ptxlab.isa.bind import Instance, check_needs, check_rules
from ptxlab.isa.operands import Addr, Operand, Reg, Sreg, Symbol, Vec
from ptxlab.isa.specs import Spec
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Release
from ptxlab.isa.types import TYPES
from ptxlab.ptx.program import Op, Program

_BITS = 64  # of an address, where the module says nothing else
_FLAT = frozenset(("1d", "2d"))
_BESIDE_SAMPLERS = {
    **{f"tex.plain{kind}{more}": _FLAT | {"3d"} for kind in ("", ".integer") for more in ("", ".offset")},
    "tex.plain.depth": _FLAT,
    "tex.plain.offset.depth": _FLAT,
    "tex.level": _FLAT | {"cube"},
    "tex.level.integer": _FLAT,
    "tex.level.depth": _FLAT | {"cube"},
    "tex.level.offset.depth": _FLAT,
    **{f"tex.grad{kind}{more}": _FLAT for kind in ("", ".integer") for more in ("", ".offset")},
    **{f"tld4{more}": _FLAT for more in ("", ".offset", ".depth", ".offset.depth")},
}
"""What ptxas takes a sampler of where textures hold theirs: forms, and geometries."""


def check_program(program: Program, target: ModuleTarget) -> list[Diagnostic]:
    """What is wrong with instructions that fit their rows. What the target or the version lacks is said once."""
    found: list[Diagnostic] = []
    lacking: list[Diagnostic] = []
    clean = target.clean
    large = program.module.address_size == _BITS
    header = program.module.header(".target")
    independent = header is not None and "texmode_independent" in header.words
    for op in program.ops:
        shape = op.inst.shape
        if shape is not None and shape in clean:
            continue
        broken = _rules(op, target) + (_narrow(op) if large else []) + _eight(op)
        broken += (_unsampled(op) if independent else _sampled(op)) + _asked(op, independent=independent)
        broken += _unbraced(op, target.release or releases.NEWEST)
        needs = check_needs(op.inst, target.target, target.version, target.release) + _special(op, target)
        found += [d.at(op.span, op.origin) for d in broken]
        lacking += [d.at(op.span, op.origin) for d in needs]
        if shape is not None and not broken and not needs:
            clean.add(shape)
    return found + one_of_each(lacking)


def _rules(op: Op, target: ModuleTarget) -> list[Diagnostic]:
    """The rules that an instruction breaks, with a warning where ptxas takes it all the same."""
    found = check_rules(op.inst)
    errors = [d for d in found if d.severity is Severity.ERROR]
    if errors and op.node is not None and is_taken(op.node.opcode, op.node.operands, target):
        return [warned(d) if d in errors else d for d in found]
    return found


def _eight(op: Op) -> list[Diagnostic]:
    """Vectors of eight narrow elements, which the manual does not have. ptxas takes stores, and some of its runs take loads."""
    inst = op.inst
    if inst.form.name not in ("ld", "st") or inst.mods.get("vec") != "v8" or TYPES[inst.mods["type"]].bits >= 32:
        return []
    loads = inst.form.name == "ld"
    does = "fails inside itself on most of them" if loads else "takes it, and stores the first element alone"
    return [
        Diagnostic(
            "PTX0310",
            f"`{inst.opcode}` moves eight elements that do not have 32 bits; ptxas {does}",
            help="move them as .v2.b32 or .v4.b32",
            isa=inst.form.isa,
            severity=Severity.ERROR if loads else Severity.WARNING,
        )
    ]


def _unsampled(op: Op) -> list[Diagnostic]:
    """A texture without a sampler, in a module that keeps them apart."""
    return [
        Diagnostic(
            "PTX0104",
            f"`{op.inst.opcode}` names no sampler, and the module keeps samplers apart from textures",
            help="name one behind the texture, or write `texmode_unified` behind the target",
            isa=op.inst.form.isa,
        )
        for name, operand in op.inst.operands.items()
        if isinstance(operand, Addr) and not operand.between and _is_lookup(op.inst.form.operands[name], operand)
    ]


def _sampled(op: Op) -> list[Diagnostic]:
    """A sampler where textures hold theirs, which ptxas takes of some lookups alone."""
    if op.inst.form.key in _BESIDE_SAMPLERS and str(op.inst.mods.get("geom")) in _BESIDE_SAMPLERS[op.inst.form.key]:
        return []
    return [
        Diagnostic(
            "PTX0104",
            f"`{op.inst.opcode}` names a sampler, and the module keeps samplers in its textures",
            help="write `texmode_independent` behind the target, or leave the sampler out",
            isa=op.inst.form.isa,
        )
        for name, operand in op.inst.operands.items()
        if isinstance(operand, Addr) and operand.between and _is_lookup(op.inst.form.operands[name], operand)
    ]


_READS_UNBRACED = (13, 3)  # the first ptxas that reads a coordinate without braces behind a sampler


def _unbraced(op: Op, release: Release) -> list[Diagnostic]:
    """A coordinate without braces behind a sampler, which early releases do not read."""
    if release >= _READS_UNBRACED:
        return []
    return [
        Diagnostic(
            "PTX1006",
            f"ptxas {releases.name(release)} reads no coordinate without braces behind a sampler",
            help=f"write the braces; ptxas {releases.name(_READS_UNBRACED)} and newer do without",
            isa=op.inst.form.isa,
        )
        for operand in op.inst.operands.values()
        if isinstance(operand, Addr) and operand.between and operand.coords is not None and operand.coords.bare
    ]


_ASKED = {
    ("txq.sampler", True): ("samplerref",),
    ("txq.sampler", False): ("texref",),
    ("txq.layout", True): ("texref", "samplerref", "surfref"),
    ("txq.layout", False): ("texref",),
}
"""What is asked how textures are sampled and lie, by whether the module keeps samplers apart."""


def _asked(op: Op, *, independent: bool) -> list[Diagnostic]:
    """A texture that is asked what its sampler knows, or the other way round."""
    wanted = _ASKED.get((op.inst.form.key, independent))
    place = op.inst.operands.get("a")
    if (
        wanted is None
        or not isinstance(place, Addr)
        or not isinstance(place.base, Symbol)
        or place.base.space in wanted
    ):
        return []
    return [
        Diagnostic(
            "PTX0108",
            f"`{place.base.name}` is a .{place.base.space}, and `{op.inst.opcode}` asks a .{wanted[0]} here",
            help="`texmode_independent` behind the target keeps samplers apart from textures",
            isa=op.inst.form.isa,
        )
    ]


def _is_lookup(spec: Spec, operand: Addr) -> bool:
    return operand.coords is not None and str(spec.space) == "texref"


def _narrow(op: Op) -> list[Diagnostic]:
    """Registers too small for an address in global or generic memory."""
    out: list[Diagnostic] = []
    for name, operand in op.inst.operands.items():
        spec = op.inst.form.operands[name]
        if spec.wide and _is_narrow_value(op.inst, name, operand):
            out.append(
                Diagnostic(
                    "PTX0105",
                    f"`{op.inst.opcode}` holds an address in 32 bits, and the module's have {_BITS}",
                    help=f"use the form of {_BITS} bits",
                    isa=op.inst.form.isa,
                )
            )
        if not spec.wide or not isinstance(operand, Addr) or not isinstance(operand.base, Reg) or spec.space is None:
            continue
        if operand.base.type.bits < _BITS and _is_far(op.inst, str(spec.space.eval(op.inst))):
            out.append(
                Diagnostic(
                    "PTX0105",
                    f"the address `{operand}` of `{op.inst.opcode}` lies in `{operand.base}` of type .{operand.base.type}",
                    help="an address in global or generic memory has 64 bits",
                    isa=op.inst.form.isa,
                )
            )
    return out


def _is_far(inst: Instance, space: str) -> bool:
    """Whether an address is in global memory, or generic, as those in shared memory are where the opcode does not name it."""
    return space in ("generic", "global") or (space.startswith("shared") and not inst.names_shared)


def _is_narrow_value(inst: Instance, name: str, operand: Operand) -> bool:
    """Whether an address, as a value, has 32 bits: what is written, or a global variable. ptxas overlooks those with an offset."""
    type_ = inst.type_of(name)
    if isinstance(operand, Addr) or type_ is None or type_.bits != _BITS // 2:
        return False
    if "w" in inst.form.operands[name].role:
        return True
    return isinstance(operand, Symbol) and operand.space == "global" and (operand.indexed or not operand.offset)


def _special(op: Op, target: ModuleTarget) -> list[Diagnostic]:
    """Special registers that the target or the version does not have."""
    out: list[Diagnostic] = []
    for operand in _words(op):
        if not isinstance(operand, Sreg):
            continue
        need = SREGS[operand.name].need
        too_old = target.version is not None and target.version < need.version
        if too_old or (target.target is not None and not need.target_ok(target.target)):
            out.append(Diagnostic("PTX1005", f"`{operand}` does not exist here", help=f"it needs {need}"))
    return out


def _words(op: Op) -> Iterator[Operand]:
    """The operands of an instruction, those in braces one by one."""
    for operand in op.inst.operands.values():
        yield from operand.items if isinstance(operand, Vec) else (operand,)
