"""Generated documents: their tables come from the code, and every mart is described."""

import json
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pytest

from docs import settings
from docs.blocks import fill_blocks
from docs.dbt_page import write_dbt_page
from docs.generate import PAGES, page, write_docs
from docs.marts import metrics_page, read_marts
from inference.errors import ERROR_KINDS, FINAL_KINDS, TRANSIENT_KINDS
from inference.providers import PROVIDERS
from tests.small_project import models_of
from warehouse.catalogue import read_catalogue
from warehouse.home import PROJECT_ROOT, Home


def test_the_page_on_metrics_has_every_mart_with_the_meaning_of_its_columns(
    built_demo: Home,
) -> None:
    marts = read_marts(built_demo)
    text = metrics_page(marts)
    assert len(marts) > 100
    assert [mart.name for mart in marts if f"## {mart.name}\n" not in text] == []
    assert [column for mart in marts for column in mart.columns if not column.meaning] == []
    meaning = read_catalogue().meaning("rpt_rank_agreement", "tau_b")
    assert f"| `tau_b` | double | {meaning} |" in text
    assert "Key: `dataset_id`, `dimension`, `judge_id`, `template`." in text


def test_a_mart_without_its_grain_is_refused(tmp_path: Path) -> None:
    home = Home(tmp_path).ensure()
    home.dbt_target.mkdir(parents=True)
    node = {"resource_type": "model", "name": "rpt_a", "schema": "main", "description": "Rows."}
    (home.dbt_target / "manifest.json").write_text(json.dumps({"nodes": {"model.a": node}}))
    duckdb.connect(str(home.build_db)).close()
    with pytest.raises(ValueError, match="'rpt_a' does not end its description with its grain"):
        read_marts(home)


def test_the_settings_table_has_every_setting_of_every_provider() -> None:
    text = page("experiments.md")
    for name, provider in PROVIDERS.items():
        for family in provider.families:
            for setting in family.settings.model_fields:
                assert f"| {name} | `{setting}` |" in text


def test_the_page_on_the_engine_knows_every_provider_and_what_becomes_of_every_failure() -> None:
    text = (PROJECT_ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    assert [name for name in PROVIDERS if f"`{name}/…`" not in text] == []
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    ends = {
        kind.strip(" `"): cells[3].strip()
        for cells in rows
        for kind in cells[1].split(",")
        if kind.strip(" `") in ERROR_KINDS
    }
    assert set(ends) == set(ERROR_KINDS)
    assert {kind for kind, end in ends.items() if end.startswith("in the run")} == TRANSIENT_KINDS
    assert {kind for kind, end in ends.items() if end == "no, it stands"} == FINAL_KINDS
    for provider in PROVIDERS.values():
        for family in provider.families:
            assert str(family.settings.defaults().get("api_key_env", "")) in text


def test_the_table_of_experiment_keys_has_every_field() -> None:
    table = page("experiments.md").split("from the code: fields")[1]
    named = {
        line.split("`")[1].rpartition(".")[2].strip("[]")
        for line in table.split("<!-- end -->")[0].splitlines()
        if line.startswith("| `")
    }
    # Of debates, [variants] and [[arms]] are two forms of one key.
    assert named == settings.experiment_keys().keys() - {"variants", "listed_arms"} | {"arms"}


def test_a_lost_marker_is_reported() -> None:
    text = (PAGES / "experiments.md").read_text(encoding="utf-8")
    text = text.replace("<!-- from the code: settings -->", "")
    with pytest.raises(ValueError, match="the blocks in docs/experiments"):
        fill_blocks(text, settings.BLOCKS, "docs/experiments.md")


class Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            is_fetched = name == "src" or (tag == "link" and name == "href")
            if is_fetched and value and is_external(value):
                self.fetched.append(value)


def is_external(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


@pytest.mark.slow
def test_dbt_docs_are_one_page_that_loads_nothing_from_elsewhere(
    tmp_path: Path, small_project: Path, small_home: Home
) -> None:
    path = tmp_path / "page" / "index.html"
    write_dbt_page(small_home, path, project=small_project / "dbt_project")
    text = path.read_text(encoding="utf-8")
    # The manifest and the catalogue are in the page: every model, with the types of its columns.
    for model in models_of(small_project):
        assert f"rostrum.{model}" in text
    assert json.dumps(read_catalogue().meaning("rpt_rank_agreement", "tau_b")) in text
    assert '"type": "DOUBLE"' in text
    # dbt's own page loads a tracker unless this says no.
    assert '"send_anonymous_usage_stats": false' in text
    loads = Loads()
    loads.feed(text)
    assert loads.fetched == []
    assert [each.name for each in path.parent.iterdir()] == ["index.html"]


@pytest.mark.soak
def test_all_documents_are_written_beside_each_other(tmp_path: Path, built_demo: Home) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "gone.md").write_text("of an earlier version")
    write_docs(built_demo, folder)
    pages = {each.name for each in PAGES.iterdir() if each.suffix in (".md", ".png")}
    assert {each.name for each in folder.iterdir()} == pages | {
        "metrics.md",
        "calibration.md",
        "dbt.html",
    }
    experiments = (folder / "experiments.md").read_text(encoding="utf-8")
    assert experiments == page("experiments.md")
    text = (folder / "dbt.html").read_text(encoding="utf-8")
    names = [mart.name for mart in read_marts(built_demo)]
    assert [name for name in names if f"model.rostrum.{name}" not in text] == []
