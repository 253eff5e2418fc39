"""The bias lab: what fools a judge, and from each count back to the debates behind it."""

import pyarrow as pa
import pytest
from published_stub import publish_stub
from stub_verdicts import CLOSER, DATASET, EXPERIMENT, FAIR, SECOND, TEMPLATE, variant_id

from dashboard.debates import queries as verdict_queries
from dashboard.debates.evidence import CELLS
from dashboard.debates.queries import Side
from warehouse.reader import run_query

TABS = ("position", "label", "order", "stance", "verbosity", "accuracy")
HERE = {"dataset": DATASET, "experiment": EXPERIMENT}


@pytest.fixture
def judged(home):
    return publish_stub(home, verdicts=True)


def _text(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def test_without_a_verdict_the_page_names_the_commands(open_page, published):
    app = open_page("bias_lab")
    assert not app.exception
    assert "No judge has named the winner of a debate yet" in _text(app)
    assert "rostrum run debate-winner --judge JUDGE" in app.code[0].value
    assert "rostrum demo" in [code.value for code in app.code]


def test_the_page_states_what_moves_which_judge_and_what_could_not_be_read(open_page, judged):
    app = open_page("bias_lab")
    assert not app.exception
    headline = next(one.value for one in app.markdown if one.value.startswith("#### "))
    assert "4 of 11 tested biases of 3 judges are significant after correction" in headline
    assert "last word of rule/concluding-side, +99.0\u00a0pp [93.0,\u00a0105] on 80 debates" in (
        headline.replace("\\", "")
    )
    assert (
        "left 11.2\u00a0% [9.25,\u00a013.2] of its answers without a readable verdict" in headline
    )
    assert len(app.metric) == 4


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_has_a_chart_a_table_and_its_query(open_page, judged, tab):
    app = open_page("bias_lab", bias=tab)
    assert not app.exception
    assert not app.error
    assert len(app.get("vega_lite_chart")) == (15 if tab == "accuracy" else 3)
    assert all("$" not in code.value for code in app.code)
    mart = "rpt_confusion" if tab == "accuracy" else f"rpt_{tab}_bias"
    assert any(f"from {mart}" in code.value for code in app.code)


def test_printed_figures_are_left_out_until_they_are_chosen(open_page, judged):
    app = open_page("bias_lab")
    box = app.selectbox(key="bias_lab_dataset")
    assert box.value == DATASET
    assert box.options[-1].endswith("(printed figures)")
    app = open_page("bias_lab", dataset="published:llm_debate_bias", bias="accuracy")
    assert not app.exception
    assert "82.0\u00a0%" in [metric.value for metric in app.metric]


def _variants(a, b=None):
    return variant_id(TEMPLATE, *a), b and variant_id(TEMPLATE, *b)


@pytest.mark.parametrize("judge", [SECOND, CLOSER, FAIR])
def test_a_cell_counts_as_many_debates_as_it_lists(judged, judge):
    a, b = _variants(("A/B", "pro_first"), ("A/B", "con_first"))
    first, second = (Side(EXPERIMENT, DATASET, judge, variant) for variant in (a, b))

    def listed(cell: str, other: Side | None) -> int:
        return len(verdict_queries.debates(judged, CELLS[cell][0], first, other).frame)

    for mart, kind, variant in (
        ("rpt_position_bias", "pair", "variant_a"),
        ("rpt_order_bias", "order", "variant_id"),
        ("rpt_stance_bias", "stance", "variant_id"),
    ):
        row = _first(
            judged,
            f"from {mart} where judge_id = $judge and {variant} = $variant",
            judge=judge,
            variant=a,
        )
        for cell in (one for one in CELLS if one.startswith(f"{kind}.")):
            assert listed(cell, second if kind == "pair" else None) == row[cell.split(".")[1]], cell
    for cell in (one for one in CELLS if one.startswith("confusion.")):
        winner, predicted = cell.split(".")[1].split("_")
        row = _first(
            judged,
            "from rpt_confusion where judge_id = $judge and variant_id = $variant"
            " and human_winner = $winner and predicted = $predicted",
            judge=judge,
            variant=a,
            winner=winner,
            predicted=predicted,
        )
        assert listed(cell, None) == row["n_units"], cell


def _first(version, sql, **parameters):
    result = run_query(version, sql, parameters)
    return dict(zip(result.columns, result.rows[0], strict=True))


def test_a_count_opens_its_debates_and_says_so_in_the_url(open_page, judged):
    app = open_page("bias_lab", bias="position", judge=SECOND)
    button = app.button(key="bias_lab_cell_pair.only_a_con")
    button.click().run()
    assert not app.exception
    assert app.query_params["cell"] == "pair.only_a_con"
    assert app.query_params["by"] == SECOND
    listed = next(frame.value for frame in app.dataframe if "second says" in frame.value.columns)
    assert set(listed["first says"]) == {"Con"}
    assert set(listed["second says"]) == {"Pro"}
    assert f"**{button.label} debates on which only the first way names Con**" in _text(app)
    app.button(key="bias_lab_close").click().run()
    assert "cell" not in app.query_params


def test_a_link_opens_the_transcript_and_the_raw_answer_of_the_cells_judge(open_page, judged):
    a, _ = _variants(("A/B", "pro_first"))
    app = open_page(
        "bias_lab",
        bias="order",
        cell="order.con_closes_pred_con",
        by=CLOSER,
        a=a,
        debate=f"{DATASET}:004",
    )
    assert not app.exception
    texts = [text.value for text in app.text]
    assert sum(text.startswith("Turn ") for text in texts) == 4
    chosen = app.selectbox(key="bias_lab_answer").value
    assert f"/{a}/4" in chosen
    assert "concluding-side" in chosen
    assert "<winner>con</winner>" in [code.value for code in app.code]


def test_a_link_to_a_cell_or_a_debate_that_is_not_there_says_so(open_page, judged):
    app = open_page("bias_lab", cell="order.nowhere", by=CLOSER, a="x")
    assert not app.exception
    assert "The link names the cell `order.nowhere`, which this page does not have." in _text(app)
    app = open_page("bias_lab", debate="nowhere")
    assert "The link names the debate `nowhere`, which this version lacks." in _text(app)
    app = open_page("bias_lab", cell="order.con_closes_pred_con", by="gone", a="x")
    assert "No verdict of `gone` is in this cell." in _text(app)


def test_a_change_of_bias_forgets_what_was_open(open_page, judged):
    a, _ = _variants(("A/B", "pro_first"))
    app = open_page("bias_lab", bias="order", cell="order.con_closes_pred_con", by=CLOSER, a=a)
    app.button_group(key="bias_lab_bias").set_value("stance").run()
    assert app.query_params["bias"] == "stance"
    assert "cell" not in app.query_params


def test_an_undefined_effect_is_listed_with_its_reason(open_page, judged):
    app = open_page("bias_lab", judge=FAIR)
    table = next(frame.value for frame in app.dataframe if "in words" in frame.value.columns)
    row = table[table["bias"] == "length"].iloc[0]
    assert row["why unknown"] == "no discordant pairs"
    assert row["verdict"] == "not tested"


def test_the_last_words_accuracy_stands_beside_the_strict_one_with_its_own_debates(
    open_page, judged
):
    app = open_page("bias_lab", bias="accuracy")
    assert not app.exception
    listed = next(one.value for one in app.dataframe if "by the last word (%)" in one.value.columns)
    strict, read = listed["accuracy (%)"], listed["debates"]
    assert (listed["by the last word (%)"] - strict).round(6).dropna().unique().tolist() == [-2.0]
    assert (listed["debates by the last word"] == read - 1).all()
    assert listed["interval by the last word"].notna().all()
    assert "last word has to be a label" in _text(app)
    assert "letter case included" in _text(app)


@pytest.mark.parametrize("tab", TABS)
def test_every_chart_of_a_bias_says_on_hover_how_many_clusters_it_rests_on(open_page, judged, tab):
    app = open_page("bias_lab", bias=tab)
    rows = [
        row
        for chart in app.get("vega_lite_chart")
        for part in chart.proto.datasets
        for row in pa.ipc.open_stream(part.data.data).read_all().to_pylist()
    ]
    hovers = [row.get("hover") or row.get("n") for row in rows if "low" in row or "which" in row]
    assert hovers
    assert [one for one in hovers if "clusters)" not in one] == []


def test_length_is_told_for_ten_percent_more_words_and_not_per_doubling(open_page, judged):
    app = open_page("bias_lab", bias="verbosity", judge=SECOND)
    assert not app.exception
    said = next(
        text for text in _text(app).split("\n") if "more of Con's words over Pro's add" in text
    )
    # The slope of 0.11 per doubling is 2.75 points in the stub's column for 10 % more words.
    assert "+2.75\u00a0pp" in said
    assert "+11" not in said
    assert "doubling" not in said
