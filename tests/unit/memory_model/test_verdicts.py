"""Verdicts beyond single axioms: races, hangs, barriers that count, loops, what is refused, and how it all reads."""

from __future__ import annotations

from html import escape

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.memory_model.decision import MOST_CHOICES
from ptxlab.memory_model.draw import svg
from ptxlab.memory_model.examples import EXAMPLES
from ptxlab.memory_model.verdict import headline

_BARRIER = """PTX barrier
{{ x = 0; }}
 P0@cta 0,gpu 0          | P1@cta 0,gpu 0          | P2@cta 0,gpu 0          ;
 st.weak x, 1            | bar.cta.sync 1, 1, {n}  | bar.cta.sync 1, 1, {n}  ;
 bar.cta.sync 1, 1, {n}  | ld.weak r0, x           |                         ;
exists (P1:r0 == 0)
"""
_SPIN = """PTX spin
{{ x = 0; flag = 0; }}
 P0@cta 0,gpu 0          | P1@cta 1,gpu 0            ;
 st.weak x, 1            | LC00:                     ;
 st.{release} flag, 1    | ld.{acquire} r0, flag     ;
                         | beq r0, 1, LC01           ;
                         | goto LC00                 ;
                         | LC01:                     ;
                         | ld.weak r1, x             ;
exists (P1:r1 == 0)
"""


@pytest.mark.parametrize(("count", "allowed", "hangs"), [(2, True, True), (3, False, False), (4, False, True)])
def test_a_barrier_counts_its_threads(count: int, allowed: bool, hangs: bool) -> None:
    verdict = px.litmus(_BARRIER.format(n=count))
    assert (verdict.holds, verdict.hang is not None) == (allowed, hangs)


def test_a_spin_ends_where_what_it_waits_for_must_get_visible() -> None:
    strong = px.litmus(_SPIN.format(release="release.gpu", acquire="acquire.gpu"))
    assert (strong.holds, strong.race, strong.hang) == (False, None, None)
    small = px.litmus(_SPIN.format(release="release.cta", acquire="acquire.cta"))
    assert small.holds
    assert small.race is not None
    assert small.hang is not None
    assert small.hang.threads[0][:2] == ("P1", "spins")


def test_threads_that_take_turns_for_ever_are_found() -> None:
    text = """PTX turns
    { x = 0; }
     P0@cta 0,gpu 0                 | P1@cta 0,gpu 0                 ;
     LC00:                          | LC10:                          ;
     atom.relaxed.gpu.exch r0, x, 1 | atom.relaxed.gpu.exch r1, x, 0 ;
     beq r0, 0, LC00                | beq r1, 1, LC10                ;
    """
    verdict = px.litmus(text)
    assert verdict.holds is None
    assert verdict.hang is not None
    assert [t[1] for t in verdict.hang.threads] == ["turns", "turns"]


def test_a_lock_keeps_two_threads_apart() -> None:
    def lock(acquire: str, release: str) -> str:
        cell = f"""LC00: atom.{acquire}.gpu.cas r0, m, 0, 1 ;
            bne r0, 0, LC00 ; ld.weak r1, x ; add r1, r1, 1 ; st.weak x, r1 ; atom.{release}.gpu.exch r2, m, 0 ;"""
        rows = [c.strip() for c in cell.split(";") if c.strip()]
        body = "".join(f"{r} | {r} ;\n" for r in rows)
        return f"PTX lock\n{{ m = 0; x = 0; }}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{body}exists (x == 1)\n"

    assert not px.litmus(lock("acquire", "release")).holds
    assert px.litmus(lock("acquire", "release")).race is None
    assert px.litmus(lock("relaxed", "release")).holds


def test_forall_and_not_exists_ask_of_all_outcomes() -> None:
    text = EXAMPLES["causality"].forbidden
    condition = text[text.index("exists") + len("exists") :]
    head = text[: text.index("exists")]
    assert px.litmus(f"{head}~exists {condition}").holds
    assert px.litmus(f"{head}forall ~{condition.strip()}").holds
    assert px.litmus(f"{head}forall (P1:r0 == 0)").holds is False
    assert px.litmus(f"{head}filter (P1:r0 == 0)\nforall (P1:r0 == 0)").holds


