"""What earlier runs leave to a new one: answers it need not ask for again.

Also the guard that one judge id keeps one meaning: its settings may not change between runs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inference.errors import BadSettings
from inference.journal import FILE_NAME, read_header, read_journal
from inference.lines import ANSWERED
from inference.registry import JudgeSpec


@dataclass
class OwnAnswers:
    """What a run's own journal holds.

    Attributes:
        answers: The answered requests' last lines, by request id.
        status: What the last `end` line says; None when the last start has no end.
        corrupt_lines: Damaged lines. Requests whose answers they held are asked again.
    """

    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    status: str | None = None
    corrupt_lines: int = 0


def slug(judge_id: str) -> str:
    """Return a judge id as it shows in folder names. Two ids may share one."""
    return judge_id.replace("/", "-").replace(":", "-")[:100]


def own_answers(folder: Path) -> OwnAnswers:
    """Read a run's own journal; a run that never started holds nothing.

    Args:
        folder: The run's folder.
    """
    own = OwnAnswers()
    path = folder / FILE_NAME
    if not path.is_file():
        return own
    for line in read_journal(path):
        request_id = _answered_request(line)
        if request_id is not None:
            own.answers[request_id] = line
        elif line["kind"] == "corrupt":
            own.corrupt_lines += 1
        elif line["kind"] in ("run", "end"):
            own.status = line.get("status")
    return own


def check_settings(journal_root: Path, spec: JudgeSpec) -> None:
    """Make sure that no earlier run used this judge id with other settings.

    Args:
        journal_root: The folder of all runs.
        spec: The judge about to run.

    Raises:
        BadSettings: One did. Names it.
    """
    for folder, header in _runs_of(journal_root, spec.judge_id):
        if header.get("settings_hash") != spec.settings_hash:
            raise BadSettings(
                f"runner: judge '{spec.judge_id}' ran before with other settings (run "
                f"'{folder.name}': {header.get('settings')}; now: {spec.settings}); its answers "
                "would be pooled with the new ones; give the changed judge a new id in judges.toml"
            )


def reusable_answers(
    journal_root: Path, run_id: str, judge_id: str, wanted: Container[str]
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return answers that other runs of a judge hold, by request id, with the run's id.

    A request id covers everything that can change an answer, so any of them will do; the first in
    the order of run ids is taken.

    Args:
        journal_root: The folder of all runs.
        run_id: The run that asks; its own answers are left out.
        judge_id: The judge.
        wanted: The request ids.
    """
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for folder, _ in _runs_of(journal_root, judge_id):
        if folder.name == run_id:
            continue
        for line in read_journal(folder / FILE_NAME):
            request_id = _answered_request(line)
            if request_id is not None and request_id in wanted:
                found.setdefault(request_id, (folder.name, line))
    return found


def _answered_request(line: dict[str, Any]) -> str | None:
    if line["kind"] != "answer" or line.get("status") != ANSWERED:
        return None
    scale = (line.get("scale_min"), line.get("scale_max"))
    texts = (line.get("request_id"), line.get("response"))
    is_whole = all(isinstance(text, str) for text in texts) and all(
        isinstance(end, int) for end in scale
    )
    # A line without its parts holds no answer that could be used: the request is asked again.
    return line["request_id"] if is_whole else None


def _runs_of(journal_root: Path, judge_id: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(journal_root.glob(f"*--{slug(judge_id)}--*/{FILE_NAME}")):
        header = read_header(path)
        if header is not None and header.get("judge_id") == judge_id:
            yield path.parent, header
