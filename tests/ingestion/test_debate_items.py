"""What judges may read of debates: nothing of who won, and nothing said after the last debater."""

from pathlib import Path

from ingestion.debates.turns import debate_hash
from ingestion.ingest import ingest
from tests.ingestion.debate_files import (
    ddo_debate,
    ddo_file,
    iq2_debate,
    polls,
    votes,
    write_json,
)
from tests.ingestion.ingestion_files import item_rows, pointer, query
from warehouse.home import Home


def test_a_debate_is_a_row_with_its_turns_in_order(home: Home, tmp_path: Path) -> None:
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(), "b": ddo_debate(votes=[])}))
    (row,) = item_rows(home, "ddo", "debates")
    turns = row.pop("turns")
    assert turns[0] == {
        "speech_order": 1,
        "round": "1",
        "side": "pro",
        "speaker_role": "debater",
        "text": "Pro in round 1, with reasons.",
        "word_count": 6,
    }
    assert [turn["speech_order"] for turn in turns] == [1, 2, 3, 4, 5, 6]
    (hashed,) = query(home, f"from ({debate_hash('raw.speeches')}) where debate_id = 'ddo:a'")
    about = {"debate_id": "ddo:a", "item_hash": hashed[1], "dataset_id": "ddo", "rounds": 3}
    about |= {"motion": "Trees think", "context": None, "category": "Science"}
    words = {"words_pro": 18, "words_con": 18, "words_other": 0}
    assert row == about | words | {"format": "debate.org", "end_side": "con"}
    assert pointer(home, "ddo")["debate_rows"] == 1


def test_who_won_is_in_the_reference_file_alone(home: Home, tmp_path: Path) -> None:
    ingest(home, "ddo", ddo_file(tmp_path, {"a": ddo_debate(votes=votes(1, 9))}))
    (row,) = item_rows(home, "ddo", "debates_reference")
    about = {"debate_id": "ddo:a", "criterion": "more_convincing_arguments", "winner": "con"}
    votes_of = {"votes_pro": 1, "votes_con": 9, "votes_tie": 0, "margin": 8.0}
    assert row == about | votes_of | {"decided_by": "audience_votes"}
    path = home.items / "ddo" / pointer(home, "ddo")["debates"]
    # Other votes change nothing that judges read, down to the file's name.
    ingest(home, "ddo", ddo_file(tmp_path / "later", {"a": ddo_debate(votes=votes(9, 1))}))
    assert home.items / "ddo" / pointer(home, "ddo")["debates"] == path
    assert item_rows(home, "ddo", "debates_reference")[0]["winner"] == "pro"


def test_what_the_host_says_after_the_last_debater_is_not_shown(home: Home, tmp_path: Path) -> None:
    path = write_json(tmp_path / "iq2_data_release.json", {"a": iq2_debate()})
    ingest(home, "iq2", path)
    (row,) = item_rows(home, "iq2", "debates")
    assert [turn["speaker_role"] for turn in row["turns"]] == [
        "host",
        "moderator",
        "debater",
        "debater",
        "audience",
        "debater",
        "debater",
    ]
    assert "the winner" not in str(row["turns"])
    assert (row["words_pro"], row["words_con"], row["words_other"]) == (6, 5, 7)
    # The hash is that of the whole debate, as the marts know it.
    (hashed,) = query(home, debate_hash("raw.speeches"))
    assert row["item_hash"] == hashed[1]


def test_a_filter_that_changes_changes_what_is_shown(home: Home, tmp_path: Path) -> None:
    path = ddo_file(tmp_path, {"a": ddo_debate(), "b": ddo_debate(votes=votes(2, 1))})
    ingest(home, "ddo", path)
    assert [row["debate_id"] for row in item_rows(home, "ddo", "debates")] == ["ddo:a"]
    ingest(home, "ddo", path, settings={"margin": "0"})
    assert [row["debate_id"] for row in item_rows(home, "ddo", "debates")] == ["ddo:a", "ddo:b"]


def test_a_data_set_whose_debates_are_all_removed_points_to_none(
    home: Home, tmp_path: Path
) -> None:
    tie = iq2_debate(results=polls((1, 2), (1, 2)))
    ingest(home, "iq2", write_json(tmp_path / "iq2_data_release.json", {"a": tie}))
    assert "debates" not in pointer(home, "iq2")
    assert list((home.items / "iq2").glob(".*")) == []
