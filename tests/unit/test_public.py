"""The public names: one list of them, and what each of them says of itself."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, walk_packages
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab import memory_model
from ptxlab.diag.codes import CODES
from ptxlab.reference.language.names import names
from tools import public_stub

CLASSES = [n for n in px.__all__ if inspect.isclass(getattr(px, n))]
FUNCTIONS = [n for n in px.__all__ if n not in CLASSES]


def test_the_stub_shows_the_table() -> None:
    assert public_stub.PATH.read_text() == public_stub.text(), "run python -m tools.generate"
    assert {n for n in dir(px) if not n.startswith("__")} == set(px.__all__)
    assert sum(len(names.split()) for names in px._HOMES.values()) == len(px.__all__), "a name has one home"  # type: ignore[attr-defined]


def test_each_name_is_there() -> None:
    code = "from ptxlab import *; import ptxlab; print([n for n in ptxlab.__all__ if n not in globals()])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        px.nothing  # type: ignore[attr-defined] # noqa: B018


PACKAGES = ["ptxlab", *(m.name for m in walk_packages(px.__path__, "ptxlab.", onerror=lambda _: None) if m.ispkg)]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_hides_a_module(package: str) -> None:
    """`import ptxlab.checks as c` gives the module: no package has a function or a class by the name of a module in it."""
    home = import_module(package)
    modules = [m.name for m in iter_modules(home.__path__)]
    hidden = [n for n in modules if not inspect.ismodule(getattr(home, n, home))]
    assert not hidden, f"{package}: rename the modules {hidden}, or what {package}/__init__.py gives their names to"


def test_no_public_name_is_a_package() -> None:
    assert not {m.name for m in iter_modules(px.__path__)} & set(px.__all__)


def test_a_wrong_name_is_told_the_right_one() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'simulat'. Did you mean px.simulate\?"):
        px.simulat  # type: ignore[attr-defined] # noqa: B018


WRONG: dict[str, Callable[[], object]] = {
    "px.tensor_map": lambda: px.tensor_map(np.zeros((64, 64), np.float32), box=(640, 64)),
    "px.TensorMap.tiled": lambda: px.TensorMap.tiled(dtype="u8", address=1, dims=(64,), strides=(), box=(16,)),
    "px.TensorMap.im2col": lambda: px.TensorMap.im2col(
        dtype="u8", address=1, dims=(64, 8, 8), strides=(64, 512), lower=(0,), upper=(0,), channels=8, pixels=4
    ),
    "px.TensorMap.im2col_wide": lambda: px.TensorMap.im2col_wide(
        dtype="u8", address=1, dims=(64, 8, 8), strides=(64, 512), lower=0, upper=0, channels=8, pixels=4
    ),
    "px.TensorMap.decode": lambda: px.TensorMap.decode(b"three"),
    "memory_model.parse": lambda: memory_model.parse("no test"),
    "memory_model.kernel": lambda: memory_model.kernel("no test"),
    "px.explain": lambda: px.explain("no.such.instruction"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_traceback_shows_the_users_frames(name: str) -> None:
    with pytest.raises(px.Diagnostic) as found:
        WRONG[name]()
    assert [Path(entry.path).name for entry in found.traceback][1:] == ["test_public.py", "boundary.py"]
    assert found.value.__suppress_context__


RAISE_NOTHING = {"is_array", "user_span"}


def test_every_public_function_keeps_its_frames_out_of_tracebacks() -> None:
    functions = [getattr(px, n) for n in FUNCTIONS if inspect.isfunction(getattr(px, n)) and n not in RAISE_NOTHING]
    assert len(functions) > 15
    assert [f.__name__ for f in functions if Path(f.__code__.co_filename).name != "boundary.py"] == []


def _functions() -> dict[str, Callable[..., Any]]:
    """Public functions, and public methods of public classes; those of the language are held to its own tests."""
    out = {n: getattr(px, n) for n in FUNCTIONS}
    for name in (n for n in CLASSES if not px._HOME[n].startswith("ptxlab.lang")):
        for method, value in vars(getattr(px, name)).items():
            function = getattr(value, "__func__", value)
            if inspect.isfunction(function) and not method.startswith("_"):
                out[f"{name}.{method}"] = function
    return out


@pytest.mark.parametrize("name", px.__all__)
def test_each_is_described(name: str) -> None:
    doc = inspect.getdoc(getattr(px, name))
    assert doc, name
    assert not doc.startswith(f"{name}("), "a dataclass describes itself by its fields where nobody else does"


@pytest.mark.parametrize("name", _functions())
def test_functions_describe_their_arguments(name: str) -> None:
    function = _functions()[name]
    doc = inspect.getdoc(function)
    assert doc, name
    if "are as in `" in doc:
        return
    taken = [
        p for p in inspect.signature(function).parameters.values() if p.annotation != "Never"
    ]  # else it is refused
    given = [p.name for p in taken if p.name not in ("self", "cls")]
    assert [p for p in given if not re.search(rf"\b{p}\b", doc)] == [], doc


@pytest.mark.parametrize("name", CLASSES)
def test_classes_describe_their_attributes(name: str) -> None:
    cls = getattr(px, name)
    fields = [f for f in getattr(cls, "__dataclass_fields__", {}) if not f.startswith("_")]
    doc = inspect.getdoc(cls) or ""
    assert [f for f in fields if not re.search(rf"\b{f}\b", doc)] == [], doc
    for member, value in vars(cls).items():
        if isinstance(value, property) and not member.startswith("_"):
            assert value.__doc__, f"{name}.{member}"


BRITISH = re.compile(
    r"is(e|es|ed|ing|er|ers|ation)$|ll(ed|ing)$|(?<!^f)(?<!^h)(?<!^y)our$|colour|behaviour|neighbour|centre|analys(e|ing)|catalogue|grey"
)
AMERICAN = {"raise", "raised", "raises", "otherwise", "noise", "precise", "elementwise", "called", "calling", "filled", "spilled"}


def _words(name: str) -> list[str]:
    """The words of a name: `mbarrier-uninitialized`, `Kernel.specialize`, `MatrixRegisters`."""
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+", name)]


def _spelled() -> Iterator[str]:
    """Public names of the language, their parameters and fields; names of diagnostics; options of commands."""
    for name in names():
        yield name.shown
        if callable(name.value):
            with suppress(ValueError, TypeError):
                yield from inspect.signature(name.value).parameters
        yield from getattr(name.value, "__dataclass_fields__", ())
    for code in CODES.values():
        yield code.slug
    for source in (Path(px.__file__).parent / "commands").glob("*.py"):
        yield from re.findall(r'"--([a-z-]+)"', source.read_text())


def test_names_are_spelled_as_in_america() -> None:
    assert {w for name in _spelled() for w in _words(name) if BRITISH.search(w)} - AMERICAN == set()
    assert all(BRITISH.search(w) for w in ("specialise", "initialised", "modelled", "labelling", "colour", "behaviour"))
