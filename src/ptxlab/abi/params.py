"""Arguments into the parameter block, as the entry's parameters lay it out."""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ptxlab.abi.arrays import PTX_TYPE, ArrayView, is_array, view
from ptxlab.abi.limits import TENSOR_MAP_BYTES
from ptxlab.abi.maps import BoundMap
from ptxlab.abi.record import Buffer
from ptxlab.abi.rules import ArrayRule, Rule, broken
from ptxlab.diag import Diagnostic
from ptxlab.isa.types import ScalarType
from ptxlab.layout.tensormap import TensorMap

if TYPE_CHECKING:
    from ptxlab.ptx.program import Param

_FLOATS: Final = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16"}


@dataclass(frozen=True, slots=True)
class Packed:
    """The parameter block and what it points at."""

    data: bytes
    views: tuple[tuple[str, ArrayView], ...]  # parameter's name and array, tensor maps' arrays included

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """The arrays as buffers of a launch record; one for each array, empty ones left out."""
        return tuple(buffers(self.views))


def buffers(views: Sequence[tuple[str, ArrayView]]) -> Iterator[Buffer]:
    """Arrays as buffers. The same memory given twice makes one buffer, named after its first parameter."""
    seen: set[tuple[int, int, bool]] = set()
    for name, a in views:
        low, high = a.extent
        if (low, high, a.writable) in seen:
            continue
        seen.add((low, high, a.writable))
        yield Buffer(name, low, high - low, a.writable, (a.owner, a.keep))


def pack(
    params: Sequence[Param], nbytes: int, args: Sequence[Any], rules: Mapping[str, Rule], found: list[Diagnostic]
) -> Packed:
    """Pack `args` by `params`. Findings go to `found`; the block is worthless if there are any.

    An array becomes its address; an integer or a float is checked against the parameter's type; a tensor map becomes
    128 bytes; `bytes`, NumPy records and ctypes structures fill a parameter of their size, and so does a NumPy array of
    uint8, or of the parameter's own elements, in an array of elements.
    """
    block = bytearray(nbytes)
    views: list[tuple[str, ArrayView]] = []
    if len(args) != len(params):
        found.append(_count(params, args, rules))
        return Packed(bytes(block), ())
    for i, (param, arg) in enumerate(zip(params, args, strict=True)):
        try:
            raw, a = _bytes(param, arg)
            if a is not None:
                views.append((param.name, a))
            found += broken(f"Argument {i} (`{param.name}`)", arg, a, rules.get(param.name))
        except Diagnostic as d:
            declared = _declared(param, rules)
            if declared != f".{param.type}":
                d.message = d.message.replace(f".{param.type}", declared)
                d.help = f"give an array, e.g. px.empty(n, dtype); the kernel takes {declared}"
            d.message = f"Argument {i} (`{param.name}`): {d.message}"
            found.append(d)
            continue
        block[param.offset : param.offset + len(raw)] = raw
    return Packed(bytes(block), tuple(views))


def _count(params: Sequence[Param], args: Sequence[Any], rules: Mapping[str, Rule]) -> Diagnostic:
    wanted = ", ".join(f"{p.name} ({_declared(p, rules)}{_extent(p)})" for p in params) or "none"
    return Diagnostic(
        "PTX2301",
        f"The kernel has {_number(len(params), 'parameter')}; {_number(len(args), 'argument')} given.",
        help=f"in order: {wanted}",
    )


def _declared(param: Param, rules: Mapping[str, Rule]) -> str:
    """The type of a parameter, as a kernel in Python declares a pointer."""
    rule = rules.get(param.name)
    element = rule.dtype if isinstance(rule, ArrayRule) else None
    return f".{param.type}" if element is None else f"px.Ptr[px.{element}]"


def _number(n: int, what: str) -> str:
    return f"{n} {what}" + ("s" if n != 1 else "")


def _bytes(param: Param, arg: Any) -> tuple[bytes, ArrayView | None]:
    """The argument's bytes, and the array that it stands for."""
    if isinstance(arg, BoundMap):
        arg.check()
        return _map(param, arg.map), arg.array
    if isinstance(arg, TensorMap):
        return _map(param, arg), None
    if is_array(arg):
        raw = _elements(param, arg)
        return _pointer(param, view(arg)) if raw is None else (raw, None)
    if param.count > 1 or param.type.bits > 64 or (param.is_array and _has_bytes(arg)):
        return aggregate(param, arg), None
    return scalar(param.type, arg), None


def _elements(param: Param, arg: Any) -> bytes | None:
    """The bytes of an array that is the value of an array of elements; None for one that is pointed at, or does not fit."""
    import numpy as np

    several = param.count > 1 or (param.is_array and param.type.bits < 64)  # an array for `.b64 p[1]` is its address
    if not several or not isinstance(arg, np.ndarray):
        return None
    given: np.ndarray[Any, np.dtype[Any]] = arg  # pyright: ignore[reportUnknownVariableType]
    kind = param.type
    own = PTX_TYPE.get(given.dtype.name) == kind.name or (kind.kind == "b" and given.itemsize == kind.bytes)
    fits = own or given.dtype == np.uint8 or given.ndim == 0  # without dimensions: one structure
    return given.tobytes() if fits and given.nbytes == param.size else None


