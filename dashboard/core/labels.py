"""Text for people: numbers with three digits, intervals in brackets, and nothing that is run.

Motions, speeches, sources and model answers are written by strangers. Inside Markdown they go
through `escape_markdown` or `code_span`; everywhere else they are shown by elements that take plain
text.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dashboard.core.glossary import meaning
from dashboard.core.words import PROMPTS, worded
from warehouse.safe_text import printable

UNKNOWN = "–"
UNPARSED_LIMIT = 0.05
HUMAN = "human"
PEOPLE = "people"

# Said once a page: a chart's own note has room for what is its own.
RESTS_ON = (
    "A 95 % interval rests on the number of clusters (topics, debates, questions, stories or "
    "people), not of answers: answers on one topic resemble each other. Few clusters make it long, "
    "around 0 and 100 %, too. A point's hover text has the number."
)

_DIGITS = 3
_ROUNDING_ERROR = 1e-12
_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")  # every ASCII punctuation mark
# These are rewritten after backslashes are gone: emoji codes, bare addresses, arrows and dashes.
# An invisible word joiner between their characters leaves them as they were written.
_REWRITTEN_LATER = re.compile(r":(?=\S)|@|www(?=\.)|[-<>~=](?=[-<>=])", re.IGNORECASE)
_JOINER = "\u2060"


class Metric(NamedTuple):
    """What one metric means.

    Attributes:
        name: As it stands in a chart or a table.
        definition: A paragraph for "How this is computed".
        place: Where the paper shows it.
        measure: Its name in the catalogue, if it is there.
        mart: The mart whose column it is, if it is no measure.
    """

    name: str
    definition: str
    place: str
    measure: str = ""
    mart: str = ""

    @property
    def line(self) -> str:
        """What it is, as the catalogue has it; a line for a hover text or a caption."""
        return meaning(self.measure, self.mart)


KAPPA = Metric(
    name="mean κ",
    measure="mean_kappa",
    definition=(
        "Quadratic-weighted Cohen's kappa of every pair of people who scored at least the chosen "
        "number of speeches in common, averaged over the pairs. For a judge, each pair is used "
        "twice: once the judge takes the first person's place, once the second's, on the speeches "
        "that pair shares. So the judge is asked to agree with one person exactly as a person is. "
        "The interval (95 %) redraws the people. A pair whose kappa is undefined (both gave one "
        "and the same score throughout) is left out and counted."
    ),
    place="Figure 2a of the paper on judging debate speeches (section 4, agreement metrics)",
)
TAU_C = Metric(
    name="τ-c",
    measure="tau_c",
    definition=(
        "Kendall's tau-c between a judge's scores and the unrounded mean human score, over all "
        "speeches. It looks at order only, so a judge that is harsh throughout loses nothing. The "
        "value for people is leave-one-out: each person with at least 30 speeches against the "
        "mean of all the others, averaged over persons. The comparison with people puts the judge "
        "against the same others on the same speeches. Intervals (95 %) take the motion as the "
        "unit, because speeches on one motion resemble each other."
    ),
    place="Figure 2b of the paper on judging debate speeches (section 4, agreement metrics)",
)
DISTRIBUTION = Metric(
    name="share of answers",
    measure="share",
    mart="rpt_score_distribution",
    definition=(
        "The share of all answers that carry each score. Answers that could not be read as a "
        "score are counted in the same total and shown apart, never guessed. Intervals (95 %) "
        "allow for answers on one motion resembling each other."
    ),
    place="Figures 4 and 13 of the paper on judging debate speeches",
)
SOURCES = Metric(
    name="mean score",
    measure="source_scores_mean_score",
    definition=(
        "The mean score of each source's speeches, for the judge and for people. Beside it, how "
        "well the two rows of means go together: Pearson's r (on a line) and Kendall's tau-b "
        "(in the same order). Intervals (95 %) take the motion as the unit."
    ),
    place="Figure 5 of the paper on judging debate speeches",
)
UNPARSED = Metric(
    name="unparsed share",
    measure="unparsed_share",
    definition="Unreadable answers over all answers, per run.",
    place="Figure 11 of the paper on judging debate speeches",
)

FAILURE = Metric(
    name="failure share",
    measure="run_health_failure_share",
    definition=(
        "A request fails when the model declines, the endpoint's filter holds the prompt or the "
        "answer back, the answer is cut before it says anything, it cannot be read, or no answer "
        "comes at all. Every failure is kept with its text, left out of every headline and counted "
        "beside it; where metrics show bounds, each failure stands at its best and at its worst. "
        "The interval (95 %, Wilson) takes requests as independent."
    ),
    place="Not in the papers, which count only answers that could not be read",
)
COST = Metric(
    name="cost",
    measure="cost_usd",
    mart="rpt_run_health",
    definition=(
        "The sum over requests sent of tokens times the price of the model on that day. Where that "
        "of any is unknown, so is the sum; the known part stands beside it, with its count. A "
        "request that was not sent costs nothing, an answer taken over from another run nothing "
        "again. Cached tokens are those of the prompt that the endpoint had kept from an earlier "
        "request."
    ),
    place="Not in the papers",
)
LATENCY = Metric(
    name="seconds per request",
    measure="latency_s",
    definition=(
        "The median, the 90th and the 99th percentile over the run's requests with a known "
        "duration, each from sending the last attempt to its reply."
    ),
    place="Not in the papers",
)

KINDS = {
    "human": "people",
    "model": "language model",
    "rule": "fixed rule, no model",
    "simulated": "simulated, with a known relation to human scores",
    "ensemble": "ensemble: rounded mean of several judges",
    "imported": "scores made elsewhere and imported",
}


def is_missing(value: Any) -> bool:
    """Whether a value from a frame is absent (None or not a number)."""
    return value is None or value != value  # noqa: PLR0124 - NaN is what differs from itself


def number(value: Any) -> str:
    """Return a number with three significant digits, or a dash for one that is unknown."""
    if is_missing(value):
        return UNKNOWN
    value = float(value)
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    exponent = math.floor(math.log10(abs(value)))
    rounded = round(value, _DIGITS - 1 - exponent)
    if abs(rounded) >= 10 ** (exponent + 1):
        exponent += 1
    text = f"{rounded:,.{max(0, _DIGITS - 1 - exponent)}f}"
    return text.replace("-", "−")


def percent(share: Any) -> str:
    """Return a share as a percentage with three significant digits."""
    return UNKNOWN if is_missing(share) else f"{number(float(share) * 100)}\u00a0%"


def count(value: Any) -> str:
    """Return a count with thousands apart."""
    return UNKNOWN if is_missing(value) else f"{int(value):,}"


def interval(low: Any, high: Any, scale: float = 1) -> str:
    """Return an interval in brackets; empty where there is none."""
    if is_missing(low) or is_missing(high):
        return ""
    ends = float(low) * scale, float(high) * scale
    # What is left of a rounding error beside the other end is no number to read.
    least = max(map(abs, ends)) * _ROUNDING_ERROR
    shown = [number(end if abs(end) > least else 0.0) for end in ends]
    # The space does not break: an interval stays on one line.
    return f"[{shown[0]},\u00a0{shown[1]}]"


def estimate(value: Any, low: Any, high: Any) -> str:
    """Return a value with its interval, as in `0.290 [0.240, 0.340]`."""
    return f"{number(value)} {interval(low, high)}".strip()


def estimate_in(row: Mapping[str, Any], column: str) -> str:
    """Return the estimate in a column with its interval, as in `0.290 [0.240, 0.340]`."""
    return estimate(row[column], row[f"{column}_low"], row[f"{column}_high"])


def interval_in(row: Mapping[str, Any], column: str, scale: float = 1) -> str:
    """Return the interval of the estimate in a column; empty where there is none."""
    return interval(row[f"{column}_low"], row[f"{column}_high"], scale)


def intervals(rows: Sequence[Mapping[str, Any]], column: str, scale: float = 1) -> list[str | None]:
    """Return the interval of a column in each row, for a table; None where there is none."""
    return [interval_in(row, column, scale) or None for row in rows]


def share(value: Any, low: Any, high: Any) -> str:
    """Return a share with its interval, as in `8.00 % [5.20, 11.9]`."""
    return f"{percent(value)} {interval(low, high, 100)}".strip()


def share_in(row: Mapping[str, Any], column: str) -> str:
    """Return the share in a column with its interval, as in `8.00 % [5.20, 11.9]`."""
    return share(row[column], row[f"{column}_low"], row[f"{column}_high"])


def signed(value: Any) -> str:
    """Return a number with its sign, as in `+1.50`."""
    return number(value) if is_missing(value) or value <= 0 else f"+{number(value)}"


def signed_in(row: Mapping[str, Any], column: str, by: float = 1) -> str:
    """Return the estimate in a column with its sign and interval, as in `+1.50 [0.240, 2.76]`."""
    return f"{signed(scaled(row[column], by))} {interval_in(row, column, by)}".strip()


def scaled(value: Any, by: float = 100) -> float | None:
    """Return a share as percent, or a difference of shares as points, for a chart."""
    return None if is_missing(value) else float(value) * by


def p_value(p: Any, *, adjusted: bool = False) -> str:
    """Return `p = 0.012` or `p < 0.001`, and say so when it is adjusted for many tests."""
    name = "adjusted p" if adjusted else "p"
    if is_missing(p):
        return f"{name} {UNKNOWN}"
    return f"{name} < 0.001" if p < 0.001 else f"{name} = {p:.3f}"


def p_cell(p: Any) -> str | None:
    """Return p as a table shows it: without its letter, and never as 0; None where unknown."""
    return None if is_missing(p) else p_value(p).removeprefix("p ").removeprefix("= ")


def capital(text: str) -> str:
    """Return text with a capital at its beginning, all else as it is."""
    return f"{text[:1].upper()}{text[1:]}"


def plural(amount: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 judge`, `3 judges`."""
    return f"{count(amount)} {one if amount == 1 else many or one + 's'}"


