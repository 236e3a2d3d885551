"""The words of the language for `px.explain`, as text."""

from __future__ import annotations

import difflib
import re

from ptxlab.reference.language.docstring import Docstring
from ptxlab.reference.language.example import complete
from ptxlab.reference.language.glossary import GLOSSARY
from ptxlab.reference.language.names import Name, names

_OPTION = re.compile(r"(?:(\w[\w.]*)\()?(\w+)=\)?$")


def explained(what: str) -> str | None:
    """What is known of a word: a public name, the last part of one, an option such as "pred=", or a word of the glossary."""
    option = _OPTION.match(what)
    if option is not None:
        return _option(option[2])
    found = _found(what)
    parts = [_name(name) for name in found]
    term = next((word for word in GLOSSARY if what.lower() in re.split(r",\s*", word.lower())), None)
    if term is not None:
        parts.append(f"{term} (glossary)\n  {GLOSSARY[term]}")
    return "\n\n\n".join(parts) or None


def near(what: str) -> list[str]:
    """Words that may have been meant."""
    words = {name.word for name in names()} | {name.shown for name in names()} | GLOSSARY.keys()
    return difflib.get_close_matches(what, sorted(words), n=3, cutoff=0.72)


def _found(what: str) -> list[Name]:
    exact = [n for n in names() if what in (n.shown, n.shown.removeprefix("px."))]
    return exact or [n for n in names() if n.word == what]


def _name(name: Name) -> str:
    parts = [name.signature(), *_indented(name.doc.text)]
    for title, lines in name.doc.items.items():
        parts += ["", title, *(f"  {line}" for line in lines)]
    for title, text in name.doc.notes.items():
        parts += ["", title, f"  {text}"]
    if name.doc.opcodes:
        parts += ["", "PTX", f"  {', '.join(name.doc.opcodes)}"]
    listed = [n for n in names() if n.owner is not None and n.owner.shown == name.shown]
    if listed:
        parts += ["", "Members", *(f"  {n.shown}: {n.doc.summary}" for n in listed)]
    parts += _example(name, name.doc)
    return "\n".join(parts)


def _example(name: Name, doc: Docstring) -> list[str]:
    if doc.example:
        return ["", "Example", *_indented(complete(doc.example).program)]
    source = doc.see or (name.owner.shown if name.owner is not None else "")
    return ["", f"Example: see {source}"] if source else []


def _indented(text: str) -> list[str]:
    return [f"  {line}".rstrip() for line in text.rstrip("\n").split("\n")] if text else []


def _option(word: str) -> str | None:
    lines = [
        f"{n.shown}({word}=)\n  {line}"
        for n in names()
        for found, line in n.doc.named()
        if found == word and "Args" in n.doc.items
    ]
    return "\n\n".join(dict.fromkeys(lines)) or None
