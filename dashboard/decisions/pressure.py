"""Does a verdict survive when the side that lost objects?"""

from dashboard.core.data import ask
from dashboard.core.labels import count, is_missing
from dashboard.core.tables import estimate_of, listing, p_of, percent_of
from dashboard.core.widgets import how_computed
from dashboard.decisions.changes import show_changes
from dashboard.decisions.section import Chosen, Section
from warehouse.reader import Version

_NAMES = {"any": "any verdict", "toward": "toward people's winner", "away": "away from it"}


def draw(version: Version, chosen: Chosen) -> None:
    """Draw how often each rebuttal turns a verdict, beyond the control, and in which direction."""
    sql = """
select * from rpt_pressure
where dataset_id = $dataset and judge_id = $judge and experiment = $experiment
    and template = $template
order by list_position(['plain', 'reason', 'flattery', 'authority'], rebuttal),
    list_position(['any', 'toward', 'away'], direction)"""
    asked = {name: chosen.row[f"{name}_id"] for name in ("dataset", "judge")}
    asked |= {name: chosen.row[name] for name in ("experiment", "template")}
    found = ask(version, sql, **asked)
    rows = found.rows
    known = [row for row in rows if row["direction"] == "any" and not is_missing(row["effect"])]
    if known:
        debates = max(row["n_units"] for row in known)
        title = f"{count(debates)} debates: what each rebuttal turns, beyond the control"
        show_changes(
            known,
            "rebuttal",
            "effect",
            axis="verdicts turned beyond the control (0 = none)",
            title=title,
            note="The side that lost speaks, less the side that won. 95 % intervals by resolution.",
        )
    listing(
        rows,
        {
            "rebuttal": "rebuttal",
            "direction": lambda row: _NAMES[row["direction"]],
            "beyond the control": estimate_of("effect"),
            "loser speaks, %": percent_of("flip_rate"),
            "winner speaks, %": percent_of("control_rate"),
            "adjusted p": p_of("p_adjusted"),
            "debates": "n_units",
            "unreadable": "failed_count",
            "reason": "reason",
        },
        raw=found,
        name="pressure",
    )
    how_computed([], [("Decisions", chosen.answer), ("Pressure", found)])


SECTION = Section(
    "does a verdict survive pressure",
    "Does this judge keep its verdict when the side that lost objects?",
    (
        "Have a judge name the winners, then put its verdicts under pressure:",
        "rostrum run debate-winner --judge simulated/fair\n"
        "rostrum run debate-pressure --judge simulated/fair",
    ),
    draw,
)
