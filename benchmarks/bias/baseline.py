"""What a user would otherwise run: loops over judges and variants, with pandas."""

import duckdb
import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import StratifiedTable, mcnemar
from statsmodels.stats.multitest import multipletests

Found = dict[tuple[str, ...], float]


def load(path: str) -> pd.DataFrame:
    """Read the parsed verdicts with what they are compared with, as a notebook would."""
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(
            "select judge_id, verbalizer, position, debate_id, v.winner = 'con' as is_con, "
            "o.winner = 'con' as human_is_con, d.end_side = 'con' as con_closes, "
            "log2(w.con / w.pro) as ratio from raw.verdicts v "
            "inner join raw.debate_outcomes o using (debate_id) "
            "inner join raw.debates d using (debate_id) "
            "inner join (select debate_id, sum(word_count) filter (where side = 'con') as con, "
            "sum(word_count) filter (where side = 'pro') as pro from raw.speeches group by all) w "
            "using (debate_id) where v.winner is not null and v.outcome = 'winner'"
        ).df()


def analyse(verdicts: pd.DataFrame) -> Found:
    """Return accuracy, contingency tables and paired tests of every judge, corrected in its family.

    Intervals come from 200 bootstrap draws of the debates for accuracy alone: a notebook rarely has
    more.
    """
    found: Found = {}
    generator = np.random.default_rng(1)
    for judge, own in verdicts.groupby("judge_id"):
        p_values: list[float] = []
        for (labels, position), rows in own.groupby(["verbalizer", "position"]):
            p_values += _one_variant(found, (str(judge), labels, position), rows, generator)
        p_values += _paired(found, str(judge), own)
        found[str(judge), "significant"] = float(sum(multipletests(p_values, method="fdr_bh")[0]))
    return found


def _one_variant(
    found: Found, key: tuple[str, ...], rows: pd.DataFrame, generator: np.random.Generator
) -> list[float]:
    truth, named = rows["human_is_con"].to_numpy(), rows["is_con"].to_numpy()
    right = (truth == named).astype(float)
    found[*key, "accuracy"] = metrics.accuracy_score(truth, named)
    found[*key, "f1_weighted"] = metrics.f1_score(truth, named, average="weighted")
    found[*key, "f1_macro"] = metrics.f1_score(truth, named, average="macro")
    found[*key, "mcc"] = metrics.matthews_corrcoef(truth, named)
    found[*key, "kappa"] = metrics.cohen_kappa_score(truth, named)
    draws = generator.integers(0, len(right), size=(200, len(right)))
    found[*key, "accuracy_low"] = float(np.quantile(right[draws].mean(axis=1), 0.025))
    table = pd.crosstab(rows["con_closes"], rows["is_con"]).to_numpy()
    found[*key, "chi_square"] = stats.chi2_contingency(table, correction=False).statistic
    tables = [
        pd.crosstab(part["con_closes"], part["is_con"]).to_numpy()
        for _, part in rows.groupby("human_is_con")
    ]
    stratified = StratifiedTable(tables)
    found[*key, "mh_odds_ratio"] = float(stratified.oddsratio_pooled)
    order = stratified.test_null_odds(correction=False).pvalue
    pairs = pd.crosstab(named, truth).reindex(
        index=[False, True], columns=[False, True], fill_value=0
    )
    stance = mcnemar(pairs.to_numpy(), exact=False, correction=False).pvalue
    slope = stats.linregress(rows["ratio"], named.astype(float) - truth.astype(float))
    found[*key, "verbosity"] = float(slope.slope)
    return [float(order), float(stance), float(slope.pvalue)]


def _paired(found: Found, judge: str, own: pd.DataFrame) -> list[float]:
    wide = own.pivot_table(
        index="debate_id", columns=["verbalizer", "position"], values="is_con", aggfunc="first"
    )
    p_values = []
    for labels, position in wide.columns:
        pairs = [(labels, "con_first")] if position == "pro_first" else []
        flipped = "/".join(reversed(labels.split("/")))
        if labels < flipped:
            pairs.append((flipped, position))
        for other in pairs:
            if other not in wide.columns:
                continue
            both = wide[[(labels, position), other]].dropna().astype(bool)
            table = pd.crosstab(both.iloc[:, 0], both.iloc[:, 1]).reindex(
                index=[False, True], columns=[False, True], fill_value=0
            )
            test = mcnemar(table.to_numpy(), exact=False, correction=False)
            found[judge, labels, position, *other, "mcnemar"] = float(test.statistic)
            p_values.append(float(test.pvalue))
    return p_values
