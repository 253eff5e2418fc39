"""Anchor sets: frozen items, waves of their own requests, and tables of their own."""

import json
from pathlib import Path

import pytest

from inference.anchors import freeze, frozen_items, journal_of, list_sets, read_set
from inference.errors import BadItems, BadSettings
from inference.experiments import load_experiment
from inference.items import find_item_sources
from inference.plan import Wave, plan_runs
from inference.registry import spec_for
from inference.runner import run
from ingestion.anchors import load_anchors
from tests.ingestion.ingestion_files import query
from warehouse.home import Home

JUDGE = "simulated/faithful"


def _judged(home: Home, wave: str, judge: str = JUDGE, line: str = JUDGE) -> None:
    anchor = read_set(home.anchors, "spring")
    run(
        load_experiment("speech-score"),
        spec_for(judge, None, {}),
        [frozen_items(home.anchors, anchor)],
        journal_root=journal_of(home.anchors, anchor),
        wave=Wave(wave, line),
    )


def _made(home: Home, **more: object) -> Home:
    source = find_item_sources(home.items, ["sample"])[0]
    freeze(home.anchors, "spring", load_experiment("speech-score"), source, size=10, **more)
    return home


def test_a_set_holds_its_items_as_they_were(sampled: Home) -> None:
    _made(sampled)
    anchor = read_set(sampled.anchors, "spring")
    assert len(anchor.items) == 10
    source = frozen_items(sampled.anchors, anchor)
    (plan,) = plan_runs(load_experiment("speech-score"), spec_for(JUDGE, None, {}), [source])
    assert {plan.requests[one].item.item_id for one in plan.requests} == set(anchor.items)
    assert {plan.requests[one].item.item_hash for one in plan.requests} == set(
        anchor.items.values()
    )


def test_a_wave_is_part_of_every_request_and_no_other_request_has_one(sampled: Home) -> None:
    source = find_item_sources(sampled.items, ["sample"])[0]
    asked, spec = load_experiment("speech-score"), spec_for(JUDGE, None, {})
    (plain,) = plan_runs(asked, spec, [source])
    (first,), (second,), (again,) = (
        plan_runs(asked, spec, [source], wave=Wave(name, line))
        for name, line in (("w1", JUDGE), ("w2", JUDGE), ("w1", "simulated/harsh"))
    )
    ids = [set(plan.requests) for plan in (plain, first, second)]
    assert all(len(each) == len(ids[0]) for each in ids)
    assert not ids[0] & ids[1] | ids[0] & ids[2] | ids[1] & ids[2]
    assert set(again.requests) == ids[1]
    assert len({plan.run_id for plan in (plain, first, second)}) == 3
    assert "wave" not in plain.header
    assert (first.header["wave"], again.header["judge_line"]) == ("w1", "simulated/harsh")


def test_waves_are_loaded_once_and_into_no_other_table(sampled: Home) -> None:
    _made(sampled)
    _judged(sampled, "w1")
    _judged(sampled, "w2", "simulated/harsh")
    report = load_anchors(sampled)
    assert {name: each.new for name, each in report.tables.items()} == {
        "anchor_items": 10,
        "anchor_answers": 20,
    }
    assert load_anchors(sampled).load_id is None
    assert query(sampled, "select count(*) from raw.scores") == [(0,)]
    rows = query(
        sampled,
        "select wave, judge_line, judge_id, count(value), min(value) >= 1 and max(value) <= 5 "
        "from raw.anchor_answers group by all order by wave",
    )
    assert rows == [
        ("w1", JUDGE, JUDGE, 10, True),
        ("w2", JUDGE, "simulated/harsh", 10, True),
    ]


def test_a_wave_that_was_answered_is_not_asked_again(sampled: Home) -> None:
    _made(sampled)
    _judged(sampled, "w1")
    folder = journal_of(sampled.anchors, read_set(sampled.anchors, "spring"))
    (journal,) = folder.glob("*/responses.jsonl")
    before = journal.read_text().count('"kind":"answer"')
    _judged(sampled, "w1")
    assert journal.read_text().count('"kind":"answer"') == before == 10


def test_a_frozen_set_stays_as_it_is(sampled: Home) -> None:
    _made(sampled)
    with pytest.raises(BadSettings, match="its items are frozen"):
        _made(sampled)
    with pytest.raises(BadSettings, match="no anchor set named 'fall'; there are spring"):
        read_set(sampled.anchors, "fall")
    with pytest.raises(BadSettings, match="small letters"):
        read_set(sampled.anchors, "../spring")
    source = find_item_sources(sampled.items, ["sample"])[0]
    with pytest.raises(BadItems, match="no items to freeze among those wanted"):
        freeze(sampled.anchors, "none", load_experiment("speech-score"), source, only=())
    with pytest.raises(BadItems, match=r"600 items .* of 'sample', and there are \d+ to draw from"):
        freeze(sampled.anchors, "none", load_experiment("speech-score"), source, size=600)
    with pytest.raises(BadSettings, match="are of speeches or debates"):
        freeze(sampled.anchors, "none", load_experiment("speech-writing"), source)
    assert list_sets(sampled.anchors) == ["spring"]


def test_a_damaged_set_says_so(sampled: Home) -> None:
    _made(sampled)
    path: Path = sampled.anchors / "spring" / "anchor.json"
    path.write_text(json.dumps({"name": "spring"}))
    with pytest.raises(BadSettings, match="is damaged"):
        read_set(sampled.anchors, "spring")
