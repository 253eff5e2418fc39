{#
Each debate of a paired comparison is in one cell of its table or has no majority, and a row says why
exactly where its p or its interval is unknown.
#}
{% set marts = {
    'rpt_position_bias': ['both_con', 'only_a_con', 'only_b_con', 'both_pro'],
    'rpt_label_bias': ['both_con', 'only_a_con', 'only_b_con', 'both_pro'],
    'rpt_verdict_comparison': ['both_right', 'only_a_right', 'only_b_right', 'both_wrong'],
} %}
{% for mart, cells in marts.items() %}
    select '{{ mart }}' as mart, variant_a, variant_b, n_units, reason
    from {{ ref(mart) }}
    where
        {{ cells | join(' + ') }} + split_count != n_units
        or n_clusters > n_units
        or (p is null or difference_low is null) != (reason is not null)
    {{ 'union all' if not loop.last }}
{% endfor %}
