"""May the judge stand in for one of the people? What the alternative annotator test found."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core import charts
from dashboard.core.data import Answer, asking, query
from dashboard.core.findings import Row
from dashboard.core.labels import HUMAN, Metric, count, estimate_in, is_missing, plural
from dashboard.core.queries import judges as known_judges
from dashboard.core.series import looks
from dashboard.core.tables import estimate_of, formed, listing, p_of
from dashboard.core.widgets import draw_chart, how_computed, unfolding
from dashboard.debates.labels import setting_name
from dashboard.decisions.section import Chosen, Section
from warehouse.reader import Version

DRAWN = 30
# So many rows have two lines each on the first screen; more stand close, in one line each.
_APART = 6
_WAY = ("task", "dimension", "experiment", "template", "variant_id")
TEST = Metric(
    name="alternative annotator test",
    definition=(
        "On each instance that a person and others annotated, judge and person are scored against "
        "those others: accuracy of labels, negative root mean square error of scores. The judge "
        "wins if its score is at least the person's, the person if theirs is at least the judge's; "
        "a tie is a win of both. A one-sided t-test, clustered by text, asks whether the person's "
        "wins exceed the judge's by less than the margin ε: 0.1 beside a crowd, 0.15 beside "
        "skilled people, 0.2 beside experts, who cost more. The winning rate is the share of "
        "people beside whom it is (Benjamini and Yekutieli at 0.05); the judge passes at one half. "
        "The advantage probability is the mean over people of the judge's wins. People with fewer "
        "than 30 instances take no part, and with fewer than three people there is no result. A "
        "missing answer is left out and counted; as a bound it is lost. Beside it stands what each "
        "person reaches by the same test."
    ),
    place="Calderon, Reichart and Dror, ACL 2025",
)

# What the test found of judges and people on a data set.
results = query("""
select rpt_judge_replacement.*, verbalizer, position
from rpt_judge_replacement
left join dim_variant using (variant_id)
where dataset_id = $dataset
order by
    judge_id = 'human', advantage_probability desc nulls last, judge_id, annotator_id, epsilon""")

# The test of a judge beside each person.
against = asking(
    "rpt_replacement_people",
    "judge_win_share, annotator_id, epsilon",
    "dataset_id = $dataset and judge_id = $judge",
)


def draw(version: Version, chosen: Chosen) -> None:
    """Draw the judges beside people, the result at each margin, and each person."""
    found = results(version, chosen.dataset_id)
    rows = [row for row in found.rows if _is_asked_alike(row, chosen.row)]
    judges = [row for row in rows if row["judge_id"] != HUMAN]
    _chart(version, judges)
    st.subheader("At each margin", anchor=False)
    mine = [row for row in judges if row["judge_id"] in chosen.judges and _is_same(row, chosen.row)]
    listing(
        mine,
        {
            "margin ε": "epsilon",
            "winning rate": formed("winning_rate"),
            "passes": lambda row: (
                None if is_missing(row["passes"]) else "yes" if row["passes"] else "no"
            ),
            "people it is not worse than": "rejected_count",
            "people": "n_annotators",
            "a person's winning rate": formed("people_winning_rate"),
            "missing answers lost": formed("winning_rate_failures_lost"),
            "plain t-test (paper)": formed("winning_rate_paper"),
            "missing": "missing_count",
            "why unknown": "reason",
        },
        raw=found,
        name="judge_replacement",
    )
    people = [row for row in rows if row["judge_id"] == HUMAN and row["epsilon"] == 0.1]
    beside = against(version, chosen.dataset_id, chosen.judges[0])
    unfolding("Beside each person", _people, beside, chosen.row)
    unfolding("What each person reaches by the same test", _candidates, people)
    how_computed(
        [TEST],
        [("Decisions", chosen.answer), ("Results", found), ("Beside each person", beside)],
    )


def _is_asked_alike(row: Row, decision: Row) -> bool:
    """Whether a result is about the same instances; judges may have been asked in other ways."""
    return bool(row["task"] == decision["task"] and row["dimension"] == decision["dimension"])


def _is_same(row: Row, decision: Row) -> bool:
    return all(
        row[name] == decision[name] or (is_missing(row[name]) and is_missing(decision[name]))
        for name in _WAY
    )


def _chart(version: Version, judges: Sequence[Row]) -> None:
    known = [
        row
        for row in judges
        if row["epsilon"] == 0.1 and not is_missing(row["advantage_probability"])
    ]
    if not known:
        return
    first, drawn = known[0], known[:DRAWN]
    is_close = len(drawn) > _APART
    after = ", " if is_close else "\n"
    left_out = len(known) - DRAWN
    more = f" {count(left_out)} more are in the table." if left_out > 0 else ""
    draw_chart(
        charts.agreement,
        [
            {
                "label": f"{row['judge_id']}{after}{setting_name(row)}",
                "judge_id": row["judge_id"],
                **charts.point(row, "advantage_probability"),
                "hover": _resting_on(row),
            }
            for row in drawn
        ],
        charts.point(first, "people_advantage_probability"),
        looks(known_judges(version).frame["judge_id"]),
        axis="advantage probability (right = closer to the other people)",
        title="How often a judge is as close to the others as the person it stands in for",
        note=f"Band: a person in another's place. Lines: 95 % intervals by text.{more}",
        tooltips="advantage probability",
        lines=[],
        who="a person",
    )


def _resting_on(row: Row) -> str:
    instances, texts = (
        plural(int(row["n_instances"]), "instance"),
        plural(int(row["n_units"]), "text"),
    )
    people = plural(int(row["n_annotators"]), "person", "people")
    return f"{estimate_in(row, 'advantage_probability')}, {instances} in {texts}, {people}"


def _people(beside: Answer, decision: Row) -> None:
    rows = [row for row in beside.rows if _is_same(row, decision)]
    listing(
        rows,
        {
            "person": "annotator_id",
            "margin ε": "epsilon",
            "judge's wins": formed("judge_win_share"),
            "person's wins less the judge's": formed("mean_d"),
            "p": p_of("p"),
            "adjusted p": p_of("p_adjusted"),
            "n": "n_instances",
            "texts": "n_units",
            "missing": "missing_count",
            "p, plain": p_of("p_paper"),
        },
        raw=beside,
        name="replacement_people",
        tall=(12, 420),
    )


def _candidates(people: Sequence[Row]) -> None:
    st.caption(
        "Each person in another's place, scored against all but the two of them. Winning rates at "
        "ε = 0.1."
    )
    listing(
        people,
        {
            "person": "annotator_id",
            "advantage probability": estimate_of("advantage_probability"),
            "winning rate": formed("winning_rate"),
            "others": "n_annotators",
            "n": "n_instances",
            "why unknown": "reason",
        },
        name="people_replacement",
        tall=(12, 420),
    )


SECTION = Section(
    "Replace a rater",
    "May this judge stand in for one of the people?",
    (
        "It takes a data set that at least three people annotated, and a judge's answers to it:",
        "rostrum ingest annotations --name my-study --people people.json --models models.json",
    ),
    draw,
)
