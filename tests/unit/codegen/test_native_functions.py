"""Native functions do what Python does; what the subset lacks is refused with its place."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab.codegen.language import (
    Native,
    NotNative,
    Switches,
    address,
    clear,
    copy,
    longs,
    native,
    raise_to,
    signed,
)
from ptxlab.codegen.records import Record, block, link, wide, word
from ptxlab.codegen.unit import Unit
from ptxlab.sim.engine.compiled.compile import code

Longs = Any
LIMIT = 40
has = Switches("extra")


class Item(Record):
    value = word()
    next = link("Item")


class Table(Record):
    count = word()
    total = wide()
    first = link("Item")
    rows = word(3, 40)
    items = block(Item, 4)


table = Table(0)


@cache
def compiled(function: Native, takes: str, on: frozenset[str] = frozenset()) -> Callable[..., int]:
    """A native function that takes such arguments (see `Unit.entry`) and returns a number."""
    unit = Unit(on)
    symbol = f"test_{function.name}_{len(on)}"
    unit.entry(function, symbol, takes, "i64")
    where = code().library(f"{symbol} {hash(unit.text())}", unit.text, [symbol])[symbol]
    kinds = [ctypes.c_uint32 if kind == "i" else ctypes.c_void_p for kind in takes]
    return ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(where)


def numbers(*values: int) -> tuple[np.ndarray[Any, Any], int]:
    """An array of 64-bit numbers, and its address."""
    out = np.array(values, np.int64)
    return out, out.ctypes.data


# --- arithmetic and control -------------------------------------------------------------------------------------------------
def arithmetic(values: Longs, which: int) -> int:
    a, b = values[0], values[1]
    if which == 0:
        return (a + b) * 3 - (a ^ b)
    if which == 1:
        return a // b if b != 0 else -1
    if which == 2:
        return a % b if b != 0 else -1
    if which == 3:
        return a // 8 + a % 8
    if which == 4:
        return (a >> 3) | (~b & 0xFF)
    if which == 5:
        return max(a, b, 3) - min(a, b) + abs(a)
    if which == 6:
        return int(0 <= a < b) + 2 * int(a == b or not a > b) + 4 * int(a in (1, 2, b))
    return int(bool(a) and b > 0 and a != 5)


native_arithmetic = Native(arithmetic)


@settings(deadline=None)
@given(st.integers(-(1 << 40), 1 << 40), st.integers(-(1 << 40), 1 << 40) | st.integers(-9, 9), st.integers(0, 7))
def test_arithmetic_is_pythons(a: int, b: int, which: int) -> None:
    _, at = numbers(a, b)
    assert compiled(native_arithmetic, "ai")(at, which) == arithmetic([a, b], which)


def loops(values: Longs, n: int) -> int:
    total, kept = 0, False
    for i in range(n):
        if values[i] == 0:
            continue
        if values[i] < 0:
            break
        total += values[i]
        kept = kept or values[i] > 100
    for i in range(n - 1, -1, -3):
        total = total * 3 + i
    for step in (2, 5):
        for i in range(0, n, step):
            total ^= i + step
    while total > LIMIT * 1000:
        total -= LIMIT
        if total % 7 == 0:
            break
    return -total if kept else total


native_loops = Native(loops)


@settings(deadline=None)
@given(st.lists(st.integers(-1, 200), max_size=12))
def test_loops_are_pythons(values: list[int]) -> None:
    kept, at = numbers(*values)
    assert compiled(native_loops, "ai")(at, len(kept)) == loops(values, len(values))


@native
def pair(a: int, b: int):
    """Both, the smaller one first."""
    return (a, b) if a < b else (b, a)


@native
def of_pairs(values: Longs):
    """Several results, and a record that is none."""
    low, high = pair(values[0], values[1])
    low, high = high, low
    none = Item(0) if low else table.first
    return (low - high) * (2 if none == 0 and not none else 5)


def test_several_values() -> None:
    _, at = numbers(3, 10)
    assert compiled(of_pairs, "a")(at) == 14


@native
def signs(word_: int):
    """A word as a number with a sign."""
    return signed(word_)


def test_signs() -> None:
    assert compiled(signs, "i")(0xFFFF_FFFE) == -2


# --- records ----------------------------------------------------------------------------------------------------------------
@native
def sum_of(item: Item):
    """Of a list."""
    total = 0
    while item:
        total += item.value
        item = item.next
    return total


@native
def fill_table(values: Longs, n: int):
    """Fields, arrays, links, and what lies within a record."""
    table.count = n
    table.total = values[0] << 33 | 5
    for row in range(3):
        for i in range(40):
            table.rows[row][i] = row * i
    raise_to(table.rows[0], table.rows[2])
    table.rows[0][39] += 1
    copy(table.rows[1], table.rows[0])
    clear(table.rows[2])
    table.first = 0
    for i in range(4):
        item = table.items[i]
        item.value = values[i] if i < n else 1
        item.next = table.first
        table.first = item
    table.items[0].value -= 1
    copy(table.items[3], table.items[2])
    return sum_of(table.first) + int(table.first[1]) - int(table.first)


def test_records() -> None:
    words = np.zeros(Table.WORDS, np.uint32)
    _, at = numbers(7, 20, 30)
    assert compiled(fill_table, "mai")(words.ctypes.data, at, 3) == 6 + 20 + 30 + Item.WORDS
    found = Table(0, words)
    assert (found.count, found.total) == (3, 7 << 33 | 5)
    assert found.rows[1].all().tolist() == [*range(0, 78, 2), 79]
    assert not found.rows[2].all().any()
    assert found.items[3].value == 30
    assert int(found.first) == int(found.items[3])


@native
def through_number(values: Longs):
    """An array as a number, and back."""
    return longs(address(values))[1]


def test_arrays_by_number() -> None:
    _, at = numbers(4, 9)
    assert compiled(through_number, "a")(at) == 9


@native
def switched(word_: int):
    """What is switched off is not compiled: it could not be."""
    if has.extra and word_ > 1:
        return cannot(word_)
    return 2 if not has.extra or word_ else 3


@native
def cannot(word_: int):
    """Is not native."""
    return [word_][0]


def test_switches() -> None:
    assert compiled(switched, "i")(7) == 2
    with pytest.raises(NotNative, match=r"test_native_functions\.py:\d+: in cannot: native code has no '\[word_\]'"):
        compiled(switched, "i", frozenset({"extra"}))


# --- what is refused ----------------------------------------------------------------------------------------------------------
@native
def itself(n: int):
    """Calls itself."""
    return itself(n - 1)


@native
def no_field(n: int):
    """Asks for a field that is not there."""
    return table.nothing + n


@native
def unknown(n: int):
    """Uses a name that has no value."""
    return n + never  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


@native
def wrong_record(n: int):
    """Hands in another record."""
    return sum_of(table) + n


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (itself, "itself calls itself"),
        (no_field, "Table has no field nothing"),
        (unknown, "never has no value"),
        (wrong_record, "sum_of takes Item, not Table"),
    ],
)
def test_what_is_not_native(function: Native, why: str) -> None:
    with pytest.raises(NotNative, match=why):
        compiled(function, "i")


def test_python_cannot_run_them() -> None:
    with pytest.raises(TypeError, match="sum_of is native: Python cannot run it"):
        sum_of(1)
