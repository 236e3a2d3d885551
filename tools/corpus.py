"""`python -m tools.corpus [--write]`: the litmus tests of examples/litmus, each with its verdict and the reason for it.

The verdicts are stated here, by what each shape needs; nothing asks the model. A test compares the two.

A shape is a few threads and the outcome that would show them out of order. It is tried with every way to synchronize, and in every
place: within a CTA, over a cluster, a GPU and several GPUs, and over CTAs with the scope of a CTA, which is too small.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ptxlab.memory_model.examples import EXAMPLES, RULES, Pair, stem
from tools.markdown import table

FOLDER: Final = Path(__file__).resolve().parents[1] / "examples" / "litmus"
PAIRS: Final = {"rules": EXAMPLES, "async": RULES}
"""Folders whose files are written by hand; their sections.toml lists them."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where threads run (`place`, of thread `n`), the scope that they name, and whether that is wide enough."""

    name: str
    scope: str
    place: str
    wide: bool = True
    says: str = ""

    def head(self, threads: int) -> list[str]:
        """The first line of a test."""
        return [f"P{n}@{self.place.format(n=n)}" for n in range(threads)]


WHERE: Final = (
    Where("cta", "cta", "cta 0,gpu 0", says="in one CTA"),
    Where("cluster", "cluster", "cta {n},cluster 0,gpu 0", says="in one cluster"),
    Where("gpu", "gpu", "cta {n},gpu 0", says="on one GPU"),
    Where("sys", "sys", "cta 0,gpu {n}", says="on several GPUs"),
    Where("too-small", "cta", "cta {n},gpu 0", wide=False, says="over CTAs with .cta, which is too small"),
)


@dataclass(frozen=True, slots=True)
class How:
    """A way to synchronize: how flags are written and read, and the fence between two accesses."""

    name: str
    write: str
    read: str
    fence: str = ""

    def st(self, where: Where, place: str, value: object) -> str:
        """A write of what others look at."""
        return f"st.{_scoped(self.write, where)} {place}, {value}"

    def ld(self, where: Where, register: str, place: str) -> str:
        """A read of what others write."""
        return f"ld.{_scoped(self.read, where)} {register}, {place}"

    def between(self, where: Where) -> list[str]:
        """The fence, where there is one."""
        return [f"fence.{self.fence}.{where.scope}"] if self.fence else []


def _scoped(order: str, where: Where) -> str:
    return order if order == "weak" else f"{order}.{where.scope}"


WEAK: Final = How("weak", "weak", "weak")
RELAXED: Final = How("relaxed", "relaxed", "relaxed")
REL_ACQ: Final = How("rel-acq", "release", "acquire")
RELEASE: Final = How("release", "release", "relaxed")
ACQUIRE: Final = How("acquire", "relaxed", "acquire")
FENCE: Final = How("fence.acq_rel", "relaxed", "relaxed", "acq_rel")
SC: Final = How("fence.sc", "relaxed", "relaxed", "sc")


@dataclass(frozen=True, slots=True)
class Test:
    """A test of the corpus."""

    folder: str
    name: str
    allowed: bool
    why: str
    text: str


