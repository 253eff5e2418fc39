"""The Dagster UI's own calls: pick an experiment and a new judge, materialize; drop a file, wait."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conftest import ROSTRUM
from warehouse.home import Home
from warehouse.reader import current_version, run_query

pytestmark = pytest.mark.slow
PATIENCE_S = 150
LOCATION = {
    "repositoryLocationName": "orchestration.definitions",
    "repositoryName": "__repository__",
}


class Web:
    """A served home and its GraphQL endpoint."""

    def __init__(self, home: Home, address: str) -> None:
        self.home = home
        self._address = address

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self._address}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            answer: dict[str, Any] = json.load(response)
        assert "errors" not in answer, answer
        return answer["data"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def web(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    import shutil

    home = Home(tmp_path_factory.mktemp("web") / "home")
    shutil.copytree(built_demo.root, home.root, symlinks=True)
    server = subprocess.Popen(
        [
            str(ROSTRUM), "--home", str(home.root), "serve", "--dashboard-port", "18501",
            "--dagster-port", "13000",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env=os.environ | {"ROSTRUM_HOME": str(home.root)},
    )  # fmt: skip
    lines = []
    assert server.stdout is not None
    for line in server.stdout:
        lines.append(line)
        if line.startswith("Dagster UI"):
            break
    else:
        pytest.fail("".join(lines))
    yield Web(home, lines[-1].split()[-1])
    server.send_signal(signal.SIGINT)
    assert server.wait(timeout=30) == 0


def wait(found: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(1)
    pytest.fail(f"gave up waiting for {what}")


def test_a_judge_picked_in_the_web_interface_is_run_built_and_published(web: Web) -> None:
    before = current_version(web.home).name
    added = web.ask(
        """mutation($selector: RepositorySelector!) {
          addDynamicPartition(repositorySelector: $selector, partitionsDefName: "judge",
                              partitionKey: "rule/constant-2") { __typename }
        }""",
        selector=LOCATION,
    )
    assert added["addDynamicPartition"]["__typename"] == "AddDynamicPartitionSuccess"
    launched = web.ask(
        """mutation($params: ExecutionParams!) {
          launchPipelineExecution(executionParams: $params) {
            __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
            ... on RunConfigValidationInvalid { errors { message } }
          }
        }""",
        params={
            "selector": LOCATION | {"jobName": "judge_and_publish"},
            "runConfigData": {"ops": {"model_runs__responses": {"config": {"limit": 10}}}},
            "mode": "default",
            "executionMetadata": {
                "tags": [
                    {"key": "dagster/partition/experiment", "value": "speech-score"},
                    {"key": "dagster/partition/judge", "value": "rule/constant-2"},
                    {"key": "dagster/partition", "value": "speech-score|rule/constant-2"},
                ]
            },
        },
    )["launchPipelineExecution"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    run_id = launched["run"]["runId"]

    def ended() -> str | None:
        status = web.ask(
            "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }", id=run_id
        )["runOrError"]["status"]
        return status if status in {"SUCCESS", "FAILURE", "CANCELED"} else None

    assert wait(ended, "the run to end") == "SUCCESS"
    version = current_version(web.home)
    assert version.name > before
    rows = run_query(
        version, "select count(*), min(value) from fct_score where judge_id = 'rule/constant-2'"
    ).rows
    assert rows == [(10, 2.0)]
    assert "rule/constant-2" in web.home.judges_file.read_text()


def test_a_file_dropped_into_the_inbox_is_published_by_itself(web: Web) -> None:
    good = web.home.inbox / "dropped.csv"
    good.write_text("item,judge,value\nsample:free-buses-expert,acme/dropped,4\n")
    bad = web.home.inbox / "broken.parquet"
    bad.write_bytes(b"PAR1 this is not parquet")

    def published() -> bool:
        rows = run_query(
            current_version(web.home),
            "select value from fct_score where judge_id = 'acme/dropped'",
        ).rows
        return rows == [(4.0,)]

    wait(published, "the dropped scores to be published")
    assert not good.exists()
    reason = web.home.inbox / "rejected" / "broken.parquet.reason.txt"
    wait(reason.exists, "the broken file to be refused")
    assert "broken.parquet" in reason.read_text()
    assert not bad.exists()
