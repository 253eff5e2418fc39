"""`rostrum transcribe` and `rostrum verify`, and a verification that comes through the inbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.transcripts.load import decision, refuse_verified
from orchestration.commands.pipelines import Transcribe, Verify
from orchestration.execute import materialize
from orchestration.registry import add_judge
from tests.inference.inference_fixtures import Stub, completion
from warehouse.home import Home
from warehouse.inbox import drop
from warehouse.records.bp import ROLES
from warehouse.writer import open_writer

KEY = "sk-canary-transcripts-5b7d"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    stub = Stub()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield stub
    stub.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stub: Stub) -> Home:
    home = Home(tmp_path / "home").ensure()
    monkeypatch.setenv("ROSTRUM_HOME", str(home.root))
    add_judge(home, "openai/stub", {"base_url": stub.url})
    return home


def test_from_a_text_to_a_verified_debate(home: Home, stub: Stub) -> None:
    stub.react = lambda body, _: completion(
        "I will not do this."
        if "i am ow" in str(body)
        else f"<corrected>{str(body).partition('<text>')[2].partition('</text>')[0]}</corrected>".replace(
            "\\n", " "
        )
    )
    source = home.root / "final.txt"
    source.write_text("\n".join(f"<{role}>well i am {role} today</{role}>" for role in ROLES))
    config = {"path": str(source), "title": "Final", "corrector": "openai/stub"}
    lines: list[str] = []
    Transcribe(**config, build=False).run(home, lines.append)
    said = "\n".join(lines)
    name = next(path.name for path in home.transcripts.iterdir())
    assert "corrected: done, 8 records; corrector openai/stub" in said
    assert f"{name}: waiting, none" in said
    assert "ow: part 1 of 1: the corrector's reply has 0 corrected texts" in said
    path = drop(home, f"verification-{name}-1.json", decision(home, name, "Ada"))
    inbox = {"sources__imports": {"path": str(path)}}
    materialize(home, ["sources/imports"], config=inbox)
    assert not path.exists()
    with pytest.raises(SourceUnreadable, match="verified by Ada"):
        refuse_verified(home, name)
    Verify(transcript=name, by="Bo", reject=True, build=False).run(home, lines.append)
    with open_writer(home, "test") as connection:
        assert connection.execute("select status, verified_by from raw.transcripts").fetchall() == [
            ("rejected", "Bo")
        ]
    files = [each for each in home.root.rglob("*") if each.is_file() and not each.is_socket()]
    assert not [each for each in files if KEY.encode() in each.read_bytes()]
