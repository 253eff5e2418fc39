"""Whether Pro wins more than half of the motions that the same debaters argued both ways."""

from dashboard.core.charts import estimates, point
from dashboard.core.data import Answer
from dashboard.core.labels import basis, is_missing, p_value, plural
from dashboard.core.tables import Column, band, formed, listing, p_of, percent_of
from dashboard.core.widgets import draw_chart
from dashboard.debates import findings as words
from dashboard.debates.labels import effect_in
from dashboard.debates.panels import ROWS_DRAWN, TALL, nothing


def side(answer: Answer, pairs: Answer) -> None:
    """Show Pro's share of motions argued both ways, and what two judges differ in it."""
    rows, compared = answer.rows, pairs.rows
    known = [row for row in rows if not is_missing(row["difference"])]
    if not known:
        nothing("side")
        return
    draw_chart(
        estimates,
        [
            {
                "label": f"{name}\n{effect_in(row, 'difference')}, "
                f"{plural(int(row['n_units']), 'motion')}",
                "which": which,
                **point(row, "difference", 100),
                "hover": f"{effect_in(row, 'difference')}, {p_value(row['p'])}, "
                f"{basis(row, 'motion')}",
            }
            for which, name, row in [
                *(("Pro's share less half", row["judge_id"], row) for row in known),
                *(
                    ("first judge less second", f"{row['judge_a']} - {row['judge_b']}", row)
                    for row in compared[:ROWS_DRAWN]
                ),
            ]
        ],
        axis="difference of Pro's share, percentage points (right = more Pro)",
        title=words.side_title(known),
        note="One value per motion. Lines: 95 % intervals (t over motions).",
    )
    tested: dict[str, Column] = {
        "prompt": "template",
        "wording": "wording",
        "difference (pp)": percent_of("difference"),
        "95 % interval": band("difference", 100),
        "p": p_of("p"),
    }
    counted: dict[str, Column] = {
        "t (statistic)": formed("statistic"),
        "df": "df",
        "Cohen's d": "effect_size",
        "motions": "n_units",
        "answers": "n_answers",
        "why unknown": "reason",
    }
    single: dict[str, Column] = {"judge": "judge_id", "Pro's share (%)": percent_of("pro_share")}
    listing(rows, {**single, **tested, **counted}, raw=answer, name="side_bias", tall=TALL)
    if compared:
        both: dict[str, Column] = {
            "first": "judge_a",
            "second": "judge_b",
            "Pro, first (%)": percent_of("pro_share_a"),
            "Pro, second (%)": percent_of("pro_share_b"),
        }
        adjusted: dict[str, Column] = {"adjusted p": p_of("p_adjusted")}
        columns = {**both, **tested, **adjusted, **counted}
        listing(compared, columns, raw=pairs, name="side_pairs_bias", tall=TALL)
