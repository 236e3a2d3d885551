"""What a tool is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ptxlab.mcp.limits import Limits
from ptxlab.mcp.models import Answer, Request

Q = TypeVar("Q", bound=Request)
A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Context:
    """What a tool knows besides its request.

    Attributes:
        limits: of the server. isolation: how workers are shut in, by what is shut in.
    """

    limits: Limits
    isolation: Mapping[str, str] = field(default_factory=dict[str, str])

    def instructions(self, asked: int | None) -> int:
        """How many a launch may take: as many as are asked for, and no more than the server allows."""
        return min(asked or self.limits.instructions, self.limits.instructions)


def _never(_: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[Q, A]):
    """A tool.

    Attributes:
        name, title, description: what clients show to their model.
        request, answer: the models of its arguments and of what it answers.
        run: the answer as data. It may raise Diagnostic, and runs in a worker, unless the tool is `local`.
        executes: whether a request has Python that is executed.
        local: whether the server answers by itself.
    """

    name: str
    title: str
    description: str
    request: type[Q]
    answer: type[A]
    run: Callable[[Q, Context], dict[str, Any]]
    executes: Callable[[Q], bool] = _never
    local: bool = False
