"""Accesses that leave a parameter: found by the checks, and stopped where the simulator cannot say what lies there."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import lints_of
from ptxlab.diag import Diagnostic

TEXT = """.version 8.8
.target sm_90a
.address_size 64
.func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[16])
{{ .reg .b32 %x, %y; .reg .b64 %d; {inside} ld.param.b32 %x, [a]; ld.param.b32 %y, [s+4]; add.u32 %x, %x, %y;
  st.param.b32 [r], %x; ret; }}
.visible .entry k(.param .u64 out, .param .u32 n, .param .align 16 .b8 block[32])
{{ .reg .b32 %x, %y; .reg .b64 %o, %d; ld.param.u64 %o, [out]; {kernel}
  {{ .param .b32 a; .param .align 8 .b8 s[16]; .param .b32 r; st.param.b32 [a], 5; st.param.b32 [s+4], 6; {given}
    call (r), f, (a, s); ld.param.b32 %x, [r]; {taken} }} st.global.u32 [%o], %x; ret; }}
"""
OF_CALLS = {
    "st.param.b32 [s+16], 1;": "given",
    "st.param.b64 [a], %o;": "given",
    "st.param.b32 [s+4096], 1;": "given",
    "st.param.b32 [s+-4], 1;": "given",
    "st.param.v2.b32 [s+12], {%x, %x};": "given",
    "ld.param.b32 %x, [r+4];": "taken",
    "ld.param.b64 %d, [r];": "taken",
    "ld.param.b32 %x, [s+16];": "inside",
    "ld.param.b32 %x, [a+4];": "inside",
    "ld.param.b32 %x, [a+-4];": "inside",
    "st.param.b32 [r+4], 1;": "inside",
}
OF_THE_KERNEL = {  # and whether all of it lies in another parameter
    "ld.param.b32 %y, [block+32];": False,
    "ld.param.v4.b32 {%x, %y, %x, %y}, [block+4096];": False,
    "ld.param.b32 %y, [out+-4];": False,
    "ld.param.b32 %y, [block+-8];": True,
    "ld.param.b32 %y, [n+8];": True,
}


def _text(place: str, code: str) -> str:
    return TEXT.format(**{"inside": "", "kernel": "", "given": "", "taken": "", place: code})


def _run(text: str) -> int:
    out = np.zeros(1, np.uint32)
    px.parse(text)["k"].launch(grid=1, block=1, args=[out, np.uint32(3), bytes(32)], lints=False)
    return int(out[0])


def _lints(text: str) -> list[Diagnostic]:
    return [d for d in lints_of(px.parse(text).program("k")) if d.code == "PTX5050"]


@pytest.mark.parametrize("code", OF_CALLS)
def test_parameters_of_calls(code: str) -> None:
    text = _text(OF_CALLS[code], code)
    assert len(_lints(text)) == 1
    with pytest.raises(Diagnostic) as caught:
        _run(text)
    assert caught.value.code == "PTX9002"
    assert f"`{code[:-1]}`: " in caught.value.message
    assert "which has" in caught.value.message


@pytest.mark.parametrize("code", OF_THE_KERNEL)
def test_parameters_of_the_kernel(code: str) -> None:
    text = _text("kernel", code)
    assert len(_lints(text)) == 1
    if OF_THE_KERNEL[code]:
        assert _run(text) == 11
        return
    with pytest.raises(Diagnostic) as caught:
        _run(text)
    assert caught.value.code == "PTX9002"


def test_accesses_inside_are_well() -> None:
    text = _text("given", "st.param.b64 [s+8], %o; st.param.v2.b32 [s], {%x, %x}; st.param.b32 [s+4], 6;")
    assert not _lints(text)
    assert _run(text) == 11
