"""Micro-kernels for mbarriers: a barrier for each lane, and what can be known of it for certain.

Loads of a live barrier show stale memory, and of a state's bits only the phase and the pending count are the same from run to
run and from form to form: the low word of an H100's state is an address, a count or nothing, as ptxas pleases. So kernels store
the upper bits of states, pending counts and what waits find, never the object and never a whole state.
"""

from __future__ import annotations

from typing import Final

from ptxlab.conformance.micro.kernel import THREADS, Column, Micro
from ptxlab.conformance.rows.probes import of_row
from ptxlab.isa.form import FORMS

_SEEN: Final = (
    Column("seen", "b32"),
    Column("pending", "b32"),
    Column("done", "pred"),
    Column("odd", "pred"),
    Column("end", "pred"),
)
"""Phase and pending count of the state of the instruction, the latter again by mbarrier.pending_count, and three waits."""
_COUNTS: Final = (Column("more", "b32", below=8), Column("part", "b32", below=3), Column("tx", "b32", below=64))
_BARS: Final = 8 * THREADS
_TOGETHER: Final = "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;"
_ODD: Final = "mbarrier.test_wait.parity.shared::cta.b64"


def mbarrier() -> list[Micro]:
    """Barriers of 2 to 10 arrivals: states, phases before and after the last arrival, phases that follow."""
    out: list[Micro] = []
    for form in FORMS.values():
        if form.family == "mbarrier" and form.key.startswith("mbarrier.arrive"):
            out += [_arrival(form.key, opcode) for opcode in _opcodes(form.key)]
            if form.key.endswith(".cluster"):
                out += [_remote(form.key, o) for o in _opcodes(form.key) if "release.cluster" in o]
    for row in ("mbarrier.test_wait", "mbarrier.try_wait"):
        for key in (row, f"{row}.parity"):
            out += [_wait(key, opcode) for opcode in _opcodes(key)]
            out += [_phases(key, opcode) for opcode in _opcodes(key)]
            out += [_retries(key, opcode) for opcode in _opcodes(key)]
    for row in ("mbarrier.expect_tx", "mbarrier.complete_tx"):
        out += [_bytes(row, opcode) for opcode in _opcodes(row)]
    for row in ("mbarrier.init", "mbarrier.inval"):
        out += [_again(row, opcode) for opcode in _opcodes(row)]
    return [*out, _counted()]


def _opcodes(row: str) -> list[str]:
    return list(dict.fromkeys(p.opcode for p in of_row(FORMS[row], 48, 0)))


def _micro(row: str, text: str, body: str, cluster: int = 0) -> Micro:
    return Micro("mbarrier", row, text, _COUNTS, _SEEN, body, shared=_BARS, cluster=cluster)


def _where(opcode: str) -> tuple[str, str]:
    """Setup of an address, and it."""
    if ".shared" in opcode:
        return "", "%remote" if "shared::cluster" in opcode else "%bar"
    return ".reg .b64 %wide; cvt.u64.u32 %wide, %bar; cvta.shared.u64 %wide, %wide;", "%wide"


def _begin() -> str:
    """A barrier of `more` + 2 arrivals; %arrivals of them come first, %left then; %remote is its address in the cluster."""
    return """.reg .b32 %bar, %count, %bytes, %arrivals, %left, %remote; .reg .pred %any; .reg .b64 %state, %whole, %dropped, %top;
    mad.lo.u32 %bar, %t, 8, %mem; add.u32 %count, %more, 2; mul.lo.u32 %bytes, %tx, 16;
    mov.u32 %arrivals, %cluster_ctarank; mapa.shared::cluster.u32 %remote, %bar, %arrivals;
    min.u32 %arrivals, %more, %part; add.u32 %arrivals, %arrivals, 1; sub.u32 %left, %count, %arrivals;
    mbarrier.init.shared::cta.b64 [%bar], %count;"""


def _state(name: str = "%state") -> str:
    """What of a state is certain."""
    return f"shr.u64 %top, {name}, 43; cvt.u32.u64 %seen, %top; mbarrier.pending_count.b64 %pending, {name};"


