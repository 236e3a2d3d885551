"""Kernels that use tensor maps on a GPU: exact on integers, and on other numbers the same bytes as in the simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxlab.conformance.kernels.run import difference, gpu, simulator
from ptxlab.conformance.kernels.tensors import Case, grouped_case, tensors
from ptxlab.kernels import boxes, conv, grouped_gemm

pytestmark = pytest.mark.gpu

FITTED = [grouped_case(layout, out, "128x256-2c-swapped") for layout in ("kn", "nk") for out in ("bfloat16", "float32")]
CASES = [*(pytest.param(c, id=c.key) for c in tensors()), *(pytest.param(c, id=f"{c.key}-fitted") for c in FITTED)]
RAGGED = [
    [(1000 + 8 * i, 520 + 64 * i, 264 + 8 * i) for i in range(40)],
    [(64, 64, 64 + 8 * (i % 7)) for i in range(3000)],
    [(33 + i % 5, 77 + i % 9, 64 + 8 * (i % 7)) for i in range(300)],
    [(4096, 1024, 8), (1, 8, 4096), (0, 8, 8), (300, 264, 0)],
]


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs torch")


@pytest.mark.parametrize("case", CASES)
def test_integers_are_exact(case: Case) -> None:
    found = gpu(case, case.arrays("integers")).output
    assert not difference(found, case.expected(case.arrays("integers")))


@pytest.mark.parametrize("case", CASES)
def test_the_simulator_gives_the_same_bytes(case: Case) -> None:
    found = gpu(case, case.arrays("random")).output
    assert not difference(found, simulator(case, case.arrays("random")).output)


def operands(torch: Any, sizes: list[tuple[int, int, int]], layout: str, dtype: Any) -> list[tuple[Any, Any, Any]]:
    generator = torch.Generator(device="cuda").manual_seed(1)

    def integers(*shape: int) -> Any:
        return torch.randint(-4, 5, shape, device="cuda", generator=generator).to(torch.bfloat16)

    return [
        (
            integers(m, k),
            integers(k, n) if layout == "kn" else integers(n, k),
            torch.full((m, n), float("nan"), device="cuda", dtype=dtype),
        )
        for m, n, k in sizes
    ]


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("layout", ["kn", "nk"])
@pytest.mark.parametrize("sizes", RAGGED, ids=lambda s: f"{len(s)}-products")
def test_many_products(torch: Any, sizes: list[tuple[int, int, int]], layout: Any, dtype: str) -> None:
    """Thrice each: maps that are bound again while others are in use show up as a result of another launch's operands."""
    if layout == "kn" and sizes[0][1] % 8:
        pytest.skip("TMA cannot read rows of B that are no multiple of 16 bytes")
    problems = operands(torch, sizes, layout, getattr(torch, dtype))
    prepared = grouped_gemm.prepare(problems, b_layout=layout)
    wanted = [(a.double() @ (b if layout == "kn" else b.T).double()).to(getattr(torch, dtype)) for a, b, _ in problems]
    for _ in range(3):
        for _, _, c in problems:
            c.fill_(float("nan"))
        prepared()
        torch.cuda.synchronize()
        assert all(torch.equal(c, right) for (_, _, c), right in zip(problems, wanted, strict=True))


def test_nothing_outside_the_products_is_written(torch: Any) -> None:
    sizes = [(131, 264, 72), (77, 40, 136), (300, 520, 64)]
    problems = operands(torch, sizes, "kn", torch.bfloat16)
    around = torch.full((3, 400, 600), float("nan"), device="cuda", dtype=torch.bfloat16)
    inner = [around[i, 1 : m + 1, 8 : n + 8] for i, (m, n, _) in enumerate(sizes)]
    grouped_gemm.grouped_gemm([(a, b, c) for (a, b, _), c in zip(problems, inner, strict=True)])
    torch.cuda.synchronize()
    assert not any(torch.isnan(c).any() for c in inner)
    for c in inner:
        c.fill_(float("nan"))
    assert bool(torch.isnan(around).all())


def test_two_prepared_launches_on_two_streams(torch: Any) -> None:
    """Each has maps of its own."""
    sizes = [(512, 512, 512), (256, 768, 264), (128, 256, 1024)]
    streams = [torch.cuda.Stream() for _ in range(2)]
    work = [operands(torch, sizes, layout, torch.float32) for layout in ("kn", "nk")]
    prepared = [grouped_gemm.prepare(w, b_layout=layout) for w, layout in zip(work, ("kn", "nk"), strict=True)]  # type: ignore[arg-type]
    torch.cuda.synchronize()
    for _ in range(20):
        for p, s in zip(prepared, streams, strict=True):
            p(stream=s)
    torch.cuda.synchronize()
    for problems, transposed in zip(work, (False, True), strict=True):
        for a, b, c in problems:
            assert torch.equal(c, (a.double() @ (b.T if transposed else b).double()).float())


@pytest.mark.parametrize(
    ("shape", "filters", "taps", "stride", "padding", "dilation"),
    [
        ((16, 56, 56, 256), 256, 3, 1, 1, 1),
        ((16, 57, 55, 128), 520, 3, 2, 1, 1),
        ((8, 33, 35, 200), 72, 3, 1, 2, 2),
        ((4, 40, 40, 64), 64, 3, (8, 5), (3, 2), (3, 4)),
        ((1, 1, 1, 8), 8, 1, 1, 0, 1),
        ((2, 12, 300, 64), 64, 3, (1, 2), 0, 1),
    ],
)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_convolutions_equal_those_of_torch(
    torch: Any, shape: tuple[int, ...], filters: int, taps: int, stride: Any, padding: Any, dilation: Any, dtype: str
) -> None:
    generator = torch.Generator(device="cuda").manual_seed(2)
    x = torch.randint(-4, 5, shape, device="cuda", generator=generator).to(torch.bfloat16)
    w = torch.randint(-4, 5, (filters, taps, taps, shape[3]), device="cuda", generator=generator).to(torch.bfloat16)
    images, kernels = x.permute(0, 3, 1, 2).double(), w.permute(0, 3, 1, 2).double()
    right = torch.nn.functional.conv2d(images, kernels, stride=stride, padding=padding, dilation=dilation)
    right = right.permute(0, 2, 3, 1).contiguous().to(getattr(torch, dtype))
    y = torch.full(right.shape, float("nan"), device="cuda", dtype=right.dtype)
    conv.conv2d(x, w, y, stride=stride, padding=padding, dilation=dilation)
    torch.cuda.synchronize()
    assert torch.equal(y, right)


def test_large_boxes_and_sums(torch: Any) -> None:
    source = torch.randint(-(2**31), 2**31 - 1, (3, 37, 65, 130, 64), device="cuda", dtype=torch.int32)
    to = torch.zeros_like(source)
    boxes.copy_boxes(source, to)
    torch.cuda.synchronize()
    assert torch.equal(source, to)
    total = torch.zeros(source.shape[1:], device="cuda", dtype=torch.int32)
    boxes.reduce_boxes(source, total)
    torch.cuda.synchronize()
    assert np.array_equal(total.cpu().numpy(), source.cpu().numpy().sum(0, dtype=np.int32))
