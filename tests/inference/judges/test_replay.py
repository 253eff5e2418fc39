import csv
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inference_fixtures import ask, judge, speech_request

from inference.errors import BadSettings
from inference.judges.base import Reply
from inference.judges.replay import Recordings, ReplayJudge
from inference.judges.request import Request
from inference.parsing import parse_score
from inference.registry import JudgeSpec
from inference.runs.lines import answer_line


def spec(tmp_path: Path, **settings: Any) -> JudgeSpec:
    return judge(tmp_path, "replay/march", **settings)


def request(number: int = 0, **more: Any) -> Request:
    return speech_request(number=number, **more)


def journal(tmp_path: Path, *lines: dict[str, Any]) -> Path:
    folder = tmp_path / "run"
    folder.mkdir(exist_ok=True)
    header = {"kind": "run", "judge_id": "openai/a"}
    whole = [{"schema_version": 1, **line} for line in (header, *lines)]
    (folder / "responses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in whole))
    return folder


def answered(reply: Reply, **of: Any) -> dict[str, Any]:
    line = answer_line("r", request(**of), reply, 0.1)
    rest = {
        "answer_format": reply.answer_format,
        "label_logprobs": reply.label_logprobs,
        "label_logprob_ceiling": reply.label_logprob_ceiling,
        "tokens_cached": reply.tokens_cached,
        "model_version": reply.model_version,
    }
    return {**line, **{name: value for name, value in rest.items() if value is not None}}


def test_a_journals_answer_is_played_back_whole_and_costs_nothing(tmp_path: Path) -> None:
    recorded = Reply(
        response="<score>4</score>",
        finish_reason="length",
        tokens_in=10,
        tokens_out=3,
        cost_usd=0.5,
        omitted_parameters=("seed",),
        tokens_cached=8,
        answer_format="json_schema",
        label_logprobs={"4": -0.1, "5": -3.0},
        label_logprob_ceiling=-4.0,
        model_version="a-2025",
    )
    folder = journal(tmp_path, answered(recorded))
    for file in (folder, folder / "responses.jsonl"):
        played = ask(spec(tmp_path, file=str(file)), request())[0]
        assert played.cost_usd == 0.0
        assert played == Reply(**{**vars(recorded), "cost_usd": 0.0})


def test_an_answer_belongs_to_its_item_dimension_template_and_sample(tmp_path: Path) -> None:
    folder = journal(tmp_path, answered(Reply("one"), number=1, sample=2))
    same = request(1, sample=2)
    others = [
        request(2, sample=2),
        request(1, sample=0),
        request(1, sample=2, dimension="other"),
        request(1, sample=2, template="speech_score_justified"),
    ]
    replies = ask(spec(tmp_path, file=str(folder)), same, *others)
    assert replies[0].response == "one"
    assert [reply.error_kind for reply in replies[1:]] == ["no_recording"] * 4
    assert all(reply.response is None and reply.cost_usd == 0.0 for reply in replies[1:])


def test_an_answer_about_another_text_is_not_played_back(tmp_path: Path) -> None:
    folder = journal(tmp_path, answered(Reply("old"), item_hash="before"))
    reply = ask(spec(tmp_path, file=str(folder)), request(item_hash="now"))[0]
    assert (reply.error_kind, reply.response) == ("no_recording", None)
    assert "another text" in (reply.error or "")


def test_the_last_answer_counts_and_failures_that_may_pass_do_not(tmp_path: Path) -> None:
    failed = answered(Reply(error_kind="server", error="oops"))
    folder = journal(
        tmp_path,
        failed,
        answered(Reply("first")),
        answered(Reply("second")),
        failed,
        answered(Reply(error_kind="filtered", error="no"), number=1),
        answered(Reply(error_kind="timeout", error="slow"), number=2),
    )
    replies = ask(spec(tmp_path, file=str(folder)), *(request(number) for number in range(3)))
    assert replies[0].response == "second"
    assert (replies[1].error_kind, replies[1].error) == ("filtered", "no")
    assert replies[2].error_kind == "no_recording"


def test_damaged_lines_are_left_out_and_said(tmp_path: Path) -> None:
    folder = journal(tmp_path, answered(Reply("one")))
    with (folder / "responses.jsonl").open("a") as file:
        file.write("{damaged}\n")
        file.write('{"schema_version": 1, "kind": "answer", "item_id": 4, "status": "answered"}\n')
        file.write('{"torn')
    replies = ask(spec(tmp_path, file=str(folder)), request(), request(1))
    assert replies[0].response == "one"
    assert "2 rows" in (replies[1].error or "")


_COLUMNS = ("item", "judge", "template", "dimension", "sample", "value", "response", "tokens_in")
_QUOTED = 'two\nlines, "quoted" <score>3</score>'
ROWS: list[dict[str, Any]] = [
    dict(zip(_COLUMNS, row, strict=True))
    for row in (
        ("d:0", "x/a", "speech_score", "quality", 0, None, _QUOTED, 7),
        ("d:1", "x/a", "speech_score", "quality", 1, 4.0, None, None),
        ("d:2", "x/a", None, None, 0, -2.0, None, None),
        ("d:3", "x/a", None, None, 0, 3.5, None, None),
    )
]


def score_file(folder: Path, suffix: str, rows: list[dict[str, Any]] = ROWS) -> str:
    path = folder / f"scores.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif suffix == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_score_files_of_every_format_play_the_same(tmp_path: Path, suffix: str) -> None:
    asked = [request(0), request(1, sample=1), request(1), request(2), request(3)]
    replies = ask(spec(tmp_path, file=score_file(tmp_path, suffix)), *asked)
    assert replies[0].response == ROWS[0]["response"]
    assert replies[0].tokens_in == 7
    assert parse_score(replies[1].response or "").value == 4.0
    assert replies[2].error_kind == "no_recording"
    # A row that names no dimension and no template stands for any.
    assert parse_score(replies[3].response or "", -5, 5).value == -2.0
    assert parse_score(replies[4].response or "").reason == "not_whole"


def test_of_several_judges_one_must_be_named(tmp_path: Path) -> None:
    rows = [
        {"item": "d:0", "judge": "x/a", "value": 1},
        {"item": "d:0", "judge": "x/b", "value": 2},
    ]
    file = score_file(tmp_path, "jsonl", rows)
    with pytest.raises(BadSettings, match=r"x/a, x/b.*setting judge"):
        ask(spec(tmp_path, file=file), request())
    reply = ask(spec(tmp_path, file=file, judge="x/a"), request())[0]
    assert parse_score(reply.response or "").value == 1.0
    with pytest.raises(BadSettings, match=r"'x/c'.*x/a, x/b"):
        ask(spec(tmp_path, file=file, judge="x/c"), request())
    folder = journal(tmp_path, answered(Reply("one")))
    with pytest.raises(BadSettings, match=r"'x/c'.*openai/a"):
        ask(spec(tmp_path, file=str(folder), judge="x/c"), request())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt", b"x", "'.txt' is not known"),
        ("a.parquet", b"x", "cannot be read"),
        ("a.csv", b'item,judge,value\n"x', "cannot be read"),
        ("a.jsonl", b"\xff\xfe\n", "cannot be read"),
    ],
)
def test_an_unreadable_file_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadSettings, match=said) as caught:
        ask(spec(tmp_path, file=str(path)), request())
    assert str(path) in str(caught.value)


