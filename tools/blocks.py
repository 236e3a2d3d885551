"""Fenced blocks of the repository's Markdown pages: how they are found, and what a `diff` block makes of another one."""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block. `info` is what stands behind the fence, `follows` whether nothing but blank lines are before it."""

    info: tuple[str, ...]
    text: str
    line: int
    follows: bool
    span: tuple[int, int] = (0, 0)

    @property
    def kind(self) -> str:
        """The first word behind the fence, e.g. "python"; "" where there is none."""
        return self.info[0] if self.info else ""

    @property
    def name(self) -> str:
        """The file that it stands for; "" for none."""
        return self.info[1] if len(self.info) > 1 else ""

    def commands(self) -> list[tuple[str, str]]:
        """(command, output) of each command of a `console` block."""
        pieces = re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]
        return [(command, output) for command, _, output in (piece.partition("\n") for piece in pieces)]


def blocks(page: str) -> list[Block]:
    out: list[Block] = []
    end = 0
    for found in FENCE.finditer(page):
        between = page[end : found.start()].strip()
        line = page.count("\n", 0, found.start()) + 2
        out.append(Block(tuple(found[1].split()), found[2], line, bool(out) and not between, found.span(2)))
        end = found.end()
    return out


def changed(text: str, diff: str) -> str:
    """A text with the changes of a `diff` block."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = [(line or " ") for line in hunk.splitlines()]
        assert all(line[0] in " -+" for line in lines), hunk
        old, new = ("".join(f"{line[1:]}\n" for line in lines if line[0] != other) for other in "+-")
        assert f"\n{text}".count(f"\n{old}") == 1, f"not once in the text:\n{old}"
        text = f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:]
    return text
