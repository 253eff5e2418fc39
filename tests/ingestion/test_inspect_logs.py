"""Inspect logs: zips in any packing, JSON dumps, and everything that can be wrong with them."""

import json
import struct
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ingestion.errors import SourceUnreadable
from ingestion.formats import inspect_log
from ingestion.imports import import_file
from tests.ingestion.answer_files import (
    DEBATES,
    eval_header,
    eval_sample,
    load_debates,
    write_eval,
)
from tests.ingestion.ingestion_files import one, query, unchanged
from warehouse.home import Home


def test_a_log_becomes_scores_that_lead_back_to_their_member(loaded: Home, tmp_path: Path) -> None:
    samples = [
        eval_sample("speeches:s-0"),
        eval_sample("speeches:s-0", "<score>5</score>", epoch=2),
        eval_sample(7, "No score here.", metadata={"item": "s-1"}),
        eval_sample(8, "", metadata={"item": "s-2"}, error={"message": "boom", "traceback": "t"}),
    ]
    samples[2]["output"]["choices"][0]["stop_reason"] = "max_tokens"
    report = import_file(loaded, write_eval(tmp_path / "a.eval", samples))
    assert (list(report.notes), report.quarantined) == (["read as inspect"], 0)
    columns = (
        "item_id, sample, judge_id, template, value, parse_status, parse_reason, error_kind, "
        "source_record"
    )
    who = ("openai/gpt-4.1-mini", "speech_judge")
    assert query(loaded, f"select {columns} from raw.scores order by item_id, sample") == [
        ("speeches:s-0", 0, *who, 4.0, "parsed", None, None, "samples/speeches:s-0_epoch_1.json"),
        ("speeches:s-0", 1, *who, 5.0, "parsed", None, None, "samples/speeches:s-0_epoch_2.json"),
        ("speeches:s-1", 0, *who, None, "unparsed", "truncated", None, "samples/7_epoch_1.json"),
        ("speeches:s-2", 0, *who, None, "not_answered", None, "server", "samples/8_epoch_1.json"),
    ]
    columns = "tokens_in, tokens_out, tokens_cached, latency_s, answered_at, finish_reason"
    assert query(loaded, f"select {columns} from raw.scores where sample = 1") == [
        (700, 5, 512, 0.5, datetime(2026, 3, 1, 12, 0, 2), "stop")
    ]
    extra = json.loads(one(loaded, "select extra from raw.scores where sample = 1"))
    assert extra["scores"] == {"match": "I"}
    with unchanged(loaded):
        assert import_file(loaded, tmp_path / "a.eval").load_id is None


def test_a_sample_with_a_debate_is_a_verdict(home: Home, tmp_path: Path) -> None:
    load_debates(home, tmp_path)
    metadata = {"debate_id": DEBATES[0], "pro_label": "A", "con_label": "B", "first_side": "con"}
    sample = eval_sample(1, "Reasons.\n\nB", metadata=metadata)
    other = eval_sample(2, "B", metadata=metadata | {"debate_id": DEBATES[1]})
    pairs = (("B", -0.5), (" B", -3.0), ("A", -1.5), ("The", -4.0))
    top = [{"token": token, "logprob": logprob} for token, logprob in pairs]
    token = {**top[0], "top_logprobs": top}
    other["output"]["choices"][0]["logprobs"] = {"content": [token]}
    import_file(home, write_eval(tmp_path / "a.eval", [sample, other]))
    found = query(
        home,
        "select winner, first_side, parse_reason, round(p_pro, 6) from raw.verdicts "
        "order by debate_id",
    )
    # exp(-1.5) / (exp(-1.5) + exp(-0.5) + exp(-3)) = 0.223130 / 0.879448
    assert found == [(None, "con", "not_a_label", None), ("con", "con", None, 0.253716)]
    assert query(home, "select label, p is null from raw.label_probabilities order by 1") == [
        ("A", False),
        ("B", False),
    ]


def test_a_scorer_holds_the_score_only_where_the_user_says_so(loaded: Home, tmp_path: Path) -> None:
    scores = {"speech_score": {"value": 2}, "match": {"value": "I"}}
    path = write_eval(tmp_path / "a.eval", [eval_sample("s-0", scores=scores)])
    import_file(loaded, path)
    assert query(loaded, "select value, parse_status from raw.scores") == [(4.0, "parsed")]
    import_file(loaded, path, scorer="speech_score")
    assert query(loaded, "select value, parse_status from raw.scores") == [(2.0, "supplied")]
    with pytest.raises(Exception, match="it has no scorer 'wit'; it has: speech_score, match"):
        import_file(loaded, path, scorer="wit")


