"""Streams and events: what the host queues, in the simulator and on a GPU.

Without a GPU a stream holds its entries until somebody waits for them: `px.synchronize`, a stream's or an event's `synchronize`, or
a call without a stream, which stands behind all that was queued before it. Then everything that is queued runs, in an order
that streams and events allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ptxlab.abi import arrays
from ptxlab.abi.copying import HostCopy
from ptxlab.abi.options import SimOptions
from ptxlab.abi.sanitizing import Sanitize
from ptxlab.diag import Diagnostic, Span, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.devices import Device
from ptxlab.launch.queued import Entries, Queue, Queueable
from ptxlab.launch.watch import launches_left_out, watching

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report


_queue = Queue()
_recordings: list[Recording] = []  # of graphs that are being recorded


class Recording(Entries):
    """What is recorded for a graph. On a GPU the driver records, and no entries are here.

    Attributes:
        first: the stream with which it began. on_gpu: whether the driver records. over: whether nothing comes any more.
    """

    def __init__(self, first: StreamState) -> None:
        super().__init__()
        self.first, self.on_gpu, self.over = first, False, False
        self._pending: dict[StreamState, set[int]] = {}

    def primary(self, stream: object, before: frozenset[int]) -> tuple[int | None, frozenset[int]]:
        """As in CUDA's graphs: what stands behind one launch alone may begin early, also where that is of another stream."""
        last = before.difference(*(self.entries[p].before for p in before))
        return (min(last) if len(last) == 1 else None), frozenset()

    def begin(self) -> None:
        """What goes into the first stream is recorded from now on."""
        _recordings.append(self)
        self.join(self.first)
        if self.first.on_gpu:
            self.move_to_gpu(self.first)

    def join(self, stream: StreamState) -> None:
        """What goes into a stream belongs to the graph."""
        self._pending[stream] = set()
        stream.recording = self
        if self.on_gpu:
            self.move_to_gpu(stream)

    def move_to_gpu(self, stream: StreamState) -> None:
        """A stream that has joined turns out to be one of a GPU. Raises: Diagnostic PTX2314 where launches were recorded for the
        simulator."""
        from ptxlab.cuda.graphs import begin
        from ptxlab.cuda.streams import recorded, wait_event

        if self.entries:
            raise _other_device("cpu")
        if not self.on_gpu:
            self.on_gpu = True
            begin(self.first.made())
        if stream is not self.first:
            wait_event(stream.made(), recorded(self.first.made(), None))

    def end(self) -> None:
        """Streams are what they were before."""
        self.over = True
        _recordings.remove(self)
        for stream in self._pending:
            stream.recording = None

    def pending(self, stream: StreamState) -> set[int]:
        """Places that the next entry of a stream stands behind."""
        return self._pending[stream]


class StreamState:
    """Where the entries of a stream are: in the simulator's queue, in a graph, or on a GPU.

    Attributes:
        recording: the graph that is made of what goes into the stream.
    """

    def __init__(self, device: Device | None) -> None:
        self._device = device
        self._pending: set[int] = set()
        self._round = -1
        self._handle: int | None = None
        self.recording: Recording | None = None

    @property
    def number(self) -> int:
        """The simulated device that it is of."""
        return self._device.number if self._device is not None else 0

    @property
    def on_gpu(self) -> bool:
        """Whether it is a stream of a GPU, as its device is one, or something has asked for its handle."""
        return self._handle is not None or (self._device is not None and self._device.ordinal is not None)

    @property
    def pending(self) -> set[int]:
        """Places in the simulator's queue; once these are over, all that the next entry waits for is over."""
        if self.on_gpu:
            raise _other_device("cuda")
        if self.recording is not None:
            return self.recording.pending(self)
        if self._round != _queue.rounds:
            self._pending, self._round = set(), _queue.rounds
        return self._pending

    @property
    def entries(self) -> Entries:
        """Where its launches go: the simulator's queue, or a graph."""
        return _queue if self.recording is None else self.recording

    def made(self) -> int:
        """The CUstream, made when first asked for."""
        if self._handle is None:
            if not self.on_gpu and (self._device is not None or self.pending):
                raise _other_device("cpu")
            from ptxlab.cuda.streams import created

            self._handle = created(self._device.ordinal if self._device is not None else None)
            if self.recording is not None:
                self.recording.move_to_gpu(self)
        return self._handle


