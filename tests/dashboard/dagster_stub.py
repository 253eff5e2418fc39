"""A GraphQL address that answers as Dagster does, from a script."""

import http.server
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

PAIR = "speech-score|rule/constant-2"


class DagsterStub:
    """Runs that a test sets, and what was asked for.

    Attributes:
        runs: By id, newest first: what `run` gives.
        reports: By run: what it last reported of its requests.
        errors: By run: what its failure says.
        launched: The pair and settings of each run that was started.
        stopped: The runs that were stopped.
        broken: An HTTP status and a body to answer with instead.
        refuses: What a launch is refused with.
    """

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
    """Serve a stub meanwhile."""
    stub = DagsterStub()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = stub.broken or (
                200,
                json.dumps({"data": stub.answer(asked["query"], asked["variables"])}).encode(),
            )
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
