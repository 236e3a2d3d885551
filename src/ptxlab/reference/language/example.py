"""Examples of docstrings as complete programs.

An example that uses `k` without binding it is the body of a kernel; any other is a program that needs nothing but `px` and `np`.
The kernel's parameters are those of `PARAMETERS` that it names, and the launch is written around it. A last line
`# out[:4]: [0 1 2 3]` says what an expression is afterwards; a comment behind a `print` says what it prints.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

PARAMETERS = {
    "x": ("px.Ptr[px.f32]", "np.arange(1024, dtype=np.float32)"),
    "y": ("px.Ptr[px.f32]", "np.zeros(1024, np.float32)"),
    "out": ("px.Ptr[px.u32]", "np.zeros(256, np.uint32)"),
    "n": ("px.u32", "np.uint32(100)"),
    "maps": ("px.Ptr[px.TensorMap]", "px.empty((1, 128), np.uint8)"),
    "tm": ("px.TensorMap", 'px.tensor_map(np.ones((64, 64), np.float16), box=(64, 64), swizzle="128B")'),
}
"""Names that the body of an example may use: what they are in the kernel, and what the launch gives."""
THREADS = 128
_OF_CLUSTERS = ("cluster", "remote")
_RESULT = re.compile(r"^# (.+?): (.+)$")
_PRINTED = re.compile(r"^\s*print\(.*\)  # (.+)$")


@dataclass(frozen=True, slots=True)
class Example:
    """A program that can be copied and run, and what it should print, one line for each `print` with a comment."""

    program: str
    printed: tuple[str, ...]
    is_body: bool


def complete(text: str, *, launch: bool = True) -> Example:
    """The program of an example. `launch=False`: the kernel alone, for what is shown and not run."""
    if not _is_body(text):
        program = "".join(f"import {m}\n" for m in _modules(text))
        program += ("\n" if program else "") + text
        return Example(program, _printed(program), is_body=False)
    lines = text.rstrip("\n").split("\n")
    results: list[str] = []
    while launch and lines and (found := _RESULT.match(lines[-1])):
        results.insert(0, f"print({found[1]})  # {found[2]}")
        lines.pop()
    program = _around(lines, results, launch=launch)
    return Example(program, _printed(program), is_body=True)


def _is_body(text: str) -> bool:
    """Whether code uses `k` without binding it."""
    nodes = list(ast.walk(ast.parse(text)))
    bound = any(isinstance(n, ast.arg) and n.arg == "k" for n in nodes)
    names = [n for n in nodes if isinstance(n, ast.Name) and n.id == "k"]
    return bool(names) and not bound and all(isinstance(n.ctx, ast.Load) for n in names)


def _around(lines: list[str], results: list[str], *, launch: bool) -> str:
    names = {node.id for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Name)}
    used = {name: PARAMETERS[name] for name in PARAMETERS if name in names}
    clusters = any(word in line for line in lines for word in _OF_CLUSTERS)
    options = f"threads={THREADS}" + (", cluster=2" if clusters else "")
    parameters = ", ".join(("k", *(f"{name}: {kind}" for name, (kind, _) in used.items())))
    out = [f"@px.kernel({options})", f"def example({parameters}):", *(f"    {line}".rstrip() for line in lines)]
    if launch:
        out += ["", "", *(f"{name} = {made}" for name, (_, made) in used.items())]
        out += [f"example[{2 if clusters else 1}]({', '.join(used)})", *results]
    needed = ["numpy as np"] if any("np." in line for line in out) else []
    return "\n".join([*(f"import {m}" for m in [*needed, "ptxlab as px"]), "", "", *out]) + "\n"


def _modules(text: str) -> list[str]:
    found = [("np", "numpy as np"), ("px", "ptxlab as px")]
    return [m for word, m in found if re.search(rf"\b{word}\.", text) and f"import {m}" not in text]


def _printed(program: str) -> tuple[str, ...]:
    return tuple(found[1] for line in program.split("\n") if (found := _PRINTED.match(line)))
