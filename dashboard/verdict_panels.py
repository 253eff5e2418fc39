"""What the pages about verdicts are made of: the battery, and one panel per bias."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import queries, verdict_charts
from dashboard import verdict_findings as words
from dashboard.colours import GREY, Look, looks
from dashboard.data import Answer
from dashboard.findings import Row, records
from dashboard.labels import (
    code_span,
    count,
    escape_markdown,
    estimate,
    interval,
    is_missing,
    p_value,
    percent,
    plural,
    share,
)
from dashboard.verdict_evidence import contingency
from dashboard.verdict_labels import (
    BIASES,
    PREDICTED,
    bias_name,
    effect,
    points,
    position_name,
    scaled,
    setting_name,
    side_name,
)
from dashboard.verdict_selection import OPENED
from dashboard.widgets import ANY_SIZE, choose_one, draw_chart, table
from warehouse.reader import Version

CONTRASTS_DRAWN, ROWS_DRAWN, MATRICES_DRAWN = 16, 20, 12
CON_SHARE = "verdicts for Con, % of debates (dashed: half)"
EFFECT_AXIS = "change in the share of verdicts for Con, percentage points (right = more Con)"
Several = Mapping[str, bool]
RUN_ONE = "rostrum run debate-winner --judge JUDGE\nrostrum build"


def all_looks(version: Version, judge_ids: Sequence[str]) -> dict[str, Look]:
    """Return how judges are drawn; people who judge are grey."""
    known = looks(queries.judges(version).frame["judge_id"])
    return known | {one: Look(GREY, "circle") for one in judge_ids if one not in known}


def nothing_judged(what: str) -> None:
    """Say what to run when no judge has named a winner yet."""
    st.markdown(
        f"**No judge has named the winner of a debate yet.** Then this page shows {what}. See "
        "which judges there are, then run one:"
    )
    st.code(
        f"rostrum judges\n{RUN_ONE}",
        language="shell",
    )
    st.markdown("Or see it at once, on the bundled sample and judges that need no key:")
    st.code("rostrum demo", language="shell")


# --- the battery -------------------------------------------------------------------------------


def contrast_label(row: Row, several: Several) -> str:
    """Return what one row of the battery compares, on two lines of plain text."""
    first = f"{bias_name(row['bias'])}: {contrast_name(row['contrast'])}"
    parts = []
    labels = [row[name] for name in ("verbalizer_a", "verbalizer_b") if not is_missing(row[name])]
    if labels and row["bias"] != "label":
        parts.append(str(labels[0]))
    if row["bias"] != "position" and not is_missing(row["position_a"]):
        parts.append(position_name(row["position_a"]))
    for name, text in (("outcome", "asked for the {}"), ("template", "{}")):
        if several.get(name) and not is_missing(row[name]):
            parts.append(text.format(row[name]))
    return f"{first}\n{', '.join(parts)}" if parts else first


def contrast_name(contrast: Any) -> str:
    """Return what is compared with what: `con second - con first` is Con second against first."""
    text = re.sub(r"\b(con|pro)\b", lambda side: side[0].capitalize(), str(contrast))
    return text.replace(" - ", " against ")


def battery(
    version: Version, rows: Sequence[Row], several: Several, *, title: str, drawn: int = 0
) -> None:
    """Draw effects with intervals, the largest first, every judge side by side.

    Args:
        version: Where to read the judges.
        rows: From `verdict_queries.battery`, of one family.
        several: Which factors differ in view.
        title: What to conclude.
        drawn: How many contrasts are drawn; 0 for the usual number.
    """
    known = [row for row in rows if not is_missing(row["effect"])]
    labels = list(dict.fromkeys(contrast_label(row, several) for row in known))
    kept = set(labels[: drawn or CONTRASTS_DRAWN])
    if len(labels) > len(kept):
        st.info(
            f"The chart shows the {len(kept)} contrasts of {len(labels)} with the largest effects. "
            "The table below has all; choose fewer judges or prompts to see others."
        )
    shown = [row for row in known if contrast_label(row, several) in kept]
    if not shown:
        st.markdown("No effect is known here; the table says what was missing.")
        return
    draw_chart(
        verdict_charts.effects,
        effect_rows(shown, several),
        {
            judge: look
            for judge, look in all_looks(version, [row["judge_id"] for row in shown]).items()
            if judge in {row["judge_id"] for row in shown}
        },
        axis=EFFECT_AXIS,
        title=title,
        note=(
            "Filled: significant after correction (adjusted p < 0.05). Hollow: not, or not tested. "
            "Lines: 95 % intervals."
        ),
        tooltips=["judge", "compared", "effect", "adjusted p", "n"],
    )


def effect_rows(rows: Sequence[Row], several: Several) -> pd.DataFrame:
    """Return the rows of the battery as its chart draws them."""
    alone = len({row["judge_id"] for row in rows}) == 1
    data = []
    for row in rows:
        said = effect(row["effect"], row["effect_low"], row["effect_high"])
        n = plural(int(row["n_units"]), "debate")
        compared = contrast_label(row, several)
        data.append(
            {
                # With one judge, the numbers fit beside the row.
                "label": compared.replace("\n", ", ") + f"\n{said}, {n}" if alone else compared,
                "judge_id": row["judge_id"],
                "value": scaled(row["effect"]),
                "low": scaled(row["effect_low"]),
                "high": scaled(row["effect_high"]),
                "mark": "significant" if words.significant([row]) else "not significant",
                "judge": row["judge_id"],
                "compared": compared.replace("\n", ", "),
                "effect": said,
                "adjusted p": p_value(row["p_adjusted"], adjusted=True),
                "n": f"{n}, {count(row['n_answers'])} answers",
            }
        )
    return pd.DataFrame(data)


def battery_table(answer: Answer, several: Several) -> None:
    """Show every contrast with its test."""
    rows = records(answer.frame)
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "bias": [bias_name(row["bias"]) for row in rows],
                "compared": [contrast_label(row, several).replace("\n", ", ") for row in rows],
                "effect (pp)": [scaled(row["effect"]) for row in rows],
                "95 % interval": [
                    interval(row["effect_low"], row["effect_high"], 100) or None for row in rows
                ],
                "verdict": [
                    "significant"
                    if words.significant([row])
                    else "not significant"
                    if not is_missing(row["p_adjusted"])
                    else "not tested"
                    for row in rows
                ],
                "adjusted p": [_p(row["p_adjusted"]) for row in rows],
                "p": [_p(row["p"]) for row in rows],
                "statistic": [row["statistic"] for row in rows],
                "of": [row["statistic_kind"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "clusters": [row["n_clusters"] for row in rows],
                "answers": [row["n_answers"] for row in rows],
                "in words": [row["finding"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("effect (pp)", "statistic"), ANY_SIZE),
        raw=answer,
        name="bias_battery",
        height=380 if len(rows) > 9 else None,
    )


def _p(value: Any) -> str | None:
    return None if is_missing(value) else p_value(value).removeprefix("p ").removeprefix("= ")


# --- one panel per bias ------------------------------------------------------------------------


def _choose_row(page: str, rows: Sequence[Row], show: Callable[[Row], str]) -> Row:
    """Let the reader choose whose table is shown; the URL holds it by its place's own ids."""
    by_key = {
        "|".join(
            str(row.get(name) or "")
            for name in ("judge_id", "variant_id", "variant_a", "variant_b", "contrast")
        ): row
        for row in rows
    }
    chosen = choose_one(
        page,
        "row",
        "Table of",
        list(by_key),
        show=lambda one: show(by_key[one]),
        then_forget=OPENED,
    )
    return by_key[chosen]


