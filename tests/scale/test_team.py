"""Dagster for a team: its instance in Postgres, its parts apart."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from orchestration.errors import BadInstance
from orchestration.instance import LOGS, POSTGRES, RUNS, open_instance
from orchestration.servers.services import DEFINITIONS, LAUNCHER
from tests.scale.conftest import Postgres, Store, free_port
from tests.scale.team_definitions import LAUNCHED_BY, NotingLauncher, quick
from warehouse.home import PROJECT_ROOT, Home

pytestmark = [pytest.mark.scale("psycopg2", "dagster_postgres", "dagster_aws"), pytest.mark.slow]
SECRET = "pass-word"
# What is waited for comes much sooner, but on a machine that stands still.
SECONDS = 600.0
PARTS = ("code", "dagster", "daemon")


def address_of(database: str) -> str:
    """A database as libpq names it, as SQLAlchemy does."""
    parts = dict(each.split("=") for each in database.split())
    return (
        f"postgresql://{parts['user']}:{SECRET}@{parts['host']}:{parts['port']}/{parts['dbname']}"
    )


@pytest.fixture
def shared(postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose Dagster is in Postgres; the address is in a file, as containers have it."""
    secret = tmp_path / "secret"
    secret.write_text(address_of(postgres.new_database()) + "\n")
    monkeypatch.setenv(f"{POSTGRES}_FILE", str(secret))
    # Opening the instance brings these into the environment: they go when the test ends.
    for name in (POSTGRES, "DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "")
    return Home(tmp_path / "home").ensure()


def test_a_run_is_kept_when_everything_is_restarted(shared: Home, postgres: Postgres) -> None:
    with open_instance(shared) as instance:
        done = quick.execute_in_process(instance=instance)
    postgres.stop()
    postgres.start()
    with open_instance(shared) as instance:
        assert instance.get_run_by_id(done.run_id).status is dg.DagsterRunStatus.SUCCESS
        kept = instance.all_logs(done.run_id, of_type=dg.DagsterEventType.STEP_SUCCESS)
        assert [event.step_key for event in kept] == ["answer"]
    written = (shared.dagster / "dagster.yaml").read_text()
    assert SECRET not in written
    assert yaml.safe_load(written)["storage"]["postgres"]["postgres_url"] == {"env": POSTGRES}
    assert not list(shared.dagster.rglob("*.db"))


def test_a_database_that_does_not_answer_is_named_without_its_password(
    shared: Home, postgres: Postgres
) -> None:
    postgres.stop()
    try:
        with pytest.raises(BadInstance, match="cannot be used") as failure:
            open_instance(shared)
    finally:
        postgres.start()
    assert SECRET not in str(failure.value)


def test_runs_are_capped(shared: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_instance(shared) as instance:
        assert instance.get_concurrency_config().run_queue_config.max_concurrent_runs == 4
    monkeypatch.setenv(RUNS, "2")
    with open_instance(shared) as instance:
        assert instance.get_concurrency_config().run_queue_config.max_concurrent_runs == 2


def test_the_launcher_of_the_documents_is_one_that_dagster_takes(
    shared: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (PROJECT_ROOT / "docs" / "scale.md").read_text()
    example = text.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "launcher.yaml").write_text(textwrap.dedent(example))
    monkeypatch.setenv(LAUNCHER, str(tmp_path / "launcher.yaml"))
    with open_instance(shared) as instance:
        assert type(instance.run_launcher).__name__ == "DockerRunLauncher"
        assert instance.run_launcher.image.startswith("registry.")


class Parts:
    """A webserver, a daemon and a code location, each a process as `serve --only` starts it."""

    def __init__(self, home: Home, folder: Path) -> None:
        self._home = home
        self._folder = folder
        self._ports = {"dagster": free_port(), "code": free_port()}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> None:
        for part in names or PARTS:
            call = (
                "from pathlib import Path; from orchestration.servers.parts import become; "
                "from warehouse.home import Home; "
                f"become(Home(Path({str(self._home.root)!r})), {part!r}, dashboard_port=0, "
                f"dagster_port={self._ports['dagster']}, code='127.0.0.1:{self._ports['code']}', "
                "dagster='', definitions='tests.scale.team_definitions')"
            )
            with (self._folder / f"{part}.log").open("ab") as log:
                self._running[part] = subprocess.Popen(
                    [sys.executable, "-c", call],
                    cwd=PROJECT_ROOT,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        if {"code", "dagster"} <= self._running.keys():
            until(self._has_jobs)

    def _has_jobs(self) -> bool:
        assert all(process.poll() is None for process in self._running.values())
        said = self.ask(
            "{ workspaceOrError { __typename ... on Workspace { locationEntries { "
            "locationOrLoadError { __typename ... on RepositoryLocation { "
            "repositories { jobs { name } } } } } } } }"
        )
        return "holding" in json.dumps(said)

    def stop(self, *names: str) -> None:
        for part in names or [*self._running]:
            process = self._running.pop(part)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """Ask the webserver; an empty answer while there is none."""
        connection = HTTPConnection("127.0.0.1", self._ports["dagster"], timeout=SECONDS)
        try:
            body = json.dumps({"query": query, "variables": variables})
            origin = f"http://127.0.0.1:{self._ports['dagster']}"
            headers = {"Content-Type": "application/json", "Origin": origin}
            connection.request("POST", "/graphql", body, headers)
            return json.loads(connection.getresponse().read()).get("data") or {}
        except ConnectionError:
            return {}
        finally:
            connection.close()

    def launch(self, job: str, config: dict[str, Any]) -> str:
        said = self.ask(
            "mutation($params: ExecutionParams!) { launchRun(executionParams: $params) { __typename "
            "... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }",
            params={
                "selector": {
                    "repositoryLocationName": DEFINITIONS,
                    "repositoryName": "__repository__",
                    "jobName": job,
                },
                "runConfigData": config,
                "mode": "default",
            },
        )
        assert "run" in said.get("launchRun", {}), said
        return said["launchRun"]["run"]["runId"]

    def status(self, run_id: str) -> str:
        found = self.ask(
            "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }", id=run_id
        )
        return found.get("runOrError", {}).get("status", "")

    def becomes(self, run_id: str, status: str) -> None:
        """Wait for a run's status; one that ends otherwise is not waited for."""
        until(lambda: self.status(run_id) in {status, "SUCCESS", "FAILURE", "CANCELED"})
        assert self.status(run_id) == status

    def cancel(self, run_id: str) -> str:
        query = "mutation($id: String!) { terminateRun(runId: $id) { __typename } }"
        return self.ask(query, id=run_id)["terminateRun"]["__typename"]

    def events(self, run_id: str) -> list[str]:
        with open_instance(self._home) as instance:
            return [
                f"{event.dagster_event_type}: {event.message}"
                for event in instance.all_logs(run_id)
            ]

    def report(self) -> None:
        """Print what was noted of each run and what each part said, which a failed test shows."""
        with open_instance(self._home) as instance:
            runs = instance.get_runs()
        for run in runs:
            print(run.job_name, run.run_id, run.status, *self.events(run.run_id), sep="\n  ")
        for log in sorted(self._folder.glob("*.log")):
            print(log.name, *log.read_text().splitlines()[-60:], sep="\n  ")


def until(is_so: Callable[[], bool], seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.5)


@pytest.fixture
def parts(
    shared: Home, s3: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Parts]:
    monkeypatch.setenv(LOGS, f"{s3.new_bucket()}/logs")
    with open_instance(shared) as instance:
        instance.event_log_storage.set_concurrency_slots("one", 1)
    started = Parts(shared, tmp_path)
    try:
        yield started
    finally:
        started.report()
        started.stop()


def test_parts_that_run_apart_free_the_slot_of_a_run_that_ended_and_keep_the_run(
    parts: Parts, tmp_path: Path
) -> None:
    def hold(name: str, seconds: float) -> tuple[str, int]:
        holder = tmp_path / name
        config = {"file": str(holder), "seconds": seconds}
        run_id = parts.launch("holding", {"ops": {"hold": {"config": config}}})
        parts.becomes(run_id, "STARTED" if seconds else "SUCCESS")
        until(lambda: holder.exists() and bool(holder.read_text()))
        return run_id, int(holder.read_text())

    parts.start()
    cancelled, _ = hold("cancelled", 3600)
    assert parts.cancel(cancelled) == "TerminateRunSuccess"
    parts.becomes(cancelled, "CANCELED")
    killed, process = hold("killed", 3600)
    # Which gives nothing back itself.
    os.kill(process, signal.SIGKILL)
    last, _ = hold("last", 0)
    parts.stop()
    # Which is enough to ask what was kept.
    parts.start("dagster")
    parts.becomes(cancelled, "CANCELED")
    parts.becomes(killed, "FAILURE")
    parts.becomes(last, "SUCCESS")


def test_a_run_whose_turn_comes_while_the_definitions_are_away_waits_for_them(
    parts: Parts, shared: Home, s3: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = {"module": NotingLauncher.__module__, "class": NotingLauncher.__name__}
    (tmp_path / "launcher.yaml").write_text(yaml.safe_dump(launcher))
    monkeypatch.setenv(LAUNCHER, str(tmp_path / "launcher.yaml"))
    parts.start("code", "dagster")
    run_id = parts.launch("quick", {})
    parts.stop("code")
    parts.start("daemon")
    until(lambda: any("re-submitting the run" in each for each in parts.events(run_id)))
    # Dagster writes that event before it sets the status back.
    parts.becomes(run_id, "QUEUED")
    parts.start("code")
    parts.becomes(run_id, "SUCCESS")
    assert b"the answer is 42" in s3.contents(os.environ[LOGS], run_id)
    with open_instance(shared) as instance:
        assert instance.get_run_by_id(run_id).tags[LAUNCHED_BY] == NotingLauncher.__name__
