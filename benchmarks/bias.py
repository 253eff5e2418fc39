"""How long do the bias marts take over ten million verdicts, and what do they take on disk?

The verdicts are made up: judges with planted biases, crossed with variants and debates. The limit
is writing the verdicts once, as DuckDB copies their table.
"""

import tempfile
from pathlib import Path
from typing import Any

import duckdb

from benchmarks import building
from benchmarks.harness import Budget
from benchmarks.made_up import AT, ORIGIN, fill_judges, make_schema
from warehouse.build_file import create
from warehouse.raw import append_rows

BUDGETS = (
    Budget("10 million verdicts through the build", 45, "sizes/1/wall_s", "s", "sizes/1/limit_s"),
)
VARIANTS, DEBATES = 100, 1000
_SELECTED = ("+fct_verdict", "+path:models/debates")
_FITTED = ("int_bias_joint_rows", "int_bias_joint_fitted")
# Crossed with both positions, each pair of labels is two verbalizers.
LABEL_PAIRS = (
    ("A", "B"),
    ("P", "C"),
    ("1", "-1"),
    ("Pro", "Con"),
    ("M", "N"),
    ("X", "Y"),
    ("I", "II"),
    ("first", "second"),
    ("red", "blue"),
    ("left", "right"),
    ("K", "L"),
    ("alpha", "beta"),
    ("Q", "R"),
)
_AT_ONCE = 10_000_000


