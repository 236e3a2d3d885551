"""What compiled CUDA C++ calls of the system: printf, assert, malloc, free."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.machine.heap import Heap

from ...launching import HEAD

EXTERN = """.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) malloc(.param .b64 a);
.extern .func free(.param .b64 a);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
"""


def text(name: str, value: str) -> str:
    raw = [*value.encode(), 0]
    return f".global .align 1 .b8 {name}[{len(raw)}] = {{{', '.join(map(str, raw))}}};\n"


def module(body: str, data: str = "") -> px.Module:
    return px.parse(f"""{HEAD}{EXTERN}{data}.visible .entry k(.param .u64 k_io) {{
        .local .align 8 .b8 given[64];
        .reg .u32 i, n, a; .reg .u64 io, at, f, p, w; .reg .pred q; .reg .f64 y;
        mov.u32 i, %tid.x; ld.param.u64 io, [k_io]; mad.wide.u32 at, i, 8, io; {body} ret; }}""")


def run(
    body: str, data: str = "", *, block: int = 32, io: np.ndarray | None = None
) -> tuple[np.ndarray, list[Diagnostic]]:
    out = np.zeros(block, np.uint64) if io is None else io
    report = px.simulate(module(body, data)["k"], grid=1, block=block, args=[out])
    return out, report.findings


PRINT = """{ .param .b64 x; .param .b64 y; .param .b32 z; mov.u64 f, format; cvta.global.u64 f, f; st.param.b64 [x], f;
    mov.u64 f, given; cvta.local.u64 f, f; st.param.b64 [y], f; call (z), vprintf, (x, y); ld.param.b32 n, [z]; }
    cvt.u64.u32 w, n; st.global.u64 [at], w;
"""


def test_printf_writes_lane_by_lane(capsys: pytest.CaptureFixture[str]) -> None:
    data = text("format", "%d: %s is %5.2f\n") + text("name", "half")
    body = (
        """st.local.u32 [given], i; mov.u64 f, name; cvta.global.u64 f, f; st.local.u64 [given+8], f; cvt.rn.f64.u32 y, i;
        mul.f64 y, y, 0d3FE0000000000000; st.local.f64 [given+16], y; setp.gt.u32 q, i, 2; @q exit;"""
        + PRINT
    )
    out, _ = run(body, data)
    assert capsys.readouterr().out == "0: half is  0.00\n1: half is  0.50\n2: half is  1.00\n"
    assert np.array_equal(out[:4], [3, 3, 3, 0])


def test_assert_stops_the_launch_with_its_words() -> None:
    data = text("what", "i < 5") + text("file", "a/b.cu") + text("who", "void k()")
    body = """setp.lt.u32 q, i, 5; @q ret; { .param .b64 x; .param .b64 y; .param .b32 z; .param .b64 v; .param .b64 u;
        mov.u64 f, what; cvta.global.u64 f, f; st.param.b64 [x], f; mov.u64 f, file; cvta.global.u64 f, f; st.param.b64 [y], f;
        st.param.b32 [z], 42; mov.u64 f, who; cvta.global.u64 f, f; st.param.b64 [v], f; st.param.b64 [u], 1;
        call __assertfail, (x, y, z, v, u); }"""
    with pytest.raises(Diagnostic) as caught:
        run(body, data)
    assert caught.value.code == "PTX9018"
    for words in ("`i < 5`", "a/b.cu:42", "`void k()`", "thread (5, 0, 0)"):
        assert words in str(caught.value)


def malloc(size: str, to: str = "p") -> str:
    return f"{{ .param .b64 x; .param .b64 y; st.param.b64 [x], {size}; call (y), malloc, (x); ld.param.b64 {to}, [y]; }}\n"


def free(what: str = "p") -> str:
    return f"{{ .param .b64 x; st.param.b64 [x], {what}; call free, (x); }}\n"


def test_each_thread_has_memory_of_its_own() -> None:
    body = (
        malloc("24")
        + "st.u32 [p+20], i; bar.sync 0; ld.u32 n, [p+20]; cvt.u64.u32 w, n; st.global.u64 [at], w;"
        + free()
    )
    out, findings = run(body, block=64)
    assert np.array_equal(out, np.arange(64))
    assert not findings


def test_memory_outlives_a_launch_and_a_later_one_frees_it() -> None:
    out, findings = run("setp.ne.u32 q, i, 0; @q ret;" + malloc("8") + "st.u64 [p], 77; st.global.u64 [at], p;")
    assert [f.code for f in findings] == ["PTX9020"]
    take = "setp.ne.u32 q, i, 0; @q ret; ld.global.u64 p, [at]; ld.u64 w, [p]; st.global.u64 [at], w;" + free()
    out, findings = run(take, io=out)
    assert out[0] == 77
    assert not findings


def test_a_used_up_heap_gives_null() -> None:
    out, _ = run("setp.ne.u32 q, i, 0; @q ret;" + malloc("100000000") + "st.global.u64 [at], p;" + free())
    assert out[0] == 0


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (malloc("20") + "st.u32 [p+20], i;", "PTX9002", "4 bytes behind 20 bytes"),
        (malloc("20") + "ld.u64 w, [p+16];", "PTX9002", "4 bytes behind 20 bytes"),
        (malloc("20") + free() + "ld.u32 n, [p];", "PTX9002", "has freed them"),
        (malloc("20") + free() + free(), "PTX9019", "freed before"),
        (malloc("20") + "add.u64 p, p, 4;" + free(), "PTX9019", "4 bytes into"),
        (free("io"), "PTX9019", "never gave"),
    ],
)
def test_misuse_of_the_heap(body: str, code: str, words: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        run(body, block=1)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_memory_in_use_hides_what_was_freed_there_before() -> None:
    heap = Heap(256)
    made = [heap.allocate(16, "one thread") for _ in range(4)]
    for one in made:
        assert one is not None
        assert heap.release(heap.begin + one.start, "one thread") is None
    other = heap.allocate(20, "another")
    assert other is not None
    where = heap.begin + other.start
    assert heap.describe(where + 20, 4) == "at byte 20 end 4 bytes behind 20 bytes that another allocated"
    assert "one thread has freed them" in str(heap.describe(where + 36, 4))


def test_what_linking_takes_for_the_system_s_is_known_here() -> None:
    from ptxlab.ptx.functions import SYSTEM_FUNCTIONS
    from ptxlab.sim.engine.compiled.registry import SYSTEM_CALLS

    assert set(SYSTEM_FUNCTIONS) == set(SYSTEM_CALLS)
