"""The page that starts runs: what it plans, when it is off and why, and the run it watches."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dagster_stub import PAIR, DagsterStub, answering
from streamlit.testing.v1 import AppTest

from dashboard.core.commands import CommandFailed
from dashboard.starting import commands, dagster
from dashboard.starting.dagster import Dagster, DagsterError
from orchestration.commands.run_commands import Plan
from orchestration.commands.runs.facts import experiment_facts, judge_facts, plan_facts
from orchestration.registry import add_judge
from warehouse.home import Home
from warehouse.reader import Version
from warehouse.serving import READ_ONLY, Addresses

PRICED = "openai/gpt-4.1-mini"
NEW = "rule/constant-2"
KEY = "sk-canary-0f9e8d7c6b5a4321"
OpenPage = Callable[..., AppTest]


def in_process(root: str, arguments: tuple[str, ...], _stamps: object) -> Any:
    """Answer as the command line does, without a process of its own."""
    home = Home(Path(root))
    if arguments[0] != "plan":
        return {"experiments": experiment_facts, "judges": judge_facts}[arguments[0]](home)
    options = [each.removeprefix("--").partition("=") for each in arguments[2:]]
    values = {name: value for name, _, value in options}
    datasets = [value for name, _, value in options if name == "dataset"]
    limit = int(values["limit"]) if "limit" in values else None
    try:
        plan = Plan(experiment=arguments[1], judge=values["judge"], limit=limit, datasets=datasets)
        return plan_facts(home, plan)
    except Exception as error:
        raise CommandFailed(str(error)) from None


@pytest.fixture
def at_hand(demo: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo, whose facts are had without starting the command line, and no Dagster."""
    monkeypatch.setattr(commands, "_answer", in_process)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def stub(at_hand: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[DagsterStub]:
    with answering() as found:
        addresses = Addresses("", found.address)
        monkeypatch.setattr(dagster, "live_addresses", lambda _home: addresses)
        yield found


def said(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.code)
    return "\n".join(str(one.value) for kind in kinds for one in kind)


def start(app: AppTest) -> Any:
    return next(one for one in app.button if one.key == "start_run_start")


def figures(app: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in app.metric}


def test_a_run_is_planned_started_with_what_was_chosen_and_watched(
    stub: DagsterStub, open_page: OpenPage
) -> None:
    app = open_page("start_run", judge=NEW)
    assert "20 requests to `rule/constant-2` about `sample`, at no charge." in said(app)
    assert figures(app)["Requests to ask"] == "20"
    assert "rostrum run speech-score --judge=rule/constant-2 --limit=20" in said(app)
    app.number_input(key="start_run_limit").set_value(30).run()
    assert figures(app)["Requests to ask"] == "30"
    start(app).click().run()
    assert not app.exception
    assert stub.launched == [
        (PAIR, {"limit": 30, "budget_usd": None, "datasets": [], "report_every_s": 2.0})
    ]
    assert app.query_params["run"] == "run-1"
    assert "is asking the judge" in said(app)
    # Not a second time beside the first.
    assert start(app).disabled
    assert "is being run with this judge" in said(app)


def test_of_verdicts_the_smallest_effect_covers_all_that_may_be_assumed(
    stub: DagsterStub, open_page: OpenPage
) -> None:
    app = open_page("start_run", experiment="debate-winner", judge="rule/random")
    app.number_input(key="start_run_limit").set_value(240).run()
    low, high = map(float, figures(app)["Smallest effect found"].split(" to "))
    assert 0 < low < high
    assert "position, n" in said(app).replace("\\", "")
    assert "All numbers on this page" not in said(app)


def test_a_run_under_way_shows_progress_spend_rate_time_left_and_failures_by_kind(
    stub: DagsterStub, open_page: OpenPage
) -> None:
    stub.add("r1", "STARTED", "model_runs__responses")
    stub.reports["r1"] = {
        "done": 40,
        "requests": 100,
        "failed": 3,
        "errors_by_kind": {"rate_limit": 2, "<b>x</b>": 1},
        "unparsed": 5,
        "requests_per_s": 4.0,
        "seconds_left": 15,
        "cost": "$0.0123",
        "cost_usd": 0.0123,
    }
    app = open_page("start_run", judge=NEW)
    shown = figures(app)
    assert (shown["Spent"], shown["Requests a second"], shown["Time left"]) == (
        "$0.0123",
        "4.00",
        "15 s",
    )
    assert shown["Failed · unreadable"] == "3 · 5"
    assert "`rate_limit` 2" in said(app)
    assert "<b>x</b>" not in said(app).replace("`<b>x</b>`", "")
    app.button(key="stop_r1").click().run()
    assert stub.stopped == ["r1"]
    assert not app.exception


def test_a_run_that_failed_midway_says_why_and_goes_on_with_the_same_settings(
    stub: DagsterStub, open_page: OpenPage
) -> None:
    stub.add("r1", "FAILURE", "model_runs__responses", limit=50, budget_usd=2.0)
    stub.errors["r1"] = "runner: judge 'rule/constant-2': refused 5 times <script>alert(1)</script>"
    app = open_page("start_run", judge=NEW, run="r1")
    assert "failed while asking the judge" in said(app)
    assert any("refused 5 times" in one.value for one in app.code)
    app.button(key="resume_r1").click().run()
    assert stub.launched == [(PAIR, {"limit": 50, "budget_usd": 2.0})]
    assert app.query_params["run"] == "run-1"


def test_a_priced_judge_needs_its_key_and_a_budget(
    stub: DagsterStub, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("start_run", judge=PRICED)
    assert start(app).disabled
    assert "OPENAI_API_KEY" in said(app)
    assert "Set a budget" in said(app)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    app.number_input(key="start_run_budget").set_value(0.5).run()
    assert not start(app).disabled
    assert "--budget=0.5" in said(app)
    start(app).click().run()
    assert stub.launched[0][1]["budget_usd"] == 0.5
    assert KEY not in said(app) + str(stub.launched)


def test_a_judge_without_a_known_price_starts_only_when_that_is_accepted(
    stub: DagsterStub, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    app = open_page("start_run", judge="openai/nobody-knows-its-price")
    assert "what it costs is not known" in said(app)
    assert start(app).disabled
    app.checkbox(key="start_run_unbounded").check().run()
    assert not start(app).disabled


def test_without_dagster_the_plan_is_shown_and_nothing_can_be_started(
    at_hand: None, open_page: OpenPage
) -> None:
    app = open_page("start_run", judge=NEW)
    assert "no Dagster serves this home" in said(app)
    assert "rostrum serve" in [one.value for one in app.code]
    assert figures(app)["Requests to ask"] == "20"
    assert start(app).disabled


@pytest.mark.parametrize(
    "broken", [(500, b"it broke"), (200, b"no JSON"), (200, b'{"data": null}')]
)
def test_a_dagster_that_answers_wrongly_is_named_and_turns_starting_off(
    stub: DagsterStub, open_page: OpenPage, broken: tuple[int, bytes]
) -> None:
    stub.broken = broken
    app = open_page("start_run", judge=NEW)
    assert stub.address in said(app)
    assert start(app).disabled


def test_served_read_only_the_page_offers_nothing(
    stub: DagsterStub, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(READ_ONLY, "1")
    stub.add("r1", "STARTED")
    app = open_page("start_run")
    assert "read-only" in said(app)
    assert not [one for one in app.button if one.key != "app_newer"]
    assert not app.selectbox


def test_a_judge_that_cannot_be_is_named_and_nothing_is_started(
    stub: DagsterStub, open_page: OpenPage
) -> None:
    app = open_page("start_run", judge="nobody/x")
    assert "names the provider 'nobody'" in said(app)
    assert not [one for one in app.button if one.key == "start_run_start"]


def test_the_command_line_is_asked_in_a_process_of_its_own_and_its_error_comes_back(
    built_demo: Home, home: Home
) -> None:
    judges = commands.judges(built_demo)
    assert judges == judge_facts(built_demo)
    with pytest.raises(CommandFailed, match="no items of data set"):
        commands.plan(home.ensure(), "speech-score", "--help/x", limit=None, datasets=())


def test_a_change_of_the_judges_file_is_seen_at_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps = []
    monkeypatch.setattr(commands, "_answer", lambda *asked: stamps.append(asked) or [])
    home.ensure()
    commands.judges(home)
    add_judge(home, NEW, {})
    commands.judges(home)
    assert stamps[0] != stamps[1]


def test_a_dagster_that_is_not_there_is_an_error_with_its_address() -> None:
    proxied = {"http_proxy": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in proxied.items():
            patch.setitem(os.environ, name, value)
        with answering() as stub:
            assert Dagster(stub.address).runs() == []
        with pytest.raises(DagsterError, match=stub.address):
            Dagster(stub.address).runs()


def test_served_read_only_nothing_can_be_handed_in(
    demo: Version, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(READ_ONLY, "1")
    app = open_page("judge_yourself", person="Ada")
    assert "served read-only" in said(app)
