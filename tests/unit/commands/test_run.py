"""`ptxlab run`, `check` and `doctor` as a user meets them: good runs, and bad input as one diagnostic without a traceback."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from typer.testing import CliRunner, Result

import ptxlab as px
from ptxlab.abi.options import SimOptions
from ptxlab.cli import app
from ptxlab.commands.run import Options

ADD = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra DONE;
  mul.wide.u32 %d4, %r5, 4;
  add.u64 %d5, %d1, %d4;
  add.u64 %d6, %d2, %d4;
  add.u64 %d7, %d3, %d4;
  ld.global.u32 %r6, [%d5];
  ld.global.u32 %r7, [%d6];
  add.u32 %r8, %r6, %r7;
  st.global.u32 [%d7], %r8;
DONE:
  ret;
}
"""

# Copies a tile of 8 × 64 bf16 at column x, row y from one map's array to the other's, through shared memory.
TILE = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry tile(.param .align 64 .b8 src[128], .param .align 64 .b8 dst[128], .param .u32 x, .param .u32 y)
.reqntid 32, 1, 1
{
  .reg .pred %p, %q;
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  .shared .align 1024 .b8 buf[1024];
  .shared .align 8 .b64 bar;
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [x];
  ld.param.u32 %r3, [y];
  mov.b64 %d1, src;
  cvta.param.u64 %d1, %d1;
  mov.b64 %d2, dst;
  cvta.param.u64 %d2, %d2;
  setp.ne.u32 %p, %r1, 0;
  @%p bra DONE;
  mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%d1, {%r2, %r3}], [bar];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0;
  @!%q bra WAIT;
  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d2, {%r2, %r3}], [buf];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
DONE:
  ret;
}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("add.ptx").write_text(ADD)
    Path("tile.ptx").write_text(TILE)
    np.save("a.npy", np.arange(100, dtype=np.uint32))
    np.save("b.npy", np.full(100, 1000, np.uint32))


