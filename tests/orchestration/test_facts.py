"""What programs are told of experiments, judges and plans; and that no key is among it."""

import json
import shutil
from typing import Any

import pyarrow.parquet as pq
import pytest
from graphql import parse, validate

from dashboard.starting import dagster as client
from inference.errors import UnknownJudge
from orchestration.cli import main
from orchestration.commands.run_commands import Plan
from orchestration.commands.runs.facts import experiment_facts, judge_facts, plan_facts
from orchestration.commands.runs.plan import planned
from orchestration.registry import add_judge, ensure_registry
from tests.late import imported_late
from warehouse.home import Home

graphql = imported_late("dagster_graphql.schema")

KEY = "sk-canary-7d0c1b2a39485761"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return KEY


def asked(home: Home, capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        main(["--home", str(home.root), *arguments, "--format", "json"])
    assert ended.value.code == 0
    text = capfdbinary.readouterr().out.decode()
    assert KEY not in text
    return json.loads(text)


def test_a_plan_as_json_is_the_plan_with_its_price_key_and_smallest_effect(
    built_demo: Home, key: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    judge = "openai/gpt-4.1-mini"
    found = asked(built_demo, capfdbinary, "plan", "speech-score", f"--judge={judge}", "--limit=20")
    plan = planned(built_demo, "speech-score", judge, limit=20)
    total = found["total"]
    assert total["requests"] == total["to_ask"] == 20
    assert total["tokens_in"] == sum(each.tokens_in for each in plan.variants)
    assert total["usd"] == pytest.approx(sum(each.usd or 0 for each in plan.variants))
    assert total["usd"] <= total["usd_most"]
    assert found["judge"]["key"] == {"variable": "OPENAI_API_KEY", "set": True}
    assert found["judge"]["price"]["usd_per_million_tokens_in"] > 0
    assert found["datasets"] == ["sample"]
    (effect,) = found["smallest_effects"]
    assert (effect["n"], effect["smallest"]) == (20, pytest.approx(0.660, abs=1e-3))


def test_verdicts_have_a_smallest_effect_for_each_test_of_the_battery(built_demo: Home) -> None:
    found = plan_facts(built_demo, Plan(experiment="debate-winner", judge="simulated/fair"))
    tests = {each["test"] for each in found["smallest_effects"]}
    assert tests == {"position", "label", "stance", "order", "verbosity"}
    assert found["total"]["to_ask"] == 0
    assert found["judge"]["key"] is None
    assert not found["judge"]["is_charged"]


def test_a_judge_without_a_known_price_costs_an_unknown_amount_and_not_nothing(home: Home) -> None:
    home.ensure()
    ensure_registry(home)
    add_judge(home, "openai/own", {"base_url": "http://127.0.0.1:9/v1"})
    judges = {each["judge"]: each for each in judge_facts(home)}
    assert judges["openai/own"]["price"] is None
    assert judges["openai/own"]["is_charged"]
    assert judges["rule/length"]["price"]["usd_per_million_tokens_in"] == 0


def test_judges_say_whether_their_key_is_set_and_never_what_it_is(
    home: Home, key: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    home.ensure()
    ensure_registry(home)
    for judge in ("openai/gpt-4.1-mini", "anthropic/claude-sonnet-4"):
        add_judge(home, judge, {})
    found = {each["judge"]: each for each in asked(home, capfdbinary, "judges")}
    assert found["openai/gpt-4.1-mini"]["key"]["set"] is True
    assert found["anthropic/claude-sonnet-4"]["key"]["set"] is False
    assert all("settings" not in each for each in found.values())


def test_experiments_come_in_words_with_their_table_and_the_data_sets_that_fit(
    built_demo: Home, home: Home
) -> None:
    found = {each["experiment"]: each for each in experiment_facts(built_demo)}
    assert found["speech-score"]["printed_in"] == "the study's Figure 8"
    assert found["dispute-awareness-zero-shot"]["printed_in"] == "DebateQA's Tables 13 and 15"
    assert found["speech-score"]["datasets"] == ["sample"]
    assert found["debate-winner"]["datasets"] == ["sample-debates"]
    assert found["debate-winner"]["requests_per_item"] == 4
    assert all(each["datasets"] == [] for each in experiment_facts(home.ensure()))


def test_of_a_study_only_what_people_were_asked_there_is_offered(
    built_demo: Home, home: Home
) -> None:
    """A study of one's own has other dimensions than the shipped experiments ask about."""
    items = home.ensure().items
    shutil.copytree(built_demo.items / "sample", items / "sample")
    folder = shutil.copytree(built_demo.items / "sample", items / "study")
    name = json.loads((folder / "current.json").read_text())["items"]
    rows = pq.read_table(folder / name)
    at = rows.schema.get_field_index("dimension")
    pq.write_table(rows.set_column(at, "dimension", [["wit"] * len(rows)]), folder / name)
    both = {each["experiment"]: each for each in experiment_facts(home)}["speech-score"]
    assert (both["datasets"], both["needs_name"]) == (["sample"], True)
    shutil.rmtree(items / "sample")
    alone = {each["experiment"]: each for each in experiment_facts(home)}["speech-score"]
    assert (alone["datasets"], alone["lacking"]) == ([], ["study", "wit"])
    assert not alone["needs_name"]


def test_a_plan_for_a_judge_that_cannot_be_says_so(built_demo: Home) -> None:
    with pytest.raises(UnknownJudge, match="names the provider 'nobody'"):
        plan_facts(built_demo, Plan(experiment="speech-score", judge="nobody/x", limit=1))


def test_the_dashboard_asks_dagster_only_what_its_own_schema_has() -> None:
    schema = graphql.create_schema().graphql_schema
    queries = {
        name: text
        for name, text in vars(client).items()
        if isinstance(text, str) and text.startswith(("query(", "mutation("))
    }
    assert len(queries) == 7
    for name, text in queries.items():
        assert validate(schema, parse(text)) == [], name
