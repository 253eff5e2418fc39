"""How long do severity, speakers and the crowd take over ten thousand speeches?

The speeches, fifteen ratings of each and the scores of twenty judges are made up. The limit is
writing the ratings once, as DuckDB copies their table.
"""

from typing import Any

import duckdb

from benchmarks.building import build_made_up
from benchmarks.harness import Budget
from benchmarks.made_up import AT, ORIGIN, fill_judges, make_schema
from warehouse.raw import append_rows

BUDGETS = (Budget("10,000 rated speeches through the build", 90, "wall_s", "s", "limit_s"),)
_MARTS = (
    "rpt_severity",
    "rpt_speaker_comparison",
    "rpt_rater_quality",
    "rpt_crowd_agreement",
    "rpt_rater_count",
)
RATERS = 15
PEOPLE = 80
# Two speeches of people, seven of other programs, and one of a model that nobody rates.
SOURCES = (
    "Human expert",
    "Human expert",
    "Project Debater",
    "Arg-Human1",
    "Arg-Human2",
    "Arg-GPT2",
    "Arg-Search",
    "Speech-GPT2",
    "Summit",
    "gpt-4.1",
)


def fill(connection: duckdb.DuckDBPyConnection, topics: int, judges: int) -> int:
    """Fill raw with ten speeches a topic, and return the number of ratings and scores.

    A speech is worth 2 to 4.5 points by its source and up to one more by chance. Fifteen of eighty
    people rate it, harsher or milder by up to half a point, and every judge scores it with noise
    that grows with the judge's number. One answer in fifty cannot be read.

    Args:
        connection: An empty database that will hold the raw schema.
        topics: Number of topics.
        judges: Number of judges.
    """
    make_schema(connection)
    connection.execute(
        "create temp table made as select topic, number, "
        "'made-up:' || topic || '/' || number as item_id, 'made-up:' || topic as debate_id, "
        "$sources[number + 1] as source, if(number < 2, 3.5, 2 + number * 0.25) + "
        "hash(topic, number) % 1000 / 1000 as worth "
        f"from range({topics}) as topics (topic), range({len(SOURCES)}) as numbers (number)",
        {"sources": list(SOURCES)},
    )
    connection.execute(
        "insert into raw.dimensions by name select 'made-up' as dataset_id, 'quality' as "
        f"dimension, 'How good?' as question, 1 as scale_min, 5 as scale_max, {ORIGIN}"
    )
    append_rows(
        connection,
        "debates",
        "select distinct debate_id, 'made-up' as dataset_id, "
        f"'Motion' as motion, 'opening_speech' as format, {ORIGIN} from made",
    )
    append_rows(
        connection,
        "speeches",
        "select item_id, 'made-up' as dataset_id, debate_id, "
        f"source, 'text' as text, 1 as word_count, 'h' as item_hash, {ORIGIN} from made",
    )
    # Multiples of a number prime to the people's never meet: fifteen different people a speech.
    append_rows(
        connection,
        "human_ratings",
        "select 'made-up' as dataset_id, item_id, "
        f"'p' || person as annotator_id, 'quality' as dimension, greatest(1, least(5, round("
        f"worth + person / {PEOPLE} - 0.5 + hash(item_id, person) % 2000 / 1000 - 1)))::double "
        f"as value, {ORIGIN} from (select *, (hash(item_id) % {PEOPLE} + 7 * seat) % {PEOPLE} "
        f"as person from made, range({RATERS}) as seats (seat)) where source != 'gpt-4.1'",
    )
    fill_judges(connection, judges, "speeches", topics * len(SOURCES))
    append_rows(
        connection,
        "scores",
        "select 'run-' || judge as run_id, judge || item_id as "
        "request_id, 'speeches' as experiment, 'made-up/judge-' || judge as judge_id, 's' as "
        "settings_hash, 'made-up' as dataset_id, item_id, 'h' as item_hash, 't' as template, "
        "'equivalent' as wording, 'p' as prompt_hash, 'quality' as dimension, 0 as sample, 'r' as "
        "response, 'answered' as request_status, if(is_read, value, null) as value, "
        "if(is_read, value, null) as value_released, if(is_read, 'parsed', 'unparsed') as "
        f"parse_status, if(is_read, null, 'no_score') as parse_reason, {AT} as answered_at, "
        f"{ORIGIN} from (select item_id, judge, hash(judge, item_id, 'read') % 50 > 0 as is_read, "
        "greatest(1, least(5, round(worth + (hash(judge, item_id) % 2000 / 1000 - 1) * "
        f"(0.5 + judge / {judges}))))::double as value from made, range({judges}) as j (judge))",
    )
    row = connection.execute(
        "select (select count(*) from raw.human_ratings) + (select count(*) from raw.scores)"
    ).fetchone()
    return int(row[0]) if row else 0


def measure(topics: int = 1000, judges: int = 20) -> dict[str, Any]:
    """Make up speeches, ratings and scores, and build the marts."""
    return build_made_up(
        lambda connection: {"values": fill(connection, topics, judges)},
        "raw.human_ratings",
        *(f"+{mart}" for mart in _MARTS),
    ) | {"topics": topics, "judges": judges}
