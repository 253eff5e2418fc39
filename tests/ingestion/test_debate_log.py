"""Logs of debates between models: what is read, what is refused and why."""

from pathlib import Path

import pytest

from ingestion.errors import SourceUnreadable, TooManyRejected, UnknownSource
from ingestion.load import load
from ingestion.registry import source_named
from warehouse.home import Home
from warehouse.writer import open_writer

HEAD = "debate,motion,pro,con,judge,winner,margin,pro_words,con_words,judge_family,round\n"


def given(tmp_path: Path, text: str) -> str:
    path = tmp_path / "log.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def loaded(home: Home, location: str, **settings: str):  # type: ignore[no-untyped-def]
    batch = source_named("debate-log").open(home, location, settings)
    report = load(home, batch)  # type: ignore[arg-type]
    with open_writer(home, "read") as connection:
        rows = connection.execute(
            "select debate_id, pro_debater, judge, winner, margin, pro_words, judge_family, extra "
            "from raw.logged_verdicts order by all"
        ).fetchall()
    return report, rows


def test_a_winner_is_a_side_a_name_or_nothing_and_the_rest_is_kept(
    home: Home, tmp_path: Path
) -> None:
    log = given(
        tmp_path,
        HEAD
        + "1,q,m/a,m/b,j,M/A,2.5,400,500,f,r1\n1,q,m/a,m/b,k,con,,,,,\n2,q,m/b,m/a,j,tie,,,,,\n"
        "3,q,m/b,m/a,j,,,,,,\n",
    )
    report, rows = loaded(home, log, dataset="my-log")
    assert [row[:7] for row in rows] == [
        ("my-log:1", "m/a", "j", "pro", 2.5, 400, "f"),
        ("my-log:1", "m/a", "k", "con", None, None, None),
        ("my-log:2", "m/b", "j", "tie", None, None, None),
        ("my-log:3", "m/b", "j", None, None, None, None),
    ]
    assert rows[0][7] == '{"round": "r1"}'
    assert "verdicts on debates between models: 4" in report.notes
    again, _ = loaded(home, log, dataset="my-log")
    assert {(one.new, one.updated) for one in again.tables.values()} == {(0, 0)}


def test_bad_rows_say_what_is_wrong_and_columns_may_be_called_otherwise(
    home: Home, tmp_path: Path
) -> None:
    head = "id,motion,model_a,model_b,judge,result\n"
    good = "".join(f"{number},q,a,b,j,a\n" for number in range(60))
    log = given(tmp_path, head + good + "60,q,a,b,j,c\n61,q,a,a,j,a\n0,q,a,b,j,b\n")
    columns = "debate=id, pro=model_a,con=model_b,winner=result"
    report, rows = loaded(home, log, columns=columns)
    assert len(rows) == 60
    assert [reject.reason for reject in report.rejects] == [
        "should be pro, con, tie or the winner's name; found 'c'",
        "'a' debates itself: nobody can win",
        "duplicate: an earlier row has this judge's verdict on it",
    ]
    with pytest.raises(SourceUnreadable, match="no column 'debate'"):
        loaded(home, log)
    with pytest.raises(UnknownSource, match="setting columns has 'x=y'"):
        loaded(home, log, columns="x=y")
    bad = given(tmp_path, HEAD + "1,q,a,b,j,nobody,,,,,\n")
    with pytest.raises(TooManyRejected):
        loaded(home, bad)