def _limited(rows: Sequence[Row], most: int, what: str) -> list[Row]:
    if len(rows) > most:
        st.info(
            f"The chart shows {most} of {len(rows)} {what}, those first in the table below; choose "
            "fewer judges or prompts to see others."
        )
    return list(rows[:most])


def _who(row: Row, rows: Sequence[Row]) -> str:
    several = len({one["judge_id"] for one in rows}) > 1
    return f"{row['judge_id']}: " if several else ""


def _unknown(rows: Sequence[Row], column: str, show: Callable[[Row], str]) -> None:
    for row in rows:
        if is_missing(row[column]):
            st.text(f"– {row['judge_id']}, {show(row)}: {row['reason'] or 'no value'}")


def _ways(row: Row, bias: str) -> tuple[str, str]:
    """Return the two ways of asking that a paired row compares, as plain text."""
    if bias == "position":
        if row["contrast"] == "con second - con first":
            return "Con named second", "Con named first"
        return "Pro always named first", "shuffled positions"
    first, _, second = str(row["contrast"]).partition(" - ")
    return (f"labels {first}", f"labels {second}") if second else ("the first way", "the second")


def _paired_name(row: Row, bias: str, several: Several) -> str:
    ways = " against ".join(_ways(row, bias))
    parts = [ways]
    if bias == "position":
        parts.append(f"labels {row['verbalizer']}")
    elif not is_missing(row.get("position")):
        parts.append(position_name(row["position"]))
    for name, text in (("outcome", "asked for the {}"), ("template", "{}")):
        if several.get(name):
            parts.append(text.format(row[name]))
    return ", ".join(parts)


