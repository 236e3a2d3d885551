"""Addresses of shared memory: the CTA's rank from bit 24 up, the kernel's first byte at 0x400, and what accesses make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxlab.diag import Diagnostic

from ...launching import launch

BASE = 0x400
WINDOW = 1 << 56
SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"


def values(body: str, count: int, *, cluster: int = 1, shared: int = 0, threads: int = 1) -> list[list[int]]:
    """What `st.global.u64 [p+8*i]` wrote, by CTA: the kernel runs in one cluster, one thread a CTA."""
    out = np.zeros((cluster, count), "u8")
    text = f""".extern .shared .align 64 .b8 dyn[];
    .visible .entry k(.param .u64 out) {{
        .reg .u32 x, y, own, peer; .reg .u64 p, q, g; .reg .pred c, e;
        .shared .align 16 .b8 first[16]; .shared .align 16 .b8 buf[48]; .shared .align 8 .b64 bar;
        ld.param.u64 p, [out]; mov.u32 x, %ctaid.x; mad.wide.u32 p, x, {8 * count}, p;
        mov.u32 own, %cluster_ctarank; xor.b32 peer, own, 1;
        mov.u32 x, first;
        {body}
        exit;
    }}"""
    launch(text, [out], grid=(cluster, 1, 1), cluster=(cluster, 1, 1), block=(threads, 1, 1), shared=shared)
    return out.tolist()


def put(i: int, what: str) -> str:
    return f"cvt.u64.u32 q, {what}; st.global.u64 [p+{8 * i}], q;"


@pytest.mark.parametrize("cluster", [1, 2, 4])
def test_variables_lie_behind_the_systems_part_under_the_rank(cluster: int) -> None:
    body = f"""
        mov.u32 y, buf; {put(0, "y")} mov.u32 y, dyn; {put(1, "y")} mov.u64 q, buf+4; st.global.u64 [p+16], q;
        add.u32 y, x, 4; {put(3, "y")}
    """
    for rank, got in enumerate(values(body, 4, cluster=cluster, shared=64)):
        top = rank << 24
        assert got == [top + BASE + 16, top + BASE + 64, top + BASE + 20, top + BASE + 4]


def test_constants_and_parameters_have_windows_of_their_own() -> None:
    """A bit for each space that isspacep finds: of constants, of the kernel's parameters, of a variable, of an array."""
    spaces = ("global", "const", "param", "param::entry", "shared", "local")

    def asked(i: int) -> str:
        bits = (f"isspacep.{s} c, g; selp.u32 x, {1 << n}, 0, c; or.b32 y, y, x;" for n, s in enumerate(spaces))
        return f"mov.u32 y, 0; {' '.join(bits)} {put(i, 'y')}"

    out = np.zeros(4, "u8")
    text = f""".const .align 8 .b64 table[3] = {{1, 2, 3}}; .global .align 8 .b64 words[3];
    .visible .entry k(.param .u64 out) {{
        .reg .u32 x, y; .reg .u64 p, q, g; .reg .pred c; ld.param.u64 p, [out];
        mov.u64 g, table; cvta.const.u64 g, g; add.u64 g, g, 16; {asked(0)}
        mov.b64 g, out; cvta.param.u64 g, g; {asked(1)} mov.u64 g, words; cvta.global.u64 g, g; {asked(2)}
        mov.u64 g, p; {asked(3)}
        exit;
    }}"""
    launch(text, [out], block=(1, 1, 1))
    window, inside = 1 << spaces.index("const"), 1 << spaces.index("global")
    assert out.tolist() == [window, inside | 0b1100, inside, inside]


def test_mapa_replaces_the_rank_and_getctarank_reads_it() -> None:
    body = f"""
        mov.u32 x, buf;
        mapa.shared::cluster.u32 y, x, peer; {put(0, "y")}
        getctarank.shared::cluster.u32 y, y; {put(1, "y")}
        cvt.u64.u32 g, x; mapa.shared::cluster.u64 q, g, 3; st.global.u64 [p+16], q;
        cvta.shared.u64 g, g; mapa.u64 g, g, peer; st.global.u64 [p+24], g;
        getctarank.u64 y, g; {put(4, "y")}
        mapa.shared::cluster.u32 y, buf, peer; {put(5, "y")}
    """
    for rank, got in enumerate(values(body, 6, cluster=4)):
        peer, at = rank ^ 1, BASE + 16
        there = peer << 24 | at
        assert got == [there, peer, 3 << 24 | at, WINDOW + there, peer, there]


def test_generic_addresses_keep_the_rank() -> None:
    body = """
        mov.u64 g, buf; cvta.shared.u64 q, g; st.global.u64 [p], q;
        cvta.to.shared.u64 q, q; st.global.u64 [p+8], q;
        or.b64 g, g, 0x7f00000000; cvta.shared::cluster.u64 q, g; st.global.u64 [p+16], q;
    """
    for rank, got in enumerate(values(body, 3, cluster=2)):
        at = rank << 24 | BASE + 16
        assert got == [WINDOW + at, at, WINDOW + at]


