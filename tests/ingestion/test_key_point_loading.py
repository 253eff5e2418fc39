"""Loading an analysis of key points: in the place of the last, and nothing where nothing changed."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from inference.speeches.keypoints.pipeline import PIPELINE, Analysis, Task, Tools, limits_for
from ingestion.errors import UnknownSource
from ingestion.speeches.justifications import current_replies
from ingestion.speeches.load_key_points import load_key_points
from tests.ingestion.conftest import NewHome
from warehouse.home import Home
from warehouse.raw import append_rows
from warehouse.writer import open_writer

REASONS = ("The structure is clear.", "The order is clear, but the claims lack evidence.")


def analyse(home: Home, name: str, rows: list[dict[str, Any]], threshold: float) -> None:
    task = Task(name, "d", "t", limits=limits_for("tfidf", threshold))
    tools = Tools(home.key_points / "replies")
    PIPELINE.run_all(Analysis(home.key_points / name, task, tools, rows))


def counts(home: Home) -> dict[str, int]:
    with duckdb.connect(str(home.build_db)) as connection:
        return dict(
            connection.execute(
                "select analysis_id, count(*) from raw.key_point_sentences group by 1"
            ).fetchall()
        )


@pytest.fixture
def home(new_home: NewHome, tmp_path: Path) -> Home:
    home = new_home(tmp_path)
    with open_writer(home, "test") as connection:
        shared = "'d' as dataset_id, 'x' as _source_file, now() as _loaded_at"
        append_rows(
            connection,
            "debates",
            f"select 'm' as debate_id, 'M' as motion, 'f' as format, {shared}",
        )
        append_rows(
            connection,
            "speeches",
            "select unnest(['i', 'k']) as item_id, 'm' as debate_id, 's' as source, 't' as text, "
            f"1 as word_count, 'h' as item_hash, {shared}",
        )
        for run, item, hashed, at, status in (
            ("r1", "i", "h", "2026-01-01", "answered"),
            ("r2", "i", "h", "2026-01-02", "answered"),
            ("r3", "i", "h", "2026-01-03", "failed"),
            ("r4", "i", "old", "2026-01-04", "answered"),
            ("r5", "k", "h", "2026-01-01", "failed"),
        ):
            append_rows(
                connection,
                "scores",
                "select ? as run_id, ? as request_id, 'e' as experiment, 'j' as judge_id, "
                "'s' as settings_hash, ? as item_id, ? as item_hash, 't' as template, "
                "'w' as wording, 'good' as dimension, 0 as sample, ? as response, "
                "? as request_status, 'parsed' as parse_status, ? as answered_at, "
                f"{shared}",
                [run, f"q-{run}", item, hashed, REASONS[1], status, at],
            )
    return home


def test_the_latest_answer_about_the_speech_as_it_is_counts(home: Home) -> None:
    rows = current_replies(home, "d", "t")
    assert [(row["request_id"], row["item_id"], row["motion"]) for row in rows] == [
        ("q-r2", "i", "M")
    ]
    with pytest.raises(UnknownSource, match="those who did are j"):
        current_replies(home, "d", "t", judges=["other"])
    with pytest.raises(UnknownSource, match="there are no replies"):
        current_replies(home, "d", "none")


def test_an_analysis_takes_the_place_of_the_last_and_leaves_others_alone(home: Home) -> None:
    (one,) = current_replies(home, "d", "t")
    two = {**one, "request_id": "q-2", "response": REASONS[0]}
    analyse(home, "a", [one, two], 0.5)
    analyse(home, "b", [one], 0.5)
    assert load_key_points(home, "a").new > 0
    load_key_points(home, "b")
    assert load_key_points(home, "a").load_id is None
    before = counts(home)
    labelled = next(name for name in before if name.startswith("labelled/"))
    assert before == {"a": 3, "b": 2, labelled: before[labelled]}
    # Another threshold for both: the labelled set is there with the new method alone.
    for name in ("a", "b"):
        analyse(home, name, [one], 0.9)
        load_key_points(home, name)
    after = counts(home)
    assert labelled not in after
    assert {name: count for name, count in after.items() if "/" not in name} == {"a": 2, "b": 2}
    with duckdb.connect(str(home.build_db)) as connection:
        assert connection.execute(
            "select dimension, is_labelled, count(*) from raw.key_point_analyses group by all "
            "order by all"
        ).fetchall() == [("good", False, 2), (None, True, 1)]
