"""Matrices in the registers of a warp, for tests of its products."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ptxlab.layout.fragments import Fragment

from .launching import launch

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
FLOATS: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
}
Matrix = NDArray[Any]


def drawn(rng: np.random.Generator, type_: str, shape: tuple[int, int]) -> Matrix:
    """Patterns of numbers near one, so that sums are cut and none is special."""
    if type_ in FLOATS:
        values = rng.standard_normal(shape) * 2.0 ** rng.integers(-3, 4, shape)
        made = values.astype(FLOATS[type_])
        return made.view(f"u{made.itemsize}")
    bits = BITS[type_]
    return rng.integers(0, 1 << bits, shape).astype(np.uint64 if bits == 64 else np.uint32)


def registers(matrix: Matrix, fragment: Fragment, bits: int, count: int) -> NDArray[np.uint8]:
    """What the lanes hold, [register, lane, bytes], elements again and again where there is room."""
    held = matrix[fragment.rows, fragment.cols].astype(np.uint64)
    width = max(32, bits)
    per = width // bits
    held = np.tile(held, (1, count * per // held.shape[1])).reshape(32, count, per)
    words = np.bitwise_or.reduce(held << (np.arange(per, dtype=np.uint64) * np.uint64(bits)), axis=2)
    return np.ascontiguousarray(words.T.astype(f"u{width // 8}")).view(np.uint8).reshape(count, -1)


def launched(opcode: str, parts: list[NDArray[np.uint8]], width: int, results: int) -> tuple[NDArray[np.uint8], int]:
    """D's registers as bytes of the lanes, and how many instructions went to Python."""
    lines = [f".reg .b{width} {x}<{len(part)}>;" for x, part in zip("abc", parts, strict=True)]
    at = 0
    for x, part in zip("abc", parts, strict=True):
        for i in range(len(part)):
            lines.append(f"ld.global.b{width} {x}{i}, [p+{at}];")
            at += part.shape[1]
    names = {x: "{" + ", ".join(f"{x}{i}" for i in range(len(p))) + "}" for x, p in zip("abc", parts, strict=True)}
    d = "{" + ", ".join(f"d{i}" for i in range(results)) + "}"
    text = f""".visible .entry k(.param .u64 from, .param .u64 to) {{
        .reg .b32 t; .reg .b64 p, q; .reg .b{width} d<{results}>; ld.param.u64 p, [from]; ld.param.u64 q, [to];
        mov.u32 t, %laneid; mad.wide.u32 p, t, {width // 8}, p; mad.wide.u32 q, t, {width // 8}, q;
        {" ".join(lines)} {opcode} {d}, {names["a"]}, {names["b"]}, {names["c"]};
        {" ".join(f"st.global.b{width} [q+{32 * width // 8 * i}], d{i};" for i in range(results))} ret; }}"""
    target = np.zeros(results * 4 * width, np.uint8)
    report = launch(text, [np.concatenate([p.reshape(-1) for p in parts]), target])
    return target, sum(report.stats.traps.values())


def gathered(raw: NDArray[np.uint8], fragment: Fragment, bits: int, results: int) -> Matrix:
    width = max(32, bits) // 8
    lanes = np.ascontiguousarray(raw.reshape(results, 32, width).transpose(1, 0, 2)).reshape(32, -1)
    out = np.zeros(fragment.shape, f"u{bits // 8}")
    out[fragment.rows, fragment.cols] = lanes.view(out.dtype)
    return out
