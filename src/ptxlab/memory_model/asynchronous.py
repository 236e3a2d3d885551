r"""Two small tests for each rule of asynchronous operations and their proxies: one that allows its outcome, one that forbids it.

Most differ in one line, which `without` and `instead` name: the fence, the wait or the scope that the rule is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ptxlab.memory_model.examples import Pair

_LOAD: Final = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16, [m]"
_STORE: Final = "cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16"
_EXPECT: Final = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 16"
_ARRIVE: Final = "mbarrier.arrive.release.cta.shared::cta.b64 _, [m]"
_COMMIT: Final = "cp.async.bulk.commit_group"


def _wait(register: str = "p0", scope: str = "cta", parity: int = 0, name: str = "m") -> str:
    return f"mbarrier.try_wait.parity.acquire.{scope}.shared::cta.b64 {register}, [{name}], {parity}"


def _threads(name: str, init: str, columns: Mapping[str, str], exists: str) -> str:
    """A test of columns of instructions, one in a line."""
    cells = [[line.strip() for line in text.strip().splitlines()] for text in columns.values()]
    height = max(map(len, cells))
    rows = [list(columns), *([c[i] if i < len(c) else "" for c in cells] for i in range(height))]
    body = "".join(" | ".join(row) + " ;\n" for row in rows)
    return f"PTX {name}\n{{ {init} }}\n{body}exists ({exists})\n"


def _without(text: str, line: str) -> str:
    """The test without an instruction."""
    assert line in text, line
    return text.replace(line, "", 1)


def _instead(text: str, line: str, other: str) -> str:
    """The test with another instruction."""
    assert line in text, line
    return text.replace(line, other, 1)


_TMA_STORE: Final = _threads(
    "TMA store after st.shared",
    "x = 0; .shared s = 0;",
    {
        "P0@cta 0,gpu 0": f"""
            st.weak s, 1
            fence.proxy.async
            {_STORE}
            {_COMMIT}
            cp.async.bulk.wait_group 0
            ld.weak r0, x"""
    },
    "P0:r0 == 0",
)
_OTHER_WRITES: Final = _threads(
    "another thread's st.shared, then a TMA store",
    "x = 0; .shared s = 0;",
    {
        "P0@cta 0,gpu 0": """
            st.weak s, 1
            fence.proxy.async
            bar.cta.sync 0""",
        "P1@cta 0,gpu 0": f"""
            bar.cta.sync 0
            {_STORE}
            {_COMMIT}
            cp.async.bulk.wait_group 0
            ld.weak r0, x""",
    },
    "P1:r0 == 0",
)
_TMA_LOAD: Final = _threads(
    "TMA load",
    "x = 1; .shared s = 0; .mbarrier m = 1;",
    {"P0@cta 0,gpu 0": f"{_EXPECT}\n{_LOAD}\nLC00:\n{_wait()}\nbeq p0, 0, LC00\nld.weak r0, s"},
    "P0:p0 == 1 /\\ P0:r0 == 0",
)
_NOT_HANDED_ON: Final = _threads(
    "what the issuer wrote before",
    "x = 1; y = 0; .shared s = 0; .mbarrier m = 1;",
    {
        "P0@cta 0,gpu 0": f"st.weak y, 1\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 16\n{_ARRIVE}\n{_LOAD}",
        "P1@cta 0,gpu 0": f"LC00:\n{_wait()}\nbeq p0, 0, LC00\nld.weak r0, y",
    },
    "P1:p0 == 1 /\\ P1:r0 == 0",
)
_REUSE: Final = _threads(
    "st.shared after a TMA store",
    "x = 0; .shared s = 1;",
    {
        "P0@cta 0,gpu 0": f"""
            {_STORE}
            {_COMMIT}
            cp.async.bulk.wait_group.read 0
            fence.proxy.async
            st.weak s, 2"""
    },
    "x == 2",
)
_CP_ASYNC: Final = _threads(
    "cp.async",
    "x = 1; .shared s = 0;",
    {
        "P0@cta 0,gpu 0": """
            cp.async.ca.shared.global [s], [x], 4
            cp.async.commit_group
            cp.async.wait_group 0
            ld.weak r0, s"""
    },
    "P0:r0 == 0",
)
_CP_ASYNC_OTHERS: Final = _threads(
    "cp.async for others",
    "x = 1; .shared s = 0;",
    {
        "P0@cta 0,gpu 0": """
            cp.async.ca.shared.global [s], [x], 4
            cp.async.commit_group
            cp.async.wait_group 0
            bar.cta.sync 0""",
        "P1@cta 0,gpu 0": """
            bar.cta.sync 0
            ld.weak r0, s""",
    },
    "P1:r0 == 0",
)
_CP_ASYNC_ARRIVE: Final = _threads(
    "cp.async.mbarrier.arrive",
    "x = 1; .shared s = 0; .mbarrier m = 1;",
    {
        "P0@cta 0,gpu 0": """
            cp.async.ca.shared.global [s], [x], 4
            cp.async.mbarrier.arrive.noinc.shared.b64 [m]""",
        "P1@cta 0,gpu 0": f"LC00:\n{_wait()}\nbeq p0, 0, LC00\nld.weak r0, s",
    },
    "P1:p0 == 1 /\\ P1:r0 == 0",
)
_ST_ASYNC: Final = _threads(
    "st.async to another CTA",
    ".shared s @ cta 1 = 0; .mbarrier m @ cta 1 = 1;",
    {
        "P0@cta 0,cluster 0,gpu 0": """
            st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [s], 1, [m]""",
        "P1@cta 1,cluster 0,gpu 0": f"""
            mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 4
            LC00:
            {_wait(scope="cluster")}
            beq p0, 0, LC00
            ld.weak r0, s""",
    },
    "P1:p0 == 1 /\\ P1:r0 == 0",
)
_WGMMA: Final = _threads(
    "wgmma after st.shared",
    ".shared a = 0; .shared b = 0; .reg d = 0;",
    {
        "P0@cta 0,gpu 0": """
            st.weak a, 1
            fence.proxy.async
            wgmma.fence.sync.aligned
            wgmma.mma_async d, a, b
            wgmma.commit_group.sync.aligned
            wgmma.wait_group.sync.aligned 0
            ld.weak r0, d"""
    },
    "P0:r0 == 0",
)
_TENSORMAP: Final = _threads(
    "a tensor map that is changed",
    "x = 1; y = 2; map = x; flag = 0; .shared s = 0; .mbarrier m = 1;",
    {
        "P0@cta 0,gpu 0": """
            st.weak map, y
            fence.proxy.tensormap::generic.release.gpu
            st.release.gpu flag, 1""",
        "P1@cta 1,gpu 0": f"""
            ld.acquire.gpu r0, flag
            fence.proxy.tensormap::generic.acquire.gpu [map], 128
            {_EXPECT}
            cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [map, {{0}}], [m]
            LC00:
            {_wait()}
            beq p0, 0, LC00
            ld.weak r1, s""",
    },
    "P1:r0 == 1 /\\ P1:p0 == 1 /\\ P1:r1 == 1",
)
_GRIDS: Final = _threads(
    "a dependent grid",
    "x = 0;",
    {
        "P0@cta 0,gpu 0,grid 0": "griddepcontrol.launch_dependents\nst.weak x, 1",
        "P1@cta 0,gpu 0,grid 1": "griddepcontrol.wait\nld.weak r0, x",
    },
    "P1:r0 == 0",
)
_REDUCE: Final = _threads(
    "two reductions in the background",
    "x = 0; .shared s0 @ cta 0 = 1; .shared s1 @ cta 1 = 1;",
    {
        f"P{n}@cta {n},gpu 0": f"""
            cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [x], [s{n}], 16
            {_COMMIT}
            cp.async.bulk.wait_group 0"""
        for n in (0, 1)
    },
    "x == 1",
)

_PAIR: Final = ("P0@cta 0,cluster 0,gpu 0", "P1@cta 1,cluster 0,gpu 0")
_CAST: Final = (
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s.0], [x], 16, [m.0], 3"
)
_MULTICAST: Final = _threads(
    "multicast",
    "x = 1; .shared s.0 = 0; .shared s.1 = 0; .mbarrier m.0 = 1; .mbarrier m.1 = 1;",
    {
        _PAIR[0]: f"""
            mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m.0], 16
            {_CAST}
            LC00:
            {_wait(name="m.0")}
            beq p0, 0, LC00""",
        _PAIR[1]: f"""
            mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m.1], 16
            LC00:
            {_wait(scope="cluster", name="m.1")}
            beq p0, 0, LC00
            ld.weak r0, s.1""",
    },
    "P1:r0 == 0",
)
_MULTICAST_READ: Final = _threads(
    "multicast, and who gets it",
    "x = 1; .shared s.0 = 0; .shared s.1 = 0; .mbarrier m.0 = 1; .mbarrier m.1 = 1;",
    {
        _PAIR[0]: f"""
            mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m.0], 16
            {_CAST}
            LC00:
            {_wait(name="m.0")}
            beq p0, 0, LC00
            barrier.cluster.arrive
            barrier.cluster.wait""",
        _PAIR[1]: f"""
            mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m.1], 16
            barrier.cluster.arrive
            barrier.cluster.wait
            ld.weak r0, s.1
            LC00:
            {_wait(name="m.1")}
            beq p0, 0, LC00""",
    },
    "P1:r0 == 0",
)
_MAPA: Final = _threads(
    "mapa",
    ".shared s.0 = 0; .shared s.1 = 0; .mbarrier m.0 = 1; .mbarrier m.1 = 1;",
    {
        _PAIR[0]: """
            mapa.shared::cluster.u32 r0, s.0, 1
            mapa.shared::cluster.u32 r1, m.0, 1
            st.weak r0, 1
            mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r1]""",
        _PAIR[1]: f"""
            {_wait(scope="cluster", name="m.1").replace("try_wait", "test_wait")}
            bne p0, 1, LC01
            ld.weak r1, s.1
            LC01:""",
    },
    "P1:p0 == 1 /\\ P1:r1 == 0",
)
_RELEASE_SHARED: Final = "fence.release.sync_restrict::shared::cta.cluster"
_ACQUIRE_SHARED: Final = "fence.acquire.sync_restrict::shared::cluster.cluster"
_RELAXED: Final = _threads(
    "relaxed arrival and wait, with fences of shared memory",
    ".shared x @ cta 0 = 0; .mbarrier m @ cta 1 = 1;",
    {
        _PAIR[0]: f"""
            st.weak x, 1
            {_RELEASE_SHARED}
            mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [m]""",
        _PAIR[1]: f"""
            LC00:
            {_wait(scope="cluster").replace("acquire", "relaxed")}
            beq p0, 0, LC00
            {_ACQUIRE_SHARED}
            ld.weak r0, x""",
    },
    "P1:r0 == 0",
)
_RELAXED_READ: Final = _threads(
    "a read of another CTA's memory, and a fence of shared memory",
    ".shared x @ cta 1 = 0; .mbarrier m @ cta 1 = 1;",
    {
        _PAIR[0]: f"""
            ld.weak r0, x
            {_RELEASE_SHARED}
            mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [m]""",
        _PAIR[1]: f"""
            LC00:
            {_wait(scope="cluster").replace("acquire", "relaxed")}
            beq p0, 0, LC00
            {_ACQUIRE_SHARED}
            st.weak x, 1""",
    },
    "P0:r0 == 1",
)
_REMOTE_THEN_COPY: Final = _threads(
    "a read of another CTA's memory, then a copy there",
    ".shared x @ cta 0 = 0; .shared t @ cta 1 = 2; .mbarrier m @ cta 0 = 1;",
    {
        _PAIR[0]: f"""
            LC00:
            {_wait(scope="cluster")}
            beq p0, 0, LC00""",
        _PAIR[1]: """
            ld.weak r0, x
            fence.proxy.async.shared::cta
            mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [m], 16
            cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [x], [t], 16, [m]""",
    },
    "P1:r0 == 2",
)
_DROP: Final = _threads(
    "arrive_drop",
    ".mbarrier m = 2;",
    {
        "P0@cta 0,gpu 0": f"""
            {_ARRIVE}
            LC00:
            {_wait()}
            beq p0, 0, LC00
            {_ARRIVE}
            {_wait("p1", parity=1).replace("try_wait", "test_wait")}""",
        "P1@cta 0,gpu 0": "mbarrier.arrive_drop.release.cta.shared::cta.b64 _, [m]",
    },
    "P0:p1 == 1",
)
_DROP_RELEASES: Final = _threads(
    "arrive_drop releases",
    "x = 0; .mbarrier m = 1;",
    {
        "P0@cta 0,gpu 0": "st.weak x, 1\nmbarrier.arrive_drop.release.cta.shared::cta.b64 _, [m]",
        "P1@cta 0,gpu 0": f"LC00:\n{_wait()}\nbeq p0, 0, LC00\nld.weak r0, x",
    },
    "P1:r0 == 0",
)

_FENCE_OF_CTA: Final = _threads(
    "a fence in the CTA of the copy",
    "x = 0; f = 0; .shared s = 0; .mbarrier m = 1;",
    {
        "P0@cta 0,gpu 0": """
            st.weak x, 1
            st.release.gpu f, 1""",
        "P1@cta 1,gpu 0": f"""
            ld.acquire.gpu r0, f
            fence.proxy.async
            {_EXPECT}
            {_LOAD}
            LC00:
            {_wait()}
            beq p0, 0, LC00
            ld.weak r1, s""",
    },
    "P1:r0 == 1 /\\ P1:p0 == 1 /\\ P1:r1 == 0",
)
_TO_ANOTHER: Final = _threads(
    "what the issuer wrote before, for another operation",
    "x = 1; z = 0; .shared s = 0; .shared t = 0; .mbarrier m = 1;",
    {
        "P0@cta 0,gpu 0": f"""
            st.weak t, 1
            fence.proxy.async
            mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 16
            {_ARRIVE}
            {_LOAD}""",
        "P1@cta 0,gpu 0": f"""
            LC00:
            {_wait()}
            beq p0, 0, LC00
            cp.async.bulk.global.shared::cta.bulk_group [z], [t], 16
            {_COMMIT}
            cp.async.bulk.wait_group 0
            ld.weak r0, z""",
    },
    "P1:p0 == 1 /\\ P1:r0 == 0",
)
_INIT_FENCE: Final = _threads(
    "fence.mbarrier_init is about mbarriers",
    "x = 0; f = 0;",
    {
        "P0@cta 0,cluster 0,gpu 0": """
            st.weak x, 1
            fence.acq_rel.cluster
            st.relaxed.cluster f, 1""",
        "P1@cta 1,cluster 0,gpu 0": """
            ld.acquire.cluster r0, f
            ld.weak r1, x""",
    },
    "P1:r0 == 1 /\\ P1:r1 == 0",
)
_FENCE_OF_READER: Final = "fence.proxy.async.global"
_FROM_STORE_TO_LOAD: Final = _threads(
    "a bulk store, then a copy of another CTA",
    "x = 0; f = 0; .shared s = 0; .shared t = 0; .mbarrier m = 1;",
    {
        "P0@cta 0,gpu 0": f"""
            st.weak s, 1
            fence.proxy.async
            {_STORE}
            {_COMMIT}
            cp.async.bulk.wait_group 0
            st.release.gpu f, 1""",
        "P1@cta 1,gpu 0": f"""
            LC01:
            ld.acquire.gpu r0, f
            bne r0, 1, LC01
            {_FENCE_OF_READER}
            {_EXPECT}
            {_LOAD.replace("[s]", "[t]")}
            LC00:
            {_wait()}
            beq p0, 0, LC00
            ld.weak r1, t""",
    },
    "P1:r0 == 1 /\\ P1:p0 == 1 /\\ P1:r1 == 0",
)
_CP_ASYNC_WGMMA: Final = _threads(
    "cp.async, then wgmma",
    "x = 1; .shared a = 0; .shared b = 0; .reg d = 0;",
    {
        "P0@cta 0,gpu 0": """
            cp.async.ca.shared.global [a], [x], 4
            cp.async.commit_group
            cp.async.wait_group 0
            fence.proxy.async
            wgmma.fence.sync.aligned
            wgmma.mma_async d, a, b
            wgmma.commit_group.sync.aligned
            wgmma.wait_group.sync.aligned 0
            ld.weak r0, d"""
    },
    "P0:r0 == 0",
)
_NC: Final = _threads(
    "ld.global.nc",
    "x = 0;",
    {"P0@cta 0,gpu 0": "ld.weak r0, x\nst.weak x, 1\nld.weak r1, x"},
    "P0:r0 == 0 /\\ P0:r1 == 0",
)

RULES: Final[Mapping[str, Pair]] = {
    "TMA store after st.shared": Pair(
        "fence.proxy.async",
        "A copy in the async proxy sees what was written through the generic proxy behind a fence.proxy.async alone.",
        _without(_TMA_STORE, "fence.proxy.async"),
        _TMA_STORE,
    ),
    "the fence's space": Pair(
        "fence.proxy.async",
        "A fence of one state space orders nothing in another.",
        _instead(_TMA_STORE, "fence.proxy.async", "fence.proxy.async.global"),
        _instead(_TMA_STORE, "fence.proxy.async", "fence.proxy.async.shared::cta"),
    ),
    "the fence before the barrier": Pair(
        "fence.proxy.async",
        "The thread that wrote fences, then all meet; the barrier alone joins no proxies.",
        _without(_OTHER_WRITES, "fence.proxy.async"),
        _OTHER_WRITES,
    ),
    "the fence's CTA": Pair(
        "fence.proxy.async",
        "The fence works in the CTA of the access through the async proxy: here the reader's.",
        _threads(
            "a fence in the other CTA",
            "x = 0; f = 0; .shared s = 0; .mbarrier m = 1;",
            {
                "P0@cta 0,gpu 0": """
                    st.weak x, 1
                    fence.proxy.async
                    st.release.gpu f, 1""",
                "P1@cta 1,gpu 0": f"""
                    ld.acquire.gpu r0, f
                    {_EXPECT}
                    {_LOAD}
                    LC00:
                    {_wait()}
                    beq p0, 0, LC00
                    ld.weak r1, s""",
            },
            "P1:r0 == 1 /\\ P1:p0 == 1 /\\ P1:r1 == 0",
        ),
        _FENCE_OF_CTA,
    ),
    "a bulk store, then a copy of another CTA": Pair(
        "fence.proxy.async",
        "A flag shows what a bulk store wrote to the generic proxy of another CTA; its copies need a fence there, too.",
        _without(_FROM_STORE_TO_LOAD, _FENCE_OF_READER),
        _FROM_STORE_TO_LOAD,
    ),
    "completion hands on nothing to an operation": Pair(
        "8.9.1.1",
        "Nor does an operation that is issued behind the wait see what the first one's thread did before.",
        _instead(_TO_ANOTHER, "mbarrier.arrive.release", "mbarrier.arrive.relaxed"),
        _TO_ANOTHER,
    ),
    "fence.mbarrier_init": Pair(
        "fence.mbarrier_init",
        "It publishes initialisations of mbarriers, and nothing else.",
        _instead(_INIT_FENCE, "fence.acq_rel.cluster", "fence.mbarrier_init.release.cluster"),
        _INIT_FENCE,
    ),
    "a relaxed arrival behind a fence": Pair(
        "8.8",
        "It publishes what the fence has released.",
        _without(_RELAXED, _RELEASE_SHARED),
        _RELAXED,
    ),
    "a fence behind a relaxed wait": Pair(
        "8.8",
        "The wait acquires nothing, the fence behind it does.",
        _without(_RELAXED, _ACQUIRE_SHARED),
        _RELAXED,
    ),
    "a fence with .sync_restrict": Pair(
        "fence",
        "It is about shared memory, and orders no accesses to global memory.",
        _instead(_RELAXED, ".shared x @ cta 0", "x"),
        _RELAXED,
    ),
    "a release of shared::cta": Pair(
        "fence",
        "It is about the shared memory of its own CTA: an H200 shows a read of another one's that comes too late.",
        _RELAXED_READ,
        _instead(_RELAXED_READ, _RELEASE_SHARED, "fence.release.cluster"),
    ),
    "a proxy fence of shared::cta": Pair(
        "fence.proxy.async",
        "It is about the shared memory of its own CTA: an H200 shows a read of another one's that comes behind the copy.",
        _REMOTE_THEN_COPY,
        _instead(_REMOTE_THEN_COPY, "async.shared::cta", "async.shared::cluster"),
    ),
    "both halves of a tensor map's fence": Pair(
        "fence.proxy.tensormap",
        "A release in the place of the acquire shows nothing.",
        _instead(
            _TENSORMAP,
            "fence.proxy.tensormap::generic.acquire.gpu [map], 128",
            "fence.proxy.tensormap::generic.release.gpu",
        ),
        _TENSORMAP,
    ),
    "a store that is waited for": Pair(
        "cp.async.bulk.wait_group",
        "What a bulk group wrote is visible after its wait; after .read, its sources may be reused and no more.",
        _instead(_TMA_STORE, "wait_group 0", "wait_group.read 0"),
        _TMA_STORE,
    ),
    "reuse of the source": Pair(
        "cp.async.bulk.wait_group",
        "The source of a bulk store may be overwritten after wait_group.read, and not before.",
        _without(_REUSE, "cp.async.bulk.wait_group.read 0"),
        _REUSE,
    ),
    "TMA load": Pair(
        "cp.async.bulk",
        "What a copy wrote is visible to those who acquire the phase of the mbarrier on which it completes.",
        _instead(_TMA_LOAD, _wait(), "mov p0, 1"),
        _TMA_LOAD,
    ),
    "a relaxed wait": Pair(
        "mbarrier.try_wait",
        "A relaxed wait learns that the phase is over, and shows nothing of it.",
        _instead(_TMA_LOAD, "try_wait.parity.acquire.cta", "try_wait.parity.relaxed.cta"),
        _TMA_LOAD,
    ),
    "completion hands on nothing else": Pair(
        "8.9.1.1",
        "complete_tx shows what the copy itself did, not what its thread did before; the thread's own release does.",
        _instead(_NOT_HANDED_ON, "mbarrier.arrive.release", "mbarrier.arrive.relaxed"),
        _NOT_HANDED_ON,
    ),
    "cp.async": Pair(
        "cp.async.wait_group",
        "cp.async is in the generic proxy, and what it copied is visible after the wait.",
        _without(_CP_ASYNC, "cp.async.wait_group 0"),
        _CP_ASYNC,
    ),
    "cp.async for others": Pair(
        "cp.async.wait_group",
        "Only the thread that waits sees it; a barrier behind the wait shows it to others.",
        _without(_CP_ASYNC_OTHERS, "cp.async.wait_group 0"),
        _CP_ASYNC_OTHERS,
    ),
    "cp.async on an mbarrier": Pair(
        "cp.async.mbarrier.arrive",
        "The arrival comes after the thread's earlier cp.async; an ordinary one does not.",
        _instead(_CP_ASYNC_ARRIVE, "cp.async.mbarrier.arrive.noinc.shared.b64 [m]", _ARRIVE),
        _CP_ASYNC_ARRIVE,
    ),
    "st.async": Pair(
        "st.async",
        "It completes at cluster scope: a wait in another CTA needs that scope, too.",
        _instead(_ST_ASYNC, "acquire.cluster", "acquire.cta"),
        _ST_ASYNC,
    ),
    "wgmma reads shared memory": Pair(
        "wgmma.mma_async",
        "Its operands in shared memory are read in the async proxy.",
        _without(_WGMMA, "fence.proxy.async"),
        _WGMMA,
    ),
    "cp.async, then wgmma": Pair(
        "wgmma.mma_async",
        "cp.async writes in the generic proxy: after the wait, a wgmma of the same thread needs the fence, too.",
        _without(_CP_ASYNC_WGMMA, "fence.proxy.async"),
        _CP_ASYNC_WGMMA,
    ),
    "wgmma is not ordered by itself": Pair(
        "wgmma.fence",
        "It is not ordered after what stands before it in the thread; wgmma.fence orders it.",
        _without(_WGMMA, "wgmma.fence.sync.aligned"),
        _WGMMA,
    ),
    "wgmma writes registers": Pair(
        "wgmma.wait_group",
        "The accumulator holds the result after the wait.",
        _without(_WGMMA, "wgmma.wait_group.sync.aligned 0"),
        _WGMMA,
    ),
    "a tensor map that is changed": Pair(
        "fence.proxy.tensormap",
        "The thread that uses a map acquires it through the tensormap proxy.",
        _without(_TENSORMAP, "fence.proxy.tensormap::generic.acquire.gpu [map], 128"),
        _TENSORMAP,
    ),
    "a tensor map that is released": Pair(
        "fence.proxy.tensormap",
        "The thread that changes a map releases it to the tensormap proxy.",
        _without(_TENSORMAP, "fence.proxy.tensormap::generic.release.gpu"),
        _TENSORMAP,
    ),
    "ld.global.nc": Pair(
        "ld.global.nc",
        "It reads through another proxy, which need not see what the same thread has stored.",
        _NC.replace("ld.weak r", "ld.global.nc r"),
        _NC,
    ),
    "griddepcontrol": Pair(
        "griddepcontrol",
        "A dependent grid sees what the grid before it wrote after griddepcontrol.wait.",
        _without(_GRIDS, "griddepcontrol.wait"),
        _GRIDS,
    ),
    "multicast": Pair(
        ".multicast::cluster",
        "Each CTA's mbarrier tells of its own CTA's tile alone: who waited at another CTA's knows nothing of it.",
        _MULTICAST_READ,
        _MULTICAST,
    ),
    "multicast, and the scope of the wait": Pair(
        ".multicast::cluster",
        "It completes at cluster scope, by an operation of another CTA: the wait needs that scope, too.",
        _instead(_MULTICAST, "acquire.cluster", "acquire.cta"),
        _MULTICAST,
    ),
    "mapa": Pair(
        "mapa",
        "It makes the address of the same variable in the CTA that its rank names: another rank is another CTA's memory.",
        _instead(_MAPA, "mapa.shared::cluster.u32 r0, s.0, 1", "mapa.shared::cluster.u32 r0, s.0, 0"),
        _MAPA,
    ),
    "mapa orders nothing": Pair(
        "mapa",
        "What is written by the address that it made is visible behind a release and an acquire, as any other store.",
        _instead(_MAPA, "mbarrier.arrive.release", "mbarrier.arrive.relaxed"),
        _MAPA,
    ),
    "mbarrier.arrive_drop": Pair(
        "mbarrier.arrive_drop",
        "It arrives, and lets later phases count one arrival less: one thread completes the second. A mere arrival does not.",
        _DROP,
        _instead(_DROP, "mbarrier.arrive_drop", "mbarrier.arrive"),
    ),
    "mbarrier.arrive_drop releases": Pair(
        "mbarrier.arrive_drop",
        "It is a release like any arrival; relaxed, it shows nothing of what came before.",
        _instead(_DROP_RELEASES, "mbarrier.arrive_drop.release", "mbarrier.arrive_drop.relaxed"),
        _DROP_RELEASES,
    ),
    "reductions in the background": Pair(
        "cp.reduce.async.bulk",
        "They are atomic at gpu scope: none is lost. A thread's weak read and write lose one.",
        _threads(
            "two additions by hand",
            "x = 0;",
            {f"P{n}@cta {n},gpu 0": "ld.weak r0, x\nadd r0, r0, 1\nst.weak x, r0" for n in (0, 1)},
            "x == 1",
        ),
        _REDUCE,
    ),
}
"""The pairs, by what they show."""
