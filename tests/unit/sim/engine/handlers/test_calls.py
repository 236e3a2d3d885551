"""Calls of device functions: what they pass, divergence, recursion, addresses of functions, and what goes wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.launch.module import parse

from ...launching import HEAD

N = np.arange(32, dtype=np.uint32)


def run(functions: str, body: str, *, block: int = 32, data: str = "") -> NDArray[np.uint32]:
    """A kernel's body with the thread's number in `i`; it leaves its answer in `r`."""
    out = np.zeros(block, np.uint32)
    kernel = f""".visible .entry k(.param .u64 out) {{
        .reg .u32 i, r, a, b, c; .reg .u64 at, f; .reg .pred p, q; .reg .f32 x; .reg .f64 y;
        mov.u32 i, %tid.x; mov.u32 r, 0;
        {body}
        ld.param.u64 at, [out]; mad.wide.u32 at, i, 4, at; st.global.u32 [at], r;
        ret;
    }}"""
    parse(HEAD + data + functions + kernel)["k"].launch(grid=1, block=block, args=[out])
    return out


TWICE = """.func (.param .b32 out) twice(.param .b32 n) {
    .reg .u32 r; ld.param.u32 r, [n]; add.u32 r, r, r; st.param.b32 [out], r; ret; }
"""


def call(name: str, argument: str, how: str = "") -> str:
    return f"""{{ .param .b32 given; .param .b32 got; st.param.b32 [given], {argument};
        call (got), {name}, (given){how}; ld.param.b32 r, [got]; }}
    """


def test_parameters_and_results_in_memory() -> None:
    assert np.array_equal(run(TWICE, call("twice", "i")), 2 * N)


ALIASED = f"""{TWICE}.func (.param .b32 out) both(.param .b32 n);
.alias both, twice;
"""


def test_an_alias_is_its_function() -> None:
    assert np.array_equal(run(ALIASED, call("both", "i")), 2 * N)


def test_the_address_of_an_alias_is_that_of_its_function() -> None:
    """Through a register, and from an initialiser; 1000 where they differ from the function's own."""
    proto = "how: .callprototype (.param .b32 _) _ (.param .b32 _);"
    table = ".global .u64 table[1] = {both};\n"
    same = "mov.u64 at, twice; setp.ne.u64 p, at, f; @p add.u32 r, r, 1000;"
    taken = f"mov.u64 f, both; {proto} {call('f', 'i', ', how')} {same}"
    assert np.array_equal(run(ALIASED, taken), 2 * N)
    kept = f"mov.u64 at, table; ld.global.u64 f, [at]; {proto} {call('f', 'i', ', how')} {same}"
    assert np.array_equal(run(ALIASED + table, kept), 2 * N)


def test_a_function_that_is_declared_alone_is_missing() -> None:
    declared = ".func (.param .b32 out) both(.param .b32 n);\n.func (.param .b32 out) gone(.param .b32 n);\n.alias both, gone;\n"
    with pytest.raises(Diagnostic, match="`gone` is declared") as caught:
        run(declared, call("both", "i"))
    assert caught.value.code == "PTX0020"


def test_names_of_functions_and_of_the_kernel_do_not_meet() -> None:
    inner = """.func (.param .b32 out) inner(.param .b32 out2) {
        .reg .u32 r, i; ld.param.u32 i, [out2]; mul.lo.u32 r, i, 3; st.param.b32 [out], r; ret; }
    """
    assert np.array_equal(
        run(inner, "mov.u32 b, 7; " + call("inner", "i") + "add.u32 r, r, b; add.u32 r, r, i;"), 4 * N + 7
    )


