from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inference.errors import TranscriptionFailed
from inference.parliamentary.transcription.pipeline import (
    PIPELINE,
    Task,
    Tools,
    Transcription,
    transcript_id,
)
from inference.parliamentary.transcription.records import CORRECTED, SEGMENTED, STEPS
from inference.steps.files import read_step, step_path
from inference.steps.pipeline import Outcome
from tests.inference.inference_fixtures import Stub, completion, failure, judges_file
from tests.inference.transcription.audio_endpoint import Heard, segments, tones
from warehouse.records.bp import ROLES

KEY = "sk-canary-corrector-4e19"
TAGGED = "\n".join(f"<{role}>well i am {role} and so on</{role}>" for role in ROLES)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    stub = Stub()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    stub.react = lambda body, _: completion(f"<corrected>{text_of(body).capitalize()}.</corrected>")
    yield stub
    stub.close()


@pytest.fixture
def tools(tmp_path: Path, stub: Stub) -> Tools:
    return Tools(judges_file(tmp_path, "openai/stub", base_url=stub.url))


@pytest.fixture
def task(tmp_path: Path) -> Task:
    path = tmp_path / "The Final (2024).txt"
    path.write_text(TAGGED)
    return Task(path, "The final", motion="This house would try.", corrector="openai/stub")


def text_of(body: dict[str, list[dict[str, str]]]) -> str:
    return body["messages"][-1]["content"].partition("<text>\n")[2].partition("\n</text>")[0]


def run(folder: Path, task: Task, tools: Tools) -> list[Outcome]:
    return PIPELINE.run_all(Transcription(folder, task, tools))


def test_every_step_is_done_once(tmp_path: Path, task: Task, tools: Tools, stub: Stub) -> None:
    folder = tmp_path / "out"
    assert [each.status for each in run(folder, task, tools)] == ["done"] * 3
    kept = {path: path.read_bytes() for path in folder.glob("*.json")}
    assert [each.status for each in run(folder, task, tools)] == ["unchanged"] * 3
    assert {path: path.read_bytes() for path in folder.glob("*.json")} == kept
    assert len(stub.bodies) == 8
    made = read_step(folder, CORRECTED)
    assert made is not None
    texts = [each["corrected_text"] for each in made.records]
    assert texts == [f"Well i am {role} and so on." for role in ROLES]
    assert made.facts["word_error_rate"] == 0
    assert KEY not in "".join(path.read_text() for path in folder.rglob("*") if path.is_file())


def test_changed_steps_are_done_again(tmp_path: Path, task: Task, tools: Tools, stub: Stub) -> None:
    folder = tmp_path / "out"
    run(folder, task, tools)
    stricter = run(folder, replace(task, max_word_error_rate=0.0), tools)
    assert [each.status for each in stricter] == ["unchanged", "unchanged", "done"]
    assert len(stub.bodies) == 8
    raw = run(folder, replace(task, corrector=None), tools)
    assert {each["status"] for each in raw[-1].result.records} == {"raw"}
    step_path(folder, SEGMENTED).write_text('{"cut off')
    assert [each.status for each in run(folder, task, tools)] == ["unchanged", "done", "done"]


def test_stopped_by_the_corrector_it_goes_on_from_the_replies_that_came(
    tmp_path: Path, task: Task, tools: Tools, stub: Stub
) -> None:
    well = stub.react
    stub.react = lambda body, n: (
        failure(400, "no") if "i am mg " in text_of(body) else well(body, n)
    )
    # A bad request is neither final nor worth another try: it is the user's to put right.
    folder = tmp_path / "out"
    with pytest.raises(TranscriptionFailed, match="corrector 'openai/stub'"):
        run(folder, task, tools)
    assert read_step(folder, CORRECTED) is None
    assert read_step(folder, SEGMENTED) is not None
    stub.react = well
    stub.bodies.clear()
    assert [each.status for each in run(folder, task, tools)] == ["unchanged", "unchanged", "done"]
    assert [text_of(body) for body in stub.bodies] == ["well i am mg and so on"]


def test_a_recording_goes_the_same_way_and_keeps_its_times(tmp_path: Path) -> None:
    source = tones(tmp_path / "a.wav", [1] * 8, rest_s=9.0)
    said = segments(*((n * 10, n * 10 + 1, f"speech {n}") for n in range(8)))
    heard = Heard(lambda *_: said)
    tools = Tools(make_transcriber=lambda name, judges: heard)
    task = Task(source, "A", transcriber="openai/whisper-1")
    with pytest.raises(TranscriptionFailed, match="name who listens"):
        run(tmp_path / "out", replace(task, transcriber=None), tools)
    outcomes = run(tmp_path / "out", task, tools)
    made = outcomes[1].result
    assert made.facts["segmenter"] == "pauses"
    assert [(each["role"], each["start_s"], each["end_s"]) for each in made.records] == [
        (role, n * 10.0, n * 10.0 + 1) for n, role in enumerate(ROLES)
    ]
    run(tmp_path / "out", task, tools)
    assert len(heard.pieces) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": " "}, "--title"),
        ({"max_word_error_rate": 1.5}, "--max-wer"),
        ({"source": Path("none.mp4")}, "cannot read none.mp4"),
        # A format nobody reads is said with the command that converts it.
        ({"source": Path("a.mp4")}, r"ffmpeg -i 'a\.mp4'"),
    ],
)
def test_a_task_that_cannot_be_done_is_said(
    tmp_path: Path,
    task: Task,
    change: dict[str, Any],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.mp4").write_bytes(b"video")
    work = Transcription(tmp_path / "out", replace(task, **change))
    with pytest.raises(TranscriptionFailed, match=message):
        PIPELINE.run_step(STEPS[0], work)


def test_an_id_is_the_files_name_and_what_is_in_it(tmp_path: Path, task: Task) -> None:
    name = transcript_id(task.source)
    assert name.startswith("the-final-2024-")
    other = tmp_path / "Äß.txt"
    other.write_text(TAGGED)
    assert transcript_id(other) == f"transcript-{name.rpartition('-')[2]}"
    task.source.write_text(TAGGED + ".")
    assert transcript_id(task.source) != name
