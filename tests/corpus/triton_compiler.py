"""Triton and Gluon to PTX, without a GPU, for tests that need PTX which ptxlab did not write."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from triton_kernels import Case


WRITTEN_FOR: Final = (3, 9)
"""The version of Triton that compiles all kernels; an older one may lack what some need."""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


@cache
def why_not() -> str | None:
    """Why nothing can be compiled here; None when it can."""
    if sys.platform != "linux":
        return "triton runs on Linux alone"
    return None if importlib.util.find_spec("triton") else "there is no triton: install the extra `corpus`"


@cache
def _cases() -> dict[str, Case]:
    # What a user's cache holds must not decide what is tested, nor a test write there.
    os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp(prefix="triton-"))
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # said, so that it is no warning
    from triton_kernels import CASES

    return CASES


def names() -> list[str]:
    """All kernels; none where there is no triton, so that a test over them says nothing false."""
    return [] if why_not() else list(_cases())


def compile_ptx(name: str) -> str:
    """The PTX of a kernel for sm_90a. Skips the test where there is no triton."""
    return compiled(name).asm["ptx"]


@cache
def compiled(name: str) -> Any:
    """What Triton makes of a kernel for sm_90a. Skips the test where there is no triton."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, CompilationError
    from triton.experimental.gluon._runtime import GluonASTSource

    case = _cases()[name]
    source: Any = GluonASTSource if case.kernel.is_gluon() else ASTSource
    order = case.kernel.arg_names
    # Pointers and extents are multiples of 16, as the launcher finds them for arrays of any framework.
    aligned = {(i,): [["tt.divisibility", 16]] for i, a in enumerate(order) if case.signature[a].startswith(("*", "i"))}
    constants = {(order.index(a),): value for a, value in case.constants.items()}
    try:
        return triton.compile(
            source(case.kernel, case.signature, constants, aligned),
            target=GPUTarget("cuda", 90, 32),
            options={"ptx_version": 87, "num_warps": case.warps, "num_stages": case.stages},
        )
    except (CompilationError, AttributeError) as e:
        if _version(triton.__version__) >= WRITTEN_FOR:
            raise
        pytest.skip(f"triton {triton.__version__} cannot compile it: {str(e).strip().splitlines()[-1]}")


def expected(name: str) -> tuple[str, ...]:
    """What the PTX of a kernel must hold, so that a test cannot pass on less than it names."""
    return _cases()[name].expected
