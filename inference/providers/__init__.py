"""The providers of judges. A new provider is one entry of `PROVIDERS`, and a class of judges."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from inference.providers import simulated
from inference.providers.base import OPERATIONAL, SECRET_PRONE, Family, Provider, Seed, Settings
from inference.questions.answers import LOCAL_METRICS

OPENAI_BASE_URL = "https://api.openai.com/v1"
# The one value that lets a model's own code run: a sentence, so that nobody sets it by accident.
REMOTE_CODE = "I trust this model's own code"

Text = Annotated[str | None, Field(min_length=1)]
Dollars = Annotated[float | None, Field(ge=0, json_schema_extra=OPERATIONAL)]
Positive = Annotated[float | None, Field(ge=0.001, json_schema_extra=OPERATIONAL)]
Count = Annotated[int | None, Field(ge=1, json_schema_extra=OPERATIONAL)]
Address = Annotated[
    str,
    Field(
        pattern=r"^https?://[^\s@?#]+$",
        json_schema_extra=SECRET_PRONE,
        description="an address that begins with http:// or https:// and holds no user name, "
        "password or query",
    ),
]
EnvName = Annotated[
    str,
    Field(
        pattern=r"^([A-Z_][A-Z0-9_]*)?$",
        json_schema_extra=OPERATIONAL | SECRET_PRONE,
        description="the NAME of an environment variable in capitals, never a key itself; an empty "
        "text where the endpoint wants no key",
    ),
]


class _Decoding(Settings):
    temperature: float | None = Field(None, ge=0)
    top_p: float | None = Field(None, ge=0, le=1)
    max_tokens: int | None = Field(None, ge=1)
    seed: int | None = Field(None, ge=0)
    system_prompt: Text = None


class ChatSettings(_Decoding):
    """Settings of models behind a chat endpoint."""

    base_url: Address = OPENAI_BASE_URL
    api_key_env: EnvName = "OPENAI_API_KEY"
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    reasoning_effort: Text = Field(None, description="such as low, medium or high")
    extra_body: dict[str, Any] | None = Field(
        None,
        json_schema_extra=SECRET_PRONE,
        description="a table that is sent along as it is; never a key",
    )
    # json_schema and choice: the endpoint holds the model to the answers there are. auto:
    # json_schema where the endpoint takes it.
    answer_format: Literal["text", "auto", "json_schema", "choice"] | None = None
    top_logprobs: int | None = Field(None, ge=1, description="tokens to report; OpenAI: at most 20")
    context_window: Count = Field(None, description="tokens of prompt and answer together")
    tokenizer: Annotated[Text, Field(json_schema_extra=OPERATIONAL)] = Field(
        None, description="the folder or hub name of the tokenizer that counts long prompts"
    )
    timeout_s: Positive = 120.0
    max_retries: int = Field(6, ge=0, json_schema_extra=OPERATIONAL)
    usd_per_million_tokens_in: Dollars = None
    usd_per_million_tokens_cached: Dollars = None
    usd_per_million_tokens_out: Dollars = None


class EndpointSettings(ChatSettings):
    """Settings of models that are asked one request at a time."""

    concurrency: Count = 16
    requests_per_minute: Positive = None
    tokens_per_minute: Count = None
    deadline_s: Positive = 900.0


class _Anthropic(EndpointSettings):
    base_url: Address = "https://api.anthropic.com/v1"
    api_key_env: EnvName = "ANTHROPIC_API_KEY"


class _Google(EndpointSettings):
    base_url: Address = "https://generativelanguage.googleapis.com/v1beta/openai"
    api_key_env: EnvName = "GEMINI_API_KEY"


class _OpenRouter(EndpointSettings):
    base_url: Address = "https://openrouter.ai/api/v1"
    api_key_env: EnvName = "OPENROUTER_API_KEY"


class _Batch(ChatSettings):
    timeout_s: Positive = 600.0
    poll_s: Positive = 30.0
    max_batch_requests: Count = Field(50_000, description="OpenAI: at most 50,000")
    max_batch_bytes: int = Field(
        190_000_000, ge=1000, json_schema_extra=OPERATIONAL, description="OpenAI: at most 200 MB"
    )


class _Local(_Decoding):
    # label_scoring: the probability of every answer there is.
    mode: Literal["generate", "label_scoring"] = "generate"
    answer_prefix: Text = Field(
        None, description="the beginning of the answer before a label, such as '<score>\\n'"
    )
    revision: Text = Field("main", description="a branch, tag or commit of the hub")
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    quantization: Literal["none", "8bit", "4bit"] = "none"
    device: Annotated[Text, Field(json_schema_extra=OPERATIONAL)] = Field(
        "auto", description="cpu, cuda, cuda:N or auto"
    )
    use_chat_template: bool = True
    batch_size: int = Field(8, ge=1)
    remote_code: Literal["I trust this model's own code"] | None = Field(
        None, description="lets the code that comes with the model run on this machine"
    )


class _Replay(Settings):
    file: Text = Field(None, description="the path of a journal or of a score or verdict file")
    judge: Text = Field(None, description="the judge whose answers are played back")


def _rising(points: list[int]) -> list[int]:
    if not points or points[0] < 1 or any(low >= high for low, high in pairwise(points)):
        raise ValueError(
            "it must be a rising list of word counts, one fewer than the scale has points"
        )
    return points


class _Length(Settings):
    cut_points: Annotated[list[int], AfterValidator(_rising)] | None = Field(
        None, description="a rising list of word counts, one fewer than the scale has points"
    )


class _Seeded(Settings):
    seed: Seed = 1


class _CacheModel(Settings):
    cache_weight: float = Field(0.5, ge=0, le=1)
    vocabulary: int = Field(50_000, ge=1, description="words")


def _endpoint(settings: type[EndpointSettings], address_variable: str | None = None) -> Provider:
    family = Family("inference.judges.openai_chat.OpenAIJudge", settings=settings)
    return Provider((family,), "any model the endpoint serves", address_variable=address_variable)


def _preset_rules(
    judge: str, kind: str, *names: str, settings: type[Settings] = Settings
) -> Family:
    """Return a family of rules that exist by name alone."""
    path = f"inference.judges.{judge}"
    return Family(path, (kind,), settings, {name: {} for name in names}, other_names="")


_RULE = Provider(
    families=(
        Family(
            "inference.judges.rules.RuleJudge",
            ("speech", "answer"),
            _Length,
            {"length": {"cut_points": [75, 150, 300, 600]}},
            other_names="constant-[0-9]{1,4}",
        ),
        _preset_rules(
            "rules.DebateRuleJudge",
            "debate",
            "concluding-side",
            "longer-side",
            "majority",
            "random",
            settings=_Seeded,
        ),
        _preset_rules("rules.AcknowledgeJudge", "answer", "acknowledge"),
        _preset_rules("text_rules.TextRule", "likelihood", "cache-model", settings=_CacheModel),
        _preset_rules("text_rules.TextRule", "likelihood", "bleu", "rouge-l"),
        _preset_rules(
            "simulated.adjudicators.SpeakingOrderRule", "parliamentary", "speaking-order"
        ),
    ),
    models="length and constant-N (constant-3 always answers 3) for speeches and answers, "
    "concluding-side, longer-side, majority and random for debates, speaking-order for "
    "parliamentary debates, acknowledge for answers, and bleu, rouge-l and cache-model to compare "
    "answers with points of view",
    is_model=False,
    is_here=True,
)
_SIMULATED = Provider(
    simulated.FAMILIES,
    models="; ".join(
        f"{', '.join(family.presets)} ({' and '.join(family.kinds)})"
        for family in simulated.FAMILIES
    )
    + "; and any that judges.toml defines",
    is_model=False,
    is_here=True,
)
# A batch comes back whole and a recording is finished: neither can answer turn by turn.
_WITHOUT_TURNS = frozenset({"likelihood", "transcript"})

PROVIDERS: Mapping[str, Provider] = {
    "anthropic": _endpoint(_Anthropic),
    "batch": Provider(
        (Family("inference.judges.batch.judge.BatchJudge", settings=_Batch, lacks=_WITHOUT_TURNS),),
        models="any model the OpenAI Batch API serves",
        is_bulk=True,
    ),
    "google": _endpoint(_Google),
    "local": Provider(
        (
            Family(
                "inference.judges.local.LocalJudge",
                settings=_Local,
                lacks=frozenset(),
                evaluator="inference.judges.local_likelihood.LocalEvaluator",
                metrics=LOCAL_METRICS,
            ),
        ),
        models="any causal language model of the hub, or a folder (model = '/the/folder')",
        is_here=True,
    ),
    "openai": _endpoint(EndpointSettings, "OPENAI_BASE_URL"),
    "openrouter": _endpoint(_OpenRouter),
    "replay": Provider(
        (
            Family(
                "inference.judges.replay.ReplayJudge",
                settings=_Replay,
                # Written speeches are items already, and a recorded verdict is a first one.
                needs_entry=True,
                lacks=_WITHOUT_TURNS | {"writing", "pressure"},
            ),
        ),
        models="only those that judges.toml defines, with the setting file",
        is_model=False,
        is_here=True,
    ),
    "rule": _RULE,
    "simulated": _SIMULATED,
}
