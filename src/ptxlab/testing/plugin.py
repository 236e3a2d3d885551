"""The plugin's marker says whether the launches of a test, a class or a module are sanitized: True, False or "strict".

It goes before `--ptxlab-sanitize`, `--no-ptxlab-sanitize` and `ptxlab_sanitize` in the ini file, and these before PTXLAB_SANITIZE.

Example:
    import pytest

    @px.kernel(threads=32)
    def fill(k, x: px.Ptr[px.u32]):
        k.st.global_.u32(x[k.tid.x], 1)

    @pytest.mark.ptxlab(sanitize=True)
    def test_fill():
        x = np.zeros(32, np.uint32)
        fill[1](x)  # a race in it would fail the test
        assert x.all()
"""

# pytest imports this module in every run of every project that has ptxlab installed, so it imports nothing that takes time.

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from ptxlab.abi.sanitizing import Sanitize, Watcher, wanted, watching

if TYPE_CHECKING:
    from ptxlab.diag import Diagnostic
    from ptxlab.sim.report.certificate import Certificate
    from ptxlab.sim.report.report import Report
    from ptxlab.verification.verdict import Verification

UNUSED: Final = "PTX9280"
Key = tuple[str, int, str]
"""A suppression: its file and line, and the code."""


@dataclass(slots=True)
class _Suppressions:
    """Those that have matched in no launch so far, as text, and those that have."""

    idle: dict[Key, str] = field(default_factory=dict[Key, str])
    matched: set[Key] = field(default_factory=set[Key])

    def add(self, report: Report) -> None:
        """What a launch says of them."""
        self.matched |= {(s.place.file, s.place.line, s.finding.code) for s in report.suppressed}
        for d in report.findings:
            if d.code == UNUSED and d.origin is not None:
                self.idle[d.origin.file, d.origin.line, d.message.split()[0]] = str(d)

    def merge(self, idle: dict[Key, str], matched: set[Key]) -> None:
        """What another process says of them."""
        self.idle |= idle
        self.matched |= matched

    def unused(self) -> list[str]:
        """Those that have never matched."""
        return [text for key, text in self.idle.items() if key not in self.matched]


@dataclass(slots=True)
class _Test:
    """A test that runs.

    Attributes:
        sanitize: whether its launches are. findings: of its launches so far. collected: whether it looks at them itself.
        verdicts, certificates: of its fixtures, as data. launches: that have come to their end.
    """

    sanitize: Sanitize
    findings: list[Diagnostic] = field(default_factory=list["Diagnostic"])
    collected: bool = False
    verdicts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    certificates: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    launches: int = 0


_SUPPRESSIONS = pytest.StashKey[_Suppressions]()
_TEST = pytest.StashKey[_Test]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxlab")
    for flag, value, what in (
        ("--ptxlab-sanitize", True, "sanitize simulated launches; what is found fails the test"),
        ("--no-ptxlab-sanitize", False, "do not sanitize simulated launches"),
    ):
        group.addoption(flag, action="store_const", const=value, dest="ptxlab_sanitize", help=what)
    group.addoption(
        "--ptx-report",
        metavar="DIR",
        help="write what is found in each test that launches kernels, as JSON, into this folder",
    )
    parser.addini("ptxlab_sanitize", "sanitize the simulated launches of tests", type="bool", default=None)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_SUPPRESSIONS] = _Suppressions()
    config.addinivalue_line("markers", "ptxlab(sanitize): whether the simulated launches of a test are sanitized")


@pytest.fixture
def ptxlab_findings(request: pytest.FixtureRequest) -> list[Diagnostic]:
    """What is found in the launches of this test, so far. A test that has it looks at its findings itself: they do not fail it.

    Example:
        @px.kernel(threads=64)
        def racy(k, x: px.Ptr[px.u32]):
            k.st.global_.u32(x[0], k.tid.x)

        def test_that_the_race_is_found(ptxlab_findings):
            px.simulate(racy, grid=1, args=[np.zeros(1, np.uint32)])
            assert "PTX9200" in [d.code for d in ptxlab_findings]
    """
    item: pytest.Item = request.node
    test = item.stash[_TEST]
    test.collected = True
    return test.findings


@pytest.fixture
def ptx_verify(request: pytest.FixtureRequest) -> Callable[..., Verification]:
    """`px.verify`, which fails the test where the verdict is not "equal". It returns what `px.verify` returns.

    Example:
        @px.kernel(threads=64)
        def double(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
            k.st.global_.f32(y[k.tid.x], k.ld.global_.f32(x[k.tid.x]) * 2.0)

        SPEC = px.Spec(lambda: px.case([px.Input("f32", 64), px.Output("f32", 64)], grid=1))

        def test_double(ptx_verify):
            ptx_verify(double, lambda x: x * 2, SPEC)
    """
    test: _Test = request.node.stash[_TEST]

    def verified(*args: Any, **options: Any) -> Verification:
        __tracebackhide__ = True
        from ptxlab.verification.judge import verify

        found = verify(*args, **options)
        test.verdicts.append(found.data)
        if not found:
            pytest.fail(str(found), pytrace=False)
        return found

    return verified


