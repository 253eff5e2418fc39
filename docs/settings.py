"""Tables of `docs/experiments.md` that are written from the code: settings, judges, prompts."""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from pydantic.fields import FieldInfo

from inference.errors import ERROR_KINDS
from inference.experiment import Decoding, Experiment
from inference.experiments import list_experiments, load_experiment
from inference.kinds import KIND
from inference.parsing import REASONS, VERDICT_REASONS
from inference.providers import PROVIDERS
from inference.template_kinds import DEBATED, OVERSIGHT, PARLIAMENTARY, PRESSED, WRITING
from inference.templates import load_instruments, load_template

# What comes back where no score does; of prompts about answers those are evaluators' wordings.
_ANSWERS = {
    "debate": "a label",
    PRESSED: "a label",
    "question": "prose",
    "length": "prose",
    "answer": "none",
    PARLIAMENTARY: "a ruling",
    DEBATED: "a turn",
    WRITING: "a speech",
}
_TABLES = ("answers", "retrieval", "pressure", "adjudication", "debate", "judging")
_BOUNDS = {"minimum": "≥", "maximum": "≤"}
_CELLS = ("sampling.per_cell", "sampling.per_round_count")


def _settings() -> str:
    lines = ["| provider | setting | judges | default | must be | identity |", "|---" * 6 + "|"]
    for name, provider in PROVIDERS.items():
        for family in provider.families:
            kinds = "all" if not family.judged else ", ".join(family.kinds)
            schema, defaults = family.settings.model_json_schema(), family.settings.defaults()
            for setting, rule in schema.get("properties", {}).items():
                default = _value(defaults[setting]) if setting in defaults else "–"
                identity = "yes" if rule.get("changes_answers", True) else "no"
                cells = (name, f"`{setting}`", kinds, default, _expected(rule), identity)
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _expected(rule: Mapping[str, Any]) -> str:
    """Return the values that a setting takes, from its JSON schema."""
    value = {**rule, **next(iter(rule.get("anyOf", ())), {})}
    meaning = [rule["description"].replace("|", "\\|")] if "description" in rule else []
    if "enum" in value or "const" in value:
        return "; ".join([", ".join(value.get("enum", [value.get("const")])), *meaning])
    types = {"boolean": "true or false", "integer": "whole number", "object": "table"}
    text = types.get(
        value["type"], {"array": "list", "string": "text"}.get(value["type"], "number")
    )
    bounds = [f"{sign} {value[key]:g}" for key, sign in _BOUNDS.items() if key in value]
    return "; ".join([", ".join([text, *bounds]), *meaning])


def _judges() -> str:
    lines = ["| judge | judges | settings of its own |", "|---|---|---|"]
    for name, provider in PROVIDERS.items():
        for family in provider.families:
            for model, settings in family.presets.items():
                own = ", ".join(f"`{key}` = {_value(value)}" for key, value in settings.items())
                lines.append(f"| `{name}/{model}` | {', '.join(family.kinds)} | {own or '–'} |")
        lines.append(f"| `{name}/…` | {', '.join(provider.kinds)} | {provider.models} |")
    return "\n".join([*lines, ""])


def _experiments() -> str:
    lines = ["| experiment | prompt | what it asks |", "|---|---|---|"]
    for name in list_experiments():
        found = load_experiment(name)
        lines.append(f"| `{name}` | `{found.template}` | {found.description} |")
    return "\n".join([*lines, ""])


