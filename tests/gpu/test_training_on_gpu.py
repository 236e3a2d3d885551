"""A small language model on a GPU, under torch.compile: its losses with the library's operators are those with torch's own."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.gpu


def test_a_transformer_trains_as_with_torch_itself() -> None:
    pytest.importorskip("torch", reason="needs torch")
    from transformer import OURS, TORCHS, Size, trained

    size = Size(words=251, width=256, heads=4, layers=2, batches=8, rows=128)
    ours, theirs = (trained(size, ops, 60, "cuda", "inductor") for ops in (OURS, TORCHS))
    assert min(ours) < 0.01 * ours[0]
    # Two runs of torch's own differ as much: atomic additions to gradients of the words come in any order
    assert ours[:8] == pytest.approx(theirs[:8], rel=0.01)
    assert _means(ours) == pytest.approx(_means(theirs), rel=0.25)


def _means(losses: list[float], count: int = 10) -> list[float]:
    return [sum(losses[i : i + count]) / count for i in range(0, len(losses), count)]
