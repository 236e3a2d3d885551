"""Modules: PTX text, its kernels and its variables."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic, Span, meant, raise_all, user_span
from ptxlab.launch.boundary import public
from ptxlab.launch.storage import Storage

if TYPE_CHECKING:
    from ptxlab.cuda.driver import Device
    from ptxlab.cuda.library import Library
    from ptxlab.cuda.lines import LineMap
    from ptxlab.cuda.ptxas import Assembly
    from ptxlab.launch.kernel import Kernel
    from ptxlab.launch.symbol import Symbol
    from ptxlab.ptx import tree
    from ptxlab.ptx.program import Program

_NOT_PTX = {
    b"\x7fELF": "is a cubin",
    b"\x50\xed\x55\xba": "is a fatbin",
    b"\xff\xfe": "is text in UTF-16",
    b"\xfe\xff": "is text in UTF-16",
    b"\xef\xbb\xbf": "begins with a byte order mark, which ptxas does not take either",
}


@public
def parse(text: str, file: str = "<ptx>") -> Module:
    """A module from PTX text.

    Args:
        text: the whole module.
        file: what diagnostics call it.

    Raises: Diagnostic PTX0xxx with all errors of syntax; PTX2316 where `text` is no string.
    """
    from ptxlab.ptx.parser import parse as parse_tree

    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Diagnostic(
            "PTX2316",
            f"A {type(text).__name__} is no PTX text.",
            help="px.load takes a path",
            origin=user_span(),
        )
    return Module(parse_tree(text, file), file)


@public
def load(path: str | os.PathLike[str]) -> Module:
    """A module from a .ptx file.

    Raises: Diagnostic PTX2500 where the file cannot be read, PTX0002 where it is no text, PTX0xxx for errors of syntax.
    """
    name = os.fspath(path)
    return parse(read(name), name)


@public
def link(modules: Sequence[Module | str | os.PathLike[str]]) -> Module:
    """One module from several, given as modules or paths: what one declares `.extern`, another one defines.

    Names that a file keeps to itself may meet; they are told apart. Debug data is left out.

    Raises: Diagnostic PTX2330 for what two files define, PTX2331 for what none does, PTX2332 for a declaration that is not
    its definition's, PTX2333 for targets that do not go together, PTX2316 for an empty list; as `load` for paths.
    """
    from ptxlab.ptx.link import link as link_trees

    parts = [m if isinstance(m, Module) else load(m) for m in modules]
    if not parts:
        raise Diagnostic("PTX2316", "There is nothing to link.", help="give modules or paths", origin=user_span())
    return Module(link_trees([m.tree for m in parts], [m.file for m in parts]), "+".join(m.file for m in parts))


def read(name: str) -> str:
    """The text of a .ptx file. Raises: Diagnostic PTX2500 where it cannot be read, PTX0002 where it is no text."""
    try:
        raw = Path(name).read_bytes()
    except OSError as e:
        raise Diagnostic(
            "PTX2500", f"{name} cannot be read: {e.strerror}.", help="check the path", origin=user_span()
        ) from None
    for start, kind in _NOT_PTX.items():
        if raw.startswith(start):
            raise Diagnostic("PTX0002", f"{name} {kind}.", origin=user_span())
    if b"\0" in raw:
        raise Diagnostic("PTX0002", f"{name} is no text: byte {raw.index(0)} is zero.", origin=user_span())
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Diagnostic("PTX0002", f"{name} is not UTF-8 at byte {e.start}.", origin=user_span()) from None


class Module:
    """A PTX module. `mod["entry"]` is a kernel; `str(mod)` is the text, unchanged where it was parsed.

    Attributes:
        tree: the module's tree.
        file: what diagnostics call it.
    """

    def __init__(self, tree: tree.Module, file: str = "<ptx>") -> None:
        self.tree = tree
        self.file = file
        self.storage = Storage()
        self.written: set[str] = set()  # variables that Python has written
        self.last_library: Library | None = None  # where it was last launched; None: in the simulator
        self._programs: dict[str, tuple[Program, list[Diagnostic]]] = {}
        self._libraries: dict[int, Library] = {}
        self._assemblies: dict[str, Assembly] = {}
        self._text: str | None = None
        self._lock = threading.RLock()

    def __str__(self) -> str:
        if self._text is None:
            self._text = str(self.tree)
        return self._text

    def __repr__(self) -> str:
        return f"<Module {self.file}: {', '.join(self.entries) or 'no kernels'}>"

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of the kernels."""
        return tuple(f.name for f in self.tree.entries())

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __contains__(self, entry: object) -> bool:
        return entry in self.entries

    @public
    def __getitem__(self, entry: str) -> Kernel:
        """The kernel of this name; a very long one may be given as diagnostics show it, with `…` in its middle.

        Raises: Diagnostic PTX2300.
        """
        from ptxlab.launch.kernel import Kernel

        entry = meant(entry, self.entries)
        if entry not in self.entries:
            listed = ", ".join(self.entries) or "none"
            raise Diagnostic(
                "PTX2300", f"The module has no kernel {entry!r}.", help=f"its kernels: {listed}", origin=user_span()
            )
        return Kernel.of_entry(self, entry)

    @public
    def symbol(self, name: str, dtype: Any = None) -> Symbol:
        """A .global or .const variable, to read and to write by index as an array: `mod.symbol("lut")[:] = table`.

        `dtype`: what its bytes are where the PTX does not say; nvcc writes arrays of anything but integers as `.b8`.

        Raises: Diagnostic PTX2312; PTX2307 for a dtype that is none, or whose size does not divide the variable's.
        """
        from ptxlab.launch.symbol import Symbol

        return Symbol.of(self, name, dtype)

    def program(self, entry: str) -> Program:
        """The lowered kernel. Raises: Diagnostic PTX0xxx, PTX1xxx, PTX20xx for what is wrong in it."""
        return self._checked(entry)[0]

    def warnings(self, entry: str) -> list[Diagnostic]:
        """What the checks warn of in a kernel, without an assembler. Raises: as `program`."""
        return self._checked(entry)[1]

    def _checked(self, entry: str) -> tuple[Program, list[Diagnostic]]:
        from ptxlab.check import checked

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
        from ptxlab.launch.origins import Origins

        return LineMap(str(self), self.file, Origins(self.tree, str(self)))

    def assembly(self, arch: str) -> Assembly:
        """The assembled module. Raises: Diagnostic PTX24xx."""
        from ptxlab.cuda.ptxas import assemble
        from ptxlab.launch.warn import warn

        with self._lock:
            if arch not in self._assemblies:
                self._assemblies[arch] = assemble(str(self), arch, lines=self.lines)
                warn(self._assemblies[arch].warnings)
            return self._assemblies[arch]

    def library(self, device: Device) -> Library:
        """The module loaded on a device; by the driver's own compiler where ptxas is not installed. Raises: Diagnostic PTX24xx."""
        from ptxlab.cuda.library import Library
        from ptxlab.cuda.ptxas import architecture, find
        from ptxlab.launch.warn import warn

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
                self._upload(loaded)
            return loaded

    def _upload(self, library: Library) -> None:
        from ptxlab.launch.symbol import upload

        upload(self, library)

    @property
    def libraries(self) -> tuple[Library, ...]:
        """Where the module is loaded already."""
        return tuple(self._libraries.values())

    @property
    def target(self) -> str:
        """E.g. "sm_90a". Raises: Diagnostic PTX0001 where the module names none."""
        found = self.tree.target
        if found is None:
            raise Diagnostic(
                "PTX0001", "The module has no .target.", help="write e.g. .target sm_90a", span=Span(self.file, 1)
            )
        return found
