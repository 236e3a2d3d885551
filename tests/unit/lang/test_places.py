"""Addresses, values and predicates where they do not belong."""

from __future__ import annotations

import pytest
from tracing import instructions, refused

import ptxlab as px


@pytest.mark.parametrize(
    ("body", "code", "advice"),
    [
        ('px.Address.of(x, 0, "foo bar")', "PTX0108", '"shared::cluster"'),
        ('px.Address.of(x, 0, "reg")', "PTX0108", '"global"'),
        ("px.Address.of(x[0])", "PTX0109", ".at(bytes)"),
        ('k.atom.shared__cluster.add.u32(px.Address.of(n, 0, "global"), 1)', "PTX0108", "the form for .global"),
        ("k.ld.shared.f32(x[n])", "PTX0108", "an address of .shared"),
        ("k.st.global_.f32(k.smem(px.f32, 4)[0], f)", "PTX0108", "the form for .shared"),
        ("k.st.global_.f32(f, x[n])", "PTX2224", "the address comes first: k.st.global_.f32(place, register)"),
        ("k.red.global_.add.f32(f, x[n])", "PTX2224", "the address comes first: k.red.global_.add.f32"),
        ("k.st.global_.f32(x[n], x[n])", "PTX2224", "load it first"),
        ("k.st.global_.u32(n, x)", "PTX2224", "the address comes first: k.st.global_.u32(place, register)"),
        ("k.st.global_.v2.u32(x[0], [n, x])", "PTX2224", "load it first"),
        ("k.st.global_.u32(x, x)", "PTX2224", "load it first"),
        ("k.add.u32(n, x)", "PTX2224", "load it first"),
    ],
)
def test_places_that_do_not_fit(body: str, code: str, advice: str) -> None:
    found = refused(body)
    assert found.code == code
    assert advice in (found.help or "")


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("k.selp.u32(n < 3, n, n)", "the order is k.selp.u32(a, b, c): the predicate is `c`"),
        ("k.selp.f32(~(n < 3), f, f)", "the order is k.selp.f32(a, b, c): the predicate is `c`"),
        ("k.st.global_.v4.f32(x[0], [f, f, f])", "give 4 registers in a list or tuple"),
        ("k.st.global_.v4.f32(x[0], [f, f, 1.0])", "give 4 registers in a list or tuple"),
        ("k.st.global_.v2.f32(x[0], [f, f, f, f])", "give 2 registers in a list or tuple"),
        ("k.st.global_.v4.f32(x[0], f)", "`b` takes 4 registers in a list or tuple: [r0, r1, r2, r3]"),
    ],
)
def test_the_order_and_the_number_of_arguments(body: str, advice: str) -> None:
    assert refused(body).help == advice


def test_places_that_fit() -> None:
    def kernel(k, x: px.Ptr[px.f32], n: px.u32):
        k.st.global_.u64(x, x)
        k.cvt.u32.u64(x)
        tile = k.smem(px.f32, 4)
        k.ld.shared.f32(tile[0])
        k.ld.shared__cluster.f32(tile.remote(0))
        k.ld.f32(x[0])
        k.ld.f32(px.Address.of(x, 4))
        k.ld.shared.f32(px.Address.of(n, 0, "shared::cta"))

    assert instructions(kernel)
