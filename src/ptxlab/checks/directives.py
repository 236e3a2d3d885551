"""Launch directives and resources of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ptxlab.checks.names import too_large
from ptxlab.checks.target import ModuleTarget
from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.effects import RegisterFile
from ptxlab.isa.limits import (
    MAX_CLUSTER,
    MAX_CLUSTER_NON_PORTABLE,
    MAX_REGISTERS,
    MAX_THREADS,
    SHARED_PER_CTA,
    SHARED_STATIC_DEFAULT,
)
from ptxlab.isa.operands import Sreg
from ptxlab.isa.targets import Need, ptx, sm
from ptxlab.ptx import tree
from ptxlab.ptx.entry_registers import at_entry
from ptxlab.ptx.program import Program

_DIMENSIONS = {".reqntid": 3, ".maxntid": 3, ".reqnctapercluster": 3}
_SCALARS = (".minnctapersm", ".maxnreg", ".maxclusterrank", ".maxnctapersm", ".local_maxnreg", ".minperctamemory")
_BARE = (".explicitcluster", ".blocksareclusters")  # nothing stands behind them
_FUNCTIONS_ONLY = (".noreturn", ".abi_preserve", ".abi_preserve_control")
_CLUSTER = ptx(7, 8) & sm(90)
_NEEDS: dict[str, Need] = {
    ".reqntid": ptx(2, 1),
    ".maxntid": ptx(1, 3),
    ".minnctapersm": ptx(2, 0),
    ".maxnreg": ptx(1, 3),
    ".reqnctapercluster": _CLUSTER,
    ".explicitcluster": _CLUSTER,
    ".maxclusterrank": _CLUSTER,
    ".blocksareclusters": ptx(9, 0) & sm(90),
    ".local_maxnreg": ptx(8, 8),
    ".minperctamemory": ptx(9, 4) & sm(80),
}
_SMALL_SHARED, _LITTLE_SHARED = 120, 101_376  # from sm_120a on a CTA has 99 KB
_FEWEST_REGISTERS = 24  # what ptxas raises a smaller .maxnreg to


def check_directives(program: Program, target: ModuleTarget) -> list[Diagnostic]:
    """What is wrong with a kernel's launch directives, its static shared memory and what depends on them."""
    function = program.function
    found: list[Diagnostic] = []
    for node in function.directives:
        found += [d.at(node.span, node.origin) for d in (*_values(node), *_needs(node, target))]
    if not any(d.severity is Severity.ERROR for d in found):
        found += [d.at(function.span, function.origin) for d in _together(function)]
    found += [d.at(function.span, function.origin) for d in _shared(program, target)]
    found += _memory_of_ctas(program)
    return found + list(_register_cap(program))


def _memory_of_ctas(program: Program) -> Iterator[Diagnostic]:
    """What tells a CTA of its memory is there where the kernel asks for it."""
    if any(d.name == ".minperctamemory" for d in program.function.directives):
        return
    for op in program.ops:
        for operand in op.inst.operands.values():
            if isinstance(operand, Sreg) and operand.name.startswith("%perctamemory"):
                yield Diagnostic(
                    "PTX2021",
                    f"`{program.name}` reads {operand}, and asks for no memory of its CTAs",
                    help="add `.minperctamemory N`",
                    span=op.span,
                    origin=op.origin,
                )
                return


def _numbers(node: tree.Directive) -> list[int]:
    """As ptxas takes them: 32 bits of what is too large for 63."""
    return [n if n < 1 << 63 else n % (1 << 32) for n in (int(v.value) % (1 << 64) for v in node.values)]


def _values(node: tree.Directive) -> Iterator[Diagnostic]:
    """Count and range of the numbers behind a directive."""
    numbers = _numbers(node)
    large = next((n for n in numbers if too_large(n)), None)
    if large is not None:
        yield Diagnostic("PTX2020", f"`{node.name} {large}` does not fit 32 bits", help="give a smaller number")
        return
    if node.name in _BARE and numbers:
        yield Diagnostic("PTX2020", f"`{node.name}` takes no number", help=f"write `{node.name}` alone")
    most = _DIMENSIONS.get(node.name, 1 if node.name in _SCALARS else None)
    if most is None:
        return
    if not 1 <= len(numbers) <= most:
        wanted = "one number" if most == 1 else "one to three numbers"
        yield Diagnostic("PTX2020", f"`{node.name}` takes {wanted}, not {len(numbers)}", help=f"e.g. `{node.name} 1`")
        return
    if min(numbers) < 1 and node.name not in (".maxclusterrank", ".reqnctapercluster", ".minperctamemory"):
        yield Diagnostic("PTX2020", f"`{node.name}` is {_shown(numbers)}, but must be positive", help="give 1 or more")
    elif node.name in (".reqntid", ".maxntid") and prod(numbers) > MAX_THREADS:
        yield Diagnostic(
            "PTX2020",
            f"`{node.name} {_shown(numbers)}` makes {prod(numbers)} threads, but a CTA has at most {MAX_THREADS}",
            help=f"name extents with a product of at most {MAX_THREADS}",
            severity=Severity.WARNING,  # ptxas takes it, and no launch will
        )
    elif node.name in (".reqnctapercluster", ".maxclusterrank"):
        yield from _cluster_size(node, prod(numbers))
    elif node.name == ".maxnreg" and not _FEWEST_REGISTERS <= numbers[0] <= MAX_REGISTERS:
        yield Diagnostic(
            "PTX2022",
            f"`.maxnreg {numbers[0]}` is not taken as it stands",
            help=f"a thread has {_FEWEST_REGISTERS} to {MAX_REGISTERS} registers",
        )


