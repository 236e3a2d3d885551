"""From the record of microbenchmarks to the table of a chip: `python -m ptxlab.bench.calibrate.table RECORD CHIP.json`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import typer

from ptxlab.bench.calibrate.experiments import STEPS
from ptxlab.bench.calibrate.grids import FAR, NEAR
from ptxlab.bench.predict.run import latest, ranks, summary

_WARPS: Final = 8
"""Warps of each quarter of an SM, in the experiments that show throughput."""
_OVERHEAD: Final = frozenset({"UIADD3", "ISETP", "BRA"})
"""Instructions of the loop around a body: one of each at most is not of the step."""
PIPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("FADD", "FMUL", "FFMA", "IMAD", "IMAD.HI", "IDP", "HADD2", "HMUL2", "HFMA2"), "fma"),
    **dict.fromkeys(("MUFU", "POPC", "FLO", "BREV", "F2I", "I2F", "F2F", "FRND", "FCHK"), "xu"),
    **dict.fromkeys(("DADD", "DMUL", "DFMA", "DSETP"), "f64"),
    **dict.fromkeys(("HMMA", "IMMA", "DMMA", "QMMA", "BMMA"), "tensor"),
    **dict.fromkeys(("SHFL", "REDUX", "MATCH", "VOTE"), "exchange"),
}
"""Which pipe takes an instruction; "alu" takes all others. NVIDIA's guides name them for the architecture; they are not
measured."""
_LIKE: Final[Mapping[str, str]] = {
    "HMUL2": "HFMA2", "HSETP2": "HFMA2", "HSET2": "HFMA2", "HMNMX2": "LOP3", "FSETP": "LOP3", "FSEL": "LOP3", "FSET": "LOP3",
    "LEA": "LOP3", "VIADD": "IADD3", "PLOP3": "LOP3", "SGXT": "LOP3", "BMSK": "LOP3", "IABS": "LOP3", "P2R": "LOP3",
    "DSETP": "DADD", "F2F": "F2I", "I2F": "F2I", "FRND": "F2I", "FCHK": "MUFU", "DMMA": "HMMA", "VIADDMNMX": "VIMNMX",
}  # fmt: skip
"""Instructions that are not measured, and those whose figures they have."""
_LOADS: Final = "LDS STS LDSM STSM ATOMS LDG STG LD ST LDL STL ATOM ATOMG REDG RED LDGSTS"
"""Instructions that go to the pipe of loads and stores, as LDS does."""
_BY_FIGURES: Final = "HGMMA IGMMA QGMMA UBLKCP BAR MEMBAR FENCE"
"""Instructions that only take their turn: what they start is among the figures."""
_SLOW: Final = "LDC S2R S2UR B2R R2UR"
"""Instructions whose results take a while: how long is not measured."""
_FREE: Final = (
    "MOV UMOV UIADD3 ULOP3 USHF UISETP ULEA ULDC USEL UIMAD CS2R BRA EXIT BSSY BSYNC BREAK CALL RET NOP WARPSYNC YIELD ELECT VOTEU "
    "PREEXIT ACQBULK WARPGROUP USETMAXREG DEPBAR LDGDEPBAR UTMALDG UTMASTG UTMACMDFLUSH UTMACCTL ERRBAR CGAERRBAR CCTL"
)
"""Instructions that only take their turn to issue, as far as is known."""
_AROUND: Final = 54
_OUTSIDE: Final = 16
_BEHIND: Final = 9
_MET: Final = 4
"""Cycles of the instructions around a copy and its wait, around a group of wgmma, behind a barrier, and around a cluster's barrier,
by their stall counts: the replay has them by themselves."""


def table(
    lines: Iterable[Mapping[str, Any]], name: str, predictions: Iterable[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The table of a chip, as its file has it. predictions: and measurements, the record of `ptxlab bench predict`."""
    record = list(lines)
    steps = [line for line in record if "chains" in line and "machine" in line]
    first = next(line for line in record if "cycles" in line)
    costs = _costs(steps)
    for one, other in _LIKE.items():
        if other in costs:
            costs.setdefault(one, {**costs[other], "basis": "assumed", "pipe": PIPES.get(one, costs[other]["pipe"])})
    for one in _FREE.split():
        costs.setdefault(one, {"interval": 1.0, "latency": 6.0, "pipe": "none", "basis": "assumed"})
    figures = _figures(record)
    for one in _LOADS.split():
        basis = "measured" if one == "LDS" else "assumed"
        costs[one] = {"interval": 4.0, "latency": figures["shared.latency"]["value"], "pipe": "loads", "basis": basis}
    for one in _SLOW.split():
        costs[one] = {"interval": 2.0, "latency": 25.0, "pipe": "none", "basis": "assumed"}
    for one in ("SYNCS", "ARRIVES"):
        half = figures["mbarrier.latency"]["value"] / 2
        costs[one] = {"interval": 1.0, "latency": half, "pipe": "none", "basis": "measured"}
    for one in _BY_FIGURES.split():
        costs[one] = {"interval": 1.0, "latency": 6.0, "pipe": "none", "basis": "measured"}
    return {
        "name": name,
        "clock_mhz": float(first["gpu"]["clocks.sm"]),
        "tensor_clock_mhz": _tensor_clock(predictions) or float(first["gpu"]["clocks.sm"]),
        "about": {
            "gpu": first["gpu"]["name"],
            "driver": first["gpu"]["driver_version"],
            "ptxas": first["ptxas"],
            "date": first["date"],
        },
        "costs": dict(sorted(costs.items())),
        "products": _products(record),
        "figures": figures,
        "errors": {
            kind: {what: round(number, 4) for what, number in facts.items()}
            for kind, facts in summary(latest(predictions)).items()
        },
        "ranks": {
            kind: {what: round(number, 4) for what, number in facts.items()}
            for kind, facts in ranks(predictions).items()
        },
    }