def paired(page: str, answer: Answer, bias: str, several: Several, look: str) -> None:
    """Show a bias that compares two ways of asking the same judge: position, or labels.

    Args:
        page: Prefix of the state's keys.
        answer: From `verdict_queries.position` or `.label`.
        bias: 'position' or 'label'.
        several: Which factors differ in view.
        look: Which figure of the paper is redrawn.
    """
    rows = records(answer.frame)
    if not rows:
        _nothing(bias)
        return

    def name(row: Row) -> str:
        return _paired_name(row, bias, several)

    known = [row for row in rows if not is_missing(row["difference"])]
    main = [row for row in known if bias == "label" or row["contrast"] == rows[0]["contrast"]]
    if main:
        drawn = _limited(main, ROWS_DRAWN, "comparisons")
        pair = ("with the second label of the set", "with the first")
        names = _ways(drawn[0], bias) if bias == "position" else pair
        draw_chart(
            verdict_charts.two_shares,
            pd.DataFrame(
                [
                    {
                        "label": f"{_who(row, drawn)}{_short(row, bias, several)}\n"
                        f"{words.difference_words(row, 'difference')}, "
                        f"{plural(int(row['n_units']), 'debate')}",
                        "first": scaled(row["share_a"]),
                        "second": scaled(row["share_b"]),
                        "hover": f"{_ways(row, bias)[0]} {percent(row['share_a'])}, "
                        f"{_ways(row, bias)[1]} {percent(row['share_b'])}, "
                        f"{p_value(row['p'])}, {plural(int(row['n_units']), 'debate')}",
                    }
                    for row in drawn
                ]
            ),
            names,
            axis=CON_SHARE,
            title=words.shares_title(drawn, BIASES[bias].name),
            note=f"{look} Each row: the same debates. The largest difference first.",
        )
    _unknown(rows, "difference", name)
    st.markdown("**The table of two by two, and the test spelled out**")
    row = _choose_row(page, rows, lambda one: f"{one['judge_id']}: {name(one)}")
    first, second = _ways(row, bias)
    contingency(
        page,
        [
            [("pair.both_con", row["both_con"]), ("pair.only_a_con", row["only_a_con"])],
            [("pair.only_b_con", row["only_b_con"]), ("pair.both_pro", row["both_pro"])],
        ],
        [f"{escape_markdown(first)}: says {side}" for side in ("Con", "Pro")],
        [f"{escape_markdown(second)}: says {side}" for side in ("Con", "Pro")],
        {"by": row["judge_id"], "a": row["variant_a"], "b": row["variant_b"], "with": None},
    )
    for sentence in words.position_sentences(
        row, (escape_markdown(first), escape_markdown(second))
    ):
        st.markdown(sentence)
    _paired_table(answer, rows, bias, several)


def _short(row: Row, bias: str, several: Several) -> str:
    parts = [str(row["verbalizer"]) if bias == "position" else str(row["contrast"])]
    if bias == "label" and not is_missing(row.get("position")):
        parts.append(position_name(row["position"]))
    for name, text in (("outcome", "asked for the {}"), ("template", "{}")):
        if several.get(name):
            parts.append(text.format(row[name]))
    return ", ".join(parts)


