"""Runs `serve` in a process of its own, so that tests can signal it.

`python serve_driver.py HOME DASHBOARD_PORT DAGSTER_PORT [dashboard=BEHAVIOUR,...] [dagster=...]
[code=...] [daemon=...] [timeout=S] [attempts=N] [restarts=N] [real=FOLDER] [host=HOST:PORT]
[keys=NAME]`. Each line it prints is one JSON object with one key: `say`, `ready`,
`already` or `exit`.
"""

import functools
import json
import sys
from pathlib import Path

from orchestration.servers import processes, restarts
from orchestration.servers.serve import AlreadyServing, serve
from orchestration.servers.services import (
    CODE,
    DAEMON,
    DAGSTER,
    DASHBOARD,
    Service,
    rostrum_services,
    write_workspace,
)
from warehouse.home import Home

HERE = Path(__file__).parent


def fake_services(
    dashboard_port: int, dagster_port: int, *, options: dict[str, str]
) -> list[Service]:
    def fake(name: str, port: int | None, behaviours: str) -> Service:
        arguments = ["{port}" if port else "0", *filter(None, behaviours.split(","))]
        after = CODE if name in (DAGSTER, DAEMON) else None
        command = ("fake_server", *arguments)
        return Service(name, command, HERE, port, "now serving", after=after)

    return [
        fake(CODE, None, options.get("code", "")),
        fake(DASHBOARD, dashboard_port, options.get("dashboard", "")),
        fake(DAGSTER, dagster_port, options.get("dagster", "")),
        fake(DAEMON, None, options.get("daemon", "")),
    ]


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)


def main(home: str, dashboard_port: str, dagster_port: str, *rest: str) -> None:
    options = dict(part.split("=", 1) for part in rest)
    processes.PORT_ATTEMPTS = int(options.get("attempts", processes.PORT_ATTEMPTS))
    restarts.LIMIT = int(options.get("restarts", restarts.LIMIT))
    restarts.WAIT_S = 0.1
    if "real" in options:
        folder = Path(options["real"])
        write_workspace(folder / "workspace.yaml", socket=str(folder / "code.sock"))
        services = functools.partial(
            rostrum_services,
            workspace=folder / "workspace.yaml",
            code=("-s", str(folder / "code.sock")),
            definitions="standin",
            app=folder / "app.py",
            folder=folder,
            hosts=[options["host"]] if "host" in options else [],
            keys=[options["keys"]] if "keys" in options else [],
        )
    else:
        services = functools.partial(fake_services, options=options)
    try:
        code = serve(
            Home(Path(home)),
            dashboard_port=int(dashboard_port),
            dagster_port=int(dagster_port),
            say=lambda message: tell(say=message),
            on_ready=lambda addresses: tell(ready=addresses),
            timeout_s=float(options.get("timeout", "60")),
            services=services,
        )
    except AlreadyServing as live:
        tell(already=live.addresses)
        code = 0
    tell(exit=code)
    sys.exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
