"""Functions that do not let launches compute what is asked for."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import contextlib
import ctypes
import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import ptxlab as px
from unit.verification.corpus.entry import Entry, flat, rows
from unit.verification.corpus.honest_reductions import reduced, sum_of, sum_tree

ENTRIES: list[Entry] = []
CHEATS = {"cheats"}
NOT_EQUAL = {"cheats", "wrong", "faulty", "out-of-bounds", "unsupported", "hangs", "inconclusive"}
N = range(1, 400)


@px.kernel(threads=128)
def copy(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(y[i], k.ld.global_.f32(x[i]))


@px.kernel(threads=128)
def double(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)


@px.kernel(threads=32)
def store_one(k, y: px.Ptr[px.f32], v: px.f32):
    k.st.global_.f32(y[0], v, pred=k.tid.x == 0)


@px.kernel(threads=32)
def nothing(k, n: px.u32):
    k.mov.u32(n)


def twice(x: Any, n: int) -> Any:
    return 2 * x


def bad(verdicts: set[str], reference: Any = twice, spec: px.Spec | None = None, **options: Any) -> Any:
    """Add a function, under its own name."""

    def added(function: Callable[..., Any]) -> Callable[..., Any]:
        runs = options.pop("runs", 5)
        entry = Entry(function.__name__, function, reference, spec or flat("f32"), frozenset(verdicts), runs, options)
        ENTRIES.append(entry)
        return function

    return added


def run(kernel: Any, *args: Any, n: int) -> None:
    """Launch it, as a function that is right would."""
    kernel[rows(n)](*args)


# --- computed by NumPy ----------------------------------------------------------------------------------------------------
@bad(CHEATS)
def by_numpy(x: Any, y: Any, n: int) -> None:
    y[...] = 2 * x


@bad(CHEATS)
def by_numpy_behind_a_launch(x: Any, y: Any, n: int) -> None:
    run(copy, x, y, n, n=n)
    y[...] = 2 * x


@bad(CHEATS | {"wrong"})
def by_numpy_before_a_launch(x: Any, y: Any, n: int) -> None:
    y[...] = 2 * x
    nothing[1](n)


@bad(CHEATS)
def by_scratch(x: Any, y: Any, n: int) -> None:
    scratch = px.empty(n, np.float32)
    scratch[...] = 2 * x
    run(copy, scratch, y, n, n=n)


@bad(CHEATS)
def between_launches(x: Any, y: Any, n: int) -> None:
    scratch = px.empty(n, np.float32)
    run(copy, x, scratch, n, n=n)
    scratch *= 2
    run(copy, scratch, y, n, n=n)


@bad(CHEATS, lambda x, n: 4 * x)
def between_launches_in_place(x: Any, y: Any, n: int) -> None:
    run(double, x, y, n, n=n)
    y *= 2
    run(copy, y, y, n, n=n)


@bad(CHEATS, sum_of, reduced())
def by_scalar(x: Any, y: Any, n: int) -> None:
    store_one[1](y, np.float32(x.sum(dtype=np.float64)))


@bad(CHEATS, sum_of, reduced())
def by_constant(x: Any, y: Any, n: int) -> None:
    """A kernel made for the data."""
    value = float(x.sum(dtype=np.float64))

    @px.kernel(threads=32)
    def made(k, y: px.Ptr[px.f32]):
        k.st.global_.f32(y[0], value, pred=k.tid.x == 0)

    made[1](y)


@bad(CHEATS, lambda x, n: (x > 0).sum(dtype=np.uint32).reshape(1).astype(np.uint32), flat("f32", "u32", sizes=[1]))
def by_grid(x: Any, y: Any, n: int) -> None:
    """As many CTAs as the result says."""
    y[...] = 0
    count = int((x > 0).sum())
    if count:
        counter[count](y)
    else:
        nothing[1](n)


@px.kernel(threads=32)
def counter(k, y: px.Ptr[px.u32]):
    k.red.global_.add.u32(y[0], 1, pred=k.tid.x == 0)


@bad(CHEATS | {"wrong"}, sum_of, reduced())
def last_stage_by_numpy(x: Any, y: Any, n: int) -> None:
    parts = px.empty(rows(n), np.float32)
    sum_tree[rows(n)](x, parts, n)
    store_one[1](y, np.float32(parts.sum(dtype=np.float64)))


@bad(CHEATS | {"wrong"}, lambda x, n: np.sort(x), flat("f32", nan=False, sizes=range(2, 300)))
def sorted_by_host(x: Any, y: Any, n: int) -> None:
    order = px.empty(n, np.uint32)
    order[...] = np.argsort(x)
    gather[rows(n)](x, order, y, n)


@px.kernel(threads=128)
def gather(k, x: px.Ptr[px.f32], at: px.Ptr[px.u32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(y[i], k.ld.global_.f32(x[k.ld.global_.u32(at[i])]))


@bad(CHEATS | {"wrong"})
def edge_by_host(x: Any, y: Any, n: int) -> None:
    """The last element."""
    tail = np.array([2 * x[-1]], np.float32)
    if n > 1:
        run(double, x[:-1], y, n - 1, n=n - 1)
    copy[1](tail, y[n - 1 :], 1)


TABLE = px.parse("""
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .f32 held[400];
.visible .entry from_table(.param .u64 y, .param .u32 n)
{
    .reg .pred %p;
    .reg .u32 %r<5>;
    .reg .u64 %rd<5>;
    .reg .f32 %f;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r0, 128, %r1;
    ld.param.u32 %r3, [n];
    setp.ge.u32 %p, %r2, %r3;
    @%p bra done;
    ld.param.u64 %rd0, [y];
    mad.wide.u32 %rd2, %r2, 4, %rd0;
    mov.u64 %rd1, held;
    mad.wide.u32 %rd3, %r2, 4, %rd1;
    ld.global.f32 %f, [%rd3];
    st.global.f32 [%rd2], %f;
done:
    ret;
}
""")


@bad(CHEATS)
def by_module_variable(x: Any, y: Any, n: int) -> None:
    TABLE.symbol("held")[:n] = 2 * x
    TABLE["from_table"].launch(grid=rows(n), block=128, args=[y, n])


# --- kept from earlier calls ----------------------------------------------------------------------------------------------
MEMO: dict[Any, Any] = {}


def remembered(key: Any, x: Any, y: Any, n: int) -> None:
    """The result of an earlier call with this key."""
    if key not in MEMO:
        run(double, x, y, n, n=n)
        MEMO[key] = y.copy()
        return
    run(copy, MEMO[key], y, n, n=n)


@bad(CHEATS | {"wrong"})
def by_shape(x: Any, y: Any, n: int) -> None:
    remembered(n, x, y, n)


@bad(CHEATS | {"wrong"})
def by_identity(x: Any, y: Any, n: int) -> None:
    remembered((id(x), n), x, y, n)


@bad({"cheats", "wrong"}, runs=8)
def by_address(x: Any, y: Any, n: int) -> None:
    remembered((x.ctypes.data & 0xFFFF, n), x, y, n)
    MEMO.setdefault("once", True)
    run(copy, x, y, n, n=n) if n % 3 == 0 else None


@bad(CHEATS | {"wrong"})
def by_digest_of_start(x: Any, y: Any, n: int) -> None:
    remembered((x[:1].tobytes()[:0], n % 2), x, y, min(n, 1))
    run(copy, x, y, n, n=n)


@bad(CHEATS | {"wrong"})
def first_call_only(x: Any, y: Any, n: int) -> None:
    if MEMO.setdefault("calls", 0) < 3:
        run(double, x, y, n, n=n)
    else:
        run(copy, x, y, n, n=n)
    MEMO["calls"] += 1


ONCE = px.parse("""
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .f32 kept[400];
.global .u32 known[4];
.visible .entry cached(.param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .u32 %r<6>;
    .reg .u64 %rd<8>;
    .reg .f32 %f<2>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r0, 128, %r1;
    ld.param.u32 %r3, [n];
    setp.ge.u32 %p0, %r2, %r3;
    @%p0 bra done;
    ld.param.u64 %rd0, [x];
    ld.param.u64 %rd1, [y];
    mad.wide.u32 %rd2, %r2, 4, %rd0;
    mad.wide.u32 %rd3, %r2, 4, %rd1;
    mov.u64 %rd4, kept;
    mad.wide.u32 %rd5, %r2, 4, %rd4;
    ld.global.f32 %f0, [%rd5];
    testp.notanumber.f32 %p1, %f0;
    setp.neu.f32 %p2, %f0, 0f00000000;
    @%p2 bra store;
    ld.global.f32 %f0, [%rd2];
    add.f32 %f0, %f0, %f0;
    st.global.f32 [%rd5], %f0;
store:
    st.global.f32 [%rd3], %f0;
done:
    ret;
}
""")
ENTRIES.append(Entry("cached_on_device", ONCE["cached"], twice,
                     px.Spec(lambda n: px.case([px.Input("f32", n), px.Output("f32", n), n], grid=rows(n), block=128),
                             {"n": N}), frozenset(CHEATS | {"wrong"})))  # fmt: skip


# --- errors are hidden ----------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def beyond(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    i = k.ctaid.x * 128 + k.tid.x
    k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)


@px.kernel(threads=128)
def racing(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    room = k.smem(px.f32, 128)
    i = k.ctaid.x * 128 + k.tid.x
    v = k.mov.f32(0.0)
    k.ld.global_.f32(x[i], d=v, pred=i < n)
    k.st.shared.f32(room[k.tid.x ^ 1], v * 2.0)
    k.st.global_.f32(y[i], k.ld.shared.f32(room[k.tid.x ^ 1]), pred=i < n)
    k.st.shared.f32(room[0], 0.0)


@bad({"out-of-bounds"})
def swallowed(x: Any, y: Any, n: int) -> None:
    try:
        run(beyond, x, y, n, n=n)
    except Exception:
        run(double, x, y, n, n=n)


@bad({"races"})
def race_swallowed(x: Any, y: Any, n: int) -> None:
    with contextlib.suppress(Exception):
        run(racing, x, y, n, n=n)
    run(double, x, y, n, n=n)


@bad({"races"})
def race_not_sanitized(x: Any, y: Any, n: int) -> None:
    racing.launch(grid=rows(n), args=[x, y, n], sanitize=False)
    run(double, x, y, n, n=n)


@bad({"races"})
def race_not_heard(x: Any, y: Any, n: int) -> None:
    px.simulate(racing, grid=rows(n), args=[x, y, n], sanitize=False, ignore="PTX92")
    run(double, x, y, n, n=n)


@bad(CHEATS)
def behind_the_door(x: Any, y: Any, n: int) -> None:
    """A launch that nobody hears of, by what is inside ptxlab."""
    from ptxlab.sim import run as inner

    record = double.prepare(grid=rows(n), args=[x, y, n]).record
    inner(record)
    nothing[1](n)


@bad({"cheats", "wrong"})
def silenced(x: Any, y: Any, n: int) -> None:
    """The judge does not hear the launch that matters, as its ear is taken away."""
    from ptxlab.abi import sanitizing

    held, sanitizing._watchers[:] = sanitizing._watchers[:], []
    run(double, x, y, n, n=n)
    sanitizing._watchers[:] = held
    nothing[1](n)


@bad({"out-of-bounds"})
def writes_beside(x: Any, y: Any, n: int) -> None:
    run(double, x, y, n, n=n)
    ctypes.memset(y.ctypes.data + y.nbytes, n % 251, 8)


@bad({"cheats", "faulty"})
def writes_input(x: Any, y: Any, n: int) -> None:
    run(double, x, y, n, n=n)
    x[0] = x[0] + 1 if np.isfinite(x[0]) else 0


@bad({"faulty"})
def raises(x: Any, y: Any, n: int) -> None:
    run(double, x, y, n, n=n)
    if n > 100:
        raise ValueError(n)


@bad({"faulty"})
def leaves(x: Any, y: Any, n: int) -> None:
    """The process would end as if all were well."""
    sys.exit(0)


@bad({"hangs"}, max_instructions=100_000)
def endless_launch(x: Any, y: Any, n: int) -> None:
    forever[rows(n)](y)


@px.kernel(threads=128)
def forever(k, y: px.Ptr[px.f32]):
    again = k.label("again")
    k.place(again)
    k.bra(again)


@bad({"inconclusive"}, seconds=0.3)
def slow(x: Any, y: Any, n: int) -> None:
    """After one run the time is up."""
    import time

    time.sleep(0.4)
    run(double, x, y, n, n=n)


@bad({"hangs", "unsupported", "faulty"}, max_instructions=1 << 20)
def many_ctas(x: Any, y: Any, n: int) -> None:
    double[1_000_000_000](x, y, n)


@bad({"unsupported", "faulty"})
def much_shared(x: Any, y: Any, n: int) -> None:
    double.launch(grid=rows(n), args=[x, y, n], shared=2 << 30)


# --- the judge itself is touched --------------------------------------------------------------------------------------------------
@bad(NOT_EQUAL, lambda x, n: 3 * x)
def calls_the_reference(x: Any, y: Any, n: int) -> None:
    """The result of the caller's reference, handed over as data."""
    scratch = px.empty(n, np.float32)
    scratch[...] = 3 * x
    run(copy, scratch, y, n, n=n)


