"""QuALITY: long stories with questions of four options, and what readers with and without time say.

Of each question the right answer and the wrong one that untimed readers name most often as
tempting are kept as its two answers; all options are kept beside them. Two writers wrote questions
for each article: their lines become one story.

Which questions are debated: rules in order, whose defaults are those of "Debating with More
Persuasive LLMs Leads to More Truthful Answers" (2024): hard questions with one right answer, which
need more of the story than a reader in a hurry sees.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from ingestion.batch import Reject, SourceFile
from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.oversight.batch import ReadingBatch, in_drawn_order
from ingestion.oversight.sources.quality import SPLITS, URL, WHERE, QualitySettings
from ingestion.reading import BrokenRecord, Reading
from ingestion.records import Record, read_json_lines
from ingestion.registry import ANY
from ingestion.sources.csv_cells import id_of, id_text, shown
from ingestion.sources.html_text import text_of
from ingestion.sources.parts import Part, Parts, shown_as
from warehouse.home import Home
from warehouse.records.core import Dataset, FilterRule, Removal, first_problem
from warehouse.records.oversight import ReadingQuestion, Story

WITHHELD, NO_DISTRACTOR, PER_STORY = "right_answer", "distractor", "per_story"
# Means are quotients of small whole numbers; a user may write two thirds as 0.6667.
_TOLERANCE = 1e-4
_AT_LEAST = {"min_untimed_accuracy", "min_context_required"}
NAME = "quality"
DATASET = Dataset(
    dataset_id=NAME,
    title="QuALITY v1.0.1: questions about long stories",
    licence="CC-BY-4.0",
    citation="Pang, Parrish, Joshi, Nangia, Phang, Chen, Padmakumar, Ma, Thompson, He and Bowman, "
    "QuALITY: Question Answering with Long Input Texts, Yes!, 2022",
    url=URL,
)
_OF_LINE = ("batch_num", "writer_id", "set_unique_id")
_DISTRACTOR = ("untimed_eval3_distractor", "untimed_best_distractor")
_RELEASED = re.compile(r"quality.*\.(train|dev|test)(\.jsonl)?", re.IGNORECASE)
_STRIPPED = ".htmlstripped."
# The first line of a look-alike holds a whole story before what gives it away.
_HEAD = 1 << 20


def open_quality(home: Home, location: str, settings: QualitySettings) -> ReadingBatch:
    """Return the questions of the release's files, those not to be debated with the reason."""
    dataset = settings.named(DATASET)
    parts = Parts(home, location, dataset)
    names, notes = _files(parts)
    found = Articles()
    files: list[SourceFile] = []
    rejects: list[Reject] = []
    for name in names:
        part = parts.open(name)
        _refuse_look_alikes(part)
        reading = Reading(shown_as(part))
        # As the user names it: the landing may know the same bytes by another name.
        called = parts.shown if parts.is_one_file else name
        is_html = _STRIPPED not in called.casefold()
        read_articles(
            dataset.dataset_id,
            reading.kept(read_json_lines(part.opener, shown=reading.shown)),
            reading,
            found,
            split=settings.split or _split(called),
            is_html=is_html,
        )
        if is_html:
            reading.note("articles are HTML, read as the text they show")
        files.append(reading.source_file(part.landed))
        rejects += reading.rejects
        notes += [f"{PurePosixPath(called).name}: {note}" for note in reading.notes]
    return ReadingBatch(
        dataset=dataset,
        files=files,
        stories=list(found.stories.values()),
        questions=filtered(found.questions, settings),
        rules=rules_of(settings),
        rejects=rejects,
        notes=notes,
    )


@dataclass(frozen=True)
class Judged:
    """A question with what only the rules look at.

    Attributes:
        has_conflict: Whether its writer's answer is another than the right one; None where one of
            them is not said.
    """

    question: ReadingQuestion
    source: str | None
    has_conflict: bool | None


def rules_of(settings: QualitySettings) -> list[FilterRule]:
    """Return the rules in the order they are applied, each with its setting."""
    return [
        FilterRule(WITHHELD, "The source does not say which answer is right."),
        FilterRule(NO_DISTRACTOR, "No untimed reader names a wrong answer as the most tempting."),
        FilterRule("source", "The story is from another collection.", settings.source),
        FilterRule("difficult", "Readers in a hurry do too well.", settings.difficult),
        FilterRule(
            "max_answerability",
            "Readers find it unclear, or find several answers right.",
            settings.max_answerability,
        ),
        FilterRule(
            "min_untimed_accuracy",
            "Too few untimed readers are right.",
            settings.min_untimed_accuracy,
        ),
        FilterRule(
            "max_speed_accuracy",
            "Too many readers in a hurry are right.",
            settings.max_speed_accuracy,
        ),
        FilterRule(
            "min_context_required",
            "Too little of the story is needed.",
            settings.min_context_required,
        ),
        FilterRule(
            "conflicting_labels",
            "The writer holds another answer to be right than most readers.",
            settings.conflicting_labels,
        ),
        FilterRule(PER_STORY, "Other questions of the story are kept.", settings.per_story),
    ]


