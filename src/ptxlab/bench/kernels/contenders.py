"""The contenders of each kind of line, on inputs that both sides get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from ptxlab.bench.kernels import attention, attention_backward, block, decode, decode_latent, ours, packed, peers, rows
from ptxlab.bench.kernels.contest import Contest, Inputs, NotThere, add, check, equal_work, sets_of
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import PLAIN, PRODUCT, TENSOR, Work

KN, NK = "ptxlab, B K×N", "ptxlab, B N×K"


def contest(torch: ModuleType, work: Work, names: Sequence[str]) -> Contest:
    """All contenders of a line. Raises: Diagnostic PTX2420 where a result of ours is wrong."""
    made, inputs = Contest(), Inputs.seeded(torch)
    for _ in range(sets_of(work)):
        _SETS[work.kind](made, work, inputs, names)
    return made


def _gemm(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    torch, ((m, n, k),) = inputs.torch, work.shapes
    kind = work.dtype
    a, b, c = inputs.normal(m, k, dtype=kind), inputs.normal(k, n, dtype=kind), inputs.room(m, n, dtype=kind)
    bt = b.T.contiguous()

    def wanted() -> Any:
        return a.float() @ b.float()  # cuBLAS may add up the parts of a long K in 16 bits

    if work.layout != "nk":
        add(made.ours, made.missing, KN, lambda: ours.gemm(a, b, c, "kn"))
        _hold(made, KN, work, torch, c, wanted)
    if work.layout != "kn":
        add(made.ours, made.missing, NK, lambda: ours.gemm(a, bt, c, "nk"))
        _hold(made, NK, work, torch, c, wanted)
    _add_peers(made, peers.products(torch, names, a, b, bt, c, layout=work.layout))


def _hold(made: Contest, name: str, work: Work, torch: ModuleType, c: Any, wanted: Callable[[], Any]) -> None:
    """Hold the result that a contender of ours has just written to another one's; wipe it."""
    if made.ours.get(name):
        check(torch, name, work, c, wanted())
        c.fill_(float("nan"))


def _add_peers(made: Contest, found: dict[str, Callable[[], Call]]) -> None:
    for name, maker in found.items():
        add(made.peers, made.missing, name, maker)


