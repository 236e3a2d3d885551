"""What a user chooses of a launch and of a simulation: one frozen object each, handed on whole.

To add an option of the simulator: a field of `SimOptions`, which every stage down to a machine and to the processes of a
spread launch receives as `options`, and the line that reads it there. `sim.run` and a prepared launch take it by its name at once.
It is also a keyword of `px.simulate` (`launch/simulate.py`), and a field of the same name in `commands/run.py`, whose annotation is
its help text. To add an option of launches: a field of `LaunchOptions`, the line in `Entry.call` or `build` that reads it, and the
keyword of what users call.

The calls of users have their keywords written out, and `of(locals())` collects them. `Unpack` of a TypedDict would write them once,
but beside it a call can take a kernel's constants only by `extra_items` (PEP 728), which type checkers other than pyright do not
know: they would refuse every constant. So `tests/unit/launch/test_options.py` holds names, types and defaults of all these calls,
and what their docstrings list, to the fields here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from ptxlab.abi.sanitizing import Sanitize
from ptxlab.abi.validate import Extents


class _Options:
    """Options of a call."""

    __slots__ = ()

    @classmethod
    def of(cls, given: Mapping[str, Any], **fixed: Any) -> Self:
        """The options among the arguments of a call, which are its `locals()` where it begins; `fixed` come before those."""
        names = [f.name for f in fields(cls)]  # pyright: ignore[reportArgumentType]
        return cls(**{name: given[name] for name in names if name in given} | fixed)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions(_Options):
    """A launch as a user writes it; None is what was left out.

    Attributes:
        grid, block, cluster, shared, args, buffers, device, stream, programmatic, cooperative, lints, ignore, sanitize: see
            `Kernel.launch`.
    """

    grid: Extents
    block: Extents | None = None
    cluster: Extents | None = None
    shared: int | None = None
    args: Sequence[Any] = ()
    buffers: Sequence[Any] = ()
    device: str = "auto"
    stream: Any = None
    programmatic: bool | None = None
    cooperative: bool = False
    lints: bool = True
    ignore: str | Sequence[str] = ()
    sanitize: Sanitize | None = None


@dataclass(frozen=True, kw_only=True)
class SimOptions(_Options):
    """How a launch is simulated.

    Attributes:
        sanitize, certify, orders, graphs, schedule, replay, seed, poison, trace, stats, max_instructions, progress, workers,
            client: see `px.simulate`. `sanitize` None: nobody has said so. What users call decides then (`abi.sanitizing`), a
            machine does without.
    """

    sanitize: Sanitize | None = None
    certify: bool = False
    orders: int = 1000
    graphs: bool = False
    schedule: str = "eager"
    replay: str = ""
    seed: int = 0
    poison: bool = True
    trace: bool = False
    stats: bool = False
    max_instructions: int | None = None
    progress: Callable[[int, int], object] | None = None
    workers: int | None = None
    client: Any = None
