"""What a litmus test asks of the ends of its executions: `exists (P1:r0 == 1 /\\ x != 2)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from ptxlab.diag import Diagnostic, Span

Name: TypeAlias = tuple[str, str]
"""A thread and its register, or "" and a location."""
State: TypeAlias = Mapping[Name, object]
"""What registers and locations hold at the end."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Base of all conditions."""

    def holds(self, state: State) -> bool:
        """Whether it is true of an end."""
        raise NotImplementedError

    def names(self) -> Iterator[Name]:
        """The registers and locations that it speaks of."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    """Two sides, each a name or a number."""

    a: Name | int
    op: str
    b: Name | int

    def holds(self, state: State) -> bool:
        """Whether it is true of an end."""
        a, b = (s if isinstance(s, int) else state[s] for s in (self.a, self.b))
        match self.op:
            case "==":
                return a == b
            case "!=":
                return a != b
            case _:
                if not isinstance(a, int) or not isinstance(b, int):
                    return False
                return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[self.op]

    def names(self) -> Iterator[Name]:
        """The registers and locations that it speaks of."""
        return (s for s in (self.a, self.b) if not isinstance(s, int))

    def __str__(self) -> str:
        a, b = (str(s) if isinstance(s, int) else shown(s) for s in (self.a, self.b))
        return f"{a} {self.op} {b}"


@dataclass(frozen=True, slots=True)
class Many(Condition):
    """All (`/\\`) or any (`\\/`) of several."""

    op: str
    parts: tuple[Condition, ...]

    def holds(self, state: State) -> bool:
        """Whether it is true of an end."""
        found = (p.holds(state) for p in self.parts)
        return all(found) if self.op == "/\\" else any(found)

    def names(self) -> Iterator[Name]:
        """The registers and locations that it speaks of."""
        return (n for p in self.parts for n in p.names())

    def __str__(self) -> str:
        return "(" + f" {self.op} ".join(map(str, self.parts)) + ")"


@dataclass(frozen=True, slots=True)
class Negated(Condition):
    """The opposite."""

    part: Condition

    def holds(self, state: State) -> bool:
        """Whether it is true of an end."""
        return not self.part.holds(state)

    def names(self) -> Iterator[Name]:
        """The registers and locations that it speaks of."""
        return self.part.names()

    def __str__(self) -> str:
        return f"~{self.part}"


def shown(name: Name) -> str:
    """A name as tests write it: P1:r0, or x."""
    return f"{name[0]}:{name[1]}" if name[0] else name[1]


_TOKEN: Final = re.compile(
    r"\s*(?:(?P<op>==|!=|<=|>=|/\\|\\/|[=<>()~\[\]])|(?P<name>(?:P?\d+\s*:\s*)[%\w.$]+|[A-Za-z_%$][\w.$]*(?:\+\d+)?)|(?P<number>-?(?:0x[0-9a-fA-F]+|\d+)))"
)


def parse_condition(text: str, span: Span) -> Condition:
    """A condition. Raises: Diagnostic PTX0600 at `span`."""
    return _Parser(text, span).whole()


class _Parser:
    def __init__(self, text: str, span: Span) -> None:
        self.span = span
        self.tokens: list[tuple[str, str]] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise self.wrong(text[at:].split()[0])
            kind = found.lastgroup or ""
            self.tokens.append((kind, found[kind]))
            at = found.end()
        self.at = 0

    def wrong(self, token: str) -> Diagnostic:
        return Diagnostic(
            "PTX0600",
            f"{token or 'the end'} cannot stand here in a condition.",
            help="write e.g. exists (P1:r0 == 1 /\\ x != 2)",
            span=self.span,
        )

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")

    def take(self) -> tuple[str, str]:
        found = self.peek()
        self.at += 1
        return found

    def whole(self) -> Condition:
        found = self.either()
        if self.peek()[0]:
            raise self.wrong(self.peek()[1])
        return found

    def either(self) -> Condition:
        return self._many("\\/", self.both)

    def both(self) -> Condition:
        return self._many("/\\", self.one)

    def _many(self, op: str, part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self.peek()[1] == op:
            self.take()
            parts.append(part())
        return parts[0] if len(parts) == 1 else Many(op, tuple(parts))

    def one(self) -> Condition:
        if self.peek()[1] == "~":
            self.take()
            return Negated(self.one())
        if self.peek()[1] == "(":
            self.take()
            found = self.either()
            if self.take()[1] != ")":
                raise self.wrong("what is not closed by )")
            return found
        a = self.side()
        op = self.take()[1]
        op = "==" if op == "=" else op
        if op not in ("==", "!=", "<", "<=", ">", ">="):
            raise self.wrong(op)
        return Compare(a, op, self.side())

    def side(self) -> Name | int:
        kind, text = self.take()
        if text == "[":
            found = self.side()
            if self.take()[1] != "]":
                raise self.wrong("what is not closed by ]")
            return found
        if kind == "number":
            return int(text, 0)
        if kind != "name":
            raise self.wrong(text)
        thread, colon, register = "".join(text.split()).rpartition(":")
        if not colon:
            return ("", text)
        return (thread if thread.startswith("P") else f"P{thread}", register)
