"""Modules: PTX text, its kernels and its variables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ptxlab.diag import Diagnostic, html, meant, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.code import Code
from ptxlab.launch.kernel import Kernel
from ptxlab.launch.symbol import Symbol
from ptxlab.ptx.printer import node_text
from ptxlab.ptx.text import path_of, read


@public
def parse(text: str, file: str = "<ptx>") -> Module:
    """A module from PTX text.

    Args:
        text: the whole module.
        file: what diagnostics call it.

    Raises: Diagnostic PTX0xxx with all errors of syntax; PTX2316 where `text` is no string.

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

        mod = px.parse(text, "counter.ptx")
        out = np.zeros(1, np.uint32)
        mod["count"].launch(grid=1, block=1, args=[out])
        print(list(mod), out)  # ['count'] [5]
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
    r"""A module from a .ptx file, which is UTF-8.

    Args:
        path: of the file; diagnostics call it that.

    Raises: Diagnostic PTX2500 where the file cannot be read, PTX2504 where it is larger than 256 MiB, PTX0002 where it is no
    text, PTX0xxx for errors of syntax; PTX2316 for what is no path, PTX text among it.

    Example:
        from pathlib import Path

        Path("nothing.ptx").write_text(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry nothing() { ret; }\n")
        mod = px.load("nothing.ptx")
        print(mod.entries)  # ('nothing',)
    """
    name = path_of(path)
    return parse(read(name), name)


@public
def link(modules: Sequence[Module | str | os.PathLike[str]]) -> Module:
    r"""One module from several, given as modules or paths: what one declares `.extern`, another one defines.

    Names that a file keeps to itself may meet; they are told apart. Debug data is left out.

    Raises: Diagnostic PTX2330 for what two files define, PTX2331 for what none does, PTX2332 for a declaration that is not
    its definition's, PTX2333 for targets that do not go together, PTX2316 for an empty list, or for what is none; as `load` for
    paths.

    Args:
        modules: modules, or paths of .ptx files.

    Example:
        head = ".version 8.0\n.target sm_90a\n.address_size 64\n"
        one = px.parse(head + ".extern .global .u32 seed;\n.visible .entry k() { .reg .u32 %r; ld.global.u32 %r, [seed]; ret; }")
        other = px.parse(head + ".visible .global .u32 seed = 3;")
        print(list(px.link([one, other])))  # ['k']
    """
    from ptxlab.ptx.link import link as link_trees

    if isinstance(modules, str | os.PathLike) or not isinstance(modules, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Diagnostic(
            "PTX2316",
            f"A {type(modules).__name__} is no list of modules.",
            help="give modules or paths in a list",
            origin=user_span(),
        )
    parts = [m if isinstance(m, Module) else load(m) for m in modules]
    if not parts:
        raise Diagnostic("PTX2316", "There is nothing to link.", help="give modules or paths", origin=user_span())
    return Module(link_trees([m.tree for m in parts], [m.file for m in parts]), "+".join(m.file for m in parts))


class Module(Code):
    """A PTX module. `mod["entry"]` is a kernel; `str(mod)` is the text, unchanged where it was parsed.

    Attributes:
        tree: the module's tree.
        file: what diagnostics call it.

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

        mod = px.parse(text)
        kernel = mod["count"]
        print(mod.entries, mod.target, mod.warnings("count"))  # ('count',) sm_90a []
        print(mod.symbol("counter")[...])  # 5
    """

    def __repr__(self) -> str:
        return f"<Module {self.file}: {', '.join(self.entries) or 'no kernels'}>"

    def _repr_html_(self) -> str:
        rows = [
            (f.name, ", ".join(node_text(p) for p in f.params or ()), " ".join(node_text(d) for d in f.directives))
            for f in self.tree.entries()
        ]
        shown = html.heading(f"Module {self.file}, target {self.target}")
        return shown + html.table(("kernel", "parameters", "directives"), rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __contains__(self, entry: object) -> bool:
        return entry in self.entries

    @public
    def __getitem__(self, entry: str) -> Kernel:
        """The kernel of this name; a very long one may be given as diagnostics show it, with `…` in its middle.

        Raises: Diagnostic PTX2300.
        """
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

        Args:
            name: the variable's.
            dtype: what its bytes are where the PTX does not say; nvcc writes arrays of anything but integers as `.b8`.

        Raises: Diagnostic PTX2312; PTX2307 for a dtype that is none, or whose size does not divide the variable's.

        Example: see px.Symbol
        """
        return Symbol.of(self, name, dtype)
