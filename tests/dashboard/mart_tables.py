"""The published tables, as the marts' contracts name and type them."""

from __future__ import annotations

import yaml

from warehouse.home import PROJECT_ROOT

_MODELS = PROJECT_ROOT / "dbt_project" / "models"


def _contracts() -> dict[str, str]:
    models = [
        model
        for path in sorted(_MODELS.rglob("*.yml"))
        for model in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader).get("models", [])
        if model["name"].startswith(("dim_", "fct_", "rpt_"))
    ]
    return {
        model["name"]: ", ".join(
            f'"{column["name"]}" {column["data_type"]}' for column in model["columns"]
        )
        for model in models
    }


TABLES = _contracts() | {
    "publication": (
        "version varchar, published_at timestamp, code_version varchar, project_hash varchar, "
        "dbt_invocation_id varchar, raw_load_id bigint"
    ),
}
