"""Tensor maps of arrays: cached by what they follow from, the same for every thread, and never shared memory."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ptxlab.abi import maps
from ptxlab.abi.arrays import view
from ptxlab.abi.maps import BoundMap, tensor_map
from ptxlab.diag import Diagnostic
from ptxlab.launch.arrays import empty
from ptxlab.layout import TensorMap


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "_cache", {})


class Tensor:
    """What a map needs of a torch tensor."""

    __module__ = "torch"

    def __init__(
        self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: str = "torch.bfloat16"
    ) -> None:
        self.address, self.shape, self.strides, self.dtype = address, shape, strides, dtype
        self.device = type("Device", (), {"type": "cuda", "index": 0})()

    def data_ptr(self) -> int:
        return self.address

    def stride(self) -> tuple[int, ...]:
        return self.strides

    def element_size(self) -> int:
        return 2


def test_the_second_time_it_is_the_same_map() -> None:
    a = empty((64, 64), "bfloat16")
    first, second = (tensor_map(a, (8, 64), swizzle="128B") for _ in range(2))
    assert first.map is second.map
    assert first is not second
    assert first.encode() is second.encode()
    assert second.array.owner is a
    assert second.array.address == a.ctypes.data


OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "box": ({}, {"box": (4, 64)}),
    "swizzle": ({}, {"swizzle": "none"}),
    "interleave": ({"shape": (4, 8, 64)}, {"interleave": "16B"}),
    "l2_promotion": ({}, {"l2_promotion": "128B"}),
    "oob_fill": ({}, {"oob_fill": "nan"}),
    "element_strides": ({}, {"element_strides": (2, 1)}),
    "dtype": ({}, {"dtype": "u16"}),
}


@pytest.mark.parametrize(("given", "other"), OTHERS.values(), ids=OTHERS)
def test_what_a_map_follows_from_is_in_the_key(given: dict[str, Any], other: dict[str, Any]) -> None:
    a = empty(given.get("shape", (64, 64)), "bfloat16")
    base: dict[str, Any] = {"box": (8, 64) if a.ndim == 2 else (1, 8, 64), "swizzle": "128B"}
    plain, changed = tensor_map(a, **base), tensor_map(a, **(base | other))
    assert plain.encode() != changed.encode()
    assert tensor_map(a, **base).map is plain.map
    assert tensor_map(a, **(base | other)).map is changed.map


def test_views_of_an_array_have_maps_of_their_own() -> None:
    a = empty((64, 64), np.uint16)
    made = [
        tensor_map(x, (8, 8))
        for x in (a, a[8:], a[:, 8:], a[::2], a[:8], a.view(np.float16), a.view("bfloat16"), a.reshape(32, 128))
    ]
    assert len({m.encode() for m in made}) == len(made)
    for m, x in zip(made, (a, a[8:]), strict=False):
        assert m.map.address == x.ctypes.data


def test_a_tensor_of_another_library_is_looked_up_by_what_it_says() -> None:
    a = Tensor(1 << 32, (64, 64), (64, 1))
    first = tensor_map(a, (8, 64), swizzle=128)
    assert tensor_map(Tensor(1 << 32, (64, 64), (64, 1)), (8, 64), swizzle=128).map is first.map
    for other in (
        Tensor(1 << 33, (64, 64), (64, 1)),
        Tensor(1 << 32, (32, 64), (64, 1)),
        Tensor(1 << 32, (64, 64), (128, 1)),
    ):
        assert tensor_map(other, (8, 64), swizzle=128).map != first.map
    assert tensor_map(Tensor(1 << 32, (64, 64), (64, 1), "torch.float16"), (8, 64), swizzle=128).map.dtype == "f16"
    assert (first.array.device, first.array.strides) == ("cuda", (128, 2))


class CupyArray:
    """What a map needs of a CuPy array."""

    __module__ = "cupy"

    def __init__(self, address: int, strides: tuple[int, int]) -> None:
        self.data = type("Pointer", (), {"ptr": address})()
        self.shape, self.strides, self.dtype = (64, 64), strides, np.dtype(np.float16)
        self.__cuda_array_interface__ = {
            "version": 3, "typestr": "<f2", "shape": (64, 64), "data": (address, False), "strides": strides,
        }  # fmt: skip


def test_cupys_arrays_are_looked_up() -> None:
    first = tensor_map(CupyArray(1 << 32, (128, 2)), (8, 64))
    assert tensor_map(CupyArray(1 << 32, (128, 2)), (8, 64)).map is first.map
    for other in (CupyArray(1 << 33, (128, 2)), CupyArray(1 << 32, (256, 2))):
        assert tensor_map(other, (8, 64)).map != first.map
    assert (first.map.dtype, first.array.device) == ("f16", "cuda")


def test_a_described_array_is_looked_up_too() -> None:
    a = view(empty((64, 64), "bfloat16"))
    assert tensor_map(a, (8, 64)).map is tensor_map(replace(a), (8, 64)).map


def test_the_cache_keeps_no_array_alive() -> None:
    a = np.zeros((64, 64), np.uint16)
    gone = weakref.ref(a)
    tensor_map(a, (8, 8))
    tensor_map(a, (8, 8))
    del a
    gc.collect()
    assert gone() is None
    assert maps._cache


def test_a_bound_map_keeps_its_array_alive() -> None:
    made: list[BoundMap] = []
    for _ in range(2):  # made anew, and looked up
        a = empty((64, 64), np.uint16)
        made.append(tensor_map(a, (8, 8)))
        made.append(tensor_map(a, (8, 8)))
        gone = weakref.ref(a)
        del a
        gc.collect()
        assert gone() is not None


def test_the_oldest_map_leaves_a_full_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "CACHED", 3)
    a = empty((64, 64), np.uint16)
    first = tensor_map(a, (1, 8))
    for rows in (2, 3, 4, 5):
        tensor_map(a, (rows, 8))
        assert len(maps._cache) <= 3
    again = tensor_map(a, (1, 8))
    assert again.map is not first.map
    assert again.map == first.map


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("PTX2123", {"box": (8.0, 64.0)}),
        ("PTX2100", {"box": (8,)}),
        ("PTX2100", {"box": 8}),
        ("PTX2123", {"element_strides": (1.0, 1.0)}),
        ("PTX2112", {"swizzle": "96B"}),
        ("PTX2112", {"swizzle": ["128B"]}),
        ("PTX2112", {"dtype": "f8"}),
        ("PTX2107", {"box": (8, 64), "swizzle": "32B"}),
    ],
)
def test_what_is_refused_is_refused_every_time(cached: bool, code: str, changes: dict[str, Any]) -> None:
    a = empty((64, 64), "bfloat16")
    if cached:
        tensor_map(a, (8, 64), element_strides=(1, 1), swizzle="128B")
    for _ in range(2):
        with pytest.raises(Diagnostic) as e:
            tensor_map(a, **({"box": (8, 64), "swizzle": "128B"} | changes))
        assert e.value.code == code
        assert e.value.origin is not None
        assert e.value.origin.file == __file__


def test_threads_get_the_bytes_of_their_own_arrays() -> None:
    arrays = [empty((64, 64), "bfloat16") for _ in range(8)]
    expected = {
        (i, rows): TensorMap.tiled(
            dtype="bf16", address=a.ctypes.data, dims=(64, 64), strides=(128,), box=(64, rows), swizzle="128B"
        ).encode()
        for i, a in enumerate(arrays)
        for rows in (1, 2, 4, 8, 16)
    }
    wrong: list[tuple[int, int]] = []
    start = threading.Barrier(4)

    def work(seed: int) -> None:
        dice = np.random.default_rng(seed)
        start.wait()
        for _ in range(1500):
            which = int(dice.integers(8)), int(1 << dice.integers(5))
            if tensor_map(arrays[which[0]], (which[1], 64), swizzle="128B").encode() != expected[which]:
                wrong.append(which)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert len(maps._cache) == len(expected)


def test_each_launch_has_the_bytes_in_a_block_of_its_own() -> None:
    """Two launches of one kernel with two maps, as on two streams: neither sees the other's."""
    import ctypes

    import ptxlab as px
    from ptxlab.cuda.launch import Block

    text = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 m[128], .param .u32 n) { ret; }
"""
    kernel = px.parse(text)["k"]
    arrays = [empty((64, 64), "bfloat16") for _ in range(2)]
    launches = [
        kernel.prepare(grid=1, block=1, args=[tensor_map(a, (8, 64)), np.uint32(i)]) for i, a in enumerate(arrays)
    ]
    blocks = [Block(p.record) for p in launches for _ in range(2)]

    def bytes_of(block: Block) -> bytes:
        pointer = ctypes.c_void_p.from_address(block.address).value
        assert pointer is not None
        assert pointer % 64 == 0
        return ctypes.string_at(pointer, 128)

    assert [TensorMap.decode(bytes_of(b)).address for b in blocks] == [a.ctypes.data for a in arrays for _ in range(2)]
    places = {ctypes.c_void_p.from_address(b.address).value for b in blocks}
    assert len(places) == len(blocks)
