{#
How many spreads an interval reaches to either side: the smallest distance that holds 90 % of topics,
one drawn answer each, with the next topic counted among them (split-conformal prediction). Null
with too few topics to calibrate on: below nine the interval would be the whole scale.

Papadopoulos et al. (2002), Inductive confidence machines for regression; Lei et al. (2018),
Distribution-free predictive inference for regression, Sections 2.2 and 5.2 (scaled residuals);
Dunn, Wasserman and Ramdas (2023), Distribution-free prediction sets for two-layer hierarchical models
(one draw a group).
#}
{% set covered = var('routing_coverage') %}
with

calibration as (
    select
        series_id,
        rotation,
        count(*) as calibration_topics,
        list_sort(list(distance)) as distances
    from {{ ref('int_routing_predictions') }}
    where not is_test and is_drawn
    group by series_id, rotation
)

select
    series_id,
    rotation,
    calibration_topics,
    distances[ceil(round((calibration_topics + 1) * {{ covered }}, 9))::integer] as radius
from calibration
where calibration_topics + 1 >= round(1 / (1 - {{ covered }}), 9)
