"""The reference of the language as Markdown: `python -m tools.generate` writes it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ptxlab.diag import page as finding
from ptxlab.diag.codes import CODES
from ptxlab.isa.form import FORMS
from ptxlab.isa.sregs import SREGS, in_python
from ptxlab.reference.language.example import complete
from ptxlab.reference.language.glossary import GLOSSARY
from ptxlab.reference.language.names import Name, fields, names, slug, special_registers
from ptxlab.reference.language.places import PAGES, Page
from tools import markdown
from tools.reference.glance import GLANCE, shown_words

FOLDER = Path("docs/reference/language")
_MARK = "Made from the docstrings by `python -m tools.generate`."
_HEADS = re.compile(r"(?:^\*{0,2}[A-Za-z_]\w*(?:, \*{0,2}\w+)*|(?<=\. )\*{0,2}[a-z_]\w*(?:, \*{0,2}[a-z_]\w*)*)(?=: )")
_CODE = re.compile(r"\bPTX\d{4}\b")


def pages() -> dict[str, str]:
    """The text of every page, by file name."""
    out = {"index.md": _index(), "glossary.md": _glossary(), "special-registers.md": _special()}
    for page in PAGES:
        out[f"{page.slug}.md"] = _page(page)
    return out


def write(folder: Path = FOLDER) -> None:
    """Write all pages, and remove generated ones that are no more."""
    made = pages()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in made and _MARK in old.read_text(encoding="utf-8"):
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} pages in {folder}")


def _index() -> str:
    lines = [
        "# The language at a glance",
        "",
        f"{_MARK} What a CUDA or PTX programmer wants to write, and the words for it. `ptxlab explain WORD` says the",
        'same as these pages in a terminal, and `px.explain("WORD")` in Python.',
        "",
    ]
    rows: list[tuple[str, str, str]] = []
    for entry in GLANCE:
        code = "<br>".join(f"`{markdown.cell(line)}`" for line in entry.shown)
        words = ", ".join(map(linked_word, shown_words(entry)))
        rows.append((entry.what, words, code))
    lines += [
        *markdown.table(("what", "words", "example"), rows),
        "",
        "In these lines `x`, `out` and `maps` are pointers, `tm` is a tensor map, `i` and `v` are registers, `p` is a predicate.",
        "",
    ]
    pages: list[tuple[str, str]] = []
    for page in PAGES:
        listed = ", ".join(_linked(n) for n in names() if n.page is page and n.owner is None)
        pages.append((f"[{page.title}]({page.slug}.md)", listed))
    registers = ", ".join(f"`{n}`" for n in list(special_registers())[:12])
    pages.append(("[Special registers](special-registers.md)", f"{registers} …"))
    pages.append(("[Glossary](glossary.md)", "what our own words mean"))
    lines += ["## Pages", "", *markdown.table(("page", "names"), pages)]
    return "\n".join(lines) + "\n"


def _linked(name: Name) -> str:
    return f"[`{name.shown}`]({name.page.slug}.md#{name.anchor})"


@cache
def _by_word() -> dict[str, Name]:
    found: dict[str, Name] = {}
    for name in names():
        found.setdefault(name.shown, name)
    return found


def linked_word(word: str) -> str:
    """A word of the table, with a link where it has a place in the reference."""
    name = _by_word().get(word)
    if name is not None:
        return _linked(name)
    if word.startswith("k.") and word[2:] in special_registers():
        return f"[`{word}`](special-registers.md#{word[2:].lower()})"
    target = _instruction(word.removeprefix("k."))
    return f"[`{word}`]({target})" if target else f"`{word}`"


def _instruction(opcode: str) -> str | None:
    """The page and anchor of an instruction."""
    plain = ".".join(part.rstrip("_") for part in opcode.split("."))
    form = next((f for f in FORMS.values() if plain in (f.name, f.key)), None)
    return f"../instructions/{form.family}.md#{slug(form.key)}" if form is not None else None


def _glossary() -> str:
    lines = [
        "# Glossary",
        "",
        f"{_MARK} What our own words mean; PTX's words keep their meaning from the PTX manual.",
        "",
    ]
    for word, text in sorted(GLOSSARY.items(), key=lambda item: item[0].lower()):
        lines += [f"## {word}", "", text, ""]
    return "\n".join(lines).rstrip() + "\n"


def _special() -> str:
    lines = [
        "# Special registers",
        "",
        f"{_MARK} `k.` and the name of the register without its `%`: `k.laneid`. Those with parts have `.x`, `.y` and",
        "`.z`: `k.tid.x`; those with a number have an index: `k.envreg[3]`. A register that cannot change is read once, at the",
        "kernel's entry; clocks are read where they are named.",
        "",
        "```python",
        complete("k.st.global_.u32(out[k.thread], k.laneid + k.ctaid.x)\n# out[30:34]: [30 31  0  1]").program.rstrip(),
        "```",
    ]
    for word, registers in special_registers().items():
        lines += ["", f"## {word}", ""]
        for register in registers:
            info = SREGS[register]
            lines.append(f"- `{in_python(register)}`: {info.doc} Type .{info.type}; needs {info.need}.")
    return "\n".join(lines) + "\n"


def _page(page: Page) -> str:
    lines = [f"# {page.title}", "", f"{page.intro} {_MARK}"]
    for name in names():
        if name.page is page:
            lines += ["", *_entry(name)]
    return "\n".join(lines) + "\n"


def _entry(name: Name) -> Iterator[str]:
    yield f"{'##' if name.owner is None else '###'} `{name.shown}`"
    signature = name.signature()
    if signature != name.shown:
        yield from ("", "```text", *_folded(signature), "```")
    if name.doc.text:
        yield from ("", _with_codes(name.doc.text))
    for lines in name.doc.items.values():
        yield from ("", *(f"- {_with_codes(marked(line))}" for line in lines))
    missing = (
        [f for f in fields(name.value) if not any(f == n for n, _ in name.doc.named())]
        if inspect.isclass(name.value)
        else []
    )
    assert not missing, f"{name.shown} does not say what {', '.join(missing)} is: add it to `Attributes:`"
    for section, text in name.doc.notes.items():
        yield from ("", f"**{section}**: {_with_codes(text)}")
    if name.doc.opcodes:
        yield from ("", f"**PTX**: {', '.join(map(_opcode, name.doc.opcodes))}")
    if name.doc.example:
        yield from ("", "```python", complete(name.doc.example).program.rstrip(), "```")
    elif name.doc.see:
        other = _by_word()[name.doc.see]
        where = "" if other.page is name.page else f"{other.page.slug}.md"
        yield from ("", f"Example: see [`{other.shown}`]({where}#{other.anchor}).")


def marked(line: str) -> str:
    """A line of arguments with their names as code: what is before a colon at its head, or behind a full stop in lower case."""
    parts = re.split(r"(`[^`]*`)", line)  # code stays as it is
    parts[::2] = [_HEADS.sub(lambda found: re.sub(r"\*{0,2}\w+", r"`\g<0>`", found[0]), part) for part in parts[::2]]
    return "".join(parts)


def _opcode(opcode: str) -> str:
    target = _instruction(opcode)
    assert target is not None, f"there is no instruction {opcode}"
    form = next(f for f in FORMS.values() if opcode in (f.name, f.key))
    return f"[`{opcode}`]({target}) (PTX ISA: {form.isa})"


def _with_codes(text: str) -> str:
    """Text in which codes that have a page are links."""

    def link(found: re.Match[str]) -> str:
        code = found[0]
        return f"[{code}](../../findings/{code}.md)" if code in CODES and finding(code) is not None else code

    return _CODE.sub(link, text)


def _folded(signature: str) -> list[str]:
    """A signature on lines of at most 110 characters."""
    if len(signature) <= 110:
        return [signature]
    head, _, rest = signature.partition("(")
    lines, line = [f"{head}("], "   "
    for part in rest.rstrip(")").split(", "):
        if len(line) + len(part) > 106:
            lines.append(line)
            line = "   "
        line += f" {part},"
    return [*lines, line, ")"]
