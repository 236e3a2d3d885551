"""The public names: one list of them, and what each of them says of itself."""

from __future__ import annotations

import ast
import inspect
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest

import ptxlab as px

SOURCE = ast.parse(Path(px.__file__).read_text())
CLASSES = [n for n in px.__all__ if inspect.isclass(getattr(px, n))]
FUNCTIONS = [n for n in px.__all__ if n not in CLASSES]


def _for_type_checkers() -> Iterator[tuple[str, str]]:
    """(module, name) of what type checkers see."""
    (block,) = (n for n in SOURCE.body if isinstance(n, ast.If))
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name, "`import a as a` is what makes it public for type checkers"
            yield str(node.module), alias.name


def test_the_lists_of_public_names_agree() -> None:
    homes = {(home, name) for home, names in px._HOMES.items() for name in names}
    assert set(_for_type_checkers()) == homes
    assert sorted(px.__all__) == sorted(name for _, name in homes)
    assert {n for n in dir(px) if not n.startswith("__")} == set(px.__all__)
    assert sum(map(len, px._HOMES.values())) == len(px._HOME), "a name has one home"


def test_each_name_is_there() -> None:
    code = "from ptxlab import *; import ptxlab; print([n for n in ptxlab.__all__ if n not in globals()])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        px.nothing  # type: ignore[attr-defined] # noqa: B018


def test_no_name_is_the_package_of_the_same_name() -> None:
    """Packages have been imported: `help(px.check)` is that of the function all the same, and the package's names are there."""
    assert {"check", "litmus"} <= {m.name for m in iter_modules(px.__path__)} & set(px.__all__)
    for name in {m.name for m in iter_modules(px.__path__)} & set(px.__all__):
        package = import_module(f"ptxlab.{name}")
        assert inspect.isfunction(getattr(px, name))
        assert getattr(px, name) is getattr(package, name)
        assert f"function {name} in module ptxlab.{name}" in pydoc.plain(pydoc.render_doc(getattr(px, name)))
        assert [n for n in package.__all__ if getattr(getattr(px, name), n) is not getattr(package, n)] == []


def test_modules_of_such_a_package_are_there() -> None:
    code = "import ptxlab as px, ptxlab.litmus.examples as e, ptxlab.check as c; print(e is px.litmus.examples, c is px.check)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True True\n", "")


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
    "px.litmus.parse": lambda: px.litmus.parse("no test"),  # type: ignore[attr-defined]
    "px.litmus.kernel": lambda: px.litmus.kernel("no test"),  # type: ignore[attr-defined]
    "px.explain": lambda: px.explain("no.such.instruction"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_traceback_shows_the_users_frames(name: str) -> None:
    with pytest.raises(px.Diagnostic) as found:
        WRONG[name]()
    assert [Path(entry.path).name for entry in found.traceback][1:] == ["test_public.py", "boundary.py"]
    assert found.value.__suppress_context__


def test_every_public_function_keeps_its_frames_out_of_tracebacks() -> None:
    functions = [getattr(px, n) for n in FUNCTIONS if inspect.isfunction(getattr(px, n))]
    assert len(functions) > 15
    assert [f.__name__ for f in functions if Path(f.__code__.co_filename).name != "boundary.py"] == []


def _functions() -> dict[str, Callable[..., Any]]:
    """Public functions, and public methods of public classes; those of the language are held to its own tests."""
    out = {n: getattr(px, n) for n in FUNCTIONS}
    for name in (n for n in CLASSES if not px._HOME.get(n, "").startswith("ptxlab.lang")):
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