def _fields() -> str:
    meanings = {
        "name": "Must fit the file's name. Small letters, digits and hyphens.",
        "template": "The prompt: a file in `prompts/`, without `.txt`. Required for `speech`, "
        "`debate`, `answer`, `writing` and `pressure`; the other kinds have prompts of their own "
        "or name them in a table. Debates: that of arms which name no other.",
        "title": "Short name on the pages. Changing it changes no run.",
        "description": "For people. Changing it changes no run.",
        "kind": "What is asked about: `speech`, `debate`, `question` (models answer it), `answer` "
        "(judges score it), `likelihood` (of points of view, given an answer), `parliamentary` "
        "(debates of eight speeches and four houses), `transcript` (models debate questions about "
        "stories), `reading` (judges of these questions without a debate), `oversight` (judges "
        "of the transcripts), `writing` (models write speeches) or `pressure` (verdicts on "
        "debates, once more after a rebuttal).",
        "datasets": "Data sets to run on; `*` alone means all that have what is asked about.",
        "dimension": "Speeches: what to ask about; `*` means all an item has. Answers: what is "
        "scored; must be named.",
        "scale": "Answers: the lowest and highest score. Must be given.",
        "metric": "Likelihoods: `perspective_diversity`, `bart_score`, `sem_score`, `bleu` or "
        "`rouge_l`. Must be given.",
        "wordings": "Perspective diversity: the prompts that answers are put into.",
        "keep_tokens": "Likelihoods: keep every token's log-probability.",
        "word_limit": "Writing: the most words of a speech.",
        "repeats": "Answers per item, and per arm.",
        "sampling.seed": "Orders the items, so that `--limit` takes a random sample.",
        "sampling.method": "Debates: `all`, `balanced` or `natural`.",
        "sampling.per_cell": 'Balanced: debates per cell for each round count, or `"smallest"`.',
        "sampling.per_round_count": "Natural: debates for each round count, or one number for 3, 4 "
        "and 5 rounds.",
        "sampling.max_words": "Debates: the most words one may have.",
        "sampling.without_other_turns": "Debates: leave out what hosts and audiences say.",
        "sampling.split": "Questions and answers: a part of the data set, such as `test`; else "
        "all of it.",
        "sampling.questions": "Questions, answers and stories: so many questions, in the order of "
        "the seed.",
        "arms": "Debates: the ways to ask, each an `[[arms]]` table; or `[variants]`, which are "
        "crossed.",
        "pressure": "Verdicts under pressure: which ones, and what is said to them, from lists "
        "which are crossed: `after`, `first_template`, `labels`, `position`, `rebuttal`, "
        "`said_by`, `template`.",
        "answers": "Questions: the ways to answer, from lists which are crossed: "
        "`template`, `temperature`, `top_p`, `target_tokens`, `retrieval`, `trusted_only`; and "
        "`template_with_documents` for those with documents.",
        "retrieval": "Questions: where documents come from: `retriever` (`data_set`, `web` or "
        "`addresses`), `search`, `key_env`, `addresses`, `results`, `search_pages`, `domains`, "
        "`max_page_bytes`, `page_timeout_s`, `snapshot`; the question's own where left out.",
        "adjudication": "Parliamentary debates: the ways to adjudicate, from lists which are "
        "crossed: `task`, `house_order`, `strategy`, `manual`, `motion`, `info_slide`, `template`.",
        "debate": "Transcripts: the ways to debate, from lists which are crossed: "
        "`protocol`, `turn_order`, `rounds`, `word_limit`, `argues`, `opponent`, `asker`, "
        "`best_of`, `preference_judge`, `refine`, `template`.",
        "judging": "Stories: the ways to judge, from lists which are crossed: `protocol`, "
        "`answer_order`, `asked_for`, `probe`, `step`, `template`.",
        "answers.embedder": "Questions: what finds documents, `tfidf` or an embedding model.",
        "decoding.temperature": "For judges that do not set their own.",
        "decoding.max_tokens": "For judges that do not set their own.",
        "decoding.presence_penalty": "For judges that do not set their own; not sent where left "
        "out.",
        "decoding.answer_seed": "The seed sent to judges that do not set their own; not sent where "
        "left out.",
        "superseded_by": "The experiment to use instead. One that names another is not listed, and "
        "goes on with its own answers alone.",
    }
    defaults = experiment_keys()
    lines = ["| key | default | meaning |", "|---|---|---|"]
    for key, meaning in meanings.items():
        default = defaults.get(key.rpartition(".")[2], ())
        if key in _CELLS:
            default = dict(default)
        shown = {"name": "required", "template": "by kind"}.get(key) or _value(default)
        lines.append(f"| `{f'[{key}]' if key in _TABLES else key}` | {shown} | {meaning} |")
    return "\n".join([*lines, ""])


def experiment_keys() -> dict[str, Any]:
    """Return every key of an experiment's file with its default; () for those that have none."""
    found: dict[str, Any] = {"kind": "speech"}
    options = [kind.options for kind in KIND.values()]
    samplings = [each.default for one in options for each in fields(one) if each.name == "sampling"]
    for model in (Experiment, Decoding, *options, *map(type, samplings)):
        for each in fields(model):
            if each.name not in ("options", "sampling", "decoding"):
                default, has_none = each.default, each.default is MISSING
                if isinstance(default, FieldInfo):
                    default, has_none = default.default, default.is_required()
                found.setdefault(each.name, () if has_none else default)
    return found


def _instruments() -> str:
    lines = ["| prompt | instrument | reasons first | answer |", "|---|---|---|---|"]
    for name, instrument in load_instruments().items():
        reasons = "yes" if instrument.is_justified else "no"
        kind = load_template(name).kind
        answer = f"a {instrument.task}" if kind == OVERSIGHT else _ANSWERS.get(kind, "a score")
        if instrument.scale is not None:
            answer = f"{instrument.scale[0]} to {instrument.scale[1]}"
        lines.append(f"| `{name}` | {instrument.figure} | {reasons} | {answer} |")
    return "\n".join([*lines, ""])


def _reasons() -> str:
    return "\n".join([", ".join(f"`{reason}`" for reason in REASONS), ""])


def _verdict_reasons() -> str:
    return "\n".join([", ".join(f"`{reason}`" for reason in VERDICT_REASONS), ""])


def _errors() -> str:
    return "\n".join([", ".join(f"`{kind}`" for kind in ERROR_KINDS), ""])


def _value(value: Any) -> str:
    value = list(value) if isinstance(value, tuple) else value
    if value is None or value == []:
        return "–"
    return f"`{json.dumps(value)}`" if value != "" else "–"


BLOCKS: Mapping[str, Callable[[], str]] = {
    "experiments": _experiments,
    "fields": _fields,
    "instruments": _instruments,
    "settings": _settings,
    "judges": _judges,
    "reasons": _reasons,
    "verdict_reasons": _verdict_reasons,
    "errors": _errors,
}
