"""Verdicts for tests of the bias marts: made-up debates, and the units they should become."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.dbt_project.references import jackknife_half

SIDES = ("pro", "con")
VERDICTS = ("pro", "con", "con", "tie", "unparsed", "unanswered")


@dataclass(frozen=True)
class Made:
    """One debate with the verdicts a judge gave on it.

    Attributes:
        human: The winner by people; tie or None where there is none.
        end: The side that closes.
        answers: What each request came to: pro, con, tie, unparsed or unanswered.
        words: Words of Pro and of Con.
    """

    name: str
    cluster: str
    human: str | None
    end: str | None
    rounds: int
    words: tuple[int, int]
    answers: tuple[str, ...]

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
def debates(draw: st.DrawFn, repeats: int = 1, twins: bool = False, most: int = 40) -> list[Made]:
    """Draw debates with one judge's verdicts on them.

    Args:
        repeats: Most verdicts per debate.
        twins: Whether debates share clusters.
        most: Most debates.
    """
    return [
        Made(
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


def as_raw(made: list[Made], **factors: Any) -> dict[str, Any]:
    """Return what `built` takes for these debates and one judge's verdicts on them.

    Args:
        made: The debates.
        factors: Further columns of every verdict, such as `position`.
    """
    verdicts = []
    for debate in made:
        for sample, answer in enumerate(debate.answers):
            is_read = answer in ("pro", "con", "tie")
            verdicts.append(
                {
                    "judge_id": "j/a",
                    "debate_id": debate.name,
                    "sample": sample,
                    "winner": answer if is_read else None,
                    "request_status": "error" if answer == "unanswered" else "answered",
                    "error_kind": "timeout" if answer == "unanswered" else None,
                    "parse_status": {"unanswered": "not_answered", "unparsed": "unparsed"}.get(
                        answer, "parsed"
                    ),
                    **factors,
                }
            )
    return {
        "raw": {
            "verdicts": verdicts,
            "debates": [
                {
                    "debate_id": debate.name,
                    "cluster_id": debate.cluster,
                    "round_count": debate.rounds,
                    "end_side": debate.end,
                }
                for debate in made
            ],
            "debate_outcomes": [
                {"debate_id": debate.name, "winner": debate.human}
                for debate in made
                if debate.human
            ],
            "speeches": [
                {
                    "item_id": f"{debate.name}:{side}",
                    "debate_id": debate.name,
                    "word_count": words,
                    "side": side,
                }
                for debate in made
                for side, words in zip(SIDES, debate.words, strict=True)
            ],
        },
    }


def jackknifed(
    made: Sequence[Made], statistic: Callable[[list[Made]], float | None]
) -> float | None:
    """Return half the width of a statistic's interval from leaving out each cluster in turn."""
    clusters = sorted({debate.cluster for debate in made})
    return jackknife_half(
        [statistic([debate for debate in made if debate.cluster != name]) for name in clusters]
    )
