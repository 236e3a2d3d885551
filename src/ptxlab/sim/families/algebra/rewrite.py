"""A program becomes one that computes with codes of residues in the place of floating-point numbers.

Its rows of floating-point arithmetic become those of this family, its constants codes. What only moves bits stays as it is. Where
integer arithmetic meets registers that hold floating-point numbers, and where a number becomes an integer, there is no such
program: these instructions are refused when they are executed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from typing import Final

import numpy as np

from ptxlab.abi.memory import address_of, bytes_of
from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.isa.effects import AsyncMma, Compute, WarpWide
from ptxlab.isa.form import Form
from ptxlab.isa.instance import Instance
from ptxlab.isa.operands import Addr, Imm, Operand, Reg, Symbol, Vec
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.ptx.program import Program, Var
from ptxlab.sim.engine.compiled.registry import MEANINGS, TRAPS, load_units
from ptxlab.sim.engine.decoded.immediates import immediate_bits
from ptxlab.sim.families.algebra.meaning import DEGREES, PREFIX
from ptxlab.sim.families.algebra.unit import REFUSED
from ptxlab.sim.numerics.coded import constant

_FLOATS: Final = ("f16", "bf16", "f32", "f64", "tf32", "f16x2", "bf16x2", "f32x2")


_BY_SIGN: Final[Mapping[str, str]] = {"slct.f32": "c"}
"""Rows that choose by the sign of a number, and the operand that it is."""


class Role(Enum):
    """What a row does with bits that may be floating-point numbers."""

    MOVES = "its result holds what its operands hold"
    BITS = "it is integer arithmetic"
    BYTES = "it chooses bytes"
    REFUSED = "it computes with floating-point numbers, and there is nothing of the kind for residues"


_PACKED: Final = ("b16.1", "b32.1", "b32.2", "b64.1", "b64.2", "b64.4", "b128.2", "b128.4")
ROLES: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("mov", "mov.vector", "mov.shares", "selp", "shfl.sync", "movmatrix", "slct"), Role.MOVES),
    **{f"mov.{way}.{bits}": Role.MOVES for way in ("pack", "unpack") for bits in _PACKED},
    **dict.fromkeys((
        "add", "sub", "mul", "mad", "and", "or", "xor", "not", "shl", "shr", "lop3", "bfe", "bfi", "setp", "set", "min", "max",
        "abs", "neg", "clz", "popc", "brev", "shf", "cvt", "cvt.from_int", "mul.wide", "mad.wide", "redux.sync", "dp4a", "dp2a",
        "sad", "add.cc", "addc", "sub.cc", "subc", "mul24", "mad24",
        *(f"{name}.{what}" for name in ("atom", "red") for what in ("add", "bits", "extreme", "wrap")),
    ), Role.BITS),
    "prmt": Role.BYTES,
    **dict.fromkeys(
        ("cvt.to_int", "fma.oob", "redux.sync.f32", "cvt.fp8", "cvt.fp8.f16x2", "cvt.from_fp8", "mma.f8", "mma.f16.m8n8k4"),
        Role.REFUSED,
    ),
    **{f"{name}.{kind}.xorsign": Role.REFUSED for name in ("min", "max") for kind in ("f32", "f16", "bf16")},
    **{f"set.{kind}": Role.REFUSED for kind in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2")},
    **{f"set.bf16.{kind}": Role.REFUSED for kind in ("int", "float", "f16")},
    **{f"mma.sp.{kind}": Role.REFUSED for kind in ("half", "tf32", "f8")},
    **{f"wgmma.mma_async.{kind}.{at}": Role.REFUSED for kind in ("f8", "sp.f16", "sp.tf32", "sp.f8") for at in ("ss", "rs")},
    **{f"wmma.mma.{kind}": Role.REFUSED for kind in ("f16", "bf16", "tf32", "f64")},
}  # fmt: skip
"""By row. Rows that have a meaning of this family are not here, nor those that have nothing to do with such numbers."""
_FOUND: OrderedDict[tuple[int, str], tuple[Program, Program, dict[int, str]]] = OrderedDict()
_KEPT: Final = 16
_STEPS: Final = 8
"""Moves through which a number is followed back, at most."""


def algebraic(record: LaunchRecord, *, degrees: bool = False) -> LaunchRecord:
    """A launch that computes with codes of residues, or of degrees: the program, and its floating-point parameters."""
    program, params = _rewritten(record.program, DEGREES if degrees else PREFIX)
    block = bytearray(record.params)
    for offset, kind in params.items():
        size = TYPES[kind].bytes
        bits = 0 if degrees else _coded_bits(int.from_bytes(block[offset : offset + size], "little"), kind)
        block[offset : offset + size] = bits.to_bytes(size, "little")
    tables = [
        v
        for v in record.program.variables
        if v.init is not None and v.type.name in _FLOATS and v.name in record.variables
    ]
    buffers, variables = list(record.buffers), dict(record.variables)
    for variable in tables:
        at = next(i for i, b in enumerate(buffers) if b.address == record.variables[variable.name])
        buffers[at] = _coded_table(buffers[at], variable, degrees=degrees)
        variables[variable.name] = buffers[at].address
    return replace(record, program=program, params=bytes(block), buffers=tuple(buffers), variables=variables)


def _coded_table(buffer: Buffer, variable: Var, *, degrees: bool) -> Buffer:
    """An initialised variable with its numbers as codes, elsewhere."""
    kind = variable.type.name
    size = variable.type.bytes
    words = bytes_of(buffer)[: buffer.nbytes // size * size].view(f"u{size}").tolist()
    made = np.array([0 if degrees else _coded_bits(int(word), kind) for word in words], f"u{size}")
    return replace(buffer, address=address_of(made), nbytes=made.nbytes, array=made)


def compares_numbers(program: Program) -> bool:
    """Whether comparisons of floating-point numbers may decide how it runs."""
    every = [op.inst for one in (program, *program.functions) for op in one.ops]
    found = [i for i in every if isinstance(i.form.effect, Compute) and i.form.effect.to == "p" and _is_number(i, "a")]
    return bool(found) or any(_BY_SIGN.get(i.form.key) for i in every)


def _is_number(inst: Instance, name: str) -> bool:
    type_ = inst.type_of(name) if name in inst.operands else None
    return type_ is not None and type_.name in _FLOATS


def _rewritten(program: Program, prefix: str) -> tuple[Program, dict[int, str]]:
    """The program, and the types of its floating-point parameters by their offsets. The last few are kept."""
    key = id(program), prefix
    found = _FOUND.get(key)
    if found is None or found[0] is not program:
        load_units()
        one = _Rewriting(program, prefix)
        functions = [_Rewriting(function, prefix).program() for function in program.functions]
        found = _FOUND[key] = program, replace(one.program(), functions=functions), one.params()
        while len(_FOUND) > _KEPT:
            _FOUND.popitem(last=False)
    return found[1], found[2]


def _number(bits: int, kind: str) -> float:
    """What bits of a type mean."""
    if kind == "f64":
        return float(np.uint64(bits).view(np.float64))
    if kind == "f16":
        return float(np.uint16(bits & 0xFFFF).view(np.float16))
    return float(np.uint32((bits & 0xFFFF) << 16 if kind == "bf16" else bits & 0xFFFF_FFFF).view(np.float32))


def _coded_bits(bits: int, kind: str) -> int:
    """A constant's bits as a code's."""
    if kind.endswith("x2"):
        one = kind.removesuffix("x2")
        width = TYPES[one].bits
        low, high = (_coded_bits(bits >> up & ((1 << width) - 1), one) for up in (0, width))
        return low | high << width
    value, single = _number(bits, kind), kind in ("f32", "f64", "tf32")
    with np.errstate(over="ignore"):
        code = constant(float(np.float32(value)) if single else value, "f32" if single else kind)
    return code << max(TYPES[kind].bits - 16, 0)


class _Classes:
    """Registers between which values are moved, and the types of numbers that these are."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._kinds: dict[str, set[str]] = {}

    def of(self, name: str) -> str:
        """The register that stands for all of its class."""
        while (up := self._parent.get(name, name)) != name:
            name = up
        return name

    def join(self, names: Iterable[str]) -> None:
        """They hold the same kind of values."""
        first, *rest = (self.of(name) for name in names)
        for other in rest:
            if other != first:
                self._parent[other] = first
                self._kinds.setdefault(first, set()).update(self._kinds.pop(other, ()))

    def mark(self, name: str, kind: str) -> None:
        """It holds a number of this type."""
        self._kinds.setdefault(self.of(name), set()).add(kind)

    def kinds(self, name: str) -> set[str]:
        """The types of numbers in its class; empty where there are none."""
        return self._kinds.get(self.of(name), set())


