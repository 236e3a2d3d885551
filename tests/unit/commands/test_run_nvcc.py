"""`ptxlab run` on PTX that nvcc wrote from CUDA C++: results equal NumPy's, and what cannot run says so by name."""

from __future__ import annotations

from pathlib import Path

import compiler
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from ptxlab.cli import app

pytestmark = pytest.mark.corpus

_RNG = np.random.default_rng(2024)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cli(
    source: str, entry: str, args: list[str], out: int | None, options: tuple[str, ...], shape: dict[str, str]
) -> Result:
    """Compile a file of the corpus and run one of its kernels; the array of parameter `out` goes to out.npy."""
    Path("k.ptx").write_text(compiler.compile_ptx(source, *options))
    words = [w for name, value in shape.items() for w in (f"--{name}", value)]
    words += [w for i, value in enumerate(args) for w in ("--arg", f"{i}={value}")]
    words += [] if out is None else ["--out", f"{out}=out.npy"]
    return CliRunner().invoke(app, ["run", "k.ptx", "--entry", entry, *words])


def run(source: str, entry: str, args: list[str], *options: str, out: int, **shape: str) -> np.ndarray:
    """What the kernel leaves in the array of parameter `out`."""
    done = cli(source, entry, args, out, options or ("-O3",), shape)
    assert done.exit_code == 0, done.output
    return np.load("out.npy")


def saved(name: str, shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """An array and its file: small whole numbers, whose sums are exact in any order."""
    made = _RNG.integers(-8, 8, shape).astype(dtype)
    np.save(name, made)
    return made


@pytest.mark.parametrize("option", ["-O3", "-lineinfo"])
@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_cp_async(option: str, schedule: str) -> None:
    x = saved("x.npy", (3, 2048), np.float32)
    args = ["x.npy", "zeros:f32:3", "u32:2048"]
    got = run("cp_async.cu", "row_sums", args, option, out=1, grid="3", block="128", schedule=schedule)
    np.testing.assert_array_equal(got, x.sum(1))


@pytest.mark.parametrize("option", ["-O3", "-lineinfo"])
@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_tma(option: str, schedule: str) -> None:
    x = saved("x.npy", (60, 100), np.int32)  # the last tiles hang over both edges
    args = ["tensormap:x.npy,box=32x32", "tensormap:zeros:s32:60x100,box=32x32"]
    got = run("tma.cu", "add_one", args, option, out=1, grid="4x2", block="128", schedule=schedule)
    np.testing.assert_array_equal(got, x + 1)


@pytest.mark.parametrize("option", ["-O3", "-lineinfo"])
@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_bulk(option: str, schedule: str) -> None:
    x = saved("x.npy", (5, 1024), np.float32)
    args = ["x.npy", "zeros:f32:5x1024", "u32:5"]
    got = run("bulk.cu", "twice", args, option, out=1, grid="2", block="128", schedule=schedule)
    np.testing.assert_array_equal(got, 2 * x)


@pytest.mark.parametrize("option", ["-O3", "-lineinfo"])
def test_vector_add(option: str) -> None:
    a, b = saved("a.npy", (1000,), np.float32), saved("b.npy", (1000,), np.float32)
    args = ["a.npy", "b.npy", "zeros:f32:1000", "u32:1000"]
    np.testing.assert_array_equal(run("plain.cu", "vector_add", args, option, out=2, grid="3", block="96"), a + b)


@pytest.mark.parametrize("option", ["-O3", "-lineinfo"])
def test_reduction(option: str) -> None:
    x = saved("x.npy", (5000,), np.int32)
    args = ["x.npy", "zeros:s32:1", "u32:5000"]
    assert run("plain.cu", "reduce", args, option, out=1, grid="4", block="256").tolist() == [x.sum()]


@pytest.mark.parametrize("option", ["-O3", "-lineinfo", "-G"])
def test_matmul(option: str) -> None:
    a, b = saved("a.npy", (20, 37), np.float32), saved("b.npy", (37, 50), np.float32)
    args = ["a.npy", "b.npy", "zeros:f32:20x50", "u32:20", "u32:50", "u32:37"]
    np.testing.assert_array_equal(run("plain.cu", "matmul", args, option, out=2, grid="4x2", block="16x16"), a @ b)


@pytest.mark.parametrize("option", ["-O3", "-lineinfo", "-G"])
def test_transpose(option: str) -> None:
    x = saved("x.npy", (40, 70), np.float64)
    args = ["x.npy", "zeros:f64:70x40", "u32:40", "u32:70"]
    shape = {"grid": "3x2", "block": "32x8", "shared": str(32 * 33 * 8)}
    np.testing.assert_array_equal(run("plain.cu", "transpose", args, option, out=1, **shape), x.T)


def test_loops_of_different_lengths() -> None:
    x = np.arange(1, 301, dtype=np.uint32)
    np.save("x.npy", x)
    got = run("plain.cu", "collatz", ["x.npy", "zeros:u32:300", "u32:300"], out=1, grid="3", block="128")
    expected = np.zeros_like(x)
    while (x != 1).any():
        expected[x != 1] += 1
        x = np.where(x == 1, 1, np.where(x % 2 == 1, 3 * x + 1, x // 2))
    np.testing.assert_array_equal(got, expected)


def test_lock() -> None:
    args = ["zeros:s32:1", "zeros:s32:1"]
    assert run("plain.cu", "locked", args, out=1, grid="3", block="64").tolist() == [192]


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_library_barrier(schedule: str) -> None:
    x = saved("x.npy", (5, 256), np.int32)
    args = ["x.npy", "zeros:s32:5x256", "u32:5"]
    got = run("library.cu", "reverse", args, out=1, grid="2", block="256", schedule=schedule)
    np.testing.assert_array_equal(got, x[:, ::-1])


def test_library_cluster() -> None:
    x = _RNG.integers(0, 128, 3000).astype(np.int32)
    np.save("x.npy", x)
    args = ["x.npy", "zeros:s32:128", "u32:3000"]
    got = run("library.cu", "histogram", args, out=1, grid="4", block="64")
    np.testing.assert_array_equal(got, np.bincount(x, minlength=128))


@pytest.mark.parametrize("option", ["-O3", "-G", "-lineinfo"])
def test_printf(option: str) -> None:
    done = cli("plain.cu", "prints", ["u32:5"], None, (option,), {"grid": "1", "block": "8"})
    assert done.exit_code == 0, done.output
    assert [line for line in done.output.splitlines() if line.startswith("thread")] == [
        *(f"thread {n}" for n in range(8)),
        "thread 5 is the one",
    ]


@pytest.mark.parametrize("option", ["-O3", "-G"])
def test_malloc(option: str) -> None:
    done = cli("plain.cu", "allocates", ["zeros:u64:32"], None, (option,), {"grid": "1", "block": "32"})
    assert done.exit_code == 0, done.output


def test_functions_that_are_not_inlined() -> None:
    done = cli(
        "plain.cu", "reduce", ["zeros:s32:9", "zeros:s32:1", "u32:9"], None, ("-G",), {"grid": "1", "block": "32"}
    )
    assert done.exit_code == 0, done.output
