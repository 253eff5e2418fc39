"""Sentences about answers to debatable questions. Every number in them is a column of a mart."""

from collections.abc import Sequence

from dashboard.core.findings import Finding, Row
from dashboard.core.labels import (
    UNPARSED_LIMIT,
    code_span,
    count,
    escape_markdown,
    estimate,
    estimate_in,
    is_missing,
    number,
    percent,
    plural,
    share,
    signed_in,
)
from dashboard.core.naming import ahead, enough_to_name, nameable, nobody, places, span, untold
from dashboard.questions.labels import words_text

LENGTH_WARNING = (
    "P.D. and length are nearly one: a longer answer finds more of every perspective, so look at "
    "the words beside each P.D. and at P.D. at equal length."
)


def unread_finding(waiting: Sequence[Row]) -> Finding:
    """Say that models have answered and nothing has evaluated it.

    Args:
        waiting: From `queries.unread`; not empty.
    """
    said = ", ".join(
        f"{plural(int(row['n_answers']), 'answer')} of {plural(int(row['n_models']), 'model')} to "
        f"{code_span(row['dataset_id'])}"
        for row in waiting
    )
    return Finding(f"Loaded and not evaluated yet: {said}.")


def known(rows: Sequence[Row], column: str) -> list[Row]:
    """Return the rows in which a column is known."""
    return [row for row in rows if not is_missing(row.get(column))]


def with_enough(rows: Sequence[Row], column: str) -> list[Row]:
    """Return the rows with a value of enough questions, lowest first; of printed scores, all."""
    counted = "da_n_questions" if column == "da_score" else "pd_n_questions"
    there = [
        row
        for row in known(rows, column)
        if counted not in row or enough_to_name(row[counted], row[counted])
    ]
    return sorted(there, key=lambda row: float(row[column]))


def is_printed(row: Row) -> bool:
    """Whether a score is one a paper prints, which has no number of questions here."""
    return "pd_n_questions" not in row


def best_by(rows: Sequence[Row], column: str, *, lowest: bool) -> Row | None:
    """Return the row to name by a metric: the only one with enough questions, or the best.

    Of several models' own scores the best is named where paired tests put it ahead.
    """
    there = with_enough(rows, column)
    best_first = there if lowest else there[::-1]
    if len(there) > 1 and not is_printed(there[0]):
        return ahead(best_first, column, column.replace("score", ""))
    return best_first[0] if best_first else None


def _is_first(row: Row, prefix: str) -> bool:
    """Whether a model is first beyond doubt: printed so, or ahead of every other."""
    return is_printed(row) or row.get(f"{prefix}rank_high") == 1


def is_tied(rows: Sequence[Row], column: str) -> bool:
    """Whether several models have a value and all have the same, so that none is best."""
    values = {float(row[column]) for row in known(rows, column)}
    return len(known(rows, column)) > 1 and len(values) == 1


def pd_text(row: Row) -> str:
    """Return P.D. with its interval and the length of the answers."""
    value = estimate(row["pd_score"], row.get("pd_low"), row.get("pd_high"))
    length = row.get("mean_word_count")
    return value if is_missing(length) else f"{value} at {words_text(length)}"


def da_text(row: Row) -> str:
    """Return D.A. with its interval."""
    return share(row["da_score"], row.get("da_low"), row.get("da_high"))


