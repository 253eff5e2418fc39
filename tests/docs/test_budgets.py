"""The questions of the benchmarks: their table, their options and their budgets."""

import re
from pathlib import Path

from benchmarks.harness import options_of, over_budget, question_named, questions, table
from warehouse.home import PROJECT_ROOT


def test_the_table_of_budgets_is_of_the_newest_results() -> None:
    text = (PROJECT_ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- budgets -->\n(.*)\n<!-- end of budgets -->", text, re.DOTALL)
    assert found
    assert found[1] == table()


def test_a_question_takes_the_options_that_its_function_has() -> None:
    assert {"bias", "daily_commands", "scale_large"} <= questions().keys()
    given = ["--judges", "2", "3", "--debates", "8"]
    found = options_of(question_named("bias"), given)
    assert found == {"judges": [2, 3], "variants": 100, "debates": 8}
    assert options_of(question_named("daily_commands"), ["--home", "x"]) == {"home": Path("x")}


def test_a_figure_above_its_goal_is_over_budget_and_a_missing_one_is_not() -> None:
    question = question_named("bias")
    sizes = [{"wall_s": 1.0}, {"wall_s": 45.5}]
    assert len(over_budget(question, {"sizes": sizes})) == 1
    assert over_budget(question, {"sizes": [{}, {"wall_s": 45.0}]}) == []
    assert over_budget(question, {"sizes": [{}, {}]}) == []
