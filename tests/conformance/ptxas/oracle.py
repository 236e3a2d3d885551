"""ptxas as a judge of single instructions: many kernels in one file, each verdict read from the line of its error."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ptxlab.isa.enumerate import REGISTERS
from ptxlab.isa.targets import Version

# What ptxas says of its own macros ("<macro util>, line 5") is about none of our lines.
_LINE = re.compile(r"k\.ptx, line (\d+); (\w+)\s*: (.*)")
_BATCH = 400
_OLDER, _OLDEST = ("sm_70", "sm_72"), "sm_75"  # ptxas makes no code for the former, but knows their `.target`
_DIED = "ptxas ended with"
_FAST = "/dev/shm" if Path("/dev/shm").is_dir() else None  # where files are memory
UNPLACED = "ptxas rejects the file or crashes, and does not say where"
RELEASES = ("13.1.80", "13.2.86", "13.3.73", "13.4.92", "13.5.37")  # differences are explained for these (explained.py)

_VARIABLES = ".global .align 128 .b8 glob[128]; .const .align 128 .b8 cst[128];\n.extern .func ext;"
_LOCALS = ".shared .align 128 .b8 sh[128]; .local .align 128 .b8 loc[128]; .param .align 16 .b8 arg[64];"
_PARAMS = ".param .u64 p0, .param .align 64 .b8 map[128]"


def _register_file(body: str) -> str:
    """Declarations of the registers; wide ones only where they are used, as they need a newer .version."""
    wanted = [(t, p) for t, p in REGISTERS.items() if t != "b128" or "%q" in body]
    return " ".join(f".reg .{type_} {prefix}<{count}>;" for type_, (prefix, count) in wanted)


def kernel(name: str, body: str) -> str:
    """A kernel, on one line, that holds the instruction."""
    lists = "ts: .branchtargets L; pt: .callprototype _ ();"
    return f".visible .entry {name}({_PARAMS}) {{ {_register_file(body)} {_LOCALS} {lists} {body} L: ret; }}"


def prelude(target: str, version: Version) -> list[str]:
    """The lines in front of the kernels."""
    return [
        f".version {version[0]}.{version[1]}",
        f".target {target}",
        ".address_size 64",
        *_VARIABLES.splitlines(),
    ]


@cache
def ptxas() -> str | None:
    """The path of ptxas: what PTXLAB_PTXAS names, from the nvidia-cuda-nvcc wheel, or the PATH; None where there is none."""
    if os.environ.get("PTXLAB_PTXAS"):
        return os.environ["PTXLAB_PTXAS"]
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        found = Path(root) / "cu13" / "bin" / "ptxas"
        if found.exists():
            return str(found)
    return shutil.which("ptxas")


@cache
def version() -> str:
    """E.g. "13.1.80"."""
    tool = ptxas()
    assert tool is not None
    out = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"V(\d+\.\d+\.\d+)", out)
    return found[1] if found else "unknown"


def why_not() -> str | None:
    """Why the oracle cannot be asked here; None when it can."""
    if ptxas() is None:
        return "there is no ptxas: install the extra `ptxas`"
    known = version() in RELEASES
    return None if known else f"ptxas is {version()}, and differences are explained for {' and '.join(RELEASES)}"


@cache
def release() -> tuple[int, int]:
    """E.g. (13, 1)."""
    major, minor, _ = version().split(".")
    return int(major), int(minor)


def newest() -> Version:
    """The newest PTX version that this ptxas reads: 13.n came with PTX 9.n."""
    return 9, release()[1]


def record(what: str, target: str, ptx: Version, tried: int, differ: Sequence[str], seed: int | None = None) -> None:
    """Append a line to the file that PTXLAB_ORACLE_RECORD names, if it names one; what differs goes into a file beside it."""
    name = os.environ.get("PTXLAB_ORACLE_RECORD")
    if not name:
        return
    line: dict[str, object] = {"what": what, "target": target, "ptx": f"{ptx[0]}.{ptx[1]}", "tried": tried}
    line |= {"differ": len(differ), "ptxas": version()} | ({} if seed is None else {"seed": seed})
    with Path(name).open("a") as out:
        out.write(json.dumps(line) + "\n")
    with Path(f"{name}.differ").open("a") as out:
        out.writelines(f"{target} {line['ptx']} {version()} {one}\n" for one in differ)


def assemble(text: str, target: str, *, forms_only: bool = True) -> list[str]:
    """What ptxas says about a module. `forms_only`: stop before code is made, which checks forms but no resources."""
    tool = ptxas()
    assert tool is not None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.ptx"
        source.write_text(text)
        arch = _OLDEST if target in _OLDER else target
        arch = arch.replace("sm_", "compute_") if forms_only else arch
        done = subprocess.run(
            [tool, f"-arch={arch}", str(source), "-o", f"{folder}/k.o"], capture_output=True, text=True, check=False
        )
    said = (done.stdout + done.stderr).splitlines()
    if done.returncode and not any(word in line for line in said for word in ("error", "fatal")):
        said.append(f"{_DIED} {done.returncode}")
    return said


@cache
def _known() -> frozenset[str]:
    """The targets that it makes code for."""
    tool = ptxas()
    assert tool is not None
    said = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"'(sm_\w+)'", said))


DEAD = (
    "ptxas died",
    "ptxas took too long",
    "ptxas had too little memory",
)  # of whole modules, about which it says nothing then
_NAMED = re.compile(r"\.target\s+(sm_\d+[af]?)")
_PATIENCE = 20  # seconds


def whole(text: str, *, forms_only: bool = True) -> str | None:
    """The first error of a module of one file, whatever it is; None where ptxas takes it. It is asked about the target that the
    module names, if it knows it."""
    tool = ptxas()
    assert tool is not None
    named = _NAMED.search(text)
    target = "sm_90a" if named is None else _OLDEST if named[1] in _OLDER else named[1]
    arch = target if target in _known() else "sm_90a"
    with tempfile.TemporaryDirectory(dir=_FAST) as folder:
        (Path(folder) / "k.ptx").write_bytes(text.encode())
        arch = arch.replace("sm_", "compute_") if forms_only else arch
        command = [tool, f"-arch={arch}", f"{folder}/k.ptx", "-o", f"{folder}/k.o"]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            return DEAD[1]
    if done.returncode == 0:
        return None
    said = (done.stdout + done.stderr).decode(errors="replace").replace(f"{folder}/", "")
    words = [line for line in said.splitlines() if "error" in line or "fatal" in line]
    if done.returncode < 0 or "Memory allocation failure" in said:
        return DEAD[0] if done.returncode < 0 else DEAD[2]
    return words[0] if words else said


class Unplaced(Exception):
    """ptxas rejects the file and does not say where, or dies of a signal: some malformed operands do that to it."""


def _run(bodies: Sequence[str], target: str, ptx: Version) -> dict[int, str]:
    """The errors of one run, by index. A syntax error hides those of all kernels behind it."""
    head = prelude(target, ptx)
    lines = head + [kernel(f"k{i}", b) for i, b in enumerate(bodies)]
    errors: dict[int, str] = {}
    said = assemble("\n".join(lines) + "\n", target)
    for line in said:
        found = _LINE.search(line)
        if found is None or found[2] in ("warning", "info"):
            continue
        index = int(found[1]) - 1 - len(head)
        assert 0 <= index < len(bodies), f"ptxas complains about the prelude: {line}"
        errors.setdefault(index, found[3])
    if not errors and any(word in line for line in said for word in ("error", "fatal", _DIED)):
        raise Unplaced
    return errors


def _judge(bodies: Sequence[str], target: str, ptx: Version) -> list[str | None]:
    out: list[str | None] = [None] * len(bodies)
    left = list(range(len(bodies)))
    # What a run lets pass may still hide behind a syntax error or an earlier stage: ask again without the rejected.
    while left:
        try:
            errors = _run([bodies[i] for i in left], target, ptx)
        except Unplaced:
            if len(left) == 1:
                out[left[0]] = UNPLACED
                return out
            half = len(left) // 2
            for part in (left[:half], left[half:]):
                for i, said in zip(part, _judge([bodies[i] for i in part], target, ptx), strict=True):
                    out[i] = said
            return out
        if not errors:
            return out
        for where, message in errors.items():
            out[left[where]] = message
        left = [i for n, i in enumerate(left) if n not in errors]
    return out


def judge(
    bodies: Sequence[str], *, target: str = "sm_90a", ptx: Version | None = None, likely: Sequence[bool] = ()
) -> list[str | None]:
    """For each instruction None where ptxas takes it, else its first error. `ptx`: the newest where it is left out.
    `likely`: which of them it is likely to take, if that is known: they are not asked again and again beside the others."""
    ptx = ptx or newest()
    order = sorted(range(len(bodies)), key=lambda i: likely[i]) if likely else range(len(bodies))
    out: list[str | None] = [None] * len(bodies)
    for first in range(0, len(bodies), _BATCH):
        batch = order[first : first + _BATCH]
        for i, said in zip(batch, _judge([bodies[i] for i in batch], target, ptx), strict=True):
            out[i] = said
    return out
