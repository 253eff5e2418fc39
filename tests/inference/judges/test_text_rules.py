import asyncio
import math
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from answer_fixtures import POINTS, answer, partial_answers, request, write_questions
from inference_fixtures import judges_file

from inference.errors import ModelUnavailable
from inference.experiments import load_experiment
from inference.journal import read_journal
from inference.judges import make_judge, text_rules
from inference.judges.base import Reply
from inference.judges.text_rules import words_of
from inference.questions.answers import Comparison, Likelihood
from inference.registry import spec_for
from inference.runner import run

PD = Comparison("perspective_diversity")


def ask(
    judge_id: str,
    text: str,
    comparison: Comparison = PD,
    wording: str = "pd_none",
    points: tuple[tuple[str, str], ...] = POINTS,
    judges_file: Path | None = None,
) -> Reply:
    judge = make_judge(spec_for(judge_id, judges_file, {}), None, metric=comparison.metric)
    return asyncio.run(
        judge.ask(request(answer(text), comparison, wording, partial_answers(points)))
    )


def only(reply: Reply) -> Likelihood:
    (found,) = reply.outcome.likelihoods
    return found


def test_the_cache_models_sum_by_hand() -> None:
    # X = "the buses , the trains": 5 words. y = "The buses . fail": the 2/5, buses 1/5, "." and
    # "fail" not at all, so P = 1/2 * share + 1/2 / 50,000.
    found = only(ask("rule/cache-model", "The buses, the trains", points=(("The buses", "fail"),)))
    rest = 0.5 / 50_000
    chances = [0.5 * 2 / 5 + rest, 0.5 / 5 + rest, rest, rest]
    assert found.logprob_sum == pytest.approx(sum(math.log(each) for each in chances), rel=1e-12)
    assert (found.token_count, found.context_token_count, found.value) == (4, 5, None)


def test_the_wording_is_part_of_the_context_and_not_of_the_answer() -> None:
    reply = ask("rule/cache-model", "Buses first.", wording="pd_restate")
    assert {each.context_token_count for each in reply.outcome.likelihoods} == {6}
    assert reply.outcome.answer_token_count == 3


def test_its_settings_are_the_formulas(tmp_path: Path) -> None:
    path = judges_file(tmp_path, "rule/cache-model", cache_weight=0.0, vocabulary=8)
    uniform = only(ask("rule/cache-model", "a", points=(("b", "c"),), judges_file=path))
    assert uniform.logprob_sum == pytest.approx(3 * math.log(1 / 8))
    judges_file(tmp_path, "rule/cache-model", cache_weight=1.0)
    impossible = only(ask("rule/cache-model", "a", points=(("b", "c"),), judges_file=path))
    assert (impossible.status, impossible.logprob_sum) == ("not_finite", None)


def test_every_words_share_is_kept_where_it_is_asked_for() -> None:
    kept = Comparison("perspective_diversity", keep_tokens=True)
    for each in ask("rule/cache-model", "The buses are late.", kept).outcome.likelihoods:
        assert each.token_logprobs is not None
        total = sum(value for _, value in each.token_logprobs)
        assert total == pytest.approx(each.logprob_sum)
        assert len(each.token_logprobs) == each.token_count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't ban CARS!", ["don't", "ban", "cars", "!"]),
        ("", []),
        ("  \n", []),
        ("10 % of Łódź", ["10", "%", "of", "łódź"]),
        ("汽车应该被禁止吗", ["汽车应该被禁止吗"]),
    ],
)
def test_words_are_runs_of_letters_and_single_signs(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


def test_bleu_and_rouge_l_of_the_same_text_are_the_most_there_is() -> None:
    view, why = POINTS[0]
    same = f"{view}. {why}"
    bleu = only(ask("rule/bleu", same, Comparison("bleu"), points=POINTS[:1]))
    rouge = only(ask("rule/rouge-l", same, Comparison("rouge_l"), points=POINTS[:1]))
    assert (bleu.value, rouge.value) == (pytest.approx(100.0), pytest.approx(1.0))
    assert (bleu.logprob_sum, rouge.logprob_sum) == (None, None)


def test_rouge_l_by_hand() -> None:
    # "b c d" and "b x d .": the longest common subsequence is "b d", 2 words; the full stop is no
    # word. Precision 2/3, recall 2/3, F 2/3.
    found = only(ask("rule/rouge-l", "b c d", Comparison("rouge_l"), points=(("b x d", ""),)))
    assert found.value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("judge_id", "metric"),
    [
        ("rule/cache-model", "perspective_diversity"),
        ("rule/bleu", "bleu"),
        ("rule/rouge-l", "rouge_l"),
    ],
)
def test_an_empty_answer_has_no_value(judge_id: str, metric: str) -> None:
    for each in ask(judge_id, " \n", Comparison(metric)).outcome.likelihoods:
        assert (each.status, each.value, each.logprob_sum) == ("empty_answer", None, None)


def test_a_question_without_points_of_view_is_counted_and_not_scored(tmp_path: Path) -> None:
    source = write_questions(tmp_path / "items", 3, answers=["Buses."], points={1: ()})
    spec = spec_for("rule/cache-model", None, {})
    asked = load_experiment("perspective-diversity")
    summary = run(asked, spec, [source], journal_root=tmp_path / "journal", environ={})
    assert (summary.status, summary.answered) == ("complete", 4)
    assert dict(summary.errors) == {"no_partial_answers": 2}


def test_changed_points_of_view_are_another_request(tmp_path: Path) -> None:
    spec = spec_for("rule/bleu", None, {})
    asked = load_experiment("bleu")
    found = []
    for points in (POINTS, (*POINTS[:2], ("Bicycles are enough", "They are quick."))):
        source = write_questions(tmp_path / "items", 1, answers=["Buses."], points={0: points})
        summary = run(asked, spec, [source], journal_root=tmp_path / "journal", environ={})
        found.append(summary)
    assert [each.answered for each in found] == [1, 1]
    assert found[0].run_ids != found[1].run_ids
    (line,) = (
        each
        for each in read_journal(tmp_path / "journal" / found[1].run_ids[0] / "responses.jsonl")
        if each["kind"] == "answer"
    )
    assert (line["metric"], line["template"], line["item_kind"]) == ("bleu", "bleu", "answer")
    assert line["response"] is None
    assert line["likelihoods"][2]["partial_answer_id"] == "made-up:000/p3"


@pytest.mark.parametrize(
    ("judge_id", "package"), [("rule/bleu", "sacrebleu"), ("rule/rouge-l", "rouge-score")]
)
def test_a_missing_package_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, judge_id: str, package: str
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(text_rules, "version", missing)
    source = write_questions(tmp_path / "items", 1, answers=["Buses."], points={0: POINTS})
    asked = load_experiment(judge_id.removeprefix("rule/"))
    with pytest.raises(ModelUnavailable, match=f"{package}, which is not installed; run: pip"):
        run(asked, spec_for(judge_id, None, {}), [source], journal_root=tmp_path, environ={})
