"""How functions share a warp's frame and a thread's local memory, and what records a call becomes.

Every function has rows of its own: two for where it returns to and where its frame in local memory begins, one for each of
its registers. A frame holds what is passed (results, then parameters), local variables, the parameters of further calls,
and the saved rows of an outer call where the function may call itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ptxlab.isa.effects import Stack
from ptxlab.isa.operands import Imm, Operand, Params, Reg, Sink, Symbol, Vec
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.functions import callees
from ptxlab.ptx.program import Op, Param, Program, Signature
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler, Shape, Slot
from ptxlab.sim.engine.handlers.calls import SAVED_WIDTHS

STACK = 64 << 10
"""Local memory of a thread, in bytes, where calls may nest without end."""

Fields = list["int | str"]
Record = tuple[Handler, Fields]
Place = Callable[..., tuple[Shape, Fields]]
"""Gives the shape and the fields of an operand of a type."""


def _slots(*names: str) -> tuple[Slot, ...]:
    return tuple(Slot(n, "", "r", "i") for n in names)


PASS = Handler("$pass", slots=_slots("to_base", "to", "source_base", "source", "bytes"))
TOP = Handler("$top", slots=_slots("base", "bytes", "top"))
_CALL = Handler("$call", slots=_slots("target", "base", "bytes", "link", "link_base"))
_ENTER = ("link", "link_base", "back", "base", "bytes")
_SAVED = ("area", "rows", *(f"n{w}" for w in (*SAVED_WIDTHS, 1)))


@dataclass(slots=True)
class Routine:
    """A kernel or function in its place. `base`, `back`: frame offsets of its rows; `rows`, `counts`: its registers.

    `top`: of the row that says where its frame ends; 0 for a frame whose size is known, `frame_bytes`.
    """

    program: Program
    calls: list[str]
    base: int = 0
    back: int = 0
    top: int = 0
    rows: int = 0
    counts: tuple[int, ...] = ()
    saved: bool = False
    frame_bytes: int = 0

    @property
    def entry(self) -> bool:
        """Whether it is the kernel itself."""
        return self.program.signature is None

    @property
    def dynamic(self) -> bool:
        """Whether it takes memory from the stack while it runs."""
        return any(isinstance(op.inst.form.effect, Stack) for op in self.program.ops)

    @property
    def behind(self) -> tuple[int, int]:
        """Where its frame ends: behind which row's address, and how far."""
        return (self.top, 0) if self.top else (self.base, self.frame_bytes)

    def rise(self) -> list[Record]:
        """The record that begins a frame of unknown size."""
        return [(TOP, [self.base, self.frame_bytes, self.top])] if self.top else []

    @property
    def area(self) -> int:
        """Where in its frame the saved rows begin."""
        return -(-self.program.local_static // 16) * 16

    def enter(self, link: int, link_base: int) -> Record:
        """The record at its begin."""
        return self._passing("$enter", _ENTER, [link, link_base, self.back, self.base, self.frame_bytes])

    def leave(self) -> Record:
        """The record that returns."""
        return self._passing("$return", _ENTER[2:], [self.back, self.base, self.frame_bytes])

    def _passing(self, key: str, names: tuple[str, ...], fields: Fields) -> Record:
        """A record at an end of the function: it knows where rows are saved, if they are."""
        if not self.saved:
            return Handler(key, slots=_slots(*names)), fields
        fields += [self.area, self.rows, *self.counts]
        return Handler(key, (("saved", ""),), _slots(*names, *_SAVED)), fields


@dataclass(slots=True)
class Calls:
    """The functions of a program in their order, the kernel last, and the rows through which a call hands over."""

    routines: list[Routine]
    link: int = 0
    link_base: int = 0
    signatures: dict[tuple[object, ...], int] = field(default_factory=dict["tuple[object, ...]", int])

    @classmethod
    def of(cls, program: Program) -> Calls:
        """Functions that the kernel reaches; rows are placed later."""
        return cls([Routine(p, callees(p, program.pointers)) for p in (*program.functions, program)])

    @property
    def any(self) -> bool:
        """Whether there are functions at all."""
        return len(self.routines) > 1

    def place(self, take: Callable[..., int], rows: dict[str, int]) -> None:
        """Give every register of every function its row."""
        kernel = self.routines[-1]
        if self.any or any(r.calls for r in self.routines) or kernel.dynamic:
            self.link, self.link_base = take(F.row_bytes(32)), take(F.row_bytes(32))
            kernel.base = take(F.row_bytes(32))  # of the kernel's frame: zero
            kernel.top = take(F.row_bytes(32)) if kernel.dynamic else 0
        recursive = _recursive(self.routines)
        for routine in self.routines[:-1]:
            _place(routine, take, rows)
            routine.saved = routine.program.name in recursive
        for routine in self.routines:
            saved = sum(w * n for w, n in zip((*SAVED_WIDTHS, 1), routine.counts, strict=False)) if routine.saved else 0
            routine.frame_bytes = -(-(routine.area + saved) // 16) * 16

    def local_bytes(self) -> int:
        """Local memory that a thread needs; STACK where nobody can know."""
        if any(r.saved or r.top for r in self.routines):
            return STACK + self.routines[-1].frame_bytes
        return self.frames_bytes()

    def frames_bytes(self) -> int:
        """The same without what recursion and `alloca` take."""
        by_name = {r.program.name: r for r in self.routines}
        deepest: dict[str, int] = {}
        for routine in self.routines:  # those called stand before those that call
            inner = [deepest.get(name, 0) for name in routine.calls if name in by_name]
            inner += [-(-p.size // 16) * 16 for p in routine.program.prototypes.values()]
            deepest[routine.program.name] = routine.frame_bytes + max(inner, default=0)
        return deepest[self.routines[-1].program.name]

    def signature(self, signature: Signature) -> int:
        """A number that two signatures share when calls pass the same sizes."""
        return self.signatures.setdefault(signature.sizes, len(self.signatures) + 1)

    # -- records
    def prologue(self, routine: Routine, place: Place) -> list[Record]:
        """The begin of a function: the rows handed over, then parameters that it has in registers."""
        signature = routine.program.signature
        assert signature is not None
        taken = [
            _take(p, Reg(p.name, p.type), routine.base, p.offset, place)
            for whole in signature.params
            for p in whole.parts
            if p.space == "reg"
        ]
        return [routine.enter(self.link, self.link_base), *routine.rise(), *taken]

    def epilogue(self, routine: Routine, place: Place) -> list[Record]:
        """A return: results that it has in registers, then the way back."""
        signature = routine.program.signature
        assert signature is not None
        given = [
            _give(p, Reg(p.name, p.type), routine.base, p.offset, place)
            for whole in signature.returns
            for p in whole.parts
            if p.space == "reg"
        ]
        return [*given, routine.leave()]

    def call(
        self, routine: Routine, op: Op, signature: Signature, offsets: Mapping[str, int], place: Place
    ) -> list[Record]:
        """What a call becomes: its arguments handed over, the way there, its results fetched.

        offsets: of the caller's variables in its frame.
        """
        inst = op.inst
        row, behind = routine.behind
        out: list[Record] = []
        for param, item in zip(
            signature.params, _items(inst.operands.get("args")), strict=False
        ):  # the last may be left open
            if isinstance(item, Symbol):
                out.append((PASS, [row, behind + param.offset, routine.base, offsets[item.name], param.size]))
            else:
                out += [_give(p, one, row, behind + p.offset, place) for p, one in _paired(param, item)]
        callee = inst.operands["callee"]
        common: Fields = [row, behind, self.link, self.link_base]
        if isinstance(callee, Reg):
            shape, words = place(callee, None)
            slots = (Slot("callee", "", "r", shape), *_slots("base", "bytes", "link", "link_base", "signature"))
            out.append((Handler("$call.indirect", slots=slots), [*words, *common, self.signature(signature)]))
        else:
            out.append((_CALL, [f"call {callee}", *common]))
        for param, item in zip(signature.returns, _items(inst.operands.get("ret")), strict=True):
            if isinstance(item, Symbol):
                out.append((PASS, [routine.base, offsets[item.name], row, behind + param.offset, param.size]))
            elif not isinstance(item, Sink):
                out += [_take(p, one, row, behind + p.offset, place) for p, one in _paired(param, item)]
        return out


def _paired(param: Param, item: Operand) -> Iterator[tuple[Param, Operand]]:
    """What is passed for each element of a vector, or for a parameter that is none."""
    yield from zip(param.parts, item.items if isinstance(item, Vec) else (item,), strict=True)


def _items(operand: Operand | None) -> Sequence[Operand]:
    return operand.items if isinstance(operand, Params) else () if operand is None else (operand,)


def _give(param: Param, item: Operand, base: int, to: int, place: Place) -> Record:
    shape, words = place(item, param.type)
    type_ = "" if not isinstance(item, Imm) else param.type.name
    slots = (Slot("value", type_, "r", shape), *_slots("base", "to"))
    return Handler("$give", (("type", param.type.name),), slots), [*words, base, to]


def _take(param: Param, item: Operand, base: int, source: int, place: Place) -> Record:
    shape, words = place(item, param.type)
    slots = (Slot("d", "", "w", shape), *_slots("base", "source"))
    return Handler("$take", (("type", param.type.name),), slots), [*words, base, source]


def _place(routine: Routine, take: Callable[..., int], rows: dict[str, int]) -> None:
    """The rows of a function, in one piece: widest first, predicates last."""
    named: list[tuple[str, ScalarType]] = list(routine.program.registers.items())
    by_width: dict[int, list[str]] = {w: [] for w in (*SAVED_WIDTHS, 1)}
    for name, type_ in named:
        by_width[1 if type_.bits == 1 else max(2, type_.bits // 8)].append(name)
    counts: list[int] = []
    first = None
    for width, names in by_width.items():
        count = len(names)
        if width == 4:
            routine.back, routine.base = take(F.row_bytes(32)), take(F.row_bytes(32))
            routine.top = take(F.row_bytes(32)) if routine.dynamic else 0
            first = routine.back if first is None else first
            count += 2 + routine.dynamic
        for name in names:
            rows[name] = take(F.row_bytes(1), align=4) if width == 1 else take(F.row_bytes(8 * width))
            first = rows[name] if first is None else first
        counts.append(count)
    assert first is not None
    routine.rows, routine.counts = first, tuple(counts)


def _recursive(routines: Sequence[Routine]) -> set[str]:
    """Functions that may be running already when they are called."""
    calls = {r.program.name: list(r.calls) for r in routines}
    out: set[str] = set()
    for name in calls:
        seen: set[str] = set()
        left = list(calls[name])
        while left:
            one = left.pop()
            if one not in seen and one in calls:
                seen.add(one)
                left += calls[one]
        if name in seen:
            out.add(name)
    return out
