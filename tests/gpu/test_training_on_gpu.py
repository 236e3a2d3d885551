"""A small language model on a GPU, under torch.compile: its losses with the library's operators are those with torch's own."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.gpu


def test_a_transformer_trains_as_with_torch_itself() -> None:
    pytest.importorskip("torch", reason="needs torch")
    from transformer import OURS, TORCHS, Size, trained

    size = Size(words=251, width=256, heads=4, layers=2, batches=8, rows=128)
    ours, theirs = (trained(size, ops, 60, "cuda", "inductor") for ops in (OURS, TORCHS))
    assert min(ours) < 0.5 * ours[0]
    assert ours == pytest.approx(theirs, rel=0.03, abs=0.03)  # in bf16, roundings differ
