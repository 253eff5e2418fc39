"""Made-up debates and verdicts, as rows of the raw tables and as the units they should become."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from tests.dbt_project.references import jackknife_half

Rows = list[dict[str, Any]]
SIDES = ("pro", "con")
VERDICTS = ("pro", "con", "con", "tie", "unparsed", "unanswered")


@dataclass(frozen=True)
class Debate:
    """A debate between Pro and Con, and the verdicts of the judge j/a on it.

    Attributes:
        cluster: None for one of its own.
        human: The winner by people; tie or None where there is none.
        end: The side that closes.
        words: Words of Pro and of Con; without them there are no speeches.
        answers: What each request came to: pro, con, tie, unparsed or unanswered.
        speakers: Of Pro and of Con.
    """

    name: str
    cluster: str | None = None
    human: str | None = None
    end: str | None = None
    rounds: int | None = None
    words: tuple[int, int] | None = None
    answers: tuple[str, ...] = ()
    speakers: tuple[str | None, str | None] = (None, None)

    @property
    def parsed(self) -> list[str]:
        """The answers with a verdict."""
        return [each for each in self.answers if each in ("pro", "con", "tie")]

    @property
    def con_share(self) -> float:
        """The share of verdicts for Con, a tie counted as half."""
        return sum({"con": 1.0, "tie": 0.5}.get(each, 0.0) for each in self.parsed) / len(
            self.parsed
        )

    @property
    def majority(self) -> str | None:
        """The side with more verdicts; None where they are split evenly."""
        lead = self.answers.count("con") - self.answers.count("pro")
        return "con" if lead > 0 else "pro" if lead < 0 else None

    @property
    def is_scored(self) -> bool:
        """Whether people and the judge both have something to say."""
        return self.human in SIDES and bool(self.parsed)


@st.composite
def debates(draw: st.DrawFn, repeats: int = 1, twins: bool = False, most: int = 40) -> list[Debate]:
    """Draw debates with one judge's verdicts on them.

    Args:
        repeats: Most verdicts per debate.
        twins: Whether debates share clusters.
        most: Most debates.
    """
    return [
        Debate(
            name=f"x{number:03d}",
            cluster=f"c{draw(st.integers(0, 12)) if twins else number}",
            human=draw(st.sampled_from(["pro", "con", "con", "tie", None])),
            end=draw(st.sampled_from(["pro", "con", "con", None])),
            rounds=draw(st.sampled_from([3, 4])),
            words=(draw(st.integers(0, 40)), draw(st.integers(0, 40))),
            answers=tuple(
                draw(st.sampled_from(VERDICTS)) for _ in range(draw(st.integers(1, repeats)))
            ),
        )
        for number in range(draw(st.integers(1, most)))
    ]


def debate_rows(debates: Iterable[Debate]) -> dict[str, Rows]:
    """Return the raw tables of debates; those of one cluster have one motion."""
    rows: dict[str, Rows] = {"debates": [], "debate_outcomes": [], "speeches": []}
    for each in debates:
        about = {"debate_id": each.name}
        cluster = each.cluster or each.name
        rows["debates"].append(
            about
            | {
                "motion": f"m {cluster}",
                "cluster_id": cluster,
                "round_count": each.rounds,
                "end_side": each.end,
            }
        )
        rows["debate_outcomes"].append(about | {"winner": each.human})
        rows["speeches"] += [
            about
            | {
                "item_id": f"{each.name}-{side}",
                "speaker": speaker,
                "word_count": words,
                "side": side,
                "speech_order": order,
            }
            for order, (side, words, speaker) in enumerate(
                zip(SIDES, each.words or (), each.speakers, strict=False)
            )
        ]
    return rows


def as_raw(debates: Sequence[Debate], **factors: Any) -> dict[str, Any]:
    """Return what `built` takes for these debates; `factors` are columns of every verdict."""
    status = {"unanswered": "not_answered", "unparsed": "unparsed"}
    verdicts = [
        {
            "judge_id": "j/a",
            "debate_id": debate.name,
            "sample": sample,
            "winner": None if answer in status else answer,
            "request_status": "error" if answer == "unanswered" else "answered",
            "error_kind": "timeout" if answer == "unanswered" else None,
            "parse_status": status.get(answer, "parsed"),
            **factors,
        }
        for debate in debates
        for sample, answer in enumerate(debate.answers)
    ]
    return {"raw": debate_rows(debates) | {"verdicts": verdicts}}


def jackknifed(
    made: Sequence[Debate], statistic: Callable[[list[Debate]], float | None]
) -> float | None:
    """Return half the width of a statistic's interval from leaving out each cluster in turn."""
    clusters = sorted({debate.cluster for debate in made})
    return jackknife_half(
        [statistic([debate for debate in made if debate.cluster != name]) for name in clusters]
    )


def check_mcnemar(row: Mapping[str, Any], decided: Iterable[tuple[bool, bool, str]]) -> None:
    """Compare McNemar's tests with statsmodels, and the quoted one of clusters with SciPy.

    Args:
        row: Of a mart.
        decided: Of each debate with two decisions, these and its cluster.
    """
    clusters: Counter[str] = Counter()
    first = second = 0
    for one, other, cluster in decided:
        first, second = first + (one and not other), second + (other and not one)
        clusters[cluster] += one - other
    names = ["mcnemar", "p_mcnemar", "p_exact", "p", "p_kind", "mcnemar_of_clusters"]
    names += [name for name in ("mcnemar_corrected", "p_corrected") if name in row]
    if not first + second:
        assert [row[name] for name in names] == [None] * len(names)
        assert row["reason"]
        return
    table = [[0, first], [second, 0]]
    plain = mcnemar(table, exact=False, correction=False)
    assert (row["mcnemar"], row["p_mcnemar"]) == pytest.approx((plain.statistic, plain.pvalue))
    assert row["p_exact"] == pytest.approx(mcnemar(table, exact=True).pvalue)
    if "mcnemar_corrected" in row:
        corrected = mcnemar(table, exact=False, correction=True)
        expected = (0, 1) if first == second else (corrected.statistic, corrected.pvalue)
        assert (row["mcnemar_corrected"], row["p_corrected"]) == pytest.approx(expected)
    towards = sum(count > 0 for count in clusters.values())
    discordant = sum(count != 0 for count in clusters.values())
    if not discordant:
        assert row["p"] is None
        assert row["reason"] == "no discordant clusters"
        return
    squares = sum(count**2 for count in clusters.values())
    assert row["mcnemar_of_clusters"] == pytest.approx((first - second) ** 2 / squares)
    is_exact = discordant < 25
    shared = " by cluster" if row["n_clusters"] < row["n_units"] else ""
    assert row["p_kind"] == ("exact" if is_exact else "uncorrected") + shared
    if is_exact:
        assert row["p"] == pytest.approx(stats.binomtest(towards, discordant).pvalue)
    else:
        assert row["p"] == pytest.approx(stats.chi2.sf(row["mcnemar_of_clusters"], 1))
    if not shared:
        assert row["p"] == row["p_exact" if is_exact else "p_mcnemar"]
