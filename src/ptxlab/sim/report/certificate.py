"""What a certificate says: whether one run speaks for every schedule, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ptxlab.diag import Diagnostic


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders of strong accesses in which a launch was run, one after the other.

    Attributes:
        count: how many there are: orders that differ by more than accesses which do not depend on each other. runs: how often the
            launch was run for them. accesses: of a run, at most. instructions: which these are, in words. bound: how many runs were
            allowed.
    """

    count: int
    runs: int
    accesses: int
    instructions: Sequence[str]
    bound: int

    def __str__(self) -> str:
        where = ", ".join(self.instructions)
        return f"{self.count} order{'s' if self.count > 1 else ''} of {self.accesses} strong accesses by {where}"


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """Whether no schedule of a launch races, hangs, or leaves other bits than the run at hand.

    It is about this launch: its grid, its scalars, and what its arrays hold at the beginning, as far as that is control data.

    Attributes:
        name: of the kernel. launch: it, its grid, block and cluster, in words.
        reasons: why it is not proved; none where it is. Each names an instruction and says what another schedule may do there.
        control: the loads, in words, whose data decide what is executed, at which address, or what is waited for: of these data the
            certificate is about what the run has found. Where there are none it holds whatever the arrays contain.
        assumptions: what it takes for granted, in words.
        orders: the orders of strong accesses that were looked at, where the one run alone does not speak for all; else None.

    Example:
        @px.kernel(threads=64)
        def swap(k, y: px.Ptr[px.u32]):
            row = k.smem(px.u32, 64)
            k.st.shared.u32(row.at(k.tid.x * 4), k.ld.global_.u32(y[k.tid.x]))
            k.bar.sync(0)
            k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(row.at((k.tid.x ^ 32) * 4)))

        found = px.certify(swap, grid=1, args=[np.arange(64, dtype=np.uint32)])
        print(found.proved, found.any_data, found.data["reasons"])  # True True []
    """

    name: str
    launch: str
    reasons: Sequence[Diagnostic] = ()
    control: Sequence[str] = ()
    assumptions: Sequence[str] = ()
    orders: Orders | None = None

    @property
    def proved(self) -> bool:
        """Whether it is proved."""
        return not self.reasons

    @property
    def any_data(self) -> bool:
        """Whether it is proved whatever the arrays hold: no loaded value decides anything."""
        return self.proved and not self.control

    @property
    def data(self) -> dict[str, object]:
        """What it says as data, with its reasons as they are."""
        return {
            "proved": self.proved,
            "any_data": self.any_data,
            "launch": self.launch,
            "reasons": list(self.reasons),
            "control": list(self.control),
            "assumptions": list(self.assumptions),
            "orders": None if self.orders is None else str(self.orders),
        }

    def __bool__(self) -> bool:
        return self.proved

    def __repr__(self) -> str:
        count = len(self.reasons)
        return f"<Certificate of {self.name}: {'proved' if self.proved else f'not proved, {count} reasons'}>"

    def __str__(self) -> str:
        """The certificate in words, on several lines."""
        if not self.proved:
            first = f"not proved: another schedule of {self.launch} may race, hang, or leave other bits"
            return "\n\n".join([first, *map(str, self.reasons)])
        data = "whatever its arrays hold" if self.any_data else "for the control data of this run"
        lines = [f"proved: no schedule of {self.launch} races, hangs, or leaves other bits, {data}"]
        if self.orders is not None:
            lines.append(f"  looked at: all {self.orders}; {self.orders.runs} runs of at most {self.orders.bound}")
        lines += [f"  control data: {load}" for load in self.control]
        lines += [f"  assumed: {text}" for text in self.assumptions]
        return "\n".join(lines)


def not_proved(certificate: Certificate, findings: Sequence[Diagnostic]) -> Certificate:
    """The same launch, which is not proved because of what the run has found."""
    return replace(certificate, reasons=(*findings, *certificate.reasons))
