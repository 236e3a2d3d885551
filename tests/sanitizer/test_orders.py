"""Launches whose strong accesses come in any order, run in all orders: what is proved, and what is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from tools.certified import cases_of, kept

WORDS = 64


def kernel(body: str) -> px.Kernel:
    """A kernel in which the first thread of each CTA runs the body; `b` is the CTA, `n` the number of CTAs, `o` an array."""
    return px.parse(
        f""".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .pred p, q; .reg .b32 t, v, w, u, n, b, i; .reg .b64 o, x; .reg .f32 f, g;
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mov.u32 n, %nctaid.x;
  mul.wide.u32 x, b, 4;
  add.s64 x, x, o;
  setp.ne.u32 p, t, 0;
  @p bra D;
{body}
D: ret;
}}
""",
        "k.ptx",
    )["k"]


def certified(body: str, grid: int, **options: Any) -> px.Certificate:
    """The certificate of such a kernel."""
    return px.certify(kernel(body), grid=grid, block=32, args=[np.zeros(WORDS, np.uint32)], lints=False, **options)


LOCK = "L: atom.acquire.gpu.global.cas.b32 v, [o], 0, 1;\nsetp.ne.u32 q, v, 0;\n@q bra L;\n"
UNLOCK = "st.release.gpu.global.u32 [o], 0;\n"
ADD = "ld.global.u32 w, [o+4];\nadd.u32 w, w, b;\nadd.u32 w, w, 3;\nst.global.u32 [o+4], w;\n"
FLOATS = """cvt.rn.f32.u32 f, b;\nadd.f32 f, f, 0f3DCCCCCD;\nld.global.f32 g, [o+4];\nadd.f32 g, g, f;\nmul.f32 g, g, 0f3F666666;
st.global.f32 [o+4], g;\n"""
TICKET = f"""atom.relaxed.gpu.global.add.u32 u, [o+8], 1;
L: ld.acquire.gpu.global.u32 v, [o];\nsetp.ne.u32 q, v, u;\n@q bra L;
{ADD}add.u32 u, u, 1;\nst.release.gpu.global.u32 [o], u;"""
LAST = """cvt.rn.f32.u32 f, b;\nadd.f32 f, f, 0f3DCCCCCD;\nst.global.f32 [x+64], f;
atom.acq_rel.gpu.global.add.u32 u, [o], 1;\nadd.u32 u, u, 1;\nsetp.ne.u32 q, u, n;\n@q bra D;
mov.f32 g, 0f00000000;\nmov.u32 i, 0;
S: mul.wide.u32 x, i, 4;\nadd.s64 x, x, o;\nld.global.f32 f, [x+64];\nadd.f32 g, g, f;\nadd.u32 i, i, 1;
setp.lt.u32 q, i, n;\n@q bra S;\nst.global.f32 [o+4], g;"""
SEMAPHORE = f"""L: ld.acquire.gpu.global.u32 v, [o];\nsetp.ne.u32 q, v, b;\n@q bra L;
{FLOATS}add.u32 v, b, 1;\nst.release.gpu.global.u32 [o], v;"""
FLAG = """setp.eq.u32 q, b, 0;\n@q bra W;
st.global.u32 [x+64], 7;\nfence.acq_rel.gpu;\natom.relaxed.gpu.global.or.b32 u, [o], 1;\nbra D;
W: ld.acquire.gpu.global.u32 v, [o];\nsetp.eq.u32 q, v, 0;\n@q bra W;\n{then}"""
WORK = """L: atom.relaxed.gpu.global.add.u32 u, [o], 1;\nsetp.ge.u32 q, u, 4;\n@q bra D;
mul.wide.u32 x, u, 4;\nadd.s64 x, x, o;\nmad.lo.u32 w, u, u, 3;\nst.global.u32 [x+64], w;\nbra L;"""
STEAL = """mov.u32 i, 0;\nM: add.u32 v, b, i;\nrem.u32 v, v, n;\nmul.wide.u32 x, v, 4;\nadd.s64 x, x, o;
L: atom.relaxed.gpu.global.add.u32 u, [x], 1;\nsetp.ge.u32 q, u, 1;\n@q bra N;
mad.lo.u32 w, v, 5, u;\nst.global.u32 [x+64], w;\nbra L;\nN: add.u32 i, i, 1;\nsetp.lt.u32 q, i, n;\n@q bra M;"""
TRY = f"atom.acquire.gpu.global.cas.b32 v, [o], 0, 1;\nsetp.ne.u32 q, v, 0;\n@q bra D;\n{{then}}{UNLOCK}"
BOTH = "L{0}: atom.acquire.gpu.global.cas.b32 v, [o+{1}], 0, 1;\nsetp.ne.u32 q, v, 0;\n@q bra L{0};\n"
TWO = f"""{{first}}{BOTH.format(1, 8)}{BOTH.format(2, 12)}{{then}}
C: {ADD}st.release.gpu.global.u32 [o+8], 0;\nst.release.gpu.global.u32 [o+12], 0;"""
TURNED = f"bra C;\nO: {BOTH.format(3, 12)}{BOTH.format(4, 8)}"
EXCHANGE = LOCK.replace("cas.b32 v, [o], 0, 1", "exch.b32 v, [o], 1")
TWICE = f"""mov.u32 i, 0;\nR: {LOCK}{ADD}{UNLOCK}add.u32 i, i, 1;\nsetp.lt.u32 q, i, 2;\n@q bra R;"""
HALF = LOCK.replace("acquire", "relaxed").replace("L", "M")
PROVED = {
    "a spin lock": (LOCK + ADD + UNLOCK, 4, 24),
    "a lock by exchange": (EXCHANGE + ADD + UNLOCK, 3, 6),
    "a lock with fences": (
        f"{LOCK.replace('acquire', 'relaxed')}fence.acq_rel.gpu;\n{ADD}fence.acq_rel.gpu;\n{UNLOCK.replace('release', 'relaxed')}",
        3,
        6,
    ),
    "a lock that each takes twice": (TWICE, 2, 6),
    "a ticket lock": (TICKET, 4, 24),
    "the last CTA adds up": (LAST, 4, 24),
    "a semaphore in fixed order": (SEMAPHORE, 4, 1),
    "a flag with two writers": (FLAG.format(then="st.global.u32 [o+4], 5;"), 3, 3),
    "a work counter": (WORK, 2, 32),
    "work stealing": (STEAL, 2, 7),
    "two locks, in one order": (TWO.format(first="", then=""), 3, 6),
}
WRONG = {
    "the first owner does not acquire": (
        f"setp.eq.u32 q, b, 0;\n@q bra M;\n{LOCK}bra A;\n{HALF}A: {ADD}{UNLOCK}", 2, "PTX9304", "PTX9200",
    ),
    "the last owner does not release": (
        f"{LOCK}{ADD}setp.eq.u32 q, b, 1;\n@q bra A;\n{UNLOCK}bra D;\nA: {UNLOCK.replace('release', 'relaxed')}",
        2, "PTX9304", "PTX9200",
    ),
    "the last owner keeps the lock": (f"{LOCK}{ADD}setp.eq.u32 q, b, 1;\n@q bra D;\n{UNLOCK}", 2, "PTX9304", "PTX9100"),
    "rounded sums in order of arrival": (LOCK + FLOATS + UNLOCK, 2, "PTX9304", "other bits: `out + 0x4`"),
    "the first CTA counts without a release": (
        LAST.replace("atom.acq", "setp.eq.u32 q, b, 1;\n@q bra Q;\natom.acq").replace(
            "add.u32 u, u, 1;", "bra P;\nQ: atom.acquire.gpu.global.add.u32 u, [o], 1;\nP: add.u32 u, u, 1;", 1
        ),
        2, "PTX9304", "PTX9200",
    ),
    "one writer's data, whichever has set the flag": (
        FLAG.format(then="ld.global.u32 w, [o+68];\nst.global.u32 [o+4], w;"), 3, "PTX9304", "PTX9200",
    ),
    "who does the work is stored": (WORK.replace("mad.lo.u32 w, u, u, 3", "mov.u32 w, b"), 2, "PTX9304", "other bits"),
    "a try whose failure is not handled": (TRY.format(then=ADD), 2, "PTX9304", "other bits"),
    "two locks, in two orders": (
        TWO.format(first="setp.eq.u32 q, b, 1;\n@q bra O;\n", then=TURNED).replace("O: L3", "O: \nL3"), 2, "PTX9304", "PTX9100",
    ),
    "two relaxed words": (
        """setp.eq.u32 q, b, 1;\n@q bra W;\nst.relaxed.gpu.global.u32 [o], 1;\natom.relaxed.gpu.global.add.u32 u, [o+4], 1;\nbra D;
