"""Journal lines about questions on stories: debates of them, and judgements of their answers.

`inference.oversight.debating.records` describes what a line about a debate holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from inference.errors import FINAL_KINDS
from inference.oversight.debating.records import ENDPOINT, PARTIAL, TRANSCRIPT_STATUSES, VOID
from inference.oversight.items import (
    ANSWER_ORDERS,
    ASKED_FOR,
    CHOICE,
    CONSULTANCY,
    DEBATE,
    NO_PROBE,
    PROBES,
    PROTOCOLS,
    TURN_ORDERS,
)
from inference.oversight.judgements import probability_of_labels, read_judgement
from ingestion.batch import storable
from ingestion.journal_fields import NUMBER, TEXT, TRUTH, WHOLE, check, check_if_any
from ingestion.json_values import as_json
from ingestion.questions.texts import answer_id

TRANSCRIPTS, JUDGEMENTS = "oversight_transcripts", "oversight_judgements"
TURNS, QUOTES = "oversight_turns", "oversight_quotes"
_DEBATED = {
    "protocol": TEXT, "turn_order": TEXT, "is_interactive": TRUTH, "word_limit": WHOLE,
    "best_of": WHOLE,
}  # fmt: skip
_DEBATED_IF_ANY = {
    "opponent_id": TEXT, "tournament": TEXT, "tournament_round": WHOLE, "transcript_hash": TEXT,
    # With `self` resolved, which the plan's own fields are not.
    "asker_id": TEXT, "preference_judge_id": TEXT,
}  # fmt: skip
# Columns of `raw.oversight_transcripts` that a line has under another name, must or may.
_RENAMED = {"argues": ("argued_answer", WHOLE), "rounds": ("round_count", WHOLE),
            "refine": ("refine_count", WHOLE)}  # fmt: skip
_RENAMED_IF_ANY = {"transcript_reason": ("reason", TEXT)}
_TURN = {"turn": WHOLE, "round": WHOLE, "speaker": TEXT}
_TURN_IF_ANY = {"argued_answer": WHOLE, "model_id": TEXT}
_CANDIDATE = {
    "candidate": WHOLE, "is_chosen": TRUTH, "text": TEXT, "shown_text": TEXT, "word_count": WHOLE,
    "rejected_count": WHOLE, "is_truncated": TRUTH,
}  # fmt: skip
_CANDIDATE_IF_ANY = {
    "is_concession": TRUTH, "argues_other_side": TRUTH, "is_malformed": TRUTH,
    "preference": NUMBER, "tokens_in": WHOLE, "tokens_out": WHOLE, "cost_usd": NUMBER,
}  # fmt: skip
_QUOTE = {"position": WHOLE, "quote": TEXT, "is_verified": TRUTH}
_QUOTE_IF_ANY = {
    "similarity": NUMBER, "story_start": WHOLE, "story_end": WHOLE, "written_as": TEXT,
}  # fmt: skip
_OWN = {*_CANDIDATE, *_CANDIDATE_IF_ANY, "quotes"}
_JUDGED = {
    "question_id": TEXT, "protocol": TEXT, "answer_order": TEXT, "probe": TEXT, "asked_for": TEXT,
}  # fmt: skip
_JUDGED_IF_ANY = {"transcript_id": TEXT, "step": WHOLE, "probed_answer": WHOLE}
# What these lines have besides what all answer lines have.
FIELDS = (
    *_DEBATED, *_DEBATED_IF_ANY, *_RENAMED, *_RENAMED_IF_ANY, "opponent", "asker",
    "preference_judge", "transcript_status",
    "turns", *_JUDGED, *_JUDGED_IF_ANY, "steps",
)  # fmt: skip


def add_debated(row: dict[str, Any], line: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Complete the row of `raw.oversight_transcripts` of a line, and return its turns and quotes.

    A line without a transcript is of a request that failed at once: a partial one, or a void one
    where it would always fail, as with a prompt over the window.

    Args:
        row: The row, with what all answer lines have.
        line: The line.

    Raises:
        KeyError: A field is missing.
        TypeError: A field is of another kind.
        ValueError: A field has a value there is not.
    """
    check(
        line, {"item_id": TEXT, **_DEBATED, **{name: kind for name, (_, kind) in _RENAMED.items()}}
    )
    _check_known(line, "protocol", (CONSULTANCY, DEBATE))
    _check_known(line, "turn_order", TURN_ORDERS)
    _check_known(line, "argues", (0, 1))
    kind = line.get("error_kind")
    failed = VOID if kind in FINAL_KINDS else PARTIAL
    status = line.get("transcript_status") or failed
    if status not in TRANSCRIPT_STATUSES:
        raise ValueError(f"transcript_status should be one of {', '.join(TRANSCRIPT_STATUSES)}")
    row |= {name: line[name] for name in _DEBATED} | check_if_any(line, _DEBATED_IF_ANY)
    row |= {column: line[name] for name, (column, _) in _RENAMED.items()}
    for name, (column, kind) in _RENAMED_IF_ANY.items():
        row[column] = check_if_any(line, {name: kind})[name]
    row |= {
        "question_id": line["item_id"],
        "transcript_id": answer_id(line["item_id"], row["request_id"]),
        "status": status,
        "reason": None if (why := row["reason"] or _why(line)) is None else storable(why),
    }
    shared = {name: row[name] for name in ("transcript_id", "request_id", "line_number")}
    found: dict[str, list[dict[str, Any]]] = {TURNS: [], QUOTES: []}
    for turn in _objects(line.get("turns"), "turns"):
        check(turn, _TURN)
        of_turn = shared | {name: turn[name] for name in _TURN} | check_if_any(turn, _TURN_IF_ANY)
        for candidate in _objects(turn.get("candidates"), "candidates"):
            made, quotes = _candidate(of_turn, candidate)
            found[TURNS].append(made)
            key = {**shared, "turn": turn["turn"], "candidate": candidate["candidate"]}
            found[QUOTES] += [key | quote for quote in quotes]
    return found


