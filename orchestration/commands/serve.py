"""Serving a home: both servers and the daemon together, or one part alone."""

import os
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from orchestration.console import State
from orchestration.servers.serve import become_server
from orchestration.servers.services import check_address
from warehouse.home import Home


def serve(
    dashboard_port: Annotated[
        int, typer.Option(help="First port to try for the dashboard.")
    ] = 8501,
    dagster_port: Annotated[int, typer.Option(help="First port to try for the Dagster UI.")] = 3000,
    host: Annotated[
        list[str] | None,
        typer.Option(help="HOST:PORT under which a tunnel or proxy passes it on. Repeatable."),
    ] = None,
    read_only: Annotated[
        bool,
        typer.Option(
            "--read-only", help="Let nobody start or hand in anything from either address."
        ),
    ] = False,
    address: Annotated[
        str, typer.Option(help="IP address to listen on; other machines reach all but 127.0.0.1.")
    ] = "127.0.0.1",
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy", help="Say that a proxy signs people in before they reach --address."
        ),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(help="One part alone, in the foreground: code, dagster, daemon or dashboard."),
    ] = None,
    code: Annotated[
        str, typer.Option(help="With --only: HOST:PORT of the part code.")
    ] = "127.0.0.1:4000",
    dagster: Annotated[
        str, typer.Option(help="With --only: HOST:PORT of the part dagster.")
    ] = "127.0.0.1:3000",
) -> None:
    """Leave the dashboard and the Dagster UI up until Ctrl-C."""
    check_address(address, is_behind_proxy=behind_proxy)
    if only is not None:
        from orchestration.servers.parts import PARTS, become

        if only not in PARTS:
            raise typer.BadParameter(f"--only is one of {', '.join(PARTS)}, not {only}")
        keys = prepare_to_serve(State.home, has_code=only != "dashboard")
        become(
            State.home,
            only,
            dashboard_port=dashboard_port,
            dagster_port=dagster_port,
            hosts=host or [],
            read_only=read_only,
            address=address,
            code=code,
            dagster=dagster,
            keys=keys,
        )
    serve_home(
        State.home,
        dashboard_port=dashboard_port,
        dagster_port=dagster_port,
        hosts=host or [],
        read_only=read_only,
        address=address,
    )


def serve_home(
    home: Home,
    *,
    dashboard_port: int = 8501,
    dagster_port: int = 3000,
    hosts: Sequence[str] = (),
    read_only: bool = False,
    address: str = "127.0.0.1",
) -> NoReturn:
    """Prepare a home and become the process that serves it until a signal.

    Args:
        dashboard_port: First port to try for the dashboard.
        dagster_port: First port to try for the Dagster UI.
        read_only: Whether nobody may start, hand in or change anything from either address.
        address: What both listen on.
    """
    become_server(
        home,
        keys=prepare_to_serve(home),
        dashboard_port=dashboard_port,
        dagster_port=dagster_port,
        hosts=hosts,
        read_only=read_only,
        address=address,
    )


def prepare_to_serve(home: Home, *, has_code: bool = True) -> list[str]:
    """Write the files that servers of a home read; return the variables that hold keys.

    Args:
        has_code: Whether one of them loads the definitions; the dashboard alone does not.
    """
    from inference.registry import key_variables, load_judges
    from orchestration.builds.dbt import ensure_manifest
    from orchestration.instance import open_instance
    from orchestration.loading_assets import note_absent
    from orchestration.registry import ensure_registry, sync_partitions

    home.ensure()
    ensure_registry(home)
    if has_code:
        ensure_manifest(home)
        with open_instance(home) as instance:
            sync_partitions(home, instance)
            note_absent(instance)
    return key_variables(load_judges(home.judges_file), os.environ)
