"""Which estimates a judge's profile shows, in which section, and how each reads."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dashboard.core.findings import Row
from dashboard.core.labels import HUMAN, estimate, is_missing, plural, share
from dashboard.core.words import DIMENSIONS, PROMPTS, words_alone
from dashboard.debates.labels import bias_name, effect, setting_name
from dashboard.oversight.labels import BIASES as OVERSIGHT_BIASES
from dashboard.oversight.labels import protocol_name
from dashboard.parliamentary.labels import EFFECTS, OUTCOMES

AGREEMENT, BIAS, JOINT, SEVERITY, CONSISTENCY, WRITING = (
    "agreement",
    "biases",
    "joint_model",
    "severity",
    "consistency",
    "writing",
)
# Kinds of number, each on an axis of its own, with what the axis says.
SHARE, CLOSENESS, CHANGE, POINTS, PLACES, RATIO, SQUARED, RATING, PERPLEXITY = (
    "share",
    "closeness",
    "change",
    "points",
    "places",
    "ratio",
    "squared",
    "rating",
    "perplexity",
)
AXES: Mapping[str, str] = {
    CLOSENESS: "agreement: 1 is full, for shares and coefficients alike (right = closer)",
    SHARE: "percent",
    CHANGE: "percentage points (0 = no bias, none too much)",
    POINTS: "points of the scale (0 = as people score)",
    PLACES: "places (0 = as the panel ranks)",
    RATIO: "ratio (1 = as people do)",
    SQUARED: "squared probability or nats (left = better)",
    RATING: "rating points (right = wins more)",
    PERPLEXITY: "perplexity of people's perspectives (left = better)",
}


class Line(NamedTuple):
    """How one measure of one subject stands in a profile.

    Attributes:
        section: Where it stands.
        says: What it is, as text; a function of the row where that depends on the row.
        kind: Its kind of number.
        is_share: Whether it is written as a percentage.
        chance: What guessing gives, where that is the same for all rows.
        phrase: How the finding begins to say it.
    """

    section: str
    says: str | Callable[[Row], str]
    kind: str
    is_share: bool = False
    chance: float | None = None
    phrase: str = ""


def _of(row: Row, name: str) -> str:
    return str(row["settings"].get(name, ""))


def _panel_bias(row: Row) -> str:
    effect, outcome = _of(row, "effect"), _of(row, "outcome")
    words = f"{EFFECTS.get(effect, effect)}, {OUTCOMES.get(outcome, outcome)}"
    return f"parliamentary: {words}"


def _story_bias(row: Row) -> str:
    effect = _of(row, "effect")
    return f"oversight: {OVERSIGHT_BIASES.get(effect, effect)}"


_FLIPS = {
    "repeats": "asked again, word for word",
    "templates": "asked with another prompt",
    "labels": "labels swapped",
    "positions": "positions swapped",
    "twins": "sides swapped",
}


def _flip(row: Row) -> str:
    kind = _of(row, "kind")
    return f"debates: {_FLIPS.get(kind, kind)}"


_OVERSIGHT, _SPEECHES, _BP = "oversight", "speeches", "parliamentary"
# By subject and measure, in the order of the profile.
LINES: Mapping[tuple[str, str], Line] = {
    (_SPEECHES, "mean_kappa"): Line(
        AGREEMENT,
        "speeches: κ with one person",
        CLOSENESS,
        chance=0,
        phrase="agrees with people on speeches",
    ),
    (_SPEECHES, "tau_c"): Line(
        AGREEMENT, "speeches: order of people's means, τ-c", CLOSENESS, chance=0
    ),
    (_SPEECHES, "rater_quality_kappa"): Line(
        AGREEMENT,
        "speeches: κ with other people",
        CLOSENESS,
        chance=0,
        phrase="agrees with other people on speeches",
    ),
    (_SPEECHES, "rater_quality_tau_c"): Line(
        AGREEMENT, "speeches: order of others' means, τ-c", CLOSENESS, chance=0
    ),
    ("debates", "accuracy"): Line(
        AGREEMENT,
        "debates: names people's winner",
        CLOSENESS,
        is_share=True,
        chance=0.5,
        phrase="names people's winner of debates",
    ),
    ("debates", "verdict_people_agreement"): Line(
        AGREEMENT,
        "debates: same winner as a person",
        CLOSENESS,
        is_share=True,
        chance=0.5,
        phrase="names the same winner of debates as a person",
    ),
    ("questions", "accuracy"): Line(
        AGREEMENT,
        "questions: sees a dispute where people do",
        CLOSENESS,
        is_share=True,
        phrase="says as people do whether an answer sees a dispute",
    ),
    ("questions", "metric_alignment_spearman"): Line(
        AGREEMENT,
        "questions: ranks answers as people, ρ",
        CLOSENESS,
        chance=0,
        phrase="ranks answers to a question as people do",
    ),
    (_BP, "house_kendall_tau"): Line(
        AGREEMENT,
        "parliamentary: order of houses, τ-b",
        CLOSENESS,
        chance=0,
        phrase="ranks the houses of parliamentary debates as their panels do",
    ),
    (_BP, "speaker_kendall_tau"): Line(
        AGREEMENT,
        "parliamentary: order of speakers, τ-b",
        CLOSENESS,
        chance=0,
        phrase="ranks the speakers of parliamentary debates as their panels do",
    ),
    (_OVERSIGHT, "accuracy"): Line(
        AGREEMENT,
        lambda row: (
            f"oversight: right after {protocol_name(_of(row, 'protocol'))}"
            if _of(row, "protocol") not in ("naive", "expert")
            else f"oversight: right as {protocol_name(_of(row, 'protocol'))} judge"
        ),
        CLOSENESS,
        is_share=True,
        chance=0.5,
        phrase="gives the right answer on stories",
    ),
    ("debates", "bias_battery_share_change"): Line(
        BIAS, lambda row: f"debates: {bias_name(_of(row, 'bias'))}", CHANGE, is_share=True
    ),
    (_BP, "bp_bias_estimate"): Line(BIAS, _panel_bias, POINTS),
    (_OVERSIGHT, "judge_biases_oversight_estimate"): Line(BIAS, _story_bias, CHANGE, is_share=True),
    (_SPEECHES, "self_preference"): Line(BIAS, "speeches: prefers those of its own family", POINTS),
    (_SPEECHES, "shift"): Line(SEVERITY, "speeches: mean score less people's", POINTS),
    (_SPEECHES, "mae"): Line(SEVERITY, "speeches: mean error of a score", POINTS),
    (_SPEECHES, "spread_ratio"): Line(SEVERITY, "speeches: spread of scores over people's", RATIO),
    (_SPEECHES, "sharpness"): Line(
        SEVERITY, "speeches: how far it tells sources apart, over people", RATIO
    ),
    (_SPEECHES, "harshness"): Line(SEVERITY, "speeches: harshness, beside other people", POINTS),
    (_SPEECHES, "rater_quality_spread_ratio"): Line(
        SEVERITY, "speeches: spread of scores over others'", RATIO
    ),
    (_SPEECHES, "modal_share"): Line(
        SEVERITY, "speeches: ratings with one and the same score", SHARE, is_share=True
    ),
    (_BP, "speaker_score_bias"): Line(SEVERITY, "parliamentary: mean score less panel's", POINTS),
    (_BP, "speaker_score_mae"): Line(SEVERITY, "parliamentary: mean error of a score", POINTS),
    (_BP, "speaker_score_sd_ratio"): Line(
        SEVERITY, "parliamentary: spread of scores over panel's", RATIO
    ),
    (_BP, "speaker_score_calibration_slope"): Line(
        SEVERITY, "parliamentary: slope of official on given score", RATIO
    ),
    (_OVERSIGHT, "overconfidence"): Line(
        SEVERITY, "oversight: confidence less accuracy", CHANGE, is_share=True
    ),
    (_OVERSIGHT, "brier"): Line(SEVERITY, "oversight: Brier score", SQUARED),
    (_OVERSIGHT, "mean_difference"): Line(SEVERITY, "items read here: less people's", POINTS),
    (_OVERSIGHT, "mean_absolute_difference"): Line(
        SEVERITY, "items read here: mean distance to people", POINTS
    ),
    ("debates", "self_consistency_flip_share"): Line(CONSISTENCY, _flip, SHARE, is_share=True),
    (_OVERSIGHT, "judge_biases_oversight_flip_share"): Line(
        CONSISTENCY, "oversight: answers exchanged", SHARE, is_share=True
    ),
    (_OVERSIGHT, "win_share"): Line(
        WRITING,
        "debates about stories: games won",
        SHARE,
        is_share=True,
        phrase="wins games of debates about stories",
    ),
    (_OVERSIGHT, "win_share_right"): Line(WRITING, "… for the right answer", SHARE, is_share=True),
    (_OVERSIGHT, "win_share_wrong"): Line(WRITING, "… for the wrong answer", SHARE, is_share=True),
    (_OVERSIGHT, "debater_rating"): Line(
        WRITING,
        lambda row: f"rating as debater, {_of(row, 'argued') or 'either'} answer",
        RATING,
    ),
    (_OVERSIGHT, "verified_share"): Line(
        WRITING, "quotes that stand in the story", SHARE, is_share=True
    ),
    (_SPEECHES, "speaker_comparison_difference"): Line(
        WRITING,
        "its speeches: score less that of people's",
        POINTS,
        phrase="writes speeches that are scored beside people's with a difference of",
    ),
    (_SPEECHES, "speech_share"): Line(WRITING, "requests that gave a speech", SHARE, is_share=True),
    ("questions", "dispute_awareness"): Line(
        WRITING,
        "its answers: see the dispute (D.A.)",
        SHARE,
        is_share=True,
        phrase="writes answers that see the dispute",
    ),
    ("questions", "perspective_diversity"): Line(
        WRITING, "its answers: perspective diversity (P.D.)", PERPLEXITY
    ),
}
PLACE_OF = {place: at for at, place in enumerate(LINES)}
# The differences to people belong to the rows beside which they stand.
MEASURES = sorted({measure for _, measure in LINES} | {"tau_c_minus_human", "kappa_minus_human"})


def line_of(row: Row) -> Line:
    """Return how an estimate stands in the profile."""
    line = LINES[row["subject"], row["measure"]]
    if row["settings"].get("contrast") == "joint model":
        return line._replace(section=JOINT)
    if line.section == BIAS and _of(row, "outcome").endswith("_rank"):
        return line._replace(kind=PLACES)
    return line


def what(row: Row) -> str:
    """Return what was estimated, as text."""
    says = line_of(row).says
    return says if isinstance(says, str) else says(row)


_MORE = ("evaluator_template", "metric", "ranking_method")


def judged_by(row: Row) -> str:
    """Return which judge's view an estimate is, where it is another's than the one it is of."""
    is_own = row["judged_by"] in (row["whose"], HUMAN) or is_missing(row["judged_by"])
    return "" if is_own else str(row["judged_by"])


def asked(row: Row) -> str:
    """Return how, and by whom, as text."""
    parts = []
    if by := judged_by(row):
        parts.append(f"by {by}")
    settings = row["settings"]
    if settings.get("protocol") and row["measure"] != "accuracy":
        parts.append(protocol_name(settings["protocol"]))
    if settings.get("argued") and row["measure"] != "debater_rating":
        parts.append(f"arguing {settings['argued']}")
    if settings.get("debater") not in (None, "none"):
        parts.append(str(settings["debater"]))
    if settings.get("asked_for") not in (None, "probability"):
        parts.append(f"asked for a {settings['asked_for']}")
    parts += [words_alone(settings[name], PROMPTS) for name in _MORE if settings.get(name)]
    if row["template"] != HUMAN and (said := setting_name(row)) != "as asked":
        parts.append(said)
    if not is_missing(row["retrieval"]) and row["retrieval"] != "none":
        parts.append(f"with {row['retrieval']}")
    if row["subject"] == _SPEECHES and not is_missing(row["dimension"]):
        parts.append(words_alone(row["dimension"], DIMENSIONS))
    if row["again"] > 1:
        parts.append(f"setting {row['again']}")
    return ", ".join(parts)


def written(row: Row, column: str = "value") -> str:
    """Return an estimate with its interval, as its kind of number is written."""
    line = line_of(row)
    ends = ("low", "high") if column == "value" else (f"{column}_low", f"{column}_high")
    numbers = row[column], row[ends[0]], row[ends[1]]
    if line.kind == CHANGE:
        return effect(*numbers)
    return share(*numbers) if line.is_share else estimate(*numbers)


def resting_on(row: Row) -> str:
    """Return what an estimate rests on, such as `n = 72 in 12 topics`."""
    if is_missing(row["n"]):
        return ""
    units, kind = row["n_units"], str(row["unit_kind"])
    if is_missing(units) or is_missing(row["unit_kind"]):
        return f"n = {int(row['n']):,}"
    named = plural(int(units), kind, f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s")
    return named if int(units) == int(row["n"]) else f"n = {int(row['n']):,} in {named}"
