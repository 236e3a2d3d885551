"""Operators on CUDA tensors: launches that are made again, CUDA graphs, torch.compile; and kernels that are tuned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import timing
from ptxlab.timing import tune as tuning
from scaling import product_and_sum, scale, scale_into

pytestmark = pytest.mark.gpu


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs torch")


def _drawn(torch: Any, n: int, **options: Any) -> Any:
    return torch.rand(n, dtype=torch.float64, device="cuda", **options)


def _plans(operator: Any) -> dict[Any, Any]:
    return operator._in_torch._plans


def test_later_calls_repeat_the_launches_on_other_memory(torch: Any) -> None:
    scale(_drawn(torch, 512), 3.0)
    runs: list[int] = []
    function, scale._declared.function = scale._declared.function, lambda **given: runs.append(1)
    try:
        kept = [_drawn(torch, 512) for _ in range(20)]  # the allocator gives memory side by side, and elsewhere
        results = [scale(x, 3.0) for x in kept]
        assert all(torch.equal(r, x * 3) for r, x in zip(results, kept, strict=True))
    finally:
        scale._declared.function = function
    assert not runs
    assert len({r.data_ptr() for r in results}) == 20


def test_what_may_change_makes_a_call_of_another_kind(torch: Any) -> None:
    x = _drawn(torch, 600)
    for factor in (2.0, 3.0, -0.0, 0.0):
        assert torch.equal(scale(x, factor), x * factor)
        assert torch.equal(torch.signbit(scale(x, factor)), torch.signbit(x * factor))
    for one in (x[1:], x[:300], x.view(2, 300), x[8:]):
        assert torch.equal(scale(one), one * 2)
        assert torch.equal(scale(one, factor=4.0), one * 4)
    both, sums = product_and_sum(x, x)  # the same memory twice
    assert torch.equal(both, x * x)
    y = _drawn(torch, 600)
    for _ in range(3):
        both, sums = product_and_sum(x, y)
        assert torch.equal(both, x * y)
        assert torch.equal(sums, x + y)
        both, sums = product_and_sum(y, y)
        assert torch.equal(sums, y + y)
    before = y._version
    for _ in range(3):
        scale_into(x, y, 5.0)
        assert torch.equal(y, x * 5)
    assert y._version == before + 3


def test_what_cannot_be_repeated_runs_each_time(torch: Any) -> None:
    runs: list[int] = []

    @px.operator("ptxlab_tests::through_torch")
    def through(x: px.Array) -> px.Array:
        runs.append(1)
        out = px.zeros_like(x)
        scale_into(x + 1, out, 2.0)
        return out

    for _ in range(3):
        x = _drawn(torch, 100)
        assert torch.equal(through(x), (x + 1) * 2)
    assert len(runs) == 3
    assert list(_plans(through).values()) == [None]


def test_views_of_new_memory_and_zeros_are_made_again(torch: Any) -> None:
    @px.operator("ptxlab_tests::turned")
    def turned(x: px.Array) -> tuple[px.Array, px.Array]:
        whole, zeros = px.empty_like(x, shape=(2, x.shape[0] // 2)), px.zeros_like(x, dtype="float32")
        scale_into(x, whole, 2.0)
        return whole.t(), zeros

    for _ in range(3):
        x = _drawn(torch, 100)
        first, zeros = turned(x)
        assert torch.equal(first, (x * 2).view(2, 50).t())
        assert zeros.dtype == torch.float32
        assert not zeros.any()
        zeros.fill_(7)
    assert None not in _plans(turned).values()


def test_gradients_streams_and_graphs(torch: Any) -> None:
    x = _drawn(torch, 256, requires_grad=True)
    for _ in range(3):
        x.grad = None
        scale(scale(x, 3.0)).sum().backward()
        assert torch.equal(x.grad, torch.full_like(x, 6.0))
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        big = _drawn(torch, 1 << 22)
        got = scale(big * 2, 3.0)
        assert torch.equal(got, big * 2 * 3)
    given, graph = _drawn(torch, 256), torch.cuda.CUDAGraph()
    scale(given, 5.0)
    with torch.cuda.graph(graph):
        out = scale(given, 5.0)
    given.fill_(2)
    graph.replay()
    assert (out == 10).all()


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled(torch: Any, mode: str) -> None:
    compiled = torch.compile(lambda x: scale(x * 1.0, 2.0) + 1, fullgraph=True, mode=mode)
    for _ in range(4):
        x = _drawn(torch, 300, requires_grad=True)
        out = compiled(x)
        assert torch.allclose(out, x * 2 + 1)
        out.sum().backward()
        assert torch.equal(x.grad, torch.full_like(x, 2.0))


def test_matmul(torch: Any) -> None:
    from ptxlab.kernels.operators import matmul

    def whole(*shape: int) -> Any:
        return torch.randint(-3, 4, shape, device="cuda").to(torch.bfloat16)

    for _ in range(4):
        a, b = whole(256, 128), whole(192, 128)
        assert torch.equal(matmul(a, b, transpose_b=True, dtype="float32"), a.float() @ b.float().T)
        c = whole(256, 64)
        assert torch.equal(matmul(a, c, transpose_a=True, dtype="float32"), a.float().T @ c.float())
    assert None not in _plans(matmul).values()
    a.requires_grad_()
    matmul(a, b, transpose_b=True).backward(d_c := whole(256, 192))
    assert torch.equal(a.grad, (d_c.float() @ b.float()).bfloat16())


@px.kernel(threads=256)
def twice_kernel(k: px.Builder, x: px.Ptr[px.f32], out: px.Ptr[px.f32], *, per_thread: int, broken: bool) -> None:
    for j in range(per_thread):
        i = (k.ctaid.x * per_thread + j) * 256 + k.tid.x
        k.st.global_.f32(out[i], k.mul.f32(k.ld.global_.f32(x[i]), 2.0))
    if broken:
        k.smem(px.u8, 1 << 20)  # more than there is


def test_a_kernel_is_tuned_once(torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXLAB_CACHE_DIR", str(tmp_path))
    made = px.tune(per_thread=[1, 4, 16], broken=[False, True], check=True)
    twice, again = made(twice_kernel), made(twice_kernel)
    x = torch.arange(1 << 20, dtype=torch.float32, device="cuda")
    out = torch.full_like(x, 3)
    grid = lambda c: x.numel() // (256 * c.per_thread)  # noqa: E731
    twice[grid](x, out)
    assert torch.equal(out, x * 2)
    assert torch.equal(x, torch.arange(1 << 20, dtype=torch.float32, device="cuda"))
    chosen = twice.chosen(x, out)
    assert not chosen["broken"]

    def measured(*_: Any) -> Any:
        pytest.fail("measured again")

    monkeypatch.setattr(tuning.TunedKernel, "_measured", measured)
    assert again.chosen(x, out) == chosen  # from the disk
    out.zero_()
    again.prepare(grid=grid, args=[x, out])()
    assert torch.equal(out, x * 2)
    graph, y, z = torch.cuda.CUDAGraph(), x[:4096].clone(), torch.zeros(4096, device="cuda")

    def capture() -> None:
        with torch.cuda.graph(graph):
            twice[lambda c: 4096 // (256 * c.per_thread)](y, z)

    with pytest.warns(px.PtxWarning, match="PTX2515"):
        capture()


def test_the_best_predicted_alone_are_measured(torch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXLAB_CACHE_DIR", str(tmp_path))
    x = torch.arange(1 << 20, dtype=torch.float32, device="cuda")
    out = torch.full_like(x, 3)
    grid = lambda c: x.numel() // (256 * c.per_thread)  # noqa: E731
    timed: list[str] = []
    medians = timing.medians

    def told(device: Any, calls: Any, rounds: int) -> dict[str, float]:
        timed.extend(calls)
        return medians(device, calls, rounds)

    monkeypatch.setattr(timing, "medians", told)
    tuned = px.tune(per_thread=[1, 2, 4, 8, 16], broken=[False, True], predict=2)(twice_kernel)
    tuned[grid](x, out)
    assert torch.equal(out, x * 2)
    assert len(timed) == 2
    host, into = x.cpu().numpy(), px.empty(1 << 20, "f32")
    wanted = px.rank(tuned, grid=grid, args=[host, into]).candidates[:2]
    assert timed == [one.words for one in wanted]


def test_jax_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax", reason="needs JAX")

    @px.operator("ptxlab_tests::scale_f32")
    def scaled(x: px.Array, factor: float = 2.0) -> px.Array:
        out, between = px.zeros_like(x), px.empty_like(x, shape=(2, *x.shape))
        n = x.shape[0]
        twice_kernel.specialize(per_thread=1, broken=False)[n // 256](x, between)
        twice_kernel.specialize(per_thread=1, broken=False)[n // 256](between, out)
        return out

    @scaled.gradient
    def _(d_out: Any) -> Any:
        return scaled(d_out)

    x = jax.numpy.arange(512, dtype="float32")
    assert np.array_equal(scaled(x), x * 4)
    assert np.array_equal(jax.jit(lambda x: scaled(x + 1) - 1)(x), (x + 1) * 4 - 1)
    assert np.array_equal(jax.jit(jax.grad(lambda x: scaled(x).sum()))(x), np.full(512, 4))
    assert np.array_equal(jax.vmap(scaled)(x.reshape(2, 256)), x.reshape(2, 256) * 4)
