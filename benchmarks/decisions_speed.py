"""How long do the marts on decisions take over 100,000 items and 50 judges?

Items, judges and what people say are made up; the models run as dbt compiles them. The limit is
writing the rows once, as DuckDB copies them.
"""

import time
from collections.abc import Callable
from typing import Any

import duckdb

from benchmarks.harness import Budget
from tests.soak.simulation import built

BUDGETS = (
    Budget("drift of 5 million scores", 60, "drift/marts_s", "s", "drift/limit_s"),
    Budget("pressure on 5 million verdicts", 10, "pressure/marts_s", "s", "pressure/limit_s"),
    Budget("routing of 5 million scores", 90, "routing/marts_s", "s", "routing/limit_s"),
)
_PER_TOPIC = 4
# A draw from a standard normal distribution, the same whenever it is made.
_DRAW = """
create or replace macro draw(a, b, c) as
    sqrt(-2 * ln((hash(a, b, c, 'u') % 1000000 + 1) / 1000001.0))
    * cos(2 * pi() * (hash(a, b, c, 'v') % 1000000) / 1000000.0)
"""
Connection = duckdb.DuckDBPyConnection


def made_up(connection: Connection, items: int, judges: int) -> None:
    """Make the table `made_up`: a row for each judge and item."""
    connection.execute(_DRAW)
    connection.execute(
        "create table main.made_up as select *, before + judge / $judges + "
        "draw(item, judge, 'after') as after, "
        "greatest(1, least(5, people + draw(item, judge, 'noise') * (0.2 + judge / $judges))) "
        "as score, (draw(item, judge, 'first') > 1.3)::integer as flipped_by_control, "
        "(draw(item, judge, 'second') > 1.3 - judge / $judges)::integer as flipped from ("
        f"select judge, 'm/' || judge as judge_id, item, item // {_PER_TOPIC} as topic, "
        "3 + draw(item, judge, 'before') as before, "
        "greatest(1, least(5, 3 + draw(item, 0, 'people'))) as people, draw(item, 0, 'side') as "
        "side from range($items) as items (item), range($judges) as judges (judge))",
        {"items": items, "judges": judges},
    )


def drift(connection: Connection) -> None:
    """Make the tables that drift reads: two waves of scores over a frozen set."""
    connection.execute(
        "create table intermediate.int_anchor_units as "
        "select 2 * judge + after_it as wave_id, 'i' || item as item_id, "
        "'t' || topic as cluster_id, 's' as source, if(after_it = 1, after, before) as value, "
        "3.0 as people_value from made_up, range(2) as waves(after_it)"
    )
    connection.execute(
        "create table intermediate.int_anchor_waves as "
        "select wave_id, 'a' as anchor_set, 'm/' || wave_id // 2 as judge_line, "
        "'q' as dimension, 'w' || wave_id % 2 as wave, 'd' as dataset_id, "
        "['m/' || wave_id // 2] as judge_ids, ['t'] as templates, "
        "timestamp '2026-01-01' as began_at, 0 as failed_count, wave_id % 2 + 1 as place "
        "from (select distinct 2 * judge + after_it as wave_id "
        "from made_up, range(2) as waves (after_it))"
    )
    connection.execute(
        "create table marts.dim_dimension as select 'd' as dataset_id, 'q' as dimension, "
        "1.0 as scale_min, 5.0 as scale_max"
    )
    connection.execute(
        "create schema raw; create table raw.anchor_items as select 'a' as anchor_set, "
        "null::varchar as follows, 'made up' as _source_file, now() as _loaded_at"
    )


def pressure(connection: Connection) -> None:
    """Make the table that pressure reads: one rebuttal of every verdict by either side."""
    connection.execute(
        "create table intermediate.int_pressure_units as "
        "select 'e' as experiment, 'd' as dataset_id, judge_id, 't' as template, "
        "'plain' as rebuttal, unnest(['any', if(side > 0, 'away', 'toward')]) as direction, "
        "item as debate_id, topic as cluster_key, 1 as pair_count, 0 as failed_count, "
        "flipped as flip_share, flipped_by_control as control_share, "
        "flipped - flipped_by_control as least_difference, "
        "flipped - flipped_by_control as most_difference from made_up"
    )


def routing(connection: Connection) -> None:
    """Make the tables that routing reads, of `made_up`."""
    ids = "'speeches' as task, 'd' as dataset_id, 'q' as dimension"
    item = "'d:' || item as instance_id, 'd:' || topic as cluster_id"
    connection.execute(
        f"create table intermediate.int_annotations_judges as select {ids}, {item}, null::varchar "
        "as experiment, judge_id, 't' as template, null::varchar as variant_id, "
        "null::varchar as label, score as value from made_up"
    )
    connection.execute(
        f"create table intermediate.int_annotations_people as select distinct {ids}, {item}, "
        "'p' as annotator_id, people as value from made_up"
    )
    connection.execute(
        "create table marts.dim_dimension as select 'd' as dataset_id, 'q' as dimension, "
        "1.0 as scale_min, 5.0 as scale_max"
    )
    connection.execute(
        "create table staging.stg_raw__speeches as select distinct 'd:' || item as item_id, "
        "'s' as source from made_up"
    )
    for name, columns in (
        (
            "intermediate.int_debates_judged",
            "debate_key bigint, human_winner varchar, "
            "dataset_id varchar, debate_id varchar, cluster_id varchar",
        ),
        (
            "intermediate.int_verdict_units",
            "debate_key bigint, setting_id bigint, p_pro double, con_share double",
        ),
        (
            "intermediate.int_verdict_settings",
            "setting_id bigint, dataset_id varchar, "
            "experiment varchar, judge_id varchar, variant_id varchar",
        ),
        ("marts.dim_variant", "variant_id varchar, verbalizer varchar, position varchar"),
    ):
        connection.execute(f"create table {name} ({columns})")


PARTS: dict[str, tuple[Callable[[Connection], None], str]] = {
    "drift": (drift, "rpt_drift rpt_score_change int_decisions_drift"),
    "pressure": (pressure, "rpt_pressure int_decisions_pressure"),
    "routing": (routing, "path:models/core/decisions/routing"),
}


def measure(items: int = 100_000, judges: int = 50) -> dict[str, Any]:
    """Build each part's models over the same made-up judges and items."""
    found: dict[str, Any] = {"items": items, "judges": judges}
    for name, (fill, models) in PARTS.items():

        def whole(connection: Connection, fill: Callable[[Connection], None] = fill) -> None:
            made_up(connection, items, judges)
            fill(connection)

        with built(whole, models) as (connection, seconds):
            began = time.monotonic()
            connection.execute("create table build.main.copied as from build.main.made_up")
            limit = time.monotonic() - began
        found[name] = {"marts_s": round(seconds, 1), "limit_s": round(limit, 2)}
    return found