def _tensor_clock(lines: Iterable[Mapping[str, Any]]) -> float:
    """MHz of the SMs beside kernels with wgmma, the median; 0 where none was measured."""
    found = [line["clock_mhz"] for line in lines if line["kind"] in ("gemm", "attention") and "clock_mhz" in line]
    return round(statistics.median(found)) if found else 0.0


def _costs(steps: list[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Interval and latency of each instruction that is measured alone; then of those measured beside known ones of their pipe."""
    measured = {name: counted for name, _, _, counted in STEPS if counted}
    alone = {line["name"]: line for line in steps if line["warps"] == 1 and line["chains"] == 1}
    many = {line["name"]: line for line in steps if line["warps"] == 4 * _WARPS}
    many |= {line["name"]: line for line in steps if line["warps"] == 16 and line["name"].startswith("mma.")}
    out: dict[str, dict[str, Any]] = {}
    pending = dict(measured) | {n: ("IMMA" if ".s32." in n else "HMMA") for n in many if n.startswith("mma.")}
    for line in (*many.values(), *alone.values()):  # records of before the two kinds of IMAD had names
        if measured.get(line["name"]) == "IMAD.HI":
            line["machine"].setdefault("IMAD.HI", line["machine"].pop("IMAD", 0))
    for beside in (False, True):
        for name, counted in pending.items():
            line, one = many.get(name), alone.get(name)
            if line is None or one is None or counted in out or counted not in line["machine"]:
                continue
            pipe = PIPES.get(counted, "alu")
            others = {k: n for k, n in line["machine"].items() if k != counted and not (k in _OVERHEAD and n <= 3)}
            if bool(others) is not beside:
                continue
            count = line["machine"][counted] / line["steps"]
            warps = line["warps"] / 4
            known = sum(
                out[k]["interval"] * n / line["steps"] for k, n in others.items() if k in out and out[k]["pipe"] == pipe
            )
            waits = sum(out[k]["latency"] * n / line["steps"] for k, n in others.items() if k in out)
            out[counted] = {
                "interval": round(max(1.0, (line["cycles"] / warps - known) / count), 3),
                "latency": round((one["cycles"] - waits) * line["steps"] / line["machine"][counted], 2),
                "pipe": pipe,
                "basis": "measured",
            }
        if "LOP3" in out:
            out.setdefault("ISETP", {**out["LOP3"], "basis": "assumed"})
    return out


def _products(record: list[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Cycles that a wgmma adds to a group of them, of bf16, by N: other types take the same for their K."""
    out: dict[str, dict[str, float]] = {"shared": {}, "registers": {}}
    groups = {
        (line["name"].endswith("registers"), line["n"], line["group"]): line["cycles"] * line["group"]
        for line in record
        if line["name"].startswith("wgmma")
        and "bf16" in line["name"]
        and "beside" not in line["name"]
        and line["warpgroups"] == 1
    }
    for in_registers, n, group in groups:
        if group == 8:
            each = (groups[in_registers, n, 8] - groups[in_registers, n, 4]) / 4
            out["registers" if in_registers else "shared"][str(n)] = round(each, 2)
    return out


def _figures(record: list[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """All else that the model asks for."""

    def cycles(name: str, **facts: Any) -> float:
        return next(r["cycles"] for r in record if r["name"] == name and all(r.get(k) == v for k, v in facts.items()))

    def micros(name: str, **facts: Any) -> list[Mapping[str, Any]]:
        return [r for r in record if r["name"] == name and "us" in r and all(r.get(k) == v for k, v in facts.items())]

    out: dict[str, dict[str, Any]] = {}

    def put(name: str, value: float, basis: str, source: str) -> None:
        out[name] = {"value": round(value, 4), "basis": basis, "from": source}

    clock = float(next(r for r in record if "cycles" in r)["gpu"]["clocks.sm"])
    put("shared.latency", cycles("ld.shared.u32"), "measured", "ld.shared.u32, a chain")
    wide = "ld.shared, 16 bytes a lane, 1 lanes a bank"
    put("shared.wavefront", cycles(wide, warps=4) / 16, "measured", f"{wide}, 4 warps")
    put(
        "shared.interval", cycles("ld.shared, 4 bytes a lane, 1 lanes a bank", warps=1), "measured", "ld.shared, 1 warp"
    )
    put("l1.latency", cycles("ld.global", bytes=8192), "measured", "ld.global, a chain over 8 KiB")
    put("l2.latency", cycles("ld.global.cg", bytes=262144), "measured", "ld.global.cg, a chain over 256 KiB")
    bulk = {n: cycles(f"cp.async.bulk, {n} bytes, 1 at a time, over 1024 KiB") for n in (16, 4096, 16384, 65536)}
    rate = (65536 - 16384) / (bulk[65536] - bulk[16384])
    put("bulk.bytes_per_cycle", rate, "measured", "cp.async.bulk of 16 and 64 KiB")
    seen = cycles("mbarrier.arrive, try_wait", warps=1) / 2 + _AROUND
    put(
        "bulk.latency",
        bulk[4096] - 4096 / rate - seen,
        "measured",
        "cp.async.bulk of 4 KiB, without its bytes and the wait",
    )
    flying = cycles("cp.async.bulk, 1024 bytes, 32 at a time, over 1024 KiB") * 32
    put("bulk.interval", (flying - bulk[4096] + 3072 / rate) / 31, "measured", "32 copies of 1 KiB at a time")
    one, many = cycles("bar.sync", warps=1), cycles("bar.sync", warps=32)
    put("barrier.interval", (many - one) / 31, "measured", "bar.sync of 1 and 32 warps")
    put(
        "barrier.latency",
        one - (many - one) / 31 - _BEHIND,
        "measured",
        "bar.sync of 1 warp, without the instructions around",
    )
    for source in ("shared memory", "registers"):
        name = f"wgmma.m64n128k16.f32.bf16.bf16, A in {source}"
        group = cycles(name, group=8, warpgroups=1) * 8
        each = group - cycles(name, group=4, warpgroups=1) * 4
        about = "a group of 8 wgmma, without their cycles and the instructions around"
        put(f"wgmma.latency.{source.split()[0]}", group - 2 * each - _OUTSIDE, "measured", about)
    several = "ld.shared, 4 bytes a lane, 8 lanes a bank"
    put("shared.quarter", cycles(several, warps=1) / 8, "measured", f"{several}, 1 warp: a quarter of an SM alone")
    syncs = cycles("mbarrier.arrive, try_wait", warps=16) / 32
    put("mbarrier.interval", syncs, "measured", "arrive and try_wait of 16 warps, by instruction")
    put("fence.cta", cycles("fence.acq_rel.cta"), "measured", "fence.acq_rel.cta")
    put("fence.gpu", cycles("fence.acq_rel.gpu"), "measured", "fence.acq_rel.gpu")
    put("fence.proxy", cycles("fence.proxy.async"), "measured", "fence.proxy.async")
    _of_network(put, cycles, seen, out["fence.gpu"]["value"])
    put(
        "issue.beside_products",
        _beside(record),
        "measured",
        "ex2, lop3, and fma with ex2 beside wgmma: what each takes more",
    )
    _of_grids(put, cycles, micros, clock)
    return out


def _of_network(put: Any, cycles: Any, seen: float, fence: float) -> None:
    """What CTAs of a cluster send each other. seen: cycles around a copy and its wait. fence: of a release beyond the CTA."""
    far, near = (
        cycles(f"ld.shared::cluster {whose}, a chain, cluster of 2") for whose in ("of another CTA", "of its own CTA")
    )
    around = near - cycles("ld.shared.u32")
    put(
        "network.latency",
        far - around,
        "measured",
        "ld.shared::cluster of another CTA, a chain, without what computes addresses",
    )
    for what, name in (("load", "ld.shared::cluster of another CTA"), ("store", "st.shared::cluster")):
        each = cycles(f"{name}, 16 bytes a lane, cluster of 2, all SMs", warps=8)
        put(f"network.{what}_bytes_per_cycle", 8 * 512 / each, "measured", f"{name}, 8 warps of all SMs")
    copy = "cp.async.bulk to another CTA"
    one = cycles(f"{copy}, 16 bytes, 1 at a time, cluster of 2")
    four = cycles(f"{copy}, 16384 bytes, 4 at a time, cluster of 2, all SMs") * 4
    put("network.copy_bytes_per_cycle", 65536 / (four - one), "measured", f"{copy}, 64 KiB of all SMs at a time")
    put("network.copy_latency", one - seen, "measured", f"{copy}, 16 bytes, without the wait")
    arrival = cycles("mbarrier.arrive of another CTA, try_wait, cluster of 2")
    put(
        "network.arrival",
        arrival - fence,
        "measured",
        "mbarrier.arrive of another CTA, without its fence",
    )
    meets = cycles("barrier.cluster, relaxed, cluster of 2", warps=1)
    put(
        "network.barrier.latency",
        meets - _MET,
        "measured",
        "barrier.cluster of 1 warp, without the instructions around",
    )


def _beside(record: list[Mapping[str, Any]]) -> float:
    """Cycles that an instruction takes more while the tensor cores work, the mean of some kinds."""
    found: list[float] = []
    for name, few, many, alone, each in (
        ("ex2.approx.ftz.f32", 16, 32, "ex2.approx.ftz.f32", 1),
        ("lop3", 64, 128, "lop3", 1),
        ("fma, ex2", 16, 32, "ex2.approx.ftz.f32", 2),
    ):
        full = f"wgmma.m64n128k16.f32.bf16.bf16, A in shared memory, beside {name}"
        lines = {r["count"]: r for r in record if r["name"] == full}
        interval = next(r["cycles"] for r in record if r["name"] == alone and r["warps"] == 4 * _WARPS) / _WARPS
        longer = (lines[many]["others"] - lines[few]["others"]) / (many - few) - interval
        busy = _products(record)["shared"]["128"] * lines[many]["group"] / lines[many]["own"]
        found.append(longer / each / busy)
    return sum(found) / len(found)


def _of_grids(put: Any, cycles: Any, micros: Any, clock: float) -> None:
    """What SMs have together, and launches."""
    empty = {(r["ctas"], r["threads"]): r["us"] for r in micros("nothing", cluster=None)}

    def rate(kind: str, nbytes: int, **facts: Any) -> float:
        """Bytes a cycle, without the time of a launch."""
        found = [
            r["bytes"] * r["rounds"] / (r["us"] - empty[1, 32]) / clock for r in micros(kind, bytes=nbytes, **facts)
        ]
        return max(found)

    for sms in (1, 16, 66, 132):
        each = rate("bulk read", NEAR, ctas=sms) / sms
        put(f"l2.bytes_per_cycle.{sms}", each, "measured", f"bulk reads of 32 MiB by {sms} SMs, for each")
    for alike in (2, 4, 12, 33):
        found = micros("bulk read, alike", alike=alike)[-1]
        each = found["bytes"] * found["rounds"] / (found["us"] - empty[1, 32]) / clock * alike / found["ctas"]
        put(f"l2.alike.{alike}", each, "measured", f"bulk reads of 132 SMs, {alike} of them of the same, for each SM")
    for name, cluster in (("launch.turn", None), ("launch.cluster_turn", 2)):
        alone = {r["ctas"]: r["us"] for r in micros("nothing, an SM for each CTA", cluster=cluster)}
        turn = (alone[10560] - alone[1056]) * clock / 72
        put(name, turn, "measured", f"empty CTAs that have an SM each{', clusters of 2' if cluster else ''}")
    put("l2.write_bytes_per_cycle", rate("write", NEAR), "measured", "writes of 32 MiB by all SMs")
    put("memory.bytes_per_cycle", rate("bulk read", FAR), "measured", "bulk reads of 1 GiB by all SMs")
    put("memory.write_bytes_per_cycle", rate("write", FAR), "measured", "writes of 1 GiB by all SMs")
    put("memory.copy_bytes_per_cycle", rate("copy", FAR), "measured", "a copy of 512 MiB by all SMs, both ways")
    put("launch.us", empty[132, 256], "measured", "a grid of 132 CTAs without work, replayed by a graph")
    waves = (empty[13200, 256] - empty[1320, 256]) * clock / 90
    put("launch.cycles_per_wave", waves, "measured", "grids of 1320 and 13200 CTAs of 256 threads, for 132 CTAs")
    cold = [r["cycles"] for r in _chases(cycles)]
    if cold:
        put("memory.latency", cold[0], "measured", "ld.global.cg, a chain over 64 MiB not in L2")
    else:
        put("memory.latency", 600, "assumed", "a little more than twice that of L2")
    put(
        "mbarrier.latency",
        cycles("mbarrier.arrive, try_wait", warps=1) - 8,
        "measured",
        "arrive and try_wait of 1 warp, without stall counts",
    )


def _chases(cycles: Any) -> list[dict[str, float]]:
    """The chain through memory that L2 does not hold, where it was measured."""
    try:
        return [{"cycles": cycles("ld.global, cold", bytes=1 << 26)}]
    except StopIteration:
        return []


def main(record: Path, out: Path, name: str = "", predictions: Path | None = None) -> None:
    """Write the table of a chip. predictions: the record of `ptxlab bench predict`, for its errors."""

    def lines(path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]

    made = table(lines(record), name or out.stem.upper(), lines(predictions) if predictions is not None else ())
    out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
