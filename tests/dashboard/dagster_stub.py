"""A GraphQL address that answers as Dagster does, from a script."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.inference.endpoint import Endpoint, Sent

PAIR = "speech-score|rule/constant-2"


class DagsterStub:
    """Runs that a test sets, and what was asked for."""

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, Any]] = {}
        self.reports: dict[str, dict[str, Any]] = {}
        self.errors: dict[str, str] = {}
        self.launched: list[tuple[str, dict[str, Any]]] = []
        self.stopped: list[str] = []
        self.broken: tuple[int, bytes] | None = None
        self.refuses = ""
        self.address = ""

    def add(
        self, run_id: str, status: str, step: str = "", pair: str = PAIR, **config: Any
    ) -> None:
        at_work = "FAILURE" if status == "FAILURE" else "IN_PROGRESS"
        steps = [{"stepKey": step, "status": at_work}] if step else []
        run = {
            "__typename": "Run",
            "runId": run_id,
            "status": status,
            "startTime": None,
            "endTime": None,
            "canTerminate": status == "STARTED",
            "runConfig": {"ops": {"model_runs__responses": {"config": config}}},
            "tags": [{"key": "dagster/partition", "value": pair}],
            "stepStats": steps,
        }
        self.runs = {run_id: run, **self.runs}

    def answer(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        if "addDynamicPartition" in query:
            return {"addDynamicPartition": {"__typename": "DuplicateDynamicPartitionError"}}
        if "launchRun" in query:
            if self.refuses:
                return {"launchRun": {"__typename": "PythonError", "message": self.refuses}}
            params = variables["params"]
            config = params["runConfigData"]["ops"]["model_runs__responses"]["config"]
            pair = params["executionMetadata"]["tags"][0]["value"]
            self.launched.append((pair, config))
            run_id = f"run-{len(self.launched)}"
            self.add(run_id, "STARTED", "model_runs__responses", pair, **config)
            return {"launchRun": {"__typename": "LaunchRunSuccess", "run": {"runId": run_id}}}
        if "terminateRun" in query:
            self.stopped.append(variables["id"])
            return {"terminateRun": {"__typename": "TerminateRunSuccess"}}
        if "runOrError" in query:
            run = self.runs.get(variables["id"])
            return {"runOrError": run or {"__typename": "RunNotFoundError"}}
        if "runsOrError" in query:
            return {"runsOrError": {"__typename": "Runs", "results": list(self.runs.values())}}
        if "logsForRun" in query:
            error = self.errors.get(variables["id"], "")
            chain = [{"error": {"message": error}}]
            event = {"error": {"message": "the step failed", "errorChain": chain}}
            events = [{}, event] if error else [{}]
            return {"logsForRun": {"cursor": "1", "hasMore": False, "events": events}}
        pair = variables["pairs"][0]
        reports = [
            {"runId": run_id, "metadataEntries": list(map(_entry, report.items()))}
            for run_id, report in self.reports.items()
            if self.runs[run_id]["tags"][0]["value"] == pair
        ]
        return {"assetOrError": {"assetObservations": reports[:1], "assetMaterializations": []}}


def _entry(fact: tuple[str, Any]) -> dict[str, Any]:
    label, value = fact
    if isinstance(value, dict):
        return {"label": label, "jsonString": json.dumps(value)}
    name = {int: "intValue", float: "floatValue", str: "text"}[type(value)]
    return {"label": label, name: value}


@contextmanager
def answering() -> Iterator[DagsterStub]:
    stub = DagsterStub()

    class Served(Endpoint):
        def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Sent:
            if stub.broken:
                return stub.broken[0], {}, stub.broken[1]
            asked = json.loads(data)
            found = {"data": stub.answer(asked["query"], asked["variables"])}
            return 200, {}, json.dumps(found).encode()

    served = Served()
    stub.address = served.url.removesuffix("/v1")
    try:
        yield stub
    finally:
        served.close()
