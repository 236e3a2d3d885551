"""Opcodes against rows: an automaton over modifiers that the parser and the language both walk."""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ptxlab.diag import Diagnostic
from ptxlab.isa.form import BY_ROOT, Form
from ptxlab.isa.spellings import meant
from ptxlab.isa.types import SPACES

Head = tuple[Form, dict[str, str]]
_TYPE = re.compile(r"(?!b1024)[busf]\d+(x\d+)?(_p\d+)?|bf16(x2)?|tf32|pred|s2f6x2|u?e\dm\d(x\d+)?")
# Words that ptxas takes for modifiers although they close a row's name, and modifiers that it takes for part of the name.
_NO_NAME = frozenset(("sync", "noComplete", "mbarrier_init", "popc", "ballot", "any", "all", "sp"))
_OF_NAME = frozenset(("lo", "hi", "wide", "full", "to", "l", "r", "inc", "dec", "a", "b", "c", "d", "base"))
_MOST = 16  # words in a list
_FREE = frozenset(("tld4", "set", "setp"))  # whose component, .r to .a, and whose .lo and .hi may stand anywhere
_Position = tuple[Form, int]


class State:
    """Where one stands after some parts of an opcode. States are shared: the same set of positions is the same state."""

    _all: dict[frozenset[tuple[str, int]], State] = {}

    def __init__(self, positions: frozenset[_Position]) -> None:
        self.positions = positions
        self._next: dict[str, State | None] = {}

    @classmethod
    def of(cls, positions: Iterable[_Position]) -> State:
        """The state for a set of (row, slots passed)."""
        chosen = frozenset(positions)
        key = frozenset((f.key, i) for f, i in chosen)
        found = cls._all.get(key)
        if found is None:
            found = cls._all[key] = cls(chosen)
        return found

    def step(self, part: str) -> State | None:
        """The state after one more part; None where no row goes on like that."""
        if part not in self._next:
            out: list[_Position] = []
            for row, start in self.positions:
                for i in range(start, len(row.slots)):
                    slot = row.slots[i]
                    if part in slot.values:
                        out.append((row, i + 1))
                    if not slot.optional:
                        break
            self._next[part] = State.of(out) if out else None
        return self._next[part]

    def parts(self) -> list[str]:
        """Everything that may come next."""
        out: dict[str, None] = {}
        for row, start in sorted(self.positions, key=lambda p: (p[0].key, p[1])):
            for slot in row.slots[start:]:
                out.update(dict.fromkeys(slot.values))
                if not slot.optional:
                    break
        return list(out)

    def complete(self) -> list[Form]:
        """The rows whose opcode may end here."""
        done = [row for row, i in self.positions if all(s.optional for s in row.slots[i:])]
        return sorted(done, key=lambda row: row.key)


def root(word: str) -> State | None:
    """The state after the first word of an opcode."""
    rows = BY_ROOT.get(word)
    return State.of((row, 1) for row in rows) if rows else None


def _assign(row: Form, parts: tuple[str, ...]) -> dict[str, str] | None:
    """Which slot takes which part; None when the row does not take them all."""

    def go(slot: int, part: int) -> dict[str, str] | None:
        if slot == len(row.slots):
            return {} if part == len(parts) else None
        here = row.slots[slot]
        if part < len(parts) and parts[part] in here.values:
            rest = go(slot + 1, part + 1)
            if rest is not None:
                return {here.name: parts[part], **rest} if here.name else rest
        return go(slot + 1, part) if here.optional else None

    return go(0, 0)


def _assign_unordered(row: Form, parts: tuple[str, ...]) -> dict[str, str] | None:
    """As `_assign`, but behind the instruction's name the modifiers may stand in any order, as ptxas has it and the C++
    library's atomics need it: `atom.add.acquire.cta.u32`. Only state spaces and types mean something by their order."""
    fixed = _named(row)
    left = list(parts)
    taken: list[str] = []
    out: dict[str, str] = {}
    for i, slot in enumerate(row.slots):
        part = next((p for p in left if p in slot.values), None)
        if part is not None:
            named = i < fixed or (i <= 2 and part in _OF_NAME and parts[0] not in _FREE)
            if named and part != parts[i]:
                return None
            left.remove(part)
            taken.append(part)
            if slot.name:
                out[slot.name] = part
        elif not slot.optional:
            return None
    return out if not left and _ranked(parts) == _ranked(taken) else None


