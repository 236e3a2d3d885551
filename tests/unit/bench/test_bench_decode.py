"""Lines of attention over a cache: the result that `ptxlab bench kernels` holds ours to, and who takes part, on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ptxlab.bench.kernels import contest, decode, works
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere
from ptxlab.bench.kernels.works import Cache, Reach, Work
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


def work(rows: int, size: int) -> Work:
    cache = Cache(3, 128, heads=2, group=2, rows=rows, depth=64, page=32)
    return Work(
        "decode" if size == 2 else "decode-fp8", "small", ((2 * rows, 128, 64),) * 6, Reach(1.0), size=size, cache=cache
    )


@pytest.mark.parametrize("size", [2, 1])
@pytest.mark.parametrize("rows", [1, 3])
def test_ours_is_right_and_takes_part(monkeypatch: pytest.MonkeyPatch, rows: int, size: int) -> None:
    def missing(name: str) -> Any:
        raise NotThere(f"no {name}")

    monkeypatch.setattr(decode, "installed", missing)
    made = Contest()
    decode.paged(made, work(rows, size), inputs(), ("torch", "flash-attn", "flashinfer"))
    assert list(made.ours) == [decode.NAME]
    assert list(made.peers) == ["torch"] * (size == 2)
    assert ("one row" if rows > 1 else "no flashinfer") in made.missing["flashinfer"]
    assert ("no flash_attn" if size == 2 else "of another type") in made.missing["flash-attn"]


def test_a_wrong_result_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = decode._wanted
    monkeypatch.setattr(decode, "_wanted", lambda *args: wanted(*args) * 1.01)
    with pytest.raises(Diagnostic) as caught:
        decode.paged(Contest(), work(1, 2), inputs(), ())
    assert caught.value.code == "PTX2420"


@pytest.mark.parametrize("rows", [1, 2])
def test_torch_gives_what_ours_is_held_to(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    wanted, found = decode._wanted, list[Any]()

    def noted(*args: Any) -> Any:
        found.append(wanted(*args))
        return found[-1]

    monkeypatch.setattr(decode, "_wanted", noted)
    made = Contest()
    decode.paged(made, work(rows, 2), inputs(), ("torch",))
    assert abs(made.peers["torch"][0]().transpose(1, 2).float() - found[0]).max() < 0.01


def test_sets_are_larger_than_the_cache_of_the_gpu() -> None:
    lines = works.works(["decode", "decode-fp8"])
    assert all(line.bytes * contest.sets_of(line) > 100e6 for line in lines)