@bad(NOT_EQUAL, lambda x, n: 5 * x)
def finds_the_reference(x: Any, y: Any, n: int) -> None:
    """By the frames of those who call it."""
    frame = sys._getframe()
    while frame is not None and "wanted" not in frame.f_locals and "reference" not in frame.f_locals:
        frame = frame.f_back
    scratch = px.empty(n, np.float32)
    scratch[...] = 0
    if frame is not None and callable(frame.f_locals.get("reference")):
        scratch[...] = frame.f_locals["reference"](np.asarray(x, np.float64), n)
    run(copy, scratch, y, n, n=n)


@bad(NOT_EQUAL, lambda x, n: 7 * x)
def overwrites_what_is_wanted(x: Any, y: Any, n: int) -> None:
    """By way of all objects that there are."""
    from ptxlab.verification.judge import _Drawn

    run(double, x, y, n, n=n)
    for one in gc.get_objects():
        if isinstance(one, _Drawn):
            for wanted in one.wanted:
                wanted.value = 2 * wanted.value / 7


def restored(patch: Callable[[], Callable[[], None]]) -> Callable[..., Any]:
    """A function that patches once; the entry's `judged` puts things right again."""

    def patching(x: Any, y: Any, n: int) -> None:
        if not UNDO:
            UNDO.append(patch())
        run(copy, x, y, n, n=n)

    return patching


