{#
What the best ensemble of a size and pooling is worth on speeches it was not chosen on, beside what
the search promises on the speeches it was made on.
#}
with

searches as (
    select * from {{ ref('int_ensembles_searched') }} where subset_rank = 1 or subset_rank is null
),

subsets as (select * from {{ ref('rpt_ensemble_subset') }} where subset_rank = 1)

select
    searches.dataset_id,
    searches.dimension,
    searches.template,
    searches.search_size,
    searches.search_pooling,
    subsets.members,
    searches.member_count,
    searches.pooling,
    searches.best_member_id,
    searches.tau_c_on_scale as tau_c_in_sample,
    searches.best_member_tau_c_on_scale as best_member_tau_c_in_sample,
    {% for measure in ['held_out_tau_c', 'gain_over_member', 'gain_over_judge'] %}
        searches.{{ measure }},
        searches.{{ measure }}_low,
        searches.{{ measure }}_high,
    {% endfor %}
    searches.held_out_member_tau_c,
    searches.held_out_judge_tau_c,
    searches.chosen_share,
    subsets.mean_kappa as mean_kappa_in_sample,
    subsets.cost_per_item_usd,
    {{ or_zero(['n_subsets', 'n_splits', 'undefined_split_count'], of='searches') }},
    searches.n_judges,
    panels.n_judges_left_out,
    searches.n_items,
    panels.n_items_judged - searches.n_items as n_items_left_out,
    searches.n_units,
    searches.reason as undefined_reason,
    case
        when searches.held_out_tau_c is not null then null
        when searches.reason is not null then searches.reason
        when searches.n_units < 2 then 'fewer than two topics'
        else 'in no half of the topics does the reference vary'
    end as held_out_reason
from searches
inner join {{ ref('int_ensemble_panels') }} as panels using (dataset_id, dimension, template)
left join subsets using (dataset_id, dimension, template, search_size, search_pooling)
