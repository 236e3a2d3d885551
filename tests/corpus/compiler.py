"""CUDA C++ to PTX by nvcc, for tests that need PTX which ptxlab did not write."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = sorted(p.name for p in HERE.glob("*.cu"))


@cache
def toolkit() -> Path | None:
    """The folder of the nvidia wheels that holds bin/nvcc and include/."""
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        if (Path(root) / "cu13" / "bin" / "nvcc").exists():
            return Path(root) / "cu13"
    return None


@cache
def why_not() -> str | None:
    """Why nothing can be compiled here; None when it can."""
    if shutil.which("g++") is None:
        return "there is no g++"
    root = toolkit()
    if root is None:
        return "there is no nvcc: install the extra `corpus`"
    for header in ("crt/host_config.h", "cuda_runtime.h", "cccl/cuda/ptx"):
        if not (root / "include" / header).exists():
            return f"nvcc lacks {header}: install the extra `corpus`"
    return None


@cache
def compile_ptx(source: str, *options: str, target: str = "sm_90a") -> str:
    """The PTX of a file of this folder. Skips the test where there is no compiler."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    root = toolkit()
    assert root is not None
    include = root / "include"
    done = subprocess.run(
        [
            str(root / "bin" / "nvcc"),
            "-ptx",
            f"-arch={target}",
            # The wheels of compiler and headers carry versions of their own, and a newer header is fine.
            "-DCCCL_DISABLE_CTK_COMPATIBILITY_CHECK",
            f"-I{include}",
            f"-I{include / 'cccl'}",
            *options,
            source,
            "-o",
            "-",
        ],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.fail(f"nvcc cannot compile {source}:\n{done.stderr}")
    return done.stdout
