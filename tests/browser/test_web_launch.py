"""Runs of a served home: from the page, by Dagster's own calls and from the inbox; one is cancelled."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from web_driving import LOCATION, PATIENCE_S, Web, serving, wait

from dashboard.starting.dagster import Dagster, DagsterError, Run, dagster_of
from dashboard.starting.findings import STEPS
from inference.journal import FILE_NAME, read_journal
from inference.registry import add_judge_text
from tests.browser.conftest import tab_to
from tests.inference.endpoint import Endpoint, Sent
from tests.inference.inference_fixtures import completion
from warehouse.home import Home
from warehouse.reader import current_version, run_query
from warehouse.serving import live_addresses

pytestmark = pytest.mark.slow
PATIENCE_MS = 90_000
# A preset that the demo does not ask.
SCORER = "rule/constant-5"
SLOW_JUDGE = "openai/slow"
# Requests under way get three seconds to come in; Dagster notices a cancellation within one.
CANCELLED_WITHIN_S = 15


class Slow(Endpoint):
    """An endpoint that takes its time, and counts how often it was asked each prompt."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        super().__init__()

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
        with self._lock:
            self.asked[json.loads(data)["messages"][-1]["content"]] += 1
        time.sleep(0.4)
        status, headers, body = completion("<score>4</score>")
        return status, headers, body.encode()


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Slow]:
    server = Slow()
    yield server
    server.close()


@pytest.fixture(scope="module")
def web(small_home: Home, small_project: Path, endpoint: Slow) -> Iterator[Web]:
    settings = {
        "base_url": endpoint.url,
        "api_key_env": "",
        "concurrency": 2,
        "usd_per_million_tokens_in": 1.0,
        "usd_per_million_tokens_out": 1.0,
    }
    text = add_judge_text(small_home.judges_file.read_text(), SLOW_JUDGE, settings)
    small_home.judges_file.write_text(text)
    with serving(small_home, 18501, 13000, small_project) as web:
        yield web


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    window = browser.new_context(viewport={"width": 1440, "height": 900})
    window.set_default_timeout(PATIENCE_MS)
    yield window.new_page()
    window.close()


def _dagster(web: Web) -> Dagster:
    dagster = dagster_of(web.home)
    assert dagster is not None
    return dagster


@pytest.mark.browser
def test_a_run_started_by_the_keyboard_is_watched_built_and_published(web: Web, page: Page) -> None:
    before = current_version(web.home).name
    live, dagster = live_addresses(web.home), _dagster(web)
    assert live is not None
    page.goto(f"{live.dashboard}/start_run?experiment=speech-score&dataset=sample")
    tab_to(page, page.get_by_role("combobox", name="Who judges"))
    page.keyboard.type(SCORER)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=f"20 requests to {SCORER}").wait_for()
    tab_to(page, page.get_by_role("button", name="Start the run"))
    page.keyboard.press("Enter")
    link = page.get_by_role("link", name="Open in Dagster")
    link.wait_for()
    newest = dagster.runs()[0].run_id
    assert link.get_attribute("href") == f"{live.dagster}/runs/{newest}"
    steps = set()

    def ended() -> Run | None:
        run = dagster.run(newest)
        assert run is not None
        steps.add(run.step)
        return run if run.is_ended else None

    run = wait(ended, "the run to end")
    # Polled twice a second; the build takes longer.
    assert "metrics" in steps <= {"", *STEPS}
    done = page.get_by_text("is done, and its answers are published")
    expect(done).to_be_visible(timeout=PATIENCE_S * 1000)
    all_requests = page.get_by_text("20 of 20 requests", exact=True)
    expect(all_requests).to_be_visible(timeout=PATIENCE_MS)
    assert page.locator('[data-testid="stException"]').count() == 0
    assert (run.status, run.experiment, run.judge) == ("SUCCESS", "speech-score", SCORER)
    assert run.config == {
        "limit": 20,
        "budget_usd": None,
        "datasets": ["sample"],
        "report_every_s": 2.0,
    }
    facts = dagster.facts(run)
    assert (facts["status"], facts["requests"], facts["answered_now"]) == ("complete", 20, 20)
    assert (facts["failed"], facts["errors_by_kind"], facts["cost_usd"]) == (0, {}, 0)
    version = current_version(web.home)
    assert version.name > before
    query = f"select count(*), min(value) from fct_score where judge_id = '{SCORER}'"
    assert run_query(version, query).rows == [(20, 5.0)]
    assert SCORER in web.home.judges_file.read_text()


