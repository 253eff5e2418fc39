"""Words for the codes of what Rostrum ships: experiments, prompts and questions about speeches.

A page shows the words with the code behind them. What a user named has no words here, and is shown
by its name alone.
"""

import re
from collections.abc import Mapping
from typing import Any

EXPERIMENTS = {
    "answer-quality": "How good is the answer?",
    "answer-quality-g-eval": "How good is the answer? (G-Eval)",
    "bart-score": "BARTScore of answers",
    "bleu": "BLEU of answers",
    "bp-adjudication": "Adjudicate parliamentary debates",
    "bp-house-order": "Adjudicate, houses in four orders",
    "bp-notes": "Adjudicate from notes",
    "bp-tasks": "Adjudicate, one task at a time",
    "debatable-answers": "Answer debatable questions",
    "debatable-answers-decoding": "Answer at several temperatures",
    "debatable-answers-length": "Answer at five lengths",
    "debatable-answers-prompts": "Answer with three prompts",
    "debatable-answers-retrieval": "Answer with documents",
    "debate-explained": "Who won? (reasons first)",
    "debate-pressure": "Who won, after a rebuttal?",
    "debate-pressure-debater": "Who won, after a debater's rebuttal?",
    "debate-winner": "Who won?",
    "debatebench": "DebateBench's settings",
    "dispute-awareness": "Is the dispute admitted?",
    "dispute-awareness-zero-shot": "Is the dispute admitted? (no examples)",
    "llm-debate-annotated": "Bias study, debates for people",
    "llm-debate-bias": "Bias study, balanced (first form)",
    "llm-debate-bias-v2": "Bias study, balanced",
    "llm-debate-natural": "Bias study, natural (first form)",
    "llm-debate-natural-v2": "Bias study, natural",
    "missing-viewpoints": "Are points of view missing?",
    "perspective-diversity": "Are all perspectives shown?",
    "perspective-diversity-tokens": "All perspectives, token by token",
    "perspective-diversity-wordings": "All perspectives, five wordings",
    "pov-count": "How many points of view?",
    "rouge-l": "ROUGE-L of answers",
    "sem-score": "SemScore of answers",
    "speech-score": "Score speeches",
    "speech-score-justified": "Score speeches (reasons first)",
    "speech-writing": "Write speeches",
    "story-baselines": "Story questions without a debate",
    "story-consultancy": "Argue for one answer",
    "story-debate": "Debate story questions",
    "story-debate-best-of-4": "Debate, best of four turns",
    "story-debate-interactive": "Debate with somebody asking",
    "story-judgement": "Judge debates about stories",
    "story-judgement-probes": "Judge with quotes or length changed",
    "story-judgement-steps": "Judge after each round",
}
PROMPTS = {
    "answer_quality": "how good is the answer?",
    "answer_quality_g_eval": "how good is the answer? (G-Eval)",
    "bp_all": "all tasks at once",
    "bp_house_ranks": "rank the houses",
    "bp_notes": "from notes",
    "bp_speaker_ranks": "rank the speakers",
    "bp_speaker_scores": "score the speakers",
    "dispute_awareness": "is the dispute admitted?",
    "dispute_awareness_zero_shot": "is the dispute admitted? (no examples)",
    "length_control": "about so many words",
    "missing_viewpoints": "are points of view missing?",
    "ov_debater": "debate a story",
    "ov_expert": "with the story",
    "ov_expert_choice": "with the story, one answer chosen",
    "ov_judge": "judge a debate",
    "ov_judge_choice": "judge a debate, one answer chosen",
    "ov_naive": "nothing read",
    "ov_naive_choice": "nothing read, one answer chosen",
    "pd_2": "second wording",
    "pd_3": "third wording",
    "pd_4": "fourth wording",
    "pd_none": "the answer alone",
    "pd_restate": "first wording",
    "pov_count": "how many points of view?",
    "qa_basic": "plain question",
    "qa_comprehensive": "asked to be comprehensive",
    "qa_detailed": "asked for detail",
    "qa_rag": "with documents",
    "speech_score": "a score only",
    "speech_score_justified": "reasons, then a score",
    "speech_writing": "write a speech",
    "winner_definition": "Who won? (persuasion defined)",
    "winner_eval": "Who won? (reasons first)",
    "winner_pressed": "Who won? (after a rebuttal)",
    "winner_vanilla": "Who won? (plain prompt)",
}
DIMENSIONS = {"goodopeningspeech": "good opening speech"}


WORDS_OF: Mapping[str, Mapping[str, str]] = {
    "experiment": EXPERIMENTS,
    "template": PROMPTS,
    "to_template": PROMPTS,
    "debater_template": PROMPTS,
    "evaluator_template": PROMPTS,
    "template_plain": PROMPTS,
    "dimension": DIMENSIONS,
}
_SAID = {
    **{code: f"\u201c{words}\u201d" for code, words in PROMPTS.items()},
    **DIMENSIONS,
    # A question names an experiment so; elsewhere its code is a part of a command.
    **{f"({code})": f"(\u201c{words}\u201d)" for code, words in EXPERIMENTS.items()},
    "con_first": "con first",
    "pro_first": "pro first",
}
_CODES = "|".join(re.escape(code) for code in sorted(_SAID, key=len, reverse=True))
_CODE = re.compile(rf"(?<![\w/-])(?:{_CODES})(?![\w/-])")


def reworded(text: Any) -> str:
    """Return a sentence that a mart wrote, with words in the place of the codes in it.

    Args:
        text: Plain text; names of judges and data sets in it stay.
    """
    return _CODE.sub(lambda found: _SAID[found[0]], str(text))


def words_alone(code: Any, words: Mapping[str, str]) -> str:
    """Return the words for a code where there is no room for both, as in a chart.

    Args:
        code: The name as the warehouse has it.
        words: One of this module's tables; a code without words stays as it is.
    """
    return words.get(str(code), str(code))


def prompt_name(template: Any) -> str:
    """Return a prompt in words where there is no room for its code, as in a chart."""
    return words_alone(template, PROMPTS)


def worded(code: Any, words: Mapping[str, str]) -> str:
    """Return the words for a code with the code behind them, as plain text.

    Args:
        code: The name as the warehouse has it.
        words: One of this module's tables; a code without words stays as it is.
    """
    name = str(code)
    return f"{words[name]} · {name}" if name in words else name
