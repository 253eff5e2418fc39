"""The bias lab: what fools a judge, and from each count back to the debates behind it."""

import pandas as pd
import pyarrow as pa
import pytest
from shown import codes, headline, row, rows, table, text, value

from dashboard.core.labels import percent
from dashboard.debates import queries as verdict_queries
from dashboard.debates.battery import told_apart
from dashboard.debates.evidence import CELLS
from dashboard.debates.labels import bias_name, effect
from dashboard.debates.queries import Side
from warehouse.reader import connect

PAGE = "bias_lab"
TABS = ("position", "label", "order", "stance", "verbosity", "accuracy")
DATASET, EXPERIMENT, PRINTED = "sample-debates", "debate-winner", "published:llm_debate_bias"
SECOND, CLOSER = "simulated/second-position", "rule/concluding-side"
BATTERY = (
    f"from rpt_bias_battery where experiment = '{EXPERIMENT}' and family = 'contrasts'"
    " and role = 'test' and p_adjusted is not null"
)
WAYS = (
    "select variant_id from dim_variant where template = 'winner_vanilla'"
    " and verbalizer = 'A/B' and position = $position"
)


def test_the_page_states_what_moves_which_judge_and_what_could_not_be_read(shown_page, changed):
    version = changed(
        "update rpt_run_health set unparsed_share = 0.112, unparsed_share_low = 0.0925,"
        f" unparsed_share_high = 0.132 where judge_id = '{CLOSER}'"
        f" and experiment = '{EXPERIMENT}'"
    )
    app = shown_page(PAGE)
    found = row(
        version,
        "select count(*) filter (is_significant) as moved, count(*) as tested,"
        f" (select count(distinct judge_id) from rpt_bias_battery where experiment = "
        f"'{EXPERIMENT}') as judges {BATTERY}",
    )
    top = row(
        version, f"select * {BATTERY} and is_significant order by abs(share_change) desc limit 1"
    )
    size = effect(top["share_change"], top["share_change_low"], top["share_change_high"])
    said = headline(app)
    assert "{moved} of {tested} tested biases of {judges} judges are sig".format(**found) in said
    assert f"largest: {bias_name(top['bias'])} of {top['judge_id']}, {size} on 240 debates" in said
    assert (
        f"(⚠ {CLOSER} left 11.2\u00a0% [9.25,\u00a013.2] of its answers without a readable verdict)"
    ) in said


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_has_a_chart_a_table_its_query_and_hovers_with_clusters(shown_page, demo, tab):
    app = shown_page(PAGE, bias=tab)
    assert not app.error
    assert len(app.get("vega_lite_chart")) == (16 if tab == "accuracy" else 4)
    assert all("$" not in code for code in codes(app))
    mart = "rpt_confusion" if tab == "accuracy" else f"rpt_{tab}_bias"
    assert any(f"from {mart}" in code for code in codes(app))
    drawn = [
        one
        for chart in app.get("vega_lite_chart")
        for part in chart.proto.datasets
        for one in pa.ipc.open_stream(part.data.data).read_all().to_pylist()
    ]
    hovers = [one.get("hover") or one.get("n") for one in drawn if "low" in one or "which" in one]
    assert hovers
    assert [one for one in hovers if "clusters)" not in one] == []


def test_printed_figures_are_left_out_until_they_are_chosen(shown_page, changed):
    version = changed(
        *(
            f"insert into {mart} select * replace ('{PRINTED}' as dataset_id) from {mart}"
            f" where experiment = '{EXPERIMENT}'"
            for mart in ("rpt_verdict_accuracy", "rpt_confusion")
        )
    )
    box = shown_page(PAGE).selectbox(key="bias_lab_dataset")
    assert box.value == DATASET
    assert box.options[-1].endswith("(printed figures)")
    app = shown_page(PAGE, dataset=PRINTED, bias="accuracy")
    best = value(
        version,
        "select max(accuracy) from rpt_verdict_accuracy"
        f" where dataset_id = '{PRINTED}' and round_count is null",
    )
    assert app.metric[2].value == percent(best)
    assert "These rows are built from the figures a paper prints" in text(app)


@pytest.mark.parametrize("judge", [SECOND, CLOSER, "simulated/fair"])
def test_a_cell_counts_as_many_debates_as_it_lists(demo, judge):
    def listed(cell: str, *sides: Side) -> int:
        return len(
            verdict_queries.debates(demo, CELLS[cell][0], sides[0], *sides[1:2] or [None]).frame
        )

    def counted(kind: str, sql: str, ways: tuple[str, ...]) -> None:
        found = row(demo, sql, judge=judge)
        sides = [Side(EXPERIMENT, DATASET, judge, found[way]) for way in ways]
        for cell in (one for one in CELLS if one.startswith(f"{kind}.")):
            assert listed(cell, *sides) == found[cell.split(".")[1]], cell

    with connect(demo):
        for mart, kind, ways in (
            ("rpt_position_bias", "pair", ("variant_a", "variant_b")),
            ("rpt_order_bias", "order", ("variant_id",)),
            ("rpt_stance_bias", "stance", ("variant_id",)),
        ):
            counted(kind, f"from {mart} where judge_id = $judge", ways)
        cells = rows(
            demo, "from rpt_confusion where judge_id = $judge and round_count is null", judge=judge
        )
        assert len(cells) == 4 * 2 * 5
        for found in cells[:10]:
            cell = f"confusion.{found['human_winner']}_{found['predicted']}"
            side = Side(EXPERIMENT, DATASET, judge, found["variant_id"])
            assert listed(cell, side) == found["n_units"], cell


