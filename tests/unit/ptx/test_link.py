"""Several files become one module: what is resolved, renamed, and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"

MAIN = (
    HEAD
    + """
.extern .func (.param .b32 r) scaled(.param .b32 n);
.extern .global .u32 offsets[4];
.extern .const .u64 where;
.extern .shared .align 16 .b8 pool[];
.global .u32 hidden = 5;
.func (.param .b32 r) helper(.param .b32 n) { .reg .u32 a; ld.param.u32 a, [n]; add.u32 a, a, 1; st.param.b32 [r], a; ret; }
.visible .entry k(.param .u64 out) {
    .reg .u32 i, r, a; .reg .u64 at;
    mov.u32 i, %tid.x;
    { .param .b32 x; .param .b32 y; st.param.b32 [x], i; call (y), scaled, (x); ld.param.b32 r, [y]; }
    { .param .b32 x; .param .b32 y; st.param.b32 [x], r; call (y), helper, (x); ld.param.b32 r, [y]; }
    and.b32 a, i, 3; mov.u64 at, offsets; mad.wide.u32 at, a, 4, at; ld.global.u32 a, [at]; add.u32 r, r, a;
    ld.const.u64 at, [where]; ld.global.u32 a, [at+4]; add.u32 r, r, a;
    ld.global.u32 a, [hidden]; add.u32 r, r, a;
    st.shared.u32 [pool], a;
    ld.param.u64 at, [out]; mad.wide.u32 at, i, 4, at; st.global.u32 [at], r; ret;
}
"""
)
OTHER = """// a file with a name of its own
.version 8.3
.target sm_90a
.address_size 64
.extern .global .u32 offsets[4];
.visible .const .u64 where = offsets;
.visible .global .u32 offsets[4] = {100, 200, 300, 400};
.global .u32 hidden = 3;
.func (.param .b32 r) helper(.param .b32 n) { .reg .u32 a; ld.param.u32 a, [n]; mul.lo.u32 a, a, 10; st.param.b32 [r], a; ret; }
.visible .func (.param .b32 r) scaled(.param .b32 n) {
    .reg .u32 a, hidden2; ld.param.u32 a, [n];
    { .param .b32 x; .param .b32 y; st.param.b32 [x], a; call (y), helper, (x); ld.param.b32 a, [y]; }
    ld.global.u32 hidden2, [hidden]; add.u32 a, a, hidden2; st.param.b32 [r], a; ret; }
"""


def linked(*texts: str) -> px.Module:
    return px.link([px.parse(text, f"{name}.ptx") for name, text in zip("abc", texts, strict=False)])


def fails(code: str, *texts: str) -> str:
    with pytest.raises(Diagnostic) as caught:
        linked(*texts)
    assert caught.value.code == code
    return str(caught.value)


@pytest.mark.parametrize("order", [(MAIN, OTHER), (OTHER, MAIN)])
def test_files_find_each_other_and_keep_what_is_their_own(order: tuple[str, str]) -> None:
    module = linked(*order)
    out = np.zeros(8, np.uint32)
    module["k"].launch(grid=1, block=8, shared=16, args=[out])
    i = np.arange(8)
    assert np.array_equal(out, 10 * i + 3 + 1 + np.array([100, 200, 300, 400])[i % 4] + 200 + 5)
    assert module.target == "sm_90a"
    assert module.tree.version == (8, 3)
    assert list(module.symbol("offsets")[:]) == [100, 200, 300, 400]


def test_the_whole_is_a_module_like_any_other() -> None:
    module = linked(MAIN, OTHER)
    again = px.parse(str(module))
    assert again.tree == module.tree
    assert px.check(module) == []
    if ptxas.find() is not None:
        assert module["k"].cubin


def test_paths_and_line_tables(tmp_path: Path) -> None:
    for name, text, line in (("main", MAIN, "mov.u32 i, %tid.x;"), ("other", OTHER, "ld.param.u32 a, [n];")):
        changed = text.replace(line, f".loc 1 7 0\n{line}", 1).replace(
            ".address_size 64", f'.address_size 64\n.file 1 "{name}.cu"'
        )
        (tmp_path / f"{name}.ptx").write_text(changed)
    text = str(px.link([tmp_path / "main.ptx", str(tmp_path / "other.ptx")]))
    assert '.file 1 "main.cu"' in text
    assert '.file 2 "other.cu"' in text
    assert ".loc 2 7 0" in text


def test_weak_definitions_give_way() -> None:
    weak = HEAD + ".weak .func (.param .b32 r) scaled(.param .b32 n) { st.param.b32 [r], 0; ret; }\n"
    out = np.zeros(8, np.uint32)
    linked(MAIN, weak, OTHER)["k"].launch(grid=1, block=8, shared=16, args=[out])
    assert out[2] == 20 + 3 + 1 + 300 + 200 + 5


def test_the_greatest_of_common_variables() -> None:
    parts = [HEAD + f".common .global .u32 shared_table[{n}];\n" for n in (2, 7, 4)]
    assert "shared_table[7]" in str(linked(*parts))
    assert str(linked(*parts)).count("shared_table") == 1


def test_what_two_files_define() -> None:
    words = fails("PTX2330", MAIN, OTHER, HEAD + ".visible .global .u32 offsets[4];\n")
    assert "c.ptx defines `offsets`" in words
    assert "b.ptx line 7" in words
    fails("PTX2330", MAIN, OTHER, HEAD + ".visible .entry k() { ret; }\n")


def test_what_no_file_defines() -> None:
    words = fails("PTX2331", MAIN)
    assert "`scaled`" in words
    assert "`offsets`" in words
    assert "vprintf" not in fails(
        "PTX2331", MAIN + ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    )


def test_declarations_that_differ() -> None:
    assert "`scaled`" in fails("PTX2332", MAIN.replace("scaled(.param .b32 n)", "scaled(.param .b64 n)"), OTHER)
    assert "`offsets`" in fails("PTX2332", MAIN.replace(".global .u32 offsets", ".global .u64 offsets"), OTHER)


def test_targets_that_do_not_go_together() -> None:
    assert "sm_90a alone" in fails("PTX2333", OTHER, HEAD.replace("8.0", "8.7").replace("sm_90", "sm_100a"))


def test_nothing_to_link() -> None:
    with pytest.raises(Diagnostic) as caught:
        px.link([])
    assert caught.value.code == "PTX2316"
