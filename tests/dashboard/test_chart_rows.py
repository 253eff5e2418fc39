"""The rows of charts: the same as Altair's own, for columns of every kind."""

import altair as alt
import pandas as pd
import pytest

from dashboard.core.vega import rows_as_values

COLUMNS = {
    "texts": ["a", "b", "c"],
    "texts_with_gaps": pd.Series(["a", None, "b"], dtype="str"),
    "objects_with_gaps": pd.Series(["a", None, "b"], dtype=object),
    "texts_and_numbers": pd.Series(["a", float("nan"), 1], dtype=object),
    "whole_numbers_with_gaps": pd.Series([1, None, 2], dtype=object),
    "nothing": pd.Series([None] * 3, dtype=object),
    "whole_numbers": [1, 2, 3],
    "numbers": [0.5, float("nan"), float("-inf")],
    "answers": [True, False, True],
    "answers_with_gaps": pd.Series([True, None, False], dtype=object),
    "lists": pd.Series([[1, 2], None, []], dtype=object),
    "categories": pd.Categorical(["a", None, "b"]),
    "nullable": pd.Series([1, None, 3], dtype="Int64"),
    "moments": pd.Timestamp("2026-01-01 12:00"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_the_values_that_altair_gives_it(name):
    frame = pd.DataFrame(COLUMNS)[[name]]
    # As text, in which NaN equals itself and 1 is neither 1.0 nor true.
    assert repr(rows_as_values(frame)) == repr(alt.to_values(frame))


def test_a_frame_of_no_rows_and_one_of_too_many_are_as_altair_has_them():
    assert rows_as_values(pd.DataFrame({"value": []})) == {"values": []}
    with pytest.raises(alt.MaxRowsError):
        rows_as_values(pd.DataFrame({"value": range(5001)}))


def test_charts_take_their_rows_from_it():
    assert alt.data_transformers.active == "rows"
