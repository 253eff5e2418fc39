"""One server of a Rostrum whose servers run apart, in the foreground, as containers have it."""

import os
import sys
from collections.abc import Collection, Sequence
from typing import NoReturn

from orchestration.servers.services import (
    CODE,
    DAEMON,
    DAGSTER,
    DASHBOARD,
    DEFINITIONS,
    GRPC_TIMEOUT_S,
    HOST,
    rostrum_services,
    write_workspace,
)
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
    keys: Collection[str] = (),
) -> NoReturn:
    """Become one of the servers: the process that was started is the one that serves.

    It takes its port or ends; whoever started it starts it again.
    """
    host, _, port = code.rpartition(":")
    workspace = home.dagster / "workspace.yaml"
    write_workspace(workspace, host=host, port=int(port))
    services = rostrum_services(
        dashboard_port,
        dagster_port,
        workspace=workspace,
        code=("-h", address, "-p", port),
        definitions=definitions,
        address=address,
        hosts=hosts,
        read_only=read_only,
        keys=keys,
    )
    service = next(each for each in services if each.name == PARTS[part])
    words = [word.replace("{port}", str(service.port)) for word in service.command]
    environment = {
        "DAGSTER_GRPC_TIMEOUT_SECONDS": GRPC_TIMEOUT_S,
        **service.environment(os.environ),
        "DAGSTER_HOME": str(home.dagster),
        "ROSTRUM_HOME": str(home.root),
        "PYTHONUNBUFFERED": "1",
        READ_ONLY: "1" if read_only else "",
        DAGSTER_URL: f"http://{dagster}",
    }
    os.chdir(service.folder)
    os.execve(sys.executable, [sys.executable, "-m", *words], environment)  # noqa: S606
