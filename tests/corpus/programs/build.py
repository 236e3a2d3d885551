"""CUDA C++ programs, host code and all, compiled to run over the runtime of this folder instead of a GPU's."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import compiler

HERE = Path(__file__).parent


def cutlass() -> Path | None:
    """The folder of CUTLASS' sources, from its package of Python; None where that is not installed."""
    spec = importlib.util.find_spec("cutlass_library")
    for root in spec.submodule_search_locations or () if spec else ():
        if (Path(root) / "source" / "include" / "cutlass").exists():
            return Path(root) / "source"
    return None


def build(source: Path, folder: Path, *options: str) -> None:
    """Make program.so, program.ptx and runtime.so of a program in a folder. Raises AssertionError with the compiler's words."""
    root = compiler.toolkit()
    assert root is not None
    include = [f"-I{root / 'include'}", f"-I{root / 'include' / 'cccl'}"]
    nvcc = [
        str(root / "bin" / "nvcc"),
        "-gencode",
        "arch=compute_90a,code=compute_90a",
        "-std=c++20",
        "--expt-relaxed-constexpr",
    ]
    nvcc += [
        "-DNDEBUG",
        "-DCCCL_DISABLE_CTK_COMPATIBILITY_CHECK",
        *include,
        *options,
        "-shared",
        "-Xcompiler",
        "-fPIC",
        "-w",
        "-Xcompiler",
        "-w",
    ]
    _done([*nvcc, "--keep", "-cudart", "none", "-o", "program.so", str(source)], folder)
    (ptx,) = folder.glob("*.ptx")
    ptx.rename(folder / "program.ptx")
    _done(["g++", "-O1", "-w", "-shared", "-fPIC", *include, str(HERE / "runtime.cpp"), "-o", "runtime.so"], folder)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program that `build` has made, in a process of its own."""
    command = [sys.executable, str(HERE / "programs.py"), str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _done(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
