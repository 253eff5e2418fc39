"""A judge's rates over all runs of a team: what is left of them is one row in Postgres.

A run by itself keeps the rates of its judge, over all its shards. Runs that ask the same model at
the same endpoint share what the provider allows where they are told the same Postgres.
"""

import os
import time
from collections.abc import Mapping
from typing import Any

from inference.errors import BadSettings, StoreUnavailable
from inference.registry import JudgeSpec
from inference.runs.limits import buckets

# Names the Postgres, as libpq has it.
VARIABLE = "ROSTRUM_RATES"
# Of two runs that create the table at once one would fail.
_CREATE = """
    select pg_advisory_xact_lock(1383232116);
    create table if not exists rostrum_rates (
        name text primary key,
        requests double precision,
        tokens double precision,
        at timestamptz not null
    );
    insert into rostrum_rates values (%s, null, null, clock_timestamp()) on conflict do nothing
"""
_LOOK = """
    select requests, tokens, extract(epoch from clock_timestamp() - at)::double precision
    from rostrum_rates where name = %s for update
"""
_KEEP = """
    update rostrum_rates set requests = %s, tokens = %s, at = clock_timestamp() where name = %s
"""


class SharedRates:
    """What one model at one endpoint still allows. It connects when first asked."""

    def __init__(self, address: str, name: str, settings: Mapping[str, Any]) -> None:
        self._address, self._name = address, name
        self._buckets = buckets(settings, time.monotonic)
        self._connection: Any = None

    def take(self, tokens: float, owed: float) -> float:
        """Take a request with its tokens, or return how many seconds to wait."""
        try:
            import psycopg2
        except ImportError:
            raise BadSettings(
                f"rates: {VARIABLE} names a Postgres, and what it needs is not installed; "
                "pip install -c constraints.txt -e '.[team]'"
            ) from None
        try:
            if self._connection is None:
                self._connection = psycopg2.connect(self._address, connect_timeout=10)
                with self._connection, self._connection.cursor() as cursor:
                    cursor.execute(_CREATE, (self._name,))
            with self._connection, self._connection.cursor() as cursor:
                cursor.execute(_LOOK, (self._name,))
                *levels, seconds = cursor.fetchone()
                wait_s = self._taken(levels, seconds, (1.0, tokens), owed)
                left = (each and each.level for each in self._buckets)
                cursor.execute(_KEEP, (*left, self._name))
        except psycopg2.Error as error:
            raise StoreUnavailable(
                f"rates: the Postgres that {VARIABLE} names cannot be used "
                f"({type(error).__name__}); what was answered is kept, run the same command again"
            ) from None
        return wait_s

    def _taken(
        self, levels: list[float | None], seconds: float, amounts: tuple[float, float], owed: float
    ) -> float:
        found = [
            (bucket, amount)
            for bucket, amount in zip(self._buckets, amounts, strict=True)
            if bucket is not None
        ]
        for bucket, level in zip(self._buckets, levels, strict=True):
            if bucket is not None and level is not None:
                bucket.was(level, seconds)
        if self._buckets[1] is not None:
            self._buckets[1].take(owed)
        wait_s = max(bucket.wait_s(amount) for bucket, amount in found)
        if wait_s <= 0:
            for bucket, amount in found:
                bucket.take(amount)
        return wait_s


def shared_rates(spec: JudgeSpec) -> SharedRates | None:
    """Return the rates that a judge shares with other runs; None where it has or shares none."""
    address = os.environ.get(VARIABLE)
    if not address or not any(buckets(spec.settings, time.monotonic)):
        return None
    name = f"{spec.provider}/{spec.model} {spec.settings.get('base_url') or ''}".strip()
    return SharedRates(address, name, spec.settings)
