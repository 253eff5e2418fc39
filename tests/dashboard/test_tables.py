"""A table opens with what matters, and nothing of it is lost."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.core.widgets import ANY_SIZE, LISTED, opened_columns

NAMES = ["judge", *"abcdefg", "debates", "why unknown"]


@pytest.mark.parametrize(
    ("names", "rows", "opened"),
    [
        (NAMES[:7], [], NAMES[:7]),
        (NAMES, [[1] * 9 + [None]], ["judge", *"abcde", "debates"]),
        (NAMES, [[1] * 9 + ["too few"]], ["judge", *"abcd", "debates", "why unknown"]),
        (["n", *"abcdefgh"], [[1] * 9], [*"abcdef", "n"]),
    ],
)
def test_a_table_opens_with_its_first_columns_its_count_and_a_reason(names, rows, opened) -> None:
    assert opened_columns(pd.DataFrame(rows, columns=names)) == opened


def _long_table() -> None:
    from dashboard.core.tables import listing

    rows = [{"item_id": f"i{number}"} for number in range(1234)]
    listing(rows, {"item": "item_id", "number": lambda row: int(row["item_id"][1:])})


def test_of_a_long_table_the_first_rows_are_shown_and_all_are_counted() -> None:
    app = AppTest.from_function(_long_table).run()
    (shown,) = app.dataframe
    assert shown.value["number"].tolist() == list(range(LISTED))
    assert [one.value for one in app.caption] == [
        "The first 1,000 of 1,234 rows; a file or SQL has all."
    ]


def _formatted_table() -> None:
    from dashboard.core.tables import listed, percent_of
    from dashboard.core.widgets import table

    table(listed([{"share": 2 / 3}], {"right (%)": percent_of("share")}))


def test_a_table_of_listed_rows_keeps_their_formats() -> None:
    app = AppTest.from_function(_formatted_table).run()
    assert ANY_SIZE in app.dataframe[0].proto.columns