def filtered(found: Iterable[Judged], settings: QualitySettings) -> list[ReadingQuestion]:
    """Return all questions, those not to be debated with the first rule they break."""
    kept: Counter[str] = Counter()
    questions = []
    for each in found:
        question = each.question
        removal = _removal(each, settings)
        if removal is None:
            limit = settings.per_story
            if limit != ANY and kept[question.story_id] >= int(limit):
                removal = Removal(PER_STORY, f"questions of the story kept: {limit}")
            else:
                kept[question.story_id] += 1
        questions.append(replace(question, removal=removal))
    return questions


def _removal(judged: Judged, settings: QualitySettings) -> Removal | None:
    question = judged.question
    if question.right_answer is None:
        return Removal(WITHHELD, "withheld by the source")
    if not question.is_best_distractor:
        return Removal(NO_DISTRACTOR, "named by no untimed reader")
    if settings.source not in (ANY, judged.source):
        return Removal("source", f"source: {judged.source}")
    for rule, value, reason in (
        ("difficult", question.is_difficult, "difficult"),
        ("max_answerability", question.answerability, "answerability"),
        ("min_untimed_accuracy", question.untimed_accuracy, "untimed accuracy"),
        ("max_speed_accuracy", question.speed_accuracy, "speed accuracy"),
        ("min_context_required", question.context_required, "context required"),
        ("conflicting_labels", judged.has_conflict, "conflicting labels"),
    ):
        wanted = getattr(settings, rule)
        if wanted == ANY:
            continue
        if value is None:
            return Removal(rule, f"{reason}: not known")
        if isinstance(value, bool):
            if value != (wanted == "yes"):
                return Removal(rule, f"{reason}: {'yes' if value else 'no'}")
            continue
        excess = float(wanted) - value if rule in _AT_LEAST else value - float(wanted)
        if excess > _TOLERANCE:
            return Removal(rule, f"{reason}: {value:.4g}")
    return None


@dataclass
class Articles:
    """What was read of the files so far.

    Attributes:
        stories: The stories, by id.
        questions: The questions with what the rules look at, in the order of the files.
        seen: What each line's set of questions held, by its id.
    """

    stories: dict[str, Story] = field(default_factory=dict)
    questions: list[Judged] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)


def read_articles(
    dataset_id: str,
    rows: Iterable[Record],
    reading: Reading,
    found: Articles,
    *,
    split: str | None,
    is_html: bool,
) -> None:
    """Add the stories and questions of a file to those that were read before.

    A line that cannot be read is rejected with its questions, a broken question alone.

    Args:
        reading: Collects what is no question.
        found: What earlier files had; added to.
        split: The part of the data set the file holds.
        is_html: Whether its articles are HTML, to be read as the text they show.
    """
    for row in rows:
        story = None
        # For quarantine what names the line, before a story that would fill it.
        short = {name: row.fields.get(name) for name in ("article_id", "set_unique_id", "title")}
        with reading.whole(row.place, short):
            story, questions = _line(dataset_id, row.fields, reading, found, is_html)
        if story is None:
            continue
        found.stories.setdefault(story.story_id, story)
        for number, asked in enumerate(questions, start=1):
            try:
                judged = _question(story, row.fields, asked, number, split)
            except (BrokenRecord, ValidationError) as error:
                broken_field, reason = (
                    (error.field, error.reason)
                    if isinstance(error, BrokenRecord)
                    else first_problem(error)
                )
                place = f"questions[{number - 1}]" + (f".{broken_field}" if broken_field else "")
                reading.reject(row.place, place, reason, asked)
                continue
            found.questions.append(judged)
            if judged.question.right_answer is None:
                reading.repaired["questions whose right answer the source withholds"] += 1


def _line(
    dataset_id: str,
    fields: Mapping[str, Any],
    reading: Reading,
    found: Articles,
    is_html: bool,
) -> tuple[Story | None, list[Any]]:
    """Return a line's story and questions; no story where the very line was there before."""
    article, questions = fields.get("article"), fields.get("questions")
    if not isinstance(article, str):
        raise BrokenRecord("article", f"should be text; found {shown(article)}")
    if not isinstance(questions, list):
        raise BrokenRecord("questions", f"should be a list of objects; found {shown(questions)}")
    name = id_of(fields, "article_id")
    set_id = id_of(fields, "set_unique_id")
    if set_id in found.seen:
        if found.seen[set_id] != questions:
            raise BrokenRecord("set_unique_id", f"duplicate id: {set_id} has other questions above")
        reading.repaired["lines that are there twice, read once"] += 1
        return None, []
    story = Story(
        story_id=f"{dataset_id}:{name}",
        dataset_id=dataset_id,
        text=text_of(article) if is_html else article,
        title=_text(fields, "title"),
        author=_text(fields, "author"),
        source=_text(fields, "source"),
        url=_text(fields, "url"),
        year=_year(fields.get("year")),
        licence=_text(fields, "license"),
        topic=_text(fields, "topic"),
        extra=None,
    )
    known = found.stories.get(story.story_id)
    if known is not None and known.text != story.text:
        raise BrokenRecord("article", f"is another text than that of article {name} above")
    found.seen[set_id] = questions
    return story, questions