def _paired_table(answer: Answer, rows: Sequence[Row], bias: str, several: Several) -> None:
    shown: dict[str, list[Any]] = {
        "judge": [row["judge_id"] for row in rows],
        "compared": [_paired_name(row, bias, several) for row in rows],
        "difference (pp)": [scaled(row["difference"]) for row in rows],
        "95 % interval": [_between(row, "difference") for row in rows],
        "Con, first way (%)": [scaled(row["share_a"]) for row in rows],
        "Con, second way (%)": [scaled(row["share_b"]) for row in rows],
        "p": [_p(row["p"]) for row in rows],
        "which p": [row["p_kind"] for row in rows],
        "χ² plain": [row["mcnemar"] for row in rows],
        "χ² corrected": [row["mcnemar_corrected"] for row in rows],
        "p exact": [_p(row["p_exact"]) for row in rows],
        "Con only first way": [row["only_a_con"] for row in rows],
        "Con only second way": [row["only_b_con"] for row in rows],
        "debates": [row["n_units"] for row in rows],
        "clusters": [row["n_clusters"] for row in rows],
        "without majority": [row["split_count"] for row in rows],
        "why unknown": [row["reason"] for row in rows],
    }
    if bias == "position":
        shown["z in the paper's way"] = [row["z_paper"] for row in rows]
    _bias_table(answer, shown, bias)


def _bias_table(answer: Answer, shown: Mapping[str, list[Any]], name: str) -> None:
    frame = pd.DataFrame(shown)
    numeric = [
        one
        for one in frame.columns
        if "(pp)" in one or "(%)" in one or one.startswith(("χ²", "z ", "φ", "odds", "t "))
    ]
    table(
        frame,
        formats=dict.fromkeys(numeric, ANY_SIZE),
        raw=answer,
        name=f"{name}_bias",
        height=380 if len(frame) > 9 else None,
    )


def _between(row: Row, column: str, scale: float = 100) -> str | None:
    return interval(row[f"{column}_low"], row[f"{column}_high"], scale) or None


def order(page: str, answer: Answer, several: Several) -> None:
    """Show what speaking last does."""
    rows = records(answer.frame)
    if not rows:
        _nothing("order")
        return

    def name(row: Row) -> str:
        return setting_name(row, several=several)

    known = [row for row in rows if not is_missing(row["difference"])]
    if known:
        drawn = _limited(known, ROWS_DRAWN, "ways of asking")
        draw_chart(
            verdict_charts.two_shares,
            pd.DataFrame(
                [
                    {
                        "label": f"{_who(row, drawn)}{name(row)}\n"
                        f"{words.difference_words(row, 'mh_difference')} held against people's "
                        f"winner, {plural(int(row['mh_n_units'] or 0), 'debate')}",
                        "first": scaled(row["share_con_closes"]),
                        "second": scaled(row["share_pro_closes"]),
                        "hover": f"Con closes {percent(row['share_con_closes'])}, Pro closes "
                        f"{percent(row['share_pro_closes'])}, "
                        f"{plural(int(row['n_units']), 'debate')}",
                    }
                    for row in drawn
                ]
            ),
            ("Con speaks last", "Pro speaks last"),
            axis=CON_SHARE,
            title=words.shares_title(drawn, BIASES["order"].name, "mh_difference"),
            note="The paper's Tables 4 and 9, drawn. One row per way of asking.",
        )
    _unknown(rows, "difference", name)
    st.markdown("**Who speaks last by who is named, and the test spelled out**")
    row = _choose_row(page, rows, lambda one: f"{one['judge_id']}: {name(one)}")
    contingency(
        page,
        [
            [
                (f"order.{side}_closes_pred_{said}", row[f"{side}_closes_pred_{said}"])
                for said in ("pro", "con")
            ]
            for side in ("pro", "con")
        ],
        ["Pro speaks last", "Con speaks last"],
        ["names Pro", "names Con"],
        _one(row),
    )
    for sentence in words.order_sentences(row):
        st.markdown(sentence)
    _bias_table(
        answer,
        {
            "judge": [row["judge_id"] for row in rows],
            "asked": [name(row) for row in rows],
            "difference held against people (pp)": [scaled(row["mh_difference"]) for row in rows],
            "95 % interval": [_between(row, "mh_difference") for row in rows],
            "p": [_p(row["p_mh"]) for row in rows],
            "odds ratio held against people": [row["mh_odds_ratio"] for row in rows],
            "plain difference (pp)": [scaled(row["difference"]) for row in rows],
            "χ² plain": [row["chi_square"] for row in rows],
            "its p": [_p(row["p_chi_square"]) for row in rows],
            "χ² corrected": [row["chi_square_yates"] for row in rows],
            "φ": [row["phi"] for row in rows],
            "its interval": [_between(row, "phi", 1) for row in rows],
            "debates": [row["n_units"] for row in rows],
            "clusters": [row["n_clusters"] for row in rows],
            "without majority": [row["split_count"] for row in rows],
            "why unknown": [row["reason"] or row["mh_reason"] for row in rows],
        },
        "order",
    )


