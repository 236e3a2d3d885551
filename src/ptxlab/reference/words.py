"""What a row says, in words: one place for the command, for Python and for the pages of the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from ptxlab.isa import effects
from ptxlab.isa.form import Form
from ptxlab.isa.specs import Range, Spec
from ptxlab.isa.terms import Binary, Lookup, Term

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


def spoken(term: Term) -> str:
    """A term as a reader wants it: tables that only rename are left out."""
    if isinstance(term, Lookup):
        table = {k: v for k, v in term.table.items() if k is not None}
        if len(table) > 6 or all(str(v).startswith(str(k)) for k, v in table.items()):
            return f"by {term.inner}"
        default = [str(term.table[None])] if None in term.table else []
        return ", ".join((*default, *(f"{v} for .{k}" for k, v in table.items())))
    if isinstance(term, Binary):
        return f"{spoken(term.left)} {term.op} {spoken(term.right)}"
    return str(term)


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
            words = "coordinates" if place.kind == "tensor" and index else _operand(spec)
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
    if spec.bytes is not None:
        words.append(f"bytes: {spoken(spec.bytes)}")
    if spec.align is not None:
        words.append(f"aligned to {spoken(spec.align)}")
    return ", ".join(words)


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
            by = _GROUPS.get(found.completion, found.completion)
            return f"asynchronous, in the {found.proxy} proxy; complete after {by}"
        case effects.AsyncMma():
            return f"asynchronous, in the {found.proxy} proxy; complete after {_GROUPS[found.completion]}"
        case effects.Group():
            what = "source reads of the " if found.reads_only else ""
            return f"{found.kind}s for the {what}{found.group}" if found.kind == "wait" else f"commits a {found.group}"
        case effects.Compute():
            return "registers from registers"
        case effects.WarpWide():
            return "exchanges data or elects among the threads of a warp"
        case effects.Access(tensormap="publish"):
            return "store in the generic proxy, published to the tensormap proxy, done when the thread goes on"
        case effects.Access():
            return f"{found.kind} in the {found.proxy} proxy, done when the thread goes on"
        case effects.Fence():
            joined = f" between the proxies {' and '.join(found.proxies)}" if found.proxies else ""
            return f"orders memory accesses{joined}"
        case effects.Barrier():
            return f"{found.kind} at a barrier of the {found.scope}"
        case effects.Mbarrier():
            return f"{found.kind} on an mbarrier"
        case effects.Branch():
            return f"changes the flow of control: {found.kind}"
        case _:
            doc = (type(found).__doc__ or type(found).__name__).split("\n")[0].rstrip(".")
            values = [str(getattr(found, f.name)) for f in fields(found)]
            return doc[0].lower() + doc[1:] + (f" ({', '.join(values)})" if values else "")
