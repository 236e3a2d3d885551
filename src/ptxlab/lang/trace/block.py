"""`with` blocks of the language. One that is called and not entered would let its body run for every thread: tracing says so."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from ptxlab.diag import Diagnostic, Span, user_span

T = TypeVar("T")
P = ParamSpec("P")


class Opens(Protocol):
    """What blocks belong to."""

    @property
    def blocks(self) -> list[Block[Any]]:
        """All that have been made, in order."""
        ...


S = TypeVar("S", bound=Opens)


class Block(Generic[T]):
    """A block that `with` opens and closes. `shown`: how it is written. place: where."""

    __slots__ = ("_body", "entered", "place", "shown")

    def __init__(self, body: Generator[T, None, None], shown: str, place: Span) -> None:
        self._body, self.shown, self.place = body, shown, place
        self.entered = False

    def __enter__(self) -> T:
        if self.entered:
            raise Diagnostic(
                "PTX2222",
                f"this `{self.shown}` block of {self.place.shown} was entered before",
                help=f"call it again: `with {self.shown}:`",
                origin=user_span(),
            )
        self.entered = True
        return next(self._body)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._body.close()
            return
        for _ in self._body:
            raise AssertionError(f"{self.shown} yields once")


def block(
    shown: str,
) -> Callable[[Callable[Concatenate[S, P], Generator[T, None, None]]], Callable[Concatenate[S, P], Block[T]]]:
    """Make a `with` block of a generator method, as contextlib.contextmanager does. `shown`: how it is written."""

    def wrap(method: Callable[Concatenate[S, P], Generator[T, None, None]]) -> Callable[Concatenate[S, P], Block[T]]:
        @wraps(method)
        def call(self: S, *args: P.args, **kwargs: P.kwargs) -> Block[T]:
            made = Block(method(self, *args, **kwargs), shown, user_span())
            self.blocks.append(made)
            return made

        setattr(call, "opens", shown)  # noqa: B010
        return call

    return wrap


def check_entered(blocks: list[Block[Any]]) -> None:
    """Every block was entered. Raises: Diagnostic PTX2222 at the line of the first that was not."""
    for made in blocks:
        if not made.entered:
            raise Diagnostic(
                "PTX2222",
                f"`{made.shown}` is a block that nothing enters, so what should stand in it is not in it",
                help=f"write `with {made.shown}:` and indent what belongs to it",
                origin=made.place,
            )