def stance(page: str, answer: Answer, several: Several) -> None:
    """Show the leaning to a side."""
    rows = records(answer.frame)
    if not rows:
        _nothing("stance")
        return

    def name(row: Row) -> str:
        return setting_name(row, several=several)

    known = [row for row in rows if not is_missing(row["difference"])]
    if known:
        drawn = _limited(known, ROWS_DRAWN, "ways of asking")
        draw_chart(
            verdict_charts.two_shares,
            pd.DataFrame(
                [
                    {
                        "label": f"{_who(row, drawn)}{name(row)}"
                        f"{'' if row['is_neutralised'] else ' (with other biases)'}\n"
                        f"{words.difference_words(row, 'difference')}, "
                        f"{plural(int(row['n_units']), 'debate')}",
                        "first": scaled(row["predicted_con_share"]),
                        "second": scaled(row["human_con_share"]),
                        "hover": f"judge {percent(row['predicted_con_share'])}, people "
                        f"{percent(row['human_con_share'])}, {p_value(row['p'])}",
                    }
                    for row in drawn
                ]
            ),
            ("the judge", "people"),
            axis=CON_SHARE,
            title=words.shares_title(drawn, BIASES["stance"].name),
            note="First the ways of asking in which labels and positions were drawn per debate.",
        )
    _unknown(rows, "difference", name)
    st.markdown("**Where judge and people part, and the test spelled out**")
    row = _choose_row(page, rows, lambda one: f"{one['judge_id']}: {name(one)}")
    contingency(
        page,
        [
            [("stance.only_predicted_con", row["only_predicted_con"])],
            [("stance.only_human_con", row["only_human_con"])],
        ],
        ["Con with the judge, Pro with people", "Pro with the judge, Con with people"],
        ["debates"],
        _one(row),
    )
    for sentence in words.stance_sentences(row):
        st.markdown(sentence)
    _bias_table(
        answer,
        {
            "judge": [row["judge_id"] for row in rows],
            "asked": [name(row) for row in rows],
            "difference (pp)": [scaled(row["difference"]) for row in rows],
            "95 % interval": [_between(row, "difference") for row in rows],
            "judge names Con (%)": [scaled(row["predicted_con_share"]) for row in rows],
            "people say Con (%)": [scaled(row["human_con_share"]) for row in rows],
            "labels and positions drawn": [
                "yes" if row["is_neutralised"] else "no" for row in rows
            ],
            "p": [_p(row["p"]) for row in rows],
            "which p": [row["p_kind"] for row in rows],
            "χ² plain": [row["mcnemar"] for row in rows],
            "χ² corrected": [row["mcnemar_corrected"] for row in rows],
            "p exact": [_p(row["p_exact"]) for row in rows],
            "debates": [row["n_units"] for row in rows],
            "clusters": [row["n_clusters"] for row in rows],
            "without majority": [row["split_count"] for row in rows],
            "why unknown": [row["reason"] for row in rows],
        },
        "stance",
    )


