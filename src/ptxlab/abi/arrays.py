"""Arrays of any library as address, shape, strides and dtype, without importing that library.

NumPy (with ml_dtypes), torch, CuPy, JAX and whatever speaks DLPack or `__cuda_array_interface__`.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any, Final

from ptxlab.abi.owner import check_owner
from ptxlab.abi.places import device_at
from ptxlab.diag import Diagnostic, user_span

CPU: Final = "cpu"
CUDA: Final = "cuda"

# PTX's names for what NumPy and ml_dtypes hold; other dtypes (complex, structured) have none.
PTX_TYPE: Final[dict[str, str]] = {
    "bool": "u8",
    "uint8": "u8",
    "int8": "s8",
    "uint16": "u16",
    "int16": "s16",
    "uint32": "u32",
    "int32": "s32",
    "uint64": "u64",
    "int64": "s64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
}

_DLPACK_NAMES: Final = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}
_DLPACK_FLOAT8: Final = {
    7: "float8_e3m4",
    8: "float8_e4m3",
    9: "float8_e4m3b11fnuz",
    10: "float8_e4m3fn",
    11: "float8_e4m3fnuz",
    12: "float8_e5m2",
    13: "float8_e5m2fnuz",
    14: "float8_e8m0fnu",
}
_DLPACK_DEVICES: Final = {1: CPU, 2: CUDA, 3: CPU, 13: CUDA}  # host, CUDA, pinned host, managed


@dataclass(frozen=True, slots=True)
class ArrayView:
    """Where an array lies.

    Attributes:
        owner: the array itself.
        address: of element 0.
        shape: extents, outermost first.
        strides: bytes, one per dimension.
        dtype: name as NumPy and ml_dtypes spell it, e.g. "float32", "bfloat16".
        itemsize: bytes of an element.
        device: "cpu" or "cuda".
        ordinal: which GPU, or which simulated device.
        writable: whether the library lets it be written.
        keep: whatever else must live as long as the view.

    Example:
        x = px.array_view(np.zeros((4, 8), np.float32))
        print(x, x.strides, x.device, x.ptx_type)  # a float32 array of 4×8 (32, 4) cpu f32
        first, end = x.extent
        print(end - first, x.contiguous, x.overlaps(x))  # 128 True True
    """

    owner: Any = field(repr=False)
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    itemsize: int
    device: str
    ordinal: int = 0
    writable: bool = True
    keep: Any = field(default=None, repr=False, compare=False)

    @property
    def extent(self) -> tuple[int, int]:
        """First byte and the byte behind the last, over all elements; equal for an empty array."""
        if 0 in self.shape:
            return self.address, self.address
        reach = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        return (
            self.address + sum(r for r in reach if r < 0),
            self.address + sum(r for r in reach if r > 0) + self.itemsize,
        )

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps; extents of 1 may have any stride."""
        return 0 in self.shape or all(
            n == 1 or s == c
            for n, s, c in zip(self.shape, self.strides, row_major(self.shape, self.itemsize), strict=True)
        )

    def overlaps(self, other: ArrayView) -> bool:
        """Whether this array and `other` have bytes in common, each taken from its first byte to its last."""
        (first, end), (start, stop) = self.extent, other.extent
        return first < stop and start < end

    def data_ptr(self) -> int:
        """The address, as torch calls it: with `stride` and `element_size` a view is an array for `layout.tensor_map`."""
        return self.address

    def stride(self) -> tuple[int, ...]:
        """Strides in elements."""
        return tuple(s // self.itemsize for s in self.strides)

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.itemsize

    @property
    def ptx_type(self) -> str | None:
        """The PTX name of the dtype, e.g. "bf16"; None for dtypes that PTX has no name for."""
        return PTX_TYPE.get(self.dtype)

    def __str__(self) -> str:
        article = "an" if self.dtype[:1] in "aeio" else "a"
        return f"{article} {self.dtype} array of {'×'.join(map(str, self.shape)) or 'no dimensions'}"


def row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Byte strides of a C-ordered array without gaps."""
    return tuple(itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape)))


def is_array(value: Any) -> bool:
    """Whether `value` is an array of NumPy, torch, CuPy, JAX or whatever speaks DLPack, or a view of one.

    A NumPy scalar is none.

    Example:
        print(px.is_array(np.zeros(4)), px.is_array([0, 0]))  # True False
    """
    import numpy as np

    if isinstance(value, np.generic):
        return False
    if isinstance(value, np.ndarray | ArrayView) or _is_torch(value):
        return True
    return hasattr(value, "__dlpack__") or _interface(value) is not None


def view(value: Any) -> ArrayView:
    """Describe an array; a view describes itself.

    Raises: Diagnostic PTX2306 where the array is on a device or of a kind that no kernel can reach, PTX2321 where its memory
        is gone.
    """
    import numpy as np

    if isinstance(value, ArrayView):
        return value
    if isinstance(value, np.ndarray):
        return _numpy(value)
    if _is_torch(value):
        return _torch(value)
    if _is_jax(value):
        return _jax(value)
    interface = _interface(value)
    if interface is not None:
        return _cuda_interface(value, interface)
    return _dlpack(value)


def _packed(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides of a contiguous array; NumPy 2.4 says 0 of arrays without elements."""
    return tuple(itemsize * math.prod(max(1, n) for n in shape[i + 1 :]) for i in range(len(shape)))


def _numpy(a: Any) -> ArrayView:
    if a.dtype.hasobject:
        raise Diagnostic(
            "PTX2306",
            "An array of Python objects has no bytes that a kernel could read.",
            help="give it a numeric dtype",
        )
    if not a.dtype.isnative:
        raise Diagnostic(
            "PTX2306",
            f"An array of {a.dtype.str} has its bytes in the order of another machine.",
            help='convert it: a.astype(a.dtype.newbyteorder("="))',
        )
    address = a.__array_interface__["data"][0] if a.dtype.kind != "V" else a.ctypes.data
    made = ArrayView(
        a,
        address=address,
        shape=a.shape,
        strides=a.strides if a.size else _packed(a.shape, a.itemsize),
        dtype=a.dtype.name,
        itemsize=a.dtype.itemsize,
        device=CPU,
        ordinal=device_at(address),
        writable=bool(a.flags.writeable),
    )
    if a.base is not None:
        check_owner(a, *((address, address + a.nbytes) if a.flags.c_contiguous else made.extent))
    return made


def _is_torch(value: Any) -> bool:
    # torch's bfloat16 has no type string in __cuda_array_interface__, and tensors that need a gradient refuse it.
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "data_ptr")