W: atom.relaxed.gpu.global.add.u32 u, [o+4], 1;\nsetp.ne.u32 q, u, 1;\n@q bra D;\nld.relaxed.gpu.global.u32 v, [o];
setp.eq.u32 q, v, 1;\n@q bra D;\nst.global.u32 [o+12], 1;""",
        2, "PTX9306", "st.relaxed",
    ),
    "store buffering": (
        """st.relaxed.gpu.global.u32 [x], 1;\nxor.b32 u, b, 1;\nmul.wide.u32 x, u, 4;\nadd.s64 x, x, o;
ld.relaxed.gpu.global.u32 v, [x];\nsetp.ne.u32 q, v, 0;\n@q bra D;\nred.relaxed.gpu.global.or.b32 [o+12], 1;""",
        2, "PTX9", "",
    ),
    "more orders than are tried": (LOCK + ADD + UNLOCK, 6, "PTX9301", ""),
}  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_keep_their_certificates(seed: int) -> None:
    case = next(one for one in cases_of(seed) if one.name.startswith("open"))
    assert kept(case, 5)[1] == ""


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    body, grid, orders = PROVED[name]
    found = certified(body, grid)
    assert found.proved, str(found)
    assert found.orders is not None
    assert found.orders.count == orders
    assert found.orders.runs >= orders
    assert f"all {orders} order" in str(found)
    assert found.orders.bound == 1000


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str) -> None:
    body, grid, code, words = WRONG[name]
    found = certified(body, grid, orders=60)
    assert not found.proved
    assert found.reasons[0].code.startswith(code), str(found)
    assert words in str(found.reasons[0])


@pytest.mark.parametrize("name", [n for n, (_, _, code, _) in WRONG.items() if code == "PTX9304"])
def test_an_order_can_be_run_again(name: str) -> None:
    body, grid, _, words = WRONG[name]
    reason = certified(body, grid).reasons[0]
    order = str(reason.help).split('"')[1]
    out, plain = np.zeros(WORDS, np.uint32), np.zeros(WORDS, np.uint32)
    px.simulate(kernel(body), grid=grid, block=32, args=[plain], lints=False)
    found: list[str] = []
    try:
        report = px.simulate(kernel(body), grid=grid, block=32, args=[out], lints=False, replay=order)
        found += [d.code for d in report.findings]
    except Diagnostic as stop:
        found.append(stop.code)
    if words.startswith("PTX"):
        assert words in found
    else:
        assert not found
        assert (out != plain).any()


def test_load_buffering_is_assumed_where_it_matters() -> None:
    """Who draws from two counters in turn may be overtaken by the memory model, and comes to the same."""
    found = certified(STEAL, 2)
    assert any("load buffering" in one for one in found.assumptions)
    assert not any("load buffering" in one for one in certified(LOCK + ADD + UNLOCK, 2).assumptions)
    assert [d.code for d in certified(STEAL, 2, sanitize="strict").reasons] == ["PTX9306"]
    assert certified(LOCK + ADD + UNLOCK, 2, sanitize="strict").proved


def test_the_bound_is_named() -> None:
    found = certified(LOCK + ADD + UNLOCK, 4, orders=10)
    assert [d.code for d in found.reasons][-1] == "PTX9305"
    assert "10 orders have been tried" in str(found)
    assert certified(LOCK + ADD + UNLOCK, 4, orders=24).proved


def test_none_are_tried() -> None:
    found = certified(LOCK + ADD + UNLOCK, 2, orders=0)
    assert {d.code for d in found.reasons} == {"PTX9301"}
    assert found.orders is None


def test_the_arrays_hold_what_the_first_run_has_left() -> None:
    out, plain = np.zeros(WORDS, np.uint32), np.zeros(WORDS, np.uint32)
    body = LOCK + FLOATS + UNLOCK
    px.simulate(kernel(body), grid=3, block=32, args=[plain], lints=False)
    px.certify(kernel(body), grid=3, block=32, args=[out], lints=False)
    assert (out == plain).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"replay": "0:0"}, "0:0"),
        ({"replay": "7:0"}, "7:0"),
        ({"replay": "first"}, "no order"),
        ({"replay": "0:0", "certify": True}, "all orders"),
        ({"replay": "0:0", "sanitize": False}, "sanitizer"),
        ({"replay": "0:0", "schedule": "late"}, "who comes first"),
        ({"replay": "0:0", "workers": 2}, "process"),
        ({"orders": -1}, "orders"),
    ],
)
def test_options(options: dict[str, Any], words: str) -> None:
    run = {"grid": 2, "block": 32, "args": [np.zeros(WORDS, np.uint32)], "lints": False, **options}
    if options == {"replay": "0:0"}:
        assert not px.simulate(kernel(LOCK + ADD + UNLOCK), **run).findings
        return
    with pytest.raises(Diagnostic) as caught:
        px.simulate(kernel(LOCK + ADD + UNLOCK), **run)
    assert caught.value.code == "PTX2501"
    assert words in caught.value.message


def test_more_ctas_than_run_at_once() -> None:
    body = LOCK + ADD + UNLOCK
    found = px.certify(
        kernel(body), grid=300, block=1024, args=[np.zeros(WORDS, np.uint32)], shared=200_000, lints=False
    )
    assert found.reasons[-1].code == "PTX9303"
