"""What a CUDA or PTX programmer wants to write, and the words for it, with a line that runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glance:
    """A line of the table.

    Attributes:
        what: what is wanted. words: for it. shown: lines of the example.
        before, after: what has to stand around them in a kernel, so that they run.
    """

    what: str
    words: str
    shown: tuple[str, ...]
    before: str = ""
    after: str = ""

    @property
    def body(self) -> str:
        """The body of a kernel in which the lines stand."""
        return "\n".join(part for part in (_NAMES, self.before, *self.shown, self.after) if part) + "\n"


def shown_words(entry: Glance) -> list[str]:
    """The words of an entry."""
    return entry.words.split()


_NAMES = "i, v = k.tid.x, k.mov.u32(7)\np = i < 16"
_TILE = 'tile = k.smem(px.f16, (64, 64), swizzle="128B")'
_BAR = "bar = k.mbarrier(1)\nk.init_barriers()"
_LOADED = "with k.if_(i == 0): bar.arrive_expect_tx(tile.nbytes); k.tma_load(tile, tm, (0, 0), bar)\nbar.wait(0)"
_RING = "tiles = k.smem(px.f16, (2, 64, 64), swizzle='128B')"
_FILLED = "\n".join(
    (
        "with k.roles():",
        "    with k.role(warp=0), k.elect(), ring.produce() as slot:",
        "        k.tma_load(slot[0], tm, (0, 0), slot.full)",
        "    with k.role(warp=1), ring.consume() as slot:",
        "        k.st.global_.b16(out[i], k.ld.shared.b16(slot[0].at(0)))",
    )
)

GLANCE = (
    Glance("a kernel", "px.kernel px.Ptr", ("@px.kernel(threads=128)", "def copy(k, x: px.Ptr[px.f32], n: px.u32): …")),
    Glance("a launch `<<<grid, block>>>`", "px.Kernel", ("copy[grid](x, n)",)),
    Glance("threadIdx, blockIdx", "k.tid k.ctaid k.thread", ("i = k.ctaid.x * 128 + k.tid.x",)),
    Glance("lane, warp, warpgroup", "k.laneid k.warp k.warpgroup", ("first = k.laneid == 0",)),
    Glance("an instruction", "px.Builder", ("w = k.mad.lo.u32(i, 4, v)",)),
    Glance("an instruction under a predicate `@p`", "Opcode", ("k.st.global_.u32(out[i], v, pred=p)",)),
    Glance("… under its negation `@!p`", "Negated", ("k.st.global_.u32(out[i], v, pred=~p)",)),
    Glance("write an existing register", "Opcode", ("k.add.u32(v, 1, d=v)",)),
    Glance("`v += 1`", "px.Register", ("v += 1",)),
    Glance("an immediate", "px.Builder", ("v = k.mov.u32(0x10)",)),
    Glance("a comparison, a predicate", "px.pred k.setp", ("q = (i < 100) & (v != 0)",)),
    Glance("conditional select `p ? a : b`", "k.selp", ("w = k.selp.u32(1, v, p)",)),
    Glance("if", "k.if_", ("with k.if_(i < 16): k.st.global_.u32(out[i], v)",)),
    Glance(
        "if / else",
        "k.if_ k.else_",
        ("with k.if_(p): k.mov.u32(1, d=v)", "with k.else_(): k.mov.u32(2, d=v)"),
    ),
    Glance(
        "a counted loop on the device", "k.loop", ("with k.loop(8) as j: k.st.global_.u32(out[j], j, pred=i == 0)",)
    ),
    Glance("an unrolled loop", "px.kernel", ("for j in range(4): v += j",)),
    Glance("while", "k.while_", ("with k.while_(lambda: v < 100): v += 10",)),
    Glance("break, continue", "k.break_ k.continue_", ("with k.loop(8) as j: k.break_(pred=j > 3)",)),
    Glance("goto", "k.label k.place k.bra", ("end = k.label(); k.bra(end, pred=p)",), after="k.place(end)"),
    Glance("a pointer's element", "px.Ptr", ("f = k.ld.global_.f32(x[i])",)),
    Glance("a byte as a number", "k.cvt", ("v = k.cvt.u32.u8(k.ld.global_.u8(x.at(i)))",)),
    Glance("address arithmetic in bytes", "px.Ptr Address.at", ("f = k.ld.global_.f32(x.at(4 * i) + 16)",)),
    Glance("an address from a register", "px.Address Address.of", ('place = px.Address.of(x, 8, "global")',)),
    Glance("a vector access", "px.Registers", ("a, b, c, d = k.ld.global_.v4.f32(x[4 * i])",)),
    Glance("parts of a register", "k.unpack", ("low, high = k.unpack(v, px.b16)",)),
    Glance("`__shared__`", "k.smem", ("buf = k.smem(px.f32, 128)",)),
    Glance("dynamic shared memory", "k.smem", ("big = k.smem(px.f32, 16384)  # more than 48 KB: dynamic by itself",)),
    Glance("`__syncthreads()`", "k.bar.sync", ("k.bar.sync(0)",)),
    Glance("a tile with a swizzle", "k.smem Tile.locate", ('tile = k.smem(px.f16, (64, 64), swizzle="128B")',)),
    Glance("a matrix descriptor", "Tile.descriptor", ("part = tile.descriptor()[0]",), _TILE),
    Glance("an accumulator of wgmma", "k.accumulator", ("acc = k.accumulator(64, 64)",)),
    Glance(
        "wgmma: fence, commit, wait",
        "k.wgmma_group",
        (
            "with k.wgmma_group():",
            "    k.wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16(acc, part, part, False, 1, 1, 0, 0)",
        ),
        f"{_TILE}\n{_BAR}\n{_LOADED}\nacc, part = k.accumulator(64, 64), tile.descriptor()[0]",
    ),
    Glance(
        "store the result of wgmma",
        "MatrixRegisters.store MatrixRegisters.elements",
        ("acc.store(y, 64, rows=16)",),
        "acc = k.accumulator(64, 64)\nfor r in acc: k.mov.f32(0.0, d=r)",
    ),
    Glance(
        "which thread holds an element", "px.fragment", ('px.fragment("mma.m16n8k16", "a", px.bf16).lane_of(9, 3)',)
    ),
    Glance("`assert`", "k.debug_assert", ('k.debug_assert(i < 128, "i is inside")',)),
    Glance("an mbarrier", "k.mbarrier k.init_barriers", ("bar = k.mbarrier(1); k.init_barriers()",)),
    Glance(
        "arrive, expect bytes, wait",
        "Mbarrier.arrive_expect_tx Mbarrier.wait",
        (
            "with k.if_(i == 0): bar.arrive_expect_tx(tile.nbytes); k.tma_load(tile, tm, (0, 0), bar)",
            "bar.wait(0)",
        ),
        f"{_TILE}\n{_BAR}",
    ),
    Glance(
        "a tile by TMA",
        "k.tma_load",
        ("with k.if_(i == 0): bar.expect_tx(tile.nbytes); k.tma_load(tile, tm, (0, 0), bar); bar.arrive()",),
        f"{_TILE}\n{_BAR}",
        "bar.wait(0)",
    ),
    Glance(
        "a ring of stages",
        "k.ring Ring.produce Ring.consume",
        ("ring = k.ring(2, tiles, consumers=32); k.init_barriers()",),
        _RING,
        _FILLED,
    ),
    Glance("cluster rank", "k.cluster_ctarank", ("rank = k.cluster_ctarank",), after="k.cluster_sync()"),
    Glance(
        "remote shared memory",
        "Tile.remote",
        ("w = k.ld.shared__cluster.u32(buf.remote(0))",),
        "buf = k.smem(px.u32, 1)\nk.st.shared.u32(buf.at(0), 5, pred=i == 0)\nk.cluster_sync()",
        "k.cluster_sync()",
    ),
    Glance("meet in the cluster", "k.cluster_sync", ("k.cluster_sync()",), "rank = k.cluster_ctarank"),
    Glance("one elected lane", "k.elect", ("with k.elect(): k.st.global_.u32(out[k.warp], 1)",)),
    Glance(
        "warps with different work",
        "k.roles k.role",
        ("with k.roles():", "    with k.role(warp=0): k.st.global_.u32(out[i], 1)"),
    ),
    Glance("printf", "k.print", ('k.print("lane %d has %u ", k.laneid, v, pred=p)',)),
    Glance("a mark in a profiler's timeline (NVTX)", "k.note", ('k.note("the tile is full")',)),
    Glance(
        "an inline function",
        "px.kernel",
        ("def twice(k, r): return r + r  # plain Python, outside of the kernel",),
        "",
        "twice(k, v)",
    ),
    Glance("a template parameter", "px.kernel Kernel.specialize", ("def copy(k, x: px.Ptr[px.f32], *, stages=3): …",)),
    Glance("a tensor map", "px.tensor_map", ('tm = px.tensor_map(array, box=(64, 64), swizzle="128B")',)),
    Glance(
        "a tensor map that the kernel changes",
        "k.tensormap MapSlot.rebind",
        (
            "slot = k.tensormap(maps[0], like=tm)",
            "with k.if_(k.warp == 0): slot.rebind(dims=(64, 32))",
        ),
        after="k.bar.sync(0)",
    ),
)