def _why(line: Mapping[str, Any]) -> str | None:
    """Return why a line has no transcript, as `debating.records` has it."""
    kind, words = line.get("error_kind"), line.get("error")
    return None if kind is None else ": ".join(each for each in (ENDPOINT, kind, words) if each)


def _candidate(
    of_turn: Mapping[str, Any], candidate: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    check(candidate, _CANDIDATE)
    row = {name: candidate[name] for name in _CANDIDATE}
    row |= check_if_any(candidate, _CANDIDATE_IF_ANY)
    row["text"], row["shown_text"] = storable(row["text"]), storable(row["shown_text"])
    quotes, examples = [], []
    for quote in _objects(candidate.get("quotes"), "quotes"):
        check(quote, _QUOTE)
        kept = {name: quote[name] for name in _QUOTE} | check_if_any(quote, _QUOTE_IF_ANY)
        quotes.append(kept | {"quote": storable(kept["quote"])})
        examples += [quote["position"]] if quote.get("is_example") else []
    rest = {name: value for name, value in candidate.items() if name not in _OWN and value}
    # Which quotes are the prompt's own example.
    rest |= {"example_quotes": examples} if examples else {}
    return {**of_turn, **row, "extra": as_json(rest) if rest else None}, quotes


def add_judgement(row: dict[str, Any], line: Mapping[str, Any]) -> None:
    """Complete the row of `raw.oversight_judgements` of a line.

    A judge that was asked to choose has a probability too where both letters' are known.

    Args:
        row: The row, with what all answer lines have.
        line: The line.

    Raises:
        KeyError: A field is missing.
        TypeError: A field is of another kind.
        ValueError: A field has a value there is not.
    """
    check(line, _JUDGED)
    for name, values in (
        ("protocol", PROTOCOLS), ("answer_order", ANSWER_ORDERS), ("probe", PROBES),
        ("asked_for", ASKED_FOR),
    ):  # fmt: skip
        _check_known(line, name, values)
    row |= {name: line[name] for name in _JUDGED} | check_if_any(line, _JUDGED_IF_ANY)
    if row["probe"] != NO_PROBE:
        _check_known(line, "probed_answer", (0, 1))
    row["is_final"] = row["step"] is None
    if line["status"] != "answered":
        return
    check(line, {"response": TEXT})
    row["answer_format"] = row["answer_format"] or "text"
    if (logprobs := line.get("label_logprobs")) is not None:
        # A later reading needs them.
        ceiling = line.get("label_logprob_ceiling")
        known = {"label_logprobs": logprobs, "label_logprob_ceiling": ceiling}
        row["extra"] = as_json(json.loads(row["extra"] or "{}") | known)
    row |= judged(row)


def judged(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row's reply says, as columns of `raw.oversight_judgements`.

    Args:
        row: The row, with its reply, how it was asked for and, in `extra`, the logarithms of the
            letters' probabilities, where a journal has them.
    """
    said = read_judgement(
        row["response"], row["asked_for"], row["answer_order"], row["answer_format"],
        row["finish_reason"],
    )  # fmt: skip
    p, known = said.p_answer_0, json.loads(row["extra"] or "{}")
    if row["asked_for"] == CHOICE and said.choice is not None and known.get("label_logprobs"):
        p = probability_of_labels(
            known["label_logprobs"], known["label_logprob_ceiling"], row["answer_order"]
        )
    return {
        "p_answer_0": p, "choice": said.choice, "parse_status": said.status,
        "parse_reason": said.reason,
    }  # fmt: skip


def _objects(found: Any, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; none where there is no list."""
    if found is None:
        return
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise TypeError(f"{name} should be a list of objects")
    yield from found


def _check_known(line: Mapping[str, Any], name: str, known: tuple[Any, ...]) -> None:
    if line[name] not in known:
        shown = ", ".join(map(str, known))
        raise ValueError(f"{name} should be one of {shown}; found {line[name]!r}")
