"""The interpolator of approximate functions, against what it is defined to be."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.codegen.ir import I64, LANES, PTR, Fn, T, Val
from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.numerics.approximate import interpolate, tables
from ptxlab.sim.numerics.approximate.interpolate import ARGUMENT_BITS, Table

ARGUMENTS = np.arange(1 << ARGUMENT_BITS, dtype=np.uint32)


Words = NDArray[np.uint32]


def over_arrays(name: str, function: Callable[[Fn, Val, Val], Val], a: Words, b: Words) -> Words:
    """A function of two words, of each pair of two arrays."""

    def text() -> str:
        fn = Fn(name, "void", (PTR, PTR, PTR, I64))
        first, second, target, count = fn.args
        at = fn.variable(fn.const(0, I64))
        with fn.while_() as after:
            i = at.get()
            fn.break_if(i >= count, after)
            words = [fn.load(s, T("u", 32), i * 4, 4) for s in (first, second)]
            fn.store(function(fn, *words), target, i * 4, 4)
            at.set(i + LANES)
        fn.ret_void()
        return "\n".join([*sorted(fn.declared), fn.text()])

    out = np.empty_like(a)
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(code().library(name, text, [name])[name])
    loop(a.ctypes.data, b.ctypes.data, out.ctypes.data, a.size)
    return out


def partial_products(x: Words) -> NDArray[np.int64]:
    """The square by the definition: x_i · x_i in column 2i, twice x_i · x_j in column i + j + 1, columns below 19 left out."""
    bit = [(x >> np.uint32(i) & np.uint32(1)).astype(np.int64) for i in range(ARGUMENT_BITS)]
    total = np.zeros(x.shape, np.int64)
    for i in range(ARGUMENT_BITS):
        for j in range(i, ARGUMENT_BITS):
            column = i + j + (i != j)
            if column >= 19:
                total += (bit[i] & bit[j]) << column
    return total


def test_the_square_leaves_out_the_lowest_columns() -> None:
    found = over_arrays("ptxlab_test_squared", lambda fn, x, _: interpolate.squared(x), ARGUMENTS, ARGUMENTS)
    wanted = partial_products(ARGUMENTS)
    assert np.array_equal(found.astype(np.int64) << 19, wanted)
    assert (wanted < ARGUMENTS.astype(np.int64) ** 2).any()


@pytest.mark.parametrize("table", [tables.RCP, tables.RSQ, tables.SQRT, tables.EX2], ids=lambda t: t.name)
def test_the_sum_is_exact_and_cut_off(table: Table) -> None:
    rng = np.random.default_rng(1)
    segments = rng.integers(0, len(table.rows), ARGUMENTS.size, dtype=np.uint32)
    name = f"ptxlab_test_interpolate_{table.name}"
    found = over_arrays(name, lambda fn, s, x: interpolate.interpolate(fn, table, s, x), segments, ARGUMENTS)
    c0, c1, c2 = np.array(table.rows, np.int64)[segments].T
    whole = (c0 << 14) + table.rounding + c1 * ARGUMENTS + (c2 * partial_products(ARGUMENTS) >> 18)
    assert np.array_equal(found, whole >> 17)


@pytest.mark.parametrize("table", [tables.RCP, tables.RSQ, tables.SQRT, tables.EX2], ids=lambda t: t.name)
def test_segments_join(table: Table) -> None:
    """Within a few units of the last bit: each begins where the one before it ends."""
    groups = [table.rows[i : i + 64] for i in (0, 64)] if table.name in ("rsqrt", "sqrt") else [table.rows]
    for rows in groups:
        for (c0, c1, c2), (following, *_) in pairwise(rows):
            assert abs(c0 / 8 + c1 + c2 / 2 - following / 8) < 3
