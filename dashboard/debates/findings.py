"""Sentences about verdicts and biases. Every number in them is a column of a mart."""

from collections.abc import Sequence

from dashboard.core.findings import Finding, Row, beyond_limit
from dashboard.core.labels import (
    basis,
    code_span,
    count,
    escape_markdown,
    estimate_in,
    is_missing,
    number,
    on_sides,
    p_value,
    percent,
    plural,
    share_in,
    those_there,
)
from dashboard.core.naming import nameable, nobody, places
from dashboard.debates.labels import bias_name, effect_in

JOINT_MODEL = "joint model"


def tested(rows: Sequence[Row]) -> list[Row]:
    """Return the contrasts that were tested, with an effect."""
    return [row for row in rows if not is_missing(row["p_adjusted"])]


def drawn(rows: Sequence[Row]) -> list[Row]:
    """Return what a chart shows: the tests, or what only describes where nothing was tested."""
    known = [row for row in rows if not is_missing(row["share_change"])]
    return [row for row in known if row["role"] == "test"] or known


def units(row: Row) -> str:
    """Return how many debates, or motions, a row of the battery rests on, and how many clusters."""
    return basis(row, "motion" if row["bias"] == "side" else "debate")


def significant(rows: Sequence[Row]) -> list[Row]:
    """Return the contrasts that are significant after correction, in order."""
    return [row for row in rows if row["is_significant"] is True or row["is_significant"] == 1]


def battery_finding(rows: Sequence[Row], unparsed: Sequence[Row]) -> Finding:
    """Return which judge is moved most, and by what.

    Args:
        rows: From `queries.battery`, the contrasts only.
        unparsed: From `queries.unparsed`.
    """
    known = tested(rows)
    failed = _unparsed_clause(unparsed)
    judges = plural(len({row["judge_id"] for row in rows}), "judge")
    if not known:
        return Finding(
            f"No bias of {judges} could be tested by itself{failed}.",
            "The table says for each contrast what was missing; contrasts with an effect only "
            "describe.",
        )
    moved = significant(known)
    split = sum(row["is_heterogeneous"] == 1 for row in known)
    failed = f"; the ways of asking disagree in {split}{failed}" if split else failed
    if not moved:
        return Finding(
            f"None of {plural(len(known), 'tested bias', 'tested biases')} of {judges} is "
            f"significant after correction{failed}.",
            "".join(f"The largest effect: {_largest(row)}." for row in nameable(known)[:1]),
        )
    named = nameable(moved)
    largest = f"largest: {_largest(named[0])}" if named else nobody("bias")
    return Finding(
        f"{len(moved)} of {plural(len(known), 'tested bias', 'tested biases')} of {judges} "
        f"{'are' if len(moved) > 1 else 'is'} significant after correction; {largest}{failed}.",
        escape_markdown(named[0]["finding"])
        if named and not is_missing(named[0]["finding"])
        else "",
    )


def _largest(row: Row) -> str:
    return (
        f"{bias_name(row['bias'])} of {escape_markdown(row['judge_id'])}, "
        f"{effect_in(row, 'share_change')} on {units(row)}"
    )


def _unparsed_clause(rows: Sequence[Row]) -> str:
    unread = beyond_limit(rows, "unparsed_share")
    if not unread:
        return ""
    worst = unread[0]
    text = share_in(worst, "unparsed_share")
    return (
        f" (⚠ {escape_markdown(worst['judge_id'])} left {text} of its answers without a readable "
        "verdict)"
    )


def battery_title(rows: Sequence[Row]) -> str:
    """Return what the battery chart shows, as plain text."""
    known = tested(rows)
    by_bias: dict[str, list[Row]] = {}
    for row in known:
        by_bias.setdefault(row["bias"], []).append(row)
    moved = [
        f"{bias_name(bias)} {len(significant(mine))} of {len(mine)}"
        for bias, mine in by_bias.items()
        if significant(mine)
    ]
    if not known:
        return "No contrast could be tested" + (": these only describe" if drawn(rows) else "")
    if not moved:
        return f"None of {plural(len(known), 'contrast')} is significant after correction"
    return f"Significant after correction: {', '.join(moved)}"


