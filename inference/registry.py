"""Judges: the rule for their ids, `judges.toml`, and each judge's settings.

A judge's entry in `judges.toml`:

    [judges."openai/gpt-4.1-mini"]
    family = "gpt-4.1"
    size_b_params = 8.0
    model = "gpt-4.1-mini"      # only where the endpoint's name differs from the id's
    kind = "debate"             # only where the settings fit several families of judges

    [judges."openai/gpt-4.1-mini".settings]
    temperature = 0.0

A judge id stands for one set of answers, so it has one settings hash; changed settings need a new
id. A judge that the file does not name has its provider's defaults.
"""

import difflib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inference.errors import BadSettings, UnknownJudge
from inference.providers import PROVIDERS
from inference.providers.base import Family, Provider, Settings, family_of, in_words
from inference.toml_text import toml_of
from warehouse.records.ids import RESERVED_PROVIDERS, split_judge_id, why_no_judge
from warehouse.records.problems import problem_of

# Suffixes of variables that hold keys. Shorter values are placeholders, and words of settings.
_KEY_VARIABLES = ("_API_KEY", "_KEY", "_TOKEN")
_SHORTEST_KEY = 8
_NO_KEYS = "keys for endpoints are never settings, they are read from the environment"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _JudgesFile(_Model):
    judges: dict[str, dict[str, Any]] = {}


class _Entry(_Model):
    model: str | None = Field(None, min_length=1)
    family: str | None = None
    size_b_params: float | None = None
    key_points: bool = False
    kind: str | None = None
    settings: dict[str, Any] = {}


