"""Words for trusting a metric: what is compared with what, and what it is called."""

import re
from collections.abc import Mapping
from typing import Any

from dashboard.core.labels import Metric, is_missing
from dashboard.questions.labels import PAPER, evaluator_name

ALIGNMENT = Metric(
    name="alignment with people",
    measure="metric_alignment_spearman",
    definition=(
        "People compare two answers to one question at a time; their choices become a ranking of "
        "the question's answers, person by person. The metric's ranking of the same answers is "
        "correlated with it within each question, averaged over questions and then over people. "
        "Rankings in which either side has every answer tied have no correlation and are counted. "
        "One ranking over all questions stands beside it. Intervals (95 %) take questions as the "
        "unit."
    ),
    place=f"Table 14 of {PAPER}",
)
ACCURACY = Metric(
    name="gain over the majority label",
    measure="dispute_accuracy_gain",
    definition=(
        "People label answers 1 where they acknowledge the dispute, and the majority counts. "
        "The more frequent label for every answer is right as often as it occurs, so an accuracy "
        "means nothing without it. Of a judgement of 0 or 1 the AUROC is balanced accuracy. "
        "Failed judgements are left out and counted; the bounds count them all wrong and all "
        "right. Intervals (95 %) take questions as the unit."
    ),
    place=f"Table 15 of {PAPER}, whose labels give always answering 1 an accuracy of 0.760",
)
STABILITY = Metric(
    name="stability",
    measure="backbone_stability_kendall",
    definition=(
        "The models of one way of asking are ranked by their mean score, once by each of two "
        "evaluators with the same wording, or by one evaluator with two wordings. Kendall's tau-b "
        "of the two orders; the interval (95 %) resamples questions, the same ones for both."
    ),
    place=f"Appendices B, C and D of {PAPER}, printed only as figures",
)
PEOPLE = Metric(
    name="agreement among people",
    definition=(
        "Labels: Fleiss' kappa over answers that as many people labelled as any, and "
        "Krippendorff's alpha over all. Choices: Spearman's correlation of two people's rankings "
        "within a question, averaged over questions and pairs. Intervals (95 %) take questions as "
        "the unit."
    ),
    place=f"Section 3.3 and appendices B and E of {PAPER}",
)
MISSING = Metric(
    name="missing viewpoints",
    measure="missing_share",
    definition=(
        "A judge reads an answer beside the question's perspectives and scores from 1 to 5 whether "
        "it holds valid viewpoints beyond these. Counted are answers scored 5, averaged within "
        "each question first. Wilson's interval (95 %) takes questions as the unit; of the paper's "
        "shares it takes each answer as one question's."
    ),
    place=f"Table 11 of {PAPER}",
)
METHODS = {
    "wins": "share of comparisons won",
    "bradley_terry": "Bradley–Terry",
    "elo": "Elo, as in the paper",
}
_METRICS = {
    "perspective_diversity": "P.D.",
    "perspective_diversity_released": "P.D., as released",
    "dispute_awareness": "D.A.",
    "dispute_awareness_released": "D.A., as released",
    "answer_quality": "quality",
    "pov_count": "number of viewpoints",
    "missing_viewpoints": "missing viewpoints",
    "bart_score": "BARTScore",
    "sem_score": "SemScore",
    "bleu": "BLEU",
    "rouge_l": "ROUGE-L",
}
MEASURES = {
    "fleiss_kappa": "Fleiss' κ",
    "krippendorff_alpha": "Krippendorff's α",
    "spearman": "Spearman",
}
TASKS = {
    "dispute_awareness": "labels of dispute awareness",
    "preference": "choices between answers",
    "grounded": "partial answers: follow from the documents (task 1)",
    "addressing": "partial answers: answer the question (task 2)",
    "ethical": "partial answers: are ethical",
    "faultless": "partial answers: have no fault",
}


def metric_name(metric: Any) -> str:
    """Return what a metric is called."""
    return _METRICS.get(str(metric), str(metric).replace("_", " "))


def scored_by(row: Mapping[str, Any]) -> str:
    """Return a metric with its evaluator and wording, on two lines of plain text."""
    same = row["evaluator_template"] in (row["metric"], row["evaluator_id"])
    by = (
        str(row["evaluator_id"])
        if same
        else evaluator_name(row["evaluator_id"], row["evaluator_template"])
    )
    return f"{metric_name(row['metric'])}\n{by}"


def printed_by(row: Mapping[str, Any]) -> str:
    """Return a printed metric with the model behind it, on two lines of plain text."""
    by = "no model" if is_missing(row["evaluator"]) else str(row["evaluator"])
    return f"{row['metric']}\n{by}, as printed"


def place_name(location: Any) -> str:
    """Return where a figure is printed: `table_14` is Table 14."""
    kind, _, number = str(location).partition("_")
    # An appendix is a letter and a number: e1 is E.1.
    dotted = re.sub(r"^([a-z])([0-9])", r"\1.\2", number).upper()
    return f"{kind.capitalize()} {dotted}".strip()
