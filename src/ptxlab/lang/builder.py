"""What a kernel function receives as `k`: all of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.diag import Span
from ptxlab.isa.form import BY_ROOT
from ptxlab.isa.match import root
from ptxlab.isa.sregs import NUMBERED, SREGS, word_of
from ptxlab.lang._instructions import Instructions, Opcode
from ptxlab.lang.maps.patterns import Patterns
from ptxlab.lang.print_matrix import MatrixPrinting
from ptxlab.lang.smem.ring import Rings
from ptxlab.lang.trace.options import Options
from ptxlab.lang.trace.special import NumberedRegisters, SpecialRegisters

CONSTRUCTS = (
    *("if_", "else_", "while_", "loop", "break_", "continue_", "label", "place", "roles", "role", "elect"),
    *("thread", "warp", "warpgroup", "first_thread", "cluster_sync", "sync_all"),
    *(
        "smem",
        "mbarrier",
        "init_barriers",
        "ring",
        "accumulator",
        "fragment",
        "wgmma_group",
        "reg",
        "unpack",
        "print",
        "debug_assert",
        "note",
    ),
    *("tma_load", "tma_load_im2col", "tma_store", "tma_reduce", "tensormap"),
    *dict.fromkeys(word for word in map(word_of, SREGS) if word not in BY_ROOT),
)
"""What users call beside instructions. `dir(k)` shows these; other methods of the builder serve the language itself."""
_GROUPS = {name[1:].split(".")[0] for name in SREGS if "." in name}


class _Declaring(Opcode):
    """The first word of opcodes that can also be called, as a declaration or a block: `k.mbarrier(1)`, `with k.elect():`."""

    def __init__(self, k: Builder, word: str, declare: Any) -> None:
        state = root(word)
        assert state is not None, f"no row begins with {word}"
        super().__init__(k, word, state)
        self._declare = declare

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._declare(*args, **kwargs)


class Builder(Patterns, Rings, MatrixPrinting, Instructions):
    """The kernel being built. `k.<opcode path>(…)` emits exactly one PTX instruction, checked as it is called; declarations
    (`k.smem`, `k.mbarrier`, `k.ring` …) and `with` blocks emit what they say.

    Example:
        v = k.mad.lo.u32(k.thread, 2, 1)  # an immediate is a Python number
        w = k.selp.u32(v, 0, v > 4)
        k.st.global_.u32(out[k.thread], w)
        # out[:4]: [0 0 5 7]
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.__dict__["mbarrier"] = _Declaring(self, "mbarrier", self.declare_mbarrier)
        self.__dict__["elect"] = _Declaring(self, "elect", self.one_lane)
        self.__dict__["tensormap"] = _Declaring(self, "tensormap", self.working_map)

    def __repr__(self) -> str:
        return f"<Builder of kernel {self.options.name}>"

    def constructs(self) -> Sequence[str]:
        """What users call beside instructions: declarations, blocks, patterns, special registers."""
        return CONSTRUCTS

    def finish(self, place: Span) -> None:
        """End the kernel: threads that get here return."""
        self._place = place
        self.check_labels()
        self.check_barriers()
        self.expect_of_templates()
        self.check_transactions()
        self.emit("ret")

    if not TYPE_CHECKING:  # the stub of Instructions lists what there is

        def __getattr__(self, name: str) -> Any:
            if name in _GROUPS:
                made = self.__dict__[name] = SpecialRegisters(self, name)
                return made
            if name in NUMBERED:
                made = self.__dict__[name] = NumberedRegisters(self, name)
                return made
            if f"%{name}" in SREGS and word_of(f"%{name}") == name and name not in BY_ROOT:
                return self.special(f"%{name}")
            return super().__getattr__(name)
