"""Micro-kernels for rows that do more than compute registers: memory, barriers, copies, control flow.

Each lane loads an element of every input column, runs the body and stores an element of every output column. Lanes have
memory of their own wherever the order of accesses could matter, so that results do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.record.golden import crc
from ptxlab.conformance.rows.probes import TARGET, VERSION
from ptxlab.conformance.rows.values import Words, column, words
from ptxlab.isa.types import TYPES

Bytes: TypeAlias = NDArray[np.uint8]
THREADS: Final = 128
"""Threads of a CTA."""
RAW: Final = 32
"""Random bytes that each lane finds at `%raw`."""
SLOT: Final = 32
"""Bytes of global memory that each lane owns at `%slot`."""
_PER_MODULE: Final = 48


@dataclass(frozen=True, slots=True)
class Column:
    """A register that each lane loads before the body, or stores behind it.

    Attributes:
        name: of the register, without its percent sign.
        type: of its values; predicates are bytes in memory.
        below: an input's values are less than this; 0 leaves them as the type has them.
        same: so many lanes have the same value.
    """

    name: str
    type: str
    below: int = 0
    same: int = 1

    @property
    def bytes(self) -> int:
        """Bytes of an element in memory."""
        return max(1, TYPES[self.type].bits // 8)

    def values(self, lanes: int, *labels: object) -> Words:
        """The elements of all lanes."""
        count = lanes // self.same
        if self.below or self.type == "pred":
            drawn = words(count, *labels, self.name) >> np.uint64(32)
            drawn = drawn % np.uint64(self.below or 2)
        else:
            drawn = column(TYPES[self.type], count, *labels, self.name)
        return np.repeat(drawn, self.same)

    def stored(self, values: Words) -> Bytes:
        """The elements as they lie in memory."""
        return values.astype(f"<u{self.bytes}").view(np.uint8)

    def shown(self, raw: Bytes, lane: int) -> str:
        """An element of such memory in hexadecimal."""
        word = int.from_bytes(raw[lane * self.bytes : (lane + 1) * self.bytes].tobytes(), "little")
        return f"{self.name}={word:#0{2 + 2 * self.bytes}x}"


@dataclass(frozen=True, slots=True)
class Micro:
    """A kernel for one instance of a row.

    Attributes:
        family: the file of `isa/rows/`.
        row: the row's key.
        text: the instruction, or what tells the kernel from others of the row.
        inputs, outputs: what lanes load and store.
        body: PTX; it finds %t (thread), %g (lane of the grid), %lane, %mem (shared memory), %raw, %slot.
        shared: bytes of shared memory.
        cluster: CTAs of a cluster; 0 for none.
        module: text in front of the kernel, as often as some kernel needs it.
        lanes: threads of the grid.
        per: lanes of one case.
        directives: of the kernel, besides those of the cluster.
    """

    family: str
    row: str
    text: str
    inputs: tuple[Column, ...]
    outputs: tuple[Column, ...]
    body: str
    shared: int = 0
    cluster: int = 0
    module: str = ""
    lanes: int = 512
    per: int = 1
    directives: str = ""

    @property
    def key(self) -> str:
        """The kernel's name in a record."""
        return f"{self.row} {self.text}"

    @property
    def cases(self) -> int:
        """Instances on operand vectors."""
        return self.lanes // self.per

    def memory(self, seed: int) -> Bytes:
        """What the kernel reads: its columns, then `RAW` bytes for each lane."""
        parts = [c.stored(c.values(self.lanes, seed, self.key)) for c in self.inputs]
        raw = words(self.lanes * RAW // 8, seed, self.key, "raw").view(np.uint8)
        return np.concatenate([raw, *(_padded(p) for p in parts)])

    @property
    def read_bytes(self) -> int:
        """Size of `memory`."""
        return self.lanes * RAW + sum(_rounded(c.bytes * self.lanes) for c in self.inputs)

    @property
    def write_bytes(self) -> int:
        """Size of what it writes: its slots, then its columns."""
        return self.lanes * SLOT + sum(_rounded(c.bytes * self.lanes) for c in self.outputs)

    def results(self, memory: Bytes) -> Bytes:
        """The output columns, without gaps."""
        at, parts = self.lanes * SLOT, list[Bytes]()
        for c in self.outputs:
            parts.append(memory[at : at + c.bytes * self.lanes])
            at += _rounded(c.bytes * self.lanes)
        return np.concatenate(parts)

    def shown_inputs(self, memory: Bytes, lane: int) -> str:
        """What a lane of such memory reads, in hexadecimal."""
        at, parts = self.lanes * RAW, list[str]()
        for c in self.inputs:
            parts.append(c.shown(memory[at:], lane))
            at += _rounded(c.bytes * self.lanes)
        return " ".join([*parts, f"raw={memory[lane * RAW : (lane + 1) * RAW].tobytes()[::-1].hex()}"])

    def shown_outputs(self, results: Bytes, lane: int) -> str:
        """What a lane wrote, in hexadecimal."""
        at, parts = 0, list[str]()
        for c in self.outputs:
            parts.append(c.shown(results[at:], lane))
            at += c.bytes * self.lanes
        return " ".join(parts)


def _rounded(count: int) -> int:
    return -(-count // RAW) * RAW


def _padded(data: Bytes) -> Bytes:
    return np.concatenate([data, np.zeros(_rounded(data.size) - data.size, np.uint8)])


@dataclass(frozen=True)
class MicroBatch:
    """A module of kernels of one shape, each of which takes the input and the output."""

    micros: tuple[Micro, ...]

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of the kernels."""
        return tuple(f"k{i}" for i in range(len(self.micros)))

    @property
    def text(self) -> str:
        """PTX."""
        head = f".version {VERSION[0]}.{VERSION[1]}\n.target {TARGET}\n.address_size 64\n"
        modules = "\n".join(dict.fromkeys(m.module for m in self.micros if m.module))
        read = written = 0
        out = [head, modules]
        for name, micro in zip(self.entries, self.micros, strict=True):
            out.append(_entry(name, micro, read, written))
            read += micro.read_bytes
            written += micro.write_bytes
        return "\n".join(out)

    @property
    def write_bytes(self) -> int:
        """Size of the output."""
        return sum(m.write_bytes for m in self.micros)

    @property
    def shape(self) -> tuple[int, int]:
        """CTAs and threads."""
        return self.micros[0].lanes // THREADS, THREADS

    def results(self, memory: Bytes) -> dict[str, Bytes]:
        """What each kernel wrote."""
        out: dict[str, Bytes] = {}
        at = 0
        for micro in self.micros:
            out[micro.key] = micro.results(memory[at : at + micro.write_bytes])
            at += micro.write_bytes
        return out


def micro_batches(chosen: Iterable[Micro]) -> list[MicroBatch]:
    """Kernels by family and shape."""

    def shape(micro: Micro) -> tuple[str, int, int]:
        return micro.family, micro.lanes, micro.cluster

    out: list[MicroBatch] = []
    for _, group in groupby(sorted(chosen, key=shape), shape):
        some = tuple(group)
        out += [MicroBatch(some[i : i + _PER_MODULE]) for i in range(0, len(some), _PER_MODULE)]
    return out


def operands_crc(micro: Micro, seed: int) -> int:
    """CRC-32 of what a kernel reads."""
    return crc(micro.memory(seed))


def _register(c: Column) -> str:
    bits = TYPES[c.type].bits
    return f".reg .{'pred' if bits == 1 else f'b{max(16, bits)}'} %{c.name};"


def _entry(name: str, micro: Micro, read: int, written: int) -> str:
    lines = [_register(c) for c in dict.fromkeys((*micro.inputs, *micro.outputs))]
    at = read + micro.lanes * RAW
    for c in micro.inputs:
        lines.append(_load(c, at))
        at += _rounded(c.bytes * micro.lanes)
    lines.append(micro.body)
    at = written + micro.lanes * SLOT
    for c in micro.outputs:
        lines.append(_store(c, at))
        at += _rounded(c.bytes * micro.lanes)
    shared = f".shared .align 1024 .b8 mem_{name}[{micro.shared}]; mov.u32 %mem, mem_{name};" if micro.shared else ""
    cluster = f" .explicitcluster .reqnctapercluster {micro.cluster}" if micro.cluster else ""
    cluster += f" {micro.directives}" if micro.directives else ""
    body = "\n    ".join(lines)
    return f""".visible .entry {name}(.param .u64 source, .param .u64 target){cluster}
{{
    .reg .b64 %source, %target, %raw, %slot, %at; .reg .b32 %t, %g, %lane, %mem; .reg .b16 %byte;
    {shared}
    ld.param.u64 %source, [source]; ld.param.u64 %target, [target];
    mov.u32 %t, %tid.x; mov.u32 %lane, %laneid; mov.u32 %g, %ctaid.x; mad.lo.u32 %g, %g, {THREADS}, %t;
    mad.wide.u32 %raw, %g, {RAW}, %source; add.u64 %raw, %raw, {read};
    mad.wide.u32 %slot, %g, {SLOT}, %target; add.u64 %slot, %slot, {written};
    {body}
    ret;
}}"""


def _load(c: Column, at: int) -> str:
    place = f"mad.wide.u32 %at, %g, {c.bytes}, %source;"
    if c.type == "pred":
        return f"{place} ld.global.u8 %byte, [%at+{at}]; setp.ne.u16 %{c.name}, %byte, 0;"
    return f"{place} ld.global.b{8 * c.bytes} %{c.name}, [%at+{at}];"


def _store(c: Column, at: int) -> str:
    place = f"mad.wide.u32 %at, %g, {c.bytes}, %target;"
    if c.type == "pred":
        return f"{place} selp.u16 %byte, 1, 0, %{c.name}; st.global.u8 [%at+{at}], %byte;"
    return f"{place} st.global.b{8 * c.bytes} [%at+{at}], %{c.name};"


def columns(prefix: str, type_: str, count: int) -> tuple[Column, ...]:
    """Columns of one type: prefix0, prefix1 and so on."""
    return tuple(Column(f"{prefix}{i}", type_) for i in range(count))


def listed(names: Sequence[Column]) -> str:
    """Registers as an operand: one, or a vector."""
    registers = [f"%{c.name}" for c in names]
    return registers[0] if len(registers) == 1 else "{" + ", ".join(registers) + "}"
