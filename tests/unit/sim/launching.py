"""Kernels for the simulator's tests: PTX text on NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.program import Program
from ptxlab.sim import Report, run

HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"


def program_of(text: str, entry: str = "k") -> Program:
    """A kernel's text, with or without its head, lowered."""
    return lower(parse(text if ".version" in text else HEAD + text), entry)


def launch(
    program: Program | str,
    args: Sequence[Any],
    *,
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (32, 1, 1),
    cluster: tuple[int, int, int] = (1, 1, 1),
    shared: int = 0,
    **options: Any,
) -> Report:
    """Run a kernel on arrays and NumPy scalars, in the order of its parameters."""
    return run(record_of(program, args, grid=grid, block=block, cluster=cluster, shared=shared), **options)


def record_of(
    program: Program | str,
    args: Sequence[Any],
    *,
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (32, 1, 1),
    cluster: tuple[int, int, int] = (1, 1, 1),
    shared: int = 0,
) -> LaunchRecord:
    """The launch of a kernel on arrays and NumPy scalars, in the order of its parameters."""
    if isinstance(program, str):
        program = program_of(program)
    block_bytes = bytearray(program.param_bytes)
    buffers: list[Buffer] = []
    for param, value in zip(program.params, args, strict=True):
        if isinstance(value, np.ndarray):
            buffers.append(Buffer(param.name, value.ctypes.data, value.nbytes, value.flags.writeable, value))
            value = np.uint64(value.ctypes.data)
        raw = value.tobytes()
        block_bytes[param.offset : param.offset + len(raw)] = raw
    variables: dict[str, int] = {}
    for v in program.variables:
        if v.space in ("global", "const"):
            raw = np.zeros(v.size + 64, np.uint8)
            raw = raw[-raw.ctypes.data % 64 :][: v.size]
            raw[: len(v.init or b"")] = np.frombuffer(v.init or b"", np.uint8)
            variables[v.name] = raw.ctypes.data
            buffers.append(Buffer(v.name, raw.ctypes.data, v.size, v.space == "global", raw))
    return LaunchRecord(program, grid, block, cluster, shared, bytes(block_bytes), tuple(buffers), variables)
