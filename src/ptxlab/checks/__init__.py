"""What is wrong with a module: forms, rules, targets, launch directives, and lints across instructions."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from ptxlab.checks.abi import Calls, calls_of, check_abi
from ptxlab.checks.analysis import Analysis
from ptxlab.checks.calls import check_calls
from ptxlab.checks.cluster_guard import check_cluster_guard
from ptxlab.checks.constants import check_constants
from ptxlab.checks.declarations import check_declarations
from ptxlab.checks.directives import check_directives
from ptxlab.checks.instructions import check_program
from ptxlab.checks.known import check_known
from ptxlab.checks.lint import check_lints
from ptxlab.checks.overlooked import judged
from ptxlab.checks.roles import check_roles
from ptxlab.checks.target import ModuleTarget, check_target
from ptxlab.checks.unresolved import check_functions
from ptxlab.diag import Diagnostic, Findings, Severity, user_span
from ptxlab.diag.boundary import public
from ptxlab.isa import releases
from ptxlab.isa.effects import Opaque
from ptxlab.isa.targets import Release
from ptxlab.ptx.collector import uncollected
from ptxlab.ptx.lower import Globals, lowered, lowered_function
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.program import Program
from ptxlab.ptx.text import path_of, read
from ptxlab.ptx.tree import Function, Module

__all__ = ["check", "check_kernel", "check_tree", "checked", "lints_of"]


class _HasTree(Protocol):
    """A loaded module, as `ptxlab.load` gives it."""

    @property
    def tree(self) -> Module: ...


class _Entry(Protocol):
    """A kernel of a module, as a kernel's `entry` gives it."""

    @property
    def module(self) -> _HasTree: ...
    @property
    def name(self) -> str: ...


@runtime_checkable
class _Kernel(Protocol):
    """A kernel of a loaded module, or a `@px.kernel` function, which is traced for its compile-time constants."""

    def entry(self, **constants: Any) -> _Entry: ...


@public
def check(
    what: Module | _HasTree | _Kernel | str | os.PathLike[str],
    target: str | None = None,
    *,
    file: str = "<ptx>",
    lints: bool = True,
    ptxas: str | None = None,
    **constants: Any,
) -> list[Diagnostic]:
    """Everything that is wrong with PTX: errors of the text, then kernel by kernel and function by function.

    Args:
        what: a loaded or parsed module; its text; the path of a .ptx file, which is what a string of one line
            that ends in ".ptx" is; or a kernel, of which that kernel and what it may call are checked:
            `module["entry"]`, a `@px.kernel` function, what `px.triton` gives.
        target: checks for this target instead of the module's own, e.g. "sm_90a".
        file: the name of the text in what is reported.
        lints: look across instructions too.
        ptxas: the release that is to take it, e.g. "13.1", where they differ; default: the newest.
        **constants: compile-time constants of a `@px.kernel` function. What is wrong in tracing it is returned too,
            a constant that is missing (PTX2209) among it.

    Returns: errors (ptxas rejects it), warnings (ptxas lets it pass, yet it is wrong or ignored) and lints (it rarely
    means what it says), which `Diagnostic.severity` tells apart.

    Raises: ValueError for a release of ptxas that ptxlab does not know, Diagnostic PTX2316 for what is neither a module nor a
        kernel, PTX2301 for constants of what has none, PTX2500, PTX2504 and PTX0002 for a file that cannot be read or is no
        text.

    Example:
        text = '''
        .version 8.0
        .target sm_90a
        .address_size 64
        .global .u32 counter = 5;
        .visible .entry count(.param .u64 out)
        {
            .reg .u32 %r<2>;
            .reg .u64 %rd<2>;
            ld.param.u64 %rd0, [out];
            atom.global.add.u32 %r0, [counter], 1;
            st.global.u32 [%rd0], %r0;
            ret;
        }
        '''

        print(px.check(px.parse(text)))  # []
        wrong = text.replace("add.u32", "add.u33")
        print([d.code for d in px.check(wrong)])  # ['PTX0101']
    """
    release = None if ptxas is None else releases.parse(ptxas)
    if isinstance(what, _Kernel):
        return Findings(_of_kernel(what, target, constants, lints=lints, release=release))
    if constants:
        name = next(iter(constants))
        raise Diagnostic(
            "PTX2301",
            f"A module has no compile-time constant {name!r}.",
            help="constants belong to a @px.kernel function",
            origin=user_span(),
        )
    if isinstance(what, os.PathLike) or (isinstance(what, str) and _is_path(what)):
        file = path_of(what)
        what = read(file)
    if isinstance(what, str):
        with uncollected():
            return Findings(_of_text(what, file, target, lints=lints, release=release))
    tree = what if isinstance(what, Module) else getattr(what, "tree", None)
    if not isinstance(tree, Module):
        raise Diagnostic(
            "PTX2316",
            f"What is given is of type {type(what).__name__}: neither PTX nor a kernel.",
            help="give PTX text, a path, a module of px.load, or a kernel",
            origin=user_span(),
        )
    return Findings(check_tree(tree, target, lints=lints, release=release))


