"""One scale for people and judges: who is more severe, and whether for machines less so."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard.core import charts
from dashboard.core.charts import point
from dashboard.core.data import Answer, asking, query
from dashboard.core.findings import Row
from dashboard.core.labels import Metric, escape_markdown, estimate_in, is_missing, plural
from dashboard.core.tables import band, formed, listing, p_of
from dashboard.core.widgets import COEFFICIENT, draw_chart, how_computed, unfolding
from dashboard.core.words import PROMPTS, worded, words_alone
from dashboard.decisions.section import Chosen, Section
from warehouse.reader import Version

SEVERITY = Metric(
    name="severity",
    definition=(
        "One many-facet Rasch model (rating scale) of people and judges. The chance of k steps "
        "is proportional to exp(the sum over steps up to k of quality less severity less the "
        "step's threshold). Qualities are normal around the mean of their source and are "
        "integrated out. People have one severity each; judges one for every source, so that "
        "people alone say how good a source is. Intervals (95 %, t) are clustered by topic. "
        "Infit and outfit are 1 where scores vary as the model says."
    ),
    place="Linacre, Many-facet Rasch measurement (1989)",
)
FAVOUR = Metric(
    name="scale_favour",
    definition=(
        "Above 0, the judge is milder on machines than people are. Each source counts alike. "
        "Who tells good from bad less than people do is milder on whatever is worse, whoever "
        "wrote it: at equal quality is what is left beside a line of the judge's severities on "
        "the sources' quality. The tests of one judge are one family (Benjamini and Hochberg)."
    ),
    place="",
)
BOARD = Metric(
    name="board_ratings_rating",
    definition=(
        "Bradley and Terry's model of who wins, with terms for the side argued for, for length "
        "(log2 of the sides' ratio) and, over all judges, for debaters of the judge's own "
        "family. On the panel each debate counts once, and each judge has a side term of its "
        "own. Intervals (95 %, t) are clustered by motion; the difference of a judge's board "
        "from the panel's is paired."
    ),
    place="Bradley and Terry (1952)",
)
RATERS_DRAWN, ITEMS_SHOWN = 30, 500
RATING = "%.0f"
MEAN = 1500
PANEL = "panel"
TERMS = {
    "length": "a side twice as long",
    "side": "the side that is named first",
    "own_family": "a debater of the judge's own family",
}

# The raters of a data set, the most severe first.
raters = asking(
    "rpt_scale_raters",
    "dimension, subset, severity desc nulls last, annotator_id, judge_id, template",
)

# The differences by source of these judges.
by_source = query("""
select *
from rpt_scale_differences
where dataset_id = $dataset and list_contains($judges, judge_id)
order by dimension, judge_id, template, difference desc, value""")

# The connected subsets of raters, and how well each tells raters and items apart.
subsets = query("""
select subsets.*, facets.* exclude (scale_id, task, dataset_id, dimension, subset, n_subsets,
    n_units, null_reason)
from rpt_scale_subsets as subsets
left join rpt_scale_facets as facets using (scale_id, subset)
where subsets.dataset_id = $dataset
order by subsets.dimension, subset, facet""")

# What was scored on a data set, with its quality; what fits the scale worst first.
items = asking(
    "rpt_scale_items", f"infit desc nulls last, dimension, instance_id\nlimit {ITEMS_SHOWN}"
)

# The boards of these judges and that of all judges.
boards = query("""
select *
from rpt_board_ratings
where dataset_id = $dataset and (board = 'panel' or list_contains($judges, board))
order by board = 'panel', board, rating desc nulls last, debater_id""")

# What else sways each judge of debates.
terms = asking("rpt_board_terms", "term desc, board = 'panel' desc, points desc nulls last")


def draw(version: Version, chosen: Chosen) -> None:
    """Draw what stands below the decision."""
    board = boards(version, chosen.dataset_id, chosen.judges)
    if not board.frame.empty:
        _boards(board, terms(version, chosen.dataset_id), chosen)
        return
    everybody = raters(version, chosen.dataset_id)
    sources = by_source(version, chosen.dataset_id, chosen.judges)
    connected = subsets(version, chosen.dataset_id)
    if apart := subsets_text(connected.rows):
        st.warning(apart)
    _severities(everybody.rows, chosen.judges)
    _sources(sources.rows, sources)
    st.subheader("Raters", anchor=False)
    listing(
        everybody.rows,
        {
            "rater": _name,
            "prompt": "template",
            "severity": formed("severity", COEFFICIENT),
            "95 % interval": band("severity"),
            "infit": formed("infit", COEFFICIENT),
            "outfit": formed("outfit", COEFFICIENT),
            "mean score": formed("mean_score", COEFFICIENT),
            "items": "n_items",
            "topics": "n_units",
            "subset": "subset",
            "why there is no severity or interval": "interval_reason",
        },
        raw=everybody,
        name="scale_raters",
    )
    st.subheader("How well does the scale tell raters and items apart?", anchor=False)
    listing(
        connected.rows,
        {
            "of": "facet",
            "reliability": formed("reliability", COEFFICIENT),
            "95 % interval": band("reliability"),
            "separation": formed("separation", COEFFICIENT),
            "n": "n",
            "subset": "subset",
            "people": "n_people",
            "judges": "n_judges",
        },
        raw=connected,
        name="scale_facets",
    )
    scored = items(version, chosen.dataset_id)
    if not scored.frame.empty:
        unfolding("What was scored, where raters agree least first", _items, scored)
    how_computed(
        [SEVERITY, FAVOUR],
        [
            ("Decisions", chosen.answer),
            ("Raters", everybody),
            ("Differences", sources),
            ("Subsets", connected),
            ("Items", scored),
        ],
    )


def _items(answer: Answer) -> None:
    rows = answer.rows
    if len(rows) == ITEMS_SHOWN:
        st.caption(f"The {ITEMS_SHOWN} that fit worst; the published table has all.")
    listing(
        rows,
        {
            "item": "instance_id",
            "source": "source",
            "quality": formed("quality", COEFFICIENT),
            "95 % interval": band("quality"),
            "infit": formed("infit", COEFFICIENT),
            "outfit": formed("outfit", COEFFICIENT),
            "raters": "n_raters",
            "question": "dimension",
            "subset": "subset",
            "why unknown": "null_reason",
        },
        raw=answer,
        name="scale_items",
    )


def _boards(board: Answer, swayed: Answer, chosen: Chosen) -> None:
    """Draw one judge's board beside that of all judges, and what else sways judges."""
    rows = board.rows
    order = [row["debater_id"] for row in rows if row["board"] == PANEL]
    data = [
        {
            "label": row["debater_id"],
            "which": "all judges" if row["board"] == PANEL else row["board"],
            # Beside the mean of the board, which is the same on every board.
            **{
                name: None if value is None or is_missing(value) else value - MEAN
                for name, value in point(row, "rating").items()
            },
            "hover": f"{estimate_in(row, 'rating')}, {plural(int(row['n_debates']), 'debate')}",
        }
        for row in sorted(rows, key=lambda row: order.index(row["debater_id"]))
        if not is_missing(row["rating"])
    ]
    if data:
        draw_chart(
            charts.estimates,
            data,
            axis="rating above or below the mean of the board (400 points = odds of ten to one)",
            title="Whom this judge rates otherwise than all judges do",
            note="Lines: 95 % intervals, clustered by motion.",
        )
    listing(
        rows,
        {
            "board": "board",
            "debater": "debater_id",
            "rating": formed("rating", RATING),
            "95 % interval": band("rating"),
            "less the panel's": formed("rating_minus_panel", RATING),
            "95 % interval of it": band("rating_minus_panel"),
            "debates": "n_debates",
            "won": formed("win_share", COEFFICIENT),
            "mean margin": formed("mean_margin", COEFFICIENT),
            "why there is no interval": "interval_reason",
        },
        raw=board,
        name="boards",
    )
    st.subheader("What else sways judges?", anchor=False)
    listing(
        swayed.rows,
        {
            "term": lambda row: worded(row["term"], TERMS),
            "board": "board",
            "points": formed("points", RATING),
            "95 % interval": band("points"),
            "adjusted p": p_of("p_adjusted"),
            "verdicts": "n_games",
            "why there is none": "interval_reason",
        },
        raw=swayed,
        name="board_terms",
    )
    how_computed([BOARD], [("Decisions", chosen.answer), ("Boards", board), ("Terms", swayed)])


