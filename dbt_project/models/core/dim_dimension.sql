select dataset_id, dimension, question, scale_min, scale_max
from {{ ref('stg_raw__dimensions') }}
