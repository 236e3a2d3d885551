"""The machine code of quick.py and tiles.py: Numba makes its LLVM text once, later processes load what was compiled then."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from ptxlab.sim.compiled.compile import code

_ENTRIES: Mapping[str, tuple[str | None, str]] = {
    "access": ("i32", "miaiii"),
    "arrive": ("i32", "miiiiiiii"),
    "note": ("i32", "miiiiiii"),
    "begin": (None, "mii"),
    "expand": ("i64", "mi"),
    "beside": (None, "miiiiii"),
    "drop": (None, "mi"),
    "same": ("i32", "aai"),
    "equal_stores": ("i32", "miaiii"),
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
}
"""What each entry returns and takes: the arena, lanes' addresses, words (u32)."""


@dataclass(frozen=True, slots=True)
class Native:
    """The entries: addresses for native code, and those that Python calls."""

    access: int
    same: int
    equal_stores: int
    copy: int
    commit: int
    wait: int
    fence: int
    guard: int
    product: int
    waits: int
    arrive: int
    note: int
    begin_at: int
    begin: Callable[[int, int, int], None]
    expand: Callable[[int, int], int]
    beside: Callable[..., None]
    drop: Callable[[int, int], None]
    begin_product: Callable[[int, int, int, int, int], int]
    close_copies: Callable[[int, int], None]
    settle_runs: Callable[..., None]
    sort_cells: Callable[..., int]
    note_tile: Callable[..., None]
    operation: Callable[..., int]


@lru_cache(maxsize=1)
def native() -> Native:
    """The native part of the sanitizer, loaded."""
    at: dict[str, int] = {}
    for entry in _ENTRIES:
        at |= code().library(f"sanitizer {entry}", partial(_text, entry), [_symbol(entry)])
    pointer, word = ctypes.c_void_p, ctypes.c_uint32

    def called(entry: str, result: Any) -> Any:
        takes = [word if kind == "i" else pointer for kind in _ENTRIES[entry][1]]
        return ctypes.CFUNCTYPE(result, *takes)(at[_symbol(entry)])

    return Native(
        access=at[_symbol("access")],
        same=at[_symbol("same")],
        equal_stores=at[_symbol("equal_stores")],
        copy=at[_symbol("copy")],
        commit=at[_symbol("commit")],
        wait=at[_symbol("wait")],
        fence=at[_symbol("fence")],
        guard=at[_symbol("guard")],
        product=at[_symbol("product")],
        waits=at[_symbol("waits")],
        arrive=at[_symbol("arrive")],
        note=at[_symbol("note")],
        begin_at=at[_symbol("begin")],
        begin=called("begin", None),
        expand=called("expand", ctypes.c_int64),
        beside=called("beside", None),
        drop=called("drop", None),
        begin_product=called("begin_product", ctypes.c_int64),
        close_copies=called("close_copies", None),
        settle_runs=called("settle_runs", None),
        sort_cells=called("sort_cells", ctypes.c_int32),
        note_tile=called("note_tile", None),
        operation=called("operation", ctypes.c_int32),
    )


def _symbol(entry: str) -> str:
    return f"ptxlab_sanitizer_{entry}"


def _text(entry: str) -> str:
    """The LLVM text of an entry. Numba takes a second to import: only here."""
    from ptxlab.sim.sanitizer.native import copies, fences, lines, lists, operations, products, quick, shared, tiles

    result, takes = _ENTRIES[entry]
    symbol, text = quick.llvm(
        next(
            getattr(part, entry)
            for part in (lists, lines, operations, copies, fences, products, shared, tiles, quick)
            if hasattr(part, entry)
        ),
        takes,
    )
    given = ["ptr" if kind in "ma" else "i32" for kind in takes]
    passed = ["ptr" if kind in "ma" else "i64" for kind in takes]
    wide = [f"%w{i} = zext i32 %a{i} to i64" for i, kind in enumerate(takes) if kind == "i"]
    shown = ", ".join(f"{t} %{'a' if t == 'ptr' else 'w'}{i}" for i, t in enumerate(passed))
    out = result or "void"
    kept = "i64" if result == "i64" else "i32"
    done = f"%r = load {kept}, ptr %out\nret {out} %r" if result else "ret void"
    return f"""{text}
define {out} @{_symbol(entry)}({", ".join(f"{t} %a{i}" for i, t in enumerate(given))}) {{
%out = alloca i64
%failed = alloca ptr
{chr(10).join(wide)}
%status = call i32 @{symbol}(ptr %out, ptr %failed, {shown})
{done}
}}"""
