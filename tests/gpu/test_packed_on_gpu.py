"""Packed groups on a GPU: exact on integers, the simulator's bytes on other numbers, and counts that change under a CUDA graph."""

from __future__ import annotations

from typing import Any

import pytest

from ptxlab.conformance.kernels.cases import Case
from ptxlab.conformance.kernels.packed import packed
from ptxlab.conformance.kernels.run import difference, gpu, simulator
from ptxlab.kernels.grouped_packed import prepare_depth, prepare_masked

pytestmark = pytest.mark.gpu


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs torch")


@pytest.mark.parametrize("case", packed(), ids=lambda c: c.key)
def test_the_simulator_gives_the_same_bytes(case: Case) -> None:
    found = gpu(case, case.arrays("integers")).output
    assert not difference(found, case.expected(case.arrays("integers")))
    found = gpu(case, case.arrays("random")).output
    assert not difference(found, simulator(case, case.arrays("random")).output)


def integers(torch: Any, *shape: int) -> Any:
    generator = torch.Generator(device="cuda").manual_seed(1)
    return torch.randint(-4, 5, shape, device="cuda", generator=generator).to(torch.bfloat16)


@pytest.mark.parametrize("config", ["128x256-2c", "128x64-2c-swapped", "64x16-1c-swapped"])
def test_a_graph_reads_counts_at_each_replay(torch: Any, config: str) -> None:
    a, b = integers(torch, 40, 512, 520), integers(torch, 40, 264, 520)
    c = torch.zeros(40, 512, 264, device="cuda")
    counts = torch.zeros(40, device="cuda", dtype=torch.int32)
    product = prepare_masked(a, b, c, counts, b_layout="nk", config=config)
    product()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        product(stream=torch.cuda.current_stream())
    generator = torch.Generator(device="cuda").manual_seed(2)
    right = a.double() @ b.double().transpose(1, 2)
    rows = torch.arange(512, device="cuda")[None, :, None]
    for most in (513, 40, 2, 1):
        counts.copy_(torch.randint(0, most, (40,), device="cuda", generator=generator, dtype=torch.int32))
        c.fill_(-1)
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(c.double(), torch.where(rows < counts[:, None, None], right, -1.0))


def test_many_parts_of_k(torch: Any) -> None:
    """More groups than the kernel of the table has threads, and more than are put in order."""
    for groups in (300, 700):
        x, dy = integers(torch, groups * 33, 136), integers(torch, groups * 33, 264)
        counts = torch.arange(groups, device="cuda", dtype=torch.int64) * 37 % 67
        ends = torch.cumsum(counts, 0)
        dw = torch.full((groups, 136, 264), float("nan"), device="cuda")
        product = prepare_depth(x, dy, dw, ends)
        for _ in range(3):
            product()
        torch.cuda.synchronize()
        first = 0
        for e, end in enumerate(ends.tolist()):
            end = min(end, len(x))
            assert torch.equal(dw[e].double(), x[first:end].double().T @ dy[first:end].double())
            first = end