def _fp8(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    torch, ((m, n, k),) = inputs.torch, work.shapes
    a, bt, c = inputs.normal(m, k, dtype=peers.FP8), inputs.normal(n, k, dtype=peers.FP8), inputs.room(m, n)
    one = torch.ones((), device="cuda")

    def call() -> Call:
        try:
            return ours.scaled(a, bt, c, (one, one))
        except NotThere:  # scales of one change nothing
            return ours.gemm(a, bt, c, "nk")

    add(made.ours, made.missing, "ptxlab, fp8", call)
    _hold(made, "ptxlab, fp8", work, torch, c, lambda: a.float() @ bt.float().T)
    _add_peers(made, peers.fp8(torch, names, a, bt))


def _fp8_rows(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    torch, ((m, n, k),) = inputs.torch, work.shapes
    a, bt, c = inputs.normal(m, k, dtype=peers.FP8), inputs.normal(n, k, dtype=peers.FP8), inputs.room(m, n)
    of_a, of_b = (inputs.normal(x, dtype="float32").abs() + 0.5 for x in (m, n))
    name = "ptxlab, fp8 with rows"
    add(made.ours, made.missing, name, lambda: ours.scaled(a, bt, c, (of_a, of_b)))
    _hold(made, name, work, torch, c, lambda: (a.float() * of_a[:, None]) @ (bt.float() * of_b[:, None]).T)
    _add_peers(made, peers.fp8_rows(torch, names, a, bt, (of_a, of_b)))


def _fp8_blocks(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    torch, ((m, n, k),), block = inputs.torch, work.shapes, peers.BLOCK
    a, bt, c = inputs.normal(m, k, dtype=peers.FP8), inputs.normal(n, k, dtype=peers.FP8), inputs.room(m, n)
    of_a = (inputs.normal(k // block, m, dtype="float32").abs() + 0.5).t()  # neighbours along M, as cuBLAS wants them
    of_b = inputs.normal(n // block, k // block, dtype="float32").abs() + 0.5

    def wanted() -> Any:
        left = a.float() * of_a.repeat_interleave(block, 1)
        return left @ (bt.float() * of_b.repeat_interleave(block, 0).repeat_interleave(block, 1)).T

    name = "ptxlab, fp8 with blocks"
    add(made.ours, made.missing, name, lambda: ours.scaled(a, bt, c, (of_a, of_b)))
    _hold(made, name, work, torch, c, wanted)
    add(made.beside, made.missing, TENSOR, lambda: ours.gemm(a, bt, c, "nk"))
    _add_peers(made, peers.fp8_blocks(torch, names, a, bt, (of_a, of_b)))


def _grouped(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    torch, counts = inputs.torch, [m for m, _, _ in work.shapes]
    kind = "bfloat16" if work.size == 2 else peers.FP8
    _, n, k = work.shapes[0]
    rows, matrices = inputs.normal(sum(counts), k, dtype=kind), inputs.normal(len(counts), n, k, dtype=kind)
    a, b = list(torch.split(rows, counts)), [x.T for x in matrices]
    c = [inputs.room(m, n) for m in counts]
    name = "ptxlab, grouped"
    add(made.ours, made.missing, name, lambda: ours.grouped(list(zip(a, b, c, strict=True))))
    if made.ours.get(name):
        check(torch, name, work, torch.cat(c), torch.cat([(x.float() @ y.float()) for x, y in zip(a, b, strict=True)]))
    m, n, k = equal_work(work)
    one, other, room = inputs.normal(m, k, dtype=kind), inputs.normal(n, k, dtype=kind), inputs.room(m, n)
    add(made.beside, made.missing, PRODUCT, lambda: ours.gemm(one, other, room, "nk"))
    made.scale[PRODUCT] = 2.0 * m * n * k / work.operations
    stacked = (rows, matrices.transpose(1, 2)) if work.size == 2 else None
    _add_peers(made, peers.grouped(torch, names, a, b, stacked))


def _fused(made: Contest, work: Work, inputs: Inputs, names: Sequence[str]) -> None:
    torch, ((m, n, k),) = inputs.torch, work.shapes
    width = n // 2 if work.epilogue == "SwiGLU" else n
    a, b, plain, c = inputs.normal(m, k), inputs.normal(k, n), inputs.room(m, n), inputs.room(m, width)
    more = {"bias + GELU": (inputs.normal(n),), "SwiGLU": (), "residual": (inputs.normal(m, n),)}[work.epilogue]
    name = f"ptxlab, {work.epilogue}"
    add(made.ours, made.missing, name, lambda: ours.fused((a, b, c), work.epilogue, more))
    _hold(made, name, work, torch, c, lambda: peers.exactly(torch, work.epilogue, a.float(), b.float(), *more))
    add(made.beside, made.missing, PLAIN, lambda: ours.gemm(a, b, plain, "kn"))
    _add_peers(made, peers.fused(torch, names, work.epilogue, (a, b, *more)))


_SETS: dict[str, Callable[[Contest, Work, Inputs, Sequence[str]], None]] = {
    "gemm": _gemm,
    "fp8": _fp8,
    "fp8-rows": _fp8_rows,
    "fp8-blocks": _fp8_blocks,
    "grouped": _grouped,
    "grouped-fp8": _grouped,
    "grouped-rows": packed.rows,
    "grouped-masked": packed.masked,
    "grouped-depth": packed.depth,
    "grouped-blocks": packed.blocks,
    "fused": _fused,
    "attention": attention.contenders,
    "attention-backward": attention_backward.contenders,
    "decode": decode.contenders,
    "decode-fp8": decode.contenders,
    "decode-mla": decode_latent.contenders,
    "rows": rows.contenders,
    "block": block.contenders,
}
