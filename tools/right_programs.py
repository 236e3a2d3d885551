"""Right concurrent programs, drawn at random: the simulator has to give their results, and its sanitizer has to be silent.

    python -m tools.right_programs [--count N] [--seed N] [--jobs N] [--show SEED]

Warps of one to four CTAs access words of shared and global memory: with loads and stores, strong or weak, with atomic operations,
through generic addresses, and in other CTAs of their cluster. A clock for each warp says who is known to come before whom. Where an
access would clash with an earlier one, something is put between the two: a barrier of the CTA, an mbarrier, a flag, a
lock, a barrier of the cluster. So a program is right because of how it was drawn, and no part of ptxlab is asked whether it is.

Each runs under SCHEDULES. A finding, a wrong value, a hang or any other diagnostic is a difference.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

import ptxlab as px
from ptxlab.diag import Diagnostic

SCHEDULES: Final = (("eager", False), ("late", False), ("random", False), ("eager", True))
"""Schedules, and whether the sanitizer is strict."""
WARPS: Final = 4
_SCOPES: Final = ("cta", "cluster", "gpu", "sys")
_SYNCS: Final = ("bar", "arrive", "mbarrier", "mbarrier", "flag", "flag", "fences", "cluster")


@dataclass(frozen=True)
class Warp:
    """A warp, by its CTA in the grid and its place there."""

    cta: int
    index: int


@dataclass(frozen=True)
class Past:
    """An access: by whom, when, by which of the lanes, and what it may do beside another one."""

    warp: Warp
    time: int
    lanes: str
    writes: bool
    scope: int
    """The scope of a strong access, as an index of `_SCOPES`; -1: a weak one."""
    atomic: bool


@dataclass
class Word:
    """A word of memory: in the shared memory of a CTA, or global (`cta` is None)."""

    cta: int | None
    offset: int
    value: int | None = 0
    """What it holds; None where that depends on the schedule."""
    past: list[Past] = field(default_factory=list[Past])


class Program:
    """A random program. `text`: its PTX. `grid`, `cluster`: its shape. `words`: what global memory holds afterwards, by offset."""

    def __init__(self, seed: int, steps: int = 14) -> None:
        self.random = random.Random(seed)
        r = self.random
        self.cluster = r.choice((1, 1, 2, 2))
        self.grid = self.cluster * r.choice((1, 1, 1, 2))
        self.warps = [Warp(c, i) for c in range(self.grid) for i in range(WARPS)]
        self.clock: dict[Warp, dict[Warp, int]] = {w: dict.fromkeys(self.warps, 0) for w in self.warps}
        self.code: dict[Warp, list[str]] = {w: [] for w in self.warps}
        self.time = 0
        self.labels = 0
        self.shared_bytes = self.global_bytes = 0
        self.mbarriers: list[tuple[int, int, int]] = []  # CTA, offset, count
        self.flags: list[Word] = []  # in shared memory: they have to be zero before anything begins
        self.bars: dict[tuple[frozenset[Warp], frozenset[Warp]], int] = {}
        self.words = [self._word(r.choice((*range(self.grid), None))) for _ in range(r.randint(2, 5))]
        if r.random() < 0.7:
            self._initialize()
        for _ in range(r.randint(3, steps)):
            self._step()
        self._end()
        self.text = self._emit()

    # -- memory
    def _word(self, cta: int | None) -> Word:
        if cta is None:
            self.global_bytes += 4
            return Word(None, self.global_bytes - 4)
        self.shared_bytes += 4
        return Word(cta, self.shared_bytes - 4, value=None)

    def _initialize(self) -> None:
        """Let the first warp of a CTA, or one thread of it, store zeros before the barrier at which mbarriers are ready."""
        for word in self.words:
            if word.cta is not None and self.random.random() < 0.8:
                self._store(Warp(word.cta, 0), word, weak=True)

    def _near(self, word: Word, warp: Warp) -> bool:
        return word.cta is None or word.cta // self.cluster == warp.cta // self.cluster

    def _address(self, word: Word, warp: Warp) -> tuple[str, str]:
        """How a warp names a word: state space and address. Writes what computes it."""
        r, out = self.random, self.code[warp]
        if word.cta is None:
            return (".global", f"[%rd1+{word.offset}]")
        if word.cta != warp.cta:
            out += [
                f"mov.u32 %r8, mem+{word.offset};",
                f"mapa.shared::cluster.u32 %r9, %r8, {word.cta % self.cluster};",
            ]
            return (".shared::cluster", "[%r9]")
        if r.random() < 0.15:
            out += [f"mov.u32 %r8, mem+{word.offset};", "cvt.u64.u32 %rd5, %r8;", "cvta.shared.u64 %rd4, %rd5;"]
            return ("", "[%rd4]")
        return (r.choice((".shared", ".shared::cta")), f"[mem+{word.offset}]")

    # -- order
    def _scope(self, warps: list[Warp]) -> int:
        """The narrowest scope that holds these warps, or sometimes a wider one."""
        ctas = {w.cta for w in warps}
        least = 0 if len(ctas) == 1 else 1 if len({c // self.cluster for c in ctas}) == 1 else 2
        return least if self.random.random() < 0.8 else self.random.randint(least, 3)

    def _apart(self, a: Warp, b: Warp) -> int:
        return 0 if a.cta == b.cta else 1 if a.cta // self.cluster == b.cta // self.cluster else 2

    def _clashes(self, word: Word, new: Past) -> list[Warp]:
        """Whose accesses have to come first and are not known to."""
        found: list[Warp] = []
        for old in word.past:
            if not (old.writes or new.writes) or self.clock[new.warp][old.warp] >= old.time:
                continue
            if old.warp == new.warp:
                continue  # a warp's steps are kept apart by bar.warp.sync
            if min(old.scope, new.scope) >= self._apart(old.warp, new.warp):
                continue
            found.append(old.warp)
        return list(dict.fromkeys(found))

    def _access(self, warp: Warp, word: Word, lanes: str, *, writes: bool, scope: int, atomic: bool = False) -> bool:
        """Take note of an access, and put before it what orders it. Returns whether what it reads is settled."""
        self.time += 1
        new = Past(warp, self.time, lanes, writes, scope, atomic)
        if before := self._clashes(word, new):
            self._order(before, [warp])
            self.time += 1
            new = Past(warp, self.time, lanes, writes, scope, atomic)
        self.code[warp].append("bar.warp.sync -1;")
        settled = all(not p.writes or p.warp == warp or self.clock[warp][p.warp] >= p.time for p in word.past)
        self.clock[warp][warp] = self.time
        word.past.append(new)
        return settled

    def _join(self, sources: list[Warp], targets: list[Warp]) -> None:
        known = {w: max(self.clock[s][w] for s in sources) for w in self.warps}
        for t in targets:
            self.clock[t] = {w: max(self.clock[t][w], known[w]) for w in self.warps}

    def _order(self, before: list[Warp], after: list[Warp]) -> None:
        """Put something between warps: whatever `before` has done comes before what `after` does from here on."""
        r = self.random
        both = list(dict.fromkeys([*before, *after]))
        kinds = [k for k in _SYNCS if self._can(k, both)]
        getattr(self, f"_by_{r.choice(kinds)}")(before, after)

    def _can(self, kind: str, warps: list[Warp]) -> bool:
        furthest = max(self._apart(a, b) for a in warps for b in warps)
        return {"bar": furthest == 0, "arrive": furthest == 0, "mbarrier": furthest <= 1, "cluster": furthest <= 1}.get(
            kind, True
        )

    def _by_bar(self, before: list[Warp], after: list[Warp]) -> None:
        """A barrier of the CTA, or of some of its warps."""
        r = self.random
        some = set(before) | set(after)
        cta = before[0].cta
        if r.random() < 0.4:
            some = {Warp(cta, i) for i in range(WARPS)}
        number = self._bar(frozenset(some))
        for w in sorted(some, key=lambda w: w.index):
            words = r.choice(("bar.sync", "barrier.cta.sync", "barrier.sync.aligned"))
            self.code[w].append(f"{words} {number}{'' if number == 0 else f', {32 * len(some)}'};")
        self._join(list(some), list(some))

    def _by_arrive(self, before: list[Warp], after: list[Warp]) -> None:
        """Those before arrive at a barrier of the CTA and go on; those after wait."""
        arriving, waiting = frozenset(before) - frozenset(after), frozenset(after)
        if not arriving or (waiting, arriving) in self.bars:  # who arrives again may overtake those who still wait
            self._by_bar(before, after)
            return
        number = self._bar(waiting, arriving)
        for w in sorted(arriving | waiting, key=lambda w: w.index):
            self.code[w].append(
                f"bar.{'arrive' if w in arriving else 'sync'} {number}, {32 * len(arriving | waiting)};"
            )
        self._join([*arriving, *waiting], after)

    def _bar(self, waiting: frozenset[Warp], arriving: frozenset[Warp] = frozenset()) -> int:
        """The number of a barrier that these warps alone use; 0 where all of a CTA wait."""
        if len(waiting) == WARPS:
            return 0
        if (waiting, arriving) not in self.bars:
            (cta,) = {w.cta for w in waiting}
            used = sum(next(iter(some)).cta == cta for some, _ in self.bars)
            self.bars[waiting, arriving] = used + 1
        return self.bars[waiting, arriving]

    def _signallers(self, warp: Warp) -> tuple[str, int]:
        """Which lanes of a warp signal, all or the first, after a bar.warp.sync."""
        self.code[warp].append("bar.warp.sync -1;")
        return ("", 32) if self.random.random() < 0.3 else ("@%p0 ", 1)

    def _wait(self, warp: Warp, lines: list[str], leave: str) -> None:
        """A loop of a warp, or of its first lane on behalf of all, until predicate %p2 is true."""
        self.labels += 1
        out, n = self.code[warp], self.labels
        one = self.random.random() < 0.4
        if one:
            out.append(f"@!%p0 bra D{n};")
        out += [f"W{n}:", *lines, f"@{leave} bra W{n};"]
        if one:
            out.append(f"D{n}:")
        out.append("bar.warp.sync -1;")

    def _by_mbarrier(self, before: list[Warp], after: list[Warp]) -> None:
        """An mbarrier for this alone in each CTA of those who wait."""
        r = self.random
        homes = sorted({w.cta for w in after})
        self.shared_bytes += -self.shared_bytes % 8
        at = self.shared_bytes
        self.shared_bytes += 8
        counts = dict.fromkeys(homes, 0)
        cluster = len({w.cta for w in [*before, *after]}) > 1
        for w in before:
            who, n = self._signallers(w)
            for home in homes:
                counts[home] += n
                if home == w.cta:
                    words = ".release.cluster" if cluster else r.choice(("", "", ".release.cta", ".release.cluster"))
                    form = r.choice(
                        (
                            f"{{}}mbarrier.arrive{words}.shared::cta.b64 %rd6, [mem+{at}];",
                            f"{{}}mbarrier.arrive{words}.shared::cta.b64 _, [mem+{at}];",
                        )
                    )
                    self.code[w].append(form.format(who))
                else:
                    self.code[w] += [
                        f"mov.u32 %r8, mem+{at};",
                        f"mapa.shared::cluster.u32 %r9, %r8, {home % self.cluster};",
                        f"{who}mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9];",
                    ]
        self.mbarriers += [(home, at, counts[home]) for home in homes]
        for w in after:
            word = r.choice(("try_wait", "test_wait"))
            sem = ".acquire.cluster" if cluster else r.choice(("", "", ".acquire.cta"))
            self._wait(w, [f"mbarrier.{word}.parity{sem}.shared::cta.b64 %p2, [mem+{at}], 0;"], "!%p2")
        self._join(before, after)

    def _flag(self, before: list[Warp], after: list[Warp]) -> Word:
        near = {w.cta // self.cluster for w in [*before, *after]}
        ctas = sorted({w.cta for w in [*before, *after]})
        at = self.random.choice((*ctas, None)) if len(near) == 1 else None
        flag = self._word(at)
        if at is not None:
            self.flags.append(flag)
        return flag

    def _by_flag(self, before: list[Warp], after: list[Warp], *, fences: bool = False) -> None:
        """A counter that those before add to, with release, and those after poll, with acquire."""
        r, flag, total = self.random, self._flag(before, after), 0
        scope = _SCOPES[self._scope([*before, *after])]
        for w in before:
            space, address = self._address(flag, w)
            who, n = self._signallers(w)
            total += n
            single = len(before) == 1 and n == 1
            if fences:
                self.code[w].append(f"fence.{r.choice(('acq_rel', 'sc'))}.{scope};")
            sem = "relaxed" if fences else "release"
            if single and r.random() < 0.5:
                self.code[w].append(f"{who}st.{sem}.{scope}{space}.u32 {address}, 1;")
            elif r.random() < 0.5:
                self.code[w].append(f"{who}red.{sem}.{scope}{space}.add.u32 {address}, 1;")
            else:
                both = r.choice((sem, sem if fences else "acq_rel"))
                self.code[w].append(f"{who}atom.{both}.{scope}{space}.add.u32 %r6, {address}, 1;")
        for w in after:
            space, address = self._address(flag, w)
            sem = "relaxed" if fences else "acquire"
            self._wait(w, [f"ld.{sem}.{scope}{space}.u32 %r6, {address};", f"setp.eq.u32 %p2, %r6, {total};"], "!%p2")
            if fences:
                self.code[w] += [f"fence.acq_rel.{scope};", "bar.warp.sync -1;"]
        self._join(before, after)

    def _by_fences(self, before: list[Warp], after: list[Warp]) -> None:
        self._by_flag(before, after, fences=True)

    def _by_cluster(self, before: list[Warp], after: list[Warp]) -> None:
        """A barrier of the whole cluster."""
        of = before[0].cta // self.cluster
        some = [w for w in self.warps if w.cta // self.cluster == of]
        arrive = self.random.choice(("", ".release"))
        for w in some:
            self.code[w] += ["bar.warp.sync -1;", f"barrier.cluster.arrive{arrive}.aligned;"]
            self.code[w].append("barrier.cluster.wait.acquire.aligned;")
        self._join(some, some)

    # -- accesses
    def _step(self) -> None:
        r = self.random
        word = r.choice(self.words)
        warps = [w for w in self.warps if self._near(word, w)]
        what = r.choice(("store", "load", "load", "add", "adds", "adds", "locked"))
        if word.value is None and word.cta is not None and not word.past:
            self._store(r.choice(warps), word, weak=True)  # weak, so that whatever follows is ordered behind it
        if what == "adds":
            some = r.sample(warps, min(len(warps), r.randint(2, 4)))
            scope = self._scope(some)
            for w in some:
                self._add(w, word, scope)
        elif what == "locked":
            self._locked(r.sample(warps, min(len(warps), r.randint(1, 3))), word)
        else:
            getattr(self, f"_{what}")(r.choice(warps), word)

    def _strong(self) -> tuple[int, str]:
        """A scope and its words, or a weak access."""
        r = self.random
        if r.random() < 0.6:
            return -1, ""
        scope = r.randint(0, 2)
        return scope, f".relaxed.{_SCOPES[scope]}"

    def _store(self, warp: Warp, word: Word, *, weak: bool = False) -> None:
        r = self.random
        scope, words = (-1, "") if weak else self._strong()
        self._access(warp, word, "one", writes=True, scope=scope)
        value = r.randint(0, 9) if not weak else 0
        space, address = self._address(word, warp)
        who = "@%p0 " if r.random() < 0.8 else ""  # all lanes may store the same
        self.code[warp].append(f"{who}st{words}{space}.u32 {address}, {value};")
        # another strong access that nothing orders may come in between
        word.value = value if all(self.clock[warp][p.warp] >= p.time for p in word.past) else None

    def _load(self, warp: Warp, word: Word) -> None:
        scope, words = self._strong()
        settled = self._access(warp, word, "all", writes=False, scope=scope)
        space, address = self._address(word, warp)
        who = self.random.choice(("", "", "@%p0 "))
        self.code[warp].append(f"{who}ld{words}{space}.u32 %r5, {address};")
        if settled and scope < 0 and word.value is not None:  # a later strong write need not come behind a strong load
            self._expect(warp, who, "%r5", word.value)

    def _expect(self, warp: Warp, who: str, register: str, value: int) -> None:
        if who:
            self.code[warp] += [f"setp.ne.and.u32 %p3, {register}, {value}, %p0;", "@%p3 trap;"]
        else:
            self.code[warp] += [f"setp.ne.u32 %p3, {register}, {value};", "@%p3 trap;"]

    def _add(self, warp: Warp, word: Word, scope: int | None = None) -> None:
        r = self.random
        scope = self._scope([warp]) if scope is None else scope
        self._access(warp, word, "all", writes=True, scope=scope, atomic=True)
        if any(not p.atomic and p.writes and self.clock[warp][p.warp] < p.time for p in word.past):
            word.value = None  # a store may come before or after it
        space, address = self._address(word, warp)
        who, n = r.choice((("", 32), ("@%p0 ", 1)))
        sem = r.choice(("", "", ".relaxed", ".acq_rel", ".release"))
        words = f"{sem}.{_SCOPES[scope]}" if sem or scope != 2 or r.random() < 0.5 else ""
        if r.random() < 0.5:
            self.code[warp].append(f"{who}atom{words}{space}.add.u32 %r5, {address}, 2;")
        else:
            sem = sem if sem != ".acq_rel" else ".relaxed"
            words = f"{sem}.{_SCOPES[scope]}" if words else ""
            self.code[warp].append(f"{who}red{words}{space}.add.u32 {address}, 2;")
        if word.value is not None:
            word.value = (word.value + 2 * n) & 0xFFFFFFFF

    def _locked(self, warps: list[Warp], word: Word) -> None:
        """Each of these takes a lock, adds 1 with a load and a store, and gives it back."""
        r = self.random
        # whatever has come before the first has to come before each: the lock orders no more than these
        for w in warps:
            before = [p.warp for p in word.past if p.warp != w and self.clock[w][p.warp] < p.time]
            if before:
                self._order(list(dict.fromkeys(before)), [w])
        lock = self._flag(warps, warps)
        scope = _SCOPES[self._scope(warps)]
        fences = r.random() < 0.4
        for w in warps:
            self.labels += 1
            n, out = self.labels, self.code[w]
            out.append("bar.warp.sync -1;")
            lock_space, lock_at = self._address(lock, w)
            lock_at = self._kept(w, lock_at)
            space, address = self._address(word, w)
            take = "relaxed" if fences else r.choice(("acquire", "acq_rel"))
            fence = [f"fence.acq_rel.{scope};"] if fences else []
            out += [
                f"@!%p0 bra D{n};",
                f"W{n}:",
                f"atom.{take}.{scope}{lock_space}.cas.b32 %r6, {lock_at}, 0, 1;",
                "setp.ne.u32 %p2, %r6, 0;",
                f"@%p2 bra W{n};",
                *fence,
                f"ld{space}.u32 %r5, {address};",
                "add.u32 %r5, %r5, 1;",
                f"st{space}.u32 {address}, %r5;",
            ]
            if fences:
                out += [
                    *fence,
                    r.choice(
                        (
                            f"st.relaxed.{scope}{lock_space}.u32 {lock_at}, 0;",
                            f"atom.relaxed.{scope}{lock_space}.exch.b32 %r6, {lock_at}, 0;",
                        )
                    ),
                ]
            else:
                out.append(
                    r.choice(
                        (
                            f"st.release.{scope}{lock_space}.u32 {lock_at}, 0;",
                            f"atom.release.{scope}{lock_space}.exch.b32 %r6, {lock_at}, 0;",
                        )
                    )
                )
            out += [f"D{n}:", "bar.warp.sync -1;"]
        for w in warps:
            self.time += 1
            self.clock[w][w] = self.time
            word.past.append(Past(w, self.time, "one", writes=True, scope=-1, atomic=False))
            if word.value is not None:
                word.value += 1

    def _kept(self, warp: Warp, address: str) -> str:
        """Keep an address in registers of its own, where the next one is computed in the same."""
        if "%r9" in address:
            self.code[warp].append("mov.u32 %r10, %r9;")
            return "[%r10]"
        if "%rd4" in address:
            self.code[warp].append("mov.u64 %rd7, %rd4;")
            return "[%rd7]"
        return address

    # -- the ends
    def _end(self) -> None:
        """Nobody exits while others still access its shared memory: a barrier of the cluster, or a flag for each CTA."""
        if self.cluster == 1:
            return
        if self.random.random() < 0.6:
            for first in range(0, self.grid, self.cluster):
                self._by_cluster([Warp(first, 0)], [Warp(first, 0)])
            return
        for cta in range(self.grid):
            others = [w for w in self.warps if w.cta != cta and self._apart(w, Warp(cta, 0)) == 1]
            keeper = Warp(cta, self.random.randrange(WARPS))
            flag = self._word(cta)
            self.flags.append(flag)
            total = 0
            for w in others:
                space, address = self._address(flag, w)
                who, n = self._signallers(w)
                total += n
                self.code[w].append(f"{who}red.release.cluster{space}.add.u32 {address}, 1;")
            space, address = self._address(flag, keeper)
            self._wait(
                keeper, [f"ld.acquire.cluster{space}.u32 %r6, {address};", f"setp.eq.u32 %p2, %r6, {total};"], "!%p2"
            )
        for cta in range(self.grid):
            for i in range(WARPS):
                self.code[Warp(cta, i)].append("bar.sync 0;")

    def _emit(self) -> str:
        body = [
            "ld.param.u64 %rd0, [out];", "cvta.to.global.u64 %rd1, %rd0;", "mov.u32 %r0, %tid.x;", "shr.u32 %r1, %r0, 5;",
            "and.b32 %r2, %r0, 31;", "setp.eq.u32 %p0, %r2, 0;", "mov.u32 %r3, %ctaid.x;", "setp.ne.u32 %p1, %r0, 0;",
            "@%p1 bra READY;",
        ]  # fmt: skip
        for cta in range(self.grid):
            inits = [f"mbarrier.init.shared.b64 [mem+{at}], {n};" for home, at, n in self.mbarriers if home == cta]
            zeros = [f"st.shared.u32 [mem+{f.offset}], 0;" for f in self.flags if f.cta == cta]
            lines = [*inits, *zeros]
            self.random.shuffle(lines)
            body += [f"setp.ne.u32 %p1, %r3, {cta};", f"@%p1 bra I{cta};", *lines, f"I{cta}:"]
        body += ["fence.mbarrier_init.release.cluster;" if self.cluster > 1 else "", "READY:"]
        body += (
            ["barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;"]
            if self.cluster > 1
            else ["bar.sync 0;"]
        )
        for w in self.warps:
            done = [f"@%p0 st.global.u32 [%rd1+{self.global_bytes + 4 * (w.cta * WARPS + w.index)}], 1;"]
            body += [f"setp.ne.u32 %p1, %r3, {w.cta};", f"setp.ne.or.u32 %p1, %r1, {w.index}, %p1;",
                     f"@%p1 bra S{w.cta}_{w.index};", *self.code[w], *done, "ret;", f"S{w.cta}_{w.index}:"]  # fmt: skip
        head = [
            ".version 8.0", ".target sm_90a", ".address_size 64", ".visible .entry k(.param .u64 out)",
            f".reqntid {32 * WARPS}" + (f"\n.reqnctapercluster {self.cluster}" if self.cluster > 1 else ""), "{",
            ".reg .b32 %r<12>; .reg .b64 %rd<9>; .reg .pred %p<5>;", f".shared .align 16 .b8 mem[{max(16, self.shared_bytes)}];",
        ]  # fmt: skip
        return "\n".join([*head, *("  " + line for line in body if line), "  ret;", "}", ""])


def differences(seed: int) -> list[str]:
    """What is wrong with one program: by schedule."""
    program = Program(seed)
    found: list[str] = []
    kernel = px.parse(program.text, f"right-{seed}.ptx")["k"]
    for schedule, strict in SCHEDULES:
        out = np.zeros(program.global_bytes // 4 + len(program.warps), np.uint32)
        try:
            report = px.simulate(
                kernel, grid=program.grid, block=32 * WARPS, args=[out], schedule=schedule, seed=seed, lints=False,
                sanitize="strict" if strict else True,
            )  # fmt: skip
        except Diagnostic as d:
            found.append(f"{seed} {schedule} strict={strict}: {d.code} {d.message.splitlines()[0]}")
            continue
        found += [f"{seed} {schedule} strict={strict}: {d.code} {d.message}" for d in report.findings]
        for word in program.words:
            if word.cta is None and word.value is not None and out[word.offset // 4] != word.value:
                found.append(f"{seed} {schedule}: word {word.offset} is {out[word.offset // 4]}, not {word.value}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Draw and run programs; the exit status is 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, metavar="SEED", help="print a program instead")
    options = parser.parse_args(arguments)
    if options.show is not None:
        print(Program(options.show).text)
        return 0
    seeds = range(options.seed, options.seed + options.count)
    run: Callable[..., Iterator[list[str]]] = map
    if options.jobs > 1:
        run = multiprocessing.get_context("spawn").Pool(options.jobs).imap_unordered
    wrong = 0
    for found in run(differences, seeds):
        wrong += bool(found)
        for line in found:
            print(line, flush=True)
    print(f"{options.count} programs, {wrong} with a difference")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
