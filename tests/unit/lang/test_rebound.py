"""Names of Python that loops and branches bind anew, where the device goes on with the old value."""

from __future__ import annotations

import linecache
import zlib
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic, Severity

HEAD = "def kernel(k, x: px.Ptr[px.f32], out: px.Ptr[px.f32], n: px.u32):\n"


def traced(body: str) -> Any:
    """A kernel of this body; its source can be read."""
    source = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    file = f"/kernels/rebound_{zlib.crc32(source.encode())}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"px": px}
    exec(compile(source, file, "exec"), names)
    return px.kernel(threads=32)(names["kernel"])


def found(body: str) -> list[Diagnostic]:
    return [d for d in px.check(traced(body)) if d.code == "PTX5060"]


@pytest.mark.parametrize(
    ("body", "help"),
    [
        ("t = k.mov.f32(0.0)\nwith k.loop(4) as i:\n    t = t + 1.0  # here", "write `t += …`, or pass d=t"),
        ("t = k.mov.f32(0.0)\nwith k.loop(n): t = k.add.rn.f32(t, 1.0)  # here", "write `t += …`, or pass d=t"),
        ("t = k.mov.f32(0.0)\nwith k.loop(n):\n    u = t * 2.0\n    t = u + 1.0  # here", "write `t += …`, or pass d=t"),
        ("c = k.mov.u32(0)\nwith k.while_(lambda: c < 4):\n    c = c + 1  # here", "write `c += …`, or pass d=c"),
        ("v = k.mov.u32(0)\nwith k.while_(lambda: v < 4):\n    v = k.ld.global_.u32(out[n])  # here", "d=v"),
        ("v = k.mov.f32(0.0)\nwith k.loop(n) as i:\n    k.st.global_.f32(x[i], v)\n    v = k.mov.f32(1.0)  # here", "d=v"),
        ("t = k.mov.f32(0.0)\nwith k.loop(4):\n    with k.if_(n < 4):\n        t = t + 1.0  # here", "d=t"),
        ("t = k.mov.f32(0.0)\nwith k.loop(4):\n    with k.loop(4):\n        t = t + 1.0  # here", "d=t"),
        ("s = 0.0\nwith k.loop(4) as i:\n    s += k.ld.global_.f32(x[i])  # here", "s = k.mov.f32(0.0)"),
        ("s = 0\nwith k.loop(4) as i:\n    k.st.global_.u32(out[i], s)\n    s ^= 1  # here", "s = k.mov.u32(0)"),
        ("w = k.thread\nwith k.loop(4):\n    w = w + 1  # here", "copy it in front of the loop, w = k.mov.u32(w)"),
        ("t = [k.mov.f32(0.0)] * 2\nwith k.loop(4):\n    for j in range(2):\n        t[j] = t[j] + 1.0  # here", "d=t[0]"),
        ("t = [k.mov.f32(0.0)] * 2\nwith k.loop(4):\n    t = [v + 1.0 for v in t]  # here", "d=t[0]"),
        ("p = x.address()\nwith k.loop(4):\n    k.st.global_.u32(p, n)\n    p = p + 4  # here", "pointer[i]"),
        ("a, b = k.mov.u32(1), k.mov.u32(2)\nwith k.loop(4):\n    c = a + b\n    a, b = b, a  # here", "d=a"),
        ("b = 0\nwith k.if_(n < 4):\n    b = 7  # here\nk.st.global_.u32(out[0], b)", "b = k.mov.u32(0)"),
    ],
)  # fmt: skip
def test_what_the_device_does_not_do(body: str, help: str) -> None:
    first, *_ = found(body)
    assert first.severity is Severity.LINT
    assert help in (first.help or "")
    here = next(i for i, line in enumerate(body.split("\n")) if "# here" in line)
    assert first.origin is not None
    assert first.origin.line == here + 2


@pytest.mark.parametrize(
    "body",
    [
        "t = k.mov.f32(0.0)\nwith k.loop(4):\n    t += 1.0",
        "t = k.mov.f32(0.0)\nwith k.loop(4):\n    t = k.add.rn.f32(t, 1.0, d=t)",
        "t = k.mov.f32(0.0)\nwith k.loop(4):\n    u = t + 1.0\n    k.mov.f32(u, d=t)\n    t = u",
        "with k.loop(4) as i:\n    t = i + 1\n    t = t * 2",  # first bound in the loop
        "with k.loop(4) as i: pass\nwith k.loop(4) as i: k.st.global_.u32(out[i], i)",
        "t = k.mov.u32(3)\nwith k.loop(4) as i:\n    t = i * 2\n    k.st.global_.u32(out[t], t)",  # another value
        "row = k.thread\nwith k.loop(4) as i:\n    row = k.thread + i\n    k.st.global_.u32(out[row], i)",
        "t = k.mov.f32(0.0)\nfor _ in range(4):\n    t = t + 1.0",  # Python's own loop
        "j = 0\nwith k.loop(4) as i:\n    for j in range(4): k.st.global_.u32(out[j], i)",
        "a, b = k.mov.u32(1), k.mov.u32(2)\nwith k.loop(4):\n    for _ in range(2):\n        a += b\n        a, b = b, a",
        "b = 0\nwith k.if_(n < 4):\n    b = 7\n    k.st.global_.u32(out[0], b)",
        "size = 0\nwith k.if_(n < 4):\n    size += 16\nk.st.global_.u32(out[0], size)",  # counted while tracing
        "t = [k.mov.f32(0.0)] * 2\nwith k.loop(4) as i:\n    t = [k.ld.global_.f32(x[i]) for t in range(2)]",
    ],
)
def test_what_is_meant(body: str) -> None:
    assert found(body) == []


def test_it_is_said_once_and_at_a_launch() -> None:
    body = "t = k.mov.f32(0.0)\nwith k.loop(4):\n    with k.loop(4):\n        t = t + 1.0\nk.st.global_.f32(out[0], t)"
    (only,) = found(body)
    assert only.message == "`t` is a new register in each pass: the loop begins each pass with the old one, `%f0`"
    array = np.zeros(32, np.float32)
    with pytest.warns(px.PtxWarning, match="PTX5060"):
        px.simulate(traced(body), grid=1, args=[array, array.copy(), 1], sanitize=False)


def test_a_register_that_one_way_writes_names_the_binding() -> None:
    body = "t = k.mov.f32(1.0)\nwith k.if_(k.thread < 4):\n    t = t + 1.0\nk.st.global_.f32(out[k.thread], t)"
    array = np.zeros(32, np.float32)
    report = px.simulate(traced(body), grid=1, args=[array, array.copy(), 1], sanitize=True)
    (only,) = [d for d in report.findings if d.code == "PTX9241"]
    assert "`t` is a new register from line 4 on, in `with k.if_(…):`" in (only.help or "")
    assert "`t += …`" in (only.help or "")
