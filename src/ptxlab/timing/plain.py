"""Costs of PTX instructions by themselves, where there is no machine code: each as the machine instruction that it most resembles.

Dependencies are those of the registers, and the order is that of the PTX text: what the compiler gains by moving, merging and
unrolling
is not in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ptxlab.isa.effects import Access, AsyncCopy, AsyncMma, Barrier, Branch, Fence, Group, Mbarrier, WarpWide
from ptxlab.ptx.program import Op
from ptxlab.ptx.uses import touched
from ptxlab.timing.chip import ChipTable
from ptxlab.timing.replay import NO_PRODUCT, Item, product_of

_WHOLE: Final = {
    "ex2": "MUFU", "lg2": "MUFU", "rcp": "MUFU", "rsqrt": "MUFU", "sqrt": "MUFU", "sin": "MUFU", "cos": "MUFU", "tanh": "MUFU",
    "popc": "POPC", "clz": "FLO", "bfind": "FLO", "brev": "BREV", "prmt": "PRMT", "lop3": "LOP3", "shl": "SHF", "shr": "SHF",
    "shf": "SHF", "mad": "IMAD", "dp4a": "IDP", "dp2a": "IDP", "setp": "ISETP", "selp": "SEL", "cvt": "F2FP", "mov": "MOV",
    "mma": "HMMA", "wmma": "HMMA", "shfl": "SHFL", "vote": "VOTE", "redux": "REDUX", "match": "MATCH", "cvta": "MOV",
}  # fmt: skip
_BY_TYPE: Final = {"f64": "DFMA", "f32": "FFMA", "f16": "HFMA2", "f16x2": "HFMA2", "bf16": "HFMA2", "bf16x2": "HFMA2"}
_SPACES: Final = {
    "global": "LDG",
    "shared": "LDS",
    "shared::cta": "LDS",
    "shared::cluster": "LDS",
    "local": "LDL",
    "param": "LDC",
    "const": "LDC",
}


def plain_items(ops: Sequence[Op], chip: ChipTable) -> list[Item]:
    """An item for each instruction."""
    slots: dict[str, int] = {}
    out: list[Item] = []
    for i, op in enumerate(ops):
        name = machine_name(op)
        cost = chip.cost(name)
        read, written = touched(op)
        waits = tuple(slots.setdefault(r, len(slots)) for r in dict.fromkeys((*read, *written)))
        sets = tuple(slots.setdefault(r, len(slots)) for r in written)
        product = product_of(op, chip) if name == "HGMMA" else NO_PRODUCT
        out.append(
            Item(name, i, stall=1, written=sets, read=None, waits=waits, cost=cost, carries=True, product=product)
        )
    return out


def machine_name(op: Op) -> str:
    """The machine instruction that it is taken for."""
    effect = op.inst.form.effect
    words = op.inst.form.name.split(".")
    if isinstance(effect, Access):
        space = str(op.inst.mods.get("ss") or op.inst.mods.get("space") or "global")
        load = _SPACES.get(space, "LDG")
        if effect.kind == "load":
            return load
        return (
            {"LDS": "STS", "LDL": "STL"}.get(load, "STG")
            if effect.kind == "store"
            else "ATOMS"
            if load == "LDS"
            else "ATOMG"
        )
    if isinstance(effect, AsyncCopy):
        return "UTMALDG" if effect.tensor else "UBLKCP" if "bulk" in words else "LDGSTS"
    for kind, name in (
        (AsyncMma, "HGMMA"),
        (Barrier, "BAR"),
        (Mbarrier, "SYNCS"),
        (Fence, "MEMBAR"),
        (Branch, "BRA"),
        (Group, "WARPGROUP"),
    ):
        if isinstance(effect, kind):
            return name
    if words[0] in _WHOLE:
        return _WHOLE[words[0]]
    if isinstance(effect, WarpWide):
        return "VOTE"
    kind = str(op.inst.mods.get("type", ""))
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    return "IMAD" if words[0] == "mul" else "IADD3" if words[0] in ("add", "sub") else "LOP3"
