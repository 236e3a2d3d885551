"""Random programs for the sanitizer: accesses of all widths and ways, with some order among them, and no wait that never ends.

Every thread goes through the same statements; a predicate says which threads execute one. Addresses are kept inside their array and
aligned, so that a program runs to its end. Most programs race.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import numpy as np

SHARED, GLOBAL, PRIVATE = 256, 512, 32
"""Bytes of each array."""
WIDTHS = {
    1: ("b8",),
    2: ("b16", "v2.b8"),
    4: ("b32", "v2.b16", "v4.b8"),
    8: ("b64", "v2.b32", "v4.b16"),
    16: ("v2.b64", "v4.b32"),
}
REGISTERS = {"b8": "h", "b16": "h", "b32": "r", "b64": "d"}


@dataclass
class Program:
    """A program and its launch. sums: it has atomic operations, and nothing that can serve as a flag."""

    seed: int
    text: str
    grid: int
    block: int
    sums: bool

    def arrays(self) -> list[np.ndarray]:
        """Arguments of a launch."""
        return [np.arange(GLOBAL, dtype=np.uint8), np.arange(GLOBAL, dtype=np.uint8)]


@dataclass
class Writer:
    """Writes one program.

    Attributes:
        flags: whether strong accesses and fences are among its statements. least: the shortest access.
    """

    random: Random
    warps: int
    ctas: int
    cluster: int
    flags: bool
    least: int
    lines: list[str] = field(default_factory=list[str])
    waits: int = 0

    def add(self, text: str) -> None:
        """An instruction, for whom `who` has chosen."""
        self.lines.append(f"    {text}")

    def pick(self, *words: str) -> str:
        """One of these."""
        return self.random.choice(words)

    # -- who, and where
    def who(self) -> str:
        """The guard of a statement."""
        r = self.random
        kind = r.choice(("all", "all", "all", "warp", "lane", "lanes", "thread", "cta", "some"))
        if kind == "all":
            return ""
        value, compare, limit = {
            "warp": ("%team", "eq", self.warps),
            "lane": ("%slot", "eq", 32),
            "lanes": ("%slot", "lt", 32),
            "thread": ("%i", "eq", 32 * self.warps),
            "cta": ("%cta", "eq", self.ctas),
            "some": ("%odd", "eq", 2),
        }[kind]
        self.add(f"setp.{compare}.u32 %p, {value}, {r.randrange(limit)};")
        return "@%p "

    def offset(self, width: int, nbytes: int) -> None:
        """%at: an offset into an array, by the thread, the lane, the warp or the CTA, or one for all."""
        r = self.random
        self.add(f"mov.b32 %at, {self.pick('%i', '%i', '%slot', '%slot', '%team', '%cta', '0', '%back')};")
        if r.random() < 0.3:
            self.add(f"xor.b32 %at, %at, {r.choice((1, 3, 16, 32, 35))};")
        self.add(f"mul.lo.u32 %at, %at, {r.choice((width, width, width, 2 * width, 4, 1, 32))};")
        if r.random() < 0.3:
            self.add(f"add.u32 %at, %at, {r.choice((1, 2, 4, 8, 16, 64, 128))};")
        self.add(f"and.b32 %at, %at, {(nbytes - 1) & -width};")
        self.add("cvt.u64.u32 %wide, %at;")

    def place(self, width: int) -> tuple[str, str]:
        """The space of an access, and its address."""
        spaces = (
            ["shared"] * 3
            + ["global"] * 3
            + ["generic", "generic", "split", "private"]
            + ["remote"] * (self.cluster > 1)
        )
        space = self.random.choice(spaces)
        nbytes = {"shared": SHARED, "remote": SHARED, "generic": SHARED, "split": SHARED, "private": PRIVATE}.get(
            space, GLOBAL
        )
        self.offset(width, nbytes)
        if space in ("shared", "remote"):
            base = {"shared": "%here", "remote": self.pick("%peer", "%peer", "%first")}[space]
            self.add(f"add.u32 %at, %at, {base};")
            return (".shared", "%at") if space == "shared" else (".shared::cluster", "%at")
        base = {
            "global": self.pick("%a", "%a", "%b"),
            "generic": self.pick("%gshared", "%a"),
            "split": "%split",
            "private": "%gprivate",
        }[space]
        self.add(f"add.u64 %wide, %wide, {base};")
        return (".global" if space == "global" else "", "%wide")

    def width(self) -> int:
        """Bytes of an access."""
        return self.random.choice([w for w in WIDTHS if w >= self.least])

    # -- statements
    def weak(self) -> None:
        """An ordinary load or store."""
        width = self.width()
        kind = self.random.choice([k for k in WIDTHS[width] if int(k.rpartition("b")[2]) // 8 >= self.least])
        space, at = self.place(width)
        loads = self.random.random() < 0.5
        vector, _, element = kind.rpartition(".")
        register = REGISTERS[element]
        count = int(vector[1:]) if vector else 1
        values = [f"%{register}{i}" for i in range(count)]
        data = "{" + ", ".join(values) + "}" if vector else values[0]
        cache = ".nc" if loads and space == ".global" and self.random.random() < 0.04 else ""
        opcode = f"ld{space}{cache}.{kind}" if loads else f"st{space}.{kind}"
        who = self.who()
        self.add(f"{who}{opcode} {data}, [{at}];" if loads else f"{who}{opcode} [{at}], {data};")

    def atomic(self) -> None:
        """An atomic operation: one that returns a value only where flags may be."""
        width = self.random.choice((4, 4, 8))
        space, at = self.place(width)
        kind = self.pick("add.u32", "max.s32", "xor.b32") if width == 4 else self.pick("add.u64", "min.u64")
        value = "%r0" if width == 4 else "%d0"
        scope = self.pick(".gpu", ".gpu", ".cta", ".sys", ".cluster") if self.flags else self.pick("", ".gpu", ".sys")
        who = self.who()
        if not self.flags or self.random.random() < 0.4:
            self.add(f"{who}red.relaxed{scope or '.gpu'}{space}.{kind} [{at}], {value};")
        else:
            order = self.pick("relaxed", "acquire", "release", "acq_rel")
            self.add(f"{who}atom.{order}{scope}{space}.{kind} {value}, [{at}], {value};")

    def flag(self) -> None:
        """A strong load or store, or a fence."""
        scope = self.pick("cta", "cluster", "gpu", "sys")
        if self.random.random() < 0.3:
            self.add(f"{self.who()}fence.{self.pick('acq_rel', 'sc')}.{scope};")
            return
        width = self.random.choice([w for w in (1, 2, 4, 4, 8) if w >= self.least])
        space, at = self.place(width)
        value = {1: "%h0", 2: "%h0", 4: "%r0", 8: "%d0"}[width]
        who = self.who()
        if self.random.random() < 0.5:
            self.add(f"{who}ld.{self.pick('acquire', 'relaxed')}.{scope}{space}.b{8 * width} {value}, [{at}];")
        else:
            self.add(f"{who}st.{self.pick('release', 'relaxed')}.{scope}{space}.b{8 * width} [{at}], {value};")

    def meets(self) -> None:
        """A barrier of the warp, of the CTA, of some of its warps, or of the cluster."""
        kind = self.pick("cta", "cta", "cta", "warp", "named", "handed", "cluster")
        if kind == "cluster" and self.cluster > 1:
            self.add(f"barrier.cluster.arrive{self.pick('', '.release')}.aligned;")
            self.add("barrier.cluster.wait.aligned;")
        elif kind == "warp":
            self.add("bar.warp.sync -1;")
        elif kind == "named" and self.warps > 2:
            self.add(f"setp.ne.u32 %p, %team, {self.random.randrange(self.warps)};")
            self.add(f"@%p bar.sync {self.random.randrange(1, 4)}, {32 * (self.warps - 1)};")
        elif kind == "handed":
            one, number = self.random.randrange(self.warps), self.random.randrange(1, 4)
            self.add(f"setp.eq.u32 %p, %team, {one};")
            self.add(f"@%p bar.sync {number}, {32 * self.warps};")
            self.add(f"@!%p bar.arrive {number}, {32 * self.warps};")
            self.add("bar.sync 0;")  # before the number is used again
        else:
            self.add(self.pick("bar.sync 0;", "bar.sync 0;", "bar.red.popc.u32 %r3, 0, %p;"))

    def copy(self) -> None:
        """cp.async: of each thread some bytes, and the wait for it, now and then."""
        width = self.random.choice([w for w in (4, 8, 16) if w >= self.least])
        self.offset(width, GLOBAL)
        self.add(f"add.u64 %from, %wide, {self.pick('%a', '%b')};")
        self.offset(width, SHARED)
        self.add("add.u32 %at, %at, %here;")
        self.add(f"{self.who()}cp.async.ca.shared.global [%at], [%from], {width};")
        if self.random.random() < 0.8:
            self.add("cp.async.commit_group;")
            self.add(f"cp.async.wait_group {self.random.randrange(2)};")
        elif self.random.random() < 0.5:
            self.add("cp.async.wait_all;")

    def bulk(self) -> None:
        """A bulk store from shared memory by one thread, with or without what it needs."""
        size = self.random.choice((16, 48, 128))
        if self.random.random() < 0.7:
            self.add("fence.proxy.async;")
        if self.random.random() < 0.7:
            self.add("bar.sync 0;")
        self.add(f"setp.eq.u32 %p, %i, {self.random.randrange(32 * self.warps)};")
        at, to = (16 * self.random.randrange(0, (n - size) // 16 + 1) for n in (SHARED, GLOBAL))
        self.add(f"add.u32 %at, %here, {at};")
        self.add(f"add.u64 %wide, {self.pick('%a', '%b')}, {to};")
        self.add(f"@%p cp.async.bulk.global.shared::cta.bulk_group [%wide], [%at], {size};")
        self.add("@%p cp.async.bulk.commit_group;")
        if self.random.random() < 0.8:
            self.add(f"@%p cp.async.bulk.wait_group{self.pick('', '.read')} 0;")

    def fetch(self) -> None:
        """A bulk copy into shared memory by one thread; some threads wait for its mbarrier."""
        size = self.random.choice((16, 48, 128))
        at, start = (16 * self.random.randrange(0, (n - size) // 16 + 1) for n in (SHARED, GLOBAL))
        if self.random.random() < 0.5:
            self.add("fence.proxy.async;")
        self.add("bar.sync 0;")
        self.add(f"add.u32 %at, %here, {at};")
        self.add(f"add.u64 %wide, {self.pick('%a', '%b')}, {start};")
        self.add("setp.eq.u32 %p, %i, 0;")
        self.add(f"@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], {size};")
        opcode = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        self.add(f"@%p {opcode} [%at], [%wide], {size}, [full];")
        self.waits += 1
        self.add(f"setp.lt.u32 %p, %i, {self.random.choice((1, 32, 64, 128, 128))};")
        self.add(f"@!%p bra OVER{self.waits};")
        self.lines.append(f"WAIT{self.waits}:")
        self.add("mbarrier.try_wait.parity.shared::cta.b64 %p, [full], %phase;")
        self.add(f"@!%p bra WAIT{self.waits};")
        self.lines.append(f"OVER{self.waits}:")
        self.add("xor.b32 %phase, %phase, 1;")

    def matrix(self) -> None:
        """ldmatrix or stmatrix: rows of sixteen bytes, by some lanes of each warp."""
        self.offset(16, SHARED)
        self.add("add.u32 %at, %at, %here;")
        if self.random.random() < 0.5:
            self.add("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%at];")
        else:
            self.add("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%at], {%r0, %r1, %r2, %r3};")

    def fill(self) -> None:
        """All of the CTA's shared memory is written, and everybody knows."""
        for start in range(0, SHARED, 4 * 32 * self.warps):
            self.add(f"mad.lo.u32 %at, %i, 4, {start};")
            self.add(f"setp.lt.u32 %p, %at, {SHARED};")
            self.add("add.u32 %at, %at, %here;")
            self.add("@%p st.shared.b32 [%at], %r0;")
        self.add("bar.sync 0;")

    def statements(self) -> None:
        """All of them."""
        if self.random.random() < 0.8:
            self.fill()
        ways: list[Callable[[], None]] = [self.weak] * 8 + [self.atomic] + [self.meets] * 4 + [self.copy, self.matrix]
        if self.flags:
            ways += [self.atomic, self.flag, self.flag, self.bulk, self.fetch]
        loop = self.random.random() < 0.3
        if loop:
            self.lines.append("AGAIN:")
        for _ in range(self.random.randrange(4, 16)):
            self.random.choice(ways)()
        if loop:
            self.add("add.u32 %turn, %turn, 1;")
            self.add("setp.lt.u32 %p, %turn, 2;")
            self.add("@%p bra.uni AGAIN;")
        self.add("cp.async.wait_all;")
        if self.cluster > 1:
            self.add("barrier.cluster.arrive.aligned;")
            self.add("barrier.cluster.wait.aligned;")


