"""Human judgements of model debates: probabilities by place, and the documented exclusions."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import SourceUnreadable, TooManyRejected, UnknownSource
from ingestion.ingest import ingest
from tests.ingestion.debate_files import removed_by
from tests.ingestion.ingestion_files import one, query, write_csv
from warehouse.home import Home


def judged(debate_id: int, **changes: Any) -> dict[str, Any]:
    """Return a row: the judge gives the right answer, which is shown first, 80 percent."""
    transcript = {
        "question": "Who rang?",
        "swap": changes.get("swap", False),
        "answers": {"correct": "the maid", "incorrect": "the smith"},
        "names": {"correct": "Debater A", "incorrect": "Debater B"},
        "rollout_type": "quality_sim",
        "rounds": [
            {
                "correct": "The maid. <quote>A bell</quote>",
                "incorrect": "The smith.",
                "type": "sim",
            },
            {"judge": "Which bell?", "correct": "Hers.", "incorrect": "His.", "type": "sim"},
        ],
    }
    row: dict[str, Any] = json.loads("""{
        "judge_id": 1, "experiment_name": "Experiment 8a", "story_title": "The Bell",
        "question": "Who rang?", "debate_method": "debate", "consultant_type": "",
        "interactive_judge": "False", "debater_config": "configs/best16.yaml", "swap": "False",
        "turns_used": "2", "correct": "True", "confidence_correct": "80",
        "judgement_time": "2024-01-10 09:30:00", "explanation": "The bell was hers.",
        "context_required": "2.0"
    }""")
    row |= {"debate_id": debate_id, "transcript": json.dumps(transcript)}
    row |= changes
    if "rounds" in row:
        row["transcript"] = json.dumps(transcript | {"rounds": row.pop("rounds")})
    return row


def loaded(home: Home, folder: Path, rows: list[dict[str, Any]], **settings: str) -> None:
    path = write_csv(folder / "human_feedback.csv", rows)
    ingest(home, "llm-debate-humans", path, settings=settings, max_rejected=0.0)


def test_the_answer_shown_first_is_pro_whichever_is_right(home: Home, tmp_path: Path) -> None:
    told = [{"incorrect": "The smith.", "type": "sim"}]
    wrong = {"correct": "False", "swap": "True", "confidence_correct": "30"}
    advised = {"debate_method": "consultancy", "consultant_type": "incorrect", "turns_used": "1"}
    naive = {"debate_method": "baseline", "experiment_name": "Experiment 9", "turns_used": ""}
    unsure = {"interactive_judge": "", "confidence_correct": "50", "correct": "False"}
    rows = [
        judged(1),
        judged(2, **wrong, interactive_judge="True"),
        judged(3, **advised, rounds=told, swap="True"),
        judged(4, **naive, **unsure, rounds=[]),
    ]
    loaded(home, tmp_path, rows)
    assert query(
        home,
        "select protocol, mode, step, p_pro, choice, winner from raw.human_verdicts "
        "join raw.debate_outcomes using (debate_id) where criterion = 'correct_answer' "
        "and is_final order by debate_id",
    ) == [
        ("debate", "read", 2, 0.8, "pro", "pro"),
        ("debate", "live", 2, 0.7, "pro", "con"),
        ("consultancy", "read", 1, 0.2, "con", "con"),
        ("naive", "read", 0, 0.5, "tie", "pro"),
    ]
    names = "extra ->> '$.argued_answer', extra ->> '$.is_ai', extra ->> '$.turn_order'"
    assert query(home, f"select format, {names} from raw.debates order by debate_id") == [
        ("story-debate", None, "true", "simultaneous"),
        ("story-debate", None, "true", "simultaneous"),
        ("story-consultancy", "0", "true", None),
        ("story-naive", None, None, None),
    ]
    speeches = "select round, side, speaker_role, text from raw.speeches where debate_id = '{}' order by speech_order"
    assert query(home, speeches.format("llm-debate-humans:2")) == [
        ("1", "pro", "debater", "The smith."),
        ("1", "con", "debater", "The maid. <quote>A bell</quote>"),
        ("2", None, "judge", "Which bell?"),
        ("2", "pro", "debater", "His."),
        ("2", "con", "debater", "Hers."),
    ]
    assert query(home, speeches.format("llm-debate-humans:3")) == [
        ("1", "pro", "debater", "The smith."),
    ]
    # Judged once, they count; other judges read debates with two sides alone.
    assert list(removed_by(home).values()) == ["kept", "kept", "one_sided", "one_sided"]
    counted = "select count(*) from raw.debates where extra::json->>'included_in_paper' = 'true'"
    assert one(home, counted) == 4


def test_each_documented_exclusion_is_a_rule_and_nothing_is_dropped(
    home: Home, tmp_path: Path
) -> None:
    cases: list[tuple[str, dict[str, str]]] = [
        ("test_phase_judge", {"judge_id": "37"}),
        ("worst_argument", {"experiment_name": "Experiment 5_v0", "swap": "True"}),
        ("preference_model", {"experiment_name": "Experiment 8_v0"}),
        ("context_required", {"experiment_name": "Experiment 1", "context_required": "1.4"}),
        ("cutoff", {"judgement_time": "2024-01-25 00:00:01"}),
        ("experiment", {"experiment_name": "Experiment 5_v0"}),
        ("experiment", {"experiment_name": "Experiment 10"}),
        ("kept", {"judgement_time": "2024-01-24 23:59:59"}),
        ("kept", {"experiment_name": "Experiment 9"}),
        ("experiment", {"experiment_name": "Experiment 5", "swap": "True"}),
    ]
    rows = [judged(number, **changes) for number, (_, changes) in enumerate(cases, start=1)]
    loaded(home, tmp_path, rows)
    found = removed_by(home)
    assert [found[str(number)] for number in range(1, 11)] == [rule for rule, _ in cases]
    assert query(
        home,
        "select list(debate_id order by debate_id) from raw.debates "
        "where (extra::json ->> '$.included_in_paper')::boolean",
    ) == [(["llm-debate-humans:8", "llm-debate-humans:9"],)]
    loaded(home, tmp_path, rows, experiments="any", cutoff="any")
    kept = [name for name, rule in removed_by(home).items() if rule == "kept"]
    assert len(kept) == 6


def test_shares_and_percentages_are_told_apart_by_the_whole_file(
    home: Home, tmp_path: Path
) -> None:
    rows = [
        judged(1, confidence_correct="1.0"),
        judged(2, confidence_correct="0.01", correct="False"),
    ]
    probabilities = "select p_pro from raw.human_verdicts order by debate_id"
    loaded(home, tmp_path, rows)
    assert query(home, probabilities) == [(1.0,), (0.01,)]
    # Read as percentages, one of them contradicts what the row says of being right.
    with pytest.raises(TooManyRejected, match="should agree with the confidence"):
        loaded(home, tmp_path, rows, scale="percent")
    loaded(home, tmp_path, [*rows[1:], judged(1, confidence_correct="99")])
    assert query(home, probabilities) == [(0.99,), (0.0001,)]


def test_what_cannot_be_read_is_rejected_with_its_reason(home: Home, tmp_path: Path) -> None:
    rows = [judged(number) for number in range(100, 200)]
    rows += [
        judged(1, transcript="{"),
        judged(2, debate_method="duel"),
        judged(3, debate_method="consultancy"),
        judged(100),
        judged(5, confidence_correct="many"),
    ]
    content = io.StringIO()
    writer = csv.DictWriter(content, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    archive = tmp_path / "human_feedback.csv.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("human_feedback.csv", content.getvalue())
    report = ingest(home, "llm-debate-humans", archive)
    assert [reject.field for reject in report.rejects] == [
        "transcript",
        "debate_method",
        "consultant_type",
        "debate_id",
        "confidence_correct",
    ]
    assert "kept: 100" in report.notes
    pointer = tmp_path / "pointer" / "human_feedback.csv.zip"
    pointer.parent.mkdir()
    pointer.write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(SourceUnreadable, match="Git LFS"):
        ingest(home, "llm-debate-humans", pointer)
    with pytest.raises(UnknownSource, match="cutoff should be a day"):
        ingest(home, "llm-debate-humans", archive, settings={"cutoff": "24 January"})
