"""A published version with made-up rows in every mart, to try pages on without a build.

The numbers are plausible and mean nothing. Among them on purpose: a judge whose answers are
unreadable in one case of twelve, one whose rank correlation is undefined, two prompts, a sample
data set and another one that only has human scores.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from datetime import UTC, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from mart_tables import TABLES
from stub_curation import curation_rows
from stub_effects import effect_rows
from stub_ensembles import ensemble_rows
from stub_judging import judging_rows
from stub_oversight import oversight_rows
from stub_parliamentary import parliamentary_rows, transcript_rows
from stub_questions import printed_rows, question_rows
from stub_rows import JUDGES, NOON, Judge, stub_rows
from stub_runs import failing_runs
from stub_speakers import speaker_rows
from stub_trust import printed_trust_rows, trust_rows
from stub_verdicts import verdict_rows
from stub_why import why_rows

from warehouse.home import Home
from warehouse.reader import Version

_MADE = tempfile.TemporaryDirectory(prefix="rostrum-versions-", ignore_cleanup_errors=True)


def publish_stub(home: Home, **made_of: Any) -> Version:
    """Publish a version in a home and make it current; `made_of` is what `_made` takes.

    A version is made once: a copy costs nothing beside its making.
    """
    made = _made(**made_of)
    path = home.ensure().published / made.path.name
    shutil.copy(made.path, path)
    home.current.unlink(missing_ok=True)
    home.current.symlink_to(path.name)
    return replace(made, path=path)


@cache
def _made(
    *,
    number: int = 1,
    judges: tuple[Judge, ...] = JUDGES,
    strange: str = "",
    datasets: bool = True,
    failing: bool = False,
    verdicts: bool = False,
    questions: bool = False,
    printed: bool = False,
    curated: bool = False,
    parliamentary: bool = False,
    transcripts: bool = False,
    oversight: bool = False,
    judging: bool = False,
    speakers: bool = False,
    why: bool = False,
    effects: bool = False,
) -> Version:
    """Write a version into a folder that goes when Python ends.

    Args:
        number: Which version; later ones have higher numbers.
        judges: Which judges have scored the sample.
        strange: Stands wherever strangers can write: titles, questions, motions, sources, speeches,
            answers and reasons.
        datasets: Whether there is any data set at all.
        failing: Whether there is a run with every kind of failure, and one not begun.
        verdicts: Whether judges have named the winners of debates.
        questions: Whether models have answered debatable questions.
        printed: Whether there is what a paper prints of models and metrics of its own.
        curated: Whether sets of questions were curated here.
        parliamentary: Whether judges have adjudicated parliamentary debates.
        transcripts: Whether recordings were transcribed here.
        oversight: Whether questions about stories were debated and judged.
        judging: Whether there are debates about stories for a person to judge.
        speakers: Whether models have written speeches that judges scored.
        why: Whether the reasons judges gave were analysed.
        effects: Whether judges have answered with reasons and without, and some have a size.
    """
    at = NOON + timedelta(hours=number)
    name = f"v{number:06d}-{at:%Y%m%dT%H%M%SZ}"
    path = Path(tempfile.mkdtemp(dir=_MADE.name)) / f"{name}.duckdb"
    connection = duckdb.connect(str(path))
    for table, columns in TABLES.items():
        connection.execute(f"create table {table} ({columns})")
        connection.execute(f"comment on table {table} is 'What {table} holds, in one line.'")
    rows = list(stub_rows(judges, strange)) if datasets else []
    if datasets and judges:
        rows += ensemble_rows(judges, strange)
    if failing:
        rows += failing_runs(strange)
    if verdicts:
        rows += verdict_rows(strange)
    if questions:
        rows += [*question_rows(strange), *trust_rows()]
    if printed:
        rows += [*printed_rows(), *printed_trust_rows()]
    if curated:
        rows += curation_rows(strange)
    if parliamentary:
        rows += parliamentary_rows(strange)
    if transcripts:
        rows += transcript_rows(strange)
    if oversight:
        rows += oversight_rows(strange)
    if effects:
        rows += effect_rows()
    if judging:
        rows += judging_rows(strange)
    if speakers:
        rows += speaker_rows()
    if why:
        rows += why_rows(strange)
    rows.append(
        (
            "publication",
            {"version": name, "published_at": at, "code_version": "0.1.0", "raw_load_id": 1},
        )
    )
    for table in TABLES:
        mine = [row for named, row in rows if named == table]
        if mine:
            known = {row[0] for row in connection.execute(f"describe {table}").fetchall()}
            keys = [
                key for key in dict.fromkeys(key for row in mine for key in row) if key in known
            ]
            batch = pa.table({key: [row.get(key) for row in mine] for key in keys})  # noqa: F841
            connection.execute(f"insert into {table} by name select * from batch")
    if datasets:
        connection.execute(_DERIVED)
    connection.execute(_RANKS)
    connection.execute("comment on column rpt_rank_agreement.tau_c is 'Kendall tau-c, -1 to 1.'")
    connection.execute("checkpoint")
    connection.close()
    return Version(name, path, at.replace(tzinfo=UTC))


def rank(version: Version, *rows: dict[str, Any]) -> None:
    """Give judges of a published stub places among those asked alike.

    Args:
        version: From `publish_stub`.
        rows: Columns of `rpt_judge_ranks`.
    """
    with duckdb.connect(str(version.path)) as connection:
        for row in rows:
            names = ", ".join(row)
            places = ", ".join("?" * len(row))
            connection.execute(
                f"insert into rpt_judge_ranks ({names}) values ({places})", list(row.values())
            )


# Every judge may be named, and none is told from another.
_RANKS = """
insert into rpt_judge_ranks by name
select
    *, 40 as n_units, 12 as n_clusters, starts_with(judge_id, 'ensemble/') as is_ensemble,
    estimate is not null and not is_ensemble as is_nameable,
    count(*) over (partition by measure) as n_ranked,
    if(is_nameable, 1, null) as rank_low, if(is_nameable, n_ranked, null) as rank_high
