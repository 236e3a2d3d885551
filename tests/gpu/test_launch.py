"""Launches on a GPU: arrays of several libraries, clusters, tensor maps, variables, prepared launches, and errors.

A failing kernel takes the process's GPU context with it, so those tests run in processes of their own.
"""

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
from ptxlab.cuda import driver, ptxas
from ptxlab.diag import Diagnostic

pytestmark = pytest.mark.gpu

ADD = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .global .align 4 .f32 scale = 0f3F800000;
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %d<8>;
  .reg .f32 %f<5>;
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
  ld.global.f32 %f1, [%d5];
  ld.global.f32 %f2, [%d6];
  ld.global.f32 %f4, [scale];
  add.f32 %f3, %f1, %f2;
  mul.f32 %f3, %f3, %f4;
  st.global.f32 [%d7], %f3;
DONE:
  ret;
}
"""

# Every thread writes (rank in the cluster << 16 | CTAs of the cluster).
RANK = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry rank(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, %cluster_nctarank;
  shl.b32 %r3, %r1, 16;
  or.b32 %r4, %r3, %r2;
  mov.u32 %r5, %ctaid.x;
  mul.wide.u32 %d2, %r5, 4;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r4;
  ret;
}
"""

# Loads a tile of 8 rows of 32 f32 through a map with 128B swizzle and stores shared memory as it lies.
TMA = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y)
.reqntid 64, 1, 1
{
  .reg .pred %p, %q;
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .reg .b32 %v<4>;
  .shared .align 1024 .b8 buf[1024];
  .shared .align 8 .b64 bar;
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [x];
  ld.param.u32 %r3, [y];
  ld.param.u64 %d2, [out];
  mov.b64 %d1, map;
  cvta.param.u64 %d1, %d1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra WAITING;
  mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%d1, {%r2, %r3}], [bar];
