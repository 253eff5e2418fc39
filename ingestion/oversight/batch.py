"""One load of a data set of stories and questions about them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

import duckdb

from ingestion.batch import Counts, Loadable, Rows, SourceFile, Step
from ingestion.errors import SourceUnreadable
from ingestion.filters import funnel, removed_by, rule_rows
from ingestion.oversight.items import READING_HASH, TEXT_HASH
from ingestion.raw_tables import change_rows
from warehouse.home import Home
from warehouse.records.core import Dataset, FilterRule
from warehouse.records.oversight import ReadingQuestion, Story

_HASHED_STORIES = f"select *, {TEXT_HASH} as text_hash from {{arrived}}"
# A question's hash needs its story, which is loaded first.
_HASHED_QUESTIONS = f"""
    select arrived.*, {READING_HASH} as item_hash
    from {{arrived}} as arrived
    inner join raw.stories as stories on arrived.story_id = stories.story_id
"""


@dataclass(frozen=True)
class ReadingBatch(Loadable):
    """One load of one data set of stories and questions.

    A question whose own text, answers or story changed gets a new hash. Stories and questions that
    are there and not in the batch stay.

    Attributes:
        stories: The stories, each id once; the story of every question is among them.
        questions: The questions, each id once.
        rules: The rules that remove questions, in order.
    """

    dataset: Dataset
    files: Sequence[SourceFile]
    stories: Sequence[Story]
    questions: Sequence[ReadingQuestion]
    rules: Sequence[FilterRule] = ()

    @contextmanager
    def read(self, home: Home) -> Iterator[ReadingBatch]:
        """Note how many questions each rule removes."""
        del home
        found = removed_by(each.removal for each in self.questions)
        counts = [
            f"stories: {len(self.stories):,}",
            f"questions about stories: {len(self.questions):,}",
            *funnel(self.rules, found),
        ]
        yield replace(self, notes=[*self.notes, *counts])

    def checked(self, connection: duckdb.DuckDBPyConnection) -> ReadingBatch:
        """Refuse a load after which some questions would be filtered one way and some another.

        Raises:
            SourceUnreadable: Questions that are there were removed by other rules than the batch's.
        """
        dataset_id = self.dataset.dataset_id
        ids = {question.question_id for question in self.questions}
        rows = connection.execute(
            "select question_id from raw.reading_questions where dataset_id = ?", [dataset_id]
        ).fetchall()
        others = sum(row[0] not in ids for row in rows)
        known = connection.execute(
            "select rule, setting from raw.filter_rules where dataset_id = ? order by rule_order",
            [dataset_id],
        ).fetchall()
        if not others or known == [(rule.rule, rule.setting) for rule in self.rules]:
            return self
        raise SourceUnreadable(
            f"ingestion: {others:,} questions of '{dataset_id}' that {self.files[0].shown} does "
            "not have were filtered with other settings; name all files of the data set at once, "
            "use the settings of before, or load this into a data set of its own with "
            f"--dataset {dataset_id}-other"
        )

    def changes(self) -> Iterable[Rows | Step]:
        """Return the rules, the stories and the questions."""
        yield Rows("datasets", [self.dataset])
        yield rule_rows(self.dataset.dataset_id, self.rules)
        yield from story_changes(self.dataset.dataset_id, self.stories, self.questions)


def story_changes(
    dataset_id: str, stories: Sequence[Story], questions: Sequence[ReadingQuestion]
) -> Iterator[Rows | Step]:
    """Return stories and questions, and give every question of the data set its hash."""

    def rehash(connection: duckdb.DuckDBPyConnection, source_file: str, now: datetime) -> Counts:
        # Questions that the load does not have, but whose story it changed.
        hashed = READING_HASH.replace("questions.", "present.")
        changed = change_rows(
            connection,
            "reading_questions",
            {"item_hash": hashed},
            "inner join raw.stories as stories on present.story_id = stories.story_id "
            f"where present.dataset_id = ? and present.item_hash <> {hashed}",
            dataset_id,
            source_file=source_file,
            now=now,
        )
        return Counts(updated=changed)

    yield Rows("stories", stories, staging=_HASHED_STORIES)
    yield Rows("reading_questions", questions, staging=_HASHED_QUESTIONS)
    yield Step("reading_questions", rehash)


def in_drawn_order(question_id: str, right: str, wrong: str) -> tuple[str, str, int]:
    """Return answer 0, answer 1, and which of them is right.

    The order is drawn from the question's id alone, so that it is the same in every load and the
    right answer is the first in about half of all questions.
    """
    place = hashlib.sha256(question_id.encode()).digest()[-1] & 1
    return (right, wrong, 0) if place == 0 else (wrong, right, 1)
