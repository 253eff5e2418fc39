"""What a user would otherwise run: loops over judges and debates, with pandas and SciPy."""

import duckdb
import numpy as np
import pandas as pd
from scipy import stats

Found = dict[tuple[str, ...], float]
ROLES = ("pm", "lo", "dpm", "dlo", "mg", "mo", "gw", "ow")
_OPENING = {"pm", "lo", "dpm", "dlo", "og", "oo"}
_GOVERNMENT = {"pm", "dpm", "mg", "gw", "og", "cg"}


def load(path: str, judges: int) -> pd.DataFrame:
    """Read the first judges' readable values with the panel's, as a notebook would."""
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(
            """
            select a.judge_id, a.debate_id, v.task, v.place, v.value as predicted,
                coalesce(s.score, t.team_rank) as official
            from raw.adjudication_values v
            inner join raw.adjudications a using (run_id, request_id)
            left join raw.speaker_results s
                on s.debate_id = a.debate_id and s.role = v.place and v.task != 'house_ranks'
            left join raw.team_results t
                on t.debate_id = a.debate_id and t.house = v.place and v.task = 'house_ranks'
            where value is not null and a.judge_id in (
                select judge_id from raw.judges order by judge_id limit ?
            )
            """,
            [judges],
        ).df()


def analyse(values: pd.DataFrame) -> Found:
    """Return errors, rank measures and contrasts of every judge, with t intervals over debates."""
    found: Found = {}
    for judge, own in values.groupby("judge_id"):
        for task, rows in own.groupby("task"):
            if task == "speaker_scores":
                _scores(found, str(judge), rows)
            else:
                _ranks(found, str(judge), str(task), rows)
    return found


def _scores(found: Found, judge: str, rows: pd.DataFrame) -> None:
    rows = rows.assign(error=rows["predicted"] - rows["official"])
    _mean(found, (judge, "mae"), rows["error"].abs().groupby(rows["debate_id"]).mean())
    _mean(found, (judge, "bias"), rows["error"].groupby(rows["debate_id"]).mean())
    found[judge, "rmse"] = float(np.sqrt((rows["error"] ** 2).mean()))
    found[judge, "correlation"] = float(stats.pearsonr(rows["predicted"], rows["official"])[0])
    within, slopes = [], []
    for _, debate in rows.groupby("debate_id"):
        if debate["predicted"].nunique() > 1 and debate["official"].nunique() > 1:
            within.append(stats.pearsonr(debate["predicted"], debate["official"])[0])
        ordered = debate.set_index("place").loc[list(ROLES), "error"]
        slopes.append(stats.linregress(range(1, 9), ordered).slope)
    found[judge, "correlation_within"] = float(np.mean(within))
    _mean(found, (judge, "late_speaker"), pd.Series(slopes))
    for name, places in (("opening_half", _OPENING), ("government", _GOVERNMENT)):
        sign = rows["place"].isin(places).map({True: 1, False: -1})
        contrast = (rows["error"] * sign / 4).groupby(rows["debate_id"]).sum()
        _mean(found, (judge, name), contrast)


def _ranks(found: Found, judge: str, task: str, rows: pd.DataFrame) -> None:
    differences, taus, tops = [], [], []
    for _, debate in rows.groupby("debate_id"):
        official = debate["official"].to_numpy()
        ranks = official if task == "house_ranks" else stats.rankdata(-official)
        predicted = debate["predicted"].to_numpy()
        differences.append(np.abs(predicted - ranks).mean())
        taus.append(stats.kendalltau(predicted, ranks)[0])
        tops.append(ranks[predicted.argmin()] == ranks.min())
    _mean(found, (judge, task, "mean_rank_difference"), pd.Series(differences))
    _mean(found, (judge, task, "kendall_tau"), pd.Series(taus).dropna())
    _mean(found, (judge, task, "top_accuracy"), pd.Series(tops, dtype=float))


def _mean(found: Found, key: tuple[str, ...], values: pd.Series) -> None:
    found[key] = float(values.mean())
    test = stats.ttest_1samp(values, 0)
    found[*key, "low"] = float(test.confidence_interval(0.95).low)
