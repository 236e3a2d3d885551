"""Collective operations of several devices: all-reduce, all-gather, reduce-scatter, an exchange of rows, and a barrier.

One kernel runs on each device, and all of them together. Each sends what the others need to memory of theirs that the group has
(`room`), piece by piece, and takes what they sent.

| operation | a device sends | and stores |
|---|---|---|
| all-reduce in one shot | its input, to all | the sum of what came |
| all-reduce in two shots | a part of its input to each; the sum of its own part to all | all parts |
| reduce-scatter | a part of its input to each | the sum of what came |
| all-gather | its input, to all | what came, one behind the other |
| dispatch | rows, as many as its counts say | rows of all |
| combine | the rows back that it got | its own rows |

Sums are in f32, from device 0 on, and rounded once: every device gets the same bits, and so do all ways of an all-reduce.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab import Device, Launch, Process
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.collectives import exchange, gather_gemm, gemm_scatter
from ptxlab.kernels.collectives.call import (
    Members,
    Rows,
    Work,
    checked_rows,
    gathered,
    members,
    reduced,
    scattered,
)
from ptxlab.kernels.collectives.product_call import Rooms, ShardedWork, Wanted, shared_work
from ptxlab.kernels.gemm_call import BLayout

PATIENCE = 60
"""Seconds that a kernel of one process waits for those of the others before it traps."""


class Collective:
    """A collective operation that is prepared: calling it launches its kernel on every device, behind what their streams hold.

    Example: see Group.prepare_all_reduce
    """

    def __init__(self, launches: Sequence[Launch]) -> None:
        self._launches = launches

    def __repr__(self) -> str:
        return f"<Collective of {len(self._launches)} devices>"

    def __call__(self) -> None:
        for launch in self._launches:
            launch()


class Group:
    """Devices that reach each other's memory, and do collective operations together.

    Operations are queued in a stream of each device, and come one after the other. In the simulator they run once somebody waits
    (`px.synchronize`). Arrays are contiguous, a multiple of 16 bytes, and listed by device.

    With one process for each GPU, each makes a group of its `px.Process` and gives its own arrays alone, without lists:
    `group.all_reduce(x, out)`. All processes do the same operations in the same order. The kernels wait a minute for those of the
    other processes, and then trap (PTX2421).

    Args:
        devices: 2 to 8 of `px.devices`; or this process, a `px.Process`.
        streams: one of each device, of px, or with processes also of torch, CuPy, or a handle; left out, the group makes them with
            `px.devices`, and launches where the arrays' library works with processes; `barrier` has no arrays, and then takes the
            default stream.

    Attributes:
        devices: those of this process. streams: of each of them.

    Raises: Diagnostic PTX2345 for other devices or streams; as `px.Process.symmetric` where processes do not come together.

    Example:
        from ptxlab.kernels.collectives import Group

        devices = px.devices(4)
        group = Group(devices)
        parts = [device.copy(np.full(64, 1 + device.number, np.float32)) for device in devices]
        sums = [device.zeros(64, np.float32) for device in devices]
        group.all_reduce(parts, sums)
        px.synchronize()
        print([float(x[0]) for x in sums])  # [10.0, 10.0, 10.0, 10.0]
    """

    def __init__(self, devices: Sequence[Device] | Process, streams: Sequence[Any] | None = None) -> None:
        self._members: Members = members(devices, streams)
        self.devices = self._members.devices
        if streams is None:
            streams = [None] if isinstance(devices, Process) else list(map(px.Stream, self.devices))
        self.streams = tuple(streams)
        self._rooms_of_products: dict[Wanted, Rooms] = {}
        self._process = devices if isinstance(devices, Process) else None
        if self._process is not None:
            _ = self._rooms  # all processes come together here

    def __repr__(self) -> str:
        return f"<Group of {self._members.count} devices>"

    @cached_property
    def _rooms(self) -> list[Any]:
        """Of all devices, by rank."""
        words = self._members.size.nbytes // 4
        if self._process is not None:
            return self._process.symmetric(words, np.uint32)
        return [device.zeros(words, np.uint32) for device in self.devices]

    def barrier(self) -> None:
        """What is queued behind it begins on no device before all of them have come to it.

        Example:
            from ptxlab.kernels.collectives import Group

            group = Group(px.devices(2))
            group.barrier()
            print(len(px.synchronize()))  # 2
        """
        own = [self._rooms[rank] for rank in self._members.ranks]
        self._prepared([Work.nothing(own)])()

    def all_reduce(self, inputs: Sequence[Any], outputs: Sequence[Any], *, way: str = "auto") -> None:
        """Every output becomes the sum of all inputs, the same bits on every device.

        Args:
            inputs, outputs: of float32, bfloat16 or float16, all of one shape and dtype. Outputs may be the inputs.
            way: "one-shot", which is faster for two devices and for small arrays, "two-shot", or "auto", which chooses.

        Raises: Diagnostic PTX2345 for arrays that do not fit together or lie elsewhere, PTX2307 for a dtype that is not summed.

        Example: see Group
        """
        self.prepare_all_reduce(inputs, outputs, way=way)()

    def prepare_all_reduce(self, inputs: Sequence[Any], outputs: Sequence[Any], *, way: str = "auto") -> Collective:
        """As `all_reduce`, but only prepared: what it returns does it, again and again. Raises: Diagnostic as that.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            group = Group(devices)
            x = [device.copy(np.ones(64, np.float32)) for device in devices]
            double = group.prepare_all_reduce(x, x, way="two-shot")
            for _ in range(3):
                double()
            px.synchronize()
            print(x[0][0], x[1][63])  # 8.0 8.0
        """
        return self._prepared(reduced(self._members, inputs, outputs, way))

    def reduce_scatter(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Of the sum of all inputs, each output gets its part: the first device the first one.

        Args:
            inputs: of float32, bfloat16 or float16. outputs: of the same dtype, each of 1/n of the elements; apart from the inputs.

        Raises: Diagnostic as `all_reduce`.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            x = [device.copy(np.arange(16, dtype=np.float32)) for device in devices]
            parts = [device.zeros(8, np.float32) for device in devices]
            Group(devices).reduce_scatter(x, parts)
            px.synchronize()
            print(parts[1][:3])  # [16. 18. 20.]
        """
        self.prepare_reduce_scatter(inputs, outputs)()

    def prepare_reduce_scatter(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Collective:
        """As `reduce_scatter`, but only prepared. Raises: Diagnostic as `all_reduce`.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            x = [device.copy(np.ones(16, np.float32)) for device in devices]
            parts = [device.zeros(8, np.float32) for device in devices]
            Group(devices).prepare_reduce_scatter(x, parts)()
            px.synchronize()
            print(parts[0][0])  # 2.0
        """
        return self._prepared([scattered(self._members, inputs, outputs)])

    def all_gather(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Every output becomes all inputs, one behind the other.

        Args:
            inputs: of any dtype. outputs: of the same dtype and n times as many elements; apart from the inputs.

        Raises: Diagnostic PTX2345 for arrays that do not fit together or lie elsewhere.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            x = [device.copy(np.full(4, device.number, np.int32)) for device in devices]
            all_of_them = [device.zeros(8, np.int32) for device in devices]
            Group(devices).all_gather(x, all_of_them)
            px.synchronize()
            print(all_of_them[1])  # [0 0 0 0 1 1 1 1]
        """
        self.prepare_all_gather(inputs, outputs)()

    def prepare_all_gather(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Collective:
        """As `all_gather`, but only prepared. Raises: Diagnostic as `all_gather`.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            x = [device.copy(np.full(4, 3, np.int32)) for device in devices]
            both = [device.zeros(8, np.int32) for device in devices]
            Group(devices).prepare_all_gather(x, both)()
            px.synchronize()
            print(both[0][7])  # 3
        """
        return self._prepared([gathered(self._members, inputs, outputs)])

    def dispatch(self, rows: Sequence[Any], counts: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Send rows to other devices, as many as each device's counts say when the kernel runs: tokens to experts.

        Args:
            rows: of each device a matrix of any dtype, rows of a multiple of 16 bytes, sorted by the device they go to.
            counts: of each device n int32: how many of its rows go to each device.
            outputs: of each device a matrix with such rows. It gets those of device 0 first, then those of device 1, and so on;
                what lies behind them stays as it is. Where counts pass the rows of an array, the kernel traps (PTX9010).

        Raises: Diagnostic PTX2345 for arrays that do not fit together or lie elsewhere.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            group = Group(devices)
            tokens = [device.copy(np.full((3, 4), 10 * device.number, np.float32)) for device in devices]
            tokens[1] += np.arange(3)[:, None]
            counts = [device.copy(np.array(n, np.int32)) for device, n in zip(devices, [[1, 2], [3, 0]])]
            at_experts = [device.zeros((6, 4), np.float32) for device in devices]
            group.dispatch(tokens, counts, at_experts)
            px.synchronize()
            print(at_experts[0][:, 0], at_experts[1][:, 0])  # [ 0. 10. 11. 12.  0.  0.] [0. 0. 0. 0. 0. 0.]
        """
        self._moves(checked_rows(self._members, rows, counts, outputs), back=False)()

    def combine(self, outputs: Sequence[Any], counts: Sequence[Any], rows: Sequence[Any]) -> None:
        """Get rows back that `dispatch` has sent, to where they were; `counts` as they were.

        Raises: Diagnostic as `dispatch`.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            group = Group(devices)
            tokens = [device.copy(np.full((2, 4), 1 + device.number, np.float32)) for device in devices]
            counts = [device.copy(np.array([1, 1], np.int32)) for device in devices]
            there = [device.zeros((4, 4), np.float32) for device in devices]
            group.dispatch(tokens, counts, there)
            px.synchronize()
            there[1] *= 10  # what an expert does
            group.combine(there, counts, tokens)
            px.synchronize()
            print(tokens[0][:, 0], tokens[1][:, 0])  # [ 1. 10.] [ 2. 20.]
        """
        self._moves(checked_rows(self._members, rows, counts, outputs), back=True)()

    def gemm_reduce_scatter(
        self,
        a: Sequence[Any],
        b: Sequence[Any],
        outputs: Sequence[Any],
        *,
        b_layout: BLayout = "kn",
        config: Tiling | str | None = None,
    ) -> None:
        """Multiply columns of A by rows of B on each device, and give each device its rows of the sum: tensor parallel products.

        What has been multiplied goes out while the rest is multiplied. The bits are those of `gemm`, with no split of K, to the
        outputs' dtype, and `reduce_scatter`: parts are rounded to that dtype, added in f32 from device 0 on, and rounded once more.

        Args:
            a: of each device M × K, of a type that `gemm` multiplies, but not of integers. b: K × N, with b_layout="nk" N × K.
            outputs: of each device M/n × N, of bfloat16, float16 or float32. config: as `gemm` takes it, without clusters.

        The group keeps a buffer of n - 1 times the output for each shape that it has multiplied. Elements along K or N are
        neighbours, and rows begin at multiples of 16 bytes.

        Raises: Diagnostic PTX2345 for arrays that do not fit together, lie elsewhere or cannot be read where they lie; and
            PTX2307, PTX2308, PTX2309, PTX2112 as `gemm`.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            a = [device.zeros((128, 64), "bf16") for device in devices]
            b = [device.zeros((64, 32), "bf16") for device in devices]
            rows = [device.zeros((64, 32), "bf16") for device in devices]
            for device in devices:
                a[device.number][...], b[device.number][...] = 1, 1 + device.number
            Group(devices).gemm_reduce_scatter(a, b, rows)
            px.synchronize()
            print(rows[1][0, 0])  # 192
        """
        self.prepare_gemm_reduce_scatter(a, b, outputs, b_layout=b_layout, config=config)()

    def prepare_gemm_reduce_scatter(
        self,
        a: Sequence[Any],
        b: Sequence[Any],
        outputs: Sequence[Any],
        *,
        b_layout: BLayout = "kn",
        config: Tiling | str | None = None,
    ) -> Collective:
        """As `gemm_reduce_scatter`, but only prepared. Raises: Diagnostic as that.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            a = [device.copy(np.full((128, 64), 0.5, np.float16)) for device in devices]
            b = [device.copy(np.ones((64, 32), np.float16)) for device in devices]
            rows = [device.zeros((64, 32), np.float32) for device in devices]
            product = Group(devices).prepare_gemm_reduce_scatter(a, b, rows)
            for _ in range(2):
                product()
            px.synchronize()
            print(rows[0][0, 0])  # 64.0
        """
        works = shared_work(self._members, a, b, outputs, b_layout=b_layout, config=config, gathers=False)
        return self._multiplied(works, gemm_scatter.launch)

    def all_gather_gemm(
        self,
        a: Sequence[Any],
        b: Sequence[Any],
        outputs: Sequence[Any],
        *,
        b_layout: BLayout = "kn",
        config: Tiling | str | None = None,
    ) -> None:
        """Multiply the rows of A of all devices by each device's B: tensor parallel products whose inputs are shared by rows.

        A device begins with its own rows, while those of the others come. The bits are those of `all_gather` and `gemm`, with no
        split of K.

        Args:
            a: of each device M/n × K, contiguous, of a type that `gemm` multiplies. b: K × N, with b_layout="nk" N × K.
            outputs: of each device M × N, of a type that `gemm` stores. config: as `gemm` takes it, without clusters.

        The group keeps a buffer of n - 1 times A for each shape that it has multiplied. Rows of all matrices begin at multiples
        of 16 bytes.

        Raises: Diagnostic as `gemm_reduce_scatter`.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            a = [device.zeros((64, 64), "bf16") for device in devices]
            b = [device.zeros((64, 32), "bf16") for device in devices]
            c = [device.zeros((128, 32), "f32") for device in devices]
            for device in devices:
                a[device.number][...], b[device.number][...] = 1 + device.number, 1
            Group(devices).all_gather_gemm(a, b, c)
            px.synchronize()
            print(c[0][0, 0], c[0][64, 0])  # 64.0 128.0
        """
        self.prepare_all_gather_gemm(a, b, outputs, b_layout=b_layout, config=config)()

    def prepare_all_gather_gemm(
        self,
        a: Sequence[Any],
        b: Sequence[Any],
        outputs: Sequence[Any],
        *,
        b_layout: BLayout = "kn",
        config: Tiling | str | None = None,
    ) -> Collective:
        """As `all_gather_gemm`, but only prepared. Raises: Diagnostic as `gemm_reduce_scatter`.

        Example:
            from ptxlab.kernels.collectives import Group

            devices = px.devices(2)
            a = [device.copy(np.full((64, 64), 0.5, np.float16)) for device in devices]
            b = [device.copy(np.ones((64, 32), np.float16)) for device in devices]
            c = [device.zeros((128, 32), np.float32) for device in devices]
            product = Group(devices).prepare_all_gather_gemm(a, b, c)
            for _ in range(2):
                product()
            px.synchronize()
            print(c[1][127, 31])  # 32.0
        """
        works = shared_work(self._members, a, b, outputs, b_layout=b_layout, config=config, gathers=True)
        return self._multiplied(works, gather_gemm.launch)

    def _multiplied(
        self, works: Sequence[ShardedWork], launch: Callable[[ShardedWork, Rooms, Any, int], Launch]
    ) -> Collective:
        wanted = works[0].wanted
        rooms = self._rooms_of_products.get(wanted)
        if rooms is None:
            rooms = self._rooms_of_products[wanted] = wanted.on(self._process or self.devices)
        zipped = zip(works, self.streams, strict=True)
        return Collective([launch(work, rooms, stream, self._patience) for work, stream in zipped])

    def _moves(self, work: Rows, *, back: bool) -> Collective:
        size = self._members.size
        kernel = exchange.move_rows(size.ranks).specialize(size=size, back=back, patience=self._patience)

        def arguments(here: int, rank: int) -> list[Any]:
            own = [work.rows[here], work.outputs[here], work.counts[here], self._rooms[rank]]
            return [*own, *map(np.uint32, (rank, work.vectors, work.most_rows, work.most_outputs)), *self._rooms]

        return Collective(self._launches(kernel, work.ctas(size), arguments))

    def _prepared(self, works: Sequence[Work]) -> Collective:
        return Collective([launch for work in works for launch in self._exchange(work)])

    def _exchange(self, work: Work) -> list[Launch]:
        size = self._members.size
        shared = {"size": size, "element": work.element, "patience": self._patience}

        def arguments(here: int, rank: int) -> list[Any]:
            numbers = (rank, work.lines) if work.lines else (rank, work.part, work.total)
            own = [work.inputs[here], work.outputs[here], self._rooms[rank]]
            return [*own, *map(np.uint32, numbers), *self._rooms]

        if work.lines:
            kernel = exchange.exchange_lines(size.ranks).specialize(**shared)
        else:
            kernel = exchange.exchange(size.ranks).specialize(scatters=work.scatters, gathers=work.gathers, **shared)
        return self._launches(kernel, work.ctas(size), arguments)

    @property
    def _patience(self) -> int:
        return 0 if self._process is None else PATIENCE * 10**9

    def _launches(self, kernel: Any, ctas: int, arguments: Callable[[int, int], list[Any]]) -> list[Launch]:
        return [
            kernel.prepare(grid=ctas, args=arguments(here, rank), stream=stream)
            for here, (rank, stream) in enumerate(zip(self._members.ranks, self.streams, strict=True))
        ]
