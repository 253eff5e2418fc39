"""The table of budgets holds what was last measured."""

import re

from benchmarks.budgets import table
from warehouse.home import PROJECT_ROOT


def test_the_table_of_budgets_is_of_the_newest_results() -> None:
    text = (PROJECT_ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- budgets -->\n(.*)\n<!-- end of budgets -->", text, re.DOTALL)
    assert found
    assert found[1] == table()
