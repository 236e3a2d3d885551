"""Making a program that two machines run otherwise as small as it gets, the difference being kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from ptxlab.conformance.programs.tree import Line, Nest, Node, Program, size

_Body: TypeAlias = tuple[Node, ...]


def shrunk(
    program: Program, differs: Callable[[Program], bool], tell: Callable[[Program], None] | None = None
) -> Program:
    """Leave out statements for as long as some can be left out.

    Args:
        program: one that differs.
        differs: whether another one does.
        tell: is given each smaller program that still differs.
    """
    smaller = True
    while smaller:
        smaller = False
        for place in range(-1, len(program.functions)):
            for keep in _attempts(_body(program, place)):
                made = _with(program, place, keep)
                if statements(made) < statements(program) and differs(made):
                    program, smaller = made, True
                    if tell is not None:
                        tell(made)
                    break
            if smaller:
                break
    return program


def statements(program: Program) -> int:
    """How many there are."""
    return size(program.body) + size(program.functions)


def _body(program: Program, place: int) -> _Body:
    """Statements of the kernel (-1) or of a function, without the frame of the latter."""
    return program.body if place < 0 else program.functions[place].parts[0]


def _with(program: Program, place: int, body: _Body) -> Program:
    if place < 0:
        return replace(program, body=body)
    functions = list(program.functions)
    functions[place] = replace(functions[place], parts=(body,))
    return replace(program, functions=tuple(functions))


def _attempts(body: _Body) -> Iterator[_Body]:
    """The statements less some of them: large pieces first, then single ones, then less within one."""
    count = len(body)
    step = count
    while step:
        for at in range(0, count, step):
            yield (*body[:at], *body[at + step :])
        step //= 2
    for i, node in enumerate(body):
        for less in _less(node):
            yield (*body[:i], less, *body[i + 1 :])


def _less(node: Node) -> Iterator[Node]:
    """A statement with less in it."""
    if isinstance(node, Line):
        return
    for i, part in enumerate(node.parts):
        for body in _attempts(part):
            yield Nest(node.frame, (*node.parts[:i], body, *node.parts[i + 1 :]))


def listing(nodes: Sequence[Node], indent: int = 0) -> Iterator[str]:
    """Statements as lines, one in another further to the right."""
    space = "  " * indent
    for node in nodes:
        if isinstance(node, Line):
            yield space + node.text
            continue
        for i, text in enumerate(node.frame):
            yield space + text
            if i < len(node.parts):
                yield from listing(node.parts[i], indent + 1)
