"""The machine code of quick.py and tiles.py: Numba makes its LLVM text once, later processes load what was compiled then."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.engine.compiled.lower import Unit

_ENTRIES: Mapping[str, tuple[str | None, str]] = {
    "judged": ("i32", "miaiiii"),
    "arrive": ("i32", "miiiiiiii"),
    "note": ("i32", "miiiiiii"),
    "write_down": ("i32", "miiiiiiii"),
    "begin": (None, "mii"),
    "expand": ("i64", "mi"),
    "beside": (None, "miiiiii"),
    "drop": (None, "mi"),
    "same": ("i32", "aai"),
    "copy": ("i32", "miaaaiii"),
    "commit": (None, "miii"),
    "wait": (None, "miiii"),
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
    "complete": ("i32", "miiiiiiii"),
    "make_mbarrier": (None, "miii"),
    "end_mbarrier": (None, "mii"),
    "fences_makers": (None, "miii"),
    "unpack": (None, "miii"),
}
"""What each entry returns and takes: the arena, lanes' addresses, words (u32)."""


class Native:
    """The entries as Python calls them, each compiled when it is first asked for: `native().begin(arena, slot, index)`."""

    def __getattr__(self, entry: str) -> Callable[..., int]:
        if entry not in _ENTRIES:
            raise AttributeError(entry)
        result, takes = _ENTRIES[entry]
        kinds = [ctypes.c_uint32 if kind == "i" else ctypes.c_void_p for kind in takes]
        called: Any = ctypes.CFUNCTYPE(_RESULTS[result], *kinds)(address(entry))
        setattr(self, entry, called)
        return called


_native = Native()
_RESULTS = {None: None, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


def native() -> Native:
    """The native part of the sanitizer."""
    return _native


@cache
def address(entry: str) -> int:
    """The address of an entry, for native code."""
    return code().library(f"sanitizer {entry}", partial(_text, entry), [_symbol(entry)])[_symbol(entry)]


def _symbol(entry: str) -> str:
    return f"ptxlab_sanitizer_{entry}"


@cache
def _say() -> None:
    """Say once, to somebody who sits at a terminal, why the first launch takes its time."""
    if sys.stderr.isatty():
        words = "ptxlab: compiling the sanitizer for this machine; that takes up to a minute, once (sanitize=False goes without)"
        print(words, file=sys.stderr)


def _text(entry: str) -> str:
    """The LLVM text of an entry. Numba takes a second to import: only here."""
    _say()
    from ptxlab.sim.families.bulk import filter_boxes as boxes
    from ptxlab.sim.families.bulk import filter_tiles as tiles
    from ptxlab.sim.families.cp_async import filter as copies
    from ptxlab.sim.families.mbarrier import filter as phases
    from ptxlab.sim.families.wgmma import filter as products
    from ptxlab.sim.order.native import fences, lines, lists, notes, operations, quick, shared

    result, takes = _ENTRIES[entry]
    parts = (lists, lines, boxes, phases, notes, operations, copies, fences, products, shared, tiles, quick)
    unit = Unit()
    unit.entry(next(getattr(part, entry) for part in parts if hasattr(part, entry)), _symbol(entry), takes, result)
    return unit.text()