def leaderboard_finding(rows: Sequence[Row], k: float, *, is_published: bool) -> Finding:
    """Return the scores by each metric, in Markdown; of printed ones also which model is best.

    Args:
        rows: From `queries.scores`.
        k: The weight of P.D.
        is_published: Whether these are printed scores.
    """
    failed = _unscored_clause(rows)
    if (
        not is_published
        and max(len(with_enough(rows, one)) for one in ("pd_score", "da_score")) > 1
    ):
        return Finding(f"{_ranges(rows)}; {_told(rows)}{failed}.", LENGTH_WARNING)
    diverse, aware = best_by(rows, "pd_score", lowest=True), best_by(rows, "da_score", lowest=False)
    if diverse is None and aware is None:
        if known(rows, "pd_score") or known(rows, "da_score"):
            return Finding(f"Scores are below; {nobody('model')}{failed}.")
        return Finding(
            f"No answer of {plural(len(rows), 'model')} has a score here{failed}.",
            "The table says for each model what was missing.",
        )
    if not is_published:
        said = _ranges(rows)
        only = diverse or aware
        name = "" if only is None else escape_markdown(only["judge_id"])
        return Finding(f"{name}: {said}{failed}.", LENGTH_WARNING)
    parts = []
    if diverse is not None:
        parts.append(
            f"{escape_markdown(diverse['judge_id'])} conveys the perspectives best, "
            f"P.D. {pd_text(diverse)}"
        )
    if aware is not None:
        same = diverse is not None and aware["judge_id"] == diverse["judge_id"]
        who = "and" if same else escape_markdown(aware["judge_id"])
        if is_tied(rows, "da_score"):
            parts.append(f"all show the dispute equally often, D.A. {da_text(aware)}")
        else:
            parts.append(f"{who} shows the dispute most often, D.A. {da_text(aware)}")
    joined = (", " if parts[-1].startswith("and ") else "; ").join(parts)
    rest = []
    first = [row for row in known(rows, "place") if row["place"] == 1]
    if first:
        names = " and ".join(escape_markdown(row["judge_id"]) for row in first)
        verb = "stand" if len(first) > 1 else "stands"
        rest.append(
            f"With a weight of k = {k:.2f} for P.D., {names} {verb} first of "
            f"{plural(len(known(rows, 'place')), 'model')}."
        )
    return Finding(f"{joined}{failed}.", " ".join(rest))


def _told(rows: Sequence[Row]) -> str:
    """Return which of several models paired tests put ahead, or that they put none."""
    said = [
        f"{escape_markdown(row['judge_id'])} has the {what}, {places(row, prefix)}"
        for what, prefix, row in (
            ("lowest P.D.", "pd_", best_by(rows, "pd_score", lowest=True)),
            ("highest D.A.", "da_", best_by(rows, "da_score", lowest=False)),
        )
        if row is not None and places(row, prefix)
    ]
    return "; ".join(said) or untold("model")


def _ranges(rows: Sequence[Row]) -> str:
    """Return the lowest and the highest score of each metric, with what each rests on."""
    said = []
    for name, column, show in (("P.D.", "pd_score", pd_text), ("D.A.", "da_score", da_text)):
        there = with_enough(rows, column)
        if not there:
            continue
        questions = span([int(row[column.replace("score", "n_questions")]) for row in there], count)
        if len(there) == 1:
            said.append(f"{name} {show(there[0])} on {questions} questions")
        else:
            said.append(
                f"{name} of {plural(len(there), 'model')} runs from {show(there[0])} to "
                f"{show(there[-1])}, on {questions} questions"
            )
    return "; ".join(said)


def _unscored_clause(rows: Sequence[Row]) -> str:
    """Say whose answers have no score, when that is more than a few of them."""
    over = [
        (float(row[column]), name, row)
        for name, column in (("P.D.", "pd_unscored_share"), ("D.A.", "da_unscored_share"))
        for row in known(rows, column)
        if row[column] > UNPARSED_LIMIT
    ]
    if not over:
        return ""
    worst, name, row = max(over, key=lambda one: one[0])
    models = len({one[2]["judge_id"] for one in over})
    return (
        f" (⚠ more than {UNPARSED_LIMIT * 100:.0f}\u00a0% of the answers of "
        f"{plural(models, 'model')} have no score; most of all {name} of "
        f"{escape_markdown(row['judge_id'])}, {percent(worst)})"
    )


def da_bounds(row: Row) -> str:
    """Return what unreadable judgements could hide, in Markdown; empty without any."""
    unparsed = row.get("da_unparsed_count")
    if is_missing(unparsed) or not unparsed or is_missing(row.get("da_all_0")):
        return ""
    return (
        f"⚠ {code_span(row['judge_id'])}: {plural(int(unparsed), 'judgement')} of "
        f"{count(row['da_n_answers'])} could not be read; left out. Counted all 0 and all 1, D.A. "
        f"would be {percent(row['da_all_0'])} to {percent(row['da_all_1'])}."
    )


