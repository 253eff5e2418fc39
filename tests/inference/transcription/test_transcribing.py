import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from inference.errors import BadSettings, JudgeUnavailable, MissingKey, TranscriptionFailed
from inference.parliamentary.transcription.audio import SAMPLE_RATE, Piece, pieces
from inference.parliamentary.transcription.transcribe import (
    LocalTranscriber,
    open_transcriber,
    transcribe,
)
from tests.inference.inference_fixtures import judges_file
from tests.inference.transcription.audio_endpoint import AudioStub, Heard, read_wav, segments, tones

KEY = "sk-canary-transcriber-91c7"


@pytest.fixture
def stub() -> Iterator[AudioStub]:
    stub = AudioStub()
    yield stub
    stub.close()


@pytest.fixture
def judges(tmp_path: Path, stub: AudioStub) -> Path:
    return judges_file(tmp_path, "openai/whisper-1", base_url=stub.url)


def test_pieces_are_all_of_a_recording_and_end_where_it_is_quiet(tmp_path: Path) -> None:
    # Tones of 2 s with silences of 1 s: silent are 2-3, 5-6, 8-9.
    path = tones(tmp_path / "a.wav", [2, 2, 2], channels=2)
    found = list(pieces(path, piece_s=4.0))
    assert found[0].start_s == 0
    assert found[-1].end_s == pytest.approx(9)
    for one, following in itertools.pairwise(found):
        assert one.end_s == following.start_s
        assert 2 <= one.end_s % 3 < 3
    heard = sum(len(piece.samples) for piece in found)
    assert heard == pytest.approx(9 * SAMPLE_RATE, abs=10)
    assert np.abs(found[0].samples).max() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("content", [b"", b"not a recording", b"RIFF\x00\x00\x00\x00WAVE"])
def test_what_is_no_recording_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    with pytest.raises(TranscriptionFailed, match=r"ffmpeg -i 'a\.wav'|no length"):
        list(pieces(path))


def test_times_are_those_of_the_whole_recording(tmp_path: Path) -> None:
    path = tones(tmp_path / "a.wav", [2, 2, 2])
    heard = Heard(lambda piece, number: segments((0.5, 1.0, f" p{number}  x "), (1.0, 99.0, " ")))
    said = transcribe(path, heard, tmp_path / "replies", piece_s=4.0)
    assert [each.text for each in said] == [f"p{n} x" for n in range(1, len(heard.pieces) + 1)]
    starts = [piece.start_s + 0.5 for piece in heard.pieces]
    assert [each.start_s for each in said] == pytest.approx(starts, abs=0.001)


def test_stopped_in_the_middle_it_pays_for_no_piece_twice(tmp_path: Path) -> None:
    path = tones(tmp_path / "a.wav", [2, 2, 2])

    def fail_second(piece: Piece, number: int) -> str:
        if number == 2:
            raise TranscriptionFailed("as the test wants it")
        return segments((0, 1, f"at {piece.start_s:.1f}"))

    first = Heard(fail_second)
    with pytest.raises(TranscriptionFailed, match="as the test wants it"):
        transcribe(path, first, tmp_path / "replies", piece_s=4.0)
    again = Heard()
    said = transcribe(path, again, tmp_path / "replies", piece_s=4.0)
    assert said[0].text == "at 0.0"
    every = [piece.start_s for piece in pieces(path, 4.0)]
    assert [piece.start_s for piece in again.pieces] == every[1:]


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        "no json",
        '{"text": "words without times"}',
        segments((2.0, 1.0, "backwards")),
        '{"segments": [{"start": null, "end": 1, "text": "a"}]}',
        '{"segments": [{"start": NaN, "end": 1, "text": "a"}]}',
    ],
)
def test_a_reply_that_cannot_be_read_is_said_and_not_kept(tmp_path: Path, reply: str) -> None:
    path = tones(tmp_path / "a.wav", [1])
    with pytest.raises(TranscriptionFailed):
        transcribe(path, Heard(lambda *_: reply), tmp_path / "replies")
    good = Heard()
    assert transcribe(path, good, tmp_path / "replies")[0].text == "piece 1"