def _finish(missing: str = "%left") -> str:
    """Waits in the middle of the phase, then the arrivals that are missing, then a wait for its end."""
    return f"""mbarrier.test_wait.shared::cta.b64 %done, [%bar], %whole; {_ODD} %odd, [%bar], 1;
    setp.ne.u32 %any, {missing}, 0; @%any mbarrier.arrive.shared::cta.b64 %dropped, [%bar], {missing};
    {_ODD} %end, [%bar], 0;"""


def _arrival(row: str, opcode: str) -> Micro:
    """One arrival, then the instruction, then those that are missing; a second phase shows what it has left of the count.

    Where no state comes back, that of the arrival behind it is shown.
    """
    setup, place = _where(opcode)
    sink, expects = "shared::cluster" in opcode, ".expect_tx" in opcode
    call = f"{opcode} {'_' if sink else '%state'}, [{place}], {'%bytes' if expects else '%arrivals'};"
    complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], %bytes;" if expects else ""
    missing = "%others" if expects else "%left"
    taken = "1" if expects else "%arrivals"
    kept = f"sub.u32 %count, %count, {taken};" if "arrive_drop" in row else ""
    body = f"""{_begin()} {setup} .reg .b32 %others; sub.u32 %others, %count, 1; .reg .pred %first;
    mbarrier.inval.shared::cta.b64 [%bar]; add.u32 %count, %count, 1; mbarrier.init.shared::cta.b64 [%bar], %count;
    mbarrier.arrive.shared::cta.b64 %whole, [%bar]; {call} {"" if sink else _state()}
    {_finish(missing)} {_state("%dropped") if sink else ""} {complete} {_ODD} %first, [%bar], 0; {kept}
    mbarrier.arrive.shared::cta.b64 %whole, [%bar], %count; {_ODD} %end, [%bar], 1; and.pred %end, %end, %first;"""
    return _micro(row, opcode, body, cluster=2 if sink else 0)


def _remote(row: str, opcode: str) -> Micro:
    """The instruction on the barrier of the other CTA of two; its owner brings the rest, and the bytes."""
    expects = ".expect_tx" in opcode
    operand, missing = ("%bytes", "%others") if expects else ("%arrivals", "%left")
    complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], %swapped;" if expects else ""
    # both lanes of a pair draw what lane %t of rank 0 drew, so that owner and guest agree without a word
    body = f"""{_begin()} .reg .b32 %others, %rank, %peer, %swapped; mov.u32 %rank, %cluster_ctarank; xor.b32 %peer, %rank, 1;
    .reg .b32 %own; rem.u32 %own, %t, 7; add.u32 %count, %own, 4; mbarrier.inval.shared::cta.b64 [%bar];
    mbarrier.init.shared::cta.b64 [%bar], %count; rem.u32 %arrivals, %t, 3; add.u32 %arrivals, %arrivals, 1;
    sub.u32 %left, %count, %arrivals; sub.u32 %others, %count, 1; mul.lo.u32 %bytes, %own, 16; mov.u32 %swapped, %bytes;
    mapa.shared::cluster.u32 %remote, %bar, %peer; fence.mbarrier_init.release.cluster; {_TOGETHER}
    {opcode} _, [%remote], {operand}; {_TOGETHER}
    setp.eq.u32 %done, %rank, 2; {_ODD} %odd, [%bar], 1;
    mbarrier.arrive.shared::cta.b64 %state, [%bar], {missing}; {_state()} {complete} {_ODD} %end, [%bar], 0; {_TOGETHER}"""
    return _micro(row, f"{opcode} to the other CTA", body, cluster=2)


def _wait(row: str, opcode: str) -> Micro:
    """A wait after the end of the phase, and one before it: a try waits there until its time is over."""
    setup, place = _where(opcode)
    operand = "0" if "parity" in row else "%whole"
    before = f"{opcode} %any, [{place}], {operand};"
    body = f"""{_begin()} {setup} mbarrier.arrive.shared::cta.b64 %whole, [%bar], %arrivals; {_state("%whole")}
    {before} selp.b32 %count, 8, 0, %any; add.u32 %pending, %pending, %count; {_finish()} {opcode} %done, [{place}], {operand};"""
    return _micro(row, opcode, body)


