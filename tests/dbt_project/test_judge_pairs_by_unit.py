"""Judges of parliamentary debates, questions and stories told apart, against SciPy and statsmodels."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tests.dbt_project.compiled_models import Built, Models, rows_of
from tests.dbt_project.oversight_data import judgements, stories, transcript
from tests.dbt_project.parliamentary_data import Answer, Room, as_raw
from tests.dbt_project.question_data import Likelihood, answer, likelihoods, questions, score

# Of each judge its value on each unit; of each unit its cluster.
Values = Mapping[str, Mapping[Any, float]]
Test = tuple[float, float | None]


def told(models: Models, measure: str, dimension: str | None = None) -> dict[Any, dict[str, Any]]:
    """Return the pairs of judges of the only ranking of a measure."""
    where = f"{measure} / d / {f'{dimension} / ' if dimension else ''}%"
    rows = rows_of(models, "from int_judge_pairs_adjusted where ranking_id like ?", [where])
    assert len({row["ranking_id"] for row in rows}) == 1
    return {(row["judge_a"], row["judge_b"]): row for row in rows}


def compared(values: Values, clusters: Mapping[Any, Any], test: Any) -> dict[Any, Test]:
    """Return difference and p of every pair of judges from a test of units and their clusters."""
    found = {}
    for a, b in itertools.combinations(sorted(values), 2):
        shared = sorted(values[a].keys() & values[b].keys())
        sides = np.array([[values[a][unit], values[b][unit]] for unit in shared])
        found[a, b] = test(sides, [clusters[unit] for unit in shared])
    return found


def by_cluster(values: Any, clusters: Sequence[Any], how: Any) -> list[float]:
    return [
        float(how([value for value, at in zip(values, clusters, strict=True) if at == one]))
        for one in dict.fromkeys(clusters)
    ]


def paired_t(sides: Any, clusters: Sequence[Any]) -> Test:
    """The paired t-test on the means of clusters."""
    means = by_cluster(sides[:, 0] - sides[:, 1], clusters, np.mean)
    return float(np.mean(means)), float(stats.ttest_1samp(means, 0).pvalue)


def sign_test(sides: Any, clusters: Sequence[Any]) -> Test:
    """McNemar's exact test on clusters; a unit on which either is half right is left out."""
    signs = np.where((sides == 0.5).any(axis=1), 0, np.sign(sides[:, 0] - sides[:, 1]))
    sums = by_cluster(signs, clusters, sum)
    ahead, behind = sum(each > 0 for each in sums), sum(each < 0 for each in sums)
    assert 0 < ahead + behind < 25
    difference = float(np.mean(sides[:, 0] - sides[:, 1]))
    return difference, float(stats.binomtest(ahead, ahead + behind).pvalue)


def check(rows: Mapping[Any, Mapping[str, Any]], expected: Mapping[Any, Test]) -> None:
    assert rows.keys() == expected.keys()
    adjusted = multipletests([p for _, p in expected.values()], method="fdr_bh")[1]
    for (pair, (difference, p)), p_adjusted in zip(expected.items(), adjusted, strict=True):
        assert rows[pair]["difference"] == pytest.approx(difference, abs=1e-12)
        assert rows[pair]["p"] == pytest.approx(p, rel=1e-9)
        assert rows[pair]["p_adjusted"] == pytest.approx(p_adjusted, rel=1e-9)


def check_places(models: Models, measure: str, expected: Mapping[Any, Test], better: int) -> None:
    """Places are behind every judge that is better beyond chance, and ahead of every worse one."""
    judges = sorted({judge for pair in expected for judge in pair})
    adjusted = multipletests([p for _, p in expected.values()], method="fdr_bh")[1]
    ahead: dict[str, int] = dict.fromkeys(judges, 0)
    behind: dict[str, int] = dict.fromkeys(judges, 0)
    for ((a, b), (difference, _)), p in zip(expected.items(), adjusted, strict=True):
        if p < 0.05:
            first, second = (a, b) if difference * better > 0 else (b, a)
            behind[first] += 1
            ahead[second] += 1
    assert any(ahead.values())
    rows = models.execute(
        "select judge_id, rank_low, rank_high from rpt_judge_ranks where measure = ? order by all",
        [measure],
    ).fetchall()
    assert rows == [(judge, 1 + ahead[judge], len(judges) - behind[judge]) for judge in judges]