def _torch(t: Any) -> ArrayView:
    kind = str(t.device.type)
    if kind not in (CPU, CUDA):
        raise Diagnostic(
            "PTX2306", f"A torch tensor on device {kind!r} is out of reach.", help="move it: .cuda() or .cpu()"
        )
    size = int(t.element_size())
    return ArrayView(
        t,
        address=int(t.data_ptr()),
        shape=tuple(map(int, t.shape)),
        strides=tuple(int(s) * size for s in t.stride()),
        dtype=str(t.dtype).rpartition(".")[2],
        itemsize=size,
        device=kind,
        ordinal=int(t.device.index or 0) if kind == CUDA else device_at(int(t.data_ptr())),
    )


def _is_jax(value: Any) -> bool:
    # What a stream means to JAX's DLPack has changed; the pointer itself has not.
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib") and hasattr(value, "unsafe_buffer_pointer")


def _jax(a: Any) -> ArrayView:
    devices = list(a.devices())
    kinds = {"cpu": CPU, "gpu": CUDA, "cuda": CUDA}
    if len(devices) != 1 or devices[0].platform not in kinds:
        raise Diagnostic(
            "PTX2306",
            f"A JAX array on {', '.join(map(str, devices))} is out of reach.",
            help="put it on one CPU or CUDA device: jax.device_put(a, device)",
        )
    kind, shape, size = kinds[devices[0].platform], tuple(map(int, a.shape)), int(a.dtype.itemsize)
    a.block_until_ready()  # before that, there is no buffer to point at
    return ArrayView(
        a,
        address=int(a.unsafe_buffer_pointer()),
        shape=shape,
        strides=row_major(shape, size),
        dtype=a.dtype.name,
        itemsize=size,
        device=kind,
        ordinal=int(getattr(devices[0], "local_hardware_id", None) or 0),
        writable=kind
        == CUDA,  # JAX's arrays are immutable: what a kernel writes into one on the GPU is at the user's risk
    )


