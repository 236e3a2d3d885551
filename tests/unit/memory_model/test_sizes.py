"""Accesses of different sizes that overlap are refused; operands that are no values are not taken for some."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.memory_model import Verdict


def litmus(writer: str, reader: str, question: str = "exists (P1:%r0 == 1)", target: str = "8.0 sm_90a") -> Verdict:
    version, chip = target.split()
    registers = ".reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p;"
    return px.litmus(f"""// P0@cta 0,gpu 0 | P1@cta 0,gpu 0
    // {question}
    .version {version}
    .target {chip}
    .address_size 64
    .global .align 16 .b32 x[4];
    .shared .align 16 .b32 s[4];
    .entry P0() {{ {registers} {writer} ret; }}
    .entry P1() {{ {registers} {reader} ret; }}
    """)


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        ("st.relaxed.gpu.global.b64 [x], 1;", "ld.relaxed.gpu.global.b32 %r0, [x];"),
        ("st.relaxed.gpu.global.b64 [x], 1;", "ld.relaxed.gpu.global.b32 %r0, [x+4];"),
        ("st.relaxed.gpu.global.b32 [x], 65537;", "ld.relaxed.gpu.global.u8 %r0, [x];"),
        ("st.relaxed.gpu.global.b32 [x], 1;", "ld.relaxed.gpu.global.u16 %h0, [x+2]; cvt.u32.u16 %r0, %h0;"),
        ("atom.relaxed.gpu.global.add.u64 %d1, [x], 1;", "ld.relaxed.gpu.global.b32 %r0, [x];"),
        ("mov.u64 %d0, x; add.u64 %d0, %d0, 2; st.global.b16 [%d0], 1;", "ld.global.b32 %r0, [x];"),
    ],
)
def test_sizes_that_overlap_in_part(writer: str, reader: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        litmus(writer, reader)
    assert caught.value.code == "PTX0602"


@pytest.mark.parametrize("offset", ["", "+4", "+8"])
def test_one_size_is_followed(offset: str) -> None:
    writer, reader = f"st.relaxed.gpu.global.b32 [x{offset}], 1;", f"ld.relaxed.gpu.global.b32 %r0, [x{offset}];"
    assert litmus(writer, reader).holds
    assert litmus(writer + "st.global.b32 [x+12], 2;", reader).holds


def test_two_sizes_of_two_places() -> None:
    writer, reader = "st.global.b64 [x], 1; st.global.b16 [x+8], 1;", "ld.global.b64 %d0, [x]; mov.u32 %r0, 1;"
    assert litmus(writer, reader).holds


def test_a_barrier_of_the_warp_has_a_mask_and_no_number() -> None:
    assert litmus("bar.warp.sync -1; mov.u32 %r0, 1;", "mov.u32 %r0, 1;").holds


def test_st_bulk_stores_its_value_and_not_its_size() -> None:
    found = litmus(
        "mov.u32 %r1, s; st.bulk.weak.shared::cta [%r1], 16, 0; ld.shared.b32 %r0, [s];",
        "",
        "forall (P0:%r0 == 0)",
        "8.6 sm_100",
    )
    assert found.holds
