"""What a transcript's folder says: the machine's steps, a person's decision, the results.

`verification.json` holds the decision in force, and the hash of the segments it was made about: a
transcript that was made anew since is not verified. `results.json` holds the panel's result.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.parliamentary.transcription.records import CORRECTED, SEGMENTED, TRANSCRIBED
from inference.steps.files import hash_of, read_step
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.parliamentary.transcripts.verifications import (
    TRANSCRIPT_ID,
    VERIFY,
    Verification,
    read_verification,
)
from warehouse.files import write_atomically
from warehouse.home import Home

WAITING, VERIFIED, REJECTED, INCOMPLETE = "waiting", "verified", "rejected", "incomplete"
ABOUT, VERIFICATION, RESULTS = "about.json", "verification.json", "results.json"
_EDITED = "edited"


@dataclass(frozen=True)
class TranscriptState:
    """A transcript as it stands.

    Attributes:
        row: Its row of `raw.transcripts`.
        segments: Its rows of `raw.transcript_segments`.
        verification: The decision in force; None where there is none.
        results: The panel's result by place, as `results.json` has it; None where nobody knows.
    """

    transcript_id: str
    about: Mapping[str, Any]
    row: Mapping[str, Any]
    segments: Sequence[Mapping[str, Any]]
    verification: Verification | None
    results: Mapping[str, Any] | None

    @property
    def is_verified(self) -> bool:
        """Whether a person has found it right."""
        return bool(self.row["status"] == VERIFIED)


def transcript_folder(home: Home, transcript_id: str) -> Path:
    """Return a transcript's folder.

    Raises:
        UnknownSource: There is no such transcript.
    """
    folder = home.transcripts / transcript_id
    if TRANSCRIPT_ID.fullmatch(transcript_id) is None or not (folder / ABOUT).is_file():
        raise UnknownSource(
            f"ingestion: there is no transcript '{transcript_id}' in {home.transcripts}; its "
            "folders' names are the ids"
        )
    return folder


def transcript_ids(home: Home) -> list[str]:
    """Return the ids of all transcripts whose steps are done, sorted."""
    folders = home.transcripts.iterdir() if home.transcripts.is_dir() else []
    return sorted(path.name for path in folders if (path / f"{CORRECTED}.json").is_file())


def store_verification(home: Home, found: Verification) -> None:
    """Put a decision into force.

    Raises:
        SourceUnreadable: The transcript is not there, or a later decision about it is in force.
    """
    folder = transcript_folder(home, found.transcript_id)
    state = read_transcript(home, found.transcript_id)
    before = state.verification
    if before is not None and found.when < before.when:
        raise SourceUnreadable(
            f"ingestion: {found.transcript_id}: {before.by} decided at {before.at}, which is after "
            f"{found.at}; nothing was changed: look at it again, and decide anew"
        )
    content = {**found.as_json, "segments_hash": _hash(folder)}
    _write(folder / VERIFICATION, content)


def store_results(home: Home, transcript_id: str, results: Mapping[str, Any]) -> None:
    """Keep the panel's result of a transcript's debate: `houses` and `scores` by place."""
    _write(transcript_folder(home, transcript_id) / RESULTS, results)


def read_transcript(home: Home, transcript_id: str) -> TranscriptState:
    """Return a transcript as it stands.

    Raises:
        SourceUnreadable: There is no such transcript, or its steps are not done.
    """
    folder = transcript_folder(home, transcript_id)
    about = _read(folder / ABOUT) or {}
    found = [read_step(folder, step) for step in (TRANSCRIBED, SEGMENTED, CORRECTED)]
    transcribed, segmented, corrected = found
    if transcribed is None or segmented is None or corrected is None or "title" not in about:
        raise SourceUnreadable(
            f"ingestion: {folder} lacks a step, or a file in it is damaged; run rostrum transcribe "
            "on its recording again, it goes on from what is whole"
        )
    verification = _in_force(folder)
    status = WAITING if segmented.facts["reason"] is None else INCOMPLETE
    if verification is not None:
        status = VERIFIED if verification.decision == VERIFY else REJECTED
    reasons = [segmented.facts["reason"], *segmented.facts["notes"]]
    dataset_id = about["dataset"]
    row = {
        "transcript_id": transcript_id,
        "dataset_id": dataset_id,
        "title": about["title"],
        "motion": about["motion"],
        "info_slide": about["info_slide"],
        "origin": about["origin"],
        "transcriber": transcribed.facts["transcriber"],
        "corrector": corrected.facts["corrector"],
        "segmenter": segmented.facts["segmenter"],
        "status": status,
        "reason": "; ".join(reason for reason in reasons if reason) or None,
        "max_word_error_rate": about["max_word_error_rate"],
        "word_error_rate": corrected.facts.get("word_error_rate"),
        "verified_by": verification.by if verification else None,
        "verified_at": verification.when if verification else None,
        "extra": json.dumps({"sha256": about["sha256"], "prompt": corrected.facts.get("prompt")}),
    }
    made = {each["position"]: each for each in corrected.records}
    segments = [
        _segment_row(transcript_id, dataset_id, each, made[each["position"]])
        for each in segmented.records
    ]
    if status == VERIFIED and verification is not None:
        segments = _as_verified(transcript_id, dataset_id, segments, verification)
    results = _read(folder / RESULTS)
    return TranscriptState(transcript_id, about, row, segments, verification, results)


def machine_text(segment: Mapping[str, Any]) -> str:
    """Return a segment's text before a person looked at it: corrected, else raw."""
    return str(segment["corrected_text"] or segment["raw_text"])


