"""Loading files of speeches: the limit on rejects, one debate a motion, the same in any format."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.errors import TooManyRejected
from ingestion.ingest import ingest
from tests.ingestion.conftest import NewHome
from tests.ingestion.ingestion_files import (
    one,
    query,
    speech,
    speeches,
    unchanged,
    write_csv,
    write_jsonl,
    write_parquet,
)
from warehouse.home import Home

SCORES, RATERS = "goodopeningspeech", "labeler_ids"


def test_half_a_surrogate_pair_in_a_reason_is_quarantined(home: Home, tmp_path: Path) -> None:
    rows = [speech(0), speech(1, **{"#labelers": "\ud800"})]
    (reject,) = ingest(
        home, "speeches", write_jsonl(tmp_path / "a.jsonl", rows), max_rejected=1
    ).rejects
    assert (reject.field, query(home, "select field from raw.quarantine")) == (
        "#labelers",
        [("#labelers",)],
    )


def test_a_refused_file_shows_its_first_rejects_and_loads_nothing(
    home: Home, tmp_path: Path
) -> None:
    ingest(home, "speeches", write_csv(tmp_path / "good.csv", speeches(4)))
    with unchanged(home):
        rows = speeches(20)
        rows[7]["goodopeningspeech"] = "[9, 9, 9]"
        rows[8]["text"] = ""
        bad = write_csv(tmp_path / "bad.csv", rows)
        with pytest.raises(TooManyRejected) as caught:
            ingest(home, "speeches", bad)
        message = str(caught.value)
        assert "bad.csv was refused and nothing of it loaded: 2 of 20 records" in message
        assert "at most 5% may" in message
        assert (
            "record 8 (line 16), field 'goodopeningspeech': is off the scale 1 to 5: 9" in message
        )
        assert "record 9 (line 18), field 'text': should not be blank" in message


def test_within_the_limit_the_rest_loads_and_the_bad_is_quarantined(
    home: Home, tmp_path: Path
) -> None:
    rows = speeches(20)
    rows[3]["goodopeningspeech"] = "[9, 3, 1]"
    report = ingest(home, "speeches", write_csv(tmp_path / "a.csv", rows))
    assert report.quarantined == 1
    assert report.tables["human_ratings"].new == 59
    load_id, source, file, record, field, reason, original, _ = query(home, "from raw.quarantine")[
        0
    ]
    assert (load_id, source, record, field) == (
        1,
        "speeches",
        "record 4 (line 8)",
        "goodopeningspeech",
    )
    assert file == one(home, "select file from raw.loads")
    assert "off the scale" in reason
    assert json.loads(original) == {
        "item": "speeches:s-3",
        "annotator": "speeches:rater-11",
        "goodopeningspeech": 9,
    }


def test_a_swallowed_part_of_the_file_counts_in_full(home: Home, tmp_path: Path) -> None:
    # One lost quote: one bad record to the csv module, half of the file to its owner.
    content = write_csv(tmp_path / "a.csv", speeches(40)).read_bytes()
    middle = content.index(b"s-20,")
    end = content.index(b"\r\n", content.index(b"shade", middle))
    path = tmp_path / "b.csv"
    path.write_bytes(content[:end].replace(b'"Speech 20.', b'"Speech "20.') + content[end:])
    assert ingest(home, "speeches", path, max_rejected=0.2).tables["speeches"].new == 39
    path.write_bytes(content[:middle] + b'x"' + content[middle:].replace(b'"', b""))
    with pytest.raises(TooManyRejected):
        ingest(home, "speeches", path, max_rejected=0.2)


def test_csv_json_lines_and_parquet_say_the_same(home: Home, tmp_path: Path) -> None:
    rows = speeches(6)
    native = [
        {
            **row,
            SCORES: json.loads(row[SCORES]),
            RATERS: json.loads(row[RATERS]),
            "topic_id": int(row["topic_id"]),
            "#labelers": 3,
        }
        for row in rows
    ]
    ingest(home, "speeches", write_csv(tmp_path / "a.csv", rows))
    with unchanged(home):
        for path in (
            write_jsonl(tmp_path / "a.jsonl", native),
            write_parquet(tmp_path / "a.parquet", native),
            write_parquet(tmp_path / "b.parquet", rows),
        ):
            assert ingest(home, "speeches", path).load_id is None


def test_unrated_speeches_join_the_debates_that_are_there(home: Home, tmp_path: Path) -> None:
    ingest(home, "speeches", write_csv(tmp_path / "a.csv", speeches(4)))
    unrated = [
        {
            "id": f"g-{n}",
            "topic": f" we should plant TREE number {n} ",
            "source": "gpt",
            "text": "T",
        }
        for n in range(3)
    ]
    report = ingest(home, "speeches", write_csv(tmp_path / "b.csv", unrated))
    assert report.tables["speeches"].new == 3
    assert report.tables["debates"].new == 1
    joined = dict(query(home, "select item_id, debate_id from raw.speeches where source = 'gpt'"))
    assert joined["speeches:g-0"] == "speeches:topic-100"
    assert joined["speeches:g-1"] == "speeches:topic-101"
    assert joined["speeches:g-2"].startswith("speeches:motion-")


def test_the_order_of_the_two_files_does_not_matter(new_home: NewHome, tmp_path: Path) -> None:
    rated = write_csv(tmp_path / "rated.csv", speeches(6))
    unrated = write_csv(
        tmp_path / "unrated.csv",
        [
            {
                "id": f"g-{n}",
                "topic": f"We should plant tree number {n}",
                "source": "gpt",
                "text": f"Text {n}",
            }
            for n in range(5)
        ],
    )
    columns = "item_id, debate_id, source, text, item_hash"
    contents = []
    for number, order in enumerate(([rated, unrated], [unrated, rated])):
        home = new_home(tmp_path / f"home-{number}")
        for path in order:
            ingest(home, "speeches", path)
        contents.append(
            (
                query(home, f"select {columns} from raw.speeches order by all"),
                query(home, "select debate_id, motion from raw.debates order by all"),
                (home.items / "speeches" / "current.json").read_bytes(),
            )
        )
        for path in order:
            assert ingest(home, "speeches", path).load_id is None
    assert contents[0] == contents[1]


_WORDS = st.text(
    st.one_of(st.sampled_from('",\r\n\0 x'), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=40,
).filter(lambda text: not text.isspace() and text.strip())


@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(_WORDS, min_size=2, max_size=20),
    order=st.randoms(use_true_random=False),
)
def test_any_text_comes_through_in_any_row_order(
    new_home: NewHome, tmp_path_factory: pytest.TempPathFactory, texts: list[str], order: Any
) -> None:
    folder = tmp_path_factory.mktemp("any")
    rows = [speech(number, text=text) for number, text in enumerate(texts)]
    contents = []
    for name in ("as-is", "shuffled"):
        home = new_home(folder / name)
        ingest(home, "speeches", write_csv(folder / f"{name}.csv", rows))
        stored = dict(query(home, "select item_id, text from raw.speeches"))
        assert stored == {f"speeches:s-{n}": text for n, text in enumerate(texts)}
        contents.append((home.items / "speeches" / "current.json").read_bytes())
        order.shuffle(rows)
    assert contents[0] == contents[1]
