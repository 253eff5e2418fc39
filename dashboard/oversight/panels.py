"""The page's figures, and accuracy by protocol beside the naive floor and the expert ceiling."""

from collections.abc import Sequence

import streamlit as st

from dashboard.core.findings import Row, first_known
from dashboard.core.labels import (
    UNKNOWN,
    code_span,
    count,
    escape_markdown,
    interval_in,
    is_missing,
    joined,
    judge_name,
    number,
    percent,
    plural,
    share,
)
from dashboard.core.naming import nameable, nobody, places, span, untold
from dashboard.core.panels import Panel
from dashboard.core.tables import band, formed
from dashboard.core.widgets import draw_chart, figure, figure_row
from dashboard.debates.battery import all_looks
from dashboard.oversight import charts
from dashboard.oversight import findings as words
from dashboard.oversight.findings import NOBODY
from dashboard.oversight.labels import (
    ACCURACY,
    CALIBRATION,
    CONSULTANCY,
    EXPERT,
    GAP,
    NAIVE,
    SLOPE,
    mode_name,
    protocol_name,
)
from warehouse.reader import Version

JUDGES_DRAWN = 4
_GUESSING = ("guessing", 50.0)


def figures(rows: Sequence[Row], slopes: Sequence[Row], calibrated: Sequence[Row]) -> None:
    """Show accuracy, gap closed, slope and calibration error of what the page speaks of first.

    Args:
        rows: From `queries.accuracy`.
        slopes: From `queries.dataset_slopes`.
        calibrated: From `queries.calibration`.
    """
    with figure_row():
        leads = words.leading(rows)
        judges = len({row["judge_id"] for row in leads})
        if not leads:
            is_known = any(not is_missing(row["accuracy"]) for row in rows)
            why = nobody("judge") if is_known else "unknown: nothing could be judged"
            figure("Judges right", UNKNOWN, why, ACCURACY.line)
        elif judges > 1:
            best = words.first(leads)
            told = f"{code_span(best['judge_id'])} {places(best)}" if best else untold("judge")
            figure(
                f"Right: {protocol_name(leads[0]['protocol'], leads[0]['is_interactive'])}",
                span([float(row["accuracy"]) for row in leads], percent),
                f"{plural(judges, 'judge')} · {told}",
                ACCURACY.line,
            )
        else:
            lead = leads[0]
            figure(
                f"Right: {protocol_name(lead['protocol'], lead['is_interactive'])}",
                percent(lead["accuracy"]),
                _note(lead, interval_in(lead, "accuracy", 100)),
                ACCURACY.line,
            )
        _gap_figure([row for row in leads or rows if not is_missing(row["gap_closed"])], rows)
        _slope_figure([row for row in slopes if not is_missing(row["slope"])], slopes)
        _calibration_figure([row for row in calibrated if not is_missing(row["ece_max_p"])])


def _judges(rows: Sequence[Row]) -> int:
    return len({row["judge_id"] for row in rows})


def _gap_figure(gaps: Sequence[Row], rows: Sequence[Row]) -> None:
    name = GAP.name.capitalize()
    if not gaps:
        why = first_known(rows, "gap_reason", "nobody was judged all three ways")
        figure(name, UNKNOWN, f"unknown: {escape_markdown(why)}", GAP.line)
        return
    enough = nameable(gaps, "gap_n_units", "n_clusters")
    if _judges(gaps) > 1 and not enough:
        figure(name, UNKNOWN, nobody("judge"), GAP.line)
    elif _judges(gaps) > 1:
        asked = span([int(row["gap_n_units"]) for row in enough], count)
        note = f"{plural(_judges(enough), 'judge')} · {asked} questions · {untold('judge')}"
        shares = span([float(row["gap_closed"]) for row in enough], percent)
        figure(name, shares, note, GAP.line)
    else:
        note = (
            f"{code_span(gaps[0]['judge_id'])} · "
            f"{interval_in(gaps[0], 'gap_closed', 100)} · "
            f"{plural(int(gaps[0]['gap_n_units']), 'question')}"
        )
        figure(name, percent(gaps[0]["gap_closed"]), note, GAP.line)


def _slope_figure(known: Sequence[Row], slopes: Sequence[Row]) -> None:
    name = "Points per 100 of rating"
    if not known:
        why = slopes[0]["null_reason"] if slopes else "no debater is rated"
        figure(name, UNKNOWN, f"unknown: {escape_markdown(why)}", SLOPE.line)
    elif _judges(known) > 1:
        debaters = span([int(row["n_debaters"]) for row in known], count)
        note = f"{plural(_judges(known), 'judge')} · {debaters} debaters · intervals: ratings"
        values = span([100 * float(row["slope"]) for row in known], number)
        figure(name, values, note, SLOPE.line)
    else:
        note = (
            f"{code_span(known[0]['judge_id'])} · "
            f"{interval_in(known[0], 'slope', 100)} · "
            f"{plural(int(known[0]['n_debaters']), 'debater')}"
        )
        figure(name, number(100 * known[0]["slope"]), note, SLOPE.line)


def _calibration_figure(known: Sequence[Row]) -> None:
    name = "Calibration error"
    enough = words.asked_alike(nameable(known))
    if not known:
        figure(name, UNKNOWN, "unknown: no probability was given", CALIBRATION.line)
    elif _judges(known) == 1 or _judges(enough) == 1:
        row = (enough or known)[0]
        perfect = f"a perfect judge's {number(row['ece_max_p_if_calibrated'])}"
        figure(name, number(row["ece_max_p"]), f"{perfect} · {_note(row, '')}", CALIBRATION.line)
    elif not enough:
        figure(name, UNKNOWN, nobody("judge"), CALIBRATION.line)
    else:
        errors, perfect, asked = (
            span([float(row[column]) for row in enough], number if column != "n_units" else count)
            for column in ("ece_max_p", "ece_max_p_if_calibrated", "n_units")
        )
        note = (
            f"perfect judges' {perfect} · {plural(_judges(enough), 'judge')} · {asked} judgements"
        )
        figure(name, errors, note, CALIBRATION.line)


