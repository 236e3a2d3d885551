"""Python's collector of cycles rests while a module is written out, and is back at work behind it, whatever happens."""

from __future__ import annotations

import gc

import pytest

import ptxlab as px


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
