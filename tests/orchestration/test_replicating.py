"""What `rostrum replicate` says, over versions that hold made-up figures."""

import io
import shutil
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from orchestration.commands.reports import replicate
from orchestration.commands.reports.replicate import (
    Figure,
    Replication,
    check_compared,
    people_of,
    replicated,
    show_people,
    show_replication,
)
from orchestration.errors import NothingCompared
from tests.conftest import run_rostrum
from warehouse.home import Home
from warehouse.reader import Version

# Rows of the mart: "-" is null.
_FIGURES = """\
paper_id,check_id,location,statistic,qualifier,published_text,warehouse_value,agreement_status,\
method_variant,other_value,other_variant,note,warehouse_low,warehouse_high,n
p,1,Table 5,chi2,A/B,33.52,33.52,agrees,plain,32.43,corrected,-,-,-,-
p,2,Table 7,chi2,A/B,36.82,36.82,agrees,corrected,38.4,plain,-,-,-,-
p,3,Table 7,chi2 p,A/B,0.002,0.00018,contradicted,corrected,0.0001,plain,ten times too large,-,-,-
p,4,Table 4,total,P/C,at most 650,-,contradicted,-,653,653,three too many,-,-,-
p,-,Table 5,difference,A/B,-,-,not_published,-,-,-,not published: how many agree,-,-,-
q,1,Table 1,n,"",5,4,differs,-,-,-,-,-,-,-
r,1,Table 1,total,"",5,-,no_data,-,-,-,-,-,-,-
r,-,Table 1,total,released,5,-,no_data,-,-,-,the data set is not loaded,-,-,-
h,1,Table 2,accuracy as a whole count,Human 1,77.33,77.3333,agrees,-,-,-,-,-,-,-
h,2,Table 2,accuracy as a whole count,Human 2,78.67,78.6667,agrees,-,-,-,-,-,-,-
llm_debate_bias,-,Table 2,accuracy of a person,"ddo:rater-ann, ddo",Human 1: 77.33,75,not_comparable,\
-,-,-,-,62.1234,84.9,60
llm_debate_bias,-,Table 2,accuracy of a person,"ddo:rater-bob, ddo",Human 1: 77.33,50,not_comparable,\
-,-,-,-,-,-,4
"""


@pytest.fixture
def version(tmp_path: Path) -> Version:
    figures, path = tmp_path / "figures.csv", tmp_path / "v.duckdb"
    figures.write_text(_FIGURES)
    numbers = ("warehouse_value", "other_value", "warehouse_low", "warehouse_high")
    types = dict.fromkeys(_FIGURES.partition("\n")[0].split(","), "VARCHAR")
    types |= dict.fromkeys(numbers, "DOUBLE") | {"n": "INTEGER"}
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table rpt_published_comparison as "
            f"from read_csv('{figures}', columns = {types}, nullstr = '-')"
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
    assert "   2 as printed" in text
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
    assert "other than printed" in shown(found)


def test_what_needs_the_papers_own_data_fails_nothing_and_says_what_is_missing(
    version: Version,
) -> None:
    found = replicated(version, "r")
    assert [figure.qualifier for figure in found.failures] == [""]
    assert "the data set is not loaded" in shown(found)
    assert "no rows were built for it" in shown(found)


def test_what_needs_the_papers_data_is_taken_from_the_users_home_where_that_has_it(
    version: Version, monkeypatch: pytest.MonkeyPatch, home: Home, tmp_path: Path
) -> None:
    own = tmp_path / "own.duckdb"
    shutil.copy(version.path, own)
    with duckdb.connect(str(own)) as connection:
        connection.execute(
            "update rpt_published_comparison set warehouse_value = 4, agreement_status = 'differs', "
            "note = null where paper_id = 'r' and qualifier = 'released'"
        )
    monkeypatch.setattr(
        replicate, "current_version", lambda _home: Version("v000002", own, datetime.now(UTC))
    )
    found = replicated(version, "r", home)
    # A home's own data may be a part of the paper's: that is no failure.
    assert [figure.qualifier for figure in found.failures] == [""]
    text = " ".join(shown(found).split())
    assert "on this home's data other than printed" in text
    assert "the data set is not loaded" not in text
    monkeypatch.undo()
    assert replicated(version, "r", home) == replicated(version, "r")


def test_imported_people_stand_beside_the_papers_two(
    version: Version, monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    monkeypatch.setattr(replicate, "current_version", lambda _home: version)
    out = io.StringIO()
    show_people(replicated(version, "h"), people_of(home), Console(file=out, width=200))
    text = " ".join(out.getvalue().split())
    assert "in the paper: Human 1 77.33 %, Human 2 78.67 %; with verdicts in this home: 2" in text
    assert "ddo:rater-ann, ddo │ 75.00 │ [62.12, 84.90] │ 60" in text
    assert "ddo:rater-bob, ddo │ 50.00 │ – │ 4" in text


def test_without_people_the_command_says_what_to_import(version: Version, home: Home) -> None:
    out = io.StringIO()
    assert people_of(home) == []
    show_people(replicated(version, "h"), people_of(home), Console(file=out, width=200))
    assert "with verdicts in this home: none." in out.getvalue()
    assert "rostrum import verdicts.csv --format human-verdicts" in out.getvalue()
    out = io.StringIO()
    show_people(replicated(version, "p"), [], Console(file=out, width=200))
    assert out.getvalue() == ""


def test_a_paper_that_is_not_here_is_refused_before_anything_is_made(home: Home) -> None:
    done = run_rostrum(home, "replicate", "debateqa")
    assert done.returncode == 2
    assert "'debateqa' is not one of 'llm_debate_bias', 'debatable_intelligence'" in done.stderr
    assert not (home.root / "replication").exists()


@pytest.mark.parametrize(
    ("statuses", "is_compared"),
    [
        ((), False),
        (("no_data", "not_published", "not_comparable"), False),
        (("no_data", "agrees"), True),
        (("differs",), True),
    ],
)
def test_a_replication_that_compares_nothing_is_an_error(
    statuses: tuple[str, ...], is_compared: bool
) -> None:
    figures = [
        Figure("Table 1", "kappa", "", "0.5", None, None, None, None, status, None, False)
        for status in statuses
    ]
    with nullcontext() if is_compared else pytest.raises(NothingCompared):
        check_compared(Replication("alt_test", tuple(figures)))
