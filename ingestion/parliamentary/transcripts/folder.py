"""The folder of a transcript: the machine's steps, a person's decision, the results.

`verification.json` holds the decision in force, and the hash of the segments it was made about: a
transcript that was made again since is not verified. `results.json` holds the panel's result.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from inference.parliamentary.transcription.records import CORRECTED, SEGMENTED, TRANSCRIBED
from inference.steps.files import hash_of, read_step
from ingestion.documents import Document
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.times import utc_time
from warehouse.files import write_atomically
from warehouse.home import Home
from warehouse.records.bp import ROLES, Role
from warehouse.records.core import AnyText, Name
from warehouse.records.strict_json import strict_json

KIND = "transcript_verification"
DOCUMENT = Document(
    KIND,
    "verifies no transcript",
    "it should be a JSON object with kind, transcript_id, decision, by, at, and the eight speeches "
    "as segments",
)
VERIFY, REJECT = "verify", "reject"
WAITING, VERIFIED, REJECTED, INCOMPLETE = "waiting", "verified", "rejected", "incomplete"
VERIFICATION = "verification.json"
_ABOUT, _RESULTS = "about.json", "results.json"
_TRANSCRIPT_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,80}")
_EDITED = "edited"


class VerifiedSegment(BaseModel):
    """A part of a transcript as a person leaves it; without a role it is no speech."""

    position: Annotated[int, Field(ge=1, lt=2**31)]
    role: Role | None
    text: AnyText


class Verification(BaseModel):
    """A person's decision about a transcript, with its speeches unless it is rejected."""

    kind: Literal["transcript_verification"]
    transcript_id: Annotated[str, Field(pattern=rf"^{_TRANSCRIPT_ID.pattern}$")]
    decision: Literal["verify", "reject"]
    by: Name
    at: str
    segments: tuple[VerifiedSegment, ...] = ()

    @property
    def when(self) -> datetime:
        """When it was made, in UTC without a zone."""
        return utc_time(self.at)

    @property
    def problems(self) -> list[str]:
        """Reasons why the segments are not eight speeches."""
        if self.decision == REJECT:
            return []
        roles: list[str] = [each.role for each in self.segments if each.role]
        positions = [each.position for each in self.segments]
        blank = [each.role or "" for each in self.segments if each.role and not each.text.strip()]
        return [
            *(f"no speech of {role.upper()}" for role in ROLES if role not in roles),
            *(f"{role.upper()} is there more than once" for role in ROLES if roles.count(role) > 1),
            *(f"no word in {role.upper()}" for role in blank),
            *(["two segments have the same position"] * (len(positions) != len(set(positions)))),
        ]


def read_verification(content: bytes, shown: str) -> Verification:
    """Return the decision in a file.

    Raises:
        SourceUnreadable: It is none, or it verifies a transcript that is not eight speeches.
    """
    with DOCUMENT.reading(shown):
        found = Verification.model_validate(strict_json(content))
        _ = found.when
    if found.problems:
        raise DOCUMENT.refused(shown, "; ".join(found.problems))
    return found


@dataclass(frozen=True)
class TranscriptState:
    """A transcript as its folder has it.

    Attributes:
        row: Its row of `raw.transcripts`.
        segments: Its rows of `raw.transcript_segments`.
        verification: The decision in force.
        results: The panel's result by place, as `results.json` has it.
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
    if _TRANSCRIPT_ID.fullmatch(transcript_id) is None or not (folder / _ABOUT).is_file():
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
    content = {**found.model_dump(), "segments_hash": _hash(folder)}
    _write(folder / VERIFICATION, content)


def store_results(home: Home, transcript_id: str, results: Mapping[str, Any]) -> None:
    """Keep the panel's result of a transcript's debate: `houses` and `scores` by place."""
    _write(transcript_folder(home, transcript_id) / _RESULTS, results)


def read_transcript(home: Home, transcript_id: str) -> TranscriptState:
    """Return a transcript as its folder has it.

    Raises:
        SourceUnreadable: There is no such transcript, or its steps are not done.
    """
    folder = transcript_folder(home, transcript_id)
    about = _read(folder / _ABOUT) or {}
    found = [read_step(folder, step) for step in (TRANSCRIBED, SEGMENTED, CORRECTED)]
    transcribed, segmented, corrected = found
    if transcribed is None or segmented is None or corrected is None or "title" not in about:
        raise SourceUnreadable(
            f"ingestion: {folder} lacks a step, or a file in it is damaged; run rostrum transcribe "
            "on its recording again, it goes on from what is whole"
        )
    verification = None
    content = _read(folder / VERIFICATION)
    if content is not None and content.get("segments_hash") == _hash(folder):
        encoded = json.dumps(content).encode()
        verification = read_verification(encoded, str(folder / VERIFICATION))
    status = WAITING if segmented.facts["reason"] is None else INCOMPLETE
    if verification is not None:
        status = VERIFIED if verification.decision == VERIFY else REJECTED
    reasons = [segmented.facts["reason"], *segmented.facts["notes"]]
    ids = {"transcript_id": transcript_id, "dataset_id": about["dataset"]}
    of_about = ("title", "motion", "info_slide", "origin", "max_word_error_rate")
    row = {
        **ids,
        **{name: about[name] for name in of_about},
        "transcriber": transcribed.facts["transcriber"],
        "corrector": corrected.facts["corrector"],
        "segmenter": segmented.facts["segmenter"],
        "status": status,
        "reason": "; ".join(reason for reason in reasons if reason) or None,
        "word_error_rate": corrected.facts.get("word_error_rate"),
        "verified_by": verification.by if verification else None,
        "verified_at": verification.when if verification else None,
        "extra": json.dumps({"sha256": about["sha256"], "prompt": corrected.facts.get("prompt")}),
    }
    of_segment = ("position", "role", "speaker", "start_s", "end_s")
    of_correction = ("corrected_text", "word_error_rate", "changed_words", "status", "reason")
    corrections = {each["position"]: each for each in corrected.records}
    segments = [
        {
            **ids,
            **{name: each[name] for name in of_segment},
            "raw_text": each["joiner"].join(each["parts"]),
            "verified_text": None,
            **{name: corrections[each["position"]][name] for name in of_correction},
        }
        for each in segmented.records
    ]
    if status == VERIFIED and verification is not None:
        segments = _as_verified(segments, verification, ids)
    results = _read(folder / _RESULTS)
    return TranscriptState(transcript_id, about, row, segments, verification, results)


def machine_text(segment: Mapping[str, Any]) -> str:
    """Return a segment's text before a person looked at it: corrected, else raw."""
    return str(segment["corrected_text"] or segment["raw_text"])


def _as_verified(
    segments: Sequence[dict[str, Any]], verification: Verification, ids: Mapping[str, str]
) -> list[dict[str, Any]]:
    speeches = {each.position: each for each in verification.segments if each.role}
    rows = []
    for segment in segments:
        verified = speeches.pop(segment["position"], None)
        if verified is None:
            rows.append({**segment, "role": None, "reason": "left out by the verifier"})
            continue
        text = verified.text.strip()
        is_same = text == machine_text(segment).strip() and verified.role == segment["role"]
        status = segment["status"] if is_same else _EDITED
        rows.append({**segment, "role": verified.role, "verified_text": text, "status": status})
    for position, verified in sorted(speeches.items()):
        # Other columns are null.
        rows.append(
            {
                **ids,
                "position": position,
                "role": verified.role,
                "raw_text": "",
                "verified_text": verified.text.strip(),
                "status": _EDITED,
                "reason": "divided from the others by the verifier",
            }
        )
    return rows


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
