"""The passes over a whole module: rules, targets, launch directives, resources."""

from __future__ import annotations

from functools import partial

import pytest

from ptxlab.checks import check as check_all
from ptxlab.diag import Severity

check = partial(check_all, lints=False)  # these programs are mere fragments


def module(body: str = "ret;", directives: str = "", version: str = "8.0", target: str = "sm_90a") -> str:
    registers = ".reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<130>;"
    return (
        f".version {version}\n.target {target}\n.address_size 64\n"
        f".visible .entry k(.param .u64 a)\n{directives}\n{{ {registers}\n{body}\n}}\n"
    )


def codes(source: str, target: str | None = None) -> list[str]:
    return [d.code for d in check(source, target)]


def test_nothing_wrong() -> None:
    assert (
        check(module("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;\nret;", ".reqntid 128"))
        == []
    )


def test_findings_have_place_help_and_section() -> None:
    found = check(module("cp.async.cg.shared.global [%r1], [%rd1], 4;\nret;"), file="k.ptx")
    assert [d.code for d in found] == ["PTX0212"]
    assert str(found[0].span) == "k.ptx:7:1"
    assert found[0].help
    assert found[0].isa == "cp.async"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("cp.async.cg.shared.global [%r1], [%rd1], 4;", ["PTX0212"]),
        ("setmaxnreg.inc.sync.aligned.u32 30;", ["PTX0107"]),
        ("add.f32 %r1, %rd1, %rd1;", ["PTX0105"]),
        ("setp.lt.b32 %p1, %r1, %r2;", ["PTX0302"]),
        ("cvt.f32.f64 %f1, 0d3FF0000000000000;", ["PTX0306"]),
        ("mul.lo.u32 %r1, %r2, 0x1FFFFFFFF;", ["PTX0107"]),
        ("ld.global.u32 %r1, [%f1];", ["PTX0105"]),
        ("ld.shared.u32 %r1, [a];", ["PTX0108"]),
        ("st.param.u32 [a], %r1;", ["PTX0108"]),
        ("ld.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];", ["PTX1001", "PTX1002"]),
    ],
)
def test_instructions(body: str, expected: list[str]) -> None:
    directives = ".maxnreg 128" if "setmaxnreg" in body else ""
    assert codes(module(body, directives)) == expected


def test_an_immediate_that_loses_bits_is_a_warning() -> None:
    (found,) = check(module("mov.u16 %h, 0x12345;".replace("%h", "h").replace("mov", ".reg .b16 h; mov")))
    assert (found.code, found.severity) == ("PTX0107", Severity.WARNING)


@pytest.mark.parametrize(
    ("version", "target", "expected"),
    [
        ("8.0", "sm_90a", []),
        ("8.0", "sm_80", ["PTX1001"]),
        ("7.8", "sm_90a", ["PTX1004"]),
        ("8.0", "sm_90", []),
        ("8.0", "sm_31415", ["PTX1003"]),
        ("8.0", "gpu", ["PTX1003"]),
    ],
)
def test_targets(version: str, target: str, expected: list[str]) -> None:
    assert codes(module("barrier.cluster.arrive;\nret;", version=version, target=target)) == expected


def test_another_target_on_demand() -> None:
    source = module("fence.acq_rel.cluster;")
    assert codes(source) == []
    assert codes(source, "sm_80") == ["PTX1001"]


def test_what_the_target_lacks_is_said_once() -> None:
    (found,) = check(
        module("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.arrive;\nret;", target="sm_80")
    )
    assert (found.code, found.notes) == ("PTX1001", ("and at 2 more places",))


def test_special_registers_have_targets_too() -> None:
    assert codes(module("mov.u32 %r1, %cluster_ctarank;")) == []
    assert codes(module("mov.u32 %r1, %cluster_ctarank;", target="sm_80")) == ["PTX1005"]
    assert codes(module("mov.u32 %r1, %aggr_smem_size;")) == ["PTX1005"]


@pytest.mark.parametrize(
    ("directives", "expected"),
    [
        (".reqntid 128", []),
        (".reqntid 128, 2, 4", []),
        (".reqntid 2048", ["PTX2020"]),
        (".maxntid 0", ["PTX2020"]),
        (".reqntid 1, 1, 1, 1", ["PTX2020"]),
        (".maxnreg", ["PTX2020"]),
        (".explicitcluster 1", ["PTX2020"]),
        (".noreturn", ["PTX2021"]),
        (".maxnreg 8", ["PTX2022"]),
        (".maxnreg 168", []),
        (".reqntid 128 .maxntid 128", ["PTX2021"]),
        (".minnctapersm 2", ["PTX2022"]),
        (".maxntid 128 .minnctapersm 2", []),
        (".reqnctapercluster 2, 1, 1", []),
        (".reqnctapercluster 2 .explicitcluster", []),
        (".reqnctapercluster 2 .maxclusterrank 4", ["PTX2021"]),
        (".reqnctapercluster 0", ["PTX2020"]),
        (".reqnctapercluster 3, 3", ["PTX2024"]),
        (".reqnctapercluster 17", ["PTX2020"]),
        (".maxclusterrank 8", []),
    ],
)
def test_launch_directives(directives: str, expected: list[str]) -> None:
    assert codes(module(directives=directives)) == expected


