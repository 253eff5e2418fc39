"""`replay/NAME` plays back what a journal, a score file or a verdict file holds, for nothing.

    [judges."replay/gpt-of-march".settings]
    file = "/data/scores.parquet"       # or a run's responses.jsonl, or its folder
    judge = "openai/gpt-4.1"            # where the file holds several

An answer is played back for the same item, dimension or variant, template and sample, and only
where the recording, if it says which text it is about, is about the present one.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from inference.errors import BadSettings
from inference.judges.base import ANSWER_FORMATS, OfflineJudge, Reply
from inference.judges.recordings import Recordings, recordings_path
from inference.judges.request import Request
from inference.kinds.protocol import request_key
from inference.registry import JudgeSpec
from warehouse.files import sha256_file


class ReplayJudge(OfflineJudge):
    """Answers as recorded; a request nobody recorded gets `no_recording`."""

    def __init__(self, spec: JudgeSpec) -> None:
        if "file" not in spec.settings:
            raise BadSettings(
                f"replay: judge '{spec.judge_id}' has no setting file; name in judges.toml the "
                "journal or score file it plays back"
            )
        self._path = recordings_path(spec.settings["file"])
        self._judge: str | None = spec.settings.get("judge")
        self._recordings: Recordings | None = None

    @cached_property
    def _sha256(self) -> str:
        return sha256_file(self._path)

    def identity(self, request: Request) -> dict[str, Any]:
        """The text, and the file with all it holds."""
        return {**request.facts(), "file_sha256": self._sha256, "judge": self._judge}

    async def __aenter__(self) -> Self:
        self._recordings = Recordings.open(self._path, self._judge)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._recordings is not None:
            self._recordings.close()
            self._recordings = None

    async def ask(self, request: Request) -> Reply:
        """Play the recorded answer back."""
        if self._recordings is None:
            raise RuntimeError("replay: the judge was asked before it was opened")
        item, kind = request.item, request.kind
        recorded = request.description.recorded or (request.description.fields,)
        asks = (*(request_key(kind, each) for each in recorded), None)
        found = self._recordings.find(item.item_id, asks, request.template.label, request.sample)
        what = f"of {item.item_id}, {request.asks}, {request.template.label}, {request.sample}"
        if found is None:
            damaged = self._recordings.left_out
            aside = f" ({damaged} rows of it hold no answer that can be read)" if damaged else ""
            return _none(f"{self._path} holds no recording {what}{aside}")
        if found.get("item_hash", item.item_hash) != item.item_hash:
            return _none(f"the recording {what} in {self._path} is about another text")
        return _reply(found, request)


def _none(words: str) -> Reply:
    return Reply(error_kind="no_recording", error=words, cost_usd=0.0)


def _reply(found: Mapping[str, Any], request: Request) -> Reply:
    answer_format = found.get("answer_format", "text")
    response = found.get("response")
    if response is None:
        response = request.description.recorded_reply(found)
    return Reply(
        response=response,
        error_kind=found.get("error_kind"),
        error=found.get("error"),
        finish_reason=found.get("finish_reason"),
        tokens_in=found.get("tokens_in"),
        tokens_out=found.get("tokens_out"),
        cost_usd=0.0,
        omitted_parameters=tuple(found.get("omitted_parameters", ())),
        tokens_cached=found.get("tokens_cached"),
        answer_format=answer_format if answer_format in ANSWER_FORMATS else "text",
        label_logprobs=found.get("label_logprobs"),
        label_logprob_ceiling=found.get("label_logprob_ceiling"),
        model_version=found.get("model_version"),
    )
