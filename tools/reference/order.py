"""The page of the rules of order: `python -m tools.generate` writes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ptxlab.isa.order import (
    CARRIERS,
    GIVES,
    HANDED,
    KINDER,
    MEMORIES,
    NO_ORDER,
    PROXY_FENCES,
    TAKES,
    Give,
    ProxyFence,
    Take,
)
from tools import markdown

PATH = Path("docs/reference/order.md")
_HEAD = """# The rules of order

Made from the rows in `src/ptxlab/isa/order.py` by `python -m tools.generate`.
[The memory model](../explanation/memory-model.md) and [the sanitizer](../explanation/sanitizer.md) take their facts from these
rows. `tests/sanitizer/test_rules_of_order.py` holds both to them: it makes a program of every giver and every taker, and asks
the model, the sanitizer, and the sanitizer without its native filter.

Two accesses are ordered where somebody behind the first *gives*, somebody in front of the second *takes*, both by the same
carrier, and

- what is given and what is taken includes the first access,
- the scope of each side includes the other thread,
- the memory is one that both sides are about,
- where the two go through different proxies, [a fence](#fences-between-proxies) joins these.

Such steps can follow one another. `{scope}` is the scope that the instruction names, `{near}` is `cta` or `cluster`; the other
names are those of [litmus tests](../explanation/memory-model.md#a-test).
"""
_WORDS = {"own": "shared memory of its own CTA", "shared": "shared memory of other CTAs", "global": "global memory"}


def text() -> str:
    """The page."""
    parts = [
        _HEAD,
        "## What can be handed on\n\n" + _table(("", ""), HANDED.items()),
        *(_carrier(key, said) for key, said in CARRIERS.items()),
        "## Fences between proxies\n\n"
        + _table(("fence", "about", "where", "section", "shown by"), map(_fence, PROXY_FENCES)),
        "## State spaces of fences\n\nA fence that names a state space is about some memories alone:\n\n"
        + _table(
            ("state space", "memories"),
            ((f"`.{s}`" if s else "none", ", ".join(_WORDS[m] for m in found)) for s, found in MEMORIES.items()),
        ),
        "## What hands on nothing\n\n" + _table(("", ""), NO_ORDER.items()),
        '## Where the sanitizer asks for less\n\n`sanitize="strict"` asks for all.\n\n'
        + _table(("", ""), KINDER.items()),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _carrier(key: str, said: str) -> str:
    head, _, rest = said.partition(": ")
    title = head[0].upper() + head[1:]
    found = [f"## {title}", "", *([rest[0].upper() + rest[1:] + ".", ""] if rest else [])]
    names = ("who", "instructions", "what", "scope", "section", "shown by")
    rows: list[tuple[str, ...]] = [_row("gives", g, g.hands) for g in GIVES if g.by == key]
    rows += [_row("takes", t, t.gets) for t in TAKES if t.by == key]
    return "\n".join(found) + "\n" + _table(("", *names), rows)


def _row(side: str, row: Give | Take, what: str) -> tuple[str, ...]:
    about = f" (of `.{row.space}`)" if row.space else ""
    return side, row.name, _code(row.lines), what + about, row.scope or "as named", row.section, _shown(row.shown)


def _fence(row: ProxyFence) -> tuple[str, ...]:
    about = ", ".join(_WORDS[m] for m in MEMORIES[row.space])
    return _code(row.lines), about, row.where, row.section, _shown(row.shown)


def _code(lines: Iterable[str]) -> str:
    return "<br>".join(f"`{line}`" for line in lines)


def _shown(names: Iterable[str]) -> str:
    """Links to the tests."""
    links = (
        f"[{name.rpartition('/')[2]}](../../{name if name.endswith('.py') else f'examples/litmus/{name}+allowed.litmus'})"
        for name in names
    )
    return ", ".join(links)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(markdown.table(head, rows))