def _cluster_size(node: tree.Directive, size: int) -> Iterator[Diagnostic]:
    if not 1 <= size <= MAX_CLUSTER_NON_PORTABLE:
        yield Diagnostic(
            "PTX2020",
            f"`{node.name} {_shown(_numbers(node))}` means {size} CTAs, and no launch can have such a cluster",
            help=f"a cluster has 1 to {MAX_CLUSTER} CTAs, up to {MAX_CLUSTER_NON_PORTABLE} where the launch allows it",
            severity=Severity.WARNING,
        )
    elif size > MAX_CLUSTER:
        yield Diagnostic(
            "PTX2024",
            f"`{node.name} {_shown(_numbers(node))}` means {size} CTAs, more than the {MAX_CLUSTER} that every GPU can run",
            help=f"use at most {MAX_CLUSTER} CTAs, or allow non-portable cluster sizes at launch",
        )


def _shown(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _needs(node: tree.Directive, target: ModuleTarget) -> Iterator[Diagnostic]:
    need = _NEEDS.get(node.name)
    if node.name == ".maxnctapersm":
        yield Diagnostic("PTX2025", "`.maxnctapersm` is gone since PTX 2.1", help="use `.minnctapersm`")
    if need is None:
        return
    too_old = target.version is not None and target.version < need.version
    if too_old or (target.target is not None and not need.target_ok(target.target)):
        yield Diagnostic("PTX2025", f"`{node.name}` does not exist here", help=f"it needs {need}")


def _together(function: tree.Function) -> Iterator[Diagnostic]:
    """Combinations of directives."""
    names = {d.name for d in function.directives}
    for name in _FUNCTIONS_ONLY:
        if name in names and function.kind == "entry":
            yield Diagnostic(
                "PTX2021", f"`{function.name}` is a kernel, and `{name}` is for functions", help=f"leave `{name}` out"
            )
    for first, second in ((".reqntid", ".maxntid"), (".reqnctapercluster", ".maxclusterrank")):
        if {first, second} <= names:
            yield Diagnostic(
                "PTX2021", f"`{function.name}` has both `{first}` and `{second}`", help=f"keep `{first}` alone"
            )
    if ".blocksareclusters" in names and not {".reqntid", ".reqnctapercluster"} <= names:
        yield Diagnostic(
            "PTX2021",
            f"`{function.name}` has `.blocksareclusters` without `.reqntid` and `.reqnctapercluster`",
            help="give both, or leave `.blocksareclusters` out",
        )
    if ".minnctapersm" in names and not {".reqntid", ".maxntid"} & names:
        yield Diagnostic(
            "PTX2022",
            f"`.minnctapersm` of `{function.name}` is ignored, as the number of threads is not known",
            help="add `.reqntid` or `.maxntid`",
        )


def _static(target: ModuleTarget) -> int:
    """The bytes of static shared memory that ptxas gives a kernel: more than 48 KB for one architecture alone."""
    if target.target is None:
        return SHARED_PER_CTA
    if target.target.suffix != "a":
        return SHARED_STATIC_DEFAULT
    return SHARED_PER_CTA if target.target.number < _SMALL_SHARED else _LITTLE_SHARED


def _shared(program: Program, target: ModuleTarget) -> Iterator[Diagnostic]:
    """Static shared memory, that of unused variables of the kernel included: ptxas counts them too."""
    most = _static(target)
    counted = program.shared_declared % (1 << 32)  # by ptxas, in 32 bits of which the uppermost is a sign
    if program.shared_declared > most:
        yield Diagnostic(
            "PTX2010",
            f"`{program.name}` declares {program.shared_declared} bytes of shared memory",
            help=f"a CTA can have {SHARED_PER_CTA} bytes (227 KB)"
            if most == SHARED_PER_CTA
            else f"ptxas gives {target.target} {most} bytes: declare an .extern array, whose size the launch says",
            severity=Severity.ERROR if most < counted < 1 << 31 else Severity.WARNING,
        )


def _register_cap(program: Program) -> Iterator[Diagnostic]:
    """setmaxnreg needs to know the registers at entry: ptxas ignores it otherwise (its C7508). What the kernel needs is a guess."""
    op = next((op for op in program.ops if isinstance(op.inst.form.effect, RegisterFile)), None)
    if op is None or (found := at_entry(program)).registers is not None:
        return
    unless = f", and ptxas caps them only in a kernel that needs more than {found.from_need}" if found.from_need else ""
    yield Diagnostic(
        "PTX2023",
        f"`{op.inst.opcode}` is ignored: nothing caps the registers of `{program.name}` at entry{unless}",
        help="add `.maxnreg N`, or `.reqntid N` with `.minnctapersm 1`",
        span=op.span,
        origin=op.origin,
        isa="setmaxnreg",
    )
