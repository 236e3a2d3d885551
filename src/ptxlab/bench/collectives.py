"""`ptxlab bench collectives`: an all-reduce over the GPUs of this host, one process for each.

It is timed beside NCCL and what torch does in symmetric memory. Every contender works in place, and is replayed from a CUDA graph.
Rounds are interleaved; the time is that of the slowest GPU.
"""

from __future__ import annotations

import importlib
import multiprocessing
import queue
import random
import socket
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from ptxlab.bench import contest, machine, records
from ptxlab.diag import Diagnostic, terminal

SIZES: Final = tuple(1 << n for n in (13, 16, 18, 20, 22, 24, 26, 28))
"""Bytes of each GPU's array of bfloat16."""
SPAN: Final = 1.5e-3
"""Seconds of work in a graph, about."""
MOST_CALLS: Final = 30
"""Of a graph: sums in place double at each, and must not overflow."""
SMALL: Final = 1 << 18
REACH: Final = {True: 1.2, False: 1.0}
"""How much faster than the best peer an all-reduce has to be, where it is small and where not."""
OURS: Final = "ptxlab"
WAIT: Final = 300.0
"""Seconds that a line may take."""

Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Task:
    """What each process measures."""

    count: int
    port: int
    sizes: Sequence[int]
    rounds: int


def main(count: int, rounds: int, record: Path | None, console: Console | None = None) -> int:
    """Measure, print a table, and append a JSON line for each size.

    Args:
        count: GPUs, 2 to 8. rounds: how often each contender is timed.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2304 and PTX2422 without so many GPUs, PTX2510 without torch, PTX2420 where a sum is wrong or a process
        dies.
    """
    console = console or terminal.console()
    contest.torch_with_gpu()
    from ptxlab.launch.devices import devices

    devices(count, "gpu")
    found: list[dict[str, Any]] = []
    for line in _measured(Task(count, _free_port(), SIZES, rounds)):
        facts = {"bench": "collectives", "date": machine.today(), "gpus": count, "gpu": machine.gpu(), **line}
        found.append(facts)
        if record is not None:
            records.append(record, facts)
    console.print(_table(found))
    return 0


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _measured(task: Task) -> Iterator[dict[str, Any]]:
    """The lines that process 0 sends, until all processes have ended."""
    start = multiprocessing.get_context("spawn")
    lines: Any = start.Queue()
    processes = [start.Process(target=work, args=(rank, task, lines), daemon=True) for rank in range(task.count)]
    for one in processes:
        one.start()
    try:
        for _ in task.sizes:
            yield _next(lines, processes)
    finally:
        for one in processes:
            one.join(10)
            one.kill()


def _next(lines: Any, processes: Sequence[Any]) -> dict[str, Any]:
    for _ in range(int(WAIT)):
        with suppress(queue.Empty):
            line = lines.get(timeout=1)
            if "wrong" in line:
                raise Diagnostic("PTX2420", f"A process of the benchmark failed: {line['wrong']}")
            return line
        if any(one.exitcode for one in processes):
            break
    raise Diagnostic("PTX2420", "A process of the benchmark has ended or hangs.")


def work(rank: int, task: Task, lines: Any) -> None:
    """One process: all lines, one after the other."""
    try:
        torch, dist = (importlib.import_module(name) for name in ("torch", "torch.distributed"))
        torch.cuda.set_device(rank)
        place = f"tcp://127.0.0.1:{task.port}"
        device = torch.device("cuda", rank)
        dist.init_process_group("nccl", init_method=place, rank=rank, world_size=task.count, device_id=device)
        bench = Bench(torch, dist, rank, task)
        for nbytes in task.sizes:
            line = bench.line(nbytes)
            if rank == 0:
                lines.put(line)
        dist.barrier()
        dist.destroy_process_group()
    except BaseException as wrong:
        lines.put({"wrong": f"{type(wrong).__name__}: {wrong}"})
        raise


