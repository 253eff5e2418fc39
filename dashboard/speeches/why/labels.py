"""Words for why judges say what they say: measures, parts of the whole, and what is left out."""

from dashboard.core.labels import Metric

ALL = "all"
PRO, CON, NONE = "pro", "con", "none"
# How many key points of each polarity have a part of their own in the chart, as in the marts.
TOP_DRAWN = 3
PAPER = "the paper on judging debate speeches"

SHARES = Metric(
    name="share of justifications",
    definition=(
        "An analysis divides each judge's reasons into sentences of one idea, says of each whether "
        "it speaks for the speech or against it, and takes the few sentences that stand for most "
        "others as key points. A sentence is under its most similar key point of the same "
        "polarity, if it is similar enough, else under none. A justification says a key point when "
        "any of its sentences is under it. Those without sentences are left out and counted. "
        "Intervals (95 %, Wilson) take the motion as the unit; there are none under five motions."
    ),
    place=f"Figures 7, 15 and 16 and Table 2 of {PAPER}",
)
POSITIVE = Metric(
    name="share positive",
    definition=(
        "Sentences under key points in favour over sentences under any key point. The paper finds "
        "that it follows the judge's scores; beside it stands the mean score of the same judge and "
        "prompt. A mean score is of one judge, so all judges together have none."
    ),
    place=f"Section 5.4 of {PAPER}",
)
DIFFERENCE = Metric(
    name="difference between judges",
    definition=(
        "For each speech that both judges gave reasons for, the first judge's share of "
        "justifications that say the key point less the second judge's, averaged over speeches. "
        "Intervals (95 %, Student t) take the motion as the unit. Many key points are compared at "
        "once and the intervals are not adjusted: one in twenty excludes zero by chance alone."
    ),
    place=f"Figures 15 and 16 of {PAPER}, which draw each judge apart",
)
COVERED = Metric(
    name="coverage",
    definition=(
        "Sentences under a key point over those that were compared with key points, which are all "
        "that speak for or against a speech and can be compared. What was left out is counted with "
        "its reason."
    ),
    place="Not in the paper",
)
CHECK = Metric(
    name="agreement with labels",
    measure="key_point_polarity_accuracy",
    definition=(
        "Polarity: the share of sentences told right, and the mean F1 of for, against and neither. "
        "Pairs: of two sentences under one key point, how many carry one label (precision); of two "
        "that carry one label, how many are under one key point (recall); F1 of both. The adjusted "
        "Rand index compares the two groupings as a whole, 0 is chance; sentences under nothing "
        "are each by themselves. The held-out half took no part in setting the method. Intervals "
        "(95 %) are Wilson's for the two shares of sentences, else bootstraps of sentences."
    ),
    place="Not in the paper, whose service is closed",
)
METRICS = (SHARES, POSITIVE, DIFFERENCE, COVERED, CHECK)

MEASURES = {
    "polarity_accuracy": "polarity told right",
    "polarity_macro_f1": "polarity, macro F1",
    "pair_precision": "pairs under one key point that belong together (precision)",
    "pair_recall": "pairs that belong together and are under one key point (recall)",
    "pair_f1": "pairs, F1",
    "adjusted_rand_index": "adjusted Rand index",
    "coverage": "labelled for or against, and under a key point",
}
COUNTED = {
    "polarity_accuracy": "sentences",
    "polarity_macro_f1": "sentences",
    "coverage": "sentences",
}
SPLITS = {"test": "held out", "dev": "used to set the method"}
# What happened to justifications and sentences, by the column that counts it.
LEFT_OUT = {
    "empty_count": "justifications that are empty",
    "score_only_count": "justifications with nothing but the score",
    "other_language_count": "justifications in another language",
    "too_long_count": "justifications over 2,000 words",
    "rephrasing_failed_count": "justifications that could not be divided",
    "removed_neutral_count": "sentences neither for nor against",
    "removed_no_words_count": "sentences without words",
    "removed_too_long_count": "sentences over 60 words",
    "removed_polarity_unreadable_count": "sentences whose polarity could not be read",
}


def judge_label(judge_id: str) -> str:
    """Return what a judge is called where all judges together are a choice."""
    return "all judges together" if judge_id == ALL else judge_id
