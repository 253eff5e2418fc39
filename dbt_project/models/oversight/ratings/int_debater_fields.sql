{# What the debates of a field have in common, and how its intervals are made. #}
select distinct
    field_id,
    {{ debater_field_columns('contests') }},
    {{ var('min_units_for_interval') }}::bigint as min_units,
    {{ var('bootstrap_seed') }}::bigint as bootstrap_seed
from {{ ref('int_debater_contests') }} as contests
