"""`ptxlab bench collectives`: an all-reduce and products over the GPUs of this host, one process for each.

An all-reduce is timed beside NCCL and what torch does in symmetric memory, all in place; products that communicate are timed
beside their parts. All are replayed from CUDA graphs.
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
from functools import partial
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
PRODUCT: Final = (4096, 4096, 8192)
"""M, N, K of products that the GPUs share; each has its part of K, or of A's rows and all of N."""
BESIDE_PARTS: Final = 1.08
"""How long they may take beside the longer of their parts alone."""
OURS: Final = "ptxlab"
WAIT: Final = 300.0
"""Seconds that a line may take."""

PARTS: Final = {
    "gemm_reduce_scatter": ("gemm", "reduce_scatter"),
    "all_gather_gemm": ("gemm", "all_gather"),
}
"""Products that communicate, and what they are put together from."""

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
    console.print(_table([line for line in found if "bytes" in line]))
    for line in found:
        if "shape" in line:
            took = ", ".join(f"{name} {us:.1f}" for name, us in line["microseconds"].items())
            beside = f"{line['beside_parts']:.3f} of the longer part (reach {line['reach']})"
            console.print(f"{'×'.join(map(str, line['shape']))}, µs: {took}: {beside}", highlight=False)
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
        for _ in range(len(task.sizes) + len(PARTS)):
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
        for line in bench.products():
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
        times = self.rounds(graphs, {name: partial(self.fill, x) for name, (_, x) in calls.items()}, repeats)
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

    def products(self) -> Iterator[dict[str, Any]]:
        """Microseconds of products that communicate, beside their parts alone."""
        calls, repeats = self.product_calls(), 8
        for call in calls.values():
            with self.torch.cuda.stream(self.stream):
                call()
            self.together()
        graphs = {name: self.graph(call, repeats) for name, call in calls.items()}
        times = self.rounds(graphs, dict.fromkeys(graphs, self.together), repeats)
        for name, parts in PARTS.items():
            micro = {one: round(times[one] * 1e6, 2) for one in (name, *parts)}
            beside = times[name] / max(times[one] for one in parts)
            facts = {"operation": name, "shape": PRODUCT, "microseconds": micro, "rounds": self.task.rounds}
            yield {**facts, "beside_parts": round(beside, 3), "reach": BESIDE_PARTS}

    def product_calls(self) -> dict[str, Call]:
        """Both products, and their parts, by name."""
        from ptxlab.kernels.gemm import prepare

        (m, n, k), count = PRODUCT, self.task.count

        def drawn(rows: int, columns: int) -> Any:
            return self.torch.randn(rows, columns, device="cuda").bfloat16()

        a, b, c, rows = drawn(m, k // count), drawn(k // count, n), drawn(m, n), drawn(m // count, n)
        shard = drawn(m // count, k // count)
        group = self.group
        return {
            "gemm": prepare(a, b, c),
            "reduce_scatter": group.prepare_reduce_scatter(c, rows),
            "all_gather": group.prepare_all_gather(shard, a),
            "gemm_reduce_scatter": group.prepare_gemm_reduce_scatter(a, b, rows),
            "all_gather_gemm": group.prepare_all_gather_gemm(shard, b, c),
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

    def rounds(self, graphs: Mapping[str, Any], ready: Mapping[str, Call], repeats: int) -> dict[str, float]:
        """Seconds of a call: the median over the rounds, on the slowest GPU.

        ready: what is done before each.
        """
        torch, found = self.torch, {name: list[float]() for name in graphs}
        for _ in range(self.task.rounds):
            for name in self.order.sample(list(graphs), len(graphs)):
                ready[name]()
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
