"""Probes of rows: what they cover, and that a wrong result is found and shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.record.results import NO_DETAILS
from ptxlab.conformance.rows import run as rows
from ptxlab.conformance.rows.emit import LANES, batches, loaded, operands
from ptxlab.conformance.rows.moves import moves
from ptxlab.conformance.rows.probes import EXCLUDED, Probe, probed, probes
from ptxlab.conformance.rows.products import of_keys, products
from ptxlab.conformance.rows.values import decode, encode
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Carry, Compute, WarpWide
from ptxlab.isa.form import FORMS
from ptxlab.isa.targets import Target
from tools.record.compact import digested

PROBES = probes()
SOME = [
    *("add.f32 add.rz.f32", "setp setp.lt.and.s32 pair not", "mov.unpack.b128.4 mov.b128", "cvt cvt.s8.s32"),
    *(
        "shfl.sync shfl.sync.idx.b32 pair",
        "stmatrix stmatrix.sync.aligned.m8n8.x2.shared.b16",
        "sin.f32 sin.approx.f32",
    ),
]
PRODUCT = "wgmma m64n8k16.f32.bf16.bf16 ss scale_d=1 signs=1,1 trans=0,0 swizzle=none data=near"


@pytest.fixture(scope="module")
def simulated() -> Golden:
    ran = rows.run(rows.simulator, [Probe.of_key(k) for k in SOME], of_keys([PRODUCT]), seed=1)
    return Golden(gpu="none", seed=1, results=ran.results, operands=ran.operands)


def test_every_computing_row_of_hopper_is_probed_or_says_why_not() -> None:
    covered = {p.form.key for p in PROBES}
    hopper = Target.parse("sm_90a")
    for form in FORMS.values():
        if (
            isinstance(form.effect, (Carry, Compute, WarpWide))
            and form.needs.target_ok(hopper)
            and not form.unsimulated
        ):
            assert form.key in covered or form.key in EXCLUDED or form.needs.version > (9, 0), form.key
    assert set(EXCLUDED) <= set(FORMS)
    assert not any(probed(FORMS[k]) for k in EXCLUDED)


def test_every_value_of_a_modifier_is_probed() -> None:
    cvt = {p.mods["dtype"] for p in PROBES if p.form.key == "cvt.to_int"}
    assert cvt == {f"{kind}{bits}" for kind in "us" for bits in (8, 16, 32, 64)}
    assert {p.mods.get("bool") for p in PROBES if p.form.key == "set.f16"} == {None, "and", "or", "xor"}


def test_carries_are_loaded_and_stored() -> None:
    """What the instruction reads and leaves are columns of their own."""
    keys = ["addc.cc addc.cc.u32", "subc.cc subc.cc.u32", "subc.cc subc.cc.u32 crossed", "add.cc add.cc.u64"]
    ran = rows.run(rows.simulator, [Probe.of_key(k) for k in keys], [], seed=3)
    for key in keys:
        probe = Probe.of_key(key)
        bits = probe.outputs[0].type.bits
        a, b, *carry = [c[0].tolist() for c in operands(probe, 3)]
        found, left = loaded(probe.outputs, ran.results[key])
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            more = carry[0][i] if carry else 0
            if "crossed" in key:  # subtraction keeps the opposite of a borrow, which is what addition takes for a carry
                more = 1 - more
            total = x - y - more if "sub" in key else x + y + more
            assert (found[i], left[i]) == (total & ((1 << bits) - 1), int(not 0 <= total < 1 << bits))
        assert not carry or set(carry[0]) == {0, 1}


def test_keys_lead_back_to_probes() -> None:
    assert len({p.key for p in PROBES}) == len(PROBES) <= 4000
    assert all(Probe.of_key(p.key).text == p.text for p in PROBES)
    assert of_keys([p.key for p in products()]) == products()


def test_operands_hold_corners_and_come_from_the_seed() -> None:
    probe = Probe.of_key("add.f32 add.rz.f32")
    a, b = (v[0].astype(np.uint32).view(np.float32) for v in operands(probe, 0))
    for kind in (np.isnan, np.isinf, lambda v: v == 0, lambda v: (v != 0) & (np.abs(v) < 2.0**-126)):
        assert kind(a).any()
        assert kind(b).any()
    assert np.count_nonzero(np.abs(a) == np.abs(b)) > LANES // 32
    assert all(np.array_equal(x, y) for x, y in zip(operands(probe, 0), operands(probe, 0), strict=True))
    assert not np.array_equal(operands(probe, 0)[0][0], operands(probe, 1)[0][0])


def test_a_record_equals_itself_and_survives_a_file(simulated: Golden, tmp_path: Path) -> None:
    golden.write(simulated, tmp_path / "rows.npz")
    assert list(rows.differences(golden.read(tmp_path / "rows.npz"))) == []
    read = golden.read(tmp_path / "rows.npz")
    assert list(read.results) == [*SOME, PRODUCT]


@pytest.mark.parametrize("key", [*SOME, PRODUCT])
def test_a_wrong_result_is_found(simulated: Golden, key: str) -> None:
    wrong = simulated.results[key].copy()
    wrong[3] ^= 0x20
    results = {**simulated.results, key: wrong}
    found = list(rows.differences(replace(simulated, results=results), [key]))
    assert [(d.key, d.count) for d in found] == [(key, 1)]
    assert "chip" in str(found[0])
    assert "simulator" in str(found[0])


def test_digests_find_a_wrong_result() -> None:
    keys = ["add add.u32", "sin.f32 sin.approx.f32", moves()[0].key, PRODUCT]
    ran = rows.run(rows.simulator, [Probe.of_key(k) for k in keys[:2]], of_keys([PRODUCT]), 1, moves()[:1])
    right = digested(Golden(seed=1, results=ran.results, operands=ran.operands))
    assert not right.results
    assert list(rows.differences(right, keys)) == []
    wrong = replace(right, digests={k: bytes(8) for k in right.digests})
    found = {d.key: d for d in rows.differences(wrong, keys)}
    assert set(found) == set(keys)
    assert all(d.count == d.of and d.examples == (NO_DETAILS,) for d in found.values())


def test_approximations_may_not_differ_in_the_last_bit(simulated: Golden) -> None:
    key = "sin.f32 sin.approx.f32"
    near = simulated.results[key].copy()
    near[0] ^= 1
    found = list(rows.differences(replace(simulated, results={**simulated.results, key: near}), [key]))
    assert [d.count for d in found] == [1]


def test_other_operands_are_no_difference(simulated: Golden) -> None:
    changed = replace(simulated, operands={k: v ^ 1 for k, v in simulated.operands.items()})
    with pytest.raises(Diagnostic, match="operands of 1 probes") as caught:
        list(rows.differences(changed, SOME[:1]))
    assert caught.value.code == "PTX2500"


def test_a_row_that_is_gone(simulated: Golden) -> None:
    with pytest.raises(Diagnostic, match="no more"):
        list(rows.differences(simulated, ["add.f24 add.f24"]))


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04", b"{}"])
def test_files_that_are_no_record(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(text)
    with pytest.raises(Diagnostic) as caught:
        golden.read(tmp_path / "x.npz")
    assert caught.value.code == "PTX2500"


def test_results_are_those_of_numpy() -> None:
    """The harness itself: what goes in and comes out belongs together."""
    probe = Probe.of_key("mul.f64 mul.rn.f64")
    (batch,) = batches([probe])
    out = rows.simulator(batch.text, batch.entries, [batch.memory(3)], batch.write_bytes, (1, LANES))
    got = np.array(loaded(probe.outputs, batch.results(out)[probe.key])[0], np.uint64)
    x, y = (decode("f64", v[0]) for v in operands(probe, 3))
    with np.errstate(all="ignore"):
        product = x * y
    numbers = ~np.isnan(product)
    assert np.array_equal(got[numbers], encode("f64", product)[numbers])
