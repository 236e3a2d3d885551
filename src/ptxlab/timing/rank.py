"""`px.rank`: which values of a kernel's constants should be fastest, without a GPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, runtime_checkable

from ptxlab.abi.options import SimOptions
from ptxlab.abi.validate import Extents
from ptxlab.diag import Diagnostic, html, user_span
from ptxlab.diag.boundary import public
from ptxlab.diag.tables import Table
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.timing.candidates import Grid, all_at, at, candidates, no_choice, shown, words
from ptxlab.timing.chip import ChipTable, chip
from ptxlab.timing.parallel import outcomes
from ptxlab.timing.profile import Profile, profile

_KINDS: Final = {"GMMA": "with wgmma", "MMA": "with mma"}
_OTHERS: Final = "without tensor cores"


@runtime_checkable
class Tuned(Protocol):
    """A kernel that brings its candidates along, as `px.tune` makes it."""

    kernel: Kernel
    candidates: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """A candidate that is to be predicted.

    Attributes:
        constants: its values. profile: predicts it, or raises a Diagnostic.
    """

    constants: Mapping[str, Any]
    profile: Callable[[], Profile]


@dataclass(frozen=True, slots=True, repr=False)
class Ranked:
    """A candidate of a ranking.

    Attributes:
        constants: its values of the kernel's compile-time constants. profile: what is predicted; None where nothing is.
        wrong: why nothing is: it does not compile or cannot be launched, or it faults or hangs. None else.

    Example:
        @px.kernel(threads=32)
        def copy(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], *, each):
            for j in range(each):
                i = (k.ctaid.x * each + j) * 32 + k.tid.x
                k.st.global_.f32(y[i], k.ld.global_.f32(x[i]))

        x, y = px.empty(4096, "f32"), px.empty(4096, "f32")
        best = px.rank(copy, grid=lambda c: 128 // c.each, args=[x, y], each=[1, 2], workers=1).candidates[0]
        print(isinstance(best, px.Ranked), best.wrong, best.cycles == best.profile.cycles)  # True None True
        print(best.limiter in best.profile.shares, best.words in ("each=1", "each=2"))  # True True
        print(best.microseconds == best.profile.microseconds)  # True
    """

    constants: Mapping[str, Any]
    profile: Profile | None
    wrong: Diagnostic | None = None

    def __repr__(self) -> str:
        said = f"{self.profile.cycles:,.0f} cycles" if self.profile is not None else self._code
        return f"<Ranked {self.words}: {said}>"

    @property
    def words(self) -> str:
        """Its values, e.g. "stages=3, tile=64"."""
        return words(self.constants)

    @property
    def cycles(self) -> float | None:
        """As `px.profile` predicts them."""
        return None if self.profile is None else self.profile.cycles

    @property
    def microseconds(self) -> float | None:
        """At the clock of the ranking."""
        return None if self.profile is None else self.profile.microseconds

    @property
    def limiter(self) -> str:
        """The busiest unit; "" where nothing is predicted."""
        return "" if self.profile is None else self.profile.limiter

    @property
    def _code(self) -> str:
        return self.wrong.code if self.wrong is not None else ""


@dataclass(frozen=True, slots=True, repr=False)
class Ranking:
    """Candidates of a kernel by what a launch of each should take, the fastest first, as `px.rank` predicts it.

    Attributes:
        kernel: its name. chip: the table that it rests on. clock: MHz by which cycles of the first become microseconds.
        candidates: the fastest first; those that cannot be predicted stand last, in the order in which they were given.
        errors: how far predictions of cycles were off for kernels that were measured afterwards: "kernels", "mean", "worst".
        kind: of the kernel, as far as rankings were measured by it: "with wgmma", "with mma" or "without tensor cores".
        ranks: how well rankings of the same kind agreed with measurements: "tau", the mean of Kendall's τ of predicted and measured
            cycles within a ranking; "spaces" and "candidates", rankings and candidates in them that were measured; "first" and
            "three", how many times as long as the fastest candidate the first one took, and the fastest of the first three, in the
            geometric mean. Empty where none was measured.

    Example:
        @px.kernel(threads=32)
        def copy(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], *, each):
            for j in range(each):
                i = (k.ctaid.x * each + j) * 32 + k.tid.x
                k.st.global_.f32(y[i], k.ld.global_.f32(x[i]))

        x, y = px.empty(4096, "f32"), px.empty(4096, "f32")
        found = px.rank(copy, grid=lambda c: 128 // c.each, args=[x, y], each=[1, 2], workers=1)
        print(isinstance(found, px.Ranking), found.kind, len(found.near) in (1, 2))  # True without tensor cores True
        print(found.table().row_count, found.record()["candidates"][0]["constants"] == found.best.constants)  # 2 True
        print(found.title)  # copy on H200: 2 candidates, predicted, at 1,980 MHz
        print(found.title in found.text(), found.agreed in found.remarks)  # True True
    """

    kernel: str
    chip: str
    clock: float
    candidates: tuple[Ranked, ...]
    errors: Mapping[str, float]
    kind: str
    ranks: Mapping[str, float]

    @property
    def best(self) -> Ranked:
        """The candidate that should be fastest."""
        return self.candidates[0]

    @property
    def near(self) -> tuple[Ranked, ...]:
        """The best, and those that should take no more than the mean error longer: only a measurement tells them apart."""
        most = (self.best.cycles or 0.0) * (1 + self.errors.get("mean", 0.0))
        return tuple(c for c in self.candidates if c.cycles is not None and c.cycles <= most)

    def __repr__(self) -> str:
        return (
            f"<Ranking of {len(self.candidates)} candidates of {self.kernel} on {self.chip}, {self.best.words} first>"
        )

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        table = self.table()._repr_html_()  # pyright: ignore[reportPrivateUsage]
        return html.heading(self.title) + table + html.preformatted("\n".join(self.remarks))

    def text(self) -> str:
        """The report, for people."""
        return "\n".join([self.title, "", str(self.table()), "", *(f"  {line}" for line in self.remarks)])

    @property
    def title(self) -> str:
        """The first line of the report."""
        return f"{self.kernel} on {self.chip}: {len(self.candidates)} candidates, predicted, at {self.clock:,.0f} MHz"

    def table(self) -> Table:
        """The candidates with their constants, cycles, microseconds with their mean error, and limiters."""
        from rich.box import SIMPLE_HEAD
        from rich.text import Text

        made = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        names = list(self.best.constants)
        for name in (*names, "cycles", "µs", "±"):
            made.add_column(name, justify="right", no_wrap=True)
        made.add_column("limiter", justify="left")
        for one in self.candidates:
            values = (shown(one.constants[name]).strip("'") for name in names)
            made.add_row(*(Text(cell) for cell in (*values, *self._numbers(one), one.limiter)))
        return made

    def _numbers(self, one: Ranked) -> tuple[str, str, str]:
        """Cycles, microseconds and their mean error; a code in the place of what is not predicted."""
        if one.profile is None:
            return one._code, "", ""  # pyright: ignore[reportPrivateUsage]
        error = f"{one.profile.microseconds * self.errors['mean']:,.2f}" if self.errors else ""
        return f"{one.profile.cycles:,.0f}", f"{one.profile.microseconds:,.2f}", error

    @property
    def remarks(self) -> list[str]:
        """What the report says below the table: how far off it may be, and why candidates are not predicted."""
        out: list[str] = []
        if self.errors:
            e = self.errors
            off = f"off by {e['mean']:.0%} on average and {e['worst']:.0%} at worst"
            out.append(f"{off} for {e['kernels']:.0f} kernels measured afterwards; ± is the average")
            if len(self.near) > 1:
                out.append(
                    f"{len(self.near)} lie so near to each other that only a measurement tells which of them is fastest"
                )
        used = Counter(one.profile.used for one in self.candidates if one.profile is not None)
        by = ", ".join(f"{count} by {name}" for name, count in used.items())
        out += [self.agreed, f"predicted by {next(iter(used))}" if len(used) == 1 else f"predicted: {by}"]
        reasons: dict[str, list[str]] = {}
        for one in self.candidates:
            if one.wrong is not None:
                reasons.setdefault(f"{one.wrong.code} {one.wrong.message}", []).append(one.words)
        return out + [f"{'; '.join(which)}: {reason}" for reason, which in reasons.items()]

    @property
    def agreed(self) -> str:
        """What was measured of rankings like this one, in words."""
        if not self.ranks:
            return f"no ranking of a kernel {self.kind} has been measured"
        r = self.ranks
        measured = f"{r['candidates']:.0f} candidates in {r['spaces']:.0f} rankings of kernels {self.kind}"
        first = (
            f"the first took {r['first']:.2f} times as long as the fastest, the best of three {r['three']:.2f} times"
        )
        return f"Kendall's τ of predicted and measured cycles was {r['tau']:.2f} for {measured}; {first}"

    def record(self) -> dict[str, Any]:
        """The report, for programs: what JSON can hold."""
        return {
            "kernel": self.kernel,
            "chip": self.chip,
            "clock_mhz": self.clock,
            "errors": dict(self.errors),
            "kind": self.kind,
            "ranks": dict(self.ranks),
            "candidates": [_recorded(one) for one in self.candidates],
        }


def _recorded(one: Ranked) -> dict[str, Any]:
    constants = {
        name: value if isinstance(value, int | float | str | bool | None) else shown(value)
        for name, value in one.constants.items()
    }
    if one.wrong is not None:
        return {"constants": constants, "code": one.wrong.code, "message": one.wrong.message}
    assert one.profile is not None
    return {
        "constants": constants,
        "cycles": round(one.profile.cycles),
        "microseconds": round(one.profile.microseconds, 3),
        "limiter": one.limiter,
        "used": one.profile.used,
    }


@public
def rank(
    kernel: Kernel | Tuned,
    *,
    grid: Grid = 1,
    block: Extents | None = None,
    cluster: Extents | None = None,
    shared: int | None = None,
    args: Sequence[Any] = (),
    buffers: Sequence[Any] = (),
    on: str = "h200",
    clock: float | None = None,
    cold: bool = False,
    arithmetic: bool = False,
    workers: int = 0,
    **space: Iterable[Any],
) -> Ranking:
    """Rank values of a kernel's compile-time constants by what `px.profile` predicts: `px.rank(kernel, …, stages=[2, 3, 4])`.

    The candidates are all combinations, as of `px.tune`; a kernel that is tuned brings its own. Each is predicted in a process of
    its own. One that does not compile, cannot be launched, faults or hangs in the simulator stands last, with its code.

    Args:
        kernel: a kernel with constants, or one of `px.tune`.
        grid, args: as of `px.profile`; each may be a function of the candidate, `lambda c: n // c.tile`.
        block, cluster, shared, buffers, on, clock, cold, arithmetic: as of `px.profile`.
        workers: processes at a time; 0: one for each core, 1: this process alone. Where processes cannot be forked, as on macOS,
            it is this process alone.
        **space: values by constant.

    Raises: Diagnostic PTX2512 where no candidate can be predicted, its notes say why; PTX2514 for what is no choice among the
        kernel's constants; PTX2501 for a chip without a table, a clock that is none, and a wrong number of workers; PTX9040 where
        a process ends before its time.

    Example:
        @px.kernel(threads=128)
        def scale(k, x: px.Ptr[px.f32], *, each):
            for j in range(each):
                i = (k.ctaid.x * each + j) * 128 + k.tid.x
                k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)

        x = px.empty(1 << 20, "f32")
        found = px.rank(scale, grid=lambda c: x.size // (128 * c.each), args=[x], each=[1, 2, 4, 8])
        print(len(found.candidates), found.best.cycles <= found.candidates[-1].cycles)  # 4 True
    """
    made, chosen = _chosen(kernel, space)
    table = chip(on)
    options = {"block": block, "cluster": cluster, "shared": shared, "buffers": buffers}
    options |= {"on": on, "clock": clock, "cold": cold, "arithmetic": arithmetic}
    return ranking(made.name, planned(made, chosen, grid, args, options), table, clock=clock, workers=workers)


def _chosen(kernel: Kernel | Tuned, space: Mapping[str, Iterable[Any]]) -> tuple[Kernel, Sequence[Mapping[str, Any]]]:
    if isinstance(kernel, Kernel) or not isinstance(kernel, Tuned):  # pyright: ignore[reportUnnecessaryIsInstance]
        made = kernel_of(kernel)
        return made, candidates(made, space)
    if space:
        raise no_choice(
            f"{kernel.kernel.name} is tuned, and brings its own candidates beside {', '.join(space)}.",
            "leave the lists out, or rank the kernel itself: tuned.kernel",
        )
    return kernel.kernel, kernel.candidates


def planned(
    kernel: Kernel,
    chosen: Sequence[Mapping[str, Any]],
    grid: Grid,
    args: Sequence[Any],
    options: Mapping[str, Any],
    put: Callable[[Any], Any] = lambda given: given,
) -> list[Planned]:
    """A prediction for each candidate, not yet made. options: of `px.profile`. put: brings an argument to the host."""

    def one(constants: Mapping[str, Any]) -> Planned:
        try:
            extents, given = at(grid, constants), [put(arg) for arg in all_at(args, constants)]
        except Diagnostic as d:
            return Planned(constants, partial(_refused, d))
        return Planned(constants, partial(profile, kernel, grid=extents, args=given, **options, **constants))

    return [one(constants) for constants in chosen]


def _refused(wrong: Diagnostic) -> Profile:
    raise wrong


def ranking(
    name: str, plans: Sequence[Planned], table: ChipTable, *, clock: float | None = None, workers: int = 0
) -> Ranking:
    """Predict candidates side by side, and rank them. Raises: Diagnostic PTX2501, PTX2512, PTX9040."""
    from ptxlab.sim.launch.run import processes

    if clock is not None and not clock > 0:
        raise Diagnostic("PTX2501", f"clock={clock!r} is no clock.", help="give MHz, e.g. 1755", origin=user_span())
    found = outcomes([one.profile for one in plans], processes(SimOptions(workers=workers)))
    every = [
        Ranked(plan.constants, None, one) if isinstance(one, Diagnostic) else Ranked(plan.constants, one)
        for plan, one in zip(plans, found, strict=True)
    ]
    predicted = [one for one in every if one.profile is not None]
    if not predicted:
        raise _none(name, every)
    predicted.sort(key=lambda one: one.cycles or 0.0)
    kind = kind_of(predicted[0].profile)
    return Ranking(
        kernel=name,
        chip=table.name,
        clock=predicted[0].profile.clock if predicted[0].profile else table.clock,
        candidates=(*predicted, *(one for one in every if one.profile is None)),
        errors=table.errors.get("all", {}),
        kind=kind,
        ranks=table.ranks.get(kind, {}),
    )


def kind_of(found: Profile | None) -> str:
    """What rankings are measured by: which instructions multiply matrices."""
    names = found.bases if found is not None else ()
    return next((kind for end, kind in _KINDS.items() if any(n.endswith(end) for n in names)), _OTHERS)


def _none(name: str, every: Sequence[Ranked]) -> Diagnostic:
    return Diagnostic(
        "PTX2512",
        f"None of the {len(every)} candidates of {name} can be predicted.",
        notes=tuple(f"{c.words}: {c.wrong.code} {c.wrong.message}" for c in every if c.wrong is not None),
        help="look at one by itself: px.profile(kernel, …) with its values",
        origin=user_span(),
    )
