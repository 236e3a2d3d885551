"""The kernels that ask what addresses of shared memory are. Each runs in one cluster; its answers are words, one row a CTA.

| name | asks |
|---|---|
| names/N | what mov, mapa, getctarank, cvta, isspacep and special registers give in a cluster of N |
| layout, aligned | where variables lie |
| ACCESS ADDRESS/N | which CTA an instruction reaches by an address of its own, of a peer, of no CTA, … |
| descriptor/… | what a wgmma makes of a matrix descriptor whose address still has the rank |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

DYNAMIC: Final = 1000
"""Bytes of dynamic shared memory of the word probes."""
_HEAD: Final = ".version 8.7\n.target sm_90a\n.address_size 64\n"
_SYNC: Final = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"


@dataclass(frozen=True, slots=True)
class Probe:
    """A kernel that asks.

    Attributes:
        name, text: what it is called; its PTX, with one entry `k`.
        labels: what the words of a row say; none for an array of which only a digest is kept.
        cluster: CTAs. block: threads of each. shared: bytes of dynamic shared memory.
        compared: False where the simulator is stricter than the chip on purpose.
    """

    name: str
    text: str
    labels: tuple[str, ...] = ()
    cluster: int = 2
    block: int = 32
    shared: int = DYNAMIC
    compared: bool = True

    @property
    def extents(self) -> dict[str, Any]:
        """Of the launch."""
        cluster = self.cluster if self.cluster > 1 else None
        return {"grid": self.cluster, "block": self.block, "cluster": cluster, "shared": self.shared}

    def arrays(self) -> tuple[list[np.ndarray], np.ndarray]:
        """What it reads, and zeros for what it writes: u64 [CTAs, labels], or f32 [CTAs, 128, 64]."""
        import numpy as np

        if self.labels:
            return [np.full(4, MARK, np.uint32)], np.zeros((self.cluster, len(self.labels)), np.uint64)
        return [image()], np.zeros((self.cluster, 128, 64), np.float32)


def _words(name: str, body: str, labels: tuple[str, ...], *, head: str = "", **options: Any) -> Probe:
    """A probe whose thread 0 of every CTA writes words with `_put`."""
    text = f"""{_HEAD}.extern .shared .align 16 .b8 dyn[];
    {head}
    .visible .entry k(.param .u64 in, .param .u64 out)
    {{
        .reg .u32 x, y, t, own, peer; .reg .u64 p, q, g, base, src; .reg .pred lead, mine, c;
        .shared .align 16 .b8 first[16]; .shared .align 16 .b8 buf[48]; .shared .align 8 .b64 bar;
        ld.param.u64 p, [out]; ld.param.u64 src, [in];
        mov.u32 x, %ctaid.x; mad.wide.u32 p, x, {8 * len(labels)}, p;
        mov.u32 own, %cluster_ctarank; xor.b32 peer, own, 1;
        mov.u32 t, %tid.x; setp.eq.u32 lead, t, 0;
        mov.u32 x, first; mov.u32 x, bar;
        {body}
        ret;
    }}
    """
    return Probe(name, text, labels, **options)


def _put(index: int, what: str) -> str:
    wide = f"mov.b64 q, {what};" if what in ("q", "g") else f"cvt.u64.u32 q, {what};"
    return f"{wide} @lead st.global.u64 [p+{8 * index}], q;\n"


# --- what instructions make of addresses ------------------------------------------------------------------------------
_REGISTERS = (
    *(f"reserved_smem_offset_{n}" for n in ("begin", "end", "cap", "0", "1")),
    *(f"{n}_smem_size" for n in ("dynamic", "total", "aggr")),
)
_SPACES = ("shared", "shared::cta", "shared::cluster", "global", "local")


def _fields() -> Iterator[tuple[str, str, str]]:
    """(label, instructions, register with the answer)."""
    for name in ("first", "buf", "dyn"):
        yield f"mov.u32 {name}", f"mov.u32 y, {name};", "y"
    yield "mov.u64 buf + 4", "mov.u64 q, buf+4;", "q"
    for who in ("own", "peer"):
        there = f"mapa.shared::cluster.u32 y, x, {who};"
        yield f"mapa.u32 {who}", there, "y"
        yield f"getctarank.u32 {who}", f"{there} getctarank.shared::cluster.u32 y, y;", "y"
        wide = f"mov.u64 g, buf; or.b64 g, g, 0x4500000000; mapa.shared::cluster.u64 q, g, {who};"
        yield f"mapa.shared::cluster.u64 {who}, bit 32 and up set", wide, "q"
        generic = f"mov.u64 g, buf; cvta.shared.u64 g, g; mapa.u64 g, g, {who};"
        yield f"mapa.u64 {who} - window", f"{generic} sub.u64 q, g, base;", "q"
        yield f"getctarank.u64 {who}", f"{generic} getctarank.u64 y, g;", "y"
        for space in ("shared::cta", "shared::cluster"):
            made = f"{there} cvt.u64.u32 g, y; or.b64 g, g, 0x4500000000; cvta.{space}.u64 g, g; sub.u64 q, g, base;"
            yield f"cvta.{space} {who} - window", made, "q"
            yield f"cvta.to.{space} {who}", f"{generic} cvta.to.{space}.u64 q, g;", "q"
        for space in _SPACES:
            yield f"isspacep.{space} {who}", f"{generic} isspacep.{space} c, g; selp.u32 y, 1, 0, c;", "y"
    for what, bits in (("no rank", "and.b64 g, g, ~0xff000000;"), ("absent rank", "or.b64 g, g, 0x7f000000;")):
        for space in _SPACES:
            generic = f"mov.u64 g, buf; cvta.shared.u64 g, g; {bits}"
            yield f"isspacep.{space} {what}", f"{generic} isspacep.{space} c, g; selp.u32 y, 1, 0, c;", "y"
    for name in _REGISTERS:
        yield f"%{name}", f"mov.u32 y, %{name};", "y"


def _names(cluster: int) -> Probe:
    fields = list(_fields())
    # The window starts where a generic address has 32 zeros.
    body = "mov.u64 base, buf; cvta.shared.u64 base, base; and.b64 base, base, 0xffffffff00000000; mov.u32 x, buf;\n"
    body += "".join(code + _put(i, answer) for i, (_, code, answer) in enumerate(fields))
    return _words(f"names/{cluster}", body, tuple(label for label, _, _ in fields), cluster=cluster)


_MODULE = {"late": (12, 4), "later": (16, 16)}
_LOCAL = {"byte": (1, 1), "words": (12, 4), "wide": (8, 8)}


def _layout() -> Iterator[Probe]:
    """Variables of a module and a kernel; an alignment beyond that of the system's part."""

    def declared(names: dict[str, tuple[int, int]]) -> str:
        return " ".join(f".shared .align {align} .b8 {n}[{size}];" for n, (size, align) in names.items())

    def body(names: tuple[str, ...]) -> str:
        return "".join(f"mov.u32 y, {n};" + _put(i, "y") for i, n in enumerate(names))

    names = (*_MODULE, *_LOCAL, "first", "buf", "dyn")
    yield _words("layout", declared(_LOCAL) + body(names), names, head=declared(_MODULE))
    names = ("first", "page", "dyn")
    yield _words("aligned", declared({"page": (64, 4096)}) + body(names), names)


