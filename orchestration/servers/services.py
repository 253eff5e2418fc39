"""What a live Rostrum is made of: the Dagster webserver, the Dagster daemon and Streamlit."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestration.errors import PublicAddress
from warehouse.home import PROJECT_ROOT

HOST = "127.0.0.1"
DEFINITIONS = "orchestration.definitions"
DASHBOARD = "streamlit"
DAGSTER = "dagster-webserver"
DAEMON = "dagster-daemon"
CODE = "dagster-code"


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
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    port: int | None = None
    serving: str = ""
    health: str = "/"
    address: str = HOST

    @property
    def reached_at(self) -> str:
        """Where this machine reaches it: what listens on every address has none of its own."""
        return HOST if ipaddress.ip_address(self.address).is_unspecified else self.address


def check_address(address: str, *, is_behind_proxy: bool) -> None:
    """Refuse an address that other machines reach, unless somebody else asks who they are.

    Args:
        address: The IP address to listen on.
        is_behind_proxy: Whether only a proxy that signs people in reaches it.

    Raises:
        PublicAddress: It is none, or others reach it.
    """
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


def rostrum_services(
    dashboard_port: int,
    dagster_port: int,
    *,
    definitions: str = DEFINITIONS,
    workspace: Path | None = None,
    address: str = HOST,
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
        workspace: Names the server that has them loaded; each loads them itself without.
        address: What the two servers listen on.
        app: Streamlit's script.
        folder: Working directory of all three; Streamlit reads `.streamlit/config.toml` here.
        hosts: Under which other addresses a tunnel or a proxy passes requests on.
        read_only: Whether the Dagster UI lets nobody start or change anything.
    """
    gate = (
        "orchestration.servers.gate",
        ",".join((f"{HOST}:{{port}}", "localhost:{port}", *hosts)),
    )
    location = ("-w", str(workspace)) if workspace else ("-m", definitions)
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
            name=DAGSTER,
            command=webserver,
            folder=folder,
            port=dagster_port,
            serving="Uvicorn running on",
            health="/server_info",
            address=address,
        ),
        Service(
            name=DASHBOARD,
            command=streamlit,
            folder=folder,
            port=dashboard_port,
            serving="You can now view your Streamlit app",
            health="/_stcore/health",
            address=address,
        ),
        Service(
            name=DAEMON,
            command=("dagster._daemon", "run", *location),
            folder=folder,
        ),
    ]


def code_service(port: int, *, definitions: str = DEFINITIONS, address: str = HOST) -> Service:
    """Return the process that has the definitions loaded, for a webserver and a daemon elsewhere.

    Runs that they launch are processes of its machine.

    Args:
        port: Where it listens.
        definitions: Module with the Dagster definitions.
        address: What it listens on.
    """
    words = ("-m", definitions, "-h", address, "-p", "{port}", "--location-name", DEFINITIONS)
    return Service(
        name=CODE,
        # The environment's own Python runs what it launches.
        command=("dagster", "api", "grpc", "--use-python-environment-entry-point", *words),
        folder=PROJECT_ROOT,
        port=port,
        address=address,
    )