def cli(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def add(*more: str, **changed: str) -> Result:
    words = {"a": "a.npy", "b": "b.npy", "c": "zeros:u32:100", "n": "u32:100", **changed}
    args = [w for name, value in words.items() if value for w in ("--arg", f"{name}={value}")]
    return cli("run", "add.ptx", "--grid", "2", "--block", "64", *args, *more)


def test_add() -> None:
    before = Path("a.npy").read_bytes(), Path("b.npy").read_bytes()
    done = add("--out", "c=c.npy")
    assert done.exit_code == 0, done.output
    assert np.load("c.npy").tolist() == list(range(1000, 1100))
    assert (Path("a.npy").read_bytes(), Path("b.npy").read_bytes()) == before
    assert "c → c.npy (uint32 100)" in done.stdout
    assert "thread-instructions" in done.stdout


def test_a_timeline_is_written() -> None:
    done = add("--trace", "t.json")
    assert done.exit_code == 0, done.output
    events = json.loads(Path("t.json").read_text())["traceEvents"]
    assert sorted((e["args"]["name"]) for e in events if e["name"] == "process_name") == ["cta 0", "cta 1"]
    assert sum(e["ph"] == "X" and e["cat"] == "warp" for e in events) == 4
    assert add("--trace", "t.png").exit_code == 0
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")


def test_graphs_of_findings_are_written() -> None:
    done = add("--graph", "g.svg")
    assert done.exit_code == 0, done.output
    assert "no finding has a graph" in done.stdout
    text = """.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry race() .reqntid 64, 1, 1\n{
    .reg .b32 %r<3>; .shared .align 4 .b32 word;
    mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; st.shared.u32 [word], %r1;\n    ld.shared.u32 %r2, [word]; ret;\n}"""
    Path("race.ptx").write_text(text)
    done = cli("run", "race.ptx", "--graph", "g.svg")
    assert done.exit_code == 1
    assert "graph → g.svg\ngraph → g-2.svg\n" in done.stdout
    assert Path("g-2.svg").read_text().startswith("<svg")


def test_counts_of_each_instruction_are_shown() -> None:
    done = add("--stats")
    assert done.exit_code == 0, done.output
    store = next(line for line in done.stdout.splitlines() if "st.global" in line)
    assert store.split()[1:5] == ["st.global.u32", "[%d7],", "%r8", "4"]
    assert store.split()[5] == "400"


MEET = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry meet(.param .u64 come)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [come];
  atom.relaxed.gpu.global.add.u32 %r1, [%d1], 1;
  mov.u32 %r2, %nctaid.x;
WAIT:
  ld.acquire.gpu.global.u32 %r3, [%d1];
  setp.lo.u32 %p, %r3, %r2;
  @%p bra WAIT;
  ret;
}
"""


@pytest.mark.ptxlab(sanitize=False)  # the sanitizer takes minutes for 270,000 threads that poll one word
def test_all_ctas_of_a_cooperative_grid_are_resident() -> None:
    Path("meet.ptx").write_text(MEET)
    words = ("run", "meet.ptx", "--block", "1024", "--arg", "come=zeros:u32:1", "--out", "come=n.npy", "--cooperative")
    assert cli(*words, "--grid", "264").exit_code == 0
    assert np.load("n.npy").tolist() == [264 * 1024]
    done = cli(*words, "--grid", "265")
    assert (done.exit_code, "error[PTX2012]" in done.stderr) == (1, True)


def test_every_choice_of_a_simulation_is_an_option() -> None:
    """What a command line cannot mean: arrays that pointers in memory lead to, constants of the language, a callback."""
    apart = {"kernel", "args", "buffers", "constants", "progress", "client"}
    choices = inspect.signature(px.simulate).parameters.keys() - apart
    options = {f.name for f in fields(Options)}
    assert choices - {"lints", "graphs"} <= options  # --no-lints, --graph FILE
    assert "no_lints" in options
    assert {f.name for f in fields(SimOptions)} <= inspect.signature(px.simulate).parameters.keys()


def test_parameters_by_index_and_an_array_of_another_parameter() -> None:
    words = [w for i, v in enumerate(["a.npy", "@0", "@1", "b32:0x64"]) for w in ("--arg", f"{i}={v}")]
    done = cli("run", "add.ptx", "--entry", "add", "--grid", "1", "--block", "128", *words, "--out", "2=twice.npy")
    assert done.exit_code == 0, done.output
    assert np.load("twice.npy").tolist() == list(range(0, 200, 2))
    assert np.load("a.npy").tolist() == list(range(100))


def test_output_over_an_older_file_and_two_outputs() -> None:
    Path("c.npy").write_text("older")
    assert add("--out", "c=c.npy", "--out", "a=copy.npy").exit_code == 0
    assert np.load("c.npy")[0] == 1000
    assert np.load("copy.npy").tolist() == list(range(100))


def test_tensor_maps_of_bfloat16() -> None:
    source = np.arange(32 * 128).reshape(32, 128).astype(ml_dtypes.bfloat16)
    np.save("source.npy", source)  # NumPy writes it as raw 2-byte elements
    options = ",box=8x64,swizzle=128B,dtype=bf16"
    done = cli(
        *("run", "tile.ptx", "--arg", f"src=tensormap:source.npy{options}"),
        *("--arg", f"dst=tensormap:zeros:bf16:32x128{options}", "--arg", "x=u32:64", "--arg", "y=u32:16"),
        *("--out", "dst=out.npy"),
    )
    assert done.exit_code == 0, done.output
    out = np.load("out.npy").view(ml_dtypes.bfloat16)
    expected = np.zeros_like(source)
    expected[16:24, 64:128] = source[16:24, 64:128]
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("changed", "more", "code", "words"),
    [
        ({"a": ""}, (), "PTX2301", "a (.u64)"),
        ({"q": "u32:1"}, (), "PTX2301", "no parameter 'q'"),
        ({"0": "a.npy"}, (), "PTX2501", "given twice"),
        ({"a": "none.npy"}, (), "PTX2500", "No such file"),
        ({"a": "."}, (), "PTX2500", "cannot be read"),
        ({"a": "add.ptx"}, (), "PTX2502", "no .npy file"),
        ({"a": "cut.npy"}, (), "PTX2502", "could only read"),
        ({"a": "head.npy"}, (), "PTX2502", "cannot be read"),
        ({"a": "void.npy"}, (), "PTX2502", "no bytes"),
        ({"a": "several.npz"}, (), "PTX2502", "no .npy file"),
        ({"a": "nonsense"}, (), "PTX2501", "no value of a parameter"),
        ({"n": "u32:x"}, (), "PTX2501", "is no u32"),
        ({"n": "u32:4294967296"}, (), "PTX2501", "does not fit"),
        ({"n": "f32:1.5"}, (), "PTX2302", "is no integer"),
        ({"n": "a.npy"}, (), "PTX2302", "the parameter is .u32"),
        ({"c": "zeros:u32"}, (), "PTX2501", "zeros:TYPE:EXTENTS"),
        ({"c": "zeros:q32:4"}, (), "PTX2307", "no dtype"),
        ({"c": "zeros:u32:4y"}, (), "PTX2501", "no extents"),
        ({"c": "zeros:u32:-4"}, (), "PTX2501", "negative"),
        ({"c": "zeros:f64:9999999999999999"}, (), "PTX2323", "no room for 79999999999999992 bytes"),
        ({"c": "@n"}, (), "PTX2501", "names no array"),
        ({"c": "tensormap:a.npy"}, (), "PTX2501", "has no box"),
        ({"c": "tensormap:a.npy,box=8,color=red"}, (), "PTX2501", "no option of a tensor map"),
        ({"c": "tensormap:a.npy,box=512"}, (), "PTX2105", "--arg c: Extent 512"),
        ({"c": "tensormap:a.npy,box=64"}, (), "PTX2302", "a tensor map"),
        ({}, ("--grid", "0"), "PTX2001", "grid"),
        ({}, ("--grid", "a"), "PTX2501", "--grid"),
        ({}, ("--block", "2048"), "PTX2002", "2048 threads"),
        ({}, ("--cluster", "4"), "PTX2006", "clusters"),
        ({}, ("--shared", "300000"), "PTX2010", "227 KB"),
        ({}, ("--entry", "sub"), "PTX2300", "its kernels: add"),
        ({}, ("--on", "moon"), "PTX2501", "moon"),
        ({}, ("--out", "c"), "PTX2501", "no parameter or no value"),
        ({}, ("--out", "n=n.npy"), "PTX2501", "is no array"),
        ({}, ("--out", "c=a.npy"), "PTX2503", "input"),
        ({}, ("--out", "c=./link.npy"), "PTX2503", "input"),
        ({}, ("--out", "c=add.ptx"), "PTX2503", "input"),
        ({}, ("--out", "c=folder"), "PTX2500", "no file that could be replaced"),
        ({}, ("--out", "c=/dev/null"), "PTX2500", "no file that could be replaced"),
        ({}, ("--out", "c=c.npy", "--out", "a=/proc/a.npy"), "PTX2500", "cannot be written"),
        ({}, ("--out", "c=c.npy", "--out", "a=./c.npy"), "PTX2501", "two outputs"),
        ({}, ("--out", "c=none/c.npy"), "PTX2500", "cannot be written"),
        ({}, ("--out", "c=c.npy", "--out", "a=c.npy"), "PTX2501", "two outputs"),
        ({}, ("--trace", "a.npy"), "PTX2503", "input"),
        ({}, ("--trace", "t.jpg"), "PTX2501", "t.jpg does not end like a timeline"),
        ({}, ("--trace", "folder"), "PTX2500", "no file that could be replaced"),
        ({}, ("--trace", "none/t.json"), "PTX2500", "cannot be written"),
        ({}, ("--trace", "c.npy", "--out", "c=c.npy"), "PTX2501", "two outputs"),
        ({}, ("--graph", "g.png"), "PTX2501", "does not end like a picture of a graph"),
        ({}, ("--graph", "none/g.svg"), "PTX2500", "cannot be written"),
        ({}, ("--graph", "g.svg", "--no-sanitize"), "PTX2501", "nothing to draw"),
        ({}, ("--cooperative", "--grid", "100000"), "PTX2012", "grid of 100000 CTAs of 64 threads does not fit"),
        ({}, ("--trace", "t.json", "--on", "gpu"), "PTX2501", "--trace is for the simulator"),
        ({}, ("--stats", "--seed", "1", "--on", "gpu"), "PTX2501", "--seed, --stats are for the simulator"),
        ({}, ("--schedule", "late", "--on", "gpu"), "PTX2501", "--schedule is for the simulator"),
        ({}, ("--max-instructions", "9", "--on", "gpu"), "PTX2501", "--max-instructions is for the simulator"),
        ({}, ("--sanitize", "--on", "gpu"), "PTX2501", "--sanitize is for the simulator"),
        ({"n": "u32:101"}, ("--out", "c=c.npy"), "PTX9002", "a + 0x190"),
    ],
)
def test_bad_input(changed: dict[str, str], more: tuple[str, ...], code: str, words: str) -> None:
    _odd_files()
    before = {p.name: p.read_bytes() for p in Path().iterdir() if p.is_file()}
    done = add(*more, **changed)
    assert done.exit_code == (2 if code == "PTX2501" else 1)
    assert f"error[{code}]" in done.stderr
    assert words in done.stderr.replace("\n", " ")
    assert done.stderr.count("error[") == 1
    assert "help:" in done.stderr
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert {
        p.name: p.read_bytes() for p in Path().iterdir() if p.is_file()
    } == before  # nothing written, nothing left behind


def _odd_files() -> None:
    Path("link.npy").symlink_to("a.npy")
    Path("folder").mkdir()
    whole = Path("a.npy").read_bytes()
    Path("cut.npy").write_bytes(whole[:200])
    Path("head.npy").write_bytes(whole[:20])
    Path("void.npy").write_bytes(whole.replace(b"'<u4'", b"'|V0'"))
    np.savez("several.npz", a=np.zeros(3), b=np.ones(3))


def test_loop_without_an_end() -> None:
    Path("loop.ptx").write_text(ADD.replace("DONE:\n  ret;", "DONE:\n  bra DONE;"))
    words = [w for i, v in enumerate(["a.npy", "@0", "@0", "u32:0"]) for w in ("--arg", f"{i}={v}")]
    done = cli("run", "loop.ptx", "--block", "32", *words, "--max-instructions", "10000", "--out", "0=c.npy")
    assert done.exit_code == 1
    assert done.stderr.count("error[PTX9005]") == 1
    assert "loop.ptx:" in done.stderr
    assert not Path("c.npy").exists()


NOT_PTX = {
    "missing": (None, "PTX2500"),
    "empty": (b"", "PTX0001"),
    "a cubin": (b"\x7fELF rest", "PTX0002"),
    "a fatbin": (b"\x50\xed\x55\xba rest", "PTX0002"),
    "bytes": (bytes(range(256)), "PTX0002"),
    "a zero byte": (ADD.encode().replace(b"ret", b"r\0t"), "PTX0002"),
    "UTF-16": (ADD.encode("utf-16"), "PTX0002"),
    "a byte order mark": (ADD.encode("utf-8-sig"), "PTX0002"),
    "Latin-1": ("// café\n".encode("latin-1") + ADD.encode(), "PTX0002"),
    "another text": (b"<html>404</html>", "PTX0001"),
    "cut in an instruction": (ADD[:329].encode(), "PTX0003"),
    "cut in a list": (ADD[:120].encode(), "PTX0001"),
    "cut before the last brace": (ADD.rstrip()[:-1].encode(), "PTX0003"),
    "no such instruction": (ADD.replace("ret;", "return;").encode(), "PTX0100"),
}


@pytest.mark.parametrize(("content", "code"), NOT_PTX.values(), ids=list(NOT_PTX))
@pytest.mark.parametrize("command", ["run", "check"])
def test_file_that_is_no_ptx(command: str, content: bytes | None, code: str) -> None:
    if content is not None:
        Path("bad.ptx").write_bytes(content)
    more = () if command == "check" else ("--out", "c=c.npy")
    done = cli(command, "bad.ptx", *more)
    assert done.exit_code == 1
    assert f"error[{code}]" in done.stderr
    assert "bad.ptx" in done.stderr
    assert done.stderr.count("error[") == 1
    assert "help: " in done.stderr
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert not Path("c.npy").exists()


def test_big_endian_numbers_are_converted() -> None:
    np.save("big.npy", np.arange(100, dtype=">u4"))
    assert add("--out", "c=c.npy", a="big.npy").exit_code == 0
    assert np.load("c.npy").tolist() == list(range(1000, 1100))


def test_kernel_must_be_chosen_among_several() -> None:
    Path("two.ptx").write_text(ADD + ADD.partition(".address_size 64")[2].replace("add(", "sum("))
    done = cli("run", "two.ptx")
    assert "choose one with --entry: add, sum" in done.stderr
    assert done.exit_code == 2


def test_commands_show_no_line_of_the_tool_itself() -> None:
    done = add("--block", "2048")
    assert "-->" not in done.stderr


def test_check() -> None:
    done = cli("check", "add.ptx")
    assert (done.exit_code, done.stdout) == (0, "add.ptx: 1 kernel, 0 errors, 0 warnings\n")
    Path("bad.ptx").write_text(TILE.replace("cp.async.bulk.wait_group 0;", "setmaxnreg.inc.sync.aligned.u32 30;"))
    done = cli("check", "bad.ptx")
    assert done.exit_code == 1
    assert "bad.ptx: 1 kernel, 1 error, 0 warnings\n" in done.stdout
    assert "setmaxnreg.inc.sync.aligned.u32 30;" in done.stderr


def test_doctor() -> None:
    done = cli("doctor")
    assert done.exit_code == 0
    for word in ("Python", "simulator", "disk cache", "ptxas", "GPU", "Here you can write, check"):
        assert word in done.stdout


def test_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxlab.commands import doctor

    monkeypatch.setattr(doctor, "_installed", lambda name: None if name in ("llvmlite", "cuda-bindings") else "1.0")
    monkeypatch.setattr("ptxlab.cuda.ptxas._wheel_files", list)
    monkeypatch.setenv("COLUMNS", "200")
    done = cli("doctor")
    assert done.exit_code == 1
    for word in (
        "pip install llvmlite",
        "pip install nvidia-cuda-nvcc",
        "pip install cuda-bindings cuda-core",
        "not installed completely",
    ):
        assert word in done.stdout


def test_help_needs_no_kernel_and_no_gpu() -> None:
    for words in ([], ["run"], ["bench"], ["bench", "gemm"], ["bench", "launch"], ["check"], ["demo"]):
        assert cli(*words, "--help").exit_code == 0


def test_bench_on_a_gpu_says_what_is_missing() -> None:
    from ptxlab.cuda import driver
    from ptxlab.diag import Diagnostic

    try:
        driver.device()
    except Diagnostic:
        done = cli("bench", "launch")
        assert done.exit_code == 1
        assert "error[PTX2304]" in done.stderr or "error[PTX2422]" in done.stderr
        assert done.stderr.count("error[") == 1


def test_reader_that_stops_reading() -> None:
    command = f"{sys.executable} -m ptxlab.cli doctor | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=os.environ, check=False)
    assert "Traceback" not in done.stderr
    assert done.stdout


def test_check_for_another_target() -> None:
    assert cli("check", "add.ptx", "--target", "sm_80").exit_code == 0
    done = cli("check", "tile.ptx", "--target", "sm_80")
    assert done.exit_code == 1
    assert "error[PTX1001]" in done.stderr
    wrong = cli("check", "add.ptx", "--target", "hopper")
    assert wrong.exit_code == 2
    assert "no such target" in wrong.output


def test_warnings_are_shown_as_diagnostics(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxlab.commands import doctor
    from ptxlab.diag import Diagnostic
    from ptxlab.launch.warn import warn

    def nothing() -> list[doctor.Finding]:
        warn([Diagnostic("PTX2411", "wgmma is serialised")])
        return [doctor.Finding("ptxas", False, ""), doctor.Finding("GPU", False, "")]

    monkeypatch.setattr(doctor, "findings", nothing)
    done = cli("doctor")
    assert done.stderr == "warning[PTX2411] wgmma-serialized: wgmma is serialised\n\n"
