"""Mistakes as a user meets them, in PTX text and at a launch: one diagnostic each, with its code, place and way out.

What the language refuses while a kernel is traced stands in lang/test_bad_input.py, options and files of the command line
in cli/test_run.py.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import ptxlab as px
from ptxlab.checks import check
from ptxlab.cli import app
from ptxlab.diag import Diagnostic, Severity, plain

KERNEL = """\
.version 8.0
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.visible .entry k(.param .u64 a)
.reqntid 128, 1, 1
.maxnreg 128
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  .reg .f32 %f<128>;
  .shared .align 128 .b8 tile[1024];
  .shared .align 8 .b64 bar;
  .param .b64 x, y, z;
  .param .b32 w;
  BODY
  ret;
}
"""
HERE = KERNEL[: KERNEL.index("BODY")].count("\n") + 1
MMA = "wgmma.mma_async.sync.aligned"
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"


def registers(prefix: str, n: int) -> str:
    return "{" + ", ".join(f"%{prefix}{i}" for i in range(n)) + "}"


# What the checks find in a text: instruction, code, words of the message, words of the help.
WRONG_TEXT = {
    "cp.async.cg of 4 bytes": ("cp.async.cg.shared.global [tile], [%d1], 4;", "PTX0212", "16 bytes", "cp.async.ca"),
    "setmaxnreg 30": ("setmaxnreg.dec.sync.aligned.u32 30;", "PTX0107", "30", "32"),
    "wgmma with N = 12": (
        f"{MMA}.m64n12k16.f32.bf16.bf16 {registers('f', 6)}, %d1, %d2, 1, 1, 1, 0, 0;",
        *("PTX0230", "m64n12k16", "next multiple of 8"),
    ),
    "bf16 with an f16 accumulator": (
        f"{MMA}.m64n16k16.f16.bf16.bf16 {registers('r', 4)}, %d1, %d2, 1, 1, 1, 0, 0;",
        *("PTX0232", "not in .f16", "f32 accumulator"),
    ),
    "too few accumulator registers": (
        f"{MMA}.m64n256k16.f32.bf16.bf16 {registers('f', 64)}, %d1, %d2, 1, 1, 1, 0, 0;",
        *("PTX0106", "has 64 registers, but takes 128", "128 registers"),
    ),
    "coordinates of the wrong rank": (
        f"{LOAD} [tile], [%d1, {{%r1, %r2, %r3}}], [bar];",
        *("PTX0106", "has 3 registers, but takes 2", "2 registers"),
    ),
}


# What the simulator cannot run.
def cli(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def launch(text: str) -> Diagnostic:
    """What a launch of the text is refused with."""
    with pytest.raises(Diagnostic) as caught:
        px.parse(text, "k.ptx")["k"].launch(grid=1, args=[np.zeros(4, np.float32)])
    return caught.value


def one_error(done: Result, code: str, line: int, help: str) -> None:
    """The command says one thing, where it is and what to do, and nothing else."""
    assert done.exit_code == 1
    assert done.stderr.count("error[") == 1
    assert f"error[{code}]" in done.stderr
    assert f"--> k.ptx:{line}" in done.stderr
    assert help in done.stderr[done.stderr.index("help: ") :]
    assert "Traceback" not in done.output


@pytest.mark.parametrize(("body", "code", "words", "help"), WRONG_TEXT.values(), ids=list(WRONG_TEXT))
def test_wrong_instructions(
    body: str, code: str, words: str, help: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = KERNEL.replace("BODY", body)
    (found,) = check(text, file="k.ptx", lints=False)
    assert found.code == code
    assert words in found.message
    assert help in (found.help or "")
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("k.ptx", HERE)
    refused = launch(text)
    assert plain(refused) == plain(found)
    assert refused.also == ()
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(text)
    one_error(cli("check", "k.ptx"), code, HERE, help)
    one_error(cli("run", "k.ptx", "--arg", "a=zeros:f32:4"), code, HERE, help)


def test_setmaxnreg_without_a_cap_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = KERNEL.replace(".maxnreg 128\n", "\n").replace("BODY", "setmaxnreg.dec.sync.aligned.u32 40;")
    (found,) = check(text, file="k.ptx", lints=False)
    assert (found.code, found.severity) == ("PTX2023", Severity.WARNING)
    assert found.span is not None
    assert found.span.line == HERE
    assert ".maxnreg" in (found.help or "")
    kernel = px.parse(text, "k.ptx")["k"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for _ in range(2):
            kernel.launch(grid=1, args=[np.zeros(4)])
    assert [(w.filename, w.category) for w in said] == [(__file__, px.PtxWarning)]
    assert "PTX2023" in str(said[0].message)
    report = px.simulate(kernel, grid=1, args=[np.zeros(4)])
    assert [plain(d) for d in report.findings] == [plain(found)]
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(text)
    for done in (cli("check", "k.ptx"), cli("run", "k.ptx", "--arg", "a=zeros:f32:4")):
        assert done.exit_code == 0
        assert done.stderr.count("warning[PTX2023]") == 1


def test_too_much_static_shared_memory() -> None:
    text = KERNEL.replace("tile[1024]", "tile[232441]").replace("BODY", "mov.u32 %r1, tile; mov.u32 %r2, bar;")
    refused = launch(text)
    assert (refused.code, refused.also) == ("PTX2010", ())
    assert "232448" in (refused.help or "")
    assert refused.span is not None
    assert refused.span.line == text[: text.index(".visible")].count("\n") + 1


def test_a_wait_for_too_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = KERNEL.replace(
        "BODY",
        """\
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  ld.param.u64 %d1, [a];
  mbarrier.init.shared::cta.b64 [bar], 2;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 80;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1], 16, [bar];