# --- whom accesses reach ----------------------------------------------------------------------------------------------
MARK: Final = 0x4D41524B
"""What the input holds."""
_LOADS = {
    "ld.shared::cta": "@lead ld.shared::cta.u32 y, [x];",
    "ld.shared::cluster": "@lead ld.shared::cluster.u32 y, [x];",
    "ld": "@lead ld.u32 y, [g];",
}
_ACCESSES = _LOADS | {
    "st.shared::cta": "@lead st.shared::cta.u32 [x], t;",
    "st.shared::cluster": "@lead st.shared::cluster.u32 [x], t;",
    "st": "@lead st.u32 [g], t;",
    "atom.shared::cta": "@lead atom.shared::cta.add.u32 y, [x], 16;",
    "atom.shared::cluster": "@lead atom.shared::cluster.add.u32 y, [x], 16;",
    "atom": "@lead atom.add.u32 y, [g], 16;",
    "ldmatrix": "@mine ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {y}, [x];",
    "cp.async": "@lead cp.async.ca.shared::cta.global [x], [src], 4; cp.async.wait_all;",
}
_ARRIVALS = {
    "mbarrier.arrive.shared::cta": "@lead mbarrier.arrive.shared::cta.b64 q, [x]; mbarrier.pending_count.b64 y, q;",
    "mbarrier.arrive.shared::cluster": "@lead mbarrier.arrive.shared::cluster.b64 _, [x];",
}
_ADDRESSES = {
    "own": "",
    "peer": "mapa.shared::cluster.u32 x, x, peer;",
    "no rank": "and.b32 x, x, 0xffffff;",
    "absent rank": "or.b32 x, x, 0x7f000000;",
}
_OUTSIDE = {
    "first byte of the CTA": "and.b32 x, x, 0xff000000;",
    "behind the end": "mov.u32 y, %aggr_smem_size; and.b32 x, x, 0xff000000; add.u32 x, x, y;",
    "256 KB": "and.b32 x, x, 0xff000000; add.u32 x, x, 0x40000;",
}


