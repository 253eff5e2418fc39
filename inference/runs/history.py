"""What earlier runs leave to a new one: answers it need not ask for again.

Also the guard that one judge id keeps one meaning: its settings may not change between runs.
"""

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from inference.errors import DOUBTFUL_KINDS, FINAL_KINDS, BadSettings
from inference.journal import FILE_NAME, read_header, read_places
from inference.judges.base import COUNTED
from inference.kinds import kind_of_line
from inference.kinds.parts import ANSWERED
from inference.kinds.protocol import Kind, is_whole
from inference.registry import JudgeSpec
from inference.runs.lines import GIVEN_UP, REPLY, STEP


@dataclass
class OwnAnswers:
    """What a run's own journal holds. Not the answers themselves: there may be very many.

    Attributes:
        answers: Per answered request, why its answer cannot be read; None where it can.
        failures: Requests that ended in a failure that stands, with its kind.
        steps: Per request that failed after some of its steps, those steps; they are counted.
        pending_usd: Per request whose steps no answer line has counted yet, what those may have
            cost.
        status: What the last `end` line says; None when the last start has no end.
        cost_usd: What all its starts have cost, pending steps included, as far as that is known.
        charged_usd: What all its starts may have cost, as far as the journal has a bound.
        unbounded: Messages for which it has none: their request, how many they are, and the tokens
            they used where those are known.
        corrupt_lines: Damaged lines. Requests whose answers they held are asked again.
    """

    answers: dict[str, str | None] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    steps: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    pending_usd: dict[str, float] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)
    status: str | None = None
    cost_usd: float = 0.0
    is_cost_known: bool = True
    charged_usd: float = 0.0
    unbounded: list[tuple[str, tuple[int, int | None, int | None]]] = field(default_factory=list)
    corrupt_lines: int = 0

    def __contains__(self, request_id: object) -> bool:
        """Whether a request need not be asked again."""
        return request_id in self.answers or request_id in self.failures


class Recorded(NamedTuple):
    """Where another run keeps an answer."""

    run_id: str
    path: Path
    place: int


def slug(judge_id: str) -> str:
    """Return a judge id as it shows in folder names. Two ids may share one."""
    return judge_id.replace("/", "-").replace(":", "-")[:100]


def own_answers(folder: Path) -> OwnAnswers:
    """Read a run's own journal; a run that never started holds nothing."""
    own = OwnAnswers()
    path = folder / FILE_NAME
    if not path.is_file():
        return own
    for _, line in read_places(path):
        add_line(own, line)
    return own


def add_line(own: OwnAnswers, line: dict[str, Any]) -> None:
    """Add what the next line of a journal says."""
    kind = line["kind"]
    if kind == "answer":
        _take(own, line)
    elif kind == REPLY:
        own.answers[line["request_id"]] = None
    elif kind == STEP:
        _take_step(own, line)
    elif kind == GIVEN_UP:
        own.charged_usd += _usd(line.get("usd_at_most")) or 0.0
        own.is_cost_known = False
    elif kind == "corrupt":
        own.corrupt_lines += 1
    elif kind == "batch":
        own.notes.append(line)
    elif kind in ("run", "end"):
        own.status = line.get("status")


def _take(own: OwnAnswers, line: dict[str, Any]) -> None:
    if not line.get("reused_from"):
        request_id = str(line.get("request_id"))
        _charge(own, request_id, line)
        # Steps have been counted as they came, and the line counts them again.
        own.charged_usd -= own.pending_usd.pop(request_id, 0.0)
        own.cost_usd -= sum(
            _usd(step.get("cost_usd")) or 0.0
            for step in own.steps.get(request_id, ())
            if step.get("is_counted") is False
        )
    kind = _kind_of_whole(line)
    if kind is not None:
        request_id = line["request_id"]
        own.answers[request_id] = kind.parse(line).reason
        own.failures.pop(request_id, None)
        own.steps.pop(request_id, None)
    elif line.get("error_kind") in FINAL_KINDS and line.get("request_id") not in own.answers:
        own.failures[str(line.get("request_id"))] = line["error_kind"]
    elif line.get("turns") is not None and line.get("request_id") in own.steps:
        steps = own.steps[line["request_id"]]
        own.steps[line["request_id"]] = tuple({**step, "is_counted": True} for step in steps)
    elif line.get("searches") or line.get("notes"):
        # This line has counted what they used: the one with the answer is not to count it again.
        nothing_more = dict.fromkeys(COUNTED, 0)
        own.steps[str(line.get("request_id"))] = tuple(
            {**step, **nothing_more} for step in line.get("searches") or line["notes"]
        )