def _question(
    story: Story, line: Mapping[str, Any], asked: Any, number: int, split: str | None
) -> Judged:
    if not isinstance(asked, dict):
        raise BrokenRecord(None, f"should be an object; found {shown(asked)}")
    options = asked.get("options")
    if not isinstance(options, list) or len(options) < 2:
        raise BrokenRecord("options", f"should be a list of two or more; found {shown(options)}")
    gold = _option(asked, "gold_label", len(options))
    untimed, hurried = _people(asked, "validation"), _people(asked, "speed_validation")
    tempting = _distractor(untimed, gold, len(options))
    identity = f"{story.dataset_id}:{id_of(line, 'set_unique_id')}_{number}"
    right = options[(gold or 1) - 1]
    wrong = options[(tempting or (1 if (gold or 1) > 1 else 2)) - 1]
    if not isinstance(right, str) or not isinstance(wrong, str) or right.strip() == wrong.strip():
        raise BrokenRecord("options", f"should be texts, each another; found {shown(options)}")
    first, second, place = in_drawn_order(identity, right, wrong)
    writer = _option(asked, "writer_label", len(options))
    difficult = asked.get("difficult")
    if difficult not in (0, 1, None):
        raise BrokenRecord("difficult", f"should be 0 or 1; found {shown(difficult)}")
    question = ReadingQuestion(
        question_id=identity,
        dataset_id=story.dataset_id,
        story_id=story.story_id,
        question=asked.get("question"),  # type: ignore[arg-type]
        answer_0=first,
        answer_1=second,
        right_answer=place if gold else None,
        options=as_json(options),
        is_best_distractor=tempting is not None if gold else None,
        split=split,
        is_difficult=None if difficult is None else bool(difficult),
        answerability=_mean([_whole(each, "untimed_eval1_answerability") for each in untimed]),
        untimed_accuracy=_share(untimed, "untimed_answer", gold),
        speed_accuracy=_share(hurried, "speed_answer", gold),
        context_required=_mean([_whole(each, "untimed_eval2_context") for each in untimed]),
        extra=as_json(
            {name: line[name] for name in _OF_LINE if name in line}
            | {
                "gold_label": gold,
                "writer_label": writer,
                "question_unique_id": asked.get("question_unique_id"),
            }
            | {"untimed_readers": len(untimed), "speed_readers": len(hurried)}
        ),
    )
    return Judged(question, story.source, None if None in (gold, writer) else gold != writer)


def _distractor(untimed: list[Mapping[str, Any]], gold: int | None, options: int) -> int | None:
    """Return the wrong option named most often as tempting, from 1; of several the first."""
    named = [
        _whole(each, next((name for name in _DISTRACTOR if name in each), _DISTRACTOR[0]))
        for each in untimed
    ]
    wrong = Counter(each for each in named if each is not None and each != gold)
    if gold is None or not wrong:
        return None
    if out := [each for each in wrong if not 1 <= each <= options]:
        raise BrokenRecord(_DISTRACTOR[0], f"should be 1 to {options}; found {out[0]}")
    return min(wrong, key=lambda option: (-wrong[option], option))


def _people(asked: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    people = asked.get(name) or []
    if not isinstance(people, list) or not all(isinstance(each, dict) for each in people):
        raise BrokenRecord(name, f"should be a list of objects; found {shown(people)}")
    return people


def _option(asked: Mapping[str, Any], name: str, options: int) -> int | None:
    value = _whole(asked, name)
    if value is not None and not 1 <= value <= options:
        raise BrokenRecord(name, f"should be 1 to {options}; found {value}")
    return value


def _whole(fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
        if not number.is_integer():
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise BrokenRecord(name, f"should be a whole number; found {shown(value)}") from None
    return int(number)


def _share(people: list[Mapping[str, Any]], name: str, gold: int | None) -> float | None:
    if gold is None:
        return None
    answers = [_whole(each, name) for each in people]
    return _mean([answer == gold for answer in answers if answer is not None])


def _mean(values: list[Any]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return str(value) if value not in (None, "") else None


def _year(value: Any) -> int | None:
    text = id_text(value) or ""
    # Years of the release are approximate; what is no year is none.
    return int(text) if text.isdecimal() and len(text) <= 4 else None


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


def _split(name: str) -> str | None:
    words = re.split(r"[^a-z]+", PurePosixPath(name).name.casefold())
    return next((split for split in SPLITS if split in words), None)


def _refuse_look_alikes(part: Part) -> None:
    """Refuse what lies beside the release and is not it, by what it is.

    Raises:
        SourceUnreadable: It is something else.
    """
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
