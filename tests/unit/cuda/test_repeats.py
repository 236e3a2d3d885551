"""Launches that come again: checked once for each signature, and with the same bytes as those that are checked in full."""

from __future__ import annotations

import threading
import warnings
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from answering import Driver, OnGpu, Status, Tensor, Torch, cuda, torch

import ptxlab as px
from ptxlab.abi import build as build_module
from ptxlab.cuda import launch as launch_module
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.launch import entry as entry_module
from ptxlab.launch import repeats

__all__ = ["cuda", "torch"]  # fixtures

pytestmark = pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")

PTX = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 64 .b8 map[128], .param .u16 h)
{
  .reg .b64 %d;
  .reg .b32 %r;
  ld.param.u64 %d, [a];
  ld.global.u32 %r, [counter];
  st.global.u32 [%d], %r;
  ret;
}
"""


class At(OnGpu):
    """A CUDA array at an address of its own."""

    def __init__(self, address: int = 0x7000, shape: tuple[int, ...] = (64, 64), device: int = 0, **more: Any) -> None:
        super().__init__(device)
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": "<f4",
            "shape": shape,
            "data": (address, False),
            **more,
        }


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with every launch that is checked in full."""
    counted: list[int] = []
    whole = build_module.build

    def build(*args: Any) -> Any:
        counted.append(1)
        return whole(*args)

    monkeypatch.setattr(entry_module, "build", build)
    return counted


def a_map(array: Any, **options: Any) -> Any:
    return px.tensor_map(array, (8, 32), **options)


def test_equal_calls_are_checked_once(cuda: Driver, checks: list[int]) -> None:
    k, array = px.parse(PTX)["k"], At()
    for i in range(3):
        k.launch(grid=4, block=32, args=[array, a_map(array), i])
    assert len(checks) == 1
    assert [x["params"][2] for x in cuda.launches] == [b"\x00\x00", b"\x01\x00", b"\x02\x00"]
    assert all(x["aligned"] for x in cuda.launches)


def test_addresses_and_numbers_are_those_of_each_call(cuda: Driver, checks: list[int]) -> None:
    k = px.parse(PTX)["k"]
    arrays = [At(0x7000 + 0x1000 * i) for i in range(3)]
    for array in arrays:
        k[4](array, a_map(array, swizzle="128B"), -1, block=32)
    assert len(checks) == 1
    for launch, array in zip(cuda.launches, arrays, strict=True):
        address = array.__cuda_array_interface__["data"][0]
        assert launch["params"] == [address.to_bytes(8, "little"), a_map(array, swizzle="128B").encode(), b"\xff\xff"]


@pytest.mark.parametrize(
    "other",
    [
        {"block": 64},
        {"cluster": 2},
        {"shared": 100},
        {"cooperative": True},
        {"device": "gpu"},
        {"args": [At(), a_map(At()), np.uint16(5)]},
        {"args": [At(shape=(4096,)), a_map(At()), 5]},
        {"args": [At(typestr="<f2"), a_map(At()), 5]},
        {"args": [At(), a_map(At(), swizzle="128B"), 5]},
        {"args": [At(), px.tensor_map(At(), (16, 32)), 5]},
        {"args": [At(device=1), a_map(At(device=1)), 5]},
    ],
    ids=lambda other: "-".join(other),
)
def test_another_call_is_checked(cuda: Driver, checks: list[int], other: dict[str, Any]) -> None:
    k = px.parse(PTX)["k"]
    first: dict[str, Any] = {"grid": 4, "block": 32, "args": [At(), a_map(At()), 5]}
    for call in (first, {**first, **other}, first, {**first, **other}):
        k.launch(**call)
    assert len(checks) == 2
    one, two, three, four = cuda.launches
    assert (three, four) == (one, two)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"grid": 4.0}, "PTX2001"),
        ({"grid": (4, 1.0)}, "PTX2001"),
        ({"grid": 0}, "PTX2001"),
        ({"grid": 2**31}, "PTX2005"),
        ({"grid": (1, 70_000)}, "PTX2005"),
        ({"grid": (4, 1, 1, 1)}, "PTX2001"),
        ({"args": [At(), a_map(At()), 65536]}, "PTX2305"),
        ({"args": [At(), a_map(At()), 5.0]}, "PTX2302"),
        ({"args": [At(0x7008), a_map(At()), 5]}, "PTX2310"),
        ({"args": [At(), a_map(At())]}, "PTX2301"),
        ({"args": [At(), At(), 5]}, "PTX2302"),
        ({"args": [np.zeros((64, 64), np.float32), a_map(At()), 5]}, "PTX2303"),
        ({"args": [At(device=1), a_map(At()), 5]}, "PTX2303"),
        ({"device": "sim"}, "PTX2303"),
        ({"sanitize": True}, "PTX2501"),
        ({"stream": "fast"}, "PTX2314"),
        ({"buffers": [np.zeros(4)]}, "PTX2303"),
        ({"shared": 232_449}, "PTX2010"),
    ],
)
def test_what_is_refused_is_refused_behind_a_good_call_too(
    cuda: Driver, checks: list[int], wrong: dict[str, Any], code: str
) -> None:
    k = px.parse(PTX)["k"]
    good: dict[str, Any] = {"grid": 4, "block": 32, "args": [At(), a_map(At()), 5]}

    def refusal() -> Diagnostic:
        with pytest.raises(Diagnostic) as caught:
            k.launch(**{**good, **wrong})
        return caught.value

    before = refusal()
    k.launch(**good)
    behind = refusal()
    assert (behind.code, behind.message, behind.help) == (before.code, before.message, before.help)
    assert behind.code == code
    assert behind.origin is not None
    assert behind.origin.file == __file__
    assert len(cuda.launches) == 1


