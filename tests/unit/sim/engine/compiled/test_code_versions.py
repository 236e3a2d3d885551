"""Machine code on disk is that of today's meanings: whatever it is made from counts in its version."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ptxlab
from ptxlab.sim.engine.compiled.compile import digest, made_from

PACKAGE = Path(ptxlab.__file__).parent
_UNREAD = {
    "diag": "messages are said while machine code is made, and are no part of it",
    "ptx": "of ptx.functions a constant is taken; its own imports are for other things",
    "abi": "reads and writes the cache",
}


def _file_of(module: str) -> Path | None:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()), None)


def _imports(path: Path) -> set[Path]:
    """Files of this package that a file imports when it runs, within functions too."""
    out: set[Path | None] = set()
    left: list[ast.AST] = [ast.parse(path.read_text())]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ptxlab"):
            out |= {_file_of(f"{node.module}.{a.name}") or _file_of(node.module or "") for a in node.names}
        elif isinstance(node, ast.Import):
            out |= {_file_of(a.name) for a in node.names if a.name.startswith("ptxlab")}
        left += ast.iter_child_nodes(node)
    return {p for p in out if p is not None}


def _makers() -> list[Path]:
    """Files that hold a meaning, or write other LLVM text that is compiled."""
    wanted = re.compile(r"@meaning\(|^\s*meaning\(|\.library\(|def runtime_text|def build", re.MULTILINE)
    return [p for p in sorted((PACKAGE / "sim").rglob("*.py")) if wanted.search(p.read_text())]


def _needed() -> set[Path]:
    """All those, and what they import, as far as it can show in what is compiled."""
    seen = set(_makers())
    left = list(seen)
    while left:
        for path in _imports(left.pop()) - seen:
            seen.add(path)
            room = path.relative_to(PACKAGE).parts[0]
            left += [] if room in _UNREAD else [path]
    hashed_alone = PACKAGE / "ptx" / "functions.py"
    return {p for p in seen if p.relative_to(PACKAGE).parts[0] not in _UNREAD or p == hashed_alone}


def test_meanings_are_found() -> None:
    names = {str(p.relative_to(PACKAGE)) for p in _makers()}
    assert {
        "sim/families/plain/integer.py",
        "sim/families/cluster/meaning.py",
        "sim/engine/compiled/runtime.py",
        "sim/engine/compiled/emit.py",
    } <= names


def test_whoever_holds_a_meaning_counts_and_what_it_imports() -> None:
    needed = _needed()
    assert len(needed) > 40
    missing = sorted(str(p.relative_to(PACKAGE)) for p in needed - set(made_from()))
    assert missing == [], (
        "name modules with compiled meanings meaning*.py, or add them to _MADE_FROM of sim/engine/compiled/compile.py"
    )


@pytest.mark.parametrize("changed", made_from(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_changed_byte_changes_the_version(changed: Path) -> None:
    texts = {p: p.read_bytes() for p in made_from()}
    before = digest(read=texts.__getitem__)
    texts[changed] = texts[changed][:-1] + bytes([texts[changed][-1] ^ 1]) if texts[changed] else b"#"
    assert digest(read=texts.__getitem__) != before


_RUN = """
import numpy as np
import ptxlab as px
text = '''.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.shared .align 8 .b8 here[8];
.reg .b32 %r<4>;
.reg .b64 %a;
mov.u32 %r1, here;
getctarank.shared::cluster.u32 %r2, %r1;
ld.param.u64 %a, [out];
st.global.u32 [%a], %r2;
ret;
}'''
out = np.full(1, 99, np.uint32)
px.simulate(px.parse(text)["k"], grid=1, block=1, args=[out])
print(int(out[0]))
"""


def test_an_edited_meaning_is_compiled_anew(tmp_path: Path) -> None:
    """With machine code of the old meaning in the cache."""
    shutil.copytree(PACKAGE, tmp_path / "ptxlab", ignore=shutil.ignore_patterns("__pycache__", "conformance", "bench"))
    env = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "PTXLAB_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def run() -> str:
        done = subprocess.run(
            [sys.executable, "-c", _RUN], env=env, capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run() == "0"
    meaning = tmp_path / "ptxlab" / "sim" / "families" / "cluster" / "meaning.py"
    old = 'return (a & ADDRESS32).to(T("u", 32)) >> RANK_SHIFT'
    text = meaning.read_text()
    assert old in text
    meaning.write_text(text.replace(old, 'return ((a & ADDRESS32).to(T("u", 32)) >> RANK_SHIFT) + 7'))
    assert run() == "7"
