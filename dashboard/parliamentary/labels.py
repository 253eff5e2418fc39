"""What the words of British Parliamentary debate and of its metrics mean."""

from collections.abc import Mapping
from typing import Any

from dashboard.core.labels import Metric, capital, is_missing
from dashboard.core.words import PROMPTS, worded

PAPER = "the DebateBench paper"
ROLES: Mapping[str, str] = {
    "pm": "Prime Minister",
    "lo": "Leader of Opposition",
    "dpm": "Deputy Prime Minister",
    "dlo": "Deputy Leader of Opposition",
    "mg": "Member of Government",
    "mo": "Member of Opposition",
    "gw": "Government Whip",
    "ow": "Opposition Whip",
}
HOUSES: Mapping[str, str] = {
    "og": "Opening Government",
    "oo": "Opening Opposition",
    "cg": "Closing Government",
    "co": "Closing Opposition",
}

SPOKEN = "og-oo-cg-co"
HOUSE_RANKS, SPEAKER_SCORES, SPEAKER_RANKS = "house_ranks", "speaker_scores", "speaker_ranks"
ASKED: Mapping[str, str] = {
    "all": "all three in one request",
    HOUSE_RANKS: "ranking of houses",
    SPEAKER_SCORES: "speaker scores",
    SPEAKER_RANKS: "ranking of speakers",
}
MEASURES: Mapping[str, str] = {
    "sum_rank_difference": "sum of rank differences",
    "mean_rank_difference": "mean rank difference",
    "exact_match": "whole ranking right",
    "pair_accuracy": "pairs in the right order",
    "kendall_tau": "Kendall's τ",
    "top_accuracy": "first place right",
    "bottom_accuracy": "last place right",
    "place_accuracy": "places right",
    "mae": "mean absolute error",
    "rmse": "root mean square error",
    "bias": "mean error (above 0 = generous)",
    "correlation": "Pearson's r, all speeches",
    "correlation_within": "Pearson's r within a debate, mean",
    "correlation_between": "Pearson's r of debates' means",
    "calibration_slope": "slope of official on given score",
    "calibration_intercept": "intercept of official on given score",
    "sd_ratio": "spread of scores over the panel's",
}
BASELINES: Mapping[str, str] = {
    "uniform_random": "guessing at random",
    "always_mean": "always the mean",
    "speaking_order": "what each place in the speaking order gets on average",
    "human_adjudicator": "one adjudicator of the panel",
}
EFFECTS: Mapping[str, str] = {
    "opening_half": "opening half",
    "government": "government",
    "late_speaker": "late speakers",
    "longer_speech": "longer speeches",
    "contentious_government": "government, contentious motions",
    "named_first": "the house named first",
}
OUTCOMES: Mapping[str, str] = {
    "speaker_score": "score points",
    "speaker_rank": "speakers' ranks",
    "house_rank": "houses' ranks",
}
FAULTS: Mapping[str, str] = {
    "missing_section": "a part of the answer is missing",
    "not_a_ranking": "no ranking can be read",
    "house_twice": "a house stands twice",
    "house_missing": "a house is missing",
    "speaker_twice": "a speaker stands twice",
    "speaker_missing": "a speaker is missing",
    "unknown_place": "a name that is no house and no speaker",
    "score_missing": "a score is missing",
    "score_not_a_number": "a score is no number",
    "score_out_of_range": "a score outside 50 to 100",
    "conflicting_scores": "two different scores for one speaker",
    "ranks_contradict_scores": "a better rank with a lower score",
    "houses_contradict_scores": "a better house with a lower sum of scores",
    "houses_tied_on_scores": "two houses with one sum of scores",
}
CONTRADICTIONS = ("ranks_contradict_scores", "houses_contradict_scores", "houses_tied_on_scores")
HOUSE_METRIC = Metric(
    name="ranking of houses",
    measure="house_mean_rank_difference",
    definition=(
        "The paper asks for it as *Verdict Prediction*, and calls the same task *House Ordering* "
        "in its introduction. Differences between the judge's rank and the panel's, without their "
        "sign, are summed over the four houses of a debate (0 to 8; 5 by guessing) or averaged. "
        "Beside them: share of rankings wholly right, of pairs of houses in the right order, "
        "Kendall's τ, and how often the first and the last house are right. A ranking with any "
        "fault is no ranking: it is left out and counted. Intervals (95 %) take the debate as the "
        "unit; repeated answers are averaged first. Chance is worked out exactly for the same "
        "debates, and the dashed span shows each failure at its best and at its worst."
    ),
    place=f"Section 3.2 of {PAPER} (sum of absolute rank differences)",
)
SCORE_METRIC = Metric(
    name="speaker scores",
    measure="speaker_score_mae",
    definition=(
        "The paper's *Speaker Scores*, in its introduction *Speech Scoring*. Error is the judge's "
        "score minus the official one. The curve shows the share of speeches within a tolerance; "
        "the paper draws 2 to 9 points. *Always the mean* says the mean official score of all "
        "other debates for every speech; *speaking order* says what its place gets on average in "
        "the other debates. Correlation within a debate asks who spoke better; that of debates' "
        "means, which debate was better. Official on given: a slope under 1 says that differences "
        "between scores are exaggerated."
    ),
    place=f"Section 3.2 of {PAPER} (accuracy within a tolerance)",
)
RANK_METRIC = Metric(
    name="ranking of speakers",
    measure="speaker_mean_rank_difference",
    definition=(
        "The paper's *Speaker Ranks*, in its introduction *Speech Ranking*. Official ranks come "
        "from official scores; speakers with one score share the mean of their ranks. Chance (21 "
        "in sum, 2.625 on average without ties) is worked out for each debate's own ties."
    ),
    place=f"Section 3.2 of {PAPER} (sum of absolute rank differences)",
)
FAULT_METRIC = Metric(
    name="faults",
    measure="bp_faults_share",
    definition=(
        "Every violation of a rule is recorded under its name. A ranking must name each house or "
        "speaker once; a fault takes it away as a whole. Scores are read one by one. "
        "Contradictions between two readable parts take nothing away: a better rank with a lower "
        "score, a better house with a lower sum of its two scores, two houses with one sum, which "
        "British Parliamentary rules forbid."
    ),
    place="Not in the paper",
)
BIAS_METRIC = Metric(
    name="favour",
    measure="bp_bias_estimate",
    definition=(
        "Each debate gives one figure: the judge's value minus the panel's, at one kind of place "
        "minus the other, or its slope over places. A house or speaker placed better than the "
        "panel placed it counts above 0. t intervals over debates; p adjusted after Benjamini and "
        "Hochberg over all tests of one judge on one data set. What is not significant is "
        "undecided, not absent."
    ),
    place=f"Left to future work by {PAPER}; the effects are those of judging on its own terms",
)
CONTEXT_METRIC = Metric(
    name="error and length",
    measure="context_length_value",
    definition=(
        "A line by least squares of each debate's error on the tokens in its context, manual "
        "included, and the mean error of debates of like length. Long debates may be hard for "
        "other reasons, too."
    ),
    place=f"{capital(PAPER)} says that judges fail on long inputs, without a figure",
)


