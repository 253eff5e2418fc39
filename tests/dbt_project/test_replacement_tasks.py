"""Panels, labels of dispute awareness and judgements of oversight as annotators of the test."""

from typing import Any

import pytest

from tests.dbt_project import oversight_data, question_data
from tests.dbt_project.compiled_models import Built, one, rows_of
from tests.dbt_project.parliamentary_data import Answer, Room, as_raw

SCORES = (75, 74, 78, 78, 75, 73, 80, 71)


def test_ballots_of_a_panel_are_annotations_of_each_place(built: Built) -> None:
    ballots = {"ann": (1, 2, 3, 4), "bob": (2, 1, 3, 4), "cy": (1, 2, 4, 3), "tim": (4, 3, 2, 1)}
    ballots["una"] = ballots["tim"]
    rooms = [
        Room(
            name,
            (1, 2, 3, 4),
            SCORES,
            {who: (ranks, SCORES) for who, ranks in ballots.items()}
            | {"half": ((1, 2), SCORES[:3])},
            # Asked twice, with another decision the second time; one house rank is unreadable.
            [
                Answer((1, 2, 3, 4), SCORES),
                Answer((1, 4, None, 2), SCORES, sample=1),
            ],
        )
        for name in ("r1", "r2")
    ]
    data = as_raw(rooms)
    data["raw"]["adjudicators"] = [
        {"debate_id": name, "adjudicator_id": "tim", "is_trainee": True} for name in ("r1", "r2")
    ]
    for row in data["raw"]["team_results"] + data["raw"]["speaker_results"]:
        row["extra"] = '{"is_ignored": true}' if row["decided_by"] == "una" else None
    models = built(**data)
    result = one(
        models,
        "from rpt_judge_replacement where dimension = 'house_ranks' and judge_id <> 'human' "
        "and epsilon = 0.1",
    )
    # The panel itself, the trainee, the ballot that the tab ignores and that of two houses are
    # nobody's.
    assert (result["n_annotators"], result["n_instances"], result["n_units"]) == (3, 8, 2)
    said = rows_of(models, "from int_replacement_judges where instance_id = 'r1#oo'")
    assert [row["value"] for row in said] == [3.0]
    # The judge says 1, 3, 3, 3 (means of what it could be read in). Beside ann, where the others are
    # (2, 1), (1, 2), (3, 4), (4, 3), it is farther off in the second place alone; beside bob in none.
    shares = {
        row["annotator_id"]: row["judge_win_share"]
        for row in rows_of(
            models,
            "from rpt_replacement_people where dimension = 'house_ranks' and epsilon = 0.1",
        )
    }
    assert shares == {"ann": 0.75, "bob": 1.0, "cy": 0.75}
    scores = one(
        models,
        "from rpt_judge_replacement where dimension = 'speaker_scores' and judge_id <> 'human' "
        "and epsilon = 0.1",
    )
    assert (scores["n_instances"], scores["advantage_probability"]) == (16, 1.0)
    (asked,) = models.execute(
        "select distinct question from int_decisions_replacement where dimension = 'house_ranks'"
    ).fetchall()
    assert "sit on panels (house ranks)" in asked[0]
    assert "houses og-oo-cg-co" in asked[0]


def test_labels_of_dispute_awareness_are_annotations_of_answers(built: Built) -> None:
    answers = [question_data.answer(f"q{number}", "x") for number in range(6)]
    labels = [
        question_data.label(each, who, int(who != "c" or number % 2 == 0))
        for number, each in enumerate(answers)
        for who in ("a", "b", "c")
    ]
    # Of two repeats that differ there is no label.
    scores = [
        question_data.score(each, float(sample == 0 or number > 0), sample=sample)
        for number, each in enumerate(answers)
        for sample in (0, 1)
    ]
    raw: dict[str, Any] = question_data.questions({f"q{number}": 2 for number in range(6)})
    models = built(raw=raw | {"answers": answers, "human_ratings": labels, "scores": scores})
    result = one(
        models,
        "from rpt_judge_replacement where task = 'questions' and judge_id <> 'human' "
        "and epsilon = 0.1",
    )
    assert (result["n_annotators"], result["n_instances"], result["missing_count"]) == (3, 5, 1)
    assert result["scoring"] == "accuracy"
    assert result["advantage_probability"] == 1.0


def test_people_who_judged_one_transcript_are_annotators_of_it(built: Built) -> None:
    names = [f"q{number}" for number in range(5)]
    data = oversight_data.stories({name: (f"s{name}", 0) for name in names})
    transcripts = [oversight_data.transcript(name) for name in names]
    people = [
        {
            "debate_id": each["transcript_id"],
            "judge_id": who,
            "mode": "read",
            "step": 3,
            "p_pro": 0.5 if (who, number) == ("c", 0) else 0.8,
            "judged_at": "2026-01-01",
        }
        for number, each in enumerate(transcripts)
        for who in ("a", "b", "c")
    ]
    judged = oversight_data.judgements(
        {
            "transcript_id": each["transcript_id"],
            "question_id": each["question_id"],
            "protocol": "debate",
            "p_answer_0": 0.3 if number == 4 else 0.7,
        }
        for number, each in enumerate(transcripts)
    )
    raw = data | {
        "oversight_transcripts": transcripts,
        "human_verdicts": people,
        "oversight_judgements": judged,
    }
    models = built(raw=raw)
    result = one(
        models,
        "from rpt_judge_replacement where task = 'oversight' and judge_id <> 'human' "
        "and epsilon = 0.1",
    )
    assert (result["dimension"], result["n_annotators"], result["n_instances"]) == ("debate", 3, 5)
    # Beside each person the judge loses the last of five alone.
    assert result["advantage_probability"] == pytest.approx(0.8)
