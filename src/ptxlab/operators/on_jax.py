"""An operator as a function of JAX: a custom call of XLA's FFI, which runs the operator's function on the buffers of the call."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ptxlab.abi.arrays import view
from ptxlab.cuda.array import Place
from ptxlab.diag import Diagnostic, plain
from ptxlab.launch.arrays import dtype_of
from ptxlab.launch.watch import Guarded, Watch, watched
from ptxlab.operators.arrays import Outline
from ptxlab.operators.core import Declared
from ptxlab.operators.gradient import missing

KEPT: Final = 1024
"""Kinds of calls of an operator that are kept: JAX compiles each once."""

Kind = tuple[tuple[int, ...], str]
"""Shape and dtype of an array."""


class JaxSide:
    """What JAX knows of an operator."""

    def __init__(self, operator: Declared) -> None:
        self._operator = operator
        self._function = lru_cache(maxsize=KEPT)(self._made)
        self._call = lru_cache(maxsize=KEPT)(self._callback)

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """The results of a call on arrays of JAX, traced ones included.

        Returns: the results, and behind them the new values of arrays that the operator writes.
        """
        jax = _jax()
        schema = self._operator.schema
        given = tuple(p.name for p in schema.arrays if values[p.name] is not None)
        rest = tuple((p.name, _hashable(values[p.name])) for p in schema.parameters if p.name not in given)
        arrays = [values[name] for name in given]
        try:
            out = self._function(given, rest)(*arrays)
            if not any(isinstance(a, jax.core.Tracer) for a in arrays) and _on_host(arrays):
                jax.block_until_ready(out)
        except jax.errors.JaxRuntimeError as failed:
            stopped = _stopped.pop(self._operator.name, None)
            if stopped is None or stopped.message not in str(failed):
                raise
            raise stopped from None
        return out[0] if len(out) == 1 else tuple(out) if out else None

    def _made(self, given: tuple[str, ...], rest: tuple[tuple[str, Any], ...]) -> Callable[..., Any]:
        """The operator as a function of its arrays alone, with its gradient."""
        jax, operator = _jax(), self._operator

        def plain_call(*arrays: Any) -> tuple[Any, ...]:
            return self._computed(given, rest, arrays)

        call = plain_call if operator.rule is None else self._with_rule(plain_call, given, rest)
        if operator.schema.mutated:
            return call
        whole = jax.custom_vjp(call)
        slope = operator.slope

        def forward(*arrays: Any) -> Any:
            results = whole(*arrays)  # and not `call`, so that it has a gradient again
            saved = {n: a for n, a in zip(given, arrays, strict=True) if slope is not None and n in slope.saved}
            return results, (saved, results if slope is not None and slope.keeps_results else ())

        def backward(kept: Any, d_results: Any) -> tuple[Any, ...]:
            if slope is None:
                raise missing(operator.schema)
            saved, results = kept
            found = slope(d_results, {**dict(rest), **saved}, results, given)
            by_name = dict(zip((p.name for p in operator.schema.arrays), found, strict=True))
            return tuple(by_name[name] for name in given)

        whole.defvjp(forward, backward)
        return whole

    def _with_rule(self, call: Callable[..., Any], given: tuple[str, ...], rest: tuple[tuple[str, Any], ...]) -> Any:
        """The call with the user's rule for batches."""
        rule, schema = self._operator.rule, self._operator.schema
        assert rule is not None
        batching: Any = _jax().custom_batching.custom_vmap(call)

        @batching.def_vmap
        def _(size: int, batched: Sequence[bool], *arrays: Any) -> Any:
            names = {name for name, has in zip(given, batched, strict=True) if has}
            found = rule(names, **{**dict(rest), **dict(zip(given, arrays, strict=True))})
            return tuple(self._operator.listed(found)), (True,) * schema.results

        return batching

    def _computed(self, given: tuple[str, ...], rest: tuple[tuple[str, Any], ...], arrays: Sequence[Any]) -> Any:
        """The custom call for arrays, traced ones as a rule."""
        jax = _jax()
        kinds = tuple((tuple(map(int, a.shape)), str(a.dtype)) for a in arrays)
        call = self._call(given, rest, kinds)
        outcome = call.run(*arrays)
        varying = frozenset[str]().union(*(_axes(jax.typeof(a)) for a in arrays))
        if varying:  # under shard_map: a result differs from device to device where an argument does
            outcome = [_varying(jax, one, tuple(sorted(varying))) for one in outcome]
        return tuple(outcome[i] for i in call.results)

    def _callback(self, given: tuple[str, ...], rest: tuple[tuple[str, Any], ...], kinds: tuple[Kind, ...]) -> _Call:
        return _Call(self._operator, given, rest, kinds)


