from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inference.errors import CurationFailed, StepWaits
from inference.steps.asking import Replies
from inference.steps.files import Made, StepFile, StepFiles, step_path
from inference.steps.pipeline import Outcome, Pipeline, Plan, Step
from tests.inference.step_models import Failed, RuleModel


@dataclass
class Work:
    folder: Path
    words: list[str]
    fails: set[str] = field(default_factory=set)
    waits: bool = False
    asked: list[str] = field(default_factory=list)

    def spell(self, prompt: str) -> str:
        if prompt in self.fails:
            raise Failed("server", f"nobody spells '{prompt}'")
        self.asked.append(prompt)
        return prompt.upper()


def spelt(work: Work, _: Mapping[str, StepFile]) -> Plan:
    def make() -> Made:
        ask = Replies(RuleModel(work.spell), work.folder / "replies", "spelling")
        return Made([{"word": each.text} for each in ask(work.words)], "m")

    return Plan([sorted(work.words)], make)


def counted(work: Work, before: Mapping[str, StepFile]) -> Plan:
    def make() -> Made:
        if work.waits:
            raise StepWaits("count them by hand")
        return Made([{"count": len(before["spelt"].records)}], "rules")

    return Plan([], make)


PIPELINE = Pipeline(
    who="spelling",
    failed=CurationFailed,
    not_done="of '{work.folder.name}' the step '{step}' is missing",
    store=StepFiles(),
    version=1,
    is_of_one_start=True,
    steps=(
        Step("spelt", "The words in capitals.", spelt),
        Step("counted", "How many there are.", counted, after=("spelt",)),
    ),
)


def statuses(work: Work) -> list[str]:
    return [each.status for each in PIPELINE.run_all(work)]


def test_stopped_at_a_reply_it_asks_the_rest_alone(tmp_path: Path) -> None:
    work = Work(tmp_path, ["a", "b", "c"], fails={"b"})
    with pytest.raises(CurationFailed, match=r"^spelling: .*nobody spells 'b'"):
        PIPELINE.run_all(work)
    assert work.asked == ["a", "c"]
    work.fails.clear()
    assert statuses(work) == ["done", "done"]
    assert work.asked == ["a", "c", "b"]
    assert statuses(work) == ["unchanged", "unchanged"]


def test_a_lost_or_changed_result_is_made_again_with_what_follows(tmp_path: Path) -> None:
    work = Work(tmp_path, ["a", "b"])
    PIPELINE.run_all(work)
    step_path(tmp_path, "spelt").write_text("{")
    assert statuses(work) == ["done", "done"]
    work.words = ["a", "b", "c"]
    assert [each.result.records[-1] for each in PIPELINE.run_all(work) if each.result] == [
        {"word": "C"},
        {"count": 3},
    ]
    assert work.asked == ["a", "b", "c"]


def test_a_step_that_waits_leaves_nothing_and_names_what_is_to_be_done(tmp_path: Path) -> None:
    work = Work(tmp_path, ["a"], waits=True)
    assert PIPELINE.run_all(work)[1] == Outcome("counted", "waiting", None, "count them by hand")
    assert not step_path(tmp_path, "counted").exists()
    work.waits = False
    assert statuses(work) == ["unchanged", "done"]


def test_steps_are_known_by_name_and_build_on_each_other(tmp_path: Path) -> None:
    assert PIPELINE.names == ("spelt", "counted")
    assert (PIPELINE.base_of("spelt"), PIPELINE.base_of("counted")) == (None, "spelt")
    work = Work(tmp_path, ["a"])
    with pytest.raises(CurationFailed, match=f"of '{tmp_path.name}' the step 'spelt' is missing"):
        PIPELINE.run_step("counted", work)
    with pytest.raises(CurationFailed, match="no step named 'sung'; choose one of spelt, counted"):
        PIPELINE.run_step("sung", work)


def test_a_step_done_by_an_earlier_version_counts_as_done(tmp_path: Path) -> None:
    step_path(tmp_path, "spelt").write_text(
        '{\n "schema_version": 1,\n "step": "spelt",\n "inputs_hash": '
        '"382757a4557e197dcff123b1ece195edaedeb66fd770c756a6025deb339775e8",\n "made_with": "m",\n'
        ' "facts": {},\n "records": [\n  {\n   "word": "A"\n  }\n ]\n}\n'
    )
    work = Work(tmp_path, ["a"])
    assert statuses(work) == ["unchanged", "done"]
    assert work.asked == []
