"""Made-up instances of rows: one of each kind of operand, for tests that go over the whole table."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from ptxlab.isa.bind import Instance, check_rules
from ptxlab.isa.form import Form
from ptxlab.isa.operands import Addr, Imm, Label, Minus, Operand, Reg, Sink, Vec
from ptxlab.isa.specs import Spec
from ptxlab.isa.types import TYPES, ScalarType


def instances(form: Form, limit: int, seed: int = 0) -> Iterator[tuple[Instance, dict[str, ScalarType]]]:
    """Up to `limit` instances of a row that ptxas takes, perhaps with a warning, with modifiers drawn evenly, and the registers
    that each uses."""
    slots: list[list[tuple[str, str] | None]] = []
    for slot in form.slots:
        if slot.name is None:
            continue
        values: list[tuple[str, str] | None] = [(slot.name, v) for v in slot.values]
        slots.append([*values, None] if slot.optional else values)
    every = list(itertools.islice(itertools.product(*slots), 200_000))
    random.Random(seed).shuffle(every)
    found = 0
    for pick in every:
        mods = dict(p for p in pick if p is not None)
        for immediate in (1, 0) if found < limit else ():
            maker = Maker(immediate)
            inst = maker.instance(form, mods)
            if all(d.severity != "error" for d in check_rules(inst)):
                found += 1
                yield inst, maker.registers
                break


class Maker:
    """Makes operands; every register gets a name of its own, immediates without a list of values are the one given."""

    def __init__(self, immediate: int = 1) -> None:
        self.immediate = immediate
        self.registers: dict[str, ScalarType] = {}

    def register(self, type_: ScalarType) -> Reg:
        name = f"%x{len(self.registers)}"
        kind = type_ if type_.bits in (1, 16, 32, 64, 128) else TYPES["b16"]
        self.registers[name] = kind
        return Reg(name, kind)

    def instance(self, form: Form, mods: dict[str, str]) -> Instance:
        inst = Instance(form, form.name, mods, {})
        for name in form.operand_names:
            spec = form.operands[name]
            if spec.when is not None and spec.when.eval(inst) is not True:
                continue
            inst.operands[name] = self._operand(inst, name, spec)
        return inst

    def _operand(self, inst: Instance, name: str, spec: Spec) -> Operand:
        if "addr" in spec.kinds:
            return Addr(self.register(TYPES["b64"]), 16)
        if spec.kinds == {"label"}:
            return Label("L")
        if spec.kinds == {"imm"}:
            value = next(iter(spec.values)) if isinstance(spec.values, tuple) else self.immediate
            return Imm(value, str(value))
        type_ = inst.type_of(name) or TYPES["b32"]
        count = None if spec.count is None else spec.count.eval(inst)
        if isinstance(count, int) and (spec.always_vector or count > 1):
            return Vec(tuple(self.register(type_) for _ in range(count)))
        if spec.kinds == {"minus"}:
            return Minus(self.register(type_))
        return self.register(type_) if "reg" in spec.kinds else Sink()
