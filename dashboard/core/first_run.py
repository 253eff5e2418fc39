"""What a model could be asked about the data that are loaded: commands, and files to write."""

import json
from collections.abc import Sequence

from dashboard.core import queries
from dashboard.core.labels import code_span
from warehouse.reader import Version

# What comes with the project, by what it asks about; of speeches, the dimension.
OPENING_SPEECH = "goodopeningspeech"
EXPERIMENTS = {
    "speeches": "speech-score",
    "debates": "debate-winner",
    "parliamentary": "bp-adjudication",
    "questions": "debatable-answers",
    "stories": "story-debate",
}
_MODEL = "openai/gpt-4.1-mini"
_OWN = """# prompts/my-question.txt
<motion>{{motion}}</motion>
<text>{{speech}}</text>
{{question}} Answer with a whole number from {{scale_min}} to {{scale_max}}:
<score>[number]</score>

# experiments/my-question.toml
name = "my-question"
datasets = ["{dataset}"]
dimension = {dimension}
template = "my-question\""""


def to_ask(version: Version) -> list[tuple[str, str]]:
    """Return how a model is asked about what is there, as `next_steps` takes it."""
    there = queries.to_ask(version).rows
    fit = [
        EXPERIMENTS[one]
        for one in EXPERIMENTS
        if any(
            row["subject"] == one and row["dimension"] in (None, OPENING_SPEECH) for row in there
        )
    ]
    lines = "\n".join(f"rostrum run {one} --judge {_MODEL} --limit 50" for one in fit)
    sentence = "Ask a model, by any endpoint that speaks the OpenAI protocol:"
    steps = [(sentence, lines)] if fit else []
    own = next(
        (row for row in there if row["dimension"] not in (None, OPENING_SPEECH)),
        None,
    )
    if own is not None:
        steps += own_question(str(own["dataset_id"]), str(own["dimension"]))
    return steps


def own_question(dataset_id: str, dimension: str) -> Sequence[tuple[str, str]]:
    """Return how a model is asked what people were asked in a study of one's own.

    Args:
        dimension: What people rated there.
    """
    return (
        (
            f"To ask a model what people were asked in {code_span(dataset_id)}, write a prompt and "
            "an experiment into the home:",
            _OWN.format(dataset=dataset_id, dimension=json.dumps(dimension, ensure_ascii=False)),
        ),
        ("Then run it:", f"rostrum run my-question --judge {_MODEL} --limit 50"),
    )
