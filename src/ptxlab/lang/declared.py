"""The function and the options that `@px.kernel` is given, checked."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.limits import MAX_CLUSTER_NON_PORTABLE, MAX_REGISTERS, MAX_THREADS
from ptxlab.isa.targets import Target
from ptxlab.lang.trace.names import identifier
from ptxlab.lang.trace.options import Extent3, Options
from ptxlab.lang.trace.values import whole

WORDS = ("target", "threads", "cluster", "min_ctas", "max_registers", "strided", "name")
_ELSEWHERE = {
    "block": "threads= is the block: a number, or (x, y, z)",
    "num_threads": "threads= is their number",
    "num_warps": "threads= is 32 for each warp",
    "grid": "the grid belongs to the launch: kernel[grid](…)",
    "shared": "k.smem declares shared memory in the kernel",
    "arch": 'target="sm_90a"',
    "maxrregcount": "max_registers=",
    "stages": "a compile-time constant is a keyword-only argument of the function: def kernel(k, …, *, stages=3)",
}
_HOW = "write @px.kernel(threads=128), with parentheses and the number of threads of a CTA"


def check_options(placed: Sequence[Any], given: Mapping[str, Any], others: Sequence[str]) -> None:
    """`@px.kernel` has parentheses, and its options exist. `others`: options that are not passed on. Raises: Diagnostic PTX2225."""
    if placed:
        what = "a function" if callable(placed[0]) else f"{placed[0]!r}"
        raise _wrong(f"px.kernel is given {what} where it takes options by name", _HOW)
    for name in given:
        if name not in WORDS:
            words = (*WORDS, *others)
            near = difflib.get_close_matches(name, words, n=1)
            meant = _ELSEWHERE.get(name) or (f"did you mean {near[0]}=?" if near else f"it has {', '.join(words)}")
            raise _wrong(f"px.kernel has no option `{name}`", meant)
    if "threads" not in given:
        raise _wrong("px.kernel is not told how many threads a CTA has", _HOW)


def check_function(fn: Any) -> None:
    """The decorated function can be traced. Raises: Diagnostic PTX2200, PTX2226."""
    if not inspect.isfunction(fn):
        raise Diagnostic(
            "PTX2200",
            f"{fn!r} is no Python function, so it cannot be a kernel",
            help="decorate a function: def kernel(k, x: px.Ptr[px.f32]): …",
            origin=user_span(),
        )
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        word = "a generator: it has `yield`" if inspect.isgeneratorfunction(fn) else "asynchronous: it is `async def`"
        raise Diagnostic(
            "PTX2226",
            f"`{fn.__name__}` is {word}, so calling it traces nothing",
            help="write a plain function; k.cp.async_ and mbarriers are what is asynchronous on the device",
            origin=user_span(),
        )


def check_result(fn: Callable[..., Any], result: Any) -> None:
    """A kernel returns nothing; a lambda may, as it always returns a value. Raises: Diagnostic PTX2226."""
    if result is not None and fn.__name__ != "<lambda>":
        raise Diagnostic(
            "PTX2226",
            f"`{fn.__name__}` returns {result!r}, but a kernel gives nothing back",
            help="store results to memory that a parameter points to: k.st.global_.f32(out[i], value)",
        )


def options_of(
    fn: Callable[..., Any],
    *,
    target: str,
    threads: int | Sequence[int],
    cluster: int | Sequence[int] | None,
    min_ctas: int | None,
    max_registers: int | None,
    name: str | None,
) -> Options:
    """The options of a kernel. Raises: Diagnostic PTX2210 for what is out of range or of another kind."""
    if name is not None and not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _range("name", name, "a name is a string")
    block, ctas = extent("threads", threads, MAX_THREADS), None
    if cluster is not None:
        ctas = extent("cluster", cluster, MAX_CLUSTER_NON_PORTABLE)
    if max_registers is not None:
        extent("max_registers", max_registers, MAX_REGISTERS)
        min_ctas = None  # ptxas takes one or the other
    if min_ctas is not None:
        extent("min_ctas", min_ctas, MAX_THREADS)
    try:
        parsed = Target.parse(target)
    except (ValueError, TypeError, AttributeError):
        raise _range("target", target, "use sm_90a", "no target") from None
    return Options(parsed, block, ctas, min_ctas, max_registers, identifier(name or fn.__name__))


def extent(word: str, value: Any, most: int) -> Extent3:
    """One to three extents as three. Raises: Diagnostic PTX2210."""
    given: list[Any] = [value] if isinstance(value, str) or not isinstance(value, Sequence) else [*value]  # pyright: ignore[reportUnknownArgumentType]
    try:
        x, y, z = (*map(whole, given), 1, 1, 1)[:3]
    except Diagnostic:
        raise _range(word, value, "give one to three whole numbers", "no number") from None
    if not 1 <= len(given) <= 3 or min(x, y, z) < 1 or x * y * z > most:
        raise _range(word, value, f"one to three extents, at most {most} in all")
    return x, y, z


def check_strided(strided: Any, pointers: Sequence[str]) -> None:
    """`strided` names pointer parameters. Raises: Diagnostic PTX2210."""
    listed = isinstance(strided, Sequence) and not isinstance(strided, str)
    for name in strided if listed else [strided]:  # pyright: ignore[reportUnknownVariableType]
        if not listed or name not in pointers:
            known = ", ".join(map(repr, pointers)) or "none"
            raise _range(
                "strided", strided, f'give a tuple of names, e.g. strided=("c",); pointers are: {known}', "no such list"
            )


def _range(word: str, value: Any, help: str, what: str = "out of range") -> Diagnostic:
    return Diagnostic("PTX2210", f"{word}={value!r} is {what}", help=help, origin=user_span())


def _wrong(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2225", what, help=help, origin=user_span())