READY:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;
  @!%p0 bra WAIT;""",
    )
    refused = launch(text)
    assert (refused.code, refused.also) == ("PTX9100", ())
    assert refused.span is not None
    line = text[: text.index("mbarrier.try_wait")].count("\n") + 1
    assert refused.span.line == line
    notes = " ".join(refused.notes)
    for words in ("CTA (0, 0, 0)", "warps 0-3", "lanes 0-31", "`bar`", "phase 0", "1 of 2 arrivals", "64 bytes"):
        assert words in notes
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(text)
    done = cli("run", "k.ptx", "--arg", "a=zeros:f32:4", "--out", "a=out.npy")
    one_error(done, "PTX9100", line, "expect as many bytes as the copies of the phase bring")
    assert "1 of 2 arrivals" in done.stderr
    assert not Path("out.npy").exists()


# --- at the line of a call


def refused_here(call: Callable[[], object], code: str) -> Diagnostic:
    """The one diagnostic that the call is refused with; it points into the caller's own function."""
    with pytest.raises(Diagnostic) as caught:
        call()
    found = caught.value
    lines, start = inspect.getsourcelines(call.__code__)
    assert (found.code, found.also) == (code, ()), str(found)
    assert found.origin is not None
    assert found.origin.file == __file__
    assert start <= found.origin.line < start + len(lines)
    assert found.help
    return found


def floats(*shape: int) -> np.ndarray:
    made = px.empty(shape, np.float32)
    made[...] = 0
    return made


def test_box_over_256() -> None:
    found = refused_here(lambda: px.tensor_map(floats(512, 32), box=(300, 32)), "PTX2105")
    assert "300" in found.message
    assert "256" in (found.help or "")


def test_box_wider_than_the_swizzle_span() -> None:
    found = refused_here(lambda: px.tensor_map(floats(64, 64), box=(8, 64), swizzle="128B"), "PTX2107")
    assert "256 bytes" in found.message
    assert "32 elements" in (found.help or "")


def test_stride_that_is_no_multiple_of_16() -> None:
    found = refused_here(lambda: px.tensor_map(floats(64, 7), box=(8, 4)), "PTX2102")
    assert "Stride 28" in found.message
    assert "32 bytes" in (found.help or "")


def test_base_address_that_is_not_aligned() -> None:
    tail = floats(65)[1:].reshape(8, 8)
    found = refused_here(lambda: px.tensor_map(tail, box=(8, 8)), "PTX2101")
    assert "16 bytes" in found.message
    assert "px.empty" in (found.help or "")


def test_box_of_the_wrong_rank() -> None:
    found = refused_here(lambda: px.tensor_map(floats(64, 64), box=(1, 8, 8)), "PTX2100")
    assert "3 values for an array of 2 dimensions" in found.message


def test_map_of_an_array_that_is_not_contiguous() -> None:
    found = refused_here(lambda: px.tensor_map(floats(64, 64).T, box=(8, 8)), "PTX2119")
    assert "contiguous copy" in (found.help or "")


