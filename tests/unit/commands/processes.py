"""The command line in a process of its own, as a shell starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[3] / "src"
PTX = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<9>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [a];
  mov.u32 %r1, %tid.x;
  red.global.max.u32 [%d1], %r1; // größer
  ret;
}
"""


def environment(**more: str) -> dict[str, str]:
    """That of a user with nothing special, and `more`."""
    left_out = ("NO_COLOR", "COLUMNS", "PYTHONIOENCODING", "PYTHONUNBUFFERED", "FORCE_COLOR")
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return kept | {"PYTHONPATH": str(SOURCE)} | more


def shell(line: str, folder: Path, env: dict[str, str] | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    """A line of shell in which `ptxlab` is the command line."""
    script = f'ptxlab() {{ "{sys.executable}" -m ptxlab "$@"; }}\n{line}'
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=env or environment(),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
        check=False,
        **more,
    )
