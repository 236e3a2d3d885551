"""The seam of memory accesses: every access of a handler goes by it, with lanes, size and kind."""

from __future__ import annotations

import pytest

from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.emit import Emitter, build
from ptxlab.sim.engine.compiled.memory import Reach
from ptxlab.sim.engine.decoded.decode import image_of
from ptxlab.sim.families.cp_async import meaning as copies

from ...launching import program_of

HEAD = """.visible .entry k(.param .u64 a) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f32 %f<2>; .shared .align 16 .b8 tile[64]; .local .align 4 .b8 mine[16];
  ld.param.u64 %rd1, [a]; mov.u32 %r1, tile;
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ld.global.u32 %r2, [%rd1];", {("global", "load", 4)}),
        ("ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r1];", {("shared", "load", 16)}),
        ("ld.local.u32 %r2, [mine];", {("local", "load", 4)}),
        ("ld.u64 %rd2, [%rd1];", {("generic", "load", 8)}),
        ("st.global.v2.u32 [%rd1], {%r2, %r3};", {("global", "store", 8)}),
        ("st.shared.u8 [%r1], %r2;", {("shared", "store", 1)}),
        ("atom.global.add.u32 %r2, [%rd1], 1;", {("global", "atomic", 4)}),
        ("red.shared.add.u32 [%r1], 1;", {("shared", "atomic", 4)}),
        ("cp.async.ca.shared.global [%r1], [%rd1], 16;", {("global", "load", 16), ("shared", "store", 16)}),
        (
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
            {("shared", "load", 16)},
        ),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", {("shared", "store", 16)}),
    ],
)
def test_an_access_is_reported(text: str, wanted: set[tuple[str, str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Reach] = []

    def note(e: Emitter, reach: Reach) -> None:
        seen.append(reach)

    for module in (memory, copies):
        monkeypatch.setattr(module, "report", note)
    image = image_of(program_of(HEAD + text + " ret; }"))
    wanted_op = next(op for op in image.ops if op.text.startswith(text[:6]) and "param" not in op.text)
    handler = next(h for op, h in zip(image.ops, image.handlers, strict=True) if op is wanted_op)
    build(handler, "h", frozenset())
    assert {(memory.SPACE_OF[r.address.space], r.kind, r.size) for r in seen} == wanted
    assert all(r.lanes.t.bits == 32 for r in seen)
    for reach in seen:
        assert not reach.span or reach.where.t.lanes == 0
        assert reach.span in (0, reach.size) or reach.span % reach.size == 0
        assert reach.span or reach.where.t.lanes == 32


def test_who_does_not_ask_pays_nothing() -> None:
    """The same machine code as without the seam."""
    text = HEAD + "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1], %r2; ret; }"
    image = image_of(program_of(text))
    for _, handler in image.accesses:
        plain, _ = build(handler, "h", frozenset())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(memory, "report", lambda e, reach: None)
            without, _ = build(handler, "h", frozenset())
        assert plain == without
