from __future__ import annotations

import numpy as np
import pytest

from ptxlab.diag import Diagnostic
from ptxlab.layout import Fragment, ldmatrix, mma_a, mma_b, mma_d, wgmma_a, wgmma_d
from ptxlab.layout.fragments import octet_a, octet_b, octet_d

ALL: list[tuple[str, Fragment]] = [
    *((f"wgmma_d {n}", wgmma_d(n)) for n in (8, 64, 256)),
    *((f"wgmma_a {b}", wgmma_a(b)) for b in (8, 16, 32)),
    *((f"mma_a {b}", mma_a(b)) for b in (8, 16, 32)),
    *((f"mma_b {b}", mma_b(b)) for b in (8, 16, 32)),
    ("mma_d", mma_d()),
    *((f"ldmatrix x{n}", ldmatrix(n)) for n in (1, 2, 4)),
    *((f"ldmatrix x{n} trans", ldmatrix(n, trans=True)) for n in (1, 2, 4)),
]


@pytest.mark.parametrize("fragment", [f for _, f in ALL], ids=[name for name, _ in ALL])
def test_every_element_has_one_owner(fragment: Fragment) -> None:
    assert fragment.threads * fragment.elements == fragment.shape[0] * fragment.shape[1]
    assert sorted(fragment.flat.ravel()) == list(range(fragment.flat.size))
    for t, e in ((0, 0), (fragment.threads - 1, fragment.elements - 1), (5, 1)):
        row, col = fragment.rows[t, e], fragment.cols[t, e]
        assert fragment.owner[row, col].tolist() == [t, e]
    with pytest.raises(ValueError, match="read-only"):
        fragment.rows[0, 0] = 1


def held(fragment: Fragment, thread: int) -> list[tuple[int, int]]:
    return [(int(r), int(c)) for r, c in zip(fragment.rows[thread], fragment.cols[thread], strict=True)]


def test_positions_that_the_manual_draws() -> None:
    assert held(mma_a(16), 0) == [(0, 0), (0, 1), (8, 0), (8, 1), (0, 8), (0, 9), (8, 8), (8, 9)]
    assert held(mma_a(16), 31) == [(7, 6), (7, 7), (15, 6), (15, 7), (7, 14), (7, 15), (15, 14), (15, 15)]
    assert held(mma_b(16), 0) == [(0, 0), (1, 0), (8, 0), (9, 0)]
    assert held(mma_b(16), 31) == [(6, 7), (7, 7), (14, 7), (15, 7)]
    assert held(mma_d(), 5) == [(1, 2), (1, 3), (9, 2), (9, 3)]
    assert held(mma_a(32), 6) == [(1, 2), (9, 2), (1, 6), (9, 6)]
    assert held(mma_b(32), 6) == [(2, 1), (6, 1)]
    assert held(mma_a(8), 1)[:8] == [(0, 4), (0, 5), (0, 6), (0, 7), (8, 4), (8, 5), (8, 6), (8, 7)]
    assert held(mma_a(8), 1)[8:10] == [(0, 20), (0, 21)]
    assert held(wgmma_d(16), 0) == [(0, 0), (0, 1), (8, 0), (8, 1), (0, 8), (0, 9), (8, 8), (8, 9)]
    assert held(wgmma_d(16), 127)[-1] == (63, 15)
    assert held(wgmma_d(256), 33)[-2:] == [(24, 250), (24, 251)]
    assert held(wgmma_a(16), 32) == [(16, 0), (16, 1), (24, 0), (24, 1), (16, 8), (16, 9), (24, 8), (24, 9)]


def test_a_warpgroup_is_four_warps_of_mma() -> None:
    for warp in range(4):
        mine = slice(32 * warp, 32 * warp + 32)
        assert np.array_equal(wgmma_a(16).rows[mine] - 16 * warp, mma_a(16).rows)
        assert np.array_equal(wgmma_a(16).cols[mine], mma_a(16).cols)
        assert np.array_equal(wgmma_d(8).rows[mine] - 16 * warp, mma_d().rows)