def test_a_run_that_fails_tells_the_dashboard_why(web: Web) -> None:
    dagster = _dagster(web)
    config = {"limit": 10, "budget_usd": 0.5, "datasets": ["nowhere"], "report_every_s": 1.0}
    run_id = dagster.launch("speech-score|rule/constant-4", config)
    assert dagster.runs()[0].run_id == run_id
    assert wait(lambda: web.ended(run_id), "the run to end") == "FAILURE"
    run = dagster.run(run_id)
    assert run is not None
    assert run.config == config
    assert run.step == "model_runs__responses"
    assert "no items of data set 'nowhere'" in dagster.why_failed(run_id)
    assert dagster.run("00000000-0000-0000-0000-000000000000") is None
    with pytest.raises(DagsterError, match="refused"):
        dagster.launch("speech-score|rule/constant-4", {"limit": "many"})


def test_a_file_dropped_into_the_inbox_stands_beside_the_humans_by_itself(web: Web) -> None:
    query = "select item_id from dim_item where dataset_id = 'sample'"
    items = [row[0] for row in run_query(current_version(web.home), query).rows]
    lines = [
        {"item": item, "judge": "acme/dropped", "response": f"<score>{1 + at % 5}</score>"}
        for at, item in enumerate(items)
    ]
    lines.append({"item": "sample:nowhere", "judge": "acme/dropped", "value": 3})
    good = web.home.inbox / "dropped.jsonl"
    good.write_text("\n".join(json.dumps(line) for line in lines))
    bad = web.home.inbox / "broken.parquet"
    bad.write_bytes(b"PAR1 this is not parquet")

    def published() -> bool:
        rows = run_query(
            current_version(web.home),
            "select n_answers + unrated_count, unparsed_count, mean_kappa is not null "
            "from rpt_rater_agreement "
            "where judge_id = 'acme/dropped' and min_shared_items = 50",
        ).rows
        return rows == [(len(items), 0, True)]

    wait(published, "the dropped scores to be published")
    kinds = run_query(
        current_version(web.home),
        "select judge_kind from dim_judge where judge_id = 'acme/dropped'",
    )
    assert kinds.rows == [("imported",)]
    assert not good.exists()
    reason = web.home.inbox / "rejected" / "broken.parquet.reason.txt"
    wait(reason.exists, "the broken file to be refused")
    assert "broken.parquet" in reason.read_text()
    assert not bad.exists()


def journal(home: Home) -> list[dict[str, Any]]:
    paths = list(home.journal.glob(f"*openai-slow*/{FILE_NAME}"))
    return [line for path in paths for line in read_journal(path)]


def answered(home: Home) -> list[str]:
    return [
        line["request_id"]
        for line in journal(home)
        if line["kind"] == "answer" and line["status"] == "answered"
    ]


def events(web: Web, run_id: str) -> list[dict[str, Any]]:
    found = web.ask(
        """query($id: ID!) { logsForRun(runId: $id) { ... on EventConnection { events {
             __typename
             ... on MessageEvent { message }
             ... on ObservationEvent { metadataEntries {
               label ... on IntMetadataEntry { intValue } ... on FloatMetadataEntry { floatValue }
               ... on TextMetadataEntry { text } } }
             ... on ErrorEvent { error { message errorChain { error { message } } } }
        } } } }""",
        id=run_id,
    )
    return list(found["logsForRun"]["events"])


