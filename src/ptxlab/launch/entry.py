"""An entry with what a launch of it needs to know: its module, its own extents, what it demands of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ptxlab.abi.build import Built, Call, build
from ptxlab.abi.options import LaunchOptions
from ptxlab.abi.record import Dim3
from ptxlab.abi.rules import Rule
from ptxlab.diag import Diagnostic, Span
from ptxlab.launch.code import Code
from ptxlab.launch.devices import place_of
from ptxlab.launch.lints import ALL, Lints
from ptxlab.launch.repeats import Repeats
from ptxlab.layout.shared_tile import SharedMbarriers, SharedTile
from ptxlab.layout.variables import Variable

if TYPE_CHECKING:
    from ptxlab.cuda.ptxas import Assembly, Resources
    from ptxlab.ptx.program import Program


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel of a module.

    Attributes:
        module, name: where it is.
        block, cluster, shared: what a launch uses where the call leaves it out; None: the entry's directives decide.
        rules: what the kernel demands of its arguments, by parameter.
        names: what reports call a parameter, where that is not its own name.
        tiles, mbarriers: of shared memory, where the kernel was written with them; tiles by name.
        lints: which of them its launches show.
        variables: gives those of the source, with their registers.
        repeats: its launches on GPUs that have passed all checks.
    """

    module: Code
    name: str
    block: Dim3 | None = None
    cluster: Dim3 | None = None
    shared: int | None = None
    rules: Mapping[str, Rule] = field(default_factory=dict[str, Rule])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    tiles: Mapping[str, SharedTile] = field(default_factory=dict[str, SharedTile])
    mbarriers: tuple[SharedMbarriers, ...] = ()
    lints: Lints = ALL
    variables: Callable[[], Sequence[Variable]] = field(default=tuple, repr=False, compare=False)
    repeats: Repeats = field(default_factory=Repeats, init=False, repr=False, compare=False)

    @property
    def program(self) -> Program:
        """The lowered kernel."""
        return self.module.program(self.name)

    @property
    def assembly(self) -> Assembly:
        """The module, assembled for its own target."""
        return self._assembled()

    def _assembled(self, *, quiet: bool = False) -> Assembly:
        from ptxlab.cuda.ptxas import architecture

        return self.module.assembly(architecture(self.module.target), quiet=quiet)

    @property
    def resources(self) -> Resources:
        """What ptxas reports for this kernel, with what its launches add."""
        x, y, z = self.block or self.program.directives.reqntid or (0, 0, 0)
        return replace(self.assembly.resources[self.name], dynamic_shared=self.shared or 0, threads=x * y * z)

    def registers(self) -> int | None:
        """Registers of a thread as ptxas counts them; None where there is no ptxas, or it rejects the kernel."""
        try:
            return self._assembled(quiet=True).resources[self.name].registers
        except Diagnostic:
            return None

    def built(self, options: LaunchOptions, origin: Span | None) -> Built:
        """A launch, checked and packed; the first one shows the kernel's lints.

        Raises: Diagnostic PTX20xx, PTX21xx, PTX23xx; PTX2501 for an unknown code in `ignore`.
        """
        program = self.program
        made = build(
            program, self.call(options, origin), origin, lambda ordinal: self.module.variables_on(ordinal, program)
        )
        if options.lints and self.lints.shown and self.name not in self.module.linted:
            self.module.show_lints(self.name, self.lints & Lints.of(options.lints, options.ignore))
        return made

    def call(self, options: LaunchOptions, origin: Span | None) -> Call:
        """A launch with what the call leaves out filled in. Raises: Diagnostic PTX2001 where nobody says how large a block is."""
        chosen = options.block if options.block is not None else self.block or self.program.directives.reqntid
        if chosen is None:
            raise Diagnostic(
                "PTX2001",
                f"The launch of {self.name} names no block, and the kernel has no .reqntid.",
                help="say how many threads a CTA has: block=128, or --block 128 of `ptxlab run`",
                origin=origin,
            )
        return Call(
            grid=options.grid,
            block=chosen,
            cluster=options.cluster if options.cluster is not None else self.cluster,
            shared=options.shared if options.shared is not None else self.shared or 0,
            args=options.args,
            buffers=options.buffers,
            device=options.device,
            place=place_of(options.stream),
            cooperative=options.cooperative,
            programmatic=options.programmatic,
            rules=self.rules,
            names=self.names,
            registers=self.registers,
            tiles=self.tiles,
            mbarriers=self.mbarriers,
        )
