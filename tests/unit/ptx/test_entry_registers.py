"""Registers at entry of kernels with setmaxnreg: what ptxas gives, over directives, counts and sizes."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.ptx.entry_registers import at_entry

# Directives, columns of the product (0: none), counts of setmaxnreg.inc, registers at entry (None: ignored).
# ptxas 13.1 and 13.5 say the same.
CASES = [
    (".reqntid 256 .minnctapersm 1", 64, (208,), 208),
    (".reqntid 256 .minnctapersm 1", 64, (232,), 232),
    (".reqntid 256 .minnctapersm 1", 64, (240,), 240),
    (".reqntid 256 .minnctapersm 1", 64, (248,), 248),
    (".reqntid 256 .minnctapersm 1", 64, (), 256),
    (".reqntid 256 .minnctapersm 1", 64, (160, 240), 240),
    (".reqntid 384 .minnctapersm 1", 64, (160,), 160),
    (".reqntid 384 .minnctapersm 1", 64, (240,), 168),
    (".reqntid 384 .minnctapersm 1", 64, (160, 240), 168),
    (".reqntid 384 .minnctapersm 1", 64, (120, 96), 120),
    (".reqntid 384 .minnctapersm 1", 0, (240,), 168),
    (".maxntid 384 .minnctapersm 2", 64, (240,), 80),
    (".reqntid 384 .minnctapersm 1 .maxnreg 128", 64, (240,), 128),
    (".maxnreg 128", 64, (240,), 128),
    (".maxnreg 128", 64, (72,), 72),
    (".reqntid 384", 0, (240,), None),
    (".reqntid 384", 104, (160,), None),
    (".reqntid 384", 112, (160,), 160),
    (".maxntid 384", 128, (240,), 168),
    (".maxntid 384", 128, (), 168),
    (".reqntid 256", 200, (160,), None),
    (".reqntid 256", 208, (160,), 160),
    (".reqntid 256", 256, (240,), 240),
    (".reqntid 512", 72, (160,), None),
    (".reqntid 512", 80, (160,), 128),
    (".maxntid 1024", 8, (160,), None),
    (".maxntid 1024", 16, (160,), 64),
    ("", 256, (240,), None),
    (".minnctapersm 1", 64, (240,), None),
]


def text(directives: str, n: int, counts: tuple[int, ...]) -> str:
    takes = " ".join(f"setmaxnreg.inc.sync.aligned.u32 {count};" for count in counts)
    accumulators = [f"d{i}" for i in range(n // 2)]
    product = ""
    if n:
        held = "{" + ", ".join(accumulators) + "}"
        product = (
            " ".join(f"mov.f32 {d}, 0f00000000;" for d in accumulators)
            + f""" wgmma.fence.sync.aligned;
  AGAIN: wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 {held}, da, db, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  add.u32 i, i, 1; setp.lt.u32 again, i, count; @again bra AGAIN; """
            + " ".join(f"st.global.f32 [o+{4 * i}], {d};" for i, d in enumerate(accumulators))
        )
    return f""".version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {directives}
{{
  .reg .f32 {", ".join(accumulators) or "none"}; .reg .b32 t, i, count; .reg .pred first, again; .reg .b64 q, o, da, db;
  ld.param.u64 q, [in]; ld.param.u64 o, [out]; mov.u32 t, %tid.x; mov.u32 i, 0; mad.wide.u32 o, t, 512, o;
  ld.global.v2.b64 {{da, db}}, [q]; ld.global.u32 count, [q+16]; setp.lt.u32 first, t, 128;
  @first bra LOAD; {takes} {product} bra END;
  LOAD: setmaxnreg.dec.sync.aligned.u32 24; st.global.u32 [o+4], t;
  END: ret;
}}
"""


@pytest.mark.parametrize(("directives", "n", "counts", "registers"), CASES)
def test_without_ptxas_they_are_modelled(
    directives: str, n: int, counts: tuple[int, ...], registers: int | None
) -> None:
    found = at_entry(px.parse(text(directives, n, counts))["k"].program)
    assert found.registers == registers
    alone = "ntid" in directives and ".minnctapersm" not in directives
    assert found.source == ("model" if alone else "directives")


@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
@pytest.mark.skipif(ptxas.find() is None, reason="ptxas is not installed: install the extra `ptxas`")
@pytest.mark.parametrize(("directives", "n", "counts", "registers"), CASES)
def test_ptxas_gives_them(directives: str, n: int, counts: tuple[int, ...], registers: int | None) -> None:
    kernel = px.parse(text(directives, n, counts))["k"]
    made = kernel.entry().assembly
    ignored = any(d.code == "PTX2410" for d in made.warnings)
    assert ignored == (registers is None)
    if registers is not None:
        assert made.resources["k"].registers == min(registers, 255)
    assert at_entry(kernel.program, kernel.entry().registers).registers == registers
