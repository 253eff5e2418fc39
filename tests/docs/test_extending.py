"""Every addition that docs/extending.md shows works when its lines are put where the page says."""

import ast
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import duckdb
import jinja2
import pyarrow as pa
import pytest
import yaml

from tests.dbt_project.test_holds import query_of
from tests.docs.documents import Page, project_files
from warehouse.home import PROJECT_ROOT, Home

PAGE = Page(PROJECT_ROOT / "docs" / "extending.md")
FOLDERS = ("dashboard", "dbt_project", "docs", "inference", "ingestion", "orchestration", "tests")
Run = Callable[[str], str]


def put(text: str, table: str, lines: str, *, is_last: bool = False) -> str:
    """A module's text with lines at the start, or at the end, of one of its tables."""
    tree = ast.parse(text)
    imports = "".join(f"{line}\n" for line in lines.splitlines() if line.startswith("from "))
    entry = textwrap.indent(lines.removeprefix(imports).strip("\n"), "    ") + "\n"
    (found,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == table and node.value
    )
    assert found.end_lineno is not None
    after = found.end_lineno - 1 if is_last else found.lineno
    first = next(
        node.lineno - 1
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
    )
    old = text.splitlines(keepends=True)
    return "".join([*old[:first], imports, *old[first:after], entry, *old[after:]])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with everything the page adds, and a home beside it."""
    folder = tmp_path_factory.mktemp("extending")
    project, home = folder / "project", folder / "home"
    for path in project_files():
        inside = path.relative_to(PROJECT_ROOT)
        if inside.parts[0] in (*FOLDERS, "warehouse", "pyproject.toml"):
            (project / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, project / inside)
    for name, table, is_last, lines in PAGE.additions():
        path = home / name.removeprefix(".rostrum/") if name[0] == "." else project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".csv":
            head, *rows = csv.reader([*path.read_text("utf-8").splitlines(), *lines.splitlines()])
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows([head, *sorted(rows)])
        elif table is not None:
            text = put(path.read_text("utf-8"), table, lines, is_last=is_last)
            path.write_text(text, "utf-8")
        else:
            assert not path.exists(), f"{name} is there already"
            path.write_text(lines, "utf-8")
    return folder


@pytest.fixture
def run(place: Path) -> Run:
    def inside(code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), str(place / "home")],
            cwd=place / "project",
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(place / "project"), "tests/dashboard"]),
                "ROSTRUM_HOME": str(place / "home"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return inside


def test_the_examples_pass_the_linters_of_the_project(place: Path) -> None:
    project = place / "project"
    names = sorted({name for name, *_ in PAGE.additions() if name.endswith(".py")})
    # `put` does not sort the imports that it adds.
    for command in (
        ("ruff", "check", "--ignore", "I001"),
        ("ruff", "format", "--check"),
        ("mypy",),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command, *names],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(project)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_source_of_debates_is_one_short_file_whose_debates_have_a_human_winner(
    run: Run, place: Path
) -> None:
    head = "id,topic,text_a,text_b,rater_1,rater_2,rater_3,rater_4,rater_5\n"
    good = "1,Trees pay,Yes.,No.,A,A,B,A,tie\n2,Rain pays,Wet.,Dry.,B,B,B,A,B\n"
    bad = "3,Sun pays,Hot.,Cold.,A,A,C,A,B\n4,,Hot.,,A,A,A,A,B\n2,Rain pays,Wet.,Dry.,B,B,B,A,B\n"
    path = place / "duels.csv"
    path.write_text(head + good + bad)
    said = run(f"""
        import json, sys
        from pathlib import Path
        from ingestion.ingest import ingest
        from warehouse.home import Home
        from warehouse.writer import open_writer

        home = Home(Path(sys.argv[1]).with_name("duels")).ensure()
        first, again = (ingest(home, "duels", {str(path)!r}, max_rejected=0.6) for _ in range(2))
        with open_writer(home, "test") as connection:
            winners = connection.execute(
                "select winner, votes_pro, votes_con, votes_tie from raw.debate_outcomes "
                "where is_primary order by debate_id"
            ).fetchall()
            count = connection.execute("select count(*) from raw.human_verdicts").fetchone()
            names = connection.execute(
                "select distinct pro_name, con_name from raw.debates"
            ).fetchall()
        rejects = [[reject.record, reject.field] for reject in first.rejects]
        print(json.dumps([rejects, winners, count, names, first.notes, again.load_id]))
    """)
    rejects, winners, count, names, notes, again = json.loads(said)
    assert rejects == [
        ["record 3 (line 4)", "rater_3"],
        ["record 4 (line 5)", "topic"],
        ["record 5 (line 6)", "id"],
    ]
    assert winners == [["pro", 3, 1, 1], ["con", 1, 4, 0]]
    assert (count, names, notes, again) == ([10], [["A", "B"]], [], None)
    (lines,) = (each.lines for each in PAGE.additions() if each.file.endswith("duels.py"))
    assert len(lines.splitlines()) < 80


@pytest.fixture(scope="module")
def podium(place: Path) -> Path:
    """A made-up file of the source; the last listener's score is off the scale."""
    speeches = [
        {"id": "a", "motion": "Trees pay", "speaker": "Ann", "speech": "Trees!", "scores": [4, 5]},
        {"id": "b", "motion": "Trees pay", "speaker": "Ben", "speech": "So!! Yes!", "scores": [2]},
        {"id": "c", "motion": "Rain pays", "speaker": "Cem", "speech": "Calm.", "scores": [6, 9]},
    ]
    path = place / "podium.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in speeches))
    return path


