"""DebateQA's raw files: documents and who cites them, in every shape that is likely, never guessed."""

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.batch import Counts
from ingestion.errors import SourceUnreadable, TooManyRejected
from ingestion.ingest import ingest
from ingestion.raw_tables import LoadReport
from tests.ingestion.ingestion_files import check_kept, check_rejects, is_empty, one, query, row_of
from tests.ingestion.question_files import (
    PASSAGES,
    document,
    passages,
    perspective,
    question,
    questions,
    release,
    zipped,
)
from warehouse.home import Home
from warehouse.records.questions import Document


def _load(
    home: Home, tmp_path: Path, rows: list[dict[str, Any]], count: int = 2, **options: Any
) -> LoadReport:
    files = {"dataset/test.jsonl": questions(count), f"raw_data/{PASSAGES}": rows}
    return ingest(home, "debateqa", release(tmp_path / "release", files), **options)


def _sources(home: Home) -> dict[str, list[str] | None]:
    rows = query(home, "select partial_answer_id, document_ids from raw.partial_answers")
    return {
        name.removeprefix("debateqa:"): None if ids is None else json.loads(ids)
        for name, ids in rows
    }


def test_documents_are_rows_and_perspectives_name_them(home: Home, tmp_path: Path) -> None:
    report = _load(home, tmp_path, [passages(1), passages(2)])
    assert report.tables["documents"] == Counts(4)
    row = row_of(home, "documents", "document_id = 'debateqa:1/d1'")
    expected = {"dataset_id": "debateqa", "question_id": "debateqa:1", "position": 1}
    expected |= {"top_level_domain": "org", "word_count": 5, "extra": None}
    check_kept(row, expected | document(1, 1))
    assert _sources(home) == {
        "1/p1": ["debateqa:1/d1"],
        "1/p2": ["debateqa:1/d1", "debateqa:1/d2"],
        "1/p3": ["debateqa:1/d2"],
        "2/p1": ["debateqa:2/d1"],
        "2/p2": ["debateqa:2/d1", "debateqa:2/d2"],
        "2/p3": ["debateqa:2/d2"],
    }
    assert one(home, "select _source_file from raw.documents limit 1").endswith(PASSAGES)


def test_an_archive_says_the_same_and_twice_changes_nothing(home: Home, tmp_path: Path) -> None:
    _load(home, tmp_path, [passages(1)])
    before = _sources(home)
    report = ingest(home, "debateqa", zipped(tmp_path / "release", tmp_path / "main.zip"))
    assert (report.load_id, report.new, report.updated) == (None, 0, 0)
    assert _sources(home) == before


def test_the_questions_alone_leave_documents_and_their_perspectives_as_they_are(
    home: Home, tmp_path: Path
) -> None:
    _load(home, tmp_path, [passages(1)])
    before = _sources(home)
    report = ingest(home, "debateqa", tmp_path / "release/dataset/test.jsonl")
    assert (report.new, report.updated) == (0, 0)
    assert _sources(home) == before
    # A perspective in other words was not drawn from what the old one was.
    changed = question(1)
    changed["partial_answers"][0] = perspective(1, 1, explanation="Otherwise.")
    release(tmp_path / "later", {"test.jsonl": [changed]})
    ingest(home, "debateqa", tmp_path / "later")
    assert _sources(home) == before | {"1/p1": None}
    assert one(home, "select count(*) from raw.documents") == 2


