"""The tab on size: agreement against the size of the judge, family by family."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core import queries
from dashboard.core.findings import Finding, Row
from dashboard.core.labels import (
    KAPPA,
    TAU_C,
    Metric,
    capital,
    code_span,
    escape_markdown,
    estimate,
    estimate_in,
    interval_in,
    is_missing,
    judge_name,
    number,
    p_value,
    plural,
)
from dashboard.core.panels import Panel
from dashboard.core.selection import Selection
from dashboard.core.series import looks
from dashboard.core.tables import band, formed, p_of
from dashboard.core.widgets import (
    COEFFICIENT,
    draw_chart,
    figure,
    headline,
    how_computed,
    side_by_side,
)
from dashboard.core.words import prompt_name
from dashboard.speeches import charts as speech_charts
from dashboard.speeches import queries as effects
from warehouse.reader import Version

FAMILIES_DRAWN = 8
ALPHA = 0.05
TREND = Metric(
    name="change per doubling",
    measure="size_trend_slope",
    definition=(
        "A line through the agreement of a family's judges against log2 of their size, every "
        "judge weighing the same; over all families, each has a level of its own. The interval "
        "(95 %) leaves one motion at a time out of all judges (τ-c) or redraws people for all of "
        "them (κ). It holds the models as they are: with other models of these sizes the line "
        "may lie elsewhere. Every judge with a family and a size takes part, whatever judges are "
        "chosen above."
    ),
    place="Figure 2 of the paper on judging debate speeches",
)
TURNING = Metric(
    name="turning point",
    measure="turning_size",
    definition=(
        "Two lines that meet at one of the sizes between the smallest and the largest, wherever "
        "they fit best; only with agreement at five sizes or more. Its interval (95 %) is over "
        "redrawn motions (people, for κ). p asks whether a straight line would look as bent with "
        "other motions; adjusted over the families. A second p asks whether models that merely "
        "scatter about a line would: the line's errors are shuffled among them. A turning point "
        "is claimed, and drawn, only where both are under 0.05."
    ),
    place="Sections 1 and 5 of the paper on judging debate speeches, which tests none",
)
_NAMES = {"tau_c": "τ-c", "kappa": "κ"}
_AXES = {
    "tau_c": "τ-c with people's mean score (higher = closer)",
    "kappa": "mean κ with one person (higher = closer)",
}


def draw(version: Version, chosen: Selection) -> None:
    """Draw the tab over what is chosen on the page."""
    trends = effects.size_trends(version, chosen.view)
    judged = effects.sized_judges(version, chosen.view)
    rows, points = trends.rows, judged.rows
    headline(size_finding(rows))
    _left_out(points)
    if not rows:
        st.markdown("Say of a judge which family it is of and how large, then build again:")
        st.code(
            "rostrum judges add openai/gpt-4.1-mini --family gpt-4.1 --size 8\nrostrum build",
            language="shell",
        )
        return
    _figures(rows)
    tabs = {"tau_c": "Same order? (τ-c)", "kappa": "Same scores? (mean κ)"}
    side_by_side(
        _families, {name: (version, rows, points, measure) for measure, name in tabs.items()}
    )
    _table.show(trends)
    how_computed(
        [TREND, TURNING, TAU_C, KAPPA],
        [("Agreement against size", trends), ("Judges by family and size", judged)],
    )


def _leads(rows: Sequence[Row]) -> list[Row]:
    """Rows of τ-c with a slope: families by their number of sizes, then all of them together."""
    return [row for row in rows if row["measure"] == "tau_c" and not is_missing(row["slope"])]


def turns(row: Row) -> bool:
    """Whether a turning point is more than other motions, and models that scatter, would show."""
    return (
        not is_missing(row["p_adjusted"])
        and row["p_adjusted"] < ALPHA
        and row["p_permuted"] < ALPHA
    )


def size_finding(rows: Sequence[Row]) -> Finding:
    """Return how agreement changes with size in the family with most sizes, and where it turns.

    Args:
        rows: Rows of `rpt_size_trend`, families with most sizes first.
    """
    if not rows:
        return Finding("No judge here has a family and a size, so agreement has no size to follow.")
    known = [row for row in _leads(rows) if row["scope"] == "family"]
    if not known:
        return Finding("No family has judges of two sizes here, so there is no slope to speak of.")
    lead = known[0]
    family = escape_markdown(lead["family"])
    return Finding(
        f"Within {family}, agreement with people (τ-c) {slope_text(lead)}, "
        f"{plural(int(lead['n_judges']), 'judge')} and {int(lead['n_units'])} {lead['unit']}.",
        f"{escape_markdown(capital(turning_text(lead)))}.",
    )


def slope_text(row: Row) -> str:
    """Return the direction and size of a slope, as plain text."""
    size = estimate_in(row, "slope")
    sizes = f"over {int(row['n_sizes'])} sizes"
    if is_missing(row["slope_low"]):
        return f"changes by {size} per doubling of size {sizes}; no interval: {row['slope_reason']}"
    if row["slope_low"] > 0:
        return f"rises by {size} per doubling of size {sizes}"
    if row["slope_high"] < 0:
        return f"falls: {size} per doubling of size {sizes}"
    return f"cannot be said to change with size: {size} per doubling {sizes}"


def turning_text(row: Row) -> str:
    """Return whether and where agreement turns, as plain text."""
    if is_missing(row["turning_size"]):
        return f"no turning point is tested: {row['turning_reason']}"
    place = f"{_size(row['turning_size'])} {_sizes(row)}".strip()
    if is_missing(row["p"]):
        return f"two lines fit best when they meet at {place}, untested: {row['turning_reason']}"
    tested = (
        f"{p_value(row['p_adjusted'], adjusted=True)}; "
        f"{p_value(row['p_permuted'])} with models shuffled"
    )
    paper = f"7 B, where the paper sees it, is {'in' if row['is_7b_inside'] else 'out'}side"
    if turns(row):
        return f"it turns at {place} ({tested}); {paper}"
    if row["p_adjusted"] < ALPHA:
        return (
            f"it bends most at {place}, but models that scatter about a line as these do would "
            f"look as bent ({tested})"
        )
    return f"no turning point can be told from a straight line; the best is {place} ({tested})"


def _size(billions: float) -> str:
    return f"{billions:g} B"


def _sizes(row: Row) -> str:
    low, high = row["turning_size_low"], row["turning_size_high"]
    if is_missing(low):
        return ""
    return "in at least 95 % of resamples" if low == high else f"[{low:g}, {high:g}]"


def _left_out(points: Sequence[Row]) -> None:
    unknown = {
        row["judge_id"]
        for row in points
        if is_missing(row["family"]) or is_missing(row["size_b_params"])
    }
    if unknown:
        named = ", ".join(code_span(one) for one in sorted(unknown)[:6])
        more = f" and {len(unknown) - 6} more" if len(unknown) > 6 else ""
        st.caption(
            f"{plural(len(unknown), 'judge')} without a family or a size in judges.toml "
            f"{'takes' if len(unknown) == 1 else 'take'} no part: {named}{more}."
        )


def _figures(rows: Sequence[Row]) -> None:
    families = [row for row in _leads(rows) if row["scope"] == "family"]
    pooled = [row for row in _leads(rows) if row["scope"] == "pooled"]
    boxes = st.columns(3)
    for box, own, label in (
        (boxes[0], families[:1], "τ-c per doubling: {}"),
        (boxes[1], pooled[:1], "τ-c per doubling: all families"),
    ):
        with box:
            for row in own:
                noted = interval_in(row, "slope") or str(row["slope_reason"])
                figure(
                    label.format(escape_markdown(row["family"])),
                    number(row["slope"]),
                    f"{escape_markdown(noted)} · {plural(int(row['n_judges']), 'judge')} · "
                    f"{int(row['n_units'])} {row['unit']}",
                    TREND.line,
                )
    with boxes[2]:
        for row in families[:1]:
            has_turned = turns(row)
            figure(
                "Turning point",
                _size(row["turning_size"]) if has_turned else number(None),
                _sizes(row) if has_turned else _unclaimed(row),
                TURNING.line,
            )


def _unclaimed(row: Row) -> str:
    if is_missing(row["turning_size"]):
        return escape_markdown(capital(str(row["turning_reason"])))
    return f"not claimed; two lines fit best at {_size(row['turning_size'])}"


def _families(version: Version, rows: Sequence[Row], points: Sequence[Row], measure: str) -> None:
    own = [row for row in rows if row["measure"] == measure]
    families = [row for row in own if row["scope"] == "family" and not is_missing(row["slope"])]
    if len(families) > FAMILIES_DRAWN:
        st.info(
            f"{FAMILIES_DRAWN} of {len(families)} families are drawn, those with most sizes; "
            "the table below has all."
        )
    several = len({row["template"] for row in own}) > 1
    look = looks(queries.judges(version).frame["judge_id"])
    for row in families[:FAMILIES_DRAWN]:
        judges = [
            _point(point)
            for point in points
            if (point["measure"], point["template"], point["family"])
            == (measure, row["template"], row["family"])
            and not is_missing(point["agreement"])
            and not is_missing(point["size_b_params"])
        ]
        prompt = f", {prompt_name(row['template'])}" if several else ""
        draw_chart(
            speech_charts.trend,
            judges,
            _lines(row),
            look,
            axis=_AXES[measure],
            title=f"{row['family']}{prompt}: {_NAMES[measure]} {slope_text(row)}",
            note=capital(turning_text(row)),
            turning=_turning(row),
        )
    for row in own:
        if row["scope"] == "pooled" and not is_missing(row["slope"]):
            prompt = f" ({prompt_name(row['template'])})" if several else ""
            st.text(
                f"All families together{prompt}: {_NAMES[measure]} {slope_text(row)}; "
                f"{turning_text(row)}."
            )
        elif is_missing(row["slope"]):
            st.text(f"– {row['family'] or 'All families'}: no slope, {row['slope_reason']}")


def _point(row: Row) -> dict[str, object]:
    return {
        "judge_id": row["judge_id"],
        "name": judge_name(row["judge_id"]).split("/", 1)[-1],
        "size": row["size_b_params"],
        "value": row["agreement"],
        "low": row["low"],
        "high": row["high"],
        "hover": f"{_size(row['size_b_params'])}: "
        f"{estimate(row['agreement'], row['low'], row['high'])}",
    }


def _lines(row: Row) -> list[dict[str, object]]:
    """The straight line and, where a turning point is claimed, the two that meet."""
    ends = [
        ("straight", "size_smallest", "line_smallest"),
        ("straight", "size_largest", "line_largest"),
    ]
    if turns(row):
        ends += [
            ("bent", "size_smallest", "fitted_smallest"),
            ("bent", "turning_size", "fitted_turning"),
            ("bent", "size_largest", "fitted_largest"),
        ]
    return [{"line": line, "size": row[size], "value": row[value]} for line, size, value in ends]


def _turning(row: Row) -> dict[str, float] | None:
    if not turns(row):
        return None
    return {
        "size": row["turning_size"],
        "low": row["turning_size_low"],
        "high": row["turning_size_high"],
    }


_table = Panel(
    "size_trend",
    {
        "family": lambda row: row["family"] or "all families",
        "prompt": "template",
        "measure": lambda row: _NAMES[row["measure"]],
        "judges": "n_judges",
        "sizes": "n_sizes",
        "per doubling": formed("slope", COEFFICIENT),
        "95 % interval": band("slope"),
        "best turning size (B)": formed("turning_size"),
        "its interval": lambda row: _sizes(row) or None,
        "p": p_of("p"),
        "adjusted p": p_of("p_adjusted"),
        "p, models shuffled": p_of("p_permuted"),
        "units": lambda row: f"{int(row['n_units'])} {row['unit']}",
        "no agreement": "undefined_count",
        "why unknown": lambda row: (
            "; ".join(filter(None, dict.fromkeys((row["slope_reason"], row["turning_reason"]))))
            or None
        ),
    },
    tall=None,
)
