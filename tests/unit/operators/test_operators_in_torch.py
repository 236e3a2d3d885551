"""Operators in PyTorch: eager, compiled, differentiated, exported, batched. Tensors are on the CPU, so kernels are simulated."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.kernels import operators
from scaling import hanging, product_and_sum, scale, scale_into, undeclared

torch: Any = pytest.importorskip("torch", reason="there is no PyTorch: install the extra `torch`")


F64 = torch.float64


@pytest.fixture(autouse=True)
def _compile_anew() -> None:
    """torch compiles one function a few times alone, and all operators that are compiled by themselves are one to it."""
    torch._dynamo.reset()


def _drawn(*shape: int, grad: bool = False) -> Any:
    return torch.rand(*shape, dtype=F64, requires_grad=grad)


def test_tensors_are_simulated_and_keep_their_library() -> None:
    x, y = _drawn(200), _drawn(200)
    assert torch.equal(scale(x, 3.0), x * 3)
    assert torch.equal(scale(x, factor=0.5), x * 0.5)
    both, sums = product_and_sum(x, y)
    assert torch.equal(both, x * y)
    assert torch.equal(sums, x + y)
    before = y._version
    assert scale_into(x, y, 4.0) is None
    assert torch.equal(y, x * 4)
    assert y._version > before  # autograd sees that it was written


def test_opcheck_and_gradcheck() -> None:
    torch.library.opcheck(scale.torch_op, (_drawn(5, grad=True), 3.0))
    torch.library.opcheck(product_and_sum.torch_op, (_drawn(5, grad=True), _drawn(5, grad=True)))
    torch.library.opcheck(scale_into.torch_op, (_drawn(5), _drawn(5), 3.0))
    x, y = _drawn(4, grad=True), _drawn(4, grad=True)
    assert torch.autograd.gradcheck(lambda x: scale(x, 3.0), (x,))
    assert torch.autograd.gradcheck(product_and_sum, (x, y))
    assert torch.autograd.gradgradcheck(product_and_sum, (x, y))


def test_gradients_that_nobody_wants_are_not_computed() -> None:
    x, y = _drawn(4, grad=True), _drawn(4)
    sum(r.sum() for r in product_and_sum(x, y)).backward()
    assert torch.equal(x.grad, y + 1)
    assert y.grad is None


def test_a_compiled_graph_is_whole() -> None:
    testing = importlib.import_module("torch._dynamo.testing")
    counted = testing.CompileCounterWithBackend("aot_eager")

    @torch.compile(fullgraph=True, backend=counted, dynamic=True)
    def compiled(x: Any, y: Any) -> Any:
        both, sums = product_and_sum(scale(x * 1.0, 3.0), y)
        return (both + scale(sums)).sum()

    for n in (3, 130):
        x, y = _drawn(n, grad=True), _drawn(n, grad=True)
        compiled(x, y).backward()
        got, x.grad = x.grad, None
        (3 * x * y + 2 * (3 * x + y)).sum().backward()
        assert torch.allclose(got, x.grad)
    assert counted.frame_count == 1


def test_inductor_writes_into_a_given_tensor() -> None:
    out = torch.zeros(8, dtype=F64)

    @torch.compile(fullgraph=True, backend="aot_eager")
    def compiled(x: Any) -> Any:
        scale_into(x + 1, out, 2.0)
        return out + 1

    x = _drawn(8)
    assert torch.allclose(compiled(x), 2 * (x + 1) + 1)
    assert torch.allclose(out, 2 * (x + 1))


def test_an_operator_that_is_older_than_torch_compiles() -> None:
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from scaling import scale
assert "torch" not in sys.modules
import torch
f = torch.compile(lambda x: scale(x, 2.0) + 1, fullgraph=True, backend="eager")
print(f(torch.ones(3, dtype=torch.float64)).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(Path(__file__).parents[2])], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["[3.0, 3.0, 3.0]"], done.stderr


def test_export_keeps_the_operator() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return scale(x, 2.0) + 1

    shapes = ({0: torch.export.Dim("n")},)
    exported = torch.export.export(Model(), (_drawn(4),), dynamic_shapes=shapes)
    assert "ptxlab_tests.scale.default" in str(exported.graph)
    assert torch.equal(exported.module()(torch.ones(9, dtype=F64)), torch.full((9,), 3.0, dtype=F64))


def test_batches_one_after_the_other() -> None:
    x, y = _drawn(3, 4), _drawn(4)
    both, sums = torch.vmap(product_and_sum, in_dims=(0, None))(x, y)
    assert torch.equal(both, x * y)
    assert torch.equal(sums, x + y)
    assert torch.equal(torch.vmap(scale, in_dims=1, out_dims=1)(x), x * 2)
    per_sample = torch.vmap(torch.func.grad(lambda row: (scale(row, 3.0) ** 2).sum()))(x)
    assert torch.allclose(per_sample, 18 * x)

    over_batches = torch.func.grad(lambda x: (torch.vmap(scale)(x) ** 2).sum())(x)
    assert torch.allclose(over_batches, 8 * x)
    x.requires_grad_()
    torch.vmap(scale)(x).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 2.0))


def test_batches_by_a_rule() -> None:
    x = _drawn(3, 4)
    calls: list[set[str]] = []

    @px.operator("ptxlab_tests::doubled")
    def doubled(x: px.Array) -> px.Array:
        out = px.empty_like(x)
        if not px.launches_left_out():
            out[...] = x * 2
        return out

    @doubled.gradient
    def _(d_out: Any) -> Any:
        return doubled(d_out)

    @doubled.vmap
    def _(batched: set[str], x: Any) -> Any:
        calls.append(batched)
        return doubled(x)

    assert torch.equal(torch.vmap(doubled)(x), x * 2)
    assert calls == [{"x"}]
    assert torch.allclose(torch.vmap(torch.func.grad(lambda row: (doubled(row) ** 2).sum()))(x), 8 * x)


def test_what_goes_wrong_is_our_own_diagnostic() -> None:
    x = _drawn(4)
    for call in (lambda: hanging(x), lambda: torch.compile(hanging, fullgraph=True, backend="aot_eager")(x)):
        with pytest.raises(Diagnostic, match="PTX9100") as found:
            call()
        assert "nobody has ever arrived" in str(found.value)
    with pytest.raises(Diagnostic, match="PTX9004"):
        undeclared(x)
    with pytest.raises(Diagnostic, match=r"PTX2351.*of torch and `y` of numpy"):
        product_and_sum(x, x.numpy())
    with pytest.raises(Diagnostic, match="PTX2351"):
        torch.vmap(lambda a: scale_into(a, torch.zeros(4, dtype=F64), 1.0))(_drawn(2, 4))


def test_gradients_that_are_missing_or_miscounted() -> None:
    x = _drawn(4, grad=True)
    with pytest.raises(Diagnostic, match=r"PTX2353.*has no gradient"):
        lonely(x).sum().backward()

    @px.operator("ptxlab_tests::miscounted")
    def miscounted(x: px.Array, y: px.Array) -> px.Array:
        return px.zeros_like(x)

    @miscounted.gradient
    def _(d_out: Any) -> Any:
        return d_out

    with pytest.raises(Diagnostic, match=r"PTX2353.*1 gradients for 2 arrays"):
        miscounted(x, x).sum().backward()


@px.operator("ptxlab_tests::lonely")
def lonely(x: px.Array) -> px.Array:
    """Has no gradient."""
    return px.zeros_like(x)


def _on(device: str) -> Any:
    @px.operator("ptxlab_tests::elsewhere")
    def elsewhere(x: px.Array) -> px.Array:
        return torch.empty(x.shape, device=device) if device else x.view(-1)

    return elsewhere


def test_results_elsewhere_and_results_that_are_arguments() -> None:
    with pytest.raises(Diagnostic, match=r"PTX2352.*on meta, and its argument `x` on cpu"):
        _on("meta")(torch.ones(3))
    with pytest.raises(Diagnostic, match=r"PTX2352.*memory of its argument"):
        _on("")(torch.ones(3))


def test_a_function_that_wants_addresses_is_told_what_to_do() -> None:
    @px.operator("ptxlab_tests::addressed")
    def addressed(x: px.Array) -> px.Array:
        out = px.empty_like(x)
        px.array_view(x)
        return out

    assert addressed(torch.ones(3)).shape == (3,)
    with pytest.raises(Exception, match=r"px\.launches_left_out"):
        torch.compile(addressed, fullgraph=True, backend="aot_eager")(torch.ones(3))


def test_an_operator_may_be_defined_anew() -> None:
    for factor in (2, 3):

        @px.operator("ptxlab_tests::again")
        def again(x: px.Array) -> px.Array:
            return torch.full_like(x, factor)  # noqa: B023

        assert again(torch.zeros(2)).tolist() == [factor] * 2


@pytest.mark.parametrize("transposed", [(a, b) for a in (False, True) for b in (False, True)])
def test_gradients_of_matmul(transposed: tuple[bool, bool]) -> None:
    from ptxlab.kernels.operators import matmul

    def whole(*shape: int) -> Any:
        return torch.randint(-3, 4, shape).to(torch.bfloat16).requires_grad_()

    a = whole(*((16, 8) if transposed[0] else (8, 16)))
    b = whole(*((24, 16) if transposed[1] else (16, 24)))
    d_c = torch.randint(-3, 4, (8, 24)).to(torch.bfloat16)
    matmul(a, b, transpose_a=transposed[0], transpose_b=transposed[1], dtype="float32").backward(d_c.float())
    got = a.grad, b.grad
    a.grad = b.grad = None
    ((a.T if transposed[0] else a).float() @ (b.T if transposed[1] else b).float()).backward(d_c.float())
    assert torch.equal(got[0], a.grad)
    assert torch.equal(got[1], b.grad)


@pytest.mark.parametrize("transposed", [False, True])
def test_gradients_of_grouped_products(transposed: bool) -> None:
    from ptxlab.kernels.operators import grouped_matmul

    x = torch.randint(-3, 4, (12, 16)).to(torch.bfloat16).requires_grad_()
    w = torch.randint(-3, 4, (3, 8, 16) if transposed else (3, 16, 8)).to(torch.bfloat16).requires_grad_()
    offsets, d_out = torch.tensor([0, 5, 5, 12]), torch.randint(-3, 4, (12, 8)).to(torch.bfloat16)
    run = torch.compile(grouped_matmul, fullgraph=True, backend="aot_eager")
    for call in (grouped_matmul, run):
        x.grad = w.grad = None
        out = call(x, w, offsets, transpose_w=transposed, dtype="float32")
        out.backward(d_out.float())
        got = x.grad, w.grad
        x.grad = w.grad = None
        matrices = w.transpose(1, 2) if transposed else w
        wanted = torch.cat([x[:5].float() @ matrices[0].float(), x[5:].float() @ matrices[2].float()])
        wanted.backward(d_out.float())
        assert torch.equal(out, wanted)
        assert torch.equal(got[0], x.grad)
        assert torch.equal(got[1], w.grad)
    with pytest.raises(Diagnostic, match="PTX2308"):
        grouped_matmul(x, w[0], offsets)


@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
@pytest.mark.parametrize("softcap", [None, 3.0])
def test_gradients_of_attention(softcap: float | None, layout: str) -> None:
    """Those of the results and of the logarithms, in f64 by torch."""
    from ptxlab.kernels.operators import attention

    given = [torch.randn(1, heads, rows, 64).bfloat16() for heads, rows in ((4, 40), (2, 70), (2, 70))]
    d_o, d_lse = torch.randn(1, 4, 40, 64), torch.randn(1, 4, 40)
    turn = (lambda x: x.transpose(1, 2).contiguous()) if layout == "bshd" else (lambda x: x)

    def loss(o: Any, lse: Any) -> Any:
        return (o * d_o).sum() + (lse * d_lse).sum()

    exact = [x.double().requires_grad_() for x in given]
    q, k, v = (x.repeat_interleave(4 // x.shape[1], 1) for x in exact)
    scores = q @ k.transpose(2, 3) / 8
    scores = scores if softcap is None else softcap * torch.tanh(scores / softcap)
    seen = torch.ones(40, 70, dtype=torch.bool).tril(30).triu(10)
    scores = scores.masked_fill(~seen, -math.inf)
    loss(scores.softmax(-1) @ v, scores.logsumexp(-1)).backward()

    compiled = torch.compile(attention, fullgraph=True, backend="aot_eager")
    for call in (attention, compiled):
        ours = [turn(x).clone().requires_grad_() for x in given]
        o, lse = call(*ours, causal=True, left=20, softcap=softcap, layout=layout)
        loss(turn(o).float(), lse).backward()
        for x, wanted in zip(ours, exact, strict=True):
            assert (turn(x.grad).double() - wanted.grad).abs().max() < 0.02 * wanted.grad.abs().max()
    with pytest.raises(Diagnostic, match="PTX2308"):
        attention(given[0][0], given[1], given[2])


def test_a_perceptron_trains_as_with_torch_itself() -> None:
    from ptxlab.kernels.operators import matmul

    torch.manual_seed(0)
    x, target = torch.randn(32, 16), torch.randn(32, 8)
    start = torch.randn(32, 16) / 4, torch.randn(8, 32) / 6

    def losses(product: Any) -> list[float]:
        first, second = (w.clone().requires_grad_() for w in start)
        best = torch.optim.SGD((first, second), lr=0.2)

        @torch.compile(fullgraph=True, backend="aot_eager")
        def loss(x: Any) -> Any:
            return ((product(torch.tanh(product(x, first)), second) - target) ** 2).mean()

        out: list[float] = []
        for _ in range(8):
            best.zero_grad()
            now = loss(x)
            now.backward()
            best.step()
            out.append(now.item())
        return out

    ours = losses(lambda x, w: matmul(x, w, transpose_b=True))
    theirs = losses(lambda x, w: x @ w.T)
    assert ours[-1] < 0.9 * ours[0]
    assert ours == pytest.approx(theirs, rel=2e-3)  # operands are rounded to tf32


NORMS = {
    "rms_norm": (2, lambda x, w: torch.nn.functional.rms_norm(x, (40,), w, 1e-6)),
    "layer_norm": (3, lambda x, w, b: torch.nn.functional.layer_norm(x, (40,), w, b, 1e-5)),
}


@pytest.mark.parametrize("name", NORMS)
def test_gradients_of_norms(name: str) -> None:
    """Those of all arguments, beside torch's in f64; with more axes than two."""
    ours, (count, theirs) = getattr(operators, name), NORMS[name]
    given, d_y = (torch.randn(3, 5, 40), torch.randn(40), torch.randn(40))[:count], torch.randn(3, 5, 40)
    exact = [x.double().requires_grad_() for x in given]
    wanted = theirs(*exact)
    (wanted * d_y).sum().backward()
    for call in (ours, torch.compile(ours, fullgraph=True, backend="aot_eager")):
        args = [x.clone().requires_grad_() for x in given]
        found = call(*args)
        (found * d_y).sum().backward()
        assert (found - wanted).abs().max() < 1e-5
        assert all((x.grad - y.grad).abs().max() < 1e-5 for x, y in zip(args, exact, strict=True))
    with pytest.raises(Diagnostic, match="PTX2309"):
        ours(given[0].transpose(0, 1), *given[1:])


def test_the_gradient_of_cross_entropy() -> None:
    given, targets = torch.randn(6, 100), torch.tensor([1, 2, -100, 4, 5, 99])
    exact = given.double().requires_grad_()
    torch.nn.functional.cross_entropy(exact, targets).backward()
    for call in (operators.cross_entropy, torch.compile(operators.cross_entropy, fullgraph=True, backend="aot_eager")):
        x = given.clone().requires_grad_()
        (call(x, targets).sum() / 5).backward()
        assert (x.grad - exact.grad).abs().max() < 1e-6


def test_a_transformer_trains_as_with_torch_itself() -> None:
    from transformer import OURS, TORCHS, Size, trained

    ours, theirs = (trained(Size(), ops, 11) for ops in (OURS, TORCHS))
    assert min(ours) < 0.5 * ours[0]
    assert ours == pytest.approx(theirs, rel=0.02)  # in bf16, roundings differ
