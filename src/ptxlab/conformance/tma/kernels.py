"""Kernels that show what copies through tensor maps do, as PTX: one CTA for each case, so that a launch carries hundreds.

A case is a map, a row of `ROW` 32-bit numbers and a piece of the arrays. A load fills shared memory with `FILLER`, copies a box
over it and writes all of it out; a store or a reduction takes its box from shared memory that was filled with the case's bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ptxlab.conformance.rows.probes import TARGET, VERSION

THREADS: Final = 128
DUMP: Final = 10240
"""Bytes of shared memory that a case has; a box and its base fit into it."""
FILLER: Final = 0xC3
ROW: Final = 16
"""Numbers of a case: five coordinates, three im2col offsets, the bytes that the barrier expects, the box's base, the address of the
tensor in two halves."""
NBYTES_AT: Final = 8
BASE_AT: Final = 9
ADDRESS_AT: Final = 10

_STEP = THREADS * 16
_HEAD = f"""
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>, %c<8>, %v<4>; .reg .b64 %rd<8>;
    .shared .align 1024 .b8 buf[{DUMP}]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [maps]; ld.param.u64 %rd2, [rows]; ld.param.u64 %rd3, [data]; ld.param.u64 %rd4, [states];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
    mad.wide.u32 %rd1, %r1, 128, %rd1; mad.wide.u32 %rd2, %r1, {4 * ROW}, %rd2;
    mad.wide.u32 %rd3, %r1, {DUMP}, %rd3; mad.wide.u32 %rd4, %r1, 8, %rd4;
    mov.u32 %r4, buf; shl.b32 %r5, %r2, 4; cvt.u64.u32 %rd5, %r5; add.u32 %r5, %r5, %r4; add.u64 %rd3, %rd3, %rd5;
    setp.ne.u32 %p0, %r2, 0;
"""
_OPERANDS = f"""
    ld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%rd2]; ld.global.v4.b32 {{%c4, %c5, %c6, %c7}}, [%rd2+16];
    ld.global.v2.b32 {{%r8, %r9}}, [%rd2+{4 * NBYTES_AT}];
    cvt.u16.u32 %h0, %c5; cvt.u16.u32 %h1, %c6; cvt.u16.u32 %h2, %c7; add.u32 %r9, %r9, %r4;
"""
_ARRIVED = """
    mov.u32 %r10, 20000;
    POLL: mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r7], 0;
    @%p1 bra ARRIVED;
    nanosleep.u32 100; sub.u32 %r10, %r10, 1; setp.ne.u32 %p2, %r10, 0;
    @%p2 bra POLL;
    ARRIVED: mbarrier.inval.shared::cta.b64 [%r7];
    // ptxlab: ignore[PTX9240]: the record says what a chip leaves where an mbarrier was
    ld.shared.b64 %rd6, [%r7]; st.global.b64 [%rd4], %rd6;