def subsets_text(rows: Sequence[Row]) -> str:
    """Return which raters cannot be compared with the others; empty where all can be."""
    apart = {row["subset"]: row for row in rows if row["n_subsets"] > 1}
    if not apart:
        return ""
    told = "; ".join(
        f"{number}: {escape_markdown(row['members'])}" for number, row in sorted(apart.items())
    )
    return (
        f"Raters fall into {plural(len(apart), 'subset')} without an item in common. Each has a "
        f"scale of its own, and nothing compares them ({told})."
    )


def _name(row: Row) -> str:
    return str(row["judge_id"] if is_missing(row["annotator_id"]) else row["annotator_id"])


def _severities(rows: Sequence[Row], judge_ids: tuple[str, ...]) -> None:
    """Draw the chosen judges among people; of many people, those evenly spread over the order."""
    known = [row for row in rows if not is_missing(row["severity"])]
    people = [row for row in known if not is_missing(row["annotator_id"])]
    shown = [row for row in known if row["judge_id"] in judge_ids]
    room = max(2, RATERS_DRAWN - len(shown))
    step = max(1, -(-len(people) // room))
    shown += people[::step]
    if not shown:
        return
    data: list[dict[str, Any]] = [
        {
            "label": _name(row)
            + ("" if is_missing(row["template"]) else f", {words_alone(row['template'], PROMPTS)}"),
            "which": "judge" if is_missing(row["annotator_id"]) else "person",
            **point(row, "severity"),
            "hover": f"{estimate_in(row, 'severity')}, {plural(int(row['n_items']), 'item')}, "
            f"{plural(int(row['n_units']), 'topic')}",
        }
        for row in sorted(shown, key=lambda row: -float(row["severity"]))
    ]
    note = "The mean over people is 0. Circles: the judge; squares: people. Lines: 95 % intervals."
    if step > 1:
        note += f" Every {step}th of {len(people)} people is drawn; the table has all."
    draw_chart(
        charts.estimates,
        data,
        axis="severity in log-odds (above 0 = scores lower than people)",
        title="Where the judge stands among people",
        note=note,
        kinds=("judge", "person"),
        is_said=True,
    )


def _sources(rows: Sequence[Row], answer: Answer) -> None:
    shown = [row for row in rows if row["difference"] == "source"]
    if not shown:
        return
    st.subheader("For which sources is it more severe than for others?", anchor=False)
    listing(
        shown,
        {
            "judge": "judge_id",
            "prompt": "template",
            "source": "source",
            "beside all sources": formed("value", COEFFICIENT),
            "95 % interval": band("value"),
            "adjusted p": p_of("p_adjusted"),
            "items": "n_items",
            "why there is none": "interval_reason",
        },
        raw=answer,
        name="scale_sources",
    )


SECTION = Section(
    "One scale",
    "Is this judge more severe than people, and does it favour what machines wrote?",
    (
        "It takes a data set that several people scored, and a judge's scores of it:",
        "rostrum run speech-score --judge simulated/faithful",
    ),
    draw,
)
