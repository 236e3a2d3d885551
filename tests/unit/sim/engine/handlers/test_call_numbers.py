"""Numbers as arguments of calls: what ptxas 13.1 hands over, read in its SASS."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px

_MODULE = """.version 8.0
.target sm_90a
.address_size 64
.func (.param .b32 r) f32(.param .b32 x) {{ .reg .b32 q; ld.param.b32 q, [x]; st.param.b32 [r], q; ret; }}
.func (.param .b64 r) f64(.param .b64 x) {{ .reg .b64 q; ld.param.b64 q, [x]; st.param.b64 [r], q; ret; }}
.visible .entry k(.param .u64 a)
{{
.reg .b{bits} v; .reg .b64 p;
ld.param.u64 p, [a];
call (v), f{bits}, ({text});
st.global.b{bits} [p], v;
ret;
}}
"""


@pytest.mark.parametrize(
    ("bits", "text", "value"),
    [
        (32, "3.0", 0),  # the lower half of the number in 64 bits
        (32, "0x1ffffffff", 0xFFFFFFFF),
        (32, "0f3F800000", 0x3F800000),
        (32, "-3", 0xFFFFFFFD),
        (32, "(1+2)", 3),
        (64, "1.5", 0x3FF8000000000000),
        (64, "0f3F800000", 0x3F800000),
        (64, "-3", 0xFFFFFFFFFFFFFFFD),
    ],
)
def test_numbers_are_handed_over(bits: int, text: str, value: int) -> None:
    source = _MODULE.format(bits=bits, text=text)
    module = px.parse(source)
    out = np.zeros(1, np.dtype(f"u{bits // 8}"))
    px.simulate(module["k"], grid=1, block=1, args=[out])
    assert out[0] == value
    assert str(module.tree) == source
