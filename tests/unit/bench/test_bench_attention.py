"""Lines of attention forward: the result that `ptxlab bench kernels` holds ours to, and who takes part, on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ptxlab.bench.kernels import attention, works
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere
from ptxlab.bench.kernels.works import Heads, Reach, Work
from ptxlab.diag import Diagnostic


class OnCpu:
    """torch, with the CPU for a GPU."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name)
        if name == "cuda":
            return type("cuda", (), {"synchronize": staticmethod(lambda: None)})
        if not callable(found) or isinstance(found, type):
            return found
        return self._there(found)

    @staticmethod
    def _there(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **options: call(*args, **(options | {"device": "cpu"} if "device" in options else options))


def inputs() -> Inputs:
    torch = pytest.importorskip("torch", reason="needs torch")
    return Inputs(OnCpu(torch), torch.Generator().manual_seed(0))  # type: ignore[arg-type]


def work(*lengths: int, **more: Any) -> Work:
    heads = Heads(lengths, queries=4, keys=2, **more)
    return Work("attention", heads.name, heads.shapes, Reach(1.0), heads=heads)


LINES = [work(70, 70), work(70, 70, causal=True), work(30, 70, 20, depth=96, value_depth=64, causal=True)]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_ours_is_right_and_takes_part(monkeypatch: pytest.MonkeyPatch, line: Work) -> None:
    def missing(name: str) -> Any:
        raise NotThere(f"no {name}")

    monkeypatch.setattr(attention, "installed", missing)
    made = Contest()
    attention.forward(made, line, inputs(), ("torch", "flash-attn"))
    assert list(made.ours) == [attention.NAME]
    assert list(made.peers) == ["torch"] * (len(line.name.split(" to ")) == 1)
    assert made.missing["flash-attn"] == "no flash_attn_interface"


def test_a_wrong_result_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = attention._wanted
    monkeypatch.setattr(attention, "_wanted", lambda *args: wanted(*args) * 1.01)
    with pytest.raises(Diagnostic) as caught:
        attention.forward(Contest(), LINES[0], inputs(), ())
    assert caught.value.code == "PTX2420"


def test_lines_have_names_of_their_own() -> None:
    names = [line.name for line in works.works(["attention"])]
    assert len(set(names)) == len(names)
    assert "2 × 8192, 16 heads of 192 and 128, causal" in names
