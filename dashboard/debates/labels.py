"""Words for verdicts: biases, label sets, positions, and effects in percentage points."""

from collections.abc import Mapping
from typing import Any

from dashboard.core.labels import HUMAN, Metric, interval, is_missing, number
from dashboard.core.words import PROMPTS, words_alone

PAPER = "the paper on bias in debate judging"

ACCURACY = Metric(
    name="accuracy",
    measure="accuracy",
    definition=(
        "The share of debates whose winner by people the judge names too, over debates that have "
        "such a winner and at least one readable answer. Repeats of one debate are averaged first; "
        "a tie counts half. Weighted and macro F1, Matthews' correlation (MCC) and Cohen's kappa "
        "stand beside it. Failures are left out, and bounded by counting them all wrong and all "
        "right. Intervals (95 %) redraw debates, twins of a debate together."
    ),
    place=f"Tables 2 and 3 of {PAPER}",
)
RELEASED = Metric(
    name="accuracy by the last word",
    measure="accuracy_released",
    mart="rpt_verdict_accuracy",
    definition=(
        "The released program takes the last word of a reply, brackets aside, and counts it where "
        "it is exactly one of the two labels, letter case included. All else is left out, a reply "
        "that explains its verdict afterwards, too. So this accuracy may rest on other debates "
        "than the strict one: how many, and how many replies were read so, stands beside it. It is "
        "unknown where there are no replies in words, as for people. Intervals (95 %) take debates "
        "on one motion together."
    ),
    place=f"The program released with {PAPER}",
)
POSITION = Metric(
    name="position",
    measure="position_bias_difference",
    definition=(
        "The share of debates on which the judge names Con when Con is the second option minus the "
        "share when it is the first, on the same debates, with McNemar's test. The paper's "
        "two-proportion z test, which takes the two as unrelated samples, stands beside it. "
        "Fixed against shuffled positions are compared in the same way."
    ),
    place=f"Figures 2 and 4, Tables 5, 7, 10 and 16 of {PAPER}",
)
LABEL = Metric(
    name="labels",
    measure="label_bias_difference",
    definition=(
        "The share of debates on which the judge names Con with one assignment of the labels minus "
        "the share with the labels swapped, at the same position and on the same debates, with "
        "McNemar's test."
    ),
    place=f"Figures 3 and 5, Tables 6, 8, 11 and 17 of {PAPER}",
)
ORDER = Metric(
    name="last word",
    measure="mh_difference",
    definition=(
        "The share of verdicts for Con where Con closes minus the share where Pro closes, within "
        "the debates that people gave to the same side and pooled over the two (Mantel–Haenszel), "
        "because the side that closes more often may also win more often. The chi-square and phi "
        "of the plain table, which the paper prints, stand beside it."
    ),
    place=f"Tables 4, 9 and 18 of {PAPER}",
)
STANCE = Metric(
    name="stance",
    measure="stance_bias_difference",
    definition=(
        "The judge's share of verdicts for Con minus people's share on the same debates, with "
        "McNemar's test. It is a leaning to a side as such only over ways of asking in which each "
        "debate has both positions and both orders of labels, or a run drew them, with the debates "
        "each side closes counted alike. A single way may hold the other biases: it is described."
    ),
    place=f"Figure 6 of {PAPER}",
)
SIDE = Metric(
    name="side",
    measure="side_bias_difference",
    definition=(
        "Pro's mean share of verdicts over both debates of a motion minus one half, repeats "
        "averaged, one value per motion, with a t-test over motions. Who argues better cancels; "
        "what the motion gives a side, the last word and positions do not, so this is no stance. "
        "Between two judges on the same motions the motion's own part cancels, too."
    ),
    place="Not in the papers",
)
LENGTH = Metric(
    name="length",
    measure="difference_per_ten_pct_words",
    definition=(
        "The slope of the judge's verdicts for Con on the logarithm of Con's words over Pro's, "
        "minus the slope of people's verdicts on the same debates, times the logarithm of 1.1: "
        "what 10 % more words add to Con's share beyond what they add with people."
    ),
    place="Not in the papers",
)
BATTERY = Metric(
    name="battery",
    measure="bias_battery_share_change",
    definition=(
        "Each effect in percentage points of the share of verdicts for Con; for length, per 10 % "
        "more words. A bias is tested once per judge, over all ways of asking that leave it free "
        "of position and labels, each way counted alike within a debate; Cochran's Q and I² say "
        "whether the ways differ. Single "
        "ways, and those that are not free, are listed and described, never tested. All tests of "
        "one judge in one experiment are one family, those of its joint model another; adjusted p "
        "are Benjamini–Hochberg's. Significant means adjusted p below 0.05."
    ),
    place="The tests are the paper's, made paired; the correction is not in the paper",
)
JOINT = Metric(
    name="joint model",
    definition=(
        "Logistic regression of naming Con on position, label, who closes, length and people's "
        "winner, with errors clustered by debate. Shown are average marginal effects: the change "
        "in the probability of naming Con, in percentage points; for length, per 10 % more words."
    ),
    place="Not in the papers, which test one bias at a time",
)
CONSISTENCY = Metric(
    name="flips",
    definition=(
        "Over pairs of answers to the same debate: repeats of one prompt, two prompts, swapped "
        "labels, swapped positions, or two debates declared to be one with the sides exchanged."
    ),
    place="Not in the papers",
)
AGREEMENT = Metric(
    name="agreement",
    measure="verdict_comparison_agreement",
    definition=(
        "Two judges, or one judge asked in two ways, on the debates both gave a majority verdict "
        "on. The difference of their accuracies is paired, with McNemar's test; adjusted p are "
        "corrected over the family of comparisons."
    ),
    place=f"Paired tests in place of the unpaired reading of Tables 2 and 3 of {PAPER}",
)

