"""The report by lines of the source, and what a CTA takes of an SM."""

from __future__ import annotations

import numpy as np

import ptxlab as px


@px.kernel(target="sm_90a", threads=32)
def uneven(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
    buf = k.smem(px.f32, 1024)
    with k.loop(16) as i:
        k.st.shared.f32(buf[k.tid.x * 32 + i], 1.0)  # 32-way
    k.bar.sync(0)
    v = [k.ld.global_.f32(x[k.tid.x * 8 + j]) for j in range(4)]  # four instructions of one line
    k.st.global_.f32(y[k.tid.x], v[0] + v[1] + v[2] + v[3])


def _profile() -> px.Profile:
    return px.profile(uneven, grid=1, args=[np.zeros(512, np.float32), np.zeros(32, np.float32)])


def test_a_line_says_what_it_asks_of_memory_beside_what_would_do() -> None:
    lines = {line.place.rsplit(":", 1)[1]: line for line in _profile().lines}
    conflicts = lines[str(uneven_line("32-way"))]
    assert (conflicts.wavefronts, conflicts.least_wavefronts, conflicts.conflicts) == (16 * 32, 16, 16 * 31)
    loads = lines[str(uneven_line("four instructions"))]
    assert (loads.sectors, loads.least_sectors) == (4 * 32, 4 * 4)
    assert loads.executions >= 4


def uneven_line(words: str) -> int:
    """The number of the line of this file that has these words first."""
    with open(__file__, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if words in line)


def test_lines_come_by_cost_and_shares_are_of_all() -> None:
    found = _profile()
    assert [line.cycles for line in found.lines] == sorted((line.cycles for line in found.lines), reverse=True)
    assert abs(sum(line.share for line in found.lines) - 1) < 1e-9
    assert len({line.place for line in found.lines}) == len(found.lines)


def test_the_report_names_the_line_with_bank_conflicts() -> None:
    found = _profile()
    said = next(line for line in found.text().splitlines() if "bank conflicts" in line)
    assert "512 wavefronts of shared memory, 16 would do" in said
    assert said.endswith(f"test_lines.py:{uneven_line('32-way')}")
    assert any("sectors of global memory" in one for one in found.remarks)


def test_waits_of_a_line_are_one_row() -> None:
    found = _profile()
    rows = found.wait_rows(100)
    assert len({(warps, cause, where.split(": ")[0]) for _, warps, cause, where in rows}) == len(rows)
    assert len(rows) < len(found.stalls)


def test_a_kernel_without_conflicts_has_no_word_of_them() -> None:
    @px.kernel(threads=32)
    def plain(k: px.Builder, x: px.Ptr[px.f32]) -> None:
        k.st.global_.f32(x[k.tid.x], 1.0)

    found = px.profile(plain, grid=1, args=[np.zeros(32, np.float32)])
    assert "would do" not in found.text()


def test_occupancy_names_what_limits_it_and_registers_by_role() -> None:
    @px.kernel(target="sm_90a", threads=256, min_ctas=1, max_registers=128)
    def roles(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.smem(px.u32, 20_000)
        with k.if_(k.warp < 4):
            k.setmaxnreg.dec.sync.aligned.u32(40)
        with k.if_(k.warp >= 4):
            k.setmaxnreg.inc.sync.aligned.u32(200)
        k.st.global_.u32(x[k.tid.x], 1)

    found = px.profile(roles, grid=1, args=[np.zeros(256, np.uint32)]).occupancy
    assert set(found.limiters) == {"shared memory", "registers"}
    assert dict(found.roles) == {"warps 0-3": 40, "warps 4-7": 200}
    assert "40 in warps 0-3, 200 in warps 4-7" in found.pressure
