"""Which of two judges, or of two ways of asking one judge, is better on the same debates?"""

import pandas as pd
import streamlit as st

from dashboard.app import draw
from dashboard.core.choices import choose_dataset, choose_one, filter_row
from dashboard.core.findings import Row
from dashboard.core.labels import escape_markdown
from dashboard.core.widgets import headline, how_computed, page_title, sample_badge
from dashboard.core.words import EXPERIMENTS, worded
from dashboard.debates.labels import ACCURACY, AGREEMENT, BATTERY
from dashboard.debates.selection import OPENED, nothing_judged
from dashboard.judges import comparison, comparison_queries
from warehouse.reader import Version

PAGE = "judge_against_judge"
KINDS = {
    "judge": "two judges",
    "template": "one judge, two prompts",
    "labels": "one judge, two label sets",
    "outcome": "one judge, asked for the winner or the loser",
    "reasoning": "one judge, with and without reasons",
    "human": "people and a judge",
}


def page(version: Version) -> None:
    """Draw the page over one published version."""
    top = page_title("Judge against judge")
    choices = comparison_queries.choices(version).frame
    if choices.empty:
        nothing_judged("two judges, or two ways of asking one, on the same debates")
        return
    chosen = _select(version, choices)
    row = chosen.pair
    names = comparison.side_names(row)
    if chosen.is_sample:
        sample_badge(top)
    agreement = comparison_queries.agreement(
        version,
        chosen.dataset_id,
        chosen.experiment,
        row["variant_a"],
        row["judge_a"],
        row["judge_b"],
    )
    headline(comparison.finding(row, names, agreement.rows))
    comparison.figures(row, agreement.rows)
    comparison.differences(row, names)
    comparison.comparisons(chosen.pairs, chosen.comparison)
    effects = comparison_queries.effects(
        version,
        chosen.dataset_id,
        chosen.experiment,
        (row["judge_a"], row["judge_b"]),
        (row["variant_a"], row["variant_b"]),
    )
    comparison.effects(effects)
    people = comparison_queries.people(
        version, chosen.dataset_id, chosen.experiment, (row["judge_a"], row["judge_b"])
    )
    comparison.people.show(people)
    _profiles(row)
    comparison.splits(PAGE, version, chosen, names)
    how_computed(
        [AGREEMENT, ACCURACY, BATTERY],
        [
            ("Comparisons", chosen.pairs),
            ("Agreement", agreement),
            ("Biases", effects),
            ("People", people),
        ],
    )


def _profiles(row: Row) -> None:
    """Lead on to everything else that is known of the judges."""
    judge, other = str(row["judge_a"]), str(row["judge_b"])
    beside = {} if judge == other else {"with": other}
    st.page_link(
        "pages/judge.py",
        label=f"Everything known of {escape_markdown(comparison.pair_of_judges(row))}",
        icon=":material/arrow_forward:",
        query_params={"judge": judge, **beside},
    )


def _select(version: Version, choices: pd.DataFrame) -> comparison.Chosen:
    boxes, more = filter_row(PAGE, [3, 3, 4, 4], is_more=True)
    forget = ("judge", "pair", *OPENED)
    with boxes[0]:
        within = ("experiment", "comparison", *forget)
        offered = choices.drop(columns="is_published")
        dataset, is_sample = choose_dataset(PAGE, offered, then_forget=within)
    rows = choices[choices["dataset_id"] == dataset]
    with boxes[1]:
        experiment = choose_one(
            PAGE,
            "experiment",
            "Experiment",
            {one: worded(one, EXPERIMENTS) for one in rows["experiment"]},
            then_forget=("comparison", *forget),
        )
    rows = rows[rows["experiment"] == experiment]
    with more:
        kind = choose_one(
            PAGE,
            "comparison",
            "What is compared",
            {one: KINDS.get(one, one) for one in rows["comparison"]},
            then_forget=forget,
        )
    pairs_of = {
        f"{row['judge_a']}|{row['judge_b']}": row
        for row in comparison_queries.judges(version, dataset, experiment, kind).rows
    }
    with boxes[2]:
        who = pairs_of[
            choose_one(
                PAGE,
                "judge",
                "Judges" if kind in ("judge", "human") else "Judge",
                {one: comparison.pair_of_judges(row) for one, row in pairs_of.items()},
                then_forget=("pair", *OPENED),
            )
        ]
    pairs = comparison_queries.pairs(
        version, dataset, experiment, kind, who["judge_a"], who["judge_b"]
    )
    by_key = {f"{row['variant_a']}|{row['variant_b']}": row for row in pairs.rows}
    with boxes[3]:
        pair = choose_one(
            PAGE,
            "pair",
            "Asked",
            {one: comparison.asked(row) for one, row in by_key.items()},
            then_forget=OPENED,
        )
    return comparison.Chosen(dataset, experiment, kind, is_sample, pairs, by_key[pair])


if __name__ == "__main__":
    draw(page)
