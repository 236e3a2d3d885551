"""The entries of the sanitizer's native part: a launch has those compiled that it needs, and they are kept on disk."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from ptxlab.codegen.language import Native as Function
from ptxlab.codegen.unit import Unit
from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.order.native.state import follows

_ENTRIES: Mapping[str, tuple[str | None, str]] = {
    "judged": ("i32", "miaiiii"),
    "arrive": ("i32", "miiiiiiii"),
    "note": ("i32", "miiiiiii"),
    "begin": (None, "mii"),
    "expand": ("i64", "mi"),
    "put_beside": (None, "miiiiii"),
    "keep_beside": (None, "mai"),
    "drop": (None, "mi"),
    "same": ("i32", "aai"),
    "copies": ("i32", "miaaaiii"),
    "commit": (None, "miii"),
    "wait": (None, "miiii"),
    "lanes_meet": ("i32", "miaiiii"),
    "fence": ("i32", "miiiii"),
    "guard": ("i32", "miiiii"),
    "product": ("i32", "miiiiiaaiaa"),
    "begin_product": ("i64", "miiii"),
    "waits": (None, "miiii"),
    "close_copies": (None, "mi"),
    "settle_runs": (None, "miai"),
    "sort_cells": ("i32", "miiiaaaa"),
    "note_tile": (None, "miiiaaaaaaiii"),
    "operation": ("i32", "miiiiaaiii"),
    "touches": ("i32", "miiaaiii"),
    "issue": ("i32", "miiiii"),
    "complete": ("i32", "miiiiiiiii"),
    "make_mbarrier": (None, "miii"),
    "end_mbarrier": (None, "mii"),
    "fences_makers": (None, "miiii"),
    "arrives_in_cluster": (None, "miiiii"),
    "passes_in_cluster": (None, "miiiii"),
    "may_exit": ("i32", "mi"),
    "at_mbarrier": ("i32", "miii"),
    "unpack": (None, "miii"),
}
"""What each entry returns and takes: the arena, arrays of 64-bit numbers, words (u32)."""

_TOGETHER: Mapping[str, tuple[str, ...]] = {
    "": ("judged", "begin", "same", "at_mbarrier"),
    "barriers": ("arrive",),
    "copies": ("copies", "commit", "wait", "close_copies"),
    "products": ("fence", "guard", "product", "begin_product", "waits", "close_copies"),
    "mbarriers": (
        "note",
        "fence",
        "issue",
        "touches",
        "complete",
        "make_mbarrier",
        "end_mbarrier",
        "fences_makers",
        "unpack",
    ),
    "clusters": ("arrives_in_cluster", "passes_in_cluster", "may_exit"),
}
"""What a launch needs by what it has (`follows`): compiled as one unit, as these share most of their functions."""


class Native:
    """The entries as Python calls them, for one launch: `native.begin(slot, index)`.

    Args:
        arena: the address of the arena. has: what the launch has, of `follows`.
    """

    def __init__(self, arena: int, has: frozenset[str]) -> None:
        self._arena, self._has = arena, has

    def __getattr__(self, entry: str) -> Callable[..., int]:
        if entry not in _ENTRIES:
            raise AttributeError(entry)
        called = _callable(entry, self._has)
        if _ENTRIES[entry][1].startswith("m"):
            called = partial(called, self._arena)
        setattr(self, entry, called)
        return called

    def address(self, entry: str) -> int:
        """The address of an entry, for native code."""
        return _address(entry, self._has)


_RESULTS = {None: None, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


@cache
def _callable(entry: str, has: frozenset[str]) -> Callable[..., int]:
    result, takes = _ENTRIES[entry]
    kinds = [ctypes.c_uint32 if kind == "i" else ctypes.c_void_p for kind in takes]
    called: Any = ctypes.CFUNCTYPE(_RESULTS[result], *kinds)(_address(entry, has))
    return called


@cache
def _address(entry: str, has: frozenset[str]) -> int:
    together = _together(has)
    if entry not in together:  # what few launches ask for is compiled by itself, and for any launch
        together, has = (entry,), follows.names
    name = f"sanitizer {' '.join(sorted(has))}: {' '.join(together)}"
    symbols = {e: f"ptxlab_sanitizer_{'_'.join([*sorted(has), str(len(together)), e])}" for e in together}
    found = code().library(name, partial(_text, symbols, has), list(symbols.values()), fast=True)
    return found[symbols[entry]]


def _together(has: frozenset[str]) -> tuple[str, ...]:
    entries = [entry for part, entries in _TOGETHER.items() if not part or part in has for entry in entries]
    return tuple(dict.fromkeys(entries))


def _text(symbols: Mapping[str, str], has: frozenset[str]) -> str:
    """The LLVM text of entries."""
    functions, unit = _functions(), Unit(has)
    for entry, symbol in symbols.items():
        result, takes = _ENTRIES[entry]
        unit.entry(functions[entry], symbol, takes, result)
    return unit.text()


def _functions() -> Mapping[str, Function]:
    """All native functions by name. Their modules are imported here, where something is compiled."""
    from ptxlab.sim.families.bulk import filter as boxes
    from ptxlab.sim.families.cluster import filter as clusters
    from ptxlab.sim.families.cp_async import filter as copies
    from ptxlab.sim.families.mbarrier import filter as mbarriers
    from ptxlab.sim.families.wgmma import filter as products
    from ptxlab.sim.order.native import accesses, atomics, fences, known, lines, lists, notes, operations, shared

    modules = (
        lists,
        lines,
        boxes,
        mbarriers,
        notes,
        operations,
        copies,
        fences,
        products,
        shared,
        known,
        clusters,
        atomics,
        accesses,
    )
    return {name: one for module in modules for name, one in vars(module).items() if isinstance(one, Function)}
