r"""Two small tests for each definition and axiom of the model: one that allows its outcome, one that forbids it.

The tests of this package run them; docs/explanation/memory-model.md explains them.
All ask `exists`, and a pair differs in what its name says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tests that differ in one thing.

    Attributes:
        section: of the PTX manual. says: the rule, in a sentence.
        allowed, forbidden: the tests.
    """

    section: str
    says: str
    allowed: str
    forbidden: str


def _test(name: str, init: str, rows: str, exists: str) -> str:
    lines = " ;\n".join(line.strip() for line in rows.strip().splitlines())
    return f"PTX {name}\n{{ {init} }}\n{lines} ;\nexists ({exists})\n"


def _mp(name: str, left: str, right: str, places: str = "P0@cta 0,gpu 0 | P1@cta 1,gpu 0") -> str:
    """Message passing: `left` publishes x, `right` looks at the flag first and at x last."""
    a, b = left.split(";"), right.split(";")
    size = max(len(a), len(b))
    cells = zip(a + [""] * (size - len(a)), b + [""] * (size - len(b)), strict=True)
    rows = "\n".join([places, *(f"{p.strip()} | {q.strip()}" for p, q in cells)])
    return _test(name, "x = 0; flag = 0;", rows, "P1:r0 == 1 /\\ P1:r1 == 0")


def _mp_constant(name: str, left: str, right: str) -> str:
    """Message passing with x also reached as a constant and as a surface."""
    return _mp(name, left, right).replace("flag = 0;", "flag = 0; c @ constant aliases x; s @ surface aliases x;", 1)


_PUBLISH: Final = "st.weak x, 1; st.release.gpu flag, 1"
_SEE: Final = "ld.acquire.gpu r0, flag; ld.weak r1, x"
_SEE_CONSTANT: Final = "ld.acquire.gpu r0, flag; cold.weak r1, c"
_SURFACE: Final = "sust.weak s, 1; {} st.release.gpu flag, 1"
_SB: Final = """
    P0@cta 0,gpu 0   | P1@cta {cta},gpu 0
    st.weak x, 1     | st.weak y, 1
    fence.{left}     | fence.{right}
    ld.weak r0, y    | ld.weak r1, x"""
_SB_END: Final = "P0:r0 == 0 /\\ P1:r1 == 0"

_FENCED_ARRIVAL: Final = """P0@cta 0,cluster 0,gpu 0       | P1@cta 1,cluster 0,gpu 0
    st.weak x, 1                   | barrier.cluster.arrive.relaxed
    fence.acq_rel.{}      | barrier.cluster.wait
    barrier.cluster.arrive.relaxed | ld.weak r0, x
    barrier.cluster.wait           |"""