def test_documents_that_a_later_file_lacks_are_gone(home: Home, tmp_path: Path) -> None:
    _load(home, tmp_path, [passages(1)])
    report = _load(home, tmp_path, [passages(1, ranked_retrieve_docs=[document(1, 1)])])
    assert report.tables["documents"] == Counts(0, 1, 1)
    assert report.notes
    assert one(home, "select count(*) from raw.documents") == 1


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        # Nothing is 0 and one is the number of documents: from one.
        (([1], [1, 2], 2), (["d1"], ["d1", "d2"], ["d2"])),
        ((0, [0, 1], "1"), (["d1"], ["d1", "d2"], ["d2"])),
        (("0", "[0, 1]", "0, 1"), (["d1"], ["d1", "d2"], ["d1", "d2"])),
        # 1 may be either; so may 0 and 2 at once.
        ((1, [1], "1"), (None, None, None)),
        ((0, 1, 2), (None, None, None)),
        # An address says which, whatever the numbers mean.
        (
            ("https://water.example.org/1/2", 1, ["https://water.example.org/1/1"]),
            (["d2"], None, ["d1"]),
        ),
        (([1, 2, 7], 1, None), (["d1", "d2"], ["d1"], None)),
    ],
)
def test_what_indices_count_from_is_taken_from_them_or_left_open(
    home: Home, tmp_path: Path, cited: tuple[Any, ...], expected: tuple[Any, ...]
) -> None:
    said = [perspective(1, place, source_index=what) for place, what in enumerate(cited, start=1)]
    report = _load(home, tmp_path, [passages(1, partial_answers=said)], count=1)
    assert report.quarantined == 0
    found = [_sources(home)[f"1/p{place}"] for place in (1, 2, 3)]
    assert found == [
        None if names is None else [f"debateqa:1/{name}" for name in names] for names in expected
    ]
    is_open = sum(names is None and what is not None for names, what in zip(expected, cited))  # noqa: B905
    said_so = [note for note in report.notes if "whether the first is 0 or 1" in note]
    assert [int(note.rpartition(": ")[2]) for note in said_so] == ([is_open] if is_open else [])
    # What the file says is kept, for whoever finds out.
    kept = query(home, "select extra from raw.partial_answers where extra is not null")
    assert len(kept) == is_open


def test_documents_own_numbers_are_what_perspectives_mean(home: Home, tmp_path: Path) -> None:
    listed = [document(1, 1, index=4), document(1, 2, index=9)]
    said = [perspective(1, 1, index=9), perspective(1, 2, index="4"), perspective(1, 3, index=9)]
    _load(home, tmp_path, [passages(1, ranked_retrieve_docs=listed, partial_answers=said)])
    assert {name: _sources(home)[name] for name in ("1/p1", "1/p2", "1/p3")} == {
        "1/p1": ["debateqa:1/d2"],
        "1/p2": ["debateqa:1/d1"],
        "1/p3": ["debateqa:1/d2"],
    }


SHAPES = [
    (["Only text."], [(1, None, None, "Only text.")]),
    (
        [{"content": "Text.", "link": "http://a.example.gov", "name": "A"}],
        [(1, "http://a.example.gov", "A", "Text.")],
    ),
    (
        {"0": {"passage": "One."}, "1": {"passage": "Two."}},
        [(1, None, None, "One."), (2, None, None, "Two.")],
    ),
    ({"https://a.example.org": "One."}, [(1, None, None, "One.")]),
]


def test_documents_are_read_in_every_likely_shape(home: Home, tmp_path: Path) -> None:
    rows = [
        passages(number, ranked_retrieve_docs=listed, partial_answers=[])
        for number, (listed, _) in enumerate(SHAPES, start=1)
    ]
    assert _load(home, tmp_path, rows, count=len(rows)).quarantined == 0
    for number, (_, expected) in enumerate(SHAPES, start=1):
        assert (
            query(
                home,
                "select position, url, title, text from raw.documents "
                f"where question_id = 'debateqa:{number}' order by position",
            )
            == expected
        )


