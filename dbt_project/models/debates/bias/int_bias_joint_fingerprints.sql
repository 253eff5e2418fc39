{#
A fingerprint of each fit's rows: the fit is made again only where it changed. It is made from what
things are called, never from keys, which a debate loaded later would shift; adding up the rows'
hashes makes it independent of their order.
#}
with

settings as (
    select
        *,
        hash(experiment, dataset_id, judge_id, asked, outcome, label_set) as setting_hash
    from {{ ref('int_bias_joint_settings') }}
),

debates as (
    select debate_key, hash(dataset_id, debate_id, cluster_id) as debate_hash
    from {{ ref('int_debates_judged') }}
)

select
    settings.fit_key,
    {{ alike_in_group(['experiment', 'dataset_id', 'judge_id', 'template'], of='settings') }},
    {{ var('min_units_for_interval') }}::bigint as min_clusters,
    sum(hash(
        settings.setting_hash, debates.debate_hash, is_con, is_con_second, con_has_second_label,
        con_closes, log2_length_ratio, human_is_con, answer_count
    )::hugeint)::varchar || ' ' || count(*) as rows_fingerprint
from {{ ref('int_bias_joint_rows') }} as rows_of_fits
inner join settings using (setting_id)
inner join debates using (debate_key)
group by settings.fit_key
