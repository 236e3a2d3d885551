"""Warp specialization: roles of warps and warpgroups, with their registers."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.isa.limits import MAX_REGISTERS, REGISTERS_PER_SM, WARP_SIZE
from ptxlab.isa.operands import Label
from ptxlab.lang.flow.threads import Threads
from ptxlab.lang.trace.block import block, check_entered
from ptxlab.lang.trace.rebound import watch_branch
from ptxlab.lang.trace.types import scalar_of
from ptxlab.lang.trace.values import Register, Registers, whole

WARPGROUP = 128
_STEP = 8  # registers are given to warps in steps of 8


class Roles(Threads):
    """Roles of warps and warpgroups, and the registers of each."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._roles_end: Label | None = None
        self._claimed: dict[range, int] = {}

    def reg(self, dtype: Any) -> Any:
        """A register that is not set yet (no instruction).

        Args:
            dtype: its type, e.g. px.u32.

        Example:
            v = k.reg(px.u32)
            k.mov.u32(3, d=v)
            k.st.global_.u32(out[k.thread], v)
            # out[:2]: [3 3]
        """
        return self.fresh(scalar_of(dtype))

    def unpack(self, value: Register, dtype: Any) -> Registers:
        """The parts of a register, lowest first: one mov. E.g. the two px.b16 of a .b32.

        Args:
            value: a register. dtype: of the parts.

        Raises: Diagnostic PTX2210 for a width that is no multiple of theirs.

        PTX: mov

        Example:
            low, high = k.unpack(k.mov.b32(0x00050003), px.b16)
            k.st.global_.u32(out[k.thread], k.cvt.u32.u16(low) * 10 + k.cvt.u32.u16(high))
            # out[:2]: [35 35]
        """
        scalar = scalar_of(dtype)
        if not isinstance(value, Register) or value.reg.type.bits % scalar.bits:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Diagnostic(
                "PTX2210",
                f"{value!r} has no parts of type .{scalar}",
                help="give a register whose width is a multiple of theirs: two px.b16 of a .b32",
                origin=self.here(),
            )
        parts = self.several(scalar, value.reg.type.bits // scalar.bits)
        self.emit(f"mov.b{value.reg.type.bits}", (value,), {"d": parts})
        return parts

    # --- roles -------------------------------------------------------------------------------------------------------
    @property
    def entry_registers(self) -> int:
        """Registers that each thread has when the kernel starts, as ptxas derives them from the launch directives."""
        ctas = self.options.min_ctas or 1
        share = REGISTERS_PER_SM // (self.options.threads * ctas)
        return min(self.options.max_registers or MAX_REGISTERS + 1, share // _STEP * _STEP, 256)

    @block("k.roles()")
    def roles(self) -> Generator[None, None, None]:
        """Encloses the `role` blocks: each warp executes its own block, and all warps synchronize after the last.

        Raises: Diagnostic PTX2210 where the roles together claim more registers than the SM gives the CTA.

        Example:
            with k.roles():
                with k.role(warp=0):
                    k.st.global_.u32(out[k.laneid], 1)
                with k.role(warp=range(1, 4)):
                    k.st.global_.u32(out[k.thread], 2)
            # out[30:34]: [1 1 2 2]
        """
        outer, claimed = self._roles_end, self._claimed
        self._roles_end, self._claimed = self.label("roles_end"), {}
        yield
        self.place(self._roles_end)
        self._check_registers()
        self._roles_end, self._claimed = outer, claimed

    @block("k.role(…)", watch=watch_branch)
    def role(
        self, *, warpgroup: int | range | None = None, warp: int | range | None = None, registers: int | None = None
    ) -> Generator[None, None, None]:
        """A block for one warpgroup or warp, or for a range of them. Other warps skip it.

        Args:
            warpgroup, warp: which; give one of the two.
            registers: what each of its threads keeps or takes (setmaxnreg; warpgroups only): 24 to 256 in steps of 8.

        Raises: Diagnostic PTX2208 outside of `k.roles()`, or without one warp or warpgroup; PTX2210 for one that the CTA
            does not have.

        PTX: setp, bra, setmaxnreg

        Example:
            @px.kernel(threads=256)
            def work(k, out: px.Ptr[px.u32]):
                with k.roles():
                    with k.role(warpgroup=0, registers=40):  # loads: gives registers back
                        k.st.global_.u32(out[k.thread], 1)
                    with k.role(warpgroup=1, registers=232):  # computes: takes them
                        k.st.global_.u32(out[k.thread], 2)

            out = np.zeros(256, np.uint32)
            work[1](out)
            print(out[126:130])  # [1 1 2 2]
        """
        end = self._roles_end
        place = self.here()
        if end is None or (warpgroup is None) == (warp is None) or (warp is not None and registers is not None):
            check_entered([b for b in self.blocks if b.shown == "k.roles()"])
            raise Diagnostic(
                "PTX2208",
                "a role stands inside `with k.roles():` and names one warpgroup or warp; registers go with warpgroups",
                help="write `with k.role(warpgroup=0, registers=40):`",
                origin=place,
            )
        which = warpgroup if warpgroup is not None else warp
        assert which is not None
        if not isinstance(which, int | range):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Diagnostic(
                "PTX2208",
                f"{which!r} is no warp or warpgroup",
                help="give a number or a range, known while tracing: warp=2, warpgroup=range(1, 3)",
                origin=place,
            )
        registers = None if registers is None else whole(registers)
        chosen = range(which, which + 1) if isinstance(which, int) else which
        self._claim(chosen, warpgroup is not None, registers)
        following = self._skip(chosen, self.warpgroup if warpgroup is not None else self.warp)
        if registers is not None and registers != self.entry_registers:
            action = "dec" if registers < self.entry_registers else "inc"
            self.emit(f"setmaxnreg.{action}.sync.aligned.u32", (registers,))
        yield
        self.emit("bra.uni", (end,))
        self.place(following)

    def _skip(self, chosen: range, number: Any) -> Label:
        """Branch to the returned label unless `number` is chosen."""
        following = self.label("role")
        if len(chosen) == 1:
            other = self.emit("setp.ne.u32", (number, chosen.start))
        elif chosen.start == 0:
            other = self.emit("setp.ge.u32", (number, chosen.stop))
        else:
            from_start = self.emit("sub.u32", (number, chosen.start)) if chosen.start else number
            other = self.emit("setp.ge.u32", (from_start, len(chosen)))
        self.emit("bra", (following,), pred=other)
        return following

    def _claim(self, chosen: range, groups: bool, registers: int | None) -> None:
        size = WARPGROUP if groups else WARP_SIZE
        count = self.options.threads // size
        if not chosen or chosen.step != 1 or chosen.start < 0 or chosen.stop > count:
            word = "warpgroups" if groups else "warps"
            raise Diagnostic(
                "PTX2210",
                f"the CTA has {count} {word}, not {chosen.start} to {chosen.stop - 1}",
                help="change threads= of the kernel, or the role",
                origin=self.here(),
            )
        if groups:
            self._claimed[chosen] = registers or self.entry_registers

    def _check_registers(self) -> None:
        threads = self.options.threads
        held = sum(len(r) * WARPGROUP * n for r, n in self._claimed.items())
        idle = threads - sum(len(r) for r in self._claimed) * WARPGROUP
        pool = self.entry_registers * threads
        total = held + idle * self.entry_registers
        if self._claimed and total > pool:
            raise Diagnostic(
                "PTX2210",
                f"the roles claim {total} registers, but the CTA starts with {pool}: setmaxnreg.inc would wait for ever",
                help=f"{threads} threads start with {self.entry_registers} each; lower a role's registers",
                origin=self.here(),
            )
