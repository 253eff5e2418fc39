select anchor_set, item_id, dataset_id, item_hash, experiment, follows, made_at
from {{ source('raw', 'anchor_items') }}