NO_PASSAGES = [
    (passages(2, ranked_retrieve_docs="text"), "ranked_retrieve_docs", "should be a list"),
    (
        {"question": "Should village 3 keep its fountain?"},
        "ranked_retrieve_docs",
        "should be a list of documents; found None",
    ),
    (passages(4, ranked_retrieve_docs=[7]), "ranked_retrieve_docs[0]", "object or a text"),
    (passages(5, ranked_retrieve_docs=[["nested"]]), "ranked_retrieve_docs[0]", "or a text"),
    (
        passages(6, ranked_retrieve_docs=[{"url": "http://a", "html": "<p>"}]),
        "ranked_retrieve_docs[0]",
        "has no text under any of text, content",
    ),
    (
        passages(7, ranked_retrieve_docs=[document(7, 1, text=" ")]),
        "ranked_retrieve_docs[0]",
        "it has 'title', 'url', 'text'",
    ),
    (passages(8, partial_answers="none"), "partial_answers", "should be a list"),
    (passages(9, partial_answers=[{"index": 1}]), "partial_answers[0]", "no point of view"),
    (passages(10, question=None), "question", "is missing, and so is id"),
    (passages(1), "question", "debateqa:1 has its documents already"),
]


def test_what_fits_no_known_shape_is_quarantined_by_its_name(home: Home, tmp_path: Path) -> None:
    rows = [passages(1), *(row for row, *_ in NO_PASSAGES)]
    report = _load(home, tmp_path, rows, count=len(rows), max_rejected=1)
    check_rejects(report.rejects, NO_PASSAGES, first=2)
    assert all(reject.file.endswith(PASSAGES) for reject in report.rejects)
    assert one(home, "select count(*) from raw.questions") == len(rows)


def test_a_file_of_another_shape_altogether_is_refused_with_its_first_lines(
    home: Home, tmp_path: Path
) -> None:
    with pytest.raises(TooManyRejected, match=f"{PASSAGES} was refused.*2 of 2") as caught:
        _load(home, tmp_path, [{"q": "?", "docs": []}, {"q": "?", "docs": []}])
    assert "is missing, and so is id" in str(caught.value)
    assert is_empty(home)


def test_what_the_data_set_does_not_hold_is_counted_and_not_loaded(
    home: Home, tmp_path: Path
) -> None:
    other = passages(8, question="Was removed by annotators?")
    said = [perspective(1, 1, point_of_view="In other words", index=1), perspective(1, 2)]
    report = _load(home, tmp_path, [other, passages(1, partial_answers=said)])
    assert report.quarantined == 0
    notes = [note.partition(PASSAGES)[2].removeprefix(": ") for note in report.notes]
    assert notes == [
        "passages of questions that the data set does not hold, not loaded: 1",
        "perspectives of the raw files that name no document: 1",
        "perspectives of the raw files that the data set words otherwise, left out: 1",
    ]
    assert one(home, "select count(distinct question_id) from raw.documents") == 1


def test_a_question_is_known_by_its_words_and_by_its_id_where_there_are_none(
    home: Home, tmp_path: Path
) -> None:
    by_words = passages(1, question="should  village 1 keep its fountain ?".replace(" ?", ""), id=2)
    by_id = {name: value for name, value in passages(2).items() if name != "question"} | {"id": 2}
    _load(home, tmp_path, [by_words, by_id])
    texts = (
        "select question_id, list(text order by position) from raw.documents group by 1 order by 1"
    )
    assert query(home, texts) == [
        ("debateqa:1", ["Text 1 about village 1.", "Text 2 about village 1."]),
        ("debateqa:2", ["Text 1 about village 2.", "Text 2 about village 2."]),
    ]


def test_passages_alone_are_refused_with_what_they_need(home: Home, tmp_path: Path) -> None:
    folder = release(tmp_path / "raw", {PASSAGES: [passages(1)]})
    for place in (folder, folder / PASSAGES):
        with pytest.raises(SourceUnreadable, match="say nothing without their questions"):
            ingest(home, "debateqa", place)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.Example.ORG/a?b", "org"),
        ("http://news.example.co.uk:8080", "uk"),
        ("https://example.gov.", "gov"),
        ("http://127.0.0.1/a", None),
        ("http://[::1", None),
        ("http://localhost/a", None),
        ("www.example.org", None),
        ("", None),
        (None, None),
    ],
)
def test_a_top_level_domain_is_the_last_part_of_a_host_that_has_one(
    url: str | None, expected: str | None
) -> None:
    found = Document("d:1", "d", "Some text.", url=url)
    assert found.top_level_domain == expected
