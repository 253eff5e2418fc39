"""The data test `holds`: a row that breaks a rule is found, with the rule's name and the row's key."""

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import duckdb
import jinja2
import pytest
import yaml  # type: ignore[import-untyped]

from warehouse.audit import DBT_PROJECT
from warehouse.home import Home

Found = list[tuple[str, str, str]]


@dataclass(frozen=True)
class Relation:
    """A table, as dbt passes it to a test."""

    identifier: str
    schema: str = "intermediate"

    def __str__(self) -> str:
        return self.identifier


def query_of(model: str, **rules: Any) -> str:
    """Return the query that the test makes of a model's rules."""
    folder = DBT_PROJECT / "macros" / "tests"
    text = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.sql")))
    text = re.sub(r"{% test (\w+)", r"{% macro test_\1", text).replace("endtest", "endmacro")
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    environment.globals["ref"] = lambda name: f"seeds.{name}"
    macros = environment.from_string(text).module
    schema = "marts" if model.startswith("rpt_") else "intermediate"
    return str(macros.test_holds(Relation(model, schema), **rules))  # type: ignore[attr-defined]


def rules_of(model: str) -> dict[str, Any]:
    """Return the rules that the project's YAML gives a model."""
    (path,) = (DBT_PROJECT / "models").rglob(f"{model}.sql")
    described = yaml.load(
        (path.parent / f"_{path.parent.name}.yml").read_text("utf-8"), yaml.CSafeLoader
    )
    (found,) = [each for each in described["models"] if each["name"] == model]
    rules: dict[str, Any] = found["data_tests"][0]["holds"]["arguments"]
    return rules


class Case(NamedTuple):
    """Rules, a row that keeps them, and one that breaks one of them."""

    rules: dict[str, Any]
    good: str
    bad: str
    rule: str
    row_key: str = "id=2"


