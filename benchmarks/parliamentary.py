"""How long do the parliamentary marts take over ten thousand debates and twenty judges?

The debates and answers are made up. The limit is writing the values once, as DuckDB copies their
table.
"""

from typing import Any

import duckdb

from benchmarks.building import build_made_up
from benchmarks.harness import Budget
from benchmarks.made_up import AT, ORIGIN, fill_judges, make_schema
from warehouse.raw import append_rows

BUDGETS = (
    Budget("4 million parliamentary values through the build", 60, "wall_s", "s", "limit_s"),
)
_PLACES = """
create temp table places as select * from (values
    (1, 'pm', 'og'), (2, 'lo', 'oo'), (3, 'dpm', 'og'), (4, 'dlo', 'oo'),
    (5, 'mg', 'cg'), (6, 'mo', 'co'), (7, 'gw', 'cg'), (8, 'ow', 'co')
) as places (place, role, house)
"""


def fill(connection: duckdb.DuckDBPyConnection, judges: int, debates: int) -> int:
    """Fill raw with judges x debates answers to all three tasks, and return the number of values.

    Speakers are given 68 to 83 points, houses ranked by their sums. A judge scores within 4 points
    of the panel, and adds up to a point for the opening half by its number; its ranks follow its
    scores. One answer in fifty cannot be read. One motion in three is marked contentious.

    Args:
        connection: An empty database that will hold the raw schema.
        judges: Number of judges.
        debates: Number of debates.
    """
    make_schema(connection)
    connection.execute(_PLACES)
    _debates(connection, debates)
    fill_judges(connection, judges, "bp", debates)
    connection.execute(
        f"""
        create temp table given as
        select
            judge, debate, place, role, house,
            greatest(50, least(100, score + hash(judge, debate, place) % 9 - 4
                + if(place <= 4, judge / {judges}, 0)))::double as score,
            hash(judge, debate, 'read') % 50 > 0 as is_read
        from official, range({judges}) as judges (judge)
        """
    )
    append_rows(
        connection,
        "adjudications",
        f"""
        select
            'run-' || judge as run_id, judge || '-' || debate as request_id, 'bp' as experiment,
            'made-up/judge-' || judge as judge_id, 's' as settings_hash, 'made-up' as dataset_id,
            'made-up:' || debate as debate_id, 'bp_all' as template, 'equivalent' as wording,
            'p' as prompt_hash, 'all' as task, 'bp_manual' as manual,
            'og-oo-cg-co' as house_order, 'og-oo-cg-co' as named_order, 'whole' as strategy,
            true as has_motion, false as has_info_slide, 0 as sample,
            'answered' as request_status, if(is_read, 'parsed', 'unparsed') as parse_status,
            if(is_read, null, 'missing_section') as parse_reason,
            20000 + hash(debate) % 30000 as context_tokens, true as is_context_exact,
            1 as attempts, {AT} as answered_at, {ORIGIN}
        from (select distinct judge, debate, is_read from given)
        """,
    )
    append_rows(
        connection,
        "adjudication_values",
        f"""
        select
            'run-' || judge as run_id, judge || '-' || debate as request_id, task, place,
            if(is_read, value, null) as value, if(is_read, null, 'missing_section') as reason,
            {ORIGIN}
        from (
            select judge, debate, is_read, 'speaker_scores' as task, role as place, score as value
            from given
            union all
            select judge, debate, is_read, 'speaker_ranks', role,
                row_number() over (partition by judge, debate order by score desc, place)
            from given
            union all
            select judge, debate, is_read, 'house_ranks', house,
                row_number() over (partition by judge, debate order by sum(score) desc, house)
            from given group by judge, debate, is_read, house
        )
        """,
    )
    row = connection.execute("select count(*) from raw.adjudication_values").fetchone()
    return int(row[0]) if row else 0


def _debates(connection: duckdb.DuckDBPyConnection, debates: int) -> None:
    connection.execute(
        "create temp table official as select debate, places.*, "
        "68 + hash(debate, place, 'panel') % 16 as score "
        f"from range({debates}) as debates (debate), places"
    )
    append_rows(
        connection,
        "debates",
        "select 'made-up:' || debate as debate_id, 'made-up' as "
        "dataset_id, 'Motion ' || debate as motion, 'british_parliamentary' as format, "
        "'{\"is_contentious\": ' || if(debate % 3 = 0, 'true', 'false') || '}' as extra, "
        f"{ORIGIN} from range({debates}) as debates (debate)",
    )
    append_rows(
        connection,
        "speeches",
        "select 'made-up:' || debate || '/' || role as item_id, "
        "'made-up' as dataset_id, 'made-up:' || debate as debate_id, 'people' as source, "
        "'text' as text, (800 + hash(debate, place) % 600)::integer as word_count, "
        "'h' as item_hash, place as speech_order, upper(role) as round, role, "
        f"'debater' as speaker_role, {ORIGIN} from official",
    )
    append_rows(
        connection,
        "speaker_results",
        "select 'made-up:' || debate as debate_id, "
        "'made-up' as dataset_id, 'panel' as decided_by, role, score::double as score, "
        f"{ORIGIN} from official",
    )
    append_rows(
        connection,
        "team_results",
        "select 'made-up:' || debate as debate_id, "
        "'made-up' as dataset_id, 'panel' as decided_by, house, row_number() over "
        f"(partition by debate order by sum(score) desc, house) as team_rank, {ORIGIN} "
        "from official group by debate, house",
    )


def measure(judges: int = 20, debates: int = 10_000) -> dict[str, Any]:
    """Make up debates and answers, and build the marts."""
    return build_made_up(
        lambda connection: {"values": fill(connection, judges, debates)},
        "raw.adjudication_values",
        "+path:models/parliamentary",
    ) | {"judges": judges, "debates": debates}