def _access(name: str, code: str, where: str, address: str, *, cluster: int = 2, compared: bool = True) -> Probe:
    """CTAs act in turn: rank 0, then rank 1. Their words are 1 and 2, their barriers count 4 and 5; stores bring 100 + rank."""
    barrier = name in _ARRIVALS
    body = f"""
        add.u32 y, own, 1; @lead st.shared.v4.u32 [buf], {{y, 0, 0, 0}};
        add.u32 y, own, 4; @lead mbarrier.init.shared::cta.b64 [bar], y;
        fence.mbarrier_init.release.cluster;
        mov.u32 x, {"bar" if barrier else "buf"}; {address}
        cvt.u64.u32 g, x; cvta.shared::cluster.u64 g, g;
        add.u32 t, own, 100; mov.u32 y, 0xdead; mov.u64 q, 0;
        {_SYNC}
    """
    for rank in range(cluster):
        turn = f"setp.eq.u32 mine, own, {rank}; mov.u32 peer, %tid.x; setp.eq.and.u32 lead, peer, 0, mine;"
        body += f"{turn} {code} {_SYNC}\n"
    body += "setp.eq.u32 lead, peer, 0;" + _put(0, "y")
    after = "ld.shared.u32 y, [buf];"
    if barrier:
        after = "@lead mbarrier.arrive.shared::cta.b64 q, [bar]; @lead mbarrier.pending_count.b64 y, q;"
    body += after + _put(1, "y")
    return _words(f"{name} {where}/{cluster}", body, ("answer", "after"), cluster=cluster, compared=compared)


def _accesses() -> Iterator[Probe]:
    for name, code in {**_ACCESSES, **_ARRIVALS}.items():
        for where, address in _ADDRESSES.items():
            yield _access(name, code, where, address)
    for name, code in _LOADS.items():
        yield _access(name, code, "peer", _ADDRESSES["peer"], cluster=1)
        for where, address in _OUTSIDE.items():
            yield _access(name, code, where, address, compared=False)


# --- matrix descriptors -----------------------------------------------------------------------------------------------
IMAGE_BYTES: Final = 24 * 1024
B_AT: Final = 8192
"""Where B starts in the image; A starts at its begin."""
LEADING: Final = {"K": 16, "MN": 2048}
STRIDE: Final = 1024
"""Byte offsets in the descriptors of m64n128k16 in bf16, 128B swizzle."""
_PAIRS = 64


def image() -> np.ndarray:
    """The bytes that every CTA has in shared memory: bf16 numbers between 1/4 and 4."""
    import numpy as np

    words = np.random.default_rng(24).integers(0x3E80, 0x4080, IMAGE_BYTES // 2, np.uint16)
    return (words | np.random.default_rng(25).integers(0, 2, words.size, np.uint16) << 15).view(np.uint8)


def descriptor_probe(major: str, *, masked: bool) -> Probe:
    """One product in every CTA of a cluster, by descriptors of `addr >> 4`, or of `(addr & 0x3FFFF) >> 4`."""
    trans = int(major == "MN")
    d = ", ".join(f"%f{i}" for i in range(_PAIRS))
    low, high = LEADING[major] >> 4 << 16, 1 << 30 | STRIDE >> 4
    mask = "and.b32 x, x, 0x3FFFF;" if masked else ""
    copies = "\n".join(
        f"ld.global.v4.u32 {{a, b, c, d}}, [src+{at}]; st.shared.v4.u32 [y+{at}], {{a, b, c, d}};"
        for at in range(0, IMAGE_BYTES, 2048)
    )
    text = f"""{_HEAD}
    .visible .entry k(.param .u64 in, .param .u64 out)
    {{
        .reg .u32 x, y, t, a, b, c, d; .reg .u64 src, p, da, db; .reg .f32 %f<{_PAIRS}>;
        .shared .align 1024 .b8 mem[{IMAGE_BYTES}];
        ld.param.u64 src, [in]; ld.param.u64 p, [out];
        mov.u32 t, %tid.x; mad.wide.u32 src, t, 16, src; mov.u32 y, mem; mad.lo.u32 y, t, 16, y;
        mov.u32 x, %ctaid.x; mad.lo.u32 x, x, 128, t; mad.wide.u32 p, x, {4 * _PAIRS}, p;
        {copies}
        {" ".join(f"mov.f32 %f{i}, 0f00000000;" for i in range(_PAIRS))}
        fence.proxy.async.shared::cta; bar.sync 0;
        mov.u32 x, mem; {mask} shr.u32 x, x, 4; or.b32 x, x, {low}; mov.b64 da, {{x, {high}}};
        mov.u32 x, mem+{B_AT}; {mask} shr.u32 x, x, 4; or.b32 x, x, {low}; mov.b64 db, {{x, {high}}};
        wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{{d}}}, da, db, 1, 1, 1, {trans}, {trans};
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        {" ".join(f"st.global.f32 [p+{4 * i}], %f{i};" for i in range(_PAIRS))}
        ret;
    }}
    """
    return Probe(f"descriptor/{major}/{'masked' if masked else 'as it is'}", text, block=128, shared=0)


def _all() -> Iterator[Probe]:
    yield _names(1)
    yield _names(2)
    yield from _layout()
    yield from _accesses()
    for major in ("K", "MN"):
        for masked in (True, False):
            yield descriptor_probe(major, masked=masked)


PROBES: Final = {probe.name: probe for probe in _all()}
"""By name."""