class _Call:
    """A kind of call: which buffers XLA hands over, and what is done with them.

    XLA owns all memory: whatever the function makes by `px.empty_like` is a result of the custom call, those that it does not
    return included. The function runs once with its launches left out, to see what it makes; the buffers then come in that order.

    Attributes:
        results: which of the custom call's results are the operator's, mutated arrays behind them.
        run: the custom call.
    """

    def __init__(
        self, operator: Declared, given: tuple[str, ...], rest: tuple[tuple[str, Any], ...], kinds: tuple[Kind, ...]
    ) -> None:
        jax, buffers = _jax(), importlib.import_module("jax.experimental.buffer_callback")
        self._operator, self._given, self._rest = operator, given, dict(rest)
        outlines = {n: Outline(shape, dtype_of(word)) for n, (shape, word) in zip(given, kinds, strict=True)}
        watch = _Shapes()
        with watched(watch):
            found = operator.listed(operator.function(**{**self._rest, **outlines}))
        self._made = watch.made
        self._mutated = [p.name for p in operator.schema.mutated if p.name in given]
        self.results = tuple(self._number(one) for one in found) + tuple(
            len(self._made) + i for i in range(len(self._mutated))
        )
        outputs = [(o.shape, o.dtype) for o in self._made] + [
            (outlines[n].shape, outlines[n].dtype) for n in self._mutated
        ]
        self.run = buffers.buffer_callback(
            self._called,
            [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in outputs],
            vmap_method="sequential",
            input_output_aliases={given.index(n): len(self._made) + i for i, n in enumerate(self._mutated)},
        )

    def _number(self, result: Any) -> int:
        """Which of the arrays that were made a result is. Raises: Diagnostic PTX2352 where it is none."""
        for number, one in enumerate(self._made):
            if one is result:
                return number
        raise self._operator.wrong_result("a result is none of the arrays that its function made by px.empty_like")

    def _called(self, context: Any, outputs: Sequence[Any], *inputs: Any) -> None:
        """What XLA calls. What it raises ends in a JaxRuntimeError, so it says itself what is wrong."""
        try:
            self._ran(context, outputs, inputs)
        except Diagnostic as d:
            _stopped[self._operator.name] = d
            raise RuntimeError(plain(d)) from None

    def _ran(self, context: Any, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        host = int(outputs[0].__dlpack_device__()[0]) == 1
        stream = None if host else int(context.stream)
        lent = [_host(b) if host else Lent(b) for b in outputs]
        arrays: dict[str, Any] = dict(zip(self._given, (_host(b) if host else Lent(b) for b in inputs), strict=True))
        arrays |= dict(zip(self._mutated, lent[len(self._made) :], strict=True))
        guarded = tuple(Guarded(n, *_extent(a)) for n, a in arrays.items() if host and n not in self._mutated)
        watch = _Lending(self._operator, self._made, lent, stream, guarded)
        self._operator.run({**self._rest, **arrays}, watch)


class Lent:
    """A buffer of XLA on a GPU, for the length of a call.

    Attributes:
        shape, dtype: as NumPy's. device: which GPU.
    """

    def __init__(self, buffer: Any) -> None:
        self.shape, self.dtype = tuple(buffer.shape), np.dtype(buffer.dtype)
        self.device = Place(int(buffer.__dlpack_device__()[1]))
        self.__cuda_array_interface__ = {
            "shape": self.shape,
            "typestr": self.dtype.str if self.dtype.isbuiltin == 1 else f"<V{self.dtype.itemsize}",
            "data": (view(buffer).address, False),
            "version": 3,
        }

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)


@dataclass
class _Shapes(Watch):
    """A call on outlines: notes what is made."""

    made: list[Outline] = field(default_factory=list[Outline])
    leaves_out = True

    def allocated(self, like: Any, shape: tuple[int, ...], dtype: str, *, zeros: bool) -> Outline:
        out = Outline(tuple(map(int, shape)), dtype_of(dtype))
        self.made.append(out)
        return out


class _Lending(Watch):
    """A call on XLA's buffers: what the function makes are buffers of the call."""

    def __init__(
        self,
        operator: Declared,
        made: Sequence[Outline],
        lent: Sequence[Any],
        stream: int | None,
        guarded: Sequence[Guarded],
    ) -> None:
        self._operator, self._made, self._lent, self._next = operator, made, lent, 0
        self.stream, self.guarded = stream, guarded

    def allocated(self, like: Any, shape: tuple[int, ...], dtype: str, *, zeros: bool) -> Any:
        number, self._next = self._next, self._next + 1
        if number >= len(self._made) or (self._made[number].shape, self._made[number].dtype) != (
            shape,
            dtype_of(dtype),
        ):
            raise self._operator.wrong_result("its function makes other arrays than it did for the same shapes before")
        out = self._lent[number]
        if zeros:
            self._clear(out)
        return out

    def _clear(self, out: Any) -> None:
        if self.stream is None:
            out[...] = 0
            return
        from ptxlab.cuda.memory import cleared

        cleared(out.__cuda_array_interface__["data"][0], math.prod(out.shape) * out.dtype.itemsize, self.stream)


def _jax() -> Any:
    """JAX, which whoever has made an array of it has imported."""
    return importlib.import_module("jax")


_stopped: dict[str, Diagnostic] = {}
"""What has stopped operators of that name: XLA calls them in threads of its own, and hands on nothing but words."""


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _host(buffer: Any) -> np.ndarray:
    return np.asarray(buffer)


def _extent(array: np.ndarray) -> tuple[int, int]:
    begin = int(array.__array_interface__["data"][0])
    return begin, begin + array.nbytes


def _on_host(arrays: Sequence[Any]) -> bool:
    return all(d.platform == "cpu" for a in arrays for d in a.devices())


def _axes(kind: Any) -> Sequence[str]:
    """Axes of the mesh along which an array differs from device to device; JAX 0.10 has renamed where they stand."""
    found: Sequence[str] = getattr(kind, "vma", ()) or getattr(getattr(kind, "mat", None), "varying", ())
    return found


def _varying(jax: Any, value: Any, axes: tuple[str, ...]) -> Any:
    cast = getattr(jax.lax, "pcast", None)
    return cast(value, axes, to="varying") if cast is not None else jax.lax.pvary(value, axes)
