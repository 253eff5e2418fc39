select
    * exclude (
        answer_key, request_id, settings_hash, item_hash, wording, prompt_hash, error_kind,
        finish_reason, attempts, source_file, source_record, loaded_at, is_stale, is_current,
        is_counted, faults
    ),
    array_to_string(list_sort(list_distinct(list_transform(faults, lambda each: each.fault))), ', ')
        as faults,
    coalesce(len(faults), 0) as fault_count
from {{ ref('int_adjudications_current') }}
where is_counted
