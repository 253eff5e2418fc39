"""Pages over very many items: what a page lists, draws, offers and sends stays bounded."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from changes import publish_copy
from shown import row, value
from streamlit.testing.v1 import AppTest

from dashboard.core.data import OFFERED
from dashboard.core.widgets import LISTED
from warehouse.home import Home
from warehouse.reader import Version, current_version, run_query
from warehouse.search import SCHEMA, index_texts

OpenPage = Callable[..., AppTest]
# What names an item, or something that there is of each item; copies must differ in it.
_NAMES = (
    "answer_id debate_id disagreement_id instance_id item_id judgement_id opens_id "
    "partial_answer_id question_id request_id response_id sentence_id story_id text_id "
    "transcript_id unit_id"
)
# As often stands each item in the version: more than a page lists, or a hundred thousand of them.
SOME, VERY_MANY = 14, 50
AT_LEAST = {SOME: 20_000, VERY_MANY: 100_000}
# Bytes of a page with everything on it unfolded.
MOST_SENT = 1_500_000
SCORER, WINNER = "simulated/careless", "simulated/second-position"
PAGES = (
    "start speech_judges bias_lab judge decide why debatable_questions metric_trust "
    "parliamentary oversight debate_reader judge_yourself review search runs sql"
)


def _copied(version: Version, times: int) -> Iterator[str]:
    columns: dict[str, list[str]] = {}
    for table, column in run_query(
        version,
        "select table_name, column_name from information_schema.columns "
        "where table_schema = 'main' and data_type = 'VARCHAR'",
    ).rows:
        if column in _NAMES.split():
            columns.setdefault(table, []).append(column)
    for table, names in sorted(columns.items()):
        named = ", ".join(f"{name} || '-' || copy as {name}" for name in names)
        yield (
            f"insert into {table} select {table}.* replace ({named}) "
            f"from {table}, range(1, {times}) as numbers (copy)"
        )


@pytest.fixture(scope="module")
def crowded(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Version]:
    """Return a function that publishes the demo's version with each item so often."""

    @cache
    def published(times: int) -> Version:
        source = current_version(built_demo)
        statements = list(_copied(source, times))
        if times == VERY_MANY:
            statements.append(f"drop schema {SCHEMA} cascade")
        home = Home(tmp_path_factory.mktemp("crowded"))
        version = publish_copy(built_demo, home, *statements)
        if times == VERY_MANY:
            index_texts(version.path)
        return version

    return published


def _opened(version: Version, page: str) -> dict[str, str]:
    """Return the address of a page that opens most of it."""
    if page == "bias_lab":
        asked = row(
            version,
            "select dataset_id as dataset, experiment, variant_id as a from fct_verdict "
            f"where judge_id = '{WINNER}' and is_current order by experiment, variant_id limit 1",
        )
        return asked | {"cell": "confusion.pro_pro", "by": WINNER, "bias": "accuracy"}
    if page == "why":
        return row(
            version,
            "select analysis_id as analysis, judge_id as judge, key_point_id as point "
            "from fct_justification_sentence where key_point_id is not null limit 1",
        )
    if page == "speech_judges":
        item = value(version, "select min(item_id) from fct_score where dataset_id = 'sample'")
        return {"dataset": "sample", "item": item, "by": SCORER}
    return {
        "judge": {"judge": WINNER, "with": SCORER},
        "decide": {"topic": "route"},
        "parliamentary": {"view": "house_ranks"},
        "judge_yourself": {"person": "Ada", "task": "winner"},
        "search": {"q": "homes"},
        "sql": {"q": "from dim_item"},
    }.get(page, {})


@pytest.mark.parametrize("times", [SOME, pytest.param(VERY_MANY, marks=pytest.mark.soak)])
@pytest.mark.parametrize("page", PAGES.split())
def test_a_page_over_very_many_items_stays_bounded(
    crowded: Callable[[int], Version],
    open_page: OpenPage,
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    times: int,
) -> None:
    version = crowded(times)
    assert value(version, "select count(*) from dim_item") >= AT_LEAST[times]
    monkeypatch.setenv("ROSTRUM_HOME", str(version.path.parents[2]))
    app = open_page(page, **_opened(version, page))
    assert not app.error
    assert all(len(one.value) <= LISTED for one in app.dataframe)
    # Besides what is offered there may be what the address names, and a choice of all.
    assert all(len(one.options) <= OFFERED + 2 for one in [*app.selectbox, *app.multiselect])
    parts = (getattr(one, "proto", None) for one in app.main)
    sent = sum(part.ByteSize() for part in parts if part is not None)
    assert sent < MOST_SENT