RANGES = [
    {"low": 0, "high": 1, "columns": ["id", "rate"]},
    {"low": -1, "high": 1, "columns": ["n"]},
]
CASES = {
    "a key": Case({"key": ["id"]}, "1 as id", "1 as id", "id is unique", "id=1"),
    "a key of two columns": Case(
        {"key": ["id", "part"]},
        "1 as id, null as part",
        "1 as id, null as part",
        "id, part is unique",
        "id=1, part=null",
    ),
    "a key that ends with a number": Case(
        {"numbered_key": ["kind", "id"]},
        "unnest(['a', 'b', null]) as kind, unnest([1535, 1023, 1023]) as id",
        "null as kind, 1023 as id",
        "kind, id is unique",
        "kind=null, id=1023",
    ),
    "a key that ends with a number that is unknown": Case(
        {"numbered_key": ["kind", "id"]},
        "'a' as kind, unnest([0, 511, 512, null]) as id",
        "'a' as kind, null as id",
        "kind, id is unique",
        "kind=a, id=null",
    ),
    "a second key": Case(
        {"key": ["id"], "unique": [["name"]]},
        "1 as id, 'a' as name",
        "2 as id, 'a' as name",
        "name is unique",
        "name=a",
    ),
    "a column that is known": Case(
        {"key": ["id"], "not_null": ["name"]},
        "1 as id, 'a' as name",
        "2 as id, null as name",
        "name is not null",
    ),
    "the lower end of a range": Case(
        {"between": RANGES},
        "1 as id, 0.0 as rate, -1 as n",
        "0 as id, -0.1 as rate, 0 as n",
        "0 <= rate <= 1",
        "id=0, rate=-0.1, n=0",
    ),
    "the upper end of a range": Case(
        {"key": ["id"], "between": RANGES[1:]},
        "1 as id, 1 as n",
        "2 as id, 2 as n",
        "-1 <= n <= 1",
    ),
    "an estimate outside its interval": Case(
        {"key": ["id"], "intervals": ["rate"]},
        "1 as id, 0.1 as rate_low, 0.1 as rate, null as rate_high",
        "2 as id, 0.1 as rate_low, 0.3 as rate, 0.2 as rate_high",
        "rate <= rate_high",
    ),
    "the order of columns": Case(
        {"key": ["id"], "ordered": [["low", "mid", "high"]]},
        "1 as id, 0.1 as low, 0.1 as mid, null as high",
        "2 as id, 0.1 as low, 0.3 as mid, 0.2 as high",
        "mid <= high",
    ),
    "the order of columns, under a condition": Case(
        {"key": ["id"], "ordered": [{"columns": ["low", "high"], "where": "id = 2 or low = 9"}]},
        "1 as id, 2 as low, 1 as high",
        "2 as id, 2 as low, 1 as high",
        "low <= high",
    ),
    "a figure that is null for no reason": Case(
        {"key": ["id"], "null_has_reason": {"rate": "reason"}},
        "1 as id, null as rate, 'one row' as reason",
        "2 as id, null as rate, null as reason",
        "rate is null exactly where reason is not",
    ),
    "a reason for a figure that is known": Case(
        {"key": ["id"], "null_has_reason": {"rate": "case when rate < 0 then 'low' end"}},
        "1 as id, 0.5 as rate",
        "2 as id, -0.5 as rate",
        "rate is null exactly where case when rate < 0 then 'low' end is not",
    ),
    "an accepted text": Case(
        {"key": ["id"], "accepted_values": {"side": ["pro", "con"]}},
        "1 as id, null::varchar as side",
        "2 as id, 'tie' as side",
        "side is one of pro, con",
    ),
    "an accepted number": Case(
        {"key": ["id"], "accepted_values": {"answer": [0, 1]}},
        "1 as id, 0 as answer",
        "2 as id, 2 as answer",
        "answer is one of 0, 1",
    ),
    "a row of another model": Case(
        {"key": ["id"], "relationships": [{"column": "judge", "to": Relation("judges")}]},
        "1 as id, 'a/b' as judge",
        "2 as id, 'c/d' as judge",
        "judge is a judge of judges",
    ),
    "a row of another model, under a condition": Case(
        {
            "key": ["id"],
            "relationships": [
                {
                    "column": "best",
                    "to": Relation("judges"),
                    "field": "judge",
                    "where": "id != 1 or best is null",
                }
            ],
        },
        "1 as id, 'e/f' as best",
        "2 as id, 'c/d' as best",
        "best is a judge of judges",
    ),
    "columns with the names that the result has": Case(
        {"key": ["model", "rule", "row_key"], "not_null": ["rule"]},
        "1 as model, 1 as rule, 1 as row_key",
        "1 as model, null as rule, 3 as row_key",
        "rule is not null",
        "model=1, rule=null, row_key=3",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_row_that_breaks_a_rule_is_named(case: Case) -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute("create table judges as select unnest(['a/b', null]) as judge")
        connection.execute(f"create table thing as select {case.good}")
        query = query_of("thing", **case.rules)
        assert connection.execute(query).fetchall() == []
        connection.execute(f"insert into thing select {case.bad}")
        assert connection.execute(query).fetchall() == [("thing", case.rule, case.row_key)]


def test_a_row_that_breaks_two_rules_is_listed_under_each() -> None:
    rules = {"key": ["id"], "not_null": ["name"], "ordered": [["low", "high"]]}
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            "create table thing as select 1 as id, null as name, 2 as low, 1 as high union all "
            "select 1 as id, 'a' as name, 1 as low, 1 as high"
        )
        found = connection.execute(query_of("thing", **rules)).fetchall()
    assert sorted(rule for _, rule, _ in found) == [
        "id is unique",
        "low <= high",
        "name is not null",
    ]


COLUMNS = {
    ("judge_id", None): None,
    ("n_units", None): None,
    ("tau_c_low", "rpt_b"): None,
    ("round", None): "bigint",
    ("round", "rpt_b"): "varchar",
}
GOOD = {
    "judge_id": "'j/a'",
    "n_units": "3::bigint",
    "round": "1::bigint",
    "tau_c": "0.5::double",
    "tau_c_low": "null::double",
    "share": "0.5::double",
}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        ({"n_units": "3"}, [("n_units is bigint", "type=integer")]),
        ({"tau_c": "1::decimal(3, 1)"}, [("tau_c is double", "type=decimal(3,1)")]),
        ({"tau_c_low": "'a'"}, [("tau_c_low is double", "type=varchar")]),
        ({"round": "'a'"}, [("round is bigint", "type=varchar")]),
        ({"p_new": "1::double"}, [("p_new is described by the catalogue", "type=double")]),
        ({"tau_b_low": "1::double"}, [("tau_b_low is described by the catalogue", "type=double")]),
        ({"judge_id": "null::varchar"}, [("judge_id is not null", "1 rows")]),
        ({"n_units": "null::bigint"}, [("n_units is not null", "1 rows")]),
        ({"rpt": "rpt_b", "round": "'a'"}, []),
        ({"rpt": "rpt_b"}, [("round is varchar", "type=bigint")]),
        (
            {"rpt": "rpt_b", "round": "'a'", "tau_c_low": None},
            [("tau_c_low of columns.csv is there", "type=none")],
        ),
        ({"nullable": ["n_units"], "n_units": "null::bigint"}, []),
        ({"nullable": ["n_gone"]}, [("n_gone is there", "listed as nullable")]),
    ],
)
def test_a_published_table_has_the_columns_and_types_of_the_catalogue(
    changed: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    mart = changed.get("rpt", "rpt_a")
    columns = {
        name: value for name, value in (GOOD | changed).items() if name not in ("rpt", "nullable")
    }
    listed = ", ".join(f"{value} as {name}" for name, value in columns.items() if value)
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            "create schema seeds; create table seeds.measures as select unnest(['tau_c', 'a_share', 'b_share']) as measure"
        )
        connection.execute(
            "create table seeds.columns (column_name varchar, mart varchar, type varchar)"
        )
        connection.executemany(
            "insert into seeds.columns values (?, ?, ?)",
            [(*key, kind) for key, kind in COLUMNS.items()],
        )
        connection.execute(f"create table {mart} as select {listed}")
        query = query_of(mart, key=["judge_id"], nullable=changed.get("nullable", []))
        assert sorted(connection.execute(query).fetchall()) == [(mart, *one) for one in found]