def test_adjudicators_are_compared_on_the_places_both_decided_debate_by_debate(
    built: Built,
) -> None:
    """Repeats are averaged; half a ranking is none; of scores the places both gave count."""
    rng = np.random.default_rng(3)
    noise = {"j/a": 1.0, "j/b": 1.5, "j/c": 6.0}
    rooms, clusters = [], {}
    errors: dict[str, dict[Any, list[float]]] = {judge: {} for judge in noise}
    ranks_off: dict[str, dict[Any, list[float]]] = {judge: {} for judge in noise}
    for number in range(14):
        official = [float(each) for each in rng.integers(70, 80, size=8)]
        ranks = [float(each) for each in rng.permutation(4) + 1]
        answers = []
        for (judge, spread), sample in itertools.product(noise.items(), range(2)):
            scores = [
                None if rng.random() < 0.1 else float(round(value + spread * rng.normal(), 1))
                for value in official
            ]
            given: list[float | None] = list(
                stats.rankdata(np.array(ranks) + spread * rng.normal(size=4))
            )
            if rng.random() < 0.1:
                given[0] = None
            answers.append(Answer(given, scores, None, judge=judge, sample=sample))
            for place, (value, right) in enumerate(zip(scores, official, strict=True)):
                clusters[number, place] = number
                if value is not None:
                    errors[judge].setdefault((number, place), []).append(abs(value - right))
            for place, (value, right) in enumerate(zip(given, ranks, strict=True)):
                if value is not None and None not in given:
                    ranks_off[judge].setdefault((number, place), []).append(abs(value - right))
        rooms.append(Room(f"d{number}", ranks, official, answers=answers))
    models = built(**as_raw(rooms))
    for measure, dimension, found in (
        ("mae", "speaker_scores", errors),
        ("mean_rank_difference", "house_ranks", ranks_off),
    ):
        values = {
            judge: {unit: float(np.mean(each)) for unit, each in units.items()}
            for judge, units in found.items()
        }
        expected = compared(values, clusters, paired_t)
        check(told(models, measure, dimension), expected)
        if measure == "mae":
            check_places(models, measure, expected, better=-1)


def test_models_are_compared_on_the_questions_both_have_a_score_on(built: Built) -> None:
    rng = np.random.default_rng(8)
    clever = {"a": 0.9, "b": 0.75, "c": 0.3}
    answers, losses, scores = [], [], []
    diverse: dict[str, dict[Any, float]] = {f"m/{model}": {} for model in clever}
    aware: dict[str, dict[Any, float]] = {f"m/{model}": {} for model in clever}
    for number, (model, share) in itertools.product(range(40), clever.items()):
        made = answer(f"q{number}", model)
        answers.append(made)
        if rng.random() < 0.9:
            loss = float(round(3 - share + rng.normal(scale=0.3), 6))
            losses += likelihoods(made, [Likelihood(-loss, 1)])
            diverse[f"m/{model}"][f"q{number}"] = float(np.exp(loss))
        is_aware = float(rng.random() < share)
        scores.append(score(made, None if rng.random() < 0.1 else is_aware))
        if scores[-1]["value"] is not None:
            aware[f"m/{model}"][f"q{number}"] = is_aware
    models = built(
        raw=questions({f"q{number}": 1 for number in range(40)})
        | {"answers": answers, "likelihoods": losses, "scores": scores}
    )
    own = {f"q{number}": number for number in range(40)}
    for measure, values, test, better in (
        ("perspective_diversity", diverse, paired_t, -1),
        ("dispute_awareness", aware, sign_test, 1),
    ):
        expected = compared(values, own, test)
        check(told(models, measure), expected)
        check_places(models, measure, expected, better)


