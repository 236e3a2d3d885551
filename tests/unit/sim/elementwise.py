"""One instruction over arrays: a kernel is made around it, each thread takes one element of every operand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .launching import launch

BYTES = {
    "b8": 1,
    "b16": 2,
    "u16": 2,
    "s16": 2,
    "f16": 2,
    "b32": 4,
    "u32": 4,
    "s32": 4,
    "f32": 4,
    "b64": 8,
    "u64": 8,
    "s64": 8,
    "f64": 8,
}


def apply(instruction: str, out: str, ins: str, *operands: NDArray[Any]) -> NDArray[Any]:
    """Run e.g. `apply("add.u32 d, a0, a1;", "b32", "b32 b32", x, y)`; "pred" results come as 0 and 1 of uint32.

    Registers: d (and p, a predicate, for what also writes one), a0, a1, …; arrays hold the bits of the operands' types.
    """
    types = ins.split()
    n = len(operands[0])
    held = "b32" if out == "pred" else out
    lines = [f".reg .{'pred' if out == 'pred' else out} d;", ".reg .b32 held; .reg .pred p, q;"]
    lines += [f".reg .{'b16' if t == 'b8' else t} a{i};" for i, t in enumerate(types)]
    body: list[str] = []
    for i, t in enumerate(types):
        body.append(
            f"ld.param.u64 at, [in{i}]; mad.wide.u32 at, index, {BYTES[t]}, at; ld.global.{_load(t)} a{i}, [at];"
        )
    body.append(instruction)
    result = "d"
    if out == "pred":
        body.append("selp.b32 held, 1, 0, d;")
        result = "held"
    body.append(
        f"ld.param.u64 at, [out]; mad.wide.u32 at, index, {BYTES[held]}, at; st.global.{_load(held)} [at], {result};"
    )
    params = ", ".join([".param .u64 out", *(f".param .u64 in{i}" for i in range(len(types))), ".param .u32 n"])
    text = f"""
    .visible .entry k({params}) {{
        .reg .u32 index, count, width, block; .reg .u64 at; .reg .pred over;
        {" ".join(lines)}
        mov.u32 index, %tid.x; mov.u32 width, %ntid.x; mov.u32 block, %ctaid.x;
        mad.lo.u32 index, block, width, index;
        ld.param.u32 count, [n];
        setp.ge.u32 over, index, count;
        @over exit;
        {chr(10).join(body)}
        exit;
    }}"""
    answer = np.zeros(n, f"u{BYTES[held]}")
    inputs = [np.ascontiguousarray(a) for a in operands]
    launch(text, [answer, *inputs, np.uint32(n)], grid=(-(-n // 128), 1, 1), block=(128, 1, 1))
    return answer


def _load(t: str) -> str:
    return {"f16": "b16"}.get(t, t)
