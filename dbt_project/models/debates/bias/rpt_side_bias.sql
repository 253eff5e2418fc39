{#
Does Pro win more than half of motions that the same debaters argued twice, sides exchanged? It needs no
people, and it is no stance: the motion, the last word and the positions are in it.
#}
with

pooled as (select * from {{ ref('int_bias_pooled') }} where bias = 'side')

select
    experiment,
    dataset_id,
    judge_id,
    template,
    wording,
    outcome,
    n_units,
    n_answers,
    incomplete_count,
    arm_count,
    0.5 + effect as pro_share,
    effect as difference,
    effect_low as difference_low,
    effect_high as difference_high,
    statistic,
    df,
    p,
    effect / (error * sqrt(n_units)) as effect_size,
    q as heterogeneity_q,
    q_df as heterogeneity_df,
    q_p as heterogeneity_p,
    i_squared,
    reason
from pooled
