"""Launches that are looked at without their flags first, beside the same launches in full: nothing may differ.

    python -m tools.without_flags [--count N] [--seed N] [--jobs N]

The sanitizer tries a launch without following its flags, and keeps what it finds only where flags cannot matter
(`sim/order/companions/unflagged.py`). Random programs of strong and weak accesses, atomics, fences and barriers, some with races,
are run both ways, under eager, late and random schedules. Findings and results are compared. The exit status is 1 where any differ.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final

import numpy as np

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.sim.order.companions import unflagged

_STRONG: Final = (
    "ld.relaxed.{scope}.{space}.{type} {reg}, [{at}];",
    "st.relaxed.{scope}.{space}.{type} [{at}], 5;",
    "st.relaxed.{scope}.{space}.{type} [{at}], 6;",
    "ld.volatile.{space}.{type} {reg}, [{at}];",
    "st.volatile.{space}.{type} [{at}], 5;",
    "ld.acquire.{scope}.{space}.{type} {reg}, [{at}];",
    "st.release.{scope}.{space}.{type} [{at}], 5;",
    "atom.relaxed.{scope}.{space}.add.{type} {reg}, [{at}], 1;",
    "red.relaxed.{scope}.{space}.add.{type} [{at}], 1;",
    "atom.acq_rel.{scope}.{space}.add.{type} {reg}, [{at}], 1;",
)
_ORDER: Final = (
    "bar.sync 0;",
    "bar.warp.sync -1;",
    "membar.cta;",
    "membar.gl;",
    "fence.acq_rel.gpu;",
    "fence.acq_rel.cta;",
)
_HEAD: Final = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{
.shared .align 16 .b8 S[512];
.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<9>;
ld.param.u64 %rd0, [a];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shr.u32 %r2, %r0, 5; setp.eq.u32 %p1, %r0, 0;
mov.u32 %r8, S; shl.b32 %r6, %r0, 2; add.u32 %r6, %r6, %r8;
shl.b32 %r3, %r1, 6; add.u32 %r3, %r3, %r0; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd2, %rd0, %rd1;
@%p1 st.shared.v4.u32 [%r8], {0,0,0,0}; @%p1 st.shared.v4.u32 [%r8+16], {0,0,0,0};
st.shared.u32 [%r6+64], 0;
bar.sync 0;
"""


def program(rng: random.Random) -> str:
    """A kernel for 64 threads a CTA: flags in the first 32 bytes of an array and of shared memory, words of each thread behind."""
    racy = rng.random() * 0.06
    lines = [line for _ in range(rng.randint(5, 16)) for line in _step(rng, racy)]
    return _HEAD + "\n".join(lines) + "\nret;\n}\n"


def _step(rng: random.Random, racy: float) -> Iterator[str]:
    if rng.random() < 0.24:
        yield rng.choice(_ORDER)
        return
    space = rng.choice(("shared", "global"))
    base, own = ("%r8", "%r6") if space == "shared" else ("%rd0", "%rd2")
    kind = rng.random()
    strong = kind < 0.5
    guard = yield from _guard(rng, alone=strong and space == "global")
    flag = f"{base}+{4 * rng.randrange(8)}"
    if strong:
        type_, reg = ("u64", "%rd7") if rng.random() < 0.2 else ("u32", "%r7")
        at = f"{base}+{8 * rng.randrange(4)}" if type_ == "u64" else flag
        scope = rng.choice(("gpu", "gpu", "sys", "cta"))
        yield guard + rng.choice(_STRONG).format(scope=scope, space=space, type=type_, reg=reg, at=at)
        return
    place = flag if kind < 0.5 + racy else f"{own}+{64 + 4 * (kind < 0.5 + 2 * racy)}"
    yield guard + rng.choice((f"ld.{space}.u32 %r7, [{place}];", f"st.{space}.u32 [{place}], 5;"))


def _guard(rng: random.Random, *, alone: bool) -> Any:
    """Code that decides who executes the next line. alone: often one thread."""
    if alone and rng.random() < 0.4:
        return "@%p1 "
    conditions = ("%r0, 17", "%r2, 1", "%r1, 0", "%r1, 2", "%r9, 0")
    chosen = rng.choice((*conditions, ""))
    if not chosen:
        return ""
    yield f"and.b32 %r9, %r0, {rng.choice((1, 3, 7))}; setp.eq.u32 %p0, {chosen};"
    return "@%p0 "


def outcome(text: str, seed: int) -> tuple[list[str], list[int]]:
    """What a sanitized run finds, or what stops it, and what it leaves."""
    out = np.zeros(512, np.uint32)
    options: dict[str, Any] = {"schedule": ("eager", "late", "random")[seed % 3], "seed": seed}
    options |= {"sanitize": "strict" if seed % 7 == 0 else True, "lints": False}
    try:
        found = px.simulate(px.parse(text, "f.ptx")["k"], grid=3, block=64, args=[out], **options).findings
    except Diagnostic as stop:
        found = [stop, *stop.also]
    return sorted(map(str, found)), out.tolist()


def difference(seed: int) -> tuple[str, str]:
    """How a program ended without its flags, and what differs; "" where nothing does."""
    text, kept, how = program(random.Random(seed)), unflagged.unflagged, ["in full"]

    def watched(*given: Any) -> Any:
        report = kept(*given)
        how[:] = ["in full" if report is None else "without flags"]
        return report

    try:
        unflagged.unflagged = watched
        first = outcome(text, seed)
        unflagged.unflagged = lambda *_: None
        full = outcome(text, seed)
    finally:
        unflagged.unflagged = kept
    return how[0], "" if first == full else f"seed {seed}: {first[0][:1]} beside {full[0][:1]}"


def main(words: list[str] | None = None) -> int:
    """Run; the exit status is 1 where anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=400, help="programs")
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(1 << 30), help="of the first program"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(words)
    seeds = range(options.seed, options.seed + options.count)
    with ProcessPoolExecutor(options.jobs) as pool:
        each = pool.map(difference, seeds, chunksize=8) if options.jobs > 1 else map(difference, seeds)
        results = list(each)
    wrong = [text for _, text in results if text]
    ended = Counter(how for how, _ in results)
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(f"{options.count} programs from seed {options.seed}: {dict(ended)}, {len(wrong)} differ")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
