"""Sums of a register, or of a variable's address, and a number as operands, `%r1+4`: where ptxas computes them, in what width."""

from __future__ import annotations

from ptxlab.isa.instance import Instance

_DIRECTED = ("rz", "rm", "rp")
_OF_ITS_WIDTH = {
    *(("redux.sync", "a"), ("nanosleep", "t"), ("dp2a", "c"), ("dp4a", "c")),
    *((name, "depth") for name in ("tex", "tex.base", "tex.level", "tex.grad", "tld4")),
    *((f"{path}.red.popc", name) for path in ("bar", "barrier", "barrier.cta") for name in ("id", "threads")),
}
"""Operands, by the row's name and theirs, in whose width ptxas computes, although the opcode names a type of so many bits."""


def takes_sum(inst: Instance, name: str, *, register: bool, same_width: bool) -> bool:
    """Whether ptxas takes a sum as an operand: `register`: of one, not of an address; `same_width`: it has the operand's bits.
    One of another width only where the opcode names the type, and the address of a variable where no 64 bits are fixed."""
    if _reads_none(inst, name):
        return False
    if register and same_width:
        return True
    spec, type_ = inst.form.operands[name], inst.type_of(name)
    fixed = spec.fixed and (str(type_),) not in {slot.values for slot in inst.form.slots}
    if register:
        return not fixed and (inst.form.name, name) not in _OF_ITS_WIDTH and inst.form.key != "cvt.from_fp8"
    return not (fixed and type_ is not None and type_.bits == 64)


def _reads_none(inst: Instance, name: str) -> bool:
    """Whether nothing is computed for an operand: where ptxas expands the instruction by a macro that reads no sum, or calls a
    function, and for parts of registers. Also where the instruction is on two halves or four bytes."""
    form, mods = inst.form, inst.mods
    type_, rnd = mods.get("type"), mods.get("rnd")
    if form.name in ("div", "rem"):
        return type_ in ("u64", "s64") or rnd in _DIRECTED
    if form.name in ("rcp", "sqrt"):
        return type_ == "f64" and rnd in _DIRECTED
    if any(spec.parts for spec in form.operands.values()):
        return bool(form.operands[name].parts) or form.name.endswith(("2", "4"))
    return form.key in ("mma.sp.int4", "stackrestore") or "callee" in form.operands
