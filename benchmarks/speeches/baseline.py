"""What a user would otherwise run: loops over judges, people and topics, with pandas and SciPy."""

import duckdb
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.linear_model import LinearRegression

Found = dict[tuple[str, ...], float]
REFERENCE = 8
DRAWS = 100


def load(path: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read ratings and readable scores, as a notebook would."""
    with duckdb.connect(path, read_only=True) as connection:
        ratings, scores = (
            connection.execute(
                f"select {who} as who, item_id, debate_id, source, value from raw.{table} "
                "inner join raw.speeches using (item_id) where value is not null"
            ).df()
            for table, who in (("human_ratings", "annotator_id"), ("scores", "judge_id"))
        )
    return ratings, scores


def analyse(ratings: pd.DataFrame, scores: pd.DataFrame) -> Found:
    """Measure severity, speakers and the crowd, by judge or person and measure."""
    found: Found = {}
    means = ratings.groupby("item_id")["value"].mean().rename("people")
    for judge, mine in scores.groupby("who"):
        _severity(found, str(judge), mine.join(means, on="item_id", how="inner"))
        _speakers(found, str(judge), mine)
    for person, mine in ratings.groupby("who"):
        _person(found, str(person), mine, ratings)
    _crowd(found, ratings)
    return found


def _severity(found: Found, judge: str, rows: pd.DataFrame) -> None:
    for name, kept in (("overall", rows), *rows.groupby("source")):
        found["rpt_severity", judge, str(name), "shift"] = _shift(kept)
        found["rpt_severity", judge, str(name), "spread_ratio"] = _spread(kept)
        topics = kept["debate_id"].unique()
        left = [kept[kept["debate_id"] != topic] for topic in topics]
        for measure, replicates in (
            ("shift", np.array([_shift(each) for each in left])),
            ("spread_ratio", np.log([_spread(each) for each in left])),
        ):
            half = stats.t.ppf(0.975, len(topics) - 1) * np.sqrt(
                (len(topics) - 1) * np.var(replicates)
            )
            value = found["rpt_severity", judge, str(name), measure]
            low = value - half if measure == "shift" else value * np.exp(-half)
            found["rpt_severity", judge, str(name), f"{measure}_low"] = low
    sources = rows.groupby("source")[["value", "people"]].mean()
    slope = LinearRegression().fit(sources[["people"]].to_numpy(), sources["value"].to_numpy())
    found["rpt_severity", judge, "overall", "sharpness"] = float(slope.coef_[0])


def _shift(rows: pd.DataFrame) -> float:
    return float((rows["value"] - rows["people"]).mean())


def _spread(rows: pd.DataFrame) -> float:
    return float(rows["value"].std() / rows["people"].std())


def _speakers(found: Found, judge: str, rows: pd.DataFrame) -> None:
    for source in set(rows["source"]) - {"Human expert"}:
        differences = []
        for _, topic in rows.groupby("debate_id"):
            speaker = topic.loc[topic["source"] == source, "value"]
            people = topic.loc[topic["source"] == "Human expert", "value"]
            if len(speaker) and len(people):
                differences.append(speaker.mean() - people.mean())
        test = stats.ttest_1samp(differences, 0)
        key = ("rpt_speaker_comparison", judge, str(source))
        found[*key, "difference"] = float(np.mean(differences))
        found[*key, "difference_low"] = float(test.confidence_interval(0.95).low)


def _person(found: Found, person: str, mine: pd.DataFrame, ratings: pd.DataFrame) -> None:
    others = ratings[ratings["who"] != person].groupby("item_id")["value"].mean().rename("others")
    both = mine.join(others, on="item_id", how="inner")
    key = ("rpt_rater_quality", person, "")
    found[*key, "harshness"] = float((both["others"] - both["value"]).mean())
    found[*key, "tau_c"] = float(
        stats.kendalltau(both["value"], both["others"], variant="c").statistic
    )
    found[*key, "spearman"] = float(stats.spearmanr(both["value"], both["others"]).statistic)


def _crowd(found: Found, ratings: pd.DataFrame) -> None:
    groups = [one.to_numpy() for _, one in ratings.groupby("item_id")["value"]]
    sizes = np.array([len(one) for one in groups])
    total = np.concatenate(groups)
    within = sum(((one - one.mean()) ** 2).sum() for one in groups)
    between = ((total - total.mean()) ** 2).sum() - within
    k = (len(total) - (sizes**2).sum() / len(total)) / (len(groups) - 1)
    mean_between, mean_within = between / (len(groups) - 1), within / (len(total) - len(groups))
    key = ("rpt_crowd_agreement", "human", "")
    found[*key, "icc_1"] = (mean_between - mean_within) / (mean_between + (k - 1) * mean_within)
    observed = sum(
        2 * ((one - one.mean()) ** 2).sum() * len(one) / (len(one) - 1) for one in groups
    )
    expected = 2 * total.var() * len(total) / (len(total) - 1)
    found[*key, "alpha_interval"] = 1 - observed / len(total) / expected
    # Who is a reference is drawn anew here, so this agrees as closely as two sets of draws do.
    generator = np.random.default_rng(1)
    drawn: list[list[float]] = []
    for _ in range(DRAWS):
        orders = [generator.permutation(one) for one in groups]
        reference = [one[:REFERENCE].mean() for one in orders]
        drawn.append(
            [
                float(stats.pearsonr([one[-size:].mean() for one in orders], reference)[0])
                for size in range(1, 8)
            ]
        )
    for size, value in enumerate(np.mean(drawn, axis=0), 1):
        found["rpt_rater_count", "human", str(size), "correlation"] = float(value)
