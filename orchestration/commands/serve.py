"""`rostrum serve` and `rostrum demo`: the servers of a home, together or one part alone."""

from __future__ import annotations

import os
from typing import ClassVar, Literal

from orchestration.console import Say, say
from orchestration.operation import Operation, option
from warehouse.home import Home

_HELP_ONLY = "With --only: HOST:PORT of the part"


class Serve(Operation):
    """Leave the dashboard and the Dagster UI up until Ctrl-C."""

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = "serve --dashboard-port 9000"

    dashboard_port: int = option("First port to try for the dashboard.", 8501)
    dagster_port: int = option("First port to try for the Dagster UI.", 3000)
    hosts: list[str] = option(
        "HOST:PORT under which a tunnel or proxy passes it on. Repeatable.", [], name="host"
    )
    read_only: bool = option("Let nobody start or hand in anything from either address.", False)
    address: str = option(
        "IP address to listen on; other machines reach all but 127.0.0.1.", "127.0.0.1"
    )
    behind_proxy: bool = option(
        "Say that a proxy signs people in before they reach --address.", False
    )
    only: Literal["code", "dagster", "daemon", "dashboard"] | None = option(
        "One part alone, in the foreground.", None
    )
    code: str = option(f"{_HELP_ONLY} code.", "127.0.0.1:4000")
    dagster: str = option(f"{_HELP_ONLY} dagster.", "127.0.0.1:3000")

    def run(self, home: Home, say: Say = say) -> None:
        """Prepare the home, and become the process that serves it until a signal."""
        from orchestration.servers.parts import become
        from orchestration.servers.serve import become_server
        from orchestration.servers.services import check_address

        check_address(self.address, is_behind_proxy=self.behind_proxy)
        keys = prepare_to_serve(home, has_code=self.only != "dashboard")
        options = self.model_dump(exclude={"behind_proxy", "only", "code", "dagster"})
        if self.only is None:
            become_server(home, keys=keys, **options)
        become(home, self.only, code=self.code, dagster=self.dagster, keys=keys, **options)


class Demo(Operation):
    """Load the bundled sample, judge it offline, build, publish, and serve."""

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = "demo --no-serve"

    serve: bool = option("Leave the dashboard and the Dagster UI up until Ctrl-C.", True)

    def run(self, home: Home, say: Say = say) -> None:
        """Fill the home and serve it; one that this code has published is served at once."""
        from orchestration.commands import demo
        from orchestration.servers.serve import show_addresses, show_next
        from warehouse.reader import current_version
        from warehouse.serving import live_addresses

        if self.serve and (live := live_addresses(home)):
            show_addresses(live, say)
            return
        if demo.is_current(home):
            say(f"{current_version(home).name} is published in {home.root}")
        else:
            demo.fill(home, say)
        if self.serve:
            Serve().run(home, say)
        show_next(say)


def prepare_to_serve(home: Home, *, has_code: bool = True) -> list[str]:
    """Write the files that servers of a home read; return the variables that hold keys."""
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
