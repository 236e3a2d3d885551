"""wmma.load and wmma.store: which register holds which element, as a machine shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.rows.probes import TARGET, VERSION, Probe, of_row
from ptxlab.conformance.rows.values import words
from ptxlab.isa.bind import Instance
from ptxlab.isa.form import FORMS

Bytes: TypeAlias = NDArray[np.uint8]

_BITS: Final = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64} | {
    "s8": 8,
    "u8": 8,
    "s4": 4,
    "u4": 4,
    "b1": 1,
}
_LANES: Final = 32
_PER_ENTRY: Final = 40
_ALIGN: Final = 32
_PADDING: Final = 32
"""Bytes between two lines of a matrix whose stride is given."""


@dataclass(frozen=True)
class Move:
    """A wmma.load or wmma.store of one matrix.

    Attributes:
        key_of_form: the row. opcode: with its modifiers.
        digit: the matrix holds this digit of its elements' numbers, in rows, and not any bits; None for those.
    """

    key_of_form: str
    opcode: str
    digit: int | None = None

    @property
    def key(self) -> str:
        """The name in a record."""
        return f"move {self.key_of_form} {self.opcode}" + ("" if self.digit is None else f" digit={self.digit}")

    @classmethod
    def of_key(cls, key: str) -> Move:
        """The move of a name. Raises: KeyError where the row is gone."""
        _, row, opcode, *digit = key.split(" ")
        FORMS[row]
        return cls(row, opcode, int(digit[0].partition("=")[2]) if digit else None)

    @cached_property
    def probe(self) -> Probe:
        """The instance, for its modifiers."""
        return Probe(FORMS[self.key_of_form], self.opcode)

    @property
    def loads(self) -> bool:
        """Whether it reads memory."""
        return self.probe.form.name == "wmma.load"

    @property
    def bits(self) -> int:
        """Of an element."""
        return _BITS[self.probe.mods["type"]]

    @cached_property
    def extent(self) -> tuple[int, int]:
        """Rows and columns."""
        m, n, k = _mnk(self)
        return {"a": (m, k), "b": (k, n)}.get(self.key_of_form.split(".")[2], (m, n))

    @property
    def lines(self) -> tuple[int, int]:
        """How many lines lie in memory, and how many elements in each."""
        rows, columns = self.extent
        return (rows, columns) if self.probe.mods["layout"] == "row" else (columns, rows)

    @property
    def space(self) -> str:
        """Of the address: "" for a generic one."""
        return self.probe.mods.get("space", "")

    @property
    def strided(self) -> bool:
        """Whether the stride is given; lines lie close where it is not."""
        return self.space in ("global", "shared")

    @property
    def stride(self) -> int:
        """Elements from one line to the next."""
        return self.lines[1] + (_PADDING * 8 // self.bits if self.strided else 0)

    @property
    def memory_bytes(self) -> int:
        """From the first byte of the matrix to the last line's end, padding included."""
        return self.lines[0] * self.stride * self.bits // 8

    @cached_property
    def registers(self) -> tuple[int, int]:
        """Registers of a fragment, and bytes of each."""
        inst = Instance(self.probe.form, self.opcode, self.probe.mods, {})
        name = "d" if self.loads else "s"
        type_ = inst.type_of(name)
        assert type_ is not None
        return inst.count_of(name), type_.bits // 8

    @property
    def fragment_bytes(self) -> int:
        """Of a warp."""
        count, size = self.registers
        return _LANES * count * size

    @property
    def read_bytes(self) -> int:
        """Of what it reads."""
        return self.memory_bytes if self.loads else self.fragment_bytes

    @property
    def write_bytes(self) -> int:
        """Of what it writes."""
        return self.fragment_bytes if self.loads else self.memory_bytes

    def source(self, seed: int) -> Bytes:
        """What it reads: memory, or registers one lane after the other."""
        if self.digit is None:
            return words(-(-self.read_bytes // 8), seed, self.key).view(np.uint8)[: self.read_bytes].copy()
        rows, columns = self.extent
        number = np.arange(rows * columns, dtype=np.uint64).reshape(rows, columns)
        if self.probe.mods["layout"] == "col":
            number = number.T
        padded = np.zeros((self.lines[0], self.stride), np.uint64)
        width = min(self.bits, 16)
        padded[:, : number.shape[1]] = number >> np.uint64(self.digit * width) & np.uint64((1 << width) - 1)
        return pack(padded.reshape(-1), self.bits)

    @property
    def text(self) -> str:
        """The instruction on `%place` and `%r`."""
        count, _ = self.registers
        held = "{" + ", ".join(f"%r{i}" for i in range(count)) + "}"
        stride = f", {self.stride}" if self.strided else ""
        parts = f"{held}, [%place]" if self.loads else f"[%place], {held}"
        return f"{self.opcode} {parts}{stride};"


def _mnk(move: Move) -> tuple[int, int, int]:
    m, rest = move.probe.mods["shape"][1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def pack(elements: NDArray[np.uint64], bits: int) -> Bytes:
    """Elements of 1 to 64 bits as bytes, low bits first."""
    if bits >= 8:
        return elements.astype(f"<u{bits // 8}").view(np.uint8)
    shifts = np.arange(bits, dtype=np.uint64)
    flat = (elements[:, None] >> shifts & np.uint64(1)).astype(np.uint8).reshape(-1)
    return np.packbits(flat, bitorder="little")


def moves() -> list[Move]:
    """Every load and store of fragments that sm_90a has, on any bits."""
    rows = [f for f in FORMS.values() if f.name in ("wmma.load", "wmma.store")]
    return [Move(p.form.key, p.opcode) for f in rows for p in of_row(f, 1000, 0)]


def numbered() -> list[Move]:
    """Loads of matrices that hold their elements' numbers, digit by digit: what layouts are read from."""
    out: list[Move] = []
    for move in moves():
        if move.loads and move.space == "global":
            rows, columns = move.extent
            width = min(move.bits, 16)
            digits = -(-(rows * columns - 1).bit_length() // width)
            out += [replace(move, digit=d) for d in range(digits)]
    return out


@dataclass(frozen=True)
class MoveBatch:
    """A module of moves: kernels of one warp that take the input and the output."""

    text: str
    entries: tuple[str, ...]
    placed: tuple[tuple[Move, int, int], ...]
    read_bytes: int
    write_bytes: int

    def memory(self, seed: int) -> Bytes:
        """The input."""
        out = np.zeros(self.read_bytes, np.uint8)
        for move, at, _ in self.placed:
            out[at : at + move.read_bytes] = move.source(seed)
        return out

    def results(self, memory: Bytes) -> dict[str, Bytes]:
        """What each move wrote."""
        return {m.key: memory[at : at + m.write_bytes].copy() for m, _, at in self.placed}


def move_batch(chosen: Sequence[Move]) -> MoveBatch:
    """Moves in one module."""
    placed: list[tuple[Move, int, int]] = []
    read = written = 0
    for move in chosen:
        placed.append((move, read, written))
        read += -(-move.read_bytes // _ALIGN) * _ALIGN
        written += -(-move.write_bytes // _ALIGN) * _ALIGN
    groups = [placed[i : i + _PER_ENTRY] for i in range(0, len(placed), _PER_ENTRY)]
    head = f".version {VERSION[0]}.{VERSION[1]}\n.target {TARGET}\n.address_size 64\n"
    text = head + "\n".join(_entry(f"k{i}", group) for i, group in enumerate(groups))
    return MoveBatch(text, tuple(f"k{i}" for i in range(len(groups))), tuple(placed), max(1, read), max(1, written))


def _entry(name: str, placed: Sequence[tuple[Move, int, int]]) -> str:
    shared = max([m.memory_bytes for m, _, _ in placed if m.space.startswith("shared")], default=0)
    blocks = "\n".join(_block(*one) for one in placed)
    return f""".visible .entry {name}(.param .u64 source, .param .u64 target)
{{
    .reg .b64 %source, %target, %from, %to; .reg .b32 %lane, %word;
    {f".shared .align 128 .b8 mem[{shared}];" if shared else ""}
    ld.param.u64 %source, [source]; ld.param.u64 %target, [target]; mov.u32 %lane, %laneid;
{blocks}
    ret;
}}
"""


def _block(move: Move, read: int, written: int) -> str:
    """One move; where it means shared memory, the matrix goes there before, or from there after it."""
    count, size = move.registers
    address = "b32" if move.space.startswith("shared") else "b64"
    lines = [f".reg .{_register(move)} %r<{count}>; .reg .{address} %place; .reg .b64 %at;"]
    lanes = f"mad.wide.u32 %at, %lane, {count * size}, "
    if move.loads:
        lines += [*_place(move, "%source", read, fill=True), "bar.warp.sync -1;", move.text, f"{lanes}%target;"]
        lines += [f"st.global.b{8 * size} [%at+{written + i * size}], %r{i};" for i in range(count)]
    else:
        lines += [f"{lanes}%source;"]
        lines += [f"ld.global.b{8 * size} %r{i}, [%at+{read + i * size}];" for i in range(count)]
        lines += [*_place(move, "%target", written, fill=False), "bar.warp.sync -1;", move.text, "bar.warp.sync -1;"]
        if move.space.startswith("shared"):
            lines += list(_copy(move, written, back=True))
    lines.append("bar.warp.sync -1;")
    return "    { " + "\n      ".join(lines) + " }"


def _register(move: Move) -> str:
    return "f64" if move.registers[1] == 8 else "b32"


def _place(move: Move, base: str, at: int, *, fill: bool) -> Iterator[str]:
    if not move.space.startswith("shared"):
        yield f"add.u64 %place, {base}, {at};"
        return
    yield "mov.u32 %place, mem;"
    yield from _copy(move, at, back=False) if fill else _clear(move)


def _words(move: Move) -> range:
    return range(0, move.memory_bytes, 4 * _LANES)


def _copy(move: Move, at: int, *, back: bool) -> Iterator[str]:
    """Memory of the matrix, a word a lane; whole rows of lanes, so sizes are multiples of 128 bytes or end early."""
    yield ".reg .b32 %own; .reg .pred %in; mad.lo.u32 %own, %lane, 4, %place;"
    yield f"mad.wide.u32 %at, %lane, 4, {'%target' if back else '%source'};"
    for i in _words(move):
        guard = ""
        if i + 4 * _LANES > move.memory_bytes:
            yield f"setp.lt.u32 %in, %lane, {(move.memory_bytes - i) // 4};"
            guard = "@%in "
        if back:
            yield f"{guard}ld.shared.b32 %word, [%own+{i}]; {guard}st.global.b32 [%at+{at + i}], %word;"
        else:
            yield f"{guard}ld.global.b32 %word, [%at+{at + i}]; {guard}st.shared.b32 [%own+{i}], %word;"


def _clear(move: Move) -> Iterator[str]:
    yield ".reg .b32 %zero; .reg .pred %first; mad.lo.u32 %zero, %lane, 4, %place; mov.b32 %word, 0;"
    for i in _words(move):
        guard = ""
        if i + 4 * _LANES > move.memory_bytes:
            yield f"setp.lt.u32 %first, %lane, {(move.memory_bytes - i) // 4};"
            guard = "@%first "
        yield f"{guard}st.shared.b32 [%zero+{i}], %word;"
