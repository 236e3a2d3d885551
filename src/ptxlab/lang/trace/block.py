"""`with` blocks of the language. One that is called and not entered would let its body run for every thread: tracing says so."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial, wraps
from types import FrameType, TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from ptxlab.diag import Diagnostic, Span, frame_at, user_span

T = TypeVar("T")
P = ParamSpec("P")


class Opens(Protocol):
    """What blocks belong to."""

    @property
    def blocks(self) -> list[Block[Any]]:
        """All that have been made, in order."""
        ...


S = TypeVar("S", bound=Opens)


Ended = Callable[[FrameType], None]
"""Called at the end of a block with the frame that the block stands in."""
Watch = Callable[[Any, FrameType, str], Ended | None]
"""Called at the beginning of a block: what it belongs to, the frame, how it is written."""


class Block(Generic[T]):
    """A block that `with` opens and closes. `shown`: how it is written. place: where. `watch`: who looks on."""

    __slots__ = ("_body", "_ended", "_watch", "entered", "place", "shown")

    def __init__(
        self,
        body: Generator[T, None, None],
        shown: str,
        place: Span,
        watch: Callable[[FrameType, str], Ended | None] | None = None,
    ) -> None:
        self._body, self.shown, self.place, self._watch = body, shown, place, watch
        self.entered = False
        self._ended: Ended | None = None

    def __enter__(self) -> T:
        if self.entered:
            raise Diagnostic(
                "PTX2222",
                f"this `{self.shown}` block of {self.place.shown} was entered before",
                help=f"call it again: `with {self.shown}:`",
                origin=user_span(),
            )
        self.entered = True
        self._ended = self._watch and self._watch(frame_at(1), self.shown)
        return next(self._body)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._body.close()
            return
        if self._ended is not None:
            self._ended(frame_at(1))
        for _ in self._body:
            raise AssertionError(f"{self.shown} yields once")


def block(
    shown: str, watch: Watch | None = None
) -> Callable[[Callable[Concatenate[S, P], Generator[T, None, None]]], Callable[Concatenate[S, P], Block[T]]]:
    """Make a `with` block of a generator method, as contextlib.contextmanager does.

    `shown`: how it is written. `watch`: who looks on.
    """

    def wrap(method: Callable[Concatenate[S, P], Generator[T, None, None]]) -> Callable[Concatenate[S, P], Block[T]]:
        @wraps(method)
        def call(self: S, *args: P.args, **kwargs: P.kwargs) -> Block[T]:
            made = Block(method(self, *args, **kwargs), shown, user_span(), watch and partial(watch, self))
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
