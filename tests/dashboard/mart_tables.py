"""The published tables, as the marts' contracts name and type them."""

from __future__ import annotations

import json

from warehouse.home import PROJECT_ROOT

_CONTRACTS = PROJECT_ROOT / "tests" / "dbt_project" / "mart_contracts.json"

TABLES = {
    name: ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
    for name, columns in json.loads(_CONTRACTS.read_text(encoding="utf-8")).items()
} | {
    "publication": (
        "version varchar, published_at timestamp, code_version varchar, project_hash varchar, "
        "dbt_invocation_id varchar, raw_load_id bigint"
    ),
}