def fill(connection: duckdb.DuckDBPyConnection, judges: int, variants: int, debates: int) -> int:
    """Fill raw with judges x variants x debates verdicts, and return how many there are.

    Half of the debates are won by Con and half closed by Con, crossed. A judge's log-odds of Con
    are the human winner's side times two, plus what the judge adds for the side named second, for
    the set's second label, for the side that closes and for each doubling of the lengths' ratio;
    each addition grows with the judge's number. One reply in a hundred cannot be read.

    Args:
        connection: An empty database that will hold the raw schema.
        judges: Number of judges.
        variants: Number of variants; at most 4 times the number of label pairs times two outcomes.
        debates: Number of debates.
    """
    make_schema(connection)
    append_rows(
        connection,
        "debates",
        "select 'made-up:' || i as debate_id, 'made-up' as "
        "dataset_id, 'Motion ' || i as motion, 'two-sided' as format, 3 as round_count, "
        f"if(i % 2 = 0, 'con', 'pro') as end_side, {ORIGIN} from range({debates}) d(i)",
    )
    append_rows(
        connection,
        "debate_outcomes",
        "select 'made-up:' || i as debate_id, 'made-up' as "
        "dataset_id, 'convincing' as criterion, 'votes' as decided_by, true as is_primary, "
        f"if(i // 2 % 2 = 0, 'con', 'pro') as winner, 3.0 as margin, {ORIGIN} "
        f"from range({debates}) d(i)",
    )
    append_rows(
        connection,
        "speeches",
        "select 'made-up:' || i || '-' || side as item_id, "
        "'made-up' as dataset_id, 'made-up:' || i as debate_id, 'people' as source, "
        "'text' as text, "
        "if(side = 'pro', 200, 100 + hash(i) % 400)::integer as word_count, 'h' as item_hash, "
        f"if(side = 'pro', 1, 2) as speech_order, side, {ORIGIN} "
        f"from range({debates}) d(i), unnest(['pro', 'con']) s(side)",
    )
    fill_judges(connection, judges, "crossed", variants * debates)
    connection.execute(
        "create temp table variants (v integer, pro_label varchar, con_label varchar, "
        "first_side varchar, outcome varchar)"
    )
    crossed = [
        (pro, con, side, outcome)
        for outcome in ("winner", "loser")
        for pair in LABEL_PAIRS
        for pro, con in (pair, pair[::-1])
        for side in ("pro", "con")
    ]
    if variants > len(crossed):
        message = f"bias: at most {len(crossed)} variants, not {variants}"
        raise ValueError(message)
    connection.executemany(
        "insert into variants values (?, ?, ?, ?, ?)",
        [(number, *factors) for number, factors in enumerate(crossed[:variants])],
    )
    firsts = ", ".join(f"'{pair[0]}'" for pair in LABEL_PAIRS)
    # Some judges at a time, as loads come: of more, DuckDB goes debate by debate.
    at_once = max(1, _AT_ONCE // (variants * debates))
    for begin in range(0, judges, at_once):
        end = min(judges, begin + at_once)
        append_rows(
            connection,
            "verdicts",
            f"""
            select
                'run-' || j as run_id, md5(concat_ws('-', v, i)) as request_id,
                'crossed' as experiment, 'made-up/judge-' || j as judge_id, 's' as settings_hash,
                'made-up' as dataset_id, 'made-up:' || i as debate_id, 'winner_vanilla' as template,
                'equivalent' as wording, 'p' as prompt_hash, pro_label, con_label,
                pro_label || '/' || con_label as verbalizer, first_side,
                first_side || '_first' as position, outcome, false as reasoning, 0 as sample,
                'answered' as request_status,
                case
                    when hash(j, v, i, 'f') % 100 = 0 then null
                    when hash(j, v, i) / 18446744073709551615.0 < 1 / (1 + exp(-(
                        2 * if(i // 2 % 2 = 0, 1, -1)
                        + j / {judges} * (
                            0.5 * if(first_side = 'pro', 1, -1)
                            + 0.3 * if(pro_label in ({firsts}), 1, -1)
                            + 0.4 * if(i % 2 = 0, 1, -1)
                            + 0.2 * log2((100 + hash(i) % 400) / 200.0)
                        )
                    ))) then 'con'
                    else 'pro'
                end as winner,
                if(winner is null, 'unparsed', 'parsed') as parse_status,
                if(winner is null, 'no_label', null) as parse_reason, 'text' as answer_format,
                1 as attempts, 1000 as tokens_in, 1 as tokens_out, 0.5 as latency_s,
                0.001 as cost_usd, {AT} as answered_at, {ORIGIN}
            from range({begin}, {end}) t(j), variants, range({debates}) d(i)
            """,
        )
    row = connection.execute("select count(*) from raw.verdicts").fetchone()
    return int(row[0]) if row else 0


def build(path: Path, **where: Any) -> dict[str, Any]:
    """Build and test the bias marts with dbt, and return where the time went.

    Args:
        path: The build database, filled.
        where: What `building.build` takes beside it.
    """
    apart = {"joint_fits_s": _FITTED}
    found = building.build(path, *_SELECTED, indirect="buildable", apart=apart, **where)
    sql_s = found["models_s"] + found["tests_s"] - found["joint_fits_s"]
    return {**found, "sql_and_tests_s": round(sql_s, 1)}


def published_bytes(path: Path) -> int:
    """Return the size of a file that has the marts alone, as readers get them."""
    published = path.with_name("published.duckdb")
    with duckdb.connect(str(published)) as connection:
        connection.execute(f"attach '{path}' as build (read_only)")
        tables = connection.execute(
            "select table_name from duckdb_tables() "
            "where database_name = 'build' and schema_name = 'marts'"
        ).fetchall()
        for (table,) in tables:
            connection.execute(f'create table "{table}" as from build.marts."{table}"')
    return published.stat().st_size


def measure(
    judges: tuple[int, ...] = (1, 100), variants: int = VARIANTS, debates: int = DEBATES
) -> dict[str, Any]:
    """Measure one hundred thousand and ten million verdicts, from the smallest size up."""
    sizes = []
    for count in sorted(judges):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "build.duckdb"
            create(path)
            with duckdb.connect(str(path)) as connection:
                verdicts = fill(connection, count, variants, debates)
            raw = path.stat().st_size
            size = {"judges": count, "verdicts": verdicts, **build(path)}
            size["limit_s"] = building.copying_s(path, "raw.verdicts")
            for name, found in (
                ("raw", raw),
                ("build_file", path.stat().st_size),
                ("published", published_bytes(path)),
            ):
                size[f"{name}_bytes_per_verdict"] = round(found / verdicts, 1)
            sizes.append(size)
    return {"variants": variants, "debates": debates, "sizes": sizes}
