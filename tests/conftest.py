"""What all tests share: the helpers' folders, the cores they run on, and which of them may be skipped.

A test that needs what is not here is skipped: fine for users, not for CI. There `--lacking FILE` writes down the tests that
an extra is lacking for, and `--lacked FILE`, in an environment with all extras, runs those and what asks ptxas. With
either, any other skip but those of `skips.ALLOWED` is a failure, and with the second one all are.
"""

import gc
import importlib.util
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_FAST = ("unit", "md")  # folders with fast tests: all that `slow.txt` does not name
_SLOW = _HERE / "slow.txt"
for _folder in (".", "corpus", "conformance/ptxas", "unit/ptx"):
    sys.path.insert(0, str(_HERE / _folder))
sys.path.insert(0, str(_HERE.parent))  # the package tools

import skips  # noqa: E402

_SWITCH = "PTXLAB_SANITIZE"
_ASKED = _SWITCH in os.environ  # then that holds for all tests
_SANITIZED = ("docs", "md", "unit/commands", "unit/kernels", "unit/lang", "unit/launch")
"""Folders whose launches are sanitized as those of users are: by default. Other tests are about single instructions and
parts of the simulator, for which most of the time would go into the sanitizer, and many launch faulty kernels on purpose.
`@pytest.mark.ptxlab(sanitize=False)` makes an exception, or True; the plugin of users has the same marker."""

gc.disable()  # until all tests are collected: what that makes stays, and looking for garbage in between takes a fifth of the time

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts the tests in the background makes them, and all that they start, ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxlab")
    group.addoption("--lacking", metavar="FILE", help="write the tests that an extra is lacking for; other skips fail")
    group.addoption("--lacked", metavar="FILE", help="run the tests of FILE and those of ptxas alone; skips fail")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Use all cores for a run of whole folders, where pytest-xdist is there and `-n` does not say otherwise."""
    worker = "PYTEST_XDIST_WORKER" in os.environ  # of a run, which starts no workers of its own
    if worker or importlib.util.find_spec("xdist") is None or config.pluginmanager.is_blocked("xdist"):
        return
    option = config.option
    chosen = option.numprocesses is not None or option.tx or option.dist != "no"
    if chosen or option.usepdb or option.collectonly or not all(Path(a).is_dir() for a in config.args):
        return
    option.numprocesses, option.dist = "auto", "worksteal"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read files that `--lacked` leaves out, and folders that have no fast tests where those alone are asked for."""
    if config.option.lacked and collection_path.suffix == ".py":
        return skips.is_left_out(collection_path, Path(config.option.lacked)) or None
    if config.option.markexpr != "fast" or collection_path.parent != _HERE or not collection_path.is_dir():
        return None
    return True if collection_path.name not in _FAST else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is fast; skip what is marked `gpu` where no GPU of sm_90 is; keep what `--lacked` asks for."""
    slow = set(_SLOW.read_text(encoding="utf-8").splitlines())
    for item in items:
        folder = item.path.relative_to(_HERE).parts[0]
        if folder in _FAST and not skips.names(item) & slow and not item.get_closest_marker("corpus"):
            item.add_marker("fast")
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = skips.no_hopper() if marked else ""
    for item in marked if reason else ():
        item.add_marker(pytest.mark.skip(reason=f"needs a GPU of sm_90: {reason}"))
    if config.option.lacked:
        wanted = set(Path(config.option.lacked).read_text(encoding="utf-8").split())
        kept = [item for item in items if skips.names(item) & wanted or item.get_closest_marker("ptxas")]
        missing = wanted - {name for item in kept for name in skips.names(item)}
        if missing:
            raise pytest.UsageError(
                f"{config.option.lacked} names tests that are not here: {', '.join(sorted(missing))}"
            )
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


def pytest_collection_finish() -> None:
    """Keep what stays to the end out of all later searches for garbage, each of which it makes half a second longer."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, *gc.get_threshold()[1:])  # as within launches
    gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # what ends with the process is taken down as without us


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """No test finds launches of another one in the queue."""
    import ptxlab as px

    yield
    px.synchronize(sanitize=False)


@pytest.fixture(autouse=True, scope="session")
def _compile_in_silence() -> None:
    """Which test waits for the compiler first depends on the order of tests: none of them is told."""
    from ptxlab.sim.engine.compiled import progress

    progress.PATIENCE = 86_400.0  # type: ignore[misc]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Say whether the launches of a test are sanitized, also those of processes that it starts."""
    os.environ.pop("PYTEST_ADDOPTS", None)  # the options of this run are not for a run of pytest that a test starts
    if _ASKED:
        return
    marker = item.get_closest_marker("ptxlab")
    folder = item.path.relative_to(_HERE).as_posix() + "/"
    if marker.kwargs["sanitize"] if marker is not None else folder.startswith(tuple(f"{f}/" for f in _SANITIZED)):
        os.environ.pop(_SWITCH, None)
    else:
        os.environ[_SWITCH] = "0"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.skipped and not item.get_closest_marker("gpu"):
        skips.judge(item.config, report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if report.skipped:
        skips.judge(collector.config, report)
    return report
