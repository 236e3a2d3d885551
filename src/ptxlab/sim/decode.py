"""A Program becomes records: handlers chosen, registers placed in the frame, operands turned into fields.

Nothing here depends on a launch except the addresses of variables, which are filled in by `Image.bind`. At the head of
every basic block stands a record that counts instructions and looks for lanes to merge with and for the end of the slice.
"""

from __future__ import annotations

import bisect
import struct
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic, one_of_each, raise_all
from ptxlab.isa.effects import Barrier, Branch
from ptxlab.isa.operands import Addr, Imm, Label, Not, Operand, Reg, Sink, Sreg, Symbol, Vec
from ptxlab.isa.specs import Spec
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.program import Op, Program, Var
from ptxlab.sim import frame as F
from ptxlab.sim.address import LOCAL_WINDOW
from ptxlab.sim.compile import code
from ptxlab.sim.emit import Handler, Shape, Slot, fields_of
from ptxlab.sim.registry import MEANINGS, TRAPS, canonical

BLOCK = Handler("$block", slots=(Slot("n", "", "r", "i"),))
TRAP = Handler("$trap")
_TRAP_BYTES = F.record_bytes(TRAP.fields)
END = Handler("$end")
_WORD = 0xFFFF_FFFF_FFFF_FFFF
# Modifiers that steer caches and order alone: handlers are shared across them.
_SILENT = frozenset(
    {"l1", "l2", "l2evict", "cop", "scope", "sem", "weak", "uni", "aligned", "L2::cache_hint", "shared::cta"}
)
_EXTERNAL = {
    "vprintf": "printing from a kernel",
    "malloc": "allocating memory in a kernel",
    "free": "freeing memory in a kernel",
    "__assertfail": "assert in a kernel",
}


@dataclass(slots=True)
class Image:
    """A decoded program.

    Attributes:
        words: the records, u64; with zero in the place of addresses of variables.
        frame_bytes: size of a warp's frame.
        rows: frame offset of every register. lane_rows: frame offset of the special registers that differ by lane.
        starts: byte offset of each op's record, ascending. traps: whether a record needs Python.
        local_bytes: local memory of a thread.
    """

    program: Program
    words: NDArray[np.uint64]
    frame_bytes: int
    rows: dict[str, int]
    lane_rows: dict[str, int]
    starts: list[int]
    traps: bool
    local_bytes: int
    relocations: list[tuple[int, str, int]] = field(default_factory=list[tuple[int, str, int]])

    def bind(self, variables: Mapping[str, int]) -> NDArray[np.uint64]:
        """The records for a launch, given the address of each variable in global and constant memory."""
        words = self.words.copy()
        for at, name, addend in self.relocations:
            words[at] = (variables[name] + addend) & _WORD
        return words

    def op_at(self, pc: int) -> Op:
        """The instruction that a program counter stands for."""
        index = bisect.bisect_right(self.starts, pc) - 1
        return self.program.ops[max(index, 0)]

    def op_from(self, pc: int) -> Op:
        """The instruction that runs next where a warp has stopped, at it or at the head of its block."""
        index = bisect.bisect_left(self.starts, pc)
        return self.program.ops[min(index, len(self.program.ops) - 1)]

    def next_pc(self, pc: int) -> int:
        """The program counter behind the trap at `pc`."""
        return pc + _TRAP_BYTES


_images: OrderedDict[int, Image] = OrderedDict()


def image_of(program: Program) -> Image:
    """The decoded program; the last few are kept."""
    found = _images.get(id(program))
    if found is None or found.program is not program:
        found = _images[id(program)] = _Decoder(program).run()
        while len(_images) > 32:
            _images.popitem(last=False)
    _images.move_to_end(id(program))
    return found


def check(program: Program) -> None:
    """Raise Diagnostic PTX9001 for what the simulator does not know, PTX9003 for calls; one for each opcode and callee."""
    raise_all(
        one_of_each(
            _call(op) if op.inst.form.name == "call" else _unknown(op)
            for op in program.ops
            if op.inst.form.key not in MEANINGS and op.inst.form.key not in TRAPS
        )
    )


def _unknown(op: Op) -> Diagnostic:
    why = op.inst.form.unsimulated
    return Diagnostic(
        "PTX9001",
        f"`{op.inst.opcode}` is not simulated yet" + (f": {why}" if why else ""),
        help="run the kernel on a GPU",
        span=op.span,
        origin=op.origin,
        isa=op.inst.form.isa,
    )


def _call(op: Op) -> Diagnostic:
    callee = str(op.inst.operands.get("callee", "a function"))
    known = callee in _EXTERNAL
    return Diagnostic(
        "PTX9003",
        f"{_EXTERNAL.get(callee, 'calling a function')} (`{callee}`) is not simulated yet",
        help=f"remove the call of `{callee}`, or run the kernel on a GPU"
        if known
        else "let the compiler inline the function (nvcc: without -G, or by __forceinline__), or run the kernel on a GPU",
        span=op.span,
        origin=op.origin,
        isa="call",
    )


