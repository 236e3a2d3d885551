"""No lints on kernels that are known to be right."""

from __future__ import annotations

import pytest
import triton_compiler

import ptxlab as px
from ptxlab.diag import Severity
from ptxlab.kernels import boxes, conv, copies, grouped_gemm, grouped_packed
from ptxlab.kernels.blocks.promotion import Scales
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm import kernels

_COPIES = [
    copies.bulk,
    copies.bulk_expect_tx,
    copies.cp_async_4,
    copies.cp_async_16,
    copies.tma_1d,
    copies.tma_2d,
]


@pytest.mark.parametrize("kernel", _COPIES, ids=lambda k: k.name)
def test_copies(kernel: px.Kernel) -> None:
    assert [str(d) for d in px.check(kernel.ptx)] == []


@pytest.mark.parametrize("direct", [False, True], ids=["by TMA", "direct"])
@pytest.mark.parametrize("b_major", ["K", "MN"])
@pytest.mark.parametrize("name", ["128x256-2c", "192x128-3c", "64x16-1c-swapped-split2", "128x128-2c-split4"])
def test_gemm(name: str, b_major: str, direct: bool) -> None:
    tiling = Tiling.named(name).fitted(2)
    majors = (b_major, "K") if tiling.swapped else ("K", b_major)
    text = kernels(tiling.consumers, tiling.splits)[direct].specialize(tiling=tiling, majors=majors).ptx
    assert "wgmma.mma_async" in text
    assert [str(d) for d in px.check(text)] == []
    # The same kernel without one of its parts is no longer right.
    for part, code in (
        ("wgmma.commit_group.sync.aligned;", "PTX5012"),
        ("wgmma.fence.sync.aligned;", "PTX5010"),
    ):
        assert code in [d.code for d in px.check(text.replace(part, ""))]


@pytest.mark.parametrize("direct", [False, True], ids=["by TMA", "direct"])
@pytest.mark.parametrize("scaled", [False, True], ids=["bf16", "fp8 in blocks"])
def test_packed_groups(scaled: bool, direct: bool) -> None:
    tiling = Tiling(columns=128, size=1 if scaled else 2, promoted=scaled).fitted(2)
    kind = px.e4m3 if scaled else px.bf16
    kernel = grouped_packed.kernels(tiling.consumers)[direct].specialize(
        tiling=tiling, majors=("K", "K"), types=(kind, kind), scales=Scales(1, 128) if scaled else None
    )
    assert [str(d) for d in px.check(kernel.ptx)] == []


_TENSORS = [
    *[k.specialize(b_major=b) for k in (grouped_gemm.grouped_tma, grouped_gemm.grouped_direct) for b in ("K", "MN")],
    *[k.specialize(out=px.bf16) for k in (conv.conv_tma, conv.conv_direct)],
    boxes.move_boxes.specialize(box=(32, 4, 2), element=px.b32),
    boxes.move_boxes.specialize(box=(32, 4, 1), element=px.b32, op="add", folded=True),
]


@pytest.mark.parametrize("kernel", _TENSORS, ids=repr)
def test_kernels_that_live_by_tensor_maps(kernel: px.Kernel) -> None:
    assert [str(d) for d in px.check(kernel.ptx)] == []


@pytest.mark.corpus
@pytest.mark.parametrize("name", triton_compiler.names())
def test_what_other_compilers_write(name: str) -> None:
    """Kernels of Triton and Gluon, specialised warps among them: nothing across their instructions is wrong."""
    found = px.check(triton_compiler.compile_ptx(name))
    assert [str(d) for d in found if d.severity is Severity.LINT or d.code.startswith("PTX5")] == []
