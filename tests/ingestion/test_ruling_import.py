"""Files of rulings made elsewhere: what they say, how, and what is refused."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from inference.parliamentary.rulings import ruling_text
from ingestion.errors import SourceUnreadable
from ingestion.imports import import_file
from ingestion.reparse import reparse
from tests.ingestion.ingestion_files import (
    check_kept,
    check_rejects,
    one,
    query,
    row_of,
    write_csv,
    write_jsonl,
    write_parquet,
)
from tests.ingestion.parliamentary_rows import add_debates
from warehouse.home import Home
from warehouse.records.bp import HOUSES, ROLES

SCORES = dict(zip(ROLES, (80, 77, 79.5, 76, 78, 74, 75, 73), strict=True))
BY_SCORE = sorted(ROLES, key=lambda role: -SCORES[role])
RANKS = {role: BY_SCORE.index(role) + 1 for role in ROLES}
HOUSE_RANKS = {"og": 1, "oo": 2, "cg": 4, "co": 3}
SUPPLIED = {"house_ranks": HOUSE_RANKS, "speaker_scores": SCORES, "speaker_ranks": RANKS}


def ruling(**changes: Any) -> dict[str, Any]:
    row = {"item": "a", "judge": "acme/one", "has_motion": True, "has_info_slide": False, **changes}
    return {name: value for name, value in row.items() if value is not None}


@pytest.fixture
def debates(home: Home) -> Home:
    add_debates(home, "bp:a", "bp:b", info_slide="Some facts.")
    return home


def values(home: Home, task: str) -> dict[str, float | None]:
    rows = query(home, f"select place, value from raw.adjudication_values where task = '{task}'")
    assert len(rows) == len(dict(rows))
    return dict(rows)


def test_values_that_are_given_are_taken_as_they_are_and_compared(
    debates: Home, tmp_path: Path
) -> None:
    row = ruling(
        **SUPPLIED,
        house_order="CO-CG-OO-OG",
        manual="wudc",
        tokens_in=31000,
        template="mine",
        response="unread",
        note="kept",
    )
    report = import_file(debates, write_jsonl(tmp_path / "r.jsonl", [row]))
    assert report.quarantined == 0
    stored = row_of(debates, "adjudications")
    expected = row | {
        "house_order": "co-cg-oo-og",
        "named_order": "co-cg-oo-og",
        "context_tokens": 31000,
        "is_context_exact": True,
        "strategy": "whole",
        "task": "all",
        "debate_id": "bp:a",
        "wording": "imported",
        "parse_status": "supplied",
    }
    check_kept(stored, expected)
    assert stored["extra"] == '{"note": "kept"}'
    for task, given in SUPPLIED.items():
        assert values(debates, task) == given
    # CG has 153 and CO 147, and CO is ranked above.
    assert query(debates, "select fault, detail from raw.adjudication_faults order by 1 desc") == [
        ("houses_tied_on_scores", "OO and CG both have 153"),
        ("houses_contradict_scores", "CO with 147 is above CG with 153"),
    ]
    hashes = "\n".join(f"hash-{role}" for role in ROLES)
    speeches = hashlib.sha256(hashes.encode()).hexdigest()[:16]
    whole = hashlib.sha256(f"{speeches}\nSome facts.".encode()).hexdigest()[:16]
    assert one(debates, "select item_hash from raw.adjudications") == whole
    # Nothing was read, so nothing is read again, and the same file changes nothing.
    assert (reparse(debates).changed, reparse(debates).read) == (0, 0)
    assert import_file(debates, tmp_path / "r.jsonl").tables["adjudications"].unchanged == 1


def test_a_reply_is_read_and_kept_with_its_faults(debates: Home, tmp_path: Path) -> None:
    whole = ruling_text("all", HOUSES, SCORES, BY_SCORE)
    rows = [
        ruling(task="all", response=whole),
        ruling(task="house_ranks", response="First: OG\nSecond: OG\nThird: CO", sample=2),
        ruling(task="speaker_scores", response=""),
    ]
    import_file(debates, write_jsonl(tmp_path / "r.jsonl", rows))
    assert query(
        debates,
        "select task, house_order, manual, parse_status, parse_reason "
        "from raw.adjudications order by task",
    ) == [
        ("all", "unknown", "unknown", "parsed", None),
        ("house_ranks", "unknown", "unknown", "unparsed", "house_twice"),
        ("speaker_scores", "unknown", "unknown", "unparsed", "empty_response"),
    ]
    assert one(debates, "select count(*) from raw.adjudication_values") == 20 + 4 + 8
    assert reparse(debates).read == 3


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_every_encoding_and_both_ways_of_writing_say_the_same(
    debates: Home, tmp_path: Path, kind: str
) -> None:
    by_place = ruling(
        task="all", **HOUSE_RANKS, **SCORES, speaker_ranks=str(BY_SCORE).replace("'", '"')
    )
    ranks = ruling(task="speaker_ranks", judge="acme/two", **RANKS)
    rows = [{name: each.get(name) for name in by_place} for each in (by_place, ranks)]
    write = {"csv": write_csv, "jsonl": write_jsonl, "parquet": write_parquet}[kind]
    report = import_file(debates, write(tmp_path / f"r.{kind}", rows))
    assert [reject.sentence for reject in report.rejects] == []
    found = query(
        debates,
        "select judge_id, given.task, place, value from raw.adjudication_values as given "
        "inner join raw.adjudications using (run_id, request_id)",
    )
    assert len(found) == 28
    assert {(judge, task, place): value for judge, task, place, value in found} == {
        ("acme/one", task, place): value
        for task, given in SUPPLIED.items()
        for place, value in given.items()
    } | {("acme/two", "speaker_ranks", role): rank for role, rank in RANKS.items()}


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"house_ranks": ["og", "og", "oo", "co"]}, "house_ranks", "names og twice"),
    ({"house_ranks": ["og", "oo", "co"]}, "house_ranks", "does not name cg"),
    ({"house_ranks": {"og": 1, "oo": 1, "cg": 2, "co": 3}}, "house_ranks", "is no ranking"),
    ({"house_ranks": "og, oo, cg, co"}, "house_ranks", "is no JSON"),
    ({"house_ranks": 3}, "house_ranks", "is neither a list nor an object"),
    ({"speaker_scores": {**SCORES, "pm": 49}}, "speaker_scores", "gives pm 49"),
    ({"speaker_scores": {**SCORES, "pm": "good"}}, "speaker_scores", "gives pm 'good'"),
    ({"speaker_scores": {**SCORES, "pm": True}}, "speaker_scores", "gives pm 'True'"),
    ({"speaker_scores": {"pm": 80}}, "speaker_scores", "does not name lo, dpm"),
    ({"speaker_scores": [80]}, "speaker_scores", "should be an object"),
    ({"speaker_ranks": {**RANKS, "og": 9}}, "speaker_ranks", "names 'og'"),
    ({"task": "winner", "response": "First: OG"}, "task", "house_ranks"),
    ({"response": "First: OG"}, "task", "is missing; expected one of house_ranks"),
    ({"task": "all"}, "response", "is missing, and so is what was ruled"),
    ({"task": "all", "house_ranks": list(HOUSES)}, "task", "and the row gives house_ranks"),
    ({"house_ranks": list(HOUSES), "og": 1}, "og", "is there beside 'house_ranks'"),
    ({"house_ranks": list(HOUSES), "house_order": "og-co"}, "house_order", "in an order"),
    ({"house_ranks": list(HOUSES), "has_motion": None}, "has_motion", "is missing"),
    ({"house_ranks": list(HOUSES), "item": "c"}, "item", "unknown parliamentary debate 'c'"),
    ({"house_ranks": list(HOUSES), "item": "b"}, "item", "duplicate key"),
    ({"house_ranks": list(HOUSES), "judge": "one"}, "judge", "should be provider/model"),
]


def test_what_is_no_ruling_is_quarantined_with_its_reason(debates: Home, tmp_path: Path) -> None:
    first = ruling(item="b", house_ranks=list(HOUSES))
    rows = [first, *(ruling(**changes) for changes, _, _ in REFUSED)]
    path = write_jsonl(tmp_path / "r.jsonl", rows)
    report = import_file(debates, path, wanted_format="rulings", max_rejected=1)
    check_rejects(report.rejects, REFUSED, first=2)
    assert one(debates, "select count(*) from raw.adjudications") == 1


def test_a_table_without_what_the_judge_was_shown_is_refused(debates: Home, tmp_path: Path) -> None:
    row = ruling(house_ranks=str(list(HOUSES)), has_info_slide=None)
    with pytest.raises(SourceUnreadable, match="lacks the column 'has_info_slide'"):
        import_file(debates, write_csv(tmp_path / "r.csv", [row]))
