"""The commands behind decisions: drawing from a log, closing a sample, planning labels, refusals."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ingestion.debates.readers.sample_debate_log import sample_log_batch
from ingestion.errors import UnknownSource
from ingestion.load import load
from ingestion.sample.debate_log import NAME
from ingestion.sampling.drawing import frame_of, read_sample
from ingestion.sampling.sheets import sheet
from orchestration.commands.reports.decide import decide
from orchestration.commands.run_commands import Plan
from orchestration.commands.runs import label_plan
from orchestration.commands.runs.label_plan import show_label_plan
from orchestration.commands.sample import DrawSample
from orchestration.errors import NoPilot
from warehouse.errors import NothingPublished
from warehouse.home import Home
from warehouse.writer import open_writer

DRAWN: dict[str, Any] = {
    "name": NAME,
    "size": 10,
    "sources": ["alder/large", "birch/large"],
    "seed": 3,
}


@pytest.fixture
def logged(home: Home) -> Home:
    load(home, sample_log_batch())
    return home


def _silent(_: str) -> None:
    return None


def test_a_sample_of_two_debaters_has_their_debates_alone_and_names_neither(logged: Home) -> None:
    told = DrawSample(**DRAWN).draw(logged, _silent)
    with open_writer(logged, "test") as connection:
        frame = connection.execute(
            "select count(*), count(distinct debate_id), bool_and(pro_debater in ('alder/large', "
            "'birch/large') and con_debater in ('alder/large', 'birch/large')) from "
            "raw.sampled_items inner join raw.logged_verdicts on item_id = debate_id and "
            "judge = 'human/readers'"
        ).fetchone()
        sample = read_sample(_asked(told), "sample")
        assert frame_of(connection, sample)[0][1] == "all"
        rows = list(csv.DictReader(io.StringIO(sheet(connection, sample).decode())))
    # Two sides on each of 24 motions.
    assert frame == (48, 48, True)
    assert len(rows) == 10
    assert rows[0]["question"] == "Who won: pro, con or tie?"
    assert "debate d" in rows[0]["text"]
    assert not any("alder" in text for row in rows for text in row.values())


def _asked(told: dict[str, Any]) -> bytes:
    return json.dumps({"kind": "random_sample", "schema_version": 1, **told}).encode()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"strata": "category"}, "--strata is source for speeches, answers and logs"),
        ({"dimension": "score"}, f"'{NAME}' has no 'score'; people can say: winner"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_reason(
    logged: Home, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(UnknownSource, match=said):
        DrawSample(**DRAWN | changed).draw(logged, _silent)


def test_an_unknown_sample_cannot_be_closed(logged: Home) -> None:
    with pytest.raises(UnknownSource, match="there is no sample 'x' to close; there are none"):
        DrawSample(name="x", close=True).end(logged, _silent)


def _plan(**stated: Any) -> Plan:
    return Plan(experiment="labels", half_width=0.03, **stated)


def test_a_plan_from_stated_numbers_has_the_labels_with_the_judge_and_without(home: Home) -> None:
    out = Console(file=io.StringIO(), width=200)
    show_label_plan(home, _plan(sd=0.5, correlation=0.8), out)
    told = out.file.getvalue()  # type: ignore[attr-defined]
    # (1.96 * 0.5 / 0.03)^2 = 1067.07, of which 1 - 0.8^2 is left.
    assert "1,068" in told
    assert "385" in told
    assert "Assumed: a random sample" in told


def test_a_decision_without_a_version_says_what_to_do(home: Home, tmp_path: Path) -> None:
    with pytest.raises(NothingPublished):
        show_label_plan(home, _plan(), Console())
    with pytest.raises(NothingPublished):
        decide(home, "replace", None, None, tmp_path / "x.html", Console())
    assert not (tmp_path / "x.html").exists()


def test_a_plan_without_a_pilot_names_both_ways_to_one(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_plan, "current_version", lambda _: None)
    empty = type("Result", (), {"columns": ("judge_id",), "rows": ()})()
    monkeypatch.setattr(label_plan, "run_query", lambda *_: empty)
    with pytest.raises(NoPilot, match="draw one with rostrum sample, or state what you expect"):
        show_label_plan(home, _plan(judge="m/j"), Console())
