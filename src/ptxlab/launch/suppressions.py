"""Findings that users have suppressed: by a comment at a line, or by a table of pyproject.toml for files and kernels.

A comment names codes and says why: `# ptxlab: ignore[PTX9200]: both write the same value`, in PTX and CUDA C++ after `//`.
It stands at the end of a line that a finding names, or alone on the line above. Tables are read by `launch.suppression_tables`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ptxlab.diag import CODES, Diagnostic, Findings, Span, Suppressed, source_lines
from ptxlab.launch.entry import Entry
from ptxlab.launch.suppression_tables import Rule, rules_here
from ptxlab.ptx import tree
from ptxlab.ptx.program import Op

_MARK: Final = "ptxlab:"
_COMMENT: Final = re.compile(r"(?:#|//)\s*ptxlab:\s*ignore\b\s*(?:\[([^\]]*)\])?[\s:]*(.*)$")
Place = tuple[str, int]
"""A file and a line."""


@dataclass(slots=True)
class _Suppression:
    """One code that is suppressed at one place.

    Attributes:
        code: of findings. reason: why. place: where that is written. rule: of a table; None for a comment.
        covers: lines of a comment's. matched: whether there was such a finding.
    """

    code: str
    reason: str
    place: Span
    covers: frozenset[Place] = frozenset()
    rule: Rule | None = None
    matched: bool = field(default=False)

    def fits(self, found: Diagnostic) -> bool:
        if found.code != self.code:
            return False
        places = [p for p in (found.span, found.origin, found.other, found.other_origin) if p is not None]
        if self.rule is not None:
            return self.rule.names(p.file for p in places)
        return any((p.file, p.line) in self.covers for p in places)


class Suppressions:
    """What is suppressed for the launches of a kernel."""

    def __init__(self, entry: Entry) -> None:
        program = entry.program
        ops = [op for routine in (program, *program.functions) for op in routine.ops]
        self._wrong: list[Diagnostic] = []
        self._all: list[_Suppression] = []
        for comment, covers in _comments(entry, ops):
            self._take(comment, covers)
        rules = [rule for rule in rules_here() if rule.concerns(entry.name)]
        files = (
            {entry.module.file, *_named_files(entry), *(op.origin.file for op in ops if op.origin)}
            if rules
            else set[str]()
        )
        for rule in rules:
            if rule.names(files):
                self._all += [_Suppression(code, rule.reason, rule.place, rule=rule) for code in rule.codes]
                if not rule.reason:
                    self._wrong.append(_without_reason(rule.place, "add reason = …"))

    def _take(self, comment: Span, covers: frozenset[Place]) -> None:
        match = _COMMENT.search(comment.text or "")
        assert match is not None
        words, reason = match.groups()
        codes = [word.strip() for word in (words or "").split(",") if word.strip()]
        unknown = [code for code in codes if not (code.startswith("PTX9") and code in CODES)]
        if not codes or unknown:
            what = f"`{unknown[0]}` is no code of a finding" if unknown else "the comment names no code"
            self._wrong.append(Diagnostic("PTX9281", f"{what}, so that nothing is suppressed by it", origin=comment))
        elif not reason.strip():
            self._wrong.append(_without_reason(comment, "write it behind the codes: `ignore[PTX9200]: why`"))
        self._all += [_Suppression(code, reason.strip(), comment, covers) for code in codes if code not in unknown]

    def split(self, found: Iterable[Diagnostic]) -> tuple[list[Diagnostic], list[Suppressed]]:
        """What is to be reported, and what is suppressed."""
        kept = Findings()
        suppressed: list[Suppressed] = []
        for d in found:
            fitting = [s for s in self._all if s.fits(d)]
            for s in fitting:
                s.matched = True
            if fitting:
                first = fitting[0]
                suppressed.append(Suppressed(d, first.reason, first.place, first.rule is None))
            else:
                kept.append(d)
        return kept, suppressed

    def doubts(self) -> list[Diagnostic]:
        """What is wrong with the suppressions themselves, once all findings of a launch have been looked at."""
        idle = [
            Diagnostic(
                "PTX9280",
                f"{s.code} is suppressed here, and nothing of the kind is found in this launch",
                origin=s.place,
            )
            for s in self._all
            if not s.matched
        ]
        return [*self._wrong, *idle]


def _without_reason(place: Span, help_: str) -> Diagnostic:
    return Diagnostic("PTX9281", "findings are suppressed here, and nobody says why", help=help_, origin=place)


def _named_files(entry: Entry) -> set[str]:
    return {item.name for item in entry.module.tree.items if isinstance(item, tree.File)}


def _comments(entry: Entry, ops: Sequence[Op]) -> Iterator[tuple[Span, frozenset[Place]]]:
    """Comments at lines of a kernel's instructions, and the lines that each is for."""
    module = entry.module
    texts: dict[str, Sequence[str]] = {}
    if any(op.span for op in ops) and _MARK in str(module):
        texts[module.file] = str(module).split("\n")
    for op in ops:
        if op.origin is not None and op.origin.file not in texts:
            texts[op.origin.file] = source_lines(op.origin)
    for name in _named_files(entry) - set(texts):
        texts[name] = source_lines(Span(name, 1, ptx=module.file))
    marked = {file: _marked(lines) for file, lines in texts.items()}
    if not any(marked.values()):
        return
    used = _places(entry, ops)
    for file, comments in marked.items():
        for number, covered in comments.items():
            covers = frozenset((file, line) for line in covered)
            if covers & used:
                yield Span(file, number, text=texts[file][number - 1].rstrip("\r\n")), covers


def _marked(lines: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """The lines with comments of ours, from 1, and those that each of them is for: itself, or the next where it stands alone."""
    out: dict[int, tuple[int, ...]] = {}
    for number, line in enumerate(lines, 1):
        if _MARK in line and _COMMENT.search(line):
            alone = line.lstrip().startswith(("#", "//"))
            out[number] = (number + 1,) if alone else (number,)
    return out


def _places(entry: Entry, ops: Sequence[Op]) -> set[Place]:
    """The lines of PTX and of sources that instructions come from."""
    from ptxlab.sim.engine.decoded.sources import sources

    origins = [op.origin or at.origin for op, at in zip(ops, sources(entry.module.tree, ops), strict=True)]
    return {(p.file, p.line) for p in (*origins, *(op.span for op in ops)) if p is not None}


__all__ = ["Suppressions"]
