"""Names of thousands of characters, as templates of C++ have them, in diagnostics for people and for machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ptxlab as px
from ptxlab.cli import app
from ptxlab.diag import Diagnostic, Span, meant, plain, shortened

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def mangled(what: str, letters: int = 2000) -> str:
    return f"_ZN7cutlass{'4gemmILi128EE' * (letters // 13)}{what}Ev"


LONG = mangled("Gemm")


def test_the_middle_is_left_out() -> None:
    assert shortened(f"in `{LONG}`, and in `{mangled('x', 130)}`") == (
        f"in `{LONG[:60]}…{LONG[-40:]}`, and in `{mangled('x', 130)}`"
    )


def test_only_what_is_shown_is_shortened() -> None:
    found = Diagnostic("PTX2300", f"no {LONG}", help=f"or {LONG}", notes=[f"see {LONG}"])
    assert len(plain(found)) < 600
    assert plain(found).count("…") == 3
    assert (found.message, found.help, found.notes) == (f"no {LONG}", f"or {LONG}", (f"see {LONG}",))


def marked(text: str, word: str) -> tuple[str, str]:
    """The line that is shown for a place, and what of it is marked."""
    at = text.index(word)
    found = Diagnostic("PTX0001", "here", help="", span=Span("<ptx>", 7, at + 1, at + 1 + len(word), text))
    *_, line, marks = plain(found).splitlines()[:4]
    begin = marks.index("^")
    return line.partition("| ")[2], line[begin : begin + marks.count("^")]


@pytest.mark.parametrize("lead", ["", "    ", "\t"])
def test_the_mark_stays_below_its_word(lead: str) -> None:
    text = f"{lead}call \t(retval0), {LONG}, (param0), {LONG};"
    short = f"{LONG[:60]}…{LONG[-40:]}"
    line = f"call  (retval0), {short}, (param0), {short};"
    assert marked(text, "retval0") == (line, "retval0")
    assert marked(text, "param0") == (line, "param0")
    assert marked(text, LONG) == (line, short)


def test_a_long_line_is_shown_around_the_mark() -> None:
    text = f".global .b8 x[4000] = {{{', '.join(map(str, range(1000)))}}};"
    line, mark = marked(text, " 777,")
    assert mark == " 777,"
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) == 242
    assert marked(text, ".global")[0].startswith(".global .b8")
    assert marked(text, "};")[0].endswith("999};")


def test_a_kernel_may_be_named_as_it_is_shown(tmp_path: Path) -> None:
    kernels = [mangled(what) for what in ("one", "two")]
    text = HEAD + "".join(f".visible .entry {name}() {{ ret; }}\n" for name in kernels)
    with pytest.raises(Diagnostic) as wrong:
        px.parse(text)["three"]
    shown = [word.strip(",") for word in plain(wrong.value).split() if "…" in word]
    assert shown == [shortened(name) for name in kernels]
    assert [px.parse(text)[name].name for name in shown] == kernels
    (tmp_path / "k.ptx").write_text(text)
    done = CliRunner().invoke(app, ["run", f"{tmp_path}/k.ptx", "--entry", shown[1], "--block", "1"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(shown[1] + ": 1 CTA,")


def test_a_short_form_of_several_names_means_none() -> None:
    assert meant("_Z1…v", ["_Z1abcv", "_Z1abdv"]) == "_Z1…v"
    assert meant("_Z1abc", ["_Z1abcv"]) == "_Z1abc"


def test_machines_get_names_in_full(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(f"{HEAD}.visible .entry k() {{ .reg .b32 %r; mov.b32 %r, {LONG}; ret; }}\n")
    for form, whole in (("json", True), ("sarif", True), ("text", False)):
        done = CliRunner().invoke(app, ["check", f"{tmp_path}/k.ptx", "--format", form])
        assert done.exit_code == 1
        assert (LONG in done.output) == whole
        assert form == "text" or json.loads(done.stdout)
