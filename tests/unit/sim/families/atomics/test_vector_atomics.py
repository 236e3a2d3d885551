"""Atomics on vectors reach global memory alone: an H200 drops what they do to generic addresses elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

TEXT = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {{ .reg .b64 %a; .reg .b32 %r<8>; .reg .b16 %h<8>;
  .shared .align 32 .b8 s[64]; .local .align 32 .b8 l[64];
  {address} mov.b32 %r0, 0x3f800000; mov.b32 %r1, 0x40000000; mov.b32 %r2, 0x3f800000; mov.b32 %r3, 0x40000000;
  mov.b16 %h0, 0x3c00; mov.b16 %h1, 0x4000; mov.b16 %h2, 0x3c00; mov.b16 %h3, 0x4000; {code} ret; }}
"""
ADDRESSES = {
    "global": "ld.param.u64 %a, [out];",
    "shared": "mov.u64 %a, s; cvta.shared.u64 %a, %a;",
    "local": "mov.u64 %a, l; cvta.local.u64 %a, %a;",
}
CODE = [
    "red.add.v2.f32 [%a], {%r0, %r1};",
    "red.add.v4.f32 [%a], {%r0, %r1, %r2, %r3};",
    "atom.add.v2.f32 {%r4, %r5}, [%a], {%r0, %r1};",
    "red.add.noftz.v4.f16 [%a], {%h0, %h1, %h2, %h3};",
    "atom.max.noftz.v2.bf16x2 {%r4, %r5}, [%a], {%r0, %r1};",
    "atom.add.v2.f32 _, [%a], {%r0, %r1};",
]


def _run(space: str, code: str) -> bytes:
    out = np.zeros(8, np.uint32)
    px.parse(TEXT.format(address=ADDRESSES[space], code=code))["k"].launch(grid=1, block=1, args=[out], lints=False)
    return out.tobytes()


@pytest.mark.parametrize("code", CODE)
def test_global_memory_is_updated(code: str) -> None:
    assert any(_run("global", code))


@pytest.mark.parametrize("space", ["shared", "local"])
@pytest.mark.parametrize("code", CODE)
def test_other_memory_is_refused(code: str, space: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        _run(space, code)
    assert caught.value.code == "PTX9026"
    assert "an H200 changes nothing there" in str(caught.value)
