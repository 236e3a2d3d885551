"""Whole CUDA C++ programs whose kernels the simulator runs: their own host code prepares the launches and checks the results."""

from __future__ import annotations

from pathlib import Path

import compiler
import pytest
from programs import build

pytestmark = pytest.mark.corpus


@pytest.fixture(autouse=True)
def _compilers() -> None:
    reason = compiler.why_not()
    if reason is not None:
        pytest.skip(reason)


def test_an_ordinary_program(tmp_path: Path) -> None:
    build.build(build.HERE / "ordinary.cu", tmp_path)
    done = build.run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("launched") == 2
    assert "ordinary: 0 wrong" in done.stdout


@pytest.mark.ptxlab(sanitize=False)  # it takes ten times as long with the sanitizer: minutes
def test_algorithms_of_cub(tmp_path: Path) -> None:
    """CTAs that wait for what earlier ones write, tickets, warp-wide matching, private histograms."""
    build.build(build.HERE / "cub.cu", tmp_path, "--extended-lambda")
    done = build.run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("scan", "sum", "sort", "count", "unique"):
        assert f"{word} right" in done.stdout


@pytest.mark.ptxlab(sanitize=False)  # likewise
def test_products_of_cutlass(tmp_path: Path) -> None:
    """Persistent, warp-specialised kernels with TMA multicast, wgmma and a reduction across CTAs (stream-k)."""
    source = build.cutlass()
    if source is None:
        pytest.skip("there is no CUTLASS: pip install --no-deps nvidia-cutlass")
    build.build(
        build.HERE / "cutlass_gemm.cu", tmp_path, f"-I{source / 'include'}", f"-I{source / 'tools/util/include'}"
    )
    done = build.run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ping-pong: 0 of 98304 wrong" in done.stdout
    assert "stream-k: 0 of 35904 wrong" in done.stdout
