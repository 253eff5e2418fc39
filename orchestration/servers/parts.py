"""One server of a Rostrum whose servers run apart, in the foreground, as containers have it."""

import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from orchestration.servers.services import (
    CODE,
    DAEMON,
    DAGSTER,
    DASHBOARD,
    DEFINITIONS,
    HOST,
    code_service,
    rostrum_services,
)
from warehouse.files import write_atomically
from warehouse.home import Home
from warehouse.serving import DAGSTER_URL, READ_ONLY

PARTS = {"code": CODE, "dagster": DAGSTER, "daemon": DAEMON, "dashboard": DASHBOARD}


def become(
    home: Home,
    part: str,
    *,
    dashboard_port: int,
    dagster_port: int,
    hosts: Sequence[str] = (),
    read_only: bool = False,
    address: str = HOST,
    code: str,
    dagster: str,
    definitions: str = DEFINITIONS,
) -> NoReturn:
    """Become one of the servers: the process that was started is the one that serves.

    It takes its port or ends; whoever started it starts it again.

    Args:
        home: The home, with what the part needs in place.
        part: One of `PARTS`.
        dashboard_port: Where the dashboard listens.
        dagster_port: Where the Dagster UI listens.
        hosts: Under which other addresses a proxy or another part passes requests on.
        read_only: Whether nobody may start, hand in or change anything from it.
        address: What it listens on.
        code: HOST:PORT of the code location; it listens on that port itself.
        dagster: HOST:PORT of the Dagster webserver, which the dashboard asks.
        definitions: Module with the Dagster definitions.
    """
    host, _, port = code.rpartition(":")
    workspace = home.dagster / "workspace.yaml"
    server = {"host": host, "port": int(port), "location_name": DEFINITIONS}
    # JSON is YAML, too.
    write_atomically(workspace, json.dumps({"load_from": [{"grpc_server": server}]}).encode())
    services = [
        *rostrum_services(
            dashboard_port,
            dagster_port,
            workspace=workspace,
            address=address,
            hosts=hosts,
            read_only=read_only,
        ),
        code_service(int(port), definitions=definitions, address=address),
    ]
    service = next(each for each in services if each.name == PARTS[part])
    words = [word.replace("{port}", str(service.port)) for word in service.command]
    environment = {
        # A run's process is started within one request to the part code: on a busy machine that
        # takes longer than Dagster's minute, and the run would fail.
        "DAGSTER_GRPC_TIMEOUT_SECONDS": "300",
        **os.environ,
        "DAGSTER_HOME": str(home.dagster),
        "ROSTRUM_HOME": str(home.root),
        "PYTHONUNBUFFERED": "1",
        READ_ONLY: "1" if read_only else "",
        DAGSTER_URL: f"http://{dagster}",
    }
    os.chdir(service.folder)
    os.execve(sys.executable, [sys.executable, "-m", *words], environment)  # noqa: S606
