"""Arrays of the host in the place of a GPU's: the same bytes, laid out alike. The GPU's memory is made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.arrays import ArrayView, view
from ptxlab.abi.maps import BoundMap
from ptxlab.abi.memory import bytes_at
from ptxlab.cuda import driver, library
from ptxlab.timing.stand_ins import StandIns


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What is read of the GPU: address and bytes."""
    found: list[tuple[int, int]] = []

    def read_memory(device: Any, address: int, nbytes: int) -> bytearray:
        found.append((address, nbytes))
        return bytearray(bytes_at(address, nbytes).tobytes())

    monkeypatch.setattr(driver, "device", lambda ordinal: ordinal)
    monkeypatch.setattr(library, "read_memory", read_memory)
    return found


def _on_gpu(array: Any) -> ArrayView:
    return replace(view(array), device="cuda")


@pytest.mark.parametrize(
    "taken", [np.s_[:], np.s_[3:], np.s_[::2, 1:5], np.s_[:, ::-1], np.s_[:0]], ids=["all", "behind", "steps", "back", "none"]
)
def test_bytes_strides_and_place_are_those_of_the_original(read: list[tuple[int, int]], taken: Any) -> None:
    x = px.empty((16, 24), "f32")
    x[...] = np.arange(16 * 24, dtype=np.float32).reshape(16, 24)
    original = x[taken]
    made = StandIns().of(_on_gpu(original))
    assert (made == original).all()
    assert (made.dtype, made.shape) == (original.dtype, original.shape)
    if original.size:
        assert made.strides == original.strides
        assert view(made).address % 256 == view(original).address % 256
        assert not np.shares_memory(made, x)


def test_types_that_numpy_lacks_are_those_of_ml_dtypes(read: list[tuple[int, int]]) -> None:
    x = px.empty(64, "bf16")
    x[...] = 3
    assert StandIns().of(_on_gpu(x)).dtype == x.dtype


def test_a_piece_of_memory_is_copied_once(read: list[tuple[int, int]]) -> None:
    x = px.empty((64, 64), "f32")
    stands = StandIns()
    one, other = (stands.of(_on_gpu(x)) for _ in range(2))
    assert np.shares_memory(one, other)
    assert read == [(view(x).address, x.nbytes)]


def test_a_tensor_map_leads_to_the_copy(read: list[tuple[int, int]]) -> None:
    x = px.zeros_like(px.empty((64, 64), "f32"))
    bound = px.tensor_map(_on_gpu(x), box=(32, 32), swizzle="128B")
    made = StandIns().of(bound)
    assert isinstance(made, BoundMap)
    assert made.array.device == "cpu"
    assert made.map.address == made.array.address != bound.map.address
    assert replace(made.map, address=bound.map.address) == bound.map


def test_all_else_stays_as_it_is(read: list[tuple[int, int]]) -> None:
    x = np.zeros(4, np.float32)
    bound = px.tensor_map(px.empty((64, 64), "f32"), box=(32, 32))
    for given in (x, 3, np.float32(2.0), bound):
        assert StandIns().of(given) is given
    assert not read