@pytest.mark.parametrize("indent", [None, 2])
def test_the_json_form_says_the_same_as_the_zip(
    loaded: Home, tmp_path: Path, indent: int | None
) -> None:
    samples = [eval_sample("s-0"), eval_sample("s-1", "<score>2</score>")]
    columns = "item_id, request_id, value, answered_at, tokens_in, extra"
    import_file(loaded, write_eval(tmp_path / "a.eval", samples))
    before = query(loaded, f"select {columns} from raw.scores order by 1")
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({**eval_header(), "samples": samples}, indent=indent))
    import_file(loaded, path)
    assert before == query(
        loaded,
        f"select {columns} from raw.scores where source_record like 'samples[%' order by 1",
    )
    assert one(loaded, "select max(source_record) from raw.scores") == "samples[1]"


def test_a_long_reply_is_taken_from_the_attachments(loaded: Home, tmp_path: Path) -> None:
    sample = eval_sample("s-0", attachments={"abc": "So: <score>3</score>"})
    sample["output"]["completion"] = "attachment://abc"
    import_file(loaded, write_eval(tmp_path / "a.eval", [sample]))
    assert query(loaded, "select value, response from raw.scores") == [
        (3.0, "So: <score>3</score>")
    ]


def _with_method(path: Path, method: int, pack: Any) -> Path:
    """Rewrite a stored zip's sample as if packed by another method."""
    source = zipfile.ZipFile(path)
    out = bytearray()
    directory = bytearray()
    for member in source.infolist():
        content = source.read(member)
        is_sample = member.filename.startswith("samples/")
        packed = pack(content) if is_sample else content
        kind = method if is_sample else 0
        name = member.filename.encode()
        fields = (kind, 0, 0, member.CRC, len(packed), len(content), len(name))
        numbers = (20, 20, 0, *fields, 0, 0, 0, 0, 0, len(out))
        directory += struct.pack("<4s6H3I5H2I", b"PK\x01\x02", *numbers) + name
        out += struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, *fields, 0) + name + packed
    count = len(source.infolist())
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(out), 0)
    path.write_bytes(bytes(out + directory + end))
    return path


def test_members_packed_by_zstandard_are_read(loaded: Home, tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", [eval_sample("s-0")], method=zipfile.ZIP_STORED)
    _with_method(path, 93, lambda content: pa.compress(content, "zstd", asbytes=True))
    import_file(loaded, path)
    assert query(loaded, "select value from raw.scores") == [(4.0,)]


def test_a_zip_nobody_here_can_unpack_names_both_ways_out(
    loaded: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_eval(tmp_path / "a.eval", [eval_sample("s-0")], method=zipfile.ZIP_STORED)
    _with_method(path, 95, lambda content: content)
    monkeypatch.setattr(inspect_log.importlib.util, "find_spec", lambda name: None)
    with unchanged(loaded):
        with pytest.raises(SourceUnreadable) as caught:
            import_file(loaded, path)
        assert "member 'samples/s-0_epoch_1.json' is packed by method 95" in str(caught.value)
        assert "install inspect_ai" in str(caught.value)
        assert "inspect log dump a.eval > log.json" in str(caught.value)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_a_zip_bomb_is_refused_before_it_unfolds(
    loaded: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: int
) -> None:
    monkeypatch.setattr(inspect_log, "MEMBER_AT_MOST", 100_000)
    sample = eval_sample("s-0", store={"zeros": "0" * 50_000_000})
    packing = zipfile.ZIP_STORED if method == 93 else zipfile.ZIP_DEFLATED
    path = write_eval(tmp_path / "a.eval", [sample], method=packing)
    if method == 93:
        _with_method(path, 93, lambda content: pa.compress(content, "zstd", asbytes=True))
    with pytest.raises(SourceUnreadable, match="unpacks to more than 0 MiB, the most a member may"):
        import_file(loaded, path)


def _damaged(path: Path) -> Path:
    data = bytearray(path.read_bytes())
    middle = data.find(b"samples/") + 60
    data[middle : middle + 40] = b"\xff" * 40
    path.write_bytes(bytes(data))
    return path


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_damaged, "member 'samples/s-0_epoch_1.json' is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-30]), "a zip without the header"),
        (lambda path: write_eval(path, []), "holds no samples"),
        (lambda path: write_eval(path, [eval_sample("s-0")], {"version": 2}), "has no 'eval'"),
    ],
)
def test_a_damaged_log_is_refused_by_name(
    loaded: Home, tmp_path: Path, spoil: Any, message: str
) -> None:
    path = write_eval(tmp_path / "a.eval", [eval_sample("s-0")])
    spoil(path)
    with pytest.raises(SourceUnreadable, match=message):
        import_file(loaded, path)


