"""A matrix descriptor whose address still has the CTA's rank: it lands in the leading byte offset, as on the chip."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.conformance.addresses.probes import B_AT, LEADING, STRIDE, descriptor_probe
from ptxlab.layout.fragments import wgmma_d
from ptxlab.layout.matrix_descriptor import Major, MatrixDescriptor, element_offsets
from ptxlab.sim.numerics import kernels

N = 128
RANK_IN_LEADING = 1 << 24 >> 4 >> 16 << 4
"""The bit of rank 1 in an address, in bytes of the field that it reaches in a descriptor."""


def product(image: NDArray[np.uint8], major: Major, leading: int) -> NDArray[np.float32]:
    """A [64, 16] by B [16, N] out of the image, f32."""
    words = image.view(np.uint16)

    def operand(at: int, lines: int) -> NDArray[np.uint16]:
        described = MatrixDescriptor(at, leading, STRIDE, swizzle="128B")
        return words[element_offsets(described, lines, 16, 16, major) // 2]

    zeros = np.zeros((64, N), np.uint32)
    return kernels.matmul(
        operand(0, 64), operand(B_AT, N).T.copy(), zeros, "bf16", b_type="bf16", out="f32", fraction=25, short=False
    ).view(np.float32)


def run(major: Major, *, masked: bool) -> tuple[list[NDArray[np.float32]], NDArray[np.uint8]]:
    """The matrices [64, N] of the CTAs by rank, and what all of them had in shared memory."""
    probe = descriptor_probe(major, masked=masked)
    (image,), out = probe.arrays()
    px.simulate(px.parse(probe.text)["k"], args=[image, out], **probe.extents)
    matrices: list[Any] = []
    for registers in out:
        matrix = np.zeros(64 * N, np.float32)
        matrix[wgmma_d(N).flat] = registers
        matrices.append(matrix.reshape(64, N))
    return matrices, image


@pytest.mark.parametrize("major", ["K", "MN"])
def test_a_masked_address_is_right_in_every_cta(major: Literal["K", "MN"]) -> None:
    matrices, image = run(major, masked=True)
    for matrix in matrices:
        assert np.array_equal(matrix, product(image, major, LEADING[major]))


def test_without_the_mask_mn_major_is_wrong_in_all_but_rank_0() -> None:
    (first, second), image = run("MN", masked=False)
    right = product(image, "MN", LEADING["MN"])
    assert np.array_equal(first, right)
    assert not np.array_equal(second, right)
    assert np.array_equal(second, product(image, "MN", LEADING["MN"] | RANK_IN_LEADING))


def test_without_the_mask_swizzled_k_major_does_not_look_at_the_leading_offset() -> None:
    matrices, image = run("K", masked=False)
    for matrix in matrices:
        assert np.array_equal(matrix, product(image, "K", LEADING["K"]))
