"""ptxas: found, run, cached; every word of it comes back as a diagnostic at the right line."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from ptxlab.abi import cache
from ptxlab.cuda import ptxas
from ptxlab.cuda.lines import LineMap
from ptxlab.cuda.messages import Message, read_messages, read_resources
from ptxlab.diag import Diagnostic, Severity

pytestmark = pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
GOOD = (
    HEAD
    + ".visible .entry good(.param .u64 a)\n{\n  .reg .b64 %r<3>;\n"
    + "  ld.param.u64 %r1, [a];\n  st.global.u64 [%r1], %r1;\n  ret;\n}\n"
)
LOC = (
    HEAD
    + '.file 1 "kernels/copy.py"\n.visible .entry loc(.param .u64 a)\n{\n  .reg .b64 %r<3>;\n'
    + "  .loc 1 12 0\n  ld.param.u64 %r1, [a];\n  .loc 1 14 0\n  setmaxnreg.inc.sync.aligned.u32 30;\n  ret;\n}\n"
)
IGNORED = HEAD + ".visible .entry ignored()\n{\n  setmaxnreg.inc.sync.aligned.u32 232;\n  ret;\n}\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))


def refused(text: str, arch: str = "sm_90a") -> list[Diagnostic]:
    with pytest.raises(Diagnostic) as caught:
        ptxas.assemble(text, arch, file="k.ptx")
    return [caught.value, *caught.value.also]


def test_cubin_and_resources() -> None:
    made = ptxas.assemble(GOOD, "sm_90a")
    assert made.cubin.startswith(b"\x7fELF")
    assert made.resources["good"].registers > 0
    assert made.resources["good"].spill_stores == 0
    assert made.warnings == ()


def test_every_error_has_its_line() -> None:
    text = HEAD + ".visible .entry bad()\n{\n  setmaxnreg.inc.sync.aligned.u32 30;\n  foo bar;\n  ret;\n}\n"
    found = refused(text)
    assert {d.code for d in found} == {"PTX2401"}
    assert [d.span.line for d in found if d.span] == [6, 7, 7]
    assert found[0].span is not None
    assert found[0].span.text == "  setmaxnreg.inc.sync.aligned.u32 30;"
    assert "multiple of 8" in found[0].message


def test_errors_lead_to_the_python_line() -> None:
    [found] = refused(LOC)
    assert found.origin is not None
    assert (found.origin.file, found.origin.line) == ("kernels/copy.py", 14)


def test_ptx_newer_than_ptxas() -> None:
    [found] = refused(GOOD.replace(".version 8.0", ".version 99.0"))
    assert found.code == "PTX2404"
    assert "99.0" in found.message
    assert "pip install -U nvidia-cuda-nvcc" in (found.help or "")


def test_unknown_target() -> None:
    [found] = refused(GOOD, "sm_35")
    assert found.code == "PTX2405"


def test_ignored_setmaxnreg_is_a_warning_also_from_the_cache() -> None:
    for _ in range(2):
        [found] = ptxas.assemble(IGNORED, "sm_90a", file="k.ptx").warnings
        assert (found.code, found.severity) == ("PTX2410", Severity.WARNING)
        assert "C7508" in found.message
        assert found.span is not None
        assert found.span.line == 6


def test_serialised_wgmma_is_a_warning_at_its_line() -> None:
    accumulators = ", ".join(f"%f{i}" for i in range(8))
    mma = f"  wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {{{accumulators}}}, %d1, %d1, 1, 1, 1, 0, 0;\n"
    text = (
        HEAD
        + ".visible .entry mma(.param .u64 a)\n{\n  .reg .f32 %f<9>;\n  .reg .b64 %d<3>;\n"
        + "  ld.param.u64 %d1, [a];\n  wgmma.fence.sync.aligned;\n"
        + mma
        + "  mul.f32 %f8, %f0, %f1;\n"  # reads accumulators that are in flight
        + mma
        + "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n"
        + "".join(f"  st.global.f32 [%d1+{4 * i}], %f{i};\n" for i in range(9))
        + "  ret;\n}\n"
    )
    found = ptxas.assemble(text, "sm_90a", file="k.ptx").warnings
    assert sorted(d.code for d in found) == ["PTX2411", "PTX2412"]
    for d in found:
        assert d.span is not None
        assert d.span.line in (10, 11, 12)
        assert d.help


def test_cache_hit_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ptxas.assemble(GOOD, "sm_90a")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("ptxas ran again"))
    assert ptxas.assemble(GOOD, "sm_90a") == first


def test_line_tables_stay_out_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    text = LOC.replace("u32 30", "u32 232")
    [first] = ptxas.assemble(text, "sm_90a").warnings
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("ptxas ran again"))
    moved = text.replace("copy.py", "moved.py").replace(".loc 1 14 0\n", ".loc 1 140 0\n.loc 1 141 0\n")
    [second] = ptxas.assemble(moved, "sm_90a").warnings
    assert first.origin is not None
    assert second.origin is not None
    assert (second.origin.file, second.origin.line) == ("kernels/moved.py", 141)
    assert second.span is not None
    assert first.span is not None
    assert second.span.line == first.span.line + 1


def test_missing_ptxas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "_wheel_files", list)
    assert ptxas.find() is None
    [found] = refused(GOOD)
    assert found.code == "PTX2400"
    assert "pip install" in (found.help or "")


def test_ptxas_on_path_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, "ptxas", "echo 'release 1, V1.1.1'")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = ptxas.find()
    assert found is not None
    assert found.release != "V1.1.1"


def script(folder: Path, name: str, body: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize("end", ["kill -SEGV $$", "echo oops; exit 3"])
def test_crash_is_a_diagnostic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    path = script(tmp_path, "ptxas", f'case $1 in --version) echo "release 1, V1.1.1";; *) {end};; esac')
    monkeypatch.setenv(ptxas.VARIABLE, path)
    [found] = refused(GOOD)
    assert found.code == "PTX2403"
    assert list((tmp_path / "cache").rglob("*/*/*")) == []


@pytest.mark.parametrize(
    ("target", "device", "arch"),
    [
        ("sm_90a", None, "sm_90a"),
        ("sm_60", None, "sm_75"),
        ("sm_90a", (9, 0), "sm_90a"),
        ("sm_80", (9, 0), "sm_90"),
        ("sm_90", (10, 0), "sm_100"),
        ("sm_100f", (10, 3), "sm_100f"),
        ("sm_90a", (10, 0), None),
        ("sm_100a", (9, 0), None),
        ("sm_100f", (12, 0), None),
        ("sm_90", (8, 0), None),
    ],
)
def test_architecture(target: str, device: tuple[int, int] | None, arch: str | None) -> None:
    if arch is not None:
        assert ptxas.architecture(target, device) == arch
        return
    with pytest.raises(Diagnostic) as caught:
        ptxas.architecture(target, device)
    assert caught.value.code == "PTX2423"


def test_messages_are_read() -> None:
    log = (
        "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.\n"
        "ptxas info    : 0 bytes gmem\n"
        "ptxas a b.ptx, line 7; error   : Not a name: 'x'\n"
        "ptxas a b.ptx, line 7; error   : Not a name: 'x'\n"
        "ptxas application ptx input, line 9; warning : odd\n"
        "ptxas warning : .debug_info section not found\n"
        "ptxas fatal   : Ptx assembly aborted due to errors\n"
    )
    lost = "Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry."
    assert read_messages(log) == [
        Message("info", lost, 0, "C7508"),
        Message("error", "Not a name: 'x'", 7),
        Message("warning", "odd", 9),
        Message("warning", ".debug_info section not found"),
    ]
    assert read_messages("ptxas fatal   : Ptx assembly aborted due to errors\n") == [
        Message("fatal", "Ptx assembly aborted due to errors")
    ]


def test_a_renamed_ptxas_is_read_too() -> None:
    log = "ptxas-13 info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\nptxas-13.1 x, line 3; error   : odd\n"
    assert [(m.kind, m.line, m.code) for m in read_messages(log)] == [("info", 0, "C7508"), ("error", 3, "")]
    lines = LineMap("//\n.loc 1 1 0\nret;\n", "k.ptx")
    assert (
        lines.restore_log(lines.strip_log("ptxas-13 x, line 3; error   : odd")) == "ptxas-13 x, line 3; error   : odd"
    )
    assert "line 2;" in lines.strip_log("ptxas-13 x, line 3; error   : odd")


def test_resources_are_read_per_entry() -> None:
    log = (
        "ptxas info    : Compiling entry function 'a' for 'sm_90a'\n"
        "ptxas info    : Function properties for a\n"
        "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Function properties for callee\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 168 registers, used 2 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 8 bytes cmem[4]\n"
        "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
        "ptxas info    : Used 8 registers, used 0 barriers, 64 bytes cmem[0], 4 bytes cmem[2]\n"
    )
    found = read_resources(log)
    assert found["a"] == {
        "stack": 16,
        "spill_stores": 4,
        "spill_loads": 8,
        "registers": 168,
        "barriers": 2,
        "shared": 1024,
        "constant": 8,
    }
    assert found["b"] == {"registers": 8, "barriers": 0, "constant": 68}


@pytest.mark.parametrize(
    ("registers", "static", "threads", "shared", "ctas"),
    [
        (32, 0, 1024, 0, 2),
        (32, 0, 256, 0, 8),
        (168, 0, 384, 0, 1),
        (168, 0, 128, 0, 3),
        (255, 0, 256, 0, 1),
        (16, 0, 32, 0, 32),
        (16, 1024, 32, 230_400, 1),
        (16, 0, 32, 115_712, 2),
        (16, 0, 32, 115_713, 1),
    ],
)
def test_occupancy(registers: int, static: int, threads: int, shared: int, ctas: int) -> None:
    assert ptxas.Resources(registers=registers, shared=static).ctas_per_sm(threads, shared) == ctas


def test_line_map_without_source_lines() -> None:
    lines = LineMap(GOOD, "k.ptx")
    span, origin = lines.place(7)
    assert span is not None
    assert (span.line, origin) == (7, None)
    assert lines.place(0) == (None, None)
    assert lines.place(99) == (None, None)


def test_line_of_another_function_says_nothing() -> None:
    text = LOC.replace("ret;\n}\n", "ret;\n}\n") + ".visible .entry next()\n{\n  ret;\n}\n"
    assert LineMap(text, "k.ptx").place(text.split("\n").index("  ret;", 13) + 1)[1] is None


def test_ptxas_is_given_comments_in_ascii(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strict = tmp_path / "ptxas"  # as releases before 13.1 are
    strict.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] || ! LC_ALL=C grep -q "[^ -~[:space:]]" kernel.ptx && exec {ptxas.find().path} "$@"\n'  # type: ignore[union-attr]
        'echo "ptxas fatal   : Unexpected non-ASCII character encountered on line 1"; exit 1\n'
    )
    strict.chmod(strict.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(ptxas.VARIABLE, str(strict))
    assert ptxas.assemble(f"// größer ×\n{GOOD}", "sm_90a").cubin
    assert "non-ASCII" in refused(GOOD.replace("ret;", 'ret; .pragma "größe";'))[0].message