# In the order of the tabs.
BIASES: Mapping[str, Metric] = {
    "position": POSITION,
    "label": LABEL,
    "order": ORDER,
    "stance": STANCE,
    "verbosity": LENGTH,
    "side": SIDE,
}
_POSITIONS = {
    "pro_first": "Pro named first",
    "con_first": "Con named first",
    "shuffled": "shuffled",
}
SIDES = {"pro": "Pro", "con": "Con", "tie": "tie"}
PREDICTED = {**SIDES, "unparsed": "not readable", "unanswered": "no answer"}
TERMS = {
    "con second": "Con named second",
    "con closes": "Con speaks last",
    "log2 length ratio": "Con 10 % longer",
    "human winner con": "people say Con (no bias)",
}


def points(value: Any) -> str:
    """Return a difference of shares in percentage points, with its sign: `+12.0 pp`."""
    if is_missing(value):
        return "–"
    sign = "+" if value > 0 else ""
    return f"{sign}{number(float(value) * 100)}\u00a0pp"


def effect(value: Any, low: Any, high: Any) -> str:
    """Return a difference of shares with its interval, as in `+12.0 pp [8.10, 15.9]`."""
    return f"{points(value)} {interval(low, high, 100)}".strip()


def effect_in(row: Mapping[str, Any], column: str) -> str:
    """Return the difference of shares in a column with its interval, where it has one."""
    return effect(row[column], row.get(f"{column}_low"), row.get(f"{column}_high"))


def bias_name(bias: str) -> str:
    """Return what a bias or a term of the joint model is called."""
    metric = BIASES.get(bias)
    return metric.name if metric else TERMS.get(bias, str(bias).replace("_", " "))


def side_name(side: Any) -> str:
    """Return Pro, Con or tie; unknown is said."""
    return "unknown" if is_missing(side) else SIDES.get(str(side), str(side))


def position_name(position: Any) -> str:
    """Return which side the instruction names first."""
    return "position unknown" if is_missing(position) else _POSITIONS.get(position, str(position))


def setting_name(row: Mapping[str, Any], *, several: Mapping[str, bool] | None = None) -> str:
    """Return how a judge was asked, as plain text.

    Args:
        row: `template`, `verbalizer`, `position`, `outcome`; what is absent is not said.
        several: Which of `template` and `outcome` differ in view; the others go without saying.
    """
    differ = several or {"template": True, "outcome": True}
    if row.get("template") == HUMAN:
        return "people's own form"
    parts = []
    if not is_missing(row.get("verbalizer")):
        parts.append(str(row["verbalizer"]))
    if not is_missing(row.get("position")):
        parts.append(position_name(row["position"]))
    if differ.get("outcome") and not is_missing(row.get("outcome")):
        parts.append(f"asked for the {row['outcome']}")
    if differ.get("template") and not is_missing(row.get("template")):
        parts.append(words_alone(row["template"], PROMPTS))
    return ", ".join(parts) or "as asked"