def _note(row: Row, band: str) -> str:
    parts = [
        code_span(judge_name(str(row["judge_id"]))),
        band,
        plural(int(row["n_units"]), "judgement"),
    ]
    return joined(parts)


def _floor_and_ceiling(rows: Sequence[Row]) -> list[tuple[str, float]]:
    lines = [_GUESSING]
    for protocol in (NAIVE, EXPERT):
        row = next((row for row in rows if row["protocol"] == protocol), None)
        if row is not None:
            lines.append((protocol, 100 * float(row["accuracy"])))
    return lines


def setting_label(row: Row, beside: Sequence[Row]) -> str:
    """Return what tells a row from those beside it, as plain text of two lines.

    Args:
        beside: All rows it stands among, itself too.
    """
    label = protocol_name(row["protocol"], row.get("is_interactive"))
    who = "" if row["debater"] == NOBODY else f"by {row['debater']}"
    # Only what differs is said: most judges were asked in one way.
    more = [
        mode_name(row[name]) if name == "mode" else str(row[name])
        for name in ("debate_setting", "template", "asked_for", "mode")
        if name in row
        and len(
            {
                one[name]
                for one in beside
                if one["protocol"] == row["protocol"] and one["debater"] == row["debater"]
            }
        )
        > 1
    ]
    return f"{label}\n{', '.join(part for part in (who, *more) if part)}"


def _points(row: Row, beside: Sequence[Row]) -> list[dict[str, object]]:
    label = setting_label(row, beside)
    found = [("judgements", "accuracy", "accuracy_low", "accuracy_high", row["n_units"])]
    if row["protocol"] == CONSULTANCY:
        found += [
            (
                f"{kind} consultant",
                f"{kind}_accuracy",
                f"{kind}_low",
                f"{kind}_high",
                row[f"n_{kind}"],
            )
            for kind in ("honest", "dishonest")
            if not is_missing(row[f"{kind}_accuracy"])
        ]
    return [
        {
            "label": label,
            "kind": kind,
            "value": 100 * row[value],
            "low": 100 * row[low],
            "high": 100 * row[high],
            "hover": f"{kind}: {share(row[value], row[low], row[high])}, n = {count(n)}, "
            f"{plural(int(row['n_clusters']), 'story', 'stories')}",
        }
        for kind, value, low, high, n in found
    ]


def _failures(rows: Sequence[Row]) -> None:
    for row in rows:
        if int(row["failed_count"] or 0):
            by = "" if row["debater"] == NOBODY else f" by {code_span(row['debater'])}"
            said = (
                f"⚠ {code_span(row['judge_id'])}, {escape_markdown(row['protocol'])}{by}: "
                f"{plural(int(row['failed_count']), 'judgement')} could not be read and "
                f"{'is' if int(row['failed_count']) == 1 else 'are'} in no figure."
            )
            if not is_missing(row["accuracy_if_worst"]):
                said += (
                    f" Counted as wrong or as right, accuracy would be "
                    f"{percent(row['accuracy_if_worst'])} to {percent(row['accuracy_if_best'])}."
                )
            st.caption(said)


def _draw_accuracy(rows: Sequence[Row], version: Version) -> None:
    known = [row for row in rows if not is_missing(row["accuracy"])]
    judges = list(dict.fromkeys(str(row["judge_id"]) for row in known))
    if len(judges) > JUDGES_DRAWN:
        st.info(f"{JUDGES_DRAWN} of {len(judges)} judges are drawn; the table has all.")
    for judge in judges[:JUDGES_DRAWN]:
        mine = sorted(
            (row for row in known if row["judge_id"] == judge), key=lambda row: -row["accuracy"]
        )
        draw_chart(
            charts.accuracy,
            [point for row in mine for point in _points(row, mine)],
            all_looks(version, judges)[judge],
            _floor_and_ceiling(mine),
            title=words.accuracy_title([row for row in known if row["judge_id"] == judge], judge),
            note="Lines: 95 % intervals over stories. Dashed: guessing, naive floor, expert "
            "ceiling.",
        )
    _failures(rows)


accuracy = Panel(
    "protocol_accuracy",
    {
        "judge": "judge_id",
        "protocol": lambda row: protocol_name(row["protocol"], row["is_interactive"]),
        "debater": "debater",
        "right": formed("accuracy", "percent"),
        "95 % interval": band("accuracy", 100),
        "gap closed": formed("gap_closed", "percent"),
        "its interval": band("gap_closed", 100),
        "honest": formed("honest_accuracy", "percent"),
        "dishonest": formed("dishonest_accuracy", "percent"),
        "mean belief in the right": formed("mean_p_right", "percent"),
        "judged": "n_units",
        "stories": "n_clusters",
        "ties": "tie_count",
        "not readable": "failed_count",
        "answer withheld": "withheld_count",
        "shared rooms": "shared_room_count",
        "debaters asked": "debate_setting",
        "prompt": "template",
        "asked for": "asked_for",
        "how": lambda row: mode_name(row["mode"]) or "read",
        "why unknown": "reason",
        "why no gap": "gap_reason",
    },
    line=ACCURACY,
    draw=_draw_accuracy,
    tall=(9, 360),
)
