"""QuALITY: long stories, questions of four options, and answers of readers with and without time.

The two answers of a question are the right one and the wrong one that untimed readers name most
often as tempting; all options are kept too. Two writers wrote questions for each article: their
lines become one story.

Which questions are debated: rules in order, whose defaults are those of "Debating with More
Persuasive LLMs Leads to More Truthful Answers" (2024): hard questions with one right answer, which
need more of the story than a reader in a hurry sees.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from ingestion.batch import Reject, SourceFile
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.oversight.batch import ReadingBatch, in_drawn_order
from ingestion.oversight.sources.quality import LICENCE, SPLITS, URL, WHERE, QualitySettings
from ingestion.reading import BrokenRecord, Reading, expected, validated
from ingestion.records import Record, read_json_lines
from ingestion.registry import ANY
from ingestion.sources.csv_cells import id_text
from ingestion.sources.html_text import text_of
from ingestion.sources.parts import Part, Parts, shown_as
from warehouse.records.core import Dataset, FilterRule, Removal
from warehouse.records.oversight import ReadingQuestion, Story

WITHHELD, NO_DISTRACTOR, PER_STORY = "right_answer", "distractor", "per_story"
# Means are quotients of small whole numbers; a user may write two thirds as 0.6667.
_TOLERANCE = 1e-4
NAME = "quality"
DATASET = Dataset(
    dataset_id=NAME,
    title="QuALITY v1.0.1: questions about long stories",
    licence=LICENCE,
    citation="Pang, Parrish, Joshi, Nangia, Phang, Chen, Padmakumar, Ma, Thompson, He and Bowman, "
    "QuALITY: Question Answering with Long Input Texts, Yes!, 2022",
    url=URL,
)
_OF_LINE = ("batch_num", "writer_id", "set_unique_id")
_RELEASED = re.compile(r"quality.*\.(train|dev|test)(\.jsonl)?", re.IGNORECASE)
_STRIPPED = ".htmlstripped."
# The first line of a look-alike holds a whole story before what gives it away.
_HEAD = 1 << 20


WITHHELD_RULES = (
    FilterRule(WITHHELD, "The source does not say which answer is right."),
    FilterRule(NO_DISTRACTOR, "No untimed reader names a wrong answer as the most tempting."),
)
# Each is a setting, in the order in which they are applied.
SETTING_RULES = {
    "source": "The story is from another collection.",
    "difficult": "Readers in a hurry do too well.",
    "max_answerability": "Readers find it unclear, or find several answers right.",
    "min_untimed_accuracy": "Too few untimed readers are right.",
    "max_speed_accuracy": "Too many readers in a hurry are right.",
    "min_context_required": "Too little of the story is needed.",
    "conflicting_labels": "The writer holds another answer to be right than most readers.",
    PER_STORY: "Other questions of the story are kept.",
}


def _whole_number(value: Any) -> int | None:
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not number.is_integer():
        raise ValueError("should be a whole number")
    return int(number)


def _year(value: Any) -> int | None:
    text = id_text(value) or ""
    # Years of the release are approximate; what is no year is none.
    return int(text) if text.isdecimal() and len(text) <= 4 else None


_Id = Annotated[str, BeforeValidator(id_text), expected("a number or a text")]
_Text = Annotated[
    str | None, BeforeValidator(lambda value: None if value in (None, "") else str(value))
]
_Whole = Annotated[int | None, BeforeValidator(_whole_number)]
_OrEmpty = BeforeValidator(lambda value: value or [])


class _Reader(BaseModel):
    """An untimed reader's answer, and the options from 1 and scales in it."""

    answer: _Whole = Field(None, alias="untimed_answer")
    answerability: _Whole = Field(None, alias="untimed_eval1_answerability")
    context: _Whole = Field(None, alias="untimed_eval2_context")
    distractor: _Whole = Field(
        None, validation_alias=AliasChoices("untimed_eval3_distractor", "untimed_best_distractor")
    )


