"""Kernels that time a piece of PTX: it runs again and again between two readings of the clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

ENTRY: Final = "measured"
CLOCKS: Final = 4096
"""Bytes of clocks, in front of the results that have to be kept."""
KEPT: Final = CLOCKS + 256 * 8192
"""Bytes that a CTA writes at most."""
_HEAD: Final = ".version 8.3\n.target sm_90a\n.address_size 64\n"
_SHARED: Final = 160 * 1024
"""Bytes of dynamic shared memory that copies may use."""
_OPERANDS: Final = (8192, 32768)
"""Bytes of A and B in shared memory, as rows of 128 bytes: 64 of them, and at most 256."""


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel that times one kind of work.

    It takes `out` (for each CTA two clocks for each warp, then words that keep results alive), `data` (words that are not known
    to the compiler), and `rounds`, how often the body runs.

    Attributes:
        name: what it measures. body: PTX of a round, between the two clocks. steps: pieces of work in it, of each warp.
        declared, before, after: PTX that declares registers, that stands in front of the first clock, and behind the second one.
        warps: of a CTA. cluster: CTAs of the cluster; full: as many clusters run as the chip holds, else one.
        shared: bytes of dynamic shared memory, `filled`: how many of them are written before.
        chase: bytes of `data`, which holds ones. stride: every so many bytes it holds the address of another such place; 0: it
            does not.
        cold: L2 holds nothing of `data` when it begins.
        counted: the instruction of the machine code that the cycles are of, where the compiler makes other numbers of it.
        others: the first of the warps that do something beside the steps, 0: there are none.
    """

    name: str
    body: str
    steps: int
    declared: str = ""
    before: str = ""
    after: str = ""
    warps: int = 1
    cluster: int = 1
    full: bool = False
    shared: int = 0
    filled: int = 0
    chase: int = 0
    stride: int = 0
    counted: str = ""
    cold: bool = False
    others: int = 0
    facts: dict[str, int | str] = field(default_factory=dict[str, "int | str"])

    @property
    def text(self) -> str:
        """The module."""
        shared = ".extern .shared .align 1024 .b8 pool[];\n" if self.shared else ""
        step = self.warps * 512
        fill = f"""mov.u32 %pool, pool; mad.lo.u32 %at_pool, %thread, 16, %pool; add.u32 %end_pool, %pool, {self.filled};
fill: setp.lt.u32 %again, %at_pool, %end_pool; @!%again bra filled;
st.shared.v4.b32 [%at_pool], {{%thread, %thread, %thread, %thread}}; add.u32 %at_pool, %at_pool, {step}; bra fill;
filled: bar.sync 0; fence.proxy.async;
"""
        return f"""{_HEAD}{shared}.visible .entry {ENTRY}(.param .u64 out, .param .u64 data, .param .u32 rounds)
.reqntid {self.warps * 32}{self._of_cluster}
{{
.reg .u64 %out, %data, %begin, %end, %offset, %mine, %kept;
.reg .u32 %rounds, %thread, %warp, %pool, %at_pool, %end_pool; .reg .pred %again;
{self.declared}
ld.param.u64 %out, [out]; ld.param.u64 %data, [data]; ld.param.u32 %rounds, [rounds];
cvta.to.global.u64 %out, %out; cvta.to.global.u64 %data, %data;
mov.u32 %warp, %ctaid.x; mad.wide.u32 %out, %warp, {KEPT}, %out;
mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5;
{fill if self.filled else ""}{self.before}
bar.sync 0;
mov.u64 %begin, %clock64;
again:
{self.body}
sub.u32 %rounds, %rounds, 1; setp.ne.u32 %again, %rounds, 0;
@%again bra.uni again;
mov.u64 %end, %clock64;
mul.wide.u32 %offset, %warp, 16; add.u64 %offset, %out, %offset;
st.global.v2.u64 [%offset], {{%begin, %end}};
mad.wide.u32 %kept, %thread, 8, %out; add.u64 %kept, %kept, {CLOCKS};
{self.after}
{"barrier.cluster.arrive; barrier.cluster.wait;" if self.cluster > 1 else ""}
ret;
}}
"""

    @property
    def _of_cluster(self) -> str:
        return f" .explicitcluster .reqnctapercluster {self.cluster}" if self.cluster > 1 else ""


