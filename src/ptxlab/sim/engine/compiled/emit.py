"""Handlers: a form with its modifiers and operand shapes becomes one native function.

A handler is called with (frame, record, environment, active lanes). It reads its operands where the record's fields say,
computes all 32 lanes, stores results in the lanes that execute (active and not guarded off), and goes on to the next
record's handler by a tail call; it returns a status only when the group of lanes changes or somebody else must act.

A meaning is a function of the emitter and the source operands, in the order of the row; it returns the value of the
destination, a tuple for several, or nothing. Accesses that may need help are compiled twice: the handler proper holds the
common case (all lanes, adjacent or equal addresses) and falls back to a second function that can do everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from ptxlab.codegen.ir import I32, I64, PTR, Fn, T, Val, ty
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import LOCAL_WINDOW, PARAM_BASE, SHARED_WINDOW
from ptxlab.sim.engine.compiled.registry import MEANINGS, MEETS

Shape = str | tuple[Any, ...]
"""How an operand is given; each letter stands for the record fields it takes.

"r16" … "r128" a register (1 field); "p", "n" a predicate, plain or negated (1); "i" an immediate (1); "u" a word of the
frame that all lanes share (1); "P" an address in the parameter block (1); "S" one in the CTA's own shared memory (1);
"_" the sink (0); "=7" a constant of the handler (0); "@32", "@64" an address in a register (2: register, offset);
"B", "@B" an address in the frame of a function (2: register of its begin, offset);
"@i" an address known in advance (1); "@P", "@S" as "P" and "S" (1); "L" a label, as the program counter of its record (1);
"k…" a clock (0); "xb0", "xh10", … parts of a register of 32 bits (1), which the meaning sorts out; "-…" what is given so, to be
negated by the meaning; a tuple: a vector in braces.
"""


def fields_of(shape: Shape) -> int:
    """How many record fields an operand of this shape takes."""
    if isinstance(shape, tuple):
        return sum(map(fields_of, shape))
    if shape[0] in "_=k":
        return 0
    return 2 if shape in ("@32", "@64", "@B", "B") else 1


@dataclass(frozen=True, slots=True)
class Slot:
    """An operand of a handler: name, type by the row ("" for none), direction, shape."""

    name: str
    type: str
    role: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Handler:
    """What a handler is compiled from: equal ones share their code."""

    key: str
    mods: tuple[tuple[str, str], ...] = ()
    slots: tuple[Slot, ...] = ()
    cached: int = 0
    """Accesses whose buffer is remembered in the record: CACHE_FIELDS each, behind the operands."""
    logged: bool = False
    """Whether it marks what it reads and writes of global memory, which then lies elsewhere than its addresses say."""
    together: bool = False
    """Whether all living lanes of the warp wait for each other in front of it."""

    @property
    def traps(self) -> bool:
        """Whether the instruction runs in Python."""
        return self.key == "$trap"

    @property
    def fields(self) -> int:
        """Record fields, those of remembered buffers included."""
        return sum(fields_of(s.shape) for s in self.slots) + F.CACHE_FIELDS * self.cached

    @property
    def text(self) -> str:
        """A name for caches, unique among handlers."""
        mods = ".".join(f"{k}={v}" for k, v in self.mods)
        slots = ",".join(f"{s.name}:{s.type}:{s.role}:{s.shape}" for s in self.slots)
        return f"{self.key}|{mods}|{slots}|{self.cached}{'|log' * self.logged}{'|together' * self.together}"


@dataclass(slots=True)
class Address:
    """An address operand inside a meaning: lane addresses, or one scalar for all lanes."""

    value: Val
    space: str
    cache: int
    param: bool = False

    @property
    def uniform(self) -> bool:
        """Whether all lanes have the same address."""
        return self.value.t.lanes == 0


HANDLER_PARAMS = (PTR, PTR, PTR, I32)


class Emitter:
    """What a meaning writes its code with. `fn` is the function; most of its methods are offered here as well."""

    def __init__(self, handler: Handler, name: str, *, slow: bool, features: frozenset[str]) -> None:
        self.handler = handler
        self.mods = dict(handler.mods)
        self.features = features
        self.slow = slow
        self.needs_slow = False
        self.symbol = name
        linkage = "internal" if slow else ""
        self.fn = Fn(
            name + ".slow" if slow else name,
            "i32",
            HANDLER_PARAMS,
            linkage=linkage,
            attributes="noinline" if slow else "",
        )
        self.frame, self.rec, self.env, self.active = self.fn.args
        guard = self.fn.load(self.rec, I32, F.R_GUARD, 4).to(T("u", 64, 0))
        negate = self.fn.load(self.rec, I32, F.R_NEGATE, 4)
        self.exec = self.active & (self.fn.load(self.frame, I32, guard, 4) ^ negate)
        self._writes: list[tuple[Val, Val]] = []
        self._field = F.R_FIELDS
        self._slots: dict[str, tuple[Slot, int]] = {}
        for slot in handler.slots:
            self._slots[slot.name] = (slot, self._field)
            self._field += F.FIELD * fields_of(slot.shape)
        addressed = [n for n, (s, _) in self._slots.items() if isinstance(s.shape, str) and s.shape[0] == "@"]
        self._caches = {n: self._field + F.CACHE_FIELDS * F.FIELD * i for i, n in enumerate(addressed)}

    # -- what the instruction is
    def mod(self, name: str) -> str | None:
        """A modifier's value, None when it is left out."""
        return self.mods.get(name)

    def has(self, name: str) -> bool:
        """Whether a flag such as `ftz` is there."""
        return name in self.mods

    def type(self, name: str) -> T:
        """The row's type of an operand."""
        return ty(self._slots[name][0].type)

    def type_name(self, name: str) -> str:
        """The row's type of an operand, by name."""
        return self._slots[name][0].type

    def shape(self, name: str) -> Shape | None:
        """How an operand is given; None when it is left out."""
        found = self._slots.get(name)
        return found[0].shape if found else None

    def constant(self, name: str) -> int:
        """The value of an operand that is part of the handler."""
        shape = self._slots[name][0].shape
        assert isinstance(shape, str)
        assert shape[0] == "="
        return int(shape[1:])

    @property
    def exec_lanes(self) -> Val:
        """The executing lanes as a boolean vector."""
        return self.fn.lanes(self.exec)

    @property
    def pc(self) -> Val:
        """The program counter of this record, as u32."""
        records = self.fn.load(self.env, PTR, F.E_RECORDS, 8)
        return (self.rec.to(I64) - records.to(I64)).to(I32)

    @property
    def next_pc(self) -> Val:
        """The program counter behind this record, as u32."""
        return self.pc + F.record_bytes(self.handler.fields)

    # -- operands
    def sources(self) -> list[Any]:
        """The values of the operands that are read, None for those left out, in the row's order."""
        out: list[Any] = []
        for name, (slot, field) in self._slots.items():
            if "r" in slot.role:
                out.append(self._source(slot, field, name))
        return out

    def source(self, name: str) -> Any:
        """One operand that is read: a value, a list for a vector, an Address; None when it is left out."""
        found = self._slots.get(name)
        return self._source(*found, name) if found else None

    def register(self, name: str, value: Val) -> Val:
        """All bits of a register that the row reads only the lower ones of; `value` for what is no register."""
        slot, field = self._slots[name]
        if not isinstance(slot.shape, str) or slot.shape[0] != "r":
            return value
        return self.fn.load(self.frame, T("u", int(slot.shape[1:])), self._load_field(field), 64)

    def field(self, name: str, index: int = 0) -> Val:
        """A record field of an operand, as u64."""
        return self._load_field(self._slots[name][1] + F.FIELD * index)

    def _load_field(self, at: int) -> Val:
        return self.fn.load(self.rec, I64, at, 8)

    def _source(self, slot: Slot, field: int, name: str) -> Any:
        if isinstance(slot.shape, tuple):
            out: list[Val | None] = []
            for item in slot.shape:
                out.append(None if item == "_" else self._scalar(item, slot.type, field))
                field += F.FIELD * fields_of(item)
            return out
        if slot.shape[0] == "@":
            return self._address(slot.shape, slot.type, field, self._caches[name])
        return self._scalar(slot.shape, slot.type, field)

    def _scalar(self, shape: str, type_: str, field: int) -> Val:
        """A value in 32 lanes, of the row's type (a register's own untyped one where the row has none)."""
        fn = self.fn
        shape = shape.removeprefix("-")
        if shape == "L":
            return self._load_field(field)
        if shape[0] == "x":
            return fn.load(self.frame, T("u", 32), self._load_field(field), 64).as_(ty(type_))
        if shape[0] == "r":
            t = T("u", int(shape[1:]))
            row = fn.load(self.frame, t, self._load_field(field), 64)
            want = ty(type_) if type_ else t
            return (
                (row.to(T("u", want.bits)) if want.bits < t.bits else row).as_(want)
                if want.bits <= t.bits
                else row.to(want)
            )
        if shape in ("p", "n"):
            bits = fn.load(self.frame, I32, self._load_field(field), 4)
            return fn.lanes(~bits if shape == "n" else bits)
        want = ty(type_ or "u64")
        if shape[0] == "=":
            return fn.const(int(shape[1:]), want)
        if shape[0] == "k":
            return fn.splat(self._clock(shape[1:])).to(T("u", want.bits)).as_(want)
        if shape == "B":
            return self._own_local(field).to(T("u", want.bits)).as_(want)
        if shape == "u":
            word = fn.load(self.frame, I32, self._load_field(field), 4)
        elif shape == "P":
            word = self._load_field(field) + PARAM_BASE
        elif shape == "S":
            word = self._own_shared(field)
        else:
            word = self._load_field(field)
        if want.kind == "p":
            return fn.splat(word.to(T("p", 1, 0)) if word.t.bits != 1 else word)
        return fn.splat(word.to(T("u", want.bits, 0)).as_(want.scalar))

    def _clock(self, name: str) -> Val:
        count = self.fn.load(self.env, I64, F.E_WARP_COUNT, 8) + self.fn.load(self.env, I64, F.E_SKEW, 8)
        return count >> 32 if name.endswith("_hi") else count

    def _own_shared(self, field: int) -> Val:
        """The address of a byte of the CTA's own shared memory, as u32: it depends on the CTA's rank."""
        return self.frame_word(F.F_SHARED_FIRST) + self._load_field(field).to(I32)

    def _own_local(self, field: int) -> Val:
        """The address of a byte in the frame of a function, as u32 in every lane."""
        row = self.fn.load(self.frame, T("u", 32), self._load_field(field), 64)
        return row + self._load_field(field + F.FIELD).to(I32)

    def _address(self, shape: str, space: str, field: int, cache: int) -> Address:
        fn = self.fn
        if shape == "@P":
            return Address(fn.load(self.env, I64, F.E_PARAMS, 8) + self._load_field(field), space, cache, param=True)
        if shape == "@S":
            window = SHARED_WINDOW if space == "generic" else 0
            return Address(self._own_shared(field).to(I64) + window, space, cache)
        if shape == "@i":
            return Address(self._load_field(field), space, cache)
        if shape == "@B":
            window = LOCAL_WINDOW if space == "generic" else 0
            return Address(self._own_local(field).to(T("u", 64)) + window, space, cache)
        bits = int(shape[1:])
        row = fn.load(self.frame, T("u", bits), self._load_field(field), 64)
        return Address(row + self._load_field(field + F.FIELD).to(T("u", bits, 0)), space, cache)

    @property
    def param_origin(self) -> Val:
        """What lies between the generic address of a kernel's parameter and its address in the param space, as u64."""
        return self.fn.load(self.env, I64, F.E_PARAMS, 8) - PARAM_BASE

    # -- results
    def write(self, name: str, value: Val | Sequence[Val]) -> None:
        """Set a destination; it is stored, in the executing lanes, at the end."""
        slot, field = self._slots[name]
        if isinstance(slot.shape, tuple):
            assert not isinstance(value, Val)
            for item, v in zip(slot.shape, value, strict=True):
                self._write(item, slot.type, field, v)
                field += F.FIELD * fields_of(item)
        else:
            assert isinstance(value, Val)
            self._write(slot.shape, slot.type, field, value)

    def _write(self, shape: str, type_: str, field: int, value: Val) -> None:
        if shape == "_":
            return
        where = self.fn.at(self.frame, self._load_field(field))
        if shape == "p":
            self._writes.append((where, self.fn.mask(self.fn.splat(value)) if value.t.bits == 1 else value))
            return
        register = T("u", 32 if shape[0] == "x" else int(shape[1:]))
        value = self.fn.splat(value)
        if value.t.kind == "f":
            value = value.unsigned
        if value.t.bits != register.bits:
            # a register wider than the row's type takes the value extended by the sign of that type
            value = (value.signed if type_.startswith("s") else value).to(T(value.t.kind, register.bits))
        self._writes.append((where, value.unsigned))

    def finish(self) -> None:
        """Store the results and go on to the next record."""
        fn = self.fn
        if self._writes:
            full, some, after = fn.fresh("full"), fn.fresh("some"), fn.fresh("stored")
            fn.branch(self.exec == -1, full, some)
            fn.block(full)
            for where, value in self._writes:
                fn.store(value, where, align=64 if value.t.lanes else 4)
            fn.jump(after)
            fn.block(some)
            lanes = self.exec_lanes
            for where, value in self._writes:
                if value.t.lanes:
                    old = fn.load(where, value.t, align=64)
                    fn.store(fn.select(lanes, value, old), where, align=64)
                else:
                    old = fn.load(where, I32, align=4)
                    fn.store((old & ~self.exec) | (value & self.exec), where, align=4)
            fn.block(after)
        self.goto_next()

    def goto_next(self) -> None:
        """Tail call of the handler of the next record."""
        self.goto(self.fn.at(self.rec, F.record_bytes(self.handler.fields)), self.active)

    def goto(self, record: Val, active: Val) -> None:
        """Tail call of the handler of a record, for a group of lanes."""
        target = self.fn.load(record, PTR, F.R_HANDLER, 8)
        self.tail(target, record, active)

    def tail(self, target: Val | str, record: Val, active: Val) -> None:
        """Leave through another function of the same kind."""
        name = target if isinstance(target, str) else target.text
        out = self.fn.line(
            f"musttail call i32 {name}(ptr {self.frame.text}, ptr {record.text}, ptr {self.env.text}, i32 {active.text})",
            I32,
        )
        self.fn.ret(out)

    def to_slow(self) -> None:
        """Leave for the function that can do everything."""
        self.needs_slow = True
        self.tail(f"@{self.symbol}.slow", self.rec, self.active)

    def save_pcs(self, lanes: Val, pc: Val) -> None:
        """Note where a group of lanes (a mask) waits."""
        fn = self.fn
        old = fn.load(self.frame, T("u", 32), F.F_PCS, 64)
        fn.store(fn.select(fn.lanes(lanes), fn.splat(pc), old), self.frame, F.F_PCS, 64)

    def leave(self, status: int) -> None:
        """Return to the dispatcher."""
        self.fn.ret(status)

    def frame_word(self, offset: int) -> Val:
        """A u32 of the frame's header."""
        return self.fn.load(self.frame, I32, offset, 4)

    def set_frame_word(self, offset: int, value: Val | int) -> None:
        """Set a u32 of the frame's header."""
        self.fn.store(self.fn.const(value, I32), self.frame, offset, 4)

    def meet(self) -> None:
        """Wait until all living lanes of the warp are at this record: those that come early are set aside (F_SYNC)."""
        fn = self.fn
        with fn.if_(self.exec != -1):
            alive = self.frame_word(F.F_ALIVE)
            with fn.if_((self.exec != 0) & (self.exec != alive)):
                self.stop_parted()
                pc = self.pc
                self.save_pcs(self.active, pc)
                sync = self.frame_word(F.F_SYNC)
                here = fn.mask(fn.load(self.frame, T("u", 32), F.F_PCS, 64) == fn.splat(pc))
                there = (sync & here) | self.exec
                self.set_frame_word(F.F_SYNC, fn.select(there == alive, sync & ~there, sync | there))
                self.leave(F.REGROUP)

    def stop_parted(self) -> None:
        """A fault where the guard of an instruction for whole warps parts lanes that have come to it together."""
        fn, pc = self.fn, self.pc
        with fn.if_(self.exec != self.active):
            self.save_pcs(self.active & ~self.exec, self.next_pc)
            self.save_pcs(self.exec, pc)
            self.set_frame_word(F.F_FAULT, F.FAULT_WARP)
            self.set_frame_word(F.F_FAULT_LANE, fn.intrinsic("cttz", self.exec, extra=", i1 true"))
            self.set_frame_word(F.F_FAULT_PC, pc)
            self.leave(F.FAULT)

    # -- shorthands of the function
    def __getattr__(self, name: str) -> Any:
        return getattr(self.fn, name)


def build(handler: Handler, name: str, features: frozenset[str]) -> tuple[str, set[str]]:
    """The LLVM text of a handler and the declarations it needs."""
    fast = Emitter(handler, name, slow=False, features=features)
    _body(fast)
    text, declared = fast.fn.text(), set(fast.fn.declared)
    if fast.needs_slow:
        slow = Emitter(handler, name, slow=True, features=features)
        _body(slow)
        text += "\n" + slow.fn.text()
        declared |= slow.fn.declared
    return text, declared


def _body(e: Emitter) -> None:
    if e.handler.together and e.handler.key not in MEETS:
        e.meet()
    result = MEANINGS[e.handler.key](e, *e.sources())
    if e.fn.closed:
        return
    targets = [s.name for s in e.handler.slots if s.role == "w"]
    if isinstance(result, tuple):
        for name, value in zip(targets, cast("tuple[Any, ...]", result), strict=True):
            e.write(name, value)
    elif result is not None:
        assert len(targets) == 1, f"{e.handler.key}: one result for {targets}"
        e.write(targets[0], result)
    e.finish()
