"""Operators in JAX, on the CPU: jit, grad, vmap, shard_map. Kernels are simulated."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from scaling import hanging, product_and_sum, scale, scale_into, undeclared

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
jax: Any = pytest.importorskip("jax", reason="there is no JAX: install the extra `jax`")


@pytest.fixture(autouse=True)
def _f64() -> Any:
    with jax.enable_x64(True):
        yield


def _drawn(*shape: int) -> Any:
    return jax.numpy.asarray(np.random.default_rng(0).random(shape))


def _close(got: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(wanted))


def test_eager_and_within_jit() -> None:
    x, y = _drawn(200), _drawn(200) + 1
    for call in (lambda f: f, jax.jit):
        _close(call(scale)(x), x * 2)
        both, sums = call(product_and_sum)(x, y)
        _close(both, x * y)
        _close(sums, x + y)
    _close(jax.jit(scale, static_argnames="factor")(x, factor=5.0), x * 5)
    assert isinstance(scale(x), jax.Array)
    assert str(jax.make_jaxpr(scale)(x)).count("buffer_callback") == 1


def test_temporaries_belong_to_the_call() -> None:
    @px.operator("ptxlab_tests::twice_scaled")
    def twice(x: px.Array) -> px.Array:
        out, between = px.empty_like(x), px.zeros_like(x)
        scale_into(x, between, 3.0)
        scale_into(between, out, 2.0)
        return out

    _close(jax.jit(twice)(_drawn(5)), _drawn(5) * 6)


def test_gradients() -> None:
    x, y = _drawn(5), _drawn(5) + 1
    _close(jax.grad(lambda x: (scale(x, 3.0) ** 2).sum())(x), 18 * x)

    def loss(x: Any, y: Any) -> Any:
        both, sums = product_and_sum(scale(x, 3.0), y)
        return (both**2 + sums).sum()

    d_x, d_y = jax.jit(jax.grad(loss, argnums=(0, 1)))(x, y)
    _close(d_x, 18 * x * y**2 + 3)
    _close(d_y, 18 * x**2 * y + 1)
    _close(jax.grad(lambda x: jax.grad(lambda x: product_and_sum(x, x)[0].sum())(x).sum())(x), np.full(5, 2.0))


def test_batches() -> None:
    x, y = _drawn(3, 4), _drawn(4)
    both, sums = jax.vmap(product_and_sum, in_axes=(0, None))(x, y)
    _close(both, x * y)
    _close(sums, x + y)
    _close(jax.jit(jax.vmap(jax.grad(lambda row: (scale(row, 3.0) ** 2).sum())))(x), 18 * x)

    calls: list[set[str]] = []

    @px.operator("ptxlab_tests::scaled_in_batches")
    def scaled(x: px.Array, factor: float = 2.0) -> px.Array:
        out = px.empty_like(x)
        scale_into(x, out, factor)
        return out

    @scaled.vmap
    def _(batched: set[str], x: Any, factor: float) -> Any:
        calls.append(batched)
        return scaled(x, factor)

    _close(jax.vmap(scaled, in_axes=1, out_axes=1)(x), x * 2)
    assert calls == [{"x"}]


def test_shards() -> None:
    from jax.sharding import Mesh, PartitionSpec

    if len(jax.devices()) < 2:
        pytest.fail("XLA_FLAGS were set after JAX was imported")
    mesh = Mesh(np.array(jax.devices()[:2]), ("i",))
    spec = PartitionSpec("i")
    sharded = jax.shard_map(lambda x: scale(x, 3.0), mesh=mesh, in_specs=spec, out_specs=spec)
    x = _drawn(8)
    _close(jax.jit(sharded)(x), x * 3)
    _close(jax.jit(jax.grad(lambda x: (sharded(x) ** 2).sum()))(x), 18 * x)


def test_what_is_written_is_returned() -> None:
    x, out = _drawn(4), _drawn(4)
    for call in (lambda f: f, jax.jit):
        _close(call(lambda x, out: scale_into(x, out, 4.0))(x, out), x * 4)
    _close(out, _drawn(4))


def test_what_goes_wrong_says_so() -> None:
    x = _drawn(4)
    with pytest.raises(Diagnostic, match="PTX9100"):
        hanging(x)
    with pytest.raises(Exception, match=r"error\[PTX9100\](.|\n)*nobody has ever arrived"):
        jax.block_until_ready(jax.jit(hanging)(x))
    with pytest.raises(Diagnostic, match="PTX9004"):
        undeclared(x)
    with pytest.raises(Diagnostic, match=r"PTX2351.*traced value as `factor`") as found:
        jax.jit(scale)(x, 2.0)
    assert "static_argnames='factor'" in str(found.value.help)
    with pytest.raises(Diagnostic, match=r"PTX2353.*has no gradient"):
        jax.grad(lambda x: lonely(x).sum())(x)

    @px.operator("ptxlab_tests::not_made")
    def not_made(x: px.Array) -> px.Array:
        return np.zeros(x.shape)

    with pytest.raises(Diagnostic, match=r"PTX2352.*none of the arrays"):
        not_made(x)
    with pytest.raises(Diagnostic, match="PTX2306"):
        px.empty_like(x)


@px.operator("ptxlab_tests::lonely_in_jax")
def lonely(x: px.Array) -> px.Array:
    """Has no gradient."""
    return px.zeros_like(x)


def test_an_array_of_integers_has_no_gradient() -> None:
    from ptxlab.kernels.operators import grouped_matmul

    x, w = jax.numpy.ones((12, 16), "bfloat16"), jax.numpy.ones((3, 16, 8), "bfloat16")
    offsets = jax.numpy.asarray([0, 5, 5, 12], "int32")
    loss = jax.jit(jax.grad(lambda x, w: grouped_matmul(x, w, offsets, dtype="float32").sum(), (0, 1)))
    d_x, d_w = loss(x, w)
    _close(d_x.astype("float32"), np.full((12, 16), 8.0))
    _close(d_w.astype("float32")[:, 0, 0], [5, 0, 7])


def test_gradients_of_attention() -> None:
    from ptxlab.kernels.operators import attention

    draw = np.random.default_rng(0)
    shapes = ((1, 2, 40, 64), (1, 1, 70, 64), (1, 1, 70, 64))
    q, k, v = (jax.numpy.asarray(draw.standard_normal(shape), jax.numpy.bfloat16) for shape in shapes)

    def ours(q: Any, k: Any, v: Any) -> Any:
        o, lse = attention(q, k, v, causal=True)
        return (o.astype("float32") ** 2).sum() + lse.sum()

    def theirs(q: Any, k: Any, v: Any) -> Any:
        q, k, v = (x.astype("float32") for x in (q, k, v))
        scores = jax.numpy.where(np.tri(40, 70, 30) > 0, q @ k.transpose(0, 1, 3, 2) / 8, -np.inf)
        o = jax.nn.softmax(scores) @ v
        return (o**2).sum() + jax.nn.logsumexp(scores, axis=-1).sum()

    for got, wanted in zip(
        jax.jit(jax.grad(ours, (0, 1, 2)))(q, k, v), jax.grad(theirs, (0, 1, 2))(q, k, v), strict=True
    ):
        one, other = got.astype("float32"), wanted.astype("float32")
        assert abs(one - other).max() < 0.03 * abs(other).max()


def test_gradients_of_a_norm_and_a_loss() -> None:
    from ptxlab.kernels.operators import cross_entropy, rms_norm

    draw = np.random.default_rng(0)
    x, weight = (jax.numpy.asarray(draw.standard_normal(shape), jax.numpy.float32) for shape in ((6, 40), (40,)))
    targets = jax.numpy.asarray([1, 2, 39, 4, 5, 0])

    def ours(x: Any, weight: Any) -> Any:
        return cross_entropy(rms_norm(x, weight), targets).mean()

    def theirs(x: Any, weight: Any) -> Any:
        y = x * jax.lax.rsqrt((x**2).mean(1, keepdims=True) + 1e-6) * weight
        return (jax.nn.logsumexp(y, axis=1) - y[jax.numpy.arange(6), targets]).mean()

    for got, wanted in zip(
        jax.jit(jax.grad(ours, (0, 1)))(x, weight), jax.grad(theirs, (0, 1))(x, weight), strict=True
    ):
        assert abs(got - wanted).max() < 1e-5


def test_matmul_and_its_gradients() -> None:
    from ptxlab.kernels.operators import matmul

    draw = np.random.default_rng(0)
    a, b = (jax.numpy.asarray(draw.integers(-3, 4, shape), jax.numpy.bfloat16) for shape in ((8, 16), (24, 16)))

    def ours(a: Any, b: Any) -> Any:
        return (matmul(a, b, transpose_b=True, dtype="float32") ** 2).sum() / 64

    def theirs(a: Any, b: Any) -> Any:
        return ((a.astype("float32") @ b.astype("float32").T) ** 2).sum() / 64

    for got, wanted in zip(jax.jit(jax.grad(ours, (0, 1)))(a, b), jax.grad(theirs, (0, 1))(a, b), strict=True):
        np.testing.assert_allclose(got.astype("float32"), wanted.astype("float32"), rtol=2e-2, atol=0.5)