def test_parameters_in_registers() -> None:
    function = """.func (.reg .u32 d, .reg .pred even, .reg .f64 half) foo(.reg .u32 n, .reg .f64 x, .reg .pred p) {
        .reg .u32 t; and.b32 t, n, 1; setp.eq.u32 even, t, 0; mul.f64 half, x, 0d3FE0000000000000;
        add.u32 d, n, 100; @p add.u32 d, d, 1000; ret; }
    """
    got = run(
        function,
        """cvt.rn.f64.u32 y, i; setp.gt.u32 p, i, 15;
        call (a, q, y), foo, (i, y, p); mul.f64 y, y, 0d4024000000000000; cvt.rni.u32.f64 r, y; add.u32 r, r, a;
        @q add.u32 r, r, 100000;""",
    )
    assert np.array_equal(got, 5 * N + N + 100 + 1000 * (N > 15) + 100_000 * (N % 2 == 0))


def test_immediates_as_arguments() -> None:
    function = """.func (.reg .f32 d) scale(.reg .f32 a, .reg .u32 n) {
        .reg .f32 t; cvt.rn.f32.u32 t, n; mul.f32 d, a, t; ret; }
    """
    got = run(function, "call (x), scale, (0f40400000, 14); cvt.rni.u32.f32 r, x;")
    assert np.array_equal(got, np.full(32, 42))


def test_aggregates_and_vectors() -> None:
    function = """.func (.param .align 16 .b8 out[32]) swap(.param .align 16 .b8 in[32]) {
        .reg .u32 a, b, c, d; .reg .u64 e, f;
        ld.param.v4.u32 {a, b, c, d}, [in]; ld.param.v2.u64 {e, f}, [in+16];
        st.param.v4.b32 [out+16], {d, c, b, a}; st.param.v2.b64 [out], {f, e}; ret; }
    """
    got = run(
        function,
        """{ .param .align 16 .b8 given[32]; .param .align 16 .b8 got[32];
        add.u32 a, i, 1; add.u32 b, i, 2; add.u32 c, i, 3;
        st.param.v4.b32 [given], {i, a, b, c}; mov.u64 f, 5; st.param.v2.b64 [given+16], {f, f};
        call (got), swap, (given);
        ld.param.u32 a, [got+16]; ld.param.u32 b, [got+28]; ld.param.u32 c, [got+8]; }
        mad.lo.u32 r, a, 1000, b; add.u32 r, r, c;""",
    )
    assert np.array_equal(got, (N + 3) * 1000 + N + 5)


def test_a_call_under_a_predicate_leaves_other_lanes_alone() -> None:
    body = """setp.gt.u32 p, i, 20; { .param .b32 given; .param .b32 got; st.param.b32 [given], i; st.param.b32 [got], 9;
        @p call (got), twice, (given); ld.param.b32 r, [got]; }"""
    assert np.array_equal(run(TWICE, body), np.where(N > 20, 2 * N, 9))


def test_lanes_in_different_functions() -> None:
    functions = (
        TWICE
        + """.func (.param .b32 out) count(.param .b32 n) {
        .reg .u32 r, k, t; .reg .pred p; ld.param.u32 r, [n]; mov.u32 k, 0;
    loop: setp.eq.u32 p, r, 0; @p bra done; { .param .b32 a; .param .b32 b; st.param.b32 [a], k;
        call (b), twice, (a); ld.param.b32 t, [b]; } sub.u32 k, t, k; add.u32 k, k, 1; sub.u32 r, r, 1; bra loop;
    done: st.param.b32 [out], k; ret; }
    """
    )
    body = (
        "and.b32 a, i, 3; setp.eq.u32 p, a, 0; @p bra other;"
        + call("count", "i")
        + "bra join; other:"
        + call("twice", "i")
        + "join:"
    )
    assert np.array_equal(run(functions, body), np.where(N % 4 == 0, 2 * N, N))


FIB = """.func (.param .b32 out) fib(.param .b32 n) {
    .reg .u32 r, a, b; .reg .pred p; ld.param.u32 r, [n]; setp.lt.u32 p, r, 2; @p bra small;
    { .param .b32 x; .param .b32 y; sub.u32 a, r, 1; st.param.b32 [x], a; call (y), fib, (x); ld.param.b32 a, [y]; }
    { .param .b32 x; .param .b32 y; sub.u32 b, r, 2; st.param.b32 [x], b; call (y), fib, (x); ld.param.b32 b, [y]; }
    add.u32 r, a, b;
    small: st.param.b32 [out], r; ret; }
"""


