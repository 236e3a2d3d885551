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

from ptxlab.checks import check
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
    if compiler.why_not() is None:
        options = ((), ("-lineinfo",), ("-G",)) if FULL else ((),)
        made += [compiler.compile_ptx(s, *o) for s in (compiler.SOURCES if FULL else ["calls.cu"]) for o in options]
    return made + [triton_compiler.compile_ptx(name) for name in (triton_compiler.names() if FULL else ())]


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
    oracle.record("mutations", "sm_90a", oracle.newest(), len(drawn), found, _SEED)
    assert not found, f"{len(found)} of {len(drawn)} differ:\n   " + "\n   ".join(found[:20])


_HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
_REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;"


def _kernel(body: str) -> str:
    return f"{_HEAD}.entry k(.param .u64 a)\n{{\n{_REGISTERS}\n{body}\nret;\n}}\n"


_OVERLOOKED = {
    "a backslash in front of an instruction": _kernel("\\ mov.b32 %r1, %r2;"),
    "a number as the address of a tensor map": _kernel("fence.proxy.tensormap::generic.acquire.gpu [128], 0x80;"),
    "variables with numbers as data of a vector": _kernel(".shared .b32 %q<4>; st.global.v2.b32 [%rd1], {%q0, %q1};"),
    "parameters as elements of vectors": _kernel("st.global.v2.b64 [%rd1], {%rd1, a};"),
    "arrays of types that instructions alone have": _HEAD
    + ".func f(.param .align 1 .e4m3 x[1]) { ret; }\n.entry k() { ret; }\n",
    "a fourth operand of atom.exch.b32": _kernel("atom.global.exch.b32 %r1, [%rd1], %r2, %r3;"),
    "a line break within a string": _HEAD + '.file 1 "a\nb"\n',
    "elements that a vector register lacks, written": _kernel(".reg .v2 .b32 %v; mov.b32 %v.z, %r1;"),
    "the name of an instruction as that of a variable": _kernel(".param .b64 dst, cp.async.wait_all;"),
    "integers behind a number in a vector": _kernel("mov.b32 %r1, {0x5678, %rd1};"),
    "the type of a tensor map's address": _kernel(
        ".reg .f16 %x; cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%x, {%r3, %r4}], [%r2];"
    ),
    "a result that no call gives": _kernel("{ .param .b32 retval0;\nld.param.b32 %r1, [retval0];\n}"),
    "two minus signs": _kernel("sub.f32 %r1, -%r2, -%r3;"),
    "the name of a parameter again, in a range": _HEAD
    + ".entry k(.param .u32 %ud0)\n{\n.reg .u64 %ud<5>;\nmov.u64 %ud1, 0;\nret;\n}\n",
    "_ as the name of a parameter": _HEAD
    + ".entry k(.param .u64 _)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\nmov.b64 {_, %r1}, %rd1;\nret;\n}\n",
}


def test_all_that_is_overlooked_has_an_example() -> None:
    assert set(_OVERLOOKED) == set(overlooked.REWRITES)


@pytest.mark.parametrize("what", _OVERLOOKED)
def test_ptxas_overlooks(what: str) -> None:
    text = _OVERLOOKED[what]
    assert _errors(text)
    assert oracle.whole(text) is None
    assert any(not _errors(other) for other in overlooked.REWRITES[what](text))


def test_what_ptxas_refuses_is_known_by_its_words() -> None:
    assert overlooked.refused("mov.u64 %rd1, 99999999999999999999;", "Constant overflow")
    assert not overlooked.refused("mov.u64 %rd1, 9;", "Constant overflow")
