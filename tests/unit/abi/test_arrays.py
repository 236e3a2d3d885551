"""Arrays of every library look the same once they are described."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptxlab.abi.arrays import ArrayView, is_array, view
from ptxlab.abi.maps import tensor_map
from ptxlab.diag import Diagnostic
from ptxlab.launch.arrays import empty


class OnGpu:
    """What CuPy's arrays show of themselves."""

    def __init__(self, **interface: Any) -> None:
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": "<f4",
            "shape": (4, 8),
            "data": (0x7000, False),
            **interface,
        }


class ThroughDlpack:
    """An array that speaks DLPack alone."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def shown(v: ArrayView) -> tuple[object, ...]:
    return (v.address, v.shape, v.strides, v.dtype, v.itemsize, v.device)


def test_numpy() -> None:
    a = np.zeros((4, 6), ml_dtypes.bfloat16)[::2, 1:]
    assert shown(view(a)) == (a.ctypes.data, (2, 5), (24, 2), "bfloat16", 2, "cpu")
    assert view(a).writable
    a.flags.writeable = False
    assert not view(a).writable


def test_dlpack_describes_the_same_memory() -> None:
    a = np.arange(24, dtype=np.int16).reshape(4, 6)[:, 1:3]
    assert shown(view(ThroughDlpack(a))) == shown(view(a))


def test_dlpack_view_outlives_its_array() -> None:
    v = view(ThroughDlpack(np.arange(1000, dtype=np.int64)))
    import ctypes

    assert ctypes.c_int64.from_address(v.address + 8 * 999).value == 999


def test_cuda_array_interface() -> None:
    assert shown(view(OnGpu())) == (0x7000, (4, 8), (32, 4), "float32", 4, "cuda")
    assert view(OnGpu(strides=(64, 4))).strides == (64, 4)
    assert not view(OnGpu(data=(0x7000, True))).writable


def test_a_dtype_that_numpy_does_not_know_is_told_by_the_array() -> None:
    narrow = OnGpu(typestr="<f1")  # what ml_dtypes makes of e5m2
    narrow.dtype = np.dtype(ml_dtypes.float8_e5m2)  # type: ignore[attr-defined]
    assert shown(view(narrow)) == (0x7000, (4, 8), (8, 1), "float8_e5m2", 1, "cuda")
    with pytest.raises(Diagnostic) as caught:
        view(OnGpu(typestr="<?!"))
    assert caught.value.code == "PTX2306"


def test_jax() -> None:
    """What jax.Array shows of itself; JAX is not among the test dependencies."""
    ready: list[str] = []

    def array(*platforms: str) -> Any:
        body = {
            "devices": lambda self: [SimpleNamespace(platform=p, local_hardware_id=1) for p in platforms],
            "block_until_ready": lambda self: ready.append("yes"),
            "unsafe_buffer_pointer": lambda self: 0x7000,
            "__dlpack__": lambda self: None,
            "shape": (4, 8),
            "dtype": np.dtype(ml_dtypes.bfloat16),
        }
        return type("ArrayImpl", (), {**body, "__module__": "jaxlib._jax"})()

    assert is_array(array("gpu"))
    assert shown(view(array("gpu"))) == (0x7000, (4, 8), (16, 2), "bfloat16", 2, "cuda")
    assert view(array("cuda")).ordinal == 1
    assert not view(array("cpu")).writable
    assert len(ready) == 3
    for platforms in (("tpu",), ("gpu", "gpu")):
        with pytest.raises(Diagnostic) as caught:
            view(array(*platforms))
        assert caught.value.code == "PTX2306"


def test_big_endian_numbers_are_refused() -> None:
    with pytest.raises(Diagnostic) as caught:
        view(np.zeros(4, ">u4"))
    assert caught.value.code == "PTX2306"
    assert "newbyteorder" in (caught.value.help or "")


def test_broken_dlpack_is_a_diagnostic() -> None:
    class Refuses:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("not today")

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    assert is_array(Refuses())
    with pytest.raises(Diagnostic) as caught:
        view(Refuses())
    assert caught.value.code == "PTX2306"
    assert "not today" in caught.value.message


@pytest.mark.parametrize("value", [1, 1.0, "x", None, np.float32(1), ml_dtypes.bfloat16(1), b"bytes", [1, 2]])
def test_scalars_are_no_arrays(value: object) -> None:
    assert not is_array(value)


def test_contiguity_and_extent() -> None:
    a = np.zeros((3, 4, 5), np.float32)
    assert view(a).contiguous
    assert not view(a.transpose(1, 0, 2)).contiguous
    assert view(a[:1].transpose(0, 1, 2)).contiguous
    assert view(a[:0]).contiguous
    low, high = view(a[::-1, :, 1:4]).extent
    assert (low - a.ctypes.data, high - low) == (4, (2 * 20 + 3 * 5 + 2) * 4 + 4)
    assert view(a[:0]).extent == (a.ctypes.data, a.ctypes.data)


def test_map_of_a_gpu_array_needs_no_gpu() -> None:
    made = tensor_map(OnGpu(shape=(64, 64)), (8, 32), swizzle=128)
    assert (made.map.address, made.map.dims, made.map.strides, made.map.box) == (0x7000, (64, 64), (256,), (32, 8))
    assert made.array.device == "cuda"


def test_map_through_dlpack() -> None:
    a = empty((32, 16), np.float32)
    assert tensor_map(ThroughDlpack(a), (8, 8)).encode() == tensor_map(a, (8, 8)).encode()


@pytest.mark.parametrize(
    ("code", "array", "options"),
    [
        ("PTX2100", (64, 64), {"box": (64,)}),
        ("PTX2105", (64, 512), {"box": (8, 512)}),
        ("PTX2107", (64, 64), {"box": (8, 64), "swizzle": "128B"}),
        ("PTX2102", (64, 65), {"box": (8, 32)}),
        ("PTX2112", (64, 64), {"box": (8, 32), "swizzle": "256B"}),
    ],
)
def test_impossible_maps(code: str, array: tuple[int, int], options: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as caught:
        tensor_map(empty(array, np.float32), **options)
    assert caught.value.code == code
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_map_of_a_misaligned_or_strided_array() -> None:
    a = empty((64, 64), np.float32)
    with pytest.raises(Diagnostic) as caught:
        tensor_map(a[:, 1:33], (8, 32))
    assert caught.value.code == "PTX2101"
    with pytest.raises(Diagnostic) as caught:
        tensor_map(a.T, (8, 32))
    assert caught.value.code == "PTX2119"


def test_empty_is_aligned() -> None:
    for align in (1, 64, 128, 4096):
        a = empty((3, 5), "bf16", align)
        assert a.ctypes.data % align == 0
        assert (a.shape, a.dtype) == ((3, 5), np.dtype(ml_dtypes.bfloat16))
        a[:] = 1
    assert empty(0, np.float32).shape == (0,)
    for bad, code in (((4, np.float32, 48), "PTX2305"), ((4, "float33"), "PTX2307")):
        with pytest.raises(Diagnostic) as caught:
            empty(*bad)  # type: ignore[arg-type]
        assert caught.value.code == code
