"""Queries of what judges may read of parliamentary debates, and of the results.

Only debates that no rule removed: eight speeches, and a result to measure a judge by. Neither file
names a speaker.
"""

from inference.parliamentary.items import HOUSE_RANKS, SPEAKER_SCORES
from ingestion.debates.turns import DEBATE_HASH
from warehouse.records.bp import HOUSE_OF
from warehouse.records.parliamentary import FORMAT, PANEL

# What an answer is about, as SQL over a debate's `debate_hash` and its info slide, `context`: the
# speeches' texts and the motion are in the first. The marts compute the same, to know stale
# answers.
PARLIAMENTARY_HASH = "left(sha256(debate_hash || chr(10) || coalesce(context, '')), 16)"

_HOUSE = "case role " + " ".join(
    f"when '{role}' then '{house}'" for role, house in HOUSE_OF.items()
)
_USED = f"""
with used as (
    select debates.debate_id, debates.motion, debates.context
    from raw.debates as debates
    left join raw.debate_filters as filters using (debate_id)
    where
        debates.dataset_id = $dataset
        and debates.format = '{FORMAT}'
        and not coalesce(filters.is_removed, false)
),

spoken as (
    select
        debate_id,
        {DEBATE_HASH} as debate_hash,
        sum(word_count)::bigint as word_count,
        list(
            {{
                'role': role, 'house': {_HOUSE} end, 'text': text,
                'word_count': word_count::bigint
            }}
            order by speech_order
        ) as speeches
    from raw.speeches
    inner join used using (debate_id)
    group by debate_id
    having count(*) = {len(HOUSE_OF)} and count(distinct role) = {len(HOUSE_OF)}
)
"""
DEBATES = f"""
{_USED}
select
    used.debate_id, {PARLIAMENTARY_HASH} as item_hash, nullif(used.motion, '') as motion,
    used.context as info_slide, spoken.word_count, spoken.speeches
from used
inner join spoken using (debate_id)
order by used.debate_id
"""
# A ranking of three houses is none; a speech without a score is left out.
RESULTS = f"""
{_USED},

results as (
    select
        debate_id, house as place, '{HOUSE_RANKS}' as task, team_rank::double as value
    from raw.team_results
    where decided_by = '{PANEL}'
    qualify
        count(team_rank) over (partition by debate_id) = 4
        and count(*) over (partition by debate_id) = 4

    union all

    select debate_id, role as place, '{SPEAKER_SCORES}' as task, score as value
    from raw.speaker_results
    where decided_by = '{PANEL}' and score is not null
)

select results.debate_id, results.place, results.task, results.value
from results
inner join spoken using (debate_id)
order by results.debate_id, results.task, results.place
"""
