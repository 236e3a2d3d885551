"""Launches that cannot be: arguments, options, arrays that have moved, memory that is not there. One diagnostic each."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ptxlab as px

TEXT = """
.version 8.0
.target sm_90a
.address_size 64
{variables}
.visible .entry k(.param .u64 a, .param .align 64 .b8 m[128])
{{
    .reg .b64 %rd<4>; .reg .b32 %r<4>;
    {body}
    ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], 1;
    ret;
}}
"""


def kernel(body: str = "", variables: str = "") -> px.Kernel:
    return px.parse(TEXT.format(body=body, variables=variables))["k"]


def refused(how: dict[str, Any], *, body: str = "", variables: str = "", of: Any = None) -> px.Diagnostic:
    """The diagnostic for a launch; nothing has been written."""
    a = np.zeros(64, np.uint32)
    given = {"grid": 1, "block": 32, "args": [a, px.tensor_map(px.empty((8, 8), np.float32), box=(8, 8))], **how}
    with pytest.raises(px.Diagnostic) as caught:
        px.simulate(kernel(body, variables) if of is None else of, **given)
    assert not a.any()
    assert caught.value.__cause__ is None
    assert caught.value.help
    return caught.value


OPTIONS: list[tuple[dict[str, Any], str, str]] = [
    ({"max_instructions": 0}, "PTX2501", "max_instructions=0"),
    ({"max_instructions": -3}, "PTX2501", "max_instructions=-3"),
    ({"max_instructions": 1.5}, "PTX2501", "max_instructions=1.5"),
    ({"max_instructions": "all"}, "PTX2501", "max_instructions='all'"),
    ({"schedule": None}, "PTX2501", "None is no schedule"),
    ({"seed": "x"}, "PTX2501", "seed='x'"),
    ({"seed": -1}, "PTX2501", "seed=-1"),
    ({"seed": 1 << 64}, "PTX2501", "is no seed"),
    ({"seed": None}, "PTX2501", "seed=None"),
    ({"progress": 3}, "PTX2501", "progress=3"),
    ({"buffers": 3}, "PTX2306", "buffers= wants a list, not an int"),
    ({"buffers": np.zeros(4)}, "PTX2306", "buffers= wants a list, not a float64 array of 4"),
    ({"buffers": [3]}, "PTX2306", "buffers[0] is no array, but 3"),
    ({"args": None}, "PTX2301", "args= wants a list"),
    ({"args": np.zeros(4)}, "PTX2301", "args= wants a list, not a float64 array of 4"),
    ({"args": "ab"}, "PTX2301", "args= wants a list, not a str"),
]


@pytest.mark.parametrize(("how", "code", "words"), OPTIONS)
def test_options_and_lists(how: dict[str, Any], code: str, words: str) -> None:
    found = refused(how)
    assert (found.code, words in found.message) == (code, True)
    assert found.origin is not None
    assert found.origin.file.endswith("test_bad_launch.py")


@pytest.mark.parametrize("options", [{"max_instructions": 0}, {"seed": "x"}, {"schedule": "soon"}])
def test_a_debugger_takes_no_other_options(options: dict[str, Any]) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        px.debug(kernel(), grid=1, block=32, args=[np.zeros(64, np.uint32), np.zeros(16)], **options)
    assert caught.value.code in ("PTX2501", "PTX2302")


@pytest.mark.parametrize("thing", ["k", None, px.parse(TEXT.format(body="", variables=""))])
def test_only_kernels_are_launched(thing: Any) -> None:
    if thing is not None:
        assert refused({}, of=thing).code == "PTX2322"
    with pytest.raises(px.Diagnostic) as caught:
        px.debug(thing, grid=1)
    assert caught.value.code == "PTX2322"


def test_numpys_integers_are_options_too() -> None:
    a = np.zeros(64, np.uint32)
    m = px.tensor_map(px.empty((8, 8), np.float32), box=(8, 8))
    px.simulate(kernel(), grid=1, block=32, args=[a, m], seed=np.int64(3), max_instructions=np.uint32(10_000))
    assert a.sum() == 32


def test_more_local_memory_than_there_is() -> None:
    body = ".local .align 4 .b8 mine[4000000000]; mov.u64 %rd3, mine; st.local.u32 [%rd3], 1;"
    found = refused({"block": 1024}, body=body)
    assert found.code == "PTX9021"
    assert "1024 threads of a CTA have 4000000000 bytes" in found.message


def test_more_global_memory_than_there_is() -> None:
    found = refused({}, body="mov.u64 %rd3, g; st.global.u32 [%rd3], 1;", variables=".global .b8 g[90000000000000];")
    assert (found.code, "`g`" in found.message) == ("PTX2323", True)


@pytest.mark.parametrize(
    ("shape", "code"), [(1 << 46, "PTX2323"), (-4, "PTX2305"), ("x", "PTX2305"), (1.5, "PTX2305"), ((2, -1), "PTX2305")]
)
def test_arrays_that_cannot_be(shape: Any, code: str) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        px.empty(shape, "u8")
    assert caught.value.code == code
    with pytest.raises(px.Diagnostic) as caught:
        px.empty(4, "u8", align="x")  # type: ignore[arg-type]
    assert caught.value.code == "PTX2305"


# --- arrays that are not any more what they were ---------------------------------------------------------------------
def test_a_tensor_map_keeps_its_array() -> None:
    made = px.tensor_map(px.empty((8, 8), np.float32), box=(8, 8))
    px.simulate(kernel(), grid=1, block=32, args=[np.zeros(64, np.uint32), made])


def test_a_tensor_map_whose_array_was_reshaped() -> None:
    x = np.zeros((8, 8), np.float32)
    made = px.tensor_map(x, box=(8, 8))
    with warnings.catch_warnings():  # NumPy does not want this any more, and people do it
        warnings.simplefilter("ignore", DeprecationWarning)
        x.shape = (4, 16)
    found = refused({"args": [np.zeros(64, np.uint32), made]})
    assert (found.code, "was 8×8 and is 4×16" in found.message) == ("PTX2321", True)


def test_a_tensor_map_whose_array_was_moved() -> None:
    x = np.zeros((8, 8), np.float32)
    made = px.tensor_map(x, box=(8, 8))
    x.resize((4096, 64), refcheck=False)
    assert refused({"args": [np.zeros(64, np.uint32), made]}).code == "PTX2321"


def test_a_view_whose_memory_is_gone() -> None:
    owner = np.zeros(1 << 16, np.uint32)
    part = owner[1 << 15 :]
    made = px.tensor_map(part.reshape(64, 512), box=(8, 8), dtype="u32")
    owner.resize(16, refcheck=False)
    for args in ([part, made], [np.zeros(64, np.uint32), made]):
        found = refused({"args": args})
        assert (found.code, "has been resized" in found.message) == ("PTX2321", True)
    found = refused({"buffers": [part]})
    assert found.code == "PTX2321"


def test_a_part_of_an_array_that_is_named_by_a_view_has_not_moved() -> None:
    from dataclasses import replace

    from ptxlab.launch.arrays import view

    a = px.empty(96, np.uint32)
    a[:] = 0
    part = replace(view(a), address=view(a).address + 4 * 16, shape=(64,))
    m = px.tensor_map(px.empty((8, 8), np.float32), box=(8, 8))
    kernel().prepare(grid=1, block=32, args=[part, m])()
    assert a.nonzero()[0].tolist() == list(range(16, 48))


def test_a_prepared_launch_finds_its_array_moved() -> None:
    a = np.zeros(64, np.uint32)
    m = px.tensor_map(px.empty((8, 8), np.float32), box=(8, 8))
    prepared = kernel().prepare(grid=1, block=32, args=[a, m])
    prepared()
    assert a.sum() == 32
    a.resize(1 << 20, refcheck=False)
    with pytest.raises(px.Diagnostic) as caught:
        prepared()
    assert (caught.value.code, "`a`" in caught.value.message) == ("PTX2321", True)


@px.kernel(target="sm_90a", threads=32)
def scaled(k, x: px.Ptr[px.f32], a: px.f32, *, n: int = 1):
    i = k.tid.x
    k.st.global_.f32(x[i], k.mul.rn.f32(k.ld.global_.f32(x[i]), a))


def test_arguments_have_no_names() -> None:
    x = np.ones(32, np.float32)
    with pytest.raises(px.Diagnostic, match="`a`: that is a parameter") as caught:
        scaled[1](x, a=2.0)
    assert caught.value.help == "give the arguments in order and without names: x, a"
    with pytest.raises(px.Diagnostic, match="no constant `m`") as caught:
        scaled[1](x, 2.0, m=2)
    assert caught.value.help == "its constants are: n"


@pytest.mark.parametrize("options", [{"sanitize": "maybe"}, {"client": 3}, {"schedule": "lazy"}, {"workers": -1}])
def test_options_that_cannot_be_are_shown_at_the_launch(options: dict[str, Any]) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        px.simulate(scaled, grid=1, args=[np.ones(32, np.float32), 2.0], **options)
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


@pytest.mark.parametrize(
    ("template", "help"),
    [
        ("x is {}\n", "write printf's conversions, such as %d and %f, not Python's braces"),
        ("x is %u %u\n", "give one value for each conversion; %% is a per cent sign"),
    ],
)
def test_formats_that_are_none(template: str, help: str) -> None:
    @px.kernel(target="sm_90a", threads=1)
    def printing(k, x: px.Ptr[px.u32]):
        k.print(template, k.ld.global_.u32(x[0]))

    with pytest.raises(px.Diagnostic) as caught:
        printing[1](np.zeros(1, np.uint32))
    assert (caught.value.code, caught.value.help) == ("PTX2221", help)


def test_an_f_string_is_no_format() -> None:
    @px.kernel(target="sm_90a", threads=1)
    def printing(k):
        k.print(f"thread {k.tid.x}\n")

    with pytest.raises(px.Diagnostic) as caught:
        printing[1]()
    assert caught.value.code == "PTX2221"
    assert "an f-string has the register's name in it" in str(caught.value.help)