class _Rewriting:
    """One program or function. prefix: of the rows that its own become."""

    def __init__(self, program: Program, prefix: str) -> None:
        self._program, self._prefix = program, prefix
        self._classes = _Classes()
        self._written: dict[str, list[Instance]] = {}
        for op in program.ops:
            for register in op.inst.registers("w"):
                self._written.setdefault(register.name, []).append(op.inst)
        for name, type_ in program.registers.items():
            if type_.kind == "f":
                self._classes.mark(name, type_.name)
        for op in program.ops:
            self._learn(op.inst)

    def program(self) -> Program:
        """The program that computes with codes."""
        ops = [replace(op, inst=self._instance(op.inst)) for op in self._program.ops]
        return replace(self._program, ops=ops, coded="degrees" if self._prefix == DEGREES else "residues", graph=None)

    def params(self) -> dict[int, str]:
        """Floating-point parameters: their types by their offsets."""
        out = {
            p.offset + i * p.type.bytes: p.type.name
            for p in self._program.params
            if p.type.name in _FLOATS
            for i in range(p.count)
        }
        places = {p.name: p.offset for p in self._program.params}
        for op in self._program.ops:
            address = next((x for x in op.inst.operands.values() if isinstance(x, Addr)), None)
            base = address.base if address is not None else None
            if address is None or not isinstance(base, Symbol) or base.name not in places:
                continue
            type_ = next((op.inst.type_of(n) for n in op.inst.form.results if n in op.inst.operands), None)
            for i, register in enumerate(op.inst.registers("w")):
                kind = self._kind(register, type_)
                if kind is not None and type_ is not None:
                    out[places[base.name] + base.offset + address.offset + i * type_.bytes] = kind
        return out

    def _kind(self, register: Reg, type_: ScalarType | None) -> str | None:
        """The one type of numbers that a register holds, with the width of a type."""
        if type_ is not None and type_.name in _FLOATS:
            return type_.name
        kinds = [k for k in self._classes.kinds(register.name) if type_ is None or TYPES[k].bits == type_.bits]
        return kinds[0] if len(kinds) == 1 else None

    # --- what registers hold ---------------------------------------------------------------------------------------------
    def _learn(self, inst: Instance) -> None:
        if self._arithmetic(inst) or _role(inst) is Role.REFUSED:
            for name, operand in inst.operands.items():
                kind = _kind_of(inst, name)
                if kind is not None:
                    for register in _registers(operand):
                        self._classes.mark(register.name, kind)
        elif _role(inst) is Role.MOVES or self._moves_halves(inst):
            names = [x.name for n in ("d", *_moved(inst)) for x in _registers(inst.operands[n])]
            if names:
                self._classes.join(names)

    def _moves_halves(self, inst: Instance) -> bool:
        """Whether it takes a register apart at bit 16, or puts halves together: by `or`, where the rest of either is 0."""
        if _each(inst) != "or":
            return _moves_halves(inst) and not (_takes_low(inst) and self._is_single(inst.operands.get("a")))
        return {self._half(inst.operands.get(name)) for name in ("a", "b")} == {"low", "high"}

    def _is_single(self, operand: Operand | None) -> bool:
        """Whether a register holds one number of 32 bits: its lower half is no number."""
        for _ in range(_STEPS):
            if not isinstance(operand, Reg) or operand.type.name == "f32":
                return isinstance(operand, Reg)
            writers = self._written.get(operand.name, [])
            if len(writers) != 1 or _role(writers[0]) is not Role.MOVES:
                return False
            operand = writers[0].operands.get("a")
        return False

    def _half(self, operand: Operand | None) -> str | None:
        """Which half of a register may be other than 0, as what writes it says."""
        writers = self._written.get(operand.name, []) if isinstance(operand, Reg) and operand.type.bits == 32 else []
        halves = {_half_left(one) for one in writers}
        return halves.pop() if len(halves) == 1 else None

    def _arithmetic(self, inst: Instance) -> bool:
        key = self._prefix + inst.form.key
        return key in MEANINGS or key in TRAPS or _is_float_product(inst)

    # --- instructions ------------------------------------------------------------------------------------------------------
    def _instance(self, inst: Instance) -> Instance:
        form = inst.form
        if self._refused(inst):
            return replace(inst, form=_renamed(form, REFUSED))
        operands = {name: self._operand(inst, name, operand) for name, operand in inst.operands.items()}
        key = self._prefix + form.key
        if key in MEANINGS or key in TRAPS:
            return replace(inst, form=_renamed(form, key), operands=operands)
        return replace(inst, operands=operands)

    def _refused(self, inst: Instance) -> bool:
        """Whether it does to floating-point numbers what residues have no words for."""
        role = _role(inst)
        made = role is Role.BITS and inst.mod("dtype") in _FLOATS and not self._arithmetic(inst)
        if role is Role.REFUSED or made:
            return True
        if role not in (Role.BITS, Role.BYTES) or self._moves_halves(inst):
            return False
        roles = "r" if self._arithmetic(inst) else "rw"
        touched = [
            r for n, x in inst.operands.items() if inst.form.operands[n].role[:1] in roles for r in _registers(x)
        ]
        return any(self._classes.kinds(r.name) for r in touched)

    def _operand(self, inst: Instance, name: str, operand: Operand) -> Operand:
        if isinstance(operand, Vec):
            return replace(operand, items=tuple(self._operand(inst, name, item) for item in operand.items))
        if not isinstance(operand, Imm) or inst.form.operands[name].kinds == frozenset({"imm"}):
            return operand
        kind = self._constant_kind(inst, name, operand)
        if kind is None:
            return operand
        type_ = inst.type_of(name)
        bits = 0 if self._prefix == DEGREES else _coded_bits(immediate_bits(operand, type_), kind)
        if kind in ("f32", "tf32", "f64"):
            wide = 64 if kind == "f64" else 32
            return Imm(bits, f"0{'d' if wide == 64 else 'f'}{bits:0{wide // 4}X}", wide)
        return Imm(bits, hex(bits))

    def _constant_kind(self, inst: Instance, name: str, given: Imm) -> str | None:
        """The type of a constant that is a floating-point number; None for others."""
        type_ = inst.type_of(name)
        if type_ is not None and type_.name in _FLOATS:
            return type_.name
        if given.is_float:
            return "f64" if type_ is not None and type_.bits == 64 else "f32"
        if _role(inst) is not Role.MOVES or name not in _moved(inst) or given.value == 0:
            return None
        target = _registers(inst.operands["d"])
        return self._kind(target[0], type_) if len(target) == 1 else None


