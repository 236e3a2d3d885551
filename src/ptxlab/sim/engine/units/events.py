"""Asynchronous operations and the policy that places their events.

An operation is issue → read of its source → write of its destination → completion. The policy decides when each happens:

| policy | reads, writes and completes |
|---|---|
| eager | all at issue |
| late | when the program waits for it, or nothing else can run |
| random | at times drawn from the seed; a wait or idleness forces it, and so does polling for long |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.draws import draw
from ptxlab.sim.engine.machine.operation import NEVER, Operation, Stage
from ptxlab.sim.engine.machine.trap import Unit, unit

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster

_LONGEST_DELAY = 24
"""Longest delay that `random` draws, in ticks: instructions of asynchronous units and ends of slices."""


_PATIENCE = 4096
"""Ticks under `random` in which nothing happens before an operation is forced: somebody polls memory for what follows from it."""


class _Queue:
    """The operations of a cluster that are not complete, in the order of their issue.

    Attributes:
        soonest: no event of theirs is due before that tick. moved: when one of them last was issued, or got on.
    """

    def __init__(self) -> None:
        self.pending: dict[Operation, None] = {}
        self.ticks = 0
        self.issued = 0
        self.polls = 0
        self.soonest = NEVER
        self.moved = 0


@unit
class Engine(Unit):
    """Places the events of all operations of a launch."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.policy = machine.options.schedule
        self.queues: dict[Cluster, _Queue] = {}
        self._count = 0
        self._issued = machine.hooks.issued

    def issue(self, operation: Operation, agent: int = 0) -> Operation:
        """Start an operation. `agent` tells the issuers of a cluster apart for the draws of `random`."""
        self._count += 1
        operation.number = self._count
        if self._issued:
            for hook in self._issued:
                hook(operation)
        if self.policy == "eager":
            self._advance(operation, Stage.COMPLETE)
            return operation
        queue = self.queues.setdefault(operation.cluster, _Queue())
        if self.policy == "random":
            operation.due = self._draw(operation.cluster, agent, queue)
            queue.soonest = min(queue.soonest, operation.due[0])
        queue.issued += 1
        queue.moved = queue.ticks
        queue.pending[operation] = None
        self._tick(queue)
        return operation

    def advance(self, operation: Operation, stage: Stage = Stage.COMPLETE) -> None:
        """Carry an operation out up to a stage: the program waits for it."""
        if operation.stage < stage:
            self._advance(operation, stage)

    def polled(self, cluster: Cluster) -> None:
        """The program asked in vain whether something is done. Who asks often enough gets an event, as at the end of a slice."""
        queue = self.queues.get(cluster)
        if queue is not None:
            queue.polls += 1
            if queue.polls % F.PATIENCE == 0:
                self.slice_end(cluster)

    def polled_before(self, cluster: Cluster, polls: int | None) -> None:
        """So often the program asked in vain while native code saw to its operations; None: there were none to ask for."""
        if polls is not None:
            self.queues.setdefault(cluster, _Queue()).polls = polls

    def slice_end(self, cluster: Cluster) -> None:
        queue = self.queues.get(cluster)
        if queue is None or not queue.pending:
            return
        if self.policy == "random":
            self._tick(queue)
            if queue.pending and queue.ticks - queue.moved > _PATIENCE:
                self._advance(next(iter(queue.pending)), Stage.COMPLETE, queue)
                queue.moved = queue.ticks
        else:  # late: whoever polls without waiting must see progress at last
            self._advance(next(iter(queue.pending)), Stage.COMPLETE)

    def idle(self) -> bool:
        """An operation is forced. Where nobody can run, others follow until somebody can, as they would round by round."""
        queues: list[_Queue] = [queue for queue in self.queues.values() if queue.pending]
        if not queues:
            return False
        # under `late` clusters have their operations in turn, which the scheduler sees to
        alone = (self.policy == "random" or len(queues) == 1) and not self._anybody_runs()
        while queues:
            self._advance(min(queues[0].pending, key=lambda o: o.due[2]), Stage.COMPLETE)
            if not alone or self.machine.woken:
                break
            for one in queues:
                self._tick(one)
            queues = [one for one in queues if one.pending]
        return True

    def _anybody_runs(self) -> bool:
        return any(cta.block.get(F.C_RUNNABLE) for cluster in self.machine.resident for cta in cluster.ctas)

    def pending(self) -> bool:
        return any(queue.pending for queue in self.queues.values())

    def cluster_finished(self, cluster: Cluster) -> None:
        queue = self.queues.pop(cluster, None)
        if queue is not None:
            for operation in list(queue.pending):
                self._advance(operation, Stage.COMPLETE, queue)

    def _draw(self, cluster: Cluster, agent: int, queue: _Queue) -> tuple[int, int, int]:
        bits = draw(self.machine.options.seed, cluster.index, agent, queue.issued)
        due = queue.ticks
        out: list[int] = []
        for _ in range(3):
            style, bits = bits & 3, bits >> 2
            # at once, soon, some time later, or not before it is forced
            due += (0, bits & 3, bits % _LONGEST_DELAY, NEVER)[style]
            bits >>= 8
            out.append(min(due, NEVER))
        return out[0], out[1], out[2]

    def _tick(self, queue: _Queue) -> None:
        """Time passes for a cluster: carry out what is due under `random`."""
        if self.policy != "random":
            return
        queue.ticks += 1
        if queue.ticks < queue.soonest:
            return
        queue.moved = queue.ticks
        for operation in list(queue.pending):
            while operation.stage < Stage.COMPLETE and operation.due[operation.stage] <= queue.ticks:
                self._advance(operation, Stage(operation.stage + 1), queue)
        queue.soonest = min((o.due[o.stage] for o in queue.pending), default=NEVER)

    def _advance(self, operation: Operation, stage: Stage, queue: _Queue | None = None) -> None:
        if operation.after is not None:
            if operation.after.stage < Stage.COMPLETE:
                self._advance(operation.after, Stage.COMPLETE, queue)
            operation.after = None
        try:
            while operation.stage < stage:
                operation.step()
        except Diagnostic as found:
            raise located(found, operation.op) from None
        if operation.stage is Stage.COMPLETE:
            queue = queue or self.queues.get(operation.cluster)
            if queue is not None:
                queue.pending.pop(operation, None)


def located(found: Diagnostic, op: Op) -> Diagnostic:
    """A diagnostic about what an instruction started, with that instruction's place instead of the caller's."""
    found.span, found.origin = op.span, op.origin
    return found