def test_other_grids_need_no_other_check(cuda: Driver, checks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_module, "_GRIDS", 3)
    k, array = px.parse(PTX)["k"], At()
    grids = [4, 5, (4,), (4, 2), (4, 2, 3), 6, 4]
    for grid in grids:
        k.launch(grid=grid, block=32, cluster=1, args=[array, a_map(array), 5])
    assert len(checks) == 1
    assert [x["grid"] for x in cuda.launches] == [
        (4, 1, 1),
        (5, 1, 1),
        (4, 1, 1),
        (4, 2, 1),
        (4, 2, 3),
        (6, 1, 1),
        (4, 1, 1),
    ]


def test_a_grid_is_cut_into_clusters_whole(cuda: Driver) -> None:
    k, call = px.parse(PTX)["k"], {"block": 32, "cluster": 2, "args": [At(), a_map(At()), 5]}
    k.launch(grid=4, **call)
    k.launch(grid=6, **call)
    with pytest.raises(Diagnostic) as caught:
        k.launch(grid=5, **call)
    assert caught.value.code == "PTX2006"


def test_a_map_whose_array_has_changed(cuda: Driver) -> None:
    k, array = px.parse(PTX)["k"], At()
    made = a_map(array)
    k.launch(grid=4, block=32, args=[array, made, 5])
    array.__cuda_array_interface__ = At(shape=(32, 64)).__cuda_array_interface__
    with pytest.raises(Diagnostic) as caught:
        k.launch(grid=4, block=32, args=[At(), made, 5])
    assert caught.value.code == "PTX2321"


def test_errors_of_the_driver(cuda: Driver) -> None:
    k = px.parse(PTX)["k"]
    call: dict[str, Any] = {"grid": 4, "block": 32, "cluster": 2, "args": [At(), a_map(At()), 5]}
    k.launch(**call)
    cuda.answers = [Status.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES]
    with pytest.raises(Diagnostic) as caught:
        k.launch(**call)
    assert caught.value.code == "PTX2420"
    assert any("cluster (2, 1, 1)" in note for note in caught.value.notes)
    cuda.answers, cuda.current, cuda.calls = [Status.CUDA_ERROR_INVALID_CONTEXT], 0, []
    k.launch(**call)
    assert cuda.calls == ["push", "pop"]
    assert cuda.current == 0x100


def test_streams_are_those_of_each_call(cuda: Driver, checks: list[int], torch: Torch) -> None:
    k = px.parse(PTX)["k"]
    for current, stream in ((11, None), (12, None), (12, 77), (12, SimpleNamespace(cuda_stream=78)), (13, None)):
        torch.current, array = current, Tensor()
        k.launch(grid=4, block=32, args=[array, a_map(array), 5], stream=stream)
    assert len(checks) == 1
    assert [x["stream"] for x in cuda.launches] == [11, 12, 77, 78, 13]


def test_constants_of_a_traced_kernel(cuda: Driver, checks: list[int]) -> None:
    @px.kernel(target="sm_90a", threads=32, name="k")
    def traced(k: px.Builder, a: px.Ptr[px.f32], m: px.TensorMap, h: px.u16, *, add: int = 0) -> None:
        k.st.global_.f32(a.at(k.tid.x * 4), k.ld.global_.f32(a.at(k.tid.x * 4)) + float(add))

    for add in (1, 2, 1, 2):
        traced[4](At(), a_map(At()), 5, add=add)
    assert len(checks) == 2
    with pytest.raises(Diagnostic) as caught:
        traced[4](At(), a_map(At()), 5, add=[])
    assert caught.value.code == "PTX2209"


