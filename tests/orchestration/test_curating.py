"""`rostrum curate` and the assets behind it, with a model behind a real endpoint."""

import csv
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from web_stub import page_of, serving

from inference.errors import BadSettings, CurationFailed
from ingestion.ingest import ingest
from orchestration.commands.pipelines import Curate
from orchestration.registry import add_judge
from warehouse.home import Home
from warehouse.writer import open_writer

TOPICS = {"cars": "Should towns ban cars?", "moon": "Is a base on the moon worth its cost?"}
MODEL = "openai/by-rule"


def reply(prompt: str) -> str:
    topic = next(topic for topic, question in TOPICS.items() if question in prompt)
    if "Query 1:" in prompt:
        return f"Query 1: {topic}"
    if "Point-of-View [number]" in prompt:
        return "\n".join(
            f"Point-of-View {n}: {topic.title()} side {n}. [Document {n}]" for n in (1, 2, 3)
        )
    return f"What can be said of {topic} from there."


class Endpoint(http.server.BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        self.asked.append(prompt)
        message = {"role": "assistant", "content": reply(prompt)}
        said = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "by-rule",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
        text = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_args: object) -> None:
        """Nothing: the test looks at what was asked."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Endpoint.asked.clear()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-that-is-real")
    home = Home(tmp_path / "home").ensure()
    monkeypatch.setenv("ROSTRUM_HOME", str(home.root))
    add_judge(home, MODEL, {"base_url": f"http://127.0.0.1:{server.server_port}/v1"})
    yield home
    server.shutdown()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "questions").mkdir(parents=True)
    (folder / "documents").mkdir()
    questions = [{"id": name, "question": text} for name, text in TOPICS.items()]
    (folder / "questions" / "all.jsonl").write_text("\n".join(map(json.dumps, questions)))
    # The moon has two documents, and so too few.
    documents = [
        {"id": f"{topic}-{n}", "text": f"What {topic} do, {n}.", "url": "https://a.example.org/"}
        for topic, count in (("cars", 4), ("moon", 2))
        for n in range(count)
    ]
    (folder / "documents" / "all.jsonl").write_text("\n".join(map(json.dumps, documents)))
    return folder


def annotate(folder: Path) -> None:
    rows = list(csv.DictReader((folder / "annotations" / "form.csv").open(newline="")))
    said = dict.fromkeys(("is_grounded", "is_addressing", "is_ethical"), "1")
    for person in ("ann", "bea", "cem"):
        with (folder / "annotations" / f"{person}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows({**row, "annotator_id": person, **said} for row in rows)


def test_a_set_is_curated_up_to_the_people_and_then_loaded(home: Home, folder: Path) -> None:
    config = {"folder": str(folder), "model": MODEL, "threshold": 0.9}
    said: list[str] = []
    Curate(**config).run(home, said.append)
    assert "nobody has annotated" in said[-2]
    assert said[-1].startswith(f"next: rostrum ingest curated --from {folder} --dataset NAME (")
    assert said[0] == "merge: done; 0 removed"
    asked = len(Endpoint.asked)
    assert asked > 0

    annotate(folder)
    said.clear()
    Curate(**config).run(home, said.append)
    assert len(Endpoint.asked) == asked
    assert all(": unchanged; " in line for line in said[:-2])
    assert said[3] == "documents: unchanged; 1 removed"
    assert said[-2] == "annotation: done; 0 removed"
    assert said[-1] == f"next: rostrum ingest curated --from {folder} --dataset NAME"

    ingest(home, "curated", folder, settings={"dataset": "mine"})
    with open_writer(home, "look") as connection:
        found = connection.execute(
            "select question_id, count(*) from raw.partial_answers group by all order by all"
        ).fetchall()
    assert found == [("mine:all:cars", 3)]


def test_documents_come_from_a_search_and_what_was_refused_is_in_the_funnel(
    home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (folder / "documents").iterdir():
        path.unlink()
    with serving() as web:
        monkeypatch.setattr("orchestration.assets.curation.web_of", lambda home: web.web(home.root))
        web.pages = {f"/{n}": page_of(f"What cars do, {n}.") for n in range(4)}
        hosts = ["a.example.org", "b.gov", "c.edu", "shop.com", "d.info", "router.test-lan"]
        places = ["/0", "/1", "/2", "/3", "/none", "/inside"]
        web.results = {"cars": [web.site(*each) for each in zip(hosts, places, strict=True)]}
        config = {
            "folder": str(folder),
            "model": MODEL,
            "threshold": 0.9,
            "search": web.search,
            "domains": ["org", "gov", "edu", "info", "test-lan"],
        }
        said: list[str] = []
        Curate(**config).run(home, said.append)
        searched = len(web.asked)
        Curate(**config).run(home, said.append)
        assert len(web.asked) == searched
    # Three pages, and the moon with its 0 documents.
    assert said[3] == "documents: done; 4 removed"
    ingest(home, "curated", folder, settings={"dataset": "mine"})
    with open_writer(home, "look") as connection:
        rules = connection.execute(
            "select rule, n_before, n_affected from raw.curation_rules "
            "where unit = 'page' and n_affected > 0 order by rule_order"
        ).fetchall()
        removed = connection.execute(
            "select rule, detail from raw.curation_removals where unit = 'page' order by all"
        ).fetchall()
    assert rules == [("untrusted_domain", 6, 1), ("refused_address", 5, 1), ("http_error", 4, 1)]
    assert [rule for rule, _ in removed] == ["http_error", "refused_address", "untrusted_domain"]
    assert removed[0][1].endswith("/none: answered 404")
    assert "10.0.0.7, which is not public" in removed[1][1]


def test_a_curation_that_loses_every_question_fails_and_keeps_its_funnel(
    home: Home, folder: Path
) -> None:
    documents = folder / "documents" / "all.jsonl"
    documents.write_text("\n".join(documents.read_text().splitlines()[:2]))
    config = {"folder": str(folder), "model": MODEL, "threshold": 0.9}
    for _ in range(2):
        with pytest.raises(
            CurationFailed, match="no question is left after the step 'documents'"
        ) as caught:
            Curate(**config).run(home, print)
    assert "fewer than 3 documents (questions): 2" in str(caught.value)
    ingest(home, "curated", folder, settings={"dataset": "mine"})
    with open_writer(home, "look") as connection:
        found = connection.execute(
            "select n_before, n_affected from raw.curation_rules "
            "where step = 'documents' and unit = 'question'"
        ).fetchall()
    assert found == [(2, 2)]


def test_a_search_and_a_list_of_addresses_at_once_are_refused(home: Home, folder: Path) -> None:
    config = {"folder": str(folder), "model": MODEL, "search": "http://a/", "addresses": "b.txt"}
    with pytest.raises(BadSettings, match="name one of them"):
        Curate(**config).run(home, print)


def test_no_key_reaches_the_folder_and_an_unreachable_model_says_so(
    home: Home, folder: Path
) -> None:
    add_judge(home, "openai/nobody", {"base_url": "http://127.0.0.1:9/v1", "max_retries": 0})
    with pytest.raises(CurationFailed, match="gave no reply"):
        Curate(folder=folder, model="openai/nobody", threshold=0.9).run(home, print)
    texts = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    assert all("sk-none-that-is-real" not in text for text in texts)
