"""What stands behind a code, an opcode or an instruction, as text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from ptxlab.diag import Diagnostic, of_rule, page, sections, user_span
from ptxlab.diag.boundary import public
from ptxlab.diag.codes import CODES
from ptxlab.isa.enumerate import example
from ptxlab.isa.form import FORMS, Form
from ptxlab.isa.match import heads, part_of, root, split_opcode, why_no_head
from ptxlab.isa.sregs import SREGS
from ptxlab.reference import shapes, words
from ptxlab.reference.in_python import in_python, only_in_ptx
from ptxlab.reference.instruction import verdict
from ptxlab.reference.language import spoken

_CODE = re.compile(r"PTX\d{4}", re.IGNORECASE)
_EXAMPLE = re.compile(r"(PTX\d{4})\s+([a-z]+(?:-[a-z]+)*)", re.IGNORECASE)
_RANGES = {
    "PTX0": "syntax and forms",
    "PTX1": "targets and versions",
    "PTX2": "launch and layout",
    "PTX5": "lints: patterns that rarely mean what they say",
    "PTX9": "found while simulating",
}


@public
def explain(what: str) -> str:
    """What ptxlab knows of `what`.

    Args:
        what: a code ("PTX0212") or its name ("proxy-fence"), the likely cause of a hang ("first-parity", "PTX9100 count"), an
            opcode or the beginning of one ("cp.async", "mbarrier", "k.cp.async_"), a row's key, a special register ("%tid.x"), an
            instruction ("cp.async.cg.shared.global [a], [b], 8;"), a name of the language ("k.else_", "Ring", "Tile.remote"), an
            option ("pred=", "threads="), a word of the glossary ("poll"), or a shape whose fragments and metadata are drawn as
            text ("mma.m16n8k16", "wgmma.m64n128k16", "wmma.m16n16k16", "ldmatrix.m8n8.x4.trans").

    Returns: the text; of a word that is both an opcode and a name of the language, both.

    Raises: Diagnostic PTX2501 for a code or special register that does not exist, or for what is no text, PTX0100 or PTX0101 for
        an opcode, PTX2122 for a shape, PTX0001 for text that is none of these.

    Example:
        print(px.explain("k.else_").splitlines()[0])  # k.else_()
    """
    if not isinstance(what, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Diagnostic(
            "PTX2501",
            f"A {type(what).__name__} is no word to explain.",
            help='give a code, an instruction or a name as text: px.explain("mbarrier")',
            origin=user_span(),
        )
    what = what.strip()
    if _CODE.fullmatch(what):
        return _code(what.upper())
    asked = _EXAMPLE.fullmatch(what)
    if asked is not None:
        return _example(asked[1].upper(), asked[2].lower())
    named = next((code for code, info in CODES.items() if info.slug == what.lower()), None)
    if named is not None and "-" in what:
        return _code(named)
    caused = of_rule(what.lower())
    if caused is not None and "-" in what:
        return _example(caused, what.lower())
    if what.startswith("%") and what.rstrip(";") in SREGS:
        return _special(what)
    if re.search(r"[\s;]", what):
        return _instruction(what)
    return shapes.explained(what) or _word(what)


def _word(what: str) -> str:
    """A name of the language, an opcode, or both."""
    named = [code for code, info in CODES.items() if info.slug == what.lower()]
    try:
        opcodes = _opcode(_written(what))
    except Diagnostic as wrong:
        said = spoken.explained(what)
        if said is not None:
            return said
        if named:
            return _code(named[0])
        caused = of_rule(what.lower())
        if caused is not None:
            return _example(caused, what.lower())
        meant = spoken.near(what.removesuffix("="))
        if meant:
            wrong.help = f"{wrong.help + '; ' if wrong.help else ''}in the language: {', '.join(meant)}"
        raise
    # only words without a dot are both; to look for one imports all of the package
    said = spoken.explained(what) if "." not in what.removeprefix("k.") else None
    return opcodes if said is None else f"{opcodes}\n\n\n{said}"


def _written(what: str) -> str:
    """An opcode as PTX has it, of one as kernels in Python have it: k.fence.proxy.async_ → fence.proxy.async."""
    if not what.startswith("k."):
        return what
    return ".".join(part_of(part) for part in what.split("(")[0].split(".")[1:])


def row(form: Form) -> str:
    """All that a row says."""
    parts = [f"{form.name}: {form.doc}", f"  {form.syntax}"]
    parts += _section("Modifiers", _table(words.modifiers(form)))
    parts += _section("Operands", _table(words.operands(form)))
    parts += _section(
        "Rules", [line for code, term, help in words.rules(form) for line in (f"{code}  {term}", f"         {help}")]
    )
    parts += _section("Needs", words.needs(form))
    parts += _section("Effect", [words.effect(form)])
    found = example(form)
    if found is not None:
        left = only_in_ptx(found[0])
        parts += _section(f"Example ({found[1]})", [found[0].text])
        parts += _section(*(("In Python", [in_python(found[0])]) if left is None else ("Not in Python", [left])))
    shown = shapes.named_by(form)
    parts += _section("Fragments", [f"`ptxlab explain` draws them: {', '.join(shown)}"] if shown else [])
    if form.unsimulated is not None:
        parts += _section("Not simulated", [form.unsimulated])
    parts += ["", f"PTX ISA: {form.isa}"]
    return "\n".join(parts)


def _section(title: str, lines: Iterable[str]) -> list[str]:
    found = [f"  {line}" for line in lines]
    return ["", title, *found] if found else []


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    found = list(rows)
    width = max((len(name) for name, _ in found), default=0)
    return [f"{name.ljust(width)}  {text}" for name, text in found]


def _code(code: str) -> str:
    info = CODES.get(code)
    if info is None:
        near = difflib.get_close_matches(code, CODES, n=3)
        raise Diagnostic("PTX2501", f"There is no code {code}.", help=f"near it: {', '.join(near)}" if near else None)
    parts = [f"{code} {info.slug} ({info.severity}; {_RANGES[code[:4]]})", f"  {info.title}"]
    parts += _section("Way out", [info.help] if info.help else [])
    users: dict[tuple[str, str], list[str]] = {}
    for form in FORMS.values():
        for rule in form.rules:
            if rule.code == code:
                users.setdefault((words.spoken(rule.term), rule.help), []).append(form.name)
    lines: list[str] = []
    for (term, help), names in users.items():
        lines += [f"{', '.join(dict.fromkeys(names))}: {term}", f"    {help}"]
    return "\n".join(parts + _section("What must hold", lines) + _page(code))


def _page(code: str) -> list[str]:
    """The code's page behind its heading and its first sentence, which are its name and its title.

    Of a page with an example for each cause only what stands before them, and what there is.
    """
    file = page(code)
    if file is None:
        return []
    _, _, text = file.read_text(encoding="utf-8").split("\n\n", 2)
    several = sections(code)
    if several:
        text = text.partition("\n## ")[0]
        return ["", text.rstrip(), *_section(f"Examples: ptxlab explain {code} CAUSE", [", ".join(several)])]
    return ["", text.rstrip()]


def _example(code: str, cause: str) -> str:
    """The example of one cause of a code, and its repair."""
    found = sections(code).get(cause)
    if found is None:
        named = of_rule(cause)
        near = f"{named} {cause}" if named is not None else ", ".join(sections(code)) or None
        help_ = f"there is: {near}" if near else f"ptxlab explain {code}"
        raise Diagnostic("PTX2501", f"There is no example {cause} of {code}.", help=help_)
    return f"{code} {CODES[code].slug}\n\n{found}"


def _special(name: str) -> str:
    found = SREGS[name.rstrip(";")]
    return f"{found.name}: {found.doc}\n  special register of type .{found.type}\n\nNeeds\n  {found.need}"


def _opcode(what: str) -> str:
    if what in FORMS and sum(1 for f in FORMS.values() if f.name == what) == 0:
        return row(FORMS[what])
    exact = [f for f in FORMS.values() if f.name == what] or [form for form, _ in heads(what)]
    below = [f for f in FORMS.values() if f.name.startswith(f"{what}.") and f not in exact]
    if not exact and not below:
        exact = _begun(what)
    shown = [row(f) for f in exact]
    if below:
        listed = _table({f.name: f.doc for f in below}.items())
        shown.append("\n".join([f"Opcodes that begin with {what}", *(f"  {line}" for line in listed)]))
    return "\n\n\n".join(shown)


def _begun(what: str) -> list[Form]:
    """Rows that an incomplete opcode with modifiers may become."""
    parts = split_opcode(what)
    state = root(parts[0])
    for part in parts[1:]:
        state = state.step(part) if state is not None else None
    if state is None:
        if what in FORMS:
            return [FORMS[what]]
        raise why_no_head(what)
    return list({form.key: form for form, _ in sorted(state.positions, key=lambda p: p[0].key)}.values())


def _instruction(what: str) -> str:
    found = verdict(what)
    forms: Sequence[Form] = [form for form, _ in heads(found.opcode)]
    if found.instance is not None:
        forms = [found.instance.form]
    head = [found.text, *_section("Operands as given", _table(found.operands))]
    head += _section("Verdict", found.said)
    return "\n\n\n".join(["\n".join(head), *(row(f) for f in forms)])