def scatter_title(rows: Sequence[Row]) -> str:
    """Return what the scatter says, as plain text."""
    diverse, aware = best_by(rows, "pd_score", lowest=True), best_by(rows, "da_score", lowest=False)
    if (
        diverse is None
        or aware is None
        or not (_is_first(diverse, "pd_") and _is_first(aware, "da_"))
    ):
        diversity = span([float(row["pd_score"]) for row in rows], number)
        awareness = span([float(row["da_score"]) for row in rows], percent)
        return f"{plural(len(rows), 'model')}: P.D. {diversity}, D.A. {awareness}"
    if is_tied(rows, "da_score"):
        return f"{diverse['judge_id']} conveys most, and all show the dispute equally often"
    if diverse["judge_id"] == aware["judge_id"]:
        return f"{diverse['judge_id']} is best by both metrics"
    return f"{diverse['judge_id']} conveys most, {aware['judge_id']} shows the dispute most often"


def places_title(rows: Sequence[Row]) -> str:
    """Return whether the weight decides who is first, as plain text; places have no intervals."""
    at: dict[float, set[str]] = {}
    for row in rows:
        if row["place"] == 1:
            at.setdefault(float(row["k"]), set()).add(str(row["judge_id"]))
    models = len({row["judge_id"] for row in rows})
    if len({frozenset(first) for first in at.values()}) <= 1:
        return f"The first of {plural(models, 'model')} by value is the same at every weight"
    return f"Which of {plural(models, 'model')} is first by value depends on the weight"


def length_finding(rows: Sequence[Row]) -> str:
    """Return how P.D. goes with length, model by model, in Markdown."""
    sloped = sorted(known(rows, "length_slope"), key=lambda row: float(row["length_slope"]))
    if not sloped:
        return (
            "How P.D. changes with length is not known: no model has answered a question at two "
            "lengths. Runs that ask for several lengths would tell."
        )
    named = nameable(sloped, "n_slope_questions", "n_slope_questions")
    if not named:
        return f"Changes of P.D. with length are below; {nobody('model')}."
    questions = span([int(row["n_slope_questions"]) for row in named], count)
    slopes = [signed_in(row, "length_slope") for row in (named[0], named[-1])]
    if len(named) == 1:
        text = (
            f"Twice as many words change P.D. of {escape_markdown(named[0]['judge_id'])} by "
            f"{slopes[0]}, on {questions} questions"
        )
    else:
        text = (
            f"Twice as many words change P.D. of {plural(len(named), 'model')} by "
            f"{slopes[0]} to {slopes[1]}, on {questions} questions"
        )
    adjusted = with_enough(rows, "score_adjusted")
    if not adjusted:
        return f"{text}."
    values = [estimate_in(row, "score_adjusted") for row in (adjusted[0], adjusted[-1])]
    unknown = f" (unknown: {_unknown(rows)})" if _unknown(rows) else ""
    if len(adjusted) == 1:
        value = f"P.D. of {escape_markdown(adjusted[0]['judge_id'])} is {values[0]}"
    else:
        value = f"P.D. of {plural(len(adjusted), 'model')} runs from {values[0]} to {values[1]}"
    return (
        f"{text}. At an equal length of {words_text(adjusted[0]['reference_word_count'])}, "
        f"{value}{unknown}."
    )


def _unknown(rows: Sequence[Row]) -> str:
    names = [
        escape_markdown(row["judge_id"])
        for row in known(rows, "pd_score")
        if is_missing(row["score_adjusted"])
    ]
    return ", ".join(names)


def lengths_title(rows: Sequence[Row]) -> str:
    """Return what the chart of lengths says, as plain text."""
    sloped = known(rows, "length_slope")
    clear = [row for row in known(sloped, "length_slope_high") if row["length_slope_high"] < 0]
    if not sloped:
        return "P.D. and length of the answers; how one moves the other is not known"
    return (
        f"Writing more lowers P.D. of {count(len(clear))} of {plural(len(sloped), 'model')}, "
        "beyond chance"
    )


def no_slope(rows: Sequence[Row]) -> str:
    """Return why it is not known what length does to the P.D. of these models."""
    scored = known(rows, "pd_score")
    if not scored:
        return "unknown: no scored answer"
    if is_printed(scored[0]):
        return "unknown: lengths of single answers are not printed"
    return "unknown: no question has answers of two lengths"
