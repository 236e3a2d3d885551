"""Kernels written in Python: a function, its options, and the PTX that tracing it gives."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from ptxlab.diag import Diagnostic, span_of, user_span
from ptxlab.lang.body_checks import check_body
from ptxlab.lang.builder import Builder
from ptxlab.lang.call_errors import call_error
from ptxlab.lang.declared import check_function, check_result, check_strided, options_of
from ptxlab.lang.emission import Lines, module_of, register_declarations
from ptxlab.lang.maps.use import MapUse
from ptxlab.lang.params import Parameter, receive, signature_of
from ptxlab.lang.trace.block import check_entered
from ptxlab.lang.trace.options import Extent3, Options
from ptxlab.lang.trace.variables import Watch
from ptxlab.layout.shared_tile import SharedMbarriers, SharedTile
from ptxlab.layout.variables import Variable
from ptxlab.ptx import tree


@dataclass(slots=True, eq=False)
class Traced:
    """The PTX of a kernel.

    Attributes:
        module: the tree; its instructions are bound and know the Python lines that made them.
        entry: the kernel's name in it. parameters: in order.
        block: threads of a CTA. cluster: CTAs of a cluster, None where the launch decides.
        shared_dynamic: bytes of dynamic shared memory that a launch must give.
        maps: by parameter name, what the kernel expects of the tensor maps. tiles: of shared memory, by name.
        mbarriers: of shared memory.
        variables: of the function, where they were asked for.
    """

    module: tree.Module
    entry: str
    parameters: tuple[Parameter, ...]
    block: Extent3
    cluster: Extent3 | None
    shared_dynamic: int
    maps: Mapping[str, MapUse] = field(default_factory=dict[str, MapUse])
    tiles: Mapping[str, SharedTile] = field(default_factory=dict[str, SharedTile])
    mbarriers: tuple[SharedMbarriers, ...] = ()
    variables: tuple[Variable, ...] = ()

    def text(self, *, lines: bool = True) -> str:
        """The PTX. `lines=False` leaves the source lines out: the same for the same kernel, wherever its source lies."""
        return str(self.module if lines else without_lines(self.module))


def without_lines(module: tree.Module) -> tree.Module:
    """The module without .file and .loc."""
    out = tree.Module()
    for item in module.items:
        if isinstance(item, tree.File):
            continue
        if isinstance(item, tree.Function) and item.body is not None:
            kept: list[tree.Item] = [i for i in item.body.items if not isinstance(i, tree.Loc)]
            item = tree.Function(
                item.kind,
                item.name,
                item.params,
                returns=item.returns,
                directives=item.directives,
                body=tree.Block(kept),
                linkage=item.linkage,
            )
        out.items.append(item)
    return out


class KernelFunction:
    """A kernel function and its options; `trace` gives its PTX.

    Args:
        fn: takes the builder `k`, then annotated parameters, then keyword-only compile-time constants.
        target: e.g. "sm_90a". threads: of a CTA, a number or (x, y, z). cluster: CTAs of a cluster along x, y, z.
        min_ctas: CTAs that must fit on an SM (.minnctapersm). max_registers: per thread (.maxnreg).
        strided: pointer parameters whose arrays may have gaps between rows; the kernel is told their pitch.
        name: of the kernel in PTX; default the function's.

    Raises: Diagnostic PTX2200 for parameters that say nothing, PTX2210 for options out of range, PTX2226 for a
        generator or a coroutine.
    """

    def __init__(
        self,
        fn: Callable[..., None],
        *,
        target: str = "sm_90a",
        threads: int | Sequence[int],
        cluster: int | Sequence[int] | None = None,
        min_ctas: int | None = 1,
        max_registers: int | None = None,
        strided: Sequence[str] = (),
        name: str | None = None,
    ) -> None:
        check_function(fn)
        self.fn = fn
        self.doc = fn.__doc__ or ""
        self.options = options_of(
            fn,
            target=target,
            threads=threads,
            cluster=cluster,
            min_ctas=min_ctas,
            max_registers=max_registers,
            name=name,
        )
        self.name = self.options.name
        parameters, self.constants = signature_of(fn)
        check_strided(strided, [p.name for p in parameters if p.kind == "pointer"])
        self.parameters = tuple(replace(p, strided=p.name in strided) for p in parameters)
        self.place = span_of(fn.__code__)
        self._traced: dict[tuple[tuple[str, Any], ...], Traced] = {}

    def __repr__(self) -> str:
        return f"<kernel {self.name} of {self.place}>"

    def trace(self, **constants: Any) -> Traced:
        """The PTX for the given compile-time constants; traced once for each set of them.

        Raises: Diagnostic at the user's line for whatever the kernel does wrong; PTX2209 for a constant that is unknown,
        missing or unhashable.
        """
        key = self._constants(constants)
        try:
            found = self._traced.get(key)
        except TypeError:
            raise self._bad_constant("an unhashable constant", "pass numbers, strings, tuples or px types") from None
        if found is None:
            found = self._traced[key] = _trace(self, dict(key))
        return found

    def variables(self, **constants: Any) -> tuple[Variable, ...]:
        """Which registers the function's variables are: it is traced once more, line by line.

        There are none where that gives another kernel, as of a function that counts its own calls.
        """
        known, watch = self.trace(**constants), Watch(self.fn)
        traced = _trace(self, dict(self._constants(constants)), watch)
        return traced.variables if traced.text() == known.text() else ()

    def _constants(self, given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        known = ", ".join(self.constants) or "none"
        order = [p.name for p in self.parameters]
        for name in given:
            if name in order:
                raise self._bad_constant(
                    f"no constant `{name}`: that is a parameter",
                    f"give the arguments in order and without names: {', '.join(order)}",
                )
            if name not in self.constants:
                near = difflib.get_close_matches(name, self.constants, n=1)
                meant = f"did you mean {near[0]}=?" if near else f"its constants are: {known}"
                raise self._bad_constant(f"no constant `{name}`", meant)
        out = {n: given.get(n, default) for n, default in self.constants.items()}
        for name, value in out.items():
            if value is inspect.Parameter.empty:
                raise self._bad_constant(f"no value for its constant `{name}`", f"pass {name}=…")
        return tuple(out.items())

    def _bad_constant(self, what: str, help: str) -> Diagnostic:
        return Diagnostic("PTX2209", f"kernel `{self.name}` has {what}", help=help, origin=user_span())


def _directives(options: Options) -> tuple[tree.Directive, ...]:
    out = [tree.Directive(".reqntid", tuple(tree.number(n) for n in options.block))]
    if options.min_ctas is not None:
        out.append(tree.Directive(".minnctapersm", (tree.number(options.min_ctas),)))
    if options.max_registers is not None:
        out.append(tree.Directive(".maxnreg", (tree.number(options.max_registers),)))
    if options.cluster is not None:
        out.append(tree.Directive(".explicitcluster"))
        out.append(tree.Directive(".reqnctapercluster", tuple(tree.number(n) for n in options.cluster)))
    return tuple(out)


def _call(fn: Callable[..., Any], k: Builder, values: Sequence[Any], constants: Mapping[str, Any]) -> Any:
    """Run the function. A library such as NumPy may answer a diagnostic with an error of its own: the first one counts."""
    try:
        return fn(k, *values, **constants)
    except Diagnostic:
        raise
    except Exception as wrong:
        if isinstance(wrong.__cause__, Diagnostic):
            raise wrong.__cause__ from None
        found = call_error(wrong, k) if isinstance(wrong, TypeError) else None
        if found is not None:
            raise found from None
        raise


def _trace(kernel: KernelFunction, constants: dict[str, Any], watch: Watch | None = None) -> Traced:
    options = kernel.options
    k = Builder(options)
    values = [receive(k, p, kernel.place) for p in kernel.parameters]
    with watch.following(k.items) if watch is not None else nullcontext():
        result = _call(kernel.fn, k, values, constants)
    check_entered(k.blocks)
    check_body(kernel.fn, k)
    try:
        check_result(kernel.fn, result)
    except Diagnostic as wrong:
        raise wrong.at(origin=kernel.place) from None
    k.finish(kernel.place)
    outside, inside, moves = k.place_variables()
    declared, buffers = k.print_declarations()
    lines = Lines()
    body = [*register_declarations(k), *inside, *buffers, *lines.marked([*moves, *k.entry, *k.items])]
    params = tuple(p.declaration() for p in kernel.parameters)
    function = tree.Function(
        "entry", options.name, params, None, _directives(options), tree.Block(body), rebound=tuple(k.rebound)
    )
    module = module_of(k.version, options.target, [*declared, *outside], function, lines)
    traced = Traced(
        module=module,
        entry=options.name,
        parameters=kernel.parameters,
        block=options.block,
        cluster=options.cluster,
        shared_dynamic=k.shared_dynamic,
        maps=k.maps,
        tiles=k.shared_tiles(),
        mbarriers=k.shared_mbarriers(),
        variables=watch.variables([*moves, *k.entry]) if watch is not None else (),
    )
    k.close()
    return traced