EXAMPLES: Final[Mapping[str, Pair]] = {
    "program order": Pair(
        "8.9.1",
        "A thread sees its own writes in the order of its instructions.",
        _test(
            "reads-another's",
            "x = 0;",
            "P0@cta 0,gpu 0 | P1@cta 0,gpu 0\nst.weak x, 1 |\nld.weak r0, x | st.weak x, 2",
            "P0:r0 == 2",
        ),
        _test("reads-its-own", "x = 0;", "P0@cta 0,gpu 0\nst.weak x, 1\nld.weak r0, x", "P0:r0 == 0"),
    ),
    "overlap": Pair(
        "8.2",
        "Only accesses to the same memory communicate.",
        _test(
            "same-place", "x = 0; y = 0;", "P0@cta 0,gpu 0 | P1@cta 0,gpu 0\nst.weak x, 1 | ld.weak r0, x", "P1:r0 == 1"
        ),
        _test(
            "other-place",
            "x = 0; y = 0;",
            "P0@cta 0,gpu 0 | P1@cta 0,gpu 0\nst.weak x, 1 | ld.weak r0, y",
            "P1:r0 == 1",
        ),
    ),
    "morally strong": Pair(
        "8.7",
        "Strong operations synchronize if each one's scope includes the other's thread.",
        _mp("scope-too-small", "st.weak x, 1; st.release.cta flag, 1", "ld.acquire.cta r0, flag; ld.weak r1, x"),
        _mp("scope-wide-enough", _PUBLISH, _SEE),
    ),
    "release pattern": Pair(
        "8.8",
        "A release publishes what stands before it; a relaxed write publishes nothing.",
        _mp("relaxed-write", "st.weak x, 1; st.relaxed.gpu flag, 1", _SEE),
        _mp("release-fence", "st.weak x, 1; fence.acq_rel.gpu; st.relaxed.gpu flag, 1", _SEE),
    ),
    "acquire pattern": Pair(
        "8.8",
        "An acquire shows what was published to what follows it; a relaxed read does not.",
        _mp("relaxed-read", _PUBLISH, "ld.relaxed.gpu r0, flag; ld.weak r1, x"),
        _mp("acquire-fence", _PUBLISH, "ld.relaxed.gpu r0, flag; fence.acq_rel.gpu; ld.weak r1, x"),
    ),
    "reductions do not acquire": Pair(
        "8.11.1",
        "What red reads is seen by no thread, so it begins no acquire pattern; atom does.",
        _test(
            "red",
            "x = 0; flag = 0;",
            """P0@cta 0,gpu 0           | P1@cta 1,gpu 0
               st.weak x, 1             | red.relaxed.gpu.add flag, 1
               st.release.gpu flag, 1   | fence.acq_rel.gpu
                                        | ld.weak r1, x""",
            "flag == 2 /\\ P1:r1 == 0",
        ),
        _test(
            "atom",
            "x = 0; flag = 0;",
            """P0@cta 0,gpu 0           | P1@cta 1,gpu 0
               st.weak x, 1             | atom.relaxed.gpu.add r0, flag, 1
               st.release.gpu flag, 1   | fence.acq_rel.gpu
                                        | ld.weak r1, x""",
            "P1:r0 == 1 /\\ flag == 2 /\\ P1:r1 == 0",
        ),
    ),
    "observation order": Pair(
        "8.9.2",
        "A release is observed through a chain of atomic operations, not through a plain write that replaces it.",
        _test(
            "through-a-store",
            "x = 0; flag = 0;",
            """P0@cta 0,gpu 0         | P1@cta 1,gpu 0          | P2@cta 2,gpu 0
               st.weak x, 1           | ld.relaxed.gpu r0, flag | ld.acquire.gpu r1, flag
               st.release.gpu flag, 1 | st.relaxed.gpu flag, 2  | ld.weak r2, x""",
            "P1:r0 == 1 /\\ P2:r1 == 2 /\\ P2:r2 == 0",
        ),
        _test(
            "through-an-atom",
            "x = 0; flag = 0;",
            """P0@cta 0,gpu 0         | P1@cta 1,gpu 0                    | P2@cta 2,gpu 0
               st.weak x, 1           | atom.relaxed.gpu.add r0, flag, 1  | ld.acquire.gpu r1, flag
               st.release.gpu flag, 1 |                                   | ld.weak r2, x""",
            "P1:r0 == 1 /\\ P2:r1 == 2 /\\ P2:r2 == 0",
        ),
    ),
    "barriers": Pair(
        "8.9.4",
        "bar.sync orders the threads of a CTA that meet at it.",
        _test(
            "other-barrier",
            "x = 0;",
            """P0@cta 0,gpu 0 | P1@cta 0,gpu 0
               st.weak x, 1   | bar.cta.sync 2
               bar.cta.sync 1 | ld.weak r0, x""",
            "P1:r0 == 0",
        ),
        _test(
            "same-barrier",
            "x = 0;",
            """P0@cta 0,gpu 0 | P1@cta 0,gpu 0
               st.weak x, 1   | bar.cta.sync 1
               bar.cta.sync 1 | ld.weak r0, x""",
            "P1:r0 == 0",
        ),
    ),
    "cluster barriers": Pair(
        "8.9.4",
        "barrier.cluster.arrive orders what stands before it before what follows barrier.cluster.wait; .relaxed does not.",
        _test(
            "relaxed-arrive",
            "x = 0;",
            """P0@cta 0,cluster 0,gpu 0       | P1@cta 1,cluster 0,gpu 0
               st.weak x, 1                   | barrier.cluster.arrive.relaxed
               barrier.cluster.arrive.relaxed | barrier.cluster.wait
               barrier.cluster.wait           | ld.weak r0, x""",
            "P1:r0 == 0",
        ),
        _test(
            "release-arrive",
            "x = 0;",
            """P0@cta 0,cluster 0,gpu 0       | P1@cta 1,cluster 0,gpu 0
               st.weak x, 1                   | barrier.cluster.arrive.release
               barrier.cluster.arrive.release | barrier.cluster.wait.acquire
               barrier.cluster.wait.acquire   | ld.weak r0, x""",
            "P1:r0 == 0",
        ),
    ),
    "fences before relaxed arrivals": Pair(
        "8.9.4",
        "A release fence that includes the cluster publishes by a relaxed arrival at its barrier.",
        _test("narrow-fence-arrive", "x = 0;", _FENCED_ARRIVAL.format("cta    "), "P1:r0 == 0"),
        _test("fence-arrive", "x = 0;", _FENCED_ARRIVAL.format("cluster"), "P1:r0 == 0"),
    ),
    "base causality order": Pair(
        "8.9.5",
        "Synchronization adds up over threads: who sees a thread that saw x sees x.",
        _test(
            "broken-chain",
            "x = 0; f = 0; g = 0;",
            """P0@cta 0,gpu 0      | P1@cta 1,gpu 0        | P2@cta 2,gpu 0
               st.weak x, 1        | ld.relaxed.gpu r0, f  | ld.acquire.gpu r1, g
               st.release.gpu f, 1 | st.release.gpu g, 1   | ld.weak r2, x""",
            "P1:r0 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0",
        ),
        _test(
            "chain",
            "x = 0; f = 0; g = 0;",
            """P0@cta 0,gpu 0      | P1@cta 1,gpu 0        | P2@cta 2,gpu 0
               st.weak x, 1        | ld.acquire.gpu r0, f  | ld.acquire.gpu r1, g
               st.release.gpu f, 1 | st.release.gpu g, 1   | ld.weak r2, x""",
            "P1:r0 == 1 /\\ P2:r1 == 1 /\\ P2:r2 == 0",
        ),
    ),
    "proxies": Pair(
        "8.6",
        "Accesses through different proxies need a proxy fence between them.",
        _test(
            "no-proxy-fence",
            "x = 0; c @ constant aliases x;",
            "P0@cta 0,gpu 0\nst.weak x, 1\ncold.weak r0, c",
            "P0:r0 == 0",
        ),
        _test(
            "proxy-fence",
            "x = 0; c @ constant aliases x;",
            "P0@cta 0,gpu 0\nst.weak x, 1\nfence.proxy.constant\ncold.weak r0, c",
            "P0:r0 == 0",
        ),
    ),
    "aliases": Pair(
        "8.6",
        "Two virtual addresses of one location count as two proxies.",
        _test(
            "no-alias-fence",
            "x = 0; y @ generic aliases x;",
            "P0@cta 0,gpu 0\nst.weak x, 1\nld.weak r0, y",
            "P0:r0 == 0",
        ),
        _test(
            "alias-fence",
            "x = 0; y @ generic aliases x;",
            "P0@cta 0,gpu 0\nst.weak x, 1\nfence.proxy.alias\nld.weak r0, y",
            "P0:r0 == 0",
        ),
    ),
    "the CTA of a proxy fence": Pair(
        "8.6",
        "A proxy fence works in the CTA of the access through the other proxy.",
        _mp_constant(
            "fence-of-the-writer", "st.weak x, 1; fence.proxy.constant; st.release.gpu flag, 1", _SEE_CONSTANT
        ),
        _mp_constant("fence-of-the-reader", _PUBLISH, "ld.acquire.gpu r0, flag; fence.proxy.constant; cold.weak r1, c"),
    ),
    "the CTA of a fence behind a surface": Pair(
        "8.6",
        "What is written through a surface needs the fence in the writer's CTA.",
        _mp_constant(
            "surface-fence-of-the-reader",
            _SURFACE.format(""),
            "ld.acquire.gpu r0, flag; fence.proxy.surface; ld.weak r1, x",
        ),
        _mp_constant("surface-fence-of-the-writer", _SURFACE.format("fence.proxy.surface;"), _SEE),
    ),
    "strong accesses to aliases": Pair(
        "8.7",
        "Accesses by different virtual addresses are not morally strong.",
        _test(
            "CoRR-alias",
            "x = 0; y @ generic aliases x;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nst.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x\n| ld.relaxed.gpu r1, y",
            "P1:r0 == 1 /\\ P1:r1 == 0",
        ),
        _test(
            "CoRR-one-address",
            "x = 0; y @ generic aliases x;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nst.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x\n| ld.relaxed.gpu r1, x",
            "P1:r0 == 1 /\\ P1:r1 == 0",
        ),
    ),
    "writes through two proxies": Pair(
        "8.7",
        "Even one thread's writes to a location have no order where they go through different proxies.",
        _test("two-proxies", "x = 0; s @ surface aliases x;", "P0@cta 0,gpu 0\nst.weak x, 1\nsust.weak s, 2", "x == 1"),
        _test(
            "two-proxies-fenced",
            "x = 0; s @ surface aliases x;",
            "P0@cta 0,gpu 0\nst.weak x, 1\nfence.proxy.surface\nsust.weak s, 2",
            "x == 1",
        ),
    ),
    "a flag by another address": Pair(
        "8.7",
        "Who reads the flag by an alias of its address synchronizes with nobody.",
        _mp("flag-alias", _PUBLISH, "ld.acquire.gpu r0, alias; ld.weak r1, x").replace(
            "flag = 0;", "flag = 0; alias @ generic aliases flag;", 1
        ),
        _mp("flag-address", _PUBLISH, _SEE),
    ),
    "a flag through another proxy": Pair(
        "8.7",
        "Nor does who reads it through a surface.",
        _mp("flag-surface", _PUBLISH, "suld.acquire.gpu r0, s; ld.weak r1, x").replace(
            "flag = 0;", "flag = 0; s @ surface aliases flag;", 1
        ),
        _mp("flag-generic", _PUBLISH, _SEE),
    ),
    "arrivals": Pair(
        "8.9.4",
        "bar.arrive publishes what stands before it, and shows nothing to what follows.",
        _test(
            "bar.arrive",
            "x = 0;",
            """P0@cta 0,gpu 0 | P1@cta 0,gpu 0
               st.weak x, 1   | bar.cta.arrive 1
               bar.cta.sync 1 | ld.weak r0, x""",
            "P1:r0 == 0",
        ),
        _test(
            "bar.sync",
            "x = 0;",
            """P0@cta 0,gpu 0 | P1@cta 0,gpu 0
               st.weak x, 1   | bar.cta.sync 1
               bar.cta.sync 1 | ld.weak r0, x""",
            "P1:r0 == 0",
        ),
    ),
    "coherence": Pair(
        "8.10.1",
        "Writes in causality order are in coherence order: a release that is seen is not undone by what came before it.",
        _test(
            "unordered-writes",
            "x = 0; f = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nst.weak x, 1 | ld.relaxed.gpu r0, f\nst.relaxed.gpu f, 1 | st.weak x, 2",
            "P1:r0 == 1 /\\ x == 1",
        ),
        _test(
            "ordered-writes",
            "x = 0; f = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nst.weak x, 1 | ld.acquire.gpu r0, f\nst.release.gpu f, 1 | st.weak x, 2",
            "P1:r0 == 1 /\\ x == 1",
        ),
    ),
    "fence-sc": Pair(
        "8.10.2",
        "fence.sc of all threads stand in one order; fence.acq_rel does not.",
        _test("SB-acq_rel", "x = 0; y = 0;", _SB.format(cta=1, left="acq_rel.gpu", right="acq_rel.gpu"), _SB_END),
        _test("SB-sc", "x = 0; y = 0;", _SB.format(cta=1, left="sc.gpu", right="sc.gpu"), _SB_END),
    ),
    "atomicity": Pair(
        "8.10.3",
        "Nothing comes between the read and the write of an atomic operation, if it is morally strong with it.",
        _test(
            "scopes-too-small",
            "x = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\natom.relaxed.cta.add r0, x, 1 | atom.relaxed.cta.add r0, x, 1",
            "x == 1",
        ),
        _test(
            "scopes-wide-enough",
            "x = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\natom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1",
            "x == 1",
        ),
    ),
    "no-thin-air": Pair(
        "8.10.4",
        "Reads may run ahead of writes, but no value is its own reason.",
        _test(
            "LB",
            "x = 0; y = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nld.weak r0, x | ld.weak r1, y\nst.weak y, 1 | st.weak x, 1",
            "P0:r0 == 1 /\\ P1:r1 == 1",
        ),
        _test(
            "LB+deps",
            "x = 0; y = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nld.weak r0, x | ld.weak r1, y\nst.weak y, r0 | st.weak x, r1",
            "P0:r0 == 1 /\\ P1:r1 == 1",
        ),
    ),
    "sc-per-location": Pair(
        "8.10.5",
        "Morally strong accesses to one location never go backwards.",
        _test(
            "CoRR-weak",
            "x = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nst.weak x, 1 | ld.weak r0, x\n| ld.weak r1, x",
            "P1:r0 == 1 /\\ P1:r1 == 0",
        ),
        _test(
            "CoRR",
            "x = 0;",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0\nst.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x\n| ld.relaxed.gpu r1, x",
            "P1:r0 == 1 /\\ P1:r1 == 0",
        ),
    ),
    "causality": Pair(
        "8.10.6",
        "A read does not see what was overwritten by a write that comes before it in causality order.",
        _mp("MP-no-synchronization", "st.weak x, 1; st.relaxed.gpu flag, 1", "ld.relaxed.gpu r0, flag; ld.weak r1, x"),
        _mp("MP", _PUBLISH, _SEE),
    ),
}
"""The pairs, by the name of what they show."""
