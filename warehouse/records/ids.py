"""What ids look like. Without Pydantic: commands that only look need no more of the records."""

import re
import unicodedata

DATASET_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")
# The data sets that come with the project; no other has such a name.
SAMPLES = frozenset(
    {
        "sample",
        "sample-debate-log",
        "sample-debates",
        "sample-parliamentary",
        "sample-questions",
        "sample-stories",
    }
)
JUDGE_ID = re.compile(r"[a-z][a-z0-9-]*/[A-Za-z0-9._:/-]+")
RESERVED_PROVIDERS = ("human", "ensemble")


def split_judge_id(judge_id: str) -> tuple[str, str]:
    """Return the provider and the model of a judge's id; no model where it has no '/'."""
    provider, _, model = judge_id.partition("/")
    return provider, model


def why_no_judge(name: str) -> str | None:
    """Return what of a name breaks the rule for judges' ids; None where nothing does."""
    foreign = next((letter for letter in name if letter.isalpha() and not letter.isascii()), None)
    if foreign is not None:
        called = unicodedata.name(foreign, "of another script")
        return f"it has '{foreign}' ({called}), and only the letters from a to z can be in a name"
    provider, model = split_judge_id(name)
    if "/" not in name:
        return "it has no '/'"
    if JUDGE_ID.fullmatch(f"{provider}/model") is None:
        return f"the provider '{provider}' is not of small letters, digits and '-', a letter first"
    if JUDGE_ID.fullmatch(name) is None:
        return f"the model '{model}' is not of letters, digits and . _ : / -"
    return "it has '..' in it" if ".." in name else None
