"""Everything known of one judge, or of two beside each other, as sections.

A page and a file show the same sections. All text here is plain text: whoever shows it escapes it
for where it goes.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.core.data import Answer
from dashboard.core.findings import Row
from dashboard.core.labels import HUMAN, is_missing
from dashboard.judges.profile import findings, queries, tables
from dashboard.judges.profile import measures as lines
from dashboard.judges.profile.estimates import estimates
from dashboard.judges.profile.parts import Section
from dashboard.judges.profile.replacement import replacement
from warehouse.reader import Version


@dataclass(frozen=True)
class Profile:
    """A judge's profile.

    Attributes:
        judges: Whose: one id, or two.
        about: What each is.
        headline: The finding.
        rest: What else belongs to it.
        is_sample: Whether all of its data sets were made for demonstration.
        sections: In order.
        answers: Every query, with its name.
        source: The published version it comes from.
    """

    judges: tuple[str, ...]
    about: list[str]
    headline: str
    rest: str
    is_sample: bool
    sections: list[Section]
    answers: list[tuple[str, Answer]]
    source: str

    @property
    def title(self) -> str:
        """Return whose profile it is."""
        return " beside ".join(self.judges)

    @property
    def described(self) -> list[str]:
        """Return what each judge is, with its name where there are two."""
        if len(self.judges) == 1:
            return self.about
        return [f"{judge}: {text}" for judge, text in zip(self.judges, self.about, strict=True)]

    @property
    def main(self) -> Section:
        """Return the section to show first: where it agrees with people, or the first that knows.

        A debater has no agreement; what judges make of its speeches is what it is about.
        """
        known = {one.name: one for one in self.sections if one.charts}
        if lines.AGREEMENT in known or lines.WRITING not in known:
            return known.get(lines.AGREEMENT) or next(iter(known.values()), self.sections[0])
        return known[lines.WRITING]


def make_profile(version: Version, judge_ids: Sequence[str], who: Mapping[str, Row]) -> Profile:
    """Gather everything about a judge, or about two.

    Args:
        judge_ids: One id or two.
        who: What each known judge is, from `queries.judges`.
    """
    asked = {
        "Estimates": queries.estimates(version, lines.MEASURES, judge_ids),
        "Confusion": queries.confusion(version, judge_ids),
        "Failures": queries.failures(version, judge_ids),
        "Speeches farthest from people": queries.worst_speeches(version, judge_ids),
        "Debates against people": queries.worst_debates(version, judge_ids),
        "Stories answered wrongly": queries.worst_stories(version, judge_ids),
        "Places ranked otherwise": queries.worst_places(version, judge_ids),
        "Agreement with other judges": queries.agreement(version, judge_ids),
        "Comparisons": queries.comparisons(version, judge_ids),
        "Decisions": queries.replacement(version, judge_ids),
        "Runs": queries.runs(version, judge_ids),
    }
    rows = {name: answer.rows for name, answer in asked.items()}
    found = _by_section(rows["Estimates"], who)
    worst = tables.worst(
        rows["Speeches farthest from people"],
        rows["Debates against people"],
        rows["Stories answered wrongly"],
        rows["Places ranked otherwise"],
        judge_ids,
    )
    known = [row for one in found.values() for row in one if not is_missing(row["value"])]
    return Profile(
        judges=tuple(judge_ids),
        about=[findings.about(one, who[one]) for one in judge_ids],
        headline=findings.headline(
            judge_ids, found, rows["Comparisons"], rows["Agreement with other judges"], rows["Runs"]
        ),
        rest=findings.rest(judge_ids, found),
        is_sample=bool(known) and all(row["is_sample"] for row in known),
        sections=[
            *(
                estimates(name, found.get(name, []), judge_ids)
                for name in (
                    lines.AGREEMENT,
                    lines.BIAS,
                    lines.JOINT,
                    lines.SEVERITY,
                    lines.CONSISTENCY,
                )
            ),
            replacement(rows["Decisions"], judge_ids),
            tables.failures(rows["Failures"], judge_ids),
            worst,
            estimates(lines.WRITING, found.get(lines.WRITING, []), judge_ids),
            tables.confusion(rows["Confusion"], judge_ids),
            tables.agreement(rows["Agreement with other judges"]),
            tables.comparisons(rows["Comparisons"], judge_ids),
            tables.runs(rows["Runs"], {one: who[one] for one in judge_ids}),
        ],
        answers=list(asked.items()),
        source=f"{version.name}, published {version.published_at:%Y-%m-%d %H:%M} UTC",
    )


def _by_section(
    rows: list[dict[str, Any]], who: Mapping[str, Row]
) -> dict[str, list[dict[str, Any]]]:
    """Return the estimates of each section, in the profile's order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        row["settings"], row["again"] = json.loads(row["setting"]), 1
        if (row["subject"], row["measure"]) not in lines.LINES or not _is_shown(row, who):
            continue
        found.setdefault(lines.line_of(row).section, []).append(row)
    for section in found.values():
        section.sort(key=_place)
        # What differs only in what the words leave out is counted, never shown as one.
        said: Counter[tuple[Any, ...]] = Counter()
        for row in section:
            words = (row["whose"], *tables.key(row))
            said[words] += 1
            row["again"] = said[words]
    return found


def _place(row: Row) -> tuple[int, bool]:
    """Return where a row stands: judges without a debate, and those who read all, come last."""
    without = row["settings"].get("protocol") in ("naive", "expert")
    return lines.PLACE_OF[row["subject"], row["measure"]], without


def _is_shown(row: Row, who: Mapping[str, Row]) -> bool:
    """Whether a row stands in the profile: of people's verdicts one comparison is enough."""
    if row["measure"] != "verdict_people_agreement":
        return True
    named = row["whose"] != HUMAN and who[row["whose"]]["judge_kind"] == HUMAN
    # A named person is compared with the others' majority, a judge with each person.
    return bool(row["compared_with"] == ("majority" if named else "each person"))
