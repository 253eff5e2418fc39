"""Charts of debate as oversight: ratings, accuracy against rating, calibration, belief by round.

Frames come with the columns named in each function; text in them is drawn as plain text. Shares
and probabilities come as percent.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction), `looks` (how each judge is drawn) and `tooltips` (columns to repeat on hover).
"""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    PERCENT,
    Measure,
    curve,
    dashed,
    diagonal,
    dots,
    hovered,
    named_lines,
    points,
    spread,
    titled,
    whole_ticks,
)
from dashboard.core.labels import number, plural
from dashboard.core.naming import span
from dashboard.core.series import (
    COLOURS,
    GREY,
    JUDGE,
    SHAPES,
    Look,
    by_judge,
    few_series,
    legend_above,
    told_apart,
)
from dashboard.core.spots import label_spots, names_beside


def accuracy(
    rows: pd.DataFrame,
    look: Look,
    lines: Sequence[tuple[str, float]],
    *,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw one row per protocol of one judge, beside its own floor and ceiling.

    `rows` has columns `label` (a line break starts a second line), `kind` (what each point is),
    `value`, `low`, `high` (percent) and `hover`. In order.
    `lines`: name and value (percent) of each dashed line: guessing, naive, expert.
    """
    right = Measure("judgements right, % (higher = better)", PERCENT)
    kinds = list(dict.fromkeys(rows["kind"]))
    shapes = (look.shape, "triangle-right", "triangle-left")
    _, shape = told_apart("kind", kinds, (), shapes, legend_above(kinds))
    return dots(
        rows,
        right,
        (look.colour, shape),
        title=title,
        note=note,
        behind=named_lines(lines, right),
        lanes=alt.YOffset("kind:N", sort=kinds),
        hover="right",
        above=max(0, len(lines) - 1),
    )


def votes(rows: pd.DataFrame, *, title: str, note: str) -> alt.LayerChart:
    """Draw how often a vote of k judges is right, a line per way of asking.

    `rows` has columns `line`, `k`, `value`, `low`, `high` (percent) and `hover`.
    """
    right = Measure("votes right, % (higher = better)", PERCENT, way="y")
    lines = list(dict.fromkeys(rows["line"]))
    base = alt.Chart(rows).encode(
        x=alt.X("k:O", title="judges who vote").axis(labelAngle=0),
        xOffset=alt.XOffset("line:N", sort=lines),
    )
    return curve(
        base,
        right,
        told_apart("line", lines, COLOURS, SHAPES, legend_above(lines)),
        title=title,
        note=note,
        height=300,
        hover="vote",
        behind=[dashed(50.0, y=right.at())],
        faint=0.5,
    )


def ladder(
    rows: pd.DataFrame, looks: Mapping[str, Look], mean: float, *, axis: str, title: str, note: str
) -> alt.LayerChart:
    """Draw one row per debater: its rating with interval, beside the mean of the field.

    `rows` has columns `label` (a line break starts a second line), `judge_id` (the debater),
    `value`, `low`, `high` and `hover`. In order.
    `mean`: what the ratings are anchored at; the dashed line.
    """
    rating = Measure(axis, alt.Scale(zero=False, nice=True), {"format": "d"})
    return dots(
        rows,
        rating,
        by_judge(looks, list(rows["judge_id"])),
        title=title,
        note=note,
        behind=[dashed(mean, x=rating.at())],
        hover="rating",
        width=3,
    )


def against_rating(
    rows: pd.DataFrame, line: pd.DataFrame, *, title: str, note: str
) -> alt.LayerChart:
    """Draw the accuracy of judges who heard a debater against that debater's rating.

    `rows` has columns `judge_id` (the debater), `rating`, `rating_low`, `rating_high`, `accuracy`,
    `accuracy_low`, `accuracy_high` (percent) and `hover`.
    `line` has columns `rating` and `accuracy` (percent): the two ends of the fitted line; empty
    where none is known.
    """
    rating = Measure(
        "rating of the debater, from other questions (right = more persuasive)",
        alt.Scale(zero=False, nice=True),
        {"format": "d"},
        "x",
        *("rating", "rating_low", "rating_high"),
    )
    right = Measure(
        "judges right, % (higher = better)",
        PERCENT,
        None,
        "y",
        *("accuracy", "accuracy_low", "accuracy_high"),
    )
    told = JUDGE
    spots = label_spots(rows["judge_id"], rows["rating"], rows["accuracy"])
    base, across, up = alt.Chart(rows), rating.at(), right.at()
    layers = [
        dashed(50.0, y=right.of("value")),
        spread(base.encode(y=up), rating, told[0], width=1.5, faint=0.6),
        spread(base.encode(x=across), right, told[0], width=1.5, faint=0.6),
        points(base.encode(x=across), right, told, "debater"),
        *names_beside(rows, across, up, "judge_id", spots),
    ]
    if len(line):
        layers.append(alt.Chart(line).mark_line(color=GREY, strokeWidth=2).encode(x=across, y=up))
    return titled(layers, title, note, 340)


def reliability(
    bins: pd.DataFrame, look: Look, *, title: Sequence[str], note: str
) -> alt.LayerChart:
    """Draw how often an event came true against how probable the judge held it, in bins.

    `bins` has columns `forecast`, `value`, `low`, `high` (percent), `n` and `hover`.
    `title`: which judge, and asked how: a line each.
    `note`: a line under the title.
    """
    across = alt.X(
        "forecast:Q",
        title="probability stated for the likelier answer, %",
        scale=alt.Scale(domain=[50, 100], nice=False),
    )
    right = Measure("was right, %", PERCENT, way="y")
    base = alt.Chart(bins).encode(x=across)
    size = alt.Size("n:Q", legend=None).scale(range=[40, 240], domainMin=1)
    # Beside the point: above and below it stands its interval.
    counts = base.mark_text(color=GREY, fontSize=11, align="right", dx=-9)
    return alt.layer(
        diagonal("forecast", "value", (50.0, 100.0), x=across, y=right.at()),
        spread(base, right, look.colour, width=2, faint=0.6),
        points(base, right, look, "bin", size=None).encode(size=size),
        counts.encode(y=right.at(), text=alt.Text("n:Q")),
    ).properties(
        title=alt.TitleParams(
            list(title), subtitle=note, subtitleColor=GREY, anchor="start", fontSize=12, limit=360
        ),
        height=260,
        autosize=FIT,
    )


def beliefs(rows: pd.DataFrame, *, axis: str, title: str) -> alt.LayerChart:
    """Draw what a judge believes after each round, a line per protocol.

    `rows` has columns `line` (what belongs together), `protocol`, `step`, `value`,
    `low`, `high` (percent) and `hover`.
    `axis`: what is believed, with its direction.
    """
    protocols = list(dict.fromkeys(rows["protocol"]))
    steps = sorted({int(one) for one in rows["step"]})
    across = alt.X("step:Q", title="rounds read").axis(**whole_ticks(steps))
    belief = Measure(axis, PERCENT, way="y")
    return curve(
        alt.Chart(rows).encode(x=across, detail=alt.Detail("line:N")),
        belief,
        _by_protocol(protocols),
        title=title,
        note="",
        height=240,
        hover="belief",
        behind=[dashed(50.0, y=belief.at())],
        faint=0.5,
    )


def _by_protocol(protocols: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    turns = range(len(protocols))
    colours = [COLOURS[at % len(COLOURS)] for at in turns]
    shapes = [SHAPES[(at + at // len(SHAPES)) % len(SHAPES)] for at in turns]
    return told_apart("protocol", protocols, colours, shapes, legend_above(protocols))


def _last_belief(points: pd.DataFrame) -> str:
    last = int(points["step"].max())
    values = points.loc[points["step"] == last, "value"]
    return f"Belief after {plural(last, 'round')}: {span(values, number)}\u00a0%"


def belief(points: pd.DataFrame, *, axis: str, note: str) -> alt.LayerChart:
    """Draw how judges' belief in answer 0 moved over one transcript.

    `points` has columns `judge_id`, `line` (a judge and an order of answers), `order` (which answer
    was shown first), `step` (rounds read), `value` (percent) and `hover`.
    `axis`: what is believed.
    `note`: what to know of it.
    """
    orders = list(dict.fromkeys(points["order"]))
    colour, shape = few_series(points["judge_id"], "judge_id")
    # A name stands at the end of the judge's first line.
    ends = points.sort_values("step").drop_duplicates("judge_id", keep="last")
    spots = label_spots(ends["judge_id"], ends["step"], ends["value"])
    steps = sorted({int(one) for one in points["step"]})
    up = alt.Y("value:Q", title=axis, scale=PERCENT)
    across = alt.X("step:Q", title="rounds read").axis(**whole_ticks(steps))
    base = alt.Chart(points).encode(x=across, y=up)
    legend = legend_above(orders, narrow=True)
    below = legend if legend is None else alt.Legend(title=None, orient="bottom", columns=1)
    dashes = alt.StrokeDash("order:N", sort=orders, legend=below).scale(
        domain=orders, range=[[1, 0], [6, 4], [2, 3]][: len(orders)]
    )
    # Where nobody was asked twice there is no line: a point says its order, too.
    filled = alt.FillOpacity("order:N", sort=orders, legend=below).scale(
        domain=orders, range=[1.0, 0.0, 0.4][: len(orders)]
    )
    return alt.layer(
        dashed(50.0, y=up),
        base.mark_line(strokeWidth=1.5).encode(
            detail=alt.Detail("line:N"), color=colour, strokeDash=dashes
        ),
        base.mark_point(size=80, opacity=1).encode(
            color=colour,
            fill=colour,
            fillOpacity=filled,
            shape=shape,
            tooltip=hovered("belief"),
        ),
        *names_beside(ends, across, up, "judge_id", spots),
    ).properties(
        title=alt.TitleParams(
            _last_belief(points), subtitle=note, subtitleColor=GREY, anchor="start"
        ),
        height=200,
        autosize=FIT,
    )
