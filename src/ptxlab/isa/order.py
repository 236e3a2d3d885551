"""The rules of order: who hands on what to whom, at which scope, for which memory and which proxy.

Happens-before is built from hand-overs. Somebody *gives* (a release, an arrival at a barrier, the end of a copy), somebody else
*takes* (an acquire, a wait), and something *carries* it from one to the other: a flag in memory, a phase of an mbarrier, a
barrier, a group. Accesses before the giver are then ordered before accesses behind the taker, as far as the two rows below allow.

The memory model (what `ptxlab litmus` executes) and the sanitizer take their facts from here; what they write out in code of their
own is held to these rows by `tests/sanitizer/test_rules_of_order.py`, which makes programs of every pair of rows. The page
docs/reference/order.md is made from the same rows. Which order, scope and proxy an instruction has stands in its row
(`ptxlab.isa.effects`), and is not repeated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ptxlab.isa.effects import (
    COMPLETIONS,
    SCOPES,
    Access,
    AsyncCopy,
    AsyncMma,
    Barrier,
    Effect,
    Fence,
    GridDependency,
    Group,
    Mbarrier,
)

# --- orders and scopes -----------------------------------------------------------------------------------------------

RELEASING: Final = ("release", "acq_rel", "sc")
"""Orders of operations that hand on what comes before them."""
ACQUIRING: Final = ("acquire", "acq_rel", "sc")
"""Orders of operations behind which what they find is known."""
OF_CLUSTERS: Final = SCOPES[SCOPES.index("cluster") :]
"""Scopes that include all threads of a cluster."""
OF_LAUNCHES: Final = SCOPES[SCOPES.index("gpu") :]
"""Scopes that include all threads of a launch."""


def narrower(first: str, second: str) -> str:
    """The narrower one of two scopes."""
    return min(first, second, key=SCOPES.index)


# --- what fences are about -------------------------------------------------------------------------------------------

MEMORIES: Final[Mapping[str | None, tuple[str, ...]]] = {
    None: ("own", "shared", "global"),
    "shared::cta": ("own",),
    "shared::cluster": ("own", "shared"),
    "shared": ("own", "shared"),
    "global": ("global",),
}
"""The memories that a fence with a state space is about, as its thread sees them: the shared memory of its CTA (`own`), that of
other CTAs of the cluster (`shared`), and global memory. A fence that names `shared::cta` says nothing of another CTA's."""


def memory_seen(cta: int, home: int | None) -> str:
    """What the shared memory of the CTA `home` is to a thread of `cta`, in the words of `MEMORIES`; None: global memory."""
    return "global" if home is None else "own" if home == cta else "shared"


# --- what is handed on -----------------------------------------------------------------------------------------------

ALL: Final = "all"
OPERATION: Final = "operation"
SOURCES: Final = "sources"
COPIES: Final = "copies"
INITS: Final = "inits"
NOTHING: Final = "nothing"

HANDED: Final[Mapping[str, str]] = {
    ALL: "all that the thread has done, and all that it knows of others",
    OPERATION: "that the operation is over, with what it has read and written, and nothing else of its thread",
    SOURCES: "that the operation has read its source, and not that it has written",
    COPIES: "that the thread's earlier `cp.async` are over, and nothing else of it",
    INITS: "the mbarriers that the thread has initialized, and nothing else",
    NOTHING: "nothing",
}
"""What a hand-over can be about."""


