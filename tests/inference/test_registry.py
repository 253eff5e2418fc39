import csv
import json
import pickle
import re
import tomllib
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference_fixtures import cases

from inference.errors import BadSettings, UnknownJudge
from inference.providers import PROVIDERS
from inference.providers.base import Family, Provider, Settings
from inference.providers.presets import ID_SOURCES, judge_preset, judge_presets
from inference.registry import JudgeSpec, add_judge_text, check_judge_id, load_judges, spec_for
from warehouse.audit import DBT_PROJECT

NO_ENV: dict[str, str] = {}


def spec(text: str, judge_id: str, folder: Path, environ: dict[str, str] = NO_ENV) -> JudgeSpec:
    (folder / "judges.toml").write_text(text, encoding="utf-8")
    return spec_for(judge_id, folder / "judges.toml", environ)


@pytest.mark.parametrize(
    "judge_id",
    ["openai/gpt-4.1-mini", "openai/Qwen/Qwen2.5-7B:free", "rule/constant-3", "simulated/coin"],
)
def test_ids_of_known_providers_are_taken(judge_id: str) -> None:
    assert spec_for(judge_id, None, NO_ENV).judge_id == judge_id


@pytest.mark.parametrize(
    ("judge_id", "words"),
    cases(
        {
            "reserved": "human|human/anna|ensemble/all",
            "no judge id": "gpt-4||OpenAI/gpt|openai/|openai/a..b|openai/a b|openai/a\n|openai/é",
            "known are anthropic, batch, google, local, openai, openrouter, replay, rule, sim": "martian/x",
            "length and constant-N": "rule/best|rule/constant-x",
            "faithful, harsh, noisy, careless, coin": "simulated/unheard-of",
        }
    ),
)
def test_other_ids_are_refused_with_the_reason(judge_id: str, words: str) -> None:
    with pytest.raises(UnknownJudge, match=words):
        spec_for(judge_id, None, NO_ENV)


@given(st.text(max_size=30))
def test_an_id_is_taken_or_refused_by_name(judge_id: str) -> None:
    try:
        provider, model = check_judge_id(judge_id)
    except UnknownJudge:
        return
    assert f"{provider}/{model}" == judge_id


def test_settings_are_the_providers_then_the_presets_then_the_files(tmp_path: Path) -> None:
    text = (
        '[judges."openai/mine"]\nmodel = "gpt-x"\nfamily = "gpt"\nsize_b_params = 7\n'
        '[judges."openai/mine".settings]\ntemperature = 0.7\nconcurrency = 2\n'
        '[judges."simulated/mine".settings]\nshift = 0.5\n'
    )
    judge = spec(text, "openai/other", tmp_path)
    assert (judge.model, judge.settings["concurrency"]) == ("other", 16)
    assert judge.settings["base_url"] == "https://api.openai.com/v1"
    assert judge.settings["api_key_env"] == "OPENAI_API_KEY"
    assert "temperature" not in judge.settings  # the experiment's
    judge = spec(text, "openai/mine", tmp_path)
    assert (judge.model, judge.family, judge.size_b_params) == ("gpt-x", "gpt", 7.0)
    assert (judge.settings["temperature"], judge.settings["concurrency"]) == (0.7, 2)
    judge = spec(text, "simulated/mine", tmp_path)
    assert (judge.settings["shift"], judge.settings["slope"]) == (0.5, 1.0)
    assert spec(text, "simulated/careless", tmp_path).settings["failure_rate"] == 0.08
    listed = load_judges(tmp_path / "judges.toml", NO_ENV)
    assert [judge.judge_id for judge in listed] == ["openai/mine", "simulated/mine"]
    assert load_judges(tmp_path / "nothing.toml", NO_ENV) == []


def test_the_address_comes_from_the_judge_then_from_the_environment(tmp_path: Path) -> None:
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1/"}
    assert spec_for("openai/a", None, environ).settings["base_url"] == "http://127.0.0.1:9/v1"
    text = '[judges."openai/a".settings]\nbase_url = "http://here/v1"'
    assert spec(text, "openai/a", tmp_path, environ).settings["base_url"] == "http://here/v1"


