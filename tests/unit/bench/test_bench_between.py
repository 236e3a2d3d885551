"""The lines of attention and of rows: small ones on the CPU, whose results are held to torch's as those on a GPU are."""

from __future__ import annotations

from typing import Any

import pytest

from ptxlab.bench.kernels import attention, lines, rows
from ptxlab.bench.kernels.attention import Heads
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


@pytest.mark.parametrize("heads", [Heads(2, 40, 4, 2, 64, causal=True), Heads(1, 70, 2, 2, 128)], ids=str)
def test_attention(torch: Any, heads: Heads) -> None:
    made = Contest()
    attention.contenders(made, attention.line(heads), Inputs.seeded(torch, device="cpu"), ["flash"], [heads])
    assert list(made.everyone) == [attention.NAME]
    assert "flash_attn_interface cannot be imported" in made.missing["FlashAttention 3"]


def test_a_wrong_result_is_not_timed(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(torch: Any) -> dict[str, Any]:
        return {"softmax": lambda x: x}

    monkeypatch.setattr(rows, "functions", wrong)
    with pytest.raises(Diagnostic, match="PTX2420"):
        rows.contenders(Contest(), rows.line("softmax", 256, 1024), Inputs.seeded(torch, device="cpu"), [])


def test_the_lines_say_what_they_move() -> None:
    found = lines.works(["rows", "attention"])
    assert len({line.name for line in found}) == len(found)
    assert all(line.bytes > 1e6 and line.amount > 0 for line in found)
    norm = next(line for line in found if line.what == "RMSNorm")
    assert (norm.operations, norm.amount) == (0, norm.bytes)
    assert norm.bytes == 4 * rows.ELEMENTS
    assert {line.kind for line in lines.works(["rows"], quick=True)} == {"rows"}
