"""Python functions as kernels: tracing belongs to `lang`, this turns its result into an entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ptxlab.abi.rules import ArrayRule, MapRule, Rule
from ptxlab.diag import Diagnostic
from ptxlab.launch.calls import check_constants, meant_option
from ptxlab.launch.code import Code
from ptxlab.launch.entry import Entry
from ptxlab.launch.lints import ALL, Lints

if TYPE_CHECKING:
    from ptxlab.lang.kernel import KernelFunction, Traced


class TracedSource:
    """Entries of one Python function, one for each set of compile-time constants.

    Raises: Diagnostic PTX2227 for a constant with the name of an option of launches.
    """

    def __init__(self, function: KernelFunction, lints: Lints = ALL) -> None:
        check_constants(function)
        self._function, self._lints = function, lints
        self._entries: dict[int, tuple[Traced, Entry]] = {}
        self._asked: dict[tuple[tuple[str, Any], ...], Entry] = {}

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._function.name

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of its compile-time constants."""
        return tuple(self._function.constants)

    @property
    def file(self) -> str:
        """Where it is written."""
        return self._function.place.file

    def facts(self) -> Iterator[tuple[str, str]]:
        """Where it is written, its parameters, its extents."""
        function, options = self._function, self._function.options
        yield "of", function.place.shown
        yield "target", str(options.target)
        yield "parameters", ", ".join(f"{p.name}: {p}" for p in function.parameters)
        yield "constants that are open", ", ".join(function.constants)
        yield "threads", " × ".join(map(str, options.block))
        yield "cluster", "" if options.cluster is None else " × ".join(map(str, options.cluster))

    def written(self, constants: Mapping[str, Any]) -> str:
        """The PTX for these constants, "" where nobody has asked for it yet: to show a kernel traces nothing."""
        known = next((e for asked, e in self._asked.items() if dict(asked) == dict(constants)), None)
        return "" if known is None else str(known.module)

    def entry(self, constants: Mapping[str, Any]) -> Entry:
        """The entry for these constants; traced at the first demand. Raises: Diagnostic as `KernelFunction.trace`."""
        key = tuple(constants.items())
        try:
            found = self._asked.get(key)
        except TypeError:  # an unhashable constant, of which `trace` says more
            found = None
        if found is None:  # not within `except`: what the kernel's own Python raises is to come alone
            found = self._found(constants)
            self._asked[key] = found
        return found

    def _found(self, constants: Mapping[str, Any]) -> Entry:
        try:
            traced = self._function.trace(**constants)
        except Diagnostic as wrong:
            self._point_at_option(wrong, constants)
            raise
        found = self._entries.get(id(traced))  # the trace is kept beside its entry, so its id stays its own
        if found is None:
            found = self._entries[id(traced)] = (traced, _entry(self._function, traced, self._lints, constants))
        return found[1]

    def _point_at_option(self, wrong: Diagnostic, constants: Mapping[str, Any]) -> None:
        """What is no constant may be meant for the launch."""
        known = {*self._function.constants, *(p.name for p in self._function.parameters)}
        unknown = next((name for name in constants if name not in known), None)
        if wrong.code == "PTX2209" and unknown and not (wrong.help or "").startswith("did you mean"):
            wrong.help = meant_option(unknown) or wrong.help


def _entry(function: KernelFunction, traced: Traced, lints: Lints, constants: Mapping[str, Any]) -> Entry:
    return Entry(
        Code(traced.module, f"{function.name}.ptx"),
        traced.entry,
        traced.block,
        traced.cluster,
        traced.shared_dynamic,
        rules(traced),
        tiles=traced.tiles,
        mbarriers=traced.mbarriers,
        lints=lints,
        variables=partial(function.variables, **constants),
    )


def rules(traced: Traced) -> dict[str, Rule]:
    """What the function's annotations and its use of maps demand of the arguments."""
    out: dict[str, Rule] = {}
    for p in traced.parameters:
        if p.kind == "pointer":
            out[p.name] = ArrayRule(dtype=p.element, contiguous=not p.strided, align=p.align)
    for name, use in traced.maps.items():
        out[name] = MapRule(
            use.rank,
            dtype=use.dtype,
            box=use.box,
            swizzle=use.swizzle,
            im2col=use.im2col,
            window=use.window,
            room=use.room,
            place=use.place,
        )
    return out
