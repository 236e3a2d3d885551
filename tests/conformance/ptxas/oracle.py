"""ptxas as a judge of single instructions: many kernels in one file, each verdict read from the line of its error."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

REGISTERS = (
    ".reg .pred %p<8>; .reg .b8 %bb<4>; .reg .b16 %h<64>; .reg .u16 %uh<8>; .reg .s16 %sh<8>; .reg .f16 %fh<8>; .reg .b32 %r<300>; "
    ".reg .u32 %ur<64>; .reg .s32 %sr<64>; .reg .f32 %f<300>; .reg .f16x2 %x<8>; .reg .b64 %rd<64>; .reg .u64 %ud<64>; "
    ".reg .s64 %sd<64>; .reg .f64 %fd<64>; .reg .b128 %q<8>;"
)
GLOBALS = (
    ".global .align 16 .b8 glob[64]; .const .align 16 .b8 cst[64]; .extern .shared .align 128 .b8 dyn[]; "
    ".extern .func ext(.param .b32 a);"
)
PARAMS = ".param .u64 p0, .param .align 64 .b8 map[128]"
LOCALS = ".shared .align 16 .b8 sh[64]; .local .align 16 .b8 loc[64]; .param .align 16 .b8 arg[64];"
_LINE = re.compile(r"line (\d+); (\w+)\s*: (.*)")
_BATCH = 400


@cache
def ptxas() -> str | None:
    """The path of ptxas 13.1, from the nvidia-cuda-nvcc wheel or the PATH; None where there is none."""
    import importlib.util

    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        found = Path(root) / "cu13" / "bin" / "ptxas"
        if found.exists():
            return str(found)
    return shutil.which("ptxas")


def version() -> str:
    """E.g. "13.1.80"."""
    tool = ptxas()
    assert tool is not None
    out = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"V(\d+\.\d+\.\d+)", out)
    return found[1] if found else "unknown"


def kernel(name: str, body: str) -> str:
    """A kernel on one line that holds the instruction."""
    return f".visible .entry {name}({PARAMS}) {{ {REGISTERS} {LOCALS} {body} L: ret; }}"


def _assemble(text: str, target: str) -> list[str]:
    tool = ptxas()
    assert tool is not None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.ptx"
        source.write_text(text)
        arch = target.replace("sm_", "compute_")
        done = subprocess.run(
            [tool, f"-arch={arch}", str(source), "-o", f"{folder}/k.o"], capture_output=True, text=True, check=False
        )
    return (done.stdout + done.stderr).splitlines()


def _run(bodies: Sequence[str], target: str, ptx: str) -> tuple[dict[int, str], int | None]:
    """Errors by index, and the index of a syntax error that hides what follows."""
    head = [f".version {ptx}", f".target {target}", ".address_size 64", GLOBALS]
    lines = head + [kernel(f"k{i}", b) for i, b in enumerate(bodies)]
    errors: dict[int, str] = {}
    fatal = None
    for said in _assemble("\n".join(lines) + "\n", target):
        found = _LINE.search(said)
        if found is None:
            continue
        index = int(found[1]) - 1 - len(head)
        if found[2] == "warning" or not 0 <= index < len(bodies):
            continue
        errors.setdefault(index, found[3])
        if found[2] == "fatal":
            fatal = index
    return errors, fatal


def judge(bodies: Sequence[str], *, target: str = "sm_90a", ptx: str = "9.1") -> list[str | None]:
    """For each instruction None where ptxas takes it, else its first error."""
    out: list[str | None] = [None] * len(bodies)
    for first in range(0, len(bodies), _BATCH):
        open_ = list(range(first, min(first + _BATCH, len(bodies))))
        while open_:
            errors, _ = _run([bodies[i] for i in open_], target, ptx)
            for where, message in errors.items():
                out[open_[where]] = message
            if not errors:
                break
            # What a run without errors has not seen may still hide behind a syntax error or an earlier stage.
            open_ = [i for n, i in enumerate(open_) if n not in errors]
    return out
