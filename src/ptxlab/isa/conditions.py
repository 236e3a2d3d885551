"""What an instance must meet beyond its operands: the row's rules, PTX version, target and release of ptxas."""

from __future__ import annotations

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa import releases
from ptxlab.isa.form import Rule
from ptxlab.isa.instance import Instance
from ptxlab.isa.match import split_opcode
from ptxlab.isa.scalars import check_widths
from ptxlab.isa.spellings import meant
from ptxlab.isa.targets import Release, Target, Version
from ptxlab.isa.vectors import check_spare


def check_rules(inst: Instance) -> list[Diagnostic]:
    """The row's rules that this instance breaks, and what is accepted but surely not meant."""
    rules = [broken(r, inst) for r in inst.form.rules if r.term.eval(inst) is False]
    return [*_taken_for_another(inst), *rules, *check_widths(inst), *check_spare(inst)]


def _taken_for_another(inst: Instance) -> list[Diagnostic]:
    """A warning for an opcode that the manual does not have, and that ptxas takes for this one."""
    other, told = meant(split_opcode(inst.opcode))
    if not told:
        return []
    return [
        Diagnostic(
            "PTX0233",
            f"`{inst.opcode}` is not in the manual: {', '.join(told)}",
            help=f"write `{'.'.join(other)}`, for which ptxas takes it",
            isa=inst.form.isa,
            severity=Severity.WARNING,
        )
    ]


def broken(r: Rule, inst: Instance) -> Diagnostic:
    """What to say of a rule that does not hold."""
    words = _Words(inst)
    return Diagnostic(
        r.code,
        r.message.format_map(words),
        help=r.help.format_map(words),
        isa=inst.form.isa,
        severity=Severity(r.severity),
    )


class _Words(dict[str, str]):
    """Names in a rule's message: modifiers and operands as written."""

    def __init__(self, inst: Instance) -> None:
        super().__init__()
        self.inst = inst

    def __missing__(self, name: str) -> str:
        if name == "opcode":
            return self.inst.opcode
        if name in self.inst.operands:
            return str(self.inst.operands[name])
        return str(self.inst.mod(name))


def check_needs(
    inst: Instance, target: Target | None, version: Version | None, release: Release | None = None
) -> list[Diagnostic]:
    """What the instance needs that the target, the PTX version or the release of ptxas (default: the newest) does not have."""
    need = inst.need()
    out: list[Diagnostic] = []
    if target is not None and not need.target_ok(target):
        out.append(
            Diagnostic(
                "PTX1001",
                f"`{inst.opcode}` does not exist on {target}",
                help=f"it needs {need.targets}",
                isa=inst.form.isa,
            )
        )
    need = need.on(target)
    if version is not None and version < need.version:
        out.append(
            Diagnostic(
                "PTX1002",
                f"`{inst.opcode}` does not exist in PTX {version[0]}.{version[1]}",
                help=f"write `.version {need.version[0]}.{need.version[1]}` or newer"
                + (f", which {readers} read" if (readers := releases.readers(need.version)) else ""),
                isa=inst.form.isa,
            )
        )
    if need.releases is not None:
        out += _check_release(inst, need.releases, release or releases.NEWEST)
    return out


def _check_release(inst: Instance, takes: tuple[Release, Release], release: Release) -> list[Diagnostic]:
    first, last = takes
    if first <= release <= last:
        return []
    which = f"ptxas {releases.name(first)}" + (f" up to {releases.name(last)}" if last != first else "")
    return [
        Diagnostic(
            "PTX1006",
            f"ptxas {releases.name(release)} does not take `{inst.opcode}` with these operands",
            help=f"{which} takes it; no manual has it",
            isa=inst.form.isa,
        )
    ]