def shares_title(rows: Sequence[Row], what: str, column: str = "difference") -> str:
    """Return which way two shares differ over several rows, as plain text.

    Args:
        rows: The rows drawn.
        what: Name of the bias.
        column: The column with the difference; its interval has `_low` and `_high`.
    """
    known, above, below = on_sides(rows, column)
    if not known:
        return f"{what.capitalize()}: no interval is known"
    parts = those_there(
        (above, "toward Con"),
        (below, "toward Pro"),
        (known - above - below, "without a clear difference"),
    )
    return f"{what.capitalize()}: of {plural(known, 'comparison')}, {parts}"


def side_title(rows: Sequence[Row]) -> str:
    """Return how many judges clearly give one side more, as plain text."""
    known, pro, con = on_sides(rows, "difference")
    return (
        f"Side: of {plural(known, 'judge')} with an interval, {pro} clearly give Pro more "
        f"than half, {con} give Con more"
    )


def p_words(row: Row) -> str:
    """Return which p a McNemar row reports, as text."""
    if is_missing(row["p"]):
        return f"no p ({escape_markdown(_reason(row))})"
    kind = str(row["p_kind"])
    test = "exact" if kind.startswith("exact") else "from χ² without correction"
    return f"{p_value(row['p'])}, {test}{', by cluster' if 'cluster' in kind else ''}"


def _mcnemar(row: Row) -> str:
    return (
        f"McNemar's test says: {p_words(row)}. χ² {number(row['mcnemar'])} "
        f"({p_value(row['p_mcnemar'])}); with continuity correction "
        f"{number(row['mcnemar_corrected'])} ({p_value(row['p_corrected'])}); exact "
        f"{p_value(row['p_exact'])}."
    )


def position_sentences(row: Row, names: tuple[str, str]) -> list[str]:
    """Spell out the test of two ways of asking one judge, in Markdown.

    Args:
        row: A row of the position or label mart.
        names: The two ways, in plain words; Markdown.
    """
    who = code_span(row["judge_id"])
    if is_missing(row["difference"]):
        return [f"{who}: no difference is known ({escape_markdown(_reason(row))})."]
    only_a, only_b = int(row["only_a_con"]), int(row["only_b_con"])
    said = [
        f"On the same {basis(row, 'debate')} {who} names Con in "
        f"{percent(row['share_a'])} with {names[0]} and in {percent(row['share_b'])} with "
        f"{names[1]}: a difference of "
        f"**{effect_in(row, 'difference')}**.",
        f"{plural(only_a, 'debate')} went to Con only with {names[0]}, {count(only_b)} only with "
        f"{names[1]}. If the way of asking did not matter, changes would go both ways equally "
        f"often. {_mcnemar(row)}",
    ]
    if not is_missing(row.get("z_paper")):
        said.append(
            "The paper takes the two ways as unrelated samples: two-proportion z "
            f"{number(row['z_paper'])} ({p_value(row['p_z_paper'])})."
        )
    if split := int(row["split_count"] or 0):
        said.append(
            f"{plural(split, 'debate')} without a majority over repeats are not in the table."
        )
    return said


def order_sentences(row: Row) -> list[str]:
    """Spell out the test of who speaks last, in Markdown."""
    who = code_span(row["judge_id"])
    if is_missing(row["difference"]):
        return [f"{who}: no difference is known ({escape_markdown(_reason(row))})."]
    said = [
        f"Over {basis(row, 'debate')} {who} names Con in "
        f"{percent(row['share_con_closes'])} where Con speaks last and in "
        f"{percent(row['share_pro_closes'])} where Pro does: a plain difference of "
        f"{effect_in(row, 'difference')}. Chi-square "
        f"{number(row['chi_square'])} ({p_value(row['p_chi_square'])}); with continuity correction "
        f"{number(row['chi_square_yates'])} ({p_value(row['p_yates'])}); φ "
        f"{estimate_in(row, 'phi')}; odds ratio "
        f"{estimate_in(row, 'odds_ratio')}."
    ]
    if is_missing(row["mh_difference"]):
        reason = "" if is_missing(row["mh_reason"]) else f" ({escape_markdown(row['mh_reason'])})"
        said.append(f"It cannot be compared with people's winner{reason}.")
    else:
        said.append(
            "Among debates that people gave to the same side (Mantel–Haenszel, "
            f"{basis(row, 'debate', n='mh_n_units')}) the difference is "
            f"**{effect_in(row, 'mh_difference')}"
            "**, the odds ratio "
            f"{estimate_in(row, 'mh_odds_ratio')}"
            f"; χ² {number(row['mh_chi_square'])} ({p_value(row['p_mh'])}). The side that closes "
            "more often may also win more often: this comparison allows for it."
        )
    return said


