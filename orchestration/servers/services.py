"""The processes of a live Rostrum: the code server, the Dagster webserver and daemon, Streamlit.

The code server alone has the definitions loaded, for webserver and daemon; left to themselves, each
would start code servers of its own, the daemon a new one every minute. It starts the processes of
runs, so it alone gets the keys of model endpoints.
"""

import ipaddress
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestration.errors import PublicAddress
from warehouse.files import write_atomically
from warehouse.home import PROJECT_ROOT

HOST = "127.0.0.1"
DEFINITIONS = "orchestration.definitions"
DASHBOARD = "streamlit"
DAGSTER = "dagster-webserver"
DAEMON = "dagster-daemon"
CODE = "dagster-code"
# A run's process is started within one request to the code server: on a busy machine that takes
# longer than Dagster's minute, and the run would fail.
GRPC_TIMEOUT_S = "300"
# Names the file of a launcher that starts runs elsewhere, with keys of the process that launches.
LAUNCHER = "ROSTRUM_DAGSTER_LAUNCHER"
# Webserver and daemon have many threads with little to do: one pool of memory for all of them,
# given back early, takes 35 MB less (2026-11-29). Runs would inherit it from the code server.
_SMALL_MEMORY = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "65536"}
# In the place of a key: the dashboard shows which keys are set, and does not need their values.
WITHHELD = "withheld"


@dataclass(frozen=True)
class Service:
    """One server process: how to start it, and how to tell that it answers.

    Attributes:
        name: Names the process and its log file.
        command: Module and arguments, as after `python -m`; `{port}` stands for the port.
        folder: The working directory.
        port: The first port to try; None for a process that serves no address.
        serving: What its log says once it holds its port. Only this proves that an answer on the
            port comes from this process; another program may hold the port and answer as well.
        health: The path that answers 200 when it works.
        address: What it listens on.
        after: The service that has to serve before this one starts.
        withheld: Environment variables whose values it does not get.
        defaults: Environment variables that it gets where they are not set.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    port: int | None = None
    serving: str = ""
    health: str = "/"
    address: str = HOST
    after: str | None = None
    withheld: frozenset[str] = frozenset()
    defaults: Mapping[str, str] = field(default_factory=dict)

    @property
    def reached_at(self) -> str:
        """Address at which this machine reaches it, also where it listens on every address."""
        return HOST if ipaddress.ip_address(self.address).is_unspecified else self.address

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of this process."""
        return {**self.defaults} | {
            name: WITHHELD if value and name in self.withheld else value
            for name, value in variables.items()
        }


def check_address(address: str, *, is_behind_proxy: bool) -> None:
    """Refuse an address that other machines reach, unless somebody else asks who they are."""
    try:
        is_own = ipaddress.ip_address(address).is_loopback
    except ValueError:
        raise PublicAddress(
            f"serve: --address is {address!r}; give an IP address, such as {HOST}"
        ) from None
    if not is_own and not is_behind_proxy:
        raise PublicAddress(
            f"serve: other machines reach {address}, and neither server asks who they are. Put a "
            "proxy that signs people in before it and say so with --behind-proxy (docs/scale.md "
            "shows one), or leave out --address"
        )


def write_workspace(path: Path, **server: str | int) -> None:
    """Write the file that tells webserver and daemon where the code server is."""
    location = {**server, "location_name": DEFINITIONS}
    # JSON is YAML, too.
    write_atomically(path, json.dumps({"load_from": [{"grpc_server": location}]}).encode())


def rostrum_services(
    dashboard_port: int,
    dagster_port: int,
    *,
    workspace: Path,
    code: Sequence[str],
    definitions: str = DEFINITIONS,
    address: str = HOST,
    app: Path = PROJECT_ROOT / "dashboard" / "app.py",
    folder: Path = PROJECT_ROOT,
    hosts: Sequence[str] = (),
    read_only: bool = False,
    keys: Collection[str] = (),
) -> list[Service]:
    """Return the four processes of a live Rostrum."""
    withheld = frozenset(keys)
    withheld_from_dagster = frozenset() if os.environ.get(LAUNCHER) else withheld
    gate = (
        "orchestration.servers.gate",
        ",".join((f"{HOST}:{{port}}", "localhost:{port}", *hosts)),
    )
    location = ("-w", str(workspace))
    webserver = (
        *gate,
        "dagster_webserver",
        *location,
        "-h",
        address,
        "-p",
        "{port}",
        # At its default level uvicorn does not say that it holds the port.
        "--uvicorn-log-level",
        "info",
        *(("--read-only",) if read_only else ()),
    )
    streamlit = (
        *gate,
        "streamlit",
        "run",
        str(app),
        "--server.address",
        address,
        "--server.port",
        "{port}",
        "--server.headless",
        "true",
        "--server.fileWatcherType",
        "none",
        "--browser.gatherUsageStats",
        "false",
        # A user's own settings must not silence the line that says it serves.
        "--logger.level",
        "info",
        "--logger.hideWelcomeMessage",
        "false",
    )
    return [
        Service(
            name=CODE,
            # The environment's own Python runs what it launches.
            command=(
                *("dagster", "api", "grpc", "--use-python-environment-entry-point"),
                *("-m", definitions, "--location-name", DEFINITIONS, *code),
            ),
            folder=folder,
            serving="Started Dagster code server",
        ),
        Service(
            name=DAGSTER,
            command=webserver,
            folder=folder,
            port=dagster_port,
            serving="Uvicorn running on",
            health="/server_info",
            address=address,
            after=CODE,
            withheld=withheld_from_dagster,
            defaults=_SMALL_MEMORY,
        ),
        Service(
            name=DASHBOARD,
            command=streamlit,
            folder=folder,
            port=dashboard_port,
            serving="You can now view your Streamlit app",
            health="/_stcore/health",
            address=address,
            withheld=withheld,
        ),
        Service(
            name=DAEMON,
            command=("dagster._daemon", "run", *location),
            folder=folder,
            after=CODE,
            withheld=withheld_from_dagster,
            defaults=_SMALL_MEMORY,
        ),
    ]