def test_recursion_with_lanes_at_different_depths() -> None:
    fib = [0, 1]
    while len(fib) < 12:
        fib.append(fib[-1] + fib[-2])
    got = run(FIB, "rem.u32 a, i, 12; " + call("fib", "a"))
    assert np.array_equal(got, [fib[k % 12] for k in range(32)])


def test_recursion_saves_registers_of_every_width() -> None:
    function = """.func (.reg .u64 d) sum(.reg .u32 n) {
        .reg .u16 h; .reg .u64 w; .reg .b128 q; .reg .pred odd, p; .reg .u32 m; .reg .u64 e, lo;
        cvt.u16.u32 h, n; mul.wide.u32 w, n, 1000; mov.b128 q, {w, w}; and.b32 m, n, 1; setp.eq.u32 odd, m, 1;
        mov.u64 d, 0; setp.eq.u32 p, n, 0; @p ret;
        sub.u32 m, n, 1; call (e), sum, (m);
        mov.b128 {lo, d}, q; add.u64 d, d, w; cvt.u64.u16 lo, h; add.u64 d, d, lo; @odd add.u64 d, d, 5; add.u64 d, d, e; ret; }
    """
    got = run(function, "rem.u32 a, i, 9; call (f), sum, (a); cvt.u32.u64 r, f;")
    want = [sum(2001 * n + 5 * (n % 2) for n in range(k % 9 + 1)) for k in range(32)]
    assert np.array_equal(got, want)


def test_local_memory_of_each_activation() -> None:
    function = """.func (.param .b32 out) foo(.param .b64 up, .param .b32 n) {
        .local .u32 mine[2]; .reg .u32 r, t; .reg .u64 u, m; .reg .pred p;
        ld.param.u64 u, [up]; ld.param.u32 r, [n]; st.local.u32 [mine+4], r; setp.eq.u32 p, r, 0; @p bra last;
        { .param .b64 a; .param .b32 b; .param .b32 c; mov.u64 m, mine; cvta.local.u64 m, m; st.param.b64 [a], m; sub.u32 t, r, 1;
        st.param.b32 [b], t; call (c), foo, (a, b); ld.param.b32 t, [c]; }
        ld.local.u32 r, [mine+4]; add.u32 t, t, r;
        last: @p mov.u32 t, 0; ld.u32 r, [u+4]; mad.lo.u32 t, r, 100, t; st.param.b32 [out], t; ret; }
    """
    body = """{ .local .u32 top[2]; .param .b64 a; .param .b32 b; .param .b32 c; st.local.u32 [top+4], 7; mov.u64 f, top;
        cvta.local.u64 f, f;
        st.param.b64 [a], f; rem.u32 r, i, 6;
        st.param.b32 [b], r; call (c), foo, (a, b); ld.param.b32 r, [c]; }"""
    want = [sum(range(d + 1)) + 100 * (7 + sum(range(1, d + 1))) for d in (k % 6 for k in range(32))]
    assert np.array_equal(run(function, body), want)


THRICE = TWICE.replace("twice", "thrice").replace("add.u32 r, r, r", "mul.lo.u32 r, r, 3")
TABLE = (
    ".func (.param .b32 out) twice(.param .b32 n);\n.func (.param .b32 out) thrice(.param .b32 n);\n"
    ".global .u64 table[2] = {twice, thrice};\n"
)
POINTER = "and.b32 a, i, 1; mov.u64 at, table; mad.wide.u32 at, a, 8, at; ld.global.u64 f, [at];"


def test_indirect_calls_by_prototype() -> None:
    body = POINTER + "proto: .callprototype (.param .b32 _) _ (.param .b32 _);" + call("f", "i", how=", proto")
    assert np.array_equal(run(TWICE + THRICE, body, data=TABLE), np.where(N % 2 == 1, 3 * N, 2 * N))