def _named(row: Form) -> int:
    """How many parts of the opcode are the instruction's name, and stay in front."""
    count = 0
    for slot, word in zip(row.slots, row.name.split("."), strict=False):
        if slot.name is not None or slot.optional or slot.values != (word,) or word in _NO_NAME:
            break
        count += 1
        if word == "proxy":
            break
    return count


def _ranked(parts: Iterable[str]) -> tuple[list[str], list[str]]:
    """The parts whose order counts: state spaces, and types."""
    every = list(parts)
    return [p for p in every if p in SPACES], [p for p in every if _TYPE.fullmatch(p)]


def split_opcode(opcode: str) -> tuple[str, ...]:
    """The parts of an opcode: `ld.shared::cta.b32` → ("ld", "shared::cta", "b32")."""
    return tuple(opcode.split("."))


@lru_cache(maxsize=65536)
def heads(opcode: str) -> tuple[Head, ...]:
    """Every row that the opcode fits, or the one that ptxas takes it for, with the modifiers chosen. Empty when none does."""
    parts = split_opcode(opcode)
    rows = BY_ROOT.get(parts[0], ())
    out = [(row, found) for row in rows if (found := _assign(row, parts)) is not None]
    if not out:
        out = [(row, found) for row in rows if (found := _assign_unordered(row, parts)) is not None]
    if not out and (told := meant(parts))[1]:
        return heads(".".join(told[0]))
    return tuple(out)


def in_order(parts: Sequence[str]) -> list[str] | None:
    """The parts as the row has them that takes all of them and lacks least; None where no row does."""
    found: list[tuple[int, str, list[str]]] = []
    for row in BY_ROOT.get(parts[0], ()):
        taken, lacking = _placed(row, parts)
        if taken is not None:
            found.append((len(lacking), row.key, taken))
    return min(found)[2] if found else None


def unfinished(parts: Sequence[str]) -> list[list[str]]:
    """The parts with what they lack in between: `mul.u32` → `mul.lo.u32`, `mul.hi.u32`; at most four ways."""
    out: list[list[str]] = []
    for row in sorted(BY_ROOT.get(parts[0], ()), key=lambda row: row.key):
        taken, lacking = _placed(row, parts)
        if taken == list(parts) and len(lacking) == 1 and lacking[0] < len(parts):
            at = lacking[0]
            missing = next((s for s in row.slots if not s.optional and not set(s.values) & set(parts)), None)
            out += [[*parts[:at], value, *parts[at:]] for value in (missing.values if missing is not None else ())]
    return [way for i, way in enumerate(out) if way not in out[:i]][:4]


def shorter(parts: Sequence[str], at: int) -> tuple[list[str], str] | None:
    """A whole opcode without one of its parts, and that part: the one that does not fit, `at`, or one in front of it."""
    if in_order(parts) is not None:
        return None  # they go together, in another order or with what is missing
    for i in range(at, 0, -1):
        left = [*parts[:i], *parts[i + 1 :]]
        if heads(".".join(left)):
            return left, parts[i]
    return None


def listed(words: Sequence[str]) -> str:
    """The first of some words, and how many more there are."""
    more = len(words) - _MOST
    return (", ".join(words[:_MOST]) or "nothing") + (f", … and {more} more" if more > 0 else "")


def _placed(row: Form, parts: Sequence[str]) -> tuple[list[str] | None, list[int]]:
    """The parts in the row's order, None where it does not take them all; and behind how many of them it lacks something."""
    left, taken, lacking = list(parts), list[str](), list[int]()
    for slot in row.slots:
        part = next((p for p in left if p in slot.values), None)
        if part is not None:
            left.remove(part)
            taken.append(part)
        elif not slot.optional:
            lacking.append(len(taken))
    return (None if left else taken), lacking


@lru_cache(maxsize=1 << 12)
def _near(word: str) -> tuple[str, ...]:
    """The instructions with the most similar names."""
    return tuple(difflib.get_close_matches(word, BY_ROOT, n=3))