def test_a_replay_without_a_file_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="setting file"):
        ReplayJudge(spec(tmp_path, judge="openai/a"))
    with pytest.raises(BadSettings, match="nowhere"):
        ReplayJudge(spec(tmp_path, file=str(tmp_path / "nowhere")))


def test_another_file_is_another_identity_wherever_it_lies(tmp_path: Path) -> None:
    folder = journal(tmp_path, answered(Reply("one")))
    before = ReplayJudge(spec(tmp_path, file=str(folder))).identity(request())
    copied = tmp_path / "copy.jsonl"
    copied.write_bytes((folder / "responses.jsonl").read_bytes())
    assert ReplayJudge(spec(tmp_path, file=str(copied))).identity(request()) == before
    journal(tmp_path, answered(Reply("two")))
    assert ReplayJudge(spec(tmp_path, file=str(folder))).identity(request()) != before
    named = ReplayJudge(spec(tmp_path, file=str(copied), judge="openai/a"))
    assert named.identity(request()) != before


def test_the_texts_stay_out_of_memory(tmp_path: Path) -> None:
    count = 5000
    rows = [
        {"item": f"d:{n}", "judge": "x/a", "response": f"{n}" + "x" * 2000} for n in range(count)
    ]
    file = Path(score_file(tmp_path, "jsonl", rows))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    recordings = Recordings(file, None)
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(recordings) == count
    found = recordings.find("d:4711", {"dimension": "quality"}, "any", 0)
    assert found is not None
    assert found["response"].startswith("4711x")
    recordings.close()
    assert held < count * 400