@pytest.fixture
def ptx_certify(request: pytest.FixtureRequest) -> Callable[..., Certificate]:
    """`px.certify`, which fails the test where nothing is proved, with the reasons. It returns the certificate.

    Example:
        @px.kernel(threads=64)
        def double(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
            k.st.global_.f32(y[k.tid.x], k.ld.global_.f32(x[k.tid.x]) * 2.0)

        def test_double(ptx_certify):
            x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
            assert ptx_certify(double, grid=1, args=[x, y]).any_data
    """
    test: _Test = request.node.stash[_TEST]

    def certified(*args: Any, **options: Any) -> Certificate:
        __tracebackhide__ = True
        from ptxlab.launch.certify import certify

        with watching(Watcher(None, lambda report: None, quiet=True)):  # what it finds is a reason
            found = certify(*args, **options)
        test.certificates.append(found.data)
        if not found:
            pytest.fail(str(found), pytrace=False)
        return found

    return certified


def _sanitized(item: pytest.Item) -> Sanitize:
    marker = item.get_closest_marker("ptxlab")
    if marker is not None:
        said = marker.kwargs.get("sanitize")
        if marker.args or set(marker.kwargs) != {"sanitize"} or not (isinstance(said, bool) or said == "strict"):
            raise pytest.UsageError(f'{item.nodeid}: write @pytest.mark.ptxlab(sanitize=False), or True, or "strict"')
        return "strict" if said == "strict" else bool(said)
    for choice in (item.config.getoption("ptxlab_sanitize"), item.config.getini("ptxlab_sanitize")):
        if choice is not None:
            return bool(choice)
    return wanted()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[_TEST] = _Test(_sanitized(item))
    with _phase(item, "setup"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    with _phase(item, "call"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    try:
        with _phase(item, "teardown"):
            return (yield)
    finally:
        folder = item.config.getoption("ptx_report")
        if folder:
            _report(item, Path(folder))


def _report(item: pytest.Item, folder: Path) -> None:
    """A file of a test that has launched something."""
    test = item.stash.get(_TEST, None)
    if test is None or not (test.launches or test.findings or test.verdicts or test.certificates):
        return
    from ptxlab.checks.formats import as_data

    folder.mkdir(parents=True, exist_ok=True)
    document = {
        "version": 1,
        "test": item.nodeid,
        "launches": test.launches,
        "findings": test.findings,
        "verdicts": test.verdicts,
        "certificates": test.certificates,
    }
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", item.nodeid).strip("-")[-150:]
    (folder / f"{name}.json").write_text(json.dumps(document, indent=2, default=as_data) + "\n", encoding="utf-8")


@contextmanager
def _phase(item: pytest.Item, when: str) -> Generator[None]:
    """Watch the launches of a phase. What is found fails it, or is shown beside the failure that it has anyway."""
    test = item.stash.get(_TEST, None) or _Test(False)
    if not test.sanitize and not _switched(item):
        yield
        return
    before = len(test.findings)

    def told(report: Report) -> None:
        test.launches += 1
        test.findings += report.findings
        item.config.stash[_SUPPRESSIONS].add(report)

    try:
        with watching(Watcher(test.sanitize, told if test.sanitize else lambda report: None)):
            yield
    except BaseException:
        text = "" if test.collected else _text(test.findings[before:])
        if text:
            item.add_report_section(when, "findings", text)
        raise
    text = "" if test.collected else _text(test.findings[before:])
    if text:
        pytest.fail(text, pytrace=False)


def _switched(item: pytest.Item) -> bool:
    """Whether somebody has turned the sanitizer off here, which must hold for launches that leave it open."""
    return bool(wanted()) or item.get_closest_marker("ptxlab") is not None


def _text(findings: list[Diagnostic]) -> str:
    """The errors among the findings, each once."""
    errors = list(dict.fromkeys(d for d in findings if d.severity == "error"))
    if not errors:
        return ""
    codes = ", ".join(dict.fromkeys(d.code for d in errors))  # first: pytest's summary shows the beginning alone
    title = f"{codes}: {len(errors)} finding{'s' if len(errors) > 1 else ''} in simulated launches of this test"
    return "\n\n".join((title, *map(str, errors)))


# --- suppressions of the whole run --------------------------------------------------------------------------------------
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands over what it knows."""
    out: Any = getattr(session.config, "workeroutput", None)
    if out is not None:
        known = session.config.stash[_SUPPRESSIONS]
        out["ptxlab"] = ([[*key, text] for key, text in known.idle.items()], [list(key) for key in known.matched])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker of pytest-xdist knows."""
    del error
    idle, matched = getattr(node, "workeroutput", {}).get("ptxlab", ([], []))
    texts = {(file, line, code): text for file, line, code, text in idle}
    node.config.stash[_SUPPRESSIONS].merge(texts, {(file, line, code) for file, line, code in matched})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    unused = config.stash[_SUPPRESSIONS].unused()
    if unused:
        terminalreporter.section("suppressions that no launch needs")
        terminalreporter.write_line("\n\n".join(unused))
