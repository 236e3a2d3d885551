"""The lines of attention and of rows: small ones on the CPU, whose results are held to torch's as those on a GPU are."""

from __future__ import annotations

from typing import Any

import pytest

from ptxlab.bench.kernels import attention, attention_backward, block, lines, rows
from ptxlab.bench.kernels.attention import Heads
from ptxlab.bench.kernels.block import Block
from ptxlab.bench.kernels.contest import Contest, Inputs
from ptxlab.diag import Diagnostic


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="there is no torch: install the extra `torch`")


@pytest.mark.parametrize("name", rows.ROWS)
def test_rows(torch: Any, name: str) -> None:
    made = Contest()
    rows.contenders(made, rows.line(name, 256, 4 * 256), Inputs.seeded(torch, device="cpu"), ["cublas"])
    assert not made.missing
    assert list(made.everyone) == [rows.NAME, "torch"]


FORWARD = [
    Heads(2, 40, 4, 2, 64, causal=True),
    Heads(1, 70, 2, 2, 128),
    Heads(1, 70, 2, 2, 192, causal=True, of_values=128),
    Heads.packed((30, 70, 20), 4, 2, 96),
    Heads(1, 70, 2, 2, 128, causal=True, dtype="float8_e4m3fn"),
]


@pytest.mark.parametrize("heads", FORWARD, ids=str)
def test_attention(torch: Any, heads: Heads) -> None:
    made = Contest()
    attention.contenders(made, attention.line(heads), Inputs.seeded(torch, device="cpu"), ["flash"], [heads])
    assert list(made.everyone) == [attention.NAME]
    why = "it takes scales" if heads.size == 1 else "flash_attn_interface cannot be imported"
    assert why in made.missing["FlashAttention 3"]


@pytest.mark.parametrize("heads", [Heads(2, 40, 4, 2, 64, causal=True), Heads(1, 70, 2, 2, 128)], ids=str)
def test_gradients_of_attention(torch: Any, heads: Heads) -> None:
    made, inputs = Contest(), Inputs.seeded(torch, device="cpu")
    attention_backward.contenders(made, attention_backward.line(heads), inputs, ["flash"], [heads])
    assert list(made.everyone) == [attention_backward.NAME]
    assert "flash_attn_interface cannot be imported" in made.missing["FlashAttention 3"]
    assert made.ours[attention_backward.NAME]


def test_gradients_of_a_peer_are_timed_on_the_same_tensors(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's own attention on the CPU, in the place of a peer."""
    heads = Heads(1, 40, 2, 2, 64, causal=True)

    def peers_of(torch: Any, names: Any, h: Heads, tensors: Any) -> dict[str, Any]:
        q, k, v = (x.transpose(1, 2) for x in tensors)
        forward = torch.nn.functional.scaled_dot_product_attention
        return {"torch": lambda: lambda: forward(q, k, v, is_causal=h.causal)}

    monkeypatch.setattr(attention, "peers_of", peers_of)
    made, inputs = Contest(), Inputs.seeded(torch, device="cpu")
    attention_backward.contenders(made, attention_backward.line(heads), inputs, [], [heads])
    (call,) = made.peers["torch"]
    assert [tuple(x.shape) for x in call()] == [(1, 40, 2, 64)] * 3


def test_a_wrong_result_is_not_timed(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(torch: Any) -> dict[str, Any]:
        return {"softmax": lambda x: x}

    monkeypatch.setattr(rows, "functions", wrong)
    with pytest.raises(Diagnostic, match="PTX2420"):
        rows.contenders(Contest(), rows.line("softmax", 256, 1024), Inputs.seeded(torch, device="cpu"), [])


def test_the_lines_say_what_they_move() -> None:
    found = lines.works(["rows", "attention", "attention-backward"])
    assert len({line.name for line in found}) == len(found)
    assert all(line.bytes > 1e6 and line.amount > 0 for line in found)
    norm = next(line for line in found if line.what == "RMSNorm")
    assert (norm.operations, norm.amount) == (0, norm.bytes)
    assert norm.bytes == 4 * rows.ELEMENTS
    assert {line.kind for line in lines.works(["rows"], quick=True)} == {"rows"}


def test_a_transformer_block(torch: Any) -> None:
    small, made = Block(24, 128, depth=64), Contest()
    block.contenders(made, block.line(small), Inputs.seeded(torch, device="cpu"), ["compile"], [small])
    assert not made.missing
    assert list(made.everyone) == [block.NAME, block.PEER]
    (theirs,) = made.peers[block.PEER]
    assert [tuple(g.shape) for g in theirs()][:2] == [(1, 24, 128), (384, 128)]