def test_the_settings_hash_depends_on_what_can_change_an_answer(tmp_path: Path) -> None:
    def hashed(settings: str, judge_id: str = "openai/a") -> str:
        return spec(f'[judges."{judge_id}".settings]\n{settings}', judge_id, tmp_path).settings_hash

    plain = hashed("temperature = 1\nseed = 3")
    assert hashed("seed = 3\ntemperature = 1.0") == plain
    assert hashed("seed = 3\ntemperature = 1\nconcurrency = 4\ntimeout_s = 9") == plain
    assert hashed("seed = 4\ntemperature = 1") != plain
    assert hashed('seed = 3\ntemperature = 1\nbase_url = "http://x/v1"') != plain
    assert hashed("seed = 3\ntemperature = 1", "openai/b") != plain


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            "heat = 1",
            "unknown key 'heat'; known are answer_format, api_key_env, base_url.*never se",
        ),
        ("temperature = -1", "temperature is -1; it should be 0 or more"),
        ("temperature = true", "temperature is True"),
        ("temperature = nan", "temperature is nan"),
        ("max_tokens = 1.5", "max_tokens is 1.5"),
        ("concurrency = 0", "concurrency is 0"),
        ('base_url = "ftp://x"', "base_url must be an address"),
    ],
)
def test_wrong_settings_name_what_is_right(tmp_path: Path, settings: str, words: str) -> None:
    with pytest.raises(BadSettings, match=words):
        spec(f'[judges."openai/a".settings]\n{settings}', "openai/a", tmp_path)


