"""The words of `ptxlab run`: extents, scalars, arrays, tensor maps."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ptxlab.diag import Diagnostic
from ptxlab.isa.types import TYPES
from ptxlab.launch.arrays import dtype_of, empty

_NPY: Final = b"\x93NUMPY"
_EXTENTS: Final = re.compile(r"[x×,]")
_SCALAR: Final = re.compile(r"(pred|[busf]\d+|bf16):(.*)", re.DOTALL)
_MAP_LISTS: Final = ("box", "element_strides")
_MAP_WORDS: Final = ("swizzle", "interleave", "l2_promotion", "oob_fill", "dtype")
_ARRAYS: Final = "FILE.npy, zeros:TYPE:EXTENTS, or @PARAMETER for the array of another argument"


def bad(message: str, help: str) -> Diagnostic:
    """A malformed option."""
    return Diagnostic("PTX2501", message, help=help)


def extents(name: str, text: str) -> tuple[int, ...]:
    """`64`, `64x32` or `64,32` as integers. Raises: Diagnostic PTX2501."""
    try:
        return tuple(int(part, 0) for part in _EXTENTS.split(text))
    except ValueError:
        raise bad(f"{name} {text!r} are no extents.", "write e.g. 64x32") from None


def assignment(option: str, text: str) -> tuple[str, str]:
    """`NAME=VALUE` in two. Raises: Diagnostic PTX2501."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        what = "FILE.npy" if option == "--out" else "VALUE"
        raise bad(
            f"{option} {text!r} has no parameter or no value.", f"write {option} PARAMETER={what}, by name or by index"
        )
    return name, value


@dataclass(frozen=True, slots=True)
class MapSpec:
    """`tensormap:ARRAY,box=64x64,swizzle=128B`: an array and the options of `px.tensor_map`."""

    array: str
    options: dict[str, Any]


def tensor_map_spec(text: str) -> MapSpec:
    """The words behind `tensormap:`. Raises: Diagnostic PTX2501."""
    array, *rest = text.split(",")
    options: dict[str, Any] = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or key not in (*_MAP_LISTS, *_MAP_WORDS):
            listed = ", ".join(f"{k}=" for k in (*_MAP_LISTS, *_MAP_WORDS))
            raise bad(f"{part!r} is no option of a tensor map.", f"known: {listed}; extents are written 64x32")
        options[key] = extents(key, value) if key in _MAP_LISTS else value
    if "box" not in options:
        raise bad(f"The tensor map {text!r} has no box.", "add box=ROWSxCOLUMNS, in the order of the array's axes")
    return MapSpec(array, options)


def scalar(text: str) -> Any:
    """`u32:7`, `f32:1.5`, `b32:0x3f800000` as a Python number; None where the text is no scalar. Raises: Diagnostic PTX2501."""
    found = _SCALAR.fullmatch(text)
    if found is None or found[1] not in TYPES:
        return None
    kind, digits = TYPES[found[1]], found[2]
    try:
        value = float(digits) if kind.kind == "f" else int(digits, 0)
    except ValueError:
        raise bad(f"{text!r} is no {kind}.", f"write e.g. {kind}:{1.5 if kind.kind == 'f' else 7}") from None
    return _typed(value, found[1], text)


def _typed(value: int | float, kind: str, text: str) -> Any:
    """A number of exactly this type, so that the launch can see a parameter of another one."""
    if isinstance(value, float):
        return dtype_of(kind).type(value)
    bits = TYPES[kind].bits
    low = -(1 << bits - 1) if kind[0] != "u" else 0
    high = (1 << bits - (kind[0] == "s")) - 1
    if not low <= value <= high:
        raise bad(f"{text!r} does not fit its type.", f"{kind} takes {low} to {high}")
    return value


class Arrays:
    """The arrays of one run. A file named twice is one array, so a map and a pointer can share it."""

    def __init__(self) -> None:
        self._loaded: dict[str, np.ndarray] = {}
        self.files: set[str] = set()

    def get(self, spec: str) -> np.ndarray:
        """The array that a word names. Raises: Diagnostic PTX2500, PTX2501, PTX2502, PTX2307."""
        if spec.startswith("zeros:"):
            return _zeros(spec)
        path = os.path.realpath(spec)
        if path not in self._loaded:
            self._loaded[path] = _load(spec)
            self.files.add(path)
        return self._loaded[path]


def _zeros(spec: str) -> np.ndarray:
    parts = spec.split(":")
    if len(parts) != 3:
        raise bad(f"{spec!r} is no array.", "write zeros:TYPE:EXTENTS, e.g. zeros:f32:1024x1024")
    shape = extents("the extents of", parts[2])
    if min(shape) < 0:
        raise bad(f"{spec!r} has a negative extent.", "write e.g. zeros:f32:1024x1024")
    made = empty(shape, parts[1])
    made[...] = np.zeros((), made.dtype)
    return made


def _load(spec: str) -> np.ndarray:
    if not spec.endswith(".npy") and not Path(spec).exists():
        raise bad(
            f"{spec!r} is no value of a parameter.", f"scalars: u32:7, f32:1.5; maps: tensormap:…; arrays: {_ARRAYS}"
        )
    read = _read(spec)
    if not read.dtype.itemsize:
        raise Diagnostic("PTX2502", f"{spec} has elements of no bytes.")
    copied = empty(read.shape, read.dtype.newbyteorder("="))  # aligned as tensor maps and wide accesses want it
    copied[...] = read
    return copied


def _read(spec: str) -> np.ndarray:
    try:
        with open(spec, "rb") as file:
            if file.read(len(_NPY)) != _NPY:
                raise Diagnostic("PTX2502", f"{spec} is no .npy file.")
            file.seek(0)
            return np.lib.format.read_array(file, allow_pickle=False)
    except OSError as e:
        raise Diagnostic("PTX2500", f"{spec} cannot be read: {e.strerror or e}.", help="check the path") from None
    except Diagnostic:
        raise
    except Exception as e:  # what NumPy raises for a broken header is not one kind of thing
        reason = str(e).partition("\n")[0] or type(e).__name__
        raise Diagnostic("PTX2502", f"{spec} cannot be read as a .npy file: {reason}") from None
