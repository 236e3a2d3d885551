"""What observers are told of asynchronous operations, and of what orders them: `Observer` says what each hook means.

Units call these hooks themselves: `for hook in machine.hooks.issued: hook(operation)`. Of each hook there are here those that
somebody overrides. While there are any, instructions that may run without Python trap, so that observers miss nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Protocol

from ptxlab.ptx.program import Op
from ptxlab.sim.engine.machine.operation import Operation, Place, Stage
from ptxlab.sim.engine.machine.resident import Warp


class GridHook(Protocol):
    """`grid_waits` or `grid_triggers` of an observer."""

    def __call__(self, warp: Warp, lanes: int, *, again: bool) -> Hashable | None: ...


class Hooks:
    """The hooks of a machine's observers that units and meanings call: the asynchronous ones, and those of griddepcontrol."""

    issued: tuple[Callable[[Operation], None], ...] = ()
    waited: tuple[Callable[[Warp, Sequence[tuple[Operation, int]], Stage], None], ...] = ()
    committed: tuple[Callable[[Warp, int, str], None], ...] = ()
    mbarrier_initialised: tuple[Callable[[Warp, int, Place, Op], None], ...] = ()
    mbarrier_invalidated: tuple[Callable[[Warp, int, Place, Op], None], ...] = ()
    mbarrier_arrived: tuple[Callable[[Warp, int, Place, int, Op], None], ...] = ()
    mbarrier_expected: tuple[Callable[[Warp, int, Place, int, int, Op], None], ...] = ()
    mbarrier_completed: tuple[Callable[[Operation, Place, int], None], ...] = ()
    mbarrier_passed: tuple[Callable[[Warp, int, Place, int, Op], None], ...] = ()
    mbarrier_peeked: tuple[Callable[[Warp, int, Place, int, Op], None], ...] = ()
    cluster_arrived: tuple[Callable[[Warp, int, Op], None], ...] = ()
    cluster_passed: tuple[Callable[[Warp, int, Op], None], ...] = ()
    mapped: tuple[Callable[[Warp, int, Op, str, Sequence[int]], None], ...] = ()

    grid_waits: tuple[GridHook, ...] = ()
    grid_triggers: tuple[GridHook, ...] = ()

    OF_GRIDS: ClassVar[tuple[str, ...]] = ("grid_waits", "grid_triggers")
    ASYNCHRONOUS: ClassVar[tuple[str, ...]]

    @property
    def watched(self) -> bool:
        """Whether anybody listens to any of these."""
        return any(getattr(self, name) for name in self.ASYNCHRONOUS)


Hooks.ASYNCHRONOUS = tuple(
    name for name in Hooks.__annotations__ if name not in ("ASYNCHRONOUS", "OF_GRIDS", *Hooks.OF_GRIDS)
)