def start(web: Web, **config: Any) -> str:
    return web.launch(
        SLOW_JUDGE,
        {"datasets": ["sample"], "report_every_s": 1.0, **config},
        job="__ASSET_JOB",
        assets=[["model_runs", "responses"]],
    )


def test_a_cancelled_run_shows_its_progress_ends_soon_and_goes_on_without_asking_twice(
    web: Web, endpoint: Slow
) -> None:
    query = "select count(*) from dim_item where dataset_id = 'sample'"
    n_speeches = run_query(current_version(web.home), query).rows[0][0]
    run_id = start(web)

    def is_under_way() -> bool:
        if len(answered(web.home)) < 8:
            return False
        return any(each["__typename"] == "ObservationEvent" for each in events(web, run_id))

    wait(is_under_way, "progress to show")
    shown = [each for each in events(web, run_id) if each["__typename"] == "ObservationEvent"]
    entries = {
        entry["label"]: next(
            (entry[name] for name in ("intValue", "floatValue", "text") if entry.get(name)), 0
        )
        for entry in shown[-1]["metadataEntries"]
    }
    assert entries["requests"] == n_speeches
    assert 0 < entries["done"] < n_speeches
    assert entries["requests_per_s"] > 0
    assert entries["cost_usd"] > 0
    said = [each.get("message") or "" for each in events(web, run_id)]
    assert any(
        f"of {n_speeches} requests" in message and "cost so far" in message for message in said
    )

    before = set(answered(web.home))
    asked_at = time.monotonic()
    _dagster(web).stop(run_id)
    wait(lambda: web.ended(run_id), "the run to end", patience_s=60)
    assert time.monotonic() - asked_at < CANCELLED_WITHIN_S
    assert web.status(run_id) == "CANCELED"
    errors = [each["error"] for each in events(web, run_id) if each.get("error")]
    chains = [[error, *(link["error"] for link in error["errorChain"])] for error in errors]
    reasons = [error["message"] for chain in chains for error in chain]
    assert any("every answer is kept" in reason for reason in reasons), reasons

    kept = answered(web.home)
    assert before <= set(kept)
    assert len(kept) == len(set(kept)) < n_speeches
    assert journal(web.home)[-1]["kind"] == "end"
    assert journal(web.home)[-1]["status"] == "interrupted"
    # Every request that was sent came in: none is paid for and lost.
    assert sum(endpoint.asked.values()) == len(kept)

    again = start(web)
    assert wait(lambda: web.ended(again), "the run to end") == "SUCCESS"
    assert len(set(answered(web.home))) == len(answered(web.home)) == n_speeches
    assert set(endpoint.asked.values()) == {1}
    assert journal(web.home)[-1]["status"] == "complete"


def test_the_launchpad_offers_how_much_to_run_and_what_it_may_cost(web: Web) -> None:
    found = web.ask(
        """query($selector: PipelineSelector!) { runConfigSchemaOrError(selector: $selector,
             mode: "default") { ... on RunConfigSchema { rootDefaultYaml allConfigTypes {
               ... on CompositeConfigType { fields { name description isRequired
                 defaultValueAsJson } } } } } }""",
        selector={
            "repositoryName": LOCATION["repositoryName"],
            "repositoryLocationName": LOCATION["repositoryLocationName"],
            "pipelineName": "judge_and_publish",
        },
    )["runConfigSchemaOrError"]
    fields = {
        field["name"]: field
        for kind in found["allConfigTypes"]
        for field in kind.get("fields") or []
        if any(each["name"] == "budget_usd" for each in kind["fields"])
    }
    assert set(fields) == {
        "limit",
        "datasets",
        "budget_usd",
        "fresh",
        "report_every_s",
        "shards",
        "on",
    }
    # Else they would stand above limit and budget, with which the job begins.
    assert found["rootDefaultYaml"] == "{}\n"
    assert {field["defaultValueAsJson"] for field in fields.values()} == {"null"}
    assert all(field["description"] and not field["isRequired"] for field in fields.values())