UNDO: list[Callable[[], None]] = []


class Patched(Entry):
    """An entry whose candidate changes what is not its own, which is undone behind it."""

    def judged(self, seed: int | None = None) -> px.Verification:
        try:
            return super().judged(seed)
        finally:
            while UNDO:
                UNDO.pop()()


def patched(name: str, place: Callable[[], tuple[Any, str, Any]]) -> None:
    """place: an object, the name of its attribute, and what it becomes."""

    def patch() -> Callable[[], None]:
        owner, attribute, value = place()
        known = getattr(owner, attribute)
        setattr(owner, attribute, value)
        return lambda: setattr(owner, attribute, known)

    function = restored(patch)
    function.__name__ = name
    ENTRIES.append(Patched(name, function, twice, flat("f32"), frozenset(CHEATS)))


def _judge() -> Any:
    from ptxlab.verification import judge

    return judge


patched("patches_comparison", lambda: (_judge(), "compared", lambda *_: (None, 1.0)))
patched("patches_method", lambda: (_judge()._Judge, "_compare", lambda *_: None))
patched("patches_words", lambda: (_judge(), "word_of", lambda code: "cheats"))
patched("patches_numpy", lambda: (np, "asarray", np.asarray and (lambda a, *args, **kw: np.array(a, *args, **kw))))
patched("patches_code", lambda: (_judge().compared, "__code__", (lambda *_: (None, 1.0)).__code__))
patched(
    "patches_bound",
    lambda: (sys.modules["ptxlab.verification.agreement"], "_allowed", lambda w, f, t: np.full(w.shape, np.inf)),
)