@dataclass(frozen=True)
class JudgeSpec:
    """One judge, ready to be made.

    Attributes:
        judge_id: `provider/model`.
        provider: The first part of the id.
        settings: Every setting that has a value, defaults filled in. Never a key.
        settings_hash: Of the provider, the model and the settings that can change an answer; the
            same for any order of the settings. 16 hexadecimal digits.
        judge_family: The provider's family of judges that it belongs to.
    """

    judge_id: str
    provider: str
    model: str
    family: str | None
    size_b_params: float | None
    settings: dict[str, Any]
    settings_hash: str
    judge_family: Family

    @property
    def rules(self) -> Provider:
        """Its provider."""
        return PROVIDERS[self.provider]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of items it judges, such as `speech` and `debate`."""
        return self.judge_family.kinds


def check_judge_id(judge_id: str) -> tuple[str, str]:
    """Return the provider and the model name in a judge id.

    Raises:
        UnknownJudge: The id breaks the rule, is reserved, or its provider is not known.
    """
    provider, model = split_judge_id(judge_id)
    if provider in RESERVED_PROVIDERS:
        raise UnknownJudge(
            f"registry: '{judge_id}' is reserved: people are 'human' and sets of judges are "
            "'ensemble/NAME'; choose an id such as openai/gpt-4.1-mini"
        )
    if wrong := why_no_judge(judge_id):
        raise UnknownJudge(
            f"registry: '{judge_id}' is no judge id: {wrong}; expected provider/model, such as "
            "openai/gpt-4.1-mini"
        )
    if provider not in PROVIDERS:
        raise UnknownJudge(
            f"registry: judge '{judge_id}' names the provider '{provider}'; known are "
            f"{', '.join(sorted(PROVIDERS))} (openai also serves any OpenAI-compatible endpoint: "
            "set base_url)"
        )
    return provider, model


def spec_for(
    judge_id: str, judges_file: Path | None, environ: Mapping[str, str] | None = None
) -> JudgeSpec:
    """Return a judge by its id: as `judges.toml` has it, else with its provider's defaults.

    Args:
        judges_file: The `judges.toml` to read; one that does not exist has no entries.
        environ: The environment; `OPENAI_BASE_URL` stands in where a judge has no `base_url`.

    Raises:
        UnknownJudge: No such judge can exist.
        BadSettings: The file is wrong.
    """
    entry = _entries(judges_file).get(judge_id)
    return _spec(judge_id, entry or {}, environ, is_in_file=entry is not None)


def system_turn(spec: JudgeSpec, wanted: str | None) -> str | None:
    """Return the system turn of a request: the judge's own text, then the experiment's."""
    texts = [text for text in (spec.settings.get("system_prompt"), wanted) if text is not None]
    return "\n\n".join(texts) if texts else None


def load_judges(judges_file: Path, environ: Mapping[str, str] | None = None) -> list[JudgeSpec]:
    """Return every judge in `judges.toml`, sorted by id. No file means no judges."""
    entries = _entries(judges_file)
    return [_spec(each, entries[each], environ, is_in_file=True) for each in sorted(entries)]


def key_point_model(judges_file: Path | None) -> str | None:
    """Return the model with `key_points = true` in `judges.toml`; None without one.

    Raises:
        BadSettings: The file is wrong, or several entries have it.
    """
    entries = {name: _entry(name, entry) for name, entry in _entries(judges_file).items()}
    marked = sorted(name for name, entry in entries.items() if entry.key_points)
    if len(marked) > 1:
        raise BadSettings(
            f"registry: {judges_file} has key_points = true for {' and '.join(marked)}; leave it "
            "with one of them"
        )
    return marked[0] if marked else None


def add_judge_text(
    text: str,
    judge_id: str,
    settings: Mapping[str, Any],
    *,
    model: str | None = None,
    family: str | None = None,
    size_b_params: float | None = None,
    kind: str | None = None,
) -> str:
    """Return the text of `judges.toml` with one more judge; what was there stays as it was.

    An entry that exists is completed by what cannot change its answers, such as its family.

    Args:
        settings: Only what differs from its provider's defaults.
        model: The provider's name for it, where the id has another.
        kind: The kind of items it judges, where its settings fit several families of judges.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: A setting is wrong, or the id is there with settings for other answers.
    """
    present = _parsed(text, "judges.toml").get(judge_id)
    about = {"model": model, "family": family, "size_b_params": size_b_params}
    about["kind"] = kind or (present or {}).get("kind")
    entry: dict[str, Any] = {key: value for key, value in about.items() if value is not None}
    if settings:
        entry["settings"] = dict(settings)
    # A name that no preset has is misspelt, unless settings define a judge.
    spec = _spec(judge_id, entry, {}, is_in_file=present is not None or "settings" in entry)
    _refuse_keys(judge_id, entry, None)
    wanted = dict(entry)
    if present is not None:
        if _spec(judge_id, present, {}, is_in_file=True).settings_hash != spec.settings_hash:
            raise BadSettings(
                f"registry: judges.toml has '{judge_id}' with other settings; answers of both "
                f"would be pooled; choose a new id, such as {judge_id}-2"
            )
        wanted = present | entry
        if merged := present.get("settings", {}) | dict(settings):
            wanted["settings"] = merged
        if wanted == present:
            return text
    # Imported by those that add a judge alone.
    import tomlkit

    document = tomlkit.parse(text)
    judges: Any = document.setdefault("judges", tomlkit.table(is_super_table=True))
    table = judges.setdefault(judge_id, tomlkit.table())
    table.update({key: value for key, value in entry.items() if key != "settings"})
    if settings:
        table.setdefault("settings", tomlkit.table()).update(dict(sorted(settings.items())))
    changed = tomlkit.dumps(document)
    if toml_of(changed)["judges"][judge_id] != wanted:
        raise BadSettings(
            f"registry: judges.toml has '{judge_id}' in a form that cannot be added to; write it "
            f'as [judges."{judge_id}"] with a line for each key'
        )
    return changed


def _entries(judges_file: Path | None) -> dict[str, dict[str, Any]]:
    if judges_file is None or not judges_file.is_file():
        return {}
    try:
        text = judges_file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadSettings(f"registry: {judges_file} is not UTF-8 text: {error.reason}") from None
    return _parsed(text, str(judges_file))


def _parsed(text: str, where: str) -> dict[str, dict[str, Any]]:
    try:
        return _JudgesFile.model_validate(toml_of(text)).judges
    except ValidationError as error:
        tables = 'expected only tables of the form [judges."provider/model"]'
        raise BadSettings(problem_of(error, f"registry: {where}", tables)) from None
    except ValueError as error:
        raise BadSettings(f"registry: {where} is not valid TOML: {error}") from None


def _entry(judge_id: str, entry: Mapping[str, Any]) -> _Entry:
    try:
        return _Entry.model_validate(entry)
    except ValidationError as error:
        who = f"registry: judge '{judge_id}'"
        raise BadSettings(problem_of(error, who, model=_Entry)) from None


def _spec(
    judge_id: str,
    table: Mapping[str, Any],
    environ: Mapping[str, str] | None,
    *,
    is_in_file: bool,
) -> JudgeSpec:
    provider, name = check_judge_id(judge_id)
    rules, who, entry = PROVIDERS[provider], f"judge '{judge_id}'", _entry(judge_id, table)
    model = entry.model or name
    candidates = rules.candidates(model, is_in_file=is_in_file)
    if not candidates:
        close = difflib.get_close_matches(model, rules.presets, n=1)
        closest = f" (the closest is {provider}/{close[0]})" if close else ""
        raise UnknownJudge(
            f"registry: {who}: provider '{provider}' has no model '{model}'{closest}; it has "
            f"{rules.models}"
        )
    family = family_of(who, candidates, entry.kind, entry.settings)
    settings = {**family.settings.defaults(), **family.presets.get(model, {})}
    variable = rules.address_variable
    if variable and (address := (os.environ if environ is None else environ).get(variable)):
        settings["base_url"] = address
        _check_settings(f"environment variable {variable}", family.settings, settings)
    settings.update(entry.settings)
    owner = f"{who}, which judges {in_words(family.kinds)}" if len(rules.families) > 1 else who
    _check_settings(owner, family.settings, settings)
    _refuse_keys(judge_id, {"model": model, "family": entry.family, **settings}, environ)
    if "base_url" in settings:
        settings["base_url"] = settings["base_url"].rstrip("/")
    identity = {
        # 1 and 1.0 ask for the same thing.
        name: float(value) if type(value) is int else value
        for name, value in settings.items()
        if family.settings.metadata(name).get("changes_answers", True)
    }
    canonical = json.dumps([provider, model, identity], sort_keys=True)
    return JudgeSpec(
        judge_id=judge_id,
        provider=provider,
        model=model,
        family=entry.family,
        size_b_params=entry.size_b_params,
        settings=settings,
        settings_hash=hashlib.sha256(canonical.encode()).hexdigest()[:16],
        judge_family=family,
    )


def _check_settings(owner: str, model: type[Settings], settings: Mapping[str, Any]) -> None:
    """Validate settings; the values stay as they are written, since requests are known by them."""
    try:
        model.model_validate(settings)
    except ValidationError as error:
        name = str(error.errors(include_url=False)[0]["loc"][0])
        field = model.model_fields.get(name)
        if field is not None and model.metadata(name).get("is_secret_prone"):
            raise BadSettings(f"registry: {owner}: {name} must be {field.description}") from None
        who = f"registry: {owner}, settings"
        raise BadSettings(problem_of(error, who, "" if field else _NO_KEYS, model)) from None


def key_variables(judges: Iterable[JudgeSpec], names: Iterable[str]) -> list[str]:
    """Return the environment variables that hold keys for runs alone.

    Credentials of the store and the database, such as `AWS_SECRET_ACCESS_KEY`, are not among them.
    """
    named = {"HF_TOKEN"} | {spec.settings.get("api_key_env") for spec in judges}
    return [name for name in names if name in named or name.endswith("_API_KEY")]


def _refuse_keys(
    judge_id: str, entry: Mapping[str, Any], environ: Mapping[str, str] | None
) -> None:
    """Refuse a key among what is stored, shown and sent on: the value of a variable for keys."""
    for variable, key in (os.environ if environ is None else environ).items():
        if not variable.endswith(_KEY_VARIABLES) or len(key.strip()) < _SHORTEST_KEY:
            continue
        for name, value in {"id": judge_id, **entry}.items():
            if any(key.strip() in text for text in _texts(value)):
                # Not even the id, which may be the key.
                raise BadSettings(
                    f"registry: the key in the environment variable {variable} stands in the "
                    f"{name} of a judge; settings are stored and shown, keys never are: take it "
                    "out, and name the variable with the setting api_key_env"
                )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