def test_indirect_calls_by_a_list_of_targets() -> None:
    body = """setp.gt.u32 p, i, 9; mov.u64 f, twice; @p mov.u64 f, thrice; list: .calltargets twice, thrice;
    """ + call("f", "i", how=", list")
    assert np.array_equal(run(TWICE + THRICE, body), np.where(N > 9, 3 * N, 2 * N))


def test_recursion_through_an_address() -> None:
    function = """.func (.param .b32 out) down(.param .b32 n) {
        .reg .u32 r, t; .reg .u64 f; .reg .pred p; ld.param.u32 r, [n]; setp.eq.u32 p, r, 0; @p bra last; sub.u32 t, r, 1;
        mov.u64 f, down; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
        { .param .b32 a; .param .b32 b; st.param.b32 [a], t; call (b), f, (a), proto; ld.param.b32 t, [b]; }
        add.u32 r, r, t; last: st.param.b32 [out], r; ret; }
    """
    assert np.array_equal(run(function, call("down", "i")), N * (N + 1) // 2)


def test_branches_by_a_table() -> None:
    body = """list: .branchtargets zero, one, two; rem.u32 a, i, 3; brx.idx a, list;
        zero: mov.u32 r, 10; bra join; one: mov.u32 r, 20; bra join; two: mov.u32 r, 30; join: add.u32 r, r, i;"""
    assert np.array_equal(run("", body), np.array([10, 20, 30])[N % 3] + N)


def test_exit_inside_a_function_ends_the_thread() -> None:
    function = ".func foo(.reg .u32 n) { .reg .pred p; setp.gt.u32 p, n, 10; @p exit; ret; }\n"
    assert np.array_equal(run(function, "mov.u32 r, 5; call foo, (i);"), np.where(N > 10, 0, 5))


def test_ret_in_the_kernel_ends_the_thread() -> None:
    assert np.array_equal(run("", "mov.u32 r, 5; setp.gt.u32 p, i, 3; @p ret;"), np.where(N > 3, 0, 5))


def test_barriers_inside_functions() -> None:
    data = ".shared .u32 pool[64];\n"
    function = """.func (.reg .u32 d) swap(.reg .u32 n) { .reg .u32 at; mov.u32 at, pool; mad.lo.u32 at, n, 4, at;
        st.shared.u32 [at], n;
        bar.sync 0; xor.b32 d, n, 63; mov.u32 at, pool; mad.lo.u32 at, d, 4, at; ld.shared.u32 d, [at]; ret; }
    """
    assert np.array_equal(run(function, "call (r), swap, (i);", block=64, data=data), 63 - np.arange(64))


def test_variables_that_only_functions_name() -> None:
    data = ".global .u32 seen[32];\n.const .u32 weights[2] = {3, 5};\n"
    function = """.func (.reg .u32 d) look(.reg .u32 n) { .reg .u64 at; .reg .u32 b; .shared .u32 own[4];
        and.b32 b, n, 1; mov.u64 at, weights; mad.wide.u32 at, b, 4, at; ld.const.u32 b, [at]; mul.lo.u32 d, n, b;
        st.shared.u32 [own], 1; ld.shared.u32 b, [own]; add.u32 d, d, b;
        mov.u64 at, seen; mad.wide.u32 at, n, 4, at; st.global.u32 [at], d; ret; }
    """
    assert np.array_equal(run(function, "call (r), look, (i);", data=data), N * np.where(N % 2, 5, 3) + 1)


# --- what goes wrong


def fails(code: str, *args: Any, **more: Any) -> Diagnostic:
    with pytest.raises(Diagnostic) as caught:
        run(*args, **more)
    assert caught.value.code == code
    return caught.value


def test_endless_recursion_is_an_error_at_the_call() -> None:
    function = ".func foo(.reg .u32 n) { call foo, (n); ret; }\n"
    assert "call" in str(fails("PTX9015", function, "call foo, (i);"))


def test_a_pointer_to_no_function() -> None:
    body = "proto: .callprototype (.param .b32 _) _ (.param .b32 _);"
    for value, lane in (("0", 0), ("0x1230", 0), ("17", 0)):
        wrong = fails("PTX9016", TWICE, f"mov.u64 f, {value}; {body}" + call("f", "i", how=", proto"))
        assert f"thread ({lane}, 0, 0)" in str(wrong)


def test_functions_of_two_modules_have_addresses_of_their_own() -> None:
    found: list[int] = []
    for factor in (2, 3):
        table = f".global .u64 table[1] = {{twice}};\n.global .u32 factor = {factor};\n"
        kernel = ".visible .entry k() { .reg .u64 f; .reg .u32 a; ld.global.u64 f, [table]; ld.global.u32 a, [factor]; ret; }"
        module = parse(HEAD + TWICE + table + kernel)
        found.append(int(module.symbol("table")[0]))
    assert found[0] != found[1]
    body = "proto: .callprototype (.param .b32 _) _ (.param .b32 _);"
    assert "thread (0, 0, 0)" in str(
        fails("PTX9016", TWICE, f"mov.u64 f, {found[0]}; {body}" + call("f", "i", how=", proto"))
    )


def test_a_prototype_that_is_not_the_function_s() -> None:
    body = "mov.u64 f, twice; proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);"
    fails("PTX9017", TWICE, body + "{ .param .b32 x; .param .b32 y; .param .b32 z; call (z), f, (x, y), proto; }")


def test_arguments_that_a_function_does_not_take() -> None:
    fails("PTX0022", TWICE, "{ .param .b64 x; .param .b32 y; call (y), twice, (x); }")


def test_a_function_that_no_file_defines() -> None:
    wrong = fails("PTX9003", ".extern .func (.param .b32 out) lost(.param .b32 n);\n", call("lost", "i"))
    assert "lost" in str(wrong)


# --- memory from the stack


def test_alloca_in_a_loop_and_in_recursion() -> None:
    function = """.func (.param .b32 out) chain(.param .b32 n) {
        .reg .u32 r, t, k; .reg .u64 m, s; .reg .pred p; ld.param.u32 r, [n]; setp.eq.u32 p, r, 0; mov.u32 t, 0; @p bra last;
        stacksave.u64 s; mov.u32 k, 5;
        loop: alloca.u64 m, 100, 32; sub.u32 k, k, 1; setp.ne.u32 p, k, 0; @p bra loop;
        stackrestore.u64 s;
        cvt.u64.u32 m, r; mul.lo.u64 m, m, 4; alloca.u64 m, m; st.local.u32 [m], r;
        { .param .b32 a; .param .b32 b; sub.u32 t, r, 1; st.param.b32 [a], t; call (b), chain, (a); ld.param.b32 t, [b]; }
        ld.local.u32 r, [m]; add.u32 t, t, r;
        last: st.param.b32 [out], t; ret; }
    """
    assert np.array_equal(
        run(function, "rem.u32 a, i, 9; " + call("chain", "a")), [k * (k + 1) // 2 for k in (i % 9 for i in range(32))]
    )


def test_pieces_of_the_stack_are_aligned_and_apart() -> None:
    body = """alloca.u64 f, 12; st.local.u32 [f+8], 1; alloca.u64 at, 4, 64; st.local.u32 [at], 2; ld.local.u32 r, [f+8];
        ld.local.u32 a, [at]; mad.lo.u32 r, r, 10, a; cvt.u32.u64 a, at; and.b32 a, a, 63; mad.lo.u32 r, a, 100, r;"""
    assert np.array_equal(run("", body), np.full(32, 12))


def test_a_stack_that_is_used_up() -> None:
    fails("PTX9015", "", "loop: alloca.u64 f, 1000; bra loop;")