def test_a_16_bit_a_operand_is_the_accumulator_of_n_16() -> None:
    # What makes chained products possible without moving data between threads.
    assert np.array_equal(wgmma_a(16).flat, wgmma_d(16).flat)


def load(memory: np.ndarray, addresses: list[tuple[int, int]], trans: bool) -> np.ndarray:
    """ldmatrix as the manual tells it: thread t gets, of each 8 × 8 matrix, row t / 4 and columns 2 (t % 4) and the next."""
    num = len(addresses) // 8
    out = np.zeros((32, 2 * num), memory.dtype)
    for m in range(num):
        matrix = np.array([memory[r, c : c + 8] for r, c in addresses[8 * m : 8 * m + 8]])
        matrix = matrix.T if trans else matrix
        for t in range(32):
            out[t, 2 * m : 2 * m + 2] = matrix[t // 4, 2 * (t % 4) : 2 * (t % 4) + 2]
    return out


@pytest.mark.parametrize("num", [1, 2, 4])
@pytest.mark.parametrize("trans", [False, True])
def test_ldmatrix_is_what_the_manual_tells(num: int, trans: bool) -> None:
    memory = np.arange(64 * num).reshape(8 * num, 8)
    loaded = load(memory, [(lane, 0) for lane in range(8 * num)], trans)  # lane 8m + r gives row r of matrix m
    assert np.array_equal(loaded, memory.ravel()[ldmatrix(num, trans).flat])


def test_ldmatrix_feeds_mma() -> None:
    a = np.arange(256).reshape(16, 16)
    quarters = [(r + 8 * (m % 2), m // 2 * 8) for m in range(4) for r in range(8)]
    assert np.array_equal(load(a, quarters, trans=False), a.ravel()[mma_a(16).flat])
    b = np.arange(128).reshape(16, 8)  # K × N, N contiguous: needs .trans
    halves = [(r, 0) for r in range(16)]
    assert np.array_equal(load(b, halves, trans=True), b.ravel()[mma_b(16).flat])


@pytest.mark.parametrize(("n", "nearest"), [(12, 16), (0, 8), (264, 256), (-8, 8)])
def test_wgmma_has_not_every_n(n: int, nearest: int) -> None:
    with pytest.raises(Diagnostic) as e:
        wgmma_d(n)
    assert e.value.code == "PTX2122"
    assert f"nearest is {nearest}" in (e.value.help or "")


def test_other_shapes_are_refused() -> None:
    for call in (lambda: ldmatrix(3), lambda: mma_a(2), lambda: wgmma_a(4)):
        with pytest.raises(Diagnostic) as e:
            call()
        assert e.value.code == "PTX2122"


def test_octets_hold_four_products() -> None:
    for layout in ("row", "col"):
        for fragment in (octet_a(layout), octet_b(layout)):
            assert np.array_equal(np.sort(fragment.flat, axis=None), np.arange(128))
    for bits in (16, 32):
        assert np.array_equal(np.sort(octet_d(bits).flat, axis=None), np.arange(256))
    assert held(octet_a("row"), 21) == [(13, c) for c in range(4)]  # lane 21: the second product, the fifth row on
    assert held(octet_b("col"), 6) == [(r, 10) for r in range(4)]
    assert held(octet_d(32), 3) == [(1, 2), (1, 3), (3, 2), (3, 3), (1, 6), (1, 7), (3, 6), (3, 7)]


def test_doubles_fill_eight_registers_of_a_and_four_of_b() -> None:
    assert held(mma_a(64), 5) == [(1, 1), (9, 1), (1, 5), (9, 5), (1, 9), (9, 9), (1, 13), (9, 13)]
    assert held(mma_b(64, 4), 5) == [(1, 1), (5, 1), (9, 1), (13, 1)]
