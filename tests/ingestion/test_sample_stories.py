"""The sample's stories: either answer has its passages, and neither place gives the answer away."""

import hashlib
import json

from inference.items import find_item_sources
from inference.oversight.items import READING
from ingestion.load import load
from ingestion.oversight.readers.sample_stories import NAME, sample_stories_batch
from tests.ingestion.ingestion_files import one
from warehouse.home import Home

# Change this only together with an intended change of the sample: answers already paid for depend
# on the texts.
TEXTS_SHA256 = "d67afa75ff048cd5ca99821d1795332f3975527e1d8b704ebb67de62d132f293"
BATCH = sample_stories_batch()


def test_every_story_supports_both_answers_by_passages_of_its_own() -> None:
    assert len(BATCH.stories) == 12
    for story, question in zip(BATCH.stories, BATCH.questions, strict=True):
        assert question.story_id == story.story_id
        assert 350 <= len(story.text.split()) <= 600
        passages = json.loads(question.extra or "")
        assert all(text in story.text for texts in passages.values() for text in texts)
        assert all(len(texts) >= 2 for texts in passages.values())
    assert sum(question.right_answer or 0 for question in BATCH.questions) == 6


def test_debaters_read_the_stories_and_not_which_answer_is_right(home: Home) -> None:
    assert load(home, BATCH).quarantined == 0
    assert load(home, BATCH).load_id is None
    (source,) = find_item_sources(home.items, [NAME])
    shown = list(READING.read(source))
    texts = "\n".join(f"{each.question}\n{each.answers}\n{each.story}" for each in shown)
    assert hashlib.sha256(texts.encode()).hexdigest() == TEXTS_SHA256
    assert {each.item_id: each.item_hash for each in shown}.keys() == {
        each.question_id for each in BATCH.questions
    }
    reference = source.file("reading_reference")
    right = f"select sum(right_answer) from read_parquet('{reference}')"
    assert one(home, right) == 6
