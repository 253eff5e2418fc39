"""The bias paper's printed counts through the real pipeline: its printed figures must come out.

What each figure should be was computed independently of this project with SciPy from the printed
counts (`published_checks`); McNemar's test is computed here once more, by its textbook formulas.
"""

import csv
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from ingestion.published.cells import PAPER, printed_table
from tests.conftest import run_rostrum
from tests.small_project import read_manifest, write_small_project
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home
from warehouse.reader import current_version, run_query

pytestmark = pytest.mark.slow
_CHECKS = DBT_PROJECT / "seeds" / "published" / "published_checks.csv"
# Their comparisons, without a row.
_OTHER_PAPERS = dict.fromkeys(
    (
        "int_alt_test_figures_compared",
        "int_debatebench_figures_compared",
        "int_debateqa_figures_compared",
        "int_persuasive_figures_compared",
        "int_speech_figures_compared",
    ),
    "select 'no paper' as paper_id where false",
)
Figures = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("replication") / "home").ensure()


@pytest.fixture(scope="module")
def project(built_demo: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The models that make the comparison of this paper and no others."""
    manifest = read_manifest(built_demo.dbt_target / "manifest.json")
    folder = tmp_path_factory.mktemp("project")
    marts = ["rpt_published_comparison"]
    return write_small_project(folder / "project", manifest, marts, _OTHER_PAPERS)


@pytest.fixture(scope="module")
def command(home: Home, project: Path) -> subprocess.CompletedProcess[str]:
    return run_rostrum(home, "replicate", PAPER, project=project)


@pytest.fixture(scope="module")
def rows(home: Home, command: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert command.returncode == 0, command.stdout + command.stderr
    found = run_query(
        current_version(home.replication(PAPER)),
        "from rpt_published_comparison where paper_id = ?",
        [PAPER],
    )
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


@pytest.fixture(scope="module")
def figures(rows: list[dict[str, Any]]) -> Figures:
    return {row["check_id"]: row for row in rows if row["check_id"]}


def checks(kind: str, agrees: str) -> list[dict[str, str]]:
    with _CHECKS.open(encoding="utf-8", newline="") as file:
        return [
            row
            for row in csv.DictReader(file)
            if row["paper_id"] == PAPER and row["kind"] == kind and row["agrees"] == agrees
        ]


def test_every_statistic_the_printed_cells_give_comes_out_as_printed(figures: Figures) -> None:
    expected = checks("recompute", "yes")
    assert len(expected) == 67
    for check in expected:
        row = figures[check["check_id"]]
        assert row["agreement_status"] == "agrees", check
        # Once more without the mart's own rule.
        printed, value = check["published_value"], row["warehouse_value"]
        assert row["published_text"] == printed
        if re.fullmatch(r"[\d.]+", printed):
            digits = len(printed.partition(".")[2])
            assert abs(value - float(printed)) <= 0.5 * 10**-digits + 1e-9, check
        elif printed.startswith("<"):
            assert value < float(printed[1:]), check
        else:
            assert (value < 0.05) == (not printed.startswith("not")), check


def test_they_are_the_independently_computed_values_and_not_only_near_them(
    figures: Figures,
) -> None:
    for check in [*checks("recompute", "yes"), *checks("recompute", "no")]:
        row, value = figures[check["check_id"]], check["recomputed_value"]
        if z := re.match(r"z=(.+); p=(.+)", value):
            assert row["other_value"] == pytest.approx(float(z[1]), abs=5e-5)
            assert row["warehouse_value"] == pytest.approx(float(z[2]), rel=2e-2)
        elif "e" in value:
            assert row["warehouse_value"] == pytest.approx(float(value), rel=5e-4)
        elif row["statistic"].startswith("weighted F1"):
            # Several tables of winners by verdicts give the printed F1.
            assert row["warehouse_value"] == pytest.approx(float(value), abs=0.01)
        else:
            assert row["warehouse_value"] == pytest.approx(float(value), abs=6e-5)


def test_what_nothing_is_printed_for_is_shown_and_compared_with_nothing(figures: Figures) -> None:
    zs = {
        check["check_id"]: re.match(r"z=(.+); p=(.+)", check["recomputed_value"])
        for check in checks("derived", "not_published")
        if check["table_id"] != "prose" and check["recomputed_value"].startswith("z=")
    }
    assert len(zs) == 9
    for check_id, z in zs.items():
        assert z is not None
        row = figures[check_id]
        assert row["other_value"] == pytest.approx(float(z[1]), abs=5e-5)
        assert not row["published_text"]
        assert row["agreement_status"] == "not_published"
    # Order bias of GPT-3.5 by phi, and of GPT-4 on IQ2, where no test is printed.
    assert figures["llm_debate_bias_034"]["warehouse_value"] == pytest.approx(0.2715, abs=5e-5)
    assert figures["llm_debate_bias_049"]["warehouse_value"] == pytest.approx(0.2436, abs=5e-5)


def test_where_the_paper_contradicts_itself_both_numbers_stand_there_with_a_word_on_it(
    figures: Figures, command: subprocess.CompletedProcess[str]
) -> None:
    contradictions = [*checks("recompute", "no"), *checks("consistency", "no")]
    assert len(contradictions) == 21
    for check in contradictions:
        row = figures[check["check_id"]]
        assert row["agreement_status"] == "contradicted"
        assert row["published_text"] == check["published_value"]
        assert row["note"]
        beside = row["warehouse_value"] if check["kind"] == "recompute" else row["other_variant"]
        assert beside is not None
    seven, nine = figures["llm_debate_bias_022"], figures["llm_debate_bias_047"]
    assert (seven["published_value"], round(seven["warehouse_value"], 6)) == (0.002, 0.000181)
    assert (nine["published_value"], round(nine["warehouse_value"], 4)) == (0.001, 0.0135)
    for shown in ("0.000181197", "0.0135018", "653", "674", "1552", "46.68"):
        assert shown in command.stdout


def test_mcnemar_is_shown_both_ways_because_the_paper_mixes_them(
    figures: Figures, command: subprocess.CompletedProcess[str]
) -> None:
    seen = Counter[str]()
    for number, names in (
        (5, ("f_fixed_shuffled", "f_shuffled_fixed")),
        (6, ("f12", "f21")),
        (7, ("f_fixed_shuffled", "f_shuffled_fixed")),
        (8, ("f12", "f21")),
    ):
        is_corrected = number in (7, 8)
        for printed in printed_table(number):
            b, c = (int(printed[name]) for name in names)
            plain, corrected = (b - c) ** 2 / (b + c), (abs(b - c) - 1) ** 2 / (b + c)
            row = next(
                row
                for row in figures.values()
                if row["location"] == f"Table {number}"
                and row["statistic"] == "McNemar chi2"
                and row["published_text"] == printed["chi2_printed"]
            )
            expected = (corrected, plain) if is_corrected else (plain, corrected)
            assert (row["warehouse_value"], row["other_value"]) == pytest.approx(expected)
            assert row["n"] == b + c
            p = next(
                each
                for each in figures.values()
                if (each["location"], each["qualifier"]) == (row["location"], row["qualifier"])
                and each["statistic"] == "McNemar p"
            )
            assert p["warehouse_value"] == pytest.approx(stats.chi2.sf(expected[0], 1), rel=1e-9)
            seen[row["method_variant"]] += 1
    assert seen == {"no continuity correction": 8, "continuity correction": 8}
    assert "Table 7, Table 8 with continuity correction" in command.stdout
    assert "Table 5, Table 6 with no continuity correction" in command.stdout


def test_what_needs_unprinted_cells_is_null_and_says_so(rows: list[dict[str, Any]]) -> None:
    unprinted = [row for row in rows if (row["note"] or "").startswith("not published: ")]
    assert Counter(row["statistic"] for row in unprinted) == {
        "difference of predicted Con on the same debates": 16,
        "McNemar chi2": 13,
        "Mantel-Haenszel odds ratio by the winner of the debate": 9,
        "two-proportion z on the human subset": 3,
    }
    for row in unprinted:
        assert row["agreement_status"] == "not_published"
        assert [row[name] for name in ("warehouse_value", "other_value", "published_value")] == [
            None,
            None,
            None,
        ]


def test_every_check_is_there_once_and_the_home_itself_is_untouched(
    rows: list[dict[str, Any]], figures: Figures, home: Home
) -> None:
    assert {row["paper_id"] for row in rows} == {PAPER}
    assert Counter(row["agreement_status"] for row in rows) == {
        "agrees": 67,
        "contradicted": 21,
        "not_published": 55,
    }
    left_out = {
        check["check_id"]
        for kind, agrees in (
            ("recompute", "yes"),
            ("recompute", "no"),
            ("consistency", "no"),
            ("derived", "not_published"),
        )
        for check in checks(kind, agrees)
    } - set(figures)
    # What would be if two cells had changed places is no figure of the paper.
    assert left_out == {"llm_debate_bias_050"}
    assert not home.build_db.exists()
    assert not home.current.exists()


def test_a_paper_without_data_compares_nothing_and_fails(home: Home, project: Path) -> None:
    done = run_rostrum(home, "replicate", "alt_test", project=project)
    assert done.returncode == 1
    assert "--from" in done.stderr
