"""Random kernels of cp.async and mbarriers whose threads keep to their own bytes: what each one sees depends on nothing but the
schedule, and they look at bytes that nobody has waited for."""

from __future__ import annotations

from random import Random

THREADS = 64
SLOTS = 8
ROW = 16 * SLOTS
"""Bytes of each thread: in the source, in shared memory, and in front of what it has seen in the output."""
LOOKS = 12
OUT = ROW + 16 * LOOKS
_HEAD = f"""
.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 src, .param .u64 dst) {{
 .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
 .shared .align 128 .b8 buf[{THREADS * ROW}]; .shared .align 8 .b64 bar;
 ld.param.u64 %rd1, [src]; ld.param.u64 %rd2, [dst]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
 mad.lo.u32 %r3, %r2, {THREADS}, %r1;
 mul.wide.u32 %rd3, %r3, {ROW}; add.u64 %rd1, %rd1, %rd3; mul.wide.u32 %rd4, %r3, {OUT}; add.u64 %rd2, %rd2, %rd4;
 mov.u32 %r4, buf; mad.lo.u32 %r4, %r1, {ROW}, %r4; mov.u32 %r5, bar;
 and.b32 %r6, %r1, 16; setp.eq.u32 %p1, %r6, 0; and.b32 %r6, %r1, 3; setp.eq.u32 %p2, %r6, 1;
 setp.lt.u32 %p3, %r1, 40; setp.eq.u32 %p4, %r1, 0; setp.ge.u32 %p5, %r1, 32;
 @%p4 mbarrier.init.shared.b64 [%r5], {THREADS};
 bar.sync 0;
"""


def program(seed: int, *, barriers: bool = True) -> str:
    """A kernel. `barriers`: whether arrivals on an mbarrier are among its steps."""
    return _Writer(Random(seed), barriers=barriers).text()


class _Writer:
    def __init__(self, draw: Random, *, barriers: bool) -> None:
        self.draw, self.barriers = draw, barriers
        self.looks = self.phases = self.labels = 0

    def text(self) -> str:
        lines = [self.step() for _ in range(self.draw.randint(10, 24))]
        for slot in range(SLOTS):
            lines.append(self.seen(slot, 16 * slot))
        return _HEAD + "\n".join(lines) + "\n ret; }\n"

    def step(self, *, apart: bool = False) -> str:
        kinds = [self.copy] * 6 + [self.commit] * 4 + [self.wait] * 3 + [self.look] * 3 + [self.store]
        if not apart:
            kinds += [self.branch] * 2 + [lambda: "bar.sync 0;"] + [self.phase] * self.barriers
        return self.draw.choice(kinds)()

    def guard(self) -> str:
        return self.draw.choice(("", "", "", "@%p1 ", "@!%p2 ", "@%p3 ", "@%p5 "))

    def copy(self) -> str:
        size = self.draw.choice((4, 8, 16, 16))
        at = 16 * self.draw.randrange(SLOTS) + size * self.draw.randrange(16 // size)
        to = 16 * self.draw.randrange(SLOTS) + size * self.draw.randrange(16 // size)
        more, before = "", ""
        match self.draw.randrange(5):
            case 0:
                before, more = f"and.b32 %r7, %r1, {size - 1}; add.u32 %r7, %r7, {self.draw.randrange(2)}; ", ", %r7"
            case 1:
                more = self.draw.choice((", %p2", f", {size // 2}", ", 0"))
        cache = "cg" if size == 16 and self.draw.random() < 0.5 else "ca"
        return f"{before}{self.guard()}cp.async.{cache}.shared.global [%r4+{to}], [%rd1+{at}], {size}{more};"

    def commit(self) -> str:
        return f"{self.guard()}cp.async.commit_group;"

    def wait(self) -> str:
        if self.draw.random() < 0.1:
            return f"{self.guard()}cp.async.wait_all;"
        return f"{self.guard()}cp.async.wait_group {self.draw.choice((0, 1, 1, 2, 3, 60))};"

    def store(self) -> str:
        word = self.draw.randrange(1 << 31)
        return f"mov.u32 %r7, {word}; {self.guard()}st.shared.u32 [%r4+{4 * self.draw.randrange(ROW // 4)}], %r7;"

    def look(self) -> str:
        if self.looks == LOOKS:
            return ""
        self.looks += 1
        return self.seen(self.draw.randrange(SLOTS), ROW + 16 * (self.looks - 1))

    def seen(self, slot: int, at: int) -> str:
        values = "{%r8, %r9, %r10, %r11}"
        return f"ld.shared.v4.u32 {values}, [%r4+{16 * slot}]; st.global.v4.u32 [%rd2+{at}], {values};"

    def branch(self) -> str:
        self.labels += 1
        inner = " ".join(self.step(apart=True) for _ in range(self.draw.randint(1, 4)))
        return f"@%p{self.draw.choice((1, 2, 3, 5))} bra L{self.labels}; {inner} L{self.labels}:"

    def phase(self) -> str:
        """All threads arrive, each when its copies are done, and wait."""
        self.labels += 1
        parity, self.phases = self.phases & 1, self.phases + 1
        arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];"
        match self.draw.randrange(3):
            case 0:
                arrive = "cp.async.mbarrier.arrive.shared.b64 [%r5]; mbarrier.arrive.shared.b64 %rd5, [%r5];"
            case 1:
                arrive = "mbarrier.arrive.shared.b64 %rd5, [%r5];"
        wait = self.draw.choice(("try_wait.parity", "try_wait.parity", "test_wait.parity"))
        return f"{arrive} W{self.labels}: mbarrier.{wait}.shared.b64 %p6, [%r5], {parity}; @!%p6 bra W{self.labels};"
