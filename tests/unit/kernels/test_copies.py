"""The copies, simulated: every byte arrives, nothing behind the end is touched, swizzled tiles look as TMA leaves them."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.kernels import copies
from ptxlab.layout import swizzle

GUARD = 64


def padded(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A zeroed array of n elements and the memory around its end, which must stay as it is."""
    memory = px.empty(n + GUARD, np.float32)
    memory[:] = -1
    return memory[:n], memory[n:]


@pytest.mark.parametrize("name", copies.LINEAR)
@pytest.mark.parametrize("n", [1, 3, 255, 256, 1026, 2048])
def test_linear_copies(name: str, n: int) -> None:
    source, _ = padded(n)
    source[:] = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    target, behind = padded(n)
    copies.copy_linear(copies.LINEAR[name], source, target)
    assert np.array_equal(source, target)
    assert (behind == -1).all()


@pytest.mark.parametrize("schedule", ["late", "random"])
def test_no_copy_hopes_for_luck(schedule: str) -> None:
    """Every wait is there: results do not depend on when the background copies happen."""
    source, _ = padded(1026)
    source[:] = np.arange(1026)
    for kernel in copies.LINEAR.values():
        target, _ = padded(1026)
        copies.prepare_linear(kernel, source, target)(schedule=schedule, seed=7)
        assert np.array_equal(source, target)
    matrix, target = source[:1024].reshape(16, 64), padded(1024)[0].reshape(16, 64)
    copies.prepare_tma(matrix, target)(schedule=schedule, seed=7)
    assert np.array_equal(matrix, target)


def test_nothing_to_copy() -> None:
    copies.copy_linear(copies.bulk, np.zeros(0, np.float32), np.zeros(0, np.float32))


@pytest.mark.parametrize("shape", [(4,), (1000,), (1, 4), (33, 68), (64, 64)])
def test_tma_copies(shape: tuple[int, ...]) -> None:
    n = int(np.prod(shape))
    source, _ = padded(n)
    source[:] = np.arange(n)
    target, behind = padded(n)
    copies.copy_tma(source.reshape(shape), target.reshape(shape))
    assert np.array_equal(source, target)
    assert (behind == -1).all()


def test_tma_writes_whole_chunks_only() -> None:
    with pytest.raises(Diagnostic) as caught:
        copies.copy_tma(np.zeros(10, np.float32), np.zeros(10, np.float32))
    assert caught.value.code == "PTX2119"
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


# As published for 32-bit elements whose value is their column: boxes of 16 rows, one swizzle span wide.
FIRST_ROWS = {
    ("none", 32): [range(32)] * 8,
    ("32B", 8): [[0, 1, 2, 3, 4, 5, 6, 7]] * 4 + [[4, 5, 6, 7, 0, 1, 2, 3]] * 4,
    ("64B", 16): [
        *[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]] * 2,
        *[[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]] * 2,
        *[[8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]] * 2,
        *[[12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3]] * 2,
    ],
}


def columns_matrix() -> np.ndarray:
    matrix = px.empty((64, 64), np.float32)
    matrix[:] = np.arange(64)
    return matrix


@pytest.mark.parametrize(("mode", "columns"), FIRST_ROWS)
def test_swizzles_as_published(mode: str, columns: int) -> None:
    out = np.full(copies.dump_shape(16, columns, mode), -1, np.float32)
    copies.dump_swizzled(columns_matrix(), out, rows=16, columns=columns, swizzle=mode)
    expected = np.array([list(r) for r in FIRST_ROWS[mode, columns]] * 2, np.float32)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("columns", [32, 16, 4])
def test_swizzle_128(columns: int) -> None:
    """Rows narrower than the span lie a span apart; what no element reaches stays zero."""
    out = np.full(copies.dump_shape(16, columns, "128B"), -1, np.float32)
    copies.dump_swizzled(columns_matrix(), out, rows=16, columns=columns, swizzle="128B")
    place = np.arange(16 * 32).reshape(16, 32)[:, :columns] * 4
    expected = np.zeros(16 * 32, np.float32)
    expected[swizzle(place, "128B") // 4] = np.arange(columns)
    assert np.array_equal(out.ravel(), expected)


def test_a_box_wider_than_the_span() -> None:
    with pytest.raises(Diagnostic) as caught:
        copies.dump_swizzled(columns_matrix(), np.zeros((16, 32), np.float32), rows=16, columns=32, swizzle="64B")
    assert caught.value.code == "PTX2107"


KERNELS = [
    *copies.LINEAR.values(),
    copies.tma_1d,
    copies.tma_2d,
    copies.swizzled_tile.specialize(rows=16, columns=32, swizzle="128B"),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_ptxas_takes_them_without_a_word(kernel: px.Kernel) -> None:
    ptxas = pytest.importorskip("ptxlab.cuda.ptxas")
    if ptxas.find() is None:
        pytest.skip("there is no ptxas: install the extra `ptxas`")
    assert kernel.cubin.startswith(b"\x7fELF")
    assert kernel.warnings == ()
    assert kernel.resources.spill_stores == 0


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_their_text_reads_back(kernel: px.Kernel) -> None:
    assert str(px.parse(kernel.ptx)) == kernel.ptx