WAITING:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0;
  @!%q bra WAIT;
  shl.b32 %r4, %r1, 4;
  mov.u32 %r5, buf;
  add.u32 %r5, %r5, %r4;
  ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%r5];
  cvt.u64.u32 %d3, %r4;
  add.u64 %d3, %d2, %d3;
  st.global.v4.b32 [%d3], {%v0, %v1, %v2, %v3};
  ret;
}
"""

# Needs a parameter beyond the portable 8 CTAs, and all the shared memory that a CTA can have.
SHARED = """\
.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry last(.param .u64 out, .param .u32 at)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [at];
  mov.u32 %r2, dynamic;
  add.u32 %r2, %r2, %r1;
  st.shared.u32 [%r2], 12345;
  ld.shared.u32 %r3, [%r2];
  st.global.u32 [%d1], %r3;
  ret;
}
"""


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs torch")


@pytest.fixture
def cupy() -> Any:
    return pytest.importorskip("cupy", reason="needs CuPy")


def test_vector_add_with_torch(torch: Any) -> None:
    k = px.parse(ADD)["add"]
    a, b = torch.randn(1000, device="cuda"), torch.randn(1000, device="cuda")
    c = torch.zeros(1000, device="cuda")
    k.launch(grid=4, block=256, args=[a, b, c, np.uint32(1000)])
    assert torch.equal(c, a + b)
    k[4](a, b, a, 1000, block=256)
    assert torch.equal(a, c)


def test_same_call_in_the_simulator_gives_the_same_bytes(torch: Any) -> None:
    k = px.parse(ADD)["add"]
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 1000), dtype=np.float32)
    c = np.zeros(1000, np.float32)
    on_gpu = [torch.from_numpy(x).cuda() for x in (a, b, c)]
    k.launch(grid=4, block=256, args=[a, b, c, 1000])
    k.launch(grid=4, block=256, args=[*on_gpu, 1000])
    assert on_gpu[2].cpu().numpy().tobytes() == c.tobytes()


def test_vector_add_with_cupy_on_its_stream(cupy: Any) -> None:
    k = px.parse(ADD)["add"]
    with cupy.cuda.Stream(non_blocking=True):
        a = cupy.arange(1000, dtype=cupy.float32)
        b, c = a * 2, cupy.zeros_like(a)
        k.launch(grid=4, block=256, args=[a, b, c, np.uint32(1000)])
        assert cupy.array_equal(c, a * 3)


def test_bfloat16_tensors_and_slices(torch: Any) -> None:
    made = px.tensor_map(torch.zeros(64, 64, dtype=torch.bfloat16, device="cuda")[8:], (8, 64), swizzle="128B")
    assert (made.map.dtype, made.map.dims) == ("bf16", (64, 56))


def test_requires_grad_and_detached_memory(torch: Any) -> None:
    k = px.parse(ADD)["add"]
    a = torch.ones(256, device="cuda", requires_grad=True)
    c = torch.zeros(256, device="cuda")
    k.launch(grid=1, block=256, args=[a, a, c, 256])
    assert (c == 2).all()


def test_prepared_launch_repeats_and_takes_streams(torch: Any) -> None:
    k = px.parse(ADD)["add"]
    a, b = torch.ones(256, device="cuda"), torch.ones(256, device="cuda")
    p = k.prepare(grid=1, block=256, args=[a, b, a, 256])
    for _ in range(5):
        p()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    for stream in (side, side.cuda_stream):
        p(stream=stream)
    torch.cuda.synchronize()
    assert (a == 8).all()


def test_prepared_launch_follows_torchs_current_stream(torch: Any) -> None:
    k = px.parse(ADD)["add"]
    with torch.cuda.stream(torch.cuda.Stream()):
        a = torch.zeros(1 << 20, device="cuda")
        for _ in range(10):
            a += 1
        c = torch.zeros(1 << 20, device="cuda")
        k.launch(grid=4096, block=256, args=[a, a, c, 1 << 20])
        assert (c == 20).all()


def test_prepared_launch_in_a_thread_without_a_context(torch: Any) -> None:
    k = px.parse(ADD)["add"]
    a = torch.ones(256, device="cuda")
    p = k.prepare(grid=1, block=256, args=[a, a, a, 256])
    torch.cuda.synchronize()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            p()
            px.synchronize()
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
        t.join()
    assert failed == []
    assert (a == 8).all()


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_clusters(torch: Any, size: int) -> None:
    out = torch.zeros(32, dtype=torch.int32, device="cuda")
    px.parse(RANK)["rank"].launch(grid=32, block=32, cluster=size, args=[out])
    expected = [(i % size) << 16 | size for i in range(32)]
    assert out.tolist() == expected


def test_all_the_shared_memory_of_a_cta(torch: Any) -> None:
    out = torch.zeros(1, dtype=torch.int32, device="cuda")
    k = px.parse(SHARED)["last"]
    for size in (232448, 1024):
        out.zero_()
        k.launch(grid=1, block=1, shared=size, args=[out, size - 4])
        assert out.item() == 12345


def test_tensor_map_through_tma_swizzles_and_fills(torch: Any) -> None:
    k = px.parse(TMA)["tile"]
    a = torch.arange(60 * 64, dtype=torch.float32, device="cuda").reshape(60, 64)
    out = torch.zeros(256, device="cuda")
    k.launch(grid=1, args=[px.tensor_map(a, (8, 32), swizzle="128B"), out, np.uint32(32), np.uint32(56)])
    tile = np.zeros((8, 8, 4), np.float32)
    tile[:4] = a.cpu().numpy()[56:60, 32:64].reshape(4, 8, 4)
    rows = np.arange(8)[:, None]
    expected = np.zeros_like(tile)
    expected[rows, np.arange(8)[None, :] ^ rows] = tile
    assert np.array_equal(out.cpu().numpy().reshape(8, 8, 4), expected)


def test_our_tensor_map_is_the_drivers(torch: Any) -> None:
    api = driver.bindings()
    a = torch.zeros(60, 96, dtype=torch.bfloat16, device="cuda")
    ours = px.tensor_map(a, (16, 64), swizzle="128B", l2_promotion="256B", oob_fill="nan").encode()
    theirs = driver.check(
        api.cuTensorMapEncodeTiled(
            api.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            2,
            a.data_ptr(),
            [api.cuuint64_t(96), api.cuuint64_t(60)],
            [api.cuuint64_t(192)],
            [api.cuuint32_t(64), api.cuuint32_t(16)],
            [api.cuuint32_t(1), api.cuuint32_t(1)],
            api.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            api.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
            api.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
            api.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
        ),
        "cuTensorMapEncodeTiled",
    )
    assert ours == b"".join(int(word).to_bytes(8, "little") for word in theirs.opaque)


def test_variables_reach_the_device_and_come_back(torch: Any) -> None:
    mod = px.parse(ADD)
    a, c = torch.ones(256, device="cuda"), torch.zeros(256, device="cuda")
    mod.symbol("scale")[...] = 3
    mod["add"].launch(grid=1, block=256, args=[a, a, c, 256])
    assert (c == 6).all()
    assert mod.symbol("scale")[...] == 3
    mod.symbol("scale")[...] = 5
    mod["add"].launch(grid=1, block=256, args=[a, a, c, 256])
    assert (c == 10).all()


def test_the_drivers_compiler_does_without_ptxas(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "_wheel_files", list)
    monkeypatch.delenv(ptxas.VARIABLE, raising=False)
    a, c = torch.ones(256, device="cuda"), torch.zeros(256, device="cuda")
    px.parse(ADD)["add"].launch(grid=1, block=256, args=[a, a, c, 256])
    assert (c == 2).all()


def test_errors_of_the_drivers_compiler_have_lines(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxlab.cuda.library import Library
    from ptxlab.cuda.lines import LineMap

    broken = ADD.replace("add.f32 %f3", "add.f31 %f3")
    with pytest.raises(Diagnostic) as caught:
        Library.from_ptx(driver.device(), broken, LineMap(broken, "k.ptx"))
    assert caught.value.code == "PTX2401"
    assert caught.value.span is not None
    assert caught.value.span.line == broken.split("\n").index("  add.f31 %f3, %f1, %f2;") + 1
    newer = ADD.replace(".version 8.0", ".version 99.0")
    with pytest.raises(Diagnostic) as caught:
        Library.from_ptx(driver.device(), newer, LineMap(newer, "k.ptx"))
    assert caught.value.code in ("PTX2424", "PTX2420")


def test_ignored_setmaxnreg_warns_at_the_users_line(
    torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    text = RANK.replace("  ret;", "  setmaxnreg.inc.sync.aligned.u32 232;\n  ret;")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        px.parse(text)["rank"].launch(grid=1, block=128, args=[torch.zeros(1, dtype=torch.int32, device="cuda")])
    found = [w for w in caught if issubclass(w.category, px.PtxWarning)]
    assert [w.message.diagnostic.code for w in found] == ["PTX2410"]  # type: ignore[union-attr]
    assert found[0].filename == __file__


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"grid": 3, "cluster": 2}, "PTX2006"),
        ({"grid": 32, "cluster": 32}, "PTX2007"),
        ({"grid": 1, "shared": 232449}, "PTX2010"),
        ({"grid": 1, "block": 2048}, "PTX2002"),
        ({"grid": 1, "device": "sim"}, "PTX2303"),
        ({"grid": 1, "stream": "fast"}, "PTX2314"),
    ],
)
def test_refused_launches(torch: Any, options: dict[str, Any], code: str) -> None:
    out = torch.zeros(32, dtype=torch.int32, device="cuda")
    with pytest.raises(Diagnostic) as caught:
        px.parse(RANK)["rank"].launch(**{"block": 32, "args": [out], **options})
    assert caught.value.code == code
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_mixed_arrays_are_refused(torch: Any) -> None:
    a, c = torch.ones(256, device="cuda"), np.zeros(256, np.float32)
    with pytest.raises(Diagnostic) as caught:
        px.parse(ADD)["add"].launch(grid=1, block=256, args=[a, a, c, 256])
    assert caught.value.code == "PTX2303"


def test_too_many_registers_for_the_block_is_told(torch: Any) -> None:
    text = RANK.replace(
        "  ret;\n}", "  ret;\n}\n.visible .entry wide(.param .u64 out)\n.maxnreg 128\n{\n" + _wide_body() + "  ret;\n}"
    )
    out = torch.zeros(4096, dtype=torch.int32, device="cuda")
    with pytest.raises(Diagnostic) as caught:
        px.parse(text)["wide"].launch(grid=1, block=1024, args=[out])
    assert caught.value.code == "PTX2420"
    assert any("registers a thread" in note for note in caught.value.notes)


def _wide_body() -> str:
    """Keeps 100 loaded values alive at once."""
    loads = "".join(f"  ld.volatile.global.u32 %r{i}, [%d1+{4 * i}];\n" for i in range(100))
    stores = "".join(f"  st.volatile.global.u32 [%d1+{4 * i}], %r{99 - i};\n" for i in range(100))
    return "  .reg .b32 %r<100>;\n  .reg .b64 %d1;\n  ld.param.u64 %d1, [out];\n" + loads + stores


FAILING = """
import torch, ptxlab as px
text = '''{text}'''
k = px.parse(text)["add"]
a = torch.ones(256, device="cuda")
k.launch(grid=1, block=256, args=[a, a, {address}, 256])
try:
    px.synchronize()
except px.Diagnostic as d:
    print(d.code, d.message)
    try:
        k.launch(grid=1, block=256, args=[a, a, a, 256])
    except px.Diagnostic as e:
        print(e.code)
"""


@pytest.mark.parametrize(("address", "words"), [(8, "memory"), ("a.data_ptr() + 2", "aligned")])
def test_a_failed_kernel_is_a_diagnostic(torch: Any, address: object, words: str) -> None:
    code = FAILING.format(text=ADD, address=address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=False)
    assert len(done.stdout.splitlines()) == 2, f"status {done.returncode}: {done.stderr}"
    first, second = done.stdout.splitlines()
    assert first.startswith("PTX2421"), done.stderr
    assert words in first
    assert second == "PTX2421"
    assert "Traceback" not in done.stderr
