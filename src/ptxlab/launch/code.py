"""What launches need of a module: its programs, its assembled code, the memory of its variables."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic, Span, raise_all
from ptxlab.launch.lints import Lints
from ptxlab.launch.origins import Origins
from ptxlab.launch.storage import Storage
from ptxlab.launch.warn import warn

if TYPE_CHECKING:
    from ptxlab.abi.record import Buffer
    from ptxlab.cuda.driver import Device
    from ptxlab.cuda.library import Library
    from ptxlab.cuda.lines import LineMap
    from ptxlab.cuda.ptxas import Assembly
    from ptxlab.ptx import tree
    from ptxlab.ptx.program import Program


class Code:
    """A module's tree with what is made of it, each once: flat programs, assembled and loaded code, memory of variables.

    Attributes:
        tree: the module's tree.
        file: what diagnostics call it.
        level: how far ptxas optimises it, 0 to 3; None: as it does by itself.
    """

    def __init__(self, tree: tree.Module, file: str = "<ptx>") -> None:
        self.tree = tree
        self.file = file
        self.storage = Storage(file)  # of variables on the first simulated device
        self._others: dict[int, Storage] = {}
        self.level: int | None = None
        self.last_library: Library | None = None  # where it was last launched; None: in the simulator
        self.linted: set[str] = set()  # kernels whose lints were shown
        self._programs: dict[str, tuple[Program, list[Diagnostic]]] = {}
        self._written: set[str] = set()  # variables that Python has written
        self._libraries: dict[int, Library] = {}
        self._assemblies: dict[str, Assembly] = {}
        self._warned: set[str] = set()
        self._text: str | None = None
        self._lock = threading.RLock()

    def __str__(self) -> str:
        if self._text is None:
            self._text = str(self.tree)
        return self._text

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of the kernels."""
        return tuple(f.name for f in self.tree.entries())

    def program(self, entry: str) -> Program:
        """The lowered kernel. Raises: Diagnostic PTX0xxx, PTX1xxx, PTX20xx for what is wrong in it."""
        return self._checked(entry)[0]

    def warnings(self, entry: str) -> list[Diagnostic]:
        """What the checks warn of in a kernel, without an assembler. Raises: as `program`."""
        return self._checked(entry)[1]

    def show_lints(self, entry: str, lints: Lints) -> None:
        """Show the lints of a kernel as Python warnings, once."""
        from ptxlab.checks import lints_of

        with self._lock:
            if entry not in self.linted:
                warn(lints.chosen(lints_of(self.program(entry))), in_kernel=True)
                self.linted.add(entry)

    def _checked(self, entry: str) -> tuple[Program, list[Diagnostic]]:
        from ptxlab.checks import checked

        with self._lock:
            if entry not in self._programs:
                program, found = checked(self.tree, entry)
                raise_all(found)
                self._programs[entry] = program, found
            return self._programs[entry]

    @property
    def lines(self) -> LineMap:
        """Leads lines of the text to the Python lines that emitted them."""
        from ptxlab.cuda.lines import LineMap

        return LineMap(str(self), self.file, Origins(self.tree, str(self)))

    def assembly(self, arch: str, *, quiet: bool = False) -> Assembly:
        """The assembled module; what ptxas warns of is shown once, unless `quiet`. Raises: Diagnostic PTX24xx."""
        from ptxlab.cuda.ptxas import assemble

        with self._lock:
            if arch not in self._assemblies:
                self._assemblies[arch] = assemble(str(self), arch, lines=self.lines, level=self.level)
            if not quiet and arch not in self._warned:
                self._warned.add(arch)
                warn(self._assemblies[arch].warnings)
            return self._assemblies[arch]

    def library(self, device: Device) -> Library:
        """The module loaded on a device; by the driver's own compiler where ptxas is not installed. Raises: Diagnostic PTX24xx."""
        from ptxlab.cuda.library import Library
        from ptxlab.cuda.ptxas import architecture, find

        with self._lock:
            loaded = self._libraries.get(device.ordinal)
            if loaded is None:
                arch = architecture(self.target, device.capability)
                if find() is not None:
                    loaded = Library.from_cubin(device, self.assembly(arch).cubin)
                else:
                    loaded = Library.from_ptx(device, str(self), self.lines)
                    warn(loaded.warnings)
                self._libraries[device.ordinal] = loaded
                for name in sorted(self._written):
                    self._send(loaded, name)
            return loaded

    def variables_on(self, ordinal: int, program: Program) -> tuple[dict[str, int], list[Buffer]]:
        """Addresses and buffers of the variables that an entry can reach, on a simulated device: each has its own."""
        if not ordinal:
            return self.storage.for_launch(program)
        with self._lock:
            storage = self._others.setdefault(ordinal, Storage(self.file))
            known = set(storage.names)
            found = storage.for_launch(program)
            for name in self._written & set(storage.names) - known:
                storage.bytes_of(name)[:] = self.storage.bytes_of(name)
        return found

    def written(self, name: str) -> None:
        """Python has written a variable's memory: bring its bytes to where the module is loaded, now and later."""
        self._written.add(name)
        for storage in self._others.values():
            if name in storage.names:
                storage.bytes_of(name)[:] = self.storage.bytes_of(name)
        for library in self._libraries.values():
            self._send(library, name)

    def _send(self, library: Library, name: str) -> None:
        from ptxlab.cuda.library import write_memory

        data = self.storage.bytes_of(name).tobytes()
        address, size = library.variable(name)
        write_memory(library.device, address, data[:size])

    @property
    def target(self) -> str:
        """E.g. "sm_90a". Raises: Diagnostic PTX0001 where the module names none."""
        found = self.tree.target
        if found is None:
            raise Diagnostic(
                "PTX0001", "The module has no .target.", help="write e.g. .target sm_90a", span=Span(self.file, 1)
            )
        return found
