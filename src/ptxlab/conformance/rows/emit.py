"""Probes as PTX: every thread loads an element of each operand, executes the instruction and stores what it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ptxlab.conformance.rows import matrices
from ptxlab.conformance.rows.probes import FORMULAS, PRODUCTS, TARGET, VERSION, Port, Probe
from ptxlab.conformance.rows.values import Words, column, edges, mask, relate, warp_values, words
from ptxlab.isa.effects import Carry, WarpWide

if TYPE_CHECKING:
    from numpy.typing import NDArray

LANES: Final = 512
"""Operand tuples of a probe: sixteen warps."""
WARPS: Final = LANES // 32
PER_ENTRY: Final = 40
ENTRIES: Final = 8
_ALIGN: Final = 16

# Operands whose other values mean nothing: {row: {operand: how many values from 0 on}}.
_DOMAINS: Final = {"fns": {"base": 32}}


@dataclass(frozen=True, slots=True)
class Placed:
    """A probe and where its columns lie in the memory that its module reads and writes."""

    probe: Probe
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    end: int


@dataclass(frozen=True)
class Batch:
    """A module of probes.

    Attributes:
        text: PTX.
        entries: names of its kernels; each takes the input and the output, in CTAs of `LANES` threads.
        placed: the probes.
        read_bytes, write_bytes: sizes of the input and the output.
    """

    text: str
    entries: tuple[str, ...]
    placed: tuple[Placed, ...]
    read_bytes: int
    write_bytes: int

    def memory(self, seed: int) -> NDArray[np.uint8]:
        """The input."""
        out = np.zeros(self.read_bytes, np.uint8)
        for one in self.placed:
            for port, at, values in zip(one.probe.inputs, one.reads, operands(one.probe, seed), strict=True):
                raw = stored(port, values)
                out[at : at + len(raw)] = raw
        return out

    def results(self, memory: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """The bytes that each probe wrote, columns one behind the other, by the probe's key."""
        return {
            one.probe.key: np.concatenate(
                [memory[at : at + LANES * p.bytes] for p, at in zip(one.probe.outputs, one.writes, strict=True)]
            )
            for one in self.placed
        }


def batches(probes: Sequence[Probe]) -> list[Batch]:
    """Probes in modules of some hundreds, by kernels of some dozens."""
    size = PER_ENTRY * ENTRIES
    return [_batch(probes[i : i + size]) for i in range(0, len(probes), size)]


def _batch(probes: Sequence[Probe]) -> Batch:
    placed: list[Placed] = []
    read = written = 0
    for probe in probes:
        reads, read = _place(probe.inputs, read)
        writes, written = _place(probe.outputs, written)
        placed.append(Placed(probe, reads, writes, read))
    groups = [placed[i : i + PER_ENTRY] for i in range(0, len(placed), PER_ENTRY)]
    head = f".version {VERSION[0]}.{VERSION[1]}\n.target {TARGET}\n.address_size 64\n"
    text = head + "\n".join(_entry(f"k{i}", group) for i, group in enumerate(groups))
    return Batch(text, tuple(f"k{i}" for i in range(len(groups))), tuple(placed), max(read, 1), max(written, 1))