def joined(parts: Iterable[str]) -> str:
    """Return the parts of a note that say something, one behind the other."""
    return " · ".join(part for part in parts if part)


def on_sides(
    rows: Sequence[Mapping[str, Any]], column: str, zero: float = 0
) -> tuple[int, int, int]:
    """Return how many intervals are known, and how many of them lie above and below a value."""
    known = [row for row in rows if not is_missing(row[f"{column}_low"])]
    above = sum(bool(row[f"{column}_low"] > zero) for row in known)
    below = sum(bool(row[f"{column}_high"] < zero) for row in known)
    return len(known), above, below


def those_there(*amounts: tuple[int, str]) -> str:
    """Return amounts with what each is, those of 0 left out: `3 better than guessing, 1 worse`."""
    return ", ".join(f"{amount} {what}" for amount, what in amounts if amount)


def sides(
    rows: Sequence[Mapping[str, Any]], column: str, above: str, below: str, zero: float = 0
) -> str:
    """Return on which side of a value intervals lie: `1 above people, 0 below, 7 not to be told`.

    Args:
        above: What it means to lie above.
        below: What it means to lie below.
        zero: The value.
    """
    _, higher, lower = on_sides(rows, column, zero)
    return (
        f"{count(higher)} {above}, {count(lower)} {below}, "
        f"{count(len(rows) - higher - lower)} not to be told"
    )