def test_clusters_need_hopper() -> None:
    assert codes(module(directives=".reqnctapercluster 2", target="sm_80")) == ["PTX2025"]


@pytest.mark.parametrize(
    ("directives", "expected"),
    [
        ("", ["PTX2023"]),
        (".reqntid 384", ["PTX2023"]),
        (".maxnreg 168", []),
        (".reqntid 384 .minnctapersm 1", []),
        (".maxntid 384 .minnctapersm 1", []),
    ],
)
def test_setmaxnreg_wants_a_register_cap(directives: str, expected: list[str]) -> None:
    found = check(module("setmaxnreg.inc.sync.aligned.u32 232;\nsetmaxnreg.dec.sync.aligned.u32 40;", directives))
    assert [d.code for d in found] == expected
    assert all(d.severity is Severity.WARNING for d in found)


@pytest.mark.parametrize(("size", "expected"), [(232448, []), (232449, ["PTX2010"])])
def test_static_shared_memory(size: int, expected: list[str]) -> None:
    assert codes(module(f".shared .b8 s[{size}];")) == expected
    assert codes(module(f".shared .b8 s[{size}]; mov.u32 %r1, s;")) == expected


def test_text_errors_come_first_and_do_not_hide_the_rest() -> None:
    found = check(module("add.s32 %r1, %r2, %nope;\ncp.async.cg.shared.global [%r1], [%rd1], 4;"))
    assert [d.code for d in found] == ["PTX0010", "PTX0212"]


