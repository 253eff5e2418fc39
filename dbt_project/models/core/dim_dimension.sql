select dataset_id, dimension, question, scale_min, scale_max
from {{ loaded('dimensions') }}
