"""Every word of `k` says at the user's line what is wrong with its arguments, where Python would end in a traceback of ptxlab."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from tracing import fails, refused

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.lang.builder import CONSTRUCTS
from ptxlab.lang.kernel import KernelFunction
from tools.reference.glance import GLANCE

RING = "t = k.smem(px.f32, (2, 64), align=128)\nr = k.ring(2, t)\nb = k.mbarrier(1)\nk.init_barriers()\n"


@pytest.mark.parametrize("word", CONSTRUCTS)
@pytest.mark.parametrize("arguments", ["nonsense=1", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"], ids=["named", "placed"])
def test_every_word_takes_only_its_arguments(word: str, arguments: str) -> None:
    text = f"k.{word}({arguments})"
    assert refused(text).help, text


@pytest.mark.parametrize("word", CONSTRUCTS)
def test_every_word_says_what_it_needs(word: str) -> None:
    """Words that can be called without arguments, or name registers, need nothing."""
    try:
        found = refused(f"k.{word}()")
    except pytest.fail.Exception:
        return
    assert found.help


@pytest.mark.parametrize(
    ("call", "message", "help"),
    [
        ("k.tensormap(dtype=px.f32)", "k.tensormap", "k.tensormap("),
        (
            "k.smem(px.f32, 64, swizle='128B')",
            "k.smem got an unexpected keyword argument 'swizle'",
            "did you mean swizzle=?",
        ),
        ("k.tma_load()", "k.tma_load is missing", "k.tma_load("),
        ("k.mbarrier(count=1, arrivals=2)", "k.mbarrier got", "k.mbarrier("),
        ("k.loop(1, 2, 3, 4)", "k.loop is given too many arguments", "k.loop("),
        ("k.thread()", "a register is called", "without parentheses"),
        (RING + "b.wait(0, timeout=1)", "Mbarrier.wait got", "Mbarrier.wait("),
        (RING + "t.at()", "Tile.at is missing", "Tile.at("),
        (RING + "r.produce(1, 2, 3)", "produce is given too many", "produce("),
        ("px.fragment()", "px.fragment is missing", "px.fragment("),
    ],
)
def test_what_it_says(call: str, message: str, help: str) -> None:
    found = refused(call)
    assert found.code == "PTX2218"
    assert message in found.message
    assert help in (found.help or "")


def test_functions_of_the_user_are_theirs() -> None:
    def helper(a: int) -> int:
        return a

    def kernel(k) -> None:
        helper()  # type: ignore[call-arg]

    with pytest.raises(TypeError, match="helper"):
        KernelFunction(kernel, threads=32).trace()


def test_place_is_the_line_of_the_call() -> None:
    def kernel(k) -> None:
        k.note("x")
        k.tensormap(dtype=px.f32)  # here

    fails(kernel, "PTX2218")


@pytest.mark.parametrize("name", ["__syncthreads", "__ldg", "__shfl_sync", "__threadfence"])
def test_names_of_cuda_with_underscores(name: str) -> None:
    assert "here it is k." in (refused(f"k.{name}()").help or "")


def test_cuda_words_of_the_glance_lead_there() -> None:
    """What the table at a glance calls by CUDA's name, and `k` with that name, lead to the same word."""
    shown = {
        "threadIdx": "k.tid",
        "blockIdx": "k.ctaid",
        "syncthreads": "k.bar",
        "shared": "k.smem",
        "assert_": "k.debug_assert",
    }
    for name, word in shown.items():
        bare = name.removesuffix("_")
        entries = [e for e in GLANCE if re.search(rf"\b_*{bare}_*\b", e.what)]
        assert any(part.startswith(word) for e in entries for part in e.words.split()), name
        assert word in (refused(f"k.{name}").help or "")


def _takes_named(function: object) -> bool:
    return inspect.isfunction(function) and all(
        p.kind is not p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()
    )


@pytest.mark.parametrize("name", [name for name in sorted(px.__all__) if _takes_named(getattr(px, name))])
def test_public_functions_end_in_no_traceback_of_ours(name: str) -> None:
    """Given an argument that does not exist, a function tells in Python's words at the caller's line, or by a diagnostic."""
    with pytest.raises((TypeError, Diagnostic)) as caught:
        getattr(px, name)(nonsense=1)
    frames = [Path(entry.path).name for entry in caught.traceback]
    assert frames in (["test_call_errors.py"], ["test_call_errors.py", "boundary.py"])
