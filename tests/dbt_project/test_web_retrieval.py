"""From a search to a mart: an experiment whose documents come from the web, through the commands."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_stub import Page, WebStub, page_of, serving

from ingestion.ingest import ingest
from orchestration.commands.run_commands import Run
from tests.dbt_project.compiled_models import Compiled, over_home
from warehouse.home import Home

EXPERIMENT = """name = "from-the-web"
kind = "question"

[answers]
template = ["qa_basic"]
retrieval = ["none", "vanilla"]
trusted_only = [false, true]

[retrieval]
retriever = "web"
search = "{search}"
"""
QUESTIONS = ("Should towns ban cars?", "Is a base on the moon worth its cost?")


@pytest.fixture
def web(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebStub]:
    with serving() as stub:
        monkeypatch.setattr(
            "orchestration.commands.runs.plan.web_of", lambda home, **_: stub.web(home.root)
        )
        monkeypatch.setenv("ROSTRUM_HOME", str(home.root))
        (home.experiments / "from_the_web.toml").write_text(EXPERIMENT.format(search=stub.search))
        yield stub


def load_questions(home: Home, folder: Path) -> None:
    rows = [
        {
            "id": number,
            "question": text,
            "partial_answers": [{"point_of_view": f"Yes, {text}", "explanation": "As some say."}],
        }
        for number, text in enumerate(QUESTIONS)
    ]
    path = folder / "test.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    ingest(home, "debateqa", path, settings={"dataset": "mine"})


def test_what_a_search_found_is_in_the_answer_the_journal_and_the_marts(
    home: Home, web: WebStub, compiled: Compiled, tmp_path: Path
) -> None:
    load_questions(home, tmp_path)
    web.pages = {
        "/a": page_of("Towns that ban cars are quiet."),
        "/b": page_of("Cars bring towns their shoppers."),
        "/pdf": Page("%PDF", headers=(("Content-Type", "application/pdf"),)),
    }
    hosts = [("a.example.org", "/a"), ("b.example.com", "/b"), ("c.gov", "/pdf")]
    web.results = {"cars": [web.site(*each) for each in hosts]}
    hosts = [("x.test-lan", "/in"), ("y.org", "/gone")]
    web.results["moon"] = [web.site(*each) for each in hosts]
    said: list[str] = []

    def answer() -> int | None:
        run = Run(
            experiment="from-the-web", judge="simulated/brief", datasets=["mine"], build=False
        )
        return run.run(home, said.append)

    assert answer() == 0
    asked = len(web.asked)
    assert answer() == 0
    assert len(web.asked) == asked
    assert said[-2].startswith("6 requests: 0 answered now, 6 answered before")

    models = over_home(compiled, home)
    shown = models.execute(
        "select is_trusted_only, document_rank, question_id, is_own_question, url "
        "from fct_answer_document order by all"
    ).fetchall()
    a, b = web.site("a.example.org", "/a"), web.site("b.example.com", "/b")
    assert {(row[0], row[4]) for row in shown} == {(False, a), (False, b), (True, a)}
    assert all(row[3] and row[2] == "mine:0" for row in shown)
    coverage = models.execute(
        "select is_trusted_only, n_answers, shown_count, no_documents_count, shown_share, "
        "page_count, page_refused_count, reason from rpt_retrieval_coverage order by 1"
    ).fetchall()
    few = "fewer than 5 questions"
    # Three pages for the cars and two for the moon; of the trusted one is left out unfetched.
    assert coverage == [(False, 2, 1, 1, 0.5, 5, 3, few), (True, 2, 1, 1, 0.5, 5, 4, few)]
    outcomes = models.execute(
        "select page_status, sum(n_pages) from rpt_page_outcomes where not is_trusted_only "
        "group by all order by all"
    ).fetchall()
    assert outcomes == [("http_error", 1), ("refused_address", 1), ("taken", 2), ("wrong_type", 1)]
    settings = models.execute(
        "select retrieval, split_part(retriever, ':', 1) from dim_answer_setting order by all"
    ).fetchall()
    assert settings == [("none", None), ("vanilla", "web"), ("vanilla", "web")]