def verbosity(page: str, answer: Answer, several: Several) -> None:
    """Show what length gains a side."""
    rows = records(answer.frame)
    if not rows:
        _nothing("verbosity")
        return

    def name(row: Row) -> str:
        return setting_name(row, several=several)

    known = [row for row in rows if not is_missing(row["difference"])]
    if known:
        drawn = _limited(known, ROWS_DRAWN, "ways of asking")
        draw_chart(
            verdict_charts.estimates,
            pd.DataFrame(
                [
                    {
                        "label": f"{_who(row, drawn)}{name(row)}\n"
                        f"{words.difference_words(row, 'difference')} beyond people, "
                        f"{plural(int(row['n_units']), 'debate')}",
                        "which": which,
                        "value": scaled(row[column]),
                        "low": scaled(row[f"{column}_low"]),
                        "high": scaled(row[f"{column}_high"]),
                        "hover": f"{which} "
                        f"{effect(row[column], row[f'{column}_low'], row[f'{column}_high'])}",
                    }
                    for row in drawn
                    for which, column in (("the judge", "judge_slope"), ("people", "human_slope"))
                ]
            ),
            axis="change in the share for Con per doubling of its length, percentage points",
            title=words.shares_title(drawn, BIASES["verbosity"].name),
            note="Right of the dashed line: the longer side gains. Lines: 95 % intervals.",
        )
    _unknown(rows, "difference", name)
    st.markdown("**The test spelled out**")
    row = _choose_row(page, rows, lambda one: f"{one['judge_id']}: {name(one)}")
    for sentence in words.length_sentences(row):
        st.markdown(sentence)
    _bias_table(
        answer,
        {
            "judge": [row["judge_id"] for row in rows],
            "asked": [name(row) for row in rows],
            "difference per doubling (pp)": [scaled(row["difference"]) for row in rows],
            "95 % interval": [_between(row, "difference") for row in rows],
            "judge per doubling (pp)": [scaled(row["judge_slope"]) for row in rows],
            "people per doubling (pp)": [scaled(row["human_slope"]) for row in rows],
            "p": [_p(row["p"]) for row in rows],
            "t (statistic)": [row["statistic"] for row in rows],
            "longer side wins, judge (%)": [scaled(row["longer_wins_judge"]) for row in rows],
            "longer side wins, people (%)": [scaled(row["longer_wins_human"]) for row in rows],
            "its difference (pp)": [scaled(row["longer_difference"]) for row in rows],
            "its interval": [_between(row, "longer_difference") for row in rows],
            "debates": [row["n_units"] for row in rows],
            "clusters": [row["n_clusters"] for row in rows],
            "why unknown": [row["reason"] for row in rows],
        },
        "verbosity",
    )


def _one(row: Row) -> dict[str, str | None]:
    return {"by": row["judge_id"], "a": row["variant_id"], "b": None, "with": None}


_NEEDS = {
    "position": "the same debates asked with Pro named first and with Con named first",
    "label": "the same debates asked with the labels both ways round",
    "order": "debates of which it is known who speaks last",
    "stance": "debates of which people have said who won",
    "verbosity": "debates with texts, of which people have said who won",
}


def _nothing(bias: str) -> None:
    st.markdown(
        f"**Nothing here tests this bias yet.** It needs {_NEEDS[bias]}. This "
        "experiment asks for what it takes:"
    )
    st.code(RUN_ONE, language="shell")


# --- accuracy and confusion --------------------------------------------------------------------


def accuracy(answer: Answer, several: Several) -> None:
    """Draw and list how often judges name people's winner."""
    rows = records(answer.frame)
    st.markdown(words.accuracy_finding(rows))
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if known:
        drawn = _limited(known, ROWS_DRAWN, "ways of asking")
        draw_chart(
            verdict_charts.estimates,
            pd.DataFrame(
                [
                    {
                        "label": f"{row['judge_id']}: {setting_name(row, several=several)}\n"
                        f"{share(row['accuracy'], row['accuracy_low'], row['accuracy_high'])}, "
                        f"{plural(int(row['n_units']), 'debate')}",
                        "which": "accuracy",
                        "value": scaled(row["accuracy"]),
                        "low": scaled(row["accuracy_low"]),
                        "high": scaled(row["accuracy_high"]),
                        "hover": share(row["accuracy"], row["accuracy_low"], row["accuracy_high"]),
                    }
                    for row in drawn
                ]
            ),
            axis="debates on which the judge names people's winner, % (dashed: half)",
            title=accuracy_title(drawn),
            note="The best first. Lines: 95 % intervals.",
            top=100.0,
        )
    _unknown(rows, "accuracy", lambda one: setting_name(one, several=several))
    for row in rows[:ROWS_DRAWN]:
        if text := words.accuracy_bounds(row):
            st.caption(f"{text} Asked: {code_span(setting_name(row))}.")
    table(
        accuracy_frame(rows, several),
        formats=dict.fromkeys(
            ("accuracy (%)", "F1 weighted", "F1 macro", "F1 Pro", "F1 Con", "MCC", "κ"), ANY_SIZE
        ),
        raw=answer,
        name="verdict_accuracy",
        height=380 if len(rows) > 9 else None,
    )


