"""Control flow on the device: `with` blocks that become branches."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.operands import Label
from ptxlab.lang.flow.count import Count
from ptxlab.lang.trace.block import block, check_entered
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.rebound import watch_branch, watch_loop
from ptxlab.lang.trace.values import Negated, Register
from ptxlab.ptx import tree

ALL_LANES = 0xFFFFFFFF


@dataclass(slots=True)
class _Loop:
    again: Label
    end: Label


class Control(Core):
    """if, else, while, counted loops, and blocks for one elected thread."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._loops: list[_Loop] = []
        self._open_else: Label | None = None
        self._elected = 0

    @block("k.if_(…)", watch=watch_branch)
    def if_(self, condition: Any) -> Generator[None, None, None]:
        """Threads for which the predicate (or its negation, `~p`) holds execute the block.

        Args:
            condition: a predicate, e.g. `i < n`, or its negation.

        Raises: Diagnostic PTX2208 for a condition that Python knows while tracing, or that is a number.

        PTX: setp, bra

        Example:
            with k.if_(k.thread < 2):
                k.st.global_.u32(out[k.thread], 7)
            # out[:4]: [7 7 0 0]
        """
        otherwise = self.label("else")
        self.emit("bra", (otherwise,), pred=negated(condition))
        yield
        self.place(otherwise)
        self._open_else = otherwise

    @block("k.else_()", watch=watch_branch)
    def else_(self) -> Generator[None, None, None]:
        """Threads for which the `if_` right before it does not hold execute the block.

        Raises: Diagnostic PTX2208 where no `if_` ends right before.

        PTX: bra

        Example:
            with k.if_(k.thread < 2):
                k.st.global_.u32(out[k.thread], 7)
            with k.else_():
                k.st.global_.u32(out[k.thread], 1)
            # out[:4]: [7 7 1 1]
        """
        last = self.items[-1] if self.items else None
        otherwise = self._open_else
        if otherwise is None or not isinstance(last, tree.Label) or last.name != otherwise.name:
            check_entered(self.blocks)
            raise Diagnostic(
                "PTX2208",
                "`k.else_()` does not follow a `with k.if_(…):` block",
                help="write it right behind the block, with nothing in between",
                origin=self.here(),
            )
        label = self.items.pop()
        end = self.label("end")
        self.emit("bra.uni", (end,))
        self.items.append(label)
        yield
        self.place(end)

    @block("k.while_(…)", watch=watch_loop)
    def while_(self, condition: Callable[[], Any]) -> Generator[None, None, None]:
        """Repeat the block while a predicate holds, which `condition` computes before each pass.

        The block writes registers in place, as in `k.loop`: `v += 1`, and not `v = v + 1`, which makes a new register.

        Args:
            condition: a function, which is called once to emit the instructions of the test.

        Raises: Diagnostic PTX2208 for a condition that is no function, or that gives no predicate.

        PTX: setp, bra

        Example:
            v = k.mov.u32(k.thread)
            with k.while_(lambda: v < 100):
                v *= 3
                v += 1
            k.st.global_.u32(out[k.thread], v)
            # out[:4]: [121 121 202 283]
        """
        if not callable(condition):
            raise Diagnostic(
                "PTX2208",
                f"the condition {condition!r} would be computed once",
                help="pass a function that computes it: k.while_(lambda: i < n)",
                origin=self.here(),
            )
        loop = _Loop(self.label("while"), self.label("end"))
        self.place(loop.again)
        self.emit("bra", (loop.end,), pred=negated(condition()))
        with self._inside(loop):
            yield
        self.emit("bra.uni", (loop.again,))
        self.place(loop.end)

    @block("k.loop(…)", watch=watch_loop)
    def loop(self, stop: Any, *, start: Any = 0, step: Any = 1, dtype: Any = None) -> Generator[Any, None, None]:
        """Loop with a counter from `start` to `stop`, exclusive, by `step` (positive).

        Python runs through the block once, and the device again and again. What a pass hands on to the next one is written in
        place, by `total += i` or with the register as destination, `k.add.u32(total, i, d=total)`. `total = total + i` makes a
        new register: each pass computes it from the old one, which stays as it was (lint PTX5060).

        Args:
            stop, start, step: registers or ints. dtype: type of the counter; default: that of `stop`, or px.u32.

        Raises: Diagnostic PTX2223 for ints by which the loop never runs or never ends, or that the counter cannot hold.

        PTX: mov, setp, bra, add

        Example:
            total = k.mov.u32(0)
            with k.loop(k.thread + 1, start=1) as i:
                total += i
            k.st.global_.u32(out[k.thread], total, pred=k.thread > 0)
            # out[:5]: [ 0  1  3  6 10]
        """
        counted = Count.of(start, stop, step, dtype)
        scalar = counted.scalar
        counter = self.emit(f"mov.{scalar}", (counted.start,))
        loop = _Loop(self.label("next"), self.label("end"))
        top = self.label("loop")
        self.emit("bra", (loop.end,), pred=counter >= counted.stop)
        self.place(top)
        with self._inside(loop):
            yield counter
        self.place(loop.again)
        self.emit(f"add.{scalar}", (counter, counted.step), {"d": counter})
        self.emit("bra", (top,), pred=counter < counted.stop)
        self.place(loop.end)

    @contextmanager
    def _inside(self, loop: _Loop) -> Generator[None, None, None]:
        self._loops.append(loop)
        yield
        self._loops.pop()

    def break_(self, *, pred: Any = None) -> None:
        """Leave the innermost loop.

        Args:
            pred: only threads for which it holds leave; left out, all.

        Raises: Diagnostic PTX2208 outside of a loop.

        PTX: bra

        Example:
            root = k.mov.u32(0)
            with k.loop(100, start=1) as i:
                k.break_(pred=i * i > k.thread)
                k.mov.u32(i, d=root)
            k.st.global_.u32(out[k.thread], root)
            # out[:10]: [0 1 1 1 2 2 2 2 2 3]
        """
        self.emit("bra" if pred is not None else "bra.uni", (self._innermost("break_").end,), pred=pred)

    def continue_(self, *, pred: Any = None) -> None:
        """Continue with the next pass of the innermost loop.

        Args:
            pred: only threads for which it holds; left out, all.

        Raises: Diagnostic PTX2208 outside of a loop.

        PTX: bra

        Example:
            odd = k.mov.u32(0)
            with k.loop(10) as i:
                k.continue_(pred=(i & 1) == 0)
                odd += i
            k.st.global_.u32(out[k.thread], odd)
            # out[:2]: [25 25]
        """
        self.emit("bra" if pred is not None else "bra.uni", (self._innermost("continue_").again,), pred=pred)

    def _innermost(self, word: str) -> _Loop:
        if not self._loops:
            check_entered(self.blocks)
            raise Diagnostic(
                "PTX2208",
                f"`k.{word}()` stands in no loop",
                help="use it inside `with k.while_(…):` or `with k.loop(…) as i:`",
                origin=self.here(),
            )
        return self._loops[-1]

    @block("k.elect()", watch=watch_branch)
    def one_lane(self) -> Generator[None, None, None]:
        """One elected lane of each warp executes the block; all lanes of the warp must get here.

        PTX: elect.sync, bra

        Example:
            with k.elect():
                k.st.global_.u32(out[k.warp], k.laneid + 1)
            # out[:5]: [1 1 1 1 0]
        """
        elected = self.emit("elect.sync", (ALL_LANES,), {"d": "_"})
        with self.if_(elected):
            self._elected += 1
            yield
            self._elected -= 1

    @property
    def in_one_lane(self) -> bool:
        """Whether what is traced now stands in a block that a single lane executes."""
        return self._elected > 0


def negated(condition: Any) -> Any:
    """The negation of a predicate. Raises: Diagnostic PTX2208 where it is none."""
    if isinstance(condition, Negated):
        return condition.inner
    if not isinstance(condition, Register):
        raise Diagnostic(
            "PTX2208",
            f"the condition is {condition!r}, which is known while the kernel is traced",
            help="use Python's own `if` and `while` for what is known then, or compare registers",
            origin=user_span(),
        )
    if condition.scalar.kind != "p":
        raise Diagnostic(
            "PTX2208",
            f"the condition `{condition.reg}` is a number of type .{condition.scalar}, and no predicate",
            help="compare it: k.if_(x != 0)",
            origin=user_span(),
        )
    return ~condition