class _HurriedReader(BaseModel):
    answer: _Whole = Field(None, alias="speed_answer")


class _Question(BaseModel):
    question: Any = None
    options: Annotated[list[Any], Field(min_length=2), expected("a list of two or more")]
    gold_label: _Whole = None
    writer_label: _Whole = None
    difficult: Annotated[bool | None, expected("0 or 1")] = None
    validation: Annotated[list[_Reader], _OrEmpty] = []
    speed_validation: Annotated[list[_HurriedReader], _OrEmpty] = []
    question_unique_id: Any = None


class _Line(BaseModel):
    """An article with the questions of one writer."""

    article_id: _Id
    set_unique_id: _Id
    article: Annotated[str, expected("text")]
    questions: Annotated[list[Any], expected("a list of objects")]
    title: _Text = None
    author: _Text = None
    source: _Text = None
    url: _Text = None
    license: _Text = None
    topic: _Text = None
    year: Annotated[int | None, BeforeValidator(_year)] = None


@dataclass(frozen=True)
class Judged:
    """A question with its story's source, and whether its writer and most readers disagree."""

    question: ReadingQuestion
    source: str | None
    has_conflict: bool | None


def open_quality(parts: Parts, settings: QualitySettings) -> ReadingBatch:
    """Return the questions of the release's files, those not to be debated with the reason."""
    dataset = settings.named(DATASET)
    names, notes = _files(parts)
    found = Articles(dataset.dataset_id)
    files: list[SourceFile] = []
    rejects: list[Reject] = []
    for name in names:
        part = parts.open(name)
        _refuse_look_alikes(part)
        reading = Reading(shown_as(part))
        # As the user names it: the landing may know the same bytes by another name.
        called = PurePosixPath(parts.shown if parts.is_one_file else name).name
        words = re.split(r"[^a-z]+", called.casefold())
        named = next((each for each in SPLITS if each in words), None)
        is_html = _STRIPPED not in called.casefold()
        rows = reading.kept(read_json_lines(part.opener, shown=reading.shown))
        found.read(rows, reading, settings.split or named, is_html=is_html)
        if is_html:
            reading.note("articles are HTML, read as the text they show")
        files.append(reading.source_file(part.landed))
        rejects += reading.rejects
        notes += [f"{called}: {note}" for note in reading.notes]
    return ReadingBatch(
        dataset=dataset,
        files=files,
        stories=list(found.stories.values()),
        questions=filtered(found.questions, settings),
        rules=rules_of(settings),
        rejects=rejects,
        notes=notes,
    )


def rules_of(settings: QualitySettings) -> list[FilterRule]:
    """Return the rules in the order they are applied, each with its setting."""
    return [
        *WITHHELD_RULES,
        *(FilterRule(name, text, getattr(settings, name)) for name, text in SETTING_RULES.items()),
    ]


def filtered(found: Iterable[Judged], settings: QualitySettings) -> list[ReadingQuestion]:
    """Return all questions, those not to be debated with the first rule they break."""
    kept: Counter[str] = Counter()
    questions = []
    limit = settings.per_story
    for each in found:
        story_id, removal = each.question.story_id, _removal(each, settings)
        if removal is None and limit != ANY and kept[story_id] >= int(limit):
            removal = Removal(PER_STORY, f"questions of the story kept: {limit}")
        kept[story_id] += removal is None
        questions.append(replace(each.question, removal=removal))
    return questions


