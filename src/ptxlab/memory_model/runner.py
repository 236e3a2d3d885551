"""What one thread can do by itself: all ways through its steps.

What a read gets is left open, and a thread is run once for each way that branches can go (`terms`). Where a step needs to know a
value, such as an address, it is run once for each value that some thread may write there, and so it is for all reads where the
slow decider asks. Those values are found by repeating until no new ones appear.

A loop whose turns read and change nothing that is used later is not turned again: such a turn
is the thread's end where the test asks whether it can hang, and teaches nothing otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import COMPLETIONS
from ptxlab.isa.order import ACQUIRING, RELEASING
from ptxlab.memory_model.events import Event
from ptxlab.memory_model.liveness import live_registers
from ptxlab.memory_model.loops import Loops
from ptxlab.memory_model.noted import Noted, mixed
from ptxlab.memory_model.program import (
    BarrierStep,
    Branch,
    Compute,
    FenceStep,
    GridStep,
    GroupStep,
    Load,
    MbarrierStep,
    Operand,
    Place,
    Pointer,
    Program,
    Publish,
    Register,
    Step,
    Store,
    Thread,
    Transfer,
    Update,
    Value,
    Variable,
    in_cta,
    registers_of,
)
from ptxlab.memory_model.terms import Seen, Term, Test, changed, computed, possible, reads_of
from ptxlab.memory_model.trace import Arrival, Trace

Domain = Mapping[str, frozenset[Value]]
"""What reads of each location may get."""


@dataclass(slots=True)
class _State:
    """A trace under way."""

    trace: Trace
    at: int = 0
    control: int = 0
    loops: Loops = field(default_factory=Loops)
    seen: dict[object, int] = field(default_factory=dict[object, int])
    open: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    groups: dict[str, list[list[int]]] = field(default_factory=dict[str, list[list[int]]])
    fenced: int = 0

    def copy(self) -> _State:
        return _State(
            trace=self.trace.copy(),
            at=self.at,
            control=self.control,
            loops=self.loops.copy(),
            seen=dict(self.seen),
            open={k: list(v) for k, v in self.open.items()},
            groups={k: [list(g) for g in v] for k, v in self.groups.items()},
            fenced=self.fenced,
        )


@dataclass(frozen=True, slots=True)
class _Reads:
    """What an operation has read: where from and where to, the values so far, and the events on which the rest depends."""

    source: Operand | None
    target: Operand | None
    values: list[Term]
    depends: int = 0


@dataclass(frozen=True, slots=True)
class _Written:
    """What an operation writes: the sum of its values, or `old`, which it finds there, changed by it."""

    target: Operand
    values: tuple[Term, ...]
    depends: int
    old: Value | None


class Asked(Exception):
    """A thread cannot be run on without the values that a read may get."""


class Runner:
    """Runs one thread.

    domain: what reads may get; None: nobody has asked yet. most: turns of counted loops, at most. noted: gets what is to be known
    of all threads. pinned: each read has one of the values of its domain.
    """

    def __init__(
        self,
        program: Program,
        index: int,
        domain: Domain | None,
        most: int,
        noted: Noted,
        *,
        hanging: bool,
        pinned: bool,
    ) -> None:
        self.program, self.index, self.domain, self.hanging = program, index, domain, hanging
        self.most, self.noted, self.pinned = most, noted, pinned
        self.thread: Thread = program.threads[index]
        self.place: Place = self.thread.place
        self.live = live_registers(self.thread.steps, _asked(program, self.thread))
        self.heads = {s.target for i, s in enumerate(self.thread.steps) if isinstance(s, Branch) and s.target <= i}

    def traces(self) -> Iterator[Trace]:
        start = _State(
            Trace(registers={k: (v, 0) for k, v in self.thread.registers.items()}, agents=[self.thread.name])
        )
        stack = [start]
        while stack:
            state = stack.pop()
            while True:
                if state.at >= len(self.thread.steps):
                    self._end(state)
                    yield state.trace
                    break
                needed = self._needed(state, self.thread.steps[state.at])
                if needed is not None:
                    stack += self._pins(state, needed)
                    break
                if state.at in self.heads and not self._enter(state):
                    if self.hanging or state.trace.end == "cut":
                        yield state.trace
                    break
                others = self._step(state, self.thread.steps[state.at])
                stack += others
                if state.trace.end != "done":
                    if self.hanging:
                        yield state.trace
                    break

    def _end(self, state: _State) -> None:
        """The end of a thread, where threads of a later grid can wait for it."""
        if state.trace.end != "done" or not any(t.place.grid > self.place.grid for t in self.program.threads):
            return
        state.trace.events.append(
            Event(
                kind="barrier", agent=0, thread=self.index, place=self.place, order="release", scope="gpu", text="exit"
            )
        )
        state.trace.depends.append(0)
        state.trace.arrivals.append(Arrival(len(state.trace.events) - 1, ("grid",), "end"))

    def _enter(self, state: _State) -> bool:
        """Come to the head of a loop: whether another turn says anything new."""
        registers = state.trace.registers
        live = tuple((r, registers[r][0]) for r in sorted(self.live[state.at]) if r in registers)
        quiet = sum(e.kind not in ("read", "poll") for e in state.trace.events)
        key = (state.at, live, quiet)
        if key in state.seen:
            begun = state.seen[key]
            state.trace.end, state.trace.loop = "spins", state.at
            state.trace.spun = tuple(range(begun, len(state.trace.events)))
            return False
        state.seen[key] = len(state.trace.events)
        if not state.loops.enter(state.at, state.control, self.most):
            state.trace.end, state.trace.loop, state.trace.turned = "cut", state.at, state.loops.turned(state.at)
            return False
        key = self.index, state.at
        self.noted.counted[key] = max(self.noted.counted.get(key, 0), state.loops.counted.get(state.at, 0))
        return True

    # --- values that have to be known --------------------------------------------------------------------------------

    def _needed(self, state: _State, step: Step) -> int | None:
        """A read whose value a step needs: for an address, a name or a number, and for where a loop stands."""
        names = set(self.live[state.at]) if state.at in self.heads else set[str]()
        if not isinstance(step, Branch) and (not isinstance(step, Compute) or step.op == "mapa"):
            names |= set(
                registers_of(step, written=False, but=("value", *(("values",) if isinstance(step, Update) else ())))
            )
        for name in sorted(names):
            term, _ = state.trace.registers.get(name, (0, 0))
            for read in reads_of(term):
                return read
        return None

    def _pins(self, state: _State, read: int) -> Iterator[_State]:
        """The state for each value that a read may have got."""
        for value in sorted(self._domain(state.trace.events[read].location), key=str):
            one = state.copy()
            if one.trace.pin(read, value):
                yield one

    def _domain(self, location: str | None) -> frozenset[Value]:
        if self.domain is None:
            raise Asked
        return self.domain[location or ""]

    # --- single steps ------------------------------------------------------------------------------------------------

    def _step(self, state: _State, step: Step) -> list[_State]:
        """Take a step in `state`; the other ways that it could go."""
        state.at += 1
        match step:
            case Load():
                return self._load(state, step)
            case Store():
                self._store(state, step)
            case Update():
                return self._update(state, step)
            case FenceStep():
                self._fence(state, step)
            case BarrierStep():
                return self._barrier(state, step)
            case Compute():
                self._compute(state, step)
            case Branch():
                return self._branch(state, step)
            case Transfer():
                return self._transfer(state, step) if step.multicast is None else self._multicast(state, step)
            case Publish():
                return self._publish(state, step)
            case GridStep():
                self._grid(state, step)
            case GroupStep():
                self._group(state, step)
            case MbarrierStep():
                return self._mbarrier(state, step)
            case _:
                raise AssertionError(step)
        return []

    def _event(self, state: _State, step: Step, kind: str, depends: int = 0, agent: int = 0, **said: Any) -> int:
        value: Term | None = said.pop("value", None)
        known = value if isinstance(value, int | Pointer) else None
        if value is not None and known is None:
            state.trace.terms[len(state.trace.events)] = value
        event = Event(
            kind=kind,
            agent=agent,
            thread=self.index,
            place=self.place,
            site=state.at - 1,
            text=step.text,
            span=step.span,
            value=known,
            **said,
        )
        state.trace.events.append(event)
        state.trace.depends.append(depends | state.control)
        return len(state.trace.events) - 1

    def _value(self, state: _State, operand: Operand) -> tuple[Term, int]:
        if isinstance(operand, Register):
            return state.trace.registers.get(operand.name, (0, 0))
        return operand, 0

    def _number(self, state: _State, operand: Operand, step: Step) -> tuple[int, int]:
        value, taint = self._value(state, operand)
        if not isinstance(value, int):
            raise _wrong(step, f"`{step.text}` needs a number and gets the address of {value}.")
        return value, taint

    def _variable(self, state: _State, operand: Operand, step: Step) -> tuple[Variable, int]:
        value, taint = self._value(state, operand)
        found = self.program.variables.get(value.name) if isinstance(value, Pointer) else None
        if found is None:
            raise _wrong(step, f"`{step.text}` accesses {value}, which is no variable of the test.")
        return found, taint

    def _accessed(self, state: _State, step: Load | Store | Update) -> tuple[Variable, int]:
        """What an access is to. Accesses of different sizes to one place are nothing that the model follows here."""
        at, taint = self._variable(state, step.address, step)
        if step.bytes:
            size, before = self.noted.sizes.setdefault(at.location, (step.bytes, step))
            if size != step.bytes:
                raise mixed(step, before)
        return at, taint

    def _load(self, state: _State, step: Load) -> list[_State]:
        at, taint = self._accessed(state, step)
        others: list[_State] = []
        for value, one in self._each(state, at, others):
            said: dict[str, Any] = {"order": step.order, "scope": step.scope, **_where(at, step.proxy)}
            read = self._event(one, step, "read", taint, value=value, **said)
            if step.register is not None:
                one.trace.registers[step.register.name] = (_got(value, read), 1 << read)
        return others

    def _may_get(self, at: Variable) -> list[Value | None]:
        """What a read may get; None alone where that is left open."""
        return [*sorted(self._domain(at.location), key=str)] if self.pinned else [None]

    def _each(self, state: _State, at: Variable, others: list[_State]) -> Iterator[tuple[Value | None, _State]]:
        """The state for the first value that a read may get, and a copy, put among `others`, for each other."""
        first, *more = self._may_get(at)
        copies = [(v, state.copy()) for v in more]
        yield first, state
        for value, copied in copies:
            others.append(copied)
            yield value, copied

    def _store(self, state: _State, step: Store) -> None:
        at, taint = self._accessed(state, step)
        value, data = self._value(state, step.value)
        said: dict[str, Any] = {"order": step.order, "scope": step.scope, **_where(at, step.proxy)}
        self._event(state, step, "write", taint | data, value=value, **said)

    def _update(self, state: _State, step: Update) -> list[_State]:
        at, taint = self._accessed(state, step)
        others: list[_State] = []
        given = [self._value(state, v) for v in step.values]
        for value, one in self._each(state, at, others):
            others += self._updated(one, step, at, taint, value, given)
        return others

    def _updated(
        self,
        state: _State,
        step: Update,
        at: Variable,
        taint: int,
        value: Value | None,
        given: list[tuple[Term, int]],
    ) -> list[_State]:
        """Read and write; where it is not known whether cas writes, the other way, too."""
        read_order, write_order = halves(step.order)
        said: dict[str, Any] = {"scope": step.scope, **_where(at, step.proxy)}
        reduction = step.register is None
        read = self._event(state, step, "read", taint, value=value, order=read_order, reduction=reduction, **said)
        old, values = _got(value, read), [v for v, _ in given]
        if step.register is not None:
            state.trace.registers[step.register.name] = (old, 1 << read)
        others: list[_State] = []
        if step.update == "cas":
            equal, others = self._test(state, Test("eq", old, values[0], step, holds=True))
            if not equal:
                return others
        new = values[1] if step.update == "cas" else changed(step.update, old, values, step)
        depends = taint | 1 << read
        for _, data in given:
            depends |= data
        write = self._event(state, step, "write", depends, value=new, order=write_order, **said)
        state.trace.rmw.append((read, write))
        return others

    def _test(self, state: _State, test: Test) -> tuple[bool, list[_State]]:
        """Whether something holds. Where that is not known it does, and in a copy of the state it does not."""
        passed = test.passed({})
        if passed is not None:
            return passed, []
        one, other = (replace(test, holds=holds).simplified() for holds in (True, False))
        before = state.trace.tests
        if not possible([*before, other]):
            return True, []
        if not possible([*before, one]):
            return False, []
        failed = state.copy()
        for way, asked in ((state, one), (failed, other)):
            way.trace.tests.append(asked)
            equal = asked.equals()
            if equal is not None:
                way.trace.pin(*equal)
        return True, [failed]

    def _fence(self, state: _State, step: FenceStep) -> None:
        over = None if step.over is None else self._variable(state, step.over, step)[0].location
        said: dict[str, Any] = {"order": step.order, "scope": step.scope, "joins": step.joins}
        self._event(state, step, "fence", over=over, about=step.space, only=step.only, **said)

    def _barrier(self, state: _State, step: BarrierStep) -> list[_State]:
        home = self.place.own_cta if step.level == "cta" else self.place.own_cluster
        named = [self._number(state, n, step) for n in step.name]
        count = None if step.count is None else self._number(state, step.count, step)[0]
        taint = 0
        for _, more in named:
            taint |= more
        at = self._event(state, step, "barrier", taint, order=step.order, scope=step.level)
        key = (step.level, home, *(n for n, _ in named))
        state.trace.arrivals.append(Arrival(at, key, step.kind, count, orders=step.order != "relaxed"))
        return self._or_waits(state) if step.kind != "arrive" else []

    def _or_waits(self, state: _State) -> list[_State]:
        """The same, but the thread waits there for ever."""
        if not self.hanging:
            return []
        stuck = state.copy()
        stuck.trace.end = "waits"
        stuck.at = len(self.thread.steps)
        return [stuck]

    def _compute(self, state: _State, step: Compute) -> None:
        found = [self._value(state, v) for v in step.values]
        taint = 0
        for _, more in found:
            taint |= more
        values = [v for v, _ in found]
        made = self._mapped(step, *values) if step.op == "mapa" else computed(step.op, values, step)
        state.trace.registers[step.register.name] = (made, taint)

    def _mapped(self, step: Step, address: Term, rank: Term) -> Pointer:
        """The same shared variable in the CTA of that rank."""
        ctas = self.program.ctas(self.place)
        if not isinstance(address, Pointer) or not isinstance(rank, int) or not 0 <= rank < len(ctas):
            raise _wrong(step, f"`{step.text}` needs shared memory and the rank of one of {len(ctas)} CTAs.")
        return Pointer(in_cta(address.name, ctas[rank]))

    def _branch(self, state: _State, step: Branch) -> list[_State]:
        others: list[_State] = []
        if step.op is not None:
            a, b = self._value(state, step.a), self._value(state, step.b)
            state.control |= a[1] | b[1]
            state.loops.branch(a[1] | b[1])
            taken, others = self._test(state, Test(step.op, a[0], b[0], step, holds=True))
            if not taken:
                return others
        if step.target < state.at:
            state.loops.back(step.target, state.control)
        state.at = step.target
        return others

    # --- asynchronous operations -------------------------------------------------------------------------------------

    def _transfer(self, state: _State, step: Transfer) -> list[_State]:
        """Issue an operation: one way for each of the values that its reads could get."""
        others: list[_State] = []
        mine = state.copy()
        for one, made in self._read_all(mine, step, len(state.trace.agents)):
            one.trace.agents.append(f"{self.thread.name}.{len(one.trace.agents)}")
            for picked, old in self._picked(one, step, made):
                self._issued(picked, step, made, old, len(state.trace.events))
                others.append(picked)
        first, *rest = others
        state.trace, state.open, state.groups = first.trace, first.open, first.groups
        return rest

    def _picked(self, state: _State, step: Transfer, reads: _Reads) -> Iterator[tuple[_State, Value | None]]:
        """One way for each value that a reduction may find at its target; one alone for what just writes, or leaves that open."""
        if step.update is None or reads.target is None:
            yield state, None
            return
        at, _ = self._variable(state, reads.target, step)
        for value in self._may_get(at):
            yield state.copy(), value

    def _read_all(self, state: _State, step: Transfer, agent: int) -> Iterator[tuple[_State, _Reads]]:
        """The operation's reads: a tensor map, which says where the tensor is, then the source and the other operands."""
        source, target = step.source, step.target
        if step.through is None:
            yield from self._read_each(state, step, agent, _Reads(source, target, []))
            return
        at, taint = self._variable(state, step.through, step)
        for value in sorted(self._domain(at.location), key=str):
            one = state.copy()
            said = _where(at, "tensormap")
            read = self._event(one, step, "read", taint, agent, value=value, **said)
            tensor = value if isinstance(value, Pointer) else None
            if tensor is None:
                raise _wrong(step, f"`{step.text}`: {at.name} holds {value}, which is no tensor.")
            found = _Reads(source if step.stores else tensor, tensor if step.stores else target, [], 1 << read)
            yield from self._read_each(one, step, agent, found)

    def _read_each(self, state: _State, step: Transfer, agent: int, reads: _Reads) -> Iterator[tuple[_State, _Reads]]:
        operands = [o for o in (reads.source, *step.also) if o is not None]
        if len(reads.values) == len(operands):
            yield state, reads
            return
        at, taint = self._variable(state, operands[len(reads.values)], step)
        for value in self._may_get(at):
            one = state.copy()
            depends = taint | reads.depends
            read = self._event(one, step, "read", depends, agent, value=value, **_where(at, step.proxy))
            more = _Reads(reads.source, reads.target, [*reads.values, _got(value, read)], reads.depends | 1 << read)
            yield from self._read_each(one, step, agent, more)

    def _issued(self, state: _State, step: Transfer, reads: _Reads, old: Value | None, begun: int) -> None:
        """The operation's write, what it inherits, and its end."""
        trace = state.trace
        agent = len(trace.agents) - 1
        before = [i for i, e in enumerate(trace.events[:begun]) if e.agent == 0 and (step.inherits or i < state.fenced)]
        if reads.target is not None:
            data = reads.depends
            values = reads.values
            if not values:
                value, more = self._value(state, step.value)
                values, data = [value], data | more
            self._write(state, step, _Written(reads.target, tuple(values), data, old), agent)
        made = list(range(begun, len(trace.events)))
        trace.issue += [(i, j) for i in before for j in made]
        end = self._completes(state, step, made, agent)
        if end is not None:
            trace.issue += [(i, end) for i in before]

    def _multicast(self, state: _State, step: Transfer) -> list[_State]:
        """A copy to several CTAs: an operation for each, which completes on the mbarrier there and tells of nothing else."""
        assert step.multicast is not None
        assert step.target is not None
        assert step.mbarrier is not None
        mask, _ = self._number(state, step.multicast, step)
        target, mbarrier = (self._variable(state, o, step)[0].name for o in (step.target, step.mbarrier))
        ctas = self.program.ctas(self.place)
        if not 0 < mask < 1 << len(ctas):
            raise _wrong(step, f"`{step.text}` writes to CTAs that have no thread in this test, or to none.")
        states = [state]
        for cta in (c for rank, c in enumerate(ctas) if mask >> rank & 1):
            one = replace(
                step, target=Pointer(in_cta(target, cta)), mbarrier=Pointer(in_cta(mbarrier, cta)), multicast=None
            )
            states += [other for s in list(states) for other in self._transfer(s, one)]
        return states[1:]

    def _write(self, state: _State, step: Transfer, what: _Written, agent: int) -> None:
        at, more = self._variable(state, what.target, step)
        said: dict[str, Any] = {"scope": step.scope, **_where(at, step.proxy)}
        depends = what.depends | more
        value = what.values[0]
        for other in what.values[1:]:
            value = computed("add", [value, other], step)
        if step.update is None:
            self._event(state, step, "write", depends, agent, value=value, order=step.order, **said)
            return
        read_order, write_order = halves(step.order)
        read = self._event(
            state, step, "read", depends, agent, value=what.old, order=read_order, reduction=True, **said
        )
        new = changed(step.update, _got(what.old, read), [value], step)
        write = self._event(state, step, "write", depends | 1 << read, agent, value=new, order=write_order, **said)
        state.trace.rmw.append((read, write))

    def _publish(self, state: _State, step: Publish) -> list[_State]:
        source, taint = self._variable(state, step.source, step)
        target, more = self._variable(state, step.target, step)
        others: list[_State] = []
        for value, one in self._each(state, source, others):
            read = self._event(one, step, "read", taint, value=value, **_where(source, "generic"))
            got = _got(value, read)
            self._event(one, step, "write", more | 1 << read, value=got, **_where(target, "generic"))
            self._event(one, step, "fence", order="release", scope=step.scope, joins=step.joins)
        return others

    def _grid(self, state: _State, step: GridStep) -> None:
        """griddepcontrol.wait: the end of all threads of the grids before."""
        if step.kind == "wait":
            at = self._event(state, step, "barrier", order="acquire", scope="gpu")
            state.trace.arrivals.append(Arrival(at, ("grid",), "wait"))

    def _completes(self, state: _State, step: Transfer, made: list[int], agent: int) -> int | None:
        """The end of an operation: an implicit proxy fence, and a place in a group, or an arrival, which is returned."""
        completion = COMPLETIONS[step.completion]
        if completion.fence is not None:
            joins = (completion.fence,)
            made.append(self._event(state, step, "fence", 0, agent, order="acq_rel", scope="thread", joins=joins))
        if step.completion == "mbarrier":
            assert step.mbarrier is not None
            at, _ = self._variable(state, step.mbarrier, step)
            said: dict[str, Any] = {"order": completion.order, "scope": completion.scope, **_where(at, step.proxy)}
            end = self._event(state, step, "barrier", 0, agent, **said)
            state.trace.arrivals.append(Arrival(end, ("mbarrier", at.location), "complete", bytes=step.bytes))
            return end
        if step.completion != "none":
            state.open.setdefault(step.completion, []).extend(made)
        return None

    def _group(self, state: _State, step: GroupStep) -> None:
        groups = state.groups.setdefault(step.group, [])
        if step.kind == "fence":
            state.fenced = len(state.trace.events)
            return
        if step.kind in ("commit", "wait_all"):
            groups.append(state.open.pop(step.group, []))
            if step.kind == "commit":
                return
        # a source that has been read may be written through any proxy: nothing of the read is left to be made visible
        joins = (("async", "generic"),) if step.reads_only else ()
        at = self._event(state, step, "wait", joins=joins)
        over = groups[: max(0, len(groups) - step.pending)]
        updated = {
            read for read, _ in state.trace.rmw
        }  # what a reduction finds at its destination is none of its source
        for event in (i for group in over for i in group):
            if not step.reads_only or (state.trace.events[event].kind == "read" and event not in updated):
                state.trace.done.append((event, at))

    def _mbarrier(self, state: _State, step: MbarrierStep) -> list[_State]:
        at, taint = self._variable(state, step.address, step)
        key = ("mbarrier", at.location)
        if step.kind == "wait":
            return self._mbarrier_wait(state, step, at, taint)
        agent = 0
        if step.after is not None:
            agent = len(state.trace.agents)
            state.trace.agents.append(f"{self.thread.name}.{agent}")
        said: dict[str, Any] = {"order": step.order, "scope": step.scope, **_where(at, "generic")}
        if step.kind in ("init", "inval"):
            here = self._event(state, step, "write", taint, only=f"mbarrier.{step.kind}", **said)
        else:
            here = self._event(state, step, "barrier", taint, agent, **said)
        if step.after is not None:
            pending = [i for group in state.groups.get(step.after, []) for i in group]
            pending += state.open.get(step.after, [])
            state.trace.done += [(i, here) for i in pending]
        count, bytes_ = self._number(state, step.count, step)[0], self._number(state, step.bytes, step)[0]
        role = {"init": "init", "expect_tx": "expect", "complete_tx": "complete", "inval": "inval"}.get(
            step.kind, "arrive"
        )
        state.trace.arrivals.append(
            Arrival(
                here,
                key,
                role,
                count,
                bytes_,
                drops=count if step.kind == "arrive_drop" else 0,
                orders=step.order not in ("weak", "relaxed"),
            )
        )
        return []

    def _mbarrier_wait(self, state: _State, step: MbarrierStep, at: Variable, taint: int) -> list[_State]:
        """A test of a phase: it is over, or, where the thread asks, it is not yet."""
        parity = self._number(state, step.parity, step)[0] & 1
        failed = state.copy() if step.register is not None else None
        said: dict[str, Any] = {"order": step.order, "scope": step.scope, **_where(at, "generic")}
        here = self._event(state, step, "barrier", taint, **said)
        key = ("mbarrier", at.location)
        orders = step.order not in ("weak", "relaxed")
        state.trace.arrivals.append(Arrival(here, key, "wait", parity=parity, orders=orders))
        if step.register is not None:
            state.trace.registers[step.register.name] = (1, 0)
        if failed is None:
            return self._or_waits(state)
        assert step.register is not None
        polled = self._event(failed, step, "poll", taint)
        failed.trace.arrivals.append(Arrival(polled, key, "poll", parity=parity))
        failed.trace.registers[step.register.name] = (0, 0)
        return [failed]


def _got(value: Value | None, read: int) -> Term:
    """What a read got: a value, or whatever it may be."""
    return Seen(read) if value is None else value


def _where(at: Variable, proxy: str) -> dict[str, Any]:
    """What an access through a name is an access to."""
    return {
        "location": at.location,
        "address": at.address,
        "proxy": at.proxy or proxy,
        "space": at.space,
        "owner": at.owner,
    }


def halves(order: str) -> tuple[str, str]:
    """The orders of the read and of the write of an atomic operation."""
    return "acquire" if order in ACQUIRING else "relaxed", "release" if order in RELEASING else "relaxed"


def _asked(program: Program, thread: Thread) -> frozenset[str]:
    """The registers of a thread that matter at its end."""
    conditions = [c for c in (program.condition, program.filter) if c is not None]
    named = {n for c in conditions for n in c.names()} | set(program.shown)
    return frozenset(register for owner, register in named if owner == thread.name)


def _wrong(step: Step, message: str) -> Diagnostic:
    return Diagnostic("PTX0602", message, help="write it with variables and numbers that are known", span=step.span)