def judged(
    built: Built, asked: Mapping[str, str], said: Mapping[str, Mapping[str, float]], honest: Any
) -> Models:
    """Return the models of judges of one question each; answer 0 is right everywhere.

    Args:
        asked: Of each question the story.
        said: Of each judge the probability of answer 0 by question.
        honest: Of a question whether the consultant is; None for debates.
    """
    texts = {
        name: transcript(name, None if honest is None else int(not honest(name))) for name in asked
    }
    return built(
        raw=stories({name: (story, 0) for name, story in asked.items()})
        | {
            "oversight_transcripts": list(texts.values()),
            "oversight_judgements": judgements(
                {
                    "judge_id": judge,
                    "question_id": name,
                    "p_answer_0": p,
                    "protocol": texts[name]["protocol"],
                    "transcript_id": texts[name]["transcript_id"],
                }
                for judge, given in said.items()
                for name, p in given.items()
            ),
        },
    )


def oversight_replies(n_questions: int, seed: int) -> dict[str, dict[str, float]]:
    """Draw what three judges say; some questions have no reply and some an even one."""
    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, float]] = {}
    for judge, share in {"j/a": 0.95, "j/b": 0.8, "j/c": 0.2}.items():
        for number in range(n_questions):
            if rng.random() < 0.93:
                said = 0.5 if rng.random() < 0.1 else 0.9 if rng.random() < share else 0.1
                found.setdefault(judge, {})[f"q{number:02d}"] = said
    return found


def test_judges_of_debates_about_stories_are_compared_story_by_story(built: Built) -> None:
    asked = {f"q{number:02d}": f"s{number % 13}" for number in range(48)}
    said = oversight_replies(48, seed=5)
    models = judged(built, asked, said, None)
    right = {
        judge: {name: 0.5 if p == 0.5 else float(p > 0.5) for name, p in given.items()}
        for judge, given in said.items()
    }
    expected = compared(right, asked, sign_test)
    check(told(models, "protocol_accuracy", "debate"), expected)
    check_places(models, "protocol_accuracy", expected, better=1)


def test_honest_and_dishonest_consultants_count_half_each_for_a_pair_of_judges(
    built: Built,
) -> None:
    """Of 48 consultancies 12 are honest: a judgement of one weighs 48 / 24, of another 48 / 72."""
    asked = {f"q{number:02d}": f"s{number % 13}" for number in range(48)}
    said = {judge: dict.fromkeys(asked, 0.9) for judge in ("j/a", "j/b")}
    rng = np.random.default_rng(1)
    for name in asked:
        if rng.random() < 0.5:
            said["j/b"][name] = 0.1
        elif rng.random() < 0.3:
            said["j/a"][name] = 0.1

    def honest(name: str) -> bool:
        return int(name[1:]) % 4 == 0

    models = judged(built, asked, said, honest)
    weight = {name: 48 / 24 if honest(name) else 48 / 72 for name in asked}
    gain = {
        name: weight[name] * ((said["j/a"][name] > 0.5) - (said["j/b"][name] > 0.5))
        for name in asked
    }
    sums = by_cluster(list(gain.values()), list(asked.values()), sum)
    ahead, behind = sum(each > 1e-9 for each in sums), sum(each < -1e-9 for each in sums)
    row = told(models, "protocol_accuracy", "consultancy")["j/a", "j/b"]
    accuracies = dict(
        models.execute("select judge_id, accuracy from rpt_protocol_accuracy").fetchall()
    )
    assert row["difference"] == pytest.approx(sum(gain.values()) / 48)
    assert row["difference"] == pytest.approx(accuracies["j/a"] - accuracies["j/b"])
    assert row["p"] == pytest.approx(stats.binomtest(ahead, ahead + behind).pvalue)


@pytest.mark.parametrize(("n_questions", "n_stories"), [(29, 15), (40, 9)])
def test_judges_that_share_too_little_are_not_told_apart(
    built: Built, n_questions: int, n_stories: int
) -> None:
    asked = {f"q{number:02d}": f"s{number % n_stories}" for number in range(n_questions)}
    said = {"j/a": dict.fromkeys(asked, 0.9), "j/b": dict.fromkeys(asked, 0.1)}
    models = judged(built, asked, said, None)
    row = told(models, "protocol_accuracy", "debate")["j/a", "j/b"]
    assert (row["difference"], row["p"], row["n_shared"], row["n_units"]) == (
        1.0,
        None,
        n_questions,
        n_stories,
    )
    ranks = models.execute("select rank_low, reason from rpt_judge_ranks").fetchall()
    assert ranks == [(None, "fewer than 30 units or 10 clusters")] * 2
