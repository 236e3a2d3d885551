"""Instances with parts of other rows spliced in: what a row lacks is not among its own neighbours (`enumerate`).

Each is a legal instruction with a modifier, a type or an operand of another row put in, put in place of its own, or taken away.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ptxlab.isa.enumerate import Candidate, plain_instances, verdict
from ptxlab.isa.form import BY_ROOT, FORMS, Form
from ptxlab.isa.operands import Operand, Vec
from ptxlab.isa.targets import Target, Version

_BASES: Final = 4  # legal instances of a row that splices start from
_NEAR: Final = 0.6  # how often the part comes from a row of the same instruction


class Splicer:
    """Draws splices for a target and a PTX version. The same for the same seed."""

    def __init__(self, target: Target, version: Version, seed: int = 0) -> None:
        self.target, self.version = target, version
        self.dice = random.Random(f"{target}:{version}:{seed}")
        self.bases = [found for form in FORMS.values() if (found := self._legal(form))]
        self.words = sorted({value for form in FORMS.values() for value in _words(form)})
        self.operands = sorted({o for found in self.bases for c in found for o in c.operands}, key=str)

    def _legal(self, form: Form) -> list[Candidate]:
        tried = plain_instances(form, self.dice, 3 * _BASES)
        return [c for c in tried if verdict(c, self.target, self.version) is None][:_BASES]

    def draw(self, count: int) -> Iterator[Candidate]:
        """As many splices, each different from those before."""
        seen: set[str] = set()
        changes: Sequence[Callable[[Candidate], Candidate | None]] = (
            self._word_in,
            self._word_in,
            self._word_instead,
            self._word_instead,
            self._operand_instead,
            self._operand_instead,
            self._operand_in,
            self._opcode_instead,
            self._element_instead,
            _word_out(self.dice),
            _operand_out(self.dice),
        )
        idle = 0
        while len(seen) < count and idle < 1000:
            made: Candidate | None = self.dice.choice(self.dice.choice(self.bases))
            for _ in range(1 if self.dice.random() < 0.7 else 2):
                made = self.dice.choice(changes)(made) if made is not None else None
            idle += 1
            if made is not None and made.text not in seen:
                idle = 0
                seen.add(made.text)
                yield made

    def _word(self, form: Form) -> str:
        """A modifier of another row of the instruction, or of any row."""
        if self.dice.random() < _NEAR:
            near = sorted({v for row in BY_ROOT[form.slots[0].values[0]] for v in _words(row)})
            if near:
                return self.dice.choice(near)
        return self.dice.choice(self.words)

    def _operand(self, form: Form) -> Operand:
        if self.dice.random() < _NEAR:
            near = [
                c
                for found in self.bases
                for c in found
                if c.form.slots[0].values == form.slots[0].values and c.operands
            ]
            if near:
                return self.dice.choice(self.dice.choice(near).operands)
        return self.dice.choice(self.operands)

    def _word_in(self, base: Candidate) -> Candidate:
        parts = base.opcode.split(".")
        word = self._word(base.form)
        at = self.dice.randint(1, len(parts))
        return _with(base, ".".join((*parts[:at], word, *parts[at:])), f"with .{word} put in")

    def _word_instead(self, base: Candidate) -> Candidate | None:
        parts = base.opcode.split(".")
        if len(parts) < 2:
            return None
        word, at = self._word(base.form), self.dice.randrange(1, len(parts))
        return _with(base, ".".join((*parts[:at], word, *parts[at + 1 :])), f".{word} instead of .{parts[at]}")

    def _operand_instead(self, base: Candidate) -> Candidate | None:
        if not base.operands:
            return None
        at, other = self.dice.randrange(len(base.operands)), self._operand(base.form)
        operands = (*base.operands[:at], other, *base.operands[at + 1 :])
        return replace(base, operands=operands, why=f"operand {at} as {other}")

    def _operand_in(self, base: Candidate) -> Candidate:
        at, other = self.dice.randint(0, len(base.operands)), self._operand(base.form)
        return replace(base, operands=(*base.operands[:at], other, *base.operands[at:]), why=f"{other} as operand {at}")

    def _opcode_instead(self, base: Candidate) -> Candidate:
        near = [c for found in self.bases for c in found if c.form.slots[0].values == base.form.slots[0].values]
        other = self.dice.choice(near)
        return _with(base, other.opcode, f"the operands of {base.opcode}")

    def _element_instead(self, base: Candidate) -> Candidate | None:
        places = [i for i, o in enumerate(base.operands) if isinstance(o, Vec) and o.items]
        if not places:
            return None
        at, other = self.dice.choice(places), self._operand(base.form)
        vector = base.operands[at]
        if not isinstance(vector, Vec) or isinstance(other, Vec):
            return None
        i = self.dice.randrange(len(vector.items))
        made = Vec((*vector.items[:i], other, *vector.items[i + 1 :]))
        return replace(
            base, operands=(*base.operands[:at], made, *base.operands[at + 1 :]), why=f"{other} in operand {at}"
        )


def _words(form: Form) -> list[str]:
    return [value for slot in form.slots[1:] for value in slot.values]


def _with(base: Candidate, opcode: str, why: str) -> Candidate:
    return replace(base, opcode=opcode, why=why)


def _word_out(dice: random.Random) -> Callable[[Candidate], Candidate | None]:
    def change(base: Candidate) -> Candidate | None:
        parts = base.opcode.split(".")
        if len(parts) < 2:
            return None
        at = dice.randrange(1, len(parts))
        return _with(base, ".".join((*parts[:at], *parts[at + 1 :])), f"without .{parts[at]}")

    return change


def _operand_out(dice: random.Random) -> Callable[[Candidate], Candidate | None]:
    def change(base: Candidate) -> Candidate | None:
        if not base.operands:
            return None
        at = dice.randrange(len(base.operands))
        return replace(base, operands=(*base.operands[:at], *base.operands[at + 1 :]), why=f"without operand {at}")

    return change
