"""What a live Rostrum is made of: the Dagster webserver, the Dagster daemon and Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from warehouse.home import PROJECT_ROOT

HOST = "127.0.0.1"
DASHBOARD = "streamlit"
DAGSTER = "dagster-webserver"
DAEMON = "dagster-daemon"


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
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    port: int | None = None
    serving: str = ""
    health: str = "/"


def rostrum_services(
    dashboard_port: int,
    dagster_port: int,
    *,
    definitions: str = "orchestration.definitions",
    app: Path = PROJECT_ROOT / "dashboard" / "app.py",
    folder: Path = PROJECT_ROOT,
    hosts: Sequence[str] = (),
    read_only: bool = False,
) -> list[Service]:
    """Return the three processes of a live Rostrum.

    Args:
        dashboard_port: First port to try for Streamlit.
        dagster_port: First port to try for the Dagster webserver.
        definitions: Module with the Dagster definitions.
        app: Streamlit's script.
        folder: Working directory of all three; Streamlit reads `.streamlit/config.toml` here.
        hosts: Under which other addresses a tunnel or a proxy passes requests on.
        read_only: Whether the Dagster UI lets nobody start or change anything.
    """
    gate = ("orchestration.gate", ",".join((f"{HOST}:{{port}}", "localhost:{port}", *hosts)))
    webserver = (
        *gate,
        "dagster_webserver",
        "-m",
        definitions,
        "-h",
        HOST,
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
        HOST,
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
            name=DAGSTER,
            command=webserver,
            folder=folder,
            port=dagster_port,
            serving="Uvicorn running on",
            health="/server_info",
        ),
        Service(
            name=DASHBOARD,
            command=streamlit,
            folder=folder,
            port=dashboard_port,
            serving="You can now view your Streamlit app",
            health="/_stcore/health",
        ),
        Service(
            name=DAEMON,
            command=("dagster._daemon", "run", "-m", definitions),
            folder=folder,
        ),
    ]
