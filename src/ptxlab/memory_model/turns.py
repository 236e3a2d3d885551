"""Whether threads can take turns for ever, each of them writing: a fair cycle among the sequentially consistent states.

Every thread that has not ended takes a step on the cycle, or waits at a barrier: so no scheduler that lets all threads run can
help. Loops that change nothing are found so, too, as long as what they read is up to date; `hang` looks for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from ptxlab.memory_model.arithmetic import compare, compute, updated
from ptxlab.memory_model.liveness import live_registers
from ptxlab.memory_model.program import (
    BarrierStep,
    Branch,
    Compute,
    FenceStep,
    Load,
    MbarrierStep,
    Operand,
    Pointer,
    Program,
    Register,
    Step,
    Store,
    Transfer,
    Update,
    Value,
)

MOST_STATES: Final = 20_000
"""States beyond which the search is given up."""

_Thread: TypeAlias = tuple[int, tuple[tuple[str, Value], ...]]
_State: TypeAlias = tuple[tuple[_Thread, ...], tuple[tuple[str, Value], ...]]


def endless(program: Program) -> list[int] | None:
    """The threads that never end on a fair cycle; an empty list: there is none; None: there are too many states, or the program
    has asynchronous operations, which are not looked at here."""
    plain = Load | Store | Update | FenceStep | Compute | Branch | BarrierStep
    loops = [
        (t, t.steps[s.target : i + 1])
        for t in program.threads
        for i, s in enumerate(t.steps)
        if isinstance(s, Branch) and s.target <= i
    ]
    if not any(
        isinstance(s, Store | Update | Transfer | MbarrierStep) and not _waits(s) for _, loop in loops for s in loop
    ):
        return []
    if not all(isinstance(s, plain) for t in program.threads for s in t.steps):
        return None
    return _Machine(program).search()


def _waits(step: Step) -> bool:
    """Whether it is a wait of an mbarrier, which changes nothing."""
    return isinstance(step, MbarrierStep) and step.kind == "wait"


class _Machine:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.code = [t.steps for t in program.threads]
        self.live = [live_registers(s, frozenset()) for s in self.code]

    def first(self) -> _State:
        threads = tuple(self._kept(i, 0, dict(t.registers)) for i, t in enumerate(self.program.threads))
        memory = {
            v.location: v.init if v.init is not None else 0
            for v in self.program.variables.values()
            if v.location == v.name
        }
        return threads, tuple(sorted(memory.items()))

    def _kept(self, index: int, at: int, registers: dict[str, Value]) -> _Thread:
        live = self.live[index][at]
        return at, tuple(sorted((k, v) for k, v in registers.items() if k in live))

    def search(self) -> list[int] | None:
        start = self.first()
        numbers: dict[_State, int] = {start: 0}
        states = [start]
        arrows: list[list[tuple[int, int]]] = []
        while len(arrows) < len(states):
            here: list[tuple[int, int]] = []
            for index, after in self._moves(states[len(arrows)]):
                if after not in numbers:
                    numbers[after] = len(states)
                    states.append(after)
                here.append((index, numbers[after]))
            arrows.append(here)
            if len(states) > MOST_STATES:
                return None
        for component in _components(arrows):
            found = self._fair(component, states, arrows)
            if found:
                return found
        return []

    def _fair(self, component: set[int], states: list[_State], arrows: list[list[tuple[int, int]]]) -> list[int]:
        """The threads that take turns for ever in a component, if it is fair to all."""
        moving = {i for s in component for i, t in arrows[s] if t in component}
        if not moving:
            return []
        for index in range(len(self.code)):
            if index in moving:
                continue
            if any(index in {i for i, _ in arrows[s]} for s in component):
                return []
        del states
        return sorted(moving)

    def _moves(self, state: _State) -> Iterator[tuple[int, _State]]:
        threads, memory = state
        for index, (at, registers) in enumerate(threads):
            if at >= len(self.code[index]):
                continue
            step = self.code[index][at]
            if isinstance(step, BarrierStep):
                yield from self._barrier(state, index, step)
                continue
            after, now, stored = self._done(index, step, at, dict(registers), dict(memory))
            thread = self._kept(index, after, now)
            yield index, ((*threads[:index], thread, *threads[index + 1 :]), tuple(sorted(stored.items())))

    def _barrier(self, state: _State, index: int, step: BarrierStep) -> Iterator[tuple[int, _State]]:
        """A barrier is passed by all together: the last to arrive takes the others with it. Arrivals alone are passed at once."""
        threads, memory = state
        if step.kind == "arrive":
            at, registers = threads[index]
            yield index, ((*threads[:index], self._kept(index, at + 1, dict(registers)), *threads[index + 1 :]), memory)
            return
        key = self._key(index, threads[index], step)
        there = [i for i, t in enumerate(threads) if self._at(i, t) == key]
        count = None if step.count is None else self._value(step.count, dict(threads[index][1]))
        if count is None:
            count = sum(any(self._names(i, s, key) for s in code) for i, code in enumerate(self.code))
        if not isinstance(count, int) or len(there) < count or index not in there[:count]:
            return
        passed = list(threads)
        for i in there[:count]:
            at, registers = threads[i]
            passed[i] = self._kept(i, at + 1, dict(registers))
        yield index, (tuple(passed), memory)

    def _key(self, index: int, thread: _Thread, step: BarrierStep) -> tuple[object, ...]:
        place = self.program.threads[index].place
        home = place.own_cta if step.level == "cta" else place.own_cluster
        return (step.level, home, *(self._value(n, dict(thread[1])) for n in step.name))

    def _at(self, index: int, thread: _Thread) -> tuple[object, ...] | None:
        code = self.code[index]
        step = code[thread[0]] if thread[0] < len(code) else None
        return self._key(index, thread, step) if isinstance(step, BarrierStep) and step.kind != "arrive" else None

    def _names(self, index: int, step: Step, key: tuple[object, ...]) -> bool:
        """Whether a thread's step may be at this barrier: registers may hold any number."""
        if not isinstance(step, BarrierStep):
            return False
        mine = self._key(index, (0, ()), step)
        known = [isinstance(n, Register) or a == b for n, a, b in zip(step.name, mine[2:], key[2:], strict=False)]
        return mine[:2] == key[:2] and all(known)

    def _done(
        self, index: int, step: Step, at: int, registers: dict[str, Value], memory: dict[str, Value]
    ) -> tuple[int, dict[str, Value], dict[str, Value]]:
        after = at + 1
        match step:
            case Load():
                if step.register is not None:
                    registers[step.register.name] = memory[self._place(step.address, registers)]
            case Store():
                memory[self._place(step.address, registers)] = self._value(step.value, registers)
            case Update():
                place = self._place(step.address, registers)
                old = memory[place]
                new = updated(step.update, old, [self._value(v, registers) for v in step.values], step)
                memory[place] = old if new is None else new
                if step.register is not None:
                    registers[step.register.name] = old
            case Compute():
                registers[step.register.name] = compute(step.op, [self._value(v, registers) for v in step.values], step)
            case Branch():
                a, b = self._value(step.a, registers), self._value(step.b, registers)
                if step.op is None or compare(step.op, a, b, step):
                    after = step.target
            case _:
                pass
        del index
        return after, registers, memory

    def _value(self, operand: Operand, registers: dict[str, Value]) -> Value:
        return registers.get(operand.name, 0) if isinstance(operand, Register) else operand

    def _place(self, operand: Operand, registers: dict[str, Value]) -> str:
        found = self._value(operand, registers)
        return self.program.variables[found.name].location if isinstance(found, Pointer) else str(found)


def _components(arrows: list[list[tuple[int, int]]]) -> Iterator[set[int]]:
    """The strongly connected components of a graph (Tarjan's algorithm, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on: set[int] = set()
    stack: list[int] = []
    for root in range(len(arrows)):
        if root in index:
            continue
        work = [(root, 0)]
        while work:
            node, turn = work.pop()
            if turn == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
                on.add(node)
            following = arrows[node]
            if turn and following[turn - 1][1] in on:
                low[node] = min(low[node], low[following[turn - 1][1]])
            while turn < len(following) and following[turn][1] in index:
                target = following[turn][1]
                if target in on:
                    low[node] = min(low[node], index[target])
                turn += 1
            if turn < len(following):
                work += [(node, turn + 1), (following[turn][1], 0)]
                continue
            if low[node] == index[node]:
                found: set[int] = set()
                while True:
                    member = stack.pop()
                    on.discard(member)
                    found.add(member)
                    if member == node:
                        break
                yield found
