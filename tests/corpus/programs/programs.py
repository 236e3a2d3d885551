"""A compiled CUDA C++ program, host code and all, whose kernels the simulator runs: `python programs.py FOLDER [ARGUMENT…]`.

FOLDER holds the program as program.so (its `main` called `program`), its PTX as program.ptx, and runtime.so.
"""

from __future__ import annotations

import ctypes as C
import sys
from pathlib import Path
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.layout import TensorMap

U32, U64, VOID = C.c_uint, C.c_ulonglong, C.c_void_p
ELEMENTS = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz")
INTERLEAVES, SWIZZLES = ("none", "16B", "32B"), ("none", "32B", "64B", "128B")
PROMOTIONS, FILLS = ("none", "64B", "128B", "256B"), ("zero", "nan")
LAUNCH = C.CFUNCTYPE(C.c_int, C.c_char_p, C.POINTER(U32), U64, C.POINTER(VOID))
ENCODE = C.CFUNCTYPE(
    C.c_int,
    VOID,
    C.c_int,
    U32,
    VOID,
    C.POINTER(U64),
    C.POINTER(U64),
    C.POINTER(U32),
    C.POINTER(U32),
    C.c_int,
    C.c_int,
    C.c_int,
    C.c_int,
)
FITS = C.CFUNCTYPE(C.c_int, C.c_char_p, C.c_int, U64)
MEMORY = C.CFUNCTYPE(None, VOID, U64)


class Host(C.Structure):
    """What runtime.cpp asks for."""

    _fields_ = [("launch", LAUNCH), ("encode", ENCODE), ("fits", FITS), ("memory", MEMORY)]


class Device:
    """A program's GPU: its kernels, and the memory it has allocated."""

    def __init__(self, ptx: Path) -> None:
        self.module = px.load(ptx)
        self.memory: dict[int, int] = {}

    def launch(self, name: bytes, shape: Any, shared: int, args: Any) -> int:
        kernel = self.module[name.decode()]
        values = [_value(p, C.string_at(args[i], p.size)) for i, p in enumerate(kernel.entry().program.params)]
        buffers = [
            np.frombuffer((C.c_uint8 * size).from_address(at), np.uint8) for at, size in self.memory.items() if size
        ]
        try:
            report = px.simulate(
                kernel,
                grid=tuple(shape[:3]),
                block=tuple(shape[3:6]),
                cluster=tuple(shape[6:9]) if shape[6] else None,
                shared=shared,
                args=values,
                buffers=buffers,
            )
        except px.Diagnostic as wrong:
            print(wrong, flush=True)
            return 1
        print(f"launched {name.decode()[:60]}: {report.stats.instructions} instructions", flush=True)
        return 0

    def encode(
        self, out: int, dtype: int, rank: int, base: int, dims: Any, strides: Any, box: Any, steps: Any, *modes: int
    ) -> int:
        interleave, swizzle, promotion, fill = modes
        try:
            made = TensorMap.tiled(
                dtype=ELEMENTS[dtype],
                address=base,
                dims=dims[:rank],
                strides=strides[: rank - 1],
                box=box[:rank],
                element_strides=steps[:rank],
                interleave=INTERLEAVES[interleave],
                swizzle=SWIZZLES[swizzle],
                l2_promotion=PROMOTIONS[promotion],
                oob_fill=FILLS[fill],
            )
        except px.Diagnostic as wrong:
            print(wrong, flush=True)
            return 1
        C.memmove(out, made.encode(), 128)
        return 0

    def fits(self, _name: bytes, threads: int, shared: int) -> int:
        return min(2048 // threads, 233472 // (shared + 1024))

    def allocated(self, where: int, nbytes: int) -> None:
        """Note an allocation; one of no bytes is the end of one."""
        self.memory.pop(where, None)
        if nbytes:
            self.memory[where] = nbytes


def _value(param: Any, raw: bytes) -> Any:
    if param.count > 1:
        return raw
    if param.type.kind == "f":
        return np.frombuffer(raw, {4: np.float32, 8: np.float64}[param.size])[0]
    return int.from_bytes(raw, "little")


def main(folder: Path, *arguments: str) -> int:
    """Run the program. Returns its exit status."""
    device = Device(folder / "program.ptx")
    host = Host(LAUNCH(device.launch), ENCODE(device.encode), FITS(device.fits), MEMORY(device.allocated))
    runtime = C.CDLL(str(folder / "runtime.so"), mode=C.RTLD_GLOBAL)
    runtime.connect_host(host)
    program = C.CDLL(str(folder / "program.so"))
    words = ["program", *arguments]
    return program.program(len(words), (C.c_char_p * (len(words) + 1))(*(w.encode() for w in words), None))


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
