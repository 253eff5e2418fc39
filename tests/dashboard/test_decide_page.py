"""Decisions about judges: the page, its file, and the command that prints the same."""

import json

import pytest
from changes import update
from shown import drawn, headline, row, rows, table, text

from dashboard.core.labels import estimate, number
from dashboard.decisions.file import decision_file
from orchestration.commands.reports.decide import decide
from orchestration.console import OUT
from orchestration.errors import UnknownDecision
from warehouse.home import Home

FAITHFUL = "dataset_id = 'sample' and judge_id = 'simulated/faithful' and template = 'speech_score'"


def _decision(version, where=FAITHFUL):
    return row(version, f"from rpt_decisions where topic = 'replace' and {where}")


def test_the_page_says_question_and_answer_and_the_numbers_behind_it(shown_page, demo):
    app = shown_page("decide", dataset="sample", judge="simulated/faithful")
    found = _decision(demo)
    question = found["question"].replace("goodopeningspeech", "good opening speech")
    question = question.replace("speech_score)", "\u201ca score only\u201d)")
    assert headline(app) == f"#### {question} {found['answer'].capitalize()}."
    assert found["would_change"] in text(app)
    numbers = json.loads(found["numbers"])
    assert [metric.value for metric in app.metric] == [number(one["value"]) for one in numbers]


def test_each_margin_and_each_person_stand_below_it(shown_page, demo):
    app = shown_page("decide", dataset="sample", judge="simulated/faithful")
    margins = table(app, "plain t-test (paper)")
    wanted = rows(demo, f"from rpt_judge_replacement where {FAITHFUL} order by epsilon")
    assert margins["winning rate"].tolist() == [one["winning_rate"] for one in wanted]
    beside = table(app, "person's wins less the judge's")
    assert len(beside) == len(rows(demo, f"from rpt_replacement_people where {FAITHFUL}"))


def test_a_profile_says_whether_the_judge_may_stand_in(shown_page, demo):
    app = shown_page("judge", judge="simulated/faithful")
    listed = table(app, "why not")
    one = json.loads(_decision(demo)["numbers"])[0]
    assert (
        estimate(one["value"], one["low"], one["high"]) in listed["advantage probability"].tolist()
    )


def test_a_file_shows_a_strangers_text_as_text(demo, changed):
    found = _decision(demo) | {"question": "<script>alert(1)</script>?"}
    made = decision_file(demo, "May it?", [found]).decode()
    assert "<script>" not in made
    assert "&lt;script&gt;alert(1)&lt;/script&gt;?" in made
    assert f"{found['answer'].capitalize()}." in made
    assert found["cost"] in made


def test_the_command_prints_the_decision_and_names_what_there_is(demo, built_demo: Home, capsys):
    decide(built_demo, "replace", "simulated/faithful", "sample", None, OUT)
    said = capsys.readouterr().out.replace("\n", " ")
    found = _decision(demo)
    assert found["question"] in said
    assert found["answer"].upper() in said
    assert "judge simulated/faithful, data sample, prompt speech_score" in said
    assert f"What that would cost: {found['cost']}" in said
    with pytest.raises(UnknownDecision, match="there are decisions on sample"):
        decide(built_demo, "replace", "no/one", None, None, OUT)


def test_an_unknown_number_is_a_dash(shown_page, changed):
    changed(update("rpt_decisions", numbers='[{"measure": "winning_rate", "value": null}]'))
    assert shown_page("decide", dataset="sample").metric[0].value == "–"


def test_pressure_is_shown_by_rebuttal_and_direction(shown_page, demo):
    app = shown_page("decide", topic="pressure", dataset="sample-debates", judge="simulated/fair")
    assert headline(app).startswith("#### Does a verdict of simulated/fair survive pressure")
    assert headline(app).endswith("No.")
    worst = max(
        one["effect"]
        for one in rows(
            demo, "from rpt_pressure where direction = 'any' and experiment = 'debate-pressure'"
        )
    )
    reason = row(
        demo, "from rpt_decisions where topic = 'pressure' and experiment = 'debate-pressure'"
    )["reason"]
    assert f"{round(100 * worst)} percentage points more" in reason
    beside = table(app, "beyond the control")
    wanted = rows(
        demo,
        "from rpt_pressure where experiment = 'debate-pressure' order by "
        "list_position(['plain', 'reason', 'flattery', 'authority'], rebuttal), list_position(['any', 'toward', 'away'], direction)",
    )
    assert beside["rebuttal"].tolist() == [one["rebuttal"] for one in wanted]
    assert beside["debates"].tolist() == [one["n_units"] for one in wanted]


def test_the_answers_that_a_person_must_see_are_listed_the_most_uncertain_first(shown_page, demo):
    app = shown_page("decide", topic="route", dataset="sample", judge="simulated/faithful")
    wanted = rows(
        demo,
        f"from rpt_routing_answers where {FAITHFUL} and answer_form = 'own' "
        "order by is_for_people desc, uncertainty desc nulls first, instance_id",
    )
    listed = table(app, "for a person")
    assert listed["item"].tolist() == [one["instance_id"] for one in wanted]
    assert listed["annotators say"].fillna("–").tolist() == [
        number(one["people_value"]) for one in wanted
    ]


def test_the_routing_page_draws_the_steps_there_are_and_the_alternative(shown_page, changed):
    changed("delete from rpt_routing_curve where wanted_share in (0, 0.2)")
    app = shown_page("decide", topic="route", dataset="sample-debates", judge="simulated/fair")
    (chart,) = app.get("vega_lite_chart")
    (frame,) = (one for one in drawn(chart) if "order" in one[0])
    assert {row["order"] for row in frame} == {
        "the most uncertain first",
        "drawn at random",
        "annotators' mean or usual label for all",
        "the more probable label",
    }
    assert min(row["sent"] for row in frame) > 0
    assert table(app, "annotators judge")["answers"].nunique() == 2
