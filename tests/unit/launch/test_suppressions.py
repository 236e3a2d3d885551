"""Findings that are suppressed by a comment or in pyproject.toml: which ones, and what is said of suppressions that do nothing."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import ptxlab as px
from ptxlab.cli import app
from ptxlab.sim.report.report import Report

PTX = """.version 8.0
.target sm_90a
.address_size 64
.file 1 "race.cu"
.shared .align 4 .b32 words[64];
.visible .entry race(.param .u64 out)
.reqntid 64, 1, 1
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, words;
    add.u32 %r3, %r2, %r1;
    .loc 1 2 0
    st.shared.u32 [%r3], %r0; // STORE
    xor.b32 %r1, %r1, 128;
    add.u32 %r3, %r2, %r1;
    .loc 1 4 0
    // ABOVE
    ld.shared.u32 %r4, [%r3];
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r4;
    ret;
}
"""
KERNEL = """
import ptxlab as px

@px.kernel(threads=64)
def race(k, out: px.Ptr[px.b32]):
    row = k.smem(px.b32, 64)
    i = k.tid.x
    k.st.shared.b32(row.at(i * 4), i)  # STORE
    # ABOVE
    value = k.ld.shared.b32(row.at((i ^ 32) * 4))
    k.st.global_.b32(out.at(i * 4), value)  # LAST