def _has_bytes(arg: Any) -> bool:
    """Whether it holds bytes and is no number: `p[1]` takes those, too."""
    import numpy as np

    try:
        memoryview(arg)
    except TypeError:
        return False
    return not isinstance(arg, np.number | np.bool_)


def _map(param: Param, tensor_map: TensorMap) -> bytes:
    if param.size != TENSOR_MAP_BYTES:
        wanted = "a tensor map wants a parameter `.param .align 64 .b8 name[128]`"
        if param.size == 8 and param.count == 1 and param.type.kind in "bu":
            wanted += (
                "; for a pointer to one, pass an array that holds its bytes, np.frombuffer(map.encode(), np.uint8), at a "
                "multiple of 64 (px.empty(128, np.uint8, align=64)), and the tensor's array in buffers=[…]"
            )
        raise _misfit(param, "a tensor map", wanted)
    return tensor_map.encode()


def _pointer(param: Param, a: ArrayView) -> tuple[bytes, ArrayView | None]:
    if param.size != 8 or param.count != 1 or param.type.kind not in "bus":
        if param.size == TENSOR_MAP_BYTES:
            raise _misfit(param, str(a), "make a tensor map of it: px.tensor_map(array, box=…)")
        if param.count > 1 or param.is_array:
            raise _misfit(param, str(a), f"give {_number(param.size, 'byte')}, or an array of as many uint8")
        raise _misfit(param, str(a), "give a scalar, e.g. np.uint32(7)")
    return a.address.to_bytes(8, "little"), a


def aggregate(param: Param, arg: Any) -> bytes:
    """The bytes of an argument that fills a parameter of its size. Raises: Diagnostic PTX2302."""
    try:
        raw = arg.tobytes() if hasattr(arg, "tobytes") else bytes(memoryview(arg))
    except TypeError:
        how = f"{_number(param.size, 'byte')} or a NumPy record"
        if param.size == TENSOR_MAP_BYTES:
            how = "px.tensor_map(array, box=…)"
        raise _misfit(param, f"a {type(arg).__name__}", f"give {how}") from None
    if len(raw) != param.size:
        raise _misfit(param, _number(len(raw), "byte"), f"give {_number(param.size, 'byte')}")
    return raw


def _extent(param: Param) -> str:
    return f"[{param.count}]" if param.count > 1 or param.is_array else ""


def _misfit(param: Param, given: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2302", f"the parameter is .{param.type}{_extent(param)}, the argument {given}.", help=help)


def scalar(type: ScalarType, value: Any) -> bytes:
    """A scalar's bytes. Raises: Diagnostic PTX2302, PTX2305."""
    import numpy as np

    integer = _index(value.item() if value.__class__ is np.bool_ else value)
    if integer is not None and type.kind != "f":
        return _integer(type, integer)
    if integer is None and not isinstance(value, (float, np.generic)):
        raise Diagnostic("PTX2302", f"a {value.__class__.__name__} is no .{type}.", help=_example(type))
    if type.kind == "f":
        return _float(type, value)
    # An untyped parameter takes a float whose own size says which bits are meant.
    if type.kind == "b" and isinstance(value, np.generic) and value.nbytes == type.bytes:
        return value.tobytes()
    raise Diagnostic("PTX2302", f"{value!r} is no integer, and the parameter is .{type}.", help=_example(type))


def _index(value: Any) -> int | None:
    try:
        return operator.index(value)
    except TypeError:
        return None


def _integer(type: ScalarType, value: int) -> bytes:
    # nvcc declares int as .u32: unsigned and untyped parameters take negative numbers too.
    low = -(1 << type.bits - 1)
    high = (1 << type.bits - 1) - 1 if type.kind == "s" else (1 << type.bits) - 1
    if not low <= value <= high:
        raise Diagnostic("PTX2305", f"{value} does not fit .{type}.", help=f".{type} takes {low} to {high}")
    return (value & (1 << type.bits) - 1).to_bytes(type.bytes, "little")


def _float(type: ScalarType, value: Any) -> bytes:
    import ml_dtypes
    import numpy as np

    name = _FLOATS.get(type.name)
    if name is None:
        raise Diagnostic("PTX2302", f"{value!r} cannot be given to a .{type}.", help="give its bits as an integer")
    exact = float(value)
    with np.errstate(over="ignore"):
        rounded = np.asarray(exact).astype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    if np.isinf(rounded.astype(np.float64)) and abs(exact) != float("inf"):
        raise Diagnostic("PTX2305", f"{exact!r} is too large for .{type}.", help="pass inf itself if that is meant")
    return struct.pack("<d", exact) if type.bits == 64 else rounded.tobytes()


def _example(type: ScalarType) -> str:
    word = {"u": "uint", "s": "int", "b": "uint", "f": "float"}.get(type.kind, "uint")
    array = "an array, or " if type.bits == 64 and type.kind in "bu" else ""
    return f"give {array}e.g. np.{word}{type.bits}(7)"
