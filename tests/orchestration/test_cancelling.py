"""A run of a judge cancelled in the Dagster UI keeps what was answered, and goes on from there."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from web_driving import LOCATION, Web, serving, wait

from inference.journal import FILE_NAME, read_journal
from inference.registry import add_judge_text
from warehouse.home import Home
from warehouse.reader import current_version, run_query

pytestmark = pytest.mark.slow
JUDGE = "openai/slow"
DELAY_S = 0.4
# Requests under way get three seconds to come in; Dagster notices a cancellation within one.
CANCELLED_WITHIN_S = 15


class Slow:
    """An endpoint that takes its time, and counts how often it was asked each prompt."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked[body["messages"][-1]["content"]] += 1
                time.sleep(DELAY_S)
                message = {"role": "assistant", "content": "<score>4</score>"}
                data = json.dumps(
                    {
                        "id": "c",
                        "object": "chat.completion",
                        "created": 1,
                        "model": "slow",
                        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                        "usage": {"prompt_tokens": 100, "completion_tokens": 5},
                    }
                ).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Slow]:
    server = Slow()
    yield server
    server.close()


@pytest.fixture(scope="module")
def web(
    built_demo: Home, endpoint: Slow, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Web]:
    home = Home(tmp_path_factory.mktemp("cancelling") / "home")
    shutil.copytree(built_demo.root, home.root, symlinks=True)
    settings = {
        "base_url": endpoint.url,
        "api_key_env": "",
        "concurrency": 2,
        "usd_per_million_tokens_in": 1.0,
        "usd_per_million_tokens_out": 1.0,
    }
    text = add_judge_text(home.judges_file.read_text(), JUDGE, settings)
    home.judges_file.write_text(text)
    with serving(home, 18601, 13100) as web:
        yield web


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
        JUDGE,
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
        shown = [each for each in events(web, run_id) if each["__typename"] == "ObservationEvent"]
        return bool(shown) and len(answered(web.home)) >= 8

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
    ended = web.ask(
        """mutation($id: String!) { terminateRun(runId: $id) {
             __typename ... on TerminateRunFailure { message } ... on PythonError { message } } }""",
        id=run_id,
    )
    assert ended["terminateRun"]["__typename"] == "TerminateRunSuccess", ended
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
    assert wait(lambda: web.ended(again), "the second run to end") == "SUCCESS"
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
    assert {name: field["defaultValueAsJson"] for name, field in fields.items()} == {
        "limit": "null",
        "datasets": "[]",
        "budget_usd": "null",
        "fresh": "false",
        "report_every_s": "10.0",
    }
    assert all(field["description"] and not field["isRequired"] for field in fields.values())
