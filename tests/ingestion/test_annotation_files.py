"""Annotations without texts: kept whole as labels or scores, or quarantined with the reason."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.annotations import (
    AnnotationStudy,
    ingest_folder,
    judge_id_of,
)
from ingestion.batch import Counts
from ingestion.errors import BadStudy, SourceUnreadable, TooManyRejected, UnknownSource
from ingestion.ingest import ingest_study
from ingestion.landing import in_place
from tests.ingestion.ingestion_files import query
from warehouse.home import Home

PEOPLE = {"ann": {"t1__a": "x", "t1__b": "y"}, "ben": {"t1__a": "x"}}
MODELS = {"gpt-4o": {"t1__a": "x", "t1__b": None}, "llama 3": {"t1__a": "y"}}
ROWS = (
    "select instance_id, text_id, annotator_id, is_judge, label, value from raw.annotations "
    "order by is_judge, annotator_id, instance_id"
)


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def study(folder: Path, people: Any = PEOPLE, models: Any = None, **more: Any) -> AnnotationStudy:
    return AnnotationStudy(
        name=more.pop("name", "study-x"),
        people=write(folder / "people.json", people),
        models=None if models is None else write(folder / "models.json", models),
        **more,
    )


def parsed(described: AnnotationStudy) -> Any:
    return described.read(*map(in_place, described.files))


def test_labels_are_kept_with_their_texts_and_judges_named_as_imports_do(
    new_home: Any, tmp_path: Path
) -> None:
    home: Home = new_home(tmp_path / "home")
    described = study(tmp_path, models=MODELS, text_before="__")
    report = ingest_study(home, described)
    assert report.tables["annotations"] == Counts(new=6)
    assert query(home, ROWS) == [
        ("study-x:t1__a", "study-x:t1", "study-x:rater-ann", False, "x", None),
        ("study-x:t1__b", "study-x:t1", "study-x:rater-ann", False, "y", None),
        ("study-x:t1__a", "study-x:t1", "study-x:rater-ben", False, "x", None),
        ("study-x:t1__a", "study-x:t1", "imported/llama-3", True, "y", None),
        ("study-x:t1__a", "study-x:t1", "openai/gpt-4o", True, "x", None),
        ("study-x:t1__b", "study-x:t1", "openai/gpt-4o", True, None, None),
    ]
    assert query(home, "select judge_id from raw.judges order by 1") == [
        ("imported/llama-3",),
        ("openai/gpt-4o",),
    ]
    again = ingest_study(home, described)
    assert (again.new, again.updated, again.load_id) == (0, 0, None)


def test_a_later_file_takes_the_place_of_an_earlier_one_and_leaves_the_rest(
    new_home: Any, tmp_path: Path
) -> None:
    home: Home = new_home(tmp_path / "home")
    ingest_study(home, study(tmp_path, models=MODELS))
    ingest_study(home, study(tmp_path, {"ann": {"t1__a": 3}}, dimension="it's how good"))
    ingest_study(home, study(tmp_path, {"ann": {"t1__a": "z"}}))
    assert query(
        home,
        "select dimension, annotator_id, label, value from raw.annotations where not is_judge "
        "order by dimension",
    ) == [
        ("it's how good", "study-x:rater-ann", None, 3.0),
        ("score", "study-x:rater-ann", "z", None),
    ]
    assert query(home, "select count(*) from raw.annotations where is_judge") == [(3,)]


def test_what_is_wrong_is_quarantined_by_annotator_and_instance(tmp_path: Path) -> None:
    said = '{"a": {"i1": 1, "i2": 2, "i2": 3, "i3": "four", "i4": true, "i5": NaN, "i6": 9, "": 1,'
    said += ' "i7": [1], "i8": null, "i9": 1e999, "i\\ud800": 1}}'
    found = parsed(study(tmp_path, said, scale=(1, 5)))
    assert [(each.instance_id, each.value) for each in found.annotations] == [
        ("study-x:i1", 1.0),
        ("study-x:i2", 2.0),
    ]
    assert [(each.record.split(", ")[1], each.field) for each in found.rejects] == [
        ("instance 'i2'", "instance"),
        ("instance 'i3'", "annotation"),
        ("instance 'i4'", "annotation"),
        ("instance 'i5'", "annotation"),
        ("instance 'i6'", "annotation"),
        ("instance ''", "instance_id"),
        ("instance 'i7'", "annotation"),
        ("instance 'i9'", "annotation"),
        ("instance 'i\\ud800'", "instance_id"),
    ]
    assert found.files[0].records == 12
    assert found.notes[-1] == "1 instances that a person left empty are not annotated"


def test_numbers_may_be_labels_where_the_user_says_so(tmp_path: Path) -> None:
    found = parsed(study(tmp_path, {"a": {"i": 1, "k": False}}, kind="labels"))
    assert [each.label for each in found.annotations] == ["1", "false"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[1]", "holds no annotators"),
        ('{"a": 1}', "annotator 'a' has no instances"),
        ("{", "is not valid JSON"),
        ("{}", "holds no annotations"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(SourceUnreadable, match=said):
        parsed(study(tmp_path, content))


def test_too_many_wrong_annotations_refuse_the_file(new_home: Any, tmp_path: Path) -> None:
    home: Home = new_home(tmp_path / "home")
    with pytest.raises(TooManyRejected, match="1 of 3 records"):
        ingest_study(home, study(tmp_path, {"a": {"i": 1, "k": 2, "l": "x"}}))
    assert query(home, "select count(*) from raw.annotations") == [(0,)]
    assert not list(home.landing.glob("*/manifest.json"))


def test_names_that_cannot_be_a_data_set_or_a_judge_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadStudy, match="cannot name a data set"):
        parsed(study(tmp_path, name="10k"))
    found = parsed(study(tmp_path, models={"human/x": {"i": "x"}, "": {"i": "x"}}))
    assert [each.field for each in found.rejects] == ["annotator", "annotator"]


def test_a_folder_of_studies_is_loaded_under_their_own_names(new_home: Any, tmp_path: Path) -> None:
    home: Home = new_home(tmp_path / "home")
    with pytest.raises(UnknownSource, match="has no study"):
        ingest_folder(home, tmp_path, prefix="p-")
    (tmp_path / "10k_x").mkdir()
    write(tmp_path / "10k_x" / "human_annotations.json", PEOPLE)
    write(tmp_path / "10k_x" / "llm_annotations.json", MODELS)
    ingest_folder(home, tmp_path, prefix="p-")
    assert query(home, "select distinct dataset_id, text_id from raw.annotations") == [
        ("p-10k-x", "p-10k-x:t1")
    ]


@pytest.mark.parametrize(
    ("name", "judge"),
    [
        ("gpt-4o-mini", "openai/gpt-4o-mini"),
        ("claude-3", "anthropic/claude-3"),
        ("gemini_flash", "imported/gemini_flash"),
        ("Qwen/Qwen2 7B", "qwen/Qwen2-7B"),
    ],
)
def test_models_are_named_as_imports_name_them(name: str, judge: str) -> None:
    assert judge_id_of(name) == judge


_SAID = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    content=st.dictionaries(st.text(), st.dictionaries(st.text(), _SAID)), as_labels=st.booleans()
)
def test_whatever_is_in_a_file_is_kept_rejected_or_told(
    tmp_path: Path, content: dict[str, dict[str, Any]], *, as_labels: bool
) -> None:
    count = sum(map(len, content.values()))
    described = study(tmp_path, content, kind="labels" if as_labels else None)
    if count == 0:
        with pytest.raises(SourceUnreadable):
            parsed(described)
        return
    found = parsed(described)
    left = sum(said is None for each in content.values() for said in each.values())
    assert len(found.annotations) + len(found.rejects) + left == count
    assert all((each.label is None) != (each.value is None) for each in found.annotations)


def test_labels_under_other_instructions_are_not_pooled_with_those_there(
    new_home: Any, tmp_path: Path
) -> None:
    home: Home = new_home(tmp_path / "home")
    ingest_study(home, study(tmp_path, policy="guide 1"))
    assert query(home, "select policy from raw.datasets") == [("guide 1",)]
    more = {"cy": {"t1__a": "x"}}
    for policy in ("guide 2", None):
        with pytest.raises(BadStudy, match="given under the instructions 'guide 1'"):
            ingest_study(home, study(tmp_path, more, policy=policy, dimension="other"))
    ingest_study(home, study(tmp_path, more, policy="guide 1", dimension="other"))
    assert query(home, "select count(*) from raw.annotations") == [(4,)]
