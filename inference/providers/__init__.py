"""The providers of judges: which settings each knows, its defaults, which models it has.

A provider that is added later adds one entry to `PROVIDERS` and, unless its judges are of a class
that is there, one file in `judges/`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from inference.kinds import KIND
from inference.providers import simulated
from inference.providers.rules import Family, Provider, Setting
from inference.questions.answers import LOCAL_METRICS
from inference.value_rules import (
    is_env_name,
    is_flag,
    is_table,
    is_text,
    is_url,
    number,
    one_of,
    rising,
    whole,
)

OPENAI_BASE_URL = "https://api.openai.com/v1"
# The one sentence that lets a model's own code run. Asked for in words, so that nobody says it by
# setting a flag to true.
REMOTE_CODE = "I trust this model's own code"

_CONSTANT = re.compile(r"constant-[0-9]{1,4}")


def in_words(kinds: tuple[str, ...]) -> str:
    """Return kinds of items for a sentence: a speech or an answer."""
    return " or ".join(KIND[kind].words for kind in kinds)


def _family(
    kinds: tuple[str, ...], defaults: Mapping[str, Any], models: Iterable[str], judge: str
) -> Family:
    """Return a family whose settings all have a default."""
    named = f"inference.judges.{judge}"
    return Family(kinds, frozenset(defaults), defaults, frozenset(models), named)


_SEED = Setting(whole(0), "a whole number, 0 or more")
_DEBATE_RULES = ("concluding-side", "longer-side", "majority", "random")
_CACHE_MODEL = {"cache_weight": 0.5, "vocabulary": 50_000}
_RULE = Provider(
    settings={
        "cut_points": Setting(
            rising, "a rising list of word counts, one fewer than the scale has points"
        ),
        "seed": _SEED,
        "cache_weight": Setting(number(0, 1), "a share from 0 to 1"),
        "vocabulary": Setting(whole(1), "how many words there are, 1 or more"),
    },
    defaults={},
    presets={
        "length": {"cut_points": [75, 150, 300, 600]},
        **{name: {} for name in (*_DEBATE_RULES, "acknowledge", "bleu", "cache-model", "rouge-l")},
        "speaking-order": {},
    },
    accepts=lambda model, _: _CONSTANT.fullmatch(model) is not None,
    models="length and constant-N (constant-3 always answers 3) for speeches and answers, "
    "concluding-side, longer-side, majority and random for debates, speaking-order for "
    "parliamentary debates, acknowledge for answers, and bleu, rouge-l and cache-model to compare "
    "answers with points of view",
    is_model=False,
    is_here=True,
    families=(
        Family(
            ("speech", "answer"),
            frozenset({"cut_points"}),
            {},
            judge="inference.judges.rules.RuleJudge",
        ),
        _family(("debate",), {"seed": 1}, _DEBATE_RULES, "debate_rules.DebateRuleJudge"),
        _family(("answer",), {}, ("acknowledge",), "rules.AcknowledgeJudge"),
        _family(("likelihood",), _CACHE_MODEL, ("cache-model",), "text_rules.TextRule"),
        _family(("likelihood",), {}, ("bleu", "rouge-l"), "text_rules.TextRule"),
        _family(
            ("parliamentary",),
            {},
            ("speaking-order",),
            "simulated.adjudicators.SpeakingOrderRule",
        ),
    ),
)

_LOG_ODDS = Setting(number(), "a number of log-odds")
_SHARE = Setting(number(0, 1), "a share from 0 to 1")
_SIMULATED = Provider(
    settings={
        "slope": Setting(number(), "a number"),
        "shift": Setting(number(), "a number of scale points"),
        "noise_sd": Setting(number(0), "a number of scale points, 0 or more"),
        "failure_rate": _SHARE,
        "seed": _SEED,
        "justification": Setting(is_flag, "true or false"),
        "ability": _LOG_ODDS,
        "position": _LOG_ODDS,
        "label": _LOG_ODDS,
        "order": _LOG_ODDS,
        "stance": _LOG_ODDS,
        "length": Setting(number(), "a number of log-odds per doubling of the words"),
        "debate_sd": Setting(number(0), "a number of log-odds, 0 or more"),
        "probabilities": Setting(is_flag, "true or false"),
        "pliability": _SHARE,
        "by_reason": _SHARE,
        "by_flattery": _SHARE,
        "by_authority": _SHARE,
        "by_argument": _SHARE,
        "discernment": _SHARE,
        "wavering": _SHARE,
        "viewpoints": Setting(number(0), "a number of points of view, 0 or more"),
        "viewpoints_sd": Setting(number(0), "a number of points of view, 0 or more"),
        "prompt_gain": Setting(number(), "a number of points of view"),
        "retrieval_gain": Setting(number(), "a number of points of view"),
        "acknowledgement": _SHARE,
        "detail": Setting(whole(0), "sentences to explain each point of view, 0 or more"),
        "padding": Setting(whole(0), "sentences that say nothing, 0 or more"),
        "hit_rate": _SHARE,
        "false_alarm_rate": _SHARE,
        "opening": Setting(number(), "a number of points of the opening half over the closing one"),
        "government": Setting(number(), "a number of points of the government over the opposition"),
        "late": Setting(number(), "a number of points per place in speaking order"),
        "words": Setting(number(), "a number of points per 100 words"),
        "named": Setting(number(), "a number of points of the house named first over the last"),
        "coherence": _SHARE,
        "arguments": Setting(number(0), "a number of arguments, 0 or more"),
        "verified": _SHARE,
        "truth": Setting(number(), "a number of arguments of the right side over the wrong one"),
        "concession_rate": _SHARE,
        "naive": Setting(number(0), "a strength of evidence in log-odds, 0 or more"),
        "expertise": Setting(number(0), "a strength of evidence in log-odds, 0 or more"),
        "wordiness": Setting(number(), "a number of log-odds per doubling of the words"),
        "first_shown": _LOG_ODDS,
        "insight": Setting(number(0), "a strength of evidence in log-odds per round, 0 or more"),
        "per_verified": Setting(number(), "a number of log-odds per verified quote"),
        "per_unverified": Setting(number(), "a number of log-odds per unverified quote"),
        "moves": Setting(number(0), "a number of moves of an opening speech, from 0 to 4"),
        "moves_sd": Setting(number(0), "a number of moves, 0 or more"),
        "speech_words": Setting(whole(50), "a number of words, 50 or more"),
        "headings": Setting(is_flag, "true or false"),
        "untagged_rate": _SHARE,
    },
    defaults=simulated.OF_SPEECHES,
    presets=simulated.PRESETS,
    accepts=lambda _, is_named: is_named,
    models="faithful, harsh, noisy, careless and coin for speeches, fair, second-position, "
    "second-label, closing-side, long-winded, stance and undecided for debates, even-handed, "
    "one-sided, brief, padded and reluctant to answer questions, attentive, credulous and "
    "inattentive to judge answers, chair, opening-house, wing and flat for parliamentary debates, "
    "debater-strong, debater-weak, debater-conceding and debater-misquoting to debate, "
    "oversight-calibrated, oversight-credulous, oversight-verbose and oversight-first for stories, "
    "speaker-skilled, speaker-plain, speaker-long-winded and speaker-reluctant to write speeches, "
    "and any that judges.toml defines",
    is_model=False,
    is_here=True,
    families=(
        _family(("speech",), simulated.OF_SPEECHES, (), "simulated.scores.SimulatedJudge"),
        Family(
            ("debate", "pressure"),
            frozenset({*simulated.OF_DEBATES, *simulated.UNDER_PRESSURE}),
            simulated.OF_DEBATES,
            judge="inference.judges.simulated.debates.SimulatedDebateJudge",
        ),
        _family(
            ("question",),
            simulated.OF_QUESTIONS,
            simulated.ANSWERERS,
            "simulated.answers.SimulatedAnswerer",
        ),
        _family(
            ("answer",),
            simulated.OF_ANSWERS,
            simulated.READERS,
            "simulated.answers.SimulatedReader",
        ),
        _family(
            ("parliamentary",),
            simulated.OF_ADJUDICATIONS,
            simulated.ADJUDICATORS,
            "simulated.adjudicators.SimulatedAdjudicator",
        ),
        _family(
            ("transcript",),
            simulated.OF_TRANSCRIPTS,
            simulated.DEBATERS,
            "simulated.debaters.SimulatedDebater",
        ),
        _family(
            ("reading", "oversight"),
            simulated.OF_JUDGEMENTS,
            simulated.OVERSEERS,
            "simulated.oversight.SimulatedOversightJudge",
        ),
        _family(
            ("writing",),
            simulated.OF_WRITING,
            simulated.SPEAKERS,
            "simulated.speakers.SimulatedSpeaker",
        ),
    ),
)

_DECODING = {
    "temperature": Setting(number(0), "a number, 0 or more"),
    "top_p": Setting(number(0, 1), "a number from 0 to 1"),
    "max_tokens": Setting(whole(1), "a whole number, 1 or more"),
    "seed": Setting(whole(0), "a whole number, 0 or more"),
    "system_prompt": Setting(is_text, "a text"),
}
_PRICES = {
    name: Setting(number(0), "a price in dollars", changes_answers=False)
    for name in (
        "usd_per_million_tokens_in",
        "usd_per_million_tokens_cached",
        "usd_per_million_tokens_out",
    )
}
# What decides a chat request's answer, and where it is sent.
_CHAT = {
    **_DECODING,
    **_PRICES,
    "base_url": Setting(
        is_url,
        "an address that begins with http:// or https:// and holds no user name, password or query",
        is_secret_prone=True,
    ),
    "api_key_env": Setting(
        is_env_name,
        "the NAME of an environment variable in capitals, never a key itself; an empty text "
        "where the endpoint wants no key",
        changes_answers=False,
        is_secret_prone=True,
    ),
    "presence_penalty": Setting(number(-2, 2), "a number from -2 to 2"),
    "reasoning_effort": Setting(is_text, "a text such as low, medium or high"),
    "extra_body": Setting(
        is_table, "a table that is sent along as it is; never a key", is_secret_prone=True
    ),
    "answer_format": Setting(
        one_of("text", "auto", "json_schema", "choice"),
        "text (the prompt alone says how to answer), json_schema or choice (the endpoint holds the "
        "judge to the answers there are), or auto (json_schema where the endpoint takes it)",
    ),
    "top_logprobs": Setting(
        whole(1), "how many of the likeliest tokens to report, 1 or more (OpenAI: 20 at most)"
    ),
    "context_window": Setting(
        whole(1), "the most tokens of prompt and answer together", changes_answers=False
    ),
    "tokenizer": Setting(
        is_text,
        "the folder or the hub's name of the model's tokenizer, by which long prompts are counted",
        changes_answers=False,
    ),
    "timeout_s": Setting(number(0.001), "a number of seconds", changes_answers=False),
    "max_retries": Setting(whole(0), "a whole number, 0 or more", changes_answers=False),
}
_PACE = {
    "concurrency": Setting(whole(1), "a whole number, 1 or more", changes_answers=False),
    "requests_per_minute": Setting(number(0.001), "a number above 0", changes_answers=False),
    "tokens_per_minute": Setting(whole(1), "a whole number, 1 or more", changes_answers=False),
    "deadline_s": Setting(number(0.001), "a number of seconds", changes_answers=False),
}
_PACE_DEFAULTS = {"concurrency": 16, "timeout_s": 120.0, "deadline_s": 900.0, "max_retries": 6}


def _endpoint(base_url: str, api_key_env: str, address_variable: str | None = None) -> Provider:
    return Provider(
        judge="inference.judges.openai_chat.OpenAIJudge",
        address_variable=address_variable,
        settings={**_CHAT, **_PACE},
        defaults={"base_url": base_url, "api_key_env": api_key_env, **_PACE_DEFAULTS},
        models="any model the endpoint serves",
    )


# A batch comes back whole and a recording is one: neither can answer turn by turn.
_WITHOUT_TURNS = frozenset({"likelihood", "transcript"})

_BATCH = Provider(
    settings={
        **_CHAT,
        "poll_s": Setting(number(0.001), "a number of seconds", changes_answers=False),
        "max_batch_requests": Setting(
            whole(1), "a whole number, 1 or more (OpenAI: 50,000 at most)", changes_answers=False
        ),
        "max_batch_bytes": Setting(
            whole(1000), "a whole number of bytes (OpenAI: 200 MB at most)", changes_answers=False
        ),
    },
    defaults={
        "base_url": OPENAI_BASE_URL,
        "api_key_env": "OPENAI_API_KEY",
        "timeout_s": 600.0,
        "max_retries": 6,
        "poll_s": 30.0,
        "max_batch_requests": 50_000,
        "max_batch_bytes": 190_000_000,
    },
    models="any model the OpenAI Batch API serves",
    judge="inference.judges.batch.judge.BatchJudge",
    is_bulk=True,
    lacks=_WITHOUT_TURNS,
)

_LOCAL = Provider(
    settings={
        **_DECODING,
        "mode": Setting(
            one_of("generate", "label_scoring"),
            "generate (the model writes an answer) or label_scoring (the probability of every "
            "answer there is)",
        ),
        "answer_prefix": Setting(
            is_text, "what the answer begins with before a label is scored, such as '<score>\\n'"
        ),
        "revision": Setting(is_text, "a branch, tag or commit of the hub"),
        "dtype": Setting(one_of("float32", "bfloat16", "float16"), "float32, bfloat16 or float16"),
        "quantization": Setting(one_of("none", "8bit", "4bit"), "none, 8bit or 4bit"),
        "device": Setting(is_text, "cpu, cuda, cuda:N or auto", changes_answers=False),
        "use_chat_template": Setting(
            is_flag, "true or false; a model without a chat template has none to use"
        ),
        "batch_size": Setting(whole(1), "a whole number, 1 or more"),
        "remote_code": Setting(
            one_of(REMOTE_CODE),
            f"the words '{REMOTE_CODE}', and then the code that comes with it runs on this machine",
        ),
    },
    defaults={
        "mode": "generate",
        "revision": "main",
        "dtype": "float32",
        "quantization": "none",
        "device": "auto",
        "use_chat_template": True,
        "batch_size": 8,
    },
    models="any causal language model of the hub, or a folder (model = '/the/folder')",
    judge="inference.judges.local.LocalJudge",
    evaluator="inference.judges.local_likelihood.LocalEvaluator",
    metrics=LOCAL_METRICS,
    is_here=True,
    lacks=frozenset(),
)

_REPLAY = Provider(
    settings={
        "file": Setting(is_text, "the path of a journal or of a score or verdict file"),
        "judge": Setting(is_text, "the id of the judge whose answers are played back"),
    },
    defaults={},
    accepts=lambda _model, is_named: is_named,
    models="only those that judges.toml defines, with the setting file",
    judge="inference.judges.replay.ReplayJudge",
    is_model=False,
    is_here=True,
    # Its speeches are items already, and a recorded verdict is a first one.
    lacks=_WITHOUT_TURNS | {"writing", "pressure"},
)

PROVIDERS: Mapping[str, Provider] = {
    "anthropic": _endpoint("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "batch": _BATCH,
    "google": _endpoint(
        "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"
    ),
    "local": _LOCAL,
    "openai": _endpoint(OPENAI_BASE_URL, "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openrouter": _endpoint("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "replay": _REPLAY,
    "rule": _RULE,
    "simulated": _SIMULATED,
}
