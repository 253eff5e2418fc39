"""Dagster's GraphQL address: start a run, watch it, stop it. Nothing of Dagster is imported."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Any

from warehouse.home import Home
from warehouse.serving import dagster_elsewhere, live_addresses

JOB = "judge_and_publish"
ENDED = ("SUCCESS", "FAILURE", "CANCELED")
_PAIRS = "experiment_with_judge"
_PARTITION = "dagster/partition"
_RESPONSES = ["model_runs", "responses"]
_OP = "model_runs__responses"
_LOCATION = {
    "repositoryLocationName": "orchestration.definitions",
    "repositoryName": "__repository__",
}
_SECONDS, _SECONDS_TO_LAUNCH = 15, 60
_SHOWN = 500
# Of the newest runs so many are offered; of a failed run's events so many pages are looked at.
_RUNS_LISTED, _PAGES = 10, 30

_ADD_PAIR = """mutation($selector: RepositorySelector!, $name: String!, $pair: String!) {
  addDynamicPartition(repositorySelector: $selector, partitionsDefName: $name, partitionKey: $pair)
  { __typename ... on PythonError { message } ... on UnauthorizedError { message } } }"""
_LAUNCH = """mutation($params: ExecutionParams!) { launchRun(executionParams: $params) {
  __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  ... on UnauthorizedError { message }
  ... on RunConfigValidationInvalid { errors { message } } } }"""
_STOP = """mutation($id: String!) { terminateRun(runId: $id) { __typename
  ... on TerminateRunFailure { message } ... on UnauthorizedError { message }
  ... on PythonError { message } } }"""
_RUN = """runId status startTime endTime canTerminate runConfig tags { key value }
  stepStats { stepKey status }"""
_RUN_OF_ID = f"""query($id: ID!) {{ runOrError(runId: $id) {{ __typename
  ... on Run {{ {_RUN} }} ... on PythonError {{ message }} }} }}"""
_RUNS = f"""query($job: String!, $limit: Int!) {{ runsOrError(filter: {{pipelineName: $job}},
  limit: $limit) {{ __typename ... on Runs {{ results {{ {_RUN} }} }}
  ... on PythonError {{ message }} }} }}"""
_ENTRIES = """runId metadataEntries { label ... on IntMetadataEntry { intValue }
  ... on FloatMetadataEntry { floatValue } ... on TextMetadataEntry { text }
  ... on JsonMetadataEntry { jsonString } }"""
_REPORTS = f"""query($key: AssetKeyInput!, $pairs: [String!]) {{ assetOrError(assetKey: $key) {{
  ... on Asset {{ assetObservations(partitions: $pairs, limit: 1) {{ {_ENTRIES} }}
  assetMaterializations(partitions: $pairs, limit: 1) {{ {_ENTRIES} }} }} }} }}"""
_EVENTS = """query($id: ID!, $after: String) { logsForRun(runId: $id, afterCursor: $after) {
  ... on EventConnection { cursor hasMore events { ... on ErrorEvent {
  error { message errorChain { error { message } } } } } } } }"""


class DagsterError(Exception):
    """Dagster is not there, or refused; the message says why and what to do."""


@dataclass(frozen=True)
class Run:
    """One run of an experiment with a judge.

    Attributes:
        run_id: Dagster's id.
        pair: The experiment and the judge, as its partition is named; empty where it has none.
        status: As Dagster calls it.
        step: The step it is at, or failed at; empty where it is at none.
        can_stop: Whether it can be stopped.
        config: What was set.
    """

    run_id: str
    pair: str
    status: str
    step: str
    can_stop: bool
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status in ENDED

    @property
    def experiment(self) -> str:
        """The experiment."""
        return self.pair.partition("|")[0]

    @property
    def judge(self) -> str:
        """The judge."""
        return self.pair.partition("|")[2]


class Dagster:
    """The Dagster that serves a home.

    Args:
        address: Such as `http://127.0.0.1:3000`.
        link: Where people reach it, if elsewhere.
    """

    def __init__(self, address: str, link: str = "") -> None:
        self.address = address
        self._link = link or address

    def address_of(self, run: Run) -> str:
        """Return the address of a run's page."""
        return f"{self._link}/runs/{run.run_id}"

    def launch(self, pair: str, config: Mapping[str, Any]) -> str:
        """Start a run and return its id.

        Args:
            pair: The experiment and the judge.
            config: `limit`, `budget_usd`, `datasets` and others of the run.

        Raises:
            DagsterError: It refused.
        """
        added = self._ask(_ADD_PAIR, selector=_LOCATION, name=_PAIRS, pair=pair)
        _refuse(added["addDynamicPartition"], "DuplicateDynamicPartitionError", "Success")
        launched = self._ask(
            _LAUNCH,
            _SECONDS_TO_LAUNCH,
            params={
                "selector": {**_LOCATION, "jobName": JOB},
                "runConfigData": {"ops": {_OP: {"config": dict(config)}}},
                "mode": "default",
                "executionMetadata": {"tags": [{"key": _PARTITION, "value": pair}]},
            },
        )["launchRun"]
        _refuse(launched, "LaunchRunSuccess")
        return str(launched["run"]["runId"])

    def stop(self, run_id: str) -> None:
        """Stop a run; what was answered is kept.

        Raises:
            DagsterError: It refused.
        """
        _refuse(self._ask(_STOP, id=run_id)["terminateRun"], "TerminateRunSuccess")

    def run(self, run_id: str) -> Run | None:
        """Return a run as it is now; None where there is none of that id.

        Raises:
            DagsterError: It does not answer.
        """
        found = self._ask(_RUN_OF_ID, id=run_id)["runOrError"]
        if found["__typename"] == "RunNotFoundError":
            return None
        _refuse(found, "Run")
        return _run(found)

    def runs(self) -> list[Run]:
        """Return the newest runs of experiments with judges, newest first.

        Raises:
            DagsterError: It does not answer.
        """
        found = self._ask(_RUNS, job=JOB, limit=_RUNS_LISTED)["runsOrError"]
        _refuse(found, "Runs")
        return [_run(each) for each in found["results"]]

    def facts(self, run: Run) -> dict[str, Any]:
        """Return what a run last reported of its requests; empty where it has not yet.

        Raises:
            DagsterError: It does not answer.
        """
        asset = self._ask(_REPORTS, key={"path": _RESPONSES}, pairs=[run.pair])["assetOrError"]
        for kind in ("assetMaterializations", "assetObservations"):
            for report in asset.get(kind, ()):
                if report["runId"] == run.run_id:
                    return {each["label"]: _value(each) for each in report["metadataEntries"]}
        return {}

    def why_failed(self, run_id: str) -> str:
        """Return the innermost error of a failed run; empty where it has said none.

        Raises:
            DagsterError: It does not answer.
        """
        reason, after = "", None
        for _ in range(_PAGES):
            found = self._ask(_EVENTS, id=run_id, after=after)["logsForRun"]
            for event in found.get("events", ()):
                if error := event.get("error"):
                    chain = [error, *(link["error"] for link in error["errorChain"])]
                    reason = reason or str(chain[-1]["message"]).strip()
            after = found.get("cursor")
            if reason or not found.get("hasMore"):
                break
        return reason

    def _ask(self, query: str, seconds: float = _SECONDS, **variables: Any) -> dict[str, Any]:
        body = json.dumps({"query": query, "variables": variables})
        # Not by way of a proxy, as the environment may ask for the rest of the network.
        connection = HTTPConnection(self.address.removeprefix("http://"), timeout=seconds)
        headers = {"Content-Type": "application/json", "Origin": self.address}
        try:
            connection.request("POST", "/graphql", body, headers)
            response = connection.getresponse()
            content = response.read()
            if response.status != HTTPStatus.OK:
                said = content[:_SHOWN].decode(errors="replace").strip()
                raise DagsterError(f"Dagster at {self.address} said {response.status}: {said}")
            answer = json.loads(content)
        except (OSError, HTTPException, ValueError) as error:
            raise DagsterError(f"Dagster at {self.address} does not answer: {error}") from None
        finally:
            connection.close()
        if not isinstance(answer, dict) or answer.get("errors") or not answer.get("data"):
            errors = answer.get("errors") or [] if isinstance(answer, dict) else []
            said = "; ".join(str(each.get("message")) for each in errors)[:_SHOWN]
            raise DagsterError(f"Dagster at {self.address} refused the request: {said}")
        data: dict[str, Any] = answer["data"]
        return data


