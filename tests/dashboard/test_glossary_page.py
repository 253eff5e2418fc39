"""The glossary: every measure with its meaning; and headings that explain themselves."""

import json

import pandas as pd
from shown import table, text

from dashboard.core.glossary import catalogue, explained
from dashboard.core.tables import band, columns_behind, formed, listed, share_of


def test_every_measure_stands_in_the_table_with_meaning_range_and_direction(shown_page, demo):
    shown = table(shown_page("glossary"), "better")
    measures = catalogue().measures
    assert list(shown["column"]) == list(measures)
    assert list(shown["meaning"]) == [one.meaning for one in measures.values()]
    row = shown.set_index("column").loc["accuracy"]
    assert (row["range"], row["better"]) == ("0 to 1", "higher is better")
    assert "Tables 2 and 3" in row["paper"]


def test_every_other_column_stands_in_a_table_of_its_own(shown_page, demo):
    shown = table(shown_page("glossary"), "table")
    assert len(shown) == len(catalogue().columns)


def test_a_term_in_the_address_opens_what_is_known_of_it(open_page, demo):
    app = open_page("glossary", term="accuracy")
    assert "Share of verdicts that name the right side" in text(app)
    assert "Right is what people decided" in text(app)
    assert next(one.value for one in app.subheader) == "Accuracy"
    app.button(key="glossary_close").click().run()
    assert "term" not in app.query_params


def test_the_search_looks_in_names_texts_and_tables_and_stands_in_the_address(open_page, demo):
    app = open_page("glossary")
    app.text_input(key="glossary_find").set_value("KAPPA cohen").run()
    assert app.query_params["find"] == "KAPPA cohen"
    shown = table(app, "better")
    assert 0 < len(shown) < len(catalogue().measures)
    assert "Cohen's kappa with a person" in list(shown["measure"])
    again = open_page("glossary", find="no such thing [x](y)")
    assert "No measure has “no such thing [x](y)”." in text(again)


def test_a_column_is_explained_for_the_table_it_is_read_from():
    own = explained("accuracy", "select * from rpt_verdict_accuracy where true")
    assert own.startswith("Mean over debates")
    assert explained("accuracy", "from rpt_dispute_accuracy").startswith("Share of judgements")
    assert explained("accuracy") == catalogue().measures["accuracy"].text
    assert explained("no_such_column", "from rpt_run_health") == ""


def test_a_table_knows_which_column_stands_under_each_heading():
    columns = {
        "judge": "judge_id",
        "right": share_of("accuracy"),
        "95 % interval": band("accuracy"),
        "n": formed("n_units"),
        "said": lambda row: row["judge_id"],
    }
    assert columns_behind(columns) == {
        "judge": ("judge_id", ""),
        "right": ("accuracy", ""),
        "95 % interval": ("accuracy", "95 % interval. "),
        "n": ("n_units", ""),
    }
    row = {
        "judge_id": "a",
        "accuracy": 0.5,
        "accuracy_low": 0.4,
        "accuracy_high": 0.6,
        "n_units": 3,
    }
    assert isinstance(listed([row], columns), pd.DataFrame)


def test_headings_say_on_hover_what_they_mean(shown_page, demo):
    helps = {}
    for page in ("bias_lab", "speech_judges"):
        for frame in shown_page(page).dataframe:
            settings = json.loads(frame.proto.columns)
            helps |= {name: one.get("help") for name, one in settings.items() if one}
    assert helps["adjusted p"]
    assert "kappa" in helps["mean κ"].casefold()
    assert helps["debates"]
