{#
A system's score changes from one version to the next while its judge may change, too: how much of it
was the judge. With J0 and J1 the judge's waves and S0 and S1 the outputs of the system's two versions,

    J1S1 - J0S0 = (J1S1 - J1S0) + (J1S0 - J0S0),

the system's part and the judge's. S0 is a frozen set, S1 the set that follows it; refused where the
frozen items are not the outputs of one system, since then there is no S0. Topics that both sets have
are paired: an interval is that of the sum of what each topic adds.
#}
{% set parts = {'total': ('11', '00'), 'judge': ('10', '00'), 'system': ('11', '10')} %}
with

waves as (select * from {{ ref('int_anchor_waves') }}),

sets as (
    select anchor_set, any_value(follows) as follows
    from {{ loaded('anchor_items') }}
    group by anchor_set
),

sources as (
    select
        waves.anchor_set,
        count(distinct units.source) as source_count,
        min(units.source) as source
    from {{ ref('int_anchor_units') }} as units
    inner join waves using (wave_id)
    group by waves.anchor_set
),

compared as (
    select
        row_number() over (order by j1s1.wave_id, j0s0.wave_id) as compared_id,
        j0s0.anchor_set as from_set,
        j1s1.anchor_set as to_set,
        j1s1.dataset_id,
        j1s1.dimension,
        j1s1.judge_line as judge_id,
        j0s0.wave as from_wave,
        j1s1.wave as to_wave,
        before_sources.source as from_source,
        after_sources.source as to_source,
        before_sources.source_count = 1 and after_sources.source_count = 1 as is_split,
        j0s0.wave_id as j0s0,
        j1s0.wave_id as j1s0,
        j1s1.wave_id as j1s1
    from sets
    inner join waves as j1s1 on sets.anchor_set = j1s1.anchor_set
    inner join waves as j0s0
        on
            sets.follows = j0s0.anchor_set
            and j1s1.judge_line = j0s0.judge_line
            and j1s1.dimension = j0s0.dimension
            and j0s0.place = 1
    left join waves as j1s0
        on
            j0s0.anchor_set = j1s0.anchor_set
            and j1s1.judge_line = j1s0.judge_line
            and j1s1.dimension = j1s0.dimension
            and j1s1.wave = j1s0.wave
    left join sources as before_sources on j0s0.anchor_set = before_sources.anchor_set
    left join sources as after_sources on j1s1.anchor_set = after_sources.anchor_set
),

units as (
    select
        compared.compared_id,
        units.cluster_id,
        case when units.wave_id = compared.j0s0 then units.value end as v00,
        case when units.wave_id = compared.j1s0 then units.value end as v10,
        case when units.wave_id = compared.j1s1 then units.value end as v11
    from compared
    inner join {{ ref('int_anchor_units') }} as units
        on units.wave_id in (compared.j0s0, compared.j1s0, compared.j1s1)
    where compared.is_split
),

means as (
    select
        compared_id,
        avg(v00) as m00, avg(v10) as m10, avg(v11) as m11,
        count(v00) as n00, count(v10) as n10, count(v11) as n11,
        count(distinct cluster_id) as n_units
    from units
    group by compared_id
),

-- What each topic adds to each mean, less the mean's own share of its items.
clusters as (
    select
        units.compared_id,
        coalesce(sum(v00 - m00), 0) / any_value(n00) as a00,
        coalesce(sum(v10 - m10), 0) / nullif(any_value(n10), 0) as a10,
        coalesce(sum(v11 - m11), 0) / any_value(n11) as a11
    from units
    inner join means using (compared_id)
    group by units.compared_id, units.cluster_id
),

variances as (
    select
        compared_id,
    {% for part, (after, before) in parts.items() %}
        count(*) / nullif(count(*) - 1.0, 0) * sum((a{{ after }} - a{{ before }}) ^ 2)
            as {{ part }}_variance{{ ',' if not loop.last }}
    {% endfor %}
    from clusters
    group by compared_id
),

halved as (
    select
        *,
    {% for part in parts %}
        {{ clustered_half_width(part ~ '_variance', 'n_units') }}
            as {{ part }}_half_width{{ ',' if not loop.last }}
    {% endfor %}
    from means
    inner join variances using (compared_id)
)

select
    compared.from_set,
    compared.to_set,
    compared.dataset_id,
    compared.dimension,
    compared.judge_id,
    compared.from_wave,
    compared.to_wave,
    case when compared.is_split then compared.from_source end as from_source,
    case when compared.is_split then compared.to_source end as to_source,
    halved.m00 as score_before,
    halved.m11 as score_after,
    {% for part, (after, before) in parts.items() %}
        halved.m{{ after }} - halved.m{{ before }} as {{ part }}_change,
        {{ ends(part ~ '_change', 'halved.' ~ part ~ '_half_width') }},
    {% endfor %}
    coalesce(halved.n11, 0) as n_answers,
    coalesce(halved.n_units, 0) as n_units,
    case
        when not coalesce(compared.is_split, false)
            then 'the items of a set are not the outputs of one system'
        when compared.j1s0 is null
            then
                'the later judge has not judged the frozen outputs of the earlier system in this '
                || 'wave'
        when halved.m00 is null or halved.m10 is null
            then
                'no answer to the frozen outputs of the earlier system could be read in '
                || if(halved.m00 is null, 'its first wave', 'this wave')
    end as reason
from compared
left join halved using (compared_id)
