"""What `rostrum replicate` says, over versions that hold made-up figures."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from orchestration.commands.replicate import Replication, replicated, show_replication
from tests.conftest import run_rostrum
from warehouse.home import Home
from warehouse.reader import Version

_COLUMNS = (
    "paper_id varchar, check_id varchar, location varchar, statistic varchar, qualifier varchar, "
    "published_text varchar, warehouse_value double, method_variant varchar, other_value double, "
    "other_variant varchar, agreement_status varchar, note varchar"
)
_ROWS = [
    ("p", "1", "Table 5", "chi2", "A/B", "33.52", 33.52, "plain", 32.43, "corrected", "agrees", None),
    ("p", "2", "Table 7", "chi2", "A/B", "36.82", 36.82, "corrected", 38.4, "plain", "agrees", None),
    ("p", "3", "Table 7", "chi2 p", "A/B", "0.002", 0.00018, "corrected", 0.0001, "plain",
     "contradicted", "ten times too large"),
    ("p", "4", "Table 4", "total", "P/C", "at most 650", None, None, 653.0, "653", "contradicted",
     "three too many"),
    ("p", None, "Table 5", "difference", "A/B", None, None, None, None, None, "not_published",
     "not published: on how many debates both settings agree"),
    ("q", "1", "Table 1", "n", "", "5", 4.0, None, None, None, "differs", None),
    ("r", "1", "Table 1", "total", "", "5", None, None, None, None, "no_data", None),
    ("r", None, "Table 1", "total", "released", "5", None, None, None, None, "no_data",
     "the data set is not loaded"),
]  # fmt: skip


@pytest.fixture
def version(tmp_path: Path) -> Version:
    path = tmp_path / "v.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create table rpt_published_comparison ({_COLUMNS})")
        connection.executemany(
            "insert into rpt_published_comparison values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            _ROWS,
        )
    return Version("v000001", path, datetime.now(UTC))


def shown(found: Replication, *, show_all: bool = False) -> str:
    out = io.StringIO()
    show_replication(found, Console(file=out, width=200), show_all=show_all)
    return out.getvalue()


def test_contradictions_show_both_numbers_and_the_rest_is_counted(version: Version) -> None:
    found = replicated(version, "p")
    text = shown(found)
    assert found.failures == ()
    for part in ("0.002", "0.00018", "ten times too large", "at most 650", "653", "three too many"):
        assert part in text
    assert "36.82" not in text
    assert "   2 comes out as printed" in text
    assert "   1 nothing is printed to compare with" in text


def test_a_statistic_printed_in_two_variants_is_named_with_where(version: Version) -> None:
    assert (
        "chi2 is of two kinds in this paper: Table 7 with corrected; Table 5 with plain. "
        "--all shows both for each."
    ) in shown(replicated(version, "p"))


def test_everything_is_listed_on_request(version: Version) -> None:
    text = shown(replicated(version, "p"), show_all=True)
    assert "36.82" in text
    assert "38.4 (plain)" in text
    assert "difference, A/B" in text


def test_a_figure_that_comes_out_otherwise_is_a_failure(version: Version) -> None:
    found = replicated(version, "q")
    assert [(figure.printed, figure.recomputed) for figure in found.failures] == [("5", 4.0)]
    assert "comes out otherwise" in shown(found)


def test_what_needs_the_papers_own_data_fails_nothing_and_says_what_is_missing(
    version: Version,
) -> None:
    found = replicated(version, "r")
    assert [figure.qualifier for figure in found.failures] == [""]
    assert "the data set is not loaded" in shown(found)
    assert "no rows were built for it" in shown(found)


def test_a_paper_that_is_not_here_is_refused_before_anything_is_made(home: Home) -> None:
    done = run_rostrum(home, "replicate", "debateqa")
    assert done.returncode == 2
    assert (
        "a paper named 'debateqa'; expected llm_debate_bias, debatable_intelligence, debatebench, "
        "persuasive_debate" in done.stderr
    )
    assert not (home.root / "replication").exists()
