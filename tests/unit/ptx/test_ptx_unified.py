"""Addresses that a load marks as unified: read, printed, checked, lowered, written in the language, simulated."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import check
from ptxlab.isa.operands import Addr
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def kernel(body: str) -> str:
    return f"{HEAD}.visible .entry k(.param .u64 in)\n{{\n.reg .b64 d<3>; .reg .b32 r<3>;\n.shared .b32 s;\n{body}\nret;\n}}\n"


LOADS = """ld.param.u64 d1, [in];
{ .reg .b64 d2; mov.u64 d2, d1; ld.global.u32 r1, [ d2+4 ] .unified; st.global.u32 [d2], r1; }
ldu.global.u32 r2, [d1].unified;
ld.global.L2::cache_hint.b32 r1, [d1+-8].unified, d2;"""


def test_read_and_printed() -> None:
    source = kernel(LOADS)
    module = parse(source)
    assert text(module) == source
    assert [d for d in check(module) if d.severity == "error"] == []
    addresses = [o for op in lower(module, "k").ops for o in op.inst.operands.values() if isinstance(o, Addr)]
    assert [a.unified for a in addresses] == [False, True, False, True, True]


@pytest.mark.parametrize(
    "body",
    [
        "st.global.u32 [d1].unified, r1;",
        "ld.shared.u32 r1, [d1].unified;",
        "ld.param.u64 d1, [in].unified;",
        "ld.u32 r1, [s].unified;",
        "red.global.add.u32 [d1].unified, r1;",
    ],
)
def test_others_cannot_be(body: str) -> None:
    (found, *_) = [d for d in check(kernel(body)) if d.severity == "error"]
    assert found.code == "PTX0108"
    assert "cannot be unified" in found.message


@pytest.mark.parametrize(
    "body", ["ld.global.u32 r1, .unified;", "ld.global.u32 r1.unified, [d1];", "mov.b32 r1, r2 .unified;"]
)
def test_it_stands_behind_brackets_alone(body: str) -> None:
    assert [d for d in check(kernel(body)) if d.severity == "error"]


def test_it_is_written_in_the_language() -> None:
    made: dict[str, object] = {"__name__": "made"}
    exec(px.to_python(parse(kernel(LOADS))), made)
    written = str(made["m"])
    assert written.count(".unified") == 3
    assert [d for d in check(written) if d.severity == "error"] == []


def test_it_loads_what_a_load_loads() -> None:
    module = px.parse(kernel("ld.param.u64 d1, [in]; ld.global.u32 r1, [d1+4].unified; st.global.u32 [d1], r1;"))
    data = px.empty((2,), np.uint32)
    data[:] = 1, 77
    px.simulate(module["k"], grid=1, block=1, args=[data])
    assert data.tolist() == [77, 77]
