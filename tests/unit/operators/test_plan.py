"""Launches of an operator that are made again: where addresses stand, and what stays as it was. The driver is one that answers."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.launch.watch import watched
from ptxlab.operators.plan import Recorder

sys.path.insert(0, str(Path(__file__).parents[1] / "cuda"))
from answering import PTX, Driver, Tensor, Torch, cuda, torch

__all__ = ["cuda", "torch"]  # fixtures

pytestmark = pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")

BYTES = 64 * 64 * 4


class Dtype:
    """torch's float32."""

    def __str__(self) -> str:
        return "torch.float32"


class OnGpu(Tensor):
    """A tensor of 64 × 64 f32, which owns its memory."""

    dtype: Any = Dtype()

    def __init__(self, address: int) -> None:
        super().__init__(address)
        self.zeroed = False

    def get_device(self) -> int:
        return 0

    def untyped_storage(self) -> Any:
        return SimpleNamespace(data_ptr=self.data_ptr)

    def zero_(self) -> Any:
        self.zeroed = True
        return self


OnGpu.__module__ = Dtype.__module__ = "torch"


@pytest.fixture
def room(torch: Torch) -> list[int]:
    """Where the tensors that are made lie, in turn."""
    places: list[int] = []

    def made(*_: Any, **__: Any) -> OnGpu:
        return OnGpu(places.pop(0))

    more: Any = torch
    more.Tensor, more.empty, more.zeros, more.empty_strided = OnGpu, made, made, made
    more.float32, more.device = OnGpu.dtype, lambda *a: None
    return places


recorders: list[Recorder] = []


def _noted(torch: Torch, x: OnGpu, run: Any) -> Any:
    recorder = Recorder(torch, [x, 3, None])
    recorders[:] = [recorder]
    with watched(recorder):
        out = run()
    return recorder.plan([out], single=True)


def test_addresses_are_replaced_and_nothing_else(cuda: Driver, torch: Torch, room: list[int]) -> None:
    kernel, x = px.parse(PTX)["k"], OnGpu(0x10000)
    room.append(0x10000 + BYTES)  # right behind the argument: its first byte is behind the argument's last

    def run() -> Any:
        out = px.empty_like(x)
        kernel[4](x, px.tensor_map(out, (8, 32)), 7, block=32)
        return out

    room.append(0x90000)  # a tensor that the plan asks for its stream with
    plan = _noted(torch, x, run)
    (first,) = cuda.launches
    torch.current = 0x55
    for there, made in ((0x20000, 0x30000), (0x40000, 0x20000)):
        room.append(made)
        out = plan([there])
        assert out.data_ptr() == made
        again = cuda.launches[-1]
        a, tensor, h = again["params"]
        assert int.from_bytes(a, "little") == there
        assert int.from_bytes(tensor[:8], "little") == made
        assert (tensor[8:], h) == (first["params"][1][8:], first["params"][2])
        assert again["stream"] == 0x55
        assert all(again[what] == first[what] for what in ("grid", "block", "shared", "function"))
    assert len(cuda.launches) == 3


def test_zeros_are_made_anew(cuda: Driver, torch: Torch, room: list[int]) -> None:
    x = OnGpu(0x10000)
    room += [0x30000, 0x90000, 0x40000]
    plan = _noted(torch, x, lambda: px.zeros_like(x))
    assert plan([0x20000]).zeroed


@pytest.mark.parametrize(
    "what", ["nothing", "foreign", "pointer in a number", "a stream", "an argument in a result", "no result", "a copy"]
)
def test_what_is_in_doubt_is_not_made_again(cuda: Driver, torch: Torch, room: list[int], what: str) -> None:
    kernel, x = px.parse(PTX)["k"], OnGpu(0x10000)
    room += [0x10100 if what == "an argument in a result" else 0x30000, 0x90000]
    pointing = px.parse(PTX.replace(".param .u16 h", ".param .u64 h"))["k"]
    cuda.sizes = (8, 128, 8 if what == "pointer in a number" else 2)

    def run() -> Any:
        out = px.empty_like(x)
        tensor = px.tensor_map(x, (8, 32))
        if what == "foreign":
            kernel[4](OnGpu(0x70000), tensor, 7, block=32)
        elif what == "pointer in a number":
            pointing[4](x, tensor, 0x10010, block=32)
        elif what == "a stream":
            kernel[4](x, tensor, 7, block=32, stream=0x66)
        elif what == "a copy":
            recorders[0].beside()
        return OnGpu(0x50000) if what == "no result" else out

    found = _noted(torch, x, run)
    assert (found is not None) if what == "nothing" else found is None


def test_slices_of_one_tensor_lie_to_each_other_as_they_did(cuda: Driver, torch: Torch, room: list[int]) -> None:
    """Queries, keys and values of one product, say: addresses of each may be told from those of the others by that."""
    kernel, x, y = px.parse(PTX)["k"], OnGpu(0x10000), OnGpu(0x10100)
    room += [0x30000, 0x90000, 0x40000]
    recorder = Recorder(torch, [x, y])

    def run() -> Any:
        out = px.empty_like(x)
        kernel[4](y, px.tensor_map(x, (8, 32)), 7, block=32)
        return out

    with watched(recorder):
        plan = recorder.plan([run()], single=True)
    assert plan is not None
    assert not plan.fits([0x20000, 0x20200])
    assert plan.fits([0x20000, 0x20100])
    plan([0x20000, 0x20100])
    pointer, tensor, _ = cuda.launches[-1]["params"]
    assert int.from_bytes(pointer, "little") == 0x20100
    assert int.from_bytes(tensor[:8], "little") == 0x20000


def test_zeros_that_a_kernel_needs_beside_are_the_calls(cuda: Driver, torch: Torch, room: list[int]) -> None:
    """Partial sums, say: they come from torch, in the order of its stream, and not from the driver."""
    kernel, x = px.parse(PTX)["k"], OnGpu(0x10000)
    room += [0x30000, 0x50000, 0x90000, 0x60000, 0x70000]

    def run() -> Any:
        out, sums = px.empty_like(x), px.device_of(x).zeros((64, 64), "float32")
        kernel[4](sums, px.tensor_map(x, (8, 32)), 7, block=32)
        return out

    plan = _noted(torch, x, run)
    plan([0x20000])
    assert int.from_bytes(cuda.launches[-1]["params"][0], "little") == 0x70000
