"""A subject nobody has thought of takes one file and one registration, as docs/extending.md shows.

It is planned, run, killed, resumed and loaded by the engine and the loader as they are.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inference.errors import BadTemplate, UnknownExperiment, UnknownJudge
from inference.estimate import estimate
from inference.experiments import Experiment, load_experiment
from inference.items import ItemSource, find_item_sources
from inference.journal import FILE_NAME, read_journal
from inference.kinds import KIND
from inference.plan import plan_runs
from inference.providers import PROVIDERS
from inference.registry import JudgeSpec, spec_for
from inference.runner import RunSummary, run
from ingestion.journals import load_journals
from tests.docs.documents import Page
from tests.ingestion.ingestion_files import query
from warehouse import schema
from warehouse.home import PROJECT_ROOT, Home

TRIOS, ORDERS = 20, 2
PAGE = Page(PROJECT_ROOT / "docs" / "extending.md")
SHOWN = {
    (block.file, block.table): block.lines
    for block in PAGE.additions()
    if "haiku" in block.lines or "haiku" in block.file
}


@pytest.fixture
def home(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with trios of haiku, in a Rostrum that knows the kind and a judge for it."""

    def module(name: str, text: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        made = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, made)
        spec.loader.exec_module(made)
        return made

    kinds = module("inference.kinds.haiku", SHOWN["inference/kinds/haiku.py", None])
    module("inference.judges.haiku", SHOWN["inference/judges/haiku.py", None])
    entries = module(
        "entries",
        "from inference.provider_rules import Family, Provider\n"
        f"PROVIDERS = {{{SHOWN['inference/providers.py', 'PROVIDERS']}}}\n"
        f"MIGRATIONS = ({SHOWN['warehouse/schema.py', 'MIGRATIONS']})\n",
    )
    monkeypatch.setitem(KIND, "haiku", kinds.Haiku())
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS + entries.MIGRATIONS)
    monkeypatch.setitem(PROVIDERS, "haiku", entries.PROVIDERS["haiku"])
    folder = home.items / "moon"
    folder.mkdir(parents=True)
    trios = [
        {
            "item_id": f"moon:{n}",
            "item_hash": f"h{n}",
            "haiku": ["moon " * ((n + place) % 3 + 1) for place in range(3)],
        }
        for n in range(TRIOS)
    ]
    pq.write_table(pa.Table.from_pylist(trios), folder / "haiku.parquet")
    pointer = {"items": "none.parquet", "haiku": "haiku.parquet", "rows": 0}
    (folder / "current.json").write_text(json.dumps(pointer))
    for folder, name in ((home.prompts, "haiku_rank.txt"), (home.experiments, "haiku_order.toml")):
        (folder / name).write_text(SHOWN[f".rostrum/{folder.name}/{name}", None])
    return home


def parts(home: Home, judge_id: str) -> tuple[Experiment, JudgeSpec, list[ItemSource]]:
    experiment = load_experiment("haiku-order", [home.experiments])
    return experiment, spec_for(judge_id, home.judges_file, {}), find_item_sources(home.items)


def ranked(home: Home, stop_after: int | None = None) -> RunSummary:
    def kill(done: int) -> None:
        if done == stop_after:
            os.kill(os.getpid(), signal.SIGKILL)

    return run(
        *parts(home, "haiku/ranker"),
        journal_root=home.journal,
        prompts_folder=home.prompts,
        progress=lambda each: kill(each.done),
    )


def test_it_is_planned_with_its_prompt_for_any_model(home: Home) -> None:
    (plan,) = plan_runs(
        *parts(home, "openai/x"), prompts_folder=home.prompts, environ={"OPENAI_API_KEY": "sk-x"}
    )
    assert len(plan.requests) == TRIOS * ORDERS
    assert plan.header["sampling"] == {"seed": 20250701, "trios": TRIOS}
    assert {each["shown_order"] for each in plan.header["arms"]} == {"012", "210"}
    sent = next(each.sent for each in plan.requests.values() if each.item.item_id == "moon:0")
    assert "A: moon" in sent or "C: moon" in sent
    cost = estimate(
        *parts(home, "openai/x"), journal_root=home.journal, prompts_folder=home.prompts
    )
    asked = {(each.asks, each.to_ask) for each in cost.variants}
    assert asked == {("shown 012", TRIOS), ("shown 210", TRIOS)}


def test_killed_and_resumed_it_has_every_answer_once_and_is_loaded(home: Home) -> None:
    child = os.fork()
    if child == 0:
        ranked(home, stop_after=7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    done = ranked(home)
    assert (done.status, done.already_answered + done.answered) == ("complete", TRIOS * ORDERS)
    assert done.already_answered >= 7
    assert done.unparsed == {"not_a_ranking": TRIOS * ORDERS // 5}
    assert ranked(home).answered == 0
    (path,) = home.journal.glob(f"*/{FILE_NAME}")
    ids = [line["request_id"] for line in read_journal(path) if line["kind"] == "answer"]
    assert len(ids) == len(set(ids)) == TRIOS * ORDERS

    report = load_journals(home)
    assert (report.tables["haiku_rankings"].new, report.rejects) == (TRIOS * ORDERS, [])
    counted = "select judge_id, parse_reason, count(*) from raw.haiku_rankings group by all"
    judge = "haiku/ranker"
    assert set(query(home, counted)) == {(judge, None, 32), (judge, "not_a_ranking", 8)}
    # The shortest is best in both orders: letters do not matter, and the judge agrees with itself.
    ranking = "select distinct ranking from raw.haiku_rankings where item_id = 'moon:0'"
    assert query(home, ranking) == [("012",)]
    assert "haiku_rankings" not in load_journals(home).tables


def test_a_damaged_line_of_it_is_quarantined_and_the_rest_is_loaded(home: Home) -> None:
    ranked(home)
    (path,) = home.journal.glob(f"*/{FILE_NAME}")
    before, field, after = path.read_text().rpartition('"shown_order":"210"')
    path.write_text(before + field.replace('"210"', "210") + after)
    report = load_journals(home)
    assert report.tables["haiku_rankings"].new == TRIOS * ORDERS - 1
    assert [each.reason for each in report.rejects] == [
        "is not a whole 'answer' line: shown_order should be text; found 210"
    ]


def test_mistakes_are_named(home: Home) -> None:
    path = home.experiments / "haiku_order.toml"
    path.write_text('name = "haiku-order"\nkind = "haiku"\n[ranking]\norder = ["021"]\n')
    with pytest.raises(UnknownExperiment, match=r"ranking.order is .* one of 012, 210"):
        parts(home, "haiku/ranker")
    path.write_text('name = "haiku-order"\nkind = "haiku"\n[variants]\nlabels = ["A/B"]\n')
    with pytest.raises(UnknownExperiment, match=r"'variants', which says nothing of a haiku"):
        parts(home, "haiku/ranker")
    path.write_text('name = "haiku-order"\nkind = "haiku"\n')
    with pytest.raises(UnknownJudge, match="this experiment asks about three haiku"):
        plan_runs(*parts(home, "simulated/faithful"), prompts_folder=home.prompts)
    (home.prompts / "haiku_rank.txt").write_text("Score this: {speech}")
    with pytest.raises(BadTemplate, match="asks about a trio of haiku, and prompt"):
        plan_runs(*parts(home, "haiku/ranker"), prompts_folder=home.prompts)
