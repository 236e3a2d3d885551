"""Machine code of sm_90 as far as time depends on it: the kind of each instruction, and when the scheduler may issue it.

An instruction has 128 bits. The compiler writes into the upper ones how many cycles the warp waits before its next instruction,
and which of six counters stand for results that take longer: an instruction may set one, and waits for those that it names.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from ptxlab.diag import Diagnostic

_SIZE: Final = 16
"""Bytes of an instruction."""
_CONTROL: Final = 41
"""The first of the control bits in the upper half of an instruction."""
_NO_COUNTER: Final = 7
_OPCODE_BITS: Final = 0xFFF
_TEXT: Final = ".text."
_OPCODES: Final = Path(__file__).parent / "opcodes.json"


@dataclass(frozen=True, slots=True)
class MachineInstruction:
    """An instruction of a kernel.

    Attributes:
        address: bytes from the kernel's first instruction. name: its kind, as "IADD3" or "HGMMA".
        stall: cycles before the warp's next instruction. yields: whether another warp had better come first.
        written: the counter that is set until its result is there, read: until its operands are read; None: none.
        waits: the counters for which it waits.
    """

    address: int
    name: str
    stall: int
    yields: bool
    written: int | None
    read: int | None
    waits: tuple[int, ...]


def machine_code(cubin: bytes) -> dict[str, list[MachineInstruction]]:
    """The instructions of each kernel and function of a cubin, by name. Raises: Diagnostic PTX2416 for what is no cubin."""
    return {
        name.removeprefix(_TEXT): [_decoded(code, at) for at in range(0, len(code) - _SIZE + 1, _SIZE)]
        for name, code in _sections(cubin)
        if name.startswith(_TEXT)
    }


@cache
def opcode_names() -> dict[int, str]:
    """Names of instructions by the twelve bits that say which one it is."""
    found = json.loads(_OPCODES.read_text(encoding="utf-8"))
    return {int(bits, 16): name for bits, name in found["opcodes"].items()}


def _decoded(code: bytes, at: int) -> MachineInstruction:
    low, high = struct.unpack_from("<QQ", code, at)
    control = high >> _CONTROL
    written, read = control >> 5 & 7, control >> 8 & 7
    bits = low & _OPCODE_BITS
    return MachineInstruction(
        at,
        opcode_names().get(bits, f"{bits:#05x}"),
        stall=control & 15,
        yields=not control >> 4 & 1,
        written=None if written == _NO_COUNTER else written,
        read=None if read == _NO_COUNTER else read,
        waits=tuple(i for i in range(6) if control >> 11 + i & 1),
    )


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
