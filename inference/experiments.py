"""Experiments are files: what is asked about which items, how often, in which order.

docs/experiments.md shows every key of such a file with an example for each kind. Keys that all
kinds have are fields of `Experiment`; the others are fields of the options of its kind. A user's
file comes before a shipped one of the same name.

An experiment whose decoding changes gets a new name, since decoding is part of what makes a request
and not of what tells a judge's answers apart in the warehouse: the old file stays in `superseded/`
with `superseded_by`, is no longer listed, and goes on with its own answers alone.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from inference.errors import UnknownExperiment
from inference.experiment import Experiment
from inference.kinds import KIND
from inference.kinds.options import KindOptions
from inference.toml_text import toml_of
from warehouse.records.problems import UNKNOWN_KEY, first_detail, problem_of

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
SHIPPED = Path(__file__).parent / "experiments"
SUPERSEDED = SHIPPED / "superseded"
# Keys of a file that are fields of every experiment.
COMMON = tuple(each.name for each in fields(Experiment) if each.name not in ("options", "seed"))


def definition_hash(experiment: Experiment) -> str:
    """Hash of everything that decides what is asked; title and description do not."""
    names = ("name", "template", "kind", "datasets", "repeats", "seed")
    facts = {name: getattr(experiment, name) for name in names}
    decoding = experiment.decoding
    facts |= {"temperature": decoding.temperature, "max_tokens": decoding.max_tokens}
    # Later keys leave the hash of experiments that do not set them as it was.
    for name in ("answer_seed", "presence_penalty"):
        if getattr(decoding, name) is not None:
            facts[name] = getattr(decoding, name)
    facts |= experiment.options.definition()
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def load_experiment(name: str, folders: Sequence[Path] = ()) -> Experiment:
    """Return an experiment by name.

    Raises:
        UnknownExperiment: There is none of this name, or its file is wrong.
    """
    if NAME.fullmatch(name) is None:
        raise UnknownExperiment(
            f"experiments: '{name}' is no experiment name; expected small letters, digits and "
            "hyphens, such as speech-score"
        )
    for folder in (*folders, SHIPPED, SUPERSEDED):
        for stem in (name.replace("-", "_"), name):
            path = folder / f"{stem}.toml"
            if path.is_file():
                return _read(path, name)
    known = ", ".join(list_experiments(folders))
    raise UnknownExperiment(
        f"experiments: no experiment named '{name}'; there are {known}; to add one, write "
        f"{name.replace('-', '_')}.toml in the folder experiments/ of your home"
    )


def list_experiments(folders: Sequence[Path] = ()) -> list[str]:
    """Return the names of all experiments, by their files, valid or not."""
    files = (file for folder in (*folders, SHIPPED) for file in folder.glob("*.toml"))
    return sorted({file.stem.replace("_", "-") for file in files})


def _read(path: Path, name: str) -> Experiment:
    who = f"experiments: {path}"
    try:
        content = toml_of(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UnknownExperiment(f"{who} is not valid TOML: {error}") from None
    if content.get("name", name) != name:
        raise UnknownExperiment(
            f"{who} says name = {content['name']!r}, but its file is named for '{name}'; make the "
            "two agree"
        )
    kind = content.pop("kind", "speech")
    if kind not in KIND:
        raise UnknownExperiment(f"{who}: kind is {kind!r}; it should be one of {', '.join(KIND)}")
    common = {key: content.pop(key) for key in COMMON if key in content}
    if isinstance(sampling := content.get("sampling"), dict) and "seed" in sampling:
        common["seed"] = sampling["seed"]
        content["sampling"] = {key: each for key, each in sampling.items() if key != "seed"}
    model = KIND[kind].options
    try:
        options = _options(model, content, common.get("template"))
        if "template" not in common and options.template is not None:
            common["template"] = options.template
        experiment: Experiment = _adapter(Experiment).validate_python(
            {**common, "options": options}
        )
        return experiment
    except ValidationError as error:
        hint = _hint(error, kind, content, common.get("template"))
        raise UnknownExperiment(problem_of(error, who, hint, (Experiment, model))) from None


def _options(model: type[KindOptions], content: Mapping[str, Any], template: Any) -> KindOptions:
    adapter = _adapter(model)  # type: ignore[arg-type]  # a class
    options: KindOptions = adapter.validate_python(model.from_file(content, template))
    return options


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _hint(error: ValidationError, kind: str, content: Mapping[str, Any], template: Any) -> str:
    """Return the kind that a file fits, or that has its unknown key; empty where none does."""
    detail = first_detail(error)
    place, problem = detail["loc"], detail["type"]
    if problem.startswith("missing"):
        return ""
    for name, other in KIND.items():
        places = []
        try:
            _options(other.options, content, template)
        except ValidationError as found:
            places = [each["loc"] for each in found.errors(include_url=False)]
        knows_key = problem in UNKNOWN_KEY and place not in places
        if name != kind and (knows_key or not places):
            return f'that says nothing of a {kind}: take it out, or set kind = "{name}"'
    return ""
