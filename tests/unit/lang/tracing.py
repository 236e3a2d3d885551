"""Helpers of the language's tests: trace a function, look at what it emitted."""

from __future__ import annotations

import inspect
import linecache
import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.lang.kernel import KernelFunction
from ptxlab.ptx.tree import Instruction, Label


def instructions(fn: Callable[..., None], *, threads: Any = 128, target: str = "sm_90a", **constants: Any) -> list[str]:
    """Instructions and labels as text, without those that the entry adds (parameter loads, addresses, special registers)."""
    traced = KernelFunction(fn, threads=threads, target=target).trace(**constants)
    function = traced.module.function(traced.entry)
    assert function is not None
    assert function.body is not None
    out: list[str] = []
    for item in function.body.items:
        if isinstance(item, Label):
            out.append(f"{item.name}:")
        elif isinstance(item, Instruction):
            guard = f"@{item.guard} " if item.guard is not None else ""
            shown = ", ".join(map(str, item.operands))
            out.append(f"{guard}{item.opcode} {shown}".rstrip())
    assert out[-1] == "ret"
    return [i for i in out[:-1] if not i.startswith("ld.param") and not _takes_address(i)]


def _takes_address(text: str) -> bool:
    return text.startswith("mov.") and "%" not in text.partition(", ")[2] and not text.partition(", ")[2][:1].isdigit()


def fails(
    fn: Callable[..., None], code: str, *, threads: Any = 128, constants: Any = None, **options: Any
) -> Diagnostic:
    """The diagnostic that tracing the function raises; it must point at the line that is marked `# here`."""
    with pytest.raises(Diagnostic) as caught:
        KernelFunction(fn, threads=threads, **options).trace(**(constants or {}))
    found = caught.value
    lines, start = inspect.getsourcelines(fn)
    marked = next(start + i for i, line in enumerate(lines) if "# here" in line)
    assert found.code == code, str(found)
    assert found.origin is not None
    assert (found.origin.file, found.origin.line) == (fn.__code__.co_filename, marked)
    assert found.help
    return found


def refused(body: str, *, threads: int = 128) -> Diagnostic:
    """The diagnostic of a kernel whose body is this text, with parameters x (f32 pointer), n (u32), s (s32), f (f32).

    It must point at the body's line that is marked `# here`, or at its last one.
    """
    lines = body.split("\n")
    source = "def kernel(k, x: px.Ptr[px.f32], n: px.u32, s: px.s32, f: px.f32):\n" + "".join(
        f"    {b}\n" for b in lines
    )
    file = f"/kernels/{zlib.crc32(source.encode())}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"px": px, "np": np, "math": math}
    exec(compile(source, file, "exec"), names)
    marked = next((i for i, b in enumerate(lines) if "# here" in b), len(lines) - 1)
    with pytest.raises(Diagnostic) as caught:
        KernelFunction(names["kernel"], threads=threads).trace()  # type: ignore[arg-type]
    found = caught.value
    assert found.origin is not None
    assert (found.origin.file, found.origin.line) == (file, marked + 2), str(found)
    assert found.help
    return found