def dagster_of(home: Home) -> Dagster | None:
    """Return the Dagster that serves a home; None where none does."""
    if elsewhere := dagster_elsewhere():
        return Dagster(*elsewhere)
    live = live_addresses(home)
    return Dagster(live.dagster) if live and live.dagster.startswith("http://") else None


def _refuse(found: Mapping[str, Any], *wanted: str) -> None:
    """Raise what an answer says, unless its type ends in one that is wanted."""
    if found["__typename"].endswith(wanted):
        return
    said: Sequence[Any] = [each["message"] for each in found.get("errors", ())]
    said = said or [found.get("message") or found["__typename"]]
    raise DagsterError(f"Dagster refused: {'; '.join(map(str, said))[:_SHOWN]}")


def _run(found: Mapping[str, Any]) -> Run:
    tags = {each["key"]: each["value"] for each in found["tags"]}
    config = found["runConfig"] if isinstance(found["runConfig"], Mapping) else {}
    steps = [
        each["stepKey"]
        for each in found["stepStats"]
        if each["status"] in ("IN_PROGRESS", "FAILURE")
    ]
    return Run(
        run_id=found["runId"],
        pair=tags.get(_PARTITION, ""),
        status=found["status"],
        step=steps[-1] if steps else "",
        can_stop=found["canTerminate"],
        config=config.get("ops", {}).get(_OP, {}).get("config", {}),
    )


def _value(entry: Mapping[str, Any]) -> Any:
    if entry.get("jsonString") is not None:
        return json.loads(entry["jsonString"])
    return next(
        (entry[name] for name in ("intValue", "floatValue", "text") if entry.get(name) is not None),
        None,
    )
