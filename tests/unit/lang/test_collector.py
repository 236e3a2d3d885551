"""Python's collector of cycles rests while a module is written out, and is back at work behind it, whatever happens.

In sanitized launches it works less often.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import ptxlab as px
from ptxlab.ptx.collector import seldom_collected


def test_it_rests_while_a_kernel_is_written_out() -> None:
    m = px.module("8.0", "sm_90a")
    assert gc.isenabled()
    with m.entry("k") as k:
        assert not gc.isenabled()
        k.ret()
    assert gc.isenabled()
    with m.func("f") as k:
        assert not gc.isenabled()
        k.ret()
    assert gc.isenabled()


def test_it_is_back_after_a_mistake() -> None:
    m = px.module("8.0", "sm_90a")
    with pytest.raises(px.Diagnostic), m.entry("k") as k:
        k.instruction("foo")
    assert gc.isenabled()


def test_who_has_stopped_it_finds_it_stopped() -> None:
    gc.disable()
    try:
        with px.module("8.0", "sm_90a").entry("k") as k:
            k.ret()
        px.to_python(".version 8.0\n.target sm_90a\n.entry k() { ret; }")
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.fixture
def as_in_a_new_process() -> Iterator[None]:
    """The threshold that Python begins with; tests have a larger one."""
    before = gc.get_threshold()
    gc.set_threshold(700, *before[1:])
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("as_in_a_new_process")
def test_it_works_less_often_until_the_last_one_leaves() -> None:
    before = gc.get_threshold()
    with seldom_collected():
        seldom = gc.get_threshold()
        assert seldom[0] > before[0]
        assert seldom[1:] == before[1:]
        with pytest.raises(ValueError, match="inside"), seldom_collected():
            raise ValueError("inside")
        assert gc.get_threshold() == seldom
        assert gc.isenabled()
    assert gc.get_threshold() == before


@pytest.mark.parametrize("chosen", [(0, 10, 10), (1_000_000, 5, 5)])
def test_who_wants_it_even_less_often_keeps_that(chosen: tuple[int, int, int]) -> None:
    before = gc.get_threshold()
    gc.set_threshold(*chosen)
    try:
        with seldom_collected():
            assert gc.get_threshold() == chosen
        assert gc.get_threshold() == chosen
    finally:
        gc.set_threshold(*before)