def _segment_row(
    transcript_id: str, dataset_id: str, segment: Mapping[str, Any], made: Mapping[str, Any]
) -> dict[str, Any]:
    named = {name: segment[name] for name in ("position", "role", "speaker", "start_s", "end_s")}
    return {
        "transcript_id": transcript_id,
        "dataset_id": dataset_id,
        **named,
        "raw_text": segment["joiner"].join(segment["parts"]),
        "corrected_text": made["corrected_text"],
        "verified_text": None,
        "word_error_rate": made["word_error_rate"],
        "changed_words": made["changed_words"],
        "status": made["status"],
        "reason": made["reason"],
    }


def _as_verified(
    transcript_id: str,
    dataset_id: str,
    segments: Sequence[dict[str, Any]],
    verification: Verification,
) -> list[dict[str, Any]]:
    said = {each.position: each for each in verification.segments if each.role}
    rows = []
    for segment in segments:
        verified = said.pop(segment["position"], None)
        if verified is None:
            rows.append({**segment, "role": None, "reason": "left out by the verifier"})
            continue
        text = verified.text.strip()
        is_same = text == machine_text(segment).strip() and verified.role == segment["role"]
        status = segment["status"] if is_same else _EDITED
        rows.append({**segment, "role": verified.role, "verified_text": text, "status": status})
    nothing = dict.fromkeys(
        ("speaker", "start_s", "end_s", "corrected_text", "word_error_rate", "changed_words")
    )
    for position, verified in sorted(said.items()):
        rows.append(
            {
                "transcript_id": transcript_id,
                "dataset_id": dataset_id,
                "position": position,
                "role": verified.role,
                "raw_text": "",
                **nothing,
                "verified_text": verified.text.strip(),
                "status": _EDITED,
                "reason": "divided from the others by the verifier",
            }
        )
    return rows


def _in_force(folder: Path) -> Verification | None:
    content = _read(folder / VERIFICATION)
    if content is None or content.get("segments_hash") != _hash(folder):
        return None
    return read_verification(json.dumps(content).encode(), str(folder / VERIFICATION))


def _hash(folder: Path) -> str:
    found = [read_step(folder, step) for step in (SEGMENTED, CORRECTED)]
    return hash_of([None if each is None else each.content_hash for each in found])


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"ingestion: cannot read {path}: {error}; remove it") from None
    return content if isinstance(content, dict) else None


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_atomically(path, (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode())