def basis(
    row: Mapping[str, Any],
    one: str,
    many: str = "",
    *,
    n: str = "n_units",
    clusters: str = "n_clusters",
    cluster: str = "cluster",
) -> str:
    """Return what an interval rests on, as in `75 debates (60 clusters)`.

    Args:
        row: Of a mart.
        one: What is counted.
        many: Its plural.
        n: The column that counts it.
        clusters: The column that counts what was resampled; the count stands alone where a row has
            none, as where each case is its own cluster.
        cluster: What that is.
    """
    said = plural(int(row[n] or 0), one, many)
    groups = row.get(clusters)
    if is_missing(groups):
        return said
    of = f"{cluster[:-1]}ies" if cluster.endswith("y") else f"{cluster}s"
    return f"{said} ({plural(int(groups or 0), cluster, of)})"


def speeches_on_topics(row: Mapping[str, Any], n: str = "n_items") -> str:
    """Return how many speeches an interval rests on, and how many topics, which are redrawn."""
    return basis(row, "speech", "speeches", n=n, clusters="n_units", cluster="topic")


def counts_text(text: Any) -> str | None:
    """Return counts a mart keeps as JSON in words: `no score tag: 6`; nothing where none."""
    counts = {} if is_missing(text) else json.loads(text)
    return ", ".join(f"{name}: {count(amount)}" for name, amount in counts.items()) or None


def judge_name(judge_id: str) -> str:
    """Return what a judge is called in charts and tables."""
    return PEOPLE if judge_id == HUMAN else judge_id


def template_name(template: str, is_justified: Any, wording: Any) -> str:
    """Return a template with what it asks for and whose wording it is."""
    if is_missing(wording):
        return worded(template, PROMPTS)
    asks = "reasons, then a score" if is_justified else "a score only"
    whose = {
        "equivalent": "our wording",
        "verbatim": "the paper's wording",
    }.get(str(wording), "own wording")
    return f"{asks}, {whose} · {template}"


def escape_markdown(text: Any) -> str:
    """Return text that Markdown shows exactly as it is: no link, image, colour, formula or emoji.

    Line breaks become spaces, so that nothing can start a new block. What turns the direction of
    writing is written out: it would turn the figures after it, too.
    """
    flat = printable(" ".join(str(text).split()))
    joined = _REWRITTEN_LATER.sub(lambda match: match[0] + _JOINER, flat)
    return _SPECIAL.sub(r"\\\1", joined)


def code_span(text: Any) -> str:
    """Return text as inline code, which Markdown never interprets. Meant for ids."""
    flat = printable(" ".join(str(text).split())) or " "
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"
