"""Real PTX with mistakes drawn into it, against ptxas: what neither the rows nor their splices say of whole modules.

A sample of what Triton's and CUDA's compilers and ptxlab itself made by default; `PTXLAB_ORACLE=full` draws many of all.
"""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import compiler
import mutations
import oracle
import overlooked
import pieces
import pytest
import triton_compiler

from ptxlab.check import check
from ptxlab.kernels import copies

_REASON = oracle.why_not()
pytestmark = [pytest.mark.ptxas, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]
FULL = os.environ.get("PTXLAB_ORACLE") == "full"
_COUNT = 100_000 if FULL else 150
_SEED = int(os.environ.get("PTXLAB_ORACLE_SEED", "0"))
_LONGEST = 6000  # characters of a piece
_PIECES = 40  # of a file
_CORPUS = Path(__file__).parents[2] / "corpus"


def _files() -> list[str]:
    """PTX as compilers write it: what is here, and what the compilers that are here make."""
    made = [(_CORPUS / "attention.ptx").read_text(), *(str(k.entry().module) for k in copies.LINEAR.values())]
    if not FULL:
        return made
    if compiler.why_not() is None:
        made += [compiler.compile_ptx(s, *o) for s in compiler.SOURCES for o in ((), ("-lineinfo",), ("-G",))]
    return made + [triton_compiler.compile_ptx(name) for name in triton_compiler.names()]


@cache
def sources() -> list[list[str]]:
    """The pieces of each file that ptxas takes as they are."""
    out: list[list[str]] = []
    for file in _files():
        dice = random.Random(file[:200])
        cut = sorted({p for p in pieces.cut(file, dice) if len(p) < _LONGEST})
        some = dice.sample(cut, min(len(cut), _PIECES))
        taken = [p for p in some if oracle.whole(p) is None]
        assert not [p for p in taken if _errors(p)]
        out += [taken] if taken else []
    return out


def _errors(text: str) -> list[str]:
    release = ".".join(map(str, oracle.release()))
    return [str(d) for d in check(text, lints=False, ptxas=release) if d.severity == "error"]


def _difference(mutant: mutations.Mutant) -> str | None:
    """How ptxas and ptxlab differ about a mutant; None where they agree, or the difference is explained."""
    said, mine = oracle.whole(mutant.text), _errors(mutant.text)
    if said in oracle.DEAD or (said is None) == (not mine):
        return None
    if said is not None and overlooked.refused(mutant.text, said):
        return None
    if said is None and any(not _errors(text) for text in overlooked.rewritten(mutant.text)):
        return None
    if said is None and oracle.whole(mutant.text, forms_only=False) is not None:
        return None  # ptxas says it where it makes code
    return f"{mutant.number} ({mutant.why}): ptxas {said or 'takes it'}, ptxlab {mine[0] if mine else 'takes it'}"


def test_mutations() -> None:
    drawn = list(mutations.draw(sources(), _COUNT, _SEED))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [d for d in pool.map(_difference, drawn) if d]
    oracle.record("mutations", "sm_90a", oracle.newest(), len(drawn), len(found))
    assert not found, f"{len(found)} of {len(drawn)} differ:\n   " + "\n   ".join(found[:20])


def test_what_is_overlooked_is_not_taken_as_it_stands() -> None:
    text = ".version 9.0\n.target sm_90a\n.target sm_80\n.entry k() { ret; }\n"
    assert _errors(text)
    assert [t for t in overlooked.rewritten(text) if not _errors(t)]
    assert overlooked.refused("mov.u64 %rd1, 99999999999999999999;", "Constant overflow")
    assert not overlooked.refused("mov.u64 %rd1, 9;", "Constant overflow")
