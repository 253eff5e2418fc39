"""Serving a home: both servers and the daemon together, or one part alone."""

import os
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from orchestration.console import Say, State, say
from warehouse.home import Home
from warehouse.serving import Addresses

_NEXT = (
    'sql "from rpt_rank_agreement"',
    "ingest speeches --from hf://datasets/noystl/speech-quality-dataset",
    "run speech-score --judge openai/gpt-4.1-mini --limit 50",
)


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
    from orchestration.servers.services import check_address

    check_address(address, is_behind_proxy=behind_proxy)
    if only is not None:
        from orchestration.servers.parts import PARTS, become

        if only not in PARTS:
            raise typer.BadParameter(f"--only is one of {', '.join(PARTS)}, not {only}")
        prepare_to_serve(State.home, has_code=only != "dashboard")
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
        )
    raise typer.Exit(
        serve_home(
            State.home,
            say=say,
            dashboard_port=dashboard_port,
            dagster_port=dagster_port,
            hosts=host or [],
            read_only=read_only,
            address=address,
        )
    )


def serve_home(
    home: Home,
    *,
    say: Say,
    dashboard_port: int = 8501,
    dagster_port: int = 3000,
    hosts: Sequence[str] = (),
    read_only: bool = False,
    address: str = "127.0.0.1",
) -> int:
    """Serve a home until a signal comes; return the exit code.

    Args:
        home: The home.
        say: Where sentences for the user go.
        dashboard_port: First port to try for the dashboard.
        dagster_port: First port to try for the Dagster UI.
        hosts: Under which other addresses a tunnel or a proxy passes requests on.
        read_only: Whether nobody may start, hand in or change anything from either address.
        address: What both listen on.
    """
    # The servers' own start is slow enough; Dagster is imported by them, and here only to prepare.
    from orchestration.servers.claim import AlreadyServing
    from orchestration.servers.serve import serve as serve_until_signal
    from orchestration.servers.services import rostrum_services

    try:
        prepare_to_serve(home)
        return serve_until_signal(
            home,
            dashboard_port=dashboard_port,
            dagster_port=dagster_port,
            say=say,
            on_ready=lambda addresses: announce(addresses, say),
            read_only=read_only,
            services=partial(rostrum_services, hosts=hosts, read_only=read_only, address=address),
        )
    except AlreadyServing as already:
        announce(already.addresses, say)
        return 0


def prepare_to_serve(home: Home, *, has_code: bool = True) -> None:
    """Put in place what servers of a home read.

    Args:
        home: The home.
        has_code: Whether one of them loads the definitions; the dashboard alone does not.
    """
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


def announce(addresses: Addresses, say: Say) -> None:
    """Say where a home is served, and what to do next."""
    say(f"dashboard   {addresses.dashboard}")
    say(f"Dagster UI  {addresses.dagster}")
    say_next(say)


def say_next(say: Say) -> None:
    """Name three commands as they can be typed here, whether or not the environment is active."""
    program = "rostrum" if shutil.which("rostrum") else os.path.relpath(sys.argv[0])
    say("\nnext:")
    for arguments in _NEXT:
        say(f"  {program} {arguments}")