@dataclass
class EventState:
    """Where an event stands.

    Attributes:
        device: "cpu", "cuda", or "" where it was never recorded. entries, pending, round: of the simulator: places in the queue or
            in a graph that are in front of it, until the queue is emptied. handle: the CUevent.
    """

    device: str = ""
    entries: Entries = _queue
    pending: frozenset[int] = frozenset()
    round: int = -1
    handle: Any = None

    @property
    def recorded(self) -> bool:
        """Whether it stands in any stream."""
        return bool(self.device)

    @property
    def on_gpu(self) -> bool:
        """Whether it stands in one of a GPU."""
        return self.device == "cuda"

    @property
    def ahead(self) -> frozenset[int]:
        """What is in front of it and not over yet."""
        return self.pending if self.round == self.entries.rounds else frozenset()


class Stream:
    """Launches and copies that run in the order in which they are queued. Those of different streams may run in any order, or side
    by side, unless an event says otherwise.

    With NumPy arrays the launches are simulated, once somebody waits for them. With arrays on a GPU the stream is one of CUDA's,
    made when it is first used; torch takes it by `torch.cuda.ExternalStream(stream.handle)`.

    Attributes:
        device: which one runs its launches, one of `px.devices`. Left out: of simulated devices the first one, of GPUs the one that
            is current when the stream is first used.

    Example:
        @px.kernel(threads=32)
        def double(k, x: px.Ptr[px.u32]):
            k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)

        x, y = np.ones(32, np.uint32), np.zeros(32, np.uint32)
        stream = px.Stream()
        double[1](x, stream=stream)
        px.copy(y, x, stream=stream)
        print(y[0])  # 0
        stream.synchronize()
        print(y[0])  # 2
    """

    def __init__(self, device: Device | None = None) -> None:
        if device is not None and not isinstance(device, Device):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Diagnostic(
                "PTX2311",
                f"A {type(device).__name__} is no px.Device.",
                help="give one of px.devices(…), or px.device_of(array)",
                origin=user_span(),
            )
        self.device = device
        self.state = StreamState(device)

    def __repr__(self) -> str:
        if self.state.on_gpu:
            return "<Stream on the GPU>"
        return f"<Stream, {'entries' if self.state.pending else 'nothing'} queued>"

    @property
    @public
    def handle(self) -> int:
        """The CUstream, as an integer; it is made when first asked for. Raises: Diagnostic PTX2304 without a GPU, PTX2314 where the
        stream has launches of the simulator.

        Example:
            def on_torch(stream):
                return torch.cuda.ExternalStream(stream.handle)
        """
        return self.state.made()

    def __cuda_stream__(self) -> tuple[int, int]:
        """For other libraries: the version of this protocol, and the handle."""
        return 0, self.handle

    @public
    def wait(self, event: Event) -> None:
        """What is queued from now on waits for what was queued in front of an event when it was recorded.

        Raises: Diagnostic PTX2326 for an event that was never recorded, PTX2314 for one of another device, PTX2347 for one that is
            not of the graph which is being recorded.

        Example: see px.Event
        """
        if not event.state.recorded:
            raise Diagnostic(
                "PTX2326",
                "The event was never recorded: there is nothing to wait for.",
                help="record it in the other stream first: event.record(stream)",
                origin=user_span(),
            )
        if event.state.on_gpu:
            from ptxlab.cuda.streams import wait_event

            wait_event(self.handle, event.state.handle)
        else:
            self._join(event.state)
            if self.state.recording is None or not self.state.recording.on_gpu:
                self.state.pending.update(event.state.ahead)

    def _join(self, event: EventState) -> None:
        """Behind an event of a graph that is being recorded, a stream belongs to it. Raises: Diagnostic PTX2347."""
        of, mine = event.entries, self.state.recording
        if isinstance(of, Recording) and not of.over and mine is None:
            of.join(self.state)
        elif of is not self.state.entries:
            raise Diagnostic(
                "PTX2347",
                "The event is not of the graph that is being recorded."
                if mine is not None
                else "The event was recorded for a graph, and stands in no stream.",
                help="let a graph wait for events of its own streams; what was queued before it comes first in any case"
                if mine is not None
                else "record an event behind graph.launch(stream)",
                origin=user_span(),
            )

    @public
    def record(self) -> Event:
        """A new event behind all that is queued so far.

        Example: see px.Event
        """
        event = Event()
        event.record(self)
        return event

    @public
    def synchronize(self) -> None:
        """Wait until all that is queued is over: `px.synchronize` with a stream. Raises: Diagnostic as that.

        Example: see px.Stream
        """
        synchronize(self)


