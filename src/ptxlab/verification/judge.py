"""`px.verify`: a candidate beside a reference, on inputs that neither has seen."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

import numpy as np

from ptxlab.abi.options import SimOptions
from ptxlab.abi.sanitizing import Sanitize
from ptxlab.diag import Diagnostic, Span, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.last_writer import written
from ptxlab.sim.report.certificate import Certificate
from ptxlab.verification.agreement import Wrong, compared
from ptxlab.verification.algebraic import Points
from ptxlab.verification.drawn import KINDS, SPECIAL, filled, fitting
from ptxlab.verification.execution import Candidate, Execution, Prepared, Ran
from ptxlab.verification.host import HostState
from ptxlab.verification.launches import numbers_in
from ptxlab.verification.numbers.bounded import Arithmetic, Bounded, Undecided
from ptxlab.verification.numbers.followed import Unfollowed
from ptxlab.verification.numbers.formats import format_of
from ptxlab.verification.returned import returned
from ptxlab.verification.spec import (
    Array,
    Case,
    Input,
    Output,
    Sizes,
    Spec,
    arithmetic,
    drawn_sizes,
    named_sizes,
    tolerance,
)
from ptxlab.verification.verdict import Algebra, Trial, Verification, word_of

RUNS: Final = 16
FLIPS: Final = 6
"""Elements that are changed one by one."""
MAX_INSTRUCTIONS: Final = 1 << 28
SECONDS: Final = 120.0
NAMED: Final = 12
"""Runs, at most, for sizes and elements that the candidate names."""
DECIDED: Final = 0.3
"""The part of a result's elements whose bounds have to be smaller than their values, in some run."""
ORDERS: Final = 64
"""Orders of strong accesses in which a launch is run, at most, to certify it."""
ATTEMPTS: Final = 5
"""Draws of inputs in which rounding may not turn a comparison of the reference."""


@public
def verify(
    candidate: Candidate,
    reference: Callable[..., Any],
    spec: Spec,
    *,
    seed: int | None = None,
    runs: int = RUNS,
    sanitize: Sanitize = True,
    max_instructions: int = MAX_INSTRUCTIONS,
    seconds: float = SECONDS,
) -> Verification:
    """Judge whether a kernel computes what a reference computes, whatever it is given.

    The judge draws sizes and inputs: random, all zeros, ones, small integers, single elements, the smallest and the largest
    numbers, NaN and infinities. It runs the candidate in the simulator under different schedules, sanitized, with arrays at other
    addresses each time, guards around them, and results filled with random bytes. It compares each element with the reference,
    computed in double precision with a bound of what the arithmetic of `spec` may lose. It changes single elements of the input,
    runs the same input again under other schedules, and asks for a certificate (`px.certify`). Where `spec` is algebraic, it
    compares expressions first: both are computed modulo primes, in which nothing is rounded.

    Args:
        candidate: a kernel; or a function that takes the arrays and numbers of the case, and launches kernels on them. What a
            function computes on the host counts as cheating.
        reference: a function in NumPy of the inputs and numbers of the case, in their order, without the outputs. It returns what
            the outputs, and the inputs that are updated, are to hold: one array, or a tuple. Floating-point arrays come as double
            precision with error bounds, which NumPy's functions take; integers as they are.
        spec: what is drawn, and what is allowed.
        seed: of all that is drawn; left out, a new one. runs: inputs that are drawn.
        sanitize: "strict": what the memory model forbids counts, though common kernels do it.
        max_instructions: of one run, counted per thread. seconds: after this time no further run begins.

    Returns: the verdict, with its cause. Suppressions in the candidate's source do not count.

    Raises: Diagnostic PTX2501 for options and a spec that cannot be, PTX2342 for what the reference returns. What the candidate
        does wrong is in the verdict.

    Example:
        @px.kernel(threads=128)
        def double(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
            i = k.ctaid.x * 128 + k.tid.x
            with k.if_(i < n):
                k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)

        def case(n):
            return px.case([px.Input("f32", n), px.Output("f32", n), n], grid=-(-n // 128))

        spec = px.Spec(case, {"n": range(1, 500)})
        print(px.verify(double, lambda x, n: x * 2, spec, seed=1).verdict)  # equal
        print(px.verify(double, lambda x, n: x + x * 0.999, spec, seed=1).verdict)  # wrong
    """
    origin = user_span()
    if not isinstance(spec, Spec):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Diagnostic("PTX2501", "spec is no px.Spec.", help="px.Spec(case, sizes)", origin=origin)
    if sanitize not in (True, "strict"):
        raise Diagnostic(
            "PTX2501", f"sanitize={sanitize!r}: the judge sanitizes.", help='use True or "strict"', origin=origin
        )
    if type(runs) is not int or not 1 <= runs <= 10_000:
        raise Diagnostic("PTX2501", f"runs={runs!r} is no count of runs.", help="use 1 to 10,000", origin=origin)
    chosen = secrets.randbits(32) if seed is None else seed
    execution = Execution(candidate, max_instructions, origin, strict=sanitize == "strict")
    return _Judge(execution, reference, spec, chosen, origin).judged(runs, seconds)


