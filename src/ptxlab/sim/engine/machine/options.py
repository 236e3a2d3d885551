"""What the options of a simulation may be."""

from __future__ import annotations

import operator
from dataclasses import replace

from ptxlab.abi.options import SimOptions
from ptxlab.diag import Diagnostic, user_span

SCHEDULES = ("eager", "late", "random")
MOST_SEED = (1 << 64) - 1


def checked(options: SimOptions) -> SimOptions:
    """The same options, numbers as Python's own. Raises: Diagnostic PTX2501 for what an option cannot be."""
    if options.schedule not in SCHEDULES:
        raise option_error(f"{options.schedule!r} is no schedule.", f"use {', '.join(SCHEDULES)}")
    seed, most = whole(options.seed), options.max_instructions
    if seed is None or not 0 <= seed <= MOST_SEED:
        raise option_error(f"seed={options.seed!r} is no seed.", "use an integer from 0 to 2^64 - 1")
    limit = whole(most)
    if most is not None and (limit is None or limit < 1):
        raise option_error(f"max_instructions={most!r} is no limit.", "use an integer from 1, or None for no limit")
    if options.progress is not None and not callable(options.progress):
        raise option_error(
            f"progress={options.progress!r} cannot be called.", "give a function of (CTAs finished, CTAs of the grid)"
        )
    orders = whole(options.orders)
    if orders is None or orders < 0:
        raise option_error(f"orders={options.orders!r} is no number of orders.", "use an integer from 0")
    if options.replay:
        _check_order(options)
    if options.graphs:
        _check_graphs(options)
    if options.certify and options.sanitize is False:
        raise option_error("certify=True without the sanitizer can prove nothing.", "leave sanitize= out")
    if options.certify and (options.workers not in (None, 1) or options.client is not None):
        raise option_error("certify=True looks at what one process does.", "leave workers= and client= out")
    if seed is options.seed and limit is most and orders is options.orders:
        return options
    return replace(options, seed=seed, max_instructions=limit, orders=orders)


def _check_order(options: SimOptions) -> None:
    """An order is that of one sanitized run, in one process."""
    if options.certify:
        raise option_error("certify=True is about all orders.", "leave replay= out")
    if options.sanitize is False:
        raise option_error("replay= without the sanitizer does not know what is ordered.", "leave sanitize= out")
    if options.schedule != "eager":
        raise option_error("replay= says who comes first.", "leave schedule= out")
    if options.workers not in (None, 1) or options.client is not None:
        raise option_error("replay= is about one process.", "leave workers= and client= out")


def _check_graphs(options: SimOptions) -> None:
    """Graphs are those of the sanitizer's findings, and of one process."""
    if options.sanitize is False:
        raise option_error("graphs=True without the sanitizer has nothing to draw.", "leave sanitize= out")
    if options.workers not in (None, 1) or options.client is not None:
        raise option_error("graphs=True keeps what one process does.", "leave workers= and client= out")


def whole(value: object) -> int | None:
    """An integer, NumPy's included; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def option_error(message: str, help_: str) -> Diagnostic:
    """What is wrong with an option of the caller's."""
    return Diagnostic("PTX2501", message, help=help_, origin=user_span())
