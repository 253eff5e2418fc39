"""QuALITY: two writers' lines become one story, and each question meets the rules in their order."""

import json
import zipfile
from pathlib import Path

import pytest

from inference.items import find_item_sources
from inference.oversight.items import READING
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.ingest import ingest
from ingestion.registry import source_named
from tests.ingestion.ingestion_files import query, write_jsonl
from tests.ingestion.quality_files import line, question, reader
from warehouse.home import Home
from warehouse.records.oversight import ReadingQuestion

NAME = "QuALITY.v1.0.1.htmlstripped.dev"


def opened(home: Home, path: Path, **settings: str) -> dict[str, ReadingQuestion]:
    batch = source_named("quality").open(home, path, settings)
    return {each.question_id: each for each in batch.questions}


def test_every_question_is_kept_with_the_first_rule_it_breaks(home: Home, tmp_path: Path) -> None:
    untimed = [reader(2, 3), reader(2, 3), reader(1, 3)]
    cases = {
        "right_answer": question("withheld?", gold=None),
        "distractor": question("no distractor?", validation=[reader(2, 2)]),
        "difficult": question("easy?", difficult=0),
        "max_answerability": question("unclear?", validation=[reader(2, 3, answerable=2)]),
        "min_untimed_accuracy": question("hard to read?", validation=untimed),
        "max_speed_accuracy": question("quick?", hurried=(2, 2, 2, 1, 1)),
        "min_context_required": question("one line?", validation=[reader(2, 3, context=1)]),
        "conflicting_labels": question("which?", writer_label=1),
        None: question("kept?"),
        "per_story": question("another?"),
    }
    lines = [
        line(questions=list(cases.values())[:5]),
        line(set_id="100_B", questions=list(cases.values())[5:]),
        line("200", "200_A", source="Slate"),
    ]
    path = write_jsonl(tmp_path / NAME, lines)
    found = opened(home, path)
    rules = [each.removal.rule if each.removal else None for each in found.values()]
    assert rules == [*cases, "source"]
    assert {each.story_id for each in found.values()} == {"quality:100", "quality:200"}
    assert found["quality:100_A_5"].untimed_accuracy == pytest.approx(2 / 3)
    assert found["quality:100_B_1"].speed_accuracy == pytest.approx(3 / 5)
    assert found["quality:100_A_1"].right_answer is None
    assert {each.split for each in found.values()} == {"dev"}
    loose = opened(home, path, source="any", per_story="any", min_untimed_accuracy="0.66")
    kept = [each.question for each in loose.values() if each.removal is None]
    assert kept == ["hard to read?", "kept?", "another?", "Who rang?"]


def test_the_wrong_answer_is_the_one_named_most_and_of_several_the_first(
    home: Home, tmp_path: Path
) -> None:
    tied = [reader(2, 4), reader(2, 1), reader(2, 2)]
    path = write_jsonl(tmp_path / NAME, [line(questions=[question(), question(validation=tied)])])
    often, tie = opened(home, path).values()
    for each, wrong in ((often, "the smith"), (tie, "the cook")):
        answers = [each.answer_0, each.answer_1]
        assert each.right_answer is not None
        assert answers[each.right_answer] == "the maid"
        assert answers[1 - each.right_answer] == wrong
        assert each.is_best_distractor


def test_an_archive_is_read_without_html_and_debaters_see_only_what_is_kept(
    home: Home, tmp_path: Path
) -> None:
    html = "<html><head><title>x</title></head><body><p>A bell\nrang.</p><p>Nobody&nbsp;came.</p></body></html>"
    files = {
        "QuALITY.v1.0.1.htmlstripped.dev": [line(), line(set_id="100_B"), line(set_id="100_B")],
        "QuALITY.v1.0.1.dev": [line("999", "999_A")],
        "QuALITY.v1.0.1.train": [line("300", "300_A", article=html)],
        "QuALITY.v1.0.1.htmlstripped.test": [line("400", "400_A", [question(gold=None)])],
    }
    path = tmp_path / "QuALITY.v1.0.1.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, lines in files.items():
            archive.writestr(name, "".join(json.dumps(each) + "\n" for each in lines))
    report = ingest(home, "quality", path)
    assert report.quarantined == 0
    assert "removed by right_answer: 1" in report.notes
    assert "not read, since the same split was read without HTML: 1" in report.notes
    assert ingest(home, "quality", path).load_id is None
    shown = list(READING.read(*find_item_sources(home.items, ["quality"])))
    assert [each.item_id for each in shown] == ["quality:100_A_1", "quality:300_A_1"]
    assert shown[1].story == "A bell rang.\n\nNobody came."
    hashes = query(
        home,
        "select item_hash, left(sha256(concat_ws(chr(10), question, answer_0, answer_1, text)), 16) "
        "from raw.reading_questions join raw.stories using (story_id)",
    )
    assert len(hashes) == 4
    assert all(one == other for one, other in hashes)


def test_settings_must_hold_for_all_questions_of_a_data_set(home: Home, tmp_path: Path) -> None:
    train = write_jsonl(tmp_path / "QuALITY.v1.0.1.htmlstripped.train", [line()])
    dev = write_jsonl(tmp_path / NAME, [line("200", "200_A")])
    ingest(home, "quality", train)
    with pytest.raises(SourceUnreadable, match="filtered with other settings"):
        ingest(home, "quality", dev, settings={"max_speed_accuracy": "0.4"})
    ingest(home, "quality", dev)
    with pytest.raises(UnknownSource, match="max_speed_accuracy should be a number"):
        ingest(home, "quality", dev, settings={"max_speed_accuracy": "half"})


def test_what_lies_beside_the_release_is_refused_by_what_it_is(home: Home, tmp_path: Path) -> None:
    two_paragraphs = tmp_path / "sample.json"
    two_paragraphs.write_text(json.dumps([{"question": "?", "supporting_facts": [[0], [1]]}]))
    older = tmp_path / "example.jsonl"
    old = {"article": ["<p>x"] * 9000, "question1": "?", "question1_gold_label": 1}
    write_jsonl(older, [old])
    pointer = tmp_path / "QuALITY.v1.0.1.zip"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    for path, told in ((two_paragraphs, "HotpotQA"), (older, "older layout"), (pointer, "Git LFS")):
        with pytest.raises(SourceUnreadable, match=told):
            source_named("quality").open(home, path, {})


def test_a_broken_question_is_rejected_alone(home: Home, tmp_path: Path) -> None:
    broken = [
        question(gold_label=5),
        question(options=["one"]),
        question(question=None),
        question(options=["a", "b", "b", "c"]),
        question(validation=[reader(2, 3), {"untimed_answer": "x"}]),
        "no object",
    ]
    lines = [line(questions=[question(), *broken]), line(set_id="100_B", article="Another text.")]
    batch = source_named("quality").open(home, write_jsonl(tmp_path / NAME, lines), {})
    assert [each.question_id for each in batch.questions] == ["quality:100_A_1"]
    assert [each.field for each in batch.rejects] == [
        "questions[1].gold_label",
        "questions[2].options",
        "questions[3].question",
        "questions[4].options",
        "questions[5].validation[1].untimed_answer",
        "questions[6]",
        "article",
    ]
