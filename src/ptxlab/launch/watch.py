"""Who stands between a call and its launch: an operator leaves launches out, notes them, or gives them its own stream."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ptxlab.diag.boundary import public

if TYPE_CHECKING:
    from ptxlab.abi.record import LaunchRecord


@dataclass(frozen=True, slots=True)
class Guarded:
    """Memory that launches must not write: the array that lies there, by its name, and its bytes."""

    name: str
    begin: int
    end: int


class Watch:
    """What happens to launches and allocations of host code while somebody watches. This one changes nothing.

    Attributes:
        leaves_out: whether launches are left out, as shapes alone are asked for.
        notes: whether each launch comes to `prepared`, also one that equals an earlier one.
        stream: of launches that name none; None: what they would use by themselves.
        guarded: memory that simulated launches must not write.
    """

    leaves_out = False
    notes = False
    stream: Any = None
    guarded: Sequence[Guarded] = ()

    def prepared(self, launch: Any, args: Sequence[Any]) -> Any:
        """A launch on a GPU was prepared: what is called in its place. `args`: of the call."""
        return launch

    def allocated(self, like: Any, shape: tuple[int, ...], dtype: str, *, zeros: bool) -> Any:
        """An array that `px.empty_like` or `px.zeros_like` gives; None: the one that it would give by itself."""
        return None

    def room(self, ordinal: int, shape: tuple[int, ...], dtype: str) -> Any:
        """Zeros on a GPU beside a user's arrays, that `Device.zeros` gives; None: those that it would give by itself."""
        return None

    def beside(self) -> None:
        """Work on a GPU that is no launch of a kernel, such as `px.copy`."""

    def protected(self, record: LaunchRecord) -> LaunchRecord:
        """The launch with what it must not write made read-only."""
        if not self.guarded:
            return record
        taken = [(g.begin, g.end) for g in self.guarded]
        buffers = tuple(
            replace(b, writable=False) if any(low <= b.address and b.end <= high for low, high in taken) else b
            for b in record.buffers
        )
        return replace(record, buffers=buffers)


_watch: ContextVar[Watch | None] = ContextVar("ptxlab_watch", default=None)
watching = _watch.get
"""The watch of this thread, None for none."""


@contextmanager
def watched(watch: Watch | None) -> Generator[None]:
    """Host code within the block is watched; None: by nobody."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


@public
def launches_left_out() -> bool:
    """Whether the function of an operator runs for shapes alone, with its launches left out.

    Its arrays then have a shape and a dtype, but no elements. Host code that needs more, such as an address, asks this first.

    Example:
        @px.operator("docs::ones")
        def ones(x: px.Array) -> px.Array:
            out = px.empty_like(x)
            if not px.launches_left_out():
                out[...] = 1
            return out

        print(ones(np.zeros(3, np.float32)))  # [1. 1. 1.]
    """
    watch = watching()
    return watch is not None and watch.leaves_out


class LeftOut:
    """A launch that is left out."""

    record: Any = None

    def __call__(self, stream: Any = None, **options: Any) -> None:
        """Does nothing."""
