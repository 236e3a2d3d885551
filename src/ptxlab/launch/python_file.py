"""The @px.kernel functions of a Python file: what `ptxlab check kernel.py` looks at."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Generator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Final

from ptxlab.checks import check
from ptxlab.diag import Diagnostic, Severity, Span, span_of
from ptxlab.launch.kernel import Kernel

SUFFIX: Final = ".py"
_OPEN: Final = "PTX2209"


def check_python(
    file: Path, target: str | None, *, lints: bool, ptxas: str | None = None
) -> tuple[list[Diagnostic], int | None]:
    """Import a file, not as `__main__`, and check the kernels at its top level.

    What it prints goes to standard error. A kernel with constants that have no value is noted, and not checked.

    Returns: the findings, and how many kernels were checked; None where the file cannot be imported.
    """
    with contextlib.redirect_stdout(sys.stderr), imports_beside(file):
        try:
            kernels = kernels_of(imported(file))
        except Diagnostic as d:
            return d.told(), None
        found, count = list[Diagnostic](), 0
        for name, kernel in kernels.items():
            one = _of_kernel(name, kernel, file, target, lints=lints, ptxas=ptxas)
            count += not any(d.code == _OPEN for d in one)
            found += one
    if not kernels:
        found.append(
            Diagnostic(
                "PTX2505",
                f"{file} defines no kernel when it is imported.",
                help="write @px.kernel(…) functions at its top level",
                severity=Severity.NOTE,
            )
        )
    return found, count


@contextlib.contextmanager
def imports_beside(file: Path) -> Generator[None]:
    """Modules beside the file are found, and nothing is written there."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def kernels_of(module: ModuleType) -> dict[str, Kernel]:
    """The kernels at the top level of a module, each once."""
    return dict({id(v): (name, v) for name, v in vars(module).items() if isinstance(v, Kernel)}.values())


def imported(file: Path) -> ModuleType:
    """The file as a module. Raises: Diagnostic PTX2500, PTX2505."""
    if not file.is_file():
        reason = "Is a directory" if file.is_dir() else "It is no regular file" if file.exists() else "No such file"
        raise Diagnostic("PTX2500", f"{file} cannot be read: {reason}.", help="check the path")
    name = f"_checked_{file.stem}"
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look there
    try:
        spec.loader.exec_module(module)
    except Diagnostic:
        raise
    except (Exception, SystemExit) as e:
        raise raised(e, file, f"{file} cannot be imported") from None
    return module


def _of_kernel(
    name: str, kernel: Kernel, file: Path, target: str | None, *, lints: bool, ptxas: str | None
) -> list[Diagnostic]:
    try:
        found = check(kernel, target, lints=lints, ptxas=ptxas)
    except (Exception, SystemExit) as e:  # the kernel is the user's Python
        found = raised(e, file, f"kernel `{kernel.name}` cannot be traced")
        found.help = "the function's Python runs when the kernel is traced"
        return [found]
    for d in found:
        if d.code == _OPEN:
            d.severity, d.origin = Severity.NOTE, _definition(name, file)
            d.help = "it was not checked: give the constant a default, or check a kernel of .specialize(…)"
    return found


def _definition(name: str, file: Path) -> Span | None:
    """Where a function of the file begins."""
    text = file.read_text(encoding="utf-8")
    nodes = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name)
    return next((Span(str(file), n.lineno, text=text.split("\n")[n.lineno - 1]) for n in nodes), None)


def raised(e: BaseException, file: Path, what: str) -> Diagnostic:
    """What the user's Python raised, at the last line of it that was reached."""
    if isinstance(e, SyntaxError) and e.filename is not None and e.lineno is not None:
        place = Span(e.filename, e.lineno, e.offset or 0, e.end_offset or 0, text=(e.text or "").rstrip("\n"))
        return Diagnostic("PTX2505", f"{what}: {e.msg}.", origin=place)
    place = None
    for frame, line in walk_tb(e.__traceback__):
        if Path(frame.f_code.co_filename).resolve() == file.resolve():
            place = Span(span_of(frame.f_code).file, line)
    words = f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
    return Diagnostic("PTX2505", f"{what}: {words}", origin=place)
