"""A Program becomes records: handlers chosen, registers placed in the frame, operands turned into fields.

Nothing here depends on a launch except the addresses of variables, which are filled in by `Image.bind`. At the head of
every basic block stands a record that counts instructions and looks for lanes to merge with and for the end of the slice.
"""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import Barrier, Branch, Effect, Stack
from ptxlab.isa.operands import Addr, Imm, Label, Minus, Not, Operand, Params, Part, Reg, Sink, Sreg, Symbol, Vec
from ptxlab.isa.specs import Spec
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.exposed import exposed
from ptxlab.ptx.flights import touching
from ptxlab.ptx.functions import CODE, FUNCTION_UNIT, numbered
from ptxlab.ptx.program import NoteAt, Op, Param, Program, Signature, Var
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import LOCAL_WINDOW
from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.engine.compiled.emit import Handler, Shape, Slot
from ptxlab.sim.engine.compiled.registry import ASKS, MEANINGS, TRAPS, asked, canonical
from ptxlab.sim.engine.decoded.caches import cached_polls, forgets_all, forgets_line
from ptxlab.sim.engine.decoded.calls import Calls, Fields, Record, Routine
from ptxlab.sim.engine.decoded.fragments import Fillers
from ptxlab.sim.engine.decoded.immediates import immediate_bits, literal_bits
from ptxlab.sim.engine.decoded.polls import poll_branches, yield_table, yielding
from ptxlab.sim.engine.decoded.refused import check, wrong

BLOCK = Handler("$block", slots=(Slot("n", "", "r", "i"),))
TRAP, TRAP_TOGETHER = Handler("$trap"), Handler("$trap", together=True)
FLIGHT = Handler("$flight")
"""In front of what uses registers of a wgmma in flight."""
_TRAP_BYTES = F.record_bytes(TRAP.fields)
CACHED, FORGETS = "$cached", "$forgets"
"""In front of a poll that the SM's cache answers, and of what makes it forget: see caches.py."""
NOTE = "$note"
"""What `k.note` has said, in a launch with a trace."""
END = Handler("$end")
_WORD = 0xFFFF_FFFF_FFFF_FFFF
# Modifiers that steer caches and order alone: handlers are shared across them.
_SILENT = frozenset(
    {"l1", "l2", "l2evict", "cop", "scope", "sem", "weak", "uni", "aligned", "L2::cache_hint", "shared::cta"}
)
_ONLY_IMMEDIATES = frozenset({"imm"})
Kind: TypeAlias = tuple[object, ...]
"""A row, the modifiers, the operands' names, and of each operand its width or, where it is part of the handler, its value.

It says the types and spaces of all operands too: in no row do they depend on the value of another one."""