def test_the_source_loads_its_file_and_the_judge_scores_its_speeches(
    run: Run, podium: Path
) -> None:
    said = run(f"""
        import json, sys
        from pathlib import Path
        from inference.experiments import load_experiment
        from inference.items import find_item_sources
        from inference.journal import read_journal
        from inference.registry import spec_for
        from inference.runner import run
        from ingestion.ingest import ingest
        from warehouse.home import Home

        home = Home(Path(sys.argv[1])).ensure()
        report = ingest(home, "podium", Path({str(podium)!r}), max_rejected=0.5)
        counts = {{name: count.new for name, count in report.tables.items()}}
        rejects = [[reject.field, reject.reason] for reject in report.rejects]
        summary = run(
            load_experiment("podium-clarity", [home.experiments]),
            spec_for("exclamation/count", None, {{}}), find_item_sources(home.items),
            journal_root=home.journal, prompts_folder=home.prompts, environ={{}},
        )
        lines = read_journal(home.journal / summary.run_ids[0] / "responses.jsonl")
        replies = {{each["item_id"]: each["response"] for each in lines if each["kind"] == "answer"}}
        print(json.dumps([counts, rejects, summary.status, replies]))
    """)
    counts, rejects, status, replies = json.loads(said)
    assert (counts["speeches"], counts["human_ratings"], len(rejects)) == (3, 4, 1)
    assert "9" in rejects[0][1]
    assert status == "complete"
    # From 1, two points a mark, at most 7.
    scores = {item: re.findall(r"\d", reply) for item, reply in replies.items()}
    assert scores == {"podium:a": ["3"], "podium:b": ["7"], "podium:c": ["1"]}


def test_the_kind_is_asked_about_and_its_answers_are_loaded(run: Run) -> None:
    said = run("""
        import json, sys
        from pathlib import Path
        from inference.experiments import load_experiment
        from inference.items import find_item_sources
        from inference.registry import spec_for
        from inference.runner import run
        from ingestion.ingest import ingest_study
        from ingestion.journals import load_journals
        from ingestion.speeches.readers.study import Study
        from warehouse.home import Home
        from warehouse.writer import open_writer

        home = Home(Path(sys.argv[1])).ensure()
        items, ratings = home.root / "pairs.csv", home.root / "ratings.csv"
        items.write_text("item,debate,text\\n1,m,so it is\\n2,m,no\\n")
        ratings.write_text("item,annotator,value\\n1,ann,1\\n")
        ingest_study(home, Study("moon", items, ratings, "Better?", 0, 1, dimension="convincing"))
        summary = run(
            load_experiment("pair-orders", [home.experiments]), spec_for("pairs/longer", None, {}),
            find_item_sources(home.items, ["moon"]),
            journal_root=home.journal, prompts_folder=home.prompts, environ={},
        )
        load_journals(home)
        with open_writer(home, "test") as connection:
            rows = connection.execute(
                "select item_id, list(value) from raw.scores where item_kind = 'pair' "
                "group by item_id order by item_id"
            ).fetchall()
        print(json.dumps([summary.status, rows]))
    """)
    # Whichever is shown as A, the longer one is more convincing.
    assert json.loads(said) == ["complete", [["moon:1", [1, 1]], ["moon:2", [0, 0]]]]


def test_the_page_section_is_drawn_with_its_finding_its_rows_and_its_query(
    run: Run, built_demo: Home
) -> None:
    said = run(f"""
        import functools, json, os
        import streamlit as st
        from streamlit.testing.v1 import AppTest

        # The query is folded away until a reader opens it.
        st.expander = functools.partial(st.expander, expanded=True)
        os.environ["ROSTRUM_HOME"] = {str(built_demo.root)!r}
        app = AppTest.from_file("dashboard/app.py", default_timeout=60).run()
        app.switch_page("pages/speech_judges.py")
        app.query_params["dataset"] = "sample"
        app.query_params["about"] = "unreadable"
        app.run()
        shown = [each.value for each in app.markdown]
        print(json.dumps([len(app.exception), shown, len(app.dataframe[0].value), app.code[0].value]))
    """)
    exceptions, shown, rows, query = json.loads(said.splitlines()[-1])
    assert exceptions == 0
    assert re.search(r"\d+ of \d+ judges left answers without a score", "\n".join(shown)), shown
    assert rows > 1
    assert "from rpt_score_distribution" in query


def test_the_measures_own_unit_test_and_its_rules_hold(place: Path) -> None:
    dbt = place / "project" / "dbt_project"
    folder = dbt / "models" / "speeches" / "agreement"
    described = yaml.safe_load((folder / "rpt_flat_topics.yml").read_text("utf-8"))
    (mart,), (unit_test,) = described["models"], described["unit_tests"]
    (given,) = unit_test["given"]
    macros = (dbt / "macros" / "statistics" / "intervals.sql").read_text("utf-8")
    model = macros + (folder / "rpt_flat_topics.sql").read_text("utf-8")
    query = jinja2.Template(model).render(ref=lambda name: name)
    with duckdb.connect(":memory:") as connection:
        rows = pa.Table.from_pylist(given["rows"])
        connection.register("int_answers_pooled", rows)
        found = connection.sql(query)
        result = found.to_arrow_table().to_pylist()
        found.create(mart["name"])
        connection.execute("create schema seeds")
        for seed in ("measures", "columns"):
            rows = connection.read_csv(str(dbt / "seeds" / f"{seed}.csv"), all_varchar=True)
            rows.create(f"seeds.{seed}")
        rules = mart["data_tests"][0]["holds"]["arguments"]
        assert connection.execute(query_of(mart["name"], **rules)).fetchall() == []
    expected = unit_test["expect"]["rows"]
    assert [{key: row[key] for key in expected[0]} for row in result] == expected
