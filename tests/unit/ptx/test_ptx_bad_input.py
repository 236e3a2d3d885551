"""Whatever the text is: diagnostics with a place, all of them in one run, and never an exception of ours."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab.checks import check
from ptxlab.diag import Diagnostic
from ptxlab.ptx.parser import parse, parse_all
from ptxlab.ptx.printer import text

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<4>;"


def kernel(body: str) -> str:
    return f"{HEAD}.visible .entry k(.param .u64 a)\n{{ {REGISTERS}\n{body}\n}}\n"


_CUT = kernel(
    ".shared .align 8 .b8 t[16];\nsetp.lt.s32 %p1|%p2, %r1, 3;\n@!%p1 bra L;\nld.global.v2.u32 {%r1, %r2}, [%rd1+8];\n"
    "{ .reg .b32 q; mov.u32 q, %r1; }\nL: ret;"
)
CASES = [
    # body, code, line within the body, column, a word of the message
    ("add.s32 %r1, %r2, %r99;", "PTX0010", 1, 19, "%r99"),
    ("@%q bra L;\nL: ret;", "PTX0010", 1, 2, "%q"),
    ("ld.global.u32 %r1, [nope];", "PTX0011", 1, 21, "nope"),
    ("mov.u32 %r1, %tid.q;", "PTX0010", 1, 14, "%tid.q"),
    ("add.s32 %r1, %r2, 3\nret;", "PTX0001", 2, 1, "`;`"),
    ("add.s32 %r1, %r2", "PTX0001", 2, 1, "`;`"),
    ("add.s32 %r1, {%r2, 3;", "PTX0001", 1, 21, "not closed"),
    ("add.s32 %r1, %r2], 3;", "PTX0001", 1, 17, "closes nothing"),
    (".foo 3;", "PTX0001", 1, 1, ".foo"),
    (".reg .b33 t;", "PTX0001", 1, 6, "a type"),
    (".reg .b32 %r<4>;", "PTX0013", 1, 1, "%r"),
    (".reg .b32 t<99999999999>;", "PTX0001", 1, 13, "99999999999"),
    (".shared .b32 t[2;", "PTX0001", 1, 17, "`]`"),
    (".global .b32 t = ;", "PTX0001", 1, 18, "number"),
    ("add::x %r1;", "PTX0001", 1, 1, "`add::x`"),
    (".shared .v2 .align 8 .b8 t[4];", "PTX0001", 1, 13, "a type"),
    (".shared .v2 .v2 .f32 t;", "PTX0001", 1, 13, "a type"),
    ("bra$L;\n$L: ret;", "PTX0001", 1, 1, "`bra$L`"),
    (".loc 1 2;", "PTX0001", 1, 9, "integer"),
]


@pytest.mark.parametrize(("body", "code", "line", "column", "word"), CASES)
def test_error_has_code_and_place(body: str, code: str, line: int, column: int, word: str) -> None:
    _, found = parse_all(kernel(body), "k.ptx")
    assert [d.code for d in found] == [code]
    span = found[0].span
    assert span is not None
    assert (span.line - 5, span.column) == (line, column)
    assert word in found[0].message


def test_all_errors_are_found_in_one_run() -> None:
    body = (
        "add.s32 %r1, %r2, %x1;\nadd.s32 %r1, %r2, 1;\n.foo 1;\nadd.s32 %r1, %r2, 3\nexit;\n"
        "add.s32 %x2, %r1, 1;\n{ mov.u32 %r1, %x3; }"
    )
    module, found = parse_all(kernel(body) + "\nrubbish\n.global .u32 ok;\n")
    assert [(d.code, d.span.line - 5 if d.span else 0) for d in found] == [
        ("PTX0010", 1),
        ("PTX0001", 3),
        ("PTX0001", 5),
        ("PTX0010", 6),
        ("PTX0010", 7),
        ("PTX0001", 10),
    ]
    assert len(module.items) == 5
    with pytest.raises(Diagnostic) as raised:
        parse(kernel(body))
    assert len(raised.value.also) == 4


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\n",
        "// nothing",
        ".entry k() { ret; }",
        "\x7fELF\x02\x01\0\0",
        HEAD + ".visible .entry {",
        HEAD + '.file 1 "a',
    ],
)
def test_what_is_no_module(source: str) -> None:
    _, found = parse_all(source)
    assert found
    assert all(d.span is not None for d in found)


def test_unclosed_scope_names_its_brace() -> None:
    _, found = parse_all(kernel("{ ret;"))
    assert [d.code for d in found] == ["PTX0003"]
    assert "line 5" in found[0].message


@pytest.mark.parametrize("end", range(len(HEAD) + 1, len(_CUT) - 2))
def test_a_text_that_is_cut_short_gets_one_diagnostic(end: int) -> None:
    (found,) = parse_all(_CUT[:end])[1]
    assert found.code in ("PTX0001", "PTX0003")
    assert found.span is not None
    assert found.span.line == _CUT[:end].rstrip().count("\n") + 1
    assert found.help


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (".target sm_90a\n.version 8.0\n", "does not begin with `.version`"),
        (".version 8.0\n.entry k() { ret; }", "names no `.target`"),
        (".version 8\n.target sm_90a\n", "expected a version, found `8`"),
        (HEAD + ".entry k() .bogus 1 { ret; }", "launch directive"),
        ("<html>", "`.version 8.0`"),
    ],
)
def test_what_begins_wrong(source: str, words: str) -> None:
    (found,) = parse_all(source)[1]
    assert words in found.message + (found.help or "")
    assert found.help


def test_deep_nesting_is_refused() -> None:
    _, found = parse_all(kernel("{" * 5000 + "}" * 5000))
    assert found
    assert "nested" in found[0].message


@pytest.mark.parametrize(
    "source",
    [
        kernel("add x\n.y\n" * 20000),
        kernel("a:" * 40000),
        kernel("add.s32 %r1, " + "%r2, " * 40000 + "%r3;"),
        kernel("/*" * 40000),
        kernel("@" * 40000),
        kernel("mov.u32 %r1, " + "(" * 20000 + "1" + ")" * 20000 + ";"),
        kernel("mov.u32 %r1, " + "9" * 100000 + ";"),
        HEAD + ".global .b8 t[] = {" + "{" * 20000,
        HEAD + "x " * 40000,
    ],
)
def test_time_is_linear(source: str) -> None:
    begin = time.process_time()
    parse_all(source)
    assert time.process_time() - begin < 60  # quadratic time would be minutes


def test_long_initialiser() -> None:
    source = HEAD + ".global .b8 t[200000] = {" + ", ".join(str(i % 256) for i in range(200000)) + "};\n"
    begin = time.process_time()
    assert text(parse(source)) == source
    assert time.process_time() - begin < 60  # quadratic time would be minutes


_SEED = kernel(
    "setp.lt.s32 %p1|%p2, %r1, 3;\n@%p1 bra L;\nld.global.v2.u32 {%r1, %r2}, [%rd1+8];\n"
    "{ .reg .b32 t; mov.u32 t, %r1; }\nL: ret; // done\n.loc 1 2 3\n"
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(_SEED) - 1), st.sampled_from(list('{}[]();,.@%"/*# \n0xZ')) | st.just("")),
        max_size=6,
    )
)
def test_mutations_never_escape(edits: list[tuple[int, str]]) -> None:
    source = _SEED
    for at, put in edits:
        source = source[:at] + put + source[at + 1 :]
    module, found = parse_all(source)
    printed = text(module)
    if not found:
        assert printed == source


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_answered(source: str) -> None:
    module, found = parse_all(source)
    assert found or text(module) == source


def test_a_file_name_needs_both_quotes() -> None:
    _, found = parse_all(HEAD + '.file 1 "\n')
    assert [d.code for d in found] == ["PTX0001"]
    assert "file name" in found[0].message


@pytest.mark.parametrize(
    "head", [f".version 8.{'9' * 5000}\n.target sm_90a\n", f".version 8.0\n.target sm_{'9' * 5000}\n"]
)
def test_gigantic_headers(head: str) -> None:
    assert check(head)


def test_a_gigantic_address_size() -> None:
    with pytest.raises(Diagnostic, match="a number of bits"):
        parse(HEAD.replace("64", "9" * 5000))


@pytest.mark.parametrize("head", [".address_size 64,", ".address_size sixty", ".target sm_90a,", ".version 8.0, 9.0"])
def test_a_header_takes_nothing_of_what_follows(head: str) -> None:
    """What is too much is an error, and the variable behind it is read."""
    name = head.split()[0]
    lines = [head if line.startswith(name) else line for line in HEAD.splitlines()]
    module, found = parse_all("\n".join([*lines, ".extern .shared .b8 last[];"]))
    assert [d.code for d in found] == ["PTX0001"]
    assert "last" in text(module)


def test_what_only_begins_as_a_float_is_none() -> None:
    _, found = parse_all(kernel("mov.f32 %r1, 0f%tid_xyz;"))
    assert all(d.span is not None for d in found)