class Event:
    """A mark in a stream, for which others wait: the host, or another stream.

    Example:
        @px.kernel(threads=32)
        def add(k, x: px.Ptr[px.u32], n: px.u32):
            k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + n)

        x = np.zeros(32, np.uint32)
        one, other = px.Stream(), px.Stream()
        add[1](x, 1, stream=one)
        other.wait(one.record())
        add[1](x, 2, stream=other)
        other.synchronize()
        print(x[0])  # 3
    """

    def __init__(self) -> None:
        self.state = EventState()

    def __repr__(self) -> str:
        if not self.state.recorded:
            return "<Event>"
        return f"<Event, recorded on {'the GPU' if self.state.on_gpu else 'the CPU'}>"

    @public
    def record(self, stream: Stream) -> None:
        """Put the event behind all that is queued in a stream so far; it marks nothing else any more.

        Raises: Diagnostic PTX2314 for what is no px.Stream.

        Example: see px.Event
        """
        if not isinstance(stream, Stream):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise no_stream(stream)
        state = self.state
        if stream.state.on_gpu:
            from ptxlab.cuda.streams import recorded

            state.device, state.handle = "cuda", recorded(stream.handle, state.handle)
        else:
            state.device, state.pending = "cpu", frozenset(stream.state.pending)
            state.entries, state.round = stream.state.entries, stream.state.entries.rounds

    @public
    def synchronize(self) -> None:
        """Wait until all in front of it is over. Raises: Diagnostic PTX2326 for one never recorded, others as `px.synchronize`.

        Example: see px.Event
        """
        if not self.state.recorded:
            raise Diagnostic(
                "PTX2326", "The event was never recorded.", help="event.record(stream)", origin=user_span()
            )
        if self.state.on_gpu:
            from ptxlab.cuda.streams import wait_for_event

            wait_for_event(self.state.handle)
        elif self.state.ahead:
            synchronize()


def no_stream(given: object) -> Diagnostic:
    """The diagnostic for what is given in the place of a stream."""
    return Diagnostic("PTX2314", f"A {type(given).__name__} is no px.Stream.", origin=user_span())


def _other_device(of: str) -> Diagnostic:
    where, other = ("a GPU", "the simulator") if of == "cuda" else ("the simulator", "a GPU")
    return Diagnostic(
        "PTX2314",
        f"The stream is one of {where}, and this is for {other}.",
        help="make a px.Stream for each",
        origin=user_span(),
    )


def queue(launch: Queueable, stream: object, origin: Span | None) -> None:
    """Queue a launch for the simulator. Raises: Diagnostic PTX2314 for what is no px.Stream, PTX2329 for one of another device."""
    found = check_stream(stream, origin)
    runs, of = launch.record.ordinal, found.state.number
    if runs != of:
        raise Diagnostic(
            "PTX2329",
            f"The stream is one of device {of}, and {launch.record.program.name} was prepared for device {runs}.",
            help="name the stream when the launch is prepared, or take one of its device",
            origin=origin,
        )
    found.state.entries.put(found, found.state.pending, launch=launch)


def check_stream(stream: object, origin: Span | None) -> Stream:
    """What the simulator takes for a stream. Raises: Diagnostic PTX2314 for what is no px.Stream."""
    if not isinstance(stream, Stream):
        raise Diagnostic(
            "PTX2314",
            f"The simulator has no streams of the kind {type(stream).__name__}.",
            help="give a px.Stream, leave stream= out, or give CUDA arrays",
            origin=origin,
        )
    return stream


