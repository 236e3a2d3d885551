"""What a row says, in words: one place for the command, for Python and for the pages of the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

from ptxlab.isa import effects
from ptxlab.isa.extents import Box, Extent, Lines, Matrix, Rows, Run
from ptxlab.isa.form import Form
from ptxlab.isa.specs import Range, Spec
from ptxlab.isa.terms import Binary, Lookup, Mod, Term

_ROLES = {"r": "read", "w": "written", "rw": "read and written", "a": "not accessed: its value counts"}
_KINDS = {
    "reg": "register",
    "imm": "immediate",
    "sreg": "special register",
    "symbol": "symbol",
    "label": "label",
    "not": "!register",
    "sink": "_",
    "params": "list in parentheses",
}
_GROUPS = {
    "cp.async-group": "cp.async.commit_group and then cp.async.wait_group or wait_all; or cp.async.mbarrier.arrive",
    "bulk-group": "cp.async.bulk.commit_group and then cp.async.bulk.wait_group",
    "mbarrier": "the bytes reported to the mbarrier that it names: mbarrier.test_wait or try_wait on that phase",
    "wgmma-group": "wgmma.commit_group and then wgmma.wait_group",
}
_TABLE = re.compile(r"(\.\w+) as (\{[^}]*\})")
_MEASURES = {"'b32': 4": "bytes", "'f32': 32": "bits", "'v4': 4": "elements"}
"""An entry by which a table is known → what it says of the name that is looked up."""
_MEASURED = re.compile("|".join(_MEASURES))


def spoken(term: Term) -> str:
    """A term as a reader wants it: tables that only rename are left out."""
    if isinstance(term, Lookup):
        table = {k: v for k, v in term.table.items() if k is not None}
        if len(table) > 6 or all(str(v).startswith(str(k)) for k, v in table.items()):
            return f"by {term.inner}"
        default = [str(term.table[None])] if None in term.table else []
        return ", ".join((*default, *(f"{v} for .{k}" for k, v in table.items())))
    if isinstance(term, Binary) and not any(_MEASURED.search(str(side)) for side in (term.left, term.right)):
        return f"{spoken(term.left)} {term.op} {spoken(term.right)}"
    return _TABLE.sub(_measured, str(term))


def _measured(found: re.Match[str]) -> str:
    """A table inside a term, by what it measures: readers know how wide .f32 is."""
    measure = next((name for entry, name in _MEASURES.items() if entry in found[2]), None)
    return f"{measure}({found[1]})" if measure else found[0]


def modifiers(form: Form) -> Iterator[tuple[str, str]]:
    """Each modifier with its values."""
    for slot in form.slots:
        if slot.name is None:
            continue
        values = " | ".join(dict.fromkeys(f".{v}" for v in slot.values))
        notes = ["may be left out"] if slot.optional else []
        notes += [f"then .{form.defaults[slot.name]}"] if slot.name in form.defaults else []
        yield f".{slot.name}", values + (f" ({', '.join(notes)})" if notes else "")


def operands(form: Form) -> Iterator[tuple[str, str]]:
    """Each operand: kind, type, width, state space, direction."""
    optional = {p.names[0] for p in form.places if p.optional}
    for place in form.places:
        optional |= set(place.names[1:]) if place.kind == "optpair" else set()
        for index, name in enumerate(place.names):
            spec = form.operands[name]
            words = "coordinates" if place.kind == "tensor" and index == len(place.names) - 1 else _operand(spec)
            if spec.when is not None:
                words += f"; present exactly when {spoken(spec.when)}"
            elif name in optional:
                words += "; may be left out"
            yield name, words + (f": {spec.note}" if spec.note else "")


def _operand(spec: Spec) -> str:
    if "addr" in spec.kinds:
        return _address(spec)
    kinds = " or ".join(word for kind, word in _KINDS.items() if kind in spec.kinds)
    words = [kinds]
    if spec.type is not None:
        shown = spoken(spec.type)
        words.append(f"of type {shown if shown[0] == '.' or shown.startswith('by ') else '.' + shown}")
    if spec.count is not None:
        words.append(f"in braces, as many as {spoken(spec.count)}" if spec.always_vector else f"({spoken(spec.count)})")
    if spec.wider is True:
        words.append("or wider")
    if isinstance(spec.values, Range):
        words.append(f"from {spec.values}")
    elif spec.values:
        words.append("of " + ", ".join(map(str, spec.values)))
    return f"{' '.join(words)}, {_ROLES[spec.role]}"


def _address(spec: Spec) -> str:
    space = spoken(spec.space) if spec.space is not None else "generic"
    where = (
        f"in the space {space[3:]}" if space.startswith("by ") else "generic" if space == "generic" else f"in .{space}"
    )
    words = [f"address, {where}", _ROLES.get(spec.access, "read")]
    words += [f"in the {spec.proxy} proxy"] if spec.proxy is not None else []
    words += [f"not where {spec.unless} is true"] if spec.unless is not None else []
    words += [f"the bytes that {spec.mask} names, where it is given"] if spec.mask is not None else []
    words += [_extent(spec.extent)] if spec.extent is not None else []
    if spec.bytes is not None and spec.extent is None:
        words.append(f"bytes: {spoken(spec.bytes)}")
    if spec.align is not None:
        words.append(f"aligned to {spoken(spec.align)}")
    return ", ".join(words)


def _extent(extent: Extent[Term]) -> str:
    """How the bytes of an access lie."""
    match extent:
        case Run():
            return f"bytes: {spoken(extent.bytes)}"
        case Rows():
            return f"{spoken(extent.rows)} rows of {spoken(extent.bytes)} bytes, each at the address of another lane"
        case Lines():
            return f"{spoken(extent.lines)} lines of {spoken(extent.bits)} bits, {spoken(extent.stride)} bits apart"
        case Matrix():
            return f"{spoken(extent.rows)} rows of {spoken(extent.bits)} bits"
        case Box():
            return "a box whose extent the tensor map gives"


def rules(form: Form) -> Iterator[tuple[str, str, str]]:
    """Each rule: its code, its term, the way out."""
    for rule in form.rules:
        mild = "" if rule.severity == "error" else f" ({rule.severity})"
        yield rule.code + mild, spoken(rule.term), rule.help


def needs(form: Form) -> Iterator[str]:
    """What the form needs, and what parts of it need beyond that."""
    yield str(form.needs)
    for term, need in form.needs_when:
        yield f"{need}, where {spoken(term)}"


def effect(form: Form) -> str:
    """What it does to the machine, and what completes it."""
    found = form.effect
    match found:
        case effects.AsyncCopy():
            return f"asynchronous, in the {found.proxy} proxy{_ordered(found)}; {_ends(found.completion)}"
        case effects.AsyncMma():
            return f"asynchronous, in the {found.proxy} proxy; {_ends(found.completion)}"
        case effects.Group():
            return _group(found)
        case effects.Compute():
            return "registers from registers"
        case effects.WarpWide():
            return "exchanges data or elects among the threads of a warp"
        case effects.Access():
            published = "; then published to the tensormap proxy" if found.tensormap == "publish" else ""
            return f"{found.kind} in the {_word(found.proxy)} proxy{_ordered(found)}, done when the thread goes on{published}"
        case effects.Opaque(kind=str()):
            return f"{found.kind} in the {found.proxy} proxy, weak, of memory that the {found.proxy} names"
        case effects.Opaque():
            return "anything: what it does lies outside of what is modelled, in tensor memory, textures or surfaces"
        case effects.Fence():
            return _fence(found)
        case effects.Barrier():
            return f"{found.kind} at a barrier of the {found.scope}, {_word(found.order)} among those that take part"
        case effects.Mbarrier():
            after = f", once this thread's earlier {found.after} are done" if found.after else ""
            return f"{found.kind} on an mbarrier{after}{_ordered(found)}"
        case effects.GridDependency():
            return f"{_word(found.kind)} with the grids before and after; {_word(found.order)} at scope {_word(found.scope)}"
        case effects.Branch():
            return f"changes the flow of control: {found.kind}"
        case effects.Stack():
            return f"the end of the thread's stack: {found.kind}"
        case _:
            doc = (type(found).__doc__ or type(found).__name__).split("\n")[0].rstrip(".")
            values = [str(getattr(found, f.name)) for f in fields(found)]
            return doc[0].lower() + doc[1:] + (f" ({', '.join(values)})" if values else "")


def _word(value: effects.Word) -> str:
    """A word of an effect, or by which modifier it goes."""
    if not isinstance(value, Lookup):
        return str(value)
    default = value.table.get(None)
    others = {k: v for k, v in value.table.items() if k is not None and v != default}
    if all(k == v for k, v in others.items()):
        left_out = "" if default is None else f" ({default} where it is left out)"
        return f"{value.inner}{left_out}"
    told = [f"{v} for .{k}" for k, v in others.items()]
    return ", ".join([default, *told] if default is not None else told)


def _ordered(found: effects.Access | effects.AsyncCopy | effects.Mbarrier) -> str:
    """The order and scope of an access."""
    if not isinstance(found.order, Term) and found.order == "weak":
        return ", weak"
    scope = "" if found.scope is None else f" at scope {_word(found.scope)}"
    return f", order {_word(found.order)}{scope}"


def _ends(mechanism: str) -> str:
    """What completes an asynchronous operation, and what is visible to whom then."""
    if mechanism == "none":
        return "nobody is told when it is complete"
    end = effects.COMPLETIONS[mechanism]
    joined = f", through a fence from {end.fence[0]} to {end.fence[1]}" if end.fence is not None else ""
    who = "the thread that waits" if end.scope == "thread" else f"who sees it in the {end.scope}"
    return f"complete after {_GROUPS[mechanism]}; then visible to {who}{joined}"


def _in(space: effects.Word) -> str:
    found = _word(space)
    return f"{found}, everywhere where it is left out" if isinstance(space, Mod) else found


def _group(found: effects.Group) -> str:
    if found.kind == "fence":
        return f"orders registers before the operations of a {found.group}"
    if found.kind != "wait":
        return f"commits a {found.group}"
    early = f"; of the reads of sources alone where {found.reads_only}" if found.reads_only is not None else ""
    return f"waits for the {found.group}, and sees what it wrote{early}"


def _fence(found: effects.Fence) -> str:
    what = f"accesses in {_in(found.space)}" if found.space is not None else "memory accesses"
    what = found.only or what
    about = f" to [{found.over}]" if found.over is not None else ""
    joined = " and ".join(f"from {a} to {b}" for a, b in found.joins)
    proxies = f", joins the proxies {joined}" if joined else ""
    return f"orders {what}{about}: {_word(found.order)} at scope {_word(found.scope)}{proxies}"