def stance_sentences(row: Row) -> list[str]:
    """Spell out the test of leaning to a side, in Markdown."""
    who = code_span(row["judge_id"])
    if is_missing(row["difference"]):
        return [f"{who}: no difference is known ({escape_markdown(_reason(row))})."]
    return [
        f"Over {basis(row, 'debate')} {who} names Con in "
        f"{percent(row['predicted_con_share'])}; people give it {percent(row['human_con_share'])}: "
        "a difference of "
        f"**{effect_in(row, 'difference')}**.",
        f"{plural(int(row['only_predicted_con']), 'debate')} went to Con with the judge alone, "
        f"{count(row['only_human_con'])} with people alone. {_mcnemar(row)}",
        "One way of asking alone describes: the battery tests it together with the ways in which "
        "position and labels cancel."
        if row["is_neutralised"]
        else "⚠ Descriptive: this difference also holds the biases of position and labels "
        f"({escape_markdown(str(row['why_descriptive']))}).",
    ]


def length_sentences(row: Row) -> list[str]:
    """Spell out the test of length, in Markdown."""
    who = code_span(row["judge_id"])
    if is_missing(row["difference_per_ten_pct_words"]):
        return [f"{who}: no difference is known ({escape_markdown(_reason(row))})."]
    return [
        f"Over {basis(row, 'debate')}, 10 % more of Con's words over Pro's add "
        f"{effect_in(row, 'judge_per_ten_pct_words')} to the share of verdicts for Con of "
        f"{who}, and {effect_in(row, 'human_per_ten_pct_words')} with people: a difference "
        f"of **{effect_in(row, 'difference_per_ten_pct_words')}** "
        f"(t {number(row['statistic'])}, {number(row['df'])} degrees of freedom, "
        f"{p_value(row['p'])}).",
        f"The longer side wins {share_in(row, 'longer_wins_judge')} with the judge and "
        f"{percent(row['longer_wins_human'])} with people, a difference of "
        f"{effect_in(row, 'longer_difference')}.",
    ]


def accuracy_finding(rows: Sequence[Row]) -> str:
    """Return which judge agrees with people's winner most often, in Markdown."""
    known = [row for row in rows if not is_missing(row["accuracy"])]
    if not known:
        return "No judge's verdicts can be compared with people's winner here."
    named = nameable(known)
    if not named:
        return f"How often judges name people's winner is below; {nobody('judge')}."
    lead = named[0]
    place = places(lead)
    return (
        f"{escape_markdown(lead['judge_id'])} names people's winner most often: "
        f"{share_in(lead, 'accuracy')} of "
        f"{basis(lead, 'debate')}{f', {place}' if place else ''}."
    )


def accuracy_bounds(row: Row) -> str:
    """Return what failures could hide of an accuracy, in Markdown; empty without failures."""
    failed = int(row["unparsed_count"]) + int(row["unanswered_count"])
    if not failed or is_missing(row["accuracy_all_wrong"]):
        return ""
    return (
        f"⚠ {code_span(row['judge_id'])}: {plural(failed, 'answer')} of {count(row['n_answers'])} "
        "without a readable verdict, left out. Counted as all wrong and all right, its accuracy "
        f"would be {percent(row['accuracy_all_wrong'])} to {percent(row['accuracy_all_right'])}."
    )


def _reason(row: Row) -> str:
    return "no reason is given" if is_missing(row["reason"]) else str(row["reason"])
