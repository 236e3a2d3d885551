"""Who knows what an instruction means: compiled meanings by row key, meanings in Python by row key, units."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias, TypeVar

from ptxlab.isa.operands import Operand


class Done:
    """The instruction is finished; the warp goes on with the next one."""

    def __repr__(self) -> str:
        return "DONE"


DONE = Done()


class Instead(Done):
    """What stands in front of an instruction has done its work, too: the warp goes on behind it."""

    def __repr__(self) -> str:
        return "INSTEAD"


INSTEAD = Instead()


@dataclass(frozen=True, slots=True)
class Blocked:
    """The lanes wait. `on`: any hashable key, handed to `machine.wake` by whoever ends the wait.

    `why`: one line for the report of a deadlock, e.g. "waits on mbarrier at shared + 0x40, phase 1".
    """

    on: Hashable
    why: str = ""


Outcome: TypeAlias = Done | Blocked
TrapMeaning: TypeAlias = Callable[[Any, Any], Outcome]
"""Takes a `TrapContext` (engine/machine/trap.py) and the instruction."""
T = TypeVar("T", bound=TrapMeaning)
Meaning: TypeAlias = Callable[..., Any]

TRAPS: dict[str, TrapMeaning] = {}
QUESTIONS: set[str] = set()
"""Of these, the rows that ask whether something is over."""
MEANINGS: dict[str, Meaning] = {}
HALFWAY: set[str] = set()
"""Rows whose compiled meaning turns to the one in Python where something is out of the ordinary."""
ALONE: set[str] = set()
"""Of those, the rows that find their way without Python as a rule: CTAs with no others run one after the other in native code."""
MEETS: set[str] = set()
"""Rows whose compiled meaning brings the lanes of a warp together by itself."""
ASKS: dict[str, tuple[str, ...]] = {}
"""Of rows whose compiled meaning looks at some operands alone, and at no modifier: which."""
SYSTEM_CALLS: dict[str, TrapMeaning] = {}
"""What the system's own functions do, by name: a kernel calls them, and no file defines them."""
_canonical: dict[str, str] = {}
_modules: dict[str, str] = {}


def trap(*keys: str, question: bool = False) -> Callable[[T], T]:
    """Register the function as the meaning of the rows with these keys, run in Python.

    question: they ask whether something is over, and go on either way. Who often asks lets others run.
    """

    def register(fn: T) -> T:
        QUESTIONS.update(keys if question else ())
        for key in keys:
            assert key not in TRAPS, f"two meanings for {key}"
            TRAPS[key] = fn
        return fn

    return register


def system_call(name: str) -> Callable[[T], T]:
    """Register the function as what a call of the system's function of this name does, run in Python."""

    def register(fn: T) -> T:
        assert name not in SYSTEM_CALLS, f"two meanings for {name}"
        SYSTEM_CALLS[name] = fn
        return fn

    return register


def families_in(**modules: str) -> None:
    """Name the modules that register what families bring: `units`, with all meanings in Python, `order` and `diagnose`."""
    _modules.update(modules)


def load(part: str) -> None:
    """Register what families bring to a part of the simulator, where that has not happened yet."""
    import_module(_modules[part])


def load_units() -> None:
    """Register the asynchronous units and all meanings in Python."""
    load("units")


def load_for(keys: Iterable[str]) -> None:
    """Register whatever knows these rows. Units take as long to import as a small kernel takes for the rest: most need none."""
    if any(key in HALFWAY or key not in MEANINGS for key in keys):
        load_units()


def meaning(
    *keys: str,
    halfway: bool = False,
    alone: bool = False,
    asks: tuple[str, ...] | None = None,
    meets: bool = False,
) -> Callable[[Meaning], Meaning]:
    """Register the function as the meaning of the rows with these keys, compiled (see sim/engine/compiled/emit.py).

    Rows that share a function share handlers where modifiers and operands agree. halfway: it may turn to Python; alone: it
    seldom does so in a CTA that runs alone. asks: the
    operands that it looks at, where it looks at few and at no modifier. meets: it brings the lanes of a warp together by itself.
    """

    def register(fn: Meaning) -> Meaning:
        if halfway:
            HALFWAY.update(keys)
        if alone:
            ALONE.update(keys)
        for key in keys:
            if asks is not None:
                ASKS[key] = asks
            assert key not in MEANINGS, f"two meanings for {key}"
            MEANINGS[key] = fn
            if meets:
                MEETS.add(key)
            _canonical[key] = keys[0]
        return fn

    return register


def asked(key: str, operands: Mapping[str, Operand]) -> Mapping[str, Operand]:
    """The operands of an instruction that its row's compiled meaning looks at."""
    names = ASKS.get(key)
    return operands if names is None else {name: operands[name] for name in names if name in operands}


def canonical(key: str) -> str:
    """The first key under which the meaning of a row was registered."""
    return _canonical[key]
