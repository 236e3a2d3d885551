"""Micro-kernels for asynchronous copies, stores into other CTAs and fences: each lane has its own transfer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.conformance.micro.kernel import RAW, THREADS, Column, Micro
from ptxlab.conformance.rows.probes import Probe, of_row
from ptxlab.isa.form import FORMS
from ptxlab.isa.types import TYPES

_POLICY: Final = ".reg .b64 %policy; createpolicy.fractional.L2::evict_last.b64 %policy;"
_LINE: Final = 64
"""Bytes of shared memory of a lane."""
_BARS: Final = _LINE * THREADS
_SHARED: Final = _BARS + 8 * THREADS
_LEFT: Final = tuple(Column(f"left{i}", "b64") for i in range(RAW // 8))
_TOGETHER: Final = "barrier.cluster.arrive; barrier.cluster.wait;"
_CLUSTER: Final = ".acquire.cluster"
"""Of waits for what another CTA has sent."""


def _setup(cluster: int = 0) -> str:
    """%place is the lane's line, filled with random bytes backwards; %bar its mbarrier of one arrival."""
    lines = [
        ".reg .b32 %place, %bar, %fill32; .reg .b64 %fill; .reg .pred %over;",
        f"mad.lo.u32 %place, %t, {_LINE}, %mem; mad.lo.u32 %bar, %t, 8, %mem; add.u32 %bar, %bar, {_BARS};",
        "mbarrier.init.shared::cta.b64 [%bar], 1;",
    ]
    for i in range(0, RAW, 8):
        lines.append(
            f"ld.global.b64 %fill, [%raw+{i}]; not.b64 %fill, %fill; st.shared.b64 [%place+{RAW - 8 - i}], %fill;"
        )
    lines.append("fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;")
    if cluster:
        lines.append(".reg .b32 %rank, %peer, %there, %bar_there; mov.u32 %rank, %cluster_ctarank;")
        lines.append(f"add.u32 %peer, %rank, 1; rem.u32 %peer, %peer, {cluster};")
        lines.append(
            "mapa.shared::cluster.u32 %there, %place, %peer; mapa.shared::cluster.u32 %bar_there, %bar, %peer;"
        )
        # the CTA that sends needs a fence as well: that of the receiver is for what its own CTA sends
        lines.append(f"{_TOGETHER} fence.proxy.async;")
    return "\n    ".join(lines)


_READ: Final = " ".join(f"ld.shared.b64 %{c.name}, [%place+{8 * i}];" for i, c in enumerate(_LEFT))


def _waited(sem: str = "") -> str:
    """A wait for the first phase of %bar; `sem` is how it acquires."""
    return f"{{ again: mbarrier.test_wait.parity{sem}.shared::cta.b64 %over, [%bar], 0; @!%over bra again; }}"


def _policy(opcode: str) -> tuple[str, str]:
    return (_POLICY, ", %policy") if "L2::cache_hint" in opcode else ("", "")


def _opcodes(row: str, limit: int = 48) -> list[str]:
    return list(dict.fromkeys(p.opcode for p in of_row(FORMS[row], limit, 0)))


# --- cp.async -----------------------------------------------------------------------------------------------------------
_ENDS: Final = (
    "cp.async.wait_all;",
    "cp.async.commit_group; cp.async.wait_group 0;",
    "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;",
)


def async_copy() -> list[Micro]:
    """Every size, with bytes and with predicates left out, and every way to wait."""
    out: list[Micro] = []
    for row in ("cp.async", "cp.async.ignore_src"):
        for i, opcode in enumerate(_opcodes(row)):
            sizes = (16,) if ".cg." in opcode else (4, 8, 16)
            for j, size in enumerate(sizes):
                out.append(_cp_async(row, opcode, size, _ENDS[(i + j) % len(_ENDS)], short=False))
                if row == "cp.async":
                    out.append(_cp_async(row, opcode, size, _ENDS[(i + j + 1) % len(_ENDS)], short=True))
    return [*out, *_arriving()]


def _cp_async(row: str, opcode: str, size: int, end: str, *, short: bool) -> Micro:
    made, policy = _policy(opcode)
    inputs, operand, text = (), "", f"{opcode} {size} {end}"
    if row.endswith("ignore_src"):
        inputs, operand = (Column("drop", "pred"),), ", %drop"
    elif short:
        inputs, operand, text = (Column("count", "b32", below=size + 1),), ", %count", f"{text} src_size"
    call = f"{opcode} [%place], [%raw], {size}{operand}{policy};"
    body = f"{_setup()} {made} {call} {end} {_READ}"
    return Micro("async_copy", row, text, inputs, _LEFT, body, shared=_SHARED)