def _removal(judged: Judged, settings: QualitySettings) -> Removal | None:
    question = judged.question
    if question.right_answer is None:
        return Removal(WITHHELD, "withheld by the source")
    if not question.is_best_distractor:
        return Removal(NO_DISTRACTOR, "named by no untimed reader")
    if settings.source not in (ANY, judged.source):
        return Removal("source", f"source: {judged.source}")
    for rule, value in (
        ("difficult", question.is_difficult),
        ("max_answerability", question.answerability),
        ("min_untimed_accuracy", question.untimed_accuracy),
        ("max_speed_accuracy", question.speed_accuracy),
        ("min_context_required", question.context_required),
        ("conflicting_labels", judged.has_conflict),
    ):
        wanted = getattr(settings, rule)
        name = rule.removeprefix("min_").removeprefix("max_").replace("_", " ")
        if wanted == ANY:
            continue
        if value is None:
            return Removal(rule, f"{name}: not known")
        if isinstance(value, bool):
            if value != (wanted == "yes"):
                return Removal(rule, f"{name}: {'yes' if value else 'no'}")
        elif (float(wanted) - value) * (1 if rule.startswith("min_") else -1) > _TOLERANCE:
            return Removal(rule, f"{name}: {value:.4g}")
    return None


@dataclass
class Articles:
    """The stories and questions of the files so far, and each set of questions by its id."""

    dataset_id: str
    stories: dict[str, Story] = field(default_factory=dict)
    questions: list[Judged] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)

    def read(
        self, rows: Iterable[Record], reading: Reading, split: str | None, *, is_html: bool
    ) -> None:
        """Add the stories and questions of a file.

        A line that cannot be read is rejected with its questions, a broken question alone.
        """
        for row in rows:
            story = None
            # Quarantine has what names the line, not a story that would fill it.
            named = ("article_id", "set_unique_id", "title")
            with reading.whole(row.place, {name: row.fields.get(name) for name in named}):
                line = validated(_Line, row.fields)
                story = self._add_story(line, reading, is_html)
            if story is None:
                continue
            of_line = {name: row.fields[name] for name in _OF_LINE if name in row.fields}
            for number, original in enumerate(line.questions, start=1):
                identity = f"{self.dataset_id}:{line.set_unique_id}_{number}"
                with reading.whole(row.place, original):
                    try:
                        judged = _question(story, identity, original, of_line, split)
                    except BrokenRecord as broken:
                        place = f"questions[{number - 1}].{broken.field or ''}".removesuffix(".")
                        raise BrokenRecord(place, broken.reason) from None
                    self.questions.append(judged)
                    if judged.question.right_answer is None:
                        reading.repaired["questions whose right answer the source withholds"] += 1

    def _add_story(self, line: _Line, reading: Reading, is_html: bool) -> Story | None:
        """Return a line's story; None where the very line was there before."""
        set_id = line.set_unique_id
        if set_id in self.seen:
            if self.seen[set_id] != line.questions:
                reason = f"duplicate id: {set_id} has other questions above"
                raise BrokenRecord("set_unique_id", reason)
            reading.repaired["lines that are there twice, read once"] += 1
            return None
        fields = {
            "story_id": f"{self.dataset_id}:{line.article_id}",
            "dataset_id": self.dataset_id,
            "text": text_of(line.article) if is_html else line.article,
            "licence": line.license,
            **line.model_dump(include={"title", "author", "source", "url", "year", "topic"}),
        }
        story = validated(Story, fields)
        known = self.stories.setdefault(story.story_id, story)
        if known.text != story.text:
            reason = f"is another text than that of article {line.article_id} above"
            raise BrokenRecord("article", reason)
        self.seen[set_id] = line.questions
        return story


