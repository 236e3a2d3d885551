"""`ptxlab doctor`: what this machine can do, and what to install for the rest."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ptxlab.commands.command import Command
from ptxlab.diag import Diagnostic, console

_CORE = ("numpy", "ml_dtypes", "llvmlite", "numba", "rich", "typer")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `need` says what to do where it is not `ok`; `required`: nothing works without it."""

    what: str
    ok: bool
    detail: str
    need: str = ""
    required: bool = False


def findings() -> list[Finding]:
    """Everything, in the order in which it is shown. Looks, and changes nothing but an empty cache folder."""
    looks: tuple[Callable[[], Iterator[Finding]], ...] = (_python, _simulator, _cache, _assembler, _gpu, _libraries)
    return [f for look in looks for f in look()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """There are none."""


def main(options: Options = Options(), out: Console | None = None) -> int:
    """Print what was found. Returns: 0, or 1 where the simulator itself cannot run."""
    out = out or console()
    found = findings()
    table = Table(title="What this machine can do", show_lines=False)
    for column in ("", "what", "found", "to do"):
        table.add_column(column, overflow="fold")
    for f in found:
        mark = "[green]yes[/]" if f.ok else "[red]no[/]" if f.required else "[yellow]no[/]"
        table.add_row(mark, escape(f.what), escape(f.detail), escape(f.need) if not f.ok else "")
    out.print(table)
    out.print(_conclusion(found))
    return 1 if any(f.required and not f.ok for f in found) else 0


def _conclusion(found: list[Finding]) -> str:
    by = {f.what: f.ok for f in found}
    if any(f.required and not f.ok for f in found):
        return "ptxlab is not installed completely: see above."
    what = "write, check, simulate and assemble" if by["ptxas"] else "write, check and simulate"
    return f"Here you can {what} kernels{', and run them on the GPU' if by['GPU'] else ''}."


def _python() -> Iterator[Finding]:
    have = platform.python_version()
    yield Finding(
        "Python",
        sys.version_info >= (3, 11),
        f"{have} on {platform.system()} {platform.machine()}",
        "3.11 or newer",
        True,
    )


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _simulator() -> Iterator[Finding]:
    missing = [n for n in _CORE if _installed(n) is None]
    have = ", ".join(f"{n} {v}" for n in _CORE if (v := _installed(n)) is not None)
    yield Finding("simulator", not missing, have, f"pip install {' '.join(missing)}", True)


def _cache() -> Iterator[Finding]:
    from ptxlab.abi import cache

    folder = cache.directory("cubin")
    todo = f"name a folder of yours in {cache.VARIABLE}"
    yield Finding("disk cache", folder is not None, str(folder.parent) if folder else "nothing can be written", todo)


def _assembler() -> Iterator[Finding]:
    from ptxlab.cuda import ptxas

    found = ptxas.find()
    if found is None:
        yield Finding("ptxas", False, "not installed", "pip install nvidia-cuda-nvcc (no GPU needed)")
        return
    yield Finding("ptxas", True, f"{found.release}, PTX up to {_newest_ptx(found.path)}")


def _newest_ptx(path: str) -> str:
    try:
        done = subprocess.run([path, "--list-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return "?"
    return (done.stdout.split() or ["?"])[-1]


def _gpu() -> Iterator[Finding]:
    from ptxlab.cuda import driver

    bindings = _installed("cuda-bindings")
    yield Finding(
        "cuda-bindings", bindings is not None, bindings or "not installed", "pip install cuda-bindings cuda-core"
    )
    try:
        devices = driver.devices()
    except Diagnostic as d:
        need = "only for --on gpu: a machine with an NVIDIA GPU (sm_90) and its driver"
        yield Finding("GPU", False, d.message, need)
        return
    for g in devices:
        yield Finding(
            "GPU",
            g.capability >= (9, 0),
            f"{g.ordinal}: {g.name}, sm_{g.capability[0]}{g.capability[1]}, CUDA {g.driver[0]}.{g.driver[1]}",
            "kernels for sm_90a need an H100, H200 or GH200; on older GPUs only older targets run",
        )
    if not devices:
        yield Finding("GPU", False, "none", "only for --on gpu: a machine with an NVIDIA GPU (sm_90)")


def _libraries() -> Iterator[Finding]:
    names = {"torch": ("torch",), "CuPy": ("cupy", "cupy-cuda13x", "cupy-cuda12x"), "JAX": ("jax",)}
    have = [f"{word} {v}" for word, packages in names.items() for p in packages if (v := _installed(p)) is not None]
    todo = "only for --on gpu: torch, CuPy or JAX, whichever you use"
    yield Finding("CUDA arrays", bool(have), ", ".join(have) or "no library installed", todo)
    plot = _installed("matplotlib")
    yield Finding(
        "Matplotlib", plot is not None, plot or "not installed", "pip install matplotlib, for pictures other than .svg"
    )
    mcp = _installed("mcp")
    yield Finding("MCP", mcp is not None, mcp or "not installed", "pip install 'ptxlab[mcp]', for agents (ptxlab mcp)")
    pytest = _installed("pytest")
    yield Finding("pytest", pytest is not None, pytest or "not installed", "pip install pytest, for tests of kernels")


COMMAND = Command(Options, main)
