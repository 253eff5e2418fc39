"""The files that start a team's Rostrum in containers hold what `deploy/README.md` says of them."""

import ipaddress
import re
import subprocess
from importlib.util import find_spec
from typing import Any

import pytest
import typer
import yaml

from orchestration.cli import app
from orchestration.servers.parts import PARTS
from orchestration.servers.services import check_address
from warehouse.home import PROJECT_ROOT

DEPLOY = PROJECT_ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = {name: each for name, each in SERVICES.items() if each["image"] == "rostrum"}
SERVING = {name: each for name, each in OWN.items() if each["command"][0] == "rostrum"}
RAY = {name: each for name, each in OWN.items() if each["command"][0] == "ray"}
SECRET = re.compile(r"password|secret|token|api_?key", re.IGNORECASE)
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()


def health(service: dict[str, Any]) -> list[str]:
    words: list[str] = service["healthcheck"]["test"]
    assert words[0] == "CMD"
    return words[1:]


def parsed(words: list[str]) -> dict[str, Any]:
    command: Any = typer.main.get_command(app)
    inner = command.commands[words[1]]
    return dict(inner.make_context("rostrum", list(words[2:])).params)


def test_every_part_runs_once_and_listens_to_others_only_behind_a_proxy() -> None:
    asked = [parsed(each["command"]) for each in SERVING.values()]
    assert sorted(each["only"] for each in asked) == sorted(PARTS)
    for each in asked:
        check_address(each["address"], is_behind_proxy=each["behind_proxy"])


def test_parts_find_each_other() -> None:
    asked = {each["command"][3]: parsed(each["command"]) for each in SERVING.values()}
    name_of = {each["command"][3]: name for name, each in SERVING.items()}
    assert asked["dagster"]["code"] == asked["daemon"]["code"] == asked["code"]["code"]
    assert asked["code"]["code"].partition(":")[0] == name_of["code"]
    # The webserver answers only under names that it has been told.
    assert asked["dashboard"]["dagster"] in asked["dagster"]["hosts"]
    assert (
        asked["dashboard"]["dagster"] == f"{name_of['dagster']}:{asked['dagster']['dagster_port']}"
    )


@pytest.mark.parametrize("name", OWN)
def test_what_a_service_runs_exists(name: str) -> None:
    commands = [OWN[name]["command"], *([health(OWN[name])] if "healthcheck" in OWN[name] else [])]
    for words in commands:
        if words[:2] == ["python", "-m"]:
            assert find_spec(words[2]) is not None
        elif words[:2] == ["python", "-c"]:
            compile(words[2], name, "exec")
        else:
            assert words[0] in ("rostrum", "ray")


@pytest.mark.scale("ray")
@pytest.mark.parametrize("name", RAY)
def test_ray_takes_the_options_it_is_started_with(name: str) -> None:
    from ray.scripts.scripts import cli

    for _, command, *words in (RAY[name]["command"], health(RAY[name])):
        cli.commands[command].make_context(command, list(words))


@pytest.mark.parametrize("name", OWN)
def test_a_part_is_not_root_and_writes_only_where_it_may(name: str) -> None:
    service = OWN[name]
    assert service["user"].partition(":")[0] not in ("", "0", "root")
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["volumes"] == [f"home:{service['environment']['ROSTRUM_HOME']}"]


def test_every_service_that_stays_up_says_whether_it_works() -> None:
    staying = {name for name, each in SERVICES.items() if each["restart"] != "no"}
    assert staying == {name for name, each in SERVICES.items() if "healthcheck" in each}
    assert set(SERVICES) - staying == {"bucket"}


def test_ports_are_those_of_this_machine_alone() -> None:
    ports = [port for each in SERVICES.values() for port in each.get("ports", [])]
    assert ports
    for port in ports:
        assert ipaddress.ip_address(port.rsplit(":", 2)[0]).is_loopback


def test_secrets_are_in_files_that_git_ignores() -> None:
    files = {each["file"] for each in COMPOSE["secrets"].values()}
    files |= {file for each in SERVICES.values() for file in each.get("env_file", [])}
    assert files
    for file in files:
        asked = ["git", "check-ignore", "--quiet", f"deploy/{file}"]
        assert subprocess.run(asked, cwd=PROJECT_ROOT, check=False).returncode == 0, file
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            assert not SECRET.search(name) or name.endswith("_FILE"), name
            assert not re.search(r"password=|://[^/@]*:[^/@]*@", str(value)), name


def test_the_image_is_not_root_and_copies_what_exists() -> None:
    users = [line.split()[1] for line in DOCKERFILE if line.startswith("USER ")]
    assert users
    assert users[-1].partition(":")[0] not in ("0", "root")
    assert all(each["user"] == users[-1] for each in OWN.values())
    copied = [line.split()[1] for line in DOCKERFILE if line.startswith("COPY ")]
    sources = [each for each in copied if not each.startswith("--")]
    assert sources
    assert all((PROJECT_ROOT / each).exists() for each in sources)
    named = re.findall(r"requirements/\S+\.lock", "\n".join(DOCKERFILE))
    assert named
    assert all((PROJECT_ROOT / each).is_file() for each in named)