_FUNCTION = """.version 9.0
.target sm_90a
.address_size 64
.func (.param .b32 r) f(.param .b32 x) {{ .reg .b32 %q; .reg .b64 %a; .reg .pred %p;
.param .b32 own; .param .align 64 .b8 map[128];
{body} ret; }}
.entry k() {{ ret; }}
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("st.param.b32 [x], %q;", "writes `x`, which the function is given"),
        ("ld.param.b32 %q, [r];", "reads `r`, which the function returns"),
        ("mov.u64 %a, own;", "takes the address of `own`"),
        ("prefetch.param.tensormap [map];", "takes the address of `map`"),
        ("@%p st.param.b32 [own], %q;", "stands behind a guard"),
        ("ld.param.b32 %q, [own];", "no call gives a result in it"),
        ("ld.param::entry.b32 %q, [r];", "accesses .param::entry"),
    ],
)
def test_parameters_have_roles(body: str, said: str) -> None:
    (found,) = check(_FUNCTION.format(body=body), lints=False)
    assert found.code == "PTX0108"
    assert said in found.message


def test_a_parameter_of_a_call_that_hides_one_of_the_kernel() -> None:
    found = check(
        module("{ .param .b64 a; st.param.b64 [a], %rd1; call.uni f, (a); }").replace(
            ".visible", ".func f(.param .b64 x) { ret; }\n.visible", 1
        ),
        lints=False,
    )
    assert [d.code for d in found] == ["PTX0108"]
    assert "of the same name" in found[0].message


def test_a_label_that_hides_a_special_register() -> None:
    (found,) = check(module("%tid: mov.u32 %r1, %tid.x;"), lints=False)
    assert (found.code, found.help) == ("PTX0013", "rename the label `%tid`")


def test_numbers_of_barriers_lose_their_upper_bits() -> None:
    (found,) = check(module("bar.sync 4294967297;"), lints=False)
    assert (found.code, found.severity) == ("PTX0107", "warning")
    assert "upper bits are lost" in found.message


def test_what_a_function_may_do_with_parameters() -> None:
    body = "ld.param.b32 %q, [x]; st.param.b32 [own], %q; call (own), f, (own); ld.param.b32 %q, [own]; st.param.b32 [r], %q;"
    assert check(_FUNCTION.format(body=body), lints=False) == []


@pytest.mark.parametrize(
    ("target", "size", "codes"),
    [
        ("sm_90", 49_152, []),
        ("sm_90", 49_153, ["PTX2010"]),
        ("sm_90a", 232_448, []),
        ("sm_90a", 232_449, ["PTX2010"]),
        ("sm_120a", 101_377, ["PTX2010"]),
    ],
)
def test_static_shared_memory_of_each_target(target: str, size: int, codes: list[str]) -> None:
    text = f".version 9.0\n.target {target}\n.address_size 64\n.entry k() {{ .shared .b8 a[{size}]; ret; }}\n"
    assert [d.code for d in check(text, lints=False)] == codes


def _module(body: str, options: str = "", outside: str = "") -> str:
    registers = ".reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<4>; .reg .s32 %s<2>;"
    return f".version 9.0\n.target sm_90{options}\n{outside}\n.entry k() {{ {registers} {body} ret; }}\n"


_EIGHT_HALVES = "{%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"ld.global.v8.b16 {_EIGHT_HALVES}, [%rd1];", [("PTX0310", "error")]),
        (f"ld.relaxed.gpu.v8.u8 {_EIGHT_HALVES}, [%rd1];", [("PTX0310", "error")]),
        (f"st.global.v8.b16 [%rd1], {_EIGHT_HALVES};", [("PTX0310", "warning")]),
        ("ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%rd1];", []),
    ],
)
def test_eight_narrow_elements(body: str, expected: list[tuple[str, str]]) -> None:
    assert [(d.code, str(d.severity)) for d in check(_module(body), lints=False)] == expected


_TEXELS = "{%f1, %f2, %f3, %f4}"


@pytest.mark.parametrize(
    ("lookup", "taken"),
    [
        (f"tex.2d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {{%f5, %f6}}];", True),
        (f"tex.3d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {_TEXELS}];", True),
        (f"tex.a2d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {{%r1, %f5, %f6, %f7}}];", False),
        (f"tex.cube.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {_TEXELS}];", False),
        (f"tex.level.cube.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {_TEXELS}], %f8;", True),
        (f"tex.level.3d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {_TEXELS}], %f8;", False),
        (f"tex.level.2d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {{%f5, %f6}}], %f8, {{%r1, %r2}};", False),
        (f"tex.grad.1d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {{%f5}}], {{%f6}}, {{%f7}};", True),
        (f"tex.grad.1d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {{%f5}}], {{%f6}}, {{%f7}}, %f8;", False),
        (f"tld4.r.a2d.v4.f32.f32 {_TEXELS}, [%rd1, %rd2, {{%r1, %f5, %f6, %f7}}];", False),
    ],
)
def test_samplers_of_modules_that_keep_them_in_textures(lookup: str, taken: bool) -> None:
    assert [d.code for d in check(_module(lookup), lints=False)] == ([] if taken else ["PTX0104"])
    assert check(_module(lookup, ", texmode_independent"), lints=False) == []


@pytest.mark.parametrize(("offset", "expected"), [("{%s1}", []), ("{%r1}", []), ("{3}", []), ("%s1", ["PTX0104"])])
def test_an_offset_beside_slopes_and_a_depth_stands_in_braces(offset: str, expected: list[str]) -> None:
    lookup = f"tex.grad.1d.v4.f32.f32 {_TEXELS}, [%rd1, {{%f5}}], {{%f6}}, {{%f7}}, {offset}, %f8;"
    assert [d.code for d in check(_module(lookup), lints=False)] == expected


@pytest.mark.parametrize(("directive", "most"), [(".abi_preserve", 239), (".abi_preserve_control", 11)])
def test_registers_that_callers_find_again(directive: str, most: int) -> None:
    for form in (".func f() {} {} {{ ret; }}", ".extern .func f() {} {};"):
        assert check(_module("", outside=form.format(directive, most)), lints=False) == []
        found = check(_module("", outside=form.format(directive, most + 1)), lints=False)
        assert [(d.code, str(most) in (d.help or "")) for d in found] == [("PTX2020", True)]


_HOPPER = ".entry k() { barrier.cluster.arrive; ret; }"
_LOOKUP = f".entry k() {{ .reg .f32 %f<9>; .reg .b64 %rd<2>; tex.1d.v4.f32.f32 {_TEXELS}, [%rd1, {{%f5}}]; ret; }}"


@pytest.mark.parametrize(
    ("headers", "kernel", "expected"),
    [
        (".target sm_80\n.target sm_90", _HOPPER, []),  # instructions are held to the last
        (".target sm_90\n.target sm_80", _HOPPER, ["PTX1001"]),
        (".target sm_90, texmode_independent\n.target sm_90", _LOOKUP, ["PTX0104"]),  # options of all count
        (".target sm_90\n.target sm_90\n.address_size 64", _HOPPER, []),
        (".target sm_90\n.address_size 64\n.target sm_90", _HOPPER, ["PTX0001"]),
    ],
)
def test_more_than_one_target(headers: str, kernel: str, expected: list[str]) -> None:
    assert [d.code for d in check(f".version 8.0\n{headers}\n{kernel}\n", lints=False)] == expected
