"""Debates about stories that tests only need to be there."""

import json

from warehouse.home import Home
from warehouse.raw import append_rows
from warehouse.writer import open_writer


def add_transcript(home: Home, transcript_id: str, question_id: str) -> None:
    """Put a complete debate of three rounds into the build database, without its turns.

    Args:
        home: The home.
        transcript_id: The transcript.
        question_id: Its question, the data set's name before a colon.
    """
    row = json.loads("""{
        "run_id": "r", "request_id": "q", "experiment": "e", "judge_id": "lab/model",
        "settings_hash": "s", "template": "t", "wording": "w", "protocol": "debate",
        "turn_order": "simultaneous", "is_interactive": false, "round_count": 3,
        "argued_answer": 0, "best_of": 1, "refine_count": 0, "sample": 0, "status": "complete",
        "transcript_hash": "whole", "request_status": "answered", "_source_file": "f",
        "_loaded_at": "2026-01-01"
    }""")
    row |= {"transcript_id": transcript_id, "question_id": question_id}
    row["dataset_id"] = question_id.partition(":")[0]
    columns = ", ".join(f"? as {name}" for name in row)
    with open_writer(home, "add transcript") as connection:
        append_rows(connection, "oversight_transcripts", f"select {columns}", list(row.values()))
