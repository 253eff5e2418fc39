with

counted as (
    select
        transcript_id,
        count(*) as segment_count,
        count(distinct role) as role_count,
        list_distinct(list(role)) as roles,
        count(*) filter (status = 'kept') as kept_count,
        count(*) filter (status = 'reverted') as reverted_count,
        count(*) filter (status = 'raw') as raw_count,
        count(*) filter (status = 'edited') as edited_count,
        sum(changed_words)::bigint as changed_words,
        sum(word_count)::bigint as word_count,
        max(end_s) - min(start_s) as duration_s
    from {{ ref('dim_transcript_segment') }}
    group by transcript_id
)

select
    transcripts.* exclude (extra),
    coalesce(counted.segment_count, 0) as segment_count,
    coalesce(counted.role_count, 0) as role_count,
    nullif(array_to_string(
        list_filter(
            ['pm', 'lo', 'dpm', 'dlo', 'mg', 'mo', 'gw', 'ow'],
            lambda role: not coalesce(list_contains(counted.roles, role), false)
        ),
        ' '
    ), '') as missing_roles,
    {{ or_zero(['kept_count', 'reverted_count', 'raw_count', 'edited_count'], of='counted') }},
    counted.changed_words,
    coalesce(counted.word_count, 0) as word_count,
    counted.duration_s
from {{ loaded('transcripts') }} as transcripts
left join counted using (transcript_id)
