"""The kernels of the bug zoo in one order: the right ones, then the faulty ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

HANGS = ("PTX9100", "PTX9101", "PTX9011", "PTX9028")
"""Codes of kernels that hang, which only synccheck is asked of."""


def items() -> list[tuple[Any, Any]]:
    """(right kernel, None), or (right kernel, mutation)."""
    from sanitizer import zoo  # pyright: ignore[reportMissingImports]

    return [*((k, None) for k in zoo.kernels()), *zoo.mutants()]


def name_of(kernel: Any, mutant: Any) -> str:
    """family/kernel, or family/kernel/mutation."""
    return f"{kernel.family}/{kernel.name}" + (f"/{mutant.name}" if mutant is not None else "")


def entry(number: int) -> str:
    """What the entry of a kernel is called."""
    return f"z{number:04}z"


def hangs(mutant: Any) -> bool:
    return mutant is not None and mutant.code in HANGS
