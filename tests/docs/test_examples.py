"""The examples run, and end as they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAYS = {"first_copy.py": "equal\n", "deadlock.py": "PTX9100", "gemm.py": "largest error below 1e-4: True\n"}


def test_every_example_is_run() -> None:
    assert {p.name for p in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_example(name: str) -> None:
    done = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert SAYS[name] in done.stdout
