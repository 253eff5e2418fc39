{#
A factor with two levels changes a share by 1 at most, so its interval is cut there; a slope is per doubling
and has no bounds. What each changes a share by, in range, stands beside: between the levels, or for 10 %
more words. A change that is withheld keeps no test.
#}
select
    * exclude (fingerprint, reason)
    replace (
        {% for end in ['_low', '_high'] %}
            case
                when term = 'log2 length ratio' then marginal_effect{{ end }}
                else {{ clip('marginal_effect' ~ end, '-1.0', '1.0') }}
            end as marginal_effect{{ end }},
        {% endfor %}
        {% for name in ['statistic', 'df', 'p'] %}
            case
                when
                    term != 'log2 length ratio'
                    or {{ why_beyond_a_share('marginal_effect') }} is null
                    then {{ name }}
            end as {{ name }}{{ ',' if not loop.last }}
        {% endfor %}
    ),
    {% for end in ['', '_low', '_high'] %}
        case
            when term = 'log2 length ratio' then {{ per_ten_pct_words('marginal_effect', end) }}
            else {{ clip('marginal_effect' ~ end, '-1.0', '1.0') }}
        end as share_change{{ end }},
    {% endfor %}
    coalesce(
        reason,
        case when term = 'log2 length ratio' then {{ why_beyond_a_share('marginal_effect') }} end
    )
        as reason
from {{ ref('int_bias_joint_fitted') }}
