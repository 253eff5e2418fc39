"""What other tools call a judge, as `provider/model`."""

import re

# promptfoo: openai:chat:gpt-4.1-mini, anthropic:messages:claude-...
_PROMPTFOO = re.compile(r"([a-z][a-z0-9-]*):(?:chat|completion|messages|responses):([^/].*)")
# MLflow: openai:/gpt-4.1-mini
_MLFLOW = re.compile(r"([a-z][a-z0-9-]*):/([^/].*)")
# Models that only one company serves under that name.
_OWN_NAMES = (("gpt-", "openai"), ("claude-", "anthropic"))
_LM_EVAL = {
    "hf": "local",
    "hf-auto": "local",
    "huggingface": "local",
    "hf-multimodal": "local",
    "vllm": "local",
    "openai-completions": "openai",
    "openai-chat-completions": "openai",
    "local-completions": "openai",
    "local-chat-completions": "openai",
    "anthropic-completions": "anthropic",
    "anthropic-chat": "anthropic",
    "anthropic-chat-completions": "anthropic",
}


def as_slash_form(name: str) -> str:
    """Return a judge's name as `provider/model`, where it is written as promptfoo or MLflow do.

    Args:
        name: The name; returned as it is in any other form.
    """
    for form in (_PROMPTFOO, _MLFLOW):
        if found := form.fullmatch(name):
            return f"{found[1]}/{found[2]}"
    return name


def with_provider(model: str) -> str:
    """Return `provider/model` for a model named alone, where the name itself says whose it is.

    Args:
        model: The name; returned as it is where it does not say.
    """
    if "/" in model:
        return model
    owner = next((owner for start, owner in _OWN_NAMES if model.startswith(start)), None)
    return f"{owner}/{model}" if owner else model


def lm_eval_judge(source: str, model: str) -> str:
    """Return the judge of an lm-eval run.

    Args:
        source: Its `model_source`, the kind of model that lm-eval drove.
        model: Its `model_name`.
    """
    return f"{_LM_EVAL.get(source, source)}/{model}"
