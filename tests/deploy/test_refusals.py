"""What a team's settings cannot be is refused before anything is served, read or written."""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from orchestration import instance
from orchestration.cli import main
from orchestration.errors import BadInstance
from orchestration.instance import LOGS, POSTGRES, RUNS, prepare_instance
from orchestration.servers.parts import PARTS
from orchestration.servers.services import LAUNCHER
from warehouse.errors import LakeError
from warehouse.home import Home
from warehouse.lake import engine
from warehouse.lake.settings import parse_lake

ADDRESS = "postgresql://rostrum:pass-word@127.0.0.1:1/dagster"


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.1.2.3", "rostrum.lab.example"])
@pytest.mark.parametrize("part", [None, *PARTS])
def test_a_public_address_is_refused_where_no_proxy_is_said_to_stand_before_it(
    home: Home, capsys: pytest.CaptureFixture[str], address: str, part: str | None
) -> None:
    only = ["--only", part] if part else []
    with pytest.raises(SystemExit) as ended:
        main(["--home", str(home.root), "serve", "--address", address, *only])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert ("--behind-proxy" if address[-1] != "e" else "give an IP address") in said


@pytest.fixture
def shared(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose Dagster is to be in Postgres."""
    for name in ("DAGSTER_HOME", "DAGSTER_DISABLE_TELEMETRY", f"{POSTGRES}_FILE"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv(POSTGRES, ADDRESS)
    return home


@pytest.mark.scale("dagster_postgres", "dagster_aws")
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (POSTGRES, "mysql://me:pass-word@db/dagster", "no address of a Postgres database"),
        (f"{POSTGRES}_FILE", "/not/there", "which cannot be read: No such file"),
        (RUNS, "none", "give a number of runs, such as 4"),
        (LOGS, "/var/log", "give a place such as s3://bucket/logs"),
        (LAUNCHER, "/not/there.yaml", "which cannot be read: No such file"),
        # The launcher's file holds what is not a path.
        (LAUNCHER, "module: [a", "cannot be read: it is no YAML"),
        (LAUNCHER, "- a list", "does not name a launcher"),
        (LAUNCHER, "module: dagster_docker", "does not name a launcher"),
        (LAUNCHER, "{module: not_there.launcher, class: One}", "pip install not-there"),
    ],
)
def test_a_setting_of_dagster_that_cannot_be_used_is_named_without_a_password(
    shared: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    said: str,
) -> None:
    if name == LAUNCHER and value[0] != "/":
        (tmp_path / "launcher.yaml").write_text(value)
        value = str(tmp_path / "launcher.yaml")
    monkeypatch.setenv(name, value)
    with pytest.raises(BadInstance, match=f"{name} is .*{said}") as refused:
        prepare_instance(shared)
    assert "pass-word" not in str(refused.value)
    assert not (shared.dagster / "dagster.yaml").exists()


@pytest.mark.parametrize("missing", ["dagster_postgres", "dagster_aws"])
def test_what_a_team_needs_is_named_with_its_command(
    shared: Home, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == missing else ModuleSpec(name, None)

    monkeypatch.setenv(LOGS, "s3://bucket/logs")
    monkeypatch.setattr(instance, "find_spec", find)
    said = rf"{missing} is not installed; install it: pip install -c .* -e '\.\[team\]'"
    with pytest.raises(BadInstance, match=said):
        prepare_instance(shared)


@pytest.mark.parametrize("missing", ["psycopg2.extensions", "duckdb_extension_ducklake"])
def test_what_a_lake_needs_is_named_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)

    def use() -> None:
        parse_lake("ducklake:postgres:host=db", str(tmp_path))
        engine.extension_files("ducklake")

    with pytest.raises(LakeError, match=r"not installed; pip install -c .* -e '\.\[lake\]'"):
        use()