def test_the_window_of_the_cta_lies_within_that_of_the_cluster() -> None:
    def asks(i: int, space: str) -> str:
        return f"isspacep.{space} c, g; selp.u32 y, 1, 0, c; {put(i, 'y')}"

    body = f"""
        cvt.u64.u32 g, x; cvta.shared.u64 g, g;
        {asks(0, "shared")} {asks(1, "shared::cta")} {asks(2, "shared::cluster")} {asks(3, "global")} {asks(4, "local")}
        mapa.u64 g, g, peer;
        {asks(5, "shared")} {asks(6, "shared::cta")} {asks(7, "shared::cluster")} {asks(8, "global")} {asks(9, "local")}
        mov.u64 g, p; {asks(10, "shared::cluster")} {asks(11, "global")}
    """
    assert values(body, 12, cluster=2) == [[1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1]] * 2


# Every CTA writes its rank + 1 and reads by the address in `x` of the space named.
READS = {
    "own": ("mov.u32 x, buf;", (1, 2)),
    "peer": ("mapa.shared::cluster.u32 x, buf, peer;", (2, 1)),
    "no rank": ("mov.u32 x, buf; and.b32 x, x, 0xffffff;", (1, 1)),
}
FILL = f"add.u32 y, own, 1; st.shared.u32 [buf], y; {SYNC}"


@pytest.mark.parametrize("named", READS)
def test_cluster_and_generic_accesses_go_by_the_rank(named: str) -> None:
    address, there = READS[named]
    body = f"""
        {FILL} {address}
        ld.shared::cluster.u32 y, [x]; {put(0, "y")}
        cvt.u64.u32 g, x; cvta.shared.u64 g, g; ld.u32 y, [g]; {put(1, "y")}
        atom.shared::cluster.or.b32 y, [x], 0; {put(2, "y")} atom.or.b32 y, [g], 0; {put(3, "y")}
        ld.shared.u32 y, [buf]; {put(4, "y")} ld.u32 y, [buf]; {put(5, "y")}
        {SYNC}
    """
    got = np.array(values(body, 6, cluster=2)).T.tolist()
    assert got == [list(there)] * 4 + [[1, 2]] * 2


def test_cta_accesses_take_the_executing_ctas_own_addresses() -> None:
    body = f"""
        {FILL} mov.u32 x, buf; mapa.shared::cluster.u32 x, x, own;
        ld.shared.u32 y, [x]; {put(0, "y")} ld.shared::cta.u32 y, [x]; {put(1, "y")}
        atom.shared::cta.or.b32 y, [x], 0; {put(2, "y")} {SYNC}
    """
    assert np.array(values(body, 3, cluster=2)).T.tolist() == [[1, 2]] * 3


def test_an_arrival_by_mapa_reaches_the_other_ctas_barrier() -> None:
    body = f"""
        add.u32 y, own, 2; mbarrier.init.shared::cta.b64 [bar], y; {SYNC}
        mapa.shared::cluster.u32 x, bar, peer;
        mbarrier.arrive.shared::cta.b64 q, [bar]; mbarrier.pending_count.b64 y, q; {put(0, "y")}
        {SYNC}
        mbarrier.arrive.shared::cluster.b64 _, [x]; {SYNC}
        mbarrier.inval.shared::cta.b64 [bar]; ld.shared.u64 q, [bar]; st.global.u64 [p+8], q; {SYNC}
    """
    first, second = values(body, 2, cluster=2)
    assert (first[0], second[0]) == (2, 3)
    # rank 0 counts two arrivals a phase, its own and the peer's; rank 1 lacks a third
    assert (first[1] >> 63, second[1] >> 63) == (1, 0)


def test_special_registers() -> None:
    names = ("begin", "end", "cap", "0")
    body = "".join(f"mov.u32 y, %reserved_smem_offset_{n}; {put(i, 'y')}" for i, n in enumerate(names))
    body += "".join(f"mov.u32 y, %{n}_smem_size; {put(4 + i, 'y')}" for i, n in enumerate(("dynamic", "total", "aggr")))
    (got,) = values(body + "mov.u32 y, dyn;", 7, shared=1000)
    wanted = 64 + 1000 + 56  # `first`, up to where `dyn` is aligned; `dyn`; `buf` and `bar`, which nothing names
    assert got == [0, 0x120, 0x400, 0, 1000, 1024 + 128, 1024 + wanted]


