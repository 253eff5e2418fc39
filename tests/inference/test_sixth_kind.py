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

TRIOS, ORDERS = 20, 2
PAGE = Page(PROJECT_ROOT / "docs" / "extending.md")
SHOWN = {
    (block.file, block.table): block.lines
    for block in PAGE.additions()
    if "haiku" in block.lines or "haiku" in block.file
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

    kinds = module("inference.kinds.haiku", SHOWN["inference/kinds/haiku.py", None])
    module("inference.judges.haiku", SHOWN["inference/judges/haiku.py", None])
    entries = module(
        "entries",
        "from inference.providers.base import Family, Provider\n"
        f"PROVIDERS = {{{SHOWN['inference/providers/__init__.py', 'PROVIDERS']}}}\n",
    )
    monkeypatch.setitem(KIND, "haiku", kinds.Haiku())
    monkeypatch.setitem(PROVIDERS, "haiku", entries.PROVIDERS["haiku"])
    assert ingest_study(home, study(tmp_path)).quarantined == 0
    for folder, name in ((home.prompts, "haiku_rank.txt"), (home.experiments, "haiku_order.toml")):
        (folder / name).write_text(SHOWN[f".rostrum/{folder.name}/{name}", None])
    return home


def study(folder: Path) -> Study:
    """Trios in which one haiku has one word, one two and one three; people like the short ones.

    Every fourth person likes the long ones.
    """
    items, ratings = folder / "haiku.csv", folder / "places.csv"
    trios = [[(n + place) % 3 + 1 for place in range(3)] for n in range(TRIOS)]
    with items.open("w") as file:
        file.write("item,debate,motion,text\n")
        for n, lengths in enumerate(trios):
            for letter, words in zip("abc", lengths, strict=True):
                file.write(f"{n}{letter},{n},Moon {n},{' '.join(['moon'] * words)}\n")
    with ratings.open("w") as file:
        file.write("item,annotator,value\n")
        for n, lengths in enumerate(trios):
            for letter, words in zip("abc", lengths, strict=True):
                for person in range(4):
                    file.write(f"{n}{letter},{person},{words if person else 4 - words}\n")
    return Study("moon", items, ratings, "Which place does it take?", 1, 3, dimension="place")


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
    sent = next(each.sent for each in plan.requests.values() if each.item.haiku[0] == "moon")
    assert "A: moon" in sent
    cost = estimate(
        *parts(home, "openai/x"), journal_root=home.journal, prompts_folder=home.prompts
    )
    asked = {(each.asks, each.to_ask) for each in cost.variants}
    assert asked == {("shown 012", TRIOS), ("shown 210", TRIOS)}


def test_killed_and_resumed_it_has_every_answer_once_and_is_loaded(home: Home) -> None:
    child = os.fork()
    if child == 0:
        # Whatever it ends with, it may not go on as a second test process.
        os._exit(exit_code(lambda: ranked(home, stop_after=7)))
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
    assert (report.tables["scores"].new, report.rejects) == (3 * TRIOS * ORDERS, [])
    counted = "select parse_reason, count(*), count(value) from raw.scores group by all"
    assert set(query(home, counted)) == {(None, 96, 96), ("not_a_ranking", 24, 0)}
    # The shortest is best in both orders: letters do not matter, and the judge agrees with itself.
    places = (
        "select distinct item_id, value from raw.scores where item_id like 'moon:0_' order by all"
    )
    assert query(home, places) == [("moon:0a", 1.0), ("moon:0b", 2.0), ("moon:0c", 3.0)]
    assert "scores" not in load_journals(home).tables


def test_played_back_each_order_has_its_own_reply(home: Home) -> None:
    ranked(home)
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
    ranked(home)
    load_journals(home)
    assert (reparse(home).reloaded, reparse(home).skipped) == (0, 0)
    known = sys.modules["inference.kinds.haiku"]
    monkeypatch.setattr(known, "read_places", lambda *_: known.Places({0: 1, 1: 2, 2: 3}, None))
    assert reparse(home).reloaded > 0
    assert query(home, "select count(*) from raw.scores where value is null") == [(0,)]
    assert reparse(home).reloaded == 0


def test_what_is_no_haiku_is_not_asked_about(home: Home, tmp_path: Path) -> None:
    other = replace(study(tmp_path), name="elsewhere", dimension="quality")
    assert ingest_study(home, other).quarantined == 0
    assert ranked(home).answered == TRIOS * ORDERS
    experiment = home.experiments / "haiku_order.toml"
    experiment.write_text(experiment.read_text() + 'datasets = ["elsewhere"]\n')
    with pytest.raises(BadItems, match=r"three haiku, and data set 'elsewhere' has nothing"):
        ranked(home)


@pytest.mark.slow
def test_it_is_built_and_its_agreement_with_people_is_shown(home: Home) -> None:
    """The judge ranks as three of four people do, so its kappa with them is that of 1, 1, 1 and -1."""
    ranked(home)
    load_journals(home)
    ancestors = ("+rpt_run_health", "+rpt_rater_agreement", "+rpt_rank_agreement")
    wanted = ("--indirect-selection", "cautious", "--exclude-resource-type", "unit_test")
    run_dbt(home, "build", *wanted, "--select", *ancestors)
    with duckdb.connect(str(home.build_db), read_only=True) as built:

        def rows(sql: str) -> list[tuple[object, ...]]:
            return built.execute(sql).fetchall()

        of_it = "where judge_id = 'haiku/ranker'"
        assert rows(
            "select mean_kappa, n_answers, unparsed_count, mean_kappa_released > 0 "
            f"from marts.rpt_rater_agreement {of_it} and min_shared_items = 20"
        ) == [(pytest.approx(0.5), 120, 24, True)]
        assert rows(
            f"select spearman, n_answers, unparsed_count from marts.rpt_rank_agreement {of_it}"
        ) == [(pytest.approx(1.0), 120, 24)]
        assert rows(
            "select planned_count, request_count, parsed_count, unparsed_count, unasked_count "
            "from marts.rpt_run_health"
        ) == [(40, 40, 32, 8, 0)]


def test_a_damaged_line_of_it_is_quarantined_and_the_rest_is_loaded(home: Home) -> None:
    ranked(home)
    (path,) = home.journal.glob(f"*/{FILE_NAME}")
    before, field, after = path.read_text().rpartition('"shown_order":"210"')
    path.write_text(before + field.replace('"210"', "210") + after)
    report = load_journals(home)
    assert report.tables["scores"].new == 3 * (TRIOS * ORDERS - 1)
    assert [each.reason for each in report.rejects] == [
        "is not a whole 'answer' line: shown_order should be text; found 210"
    ]
