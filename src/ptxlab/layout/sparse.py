"""Sparse matrices: which columns of A the metadata of mma.sp and wgmma.sp stand for.

Every element of A that is there has two bits: its place among four (.tf32: among the halves of two; 4-bit elements: pairs among
four pairs). Sixteen rows of A belong to a warp; lanes of every four hold their metadata, the selector says which.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
ROWS = 16


@lru_cache
def metadata_places(type_bits: int, k: int, selector: int) -> tuple[IntArray, IntArray]:
    """Where the four bits of each group of columns lie: (lane, shift), int64 [16, groups].

    Args:
        type_bits: bits of an element of A: 4, 8, 16 or 32. k: columns of A, those left out counted.
        selector: which lanes of four: one of four, one of two pairs, or 0 where all are needed; others stay among the four.
    """
    groups = k // group_columns(type_bits)
    row, group = np.arange(ROWS)[:, None], np.arange(groups)[None, :]
    lanes = groups // 4  # lanes of every four that hold metadata
    row, group = np.broadcast_arrays(row, group)
    first = 4 * (row % 8) + lanes * selector % 4
    if type_bits >= 16 or lanes == 1:
        return first + group // 4, 16 * (row // 8) + 4 * (group % 4)
    return first + group // 8 * 2 + row // 8, 4 * (group % 8)


def group_columns(type_bits: int) -> int:
    """Columns of A that four bits of metadata speak of."""
    return {32: 2, 4: 8}.get(type_bits, 4)


def _fours(metadata: NDArray[np.uint32], type_bits: int, k: int, selector: int) -> IntArray:
    lane, shift = metadata_places(type_bits, k, selector)
    out: IntArray = metadata.astype(np.int64)[lane] >> shift & 15
    return out


def columns(metadata: NDArray[np.uint32], type_bits: int, k: int, selector: int) -> IntArray:
    """The column of every element that is there, int64 [16, k / 2].

    Args:
        metadata: the words of 32 lanes. The others: as of `metadata_places`.

    ISA: "Sparse matrix storage".
    """
    four = _fours(metadata, type_bits, k, selector)
    first, second = four & 3, four >> 2
    base = np.arange(k // group_columns(type_bits)) * group_columns(type_bits)
    if type_bits == 32:
        one: IntArray = base + (first >> 1)
        return one
    if type_bits == 4:
        parts = [base + 2 * first, base + 2 * first + 1, base + 2 * second, base + 2 * second + 1]
    else:
        parts = [base + first, base + second]
    return np.stack(parts, axis=-1).reshape(ROWS, k // 2)


def words(places: IntArray, type_bits: int, k: int, selector: int) -> NDArray[np.uint32]:
    """The words of 32 lanes that say of every element in which column it lies: the inverse of `columns`.

    Args:
        places: int [16, k / 2]: two different columns of each group of four, one of two for 32 bits, two pairs of eight for 4 bits.
        The others: as of `metadata_places`. Lanes that hold no metadata get 0.

    Raises: ValueError for other columns.
    """
    group = group_columns(type_bits)
    within = places.reshape(ROWS, k // group, -1) - np.arange(k // group)[:, None] * group
    if ((within < 0) | (within >= group)).any():
        raise ValueError("a column lies outside of its group")
    if type_bits == 32:
        first, second = 2 * within[..., 0], 2 * within[..., 0] + 1
    elif type_bits == 4:
        first, second = within[..., 0] // 2, within[..., 2] // 2
        if (within != np.stack([2 * first, 2 * first + 1, 2 * second, 2 * second + 1], -1)).any():
            raise ValueError("elements of 4 bits are stored in pairs")
    else:
        first, second = within[..., 0], within[..., 1]
    if (first == second).any():
        raise ValueError("an element is stored twice")
    lane, shift = metadata_places(type_bits, k, selector)
    out = np.zeros(32, np.uint32)
    np.bitwise_or.at(out, lane, ((first | second << 2) << shift).astype(np.uint32))
    return out


def tf32_rows(metadata: NDArray[np.uint32], k: int, selector: int) -> IntArray:
    """For every element of a sparse A of tf32 the row of `tf32_table` that it meets, int64 [16, k / 2]."""
    four = _fours(metadata, 32, k, selector)
    out: IntArray = 16 * np.arange(int(four.shape[1])) + four
    return out


def tf32_table(b: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """All words that metadata can make of the rows of B [K, N] in twos: uint32 [8 K, N].

    A lower and an upper half are chosen among the four halves of two rows, so that metadata which the manual does not allow
    mix words, as they do on an H100.
    """
    halves = np.stack([b & np.uint32(0xFFFF), b >> np.uint32(16)], axis=1).reshape(len(b) // 2, 4, -1)
    four = np.arange(16)
    out: NDArray[np.uint32] = halves[:, four & 3] | halves[:, four >> 2] << np.uint32(16)
    return out.reshape(8 * len(b), -1)