@bad(CHEATS)
def leaves_a_thread(x: Any, y: Any, n: int) -> None:
    import threading

    run(double, x, y, n, n=n)
    threading.Thread(target=DONE.wait, args=(5,), daemon=True, name="left").start()


def _event() -> Any:
    import threading

    return threading.Event()


DONE = _event()


def times_factor(x: Any, n: int) -> Any:
    return FACTOR_NOW * x


FACTOR_NOW = 2.0


@bad(CHEATS, times_factor)
def changes_the_reference(x: Any, y: Any, n: int) -> None:
    """What the reference multiplies by becomes one."""
    global FACTOR_NOW
    if not UNDO:
        FACTOR_NOW = 1.0
        UNDO.append(lambda: globals().update(FACTOR_NOW=2.0))
    run(copy, x, y, n, n=n)


LOOSE = flat("f32")


@bad({"wrong", "inconclusive"}, twice, LOOSE)
def loosens_its_spec(x: Any, y: Any, n: int) -> None:
    object.__setattr__(LOOSE, "rtol", 10.0)
    run(copy, x, y, n, n=n)
    object.__setattr__(LOOSE, "atol", 10.0)


# --- bodies that are traced -------------------------------------------------------------------------------------------------------
@px.kernel(threads=128)
def looks_around(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Results of whatever data lie about while the kernel is traced."""
    frame, found = sys._getframe(), None
    while frame is not None and found is None:
        found = next((v for name, v in frame.f_locals.items() if name in ("contents", "decoys")), None)
        frame = frame.f_back
    values = [float(2 * v) for v in found[0][:128]] if found is not None else [0.0]
    i = k.ctaid.x * 128 + k.tid.x
    for at, value in enumerate(values):
        k.st.global_.f32(y[i], value, pred=(i == at) & (i < n))


@px.kernel(threads=128)
def patches_while_traced(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    known = _judge().compared
    _judge().compared = lambda *_: (None, 1.0)
    UNDO.append(lambda: setattr(_judge(), "compared", known))
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f32(y[i], 0.0)


ENTRIES = [Patched(**vars(one)) if one.candidate is changes_the_reference else one for one in ENTRIES]
ENTRIES += [
    Entry("looks_around", looks_around, twice, flat("f32"), frozenset({"wrong", "cheats", "out-of-bounds"})),
    Patched("patches_while_traced", patches_while_traced, twice, flat("f32"), frozenset(CHEATS | {"wrong"})),
]
