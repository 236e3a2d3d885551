"""Names of Python that a loop or a branch binds anew, where the device goes on with what they held before."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.analysis import Analysis
from ptxlab.diag import Diagnostic
from ptxlab.ptx.tree import Rebinding

_LOOPS = ("k.loop(…)", "k.while_(…)")


def check_rebinding(analysis: Analysis) -> Iterator[Diagnostic]:
    """Each such line once; of lists and tuples the first element."""
    told: set[tuple[str, object]] = set()
    for one in analysis.program.function.rebound:
        key = (one.name.partition("[")[0], one.place)
        if one.lost and key not in told:
            told.add(key)
            yield Diagnostic("PTX5060", _what(one), help=_help(one), origin=one.place)


def _what(one: Rebinding) -> str:
    if one.block not in _LOOPS:
        return f"Python gives `{one.name}` another value in `with {one.block}:`, for all threads: it runs through the block once"
    what = "a new register" if one.register else "bound to another value"
    return f"`{one.name}` is {what} in each pass: the loop begins each pass with the old one, `{one.old}`"


def _help(one: Rebinding) -> str:
    name, written = one.name, f"`{one.name} += …`, or pass d={one.name}"
    if one.old.startswith("["):
        return "count in a register, and compute the address in each pass: pointer[i]"
    if not one.old.startswith("%"):
        made = f"{name} = k.mov.{one.type}({one.old})"
        return f"make it a register in front of the block, {made}, and write it in the block: {written}"
    if one.fixed:
        return f"copy it in front of the loop, {name} = k.mov.{one.type}({name}), and write {written}"
    return f"write {written}"