def role_name(role: Any) -> str:
    """Return a role in full with its letters; unknown is said."""
    return "role unknown" if is_missing(role) else _named(ROLES, str(role))


def house_name(house: Any) -> str:
    """Return a house in full with its letters; unknown is said."""
    return "house unknown" if is_missing(house) else _named(HOUSES, str(house))


def _named(names: Mapping[str, str], one: str) -> str:
    return f"{names[one]} ({one.upper()})" if one in names else one


def clock(seconds: Any) -> str:
    """Return a time of a recording as `12:05`, or `1:02:05` from an hour on."""
    if is_missing(seconds):
        return "?"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def measure_name(measure: Any) -> str:
    """Return a measure as text."""
    return MEASURES.get(str(measure), str(measure).replace("_", " "))


def task_name(task: Any) -> str:
    """Return what one request asked for."""
    return ASKED.get(str(task), str(task).replace("_", " "))


def setting_name(row: Mapping[str, Any]) -> str:
    """Return how a judge was asked, as plain text.

    Args:
        row: `template`, `task`, `house_order`, `manual`, `strategy`, `has_motion` and
            `has_info_slide`.
    """
    prompt = f"prompt {worded(row['template'], PROMPTS)}"
    said = [task_name(row["task"]), prompt, f"manual {row['manual']}"]
    order = str(row["house_order"])
    if order == "shuffled":
        said.append("houses in an order drawn for each debate")
    elif order == "unknown":
        said.append("order of the houses unknown")
    elif order != SPOKEN:
        said.append(f"houses named {order.replace('-', ', ').upper()}")
    if row["strategy"] == "notes":
        said.append("from notes on each speech")
    said.append("with motion" if row["has_motion"] else "without motion")
    said.append("with info slide" if row["has_info_slide"] else "without info slide")
    return ", ".join(said)


def setting_id(row: Mapping[str, Any]) -> str:
    """Return how the URL names a way of asking, whichever judge it was."""
    parts = [str(row[name]) for name in ("template", "task", "house_order", "manual", "strategy")]
    parts += [name if row[f"has_{name}"] else f"no_{name}" for name in ("motion", "info_slide")]
    return "|".join(parts)
