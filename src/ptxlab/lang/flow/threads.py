"""Threads of a CTA by number: thread, warp and warpgroup; where all of them meet."""

from __future__ import annotations

from typing import Any

from ptxlab.isa.limits import WARP_SIZE
from ptxlab.isa.types import TYPES
from ptxlab.lang.flow.control import ALL_LANES, Control
from ptxlab.lang.trace.types import u32
from ptxlab.lang.trace.values import Register, pred


class Threads(Control):
    """Numbers of threads, warps and warpgroups; barriers of the CTA and the cluster."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._memo: dict[str, Register] = {}

    def _once(self, name: str, make: Any) -> Any:
        if name not in self._memo:
            with self.at_entry(self.here()):
                self._memo[name] = make()
        return self._memo[name]

    @property
    def thread(self) -> u32:
        """Number of the thread in its CTA, x fastest: computed at the kernel's entry.

        Example:
            k.st.global_.u32(out[k.thread], k.thread)
            # out[:4]: [0 1 2 3]
        """
        x, y, z = self.options.block
        if y == z == 1:
            return self.special("%tid.x")

        def number() -> Any:
            row = self.special("%tid.y")
            if z > 1:
                row = self.emit("mad.lo.u32", (self.special("%tid.z"), y, row))
            return self.emit("mad.lo.u32", (row, x, self.special("%tid.x")))

        return self._once("thread", number)

    @property
    def warp(self) -> u32:
        """Number of the warp in its CTA, in a register that ptxas knows to be uniform: thread / 32, read from lane 0.

        PTX: shr, shfl.sync

        Example:
            k.st.global_.u32(out[k.thread], k.warp)
            # out[30:34]: [0 0 1 1]
        """
        thread = self.thread

        def number() -> Any:
            own = self.emit("shr.u32", (thread, 5))
            fixed = self.named_register("warp", TYPES["u32"], fixed=True)
            self.set_fixed(fixed, "shfl.sync.idx.b32", own, 0, WARP_SIZE - 1, ALL_LANES)
            return fixed

        return self._once("warp", number)

    @property
    def warpgroup(self) -> u32:
        """Number of the warpgroup (four warps) in its CTA; uniform.

        Example:
            k.st.global_.u32(out[k.thread], k.warpgroup + 1)
            # out[126:130]: [1 1 0 0]
        """
        warp = self.warp

        def number() -> Any:
            fixed = self.named_register("warpgroup", TYPES["u32"], fixed=True)
            self.set_fixed(fixed, "shr.u32", warp, 2)
            return fixed

        return self._once("warpgroup", number)

    def first_thread(self) -> pred:
        """Whether this is thread 0 of the CTA (one setp).

        PTX: setp

        Example:
            with k.if_(k.first_thread()):
                k.st.global_.u32(out[0], 5)
            # out[:2]: [5 0]
        """
        return self.emit("setp.eq.u32", (self.thread, 0))

    def cluster_sync(self, *, publish: bool = True, aligned: bool = True) -> None:
        """Synchronize all threads of all CTAs of the cluster: barrier.cluster.arrive and .wait.

        `publish`: earlier writes of a thread are visible to all behind it (.release; False: .relaxed, which will not do at the end,
        where a CTA that exits takes its shared memory along). `aligned`: all threads of a warp get here together.

        PTX: barrier.cluster.arrive, barrier.cluster.wait

        Example:
            seen = k.smem(px.u32, 1)
            with k.if_(k.thread == 0):
                k.st.shared.u32(seen.at(0), k.cluster_ctarank + 40)
            k.cluster_sync()
            other = k.ld.shared__cluster.u32(seen.remote(k.cluster_ctarank ^ 1))
            k.st.global_.u32(out[k.cluster_ctarank], other, pred=k.thread == 0)
            k.cluster_sync()  # nobody ends before its memory has been read
            # out[:2]: [41 40]
        """
        tail = ".aligned" * aligned
        self.emit("barrier.cluster.arrive" + (".release" if publish else ".relaxed") + tail)
        self.emit("barrier.cluster.wait.acquire" + tail)

    def sync_all(self, *, publish: bool = True) -> None:
        """Synchronize the cluster where the kernel has one, else the CTA.

        Args:
            publish: for a cluster, as in `cluster_sync`.

        PTX: bar.sync

        Example:
            buf = k.smem(px.u32, 128)
            k.st.shared.u32(buf.at(k.thread * 4), k.thread)
            k.sync_all()
            k.st.global_.u32(out[k.thread], k.ld.shared.u32(buf.at((127 - k.thread) * 4)))
            # out[:3]: [127 126 125]
        """
        if self.options.cluster is not None:
            self.cluster_sync(publish=publish)
        else:
            self.emit("bar.sync", (0,))
