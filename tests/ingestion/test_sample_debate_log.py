"""The sample's log of debates: every pair from both sides, judges with planted habits, people beside."""

import hashlib
from collections import defaultdict

from ingestion.debates.readers.sample_debate_log import sample_log_batch
from ingestion.load import load
from ingestion.sample.debate_log import DEBATERS, PEOPLE, logged_debates
from warehouse.home import Home

# Change this only together with an intended change of the sample.
LOG_SHA256 = "095494bccfe5a2ee3e1e36a9eafda0b33df6fe950a84d6196a9706218168a714"
LOG = logged_debates()


def test_the_log_is_the_same_everywhere_and_is_loaded_once(home: Home) -> None:
    assert hashlib.sha256(repr(LOG).encode()).hexdigest() == LOG_SHA256
    assert load(home, sample_log_batch()).quarantined == 0
    assert load(home, sample_log_batch()).load_id is None


def test_the_judge_with_a_planted_favour_names_its_own_family_more_often_than_people_do() -> None:
    shares: dict[str, list[bool]] = defaultdict(list)
    for row in LOG:
        families = DEBATERS[row.pro][0], DEBATERS[row.con][0]
        if row.winner is not None and families.count("alder") == 1:
            won = families[0] if row.winner == "pro" else families[1]
            shares[row.judge].append(won == "alder")
    mean = {judge: sum(won) / len(won) for judge, won in shares.items()}
    assert mean["alder/large"] > mean[PEOPLE] + 0.1
    assert abs(mean["birch/large"] - mean[PEOPLE]) < 0.1
