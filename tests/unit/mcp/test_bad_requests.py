"""What a request may not be gives one diagnostic with a code and the way out, and the next request is answered."""

from __future__ import annotations

from typing import Any

import pytest
from driven import COUNTED, DOUBLE, RACE, WORDS64, Driven, code
from mcp.shared.exceptions import MCPError

from ptxlab.mcp.limits import TEXT

FLOOD = """
import ptxlab as px


@px.kernel(threads=128)
def flood(k, x: px.Ptr[px.u32]):
    for i in range(64):
        k.print("%d of a kernel that prints and prints and prints and prints\\n", k.tid.x)
"""
ENDLESS = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry spin() .reqntid 32, 1, 1 {
    .reg .u32 %r<2>;
    mov.u32 %r0, 0;
again:
    add.u32 %r0, %r0, 1;
    bra again;
}
"""
FINE = {"ptx": RACE, "args": WORDS64}


def out(**array: Any) -> dict[str, Any]:
    """A request whose array is this."""
    return {"ptx": RACE, "args": {"out": {"array": "u32", "shape": [64], **array}}}


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "schema": ("simulate", {**FINE, "schema": "ptxlab.mcp/2"}, "PTX2602"),
    "no source": ("simulate", {"args": WORDS64}, "PTX2601"),
    "two sources": ("simulate", {**FINE, "python": DOUBLE}, "PTX2601"),
    "unknown argument": ("simulate", {**FINE, "gridd": 2}, "PTX2601"),
    "entry": ("simulate", {**FINE, "entry": "rice"}, "PTX2300"),
    "grid": ("simulate", {**FINE, "grid": "many"}, "PTX2601"),
    "grid of four": ("simulate", {**FINE, "grid": [1, 1, 1, 1]}, "PTX2601"),
    "grid of none": ("simulate", {**FINE, "grid": 0}, "PTX2001"),
    "schedule": ("simulate", {**FINE, "schedule": "soon"}, "PTX2601"),
    "parameter": ("simulate", {"ptx": RACE, "args": {"in": COUNTED}}, "PTX2601"),
    "number of arguments": ("simulate", {"ptx": RACE, "args": []}, "PTX2301"),
    "argument": ("simulate", {"ptx": RACE, "args": ["out"]}, "PTX2601"),
    "dtype": ("simulate", out(array="u33"), "PTX2307"),
    "shape": ("simulate", out(shape=[-1]), "PTX2601"),
    "too few values": ("simulate", out(values=[1, 2, 3]), "PTX2601"),
    "ragged values": ("simulate", out(values=[[1, 2], [3]]), "PTX2601"),
    "values that are no numbers": ("simulate", out(values=["a"] * 64), "PTX2601"),
    "values that do not fit": ("simulate", out(values=[-1] * 64), "PTX2601"),
    "nan": ("simulate", out(fill="nan"), "PTX2601"),
    "base64": ("simulate", out(base64="???"), "PTX2601"),
    "base64 of another size": ("simulate", out(base64="AAAA"), "PTX2601"),
    "two contents": ("simulate", out(fill=1, base64="AAAA"), "PTX2601"),
    "scalar": ("simulate", {"ptx": RACE, "args": [{"scalar": "u8", "value": 300}]}, "PTX2601"),
    "same": ("simulate", {"ptx": RACE, "args": [{"same": "x"}]}, "PTX2601"),
    "reference and expected": ("compare", {**FINE, "expected": WORDS64, "reference": "x = 1"}, "PTX2601"),
    "expected parameter": ("compare", {**FINE, "expected": {"x": COUNTED}}, "PTX2601"),
    "python": ("simulate", {"python": "import", "args": []}, "PTX2505"),
    "python without kernels": ("simulate", {"python": "x = 1", "args": []}, "PTX2601"),
    "python that exits": ("check", {"python": "raise SystemExit(3)"}, "PTX2505"),
    "text": ("simulate", {"ptx": "hello", "args": []}, "PTX0001"),
    "zeros": ("check", {"ptx": "\0"}, "PTX0001"),
    "what": ("explain", {}, "PTX2601"),
    "nobody": ("explain", {"what": 5}, "PTX2601"),
    "shared memory": ("simulate", {**FINE, "shared": 2 << 30}, "PTX2010"),
    "array of a terabyte": ("simulate", out(shape=[1 << 38]), "PTX2323"),
    "text of 10 MB": ("check", {"ptx": "// " + "x" * 10_000_000}, "PTX2504"),
    "braces": (
        "check",
        {"ptx": ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() " + "{" * 1_000_000},
        "PTX0001",
    ),
    "brackets": ("simulate", {"python": "(" * 1_000_000, "args": []}, "PTX2505"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_diagnostic(http: Driven, name: str) -> None:
    tool, arguments, expected = WRONG[name]
    result = http.raw(tool, **arguments)
    answer = result.structured_content
    assert code(answer) == expected
    assert "Traceback" not in str(answer)
    if expected.startswith("PTX2") and tool != "check":
        assert (result.is_error, answer["status"], len(answer["findings"])) == (True, "refused", 1)
        assert answer["findings"][0]["help"]


def test_the_place_of_a_mistake_is_named(http: Driven) -> None:
    (found,) = http.call("simulate", **out(shape=["a"]))["findings"]
    assert found["message"].startswith("args.out.shape.0: Input should be a valid integer")
    (found,) = http.call("simulate", **FINE, gridd=2)["findings"]
    assert found["message"] == "gridd: Extra inputs are not permitted."
    assert "grid, block" in found["help"]
    (found,) = http.call("simulate", **out(array=None))["findings"]
    assert found["message"] == "args.out.array: Input should be a valid string."


def test_a_tool_that_there_is_not(server: Driven) -> None:
    with pytest.raises(MCPError, match="There is no tool 'run': check, explain"):
        server.call("run")
    assert server.call("check", ptx=RACE)["status"] == "clean"


def test_a_number_of_many_digits(stdio: Driven) -> None:
    with pytest.raises(MCPError, match="No message"):
        stdio.call("simulate", **out(fill=10**5000))
    assert code(stdio.call("simulate", **out(fill=10**300))) == "PTX2601"


def test_deep_values(server: Driven) -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    assert code(server.call("simulate", **out(values=deep))) == "PTX2601"
    assert server.call("check", ptx=RACE)["status"] == "clean"


LIMITED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a kernel that never ends": ("simulate", {"ptx": ENDLESS}, "PTX2604"),
    "a kernel of a number of instructions": ("simulate", {"ptx": ENDLESS, "max_instructions": 1_000_000}, "PTX9005"),
    "a grid of a thousand million": (
        "simulate",
        {"ptx": ENDLESS.replace("bra again", "ret"), "grid": 1_000_000_000},
        "",
    ),
    "python that never ends": ("check", {"python": "while True: pass"}, "PTX2604"),
    "python that sleeps": ("check", {"python": "import time; time.sleep(100)"}, "PTX2604"),
    "memory": ("simulate", {"python": "x = bytearray(8 << 30)"}, "PTX2605"),
    "a crash": ("check", {"python": "import ctypes; ctypes.string_at(0)"}, "PTX2606"),
    "an exit": ("check", {"python": "import os; os._exit(3)"}, "PTX2606"),
    "an answer": ("simulate", {**out(shape=[1 << 20]), "outputs": "base64"}, "PTX2607"),
}


@pytest.mark.parametrize("name", LIMITED)
def test_limits(limited: Driven, name: str) -> None:
    tool, arguments, expected = LIMITED[name]
    answer = limited.call(tool, **arguments)
    assert code(answer) == expected or (not expected and code(answer) in ("PTX2604", "PTX9005"))
    assert answer["findings"][0]["help"]
    assert code(limited.call("simulate", **FINE)) == "PTX9200"


def test_a_kernel_that_floods_printf(http: Driven) -> None:
    answer = http.call("simulate", python=FLOOD, args=[COUNTED], sanitize=False)
    assert len(answer["printed"]) == 16_384
    assert answer["printed"].startswith("0 of a kernel that prints")


def test_the_limit_of_text_is_below_that_of_requests() -> None:
    from ptxlab.mcp.limits import REQUEST

    assert TEXT < 10_000_000 < REQUEST
