"""Lines of latent attention over a cache: the result that `ptxlab bench kernels` holds ours to, and who takes part, on the CPU."""

from __future__ import annotations

from typing import Any

import pytest

from ptxlab.bench.kernels import contest, decode_latent
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere
from ptxlab.bench.kernels.decode_latent import Latent
from ptxlab.diag import Diagnostic

SMALL = Latent(2, 128, 4)


def compete(monkeypatch: pytest.MonkeyPatch, *names: str) -> Contest:
    torch = pytest.importorskip("torch", reason="there is no torch: install the extra `torch`")

    def missing(name: str) -> Any:
        raise NotThere(f"no {name}")

    monkeypatch.setattr(decode_latent, "installed", missing)
    made = Contest()
    decode_latent.contenders(made, decode_latent.line(SMALL), Inputs.seeded(torch, device="cpu"), names, [SMALL])
    return made


def test_ours_is_right_and_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compete(monkeypatch, "cublas", "flash", "flashinfer")
    assert list(made.ours) == [decode_latent.NAME]
    assert list(made.peers) == ["torch, two products"]
    assert "no flash_mla" in made.missing["FlashMLA"]
    assert "no flashinfer" in made.missing["FlashInfer"]


def test_a_wrong_result_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = decode_latent._wanted
    monkeypatch.setattr(decode_latent, "_wanted", lambda *args: wanted(*args) * 1.01)
    with pytest.raises(Diagnostic) as caught:
        compete(monkeypatch)
    assert caught.value.code == "PTX2420"


def test_torch_gives_what_ours_is_held_to(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, found = decode_latent._wanted, list[Any]()

    def noted(*args: Any) -> Any:
        found.append(wanted(*args))
        return found[-1]

    monkeypatch.setattr(decode_latent, "_wanted", noted)
    made = compete(monkeypatch, "cublas")
    assert abs(made.peers["torch, two products"][0]().float() - found[0][:, 0]).max() < 0.01


def test_sets_are_larger_than_the_cache_of_the_gpu() -> None:
    assert all(line.bytes * contest.sets_of(line) > 100e6 for line in decode_latent.works())
