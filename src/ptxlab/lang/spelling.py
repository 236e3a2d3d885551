"""What was meant by an instruction, modifier or construct that does not exist: the right order, the nearest names."""

from __future__ import annotations

import difflib
import linecache
import re
from collections.abc import Iterable, Sequence

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.form import BY_ROOT
from ptxlab.isa.match import State, attribute_of, in_order, listed, part_of, shorter, unfinished, why_no_head
from ptxlab.isa.sregs import SREGS, in_python

ELSEWHERE = {
    "threadIdx": "k.tid", "thread_id": "k.tid", "blockIdx": "k.ctaid", "block_id": "k.ctaid", "program_id": "k.ctaid",
    "blockDim": "k.ntid", "gridDim": "k.nctaid", "num_programs": "k.nctaid", "lane": "k.laneid", "lane_id": "k.laneid",
    "warp_id": "k.warp", "clusterIdx": "k.clusterid",
    "syncthreads": "k.bar.sync(0)", "sync": "k.bar.sync(0)", "syncwarp": "k.bar.warp.sync(0xFFFFFFFF)",
    "threadfence": "k.fence.acq_rel.gpu()", "shared": "k.smem(px.f32, n)", "shared_memory": "k.smem(px.f32, n)",
    "printf": "k.print", "load": "k.ld", "store": "k.st", "for_": "`with k.loop(n) as i:`", "range": "`with k.loop(n) as i:`",
    "elif_": "`with k.else_():` around another `with k.if_(…):`", "return_": "k.exit()", "where": "k.selp", "select": "k.selp",
    "exp": "k.ex2.approx", "exp2": "k.ex2.approx", "log": "k.lg2.approx", "log2": "k.lg2.approx",
    "sqrtf": "k.sqrt", "fmaf": "k.fma.rn.f32", "expf": "k.ex2.approx", "ffs": "k.clz.b32(k.brev.b32(v)) + 1",
    "var": "k.reg(px.u32)", "variable": "k.reg(px.u32)", "register": "k.reg(px.u32)", "array": "k.smem(px.f32, n)",
    "assert_": "k.debug_assert", "device_assert": "k.debug_assert", "static_assert": "Python's `assert`",
    "ldg": "k.ld.global_.nc", "cp_async": "k.cp.async_", "memcpy_async": "k.cp.async_", "tma": "k.tma_load",
    "threadfence_block": "k.fence.acq_rel.cta()", "threadfence_system": "k.fence.acq_rel.sys()",
    "cluster_rank": "k.cluster_ctarank", "goto": "k.bra", "warpSize": "32", "unroll": "Python's `for`, which unrolls",
    "ballot": "k.vote.sync.ballot", "ballot_sync": "k.vote.sync.ballot", "any_sync": "k.vote.sync.any",
    "all_sync": "k.vote.sync.all", "match_any": "k.match.any", "match_any_sync": "k.match.any.sync",
    **dict.fromkeys(("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"), "k.shfl.sync"),
    **{f"atomic{name}": "k.atom or k.red" for name in ("Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor")},
    **dict.fromkeys(("shfl_up", "shfl_down", "shfl_xor", "shuffle", "shuffle_xor"), "k.shfl.sync"),
    **{word: f"`slot.{word}(…)` on what k.tensormap(…) gives" for word in ("seed", "rebind", "acquire")},
    "clamp": "k.max and k.min", "clip": "k.max and k.min", "relu": "k.max.f32(x, 0.0)",
    "cast": "k.cvt", "to": "k.cvt", "atomic_add": "k.atom or k.red", "atomicAdd": "k.atom or k.red", "dot": "k.mma or k.wgmma",
}  # fmt: skip
"""Names of CUDA, Triton and Python, and what the language has for them."""


def path(parts: Iterable[str]) -> str:
    """An opcode as a kernel writes it: `k.cp.async_.cg.shared.global_`."""
    return ".".join(["k", *map(attribute_of, parts)])


def elsewhere(attribute: str) -> str | None:
    """What the language has for a name of CUDA, Triton or Python; CUDA's `__` in front may be there."""
    return ELSEWHERE.get(attribute.removeprefix("__"))


def no_root(attribute: str, word: str, constructs: Iterable[str]) -> Diagnostic:
    """Neither an instruction nor a construct has this name."""
    found = why_no_head(word)
    if found.code != "PTX0100":
        return found
    meant = elsewhere(attribute) or (in_python(f"%{attribute}") if f"%{attribute}" in SREGS else None)
    if meant is not None:
        found.help = f"here it is {meant}"
        return found
    names = [*map(attribute_of, BY_ROOT), *constructs]
    near = difflib.get_close_matches(attribute, names, n=3)
    if near:
        found.help = f"did you mean {' or '.join(f'k.{n}' for n in near)}?"
    return found


def no_part(parts: Sequence[str], part: str, state: State) -> Diagnostic:
    """No row goes on with this part.

    Args:
        parts: what was written before it. state: where that leads.
    """
    found = why_no_head(".".join((*parts, part)))
    if found.code != "PTX0101":
        return found
    written = [*parts, part]
    for tail in (_rest(written), []):
        whole = [*written, *tail]
        ordered = in_order(whole)
        if ordered is not None and ordered != whole:
            found.help = f"the order is {path(ordered)}"
            return found
    missing = unfinished(written)
    if missing:
        found.help = f"something is missing before `{attribute_of(part)}`: {' or '.join(map(path, missing))}"
        return found
    options = state.parts()
    near = difflib.get_close_matches(part, options, n=2)
    hint = f"did you mean {' or '.join(path([*parts, n]) for n in near)}? " if near else ""
    fewer = shorter([*written, *_rest(written)], len(parts))
    if fewer is not None and not difflib.get_close_matches(part, options, n=1, cutoff=0.8):
        hint = f"{path(fewer[0])} has no `{attribute_of(fewer[1])}`; "
    found.help = hint + f"what may follow: {listed([*map(attribute_of, options)])}"
    return found


def _rest(parts: Sequence[str]) -> list[str]:
    """The parts that the user's line has behind these."""
    place = user_span()
    line = linecache.getline(place.file, place.line)
    found = re.search(re.escape(path(parts)[1:]) + r"((?:\.\w+)+)", line)
    return [part_of(a) for a in found[1][1:].split(".")] if found else []
