"""Attributes to opcodes: `k.cp.async_.cg.shared.global_` walks the rows as the parser does.

The typed view of this module is `_instructions.pyi`, made from the rows by `python -m tools.instruction_stub`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.form import BY_ROOT
from ptxlab.isa.match import State, attribute_of, part_of, root
from ptxlab.lang.spelling import elsewhere, no_part, no_root


class Opcode:
    """An opcode as far as it has been written. Calling it emits the instruction.

    Modifiers are attributes, in the order of PTX; a Python keyword gets an underscore (`async_`, `global_`) and `::` becomes two
    (`shared__cta`). One that begins with a digit begins with an underscore (`_2d`). What PTX joins in brackets are arguments of
    their own, coordinates in a tuple: `[map, {x, y}]` is `map, (x, y)`.

    Args:
        pred: the guard: a predicate, or its negation `~p`. Threads for which it does not hold do nothing.
        d: the register to write, instead of a new one. Other results go by the name that the row gives them: `p=`, `state=` …

    Returns: a new register for each result, in the order of PTX; None where there is none or all are named.

    Raises: Diagnostic PTX0101 for a modifier that does not exist, PTX01xx and PTX02xx for operands and rules: what the row says.

    Example:
        total = k.mov.u32(0)
        k.add.u32(total, k.thread, d=total)  # writes total
        less = k.setp.lt.u32(total, 3)
        k.st.global_.u32(out[k.thread], 9, pred=less)
        k.st.global_.u32(out[k.thread], total, pred=~less)
        # out[:5]: [9 9 9 3 4]
    """

    as_operand = "call it; what it returns is an operand"

    def __init__(self, k: Instructions, opcode: str, state: State) -> None:
        self._k, self._opcode, self._state = k, opcode, state

    def __getattr__(self, name: str) -> Opcode:
        if name.startswith(("__", "_repr_", "_ipython_")) or name == "address":  # what Python and notebooks ask for
            raise AttributeError(name)
        part = part_of(name)
        state = self._state.step(part)
        if state is None:
            raise no_part(self._opcode.split("."), part, self._state).at(origin=user_span())
        made = Opcode(self._k, f"{self._opcode}.{part}", state)
        self.__dict__[name] = made  # the next use is a plain attribute
        return made

    def __call__(self, *args: Any, pred: Any = None, **named: Any) -> Any:
        return self._k.emit(self._opcode, args, named, pred)

    def __dir__(self) -> list[str]:
        return sorted(map(attribute_of, self._state.parts()))

    def __repr__(self) -> str:
        return f"<opcode {self._opcode}>"

    def __bool__(self) -> bool:
        raise Diagnostic(
            "PTX2201",
            f"`{self._opcode}` is an instruction that has not been called",
            help="call it with its operands",
            origin=user_span(),
        )


class Instructions:
    """The instructions of a kernel being traced, as attributes; calling one emits it."""

    def emit(self, opcode: str, args: Sequence[Any] = (), named: Mapping[str, Any] = {}, pred: Any = None) -> Any:
        """Emit one instruction; returns its results."""
        raise NotImplementedError

    def constructs(self) -> Sequence[str]:
        """Names of what is more than one instruction, or none."""
        raise NotImplementedError

    def __dir__(self) -> list[str]:
        return sorted({*map(attribute_of, BY_ROOT), *self.constructs()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and elsewhere(name) is None:
            raise AttributeError(name)
        word = part_of(name)
        state = root(word)
        if state is None:
            raise no_root(name, word, self.constructs()).at(origin=user_span())
        made = Opcode(self, word, state)
        self.__dict__[name] = made
        return made
