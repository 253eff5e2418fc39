{#
What each method finds in the sentences labelled by hand, beside the labels: as it is (replicate 0) and
on bootstrap samples of sentences. Pairs are of different sentences: two draws of one form none.
#}
with

replicates as (select unnest(range(0, {{ var('bootstrap_replicates') }} + 1)) as replicate),

found as (
    select
        analyses.method_hash,
        labels.split,
        labels.polarity as gold_polarity,
        sentences.polarity,
        labels.key_point as gold_key_point,
        sentences.key_point_id,
        labels.polarity != 'neutral' as is_polar,
        row_number() over (
            partition by analyses.method_hash, labels.split order by labels.sentence_id
        ) as unit_index
    from {{ loaded('key_point_labels') }} as labels
    inner join {{ loaded('key_point_sentences') }} as sentences using (sentence_id)
    inner join {{ loaded('key_point_analyses') }} as analyses using (analysis_id)
    where analyses.is_labelled
),

sizes as (
    select method_hash, split, count(*) as n_units from found group by method_hash, split
),

draws as (
    select
        sizes.*,
        replicate,
        case
            when replicate > 0
                then resample_counts({{ var('bootstrap_seed') }}::bigint, n_units, replicate)
        end as counts
    from sizes
    cross join replicates
),

weighted as (
    select
        found.*,
        draws.replicate,
        coalesce(draws.counts[found.unit_index], 1)::double as weight
    from found
    inner join draws using (method_hash, split)
    where draws.counts is null or draws.counts[found.unit_index] > 0
),

polarities as (
    select
        method_hash,
        split,
        replicate,
        polarities.polarity,
        sum(weight) filter (
            weighted.polarity = polarities.polarity and gold_polarity = polarities.polarity
        )
            as both_count,
        coalesce(sum(weight) filter (weighted.polarity = polarities.polarity), 0)
        + coalesce(sum(weight) filter (gold_polarity = polarities.polarity), 0) as either_count
    from weighted
    cross join (values ('pro'), ('con'), ('neutral')) as polarities (polarity)
    group by method_hash, split, replicate, polarities.polarity
),

f1s as (
    select
        method_hash,
        split,
        replicate,
        avg(2 * coalesce(both_count, 0) / nullif(either_count, 0)) as macro_f1
    from polarities
    group by method_hash, split, replicate
),

{% for name, columns in [
    ('both', 'gold_key_point, key_point_id'), ('gold', 'gold_key_point'), ('found', 'key_point_id')
] %}
    {{ name }}_pairs as (
        select method_hash, split, replicate, sum(pairs) as {{ name }}_pairs
        from (
            select method_hash, split, replicate, (sum(weight) ^ 2 - sum(weight ^ 2)) / 2 as pairs
            from weighted
            where {{ columns.split(', ') | join(' is not null and ') }} is not null
            group by method_hash, split, replicate, {{ columns }}
        )
        group by method_hash, split, replicate
    ),

{% endfor %}
counted as (
    select
        method_hash,
        split,
        replicate,
        count(*) as n_units,
        coalesce(sum(weight) filter (polarity = gold_polarity), 0) as right_count,
        sum(weight) as sentence_count,
        coalesce(sum(weight) filter (is_polar), 0) as polar_count,
        coalesce(sum(weight) filter (is_polar and key_point_id is not null), 0) as matched_count,
        (sum(weight) ^ 2 - sum(weight ^ 2)) / 2 as all_pairs
    from weighted
    group by method_hash, split, replicate
)

select
    counted.*,
    macro_f1,
    {{ or_zero(['both_pairs', 'gold_pairs', 'found_pairs']) }}
from counted
left join f1s using (method_hash, split, replicate)
left join both_pairs using (method_hash, split, replicate)
left join gold_pairs using (method_hash, split, replicate)
left join found_pairs using (method_hash, split, replicate)