def test_hostile_samples_are_quarantined_and_the_others_load(loaded: Home, tmp_path: Path) -> None:
    good = [eval_sample(f"s-{number}") for number in range(4)]
    path = write_eval(tmp_path / "a.eval", good)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("samples/deep_epoch_1.json", '{"a":' * 100_000)
        archive.writestr("samples/list_epoch_1.json", "[1]")
        archive.writestr("samples/../../up_epoch_1.json", json.dumps(eval_sample("s-9", epoch="1")))
        archive.writestr(
            "samples/nan_epoch_1.json",
            json.dumps(
                eval_sample("s-8", epoch=1)
                | {
                    "output": {"completion": "<score>1</score>", "time": float("nan")},
                }
            ),
        )
    report = import_file(loaded, path, max_rejected=0.6)
    assert report.tables["scores"].new == 4
    assert [each.record for each in report.rejects] == [
        "samples/deep_epoch_1.json",
        "samples/list_epoch_1.json",
        "samples/../../up_epoch_1.json",
        "samples/nan_epoch_1.json",
    ]
    assert [each.field for each in report.rejects] == [None, None, "epoch", "latency_s"]
    assert not (tmp_path.parent / "up_epoch_1.json").exists()


@pytest.mark.parametrize("through_inspect", [False, True])
def test_a_log_written_by_inspect_itself_is_read(
    loaded: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, through_inspect: bool
) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        write_eval_log,
    )
    from inspect_ai.model import ModelOutput

    spec = EvalSpec(
        created="2026-03-01T12:00:00+00:00",
        task="speech_judge",
        model="openai/gpt-4.1-mini",
        dataset=EvalDataset(samples=1),
        config=EvalConfig(),
        eval_id="e",
        run_id="r",
        task_id="t",
    )
    output = ModelOutput.from_content("openai/gpt-4.1-mini", "<score>4</score>")
    samples = [EvalSample(id="s-0", epoch=1, input="x", target="4", output=output)]
    log = EvalLog(eval=spec, samples=samples, status="success")
    path = tmp_path / "real.eval"
    write_eval_log(log, str(path))
    if through_inspect:

        def refuse(path: Path, shown: str) -> None:
            raise inspect_log.UnsupportedZip("as the test wants it")

        monkeypatch.setattr(inspect_log, "require_readable", refuse)
    import_file(loaded, path)
    assert query(loaded, "select item_id, value, source_record from raw.scores") == [
        ("speeches:s-0", 4.0, "samples/s-0_epoch_1.json")
    ]


def test_a_name_that_is_unknown_is_never_taken_for_the_samples_own_number(
    loaded: Home, tmp_path: Path
) -> None:
    good = eval_sample("s-0")
    other = eval_sample("s-1", metadata={"item": "nobody"})
    report = import_file(loaded, write_eval(tmp_path / "a.eval", [good, other]), max_rejected=0.5)
    (found,) = report.rejects
    assert (found.field, found.record) == ("item", "samples/s-1_epoch_1.json")
    assert "unknown item 'nobody'" in found.reason
    assert query(loaded, "select item_id from raw.scores") == [("speeches:s-0",)]


CACHED = "input_tokens_cache_read"
LOGPROB = "output.choices[0].logprobs.content[0].logprob"
HUGE = {"content": [{"token": "4", "logprob": 10**400}]}
ODD_SAMPLES = [
    ("output.choices[0].stop_reason", "valid string", {"choices": [{"stop_reason": 5}]}),
    (f"output.usage.{CACHED}", "valid integer", {"usage": {CACHED: "many"}}),
    (f"output.usage.{CACHED}", "truth value", {"usage": {CACHED: True}}),
    (LOGPROB, "valid number", {"choices": [{"logprobs": HUGE}]}),
]


@pytest.mark.parametrize(("field", "reason", "output"), ODD_SAMPLES)
def test_a_sample_with_an_odd_value_is_quarantined_alone(
    loaded: Home, tmp_path: Path, field: str, reason: str, output: dict[str, Any]
) -> None:
    odd = eval_sample("s-1")
    odd["output"] |= output
    path = write_eval(tmp_path / "a.eval", [eval_sample("s-0"), odd])
    (found,) = import_file(loaded, path, max_rejected=0.5).rejects
    assert (found.record, found.field) == ("samples/s-1_epoch_1.json", field)
    assert reason in found.reason
    assert one(loaded, "select count(*) from raw.scores") == 1


def test_an_odd_id_of_a_sample_whose_item_is_named_costs_nothing(
    loaded: Home, tmp_path: Path
) -> None:
    path = tmp_path / "dump.json"
    samples = [eval_sample("\ud800", metadata={"item": "s-0"})]
    path.write_text(json.dumps({**eval_header(), "samples": samples}))
    assert import_file(loaded, path).quarantined == 0


def test_samples_that_are_no_list_are_refused(loaded: Home, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({**eval_header(), "samples": 5}))
    with pytest.raises(SourceUnreadable, match="is not an Inspect log in JSON"):
        import_file(loaded, path)