class Bench:
    """The contenders of one process."""

    def __init__(self, torch: Any, dist: Any, rank: int, task: Task) -> None:
        from ptxlab.kernels.collectives import Group
        from ptxlab.launch.processes import Process

        self.torch, self.dist, self.rank, self.task = torch, dist, rank, task
        self.group = Group(Process(rank, task.count, rank, name=f"bench {task.port}"))
        self.stream = torch.cuda.Stream()
        self.order = random.Random(task.port)
        most = max(task.sizes) // 2
        torch.manual_seed(rank)
        self.given = torch.randn(most, device="cuda").bfloat16()
        self.x = torch.empty_like(self.given)
        self.symmetric = self._symmetric(most)

    def _symmetric(self, elements: int) -> Any:
        memory = importlib.import_module("torch.distributed._symmetric_memory")
        made = memory.empty(elements, dtype=self.torch.bfloat16, device=self.given.device)
        memory.rendezvous(made, group=self.dist.group.WORLD.group_name)
        return made

    def calls(self, nbytes: int) -> dict[str, tuple[Call, Any]]:
        """Each contender's call, and the array that it works on."""
        n, ops, name = nbytes // 2, self.torch.ops.symm_mem, self.dist.group.WORLD.group_name
        x, shared = self.x[:n], self.symmetric[:n]
        return {
            OURS: (self.group.prepare_all_reduce(x, x), x),
            "nccl": (lambda: self.dist.all_reduce(x), x),
            "one-shot": (lambda: ops.one_shot_all_reduce_out(shared, "sum", name, x), shared),
            "two-shot": (lambda: ops.two_shot_all_reduce_(shared, "sum", name), shared),
        }

    def line(self, nbytes: int) -> dict[str, Any]:
        """Microseconds of each contender for arrays of so many bytes."""
        torch, n = self.torch, nbytes // 2
        calls, wanted = self.calls(nbytes), self.given[:n].clone()
        self.dist.all_reduce(wanted)
        repeats = max(1, min(MOST_CALLS, round(SPAN / (1e-5 + nbytes / 3e11))))
        graphs: dict[str, Any] = {}
        for name, (call, x) in calls.items():
            self.fill(x)
            with torch.cuda.stream(self.stream):
                call()
            self.together()
            got = self.x[:n] if name == "one-shot" else x
            # the order of a sum is each contender's own
            if not torch.allclose(got.float(), wanted.float(), rtol=2**-7, atol=2**-7):
                raise Diagnostic("PTX2420", f"The sum of {name} over {nbytes} bytes is wrong.")
            graphs[name] = self.graph(call, repeats)
        times = self.rounds(graphs, {name: x for name, (_, x) in calls.items()}, repeats)
        best = min(seconds for name, seconds in times.items() if name != OURS)
        micro = {name: round(seconds * 1e6, 2) for name, seconds in times.items()}
        ratio, reach = best / times[OURS], REACH[nbytes <= SMALL]
        return {
            "bytes": nbytes,
            "microseconds": micro,
            "ratio": round(ratio, 3),
            "reach": reach,
            "rounds": self.task.rounds,
        }

    def fill(self, x: Any) -> None:
        """Give the array its numbers."""
        x.copy_(self.given[: x.numel()])
        self.together()

    def together(self) -> None:
        """Wait for this GPU, and for the other processes."""
        self.torch.cuda.synchronize()
        self.dist.barrier()
        self.torch.cuda.synchronize()

    def graph(self, call: Call, repeats: int) -> Any:
        """So many calls as a graph."""
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=self.stream):
            for _ in range(repeats):
                call()
        return graph

    def rounds(self, graphs: Mapping[str, Any], arrays: Mapping[str, Any], repeats: int) -> dict[str, float]:
        """Seconds of a call: the median over the rounds, on the slowest GPU."""
        torch, found = self.torch, {name: list[float]() for name in graphs}
        for _ in range(self.task.rounds):
            for name in self.order.sample(list(graphs), len(graphs)):
                self.fill(arrays[name])
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                with torch.cuda.stream(self.stream):
                    graphs[name].replay()  # from here on the GPUs go side by side
                    begin.record()
                    graphs[name].replay()
                    end.record()
                torch.cuda.synchronize()
                found[name].append(begin.elapsed_time(end) / 1e3 / repeats)
        own = {name: statistics.median(seconds) for name, seconds in found.items()}
        everyone: list[Any] = [None] * self.task.count
        self.dist.all_gather_object(everyone, own)
        return {name: max(one[name] for one in everyone) for name in own}


def _table(lines: Sequence[Mapping[str, Any]]) -> Table:
    out = Table(title="all-reduce of bfloat16, µs", title_justify="left")
    names = list(lines[0]["microseconds"])
    for name in ("bytes", *names, "ratio to the best peer", "reach"):
        out.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        times = [f"{line['microseconds'][name]:.1f}" for name in names]
        out.add_row(f"{line['bytes']:,}", *times, f"{line['ratio']:.2f}", f"{line['reach']:.1f}")
    return out
