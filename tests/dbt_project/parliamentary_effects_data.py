"""Made-up adjudications of parliamentary debates for the models that ask whom a judge favours."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warehouse.records.bp import HOUSE_OF, HOUSES, ROLES

Generator = np.random.Generator
# Of each outcome: its task, its places, and the sign that makes a residual favour.
OUTCOMES: Mapping[str, tuple[str, tuple[str, ...], int]] = {
    "speaker_score": ("speaker_scores", ROLES, 1),
    "speaker_rank": ("speaker_ranks", ROLES, -1),
    "house_rank": ("house_ranks", HOUSES, -1),
}
COLUMNS = {
    "marts.dim_adjudication_setting": (
        "setting_id varchar, judge_id varchar, dataset_id varchar, template varchar, task varchar, "
        "house_order varchar, manual varchar, strategy varchar, has_motion boolean, "
        "has_info_slide boolean"
    ),
    "marts.dim_parliamentary_debate": (
        "debate_id varchar, dataset_id varchar, is_contentious boolean, is_judged boolean, "
        "speech_count bigint, word_count bigint"
    ),
    "marts.fct_adjudication": (
        "response_id varchar, setting_id varchar, debate_id varchar, sample bigint, "
        "named_order varchar, context_tokens bigint, is_context_exact boolean"
    ),
    "marts.fct_adjudication_value": (
        "response_id varchar, setting_id varchar, debate_id varchar, sample bigint, task varchar, "
        "place varchar, house varchar, predicted double, official double, difference double"
    ),
    "staging.stg_raw__speeches": "debate_id varchar, role varchar, word_count bigint",
    "staging.stg_raw__speaker_results": "debate_id varchar, decided_by varchar, score double",
}
Rows = list[dict[str, Any]]


@dataclass
class Answer:
    """One answer: its values by outcome and place, None where a place could not be read."""

    debate: str
    setting: str
    sample: int
    named_order: str
    tokens: int | None
    predicted: dict[str, dict[str, float | None]]


@dataclass
class Made:
    """Debates with the panel's results, and answers to them."""

    official: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    words: dict[str, dict[str, int]] = field(default_factory=dict)
    contentious: dict[str, bool | None] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)

    def rows(self) -> dict[str, Rows]:
        """Return the rows of the tables the models read."""
        common = {"judge_id": "j/m", "dataset_id": "d"}
        asked = {
            "template": "t",
            "task": "all",
            "manual": "m",
            "strategy": "whole",
            "has_motion": True,
            "has_info_slide": False,
        }
        answers: Rows = []
        values: Rows = []
        for number, answer in enumerate(self.answers):
            key = {
                "response_id": str(number),
                "setting_id": answer.setting,
                "debate_id": answer.debate,
                "sample": answer.sample,
            }
            answers.append(
                key
                | {
                    "named_order": answer.named_order,
                    "context_tokens": answer.tokens,
                    "is_context_exact": True,
                }
            )
            for outcome, (task, places, _) in OUTCOMES.items():
                for place in places:
                    predicted = answer.predicted[outcome][place]
                    official = self.official[answer.debate][outcome][place]
                    values.append(
                        key
                        | {
                            "task": task,
                            "place": place,
                            "house": HOUSE_OF.get(place, place),
                            "predicted": predicted,
                            "official": official,
                            "difference": None if predicted is None else predicted - official,
                        }
                    )
        return {
            "marts.dim_adjudication_setting": [
                common | asked | {"setting_id": name, "house_order": order}
                for name, order in self.settings.items()
            ],
            "marts.dim_parliamentary_debate": [
                {"debate_id": debate, "dataset_id": "d", "is_contentious": flag, "is_judged": True}
                for debate, flag in self.contentious.items()
            ],
            "marts.fct_adjudication": answers,
            "marts.fct_adjudication_value": values,
            "staging.stg_raw__speeches": [
                {"debate_id": debate, "role": role, "word_count": count}
                for debate, counts in self.words.items()
                for role, count in counts.items()
            ],
        }

    def whole(self, setting: str, outcome: str, debate: str) -> list[dict[str, float]]:
        """Return favour by place of a setting's answers to a debate that were read as a whole."""
        _, places, sign = OUTCOMES[outcome]
        found = []
        for answer in self.answers:
            given = answer.predicted[outcome]
            if (answer.setting, answer.debate) == (setting, debate) and None not in given.values():
                panel = self.official[debate][outcome]
                found.append(
                    {place: sign * ((given[place] or 0.0) - panel[place]) for place in places}
                )
        return found


def draw(generator: Generator, debates: int, orders: Mapping[str, str], repeats: int = 2) -> Made:
    """Draw debates and a judge's answers to them, some of which cannot be read.

    Args:
        generator: Where chance comes from.
        debates: How many debates; one in three has speeches of one length, one in four is not
            marked contentious or not.
        orders: The order in which houses are named, by setting.
        repeats: How often each setting asks about each debate.
    """
    made = Made(settings=dict(orders))
    for number in range(debates):
        debate = f"d:{number}"
        made.official[debate] = _results(generator)
        lengths = [900] * 8 if number % 3 == 0 else generator.integers(600, 1500, 8).tolist()
        made.words[debate] = dict(zip(ROLES, lengths, strict=True))
        made.contentious[debate] = None if number % 4 == 0 else bool(generator.random() < 0.5)
        for setting, order in orders.items():
            for sample in range(repeats):
                predicted: dict[str, dict[str, float | None]] = {
                    outcome: dict(values) for outcome, values in _results(generator).items()
                }
                if generator.random() < 0.2:
                    predicted["speaker_score"][str(generator.choice(ROLES))] = None
                if generator.random() < 0.2:
                    predicted["house_rank"] = dict.fromkeys(HOUSES)
                tokens = None if generator.random() < 0.1 else int(generator.integers(8000, 60000))
                made.answers.append(Answer(debate, setting, sample, order, tokens, predicted))
    return made


def _results(generator: Generator) -> dict[str, dict[str, float]]:
    return {
        "speaker_score": dict(zip(ROLES, generator.integers(68, 86, 8).tolist(), strict=True)),
        "speaker_rank": dict(zip(ROLES, (generator.permutation(8) + 1).tolist(), strict=True)),
        "house_rank": dict(zip(HOUSES, (generator.permutation(4) + 1).tolist(), strict=True)),
    }