def accuracy_title(rows: Sequence[Row]) -> str:
    """Return how many are better than half, as plain text."""
    known = [row for row in rows if not is_missing(row["accuracy_low"])]
    if not known:
        return "Accuracy: no interval is known"
    above = sum(bool(row["accuracy_low"] > 0.5) for row in known)
    below = sum(bool(row["accuracy_high"] < 0.5) for row in known)
    return (
        f"Of {plural(len(known), 'way')} of asking, {above} clearly right more often than half the "
        f"time{f', {below} clearly less' if below else ''}"
    )


def accuracy_frame(rows: Sequence[Row], several: Several) -> pd.DataFrame:
    """Return accuracies with everything beside them, as a table shows them."""
    return pd.DataFrame(
        {
            "judge": [row["judge_id"] for row in rows],
            "asked": [setting_name(row, several=several) for row in rows],
            "accuracy (%)": [scaled(row["accuracy"]) for row in rows],
            "95 % interval": [_between(row, "accuracy") for row in rows],
            "F1 weighted": [row["f1_weighted"] for row in rows],
            "its interval": [_between(row, "f1_weighted", 1) for row in rows],
            "F1 macro": [row["f1_macro"] for row in rows],
            "F1 Pro": [row["f1_pro"] for row in rows],
            "F1 Con": [row["f1_con"] for row in rows],
            "MCC": [row["mcc"] for row in rows],
            "interval of MCC": [_between(row, "mcc", 1) for row in rows],
            "κ": [row["kappa"] for row in rows],
            "interval of κ": [_between(row, "kappa", 1) for row in rows],
            "debates": [row["n_units"] for row in rows],
            "clusters": [row["n_clusters"] for row in rows],
            "answers": [row["n_answers"] for row in rows],
            "read": [row["parsed_count"] for row in rows],
            "ties": [row["tie_count"] for row in rows],
            "unparsed": [row["unparsed_count"] for row in rows],
            "not answered": [row["unanswered_count"] for row in rows],
            "why unknown": [
                row["reason"] or row["mcc_reason"] or row["kappa_reason"] for row in rows
            ],
        }
    )


def matrices(rows: Sequence[Row], several: Several) -> list[tuple[Row, pd.DataFrame, str]]:
    """Return one confusion matrix per judge and way of asking: its key, its cells, its title."""
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row["judge_id"], row["variant_id"]), []).append(row)
    judges = {row["judge_id"] for row in rows}
    made = []
    for mine in grouped.values():
        amounts = {(row["human_winner"], row["predicted"]): row for row in mine}
        answered = [
            one
            for one in PREDICTED
            if one in ("pro", "con")
            or any(row["predicted"] == one and row["n_answers"] > 0 for row in mine)
        ]
        cells = [
            {
                "won": side_name(side),
                "answered": PREDICTED[said],
                "share": scaled(row["share"]) if row else 0.0,
                "text": f"{count(row['n_answers'])}\n{percent(row['share'])}" if row else "0",
                "hover": (
                    f"{share(row['share'], row['share_low'], row['share_high'])}, "
                    f"{count(row['n_answers'])} answers on {plural(int(row['n_units']), 'debate')}"
                    if row
                    else "none"
                ),
            }
            for side in ("pro", "con")
            for said in answered
            for row in [amounts.get((side, said))]
        ]
        title = f"{mine[0]['judge_id']}: " if len(judges) > 1 else ""
        made.append(
            (mine[0], pd.DataFrame(cells), f"{title}{setting_name(mine[0], several=several)}")
        )
    return made


def confusion(page: str, answer: Answer, several: Several) -> None:
    """Draw a confusion matrix per way of asking, and open the debates of a cell."""
    rows = records(answer.frame)
    st.subheader("What is confused with what?", anchor=False)
    if not rows:
        st.markdown("No verdict can be held against people's winner here.")
        return
    st.caption(
        "The paper's Figures 6, 7 and 9: rows are what people say, columns what the judge says; "
        "counts are answers, shares are of the row."
    )
    made = matrices(rows, several)
    if len(made) > MATRICES_DRAWN:
        st.info(f"{MATRICES_DRAWN} of {len(made)} are drawn; choose fewer judges to see others.")
    for start in range(0, min(len(made), MATRICES_DRAWN), 3):
        boxes = st.columns(3)
        for box, (_, cells, title) in zip(
            boxes, made[start : min(start + 3, MATRICES_DRAWN)], strict=False
        ):
            with box:
                draw_chart(verdict_charts.confusion, cells, title=title)
    keys = [key for key, _, _ in made]
    chosen = _choose_row(
        page, keys, lambda one: f"{one['judge_id']}: {setting_name(one, several=several)}"
    )
    mine = [
        row for row in rows
        if (row["judge_id"], row["variant_id"]) == (chosen["judge_id"], chosen["variant_id"])
    ]  # fmt: skip
    amounts = {(row["human_winner"], row["predicted"]): row["n_units"] for row in mine}
    contingency(
        page,
        [
            [(f"confusion.{side}_{said}", amounts.get((side, said), 0)) for said in PREDICTED]
            for side in ("pro", "con")
        ],
        ["people say Pro", "people say Con"],
        list(PREDICTED.values()),
        _one(chosen),
    )
    st.caption("Counts on the buttons are debates with at least one such answer.")