def test_symbols_are_read_where_the_module_was_launched_last(cuda: Driver) -> None:
    module = px.parse(PTX)
    call: dict[str, Any] = {"grid": 1, "block": 1, "args": [At(), a_map(At()), 5]}
    module["k"].launch(**call)
    array = px.empty((64, 64), np.float32)
    module["k"].launch(grid=1, block=1, args=[array, a_map(array), 5])
    assert module.symbol("counter")[...] == 7
    module["k"].launch(**call)
    cuda.memory[0x5000] = (11).to_bytes(4, "little")
    assert module.symbol("counter")[...] == 11


def test_lints_are_shown_by_the_first_launch_that_shows_any(cuda: Driver) -> None:
    text = PTX.replace("ld.global.u32 %r, [counter];", "bar.sync 0;\n  mov.u32 %r, 1;\n  @%q bar.sync 1;")
    k = px.parse(text.replace(".reg .b32 %r;", ".reg .b32 %r;\n  .reg .pred %q;\n  setp.eq.u32 %q, %r, 0;"))["k"]
    call: dict[str, Any] = {"grid": 1, "block": 64, "args": [At(), a_map(At()), 5]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        k.launch(**call, lints=False)
        k.launch(**call, lints=False)
        assert caught == []
        k.launch(**call)
    assert [w for w in caught if issubclass(w.category, px.PtxWarning)]


def test_launches_in_threads_have_blocks_of_their_own(cuda: Driver) -> None:
    plain, together = cuda.cuLaunchKernelEx, threading.Barrier(4)

    def launch(*given: Any) -> Any:
        if cuda.launches:
            together.wait(20)  # all have packed their blocks, and none has launched
        return plain(*given)

    vars(cuda)["cuLaunchKernelEx"] = launch
    k = px.parse(PTX)["k"]
    k.launch(grid=4, block=32, args=[At(), a_map(At()), 0])
    threads = [
        threading.Thread(target=k.launch, kwargs={"grid": 4, "block": 32, "args": [At(), a_map(At()), i]})
        for i in range(1, 5)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(x["params"][2][0] for x in cuda.launches) == [0, 1, 2, 3, 4]


def test_old_launches_are_forgotten(cuda: Driver, checks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "REMEMBERED", 2)
    k, array = px.parse(PTX)["k"], At()
    for block in (1, 2, 3, 3, 2, 1):
        k.launch(grid=1, block=block, args=[array, a_map(array), 5])
    assert len(checks) == 4


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("u8", (0, 255, -128, True, np.uint8(7))),
        ("s32", (-(2**31), 2**31 - 1, np.int64(-5), np.bool_(True))),
        ("b64", (-1, 2**64 - 1, np.float64(0.1), np.uint64(2**63))),
        ("f16", (0.1, 3, np.float16(1.5), 65504)),
        ("f32", (0.1, 1e-45, float("-inf"), -0.0, 3, np.float64(1 / 3), np.int8(-3), np.float16(0.1))),
        ("f64", (0.1, 2**53 + 1, np.float32(0.1))),
        ("b32", (np.float32(0.1), -1)),
        ("b16", (np.float16(0.1), ml_dtypes.bfloat16(2), -1)),
    ],
)
def test_numbers_are_packed_as_by_the_full_check(
    cuda: Driver, checks: list[int], kind: str, values: tuple[Any, ...]
) -> None:
    params = f".param .u64 a, .param .align 64 .b8 map[128], .param .{kind} x"
    cuda.sizes = (8, 128, int(kind[1:]) // 8)
    for value in values:
        text = f".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k({params}) {{ ret; }}\n"
        k, before = px.parse(text)["k"], len(checks)
        for _ in range(2):
            k.launch(grid=1, block=1, args=[At(), a_map(At()), value])
        assert len(checks) == before + 1
        assert cuda.launches[-1]["params"] == cuda.launches[-2]["params"]


def test_a_programmatic_dependent_that_never_waits(cuda: Driver) -> None:
    """In the simulator the sanitizer judges what it does; on a GPU nothing else speaks of it."""

    def shown(text: str = PTX, **options: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            k = px.parse(text)["k"]
            k.launch(grid=4, block=32, args=[OnGpu(), px.tensor_map(OnGpu(), (8, 32)), np.uint16(5)], **options)
        found = [w.message.diagnostic.code for w in caught if isinstance(w.message, px.PtxWarning)]
        return [code for code in found if code == "PTX5071"]

    assert shown(programmatic=True) == ["PTX5071"]
    assert not shown()
    assert not shown(programmatic=True, lints=False)
    assert not shown(programmatic=True, ignore="PTX5071")
    head, _, end = PTX.rpartition("ret;")
    assert not shown(
        f"{head}griddepcontrol.wait;\n  ret;{end}".replace(".version 8.0", ".version 8.8"), programmatic=True
    )
