"""From an instruction that is bound to its row to a step of a litmus test: what it does is what the row's effect says.

Nothing here asks for an opcode. A front end brings the instance and says what its operands are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.action import Action, Touch, word
from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import (
    Access,
    AsyncCopy,
    AsyncMma,
    Barrier,
    Compute,
    Fence,
    GridDependency,
    Group,
    Hint,
    Mbarrier,
    Opaque,
    RegisterFile,
    WarpWide,
)
from ptxlab.isa.extents import Run
from ptxlab.isa.operands import Operand as PtxOperand
from ptxlab.isa.operands import Sink, Vec
from ptxlab.isa.types import TYPES
from ptxlab.memory_model.arithmetic import compute
from ptxlab.memory_model.program import (
    BarrierStep,
    FenceStep,
    GridStep,
    GroupStep,
    Load,
    MbarrierStep,
    Operand,
    Pointer,
    Publish,
    Register,
    Step,
    Store,
    Transfer,
    Update,
)
from ptxlab.memory_model.program import Compute as ComputeStep

Resolve = Callable[[PtxOperand], Operand]
"""What an operand of PTX is in the test: a number, the address of a variable, a register."""

WARP = 32
"""The threads for which a thread of a test stands."""
_BOX = 16
"""What a copy through a tensor map brings: the map says so, and tests take 16 bytes."""
_RELAXED = {"volatile": ("relaxed", "sys"), "mmio": ("relaxed", "sys")}
"""volatile and mmio order like relaxed at the scope sys (8.4.1, 8.4.2)."""


def steps(inst: Instance, resolve: Resolve, text: str, span: Span | None) -> list[Step]:
    """The steps of an instruction: none where it has no effect on values or order, several for what it does to several registers.

    Raises: Diagnostic PTX0602 for what litmus tests do not model.
    """
    binder = _Binder(inst, resolve, text, span)
    match inst.effect.effect:
        case Access(kind="load" | "store") if binder.vector() is not None:
            return binder.elements()
        case WarpWide(elects=str(elected)):
            return binder.elect(elected)
        case _:
            one = binder.step()
            return [] if one is None else [one]


def step(inst: Instance, resolve: Resolve, text: str, span: Span | None) -> Step | None:
    """The step of an instruction; None where it has no effect on values or order.

    Raises: Diagnostic PTX0602 for what litmus tests do not model.
    """
    return _Binder(inst, resolve, text, span).step()


def counted(made: BarrierStep, threads: int) -> BarrierStep:
    """A barrier of a CTA of so many threads, as PTX has it: it counts threads, and a thread of a test stands for a warp; without a
    count it waits for all of them.

    Raises: Diagnostic PTX0602 for a count that a register holds.
    """
    if made.level != "cta":
        return made
    count = threads if made.count is None else made.count
    if not isinstance(count, int):
        raise Diagnostic("PTX0602", f"`{made.text}` counts a register.", help="write a number", span=made.span)
    return replace(made, count=max(1, count // WARP))


class _Binder:
    def __init__(self, inst: Instance, resolve: Resolve, text: str, span: Span | None) -> None:
        self.inst, self.resolve = inst, resolve
        self.said: dict[str, Any] = {"text": text, "span": span}
        self.action: Action = inst.effect

    def step(self) -> Step | None:
        match self.action.effect:
            case Access(kind="load" | "store" | "atomic"):
                return self._access()
            case Fence():
                return self._fence()
            case Barrier(scope="warp"):
                return None  # each thread of a test has a warp to itself
            case Barrier():
                return self._barrier()
            case AsyncCopy():
                return self._copy()
            case AsyncMma() as effect:
                return self._mma(effect)
            case Opaque(kind="load" | "store" | "atomic") as effect:
                return self._opaque(effect)
            case Group() as effect:
                return self._group(effect)
            case Mbarrier() as effect:
                return self._mbarrier(effect)
            case GridDependency() as effect:
                return GridStep(kind=word(effect.kind, self.inst) or "", **self.said)
            case Hint() | RegisterFile():
                return None
            case Compute(each="mapa") as effect:
                register = self._register(effect.to)
                assert register is not None
                values = tuple(self._needed(name) for name in effect.of)
                return ComputeStep(register=register, op="mapa", values=values, **self.said)
            case _:
                raise self._unknown()

    def vector(self) -> Vec | None:
        """The registers or values of an access to several elements."""
        return next((o for o in self.inst.operands.values() if isinstance(o, Vec)), None)

    def elements(self) -> list[Step]:
        """An access to several elements, which is one to each of them (8.2.2)."""
        vector, (touch,) = self.vector(), self.action.touches
        assert vector is not None
        order = self._order(touch)
        if order["order"] not in ("weak", "relaxed"):
            raise self._unknown()  # whatever comes first, nothing is before the other elements
        size = TYPES[self.inst.mod("type") or "b32"].bytes
        out: list[Step] = []
        for i, item in enumerate(vector.items):
            address = self._element(self._needed(touch.operand), i * size, out)
            said: dict[str, Any] = {**self.said, **order, "bytes": size, "address": address}
            value = None if isinstance(item, Sink) else self.resolve(item)
            if touch.reads:
                out.append(Load(register=value if isinstance(value, Register) else None, **said))
            elif value is not None:
                out.append(Store(value=value, **said))
        return out

    def _element(self, address: Operand, offset: int, out: list[Step]) -> Operand:
        """What lies behind an address by so many bytes; one that a register holds is computed first."""
        if not offset:
            return address
        if not isinstance(address, Register):
            found = compute("add", [address, offset], ComputeStep(register=Register(""), op="add", values=(), **self.said))
            assert isinstance(found, Pointer)
            return found
        moved = Register(f"{address.name}+{offset} of {self.said['text']}")
        out.append(ComputeStep(register=moved, op="add", values=(address, offset), **self.said))
        return moved

    def elect(self, elected: str) -> list[Step]:
        """The first lane of a warp, which is what a thread of a test stands for, is the one that is elected."""
        (other,) = (n for n in self.inst.operands if n != elected and "w" in self.inst.form.operands[n].role)
        ends = ((self._register(elected), 1), (self._register(other), 0))
        return [ComputeStep(register=r, op="mov", values=(value,), **self.said) for r, value in ends if r is not None]

    def _unknown(self) -> Diagnostic:
        return Diagnostic(
            "PTX0602",
            f"`{self.said['text']}` is nothing that litmus tests model.",
            help="litmus tests know accesses to memory, fences, barriers, asynchronous operations and arithmetic",
            span=self.said["span"],
        )

    def _operand(self, name: str) -> Operand | None:
        found = self.inst.operands.get(name)
        return None if found is None or isinstance(found, Sink) else self.resolve(found)

    def _register(self, name: str) -> Register | None:
        found = self._operand(name)
        return found if isinstance(found, Register) else None

    def _needed(self, name: str) -> Operand:
        found = self._operand(name)
        assert found is not None, f"{self.inst.opcode} has no operand {name}"
        return found

    def _values(self, *but: str) -> tuple[Operand, ...]:
        """The operands that are read, but for addresses and these."""
        touched = {t.operand for t in self.action.touches}
        return tuple(
            self.resolve(found)
            for name, found in self.inst.operands.items()
            if name not in touched and name not in but and "r" in self.inst.form.operands[name].role
        )

    def _order(self, touch: Touch) -> dict[str, Any]:
        order, scope = _RELAXED.get(touch.order, (touch.order, touch.scope))
        return {"order": order, "scope": scope, "proxy": touch.proxy}

    def _access(self) -> Step:
        if self.action.joins:
            return self._publish()
        (touch,) = self.action.touches
        address = self._needed(touch.operand)
        extent = touch.extent if self.inst.mod("type") is not None else None
        nbytes = extent.bytes if isinstance(extent, Run) else None
        said: dict[str, Any] = {**self.said, **self._order(touch), "bytes": nbytes or 0}
        written = [n for n in self.inst.operands if "w" in self.inst.form.operands[n].role]
        register = self._register(written[0]) if written else None
        effect = self.action.effect
        assert isinstance(effect, Access)
        if effect.kind == "load":
            return Load(register=register, address=address, **said)
        if touch.reads and touch.writes and touch.update is not None:
            return Update(register=register, address=address, update=touch.update, values=self._values(), **said)
        (value,) = (self._needed("value"),) if "value" in self.inst.operands else self._values()[:1] or (0,)
        return Store(address=address, value=value, **said)

    def _opaque(self, effect: Opaque) -> Step:
        """An access to a texture or a surface: of what it moves, the first element."""
        address, proxy = self._needed("a"), effect.proxy or "generic"
        said: dict[str, Any] = {**self.said, "address": address, "proxy": proxy}
        if effect.kind == "load":
            return Load(register=self._first("d"), **said)
        value = self._first("c")
        if value is None:
            value = self._needed("c")
        if effect.kind == "store":
            return Store(value=value, **said)
        return Update(register=None, update=word(effect.update, self.inst) or "", values=(value,), order="weak", **said)

    def _first(self, name: str) -> Register | None:
        """A register, or the first one of several."""
        found = self.inst.operands[name]
        first = self.resolve(found.items[0] if isinstance(found, Vec) else found)
        return first if isinstance(first, Register) else None

    def _publish(self) -> Step:
        """A copy with the releasing half of a proxy fence behind it."""
        target = next(t for t in self.action.touches if t.writes)
        source = next(t for t in self.action.touches if not t.writes)
        return Publish(
            source=self._needed(source.operand),
            target=self._needed(target.operand),
            scope=self.action.scope or "thread",
            joins=self.action.joins,
            **self.said,
        )

    def _fence(self) -> Step:
        a = self.action
        over = None if a.over is None else self._needed(a.over)
        return FenceStep(
            order=a.order or "acq_rel",
            scope=a.scope or "thread",
            joins=a.joins,
            space=a.space,
            only=a.only,
            over=over,
            **self.said,
        )

    def _barrier(self) -> Step:
        effect = self.action.effect
        assert isinstance(effect, Barrier)
        name, count = self._operand("id"), self._operand("threads")
        return BarrierStep(
            level=effect.scope,
            kind=effect.kind,
            name=() if name is None else (name,),
            count=count,
            order=self.action.order or "acq_rel",
            **self.said,
        )

    def _copy(self) -> Step:
        end = self.action.completion
        effect = self.action.effect
        assert end is not None
        assert isinstance(effect, AsyncCopy)
        multicast = None if effect.multicast is None else self._operand(effect.multicast)
        touches = [t for t in self.action.touches if t.update != "mbarrier"]
        maps = [t for t in touches if t.proxy == "tensormap"]
        plain = [t for t in touches if t not in maps]
        source = next((t for t in plain if t.reads and not t.writes), None)
        target = next((t for t in plain if t.writes), None)
        values = self._values(*([] if effect.multicast is None else [effect.multicast]))
        count = next((c for t in plain if isinstance(c := getattr(t.extent, "bytes", None), int)), _BOX)
        return Transfer(
            source=None if source is None else self._needed(source.operand),
            target=None if target is None else self._needed(target.operand),
            value=values[0] if values and source is None else 0,
            update=word(effect.update, self.inst),
            through=self._needed(maps[0].operand) if maps else None,
            stores=bool(maps) and target is None,
            order=self.action.order or "weak",
            scope=self.action.scope,
            proxy=effect.proxy,
            completion=end.mechanism,
            mbarrier=None if end.mbarrier is None else self._operand(end.mbarrier),
            bytes=count,
            multicast=multicast,
            **self.said,
        )

    def _mma(self, effect: AsyncMma) -> Step:
        """A matrix multiplication in the background: it reads what its descriptors and its registers name, and writes registers."""
        roles = {name: self.inst.form.operands[name].role for name in self.inst.operands}
        (target,) = (name for name, role in roles.items() if "w" in role)
        tiles = [t.operand for t in self.action.touches if t.reads]
        held = [n for n, o in self.inst.operands.items() if isinstance(o, Vec) and n != target and n not in tiles]
        source, *also = (self._needed(name) for name in (*held, *tiles))
        return Transfer(
            source=source,
            also=tuple(also),
            target=self._needed(target),
            proxy=effect.proxy,
            completion=effect.completion,
            inherits=False,
            **self.said,
        )

    def _group(self, effect: Group) -> Step:
        pending = self._operand("n")
        count = effect.pending(pending) if isinstance(pending, int) else 0
        kind = "wait_all" if effect.kind == "wait" and pending is None else effect.kind  # it needs no commit
        return GroupStep(kind=kind, group=effect.group, pending=count, reads_only=self.action.reads_only, **self.said)

    def _mbarrier(self, effect: Mbarrier) -> Step:
        (touch,) = self.action.touches[:1]
        kinds = {"test_wait": "wait", "try_wait": "wait", "arrive.expect_tx": "arrive", "cp.async.arrive": "arrive"}
        kind = kinds.get(effect.kind, "arrive" if effect.kind.startswith("arrive") else effect.kind)
        if effect.kind.startswith("arrive_drop"):
            kind = "arrive_drop"
        written = [n for n in self.inst.operands if "w" in self.inst.form.operands[n].role]
        bytes_ = self._operand("tx_count")
        count = self._operand("count") or 1
        if effect.after is not None and not self.inst.chosen("noinc"):
            count = 0  # it counts itself in before it arrives
        return MbarrierStep(
            kind=kind,
            address=self._needed(touch.operand),
            count=count,
            bytes=0 if bytes_ is None else bytes_,
            parity=self._operand("parity") or 0,
            register=self._register(written[0]) if written and kind == "wait" else None,
            order=self.action.order or "weak",
            scope=self.action.scope,
            after=None if effect.after is None else "cp.async-group",
            **self.said,
        )