def test_a_count_opens_its_debates_and_says_so_in_the_url(open_page, demo):
    app = open_page(PAGE, bias="position", judge=SECOND)
    button = app.button(key="bias_lab_cell_pair.only_a_con")
    button.click().run()
    assert not app.exception
    assert app.query_params["cell"] == "pair.only_a_con"
    assert app.query_params["by"] == SECOND
    listed = table(app, "second says")
    assert len(listed) == int(button.label)
    assert set(listed["first says"]) == {"Con"}
    assert set(listed["second says"]) == {"Pro"}
    assert f"**{button.label} debates on which only the first way names Con**" in text(app)
    app.button(key="bias_lab_close").click().run()
    assert "cell" not in app.query_params


def test_a_link_opens_the_transcript_and_the_raw_answer_of_the_cells_judge(shown_page, demo):
    a = row(demo, WAYS, position="pro_first")["variant_id"]
    condition = CELLS["order.con_closes_pred_con"][0]
    found = verdict_queries.debates(demo, condition, Side(EXPERIMENT, DATASET, CLOSER, a), None)
    debate = found.frame["debate_id"][0]
    app = shown_page(
        PAGE, bias="order", cell="order.con_closes_pred_con", by=CLOSER, a=a, debate=debate
    )
    turns = rows(demo, "from dim_item where debate_id = $debate", debate=debate)
    assert {turn["text"] for turn in turns} <= {one.value for one in app.text}
    answer = row(
        demo,
        "from dim_response where response_id = $chosen",
        chosen=app.selectbox(key="bias_lab_answer").value,
    )
    assert (answer["judge_id"], answer["debate_id"]) == (CLOSER, debate)
    assert answer["response"] in codes(app)


def test_an_undefined_effect_is_listed_with_its_reason(shown_page, demo):
    shown = table(shown_page(PAGE, judge=CLOSER), "in words")
    listed = shown[(shown["bias"] == "position") & (shown["why unknown"] == "no discordant pairs")]
    assert set(listed["verdict"]) >= {"not tested"}
    assert listed["adjusted p"].isna().all()


def test_the_last_words_accuracy_stands_beside_the_strict_one_with_its_own_debates(
    shown_page, changed
):
    changed(
        "update rpt_verdict_accuracy set accuracy_released = accuracy - 0.02,"
        " n_units_released = n_units - 1"
    )
    app = shown_page(PAGE, bias="accuracy")
    listed = table(app, "by the last word (%)")
    strict, read = listed["accuracy (%)"], listed["debates"]
    assert (listed["by the last word (%)"] - strict).round(6).dropna().unique().tolist() == [-2.0]
    assert (listed["debates by the last word"] == read - 1).all()
    assert listed["interval by the last word"].notna().all()


def _battery_of(**changes):
    """Return a battery of two judges: one tested, of three arms, and one with arms alone."""
    rows = [
        ("a", "contrasts", "test", 0.2),
        *[("a", "contrasts", "arm", 0.1 * number) for number in range(3)],
        ("b", "contrasts", "arm", 0.3),
        ("a", "joint model", "test", 0.1),
    ]
    names = ["judge_id", "family", "role", "share_change"]
    return pd.DataFrame(rows, columns=names).assign(**changes)


def test_what_could_not_be_read_of_other_kinds_of_answers_is_not_said_of_verdicts(
    shown_page, changed
):
    # Whatever is imported is of one experiment.
    other = "'import-of-scores' as run_id, 1 as unparsed_share, 1 as unparsed_share_high"
    changed(
        f"insert into rpt_run_health select * replace ({other}) from rpt_run_health"
        f" where judge_id = '{SECOND}' and experiment = '{EXPERIMENT}'"
    )
    assert "⚠" not in headline(shown_page(PAGE))


def test_arms_of_a_tested_judge_are_the_tables_alone():
    contrasts, joint = told_apart(_battery_of())
    assert [(one["judge_id"], one["role"]) for one in contrasts] == [("a", "test"), ("b", "arm")]
    assert [one["family"] for one in joint] == ["joint model"]


@pytest.mark.parametrize("changes", [{"share_change": None}, {"role": "arm"}])
def test_where_nothing_was_tested_all_arms_are_told(changes):
    contrasts, joint = told_apart(_battery_of(**changes))
    assert (len(contrasts), len(joint)) == (5, 1)
