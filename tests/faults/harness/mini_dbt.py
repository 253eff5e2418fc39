"""A dbt project of a few models, built by the real dbt in the place of Rostrum's own.

It takes seconds where the whole takes half a minute, and its model `int_held` waits in the middle
of the build for as long as a test wants.
"""

import shutil
from pathlib import Path

from warehouse.home import PROJECT_ROOT

_FILES = {
    "dbt_project.yml": """\
name: rostrum
version: "1.0.0"
profile: rostrum
config-version: 2
model-paths: [models]
flags: {send_anonymous_usage_stats: false, use_colors: false}
models: {rostrum: {+materialized: table}}
""",
    "plugins/warehouse_functions.py": '''\
import os
import time
from pathlib import Path

from dbt.adapters.duckdb.plugins import BasePlugin


def hold_on() -> int:
    """Say that dbt has come this far, and wait until the test lets go."""
    if place := os.environ.get("ROSTRUM_TEST_HOLD"):
        Path(place, "holding.part").write_text(str(os.getpid()))
        os.replace(Path(place, "holding.part"), Path(place, "holding"))
        while Path(place).exists() and not Path(place, "let-go").exists():
            time.sleep(0.02)
    return 1


class Plugin(BasePlugin):
    def configure_connection(self, conn):
        conn.create_function("hold_on", hold_on, [], int, side_effects=True)
''',
    "models/models.yml": """\
sources:
  - name: raw
    tables: [{name: speeches}, {name: human_ratings}]
models:
  - name: dim_item
    description: The speeches.
    columns:
      - {name: item_id, description: The speech., data_tests: [not_null, unique]}
  - name: rpt_mean
    description: The mean score of each speech.
    columns:
      - {name: item_id, description: The speech., data_tests: [not_null]}
""",
    "models/dim_item.sql": "select item_id, text, item_hash from {{ source('raw', 'speeches') }}\n",
    "models/int_held.sql": """\
select hold_on() as n, count(*) as item_count from {{ ref('dim_item') }}
""",
    "models/rpt_mean.sql": """\
-- depends_on: {{ ref('int_held') }}
select item_id, avg(value order by annotator_id) as mean_value, count(*) as n_ratings
from {{ source('raw', 'human_ratings') }}
group by item_id
""",
}


def write_project(folder: Path) -> Path:
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(PROJECT_ROOT / "dbt_project" / "profiles.yml", folder)
    return folder