def _of_text(text: str, file: str, target: str | None, *, lints: bool, release: Release | None) -> list[Diagnostic]:
    """What is wrong with a text. The tree goes when this returns: the collector, back at work, need not walk it."""
    parsed, found = parse_all(text, file)
    return found + check_tree(parsed, target, found, lints=lints, release=release)


def _is_path(given: str) -> bool:
    return given.endswith(".ptx") and "\n" not in given


def _of_kernel(
    kernel: _Kernel, target: str | None, constants: Mapping[str, Any], *, lints: bool, release: Release | None
) -> list[Diagnostic]:
    try:
        entry = kernel.entry(**constants)
        return check_kernel(entry.module.tree, entry.name, target, lints=lints, release=release)
    except Diagnostic as wrong:
        return [wrong, *wrong.also]


def check_tree(
    module: Module,
    target: str | None = None,
    wrong: Sequence[Diagnostic] = (),
    *,
    lints: bool = True,
    release: Release | None = None,
) -> list[Diagnostic]:
    """What is wrong with a tree; `wrong` is what the parser has found, which is not reported again."""
    return _of_functions(module, target, wrong, module.functions(), lints=lints, release=release)


def check_kernel(
    module: Module, entry: str, target: str | None = None, *, lints: bool = True, release: Release | None = None
) -> list[Diagnostic]:
    """What is wrong with one kernel of a tree and the functions that it may call. Raises: Diagnostic PTX2300."""
    program, _ = lowered(module, entry)
    functions = [program.function, *(f.function for f in program.functions)]
    return _of_functions(module, target, (), functions, lints=lints, release=release)


def _of_functions(
    module: Module,
    target: str | None,
    wrong: Sequence[Diagnostic],
    functions: Iterable[Function],
    *,
    lints: bool,
    release: Release | None,
) -> list[Diagnostic]:
    against, found = check_target(module, target, release)
    spoiled, shared = _spoiled(module, wrong), Globals(module)
    found += check_declarations(module, against, whole=True)
    found += check_constants(module, shared)
    calls: list[Calls] = []
    for function in functions:
        if function.body is not None:
            program, misfits = lowered_function(module, function, shared)
            calls.append(calls_of(program))
            whole = function.source is None or function.start not in spoiled
            found += _all(program, judged(program, misfits, against), against, lints=lints and whole)
    return [*found, *check_abi(module, calls), *check_functions(module, calls)]


def checked(module: Module, entry: str) -> tuple[Program, list[Diagnostic]]:
    """One kernel made flat, and everything that is wrong with it and with the target of its module; no lints.

    Raises Diagnostic PTX2300 when the module has no such kernel.
    """
    against, wrong = check_target(module, None)
    program, found = lowered(module, entry)
    declared = [*check_declarations(module, against), *check_constants(module, Globals(module))]
    called = check_abi(module, map(calls_of, (program, *program.functions)))
    return program, [*wrong, *declared, *_all(program, found, against, lints=False), *called]


def lints_of(program: Program) -> list[Diagnostic]:
    """The lints of a kernel that `checked` has passed, and of the functions that it may call."""
    shared = Globals(program.module)
    functions = [lowered_function(program.module, f.function, shared)[0] for f in program.functions]
    return [d for one in (program, *functions) if _whole(one) for d in check_lints(Analysis(one))]


def _whole(program: Program) -> bool:
    """Whether it is known of all of its instructions what they do to memory: not of tensor memory, textures, surfaces."""
    return not any(isinstance(op.inst.form.effect, Opaque) for op in program.ops)


def _all(program: Program, found: list[Diagnostic], target: ModuleTarget, *, lints: bool) -> list[Diagnostic]:
    out = list(found)
    if program.function.kind == "entry":
        out += check_directives(program, target)
    out += check_program(program, target)
    out += check_calls(program)
    out += check_roles(program)
    out += check_cluster_guard(program)
    # Where an instruction is missing from the program, all that is said of the others' order would be an after-shock.
    if _whole(program) and not program.misfits and not any(d.severity is Severity.ERROR for d in found):
        analysis = Analysis(program)
        out += check_known(analysis)
        if lints:
            out += check_lints(analysis)
    return out


def _spoiled(module: Module, wrong: Sequence[Diagnostic]) -> set[int]:
    """The functions in whose text something could not be read, by the places where they begin."""
    starts = sorted((f.span.line, f.start) for f in module.functions() if f.span is not None)
    out: set[int] = set()
    for d in wrong:
        at = bisect_right(starts, (d.span.line + 1,)) - 1 if d.span is not None else -1
        if at >= 0:
            out.add(starts[at][1])
    return out
