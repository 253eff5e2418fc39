"""Made-up questions, documents, a model that answers by rule, and a folder to curate."""

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inference.questions.curation.annotation import TASKS
from inference.questions.curation.pipeline import PIPELINE
from inference.questions.curation.records import Evidence, Question
from inference.questions.curation.tools import Curation, Settings, Tools, tools_for
from inference.questions.documents import Document
from inference.steps.pipeline import Outcome
from tests.inference.step_models import RuleModel as Model

TOPICS = {
    "cars": "Should towns ban cars?",
    "zoos": "Are zoos good for wild animals?",
    "homework": "Does homework help young pupils?",
    "moon": "Is a base on the moon worth its cost?",
}
SETTINGS = Settings(threshold=0.9)


def tiny_bert(folder: Path, maker: Any, **more: Any) -> Any:
    import tiny_models

    made = tiny_models.model("bert", seed=3, made_as=maker, **more)
    tiny_models.save(folder, made, tiny_models.tokenizer())
    return made


def judges_toml(folder: Path, **models: Path) -> Path:
    lines = [
        f'[judges."local/{name}"]\nmodel = "{place}"\n'
        f'[judges."local/{name}".settings]\ndevice = "cpu"\n'
        for name, place in models.items()
    ]
    (folder / "judges.toml").write_text("".join(lines))
    return folder / "judges.toml"


def question(number: int = 1, text: str = "Should towns ban cars?") -> Question:
    return Question(f"made-up:{number}", text, "made-up")


def document(name: str, text: str | None = None, domain: str | None = "org") -> Document:
    return Document(name, text or f"What {name} has to say.", None, domain, name.title())


def evidence(question_id: str, *names: str) -> list[Evidence]:
    return [
        Evidence(question_id, position, 1.0 / position, document(name))
        for position, name in enumerate(names, start=1)
    ]


def replies(prompt: str) -> str:
    topic = next(topic for topic, question in TOPICS.items() if question in prompt)
    if "Query 1:" in prompt:
        return f"Query 1: {topic}\nQuery 2: {topic} towns"
    if "Point-of-View [number]" in prompt:
        count = prompt.count("<document number=")
        return "\n".join(
            f"Point-of-View {n}: {topic.title()} side {n}. [Document {n}]"
            for n in range(1, count + 1)
        )
    return f"An explanation about {topic}."


def working_folder(folder: Path) -> Path:
    (folder / "questions").mkdir(parents=True)
    (folder / "documents").mkdir()
    first = [{"id": name, "question": text} for name, text in TOPICS.items()]
    (folder / "questions" / "a.jsonl").write_text("\n".join(map(json.dumps, first)))
    (folder / "questions" / "b.csv").write_text('question\n"should towns ban cars"\n" "\n')
    lines: list[dict[str, Any]] = []
    for topic in TOPICS:
        # The moon has two trusted documents, and so too few.
        count = 2 if topic == "moon" else 4
        lines += [
            {
                "id": f"{topic}-{number}",
                "text": f"What {topic} do, of kind{number}.",
                "url": f"https://{topic}{number}.example.org/",
            }
            for number in range(count)
        ]
        lines.append({"id": f"{topic}-x", "text": topic, "url": "https://example.com/"})
    (folder / "documents" / "all.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def tools(model: Model, **changes: Any) -> Tools:
    return replace(tools_for("tfidf", model), **changes)


def run(folder: Path, model: Model, settings: Settings = SETTINGS, **changes: Any) -> list[Outcome]:
    return PIPELINE.run_all(Curation(folder, tools(model, **changes), settings))


def annotate(folder: Path, faults: Sequence[str] = ()) -> None:
    rows = list(csv.DictReader((folder / "annotations" / "form.csv").open(newline="")))
    for person in ("ann", "bea", "cem"):
        with (folder / "annotations" / f"{person}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            for row in rows:
                is_fault = row["partial_answer_id"] in faults and person != "cem"
                said = dict.fromkeys(TASKS, "0" if is_fault else "1")
                writer.writerow({**row, "annotator_id": person, **said})
