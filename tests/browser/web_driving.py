"""Drives the Dagster UI of a served home by its own GraphQL calls."""

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROSTRUM
from warehouse.home import Home

# Twice what a build takes on two cores that others use, too.
PATIENCE_S = 540
ENDED = {"SUCCESS", "FAILURE", "CANCELED"}
LOCATION = {
    "repositoryLocationName": "orchestration.definitions",
    "repositoryName": "__repository__",
}


class Web:
    def __init__(self, home: Home, address: str) -> None:
        self.home = home
        self._address = address

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self._address}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json", "Origin": self._address},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            answer: dict[str, Any] = json.load(response)
        assert "errors" not in answer, answer
        return answer["data"]  # type: ignore[no-any-return]

    def launch(
        self,
        judge_id: str,
        config: Mapping[str, Any],
        *,
        job: str = "judge_and_publish",
        assets: list[list[str]] | None = None,
    ) -> str:
        """Start a run of `speech-score` as the Launchpad does, and return its id."""
        selector: dict[str, Any] = LOCATION | {"jobName": job}
        if assets:
            selector["assetSelection"] = [{"path": path} for path in assets]
        launched = self.ask(
            """mutation($params: ExecutionParams!) {
              launchPipelineExecution(executionParams: $params) {
                __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
                ... on RunConfigValidationInvalid { errors { message } }
              }
            }""",
            params={
                "selector": selector,
                "runConfigData": {"ops": {"model_runs__responses": {"config": dict(config)}}},
                "mode": "default",
                "executionMetadata": {
                    "tags": [{"key": "dagster/partition", "value": f"speech-score|{judge_id}"}]
                },
            },
        )["launchPipelineExecution"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return str(launched["run"]["runId"])

    def status(self, run_id: str) -> str:
        found = self.ask(
            "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }", id=run_id
        )
        return str(found["runOrError"]["status"])

    def ended(self, run_id: str) -> str | None:
        status = self.status(run_id)
        return status if status in ENDED else None


@contextmanager
def serving(home: Home, dashboard_port: int, dagster_port: int, project: Path) -> Iterator[Web]:
    """Serve a home with a product's code meanwhile; taken ports move on to the next."""
    server = subprocess.Popen(
        [
            str(ROSTRUM),
            "--home",
            str(home.root),
            "serve",
            "--dashboard-port",
            str(dashboard_port),
            "--dagster-port",
            str(dagster_port),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        cwd=project,
        env=os.environ | {"ROSTRUM_HOME": str(home.root), "PYTHONPATH": str(project)},
    )
    lines = []
    assert server.stdout is not None
    for line in server.stdout:
        lines.append(line)
        if line.startswith("Dagster UI"):
            break
    else:
        pytest.fail("".join(lines))
    try:
        yield Web(home, lines[-1].split()[-1])
    finally:
        server.send_signal(signal.SIGINT)
        code = server.wait(timeout=120)
    assert code == 0


def wait(found: Callable[[], Any], what: str, *, patience_s: float = PATIENCE_S) -> Any:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.5)
    pytest.fail(f"gave up waiting for {what}")