Columns = Callable[[How, Where], list[list[str]]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A few threads, and the outcome that would show them out of order.

    hows: the ways to synchronize that it is tried with. needs: those that forbid it where the scope is wide enough; anywhere: those
    that forbid it whatever the scope. so: why these do; else_: why the others do not.
    """

    name: str
    threads: int
    outcome: str
    columns: Columns
    hows: tuple[How, ...]
    needs: tuple[How, ...]
    so: str
    else_: str
    anywhere: tuple[How, ...] = ()

    def tests(self) -> Iterator[Test]:
        for how in self.hows:
            for where in WHERE:
                forbidden = (how in self.needs and where.wide) or how in self.anywhere
                reason = self.so if how in self.needs or how in self.anywhere else self.else_
                if how in self.needs and not forbidden:
                    reason = "the scope holds no thread of another CTA, so nothing synchronizes"
                rows = [where.head(self.threads), *_rows(self.columns(how, where))]
                name = f"{self.name}+{how.name}+{where.name}"
                init = " ".join(f"{v} = 0;" for v in sorted(set(re.findall(r"\b[xyfg]\b", str(rows)))))
                yield Test(
                    self.name, name, not forbidden, f"{reason} ({where.says})", _text(name, init, rows, self.outcome)
                )


def _rows(columns: list[list[str]]) -> list[list[str]]:
    height = max(map(len, columns))
    return [[c[i] if i < len(c) else "" for c in columns] for i in range(height)]


def _text(name: str, init: str, rows: list[list[str]], outcome: str) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = "".join(" " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " ;\n" for row in rows)
    return f"PTX {name}\n{{DOC}}\n{{ {init} }}\n{lines}exists ({outcome})\n"


ALL: Final = (WEAK, RELAXED, RELEASE, ACQUIRE, REL_ACQ, FENCE, SC)
SHAPES: Final = (
    Shape(
        "MP", 2, "P1:r0 == 1 /\\ P1:r1 == 0",
        lambda h, w: [["st.weak x, 1", *h.between(w), h.st(w, "f", 1)], [h.ld(w, "r0", "f"), *h.between(w), "ld.weak r1, x"]],
        ALL, (REL_ACQ, FENCE, SC),
        so="the release publishes x, and the acquire that sees the flag sees x",
        else_="without a release and an acquire the flag says nothing of x",
    ),
    Shape(
        "SB", 2, "P0:r0 == 0 /\\ P1:r1 == 0",
        lambda h, w: [
            [h.st(w, "x", 1), *h.between(w), h.ld(w, "r0", "y")],
            [h.st(w, "y", 1), *h.between(w), h.ld(w, "r1", "x")],
        ],
        (WEAK, RELAXED, REL_ACQ, FENCE, SC), (SC,),
        so="one fence.sc comes before the other, and its write is seen behind the other",
        else_="nothing but fence.sc orders a write before a later read of another location",
    ),
    Shape(
        "LB", 2, "P0:r0 == 1 /\\ P1:r1 == 1",
        lambda h, w: [
            [h.ld(w, "r0", "x"), *h.between(w), h.st(w, "y", 1)],
            [h.ld(w, "r1", "y"), *h.between(w), h.st(w, "x", 1)],
        ],
        (WEAK, RELAXED, REL_ACQ, FENCE, SC), (REL_ACQ, FENCE, SC),
        so="each read would come before the write that it reads",
        else_="a read may be answered after later writes of its thread",
    ),
    Shape(
        "IRIW", 4, "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r2 == 1 /\\ P3:r3 == 0",
        lambda h, w: [
            [h.st(w, "x", 1)],
            [h.st(w, "y", 1)],
            [h.ld(w, "r0", "x"), *h.between(w), h.ld(w, "r1", "y")],
            [h.ld(w, "r2", "y"), *h.between(w), h.ld(w, "r3", "x")],
        ],
        (WEAK, RELAXED, REL_ACQ, FENCE, SC), (SC,),
        so="one fence.sc comes before the other, so both readers see the writes in one order",
        else_="two readers may see two independent writes in two orders",
    ),
    Shape(
        "2+2W", 2, "x == 1 /\\ y == 1",
        lambda h, w: [
            [h.st(w, "x", 1), *h.between(w), h.st(w, "y", 2)],
            [h.st(w, "y", 1), *h.between(w), h.st(w, "x", 2)],
        ],
        (WEAK, RELAXED, REL_ACQ, FENCE, SC), (SC,),
        so="one fence.sc comes before the other, and the writes before it before those behind the other",
        else_="no read observes anything, so no release synchronizes",
    ),
    Shape(
        "R", 2, "y == 2 /\\ P1:r0 == 0",
        lambda h, w: [
            [h.st(w, "x", 1), *h.between(w), h.st(w, "y", 1)],
            [h.st(w, "y", 2), *h.between(w), h.ld(w, "r0", "x")],
        ],
        (WEAK, RELAXED, REL_ACQ, FENCE, SC), (SC,),
        so="whichever fence.sc comes first, its thread's write is seen behind the other",
        else_="the order of two writes to y orders nothing else",
    ),
    Shape(
        "S", 2, "P1:r0 == 1 /\\ x == 2",
        lambda h, w: [
            ["st.weak x, 2", *h.between(w), h.st(w, "f", 1)],
            [h.ld(w, "r0", "f"), *h.between(w), "st.weak x, 1"],
        ],
        ALL, (REL_ACQ, FENCE, SC),
        so="the first write comes before the second in causality order, so it is not the last",
        else_="two writes that nothing orders may come in either order",
    ),
    Shape(
        "WRC", 3, "P1:r0 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0",
        lambda h, w: [
            [RELAXED.st(w, "x", 1)],
            [RELAXED.ld(w, "r0", "x"), *h.between(w), h.st(w, "f", 1)],
            [h.ld(w, "r1", "f"), *h.between(w), RELAXED.ld(w, "r2", "x")],
        ],
        (RELAXED, REL_ACQ, FENCE, SC), (REL_ACQ, FENCE, SC),
        so="who sees what P1 published sees the write that P1 had seen",
        else_="that P1 saw x says nothing to who sees its flag",
    ),
    Shape(
        "ISA2", 3, "P1:r0 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0",
        lambda h, w: [
            ["st.weak x, 1", *h.between(w), h.st(w, "f", 1)],
            [h.ld(w, "r0", "f"), *h.between(w), h.st(w, "g", 1)],
            [h.ld(w, "r1", "g"), *h.between(w), "ld.weak r2, x"],
        ],
        (RELAXED, RELEASE, ACQUIRE, REL_ACQ, FENCE, SC), (REL_ACQ, FENCE, SC),
        so="synchronization adds up over threads",
        else_="the chain from P0 to P2 has a link that does not synchronize",
    ),
    Shape(
        "CoRR", 2, "P1:r0 == 1 /\\ P1:r1 == 0",
        lambda h, w: [[h.st(w, "x", 1)], [h.ld(w, "r0", "x"), h.ld(w, "r1", "x")]],
        (WEAK, RELAXED, REL_ACQ), (RELAXED, REL_ACQ),
        so="morally strong reads of one location never go backwards",
        else_="weak reads that race with a write may go backwards",
    ),
    Shape(
        "CoWR", 2, "P0:r0 == 2 /\\ x == 1",
        lambda h, w: [[h.st(w, "x", 1), h.ld(w, "r0", "x")], [h.st(w, "x", 2)]],
        (WEAK, RELAXED), (RELAXED,),
        so="what P0 reads behind its own write came after that",
        else_="two racing weak writes have no order",
    ),
    Shape(
        "CoRW", 2, "P0:r0 == 2 /\\ x == 2",
        lambda h, w: [[h.ld(w, "r0", "x"), h.st(w, "x", 1)], [h.st(w, "x", 2)]],
        (WEAK, RELAXED), (RELAXED,),
        so="what P0 read came before what it wrote then",
        else_="two racing weak writes have no order, even where one was seen before",
    ),
    Shape(
        "CoWW", 1, "x == 1",
        lambda h, w: [[h.st(w, "x", 1), h.st(w, "x", 2)]],
        (WEAK, RELAXED), (), anywhere=(WEAK, RELAXED),
        so="a thread's writes to one location come in its order", else_="",
    ),
    Shape(
        "atom", 2, "x == 1",
        lambda h, w: [[f"atom.relaxed.{w.scope}.add r0, x, 1"], [f"atom.relaxed.{w.scope}.add r0, x, 1"]],
        (RELAXED,), (RELAXED,), so="two morally strong atomic operations lose nothing", else_="",
    ),
    Shape(
        "red", 2, "x == 1",
        lambda h, w: [[f"red.relaxed.{w.scope}.add x, 1"], [f"red.relaxed.{w.scope}.add x, 1"]],
        (RELAXED,), (RELAXED,), so="two morally strong reductions lose nothing", else_="",
    ),
    Shape(
        "atom-and-store", 2, "P0:r0 == 0 /\\ x == 1",
        lambda h, w: [[f"atom.relaxed.{w.scope}.add r0, x, 1"], [h.st(w, "x", 5)]],
        (WEAK, RELAXED), (RELAXED,),
        so="the store comes before both halves of the atomic operation, or behind them",
        else_="a weak store races with the atomic operation, and may come between its halves",
    ),
    Shape(
        "MP-atom", 3, "P1:r0 == 1 /\\ P2:r1 == 2 /\\ P2:r2 == 0",
        lambda h, w: [
            ["st.weak x, 1", *h.between(w), h.st(w, "f", 1)],
            [f"atom.relaxed.{w.scope}.add r0, f, 1"],
            [h.ld(w, "r1", "f"), *h.between(w), "ld.weak r2, x"],
        ],
        (RELAXED, REL_ACQ, FENCE), (REL_ACQ, FENCE),
        so="a release is observed through atomic operations on its location",
        else_="without a release and an acquire the flag says nothing of x",
    ),
)  # fmt: skip


def corpus() -> Iterator[Test]:
    """All tests, sorted as a reader looks for them."""
    for shape in SHAPES:
        yield from shape.tests()
    for folder, pairs in PAIRS.items():
        yield from _files(folder, pairs)


def _files(folder: str, pairs: Mapping[str, Pair]) -> Iterator[Test]:
    """The tests of a folder whose files are not written by this tool."""
    for name, pair in pairs.items():
        for kind, text in (("allowed", pair.allowed), ("forbidden", pair.forbidden)):
            yield Test(folder, f"{stem(name)}+{kind}", kind == "allowed", pair.says, text)


def written(test: Test) -> str:
    """A test's file."""
    doc = f'"{"allowed" if test.allowed else "forbidden"}: {test.why}"'
    return test.text.replace("{DOC}", doc, 1)


def index() -> str:
    """The page that lists all tests."""
    out = [
        "# Litmus tests\n",
        "What the memory model of PTX allows, in a few lines each. `ptxlab litmus examples/litmus` decides them all, and",
        "`ptxlab litmus` with one of them shows why. [The memory model](../../docs/explanation/memory-model.md) explains them.",
        "`python -m tools.corpus --write` writes the files but for those of `rules` and `async`, which are written by hand.\n",
    ]
    found = list(corpus())
    for folder in dict.fromkeys(t.folder for t in found):
        rows = (
            (f"[{t.name}]({folder}/{t.name}.litmus)", "allowed" if t.allowed else "forbidden", t.why)
            for t in found
            if t.folder == folder
        )
        out += [f"## {folder}\n", *table(("test", "outcome", "why"), rows), ""]
    return "\n".join(out)


def main(words: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.corpus")
    parser.add_argument("--write", action="store_true", help="write the files; otherwise say which are old")
    wanted = {FOLDER / t.folder / f"{t.name}.litmus": written(t) for t in corpus()} | {FOLDER / "README.md": index()}
    old = [p for p, text in wanted.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    extra = sorted(p for p in set(FOLDER.rglob("*.litmus")) - set(wanted) if p.parent.name not in PAIRS)
    if parser.parse_args(words).write:
        for path in old:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        for path in extra:
            path.unlink()
    print(f"{len(wanted) - 1} tests, {len(old)} old, {len(extra)} too many")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
