"""Words for debatable questions: the metrics, how models were asked, who evaluated."""

from collections.abc import Mapping
from typing import Any

from dashboard.core.labels import Metric, is_missing, number
from dashboard.core.words import PROMPTS, prompt_name, worded

PAPER = "the DebateQA paper"
DIVERSITY, AWARENESS = "perspective_diversity", "dispute_awareness"

PD = Metric(
    name="perspective diversity (P.D.)",
    measure="perspective_diversity",
    definition=(
        "For each perspective of a question, the perplexity of its text after the answer and a "
        "request to restate it: exp of minus the mean log-probability of the perspective's own "
        "tokens. The mean over a question's perspectives, then over questions. An answer with any "
        "perspective that could not be evaluated has none. Intervals (95 %) take questions as the "
        "unit."
    ),
    place=f"Equation 1 and Table 2 of {PAPER}; printed as a sum, scored as a mean",
)
DA = Metric(
    name="dispute awareness (D.A.)",
    definition=(
        "A judge says of each answer whether it acknowledges the dispute: 1 or 0. The mean over "
        "questions. Judgements that could not be read are left out and counted; the bounds count "
        "them all 0 and all 1. Intervals (95 %, Wilson) take questions as the unit."
    ),
    place=f"Equation 3 and Table 2 of {PAPER}",
)
# Under a headline that has both short names.
SHORT_NAMES = (
    "P.D., perspective diversity: a small model's surprise at each perspective after the answer; "
    "lower is better. D.A., dispute awareness: share of answers that name the dispute (label 1); "
    "higher is better."
)
WEIGHTED = Metric(
    name="both together",
    measure="score",
    mart="rpt_debateqa_weighted_rank",
    definition=(
        "The reciprocal of P.D. and D.A. are each put on the scale of standard deviations from the "
        "mean of the models compared, by one named pair of evaluators, and added with weights k "
        "and 1 − k. It depends on which models are compared, and has no interval of its own."
    ),
    place=f"Equation 4 and Figure 3 of {PAPER}",
)
LENGTH = Metric(
    name="P.D. per doubling of length",
    measure="length_slope",
    definition=(
        "The slope of P.D. on the logarithm (base 2) of the answer's words, within model and "
        "question, never pooled over models. At equal length: P.D. moved along the model's own "
        "slope to the mean length of the models compared, unknown where the model wrote no answer "
        "so short or long. Intervals (95 %) take questions as the unit."
    ),
    place=f"Not in {PAPER}, whose P.D. goes with length (Spearman −0.97 over 12 models)",
)
RATIO = Metric(
    name="probability ratio",
    measure="probability_ratio_per_token",
    definition=(
        "Equation 7 of appendix H as printed, which is a ratio per token although it is called one "
        "per perspective: a factor of the tokens per perspective is lost. Beside it the ratio per "
        "token measured without approximation, and powers of ten for a whole perspective."
    ),
    place=f"Equation 7, appendix H of {PAPER}",
)
PLACES = Metric(
    name="place",
    definition=(
        "Models that tie share the better place. The normalised place orders models by the mean of "
        "their places over the evaluators with the same wording, and is unknown where one of them "
        "has no score."
    ),
    place=f"Ranks and Norm. Rank in Table 2 of {PAPER}",
)
EFFECTS = Metric(
    name="differences between ways of asking",
    definition=(
        "The second way's mean score less the first's, over questions with a score in both. Tested "
        "by a paired t test for P.D. and by McNemar's test for D.A.; all tests of a model in an "
        "experiment are corrected together (Benjamini and Hochberg). At equal length: where a line "
        "through the questions' differences puts two answers of the same length; unknown where the "
        "lengths do not overlap. Intervals (95 %) take questions as the unit."
    ),
    place=f"Tables 3, 4 and 5 of {PAPER}, which prints no tests",
)
FOUND = Metric(
    name="found in the answer",
    definition=(
        "For one perspective, the exp of the mean log-probability of its tokens once the evaluator "
        "has read the answer: the reciprocal of its perplexity."
    ),
    place=f"The parts of equation 1 of {PAPER}, before they are averaged",
)
CURATION = Metric(
    name="curation",
    definition=(
        "Questions that ask the same are left once; documents are looked up and ordered; a model "
        "draws points of view from them and expands each into a partial answer; three people say "
        "of each whether it follows from the documents, answers the question and is ethical, and "
        "most decide. Fleiss' kappa says how far they agree beyond chance. Intervals (95 %) take "
        "questions as the unit; counts of the funnel are of all there was and have none."
    ),
    place=f"Section 3, appendix A and Figures 4 to 7 of {PAPER}; the figures have no counts",
)

_WORDINGS = {
    "pd_restate": "“Please restate.”",
    "pd_2": "wording 2",
    "pd_3": "wording 3",
    "pd_4": "wording 4",
    "pd_none": "the answer alone",
}
_RETRIEVAL = {
    "none": "no retrieval",
    "vanilla": "passages in the prompt",
    "react": "passages it asks for",
}


def wording_name(template: Any) -> str:
    """Return how the evaluator was asked."""
    return _WORDINGS.get(str(template), prompt_name(template))


def evaluator_name(evaluator_id: Any, template: Any) -> str:
    """Return an evaluator with its wording, as plain text."""
    return f"{evaluator_id}, {wording_name(template)}"


def retrieval_name(retrieval: Any, is_trusted_only: Any = None, retriever: Any = None) -> str:
    """Return what a model could read beside the question, and from where if not the data set."""
    name = _RETRIEVAL.get(str(retrieval), str(retrieval))
    if not is_missing(retriever) and retriever != "data_set":
        name = f"{name} ({retriever})"
    return name if is_missing(is_trusted_only) or not is_trusted_only else f"{name}, trusted only"


def condition_name(row: Mapping[str, Any]) -> str:
    """Return how models were asked, as plain text: questions, prompt, decoding and retrieval."""
    if row.get("is_published"):
        return "Table 2 as printed"
    parts = [] if is_missing(row["split"]) else [f"{row['split']} questions"]
    parts.append(worded(row["template"], PROMPTS))
    for name, text in (
        ("temperature", "temperature {}"),
        ("top_p", "top-p {}"),
        ("target_tokens", "about {} tokens"),
    ):
        if not is_missing(row[name]):
            parts.append(text.format(f"{row[name]:g}"))
    parts.append(retrieval_name(row["retrieval"], row["is_trusted_only"], row.get("retriever")))
    return ", ".join(parts)


def words_text(value: Any) -> str:
    """Return the mean length of answers, as in `312 words`."""
    return "unknown length" if is_missing(value) else f"{number(value)} words"