@px.kernel(target="sm_90a", threads=32)
def copies(k: px.Builder, src: px.Ptr[px.f32], dst: px.Ptr[px.f32]) -> None:
    off = k.tid.x * 4
    k.st.global_.f32(dst.at(off), k.ld.global_.f32(src.at(off)))


@px.kernel(target="sm_90a", threads=32)
def loads(k: px.Builder, t: px.TensorMap) -> None:
    tile, bar = k.smem(px.f32, (8, 8), align=128), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        bar.arrive_expect_tx(256)
        k.tma_load(tile, t, (0, 0), bar)
    bar.wait(0)


def test_arrays_that_a_pointer_does_not_take() -> None:
    ok, shifted = floats(32), np.zeros(132, np.uint8)[1:129].view(np.float32)
    found = refused_here(lambda: copies[1](ok.astype(np.float64), ok), "PTX2307")
    assert "`src`" in found.message
    assert "float64" in found.message
    assert "ascontiguousarray" in (refused_here(lambda: copies[1](ok, floats(64)[::2]), "PTX2309").help or "")
    assert "align=4" in (refused_here(lambda: copies[1](ok, shifted), "PTX2310").help or "")
    assert "give an array" in (refused_here(lambda: copies[1](ok, [1.0]), "PTX2302").help or "")
    assert "src (px.Ptr[px.f32]), dst (px.Ptr[px.f32])" in (refused_here(lambda: copies[1](ok), "PTX2301").help or "")


def test_maps_that_a_kernel_does_not_take() -> None:
    for array, box, code in (
        (floats(4, 8, 8), (1, 8, 8), "PTX2308"),
        (floats(8, 8).view(np.int32), (8, 8), "PTX2307"),
        (floats(8, 8), (4, 8), "PTX2317"),
    ):
        made = px.tensor_map(array, box=box)
        assert "`t`" in refused_here(lambda made=made: loads[1](made), code).message
    assert "px.tensor_map(" in (refused_here(lambda: loads[1](floats(8, 8)), "PTX2302").help or "")


def test_cluster_that_does_not_divide_the_grid() -> None:
    a = floats(32)
    found = refused_here(lambda: copies.launch(grid=3, cluster=2, args=[a, a]), "PTX2006")
    assert "(4, 1, 1)" in (found.help or "")


def test_too_much_dynamic_shared_memory() -> None:
    a = floats(32)
    found = refused_here(lambda: copies.launch(grid=1, shared=232449, args=[a, a]), "PTX2010")
    assert "227 KB" in found.message


def test_the_gpu_is_asked_for_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxlab.cuda import driver

    def absent(*_: object) -> int:
        raise Diagnostic("PTX2304", "There is no CUDA driver on this machine.")

    monkeypatch.setattr(driver, "device", absent)
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(KERNEL.replace("BODY", ""))
    done = cli("run", "k.ptx", "--arg", "a=zeros:f32:4", "--on", "gpu", "--out", "a=out.npy")
    assert done.exit_code == 1
    assert done.stderr.count("error[PTX2304]") == 1
    assert "help: " in done.stderr
    assert not Path("out.npy").exists()


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda x: px.check(x), "PTX2316"),
        (lambda x: px.parse(x), "PTX2316"),
        (lambda x: px.load(x), "PTX2316"),
        (lambda x: px.link(x), "PTX2316"),
        (lambda x: px.to_python(x), "PTX2316"),
        (lambda x: px.litmus(x), "PTX0600"),
        (lambda x: px.explain(x), "PTX2501"),
        (lambda x: px.fragment(x, "a", "bf16"), "PTX2122"),
        (lambda x: px.sparse_metadata(x, "bf16"), "PTX2122"),
        (lambda x: px.simulate(x, grid=1), "PTX2322"),
        (lambda x: px.debug(x, grid=1), "PTX2322"),
    ],
)
@pytest.mark.parametrize("given", [5, None, np.zeros((2, 2), np.float32)], ids=["a number", "nothing", "an array"])
def test_functions_say_what_they_take(call: Callable[[object], object], code: str, given: object) -> None:
    with pytest.raises(Diagnostic) as wrong:
        call(given)
    assert wrong.value.code == code
    assert wrong.value.help
