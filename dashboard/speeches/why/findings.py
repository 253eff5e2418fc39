"""What the page on judges' reasons says first, written from the data."""

from collections.abc import Sequence

from dashboard.core.findings import Finding, Row
from dashboard.core.labels import (
    UNPARSED_LIMIT,
    code_span,
    count,
    escape_markdown,
    is_missing,
    number,
    percent,
    plural,
    share_in,
)
from dashboard.core.naming import nameable, nobody
from dashboard.speeches.why.labels import ALL, CON, PRO


def why_finding(
    judge: str, sources: Sequence[Row], points: Sequence[Row], covered: Row | None
) -> Finding:
    """Return for which sources a judge's reasons speak, and what it says most.

    Args:
        judge: The judge, or all together.
        sources: Of this judge, the most favourable first.
        points: Its key points, those of each polarity the most frequent first.
        covered: What the analysis covers of it.
    """
    name = "The judges' reasons" if judge == ALL else f"The reasons of {code_span(judge)}"
    known = [row for row in sources if not is_missing(row["positive_share"])]
    named = nameable(known, "n_matched", "n_units")
    rest = _left_out(covered)
    if not known:
        return Finding(f"{name} cannot be put under key points", _join(_reason(covered), rest))
    if len(known) == 1:
        first = f"{name} about {_source(known[0])}, the only source, are {_positive(known[0])}"
    elif known[0]["positive_share"] == known[-1]["positive_share"]:
        first = f"{name} are as positive of every source: {_positive(known[0])}"
    elif len(named) < 2:
        first = f"{name} are about {plural(len(known), 'source')}; {nobody('pair of sources')}"
    else:
        first = (
            f"{name} speak most for {_source(named[0])} ({_positive(named[0])}) and least for "
            f"{_source(named[-1])} ({_positive(named[-1])})"
        )
    first = f"{first}; {_coverage(covered)}"
    said = [
        f"{words} “{escape_markdown(row['key_point'])}” ({_said(row)})"
        for words, row in (
            ("praise most often:", _top(points, PRO)),
            ("fault most often:", _top(points, CON)),
        )
        if row
    ]
    begin = "They" if judge == ALL else "It"
    verbs = " and ".join(said) if judge == ALL else " and ".join(_third(one) for one in said)
    second = f"{begin} {verbs}." if said else ""
    return Finding(f"{first}.", _join(second, _scores(known), rest))


def _coverage(covered: Row | None) -> str:
    """Say how much of what judges say is under any key point: what else is said here is of that."""
    if covered is None or is_missing(covered["matched_share"]):
        return "how much of them key points cover is unknown"
    text = share_in(covered, "matched_share") if covered["matched_share"] < 1 else "every one"
    sentences = plural(
        int(covered["n_held"]), "sentence for or against", "sentences for or against"
    )
    return f"key points cover {text} of {sentences}"


def _third(text: str) -> str:
    verb, _, rest = text.partition(" ")
    return f"{verb}s {rest}"


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _source(row: Row) -> str:
    return escape_markdown(row["source"])


def _positive(row: Row) -> str:
    text = share_in(row, "positive_share")
    return f"{text} positive, {plural(int(row['n_matched']), 'sentence')}"


def _said(row: Row) -> str:
    text = share_in(row, "justification_share")
    return f"{text} of {plural(int(row['n_justifications']), 'justification')}"


def _top(points: Sequence[Row], polarity: str) -> Row | None:
    said = (row for row in points if row["polarity"] == polarity and row["sentence_count"])
    return next(iter(nameable(list(said), "n_justifications", "n_units")), None)


def _scores(known: Sequence[Row]) -> str:
    scored = [row for row in known if not is_missing(row["mean_score"])]
    if len(scored) < 2:
        return ""
    best = max(scored, key=lambda row: float(row["mean_score"]))
    worst = min(scored, key=lambda row: float(row["mean_score"]))
    if best["mean_score"] == worst["mean_score"]:
        return f"Its mean score is {number(best['mean_score'])} of every source."
    return (
        f"Its scores are highest for {_source(best)} (mean {number(best['mean_score'])}) and "
        f"lowest for {_source(worst)} ({number(worst['mean_score'])})."
    )


def _reason(covered: Row | None) -> str:
    if covered is None:
        return "This analysis has no justification."
    for column in ("undefined_reason", "positive_undefined_reason"):
        if not is_missing(covered[column]):
            text = str(covered[column])
            return f"{text[0].upper()}{text[1:]}."
    return ""


def _left_out(covered: Row | None) -> str:
    if covered is None:
        return ""
    missing = int(covered["n_justifications"]) - int(covered["sentences_count"])
    if not missing:
        return ""
    warned = "⚠ " if missing > UNPARSED_LIMIT * int(covered["n_justifications"]) else ""
    return (
        f"{warned}{count(missing)} of {plural(int(covered['n_justifications']), 'justification')} "
        f"({percent(missing / int(covered['n_justifications']))}) have no sentences; "
        "they are left out."
    )
