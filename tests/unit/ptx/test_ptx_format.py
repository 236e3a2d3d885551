"""The canonical form: the same tokens and comments, an equal tree, and nothing to do the second time."""

from __future__ import annotations

import re
from pathlib import Path

import compiler
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ptx_roundtrip import BODIES, HEAD, TOPS, kernel

from ptxlab.commands import fmt
from ptxlab.diag import Diagnostic
from ptxlab.ptx.format import formatted
from ptxlab.ptx.lexer import tokens
from ptxlab.ptx.parser import parse

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^#[^\n]*", re.DOTALL | re.MULTILINE)
FUNCTIONS = ".extern .func f(.param .b32 z);\n.func (.param .b32 y) g(.param .b32 z, .param .b32 w) ;\n"


def canonical(source: str) -> str:
    """The canonical form, with all that must hold of it."""
    module = parse(source)
    made = formatted(module)
    again = parse(made)
    assert again == module
    assert formatted(again) == made
    assert COMMENT.findall(made) == COMMENT.findall(source)
    assert tokens(COMMENT.sub(" ", made)) == tokens(COMMENT.sub(" ", source))
    return made


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str) -> None:
    canonical(kernel(BODIES[name]).replace(HEAD, HEAD + FUNCTIONS))


@pytest.mark.parametrize("source", TOPS)
def test_modules(source: str) -> None:
    canonical(source)


UGLY = """// first

.version 8.0 // nine
# 1 "x.cu"
.target sm_90a, debug /* x */ .address_size 64
/* a */ .visible .entry k(.param .u64 a /* w */, .param .align 64 .b8 m[128] // m
) // head
{ // open
.reg .b32 %r<3>; /* one */ /* two */ mov.u32 %r1,/* mid */5; // trailing


// own
L: M: /* lead */ ret /* semi */ ;
}
.section .debug_str { info: .b8 1,2
.b8 3 }
// end"""

NEAT = """// first

.version 8.0 // nine
# 1 "x.cu"
.target sm_90a, debug /* x */
.address_size 64

/* a */ .visible .entry k(
    .param .u64 a /* w */ ,
    .param .align 64 .b8 m[128] // m
) // head
{ // open
    .reg .b32 %r<3>; /* one */ /* two */
    mov.u32 %r1, /* mid */ 5; // trailing

// own
L:
M: /* lead */
    ret /* semi */ ;
}
.section .debug_str
{
    info:
    .b8 1, 2
    .b8 3
}
// end
"""


def test_what_it_looks_like() -> None:
    assert canonical(UGLY) == NEAT


_WORDS = re.findall(
    r"[\w.%$]+|[^\s\w]", kernel("@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8]; L: bra L; { .reg .b32 t; ret; }")
)
_GAPS = st.sampled_from(
    ["", " ", "\t", "\n", "\n\n\n", " /* c */ ", "\n/* d */", " // e\n", "\n\n// f\n\n\n", '\n# 3 "g"\n']
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_GAPS, min_size=len(_WORDS), max_size=len(_WORDS)))
def test_comments_anywhere(gaps: list[str]) -> None:
    spread = ""
    for gap, word in zip(gaps, _WORDS, strict=True):
        glued = not gap and re.search(r"[\w.%$]$", spread) and re.match(r"[\w.%$]", word)
        spread += (" " if glued or spread.endswith(".version") else gap) + word
    canonical(spread)


@pytest.mark.corpus
@pytest.mark.parametrize("option", ["", "-lineinfo", "-G"])
@pytest.mark.parametrize("source", compiler.SOURCES)
def test_nvcc_output(source: str, option: str) -> None:
    canonical(compiler.compile_ptx(source, *([option] if option else [])))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(UGLY)
    assert fmt.main(fmt.Options(files=[file])) == 0
    assert capsys.readouterr().out == NEAT
    assert fmt.main(fmt.Options(files=[file], check=True)) == 1
    assert "+    info:" in capsys.readouterr().out
    assert file.read_text() == UGLY
    assert fmt.main(fmt.Options(files=[file], in_place=True)) == 0
    assert file.read_text() == NEAT
    assert fmt.main(fmt.Options(files=[file], check=True)) == 0
    assert sorted(tmp_path.iterdir()) == [file]


def test_command_writes_nothing_when_one_file_is_broken(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.ptx", tmp_path / "bad.ptx"
    good.write_text(UGLY)
    bad.write_text(UGLY.replace("ret", ".bogus"))
    with pytest.raises(Diagnostic) as wrong:
        fmt.main(fmt.Options(files=[good, bad], in_place=True))
    assert wrong.value.code == "PTX0001"
    assert good.read_text() == UGLY
    with pytest.raises(Diagnostic) as wrong:
        fmt.main(fmt.Options(files=[good], check=True, in_place=True))
    assert wrong.value.code == "PTX2501"