def test_an_endpoint_gets_wav_for_segments(tmp_path: Path, stub: AudioStub, judges: Path) -> None:
    stub.react = lambda _: (200, segments((0, 0.5, f"The key is {KEY}.")))
    transcriber = open_transcriber("openai/whisper-1", judges, {"OPENAI_API_KEY": KEY})
    path = tones(tmp_path / "a.wav", [1])
    said = transcribe(path, transcriber, tmp_path / "replies")
    sent = stub.asked[0]
    where = {"to": "/v1/audio/transcriptions", "key": f"Bearer {KEY}", "model": b"whisper-1"}
    how = {"response_format": b"verbose_json", "timestamp_granularities[]": b"segment"}
    assert {**where, **how}.items() <= sent.items()
    assert read_wav(sent["file"]) == (SAMPLE_RATE, 2 * SAMPLE_RATE)
    assert said[0].text == "The key is [key]."
    kept = b"".join(each.read_bytes() for each in (tmp_path / "replies").rglob("*.*"))
    assert KEY.encode() not in kept


@pytest.mark.parametrize(
    ("status", "expected"), [(401, JudgeUnavailable), (400, TranscriptionFailed)]
)
def test_an_endpoint_that_refuses_is_said_without_the_key(
    tmp_path: Path, stub: AudioStub, judges: Path, status: int, expected: type[Exception]
) -> None:
    stub.react = lambda _: (status, json.dumps({"error": {"message": f"no: {KEY}"}}))
    transcriber = open_transcriber("openai/whisper-1", judges, {"OPENAI_API_KEY": KEY})
    path = tones(tmp_path / "a.wav", [1])
    with pytest.raises(expected) as found:
        transcribe(path, transcriber, tmp_path / "replies")
    assert KEY not in str(found.value)
    assert "[key]" in str(found.value)


def test_a_transcriber_needs_a_key_and_must_be_one(judges: Path) -> None:
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        open_transcriber("openai/whisper-1", judges, {})
    with pytest.raises(BadSettings, match="cannot transcribe"):
        open_transcriber("rule/constant-3", judges, {})


def test_a_local_model_hears_and_gives_times(tmp_path: Path) -> None:
    folder = tiny_whisper(tmp_path / "whisper")
    judges = judges_file(tmp_path, "local/tiny", model=str(folder))
    transcriber = open_transcriber("local/tiny", judges, {})
    assert isinstance(transcriber, LocalTranscriber)
    path = tones(tmp_path / "a.wav", [2, 2])
    said = transcribe(path, transcriber, tmp_path / "replies", piece_s=4.0)
    # Weights drawn at random say nothing, but they say something, and when.
    assert all(each.text for each in said)
    assert all(0 <= each.start_s <= each.end_s <= 6 for each in said)  # type: ignore[operator]
    assert {each.start_s for each in said} - {0.0}
    other = tiny_whisper(tmp_path / "other", seed=1)
    judges_file(tmp_path, "local/tiny", model=str(other))
    assert open_transcriber("local/tiny", judges, {}).identity != transcriber.identity


def tiny_whisper(folder: Path, seed: int = 0) -> Path:
    import torch
    from transformers import (
        GenerationConfig,
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
        WhisperTokenizer,
    )
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    folder.mkdir()
    vocabulary = {each: n for n, each in enumerate(bytes_to_unicode().values())}
    marks = "endoftext startoftranscript en transcribe translate startoflm startofprev nospeech"
    names = [f"<|{mark}|>" for mark in (*marks.split(), "notimestamps")]
    (folder / "vocab.json").write_text(json.dumps(vocabulary | {names[0]: len(vocabulary)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    files = (str(folder / name) for name in ("vocab.json", "merges.txt"))
    special = dict.fromkeys(("unk_token", "bos_token", "eos_token"), names[0])
    tokenizer = WhisperTokenizer(*files, **special)
    times = [f"<|{n * 0.02:.2f}|>" for n in range(1501)]
    tokenizer.add_tokens([*names[1:], *times], special_tokens=True)
    ids = {name: tokenizer.convert_tokens_to_ids(name) for name in names}
    shared = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id"), ids[names[0]])
    shared["decoder_start_token_id"] = ids[names[1]]
    sizes = {"layers": 1, "attention_heads": 2, "ffn_dim": 16}
    config = WhisperConfig(
        vocab_size=len(tokenizer),
        d_model=16,
        **{f"{part}_{name}": n for part in ("encoder", "decoder") for name, n in sizes.items()},
        **shared,
        max_target_positions=64,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    torch.manual_seed(seed)
    model = WhisperForConditionalGeneration(config)
    model.generation_config = GenerationConfig(
        no_timestamps_token_id=ids[names[-1]], is_multilingual=False, max_length=32, **shared
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    WhisperFeatureExtractor().save_pretrained(folder)
    return folder
