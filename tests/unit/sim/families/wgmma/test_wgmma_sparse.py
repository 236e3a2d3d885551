"""wgmma.sp of tf32 with metadata that the manual does not allow: they mix halves of two rows of B."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.conformance.rows import products
from ptxlab.layout.sparse import tf32_rows, tf32_table
from ptxlab.sim.numerics.kernels import sparse_matmul

from ...launching import launch


@pytest.mark.parametrize("legal", [False, True])
@pytest.mark.parametrize("data", ["near", "bits"])
def test_halves_of_two_rows(data: str, *, legal: bool) -> None:
    product = products.Product(16, "f32.tf32.tf32", data, signs=(1, 1), selector=1)
    batch = products.product_batches([product])[0]
    arrays, _ = batch.inputs(11)
    dice = np.random.default_rng(4)
    fours = dice.choice((0x4, 0xE), (128, 8)) if legal else dice.integers(0, 16, (128, 8))
    metadata = (fours << 4 * np.arange(8)).sum(axis=1).astype(np.uint32)
    arrays[2].view(np.uint32).reshape(128, 8)[:, 4] = metadata
    memory = np.zeros(batch.write_bytes, np.uint8)
    launch(batch.text, [*arrays, memory], block=(128, 1, 1))
    found = batch.results(memory)[product.key].view(np.uint32).reshape(64, 16)
    a, b, c = products.matrices_of(product, 11)
    for warp in range(4):
        rows = slice(16 * warp, 16 * warp + 16)
        index = tf32_rows(metadata[32 * warp : 32 * warp + 32], product.k, 1)
        want = sparse_matmul(a[rows], tf32_table(b), c[rows], index, "tf32")
        assert np.array_equal(found[rows], want)