def _take_step(own: OwnAnswers, line: dict[str, Any]) -> None:
    """Take what one model said within a transcript, as it was kept when it came."""
    request_id, before = str(line.get("request_id")), own.charged_usd
    left_out = ("kind", "request_id", "usd_at_most")
    step = {name: value for name, value in line.items() if name not in left_out}
    own.steps[request_id] = (*own.steps.get(request_id, ()), {**step, "is_counted": False})
    _charge(own, request_id, line)
    charged_usd = own.charged_usd - before
    own.pending_usd[request_id] = own.pending_usd.get(request_id, 0.0) + charged_usd


def _charge(own: OwnAnswers, request_id: str, line: Mapping[str, Any]) -> None:
    """Count the known cost of a line's messages, and the most that they may have cost."""
    if line.get("attempts") == 0:
        return
    known, most = _usd(line.get("cost_usd")), _usd(line.get("usd_at_most"))
    own.cost_usd += known or 0.0
    own.is_cost_known &= known is not None
    if most is not None:
        own.charged_usd += most
        return
    own.charged_usd += known or 0.0
    retried = line.get("retried") or ()
    doubtful = sum(each.get("error_kind") in DOUBTFUL_KINDS for each in retried)
    if doubtful:
        own.unbounded.append((request_id, (doubtful, None, None)))
    if known is None:
        own.unbounded.append((request_id, (1, line.get("tokens_in"), line.get("tokens_out"))))


def _usd(value: Any) -> float | None:
    """Return an amount that a journal states; None where it can be none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value < math.inf else None


def check_settings(journal_root: Path, spec: JudgeSpec) -> None:
    """Make sure that no earlier run used this judge id with other settings."""
    for folder, header in runs_of(journal_root, spec.judge_id):
        if header.get("settings_hash") != spec.settings_hash:
            raise BadSettings(
                f"runner: judge '{spec.judge_id}' ran before with other settings (run "
                f"'{folder.name}': {header.get('settings')}; now: {spec.settings}); its answers "
                "would be pooled with the new ones; give the changed judge a new id in judges.toml"
            )


def reusable_answers(
    journal_root: Path, run_id: str, judge_id: str, wanted: Container[str]
) -> dict[str, Recorded]:
    """Return where other runs of a judge keep answers, by request id.

    A request id covers everything that can change an answer, so any of them will do; the first in
    the order of run ids is taken.
    """
    found: dict[str, Recorded] = {}
    for folder, _ in runs_of(journal_root, judge_id):
        if folder.name == run_id:
            continue
        path = folder / FILE_NAME
        for place, line in read_places(path):
            request_id = _answered_request(line)
            if request_id is not None and request_id in wanted:
                found.setdefault(request_id, Recorded(folder.name, path, place))
    return found


def mean_tokens_out(journal_root: Path, judge_id: str, template: str) -> float | None:
    """Return the mean length of a judge's answers to a prompt; None where it has none."""
    total = count = 0
    for folder, _ in runs_of(journal_root, judge_id):
        for _, line in read_places(folder / FILE_NAME):
            tokens = line.get("tokens_out")
            if line.get("template") == template and isinstance(tokens, int):
                total, count = total + tokens, count + 1
    return total / count if count else None


def _answered_request(line: dict[str, Any]) -> str | None:
    has_answer = line["kind"] == "answer" and _kind_of_whole(line) is not None
    return str(line["request_id"]) if has_answer else None


def _kind_of_whole(line: Mapping[str, Any]) -> Kind | None:
    """Return the kind of an answer that can be used; a line without its parts is asked again."""
    if line.get("status") != ANSWERED:
        return None
    try:
        kind = kind_of_line(line)
    except ValueError:
        return None
    return kind if is_whole(kind, line) else None


def runs_of(journal_root: Path, judge_id: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the folder and the header of every run of a judge."""
    for path in sorted(journal_root.glob(f"*--{slug(judge_id)}--*/{FILE_NAME}")):
        header = read_header(path)
        if header is not None and header.get("judge_id") == judge_id:
            yield path.parent, header