def _interface(value: Any) -> dict[str, Any] | None:
    try:
        return getattr(value, "__cuda_array_interface__", None)
    except (AttributeError, RuntimeError, TypeError, KeyError, ValueError):
        return None  # a dtype that the interface cannot spell: DLPack may


def _spelt(word: str) -> Any:
    """What the interface calls a dtype. Of one that NumPy does not know, such as the `<f1` of ml_dtypes' e5m2, the size is left.

    Raises: Diagnostic PTX2306 where not even that is said.
    """
    import numpy as np

    try:
        return np.dtype(word)
    except TypeError:
        size = str(word)[2:]
        if size.isdecimal():
            return np.dtype(f"V{size}")
    raise Diagnostic(
        "PTX2306", f"An array's interface calls its dtype `{word}`, which means nothing.", help="give another array"
    )


def _cuda_interface(value: Any, interface: dict[str, Any]) -> ArrayView:
    dtype = _spelt(interface["typestr"])
    shape = tuple(map(int, interface["shape"]))
    address, read_only = interface["data"]
    strides = interface.get("strides")
    named = getattr(value, "dtype", None)
    name = str(named) if dtype.kind == "V" and named is not None else dtype.name
    device = getattr(value, "device", None)
    ordinal = getattr(device, "id", 0)
    return ArrayView(
        value,
        address=int(address or 0),
        shape=shape,
        strides=tuple(map(int, strides)) if strides is not None else row_major(shape, dtype.itemsize),
        dtype=name,
        itemsize=dtype.itemsize,
        device=CUDA,
        ordinal=ordinal if isinstance(ordinal, int) else 0,
        writable=not read_only,
    )


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def _capsule(value: Any) -> Any:
    try:
        kind, _ = value.__dlpack_device__()
        # −1: no synchronisation. A launch is ordered by the stream that it is given, as any kernel's is.
        return value.__dlpack__(stream=-1) if int(kind) in (2, 13) else value.__dlpack__()
    except Exception as e:  # whatever the library raises for an array that it cannot export
        raise Diagnostic(
            "PTX2306",
            f"A {type(value).__name__} cannot be exported through DLPack: {e}"
            if hasattr(value, "__dlpack__")
            else f"`{type(value).__name__}` is no type of arrays that a kernel could read.",
            help="give a NumPy, torch, CuPy or JAX array of a numeric dtype",
            origin=user_span(),
        ) from e


def _dlpack(value: Any) -> ArrayView:
    capsule = _capsule(value)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    # The capsule is never consumed: it keeps the memory alive, and its own destructor releases it.
    t = _DLTensor.from_address(get(capsule, b"dltensor"))
    device = _DLPACK_DEVICES.get(t.device_type)
    if device is None or t.lanes != 1:
        raise Diagnostic(
            "PTX2306",
            f"A {type(value).__name__} on DLPack device {t.device_type} is out of reach.",
            help="move it to a CUDA device or to the host",
        )
    size = t.bits // 8
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = tuple(t.strides[i] * size for i in range(t.ndim)) if t.strides else row_major(shape, size)
    return ArrayView(
        value,
        address=(t.data or 0) + t.byte_offset,
        shape=shape,
        strides=strides,
        dtype=_dlpack_dtype(t.code, t.bits),
        itemsize=size,
        device=device,
        ordinal=t.device_id,
        keep=capsule,
    )


def _dlpack_dtype(code: int, bits: int) -> str:
    if code in _DLPACK_FLOAT8:
        return _DLPACK_FLOAT8[code]
    return "bool" if code == 6 else f"{_DLPACK_NAMES.get(code, 'unknown')}{bits}"