def consistency(answer: Answer) -> None:
    """List how often answers on one debate differ."""
    rows = records(answer.frame)
    if not rows:
        st.markdown("No debate was asked twice, so nothing can be said of flips.")
        return
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "compared": [str(row["kind"]) for row in rows],
                "asked": [
                    None if is_missing(row["variant_id"]) else setting_name(row) for row in rows
                ],
                "flips": [
                    share(row["flip_share"], row["flip_share_low"], row["flip_share_high"])
                    for row in rows
                ],
                "pairs of answers": [row["n_pairs"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            }
        ),
        raw=answer,
        name="self_consistency",
    )


def panels(answer: Answer) -> None:
    """List what panels and asking both ways round gain and cost."""
    rows = records(answer.frame)
    if not rows:
        st.markdown("There is no panel here: it takes two judges, or both positions.")
        return
    table(
        pd.DataFrame(
            {
                "panel": [str(row["panel_name"] or row["panel"]) for row in rows],
                "how": [row["panel"] for row in rows],
                "members": [row["members"] for row in rows],
                "asked": [
                    None if is_missing(row["variant_id"]) else setting_name(row) for row in rows
                ],
                "accuracy": [
                    share(row["accuracy"], row["accuracy_low"], row["accuracy_high"])
                    for row in rows
                ],
                "single verdict (%)": [scaled(row["single_accuracy"]) for row in rows],
                "gain": [words.difference_words(row, "difference") for row in rows],
                "change in verdicts for Con": [
                    words.difference_words(row, "con_share_difference") for row in rows
                ],
                "cost per verdict (USD)": [row["cost_usd_per_verdict"] for row in rows],
                "single (USD)": [row["single_cost_usd_per_verdict"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "why unknown": [row["reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(
            ("single verdict (%)", "cost per verdict (USD)", "single (USD)"), ANY_SIZE
        ),
        raw=answer,
        name="panel_accuracy",
    )


def funnel(answer: Answer) -> None:
    """Show which debates were left out, and by which rule."""
    rows = records(answer.frame)
    if not rows:
        st.markdown("No rule has removed a debate of this data set.")
        return
    table(
        pd.DataFrame(
            {
                "rule": [str(row["rule"]).replace("_", " ") for row in rows],
                "what it removes": [row["description"] for row in rows],
                "setting": [row["setting"] for row in rows],
                "debates before": [row["debates_before"] for row in rows],
                "removed": [row["removed_count"] for row in rows],
                "left": [row["debates_after"] for row in rows],
            }
        ),
        raw=answer,
        name="filter_funnel",
    )


def best_accuracy(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the value and the note of the figure of accuracy."""
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if not known:
        return "–", "unknown: nothing can be held against people's winner"
    lead = known[0]
    return percent(lead["accuracy"]), (
        f"{code_span(lead['judge_id'])} · "
        f"{interval(lead['accuracy_low'], lead['accuracy_high'], 100)} · "
        f"{plural(int(lead['n_units']), 'debate')}"
    )


def estimate_text(row: Row, column: str) -> str:
    """Return an estimate with its interval, of any mart that names them in the usual way."""
    return estimate(row[column], row.get(f"{column}_low"), row.get(f"{column}_high"))


def points_note(row: Row) -> tuple[str, str]:
    """Return the value and the note of the figure of one effect."""
    return points(row["effect"]), (
        f"{escape_markdown(bias_name(row['bias']))}, {code_span(row['judge_id'])} · "
        f"{interval(row['effect_low'], row['effect_high'], 100)} · "
        f"{plural(int(row['n_units']), 'debate')}"
    )
