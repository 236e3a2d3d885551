"""Variables of a module as memory: sizes, initial bytes, the addresses in them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ptxlab.isa.operands import Imm
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.nodes import alignment
from ptxlab.ptx.numbers import literal
from ptxlab.ptx.tree import Declarator, InitItem, InitList, Masked, Property, Reloc, VarDecl


@dataclass(frozen=True, slots=True)
class Reference:
    """The address of `symbol` + `addend` that stands at byte `offset` of an initialiser, in `size` bytes.

    With `mask`, only those bits of the address stand there, shifted down to bit 0.
    """

    offset: int
    size: int
    symbol: str
    addend: int
    generic: bool
    mask: int = 0


@dataclass(frozen=True, slots=True)
class Var:
    """A variable that the kernel can reach. `space`: shared, global, const, local or param (of a call).

    `init` holds its bytes (None: zeros, or uninitialised for shared and local memory); `references` the addresses in it.
    `offset`: within the CTA's static shared memory for shared, within the thread's frame for local, else 0.
    An extern shared array begins where the static ones end; its size is 0.
    """

    name: str
    space: str
    type: ScalarType
    size: int
    align: int
    init: bytes | None = None
    references: tuple[Reference, ...] = ()
    offset: int = 0
    extern: bool = False
    is_array: bool = False


def variable(node: VarDecl, one: Declarator, *, name: str, offset: int = 0) -> Var:
    """One variable of a declaration."""
    element = node.type.bytes * (node.vector or 1)
    size = element * one.count
    init, references = _bytes(node.type, one.init, size) if one.init is not None else (None, ())
    if init is not None and size == 0:
        size = len(init)  # `name[] = {…}` is as long as its initialiser
    return Var(
        name,
        space=node.space,
        type=node.type,
        size=size,
        align=alignment(node),
        init=init,
        references=references,
        offset=offset,
        extern=node.linkage == ".extern",
        is_array=bool(one.dims),
    )


def _flat(item: InitItem) -> Iterator[Imm | Reloc]:
    """The values in an initialiser; properties of opaque variables take no memory."""
    if isinstance(item, Property):
        return
    if isinstance(item, InitList):
        for inner in item.items:
            yield from _flat(inner)
    else:
        yield item.byte if isinstance(item, Masked) else item


def _bytes(type_: ScalarType, init: InitItem, size: int) -> tuple[bytes, tuple[Reference, ...]]:
    out = bytearray()
    references: list[Reference] = []
    for item in _flat(init):
        if isinstance(item, Reloc):
            mask = literal(item.mask)
            references.append(
                Reference(len(out), type_.bytes, item.name, item.offset, item.generic, int(mask.value) if mask else 0)
            )
            out += bytes(type_.bytes)
        else:
            out += _scalar(type_, item)
    return bytes(out.ljust(size, b"\0")), tuple(references)


def _scalar(type_: ScalarType, imm: Imm) -> bytes:
    if type_.kind == "p":
        return b""  # a variable has no such type, which is told elsewhere
    if type_.kind == "f" and type_.bits >= 32 and imm.is_float:
        return struct.pack("<f" if type_.bits == 32 else "<d", imm.number)
    if imm.float_bits or isinstance(imm.value, float):
        bits = int(imm.value) if imm.float_bits else struct.unpack("<Q", struct.pack("<d", imm.value))[0]
        return (bits & ((1 << type_.bits) - 1)).to_bytes(type_.bytes, "little")
    if type_.kind == "f":
        return struct.pack("<f" if type_.bits == 32 else "<d", float(imm.value))
    return (imm.value & ((1 << type_.bits) - 1)).to_bytes(type_.bytes, "little")
