"""spcompress, spdecompress: two of four numbers kept, with the indices that say which."""

from __future__ import annotations

from typing import Final

from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import Spec, fragment, src
from ptxlab.isa.targets import only, ptx
from ptxlab.isa.terms import Term, mod

_NEEDS: Final = ptx(9, 4) & only("107a")
_ABSENT: Final = "sm_90a does not have it"
_COUNTS: Final = (1, 2, 4, 8, 16, 32, 64)
_NUM: Final = oneof(*(f"x{n}" for n in _COUNTS))
_KINDS: Final = {(elements, indices): elements // indices for elements in (8, 16) for indices in (2, 4)}


def _indices(kept: int, elements: int, indices: int) -> int:
    """Registers that hold the indices of so many registers of elements."""
    return max(1, kept * indices // elements)


def _words(count: Term, role: str = "r") -> Spec:
    """Registers of 32 bits, of any type that is the same for all."""
    return fragment("b32", count, role, held="bits")


for _elements, _bits in _KINDS:
    _types = f".b{_elements}.b{_bits}"
    # Decompressed, .xN counts registers of elements of 8 bits, pairs of registers of 16.
    _whole = _elements // 8
    form(
        "spcompress",
        key=f"spcompress{_types}",
        syntax=f"spcompress.sp::2:4<.num>{_types} indices, kept, data, first;",
        mods={"num": _NUM},
        operands={
            "indices": _words(mod("num").map({f"x{n}": _indices(n, _elements, _bits) for n in _COUNTS}), "w"),
            "kept": _words(mod("num").map({f"x{n}": n for n in _COUNTS}), "w"),
            "data": _words(mod("num").map({f"x{n}": 2 * n for n in _COUNTS})),
            "first": src("b32", imm=False).about("a descriptor of what is kept"),
        },
        needs=_NEEDS,
        isa="spcompress",
        doc="Keep two of every four numbers, and say which.",
        unsimulated=_ABSENT,
    )
    form(
        "spdecompress",
        key=f"spdecompress{_types}",
        syntax=f"spdecompress.sp::2:4<.num>{_types} data, indices, kept;",
        mods={"num": _NUM},
        operands={
            "data": _words(mod("num").map({f"x{n}": n * _whole for n in _COUNTS}), "w"),
            "indices": _words(mod("num").map({f"x{n}": max(1, n * _bits // 16) for n in _COUNTS})),
            "kept": _words(mod("num").map({f"x{n}": max(1, n * _whole // 2) for n in _COUNTS})),
        },
        needs=_NEEDS,
        isa="spdecompress",
        doc="Put numbers back to where their indices say, with zeros between them.",
        unsimulated=_ABSENT,
    )