"""
SUPPRESS = "ptxlab: ignore[PTX9200]: the values do not matter"
_numbers = count()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python(text: str) -> Report:
    """A launch of the kernel of a Python file."""
    name = f"suppressed_{next(_numbers)}"
    Path(f"{name}.py").write_text(text)
    spec = importlib.util.spec_from_file_location(name, Path(f"{name}.py").resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return px.simulate(module.race, grid=1, args=[np.zeros(64, np.uint32)], sanitize=True, lints=False)


def ptx(text: str, **options: Any) -> Report:
    Path("race.ptx").write_text(text)
    return px.simulate(
        px.load("race.ptx")["race"], grid=1, args=[np.zeros(64, np.uint32)], sanitize=True, lints=False, **options
    )


def codes(report: Report) -> list[str]:
    return [d.code for d in report.findings]


WAYS: dict[str, Callable[[str, str], Report]] = {
    "Python": lambda place, words: python(KERNEL.replace(place, words)),
    "PTX": lambda place, words: ptx(PTX.replace(place, words)),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("place", ["STORE", "ABOVE"])
def test_a_comment_at_either_place_suppresses(way: Callable[[str, str], Report], place: str) -> None:
    report = way(place, SUPPRESS)
    assert codes(report) == []
    (one,) = report.suppressed
    assert (one.finding.code, one.reason, one.in_source) == ("PTX9200", "the values do not matter", True)
    assert "ptxlab: ignore" in (one.place.text or "")


def test_a_comment_in_the_source_of_compiled_code_suppresses() -> None:
    Path("race.cu").write_text(f"void race() {{\n  words[i] = i;  // {SUPPRESS}\n\n  x = words[i ^ 32];\n}}\n")
    assert codes(ptx(PTX)) == []
    Path("race.cu").write_text(f"void race() {{\n  words[i] = i;\n\n  x = words[i ^ 32];\n  // {SUPPRESS}\n}}\n")
    assert codes(ptx(PTX)) == ["PTX9200"]


@pytest.mark.parametrize(
    ("place", "words", "found"),
    [
        ("STORE", "ptxlab: ignore[PTX9213]: not the code", ["PTX9200", "PTX9280"]),
        ("STORE", "ptxlab: ignore[PTX9213, PTX9200]: both", ["PTX9280"]),
        ("STORE", "ptxlab: ignore[PTX9200]", ["PTX9281"]),
        ("STORE", "ptxlab: ignore", ["PTX9200", "PTX9281"]),
        ("STORE", "ptxlab: ignore[]: all of them", ["PTX9200", "PTX9281"]),
        ("STORE", "ptxlab: ignore[PTX92000]: no code", ["PTX9200", "PTX9281"]),
        ("STORE", "ptxlab: ignore[PTX5002]: a lint", ["PTX9200", "PTX9281"]),
        ("STORE", "ptxlab: is a toolkit", ["PTX9200"]),
    ],
)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_comments_that_do_nothing_are_reported(
    way: Callable[[str, str], Report], place: str, words: str, found: list[str]
) -> None:
    report = way(place, words)
    assert codes(report) == found
    for doubt in report.findings:
        if doubt.code in ("PTX9280", "PTX9281"):
            assert doubt.severity == "warning"
            assert doubt.origin is not None
            assert words in (doubt.origin.text or "")


def test_a_comment_elsewhere_is_idle() -> None:
    assert codes(python(KERNEL.replace("LAST", SUPPRESS))) == ["PTX9200", "PTX9280"]


def test_a_comment_where_no_instruction_is_says_nothing() -> None:
    assert codes(python(f"# {SUPPRESS}\n\n" + KERNEL)) == ["PTX9200"]


def test_without_the_sanitizer_no_suppression_is_idle() -> None:
    Path("race.ptx").write_text(PTX.replace("STORE", SUPPRESS))
    assert (
        codes(
            px.simulate(
                px.load("race.ptx")["race"], grid=1, args=[np.zeros(64, np.uint32)], sanitize=False, lints=False
            )
        )
        == []
    )


def test_what_was_found_before_a_stop_may_be_suppressed() -> None:
    text = PTX.replace("    ret;", "    bar.sync 0;\n    trap;\n")
    for words, also in (("nothing", ["PTX9200"]), (SUPPRESS, [])):
        with pytest.raises(px.Diagnostic) as stop:
            ptx(text.replace("STORE", words))
        assert (stop.value.code, [d.code for d in stop.value.also]) == ("PTX9010", also)


# --- pyproject.toml -------------------------------------------------------------------------------------------------------
def table(**entries: object) -> str:
    return "[[tool.ptxlab.suppress]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in entries.items())


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ({"kernels": ["race"]}, []),
        ({"kernels": ["ra*"], "files": ["*.ptx"]}, []),
        ({"files": ["race.ptx"]}, []),
        ({"files": ["race.cu"]}, []),
        ({"files": ["kernels/*.ptx"]}, ["PTX9200"]),
        ({"kernels": ["other"]}, ["PTX9200"]),
        ({"kernels": ["race"], "files": ["other.ptx"]}, ["PTX9200"]),
        ({"kernels": ["race"], "codes": ["PTX9213"]}, ["PTX9200", "PTX9280"]),
        ({"kernels": ["race"], "codes": ["PTX9213", "PTX9200"]}, ["PTX9280"]),
        ({"kernels": ["race"], "reason": ""}, ["PTX9281"]),
    ],
)
def test_a_table_suppresses_in_files_and_kernels(entries: dict[str, object], found: list[str], folder: Path) -> None:
    Path("pyproject.toml").write_text(
        "[project]\nname = 'x'\n\n" + table(**{"codes": ["PTX9200"], "reason": "why"} | entries)
    )
    report = ptx(PTX)
    assert codes(report) == found
    for doubt in report.findings[found.count("PTX9200") :]:
        assert doubt.origin is not None
        assert (doubt.origin.file, doubt.origin.line) == (str(folder / "pyproject.toml"), 4)
    assert [s.in_source for s in report.suppressed] == [False] * (1 - found.count("PTX9200"))


def test_the_nearest_pyproject_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pyproject.toml").write_text(table(codes=["PTX9200"], files=["inner/*.ptx"], reason="why"))
    Path("inner").mkdir()
    monkeypatch.chdir("inner")
    Path("race.ptx").write_text(PTX)
    kernel = px.load(folder / "inner" / "race.ptx")["race"]
    assert codes(px.simulate(kernel, grid=1, args=[np.zeros(64, np.uint32)], sanitize=True, lints=False)) == []
    Path("pyproject.toml").write_text("")
    assert codes(px.simulate(kernel, grid=1, args=[np.zeros(64, np.uint32)], sanitize=True, lints=False)) == ["PTX9200"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (table(codes=["PTX9200"]), "names no files and no kernels"),
        (table(kernels=["race"]), "names no codes"),
        (table(codes=["PTX1"], kernels=["race"]), "`PTX1` is no code of a finding"),
        (table(codes=["PTX9200"], kernel=["race"]), "`kernel` is no key"),
        (table(codes="PTX9200", kernels=["race"]), "`codes` is no list of texts"),
        (table(codes=["PTX9200"], kernels=["race"], reason=1), "`reason` is no text"),
        ("[tool.ptxlab]\nsuppress = 3\n", "no list of tables"),
        ("[tool.ptxlab]\nsuppress = [3]\n", "no table"),
        ("[tool.ptxlab\n", "not valid TOML"),
    ],
)
def test_a_wrong_table_is_one_diagnostic(text: str, words: str) -> None:
    Path("pyproject.toml").write_text(text)
    with pytest.raises(px.Diagnostic) as wrong:
        ptx(PTX)
    assert wrong.value.code == "PTX2501"
    assert words in wrong.value.message
    assert "pyproject.toml" in str(wrong.value)


def test_commands_write_what_is_suppressed() -> None:
    Path("race.ptx").write_text(PTX.replace("STORE", SUPPRESS))

    def run(*words: str) -> str:
        done = CliRunner().invoke(
            app, ["run", "race.ptx", "--arg", "out=zeros:u32:64", "--sanitize", "--no-lints", *words]
        )
        assert done.exit_code == 0, done.output
        return done.stdout

    found = json.loads(run("--format", "json"))
    assert found["findings"] == []
    (one,) = found["suppressed"]
    assert (one["code"], one["reason"], one["in_source"]) == ("PTX9200", "the values do not matter", True)
    assert one["suppressed_at"]["line"] == 1 + PTX.splitlines().index("    st.shared.u32 [%r3], %r0; // STORE")
    (result,) = json.loads(run("--format", "sarif"))["runs"][0]["results"]
    (suppression,) = result["suppressions"]
    assert (suppression["kind"], suppression["justification"]) == ("inSource", "the values do not matter")
    assert "1 suppressed, " in run()
