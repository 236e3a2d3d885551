"""Machine code of sm_90 as far as time depends on it: the kind of each instruction, and when the scheduler may issue it.

An instruction has 128 bits. The compiler writes into the upper ones how many cycles the warp waits before its next instruction,
and which of six counters stand for results that take longer: an instruction may set one, and waits for those that it names.
"""

from __future__ import annotations

import bisect
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from ptxlab.diag import Diagnostic

_SIZE: Final = 16
"""Bytes of an instruction."""
_CONTROL: Final = 41
"""The first of the control bits in the upper half of an instruction."""
_NO_COUNTER: Final = 7
_OPCODE_BITS: Final = 0xFFF
_TEXT: Final = ".text."
_OTHER_KINDS: Final = 0x1FF
"""The bits of an opcode that do not say where its operands come from."""
_LINE_TABLE: Final = ".nv_debug_line_sass"
_BRANCHES: Final = ("BRA",)
_ALWAYS: Final = 7
"""The predicate that is always true."""
Lines: TypeAlias = tuple[list[int], list[int]]
"""Addresses, ascending, and the line from each on."""
_NO_LINES: Final[Lines] = ([], [])
_OPCODES: Final = Path(__file__).parent / "opcodes.json"


@dataclass(frozen=True, slots=True)
class MachineInstruction:
    """An instruction of a kernel.

    Attributes:
        address: bytes from the kernel's first instruction. name: its kind, as "IADD3" or "HGMMA".
        stall: cycles before the warp's next instruction. yields: whether another warp had better come first.
        written: the counter that is set until its result is there, read: until its operands are read; None: none.
        waits: the counters for which it waits.
        guarded: whether a predicate decides if it does anything. target: where a branch leads, None for other instructions.
        line: of the PTX text that it was made of, 0 where the cubin does not say.
    """

    address: int
    name: str
    stall: int
    yields: bool
    written: int | None
    read: int | None
    waits: tuple[int, ...]
    guarded: bool = False
    target: int | None = None
    line: int = 0


def machine_code(cubin: bytes) -> dict[str, list[MachineInstruction]]:
    """The instructions of each kernel and function of a cubin, by name. Raises: Diagnostic PTX2416 for what is no cubin."""
    sections = list(_sections(cubin))
    lines = _lines(sections)
    return {
        name.removeprefix(_TEXT): [
            _decoded(code, at, lines.get(name, _NO_LINES)) for at in range(0, len(code) - _SIZE + 1, _SIZE)
        ]
        for name, code in sections
        if name.startswith(_TEXT)
    }


@cache
def opcode_names() -> dict[int, str]:
    """Names of instructions by the twelve bits that say which one it is."""
    found = json.loads(_OPCODES.read_text(encoding="utf-8"))
    return {int(bits, 16): name for bits, name in found["opcodes"].items()}


def _decoded(code: bytes, at: int, lines: Lines) -> MachineInstruction:
    low, high = struct.unpack_from("<QQ", code, at)
    control = high >> _CONTROL
    written, read = control >> 5 & 7, control >> 8 & 7
    bits = low & _OPCODE_BITS
    name = _name(bits)
    row = bisect.bisect_right(lines[0], at) - 1
    return MachineInstruction(
        at,
        name,
        stall=control & 15,
        yields=not control >> 4 & 1,
        written=None if written == _NO_COUNTER else written,
        read=None if read == _NO_COUNTER else read,
        waits=tuple(i for i in range(6) if control >> 11 + i & 1),
        guarded=low >> 12 & 7 != _ALWAYS,
        target=at + _SIZE + 4 * _distance(low, high) if name in _BRANCHES else None,
        line=lines[1][row] if row >= 0 else 0,
    )


def _name(bits: int) -> str:
    """The name of an instruction; one that the table has only with operands of another kind has the same name."""
    names = opcode_names()
    if bits in names:
        return names[bits]
    kinds = (bits & _OTHER_KINDS | kind << 9 for kind in range(8))
    return next((names[other] for other in kinds if other in names), f"{bits:#05x}")


def _distance(low: int, high: int) -> int:
    """How far a branch leads, in units of four bytes from the instruction behind it."""
    value = low >> 16 & 0xFF | (low >> 34) << 8 | (high & 0x3FFFF) << 38
    return value - (1 << 56) if value >> 55 else value


def _lines(sections: list[tuple[str, bytes]]) -> dict[str, Lines]:
    """Which line of the PTX text the code from an address on was made of, by section: ptxas writes it with -lineinfo.

    It is a line table of DWARF 2 with one sequence for each function; relocations say which function a sequence is about.
    """
    found = dict(sections)
    table, moves, symbols = (found.get(name, b"") for name in (_LINE_TABLE, ".rela" + _LINE_TABLE, ".symtab"))
    if not table or not moves or not symbols:
        return {}
    names = [name for name, _ in sections]
    out: dict[str, Lines] = {}
    for place, about, _ in struct.iter_unpack("<QQq", moves):
        (section,) = struct.unpack_from("<H", symbols, (about >> 32) * 24 + 6)
        out[names[section]] = _sequence(table, place + 8)
    return out


def _sequence(table: bytes, at: int) -> Lines:
    """Addresses and lines of a sequence whose rows begin at a place of the table."""
    minimum, base, width, first = table[10], *struct.unpack_from("<bB", table, 12), table[14]
    address, line, addresses, lines = 0, 1, list[int](), list[int]()

    def number(at: int, *, signed: bool = False) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = table[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if not byte & 128:
                return (value - (1 << shift) if signed and byte & 64 else value), at

    while at < len(table):
        code, at = table[at], at + 1
        if code >= first:
            address, line = address + (code - first) // width * minimum, line + base + (code - first) % width
        elif code == 0:  # an extended one; it ends the sequence, or says something of no interest
            length, at = number(at)
            if table[at] == 1:
                break
            at += length
            continue
        elif code == 2:
            value, at = number(at)
            address += value * minimum
            continue
        elif code == 3:
            value, at = number(at, signed=True)
            line += value
            continue
        elif code == 8:
            address += (255 - first) // width * minimum
            continue
        elif code == 9:
            address, at = address + struct.unpack_from("<H", table, at)[0], at + 2
            continue
        elif code != 1:
            for _ in range(table[14 + code]):
                _, at = number(at)
            continue
        addresses.append(address)
        lines.append(line)
    return addresses, lines


def _sections(elf: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of the sections of an ELF file of 64 bits."""
    try:
        if elf[:5] != b"\x7fELF\x02":
            raise _no_cubin()
        (table,) = struct.unpack_from("<Q", elf, 40)
        size, count, names = struct.unpack_from("<HHH", elf, 58)
        heads = [struct.unpack_from("<IIQQQQ", elf, table + size * i) for i in range(count)]
        _, _, _, _, first, length = heads[names]
        words = elf[first : first + length]
        for name, _, _, _, start, length in heads:
            yield words[name : words.index(b"\0", name)].decode(), elf[start : start + length]
    except (struct.error, IndexError, ValueError):
        raise _no_cubin() from None


def _no_cubin() -> Diagnostic:
    return Diagnostic(
        "PTX2416", "This is no cubin: an ELF file of 64 bits with machine code.", help="assemble the PTX first"
    )