def _retries(row: str, opcode: str) -> Micro:
    """So many waits for a phase that never ends; then it ends, and the next ones find it so. A hint changes nothing."""
    setup, place = _where(opcode)
    operand = "0" if "parity" in row else "%whole"
    hint = ", 1000" if "try" in row else ""
    body = f"""{_begin()} {setup} mbarrier.arrive.shared::cta.b64 %whole, [%bar], %arrivals; {_state("%whole")}
    .reg .b32 %tries; mov.u32 %tries, 0; .reg .pred %again;
    tries: {opcode} %done, [{place}], {operand}{hint}; @%done bra over;
    add.u32 %tries, %tries, 1; setp.le.u32 %again, %tries, %part; @%again bra tries;
    over: shl.b32 %tries, %tries, 8; or.b32 %pending, %pending, %tries;
    mbarrier.arrive.shared::cta.b64 %dropped, [%bar], %left; {opcode} %odd, [{place}], {operand}{hint};
    {_ODD} %end, [%bar], 0;"""
    return _micro(row, f"{opcode} retries", body)


def _phases(row: str, opcode: str) -> Micro:
    """Three phases one after the other: each wait is for the phase that has just ended, and for the one before it."""
    setup, place = _where(opcode)
    waits: list[str] = []
    for phase, found in enumerate(("%done", "%odd", "%end")):
        operand = str(phase & 1) if "parity" in row else "%whole"
        waits.append(f"mbarrier.arrive.shared::cta.b64 %whole, [%bar], %arrivals; {_state('%whole')}")
        waits.append("mbarrier.arrive.shared::cta.b64 %dropped, [%bar], %left;")
        waits.append(f"{opcode} {found}, [{place}], {operand};")
    return _micro(row, f"{opcode} phases", f"{_begin()} {setup} {' '.join(waits)}")


def _bytes(row: str, opcode: str) -> Micro:
    """Bytes that are expected and come keep the phase open: waits before them, between them and after them."""
    setup, place = _where(opcode)
    expect, complete = (opcode.replace(row, f"mbarrier.{n}") for n in ("expect_tx", "complete_tx"))
    body = f"""{_begin()} {setup} max.u32 %bytes, %bytes, 16; {expect} [{place}], %bytes;
    mbarrier.arrive.shared::cta.b64 %whole, [%bar], %arrivals; {_state("%whole")}
    mbarrier.arrive.shared::cta.b64 %dropped, [%bar], %left; {_ODD} %done, [%bar], 0;
    sub.u32 %bytes, %bytes, 8; {complete} [{place}], %bytes; {_ODD} %odd, [%bar], 0;
    {complete} [{place}], 8; {_ODD} %end, [%bar], 0;"""
    return _micro(row, opcode, body, cluster=2 if place == "%remote" else 0)


def _again(row: str, opcode: str) -> Micro:
    """A barrier that ends in the middle of a phase; the one that is made in its place begins with all arrivals pending."""
    setup, place = _where(opcode)
    init = f"{opcode} [{place}], %count;" if row == "mbarrier.init" else "mbarrier.init.shared::cta.b64 [%bar], %count;"
    inval = f"{opcode} [{place}];" if row == "mbarrier.inval" else "mbarrier.inval.shared::cta.b64 [%bar];"
    body = f"""{_begin()} {setup} mbarrier.arrive.shared::cta.b64 %dropped, [%bar], %arrivals; {inval} {init}
    mbarrier.arrive.shared::cta.b64 %whole, [%bar], %arrivals; {_state("%whole")} {_finish()}"""
    return _micro(row, opcode, body)


def _counted() -> Micro:
    """Pending counts of the states before, in the middle of and at the end of a phase, side by side."""
    body = f"""{_begin()} .reg .b32 %second, %third;
    mbarrier.arrive.shared::cta.b64 %whole, [%bar], %arrivals; mbarrier.arrive.shared::cta.b64 %state, [%bar], %left;
    mbarrier.arrive.shared::cta.b64 %dropped, [%bar]; mbarrier.pending_count.b64 %second, %state;
    mbarrier.pending_count.b64 %third, %dropped; {_state("%whole")}
    shl.b32 %second, %second, 8; or.b32 %pending, %pending, %second; shl.b32 %third, %third, 16; or.b32 %pending, %pending, %third;
    mbarrier.test_wait.shared::cta.b64 %done, [%bar], %state; mbarrier.test_wait.shared::cta.b64 %odd, [%bar], %dropped;
    {_ODD} %end, [%bar], 0;"""
    return _micro("mbarrier.pending_count", "mbarrier.pending_count.b64", body)