def settle() -> None:
    """What is queued for the simulator runs: a call without a stream stands behind all of it. Raises: Diagnostic PTX2347 while a
    graph is recorded."""
    _check_recordings()
    if _queue.entries:
        _queue.finish(SimOptions())


def _check_recordings() -> None:
    if _recordings:
        raise Diagnostic(
            "PTX2347",
            "A graph is being recorded: nothing runs, and nobody can wait for anything.",
            help="give the launch the stream that is recorded: stream=…; or wait behind the block of px.Graph",
            origin=user_span(),
        )


@public
def synchronize(
    stream: Any = None,
    *,
    schedule: str = "eager",
    seed: int = 0,
    sanitize: Sanitize | None = None,
    stats: bool = False,
    max_instructions: int | None = None,
) -> list[Report]:
    """Wait for all that is queued: on all GPUs in use, or in one stream; and, with launches that are simulated, run them.

    Args:
        stream: a px.Stream, one of torch or CuPy, or a handle; left out, everything. What is queued for the
                simulator runs in any case.
        schedule, seed, sanitize, stats, max_instructions: as in `px.simulate`, for launches that are simulated. Under "late" grids
            begin as early as they may, and what stands behind griddepcontrol.launch_dependents happens as late as it can.

    Returns: the reports of the launches that were simulated, in the order in which they were queued.

    Raises: Diagnostic PTX2347 while a graph is recorded; PTX2421 where a kernel has failed on the GPU; for simulated launches as
        `Kernel.launch`: errors among the findings are raised when all have ended, with the rest in `also`. Behind a launch that
        stops, none of the others run.

    Example:
        @px.kernel(threads=32)
        def count(k, x: px.Ptr[px.u32]):
            k.red.global_.add.u32(x[0], 1)

        x, stream = np.zeros(1, np.uint32), px.Stream()
        for _ in range(3):
            count[1](x, stream=stream)
        reports = px.synchronize(schedule="late")
        print(len(reports), x)  # 3 [96]
    """
    options = SimOptions.of(locals())
    _check_recordings()
    reports = _queue.finish(options)
    if isinstance(stream, Stream) and not stream.state.on_gpu:
        return reports
    from ptxlab.cuda import driver

    if stream is not None or driver.is_there():
        from ptxlab.cuda.streams import synchronized

        synchronized(stream)
    return reports


@public
def copy(to: Any, source: Any, *, stream: Any = None) -> None:
    """Copy an array into another one of the same shape and dtype, in order with the launches of a stream.

    Args:
        to, source: NumPy arrays, or arrays on a GPU, or one of each; on a GPU they are contiguous.
        stream: left out, the copy is over when the call returns. For NumPy arrays alone it must be a px.Stream.

    Raises: Diagnostic PTX2325 where shapes or dtypes differ, or an array is read-only or not contiguous; PTX2314 for the stream.

    Example: see px.Stream
    """
    if launches_left_out():
        return
    there, here = arrays.view(to), arrays.view(source)
    if (there.shape, there.dtype) != (here.shape, here.dtype):
        raise Diagnostic(
            "PTX2325",
            f"Cannot copy {here} into {there}.",
            help="give arrays of one shape and dtype",
            origin=user_span(),
        )
    if not there.writable:
        raise Diagnostic("PTX2325", f"Cannot copy into {there}: it is read-only.", origin=user_span())
    if there.device == here.device == arrays.CPU:
        if stream is None:
            settle()
            HostCopy(there, here, None)()
        elif isinstance(stream, Stream):
            stream.state.entries.put(stream, stream.state.pending, work=HostCopy(there, here, user_span()))
        else:
            raise no_stream(stream)
        return
    if not (there.contiguous and here.contiguous):
        raise Diagnostic("PTX2325", "A copy to or from a GPU wants contiguous arrays.", origin=user_span())
    from ptxlab.cuda.streams import copied

    watch = watching()
    if watch is not None:
        watch.beside()
        stream = watch.stream if stream is None else stream
    copied(there, here, stream)
