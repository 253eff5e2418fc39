"""A made-up story with questions, and debaters that say what a test has them say."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import inference_fixtures
from inference_fixtures import Reaction, Stub, completion, write_data_set

from inference.experiment import Decoding, Experiment
from inference.items import ItemSource
from inference.kinds.transcripts import TranscriptOptions
from inference.oversight.items import DebatePlan
from inference.registry import JudgeSpec, add_judge_text, spec_for
from inference.runner import RunSummary

STORY = (
    "Mara kept the ferry for thirty years. On the last night she untied it herself. "
    "Her brother never asked who had let it drift. The harbour clerk wrote that a storm had done "
    "it, and everybody was glad to believe him."
)
ANSWERS = ("Mara set the ferry adrift", "A storm tore the ferry loose")
# Who is asked, told by what only that prompt has.
ROLES = {
    "Write the turn again": "refine",
    "Do not write the turn": "critique",
    "How likely is it": "preference",
    "Ask what would help": "asker",
}

Said = Callable[[str, str, int], str]


def write_reading(folder: Path, count: int = 1, right: int | None = 0) -> ItemSource:
    rows = [
        {
            "question_id": f"made-up:{number}",
            "item_hash": f"hash{number}",
            "question": "What happened to the ferry?",
            "answer_0": ANSWERS[0],
            "answer_1": ANSWERS[1],
            "story_id": "made-up:ferry",
            "story": STORY,
        }
        for number in range(count)
    ]
    answers = [{"question_id": row["question_id"], "right_answer": right} for row in rows]
    return write_data_set(folder, "made-up", {"reading": rows, "reading_reference": answers})


def experiment(*plans: DebatePlan, **more: Any) -> Experiment:
    asked = plans or (DebatePlan("ov_debater", rounds=1),)
    fields = {"name": "mine", "template": "ov_debater", "decoding": Decoding(max_tokens=200)}
    return Experiment(**{**fields, "options": TranscriptOptions(debate=asked), **more})


def judges(folder: Path, stub: Stub, *names: str, **settings: Any) -> list[JudgeSpec]:
    text, path = "", folder / "judges.toml"
    priced = {
        "base_url": stub.url,
        "max_retries": 0,
        "concurrency": 1,
        "usd_per_million_tokens_in": 10000.0,
        "usd_per_million_tokens_out": 0.0,
    }
    for name in names or ("one",):
        text = add_judge_text(text, f"openai/{name}", {**priced, **settings})
    path.write_text(text)
    return [spec_for(f"openai/{name}", path, {}) for name in names or ("one",)]


def journal(folder: Path, summary: RunSummary) -> Path:
    return folder / "journal" / summary.run_ids[0] / "responses.jsonl"


def role_of(body: dict[str, Any]) -> str:
    text = body["messages"][-1]["content"]
    return next((role for words, role in ROLES.items() if words in text), "debater")


def side_of(body: dict[str, Any]) -> int:
    own = body["messages"][-1]["content"].split("<own_answer>\n")[1].split("\n</own_answer>")[0]
    return ANSWERS.index(own)


def saying(said: Said) -> Callable[[dict[str, Any], int], Reaction]:

    def react(body: dict[str, Any], number: int) -> Reaction:
        text = said(role_of(body), body["messages"][-1]["content"], number)
        return completion(text)

    return react


def argued(text: str) -> str:
    return f"Let me see.\n<argument>\n{text}\n</argument>"


def chosen(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for turn in line["turns"] for each in turn["candidates"] if each["is_chosen"]]


def prompts(bodies: Sequence[dict[str, Any]], role: str) -> list[str]:
    return [body["messages"][-1]["content"] for body in bodies if role_of(body) == role]


def go(
    folder: Path, asked: Experiment, spec: JudgeSpec, source: ItemSource, **more: Any
) -> RunSummary:
    """Run an experiment whose other parties `judges.toml` defines."""
    given = {"judges_file": folder / "judges.toml", "prompts_folder": None, **more}
    return inference_fixtures.go(folder, asked, spec, source, **given)