"""


def load(mode: str, rank: int, prologue: str = "") -> str:
    """A kernel `k(maps, rows, data, states)` of loads; `data` gets shared memory, `states` the barriers.

    Args:
        mode: "tile" or "im2col". rank: of the maps. prologue: what the first warp does before, see `rebinding`.
    """
    fill = "".join(f"st.shared.v4.b32 [%r5+{at}], {{%r6, %r6, %r6, %r6}};" for at in range(0, DUMP, _STEP))
    offsets = "" if mode == "tile" else ", {" + ", ".join(f"%h{i}" for i in range(rank - 2)) + "}"
    return _kernel(
        f"{prologue} mov.b32 %r6, {FILLER * 0x01010101:#x}; {fill} fence.proxy.async.shared::cta; bar.sync 0; @%p0 bra DONE;"
        f"mov.u32 %r7, bar; mbarrier.init.shared::cta.b64 [%r7], 1; fence.mbarrier_init.release.cluster; {_OPERANDS}"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], %r8;"
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes "
        f"[%r9], [%rd1, {_coordinates(rank)}], [%r7]{offsets}; {_ARRIVED} DONE: bar.sync 0;" + _copy("st", "ld")
    )


def store(mode: str, rank: int, op: str | None = None) -> str:
    """A kernel `k(maps, rows, data, states)` of stores, or of reductions by `op`; `data` is what goes into shared memory.

    Args:
        mode: "tile" or "im2col_no_offs". rank: of the maps.
    """
    head = "cp.async.bulk.tensor" if op is None else "cp.reduce.async.bulk.tensor"
    kind = f"{'' if op is None else op + '.'}{mode}"
    return _kernel(
        _copy("ld", "st") + "fence.proxy.async.shared::cta; bar.sync 0; @%p0 bra DONE;" + _OPERANDS + f"{head}.{rank}d."
        f"global.shared::cta.{kind}.bulk_group [%rd1, {_coordinates(rank)}], [%r9];"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; DONE:"
    )


def _copy(global_: str, shared: str) -> str:
    """Shared memory from `data` (ld, st) or to it (st, ld)."""
    values = "{%v0, %v1, %v2, %v3}"
    lines: list[str] = []
    for at in range(0, DUMP, _STEP):
        ends = [f"[%r5+{at}]", f"[%rd3+{at}]"]
        if global_ == "ld":
            lines.append(f"ld.global.v4.b32 {values}, {ends[1]}; {shared}.shared.v4.b32 {ends[0]}, {values};")
        else:
            lines.append(f"{shared}.shared.v4.b32 {values}, {ends[0]}; st.global.v4.b32 {ends[1]}, {values};")
    return "".join(lines)


def _coordinates(rank: int) -> str:
    return "{" + ", ".join(f"%c{i}" for i in range(rank)) + "}"


def _kernel(body: str) -> str:
    params = ", ".join(f".param .u64 {name}" for name in ("maps", "rows", "data", "states"))
    return _module(params, _HEAD + body)


def _module(params: str, body: str) -> str:
    return (
        f".version {VERSION[0]}.{VERSION[1]}\n.target {TARGET}\n.address_size 64\n"
        f".visible .entry k({params})\n{{\n" + body.replace(";", ";\n") + "    ret;\n}\n"
    )


PIECE: Final = 2048
"""Bytes that one bulk reduction combines: 16 from each thread."""


def bulk_reduction(op: str, type_: str, space: str) -> str:
    """A kernel `k(source, target)` that combines `PIECE` bytes in global memory, or in the shared memory of the other CTA of
    a pair ("shared::cluster")."""
    noftz = ".noftz" if op == "add" and type_ in ("f16", "bf16") else ""
    head = f"""
    .reg .pred %p0; .reg .b32 %r<12>, %v<4>; .reg .b64 %rd<6>;
    .shared .align 128 .b8 buf[{PIECE}], sum[{PIECE}]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [source]; ld.param.u64 %rd2, [target]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; cvt.u64.u32 %rd3, %r2;
    mov.u32 %r3, buf; mov.u32 %r4, sum; mov.u32 %r7, bar; add.u32 %r5, %r2, %r3; add.u32 %r6, %r2, %r4;
    mov.u32 %r8, %ctaid.x; mul.wide.u32 %rd4, %r8, {PIECE}; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4;
    add.u64 %rd1, %rd1, %rd3; add.u64 %rd3, %rd2, %rd3;
    ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%rd1]; st.shared.v4.b32 [%r5], {{%v0, %v1, %v2, %v3}};
    ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%rd3]; st.shared.v4.b32 [%r6], {{%v0, %v1, %v2, %v3}};
    setp.ne.u32 %p0, %r1, 0; fence.proxy.async; bar.sync 0;
    """
    if space == "global":
        body = f"""@%p0 bra DONE;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}{noftz}.{type_} [%rd2], [%r3], {PIECE};
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; DONE:"""
    else:
        body = f"""@%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [%r7], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], {PIECE};
    DONE: fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
    @%p0 bra END;
    fence.proxy.async; mov.u32 %r8, %cluster_ctarank; xor.b32 %r8, %r8, 1;
    mapa.shared::cluster.u32 %r9, %r4, %r8; mapa.shared::cluster.u32 %r10, %r7, %r8;
    cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{type_} [%r9], [%r3], {PIECE}, [%r10];
    WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [%r7], 0;
    @!%p0 bra WAIT;
    END: bar.sync 0; ld.shared.v4.b32 {{%v0, %v1, %v2, %v3}}, [%r6]; st.global.v4.b32 [%rd3], {{%v0, %v1, %v2, %v3}};
    barrier.cluster.arrive; barrier.cluster.wait;"""
    return _module(".param .u64 source, .param .u64 target", head + body)


# --- maps that the kernel changes ---------------------------------------------------------------------------------------
MAP: Final = 128
_COPY_IN: Final = "ld.global.b32 %v0, [%rd1]; st.shared.b32 [%r5], %v0; bar.warp.sync 0xffffffff;"
_COPY_OUT: Final = "bar.warp.sync 0xffffffff; ld.shared.b32 %v0, [%r5]; st.global.b32 [%rd1], %v0;"


def replacement(field: str, space: str, ordinal: int | None, immediate: int | None) -> str:
    """A kernel `k(maps, values)` of one warp: tensormap.replace on the map of each CTA, where it lies or in shared memory.

    Args:
        field: of tensormap.replace, in the manual's words. space: "global" or "shared::cta".
        ordinal: the dimension, for fields that have one. immediate: the value, for fields that take no register.
    """
    at = "%rd2" if space == "global" else "%r4"
    wide = field in ("global_address", "global_stride")
    value = str(immediate) if immediate is not None else "%rd4" if wide else "%r6"
    change = replace(field, space, at, value, ordinal)
    copies = ("", "") if space == "global" else (_COPY_IN, _COPY_OUT)
    return _module(
        ".param .u64 maps, .param .u64 values",
        f"""
    .reg .pred %p0; .reg .b32 %r<8>, %v0; .reg .b64 %rd<8>; .shared .align 128 .b8 map[{MAP}];
    ld.param.u64 %rd1, [maps]; ld.param.u64 %rd3, [values]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
    mad.wide.u32 %rd2, %r1, {MAP}, %rd1; mad.wide.u32 %rd1, %r2, 4, %rd2; mad.wide.u32 %rd3, %r1, 8, %rd3;
    mov.u32 %r4, map; shl.b32 %r5, %r2, 2; add.u32 %r5, %r5, %r4;
    ld.global.b64 %rd4, [%rd3]; cvt.u32.u64 %r6, %rd4; setp.ne.u32 %p0, %r2, 0;
    {copies[0]}
    @%p0 bra DONE;
    {change}
    DONE: {copies[1]}
    """,
    )


def replace(field: str, space: str, at: str, value: str, ordinal: int | None = None) -> str:
    """One tensormap.replace."""
    bits = 64 if field in ("global_address", "global_stride") else 32
    number = "" if ordinal is None else f"{ordinal}, "
    return f"tensormap.replace.tile.{field}.{space}.b1024.b{bits} [{at}], {number}{value};"


def rebinding(changes: Sequence[tuple[str, int | None, int]], *, staged: bool) -> str:
    """What gives a CTA's map other contents before a load: all the changes (field, ordinal, value), published and acquired.

    The address comes from the case's numbers.

    Args:
        staged: the map is made in shared memory and copied back; else it is changed where it lies.
    """
    at, space = ("%r11", "shared::cta") if staged else ("%rd1", "global")
    lines = [f"ld.global.b64 %rd6, [%rd2+{4 * ADDRESS_AT}];", replace("global_address", space, at, "%rd6")]
    for field, ordinal, value in changes:
        operand = str(value)
        if field not in IMMEDIATE:
            operand = "%rd7" if field == "global_stride" else "%r12"
            lines.append(f"mov.b{64 if field == 'global_stride' else 32} {operand}, {value};")
        lines.append(replace(field, space, at, operand, ordinal))
    change = " ".join(lines)
    if not staged:
        return (
            f"@%p0 bra BOUND; {change} fence.proxy.tensormap::generic.release.gpu;"
            " fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128; BOUND:"
        )
    return f"""
    .shared .align 128 .b8 map[{MAP}];
    setp.ge.u32 %p3, %r2, 32;
    @%p3 bra BOUND;
    mov.u32 %r11, map; shl.b32 %r13, %r2, 2; cvt.u64.u32 %rd7, %r13; add.u32 %r13, %r13, %r11; add.u64 %rd7, %rd7, %rd1;
    ld.global.b32 %v0, [%rd7]; st.shared.b32 [%r13], %v0; bar.warp.sync 0xffffffff;
    @%p0 bra PUBLISH;
    {change}
    PUBLISH: bar.warp.sync 0xffffffff;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r11], {MAP};
    fence.proxy.tensormap::generic.acquire.gpu [%rd1], {MAP};
    BOUND:
    """


IMMEDIATE: Final = {"elemtype": 13, "interleave_layout": 3, "swizzle_mode": 4, "fill_mode": 2}
"""Fields of tensormap.replace that take no register, and how many values an sm_90a has for them."""