@dataclass(slots=True)
class Image:
    """A decoded program.

    Attributes:
        words: the records, u64; with zero in the place of addresses of variables.
        frame_bytes: size of a warp's frame.
        rows: frame offset of every register; all lie in `registers`, and in `exposed` those of the kernel that a thread may read
        before it writes them. numbers: rows that hold a number all the time, its bits and how many they are.
        lane_rows: frame offset of the special registers that differ by lane.
        ops: the instructions of the functions, then those of the kernel. starts: byte offset of each one's first record,
        ascending. entry: that of the kernel's first record. traps: whether a record needs Python.
        local_bytes: local memory of a thread. unwritten_local: its part that holds the variables of the kernel and of what it
            surely calls. slots: where a local variable or a parameter of a call lies: the frame offset
        of the row with the begin of its function's frame, and how far behind that. functions: program counter and number of
        the signature of each function, by its place behind `code` over FUNCTION_UNIT. behind: where compiled records end that may
        turn to Python. yields: see `polls.yield_table`.
        flights: the instructions that use registers of a wgmma in flight, by the record in front of each.
        caches: for each record in front of another instruction that is about the SM's cache, CACHED or FORGETS, that
            instruction, and where it ends.
        notes: what is noted on the timeline, and in front of which instruction, by the record that does it. ahead: bytes of those
            in front of the kernel's first instruction.
        handlers: of each instruction's first record. accesses: index in `words` and handler of all that have addresses.
        asks: whether it may ask in global memory what others have written; None until somebody wants to know.
        shuffles: the program counters of instructions that read registers of other lanes; None until somebody wants to know.
        right_shuffles: grids and blocks with which results have been found not to depend on lanes outside of shuffles.
        right_registers: grids, blocks and parameters with which they have been found not to depend on what nobody has written.
        right_counts: grids and blocks with which no mbarrier has been found to count too few arrivals.
        unflagged: whether a launch may be looked at without its flags, as far as is known; None until somebody wants to know.
        before_waits: see `sim/order/beside.py`; None until somebody wants to know.
        effects: see `with_effect`.
    """

    program: Program
    ops: list[Op]
    words: NDArray[np.uint64]
    frame_bytes: int
    rows: dict[str, int]
    numbers: dict[int, tuple[int, int]]
    registers: range
    exposed: range
    lane_rows: dict[str, int]
    starts: list[int]
    traps: bool
    local_bytes: int
    unwritten_local: int
    entry: int
    slots: dict[str, tuple[int, int]]
    behind: dict[int, int]
    flights: dict[int, Op]
    caches: dict[int, tuple[str, Op, int]]
    functions: NDArray[np.uint32]
    code: int
    yields: NDArray[np.uint8]
    notes: dict[int, tuple[NoteAt, Op]] = field(default_factory=dict[int, "tuple[NoteAt, Op]"])
    ahead: int = 0
    handlers: list[Handler] = field(default_factory=list[Handler])
    relocations: list[tuple[int, str, int]] = field(default_factory=list[tuple[int, str, int]])
    accesses: list[tuple[int, Handler]] = field(default_factory=list[tuple[int, Handler]])
    asks: bool | None = None
    shuffles: tuple[int, ...] | None = None
    right_shuffles: set[tuple[object, object]] = field(default_factory=set["tuple[object, object]"])
    right_registers: set[tuple[object, ...]] = field(default_factory=set["tuple[object, ...]"])
    right_counts: set[tuple[object, object]] = field(default_factory=set["tuple[object, object]"])
    unflagged: bool | None = None
    before_waits: tuple[frozenset[int], bool, frozenset[str], bool] | None = None
    effects: dict[type[Effect], dict[int, Op]] = field(default_factory=dict[type[Effect], "dict[int, Op]"])

    def bind(self, variables: Mapping[str, int]) -> NDArray[np.uint64]:
        """The records for a launch, given the address of each variable in global and constant memory."""
        words = self.words.copy()
        for at, name, addend in self.relocations:
            words[at] = (variables[name] + addend) & _WORD
        return words

    @property
    def points(self) -> list[int]:
        """Program counter of every instruction itself, ascending: that of the entry's first one is behind the head of its block."""
        out, first = list(self.starts), len(self.ops) - len(self.program.ops)
        if out[first] == self.entry:
            out[first] += F.record_bytes(1) + self.ahead
        return out

    def with_effect(self, kind: type[Effect]) -> Mapping[int, Op]:
        """The instructions with a kind of effect, by program counter: each launch has many observers that ask for a few."""
        if not self.effects:
            for pc, op in zip(self.points, self.ops, strict=True):
                self.effects.setdefault(type(op.inst.form.effect), {})[pc] = op
        return self.effects.get(kind, {})

    def op_at(self, pc: int) -> Op:
        """The instruction that a program counter stands for."""
        if pc in self.flights:
            return self.flights[pc]
        if pc in self.caches:
            return self.caches[pc][1]
        if pc in self.notes:
            return self.notes[pc][1]
        index = bisect.bisect_right(self.starts, pc) - 1
        return self.ops[max(index, 0)]

    def op_from(self, pc: int) -> Op:
        """The instruction that runs next where a warp has stopped, at it or at the head of its block."""
        index = bisect.bisect_left(self.starts, pc)
        return self.ops[min(index, len(self.ops) - 1)]

    def next_pc(self, pc: int) -> int:
        """The program counter behind the trap at `pc`."""
        return self.behind.get(pc, pc + _TRAP_BYTES)

    def trap_at(self, pc: int) -> tuple[str, Op]:
        """What a trap is for: the key of its meaning, and the instruction."""
        op = self.op_at(pc)
        if pc in self.caches:
            return self.caches[pc][0], op
        if pc in self.notes:
            return NOTE, op
        return (FLIGHT.key if pc in self.flights else op.inst.form.key), op


