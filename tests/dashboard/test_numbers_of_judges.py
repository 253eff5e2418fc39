"""Pages that speak of judges, with one of each subject and with sixty of eighty letters."""

from collections.abc import Iterator

import pytest
from changes import literal

from warehouse.reader import Version, run_query

PAGES = (
    "start speech_judges bias_lab judge_against_judge judge decide parliamentary oversight "
    "debatable_questions metric_trust review search runs"
)
# Of each subject the one that is left, and the one that stands for sixty.
LEFT = (
    "simulated/faithful",
    "simulated/fair",
    "simulated/chair",
    "simulated/oversight-calibrated",
)
MANY = 60
# What tells rows of a mart apart beside the judge, where copies must differ in it as well.
_KEYS = ("run_id", "response_id")
# A row per item: sixty copies of them take longer than all pages.
_LARGE = ("rpt_disagreements", "rpt_item_disagreement")


def _judged(version: Version) -> Iterator[tuple[str, list[str]]]:
    """The marts with judges, and which of their columns are keys besides."""
    columns: dict[str, list[str]] = {}
    # Not by a connection of its own, whose settings would differ from those of the pages.
    for table, column in run_query(
        version,
        "select table_name, column_name from information_schema.columns "
        "where table_schema = 'main' and data_type = 'VARCHAR'",
    ).rows:
        columns.setdefault(table, []).append(column)
    for table, names in sorted(columns.items()):
        if (
            "judge_id" in names
            and table not in _LARGE
            and table.startswith(("rpt_", "dim_judge", "fct_estimate"))
        ):
            yield table, [one for one in _KEYS if one in names]


def one_judge(version: Version) -> list[str]:
    """Return statements that leave one judge of each subject."""
    kept = ", ".join(literal(one) for one in (*LEFT, "human"))
    return [f"delete from {table} where judge_id not in ({kept})" for table, _ in _judged(version)]


def sixty_judges(version: Version) -> list[str]:
    """Return statements that add so many copies of a judge of each subject, with long names."""
    kept = ", ".join(literal(one) for one in LEFT)
    return [
        f"insert into {table} select {table}.* replace (rpad(judge_id || '-' || turn || '-', 80, 'x') "
        "as judge_id"
        + "".join(f", {key} || '-' || turn as {key}" for key in keys)
        + f") from {table}, range({MANY}) as numbers (turn) where judge_id in ({kept})"
        for table, keys in _judged(version)
    ]


@pytest.mark.parametrize("name", PAGES.split())
def test_a_page_is_whole_with_one_judge_of_each_subject(
    changed, shown_page, demo: Version, name: str
) -> None:
    changed(*one_judge(demo))
    app = shown_page(name)
    assert not app.error


@pytest.mark.parametrize("name", PAGES.split())
def test_a_page_is_whole_with_sixty_judges_of_long_names(
    changed, shown_page, demo: Version, name: str
) -> None:
    changed(*sixty_judges(demo))
    app = shown_page(name)
    assert not app.error
    # A chart has room for thirty; more are in the table, and the page says so.
    assert all(len(one.value) < 20_000 for one in app.markdown)
