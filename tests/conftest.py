"""Lets tests import the helpers that several of them use, and skips those that need a GPU where there is none."""

import sys
from pathlib import Path

import pytest

for _folder in ("corpus", "conformance/ptxas", "unit/ptx"):
    sys.path.insert(0, str(Path(__file__).parent / _folder))
sys.path.insert(0, str(Path(__file__).parents[1]))  # the package tools


def _no_hopper() -> str:
    """Why nothing runs on a GPU here; "" where it can."""
    from ptxlab.cuda import driver
    from ptxlab.diag import Diagnostic

    try:
        found = driver.device().capability
    except Diagnostic as d:
        return d.message
    return "" if found == (9, 0) else f"the GPU is sm_{found[0]}{found[1]}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked `gpu` where no GPU of compute capability 9.0 is."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = _no_hopper() if marked else ""
    for item in marked if reason else ():
        item.add_marker(pytest.mark.skip(reason=f"needs a GPU of sm_90: {reason}"))