def why_no_head(opcode: str) -> Diagnostic:
    """Why no row takes the opcode: the first part that does not fit, and what would."""
    parts = split_opcode(opcode)
    state = root(parts[0])
    if state is None:
        near = _near(parts[0])
        return Diagnostic(
            "PTX0100",
            f"no instruction is called `{parts[0]}`",
            help=f"did you mean {_or(near)}?" if near else "see the reference for the instructions that ptxlab knows",
        )
    done = parts[0]
    for at, part in enumerate(parts[1:], 1):
        following = state.step(part)
        if following is None:
            options = state.parts()
            return Diagnostic(
                "PTX0101",
                f"`{done}` takes no `.{part}` here",
                help=_meant(parts, at, options) + f"what may follow: {listed(['.' + o for o in options])}",
                isa=_section(state),
            )
        state, done = following, f"{done}.{part}"
    options = sorted(state.parts(), key=lambda p: not _ends(state, p))  # what completes it first
    return Diagnostic(
        "PTX0102",
        f"`{done}` is not complete",
        help=f"what may follow: {listed(['.' + o for o in options])}",
        isa=_section(state),
    )


def _meant(parts: Sequence[str], at: int, options: Sequence[str]) -> str:
    """What may have been meant where a part does not fit: a word left out, another part before it, or a similar one."""
    part = parts[at]
    lacking = list(dict.fromkeys(way[at] for way in unfinished(parts[: at + 1]) if way[at] in options))
    if lacking:
        return (
            f"before it comes {', '.join('.' + x for x in lacking[:-1])}{' or ' * (len(lacking) > 1)}.{lacking[-1]}; "
        )
    ordered = in_order(parts)
    if ordered is not None and ordered != list(parts):
        return f"the order is `{'.'.join(ordered)}`; "
    near = difflib.get_close_matches(part, options, n=1, cutoff=0.8)
    fewer = None if near else shorter(parts, at)
    if fewer is not None:
        return f"`{'.'.join(fewer[0])}` has no `.{fewer[1]}`; "
    for i in range(at - 1, 0, -1) if not near else ():
        before = _after(parts[:i])
        others = (
            [o for o in before.parts() if _after([*parts[:i], o, *parts[i + 1 : at + 1]]) is not None] if before else []
        )
        found = difflib.get_close_matches(parts[i], others, n=1, cutoff=0)
        if found:
            return f"`.{part}` goes with `.{found[0]}` in the place of `.{parts[i]}`; "
    near = near or difflib.get_close_matches(part, options, n=1)
    return f"did you mean `.{near[0]}`? " if near else ""


def _after(parts: Sequence[str]) -> State | None:
    """Where parts lead; None where they do not fit."""
    state = root(parts[0])
    for part in parts[1:]:
        state = state.step(part) if state is not None else None
    return state


def _ends(state: State, part: str) -> bool:
    following = state.step(part)
    return following is not None and bool(following.complete())


def _or(words: Sequence[str]) -> str:
    return " or ".join(f"`{w}`" for w in words)


def _section(state: State) -> str | None:
    sections = {row.isa for row, _ in state.positions}
    return sections.pop() if len(sections) == 1 else None


# --- opcodes as attributes of Python ---------------------------------------------------------------------------------------
_RATIOS = {"sp::2:4": "sp__2_4"}
"""Modifiers with a single colon, as attributes."""


def attribute_of(part: str) -> str:
    """The attribute for a part of an opcode: async → `async_`, 2d → `_2d`, shared::cta → `shared__cta`."""
    name = _RATIOS.get(part) or part.replace("::", "__")
    if name[0].isdigit():
        return "_" + name
    return name + "_" if keyword.iskeyword(name) else name


def part_of(attribute: str) -> str:
    """The part of an opcode that an attribute names; the inverse of `attribute_of`."""
    if attribute.endswith("_") and keyword.iskeyword(attribute[:-1]):
        return attribute[:-1]
    if attribute.startswith("_") and attribute[1:2].isdigit():
        attribute = attribute[1:]
    ratio = next((part for part, name in _RATIOS.items() if name == attribute), None)
    return ratio or attribute.replace("__", "::")
