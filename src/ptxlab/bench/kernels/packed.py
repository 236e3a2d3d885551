"""The contenders where groups lie in one matrix, and the GPU counts their rows."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ptxlab.bench.kernels import ours, peers
from ptxlab.bench.kernels.contest import Contest, Inputs, add, check, equal_work
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import PRODUCT, Work

ROOM = 128
"""What the rows of a room are a multiple of."""


def rows(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    """Groups of rows of one matrix, beside torch's grouped product."""
    torch, counts, (_, n, k) = inputs.torch, _counts(work), work.shapes[0]
    a, b, c = inputs.normal(sum(counts), k), inputs.normal(len(counts), n, k), inputs.room(sum(counts), n)
    ends = _ends(torch, counts)
    _ours(made, work, inputs, "rows", (a, b, c, ends), _by_rows(torch, a, b, counts), b_layout="nk")
    _product(made, work, inputs)
    for name, maker in peers.grouped(torch, names, list(torch.split(a, counts)), [], (a, b.transpose(1, 2))).items():
        add(made.peers, made.missing, name, maker)


def masked(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    """Groups that have room for more rows than they have. No peer does that."""
    torch, counts, (_, n, k) = inputs.torch, _counts(work), work.shapes[0]
    size = -(-max(counts) // ROOM) * ROOM
    a, b = inputs.normal(len(counts), size, k), inputs.normal(len(counts), n, k)
    c = inputs.room(len(counts), size, n)
    wanted = torch.full_like(c, 0)
    for i, m in enumerate(counts):
        wanted[i, :m] = a[i, :m] @ b[i].T
        c[i, m:] = 0
    _ours(made, work, inputs, "masked", (a, b, c, _numbers(torch, counts)), wanted, b_layout="nk")
    _product(made, work, inputs)


def depth(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    """Groups that are parts of K, beside torch's grouped product."""
    torch, (m, n, _) = inputs.torch, work.shapes[0]
    counts = [k for _, _, k in work.shapes]
    x, dy, dw = inputs.normal(sum(counts), m), inputs.normal(sum(counts), n), inputs.room(len(counts), m, n)
    ends = _ends(torch, counts)
    pairs = zip(torch.split(x, counts), torch.split(dy, counts), strict=True)
    _ours(made, work, inputs, "depth", (x, dy, dw, ends), torch.stack([p.T @ q for p, q in pairs]))
    down, across, k = equal_work(work)
    given = (inputs.normal(k, down).T, inputs.normal(k, across), inputs.room(down, across))
    made.scale[PRODUCT] = 2.0 * down * across * k / work.operations
    add(made.beside, made.missing, PRODUCT, lambda: ours.gemm(*given, "kn"))
    for name, maker in peers.grouped_depth(torch, names, x, dy, ends).items():
        add(made.peers, made.missing, name, maker)


def blocks(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    """Groups of rows in fp8 with scales in blocks, beside one such product."""
    torch, counts, (_, n, k), block = inputs.torch, _counts(work), work.shapes[0], peers.BLOCK

    def scales(*shape: int) -> Any:
        return inputs.normal(*shape, dtype="float32").abs() + 0.5

    a, b = inputs.normal(sum(counts), k, dtype=peers.FP8), inputs.normal(len(counts), n, k, dtype=peers.FP8)
    c = inputs.room(sum(counts), n)
    of_a, of_b = scales(sum(counts), k // block), scales(len(counts), n // block, k // block)
    left = a.float() * of_a.repeat_interleave(block, 1)
    right = b.float() * of_b.repeat_interleave(block, 1).repeat_interleave(block, 2)
    wanted, ends = _by_rows(torch, left, right, counts), _ends(torch, counts)
    _ours(made, work, inputs, "rows", (a, b, c, ends), wanted, b_layout="nk", scale_a=of_a, scale_b=of_b)
    m, n, k = equal_work(work)
    one, other = inputs.normal(m, k, dtype=peers.FP8), inputs.normal(n, k, dtype=peers.FP8)
    given = (scales(m, k // block), scales(n // block, k // block))
    room = inputs.room(m, n)
    made.scale[PRODUCT] = 2.0 * m * n * k / work.operations
    add(made.beside, made.missing, PRODUCT, lambda: ours.scaled(one, other, room, given))


def _ours(
    made: Contest,
    work: Work,
    inputs: Inputs,
    form: str,
    arrays: tuple[Any, Any, Any, Any],
    wanted: Any,
    **options: Any,
) -> None:
    """Our call on A, B, C and the numbers of rows, held to what is wanted."""
    torch, name, (a, b, c, numbers) = inputs.torch, f"ptxlab, {form}", arrays

    def call() -> Call:
        return ours.packed(form, (a, b, c), numbers, **options)

    add(made.ours, made.missing, name, call)
    if made.ours.get(name):
        check(torch, name, work, c, wanted)


def _product(made: Contest, work: Work, inputs: Inputs) -> None:
    """One product of equal work."""
    m, n, k = equal_work(work)
    one, other, room = inputs.normal(m, k), inputs.normal(n, k), inputs.room(m, n)
    made.scale[PRODUCT] = 2.0 * m * n * k / work.operations
    add(made.beside, made.missing, PRODUCT, lambda: ours.gemm(one, other, room, "nk"))


def _by_rows(torch: ModuleType, a: Any, b: Any, counts: list[int]) -> Any:
    return torch.cat([x @ y.T for x, y in zip(torch.split(a, counts), b, strict=True)])


def _counts(work: Work) -> list[int]:
    return [m for m, _, _ in work.shapes]


def _numbers(torch: ModuleType, counts: list[int]) -> Any:
    return torch.tensor(counts, device="cuda", dtype=torch.int32)


def _ends(torch: ModuleType, counts: list[int]) -> Any:
    return torch.cumsum(_numbers(torch, counts), 0).to(torch.int32)