def program(seed: int) -> Program:
    """The program of a number."""
    r = Random(seed)
    warps, cluster = r.choice((1, 2, 2, 3, 4)), r.choice((1, 1, 1, 2))
    ctas = cluster * r.choice((1, 1, 2, 3))
    writer = Writer(r, warps, ctas, cluster, flags=r.random() < 0.5, least=r.choice((1, 1, 2, 4, 4, 8)))
    writer.statements()
    named = f".reqnctapercluster {cluster}, 1, 1\n" if cluster > 1 else ""
    body = "\n".join(writer.lines)
    text = f""".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb)
{named}{{
    .shared .align 16 .b8 row[{SHARED}];
    .shared .align 8 .b64 full;
    .local .align 16 .b8 own[{PRIVATE}];
    .reg .pred %p;
    .reg .b16 %h<4>;
    .reg .b32 %r<4>, %at, %i, %slot, %team, %cta, %odd, %back, %here, %peer, %first, %turn, %phase;
    .reg .b64 %d<4>, %a, %b, %wide, %from, %gshared, %gprivate, %split;
    ld.param.u64 %a, [pa];
    ld.param.u64 %b, [pb];
    cvta.to.global.u64 %a, %a;
    cvta.to.global.u64 %b, %b;
    mov.u32 %i, %tid.x;
    mov.u32 %cta, %ctaid.x;
    and.b32 %slot, %i, 31;
    shr.u32 %team, %i, 5;
    and.b32 %odd, %i, 1;
    sub.u32 %back, {32 * warps - 1}, %i;
    mov.u32 %here, row;
    mov.u32 %turn, 0;
    mov.u32 %phase, 0;
    cvt.u64.u32 %gshared, %here;
    cvta.shared.u64 %gshared, %gshared;
    mov.u64 %gprivate, own;
    cvta.local.u64 %gprivate, %gprivate;
    setp.eq.u32 %p, %odd, 0;
    selp.b64 %split, %a, %gshared, %p;
{_peers(cluster)}
    cvt.u16.u32 %h0, %i; mov.b16 %h1, %h0; mov.b16 %h2, %h0; mov.b16 %h3, 7;
    mov.b32 %r0, %i; mov.b32 %r1, %slot; mov.b32 %r2, %i; mov.b32 %r3, 7;
    cvt.u64.u32 %d0, %i; mov.b64 %d1, 1; mov.b64 %d2, 2; mov.b64 %d3, 3;
    st.local.v4.b32 [own], {{%r0, %r0, %r0, %r0}};
    st.local.v4.b32 [own+16], {{%r0, %r0, %r0, %r0}};
{_begin(writer)}
{body}
    ret;
}}
"""
    return Program(seed, text, ctas, 32 * warps, sums=not writer.flags and " red." in text)


def _peers(cluster: int) -> str:
    if cluster == 1:
        return ""
    return """    mov.u32 %peer, %cluster_ctarank;
    xor.b32 %peer, %peer, 1;
    mapa.shared::cluster.u32 %peer, %here, %peer;
    mapa.shared::cluster.u32 %first, %here, 0;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;"""


def _begin(writer: Writer) -> str:
    if not writer.waits:
        return ""
    return """    setp.eq.u32 %p, %i, 0;
    @%p mbarrier.init.shared::cta.b64 [full], 1;
    @%p fence.mbarrier_init.release.cluster;
    bar.sync 0;"""
