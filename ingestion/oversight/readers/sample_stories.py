"""The sample's stories, each with a question: written for this project, marked as sample."""

import re
from collections.abc import Mapping
from typing import Any

from ingestion.json_values import as_json
from ingestion.oversight.batch import ReadingBatch, in_drawn_order
from ingestion.sample.texts import written_texts
from warehouse.records.core import Dataset
from warehouse.records.oversight import ReadingQuestion, Story

NAME = "sample-stories"
DATASET = Dataset(
    dataset_id=NAME,
    title="Rostrum sample stories (written for this project, not real data)",
    licence="Apache-2.0",
    citation="Stories and questions written for the Rostrum project.",
)
_PARAGRAPH = re.compile(r"\n\s*\n")


def sample_stories_batch() -> ReadingBatch:
    """Return the bundled stories."""
    texts, file = written_texts("stories", "the bundled sample stories")
    read = [_read(slug, written) for slug, written in texts.items()]
    return ReadingBatch(
        dataset=DATASET,
        files=[file],
        stories=[story for story, _ in read],
        questions=[question for _, question in read],
    )


def _read(slug: str, written: Mapping[str, Any]) -> tuple[Story, ReadingQuestion]:
    # Lines are broken for whoever edits the file; paragraphs are the story's own.
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPH.split(written["text"].strip())]
    identity = f"{NAME}:{slug}"
    story = Story(
        story_id=identity,
        dataset_id=NAME,
        text="\n\n".join(paragraphs),
        title=written["title"],
        source="Rostrum sample",
        licence=DATASET.licence,
        topic=written["topic"],
    )
    first, second, right = in_drawn_order(identity, written["right"], written["wrong"])
    question = ReadingQuestion(
        question_id=identity,
        dataset_id=NAME,
        story_id=identity,
        question=written["question"],
        answer_0=first,
        answer_1=second,
        right_answer=right,
        extra=as_json({name: written[name] for name in ("for_right", "for_wrong")}),
    )
    return story, question
