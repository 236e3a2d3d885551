"""Lines of a transformer block, forward and backward: the library's operators beside torch's own, both under torch.compile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from ptxlab.bench.kernels.contest import Contest, Inputs, add, check
from ptxlab.bench.kernels.timing import Call
from ptxlab.bench.kernels.works import Reach, Work

NAME: Final = "ptxlab, operators in torch.compile"
PEER: Final = "torch.compile"
GRADIENTS: Final = 0.02
"""Relative error in the Frobenius norm that gradients may have beside torch's own in bf16: each is rounded a dozen times."""


@dataclass(frozen=True, slots=True)
class Block:
    """Extents of a block: tokens × width, causal attention in heads of 128 elements, and a layer of four times the width."""

    tokens: int
    width: int
    depth: int = 128

    @property
    def name(self) -> str:
        """In the table."""
        return f"{self.tokens} tokens, width {self.width}"

    @property
    def operations(self) -> float:
        """Of all products, forward and backward: a block has weights of 12 × width², and two products of scores."""
        return 3 * (24.0 * self.tokens * self.width**2 + 2.0 * self.tokens**2 * self.width)


BLOCKS: Final = (Block(4096, 4096),)


def works(*, quick: bool = False) -> list[Work]:
    """The lines; a shape is tokens, width and elements of a head."""
    return [] if quick else [line(b) for b in BLOCKS]


def line(block: Block) -> Work:
    """A line in bf16."""
    shape = (block.tokens, block.width, block.depth)
    weights = 2.0 * 12 * block.width**2
    return Work(
        "block",
        block.name,
        (shape,),
        Reach(1.05),
        what=block.name,
        counted=block.operations,
        moved=3 * weights,
    )


def contenders(
    made: Contest, work: Work, inputs: Inputs, names: Sequence[str], known: Sequence[Block] = BLOCKS
) -> None:
    """One set of inputs for both; a call is the block and the gradients of its input and of all weights."""
    torch = inputs.torch
    block = next(b for b in known if b.name == work.what)
    n = block.width
    x, d_y = (inputs.normal(1, block.tokens, n) for _ in range(2))
    shapes = {"qkv": (3 * n, n), "mixed": (n, n), "up": (4 * n, n), "down": (n, 4 * n)}
    given = [x, *(inputs.normal(*shape) * shape[1] ** -0.5 for shape in shapes.values())]
    given += [inputs.normal(n).abs() + 0.5 for _ in range(2)]
    leaves = [w.detach().requires_grad_() for w in given]
    backend = "inductor" if x.is_cuda else "aot_eager"

    def call(ops: SimpleNamespace) -> Call:
        def forward(*w: Any) -> Any:
            return _block(torch, ops, block, *w)

        compiled = torch.compile(forward, fullgraph=True, backend=backend)
        return lambda: torch.autograd.grad(compiled(*leaves), leaves, d_y)

    add(made.ours, made.missing, NAME, lambda: call(_ours()))
    if made.ours.get(NAME):
        exact = torch.autograd.grad(_block(torch, _torchs(torch), block, *leaves), leaves, d_y)
        for one, wanted in zip(made.ours[NAME][-1](), exact, strict=True):
            check(torch, NAME, work, one, wanted, tolerance=GRADIENTS)
    if "compile" in names:
        add(made.peers, made.missing, PEER, lambda: call(_torchs(torch)))


def _block(torch: ModuleType, ops: SimpleNamespace, block: Block, x: Any, *weights: Any) -> Any:
    qkv, mixed, up, down, first, second = weights
    q, k, v = ops.product(ops.norm(x, first), qkv).unflatten(-1, (3, -1, block.depth)).unbind(2)
    x = x + ops.product(ops.attention(q, k, v).flatten(2), mixed)
    return x + ops.product(torch.nn.functional.gelu(ops.product(ops.norm(x, second), up), approximate="tanh"), down)


def _ours() -> SimpleNamespace:
    from ptxlab.kernels import operators

    def product(x: Any, w: Any) -> Any:
        return operators.matmul(x.flatten(0, 1), w, transpose_b=True).unflatten(0, x.shape[:2])

    def attention(q: Any, k: Any, v: Any) -> Any:
        return operators.attention(q, k, v, causal=True, layout="bshd")[0]

    return SimpleNamespace(product=product, norm=operators.rms_norm, attention=attention)


def _torchs(torch: ModuleType) -> SimpleNamespace:
    functional = torch.nn.functional

    def attention(q: Any, k: Any, v: Any) -> Any:
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)

    def norm(x: Any, w: Any) -> Any:
        return functional.rms_norm(x, (x.shape[-1],), w, 1e-6)

    return SimpleNamespace(product=functional.linear, norm=norm, attention=attention)