def fault(body: str, **options: Any) -> Diagnostic:
    with pytest.raises(Diagnostic) as caught:
        values(body, 1, **options)
    return caught.value


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("ld.shared.u32 y, [x+-4];", "PTX9007", "shared - 0x4 lie in the 1024 bytes of shared memory that belong to"),
        ("and.b32 x, x, 0xff000000; ld.shared.u32 y, [x];", "PTX9007", "shared - 0x400 lie in the 1024"),
        ("add.u32 x, x, -4; ld.shared.v2.u32 {x, y}, [x];", "PTX9006", "shared - 0x4"),
        ("cvt.u64.u32 g, x; cvta.shared.u64 g, g; ld.u32 y, [g+-8];", "PTX9007", "shared - 0x8"),
        ("ld.shared.u32 y, [x+6];", "PTX9006", "`first` + 0x6 (shared + 0x6)"),
        ("ld.shared.u32 y, [buf]; ld.shared.u32 y, [x+64];", "PTX9007", "4 bytes at shared + 0x40 end 4 bytes behind"),
        ("ld.shared.u32 y, [buf]; ld.shared.u64 q, [x+17];", "PTX9006", "`buf` + 0x1 (shared + 0x11)"),
        ("mapa.shared::cluster.u32 x, x, 2; ld.shared::cluster.u32 y, [x];", "PTX9009", "rank 2 in a cluster of 2"),
        ("mbarrier.init.shared::cta.b64 [x+-8], 1;", "PTX9122", "shared - 0x8"),
    ],
)
@pytest.mark.parametrize("cluster", [1, 2])
def test_faults_count_from_the_kernels_first_byte(body: str, code: str, words: str, cluster: int) -> None:
    if code == "PTX9009" and cluster == 1:
        words = "rank 2 in a cluster of 1"
    found = fault(f"{body} {SYNC}", cluster=cluster)
    assert found.code == code
    assert words in found.message
    if code in ("PTX9007", "PTX9122"):
        assert found.help is not None
        assert "0x400" in found.help


OTHER = {
    "peer": "mapa.shared::cluster.u32 x, x, peer;",
    "no rank": "and.b32 x, x, 0xffffff;",
    "absent rank": "or.b32 x, x, 0x7f000000;",
}
REFUSED = {
    "ld": "ld.shared.u32 y, [x];",
    "ld::cta": "ld.shared::cta.v2.u32 {x, y}, [x];",
    "st": "st.shared.u32 [x], y;",
    "atom": "atom.shared.add.u32 y, [x], 1;",
    "ldmatrix": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {y}, [x];",
    "cp.async": "cp.async.ca.shared.global [x], [p], 4;",
    "mbarrier.init": "mbarrier.init.shared.b64 [x], 1;",
    "mbarrier.arrive": "mbarrier.arrive.shared.b64 q, [x];",
    "mbarrier.try_wait": "mbarrier.try_wait.parity.shared::cta.b64 c, [x], 0;",
    "bulk copy": "cp.async.bulk.global.shared::cta.bulk_group [p], [x], 16;",
}


def _threads(access: str) -> int:
    """Whole warps for what whole warps execute."""
    return 32 if ".aligned" in REFUSED[access] else 1


@pytest.mark.parametrize("named", OTHER)
@pytest.mark.parametrize("access", REFUSED)
def test_cta_accesses_by_another_rank_are_faults(access: str, named: str) -> None:
    """Rank 1 alone executes it."""
    body = f"setp.eq.u32 c, own, 1; {OTHER[named]} @!c bra end; {REFUSED[access]} end: {SYNC}"
    found = fault(body, cluster=2, threads=_threads(access))
    assert found.code == "PTX9014"
    whose = "address 0x7f000400, that is for rank 127 in a cluster of 2"
    if named != "absent rank":
        whose = "`first` (shared + 0x0) of CTA (0, 0, 0), rank 0 in the cluster"
    assert f"reaches for {whose}, but shared::cta is the memory of the executing CTA alone, rank 1" in found.message
    assert found.help is not None
    assert (".shared::cluster" in found.help) == (named != "absent rank")
    assert found.notes == ("executed by thread (0, 0, 0) of CTA (1, 0, 0)",)


@pytest.mark.parametrize("access", REFUSED)
def test_so_they_are_without_clusters(access: str) -> None:
    found = fault(f"mapa.shared::cluster.u32 x, x, 1; {REFUSED[access]}", threads=_threads(access))
    assert found.code == "PTX9014"
    assert "rank 1 in a cluster of 1" in found.message


def test_lanes_that_name_another_cta_are_found_among_others() -> None:
    text = """.visible .entry k() {
        .reg .u32 x, y, t; .reg .pred c; .shared .align 16 .b8 buf[128];
        mov.u32 t, %tid.x; shl.b32 y, t, 2; mov.u32 x, buf; add.u32 x, x, y;
        setp.eq.u32 c, t, 5; @c xor.b32 x, x, 0x1000000;
        ld.shared.u32 y, [x];
        exit;
    }"""
    with pytest.raises(Diagnostic) as caught:
        launch(text, [], grid=(2, 1, 1), cluster=(2, 1, 1), block=(32, 1, 1), shared=0)
    assert caught.value.code == "PTX9014"
    assert "`buf` + 0x14 (shared + 0x14) of CTA (1, 0, 0), rank 1" in caught.value.message
    assert caught.value.notes == ("executed by thread (5, 0, 0) of CTA (0, 0, 0)",)
