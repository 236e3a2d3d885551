"""Random programs whose synchronization depends on the schedule: locks, tickets, counters, and flags that anybody may raise.

Some of them are right, and some are not: what releases or acquires may be relaxed, an unlock may be missing, a sum may be rounded
in order of arrival, or a thread may store what it happens to find. `tools.certified` holds certificates to them.
"""

from __future__ import annotations

import random
from collections.abc import Callable

WORDS = 64
"""Words of the array: locks and flags in the first 16, data behind them."""
_FLAGS, _DATA = 16, 48


class Open:
    """A random program: its text, and CTAs and threads of its launch. Threads of warps are the first ones, one of each."""

    def __init__(self, seed: int) -> None:
        self.random = r = random.Random(seed)
        self.grid, self.warps = r.choice(((2, 1), (2, 1), (3, 1), (1, 2), (1, 3), (2, 2)))
        self.weak = r.random() < 0.5
        self._labels = 0
        kinds: list[Callable[[], str]] = [
            *(self._lock, self._lock, self._ticket, self._last, self._draw, self._flag, self._wait),
            *(self._try, self._look, self._count),
        ]
        both = [r.choice(kinds) for _ in range(r.choice((1, 1, 2)))]
        bodies = [self._body(both if r.random() < 0.7 else [r.choice(kinds)]) for _ in range(self.grid * self.warps)]
        branches = "".join(f"setp.eq.u32 q, me, {i};\n@q bra T{i};\n" for i in range(len(bodies)))
        parts = "".join(f"T{i}:\n{body}bra D;\n" for i, body in enumerate(bodies))
        self.text = f""".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .pred p, q; .reg .b32 t, v, w, u, b, me, lane; .reg .b64 o, x; .reg .f32 f, g;
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  and.b32 lane, t, 31;
  setp.ne.u32 p, lane, 0;
  @p bra D;
  shr.u32 t, t, 5;
  mad.lo.u32 me, b, {self.warps}, t;
{branches}bra D;
{parts}D: ret;
}}
"""

    def _body(self, kinds: list[Callable[[], str]]) -> str:
        return "".join(kind() for kind in kinds)

    def _label(self) -> str:
        self._labels += 1
        return f"L{self._labels}"

    def _sem(self, word: str) -> str:
        return "relaxed" if self.weak and self.random.random() < 0.25 else word

    def _word(self) -> int:
        """Where one of two locks or flags is."""
        return 4 * self.random.choice((0, 0, 1))

    def _data(self, word: int) -> int:
        return 4 * _FLAGS + 16 * word

    def _critical(self, word: int) -> str:
        """What is done under a lock."""
        at, r = self._data(word), self.random
        step = r.choice(
            ("add.u32 w, w, me;\nadd.u32 w, w, 3;", "xor.b32 w, w, 5;", "add.u32 w, w, 7;", "mad.lo.u32 w, w, 3, 1;")
        )
        if r.random() < 0.15:
            return f"""cvt.rn.f32.u32 f, me;\nadd.f32 f, f, 0f3DCCCCCD;\nld.global.f32 g, [o+{at}];
add.f32 g, g, f;\nst.global.f32 [o+{at}], g;\n"""
        if r.random() < 0.1:
            step = "mov.u32 w, me;"
        return f"ld.global.u32 w, [o+{at}];\n{step}\nst.global.u32 [o+{at}], w;\n"

    def _lock(self) -> str:
        word, label, r = self._word(), self._label(), self.random
        take = r.choice((f"cas.b32 v, [o+{word}], 0, 1", f"exch.b32 v, [o+{word}], 1"))
        sem = self._sem("acquire")
        fence = "fence.acq_rel.gpu;\n" if sem == "relaxed" and r.random() < 0.5 else ""
        give = f"st.{self._sem('release')}.gpu.global.u32 [o+{word}], 0;\n"
        if r.random() < 0.3:
            give = f"atom.{self._sem('release')}.gpu.global.exch.b32 v, [o+{word}], 0;\n"
        if self.weak and r.random() < 0.05:
            give = ""
        return f"{label}: atom.{sem}.gpu.global.{take};\nsetp.ne.u32 q, v, 0;\n@q bra {label};\n{fence}{self._critical(word)}{give}"

    def _ticket(self) -> str:
        label = self._label()
        return f"""atom.relaxed.gpu.global.add.u32 u, [o+8], 1;
{label}: ld.{self._sem("acquire")}.gpu.global.u32 v, [o+12];\nsetp.ne.u32 q, v, u;\n@q bra {label};
{self._critical(3)}add.u32 u, u, 1;\nst.{self._sem("release")}.gpu.global.u32 [o+12], u;\n"""

    def _last(self) -> str:
        """Whoever comes last adds up what all have stored."""
        end, count = self._label(), self.grid * self.warps
        reads = "".join(f"ld.global.u32 v, [o+{4 * (_DATA + i)}];\nadd.u32 w, w, v;\n" for i in range(count))
        return f"""mul.wide.u32 x, me, 4;\nadd.s64 x, x, o;\nst.global.u32 [x+{4 * _DATA}], {self.random.randint(1, 9)};
atom.{self._sem("acq_rel")}.gpu.global.add.u32 u, [o+16], 1;\nsetp.ne.u32 q, u, {count - 1};\n@q bra {end};
mov.u32 w, 0;\n{reads}st.global.u32 [o+{4 * (_DATA - 1)}], w;\n{end}:\n"""

    def _draw(self) -> str:
        """A piece of work by a counter: its result, or sometimes who has done it."""
        what = "me" if self.random.random() < 0.2 else "w"
        return f"""atom.relaxed.gpu.global.add.u32 u, [o+20], 1;\nmul.wide.u32 x, u, 4;\nadd.s64 x, x, o;
mad.lo.u32 w, u, u, 3;\nst.global.u32 [x+{4 * (_DATA + 8)}], {what};\n"""

    def _flag(self) -> str:
        """Raises a flag that several may raise, behind a store of its own."""
        how = self.random.choice(("or.b32 v, [o+24], 1", "add.u32 v, [o+24], 1", "max.u32 v, [o+24], 1"))
        return f"""mul.wide.u32 x, me, 4;\nadd.s64 x, x, o;\nst.global.u32 [x+{4 * (_DATA - 8)}], 4;
atom.{self._sem("release")}.gpu.global.{how};\n"""

    def _wait(self) -> str:
        """Waits until a flag is raised, and reads what a thread has stored before; raises it first, so that it ends."""
        label, r = self._label(), self.random
        other = r.randrange(self.grid * self.warps)
        reads = f"ld.global.u32 w, [o+{4 * (_DATA - 8 + other)}];\n" if r.random() < 0.4 else ""
        return f"""{self._flag()}{label}: ld.{self._sem("acquire")}.gpu.global.u32 v, [o+24];
setp.lt.u32 q, v, {r.choice((1, 1, self.grid * self.warps))};\n@q bra {label};\n{reads}"""

    def _try(self) -> str:
        """Takes a lock if nobody has it, else does without."""
        word, end = self._word(), self._label()
        return f"""atom.{self._sem("acquire")}.gpu.global.cas.b32 v, [o+{word}], 0, 1;\nsetp.ne.u32 q, v, 0;\n@q bra {end};
{self._critical(word)}st.{self._sem("release")}.gpu.global.u32 [o+{word}], 0;\n{end}:\n"""

    def _look(self) -> str:
        """Stores to a word and looks at another one, strongly; and may leave what it has found."""
        r, end = self.random, self._label()
        mine, other = r.sample((28, 32, 36), 2)
        leaves = (
            f"setp.eq.u32 q, v, 9;\n@!q bra {end};\nst.global.u32 [o+{4 * (_DATA - 2)}], 1;\n"
            if r.random() < 0.5
            else ""
        )
        return f"""st.{self._sem("release")}.gpu.global.u32 [o+{mine}], {r.choice((1, 1, 2))};
ld.{self._sem("acquire")}.gpu.global.u32 v, [o+{other}];\n{leaves}{end}:\n"""

    def _count(self) -> str:
        """Sums that nobody looks at."""
        how = self.random.choice(("add.u32", "add.u32", "max.u32"))
        return f"red.relaxed.gpu.global.{how} [o+40], 1;\n"
