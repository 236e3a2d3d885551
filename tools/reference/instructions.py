"""The reference as Markdown, a page for each family of rows: `python -m tools.generate` writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from ptxlab.isa import FAMILIES
from ptxlab.isa.enumerate import example
from ptxlab.isa.form import FORMS, Form
from ptxlab.reference import shapes, words
from ptxlab.reference.in_python import in_python, only_in_ptx
from tools import markdown

_FOLDER = Path("docs/reference/instructions")
_MARK = "Made from the rows by `python -m tools.generate`."
EXPLAINED = {
    "async_copy": ("copies",),
    "bulk": ("copies", "proxies"),
    "cluster": ("clusters",),
    "fence": ("memory-model", "proxies"),
    "matrix": ("tensor-cores",),
    "mbarrier": ("mbarriers",),
    "memory": ("memory-model",),
    "mma": ("tensor-cores", "tensor-core-numerics"),
    "mma_sparse": ("tensor-cores", "tensor-core-numerics"),
    "reduce": ("copies", "proxies"),
    "remote": ("clusters",),
    "tensor": ("tma", "proxies"),
    "tensormap": ("tma", "proxies"),
    "wgmma": ("tensor-cores", "tensor-core-numerics"),
    "wmma": ("tensor-cores", "tensor-core-numerics"),
}
"""The explanation pages that say how the instructions of a family are used."""


def pages() -> dict[str, str]:
    """The text of every page, by file name."""
    families = {family: [f for f in FORMS.values() if f.family == family] for family in FAMILIES}
    out = {f"{family}.md": _page(family, forms) for family, forms in families.items() if forms}
    out["index.md"] = _index(families)
    return out


def generated(folder: Path) -> set[str]:
    """The names of the pages in a folder that were made from rows."""
    return {p.name for p in folder.glob("*.md") if _MARK in p.read_text(encoding="utf-8")}


def _index(families: dict[str, list[Form]]) -> str:
    lines = [
        "# Instructions",
        "",
        f"{_MARK} Beside them: [numerics](../numerics.md), NaN, flushes, roundings",
        "and sums as an H100 was seen to do them; [the tensor map](../tensor-map.md), its 128 bytes field by field;",
        "[what copies through it do](../tma.md).",
        "",
    ]
    rows: list[tuple[str, str]] = []
    for family, forms in families.items():
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(f.name for f in forms))
        rows += [(f"[{family}]({family}.md)", names)] if forms else []
    return "\n".join((*lines, *markdown.table(("page", "opcodes"), rows))) + "\n"


def _page(family: str, forms: Iterable[Form]) -> str:
    module = sys.modules[f"ptxlab.isa.rows.{family}"]
    about = (module.__doc__ or family).strip().split("\n")[0]
    lines = [f"# {about.rstrip('.')}", "", _MARK]
    explained = [f"[{name.replace('-', ' ')}](../../explanation/{name}.md)" for name in EXPLAINED.get(family, ())]
    lines += ["", f"Explained in {', '.join(explained)}."] if explained else []
    for form in forms:
        lines += ["", f"## {form.key}", "", *_row(form)]
    return "\n".join(lines) + "\n"


def _row(form: Form) -> Iterator[str]:
    yield from (form.doc, "", "```", form.syntax, "```")
    yield from _table(("modifier", "values"), words.modifiers(form))
    yield from _table(("operand", "is"), words.operands(form))
    yield from _table(("rule", "must hold", "way out"), words.rules(form))
    yield from ("", f"- Needs: {'; '.join(words.needs(form))}", f"- Effect: {words.effect(form)}")
    found = example(form)
    if found is not None:
        yield f"- Example, {found[1]}: `{found[0].text}`"
        left = only_in_ptx(found[0])
        yield f"- In Python: `{in_python(found[0])}`" if left is None else f"- Not in Python: {left}"
    drawn = shapes.named_by(form)
    if drawn:
        yield f"- Fragments: [pictures](../fragments.md), or `ptxlab explain {drawn[0]}` for text"
    if form.unsimulated is not None:
        yield f"- Not simulated: {form.unsimulated}"
    yield f"- PTX ISA: {form.isa}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    found = [(f"`{first}`", *map(markdown.text, others)) for first, *others in rows]
    return ["", *markdown.table(head, found)] if found else []


def write(folder: Path = _FOLDER) -> None:
    """Write all pages, and remove those of families that are no more."""
    made = pages()
    folder.mkdir(parents=True, exist_ok=True)
    for name in generated(folder) - made.keys():
        (folder / name).unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} pages in {folder}")
