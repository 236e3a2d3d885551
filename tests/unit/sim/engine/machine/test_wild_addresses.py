"""Addresses from nowhere: every access ends well or in one diagnostic, and touches nothing beside the arrays."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import ptxlab as px

SPACES = ("", ".global", ".shared", ".shared::cluster", ".local", ".const")
THREADS = {  # {s} is the space, a comma after it lists the spaces that the form has; bytes of an access
    "ld{s}.u8 %h1, [%rd2]": (SPACES, 1),
    "ld{s}.u32 %r3, [%rd2]": (SPACES, 4),
    "ld{s}.v2.u64 {%rd3, %rd4}, [%rd2]": (SPACES, 16),
    "st{s}.u16 [%rd2], %h1": (SPACES[:5], 2),
    "st{s}.v4.u32 [%rd2], {%r1, %r1, %r1, %r1}": (SPACES[:5], 16),
    "atom{s}.add.u32 %r3, [%rd2], %r1": (SPACES[:4], 4),
    "atom{s}.cas.b64 %rd3, [%rd2], %rd2, %rd2": (SPACES[:4], 8),
    "red{s}.max.u32 [%rd2], %r1": (SPACES[:4], 4),
}
BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
TILE = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
UNITS = (  # %r4 is the lower half of the address
    "cp.async.ca.shared.global [%r2], [%rd2], 16",
    "cp.async.ca.shared.global [%r4], [%rd6], 4",
    f"{BULK} [%r2], [%rd2], 32, [%r7]",
    f"{BULK} [%r4], [%rd6], 32, [%r7]",
    f"{BULK} [%r2], [%rd6], 32, [%r4]",
    f"{BULK} [%r2], [%rd6], %r4, [%r7]",
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 32",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [%r2], 32",
    "mbarrier.init.shared.b64 [%r4], 1",
    "mbarrier.arrive.b64 _, [%rd2]",
    "mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0",
    "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r7], %r4",
    f"{TILE} [%r2], [%rd2, {{%r1, %r1}}], [%r7]",
    f"{TILE} [%r4], [%rd7, {{%r1, %r1}}], [%r7]",
    f"{TILE} [%r2], [%rd7, {{%r4, %r1}}], [%r7]",
    "tensormap.replace.tile.global_address.global.b1024.b64 [%rd2], %rd6",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r1, [%r7]",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r4]",
    "bar.sync 1, %r4",
    "alloca.u64 %rd3, %rd2, 16",
    "shfl.sync.idx.b32 %r5, %r1, %r4, 31, 0xffffffff",
)


@cache
def kernel(body: str) -> px.Kernel:
    return px.parse(f"""
        .version 8.7
        .target sm_90a
        .address_size 64
        .const .align 16 .b8 c[16] = {{1}};
        .visible .entry k(.param .u64 a, .param .u64 table, .param .align 64 .b8 m[128])
        {{
            .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<3>; .reg .pred %p<4>;
            .shared .align 128 .b8 s[512]; .shared .align 8 .b64 bar; .local .align 16 .b8 l[64];
            ld.param.u64 %rd6, [a]; mov.u64 %rd7, m; cvta.param.u64 %rd7, %rd7; ld.param.u64 %rd1, [table];
            mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd1, %rd1, %rd3; ld.global.u64 %rd2, [%rd1];
            cvt.u32.u64 %r4, %rd2; mov.u32 %r2, s; mov.u32 %r7, bar; mov.u64 %rd5, l; setp.eq.u32 %p1, %r1, 0;
            st.shared.u32 [%r2], %r1; st.local.u32 [%rd5], %r1; @%p1 mbarrier.init.shared.b64 [bar], 2000;
            bar.sync 0;
            {body};
            ret;
        }}""")["k"]


def places(begin: int) -> list[int]:
    """Edges of everything that an address can fall off."""
    window, cta = 1 << 32, 1 << 24
    edges = [
        0,
        4096,
        1024,
        1536,
        1544,
        window,
        window + 1024,
        window + 1544,
        window + cta + 1024,
        2 * window,
        2 * window + 64,
    ]
    return [*edges, 3 * window, 1 << 31, window - 4, 1 << 47, 1 << 63, 1 << 64, begin, begin + 256, begin - window]


def wild(rng: random.Random, begin: int, size: int, count: int) -> np.ndarray:
    def one() -> int:
        return rng.choice(places(begin)) + rng.choice([0, 0, 0, 1, -1, 4, -4, 8, 16, -16, rng.randrange(-64, 64)])

    first, how = one(), rng.randrange(3)
    values = [first if how == 0 else first + i * size if how == 1 else one() for i in range(count)]
    return np.array([v % (1 << 64) for v in values], np.uint64)


def run(rng: random.Random, body: str, size: int) -> str:
    """The code of what went wrong, "" for nothing. Asserts that what lies around the array is as it was."""
    memory = px.empty(3 * 64, np.uint32)
    memory[:] = 0xABAD1DEA
    a, x = memory[64:128], px.empty((16, 16), np.uint32)
    count, cluster = rng.choice([1, 32, 33]), rng.choice([1, 2])
    table = wild(rng, int(a.ctypes.data), size, count)
    args = [a, table, px.tensor_map(x, box=(4, 8))]
    schedule, code, way_out = rng.choice(["eager", "late", "random"]), "", None
    try:
        px.simulate(
            kernel(body), grid=2, cluster=cluster, block=count, args=args, schedule=schedule, max_instructions=100_000
        )
    except px.Diagnostic as found:
        code, way_out = found.code, found.help
    assert way_out or not code
    assert (memory[:64] == 0xABAD1DEA).all()
    assert (memory[128:] == 0xABAD1DEA).all()
    return code


@pytest.mark.parametrize("seed", range(3))
def test_accesses_of_threads(seed: int) -> None:
    rng = random.Random(seed)
    found: set[str] = set()
    for form, (spaces, size) in THREADS.items():
        for space in spaces:
            found |= {run(rng, form.replace("{s}", space), size) for _ in range(3)}
    assert {"PTX9002", "PTX9006", "PTX9007", "PTX9008"} <= found


@pytest.mark.parametrize("seed", range(2))
def test_accesses_of_units(seed: int) -> None:
    rng = random.Random(seed)
    found = {run(rng, body, 16) for body in UNITS for _ in range(5)}
    assert {"PTX9002", "PTX9121", "PTX9122"} <= found
