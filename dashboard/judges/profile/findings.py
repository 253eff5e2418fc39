"""What a profile found, in sentences of plain text."""

from collections.abc import Mapping, Sequence

from dashboard.core.findings import Row, beyond_limit
from dashboard.core.labels import (
    HUMAN,
    KINDS,
    estimate_in,
    is_missing,
    number,
    plural,
    share_in,
)
from dashboard.debates.labels import setting_name
from dashboard.judges.profile import charts, tables
from dashboard.judges.profile import measures as lines
from dashboard.judges.profile.estimates import biases_words, meaning


def about(judge_id: str, known: Row) -> str:
    """Return what a judge is, as text."""
    if judge_id == HUMAN:
        return "people: all who gave scores or verdicts, taken together"
    kind = str(known["judge_kind"])
    if known["is_rater"]:
        kind = "a person who scored speeches"
    elif kind == HUMAN:
        kind = "a person whose verdicts have a name"
    else:
        kind = str(KINDS.get(kind, "judge"))
    parts = [kind]
    if not is_missing(known["provider"]) and known["provider"] not in ("ensemble", "simulated"):
        parts.append(f"provider {known['provider']}")
    if not is_missing(known["family"]):
        parts.append(f"family {known['family']}")
    if not is_missing(known["size_b_params"]):
        parts.append(f"{known['size_b_params']:g} billion parameters")
    if not is_missing(known["members"]):
        parts.append(f"members {known['members']}")
    return ", ".join(parts)


def headline(
    judges: Sequence[str],
    found: Mapping[str, Sequence[Row]],
    comparisons: Sequence[Row],
    agreement: Sequence[Row],
    runs: Sequence[Row],
) -> str:
    """Return what a profile found, in one sentence.

    Args:
        judges: Whose it is: one id, or two.
        found: The estimates of each section.
        comparisons: Of judges on the same debates, against people.
        agreement: Of pairs of judges on the same debates.
        runs: The judges' runs; an unreadable share over the limit belongs to the finding.
    """
    first = judges[0]
    name = "People" if first == HUMAN else first
    if len(judges) > 1:
        text = _against(judges, found, comparisons, agreement)
    else:
        rows = _leading(first, found)
        known = [row for one in found.values() for row in one if not is_missing(row["value"])]
        biases = [row for row in known if lines.line_of(row).section == lines.BIAS]
        if rows:
            text = f"{name} {_clause(rows[0])}"
        else:
            text = (
                f"{name} cannot be compared with people"
                if known
                else f"None of the figures shown here is estimated of {name} yet"
            )
        text += f"; {biases_words(biases)}" if biases else ""
    if unread := beyond_limit(runs, "unparsed_share"):
        worst = max(unread, key=lambda row: row["unparsed_share"])
        whose = "" if len(judges) == 1 else f" by {worst['judge_id']}"
        text += (
            f"; ⚠ {share_in(worst, 'unparsed_share')} of the answers{whose} in one run are "
            "not readable"
        )
    return f"{text}."


def _leading(judge: str, found: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the first known estimate of a judge of each subject that a finding can say."""
    leading: dict[tuple[str, str], Row] = {}
    for name in (lines.AGREEMENT, lines.WRITING):
        for row in found.get(name, []):
            if row["whose"] != judge or is_missing(row["value"]) or not lines.line_of(row).phrase:
                continue
            leading.setdefault((name, row["subject"]), row)
    return list(leading.values())


def _clause(row: Row) -> str:
    """Return what an estimate says of its judge, as part of a sentence."""
    phrase = lines.line_of(row).phrase
    value, basis = lines.written(row), lines.resting_on(row)
    if row["measure"] == "mean_kappa":
        if row["whose"] == HUMAN:
            return f"agree with each other on speeches with κ {value} ({basis})"
        told = {
            charts.ABOVE: "better than one person does",
            charts.BELOW: "less well than one person does",
            charts.UNTOLD: "about as well as one person does, as far as the data tell",
        }.get(meaning(lines.AGREEMENT, row), "beside people")
        return f"{phrase} {told}: κ {value}, people {number(row['people'])} ({basis})"
    by = lines.judged_by(row)
    basis += f", judged by {by}" if by else ""
    return f"{phrase}: {value} ({basis})"


def rest(judges: Sequence[str], found: Mapping[str, Sequence[Row]]) -> str:
    """Return what the finding says beyond its headline: the other subjects."""
    if len(judges) > 1:
        return ""
    clauses = [_clause(row) for row in _leading(judges[0], found)[1:]]
    return f"Also: {'; '.join(clauses)}." if clauses else ""


def _against(
    judges: Sequence[str],
    found: Mapping[str, Sequence[Row]],
    comparisons: Sequence[Row],
    agreement: Sequence[Row],
) -> str:
    """Return what two judges share and how they differ in it."""
    first, second = judges
    tested = [
        row for row in tables.between(comparisons, judges) if not is_missing(row["difference"])
    ]
    if tested:
        return tables.compared(tested)
    for name in (lines.AGREEMENT, lines.WRITING):
        mine = {tables.key(row): row for row in found.get(name, []) if row["whose"] == first}
        for row in found.get(name, []):
            other = mine.get(tables.key(row))
            if row["whose"] != second or other is None:
                continue
            if is_missing(row["value"]) or is_missing(other["value"]):
                continue
            return (
                f"{first} beside {second}, {lines.what(row)}: {lines.written(other)} against "
                f"{lines.written(row)}; no paired test of the two is published"
            )
    for row in tables.between(agreement, judges):
        if is_missing(row["raw_agreement"]):
            continue
        return (
            f"{first} and {second} name the same winner in {share_in(row, 'raw_agreement')} of "
            f"{plural(int(row['n_units']), 'debate')} (κ {estimate_in(row, 'cohen_kappa')}, asked "
            f"{setting_name(row)}); which is closer to people is not known"
        )
    return f"{first} and {second} share no estimate: they were asked different things"
