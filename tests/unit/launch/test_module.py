"""Modules and kernels of parsed PTX: text unchanged, entries, variables, launches in the simulator, diagnostics."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi import cache
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic

PTX = """\
// two kernels and three variables
.version 8.0
.target sm_90a
.address_size 64

.visible .global .align 4 .u32 lut[4] = {10, 20, 30, 40};
.visible .const .align 4 .f32 half = 0f3F000000;
.visible .global .align 8 .u64 where = lut;

.visible .entry look(.param .u64 .ptr .global .align 16 out, .param .u32 n)
.maxntid 128, 1, 1
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %d<6>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra DONE;
  and.b32 %r3, %r2, 3;
  mul.wide.u32 %d2, %r3, 4;
  ld.global.u64 %d3, [where];
  add.u64 %d3, %d3, %d2;
  ld.global.u32 %r4, [%d3];
  mul.wide.u32 %d4, %r2, 4;
  add.u64 %d5, %d1, %d4;
  st.global.u32 [%d5], %r4;
DONE:
  ret;
}

.visible .entry count() .reqntid 32, 1, 1
{
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [lut];
  add.u32 %r1, %r1, 1;
  st.global.u32 [lut], %r1;
  ret;
}
"""


@pytest.fixture
def mod() -> px.Module:
    return px.parse(PTX, "two.ptx")


def test_text_is_unchanged(mod: px.Module) -> None:
    assert str(mod) == PTX
    assert mod["look"].ptx == PTX


def test_entries(mod: px.Module) -> None:
    assert mod.entries == ("look", "count")
    assert list(mod) == ["look", "count"]
    assert "look" in mod
    assert mod["look"].name == "look"
    assert repr(mod["look"]) == "<Kernel look>"
    with pytest.raises(Diagnostic) as caught:
        mod["lok"]
    assert caught.value.code == "PTX2300"
    assert caught.value.help == "its kernels: look, count"
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "two.ptx"
    path.write_text(PTX)
    assert str(px.load(path)) == PTX
    path.write_bytes(b"\x7fELF\x02\x01")
    for file, code in ((path, "PTX0002"), (tmp_path / "none.ptx", "PTX2500"), (tmp_path, "PTX2500")):
        with pytest.raises(Diagnostic) as caught:
            px.load(file)
        assert caught.value.code == code
    path.write_bytes(PTX.encode() + b"\xff")
    with pytest.raises(Diagnostic, match="not UTF-8 at byte") as caught:
        px.load(path)
    assert caught.value.code == "PTX0002"
    with pytest.raises(Diagnostic) as caught:
        px.parse(b"text")  # type: ignore[arg-type]
    assert caught.value.code == "PTX2316"


def test_launch_writes_in_place(mod: px.Module) -> None:
    out = px.empty(100, np.uint32)
    out[:] = 0
    mod["look"].launch(grid=1, block=128, args=[out, 90])
    assert out[:90].tolist() == [10, 20, 30, 40] * 22 + [10, 20]
    assert not out[90:].any()


def test_short_form_and_prepared(mod: px.Module) -> None:
    out = px.empty(8, np.uint32)
    mod["look"][1](out, 8, block=32)
    assert out.tolist() == [10, 20, 30, 40] * 2
    p = mod["look"].prepare(grid=1, block=32, args=[out, 8])
    out[:] = 0
    p()
    assert out.tolist() == [10, 20, 30, 40] * 2
    with pytest.raises(Diagnostic) as caught:
        p(stream=7)
    assert caught.value.code == "PTX2314"


def test_report(mod: px.Module) -> None:
    out = px.empty(8, np.uint32)
    report = px.simulate(mod["look"], grid=2, block=32, args=[out, 8], sanitize=False)
    assert report.findings == []
    assert report.stats.ctas == 2
    assert report.stats.instructions > 0
    assert report.trace is None


def test_block_comes_from_reqntid(mod: px.Module) -> None:
    assert mod["count"].prepare(grid=1).record.block == (32, 1, 1)
    with pytest.raises(Diagnostic) as caught:
        mod["look"].launch(grid=1, args=[])
    assert caught.value.code == "PTX2001"
    assert "no block" in caught.value.message


def test_variables_live_from_launch_to_launch(mod: px.Module) -> None:
    lut = mod.symbol("lut")
    assert (lut.dtype, lut.shape, lut[:].tolist()) == (np.uint32, (4,), [10, 20, 30, 40])
    lut[1:3] = [7, 8]
    out = px.empty(4, np.uint32)
    mod["look"].launch(grid=1, block=32, args=[out, 4])
    assert out.tolist() == [10, 7, 8, 40]
    assert np.asarray(lut).tolist() == [10, 7, 8, 40]
    assert len(lut) == 4
    px.simulate(mod["count"], grid=1)
    assert lut[0] == 11
    assert px.parse(PTX).symbol("lut")[0] == 10
    with pytest.raises(Diagnostic) as caught:
        mod.symbol("nothing")
    assert caught.value.code == "PTX2312"
    assert "lut, half, where" in (caught.value.help or "")


def test_a_wrong_kernel_hides_no_variable() -> None:
    first = ".visible .entry a() { .reg .b32 r; wrong.b32 r; ret; }\n.visible .entry look"
    assert px.parse(PTX.replace(".visible .entry look", first)).symbol("lut")[:].tolist() == [10, 20, 30, 40]


def test_address_of_a_variable_in_an_initialiser(mod: px.Module) -> None:
    out = px.empty(4, np.uint32)
    record = mod["look"].prepare(grid=1, block=32, args=[out, 4]).record
    assert mod.symbol("where")[...] == record.variables["lut"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"args": [np.zeros(4, np.uint32)]}, "PTX2301"),
        ({"args": [np.zeros(4, np.uint32), 1.5]}, "PTX2302"),
        ({"block": 129}, "PTX2004"),
        ({"grid": 3, "cluster": 2}, "PTX2006"),
        ({"shared": 232_449}, "PTX2010"),
        ({"device": "cpu"}, "PTX2311"),
        ({"device": "gpu"}, "PTX2303"),
        ({"stream": 1}, "PTX2314"),
        ({"args": [px.empty(8, np.uint32)[1:], 4]}, "PTX2310"),
        ({"stages": 3}, "PTX2301"),
    ],
)
def test_refused_launches_point_at_the_caller(mod: px.Module, options: dict[str, Any], code: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        mod["look"].launch(**{"grid": 1, "block": 32, "args": [px.empty(4, np.uint32), 4], **options})
    assert caught.value.code == code
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__
    assert caught.value.help


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("smem", "did you mean shared=?"),
        ("blocks", "did you mean grid=?"),
        ("bufers", "did you mean buffers=?"),
        ("threads", "did you mean block=?"),
        ("shedule", "did you mean schedule=, an option of px.debug and px.simulate?"),
        ("workers", "workers= is an option of px.simulate"),
        ("colour", "pass parameters in args=[…]"),
    ],
)
def test_unknown_options_name_the_near_one(mod: px.Module, word: str, meant: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        mod["look"].launch(grid=1, block=32, args=[px.empty(4, np.uint32), 4], **{word: 1})
    assert (caught.value.code, caught.value.help) == ("PTX2301", meant)


def test_all_that_is_wrong_comes_at_once(mod: px.Module) -> None:
    with pytest.raises(Diagnostic) as caught:
        mod["look"].launch(grid=3, block=2048, cluster=2, args=[])
    assert [d.code for d in (caught.value, *caught.value.also)] == ["PTX2002", "PTX2004", "PTX2006", "PTX2301"]


def test_traceback_shows_the_users_frames_alone(mod: px.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    def frames() -> list[str]:
        with pytest.raises(Diagnostic) as caught:
            mod["look"].launch(grid=0, block=32, args=[])
        names = [entry.path for entry in caught.traceback]
        return [Path(name).name for name in names]

    assert frames() == ["test_module.py", "boundary.py"]
    monkeypatch.setenv("PTXLAB_FULL_TRACEBACK", "1")
    assert "validate.py" in frames()


def test_calling_a_kernel_is_no_launch(mod: px.Module) -> None:
    with pytest.raises(Diagnostic, match="needs a grid") as caught:
        mod["look"](1, 2)
    assert caught.value.code == "PTX2001"


def test_out_of_bounds_names_the_array(mod: px.Module) -> None:
    with pytest.raises(Diagnostic) as caught:
        mod["look"].launch(grid=1, block=32, args=[px.empty(4, np.uint32), 5])
    assert caught.value.code.startswith("PTX90")
    assert "out + 0x10" in caught.value.message
    assert caught.value.span is not None
    assert (caught.value.span.file, caught.value.span.line) == (
        "two.ptx",
        PTX.split("\n").index("  st.global.u32 [%d5], %r4;") + 1,
    )


def test_cuda_arrays_without_a_gpu(mod: px.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    class OnGpu:
        __cuda_array_interface__ = {"version": 3, "typestr": "<u4", "shape": (4,), "data": (0x7000, False)}

    from ptxlab.cuda import driver

    def absent(api: object) -> int:
        raise Diagnostic("PTX2304", "There is no CUDA driver on this machine.")

    monkeypatch.setattr(driver, "_count", absent)
    driver._open.cache_clear()
    with pytest.raises(Diagnostic) as caught:
        mod["look"].launch(grid=1, block=32, args=[OnGpu(), 4])
    driver._open.cache_clear()
    assert caught.value.code in ("PTX2304", "PTX2422")
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
def test_cubin_resources_and_warnings(mod: px.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    k = mod["look"]
    assert k.cubin.startswith(b"\x7fELF")
    assert k.resources.registers > 0
    assert k.warnings == ()
    lost = px.parse(PTX.replace("  st.global.u32 [lut], %r1;", "  setmaxnreg.inc.sync.aligned.u32 232;"))["count"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [d.code for d in lost.warnings] == ["PTX2410"]
        lost.cubin  # noqa: B018
    assert [str(w.filename) for w in caught] == [__file__]
    assert issubclass(caught[0].category, px.PtxWarning)
    again = px.parse(lost.ptx)["count"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", px.PtxWarning)
        with pytest.raises(px.PtxWarning, match="C7508"):
            again.cubin  # noqa: B018


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
def test_what_ptxas_refuses_points_at_the_ptx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    newer = px.parse(PTX.replace(".version 8.0", ".version 99.0"), "newer.ptx")
    with pytest.raises(Diagnostic) as caught:
        newer["look"].cubin  # noqa: B018
    assert caught.value.code == "PTX2404"
    assert caught.value.span is not None
    assert (caught.value.span.file, caught.value.span.line) == ("newer.ptx", 2)


def test_launches_from_several_threads(mod: px.Module) -> None:
    outs = [px.empty(100, np.uint32) for _ in range(4)]
    threads = [threading.Thread(target=lambda o=o: mod["look"].launch(grid=1, block=128, args=[o, 100])) for o in outs]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(o.tolist() == [10, 20, 30, 40] * 25 for o in outs)


def test_import_loads_little() -> None:
    code = (
        "import sys; import ptxlab;"
        "assert not {'numpy', 'llvmlite', 'numba', 'rich', 'matplotlib', 'cuda'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0


def test_all_public_names_exist() -> None:
    for name in dir(px):
        getattr(px, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        px.nothing  # noqa: B018


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
def test_resources_count_dynamic_shared_memory_and_name_what_is_scarce() -> None:
    @px.kernel(threads=(64, 2))
    def large(k: px.Builder, x: px.Ptr[px.f32]) -> None:
        buf = k.smem(px.f32, (128, 128))
        k.st.shared.f32(buf.at(k.tid.x * 4), k.ld.global_.f32(x[k.tid.x]))

    found = large.resources
    assert (found.threads, found.shared + found.dynamic_shared) == (128, 65536)
    assert found.dynamic_shared == large.entry().shared
    assert (found.ctas_per_sm(), found.limiters()) == (3, ("shared memory",))
    assert found.limiters(shared=0) != ("shared memory",)
    assert found.ctas_per_sm(threads=1024, shared=0) == 2
    with pytest.raises(Diagnostic) as caught:
        ptxas.Resources(registers=32).limiters()
    assert caught.value.code == "PTX2001"
