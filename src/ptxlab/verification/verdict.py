"""What the judge says of a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from ptxlab.diag import Diagnostic, Findings
from ptxlab.launch.compared import Mismatch
from ptxlab.sim.report.certificate import Certificate

Word = Literal[
    "equal",
    "wrong",
    "races",
    "hangs",
    "nondeterministic",
    "cheats",
    "out-of-bounds",
    "faulty",
    "unsupported",
    "inconclusive",
]
WORDS: Final[tuple[str, ...]] = get_args(Word)

_BY_CODE: Final[Mapping[str, Word]] = {
    **dict.fromkeys(("PTX9002", "PTX9004", "PTX9007", "PTX9008", "PTX9009", "PTX9122", "PTX9218"), "out-of-bounds"),
    **dict.fromkeys(("PTX9005", "PTX9011", "PTX9100", "PTX9101"), "hangs"),
    **dict.fromkeys(("PTX9001", "PTX9003", "PTX9021"), "unsupported"),
    **dict.fromkeys(("PTX9274", "PTX9275"), "cheats"),
    **dict.fromkeys(("PTX9270", "PTX9271", "PTX9272"), "nondeterministic"),
    "PTX9273": "wrong",
    "PTX9276": "inconclusive",
    "PTX9278": "inconclusive",
    "PTX9279": "inconclusive",
}


def word_of(code: str) -> Word:
    """The verdict that a diagnostic means."""
    found = _BY_CODE.get(code)
    if found is not None:
        return found
    if "PTX9200" <= code < "PTX9240" or code in ("PTX9250", "PTX9252"):
        return "races"
    return "faulty" if code >= "PTX9000" else "unsupported"


@dataclass(frozen=True, slots=True)
class Trial:
    """What one run was given.

    Attributes:
        sizes: as drawn. kinds: what each input held, in words. schedule, seed: as in `px.simulate`.

    Example:
        @px.kernel(threads=32)
        def fill(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[k.tid.x], 7)

        spec = px.Spec(lambda: px.case([px.Output("u32", 32)], grid=1))
        found = px.verify(fill, lambda: np.full(32, 8), spec, seed=3)
        print(found.verdict, found.trial.schedule, found.mismatch.index)  # wrong eager (0,)
    """

    sizes: Mapping[str, int]
    kinds: Sequence[str]
    schedule: str
    seed: int

    def __str__(self) -> str:
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        held = ", ".join(self.kinds)
        shown = [sizes, f"inputs: {held}" if held else "", f'schedule="{self.schedule}", seed={self.seed}']
        return "; ".join(filter(None, shown))


@dataclass(frozen=True, slots=True)
class Algebra:
    """How sure it is that a kernel and its reference compute the same expressions.

    Attributes:
        points: random inputs modulo primes, at which all elements agreed. primes: these.
        degree: of the difference of the candidate's results and the reference's, as a quotient of polynomials; results of functions
            count as inputs. Where the candidate's own is not known: of the reference's, numerator and denominator together.
        probability: that quotients of this degree which differ agree so often, at most.
        sizes: as drawn, for each case that was judged. bounded: whether the candidate's own degree is known.

    Example:
        @px.kernel(threads=32)
        def twice(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
            k.st.global_.f32(y[k.tid.x], k.ld.global_.f32(x[k.tid.x]) * 2.0)

        spec = px.Spec(lambda: px.case([px.Input("f32", 32), px.Output("f32", 32)], grid=1), algebraic="only")
        found = px.verify(twice, lambda x: x + x, spec, seed=1)
        print(found.verdict, found.algebra.primes, found.algebra.degree, found.algebra.probability < 1e-12)
        # equal (263, 131) 1 True
    """

    points: int
    primes: tuple[int, ...]
    degree: int
    probability: float
    sizes: Sequence[Mapping[str, int]]
    bounded: bool = True

    def __str__(self) -> str:
        primes = " and ".join(map(str, self.primes))
        of = f"degree {self.degree}" + ("" if self.bounded else " of the reference; that of the kernel is not known")
        chance = f"by chance with probability {self.probability:.1e} at most ({of})"
        return f"equal at {self.points} points modulo {primes}, {chance}"


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """What `px.verify` has found. It is true where the candidate computes what the reference computes.

    Attributes:
        verdict: "equal"; "wrong": another result; "races": threads or asynchronous operations are not ordered; "hangs";
            "nondeterministic": other bits under another schedule; "cheats": the result does not come from these inputs by these
            launches; "out-of-bounds"; "faulty": the launch is stopped, or the sanitizer finds another error; "unsupported": it
            cannot be launched or simulated; "inconclusive": the reference does not decide.
        name: of the candidate. seed: with it `px.verify` does the same again. runs: how often the candidate ran.
        cause: the diagnostic behind the verdict; None for "equal". trial: the run that showed it.
        mismatch: the first wrong element, where there is one.
        certificate: whether one run of it speaks for every schedule; None where the candidate is a function, or never ran.
        algebra: how sure it is that the expressions are the same, where `px.Spec(algebraic=…)` asks for that and they are.
        work: of the first run: bytes of global memory read and written, thread-instructions, and what the reference needs: bytes
            of the arrays, multiply-adds of products, operations on elements.

    Example:
        @px.kernel(threads=128)
        def double(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
            i = k.ctaid.x * 128 + k.tid.x
            with k.if_(i < n):
                k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)

        def case(n):
            return px.case([px.Input("f32", n), px.Output("f32", n), n], grid=-(-n // 128))

        found = px.verify(double, lambda x, n: x * 2, px.Spec(case, {"n": range(1, 500)}), seed=1)
        found.check()  # raises the cause where there is one
        print(found.verdict, found.certificate.proved)  # equal True
        print(found.findings, found.data["mismatch"])  # [] None
    """

    verdict: Word
    name: str
    seed: int
    runs: int
    cause: Diagnostic | None = None
    trial: Trial | None = None
    mismatch: Mismatch | None = None
    certificate: Certificate | None = None
    algebra: Algebra | None = None
    work: Mapping[str, int] = field(default_factory=dict[str, int])

    def __bool__(self) -> bool:
        return self.verdict == "equal"

    def __repr__(self) -> str:
        return f"<Verification of {self.name}: {self.verdict}, {self.runs} runs, seed {self.seed}>"

    def __str__(self) -> str:
        first = f"{self.name}: {self.verdict} ({self.runs} runs, seed={self.seed})"
        lines = [first]
        if self.trial is not None:
            lines.append(f"  with {self.trial}")
        if self.certificate is not None and self:
            proved = self.certificate.proved
            lines.append(
                f"  every schedule: {'proved' if proved else 'not proved, ' + self.certificate.reasons[0].message}"
            )
        if self.algebra is not None:
            lines.append(f"  as expressions: {self.algebra}")
        if self.cause is not None:
            lines += ["", str(self.cause)]
        return "\n".join(lines)

    @property
    def findings(self) -> list[Diagnostic]:
        """The cause, in a list; empty for "equal"."""
        return Findings([self.cause] if self.cause is not None else [])

    @property
    def data(self) -> dict[str, Any]:
        """What it says as data that JSON can hold; the cause and the certificate's reasons as they are."""
        wrong = self.mismatch
        return {
            "verdict": self.verdict,
            "name": self.name,
            "seed": self.seed,
            "runs": self.runs,
            "cause": self.cause,
            "trial": None
            if self.trial is None
            else {
                "sizes": dict(self.trial.sizes),
                "inputs": list(self.trial.kinds),
                "schedule": self.trial.schedule,
                "seed": self.trial.seed,
            },
            "mismatch": None
            if wrong is None
            else {name: getattr(wrong, name) for name in ("array", "elements", "total", "value", "wanted")}
            | {"index": list(wrong.index)},
            "certificate": None if self.certificate is None else self.certificate.data,
            "algebra": None
            if self.algebra is None
            else {
                "points": self.algebra.points,
                "primes": list(self.algebra.primes),
                "degree": self.algebra.degree,
                "bounded": self.algebra.bounded,
                "probability": self.algebra.probability,
                "sizes": [dict(sizes) for sizes in self.algebra.sizes],
            },
            "work": dict(self.work),
        }

    def check(self) -> None:
        """Raise the cause where the verdict is not "equal".

        Raises: Diagnostic, with the verdict and the trial in its notes.
        """
        if self.cause is not None:
            self.cause.notes = (
                *self.cause.notes,
                f"px.verify says {self.verdict}; px.verify(…, seed={self.seed}) does it again",
            )
            raise self.cause


__all__ = ["WORDS", "Algebra", "Trial", "Verification", "Word", "word_of"]
