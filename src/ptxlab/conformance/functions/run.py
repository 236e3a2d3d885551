"""Running approximate instructions on arrays, in the simulator and on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.functions.cases import Case, Words, cases
from ptxlab.conformance.record import golden
from ptxlab.conformance.record.results import Ran
from ptxlab.conformance.rows.probes import Probe

Device: TypeAlias = Callable[[Probe, list[Words]], Words]
"""The results of an instruction, element by element."""
_BLOCK: Final = 256
_HEAD: Final = ".version 8.8\n.target sm_90a\n.address_size 64\n"


def simulator(probe: Probe, operands: list[Words]) -> Words:
    """The meaning of the instruction in a compiled loop."""
    from ptxlab.sim.engine.decoded.arrays import evaluate

    return evaluate(probe.opcode, *operands)


def gpu(probe: Probe, operands: list[Words]) -> Words:
    """GPU 0, a thread for each element. Raises: Diagnostic PTX2304 and PTX2422 without a GPU, and as the launch does."""
    from ptxlab.cuda.array import GpuArray

    there = [GpuArray(a) for a in (*operands, np.zeros_like(operands[0]))]
    count = operands[0].size
    _kernel(probe).launch(grid=-(-count // _BLOCK), block=_BLOCK, args=[*there, np.uint32(count)], lints=False)
    return there[-1].numpy()


@cache
def _kernel(probe: Probe) -> Any:
    import ptxlab as px

    return px.parse(text(probe))["k"]


def text(probe: Probe) -> str:
    """The kernel: `k(a, …, results, count)`."""
    bits = probe.inputs[0].bits
    names = [f"a{i}" for i in range(len(probe.inputs))]
    loads = "\n".join(
        f"  ld.param.u64 %rd0, [{n}];\n  mad.wide.u32 %rd0, %r0, {bits // 8}, %rd0;\n  ld.global.b{bits} %{n}, [%rd0];"
        for n in names
    )
    parameters = ", ".join(f".param .u64 {n}" for n in (*names, "out"))
    return f"""{_HEAD}
.visible .entry k({parameters}, .param .u32 count)
{{
  .reg .b32 %r<4>;
  .reg .b64 %rd0;
  .reg .b{bits} %d, {", ".join("%" + n for n in names)};
  .reg .pred %p;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.u32 %r0, %r0, {_BLOCK}, %r1;
  ld.param.u32 %r2, [count];
  setp.ge.u32 %p, %r0, %r2;
  @%p ret;
{loads}
  {probe.opcode} %d, {", ".join("%" + n for n in names)};
  ld.param.u64 %rd0, [out];
  mad.wide.u32 %rd0, %r0, {bits // 8}, %rd0;
  st.global.b{bits} [%rd0], %d;
  ret;
}}
"""


def run(device: Device, names: Sequence[str], seed: int) -> Ran:
    """The digest of each case's results."""
    known = cases()
    return Ran({n: _digest(device, known[n], seed) for n in names}, dict.fromkeys(names, 0))


def _digest(device: Device, case: Case, seed: int) -> NDArray[np.uint8]:
    results = device(case.probe, case.operands(seed))
    if case.part == "upper":  # the lower words are zeros; where one is not, it tells in the digest
        low, high = results.astype(np.uint32), (results >> np.uint64(32)).astype(np.uint32)
        results = np.where(low == 0, high, high ^ low ^ np.uint32(0x5A5A_5A5A))
    return np.frombuffer(golden.digest(np.ascontiguousarray(results).view(np.uint8)), np.uint8)