def _kind_of(inst: Instance, name: str) -> str | None:
    """The type of numbers in an operand of a row of floating-point arithmetic."""
    type_ = inst.type_of(name)
    if type_ is not None and type_.name in _FLOATS:
        return type_.name
    element = {"a": "atype", "b": "btype", "c": "ctype", "d": "dtype"}.get(name)
    word = inst.mod(element) if element is not None else None
    if word not in _FLOATS or type_ is None:
        return None
    wide = TYPES[word].bits
    return word if wide == type_.bits else f"{word}x2" if (wide, type_.bits) == (16, 32) else None


def _is_float_product(inst: Instance) -> bool:
    return isinstance(inst.form.effect, AsyncMma) and inst.mod("atype") in ("f16", "bf16", "tf32")


def _role(inst: Instance) -> Role | None:
    return ROLES.get(inst.form.key)


def _moved(inst: Instance) -> list[str]:
    """The operands of a row that moves values which become its result."""
    names = ("a",) if isinstance(inst.form.effect, WarpWide) or _each(inst) in _SHIFTS else ("a", "b")
    return [name for name in names if name in inst.operands]


def _each(inst: Instance) -> str | None:
    """What it computes in each lane."""
    return inst.form.effect.each if isinstance(inst.form.effect, Compute) else None


