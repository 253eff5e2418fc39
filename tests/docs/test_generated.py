"""Generated documents are what the code would write now, and say so when they are not."""

import json
import shutil
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs import generate, settings
from docs.blocks import fill_blocks
from docs.dbt_page import write_dbt_page
from docs.generate import DOCUMENTS, EXPERIMENTS, METRICS
from docs.marts import MODELS, metrics_page, read_marts
from inference.errors import ERROR_KINDS, FINAL_KINDS, TRANSIENT_KINDS
from inference.experiment import Experiment
from inference.kinds import KIND
from inference.providers import PROVIDERS
from tests.small_project import models_of
from warehouse.catalogue import read_catalogue
from warehouse.home import PROJECT_ROOT, Home


@pytest.mark.parametrize("path", sorted(DOCUMENTS), ids=lambda path: path.name)
def test_a_generated_document_is_up_to_date(path: Path) -> None:
    is_current = path.read_text(encoding="utf-8") == DOCUMENTS[path]()
    assert is_current, f"{path.relative_to(PROJECT_ROOT)} is out of date: run `make docs`"


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("name: tau_c_high", "name: pair_count", "| `pair_count` | double |"),
        (
            "name: n_items, data_type: bigint",
            "name: n_items, data_type: double",
            "| `n_items` | double |",
        ),
    ],
)
def test_a_changed_column_changes_the_page_on_metrics(
    tmp_path: Path, old: str, new: str, row: str
) -> None:
    changed = metrics_page(read_marts(altered(tmp_path, old, new)))
    assert changed.count(row) == DOCUMENTS[METRICS]().count(row) + 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("One row per data set", "Rows per data set", "grain"),
        ("data_type: bigint", "data_type: null", "lacks its data_type"),
        ("name: tau_b,", "name: tau_x,", "lacks its data_type or meaning"),
    ],
)
def test_a_mart_without_grain_type_or_meaning_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        read_marts(altered(tmp_path, old, new))


def altered(folder: Path, old: str, new: str) -> Path:
    """The mart YAML with one text replaced in one file."""
    shutil.copytree(MODELS, folder / "models")
    path = folder / "models/speeches/agreement/rpt_rank_agreement.yml"
    text = path.read_text(encoding="utf-8")
    assert old in text, "choose another text to break"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder / "models"


def test_the_settings_table_has_every_setting_of_every_provider() -> None:
    text = EXPERIMENTS.read_text(encoding="utf-8")
    for name, provider in PROVIDERS.items():
        for setting in provider.settings:
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
        assert str(provider.defaults.get("api_key_env", "")) in text


def test_the_table_of_experiment_keys_has_every_field() -> None:
    table = EXPERIMENTS.read_text(encoding="utf-8").split("from the code: fields")[1]
    named = {
        line.split("`")[1].rpartition(".")[2]
        for line in table.split("<!-- end -->")[0].splitlines()
        if line.startswith("| `")
    }
    # A file says [answers], of which the ways to answer are formed.
    shown = {
        "retrieval": "[retrieval]",
        "generations": "[answers]",
        "adjudications": "[adjudication]",
        "debate_plans": "[debate]",
        "judgings": "[judging]",
        "pressure": "[pressure]",
    }
    arms = {kind.arms_name for kind in KIND.values() if kind.arms_name is not None}
    known = arms | {field.name for field in fields(Experiment)}
    assert named == {shown.get(name, name) for name in known}


def test_a_lost_marker_is_reported() -> None:
    text = EXPERIMENTS.read_text(encoding="utf-8").replace("<!-- from the code: settings -->", "")
    with pytest.raises(ValueError, match="the blocks in docs/experiments"):
        fill_blocks(text, settings.BLOCKS, "docs/experiments.md")


def test_only_what_has_changed_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    monkeypatch.setattr(generate, "PROJECT_ROOT", tmp_path)
    monkeypatch.setattr(generate, "DOCUMENTS", {page: lambda: "text\n"})
    generate.main([])
    generate.main([])
    assert page.read_text(encoding="utf-8") == "text\n"
    assert capsys.readouterr().out == "page.md written\npage.md unchanged\n"


class Loads(HTMLParser):
    """Collects what a page would fetch when it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            is_fetched = name == "src" or (tag == "link" and name == "href")
            if is_fetched and value and is_external(value):
                self.fetched.append(value)


@pytest.mark.soak
def test_the_command_builds_all_models_for_the_page_over_no_data(tmp_path: Path) -> None:
    assert '"type": "DOUBLE"' in write_dbt_page(tmp_path / "page" / "index.html").read_text()


def is_external(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


@pytest.mark.slow
def test_dbt_docs_are_one_page_that_loads_nothing_from_elsewhere(
    tmp_path: Path, small_project: Path, small_home: Home
) -> None:
    page = write_dbt_page(
        tmp_path / "page" / "index.html", built=small_home, project=small_project / "dbt_project"
    )
    text = page.read_text(encoding="utf-8")
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
    assert [path.name for path in page.parent.iterdir()] == ["index.html"]


@pytest.mark.soak
def test_dbt_docs_have_every_mart(tmp_path: Path, built_demo: Home) -> None:
    text = write_dbt_page(tmp_path / "index.html", built=built_demo).read_text(encoding="utf-8")
    assert [mart.name for mart in read_marts() if f"model.rostrum.{mart.name}" not in text] == []