from (
    select 'tau_c' as measure, dataset_id, dimension, template, judge_id,
        null as min_shared_items, tau_c as estimate
    from rpt_rank_agreement
    where judge_id <> 'human'
    union all
    select 'mean_kappa', dataset_id, dimension, template, judge_id, min_shared_items, mean_kappa
    from rpt_rater_agreement
    where judge_id <> 'human'
)
"""
# Shares, means and differences follow from the made-up scores. The intervals are invented.
_DERIVED = """
create temp table every_score as
select dataset_id, dimension, judge_id, template, item_id, value from fct_score
union all
select dataset_id, dimension, 'human', 'human', item_id, value from fct_rating;

insert into rpt_score_distribution by name
with totals as (
    select dataset_id, dimension, judge_id, template, count(*) as n_answers
    from every_score group by all
),
cells as (select *, unnest([1, 2, 3, 4, 5, null]::double[]) as score from totals),
counts as (
    select cells.*, count(every_score.item_id) as answer_count
    from cells
    left join every_score
        on cells.dataset_id = every_score.dataset_id and cells.judge_id = every_score.judge_id
        and cells.template = every_score.template
        and cells.score is not distinct from every_score.value
    group by all
)
select *, coalesce(score::int::varchar, 'unparsed') as score_label,
    answer_count / n_answers as share, greatest(0, share - 0.04) as share_low,
    least(1, share + 0.05) as share_high, 12 as n_units
from counts;

insert into rpt_source_scores by name
select every_score.dataset_id, dimension, source, judge_id, template, avg(value) as mean_score,
    mean_score - 0.25 as mean_score_low, mean_score + 0.25 as mean_score_high,
    count(distinct item_id) as n_items, count(value) as n_answers, 12 as n_units,
    count(*) - count(value) as unparsed_count
from every_score inner join dim_item using (item_id)
group by all;

insert into rpt_item_disagreement by name
with people as (
    select item_id, avg(value) as human_mean, count(*) as n_ratings from fct_rating group by all
)
select every_score.dataset_id, dimension, judge_id, template, item_id, source, value as score,
    human_mean, human_mean - 0.4 as human_mean_low, human_mean + 0.4 as human_mean_high, n_ratings,
    1 as n_answers, value - human_mean as score_minus_human,
    row_number() over (
        partition by every_score.dataset_id, judge_id, template
        order by abs(value - human_mean) desc, item_id
    ) as disagreement_rank
from every_score
inner join people using (item_id)
inner join dim_item using (item_id)
where judge_id <> 'human' and value is not null;
"""
