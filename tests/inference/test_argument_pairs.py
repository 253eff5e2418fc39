import os
import signal
import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import duckdb
import pytest

from inference.errors import BadItems
from inference.experiment import Experiment
from inference.experiments import load_experiment
from inference.items import ItemSource, find_item_sources
from inference.journal import FILE_NAME, read_journal
from inference.kinds import KIND
from inference.plan import plan_runs
from inference.providers import PROVIDERS
from inference.registry import JudgeSpec, add_judge_text, spec_for
from inference.runner import RunSummary, run
from inference.runs.estimate import estimate
from ingestion.ingest import ingest_study
from ingestion.journals import load_journals
from ingestion.reparse import reparse
from ingestion.speeches.readers.study import Study
from tests.dbt_runs import run_dbt
from tests.docs.documents import Page
from tests.forking import exit_code
from tests.ingestion.ingestion_files import query
from warehouse.home import PROJECT_ROOT, Home

PAIRS, ORDERS = 20, 2
PAGE = Page(PROJECT_ROOT / "docs" / "extending.md")
SHOWN = {
    (block.file, block.table): block.lines
    for block in PAGE.additions()
    if "pair" in block.lines or "pair" in block.file
}


@pytest.fixture
def home(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:

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

    kinds = module("inference.kinds.pairs", SHOWN["inference/kinds/pairs.py", None])
    module("inference.judges.pairs", SHOWN["inference/judges/pairs.py", None])
    entries = module(
        "entries",
        "from inference.providers.base import Family, Provider\n"
        f"PROVIDERS = {{{SHOWN['inference/providers/__init__.py', 'PROVIDERS']}}}\n",
    )
    monkeypatch.setitem(KIND, "pair", kinds.Pairs())
    monkeypatch.setitem(PROVIDERS, "pairs", entries.PROVIDERS["pairs"])
    assert ingest_study(home, study(tmp_path)).quarantined == 0
    for folder, name in ((home.prompts, "pair.txt"), (home.experiments, "pair_orders.toml")):
        (folder / name).write_text(SHOWN[f".rostrum/{folder.name}/{name}", None])
    return home


def study(folder: Path) -> Study:
    """Pairs of a long and a short argument; three of four people prefer the long one."""
    items, ratings = folder / "arguments.csv", folder / "ratings.csv"
    with items.open("w") as file, ratings.open("w") as values:
        file.write("item,debate,motion,text\n")
        values.write("item,annotator,value\n")
        for n in range(PAIRS):
            for letter, is_long in (("a", n % 2), ("b", 1 - n % 2)):
                text = "because it is so" if is_long else "no"
                file.write(f"{n}{letter},{n},Moon {n},{text}\n")
                for person in range(4):
                    values.write(f"{n}{letter},{person},{is_long if person else 1 - is_long}\n")
    return Study("moon", items, ratings, "Is it better?", 0, 1, dimension="convincing")


def parts(home: Home, judge_id: str) -> tuple[Experiment, JudgeSpec, list[ItemSource]]:
    experiment = load_experiment("pair-orders", [home.experiments])
    return experiment, spec_for(judge_id, home.judges_file, {}), find_item_sources(home.items)


def compared(home: Home, stop_after: int | None = None) -> RunSummary:
    def kill(done: int) -> None:
        if done == stop_after:
            os.kill(os.getpid(), signal.SIGKILL)

    return run(
        *parts(home, "pairs/longer"),
        journal_root=home.journal,
        prompts_folder=home.prompts,
        progress=lambda each: kill(each.done),
    )


def test_it_is_planned_with_its_prompt_for_any_model(home: Home) -> None:
    (plan,) = plan_runs(
        *parts(home, "openai/x"), prompts_folder=home.prompts, environ={"OPENAI_API_KEY": "sk-x"}
    )
    assert len(plan.requests) == PAIRS * ORDERS
    assert plan.header["sampling"] == {"seed": 20250701, "pairs": PAIRS}
    assert {each["shown_order"] for each in plan.header["arms"]} == {"01", "10"}
    sent = next(each.sent for each in plan.requests.values() if each.item.arguments[0] == "no")
    assert "A: no\nB: because" in sent or "A: because it is so\nB: no" in sent
    cost = estimate(
        *parts(home, "openai/x"), journal_root=home.journal, prompts_folder=home.prompts
    )
    asked = {(each.asks, each.to_ask) for each in cost.variants}
    assert asked == {("shown 01", PAIRS), ("shown 10", PAIRS)}


def test_killed_and_resumed_it_has_every_answer_once_and_is_loaded(home: Home) -> None:
    child = os.fork()
    if child == 0:
        # Whatever it ends with, it may not go on as a second test process.
        os._exit(exit_code(lambda: compared(home, stop_after=7)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    done = compared(home)
    assert (done.status, done.already_answered + done.answered) == ("complete", PAIRS * ORDERS)
    assert done.already_answered >= 7
    assert done.unparsed == {"not_a_label": PAIRS * ORDERS // 5}
    assert compared(home).answered == 0
    (path,) = home.journal.glob(f"*/{FILE_NAME}")
    ids = [line["request_id"] for line in read_journal(path) if line["kind"] == "answer"]
    assert len(ids) == len(set(ids)) == PAIRS * ORDERS

    report = load_journals(home)
    assert (report.tables["scores"].new, report.rejects) == (2 * PAIRS * ORDERS, [])
    counted = "select parse_reason, count(*), count(value) from raw.scores group by all"
    assert set(query(home, counted)) == {(None, 64, 64), ("not_a_label", 16, 0)}
    # The longer one convinces in both orders: letters do not matter.
    shares = (
        "select distinct item_id, value, extra ->> 'why' from raw.scores "
        "where item_id like 'moon:0_' order by all"
    )
    assert query(home, shares) == [("moon:0a", 0.0, "Length."), ("moon:0b", 1.0, "Length.")]
    assert "scores" not in load_journals(home).tables


def test_played_back_each_order_has_its_own_reply(home: Home) -> None:
    compared(home)
    (recorded,) = home.journal.glob(f"*/{FILE_NAME}")
    home.judges_file.write_text(add_judge_text("", "replay/it", {"file": str(recorded)}))
    folder = home.root / "played"
    run(*parts(home, "replay/it"), journal_root=folder, prompts_folder=home.prompts)
    (played,) = folder.glob(f"*/{FILE_NAME}")

    def replies(path: Path) -> dict[tuple[str, str], str]:
        return {
            (line["item_id"], line["shown_order"]): line["response"]
            for line in read_journal(path)
            if line["kind"] == "answer"
        }

    assert replies(played) == replies(recorded)


def test_a_better_reader_rereads_old_answers(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(home)
    load_journals(home)
    assert (reparse(home).reloaded, reparse(home).skipped) == (0, 0)
    known = sys.modules["inference.kinds.pairs"]
    better = known.Preference((1.0, 0.0), "", None)
    monkeypatch.setattr(known.Pairs, "parse", lambda *_: better)
    assert reparse(home).reloaded > 0
    assert query(home, "select count(*) from raw.scores where value is null") == [(0,)]
    assert reparse(home).reloaded == 0


def test_what_is_no_pair_is_not_asked_about(home: Home, tmp_path: Path) -> None:
    other = replace(study(tmp_path), name="elsewhere", dimension="quality")
    assert ingest_study(home, other).quarantined == 0
    assert compared(home).answered == PAIRS * ORDERS
    experiment = home.experiments / "pair_orders.toml"
    experiment.write_text(experiment.read_text() + 'datasets = ["elsewhere"]\n')
    with pytest.raises(
        BadItems, match=r"a pair of arguments, and data set 'elsewhere' has nothing"
    ):
        compared(home)


@pytest.mark.slow
def test_it_is_built_and_its_agreement_with_people_is_shown(home: Home) -> None:
    """The judge prefers what three of four people do: its kappa with them is 1, 1, 1 and -1."""
    compared(home)
    load_journals(home)
    ancestors = ("+rpt_run_health", "+rpt_rater_agreement", "+rpt_rank_agreement")
    wanted = ("--indirect-selection", "cautious", "--exclude-resource-type", "unit_test")
    run_dbt(home, "build", *wanted, "--select", *ancestors)
    with duckdb.connect(str(home.build_db), read_only=True) as built:

        def rows(sql: str) -> list[tuple[object, ...]]:
            return built.execute(sql).fetchall()

        of_it = "where judge_id = 'pairs/longer'"
        assert rows(
            "select mean_kappa, n_answers, unparsed_count, mean_kappa_released > 0 "
            f"from marts.rpt_rater_agreement {of_it} and min_shared_items = 20"
        ) == [(pytest.approx(0.5), 80, 16, True)]
        assert rows(
            f"select spearman, n_answers, unparsed_count from marts.rpt_rank_agreement {of_it}"
        ) == [(pytest.approx(1.0), 80, 16)]
        assert rows(
            "select planned_count, request_count, parsed_count, unparsed_count, unasked_count "
            "from marts.rpt_run_health"
        ) == [(40, 40, 32, 8, 0)]


def test_a_damaged_line_of_it_is_quarantined_and_the_rest_is_loaded(home: Home) -> None:
    compared(home)
    (path,) = home.journal.glob(f"*/{FILE_NAME}")
    before, field, after = path.read_text().rpartition('"shown_order":"10"')
    path.write_text(before + field.replace('"10"', "10") + after)
    report = load_journals(home)
    assert report.tables["scores"].new == 2 * (PAIRS * ORDERS - 1)
    assert [each.reason for each in report.rejects] == [
        "is not a whole 'answer' line: shown_order should be text; found 10"
    ]
