"""mbarriers: declared, initialised, waited for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.operands import Addr, Operand
from ptxlab.isa.types import TYPES
from ptxlab.lang.flow.threads import Threads
from ptxlab.lang.smem.memory import SharedMemory
from ptxlab.lang.smem.variable import Variable
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.values import Address, Index, Register, whole
from ptxlab.layout.mbarrier_state import LIMIT
from ptxlab.layout.shared_tile import SharedMbarriers
from ptxlab.ptx import tree

MAX_COUNT = LIMIT - 1
BARRIER_BYTES = 8


class Mbarrier:
    """One mbarrier, or `n` of them side by side; `[i]` is one of these.

    Attributes:
        count: arrivals that complete a phase. n: how many barriers. place: where it was declared, and declared: by which name.
        name: in messages, "`full[1]`"; "`full`" where a register says which.

    Example:
        bar = k.mbarrier(128, 2)  # two of them, 128 arrivals each
        k.init_barriers()
        first = bar[0]
        with k.if_(k.thread == 0):
            first.expect_tx(0)
        first.arrive()
        first.wait(0)
        k.st.global_.u32(out[k.thread], bar[1].addr - bar.address().register())
        # out[:2]: [8 8]
    """

    __slots__ = ("_address", "_k", "count", "declared", "n", "name", "place")

    def __init__(
        self, k: Core, address: Address, count: int, n: int, place: Span, declared: str, name: str | None = None
    ) -> None:
        self._k, self._address, self.count, self.n, self.place = k, address, count, n, place
        self.declared, self.name = declared, f"`{declared}`" if name is None else name

    def __repr__(self) -> str:
        return f"<mbarrier {self._address.operand}>"

    def address(self) -> Address:
        """Where it lies."""
        return self._address

    @property
    def addr(self) -> Any:
        """Its address as a register."""
        return self._address.register()

    def __getitem__(self, index: Index) -> Mbarrier:
        """Barrier `index`. An int costs no instruction; a register costs one."""
        if not isinstance(index, Register) and not 0 <= whole(index) < self.n:
            raise Diagnostic(
                "PTX2210",
                f"there is no barrier {index} among {self.n}",
                help=f"use 0 to {self.n - 1}",
                origin=self._k.here(),
            )
        known = not isinstance(index, Register) and self.n > 1
        name = f"`{self.declared}[{whole(index)}]`" if known else self.name
        return Mbarrier(
            self._k, self._address.at(index, BARRIER_BYTES), self.count, 1, self.place, self.declared, name=name
        )

    def __len__(self) -> int:
        """How many barriers there are."""
        return self.n

    def __bool__(self) -> bool:
        raise Diagnostic(
            "PTX2201",
            f"{self!r} has no state while the kernel is traced, so Python cannot branch on it",
            help="wait for a phase: bar.wait(parity)",
            origin=self._k.here(),
        )

    def __iter__(self) -> Iterator[Mbarrier]:
        """The barriers, one after the other."""
        return (self[i] for i in range(self.n))

    def arrive(self, *, pred: Any = None) -> None:
        """Arrive once (one instruction).

        Args:
            pred: only threads for which it holds.

        PTX: mbarrier.arrive
        """
        self._k.emit("mbarrier.arrive.shared::cta.b64", (self,), {"state": "_"}, pred)

    def expect_tx(self, nbytes: Any, *, pred: Any = None) -> None:
        """Expect bytes in the current phase (one instruction).

        Args:
            nbytes: an int or a register. pred: only threads for which it holds.

        PTX: mbarrier.expect_tx
        """
        self._k.emit("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", (self, nbytes), {}, pred)

    def arrive_expect_tx(self, nbytes: Any, *, pred: Any = None) -> None:
        """Expect bytes, then arrive once (one instruction).

        Args:
            nbytes: an int or a register. pred: only threads for which it holds.

        PTX: mbarrier.arrive.expect_tx

        Example:
            tile = k.smem(px.f16, (64, 64), swizzle="128B")
            bar = k.mbarrier(1)
            k.init_barriers()
            with k.if_(k.thread == 0):
                bar.arrive_expect_tx(tile.nbytes)
                k.tma_load(tile, tm, (0, 0), bar)
            bar.wait(0)
            k.st.global_.f32(y[k.thread], k.cvt.f32.f16(k.ld.shared.b16(tile.at(0))))
            # y[:2]: [1. 1.]
        """
        self._k.emit("mbarrier.arrive.expect_tx.shared::cta.b64", (self, nbytes), {"state": "_"}, pred)

    def wait(self, parity: Any) -> None:
        """Wait until the phase of this parity (0 for the first) is complete: try_wait in a loop.

        Args:
            parity: 0 for the first phase, 1 for the second, then 0 again: an int or a register.

        PTX: mbarrier.try_wait, bra
        """
        k = self._k
        again = k.label("wait")
        k.place(again)
        done = k.emit("mbarrier.try_wait.parity.shared::cta.b64", (self, parity))
        k.emit("bra", (again,), pred=~done)

    def wait_cluster(self, parity: Any, *, only_shared: bool = False) -> None:
        """As `wait`, for phases that other CTAs of the cluster complete, by arriving or by their copies: acquires at cluster scope.

        Args:
            parity: as in `wait`. only_shared: order accesses to shared memory of the cluster alone, which costs nothing; other
                memory takes an invalidation of the L1 cache.

        PTX: mbarrier.try_wait, fence.sync_restrict, bra

        Example:
            bar = k.mbarrier(2, 2)
            k.init_barriers()
            with k.if_(k.thread == 0):
                for rank in range(2):
                    there = bar.remote(rank)
                    there[0].arrive()
                    there[1].arrive(publish="shared")
            bar[0].wait_cluster(0)  # both CTAs are here
            bar[1].wait_cluster(0, only_shared=True)
            k.st.global_.u32(out[k.cluster_ctarank], 1, pred=k.thread == 0)
            k.cluster_sync()
            # out[:2]: [1 1]
        """
        k = self._k
        again = k.label("wait")
        k.place(again)
        sem = "relaxed" if only_shared else "acquire"
        done = k.emit(f"mbarrier.try_wait.parity.{sem}.cluster.shared::cta.b64", (self, parity))
        k.emit("bra", (again,), pred=~done)
        if only_shared:
            k.emit("fence.acquire.sync_restrict::shared::cluster.cluster")

    def remote(self, rank: Any) -> RemoteMbarrier:
        """The same barrier of another CTA of the cluster (one instruction, mapa).

        Args:
            rank: of the CTA in its cluster, an int or a register.

        PTX: mapa

        Example: see Mbarrier.wait_cluster
        """
        mapped = self._k.emit("mapa.shared::cluster.u32", (self._address.register(), rank))
        return RemoteMbarrier(self._k, Address(self._k, mapped.reg, 0, "shared::cluster"))


class RemoteMbarrier:
    """An mbarrier, or several side by side, in the shared memory of any CTA of the cluster.

    Example:
        bar = k.mbarrier(2, 2)
        k.init_barriers()
        with k.if_(k.thread == 0):
            for rank in range(2):
                there = bar.remote(rank)
                k.mbarrier.arrive.release.cluster.shared__cluster.b64(there[0].address(), state="_")
                there[1].arrive()
        bar[0].wait_cluster(0)
        bar[1].wait_cluster(0)
        k.cluster_sync()
    """

    __slots__ = ("_address", "_k")

    def __init__(self, k: Core, address: Address) -> None:
        self._k, self._address = k, address

    def __repr__(self) -> str:
        return f"<remote mbarrier {self._address.operand}>"

    def address(self) -> Address:
        """Where it lies in the cluster's shared memory."""
        return self._address

    def __getitem__(self, index: Index) -> RemoteMbarrier:
        """Barrier `index`. An int costs no instruction; a register costs one."""
        return RemoteMbarrier(self._k, self._address.at(index, BARRIER_BYTES))

    def arrive(self, *, publish: bool | Literal["shared"] = True, pred: Any = None) -> None:
        """Arrive once.

        Args:
            publish: what this thread wrote before becomes visible to the CTA that waits (.release.cluster), which costs a fence of
                the entire GPU. "shared": no more than what it has read and written in the shared memory of its own CTA, which costs
                a fence of the CTA. False: it counts, and orders nothing for that CTA (.release.cta), not even reads of this thread.
            pred: only threads for which it holds.

        PTX: mbarrier.arrive, fence.sync_restrict
        """
        if publish == "shared":
            self._k.emit("fence.release.sync_restrict::shared::cta.cluster", pred=pred)
        scope = ".relaxed.cluster" if publish == "shared" else ".release.cluster" if publish else ""
        self._k.emit(f"mbarrier.arrive{scope}.shared::cluster.b64", (self,), {"state": "_"}, pred)