@pytest.mark.parametrize(
    "settings",
    [
        'api_key_env = "sk-canary-1234567890"',
        'api_key = "sk-canary-1234567890"',
        'base_url = "https://user:sk-canary-1234567890@host/v1"',
        'base_url = "https://host/v1?key=sk-canary-1234567890"',
    ],
)
def test_a_key_is_never_a_setting_and_never_in_the_message(tmp_path: Path, settings: str) -> None:
    with pytest.raises(BadSettings) as caught:
        spec(f'[judges."openai/a".settings]\n{settings}', "openai/a", tmp_path)
    assert "canary" not in str(caught.value)
    with pytest.raises(BadSettings) as caught:
        spec_for("openai/a", None, {"OPENAI_BASE_URL": "https://u:canary@host/v1"})
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[judges", "not valid TOML"),
        ("[judge.x]", "unknown key 'judge'"),
        ('judges = "x"', "expected only tables"),
        ('[judges]\n"openai/a" = 3', "expected only tables"),
        ('[judges."openai/a"]\nsize = 3', "unknown key 'size'.*known are family, key_points"),
        ('[judges."openai/a"]\nsize_b_params = "big"', "size_b_params is 'big'"),
        ('[judges."openai/a"]\nsettings = 3', "settings is 3"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadSettings, match=words):
        spec(text, "openai/a", tmp_path)


def test_a_judge_is_added_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    before = '# my judges\n[judges."rule/length"] # the baseline\n'
    settings = {"temperature": 0.5, "base_url": "http://127.0.0.1:8000/v1", "api_key_env": ""}
    text = add_judge_text(before, "openai/a/b:c", settings, family='q"uo\\te', size_b_params=7)
    assert text.startswith(before)
    entry = tomllib.loads(text)["judges"]["openai/a/b:c"]
    assert entry == {"family": 'q"uo\\te', "size_b_params": 7, "settings": settings}
    assert spec(text, "openai/a/b:c", tmp_path).settings["api_key_env"] == ""
    assert spec(text, "rule/length", tmp_path).settings["cut_points"] == [75, 150, 300, 600]
    assert (
        add_judge_text(text, "openai/a/b:c", settings, family='q"uo\\te', size_b_params=7) == text
    )


def test_one_id_never_gets_a_second_definition() -> None:
    text = add_judge_text("", "rule/length", {"cut_points": [10, 20]})
    with pytest.raises(BadSettings, match="choose a new id"):
        add_judge_text(text, "rule/length", {"cut_points": [10, 30]})
    with pytest.raises(BadSettings, match="rising list"):
        add_judge_text(text, "rule/length", {"cut_points": [30, 20]})
    with pytest.raises(UnknownJudge):
        add_judge_text(text, "human", {})


def test_a_judge_is_completed_by_what_cannot_change_its_answers() -> None:
    before = (
        '[judges."openai/a"] # asked once\n\n[judges."openai/a".settings]\ntemperature = 0.5\n'
        '\n# the other\n[judges."openai/b"]\nkey_points = true\nfamily = "x"\n'
    )
    text = add_judge_text(before, "openai/a", {"temperature": 0.5}, family="gpt", size_b_params=8)
    text = add_judge_text(text, "openai/b", {"concurrency": 2}, family="y")
    assert tomllib.loads(text)["judges"] == {
        "openai/a": {"family": "gpt", "size_b_params": 8, "settings": {"temperature": 0.5}},
        "openai/b": {"key_points": True, "family": "y", "settings": {"concurrency": 2}},
    }
    assert "# asked once" in text
    assert "# the other" in text
    with pytest.raises(BadSettings, match="with other settings"):
        add_judge_text(text, "openai/a", {}, family="gpt")
    inline = '[judges]\n"openai/a" = {size_b_params = 7}\n'
    entry = tomllib.loads(add_judge_text(inline, "openai/a", {}, family="gpt"))["judges"]
    assert entry == {"openai/a": {"size_b_params": 7, "family": "gpt"}}


def test_a_name_that_defines_nothing_is_no_new_judge() -> None:
    for judge_id, words in (
        ("simulated/faithfull", "the closest is simulated/faithful.*it has faithful, harsh"),
        ("rule/lenght", "the closest is rule/length"),
        ("replay/mine", "only those that judges.toml defines"),
    ):
        with pytest.raises(UnknownJudge, match=words):
            add_judge_text("", judge_id, {}, family="f")
    text = add_judge_text("", "simulated/mine", {"shift": 0.5})
    assert add_judge_text(text, "simulated/mine", {"shift": 0.5}) == text


def test_every_preset_is_a_judge_with_the_family_and_size_the_papers_give(tmp_path: Path) -> None:
    presets = judge_presets()
    with (DBT_PROJECT / "seeds/published/debatable_intelligence_models.csv").open() as file:
        printed = list(csv.DictReader(file))
    of_paper = {
        each.model: each for each in presets.values() if "debatable_intelligence" in each.papers
    }
    assert set(of_paper) == {row["model"] for row in printed}
    for row in printed:
        found = of_paper[row["model"]]
        assert found.family == row["family"]
        assert found.size_b_params == (
            float(row["size_b_params"]) if row["size_b_params"] else None
        )
        assert (found.settings == {"quantization": "4bit"}) == (row["quantised_4bit"] == "yes")
    text = ""
    for preset in presets.values():
        text = add_judge_text(
            text,
            preset.judge_id,
            preset.settings,
            family=preset.family,
            size_b_params=preset.size_b_params,
        )
    (tmp_path / "judges.toml").write_text(text)
    assert len(load_judges(tmp_path / "judges.toml")) == len(presets)


def test_a_preset_says_what_its_id_rests_on_and_no_date_passes_for_a_papers() -> None:
    presets = judge_presets()
    assert {each.id_source for each in presets.values()} == set(ID_SOURCES)
    printed = [each.judge_id for each in presets.values() if each.id_source == "printed"]
    assert printed == ["openai/gpt-3.5-turbo-1106", "openai/gpt-4-1106-preview"]
    for each in presets.values():
        dated = re.search(r"-20\d{6}$", each.judge_id) is not None
        assert dated == (each.id_source == "dated")
    # The DebateQA paper prints 3.8B and 7B beside these two names.
    sizes = [presets[f"phi-3-{name}-128k"].size_b_params for name in ("mini", "small")]
    assert sizes == [3.8, 7.0]
    with pytest.raises(UnknownJudge, match=r"no preset is called 'gpt-9'; there are .*qwen-2.5-7b"):
        judge_preset("gpt-9")


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_the_class_an_entry_names_is_there_and_takes_what_judges_are_given(provider: str) -> None:
    for family in PROVIDERS[provider].families:
        for path in filter(None, (family.judge, family.evaluator)):
            module, _, judge = path.rpartition(".")
            taken = signature(getattr(import_module(module), judge)).parameters
            assert set(taken) <= {"spec", "reference_file", "environ", "price", "metric"}


def test_no_shipped_or_defined_judge_changes_its_settings_hash(tmp_path: Path) -> None:
    recorded = json.loads(Path(__file__).with_name("settings_hashes.json").read_text())
    shipped = {
        f"{name}/{preset}" for name, rules in PROVIDERS.items() for preset in rules.presets
    } | {each.judge_id for each in judge_presets().values()}
    of_preset = {each.judge_id: each.settings for each in judge_presets().values()}
    assert shipped <= set(recorded)
    for name, settings_hash in recorded.items():
        judge_id, _, settings = name.partition(" ")
        own = json.loads(settings or "{}") or of_preset.get(judge_id, {})
        text = add_judge_text("", judge_id, own) if own else ""
        assert spec(text, judge_id, tmp_path).settings_hash == settings_hash, name


class _Duels(Settings):
    ability: float = 0.0
    position: float = 0.0
    stakes: float = 1.0


@pytest.fixture
def duels(monkeypatch: pytest.MonkeyPatch) -> Family:
    """A family that shares two settings with simulated judges of debates."""
    family = Family("inference.judges.rules.RuleJudge", ("answer",), _Duels, {"duellist": {}})
    simulated = PROVIDERS["simulated"]
    more = replace(simulated, families=(*simulated.families, family))
    monkeypatch.setitem(PROVIDERS, "simulated", more)
    return family


@pytest.mark.parametrize(
    ("entry", "settings", "kinds"),
    [
        ("simulated/fair", "", ("debate", "pressure")),
        ("simulated/second-position", "position = 2.0", ("debate", "pressure")),
        ("simulated/duellist", "ability = 2.0", ("answer",)),
        ("simulated/mine", "ability = 2.0\nlabel = 1.0", ("debate", "pressure")),
        ("simulated/mine", "ability = 2.0\nstakes = 1.0", ("answer",)),
        ("simulated/mine", "seed = 3", ("speech",)),
    ],
)
def test_families_that_share_settings_keep_their_judges(
    tmp_path: Path, duels: Family, entry: str, settings: str, kinds: tuple[str, ...]
) -> None:
    text = f'[judges."{entry}".settings]\n{settings}'
    assert spec(text, entry, tmp_path).kinds == kinds


def test_settings_that_fit_several_families_need_a_declared_kind(
    tmp_path: Path, duels: Family
) -> None:
    settings = '[judges."simulated/mine".settings]\nability = 2.0'
    with pytest.raises(BadSettings, match='add kind = "debate" or "answer"'):
        spec(settings, "simulated/mine", tmp_path)
    with pytest.raises(BadSettings, match="kind = 'duel'; expected one of speech, debate"):
        spec(f'[judges."simulated/mine"]\nkind = "duel"\n{settings}', "simulated/mine", tmp_path)
    declared = f'[judges."simulated/mine"]\nkind = "debate"\n{settings}'
    assert spec(declared, "simulated/mine", tmp_path).kinds == ("debate", "pressure")
    text = add_judge_text("", "simulated/mine", {"ability": 2.0}, kind="debate")
    assert tomllib.loads(text) == tomllib.loads(declared)


def test_every_family_can_be_sent_to_a_worker() -> None:
    families = [family for rules in PROVIDERS.values() for family in rules.families]
    assert pickle.loads(pickle.dumps(families)) == families


def test_a_name_that_one_family_accepts_gets_no_setting_of_another(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"judges a speech or an answer.*unknown key 'seed'"):
        spec('[judges."rule/constant-3".settings]\nseed = 1', "rule/constant-3", tmp_path)


def test_a_preset_of_two_families_is_an_error_when_the_provider_is_made() -> None:
    one = Family("a.A", ("speech",), presets={"fair": {}})
    with pytest.raises(ValueError, match="'fair' is a preset of two families"):
        Provider((one, replace(one, judged=("debate",))), models="fair")