class _Decoder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.variables: dict[str, Var] = {v.name: v for v in program.variables}
        self.params = {p.name: p for p in program.params}
        self.rows: dict[str, int] = {}
        self.lane_rows: dict[str, int] = {}
        self.offset = F.F_HEADER
        self.relocations: list[tuple[int, str, int]] = []
        self._here: list[tuple[int, str, int]] = []

    def run(self) -> Image:
        check(self.program)
        self._place_registers()
        ops = self.program.ops
        leaders = self._leaders()
        plan: list[tuple[Handler, list[int | str], Op | None]] = []
        starts: list[int] = []
        position = 0
        block_at: dict[int, int] = {}
        relocated: list[tuple[int, int, str, int]] = []
        for index, op in enumerate([*ops, None]):
            if index in leaders or op is None:
                block_at[index] = position
                length = next((i for i in range(index + 1, len(ops)) if i in leaders), len(ops)) - index
                plan.append((BLOCK if op is not None else END, [length] if op is not None else [], None))
                position += F.record_bytes(plan[-1][0].fields)
            if op is None:
                break
            starts.append(position)
            self._here = []
            handler, fields = self._op(op)
            relocated += [(len(plan), at, name, addend) for at, name, addend in self._here]
            plan.append((handler, fields, op))
            position += F.record_bytes(handler.fields)
        addresses = code().handlers(h for h, _, _ in plan)
        words: list[int] = []
        first: list[int] = []
        for handler, fields, op in plan:
            first.append(len(words))
            words.append(addresses[handler])
            words.append(self._guard(op))
            words += [block_at[self.program.labels[f]] if isinstance(f, str) else f & _WORD for f in fields]
            words += [_WORD] * (2 * handler.cached)
        self.relocations = [(first[i] + 2 + at, name, addend) for i, at, name, addend in relocated]
        local = [v for v in self.program.variables if v.space == "local"]
        return Image(
            self.program,
            np.array(words, np.uint64),
            -(-self.offset // 64) * 64,
            self.rows,
            self.lane_rows,
            starts,
            any(h is TRAP for h, _, _ in plan),
            -(-max((v.offset + v.size for v in local), default=0) // 16) * 16,
            self.relocations,
        )

    def _place_registers(self) -> None:
        wide = [(n, t) for n, t in self.program.registers.items() if t.bits > 1]
        for name, type_ in wide:
            self.rows[name] = self._take(F.row_bytes(type_.bits))
        for name, type_ in self.program.registers.items():
            if type_.bits == 1:
                self.rows[name] = self._take(F.row_bytes(1), align=4)

    def _take(self, size: int, align: int = 64) -> int:
        at = -(-self.offset // align) * align
        self.offset = at + size
        return at

    def _leaders(self) -> set[int]:
        """Where basic blocks begin: at labels and behind whatever may split or stop a warp."""
        out = {0, *self.program.labels.values()}
        for i, op in enumerate(self.program.ops):
            if isinstance(op.inst.form.effect, (Branch, Barrier)):
                out.add(i + 1)
        return {i for i in out if i < len(self.program.ops)}

    def _guard(self, op: Op | None) -> int:
        if op is None or op.guard is None:
            return F.F_ONES
        return self.rows[op.guard.name] | (F.FULL << 32 if op.guard_negated else 0)

    def _op(self, op: Op) -> tuple[Handler, list[int | str]]:
        inst = op.inst
        key = inst.form.key
        if key not in MEANINGS:
            return TRAP, []
        slots: list[Slot] = []
        fields: list[int | str] = []
        cached = 0
        for name, operand in inst.operands.items():
            spec = inst.form.operands[name]
            type_ = inst.type_of(name)
            shape, words = self._operand(op, operand, name, spec, type_, len(fields))
            if name == "policy" or (shape == "_" and "w" not in spec.role):  # steers caches alone; stands for nothing
                continue
            if isinstance(operand, Addr):
                space = None if spec.space is None else spec.space.eval(inst)
                cached += 1
                slots.append(Slot(name, str(space or "generic"), spec.role, shape))
            else:
                slots.append(Slot(name, type_.name if type_ is not None else "", spec.role, shape))
            fields += words
        mods = tuple(sorted((k, v) for k, v in {**inst.form.defaults, **inst.mods}.items() if k not in _SILENT))
        return Handler(canonical(key), mods, tuple(slots), cached), fields

    # -- operands
    def _operand(
        self, op: Op, operand: Operand, name: str, spec: Spec, type_: ScalarType | None, at: int
    ) -> tuple[Shape, list[int | str]]:
        if isinstance(operand, Vec):
            shapes: list[Shape] = []
            words: list[int | str] = []
            for item in operand.items:
                shape, more = self._operand(op, item, name, spec, type_, at + len(words))
                shapes.append(shape)
                words += more
            return tuple(shapes), words
        if isinstance(operand, Addr):
            return self._address(op, operand, spec, at)
        if isinstance(operand, Reg):
            shape = "p" if operand.type.bits == 1 else f"r{max(16, operand.type.bits)}"
            return shape, [self.rows[operand.name]]
        if isinstance(operand, Not):
            return "n", [self.rows[operand.reg.name]]
        if isinstance(operand, Sink):
            return "_", []
        if isinstance(operand, Label):
            targets = self.program.targets.get(operand.name)
            return ("L", [operand.name]) if targets is None else (("L",) * len(targets), list(targets))
        if isinstance(operand, Imm):
            value = immediate_bits(operand, type_)
            return (f"={value}", []) if spec.kinds == {"imm"} else ("i", [value])
        if isinstance(operand, Sreg):
            return self._sreg(operand)
        if isinstance(operand, Symbol):
            return self._symbol(op, operand, at)
        raise AssertionError(f"operand {operand}")

    def _sreg(self, operand: Sreg) -> tuple[Shape, list[int | str]]:
        if operand.name in F.SREG_OFFSET:
            return "u", [F.SREG_OFFSET[operand.name]]
        if operand.name in F.LANE_SREGS:
            if operand.name not in self.lane_rows:
                self.lane_rows[operand.name] = self._take(F.row_bytes(32))
            return "r32", [self.lane_rows[operand.name]]
        if operand.name in F.CLOCK_SREGS:
            return "k" + operand.name, []
        return "i", [0]  # performance counters and what the driver sets: zero

    def _symbol(self, op: Op, symbol: Symbol, at: int) -> tuple[Shape, list[int | str]]:
        if symbol.name in self.params:
            return "P", [self.params[symbol.name].offset + symbol.offset]
        variable = self._variable(op, symbol)
        if variable.space in ("global", "const"):
            self._here.append((at, symbol.name, symbol.offset))
            return "i", [0]
        return "S" if variable.space == "shared" else "i", [variable.offset + symbol.offset]

    def _variable(self, op: Op, symbol: Symbol) -> Var:
        found = self.variables.get(symbol.name)
        if found is None:
            raise Diagnostic(
                "PTX9003",
                f"the address of `{symbol.name}` is not known to the simulator",
                help="functions and textures have no address there",
                span=op.span,
                origin=op.origin,
            )
        return found

    def _address(self, op: Op, address: Addr, spec: Spec, at: int) -> tuple[Shape, list[int | str]]:
        base = address.base
        if isinstance(base, Reg):
            return f"@{base.type.bits}", [self.rows[base.name], address.offset]
        if isinstance(base, Imm):
            return "@i", [int(base.value) + address.offset]
        offset = base.offset + address.offset
        if base.name in self.params:
            self._check_param(op, address, spec, offset)
            return "@P", [self.params[base.name].offset + offset]
        variable = self._variable(op, base)
        if variable.space in ("global", "const"):
            self._here.append((at, base.name, offset))
            return "@i", [0]
        if variable.space == "shared":
            return "@S", [variable.offset + offset]
        space = None if spec.space is None else spec.space.eval(op.inst)
        window = LOCAL_WINDOW if variable.space == "local" and space == "generic" else 0
        return "@i", [window + variable.offset + offset]

    def _check_param(self, op: Op, address: Addr, spec: Spec, offset: int) -> None:
        assert isinstance(address.base, Symbol)
        size = spec.bytes.eval(op.inst) if spec.bytes is not None else 1
        at = self.params[address.base.name].offset + offset
        if not 0 <= at <= self.program.param_bytes - (size if isinstance(size, int) else 1):
            raise Diagnostic(
                "PTX9002",
                f"`{op.inst.text()}` reads outside the parameters",
                help=f"`{address.base.name}` has {self.params[address.base.name].size} bytes",
                span=op.span,
                origin=op.origin,
            )


def immediate_bits(value: Imm, type_: ScalarType | None) -> int:
    """The bits of an immediate as its type wants them, in 64 bits."""
    floating = type_ is not None and type_.kind == "f" and type_.bits >= 32
    if value.float_bits:
        if not floating or type_ is None or type_.bits == value.float_bits:
            return int(value.value)
        source = (
            struct.unpack("<f", struct.pack("<I", value.value))[0]
            if value.float_bits == 32
            else struct.unpack("<d", struct.pack("<Q", value.value))[0]
        )
        return _float_bits(source, type_.bits)
    if isinstance(value.value, float) or floating:
        return _float_bits(float(value.value), type_.bits if floating and type_ is not None else 64)
    return int(value.value) & _WORD


def _float_bits(value: float, bits: int) -> int:
    if bits == 64:
        return int(np.float64(value).view(np.uint64))
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.uint32))


__all__ = ["Image", "check", "fields_of", "image_of"]