def _arriving() -> Iterator[Micro]:
    """An mbarrier that the copies of a thread complete."""
    for opcode in _opcodes("cp.async.mbarrier.arrive"):
        shared = ".shared" in opcode
        generic = ".reg .b64 %wide; cvt.u64.u32 %wide, %bar; cvta.shared.u64 %wide, %wide;"
        own = "" if ".noinc" in opcode else " mbarrier.arrive.shared::cta.b64 %state, [%bar];"
        body = (
            f"{_setup()} .reg .b64 %state; {generic} cp.async.ca.shared.global [%place], [%raw], 16; "
            f"{opcode} [{'%bar' if shared else '%wide'}];{own} {_waited()} {_READ}"
        )
        yield Micro("async_copy", "cp.async.mbarrier.arrive", opcode, (), _LEFT, body, shared=_SHARED)


# --- bulk copies ----------------------------------------------------------------------------------------------------------
_TX: Final = ".reg .b64 %state; mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%bar], %bytes;"
_BYTES: Final = Column("half", "b32", below=2)
_HOW_MANY: Final = ".reg .b32 %bytes; mad.lo.u32 %bytes, %half, 16, 16;"
_SLOT: Final = " ".join(f"ld.global.b64 %{c.name}, [%slot+{8 * i}];" for i, c in enumerate(_LEFT))


def bulk() -> list[Micro]:
    """A copy of 16 or 32 bytes for each lane, in every direction."""
    out: list[Micro] = []
    for opcode in _opcodes("cp.async.bulk.g2cta"):
        out.append(_inward("cp.async.bulk.g2cta", opcode))
    for opcode in _opcodes("cp.async.bulk.g2cluster"):
        made = _multicast if "multicast" in opcode else _inward
        out.append(made("cp.async.bulk.g2cluster", opcode))
    out.append(_across(_opcodes("cp.async.bulk.cta2cluster")[0]))  # .b128 is younger than the record
    for opcode in _opcodes("cp.async.bulk.cta2g"):
        out += [_outward(opcode, read=r) for r in ("", ".read")]
    return out


def _inward(row: str, opcode: str) -> Micro:
    made, policy = _policy(opcode)
    call = f"{opcode} [%place], [%raw], %bytes, [%bar]{policy};"
    body = f"{_setup()} {_HOW_MANY} {made} {_TX} {call} {_waited()} {_READ}"
    return Micro("bulk", row, opcode, (_BYTES,), _LEFT, body, shared=_SHARED)


def _multicast(row: str, opcode: str) -> Micro:
    """Rank 0 of four copies to the CTAs of a mask; the others see what came, and whether anything did."""
    made, policy = _policy(opcode)
    inputs = (_BYTES, Column("drawn", "b32", below=15))
    body = f"""{_setup(4)} .reg .b32 %mask, %word; .reg .b16 %ctas; .reg .pred %in, %first; {made}
    .reg .b32 %bytes; .reg .b32 %all; ld.global.b32 %word, [%raw]; .reg .b64 %base;
    .reg .b32 %back; mul.lo.u32 %back, %rank, {THREADS * RAW}; cvt.u64.u32 %base, %back; sub.u64 %base, %raw, %base;
    ld.global.b32 %word, [%base]; shr.u32 %bytes, %word, 8; and.b32 %bytes, %bytes, 16; add.u32 %bytes, %bytes, 16;
    and.b32 %mask, %word, 15; or.b32 %mask, %mask, 2; shr.u32 %all, %mask, %rank; and.b32 %all, %all, 1;
    setp.ne.u32 %in, %all, 0; setp.eq.u32 %first, %rank, 0; cvt.u16.u32 %ctas, %mask; .reg .b64 %state;
    @%in mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%bar], %bytes;
    {_TOGETHER}
    @%first {opcode} [%place], [%base], %bytes, [%bar], %ctas{policy};
    @!%in bra none; {_waited(_CLUSTER)}
    none: {_TOGETHER} {_READ}"""
    return Micro("bulk", row, opcode, inputs[:0], _LEFT, body, shared=_SHARED, cluster=4)


def _across(opcode: str) -> Micro:
    """Into the next CTA of four, at the second half of its line."""
    call = f"{opcode} [%there+{RAW}], [%place], %bytes, [%bar_there];"
    # what comes has the length that the lane in front drew: the sum of both phases' bytes is known to the receiver alone
    body = f"""{_setup(4)} .reg .b32 %bytes; .reg .b64 %state; mov.u32 %bytes, 32;
    mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%bar], %bytes; {_TOGETHER} {call} {_waited(_CLUSTER)}
    {_READ.replace("[%place+", f"[%place+{RAW}+")} {_TOGETHER}"""
    return Micro("bulk", "cp.async.bulk.cta2cluster", opcode, (), _LEFT, body, shared=_SHARED, cluster=4)


