"""Kernels that time what CTAs of a cluster send each other: loads, stores, copies, arrivals and barriers.

All CTAs of a cluster do the same at the same time: each works on the shared memory of the one whose rank is higher by `apart`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.bench.calibrate.programs import Program, next_phase

_COUNT: Final = 16
"""Accesses of a round."""
_WIDE: Final = 16
"""Bytes of a lane."""
_MEET: Final = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
_OTHER: Final = """mov.u32 %rank, %cluster_ctarank; mov.u32 %size, %cluster_nctarank; mov.u32 %near, pool;
add.u32 %other, %rank, {apart}; rem.u32 %other, %other, %size; mapa.shared::cluster.u32 %far, %near, %other;
"""
_REGISTERS: Final = ".reg .u32 %rank, %size, %near, %far, %other;"


def network() -> Iterator[Program]:
    """All of them."""
    for apart in (0, 1):
        yield _chase(apart)
    for warps in (4, 8, 16):
        yield _loads(2, warps, apart=0)
    for cluster in (2, 4, 8):
        for warps in (1, 4, 8, 16):
            for full in (False, True):
                yield _loads(cluster, warps, full=full)
                yield _stores(cluster, warps, full=full)
        for warps in (1, 4, 12):
            for order in ("release", "relaxed"):
                yield _barrier(cluster, warps, order)
    yield _arrivals()
    for warps in (1, 4, 8):
        for full in (False, True):
            yield _asynchronous_stores(warps, full=full)
    for nbytes, flying in ((16, 1), (1024, 1), (4096, 1), (16384, 1), (32768, 1), (1024, 32), (4096, 8), (16384, 4)):
        yield _copies(nbytes, flying)
    yield _copies(16384, 4, full=True)


def _made(name: str, body: str, steps: int, *, cluster: int, full: bool, apart: int, **given: object) -> Program:
    """A program of a cluster, or of as many as fill the chip."""
    before = _OTHER.format(apart=apart) + str(given.pop("before", ""))
    return Program(
        f"{name}, cluster of {cluster}{', all SMs' if full else ''}",
        body,
        steps,
        declared=f"{_REGISTERS} {given.pop('declared', '')}",
        before=f"{before}\n{_MEET}",
        cluster=cluster,
        full=full,
        facts={"cluster": cluster, "full": int(full), **given.pop("facts", {})},  # type: ignore[dict-item]
        **given,  # type: ignore[arg-type]
    )


def _where(apart: int) -> str:
    return "of another CTA" if apart else "of its own CTA"


def _chase(apart: int) -> Program:
    """Loads, each of the address that the last one gave."""
    return _made(
        f"ld.shared::cluster {_where(apart)}, a chain",
        "\n".join(["ld.shared::cluster.u32 %far, [%far];"] * _COUNT),
        _COUNT,
        cluster=2,
        full=False,
        apart=apart,
        before="mapa.shared::cluster.u32 %size, %near, %rank; st.shared.u32 [%near], %size;",
        after="st.global.u32 [%kept], %far;",
        shared=1024,
        filled=1024,
    )


def _loads(cluster: int, warps: int, *, apart: int = 1, full: bool = False) -> Program:
    """Loads of 16 bytes a lane that do not wait for each other."""
    registers = [f"%x{i}" for i in range(4 * _COUNT)]
    groups = [", ".join(registers[4 * i : 4 * i + 4]) for i in range(_COUNT)]
    row = warps * 32 * _WIDE
    body = [f"ld.volatile.shared::cluster.v4.u32 {{{g}}}, [%far+{row * (i % 4)}];" for i, g in enumerate(groups)]
    return _made(
        f"ld.shared::cluster {_where(apart)}, 16 bytes a lane",
        "\n".join(body),
        _COUNT,
        cluster=cluster,
        full=full,
        apart=apart,
        declared=f".reg .u32 %x<{4 * _COUNT}>;",
        before=f"mad.lo.u32 %far, %thread, {_WIDE}, %far;",
        after="\n".join(f"st.global.u32 [%kept+{8192 * i}], {r};" for i, r in enumerate(registers)),
        warps=warps,
        shared=4 * row,
        filled=4 * row,
    )


def _stores(cluster: int, warps: int, *, full: bool) -> Program:
    """Stores of 16 bytes a lane."""
    row = warps * 32 * _WIDE
    body = [
        f"st.shared::cluster.v4.b32 [%far+{row * (i % 4)}], {{%thread, %rank, %thread, %rank}};" for i in range(_COUNT)
    ]
    return _made(
        "st.shared::cluster, 16 bytes a lane",
        "\n".join(body),
        _COUNT,
        cluster=cluster,
        full=full,
        apart=1,
        before=f"mad.lo.u32 %far, %thread, {_WIDE}, %far;",
        warps=warps,
        shared=4 * row,
        filled=4 * row,
    )


def _barrier(cluster: int, warps: int, order: str) -> Program:
    """The cluster's barrier."""
    step = f"barrier.cluster.arrive.{order}.aligned; barrier.cluster.wait.aligned;"
    name = f"barrier.cluster, {order}"
    return _made(name, "\n".join([step] * _COUNT), _COUNT, cluster=cluster, full=False, apart=1, warps=warps, shared=16)


