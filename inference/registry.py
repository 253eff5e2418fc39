"""Which judges exist: the rule for their ids, `judges.toml`, and each judge's settings.

A judge's entry in `judges.toml`:

    [judges."openai/gpt-4.1-mini"]
    family = "gpt-4.1"
    size_b_params = 8.0
    model = "gpt-4.1-mini"      # only where the endpoint's name differs from the id's

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inference.errors import BadSettings, UnknownJudge
from inference.kinds import KIND
from inference.providers import PROVIDERS, in_words
from inference.providers.rules import Provider
from inference.toml_text import toml_of
from warehouse.records.ids import RESERVED_PROVIDERS, split_judge_id, why_no_judge

# What variables that hold keys are called. Shorter values are placeholders, and words of settings.
_KEY_VARIABLES = ("_API_KEY", "_KEY", "_TOKEN")
_SHORTEST_KEY = 8
_ENTRY_KEYS = ("family", "key_points", "model", "settings", "size_b_params")


@dataclass(frozen=True)
class JudgeSpec:
    """One judge, ready to be made.

    Attributes:
        judge_id: `provider/model`.
        provider: The part of the id before the first slash.
        model: The name the provider knows it by.
        family: The model family, where known.
        size_b_params: Billions of parameters, where known.
        settings: Every setting that has a value, defaults filled in. Never a key.
        settings_hash: Of the provider, the model and the settings that can change an answer; the
            same for any order of the settings. 16 hexadecimal digits.
        kinds: What it judges: kinds of experiments, such as `speech` and `debate`.
    """

    judge_id: str
    provider: str
    model: str
    family: str | None
    size_b_params: float | None
    settings: dict[str, Any]
    settings_hash: str
    kinds: tuple[str, ...] = field(default_factory=lambda: tuple(KIND))

    @property
    def rules(self) -> Provider:
        """What is known of its provider."""
        return PROVIDERS[self.provider]


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
        judges_file: The `judges.toml` to read; None, or a file that does not exist, names nobody.
        environ: The environment; `OPENAI_BASE_URL` stands in where a judge has no `base_url`.

    Raises:
        UnknownJudge: No such judge can exist.
        BadSettings: The file is wrong.
    """
    entry = _entries(judges_file).get(judge_id)
    return _spec(judge_id, entry or {}, environ, is_named=entry is not None)


def system_turn(spec: JudgeSpec, asked: str | None) -> str | None:
    """Return what a request's system turn says: the judge's own words, then the experiment's.

    Args:
        asked: The experiment's, where it has one.
    """
    said = [text for text in (spec.settings.get("system_prompt"), asked) if text is not None]
    return "\n\n".join(said) if said else None


def load_judges(judges_file: Path, environ: Mapping[str, str] | None = None) -> list[JudgeSpec]:
    """Return every judge that `judges.toml` names, sorted by id. No file means no judges."""
    entries = _entries(judges_file)
    return [
        _spec(judge_id, entries[judge_id], environ, is_named=True) for judge_id in sorted(entries)
    ]


def key_point_model(judges_file: Path | None) -> str | None:
    """Return the model whose entry in `judges.toml` says `key_points = true`; None without one.

    Raises:
        BadSettings: The file is wrong, or several entries say so.
    """
    for judge_id, entry in (entries := _entries(judges_file)).items():
        _check_mark(judge_id, entry)
    found = sorted(name for name, entry in entries.items() if entry.get("key_points"))
    if len(found) > 1:
        raise BadSettings(
            f"registry: {judges_file} has key_points = true for {' and '.join(found)}; leave it "
            "with one of them"
        )
    return found[0] if found else None


def add_judge_text(
    text: str,
    judge_id: str,
    settings: Mapping[str, Any],
    *,
    model: str | None = None,
    family: str | None = None,
    size_b_params: float | None = None,
) -> str:
    """Return the text of `judges.toml` with one more judge; what was there stays as it was.

    A judge that is there is completed by what cannot change its answers, such as its family.

    Args:
        text: The file's text so far; empty when there is none.
        judge_id: The judge to add.
        settings: Only what differs from its provider's defaults.
        model: The provider's name for it, where the id has another.
        family: The model family.
        size_b_params: Billions of parameters.

    Raises:
        UnknownJudge: The id cannot be used.
        BadSettings: A setting is wrong, or the id is there with settings for other answers.
    """
    entry: dict[str, Any] = {
        key: value
        for key, value in (("model", model), ("family", family), ("size_b_params", size_b_params))
        if value is not None
    }
    if settings:
        entry["settings"] = dict(settings)
    present = _parsed(text, "judges.toml").get(judge_id)
    # Without settings of its own, a name that nobody knows is misspelt, and not a new judge.
    spec = _spec(judge_id, entry, {}, is_named=present is not None or "settings" in entry)
    _refuse_keys(judge_id, entry, None)
    wanted = dict(entry)
    if present is not None:
        if _spec(judge_id, present, {}, is_named=True).settings_hash != spec.settings_hash:
            raise BadSettings(
                f"registry: judges.toml has '{judge_id}' with other settings; answers of both "
                f"would be pooled; choose a new id, such as {judge_id}-2"
            )
        wanted = present | entry
        if merged := present.get("settings", {}) | dict(settings):
            wanted["settings"] = merged
        if wanted == present:
            return text
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    own = {key: value for key, value in entry.items() if key != "settings"}
    if own or present is None:
        _set_keys(lines, f'[judges."{judge_id}"]', own)
    if settings:
        _set_keys(lines, f'[judges."{judge_id}".settings]', dict(sorted(settings.items())))
    changed = "\n".join(lines) + "\n"
    try:
        is_set = toml_of(changed)["judges"][judge_id] == wanted
    except ValueError:
        is_set = False
    if not is_set:
        # TOML has more ways to write an entry than the one that is written here.
        raise BadSettings(
            f"registry: judges.toml has '{judge_id}' in a form that cannot be added to; write it "
            f'as [judges."{judge_id}"] with a line for each key'
        )
    return changed