def _question(
    story: Story, identity: str, original: Any, of_line: Mapping[str, Any], split: str | None
) -> Judged:
    found = validated(_Question, original)
    options, gold, writer = found.options, found.gold_label, found.writer_label
    untimed = found.validation
    tempting = Counter(each.distractor for each in untimed if each.distractor not in (None, gold))
    for name, places in (
        ("gold_label", {gold}),
        ("writer_label", {writer}),
        ("untimed_eval3_distractor", set(tempting) if gold else set()),
    ):
        if out := places - {None, *range(1, len(options) + 1)}:
            raise BrokenRecord(name, f"should be 1 to {len(options)}; found {out.pop()}")
    # Of those named equally often the first.
    best = min(tempting, key=lambda place: (-tempting[place], place or 0), default=None)
    # The first other option where none is named.
    other = best if gold and best else 1 if (gold or 1) > 1 else 2
    right, wrong = options[(gold or 1) - 1], options[other - 1]
    if not isinstance(right, str) or not isinstance(wrong, str) or right.strip() == wrong.strip():
        raise BrokenRecord("options", f"should be texts, each another; found {str(options)[:60]}")
    first, second, place = in_drawn_order(identity, right, wrong)
    readers = {"untimed_readers": len(untimed), "speed_readers": len(found.speed_validation)}
    labels = found.model_dump(include={"gold_label", "writer_label", "question_unique_id"})
    fields = {
        "question_id": identity,
        "dataset_id": story.dataset_id,
        "story_id": story.story_id,
        "question": found.question,
        "answer_0": first,
        "answer_1": second,
        "right_answer": place if gold else None,
        "options": as_json(options),
        "is_best_distractor": best is not None if gold else None,
        "split": split,
        "is_difficult": found.difficult,
        "answerability": _mean([each.answerability for each in untimed]),
        "untimed_accuracy": _accuracy([each.answer for each in untimed], gold),
        "speed_accuracy": _accuracy([each.answer for each in found.speed_validation], gold),
        "context_required": _mean([each.context for each in untimed]),
        "extra": as_json({**of_line, **labels, **readers}),
    }
    has_conflict = None if None in (gold, writer) else gold != writer
    return Judged(validated(ReadingQuestion, fields), story.source, has_conflict)


def _accuracy(answers: Sequence[int | None], gold: int | None) -> float | None:
    if gold is None:
        return None
    return _mean([answer == gold for answer in answers if answer is not None])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _files(parts: Parts) -> tuple[list[str], list[str]]:
    """Return the files to read, one per split, and what to say of those that are left."""
    if parts.is_one_file:
        return parts.names, []
    released: dict[str, list[str]] = {}
    for name in parts.names:
        file = PurePosixPath(name.removesuffix(".gz")).name
        if match := _RELEASED.fullmatch(file):
            released.setdefault(match[1].casefold(), []).append(name)
    if not released:
        lines = [name for name in parts.names if name.endswith((".json", ".jsonl"))]
        for name in lines:
            _refuse_look_alikes(parts.open(name))
        there = ", ".join(parts.names[:8]) or "nothing"
        raise SourceUnreadable(
            f"ingestion: {parts.shown} has no file such as QuALITY.v1.0.1.htmlstripped.train; it "
            f"has {there}: {WHERE}"
        )
    chosen, left = [], []
    for split in (each for each in SPLITS if each in released):
        names = sorted(released[split], key=lambda name: (_STRIPPED not in name.casefold(), name))
        chosen.append(names[0])
        left += names[1:]
    notes = [f"not read, since the same split was read without HTML: {len(left)}"] if left else []
    return chosen, notes


def _refuse_look_alikes(part: Part) -> None:
    """Raise SourceUnreadable for files that lie with the release and are no part of it."""
    with part.opener() as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    what = None
    if head.startswith("version https://git-lfs"):
        what = "only points to a file that Git LFS keeps; fetch the file itself"
    elif head.startswith("[") and '"supporting_facts"' in head:
        what = (
            "is a list of questions that need two paragraphs (as HotpotQA has them), which lies "
            "beside QuALITY and is not a part of it"
        )
    elif head.startswith("["):
        what = "is one JSON list, not lines of one article each"
    elif '"question1"' in head and '"question1_gold_label"' in head:
        what = "is an older layout of QuALITY, with fields question1, question2 and so on"
    if what is not None:
        raise SourceUnreadable(
            f"ingestion: {shown_as(part)} {what}. Nothing was loaded; for QuALITY {WHERE}"
        )