# --- the rows --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Give:
    """Somebody hands on.

    Attributes:
        name: of the row. by: what carries it, a key of `CARRIERS`.
        lines: the instructions, in the words of litmus tests: `{scope}` is the scope, `{near}` is cta or cluster, by where the
            mbarrier is.
        hands: what, a key of `HANDED`.
        scope: the one that it always has; None: the one that it names.
        space: the state space that it is about; see `MEMORIES`.
        effects: of which effects the row speaks, in the words of `signature`.
        section: of the manual. shown: litmus tests in examples/litmus, or tests of ours, that show it.
    """

    name: str
    by: str
    lines: tuple[str, ...]
    hands: str = ALL
    scope: str | None = None
    space: str | None = None
    effects: tuple[str, ...]
    section: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Somebody gets to know. The attributes are those of `Give`; `gets`: the most that it learns of what is handed on."""

    name: str
    by: str
    lines: tuple[str, ...]
    gets: str = ALL
    scope: str | None = None
    space: str | None = None
    effects: tuple[str, ...]
    section: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyFence:
    """Lets accesses through one proxy be seen by later ones through another.

    Attributes:
        lines: the fence, or its releasing and its acquiring half. space: the state space that it names; see `MEMORIES`.
        where: whose CTA it has to be executed in.
    """

    name: str
    lines: tuple[str, ...]
    space: str | None = None
    where: str = "the CTA of the access through the other proxy, or the one whose shared memory that accesses"
    effects: tuple[str, ...]
    section: str
    shown: tuple[str, ...] = ()


CARRIERS: Final[Mapping[str, str]] = {
    "flag": "a location: the taker reads what the giver wrote, at once or through atomic operations",
    "phase": "a phase of an mbarrier: the giver arrives in it, the taker finds it over",
    "barrier": "a barrier of a CTA: all that arrive meet all that wait",
    "warp": "a barrier of lanes of a warp",
    "cluster": "the barrier of a cluster",
    "fence.sc": "fence.sc: each hands on to those executed after it",
    "cp.async-group": "a group of cp.async, of the thread that waits",
    "bulk-group": "a group of bulk copies, of the thread that waits",
    "wgmma-group": "a group of wgmma, of the warps that wait",
    "program": "program order, from a thread to the operation that it issues",
    "launch": "the end of a grid",
}
"""What carries something from a giver to a taker."""

_ARRIVE: Final = "mbarrier.arrive.{order}.{{scope}}.shared::{{near}}.b64 _, [m]"
_DROP: Final = "mbarrier.arrive_drop.{order}.{{scope}}.shared::{{near}}.b64 _, [m]"
_WAIT: Final = "mbarrier.try_wait.parity.{order}.{{scope}}.shared::cta.b64 p, [m], 0"
_RELEASE: Final = "fence.release.sync_restrict::shared::cta.cluster"
_ACQUIRE: Final = "fence.acquire.sync_restrict::shared::cluster.cluster"
_MODEL: Final = "8.8"
_PHASES: Final = ("Mbarrier arrive", "Mbarrier arrive.expect_tx", "Mbarrier arrive.noComplete")
_DROPS: Final = ("Mbarrier arrive_drop", "Mbarrier arrive_drop.expect_tx", "Mbarrier arrive_drop.noComplete")
_WAITS: Final = ("Mbarrier test_wait", "Mbarrier try_wait")

GIVES: Final[tuple[Give, ...]] = (
    # flags
    Give(
        name="a release",
        by="flag",
        lines=("st.release.{scope} f, 1",),
        effects=("Access release",),
        section=_MODEL,
        shown=("rules/release-pattern",),
    ),
    Give(
        name="an atomic operation that releases",
        by="flag",
        lines=("red.release.{scope}.add f, 1",),
        effects=("Access release",),
        section=_MODEL,
    ),
    Give(
        name="a release fence, then a strong write",
        by="flag",
        lines=("fence.release.{scope}", "st.relaxed.{scope} f, 1"),
        effects=("Fence generic",),
        section=_MODEL,
    ),
    Give(
        name="fence.acq_rel, then a strong write",
        by="flag",
        lines=("fence.acq_rel.{scope}", "st.relaxed.{scope} f, 1"),
        effects=("Fence generic",),
        section=_MODEL,
    ),
    Give(
        name="fence.sc, then a strong write",
        by="flag",
        lines=("fence.sc.{scope}", "st.relaxed.{scope} f, 1"),
        effects=("Fence generic",),
        section=_MODEL,
    ),
    Give(
        name="a relaxed write",
        by="flag",
        lines=("st.relaxed.{scope} f, 1",),
        hands=NOTHING,
        effects=("Access relaxed",),
        section=_MODEL,
    ),
    Give(
        name="an acquire fence, then a strong write",
        by="flag",
        lines=("fence.acquire.{scope}", "st.relaxed.{scope} f, 1"),
        hands=NOTHING,
        effects=("Fence generic",),
        section=_MODEL,
    ),
    Give(
        name="fence.mbarrier_init, then a strong write",
        by="flag",
        lines=("fence.mbarrier_init.release.cluster", "st.relaxed.{scope} f, 1"),
        hands=NOTHING,
        effects=("Fence mbarrier.init",),
        section="membar, fence",
        shown=("async/fence.mbarrier_init",),
    ),
    # mbarriers
    Give(
        name="an arrival",
        by="phase",
        lines=(_ARRIVE.format(order="release"),),
        effects=_PHASES,
        section="mbarrier.arrive",
        shown=("rules/arrivals",),
    ),
    Give(
        name="an arrival for good",
        by="phase",
        lines=(_DROP.format(order="release"),),
        effects=_DROPS,
        section="mbarrier.arrive_drop",
        shown=("async/mbarrier.arrive_drop-releases",),
    ),
    Give(
        name="a relaxed arrival",
        by="phase",
        lines=(_ARRIVE.format(order="relaxed"),),
        hands=NOTHING,
        effects=_PHASES,
        section="mbarrier.arrive",
    ),
    Give(
        name="a release fence, then a relaxed arrival",
        by="phase",
        lines=("fence.release.{scope}", _ARRIVE.format(order="relaxed")),
        effects=("Fence generic",),
        section=_MODEL,
        shown=("async/a-relaxed-arrival-behind-a-fence",),
    ),
    Give(
        name="a release of shared memory, then a relaxed arrival",
        by="phase",
        lines=(_RELEASE, _ARRIVE.format(order="relaxed")),
        space="shared::cta",
        effects=("Fence generic",),
        section="membar, fence",
        shown=("async/a-fence-with-.sync_restrict", "async/a-release-of-shared-cta"),
    ),
    Give(
        name="the end of a copy (complete_tx)",
        by="phase",
        lines=(),
        hands=OPERATION,
        scope=COMPLETIONS["mbarrier"].scope,
        effects=("Completion mbarrier",),
        section="8.9.1.1",
        shown=("async/TMA-load", "async/completion-hands-on-nothing-else", "async/st.async"),
    ),
    Give(
        name="cp.async.mbarrier.arrive",
        by="phase",
        lines=("cp.async.mbarrier.arrive.noinc.shared.b64 [m]",),
        hands=COPIES,
        scope="cta",
        effects=("Mbarrier cp.async.arrive",),
        section="cp.async.mbarrier.arrive",
        shown=("async/cp.async-on-an-mbarrier",),
    ),
    # barriers
    Give(
        name="an arrival that does not wait",
        by="barrier",
        lines=("bar.cta.arrive 1",),
        scope="cta",
        effects=("Barrier cta arrive",),
        section="8.9.4",
    ),
    Give(
        name="an arrival that waits",
        by="barrier",
        lines=("bar.cta.sync 1",),
        scope="cta",
        effects=("Barrier cta sync",),
        section="8.9.4",
        shown=("rules/barriers",),
    ),
    Give(
        name="an arrival of lanes",
        by="warp",
        lines=("bar.warp.sync mask",),
        scope="warp",
        effects=("Barrier warp sync",),
        section="bar.warp.sync",
        shown=("tests/sanitizer/test_memory.py",),
    ),
    Give(
        name="an arrival at the cluster's barrier",
        by="cluster",
        lines=("barrier.cluster.arrive",),
        scope="cluster",
        effects=("Barrier cluster arrive",),
        section="barrier.cluster",
        shown=("rules/cluster-barriers",),
    ),
    Give(
        name="a relaxed arrival at the cluster's barrier",
        by="cluster",
        lines=("barrier.cluster.arrive.relaxed",),
        hands=NOTHING,
        scope="cluster",
        effects=("Barrier cluster arrive",),
        section="barrier.cluster",
    ),
    Give(
        name="a release fence, then a relaxed arrival at the cluster's barrier",
        by="cluster",
        lines=("fence.release.{scope}", "barrier.cluster.arrive.relaxed"),
        effects=("Fence generic",),
        section=_MODEL,
        shown=("rules/fences-before-relaxed-arrivals",),
    ),
    Give(
        name="fence.mbarrier_init, then a relaxed arrival at the cluster's barrier",
        by="cluster",
        lines=("fence.mbarrier_init.release.cluster", "barrier.cluster.arrive.relaxed"),
        hands=INITS,
        scope="cluster",
        effects=("Fence mbarrier.init",),
        section="membar, fence",
    ),
    Give(
        name="fence.sc",
        by="fence.sc",
        lines=("fence.sc.{scope}",),
        effects=("Fence generic",),
        section="8.9.3",
        shown=("rules/fence-sc",),
    ),
    # groups
    Give(
        name="cp.async.commit_group",
        by="cp.async-group",
        lines=("cp.async.commit_group",),
        hands=OPERATION,
        scope=COMPLETIONS["cp.async-group"].scope,
        effects=("Completion cp.async-group", "Group commit cp.async-group"),
        section="cp.async.commit_group",
    ),
    Give(
        name="cp.async.bulk.commit_group",
        by="bulk-group",
        lines=("cp.async.bulk.commit_group",),
        hands=OPERATION,
        scope=COMPLETIONS["bulk-group"].scope,
        effects=("Completion bulk-group", "Group commit bulk-group"),
        section="cp.async.bulk.commit_group",
    ),
    Give(
        name="wgmma.commit_group",
        by="wgmma-group",
        lines=("wgmma.commit_group.sync.aligned",),
        hands=OPERATION,
        scope=COMPLETIONS["wgmma-group"].scope,
        effects=("Completion wgmma-group", "Group commit wgmma-group"),
        section="wgmma.commit_group",
    ),
    Give(
        name="what stands before an operation",
        by="program",
        lines=(),
        scope="thread",
        effects=("Completion cp.async-group", "Completion bulk-group", "Completion mbarrier"),
        section="8.9.1.1",
        shown=("rules/program-order",),
    ),
    Give(
        name="the end of a grid",
        by="launch",
        lines=("exit",),
        scope="gpu",
        effects=("GridDependency launch_dependents",),
        section="griddepcontrol",
        shown=("async/griddepcontrol",),
    ),
)
"""Who hands on."""

TAKES: Final[tuple[Take, ...]] = (
    Take(
        name="an acquire",
        by="flag",
        lines=("ld.acquire.{scope} q, f",),
        effects=("Access acquire",),
        section=_MODEL,
        shown=("rules/acquire-pattern",),
    ),
    Take(
        name="a strong read, then an acquire fence",
        by="flag",
        lines=("ld.relaxed.{scope} q, f", "fence.acquire.{scope}"),
        effects=("Fence generic",),
        section=_MODEL,
    ),
    Take(
        name="a strong read, then fence.acq_rel",
        by="flag",
        lines=("ld.relaxed.{scope} q, f", "fence.acq_rel.{scope}"),
        effects=("Fence generic",),
        section=_MODEL,
    ),
    Take(
        name="a relaxed read",
        by="flag",
        lines=("ld.relaxed.{scope} q, f",),
        gets=NOTHING,
        effects=("Access relaxed",),
        section=_MODEL,
    ),
    Take(
        name="a strong read, then a release fence",
        by="flag",
        lines=("ld.relaxed.{scope} q, f", "fence.release.{scope}"),
        gets=NOTHING,
        effects=("Fence generic",),
        section=_MODEL,
    ),
    Take(
        name="a wait",
        by="phase",
        lines=(_WAIT.format(order="acquire"),),
        effects=_WAITS,
        section="mbarrier.test_wait",
        shown=("rules/arrivals",),
    ),
    Take(
        name="a relaxed wait",
        by="phase",
        lines=(_WAIT.format(order="relaxed"),),
        gets=NOTHING,
        effects=_WAITS,
        section="mbarrier.test_wait",
        shown=("async/a-relaxed-wait",),
    ),
    Take(
        name="a relaxed wait, then an acquire fence",
        by="phase",
        lines=(_WAIT.format(order="relaxed"), "fence.acquire.{scope}"),
        effects=("Fence generic",),
        section=_MODEL,
        shown=("async/a-fence-behind-a-relaxed-wait",),
    ),
    Take(
        name="a relaxed wait, then an acquire of shared memory",
        by="phase",
        lines=(_WAIT.format(order="relaxed"), _ACQUIRE),
        space="shared::cluster",
        effects=("Fence generic",),
        section="membar, fence",
    ),
    Take(
        name="a wait at a barrier",
        by="barrier",
        lines=("bar.cta.sync 1",),
        scope="cta",
        effects=("Barrier cta sync",),
        section="8.9.4",
    ),
    Take(
        name="a wait of lanes",
        by="warp",
        lines=("bar.warp.sync mask",),
        scope="warp",
        effects=("Barrier warp sync",),
        section="bar.warp.sync",
    ),
    Take(
        name="a wait at the cluster's barrier",
        by="cluster",
        lines=("barrier.cluster.wait",),
        scope="cluster",
        effects=("Barrier cluster wait",),
        section="barrier.cluster",
    ),
    Take(
        name="fence.sc",
        by="fence.sc",
        lines=("fence.sc.{scope}",),
        effects=("Fence generic",),
        section="8.9.3",
        shown=("rules/fence-sc",),
    ),
    Take(
        name="a wait for copies",
        by="cp.async-group",
        lines=("cp.async.wait_group 0",),
        gets=OPERATION,
        scope="thread",
        effects=("Group wait cp.async-group",),
        section="cp.async.wait_group",
        shown=("async/cp.async", "async/cp.async-for-others"),
    ),
    Take(
        name="a wait for bulk copies",
        by="bulk-group",
        lines=("cp.async.bulk.wait_group 0",),
        gets=OPERATION,
        scope="thread",
        effects=("Group wait bulk-group",),
        section="cp.async.bulk.wait_group",
        shown=("async/a-store-that-is-waited-for",),
    ),
    Take(
        name="a wait for the reads of bulk copies",
        by="bulk-group",
        lines=("cp.async.bulk.wait_group.read 0",),
        gets=SOURCES,
        scope="thread",
        effects=("Group wait bulk-group",),
        section="cp.async.bulk.wait_group",
        shown=("async/a-store-that-is-waited-for", "async/reuse-of-the-source"),
    ),
    Take(
        name="a wait for products",
        by="wgmma-group",
        lines=("wgmma.wait_group.sync.aligned 0",),
        gets=OPERATION,
        scope="thread",
        effects=("Group wait wgmma-group",),
        section="wgmma.wait_group",
        shown=("async/wgmma-writes-registers",),
    ),
    Take(
        name="the start of an operation",
        by="program",
        lines=(),
        scope="thread",
        effects=("Completion cp.async-group", "Completion bulk-group", "Completion mbarrier"),
        section="8.9.1.1",
        shown=("rules/program-order",),
    ),
    Take(
        name="the start of a wgmma, behind wgmma.fence",
        by="program",
        lines=("wgmma.fence.sync.aligned",),
        scope="thread",
        effects=("Completion wgmma-group", "Group fence wgmma-group"),
        section="wgmma.fence",
        shown=("async/wgmma-is-not-ordered-by-itself",),
    ),
    Take(
        name="griddepcontrol.wait",
        by="launch",
        lines=("griddepcontrol.wait",),
        scope="gpu",
        effects=("GridDependency wait",),
        section="griddepcontrol",
        shown=("async/griddepcontrol",),
    ),
)
"""Who gets to know."""

PROXY_FENCES: Final[tuple[ProxyFence, ...]] = (
    *(
        ProxyFence(
            name="fence.proxy.async" + (f".{space}" if space else ""),
            lines=("fence.proxy.async" + (f".{space}" if space else ""),),
            space=space,
            effects=("Fence async",),
            section="membar, fence",
            shown=("async/the-fence-s-space", "async/the-fence-s-CTA", "async/a-proxy-fence-of-shared-cta"),
        )
        for space in (None, "global", "shared::cta", "shared::cluster")
    ),
    ProxyFence(
        name="fence.proxy.async::generic, both halves",
        lines=(
            "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
            "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
        ),
        space="shared::cta",
        effects=("Fence async",),
        section="membar, fence",
    ),
    ProxyFence(
        name="fence.proxy.tensormap::generic, both halves",
        lines=(
            "fence.proxy.tensormap::generic.release.{scope}",
            "fence.proxy.tensormap::generic.acquire.{scope} [map], 128",
        ),
        where="the acquire: the CTA of the copy",
        effects=("Fence tensormap", "Access tensormap"),
        section="membar, fence",
        shown=("async/both-halves-of-a-tensor-map-s-fence",),
    ),
    ProxyFence(
        name="fence.proxy.alias",
        lines=("fence.proxy.alias",),
        where="any, between the two",
        effects=("Fence alias",),
        section="8.6",
        shown=("rules/aliases",),
    ),
)
"""Which fences join which proxies."""

NO_ORDER: Final[Mapping[str, str]] = {
    "Mbarrier expect_tx": "says how many bytes a phase waits for",
    "Mbarrier complete_tx": "counts bytes, as a thread, relaxed",
    "Mbarrier init": "begins the life of an mbarrier: an access to it",
    "Mbarrier inval": "ends the life of an mbarrier: an access to it",
    "Access weak": "weak: it hands on nothing, and finds nothing",
    "Access relaxed": "strong, and part of a pattern only beside a fence",
}
"""Effects on barriers and memory that hand on nothing by themselves."""

KINDER: Final[Mapping[str, str]] = {
    "a read, then an asynchronous write": "behind an mbarrier the read needs no proxy fence before the write (`strict`: it does)",
    "multicast": "who waits for its own CTA's tile needs the scope of its CTA alone (`strict`: that of the cluster)",
    "equal values": "threads of a CTA that write the same value to the same bytes do not race (`strict`: they do)",
    "red": "it does not come behind what it adds to (`strict`: it sees the value, as the model has it)",
}
"""Where the sanitizer asks for less than the rules, as common kernels rely on it; `sanitize="strict"` asks for all."""


# --- rows and effects ------------------------------------------------------------------------------------------------


def signature(effect: Effect) -> frozenset[str]:
    """Of what an instruction orders, in the words that rows name in `effects`: empty where it orders nothing at all."""
    match effect:
        case Barrier(scope=scope, kind=kind):
            return frozenset({f"Barrier {scope} {kind}"})
        case Mbarrier(kind=kind):
            return frozenset({f"Mbarrier {kind}"})
        case Group(kind=kind, group=group):
            return frozenset({f"Group {kind} {group}"})
        case GridDependency():
            return frozenset({"GridDependency wait", "GridDependency launch_dependents"})
        case AsyncCopy(completion=completion) | AsyncMma(completion=completion):
            return frozenset({f"Completion {completion}"})
        case Fence(only=str(only)):
            return frozenset({f"Fence {only}"})
        case Fence(joins=()):
            return frozenset({"Fence generic"})
        case Fence(joins=joins):
            return frozenset(f"Fence {proxy}" for proxies in joins for proxy in proxies if proxy != "generic")
        case Access(joins=joins) if joins:
            return frozenset(f"Access {proxy}" for proxies in joins for proxy in proxies if proxy != "generic")
        case _:
            return frozenset()
