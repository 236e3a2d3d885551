"""Computing statements of random programs, drawn from the rows: whatever sm_90a computes, approximate functions too.

What may differ from machine to machine for a good reason is left out, or made the same: sums of products that an assembler may
contract, the bits of NaN, division by zero, approximate functions of constants, which an assembler computes by itself.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from functools import cache
from typing import Final

from ptxlab.conformance.programs.hidden import opaque
from ptxlab.conformance.programs.tree import POOLS
from ptxlab.conformance.rows.probes import Port, Probe, draw, has_instances, of_row, probed
from ptxlab.conformance.rows.tiles import metadata
from ptxlab.conformance.rows.values import column, words
from ptxlab.isa.effects import Carry, Compute, WarpWide
from ptxlab.isa.form import FORMS, Form
from ptxlab.isa.types import ScalarType

_CONTRACTED: Final = ("add", "sub", "mul")
_QUIET: Final = {"f16": "0x7fff", "bf16": "0x7fff", "f32": "0x7fffffff", "f64": "0x7fffffffffffffff"}
_KEEPS: Final = ("mov", "selp", "slct", "set", "setp", "testp")
"""Names of rows that hand on or make bits that are no NaN of their own."""
_WHOLE_GUARD: Final = ("set", "testp")
"""Names of rows of which ptxas 13.1 makes several instructions, and guards the first alone: the old result is lost."""
_NO_IMMEDIATES: Final = ("bfe", "bfi")
"""Names of rows that ptxas 13.1 folds wrongly where a field is longer than 32 bits."""
_WHERE: Final = ("activemask", "elect.sync")  # what the first tells is nobody's promise; the second has a template
_MATRICES: Final = ("ldmatrix", "stmatrix", "movmatrix")
_SHIFTS: Final = (0, 1, 5, 7, 8, 15, 16, 24, 31, 32, 33, 40, 63, 64, 200, 255)


@cache
def computing() -> tuple[Form, ...]:
    """Rows that any lane may execute by itself."""
    return tuple(f for f in _probed() if isinstance(f.effect, Compute))


@cache
def carrying() -> tuple[Form, ...]:
    """Rows that read or leave the carry of words of several widths."""
    return tuple(f for f in _probed() if isinstance(f.effect, Carry) and "type" in f.mods)


@cache
def words_of(form: Form, width: str) -> tuple[Probe, ...]:
    """Every instance of a row of carries on words of some bits, without a variant."""
    return tuple(p for p in of_row(form, sys.maxsize, 0) if p.opcode.endswith(width) and not p.variant)


@cache
def asking() -> tuple[Form, ...]:
    """Rows by which the lanes of a mask look at each other."""
    return tuple(f for f in _probed() if f.family == "warp" and f.name not in _WHERE)


@cache
def multiplying() -> tuple[Form, ...]:
    """Rows that whole warps execute: matrices."""
    return tuple(f for f in _probed() if (isinstance(f.effect, WarpWide) or f.name in _MATRICES) and _whole(f))


def _whole(form: Form) -> bool:
    return "mma" in form.name or form.name in _MATRICES


def _probed() -> list[Form]:
    stack = ("stackrestore",)
    return [f for f in FORMS.values() if probed(f) and has_instances(f) and f.name not in stack]


class Ops:
    """Draws computing statements.

    Attributes:
        dice: what draws.
    """

    def __init__(self, dice: random.Random, *, narrow: bool = True) -> None:
        self.dice = dice
        self._bytes = narrow
        self._by_family = {
            kind: _families(rows) for kind, rows in (("any", computing()), ("warp", asking()), ("whole", multiplying()))
        }

    def register(self, bits: int) -> str:
        """A register of some bits."""
        name, count = POOLS[bits]
        return f"%{name}{self.dice.randrange(count)}"

    def registers(self, bits: int, count: int) -> list[str]:
        """Different registers of some bits."""
        name, most = POOLS[bits]
        return [f"%{name}{i}" for i in self.dice.sample(range(most), count)]

    def compute(self) -> str:
        """A statement for any lane."""
        probe = self._drawn("any")
        text, written = self._filled(probe)
        before = [*_divisor(probe, text), *_unknown(probe, text), *_counts(probe, text)]
        if probe.form.name not in _WHOLE_GUARD and self.dice.random() < 0.12:
            guard = ("@", "@!")[self.dice.randrange(2)] + self.register(1)
            text = f"{guard} {text}"
        return " ".join([*before, _domain(probe, text), *_settled(probe, written), *self.absorbed(written)])

    def warp(self, mask: str) -> str:
        """A statement for the lanes of a mask, which are all there; other lanes do not come."""
        probe = self._drawn("warp")
        if probe.form.name == "shfl.sync" and mask != "-1":
            return self._shuffled(probe, mask)
        text, written = self._filled(probe, {"mask": mask})
        return " ".join([text, *self.absorbed(written)])

    def whole(self) -> str:
        """A statement for whole warps."""
        probe = self._drawn("whole")
        place = {"%place": "%tw", "%generic": "%ty"}
        text, written = self._filled(probe)
        for old, new in place.items():
            text = text.replace(old, new)
        if probe.form.name == "mma.sp":
            chosen = metadata("tf32" if "tf32" in probe.opcode else "", words(1, self.dice.getrandbits(64)))
            text = f"mov.b32 %tw, {int(chosen[0]):#x}; {text}"
        if not probe.memory:
            return " ".join([text, *self.absorbed(written)])
        # the rows of a warp, and which of them a lane names: the register says it
        address = (
            f"and.b32 %tv, {self.register(32)}, 31; and.b32 %tw, %t, 96; add.u32 %tv, %tv, %tw; "
            "sub.u32 %tv, %tv, %t; mad.lo.u32 %tw, %tv, 16, %se; cvt.u64.u32 %ty, %tw; cvta.shared.u64 %ty, %ty;"
        )
        if probe.memory == "w":  # lanes that name the same row would race
            address = (
                f"mov.u32 %tv, %t; xor.b32 %tv, %tv, {self.dice.randrange(32)}; sub.u32 %tv, %tv, %t; "
                "mad.lo.u32 %tw, %tv, 16, %se; cvt.u64.u32 %ty, %tw; cvta.shared.u64 %ty, %ty;"
            )
        row = ", ".join(self.registers(32, 4))
        put, get = f"st.shared.v4.b32 [%se], {{{row}}};", f"ld.shared.v4.b32 {{{row}}}, [%se];"
        if probe.memory == "r":
            return f"{put} {address} bar.warp.sync -1; {text} bar.warp.sync -1;"
        return f"{address} bar.warp.sync -1; {text} bar.warp.sync -1; {get} bar.warp.sync -1;"

    def carry(self) -> str:
        """A chain of additions, subtractions and products that hand on their carry."""
        rows = carrying()
        first = [f for f in rows if isinstance(f.effect, Carry) and not f.effect.reads]
        middle = [f for f in rows if isinstance(f.effect, Carry) and f.effect.reads and f.effect.writes]
        last = [f for f in rows if isinstance(f.effect, Carry) and f.effect.reads and not f.effect.writes]
        subtracts = self.dice.random() < 0.4
        width = self.dice.choice(("32", "64"))
        chain = [first, *[middle] * self.dice.randrange(4), last]
        out: list[str] = []
        for rows_ in chain:
            fits = [f for f in rows_ if f.name.startswith("sub") == subtracts]
            probe = self.dice.choice(words_of(self.dice.choice(fits), width))
            out.append(self._filled(probe)[0])
        return " ".join(out)

    def absorbed(self, written: Sequence[tuple[Port, str]], odds: float = 0.4) -> list[str]:
        """What takes results into the sums of a lane, now and then."""
        return [absorb(p.bits, r) for p, r in written] if self.dice.random() < odds else []

    def _drawn(self, kind: str) -> Probe:
        families = self._by_family[kind]
        while True:
            family = self.dice.choice(list(families))
            form = self.dice.choice(families[family])
            probe = draw(form, self.dice)
            if probe is not None and _exact(probe) and self._fits(probe):
                return probe

    def _fits(self, probe: Probe) -> bool:
        ports = (*probe.inputs, *probe.outputs)
        if not self._bytes and any(p.bits in (8, 128) for p in ports):
            return False
        return all(p.bits in POOLS for p in ports)

    def _filled(self, probe: Probe, given: dict[str, str] | None = None) -> tuple[str, list[tuple[Port, str]]]:
        """The instruction on registers of the pools, and what it writes."""
        names: dict[str, str] = {}
        written: list[tuple[Port, str]] = []
        outputs = [p for p in probe.outputs if p.operand != "carry" and not p.name.startswith("%row")]
        for bits in POOLS:
            some = [p for p in outputs if p.bits == bits]
            for port, register in zip(some, self.registers(bits, len(some)), strict=True):
                names[port.name] = register
                written.append((port, register))
        for port in probe.inputs:
            if port.operand == "carry" or port.name in names or port.name.startswith("%row"):
                continue
            names[port.name] = (given or {}).get(port.operand) or self._source(probe, port)
        self._other_predicates(probe, names, {r for p, r in written if p.bits == 1})
        if "mma" in probe.form.name:
            self._apart(probe, names, {r: p for p, r in written})
        text = re.sub(r"%\w+", lambda m: names.get(m.group(), m.group()), probe.text)
        return text, written

    def _other_predicates(self, probe: Probe, names: dict[str, str], written: set[str]) -> None:
        """Predicates that are read are not those that are written: ptxas 13.1 may lose the old value of one that is both."""
        for port in probe.inputs:
            if port.bits == 1 and names.get(port.name) in written:
                names[port.name] = next(r for r in self.registers(1, POOLS[1][1]) if r not in written)

    def _apart(self, probe: Probe, names: dict[str, str], written: dict[str, Port]) -> None:
        """Operands of a product that are not results, but where C becomes D: ptxas 13.1 makes several instructions of one.

        The later ones read what the first have written, where C and D share registers at different places.
        """
        for port in probe.inputs:
            name, count = POOLS[port.bits]
            if port.operand == "meta":
                names[port.name] = "%tw"
            elif port.operand == "c" and f"%d{port.name[2:]}" in names and self.dice.random() < 0.4:
                names[port.name] = names[f"%d{port.name[2:]}"]
            elif names[port.name] in written:
                free = [r for r in (f"%{name}{i}" for i in range(count)) if r not in written]
                names[port.name] = self.dice.choice(free)

    def _source(self, probe: Probe, port: Port) -> str:
        spec = probe.form.operands[port.operand]
        single = sum(p.operand == port.operand for p in probe.inputs) == 1 and not spec.always_vector
        if (
            single
            and probe.form.name not in _NO_IMMEDIATES
            and not probe.approximate
            and "imm" in spec.kinds
            and port.bits == port.type.bits
            and self.dice.random() < 0.12
        ):
            made = self._immediate(port.type, shift=port.operand != "a" and port.type.name == "u32")
            return made or self.register(port.bits)
        return self.register(port.bits)

    def _immediate(self, type_: ScalarType, *, shift: bool) -> str:
        if type_.kind not in "usbf" or type_.bits not in (16, 32, 64) or type_.name in ("f16", "bf16", "tf32"):
            return ""
        if shift:
            return str(self.dice.choice(_SHIFTS))
        value = int(column(type_, 1, self.dice.getrandbits(64))[0])
        if type_.kind == "f":
            return (
                "" if _is_nan(type_.name, value) else f"0{'f' if type_.bits == 32 else 'd'}{value:0{type_.bits // 4}X}"
            )
        value = value or 3
        return str(value - (1 << type_.bits)) if type_.kind == "s" and value >> type_.bits - 1 else str(value)

    def _shuffled(self, probe: Probe, mask: str) -> str:
        """A shuffle from lanes of the mask: from others a lane gets what nobody promises."""
        text, written = self._filled(probe, {"mask": mask})
        parts = text.split(" ", 1)[1].rstrip(";").split(", ")
        target, value = parts[0], parts[1]
        pick = (
            f"popc.b32 %tw, {mask}; rem.u32 %tw, {self.register(32)}, %tw; add.u32 %tw, %tw, 1; "
            f"fns.b32 %tw, {mask}, 0, %tw;"
        )
        return " ".join([f"{pick} shfl.sync.idx.b32 {target}, {value}, %tw, 31, {mask};", *self.absorbed(written)])


def absorb(bits: int, register: str) -> str:
    """What takes a register into the sums of a lane."""
    turn = "shf.l.wrap.b32 %sum, %sum, %sum, 5; xor.b32 %sum, %sum"
    if bits == 1:
        return f"selp.b32 %tw, 0x2545f491, 7, {register}; {turn}, %tw;"
    if bits == 8:
        return f"cvt.u32.u8 %tw, {register}; {turn}, %tw;"
    if bits == 16:
        return f"cvt.u32.u16 %tw, {register}; {turn}, %tw;"
    if bits == 32:
        return f"{turn}, {register};"
    if bits == 64:
        return f"mad.lo.u64 %wide, %wide, 0xd1342543de82ef95, {register};"
    return f"mov.b128 {{%tx, %ty}}, {register}; mad.lo.u64 %wide, %wide, 0xd1342543de82ef95, %tx; xor.b64 %wide, %wide, %ty;"


def _families(rows: Sequence[Form]) -> dict[str, list[Form]]:
    out: dict[str, list[Form]] = {}
    for form in rows:
        out.setdefault(form.family, []).append(form)
    return out


def _exact(probe: Probe) -> bool:
    """Whether every machine has to give the same numbers."""
    floats = any(p.type.kind == "f" or p.type.name in ("f16x2", "bf16x2", "f32x2") for p in probe.outputs)
    if probe.form.name == "set" and any(p.type.name in ("f16", "bf16") for p in probe.outputs):
        return False  # ptxas 13.1 takes the upper half of its register for zero, and it is not
    if any(p.type.name in ("f16", "bf16") and p.bits > p.type.bits for p in probe.outputs):
        return False  # ptxas 13.1 leaves the upper half of a wider register as it was where it optimises
    if probe.form.name == "cvt.pack" and "wide" in probe.variant:
        return False  # nobody says what is above the packed word
    return not (probe.form.name in _CONTRACTED and floats and probe.mods.get("rnd") is None)


def _divisor(probe: Probe, text: str) -> list[str]:
    """What makes a divisor that is not zero."""
    if probe.form.key not in ("div", "rem"):
        return []
    divisor = text.rstrip(";").split(", ")[-1]
    return [f"or.b{probe.inputs[1].bits} {divisor}, {divisor}, 1;"] if divisor.startswith("%") else []


def _unknown(probe: Probe, text: str) -> list[str]:
    """What makes operands of approximate functions that no assembler knows, as it computes what it knows by itself."""
    if not probe.approximate:
        return []
    return opaque(probe.inputs[0].bits, text.rstrip(";").split(", ")[1:])


def _counts(probe: Probe, text: str) -> list[str]:
    """What makes an integer of the count of a shift: ptxas converts one that is the result of a float instruction."""
    count = text.rstrip(";").split(", ")[-1]
    return opaque(32, [count]) if probe.form.name in ("shl", "shr") and count.startswith("%r") else []


def _domain(probe: Probe, text: str) -> str:
    """fns counts from a lane that there is."""
    if probe.form.name != "fns":
        return text
    parts = text.split(", ")
    if not parts[2].startswith("%"):
        parts[2] = str(int(parts[2]) % 32)
        return ", ".join(parts)
    base, parts[2] = parts[2], "%tw"
    return f"and.b32 %tw, {base}, 31; {', '.join(parts)}"


def _is_nan(name: str, value: int) -> bool:
    infinity = {"f32": 0x7F800000, "f64": 0x7FF0000000000000}[name]
    return value & (infinity | infinity - 1) > infinity


def _settled(probe: Probe, written: Sequence[tuple[Port, str]]) -> list[str]:
    """What makes one NaN of all."""
    # saturated results are no NaN, and ptxas 13.1 asks what was converted, not what came out
    if probe.form.name in (*_KEEPS, "mov") or "sat" in probe.mods.values() or "sat" in probe.mods:
        return []
    return [text for port, register in written if (text := quiet(port.type.name, port.bits, register))]


def quiet(type_: str, bits: int, register: str) -> str:
    """What makes one NaN of all in a register; "" for types that have none."""
    if (type_ in ("f16", "bf16") and bits == 16) or type_ in ("f32", "f64"):
        return f"setp.nan.{type_} %tp, {register}, {register}; @%tp mov.b{bits} {register}, {_QUIET[type_]};"
    if type_ in ("f16x2", "bf16x2"):
        return (
            f"setp.nan.{type_} %tp|%tq, {register}, {register}; mov.b32 {{%tl, %th}}, {register}; "
            f"@%tp mov.b16 %tl, 0x7fff; @%tq mov.b16 %th, 0x7fff; mov.b32 {register}, {{%tl, %th}};"
        )
    return ""
