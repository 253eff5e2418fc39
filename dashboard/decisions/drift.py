"""Did the judge change between two waves over the same frozen items?"""

from collections.abc import Sequence

from dashboard.core.data import Answer, ask
from dashboard.core.findings import Row
from dashboard.core.labels import is_missing, number
from dashboard.core.tables import estimate_of, listed, p_of, share_of
from dashboard.core.widgets import how_computed, table
from dashboard.decisions.changes import show_changes
from dashboard.decisions.section import Chosen, Section
from warehouse.reader import Version

_SINCE = {"first": "the first wave", "before": "the wave before"}


def draw(version: Version, chosen: Chosen) -> None:
    """Draw the drift of every wave since the first, and the parts of a system's change of score."""
    found, split = (_of(version, mart, chosen) for mart in ("rpt_drift", "rpt_score_change"))
    rows = found.rows
    first = [row for row in rows if row["since"] == "first" and not is_missing(row["drift"])]
    first = [row for row in first if row["dimension"] == chosen.row["dimension"]]
    if first:
        show_changes(
            first,
            "to_wave",
            "drift",
            axis="drift since the first wave (0 = no change)",
            title=_conclusion(first),
            note="Mean change of answers to the same items, 95 % interval by topic.",
        )
    table(
        listed(
            rows,
            {
                "wave": "to_wave",
                "since": lambda row: f"{_SINCE[row['since']]}, {row['from_wave']}",
                "drift": estimate_of("drift"),
                "changed": share_of("changed_share"),
                "error": estimate_of("error_drift"),
                "adjusted p": p_of("p_adjusted"),
                "topics": "n_units",
                "judge": "to_judge_id",
                "prompt": "to_template",
                "set": "anchor_set",
                "reason": "reason",
            },
        ),
        raw=found,
        name="drift",
    )
    changes = split.rows
    if changes:
        table(
            listed(
                changes,
                {
                    "system": lambda row: f"{row['from_set']} to {row['to_set']}",
                    "wave": "to_wave",
                    "change of the score": estimate_of("total_change"),
                    "by the judge": estimate_of("judge_change"),
                    "by the system": estimate_of("system_change"),
                    "topics": "n_units",
                    "reason": "reason",
                },
            ),
            raw=split,
            name="score-change",
        )
    how_computed([], [("Decisions", chosen.answer), ("Drift", found), ("Judge and system", split)])


def _conclusion(rows: Sequence[Row]) -> str:
    last = next((row for row in rows if row["is_latest"]), rows[-1])
    return (
        f"{last['n_answers']:,} frozen items on {last['n_units']:,} topics: "
        f"{number(last['drift'])} since {last['from_wave']}"
    )


def _of(version: Version, mart: str, chosen: Chosen) -> Answer:
    """The rows of a mart about the judge, of all waves."""
    sql = (
        f"select * from {mart}\nwhere dataset_id = $dataset and judge_id = $judge\n"
        "order by dimension, to_wave"
    )
    return ask(version, sql, dataset=chosen.dataset_id, judge=chosen.row["judge_id"])


SECTION = Section(
    "Did the judge change",
    "Does this judge still answer as it did?",
    (
        "Freeze items, and judge them in two waves or more:",
        "rostrum anchor make spring speech-score --dataset sample --size 60\n"
        "rostrum anchor run spring --judge simulated/faithful --wave first",
    ),
    draw,
)