def _set_keys(lines: list[str], table: str, values: Mapping[str, Any]) -> None:
    """Set keys of a table in the lines of a TOML file, and add the table where it has none."""
    bare = [line.partition("#")[0].strip() for line in lines]
    if table not in bare:
        lines += ["", table] if lines else [table]
        lines += [f"{key} = {_toml(value)}" for key, value in values.items()]
        return
    start = bare.index(table) + 1
    end = next((at for at in range(start, len(bare)) if bare[at].startswith("[")), len(bare))
    kept = [line for line in lines[start:end] if line.partition("=")[0].strip() not in values]
    lines[start:end] = [*(f"{key} = {_toml(value)}" for key, value in values.items()), *kept]


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
        content = toml_of(text)
    except ValueError as error:
        raise BadSettings(f"registry: {where} is not valid TOML: {error}") from None
    judges = content.pop("judges", {})
    if content or not isinstance(judges, dict):
        names = ", ".join(sorted(content)) or "judges"
        raise BadSettings(
            f"registry: {where} holds '{names}'; expected only tables of the form "
            '[judges."provider/model"]'
        )
    for judge_id, entry in judges.items():
        if not isinstance(entry, dict):
            raise BadSettings(f"registry: {where}, judge '{judge_id}': expected a table")
    return judges


def _check_mark(judge_id: str, entry: Mapping[str, Any]) -> None:
    if not isinstance(entry.get("key_points", False), bool):
        raise BadSettings(f"registry: judge '{judge_id}': key_points must be true or false")


def _spec(
    judge_id: str,
    entry: Mapping[str, Any],
    environ: Mapping[str, str] | None,
    *,
    is_named: bool,
) -> JudgeSpec:
    provider, name = check_judge_id(judge_id)
    rules = PROVIDERS[provider]
    _refuse_unknown(f"judge '{judge_id}'", "key", entry, _ENTRY_KEYS)
    model, family, size = entry.get("model", name), entry.get("family"), entry.get("size_b_params")
    if not isinstance(model, str) or not model or not isinstance(family, str | None):
        raise BadSettings(f"registry: judge '{judge_id}': model and family must be texts")
    _check_mark(judge_id, entry)
    if size is not None and (isinstance(size, bool) or not isinstance(size, int | float)):
        raise BadSettings(f"registry: judge '{judge_id}': size_b_params must be a number")
    given = entry.get("settings", {})
    if not isinstance(given, dict):
        raise BadSettings(f"registry: judge '{judge_id}': settings must be a table")
    if model not in rules.presets and not rules.accepts(model, is_named):
        close = difflib.get_close_matches(model, rules.presets, n=1)
        closest = f" (the closest is {provider}/{close[0]})" if close else ""
        raise UnknownJudge(
            f"registry: judge '{judge_id}': provider '{provider}' has no model '{model}'{closest}; "
            f"it has {rules.models}"
        )
    _check_settings(f"judge '{judge_id}'", rules, given)
    own = rules.family_of(model, given)
    _refuse_unknown(
        f"judge '{judge_id}', which judges {in_words(own.kinds)},",
        "setting",
        given,
        tuple(own.settings),
    )
    settings = {**own.defaults, **rules.presets.get(model, {})}
    if (variable := rules.address_variable) is not None:
        address = (os.environ if environ is None else environ).get(variable)
        if address:
            _check_settings(f"environment variable {variable}", rules, {"base_url": address})
            settings["base_url"] = address
    settings.update(given)
    _refuse_keys(judge_id, {"model": model, "family": family, **settings}, environ)
    if "base_url" in settings:
        settings["base_url"] = settings["base_url"].rstrip("/")
    return JudgeSpec(
        judge_id=judge_id,
        provider=provider,
        model=model,
        family=family,
        size_b_params=None if size is None else float(size),
        settings=settings,
        settings_hash=_settings_hash(provider, model, settings),
        kinds=own.kinds,
    )


def _check_settings(owner: str, rules: Provider, given: Mapping[str, Any]) -> None:
    _refuse_unknown(owner, "setting", given, rules.settings)
    for name, value in given.items():
        setting = rules.settings[name]
        if not setting.is_valid(value):
            shown = "" if setting.is_secret_prone else f" is {value!r}, which"
            raise BadSettings(f"registry: {owner}: {name}{shown} must be {setting.expected}")


def _refuse_unknown(
    owner: str, what: str, given: Mapping[str, Any], known: Mapping[str, Any] | tuple[str, ...]
) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise BadSettings(
            f"registry: {owner} has the unknown {what} '{unknown[0]}'; known are "
            f"{', '.join(sorted(known))}; keys for endpoints are never settings, they are read "
            "from the environment"
        )


def key_variables(judges: Iterable[JudgeSpec], names: Iterable[str]) -> list[str]:
    """Return which environment variables hold keys that only runs need.

    Credentials of the store and the database, such as `AWS_SECRET_ACCESS_KEY`, are not among them.

    Args:
        names: Names of environment variables.
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


def _settings_hash(provider: str, model: str, settings: Mapping[str, Any]) -> str:
    known = PROVIDERS[provider].settings
    identity = {
        # 1 and 1.0 ask for the same thing.
        name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in settings.items()
        if known[name].changes_answers
    }
    canonical = json.dumps([provider, model, identity], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{_toml(str(key))} = {_toml(inner)}" for key, inner in value.items())
        return f"{{{pairs}}}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(each) for each in value)}]"
    # JSON writes texts, numbers and truth values as TOML does, but for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