_Any = TypeVar("_Any")
Planted = tuple[float | None, Sequence[int | float]]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Inputs, and what is wanted for them. contents: of each array of the case, before the run."""

    prepared: Prepared
    sizes: dict[str, int]
    kinds: tuple[str, ...]
    contents: list[Array]
    wanted: list[Any]
    within: Arithmetic

    @property
    def case(self) -> Case:
        return self.prepared.case

    def trial(self, options: SimOptions) -> Trial:
        return Trial(self.sizes, self.kinds, options.schedule, options.seed)


class _Ended(Exception):
    """A verdict."""

    def __init__(self, cause: Diagnostic, trial: Trial | None = None, wrong: Wrong | None = None) -> None:
        super().__init__(cause.code)
        self.cause, self.trial, self.wrong = cause, trial, wrong


class _Judge:
    def __init__(
        self, execution: Execution, reference: Callable[..., Any], spec: Spec, seed: int, origin: Span | None
    ) -> None:
        self._execution, self._reference = execution, reference
        self._spec = replace(spec, sizes=dict(spec.sizes))  # whoever changes his own changes nothing here
        self._seed, self._origin = seed, origin
        self._rng = np.random.default_rng(seed)
        self._certificate: Certificate | None = None
        self._algebra: Algebra | None = None
        self._work: dict[str, int] = {}
        self._before: list[bytes] = []
        self._deck = [str(name) for name in self._rng.permutation([n for n in KINDS if self._fresh(n)])]
        self._decided: list[float] = []
        self._end = 0.0

    def judged(self, runs: int, seconds: float) -> Verification:
        """The verdict."""
        end = time.monotonic() + seconds
        host = HostState(self._reference, self._spec.case)
        try:
            try:
                self._all_runs(runs, end)
            except _Ended as ended:
                if word_of(ended.cause.code) != "cheats":
                    self._same_host(host)
                raise
            self._same_host(host)
        except _Ended as ended:
            return self._verdict(ended)
        return self._verdict(None)

    def _verdict(self, ended: _Ended | None) -> Verification:
        return Verification(
            verdict="equal" if ended is None else word_of(ended.cause.code),
            name=self._execution.name,
            seed=self._seed,
            runs=self._execution.runs,
            cause=None if ended is None else ended.cause,
            trial=None if ended is None else ended.trial,
            mismatch=None if ended is None or ended.wrong is None else ended.wrong.mismatch,
            certificate=self._certificate,
            algebra=self._algebra,
            work=self._work,
        )

    def _all_runs(self, runs: int, end: float) -> None:
        self._end = end
        if self._spec.algebraic:
            self._algebra = self._as_expressions()
        if self._spec.algebraic == "only":
            return
        drawn = self._draw(0)
        first = self._run(drawn, SimOptions(schedule="eager", seed=self._number(), certify=True, orders=ORDERS, stats=True))
        self._certificate = first.certificate
        self._weigh(drawn, first)
        for turn in range(1, runs):
            self._run(self._draw(turn), self._schedule(turn))
        self._singled_out(drawn, min(runs, NAMED))
        self._again()
        self._flipped()
        if self._decided and min(self._decided) < DECIDED:
            which = self._decided.index(min(self._decided))
            message = f"what rounding may lose is as large as the values of result {which}, in every run"
            help_ = "give the inputs smaller ranges, or px.Spec rtol= and atol="
            raise _Ended(Diagnostic("PTX9276", message, help=help_, origin=self._origin))

    def _as_expressions(self) -> Algebra:
        """The candidate beside the reference modulo primes."""
        points = Points(self._execution, self._reference, self._spec, self._seed, self._origin)
        found = points.judged(self._end)
        if found.cause is not None:
            raise _Ended(found.cause, found.trial, found.wrong)
        return found.algebra

    def _singled_out(self, drawn: _Drawn, most: int) -> None:
        """Sizes and elements that the candidate itself names: it may treat them in a way of its own."""
        numbers = numbers_in([heard.record for heard in drawn.prepared.launches], self._execution.function)
        inputs = [one for one in drawn.case.arrays if isinstance(one, Input) and one.values is None]
        elements = list(dict.fromkeys(float(n) for one in inputs for n in fitting(one, numbers)))
        sizes = named_sizes(self._spec, numbers)
        for turn in range(min(most, max(len(sizes), len(elements)))):
            fixed = self._next(sizes, turn, most) or {}
            first = self._next(elements, turn, most)
            self._run(self._draw(3, "random", fixed, (first, numbers)), self._schedule(turn))

    def _next(self, left: list[_Any], turn: int, most: int) -> _Any | None:
        """The next one: in their order, and in the second half of the turns any."""
        if not left:
            return None
        return left.pop(0 if turn < most // 2 else int(self._rng.integers(len(left))))

    def _same_host(self, host: HostState) -> None:
        """Raises: _Ended where the candidate has changed what the verdict rests on."""
        changed = host.changed()
        if changed is not None:
            message = f"the candidate changes what is not its own: {changed}"
            help_ = "let it launch kernels, and nothing else"
            raise _Ended(Diagnostic("PTX9275", message, help=help_, origin=self._origin))

    def _fresh(self, kind: str) -> bool:
        """Whether a kind of input does not come in the first runs, and is allowed."""
        return kind not in ("random", "integers") and (kind not in SPECIAL or self._spec.nan)

    # --- what is drawn -------------------------------------------------------------------------------------------------
    def _number(self) -> int:
        return int(self._rng.integers(1 << 32))

    def _schedule(self, turn: int) -> SimOptions:
        return SimOptions(schedule=("eager", "late", "random")[turn % 3], seed=self._number())

    def _draw(
        self, turn: int, kind: str | None = None, fixed: Sizes = MappingProxyType({}), planted: Planted | None = None
    ) -> _Drawn:
        """Inputs for which the reference decides. fixed: sizes that are given. planted: see `_plant`.

        Raises: _Ended where there are none.
        """
        problem: Exception | None = None
        for _ in range(ATTEMPTS):
            sizes, case = drawn_sizes(self._spec, self._rng, turn, fixed)
            prepared = self._prepare(case)  # before what is judged is drawn
            kinds = self._kinds(case, turn, kind)
            contents = self._contents(case, kinds)
            if planted is not None:
                self._plant(case, contents, planted)
            more = "" if planted is None else " with numbers that the candidate names"
            words = tuple(kinds[id(one)] + more for one in case.arrays if isinstance(one, Input))
            try:
                return self._with_wanted(prepared, sizes, words, contents)
            except Undecided:
                problem = None
            except Unfollowed as unknown:
                problem = unknown
        if problem is not None:
            message = f"the reference uses {problem}, whose rounding is not known"
            help_ = "write it with other functions of NumPy, or give px.Spec rtol= and atol="
        else:
            message = f"rounding may turn a comparison of the reference, in {ATTEMPTS} draws of inputs"
            help_ = "give the inputs values that no rounding moves across it (px.Input(values=…)), or px.Spec rtol= and atol="
        raise _Ended(Diagnostic("PTX9276", message, help=help_, origin=self._origin))

    def _prepare(self, case: Case) -> Prepared:
        kinds = {id(one): "random" for one in case.arrays}
        earlier = self._contents(case, kinds) if self._rng.random() < 0.5 and not self._execution.is_kernel else None
        return self._execution.prepared(case, self._contents(case, kinds), self._rng, earlier)

    def _contents(self, case: Case, kinds: dict[int, str]) -> list[Array]:
        """What arrays hold before a run."""
        return [
            filled(one, kinds[id(one)], self._rng) if isinstance(one, Input) else self._garbage(one)
            for one in case.arrays
        ]

    def _plant(self, case: Case, contents: list[Array], planted: Planted) -> None:
        """Put numbers into inputs: one at the beginning, where there is one, and others anywhere."""
        first, numbers = planted
        for one, content in zip(case.arrays, contents, strict=True):
            if isinstance(one, Input) and one.values is None and content.size:
                flat, named = content.reshape(-1), fitting(one, numbers)
                if named.size:
                    at = self._rng.integers(flat.size, size=1 + flat.size // 8)
                    flat[at] = self._rng.choice(named, at.size)
                if first is not None and first in named:
                    flat[0] = first

    def _garbage(self, one: Output) -> Array:
        """What a result holds before the launch: any bytes."""
        dtype, shape = one.elements, one.extents
        nbytes = dtype.itemsize * int(np.prod(shape))
        return self._rng.integers(0, 256, nbytes, dtype=np.uint8).view(dtype).reshape(shape)

    def _kinds(self, case: Case, turn: int, kind: str | None) -> dict[int, str]:
        """What each input is to hold."""
        inputs = [one for one in case.arrays if isinstance(one, Input)]
        if kind is None and turn > 2:
            if not self._deck:  # each kind has its turn
                names = [name for name in KINDS if name not in SPECIAL or self._spec.nan]
                self._deck = [str(name) for name in self._rng.permutation(names)]
            kind = self._deck.pop()
        chosen = kind or ("random", "random", "integers")[turn]
        if chosen in ("random", "integers"):
            return {id(one): chosen for one in inputs}
        some = {id(one): chosen if self._rng.random() < 0.6 else "random" for one in inputs}
        if inputs:
            some[id(inputs[int(self._rng.integers(len(inputs)))])] = chosen
        return some

    def _with_wanted(
        self, prepared: Prepared, sizes: dict[str, int], kinds: tuple[str, ...], contents: list[Array]
    ) -> _Drawn:
        case, within = prepared.case, arithmetic(self._spec)
        wanted = returned(case, self._reference, contents, lambda array: self._seen(array, within), self._origin)
        return _Drawn(prepared, sizes, kinds, contents, wanted, within)

    def _seen(self, array: Array, within: Arithmetic) -> Any:
        """An array as the reference sees it, which may change its own."""
        if format_of(array.dtype) is None:
            return array.copy()
        values = array.astype(np.float64)
        return values if tolerance(self._spec) is not None else Bounded(values, 0, within)

    # --- runs --------------------------------------------------------------------------------------------------------------
    def _run(self, drawn: _Drawn, options: SimOptions) -> Ran:
        """A run whose results are right. Raises: _Ended."""
        if time.monotonic() > self._end:
            message = f"time is up after {self._execution.runs} runs"
            raise _Ended(Diagnostic("PTX9278", message, origin=self._origin), drawn.trial(options))
        ran = self._execution.run(drawn.prepared, drawn.contents, options)
        if ran.error is not None:
            if ran.error.span is None:
                ran.error.at(origin=self._origin)
            ran.error.notes = (*ran.error.notes, f"with {drawn.trial(options)}")
            raise _Ended(ran.error, drawn.trial(options))
        self._compare(drawn, ran, options)
        self._before = [a.tobytes() for a in ran.written]
        return ran

    def _compare(self, drawn: _Drawn, ran: Ran, options: SimOptions) -> None:
        names = dict(zip(map(id, drawn.case.arrays), ran.names, strict=True))
        decided: list[float] = []
        for one, array, wanted in zip(drawn.case.written, ran.written, drawn.wanted, strict=True):
            wrong, part = compared(names[id(one)], array, wanted, tolerance(self._spec), drawn.within)
            decided.append(part)
            if wrong is None:
                continue
            trial, message = drawn.trial(options), ""
            if self._stale(ran):
                message = f"`{names[id(one)]}` holds the result of an earlier call"
            elif not self._execution.is_kernel and self._right_by_itself(drawn):
                message = "the function computes on the host what it hands to its launches"
            if message:
                raise _Ended(Diagnostic("PTX9275", message, origin=self._origin), trial, wrong)
            raise _Ended(self._mismatch(drawn, ran, options, one, wrong), trial, wrong)
        if set(drawn.kinds) <= {"random"}:  # zeros and the like decide more than most
            self._decided = [max(pair) for pair in zip(decided, self._decided or decided, strict=True)]

    def _right_by_itself(self, drawn: _Drawn) -> bool:
        """Whether a function gives the right results if its host code sees the inputs."""
        seen = self._execution.prepared(drawn.case, drawn.contents, self._rng)
        results = zip(seen.written, drawn.wanted, strict=True)
        return seen.error is None and not any(
            compared("", array, wanted, tolerance(self._spec), drawn.within)[0] for array, wanted in results
        )

    def _stale(self, ran: Ran) -> bool:
        mine = [a.tobytes() for a in ran.written]
        return bool(self._before) and any(m == b and len(set(m)) > 4 for m, b in zip(mine, self._before, strict=True))

    def _mismatch(self, drawn: _Drawn, ran: Ran, options: SimOptions, one: Input | Output, wrong: Wrong) -> Diagnostic:
        """What is wrong with an element, and who wrote it."""
        notes = [f"with {drawn.trial(options)}"]
        if wrong.times is not None:
            notes.append(f"off by {wrong.times:.3g} times what {self._spec.accuracy} arithmetic may lose here")
        found = Diagnostic("PTX9273", f"the results differ from the reference: {wrong.mismatch}", origin=self._origin)
        found.help = f"px.verify(…, seed={self._seed}) does it again"
        if ran.record is not None:
            self._written_by(drawn, ran, options, one, wrong, found)
        found.notes = (*notes, *found.notes)
        return found

    def _written_by(
        self, drawn: _Drawn, ran: Ran, options: SimOptions, one: Input | Output, wrong: Wrong, found: Diagnostic
    ) -> None:
        assert ran.record is not None
        for array, content in zip(ran.arrays, drawn.contents, strict=True):
            array[...] = content
        array = ran.arrays[[id(a) for a in drawn.case.arrays].index(id(one))]
        plain = replace(options, certify=False, stats=False, sanitize=True)
        told = written(ran.record, plain, array, wrong.where)
        found.notes = tuple(told.notes)
        if told.writer is not None:
            found.span, found.origin = told.writer.span, told.writer.origin or self._origin

    def _weigh(self, drawn: _Drawn, ran: Ran) -> None:
        """What the first run did, and what the reference needs."""
        inputs = sum(c.nbytes for a, c in zip(drawn.case.arrays, drawn.contents, strict=True) if isinstance(a, Input))
        outputs = sum(a.nbytes for a in ran.written)
        self._work = ran.work | {
            "least_read": inputs,
            "least_written": outputs,
            "multiply_adds": drawn.within.multiply_adds,
            "operations": drawn.within.operations,
        }

    def _again(self) -> None:
        """The same input under other schedules, at other addresses, with other bytes in what nobody has written."""
        drawn = self._draw(2, "random")
        proved = self._certificate is not None and self._certificate.proved
        first: list[bytes] | None = None
        for turn in range(2 if proved else 8):
            options = self._schedule(turn if turn < 3 else 2)
            contents = [
                self._garbage(one) if isinstance(one, Output) else held
                for one, held in zip(drawn.case.arrays, drawn.contents, strict=True)
            ]
            ran = self._run(replace(drawn, prepared=self._prepare(drawn.case), contents=contents), options)
            bits = [a.tobytes() for a in ran.written]
            first = first or bits
            if self._spec.deterministic and bits != first:
                message = "the same input gives other bits under another schedule"
                help_ = "order what is not ordered, or allow it: px.Spec(deterministic=False)"
                raise _Ended(Diagnostic("PTX9270", message, help=help_, origin=self._origin), drawn.trial(options))

    def _flipped(self) -> None:
        """Single elements of the input changed: the first, the last, and others."""
        drawn = self._draw(3, "random")
        inputs = [i for i, one in enumerate(drawn.case.arrays) if isinstance(one, Input) and one.values is None]
        inputs = [i for i in inputs if drawn.contents[i].size]
        for turn in range(FLIPS if inputs else 0):
            which = inputs[turn % len(inputs)]
            one = drawn.case.arrays[which]
            assert isinstance(one, Input)
            changed = drawn.contents[which].copy()
            flat = changed.reshape(-1)
            at = (-1, 0, int(self._rng.integers(flat.size)))[turn // len(inputs) % 3]
            flat[at] = filled(replace(one, shape=1), "spikes" if one.low is None else "random", self._rng)[0]
            contents = [changed if i == which else c for i, c in enumerate(drawn.contents)]
            kinds = (*drawn.kinds, "one element changed")
            try:
                next_ = self._with_wanted(drawn.prepared, drawn.sizes, kinds, contents)
            except (Undecided, Unfollowed):
                continue
            self._run(next_, self._schedule(turn))


__all__ = ["verify"]