def _outward(opcode: str, read: str) -> Micro:
    made, policy = _policy(opcode)
    wait = f"cp.async.bulk.commit_group; cp.async.bulk.wait_group{read} 0;"
    if read:  # the source may be changed then, and what was written is still what was there
        wait += " st.shared.b64 [%place], %fill; cp.async.bulk.wait_group 0;"
    body = (
        f"{_setup()} {_HOW_MANY} {made} fence.proxy.async; {opcode} [%slot], [%place], %bytes{policy}; {wait} {_SLOT}"
    )
    return Micro("bulk", "cp.async.bulk.cta2g", f"{opcode} wait{read}", (_BYTES,), _LEFT, body, shared=_SHARED)


# --- st.async, red.async --------------------------------------------------------------------------------------------------
def remote() -> list[Micro]:
    """A store or reduction into the next CTA of two, counted by its mbarrier."""
    out: list[Micro] = []
    for row in ("st.async", "red.async"):
        for probe in {p.opcode: p for p in of_row(FORMS[row], 48, 0)}.values():
            out.append(_remote(probe))
    return out


def _remote(probe: Probe) -> Micro:
    count = int(probe.mods.get("vec", "v1").removeprefix("v"))
    type_ = probe.mods["type"]
    values = tuple(Column(f"b{i}", type_) for i in range(count))
    operand = ", ".join(f"%{c.name}" for c in values)
    operand = f"{{{operand}}}" if count > 1 else operand
    size = count * TYPES[type_].bits // 8
    place, bar, generic = "%there", "%bar_there", ""
    if ".shared." in probe.opcode or ".shared::cta" in probe.opcode:
        place, bar = "%place", "%bar"
    elif "shared::cluster" not in probe.opcode:
        place, bar = "%wide", "%wide_bar"
        generic = (
            ".reg .b64 %wide, %wide_bar; cvt.u64.u32 %wide, %place; cvta.shared.u64 %wide, %wide; "
            "mapa.u64 %wide, %wide, %peer; cvt.u64.u32 %wide_bar, %bar; cvta.shared.u64 %wide_bar, %wide_bar; "
            "mapa.u64 %wide_bar, %wide_bar, %peer;"
        )
    body = f"""{_setup(2)} {generic} .reg .b64 %state;
    mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%bar], {size}; {_TOGETHER}
    {probe.opcode} [{place}], {operand}, [{bar}]; {_waited(_CLUSTER)} {_READ} {_TOGETHER}"""
    return Micro("remote", probe.form.key, probe.opcode, values, _LEFT, body, shared=_SHARED, cluster=2)


# --- fences ---------------------------------------------------------------------------------------------------------------
def fence() -> list[Micro]:
    """What crosses a fence: between proxies, between the CTAs of a cluster."""
    out: list[Micro] = []
    for row in ("fence.proxy.async", "fence.proxy.alias", "membar.proxy.alias"):
        out += [_published(row, opcode) for opcode in _opcodes(row)]
    for row in ("fence.sync_restrict", "fence.proxy.async::generic", "fence.mbarrier_init"):
        out += [_visible(row, opcode) for opcode in _opcodes(row)]
    return out


def _published(row: str, opcode: str) -> Micro:
    """An ordinary store, the fence, and a bulk copy that must read it."""
    strong = "" if "proxy.async" in row and "global" not in opcode else "fence.proxy.async;"
    body = f"""{_setup()} st.shared.b64 [%place], %x; {opcode}; {strong}
    cp.async.bulk.global.shared::cta.bulk_group [%slot], [%place], {RAW}; cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0; {_SLOT}"""
    return Micro("fence", row, opcode, (Column("x", "b64"),), _LEFT, body, shared=_SHARED)


def _visible(row: str, opcode: str) -> Micro:
    """A store into the next CTA of two, the fence on both sides of the cluster's barrier, and a load there."""
    body = f"""{_setup(2)} st.shared::cluster.b64 [%there+8], %x; {opcode};
    barrier.cluster.arrive.release; barrier.cluster.wait.acquire; {opcode}; {_READ} {_TOGETHER}"""
    return Micro("fence", row, opcode, (Column("x", "b64"),), _LEFT, body, shared=_SHARED, cluster=2)
