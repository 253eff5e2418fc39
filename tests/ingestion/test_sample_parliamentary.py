"""The sample's parliamentary debates: tabs that agree with themselves, texts of the right length."""

import hashlib
from collections import defaultdict

import pytest

from ingestion.load import load
from ingestion.parliamentary.batch import ParliamentaryDebate
from ingestion.parliamentary.readers.sample_parliamentary import NAME, sample_parliamentary_batch
from tests.ingestion.ingestion_files import item_rows
from warehouse.home import Home
from warehouse.records.bp import HOUSE_OF, HOUSES, ROLES
from warehouse.records.parliamentary import PANEL

# Change this only together with an intended change of the sample: answers already paid for depend
# on the texts.
TEXTS_SHA256 = "653ccc68c8abbb1e78ebe684cf17b65100db9e587bdd4e7aaed57eb8db86e052"
DEBATES = sample_parliamentary_batch().debates


def _ballots(debate: ParliamentaryDebate) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for each in debate.speakers:
        assert each.score is not None
        found[each.decided_by][each.role] = each.score
    return found


def _name(debate: ParliamentaryDebate) -> str:
    return debate.debate.debate_id


@pytest.mark.parametrize("debate", DEBATES, ids=_name)
def test_every_ranking_is_that_of_its_own_sums_without_ties(debate: ParliamentaryDebate) -> None:
    for who, ballot in _ballots(debate).items():
        assert set(ballot) == set(ROLES)
        sums = {
            house: sum(score for role, score in ballot.items() if HOUSE_OF[role] == house)
            for house in HOUSES
        }
        assert len(set(sums.values())) == 4
        teams = [each for each in debate.teams if each.decided_by == who]
        ranked = {each.team_rank: sums[each.house] for each in teams}
        assert [ranked[rank] for rank in (1, 2, 3, 4)] == sorted(sums.values(), reverse=True)
        assert {each.team_rank: each.points for each in teams} == {1: 3, 2: 2, 3: 1, 4: 0}


@pytest.mark.parametrize("debate", DEBATES, ids=_name)
def test_a_panels_result_is_the_mean_of_its_ballots(debate: ParliamentaryDebate) -> None:
    ballots = _ballots(debate)
    official = ballots.pop(PANEL)
    assert all(66 <= score <= 84 and score == int(score) for score in official.values())
    if ballots:
        assert set(ballots) == {each.adjudicator_id for each in debate.adjudicators}
        for role, score in official.items():
            assert sum(ballot[role] for ballot in ballots.values()) == 3 * score


def test_they_load_once_and_all_are_judged(home: Home) -> None:
    batch = sample_parliamentary_batch()
    report = load(home, batch)
    assert (report.quarantined, report.notes[-1]) == (0, "kept: 6")
    rows = item_rows(home, NAME, "parliamentary")
    assert len(rows) == 6
    assert len(item_rows(home, NAME, "parliamentary_reference")) == 6 * 12
    texts = repr(
        [
            (row["motion"], row["info_slide"], [each["text"] for each in row["speeches"]])
            for row in rows
        ]
    )
    assert hashlib.sha256(texts.encode()).hexdigest() == TEXTS_SHA256
