-- A ranking that is read at all names every place once: measures count on it.
select response_id, task
from {{ ref('fct_adjudication_value') }}
where task in ({{ house_ranks() }}, {{ speaker_ranks() }}) and predicted is not null
group by response_id, task
having
    list_sort(list(predicted)) != case task
        when {{ house_ranks() }} then [1.0, 2.0, 3.0, 4.0]::double[]
        else [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]::double[]
    end
