"""Lines of attention over a cache: the result that `ptxlab bench kernels` holds ours to, and who takes part, on the CPU."""

from __future__ import annotations

from typing import Any

import pytest

from ptxlab.bench.kernels import contest, decode
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere
from ptxlab.bench.kernels.decode import Cache
from ptxlab.diag import Diagnostic

SMALL = [Cache(3, 128, heads=2, group=2, rows=rows, depth=64, page=32) for rows in (1, 2, 3)]


def compete(rows: int, size: int, *names: str) -> Contest:
    torch = pytest.importorskip("torch", reason="there is no torch: install the extra `torch`")
    made, cache = Contest(), SMALL[rows - 1]
    work = decode.line("decode" if size == 2 else "decode-fp8", cache)
    decode.contenders(made, work, Inputs.seeded(torch, device="cpu"), names, [cache])
    return made


@pytest.mark.parametrize("size", [2, 1])
@pytest.mark.parametrize("rows", [1, 3])
def test_ours_is_right_and_takes_part(monkeypatch: pytest.MonkeyPatch, rows: int, size: int) -> None:
    def missing(name: str) -> Any:
        raise NotThere(f"no {name}")

    monkeypatch.setattr(decode, "installed", missing)
    made = compete(rows, size, "cublas", "flash", "flashinfer")
    assert list(made.ours) == [decode.NAME]
    assert list(made.peers) == ["torch"] * (size == 2)
    assert ("one row" if rows > 1 else "no flashinfer") in made.missing["FlashInfer"]
    assert ("no flash_attn" if size == 2 else "of another type") in made.missing["FlashAttention"]


def test_a_wrong_result_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = decode._wanted
    monkeypatch.setattr(decode, "_wanted", lambda *args: wanted(*args) * 1.01)
    with pytest.raises(Diagnostic) as caught:
        compete(1, 2)
    assert caught.value.code == "PTX2420"


@pytest.mark.parametrize("rows", [1, 2])
def test_torch_gives_what_ours_is_held_to(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    wanted, found = decode._wanted, list[Any]()

    def noted(*args: Any) -> Any:
        found.append(wanted(*args))
        return found[-1]

    monkeypatch.setattr(decode, "_wanted", noted)
    made = compete(rows, 2, "cublas")
    assert abs(made.peers["torch"][0]().transpose(1, 2).float() - found[0]).max() < 0.01


def test_sets_are_larger_than_the_cache_of_the_gpu() -> None:
    assert all(line.bytes * contest.sets_of(line) > 100e6 for line in decode.works())