def _place(ports: Sequence[Port], at: int) -> tuple[tuple[int, ...], int]:
    out: list[int] = []
    for port in ports:
        out.append(at)
        at += -(-LANES * port.bytes // _ALIGN) * _ALIGN
    return tuple(out), at


def _entry(name: str, placed: Sequence[Placed]) -> str:
    blocks = "\n".join(_block(p) for p in placed)
    shared = _SHARED if any(p.probe.memory for p in placed) else ""
    return f""".visible .entry {name}(.param .u64 source, .param .u64 target)
{{
    .reg .b64 %source, %target, %generic; .reg .b32 %thread, %lane, %own, %place, %warp;
    ld.param.u64 %source, [source]; ld.param.u64 %target, [target];
    mov.u32 %thread, %tid.x; mov.u32 %lane, %laneid;{shared}
{blocks}
    ret;
}}
"""


# Each warp has 512 bytes: lane i fills (or reads back) row i, and names row 5i + 3 in its address.
_SHARED: Final = f"""
    .shared .align 128 .b8 mem[{16 * LANES}];
    mov.u32 %place, mem; mad.lo.u32 %own, %thread, 16, %place;
    shr.u32 %warp, %thread, 5; mad.lo.u32 %warp, %warp, 512, %place;
    mad.lo.u32 %place, %lane, 5, 3; and.b32 %place, %place, 31; mad.lo.u32 %place, %place, 16, %warp;
    cvt.u64.u32 %generic, %place; cvta.shared.u64 %generic, %generic;"""
_ROW: Final = "{%row0, %row1, %row2, %row3}"


def _block(placed: Placed) -> str:
    probe = placed.probe
    ports = {p.name: p for p in (*probe.inputs, *probe.outputs)}
    lines = [f".reg .{'pred' if p.bits == 1 else f'b{p.bits}'} {p.name};" for p in ports.values()]
    lines.append(".reg .b64 %at, %low, %high; .reg .b16 %byte; .reg .b32 %word; .reg .pred %on;")
    lines += [_load(p, at) for p, at in zip(probe.inputs, placed.reads, strict=True)]
    lines.append(_guarded(probe))
    lines += [_store(p, at) for p, at in zip(probe.outputs, placed.writes, strict=True)]
    return "    { " + "\n      ".join(lines) + " }"


def _guarded(probe: Probe) -> str:
    """The instruction; where it names lanes, for those alone. The results of others are zero then."""
    if probe.memory == "r":
        return f"bar.warp.sync -1; st.shared.v4.b32 [%own], {_ROW}; bar.warp.sync -1; {probe.text}"
    if probe.memory == "w":
        zero = "mov.b32 %word, 0; bar.warp.sync -1; st.shared.v4.b32 [%own], {%word, %word, %word, %word}; bar.warp.sync -1;"
        return f"{zero} {probe.text} bar.warp.sync -1; ld.shared.v4.b32 {_ROW}, [%own];"
    if isinstance(probe.form.effect, Carry):
        return _carried(probe, probe.form.effect)
    if not probe.masked or probe.mask is None:
        return probe.text
    zeros = " ".join(
        f"setp.ne.u32 {p.name}, 0, 0;" if p.bits == 1 else f"mov.b{p.bits} {p.name}, 0;" for p in probe.outputs
    )
    on = f"shr.u32 %word, {probe.mask.name}, %lane; and.b32 %word, %word, 1; setp.ne.u32 %on, %word, 0;"
    return f"{zeros} {on} @%on {probe.text}"


def _carried(probe: Probe, effect: Carry) -> str:
    """The instruction between one that makes the carry or borrow it reads and one that shows what it leaves."""
    subtracts = probe.form.name in ("sub", "subc")
    lines = [probe.text]
    if effect.reads:
        borrow = subtracts != ("crossed" in probe.variant)
        make = "sub.cc.u32 %word, 0, %word;" if borrow else "add.cc.u32 %word, %word, -1;"
        lines[:0] = ["selp.b32 %word, 1, 0, %carry;", make]
    if effect.writes:
        lines += [f"{'subc' if subtracts else 'addc'}.u32 %word, 0, 0;", "setp.ne.u32 %left, %word, 0;"]
    return " ".join(lines)


def _address(port: Port, base: str) -> str:
    return f"mad.wide.u32 %at, %thread, {port.bytes}, {base};"


def _load(port: Port, at: int) -> str:
    step, place = _address(port, "%source"), f"[%at+{at}]"
    if port.bits == 1:
        return f"{step} ld.global.u8 %byte, {place}; setp.ne.u16 {port.name}, %byte, 0;"
    if port.bits == 128:
        return f"{step} ld.global.v2.b64 {{%low, %high}}, {place}; mov.b128 {port.name}, {{%low, %high}};"
    return f"{step} ld.global.b{port.bits} {port.name}, {place};"


def _store(port: Port, at: int) -> str:
    step, place = _address(port, "%target"), f"[%at+{at}]"
    if port.bits == 1:
        return f"{step} selp.u16 %byte, 1, 0, {port.name}; st.global.u8 {place}, %byte;"
    if port.bits == 128:
        return f"{step} mov.b128 {{%low, %high}}, {port.name}; st.global.v2.b64 {place}, {{%low, %high}};"
    return f"{step} st.global.b{port.bits} {place}, {port.name};"


def operands(probe: Probe, seed: int) -> list[list[Words]]:
    """The values of every input: one column of words, two (low, high) for 128 bits."""
    if "edge" in probe.variant:
        return [[c] for c in edges(probe.inputs[0].type, FORMULAS[probe.form.key], LANES, seed, probe.key)]
    if probe.form.name in PRODUCTS:
        return matrices.columns(probe, seed)
    columns = [_column(probe, port, seed) for port in probe.inputs]
    plain = [c[0] for c in columns]
    if not isinstance(probe.form.effect, WarpWide):
        relate(plain, [p.type for p in probe.inputs], seed, probe.key)
    return [[first, *rest] for first, (_, *rest) in zip(plain, columns, strict=True)]


def _column(probe: Probe, port: Port, seed: int) -> list[Words]:
    labels = (seed, probe.key, port.name)
    if port is probe.mask:
        return [_masks(probe, labels)]
    if port.bits == 1:
        out = words(LANES, *labels) >> np.uint64(63)
    elif port.bits == 128:
        return [words(LANES, *labels, half) for half in (0, 1)]
    else:
        out = column(port.type, LANES, *labels)
    if probe.form.key in _DOMAINS and port.operand in _DOMAINS[probe.form.key]:
        out = out % np.uint64(_DOMAINS[probe.form.key][port.operand])
    if probe.mask is not None and probe.form.name != "shfl.sync":
        out = warp_values(out, WARPS)
    above = words(LANES, *labels, "above") << np.uint64(port.type.bits % 64) & mask(port.bits)
    return [out | above if port.bits > port.type.bits else out]


def _masks(probe: Probe, labels: tuple[object, ...]) -> Words:
    """A mask for each warp, the same in all its lanes; the first warp is whole."""
    drawn = words(WARPS, *labels) & mask(32) | np.uint64(1) << np.arange(WARPS, dtype=np.uint64)
    drawn[0] = mask(32)
    return np.repeat(drawn if probe.masked else np.full(WARPS, mask(32)), 32)


def stored(port: Port, values: Sequence[Words]) -> NDArray[np.uint8]:
    """Columns as they lie in memory."""
    if port.bits == 128:
        return np.stack(values, axis=1).view(np.uint8).reshape(-1)
    return values[0].astype(f"<u{port.bytes}").view(np.uint8)


def loaded(ports: Sequence[Port], raw: NDArray[np.uint8]) -> list[list[int]]:
    """The elements of columns that lie one behind the other."""
    out: list[list[int]] = []
    at = 0
    for port in ports:
        piece = raw[at : at + LANES * port.bytes].tobytes()
        out.append([int.from_bytes(piece[i : i + port.bytes], "little") for i in range(0, len(piece), port.bytes)])
        at += LANES * port.bytes
    return out
