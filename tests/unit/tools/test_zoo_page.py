"""The page that compares the sanitizer with compute-sanitizer is made of its record, which has the kernels of the zoo."""

import json

from tools.zoo.items import items, name_of
from tools.zoo.page import PAGE, RECORD, page


def test_the_page_is_made_of_the_record() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert PAGE.read_text(encoding="utf-8") == page(record), "run python -m tools.generate"


def test_the_record_has_the_zoo() -> None:
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))["kernels"]
    names = [name_of(*item) for item in items()]
    missing = [name for name in names if name not in recorded]
    assert len(missing) * 10 < len(names), f"run the zoo on a GPU again (python -m tools.zoo watch): it lacks {missing}"