_TO_BARRIERS: Final = """mov.u32 %bar, %near; mov.u32 %far_bar, %far; mov.u32 %phase, 0; setp.eq.u32 %one, %thread, 0;
@%one mbarrier.init.shared::cta.b64 [%bar], 1; fence.mbarrier_init.release.cluster;
"""
_OF_BARRIERS: Final = ".reg .u32 %bar, %far_bar, %phase; .reg .pred %one, %done;"


def _arrivals() -> Program:
    """A thread arrives on the mbarrier of another CTA, and waits for the arrival on its own: the way of one arrival.

    It arrives on its own before: else that could be a phase ahead of it.
    """
    count = 8
    body = "".join(
        "mbarrier.arrive.shared::cta.b64 _, [%bar]; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%far_bar];\n"
        f"{next_phase(i, '.acquire.cluster')}\n"
        for i in range(count)
    )
    return _made(
        "mbarrier.arrive of another CTA, try_wait",
        f"@!%one bra idle;\n{body}idle: bar.warp.sync -1;",
        count,
        cluster=2,
        full=False,
        apart=1,
        declared=_OF_BARRIERS,
        before=_TO_BARRIERS.replace("[%bar], 1", "[%bar], 2"),
        shared=1024,
    )


def _asynchronous_stores(warps: int, *, full: bool) -> Program:
    """st.async of 16 bytes a lane into another CTA, then a wait for those that come."""
    row = warps * 32 * _WIDE
    stores = "\n".join(
        f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%far+{1024 + row * i}], "
        "{%thread, %rank, %thread, %rank}, [%far_bar];"
        for i in range(_COUNT)
    )
    return _made(
        "st.async, 16 bytes a lane",
        f"@%one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {row * _COUNT};\n{stores}\n{next_phase()}\n"
        "bar.sync 0;",  # no warp is two rounds ahead of another
        _COUNT,
        cluster=2,
        full=full,
        apart=1,
        declared=_OF_BARRIERS,
        before=f"{_TO_BARRIERS}mad.lo.u32 %far, %thread, {_WIDE}, %far;",
        warps=warps,
        shared=1024 + row * _COUNT,
    )


def _copies(nbytes: int, flying: int, *, full: bool = False) -> Program:
    """Bulk copies into another CTA, then a wait for those that come."""
    copies = "\n".join(
        "@%one cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
        f"[%far+{1024 + flying * nbytes + i * nbytes}], [%near+{1024 + i * nbytes}], {nbytes}, [%far_bar];"
        for i in range(flying)
    )
    return _made(
        f"cp.async.bulk to another CTA, {nbytes} bytes, {flying} at a time",
        f"@%one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], {flying * nbytes};\n{copies}\n{next_phase()}",
        flying,
        cluster=2,
        full=full,
        apart=1,
        declared=_OF_BARRIERS,
        before=_TO_BARRIERS,
        shared=1024 + 2 * flying * nbytes,
        filled=1024 + flying * nbytes,
        facts={"bytes": nbytes, "flying": flying},
    )