_REGISTERS: Final = {"f16x2": "b32", "bf16x2": "b32"}


def next_phase(number: int = 0, order: str = "") -> str:
    """PTX that waits for a phase of the mbarrier at %bar, and turns to the next one. number: of the wait in its program."""
    return f"""wait{number}: mbarrier.try_wait.parity{order}.shared::cta.b64 %done, [%bar], %phase; @!%done bra wait{number};
xor.b32 %phase, %phase, 1;"""


def chain(name: str, step: str, kind: str, *, chains: int = 1, warps: int = 1, counted: str = "") -> Program:
    """A step that uses its own last result, in so many independent chains.

    Args:
        step: PTX with {r}, the register of the chain, and {k}, one whose value nobody knows. kind: their type.
        chains: more than one shows how many a cycle there are, one how long each takes.
    """
    register = _REGISTERS.get(kind, kind)
    bits = 64 if register.endswith("64") else 32
    unroll = max(1, 64 // chains)
    names = [f"%r{i}" for i in range(chains)]
    load = f"ld.global.b{bits}"
    before = "\n".join(f"{load} {r}, [%data+{8 * i}];" for i, r in enumerate(names))
    after = "\n".join(f"st.global.b{bits} [%kept+{8192 * i}], {r};" for i, r in enumerate(names))
    steps = "\n".join(step.format(r=r, k="%k") for _ in range(unroll) for r in names)
    return Program(
        name,
        steps,
        unroll * chains,
        declared=f".reg .{register} %r<{chains}>, %k, %other; .reg .pred %q; .reg .b32 %scratch<4>;",
        # they differ between lanes: what is the same in all of them goes another way, or nowhere
        before=f"{before}\nmad.wide.u32 %mine, %thread, 8, %data; {load} %k, [%mine+2048]; {load} %other, [%mine+16384];",
        after=after,
        warps=warps,
        counted=counted,
        facts={"chains": chains},
    )


def chase(name: str, nbytes: int, *, stride: int = 128, cached: str = "", cold: bool = False) -> Program:
    """Loads of global memory, each of the address that the last one gave, over so many bytes. cold: none of them is in L2."""
    step = f"ld.global{cached}.u64 %at, [%at];"
    return Program(
        name,
        "\n".join([step] * 16),
        16,
        declared=".reg .u64 %at;",
        before="mov.u64 %at, %data;",
        after="st.global.u64 [%kept], %at;",
        chase=nbytes,
        stride=stride,
        cold=cold,
        facts={"bytes": nbytes, "cold": 1} if cold else {"bytes": nbytes},
    )


def shared_chase(name: str, width: str) -> Program:
    """Loads of shared memory, each of the address that the last one gave."""
    into = {"u32": "%at", "v2.u32": "{%at, %x}", "v4.u32": "{%at, %x, %y, %z}"}[width]
    return Program(
        name,
        "\n".join([f"ld.shared.{width} {into}, [%at];"] * 32),
        32,
        declared=".reg .u32 %at, %x, %y, %z;",
        before="mov.u32 %at, pool; st.shared.u32 [%at], %at;",
        after="st.global.u32 [%kept], %at;",
        shared=1024,
        filled=1024,
    )


def shared_loads(width: int, ways: int, warps: int) -> Program:
    """Loads of shared memory that do not wait for each other, whose lanes meet in a bank `ways` at a time."""
    kind = {4: "u32", 8: "v2.u32", 16: "v4.u32"}[width]
    wide, span, count = width // 4, 32 * width * ways, 32
    registers = [f"%x{i}" for i in range(count * wide)]  # a load whose result is overwritten is left out
    groups = [", ".join(registers[i * wide : (i + 1) * wide]) for i in range(count)]
    body = [
        f"ld.volatile.shared.{kind} {group if wide == 1 else '{' + group + '}'}, [%at+{span * (i % 8)}];"
        for i, group in enumerate(groups)
    ]
    return Program(
        f"ld.shared, {width} bytes a lane, {ways} lanes a bank",
        "\n".join(body),
        count,
        declared=f".reg .u32 %at, %lane, %x<{count * wide}>;",
        before=f"and.b32 %lane, %thread, 31; mul.lo.u32 %at, %lane, {width * ways}; mov.u32 %x0, pool; add.u32 %at, %at, %x0;",
        after="\n".join(f"st.global.u32 [%kept+{8192 * i}], {r};" for i, r in enumerate(registers)),
        warps=warps,
        shared=8 * span,
        filled=8 * span,
        facts={"width": width, "ways": ways},
    )


def meeting(name: str, step: str, warps: int) -> Program:
    """A barrier, or something else that has no result."""
    return Program(
        name, "\n".join([step] * 16), 16, declared=".reg .pred %q; .reg .b32 %scratch<4>;", before="", warps=warps
    )


def handshake(warps: int) -> Program:
    """All threads arrive on an mbarrier, and wait for each other there."""
    body = "\n".join(
        f"""mbarrier.arrive.shared::cta.b64 %state, [%bar];
wait{i}: mbarrier.try_wait.shared::cta.b64 %done, [%bar], %state; @!%done bra wait{i};"""
        for i in range(8)
    )
    return Program(
        "mbarrier.arrive, try_wait",
        body,
        8,
        declared=".reg .u64 %state; .reg .u32 %bar; .reg .pred %q, %done;",
        before=f"""mov.u32 %bar, pool; setp.eq.u32 %q, %thread, 0;
@%q mbarrier.init.shared::cta.b64 [%bar], {32 * warps};""",
        warps=warps,
        shared=1024,
    )


def product(shape: str, types: str, registers: tuple[int, int, int, int], *, chains: int, warps: int) -> Program:
    """mma.sync. registers: of D, A, B, C. chains: accumulators that do not wait for each other."""
    d, a, b, _ = registers
    kind = "f32" if types.startswith("f32") else "b32"
    lists = [", ".join(f"%d{c * d + i}" for i in range(d)) for c in range(chains)]
    of_a, of_b = ", ".join(f"%a{i}" for i in range(a)), ", ".join(f"%b{i}" for i in range(b))
    step = [f"mma.sync.aligned.{shape}.row.col.{types} {{{x}}}, {{{of_a}}}, {{{of_b}}}, {{{x}}};" for x in lists]
    unroll = max(1, 16 // chains)
    loads = [f"ld.global.b32 %a{i}, [%data+{4 * i}];" for i in range(a)]
    loads += [f"ld.global.b32 %b{i}, [%data+{64 + 4 * i}];" for i in range(b)]
    loads += [f"ld.global.b32 %d{i}, [%data+{128 + 4 * i}];" for i in range(d * chains)]
    return Program(
        f"mma.{shape}.{types}",
        "\n".join(step * unroll),
        unroll * chains,
        declared=f".reg .b32 %a<{a}>, %b<{b}>; .reg .{kind} %d<{d * chains}>;",
        before="\n".join(loads),
        after="\n".join(f"st.global.b32 [%kept+{8192 * i}], %d{i};" for i in range(d * chains)),
        warps=warps,
        facts={"chains": chains},
    )


def warpgroup_product(n: int, types: str, k: int, *, registers: bool, group: int, groups: int = 1) -> Program:
    """wgmma: `group` products of M 64, this N and K on one accumulator between two waits; A in shared memory or in registers."""
    d, a, b = types.split(".")
    halves = n // 2 if d == "f32" or d == "s32" else n // 4
    kind = "f32" if d == "f32" else "b32"
    accumulators = ", ".join(f"%d{i}" for i in range(halves))
    flags = {"f16": ", 1, 1, 0, 0", "bf16": ", 1, 1, 0, 0", "tf32": ", 1, 1", "e4m3": ", 1, 1", "e5m2": ", 1, 1"}.get(
        a, ""
    )
    if registers and a in ("f16", "bf16"):
        flags = ", 1, 1, 0"
    source = "{%a0, %a1, %a2, %a3}" if registers else "%of_a"
    one = f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b} {{{accumulators}}}, {source}, %of_b, %more{flags};"
    body = (
        f"wgmma.fence.sync.aligned;\n{one}\n"
        + "\n".join([one] * (group - 1))
        + ("\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;")
    )
    # matrices of rows of 128 bytes in groups of eight, swizzled
    before = f"""and.b32 %at, %pool, 0x3ffff; shr.u32 %at, %at, 4; cvt.u64.u32 %of_a, %at;
or.b64 %of_a, %of_a, {1 << 62 | 64 << 32 | 1 << 16:#x}; add.u64 %of_b, %of_a, {_OPERANDS[0] >> 4};
setp.eq.u32 %more, %thread, %thread;
""" + "\n".join(f"ld.global.b32 %d{i}, [%data+{4 * i}];" for i in range(halves))
    before += "\n" + "\n".join(f"ld.global.b32 %a{i}, [%data+{4 * i}];" for i in range(4))
    return Program(
        f"wgmma.m64n{n}k{k}.{types}, A in {'registers' if registers else 'shared memory'}",
        body,
        group,
        declared=f".reg .u64 %of_a, %of_b; .reg .u32 %at; .reg .pred %more; .reg .b32 %a<4>; .reg .{kind} %d<{halves}>;",
        before=before,
        after="\n".join(f"st.global.b32 [%kept+{8192 * i}], %d{i};" for i in range(halves)),
        warps=4 * groups,
        shared=sum(_OPERANDS),
        filled=sum(_OPERANDS),
        facts={"n": n, "k": k, "group": group, "warpgroups": groups},
    )


def beside(name: str, step: str, kind: str, *, n: int, registers: bool, count: int) -> Program:
    """A group of eight wgmma of one warpgroup, while each warp of another one makes `count` steps in four chains.

    Args:
        name, step, kind: see `chain`. Few steps take less time than the products and show what they cost these; many show what the
            products cost them.
    """
    one = warpgroup_product(n, "f32.bf16.bf16", 16, registers=registers, group=8)
    names = [f"%r{i}" for i in range(4)]
    steps = "\n".join(step.format(r=names[i % 4], k="%k") for i in range(count))
    loads = "\n".join(f"ld.global.b32 {r}, [%data+{8 * i}];" for i, r in enumerate(names))
    kept = "\n".join(f"st.global.b32 [%kept+{8192 * i}], {r};" for i, r in enumerate(names))
    return Program(
        f"{one.name}, beside {name}",
        f"""setp.ge.u32 %other, %warp, 4; @%other bra.uni others;
{one.body}
bra.uni both;
others:
{steps}
both:""",
        one.steps,
        declared=f"{one.declared} .reg .{kind} %r<4>, %k; .reg .pred %other;",
        before=f"{one.before}\n{loads}\nmad.wide.u32 %mine, %thread, 8, %data; ld.global.b32 %k, [%mine+2048];",
        after=f"@%other bra.uni keep;\n{one.after}\nret;\nkeep:\n{kept}",
        warps=8,
        others=4,
        shared=one.shared,
        filled=one.filled,
        facts={"n": n, "count": count, "group": 8, "warpgroups": 1},
    )


def beside_copies(n: int, nbytes: int, groups: int) -> Program:
    """Eight wgmma of each of `groups` warpgroups, while one more warp brings so many bytes into other shared memory by 16 KiB."""
    one = warpgroup_product(n, "f32.bf16.bf16", 16, registers=False, group=8, groups=groups)
    room = sum(_OPERANDS)
    copies = "\n".join(
        f"@%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%to+{i << 14}], [%data+{i << 14}], 16384, [%bar];"
        for i in range(nbytes >> 14)
    )
    brought = f"""@%q mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {nbytes};
{copies}
{next_phase()}"""
    return Program(
        f"{one.name}, beside cp.async.bulk",
        f"""setp.ge.u32 %other, %warp, {4 * groups}; @%other bra.uni others;
{one.body}
bra.uni both;
others:
{brought if nbytes else ""}
both:""",
        one.steps,
        declared=f"{one.declared} .reg .u32 %to, %bar, %phase; .reg .pred %other, %q, %done;",
        before=f"""{one.before}
add.u32 %bar, %pool, {room}; add.u32 %to, %bar, 1024; mov.u32 %phase, 0; setp.eq.u32 %q, %thread, {128 * groups};
@%q mbarrier.init.shared::cta.b64 [%bar], 1; fence.mbarrier_init.release.cluster;""",
        after=f"@%other bra.uni keep;\n{one.after}\nkeep:",
        warps=4 * groups + 1,
        others=4 * groups,
        shared=room + 1024 + nbytes,
        filled=room,
        chase=max(nbytes, 1 << 16),
        facts={"n": n, "bytes": nbytes, "group": 8, "warpgroups": groups},
    )


def softmax(groups: int, *, products: bool, exponentials: bool) -> Program:
    """What attention does: each of so many warpgroups multiplies 64 × 128 scores (A in shared memory), makes exponentials of
    them, and multiplies these as A in registers into 64 × 128 results."""
    scores, results = (", ".join(f"%{name}{i}" for i in range(64)) for name in "sr")
    first = "\n".join(
        f"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{{scores}}}, %of_a, %of_b, %more, 1, 1, 0, 0;"
        for _ in range(8)
    )
    second = "\n".join(
        f"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{{results}}}, "
        f"{{{', '.join(f'%w{4 * i + j}' for j in range(4))}}}, %of_b, %more, 1, 1, 0;"
        for i in range(8)
    )
    ends = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
    steps = "\n".join(f"fma.rn.f32 %s{i}, %s{i}, %k, %k; ex2.approx.ftz.f32 %s{i}, %s{i};" for i in range(64))
    packs = "\n".join(f"cvt.rn.bf16x2.f32 %w{i}, %s{2 * i + 1}, %s{2 * i};" for i in range(32))
    fence = "wgmma.fence.sync.aligned;"
    body = [f"{fence}\n{first}\n{ends}"] * products + [steps, packs] * exponentials
    body += [f"{fence}\n{second}\n{ends}"] * products
    before = f"""and.b32 %at, %pool, 0x3ffff; shr.u32 %at, %at, 4; cvt.u64.u32 %of_a, %at;
or.b64 %of_a, %of_a, {1 << 62 | 64 << 32 | 1 << 16:#x}; add.u64 %of_b, %of_a, {_OPERANDS[0] >> 4};
setp.eq.u32 %more, %thread, %thread; mad.wide.u32 %mine, %thread, 8, %data; ld.global.f32 %k, [%mine+2048];
"""
    loads = [f"ld.global.f32 %{name}{i}, [%data+{4 * i}];" for name in "sr" for i in range(64)]
    loads += [f"ld.global.b32 %w{i}, [%data+{4 * i}];" for i in range(32)]
    did = " and ".join(["products"] * products + ["exponentials"] * exponentials)
    return Program(
        f"a block of attention, {did}",
        "\n".join(body),
        1,
        declared=".reg .u64 %of_a, %of_b; .reg .u32 %at; .reg .pred %more; .reg .b32 %w<32>; .reg .f32 %s<64>, %r<64>, %k;",
        before=before + "\n".join(loads),
        after="\n".join(
            f"st.global.f32 [%kept+{8192 * i}], %{n}{i % 64};" for i, n in enumerate("s" * 64 + "r" * 64 + "w" * 32)
        ),
        warps=4 * groups,
        shared=sum(_OPERANDS),
        filled=sum(_OPERANDS),
        facts={"warpgroups": groups},
    )


def bulk_copy(nbytes: int, flying: int, footprint: int) -> Program:
    """cp.async.bulk from global to shared memory: `flying` copies of so many bytes, then a wait for all."""
    copies = "\n".join(
        f"@%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%to+{i * nbytes % 131072}], [%from+{i * nbytes}], "
        f"{nbytes}, [%bar];"
        for i in range(flying)
    )
    body = f"""@%q mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {flying * nbytes};
{copies}
{next_phase()}
add.u64 %from, %from, {flying * nbytes}; setp.ge.u64 %wrap, %from, %last; @%wrap mov.u64 %from, %data;"""
    return Program(
        f"cp.async.bulk, {nbytes} bytes, {flying} at a time, over {footprint >> 10} KiB",
        body,
        flying,
        declared=".reg .u64 %from, %last; .reg .u32 %to, %bar, %phase; .reg .pred %q, %done, %wrap;",
        before=f"""mov.u32 %bar, pool; add.u32 %to, %bar, 1024; mov.u32 %phase, 0; mov.u64 %from, %data;
add.u64 %last, %data, {footprint - flying * nbytes + 1}; setp.eq.u32 %q, %thread, 0;
@%q mbarrier.init.shared::cta.b64 [%bar], 1; fence.mbarrier_init.release.cluster;""",
        shared=_SHARED,
        chase=max(footprint, 2 * flying * nbytes),
        facts={"bytes": nbytes, "flying": flying, "footprint": footprint},
    )
