"""Blocks of the language as branches."""

from __future__ import annotations

from tracing import instructions

import ptxlab as px


def test_if_and_else() -> None:
    def kernel(k, x: px.u32):
        with k.if_(x > 3):
            k.bar.sync(1)
        with k.else_():
            k.bar.sync(2)
        with k.if_(~(x > 4)):
            k.bar.sync(3)

    assert instructions(kernel) == [
        "setp.gt.u32 %p0, %x, 3",
        "@!%p0 bra $else_1",
        "bar.sync 1",
        "bra.uni $end_2",
        "$else_1:",
        "bar.sync 2",
        "$end_2:",
        "setp.gt.u32 %p1, %x, 4",
        "@%p1 bra $else_3",
        "bar.sync 3",
        "$else_3:",
    ]


def test_while_computes_its_condition_anew() -> None:
    def kernel(k, n: px.u32):
        i = k.mov.u32(0)
        with k.while_(lambda: i < n):
            i += 1
            k.continue_(pred=i == 7)
            k.break_()

    assert instructions(kernel) == [
        "mov.u32 %u0, 0",
        "$while_1:",
        "setp.lt.u32 %p0, %u0, %n",
        "@!%p0 bra $end_2",
        "add.u32 %u0, %u0, 1",
        "setp.eq.u32 %p1, %u0, 7",
        "@%p1 bra $while_1",
        "bra.uni $end_2",
        "bra.uni $while_1",
        "$end_2:",
    ]


def test_loop_tests_once_a_turn() -> None:
    def kernel(k, n: px.s32):
        with k.loop(n, start=k.tid.x, step=4) as i:
            k.break_(pred=i == 8)
            k.continue_()

    assert instructions(kernel)[1:] == [
        "mov.s32 %s0, %tid_x",
        "setp.ge.s32 %p0, %s0, %n",
        "@%p0 bra $end_2",
        "$loop_3:",
        "setp.eq.s32 %p1, %s0, 8",
        "@%p1 bra $end_2",
        "bra.uni $next_1",
        "$next_1:",
        "add.s32 %s0, %s0, 4",
        "setp.lt.s32 %p2, %s0, %n",
        "@%p2 bra $loop_3",
        "$end_2:",
    ]


def test_elect_and_labels() -> None:
    def kernel(k):
        again = k.label("again")
        k.place(again)
        with k.elect():
            k.bra.uni(again)

    assert instructions(kernel) == [
        "$again_1:",
        "elect.sync _|%p0, 4294967295",
        "@!%p0 bra $else_2",
        "bra.uni $again_1",
        "$else_2:",
    ]


def test_roles_are_one_tree() -> None:
    def kernel(k):
        with k.roles():
            with k.role(warpgroup=0, registers=40):
                k.bar.sync(1)
            with k.role(warpgroup=range(1, 3), registers=232):
                k.bar.sync(2)

    found = instructions(kernel, threads=384)
    assert found[found.index("shr.u32 %warpgroup, %warp, 2") + 1 :] == [
        "setp.ne.u32 %p0, %warpgroup, 0",
        "@%p0 bra $role_2",
        "setmaxnreg.dec.sync.aligned.u32 40",
        "bar.sync 1",
        "bra.uni $roles_end_1",
        "$role_2:",
        "sub.u32 %u1, %warpgroup, 1",
        "setp.ge.u32 %p1, %u1, 2",
        "@%p1 bra $role_3",
        "setmaxnreg.inc.sync.aligned.u32 232",
        "bar.sync 2",
        "bra.uni $roles_end_1",
        "$role_3:",
        "$roles_end_1:",
    ]


def test_roles_by_warp() -> None:
    def kernel(k):
        with k.roles():
            with k.role(warp=range(2)):
                k.bar.sync(1)
            with k.role(warp=3):
                k.bar.sync(2)

    found = instructions(kernel)
    assert "setp.ge.u32 %p0, %warp, 2" in found
    assert "setp.ne.u32 %p1, %warp, 3" in found