def test_a_model_has_one_data_test_which_is_named_after_it() -> None:
    for path in DBT_PROJECT.rglob("*.yml"):
        described = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
        for model in described.get("models", []) if path.parent != DBT_PROJECT else []:
            names = [test["holds"]["name"] for test in model.get("data_tests", [])]
            is_published = model["name"].startswith(("dim_", "fct_", "rpt_"))
            assert names in ([] if not is_published else None, [f"holds_{model['name']}"])
            assert not any("data_tests" in column for column in model.get("columns", []))


def test_every_model_with_a_key_refuses_a_row_that_is_there_twice(built_demo: Home) -> None:
    """The project's own tests, as dbt compiled them, on tables with a row too many."""
    manifest, results = (
        json.loads((built_demo.dbt_target / name).read_text("utf-8"))
        for name in ("manifest.json", "run_results.json")
    )
    code = {one["unique_id"]: one.get("compiled_code") for one in results["results"]}
    tried = 0
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"attach '{built_demo.build_db}' as demo (read_only)")
        connection.execute("attach ':memory:' as build")
        tables = {
            (schema, name)
            for schema, name in connection.execute(
                "select schema_name, table_name from duckdb_tables() where database_name = 'demo'"
            ).fetchall()
        }
        # A rule may look a value up in a view of raw tables.
        views = connection.execute(
            "select schema_name, view_name from duckdb_views() "
            "where database_name = 'demo' and schema_name in ('raw', 'staging')"
        ).fetchall()
        for name in {schema for schema, _ in (*tables, *views)}:
            connection.execute(f"create schema if not exists build.{name}")
        for schema, name in (*tables, *views):
            connection.execute(
                f'create view build."{schema}"."{name}" as from demo."{schema}"."{name}"'
            )
        for unique_id, node in manifest["nodes"].items():
            if (node.get("test_metadata") or {}).get("name") != "holds":
                continue
            arguments = node["test_metadata"]["kwargs"]
            key = arguments.get("key") or arguments.get("numbered_key")
            if node["attached_node"]:
                tested = manifest["nodes"][node["attached_node"]]
                schema, name = tested["schema"], tested["name"]
            else:
                schema, name = re.findall(r"'(\w+)'", node["test_metadata"]["kwargs"]["model"])
            if not key or (schema, name) not in tables | set(views):
                continue
            demo, table = f'demo."{schema}"."{name}"', f'build."{schema}"."{name}"'
            connection.execute(f"drop view {table}")
            connection.execute(
                f"create view {table} as (from {demo}) union all (from {demo} limit 1)"
            )
            rows = connection.execute(f"select count(*) from {demo}").fetchone()
            found = connection.execute(code[unique_id]).fetchall()
            rules = {rule for _, rule, _ in found}
            assert not rows or not rows[0] or f"{', '.join(key)} is unique" in rules, name
            assert {model for model, _, _ in found} <= {name}
            tried += bool(found)
    assert tried > 100
