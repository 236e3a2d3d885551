"""An operator as torch has it: registered with torch.library, with a short way for eager calls on a GPU."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Final

from ptxlab.launch.watch import Watch, watched, watching
from ptxlab.operators.core import Declared
from ptxlab.operators.gradient import missing
from ptxlab.operators.plan import Plan, Recorder

PLANS: Final = 1024
"""Kinds of calls of which an operator keeps the launches; the oldest goes first."""
_batching: ContextVar[bool] = ContextVar("ptxlab_batching", default=False)
"""Whether a user's rule for batches runs: whoever has called it differentiates."""
SLOW: Final = object()
"""No result: the call has to go the long way."""
_PLAIN: Final = frozenset((int, float, bool, str, type(None)))


class TorchSide:
    """What torch knows of an operator.

    Attributes:
        overload: the operator, an OpOverload.
    """

    def __init__(self, operator: Declared) -> None:
        torch: Any = sys.modules["torch"]
        self._operator, self._torch = operator, torch
        self._plans: dict[Any, Plan | None] = {}  # by all arguments; None: the function has to run each time
        self._written: dict[Any, Plan] = {}  # by the arguments as a call wrote them
        namespace, _, name = operator.name.partition("::")
        self._library: Any = torch.library.Library(namespace, "FRAGMENT")
        self._library.define(operator.schema.torch(), tags=(torch.Tag.pt2_compliant_tag,))
        for key in ("CPU", "CUDA"):
            self._library.impl(name, self._computed, key)
        torch.library.register_fake(operator.name, self._outlined, lib=self._library)
        if not operator.schema.mutated:
            torch.library.register_autograd(operator.name, self._backward, setup_context=self._saved, lib=self._library)
        torch.library.register_vmap(operator.name, self._batched, lib=self._library)
        self.overload: Any = getattr(getattr(torch.ops, namespace), name).default
        self._tensors = frozenset((torch.Tensor, torch.nn.Parameter))
        self._mutated = [(i, p.name) for i, p in enumerate(operator.schema.parameters) if p.mutated]
        self._busy, self._grad_mode, self._count = _modes(torch), torch.is_grad_enabled, len(operator.schema.parameters)
        # torch's own compiler asks for the number of the current GPU so
        self._device: Callable[[], int] = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)

    def forget(self) -> None:
        """The operator is defined anew."""
        self._library._destroy()

    def quick(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The results by the launches of an earlier call like it; `SLOW` where there was none, or torch wants more of a call."""
        if not self._written or self._busy():
            return SLOW
        found = self._key(args, kwargs)
        plan = None if found is None else self._written.get(found[0])
        if plan is None or found is None or not plan.fits(found[1]):
            return SLOW
        if found[2] and self._grad_mode() and not self._mutated:
            if self._operator.slope is None:
                return SLOW
            all_given = not kwargs and len(args) == self._count
            values = args if all_given else tuple(self._operator.schema.bound(args, kwargs).values())
            return self._eager.apply(plan, found[1], *values)
        out = plan(found[1])
        for number, name in self._mutated:
            self._changed(args[number] if number < len(args) else kwargs[name])
        return out

    def _changed(self, tensor: Any) -> None:
        """Autograd is told that a tensor was written; those of inference mode keep no count."""
        if not tensor.is_inference():
            self._torch.autograd.graph.increment_version(tensor)

    def called(self, args: Sequence[Any], kwargs: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
        """The call through torch. Where its launches were noted, the next one like it takes the short way."""
        if self._differentiated():
            return self._transformed.apply(*values.values())
        out = self.overload(*args, **kwargs)
        if self._plans:
            written, all_given = self._key(args, kwargs), self._key([*values.values()], {})
            plan = None if all_given is None else self._plans.get(all_given[0])
            if plan is not None and written is not None and all_given is not None and written[1] == all_given[1]:
                if len(self._written) >= PLANS:
                    self._written.pop(next(iter(self._written)), None)
                self._written[written[0]] = plan
        return out

    def _key(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, list[int], bool] | None:
        """What the launches of a call follow from, the addresses of its tensors, and whether one of them wants a gradient.

        None where the call is none on plain tensors.
        """
        key: list[Any] = [self._device()]
        addresses: list[int] = []
        wants = False
        for a in (*args, *kwargs.values()) if kwargs else args:
            kind: type = type(a)  # pyright: ignore[reportUnknownVariableType]
            if kind in self._tensors:
                if a.is_neg():
                    return None
                address = a.data_ptr()
                addresses.append(address)
                wants = wants or a.requires_grad
                # 256: whatever alignment a launch looks at
                key += (a.dtype, a.shape, a.stride(), a.device, address & 255)
            elif kind in _PLAIN:
                # 2 == 2.0 == True, and -0.0 == 0.0
                key += (kind, a if a or kind is not float else str(a))
            elif kind in (list, tuple):
                key += (str(a),)
            else:
                return None
        return ((*key, *kwargs) if kwargs else tuple(key)), addresses, wants

    def _computed(self, *args: Any, **kwargs: Any) -> Any:
        """What torch calls on tensors that are there."""
        __tracebackhide__ = True
        values = self._operator.schema.bound(args, kwargs)
        out = self._launched(values)
        for _, name in self._mutated:
            self._changed(values[name])
        return out

    def _launched(self, values: Mapping[str, Any]) -> Any:
        """By the launches of an earlier call like it, or by the function, whose launches are noted."""
        found = self._key([*values.values()], {}) if self._on_this_gpu(values) else None
        plan = None if found is None else self._plans.get(found[0])
        if plan is not None and found is not None and plan.fits(found[1]):
            return plan(found[1])
        if found is None or found[0] in self._plans:
            return self._operator.finished(self._operator.run(values), values)
        recorder = Recorder(self._torch, [values[p.name] for p in self._operator.schema.parameters])
        with recorder.listening():
            given = self._operator.finished(self._operator.run(values, recorder), values)
        if len(self._plans) >= PLANS:
            self._plans.pop(next(iter(self._plans)), None)
        self._plans[found[0]] = recorder.plan(self._operator.listed(given), single=self._operator.schema.single)
        return given

    def _on_this_gpu(self, values: Mapping[str, Any]) -> bool:
        """Whether the tensors are on the GPU that torch works on."""
        given = [values[p.name] for p in self._operator.schema.arrays if values[p.name] is not None]
        return bool(given) and all(a.is_cuda and a.get_device() == self._device() for a in given)

    def _outlined(self, *args: Any, **kwargs: Any) -> Any:
        """What torch calls for shapes alone. Raises: Diagnostic PTX2352 where the function wants more of its arrays than shapes."""
        values = self._operator.schema.bound(args, kwargs)
        try:
            with watched(_Shapes()):
                given = self._operator.function(**values)
        except RuntimeError as wrong:
            if "data pointer" not in str(wrong):
                raise
            what = "its function wants the address of an array while px.launches_left_out(), as torch asks for shapes alone"
            found = self._operator.wrong_result(what)
            found.help = "ask px.launches_left_out() first"
            raise found from None
        self._operator.listed(given)
        return given

    def _saved(self, ctx: Any, inputs: Sequence[Any], output: Any, keyword_only_inputs: Any = None) -> None:
        """What torch calls behind a call whose gradient may be wanted."""
        names = [p.name for p in self._operator.schema.parameters]
        given: dict[str, Any] = {**dict(zip(names, inputs, strict=False)), **(keyword_only_inputs or {})}
        ctx.given = len(inputs)
        self._keep(ctx, tuple(self._operator.schema.bound((), given).values()), output)

    def _keep(self, ctx: Any, values: Sequence[Any], output: Any) -> None:
        """Keep what the gradient names of a call: arrays by torch's own means, numbers beside them."""
        schema, slope = self._operator.schema, self._operator.slope
        tensors: list[Any] = []
        names: list[str] = []
        plain: dict[str, Any] = {}
        if slope is not None:
            for p, value in zip(schema.parameters, values, strict=True):
                if p.name in slope.saved and p.is_array:
                    names.append(p.name)
                    tensors.append(value)
                elif p.name in slope.saved:
                    plain[p.name] = value
            if slope.keeps_results:
                tensors += self._operator.listed(output)
        ctx.names, ctx.plain = names, plain
        ctx.save_for_backward(*tensors)

    def _backward(self, ctx: Any, *d_results: Any) -> Any:
        """What torch calls for gradients. Raises: Diagnostic PTX2353."""
        out = self._gradients(ctx, d_results, ctx.needs_input_grad[: ctx.given])
        return tuple(out) if len(out) > 1 else out[0]

    def _gradients(self, ctx: Any, d_results: Sequence[Any], wanted: Sequence[bool]) -> list[Any]:
        """The gradients of those parameters that `wanted` speaks of."""
        schema, slope = self._operator.schema, self._operator.slope
        if slope is None:
            raise missing(schema)
        tensors = ctx.saved_tensors
        saved = {**ctx.plain, **dict(zip(ctx.names, tensors, strict=False))}
        needs = {p.name for p, w in zip(schema.parameters, wanted, strict=False) if w and p.is_array}
        found = slope([d.contiguous() for d in d_results], saved, tensors[len(ctx.names) :], needs)
        by_name = {p.name: one for p, one in zip(schema.arrays, found, strict=True) if p.name in needs}
        return [by_name.get(p.name) for p, _ in zip(schema.parameters, wanted, strict=False)]

    @cached_property
    def _eager(self) -> Any:
        """The operator for an eager call on plain tensors of which one wants a gradient: nearer than through torch's dispatcher."""
        side = self

        class Eager(self._torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, plan: Plan, addresses: list[int], *values: Any) -> Any:
                out = plan(addresses)
                side._keep(ctx, values, out)
                return out

            @staticmethod
            def backward(ctx: Any, *d_results: Any) -> Any:
                return None, None, *side._gradients(ctx, d_results, ctx.needs_input_grad[2:])

        return Eager

    def _by_name(self, *values: Any) -> Any:
        """The call with a value for each parameter."""
        return self.overload(**{p.name: v for p, v in zip(self._operator.schema.parameters, values, strict=True)})

    def _differentiated(self) -> bool:
        """Whether torch.func differentiates here: its transforms pass by what is registered with torch.library."""
        functorch = self._torch._C._functorch
        if self._operator.slope is None or functorch.peek_interpreter_stack() is None or _batching.get():
            return False
        return any(one.key() == functorch.TransformType.Grad for one in functorch.get_interpreter_stack())

    @cached_property
    def _transformed(self) -> Any:
        """The operator for torch.func."""
        side = self

        class Transformed(self._torch.autograd.Function):
            generate_vmap_rule = True

            @staticmethod
            def forward(*values: Any) -> Any:
                return side._by_name(*values)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                side._saved(ctx, inputs, output)

            @staticmethod
            def backward(ctx: Any, *d_results: Any) -> Any:
                return side._backward(ctx, *d_results)

        return Transformed

    def _batched(self, info: Any, in_dims: Sequence[int | None], *args: Any, **kwargs: Any) -> Any:
        """What torch.vmap calls."""
        operator, schema = self._operator, self._operator.schema
        if schema.mutated:
            raise schema.refused(
                f"{operator.name} writes `{schema.mutated[0].name}`, and has no batches.", "call it in a loop"
            )
        first = [a if d is None else a.movedim(d, 0).contiguous() for a, d in zip(args, in_dims, strict=True)]
        batched = {p.name for p, d in zip(schema.parameters, in_dims, strict=False) if d is not None}
        if operator.rule is not None:
            token = _batching.set(True)
            try:
                given = operator.rule(batched, **schema.bound(first, kwargs))
            finally:
                _batching.reset(token)
            return given, 0 if schema.single else (0,) * schema.results
        values = schema.bound(first, kwargs)
        rows = [
            operator.listed(self._by_name(*(v[i] if name in batched else v for name, v in values.items())))
            for i in range(info.batch_size)
        ]
        stacked = tuple(self._torch.stack(column) for column in zip(*rows, strict=True))
        return (stacked[0], 0) if schema.single else (stacked, (0,) * schema.results)


class _Shapes(Watch):
    """A call on tensors without elements."""

    leaves_out = True


def _modes(torch: Any) -> Callable[[], bool]:
    """What says whether torch does more with a call than call it: modes, transforms, forward gradients."""
    c, forward = torch._C, __import__("torch.autograd.forward_ad", fromlist=["_current_level"])
    dispatching, functions = c._len_torch_dispatch_stack, c._is_torch_function_mode_enabled
    transforms = c._functorch.peek_interpreter_stack

    def busy() -> bool:
        return (
            dispatching() > 0
            or functions()
            or transforms() is not None
            or forward._current_level >= 0
            or watching() is not None
        )

    return busy
