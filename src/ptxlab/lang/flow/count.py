"""The counter of a loop: its type, and checks of bounds that are known while tracing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.trace.types import Ptr, scalar_of
from ptxlab.lang.trace.values import Register, whole

_COUNTED_AS = {"b16": "u16", "b32": "u32", "b64": "u64"}


@dataclass(frozen=True, slots=True)
class Count:
    """Start, stop and step of a loop: registers, or numbers of Python; and the type of its counter."""

    start: Any
    stop: Any
    step: Any
    scalar: ScalarType

    @classmethod
    def of(cls, start: Any, stop: Any, step: Any, dtype: Any) -> Count:
        """The counter for the arguments of `k.loop`.

        Raises: Diagnostic PTX2223 for numbers by which the loop never runs or never ends, or that the counter cannot hold;
        PTX0109 for what is no number.
        """
        scalar = stop.scalar if isinstance(stop, Register) else TYPES["u32"]
        scalar = scalar if dtype is None else scalar_of(dtype)
        scalar = TYPES[_COUNTED_AS.get(scalar.name, scalar.name)]
        if isinstance(stop, Ptr) or scalar.kind not in "usf" or scalar.bits < 16:
            raise _wrong(
                f"a loop cannot count up to {stop!r} in a register of type .{scalar}",
                "count elements in px.u32, px.s32 or px.u64",
            )
        if not isinstance(step, Register) and (step if scalar.kind == "f" else whole(step)) <= 0:
            raise _wrong(
                f"a loop that counts by {step} to {_shown(stop)} never ends"
                if step == 0
                else f"a loop cannot count down (step={step})",
                "count up, and compute what goes down from the counter: i = n - 1 - j; or use k.while_",
            )
        start, stop, step = (_bound(v, scalar) for v in (start, stop, step))
        made = cls(start, stop, step, scalar)
        made._see()
        return made

    def _see(self) -> None:
        """What is known of the bounds makes sense."""
        start, stop, step = self.start, self.stop, self.step
        if isinstance(start, Register) or isinstance(stop, Register):
            return
        if start > stop:
            raise _wrong(f"a loop from {start} to {stop} never runs", "give start= below stop; the end is exclusive")
        if self.scalar.kind == "f" or isinstance(step, Register):
            return
        last = start + -(-(stop - start) // step) * step
        if last > _limits(self.scalar)[1]:
            raise _wrong(
                f"a loop by {step} to {stop} never ends: the counter wraps around before it gets there",
                "count in a wider register: dtype=px.u64",
            )


def _bound(value: Any, scalar: ScalarType) -> Any:
    if isinstance(value, Register):
        return value
    if scalar.kind == "f":
        return float(value)
    number = whole(value)
    least, most = _limits(scalar)
    if not least <= number <= most:
        signed = "px.s32" if least == 0 and number >= -(1 << 31) and number < 0 else "px.s64 or px.u64"
        raise _wrong(
            f"the counter is of type .{scalar}, which does not hold {number}", f"say which type counts: dtype={signed}"
        )
    return number


def _limits(scalar: ScalarType) -> tuple[int, int]:
    if scalar.kind == "s":
        return -(1 << (scalar.bits - 1)), (1 << (scalar.bits - 1)) - 1
    return 0, (1 << scalar.bits) - 1


def _shown(value: Any) -> str:
    return f"`{value.reg}`" if isinstance(value, Register) else str(value)


def _wrong(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2223", what, help=help, origin=user_span())
