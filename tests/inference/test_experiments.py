from dataclasses import replace
from pathlib import Path

import pytest

from inference.errors import UnknownExperiment
from inference.experiment import Decoding, Experiment
from inference.experiments import definition_hash, list_experiments, load_experiment
from inference.kinds.speeches import SpeechOptions


def write(folder: Path, text: str, stem: str = "mine") -> Path:
    (folder / f"{stem}.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["llm-debate-bias", "llm-debate-natural"])
def test_a_superseded_experiment_is_not_listed(name: str) -> None:
    experiment = load_experiment(name)
    assert name not in list_experiments()
    later = load_experiment(str(experiment.superseded_by))
    assert later.options == experiment.options
    assert definition_hash(later) != definition_hash(experiment)


def test_only_name_and_template_are_needed(tmp_path: Path) -> None:
    write(tmp_path, 'name = "mine"\ntemplate = "mine"')
    assert load_experiment("mine", [tmp_path]) == Experiment(
        "mine", "mine", options=SpeechOptions()
    )


def test_every_key_can_be_set(tmp_path: Path) -> None:
    write(
        tmp_path,
        'name = "two-words"\ndescription = "d"\nkind = "speech"\ndatasets = ["a", "b"]\n'
        'dimension = "clarity"\ntemplate = "t"\nrepeats = 3\n'
        "[sampling]\nseed = 7\n[decoding]\ntemperature = 1\nmax_tokens = 10",
        "two_words",
    )
    assert load_experiment("two-words", [tmp_path]) == Experiment(
        name="two-words",
        template="t",
        description="d",
        datasets=("a", "b"),
        options=SpeechOptions(dimension="clarity"),
        repeats=3,
        seed=7,
        decoding=Decoding(temperature=1.0, max_tokens=10),
    )


def test_a_users_experiment_comes_before_the_shipped_one(tmp_path: Path) -> None:
    write(tmp_path, 'name = "speech-score"\ntemplate = "speech_score"\nrepeats = 2', "speech_score")
    assert load_experiment("speech-score", [tmp_path]).repeats == 2
    assert load_experiment("speech-score").repeats == 1


def test_the_list_holds_the_shipped_and_the_users(tmp_path: Path) -> None:
    write(tmp_path, 'name = "mine"\ntemplate = "t"')
    assert list_experiments([tmp_path]) == sorted(["mine", *list_experiments()])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "mine"\ntemplate = "t"\nrepeat = 2', "unknown key 'repeat'.*repeats"),
        (
            'name = "mine"\ntemplate = "t"\n[decoding]\ntop = 1',
            "'decoding.top'.*decoding.max_tokens",
        ),
        ('name = "mine"', "lacks the key 'template'"),
        ('name = "mine"\ntemplate = "t"\nrepeats = 0', "repeats is 0.*1 or more"),
        ('name = "mine"\ntemplate = "t"\nrepeats = true', "repeats is True"),
        ('name = "mine"\ntemplate = "t"\ndatasets = "a"', "datasets is 'a'.*list"),
        ('name = "mine"\ntemplate = "t"\nsampling = 3', "sampling is 3.*a table"),
        ('name = "mine"\ntemplate = "t"\nkind = "song"', "kind is 'song'"),
        ('name = "mine"\ntemplate = "t"\n[decoding]\ntemperature = nan', "temperature is nan"),
        ('name = "other"\ntemplate = "t"', "make the two agree"),
        ('name = "mine', "not valid TOML"),
    ],
)
def test_a_wrong_experiment_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    write(tmp_path, text)
    with pytest.raises(UnknownExperiment, match=words):
        load_experiment("mine", [tmp_path])


@pytest.mark.parametrize("name", ["", "Speech", "a/b", "../x", "a_b"])
def test_a_name_that_breaks_the_rule_is_refused(name: str) -> None:
    with pytest.raises(UnknownExperiment, match="no experiment name"):
        load_experiment(name)


def test_an_unknown_experiment_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownExperiment, match=", ".join(list_experiments())):
        load_experiment("nothing")


def test_the_definition_hash_covers_what_is_asked_and_not_how_it_is_described() -> None:
    plain = Experiment("a", "t", options=SpeechOptions())
    assert definition_hash(replace(plain, description="words")) == definition_hash(plain)
    assert definition_hash(replace(plain, repeats=2)) != definition_hash(plain)
    assert definition_hash(replace(plain, decoding=Decoding(temperature=0.5))) != definition_hash(
        plain
    )
