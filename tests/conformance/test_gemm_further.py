"""Types, scales and epilogues of the matrix product: NumPy's bits on integers, an H200's on other numbers, and near to float64."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from ptxlab.conformance.kernels import adversarial, bounds
from ptxlab.conformance.kernels.cases import Case
from ptxlab.conformance.kernels.digests import Record, digest, read
from ptxlab.conformance.kernels.further import RECORD, Product, further, others, products
from ptxlab.conformance.kernels.packed import packed
from ptxlab.conformance.kernels.packed import shown as shown_groups
from ptxlab.conformance.kernels.run import Verdict, judge, simulator
from ptxlab.conformance.kernels.tensors import grouped_case

HELD = read(Path(__file__).with_name("h200") / "products.json")
CASES = [*products(), *others(), *packed()]
KINDS = [pytest.param(c, kind, id=c.recorded(kind)) for c in CASES for kind in c.kinds if kind != "integers"]
TYPES = ("bfloat16", "float16", "float32", "float8_e4m3fn", "float8_e5m2")


def test_all_are_recorded() -> None:
    assert {c.recorded(kind) for c, kind in (p.values for p in KINDS)} == set(HELD.digests)
    assert "H200" in HELD.gpu
    assert all((HELD.driver, HELD.cuda, HELD.ptxas, HELD.date))


def test_the_package_holds_those_that_are_shown() -> None:
    shown = read(RECORD)
    assert shown.provenance == HELD.provenance
    assert shown.digests == {c.key: HELD.digests[c.key] for c in (*further(), *shown_groups())}


@pytest.mark.parametrize("case", [*further(), *shown_groups()], ids=lambda c: c.kernel)
def test_integers_are_exact(case: Case) -> None:
    outcome = judge(case, "integers", simulator, Record())
    assert outcome.verdict is Verdict.EQUAL, outcome.detail


@pytest.mark.parametrize(("case", "kind"), KINDS)
def test_the_bytes_of_an_h200(case: Case, kind: str) -> None:
    arrays = case.arrays(kind)
    found = simulator(case, arrays).output
    assert case.outside is None or case.outside(case.arrays(kind), found) == ""
    assert not HELD.difference(case.recorded(kind), found)


@pytest.mark.parametrize(("layout", "out"), [("kn", "bfloat16"), ("nk", "float32")])
def test_tiles_of_fitting_width_give_the_same_bytes(layout: str, out: str) -> None:
    """The record is of blocks of 128 rows."""
    case = grouped_case(layout, out, "128x256-2c-swapped")
    found = simulator(case, case.arrays("adversarial")).output
    assert not HELD.difference(f"{case.key}/adversarial", found)


# --- the bound ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", TYPES)
def test_the_bound_is_narrow_and_asks_much(dtype: str) -> None:
    product = Product("of types", (dtype, dtype, "float32"))
    wanted = product.sums(product.arrays("random"))
    size = np.abs(wanted.exact).mean()
    assert wanted.slack.max() < size * (0.5 if "float8" in dtype else 0.02 if dtype == "float32" else 0.0002)
    wanted = product.sums(product.arrays("adversarial"))
    said = ~np.isinf(wanted.slack)
    assert said.mean() > 0.6
    assert np.isnan(wanted.exact[said]).any()
    assert (wanted.exact[said] == 0).any()
    assert (np.abs(wanted.exact[said]) < 2.0**-20).any()


@pytest.mark.parametrize("wrong", ["one bit", "a NaN", "no NaN", "an infinity"])
def test_what_lies_outside_is_seen(wrong: str) -> None:
    product = Product("of types", ("bfloat16", "bfloat16", "float32"))
    arrays = product.arrays("adversarial" if wrong == "no NaN" else "random")
    with np.errstate(all="ignore"):
        right = product.sums(arrays).exact.astype(np.float32)
    assert product.outside(arrays, right) == ""
    if wrong == "one bit":
        right[3, 5] *= 1.001
    else:
        at = np.argwhere(np.isnan(right))[0] if wrong == "no NaN" else (3, 5)
        right[tuple(at)] = {"a NaN": np.nan, "no NaN": 1, "an infinity": np.inf}[wrong]
    assert product.outside(arrays, right).startswith("1 of 10368 elements lie outside the bound; the first is [")


def test_results_are_rounded_saturated_and_wrapped() -> None:
    values = np.array([1 + 2.0**-9, 1e6, -1e6, 3e38, 2.0**31 + 3])
    assert bounds.as_type(values, np.dtype(ml_dtypes.bfloat16))[0] == 1
    assert bounds.as_type(values, np.dtype(ml_dtypes.float8_e4m3fn)).tolist() == [1, 448, -448, 448, 448]
    assert np.isinf(bounds.as_type(values, np.dtype(np.float16))[3])
    assert bounds.as_type(values[-1:], np.dtype(np.int32)).tolist() == [-(2**31) + 3]


# --- the numbers -------------------------------------------------------------------------------------------------------
# These bytes must never change: digests recorded on a GPU are digests of what kernels make of them.
FIXED = {
    "bfloat16": "5597cb92d735fd87aabdf14be335f1ef9afab389907a904b71a8b1d31e424d4b",
    "float8_e4m3fn": "066caa28255cb830b7dcc66c747289c08472e8fd6384ff06d6ac25b1c27ab4fa",
    "int8": "3c8b3acae3c58a06ee997a33602ee6865b40f04391f8f068004de3162a4a8855",
}


@pytest.mark.parametrize("dtype", FIXED)
def test_the_numbers_stay_what_they_were_when_digests_were_recorded(dtype: str) -> None:
    made = adversarial.rows((9, 33), np.dtype(getattr(ml_dtypes, dtype, dtype)), seed=3)
    assert digest(made) == FIXED[dtype]


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_are_of_their_class(dtype: str) -> None:
    type_ = np.dtype(getattr(ml_dtypes, dtype, dtype))
    with np.errstate(all="ignore"):
        made = dict(zip(adversarial.CLASSES, adversarial.rows((8, 64), type_, seed=5).astype(np.float64), strict=True))
    facts = ml_dtypes.finfo(type_)
    assert np.abs(made["huge"]).min() >= float(facts.max) / 2
    assert (np.abs(made["subnormal"]) <= float(facts.smallest_normal)).all()
    assert (made["negative zero"] == 0).all()
    assert np.signbit(made["negative zero"]).sum() == 60
    assert np.isnan(made["one NaN"]).sum() == 1
    assert (np.abs(made["one infinity"]) >= float(facts.max)).sum() == 1
    assert np.isfinite(made["uniform"]).all()


def test_matrices_without_elements_and_columns() -> None:
    assert adversarial.rows((0, 8), np.dtype(np.float32), seed=1).shape == (0, 8)
    assert adversarial.rows((16,), np.dtype(np.float32), seed=1).shape == (16,)
