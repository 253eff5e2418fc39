"""Answers in other tools' formats: told by content, every row with its place, nothing guessed."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.formats import FORMATS
from ingestion.imports import import_file
from tests.ingestion.answer_files import (
    DEBATES,
    generated,
    import_lines,
    load_debates,
    multiple_choice,
    pair,
    results,
    single,
)
from tests.ingestion.ingestion_files import (
    check_rejects,
    one,
    query,
    unchanged,
    write_jsonl,
)
from tests.ingestion.score_rows import JUDGE, score_row
from warehouse.home import Home


def test_fastchat_scores_keep_judge_prompt_and_place(loaded: Home, tmp_path: Path) -> None:
    rows = [single(0), single(1, turn=2, judge=["claude-v1", "single-v1-multi-turn"])]
    report = import_lines(loaded, tmp_path, rows)
    assert list(report.notes) == ["read as fastchat"]
    columns = "item_id, judge_id, template, value, parse_status, source_record"
    assert query(loaded, f"select {columns} from raw.scores order by item_id") == [
        ("speeches:s-0", "openai/gpt-4", "single-v1", 4, "supplied", "line 1"),
        ("speeches:s-1", "anthropic/claude-v1", "single-v1-multi-turn:2", 4, "supplied", "line 2"),
    ]
    assert query(loaded, "select distinct response, answered_at from raw.scores") == [
        ("It is fine. Rating: [[4]]", datetime(2023, 11, 19, 4, 17, 28, 500000))
    ]


def test_what_fastchat_could_not_read_or_ask_is_no_score(loaded: Home, tmp_path: Path) -> None:
    rows = [single(0, score=-1), single(1, score=-1, judgment="$ERROR$")]
    import_lines(loaded, tmp_path, rows)
    columns = "value, request_status, error_kind, parse_status, parse_reason, response"
    assert query(loaded, f"select {columns} from raw.scores order by item_id") == [
        (None, "answered", None, "unparsed", "unread_at_source", "It is fine. Rating: [[4]]"),
        (None, "error", "server", "not_answered", None, None),
    ]


def test_a_fastchat_pair_is_two_verdicts_with_either_side_first(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    rows = [
        pair(0),
        pair(1, g1_winner="tie", g2_winner="error"),
        pair(2, g1_judgment="$ERROR$", g1_winner="error"),
    ]
    report = import_lines(home, tmp_path, rows)
    assert report.quarantined == 0
    columns = "winner, first_side, parse_status, parse_reason, error_kind, source_record"
    assert query(
        home, f"select {columns} from raw.verdicts order by debate_id, first_side desc"
    ) == [
        ("pro", "pro", "supplied", None, None, "line 1"),
        ("con", "con", "supplied", None, None, "line 1"),
        ("tie", "pro", "supplied", None, None, "line 2"),
        (None, "con", "unparsed", "unread_at_source", None, "line 2"),
        (None, "pro", "not_answered", None, "server", "line 3"),
        ("con", "con", "supplied", None, None, "line 3"),
    ]


def test_a_bad_game_of_a_fastchat_pair_leaves_the_other(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    rows = [pair(0, g1_winner="A"), pair(1, g2_judgment=7), pair(2, g1_winner=["model_1"])]
    report = import_lines(home, tmp_path, rows, max_rejected=1)
    assert [each.field for each in report.rejects] == ["g1_winner", "g2_judgment", "g1_winner"]
    assert query(
        home, "select source_record, first_side, winner from raw.verdicts order by source_record"
    ) == [("line 1", "con", "con"), ("line 2", "pro", "pro"), ("line 3", "con", "con")]


def test_what_both_games_of_a_fastchat_pair_share_is_refused_once(
    home: Home, tmp_path: Path
) -> None:
    load_debates(home, tmp_path)
    report = import_lines(home, tmp_path, [pair(0), pair(1, tstamp="soon")], max_rejected=0.9)
    assert [each.field for each in report.rejects] == ["tstamp"]


def test_a_fastchat_item_may_be_the_question_with_its_model(loaded: Home, tmp_path: Path) -> None:
    row = single(0, question_id="s", model="0")
    rows = [row, single(1)]
    report = import_lines(loaded, tmp_path, rows, max_rejected=0.5)
    # The name of the item is s-0, not s:0.
    assert [each.record for each in report.rejects] == ["record 1 (line 1)"]
    assert "unknown item 's'" in report.rejects[0].reason
    study = tmp_path / "items.jsonl"
    write_jsonl(study, [{"item": "81:vicuna", "text": "Answer"}])
    ratings = write_jsonl(
        tmp_path / "ratings.jsonl", [{"item": "81:vicuna", "annotator": "a", "value": 3}]
    )
    from ingestion.ingest import ingest_study
    from ingestion.speeches.readers.study import Study

    ingest_study(loaded, Study("mt", study, ratings, "Good?", 1, 10, {}))
    rows = [single(0, question_id=81, model="vicuna", score=9)]
    assert import_lines(loaded, tmp_path, rows, name="b.jsonl").quarantined == 0
    assert query(loaded, "select item_id, value from raw.scores where dataset_id = 'mt'") == [
        ("mt:81:vicuna", 9.0)
    ]


SAMPLES = "samples_speech_score_2026-03-01T12-00-00.000001.jsonl"


def test_lm_eval_replies_are_read_and_their_judge_is_in_the_file_beside(
    loaded: Home, tmp_path: Path
) -> None:
    (tmp_path / "results_2026-03-01T12-00-00.000001.json").write_text(json.dumps(results()))
    (tmp_path / "results_2026-01-01T12-00-00.000001.json").write_text("{}")
    rows = [
        generated(0),
        generated(1, "I think 3", filtered_resps=["3"], filter="digits"),
        generated(2, "no idea", filtered_resps=["[invalid]"]),
        generated(3, resps=[["<score>1</score>", "<score>2</score>"]], filtered_resps=["x"]),
    ]
    report = import_lines(loaded, tmp_path, rows, name=SAMPLES)
    assert (list(report.notes), report.quarantined) == (["read as lm-eval"], 0)
    assert query(loaded, "select distinct judge_id from raw.scores") == [("local/org/tiny-model",)]
    columns = "item_id[10:], template, sample, value, parse_status, parse_reason, source_record"
    assert query(loaded, f"select {columns} from raw.scores order by item_id, sample") == [
        ("s-0", "speech_score", 0, 4.0, "parsed", None, "line 1"),
        ("s-1", "speech_score:digits", 0, 3.0, "supplied", None, "line 2"),
        ("s-2", "speech_score", 0, None, "unparsed", "no_score_tag", "line 3"),
        ("s-3", "speech_score", 0, 1.0, "parsed", None, "line 4"),
        ("s-3", "speech_score", 1, 2.0, "parsed", None, "line 4"),
    ]


def test_lm_eval_without_a_results_file_asks_for_the_judge(loaded: Home, tmp_path: Path) -> None:
    with (
        unchanged(loaded),
        pytest.raises(
            SourceUnreadable, match=r"which judge answered.* name the judge with --judge"
        ),
    ):
        import_lines(loaded, tmp_path, [generated(0)], name=SAMPLES)
    import_lines(loaded, tmp_path, [generated(0)], name=SAMPLES, judge="openai:/gpt-4.1-mini")
    assert one(loaded, "select judge_id from raw.scores") == "openai/gpt-4.1-mini"


def test_lm_eval_log_likelihoods_become_label_probabilities(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    doc = {"debate_id": DEBATES[0], "pro_label": "A", "con_label": "B"}
    # exp(-1) / (exp(-1) + exp(-2)) = 1 / (1 + exp(-1)) = 0.731058...
    rows = [
        multiple_choice(0, {"A": -1.0, "B": -2.0}, doc),
        multiple_choice(1, {"A": -1.0, "B": -2.0}, {**doc, "outcome": "loser"}),
    ]
    import_lines(home, tmp_path, rows, name=SAMPLES, judge="local/tiny")
    found = query(
        home,
        "select outcome, winner, response, answer_format, parse_status, round(p_pro, 6), "
        "round(p_pro_low, 6), round(p_pro_high, 6) from raw.verdicts order by outcome desc",
    )
    assert found == [
        ("winner", "pro", "A", "label_scoring", "parsed", 0.731059, 0.731059, 0.731059),
        ("loser", "con", "A", "label_scoring", "parsed", 0.268941, 0.268941, 0.268941),
    ]
    assert query(
        home,
        "select label, logprob, round(p, 6), count(*) from raw.label_probabilities "
        "group by all order by label",
    ) == [("A", -1.0, 0.731059, 2), ("B", -2.0, 0.268941, 2)]
    with unchanged(home):
        assert import_file(home, tmp_path / SAMPLES, judge="local/tiny").load_id is None


def test_eleven_labels_keep_their_own_log_likelihoods(loaded: Home, tmp_path: Path) -> None:
    # gen_args_10 sorts before gen_args_2 as text.
    logprobs = {str(score): -float(score) for score in (5, 4, 3, 2, 1, 6, 7, 8, 9, 10, 11)}
    doc = {"item": "speeches:s-0"}
    row = multiple_choice(0, logprobs, doc)
    row["arguments"] = dict(sorted(row["arguments"].items()))
    import_lines(loaded, tmp_path, [row], name=SAMPLES, judge="local/tiny")
    assert query(loaded, "select response, value from raw.scores") == [("1", 1.0)]
    assert dict(query(loaded, "select label, logprob from raw.label_probabilities")) == logprobs


NO_SAMPLES = [
    ({"doc": "text"}, "doc"),
    ({"doc": {"motion": "Trees"}}, "doc"),
    ({"resps": []}, "resps"),
    ({"resps": [[4]]}, "resps"),
    ({"doc": {"item": "speeches:s-99"}}, "item"),
]


def test_samples_that_cannot_be_read_are_quarantined(loaded: Home, tmp_path: Path) -> None:
    rows = [generated(0), *(generated(1, **changes) for changes, _ in NO_SAMPLES)]
    report = import_lines(loaded, tmp_path, rows, name=SAMPLES, judge="local/tiny", max_rejected=1)
    check_rejects(report.rejects, NO_SAMPLES, first=2)


def test_verdict_files_say_who_won_in_one_of_three_ways(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    common = {"judge": JUDGE, "template": "winner", "pro_label": "A", "con_label": "B"}
    rows = [
        {**common, "item": DEBATES[0], "winner": "PRO", "first_side": "con", "reasoning": True},
        {**common, "item": f"judgebench:{DEBATES[1]}", "p_pro": 0.25, "answer_order": "AB"},
        {**common, "item": DEBATES[2], "response": 'Reasons. {"winner": "B"}', "seed": 7},
        {**common, "item": DEBATES[3], "response": "A", "outcome": "loser"},
        {**common, "item": DEBATES[3], "response": "A or B", "sample": 1},
    ]
    report = import_lines(home, tmp_path, rows)
    assert (list(report.notes), report.quarantined) == (["read as verdicts"], 0)
    columns = "winner, p_pro, p_pro_low, parse_status, parse_reason, reasoning, first_side, outcome"
    assert query(home, f"select {columns} from raw.verdicts order by source_record") == [
        ("pro", None, None, "supplied", None, True, "con", "winner"),
        ("con", 0.25, 0.25, "supplied", None, None, None, "winner"),
        ("con", None, None, "parsed", None, None, None, "winner"),
        ("con", None, None, "parsed", None, None, None, "loser"),
        (None, None, None, "unparsed", "not_a_label", None, None, "winner"),
    ]


BAD_VERDICTS = [
    ({"winner": "gpt"}, "winner", "'pro', 'con' or 'tie'"),
    ({"winner": None}, "winner", "is missing, and so is 'p_pro' and 'response'"),
    ({"p_pro": 1.2}, "p_pro", "less than or equal to 1"),
    ({"first_side": "left"}, "first_side", "'pro' or 'con'"),
    ({"outcome": "draw"}, "outcome", "'winner' or 'loser'"),
    ({"item": "nobody"}, "item", "unknown debate 'nobody'"),
    ({"item": DEBATES[0]}, "item", "duplicate key: record 1 (line 1)"),
    ({"judge": "openai:chat:"}, "judge", "should be provider/model"),
    ({"template": "a\u0000b"}, "template", "nor hold control characters"),
]


def test_bad_verdicts_are_quarantined_by_name(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    good = {"item": DEBATES[0], "judge": JUDGE, "winner": "pro"}
    bad = [good | {"item": DEBATES[1]} | changes for changes, *_ in BAD_VERDICTS]
    report = import_lines(home, tmp_path, [good, *bad], max_rejected=1)
    check_rejects(report.rejects, BAD_VERDICTS, first=2)


def test_names_come_with_or_without_their_data_set(loaded: Home, tmp_path: Path) -> None:
    from ingestion.ingest import ingest_study
    from ingestion.speeches.readers.study import Study

    items = write_jsonl(tmp_path / "i.jsonl", [{"item": "s-0", "text": "Other"}])
    ratings = write_jsonl(tmp_path / "r.jsonl", [{"item": "s-0", "annotator": "a", "value": 3}])
    ingest_study(loaded, Study("mine", items, ratings, "Good?", 1, 5, {}))
    rows = [score_row(0, item="s-1"), score_row(0, item="speeches:s-0"), score_row(0, item="s-0")]
    (found,) = import_lines(loaded, tmp_path, rows, max_rejected=0.5).rejects
    assert found.record == "record 3 (line 3)"
    assert (
        "ambiguous item 's-0': it is in several data sets (mine:s-0, speeches:s-0)" in found.reason
    )
    assert "--dataset" in found.reason
    rows = [score_row(0, item="s-0"), score_row(0, item="speeches:s-1")]
    import_lines(loaded, tmp_path, rows, name="b.jsonl", dataset="mine")
    assert query(
        loaded, "select item_id from raw.scores where _source_file like '%b.jsonl' order by 1"
    ) == [("mine:s-0",), ("speeches:s-1",)]
    with pytest.raises(SourceUnreadable, match=r"no data set named 'nowhere'.*mine, speeches"):
        import_lines(loaded, tmp_path, rows, dataset="nowhere")


JUDGES = [
    ("openai:chat:gpt-4.1-mini", "openai/gpt-4.1-mini"),
    ("anthropic:messages:claude-x", "anthropic/claude-x"),
    ("openai:/gpt-4.1-mini", "openai/gpt-4.1-mini"),
    ("local/org/model:q4", "local/org/model:q4"),
]


def test_judges_named_as_other_tools_do_are_translated(loaded: Home, tmp_path: Path) -> None:
    rows = [score_row(number, judge=written) for number, (written, _) in enumerate(JUDGES)]
    import_lines(loaded, tmp_path, rows)
    assert query(loaded, "select judge_id from raw.scores order by item_id") == [
        (judge,) for _, judge in JUDGES
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"question": 1}\n', "its first record has the fields 'question'"),
        ("a,b\n1,2\n", "it has the columns 'a', 'b'"),
        ("[1, 2]\n", "none of its first 50 lines is a JSON object"),
        ("PK\x03\x04", "a zip without the header of an Inspect log"),
    ],
)
def test_a_file_in_no_known_format_is_refused_with_the_list_of_them(
    loaded: Home, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "a.data"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(SourceUnreadable) as caught:
        import_file(loaded, path)
    assert message in str(caught.value)
    assert ", ".join(FORMATS) in str(caught.value)
    with pytest.raises(SourceUnreadable, match="no format named 'xml'; expected one of scores, "):
        import_file(loaded, path, wanted_format="xml")


def test_what_is_no_number_in_json_is_kept_as_its_name(loaded: Home, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    row = json.dumps(score_row(0)).replace("}", ', "odd": NaN, "deep": {"x": [Infinity]}}')
    path.write_text(row + "\n" + '{"a":' * 100_000 + "\n")
    report = import_file(loaded, path, max_rejected=0.5)
    assert [each.record for each in report.rejects] == ["record 2 (line 2)"]
    assert json.loads(one(loaded, "select extra from raw.scores")) == {
        "odd": "nan",
        "deep": {"x": ["inf"]},
    }


def test_control_characters_are_kept_in_texts_and_refused_in_names(
    loaded: Home, tmp_path: Path
) -> None:
    text = "a\u0000b\u001b[31m <score>4</score>"
    rows = [
        {"item": "s-0", "judge": JUDGE, "response": text, "note": text},
        score_row(1, template="red\u001b[31m"),
    ]
    (found,) = import_lines(loaded, tmp_path, rows, max_rejected=0.5).rejects
    assert "\u001b" not in found.sentence
    assert query(loaded, "select response, value from raw.scores") == [(text, 4.0)]
    assert json.loads(one(loaded, "select extra from raw.scores")) == {"note": text}


def test_a_file_of_two_judges_keeps_the_one_it_names_in_full(loaded: Home, tmp_path: Path) -> None:
    rows = [single(0), single(0, judge=["llama-3", "single-v1"], score=2)]
    assert import_lines(loaded, tmp_path, rows, judge="local/llama-3").quarantined == 0
    assert query(loaded, "select judge_id, value from raw.scores order by 1") == [
        ("local/llama-3", 2.0),
        ("openai/gpt-4", 4.0),
    ]


def test_half_a_character_in_a_models_name_costs_nothing(loaded: Home, tmp_path: Path) -> None:
    assert import_lines(loaded, tmp_path, [single(0, model="\ud800")]).quarantined == 0


@pytest.mark.parametrize("metrics", [5, [["acc"]], "exact_match", None])
def test_metrics_of_no_known_form_cost_no_sample(
    loaded: Home, tmp_path: Path, metrics: object
) -> None:
    rows = [generated(0, metrics=metrics)]
    import_lines(loaded, tmp_path, rows, name=SAMPLES, judge="local/tiny")
    assert one(loaded, "select value from raw.scores") == 4.0


def test_a_results_file_that_names_no_judge_is_said_not_to(loaded: Home, tmp_path: Path) -> None:
    (tmp_path / "results_2026-03-01T12-00-00.000001.json").write_text("{}")
    with pytest.raises(SourceUnreadable, match=r"neither does results_2026\S+ beside it; name"):
        import_lines(loaded, tmp_path, [generated(0)], name=SAMPLES)


def test_csv_with_the_line_ends_of_old_macs_is_told_by_its_columns(
    loaded: Home, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f"item,judge,value\rs-0,{JUDGE},4\r".encode())
    import_file(loaded, path)
    assert one(loaded, "select value from raw.scores") == 4.0