def test_a_verdict_reads_as_text_and_as_a_picture() -> None:
    pair = EXAMPLES["causality"]
    forbidden, allowed = px.litmus(pair.forbidden), px.litmus(pair.allowed)
    text = str(forbidden)
    assert "forbidden by the axiom causality (8.10.6):" in text
    assert "b --synchronizes--> c" in text
    assert "nothing orders a before d" in str(allowed)
    for verdict in (forbidden, allowed):
        picture = svg(verdict)
        assert picture.startswith("<svg")
        assert picture.rstrip().endswith("</svg>")
        assert f"<title>{escape(headline(verdict))}</title>" in picture
    assert "b synchronizes c" in svg(forbidden)
    assert "synchronizes" not in svg(allowed)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("hello", "PTX0600", 1),
        ("PTX a\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P1:r0 == 0)\n", "PTX0600", 5),
        ("PTX a\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0 ==)\n", "PTX0600", 5),
        ("PTX a\n{ x = 0; }\n P0@cta 0 ;\n ld.weak r0, x ;\n", "PTX0600", 3),
        ("PTX a\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x | st.weak x, 1 ;\n", "PTX0600", 4),
        ("PTX a\n{ y @ generic aliases x; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, y ;\n", "PTX0600", 2),
        ("PTX a\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n beq r0, 0, LC00 ;\n", "PTX0602", 4),
        ("PTX a\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.acquire r0, x ;\n ld.fast r0, x ;\n", "PTX0101", 4),
        ("PTX a\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n frobnicate r0, x ;\n", "PTX0100", 4),
    ],
)
def test_a_wrong_test_is_refused_with_its_place(text: str, code: str, line: int) -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.litmus(text)
    assert wrong.value.code == code
    assert wrong.value.span is not None
    assert wrong.value.span.line == line


def test_a_test_that_is_too_large_is_refused_with_what_made_it_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST_CHOICES, "fast", 2_000)
    loads = "".join(f" ld.relaxed.gpu r{i}, x | st.relaxed.gpu x, {i} ;\n" for i in range(8))
    with pytest.raises(Diagnostic) as wrong:
        px.litmus(f"PTX big\n{{ x = 0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{loads}exists (P0:r7 == 1)\n")
    assert wrong.value.code == "PTX0603"
    assert "P0" in wrong.value.message


_INVAL = """PTX inval
{ .mbarrier m = 1; }
P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
mbarrier.arrive.release.cta.shared::cta.b64 _, [m] | MEET ;
MEET | mbarrier.inval.shared::cta.b64 [m] ;
"""


def test_an_mbarrier_is_invalidated_by_who_is_synchronized_with_its_users() -> None:
    assert px.litmus(_INVAL.replace("MEET", "bar.cta.sync 0")).race is None
    race = px.litmus(_INVAL.replace("MEET", "")).race
    assert race is not None
    assert {a.text.split(".")[1] for a in race.accesses} == {"arrive", "inval"}


_DROPPED = """PTX drop
{ .mbarrier m = 2; }
P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
mbarrier.arrive_drop.release.cta.shared::cta.b64 _, [m] | mbarrier.arrive.release.cta.shared::cta.b64 _, [m] ;
 | A: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p0, [m], 0 ;
 | beq p0, 0, A ;
 | mbarrier.arrive.release.cta.shared::cta.b64 _, [m] ;
 | B: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p1, [m], 1 ;
 | beq p1, 0, B ;
"""


def test_what_drops_out_is_waited_for_no_more() -> None:
    assert px.litmus(_DROPPED).hang is None
    assert px.litmus(_DROPPED.replace("arrive_drop", "arrive")).hang is not None


def test_mapa_needs_a_cta_that_is_there() -> None:
    text = """PTX mapa
    { .shared s.0 = 0; }
    P0@cta 0,gpu 0 ;
    mapa.shared::cluster.u32 r0, s.0, RANK ;
    st.weak r0, 1 ;
    """
    assert px.litmus(text.replace("RANK", "0")).race is None
    with pytest.raises(Diagnostic) as caught:
        px.litmus(text.replace("RANK", "1"))
    assert caught.value.code == "PTX0602"
