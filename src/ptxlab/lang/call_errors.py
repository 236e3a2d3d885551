"""Wrong arguments in calls of the language: one diagnostic at the user's line, without a traceback."""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, FunctionType, TracebackType
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.lang.trace.special import NumberedRegisters, SpecialRegisters
from ptxlab.lang.trace.values import Register

_WORDS = re.compile(
    r"([\w.<>]+)\(\) (got an unexpected keyword argument '(\w+)'|missing \d|takes |got multiple values|got some positional)"
)
"""How Python begins when arguments do not fit a function's parameters."""
_NO_CALL = re.compile(r"'(\w+)' object is not callable")
_SPOKEN = {"declare_mbarrier": "mbarrier", "one_lane": "elect", "working_map": "tensormap"}
"""Words of `k` that are also the first word of instructions; their functions have other names."""


def call_error(wrong: TypeError, kernel: Any) -> Diagnostic | None:
    """The diagnostic for a TypeError in a kernel function; None unless it called a function of ptxlab with wrong arguments.

    Args:
        kernel: the builder, whose methods are called `k.…`.
    """
    register = _NO_CALL.match(str(wrong))
    if register and register[1] in _register_types():
        where = user_span(_innermost(wrong.__traceback__))
        return Diagnostic(
            "PTX2218", "a register is called like a function", help="write it without parentheses", origin=where
        )
    said = _WORDS.match(str(wrong))
    function = _function(said[1], wrong.__traceback__) if said else None
    if said is None or function is None:
        return None
    shown = _shown(said[1], kernel)
    parameters = _parameters(function)
    what = "is given too many arguments" if said[2].startswith(("takes", "got some")) else str(wrong)[said.end(1) + 3 :]
    what = re.sub("^missing", "is missing", what)  # Python counts `self` where it says how many it takes
    listed = ", ".join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)
    near = difflib.get_close_matches(said[3] or "", [p.name for p in parameters], n=1)
    help = f"did you mean {near[0]}=? it is {shown}({listed})" if near else f"it is {shown}({listed})"
    return Diagnostic("PTX2218", f"{shown} {what}", help=help, origin=user_span(_innermost(wrong.__traceback__)))


def _register_types() -> set[str]:
    """The names of the classes of registers, and of groups of them such as k.tid."""
    found, names = [Register, SpecialRegisters, NumberedRegisters], set[str]()
    while found:
        one = found.pop()
        names.add(one.__name__)
        found += one.__subclasses__()
    return names


def _parameters(function: FunctionType) -> Sequence[inspect.Parameter]:
    found = list(inspect.signature(function).parameters.values())
    return found[1:] if found and found[0].name in ("self", "cls") else found


def _shown(name: str, kernel: Any) -> str:
    owner, _, word = name.rpartition(".")
    if not owner:
        return f"px.{word}"
    if any(owner == c.__name__ for c in type(kernel).__mro__):
        return f"k.{_SPOKEN.get(word, word)}"
    return owner if word == "__init__" else f"{owner}.{word}"


def _innermost(trace: TracebackType | None) -> FrameType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame if trace is not None else None


def _function(name: str, trace: TracebackType | None) -> FunctionType | None:
    """The function of ptxlab that has this qualified name; None for one of the user's own."""
    frame = _innermost(trace)
    if frame is None or _is_of_the_user(name, frame):
        return None
    modules = [m for n, m in list(sys.modules.items()) if n.partition(".")[0] == "ptxlab"]
    return next((f for m in modules if (f := _reached(vars(m), name)) is not None), None)


def _is_of_the_user(name: str, frame: FrameType) -> bool:
    found = _reached({**frame.f_globals, **frame.f_locals}, name)
    return found is not None and found.__module__.partition(".")[0] != "ptxlab"


def _reached(names: Mapping[str, Any], name: str) -> FunctionType | None:
    """What a qualified name leads to, without the wrapper of a `with` block."""
    first, *rest = name.split(".")
    found = names.get(first)
    for part in rest:
        found = vars(found).get(part) if isinstance(found, type) else None
    found = inspect.unwrap(found) if callable(found) else None
    return found if isinstance(found, FunctionType) and found.__qualname__ == name else None


__all__ = ["call_error"]
