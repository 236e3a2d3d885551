"""The row: one instruction form, written in the manual's own notation.

Syntax notation: `.word` literal modifier, `<.name>` modifier slot that must be filled, `{.name}` optional slot (a name of
`mods`, else a flag spelled as written), `{::cta}` optional tail of the literal before it. Operands: `d`, `[a]`,
`[map, coords]`, `[endpoint, offset]`, `d|p`, `d{|p}`, and `{, x}` for what may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ptxlab.diag import frame_at
from ptxlab.isa.effects import Compute, Effect
from ptxlab.isa.plain import Function, Reference
from ptxlab.isa.sections import wrong
from ptxlab.isa.specs import Spec
from ptxlab.isa.targets import Need
from ptxlab.isa.terms import Term, lift


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in the opcode: a modifier called `name` with its values, or a literal (name is None)."""

    name: str | None
    values: tuple[str, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """One place in the operand list. `names` has two entries for d|p, two or more for [map, coords] and [endpoint, offset]."""

    names: tuple[str, ...]
    kind: str  # plain, addr, pair, optpair, tensor (what stands in brackets begins with an address), list (it does not)
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that must hold beyond kinds and types: a code, a term, what to say and the way out."""

    code: str
    term: Term
    message: str
    help: str
    severity: str = "error"


@dataclass(frozen=True, eq=False)
class Form:
    """A row. `key` names its meaning in the simulator; `name` is the opcode path without modifiers."""

    name: str
    key: str
    syntax: str
    slots: tuple[Slot, ...]
    places: tuple[Place, ...]
    operands: Mapping[str, Spec]
    mods: Mapping[str, tuple[str, ...]]
    rules: tuple[Rule, ...]
    needs: Need
    needs_when: tuple[tuple[Term, Need], ...]
    isa: str
    effect: Effect
    doc: str
    unsimulated: str | None = None
    defaults: Mapping[str, str] = field(default_factory=dict[str, str])
    reference: Reference | None = None
    family: str = ""  # the module that holds the row, which is a page of the reference

    @cached_property
    def flags(self) -> frozenset[str]:
        """Optional literals, e.g. `L2::cache_hint`."""
        return frozenset(s.name for s in self.slots if s.name is not None and s.name not in self.mods)

    @cached_property
    def operand_names(self) -> tuple[str, ...]:
        """Names of all operands in the order of the text."""
        return tuple(n for p in self.places for n in p.names)

    @cached_property
    def results(self) -> tuple[str, ...]:
        """The operands whose registers it writes."""
        return tuple(name for name, spec in self.operands.items() if "w" in spec.role)

    @cached_property
    def spare(self) -> tuple[tuple[str, Spec], ...]:
        """The operands of which ptxas overlooks the number of elements."""
        return tuple((name, spec) for name, spec in self.operands.items() if spec.spare is not False)

    @cached_property
    def aligned(self) -> bool | None:
        """Whether all threads of a warp must execute it together: `.aligned` is part of it; None: where it is written."""
        slot = next((s for s in self.slots if "aligned" in s.values), None)
        return False if slot is None else None if slot.optional else True

    def __repr__(self) -> str:
        return f"Form({self.key!r})"


FORMS: dict[str, Form] = {}
BY_ROOT: dict[str, list[Form]] = {}


def oneof(*values: str) -> tuple[str, ...]:
    """The values of a modifier."""
    return values


class Shapes(tuple[str, ...]):
    """Shapes that are legal, in a slot that also takes those that only look right, so that a rule can say what is wrong."""

    pattern: re.Pattern[str]

    @classmethod
    def of(cls, pattern: str, legal: Sequence[str]) -> Shapes:
        """`pattern` is what the slot takes; `legal` what is enumerated and suggested."""
        made = cls(legal)
        made.pattern = re.compile(pattern)
        return made

    def __contains__(self, part: object) -> bool:
        return isinstance(part, str) and self.pattern.fullmatch(part) is not None


def rule(code: str, term: Term, message: str, *, help: str, severity: str = "error") -> Rule:
    """A rule of a row."""
    return Rule(code, term, message, help, severity)


_HEAD = re.compile(
    r"<\.(?P<must>\w+)>|\{\.(?P<may>[\w:]+)\}|\{(?P<tail>::[\w:]+)\}|\.(?P<lit>\w+(?:::?\w+)*)|(?P<root>^[\w]+)"
)


def _parse_head(head: str, mods: Mapping[str, tuple[str, ...]]) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    head = re.sub(r"\{\.(\w+)\{(::\w+)\}\}", r"{.\1}{\2}", head)
    position = 0
    while position < len(head):
        found = _HEAD.match(head, position)
        assert found, f"bad syntax in row: {head!r} at {head[position:]!r}"
        position = found.end()
        if name := found["must"]:
            slots.append(Slot(name, mods[name]))
        elif name := found["may"]:
            slots.append(Slot(name, mods.get(name, (name,)), optional=True))
        elif tail := found["tail"]:
            last = slots.pop()
            slots.append(Slot(last.name, (last.values[0], last.values[0] + tail), last.optional))
        else:
            slots.append(Slot(None, (found["lit"] or found["root"],)))
    return tuple(slots)


def _split_operands(text: str) -> list[tuple[str, bool]]:
    """`[dst], [src], size{, policy}` → (text, optional) pairs."""
    out: list[tuple[str, bool]] = []
    optional = False
    depth = 0
    current = ""
    i = 0
    while i < len(text):
        c = text[i]
        if c == "{" and re.match(r"\{\s*,", text[i:]):
            out.append((current.strip(), optional))
            current, optional = "", True
            i += re.match(r"\{\s*,", text[i:]).end()  # type: ignore[union-attr]
            continue
        if c == "}" and optional and depth == 0:
            out.append((current.strip(), True))
            current, optional = "", False
        elif c == "," and depth == 0:
            out.append((current.strip(), optional))
            current = ""
        else:
            depth += (c in "[{") - (c in "]}")
            current += c
        i += 1
    out.append((current.strip(), optional))
    return [(t, o) for t, o in out if t]


def _parse_place(text: str, optional: bool, operands: Mapping[str, Spec]) -> Place:
    if text.startswith("["):
        names = tuple(n.strip() for n in text[1:-1].split(","))
        bracketed = "tensor" if "addr" in operands[names[0]].kinds else "list"
        return Place(names, bracketed if len(names) > 1 else "addr", optional)
    if "{|" in text:
        first, second = text.rstrip("}").split("{|")
        return Place((first, second), "optpair", optional)
    if "|" in text:
        first, second = text.split("|")
        return Place((first.strip(), second.strip()), "pair", optional)
    return Place((text,), "plain", optional)


def form(
    name: str,
    *,
    syntax: str,
    operands: Mapping[str, Spec] | None = None,
    mods: Mapping[str, tuple[str, ...]] | None = None,
    rules: Sequence[Rule] = (),
    needs: Need,
    needs_when: Sequence[tuple[Term, Need]] = (),
    isa: str,
    effect: Effect = Compute(),
    doc: str,
    key: str | None = None,
    unsimulated: str | None = None,
    defaults: Mapping[str, str] | None = None,
    reference: Reference | Function | None = None,
) -> Form:
    """Enter a row into the table.

    Args:
        name: the opcode path, e.g. "cp.async".
        syntax: opcode and operands in the notation above, ended by a semicolon.
        operands: a Spec for every operand name of the syntax.
        mods: the values of every modifier slot of the syntax.
        rules: what must hold. needs: the PTX version and target; `ANY` where all have it.
        needs_when: further needs, where a term holds.
        isa: the manual's section, one of `ptxlab.isa.sections`.
        effect: what it does besides registers. doc: one line on what it is for.
        key: names the meaning in the simulator; default `name`. Needed where a name has several rows.
        unsimulated: why the simulator does not run it, if so.
        defaults: what a left-out modifier means.
        reference: its meaning in plain Python; see `ptxlab.isa.plain` for what the function's parameters may be called.
    """
    operands, mods = operands or {}, mods or {}
    head, _, tail = syntax.strip().rstrip(";").strip().partition(" ")
    row = Form(
        name=name,
        key=key or name,
        syntax=" ".join(syntax.split()),
        slots=_parse_head(head, mods),
        places=tuple(_parse_place(t, o, operands) for t, o in _split_operands(tail)),
        operands=operands,
        mods=mods,
        rules=tuple(rules),
        needs=needs,
        needs_when=tuple((lift(t), n) for t, n in needs_when),
        isa=isa,
        effect=effect,
        doc=doc,
        unsimulated=unsimulated,
        defaults=defaults or {},
        reference=reference if reference is None or isinstance(reference, Reference) else Reference(reference),
        family=frame_at(1).f_globals["__name__"].rpartition(".")[2],
    )
    assert not wrong(isa), f"{row.key}: {wrong(isa)}"
    assert row.key not in FORMS, f"two rows have the key {row.key}"
    assert set(row.operand_names) == set(operands), f"{row.key}: operands {row.operand_names} against {set(operands)}"
    FORMS[row.key] = row
    BY_ROOT.setdefault(row.slots[0].values[0], []).append(row)
    return row