_SHIFTS: Final = ("shl", "shr")
_HALVES: Final = (0xFFFF, 0xFFFF_0000, -0x1_0000)


def _moves_halves(inst: Instance) -> bool:
    """Whether it takes a register apart at bit 16, or puts halves together."""
    b, c = (x.value if isinstance(x, Imm) else None for x in (inst.operands.get("b"), inst.operands.get("c")))
    if _each(inst) in _SHIFTS:
        return b == 16
    if _widens(inst):
        return True
    if _each(inst) == "and":
        return b in _HALVES
    if _role(inst) is Role.BYTES and inst.mod("mode") is None and isinstance(c, int):
        pairs = (c & 0xFF, c >> 8 & 0xFF)
        return all(p & 0x1 == 0 and p & 0x8 == 0 and p >> 4 == (p & 0xF) + 1 for p in pairs)
    return False


def _widens(inst: Instance) -> bool:
    """Whether it puts zeros above 16 bits."""
    return _role(inst) is Role.BITS and inst.mod("type") == "u16" and inst.mod("dtype") in ("u32", "s32")


def _takes_low(inst: Instance) -> bool:
    """Whether it takes the lower half of a register of 32 bits."""
    b = x.value if isinstance(x := inst.operands.get("b"), Imm) else None
    return (_each(inst) == "shl" and b == 16) or (_each(inst) == "and" and b == _HALVES[0])


def _half_left(inst: Instance) -> str | None:
    """Which half of its result of 32 bits may be other than 0; None: both."""
    b = x.value if isinstance(x := inst.operands.get("b"), Imm) else None
    each, type_ = _each(inst), inst.mod("type")
    if (each == "shl" and b == 16) or (each == "and" and b in _HALVES[1:]):
        return "high"
    shifted = each == "shr" and b == 16 and type_ in ("u32", "b32")
    return "low" if shifted or (each == "and" and b == _HALVES[0]) or _widens(inst) else None


def _registers(operand: Operand) -> list[Reg]:
    items = operand.items if isinstance(operand, Vec) else (operand,)
    return [x for x in items if isinstance(x, Reg) and x.type.bits > 1]


@lru_cache(maxsize=512)
def _renamed(form: Form, key: str) -> Form:
    return replace(form, key=key)
