"""Collective operations of several devices over each other's memory: all-reduce, all-gather, reduce-scatter, and a barrier.

One kernel runs on each device, and all of them together. A CTA meets the CTAs of its number on the other devices, moves its share,
and meets them again: the first meeting says that all inputs are there, the second that nobody reads them any more and that all
outputs are written.

| operation | a device reads | and writes |
|---|---|---|
| all-reduce in one shot | the inputs of all | its own output |
| all-reduce in two shots | its part of the inputs of all | that part of the outputs of all |
| reduce-scatter | its part of the inputs of all | its own output |
| all-gather | its own input | its part of the outputs of all |
| dispatch | its own rows | rows of the outputs of all, as many as its counts say |
| combine | rows of the outputs of all | its own rows |

Sums are in f32, from device 0 on, and rounded once: every device gets the same bits, and so do the two ways of an all-reduce.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab import ArrayView, Device, Launch
from ptxlab.kernels.collectives.call import (
    MOST_CTAS,
    THREADS,
    VECTOR,
    Rows,
    Work,
    checked_devices,
    checked_rows,
    gathered,
    reduced,
    scattered,
)
from ptxlab.kernels.collectives.meeting import RANKS, Meeting
from ptxlab.kernels.collectives.rows import move_rows


@px.kernel(target="sm_90", threads=THREADS)
def exchange(
    k: px.Builder,
    in0: px.Ptr[px.u32],
    in1: px.Ptr[px.u32],
    in2: px.Ptr[px.u32],
    in3: px.Ptr[px.u32],
    in4: px.Ptr[px.u32],
    in5: px.Ptr[px.u32],
    in6: px.Ptr[px.u32],
    in7: px.Ptr[px.u32],
    out0: px.Ptr[px.u32],
    out1: px.Ptr[px.u32],
    out2: px.Ptr[px.u32],
    out3: px.Ptr[px.u32],
    out4: px.Ptr[px.u32],
    out5: px.Ptr[px.u32],
    out6: px.Ptr[px.u32],
    out7: px.Ptr[px.u32],
    flags0: px.Ptr[px.u32],
    flags1: px.Ptr[px.u32],
    flags2: px.Ptr[px.u32],
    flags3: px.Ptr[px.u32],
    flags4: px.Ptr[px.u32],
    flags5: px.Ptr[px.u32],
    flags6: px.Ptr[px.u32],
    flags7: px.Ptr[px.u32],
    mine: px.Ptr[px.u32],
    meetings: px.Ptr[px.u32],
    rank: px.u32,
    vectors: px.u32,
    read_from: px.u32,
    write_to: px.u32,
    *,
    ranks: int,
    reads: int,
    writes: int,
    element: str,
) -> None:
    """Add up `vectors` of 16 bytes of the first `reads` inputs, and store the sums in the first `writes` outputs.

    vectors: none for a barrier. read_from, write_to: vectors in front of those. element: "bf16", "f16" or "f32".
    """
    inputs = [in0, in1, in2, in3, in4, in5, in6, in7][:reads]
    outputs = [out0, out1, out2, out3, out4, out5, out6, out7][:writes]
    flags = [flags0, flags1, flags2, flags3, flags4, flags5, flags6, flags7][:ranks]
    meeting = Meeting(k, flags, rank, mine, meetings[k.ctaid.x])
    before = meeting.begins()
    stride = k.nctaid.x * THREADS
    with k.loop(vectors, start=k.ctaid.x * THREADS + k.tid.x, step=stride) as i:
        loaded = [k.ld.global_.v4.b32(x.at((read_from + i) * VECTOR)) for x in inputs]
        words = loaded[0] if reads == 1 else _sum(k, loaded, element)
        for x in outputs:
            k.st.global_.v4.b32(x.at((write_to + i) * VECTOR), words)
    meeting.ends(before)


def _sum(k: px.Builder, vectors: Sequence[Any], element: str) -> list[Any]:
    """The sum of vectors of 16 bytes, in f32 and in order."""
    totals = _numbers(k, vectors[0], element)
    for vector in vectors[1:]:
        totals = [k.add.f32(total, x) for total, x in zip(totals, _numbers(k, vector, element), strict=True)]
    if element == "f32":
        return totals
    pack = k.cvt.rn.bf16x2.f32 if element == "bf16" else k.cvt.rn.f16x2.f32
    return [pack(high, low) for low, high in zip(totals[::2], totals[1::2], strict=True)]


def _numbers(k: px.Builder, words: Any, element: str) -> list[Any]:
    """The elements of 32-bit words as f32."""
    if element == "f32":
        return list(words)
    if element == "bf16":
        return [half for w in words for half in (k.shl.b32(w, 16), k.and_.b32(w, 0xFFFF0000))]
    return [k.cvt.f32.f16(half) for w in words for half in k.unpack(w, px.f16)]


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

    Args:
        devices: 2 to 8 of `px.devices`. streams: one of each device; left out, the group makes them.

    Attributes:
        devices: as given. streams: of each device.

    Raises: Diagnostic PTX2345 for other devices or streams.

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

    def __init__(self, devices: Sequence[Device], streams: Sequence[px.Stream] | None = None) -> None:
        checked_devices(devices, streams)
        self.devices = tuple(devices)
        self.streams = tuple(streams) if streams is not None else tuple(map(px.Stream, devices))

    def __repr__(self) -> str:
        return f"<Group of {len(self.devices)} devices>"

    @cached_property
    def _flags(self) -> list[Any]:
        return [device.zeros(MOST_CTAS * RANKS, np.uint32) for device in self.devices]

    @cached_property
    def _meetings(self) -> list[Any]:
        return [device.zeros(MOST_CTAS, np.uint32) for device in self.devices]

    def barrier(self) -> None:
        """What is queued behind it begins on no device before all of them have come to it.

        Example:
            from ptxlab.kernels.collectives import Group

            group = Group(px.devices(2))
            group.barrier()
            print(len(px.synchronize()))  # 2
        """
        self._prepared(Work.nothing(self._meetings))()

    def all_reduce(self, inputs: Sequence[Any], outputs: Sequence[Any], *, way: str = "auto") -> None:
        """Every output becomes the sum of all inputs, the same bits on every device.

        Args:
            inputs, outputs: of float32, bfloat16 or float16, all of one shape and dtype. In two shots, outputs may be the inputs.
            way: "one-shot", which is faster for small arrays, "two-shot", or "auto", which chooses by the bytes.

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
        return self._prepared(reduced(self.devices, inputs, outputs, way))

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
        return self._prepared(scattered(self.devices, inputs, outputs))

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
        return self._prepared(gathered(self.devices, inputs, outputs))

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
        self._moves(checked_rows(self.devices, rows, counts, outputs), back=False)()

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
        self._moves(checked_rows(self.devices, rows, counts, outputs), back=True)()

    def _moves(self, work: Rows, *, back: bool) -> Collective:
        kernel = move_rows.specialize(ranks=len(self.devices), back=back)
        launches: list[Launch] = []
        for rank, stream in enumerate(self.streams):
            arrays = [
                work.rows[rank],
                *_padded(work.outputs),
                *_padded(work.counts),
                *_padded(self._flags),
                work.counts[rank],
                self._flags[rank],
                self._meetings[rank],
            ]
            args = [*arrays, *map(np.uint32, (rank, work.vectors, work.rows_here, work.rows_there))]
            launches.append(kernel.prepare(grid=work.ctas, args=args, stream=stream))
        return Collective(launches)

    def _prepared(self, work: Work) -> Collective:
        count = len(self.devices)
        kernel = exchange.specialize(
            ranks=count,
            reads=count if work.reads_all else 1,
            writes=count if work.writes_all else 1,
            element=work.element,
        )
        launches: list[Launch] = []
        for rank, stream in enumerate(self.streams):
            share = work.shares[rank]
            arrays = [
                *_padded(work.inputs if work.reads_all else [work.inputs[rank]]),
                *_padded(work.outputs if work.writes_all else [work.outputs[rank]]),
                *_padded(self._flags),
                self._flags[rank],
                self._meetings[rank],
            ]
            numbers = [rank, share.vectors, share.read_from, share.write_to]
            args = [*arrays, *map(np.uint32, numbers)]
            launches.append(kernel.prepare(grid=work.ctas, args=args, stream=stream))
        return Collective(launches)


def _padded(arrays: Sequence[Any | ArrayView]) -> list[Any]:
    """As many arrays as the kernel has parameters: the first one stands for those that are not there."""
    return [*arrays, *[arrays[0]] * (RANKS - len(arrays))]