_images: OrderedDict[tuple[int, bool], Image] = OrderedDict()
_decoding = threading.Lock()


def image_of(program: Program, *, noted: bool = False) -> Image:
    """The decoded program; the last few are kept. `noted`: with records for its notes, which else cost nothing."""
    key = id(program), noted and bool(program.notes)
    with _decoding:  # two threads may launch at once
        found = _images.get(key)
        if found is None or found.program is not program:
            found = _images[key] = _Decoder(program, noted=key[1]).run()
            while len(_images) > 32:
                _images.popitem(last=False)
        _images.move_to_end(key)
        return found


class _Decoder:
    def __init__(self, program: Program, *, noted: bool = False) -> None:
        self.program = program
        self._noted = noted
        self._notes: dict[int, tuple[NoteAt, Op]] = {}
        self._ahead = 0
        self.calls = Calls.of(program)
        self.routine = self.calls.routines[-1]
        self.variables: dict[str, Var] = {v.name: v for r in self.calls.routines for v in r.program.variables}
        self.params = {p.name: p for p in program.params}
        self.passed = {
            p.name: p for r in self.calls.routines if (g := r.program.signature) for p in (*g.returns, *g.params)
        }
        self.functions = numbered(program.module) if program.module else {}
        self.code = min(self.functions.values(), default=CODE)
        self.rows: dict[str, int] = {}
        self.lane_rows: dict[str, int] = {}
        self.offset = F.F_HEADER
        self.registers = self.exposed = range(0)
        self.relocations: list[tuple[int, str, int]] = []
        self._here: list[tuple[int, str, int]] = []
        self._plan: list[tuple[Handler, Fields, Op | None]] = []
        self._places: dict[str, int] = {}
        self._position = 0
        self._starts: list[int] = []
        self.slots: dict[str, tuple[int, int]] = {}
        self._behind: dict[int, int] = {}
        self._yields: list[tuple[int, int]] = []
        self._flights: dict[int, Op] = {}
        self._caches: dict[int, tuple[str, Op, int]] = {}
        self._cached = {id(r): cached_polls(r.program) for r in self.calls.routines}
        self._relocated: list[tuple[int, int, str, int]] = []
        self._kinds: dict[Kind, Handler] = {}
        self._fillers = Fillers(self._take)
        self._ops: list[Op] = []

    def run(self) -> Image:
        check(self.program)
        self._place_registers()
        for routine in self.calls.routines:
            self._routine(routine)
        # by identity: instructions of one kind share a handler, and hashing its parts takes longer than all the rest
        handlers = {id(h): h for h, _, _ in self._plan}
        found = code().handlers(handlers.values())
        addresses = {number: found[h] for number, h in handlers.items()}
        words: list[int] = []
        first: list[int] = []
        for handler, fields, op in self._plan:
            first.append(len(words))
            words.append(addresses[id(handler)])
            words.append(self._guard(op))
            words += [self._places[f] if isinstance(f, str) else f & _WORD for f in fields]
            words += [_WORD] * (F.CACHE_FIELDS * handler.cached)
        self.relocations = [(first[i] + 2 + at, name, addend) for i, at, name, addend in self._relocated]
        return Image(
            program=self.program,
            ops=self._ops,
            words=np.array(words, np.uint64),
            frame_bytes=-(-self.offset // 64) * 64,
            rows=self.rows,
            numbers=self._fillers.numbers,
            registers=self.registers,
            exposed=self.exposed,
            lane_rows=self.lane_rows,
            starts=self._starts,
            traps=any(h.traps for h, _, _ in self._plan) or bool(self._behind),
            local_bytes=self.calls.local_bytes(),
            unwritten_local=self.calls.frames_bytes(),
            entry=self._places[f"call {self.program.name}"],
            slots=self.slots,
            behind=self._behind,
            flights=self._flights,
            caches=self._caches,
            functions=self._table(),
            code=self.code,
            yields=yield_table(self._yields, 8 * len(words)),
            notes=self._notes,
            ahead=self._ahead,
            handlers=self._firsts(),
            relocations=self.relocations,
            accesses=[(at, h) for at, (h, _, _) in zip(first, self._plan, strict=True) if h.cached],
        )

    def _firsts(self) -> list[Handler]:
        """The handler of each instruction's first record."""
        out: dict[int, Handler] = {}
        for handler, _, op in self._plan:
            if op is not None:
                out.setdefault(id(op), handler)
        return list(out.values())

    def _table(self) -> NDArray[np.uint32]:
        """What an indirect call looks up."""
        table = np.full((max(1, len(self.functions)), 2), F.FULL, np.uint32)
        for routine in self.calls.routines[:-1]:
            signature = routine.program.signature
            assert signature is not None
            row = (self.functions[routine.program.name] - self.code) // FUNCTION_UNIT
            table[row] = self._places[f"call {routine.program.name}"], self.calls.signature(signature)
        return table

    def _routine(self, routine: Routine) -> None:
        """The records of a function or of the kernel."""
        self.routine = routine
        self.slots |= {name: (routine.base, at) for name, at in self._frame_offsets().items()}
        ops, labels = [self._fillers.filled(op) for op in routine.program.ops], routine.program.labels
        self._ops += ops
        self.rows |= self._fillers.rows
        leaders, polls = self._leaders(routine.program), poll_branches(routine.program)
        flights = touching(routine.program)
        self._places[f"call {routine.program.name}"] = begin = self._position
        if not routine.entry:
            for handler, fields in self.calls.prologue(routine, self._plain):
                self._emit(handler, fields, None)
        else:
            for handler, fields in routine.rise():
                self._emit(handler, fields, None)
        block_at: dict[int, int] = {}
        apart, cached, caching = yielding(routine.program), self._cached[id(routine)], any(self._cached.values())
        notes = routine.program.notes if routine.entry and self._noted else []
        for index, op in enumerate([*ops, None]):
            here = [n for n in notes if n.index == index]
            if op is not None and here:
                self._places_of_notes(here, op, head=index in leaders)
            head = self._position
            if index in leaders or op is None:
                block_at[index] = self._position
                length = next((i for i in range(index + 1, len(ops)) if i in leaders), len(ops)) - index
                if op is not None:
                    self._emit(BLOCK, [length], None)
            if op is None:
                break
            if index in flights:
                self._flight(op)
            before, about = self._position, ""
            if caching:
                about = CACHED if index in cached else FORGETS if forgets_all(op) or forgets_line(op) else ""
            if about:
                self._emit(TRAP, [], None)
            # what the beginning of a function does wrong is shown at its first instruction
            self._starts.append(begin if index == 0 else self._position)
            self._here = []
            for handler, fields in self._records(op):
                if index in polls:
                    handler = Handler("$poll", slots=handler.slots)
                self._relocated += [(len(self._plan), at, name, addend) for at, name, addend in self._here]
                self._emit(handler, fields, op)
            if about:
                self._caches[before] = about, op, self._position
            if index in apart:
                self._yields.append((head, self._position))
        for handler, fields in [(END, [])] if routine.entry else self.calls.epilogue(routine, self._plain):
            self._emit(handler, fields, None)
        self._places |= {name: block_at[at] for name, at in labels.items() if name not in self._places}

    def _places_of_notes(self, notes: list[NoteAt], op: Op, *, head: bool) -> None:
        """Records in front of an instruction and of its block, whose labels lead here where they stand in front of a note."""
        begin = self._position
        for note in notes:
            behind = [name for name in note.behind if name not in self._places]
            if head:  # where lanes that meet here become one again
                self._places |= dict.fromkeys(behind, self._position)
                self._emit(BLOCK, [0], None)
            self._notes[self._position] = note, op
            self._emit(TRAP, [], None)
        self._ahead += (self._position - begin) if notes[0].index == 0 else 0

    def _emit(self, handler: Handler, fields: Fields, op: Op | None) -> None:
        self._plan.append((handler, fields, op))
        begin = self._position
        self._position += F.record_bytes(len(fields) + F.CACHE_FIELDS * handler.cached)
        if op is not None and handler.key in TRAPS and handler.key in MEANINGS:
            self._behind[begin] = self._position

    def _flight(self, op: Op) -> None:
        """A record in front of an instruction that uses registers in flight: all lanes wait, whatever its guard says."""
        begin = self._position
        self._flights[begin] = op
        self._emit(FLIGHT, [], None)
        self._behind[begin] = self._position

    def _records(self, op: Op) -> list[Record]:
        """What an instruction becomes."""
        effect = op.inst.form.effect
        flow = effect.kind if isinstance(effect, Branch) else ""
        if flow == "return" and not self.routine.entry:
            return self.calls.epilogue(self.routine, self._plain)
        if flow != "call":
            return [self._op(op)]
        callee = op.inst.operands["callee"]
        if isinstance(callee, Reg):
            signature = self._prototype(op)
        else:
            known = next((r for r in self.calls.routines[:-1] if r.program.name == str(callee)), None)
            if known is None:
                return [(TRAP, [])]
            signature = known.program.signature
        assert signature is not None
        self._check_call(op, signature)
        return self.calls.call(self.routine, op, signature, self._frame_offsets(), self._plain)

    def _prototype(self, op: Op) -> Signature:
        name = str(op.inst.operands["proto"])
        found = self.routine.program.prototypes.get(name)
        if found is None:
            words = (
                f"`{op.inst.opcode}` goes by `{name}`, and no such .callprototype or .calltargets stands in this scope"
            )
            raise wrong(op, "PTX9003", words, isa="call")
        return found

    def _check_call(self, op: Op, signature: Signature) -> None:
        for word, wanted, name in (("results", signature.returns, "ret"), ("parameters", signature.params, "args")):
            given = op.inst.operands.get(name)
            items = given.items if isinstance(given, Params) else ()
            sizes = [self._passed_bytes(item, p) for item, p in zip(items, wanted, strict=False)]
            if len(items) != len(wanted) or sizes != [p.size for p in wanted]:
                words = f"the {word} of `{op.inst.operands['callee']}` are not those of this call"
                has = f"it has {len(wanted)}, of {', '.join(str(p.size) for p in wanted) or 'no'} bytes"
                raise wrong(op, "PTX9017", words, has, "call")

    def _passed_bytes(self, item: Operand, param: Param) -> int:
        if isinstance(item, Symbol):
            known = self.variables.get(item.name) or self.passed.get(item.name)
            return known.size if known is not None else -1
        return param.size

    def _frame_offsets(self) -> dict[str, int]:
        out = {v.name: v.offset for v in self.routine.program.variables if v.space in ("local", "param")}
        signature = self.routine.program.signature
        if signature is not None:
            out |= {p.name: p.offset for p in (*signature.returns, *signature.params)}
        return out

    def _plain(self, operand: Operand, type_: ScalarType | None) -> tuple[Shape, Fields]:
        """An operand of a call: a register or an immediate."""
        if isinstance(operand, Imm):
            return "i", [immediate_bits(operand, type_)]
        if isinstance(operand, Reg):
            return "p" if operand.type.bits == 1 else f"r{max(16, operand.type.bits)}", [self.rows[operand.name]]
        raise AssertionError(f"operand {operand}")

    def _place_registers(self) -> None:
        self.calls.place(self._take, self.rows)
        early = exposed(self.program)
        first = self.offset = -(-self.offset // 64) * 64
        self._place_rows({n: t for n, t in self.program.registers.items() if n in early})
        self.exposed = range(first, self.offset)
        self._place_rows({n: t for n, t in self.program.registers.items() if n not in early})
        self.registers = range(min(self.rows.values(), default=first), self.offset)

    def _place_rows(self, registers: Mapping[str, ScalarType]) -> None:
        for name, type_ in registers.items():
            if type_.bits > 1:
                self.rows[name] = self._take(F.row_bytes(type_.bits))
        for name, type_ in registers.items():
            if type_.bits == 1:
                self.rows[name] = self._take(F.row_bytes(1), align=4)

    def _take(self, size: int, align: int = 64) -> int:
        at = -(-self.offset // align) * align
        self.offset = at + size
        return at

    def _leaders(self, program: Program) -> set[int]:
        """Where basic blocks begin: at labels and behind whatever may split or stop a warp."""
        out = {0, *program.labels.values()}
        for i, op in enumerate(program.ops):
            if isinstance(op.inst.form.effect, (Branch, Barrier)):
                out.add(i + 1)
        return {i for i in out if i < len(program.ops)}

    def _guard(self, op: Op | None) -> int:
        if op is None or op.guard is None:
            return F.F_ONES
        return self.rows[op.guard.name] | (F.FULL << 32 if op.guard_negated else 0)

    def _op(self, op: Op) -> tuple[Handler, list[int | str]]:
        """The record of an instruction: only the first of each kind is looked at in full."""
        met = self._kind(op.inst)
        if met is None:
            return self._first(op)
        kind, fields, immediates = met
        handler = self._kinds.get(kind)
        if handler is None:
            record = self._first(op)
            self._kinds[kind] = record[0]
            return record
        for at, name, value in immediates:
            fields[at] = immediate_bits(value, op.inst.type_of(name))
        return handler, fields

    def _kind(self, inst: Instance) -> tuple[Kind, Fields, list[tuple[int, str, Imm]]] | None:
        """What the handler of an instruction depends on, its fields, and which of them are immediates still to be put in.

        None for what is too rare to be worth it.
        """
        form, rows = inst.form, self.rows
        if form.key not in MEANINGS or isinstance(form.effect, Stack) or "policy" in inst.operands:
            return None
        operands = asked(form.key, inst.operands)
        kind: list[object] = [form, *inst.mods.items(), *operands]
        fields: Fields = []
        immediates: list[tuple[int, str, Imm]] = []
        for name, operand in operands.items():
            if isinstance(operand, Reg):
                kind.append(operand.type.bits)
                fields.append(rows[operand.name])
            elif isinstance(operand, Imm):
                if form.operands[name].kinds == _ONLY_IMMEDIATES:
                    kind.append(operand.text)
                else:
                    kind.append("")
                    immediates.append((len(fields), name, operand))
                    fields.append(0)
            elif isinstance(operand, Addr) and isinstance(operand.base, Reg) and operand.coords is None:
                kind.append(-operand.base.type.bits)
                fields += (rows[operand.base.name], operand.offset)
            elif isinstance(operand, Vec) and all(isinstance(item, Reg) for item in operand.items):
                items = cast("tuple[Reg, ...]", operand.items)
                kind.append(tuple(item.type.bits for item in items))
                fields += [rows[item.name] for item in items]
            else:
                return None
        return tuple(kind), fields, immediates

    def _first(self, op: Op) -> tuple[Handler, list[int | str]]:
        """The record of an instruction, from its row."""
        inst = op.inst
        key = inst.form.key
        together = inst.aligned
        if key not in MEANINGS:
            return TRAP_TOGETHER if together else TRAP, []
        slots: list[Slot] = []
        fields: list[int | str] = []
        cached = 0
        for name, operand in asked(key, inst.operands).items():
            spec = inst.form.operands[name]
            type_ = inst.type_of(name)
            shape, words = self._operand(op, operand, name, spec, type_, len(fields))
            if "w" not in spec.role and (name == "policy" or shape == "_"):  # steers caches alone; stands for nothing
                continue
            if isinstance(operand, Addr):
                space = None if spec.space is None else spec.space.eval(inst)
                cached += 1
                if self._in_frame(operand.base) and str(space).startswith("param"):
                    space = "local"
                slots.append(Slot(name, str(space or "generic"), spec.role, shape))
            else:
                slots.append(Slot(name, type_.name if type_ is not None else "", spec.role, shape))
            fields += words
        if isinstance(inst.form.effect, Stack):
            slots.append(Slot("top", "", "r", "i"))
            fields.append(self.routine.top)
        given = {} if key in ASKS else {**inst.form.defaults, **inst.mods}
        mods = tuple(sorted((k, v) for k, v in given.items() if k not in _SILENT))
        return Handler(canonical(key), mods, tuple(slots), cached, together=together), fields

    # -- operands
    def _operand(
        self, op: Op, operand: Operand, name: str, spec: Spec, type_: ScalarType | None, at: int
    ) -> tuple[Shape, list[int | str]]:
        if isinstance(operand, Vec):
            shapes: list[Shape] = []
            words: list[int | str] = []
            for item in operand.items:
                if isinstance(item, Imm):
                    shape, more = "i", [literal_bits(item, type_, cut=spec.cut)]
                else:
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
        if isinstance(operand, Part):
            return f"x{operand.which}", [self.rows[operand.reg.name]]
        if isinstance(operand, Minus):
            shape, words = self._operand(op, operand.of, name, spec, type_, at)
            return f"-{shape}", words
        if isinstance(operand, Label):
            targets = self.routine.program.targets.get(operand.name)
            return ("L", [operand.name]) if targets is None else (("L",) * len(targets), list(targets))
        if isinstance(operand, Imm):
            value = immediate_bits(operand, type_)
            return (f"={value}", []) if spec.kinds == frozenset({"imm"}) else ("i", [value])
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
        if symbol.name in self.functions:
            return "i", [self.functions[symbol.name]]
        if self._in_frame(symbol) and not self.routine.entry:
            return "B", [self.routine.base, self._frame_offset(symbol) + symbol.offset]
        variable = self._variable(op, symbol)
        if variable.space in ("global", "const"):
            self._here.append((at, symbol.name, symbol.offset))
            return "i", [0]
        return "S" if variable.space == "shared" else "i", [variable.offset + symbol.offset]

    def _in_frame(self, base: Operand) -> bool:
        """Whether a symbol lies in the frame of the function at hand."""
        if not isinstance(base, Symbol):
            return False
        found = self.variables.get(base.name)
        return base.name in self.passed or (found is not None and found.space in ("local", "param"))

    def _frame_offset(self, symbol: Symbol) -> int:
        return (self.passed.get(symbol.name) or self.variables[symbol.name]).offset

    def _variable(self, op: Op, symbol: Symbol) -> Var:
        found = self.variables.get(symbol.name)
        if found is None:
            words = f"the address of `{symbol.name}` is not known to the simulator"
            raise wrong(op, "PTX9003", words, "textures and surfaces have no address there")
        if found.extern and found.space in ("global", "const"):
            words = f"the .{found.space} variable `{found.name}` is used, and no file of the launch defines it"
            raise wrong(op, "PTX9003", words, f"load the file that defines `{found.name}` beside this one: px.link(…)")
        return found

    def _address(self, op: Op, address: Addr, spec: Spec, at: int) -> tuple[Shape, list[int | str]]:
        base = address.base
        if isinstance(base, Reg):
            return f"@{base.type.bits}", [self.rows[base.name], address.offset]
        if isinstance(base, Imm):
            return "@i", [int(base.value) + address.offset]
        offset = base.offset + address.offset
        if base.name in self.params:
            param = self.params[base.name]
            self._check_param(op, spec, offset, param, range(-param.offset, self.program.param_bytes - param.offset))
            return "@P", [param.offset + offset]
        passed = self.passed.get(base.name) or self.variables.get(base.name)
        if passed is not None and passed.space.startswith("param"):
            self._check_param(op, spec, offset, passed, range(passed.size))
        if self._in_frame(base) and not self.routine.entry:
            return "@B", [self.routine.base, self._frame_offset(base) + offset]
        variable = self._variable(op, base)
        if variable.space in ("global", "const"):
            self._here.append((at, base.name, offset))
            return "@i", [0]
        if variable.space == "shared":
            return "@S", [variable.offset + offset]
        space = None if spec.space is None else spec.space.eval(op.inst)
        window = LOCAL_WINDOW if variable.space == "local" and space == "generic" else 0
        return "@i", [window + variable.offset + offset]

    def _check_param(self, op: Op, spec: Spec, offset: int, param: Param | Var, room: range) -> None:
        """`room`: the bytes that may be accessed, counted from the parameter's first one."""
        size = spec.bytes.eval(op.inst) if spec.bytes is not None else 1
        many = size if isinstance(size, int) else 1
        if not room.start <= offset <= room.stop - many:
            name = param.name.partition("#")[0]
            of_call = room.start == 0 and room.stop == param.size
            beside = "what lies beside a parameter of a call is not promised"
            words = f"`{op.text}`: {many} bytes at byte {offset} of `{name}`, which has {param.size}"
            raise wrong(op, "PTX9002", words, beside if of_call else "the bytes lie outside all parameters")