class Barriers(Threads, SharedMemory):
    """Declarations of mbarriers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._barriers: list[Mbarrier] = []
        self._mbarriers: list[tuple[Variable, SharedMbarriers]] = []

    def declare_mbarrier(self, count: int, n: int = 1, *, name: str = "mbar") -> Mbarrier:
        """Declare `n` mbarriers, each completed by `count` arrivals a phase.

        `k.init_barriers()` initialises all that are declared.

        Raises: Diagnostic PTX2210 for a count outside 1 to 2^20 - 1.

        Args:
            count: arrivals that complete a phase. n: how many barriers, 8 bytes each. name: in the PTX.

        Example:
            bar = k.mbarrier(128)
            k.init_barriers()
            bar.arrive()
            bar.wait(0)
            k.st.global_.u32(out[k.thread], 1)
            # out[:2]: [1 1]
        """
        return self.declare_counting(
            count, n, name=name, call="k.mbarrier({})" if (n, name) == (1, "mbar") else "k.mbarrier({}, …)"
        )

    def declare_counting(self, count: int, n: int, *, name: str, call: str) -> Mbarrier:
        """As `declare_mbarrier`, for declarations that hold mbarriers. call: see `SharedMbarriers`."""
        place = self.here()
        if not 1 <= whole(count) <= MAX_COUNT or whole(n) < 1:
            raise Diagnostic(
                "PTX2210",
                f"an mbarrier cannot expect {count} arrivals" if n > 0 else f"{n} barriers cannot be declared",
                help=f"the count is 1 to {MAX_COUNT}",
                origin=place,
            )
        variable = self._declare(name, BARRIER_BYTES * n, BARRIER_BYTES, place)
        where = Address(self, variable.base.reg, 0, "shared", TYPES["b64"])
        barrier = Mbarrier(self, where, count, n, place, variable.name)
        self._barriers.append(barrier)
        self._mbarriers.append((variable, SharedMbarriers(variable.name, count, n, call, place)))
        return barrier

    def shared_mbarriers(self) -> tuple[SharedMbarriers, ...]:
        """The declared mbarriers, for tools that show shared memory."""
        dynamic = bool(self.shared_dynamic)
        return tuple(replace(found, offset=v.offset if dynamic else None) for v, found in self._mbarriers)

    def init_barriers(self) -> None:
        """Thread 0 initialises every barrier declared and not yet initialised, makes them visible to the copy engine and
        the cluster, and the CTA (with a cluster: all its CTAs) waits for that. All threads must get here.

        Barriers for which the kernel has an mbarrier.init of its own in front of this are left out.

        PTX: mbarrier.init, fence.mbarrier_init, fence.proxy.async, bar.sync

        Example: see k.mbarrier
        """
        with self.if_(self.first_thread()):
            for barrier in self._missing():
                self.emit("mbarrier.init.shared::cta.b64", (barrier, barrier.count))
            self.emit("fence.mbarrier_init.release.cluster")
            self.emit("fence.proxy.async.shared::cta")
        self._barriers = []
        self.sync_all(publish=False)  # the fence has published the barriers

    def _missing(self) -> list[Mbarrier]:
        """One by one the declared barriers that no mbarrier.init names so far."""
        made = {str(place) for place in self._initialised()}
        single = [b[i] if b.n > 1 else b for b in self._barriers for i in range(b.n)]
        return [b for b in single if str(b.address().operand) not in made]

    def _initialised(self) -> Iterator[Operand]:
        """The addresses of all mbarrier.init so far."""
        for item in self.items:
            if isinstance(item, tree.Instruction) and item.opcode.startswith("mbarrier.init."):
                yield item.operands[0]

    def check_barriers(self) -> None:
        """Every barrier declared has been initialised: by `init_barriers`, or by instructions of the kernel's own.

        An mbarrier.init by an address that was computed may be of any of them.
        """
        known = {str(v.base.reg) for v in self.variables}
        if any(not isinstance(place, Addr) or str(place.base) not in known for place in self._initialised()):
            return
        for barrier in self._missing():
            raise Diagnostic(
                "PTX2212",
                f"{barrier.name} is declared but never initialised",
                origin=barrier.place,
            )
