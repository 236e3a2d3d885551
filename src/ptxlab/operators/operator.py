"""`@px.operator`: a function that launches kernels, as an operator of NumPy, PyTorch and JAX."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Any, Final, TypeVar

from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.watch import watching
from ptxlab.operators.arrays import library_of
from ptxlab.operators.core import Declared
from ptxlab.operators.gradient import Gradient
from ptxlab.operators.on_jax import JaxSide
from ptxlab.operators.on_torch import SLOW, TorchSide
from ptxlab.operators.schema import Schema, schema_of

F = TypeVar("F", bound=Callable[..., Any])

_MEETING: Final = threading.Lock()
"""Held while an operator is registered with torch, which takes a name once."""
_KNOWN: Final[dict[str, Operator]] = {}
"""Operators by name; one that is defined anew, as in a notebook, takes the place of the earlier one."""


@public
def operator(name: str, *, mutates: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Operator]:
    """Make an operator of a function that launches kernels: `@px.operator("mylib::scale")`.

    The function takes arrays and numbers, makes its results by `px.empty_like` or `px.zeros_like`, and launches kernels. The
    operator takes NumPy arrays, tensors of torch and arrays of CuPy and JAX. In memory of the host it simulates, on a GPU it
    launches on the library's current stream. It is an operator of torch.library, for `torch.compile` and `torch.export`, and in
    JAX works under `jit`, `grad`, `vmap` and `shard_map`.

    The function says itself which shapes its results have: where torch or JAX ask for them, it runs with its launches left out.
    Where a call on tensors of a GPU is like an earlier one, but for what is in them, launches are repeated without the function.
    So what it does may depend on shapes, strides, dtypes and numbers, and on nothing else.

    Annotations say what a parameter is: `px.Array`, float, int, bool, str, `tuple[int, ...]`, each also `| None`. The result is
    `px.Array`, a tuple of them, or None for an operator that only writes.

    Args:
        name: "namespace::name", as torch.library has it.
        mutates: names of the arrays that the operator writes. In JAX, where arrays do not change, their new values are returned
            behind the results.

    Raises: Diagnostic PTX2350 for a name or a signature that no operator can have. Calls raise PTX2351 for arguments that do not
        fit, PTX2352 for results that are not as annotated, PTX9004 where a simulated kernel writes what `mutates` does not name,
        and what the launches raise.

    Example:
        @px.kernel(threads=128)
        def scale_kernel(k, x: px.Ptr[px.f32], out: px.Ptr[px.f32], n: px.u32, factor: px.f32):
            i = k.ctaid.x * 128 + k.tid.x
            with k.if_(i < n):
                k.st.global_.f32(out[i], k.ld.global_.f32(x[i]) * factor)

        @px.operator("docs::scale")
        def scale(x: px.Array, factor: float) -> px.Array:
            out = px.empty_like(x)
            n = x.shape[0]
            scale_kernel[(n + 127) // 128](x, out, n, factor)
            return out

        @scale.gradient
        def _(d_out, factor):
            return scale(d_out, factor)

        print(scale(np.ones(3, np.float32), 2.0))  # [2. 2. 2.]
    """

    def wrap(function: Callable[..., Any]) -> Operator:
        return Operator(schema_of(name, function, mutates), function)

    return wrap


class Operator:
    """A function as an operator. `@px.operator` makes it; calling it computes.

    Example:
        @px.operator("docs::half")
        def half(x: px.Array) -> px.Array:
            out = px.empty_like(x)
            if not px.launches_left_out():
                out[...] = x / 2
            return out

        @half.gradient
        def _(d_out):
            return half(d_out)

        @half.vmap
        def _(batched, x):
            return half(x)  # element by element: a batch is one more axis

        print(half.name, half(np.ones(2, np.float32)))  # docs::half [0.5 0.5]
    """

    def __init__(self, schema: Schema, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._declared = Declared(schema, function)
        self._in_torch: TorchSide | None = None  # from when torch is there
        self._overload: Any = None
        self._quick: Callable[..., Any] | None = None
        self._asks: Callable[[], bool] | None = None  # torch, whether it compiles
        self._in_jax: JaxSide | None = None
        before = _KNOWN.get(schema.name)
        _KNOWN[schema.name] = self
        if before is not None and before._in_torch is not None:
            before._in_torch.forget()
        if "torch" in sys.modules:
            self._met_torch()

    @property
    def name(self) -> str:
        """E.g. "mylib::scale"."""
        return self._declared.name

    def __repr__(self) -> str:
        return f"<Operator {self._declared.schema.torch()} of {self.name.partition('::')[0]}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute. See `px.operator`."""
        self._meet()
        if self._asks is not None and self._asks():  # torch's compiler takes this branch as it traces
            return self._overload(*args, **kwargs)
        if self._quick is not None:
            found = self._quick(args, kwargs)
            if found is not SLOW:
                return found
        return self._called(args, kwargs)

    @public
    def gradient(self, function: F) -> F:
        """Say how gradients are computed: `@scale.gradient`.

        The function takes the gradients of the operator's results first, one parameter for each, and behind them, by name, what it
        needs of the call: parameters of the operator, `result` (or `results`, the tuple of several), and `needs`, the names of the
        arrays whose gradient is wanted. Only what it names is kept until then. It returns the gradients of the operator's arrays in
        their order, None for those that have none, and may use operators and the library's own functions.

        Raises: Diagnostic PTX2353 for parameters that are none of these, and for an operator that writes its arguments; on use
            for another number of gradients.
        """
        self._declared.slope = Gradient(self._declared.schema, function)
        self._in_jax = None
        return function

    @public
    def vmap(self, function: F) -> F:
        """Say how a batch is computed: `@scale.vmap`. Left out, one element comes after the other.

        The function takes `batched`, the set of the names of those arrays that have the batch as their first axis, then the
        operator's parameters. It returns results with the batch as their first axis.

        Raises: Diagnostic PTX2350 where it does not take what the operator takes.
        """
        names = list(
            function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
        )
        wanted = ["batched", *(p.name for p in self._declared.schema.parameters)]
        if names != wanted:
            raise Diagnostic(
                "PTX2350",
                f"The rule for batches of {self.name} takes ({', '.join(names)}).",
                help=f"it is given ({', '.join(wanted)})",
                origin=user_span(),
            )
        self._declared.rule = function
        self._in_jax = None
        return function

    @property
    @public
    def torch_op(self) -> Any:
        """The operator as torch has it, `torch.ops.mylib.scale.default`: for `torch.library.opcheck` and other tools of torch.

        Raises: Diagnostic PTX2510 where torch is not installed.

        Example:
            import torch

            @px.operator("docs::ones_of")
            def ones_of(x: px.Array) -> px.Array:
                return px.zeros_like(x) + 1

            torch.library.opcheck(ones_of.torch_op, (torch.zeros(3),))
        """
        try:
            importlib.import_module("torch")
        except ImportError:
            raise Diagnostic("PTX2510", "PyTorch is not installed.", help="pip install torch") from None
        self._met_torch()
        return self._overload

    def _meet(self) -> None:
        """Register the operator with torch, if torch is there by now."""
        if self._in_torch is None and "torch" in sys.modules:
            self._met_torch()

    # what torch.compiler.assume_constant_result sets: the compiler calls the method as it traces, and goes on behind it
    _meet._dynamo_marked_constant = True  # pyright: ignore[reportFunctionMemberAccess]

    def _met_torch(self) -> TorchSide:
        with _MEETING:
            if self._in_torch is None:
                side, asks = TorchSide(self._declared), sys.modules["torch"].compiler.is_compiling
                self._overload, self._quick, self._asks, self._in_torch = side.overload, side.quick, asks, side
            return self._in_torch

    @public
    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        declared = self._declared
        if watching() is not None:  # within the function of another operator it is a function
            return declared.function(**declared.schema.bound(args, kwargs))
        values = declared.schema.bound(args, kwargs)
        library = self._library(values)
        if library == "torch":
            return self._met_torch().called(args, kwargs, values)
        if library == "jax":
            if self._in_jax is None:
                self._in_jax = JaxSide(declared)
            return self._in_jax(values)
        return declared.finished(declared.run(values), values)

    def _library(self, values: Mapping[str, Any]) -> str:
        """The library that a call is about. Raises: Diagnostic PTX2351."""
        schema = self._declared.schema
        found: dict[str, str] = {}
        for p in schema.parameters:
            value = values[p.name]
            library = library_of(value)
            if p.is_array and not library and not (value is None and p.optional):
                raise schema.refused(
                    f"{self.name} wants an array as `{p.name}`, and got {type(value).__name__}.",
                    "give an array of NumPy, torch, CuPy or JAX",
                )
            if not p.is_array and library == "jax" and isinstance(value, sys.modules["jax"].core.Tracer):
                raise schema.refused(
                    f"{self.name} got a traced value as `{p.name}`, which is no array.",
                    f"make it static: jax.jit(f, static_argnames={p.name!r})",
                )
            if not p.is_array and library:
                word = p.kind.replace("SymInt", "int")
                raise schema.refused(f"{self.name} wants `{p.name}` as {word}, and got an array.", "give a number")
            if p.is_array and library:
                found.setdefault(library, p.name)
        if len(found) > 1:
            said = " and ".join(f"`{name}` of {library}" for library, name in found.items())
            raise schema.refused(f"{self.name} got {said}.", "give arrays of one library")
        return next(iter(found), "numpy")
