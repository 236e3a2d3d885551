"""Pointers that one launch stores and another one follows: to variables and functions of its module, and of others."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

HEAD = ".version 8.8\n.target sm_90a\n.address_size 64\n"
CLASSES = """
.visible .func (.param .b32 r) twice(.param .b64 self)
{ .reg .b64 %p; .reg .b32 %x; ld.param.u64 %p, [self]; ld.u32 %x, [%p+8]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
.visible .func (.param .b32 r) square(.param .b64 self)
{ .reg .b64 %p; .reg .b32 %x; ld.param.u64 %p, [self]; ld.u32 %x, [%p+8]; mul.lo.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
"""
TABLES = """
.global .align 8 .u64 twice_vtable[2] = {0, twice};
.global .align 8 .u64 square_vtable[2] = {0, square};
"""
PLACE = """ld.param.u64 %o, [objects]; mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 16; add.u64 %o, %o, %at;
    and.b32 %b, %t, 1; setp.eq.u32 %even, %b, 0;"""
MAKE_VIRTUAL = f"""
.visible .entry make(.param .u64 objects)
{{ .reg .b64 %o, %at, %v, %w; .reg .b32 %t, %b; .reg .pred %even; {PLACE}
  mov.u64 %v, twice_vtable; mov.u64 %w, square_vtable; selp.b64 %v, %v, %w, %even; cvta.global.u64 %v, %v; add.u64 %v, %v, 8;
  st.u64 [%o], %v; st.u32 [%o+8], %t; ret; }}
"""
MAKE_POINTERS = f"""
.visible .entry make(.param .u64 objects)
{{ .reg .b64 %o, %at, %v, %w; .reg .b32 %t, %b; .reg .pred %even; {PLACE}
  mov.u64 %v, twice; mov.u64 %w, square; selp.b64 %v, %v, %w, %even; st.u64 [%o], %v; st.u32 [%o+8], %t; ret; }}
"""
USE = """
.visible .entry use(.param .u64 objects, .param .u64 out)
{{ .reg .b64 %o, %at, %f, %out; .reg .b32 %t, %b; ld.param.u64 %o, [objects]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 16; add.u64 %o, %o, %at; mul.wide.u32 %at, %t, 4; add.u64 %out, %out, %at; {find}
  {{ .param .b64 self; .param .b32 r; st.param.b64 [self], %o; of: .callprototype (.param .b32 _) _ (.param .b64 _);
    call (r), %f, (self), of; ld.param.b32 %b, [r]; }} st.u32 [%out], %b; ret; }}
"""
VIRTUAL = HEAD + CLASSES + TABLES + MAKE_VIRTUAL + USE.format(find="ld.u64 %f, [%o]; ld.u64 %f, [%f];")
POINTERS = HEAD + CLASSES + MAKE_POINTERS + USE.format(find="ld.u64 %f, [%o];")
EXPECTED = np.array([2 * t if t % 2 == 0 else t * t for t in range(64)], np.uint32)

STORE = """.{space} .align 4 .u32 table[4] = {{11, 22, 33, 44}};
.visible .entry store(.param .u64 to) {{ .reg .b64 %a, %to; ld.param.u64 %to, [to]; mov.u64 %a, table; cvta.{space}.u64 %a, %a;
  st.u64 [%to], %a; ret; }}"""
FOLLOW = """.visible .entry follow(.param .u64 from, .param .u64 out) { .reg .b64 %a, %out; .reg .b32 %x;
  ld.param.u64 %a, [from]; ld.param.u64 %out, [out]; ld.u64 %a, [%a]; ld.u32 %x, [%a+8]; st.u32 [%out], %x; ret; }
.visible .entry change(.param .u64 from) { .reg .b64 %a; ld.param.u64 %a, [from]; ld.u64 %a, [%a]; st.u32 [%a+8], 7; ret; }"""


def _plain(kernel: px.Kernel, **launch: object) -> None:
    kernel.launch(**launch)  # type: ignore[arg-type]


def _workers(kernel: px.Kernel, **launch: object) -> None:
    px.simulate(kernel, workers=2, **launch)  # type: ignore[arg-type]


def _debugged(kernel: px.Kernel, **launch: object) -> None:
    with px.debug(kernel, **launch) as d:  # type: ignore[arg-type]
        d.step(3)


@pytest.mark.parametrize("text", [VIRTUAL, POINTERS], ids=["virtual", "pointers"])
@pytest.mark.parametrize("run", [_plain, _workers, _debugged], ids=["launch", "workers", "debugger"])
def test_calls_through_what_an_earlier_launch_stored(text: str, run: Callable[..., None]) -> None:
    module = px.parse(text)
    objects, out = np.zeros(128, np.uint64), np.zeros(64, np.uint32)
    module["make"].launch(grid=1, block=64, args=[objects])
    run(module["use"], grid=1, block=64, args=[objects, out])
    assert np.array_equal(out, EXPECTED)


def test_a_launch_prepared_before_follows_pointers_that_come_later() -> None:
    module = px.parse(VIRTUAL)
    objects, out = np.zeros(128, np.uint64), np.zeros(64, np.uint32)
    use = module["use"].prepare(grid=1, block=64, args=[objects, out])
    module["make"].launch(grid=1, block=64, args=[objects])
    use()
    assert np.array_equal(out, EXPECTED)


@pytest.mark.parametrize("space", ["global", "const"])
def test_a_pointer_leads_to_a_variable_of_another_module(space: str) -> None:
    owner, other = px.parse(HEAD + STORE.format(space=space)), px.parse(HEAD + FOLLOW)
    place, out = np.zeros(1, np.uint64), np.zeros(1, np.uint32)
    owner["store"].launch(grid=1, block=1, args=[place])
    other["follow"].launch(grid=1, block=1, args=[place, out])
    assert out[0] == 33
    if space == "const":
        with pytest.raises(Diagnostic) as caught:
            other["change"].launch(grid=1, block=1, args=[place])
        assert caught.value.code == "PTX9004"
    else:
        other["change"].launch(grid=1, block=1, args=[place])
        assert owner.symbol("table")[2] == 7


def test_a_module_that_is_gone_takes_its_variables_along_and_the_report_says_so() -> None:
    text = HEAD + STORE.format(space="global").replace(
        "table[4]", "table[40000]"
    )  # too large to be right beside `place`
    owner, other = px.parse(text, "tables.ptx"), px.parse(HEAD + FOLLOW)
    place, out = np.zeros(1, np.uint64), np.zeros(1, np.uint32)
    owner["store"].launch(grid=1, block=1, args=[place])
    place[0] += 80_000
    del owner
    gc.collect()
    with pytest.raises(Diagnostic) as caught:
        other["follow"].launch(grid=1, block=1, args=[place, out])
    assert caught.value.code == "PTX9002"
    assert "in `table`, a variable of tables.ptx, which has been unloaded" in caught.value.message
    assert "keep what px.parse or px.load gave" in str(caught.value)


def test_an_address_that_no_variable_has_is_still_outside() -> None:
    owner, other = px.parse(HEAD + STORE.format(space="global")), px.parse(HEAD + FOLLOW)
    place, out = np.zeros(1, np.uint64), np.zeros(1, np.uint32)
    owner["store"].launch(grid=1, block=1, args=[place])
    place[0] += 8
    with pytest.raises(Diagnostic) as caught:
        other["follow"].launch(grid=1, block=1, args=[place, out])
    assert caught.value.code == "PTX9002"
    assert "`table + 0x10` end 4 bytes behind the 16 bytes of `table`" in caught.value.message
