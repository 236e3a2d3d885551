"""`@px.tune`: a kernel with several ways to cut its work, of which the fastest is taken for arrays of these shapes on this GPU."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from ptxlab.abi.arrays import ArrayView, is_array, view
from ptxlab.abi.maps import BoundMap
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.devices import Device, device_of
from ptxlab.launch.kept import Kept, first_difference
from ptxlab.launch.kernel import Kernel
from ptxlab.launch.prepare import Launch
from ptxlab.launch.tuning import TuningCache
from ptxlab.launch.warn import warn
from ptxlab.launch.watch import LeftOut, launches_left_out, watched
from ptxlab.timing.candidates import Grid, all_at, at, candidates, no_choice, words
from ptxlab.timing.chip import chip, chip_of

ROUNDS: Final = 20
_OF_LAUNCHES_ALONE: Final = ("device", "stream", "programmatic", "cooperative", "lints", "ignore", "sanitize")
"""Options of a launch that its prediction does not have."""


@public
def tune(
    *, rounds: int = ROUNDS, check: bool = False, predict: int | None = None, **space: Iterable[Any]
) -> Callable[[Kernel], TunedKernel]:
    """Let a kernel choose among values of its compile-time constants: `@px.tune(stages=[2, 3, 4], tile=[64, 128])`.

    The candidates are all combinations. On a GPU, the first launch for arrays of new shapes and dtypes measures each by replays of
    a CUDA graph, in rounds that take turns, on the arrays of the call, whose content is put back. The fastest is kept on disk for
    this model of GPU, driver, and state of the kernel's source file (`px.TuningCache`). A candidate that does not compile or launch
    is left out. In the simulator nothing is measured, and it is the candidate of the first values, so that results are the same on
    every machine. While a CUDA graph is captured nothing is measured either: call the kernel once before.

    Args:
        rounds: how often each candidate is timed; the median counts.
        check: run all candidates at the first launch for new shapes, in the simulator as well, and compare what they leave in
            the arrays, bit by bit.
        predict: on a GPU, measure so many candidates alone: those that `px.rank` puts first, on copies of the arrays in the host's
            memory. Left out, all are measured.
        **space: values by constant, the ones for the simulator first.

    Raises: Diagnostic PTX2514 for what is no choice among the kernel's constants. Launches raise PTX2512 where no candidate
        runs or can be predicted, PTX2513 where `check` finds a difference, PTX2501 where `predict` has no table of the GPU, and
        what `Kernel.launch` raises.

    Example:
        @px.tune(per_thread=[1, 2, 4])
        @px.kernel(threads=32)
        def double(k, x: px.Ptr[px.f32], *, per_thread):
            for j in range(per_thread):
                i = (k.ctaid.x * per_thread + j) * 32 + k.tid.x
                v = k.ld.global_.f32(x[i])
                k.st.global_.f32(x[i], v + v)

        x = np.ones(128, np.float32)
        double[lambda c: 128 // (32 * c.per_thread)](x)
        print(x[0], x[127], double.chosen(x))  # 2.0 2.0 {'per_thread': 1}
    """
    if not isinstance(rounds, int) or rounds < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise no_choice(f"rounds={rounds!r} measures nothing.", "give 1 or more")
    if predict is not None and (not isinstance(predict, int) or predict < 1):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise no_choice(f"predict={predict!r} leaves nothing to measure.", "give 1 or more")

    def wrap(kernel: Kernel) -> TunedKernel:
        if not isinstance(kernel, Kernel):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise no_choice(f"A {type(kernel).__name__} is no kernel.", "write @px.tune above @px.kernel")
        return TunedKernel(kernel, candidates(kernel, space), rounds, check=check, predict=predict)

    return wrap


class TunedKernel:
    """A kernel that chooses among values of its constants. `@px.tune` makes it; it is launched as a `px.Kernel` is.

    Where a grid or an argument depends on what was chosen, give a function: it gets the chosen values as attributes.

    Attributes:
        kernel: the kernel, its constants open. candidates: what it chooses among, the one of the simulator first.

    Example:
        @px.tune(value=[7, 8])
        @px.kernel(threads=32)
        def fill(k, x: px.Ptr[px.u32], *, value):
            k.st.global_.u32(x[k.tid.x], value)

        x = np.zeros(32, np.uint32)
        fill.launch(grid=1, args=[x])
        fill.prepare(grid=lambda c: c.value - 6, args=[x])()
        print(fill.name, fill.kernel, fill.chosen(x), x[0])  # fill <Kernel fill> {'value': 7} 7
        print(fill.candidates)  # ({'value': 7}, {'value': 8})
    """

    def __init__(
        self,
        kernel: Kernel,
        candidates: Sequence[Mapping[str, Any]],
        rounds: int = ROUNDS,
        *,
        check: bool = False,
        predict: int | None = None,
    ) -> None:
        self.kernel, self.candidates = kernel, tuple(candidates)
        self._rounds, self._check, self._predict = rounds, check, predict
        self._known: dict[tuple[Any, str], Mapping[str, Any]] = {}
        self._compared: set[str] = set()
        self._lock = threading.RLock()
        self.__doc__ = kernel.__doc__

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.name

    def __repr__(self) -> str:
        return f"<Kernel {self.name}, tuned over {len(self.candidates)} candidates>"

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        """`kernel[grid](a, b)`: the short form of `launch`. The grid may be a function of what was chosen."""

        @public
        def call(*args: Any, **options: Any) -> None:
            self.launch(grid=grid, args=args, **options)

        return call

    @public
    def launch(self, *, grid: Grid, args: Sequence[Any] = (), **options: Any) -> None:
        """Run the kernel with the values that are best for these arrays.

        Args:
            grid, args: as of `Kernel.launch`; each may be a function of what was chosen, `lambda c: n // c.tile`.
            **options: of `Kernel.launch`, and constants that are not chosen.

        Raises: Diagnostic PTX2512, PTX2513, and as `Kernel.launch`.
        """
        if launches_left_out():
            return
        chosen = self._choice(grid, args, options)
        self.kernel.launch(grid=at(grid, chosen), args=all_at(args, chosen), **options, **chosen)

    @public
    def prepare(self, *, grid: Grid, args: Sequence[Any] = (), **options: Any) -> Launch:
        """A launch with the values that are best for these arrays, checked, packed and loaded once.

        Args:
            grid, args, options: as of `launch`.

        Raises: Diagnostic as `launch`.
        """
        if launches_left_out():
            return LeftOut()
        chosen = self._choice(grid, args, options)
        return self.kernel.prepare(grid=at(grid, chosen), args=all_at(args, chosen), **options, **chosen)

    @public
    def chosen(self, *args: Any) -> dict[str, Any]:
        """The values for arguments like these, as far as they are known: those of the first candidate where nobody has measured.

        Args:
            *args: of a launch.
        """
        arrays = self._arrays(args)
        device = _device(arrays)
        found = None if device is None or device.ordinal is None else self._remembered(device, _key(arrays))
        return dict(found or self.candidates[0])

    def _choice(self, grid: Grid, args: Sequence[Any], options: Mapping[str, Any]) -> Mapping[str, Any]:
        arrays = self._arrays(args)
        device, key = _device(arrays), _key(arrays)
        with self._lock:
            gpu = device if device is not None and device.ordinal is not None else None
            found = self.candidates[0] if gpu is None else self._remembered(gpu, key)
            unchecked = self._check and key not in self._compared
            if gpu is not None and (found is None or unchecked) and _capturing(arrays, gpu.number):
                return found or self._untuned(key)
            with watched(None):
                if unchecked:
                    self._compare(grid, args, options, arrays)
                    self._compared.add(key)
                if found is None and gpu is not None:
                    found = self._measured(grid, args, options, arrays, gpu)
                    self._remember(gpu, key, found)
            return found or self.candidates[0]

    def _untuned(self, key: str) -> Mapping[str, Any]:
        """The first candidate, with a warning: a CUDA graph is captured, and nobody has measured."""
        found = Diagnostic(
            "PTX2515",
            f"A CUDA graph captures {self.name} with its first candidate: nobody has measured it for {key}.",
            help="launch it once for these shapes before the capture",
            origin=user_span(),
        )
        warn([found])
        return self.candidates[0]

    def _arrays(self, args: Sequence[Any]) -> list[ArrayView]:
        """The arrays among arguments; those behind tensor maps, too."""
        first = SimpleNamespace(**self.candidates[0])
        out: list[ArrayView] = []
        for arg in args:
            given = arg(first) if callable(arg) and not is_array(arg) else arg
            if isinstance(given, BoundMap):
                out.append(given.array)
            elif is_array(given):
                out.append(view(given))
        return out

    def _running(
        self,
        grid: Grid,
        args: Sequence[Any],
        options: Mapping[str, Any],
        among: Sequence[Mapping[str, Any]],
    ) -> Generator[tuple[Mapping[str, Any], Launch]]:
        """Those of some candidates that can be launched. Raises: Diagnostic PTX2512 where none can."""
        reasons: list[str] = []
        count = 0
        for chosen in among:
            try:
                launch = self.kernel.prepare(grid=at(grid, chosen), args=all_at(args, chosen), **options, **chosen)
            except Diagnostic as d:
                reasons.append(f"{words(chosen)}: {d.code} {d.message}")
                continue
            count += 1
            yield chosen, launch
        if not count:
            raise Diagnostic(
                "PTX2512",
                f"None of the {len(among)} candidates of {self.name} can be launched.",
                notes=tuple(reasons),
                help="launch one by itself: kernel.specialize(…)",
                origin=user_span(),
            )

    def _compare(
        self, grid: Grid, args: Sequence[Any], options: Mapping[str, Any], arrays: Sequence[ArrayView]
    ) -> None:
        """All candidates leave the same bytes. Raises: Diagnostic PTX2513."""
        with _put_back(arrays) as kept:
            wanted: tuple[str, Kept] | None = None
            for chosen, launch in self._running(grid, args, {**options, "stream": None}, self.candidates):
                kept.restore()
                launch()
                now = Kept(arrays)
                if wanted is None:
                    wanted = words(chosen), now
                    continue
                found = first_difference(wanted[1], now)
                if found is not None:
                    raise Diagnostic(
                        "PTX2513",
                        f"{self.name} leaves other bytes with {words(chosen)} than with {wanted[0]}: {found}.",
                        help="a candidate may change the order of sums; else one of them is wrong",
                        origin=user_span(),
                    )

    def _measured(
        self,
        grid: Grid,
        args: Sequence[Any],
        options: Mapping[str, Any],
        arrays: Sequence[ArrayView],
        device: Device,
    ) -> Mapping[str, Any]:
        from ptxlab.cuda.driver import device as gpu
        from ptxlab.cuda.streams import synchronized
        from ptxlab.cuda.timing import medians

        synchronized()
        among = self._promising(grid, args, options, device)
        known: dict[str, Mapping[str, Any]] = {}
        calls: dict[str, Any] = {}
        with _put_back(arrays):
            for chosen, launch in self._running(grid, args, {**options, "stream": None}, among):
                launch()  # loads its code: a capture does not allow that
                known[words(chosen)], calls[words(chosen)] = chosen, launch
            synchronized()
            seconds = medians(gpu(device.number), calls, self._rounds)
        return known[min(seconds, key=lambda name: seconds[name])]

    def _promising(
        self, grid: Grid, args: Sequence[Any], options: Mapping[str, Any], device: Device
    ) -> Sequence[Mapping[str, Any]]:
        """The candidates that are worth a measurement. Raises: Diagnostic PTX2501, PTX2512 where they cannot be predicted."""
        if self._predict is None or self._predict >= len(self.candidates):
            return self.candidates
        from ptxlab.timing.rank import planned, ranking
        from ptxlab.timing.stand_ins import StandIns

        on, put = chip_of(device.name), StandIns().of
        kept = {name: value for name, value in options.items() if name not in _OF_LAUNCHES_ALONE}
        kept |= {"on": on, "buffers": [put(one) for one in options.get("buffers", ())]}
        found = ranking(self.name, planned(self.kernel, self.candidates, grid, args, kept, put), chip(on))
        return [one.constants for one in found.candidates if one.profile is not None][: self._predict]

    @cached_property
    def _disk(self) -> TuningCache | None:
        """Where choices are kept; None for a kernel that is written in no file: its choices live as long as the process."""
        file = Path(self.kernel.source.file)
        return TuningCache([file]) if file.is_file() else None

    def _remembered(self, device: Device, key: str) -> Mapping[str, Any] | None:
        found = self._known.get((device, key))
        if found is None and self._disk is not None:
            kept: dict[str, str] = self._disk.read(device) or {}
            name = kept.get(self._entry(key))
            found = next((c for c in self.candidates if words(c) == name), None)
            if found is not None:
                self._known[device, key] = found
        return found

    def _remember(self, device: Device, key: str, chosen: Mapping[str, Any]) -> None:
        self._known[device, key] = chosen
        if self._disk is not None:
            self._disk.write(device, {**(self._disk.read(device) or {}), self._entry(key): words(chosen)})

    def _entry(self, key: str) -> str:
        """The name of a choice: the kernel, what it chooses among, and the arrays."""
        best = f"the {self._predict} best predicted of " if self._predict is not None else ""
        return f"{self.name} [{best}{'; '.join(map(words, self.candidates))}] {key}"


def _key(arrays: Sequence[ArrayView]) -> str:
    return ", ".join(f"{a.dtype} {'×'.join(map(str, a.shape))}" for a in arrays)


def _device(arrays: Sequence[ArrayView]) -> Device | None:
    return device_of(arrays[0]) if arrays else None


def _capturing(arrays: Sequence[ArrayView], ordinal: int) -> bool:
    """Whether a CUDA graph is made of what the arrays' library works on now."""
    from ptxlab.cuda.capture import captured
    from ptxlab.cuda.streams import current_source

    handle = current_source([a.owner for a in arrays], ordinal)()
    return bool(handle) and captured(handle)


@contextmanager
def _put_back(arrays: Sequence[ArrayView]) -> Generator[Kept]:
    """What is in the arrays before the block is in them behind it."""
    kept = Kept(arrays)
    try:
        yield kept
    finally:
        kept.restore()
